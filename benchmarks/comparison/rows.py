"""The rows of the table: what is driven, what is measured, and the target."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.comparison.cases import FINE, Case
from trackrod.core import signals
from trackrod.core.series import Run
from trackrod.manoeuvres.courses import DoubleLaneChange
from trackrod.manoeuvres.longitudinal import Acceleration, Braking
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.manoeuvres.roads import RandomRoad, RoadClass
from trackrod.manoeuvres.standing import FourPost, PostMode
from trackrod.manoeuvres.steady_turn import RampSteer
from trackrod.manoeuvres.steering import Fishhook, JTurn, SineSweep, SineWithDwell, SingleSine, StepSteer
from trackrod.manoeuvres.sweeps import Sweep
from trackrod.metrics.indices import curve_indices, indices
from trackrod.metrics.limit import WHEELS, lift_times, limit_histories
from trackrod.metrics.trace import rising_part
from trackrod.workflow.found_settings import find_settings

__all__ = ["GROUPS", "ROWS", "Measure", "Row"]

#: Share of the largest lateral acceleration of the slow ramp that a step goes to, and that the lane change needs [-].
STEP_SHARE, COURSE_SHARE = 0.8, 0.9
#: Samples of ride [s].
RIDE_SAMPLE = 2e-3


@dataclass(frozen=True, slots=True)
class Measure:
    """One number of a row.

    Attributes
    ----------
    what
        In words.
    value, target
        Both in `unit`; good up to the target.
    unit
        "%" for most.
    """

    what: str
    value: float
    target: float
    unit: str = "%"

    @property
    def badness(self) -> float:
        """Value over target [-]."""
        return self.value / self.target if math.isfinite(self.value) else math.inf


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table.

    Attributes
    ----------
    name, title
        For the command line and for people.
    target
        In words.
    measure
        Drives a case and measures it.
    """

    name: str
    title: str
    target: str
    measure: Callable[[Case], Iterator[Measure]]


def _driven(case: Case, manoeuvre: Manoeuvre, *, fine: bool = True, sample: float = 0.01) -> tuple[Run, Run]:
    """Both runs of a manoeuvre with the settings that the multibody model finds."""
    known = find_settings(case.vehicle, manoeuvre)
    return case.reference(known, step=FINE if fine else 1e-3, sample=sample), case.model(known, sample=sample)


def _unfinished(reference: Run, model: Run) -> Iterator[Measure]:
    """A run that broke off is said: what it did before cannot be judged as a whole."""
    for which, run in (("multibody", reference), ("real-time", model)):
        if not run.metadata["completed"]:
            text = str(run.metadata["events"][-1]["text"]) if run.metadata["events"] else "broken off"
            yield Measure(f"{which} model ends at {run.time[-1]:.1f} s: {text}", math.nan, 1.0, "")


def _indices(manoeuvre: Manoeuvre, target: float, case: Case, *, fine: bool, sample: float = 0.01) -> Iterator[Measure]:
    reference, model = _driven(case, manoeuvre, fine=fine, sample=sample)
    for index in indices(manoeuvre.name, reference, model):
        yield Measure(index.name, index.value_pct, target)
    yield from _unfinished(reference, model)


# --- at the limit ---


def _ramp(case: Case) -> tuple[np.ndarray, np.ndarray]:
    """Growing lateral acceleration [m/s²] and steering-wheel angle [°] of the slow ramp."""
    run = case.reference(RampSteer())
    return rising_part(run[signals.AY], np.degrees(run[signals.STEERING_WHEEL_ANGLE]))


def _limit_step(case: Case) -> Manoeuvre:
    ay, angle = _ramp(case)
    return StepSteer(speed_kmh=80.0, steering_wheel_angle_deg=float(np.interp(STEP_SHARE * ay[-1], ay, angle)))


def _limit_lane_change(case: Case) -> Manoeuvre:
    """At the speed at which the sharpest bend of the course needs its share of what the vehicle can do."""
    path = DoubleLaneChange().path()
    curvature = np.abs(np.diff(np.arctan2(path.dy, path.dx))) / np.hypot(path.dx, path.dy)[1:]
    speed = math.sqrt(COURSE_SHARE * _ramp(case)[0][-1] / float(curvature.max()))
    return DoubleLaneChange(speed_kmh=math.floor(3.6 * speed))


def _limit(make: Callable[[Case], Manoeuvre], target: float, case: Case) -> Iterator[Measure]:
    manoeuvre = make(case)
    reference, model = _driven(case, manoeuvre)
    for index in curve_indices(manoeuvre.name, limit_histories, reference, model):
        yield Measure(index.name, index.value_pct, target)
    ours, theirs = lift_times(model), lift_times(reference)
    for corner, wheel in WHEELS.items():
        if corner in ours and corner in theirs:
            yield Measure(f"lift of wheel {wheel}", 1e3 * abs(ours[corner] - theirs[corner]), 20.0, "ms")
        elif corner in ours or corner in theirs:
            which = "real-time" if corner in ours else "multibody"
            yield Measure(f"wheel {wheel} lifts in the {which} model only", math.nan, 20.0, "ms")
    yield from _unfinished(reference, model)


