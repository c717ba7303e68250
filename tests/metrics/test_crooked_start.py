"""A vehicle that is not symmetric drives straight ahead with a little roll, sideslip and steering: changes count.

And clocks start where the manoeuvre does, not where the record does.
"""

from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pytest

from metrics.synthetic_runs import braking, run_from, step_steer, turning
from trackrod.core.plain import Plain
from trackrod.core.series import Run
from trackrod.metrics.handling import brake_in_turn_values
from trackrod.metrics.indices import Index, indices
from trackrod.metrics.longitudinal import acceleration_values, braking_values
from trackrod.metrics.step import StepSteerValues, step_steer_values


def shifted(run: Run, **offsets: float) -> Run:
    """The run with constants added to signals by their names."""
    columns = {s.name: s.column for s in run.signals}
    return Run({**run, **{columns[n]: run[columns[n]] + offset for n, offset in offsets.items()}}, run.metadata)


def numbers(values: StepSteerValues) -> list[float]:
    found: list[float] = []
    for item in astuple(values):
        found += item if isinstance(item, tuple) else [item]
    return found


def test_a_step_counts_from_where_it_begins() -> None:
    run = step_steer()
    crooked = shifted(run, sideslip=0.01, roll=-0.02, ay=0.3, yaw_rate=0.02, steering_wheel_angle=-0.05)
    assert numbers(step_steer_values(crooked)) == pytest.approx(numbers(step_steer_values(run)), rel=1e-9)


def test_pitch_counts_from_where_it_begins() -> None:
    time = np.arange(0.0, 20.0, 0.01)
    throttle = np.where(time > 1.0, 1.0, 0.1)
    pitch = 0.02 - 0.01 * np.clip(time - 1.0, 0.0, 1.0)
    values = acceleration_values(run_from(time, vx=10.0 + time, throttle=throttle, ax=1.0, pitch=pitch))
    assert values.largest_pitch_change == pytest.approx(0.01)
    stopped = braking_values(shifted(braking(), pitch=-0.05))
    assert stopped.largest_pitch_change == pytest.approx(braking_values(braking()).largest_pitch_change)


def test_sideslip_under_brakes_counts_from_where_it_begins() -> None:
    time = np.arange(0.0, 6.0, 0.01)
    t = np.maximum(time - 1.0, 0.0)
    pedal = np.where(time > 1.005, 0.3, 0.0)
    run = run_from(time, vx=20.0 - 3.0 * t, yaw_rate=0.2, sideslip=0.03 - 0.01 * t, brake=pedal)
    assert brake_in_turn_values(run).largest_sideslip_change == pytest.approx(0.01, rel=1e-6)


# ---- clocks of the indices


def by_name(manoeuvre: str, reference: Run, model: Run) -> dict[str, Index]:
    return {index.name: index for index in indices(manoeuvre, reference, model)}


def braked_turn(begins: float, metadata: dict[str, Plain] | None = None) -> Run:
    """A turn that is braked after some seconds; everything that happens depends on the time since then."""
    time = np.arange(0.0, begins + 4.0, 0.01)
    t = np.maximum(time - begins, 0.0)
    ay = 4.0 * np.exp(-t) + 0.5 * np.sin(3.0 * t)
    run = turning(time, np.full(time.size, 0.5), ay, ay / 20.0, metadata)
    return Run({**run, "vx_mps": 20.0 - 3.0 * t, "brake": np.where(t > 0.005, 0.3, 0.0)}, run.metadata)


def test_braking_in_a_turn_is_compared_from_the_pedal_on() -> None:
    found = by_name("brake_in_turn", braked_turn(2.0), braked_turn(3.0))
    assert len(found) == 5
    for index in found.values():
        assert index.value_pct < 0.5, index.name
        assert index.reference.x[0] == pytest.approx(0.0, abs=0.011)


def test_a_released_throttle_is_compared_from_its_phase_on() -> None:
    def phases(at: float) -> dict[str, Plain]:
        return {"phases": [{"name": "turn", "start_s": 0.0, "end_s": at}, {"name": "throttle released", "start_s": at}]}

    found = by_name("throttle_off", braked_turn(2.0, phases(2.0)), braked_turn(3.0, phases(3.0)))
    for index in found.values():
        assert index.value_pct < 0.5, index.name


def test_a_circle_is_compared_once_it_is_reached() -> None:
    """The way onto the circle, where acceleration grows at the speed of the entry, differs and does not count."""

    def circle(entry: float) -> Run:
        time = np.arange(0.0, 30.0, 0.01)
        onto, on = np.clip(time / 5.0, 0.0, 1.0), np.maximum(time - 5.0, 0.0)
        ay = 1.0 * onto + 0.15 * on
        angle = np.where(time < 5.0, entry * onto, 0.3 + 0.02 * on)
        metadata: dict[str, Plain] = {"phases": [{"name": "onto the circle", "start_s": 0.0, "end_s": 5.0}]}
        return turning(time, angle, ay, ay / 20.0, metadata)

    found = by_name("constant_radius", circle(0.3), circle(0.6))
    assert found["steering-wheel angle"].value_pct < 0.1


def test_deceleration_is_positive_and_begins_with_the_pedal() -> None:
    found = by_name("braking", braking(), braking())["deceleration"]
    assert found.reference.y.max() == pytest.approx(5.0)
    assert found.reference.x[0] == 0.0
    assert found.reference.y[0] == 0.0, "the last sample before"
    assert found.reference.y[1] == pytest.approx(5.0)
