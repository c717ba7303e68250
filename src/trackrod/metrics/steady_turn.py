"""Characteristic values of steady turning: slowly increasing steering, and constant radius.

Reference: ISO 4138. Gradients are slopes of the straight line through the samples from 0.1 g to 0.3 g. Everything is
turned into a left turn, so that a run to the right gives the same values.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trackrod.core import signals
from trackrod.core.corners import Corner, Side
from trackrod.core.errors import InputError
from trackrod.core.series import Run
from trackrod.core.signals import Signal
from trackrod.manoeuvres.settings import g
from trackrod.metrics.events import slope
from trackrod.metrics.trace import Trace, rising_part

__all__ = [
    "LINEAR_RANGE",
    "ConstantRadiusValues",
    "RampSteerValues",
    "SteeringGeometry",
    "constant_radius_values",
    "lateral_load_transfer",
    "over_lateral_acceleration",
    "ramp_steer_values",
    "turn_sign",
]

Array = NDArray[np.float64]

#: Lateral acceleration between which gradients are taken [m/s²]: 0.1 g to 0.3 g.
LINEAR_RANGE = (g(0.1), g(0.3))


@dataclass(frozen=True, slots=True)
class SteeringGeometry:
    """What a run does not know and the understeer gradient needs.

    Attributes
    ----------
    wheelbase
        [m]
    ratio
        Steering-wheel angle over the mean steer angle of the front wheels, without load [-].
    """

    wheelbase: float
    ratio: float


@dataclass(frozen=True, slots=True)
class RampSteerValues:
    """Slowly increasing steering at constant speed, ISO 4138.

    Attributes
    ----------
    speed
        Mean [m/s].
    largest_lateral_acceleration
        [m/s²]
    steering_gradient
        Steering-wheel angle per lateral acceleration at this speed [rad/(m/s²)].
    understeer_gradient
        `steering_gradient` over the ratio, less the Ackermann part wheelbase/speed² [rad/(m/s²)]; None without the
        geometry.
    characteristic_speed
        √(wheelbase / understeer gradient) [m/s]; None without the geometry or where the vehicle does not understeer.
    sideslip_gradient, roll_gradient
        Per lateral acceleration [rad/(m/s²)].
    load_transfer_gradient
        Of both axles, per lateral acceleration [N/(m/s²)].
    """

    speed: float
    largest_lateral_acceleration: float
    steering_gradient: float
    understeer_gradient: float | None
    characteristic_speed: float | None
    sideslip_gradient: float
    roll_gradient: float
    load_transfer_gradient: float


@dataclass(frozen=True, slots=True)
class ConstantRadiusValues:
    """Constant radius with growing speed, ISO 4138.

    Attributes
    ----------
    radius
        Speed² over lateral acceleration, mean over the range of the gradients [m].
    largest_lateral_acceleration
        [m/s²]
    steering_gradient
        Steering-wheel angle per lateral acceleration on this circle [rad/(m/s²)].
    understeer_gradient
        `steering_gradient` over the ratio [rad/(m/s²)]; None without the geometry.
    sideslip_gradient, roll_gradient
        Per lateral acceleration [rad/(m/s²)].
    """

    radius: float
    largest_lateral_acceleration: float
    steering_gradient: float
    understeer_gradient: float | None
    sideslip_gradient: float
    roll_gradient: float


def turn_sign(run: Run) -> float:
    """+1 if the largest lateral acceleration of a run is to the left, −1 if it is to the right."""
    ay = run[signals.AY]
    return 1.0 if ay[int(np.argmax(np.abs(ay)))] >= 0 else -1.0


def lateral_load_transfer(run: Run) -> Array:
    """Half the load of the right wheels less that of the left wheels [N]; positive in a left turn."""
    by_side = {side: sum(run[signals.FZ[c]] for c in Corner if c.side is side) for side in Side}
    return np.asarray(0.5 * (by_side[Side.RIGHT] - by_side[Side.LEFT]))


def over_lateral_acceleration(run: Run, values: Array, name: str, unit: str) -> Trace:
    """A quantity against lateral acceleration up to the largest one, both as in a left turn.

    Parameters
    ----------
    run
        With growing lateral acceleration.
    values
        Of a quantity that changes its sign with the direction of the turn, for each sample [unit].
    name, unit
        Of the quantity.
    """
    sign = turn_sign(run)
    x, y = rising_part(sign * run[signals.AY], sign * values)
    return Trace(x, y, "lateral acceleration", "m/s²", name, unit)


def _gradient(run: Run, values: Array, name: str) -> float:
    """Slope of values against lateral acceleration over `LINEAR_RANGE`, mirrored into a left turn or not."""
    curve = over_lateral_acceleration(run, values, name, "")
    found = slope(curve.x, curve.y, *LINEAR_RANGE)
    if found is None:
        low, high = (a / g(1.0) for a in LINEAR_RANGE)
        raise InputError(f"the run has no {name} from {low:g} g to {high:g} g, where gradients are taken")
    return found


def _signal_gradient(run: Run, signal: Signal) -> float:
    return _gradient(run, run[signal], signal.meaning)


def ramp_steer_values(run: Run, geometry: SteeringGeometry | None = None) -> RampSteerValues:
    """Values of a run of slowly increasing steering; InputError if it does not reach 0.1 g to 0.3 g."""
    speed = float(run[signals.VX].mean())
    gradient = _signal_gradient(run, signals.STEERING_WHEEL_ANGLE)
    understeer = None if geometry is None else gradient / geometry.ratio - geometry.wheelbase / speed**2
    characteristic = (
        math.sqrt(geometry.wheelbase / understeer)
        if geometry is not None and understeer is not None and understeer > 0
        else None
    )
    return RampSteerValues(
        speed=speed,
        largest_lateral_acceleration=float(np.abs(run[signals.AY]).max()),
        steering_gradient=gradient,
        understeer_gradient=understeer,
        characteristic_speed=characteristic,
        sideslip_gradient=_signal_gradient(run, signals.SIDESLIP),
        roll_gradient=_signal_gradient(run, signals.ROLL),
        load_transfer_gradient=_gradient(run, lateral_load_transfer(run), "lateral load transfer"),
    )


def constant_radius_values(run: Run, geometry: SteeringGeometry | None = None) -> ConstantRadiusValues:
    """Values of a run on a circle with growing speed; InputError if it does not reach 0.1 g to 0.3 g."""
    gradient = _signal_gradient(run, signals.STEERING_WHEEL_ANGLE)
    ay = np.abs(run[signals.AY])
    chosen = (ay >= LINEAR_RANGE[0]) & (ay <= LINEAR_RANGE[1])
    return ConstantRadiusValues(
        radius=float(np.mean(run[signals.VX][chosen] ** 2 / ay[chosen])),
        largest_lateral_acceleration=float(ay.max()),
        steering_gradient=gradient,
        understeer_gradient=None if geometry is None else gradient / geometry.ratio,
        sideslip_gradient=_signal_gradient(run, signals.SIDESLIP),
        roll_gradient=_signal_gradient(run, signals.ROLL),
    )
