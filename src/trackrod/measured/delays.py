"""Delays of channels that come late, found against signals that they follow from.

    wheel-force transducers     ΣFy in the axes of the vehicle = m · ay; ΣFx = m · ax + drag · vx²
    wheel_speed                 follows vx and the yaw rate
    vx                          follows the speeds of the wheels
    ax                          follows d vx / dt
    roll, pitch, yaw            follow the integral of their rates; and the rates the derivative of the angles

Where the angles of the steered wheels are not measured, the angle of the steering wheel stands for them, with a gain
that is found with the delay. All channels of one device have one delay. Where only some of the wheels have transducers
the sum of their forces follows from ay and the yaw acceleration, if both do not move as one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.signals import Signal, parse_column
from trackrod.measured.processing import Delay, differentiate, find_delay, shift

__all__ = ["delay_of", "device_of"]

Array = NDArray[np.float64]
Columns = Mapping[str, Array]

#: Quantities of a wheel-force transducer.
_TRANSDUCER = ("Fx", "Fy", "Fz", "Mx", "My", "Mz", "wheel_torque")
_ANGLES = ((signals.ROLL, signals.ROLL_RATE), (signals.PITCH, signals.PITCH_RATE), (signals.YAW, signals.YAW_RATE))
#: Below which a signal is differentiated [Hz].
_DERIVATIVES = 8.0
#: What such laws leave out (compliance, toe, the wind) is worth this much of a delay, as a standard deviation [s].
_LAWS = 3e-4
_NOTHING = "no channel is there that it follows from"


def device_of(column: str) -> str:
    """What a column is measured by: its channels have one delay."""
    name = parse_column(column).name
    family = name[:-3] if name[-2:] in tuple(Corner) else name
    return "wheel-force transducers" if family in _TRANSDUCER else family


def delay_of(
    device: str, columns: Columns, late: Sequence[str], complete: Callable[[Columns], Columns] = dict
) -> tuple[Delay, str]:
    """Delay of a device, and what it was found by.

    Parameters
    ----------
    device
        As of `device_of`.
    columns
        Evenly spaced, with the time; those that are late among them.
    late
        Columns of the device. They are not used to explain each other.
    complete
        Adds to columns that are in time with each other what the device misses.
    """
    found: list[tuple[Delay, str]] = []
    for how, one in _ways(device, columns, late):
        first = one(columns)
        again = one(complete(_shifted(columns, late, first.value))) if not first.missing else first
        if not again.missing:  # products of late and timely signals are right only once the delay is taken out
            deviation = math.hypot(again.standard_deviation, _LAWS)
            first = Delay(first.value + again.value, deviation, again.correlation)
        found.append((first, how))
    told = [(delay, how) for delay, how in found if not delay.missing]
    if told:
        return min(told, key=lambda item: item[0].standard_deviation)
    return found[0] if found else (Delay(np.nan, np.nan, np.nan, _NOTHING), "")


def _shifted(columns: Columns, late: Sequence[str], delay: float) -> Columns:
    time = columns[signals.TIME.column]
    return {**columns, **{column: shift(time, columns[column], delay) for column in late}}


def _ways(device: str, columns: Columns, late: Sequence[str]) -> list[tuple[str, Callable[[Columns], Delay]]]:
    """How the delay of a device can be found with these columns."""
    timely = {column for column in columns if column not in late}
    ways: list[tuple[str, Callable[[Columns], Delay]]] = []

    def add(how: str, effect: Callable[[Columns], Array], *causes: Callable[[Columns], Array]) -> None:
        def find(c: Columns) -> Delay:
            return find_delay(c[signals.TIME.column], effect(c), np.column_stack([cause(c) for cause in causes]))

        ways.append((how, find))

    if device == "wheel-force transducers":
        _add_transducers(add, timely, late)
    spins = [signal for signal in signals.WHEEL_SPEED.signals if signal.column in columns]
    if device == "wheel_speed" and signals.VX.column in timely:
        turning = [_of(signals.YAW_RATE)] if signals.YAW_RATE.column in timely else []
        add("vx", _mean([s for s in spins if s.column in late]), _of(signals.VX), *turning)
    if device == "vx" and spins:
        add("the speeds of the wheels", _of(signals.VX), _mean(spins))
    if device == "ax" and signals.VX.column in timely:
        add("d vx / dt", _of(signals.AX), _rate(signals.VX))
    for angle, rate in _ANGLES:
        if device == angle.name and rate.column in timely:
            add(f"{rate.name} = d {angle.name} / dt", _rate(angle), _of(rate))
        if device == rate.name and angle.column in timely:
            add(f"{rate.name} = d {angle.name} / dt", _of(rate), _rate(angle))
    return ways


def _add_transducers(add: Callable[..., None], timely: set[str], late: Sequence[str]) -> None:
    corners = [c for c in Corner if signals.FX[c].column in late and signals.FY[c].column in late]
    complete = len(corners) == len(Corner)
    steered = signals.STEER[Corner.FL].column not in timely and signals.STEERING_WHEEL_ANGLE.column in timely
    ax, ay, vx = signals.AX, signals.AY, signals.VX
    if complete and ay.column in timely:
        turned = [_product(signals.STEERING_WHEEL_ANGLE, ax)] if steered and ax.column in timely else []
        add("ΣFy = m · ay", lambda c: _in_vehicle(c, corners)[1], _of(ay), *turned)
    if complete and ax.column in timely:
        drag = [_product(vx, vx)] if vx.column in timely else []
        turned = [_product(signals.STEERING_WHEEL_ANGLE, ay)] if steered and ay.column in timely else []
        add("ΣFx = m · ax + drag", lambda c: _in_vehicle(c, corners)[0], _of(ax), *drag, *turned)
    sides = [c for c in Corner if signals.FY[c].column in late]
    if sides and not complete and {signals.AY.column, signals.YAW_RATE.column} <= timely:
        forces = [signals.FY[c] for c in sides]
        add("ΣFy of some wheels by ay and d yaw_rate / dt", _mean(forces), _of(signals.AY), _rate(signals.YAW_RATE))


def _in_vehicle(columns: Columns, corners: Sequence[Corner]) -> tuple[Array, Array]:
    """Sums of the forces along the axes of the vehicle."""
    time = columns[signals.TIME.column]
    x, y = np.zeros(time.size), np.zeros(time.size)
    for corner in corners:
        steer = columns.get(signals.STEER[corner].column, 0.0)
        c, s = np.cos(steer), np.sin(steer)
        along, across = columns[signals.FX[corner].column], columns[signals.FY[corner].column]
        x, y = x + c * along - s * across, y + s * along + c * across
    return x, y


def _of(signal: Signal) -> Callable[[Columns], Array]:
    return lambda columns: columns[signal.column]


def _product(one: Signal, other: Signal) -> Callable[[Columns], Array]:
    return lambda columns: columns[one.column] * columns[other.column]


def _mean(found: Sequence[Signal]) -> Callable[[Columns], Array]:
    return lambda columns: np.asarray(np.mean([columns[signal.column] for signal in found], axis=0))


def _rate(signal: Signal) -> Callable[[Columns], Array]:
    return lambda columns: differentiate(columns[signals.TIME.column], columns[signal.column], _DERIVATIVES)
