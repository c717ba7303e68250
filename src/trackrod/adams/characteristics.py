"""Every property file that an assembly refers to, read once, by path."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from trackrod.adams.assembly import Assembly
from trackrod.adams.database import FileReference
from trackrod.adams.elements import GeneralParameter, GeneralSpline
from trackrod.adams.property_files import (
    read_bumpstop,
    read_bushing,
    read_damper,
    read_differential,
    read_engine_map,
    read_leaf,
    read_reboundstop,
    read_spring,
    read_steering_assist,
    read_torque_converter,
)
from trackrod.adams.subsystem import Subsystem
from trackrod.core.errors import InputError, Problem, Severity
from trackrod.tyre.properties import TyreProperties
from trackrod.tyre.tir import read_tir
from trackrod.vehicle.characteristics import (
    BushingCharacteristic,
    DamperCharacteristic,
    SpringCharacteristic,
    StopCharacteristic,
)
from trackrod.vehicle.driveline import (
    DifferentialCharacteristic,
    EngineMap,
    SteeringAssistCharacteristic,
    TorqueConverterCharacteristic,
)
from trackrod.vehicle.leaf import LeafSpring

__all__ = ["AnyCharacteristic", "Characteristics", "read_characteristics"]

AnyCharacteristic = (
    SpringCharacteristic
    | LeafSpring
    | DamperCharacteristic
    | StopCharacteristic
    | BushingCharacteristic
    | EngineMap
    | DifferentialCharacteristic
    | SteeringAssistCharacteristic
    | TorqueConverterCharacteristic
    | TyreProperties
)
_Reader = Callable[[Path], tuple[AnyCharacteristic, tuple[Problem, ...]]]


@dataclass(frozen=True, slots=True)
class Characteristics:
    """What the property files of an assembly say, by path; and what is wrong with them."""

    by_path: Mapping[Path, AnyCharacteristic] = field(repr=False)
    problems: tuple[Problem, ...] = ()
    paths: Mapping[FileReference, Path] = field(default_factory=dict, repr=False)

    @property
    def files_read(self) -> tuple[Path, ...]:
        """The files, in the order in which they were read."""
        return tuple(self.by_path)

    def of(self, reference: FileReference | None) -> AnyCharacteristic | None:
        """What the file of a reference says; None if there is no reference, no file, or it was not read."""
        path = self.paths.get(reference) if reference is not None else None
        return None if path is None else self.by_path.get(path)


def read_characteristics(assembly: Assembly) -> Characteristics:
    """Read every property file that was found; one that cannot be read is an error in `problems`, not an exception."""
    found: dict[Path, AnyCharacteristic] = {}
    tried: set[Path] = set()
    problems: list[Problem] = []
    for subsystem in assembly.subsystems:
        for reference, read in _references(subsystem, problems):
            path = assembly.path(reference)
            if path is None or path in tried:
                continue
            tried.add(path)
            try:
                found[path], notes = read(path)
                problems += notes
            except InputError as error:
                problems += error.problems
    return Characteristics(found, tuple(problems), assembly.paths)


def _references(subsystem: Subsystem, problems: list[Problem]) -> Iterator[tuple[FileReference, _Reader]]:
    """Property files of a subsystem with the reader of each: by the element, for splines by the suffix."""
    for spring in subsystem.springs:
        yield from _pair(spring.property_file, read_spring)
    for leaf in subsystem.leaves:
        yield from _pair(leaf.property_file, read_leaf)
    for damper in subsystem.dampers:
        yield from _pair(damper.property_file, read_damper)
    for stop in subsystem.stops:
        yield from _pair(stop.property_file, read_reboundstop if stop.rebound else read_bumpstop)
    for bushing in subsystem.bushings:
        yield from _pair(bushing.property_file, read_bushing)
    for wheel in subsystem.wheels:
        yield from _pair(wheel.property_file, _read_tyre)
    splines: tuple[GeneralSpline | GeneralParameter, ...] = (*subsystem.general_splines, *subsystem.general_parameters)
    for spline in splines:
        reference = spline.property_file
        if reference is None:
            continue
        reader = _BY_SUFFIX.get(Path(reference.file_name).suffix.casefold())
        if reader is None:
            text = f"'{spline.name}': files like {reference.file_name} are not read"
            problems.append(Problem(text, reference.place, Severity.NOTE))
        else:
            yield reference, reader


def _pair(reference: FileReference | None, read: _Reader) -> Iterator[tuple[FileReference, _Reader]]:
    if reference is not None:
        yield reference, read


def _read_tyre(path: Path) -> tuple[TyreProperties, tuple[Problem, ...]]:
    tyre = read_tir(path)
    return tyre, tyre.problems


_BY_SUFFIX: dict[str, _Reader] = {
    ".pwr": read_engine_map,
    ".dif": read_differential,
    ".ste": read_steering_assist,
    ".tcf": read_torque_converter,
}
