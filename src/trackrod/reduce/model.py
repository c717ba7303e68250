"""A quarter car with one equivalent link (SLEKQ): what it is made of, and what it does under a load.

The corner of a vehicle gives everything that is known: masses, curves of the link, lines of spring and damper, ride
height. The parameters are what has to be identified: how much of the links moves with the wheel, spring and damper with
what bushings add to them, and the mount of the damper.

Reference: the equations stand in ``cpp/trackrod/quarter_car/model.hpp``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import least_squares

from trackrod import _core
from trackrod.core.artefact import Schema
from trackrod.core.corners import Corner
from trackrod.core.errors import ConvergenceError, InputError, Problem, RangeError, UnknownNameError, raise_if_errors
from trackrod.core.plain import Plain
from trackrod.core.records import from_plain, to_plain
from trackrod.kc.rig import Rig
from trackrod.reduce.coefficients import CORNER, PARAMETERS, SPRING_SCALE
from trackrod.reduce.curves import LinkCurves, LinkReadings, own_line
from trackrod.vehicle.connectors import Damper, Spring
from trackrod.vehicle.elements import Role

__all__ = ["NAMES", "QUARTER_CAR", "QuarterCar", "Wheel", "component_damper", "driven", "is_dependent", "known_corner"]

Array = NDArray[np.float64]

#: Names of the parameters, in the order of the core.
NAMES = tuple(item.name for item in PARAMETERS)
_CORNER = tuple(item.name for item in CORNER)
_POSITIVE = ("spring_rate", "bump_low", "bump_speed", "bump_high", "rebound_low", "rebound_speed", "rebound_high")
#: Speeds between which the six coefficients stand for a component's curve [m/s].
_FASTEST = 1.2
#: Length of the line that stands for a spring or damper that a wheel does not have [m]: it hardly leans.
_UPRIGHT = 10.0


@dataclass(frozen=True, slots=True, eq=False)
class Wheel:
    """What a wheel did.

    Attributes
    ----------
    motion
        Position since the design position [m], velocity [m/s], acceleration [m/s²], shape (samples, 3).
    slopes
        Derivatives of these by `NAMES`, shape (samples, 3, parameters); None where they were not asked for.
    """

    motion: Array
    slopes: Array | None = None


@dataclass(frozen=True)
class QuarterCar:
    """One corner of a vehicle, reduced.

    Attributes
    ----------
    name
        Of the vehicle.
    corner
        Which wheel.
    known
        Numbers of `CORNER` by name [SI].
    link
        Curves of the equivalent link.
    parameters
        Numbers of `PARAMETERS` by name [SI].

    Raises
    ------
    InputError, RangeError
        A number is missing, unknown, not finite, or such that no suspension has it.
    """

    name: str
    corner: Corner
    known: Mapping[str, float]
    link: LinkCurves
    parameters: Mapping[str, float]

    def __post_init__(self) -> None:
        raise_if_errors(self._problems(), RangeError)

    def _problems(self) -> list[Problem]:
        found = []
        for what, given, names in (("known", self.known, _CORNER), ("parameters", self.parameters, NAMES)):
            if set(given) != set(names):
                wrong = sorted(set(given) ^ set(names))
                return [Problem(f"a quarter car needs other {what} numbers: {', '.join(wrong)}")]
            found += [Problem(f"{name} is {value}") for name, value in given.items() if not np.isfinite(value)]
        p = self.parameters
        found += [Problem(f"{name} is {p[name]:g}, it must be above zero") for name in _POSITIVE if p[name] <= 0]
        if not 0.0 <= p["unsprung_share"] <= 1.0:
            found.append(Problem(f"unsprung_share is {p['unsprung_share']:g}, 0 to 1 is possible"))
        found += [
            Problem(f"{name} is {p[name]:g}, it must not be negative")
            for name in ("mount_compliance", "mount_damping")
            if p[name] < 0
        ]
        return found

    @cached_property
    def core(self) -> _core.QuarterCar:
        """The corner in the core."""
        return _core.QuarterCar(np.array([self.known[name] for name in _CORNER]), self.link.core_arguments())

    @property
    def vector(self) -> Array:
        """The parameters in the order of `NAMES`."""
        return np.array([self.parameters[name] for name in NAMES])

    def with_parameters(self, values: Mapping[str, float] | Array) -> QuarterCar:
        """The same corner with other parameters; those that a mapping does not name stay."""
        given = values if isinstance(values, Mapping) else dict(zip(NAMES, np.asarray(values).tolist(), strict=True))
        for name in given:
            if name not in NAMES:
                raise UnknownNameError("parameter of a quarter car", name, NAMES)
        return replace(self, parameters={**self.parameters, **given})

    def with_link(self, link: LinkCurves) -> QuarterCar:
        """The same corner with another link: what-if. Lines of spring and damper move with the wheel."""
        return replace(self, link=link)

    def drive(self, load: ArrayLike, step: float, *, derivatives: bool = False) -> Wheel:
        """From rest at ride height under a load of the road on the wheel, the body anchored.

        Parameters
        ----------
        load
            At each step [N]; the first one is that at rest.
        step
            [s]
        derivatives
            Whether those by the parameters are wanted.

        Raises
        ------
        ConvergenceError
            The motion gets lost.
        """
        loads = np.ascontiguousarray(load, dtype=np.float64)
        return driven(self, self.vector, loads, step, derivatives=derivatives)

    # ---- what the numbers mean

    @property
    def unsprung_mass(self) -> float:
        """Wheel, carrier and share of the links [kg]."""
        return self.known["mass"] + self.parameters["unsprung_share"] * self.known["link_mass"]

    @property
    def preload(self) -> float:
        """Force of the spring at ride height [N]."""
        return float(self.core.preload(self.vector))

    @property
    def free_compression(self) -> float:
        """Compression of the spring at ride height since its free length [m]: what gives the preload.

        NaN if the cubic never vanishes.
        """
        a, b, c = self._local
        roots = np.roots([-c, b, -a, self.preload])
        real = roots.real[(np.abs(roots.imag) < 1e-9 * np.abs(roots)) & (roots.real > 0)]
        return float(real.min()) if real.size else float("nan")

    @property
    def _local(self) -> tuple[float, float, float]:
        p = self.parameters
        return p["spring_rate"], p["spring_second"] / SPRING_SCALE, p["spring_third"] / SPRING_SCALE**2

    @property
    def spring(self) -> tuple[float, float, float]:
        """k1, k2, k3 of F = Σ k_i L^i with L the compression since the free length [N/m], [N/m²], [N/m³]."""
        a, b, c = self._local
        at = self.free_compression
        return a - 2.0 * b * at + 3.0 * c * at**2, b - 3.0 * c * at, c

    @property
    def damper(self) -> tuple[float, ...]:
        """d1 … d6: rates [N·s/m] and speeds [m/s] in bump, then in rebound."""
        return tuple(self.parameters[name] for name in NAMES[4:10])

    @property
    def mount(self) -> dict[str, float | None]:
        """Stiffness [N/m], None for a rigid one, and damping [N·s/m] of the mount of the damper."""
        soft = self.parameters["mount_compliance"]
        return {"stiffness": 1.0 / soft if soft > 0 else None, "damping": self.parameters["mount_damping"]}

    def spring_force(self, compression: ArrayLike) -> Array:
        """Of the spring [N] over its compression since ride height [m]."""
        u = np.asarray(compression, dtype=np.float64)
        a, b, c = self._local
        return np.asarray(self.preload + u * (a + u * (b + u * c)))

    def damper_force(self, speed: ArrayLike) -> Array:
        """Of the damper [N] over the speed of its compression [m/s], friction of its seals included."""
        v = np.atleast_1d(np.asarray(speed, dtype=np.float64))
        rubbing = self.known["friction"] * v / np.hypot(v, self.known["friction_speed"])
        return np.asarray(self.core.damper(self.vector, v) + rubbing)


def driven(
    car: QuarterCar,
    parameters: Array,
    load: Array,
    step: float,
    *,
    derivatives: bool = False,
    recorded: Array | None = None,
    strength: float = 0.0,
    gains: Array | None = None,
) -> Wheel:
    """As `QuarterCar.drive` for any parameters, and pulled to a recording if there is one.

    Parameters
    ----------
    recorded, strength, gains
        Position, velocity and acceleration (samples, 3), how strongly the model is pulled to them, 0 to 1, and with
        what [N/m], [N·s/m], [kg].
    """
    guide = np.zeros((0, 3)) if recorded is None or strength == 0.0 else np.ascontiguousarray(recorded)
    with_gains = np.zeros(3) if gains is None else np.ascontiguousarray(gains)
    motion, done, slopes = car.core.drive(
        np.ascontiguousarray(parameters), step, load, guide, strength, with_gains, derivatives
    )
    # beyond half a metre no wheel is where it was
    if done < load.size or not np.isfinite(motion).all() or np.abs(motion[:, 0]).max() > 0.5:
        raise ConvergenceError(f"the quarter car of '{car.name}' gets lost after {done * step:.3g} s")
    return Wheel(motion, slopes if derivatives else None)


def _without_leaves(data: Mapping[str, Any]) -> Mapping[str, Plain]:
    """Of version 1, which knew no leaves that rub."""
    return {**data, "known": {**data["known"], "leaf_friction": 0.0}}


#: A quarter car saved as one file.
QUARTER_CAR = Schema(
    "trackrod.quarter_car", 2, to_plain, lambda data: from_plain(QuarterCar, data), {1: _without_leaves}
)


def known_corner(rig: Rig, corner: Corner, readings: LinkReadings, height: float, weight: float) -> dict[str, float]:
    """What the multibody model says of a corner: numbers of `CORNER` by name.

    Spring and damper are given by their ends. Where such a line does not end on the wheel carrier, its end in the frame
    of the wheel is the point whose distance from the other end changes over the travel as the length does on the rig.
    A wheel without a spring or damper of its own has one that stands upright.

    Parameters
    ----------
    rig, corner
        Which wheel.
    readings
        Of the rig.
    height, weight
        Ride height [m] and corner weight [N].
    """
    side = [wheel.corner for wheel in rig.wheels].index(corner)
    centre = np.array(rig.wheels[side].centre)
    mass, offset, inertia = _carried(rig, corner)
    numbers = {"mass": mass, "link_mass": _link_mass(rig, corner), "radius": float(rig.radii[side])}
    numbers |= {"ride_height": height, "corner_weight": weight, "friction": 0.0, "friction_speed": 1.0}
    numbers["leaf_friction"] = readings.friction(height)
    numbers |= {f"I{'xyz'[i]}{'xyz'[j]}": float(inertia[i, j]) for i in range(3) for j in range(i, 3)}
    vectors = {"centre": offset, "wheel": centre}
    for k, what in enumerate(("spring", "damper")):
        vectors[f"{what}_wheel"], vectors[f"{what}_body"] = _line(rig, corner, what, readings, readings.lengths[:, k])
    numbers |= {
        f"{name}_{axis}": float(v) for name, vector in vectors.items() for axis, v in zip("xyz", vector, strict=True)
    }
    return {name: numbers[name] for name in _CORNER}


def carrying_groups(rig: Rig, corner: Corner) -> dict[int, float]:
    """Groups of the model that carry a wheel, with the share of each that belongs to it.

    The wheel carrier; on a solid axle whatever of it is a carrier too, half of what belongs to both wheels.
    """
    side = [wheel.corner for wheel in rig.wheels].index(corner)
    found = {rig.carriers[side]: 0.5 if rig.carriers[0] == rig.carriers[1] else 1.0}
    for body in rig.vehicle.bodies:
        i = rig.model.index.get(body.name, -1)
        if i < 0 or i in rig.carriers or body.role is not Role.CARRIER or body.side not in (None, corner.side):
            continue
        found[i] = 0.5 if body.side is None else 1.0
    return found


def is_dependent(rig: Rig, corner: Corner) -> bool:
    """Whether something carries both wheels: a solid axle."""
    return 0.5 in carrying_groups(rig, corner).values()


def _carried(rig: Rig, corner: Corner) -> tuple[float, Array, Array]:
    """Mass [kg], centre in W [m] and inertia about it along W [kg·m²] of wheel and carrier.

    What belongs to both wheels counts as if it lay in the plane of the wheel, for both move alike.
    """
    side = [wheel.corner for wheel in rig.wheels].index(corner)
    frame, centre = rig.frames[side], np.array(rig.wheels[side].centre)
    parts = []
    for i, share in carrying_groups(rig, corner).items():
        group = rig.model.groups[i]
        at = frame.T @ (group.centre - centre)
        if share < 1.0:
            at[1] = 0.0
        parts.append((share * group.mass, at, share * frame.T @ group.inertia @ frame))
    mass = sum(part[0] for part in parts)
    middle = np.sum([m * at for m, at, _ in parts], axis=0) / mass
    inertia = np.zeros((3, 3))
    for m, at, own in parts:
        d = at - middle
        inertia += own + m * (d @ d * np.eye(3) - np.outer(d, d))
    return float(mass), middle, inertia


def _link_mass(rig: Rig, corner: Corner) -> float:
    """Of what hangs between wheel carrier and body on one side [kg]; a subframe belongs to none."""
    carriers = {*rig.carriers, *carrying_groups(rig, corner)}
    total = 0.0
    for body in rig.vehicle.bodies:
        if rig.model.index.get(body.name, -1) in {-1, *carriers} or body.role not in (Role.LINK, Role.DRIVELINE):
            continue
        total += body.mass if body.side is corner.side else 0.0
    return total


def _line(rig: Rig, corner: Corner, what: str, readings: LinkReadings, lengths: Array) -> tuple[Array, Array]:
    """End on the wheel in W and end on the body in V of a spring or damper."""
    side = [wheel.corner for wheel in rig.wheels].index(corner)
    centre, name = np.array(rig.wheels[side].centre), own_line(rig, corner, what)
    if name is None:
        return np.zeros(3), centre + np.array([0.0, 0.0, _UPRIGHT])
    elements: tuple[Spring | Damper, ...] = (*rig.vehicle.springs, *rig.vehicle.dampers)
    element = next(one for one in elements if one.name == name)
    moving = [body in rig.model.index for body in element.bodies]
    on_body = moving.index(False) if moving.count(False) == 1 else int(np.argmax([end[2] for end in element.ends]))
    top, bottom = np.array(element.ends[on_body]), np.array(element.ends[1 - on_body])
    drawn = rig.frames[side].T @ (bottom - centre)
    at = centre + np.column_stack((readings.moved, readings.z))
    change = lengths - lengths[len(lengths) // 2]

    def off(end: Array) -> Array:
        length = np.linalg.norm(at + readings.rotation @ end - top, axis=1)
        return np.concatenate((1e3 * (length - length[len(length) // 2] - change), 1e-3 * (end - drawn)))

    return np.asarray(least_squares(off, drawn).x), top


def component_damper(rig: Rig, corner: Corner) -> tuple[dict[str, float], dict[str, float]] | None:
    """What is nearest to the curve of a wheel's damper: six coefficients, and the friction of its seals beside them.

    None where the wheel has no damper of its own.

    Raises
    ------
    InputError
        The curve lacks a branch, or does not resist.
    """
    name = own_line(rig, corner, "damper")
    if name is None:
        return None
    damper = next(one for one in rig.vehicle.dampers if one.name == name)
    curve = damper.characteristic.curve
    for branch, speeds in (("rebound", curve.x[curve.x > 0]), ("bump", curve.x[curve.x < 0])):
        if not speeds.size:
            text = (
                f"the damper '{name}' has no {branch} branch: its curve runs from {curve.x[0]:g} to {curve.x[-1]:g} m/s"
            )
            raise InputError(Problem(text, hint="a quarter car needs forces in both directions"))
    fastest = min(_FASTEST, float(curve.x[-1]), float(-curve.x[0]))
    speed = fastest * np.linspace(-1.0, 1.0, 81)
    force = -np.interp(-speed, curve.x, curve.y)
    if not (force[-1] > 0 > force[0]):
        raise InputError(f"the damper '{name}' does not resist: {force[0]:.0f} N and {force[-1]:.0f} N at its ends")
    bump, rebound, bend = force[-1] / fastest, -force[0] / fastest, 0.3 * fastest
    first = [bump, bend, bump, rebound, bend, rebound]

    def off(logarithms: Array) -> Array:
        numbers = np.zeros(len(NAMES))
        numbers[4:10] = np.exp(logarithms[:6])
        size, slow = np.exp(logarithms[6:])
        rubbing = size * speed / np.hypot(speed, slow)
        return np.asarray((_core.QuarterCar.damper(numbers, speed) + rubbing - force) / np.abs(force).max())

    # even in the logarithm of the speed: the seals rub at a hundredth of the speeds that valves work at
    slow_to_fast = np.geomspace(1e-3, 1.0, 60) * fastest
    speed = np.concatenate((-slow_to_fast[::-1], slow_to_fast))
    force = -np.interp(-speed, curve.x, curve.y)
    start = np.log([*first, 0.02 * np.abs(force).max(), 0.005])
    low, high = start - 3.0, start + 3.0
    low[[1, 4]], high[[1, 4]] = np.log(0.05 * fastest), np.log(0.75 * fastest)
    low[6], low[7], high[7] = start[6] - 6.0, np.log(1e-3), np.log(0.03)
    found = np.exp(least_squares(off, start, bounds=(low, high)).x).tolist()
    rubs = {"friction": found[6], "friction_speed": found[7]}
    return dict(zip(NAMES[4:10], found[:6], strict=True)), rubs
