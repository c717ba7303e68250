"""What a vehicle is made of: bodies and the ideal joints between them.

Positions are in the vehicle frame V at the design position, SI units; directions are unit vectors in V. A connector
names the two bodies that it joins and says when it is there: always, only in kinematic mode (ideal joints), or only in
compliant mode (bushings). Connectors that carry forces are in `trackrod.vehicle.connectors`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum

from trackrod.core.corners import Side
from trackrod.core.errors import InputError, Problem

__all__ = ["GROUND", "Body", "Joint", "JointType", "Matrix", "Mode", "Role", "Vector", "not_a_unit_vector"]

Vector = tuple[float, float, float]
Matrix = tuple[Vector, Vector, Vector]

#: The body that does not move: the road, or the frame of a rig.
GROUND = "ground"


class Mode(StrEnum):
    """When a connector is part of the mechanism."""

    ALWAYS = "always"
    KINEMATIC = "kinematic"
    COMPLIANT = "compliant"

    def acts_in(self, mode: Mode) -> bool:
        """Whether a connector marked with this is there in kinematic or in compliant mode."""
        return self in (Mode.ALWAYS, mode)


class JointType(StrEnum):
    """Ideal joints by the motion they leave free; names as in Adams.

    The axis is that of rotation or translation. The universal joint has two: the first fixed in the first body, the
    second in the second body. A constant-velocity joint turns both bodies alike about their own axes.
    """

    FIXED = "fixed"
    REVOLUTE = "revolute"
    TRANSLATIONAL = "translational"
    CYLINDRICAL = "cylindrical"
    SPHERICAL = "spherical"
    HOOKE = "hooke"
    CONVEL = "convel"
    INPLANE = "inplane"
    INLINE = "inline"
    ORIENTATION = "orientation"
    PERPENDICULAR = "perpendicular"


class Role(StrEnum):
    """What a body is to the vehicle.

    Parts of the driveline and links count as unsprung by factors of their own, the payload can be left out.
    """

    BODY = "body"
    PAYLOAD = "payload"
    STEERING = "steering"
    LINK = "link"
    CARRIER = "carrier"
    WHEEL = "wheel"
    DRIVELINE = "driveline"


@dataclass(frozen=True, slots=True)
class Body:
    """A rigid body.

    Attributes
    ----------
    name
        Unique in the vehicle.
    mass
        [kg]
    centre
        Centre of mass in V [m].
    inertia
        Inertia tensor about the centre of mass, along the axes of V [kg·m²].
    sprung_fraction
        Share of the mass that counts as sprung, 0 to 1.
    side
        The side that it belongs to; None for what belongs to both.
    role
        What it is to the vehicle; a member of a suspension unless said.
    """

    name: str
    mass: float
    centre: Vector
    inertia: Matrix
    sprung_fraction: float = 1.0
    side: Side | None = None
    role: Role = Role.LINK

    def __post_init__(self) -> None:
        problems = []
        if not (math.isfinite(self.mass) and self.mass >= 0):
            problems.append(Problem(f"the mass of '{self.name}' is {self.mass} kg, zero or more is allowed"))
        if not all(math.isfinite(value) for row in (self.centre, *self.inertia) for value in row):
            problems.append(Problem(f"centre or inertia of '{self.name}' is not a finite number"))
        elif any(abs(self.inertia[i][j] - self.inertia[j][i]) > 1e-9 * _largest(self.inertia) for i, j in _PAIRS):
            problems.append(Problem(f"the inertia tensor of '{self.name}' is not symmetric"))
        if not 0.0 <= self.sprung_fraction <= 1.0:
            text = f"the sprung share of '{self.name}' is {self.sprung_fraction:g}, 0 to 1 is allowed"
            problems.append(Problem(text))
        if problems:
            raise InputError(problems)

    def scaled(self, fraction: float) -> Body:
        """The body with this fraction of its mass, distributed alike."""
        first, second, third = ((x * fraction, y * fraction, z * fraction) for x, y, z in self.inertia)
        return replace(self, mass=self.mass * fraction, inertia=(first, second, third))


_PAIRS = ((0, 1), (0, 2), (1, 2))


def _largest(matrix: Matrix) -> float:
    return max(abs(value) for row in matrix for value in row)


@dataclass(frozen=True, slots=True)
class Joint:
    """An ideal joint between two bodies.

    Attributes
    ----------
    name
        Unique in the vehicle.
    type
        Which freedoms it leaves.
    bodies
        Names of the first and the second body.
    position
        Where it is, in V [m].
    axis
        Axis of rotation or translation, normal of the plane; for a universal joint the one fixed in the first body.
        Without meaning for spherical, fixed and orientation joints.
    second_axis
        For a universal joint the axis fixed in the second body; for a constant-velocity joint the axis of the second.
    mode
        When it is there.
    side
        The side that it belongs to; None for what belongs to both.
    """

    name: str
    type: JointType
    bodies: tuple[str, str]
    position: Vector
    axis: Vector = (0.0, 0.0, 1.0)
    second_axis: Vector = (1.0, 0.0, 0.0)
    mode: Mode = Mode.ALWAYS
    side: Side | None = None

    def __post_init__(self) -> None:
        if self.bodies[0] == self.bodies[1]:
            raise InputError(f"joint '{self.name}' joins '{self.bodies[0]}' with itself")
        problems = [text for axis in (self.axis, self.second_axis) for text in not_a_unit_vector(axis)]
        if problems:
            raise InputError(f"an axis of joint '{self.name}' {problems[0]}")


def not_a_unit_vector(axis: Vector) -> list[str]:
    """What keeps a triple from being a direction."""
    length = math.sqrt(sum(component**2 for component in axis))
    return [] if abs(length - 1.0) < 1e-9 else [f"has length {length:g}, it must be a unit vector"]
