"""Templates: which bodies and connectors a subsystem has, and which names of hardpoints and elements it expects.

A template is one TOML file, so that a suspension is added without touching Python. Names without side stand for both:
an entry whose bodies come in pairs exists left and right. Points are hardpoints, or the middle of several
(``at = ["lca_front", "lca_rear"]``); directions lead from one point to another, or are an axis of V (``"x"``, ``"y"``,
``"z"``), or the axis that the wheel turns about (``"spin"``).

The format is described in docs/templates.md.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TypeAlias

from trackrod.core.corners import Side
from trackrod.core.quantities import Kind
from trackrod.vehicle.elements import JointType, Mode, Role

__all__ = [
    "AXES",
    "AirSpringEntry",
    "BeamEntry",
    "BushingEntry",
    "Condition",
    "Conditions",
    "Entry",
    "FrictionEntry",
    "GearEntry",
    "JointEntry",
    "LeafEntry",
    "LineEntry",
    "LineType",
    "LinkEntry",
    "Match",
    "Names",
    "Point",
    "Template",
    "TorsionSpringEntry",
    "TravelForceEntry",
    "UnusedParameter",
    "ValueEntry",
    "WheelEntry",
    "find_template",
    "role_in",
]

#: Directions that need no points.
AXES = ("x", "y", "z", "spin")

#: A point of a template: a hardpoint, or the middle of several.
Point: TypeAlias = tuple[str, ...]

_SUFFIXES = tuple(f"_{side}" for side in Side)
_ROLES = {"suspension": Role.LINK, "antirollbar": Role.LINK, "steering": Role.STEERING, "wheel": Role.WHEEL}


def role_in(subsystem_role: str) -> Role:
    """What a body is in a subsystem of this role, where nothing else is said of it."""
    return _ROLES.get(subsystem_role, Role.BODY)


class LineType(StrEnum):
    """Elements that act along the line between two points."""

    SPRING = "spring"
    DAMPER = "damper"
    BUMP_STOP = "bump_stop"
    REBOUND_STOP = "rebound_stop"


@dataclass(frozen=True, slots=True)
class Names:
    """Names that come in pairs (left and right), once, or in pairs that need not be there."""

    pairs: tuple[str, ...] = ()
    single: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()

    @property
    def required(self) -> frozenset[str]:
        """Names that a subsystem must have."""
        return frozenset(self.pairs) | frozenset(self.single)

    def knows(self, name: str) -> bool:
        """Whether the name is one of these, with or without a side."""
        bare = name
        for suffix in _SUFFIXES:
            bare = bare.removesuffix(suffix)
        return name in (*self.pairs, *self.single, *self.optional) or bare in (*self.pairs, *self.optional)


@dataclass(frozen=True, slots=True)
class Condition:
    """An entry is there if a switch of the subsystem has this value.

    The switch is a parameter, or, with `of_bushing`, whether the subsystem has a bushing of this name; a missing one
    counts as zero.
    """

    switch: str
    value: int
    of_bushing: bool = False

    def holds(self, parameters: Mapping[str, float], bushings: Container[str]) -> bool:
        """Whether it is fulfilled by these parameters and names of bushings, the latter in small letters."""
        state = self.switch.casefold() in bushings if self.of_bushing else int(parameters.get(self.switch, 0))
        return state == self.value


#: All of them must hold.
Conditions: TypeAlias = tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class JointEntry:
    """An ideal joint; see `trackrod.vehicle.elements.Joint`.

    With `shafts` the two axes of a universal joint are those of the shafts that it joins, not those of its cross. Where
    the subsystem has a bushing called `bushing`, that one takes the place of the joint in compliant mode.
    """

    name: str
    type: JointType
    bodies: tuple[str, str]
    at: tuple[str, ...]
    axis: tuple[str, ...] = ("z",)
    second_axis: tuple[str, ...] = ("x",)
    shafts: bool = False
    bushing: str = ""
    mode: Mode = Mode.ALWAYS
    when: Conditions = ()


@dataclass(frozen=True, slots=True)
class LinkEntry:
    """A rod, and a body of its own: a ball joint at each end, or the bushing that the subsystem names like the end."""

    name: str
    bodies: tuple[str, str]
    ends: tuple[str, str]
    when: Conditions = ()

    @property
    def joints(self) -> tuple[JointEntry, JointEntry]:
        """Its joints; that at the first end keeps the rod from spinning about itself."""
        first, second = self.ends
        return (
            JointEntry(
                first,
                JointType.CONVEL,
                (self.name, self.bodies[0]),
                (first,),
                self.ends,
                self.ends,
                bushing=first,
                when=self.when,
            ),
            JointEntry(
                second, JointType.SPHERICAL, (self.name, self.bodies[1]), (second,), bushing=second, when=self.when
            ),
        )


@dataclass(frozen=True, slots=True)
class BushingEntry:
    """A bushing; its characteristic is that of the subsystem's element of the same name."""

    name: str
    bodies: tuple[str, str]
    at: tuple[str, ...]
    mode: Mode = Mode.COMPLIANT
    when: Conditions = ()


