"""Which signal each index compares, from where on its clock counts, and with which sign a model differs."""

from __future__ import annotations

import numpy as np
import pytest

from metrics.synthetic_runs import run_from
from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.series import Run
from trackrod.core.signals import Signal
from trackrod.metrics.indices import INDEX_SETS, Index, ScalarPair
from trackrod.metrics.longitudinal import acceleration_values, braking_part, braking_values, coast_down_values
from trackrod.metrics.step import step_response, step_steer_values
from trackrod.metrics.trace import Trace

TIME = np.arange(0.0, 8.0, 0.01)
#: Every signal has a shape of its own.
SHAPES = {
    name: (k + 1) * np.sin(0.3 * (k + 1) * TIME) + 0.1 * k
    for k, name in enumerate(("steering_wheel_angle", "ay", "yaw_rate", "roll", "pitch", "sideslip", "ax"))
}
LOADS = {f"Fz_{corner}": 1000.0 * (k + 2) ** 2 + TIME for k, corner in enumerate(Corner)}
NAMES = {
    "steering-wheel angle": signals.STEERING_WHEEL_ANGLE,
    "sideslip angle": signals.SIDESLIP,
    "roll angle": signals.ROLL,
    "pitch angle": signals.PITCH,
    "lateral acceleration": signals.AY,
    "yaw rate": signals.YAW_RATE,
    "velocity": signals.VX,
    "torque at the steering wheel": signals.STEERING_TORQUE,
}
HANDLING = ("lateral acceleration", "yaw rate", "roll angle", "sideslip angle")
FELT = (*HANDLING, "torque at the steering wheel")
IN_TURN = ("velocity", *HANDLING)


def run(**more: np.ndarray) -> Run:
    metadata = {"phases": [{"name": "throttle released", "start_s": 2.0, "end_s": 7.9, "ended": ""}]}
    return run_from(TIME, metadata, **{**SHAPES, **LOADS, "vx": np.maximum(20.0 - 3.0 * TIME, 0.0), **more})


@pytest.mark.parametrize(
    ("manoeuvre", "names", "begin"),
    [
        ("step_steer", ("lateral acceleration", "yaw rate"), 0.0),
        ("single_sine", FELT, 0.0),
        ("pulse", FELT, 0.0),
        ("double_lane_change", ("steering-wheel angle", *FELT), 0.0),
        ("obstacle_avoidance", ("steering-wheel angle", *FELT), 0.0),
        ("slalom", ("steering-wheel angle", *FELT), 0.0),
        ("throttle_off", IN_TURN, 2.0),
        ("brake_in_turn", IN_TURN, 3.0),
        ("coast_down", ("velocity",), 0.0),
    ],
)
def test_histories(manoeuvre: str, names: tuple[str, ...], begin: float) -> None:
    driven = run(brake=np.where(TIME > 3.005, 0.2, 0.0))
    curves = INDEX_SETS[manoeuvre](driven)
    assert tuple(curves) == names
    part = driven.time >= begin - 1e-9
    for name, curve in curves.items():
        signal: Signal = NAMES[name]
        np.testing.assert_allclose(curve.x, driven.time[part] - begin, atol=1e-9)
        np.testing.assert_array_equal(curve.y, driven[signal][part])
        assert (curve.y_name, curve.y_unit, curve.x_name, curve.x_unit) == (name, signal.kind.unit, "time", "s")


