"""What all readers of property files do: look up, convert into SI, check, and collect what is wrong."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trackrod.core import teimorbit
from trackrod.core.errors import FileFormatError, InputError, Place, Problem, Severity, UnitError
from trackrod.core.files import require_file
from trackrod.core.quantities import Kind
from trackrod.core.teimorbit.messages import raise_shortened
from trackrod.core.units import UnitSystem
from trackrod.vehicle.characteristics import Characteristic

__all__ = ["MAX_BYTES", "Findings", "TeimOrbitSource", "bounded_file", "stand_in"]

#: Greatest size of a property file [bytes]; real ones have kilobytes, a megabyte takes about a second.
MAX_BYTES = 4 * 1024 * 1024


def bounded_file(path: Path | str) -> Path:
    """The path, once it is certain that the file exists and is not too large to be a property file."""
    path = require_file(path)
    size = path.stat().st_size
    if size > MAX_BYTES:
        hint = f"up to {MAX_BYTES / 2**20:g} MiB are read"
        raise FileFormatError(Problem(f"the file has {size / 2**20:.1f} MiB", Place(path), hint=hint))
    return path


class Findings:
    """The problems of one file, and the checks that lead to them.

    A check that fails records an error and gives a stand-in, so that the rest of the file is checked too; `finish`
    raises before anybody sees a stand-in.
    """

    def __init__(self, file: Path) -> None:
        self.file = Place(file)
        self.problems: list[Problem] = []
        self._unit_problems: list[Problem] = []

    @property
    def has_units(self) -> bool:
        """Whether the units of the file are known; without them no number can be judged by its size."""
        return not self._unit_problems

    def error(self, text: str, place: Place | None = None, hint: str = "") -> None:
        """Record what makes the file unusable."""
        self.problems.append(Problem(text, place or self.file, hint=hint))

    def warn(self, text: str, place: Place | None = None, hint: str = "") -> None:
        """Record what can be read but may not be meant."""
        self.problems.append(Problem(text, place or self.file, Severity.WARNING, hint))

    def note(self, text: str, place: Place | None = None) -> None:
        """Record what is worth knowing."""
        self.problems.append(Problem(text, place or self.file, Severity.NOTE))

    def add(self, error: InputError, place: Place | None = None) -> None:
        """Record the problems of an error raised elsewhere, at `place` where they have no line of their own."""
        for problem in error.problems:
            where = problem.place if problem.place.line is not None else place or self.file
            self.problems.append(Problem(problem.text, where, problem.severity, problem.hint))
            if isinstance(error, UnitError):
                self._unit_problems.append(self.problems[-1])

    def finish(self) -> tuple[Problem, ...]:
        """Warnings and notes; FileFormatError, or UnitError if only units are wrong, with all errors."""
        errors = [problem for problem in self.problems if problem.severity is Severity.ERROR]
        if errors:
            kind = UnitError if all(problem in self._unit_problems for problem in errors) else FileFormatError
            raise_shortened(errors, kind)
        return tuple(self.problems)

    def in_range(self, value: float, kind: Kind, written: str, place: Place) -> float:
        """A number in SI units, once it is a possible one; `written` is how the message shows it."""
        if not (kind.admits(value) if self.has_units else math.isfinite(value)):
            hint = f"from {kind.low:g} to {kind.high:g} {kind.unit} is allowed"
            self.error(f"{written} is not a possible {kind.meaning}", place, hint.replace("  ", " "))
        return value if math.isfinite(value) else 1.0

    def positive(self, value: float, written: str, place: Place) -> float:
        """A number, once it is greater than zero."""
        if value <= 0:
            self.error(f"{written} must be greater than zero", place)
        return value

    def column(
        self, values: NDArray[np.float64], factor: float, kind: Kind, places: Sequence[Place], name: str
    ) -> None:
        """Turn a column into SI units, in place, and record the first number that is not a possible one."""
        with np.errstate(over="ignore", under="ignore"):
            values *= factor
        # Differences have both signs, also of quantities that are positive by themselves (pressure).
        bound = max(abs(kind.low), abs(kind.high)) if self.has_units else math.inf
        wrong = np.flatnonzero(~(np.isfinite(values) & (np.abs(values) <= bound)))
        if wrong.size:
            text = f"{name}: {values[wrong[0]]:g} {kind.unit}".rstrip() + f" is not a possible {kind.meaning}"
            self.error(text, places[wrong[0]], hint=f"up to {bound:g} {kind.unit} is allowed".rstrip())

    def increasing(self, values: NDArray[np.float64], places: Sequence[Place], name: str) -> bool:
        """Whether two values or more increase from row to row; if not, that is recorded."""
        if values.size < 2:
            place = places[0] if places else self.file
            self.error(f"{name} has {values.size} rows, two or more are needed", place)
            return False
        folds = np.flatnonzero(~(values[1:] > values[:-1]))  # a difference might overflow
        for fold in folds.tolist():
            text = f"{name}: the first column must increase from row to row, {values[fold + 1]:g}"
            self.error(f"{text} follows {values[fold]:g} [SI]", places[fold + 1])
        return not folds.size

    def curve(
        self,
        points: NDArray[np.float64],
        factors: tuple[float, float],
        kinds: tuple[Kind, Kind],
        places: Sequence[Place],
        name: str,
    ) -> Characteristic:
        """The curve through points in the units of the file, shape (n, 2), one place for each."""
        before = len(self.problems)
        x, y = points[:, 0].copy(), points[:, 1].copy()
        self.column(x, factors[0], kinds[0], places, name)
        self.column(y, factors[1], kinds[1], places, name)
        if len(self.problems) > before or not self.increasing(x, places, name):
            return stand_in(*kinds)
        return Characteristic(x, y, *kinds)

    def rises(self, curve: Characteristic, what: str, place: Place) -> None:
        """Warn of a curve that falls: its sign is not the one that is meant here."""
        if curve.y[-1] < curve.y[0]:
            hint = "a force that resists is positive over positive abscissae; is the sign of a column wrong?"
            self.warn(f"{what} falls from its first point to its last", place, hint)
        elif not curve.is_monotone:
            self.warn(f"{what} rises and falls", place)


def stand_in(x_kind: Kind, y_kind: Kind) -> Characteristic:
    """A curve that nobody sees: an error has been recorded."""
    return Characteristic.linear(0.0, 1.0, x_kind, y_kind)


class TeimOrbitSource(Findings):
    """A property file in TeimOrbit format.

    Parameters
    ----------
    path
        The file; what breaks its grammar is raised at once.
    types
        FILE_TYPE that it may have.
    """

    def __init__(self, path: Path | str, *types: str) -> None:
        path = bounded_file(path)
        super().__init__(path)
        self.document = teimorbit.read(path)
        self.problems += self.document.problems
        self.units = UnitSystem()
        self.user_units: Mapping[str, float] = {}
        try:
            self.units = self.document.units()
            self.user_units = self.document.user_units()
        except UnitError as error:
            self.add(error)
        self._check_type(types)

    def _check_type(self, types: tuple[str, ...]) -> None:
        attribute = self.document.get("MDI_HEADER", "FILE_TYPE")
        if attribute is None or attribute.value is None:
            self.note("the file does not say of what type it is")
        elif attribute.string().casefold() not in types:
            allowed = " or ".join(f"'{name}'" for name in types)
            self.error(
                f"FILE_TYPE = '{attribute.string()}' is another type of file", attribute.place, f"needed: {allowed}"
            )

    def factor(self, unit: str | None, kind: Kind, place: Place) -> float:
        """Factor into SI of a number with the unit name `unit`, or with none."""
        if unit is None or not self.has_units:
            return self.units.factor(kind)
        try:
            return self.user_units[unit]
        except InputError as error:
            self.add(error, place)
            return 1.0

    def block(self, name: str) -> teimorbit.Block | None:
        """The block that must be there."""
        found = self.document.block(name)
        if found is None:
            self.error(f"there is no [{name}] block")
        return found

    def number(
        self,
        section: teimorbit.Section | None,
        name: str,
        kind: Kind,
        default: float | None = None,
        *,
        above_zero: bool = False,
    ) -> float:
        """An attribute in SI units; without a default it must be there."""
        attribute = section.get(name) if section is not None else None
        if attribute is None:
            if default is None and section is not None:
                self.error(f"{name} is missing from [{section.name}]", section.place, hint=kind.meaning)
            return 1.0 if default is None else default
        try:
            value = attribute.number()
        except FileFormatError as error:
            self.add(error)
            return 1.0
        written = f"{attribute.name} = {attribute.raw}"
        value = self.in_range(
            value * self.factor(attribute.unit, kind, attribute.place), kind, written, attribute.place
        )
        return self.positive(value, written, attribute.place) if above_zero else value

    def choice(self, section: teimorbit.Section | None, name: str, allowed: Iterable[str]) -> str:
        """An attribute that is one of a few words, in lower case."""
        words = tuple(allowed)
        if section is None:
            return words[0]
        attribute = section.get(name)
        hint = "allowed: " + ", ".join(f"'{word}'" for word in words)
        if attribute is None or attribute.value is None:
            place = section.place if attribute is None else attribute.place
            self.error(f"{name} is missing from [{section.name}]", place, hint)
            return words[0]
        word = attribute.string().casefold()
        if word not in words:
            self.error(f"{attribute.name} = {attribute.raw} is not known", attribute.place, hint)
            return words[0]
        return word

    def table(self, section: teimorbit.Section | None, name: str) -> teimorbit.Table | None:
        """The only table of a section that must have one."""
        if section is None:
            return None
        tables = [table for table in section.tables if table.rows or table.columns]
        if not tables:
            self.error(f"{name} has no table", section.place)
            return None
        if len(tables) > 1:
            self.error(f"{name} has {len(tables)} tables, one is needed", tables[1].place)
            return None
        return tables[0]

    def array(self, table: teimorbit.Table | None) -> NDArray[np.float64] | None:
        """The rows of a table as a matrix; what is no number is recorded."""
        if table is None:
            return None
        try:
            return table.array()
        except FileFormatError as error:
            self.add(error)
            return None

    def points(
        self, block_name: str, kinds: tuple[Kind, Kind], columns: tuple[str, str], *, subblock: str | None = None
    ) -> Characteristic:
        """The curve in a block, or in a sub-block of it; also a block without the sub-block that others have."""
        section: teimorbit.Section | None = self.block(block_name)
        name = f"[{block_name}]"
        if subblock is not None and isinstance(section, teimorbit.Block):
            inner = section.subblock(subblock)
            if inner is not None:
                section, name = inner, f"{name} ({inner.name})"
        table = self.table(section, name)
        rows = self.array(table)
        if table is None or rows is None:
            return stand_in(*kinds)
        if tuple(column.casefold() for column in table.columns) == columns[::-1]:
            self.error(f"{name} has its columns the wrong way round", table.place, hint="needed: " + "  ".join(columns))
        if rows.shape[1] != 2:
            text = f"{name} has {rows.shape[0]} rows of {rows.shape[1]} numbers"
            self.error(text, table.place, hint=f"two rows or more of {columns[0]} and {columns[1]} are needed")
            return stand_in(*kinds)
        units = table.units if len(table.units) == 2 else (None, None)
        factors = [self.factor(unit, kind, table.place) for unit, kind in zip(units, kinds, strict=True)]
        places = [row.place for row in table.rows] or [table.place]
        return self.curve(rows, (factors[0], factors[1]), kinds, places, name)

    def place(self, block_name: str) -> Place:
        """Where a block starts."""
        found = self.document.block(block_name)
        return found.place if found is not None else self.file

    def note_unread(self, read: Iterable[str]) -> None:
        """Name the blocks that no reader asks for."""
        known = {"MDI_HEADER", "UNITS", "PLUGINS", "COMMENTS", *read}
        others = dict.fromkeys(block.name for block in self.document.blocks if block.name.upper() not in known)
        if others:
            self.note(f"blocks that are not read: {', '.join(others)}")