@dataclass(frozen=True, slots=True)
class LineEntry:
    """A spring, damper or stop between two points, the first on the first body."""

    name: str
    type: LineType
    bodies: tuple[str, str]
    ends: tuple[str, str]
    mode: Mode = Mode.ALWAYS
    when: Conditions = ()


@dataclass(frozen=True, slots=True)
class FrictionEntry:
    """Dry friction between two points, the first on the first body; its force is a value of the template."""

    name: str
    bodies: tuple[str, str]
    ends: tuple[str, str]
    force: str
    mode: Mode = Mode.ALWAYS
    when: Conditions = ()

    @property
    def values(self) -> tuple[str, ...]:
        """Names of the values that it takes."""
        return (self.force,)


@dataclass(frozen=True, slots=True)
class TravelForceEntry:
    """A force on the first body over the travel of its point against the second, see `connectors.TravelForce`.

    Its curve is that of the subsystem's spring of the same name. Along y it is positive outward on both sides.
    """

    name: str
    bodies: tuple[str, str]
    at: tuple[str, ...]
    direction: tuple[str, ...]
    travel: tuple[str, ...] = ("z",)
    mode: Mode = Mode.ALWAYS
    when: Conditions = ()


@dataclass(frozen=True, slots=True)
class TorsionSpringEntry:
    """A spring about an axis; rate, preload and damping are values of the template, see `ValueEntry`."""

    name: str
    bodies: tuple[str, str]
    at: tuple[str, ...]
    axis: tuple[str, ...]
    rate: str
    preload: str = ""
    damping: str = ""
    mode: Mode = Mode.ALWAYS
    when: Conditions = ()

    @property
    def values(self) -> tuple[str, ...]:
        """Names of the values that it takes."""
        return tuple(name for name in (self.rate, self.preload, self.damping) if name)


@dataclass(frozen=True, slots=True)
class LeafEntry:
    """A leaf spring as a chain of beams; its section is that of the subsystem's element of the same name.

    Attributes
    ----------
    bodies
        The bodies that the chain leads through, from one end to the other. Those that the subsystem has no part for
        get their mass from the leaf.
    at
        Point of the chain at each body.
    supports
        The two bodies of the chain that are held by the frame.
    loaded
        The bodies of the chain that the preload pushes up.
    shackle
        Two points that give the direction of the force at the second support; vertical if empty.
    """

    name: str
    bodies: tuple[str, ...]
    at: tuple[Point, ...]
    supports: tuple[str, str]
    loaded: tuple[str, ...]
    shackle: tuple[str, ...] = ()
    mode: Mode = Mode.ALWAYS
    when: Conditions = ()


