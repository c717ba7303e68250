"""Mapping files: which column of a rig's tables is which quantity, in which unit, with which sign, on which side.

::

    ["Toe LH"]
    quantity = "toe"
    side = "left"
    unit = "deg"
    sign = -1

One file serves all tables of a rig. A column that a table does not have is left out there.
"""

from __future__ import annotations

from trackrod.core.corners import Side
from trackrod.core.errors import InputError, close_matches
from trackrod.core.quantities import KINDS
from trackrod.core.toml_document import Document, Section
from trackrod.reference.columns import Rule

__all__ = ["read_mapping"]


def read_mapping(section: Section, applied: tuple[str, ...], at_wheel: tuple[str, ...]) -> dict[str, Rule]:
    """Rules by quantity of the file that a section names by ``mapping``; none without it. Problems are noted.

    Parameters
    ----------
    section
        ``[kc]`` or that of an axle.
    applied, at_wheel
        Quantities that may be named: of the whole axle, and of one wheel.
    """
    if "mapping" not in section:
        return {}
    path = section.file("mapping", "which column is which quantity")
    if path is None:
        return {}
    try:
        document = Document(path)
    except InputError as error:
        section.document.take(error)
        return {}
    rules: dict[str, Rule] = {}
    for column in document.root.names():
        inner = document.root.section(column, "quantity, unit, sign and side of a column")
        name = _quantity(inner, applied, at_wheel)
        sign = inner.number("sign", KINDS["number"], "1, or −1 where the rig counts the other way", default=1.0)
        if sign not in (1.0, -1.0):
            inner.report("sign", f"'sign' is {sign:g}, 1 or −1 is needed", hint="a unit belongs into 'unit'")
        unit = inner.text("unit", "unit of the column", "")
        offset = inner.number("offset", KINDS["number"], "what is added [SI]", default=0.0)
        if name in rules:
            inner.report("quantity", f"'{name}' is already the column '{rules[name].column}'")
        if name:
            rules[name] = Rule(column, unit, sign, offset, place=inner.place("quantity"), optional=True)
    document.close()
    for problem in document.problems:
        if problem not in section.document.problems:
            section.document.problems.append(problem)
    return rules


def _quantity(section: Section, applied: tuple[str, ...], at_wheel: tuple[str, ...]) -> str:
    """Name of a quantity with the ending of its side; empty, with a problem noted, where it is none."""
    name = section.text("quantity", "what the column is")
    side = section.word("side", Side) if "side" in section else None
    if not name:
        return ""
    if name not in applied and name not in at_wheel:
        near = " or ".join(f"'{match}'" for match in close_matches(name, (*applied, *at_wheel)))
        hint = f"did you mean {near}?" if near else f"known: {', '.join((*applied, *at_wheel))}"
        section.report("quantity", f"'{name}' is not a quantity that is read here", hint=hint)
        return ""
    if (name in at_wheel) is not (side is not None):
        text = "belongs to a wheel: 'side' is missing" if side is None else "is of the whole axle and has no 'side'"
        section.report("quantity", f"'{name}' {text}", hint='side = "left" or "right"' if side is None else "")
        return ""
    return name if side is None else f"{name}_{side}"
