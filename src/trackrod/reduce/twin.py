"""The quarter car a second time, in NumPy: everything by differences and from first principles, to check the core.

The kinetic energy is that of a rigid body whose pose is differenced over z, the slope of the effective mass is the
difference of energies, the Bézier curves of the damper are evaluated as such, by their parameter, and SciPy integrates.
It shares with the core the numbers of a corner and the curves of the link, and no equation.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

from trackrod.core.constants import constant
from trackrod.core.quantities import STANDARD_GRAVITY
from trackrod.reduce.coefficients import SPRING_SCALE
from trackrod.reduce.model import QuarterCar

__all__ = ["TwinQuarterCar"]

Array = NDArray[np.float64]

#: Width of the differences [m], and share of a speed over which a transition of the damper goes to either side.
_STEP = 1e-4
_BEND, _MIDDLE = 0.7, 0.2


class TwinQuarterCar:
    """A quarter car in NumPy; slow and readable."""

    def __init__(self, car: QuarterCar) -> None:
        self.car, self.k, self.p = car, car.known, car.parameters
        rest = self.k["ride_height"]
        weight = self._slope(self._weight_energy, rest)
        push = self.k["corner_weight"] * self._slope(self._contact, rest)
        self.preload = (weight - push) / self._slope(lambda z: self._length("spring", z), rest)
        self.spring_length = self._length("spring", rest)

    def vector(self, name: str) -> Array:
        """A vector of the corner."""
        return np.array([self.k[f"{name}_{axis}"] for axis in "xyz"])

    def pose(self, z: float) -> tuple[Array, Rotation]:
        """Wheel centre [m] and orientation of the carrier in V."""
        link = self.car.link
        turn = Rotation.from_euler("ZXY", [float(c(z)) for c in (link.steer, link.inclination, link.pitch)])
        return self.vector("wheel") + np.array([float(link.x(z)), float(link.y(z)), z]), turn

    def _length(self, what: str, z: float) -> float:
        centre, turn = self.pose(z)
        return float(np.linalg.norm(centre + turn.apply(self.vector(f"{what}_wheel")) - self.vector(f"{what}_body")))

    def _contact(self, z: float) -> float:
        """Height of the contact point: the lowest point of a circle about the spin axis [m]."""
        centre, turn = self.pose(z)
        axis = turn.apply([0.0, 1.0, 0.0])
        down = np.array([0.0, 0.0, -1.0])
        down = down - axis * (axis @ down)
        return float(centre[2] + self.k["radius"] * down[2] / np.linalg.norm(down))

    def _weight_energy(self, z: float) -> float:
        centre, turn = self.pose(z)
        height = self.k["mass"] * (centre + turn.apply(self.vector("centre")))[2]
        return float(STANDARD_GRAVITY * (height + self._links * centre[2]))

    @property
    def _links(self) -> float:
        return self.p["unsprung_share"] * self.k["link_mass"]

    @staticmethod
    def _slope(function: object, z: float) -> float:
        ahead, behind = (function(z + s * _STEP) for s in (1.0, -1.0))  # type: ignore[operator]
        return float((ahead - behind) / (2.0 * _STEP))

    def mass(self, z: float) -> float:
        """Twice the kinetic energy at a speed of 1 m/s [kg]."""
        (a, before), (b, after) = self.pose(z - _STEP), self.pose(z + _STEP)
        own = self.vector("centre")
        way = (b + after.apply(own) - a - before.apply(own)) / (2.0 * _STEP)
        spin = self.pose(z)[1].inv().apply((after * before.inv()).as_rotvec()) / (2.0 * _STEP)
        names = [[f"I{min(i, j)}{max(i, j)}" for j in "xyz"] for i in "xyz"]
        inertia = np.array([[self.k[name] for name in row] for row in names])
        centre = (b - a) / (2.0 * _STEP)
        return float(self.k["mass"] * way @ way + spin @ inertia @ spin + self._links * centre @ centre)

    def damper(self, speed: float) -> float:
        """Force [N] over the speed of compression [m/s], with the friction of the seals."""
        slow = self.k["friction_speed"]
        return self._law(speed) + self.k["friction"] * float(np.sin(np.arctan(speed / slow)))

    def _law(self, speed: float) -> float:
        """Six coefficients: straight lines with a Bézier curve at each corner [N]."""
        low, at, high = (self.p[f"bump_{part}"] for part in ("low", "speed", "high"))
        low_r, at_r, high_r = (self.p[f"rebound_{part}"] for part in ("low", "speed", "high"))
        middle = _MIDDLE * at * at_r / (at + at_r)
        corners = [(-at_r, _BEND * at_r), (0.0, middle), (at, _BEND * at)]

        def straight(v: float) -> float:
            if v >= 0:
                return low * min(v, at) + high * max(v - at, 0.0)
            return low_r * max(v, -at_r) + high_r * min(v + at_r, 0.0)

        # a Bézier curve at standstill does not pass through the corner: it is shifted so that no speed is no force
        shift = 0.25 * (straight(-middle) + straight(middle))
        for where, half in corners:
            if abs(speed - where) < half:
                points = [(v, straight(v)) for v in (where - half, where, where + half)]
                t = brentq(lambda t, p=points: _bezier([v for v, _ in p], t) - speed, 0.0, 1.0, xtol=1e-15)
                return _bezier([f for _, f in points], t) - shift
        return straight(speed) - shift

    def spring(self, z: float) -> float:
        """Force [N]."""
        u = self.spring_length - self._length("spring", z)
        terms = [self.p[f"spring_{name}"] for name in ("rate", "second", "third")]
        return float(self.preload + sum(c * u * (u / SPRING_SCALE) ** i for i, c in enumerate(terms)))

    def rates(self, z: float, v: float, s: float, load: float) -> tuple[float, float, float]:
        """Acceleration [m/s²], rate of the mount [m/s], force of the damper [N]."""
        way = self._slope(lambda x: self._length("damper", x), z)
        soft, damping = self.p["mount_compliance"], self.p["mount_damping"]
        rate = 0.0
        if soft > 0:
            most = 10.0 + abs(way * v)
            rate = brentq(lambda r: self.damper(-way * v - r) - s / soft - damping * r, -most, most, xtol=1e-13)
        force = self.damper(-way * v - rate)
        push = self.spring(z) * self._slope(lambda x: self._length("spring", x), z) + force * way
        push -= self.k["leaf_friction"] * float(np.sin(np.arctan(v / constant("friction_speed"))))
        push += load * self._slope(self._contact, z) - self._slope(self._weight_energy, z)
        return (push - 0.5 * self._slope(self.mass, z) * v**2) / self.mass(z), rate, force

    def drive(self, load: Array, step: float) -> Array:
        """As `QuarterCar.drive`: position, velocity and acceleration at each step, the load straight between."""
        time = step * np.arange(load.size)

        def slope(t: float, x: Array) -> list[float]:
            a, rate, _ = self.rates(x[0], x[1], x[2], float(np.interp(t, time, load)))
            return [x[1], a, rate]

        start = [self.k["ride_height"], 0.0, 0.0]
        found = solve_ivp(slope, (0.0, time[-1]), start, "LSODA", time, rtol=1e-7, atol=1e-9, max_step=4 * step)
        a = [self.rates(x[0], x[1], x[2], f)[0] for x, f in zip(found.y.T, load, strict=True)]
        return np.column_stack((found.y[0], found.y[1], a))


def _bezier(points: list[float], t: float) -> float:
    first, second, third = points
    return first * (1 - t) ** 2 + 2 * second * t * (1 - t) + third * t**2