@dataclass(frozen=True, slots=True)
class BeamEntry:
    """A bar that bends and twists between two points, the first on the first body.

    Its section is a round tube (diameter outside, thickness of the wall) or given by its area, torsion constant and
    second moments for bending upward (`second_moment_y`) and sideways (`second_moment_z`). These, moduli and damping
    are values of the template, see `ValueEntry`.
    """

    name: str
    bodies: tuple[str, str]
    ends: tuple[str, str]
    elastic_modulus: str
    shear_modulus: str
    diameter: str = ""
    wall: str = ""
    area: str = ""
    torsion_constant: str = ""
    second_moment_y: str = ""
    second_moment_z: str = ""
    damping: str = ""
    mode: Mode = Mode.COMPLIANT
    when: Conditions = ()

    @property
    def tube(self) -> tuple[str, ...]:
        """Values of a section that is a tube."""
        return (self.diameter, self.wall)

    @property
    def section(self) -> tuple[str, ...]:
        """Values of any other section."""
        return (self.area, self.torsion_constant, self.second_moment_y, self.second_moment_z)

    @property
    def values(self) -> tuple[str, ...]:
        """Names of the values that it takes."""
        named = (*self.tube, *self.section, self.elastic_modulus, self.shear_modulus, self.damping)
        return tuple(name for name in named if name)


@dataclass(frozen=True, slots=True)
class AirSpringEntry:
    """An air spring between two points, the first on the first body.

    Pressure above that of the air around it and volume at the design position, effective area and polytropic exponent
    are values of the template, see `ValueEntry`.
    """

    name: str
    bodies: tuple[str, str]
    ends: tuple[str, str]
    pressure: str
    area: str
    volume: str
    exponent: str
    mode: Mode = Mode.ALWAYS
    when: Conditions = ()

    @property
    def values(self) -> tuple[str, ...]:
        """Names of the values that it takes."""
        return (self.pressure, self.area, self.volume, self.exponent)


@dataclass(frozen=True, slots=True)
class GearEntry:
    """A gear between two joints of the template; the ratio is that of the subsystem's element of the same name."""

    name: str
    joints: tuple[str, str]


#: An entry that joins bodies.
Entry: TypeAlias = (
    JointEntry
    | BushingEntry
    | LineEntry
    | AirSpringEntry
    | FrictionEntry
    | TorsionSpringEntry
    | TravelForceEntry
    | LeafEntry
    | BeamEntry
)


@dataclass(frozen=True, slots=True)
class WheelEntry:
    """Which body carries the wheel, the hardpoint of its centre, and what takes the torques.

    `brake_reaction` is the body that carries the brake, `drive_reaction` the one that carries the differential.
    """

    body: str
    centre: str
    brake_reaction: str = "upright"
    drive_reaction: str = "body"


@dataclass(frozen=True, slots=True)
class ValueEntry:
    """A number that the model needs and the parameter of the subsystem that holds it.

    Attributes
    ----------
    name
        Name of the number in Trackrod.
    parameter
        Name of the parameter in the subsystem, without side. A ``#`` in it counts: ``gear_ratio_#`` is gear_ratio_1,
        gear_ratio_2 …, as many as there are; the values have the same number at the end of their names.
    kind
        What it is, so that its unit is known.
    default
        Value where the subsystem does not have the parameter [SI]; None if it must be there.
    factor
        SI value of a one in the file, for numbers that are not in the units of the file; None for those that are.
    """

    name: str
    parameter: str
    kind: Kind
    default: float | None = None
    factor: float | None = None


@dataclass(frozen=True, slots=True)
class UnusedParameter:
    """A parameter of the subsystem that the template does not use, and what to say where it is not zero."""

    parameter: str
    says: str
    when: Conditions = ()


