"""Expressions of Adams/View: from text to a tree.

::

    (LOC_ALONG_LINE(.m.ground.hpl_lower, .m.ground.hpl_upper, 0.33 * DM(.m.ground.hpl_lower, .m.ground.hpl_upper)))
    (ORI_RELATIVE_TO({180d - .m.pvl_toe_angle, -90d, 180d}, .m.ground.origo))
    (.m.phs_kinematic_flag || .m.model_class == "template" ? 1 : 0)

A number may carry a unit: ``10mm``, ``90d``, ``{1, 2, 3}degrees``, ``7801(kg/meter**3)``. What the tree means is
said in ``expression_evaluation``.

Holds: a text gives a tree or a trackrod error, in time bounded by its length; the depth of the tree is bounded.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from trackrod.core.errors import FileFormatError, Place, Problem

__all__ = [
    "LONGEST",
    "Call",
    "Chain",
    "Choice",
    "Index",
    "List",
    "Name",
    "Node",
    "Number",
    "Text",
    "Unary",
    "parse_expression",
]

#: Characters that an expression, or a text that it joins, may have.
LONGEST = 20_000
_DEEPEST = 40


# -------------------------------------------------------------------------------------------------- tree


@dataclass(frozen=True, slots=True)
class Number:
    """A number, with the words and exponents of its unit; without, it is in the units of the model."""

    value: float
    units: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Text:
    """What stands between quotes."""

    text: str


@dataclass(frozen=True, slots=True)
class Name:
    """An object, a variable or a field, as written."""

    name: str


@dataclass(frozen=True, slots=True)
class List:
    """What stands in braces or brackets, with the word of the unit of all of it."""

    items: tuple[Node, ...]
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """A function, its name in capitals, known or not, with its arguments."""

    function: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Index:
    """One element of a list, counted from 1."""

    item: Node
    index: Node


@dataclass(frozen=True, slots=True)
class Unary:
    """A sign or ``!`` before its operand."""

    operator: str
    operand: Node


@dataclass(frozen=True, slots=True)
class Chain:
    """Operators of one rank from left to right; a list, so that a long sum is not a deep tree."""

    first: Node
    rest: tuple[tuple[str, Node], ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """``condition ? then : otherwise``."""

    condition: Node
    then: Node
    otherwise: Node


Node = Number | Text | Name | List | Call | Index | Unary | Chain | Choice


# ------------------------------------------------------------------------------------------------ parser


_TOKEN = re.compile(
    r"""\s*(?:
      (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
    | (?P<name>\.?[A-Za-z_]\w*(?:\.\w+)*)
    | (?P<text>"[^"]*"|'[^']*')
    | (?P<operator>\*\*|\|\||&&|==|!=|<=|>=|//|[-+*/<>!?:(){}\[\],^])
    )""",
    re.VERBOSE | re.ASCII,
)
_RANKS = (("||",), ("&&",), ("==", "!="), ("<", "<=", ">", ">="), ("+", "-", "//"), ("*", "/"))


def parse_expression(text: str, place: Place | None = None) -> Node:
    """The tree of an expression.

    Raises
    ------
    FileFormatError
        It is no expression, is longer than 20 000 characters or nested deeper than 40 brackets.
    """
    return _ExpressionParser(text, place or Place()).parse()


class _ExpressionParser:
    def __init__(self, text: str, place: Place) -> None:
        self.place = place
        self.depth = 0
        self.at = 0
        if len(text) > LONGEST:
            raise self._error(f"the expression has {len(text)} characters, {LONGEST} are allowed")
        self.tokens: list[tuple[str, str]] = []
        position, end = 0, len(text.rstrip())
        while position < end:
            match = _TOKEN.match(text, position)
            if match is None or match.lastgroup is None:
                raise self._error(f"'{text[position : position + 20].strip()}' cannot be read in an expression")
            self.tokens.append((match.lastgroup, match[match.lastgroup]))
            position = match.end()

    def _error(self, text: str) -> FileFormatError:
        return FileFormatError(Problem(text, self.place))

    def _peek(self) -> str:
        """The next operator, empty if something else comes."""
        kind, text = self.tokens[self.at] if self.at < len(self.tokens) else ("", "")
        return text if kind == "operator" else ""

    def _take(self, operator: str) -> None:
        if self._peek() != operator:
            found = f"'{self.tokens[self.at][1]}'" if self.at < len(self.tokens) else "the end"
            raise self._error(f"'{operator}' is expected in the expression, found {found}")
        self.at += 1

    def parse(self) -> Node:
        node = self._choice()
        if self.at < len(self.tokens):
            raise self._error(f"'{self.tokens[self.at][1]}' is not expected in the expression")
        return node

    def _choice(self) -> Node:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self._error(f"the expression is nested deeper than {_DEEPEST} levels")
        node = self._binary(0)
        if self._peek() == "?":
            self.at += 1
            then = self._choice()
            self._take(":")
            node = Choice(node, then, self._choice())
        self.depth -= 1
        return node

    def _binary(self, rank: int) -> Node:
        if rank == len(_RANKS):
            return self._signed()
        first = self._binary(rank + 1)
        rest = []
        while self._peek() in _RANKS[rank] and self._peek():
            operator = self._peek()
            self.at += 1
            rest.append((operator, self._binary(rank + 1)))
        return Chain(first, tuple(rest)) if rest else first

    def _signed(self) -> Node:
        operators = []
        while self._peek() in ("-", "+", "!"):
            operators.append(self._peek())
            self.at += 1
        if len(operators) > _DEEPEST:
            raise self._error("too many signs in the expression")
        node = self._power()
        for operator in reversed(operators):
            node = Unary(operator, node)
        return node

    def _power(self) -> Node:
        node = self._primary()
        if self._peek() in ("**", "^"):
            self.at += 1
            self.depth += 1
            if self.depth > _DEEPEST:
                raise self._error(f"the expression is nested deeper than {_DEEPEST} levels")
            node = Chain(node, (("**", self._signed()),))
            self.depth -= 1
        return node

    def _primary(self) -> Node:
        if self.at >= len(self.tokens):
            raise self._error("the expression ends too early")
        kind, text = self.tokens[self.at]
        self.at += 1
        node: Node
        if kind == "number":
            return self._number(text)
        if kind == "text":
            return Text(text[1:-1])
        if kind == "name":
            node = Call(text.upper(), self._items("(", ")")) if self._peek() == "(" else Name(text)
        elif text == "(":
            node = self._choice()
            self._take(")")
        elif text in "{[":
            self.at -= 1
            items = self._items(text, "}" if text == "{" else "]")
            node = List(items, self._unit_word())
        else:
            raise self._error(f"'{text}' is not expected in the expression")
        if self._peek() == "[":
            indices = self._items("[", "]")
            if len(indices) != 1:
                raise self._error("an index must be one number")
            node = Index(node, indices[0])
        return node

    def _items(self, opening: str, closing: str) -> tuple[Node, ...]:
        self._take(opening)
        items: list[Node] = []
        while self._peek() != closing:
            if items:
                self._take(",")
            items.append(self._choice())
        self.at += 1
        return tuple(items)

    def _unit_word(self) -> str:
        if self.at < len(self.tokens):
            kind, text = self.tokens[self.at]
            if kind == "name" and "." not in text:
                self.at += 1
                return text
        return ""

    def _number(self, text: str) -> Node:
        value = float(text)
        if not math.isfinite(value):
            raise self._error(f"{text[:40]} is beyond the range of a number")
        word = self._unit_word()
        if word:
            return Number(value, ((word, 1),))
        return Number(value, self._compound_unit()) if self._peek() == "(" else Number(value)

    def _compound_unit(self) -> tuple[tuple[str, int], ...]:
        """The unit in parentheses behind a number: ``(kg/meter**3)``."""
        self._take("(")
        found: list[tuple[str, int]] = []
        sign = 1
        while True:
            word = self._unit_word()
            if not word:
                raise self._error("a unit is expected behind the number")
            exponent = 1
            if self._peek() in ("**", "^"):
                self.at += 1
                kind, text = self.tokens[self.at] if self.at < len(self.tokens) else ("", "")
                if kind != "number" or text not in ("1", "2", "3", "4"):
                    raise self._error("the exponent of a unit must be 1, 2, 3 or 4")
                exponent = int(text)
                self.at += 1
            found.append((word, sign * exponent))
            if self._peek() not in ("*", "/"):
                break
            sign = 1 if self._peek() == "*" else -1
            self.at += 1
        self._take(")")
        return tuple(found)
