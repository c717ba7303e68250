"""Rows and poses of the multibody model, for bodies put by hand anywhere in space: no angle and no offset is zero."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.wheel_inputs import WHEEL_SIGNALS
from trackrod.multibody.motion import MultibodyMotion, Rows, joint_angles, joint_travel, wheel_pose
from trackrod.vehicle.systems import Brakes

Array = NDArray[np.float64]

#: Wheel centres in V, which are not symmetric, spin axes, and the centres of mass of their bodies.
CENTRES = {
    Corner.FL: (1.3, 0.75, 0.31),
    Corner.FR: (1.2, -0.71, 0.29),
    Corner.RL: (-1.5, 0.78, 0.33),
    Corner.RR: (-1.4, -0.74, 0.3),
}
BODY = {corner: f"carrier_{corner}" for corner in Corner}
NAMES = ["rack", "chassis", *BODY.values()]
MASS_CENTRES = np.array([[1.1, 0.1, 0.2], [-0.1, 0.05, 0.6], *np.add(list(CENTRES.values()), [0.02, -0.1, 0.03])])
CHASSIS_E = np.array([12.0, -3.0, 0.9])
BRAKES = Brakes(largest_pressure=1e7, front_torque=2e-4, rear_torque=1e-4)
R_CHASSIS = Rotation.from_euler("ZYX", [0.7, 0.04, -0.05])


def fake(column: Any = None, tyres: tuple[Corner, ...] = tuple(Corner)) -> Any:
    """What the functions ask of a compiled model."""
    axes = {corner: Rotation.from_euler("ZX", [0.01, -0.02]).apply([0.0, 1.0, 0.0]) for corner in Corner}
    wheels = {c: SimpleNamespace(body=BODY[c], centre=CENTRES[c], axis=axes[c]) for c in Corner}
    steering = SimpleNamespace(ratio=-0.008)
    vehicle = SimpleNamespace(
        chassis="chassis", sprung_body=lambda axle: "chassis", frame=None,
        wheel=wheels.__getitem__, steering=steering, brakes=BRAKES,
    )  # fmt: skip
    return SimpleNamespace(
        vehicle=vehicle, index={name: i for i, name in enumerate(NAMES)}, centres=MASS_CENTRES,
        corners=tuple(Corner), tyres=tyres, column=column, drives={"rack": 0, "steering_wheel": 1},
        undamped={Corner.FR},
    )  # fmt: skip


def pose(place: Array, turn: Rotation) -> Array:
    return np.concatenate((place, np.roll(turn.as_quat(), 1)))


def chassis_pose() -> Array:
    return pose(CHASSIS_E, R_CHASSIS)


def carrier_pose(corner: Corner, moved: Array, turn: Rotation) -> Array:
    """Of a carrier whose wheel centre has moved in V and that has turned about it in V."""
    centre_V = np.array(CENTRES[corner]) + moved
    mass_V = centre_V + turn.apply(MASS_CENTRES[NAMES.index(BODY[corner])] - np.array(CENTRES[corner]))
    return pose(CHASSIS_E + R_CHASSIS.apply(mass_V - MASS_CENTRES[1]), R_CHASSIS * turn)


@pytest.mark.parametrize("corner", list(Corner))
def test_a_wheel_against_the_body(corner: Corner) -> None:
    """The spin axis at the design position is steered by 0.01 and inclined by −0.02 rad; steer comes first."""
    turn = Rotation.from_euler("ZX", [0.11, 0.07]) * Rotation.from_euler("ZX", [0.01, -0.02]).inv()
    found = wheel_pose(fake(), corner, carrier_pose(corner, np.array([0.01, 0.02, -0.05]), turn), chassis_pose())
    assert found.travel == pytest.approx(-0.05)
    assert found.steer == pytest.approx(0.11)
    outward = -1.0 if corner in (Corner.FL, Corner.RL) else 1.0  # inclination leans the top to the right
    assert found.camber == pytest.approx(outward * 0.07)


def joint(first: str, second: str, axis: Array) -> Any:
    return SimpleNamespace(bodies=(first, second), position=(1.0, 0.2, 0.25), axis=tuple(axis / np.linalg.norm(axis)))


def poses_of(first: Array, second: Array) -> Array:
    poses = np.zeros((len(first), len(NAMES), 7))
    poses[..., 3] = 1.0
    poses[:, 0], poses[:, 1] = first, second
    return poses


def test_a_joint_slides_along_its_axis() -> None:
    axis = np.array([0.1, 1.0, -0.2])
    rack = joint("rack", "chassis", axis)
    unit = np.array(rack.axis)
    travels = np.array([0.0, 0.03, -0.04])
    moved = [CHASSIS_E + R_CHASSIS.apply(MASS_CENTRES[0] + t * unit - MASS_CENTRES[1]) for t in travels]
    poses = poses_of(np.array([pose(place, R_CHASSIS) for place in moved]), np.array([chassis_pose()] * 3))
    assert joint_travel(fake(), poses, rack) == pytest.approx(travels, abs=1e-12)


@pytest.mark.parametrize("axis", [[0.1, 1.0, -0.2], [1.0, 0.3, 0.1], [0.2, 0.1, -1.0]])
def test_a_joint_turns_about_its_axis_without_jumps(axis: list[float]) -> None:
    shaft = joint("rack", "chassis", np.array(axis))
    angles = np.linspace(0.0, 9.0, 40)
    turns = [R_CHASSIS * Rotation.from_rotvec(a * np.array(shaft.axis)) for a in angles]
    poses = poses_of(np.array([pose(CHASSIS_E, turn) for turn in turns]), np.array([chassis_pose()] * 40))
    assert joint_angles(fake(), poses, shaft) == pytest.approx(angles, abs=1e-9)
    held = joint("rack", "ground", np.array(axis))  # a body that is not in the model stands still
    alone = [pose(CHASSIS_E, Rotation.from_rotvec(a * np.array(held.axis))) for a in angles]
    assert joint_angles(fake(), poses_of(np.array(alone), poses[:, 1]), held) == pytest.approx(angles, abs=1e-9)


def given(n: int, tyres: int) -> dict[str, Array]:
    """What the core gives for n samples: every number different."""
    count = iter(range(10**6))

    def numbers(*shape: int) -> Array:
        return np.array([next(count) for _ in range(int(np.prod(shape)))], dtype=float).reshape(shape)

    poses = numbers(n, len(NAMES), 7)
    poses[..., 3:] /= np.linalg.norm(poses[..., 3:], axis=-1)[..., None]
    return {
        "inputs": numbers(n, 3), "time": numbers(n), "poses": poses, "twists": numbers(n, len(NAMES), 6),
        "spins": numbers(n, 4), "tyres": numbers(n, tyres, 10), "drives": numbers(n, 2), "other": numbers(n, 15),
        "at_wheels": numbers(n, 20), "lines": numbers(n, 8, 2),
    }  # fmt: skip


def test_every_column_of_a_row_is_what_the_core_gave() -> None:
    corners = (Corner.FL, Corner.FR, Corner.RL, Corner.RL, Corner.RR)  # twin tyres behind on the left
    layout = Rows(fake(tyres=corners))
    core = given(3, len(corners))
    motion = MultibodyMotion(layout.joined(**core), layout)
    assert np.array_equal(motion.steering_wheel_angle, core["inputs"][:, 0])
    assert np.array_equal(motion.throttle, core["inputs"][:, 1])
    assert np.array_equal(motion.brake, core["inputs"][:, 2])
    assert np.array_equal(motion.time, core["time"])
    assert np.array_equal(np.transpose(motion.position), core["other"][:, 0:3])
    assert np.array_equal(np.transpose(motion.velocity), core["other"][:, 3:6])
    assert np.array_equal(np.transpose(motion.acceleration), core["other"][:, 6:9])
    assert np.array_equal(motion.engine_speed, core["other"][:, 9])
    assert np.array_equal(motion.gear, core["other"][:, 10])
    assert np.array_equal(np.transpose(motion.rates), core["twists"][:, 1, 3:])
    attitude = motion.attitude
    quaternion = np.column_stack([attitude.w, attitude.x, attitude.y, attitude.z])
    assert np.array_equal(quaternion, core["poses"][:, 1, 3:])
    assert motion.rack_travel == pytest.approx(-0.008 * core["inputs"][:, 0])
    assert motion.steering_torque == pytest.approx(-0.008 * core["drives"][:, 0])  # by virtual power
    assert motion.torsion_bar_twist is None
    assert np.array_equal(np.transpose(motion.angular_acceleration), core["other"][:, 12:15])
    run = motion.run({})
    for i, corner in enumerate(Corner):
        assert np.array_equal(motion.wheel_speed(corner), core["spins"][:, i])
        of_corner = [k for k, where in enumerate(corners) if where is corner]
        for which, signal in ((0, signals.FX), (1, signals.FY), (2, signals.FZ), (4, signals.MY), (5, signals.MZ)):
            assert run[signal[corner]] == pytest.approx(core["tyres"][:, of_corner, which].sum(axis=1))
        for which, signal in ((6, signals.SLIP_RATIO), (7, signals.SLIP_ANGLE)):
            assert run[signal[corner]] == pytest.approx(core["tyres"][:, of_corner, which].mean(axis=1))
        poses = core["poses"]
        found = motion.wheel(corner)
        expected = wheel_pose(layout.model, corner, poses[:, 2 + i], poses[:, 1])
        assert np.array_equal(found.travel, expected.travel)
        assert found.steer == pytest.approx(expected.steer + core["at_wheels"][:, 8 + i])
        length, rate = motion.damper(corner)
        assert length == pytest.approx(core["lines"][:, i, 0] - (1000.0 if corner is Corner.FR else 0.0))
        assert np.array_equal(rate, core["lines"][:, i, 1])
        for k, family in enumerate(WHEEL_SIGNALS.values()):
            assert np.array_equal(run[family[corner]], core["at_wheels"][:, 4 * k + i])
        torque = 1e7 * (2e-4 if i < 2 else 1e-4)
        expected_pressure = 1e7 * (core["inputs"][:, 2] + core["at_wheels"][:, i] / torque)
        assert run[signals.BRAKE_PRESSURE[corner]] == pytest.approx(expected_pressure)


def test_ride_heights_are_those_of_points_of_the_body() -> None:
    layout = Rows(fake(), road=0.1)
    core = given(1, 4)
    core["poses"][:, 1] = chassis_pose()
    found = MultibodyMotion(layout.joined(**core), layout).ride_heights
    for height, middle in zip(found, ([1.25, 0.02, 0.3], [-1.45, 0.02, 0.315]), strict=True):
        expected = CHASSIS_E + R_CHASSIS.apply(np.array(middle) - MASS_CENTRES[1])
        assert height == pytest.approx(expected[2] - 0.1)


def test_inputs_come_in_the_order_of_the_wheels_of_the_model() -> None:
    model = fake()
    model.corners = (Corner.RR, Corner.FL, Corner.FR, Corner.RL)
    assert Rows(model).of_wheels(np.arange(20.0)[None]).tolist() == [
        [k + i for k in (0.0, 4.0, 8.0, 12.0, 16.0) for i in (3, 0, 1, 2)]
    ]


def test_a_steering_mechanism_comes_last() -> None:
    column = SimpleNamespace(rack=joint("rack", "chassis", np.array([0.0, 1.0, 0.0])), twist=None)
    layout = Rows(fake(column))
    core = given(3, 4)
    motion = MultibodyMotion(layout.joined(**core), layout)
    assert np.array_equal(motion.rack_travel, joint_travel(layout.model, core["poses"], column.rack))
    assert np.array_equal(motion.steering_torque, core["drives"][:, 1])
    assert not np.any(motion.torsion_bar_twist)
    column.twist = joint("rack", "carrier_rl", np.array([0.0, 1.0, 0.0]))
    layout = Rows(fake(column))
    bar = MultibodyMotion(layout.joined(**core), layout)
    assert np.array_equal(bar.torsion_bar_twist, joint_angles(layout.model, core["poses"], column.twist))
