"""Tests of a plan as a model drives them: what they are, and what wrong sensors and wrong parameters do to their rows.

The truth is the real-time model with the recorded inputs of a test, as `trackrod validate` drives it. What a wrong
sensor does is seen from both sides: the test shows something else, and a model that is given wrong inputs drives
something else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from trackrod.core import signals
from trackrod.core.series import Run
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.measured.measurement_plan import Test
from trackrod.measured.sensors import Sensor
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.script import Script, ScriptedVehicle
from trackrod.simulate.drive import drive
from trackrod.simulate.script import scripted
from trackrod.validate.criteria import INDEX, Criteria, Criterion
from trackrod.validate.verdict import Comparison, judge, towards
from trackrod.workflow.multibody_runs import STEP
from trackrod.workflow.validation import replay_of

__all__ = [
    "INPUTS",
    "SAMPLE",
    "SLOW",
    "Change",
    "ErrorKind",
    "PlannedTest",
    "Tell",
    "coarser",
    "drive_test",
    "sensor_errors",
    "shifted",
]

Array = NDArray[np.float64]
#: Changes of columns over those of the truth.
Change = Mapping[str, Array]
#: Told what is done, and how much of it, 0 to 1.
Tell = Callable[[str, float], None]

#: Time from sample to sample of the tests [s].
SAMPLE = 0.01
#: Slower than this a vehicle counts as standing [m/s].
SLOW = 2.0
#: Inputs that a model is driven with, and their columns in a script.
INPUTS: Mapping[str, int] = {
    signals.STEERING_WHEEL_ANGLE.column: 0,
    signals.THROTTLE.column: 1,
    signals.BRAKE.column: 2,
    signals.GEAR.column: 3,
}
_PEDALS = (signals.THROTTLE.column, signals.BRAKE.column)


class ErrorKind(StrEnum):
    """What a sensor may do wrong."""

    ZERO = "zero"
    GAIN = "gain"
    NOISE = "noise"


@dataclass(frozen=True, slots=True, eq=False)
class PlannedTest:
    """A test of the plan as the model drives it.

    Attributes
    ----------
    test
        Of the plan.
    driven
        The manoeuvre with every setting known.
    run
        The truth.
    script
        The recorded inputs; None where a model cannot drive them again, such as on an uneven road.
    criteria
        With the rows that have samples here, in their order.
    """

    test: Test
    driven: Manoeuvre
    run: Run
    script: Script | None
    criteria: Criteria

    @property
    def rows(self) -> tuple[Criterion, ...]:
        """Criteria that have samples here."""
        return self.criteria.criteria

    @property
    def shifts(self) -> tuple[float, ...]:
        """When the gear is changed [s]."""
        changes = np.flatnonzero(np.diff(self.run[signals.GEAR])) + 1
        return tuple(float(t) for t in self.run.time[changes])

    def ratio(self, criterion: Criterion, test: Run | None = None, model: Run | None = None) -> float:
        """Of a row: 0 where test and model are both the truth, 1 at the limit; infinite where it cannot be told."""
        compared = self._comparison(test, model)
        rows = judge(replace(self.criteria, criteria=(criterion,), bias=()), [compared]).rows
        return rows[0].ratio if rows and math.isfinite(rows[0].ratio) else math.inf

    def residual(self, criterion: Criterion, model: Run) -> Array:
        """The difference that a row measures, as long as its ratio."""
        compared = self._comparison(None, model)
        alone = replace(self.criteria, criteria=(criterion,), bias=())
        rows = judge(alone, [compared]).rows
        return towards(alone, rows[0], compared)

    def changed(self, criterion: Criterion, change: Change, factor: float) -> Run:
        """The truth with so much of a change, in the columns that a row looks at."""
        columns = self._columns(criterion)
        return Run(
            {c: self.run[c] + factor * change[c] if c in change else self.run[c] for c in columns}, self.run.metadata
        )

    def _columns(self, criterion: Criterion) -> tuple[str, ...]:
        if criterion.metric == INDEX:
            return tuple(self.run)
        given = (criterion.given,) if criterion.given else ()
        return tuple(dict.fromkeys(("time_s", criterion.signal, *given, *(c for c, _, _ in criterion.ranges))))

    def _comparison(self, test: Run | None, model: Run | None) -> Comparison:
        name = self.driven.name
        return Comparison(self.test.name, name, (self.run if test is None else test,), model or self.run)

    def judged_columns(self, criterion: Criterion, known: Mapping[str, Sensor]) -> Iterator[str]:
        """Columns of the test that a row reads; those of an index are not known, so that all with a sensor are."""
        if criterion.metric == INDEX:
            yield from (column for column in known if column in self.run)
        else:
            yield criterion.signal
            if criterion.given:
                yield criterion.given

    # ---- a model that is given wrong inputs

    def difference(self, run: Run) -> dict[str, Array]:
        """What a run has more than the truth, by column, where both have it."""
        count = min(run.time.size, self.run.time.size)
        found = {}
        for column in self.run:
            if column != "time_s" and column in run:
                change = np.zeros(self.run.time.size)
                change[:count] = run[column][:count] - self.run[column][:count]
                found[column] = change
        return found

    def wrong_input(self, column: str, change: Array) -> Script | None:
        """The script of a driver whose input or first speed was recorded wrongly; None where it plays no part."""
        if self.script is None or not change.any():
            return None
        script = self.script
        controls = np.array(script.controls)
        if column == signals.VX.column:
            if script.speed <= 0.0:
                return None
            speed = max(script.speed + float(change[0]), 0.1)
            controls[: script.lead, 4] = speed
            return replace(script, speed=speed, controls=controls)
        if column not in INPUTS:
            return None
        at = STEP * np.arange(1.0, len(controls) - script.lead + 1)
        moved = controls[script.lead :, INPUTS[column]] + np.interp(at, self.run.time - self.run.time[0], change)
        controls[script.lead :, INPUTS[column]] = np.clip(moved, 0.0, 1.0) if column in _PEDALS else moved
        return replace(script, controls=controls)

    def late_input(self, column: str, delay: float) -> Script | None:
        """The script of a driver one of whose inputs was recorded late [s]; None where it plays no part."""
        if self.script is None or column not in INPUTS:
            return None
        script, steps = self.script, round(delay / STEP)
        controls = np.array(script.controls)
        moved = controls[script.lead :, INPUTS[column]]
        if not np.ptp(moved) > 0.0:
            return None  # it is the same whenever it comes
        controls[script.lead + steps :, INPUTS[column]] = moved[: len(moved) - steps].copy()
        controls[script.lead : script.lead + steps, INPUTS[column]] = moved[0]
        return replace(script, controls=controls)


def drive_test(model: RealTimeVehicle, vehicle: ScriptedVehicle, test: Test, criteria: Criteria) -> PlannedTest:
    """Drive a test of a plan.

    Raises
    ------
    ConvergenceError
        The vehicle cannot drive it.
    """
    ready, recorded = drive(model, test.manoeuvre, sample=SAMPLE)
    level = ready.road() is None and ready.grade() == 0.0 and ready.friction() == 1.0
    script = None
    if level:
        bare = Run(dict(recorded))  # a recording does not tell phases
        script = scripted(replay_of(test.name, ready.name, bare), bare, step=STEP)
        run = Run(dict(vehicle.run(script)), recorded.metadata)
    else:
        run = recorded
    applies = tuple(c for c in criteria.criteria if c.applies_to(ready.name))
    found = PlannedTest(test, ready, run, script, replace(criteria, criteria=applies))
    kept = tuple(c for c in applies if math.isfinite(found.ratio(c)))
    return replace(found, criteria=replace(criteria, criteria=kept))


def coarser(script: Script, times: int) -> Script:
    """The same with steps so many times as long."""
    lead = script.lead // times
    last = lead + (len(script.controls) - script.lead) // times
    controls = np.ascontiguousarray(script.controls[times - 1 :: times][:last])
    return replace(script, controls=controls, lead=lead, every=script.every // times, guide=None)


def sensor_errors(sensor: Sensor, run: Run, repeats: int, seed: int = 0) -> dict[ErrorKind, Array]:
    """What a sensor at its bounds adds to its column, by kind; the noise is that of the mean of repeats."""
    values = run[sensor.column]
    found = {}
    if sensor.accuracy > 0.0:
        found[ErrorKind.ZERO] = np.full(values.size, sensor.accuracy)
    if sensor.scale_error > 0.0:
        found[ErrorKind.GAIN] = sensor.scale_error * values
    deviation = math.hypot(sensor.noise, sensor.resolution / math.sqrt(12.0)) / math.sqrt(repeats)
    if deviation > 0.0:
        time = run.time - run.time[0]
        count = int(time[-1] * sensor.rate) + 2
        drawn = np.random.default_rng([seed, len(sensor.column)]).standard_normal(count)
        found[ErrorKind.NOISE] = deviation * np.interp(time, np.arange(count) / sensor.rate, drawn)
    return found


def shifted(run: Run, column: str, delay: float) -> Array:
    """What a delay [s] adds to a column."""
    late = np.interp(run.time - delay, run.time, run[column])
    return np.asarray(late - run[column])
