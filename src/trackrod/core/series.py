"""Time series and runs: numbers over time that know what they are.

A `Run` is a table of columns on one time base, the `TimeSeries` one of its signals. Both are immutable: the
arrays they give out are read-only, and every operation returns a new object.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trackrod.core.errors import InputError, MissingPackageError, Problem, RangeError, UnknownNameError
from trackrod.core.notebook import Shown, data_frame, draw_run
from trackrod.core.plain import Plain, freeze, thaw
from trackrod.core.quantities import kind
from trackrod.core.signals import SIGNALS, TIME, Signal, parse_column

__all__ = ["Run", "TimeSeries", "find_time_fault", "uniform_time"]

_RATE_OF = {
    "length": "velocity",
    "velocity": "acceleration",
    "angle": "angular_velocity",
    "angular_velocity": "angular_acceleration",
    "energy": "power",
}
_METADATA_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")


def find_time_fault(time: NDArray[np.float64]) -> tuple[int, str] | None:
    """Index and fault of the first sample that breaks the rule for time: finite and strictly increasing."""
    faulty = ~np.isfinite(time)
    if faulty.any():
        index = int(np.argmax(faulty))
        return index, f"time is {time[index]}, it must be finite"
    faulty = np.diff(time) <= 0.0
    if faulty.any():
        index = int(np.argmax(faulty)) + 1
        return index, f"time must increase, but {time[index]} s comes after {time[index - 1]} s"
    return None


class TimeSeries:
    """One signal over time.

    Parameters
    ----------
    signal
        What the values are.
    time
        Strictly increasing, finite, one sample or more [s].
    values
        One for each time [SI unit of the signal]; NaN where a sample is missing.

    Raises
    ------
    InputError
        With every fault of the arrays.

    Holds: the value at the time of a sample is that sample.
    """

    __slots__ = ("_signal", "_time", "_values")

    def __init__(self, signal: Signal, time: ArrayLike, values: ArrayLike) -> None:
        problems: list[Problem] = []
        self._signal = signal
        self._time = _checked_array(time, TIME.column, problems)
        self._values = _checked_array(values, signal.column, problems, self._time.size)
        _check_time(self._time, problems)
        if problems:
            raise InputError(problems)

    @property
    def signal(self) -> Signal:
        """What the values are."""
        return self._signal

    @property
    def time(self) -> NDArray[np.float64]:
        """Time of each sample [s]; read-only."""
        return self._time

    @property
    def values(self) -> NDArray[np.float64]:
        """Value of each sample [SI unit of the signal]; read-only."""
        return self._values

    def __len__(self) -> int:
        return self._time.size

    def __repr__(self) -> str:
        return f"TimeSeries({self._signal.column}, {len(self)} samples, {self._time[0]} to {self._time[-1]} s)"

    def at(self, time: ArrayLike) -> NDArray[np.float64]:
        """Values at other times: linear between samples, the last sample before for a held signal.

        Parameters
        ----------
        time
            Times, any shape [s].

        Raises
        ------
        RangeError
            A time lies outside the series; nothing is extrapolated.
        """
        time = np.asarray(time, dtype=np.float64)
        outside = ~((time >= self._time[0]) & (time <= self._time[-1]))
        if outside.any():
            raise RangeError(
                f"time {time[outside].flat[0]} s lies outside '{self._signal.column}', "
                f"which runs from {self._time[0]} to {self._time[-1]} s"
            )
        if self._signal.held:
            return self._values[np.searchsorted(self._time, time, side="right") - 1]
        return np.asarray(np.interp(time, self._time, self._values), dtype=np.float64)

    def resample(self, step: float) -> TimeSeries:
        """The series on a uniform time base from its first sample on [step in s]."""
        time = uniform_time(self._time, step)
        return TimeSeries(self._signal, time, self.at(time))

    def slice(self, start: float, end: float) -> TimeSeries:
        """The samples from `start` to `end`, both included [s]; RangeError if there is none."""
        chosen = _within(self._time, start, end)
        return TimeSeries(self._signal, self._time[chosen], self._values[chosen])

    def derivative(self) -> TimeSeries:
        """Rate of change, by differences of second order that allow for uneven steps.

        The result is called ``<name>_rate`` and has the kind of a rate (length, velocity, angle, angular
        velocity and energy have one).

        Raises
        ------
        InputError
            The kind has no rate, the signal is held, or there are fewer than two samples.

        Holds: exact for polynomials up to the second degree, given three samples or more.
        """
        name = self._signal.kind.name
        if name not in _RATE_OF or self._signal.held:
            raise InputError(f"'{self._signal.column}' ({name}) has no rate; these kinds have: {', '.join(_RATE_OF)}")
        if len(self) < 2:
            raise InputError(f"'{self._signal.column}' has one sample, a rate needs two or more")
        rate = np.gradient(self._values, self._time, edge_order=2 if len(self) > 2 else 1)
        signal = Signal(f"{self._signal.name}_rate", kind(_RATE_OF[name]))
        return TimeSeries(SIGNALS.get(signal.column, signal), self._time, rate)


class Run(Shown, Mapping[str, NDArray[np.float64]]):
    """Signals on one time base, with a description.

    A run is a mapping from column names to read-only arrays; a signal may stand for its column:
    ``run[signals.YAW_RATE]`` and ``run["yaw_rate_radps"]`` are the same. To add or replace a column, make a
    new run: ``Run({**run, signals.SIDESLIP: beta}, run.metadata)``.

    Parameters
    ----------
    columns
        Arrays of equal length by signal or column name [SI units]. ``time_s`` is required: finite, strictly
        increasing, one sample or more. Other values may be NaN where a sample is missing.
    metadata
        Plain data by name: the run's name, vehicle, manoeuvre, model and the like.

    Raises
    ------
    InputError
        With every fault of columns and metadata.
    """

    __slots__ = ("_columns", "_metadata")

    def __init__(
        self,
        columns: Mapping[Signal | str, ArrayLike] | Mapping[str, ArrayLike],
        metadata: Mapping[str, Plain] | None = None,
    ) -> None:
        problems: list[Problem] = []
        given = {_column_of(key): value for key, value in columns.items()}
        for column in given:
            try:
                parse_column(column)
            except InputError as error:
                problems.extend(error.problems)
        if TIME.column not in given:
            raise InputError([*problems, Problem(f"the column '{TIME.column}' is missing")])
        time = _checked_array(given.pop(TIME.column), TIME.column, problems)
        _check_time(time, problems)
        self._columns = {TIME.column: time}
        for column, values in given.items():
            self._columns[column] = _checked_array(values, column, problems, time.size)
        self._metadata: Mapping[str, Any] = _checked_metadata(metadata or {}, problems)
        if problems:
            raise InputError(problems)

    def __getitem__(self, key: Signal | str) -> NDArray[np.float64]:
        """The values of a column [SI unit]; UnknownNameError with close matches if the run has none."""
        column = _column_of(key)
        try:
            return self._columns[column]
        except KeyError:
            raise UnknownNameError("column of the run", column, self._columns) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __contains__(self, key: object) -> bool:
        return (key.column if isinstance(key, Signal) else key) in self._columns

    def __repr__(self) -> str:
        name = self._metadata.get("name", "unnamed")
        return f"Run({name!r}, {len(self)} columns, {self.time.size} samples to {self.time[-1]} s)"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Run):
            return NotImplemented
        return not self.differences(other)

    __hash__ = None  # type: ignore[assignment]  # compared by arrays

    @property
    def time(self) -> NDArray[np.float64]:
        """Time of each sample [s]; read-only."""
        return self._columns[TIME.column]

    @property
    def columns(self) -> tuple[str, ...]:
        """The column names, ``time_s`` first."""
        return tuple(self._columns)

    @property
    def signals(self) -> tuple[Signal, ...]:
        """What the columns are, in their order."""
        return tuple(parse_column(column) for column in self._columns)

    @property
    def metadata(self) -> Mapping[str, Any]:
        """Description of the run as plain data; read-only."""
        return self._metadata

    def to_pandas(self) -> Any:
        """The run as a table of pandas, by time [s]; MissingPackageError where pandas is not installed."""
        table = data_frame(self._columns, "a run as a table of pandas")
        table.attrs = thaw(self._metadata)
        return table

    def to_xarray(self) -> Any:
        """The run as a dataset of xarray over time [s], with units; MissingPackageError where it is not installed."""
        try:
            import xarray  # noqa: PLC0415 - optional package
        except ImportError:
            raise MissingPackageError("xarray", "a run as a dataset of xarray") from None
        variables = {
            column: (TIME.column, values, {"units": signal.kind.unit or "-", "long_name": signal.meaning})
            for (column, values), signal in zip(self._columns.items(), self.signals, strict=True)
            if column != TIME.column
        }
        return xarray.Dataset(variables, coords={TIME.column: self.time}, attrs=thaw(self._metadata))

    def plot(self, *signals: Signal | str) -> Any:
        """Curves over time: those of some signals, or what matters in most runs; a figure of matplotlib.

        Parameters
        ----------
        signals
            Signals or columns, a panel each; driver, speed, motions, wheel loads and path if none is given.

        Raises
        ------
        UnknownNameError
            The run has no such column.
        """
        columns = tuple(_column_of(key) for key in signals)
        for column in columns:
            self[column]
        return draw_run(self, columns)

    def series(self, key: Signal | str) -> TimeSeries:
        """One column with its time base."""
        return TimeSeries(parse_column(_column_of(key)), self.time, self[key])

    def resample(self, step: float) -> Run:
        """The run on a uniform time base from its first sample on [step in s]; see `TimeSeries.at`."""
        time = uniform_time(self.time, step)
        columns = {column: self.series(column).at(time) for column in self._columns}
        return Run({**columns, TIME.column: time}, self._metadata)

    def slice(self, start: float, end: float) -> Run:
        """The samples from `start` to `end`, both included [s]; RangeError if there is none."""
        chosen = _within(self.time, start, end)
        return Run({column: values[chosen] for column, values in self._columns.items()}, self._metadata)

    def differences(self, other: Run, relative: float = 0.0, absolute: float = 0.0) -> list[str]:
        """What distinguishes two runs, a sentence for each difference; empty if there is none.

        Parameters
        ----------
        other
            The run to compare with.
        relative, absolute
            Two values are the same if they differ by no more than `absolute` + `relative` × the
            magnitude in `other`; NaN is the same as NaN. With the defaults the runs must be equal.
        """
        found = []
        if self.columns != other.columns:
            found.append(f"columns {self.columns} against {other.columns}")
        if self._metadata != other._metadata:
            found.append(f"metadata {dict(self._metadata)} against {dict(other._metadata)}")
        if self.time.size != other.time.size:
            return [*found, f"{self.time.size} samples against {other.time.size}"]
        for column in self._columns.keys() & other._columns.keys():
            mine, theirs = self[column], other[column]
            same = np.isclose(mine, theirs, rtol=relative, atol=absolute, equal_nan=True)
            if not same.all():
                index = int(np.argmin(same))
                found.append(
                    f"{column}: {np.count_nonzero(~same)} samples differ, the first at {self.time[index]} s: "
                    f"{mine[index]} against {theirs[index]}"
                )
        return found


def uniform_time(time: NDArray[np.float64], step: float) -> NDArray[np.float64]:
    """Times from the first on, `step` apart, inside the range of `time` [s]."""
    if not 0.0 < step < np.inf:
        raise RangeError(f"the time step is {step} s, a positive number is needed")
    first, last = float(time[0]), float(time[-1])
    # A last sample that only rounding has moved past a whole number of steps still counts.
    count = int(np.floor((last - first) / step * (1.0 + 1e-12))) + 1
    grid: NDArray[np.float64] = np.minimum(first + step * np.arange(count), last)
    return grid


def _column_of(key: Signal | str) -> str:
    return key.column if isinstance(key, Signal) else key


def _checked_array(
    values: ArrayLike, column: str, problems: list[Problem], size: int | None = None
) -> NDArray[np.float64]:
    """A read-only copy as double precision; adds to `problems` what is wrong with it."""
    array: NDArray[Any] = np.asarray(values)
    if array.dtype.kind not in "biuf":
        problems.append(Problem(f"column '{column}' must hold real numbers, got {array.dtype.name}"))
        return np.zeros(size or 0)
    if array.ndim != 1:
        problems.append(Problem(f"column '{column}' must be one row of numbers, got shape {array.shape}"))
    elif size is not None and array.size != size:
        problems.append(Problem(f"column '{column}' has {array.size} samples, {TIME.column} has {size}"))
    copy = np.array(array, dtype=np.float64)
    copy.setflags(write=False)
    return copy


def _check_time(time: NDArray[np.float64], problems: list[Problem]) -> None:
    if problems:
        return
    if time.size == 0:
        problems.append(Problem(f"column '{TIME.column}' has no samples"))
    elif fault := find_time_fault(time):
        problems.append(Problem(f"sample {fault[0]}: {fault[1]}"))


def _checked_metadata(metadata: Mapping[str, Plain], problems: list[Problem]) -> Mapping[str, Any]:
    try:
        frozen: Mapping[str, Any] = freeze(metadata, "metadata")
    except InputError as error:
        problems.extend(error.problems)
        return {}
    problems.extend(
        Problem(f"metadata key '{key}' is not a name", hint="use letters, digits and underscores, a letter first")
        for key in frozen
        if not _METADATA_KEY.match(key)
    )
    return frozen


def _within(time: NDArray[np.float64], start: float, end: float) -> NDArray[np.bool_]:
    chosen = (time >= start) & (time <= end)
    if not chosen.any():
        raise RangeError(f"no sample lies from {start} to {end} s; there are samples from {time[0]} to {time[-1]} s")
    return chosen
