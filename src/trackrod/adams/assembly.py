"""Adams/Car assemblies (.asy): their subsystems, their test rig, and every file that is named on the way."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from trackrod.adams.block_reader import base_units, note_unknown_blocks, read_hardpoints, read_parameters
from trackrod.adams.database import Database, FileReference, Found, read_document
from trackrod.adams.elements import Hardpoint, Parameter
from trackrod.adams.stand_ins import STAND_INS
from trackrod.adams.subsystem import Subsystem, Use, read_subsystem
from trackrod.core import teimorbit
from trackrod.core.corners import Axle
from trackrod.core.errors import InputError, MissingFileError, Place, Problem, Severity, UnknownNameError
from trackrod.core.teimorbit.messages import raise_shortened, readable, shown
from trackrod.core.units import UnitSystem

__all__ = ["Assembly", "missing_files", "read_assembly", "read_subsystem_alone"]

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
    missing
        Property files that are used and not found, as errors that say what each is used for.
    stand_ins
        What stands in for property files that are not found, by reference.
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
    missing: tuple[Problem, ...] = ()
    stand_ins: Mapping[FileReference, Path] = field(default_factory=dict, repr=False)
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

    def with_parameters(self, values: Mapping[str, float]) -> Assembly:
        """The assembly with other values of parameters, switches above all, in the units of their files.

        Parameters
        ----------
        values
            By the names of subsystem and parameter, such as ``rear_suspension.subframe_active``; by the name of the
            parameter alone in every subsystem that has it.

        Raises
        ------
        UnknownNameError
            A subsystem has no such parameter that is a number.
        """
        numbers = [
            (subsystem.name, parameter.name)
            for subsystem in self.subsystems
            for parameter in subsystem.parameters
            if len(parameter.values) == 1 and not isinstance(parameter.values[0], str)
        ]
        known = {name.casefold(): name for pair in numbers for name in (pair[1], ".".join(pair))}
        for name in values:
            if name.casefold() not in known:
                raise UnknownNameError("parameter", name, known.values(), Place(self.file))
        given = {name.casefold(): value for name, value in values.items()}

        def changed(subsystem: Subsystem, parameter: Parameter) -> Parameter:
            alone = given.get(parameter.name.casefold())
            value = given.get(f"{subsystem.name}.{parameter.name}".casefold(), alone)
            return parameter if value is None else replace(parameter, values=(value,))

        return replace(
            self,
            subsystems=tuple(
                replace(subsystem, parameters=tuple(changed(subsystem, each) for each in subsystem.parameters))
                for subsystem in self.subsystems
            ),
        )


def read_assembly(
    path: Path | str,
    aliases: Mapping[str, Path | str] | None = None,
    *,
    allow_outside: bool = False,
    stand_in: bool = False,
) -> Assembly:
    """Read an assembly and its subsystems, and look up all files that these name.

    Parameters
    ----------
    path
        The .asy file.
    aliases, allow_outside
        As for `Database.around`.
    stand_in
        Whether neutral property files stand in for those that are not found; a warning names each.

    Raises
    ------
    MissingFileError
        There is no such file, or a folder in `aliases` does not exist, or subsystems are not found; whatever else is
        not found is named too.
    InputError
        The assembly or one of its subsystems cannot be read. All errors of all files are named.
    """
    path = Path(path)
    document = read_document(path, "asy")
    database = Database.around(path, aliases, allow_outside=allow_outside)
    walk = _Walk(database, path, list(document.problems), stand_in=stand_in)
    units = base_units(document, walk.problems)
    hardpoints = read_hardpoints(document, units, walk.problems)
    parameters = read_parameters(document, units, walk.problems)
    subsystems = walk.subsystems(document)
    testrig = walk.testrig(document)
    unknown = tuple(block for block in document.blocks if block.name.upper() not in _KNOWN_BLOCKS)
    note_unknown_blocks(unknown, walk.problems)
    missing = walk.missing_files()
    if walk.lost_subsystems:
        raise_shortened([*missing_files(path, missing), *walk.problems], MissingFileError)
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
        missing=missing,
        stand_ins=MappingProxyType(walk.stand_ins),
        unknown=unknown,
        problems=tuple(map(readable, walk.problems)),
    )


def missing_files(assembly: Path, missing: Sequence[Problem]) -> tuple[Problem, ...]:
    """One message of all that is not found: how much it is and what to do, then every file with what it is used for."""
    count = "1 file is" if len(missing) == 1 else f"{len(missing)} files are"
    hint = "--alias NAME=FOLDER gives a database; --stand-in uses neutral files for all but subsystems and leaf springs"
    return (Problem(f"{count} not found that the assembly needs", Place(assembly), hint=hint), *missing)


def read_subsystem_alone(
    path: Path | str,
    aliases: Mapping[str, Path | str] | None = None,
    *,
    allow_outside: bool = False,
    stand_in: bool = False,
) -> Assembly:
    """A suspension subsystem (.sub) as an assembly of its own; parameters and errors are those of `read_assembly`.

    Raises
    ------
    InputError
        The subsystem is no suspension: it cannot stand for itself.
    """
    path = Path(path)
    walk = _Walk(Database.around(path, aliases, allow_outside=allow_outside), path, [], stand_in=stand_in)
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
        missing=walk.missing_files(),
        stand_ins=MappingProxyType(walk.stand_ins),
        problems=tuple(map(readable, walk.problems)),
    )


class _Walk:
    """The way from the assembly through its subsystems: what was read, found and noticed."""

    def __init__(self, database: Database, file: Path, problems: list[Problem], *, stand_in: bool) -> None:
        self.database = database
        self.file = file
        self.problems = problems
        self.files_read = [file]
        self.paths: dict[FileReference, Path] = {}
        self.stand_ins: dict[FileReference, Path] = {}
        self.lost_subsystems: list[Problem] = []
        self._stand_in = stand_in
        self._lost: dict[str, tuple[Problem, list[Use]]] = {}
        self._known: dict[Path, Subsystem | None] = {}

    def missing_files(self) -> tuple[Problem, ...]:
        """Every file that is not found, once, with what it is used for; those that something stands in for left out."""
        files = [
            replace(problem, text=f"{problem.text}; it is for {' and '.join(map(str, uses))}", severity=Severity.ERROR)
            for problem, uses in self._lost.values()
        ]
        return (*self.lost_subsystems, *files)

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
        path, problem = self._resolve(reference)
        if path is None and problem is not None:
            text = f"{problem.text}; it is {_role(block)}"
            self.lost_subsystems.append(replace(problem, text=text, severity=Severity.ERROR))
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
        if subsystem.template is not None:
            found = self._resolve(subsystem.template)
            if found.path is None and found.problem is not None:  # a built-in template answers it
                self.problems.append(replace(found.problem, severity=Severity.NOTE))
        for use in subsystem.uses():
            found = self._resolve(use.reference)
            if found.path is None and found.problem is not None:
                self._miss(use, found.problem)
        return subsystem

    def _miss(self, use: Use, problem: Problem) -> None:
        """A property file that is not found: something stands in for it, it is missing, or nothing needs it."""
        file = STAND_INS.get(use.what)
        if self._stand_in and file is not None:
            self.paths[use.reference] = self.stand_ins[use.reference] = file
            text = f"stand-in: '{shown(use.reference.text, 160)}' is not found, {use} takes '{file.name}'"
            self.problems.append(Problem(text, problem.place, Severity.WARNING))
            return
        self.problems.append(problem)
        if file is not None or use.what == "leaf spring":
            self._lost.setdefault(use.reference.text.casefold(), (problem, []))[1].append(use)

    def _resolve(self, reference: FileReference) -> Found:
        """The file of a reference, which is kept, and its problem, which is recorded where there is a file."""
        found = self.database.resolve(reference)
        if found.path is not None:
            self.paths[reference] = found.path
            self.problems += [found.problem] if found.problem is not None else []
        return found

    def testrig(self, document: teimorbit.Document) -> str | None:
        blocks = document.all_blocks("TESTRIG")
        for block in blocks[1:]:
            text = "the assembly has a test rig already, this one is left out"
            self.problems.append(Problem(text, block.place, Severity.WARNING))
        usage = blocks[0].get("USAGE") if blocks else None
        return None if usage is None or usage.value is None else usage.string()


def _role(block: teimorbit.Block) -> str:
    """What the comments of a block, which Adams writes, say of its subsystem."""
    said: dict[str, str] = {}
    for comment in block.comments:
        key, _, value = comment.text.casefold().partition(":")
        said[key.strip()] = value.strip()
    words = " ".join(said[key] for key in ("minor role", "major role") if said.get(key, "any") != "any")
    return f"the subsystem of the {shown(words.replace('_', ' '))}" if words else "a subsystem"