def test_axle_loads_and_pitch() -> None:
    """Front wheels carry 4000 and 9000 N, rear wheels 16000 and 25000 N, and each a newton more every second."""
    driven = run(brake=np.where(TIME > 2.005, 0.2, 0.0))
    faster = INDEX_SETS["acceleration"](driven)
    assert tuple(faster) == ("velocity", "pitch angle", "front load", "rear load")
    np.testing.assert_allclose(faster["front load"].y, 13000.0 + 2 * TIME)
    np.testing.assert_allclose(faster["rear load"].y, 41000.0 + 2 * TIME)
    braking = INDEX_SETS["braking"](driven)
    assert tuple(braking) == ("deceleration", "pitch angle", "front load", "rear load")
    part = braking_part(driven)  # to standstill, which comes at 20/3 s
    assert (part.time[0], part.time[-1]) == pytest.approx((2.0, (20.0 - 0.1) / 3.0), abs=0.011)
    for name, curve in braking.items():
        if name != "pitch angle":
            np.testing.assert_allclose(curve.x, part.time - 2.0, atol=1e-9)
    # the nod at the end does not count: to a tenth of the 14 m/s of the beginning
    assert braking["pitch angle"].x[-1] == pytest.approx((20.0 - 1.4) / 3.0 - 2.0, abs=0.011)
    np.testing.assert_allclose(braking["deceleration"].y, -part[signals.AX])
    np.testing.assert_allclose(braking["front load"].y, 13000.0 + 2 * part.time)


def test_a_circle_counts_from_where_it_is_reached() -> None:
    ay = np.linspace(0.5, 6.0, TIME.size)
    metadata = {"phases": [{"name": "onto the circle", "start_s": 0.0, "end_s": 3.0, "ended": ""}]}
    driven = run_from(TIME, metadata, **{**SHAPES, **LOADS, "ay": -ay})
    curves = INDEX_SETS["constant_radius"](driven)
    assert tuple(curves) == ("steering-wheel angle", "sideslip angle", "roll angle", "lateral load transfer")
    part = TIME >= 3.0 - 1e-9
    for name in ("steering-wheel angle", "sideslip angle", "roll angle"):
        np.testing.assert_allclose(curves[name].x, ay[part])
        np.testing.assert_allclose(curves[name].y, -driven[NAMES[name]][part])  # as in a left turn
    whole = INDEX_SETS["ramp_steer"](driven)
    assert whole["roll angle"].x.size == TIME.size
    np.testing.assert_allclose(whole["lateral load transfer"].y, -0.5 * (9000.0 + 25000.0 - 4000.0 - 16000.0))


def test_the_residual_of_a_scalar_has_a_sign() -> None:
    line = Trace(np.array([0.0, 1.0]), np.array([1.0, 2.0]), "time", "s", "speed", "m/s")
    for model, expected in ((3.0, 50.0), (1.0, -50.0)):
        index = Index("step_steer", "gain", 50.0, line, line, ScalarPair(2.0, model, "-"))
        assert not index.is_curve
        abscissa, residual = index.residual()
        assert abscissa is None
        assert residual == pytest.approx([expected])
    double = Trace(line.x, 2.0 * line.y, "time", "s", "speed", "m/s")
    abscissa, residual = Index("m", "speed", 0.0, line, double).residual()
    assert abscissa is not None
    assert (residual > 0).all()
    assert np.linalg.norm(residual) == pytest.approx(100.0 * np.sqrt(7.0 / 3.0) / 2.0, rel=1e-3)


def test_a_step_counts_from_its_first_samples() -> None:
    """The steering wheel goes from 0.1 to 0.5 rad at 1 s; the answer overshoots by a fifth at 2 s and rests at 3.4."""
    step = np.where(TIME < 0.995, 0.1, 0.5)
    answer = np.interp(TIME, [0.0, 1.0, 2.0, 3.0, 8.0], [1.0, 1.0, 3.88, 3.4, 3.4])
    found = step_response(TIME, step, answer)
    assert (found.steady, found.gain) == pytest.approx((2.4, 6.0))
    assert found.overshoot == pytest.approx(0.2, abs=1e-3)
    assert found.peak == pytest.approx(2.88, abs=3e-3)
    assert found.peak_time == pytest.approx(1.005, abs=0.011)
    assert found.response_time == pytest.approx(2.16 / 2.88 + 0.005, abs=0.011)  # to nine tenths
    quiet = step_response(TIME, step, np.interp(TIME, [0.0, 1.0, 6.0, 8.0], [1.0, 1.0, 3.4, 3.4]))
    assert quiet.overshoot == pytest.approx(0.0, abs=1e-3)
    assert not quiet.has_peak
    steered = run_from(TIME, steering_wheel_angle=step, ay=answer, yaw_rate=0.1 * answer, roll=0.02 * answer,
                       sideslip=-0.03 * answer, vx=20.0 - 0.1 * TIME)  # fmt: skip
    values = step_steer_values(steered)
    assert values.steering_wheel_angle == pytest.approx(0.4)
    assert values.steady_sideslip == pytest.approx(-0.072)
    assert values.tb_factor == pytest.approx(0.072 * values.yaw_rate.peak_time)
    assert values.roll.steady == pytest.approx(0.048)
    assert values.speed == pytest.approx(20.0 - 0.1 * (TIME[-1] - 0.5), abs=0.06)


