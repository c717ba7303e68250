"""The state of the multibody model: every number has a name; kept in mid-manoeuvre, it goes on bit for bit."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from trackrod.adams.vehicle import read_vehicle
from trackrod.core.artefact import Artefact, load, save
from trackrod.core.errors import InputError
from trackrod.core.model_state import MODEL_STATE
from trackrod.core.series import Run
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.multibody.integrators import Extrapolated
from trackrod.multibody.steering import SteeringModel
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.vehicle import Vehicle

CAR, VAN = "double_wishbone_car", "lcv_7t"
END = 1600


@cache
def vehicle(name: str) -> Vehicle:
    return read_vehicle(BUNDLED[name].assembly).vehicle


def standing(name: str, steering: SteeringModel = SteeringModel.RATIO, iterations: int = 1) -> MultibodyVehicle:
    """A model that has never moved."""
    return MultibodyVehicle(vehicle(name), steering=steering, iterations=iterations)


def driving(name: str, steering: SteeringModel = SteeringModel.RATIO, iterations: int = 1) -> MultibodyVehicle:
    model = standing(name, steering, iterations)
    model.settle()
    model.start(20.0)
    return model


def drive(model: MultibodyVehicle, first: int, last: int) -> np.ndarray:
    """A manoeuvre with steering, a shift at 0.6 s, a brake that locks after 1.2 s and an uneven road, in pieces."""
    t = 1e-3 * np.arange(first, last)
    pedals = (np.where(t < 1.0, 1.0, 0.0), np.clip((t - 1.2) / 0.2, 0.0, 1.0), np.where(t < 0.6, 0.0, 3.0))
    controls = np.column_stack((0.8 * np.sin(7.0 * t), *pedals))
    heights = 0.01 * np.sin(20.0 * t)[:, None] * np.linspace(0.5, 1.0, len(model.model.tyres))
    return model.advance_rows(np.ascontiguousarray(controls), 1, np.ascontiguousarray(heights))


def held(steps: int, *, throttle: float, brake: float) -> np.ndarray:
    """Controls that hold the steering wheel where it is after 0.3 s of this manoeuvre."""
    return np.tile((0.8 * np.sin(7.0 * 0.299), throttle, brake, 0.0), (steps, 1))


@cache
def driven(name: str, steering: SteeringModel, iterations: int) -> np.ndarray:
    return drive(driving(name, steering, iterations), 0, END)


@pytest.mark.parametrize("name", [CAR, VAN])
@pytest.mark.parametrize("at", [300, 650, 1550], ids=["steering", "shifting", "locked"])
def test_a_state_goes_on_bit_for_bit(name: str, at: int, tmp_path: Path) -> None:
    halved = driving(name)
    drive(halved, 0, at)
    state = halved.state()
    if at == 650:
        assert state["driveline.since_shift"] < 0.1
    if at == 1550:
        assert any(abs(state[f"wheel.{corner}.spin"]) < 1.0 for corner in ("fl", "fr", "rl", "rr"))
        assert any(state[f"wheel.{corner}.brake_angle"] != 0.0 for corner in ("fl", "fr", "rl", "rr"))
    save(Artefact(MODEL_STATE, state), tmp_path / "state.json")
    other = standing(name)
    other.set_state(load(tmp_path / "state.json", MODEL_STATE).content)
    after = drive(halved, at, END)
    assert np.array_equal(drive(other, at, END), after)
    assert np.array_equal(after, driven(name, SteeringModel.RATIO, 1)[at:])  # of one that no state was taken of


@pytest.mark.parametrize(("steering", "iterations"), [(SteeringModel.MECHANISM, 1), (SteeringModel.RATIO, 2)])
def test_either_steering_and_more_iterations_go_on_too(steering: SteeringModel, iterations: int) -> None:
    whole = driving(CAR, steering, iterations)
    drive(whole, 0, 500)
    other = standing(CAR, steering, iterations)
    other.set_state(whole.state())
    assert np.array_equal(drive(other, 500, 900), drive(whole, 500, 900))


def test_a_model_may_go_back() -> None:
    """What was driven in between leaves nothing behind, not even under inputs that are no longer given."""
    model = driving(VAN)
    drive(model, 0, 300)
    state = model.state()
    first = model.advance_rows(held(200, throttle=0.0, brake=0.0), 1)
    model.advance_rows(held(200, throttle=0.0, brake=0.3), 1)
    model.set_state(state)
    assert np.array_equal(model.advance_rows(held(200, throttle=0.0, brake=0.0), 1), first)


def test_a_settled_vehicle_may_be_kept_and_started_later() -> None:
    settled = standing(CAR)
    settled.tilt(0.3)
    settled.settle()
    other = standing(CAR)
    other.set_state(settled.state())
    for model in (settled, other):
        model.start(15.0)
    assert np.array_equal(other.state().values, settled.state().values)
    assert other.settle() == settled.settle()


@pytest.mark.parametrize("name", [CAR, VAN])
@pytest.mark.parametrize("steering", SteeringModel)
def test_every_number_has_a_name_of_its_own(name: str, steering: SteeringModel) -> None:
    state = standing(name, steering).state()
    assert len(set(state.names)) == len(state.names) == len(state.units) == state.values.size


def test_names_say_what_the_numbers_are() -> None:
    model = driving(VAN, SteeringModel.MECHANISM)
    core, index = model.model.core, model.model.index
    drive(model, 0, 699)
    before = model.state()
    rows = drive(model, 699, 700)
    core.set_load(1, np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0]))
    core.set_wheel(1, 7.0, 8.0)
    core.set_road(4, np.array([0.1, 0.2, -0.3]), np.array([0.0, 0.6, 0.8]), 0.4, 0.9)
    state = model.state()
    units = dict(zip(state.names, state.units, strict=True))

    def read(stem: str, labels: str) -> list[float]:
        return [state[f"{stem}.{label}"] for label in labels]

    body, loaded = "front_suspension.upright_left", model.model.groups[1].names[0]
    pose, twist = core.poses()[index[body]], core.twists()[index[body]]
    assert [*read(f"body.{body}.position", "xyz"), *read(f"body.{body}.orientation", "wxyz")] == pose.tolist()
    assert [*read(f"body.{body}.velocity", "xyz"), *read(f"body.{body}.angular_velocity", "xyz")] == twist.tolist()
    assert [state[f"wheel.{corner}.spin"] for corner in model.model.corners] == core.spins().tolist()
    kept = [f"wheel.{model.model.corners[1]}.spin", f"body.{body}.velocity.y", f"body.{body}.angular_velocity.z"]
    for name in kept:
        parts = name.split(".")
        parts[-1 if parts[0] == "wheel" else -2] += "_before"
        assert state[".".join(parts)] == before[name] != 0.0, name
    assert state["wheel.fr.brake_angle"] == 0.0
    assert [state[f"output.tyre.{i + 1}.Fz"] for i in range(6)] == core.tyre_forces()[:, 2].tolist()
    assert [state["tyre.5.Fx"], state["tyre.5.Fy"]] == core.tyre_forces()[4, :2].tolist()
    reading = model.reading(rows[-1])
    assert state["driveline.engine_speed"] == reading("engine_speed_radps") > 0.0
    assert state["time"] == pytest.approx(0.7)
    assert state["input.drive.steering_wheel.target"] == pytest.approx(0.8 * np.sin(7.0 * 0.699))
    assert units["input.drive.steering_wheel.target"] == "rad"
    assert [state["input.throttle"], state["input.gear"], state["input.gravity.z"]] == [1.0, 3.0, -9.80665]
    assert [*read(f"input.body.{loaded}.force", "xyz"), *read(f"input.body.{loaded}.moment", "xyz")] == [
        1,
        2,
        3,
        4,
        5,
        6,
    ]
    assert [state["input.wheel.fr.drive_torque"], state["input.wheel.fr.brake_torque"]] == [7.0, 8.0]
    assert read("input.tyre.5.road_point", "xyz") == [0.1, 0.2, -0.3]
    assert read("input.tyre.5.road_normal", "xyz") == pytest.approx([0.0, 0.6, 0.8])
    assert [state["input.tyre.5.road_speed"], state["input.tyre.5.friction"]] == [0.4, 0.9]
    assert units["wheel.fl.spin"] == "rad/s"


def test_a_state_of_another_model_is_refused() -> None:
    car = standing(CAR)
    with pytest.raises(InputError, match=r"'double_wishbone_car' \(multibody\) cannot be set in 'lcv_7t'"):
        standing(VAN).set_state(car.state())
    with pytest.raises(InputError, match="other names"):
        standing(CAR, SteeringModel.MECHANISM).set_state(car.state())


def test_a_reference_run_may_begin_with_a_state() -> None:
    model = driving(CAR)
    drive(model, 0, 300)
    state = model.state()

    def task(given: MultibodyVehicle) -> Run:
        given.set_state(state)
        return given.advance(*held(300, throttle=1.0, brake=0.0).T, every=10)

    exact, quick = Extrapolated().drive(vehicle(CAR), task).run, task(model)
    assert exact.time[0] == quick.time[0] == pytest.approx(0.31)
    for column in ("yaw_rate_radps", "vx_mps"):
        assert exact[column] == pytest.approx(quick[column], abs=0.01 * np.abs(quick[column]).max()), column
