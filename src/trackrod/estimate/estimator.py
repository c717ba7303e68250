"""How every estimator works: admissible samples, a linear law over them, and what is uncertain in it.

An estimator is a frozen record of its settings. It says which columns and known numbers it needs, which samples are
admissible, and what law holds over them: y = X β, or y = β₀ where the value is a mean. What sensors may have wrong is
carried through by computing again with the gain and the zero of each column, and each known number, at its bound.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trackrod.core.corners import Axle, Corner
from trackrod.core.errors import RangeError
from trackrod.core.quantities import Kind
from trackrod.core.series import Run
from trackrod.core.signals import Signal
from trackrod.estimate.known import KNOWN, Known
from trackrod.estimate.result import CannotTell, Estimate, Result
from trackrod.estimate.statistics import Fit, fit, half_width, smooth
from trackrod.measured.sensors import SensorSet

__all__ = ["Channels", "Estimator", "Law", "estimate", "moving_window", "of_axle", "spans"]

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


def of_axle(axle: Axle) -> tuple[Corner, Corner]:
    """The left and the right corner of an axle."""
    left, right = (corner for corner in Corner if corner.axle is axle)
    return left, right


def spans(values: Sequence[Array], least: float) -> bool:
    """Whether values of several runs reach far enough to tell a further term: the largest over the smallest.

    5 % of them lie beyond both.
    """
    found = np.concatenate([*values, np.zeros(0)])
    found = found[np.isfinite(found)]
    low, high = np.quantile(found, (0.05, 0.95)) if found.size else (1.0, 1.0)
    return bool(high > least * low)


class Channels:
    """The columns of a run as an estimator reads them; it remembers which, and can have one of them wrong.

    What was smoothed is kept: a law is worked out again for every sensor, and only one column changes each time.
    """

    def __init__(
        self,
        columns: Mapping[str, Array],
        read: set[str] | None = None,
        kept: Mapping[tuple[str, float, bool], Array] | None = None,
    ) -> None:
        self._columns = columns
        self.read: set[str] = set() if read is None else read
        self._kept = dict(kept or {})

    def __getitem__(self, key: Signal | str) -> Array:
        column = key.column if isinstance(key, Signal) else key
        self.read.add(column)
        return self._columns[column]

    def __contains__(self, key: Signal | str) -> bool:
        return (key.column if isinstance(key, Signal) else key) in self._columns

    @property
    def time(self) -> Array:
        """[s]."""
        return self._columns["time_s"]

    def smoothed(self, key: Signal | str, window: float) -> Array:
        """A column, smoothed without phase over a window [s]."""
        return self._smoothed(key, window, rate=False)

    def smoothed_values(self, values: Array, window: float) -> Array:
        """What was worked out from columns, smoothed in the same way."""
        return smooth(values, self.time, window)

    def rate(self, key: Signal | str, window: float) -> Array:
        """Rate of a column, smoothed over a window [s]."""
        return self._smoothed(key, window, rate=True)

    def _smoothed(self, key: Signal | str, window: float, *, rate: bool) -> Array:
        values = self[key]  # counts as read, kept or not
        name = key.column if isinstance(key, Signal) else key, window, rate
        if name not in self._kept:
            self._kept[name] = smooth(np.gradient(values, self.time) if rate else values, self.time, window)
        return self._kept[name]

    def wrong(self, column: str, gain: float, zero: float) -> Channels:
        """With a gain and a zero error of one column."""
        others = {name: values for name, values in self._kept.items() if name[0] != column}
        return Channels({**self._columns, column: (1.0 + gain) * self._columns[column] + zero}, kept=others)


class Law(NamedTuple):
    """y = X β over the samples of a run.

    Attributes
    ----------
    y, X
        Shapes (n,) and (n, k).
    instruments
        As X, from other sensors; None for none.
    per_sample
        Value of each sample as one equation gives it, shape (n,); None where that is y over the first column of X.
    """

    y: Array
    X: Array
    instruments: Array | None = None
    per_sample: Array | None = None


class _Tracked(Known):
    """Known numbers that remember which of them were asked for."""

    __slots__ = ("asked",)

    def __init__(self, known: Known) -> None:
        super().__init__(known, known.bounds)
        self.asked: set[str] = set()

    def __getitem__(self, name: str) -> float:
        self.asked.add(name)
        return super().__getitem__(name)


@dataclass(frozen=True, kw_only=True)
class Estimator(ABC):
    """One parameter from runs; subclasses add the settings of their filters.

    Attributes
    ----------
    least_samples
        Fewer admissible samples tell nothing.
    """

    least_samples: int = 50

    #: Name of the parameter, with settings in braces, and its kind.
    parameter: ClassVar[str]
    of: ClassVar[Kind]

    @property
    def name(self) -> str:
        """Of the parameter."""
        return self.parameter.format(**vars(self))

    @property
    def kind(self) -> Kind:
        """Of the parameter."""
        return self.of

    @abstractmethod
    def needs(self) -> tuple[str, ...]:
        """Columns without which a run is of no use."""

    def needs_known(self) -> tuple[str, ...]:
        """Names of known numbers without which there is no value."""
        return ()

    def over(self, runs: Sequence[Channels], known: Known) -> Estimator:
        """With settings that all usable runs together tell; itself where there are none."""
        del runs, known
        return self

    @abstractmethod
    def admissible(self, run: Channels, known: Known) -> Mask:
        """Which samples of a run are used."""

    @abstractmethod
    def law(self, run: Channels, known: Known) -> Law:
        """Over all samples of a run; only the admissible ones count."""

    def value(self, coefficients: Array) -> float:
        """Of the parameter, by the coefficients of the law."""
        return float(coefficients[0])

    def enough(self, law: Law, known: Known) -> bool:
        """Whether all kinds of driving that it needs are among the admissible samples."""
        del known
        return law.y.size >= self.least_samples

    def possible(self, value: float) -> bool:
        """Whether a value is one that a vehicle can have."""
        return math.isfinite(value)

    def wanted(self) -> str:
        """What kind of driving it needs, in words that follow 'it needs'."""
        return "samples inside the limits of its filter"

    def note(self, law: Law) -> str:
        """What a user of the value must know."""
        del law
        return ""


def estimate(estimator: Estimator, runs: Sequence[Run], known: Known, sensors: SensorSet | None = None) -> Result:
    """One parameter from one or several runs.

    Parameters
    ----------
    estimator
        What to estimate, with its settings.
    runs
        Repeats or different tests; those without the needed columns are left out.
    known
        What is known about the vehicle.
    sensors
        What the sensors of the runs may have wrong; None if that is not known, and then no bias is counted.
    """
    columns = estimator.needs()
    usable = [Channels(dict(run)) if all(c in run for c in columns) else None for run in runs]
    if not any(usable):
        return CannotTell(estimator.name, _missing_columns(columns, runs))
    if lacking := [name for name in estimator.needs_known() if name not in known]:
        told = "; ".join(f"{name} ({KNOWN[name][1]})" for name in lacking)
        return CannotTell(estimator.name, f"not known: {told}")
    estimator = estimator.over([run for run in usable if run is not None], known)
    masks = [_mask(estimator, run, known, of.time.size) for run, of in zip(usable, runs, strict=True)]
    count = int(sum(mask.sum() for mask in masks))
    if count < estimator.least_samples:
        text = f"{count} admissible samples, {estimator.least_samples} are needed: it needs {estimator.wanted()}"
        return CannotTell(estimator.name, text)
    chosen = [(run, mask) for run, mask in zip(usable, masks, strict=True) if run is not None and mask.any()]
    tracked = _Tracked(known)
    problem = _Problem(estimator, chosen, tracked)
    if not estimator.enough(problem.stacked, known):
        return CannotTell(estimator.name, f"some of what it needs is missing: {estimator.wanted()}")
    found = problem.solve()
    if found is None:
        return CannotTell(estimator.name, f"the samples do not tell its terms apart: it needs {estimator.wanted()}")
    if not estimator.possible(value := estimator.value(found.coefficients)):
        return CannotTell(estimator.name, f"{value:.3g} came out, which cannot be: it needs {estimator.wanted()}")
    gradient = _gradient(estimator, found.coefficients)
    precision, freedom = found.spread(gradient)
    bounds = [*problem.sensor_bounds(sensors), *problem.known_bounds()]
    bias = math.sqrt(sum(bound**2 for bound in bounds) / 3.0)
    half = half_width(bounds, precision, freedom)
    notes = [estimator.note(problem.stacked)]
    if sensors is None:
        notes.append("the accuracy of the sensors is not known and not counted")
    elif unlisted := sorted(c for c in problem.read - set(sensors) if c != "time_s"):
        notes.append(f"no sensor is given for {', '.join(unlisted)}: counted as exact")
    return Estimate(
        name=estimator.name,
        kind=estimator.kind,
        value=value,
        standard_deviation=math.hypot(bias, precision),
        interval=(value - half, value + half),
        bias=bias,
        precision=precision,
        samples=count,
        independent_samples=found.independent_samples(gradient, precision),
        per_sample=problem.per_sample(found, gradient),
        mask=tuple(masks),
        note="; ".join(note for note in notes if note),
    )


def moving_window(
    estimator: Estimator,
    runs: Sequence[Run],
    known: Known,
    sensors: SensorSet | None = None,
    *,
    window: float,
    every: float | None = None,
) -> list[tuple[float, Result]]:
    """The same parameter over windows of time, to follow fuel that is burnt or passengers that leave.

    Parameters
    ----------
    estimator, runs, known, sensors
        As `estimate`; the runs follow each other in time.
    window, every
        Length of a window [s], and time from one to the next [s]: half the window if not given.

    Returns
    -------
    list
        Middle of each window since the beginning of the first run [s], and what it tells.
    """
    if not 0.0 < window < math.inf:
        raise RangeError(f"the window is {window} s, a positive number is needed")
    pace = window / 2.0 if every is None else every
    starts, lengths = [], []
    begin = 0.0
    for run in runs:
        starts.append(begin)
        lengths.append(float(run.time[-1] - run.time[0]))
        begin += lengths[-1]
    found = []
    for k in range(max(int((begin - window) / pace + 1e-9), 0) + 1):
        low, high = k * pace, k * pace + window
        parts = [
            run.slice(run.time[0] + max(low - start, 0.0), run.time[0] + min(high - start, length))
            for run, start, length in zip(runs, starts, lengths, strict=True)
            if start < high and start + length > low
        ]
        found.append((low + window / 2.0, estimate(estimator, parts, known, sensors)))
    return found


def _mask(estimator: Estimator, run: Channels | None, known: Known, size: int) -> Mask:
    if run is None:
        return np.zeros(size, dtype=bool)
    mask = estimator.admissible(run, known)
    if not mask.any():
        return mask
    law = estimator.law(run, known)
    return np.asarray(mask & np.isfinite(law.y) & np.isfinite(law.X).all(axis=1))


def _missing_columns(columns: Iterable[str], runs: Sequence[Run]) -> str:
    """What the run that comes nearest lacks."""
    if not runs:
        return "there is no run"
    missing = min(([c for c in columns if c not in run] for run in runs), key=len)
    return f"no run has {'all of ' if len(missing) > 1 else ''}{', '.join(missing)}"


def _gradient(estimator: Estimator, at: Array) -> Array:
    """Of the value over the coefficients, by central differences."""
    steps = 1e-6 * np.maximum(np.abs(at), 1e-9 * max(float(np.abs(at).max()), 1e-12))
    rows = [(np.where(np.arange(at.size) == k, step, 0.0), step) for k, step in enumerate(steps)]
    return np.array([(estimator.value(at + d) - estimator.value(at - d)) / (2.0 * step) for d, step in rows])


class _Problem:
    """The samples of an estimate, to be solved again with something wrong in them."""

    def __init__(self, estimator: Estimator, chosen: list[tuple[Channels, Mask]], known: _Tracked) -> None:
        self.estimator = estimator
        self.chosen = [(Channels(run._columns), mask) for run, mask in chosen]
        self.known = known
        self.laws = [_taken(estimator.law(run, known), mask) for run, mask in self.chosen]
        self.read = set().union(*(run.read for run, _ in self.chosen))
        self.stacked = _stack(self.laws)
        self.runs = np.repeat(np.arange(len(self.laws)), [law.y.size for law in self.laws])

    def per_sample(self, found: Fit, gradient: Array) -> Array:
        """Of each sample: as its own equation gives it, or with the other coefficients as all samples give them."""
        law = self.stacked
        if law.per_sample is not None:
            return law.per_sample
        k = int(np.argmax(np.abs(gradient * found.coefficients)))
        lever = np.where(law.X[:, k] == 0.0, np.nan, law.X[:, k])
        return np.asarray(self.estimator.value(found.coefficients) + gradient[k] * found.residuals / lever)

    def solve(self) -> Fit | None:
        return fit(self.stacked.y, self.stacked.X, self.runs, self.stacked.instruments)

    def _value(self, laws: list[Law]) -> float:
        y, X, instruments, _ = _stack(laws)
        Z = X if instruments is None else instruments
        return self.estimator.value(np.asarray(np.linalg.solve(Z.T @ X, Z.T @ y), dtype=np.float64))

    def _difference(self, laws: list[Law]) -> float:
        return self._value(laws) - self._value(self.laws)

    def sensor_bounds(self, sensors: SensorSet | None) -> Iterator[float]:
        """How far the value moves with gain and zero of each column at their bounds."""
        for column in sorted(self.read & set(sensors or ())):
            assert sensors is not None
            sensor = sensors[column]
            for gain, zero in ((sensor.scale_error, 0.0), (0.0, sensor.accuracy)):
                if gain or zero:
                    laws = [
                        _taken(self.estimator.law(run.wrong(column, gain, zero), self.known), mask)
                        if column in run.read
                        else law
                        for (run, mask), law in zip(self.chosen, self.laws, strict=True)
                    ]
                    yield self._difference(laws)

    def known_bounds(self) -> Iterator[float]:
        """The same with the known numbers."""
        for name in sorted(self.known.asked & set(self.known.bounds)):
            other = self.known.knowing({name: self.known[name] + self.known.bounds[name]})
            yield self._difference([_taken(self.estimator.law(run, other), mask) for run, mask in self.chosen])


def _taken(law: Law, mask: Mask) -> Law:
    instruments, each = (None if part is None else part[mask] for part in (law.instruments, law.per_sample))
    return Law(law.y[mask], law.X[mask], instruments, each)


def _stack(laws: list[Law]) -> Law:
    instruments = [law.instruments for law in laws if law.instruments is not None]
    each = [law.per_sample for law in laws if law.per_sample is not None]
    return Law(
        np.concatenate([law.y for law in laws]),
        np.concatenate([law.X for law in laws]),
        np.concatenate(instruments) if instruments else None,
        np.concatenate(each) if each else None,
    )
