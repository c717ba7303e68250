"""Audit of an assembly: what only its files show, and the findings of the vehicle at the records they come from.

Property files that are missing are reported by `trackrod.adams.assembly.read_assembly`, records of one name given twice
by `trackrod.adams.subsystem.read_subsystem`. Load cases and driver controls are named by no subsystem; they are looked
for in the folders of the database.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

from trackrod.adams.database import Database, FileReference
from trackrod.adams.elements import Element, Symmetry
from trackrod.adams.mechanism import sided_names
from trackrod.adams.property_files import read_driver_control, read_load_case
from trackrod.adams.property_files.source import bounded_file
from trackrod.adams.subsystem import Subsystem, read_subsystem
from trackrod.adams.vehicle import VehicleReading
from trackrod.core import teimorbit
from trackrod.core.errors import InputError, Place, Problem, Severity
from trackrod.core.units import UNIT_WORDS, UnitSystem
from trackrod.vehicle.audit import Finding, findings
from trackrod.vehicle.experiments import DriverControl, LoadCase

__all__ = ["audit_database", "audit_with_places", "experiment_files"]

_EXPERIMENTS: Mapping[str, Callable[[Path], tuple[LoadCase | DriverControl, tuple[Problem, ...]]]] = {
    ".lcf": read_load_case,
    ".dcf": read_driver_control,
}


@dataclass(frozen=True, slots=True)
class _Files:
    """The files of a vehicle: its assembly, its subsystems, and what these name."""

    assembly: Path
    subsystems: tuple[Subsystem, ...]
    others: tuple[Path, ...]

    @classmethod
    def of(cls, path: Path | str, reading: VehicleReading) -> _Files:
        assembly = Path(path)
        alone = assembly.suffix.casefold() == ".sub"  # a suspension that stands for itself
        named = [file for file in dict.fromkeys(reading.files_read) if alone or file.resolve() != assembly.resolve()]
        is_subsystem = {file: file.suffix.casefold() == ".sub" for file in named}
        return cls(
            assembly,
            tuple(read_subsystem(file) for file in named if is_subsystem[file]),
            tuple(file for file in named if not is_subsystem[file]),
        )


def audit_database(path: Path | str, reading: VehicleReading) -> tuple[Problem, ...]:
    """What the files of a vehicle show beyond the vehicle.

    These are units that differ, records of one side, files of one side, and load cases and driver controls that cannot
    be read. The last are warnings, because the vehicle itself does not need them.

    Parameters
    ----------
    path
        The assembly.
    reading
        What was read from it.

    Raises
    ------
    InputError
        A subsystem has changed since and cannot be read.
    """
    files = _Files.of(path, reading)
    return (
        *_check_units(files),
        *_check_one_sided_records(files),
        *_check_property_files_of_sides(files),
        *_check_experiments(files),
    )


def experiment_files(path: Path | str) -> tuple[Path, ...]:
    """Load cases (.lcf) and driver controls (.dcf) of the database that an assembly belongs to, sorted by path.

    Limits: in a folder that is not a ``*.cdb`` only its ``*.tbl`` folders are searched, because it may be anything, a
    home directory too; links that lead out of the database are left out.
    """
    home = Database.around(path).home
    folders = [home] if home.suffix.casefold() == ".cdb" else home.glob("*.tbl")
    inside = home.resolve()
    return tuple(
        sorted(
            file
            for folder in folders
            for file in folder.rglob("*")
            if file.suffix.casefold() in _EXPERIMENTS and file.is_file() and file.resolve().is_relative_to(inside)
        )
    )


def audit_with_places(path: Path | str, reading: VehicleReading) -> tuple[Problem, ...]:
    """The audit of the vehicle (`trackrod.vehicle.audit.audit`) with each finding at the record of its element.

    What has no record stands at the file of its subsystem, what concerns the whole vehicle at the assembly. Parameters
    and errors are those of `audit_database`.
    """
    files = _Files.of(path, reading)
    return tuple(_placed(finding, files) for finding in findings(reading.vehicle))


def _check_units(files: _Files) -> Iterator[Problem]:
    """Files in other units than most subsystems: read correctly, but easily mistaken by hand.

    A subsystem in other units is a warning; the rest often comes from elsewhere and gets a note.
    """
    if not files.subsystems:
        return
    usual = Counter(_base(subsystem.units) for subsystem in files.subsystems).most_common(1)[0][0]
    for subsystem in files.subsystems:
        yield from _other_units(subsystem.file, subsystem.units, usual, Severity.WARNING)
    for file in (files.assembly, *files.others):
        try:
            units = teimorbit.read(bounded_file(file)).units()
        except InputError:  # a template, or XML; a property file without units was refused by its reader
            continue
        yield from _other_units(file, units, usual, Severity.NOTE)


_BASES = tuple(field.name for field in fields(UnitSystem) if field.name != "pressure")


def _base(units: UnitSystem) -> tuple[float, ...]:
    return tuple(getattr(units, base) for base in _BASES)


def _other_units(file: Path, units: UnitSystem, usual: Sequence[float], severity: Severity) -> Iterator[Problem]:
    differences = [
        f"{base} in {_word(base, factor)} instead of {_word(base, most)}"
        for base, factor, most in zip(_BASES, _base(units), usual, strict=True)
        if factor != most
    ]
    if differences:
        text = f"{', '.join(differences)}: not the units of most subsystems"
        hint = "each file is read in its own units; make sure that its numbers are"
        yield Problem(text, Place(file), severity, hint)


def _word(base: str, factor: float) -> str:
    words = [word for word, value in UNIT_WORDS[base].items() if value == factor]
    return max(words[:2], key=len)  # a letter or two come first, then the word


def _check_one_sided_records(files: _Files) -> Iterator[Problem]:
    """Records of one side without a counterpart on the other."""
    for subsystem in files.subsystems:
        for kind, records in _records(subsystem).items():
            sides = {(record.name.casefold(), record.symmetry) for record in records}
            for record in records:
                other = {Symmetry.LEFT: Symmetry.RIGHT, Symmetry.RIGHT: Symmetry.LEFT}.get(record.symmetry)
                if other is not None and (record.name.casefold(), other) not in sides:
                    text = f"the {kind} '{record.name}' is given for the {record.symmetry} side only"
                    hint = f"'{Symmetry.BOTH}' means both sides; or add a record of the {other} side"
                    yield Problem(text, record.place, Severity.WARNING, hint)


def _check_property_files_of_sides(files: _Files) -> Iterator[Problem]:
    """Left and right records of one name that name different property files."""
    for subsystem in files.subsystems:
        for kind, records in _records(subsystem).items():
            right = {r.name.casefold(): r for r in records if r.symmetry is Symmetry.RIGHT}
            for record in (r for r in records if r.symmetry is Symmetry.LEFT):
                other = right.get(record.name.casefold())
                one, two = _file_of(record), _file_of(other)
                if one is None or two is None or one.text.casefold() == two.text.casefold():
                    continue
                text = f"the {kind} '{record.name}' has '{one.file_name}' on the left side and '{two.file_name}' on "
                text += f"the right side, line {two.place.line}"
                yield Problem(text, one.place, Severity.WARNING, "is one side meant to be different?")


def _check_experiments(files: _Files) -> Iterator[Problem]:
    """Load cases and driver controls that cannot be read, and what their readers say of the others."""
    for file in experiment_files(files.assembly):
        try:
            _, problems = _EXPERIMENTS[file.suffix.casefold()](file)
        except InputError as error:
            yield from (replace(problem, severity=Severity.WARNING) for problem in error.problems)
        else:
            yield from problems


def _file_of(record: Element | None) -> FileReference | None:
    return getattr(record, "property_file", None)


def _records(subsystem: Subsystem) -> dict[str, Sequence[Element]]:
    """Records of a subsystem by what a vehicle calls them."""
    return {
        "hardpoint": subsystem.hardpoints,
        "body": subsystem.bodies,
        "bushing": subsystem.bushings,
        "spring": subsystem.springs,
        "damper": subsystem.dampers,
        "stop": subsystem.stops,
    }


def _placed(finding: Finding, files: _Files) -> Problem:
    """The finding at the place of its first element; the lines of the others stand behind the text."""
    places = {name: _place_of(finding.what, name, files) for name in finding.elements}
    if not places:
        return finding.problem(Place(files.assembly))
    first, *others = places.items()
    problem = finding.problem(first[1])
    seen = {first[1]}
    for name, place in others:
        if place.line is not None and place not in seen:
            file = "" if place.file == first[1].file or place.file is None else f" of {place.file.name}"
            problem = replace(problem, text=f"{problem.text}; '{name}' is on line {place.line}{file}")
            seen.add(place)
    return problem


def _place_of(what: str, name: str, files: _Files) -> Place:
    """Where the record of an element stands; the file of its subsystem, or the assembly, if there is none."""
    if what == "tyre":
        return _place_of_tyre(name, files)
    stem, _, local = name.partition(".")
    for subsystem in files.subsystems:
        if subsystem.name == stem:
            records = _records(subsystem).get(what, ())
            found = (record.place for record in records if local.casefold() in sided_names(record))
            return next(found, Place(subsystem.file))
    return Place(files.assembly)


def _place_of_tyre(name: str, files: _Files) -> Place:
    """Where a wheel names the tyre."""
    for subsystem in files.subsystems:
        for wheel in subsystem.wheels:
            reference = wheel.property_file
            if reference is not None and Path(reference.file_name).stem == name:
                return reference.place
    return Place(files.assembly)
