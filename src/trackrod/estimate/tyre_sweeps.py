"""Sweeps of a bench: samples sorted by load, camber and pressure, both directions of a sweep averaged.

A tyre that is swept lags behind by its relaxation length, so that its force is late by as much upwards as downwards:
half of the difference of both directions tells the relaxation length, with which the slip angle of the contact patch
is known, and the average of both directions is the steady state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter, lfiltic

from trackrod.core.errors import InputError
from trackrod.estimate.tyre_data import BenchData

__all__ = ["OUTPUTS", "Points", "Sweep", "Sweeps", "find_sweeps"]

Array = NDArray[np.float64]
Integers = NDArray[np.intp]

#: What a tyre is asked at, and what it answers.
INPUTS = ("Fz", "kappa", "alpha", "gamma", "Vx", "p")
OUTPUTS = ("Fx", "Fy", "Mx", "My", "Mz")
#: What is taken where an input was not measured [SI].
_USUAL = {"kappa": 0.0, "gamma": 0.0, "Vx": 16.7, "p": 220e3}
#: Steps between levels that count at least: part of the whole range, and in SI.
_STEP, _STEPS = 0.04, {"Fz": 30.0, "gamma": np.radians(0.4), "p": 3e3, "alpha": np.radians(0.4)}
#: Samples whose median is one observation of a level; share of them that makes one.
_BLOCK, _SHARE = 25, 0.005
#: Bins over a sweep, so narrow that the curve is straight in each; share of the usual length below which a piece is a
#: transient, and samples below which it is none at all.
_BINS, _SHORT, _FEW = 80, 0.2, 10
#: A slip is swept if its range is at least this.
_SWEPT = {"alpha": np.radians(2.0), "kappa": 0.02}
#: Difference between a sweep and its repeat that makes the first one a warm-up, over the largest force.
_WARMED = 0.01
#: Share of the sweeps that must lag, so that it is the tyre that does.
RELAXED = 0.9
#: Slip angles up to which the lag is measured [rad].
_LINEAR = np.radians(2.0)


@dataclass(frozen=True, slots=True)
class Sweep:
    """One sweep of slip at constant load, camber and pressure.

    Attributes
    ----------
    load, camber, pressure
        Medians [N, rad, Pa].
    swept
        ``alpha`` or ``kappa``.
    samples
        How many it has.
    warm_up
        Whether it was driven again later with another result, and so is left out.
    relaxation
        Lateral relaxation length [m]; NaN where the sweep has one direction.
    """

    load: float
    camber: float
    pressure: float
    swept: str
    samples: int
    warm_up: bool
    relaxation: float


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Steady-state points, or samples: inputs and outputs of a tyre as arrays [SI, ISO 8855].

    Attributes
    ----------
    columns
        By the names of `INPUTS`, those of `OUTPUTS` that were measured, and ``radius``.
    sweep
        Number of the sweep that each belongs to.
    """

    columns: Mapping[str, Array]
    sweep: Integers

    def __getitem__(self, name: str) -> Array:
        return self.columns[name]

    def __contains__(self, name: str) -> bool:
        return name in self.columns

    def __len__(self) -> int:
        return int(self.sweep.size)

    def inputs(self) -> tuple[Array, ...]:
        """Arguments of `Tyre.evaluate`, in their order."""
        return tuple(self.columns[name] for name in INPUTS)

    def at(self, chosen: NDArray[np.bool_] | Integers) -> Points:
        """Some of them."""
        return Points({name: values[chosen] for name, values in self.columns.items()}, self.sweep[chosen])