# --- ride, steering, standstill ---


def _posts(mode: PostMode) -> FourPost:
    """Three seconds for each octave from 0.5 to 16 Hz."""
    return FourPost(mode=mode, first_frequency_Hz=0.5, last_frequency_Hz=16.0, duration_s=15.0, sweep=Sweep.LOGARITHMIC)


def _road(case: Case) -> Iterator[Measure]:
    targets = {"vertical acceleration": 5.0, "wheel load": 8.0, "wheel longitudinal force": 25.0}
    road = RandomRoad(road_class=RoadClass.C, duration_s=10.0)
    for found in _indices(road, math.nan, case, fine=True, sample=RIDE_SAMPLE):
        target = next((value for name, value in targets.items() if found.what.startswith(name)), found.target)
        yield Measure(found.what, found.value, target, found.unit)


def _torque(case: Case) -> Iterator[Measure]:
    """Torque at the steering wheel, both steerings with torsion bar and assistance."""
    sine = SingleSine(speed_kmh=80.0, steering_wheel_angle_deg=20.0, frequency_Hz=0.5, after_s=1.0)
    runs = (
        case.reference(sine, step=FINE, elastic_steering=True),
        case.model(sine, elastic_steering=True),
    )
    for index in indices(sine.name, *runs):
        if index.name == "torque at the steering wheel":
            yield Measure(index.name, index.value_pct, 5.0)
    yield from _unfinished(*runs)


def _stop(case: Case) -> Iterator[Measure]:
    """Full pedal from 50 km/h: how far each model is thrown back, and when it rests."""
    stop = Braking(speed_kmh=50.0, brake=1.0, rise_s=0.1, after_s=5.0)
    for which, run in (("multibody", case.reference(stop)), ("real-time", case.model(stop))):
        speed = run[signals.VX]
        standing = int(np.argmax(speed <= 0.0)) if (speed <= 0.0).any() else speed.size - 1
        after, time = speed[standing:], run.time[standing:] - run.time[standing]
        moving = np.flatnonzero(np.abs(after) > 0.02)
        rest = float(time[min(int(moving[-1]) + 1, time.size - 1)]) if moving.size else 0.0
        yield Measure(f"{which} model thrown back", max(float(-after.min()), 0.0), 0.3, "m/s")
        yield Measure(f"{which} model at rest after", rest, 2.0, "s")


def _row(name: str, title: str, target: float, manoeuvre: Manoeuvre, *, fine: bool, sample: float = 0.01) -> Row:
    measure = partial(_indices, manoeuvre, target, fine=fine, sample=sample)
    return Row(name, title, f"≤ {target:g} %", measure)


def _limit_row(name: str, title: str, target: float, make: Callable[[Case], Manoeuvre]) -> Row:
    return Row(name, title, f"≤ {target:g} %, 20 ms", partial(_limit, make, target))


def _fixed(manoeuvre: Manoeuvre, _case: Case) -> Manoeuvre:
    return manoeuvre


ROWS = {
    row.name: row
    for row in (
        _row("step", "step 0.4 g", 5.0, StepSteer(), fine=True),
        _row("ramp", "ramp to the limit", 5.0, RampSteer(), fine=False),
        _row("sweep", "sweep to 4 Hz", 5.0, SineSweep(), fine=True),
        _row("acceleration", "acceleration", 5.0, Acceleration(), fine=False),
        _row("braking", "braking", 5.0, Braking(), fine=True),
        _limit_row("limit_step", "step at 80 % of the limit", 5.0, _limit_step),
        _limit_row("dwell", "sine with dwell", 10.0, partial(_fixed, SineWithDwell(amplitude_factor=3.0))),
        _limit_row("fishhook", "fishhook", 10.0, partial(_fixed, Fishhook())),
        _limit_row("j_turn", "J-turn", 10.0, partial(_fixed, JTurn())),
        _limit_row("lane_change", "double lane change", 5.0, _limit_lane_change),
        *(
            _row(mode, f"posts, {mode}", target, _posts(mode), fine=True, sample=RIDE_SAMPLE)
            for mode, target in (
                (PostMode.HEAVE, 5.0),
                (PostMode.PITCH, 5.0),
                (PostMode.ROLL, 10.0),
                (PostMode.WARP, 10.0),
            )
        ),
        Row("road", "ISO 8608 C, 80 km/h", "≤ 5, 8, 25 %", _road),
        Row("torque", "torque at the steering wheel", "≤ 5 %", _torque),
        Row("stop", "stop with locked wheels", "≤ 0.3 m/s, 2 s", _stop),
    )
}
#: Rows by the name of their group; each is a table.
GROUPS = {
    "handling": ("step", "ramp", "sweep", "acceleration", "braking"),
    "limit": ("limit_step", "dwell", "fishhook", "j_turn", "lane_change"),
    "posts": ("heave", "pitch", "roll", "warp"),
    "other": ("road", "torque", "stop"),
}
