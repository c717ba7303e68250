"""The units of a file: both forms of its [UNITS] block, and the unit names in angle brackets."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path

from trackrod.core.errors import Place, Problem, UnitError, UnknownNameError
from trackrod.core.quantities import KINDS, Dimension, Kind
from trackrod.core.teimorbit.blocks import Block, Row, Table
from trackrod.core.teimorbit.messages import raise_shortened, shown
from trackrod.core.units import UNIT_WORDS, UnitSystem, unit_factor

__all__ = ["UserUnits", "base_units", "user_units"]

_BASE_UNITS = ("length", "force", "angle", "mass", "time")


class UserUnits(Mapping[str, float]):
    """Factor into SI of every unit name that a file may write in angle brackets, in any case.

    Parameters
    ----------
    factors
        Factor by name. A later name replaces an earlier one that differs only in case.
    file
        The file they hold for, for messages.
    """

    def __init__(self, factors: Mapping[str, float], file: Path | None = None) -> None:
        self._by_folded = {name.casefold(): (name, factor) for name, factor in factors.items()}
        self._file = file

    def __getitem__(self, name: str) -> float:
        entry = self._by_folded.get(name.casefold())
        if entry is None:
            raise UnknownNameError("unit", shown(name), map(shown, self), Place(self._file))
        return entry[1]

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self._by_folded.values())

    def __len__(self) -> int:
        return len(self._by_folded)

    def __repr__(self) -> str:
        return f"UserUnits({dict(self)})"


def base_units(block: Block) -> UnitSystem:
    """Base units as factors into SI; UnitError names every one that is missing or unknown.

    Parameters
    ----------
    block
        The block [UNITS], with attributes (LENGTH, FORCE, ANGLE, MASS, TIME, perhaps PRESSURE) or with a
        one-row table in the sub-block (BASE).
    """
    problems: list[Problem] = []
    factors: dict[str, float] = {}
    for base, (word, place) in _unit_words(block, problems).items():
        try:
            factors[base] = unit_factor(base, word, place)
        except UnitError as error:
            problems.extend(error.problems)
    if not problems:
        missing = [base.upper() for base in _BASE_UNITS if base not in factors]
        if missing:
            problems.append(Problem(f"[UNITS] says nothing about {', '.join(missing)}", block.place))
    raise_shortened(problems, UnitError)
    return UnitSystem(**factors)


def user_units(block: Block, file: Path | None = None) -> UserUnits:
    """Built-in units and those of the table in (USER), as factors into SI.

    Parameters
    ----------
    block
        The block [UNITS]; UnitError names every row of (USER) that cannot be used.
    file
        The file it stands in, for messages.
    """
    system = base_units(block)
    factors = {kind.name: system.factor(kind) for kind in KINDS.values() if kind.dimension != Dimension()}
    user = block.subblock("USER")
    problems: list[Problem] = []
    lines: dict[str, int | None] = {}
    for table in user.tables if user is not None else ():
        for row in table.rows:
            try:
                name, factor = _user_unit(table, row, system)
            except UnitError as error:
                problems.extend(error.problems)
                continue
            line = lines.setdefault(name.casefold(), row.place.line)
            if line != row.place.line:
                problems.append(Problem(f"the unit '{shown(name)}' is defined on line {line} already", row.place))
            factors[name] = factor
    raise_shortened(problems, UnitError)
    return UserUnits(factors, file)


def _unit_words(block: Block, problems: list[Problem]) -> dict[str, tuple[str, Place]]:
    """Unit word and its place by base unit; attributes of [UNITS] go before the table of its (BASE)."""
    words: dict[str, tuple[str, Place]] = {}
    base = block.subblock("BASE")
    for table in base.tables if base is not None else ():
        if len(table.rows) != 1:
            text = f"the table in [UNITS] (BASE) must have one row, it has {len(table.rows)}"
            problems.append(Problem(text, table.place))
            continue
        row = table.rows[0]
        place = Place(row.place.file, row.place.line)
        if len(row.values) != len(table.columns):
            text = f"[UNITS] (BASE) names {len(table.columns)} units and gives {len(row.values)} values"
            problems.append(Problem(text, place))
            continue
        for column, value in zip(table.columns, row.values, strict=True):
            words[column.casefold()] = (str(value), place)
    for attribute in block.attributes:
        if attribute.value is None:
            text = f"{shown(attribute.name)} has no value"
            problems.append(Problem(text, attribute.place, hint="a unit is needed"))
        else:
            words[attribute.name.casefold()] = (attribute.string(), attribute.place)
    return {name: word for name, word in words.items() if name in UNIT_WORDS}


def _user_unit(table: Table, row: Row, system: UnitSystem) -> tuple[str, float]:
    """Name and factor into SI of one row of [UNITS] (USER)."""
    place = Place(row.place.file, row.place.line)
    if len(row.values) != len(table.columns):
        text = f"a row of [UNITS] (USER) has {len(row.values)} values for {len(table.columns)} columns"
        raise UnitError(Problem(text, place))
    cells = {column.casefold(): value for column, value in zip(table.columns, row.values, strict=True)}
    name = cells.get("unit_type")
    if not isinstance(name, str) or "conversion" not in cells:
        text = "[UNITS] (USER) needs a column unit_type with names and a column conversion"
        raise UnitError(Problem(text, place))
    exponents: dict[str, float] = {}
    for column in (*_BASE_UNITS, "conversion"):
        value = cells.get(column, 0)
        if isinstance(value, str):
            text = f"the unit '{name}' has '{shown(value)}' in column {column}, where a number is needed"
            raise UnitError(Problem(text, place))
        exponents[column] = value
    conversion = exponents.pop("conversion")
    try:
        factor = conversion * system.factor(Kind("user", "", "", Dimension(**exponents), "user unit"))
    except OverflowError:
        factor = math.inf
    if not math.isfinite(factor) or factor == 0.0:
        text = f"the unit '{name}' has the factor {factor:g} into SI; it must be finite and not zero"
        raise UnitError(Problem(text, place))
    return name, factor
