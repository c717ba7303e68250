"""What the blocks of a subsystem say, as typed records.

Numbers are in SI units but still in Adams axes: x rearward, y to the right (left has negative y), z up. A record with
symmetry ``left/right`` gives the left side; the right one is its mirror image, y → −y.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from trackrod.adams.database import FileReference
from trackrod.core.errors import FileFormatError, Place, Problem
from trackrod.core.quantities import Kind
from trackrod.core.units import UnitSystem

__all__ = [
    "AdjustableForce",
    "Axes",
    "Bushing",
    "Damper",
    "Element",
    "Gear",
    "GeneralParameter",
    "GeneralSpline",
    "Hardpoint",
    "Inertia",
    "Leaf",
    "Parameter",
    "Part",
    "Spring",
    "Stop",
    "SwitchPart",
    "Symmetry",
    "Vector",
    "Wheel",
]

Vector: TypeAlias = tuple[float, float, float]


class Symmetry(StrEnum):
    """Which sides a record speaks of; ``left/right`` gives the left side and means both."""

    BOTH = "left/right"
    LEFT = "left"
    RIGHT = "right"
    SINGLE = "single"

    @property
    def objects(self) -> int:
        """How many objects a record stands for."""
        return 2 if self is Symmetry.BOTH else 1

    def overlaps(self, other: Symmetry) -> bool:
        """Whether two records of one name speak of the same object."""
        return self is other or (Symmetry.BOTH in (self, other) and Symmetry.SINGLE not in (self, other))


@dataclass(frozen=True, slots=True)
class Axes:
    """Directions of a frame in Adams axes.

    Attributes
    ----------
    z, x
        Axes as written (ZP and XP).
    dependent
        Whether they were read from a comment, so that the template computes them from hardpoints.
    """

    z: Vector
    x: Vector
    dependent: bool = False

    @property
    def matrix(self) -> NDArray[np.float64]:
        """Rotation matrix with the x, y and z axis as columns; z is kept, x made normal to it, y = z × x.

        Holds: it is orthogonal with determinant +1.
        """
        z = np.array(self.z) / np.linalg.norm(self.z)
        x = np.array(self.x) - z * np.dot(z, self.x)
        x /= np.linalg.norm(x)
        return np.column_stack((x, np.cross(z, x), z))


@dataclass(frozen=True, slots=True)
class Inertia:
    """Moments [kg·m²] about the centre of mass in the axes of the part, named as the file names them.

    Limits: whether xy, zx and yz are products of inertia or elements of the tensor (their negatives) is not said in
    the file.
    """

    xx: float
    yy: float
    zz: float
    xy: float = 0.0
    zx: float = 0.0
    yz: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """What every record has.

    Attributes
    ----------
    name
        USAGE in the file, without the prefix that Adams adds (hpl_, ger_ …).
    symmetry
        Side or sides.
    place
        Where it stands.
    """

    name: str
    symmetry: Symmetry
    place: Place = field(default=Place(), compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hardpoint(Element):
    """A point of the design position [m], in the axes of the file; moved by the user, also where it lies in V."""

    position: Vector
    in_vehicle: Vector | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter(Element):
    """A number, list or text that the template uses; switches such as kinematic_flag are integers.

    Attributes
    ----------
    type
        real, integer or string.
    values
        As written, in the units of the file: what quantity it is, only the template knows. See `si`.
    comment
        Text of the row below it, if that is a comment.
    raw
        The line as written.
    units
        Units of the file.
    """

    type: str
    values: tuple[float | int | str, ...]
    comment: str = ""
    raw: str = field(default="", compare=False)
    units: UnitSystem = field(default=UnitSystem())

    def si(self, kind: Kind) -> tuple[float, ...]:
        """The numbers in SI units, taken as a quantity of this kind; FileFormatError for text."""
        numbers = tuple(value for value in self.values if not isinstance(value, str))
        if len(numbers) < len(self.values):
            raise FileFormatError(Problem(f"the parameter '{self.name}' is text, a number is needed", self.place))
        return tuple(self.units.to_si(number, kind) for number in numbers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part(Element):
    """A rigid body.

    Attributes
    ----------
    mass
        Mass of one side [kg].
    sprung_fraction
        Share that counts as sprung, 0 to 1.
    location
        Origin of the part's frame [m]; None where the file has neither keys nor a comment.
    location_dependent
        Whether the location was read from a comment.
    axes
        Directions of the part's frame; None as for the location.
    centre_of_mass
        From the origin, in the axes of the part [m].
    inertia
        About the centre of mass, in the axes of the part.
    """

    mass: float
    sprung_fraction: float
    location: Vector | None
    location_dependent: bool
    axes: Axes | None
    centre_of_mass: Vector
    inertia: Inertia


@dataclass(frozen=True, slots=True, kw_only=True)
class Spring(Element):
    """A spring and how it is set.

    Attributes
    ----------
    value_type
        ``installed_length`` or ``preload``, or another word as written.
    value
        The length [m] or the force [N], compression positive; None for another word.
    """

    definition: str
    property_file: FileReference | None
    value_type: str
    value: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf(Element):
    """A leaf spring.

    Attributes
    ----------
    property_file
        The leaf spring file (.ltf).
    preload
        Force that the load presses it with at the design position [N].
    """

    definition: str
    property_file: FileReference | None
    preload: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Damper(Element):
    """A damper."""

    definition: str
    property_file: FileReference | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop(Element):
    """A bump or rebound stop.

    Attributes
    ----------
    rebound
        True for a rebound stop.
    distance_type
        ``clearance`` (from the design position) or ``impact_length`` (between the end points), or another word.
    distance
        The distance [m].
    """

    definition: str
    property_file: FileReference | None
    rebound: bool
    distance_type: str
    distance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Bushing(Element):
    """A bushing; triples are along or about its own x, y, z.

    Attributes
    ----------
    axes
        Directions of its frame; None where the file has neither keys nor a comment.
    force_preload, torque_preload
        T_PRELOAD [N] and R_PRELOAD [N·m].
    displacement_offset, rotation_offset
        T_OFFSET [m] and R_OFFSET [rad].
    force_scale, torque_scale
        FX … FZ and TX … TZ_SCALING_FACTOR.
    force_damping_scale, torque_damping_scale
        TX … TZ and RX … RZ_DAMPING_FORCE_SCALE: T is translation in these names, not torque.
    """

    definition: str
    property_file: FileReference | None
    axes: Axes | None
    force_preload: Vector
    torque_preload: Vector
    displacement_offset: Vector
    rotation_offset: Vector
    force_scale: Vector
    torque_scale: Vector
    force_damping_scale: Vector
    torque_damping_scale: Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Wheel(Element):
    """A wheel with its tyre.

    Attributes
    ----------
    mass
        Mass of one wheel [kg].
    sprung_fraction
        Share that counts as sprung, 0 to 1.
    inertia
        Moments; zz is about the spin axis.
    cm_offset, centre_offset
        Offsets along the spin axis [m].
    property_file
        The tyre.
    """

    mass: float
    sprung_fraction: float
    inertia: Inertia
    cm_offset: float
    centre_offset: float
    definition: str
    property_file: FileReference | None
    contact_type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjustableForce(Element):
    """An adjuster of toe or camber; numbers in the units of the file, since the template says what it adjusts."""

    definition: str
    desired_value: float
    stiffness: float
    damping: float
    locked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Gear(Element):
    """A reduction gear.

    Attributes
    ----------
    ratio
        As written: a pure number between two rotations; radian per length unit of the file between a rotation and
        a translation, whatever the unit of angle is.
    inverted
        Whether the input is inverted.
    """

    ratio: float
    inverted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneralSpline(Element):
    """A curve or map in a property file: engine, differential, steering assist.

    Attributes
    ----------
    type
        ``two_dimensional`` or ``three_dimensional``.
    curve_name
        Name of the block in the property file.
    """

    type: str
    property_file: FileReference | None
    curve_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneralParameter(Element):
    """One number in a property file: attribute `attribute_name` of its block `data_block`."""

    property_file: FileReference | None
    data_block: str
    attribute_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchPart(Element):
    """Selects by its index, from 1, to which part something is attached."""

    index: int
