"""Vertical motion: on the four-post rig over frequency, on a random road over distance.

Both models are given the same road, so that their histories can be compared directly: the difference of two answers to
one sweep at a frequency is that of the transfer functions there, gain and phase in one.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from trackrod.core import signals
from trackrod.core.corners import Axle, Corner
from trackrod.core.errors import InputError
from trackrod.core.series import Run
from trackrod.core.signals import Signal
from trackrod.manoeuvres.standing import FourPost, PostMode
from trackrod.metrics.limit import WHEELS, load_change
from trackrod.metrics.trace import Array, Scale, Trace

__all__ = ["FLOORS", "octaves", "post_answers", "road_histories"]

#: Smallest root mean square that a difference is divided by.
FLOORS = {
    signals.AZ: 0.01,
    signals.PITCH_RATE: math.radians(0.05),
    signals.ROLL_RATE: math.radians(0.05),
}
#: The same of wheel forces, as a share of the standing wheel load [-].
LOAD_FLOOR = 0.002
_NAMES = {
    signals.AZ: "vertical acceleration",
    signals.PITCH_RATE: "pitch rate",
    signals.ROLL_RATE: "roll rate",
}
#: The motion of the body that the posts excite.
_MOVED: dict[PostMode, tuple[Signal, ...]] = {
    PostMode.HEAVE: (signals.AZ,),
    PostMode.PITCH: (signals.AZ, signals.PITCH_RATE),
    PostMode.ROLL: (signals.ROLL_RATE,),
    PostMode.WARP: (signals.ROLL_RATE,),
}


def octaves(first: float, last: float) -> list[tuple[float, float]]:
    """The octaves … 1 to 2, 2 to 4, 4 to 8 … Hz that a band lies in, the first and the last as far as it goes [Hz]."""
    edges = 2.0 ** np.arange(math.ceil(math.log2(first) + 1e-9), math.floor(math.log2(last) - 1e-9) + 1)
    return list(zip((first, *edges), (*edges, last), strict=True))


def post_answers(run: Run) -> dict[str, Trace]:
    """Answers to the posts over the frequency of their sweep, an octave each.

    The body's motion in the direction of the posts, and the change of the loads of each axle in the same pattern.

    Raises
    ------
    InputError
        The run does not say how the posts moved.
    """
    settings = run.metadata.get("settings", {})
    known = {field.name for field in dataclasses.fields(FourPost)}
    if not known <= set(settings):
        raise InputError("the run does not say how the posts moved: it has no settings of the four-post rig")
    posts = FourPost(**{name: settings[name] for name in known})
    swept = run.time <= posts.duration_s
    frequency = posts.frequency(run.time[swept])
    answers = {_NAMES[s]: (run[s] - run[s][0], s.kind.unit, FLOORS[s]) for s in _MOVED[posts.mode]}
    for axle in Axle:
        load, first = _axle_answer(run, axle, posts.mode)
        answers[f"{axle} wheel load"] = (load, "N", LOAD_FLOOR * first)
    found = {}
    for low, high in octaves(posts.first_frequency_Hz, posts.last_frequency_Hz):
        within = (frequency >= low) & (frequency <= high)
        for what, (values, unit, floor) in answers.items():
            name = f"{what}, {low:g}–{high:g} Hz"
            y = values[swept][within]
            found[name] = Trace(frequency[within], y, "frequency", "Hz", name, unit, Scale.RMS, floor)
    return found


def _axle_answer(run: Run, axle: Axle, mode: PostMode) -> tuple[Array, float]:
    """Mean change of the loads of an axle in the pattern of the posts, and the mean first load [N]."""
    corners = [corner for corner in Corner if corner.axle is axle]
    changes = [(mode.sign(corner), *load_change(run, corner)) for corner in corners]
    mean = sum((sign * change for sign, change, _ in changes), np.zeros(run.time.size)) / len(corners)
    return np.asarray(mean), sum(first for *_, first in changes) / len(corners)


def road_histories(run: Run) -> dict[str, Trace]:
    """Vertical acceleration, changes of wheel loads, longitudinal forces on the wheels, over the distance driven.

    Over distance and not over time: two models whose speeds differ by a hair meet the same bump at other times.
    """
    x = run[signals.X]
    forward = np.concatenate(([True], np.diff(x) > 0))

    def trace(name: str, values: Array, unit: str, floor: float) -> Trace:
        return Trace(x[forward], values[forward], "distance", "m", name, unit, Scale.RMS, floor)

    az = signals.AZ
    found = {_NAMES[az]: trace(_NAMES[az], run[az], az.kind.unit, FLOORS[az])}
    for corner, wheel in WHEELS.items():
        change, first = load_change(run, corner)
        for what, values in (("load", change), ("longitudinal force", run[signals.FX[corner]])):
            name = f"wheel {what} {wheel}"
            found[name] = trace(name, values, "N", LOAD_FLOOR * first)
    return found
