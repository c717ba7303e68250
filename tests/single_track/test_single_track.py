"""The single-track model: closed forms, exact derivatives, against the real-time model, identification."""

from __future__ import annotations

import json
import math
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom
from typer.testing import CliRunner

from rtm.converted_vehicles import spec_of
from trackrod.cli.app import app
from trackrod.core.artefact import Artefact, load, save
from trackrod.core.errors import InputError, RangeError
from trackrod.core.run_files import write_run
from trackrod.core.series import Run
from trackrod.estimate.single_track import identify_single_track, usual_single_track
from trackrod.manoeuvres.steering import StepSteer
from trackrod.single_track import SINGLE_TRACK, SingleTrack, drive
from trackrod.workflow.runs import model_run

CAR = SingleTrack(1600.0, 2600.0, 2.7, 0.53, 90e3, 110e3, steering_ratio=16.0)


def steered(angle: np.ndarray, time: np.ndarray, speed: float | np.ndarray = 25.0) -> Run:
    return Run({"time_s": time, "steering_wheel_angle_rad": angle, "vx_mps": speed + 0.0 * time})


def test_steady_turn_is_the_closed_form() -> None:
    """Pacejka, Tyre and Vehicle Dynamics, 3rd edition, 2012, section 1.3.2: δ = L/R + η a_y/g; β = b/R − …"""
    time = np.arange(0.0, 1.0, 0.01)
    small = 1e-3
    for car in (CAR, replace(CAR, relaxation_front=0.4, friction_rear=1.0, steer_compliance_front=2e-6)):
        run = drive(car, steered(np.full(time.size, small), time)).run
        assert run["yaw_rate_radps"] == pytest.approx(np.full(time.size, small * car.yaw_gain(25.0)), rel=1e-5)
        r = run["yaw_rate_radps"][-1]
        rear_slip = car.mass * car.to_front / car.wheelbase * 25.0 * r / car.stiffness[1]
        assert run["sideslip_rad"][-1] == pytest.approx(car.to_rear * r / 25.0 - rear_slip, rel=1e-4)
        assert run["ay_mps2"][-1] == pytest.approx(25.0 * r, rel=1e-6)
    softer = replace(CAR, steer_compliance_front=2e-6)
    extra = 2e-6 * CAR.mass * CAR.front_share  # compliance times the share of the side force
    assert softer.understeer_gradient - CAR.understeer_gradient == pytest.approx(extra, rel=1e-9)
    assert CAR.yaw_gain(CAR.characteristic_speed) == pytest.approx(CAR.characteristic_speed / (2 * 2.7 * 16.0))


def test_a_bank_is_steered_against_and_an_oval_is_not() -> None:
    """Straight ahead on a bank: axle forces carry m g sin φ, δ = K g sin φ. Round an oval gravity bends the path."""
    time = np.arange(0.0, 1.0, 0.01)
    bank, speed, gravity = 0.02, 25.0, 9.80665
    banked = {"road_bank_rad": np.full(time.size, bank)}
    angle = CAR.steering_ratio * CAR.understeer_gradient * gravity * math.sin(bank)
    straight = drive(CAR, Run({**steered(np.full(time.size, angle), time), **banked})).run
    assert np.abs(straight["yaw_rate_radps"]).max() < 1e-5
    assert np.abs(straight["ay_mps2"]).max() < 1e-4
    rate = -gravity * math.sin(bank) / speed
    angle = CAR.steering_ratio * CAR.wheelbase * rate / speed
    oval = drive(CAR, Run({**steered(np.full(time.size, angle), time), **banked})).run
    assert oval["yaw_rate_radps"][-1] == pytest.approx(rate, rel=1e-4)
    assert oval["ay_mps2"][-1] == pytest.approx(speed * rate, rel=1e-4)
    assert oval["sideslip_rad"][-1] == pytest.approx(CAR.to_rear * rate / speed, rel=1e-3)  # no slip at the rear axle


