"""Engine, clutch, gearbox and differentials of the readable twin."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trackrod.core.constants import constant
from trackrod.rtm.spec import RtmSpec
from trackrod.rtm.twin.maps import Line

__all__ = ["TwinDriveline"]

Array = NDArray[np.float64]

#: Clutch: slip for each unit of torque [rad/s / N·m], time to close after a shift [s], governor [N·m·s/rad].
_CLUTCH_SLIP, _CLOSING_TIME, _GOVERNOR = map(constant, ("clutch_slip", "clutch_closing_time", "governor"))


class TwinDriveline:
    """Engine, clutch, gearbox and differentials; without a powertrain nothing turns."""

    def __init__(self, spec: RtmSpec) -> None:
        self.powertrain = spec.powertrain
        self.locks: list[Line | None] = [None, None]
        self.centre = np.zeros(4)  # torque of each wheel for a unit of that of a locked centre differential
        self.start(0.0, 1)
        if spec.powertrain is None:
            return
        front = spec.powertrain.front_share
        self.shares = np.array([front, front, 1.0 - front, 1.0 - front]) / 2
        if spec.powertrain.centre_locked:
            self.centre = np.array([-0.5, -0.5, 0.5, 0.5])
        items = (spec.powertrain.front_differential, spec.powertrain.rear_differential)
        for i, (item, share) in enumerate(zip(items, (front, 1.0 - front), strict=True)):
            if item is not None and share > 0:
                self.locks[i] = Line(item.curve.x, item.curve.y)

    def start(self, speed: float, gear: int) -> None:
        """In a gear and at rest, the engine at a speed [rad/s]."""
        self.speed, self.gear, self.since_shift, self.torque = speed, gear, 1e9, 0.0
        self.next_gear, self.input_before, self.centre_torque = gear, 0.0, 0.0

    @property
    def ratio(self) -> float:
        """From the engine to the driven axles."""
        if self.powertrain is None or self.gear < 1:
            return 0.0
        return float(self.powertrain.gearbox.ratios[self.gear - 1] * self.powertrain.gearbox.final_drive)

    def torque_gain(self, i: int) -> float:
        """Torque of a wheel for each unit of torque of the clutch; losses when driving only."""
        if self.powertrain is None:
            return 0.0
        efficiency = self.powertrain.gearbox.efficiency if self.torque >= 0 else 1.0
        return float(self.ratio * self.shares[i] * efficiency)

    def lock_torque(self, i: int, spins: Array) -> float:
        """Of a locking differential on a wheel [N·m]."""
        curve = self.locks[i // 2]
        if curve is None:
            return 0.0
        left = i // 2 * 2
        return curve(float(spins[left] - spins[left + 1])) * (-1.0 if i == left else 1.0)

    def lock(self, axle: int, spins: Array, mobility: Array, constant: Array, gain: Array, centre: Array) -> Array:
        """Torque of a locking differential beyond that of the old spins: that of itself, for clutch and centre.

        Implicit: T = T0 + k (Δω⁺ − Δω). The new spins are changed in place.
        """
        curve = self.locks[axle]
        if curve is None:
            return np.zeros(3)
        left, right = 2 * axle, 2 * axle + 1
        difference = float(spins[left] - spins[right])
        slope = max(0.0, (curve(difference + 1e-3) - curve(difference - 1e-3)) / 2e-3)
        share = slope / (1.0 + slope * (mobility[left] + mobility[right]))
        torques: Array = share * np.array([values[left] - values[right] for values in (constant, gain, centre)])
        torques[0] -= share * difference
        for values, torque in zip((constant, gain, centre), torques, strict=True):
            values[left] -= mobility[left] * torque
            values[right] += mobility[right] * torque
        return torques

    def begin_step(self, spins: Array, throttle: float, wanted: int, factor: float, h: float) -> None:
        """Choose gear, torque of the engine and capacity of the clutch."""
        train = self.powertrain
        if train is None:
            return
        box = train.gearbox
        self.since_shift += h
        if self.since_shift >= 0:
            self.gear = self.next_gear
        self._shift(spins, throttle, wanted, h)
        self.input_before = float(self.ratio * self.shares @ spins)
        began, shifting = self.since_shift, self.since_shift < box.shift_time
        closed = float(np.clip((min(began + h, box.shift_time) - max(began, 0.0)) / h, 0.0, 1.0))
        at_speed = np.array([np.interp(self.speed, train.engine.speed, column) for column in train.engine.torque.T])
        driven, dragged = (np.interp(pedal, train.engine.throttle, at_speed) for pedal in (throttle, 0.0))
        self.engine = float(driven + (dragged - driven) * closed) * factor
        if self.speed < train.idle_speed:
            self.engine = max(self.engine, (train.idle_speed - self.speed) * _GOVERNOR)
        if self.speed > train.speed_limit:
            self.engine = min(self.engine, (train.speed_limit - self.speed) * _GOVERNOR)
        self.inertia = train.engine_inertia
        if self.gear > 0:
            self.inertia += train.driveline_inertia / box.ratios[self.gear - 1] ** 2
        if began < 0:  # the clutch opens within this step
            self.capacity = abs(self.torque) * -began / h
            return
        share = 0.0
        if self.gear > 0 and not shifting:
            share = float(np.clip((self.since_shift - box.shift_time) / _CLOSING_TIME, 0.0, 1.0))
        share *= float(np.clip((self.speed - 0.75 * train.idle_speed) / (0.5 * train.idle_speed), 0.0, 1.0))
        if abs(self.ratio * self.shares @ spins) < 0.9 * train.idle_speed and throttle <= 0:
            share = 0.0
        self.capacity = train.clutch_capacity * share

    def _shift(self, spins: Array, throttle: float, wanted: int, h: float) -> None:
        """Change gear one step after the instant at which the shift speed is passed, or at once if it was before."""
        train = self.powertrain
        if train is None:
            return
        box, most = train.gearbox, len(train.gearbox.ratios)
        if wanted != 0:
            following = min(max(wanted, 0), most)
            if following != self.gear:
                self.since_shift = 0.0
            self.gear = self.next_gear = following
            return
        if self.gear < 1:
            self.gear = self.next_gear = 1
        if self.since_shift < box.shift_time + _CLOSING_TIME:
            return
        speed, before = float(self.ratio * self.shares @ spins), self.input_before
        if self.gear < most and speed > box.upshift[self.gear - 1] and throttle > 0:
            by, threshold = 1, box.upshift[self.gear - 1]
        elif self.gear > 1 and speed < box.downshift[self.gear - 2]:
            by, threshold = -1, box.downshift[self.gear - 2]
        else:
            return
        self.next_gear = self.gear + by
        if by * before <= by * threshold:
            self.since_shift = (speed - threshold) / (speed - before) * h - h
        else:
            self.gear, self.since_shift = self.next_gear, 0.0

    def close(self, constant: Array, gain: Array, centre: Array, h: float) -> None:
        """Torques of clutch and centre at the end of the step: wheels turn with constant + gain · T + centre · T_c.

        Engine: ω⁺ = ω + h (T_e − T)/J; clutch: T = (ω⁺ − input speed)/slip, at most its capacity. A locked centre
        differential leaves no difference between the mean speeds of the axles.
        """
        if self.powertrain is None:
            return
        through, slip = self.ratio * self.shares, _CLUTCH_SLIP + h / self.inertia
        free = self.speed + h / self.inertia * self.engine
        rows = np.array([[through @ gain + slip, through @ centre], [self.centre @ gain, self.centre @ centre]])
        right = np.array([free - through @ constant, -self.centre @ constant])
        if not self.powertrain.centre_locked:
            rows[1, 1] = 1.0  # all else about the centre is zero, and so is its torque
        wanted = np.linalg.solve(rows, right)[0] if self.capacity > 0 else 0.0
        self.torque = float(np.clip(wanted, -self.capacity, self.capacity))
        self.centre_torque = float((right[1] - rows[1, 0] * self.torque) / rows[1, 1])
        self.speed = max(0.0, self.speed + (self.engine - self.torque) * h / self.inertia)


# ---------------------------------------------------------------------------------------------------------------
# Pieces
