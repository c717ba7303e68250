"""The matrix of a step may serve the steps after it: what comes out is what new matrices give, wherever it is hard."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from trackrod.adams.vehicle import read_vehicle
from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.series import Run
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.multibody.steering import usual_steering
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.vehicle import Vehicle

STEP = 1e-3


@cache
def vehicle(name: str) -> Vehicle:
    return read_vehicle(BUNDLED[name].assembly).vehicle


def controls(name: str) -> tuple[np.ndarray, float]:
    """Steering, pedals and gear over time, and the speed at the beginning [m/s]."""
    t = STEP * np.arange({"stop": 2500, "shifts": 1500, "lift": 1600, "rough": 1000}[name])
    none, neutral = np.zeros_like(t), np.full_like(t, -1.0)
    match name:
        case "stop":  # with locked wheels, and on until it stands
            return np.column_stack((none, none, np.clip(t / 0.1, 0.0, 1.0), none)), 8.0
        case "shifts":
            return np.column_stack((none, none + 1.0, none, none)), 8.0
        case "lift":
            steering = 4.0 * np.sin(np.pi * t) * np.clip(t / 0.3, 0.0, 1.0)
            return np.column_stack((steering, none, none, neutral)), 25.0
        case _:
            return np.column_stack((0.5 * np.sin(7.0 * t), none, none, neutral)), 20.0


def driven(name: str, manoeuvre: str, *, kept: bool) -> Run:
    """A run; who sets the poses of a model before every step makes it begin each with a matrix of its own."""
    model = MultibodyVehicle(vehicle(name), step=STEP, steering=usual_steering(vehicle(name)))
    model.settle()
    inputs, speed = controls(manoeuvre)
    model.start(speed)
    height = 0.02 * np.sin(50.0 * STEP * np.arange(len(inputs))) if manoeuvre == "rough" else np.zeros(len(inputs))
    heights = np.tile(height[:, None], (1, len(model.model.tyres)))
    if kept:
        return model.run(model.advance_rows(inputs, 1, heights))
    rows = []
    for i in range(len(inputs)):
        model.model.core.set_poses(model.model.core.poses())
        rows.append(model.advance_rows(inputs[i : i + 1], 1, heights[i : i + 1]))
    return model.run(np.concatenate(rows))


def apart(run: Run, other: Run, column: str) -> float:
    """Root mean square of the difference over that of the signal [%]."""
    return float(100.0 * np.sqrt(np.mean((run[column] - other[column]) ** 2) / np.mean(run[column] ** 2)))


@pytest.mark.parametrize(
    ("name", "manoeuvre"), [("lcv_7t", "lift"), ("lcv_7t", "stop"), ("double_wishbone_car", "shifts"), ("suv", "rough")]
)
def test_a_kept_matrix_changes_nothing_that_counts(name: str, manoeuvre: str) -> None:
    """Far below what the step of 1 ms itself is off by, which is 0.1 % and more."""
    exact, kept = (driven(name, manoeuvre, kept=keep) for keep in (False, True))
    turning = manoeuvre in ("lift", "rough")
    columns = [signals.AX, signals.VX, *signals.FZ.signals, *signals.FX.signals, *signals.WHEEL_SPEED.signals]
    columns += [signals.AY, signals.YAW_RATE, signals.ROLL, *signals.FY.signals] if turning else []
    worst = {signal.column: apart(exact, kept, signal.column) for signal in columns}
    assert max(worst.values()) < 0.1, worst
    assert kept != exact  # it was kept
    loads = np.array([exact[signals.FZ[corner]] for corner in Corner])
    if manoeuvre == "lift":
        off = [int(np.argmax(run[signals.FZ[Corner.RL]] <= 0.0)) for run in (exact, kept)]
        assert loads.min() == 0.0
        assert abs(off[1] - off[0]) <= 1
    if manoeuvre == "stop":
        assert abs(kept[signals.VX][-1]) < 0.1
    if manoeuvre == "shifts":
        assert set(kept[signals.GEAR]) == set(exact[signals.GEAR]) >= {1.0, 2.0}