def test_a_slippery_road_lowers_the_limit_of_the_axles() -> None:
    time = np.arange(0.0, 3.0, 0.01)
    car = replace(CAR, friction_front=1.0, friction_rear=1.2)
    turned = steered(np.full(time.size, 2.0) * np.clip(time, 0.0, 1.0), time, 15.0)
    dry = drive(car, turned).run["ay_mps2"].max()
    slippery = drive(car, Run({**turned, "road_friction": np.full(time.size, 0.5)})).run["ay_mps2"].max()
    assert slippery < 0.5 * 1.02 * 9.80665
    assert dry > 1.5 * slippery


def test_free_motion_has_the_yaw_frequency() -> None:
    """Eigenvalues from the decay after a pulse, against the closed forms (Mitschke and Wallentowitz, chapter 21)."""
    omega, damping = CAR.yaw_frequency(40.0)
    time = np.arange(0.0, 3.0, 0.001)
    pulse = 1e-3 * ((time > 0.1) & (time < 0.2))
    run = drive(CAR, steered(pulse, time, 40.0), step=0.001).run
    free = run["yaw_rate_radps"][300:1500:10]
    # A sampled sum of two exponentials follows a recursion whose roots are the exponentials of the eigenvalues.
    table = np.column_stack([free[1:-1], free[:-2]])
    c, *_ = np.linalg.lstsq(table, free[2:], rcond=None)
    eigenvalues = np.log(np.roots([1.0, -c[0], -c[1]]).astype(complex)) / 0.01
    assert abs(eigenvalues[0]) == pytest.approx(omega, rel=1e-3)
    assert -eigenvalues[0].real / abs(eigenvalues[0]) == pytest.approx(damping, rel=1e-3)


def test_derivatives_are_exact() -> None:
    time = np.arange(0.0, 3.0, 0.01)
    car = replace(CAR, friction_front=1.0, friction_rear=1.1, relaxation_front=0.4, relaxation_rear=0.5)
    car = replace(car, steer_compliance_front=1e-6, steer_compliance_rear=5e-7, steering_offset=0.02)
    test = steered(1.2 * np.sin(3.0 * time), time, 20.0 + 2.0 * time)
    names = tuple(item.name for item in fields(SingleTrack) if item.name != "name")
    found = drive(car, test, with_respect_to=names)
    assert np.abs(found.run["ay_mps2"]).max() > 5.0
    for k, name in enumerate(names):
        h = 1e-6 * abs(getattr(car, name))
        ahead, behind = (drive(replace(car, **{name: getattr(car, name) + s * h}), test).run for s in (1, -1))
        for column, slopes in found.slopes.items():
            difference = (ahead[column] - behind[column]) / (2.0 * h)
            assert slopes[:, k] == pytest.approx(difference, abs=2e-6 * np.abs(difference).max()), (name, column)


def test_numbers_that_no_vehicle_has_are_refused() -> None:
    with pytest.raises(RangeError, match=r"front_share is 1\.2"):
        replace(CAR, front_share=1.2)
    with pytest.raises(RangeError, match="mass is -1"):
        replace(CAR, mass=-1.0)
    with pytest.raises(InputError, match="missing samples"):
        drive(CAR, steered(np.array([0.0, math.nan, 0.0]), np.array([0.0, 0.1, 0.2])))


@pytest.fixture(scope="module")
def recorded() -> Run:
    """The real-time model in a step to 3 m/s²."""
    manoeuvre = StepSteer(steering_wheel_angle_deg=18.0, delay_s=0.5, hold_s=2.0)
    return model_run(spec_of("double_wishbone_car"), manoeuvre, 1e-3, 0.01)


def test_it_follows_the_real_time_model_below_four_metres_per_second_squared(recorded: Run) -> None:
    assert 2.0 < np.abs(recorded["ay_mps2"]).max() < 4.0
    start = usual_single_track(2.7, 1500.0)
    found = identify_single_track([recorded], start, known={"wheelbase": 0.1})
    run = drive(found.model, recorded).run
    for column, limit in (("yaw_rate_radps", 0.05), ("ay_mps2", 0.06)):
        target = recorded.series(column).at(run.time)
        assert np.sqrt(np.mean((run[column] - target) ** 2)) < limit * np.abs(target).max(), column


