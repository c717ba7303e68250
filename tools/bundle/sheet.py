"""What a data sheet says about a vehicle.

Axes and units are those of the files: x rearward from the front wheel centres, the left side at negative y, z up from
the ground; mm, N, kg, s, degrees. Points are given for the left side.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

__all__ = [
    "AntiRollBar",
    "Body",
    "Brakes",
    "Leaf",
    "Link",
    "Mount",
    "Part",
    "Powertrain",
    "Ride",
    "Rubber",
    "Steering",
    "Suspension",
    "Tube",
    "Tyre",
    "Vehicle",
    "Wheels",
]

Point: TypeAlias = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of any shape.

    Attributes
    ----------
    mass
        Of one side [kg].
    at
        Centre of mass: hardpoints whose middle it is, or a point [mm].
    radii
        Radii of gyration about x, y and z [mm].
    sprung
        Share of the mass that counts as sprung [%].
    single
        Whether there is one of it instead of one on each side.
    """

    name: str
    mass: float
    at: tuple[str, ...] | Point
    radii: Point
    sprung: float = 0.0
    single: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """A rod between two hardpoints, of this mass [kg] and radius [mm]."""

    name: str
    mass: float
    ends: tuple[str, str]
    radius: float = 12.0
    sprung: float = 50.0
    single: bool = False


@dataclass(frozen=True, slots=True)
class Rubber:
    """A rubber bushing; z is its own axis.

    Attributes
    ----------
    radial
        Rates along x and y at the centre [N/mm].
    axial
        Rate along z at the centre [N/mm].
    turning
        Rates about x, y and z [N·mm/deg].
    give
        Displacements in radial and axial direction at which the force is twice that of the centre's rate [mm].
    """

    name: str
    radial: tuple[float, float]
    axial: float
    turning: tuple[float, float, float]
    give: tuple[float, float] = (2.0, 4.0)


@dataclass(frozen=True, slots=True)
class Mount:
    """Where a bushing is used: which rubber, and its axis from one hardpoint to another, or x, y or z."""

    rubber: Rubber
    axis: tuple[str, str] | str


@dataclass(frozen=True, slots=True)
class Ride:
    """How an axle rides.

    Attributes
    ----------
    frequency
        Of the sprung mass on springs and tyres [Hz].
    damping
        Share of critical damping in bump and in rebound.
    bump, rebound
        Wheel travel at which the stops touch [mm].
    friction
        Of the seals and guides of a damper [N]; its curve contains it.
    """

    frequency: float
    damping: tuple[float, float]
    bump: float
    rebound: float
    friction: float


@dataclass(frozen=True, slots=True)
class Leaf:
    """A leaf spring.

    Attributes
    ----------
    element
        Name among the leaves of the template.
    leaves
        Length to the front, length to the rear and thickness of each leaf, the main leaf first [mm].
    width
        Of all leaves [mm].
    inactive
        Clamped length on either side of the centre bolt [mm].
    modulus, shear_modulus
        [N/mm²]
    density
        [kg/mm³]
    points
        The two points of the frame that the file names: front eye and shackle, or the clamps of a transverse leaf.
    shackle
        Length [mm].
    friction
        Between the leaves and in the eyes, against the motion of the seat [N].
    """

    element: str
    leaves: tuple[Point, ...]
    width: float
    inactive: float
    modulus: float
    shear_modulus: float
    density: float
    points: tuple[str, str]
    shackle: float = 100.0
    friction: float = 0.0


@dataclass(frozen=True, slots=True)
class Tube:
    """The tube of a solid axle: diameter outside and thickness of its wall [mm], moduli [N/mm²]."""

    diameter: float
    wall: float
    modulus: float = 206000.0
    shear_modulus: float = 79000.0


@dataclass(frozen=True, slots=True)
class Suspension:
    """A suspension.

    Attributes
    ----------
    template
        Name of the template in trackrod.vehicle.templates.
    toe, camber
        Static angles of a wheel [deg]; toe in and top outward positive.
    switches
        Further switch parameters.
    leaf
        The leaf spring; its section sets the rate, and `Ride.frequency` is what is expected of it.
    tube
        Of a solid axle that bends.
    """

    axle: str
    template: str
    hardpoints: Mapping[str, Point]
    parts: tuple[Part | Link, ...]
    mounts: Mapping[str, Mount]
    ride: Ride
    toe: float = 0.0
    camber: float = 0.0
    switches: Mapping[str, int] = field(default_factory=dict)
    leaf: Leaf | None = None
    tube: Tube | None = None


@dataclass(frozen=True, slots=True)
class AntiRollBar:
    """An anti-roll bar.

    Attributes
    ----------
    axle
        Front or rear.
    hardpoints
        As the template names them.
    mounts
        Its bushings.
    share
        Of the roll stiffness that the springs leave to be supplied.
    """

    axle: str
    hardpoints: Mapping[str, Point]
    parts: tuple[Part | Link, ...]
    mounts: Mapping[str, Mount]
    share: float


