"""Every manoeuvre of the registry on the real-time model: it comes to its end, and nothing in it is absurd."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from short_manoeuvres import short_manoeuvre

from rtm.converted_vehicles import spec_of
from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.series import Run
from trackrod.core.signals import Signal
from trackrod.manoeuvres.registry import MANOEUVRES
from trackrod.manoeuvres.standing import Parking
from trackrod.manoeuvres.steering import StepSteer
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.simulate.drive import simulate
from trackrod.vehicle.catalogue import BUNDLED

#: Largest magnitude that a drive on a road, without roll-over, can have.
LARGEST: dict[Signal, float] = {
    signals.AX: 12.0,
    signals.AY: 12.0,
    signals.AZ: 8.0,
    signals.ROLL: 0.2,
    signals.PITCH: 0.15,
    signals.YAW_RATE: 1.5,
    signals.SIDESLIP: 0.5,
    **{signals.WHEEL_TRAVEL[corner]: 0.15 for corner in Corner},
}

#: The van leaves the road, or lifts its wheels, at the speeds of cars [km/h], as the multibody model of it does.
SLOWER = {
    ("lcv_7t", "double_lane_change"): 45.0,
    ("lcv_7t", "obstacle_avoidance"): 45.0,
    ("lcv_7t", "slalom"): 35.0,
}


@cache
def driven(vehicle: str, name: str, folder: Path) -> Run:
    spec = spec_of(vehicle)
    manoeuvre = short_manoeuvre(name, spec, folder)
    if (vehicle, name) in SLOWER:
        manoeuvre = replace(manoeuvre, speed_kmh=SLOWER[vehicle, name])
    return simulate(RealTimeVehicle(spec), manoeuvre)


@pytest.mark.parametrize("name", list(MANOEUVRES))
@pytest.mark.parametrize("vehicle", ["suv", pytest.param("lcv_7t", marks=pytest.mark.slow)])
def test_every_manoeuvre_comes_to_its_end(vehicle: str, name: str, tmp_path: Path) -> None:
    run = driven(vehicle, name, tmp_path)
    serious = [e for e in run.metadata["events"] if e["event"] not in ("wheel_lock", "beyond_maps")]
    assert not serious
    assert run.metadata["completed"]
    assert all(np.isfinite(values).all() for values in run.values())
    moving = np.abs(run[signals.VX]) > 1.0  # the sideslip angle of a standing vehicle means nothing
    for signal, largest in LARGEST.items():
        values = run[signal][moving] if signal is signals.SIDESLIP else run[signal]
        assert np.abs(values).max(initial=0.0) < largest, signal.name
    spec = spec_of(vehicle)
    weight = spec.mass * spec.parameters["gravity"]
    carried = sum(run[signals.FZ[corner]] for corner in Corner)
    assert np.mean(carried) == pytest.approx(weight, rel=0.03)


@pytest.mark.parametrize("speed_kmh", [8.0, 10.0, 15.0])
@pytest.mark.parametrize("vehicle", ["suv", *(pytest.param(v, marks=pytest.mark.slow) for v in BUNDLED if v != "suv")])
def test_walking_pace_is_held_without_swinging(vehicle: str, speed_kmh: float) -> None:
    """Full gains of the driver would keep the engine swinging against the vehicle's mass at about 8 Hz."""
    run = simulate(RealTimeVehicle(spec_of(vehicle)), Parking(speed_kmh=speed_kmh, hold_s=0.5))
    assert run.metadata["events"] == ()
    assert np.abs(run[signals.AX]).max() < 1.0
    assert np.ptp(3.6 * run[signals.VX]) < 0.6


def test_what_a_driver_reads_is_what_the_run_holds() -> None:
    """One row at a time or all at once: the same bits."""
    vehicle = RealTimeVehicle(spec_of("suv"))
    vehicle.settle()
    vehicle.start(20.0)
    t = np.arange(300) * 1e-3
    controls = np.column_stack((0.5 * np.sin(9 * t), 0.3 + 0 * t, np.where(t > 0.2, 0.4, 0.0), 0 * t))
    rows = vehicle.advance_rows(controls, 10)
    run = vehicle.run(rows)
    for k, row in enumerate(rows):
        read = vehicle.reading(row)
        for column in run:
            assert read(column) == run[column][k], column


def test_blocks_make_no_difference() -> None:
    """A run in one piece and one in blocks of 10 ms are the same, bit for bit."""
    vehicle = RealTimeVehicle(spec_of("suv"))
    step = StepSteer(steering_wheel_angle_deg=20.0, hold_s=1.5)
    run = simulate(vehicle, step, sample=0.001)
    whole = RealTimeVehicle(spec_of("suv"))
    whole.settle()
    whole.start(100 / 3.6)
    steering, throttle, brake, gear = (
        run[s][1:] for s in (signals.STEERING_WHEEL_ANGLE, signals.THROTTLE, signals.BRAKE, signals.GEAR)
    )
    again = whole.advance(steering, throttle, brake, gear)
    parts = RealTimeVehicle(spec_of("suv"))
    parts.settle()
    parts.start(100 / 3.6)
    rows = [
        parts.advance_rows(np.column_stack([x[i : i + 10] for x in (steering, throttle, brake, gear)]), 1)
        for i in range(0, steering.size, 10)
    ]
    assert np.array_equal(parts.run(np.concatenate(rows))[signals.Y], again[signals.Y])
