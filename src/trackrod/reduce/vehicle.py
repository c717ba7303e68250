"""A vehicle of four quarter cars on a four-post rig: ten degrees of freedom.

The body is rigid, with six degrees of freedom; each wheel has one. What the quarter cars do not know comes straight
from the multibody model: mass, centre and inertia of the body (the whole vehicle less the four unsprung masses),
tyres, anti-roll bars, what gives way sideways, and the momentum of the links. A link that hangs between wheel and body
has a third of its mass in the kinetic energy of the wheel against an anchored body, which is what a quarter car is
identified by, and half of it in the momentum by which wheel and body move each other; one share cannot be both.

Limits: small angles of the body. The tyres do not slide. On a solid axle both wheels alike are modelled well and
opposite wheels by their rate alone, which is that of the rig. Four posts do not turn a vehicle about its vertical axis,
so that its yaw inertia cannot be seen on them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import process_time

import numpy as np
from numpy.typing import NDArray

from trackrod import _core
from trackrod.core import signals
from trackrod.core.artefact import Schema
from trackrod.core.constants import constant
from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.errors import ConvergenceError, Problem, RangeError, raise_if_errors
from trackrod.core.plain import Plain
from trackrod.core.quantities import STANDARD_GRAVITY
from trackrod.core.records import from_plain, to_plain
from trackrod.core.series import Run
from trackrod.kc.elasticity import AxleInertia, axle_inertia
from trackrod.kc.measure import measure
from trackrod.kc.points import Inputs
from trackrod.kc.rig import Rig
from trackrod.manoeuvres.roads import RandomRoad
from trackrod.manoeuvres.settings import kmh
from trackrod.manoeuvres.standing import FourPost
from trackrod.multibody.rigid import rigid_groups
from trackrod.reduce.coefficients import CORNER
from trackrod.reduce.curves import Curve, LinkCurves
from trackrod.reduce.model import NAMES, QuarterCar
from trackrod.tyre.model import Tyre
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["REDUCED_VEHICLE", "PostTyre", "ReducedVehicle", "bar_rate", "mirrored", "reduced_vehicle"]

Array = NDArray[np.float64]

#: What a vehicle on posts tells, in the order of the core.
OUTPUTS = (
    *(signals.X, signals.Y, signals.Z, signals.ROLL, signals.PITCH, signals.YAW),
    *(signals.AZ, signals.ROLL_RATE, signals.PITCH_RATE, signals.YAW_RATE),
    *(signals.WHEEL_TRAVEL[corner] for corner in Corner),
    *(signals.FZ[corner] for corner in Corner),
)
#: Time on still posts before they move, as in the core [s].
SETTLING = 4.0
#: Travel of the opposite wheels from which the rate of an anti-roll bar is taken [m].
_OPPOSITE = 0.01
#: Angles from which slopes of a tyre are taken [rad].
_SMALL = 0.01
#: Deflection up to which tyres are tabulated, and the step of the table [m].
_DEEPEST, _TABLE = 0.1, 2e-4


@dataclass(frozen=True)
class PostTyre:
    """A tyre that stands on a post.

    Attributes
    ----------
    free_radius
        [m]
    loads
        Over deflections 0, 0.2, 0.4 … mm [N].
    damping
        Vertical [N·s/m].
    stiffness, side_damping
        Of the carcass sideways [N/m], [N·s/m].
    rolling_mass
        Inertia of what turns with the wheel over the square of the radius [kg].
    relaxation, side_force
        Way on which a rolling tyre straightens sideways [m], and the force of one that is straight [N].
    side_compliance, side_mass, given_damping, side_momentum
        Of what gives way sideways with the suspension, by the contact point [m/N], [kg], [N·s/m], and its momentum,
        linear and about the centre of the body [kg], [kg·m].
    overturning, overturning_inclined
        Overturning moment over the side force, and over load and inclination [m].
    """

    free_radius: float
    loads: tuple[float, ...]
    damping: float
    stiffness: float
    side_damping: float
    rolling_mass: float
    relaxation: float
    side_force: float
    side_compliance: float
    side_mass: float
    given_damping: float
    side_momentum: tuple[float, ...]
    overturning: float
    overturning_inclined: float

    def numbers(self) -> list[float]:
        """All but the loads, in the order of the core, with the step of their deflections."""
        vertical = [self.free_radius, self.damping, self.stiffness, self.side_damping, self.rolling_mass]
        given = [self.side_compliance, self.side_mass, self.given_damping, *self.side_momentum]
        return [
            *vertical,
            self.relaxation,
            self.side_force,
            *given,
            self.overturning,
            self.overturning_inclined,
            _TABLE,
        ]


@dataclass(frozen=True)
class ReducedVehicle:
    """Four quarter cars under a body.

    Attributes
    ----------
    name
        Of the vehicle.
    mass, centre, inertia
        Of the body: [kg], in V [m], about its centre (xx, yy, zz, xy, xz, yz) [kg·m²].
    bars
        Force on a wheel over the difference of both wheels of the front and of the rear axle [N/m].
    corners
        Front left, front right, rear left, rear right; they need not be alike.
    tyres
        In the same order.
    momentum
        Of the links beyond the point masses of the quarter cars, linear and about the centre of the body, per speed
        of each wheel [kg], [kg·m].
    coupling
        Mass that couples the wheels of the front and of the rear axle [kg].

    Raises
    ------
    RangeError
        A body without mass or with an inertia that no body has; not four corners, or not in their order.
    """

    name: str
    mass: float
    centre: tuple[float, float, float]
    inertia: tuple[float, float, float, float, float, float]
    bars: tuple[float, float]
    corners: tuple[QuarterCar, ...]
    tyres: tuple[PostTyre, ...]
    momentum: tuple[tuple[float, ...], ...] = 4 * ((0.0,) * 6,)
    coupling: tuple[float, float] = (0.0, 0.0)
    seconds: float = field(default=0.0, compare=False)

    def __post_init__(self) -> None:
        problems = []
        if not (np.isfinite(self.mass) and self.mass > 0):
            problems.append(Problem(f"the mass of the body is {self.mass} kg, it must be above zero"))
        if len(self.corners) != 4 or len(self.tyres) != 4:
            problems.append(Problem(f"{len(self.corners)} corners and {len(self.tyres)} tyres, four are needed"))
        if (order := tuple(car.corner for car in self.corners)) != tuple(Corner)[: len(order)]:
            found, needed = (", ".join(corners) for corners in (order, Corner))
            problems.append(Problem(f"the corners are {found}, they must be {needed}"))
        if min(self.inertia[:3]) <= 0:
            problems.append(
                Problem(f"the moments of inertia of the body are {self.inertia[:3]}, they must be positive")
            )
        raise_if_errors(problems, RangeError)

    def with_roll_inertia(self, inertia: float) -> ReducedVehicle:
        """With another roll inertia of the body [kg·m²]."""
        return replace(self, inertia=(inertia, *self.inertia[1:]))

    def with_track(self, factor: float) -> ReducedVehicle:
        """With the wheels this many times as far apart."""
        return replace(self, corners=tuple(_widened(car, factor) for car in self.corners))

    @cached_property
    def core(self) -> _core.PostVehicle:
        """The vehicle in the core."""
        core = _core.PostVehicle(
            np.array([self.mass, *self.centre, *self.inertia, *self.bars, *self.coupling]), np.array(self.momentum)
        )
        for car, tyre in zip(self.corners, self.tyres, strict=True):
            core.add_corner(car.core, car.vector, np.array(tyre.numbers()), np.array(tyre.loads))
        return core

    def drive(self, posts: FourPost, *, step: float = 1e-3, sample: float = 0.01) -> Run:
        """On the posts, from rest.

        Parameters
        ----------
        posts
            What they do.
        step, sample
            Of the integration and of the run [s].

        Returns
        -------
        Run
            `OUTPUTS`; ``seconds`` of its metadata is the CPU time without settling.

        Raises
        ------
        ConvergenceError
            The motion gets lost.
        """
        every = round(sample / step)
        count = round((posts.duration_s + 1.0) / step) + 1
        time: Array = step * np.arange(count, dtype=np.float64)
        heights = np.column_stack([posts.heights(corner, time, time) for corner in Corner])
        return self.drive_heights(
            time, heights, every=every, settings={"manoeuvre": posts.name, "mode": str(posts.mode)}
        )

    def drive_road(self, road: RandomRoad, *, step: float = 1e-3, sample: float = 0.005) -> Run:
        """Straight ahead over a random road at constant speed; results and errors as `drive`."""
        speed = kmh(road.speed_kmh)
        time: Array = step * np.arange(round(road.duration_s / step) + 1, dtype=np.float64)
        profile, foremost = road.road(), max(car.known["wheel_x"] for car in self.corners)
        heights = np.column_stack(
            [profile.heights(car.corner, time, speed * time + car.known["wheel_x"] - foremost) for car in self.corners]
        )
        settings = {"manoeuvre": road.name}
        return self.drive_heights(time, heights, every=round(sample / step), speed=speed, settings=settings)

    def with_springs_and_dampers(self, spring: float = 1.0, damper: float = 1.0) -> ReducedVehicle:
        """With all springs and dampers this many times as stiff; each wheel stands where it stood."""
        stiff, rates = NAMES[1:4], ("bump_low", "bump_high", "rebound_low", "rebound_high")
        corners = [
            car.with_parameters(
                {n: spring * car.parameters[n] for n in stiff} | {n: damper * car.parameters[n] for n in rates}
            )
            for car in self.corners
        ]
        return replace(self, corners=tuple(corners))

    def drive_heights(
        self,
        time: Array,
        heights: Array,
        *,
        every: int = 1,
        speed: float = 0.0,
        settings: Mapping[str, str] | None = None,
    ) -> Run:
        """With any heights under the wheels (samples, 4) [m], at even times [s], rolling at a speed [m/s]."""
        step = float(time[1] - time[0])
        ground = np.ascontiguousarray(heights + self.ground)
        begun = process_time()
        rows, done = self.core.drive(step, ground, speed)
        seconds = process_time() - begun
        if done < len(time) or not np.isfinite(rows).all():
            raise ConvergenceError(f"the quarter cars of '{self.name}' get lost after {done * step:.3g} s")
        kept = rows[::every]
        columns = {signals.TIME.column: time[::every]}
        columns |= {signal.column: kept[:, k] for k, signal in enumerate(OUTPUTS)}
        share = len(time) / (len(time) + round(SETTLING / step))
        meta: dict[str, Plain] = {
            "vehicle": self.name,
            "model": "quarter cars",
            "seconds": seconds * share,
            **(settings or {}),
        }
        return Run(columns, meta)

    @property
    def ground(self) -> Array:
        """Height of the ground in V under each wheel at rest [m]: where the tyres carry the corner weights."""
        found = []
        for car, tyre in zip(self.corners, self.tyres, strict=True):
            k = car.known
            deflection = np.interp(k["corner_weight"], tyre.loads, _TABLE * np.arange(len(tyre.loads)))
            cosine = float(np.cos(car.link.inclination(k["ride_height"])))
            found.append(k["wheel_z"] + k["ride_height"] - (tyre.free_radius - float(deflection)) * cosine)
        return np.array(found)


def _widened(car: QuarterCar, factor: float) -> QuarterCar:
    more = (factor - 1.0) * car.known["wheel_y"]
    moved = {name: car.known[name] + more for name in ("wheel_y", "spring_body_y", "damper_body_y")}
    return replace(car, known={**car.known, **moved})


def mirrored(car: QuarterCar) -> QuarterCar:
    """The quarter car of the other side."""
    other = Corner.of(car.corner.axle, Side.RIGHT if car.corner.side is Side.LEFT else Side.LEFT)
    odd = {item.name for item in CORNER if item.name.endswith("_y")} | {"Ixy", "Iyz"}
    known = {name: -value if name in odd else value for name, value in car.known.items()}
    link = car.link
    turned = {name: _negated(getattr(link, name)) for name in ("inclination", "steer", "y")}
    return replace(
        car, corner=other, known=known, link=LinkCurves(pitch=link.pitch, x=link.x, shape=link.shape, **turned)
    )


def _negated(curve: Curve) -> Curve:
    return replace(curve, coefficients=tuple((-a, -b, -c, -d) for a, b, c, d in curve.coefficients))


def bar_rate(rig: Rig) -> float:
    """Force on a wheel over the difference of both [N/m]: half of what opposite wheels are stiffer than equal ones.

    Negative on a solid axle, whose springs stand closer together than its wheels.
    """
    rates = []
    for other in (1.0, -1.0):
        z = np.array([[-_OPPOSITE, -_OPPOSITE * other], [0.0, 0.0], [_OPPOSITE, _OPPOSITE * other]])
        loads = measure(rig, rig.sweep(Inputs.of(z)), ()).wheel_load[:, 0]
        rates.append(float(loads[2] - loads[0]) / (2.0 * _OPPOSITE))
    return 0.5 * (rates[1] - rates[0])


def _post_tyre(vehicle: Vehicle, car: QuarterCar, axle: AxleInertia, centre: Array) -> PostTyre:
    wheel = vehicle.wheel(car.corner)
    tyre = Tyre(vehicle.tyres[wheel.tyres[0].tyre], mounted=car.corner.side)
    count, weight = len(wheel.tyres), car.known["corner_weight"]
    deflection = np.arange(0.0, _DEEPEST, _TABLE)
    loads = count * tyre.vertical_force(deflection)
    rate = 0.01
    at = float(tyre.deflection(weight / count))
    damping = count * float(tyre.vertical_force(at, rate) - tyre.vertical_force(at)) / rate
    forces = tyre.evaluate(weight / count, gamma=float(car.link.inclination(car.known["ride_height"])), Vx=0.0)
    relaxation = max(float(forces.sigma_y), constant("shortest_relaxation"))
    carcass = float(abs(forces.Kya)) / relaxation
    side = 2.0 * constant("standing_damping") * float(np.sqrt(carcass * weight / count / STANDARD_GRAVITY))
    spin = next(s for s in rigid_groups(vehicle)[1] if s.wheel.corner is car.corner)
    each = weight / count
    leaning, slipping = (
        [tyre.evaluate(each, gamma=g, alpha=a, Vx=0.0) for g, a in pair]
        for pair in (((-_SMALL, 0.0), (_SMALL, 0.0)), ((0.0, -_SMALL), (0.0, _SMALL)))
    )
    pushed = float(slipping[1].Fy - slipping[0].Fy)
    return PostTyre(
        free_radius=float(tyre.free_radius()),
        loads=tuple(loads.tolist()),
        damping=damping,
        stiffness=count * carcass,
        side_damping=count * side,
        rolling_mass=spin.inertia / float(tyre.effective_radius(each)) ** 2,
        relaxation=relaxation,
        side_force=count * float(forces.Fy),
        side_compliance=axle.side_compliance,
        side_mass=axle.side_mass,
        given_damping=axle.side_damping,
        side_momentum=tuple(_about(axle.side_momentum, axle.reference, centre).tolist()),
        overturning=float(slipping[1].Mx - slipping[0].Mx) / pushed,
        overturning_inclined=float(leaning[1].Mx - leaning[0].Mx) / (2.0 * _SMALL * each),
    )


def reduced_vehicle(
    vehicle: Vehicle, front: QuarterCar, rear: QuarterCar, *, right: Mapping[Axle, QuarterCar] | None = None
) -> ReducedVehicle:
    """Join the quarter cars of the left wheels, and their mirror images, under the body of a vehicle.

    Parameters
    ----------
    vehicle
        Where the rest comes from.
    front, rear
        Quarter cars of the left wheels.
    right
        Those of right wheels that are no mirror images.

    Raises
    ------
    RangeError
        A quarter car is not that of its wheel.

    Holds: mass, centre of mass and inertia of the whole are those of the vehicle at the design position.
    """
    given = right or {}
    corners = tuple(
        car
        for axle, left in ((Axle.FRONT, front), (Axle.REAR, rear))
        for car in (left, given[axle] if axle in given else mirrored(left))
    )
    total = vehicle.mass_properties
    mass, moment = total.mass, total.mass * np.asarray(total.centre)
    inertia = total.inertia_about(np.zeros(3))
    for spin in rigid_groups(vehicle)[1]:  # wheels do not turn with the body about their axes
        inertia = inertia - spin.inertia * np.outer(spin.wheel.axis, spin.wheel.axis)
    for car in corners:
        k, links = car.known, car.parameters["unsprung_share"] * car.known["link_mass"]
        turn = car.link.rotation(0.0)
        wheel = np.array([k[f"wheel_{axis}"] for axis in "xyz"])
        own = wheel + turn @ np.array([k[f"centre_{axis}"] for axis in "xyz"])
        inertia = inertia - turn @ _inertia(k) @ turn.T
        for m, at in ((k["mass"], own), (links, wheel)):
            mass, moment = mass - m, moment - m * at
            inertia = inertia - m * (at @ at * np.eye(3) - np.outer(at, at))
    centre = moment / mass
    inertia = inertia - mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    six = tuple(float(inertia[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
    bars = tuple(bar_rate(Rig(vehicle, axle, check=False)) for axle in Axle)
    axles = {axle: axle_inertia(vehicle, axle) for axle in Axle}
    tyres = tuple(_post_tyre(vehicle, car, axles[car.corner.axle], centre) for car in corners)
    whole = {car.corner: axles[car.corner.axle].travel_momentum[k % 2] for k, car in enumerate(corners)}
    momentum = tuple(
        tuple((_about(whole[c.corner], axles[c.corner.axle].reference, centre) - _own_momentum(c, centre)).tolist())
        for c in corners
    )
    coupling = tuple(float(found.travel_mass[0, 1]) for found in axles.values())
    body = float(mass), tuple(centre.tolist()), six
    return ReducedVehicle(vehicle.name, *body, bars, corners, tyres, momentum, coupling)  # type: ignore[arg-type]


def _about(momentum: Array, reference: Array, point: Array) -> Array:
    """A momentum, linear and about a reference, with the angular part about another point."""
    return np.concatenate((momentum[:3], momentum[3:] + np.cross(reference - point, momentum[:3])))


def _own_momentum(car: QuarterCar, centre: Array) -> Array:
    """Of a quarter car per speed of its wheel, linear and about a point, at the design position [kg], [kg·m]."""
    k, step = car.known, 1e-5
    turn, ahead, behind = (car.link.rotation(z) for z in (0.0, step, -step))
    spin = (ahead - behind) @ turn.T / (2.0 * step)
    turning = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
    way = np.array([float(car.link.x(0.0, 1)), float(car.link.y(0.0, 1)), 1.0])
    wheel = np.array([k[f"wheel_{axis}"] for axis in "xyz"]) - centre
    arm = turn @ np.array([k[f"centre_{axis}"] for axis in "xyz"])
    own = k["mass"] * (way + np.cross(turning, arm))
    links = car.parameters["unsprung_share"] * k["link_mass"] * way
    angular = np.cross(wheel + arm, own) + np.cross(wheel, links) + turn @ _inertia(k) @ turn.T @ turning
    return np.concatenate((own + links, angular))


def _inertia(known: Mapping[str, float]) -> Array:
    return np.array([[known[f"I{min(i, j)}{max(i, j)}"] for j in "xyz"] for i in "xyz"])


#: A vehicle of quarter cars saved as one file.
REDUCED_VEHICLE = Schema("trackrod.reduced_vehicle", 2, to_plain, lambda data: from_plain(ReducedVehicle, data))