@dataclass(frozen=True, slots=True, eq=False)
class Sweeps:
    """What a bench measured, sorted.

    Attributes
    ----------
    sweeps
        In the order of the measurement.
    points
        Both directions averaged, without warm-up and transients.
    samples
        What the points were made of, at the slip angle of the contact patch where the relaxation length is known.
    notes
        What was left out, and why.
    """

    sweeps: tuple[Sweep, ...]
    points: Points
    samples: Points
    notes: tuple[str, ...]

    def levels(self, name: str) -> Array:
        """Distinct values of ``load`` [N], ``camber`` [rad] or ``pressure`` [Pa] of the sweeps that count."""
        return np.array(sorted({getattr(sweep, name) for sweep in self.sweeps if not sweep.warm_up}))

    def without_load(self, load: float) -> Sweeps:
        """The same without the sweeps at a load of `levels` [N]."""
        kept = np.array([sweep.load != load for sweep in self.sweeps])
        return Sweeps(
            self.sweeps, self.points.at(kept[self.points.sweep]), self.samples.at(kept[self.samples.sweep]), self.notes
        )

    def at_load(self, load: float) -> Points:
        """The samples at a load of `levels` [N]."""
        chosen = np.array([sweep.load == load for sweep in self.sweeps])
        return self.samples.at(chosen[self.samples.sweep])


def find_sweeps(data: BenchData, *, keep_warm_up: bool = False) -> Sweeps:
    """Sort samples into sweeps and average both directions of each.

    Parameters
    ----------
    data
        Samples of a bench.
    keep_warm_up
        Use also sweeps that were driven again later with another result.

    Raises
    ------
    InputError
        No slip is swept.
    """
    assumed = {name: _USUAL[name] for name in INPUTS if name not in data}
    columns = {name: data[name] for name in (*INPUTS, *OUTPUTS, "radius") if name in data}
    columns |= {name: np.full(data.samples, value) for name, value in assumed.items()}
    condition, levels = _conditions(columns)
    time = data.channels.get("time")
    piece = _pieces(condition, time)
    lengths = np.bincount(piece)
    usual = np.median(lengths[lengths > _FEW]) if (lengths > _FEW).any() else lengths.max()
    found: list[Sweep] = []
    points: list[Points] = []
    samples: list[Points] = []
    moved: list[tuple[Integers, Array | None]] = []
    every = Points(columns, piece)
    left_out = 0
    for number in range(piece.max() + 1):
        inside = np.flatnonzero(piece == number)
        own = every.at(inside)
        swept = _swept(own)
        if condition[inside[0]] < 0 or inside.size < max(_SHORT * usual, _FEW) or swept is None:
            left_out += inside.size
            continue
        up = _direction(own[swept]) if time is not None else np.zeros(inside.size, dtype=np.intp)
        clock = None if time is None else time[inside]
        averaged, length = _averaged(own, swept, up, clock)
        level = levels[condition[inside[0]]]
        found.append(Sweep(level[0], level[1], level[2], swept, inside.size, False, length))
        points.append(averaged)
        samples.append(own)
        moved.append((up, clock))
    if not found:
        raise InputError("no slip is swept: neither slip angle nor longitudinal slip changes at a load that is held")
    for k, length in _relaxation_by_load(found).items():
        up, clock = moved[k]
        samples[k] = _at_the_patch(samples[k], clock, length)
        points[k], _ = _averaged(samples[k], found[k].swept, up, clock)
    notes = [f"{name} was not measured: {value:g} is taken" for name, value in assumed.items()]
    if left_out:
        notes.append(f"{left_out} samples between the sweeps were left out")
    warm = [] if keep_warm_up else _warm_ups(found, points)
    for number, change in warm:
        found[number] = replace(found[number], warm_up=True)
        notes.append(
            f"sweep {number + 1} ({found[number].load:.0f} N, {found[number].pressure / 1e3:.0f} kPa) is a warm-up: "
            f"driven again, the force differs by {100 * change:.1f} % of its largest"
        )
    numbers = [k for k, sweep in enumerate(found) if not sweep.warm_up]
    means, raw = (_joined([parts[k] for k in numbers], numbers) for parts in (points, samples))
    return Sweeps(tuple(found), means, raw, tuple(notes))


def _joined(parts: list[Points], numbers: list[int]) -> Points:
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0].columns}
    return Points(columns, np.repeat(numbers, [len(part) for part in parts]))


