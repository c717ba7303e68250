"""Tyre property files (.tir): reader and writer.

Read are MF 5.2 and PAC2002, MF 6.1, MF 6.2 and PAC89. The formula is chosen by FITTYP, else by
PROPERTY_FILE_FORMAT. Every file has its own units; the coefficients themselves are pure numbers that belong to
radians, or in PAC89 to kN, degrees and percent, whatever the unit block says.

A missing coefficient takes the default of its declaration (`trackrod.tyre.coefficients`) and is named in a note;
keys and blocks that the formula does not know are named too. All mistakes of a file are collected and raised once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trackrod.core import teimorbit
from trackrod.core.errors import (
    FileFormatError,
    InputError,
    Place,
    Problem,
    Severity,
    UnitError,
    close_matches,
)
from trackrod.core.files import write_atomically
from trackrod.core.quantities import KINDS
from trackrod.core.teimorbit.messages import raise_shortened, shown
from trackrod.core.units import UnitSystem
from trackrod.tyre.coefficients import UNUSED_KEYS, Coefficient, Version, coefficients_of
from trackrod.tyre.properties import Curve, TyreProperties, Tyreside

__all__ = ["compose_tir", "parse_tir", "read_tir", "write_tir"]

#: FITTYP of the formulas that are read; 5 is any MF 5.x.
FITTYPES: dict[object, Version] = {
    5: Version.MF52,
    6: Version.MF52,
    52: Version.MF52,
    61: Version.MF61,
    62: Version.MF62,
}
#: PROPERTY_FILE_FORMAT, used where FITTYP is absent; a FITTYP of 5.2.1 stands here too, as it is no number.
FORMATS = {
    "PAC2002": Version.MF52,
    "MF_05": Version.MF52,
    "MF-TYRE": Version.MF52,
    "5.2": Version.MF52,
    "5.2.1": Version.MF52,
    "PAC89": Version.PAC89,
}

_RANGES = (
    ("PRESMIN", "PRESMAX"),
    ("FZMIN", "FZMAX"),
    ("KPUMIN", "KPUMAX"),
    ("ALPMIN", "ALPMAX"),
    ("CAMMIN", "CAMMAX"),
)
#: What the last digit of USE_MODE asks for, other than 4: forces of combined slip.
_SLIP_FORCES = {
    0: "no slip forces",
    1: "longitudinal forces only",
    2: "lateral forces only",
    3: "longitudinal and lateral forces that do not reduce each other",
    5: "turn slip",
}
#: What its last digit but one asks for, other than a relaxation of slip.
_DYNAMICS = {0: "no relaxation", 3: "a rigid ring"}
_LARGEST_NUMBER = 1e9  # coefficients without unit are of order one, seldom up to 1e5
_CURVE_BLOCKS = ("SHAPE", "DEFLECTION_LOAD_CURVE", "BOTTOMING_CURVE")


def read_tir(path: Path | str) -> TyreProperties:
    """Read a tyre property file.

    Raises
    ------
    MissingFileError
        The file does not exist.
    FileFormatError, UnitError
        It is not a tyre property file of a known formula, or something in it is wrong; all problems are named.
    """
    try:
        document = teimorbit.read(path)
    except FileFormatError as error:
        raise _table_of_another_program(Path(path)) or error from None
    return parse_tir(document)


def _table_of_another_program(path: Path) -> FileFormatError | None:
    """What is to be said of tyre data that are no property file ; None of any other file."""
    with path.open("rb") as stream:
        start = stream.read(4096)
    if b"**HEADER" in start:
        text = "this is tyre measurements as tables (TYDEX), not a tyre property file"
        hint = "`trackrod tyre fit` makes a property file of them"
    elif start.lstrip().startswith(b"{") and b'"' in start:
        text = "this is a tyre in JSON, as Project Chrono has them, not a tyre property file"
        hint = "a .tir file is needed; where it names one, give that"
    else:
        return None
    return FileFormatError(Problem(text, Place(path), hint=hint))


def parse_tir(document: teimorbit.Document) -> TyreProperties:
    """The tyre that a TeimOrbit document describes."""
    reader = _Reader(document)
    version = reader.version()
    units = reader.units()
    values = reader.coefficients(version, units)
    deflection_load = reader.curve("DEFLECTION_LOAD_CURVE", units)
    bottoming = reader.curve("BOTTOMING_CURVE", units)
    reader.check_shape()
    coefficients = reader.complete(version, values, deflection_load)
    reader.check_values(version, coefficients)
    tyreside = reader.tyreside()
    reader.check_use_mode()
    reader.note_unused(version)
    raise_shortened(reader.problems)
    return TyreProperties(
        version=version,
        coefficients=coefficients,
        given=frozenset(values),
        tyreside=tyreside,
        deflection_load=deflection_load,
        bottoming=bottoming,
        name=document.file.stem if document.file else "tyre",
        file=document.file,
        problems=tuple(reader.problems),
    )


class _Reader:
    """Turns one document into numbers and collects what is wrong with it."""

    def __init__(self, document: teimorbit.Document) -> None:
        self.document = document
        self.file = Place(document.file)
        self.problems: list[Problem] = list(document.problems)
        self.attributes: dict[str, list[tuple[teimorbit.Block, teimorbit.Attribute]]] = {}
        for block in document.blocks:
            for attribute in block.attributes:
                self.attributes.setdefault(attribute.name.upper(), []).append((block, attribute))

    def _error(self, text: str, place: Place, hint: str = "") -> None:
        self.problems.append(Problem(text, place, hint=hint))

    def _warn(self, text: str, place: Place, hint: str = "") -> None:
        self.problems.append(Problem(text, place, Severity.WARNING, hint))

    def _note(self, text: str, place: Place | None = None) -> None:
        self.problems.append(Problem(text, place or self.file, Severity.NOTE))

    def _find(self, item: Coefficient) -> teimorbit.Attribute | None:
        """The attribute of a coefficient: in its own block if it is there, else in any other."""
        for key in (item.name, *item.aliases):
            found = self.attributes.get(key.upper(), [])
            for block, attribute in found:
                if block.name.upper() == item.block:
                    return attribute
            if found:
                return found[0][1]
        return None

    def _model(self, name: str) -> teimorbit.Attribute | None:
        """An attribute of [MODEL] that has a value."""
        attribute = self.document.get("MODEL", name)
        return None if attribute is None or attribute.value is None else attribute

    def version(self) -> Version:
        """The formula; without it nothing else can be read, so a mistake here is raised at once."""
        fittyp = self._model("FITTYP")
        if fittyp is not None:
            known = FITTYPES.get(fittyp.value) or FORMATS.get(fittyp.string())
            if known is None:
                allowed = ", ".join(str(number) for number in FITTYPES)
                text = f"FITTYP = {shown(fittyp.raw)} is not a Magic Formula version that is read here"
                raise FileFormatError(Problem(text, fittyp.place, hint=f"allowed: {allowed} (5, 6 and 52 for MF 5.x)"))
            return known
        form = self._model("PROPERTY_FILE_FORMAT")
        allowed = ", ".join(f"'{known}'" for known in FORMATS)
        if form is None:
            block = self.document.block("MODEL")
            text = "[MODEL] has neither FITTYP nor PROPERTY_FILE_FORMAT" if block else "there is no [MODEL] block"
            hint = f"FITTYP may be {', '.join(map(str, FITTYPES))}, PROPERTY_FILE_FORMAT {allowed}"
            raise FileFormatError(Problem(text, block.place if block else self.file, hint=hint))
        known = FORMATS.get(form.string().upper())
        if known is None:
            text = f"PROPERTY_FILE_FORMAT = '{shown(form.string())}' is not a tyre model that is read here"
            raise FileFormatError(Problem(text, form.place, hint=f"allowed: {allowed}, or a FITTYP"))
        return known

    def units(self) -> UnitSystem:
        try:
            return self.document.units()
        except UnitError as error:
            self.problems += error.problems
            return UnitSystem()

    def coefficients(self, version: Version, units: UnitSystem) -> dict[str, float]:
        """What the file gives, in SI units."""
        values = {}
        for item in coefficients_of(version):
            attribute = self._find(item) if version in item.versions else None
            if attribute is None or (attribute.value is None and self._default_taken(item, attribute)):
                continue
            try:
                value = units.to_si(attribute.number(), item.kind)
            except FileFormatError as error:
                self.problems += error.problems
                continue
            values[item.name] = value
            if item.positive and value <= 0:
                text = f"{attribute.name} = {attribute.raw} must be greater than zero"
                self._error(text, attribute.place, hint=item.meaning)
            elif abs(value) > _LARGEST_NUMBER and not item.kind.unit:
                text = f"{attribute.name} = {attribute.raw} is not a possible coefficient"
                self._error(text, attribute.place, hint=f"at most {_LARGEST_NUMBER:g} in magnitude is allowed")
            elif not item.kind.admits(value):
                text = f"{attribute.name} = {attribute.raw} is not a possible {item.kind.meaning}"
                hint = f"from {item.kind.low:g} to {item.kind.high:g} {item.kind.unit} is allowed"
                self._error(text, attribute.place, hint=hint)
        return values

    def _default_taken(self, item: Coefficient, attribute: teimorbit.Attribute) -> bool:
        """Whether a key without a value has a default; the warning that it has no value says so then."""
        if item.default is None:
            return False
        for index, problem in enumerate(self.problems):
            if problem.place == attribute.place and problem.severity is Severity.WARNING:
                default = item.default if isinstance(item.default, str) else f"{item.default:g}"
                self.problems[index] = replace(problem, text=f"{problem.text}; its default {default} is taken")
        return True

    def complete(self, version: Version, values: dict[str, float], deflection_load: Curve | None) -> dict[str, float]:
        """All coefficients of the structure, defaults filled in; a missing mandatory one is an error."""
        if "VERTICAL_STIFFNESS" not in values and deflection_load is not None:
            last = np.searchsorted(deflection_load.force, values.get("FNOMIN", 4000.0)).clip(
                1, deflection_load.force.size - 1
            )
            rise = deflection_load.force[last] - deflection_load.force[last - 1]
            values["VERTICAL_STIFFNESS"] = float(rise / np.diff(deflection_load.deflection)[last - 1])
        complete: dict[str, float] = {}
        defaulted = []
        for item in coefficients_of(version):
            if item.name in values:
                complete[item.name] = values[item.name]
                continue
            wanted = version in item.versions
            if item.default is None:
                if not any(item.name in problem.text for problem in self.problems):
                    self._missing(item, version)
                complete[item.name] = 1.0  # a stand-in, never seen: an error has been recorded
            else:
                default = complete[item.default] if isinstance(item.default, str) else item.default
                complete[item.name] = default
                if wanted and default not in (0.0, 1.0) and not item.block.endswith("_RANGE"):
                    defaulted.append(f"{item.name} = {default:g}")
        if defaulted:
            self._note(f"not in the file, default taken: {', '.join(defaulted)}")
        return complete

    def _missing(self, item: Coefficient, version: Version) -> None:
        block = self.document.block(item.block)
        place = block.place if block is not None else self.file
        near = close_matches(item.name, self.attributes, 1)
        hint = f"{item.meaning}; {version} cannot do without it"
        if near and near[0] not in UNUSED_KEYS:
            hint += f"; the file has {near[0]}"
        self._error(f"{item.name} is missing from [{item.block}]", place, hint=hint)

    def check_values(self, version: Version, values: dict[str, float]) -> None:
        """Ranges that are ranges, and a load curve that rises."""
        for low, high in _RANGES:
            if low not in values:
                continue
            found = [self.attributes.get(key) for key in (high, low)]
            place = next((items[0][1].place for items in found if items), self.file)
            if low in ("FZMIN", "PRESMIN") and values[low] < 0:
                place = self.attributes[low][0][1].place
                self._error(f"{low} = {values[low]:g} must not be negative", place, hint="0 or more is allowed")
            one_pressure = low == "PRESMIN" and values[low] == values[high]
            if not (values[low] < values[high] or one_pressure):
                text = f"{high} = {values[high]:g} must be greater than {low} = {values[low]:g}"
                self._error(text, place)
        if version is Version.PAC89 or any(p.severity is Severity.ERROR for p in self.problems):
            return
        stiffness = values["VERTICAL_STIFFNESS"] * values["LCZ"] * values["UNLOADED_RADIUS"] / values["FNOMIN"]
        if stiffness**2 <= 4 * values["Q_FZ2"]:
            place = self.attributes["Q_FZ2"][0][1].place
            limit = stiffness**2 / 4
            text = f"Q_FZ2 = {values['Q_FZ2']:g} contradicts VERTICAL_STIFFNESS: the load would not rise from zero"
            self._error(text, place, hint=f"less than {limit:.4g} is allowed with this stiffness")

    def curve(self, name: str, units: UnitSystem) -> Curve | None:
        """The first curve called `name` that has rows."""
        blocks = [block for block in self.document.all_blocks(name) if block.tables]
        if not blocks:
            return None
        table = blocks[0].tables[0]
        points = self._numbers(table, name)
        if points is None:
            return None
        if points.shape[0] < 2 or points.shape[1] != 2:
            text = f"[{name}] has {points.shape[0]} rows of {points.shape[1]} numbers"
            self._error(text, table.place, hint="two rows or more of deflection and force are needed")
            return None
        with np.errstate(over="ignore", under="ignore"):
            deflection = points[:, 0] * units.factor(KINDS["length"])
            force = points[:, 1] * units.factor(KINDS["force"])
        for row, x, y in zip(table.rows, deflection.tolist(), force.tolist(), strict=True):
            if not (KINDS["length"].admits(x) and KINDS["force"].admits(y)):
                self._error(f"[{name}] has {x:g} m and {y:g} N, which are no possible deflection and force", row.place)
                return None
        folds = np.flatnonzero((np.diff(deflection) <= 0) | (np.diff(force) < 0))
        if folds.size:
            row = table.rows[int(folds[0]) + 1]
            values = "  ".join(str(value) for value in row.values)
            text = f"[{name}] folds back at the row '{shown(values)}'"
            self._error(text, row.place, hint="deflection must increase and force must not decrease")
            return None
        return Curve(deflection, force)

    def _numbers(self, table: teimorbit.Table, block: str) -> NDArray[np.float64] | None:
        try:
            return table.array()
        except InputError as error:
            self.problems += [replace(problem, text=f"[{block}]: {problem.text}") for problem in error.problems]
            return None

    def check_shape(self) -> None:
        """The cross section is not used, but a broken table means a broken file."""
        for block in self.document.all_blocks("SHAPE"):
            for table in block.tables:
                points = self._numbers(table, block.name)
                if points is not None and points.size and points.shape[1] != 2:
                    text = f"[SHAPE] has rows of {points.shape[1]} numbers"
                    self._error(text, table.place, hint="radial and width are needed")

    def tyreside(self) -> Tyreside:
        attribute = self._model("TYRESIDE")
        if attribute is None:
            self._note("TYRESIDE is not given: the tyre is taken as measured for the left side")
            return Tyreside.UNKNOWN
        word = attribute.string().upper()
        if word not in Tyreside.__members__:
            allowed = ", ".join(f"'{side}'" for side in Tyreside)
            self._error(f"TYRESIDE = '{attribute.string()}' is not a side", attribute.place, f"allowed: {allowed}")
            return Tyreside.UNKNOWN
        if word == Tyreside.UNKNOWN:
            self._note("TYRESIDE is unknown: the tyre is taken as measured for the left side", attribute.place)
        return Tyreside(word)

    def check_use_mode(self) -> None:
        """Warn of a USE_MODE that asks for another tyre than the one that is modelled: combined slip, relaxed."""
        attribute = self._model("USE_MODE")
        if attribute is None:
            return
        try:
            number = int(attribute.number())
        except FileFormatError as error:
            self.problems += [replace(problem, severity=Severity.WARNING) for problem in error.problems]
            return
        dynamics, slip = divmod(abs(number) % 100, 10)
        asked = [words[digit] for words, digit in ((_SLIP_FORCES, slip), (_DYNAMICS, dynamics)) if digit in words]
        if number < 0:
            asked.append("the mirrored tyre")
        if asked:
            text = (
                f"USE_MODE = {attribute.raw} asks for {' and '.join(asked)}; combined slip with relaxation is modelled"
            )
            hint = "TYRESIDE and the side it is mounted on decide on mirroring"
            self._warn(text, attribute.place, hint if number < 0 else "")

    def note_unused(self, version: Version) -> None:
        """Name what the file has and the formula does not use."""
        used = {
            key.upper()
            for item in coefficients_of(version)
            if version in item.versions
            for key in (item.name, *item.aliases)
        }
        blocks = {item.block for item in coefficients_of(version)} | {
            "MDI_HEADER",
            "UNITS",
            "MODEL",
            *_CURVE_BLOCKS,
        }
        standard = blocks | {"INERTIA", "CONTACT_PATCH", "TURNSLIP_COEFFICIENTS", "TIRE_CONDITIONS"}
        foreign = [block.name for block in self.document.blocks if block.name.upper() not in standard]
        if foreign:
            self._note(f"blocks without meaning here: {', '.join(dict.fromkeys(foreign))}")
        unknown = [
            attributes[0][1].name
            for key, attributes in self.attributes.items()
            if key not in used | UNUSED_KEYS and attributes[0][0].name.upper() in standard
        ]
        if unknown:
            self._note(f"keys without meaning for {version}: {', '.join(unknown)}")


def write_tir(tyre: TyreProperties, path: Path | str, source: Sequence[str] = ()) -> None:
    """Write a tyre property file in SI units; an existing file is replaced whole or not at all.

    `source` says in its header where the numbers come from, a line each.
    """
    write_atomically(Path(path), compose_tir(tyre, source))


def compose_tir(tyre: TyreProperties, source: Sequence[str] = ()) -> str:
    """The text of a tyre property file in SI units, with lines of its header that say where it comes from.

    Holds: reading it back gives the same formula, coefficients and curves.
    """
    fittyp = {Version.MF52: 6, Version.MF61: 61, Version.MF62: 62}.get(tyre.version)
    form = "PAC89" if tyre.version is Version.PAC89 else "USER"
    model = [teimorbit.Attribute("PROPERTY_FILE_FORMAT", form)]
    if fittyp is not None:
        model.append(teimorbit.Attribute("FITTYP", fittyp, comment=str(tyre.version)))
    model.append(teimorbit.Attribute("TYRESIDE", str(tyre.tyreside)))
    header = (("FILE_TYPE", "tir"), ("FILE_VERSION", 3.0), ("FILE_FORMAT", "ASCII"))
    units = (
        ("LENGTH", "meter"),
        ("FORCE", "newton"),
        ("ANGLE", "radians"),
        ("MASS", "kg"),
        ("TIME", "second"),
    )
    blocks = {
        "MDI_HEADER": [teimorbit.Attribute(name, value) for name, value in header],
        "UNITS": [teimorbit.Attribute(name, value) for name, value in units],
        "MODEL": model,
    }
    for item in tyre.declarations:
        if tyre.version in item.versions:
            comment = item.meaning + (f" [{item.kind.unit}]" if item.kind.unit else "")
            value = tyre.coefficients[item.name]
            blocks.setdefault(item.block, []).append(teimorbit.Attribute(item.name, value, comment=comment))
    composed = [teimorbit.Block(name, tuple(attributes)) for name, attributes in blocks.items()]
    composed[0] = replace(composed[0], comments=tuple(teimorbit.Comment(line.strip()) for line in source))
    curves = {"DEFLECTION_LOAD_CURVE": tyre.deflection_load, "BOTTOMING_CURVE": tyre.bottoming}
    for name, curve in curves.items():
        if curve is not None:
            rows = tuple(
                teimorbit.Row((float(x), float(y))) for x, y in zip(curve.deflection, curve.force, strict=True)
            )
            composed.append(teimorbit.Block(name, tables=(teimorbit.Table(("pen", "fz"), rows),)))
    return teimorbit.compose(composed)
