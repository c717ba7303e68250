"""TeimOrbit text of the databases: headers, units, tables, in tidy columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from trackrod.core.teimorbit import Attribute, Block, Row, SubBlock, Table, Value, compose

__all__ = ["block", "curve", "derived_units", "document", "number", "parameters", "subblock"]

_VERSIONS = {"asy": 2.0, "sub": 7.0, "ste": 3.0, "pwr": 1.0, "dif": 1.0, "dcf": 2.0}
_UNITS = {"LENGTH": "mm", "FORCE": "newton", "ANGLE": "deg", "MASS": "kg", "TIME": "sec"}


def number(value: float, digits: int = 4) -> float:
    """A number with at most so many decimals, never a negative zero."""
    return round(float(value), digits) + 0.0


def block(
    name: str, values: Mapping[str, Value], *, tables: Sequence[Table] = (), subs: Sequence[SubBlock] = ()
) -> Block:
    """A block with attributes."""
    return Block(name, _attributes(values), tables=tuple(tables), subblocks=tuple(subs))


def subblock(name: str, values: Mapping[str, Value], *, tables: Sequence[Table] = ()) -> SubBlock:
    """A sub-block with attributes."""
    return SubBlock(name, _attributes(values), tables=tuple(tables))


def _attributes(values: Mapping[str, Value]) -> tuple[Attribute, ...]:
    return tuple(Attribute(name, value) for name, value in values.items())


def document(
    file_type: str,
    comments: Sequence[str],
    blocks: Iterable[Block],
    units: Block | None = None,
    meta: Iterable[Block] = (),
) -> str:
    """The text of a file; `meta` are blocks between header and units."""
    rows = tuple(Row((line,)) for line in comments)
    remarks = SubBlock("COMMENTS", tables=(Table(("comment_string",), rows),))
    header = block(
        "MDI_HEADER",
        {"FILE_TYPE": file_type, "FILE_VERSION": _VERSIONS.get(file_type, 4.0), "FILE_FORMAT": "ASCII"},
        subs=[remarks] if rows else [],
    )
    return compose([header, *meta, units if units is not None else block("UNITS", _UNITS), *blocks])


def derived_units(**user: tuple[int, int, int, int, int, float]) -> Block:
    """Units as powertrain and steering files have them, with units of their own by dimensions and factor."""
    base = Table(tuple(name.lower() for name in _UNITS), (Row(tuple(_UNITS.values())),))
    columns = ("unit_type", *base.columns, "conversion")
    own = Table(columns, tuple(Row((name, *numbers)) for name, numbers in user.items()))
    return Block("UNITS", subblocks=(SubBlock("BASE", tables=(base,)), SubBlock("USER", tables=(own,))))


def curve(columns: tuple[str, str], x: Iterable[float], y: Iterable[float], digits: int = 1) -> Table:
    """A table of two columns."""
    rows = tuple(Row((number(a), number(b, digits))) for a, b in zip(x, y, strict=True))
    values = np.array([row.values for row in rows])
    if not (np.diff(values[:, 0]) > 0).all():
        raise ValueError(f"the first column of {columns} must increase")
    return Table(columns, rows)


def parameters(entries: Iterable[tuple[str, str, float | int | str, str]]) -> Block:
    """[PARAMETER]: name, symmetry, value and what it is."""
    types = {int: "integer", float: "real", str: "string"}
    rows = tuple(Row((name, symmetry, types[type(value)], value), note) for name, symmetry, value, note in entries)
    return Block("PARAMETER", tables=(Table(("parameter_name", "symmetry", "type", "value"), rows),))