def _conditions(columns: Mapping[str, Array]) -> tuple[Integers, list[tuple[float, float, float]]]:
    """For each sample the number of its condition, −1 where it is between two; load, camber, pressure of each."""
    held = ["Fz", "gamma", "p"]
    if np.ptp(columns["kappa"]) > _SWEPT["kappa"]:
        held.append("alpha")
    parts = [_levels(columns[name], _STEPS[name]) for name in held]
    known = np.logical_and.reduce([number >= 0 for number, _ in parts])
    keys = np.array([number for number, _ in parts])
    distinct, index = np.unique(keys[:, known], axis=1, return_inverse=True)
    condition = np.full(known.size, -1)
    condition[known] = index
    centres = [parts[i][1] for i in range(3)]
    return condition, [tuple(float(centres[i][column[i]]) for i in range(3)) for column in distinct.T]  # type: ignore[misc]


def _levels(values: Array, least: float) -> tuple[Integers, Array]:
    """Number of the level of each sample, −1 for none, and the levels."""
    block = _BLOCK if values.size > 20 * _BLOCK else 1
    count = values.size // block
    medians = np.sort(np.median(values[: count * block].reshape(count, block), axis=1))
    step = max(least, _STEP * float(medians[-1] - medians[0]))
    split = np.split(medians, np.flatnonzero(np.diff(medians) > step) + 1)
    groups = [group for group in split if group.size >= _SHARE * count]
    if len(groups) > 20:  # it is swept, not held
        return np.zeros(values.size, dtype=np.intp), np.array([float(np.median(values))])
    centres = np.array([float(np.median(group)) for group in groups])
    nearest = np.abs(values[:, None] - centres).argmin(axis=1)
    reach = np.array([max(step, 1.5 * float(np.ptp(group))) for group in groups])
    nearest[np.abs(values - centres[nearest]) > reach[nearest]] = -1
    return nearest, centres


def _pieces(condition: Integers, time: Array | None) -> Integers:
    """Number of the piece of equal condition without a gap in time that a sample belongs to."""
    if time is None:  # steady-state points: what was measured in the same condition belongs together
        return np.unique(condition, return_inverse=True)[1]
    steps = np.diff(time)
    gap = steps > 20.0 * np.median(steps)
    return np.concatenate(([0], np.cumsum((np.diff(condition) != 0) | gap | (steps < 0))))


def _swept(points: Points) -> str | None:
    ranges = {name: float(np.ptp(points[name])) / least for name, least in _SWEPT.items()}
    name = max(ranges, key=lambda key: ranges[key])
    return name if ranges[name] >= 1.0 else None


