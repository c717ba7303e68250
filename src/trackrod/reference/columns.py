"""Which column of a foreign table is which quantity, in which unit, with which sign.

    yaw_rate = "psi_dot"                                   the column's own unit, or SI
    yaw_rate = { column = "psi_dot", unit = "deg/s" }      converted
    ay = { column = "a_lat", unit = "g", factor = -1 }     the sign turned
    Fz = "F_z_{CORNER}"                                    four columns: F_z_FL, F_z_FR, F_z_RL, F_z_RR
    ry = { gradient = 1.5 }                                no column: proportional to the travel of the wheel

A quantity that no rule names is taken from the column with its own heading, if the table has one (``yaw_rate_radps``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from trackrod.core.corners import Corner, Side
from trackrod.core.errors import Place, Problem, UnitError, close_matches
from trackrod.core.quantities import KINDS, Kind
from trackrod.core.tables import Table
from trackrod.core.toml_document import Section
from trackrod.core.written_units import factor_of

__all__ = ["CORNERS", "SIDES", "Rule", "heading", "pick", "read_rules"]

Array = NDArray[np.float64]

#: What may stand in braces in the name of a column, by the ending of the quantity: of wheels, of sides.
CORNERS: Mapping[str, Mapping[str, str]] = {
    str(corner): {
        "corner": str(corner),
        "CORNER": corner.upper(),
        "axle": str(corner.axle),
        "side": str(corner.side),
        "s": corner.side[0],
        "S": corner.side[0].upper(),
    }
    for corner in Corner
}
SIDES: Mapping[str, Mapping[str, str]] = {
    str(side): {"side": str(side), "SIDE": side.upper(), "s": side[0], "S": side[0].upper()} for side in Side
}


NOWHERE = Place()


@dataclass(frozen=True, slots=True)
class Rule:
    """How a quantity is taken from a table: value = factor · unit · column + offset.

    Attributes
    ----------
    column
        Name in the table; empty for a gradient.
    unit
        Empty for the unit that the file states, SI if it states none.
    factor, offset
        Number without unit, and what is added [SI unit of the quantity].
    gradient
        Change of the quantity over the travel of its wheel, in K&C tables [SI units]; None for a column.
    place
        Where the rule stands.
    optional
        Whether a table may lack the column.
    """

    column: str
    unit: str = ""
    factor: float = 1.0
    offset: float = 0.0
    gradient: float | None = None
    place: Place = NOWHERE
    optional: bool = False


#: No quantity of a table is larger than this [SI].
_LARGEST = 1e12


def heading(name: str, kind: Kind) -> str:
    """Name of a column with the suffix of its unit."""
    return f"{name}_{kind.suffix}" if kind.suffix else name


def read_rules(section: Section, known: Iterable[str], endings: Mapping[str, Mapping[str, str]]) -> dict[str, Rule]:
    """Rules by quantity; a name in braces stands for one column at each wheel, or on each side.

    Parameters
    ----------
    section
        The table of rules.
    known
        Quantities that may be named, those of wheels or sides without and with their endings.
    endings
        `CORNERS` or `SIDES`.
    """
    options = list(known)
    found: dict[str, Rule] = {}
    for key in section.names():
        if key not in options:
            near = " or ".join(f"'{match}'" for match in close_matches(key, options))
            hint = f"did you mean {near}?" if near else f"known: {', '.join(options[:12])}, …"
            section.report(key, f"'{key}' is not a quantity that is read here", hint=hint)
            continue
        rule = _read_rule(section, key)
        if rule is None:
            continue
        if f"{key}_{next(iter(endings))}" in options:
            for ending, words in endings.items():
                try:
                    found[f"{key}_{ending}"] = replace(rule, column=rule.column.format(**words))
                except (KeyError, IndexError, ValueError):
                    braces = ", ".join(f"{{{word}}}" for word in words)
                    section.report(key, f"'{rule.column}' is not a pattern; in braces may stand {braces}")
                    break
        else:
            found[key] = rule
    return found


def _read_rule(section: Section, key: str) -> Rule | None:
    value = section.raw(key)
    if isinstance(value, str):
        return Rule(value, place=section.place(key))
    if not isinstance(value, dict):
        section.report(key, f"'{key}' is {value!r}, a column name or a table with 'column' is needed")
        return None
    inner = section.section(key)
    number = KINDS["number"]
    gradient = inner.number("gradient", number, "change over the travel of the wheel") if "gradient" in inner else None
    return Rule(
        column="" if gradient is not None else inner.text("column", "name of the column"),
        unit=inner.text("unit", "unit of the column", ""),
        factor=inner.number("factor", number, "factor", default=1.0),
        offset=inner.number("offset", number, "offset", default=0.0),
        gradient=gradient,
        place=section.place(key),
    )


def pick(
    table: Table, rules: Mapping[str, Rule], name: str, kind: Kind, travel: Array | None = None
) -> tuple[Array | None, list[Problem]]:
    """A quantity of a table [SI unit of the kind], None if the table does not have it; and what is wrong.

    Parameters
    ----------
    travel
        Of the wheel, for a rule with a gradient [m].
    """
    rule = rules.get(name)
    if rule is None:
        own = heading(name, kind)
        if own not in table.columns:
            return None, []
        rule = Rule(own, unit=kind.unit)
    if rule.gradient is not None:
        if travel is None:
            return None, [Problem(f"'{name}' has a gradient, which only K&C tables can have", rule.place)]
        return rule.gradient * travel, []
    if rule.column not in table.columns and rule.optional:
        return None, []
    if rule.column not in table.columns:
        near = " or ".join(f"'{match}'" for match in close_matches(rule.column, table.columns))
        hint = f"did you mean {near}?" if near else f"it has {', '.join(list(table.columns)[:12])}, …"
        text = f"'{table.path.name}' has no column '{rule.column}', which '{name}' should be"
        return None, [Problem(text, rule.place, hint=hint)]
    try:
        factor = factor_of(rule.unit or table.units.get(rule.column, ""), kind, rule.place)
    except UnitError as error:
        return None, [Problem(f"'{name}': {problem.text}", problem.place) for problem in error.problems]
    with np.errstate(over="ignore", invalid="ignore"):
        values = rule.factor * factor * table.columns[rule.column] + rule.offset
    beyond = np.abs(values) > _LARGEST
    if beyond.any():
        row = int(np.argmax(beyond))
        text = f"'{name}' is {values[row]:.3g} {kind.unit}, which no vehicle can have"
        return None, [Problem(text, table.place(row), hint="check the column, its unit and its factor")]
    return values, []