def test_acceleration_counts_from_where_the_pedal_grows() -> None:
    """Held at 0.4, let go, then pressed to 0.8 between 2 and 2.2 s."""
    throttle = np.interp(TIME, [0.0, 1.0, 1.5, 2.0, 2.2, 8.0], [0.4, 0.4, 0.0, 0.0, 0.8, 0.8])
    speed = np.where(TIME < 2.0, 10.0, 10.0 + 2.0 * (TIME - 2.0))
    pitch = np.interp(TIME, [0.0, 2.0, 3.0, 8.0], [0.01, 0.01, -0.03, -0.02])
    found = acceleration_values(run_from(TIME, vx=speed, throttle=throttle, pitch=pitch, ax=np.gradient(speed, TIME)))
    assert found.first_speed == pytest.approx(10.0, abs=0.03)
    assert dict(found.times) == {50: pytest.approx((50 / 3.6 - 10.0) / 2.0, abs=0.011)}  # 80 km/h come later
    assert found.largest_pitch_change == pytest.approx(0.04)
    assert found.largest_speed == pytest.approx(speed[-1])


def test_braking_by_hand() -> None:
    """From 20 m/s with 2 m/s² to 17 m/s, then with 5 m/s²."""
    t = np.arange(0.0, 8.0, 0.001)
    speed = np.where(t < 1.0, 20.0, np.where(t < 2.5, 20.0 - 2.0 * (t - 1.0), np.maximum(17.0 - 5.0 * (t - 2.5), 0.0)))
    driven = run_from(t, vx=speed, brake=np.where(t > 1.0005, 0.3, 0.0), pitch=0.001 * speed, ax=np.gradient(speed, t))
    found = braking_values(driven)
    distance = 0.5 * (20.0 + 17.0) * 1.5 + (17.0**2 - 0.1**2) / 10.0
    assert found.first_speed == pytest.approx(20.0)
    assert found.distance == pytest.approx(distance, rel=1e-3)
    assert found.time == pytest.approx(1.5 + 16.9 / 5.0, abs=2e-3)
    assert found.mean_deceleration == pytest.approx(400.0 / (2 * distance), rel=1e-3)
    assert found.developed_deceleration == pytest.approx(5.0, rel=1e-3)  # from 16 to 2 m/s
    assert found.largest_deceleration == pytest.approx(5.0, rel=1e-3)
    assert found.largest_pitch_change == pytest.approx(0.02, abs=2e-4)


def test_coasting_counts_from_the_last_pedal() -> None:
    """Both pedals: the throttle is released at 1 s, the brake at 2 s; then the speed falls by 0.5 m/s²."""
    speed = np.where(TIME < 2.0, 30.0, 30.0 - 0.5 * (TIME - 2.0))
    brake, throttle = (np.where(end > TIME, 0.2, 0.0) for end in (2.0 - 1e-9, 1.0))
    found = coast_down_values(run_from(TIME, vx=speed, brake=brake, throttle=throttle))
    assert (found.first_speed, found.last_speed) == pytest.approx((30.0, speed[-1]))
    assert found.time == pytest.approx(TIME[-1] - 2.0)
    assert found.distance == pytest.approx(0.5 * (30.0 + speed[-1]) * (TIME[-1] - 2.0))
    assert found.constant == pytest.approx(0.5, abs=1e-6)
    assert found.quadratic == pytest.approx(0.0, abs=1e-8)
