"""Force elements of an axle as CarMaker has them: forces over lengths, and lengths over the compressions.

The real-time model knows forces on the travels of the wheels. An element of CarMaker has one characteristic for both
wheels of an axle, and a length that follows from the compressions; virtual work makes its force on them. So lengths are
chosen such that the same forces come out:

- the spring has the length that the model knows, or goes with the wheel;
- what the rack changes of the wheel loads turns the ends of the bar against each other, as far as both wheels feel the
  opposite; the rest, b, is work of the spring: at a held rack its energy over the travel z is E + ∫ b dz;
- the anti-roll bar holds what the axle has in roll beyond its springs, its ends move by s with k d(s²)/dτ = that force
  over the twist τ of the bar; on an axle with a rack each end knows its own wheel alone;
- where that is negative, as at a solid axle (paper 002: an internal force proportional to the opposite travel with a
  negative gain), no bar can hold it. The spring then feels the mean travel p and a part B of the opposite travel o,
  such that both springs have the energy of the axle: E(p + B) + E(p − B) = E(p + o) + E(p − o) + 2 ∫ roll do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator

from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.errors import InputError
from trackrod.core.maps import Extrapolation, Interpolation, Map2D, Variable
from trackrod.core.quantities import KINDS
from trackrod.kc.maps import held_apart
from trackrod.rtm.layout import CHANNELS
from trackrod.rtm.levers import felt, over_opposite_travel, over_twist
from trackrod.rtm.spec import Curve, RtmSpec, WheelSpec

__all__ = ["AxleElements", "Stop", "kinematics_map"]

Array = NDArray[np.float64]

#: Lengths at the design position that the model does not know [m].
_SPRING_LENGTH, _STOP_LENGTH = 0.5, 0.3
#: Roll stiffness below which there is no bar [N/m], and parallel travel within which bases of stops blend [m].
_NO_BAR, _BLEND = 1.0, 0.02
#: Change of a wheel load that does not count [N]; how far off its travel a spring may be free [m].
_LITTLE, _FAR = 1.0, 10.0
#: Halvings of an interval until rounding ends them; travel that is none, and over which slopes are taken [m].
_HALVINGS, _STILL, _STEP = 60, 1e-9, 1e-4
#: Part of the usual lever of a spring below which its length is not told by the map.
_LEAST_LEVER = 0.2
_ANGLES = ("rx", "ry", "rz")


@dataclass(frozen=True, slots=True, eq=False)
class Stop:
    """A stop: parallel travel where it begins, what it is pressed by from there [m], its force [N]."""

    begins: float
    pressed: Array
    force: Array


def kinematics_map(wheel: WheelSpec) -> Map2D:
    """Kinematics of a wheel with the rules that the model follows."""
    outputs = [Variable(name, KINDS["angle" if name in _ANGLES else "length"]) for name in CHANNELS]
    axes = (Variable("first", KINDS["length"]), Variable("second", KINDS["length"]))
    return Map2D(
        axes,
        (wheel.first, wheel.second),
        outputs,
        wheel.kinematics,
        interpolation=Interpolation.PARABOLIC,
        extrapolation=Extrapolation.LINEAR,
    )


def at_curve(curve: Curve, at: Array) -> Array:
    """A curve as the model follows it: smooth between its knots, straight beyond; zero without points."""
    return curve.followed(at)[0]


class _Smooth:
    """A curve with its integral from 0."""

    def __init__(self, curve: Curve) -> None:
        self.low, self.high = curve.x[0], curve.x[-1]
        self.inner = PchipInterpolator(curve.x, curve.y)
        self.slope, self.area = self.inner.derivative(), self.inner.antiderivative()

    def value(self, at: Array) -> Array:
        inside = np.clip(at, self.low, self.high)
        return np.asarray(self.inner(inside) + self.slope(inside) * (at - inside))

    def energy(self, at: Array) -> Array:
        inside = np.clip(at, self.low, self.high)
        beyond = at - inside
        start = np.clip(0.0, self.low, self.high)
        outside = self.inner(inside) * beyond + 0.5 * self.slope(inside) * beyond**2
        return np.asarray(self.area(inside) - self.area(start) + outside)

    def root(self, at: Array) -> Array:
        """Square root of the energy from 0 with the sign of `at`, for a curve that rises through 0 there."""
        return np.asarray(np.sign(at) * np.sqrt(np.maximum(self.energy(at) - self.energy(np.zeros(1)), 0.0)))


class AxleElements:
    """Force elements of an axle, factors of the model applied.

    Parameters
    ----------
    spec
        The model.
    axle
        Which axle of it.

    Attributes
    ----------
    bar
        Stiffness of the anti-roll bar [N/m].
    roll_gain
        Force of what the axle has in roll beyond its springs for each metre of half the opposite travel [N/m]; negative
        where the springs feel a part of the opposite travel alone.
    lost
        What the elements of CarMaker do not hold, in sentences.
    """

    def __init__(self, spec: RtmSpec, axle: Axle) -> None:
        self.axle, self.steered = axle, spec.axles[tuple(Axle).index(axle)].steered
        self.wheels = [spec.wheels[list(Corner).index(Corner.of(axle, side))] for side in Side]
        self.maps = [kinematics_map(wheel) for wheel in self.wheels]
        self.lost: list[str] = []
        p = spec.parameters
        self.to_left = float(np.sign(p["steering_ratio"])) or 1.0  # a rack behind the axle goes to the right
        weight = p["gravity"] * p[f"unsprung_mass_{axle}"]
        factor, standing = p[f"spring_factor_{axle}"], p[f"standing_travel_{axle}"]
        curves = []
        for wheel in self.wheels:
            stands = float(at_curve(wheel.spring, np.array([standing]))[0])
            curves.append(Curve(wheel.spring.x, stands + factor * (wheel.spring.y - stands) - weight))
        self._elastic = curves
        self.travel = self.wheels[0].spring.x
        self._mean = Curve(self.travel, np.mean([at_curve(curve, self.travel) for curve in curves], axis=0))
        self._offsets = [self._offset(curve) for curve in curves]
        self._choose_lengths(spec)
        bump, rebound = (self._stop(sign, p[f"stop_factor_{axle}"]) for sign in (1.0, -1.0))
        self.bump, self.rebound = bump, rebound
        self.damper = self._damper(p[f"damper_factor_{axle}"])

    # ---- springs and what the axle has in roll

    def _offset(self, curve: Curve) -> float:
        """Travel by which the spring of a wheel stands off the mean one, for its load at the design position."""
        wanted, x = float(at_curve(curve, np.zeros(1))[0]), self._mean.x
        if not (np.diff(self._mean.y) > 0.0).all():
            return 0.0
        offset = float(
            np.interp(wanted, self._mean.y, x) - np.interp(at_curve(self._mean, np.zeros(1))[0], self._mean.y, x)
        )
        return offset if abs(offset) > 1e-7 else 0.0

    def _choose_lengths(self, spec: RtmSpec) -> None:
        axle = spec.axles[tuple(Axle).index(self.axle)]
        factor = spec.parameters[f"antiroll_factor_{self.axle}"]
        x, self.lever = axle.roll.x, axle.lever
        roll = Curve(x, axle.roll.y + (factor - 1.0) * at_curve(axle.antiroll, x)) if x.size else Curve()
        self.spring_known = self._spring_known()
        rest = roll
        if self.spring_known and x.size:
            rest = Curve(x, roll.y - at_curve(over_twist(self.lever, x, self._in_roll(x)), x))
        gain = float(_Smooth(rest).slope(0.0)) if x.size else 0.0
        if gain < -_NO_BAR:  # of the springs alone, which then feel a part of the opposite travel
            self.spring_known, rest = False, Curve(x, over_opposite_travel(self.lever, roll, x))
            gain = float(_Smooth(rest).slope(0.0))
            if self.lever.x.size:
                self.lost.append(f"levers of the {self.axle} wheels in roll that change with the travel")
        self.roll_gain, self._rest = gain, rest
        self.bar = max(0.5 * gain, 0.0) if gain > _NO_BAR else 0.0
        self._narrow = gain < -_NO_BAR
        if self._narrow and self.steered:
            text = "its springs would have to feel the opposite travel, which kinematics over steering do not have"
            raise InputError(f"the {self.axle} axle has a negative roll stiffness beyond its springs: {text}")
        self._rack_moves_springs = self._is_moved_by_rack()
        if gain > _NO_BAR:
            energy = _Smooth(rest).energy(x)
            if (
                (energy < -1e-9).any()
                or (np.diff(energy[x >= 0.0]) < 0.0).any()
                or (np.diff(energy[x <= 0.0]) > 0.0).any()
            ):
                self.lost.append(f"anti-roll stiffness of the {self.axle} axle that changes its sign: it is linear")
                self._rest = Curve(np.array([-1.0, 1.0]), gain * np.array([-1.0, 1.0]))

    def _is_moved_by_rack(self) -> bool:
        """Whether lengths of springs must hold something of what the rack changes of the wheel loads, and can."""
        if not self.steered:
            return False
        most = max(
            float(np.abs(self._springs_share(self._in_turn(w.second, k), w.second, k)[0]).max())
            for k, w in enumerate(self.wheels)
        )
        _, pressed, force = self.spring_table()
        pushes = bool((force * pressed >= 0.0).all())
        if most > _LITTLE and not pushes:
            self.lost.append(f"what the rack changes of the {self.axle} wheel loads: up to {most:.0f} N")
        return most > _LITTLE and pushes

    def _spring_known(self) -> bool:
        """Whether the model knows lengths of springs that fall with the travel, not those that go with the wheel."""
        tz, length = (CHANNELS.index(name) for name in ("tz", "spring_length"))
        for wheel in self.wheels:
            values = wheel.kinematics[..., length]
            if np.abs(np.diff(values + wheel.kinematics[..., tz], axis=0)).max() < 1e-9:
                return False
            if not (np.diff(values, axis=0) < 0.0).all():
                return False
        return True

    def _known(self, both: Array) -> tuple[Array, Array]:
        """Lengths of the springs that the model knows (n, 2) [m], and their slopes (n, of which, by which)."""
        length = CHANNELS.index("spring_length")
        values, slopes = np.zeros(both.shape), np.zeros((*both.shape, 2))
        half = 0.5 * (both[:, 0] - both[:, 1])
        for k, map_ in enumerate(self.maps):
            first = both[:, k] if self.steered else both.mean(axis=1)
            second = np.zeros(len(both)) if self.steered else half
            values[:, k] = map_.value(first, second)[:, length]
            by_first, by_second = (item[:, length] for item in map_.slopes(first, second))
            if self.steered:
                slopes[:, k, k] = by_first
            else:
                slopes[:, k, 0], slopes[:, k, 1] = 0.5 * (by_first + by_second), 0.5 * (by_first - by_second)
        return values, slopes

    def _in_roll(self, x: Array) -> Array:
        """What springs of known length do in opposite travel beyond what each does by its own travel [N]."""
        lengths, slopes = self._known(np.column_stack((x, -x)))
        free, pressed, force = self.spring_table()
        push = np.column_stack([at_curve(Curve(pressed, force), free - lengths[:, k]) for k in range(2)])
        loads = -np.einsum("nw,nwc->nc", push, slopes)
        alone = [at_curve(curve, sign * x) for curve, sign in zip(self._elastic, (1.0, -1.0), strict=True)]
        beyond = loads - np.column_stack(alone)
        return np.asarray(0.5 * (beyond[:, 0] - beyond[:, 1]))

    def spring_table(self) -> tuple[float, Array, Array]:
        """Free length of the spring [m], what it is compressed by [m], its force [N]."""
        z, load = self._mean.x, self._mean.y
        if self.spring_known:
            lengths, slopes = self._known(np.column_stack((z, z)))
            length, lever = lengths.mean(axis=1), -slopes.sum(axis=1).mean(axis=1)
            kept = lever > _LEAST_LEVER * np.median(lever)  # maps may turn flat at their ends
            length, force = length[kept], (load / np.where(kept, lever, 1.0))[kept]
        else:
            length, force = _SPRING_LENGTH - z, load
        order = np.argsort(-length)
        length, force = length[order], force[order]
        free = _root(length, force)
        return free, free - length, force

    def spring_lengths(self, own: Array, other: Array, k: int) -> Array:
        """Length of the spring of a wheel over its compression and the rack, or else the other compression [m]."""
        lengths = self._plain_lengths(own, other, k)
        return self._with_rack(lengths, own, other, k) if self._rack_moves_springs else lengths

    def _with_rack(self, lengths: Array, own: Array, rack: Array, k: int) -> Array:
        """Lengths of the spring that change the load of its wheel with the rack as the model says.

        Of a spring with the force F(x) and the energy E(x) over its compression x, which the travel z makes, the new
        compression y has F(y) dy/dz = F(x) dx/dz + b, so that E(y) = E(x) + ∫ b dz + c. The constant is the one with
        which y goes through zero where the force does.
        """
        racks, way = np.unique(rack, return_inverse=True)
        free, pressed, force = self.spring_table()
        spring = _Smooth(Curve(pressed, force))

        def load(z: Array) -> Array:
            return self._spring_load(z, racks, k) + self._springs_share(z, racks, k)[0]

        rests = _rising_root(load, np.zeros_like(racks))  # travels at which the spring is free
        least = spring.energy(free - self._plain_lengths(rests, racks, k)) + self._springs_share(rests, racks, k)[1]
        work = spring.energy(free - lengths) + self._springs_share(own, rack, k)[1] - least[way]
        wanted = np.sign(own - rests[way]) * np.sqrt(np.maximum(work, 0.0))
        return np.asarray(free - _rising_root(lambda y: spring.root(y) - wanted, free - lengths))

    def _springs_share(self, z: Array, racks: Array, k: int) -> tuple[Array, Array]:
        """What a spring has to hold of what the rack changes of its wheel's load [N], and its integral over z [J]."""
        more = self._by_rack_beyond(racks, k)
        turned = 2.0 * self.bar * self._bar_turned(racks) * (1.0 if k == 0 else -1.0)
        return more - turned * self._end_lever(z), more * z - turned * self._end_of(z)

    def _bar_turned(self, racks: Array) -> Array:
        """How far the rack turns the ends of the bar against each other, half of it [m].

        The bar pushes one wheel down and the other up: it holds what the rack does to both but for the sign.
        """
        if self.bar == 0.0:
            return np.zeros_like(racks)
        left, right = (self._by_rack_beyond(racks, k) for k in range(2))
        levers = sum(self._end_lever(self._in_turn(racks, k)) for k in range(2))
        return np.asarray(0.5 * (left - right) / (self.bar * levers))

    def _in_turn(self, racks: Array, k: int) -> Array:
        """Travel of a wheel in a turn [m], as far as the kinematics go."""
        reach = min(-self.wheels[k].first[0], self.wheels[k].first[-1])
        return np.asarray((1.0 if k == 0 else -1.0) * np.clip(held_apart(self.to_left * racks), -reach, reach))

    def _by_rack_beyond(self, racks: Array, k: int) -> Array:
        """What the rack changes of a wheel load in a turn beyond what it does by lengths that are known [N]."""
        z = self._in_turn(racks, k)
        known = self._spring_load(z, racks, k) - self._spring_load(z, np.zeros_like(racks), k)
        return np.asarray(at_curve(self.wheels[k].by_rack, racks) - known)

    def _spring_load(self, z: Array, rack: Array, k: int) -> Array:
        """Force of the spring on the travel of its wheel at a travel of the rack, by lengths that are known [N]."""
        free, pressed, force = self.spring_table()
        lever = np.ones_like(z)
        if self.spring_known:
            lever = -self.maps[k].slopes(z, rack)[0][:, CHANNELS.index("spring_length")]
        return at_curve(Curve(pressed, force), free - self._plain_lengths(z, rack, k)) * lever

    def _plain_lengths(self, own: Array, other: Array, k: int) -> Array:
        if self.spring_known:
            mean, half = 0.5 * (own + other), 0.5 * (own - other) * (1.0 if k == 0 else -1.0)
            at = (own, other) if self.steered else (mean, half)
            return np.asarray(self.maps[k].value(*at)[:, CHANNELS.index("spring_length")]) - self._offsets[k]
        if not self._narrow:
            return np.asarray(_SPRING_LENGTH - own - self._offsets[k])
        mean, half = 0.5 * (own + other), 0.5 * (own - other)
        return np.asarray(_SPRING_LENGTH - mean - self._felt(mean, half) - self._offsets[k])

    def _felt(self, mean: Array, half: Array) -> Array:
        """Part of half the opposite travel that a spring of the axle feels [m]."""
        spring, rest = _Smooth(self._mean), _Smooth(self._rest)

        def in_roll(part: Array) -> Array:
            return spring.energy(mean + part) + spring.energy(mean - part) - 2.0 * spring.energy(mean)

        size = np.abs(half)
        wanted = in_roll(size) + rest.energy(size) + rest.energy(-size)
        if (wanted[size > _STILL] <= 0.0).any():
            raise InputError(f"the {self.axle} axle has no roll stiffness left: its springs cannot hold that")
        found = _rising_root(
            lambda part: in_roll(np.abs(part)) * np.sign(part) - wanted, np.zeros_like(size), 2.0 * size
        )
        return np.asarray(np.sign(half) * found)

    def bar_lengths(self, own: Array, other: Array, k: int) -> Array:
        """Travel of the end of the anti-roll bar at a wheel [m]."""
        sign = 1.0 if k == 0 else -1.0
        if self.bar == 0.0:
            return own
        if self.steered:
            return np.asarray(self._end_of(own) + sign * self._bar_turned(other))
        return np.asarray(sign * self._end(sign * 0.5 * (felt(self.lever, own)[0] - felt(self.lever, other)[0])))

    def _end_of(self, z: Array) -> Array:
        """Travel of the end of the bar at a wheel with a rack, rack in the middle [m]; none without a bar."""
        return self._end(felt(self.lever, z)[0]) if self.bar else np.zeros_like(z)

    def _end_lever(self, z: Array) -> Array:
        return np.asarray((self._end_of(z + _STEP) - self._end_of(z - _STEP)) / (2.0 * _STEP))

    def _end(self, twist: Array) -> Array:
        return np.asarray(_Smooth(self._rest).root(twist) / np.sqrt(self.bar))

    # ---- stops and dampers

    def _stop(self, sign: float, factor: float) -> Stop | None:
        found = []
        for wheel in self.wheels:
            x, y = wheel.stops.x, sign * wheel.stops.y
            if sign < 0.0:
                x, y = -x[::-1], y[::-1]
            acts = y > 0.0
            if not acts.any():
                continue
            first = int(np.argmax(acts))
            if first == 0:
                begins = float(x[0] - (x[1] - x[0]) * y[0] / max(y[1] - y[0], 1e-9)) if x.size > 1 else float(x[0])
            else:
                share = -y[first - 1] / (y[first] - y[first - 1])  # 0 where the curve lies on the axis before
                begins = float(x[first - 1] + share * (x[first] - x[first - 1]))
            found.append((begins, np.append(0.0, x[first:] - begins), factor * np.append(0.0, y[first:])))
        if not found:
            return None
        if len(found) == 2 and not _same(found[0], found[1]):
            self.lost.append(
                f"stops of the {self.axle} axle that differ from left to right: those of the left wheel count"
            )
        begins, pressed, force = found[0]
        return Stop(sign * begins, pressed, np.maximum.accumulate(force))

    def stop_lengths(self, own: Array, other: Array, k: int) -> Array:
        """Length of the stops of a wheel [m]: they feel the mean travel and a part of the opposite travel."""
        mean, half = 0.5 * (own + other), 0.5 * (own - other)
        wheel = self.wheels[k]
        if self.steered:
            return np.asarray(_STOP_LENGTH - own)
        share = np.clip(0.5 + 0.5 * mean / _BLEND, 0.0, 1.0)
        base = wheel.rebound_base + (wheel.bump_base - wheel.rebound_base) * share
        return np.asarray(_STOP_LENGTH - mean - base * half)

    def _damper(self, factor: float) -> tuple[Array, Array]:
        """Push and pull: rows of speed [m/s] and force [N], from nothing."""
        curves = [wheel.damper for wheel in self.wheels]
        x = curves[0].x
        if not x.size:
            none = np.array([[0.0, 0.0], [1.0, 0.0]])
            return none, none
        y = np.mean([at_curve(curve, x) for curve in curves], axis=0)
        if np.abs(at_curve(curves[1], x) - curves[0].y).max() > 1e-3 * np.abs(y).max():
            self.lost.append(f"dampers of the {self.axle} axle that differ from left to right: their mean counts")
        at_rest = float(at_curve(Curve(x, y), np.zeros(1))[0])
        if abs(at_rest) > 1e-3 * np.abs(y).max():
            self.lost.append(f"force of the {self.axle} dampers at rest, {at_rest:.0f} N: it is left out")
        y = factor * (y - at_rest)
        sides = []
        for sign in (-1.0, 1.0):
            ahead = sign * x > 0.0
            rows = np.column_stack((sign * x[ahead], sign * y[ahead]))[:: int(sign)]
            sides.append(np.vstack(([0.0, 0.0], rows)) if rows.size else np.array([[0.0, 0.0], [1.0, 0.0]]))
        return sides[0], sides[1]

    def spring_difference(self) -> float:
        """Largest force by which a spring of the axle is off that of its wheel, beyond the load that it stands with."""
        z = self.travel
        found = [
            np.abs(at_curve(self._mean, z + offset) - at_curve(curve, z)).max()
            for curve, offset in zip(self._elastic, self._offsets, strict=True)
        ]
        return float(max(found))


def _same(one: tuple[float, Array, Array], other: tuple[float, Array, Array]) -> bool:
    first, second = (np.append(item[1:], [[item[0]], [0.0]], axis=1) for item in (one, other))
    return first.shape == second.shape and np.allclose(first, second, rtol=1e-4, atol=1e-6)


def _rising_root(function: Callable[[Array], Array], near: Array, reach: Array | float = _FAR) -> Array:
    """Where functions that rise go through zero, by halving."""
    low, high = near - reach, near + reach
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        below = function(middle) < 0.0
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.asarray(0.5 * (low + high))


def _root(length: Array, force: Array) -> float:
    """Length at which a force that grows while the length falls is zero; straight beyond the points."""
    if force[0] <= 0.0 <= force[-1]:
        return (
            float(np.interp(0.0, force, length))
            if (np.diff(force) > 0.0).all()
            else float(length[int(np.argmin(np.abs(force)))])
        )
    end, inner = (0, 1) if force[0] > 0.0 else (-1, -2)
    slope = (force[inner] - force[end]) / (length[inner] - length[end])
    return float(length[end] - force[end] / slope)
