"""Signals that engineers look at beside the motion of the body: both models tell the same of a car and of a van."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from rtm.converted_vehicles import spec_of, vehicle
from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.series import Run
from trackrod.core.signals import CornerSignal, Signal
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.rtm.driving import RealTimeVehicle

STEP = 1e-3
names = pytest.mark.parametrize("name", ["double_wishbone_car", "lcv_7t"])


@cache
def both(name: str, pedal: float = 0.2) -> tuple[Run, Run]:
    """A sine of the steering wheel, braking in its second half; without the first 0.1 s, in which steering sets in."""
    runs = []
    for model in (MultibodyVehicle(vehicle(name)), RealTimeVehicle(spec_of(name))):
        model.settle()
        model.start(20.0)
        model.advance(np.zeros(1000), 0.0, 0.0, -1)
        t = STEP * np.arange(1, 2001)
        steering = 0.6 * np.sin(np.pi * t) * np.clip(t, 0.0, 1.0)
        run = model.advance(steering, 0.0, np.clip(2.0 * (t - 1.0), 0.0, pedal), -1)
        runs.append(Run({column: values[100:] for column, values in run.items()}, run.metadata))
    return runs[0], runs[1]


def off(name: str, signal: Signal, pedal: float = 0.2) -> float:
    """RMS of the difference over that of the signal about its mean."""
    truth, found = (run[signal] for run in both(name, pedal))
    return float(np.sqrt(np.mean((found - truth) ** 2)) / np.std(truth))


@names
@pytest.mark.parametrize(
    ("signal", "limit"),
    [
        (signals.YAW_ACCELERATION, 0.05),
        (signals.PITCH_ACCELERATION, 0.10),
        (signals.RIDE_HEIGHT_FRONT, 0.05),
        (signals.RIDE_HEIGHT_REAR, 0.05),
        (signals.STEERING_TORQUE, 0.125),
    ],
    ids=lambda value: value.name if isinstance(value, Signal) else "",
)
def test_the_body_and_the_driver(name: str, signal: Signal, limit: float) -> None:
    assert off(name, signal) < limit


@names
@pytest.mark.parametrize(
    ("family", "limit"),
    [(signals.MY, 0.08), (signals.BRAKE_PRESSURE, 1e-9)],
    ids=lambda value: value.name if isinstance(value, CornerSignal) else "",
)
def test_every_wheel(name: str, family: CornerSignal, limit: float) -> None:
    """Braked in a bend, the load of a wheel is off by 1 % of itself, which is 7 % of the change of its moment."""
    for corner in Corner:
        assert off(name, family[corner]) < limit, corner


@names
def test_the_rolling_resistance_of_every_wheel_in_a_bend(name: str) -> None:
    for corner in Corner:
        assert off(name, signals.MY[corner], 0.0) < 0.01, corner


@names
def test_a_start_does_not_shake_the_vehicle(name: str) -> None:
    sunk = []
    for model in (MultibodyVehicle(vehicle(name)), RealTimeVehicle(spec_of(name))):
        model.settle()
        model.start(20.0)
        height = model.advance(np.zeros(300), 0.0, 0.0, -1)[signals.RIDE_HEIGHT_FRONT]
        sunk.append(np.abs(height - height[0]).max())
    assert abs(sunk[1] - sunk[0]) < 2e-4


@names
@pytest.mark.parametrize(("family", "limit"), [(signals.DAMPER_LENGTH, 0.02), (signals.DAMPER_VELOCITY, 0.02)])
def test_every_damper(name: str, family: CornerSignal, limit: float) -> None:
    """Without the brake, which winds the van's rear axle up on its leaf springs, and the lower ends of dampers with it.

    In the real-time model a length is a function of travels and rack alone: a quarter of its change is missing then.
    """
    for corner in Corner:
        assert off(name, family[corner], 0.0) < limit, corner
    left, right = (both(name, 0.0)[0][family[corner]] for corner in (Corner.FL, Corner.FR))
    assert np.abs(left - right).max() > 0.1 * np.ptp(left)  # an exchange would show
