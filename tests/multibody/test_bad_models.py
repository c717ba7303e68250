"""Models and inputs that cannot work: the message names what is concerned, what was reached before is kept."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from softer_vehicles import softer
from trackrod.adams.source import open_vehicle
from trackrod.adams.vehicle import read_vehicle
from trackrod.core.corners import Axle
from trackrod.core.errors import ConvergenceError, InputError
from trackrod.core.quantities import KINDS
from trackrod.kc.points import Inputs
from trackrod.kc.rig import Rig
from trackrod.multibody.driving import BrokenOffError, MultibodyVehicle
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.characteristics import Characteristic
from trackrod.vehicle.elements import Mode
from trackrod.vehicle.vehicle import Vehicle

ARM = "front_suspension.lca_left"


@cache
def car() -> Vehicle:
    return read_vehicle(BUNDLED["double_wishbone_car"].assembly).vehicle


def loose() -> Vehicle:
    """Ideal joints, one of the lower arm's missing."""
    kinematic = car().with_mode(Mode.KINEMATIC)
    return replace(kinematic, joints=tuple(joint for joint in kinematic.joints if joint.name != ARM))


def locked() -> Vehicle:
    """Ideal joints; the lower arm turns about a second axis as well."""
    kinematic = car().with_mode(Mode.KINEMATIC)
    joint = next(joint for joint in kinematic.joints if joint.name == ARM)
    x, y, z = joint.position
    second = replace(joint, name="front_suspension.second_pivot_left", position=(x, y + 0.1, z - 0.1))
    return replace(kinematic, joints=(*kinematic.joints, second))


def test_a_loose_mechanism_is_told_with_its_bodies() -> None:
    for action in (lambda: Rig(loose(), Axle.FRONT), lambda: MultibodyVehicle(loose()).settle()):
        with pytest.raises(InputError, match="too few constraints") as caught:
            action()
        assert "front_suspension.lower_control_arm_left" in str(caught.value)


def test_a_locked_mechanism_is_told_with_its_joints() -> None:
    with pytest.raises(InputError, match="too many constraints") as caught:
        Rig(locked(), Axle.FRONT)
    assert "front_suspension.lca_" in str(caught.value)


def test_springs_that_cannot_carry_are_told_and_the_design_position_is_kept() -> None:
    weak = replace(car(), springs=(), stops=(), bodies=tuple(replace(b, mass=40 * b.mass) for b in car().bodies))
    model = MultibodyVehicle(weak)
    with pytest.raises(ConvergenceError, match=r"do the springs carry the load\?"):
        model.settle()
    np.testing.assert_allclose(model.model.core.poses()[:, :3], model.model.centres, atol=1e-12)


def test_an_equilibrium_between_stops_that_come_and_go_is_found() -> None:
    """Full steps of Newton's method go back and forth between them for ever."""
    assert MultibodyVehicle(softer(open_vehicle("suv").vehicle, 0.6)).settle().iterations > 50


def test_a_load_that_no_spring_carries_on_the_rig_names_the_springs() -> None:
    bare = replace(car(), stops=())
    found = Rig(bare, Axle.FRONT).under_load(np.full((1, 2), 4e6), Inputs.of())
    assert not found.solved.any()
    assert "front_suspension.ride_spring_left" in found.problems[0].text
    assert "cannot carry it" in found.problems[0].text


def test_a_rig_beyond_its_reach_keeps_the_points_before() -> None:
    travel = np.linspace(0.0, 0.6, 7)[:, None] * np.ones(2)
    found = Rig(car(), Axle.FRONT).sweep(Inputs.of(travel))
    assert found.solved[0]
    assert not found.solved[-1]
    assert np.isfinite(found.poses[found.solved]).all()
    assert np.isnan(found.poses[~found.solved]).all()
    problem = found.problems[0].text
    assert "the last good one is travel" in problem
    assert "front_suspension." in problem


def driven(step: float) -> MultibodyVehicle:
    model = MultibodyVehicle(car(), step=step)
    model.settle()
    model.start(20.0)
    return model


def test_a_step_too_large_keeps_what_was_reached() -> None:
    model = driven(0.05)
    with pytest.raises(BrokenOffError, match=r"is the step of 0\.05 s too long\?") as caught:
        model.advance(np.where(np.arange(400) < 10, 0.0, np.radians(90.0)), 1.0, 0.0, 0)
    assert "held by" in str(caught.value)
    partial = caught.value.partial
    assert partial is not None
    assert partial.metadata["completed"] is False
    assert partial.metadata["broken_off"] == str(caught.value)
    assert 1 < partial.time.size < 400
    assert all(np.isfinite(partial[column]).all() for column in partial)
    core = model.model.core
    assert np.isfinite(core.poses()).all()
    assert np.isfinite(core.twists()).all()


@pytest.mark.parametrize("name", ["steering_wheel_angle", "throttle", "brake", "gear"])
def test_inputs_that_are_no_numbers_are_refused_before_anything_moves(name: str) -> None:
    model = driven(1e-3)
    before = model.model.core.poses()
    inputs = {key: np.zeros(5) for key in ("steering_wheel_angle", "throttle", "brake", "gear")}
    inputs[name][3] = np.nan
    with pytest.raises(InputError, match=f"{name} of step 4 is"):
        model.advance(**inputs)
    np.testing.assert_array_equal(model.model.core.poses(), before)


def test_inputs_of_different_lengths_are_refused() -> None:
    model = driven(1e-3)
    with pytest.raises(InputError, match="brake is given for 4 steps, steering_wheel_angle for 5"):
        model.advance(np.zeros(5), 0.0, np.zeros(4), 0)
    with pytest.raises(InputError, match="road_heights of step 2 is"):
        model.advance(np.zeros(5), 0.0, 0.0, 0, road_heights=np.array([[0.0] * 4, [np.nan] * 4, *[[0.0] * 4] * 3]))


@pytest.mark.parametrize(
    "broken",
    [
        lambda: Characteristic(np.array([0.0, np.nan]), np.array([0.0, 1.0]), KINDS["length"], KINDS["force"]),
        lambda: Characteristic(np.array([0.0, 1.0]), np.array([0.0, np.nan]), KINDS["length"], KINDS["force"]),
        lambda: replace(car().bushings[0].characteristic, damping=(np.nan,) * 6),
        lambda: Inputs.of([[np.nan, 0.0]]),
    ],
)
def test_what_is_not_a_number_in_a_curve_never_reaches_a_model(broken: Callable[[], object]) -> None:
    with pytest.raises(InputError):
        broken()


def test_what_is_not_a_number_in_a_file_is_told_with_its_line_and_the_connector(tmp_path: Path) -> None:
    assembly = BUNDLED["double_wishbone_car"].assembly
    database = shutil.copytree(assembly.parent.parent, tmp_path / "car.cdb")
    curve = database / "bushings.tbl" / "front_lower_arm_front.bus"
    lines = curve.read_text(encoding="utf-8").splitlines(keepends=True)
    row = lines.index("[FX_CURVE]\n") + 2  # the first point, after the names of the columns
    first, last = lines[row].split()
    assert float(first) < 0.0 < -float(last)
    lines[row] = lines[row].replace(last, "nan")
    curve.write_text("".join(lines), encoding="utf-8")
    reading = read_vehicle(database / assembly.parent.name / assembly.name)
    texts = [str(problem) for problem in reading.problems]
    assert any(f"front_lower_arm_front.bus:{row + 1}:" in text and "finite" in text for text in texts)
    assert any("'lca_front'" in text for text in texts)
