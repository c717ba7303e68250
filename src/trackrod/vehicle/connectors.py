"""Connectors that carry forces: springs, dampers, friction, stops, bushings, forces over travel, beams, and gears.

Positions are in the vehicle frame V at the design position [m], directions are unit vectors in V. "First" and "second"
mean the order of `bodies`; the first end of a connector is fixed to the first body, the second to the second. Every
connector is made of numbers alone and refuses what cannot be. `side` is that of the wheel it belongs to, None for what
lies between both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from trackrod.core.corners import Side
from trackrod.vehicle.characteristics import (
    BushingCharacteristic,
    Characteristic,
    DamperCharacteristic,
    SpringCharacteristic,
    StopCharacteristic,
    wrong_kinds,
)
from trackrod.vehicle.checks import not_positive, refuse
from trackrod.vehicle.elements import Joint, Matrix, Mode, Vector, not_a_unit_vector

__all__ = [
    "Beam",
    "BeamSection",
    "Bushing",
    "Connector",
    "Damper",
    "Ends",
    "Friction",
    "Gear",
    "Six",
    "Spring",
    "Stop",
    "TorsionSpring",
    "TravelForce",
    "side_of",
]

Ends: TypeAlias = tuple[Vector, Vector]
Six: TypeAlias = tuple[float, float, float, float, float, float]

_ZEROS: Six = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
_IDENTITY: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@dataclass(frozen=True, slots=True)
class Bushing:
    """Six nonlinear springs with viscous dampers between two bodies.

    At the design position displacement and rotation are zero. In the axes of the bushing the force on the first body
    is −(curve(d + offset) + damping·velocity + preload), with d the displacement of the first body against the second;
    the torque likewise.

    Attributes
    ----------
    axes
        Columns are the axes of the bushing in V; they turn with the second body.
    preload
        Three of [N], three of [N·m].
    offset
        Displacement and rotation at the design position, three of [m], three of [rad].
    """

    name: str
    bodies: tuple[str, str]
    position: Vector
    characteristic: BushingCharacteristic
    axes: Matrix = _IDENTITY
    preload: Six = _ZEROS
    offset: Six = _ZEROS
    mode: Mode = Mode.COMPLIANT
    side: Side | None = None

    def __post_init__(self) -> None:
        problems = _not_two_bodies("bushing", self.name, self.bodies)
        axes = np.array(self.axes)
        possible = np.abs(axes).max() < 2.0  # of greater numbers the product may overflow
        if not (possible and np.allclose(axes @ axes.T, np.eye(3), atol=1e-6) and np.linalg.det(axes) > 0):
            problems.append(f"the axes of bushing '{self.name}' are not orthogonal and right-handed")
        problems += _not_finite(f"bushing '{self.name}'", (*self.position, *self.preload, *self.offset))
        refuse(problems)


@dataclass(frozen=True, slots=True)
class Spring:
    """A coil spring along the line between two points.

    Its compression is free length − installed length + design length − length, so that the force at the design
    position depends on the installed length alone, not on where the seats were drawn.

    Attributes
    ----------
    installed_length
        Length of the spring at the design position [m].
    """

    name: str
    bodies: tuple[str, str]
    ends: Ends
    characteristic: SpringCharacteristic
    installed_length: float
    mode: Mode = Mode.ALWAYS
    side: Side | None = None

    def __post_init__(self) -> None:
        problems = _not_a_line("spring", self.name, self.bodies, self.ends)
        refuse(problems + not_positive(installed_length=self.installed_length))

    @property
    def design_length(self) -> float:
        """Distance of the ends at the design position [m]."""
        return math.dist(*self.ends)

    @property
    def design_compression(self) -> float:
        """Compression at the design position [m]."""
        return self.characteristic.free_length - self.installed_length


@dataclass(frozen=True, slots=True)
class Damper:
    """A damper along the line between two points."""

    name: str
    bodies: tuple[str, str]
    ends: Ends
    characteristic: DamperCharacteristic
    mode: Mode = Mode.ALWAYS
    side: Side | None = None

    def __post_init__(self) -> None:
        refuse(_not_a_line("damper", self.name, self.bodies, self.ends))

    @property
    def design_length(self) -> float:
        """Distance of the ends at the design position [m]."""
        return math.dist(*self.ends)


@dataclass(frozen=True, slots=True)
class Friction:
    """Dry friction along the line between two points, such as that of leaves that slide on each other.

    Attributes
    ----------
    force
        Against the motion [N]; below a few mm/s (`friction_speed` of `trackrod.core.constants`) it is less.
    """

    name: str
    bodies: tuple[str, str]
    ends: Ends
    force: float
    mode: Mode = Mode.ALWAYS
    side: Side | None = None

    def __post_init__(self) -> None:
        problems = _not_a_line("friction", self.name, self.bodies, self.ends)
        if not (math.isfinite(self.force) and self.force >= 0.0):
            problems.append(f"the force of friction '{self.name}' is {self.force:g} N, it must not be below zero")
        refuse(problems)


@dataclass(frozen=True, slots=True)
class Stop:
    """A bump or rebound stop along the line between two points.

    A bump stop is pressed by design length − clearance − length, a rebound stop by length − design length − clearance,
    where that is positive.

    Attributes
    ----------
    clearance
        Way from the design position to the contact [m]; negative if the stop is pressed there.
    rebound
        Whether it resists extension instead of compression.
    """

    name: str
    bodies: tuple[str, str]
    ends: Ends
    characteristic: StopCharacteristic
    clearance: float
    rebound: bool = False
    mode: Mode = Mode.ALWAYS
    side: Side | None = None

    def __post_init__(self) -> None:
        problems = _not_a_line("stop", self.name, self.bodies, self.ends)
        refuse(problems + _not_finite(f"stop '{self.name}'", (self.clearance,)))

    @property
    def design_length(self) -> float:
        """Distance of the ends at the design position [m]."""
        return math.dist(*self.ends)


@dataclass(frozen=True, slots=True)
class TorsionSpring:
    """A spring that resists the turning of the first body against the second about an axis.

    The torque on the first body is −(curve(angle) + damping·rate + preload) along the axis, the angle being zero at the
    design position. Torsion bars and the two halves of an anti-roll bar are such springs.

    Attributes
    ----------
    axis
        Turns with the second body.
    curve
        Torque [N·m] over angle [rad].
    preload
        Torque at the design position [N·m].
    damping
        [N·m·s/rad]
    """

    name: str
    bodies: tuple[str, str]
    position: Vector
    axis: Vector
    curve: Characteristic
    preload: float = 0.0
    damping: float = 0.0
    mode: Mode = Mode.ALWAYS
    side: Side | None = None

    def __post_init__(self) -> None:
        problems = _not_two_bodies("torsion spring", self.name, self.bodies)
        problems += [f"the axis of torsion spring '{self.name}' {text}" for text in not_a_unit_vector(self.axis)]
        problems += wrong_kinds(self.curve, f"torsion spring '{self.name}'", "angle", "torque")
        problems += _not_finite(f"torsion spring '{self.name}'", (*self.position, self.preload, self.damping))
        refuse(problems)


@dataclass(frozen=True, slots=True)
class TravelForce:
    """A force along one direction over how far its point has moved along another.

    The point belongs to the first body, which feels the force; the second body feels the opposite there. The side force
    of a leaf spring over the travel of its end is such a force.

    Attributes
    ----------
    direction, travel
        Directions of force and travel; they turn with the second body.
    curve
        Force [N] over travel from the design position [m].

    Limits: it has no potential: around a closed path it may give or take work.
    """

    name: str
    bodies: tuple[str, str]
    position: Vector
    direction: Vector
    travel: Vector
    curve: Characteristic
    mode: Mode = Mode.ALWAYS
    side: Side | None = None

    def __post_init__(self) -> None:
        problems = _not_two_bodies("travel force", self.name, self.bodies)
        for what, axis in (("direction", self.direction), ("travel", self.travel)):
            problems += [f"the {what} of travel force '{self.name}' {text}" for text in not_a_unit_vector(axis)]
        problems += wrong_kinds(self.curve, f"travel force '{self.name}'", "length", "force")
        refuse(problems + _not_finite(f"travel force '{self.name}'", self.position))


@dataclass(frozen=True, slots=True)
class BeamSection:
    """Section of a beam.

    Attributes
    ----------
    axial, torsional
        E·A [N] and G·J [N·m²].
    bending_y, bending_z
        E·I for bending about the beam's y and about its z axis [N·m²].
    """

    axial: float
    torsional: float
    bending_y: float
    bending_z: float

    def __post_init__(self) -> None:
        refuse(
            not_positive(axial=self.axial, torsional=self.torsional, bending_y=self.bending_y, bending_z=self.bending_z)
        )

    @classmethod
    def tube(cls, diameter: float, wall: float, elastic_modulus: float, shear_modulus: float) -> BeamSection:
        """A round tube of this diameter outside and thickness of its wall [m]; moduli [Pa]."""
        refuse(not_positive(diameter=diameter, wall=wall))
        if 2 * wall > diameter:
            refuse([f"a wall of {wall:g} m does not fit into a tube of {diameter:g} m"])
        inner = diameter - 2 * wall
        second = math.pi / 64 * (diameter**4 - inner**4)
        return cls(
            axial=elastic_modulus * math.pi / 4 * (diameter**2 - inner**2),
            torsional=shear_modulus * 2 * second,
            bending_y=elastic_modulus * second,
            bending_z=elastic_modulus * second,
        )

    @classmethod
    def rectangle(cls, width: float, thickness: float, elastic_modulus: float, shear_modulus: float) -> BeamSection:
        """A rectangle, `width` along the beam's y and `thickness` along its z axis [m]; moduli [Pa].

        The torsion constant is that of Roark's approximation for a rectangle, within 0.5 % of the series solution, and
        within 0.1 % where one side is at most half of the other, as in leaves.
        """
        long, short = max(width, thickness), min(width, thickness)
        ratio = short / long
        torsion = long * short**3 * (1 / 3 - 0.21 * ratio * (1 - ratio**4 / 12))
        return cls(
            axial=elastic_modulus * width * thickness,
            torsional=shear_modulus * torsion,
            bending_y=elastic_modulus * width * thickness**3 / 12,
            bending_z=elastic_modulus * thickness * width**3 / 12,
        )


@dataclass(frozen=True, slots=True)
class Beam:
    """A straight elastic beam (Euler–Bernoulli, St Venant torsion) clamped to two bodies.

    Its x axis leads from the first end to the second, its z axis is `up` made normal to it. At the design position the
    forces on its ends are `preload`; they grow with the deformation from there.

    Attributes
    ----------
    up
        Direction of the section's z axis in V, as far as it is normal to the beam.
    preload
        What the second body does to the second end at the design position: force [N] and moment [N·m] in the axes of
        the beam. The first body balances it.
    damping
        Damping force over elastic rate of force [s].
    """

    name: str
    bodies: tuple[str, str]
    ends: Ends
    section: BeamSection
    up: Vector = (0.0, 0.0, 1.0)
    preload: Six = _ZEROS
    damping: float = 0.0
    mode: Mode = Mode.ALWAYS
    side: Side | None = None

    def __post_init__(self) -> None:
        problems = _not_a_line("beam", self.name, self.bodies, self.ends)
        problems += [f"the z axis of beam '{self.name}' {text}" for text in not_a_unit_vector(self.up)]
        problems += _not_finite(f"beam '{self.name}'", (*self.preload, self.damping))
        way = np.subtract(self.ends[1], self.ends[0])
        if not problems and not np.linalg.norm(np.cross(way, self.up)) > 1e-3 * np.linalg.norm(way):
            problems.append(f"the z axis of beam '{self.name}' lies along the beam")
        refuse(problems)

    @property
    def length(self) -> float:
        """Distance of the ends at the design position [m]."""
        return math.dist(*self.ends)

    @property
    def axes(self) -> Matrix:
        """Columns are the axes of the beam in V."""
        x = np.subtract(self.ends[1], self.ends[0]) / self.length
        z = np.array(self.up) - x * np.dot(x, self.up)
        z /= np.linalg.norm(z)
        rows = np.column_stack((x, np.cross(z, x), z)).tolist()
        return tuple(tuple(row) for row in rows)  # type: ignore[return-value]


@dataclass(frozen=True, slots=True)
class Gear:
    """Ties the motion of two joints: motion of the first = ratio × motion of the second.

    The motion of a joint is that of its first body against its second, along or about the joint's axis.

    Attributes
    ----------
    joints
        Names of the first and the second joint.
    ratio
        [-], or [rad/m] from a translational to a revolute joint.
    """

    name: str
    joints: tuple[str, str]
    ratio: float

    def __post_init__(self) -> None:
        problems = _not_finite(f"gear '{self.name}'", (self.ratio,))
        if self.ratio == 0:
            problems.append(f"the ratio of gear '{self.name}' is zero")
        refuse(problems)


#: Everything that joins two bodies.
Connector: TypeAlias = Joint | Bushing | Spring | Damper | Friction | Stop | TorsionSpring | TravelForce | Beam


def side_of(line: Spring | Damper | Friction | Stop) -> Side:
    """The side of a wheel that something belongs to; the nearer one where that is not said."""
    return line.side or (Side.LEFT if line.ends[0][1] + line.ends[1][1] >= 0 else Side.RIGHT)


def _not_two_bodies(what: str, name: str, bodies: tuple[str, str]) -> list[str]:
    return [f"{what} '{name}' joins '{bodies[0]}' with itself"] if bodies[0] == bodies[1] else []


def _not_a_line(what: str, name: str, bodies: tuple[str, str], ends: Ends) -> list[str]:
    problems = _not_two_bodies(what, name, bodies) + _not_finite(f"{what} '{name}'", (*ends[0], *ends[1]))
    if not problems and math.dist(*ends) < 1e-6:
        problems.append(f"the ends of {what} '{name}' coincide")
    return problems


def _not_finite(what: str, values: tuple[float, ...]) -> list[str]:
    return [] if all(math.isfinite(value) for value in values) else [f"a number of {what} is not finite"]
