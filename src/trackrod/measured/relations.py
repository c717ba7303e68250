"""What channels must have to do with each other, and which fault explains best that they do not.

Each relation is a law of mechanics between columns of one run: left = gain · right, with a gain that any road vehicle
has. A gain outside of its range, or of the other sign, breaks the relation. Then every fault that may be there (a
mistaken unit, a turned sign, swapped wheels) is mended in turn: the one that mends most relations and breaks none is
named; where several mend as many, all of them are.

    ay = vx · yaw_rate                      vx = R · wheel_speed            ax = d vx / dt
    yaw_rate = d yaw / dt, and so on        ΣFy = ΣFz / g · ay              ΣFx = ΣFz / g · ax
    yaw_rate = k · vx · steering            roll = k · ay                   pitch = −k · ax
    Fz right − left = k · ay                Fz front − rear = −k · ax       wheel_speed right − left = k · yaw_rate
    wheel_travel likewise                   Fy front − rear = k · d yaw_rate / dt

Limits: front and rear of brake pressures and of wheel speeds have no such law. Without turning and braking there is
nothing to be seen; relations that the run does not tell are left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from trackrod.core import signals
from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.errors import Severity
from trackrod.core.quantities import STANDARD_GRAVITY
from trackrod.core.series import Run
from trackrod.core.signals import CornerSignal, Signal, parse_column
from trackrod.measured.columns import WHEEL_VELOCITY
from trackrod.measured.faults import Fault, Finding
from trackrod.measured.processing import low_pass_nan

__all__ = ["Relation", "find_relation_faults", "relations_of"]

Array = NDArray[np.float64]

#: Relations are looked at below this frequency [Hz], where a vehicle follows without delay, in so many samples [Hz].
_SLOW, _RATE = 1.0, 10.0
#: Share of a period at both ends of a run in which the filter says little.
_ENDS = 0.3
#: Least correlation of a relation that tells something, and least speed at which wheels roll [m/s].
_TELLING, _ROLLING = 0.8, 3.0
#: Least standard deviations of what moves a vehicle: acceleration [m/s²], yaw rate [rad/s].
_LEAST_ACCELERATION, _LEAST_YAW_RATE = 0.3, 0.02
#: Least of the longitudinal acceleration over the lateral one.
_BESIDE_TURNING = 0.3
#: Drift over the run, over the range of the signal, and over its own uncertainty.
_DRIFT, _DRIFT_CERTAIN = 0.05, 6.0
#: Correlation of what a relation follows from with time, beyond which a drift cannot be told from it.
_RAMP = 0.8
_PARTS, _LEAST_SAMPLES = 12, 30
#: Quantities of wheels that may be exchanged; those that loads move, and whether outward is more.
_FAMILIES = (
    signals.FX,
    signals.FY,
    signals.FZ,
    signals.WHEEL_SPEED,
    signals.WHEEL_TRAVEL,
    signals.DAMPER_LENGTH,
    WHEEL_VELOCITY,
)
_TRANSFERS = ((signals.FZ, 1.0), (signals.WHEEL_TRAVEL, 1.0), (signals.DAMPER_LENGTH, -1.0))
#: Most faults that are named one after the other.
_MOST_FAULTS = 6

_DEGREE, _RPM = 180.0 / math.pi, 30.0 / math.pi
#: How much too large a recorded number is if its unit was mistaken, by kind: factor, and what was mistaken for what.
_MISTAKES: Mapping[str, tuple[tuple[float, str], ...]] = {
    "velocity": ((3.6, "km/h taken for m/s"), (1 / 3.6, "m/s taken for km/h"), (2.23694, "mile/h taken for m/s")),
    "angle": ((_DEGREE, "degrees taken for radians"), (1 / _DEGREE, "radians taken for degrees")),
    "angular_velocity": (
        (_DEGREE, "deg/s taken for rad/s"),
        (1 / _DEGREE, "rad/s taken for deg/s"),
        (_RPM, "rpm taken for rad/s"),
        (1 / _RPM, "rad/s taken for rpm"),
    ),
    "acceleration": (
        (STANDARD_GRAVITY, "m/s² taken for g"),
        (1 / STANDARD_GRAVITY, "g taken for m/s²"),
    ),
    "force": ((1e-3, "kN taken for N"), (1e3, "N taken for kN"), (1 / STANDARD_GRAVITY, "kgf taken for N")),
    "length": ((1e3, "mm taken for m"), (1e-3, "m taken for mm"), (1e2, "cm taken for m")),
}


@dataclass(frozen=True, slots=True)
class Relation:
    """A law between columns: left = gain · right.

    Attributes
    ----------
    name
        As an equation.
    columns
        That stand in it.
    left, right
        Slow parts, over time.
    low, high
        Gains that vehicles have.
    through_zero
        Whether both sides vanish together; otherwise their means say nothing.
    is_linear
        Whether the gain is the same all the time, so that a trend of what it leaves is a drift.
    """

    name: str
    columns: tuple[str, ...]
    left: Array
    right: Array
    low: float
    high: float
    through_zero: bool = False
    is_linear: bool = False

    @property
    def gain(self) -> float:
        """Slope of left over right."""
        x, y = self._pairs()
        return float(x @ y / (x @ x))

    @property
    def tells(self) -> bool:
        """Whether both sides move, and together."""
        x, y = self._pairs()
        scale = float(np.sqrt((x @ x) * (y @ y)))
        return x.size > _LEAST_SAMPLES and scale > 0.0 and abs(float(x @ y)) >= _TELLING * scale

    @property
    def holds(self) -> bool:
        """Whether the gain is one that vehicles have."""
        return self.low <= self.gain <= self.high

    def _pairs(self) -> tuple[Array, Array]:
        both = np.isfinite(self.left) & np.isfinite(self.right)
        x, y = self.right[both], self.left[both]
        return (x, y) if self.through_zero or not x.size else (x - x.mean(), y - y.mean())

    def trend(self, time: Array) -> tuple[float, float]:
        """Change of the left side from the start to the end that the right one does not explain, and its deviation."""
        both = np.isfinite(self.left) & np.isfinite(self.right)
        t = time[both] - time[both].mean()
        basis = np.linalg.qr(np.column_stack([np.ones(t.size), self.right[both]]))[0]
        along, rest = (v - basis @ (basis.T @ v) for v in (t, self.left[both]))
        slope = float(along @ rest / (along @ along))
        parts = np.array([part.sum() for part in np.array_split((rest - slope * along) * along, _PARTS)])
        deviation = math.sqrt(_PARTS * float(parts.var(ddof=1))) / float(along @ along)
        length = float(time[-1] - time[0])
        return slope * length, deviation * length


def relations_of(run: Run) -> list[Relation]:
    """Every relation that the columns of a run allow and that its motion tells."""
    return _telling(_slow(run))


def find_relation_faults(run: Run, channels: Mapping[str, str]) -> list[Finding]:
    """Wrong units, turned signs, swapped wheels, drift; each with the columns that may be meant.

    Parameters
    ----------
    run
        Measured.
    channels
        Where its columns come from.
    """
    columns = _slow(run)
    findings = []
    for _ in range(_MOST_FAULTS):
        broken = [relation for relation in _telling(columns) if not relation.holds]
        if not broken:
            break
        suspects = _best_suspects(columns, broken)
        if not suspects:
            findings += [_unexplained(relation, channels) for relation in broken[:_MOST_FAULTS]]
            break
        findings.append(_finding(suspects, broken, channels))
        columns = suspects[0].mended(columns)
    return findings or list(_drifts(columns, channels))


def _slow(run: Run) -> dict[str, Array]:
    """The columns without what is fast, in few samples; without their ends, where a filter shows noise as it is."""
    rate = (run.time.size - 1) / (run.time[-1] - run.time[0])
    every = max(1, int(rate / _RATE))
    band = min(_SLOW, 0.2 * rate)
    time = run.time[::every].copy()
    ends = (time - time[0] < _ENDS / band) | (run.time[-1] - time < _ENDS / band)
    ends &= not ends.all()
    slow = {c: np.where(ends, np.nan, low_pass_nan(run.time, values, band)[::every]) for c, values in run.items()}
    return {**slow, signals.TIME.column: time}


def _telling(columns: Mapping[str, Array]) -> list[Relation]:
    return [relation for relation in _Laws(columns).relations() if relation.tells]


def _spread(values: Array) -> float:
    """Standard deviation of what is there; 0 for nothing."""
    known = values[np.isfinite(values)]
    return float(known.std()) if known.size else 0.0


# Who is it --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Suspect:
    """A fault that may be there: columns whose numbers are too large by a factor, or columns that are exchanged."""

    fault: Fault
    columns: tuple[str, ...]
    factor: float
    what: str

    def mended(self, columns: Mapping[str, Array]) -> dict[str, Array]:
        """The columns without the fault."""
        if self.fault is Fault.SWAPPED:
            pairs = zip(self.columns[::2], self.columns[1::2], strict=True)
            return {**columns, **{a: columns[b] for pair in pairs for a, b in (pair, pair[::-1])}}
        return {**columns, **{column: columns[column] / self.factor for column in self.columns}}


def _best_suspects(columns: Mapping[str, Array], broken: Sequence[Relation]) -> list[_Suspect]:
    before = {relation.name for relation in broken}
    concerned = {column for relation in broken for column in relation.columns}
    scored = []
    for suspect in _suspects(columns):
        if not concerned & set(suspect.columns):
            continue
        after = {relation.name for relation in _telling(suspect.mended(columns)) if not relation.holds}
        if after < before:
            scored.append((len(after), suspect))
    least = min((left for left, _ in scored), default=0)
    best = [suspect for left, suspect in scored if left == least]
    return [s for s in best if s.fault is best[0].fault or s.fault is not Fault.UNIT]


def _suspects(columns: Mapping[str, Array]) -> Iterator[_Suspect]:
    """What may be wrong, the simplest first: wheels exchanged, a sign, a unit; of one column, then of four wheels."""
    families = [family for family in _FAMILIES if all(signal.column in columns for signal in family.signals)]
    for family in families:
        fl, fr, rl, rr = (signal.column for signal in family.signals)
        for what, exchanged in (
            ("left and right of the front axle are exchanged", (fl, fr)),
            ("left and right of the rear axle are exchanged", (rl, rr)),
            ("left and right are exchanged", (fl, fr, rl, rr)),
            ("front and rear on the left are exchanged", (fl, rl)),
            ("front and rear on the right are exchanged", (fr, rr)),
            ("front and rear are exchanged", (fl, rl, fr, rr)),
        ):
            yield _Suspect(Fault.SWAPPED, exchanged, 1.0, what)
    groups: list[tuple[str, ...]] = [(column,) for column in columns if column != signals.TIME.column]
    groups += [tuple(signal.column for signal in family.signals) for family in families]
    for group in groups:
        yield _Suspect(Fault.SIGN, group, -1.0, "counts the other way")
    for group in groups:
        for factor, what in _MISTAKES.get(parse_column(group[0]).kind.name, ()):
            yield _Suspect(Fault.UNIT, group, factor, what)


def _finding(suspects: Sequence[_Suspect], broken: Sequence[Relation], channels: Mapping[str, str]) -> Finding:
    fault = suspects[0].fault
    columns = tuple(dict.fromkeys(column for suspect in suspects for column in suspect.columns))
    said = " or ".join(dict.fromkeys(f"{_names(s.columns, channels)}: {s.what}" for s in suspects[:4]))
    relation = next((r for r in broken if set(r.columns) & set(suspects[0].columns)), broken[0])
    more = f", and {len(broken) - 1} more do not hold" if len(broken) > 1 else ""
    hints = {
        Fault.SWAPPED: "exchange the channels in the map",
        Fault.SIGN: "sign = -1 in the map",
        Fault.UNIT: "state the unit in the map",
    }
    text = f"{said} ({_gain(relation)}{more})"
    return Finding(fault, columns, _channels(columns, channels), Severity.ERROR, text, hints[fault])


def _unexplained(relation: Relation, channels: Mapping[str, str]) -> Finding:
    text = f"{_names(relation.columns, channels)} do not go together ({_gain(relation)})"
    hint = "look at their units, signs and sensors"
    named = _channels(relation.columns, channels)
    return Finding(Fault.UNIT, relation.columns, named, Severity.ERROR, text, hint)


def _gain(relation: Relation) -> str:
    return f"{relation.name} has the gain {relation.gain:.3g}, {relation.low:g} to {relation.high:g} is possible"


def _names(columns: Sequence[str], channels: Mapping[str, str]) -> str:
    return ", ".join(f"'{channels.get(column, column)}' ({column})" for column in columns)


def _channels(columns: Sequence[str], channels: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(channels.get(column, column) for column in columns)


def _drifts(columns: Mapping[str, Array], channels: Mapping[str, str]) -> Iterator[Finding]:
    """The column whose drift, once it is taken out, leaves the fewest relations with a trend."""
    time = columns[signals.TIME.column]
    before = _trends(columns)
    scored = []
    for column in dict.fromkeys(column for relation, _ in before.values() for column in relation.columns):
        name = next(name for name, (relation, _) in before.items() if column in relation.columns)
        drift = _drift_behind(columns, column, name)
        after = _trends({**columns, column: columns[column] - drift * (time - time[0])})
        if after.keys() < before.keys():
            scored.append((len(after), column, drift * float(time[-1] - time[0])))
    if not scored:
        return
    best = [(column, change) for left, column, change in scored if left == min(left for left, _, _ in scored)]
    found = tuple(column for column, _ in best)
    moved = " or ".join(f"{_names([c], channels)} by {change:.3g} {parse_column(c).kind.unit}" for c, change in best)
    start, end = float(time[0]), float(time[-1])
    text = f"a sensor drifts from {start:g} to {end:g} s: {moved} ({', '.join(before)})"
    hint = "zero the sensor before each run, or give the run in pieces"
    yield Finding(Fault.DRIFT, found, _channels(found, channels), Severity.WARNING, text, hint, start, end)


def _trends(columns: Mapping[str, Array]) -> dict[str, tuple[Relation, float]]:
    """Relations whose left side changes over time without the right one, by name, and the change."""
    found = {}
    time = columns[signals.TIME.column]
    for relation in _telling(columns):
        both = np.isfinite(relation.left) & np.isfinite(relation.right)
        if not relation.is_linear or abs(np.corrcoef(time[both], relation.right[both])[0, 1]) > _RAMP:
            continue
        change, deviation = relation.trend(time)
        spread = float(np.nanpercentile(relation.left, 98) - np.nanpercentile(relation.left, 2))
        if abs(change) > max(_DRIFT * spread, _DRIFT_CERTAIN * deviation):
            found[relation.name] = relation, change
    return found


def _drift_behind(columns: Mapping[str, Array], column: str, name: str) -> float:
    """The drift of a column [its unit per second] that would explain the trend of a relation, by a secant."""
    time = columns[signals.TIME.column]
    tried = 0.01 * float(np.nanmax(columns[column]) - np.nanmin(columns[column])) / float(time[-1] - time[0])
    changes = [
        next(
            (r.trend(time)[0] for r in _Laws(moved).relations() if r.name == name),
            0.0,
        )
        for moved in (columns, {**columns, column: columns[column] - tried * (time - time[0])})
    ]
    return tried * changes[0] / (changes[0] - changes[1]) if changes[0] != changes[1] else 0.0


# The laws ---------------------------------------------------------------------------------------------------


class _Laws:
    """Makes the relations of slow columns, as far as these are there."""

    def __init__(self, columns: Mapping[str, Array]) -> None:
        self.columns = columns

    def relations(self) -> Iterator[Relation]:
        """All of them."""
        yield from self._of_body()
        yield from self._of_rates()
        yield from self._of_forces()
        for family, sign in _TRANSFERS:
            yield from self._of_transfer(family, sign)
        yield from self._of_wheel_speeds()

    def _of_body(self) -> Iterator[Relation]:
        vx, ay, ax, r = signals.VX, signals.AY, signals.AX, signals.YAW_RATE
        if self._has(vx, r) and self._turns():
            yield self._relation("ay = vx · yaw_rate", (ay, vx, r), self[ay], self[vx] * self[r], 0.7, 1.4, linear=True)
        if self._has(vx) and self._speeds_up():
            yield self._relation("ax = d vx / dt", (ax, vx), self[ax], self._rate(vx), 0.7, 1.4, linear=True)
        steers = [(signals.STEERING_WHEEL_ANGLE, 0.004, 0.12)]
        steers += [(signals.STEER[corner], 0.08, 0.8) for corner in (Corner.FL, Corner.FR)]
        for steer, low, high in steers:
            if self._has(vx, steer) and self._moves(r, _LEAST_YAW_RATE):
                name = f"yaw_rate = k · vx · {steer.name}"
                yield self._relation(name, (r, vx, steer), self[r], self[vx] * self[steer], low, high)
        if self._has(signals.ROLL) and self._turns():
            yield self._relation("roll = k · ay", (signals.ROLL, ay), self[signals.ROLL], self[ay], 0.001, 0.04)
        if self._has(signals.PITCH) and self._speeds_up():
            pitch = signals.PITCH
            yield self._relation("pitch = −k · ax", (pitch, ax), self[pitch], -self[ax], 2e-4, 0.03)

    def _of_rates(self) -> Iterator[Relation]:
        for angle, rate in (
            (signals.YAW, signals.YAW_RATE),
            (signals.ROLL, signals.ROLL_RATE),
            (signals.PITCH, signals.PITCH_RATE),
            (signals.YAW_RATE, signals.YAW_ACCELERATION),
        ):
            if self._has(angle) and self._moves(rate, _LEAST_YAW_RATE):
                name = f"{rate.name} = d {angle.name} / dt"
                yield self._relation(name, (rate, angle), self[rate], self._rate(angle), 0.7, 1.4, linear=True)

    def _of_forces(self) -> Iterator[Relation]:
        loads = signals.FZ.signals
        if self._has(*loads):
            total = np.sum([self[load] for load in loads], axis=0)
            for family, acceleration, moves in (
                (signals.FY, signals.AY, self._turns()),
                (signals.FX, signals.AX, self._speeds_up()),
            ):
                if self._has(*family.signals) and moves:
                    force = np.sum([self[signal] for signal in family.signals], axis=0)
                    name = f"Σ{family.name} = ΣFz / g · {acceleration.name}"
                    columns = (*family.signals, *loads, acceleration)
                    right = total / STANDARD_GRAVITY * self[acceleration]
                    yield self._relation(name, columns, force, right, 0.7, 1.4, linear=family is signals.FY)
            for load in loads:  # none of four wheels carries nearly all or nothing
                name = f"{load.name} = k · Fz of the others"
                right = total - self[load]
                linear = not self._speeds_up()
                yield self._relation(name, loads, self[load], right, 0.08, 1.5, through_zero=True, linear=linear)
        for corner in Corner:
            force = signals.FY[corner]
            if self._has(force) and self._turns():
                name = f"{force.name} = k · ay"
                yield self._relation(name, (force, signals.AY), self[force], self[signals.AY], 20.0, 4000.0)
        if self._has(*signals.FY.signals) and self._moves(signals.YAW_RATE, _LEAST_YAW_RATE):
            left, right = (
                self[signals.FY[Corner.of(Axle.FRONT, side)]] - self[signals.FY[Corner.of(Axle.REAR, side)]]
                for side in Side
            )
            columns = (*signals.FY.signals, signals.YAW_RATE)
            name = "Fy front − rear = k · d yaw_rate / dt"
            yield self._relation(name, columns, left + right, self._rate(signals.YAW_RATE), 0.0, np.inf)

    def _of_transfer(self, family: CornerSignal, sign: float) -> Iterator[Relation]:
        if self._turns():
            for axle in Axle:
                left, right = (family[Corner.of(axle, side)] for side in Side)
                if self._has(left, right):
                    name = f"{family.name} {axle}, right − left = k · ay"
                    moved = sign * (self[right] - self[left])
                    yield self._relation(
                        name, (left, right, signals.AY), moved, self[signals.AY], 0.0, np.inf, linear=True
                    )
        if self._speeds_up():
            for side in Side:
                front, rear = (family[Corner.of(axle, side)] for axle in Axle)
                if self._has(front, rear):
                    name = f"{family.name} {side}, front − rear = −k · ax"
                    moved = sign * (self[front] - self[rear])
                    yield self._relation(name, (front, rear, signals.AX), moved, -self[signals.AX], 0.0, np.inf)

    def _of_wheel_speeds(self) -> Iterator[Relation]:
        vx, r = signals.VX, signals.YAW_RATE
        for spin in signals.WHEEL_SPEED.signals:
            if self._has(vx, spin):
                rolling = np.where(np.abs(self[spin]) > _ROLLING, self[vx], np.nan)
                name = f"vx = R · {spin.name}"
                yield self._relation(name, (vx, spin), rolling, self[spin], 0.18, 0.62, through_zero=True)
        if self._has(vx, *signals.WHEEL_SPEED.signals):
            columns = (vx, *signals.WHEEL_SPEED.signals)
            mean = np.mean([self[spin] for spin in signals.WHEEL_SPEED.signals], axis=0)
            yield self._relation("vx = R · mean wheel_speed", columns, self[vx], mean, 0.18, 0.62, linear=True)
        for rim in WHEEL_VELOCITY.signals:
            if self._has(vx, rim):
                name = f"vx = {rim.name}"
                yield self._relation(name, (vx, rim), self[vx], self[rim], 0.8, 1.25, through_zero=True)
        if self._moves(r, _LEAST_YAW_RATE):
            for family, axle in product((signals.WHEEL_SPEED, WHEEL_VELOCITY), Axle):
                left, right = (family[Corner.of(axle, side)] for side in Side)
                if self._has(left, right):
                    name = f"{family.name} {axle}, right − left = k · yaw_rate"
                    yield self._relation(name, (left, right, r), self[right] - self[left], self[r], 0.0, np.inf)

    def __getitem__(self, signal: Signal) -> Array:
        return self.columns[signal.column]

    def _has(self, *wanted: Signal) -> bool:
        return all(signal.column in self.columns for signal in wanted)

    def _moves(self, signal: Signal, least: float) -> bool:
        return self._has(signal) and _spread(self[signal]) > least

    def _turns(self) -> bool:
        """Whether there is ay, and it moves, or would if its unit were right."""
        return self._has(signals.AY) and self._turning() > _LEAST_ACCELERATION

    def _turning(self) -> float:
        found = [self[signals.AY]] if self._has(signals.AY) else []
        found += [self[signals.VX] * self[signals.YAW_RATE]] if self._has(signals.VX, signals.YAW_RATE) else []
        return max(map(_spread, found), default=0.0)

    def _speeds_up(self) -> bool:
        """Whether there is ax, and it moves, or would if its unit were right, more than by the drag of a turn."""
        if not self._has(signals.AX):
            return False
        found = [self[signals.AX], *([self._rate(signals.VX)] if self._has(signals.VX) else [])]
        moves = max(map(_spread, found))
        return moves > max(_LEAST_ACCELERATION, _BESIDE_TURNING * self._turning())

    def _rate(self, signal: Signal) -> Array:
        return np.asarray(np.gradient(self[signal], self[signals.TIME]), dtype=np.float64)

    def _relation(
        self,
        name: str,
        columns: Sequence[Signal],
        left: Array,
        right: Array,
        low: float,
        high: float,
        *,
        through_zero: bool = False,
        linear: bool = False,
    ) -> Relation:
        names = tuple(signal.column for signal in columns)
        return Relation(name, names, left, right, low, high, through_zero, linear)
