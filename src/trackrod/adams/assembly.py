"""Adams/Car assemblies (.asy): their subsystems, their test rig, and every file that is named on the way."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from trackrod.adams.block_reader import base_units, note_unknown_blocks, read_hardpoints, read_parameters
from trackrod.adams.database import Database, FileReference, read_document
from trackrod.adams.elements import Hardpoint, Parameter
from trackrod.adams.subsystem import Subsystem, read_subsystem
from trackrod.core import teimorbit
from trackrod.core.corners import Axle
from trackrod.core.errors import InputError, Place, Problem, Severity
from trackrod.core.teimorbit.messages import raise_shortened, readable
from trackrod.core.units import UnitSystem

__all__ = ["Assembly", "read_assembly", "read_subsystem_alone"]

_KNOWN_BLOCKS = {
    "MDI_HEADER",
    "ASSEMBLY_HEADER",
    "PLUGINS",
    "UNITS",
    "SUBSYSTEM",
    "TESTRIG",
    "HARDPOINT",
    "PARAMETER",
    "SOLVER_SETTINGS",  # of the Adams solver, which is not used here
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembly:
    """What an assembly and its subsystems say.

    Attributes
    ----------
    name
        Stem of the file.
    file
        Where it was read from.
    assembly_class
        full_vehicle, suspension …; empty if the file does not say.
    units
        Units of the assembly file; every subsystem has its own.
    subsystems
        In the order of the file; a file that is named twice stands here twice.
    testrig
        Name of the test rig; None if there is none.
    testrig_hardpoints, testrig_parameters
        Those of the assembly file itself, which belong to the rig: positions in SI, parameters as written.
    database
        Where references were looked up.
    paths
        File by reference, of every reference that leads to one: subsystems, templates, property files.
    files_read
        The assembly and its subsystems, in the order they were read.
    unknown
        Blocks of the assembly file that are not understood here; a note names each kind.
    problems
        Warnings and notes of all files. A property file that is not found is a warning, a template a note.
    axles
        What the assembly is to have: both, or one if it is half a vehicle (`trackrod.adams.half_vehicle`).
    """

    name: str
    file: Path
    assembly_class: str
    units: UnitSystem
    subsystems: tuple[Subsystem, ...]
    testrig: str | None
    testrig_hardpoints: tuple[Hardpoint, ...]
    testrig_parameters: tuple[Parameter, ...]
    database: Database
    paths: Mapping[FileReference, Path] = field(repr=False)
    files_read: tuple[Path, ...]
    unknown: tuple[teimorbit.Block, ...] = field(default=(), repr=False)
    problems: tuple[Problem, ...] = field(default=(), repr=False)
    axles: tuple[Axle, ...] = tuple(Axle)

    @property
    def mass(self) -> float:
        """Mass of all parts and wheels of all subsystems [kg]."""
        return math.fsum(subsystem.mass for subsystem in self.subsystems)

    def path(self, reference: FileReference) -> Path | None:
        """The file that a reference in one of the subsystems means; None if it was not found."""
        return self.paths.get(reference)

    def with_role(self, major_role: str, minor_role: str | None = None) -> tuple[Subsystem, ...]:
        """Subsystems of a major role, and of a minor role if one is given."""
        return tuple(
            subsystem
            for subsystem in self.subsystems
            if subsystem.major_role == major_role and minor_role in (None, subsystem.minor_role)
        )


def read_assembly(
    path: Path | str, aliases: Mapping[str, Path | str] | None = None, *, allow_outside: bool = False
) -> Assembly:
    """Read an assembly and its subsystems, and look up all files that these name.

    Parameters
    ----------
    path
        The .asy file.
    aliases, allow_outside
        As for `Database.around`.

    Raises
    ------
    MissingFileError
        There is no such file, or a folder in `aliases` does not exist.
    InputError
        The assembly or one of its subsystems cannot be read, or a subsystem is not found. All errors of all files are
        named.
    """
    path = Path(path)
    document = read_document(path, "asy")
    walk = _Walk(Database.around(path, aliases, allow_outside=allow_outside), path, list(document.problems))
    units = base_units(document, walk.problems)
    hardpoints = read_hardpoints(document, units, walk.problems)
    parameters = read_parameters(document, units, walk.problems)
    subsystems = walk.subsystems(document)
    testrig = walk.testrig(document)
    unknown = tuple(block for block in document.blocks if block.name.upper() not in _KNOWN_BLOCKS)
    note_unknown_blocks(unknown, walk.problems)
    raise_shortened(walk.problems, InputError)
    entry = document.get("ASSEMBLY_HEADER", "ASSEMBLY_CLASS")
    return Assembly(
        name=path.stem,
        file=path,
        assembly_class="" if entry is None or entry.value is None else entry.string().casefold(),
        units=units,
        subsystems=subsystems,
        testrig=testrig,
        testrig_hardpoints=hardpoints,
        testrig_parameters=parameters,
        database=walk.database,
        paths=MappingProxyType(walk.paths),
        files_read=tuple(walk.files_read),
        unknown=unknown,
        problems=tuple(map(readable, walk.problems)),
    )


def read_subsystem_alone(
    path: Path | str, aliases: Mapping[str, Path | str] | None = None, *, allow_outside: bool = False
) -> Assembly:
    """A suspension subsystem (.sub) as an assembly of its own; parameters and errors are those of `read_assembly`.

    Raises
    ------
    InputError
        The subsystem is no suspension: it cannot stand for itself.
    """
    path = Path(path)
    walk = _Walk(Database.around(path, aliases, allow_outside=allow_outside), path, [])
    walk.files_read.clear()
    subsystem = walk.read(path)
    raise_shortened(walk.problems, InputError)
    if subsystem is None or subsystem.major_role != "suspension":
        role = "" if subsystem is None else subsystem.major_role
        text = f"'{path.name}' is a subsystem of the role '{role}'; only a suspension can stand for itself"
        raise InputError(Problem(text, Place(path), hint="give the assembly (.asy) that it is part of"))
    return Assembly(
        name=path.stem,
        file=path,
        assembly_class="suspension",
        units=subsystem.units,
        subsystems=(subsystem,),
        testrig=None,
        testrig_hardpoints=(),
        testrig_parameters=(),
        database=walk.database,
        paths=MappingProxyType(walk.paths),
        files_read=tuple(walk.files_read),
        problems=tuple(map(readable, walk.problems)),
    )


class _Walk:
    """The way from the assembly through its subsystems: what was read, found and noticed."""

    def __init__(self, database: Database, file: Path, problems: list[Problem]) -> None:
        self.database = database
        self.file = file
        self.problems = problems
        self.files_read = [file]
        self.paths: dict[FileReference, Path] = {}
        self._known: dict[Path, Subsystem | None] = {}

    def subsystems(self, document: teimorbit.Document) -> tuple[Subsystem, ...]:
        blocks = document.all_blocks("SUBSYSTEM")
        if not blocks:
            self.problems.append(Problem("the assembly has no [SUBSYSTEM]", Place(self.file)))
        found = (self._subsystem(block) for block in blocks)
        return tuple(subsystem for subsystem in found if subsystem is not None)

    def _subsystem(self, block: teimorbit.Block) -> Subsystem | None:
        """The subsystem that a block names; an error is recorded if it cannot be read."""
        usage = block.get("USAGE")
        if usage is None or usage.value is None:
            self.problems.append(Problem("USAGE is missing from [SUBSYSTEM]", block.place))
            return None
        reference = FileReference(usage.string(), usage.place)
        path = self._resolve(reference, Severity.ERROR)
        if path is None:
            return None
        real = path.resolve()
        if real in self._known:
            text = f"the subsystem '{path.name}' is named more than once"
            self.problems.append(Problem(text, reference.place, Severity.WARNING))
            return self._known[real]
        self._known[real] = subsystem = self.read(path)
        return subsystem

    def read(self, path: Path) -> Subsystem | None:
        """A subsystem and what it names; an error is recorded if it cannot be read."""
        self.files_read.append(path)
        try:
            subsystem = read_subsystem(path)
        except InputError as error:
            self.problems += error.problems
            return None
        self.problems += subsystem.problems
        for named in subsystem.references():
            # A template that is not there is answered by a built-in one.
            self._resolve(named, Severity.NOTE if named is subsystem.template else Severity.WARNING)
        return subsystem

    def _resolve(self, reference: FileReference, severity: Severity) -> Path | None:
        """The file of a reference; a dangling one is recorded with this severity."""
        path, problem = self.database.resolve(reference)
        if problem is not None:
            if path is None:
                problem = Problem(problem.text, problem.place, severity, problem.hint)
            self.problems.append(problem)
        if path is not None:
            self.paths[reference] = path
        return path

    def testrig(self, document: teimorbit.Document) -> str | None:
        blocks = document.all_blocks("TESTRIG")
        for block in blocks[1:]:
            text = "the assembly has a test rig already, this one is left out"
            self.problems.append(Problem(text, block.place, Severity.WARNING))
        usage = blocks[0].get("USAGE") if blocks else None
        return None if usage is None or usage.value is None else usage.string()