def _direction(slip: Array) -> Integers:
    """1 upwards, −1 downwards, 0 where it rests."""
    width = max(slip.size // 100, 1)
    ahead, behind = np.roll(slip, -width), np.roll(slip, width)
    ahead[-width:], behind[:width] = slip[-1], slip[0]
    moved = ahead - behind
    return np.where(np.abs(moved) > 0.2 * np.median(np.abs(moved)), np.sign(moved), 0.0).astype(np.intp)


def _averaged(points: Points, swept: str, direction: Integers, time: Array | None) -> tuple[Points, float]:
    """Means over bins of the slip, of both directions with equal weight; relaxation length [m]."""
    slip = points[swept]
    both = all(np.count_nonzero(direction == d) > 0.2 * slip.size for d in (-1, 1))
    ways = (1, -1) if both else (0,)
    size = _BINS if time is not None else slip.size
    order = np.clip(np.digitize(slip, np.linspace(slip.min(), slip.max(), size + 1)) - 1, 0, size - 1)
    bins = order if time is not None else np.arange(slip.size)  # steady-state points stay what they are
    tables: list[dict[str, Array]] = []
    for way in ways:
        chosen = direction == way if both else np.ones(slip.size, dtype=bool)
        count = np.bincount(bins[chosen], minlength=size)
        scale = np.where(count > 0, 1.0 / np.maximum(count, 1), np.nan)
        tables.append(
            {
                name: np.bincount(bins[chosen], values[chosen], minlength=size).astype(np.float64) * scale
                for name, values in points.columns.items()
            }
        )
    mean = {name: np.mean([table[name] for table in tables], axis=0) for name in points.columns}
    lag = _relaxation(tables, mean, slip, direction, time) if both and swept == "alpha" and "Fy" in points else np.nan
    whole = np.isfinite(mean["Fz"])
    return Points(
        {name: values[whole] for name, values in mean.items()}, np.zeros(int(whole.sum()), dtype=np.intp)
    ), lag


def _relaxation(
    tables: list[dict[str, Array]], mean: Mapping[str, Array], slip: Array, direction: Integers, time: Array | None
) -> float:
    """From half of the difference between up and down: F_up − F_down = −2 F' σ/V dα/dt."""
    near = np.isfinite(mean["Fy"]) & (np.abs(mean["alpha"]) < _LINEAR)
    if time is None or near.sum() < 4:
        return np.nan
    rates = np.gradient(slip, time)
    rate = float(np.median(np.abs(rates[direction != 0])))
    slope = np.polyfit(mean["alpha"][near], mean["Fy"][near], 1)[0]
    # Both directions have bins of their own: what they differ in slip and load is taken out first.
    half = 0.5 * (tables[0]["Fy"] - tables[1]["Fy"] - slope * (tables[0]["alpha"] - tables[1]["alpha"]))[near]
    return float(-np.mean(half) / (slope * rate) * np.mean(mean["Vx"][near]))


def _relaxation_by_load(found: list[Sweep]) -> dict[int, float]:
    """Relaxation length of every sweep of the slip angle, the median of its load [m]; nothing where they contradict."""
    told = {k: sweep for k, sweep in enumerate(found) if np.isfinite(sweep.relaxation)}
    if not told or np.mean([sweep.relaxation > 0 for sweep in told.values()]) < RELAXED:
        return {}
    loads: dict[float, list[float]] = {}
    for sweep in told.values():
        loads.setdefault(sweep.load, []).append(sweep.relaxation)
    return {k: float(np.median(loads[sweep.load])) for k, sweep in told.items()}


def _at_the_patch(points: Points, time: Array | None, length: float) -> Points:
    """The same with the slip angle that the contact patch has: behind by the relaxation length."""
    if time is None or not length > 0:
        return points
    alpha = points["alpha"]
    lag = length / float(np.mean(points["Vx"]))
    step = float(np.median(np.diff(time)))
    keep = np.exp(-step / lag)
    rest = lag / step * (1.0 - keep)  # exact for a slip angle that is linear between samples
    begin = alpha[0] - lag * (alpha[1] - alpha[0]) / step
    # behind[k] = keep behind[k−1] + (1 − rest) alpha[k] + (rest − keep) alpha[k−1]
    state = lfiltic([1.0 - rest, rest - keep], [1.0, -keep], [begin], [alpha[0]])
    behind, _ = lfilter([1.0 - rest, rest - keep], [1.0, -keep], alpha[1:], zi=state)
    return Points({**points.columns, "alpha": np.concatenate(([begin], behind))}, points.sweep)


def _warm_ups(found: list[Sweep], points: list[Points]) -> list[tuple[int, float]]:
    """Sweeps that were driven again in the same condition with another force, and by how much of its largest."""
    changes = []
    for k, sweep in enumerate(found):
        key = (sweep.load, sweep.camber, sweep.pressure, sweep.swept)
        again = [
            j
            for j in range(k + 1, len(found))
            if (found[j].load, found[j].camber, found[j].pressure, found[j].swept) == key
        ]
        if not again:
            continue
        first, last = points[k], points[again[-1]]
        output = "Fy" if sweep.swept == "alpha" else "Fx"
        if output not in first:
            continue
        order = np.argsort(last[sweep.swept])
        repeat = np.interp(first[sweep.swept], last[sweep.swept][order], (last[output] / last["Fz"])[order])
        change = float(np.sqrt(np.mean((first[output] / first["Fz"] - repeat) ** 2)) / np.abs(repeat).max())
        if change > _WARMED:
            changes.append((k, change))
    return changes
