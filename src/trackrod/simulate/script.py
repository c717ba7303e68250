"""Scripts for the real-time model, from a manoeuvre that a reference has driven or from its record alone."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from trackrod.core import signals
from trackrod.core.driver_inputs import with_environment
from trackrod.core.errors import InputError
from trackrod.core.plain import Plain
from trackrod.core.series import Run
from trackrod.core.signals import Signal
from trackrod.core.wheel_inputs import WheelInputs
from trackrod.manoeuvres.controls import (
    AssistBy,
    FollowSpeed,
    HoldSpeed,
    HoldSteering,
    HoldThrottle,
    Pedals,
    PressBrake,
    SteerBy,
    SteerTo,
)
from trackrod.manoeuvres.manoeuvre import AUTOMATIC, KEEP_GEAR, NEUTRAL, Manoeuvre, Phase, Sample, engaged_gear
from trackrod.rtm.script import Script

__all__ = ["LEAD", "can_be_scripted", "scripted"]

Array = NDArray[np.float64]

#: Time before a run begins in which the vehicle finds its throttle [s].
LEAD = 4.0

_STEERING, _PEDALS = (HoldSteering, SteerBy, SteerTo), (FollowSpeed, HoldSpeed, HoldThrottle, Pedals, PressBrake)


def can_be_scripted(manoeuvre: Manoeuvre) -> bool:
    """Whether the road is ordinary and all that the driver does is known beforehand, the holding of a speed apart."""
    ordinary = manoeuvre.road() is None and manoeuvre.grade() == 0.0 and manoeuvre.friction() == 1.0
    alone = manoeuvre.assistance() is None or isinstance(manoeuvre.assistance(), AssistBy)
    return ordinary and alone and all(map(_open_loop, manoeuvre.phases()))


def _open_loop(phase: Phase) -> bool:
    held = not isinstance(phase.pedals, HoldSpeed) or phase.pedals.brakes
    return isinstance(phase.steering, _STEERING) and isinstance(phase.pedals, _PEDALS) and held


def scripted(manoeuvre: Manoeuvre, reference: Run, *, step: float = 1e-3, own_gears: bool = False) -> Script:
    """What the driver did in the run of a reference, for as long as each phase took there.

    Parameters
    ----------
    manoeuvre
        With every setting known, as the reference drove it.
    reference
        Its run; the times of the phases, the gears and the first throttle are taken from it. Without phases in its
        metadata it is one.
    step
        Of the integration [s].
    own_gears
        Whether the vehicle that drives chooses its gears itself where the manoeuvre lets it. Otherwise it changes them
        when the reference did: a change of gear that moves with the parameters is a jump of the curves that moves, and
        curves far from it do not tell where to.

    Raises
    ------
    InputError
        The driver closes a loop that a script cannot hold, such as following a path.
    """
    if not can_be_scripted(manoeuvre):
        raise InputError(f"'{manoeuvre.name}' depends on what the driver sees: it cannot be written down beforehand")
    start = manoeuvre.start()
    speed, lead = start.speed, round(LEAD / step)
    gear = _at(reference, signals.GEAR, 0.0)
    rolling = (start.steering, 0.0, 0.0, gear, speed)
    standing = (start.steering, 0.0, 0.0 if start.free else 1.0, NEUTRAL, np.nan)
    before = np.column_stack([np.full(lead, value) for value in (rolling if speed > 0 else standing)])
    controls = np.concatenate([before, *_phase_rows(manoeuvre, reference, step, own_gears=own_gears)])
    assistance, environment = manoeuvre.assistance(), manoeuvre.environment()
    after = len(controls) - lead
    wheels = around = None
    if isinstance(assistance, AssistBy):
        given = assistance.inputs(step * np.arange(1.0, after + 1)).rows(after)
        wheels = WheelInputs.of_rows(np.concatenate((np.zeros((lead, given.shape[1])), given)))
    if environment is not None:
        around = environment.at(step * np.clip(np.arange(1.0 - lead, after + 1), 0.0, None))
    controls = with_environment(controls, wheels, around)
    return _script(reference, controls, lead, speed, step)


def _phase_rows(manoeuvre: Manoeuvre, reference: Run, step: float, *, own_gears: bool) -> Iterator[Array]:
    phases, recorded = manoeuvre.phases(), reference.metadata.get("phases")
    if recorded is None:  # a record of one piece
        recorded = [{"start_s": 0.0, "end_s": float(reference.time[-1] - reference.time[0])}]
    for phase, times in zip(phases, recorded, strict=False):
        start, steps = float(times["start_s"]), round((times["end_s"] - times["start_s"]) / step)
        if steps == 0:
            continue
        at = reference.time[0] + start
        now = Sample(0.0, {column: float(np.interp(at, reference.time, y)) for column, y in reference.items()})
        t = step * np.arange(1.0, steps + 1)
        engaged = AUTOMATIC  # where nobody recorded one
        if signals.GEAR.column in reference:
            engaged = round(now[signals.GEAR]) or NEUTRAL
        gear = np.full(steps, phase.gear if phase.gear != KEEP_GEAR else engaged)
        if phase.gears is not None:
            gear = phase.gears(t)
        if signals.GEAR.column in reference and not own_gears:
            gear = np.where(gear == AUTOMATIC, engaged_gear(reference, at + t), gear)
        throttle, brake, speed = _pedals(phase, now, t)
        yield np.column_stack((phase.steering.begin(now)(t, now), throttle, brake, gear, speed))


def _pedals(phase: Phase, now: Sample, t: Array) -> tuple[Array, Array, Array]:
    none, zero = np.full(t.size, np.nan), np.zeros(t.size)
    law = phase.pedals
    if isinstance(law, HoldSpeed):
        return none, zero, law.speed + law.rate * t
    if isinstance(law, FollowSpeed):
        return none, zero, law.speed(t)
    if isinstance(law, HoldThrottle):
        return none, zero, none
    throttle, brake = law.begin(now)(t, now)
    return throttle, brake, none


def _script(reference: Run, controls: Array, lead: int, speed: float, step: float) -> Script:
    sample = float(reference.time[1] - reference.time[0])
    every = round(sample / step)
    if abs(every * step - sample) > 1e-9:
        raise InputError(f"samples every {sample:g} s are no whole number of steps of {step:g} s; resample the run")
    gear = round(_at(reference, signals.GEAR, 0.0))
    kept: dict[str, Plain] = {
        key: reference.metadata[key] for key in ("manoeuvre", "settings", "phases") if key in reference.metadata
    }
    return Script(
        speed=speed,
        gear=max(gear, 0),
        throttle=float(np.clip(_at(reference, signals.THROTTLE, 0.0), 0.0, 1.0)),
        controls=controls,
        lead=lead,
        every=every,
        guide=_guide(reference, controls, lead, step),
        metadata=kept,
    )


def _guide(reference: Run, controls: Array, lead: int, step: float) -> Array | None:
    wanted = (signals.VX, signals.YAW_RATE, signals.ROLL)
    if not all(signal.column in reference for signal in wanted):
        return None
    t = reference.time[0] + step * np.arange(1.0 - lead, len(controls) - lead + 1)
    return np.column_stack([np.interp(t, reference.time, reference[signal]) for signal in wanted])


def _at(run: Run, signal: Signal, default: float) -> float:
    return float(run[signal][0]) if signal.column in run else default
