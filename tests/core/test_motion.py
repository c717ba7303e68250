"""Attitude and frames against SciPy's rotations, and numbers against arrays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.errors import UnknownNameError
from trackrod.core.motion import FIRST, READERS, Attitude, Motion, Values, Vector, WheelPose, rotation_matrices

ANGLE = st.floats(-3.1, 3.1)
LEAN = st.floats(-1.5, 1.5)


def quaternion(yaw: float, pitch: float, roll: float) -> list[float]:
    x, y, z, w = Rotation.from_euler("ZYX", [yaw, pitch, roll]).as_quat()
    return [w, x, y, z]


@given(yaw=ANGLE, pitch=LEAN, roll=ANGLE, length=st.floats(0.5, 2.0))
def test_angles_are_those_of_iso_8855_whatever_the_length(yaw: float, pitch: float, roll: float, length: float) -> None:
    attitude = Attitude(*(length * np.array(quaternion(yaw, pitch, roll))).tolist())
    assert (attitude.yaw, attitude.pitch, attitude.roll) == pytest.approx((yaw, pitch, roll), abs=1e-7)


@given(yaw=ANGLE, pitch=LEAN, roll=ANGLE)
def test_vectors_turn_as_matrices_turn_them(yaw: float, pitch: float, roll: float) -> None:
    q, vector = quaternion(yaw, pitch, roll), np.array([1.0, -2.0, 0.5])
    truth = Rotation.from_euler("ZYX", [yaw, pitch, roll])
    assert np.array(Attitude(*q).turn(vector.tolist())) == pytest.approx(truth.apply(vector), abs=1e-12)
    assert rotation_matrices(np.array(q)) == pytest.approx(truth.as_matrix(), abs=1e-12)


class Rolling(Motion):
    """A motion in which each row holds the quaternion, a position and a velocity in E, and one tyre's numbers."""

    rack_travel = gear = engine_speed = property(lambda self: 0.0 * self.time)  # type: ignore[assignment]
    attitude = property(lambda self: Attitude(*self._cells[FIRST : FIRST + 4]))  # type: ignore[assignment]
    position = property(lambda self: self._cells[8:11])  # type: ignore[assignment]
    velocity = acceleration = property(lambda self: self._cells[11:14])  # type: ignore[assignment]

    @property
    def rates(self) -> Vector:
        return self._cells[11:14]

    @property
    def tyres(self) -> dict[Corner, list[int]]:
        return {corner: [14, 22] if corner is Corner.RL else [14] for corner in Corner}

    def wheel_speed(self, corner: Corner) -> Values:
        return self.time

    def wheel(self, corner: Corner) -> WheelPose:
        return WheelPose(self.time, self.time, self.time)


def rows() -> np.ndarray:
    random = np.random.default_rng(3)
    table = random.normal(size=(20, 30))
    table[:, 3] = np.arange(20.0)
    table[:, FIRST : FIRST + 4] /= np.linalg.norm(table[:, FIRST : FIRST + 4], axis=1)[:, None]
    return table


def test_one_sample_reads_as_many_do() -> None:
    table = rows()
    run = Rolling(table).run({})
    for k, row in enumerate(table):
        one = Rolling(row)
        for column in run:
            expected = run[column][k]
            if column == signals.YAW.column:  # without jumps in a run
                expected = np.arctan2(np.sin(expected), np.cos(expected))
                assert one.value(column) == pytest.approx(expected, abs=1e-12)
            else:
                assert one.value(column) == expected, column


def test_velocity_is_in_the_heading_frame() -> None:
    """Turned back by the yaw angle alone, whatever pitch and roll are."""
    row = rows()[0]
    motion = Rolling(row)
    yaw = Rotation.from_quat(np.roll(row[FIRST : FIRST + 4], -1)).as_euler("ZYX")[0]
    back = Rotation.from_euler("Z", -yaw).apply(row[11:14])
    assert np.array(motion.heading_velocity) == pytest.approx(back, abs=1e-12)
    assert motion.value("sideslip_rad") == pytest.approx(np.arctan2(back[1], back[0]))


def test_twin_tyres_add_up() -> None:
    row = rows()[0]
    motion = Rolling(row)
    assert motion.value("Fz_rl_N") == pytest.approx(row[16] + row[24])
    assert motion.value("slip_angle_rl_rad") == pytest.approx(0.5 * (row[21] + row[29]))
    assert motion.value("Fz_fl_N") == row[16]


def test_what_a_model_does_not_know_is_left_out() -> None:
    assert signals.STEERING_TORQUE.column in READERS
    assert signals.STEERING_TORQUE.column not in Rolling(rows()).run({})
    with pytest.raises(UnknownNameError, match="steering_wheel_torque"):
        Rolling(rows()[0]).value(signals.STEERING_TORQUE.column)
    with pytest.raises(UnknownNameError, match="yaw_rate_radps"):
        Rolling(rows()[0]).value("yaw_rte_radps")