@dataclass(frozen=True, slots=True)
class Steering:
    """Rack and pinion.

    Attributes
    ----------
    pairs, singles
        Hardpoints of the left side, and those that exist once [mm]; the inner ends of the tie rods are those of the
        suspension.
    ratio
        Steering-wheel angle over mean road-wheel angle.
    lock
        Largest steering-wheel angle [deg].
    torsion_bar
        Rate [N·m/deg].
    piston_area
        [mm²]
    pressure
        Largest assistance [MPa].
    mass
        Of gear, shafts and wheel together [kg].
    housing
        Rubber that holds the rack housing, z across the vehicle.
    """

    pairs: Mapping[str, Point]
    singles: Mapping[str, Point]
    ratio: float
    lock: float
    torsion_bar: float = 2.0
    piston_area: float = 800.0
    pressure: float = 8.0
    mass: float = 14.0
    housing: Rubber = Rubber("rack_housing", (12000.0, 12000.0), 9000.0, (20000.0, 20000.0, 20000.0), (1.5, 1.5))


@dataclass(frozen=True, slots=True)
class Tyre:
    """A tyre, from a sample of `trackrod.tyre` with other numbers.

    Attributes
    ----------
    size
        As on the side wall.
    sample
        Name of the sample.
    values
        Numbers that differ from the sample, by block and name, SI units.
    """

    name: str
    size: str
    sample: str
    values: Mapping[tuple[str, str], float | str]


@dataclass(frozen=True, slots=True)
class Wheels:
    """Rim and tyre of each wheel.

    Attributes
    ----------
    mass
        Of one rim with tyre [kg].
    inertia
        About a diameter and about the axis [kg·m²].
    offsets
        How far the middle of each tyre lies outward of the wheel centre [mm]; two numbers for twin tyres.
    """

    tyre: Tyre
    mass: float
    inertia: tuple[float, float]
    offsets: tuple[float, ...] = (0.0,)


@dataclass(frozen=True, slots=True)
class Body:
    """Mass distribution of the whole vehicle, and the air.

    Attributes
    ----------
    height, left
        Of the centre of gravity of the whole vehicle: above the ground, and to the left of the middle [mm].
    inertia
        Ixx, Iyy, Izz of the whole vehicle about its centre of gravity [kg·m²].
    payload
        Parts of the payload, which the total contains.
    area, drag, lift
        Frontal area [m²], drag coefficient, lift coefficients front and rear.
    """

    height: float
    inertia: Point
    payload: tuple[Part, ...] = ()
    area: float = 2.2
    drag: float = 0.3
    lift: tuple[float, float] = (0.05, 0.05)
    left: float = 0.0


@dataclass(frozen=True, slots=True)
class Powertrain:
    """Engine, gears and where the torque goes.

    Attributes
    ----------
    speeds, torques
        Full load [rpm], [N·m].
    drag
        Torque without throttle at the highest speed [N·m].
    front_share
        Of the torque.
    limited_slip
        Torque of the limited-slip differential at 100 rpm of slip [N·m]; 0 for open ones.
    parts
        Engine and gearbox, which move with the body.
    """

    title: str
    speeds: tuple[float, ...]
    torques: tuple[float, ...]
    drag: float
    idle: float
    limit: float
    gears: tuple[float, ...]
    final_drive: float
    upshift: float
    downshift: float
    front_share: float
    inertia: float = 0.18
    limited_slip: float = 0.0
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Brakes:
    """Disc brakes.

    Attributes
    ----------
    bias
        Pressure in the front line over the sum of both lines.
    areas, friction, radii
        Piston areas [mm²], friction of the pads and effective radii [mm], front and rear.
    parking
        Torque of the parking brake at each rear wheel [N·m].
    pressure
        Sum of both lines at full pedal [bar].
    """

    bias: float
    areas: tuple[float, float]
    friction: tuple[float, float]
    radii: tuple[float, float]
    parking: float
    pressure: float = 120.0


@dataclass(frozen=True, slots=True)
class Vehicle:
    """A vehicle.

    Attributes
    ----------
    mass
        Laden, as designed [kg].
    loads
        Masses on front and rear axle [kg].
    wheelbase, tracks
        [mm]
    roll_gradient
        Of the body in steady cornering [deg/g].
    rubber_time
        Damping over rate of rubber [s].
    """

    name: str
    title: str
    about: str
    loads: tuple[float, float]
    wheelbase: float
    tracks: tuple[float, float]
    body: Body
    front: Suspension
    rear: Suspension
    steering: Steering
    wheels: tuple[Wheels, Wheels]
    powertrain: Powertrain
    brakes: Brakes
    bars: tuple[AntiRollBar, ...]
    roll_gradient: float
    rubber_time: float

    @property
    def mass(self) -> float:
        """Of the whole vehicle [kg]."""
        return sum(self.loads)
