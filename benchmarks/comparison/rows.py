"""The rows of the table: what is driven, what is measured, and the target."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from scipy.interpolate import PchipInterpolator

from benchmarks.comparison.cases import Case, Variant
from benchmarks.comparison.measures import Measure, Row
from benchmarks.comparison.signs import SIGNS
from trackrod.core import signals
from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.quantities import STANDARD_GRAVITY
from trackrod.core.series import Run
from trackrod.manoeuvres.courses import DoubleLaneChange
from trackrod.manoeuvres.longitudinal import Acceleration, Braking
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.manoeuvres.roads import RandomRoad, RoadClass
from trackrod.manoeuvres.standing import FourPost, PostMode
from trackrod.manoeuvres.steady_turn import RampSteer
from trackrod.manoeuvres.steering import Fishhook, JTurn, SineSweep, SineWithDwell, SingleSine, StepSteer
from trackrod.manoeuvres.sweeps import Sweep
from trackrod.metrics.indices import Index, curve_indices, indices
from trackrod.metrics.limit import WHEELS, lift_times, limit_histories
from trackrod.metrics.trace import Scale, Trace, rising_part, rmse_percent
from trackrod.rtm.layout import AXLE_LOADS, GIVEN_POSE
from trackrod.workflow.found_settings import find_settings

__all__ = ["GROUPS", "ROWS"]

#: Steps of the multibody model [s]: where nothing is fast, where the driver is, and where wheels vibrate.
SLOW, QUICK, FINE = 1e-3, 0.5e-3, 0.25e-3
#: Samples of ride [s].
RIDE_SAMPLE = 2e-3
#: Share of the largest lateral acceleration of the slow ramp that a step goes to, and that the lane change needs [-].
STEP_SHARE, COURSE_SHARE = 0.8, 0.9
#: A vehicle is near roll-over where one side has less than this share of its load [-], near a spin with such a
#: sideslip angle [rad].
ROLL_OVER, SPIN = 0.2, math.radians(10.0)
#: Target there, and elsewhere at the limit [%]; of the time at which a wheel lifts [ms].
NEAR, ELSEWHERE, LIFT = 10.0, 5.0, 20.0
#: Band of the posts in which the force of the dampers is compared [Hz]: about ten.
MOUNT_BAND = (9.0, 11.0)
#: Speed below which a vehicle stands [m/s].
STANDING = 0.02


def _driven(case: Case, variant: Variant, manoeuvre: Manoeuvre, step: float, sample: float = 0.01) -> tuple[Run, Run]:
    """Both runs of a manoeuvre with the settings that the multibody model finds."""
    known = find_settings(case.vehicle, manoeuvre)
    return case.reference(known, step=step, sample=sample), case.model(known, variant, sample=sample)


def _remarks(reference: Run, model: Run) -> Iterator[Measure]:
    """A run that broke off is said: what it did before cannot be judged as a whole. So is one that left its maps."""
    for which, run in (("multibody", reference), ("real-time", model)):
        if not run.metadata["completed"]:
            text = str(run.metadata["events"][-1]["text"]) if run.metadata["events"] else "broken off"
            yield Measure(f"{which} model ends at {run.time[-1]:.1f} s: {text}", math.nan, 1.0, "", "end")
    for entry in model.metadata["beyond_maps"]:
        yield Measure(f"{entry['variable']} beyond its map", 1e3 * entry["farthest_m"], math.inf, "mm", "maps")


def _measure(index: Index, target: float, kind: str = "", remark: str = "") -> Measure:
    """An index, with the floor that flatters it."""
    floor = f" (of {index.divisor_text})" if index.divisor_text else ""
    return Measure(f"{index.name}{remark}{floor}", index.value_pct, target, kind=kind)


def _indices(
    manoeuvre: Manoeuvre,
    targets: dict[str, float],
    case: Case,
    variant: Variant,
    *,
    step: float,
    sample: float = 0.01,
) -> Iterator[Measure]:
    """All indices of a manoeuvre; their targets go by a part of their name, the first that fits."""
    reference, model = _driven(case, variant, manoeuvre, step, sample)
    for index in indices(manoeuvre.name, reference, model):
        kind = next(part for part in targets if part in index.name)
        yield _measure(index, targets[kind], kind)
    yield from _remarks(reference, model)


# --- at the limit ---


def _ramp(case: Case) -> tuple[np.ndarray, np.ndarray]:
    """Growing lateral acceleration [m/s²] and steering-wheel angle [°] of the slow ramp."""
    run = case.reference(RampSteer())
    return rising_part(run[signals.AY], np.degrees(run[signals.STEERING_WHEEL_ANGLE]))


def _limit_step(case: Case) -> Manoeuvre:
    ay, angle = _ramp(case)
    return StepSteer(speed_kmh=80.0, steering_wheel_angle_deg=float(np.interp(STEP_SHARE * ay[-1], ay, angle)))


def _near(run: Run) -> str:
    """What a vehicle is near to, in words for a table; nothing if it is not."""
    for side in Side:
        load = sum((run[signals.FZ[corner]] for corner in Corner if corner.side is side), np.zeros(run.time.size))
        if load.min() < ROLL_OVER * load[0]:
            return ", near roll-over"
    return ", near a spin" if np.abs(run[signals.SIDESLIP]).max() > SPIN else ""


def _limit(make: Callable[[Case], Manoeuvre], case: Case, variant: Variant) -> Iterator[Measure]:
    manoeuvre = make(case)
    reference, model = _driven(case, variant, manoeuvre, QUICK)
    near = _near(reference)
    for index in curve_indices(manoeuvre.name, limit_histories, reference, model):
        yield _measure(index, NEAR if near else ELSEWHERE, remark=near)
    yield from _lifts(reference, model)
    yield from _remarks(reference, model)


def _lifts(reference: Run, model: Run) -> Iterator[Measure]:
    theirs, ours = lift_times(reference), lift_times(model)
    for corner, wheel in WHEELS.items():
        if corner in ours and corner in theirs:
            late = 1e3 * abs(ours[corner] - theirs[corner])
            yield Measure(f"lift of wheel {wheel}", late, LIFT, "ms", "lift")
        elif corner in ours or corner in theirs:
            which, run = ("real-time", reference) if corner in ours else ("multibody", model)
            load = run[signals.FZ[corner]]
            left = f"{100.0 * load.min() / load[0]:.2g} % of its load left in the other"
            yield Measure(f"wheel {wheel} lifts in the {which} model only, {left}", math.nan, LIFT, "ms", "lift")


# --- ride, steering, standstill ---


def _posts(mode: PostMode) -> FourPost:
    """Three seconds for each octave from 0.5 to 16 Hz."""
    return FourPost(mode=mode, first_frequency_Hz=0.5, last_frequency_Hz=16.0, duration_s=15.0, sweep=Sweep.LOGARITHMIC)


def _top_mount(case: Case, variant: Variant) -> Iterator[Measure]:
    """Force of each damper between its top mount and the axle, while the posts heave with about 10 Hz."""
    posts = _posts(PostMode.HEAVE)
    runs = _driven(case, variant, posts, FINE, RIDE_SAMPLE)
    frequency = posts.frequency(runs[0].time)
    chosen = (MOUNT_BAND[0] <= frequency) & (frequency <= MOUNT_BAND[1]) & (runs[0].time <= posts.duration_s)
    for wheel in case.spec(variant).wheels:
        if not wheel.damper.x.size:
            continue
        law = PchipInterpolator(wheel.damper.x, wheel.damper.y)
        reference, model = (
            Trace(run.time[chosen], law(run[signals.DAMPER_VELOCITY[wheel.corner]][chosen]), *_DAMPER_FORCE)
            for run in runs
        )
        yield Measure(f"damper {WHEELS[wheel.corner]}", rmse_percent(reference, model), 5.0)


#: Names and units of the abscissa and of the values of a force over time, and what its difference is divided by.
_DAMPER_FORCE = ("time", "s", "damper force", "N", Scale.RMS)


def _warp_stiffness(case: Case, variant: Variant) -> Iterator[Measure]:
    """Load over height of posts that warp the vehicle slowly: springs, bars, tyres, and the frame where it gives."""
    posts = FourPost(
        mode=PostMode.WARP, velocity_mmps=10.0, first_frequency_Hz=0.1, last_frequency_Hz=0.1, duration_s=12.0
    )
    found = []
    for run in _driven(case, variant, posts, SLOW):
        height = posts.heights(Corner.FL, run.time, run[signals.X])
        loads = [posts.mode.sign(corner) * run[signals.FZ[corner]] for corner in Corner]
        found.append(float(np.polyfit(height, np.mean(loads, axis=0), 1)[0]))
    reference, model = found
    yield Measure(f"of {1e-3 * reference:.4g} N/mm", 100.0 * abs(model / reference - 1.0), 1.0)


def _torque(case: Case, variant: Variant) -> Iterator[Measure]:
    """Torque at the steering wheel; both models are steered as the conversion makes them."""
    sine = SingleSine(speed_kmh=80.0, steering_wheel_angle_deg=20.0, frequency_Hz=0.5, after_s=1.0)
    runs = _driven(case, variant, sine, QUICK)
    for index in indices(sine.name, *runs):
        if index.name == "torque at the steering wheel":
            yield _measure(index, 5.0)
    yield from _remarks(*runs)


def _stop(case: Case, variant: Variant) -> Iterator[Measure]:
    """Full pedal from 50 km/h: how fast each model is thrown back, and when it rests."""
    stop = Braking(speed_kmh=50.0, brake=1.0, rise_s=0.1, after_s=5.0)
    runs = _driven(case, variant, stop, SLOW)
    for which, run in zip(("multibody", "real-time"), runs, strict=True):
        stood = np.flatnonzero(run[signals.VX] <= STANDING)
        if not stood.size:
            yield Measure(f"{which} model does not stop", math.nan, 2.0, "s", f"{which} rest")
            continue
        after, time = run[signals.VX][stood[0] :], run.time[stood[0] :] - run.time[stood[0]]
        yield Measure(f"{which} model thrown back", max(float(-after.min()), 0.0), 0.3, "m/s", f"{which} back")
        moving = np.flatnonzero(np.abs(after) > STANDING)
        if moving.size and moving[-1] == time.size - 1:
            yield Measure(f"{which} model still moves after {time[-1]:.1f} s", math.nan, 2.0, "s", f"{which} rest")
        else:
            rest = float(time[moving[-1] + 1]) if moving.size else 0.0
            yield Measure(f"until the {which} model rests", rest, 2.0, "s", f"{which} rest")
    if (speed := _speed_stored(case, runs[0])) > 0.0:
        yield Measure("would be the speed by the energy that the bushings stored", speed, math.inf, "m/s", "stored")


def _speed_stored(case: Case, run: Run) -> float:
    """Speed of a vehicle that gets back what its axles store under the forces before it stands [m/s].

    An axle stores the work of the braking force on the contact patch, which moves by its recession and its wind-up.
    """
    stood = int(np.argmax(run[signals.VX] <= STANDING))
    before = slice(max(stood - 10, 0), stood)
    energy = 0.0
    for corner in Corner:
        axle = case.spec().axles[tuple(Axle).index(corner.axle)].elasticity
        if axle is None:
            continue
        force = np.linspace(0.0, float(run[signals.FX[corner]][before].mean()), 101)
        loads = np.outer(force, np.array(AXLE_LOADS) == "brake")
        poses = axle.poses(loads, loads)  # both wheels brake alike
        recession, wind_up = (poses[:, GIVEN_POSE.index(channel)] for channel in ("tx", "ry"))
        place = recession - axle.radius * wind_up
        energy += float(np.trapezoid(force, place))
    weight = sum(float(run[signals.FZ[corner]][0]) for corner in Corner)
    return math.sqrt(2.0 * energy * STANDARD_GRAVITY / weight)


# --- all of them ---


def _row(
    name: str,
    title: str,
    targets: dict[str, float],
    manoeuvre: Manoeuvre,
    *,
    step: float,
    sample: float = 0.01,
) -> Row:
    words = f"≤ {', '.join(f'{target:g}' for target in dict.fromkeys(targets.values()))} %"
    return Row(name, title, words, partial(_indices, manoeuvre, targets, step=step, sample=sample))


def _limit_row(name: str, title: str, make: Callable[[Case], Manoeuvre]) -> Row:
    return Row(
        name, title, f"≤ {ELSEWHERE:g} %, near roll-over and spin {NEAR:g} %, lift {LIFT:g} ms", partial(_limit, make)
    )


def _fixed(manoeuvre: Manoeuvre, _case: Case) -> Manoeuvre:
    return manoeuvre


def _post_row(mode: PostMode, target: float) -> Row:
    # what is not a wheel load is a motion of the body: its name is part of every other
    targets = {"wheel load": target, "": target}
    return _row(mode, f"posts, {mode}", targets, _posts(mode), step=FINE, sample=RIDE_SAMPLE)


ROWS = {
    row.name: row
    for row in (
        _row("step", "step 0.4 g", {"": 5.0}, StepSteer(), step=QUICK),
        _row("ramp", "ramp to the limit", {"": 5.0}, RampSteer(), step=SLOW),
        _row("sweep", "sweep to 4 Hz", {"gain": 5.0, "phase": 5.0}, SineSweep(), step=QUICK),
        _row("acceleration", "acceleration", {"": 5.0}, Acceleration(), step=SLOW),
        _row("braking", "braking", {"": 5.0}, Braking(), step=QUICK),
        _limit_row("limit_step", "step at 80 % of the limit", _limit_step),
        _limit_row("dwell", "sine with dwell", partial(_fixed, SineWithDwell(amplitude_factor=3.0))),
        _limit_row("fishhook", "fishhook", partial(_fixed, Fishhook())),
        _limit_row("j_turn", "J-turn", partial(_fixed, JTurn())),
        _limit_row("lane_change", "double lane change", partial(_fixed, DoubleLaneChange(limit_share=COURSE_SHARE))),
        _post_row(PostMode.HEAVE, 5.0),
        _post_row(PostMode.PITCH, 5.0),
        _post_row(PostMode.ROLL, 10.0),
        _post_row(PostMode.WARP, 10.0),
        Row("top_mount", "top mount: damper force at 10 Hz", "≤ 5 %", _top_mount),
        Row("warp_stiffness", "warp stiffness on the rig", "≤ 1 %", _warp_stiffness, lambda case: "lcv" in case.name),
        _row(
            "road",
            "ISO 8608 C, 80 km/h",
            {"vertical acceleration": 5.0, "wheel load": 8.0, "longitudinal force": 25.0},
            RandomRoad(road_class=RoadClass.C, duration_s=10.0),
            step=FINE,
            sample=RIDE_SAMPLE,
        ),
        Row("torque", "torque at the steering wheel, 20° at 0.5 Hz", "≤ 5 %", _torque),
        Row("stop", "stop with locked wheels", "≤ 0.3 m/s, 2 s", _stop),
        SIGNS,
    )
}
#: Rows by the name of their group; each is a table.
GROUPS = {
    "handling": ("step", "ramp", "sweep", "acceleration", "braking"),
    "limit": ("limit_step", "dwell", "fishhook", "j_turn", "lane_change"),
    "posts": ("heave", "pitch", "roll", "warp", "top_mount", "warp_stiffness"),
    "other": ("road", "torque", "stop"),
    "derivatives": ("signs",),
}
