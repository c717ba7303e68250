"""Leaf springs and their parts, in SI units and ISO axes, wherever they were read from."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from trackrod.core.errors import InputError
from trackrod.vehicle.characteristics import Characteristic, wrong_kinds
from trackrod.vehicle.checks import not_positive, refuse

__all__ = [
    "AxleMount",
    "Leaf",
    "LeafAxleSeat",
    "LeafBushing",
    "LeafClip",
    "LeafContact",
    "LeafEye",
    "LeafSpring",
    "Shackle",
]


class AxleMount(StrEnum):
    """Whether the axle lies below (overslung leaf pack) or above (underslung) the leaves."""

    OVERSLUNG = "overslung"
    UNDERSLUNG = "underslung"


@dataclass(frozen=True, slots=True)
class Leaf:
    """One leaf, in ISO axes about its centre bolt: x forward, z up.

    Attributes
    ----------
    front_length, rear_length
        Lengths from the centre bolt [m].
    front_elements, rear_elements
        Numbers of beam elements.
    seat_thickness, seat_width
        Section at the centre [m].
    elastic_modulus, shear_modulus, density
        Material [Pa], [Pa], [kg/m³].
    damping
        Material damping, as the file gives it.
    shear_factor_y, shear_factor_z
        Shear area factors of the beam section [-].
    z_offset
        Height of the leaf above the profile's zero [m].
    profile
        Height z over x of the unloaded leaf [m].
    thickness
        Thickness over x [m], where the file gives it; None if it gives less than two values.
    every_point_fitted
        Whether the profile is fitted through all points, or the first and the last are those of the eyes;
        None where the file does not say, as it does for the first leaf only.
    auxiliary
        Whether the leaf is an auxiliary one that comes into contact under load.
    contact_points
        Contact points with the leaf above: front, rear.
    gap
        Distance from the leaf above at the front, the centre and the rear [m].

    Limits: the files do not state the unit of `damping`; it is not converted.
    """

    front_length: float
    rear_length: float
    front_elements: int
    rear_elements: int
    seat_thickness: float
    seat_width: float
    elastic_modulus: float
    shear_modulus: float
    density: float
    damping: float
    shear_factor_y: float
    shear_factor_z: float
    z_offset: float
    profile: Characteristic
    thickness: Characteristic | None = None
    every_point_fitted: bool | None = None
    auxiliary: bool = False
    contact_points: tuple[int, int] = (0, 0)
    gap: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        problems = wrong_kinds(self.profile, "the profile of a leaf", "length", "length")
        if self.thickness is not None:
            problems += wrong_kinds(self.thickness, "the thickness of a leaf", "length", "length")
        names = ("front_length", "rear_length", "seat_thickness", "seat_width", "elastic_modulus", "shear_modulus")
        refuse(problems + not_positive(**{name: getattr(self, name) for name in (*names, "density")}))


@dataclass(frozen=True, slots=True)
class LeafContact:
    """Contact between leaves: friction and a stiffening spring with damping.

    Attributes
    ----------
    friction
        Coefficient of friction [-].
    exponent
        Exponent of the penetration [-].
    distance
        Distance at which contact begins [m].
    stiffness
        Force at a penetration of one file unit of length, as the file gives it, taken for a linear law [N/m].
    damping
        Greatest damping [N·s/m].
    penetration
        Penetration at which the damping is complete [m].

    Limits: with an exponent other than one the stiffness has no unit of its own; it is converted as force over
    length.
    """

    friction: float
    exponent: float
    distance: float
    stiffness: float
    damping: float
    penetration: float


@dataclass(frozen=True, slots=True)
class LeafAxleSeat:
    """Where the axle sits on the leaves.

    Attributes
    ----------
    extra_mass
        U-bolts, spacers and so on [kg].
    reference_to_leaves
        Distance of the reference point from the leaf pack [m].
    front_inactive_length, rear_inactive_length
        Clamped lengths from the centre bolt [m].
    design_height
        Height of the reference point at design load [m].
    rise_to_curb
        Rise from the design to the curb position [m].
    mount
        Axle below or above the leaves.
    """

    extra_mass: float
    reference_to_leaves: float
    front_inactive_length: float
    rear_inactive_length: float
    design_height: float
    rise_to_curb: float
    mount: AxleMount


@dataclass(frozen=True, slots=True)
class Shackle:
    """The link between a leaf eye and the frame.

    Attributes
    ----------
    length, mass
        [m], [kg].
    inertia
        Ixx, Iyy, Izz [kg·m²], x along the shackle.
    at_front
        Whether it holds the front eye instead of the rear one.
    in_tension
        Whether it hangs below the frame (tension) instead of standing above the leaf (compression).
    """

    length: float
    mass: float
    inertia: tuple[float, float, float]
    at_front: bool
    in_tension: bool


@dataclass(frozen=True, slots=True)
class LeafEye:
    """Eye of the main leaf: inner diameter [m] and shape (berlin, upturned or downturned)."""

    diameter: float
    shape: str


@dataclass(frozen=True, slots=True)
class LeafClip:
    """A clip that holds leaves together.

    Attributes
    ----------
    position
        Distance from the centre bolt, positive to the front [m].
    bottom_leaf, top_leaf
        Numbers of the lowest and the highest leaf held, counted from 1.
    height, cover_height, vertical_stiffness
        Inside height [m], height of the cover [m], its stiffness [N/m].
    width, cover_thickness, lateral_stiffness
        Inside width [m], thickness of the cover [m], its stiffness [N/m].
    """

    position: float
    bottom_leaf: int
    top_leaf: int
    height: float
    cover_height: float
    vertical_stiffness: float
    width: float
    cover_thickness: float
    lateral_stiffness: float


@dataclass(frozen=True, slots=True)
class LeafBushing:
    """Linear bushing of a leaf spring.

    Attributes
    ----------
    name
        Which one.
    stiffness, damping
        Radial x, radial y, axial z [N/m], [N·s/m], then conical x, conical y, torsional z [N·m/rad], [N·m·s/rad].
    """

    name: str
    stiffness: tuple[float, ...]
    damping: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class LeafSpring:
    """A leaf spring with its eyes, shackle, seat and clips; points in ISO axes: x forward, y left, z up.

    Attributes
    ----------
    title
        Text of the file.
    leaves
        From the main leaf on.
    contact
        Between leaves.
    eye_points, shackle_points
        Front leaf eye, and shackle at the frame: left, right, each x, y, z [m].
    seat, shackle, front_eye, rear_eye, clips, bushings
        Parts.
    formulation
        Beam formulation: linear, nonlinear or string.

    Limits: the zero of x is that of the file.
    """

    title: str
    leaves: tuple[Leaf, ...]
    contact: LeafContact
    eye_points: tuple[tuple[float, float, float], tuple[float, float, float]]
    shackle_points: tuple[tuple[float, float, float], tuple[float, float, float]]
    seat: LeafAxleSeat
    shackle: Shackle
    front_eye: LeafEye
    rear_eye: LeafEye
    clips: tuple[LeafClip, ...]
    bushings: tuple[LeafBushing, ...]
    formulation: str

    def __post_init__(self) -> None:
        if not self.leaves:
            raise InputError("a leaf spring needs at least one leaf")

    def bushing(self, name: str) -> LeafBushing | None:
        """The bushing called `name`, in any case."""
        return next((found for found in self.bushings if found.name.casefold() == name.casefold()), None)