@dataclass(frozen=True, slots=True)
class Template:
    """One kind of subsystem.

    Attributes
    ----------
    name
        Name of the file without its suffix.
    role
        Suspension, steering, wheel, body, powertrain, brake_system or antirollbar.
    adams_names
        Names of Adams templates that it answers, without folder and suffix.
    parts
        For a body that the property file has in several parts, or under another name, their names.
    roles
        What bodies are, where that follows neither from the subsystem's role nor from the wheel's joint.
    mounts
        Bodies of other subsystems that it is attached to, and what they are.
    offers
        Bodies that other subsystems may attach to: the name of the mount there, and the body here.
    values
        Numbers that the model takes from parameters of the subsystem.
    dependent
        For a suspension, whether the travel of one wheel moves the other.
    freedoms
        For a suspension, what its mechanism leaves free with ideal joints and rigid beams.
    freedoms_if
        A condition under which it leaves another number free.
    """

    name: str
    title: str
    role: str
    adams_names: tuple[str, ...]
    hardpoints: Names
    bodies: Names
    parts: Mapping[str, tuple[str, ...]]
    roles: Mapping[str, Role]
    mounts: Mapping[str, str]
    joints: tuple[JointEntry, ...]
    bushings: tuple[BushingEntry, ...]
    lines: tuple[LineEntry, ...]
    air_springs: tuple[AirSpringEntry, ...]
    frictions: tuple[FrictionEntry, ...]
    torsion_springs: tuple[TorsionSpringEntry, ...]
    travel_forces: tuple[TravelForceEntry, ...]
    leaves: tuple[LeafEntry, ...]
    beams: tuple[BeamEntry, ...]
    gears: tuple[GearEntry, ...]
    unused_parameters: tuple[UnusedParameter, ...]
    wheel: WheelEntry | None
    offers: Mapping[str, str]
    values: Mapping[str, ValueEntry]
    dependent: bool
    freedoms: int
    freedoms_if: tuple[Condition, int] | None
    file: Path

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Everything that joins bodies."""
        return (
            *self.joints,
            *self.bushings,
            *self.lines,
            *self.air_springs,
            *self.frictions,
            *self.torsion_springs,
            *self.travel_forces,
            *self.leaves,
            *self.beams,
        )

    def freedoms_with(self, parameters: Mapping[str, float], bushings: Container[str] = ()) -> int:
        """Freedoms of a subsystem with these parameters and names of bushings."""
        if self.freedoms_if is not None and self.freedoms_if[0].holds(parameters, bushings):
            return self.freedoms_if[1]
        return self.freedoms


@dataclass(frozen=True, slots=True)
class Match:
    """How a template answers a subsystem."""

    template: Template
    by_name: bool
    missing: tuple[str, ...]

    def __str__(self) -> str:
        how = "by its name" if self.by_name else "by the names of its hardpoints"
        lack = f"; missing: {', '.join(self.missing)}" if self.missing else ""
        return f"template '{self.template.name}' ({self.template.title}) matched {how}{lack}"


def find_template(
    templates: Mapping[str, Template], adams_name: str, role: str, hardpoints: Iterable[str]
) -> Match | None:
    """The template for a subsystem: by the name of its Adams template, else the one whose hardpoints fit best.

    Parameters
    ----------
    templates
        What there is to choose from.
    adams_name
        Name of the Adams template, without folder; the suffix and the case do not matter.
    role
        Major role of the subsystem.
    hardpoints
        Names of its hardpoints, without side.
    """
    wanted = adams_name.casefold().removesuffix(".tpl")
    present = {name.casefold() for name in hardpoints}

    def missing(template: Template) -> tuple[str, ...]:
        return tuple(sorted(n for n in template.hardpoints.required if n.casefold() not in present))

    candidates = [template for template in templates.values() if template.role == role]
    for template in candidates:
        if wanted in (name.casefold() for name in template.adams_names):
            return Match(template, True, missing(template))
    complete = [template for template in candidates if not missing(template)]
    if not complete:
        return None
    return Match(max(complete, key=lambda template: len(template.hardpoints.required)), False, ())
