"""Adams/Car subsystems (.sub): what the file says, as typed records (`trackrod.adams.elements`).

Where things are attached is not in a subsystem but in its template.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple, TypeVar

from trackrod.adams.block_reader import (
    BlockReader,
    FileLog,
    base_units,
    check_unique,
    note_unknown_blocks,
    read_hardpoints,
    read_parameters,
)
from trackrod.adams.database import FileReference, read_document
from trackrod.adams.elements import (
    AdjustableForce,
    Bushing,
    Damper,
    Element,
    Gear,
    GeneralParameter,
    GeneralSpline,
    Hardpoint,
    Leaf,
    Parameter,
    Part,
    Spring,
    Stop,
    SwitchPart,
    Vector,
    Wheel,
)
from trackrod.core import teimorbit
from trackrod.core.errors import Place, Problem, Severity
from trackrod.core.teimorbit.messages import raise_shortened, shown
from trackrod.core.units import UnitSystem

__all__ = ["Subsystem", "Use", "read_subsystem"]

_Element = TypeVar("_Element", bound=Element)


#: What a spline is, by the suffix of its property file.
_SPLINES = {
    ".pwr": "engine map",
    ".dif": "differential",
    ".ste": "steering assistance",
    ".tcf": "torque converter",
}


class Use(NamedTuple):
    """What a property file is used for: a damper, a tyre …, by the name of its record and of its subsystem."""

    reference: FileReference
    what: str
    record: str
    subsystem: str

    def __str__(self) -> str:
        return f"the {self.what} '{self.record}' of '{self.subsystem}'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Subsystem:
    """What a subsystem file says.

    Attributes
    ----------
    name
        Stem of the file.
    file
        Where it was read from.
    template
        The template, which holds the topology.
    major_role, minor_role
        suspension, steering, wheel, body, powertrain, brake_system …; front, rear, any.
    units
        Units of the file; everything but parameters, adjusters and gears is in SI already.
    graphics
        Blocks that only draw (LINK_GEOMETRY …).
    unknown
        Blocks that are not understood here; a note names each kind.
    problems
        Warnings and notes.
    """

    name: str
    file: Path
    template: FileReference | None
    major_role: str
    minor_role: str
    units: UnitSystem
    hardpoints: tuple[Hardpoint, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    parts: tuple[Part, ...] = ()
    springs: tuple[Spring, ...] = ()
    leaves: tuple[Leaf, ...] = ()
    dampers: tuple[Damper, ...] = ()
    stops: tuple[Stop, ...] = ()
    bushings: tuple[Bushing, ...] = ()
    wheels: tuple[Wheel, ...] = ()
    adjustable_forces: tuple[AdjustableForce, ...] = ()
    gears: tuple[Gear, ...] = ()
    general_splines: tuple[GeneralSpline, ...] = ()
    general_parameters: tuple[GeneralParameter, ...] = ()
    switch_parts: tuple[SwitchPart, ...] = ()
    graphics: tuple[teimorbit.Block, ...] = field(default=(), repr=False)
    unknown: tuple[teimorbit.Block, ...] = field(default=(), repr=False)
    problems: tuple[Problem, ...] = field(default=(), repr=False)

    @property
    def bodies(self) -> tuple[Part | Wheel, ...]:
        """Parts, then wheels."""
        return (*self.parts, *self.wheels)

    @property
    def mass(self) -> float:
        """Mass of all parts and wheels, both sides [kg]."""
        return math.fsum(body.symmetry.objects * body.mass for body in self.bodies)

    @property
    def sprung_mass(self) -> float:
        """Sprung share of the mass of all parts and wheels, both sides [kg]."""
        return math.fsum(body.symmetry.objects * body.mass * body.sprung_fraction for body in self.bodies)

    def references(self) -> Iterator[FileReference]:
        """Every file that the subsystem names, the template first, then in the order of the records."""
        if self.template is not None:
            yield self.template
        yield from (use.reference for use in self.uses())

    def uses(self) -> Iterator[Use]:
        """Every property file that the subsystem names and what it is used for, in the order of the records."""
        records: tuple[
            tuple[str, Spring | Leaf | Damper | Stop | Bushing | Wheel | GeneralSpline | GeneralParameter], ...
        ]
        records = (
            *(("spring", spring) for spring in self.springs),
            *(("leaf spring", leaf) for leaf in self.leaves),
            *(("damper", damper) for damper in self.dampers),
            *(("rebound stop" if stop.rebound else "bump stop", stop) for stop in self.stops),
            *(("bushing", bushing) for bushing in self.bushings),
            *(("tyre", wheel) for wheel in self.wheels),
            *(("", spline) for spline in self.general_splines),
            *(("", parameter) for parameter in self.general_parameters),
        )
        for what, record in records:
            reference = record.property_file
            if reference is not None:
                by_suffix = _SPLINES.get(Path(reference.file_name).suffix.casefold(), "spline")
                yield Use(reference, what or by_suffix, record.name, self.name)


def read_subsystem(path: Path | str) -> Subsystem:
    """Read a subsystem.

    Raises
    ------
    MissingFileError
        There is no such file.
    FileFormatError
        It is not a subsystem, is larger than `trackrod.adams.database.LARGEST_FILE`, or something in it is wrong; all
        problems are named, the first fifty with their place.
    """
    path = Path(path)
    return _parse_subsystem(read_document(path, "sub"), path)


def _parse_subsystem(document: teimorbit.Document, path: Path) -> Subsystem:
    problems = list(document.problems)
    units = base_units(document, problems)
    log = FileLog(units, problems)
    known = {"MDI_HEADER", "SUBSYSTEM_HEADER", "PLUGINS", "UNITS", "HARDPOINT", "PARAMETER"}
    unread: list[teimorbit.Block] = []

    def elements(name: str, read: Callable[[BlockReader], _Element | None]) -> tuple[_Element, ...]:
        known.add(name)
        records = []
        for block in document.all_blocks(name):
            record = read(reader := BlockReader(block, log))
            if record is None:
                unread.append(block)
            else:
                reader.finish()
                records.append(record)
        check_unique(f"[{name}]", records, problems)
        return tuple(records)

    template, major_role, minor_role = _header(document, log)
    subsystem = Subsystem(
        name=path.stem.replace(".", "_"),  # a dot stands between a subsystem and its body
        file=path,
        template=template,
        major_role=major_role,
        minor_role=minor_role,
        units=units,
        hardpoints=read_hardpoints(document, units, problems),
        parameters=read_parameters(document, units, problems),
        parts=elements("PART_ASSEMBLY", _part),
        springs=elements("NSPRING_ASSEMBLY", _spring),
        leaves=elements("LEAFSPRING_ASSEMBLY", _leaf),
        dampers=elements("DAMPER_ASSEMBLY", _damper),
        stops=elements("BUMPSTOP_ASSEMBLY", _bumpstop) + elements("REBOUNDSTOP_ASSEMBLY", _reboundstop),
        bushings=elements("BUSHING_ASSEMBLY", _bushing),
        wheels=elements("WHEEL_ASSEMBLY", _wheel),
        adjustable_forces=elements("ADJUSTABLE_FORCE", _adjustable_force),
        gears=elements("GEAR_ASSEMBLY", _gear),
        general_splines=elements("GENERAL_SPLINE", _general_spline),
        general_parameters=elements("GENERAL_PARAMETER", _general_parameter),
        switch_parts=elements("SWITCH_PART", _switch_part),
    )
    others = [block for block in document.blocks if block.name.upper() not in known]
    graphics = tuple(block for block in others if block.name.upper().endswith("_GEOMETRY"))
    foreign = [block for block in others if not block.name.upper().endswith("_GEOMETRY")]
    note_unknown_blocks(foreign, problems)
    log.finish(path)
    raise_shortened(problems)
    return replace(subsystem, graphics=graphics, unknown=(*unread, *foreign), problems=tuple(problems))


def _header(document: teimorbit.Document, log: FileLog) -> tuple[FileReference | None, str, str]:
    """Template, major and minor role."""
    block = document.block("SUBSYSTEM_HEADER")
    if block is None:
        log.problems.append(Problem("there is no [SUBSYSTEM_HEADER] block", Place(document.file)))
        return None, "", ""

    def word(key: str, severity: Severity, otherwise: str) -> tuple[str, Place]:
        attribute = block.get(key)
        if attribute is None or attribute.value is None or not attribute.string():
            text = f"{key} is missing from [SUBSYSTEM_HEADER]"
            log.problems.append(Problem(text, block.place, severity, f"'{otherwise}' is taken" if otherwise else ""))
            return otherwise, block.place
        return attribute.string(), attribute.place

    template, place = word("TEMPLATE_NAME", Severity.WARNING, "")
    major, _ = word("MAJOR_ROLE", Severity.ERROR, "")
    minor, _ = word("MINOR_ROLE", Severity.WARNING, "any")
    return FileReference(template, place) if template else None, major.casefold(), minor.casefold()


def _part(reader: BlockReader) -> Part | None:
    mode = reader.text("MODE", "rigid")
    if mode.casefold() != "rigid":
        text = f"the part '{shown(reader.name)}' is '{shown(mode)}'; only rigid parts are read"
        reader.record(text, reader.block.place, Severity.WARNING)
        return None
    location, location_dependent = reader.location()
    return Part(
        name=reader.name,
        symmetry=reader.symmetry,
        place=reader.block.place,
        mass=reader.number("MASS", "mass"),
        sprung_fraction=reader.sprung_fraction(1.0),
        location=location,
        location_dependent=location_dependent,
        axes=reader.axes("PART_ORI"),
        centre_of_mass=reader.triple([f"CM_LOCATION_FROM_PART_{axis}" for axis in "XYZ"], "length"),
        inertia=reader.inertia(),
    )


def _spring(reader: BlockReader) -> Spring:
    value_type = reader.text("VALUE_TYPE").casefold()
    kind = {"installed_length": "length", "preload": "force"}.get(value_type)
    if kind is None and value_type:
        text = f"VALUE_TYPE = '{shown(value_type)}' of the spring '{shown(reader.name)}' is not known"
        hint = "'installed_length' and 'preload' are read"
        reader.record(text, reader.block.place, Severity.WARNING, hint)
        reader.find("USER_VALUE")
    return Spring(
        name=reader.name,
        symmetry=reader.symmetry,
        place=reader.block.place,
        definition=reader.text("DEFINITION", ""),
        property_file=reader.property_file(),
        value_type=value_type,
        value=None if kind is None else reader.number("USER_VALUE", kind),
    )


def _leaf(reader: BlockReader) -> Leaf:
    value_type = reader.text("VALUE_TYPE", "preload").casefold()
    if value_type != "preload":
        text = f"VALUE_TYPE = '{shown(value_type)}' of the leaf spring '{shown(reader.name)}' is not known"
        reader.record(text, reader.block.place, Severity.ERROR, "'preload' is read")
    return Leaf(
        name=reader.name,
        symmetry=reader.symmetry,
        place=reader.block.place,
        definition=reader.text("DEFINITION", ""),
        property_file=reader.property_file(),
        preload=reader.number("USER_VALUE", "force"),
    )


def _damper(reader: BlockReader) -> Damper:
    return Damper(
        name=reader.name,
        symmetry=reader.symmetry,
        place=reader.block.place,
        definition=reader.text("DEFINITION", ""),
        property_file=reader.property_file(),
    )


def _bumpstop(reader: BlockReader) -> Stop:
    return _stop(reader, rebound=False)


def _reboundstop(reader: BlockReader) -> Stop:
    return _stop(reader, rebound=True)


def _stop(reader: BlockReader, *, rebound: bool) -> Stop:
    distance_type = reader.text("DISTANCE_TYPE").casefold()
    if distance_type not in ("clearance", "impact_length", ""):
        text = f"DISTANCE_TYPE = '{shown(distance_type)}' of the stop '{shown(reader.name)}' is not known"
        hint = "'clearance' and 'impact_length' are read"
        reader.record(text, reader.block.place, Severity.WARNING, hint)
    return Stop(
        name=reader.name,
        symmetry=reader.symmetry,
        place=reader.block.place,
        definition=reader.text("DEFINITION", ""),
        property_file=reader.property_file(),
        rebound=rebound,
        distance_type=distance_type,
        distance=reader.number("USER_DISTANCE", "length"),
    )


def _bushing(reader: BlockReader) -> Bushing:
    def triple(pattern: str, kind: str, default: float) -> Vector:
        return reader.triple([pattern.format(axis) for axis in "XYZ"], kind, default)

    return Bushing(
        name=reader.name,
        symmetry=reader.symmetry,
        place=reader.block.place,
        definition=reader.text("DEFINITION", ""),
        property_file=reader.property_file(),
        axes=reader.axes("ORIENTATION"),
        force_preload=triple("T_PRELOAD_{}", "force", 0.0),
        torque_preload=triple("R_PRELOAD_{}", "torque", 0.0),
        displacement_offset=triple("T_OFFSET_{}", "length", 0.0),
        rotation_offset=triple("R_OFFSET_{}", "angle", 0.0),
        force_scale=triple("F{}_SCALING_FACTOR", "number", 1.0),
        torque_scale=triple("T{}_SCALING_FACTOR", "number", 1.0),
        force_damping_scale=triple("T{}_DAMPING_FORCE_SCALE", "number", 1.0),
        torque_damping_scale=triple("R{}_DAMPING_FORCE_SCALE", "number", 1.0),
    )


def _wheel(reader: BlockReader) -> Wheel:
    return Wheel(
        name=reader.name,
        symmetry=reader.symmetry,
        place=reader.block.place,
        mass=reader.number("MASS", "mass"),
        sprung_fraction=reader.sprung_fraction(0.0),
        inertia=reader.inertia(),
        cm_offset=reader.number("CM_OFFSET", "length", 0.0),
        centre_offset=reader.number("WHEEL_CENTER_OFFSET", "length", 0.0),
        definition=reader.text("DEFINITION", ""),
        property_file=reader.property_file(),
        contact_type=reader.text("CONTACT_TYPE", ""),
    )


def _adjustable_force(reader: BlockReader) -> AdjustableForce:
    return AdjustableForce(
        name=reader.name,
        symmetry=reader.symmetry,
        place=reader.block.place,
        definition=reader.text("DEFINITION", ""),
        desired_value=reader.number("DESIRED_VALUE"),
        stiffness=reader.number("STIFFNESS"),
        damping=reader.number("DAMPING"),
        locked=reader.flag("LOCK"),
    )


def _gear(reader: BlockReader) -> Gear:
    return Gear(
        name=reader.name,
        symmetry=reader.symmetry,
        place=reader.block.place,
        ratio=reader.number("REDUCTION_RATIO"),
        inverted=reader.flag("INVERT_INPUT"),
    )


def _general_spline(reader: BlockReader) -> GeneralSpline:
    return GeneralSpline(
        name=reader.name,
        symmetry=reader.symmetry,
        place=reader.block.place,
        type=reader.text("TYPE"),
        property_file=reader.property_file(),
        curve_name=reader.text("CURVE_NAME", ""),
    )


def _general_parameter(reader: BlockReader) -> GeneralParameter:
    return GeneralParameter(
        name=reader.name,
        symmetry=reader.symmetry,
        place=reader.block.place,
        property_file=reader.property_file(),
        data_block=reader.text("DATA_BLOCK"),
        attribute_name=reader.text("ATTRIBUTE_NAME"),
    )


def _switch_part(reader: BlockReader) -> SwitchPart:
    return SwitchPart(name=reader.name, symmetry=reader.symmetry, place=reader.block.place, index=reader.whole("INDEX"))
