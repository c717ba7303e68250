"""Attitude and frames against SciPy's rotations, and numbers against arrays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from trackrod.core import signals
from trackrod.core.corners import Axle, Corner
from trackrod.core.errors import UnknownNameError
from trackrod.core.motion import (
    FIRST,
    READERS,
    Attitude,
    BrakeLine,
    Motion,
    Values,
    Vector,
    WheelPose,
    rotation_matrices,
)
from trackrod.core.wheel_inputs import WHEEL_SIGNALS

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


class Assisted(Rolling):
    """Added brake torque of one wheel, in the last column; nothing else acts."""

    def wheel_input(self, name: str, corner: Corner) -> Values:
        return self._cells[29] if (name, corner) == ("brake_torque", Corner.RR) else 0.0 * self.time


def test_what_assistance_systems_do_not_do_is_left_out() -> None:
    table = rows()
    run = Assisted(table).run({})
    added = [column for column in run if column.startswith(("added", "steer_offset"))]
    assert added == [signals.ADDED_BRAKE_TORQUE[corner].column for corner in Corner]
    assert np.array_equal(run[signals.ADDED_BRAKE_TORQUE[Corner.RR]], table[:, 29])
    table[:, 29] = 0.0
    assert not [column for column in Assisted(table).run({}) if column.startswith("added")]
    assert Assisted(table[0]).value(signals.ADDED_BRAKE_TORQUE[Corner.RR].column) == 0.0


class Numbered(Rolling):
    """Every quantity has a number of its own."""

    rack_travel = property(lambda self: 1.0)  # type: ignore[assignment]
    gear = property(lambda self: 2.0)  # type: ignore[assignment]
    engine_speed = property(lambda self: 3.0)  # type: ignore[assignment]
    steering_torque = property(lambda self: 4.0)  # type: ignore[assignment]
    torsion_bar_twist = property(lambda self: 5.0)  # type: ignore[assignment]
    attitude = property(lambda self: Attitude(1.0, 0.0, 0.0, 0.0))  # type: ignore[assignment]
    position = property(lambda self: (6.0, 7.0, 8.0))  # type: ignore[assignment]
    velocity = property(lambda self: (9.0, 10.0, 11.0))  # type: ignore[assignment]
    acceleration = property(lambda self: (12.0, 13.0, 14.0))  # type: ignore[assignment]
    rates = property(lambda self: (15.0, 16.0, 17.0))  # type: ignore[assignment]
    angular_acceleration = property(lambda self: (18.0, 19.0, 20.0))  # type: ignore[assignment]
    ride_heights = property(lambda self: (21.0, 22.0))  # type: ignore[assignment]
    frame_twist = property(lambda self: 23.0)  # type: ignore[assignment]
    brake_line = property(lambda self: BrakeLine(2.0, {Axle.FRONT: 4.0, Axle.REAR: 8.0}))  # type: ignore[assignment]
    tyres = property(lambda self: {corner: [10 * i] for i, corner in enumerate(Corner)})  # type: ignore[assignment]

    def damper(self, corner: Corner) -> Vector:
        return [first + list(Corner).index(corner) for first in (90.0, 200.0)]

    def wheel_input(self, name: str, corner: Corner) -> Values:
        return 300.0 + 10 * list(WHEEL_SIGNALS).index(name) + list(Corner).index(corner)

    def wheel_speed(self, corner: Corner) -> Values:
        return 50.0 + list(Corner).index(corner)

    def wheel(self, corner: Corner) -> WheelPose:
        return WheelPose(*(first + list(Corner).index(corner) for first in (60.0, 70.0, 80.0)))


def test_every_signal_is_the_quantity_of_its_name() -> None:
    motion = Numbered(np.arange(100.0, 140.0))  # inputs 100 to 102, time 103; tyres from 100, 110, 120, 130
    expected: dict[object, float] = {
        signals.STEERING_WHEEL_ANGLE: 100, signals.THROTTLE: 101, signals.BRAKE: 102, signals.TIME: 103,
        signals.RACK_TRAVEL: 1, signals.GEAR: 2, signals.ENGINE_SPEED: 3, signals.STEERING_TORQUE: 4,
        signals.TORSION_BAR_TWIST: 5, signals.X: 6, signals.Y: 7, signals.Z: 8, signals.VX: 9, signals.VY: 10,
        signals.AX: 12, signals.AY: 13, signals.AZ: 14, signals.ROLL_RATE: 15, signals.PITCH_RATE: 16,
        signals.ROLL_ACCELERATION: 18, signals.PITCH_ACCELERATION: 19, signals.YAW_ACCELERATION: 20,
        signals.RIDE_HEIGHT_FRONT: 21, signals.RIDE_HEIGHT_REAR: 22, signals.FRAME_TWIST: 23,
        signals.YAW_RATE: 17, signals.ROLL: 0, signals.PITCH: 0, signals.YAW: 0, signals.SIDESLIP: np.arctan2(10, 9),
    }  # fmt: skip
    for i, corner in enumerate(Corner):
        at = 100 + 10 * i
        expected |= {
            signals.FX[corner]: at, signals.FY[corner]: at + 1, signals.FZ[corner]: at + 2, signals.MZ[corner]: at + 5,
            signals.SLIP_RATIO[corner]: at + 6, signals.SLIP_ANGLE[corner]: at + 7, signals.WHEEL_SPEED[corner]: 50 + i,
            signals.WHEEL_TRAVEL[corner]: 60 + i, signals.STEER[corner]: 70 + i, signals.CAMBER[corner]: 80 + i,
            signals.MY[corner]: at + 4, signals.DAMPER_LENGTH[corner]: 90 + i, signals.DAMPER_VELOCITY[corner]: 200 + i,
            # at full pedal 2 Pa give 4 and 8 N·m; the pedal is at 102
            signals.BRAKE_PRESSURE[corner]: 2 * (102 + (300 + i) / (4 if i < 2 else 8)),
            signals.ADDED_BRAKE_TORQUE[corner]: 300 + i, signals.ADDED_DRIVE_TORQUE[corner]: 310 + i,
            signals.STEER_OFFSET[corner]: 320 + i, signals.ADDED_DAMPER_FORCE[corner]: 330 + i,
            signals.ADDED_SPRING_FORCE[corner]: 340 + i,
        }  # fmt: skip
    assert {signal.column: value for signal, value in expected.items()} == {
        column: motion.value(column) for column in READERS
    }
