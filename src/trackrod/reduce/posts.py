"""Four posts: the vehicle of quarter cars against the multibody model, and what the posts say about its body.

The implicit Euler steps of the multibody model are of first order: two runs, the second with half the step, give the
limit to second order. Models are compared in the band of the sweep: the tyres of the multibody model creep sideways
on the posts, and its body sinks by some tenths of a millimetre, which a high-pass filter at half the lowest frequency
takes out of both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import process_time

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares
from scipy.signal import butter, sosfiltfilt

from trackrod.core import signals
from trackrod.core.corners import Axle, Corner
from trackrod.core.errors import InputError, Problem
from trackrod.core.series import Run
from trackrod.manoeuvres.standing import FourPost, PostMode
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.reduce.vehicle import ReducedVehicle
from trackrod.simulate.drive import simulate
from trackrod.vehicle.vehicle import Vehicle

__all__ = [
    "BODY_SIGNALS",
    "BodyEstimate",
    "PostTest",
    "body_over_posts",
    "estimate_body",
    "post_errors",
    "post_test",
    "posts_of",
]

Array = NDArray[np.float64]

#: What the posts move, by mode; in warp the body stays nearly at rest, and the loads tell.
BODY_SIGNALS = {
    PostMode.HEAVE: signals.Z,
    PostMode.PITCH: signals.PITCH,
    PostMode.ROLL: signals.ROLL,
    PostMode.WARP: signals.ROLL,
}
#: Steps of the two runs of the multibody model [s], and time from sample to sample [s].
_STEPS, _SAMPLE = (1e-3, 5e-4), 0.01


@dataclass(frozen=True, slots=True, eq=False)
class PostTest:
    """One sweep of the posts.

    Attributes
    ----------
    posts
        What they did.
    reference, run
        Multibody model and quarter cars.
    errors_pct
        RMS of the difference over RMS of the reference, in the band [%]: the body's motion, front and rear loads in
        the pattern of the posts.
    body_over_posts_pct
        RMS of the difference of the body's motion over that of the posts, in the band [%]: what counts in warp, where
        the body hardly moves.
    reference_seconds, seconds
        CPU times of one run of each [s].
    """

    posts: FourPost
    reference: Run
    run: Run
    errors_pct: Mapping[str, float]
    body_over_posts_pct: float
    reference_seconds: float
    seconds: float


def posts_of(mode: PostMode, last_frequency: float = 6.0) -> FourPost:
    """The sweep of the paper: 30 mm/s, from 0.5 Hz on."""
    return FourPost(mode=mode, velocity_mmps=30.0, first_frequency_Hz=0.5, last_frequency_Hz=last_frequency)


def reference_run(vehicle: Vehicle, posts: FourPost) -> tuple[Run, float]:
    """The multibody model on the posts, extrapolated; CPU time of its run with the longer step [s]."""
    runs, seconds = [], []
    for step in _STEPS:
        begun = process_time()
        runs.append(simulate(MultibodyVehicle(vehicle, step=step), posts, sample=_SAMPLE))
        seconds.append(process_time() - begun)
    coarse, fine = runs
    columns = {name: 2.0 * values - coarse[name] for name, values in fine.items()}
    return Run({**columns, signals.TIME.column: fine.time}, fine.metadata), seconds[0]


def post_test(vehicle: Vehicle, reduced: ReducedVehicle, posts: FourPost) -> PostTest:
    """Both models on the posts; errors as of the models."""
    reference, reference_seconds = reference_run(vehicle, posts)
    begun = process_time()
    run = reduced.drive(posts)
    seconds = process_time() - begun
    errors, beside = post_errors(reference, run, posts), body_over_posts(reduced, reference, run, posts)
    return PostTest(posts, reference, run, errors, beside, reference_seconds, seconds)


def post_errors(
    reference: Run, run: Run, posts: FourPost, band: tuple[float, float] = (0.0, np.inf)
) -> dict[str, float]:
    """RMS of the difference over RMS of the reference [%], while the posts sweep a band of frequencies [Hz]."""
    found = {"body": _error(reference, run, posts, lambda r: r[BODY_SIGNALS[posts.mode]], band)}
    for axle in Axle:

        def loads(r: Run, axle: Axle = axle) -> Array:
            return np.asarray(sum(posts.mode.sign(c) * r[signals.FZ[c]] for c in Corner if c.axle is axle))

        found[f"{axle} loads"] = _error(reference, run, posts, loads, band)
    return found


def body_over_posts(reduced: ReducedVehicle, reference: Run, run: Run, posts: FourPost) -> float:
    """RMS of the difference of the body's motion over that of the posts, in the band of the sweep [%].

    The motion of the posts is the height, or the angle of two of them: along the vehicle in pitch, across it else.
    """
    left, right, rear = (reduced.corners[k].known for k in (0, 1, 2))
    wide, long = left["wheel_y"] - right["wheel_y"], left["wheel_x"] - rear["wheel_x"]
    over = {PostMode.HEAVE: 1.0, PostMode.PITCH: 0.5 * long, PostMode.ROLL: 0.5 * wide, PostMode.WARP: 0.5 * wide}
    time = reference.time
    moved = banded(reference, posts.heights(Corner.FL, time, time) / over[posts.mode], posts)
    signal, inside = BODY_SIGNALS[posts.mode], time < posts.duration_s
    a = banded(reference, reference[signal], posts)
    b = banded(reference, np.interp(time, run.time, run[signal]), posts)
    return float(100.0 * np.std((b - a)[inside]) / np.std(moved[inside]))


def banded(run: Run, values: Array, posts: FourPost) -> Array:
    """Values without what is slower than half the lowest frequency of the posts."""
    rate = 1.0 / float(run.time[1] - run.time[0])
    filter_ = butter(2, 0.5 * posts.first_frequency_Hz, "high", fs=rate, output="sos")
    return np.asarray(sosfiltfilt(filter_, values - values[0]))


def _error(reference: Run, run: Run, posts: FourPost, take: object, band: tuple[float, float]) -> float:
    time = reference.time
    a = take(reference)  # type: ignore[operator]
    b = np.interp(time, run.time, take(run))  # type: ignore[operator]
    a, b = banded(reference, a, posts), banded(reference, b, posts)
    frequency = posts.frequency(np.clip(time, 0.0, posts.duration_s))
    inside = (time < posts.duration_s) & (frequency >= band[0]) & (frequency <= band[1])
    return float(100.0 * np.std((b - a)[inside]) / np.std(a[inside]))


@dataclass(frozen=True, slots=True)
class BodyEstimate:
    """What sweeps of the posts say about the body.

    Attributes
    ----------
    vehicle
        With the values that fit best.
    roll_inertia, pitch_inertia
        Of the body [kg·m²]; None where no sweep tells.
    track_factor
        Over the track of the vehicle [-]; None where it was not asked for.
    """

    vehicle: ReducedVehicle
    roll_inertia: float | None
    pitch_inertia: float | None
    track_factor: float | None


def estimate_body(
    reduced: ReducedVehicle, references: Mapping[PostMode, tuple[FourPost, Run]], *, track: bool = False
) -> BodyEstimate:
    """Estimate inertias of the body, and the track, from sweeps of the posts.

    Pitch tells the pitch inertia, roll the roll inertia and, with the loads, the track. Posts do not turn a vehicle
    about its vertical axis: its yaw inertia cannot be seen on them.

    Raises
    ------
    InputError
        Neither a sweep in pitch nor one in roll is given, or the track is asked for without the latter.
    """
    roll, pitch = PostMode.ROLL in references, PostMode.PITCH in references
    if not (roll or pitch) or (track and not roll):
        hint = "heave and warp hardly turn the body"
        raise InputError(Problem("a sweep in pitch or roll is needed, in roll for the track", hint=hint))
    names = ["roll"] * roll + ["pitch"] * pitch + ["track"] * track

    def changed(factors: Array) -> ReducedVehicle:
        by = dict(zip(names, factors.tolist(), strict=True))
        wide = reduced.with_track(by["track"]) if track else reduced
        xx, yy, *rest = wide.inertia
        inertia = (xx * by.get("roll", 1.0), yy * by.get("pitch", 1.0), *rest)
        return replace(wide, inertia=inertia)

    def off(factors: Array) -> Array:
        model = changed(factors)
        parts = []
        for mode in (PostMode.ROLL, PostMode.PITCH):
            if mode not in references:
                continue
            posts, reference = references[mode]
            run = model.drive(posts, step=2e-3)
            for signal in (BODY_SIGNALS[mode], *(signals.FZ[c] for c in (Corner.FL, Corner.RL))):
                a = banded(reference, reference[signal], posts)
                b = banded(reference, np.interp(reference.time, run.time, run[signal]), posts)
                parts.append((b - a) / np.std(a))
        return np.concatenate(parts)

    found = least_squares(off, np.ones(len(names)), bounds=(0.5, 2.0), diff_step=[1e-3] * len(names), xtol=1e-5)
    best = changed(found.x)
    return BodyEstimate(
        best,
        best.inertia[0] if roll else None,
        best.inertia[1] if pitch else None,
        float(found.x[names.index("track")]) if track else None,
    )