def test_known_parameters_lie_inside_their_intervals() -> None:
    """Vehicles drawn from what is usual, three signals with noise that is no white noise."""
    time = np.arange(0.0, 12.0, 0.02)
    start = usual_single_track(2.7, 1600.0)
    inside = total = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        draw = lambda width: float(np.exp(width * rng.normal()))  # noqa: E731, B023
        car = replace(
            start,
            steering_ratio=start.steering_ratio * draw(0.3),
            front_share=start.front_share + 0.05 * rng.normal(),
            cornering_stiffness_front=start.cornering_stiffness_front * draw(0.4),
            cornering_stiffness_rear=1.3 * start.cornering_stiffness_rear * draw(0.2),
            yaw_inertia=start.yaw_inertia * draw(0.2),
        )
        angle = 0.3 * np.sin(2.0 * math.pi * (0.1 + 0.08 * time) * time)
        test = steered(angle, time, 12.0 + 1.2 * time)
        noise = np.convolve(rng.normal(0.0, 0.004, time.size + 9), np.full(10, 10**-0.5), mode="valid")
        yaw = drive(car, test, step=0.02).run["yaw_rate_radps"] + noise
        found = identify_single_track([Run({**test, "yaw_rate_radps": yaw})], start)
        for name, item in found.estimates.items():
            inside += item.interval[0] <= getattr(car, name) <= item.interval[1]
            total += 1
    assert binom.cdf(inside, total, 0.95) > 0.001, (inside, total)


def test_what_slow_turns_do_not_tell_is_said() -> None:
    time = np.arange(0.0, 10.0, 0.05)
    test = steered(4.0 * np.sin(0.5 * time), time, 3.0)
    yaw = drive(CAR, test, step=0.05).run["yaw_rate_radps"]
    found = identify_single_track(
        [Run({**test, "yaw_rate_radps": yaw})], usual_single_track(2.7), noise={"yaw_rate_radps": 0.01}
    )
    assert found.estimates["steering_ratio"].value == pytest.approx(16.0, rel=0.03)
    assert not found.estimates["yaw_inertia"].told
    assert any("not told" in sentence and "yaw_inertia" in sentence for sentence in found.sentences)
    with pytest.raises(InputError, match="nothing was steered"):
        identify_single_track([Run({**steered(0.0 * time, time), "yaw_rate_radps": yaw})], usual_single_track(2.7))
    with pytest.raises(InputError, match="no yaw_rate_radps"):
        identify_single_track([test], usual_single_track(2.7))


def test_it_is_identified_and_judged_on_the_command_line(recorded: Run, tmp_path: Path) -> None:
    write_run(recorded, tmp_path / "tests/step_steer.csv", make_parents=True)
    command = ["single-track", str(tmp_path / "tests/step_steer.csv"), "--wheelbase", "2.7", "--out"]
    result = CliRunner().invoke(app, [*command, str(tmp_path / "car.json"), "--json"])
    assert result.exit_code == 0, result.output
    said = json.loads(result.output)
    assert said["parameters"]["steering_ratio"]["told"]
    assert load(tmp_path / "car.json", SINGLE_TRACK).content.wheelbase == 2.7
    criteria = tmp_path / "criteria.toml"
    criteria.write_text(
        'name = "handling"\nintended_use = "yaw"\n[[criterion]]\nname = "yaw rate"\nsignal = "yaw_rate_radps"\n'
        'metric = "residual.l2"\nlimit = 0.1\n'
    )
    arguments = ["validate", str(tmp_path / "car.json"), str(tmp_path / "tests"), "--criteria", str(criteria), "--json"]
    judged = CliRunner().invoke(app, arguments)
    assert json.loads(judged.stdout)["outcome"] == "valid", judged.output
    save(Artefact(SINGLE_TRACK, replace(CAR, steering_ratio=30.0)), tmp_path / "wrong.json")
    assert CliRunner().invoke(app, ["validate", str(tmp_path / "wrong.json"), *arguments[2:]]).exit_code == 1
