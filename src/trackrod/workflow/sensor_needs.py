"""What sensors need: how wrong, how late and how slow each may be so that all of them together keep a share of limits.

A sensor is wrong in two ways at once: the test shows something else, and a model that is given wrong inputs drives
something else.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.errors import ConvergenceError
from trackrod.measured.sensors import Sensor, SensorSet
from trackrod.rtm.script import Script, ScriptedVehicle
from trackrod.rtm.spec import RtmSpec
from trackrod.validate.criteria import Criteria, Criterion
from trackrod.validate.requirements import Demand, Filled, alone, fill, rounded_down
from trackrod.validate.validation_plan import SensorNeed
from trackrod.workflow.multibody_runs import STEP
from trackrod.workflow.planned_tests import (
    INPUTS,
    SAMPLE,
    SLOW,
    Change,
    ErrorKind,
    PlannedTest,
    Tell,
    sensor_errors,
    shifted,
)

__all__ = ["sensor_needs", "sensors_for_estimates"]

#: Of the share of measurement, what delays may fill together; zeros, gains and noise have what is left of the square.
_DELAYS = 1.0 / 3.0
#: Delays that are tried for changes of gear [s], rates that are tried [Hz], a delay that others are scaled from [s].
_SHIFT_DELAYS, _RATES, _DELAY = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1), (20.0, 50.0), 0.01
#: From the bound of errors that are equally likely inside it to what holds 95 % of a sum of such (GUM, normal).
_EXPANDED = 1.96 / math.sqrt(3.0)
#: What sensors of inputs serve.
_DRIVES = "drives the model"
#: Between the name of a sensor and the kind of its error.
_OF = ", "
#: What a sensor that nobody knows yet has wrong, over the largest value, and its rate [Hz].
_USUAL, _USUAL_RATE = 0.005, 100.0
#: Columns that tell nothing while a vehicle stands.
_OF_MOTION = ("sideslip", "slip_angle", "slip_ratio")


def sensor_needs(
    spec: RtmSpec, criteria: Criteria, begun: SensorSet, driven: Sequence[PlannedTest], share: float, tell: Tell
) -> tuple[SensorNeed, ...]:
    """What each sensor needs so that all of them together keep the share in every row.

    Parameters
    ----------
    begun
        Sensors that are begun with: their errors keep their proportions.
    driven
        The tests.
    share
        Of each limit that measurement may fill, 0 to 1.
    """
    vehicle = ScriptedVehicle(spec, step=STEP)
    vehicle.settle()
    wrong, choice = _WrongSensors(vehicle, begun, share), _Choice(begun, _peaks(driven))
    demands: list[Demand] = []
    timing: dict[str, float] = {}
    rates: dict[str, float] = {}
    for done, test in enumerate(driven):
        tell("wrong sensors", done / len(driven))
        for column in wrong.columns(test):
            if column != signals.GEAR.column:  # a whole number has no accuracy
                demands += wrong.demands(test, choice.first(column))
            name = _family(column)
            within, rate = wrong.in_time(test, column)
            timing[name] = min(timing.get(name, math.inf), within)
            rates[name] = max(rates.get(name, 0.0), rate)
    tell("wrong sensors", 1.0)
    gear = signals.GEAR.column
    whole = [choice.gear(timing[gear])] if gear in timing else []
    return *whole, *(
        choice.need(name, filled, timing[name], rates[name], _serves(name, criteria))
        for name, filled in _factors(demands, {_family(column) for column in begun}).items()
    )


def _factors(demands: Sequence[Demand], known: set[str]) -> dict[str, dict[ErrorKind, Filled]]:
    """Factors on the errors of every sensor by kind, so that all rows keep the share."""
    # A sensor that nobody knows begins where it would fill a row alone.
    scale: dict[str, float] = {}
    for d in demands:
        if d.source.partition(_OF)[0] not in known and math.isfinite(d.alone):
            scale[d.source] = min(scale.get(d.source, math.inf), d.alone)
    found: dict[str, dict[ErrorKind, Filled]] = {}
    for source, filled in fill(replace(d, alone=d.alone / scale.get(d.source, 1.0)) for d in demands).items():
        name, _, kind = source.partition(_OF)
        found.setdefault(name, {})[ErrorKind(kind)] = replace(filled, factor=filled.factor * scale.get(source, 1.0))
    return found


def _serves(name: str, criteria: Criteria) -> tuple[str, ...]:
    judged = [c.name for c in criteria.criteria if name in (_family(c.signal), _family(c.given))]
    drives = [_DRIVES] if name in (*INPUTS, signals.VX.column) else []
    return (*judged, *drives) or ("indices of manoeuvres",)


@dataclass(frozen=True, slots=True, eq=False)
class _WrongSensors:
    """What sensors that are wrong, one at a time, do to the rows of tests.

    Attributes
    ----------
    vehicle
        At rest, ready to drive scripts.
    known
        Sensors that are begun with.
    share
        Of each limit that measurement may fill, 0 to 1.
    """

    vehicle: ScriptedVehicle
    known: SensorSet
    share: float

    def columns(self, test: PlannedTest) -> list[str]:
        """Whose sensors a test depends on."""
        found: dict[str, None] = {}
        for criterion in test.rows:
            found |= dict.fromkeys(test.judged_columns(criterion, self.known))
        if test.rows and test.script is not None:
            found |= dict.fromkeys((*INPUTS, signals.VX.column))
        return list(found)

    def demands(self, test: PlannedTest, sensor: Sensor) -> Iterator[Demand]:
        """What the rows of a test ask of the errors of a sensor."""
        rest = self.share * math.sqrt(1.0 - _DELAYS**2)
        for kind, change in sensor_errors(sensor, test.run, test.test.repeats).items():
            # One recording drives the model: its noise is not that of a mean.
            alone_noise = math.sqrt(test.test.repeats) if kind is ErrorKind.NOISE else 1.0
            moved = self._or_nothing(test, test.wrong_input(sensor.column, alone_noise * change))
            if not change.any():
                continue
            widened = 1.0 if kind is ErrorKind.NOISE else _EXPANDED
            for criterion in test.rows:
                judged = sensor.column in test.judged_columns(criterion, self.known)
                if not judged and not moved:
                    continue

                def ratio(
                    factor: float,
                    criterion: Criterion = criterion,
                    shown: Change = {sensor.column: change} if judged else {},
                    moved: Change = moved,
                    widened: float = widened,
                ) -> float:
                    shows, drives = (test.changed(criterion, c, widened * factor) for c in (shown, moved))
                    return test.ratio(criterion, shows, drives)

                source = f"{_family(sensor.column)}{_OF}{kind}"
                yield Demand(source, (criterion.name, test.test.name), alone(ratio, rest))

    def in_time(self, test: PlannedTest, column: str) -> tuple[float, float]:
        """Up to which a delay must be known [s], and the least rate [Hz]."""
        if test.script is None:  # where a vehicle is on an uneven road is another matter
            return math.inf, _USUAL_RATE
        moving = sum(bool(np.ptp(test.run[name]) > 0.0) for name in INPUTS)
        small = self.share * _DELAYS / math.sqrt(1 + moving)
        late = {column: shifted(test.run, column, _DELAY)}
        moved = self._or_nothing(test, test.late_input(column, _DELAY))
        within = math.inf
        if column == signals.GEAR.column:
            for delay in _SHIFT_DELAYS:
                found = self._or_nothing(test, test.late_input(column, delay))
                if found and max(test.ratio(c, None, test.changed(c, found, 1.0)) for c in test.rows) > small:
                    return delay / 2.0, _USUAL_RATE
            return math.inf, _RATES[0]
        for criterion in test.rows:
            judged = column in test.judged_columns(criterion, self.known)
            if not judged and not moved:
                continue
            shown = late if judged else {}

            def ratio(factor: float, criterion: Criterion = criterion, shown: Change = shown) -> float:
                return test.ratio(
                    criterion, test.changed(criterion, shown, factor), test.changed(criterion, moved, factor)
                )

            within = min(within, _DELAY * alone(ratio, small, largest=100.0))
        return within, self._rate(test, column, small)

    def _rate(self, test: PlannedTest, column: str, small: float) -> float:
        """Least samples per second [Hz] with which straight lines between samples tell what a test and a model do."""
        time, values = test.run.time, test.run[column]
        for rate in _RATES:
            every = round(1.0 / (rate * SAMPLE))
            change = np.interp(time, time[::every], values[::every]) - values
            moved = self._or_nothing(test, test.wrong_input(column, change))
            rows = [c for c in test.rows if moved or column in test.judged_columns(c, self.known)]
            off = (test.ratio(c, test.changed(c, {column: change}, 1.0), test.changed(c, moved, 1.0)) for c in rows)
            if max(off, default=0.0) <= small:
                return rate
        return 1.0 / SAMPLE

    def _or_nothing(self, test: PlannedTest, script: Script | None) -> Change:
        """What other inputs change; nothing where they are the same, or where the model breaks down."""
        if script is None:
            return {}
        try:
            return test.difference(self.vehicle.run(script))
        except ConvergenceError:
            return {}


@dataclass(frozen=True, slots=True, eq=False)
class _Choice:
    """Sensors that are begun with, and what becomes of them.

    Attributes
    ----------
    begun
        The set that is begun with.
    peaks
        Largest magnitude of every column in the tests [SI unit].
    """

    begun: SensorSet
    peaks: Mapping[str, float]

    def first(self, column: str) -> Sensor:
        """Errors to begin with: their proportions are kept among sensors, where rows do not say otherwise."""
        error = _USUAL * max(self.peaks[column], 1e-9)
        if column not in self.begun:
            return Sensor(column, accuracy=error, noise=error, scale_error=_USUAL, rate=_USUAL_RATE)
        known = self.begun[column]
        return replace(known, accuracy=known.accuracy or error, scale_error=known.scale_error or _USUAL)

    def need(
        self, name: str, filled: Mapping[ErrorKind, Filled], timing: float, rate: float, serves: tuple[str, ...]
    ) -> SensorNeed:
        """Of one sensor, or of one on each wheel."""
        members = [column for column in self.peaks if _family(column) == name]
        return SensorNeed(
            name=name,
            sensors=tuple(self._planned(column, filled, rate) for column in members),
            factors={str(kind): found.factor for kind, found in filled.items()},
            rows={str(kind): found.row for kind, found in filled.items()},
            known=any(column in self.begun for column in members),
            timing=rounded_down(timing),
            rate=rate,
            peak=max(self.peaks[column] for column in members),
            serves=serves,
        )

    def gear(self, timing: float) -> SensorNeed:
        """A whole number has no accuracy; what counts is when it changes."""
        column = signals.GEAR.column
        first = self.begun[column] if column in self.begun else Sensor(column, rate=_USUAL_RATE, resolution=1.0)
        rate = max(1.0 / timing, _RATES[0]) if math.isfinite(timing) else _RATES[0]
        sensor = replace(first, rate=max(first.rate, rate))
        return SensorNeed(column, (sensor,), {}, {}, column in self.begun, timing, rate, self.peaks[column], (_DRIVES,))

    def _planned(self, column: str, filled: Mapping[ErrorKind, Filled], rate: float) -> Sensor:
        """With errors as large as they may be, and the least rate [Hz]."""
        first, peak = self.first(column), self.peaks[column]
        low, high = first.range
        factor = {kind: filled[kind].factor if kind in filled else 1.0 for kind in ErrorKind}
        return replace(
            first,
            accuracy=rounded_down(factor[ErrorKind.ZERO] * first.accuracy),
            noise=rounded_down(factor[ErrorKind.NOISE] * first.noise),
            scale_error=rounded_down(factor[ErrorKind.GAIN] * first.scale_error),
            resolution=rounded_down(factor[ErrorKind.NOISE] * first.resolution),
            rate=max(first.rate, rate),
            range=(min(low, -1.25 * peak) if low < 0.0 else low, max(high, 1.25 * peak)),
        )


def sensors_for_estimates(
    serving: Mapping[str, tuple[str, ...]],
    wanted: set[str],
    begun: SensorSet,
    judged: Sequence[SensorNeed],
    driven: Sequence[PlannedTest],
) -> Iterator[SensorNeed]:
    """Sensors that no criterion asks for, but an estimate that was chosen.

    Parameters
    ----------
    serving
        Columns that the estimate of a parameter needs, by the name of the parameter.
    wanted
        Names of the parameters that are estimated.
    begun
        Sensors that are begun with.
    judged
        What sensors need for criteria.
    driven
        The tests.
    """
    peaks = _peaks(driven)
    known = {need.name for need in judged}
    uses: dict[str, dict[str, None]] = {}
    for parameter in sorted(wanted & serving.keys()):
        for column in serving[parameter]:
            if _family(column) not in known and column in begun:
                uses.setdefault(_family(column), {})[parameter] = None
    for name, parameters in uses.items():
        columns = [column for column in begun if _family(column) == name]
        peak = max((peaks.get(column, 0.0) for column in columns), default=0.0)
        serves = tuple(f"estimate of {parameter}" for parameter in parameters)
        sensors = tuple(begun[column] for column in columns)
        yield SensorNeed(name, sensors, {}, {}, True, math.inf, sensors[0].rate, peak, serves)


def _family(column: str) -> str:
    """A column, or what the columns of four wheels have in common."""
    for corner in Corner:
        if f"_{corner}_" in column:
            return column.replace(f"_{corner}_", "_{corner}_")
    return column


def _peaks(driven: Iterable[PlannedTest]) -> dict[str, float]:
    """Largest magnitude of every column in the tests [SI unit]."""
    found: dict[str, float] = {}
    for test in driven:
        rolling = test.run[signals.VX] > SLOW
        for column in test.run:
            # Angles of a motion that there is not are any.
            values = test.run[column][rolling] if column.startswith(_OF_MOTION) else test.run[column]
            if column != "time_s":
                found[column] = max(found.get(column, 0.0), float(np.abs(values).max(initial=0.0)))
    return found
