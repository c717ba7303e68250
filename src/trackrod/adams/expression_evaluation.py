"""Value of the tree of an expression of Adams/View in a scope.

Holds: an expression is refused or evaluated, never anything but a trackrod error, in time bounded by its length.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trackrod.adams.expression_functions import FUNCTIONS, Arguments, Scope
from trackrod.adams.expression_values import Refusal, Value, as_array, combine, finite, in_units, truth
from trackrod.adams.expressions import Call, Chain, Choice, Index, List, Name, Node, Number, Text, Unary
from trackrod.adams.orientations import UndefinedDirectionError
from trackrod.core.errors import FileFormatError, Place, Problem, close_matches

__all__ = ["evaluate_expression"]

Array = NDArray[np.float64]


def evaluate_expression(node: Node, scope: Scope, place: Place | None = None) -> Value:
    """Value of an expression, in the units of the model.

    Raises
    ------
    FileFormatError, RangeError, UnitError
        A function or operation that is not known here, a wrong argument, a result that is no finite number.
    UndefinedDirectionError
        Points that do not define the direction that is asked for.
    """
    place = place or Place()
    try:
        with np.errstate(all="ignore"):
            return finite(_evaluate(node, scope))
    except UndefinedDirectionError as error:
        raise UndefinedDirectionError(Problem(error.problems[0].text, place)) from None
    except Refusal as error:
        raise FileFormatError(Problem(str(error), place)) from None


def _evaluate(node: Node, scope: Scope) -> Value:
    match node:
        case Number(value, units):
            for word, exponent in units:
                value *= in_units(word, scope.units) ** exponent
            return value
        case Text(text):
            return text
        case Name(name):
            return scope.value(name)
        case List(items, unit):
            values = [as_array(_evaluate(item, scope)) for item in items]
            flat = np.concatenate(values) if values else np.zeros(0)
            return flat * in_units(unit, scope.units) if unit else flat
        case Call(function, arguments):
            return _call(function, arguments, scope)
        case Index(item, index):
            return _element(as_array(_evaluate(item, scope)), _evaluate(index, scope))
        case Unary(operator, operand):
            value_of = _evaluate(operand, scope)
            if operator == "!":
                return float(not truth(value_of))
            if isinstance(value_of, str):
                raise Refusal(f"a text has no sign: '{value_of}'")
            return -value_of if operator == "-" else value_of
        case Choice(condition, then, otherwise):
            return _evaluate(then if truth(_evaluate(condition, scope)) else otherwise, scope)
        case Chain(first, rest):
            result = _evaluate(first, scope)
            for operator, operand in rest:
                result = combine(operator, result, _evaluate(operand, scope))
            return result


def _element(values: Array, index: Value) -> float:
    if not isinstance(index, float) or not index.is_integer() or not 1 <= index <= values.size:
        raise Refusal(f"the index must be a whole number from 1 to {values.size}")
    return float(values[int(index) - 1])


def _call(name: str, nodes: tuple[Node, ...], scope: Scope) -> Value:
    function = FUNCTIONS.get(name)
    if function is None:
        near = close_matches(name, FUNCTIONS)
        raise Refusal(f"the function {name[:40]} is not known" + (f", {near[0]} is" if near else ""))
    if len(nodes) != function.arguments:
        raise Refusal(f"{name} takes {function.arguments} arguments, not {len(nodes)}")
    return finite(function.compute(Arguments(nodes, scope, _evaluate)))
