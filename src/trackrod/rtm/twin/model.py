"""The real-time model in readable form: a NumPy twin of the C++ core, used by tests and by readers.

The vehicle is a sprung body with velocity v and angular velocity ω in its own axes, four travels z and four spins. The
centre of wheel i lies at p_i(z, x_r) from the sprung centre of gravity and moves with

    v_i = v + ω × p_i + Σ_j J_ij ż_j + ∂p_i/∂x_r ẋ_r = A_i u + ∂p_i/∂x_r ẋ_r,      u = (v, ω, ż),

its carrier turns with ω + Σ_j G_ij ż_j = B_i u. Virtual power gives ten equations

    [Σ m_i A_iᵀA_i + sprung body] u̇ = Σ A_iᵀ (F_i + m_i (g − a_i⁰)) + Σ B_iᵀ N_i + suspension + sprung body,

with a_i⁰ the part of the acceleration that does not hold u̇. They are written down and solved here as they stand; the
core eliminates the travels instead. A frame that twists adds one (`trackrod.rtm.twin.frame`).

Equation numbers: L. Zerbato and others, Light commercial vehicle ADAS-oriented modelling, SAE paper 2023-01-0908.
Tyres: `trackrod.tyre.twin`. Nothing here is fast; `trackrod.rtm.driving.RealTimeVehicle` is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trackrod.core.constants import constant
from trackrod.core.corners import Side
from trackrod.core.wheel_inputs import WHEEL_COLUMNS
from trackrod.rtm.layout import (
    AXLE_LOADS,
    AXLE_SHAPES,
    CHANNELS,
    COMPLIANCE_CHANNELS,
    COMPLIANCE_LOADS,
    GIVEN_POSE,
    row_layout,
)
from trackrod.rtm.spec import RtmSpec
from trackrod.rtm.twin.driveline import TwinDriveline
from trackrod.rtm.twin.elasticity import BRAKE, DAMPER, FX, TwinAxle, split
from trackrod.rtm.twin.frame import TwinFrame, X
from trackrod.rtm.twin.maps import Curves, Line, Surface, straight
from trackrod.rtm.twin.steering import TwinSteering
from trackrod.rtm.twin.tyre import TwinTyre
from trackrod.tyre import twin as formula
from trackrod.tyre.model import Tyre

__all__ = ["Twin"]

Array = NDArray[np.float64]

#: A brake that holds: stiffness [N·m/rad], damping [N·m·s/rad].
_BRAKE_STIFFNESS, _BRAKE_DAMPING = constant("brake_stiffness"), constant("brake_damping")
#: Speed at which dry friction has 70 % of its force [m/s].
_FRICTION_SPEED = constant("friction_speed")
#: Where the numbers lie in a row of the core.
_ROW = row_layout(inputs=False)
_UP = np.array([0.0, 0.0, 1.0])


@dataclass(slots=True)
class _Wheel:
    """Place and motion of a wheel against the body, and what acts on it in this step."""

    p: Array  # wheel centre from the sprung centre of gravity [m]
    J: Array  # (3, 2) derivative of p by the travels of left and right wheel
    G: Array  # (3, 2) rotation by the same
    damper: Array  # (2,) length of the damper by the same
    spring: Array  # (2,) length of the spring by the same
    damper_length: float  # [m]
    damper_rate: float  # [m/s]
    rate: Array  # of p in the body [m/s]
    turning: Array  # of the carrier against the body [rad/s]
    by_rack: Array  # of all channels by the rack travel, rotations about axes of the body; zero where there is no rack
    steer: float
    inclination: float
    force: Array = field(default_factory=lambda: np.zeros(3))  # of the tyres, in V [N]
    moment: Array = field(default_factory=lambda: np.zeros(3))  # about the centre, without that about the axis, in V
    spin_moment: float = 0.0  # of the tyres about the axis [N·m]
    Fx: float = 0.0  # in the axes of the road [N]
    Fy: float = 0.0
    Mz: float = 0.0
    brake: float = 0.0  # torque of brake and driveline on the wheel [N·m]
    drive: float = 0.0
    radius: float = 1.0  # height of the centre above the contact [m]
    carried: Array = field(default_factory=lambda: np.eye(3))  # axes of the half of the frame that carries it, in V

    @property
    def axis(self) -> Array:
        """Spin axis in V: y turned by the inclination about x, then by the steer angle about z."""
        c = np.cos(self.inclination)
        axis = [-np.sin(self.steer) * c, np.cos(self.steer) * c, np.sin(self.inclination)]
        return np.asarray(self.carried @ axis)


class Twin:
    """A real-time model in NumPy.

    Parameters
    ----------
    spec
        The model.
    step
        Of the integration [s].

    Limits: Magic Formula tyres without curves of their own; no external force, no grade, no surface of a road; its
    friction is one.
    """

    def __init__(self, spec: RtmSpec, step: float = 1e-3) -> None:
        self.spec, self.h, self.p = spec, step, spec.parameters
        self.tyres = [
            TwinTyre(Tyre(spec.tyres[place.tyre], mounted=wheel.corner.side), i, place.offset)
            for i, wheel in enumerate(spec.wheels)
            for place in wheel.tyres
        ]
        self._in_roll = [
            Curves(wheel.opposite, wheel.in_roll) if wheel.opposite.size else None for wheel in spec.wheels
        ]
        self._maps = [Surface(wheel.first, wheel.second, wheel.kinematics) for wheel in spec.wheels]
        self._curves = [
            {name: Line(curve.x, curve.y) for name, curve in curves.items()}
            for curves in (
                {"spring": w.spring, "stops": w.stops, "damper": w.damper, "by_rack": w.by_rack} for w in spec.wheels
            )
        ]
        self._rolls = [[Line(curve.x, curve.y) for curve in (axle.roll, axle.antiroll)] for axle in spec.axles]
        self._levers = [Line(axle.lever.x, axle.lever.y) for axle in spec.axles]
        front = spec.wheels[0].centre
        p = self.p
        self.origin = np.array([front[0] - p["cg_to_front"], p["cg_y"], p["cg_height"] + spec.road_height])
        self.frame = None if spec.frame is None else TwinFrame(spec.frame, p, self.origin)
        self.driveline = TwinDriveline(spec)
        self.axles = [TwinAxle(axle.elasticity) for axle in spec.axles if axle.elasticity is not None]
        self.reset()

    def _of(self, name: str, i: int) -> float:
        """A parameter of the axle of wheel i."""
        return self.p[f"{name}_{'front' if i < 2 else 'rear'}"]

    # ---- states

    def reset(self) -> None:
        """At the design position, standing still."""
        self.time = 0.0
        self.r, self.q = self.origin.copy(), np.array([1.0, 0.0, 0.0, 0.0])
        self.v, self.w = np.zeros(3), np.zeros(3)
        self.z, self.zd, self.spin, self.brake_angle = (np.zeros(4) for _ in range(4))
        self.compliance = np.zeros((4, len(COMPLIANCE_CHANNELS)))
        self.damper_rate, self.carrier_spin, self.carrier_torque = np.zeros(4), np.zeros(4), np.zeros(4)
        for axle in self.axles:
            axle.reset()
        if self.frame is not None:
            self.frame.reset()
        self.heights = np.full(len(self.tyres), self.spec.road_height)
        self.angle = self.rack = self.steering_torque = 0.0
        self.acceleration, self.turning = np.zeros(3), np.zeros(3)
        self.given = _wheel_inputs(np.zeros(WHEEL_COLUMNS.size))
        for tyre in self.tyres:
            tyre.reset()
        self.wheels = [self._kinematics(i, 0.0, 0.0) for i in range(4)]
        self.J_before = [wheel.J for wheel in self.wheels]
        if self.spec.steering is not None:
            self.steering = TwinSteering(self.spec.steering, self._rack_mass())

    def start(self, speed: float, spins: ArrayLike, engine_speed: float, gear: int) -> None:
        """Let the vehicle roll straight ahead [m/s], [rad/s], along the road.

        Tyres that turn are larger and stiffer: the body stands higher on them, so that their loads stay.
        """
        spins, rises, R = np.array(spins, dtype=float), np.zeros(4), _matrix(self.q)
        self.wheels = [self._kinematics(i, 0.0, 0.0) for i in range(4)]
        for tyre, height in reversed(list(zip(self.tyres, self.heights, strict=True))):  # of twin tyres the first
            standing = copy(tyre)
            self._contact(standing, R, height, 0.0)
            rises[tyre.wheel] = standing.radius(spins[tyre.wheel]) - standing.radius(self.spin[tyre.wheel])
        front = np.array([self.spec.wheels[0].centre[0], 0.0, self.spec.road_height]) - self.origin
        nose_up = (rises[0] + rises[1] - rises[2] - rises[3]) / 2
        nose_up /= self.spec.wheels[0].centre[0] - self.spec.wheels[2].centre[0]
        self.q = _product(self.q, _turn(np.array([0.0, -nose_up, 0.0])))
        before, R = R @ front, _matrix(self.q)
        self.r = self.r + before - R @ front + rises[:2].mean() * _UP
        ahead = np.array([R[0, 0], R[1, 0], 0.0])
        self.v, self.w = R.T @ ahead * speed / np.linalg.norm(ahead), np.zeros(3)
        self.spin = spins
        self.driveline.start(engine_speed, gear)
        if self.frame is not None:
            self.frame.rate = 0.0
        self.time = 0.0

    def row(self) -> Array:
        """State and outputs in the order of a row of the core."""
        d = self.driveline
        values: dict[str, ArrayLike] = {
            "time": self.time,
            "position": self.r,
            "orientation": self.q,
            "velocity": self.v,
            "angular_velocity": self.w,
            "frame_twist": 0.0 if self.frame is None else self.frame.twist,
            "frame_twist_rate": 0.0 if self.frame is None else self.frame.rate,
            "travel": self.z,
            "travel_rate": self.zd,
            "spin": self.spin,
            "steer": [wheel.steer for wheel in self.wheels],
            "camber": [wheel.inclination for wheel in self.wheels],
            "acceleration": self.acceleration,
            "rack": self.rack,
            "steering_wheel": 0.0 if self.spec.steering is None else self.steering.angles[0],
            "engine_speed": d.speed,
            "gear": d.gear,
            "clutch_torque": d.torque,
            "steering_torque": self.steering_torque,
            "torsion_bar_twist": 0.0 if self.spec.steering is None else self.steering.twist,
            "angular_acceleration": self.turning,
            "damper_length": [wheel.damper_length for wheel in self.wheels],
            "damper_rate": [wheel.damper_rate for wheel in self.wheels],
            "ride_height": self._ride_heights(),
            **self.given,
        }
        row = np.zeros(_ROW.size)
        for name, where in _ROW.slices.items():
            row[where] = np.asarray(values[name])
        return np.concatenate((row, *(tyre.row for tyre in self.tyres)))

    def run(self, controls: Array, heights: Array | None = None) -> Array:
        """Rows of steering-wheel angle, throttle, brake and gear (and of `WHEEL_COLUMNS`) to rows of states."""
        rows = []
        for k, (angle, throttle, brake, gear, *given) in enumerate(controls):
            self.given = _wheel_inputs(np.array(given) if given else np.zeros(WHEEL_COLUMNS.size))
            self.step(angle, throttle, brake, gear, self.heights if heights is None else heights[k])
            rows.append(self.row())
        return np.array(rows)

    def take(self, row: Array) -> None:
        """Place, motion and heights of the wheels from a row of the core; rack in the middle, wheels without load."""
        names = ("position", "orientation", "velocity", "angular_velocity", "travel", "travel_rate", "spin")
        self.time = float(row[_ROW.column("time")])
        self.r, self.q, self.v, self.w, self.z, self.zd, self.spin = (row[_ROW[name]].copy() for name in names)
        if self.frame is not None:
            self.frame.twist, self.frame.rate = (
                float(row[_ROW.column(name)]) for name in ("frame_twist", "frame_twist_rate")
            )
        self.wheels = [self._kinematics(i, 0.0, 0.0) for i in range(4)]

    def energy(self) -> float:
        """Kinetic energy of body and wheels, their height, springs, stops, anti-roll bars and upright tyres [J].

        Holds: constant but for the error of the integrator where nothing dissipates and no tyre slips.
        """
        p, v, w, R = self.p, self.v, self.w, _matrix(self.q)
        inertia = _tensor(p)
        total = 0.5 * p["sprung_mass"] * v @ v + 0.5 * w @ inertia @ w + p["sprung_mass"] * p["gravity"] * self.r[2]
        if self.frame is not None:
            total += self.frame.energy(v, w, R[2], p["gravity"])
        for i, wheel in enumerate(self.wheels):
            m, rates = self._of("unsprung_mass", i), self.zd[i // 2 * 2 : i // 2 * 2 + 2]
            velocity, roll_rate = v + np.cross(w, wheel.p) + wheel.J @ rates, w[0]
            if self.frame is not None and i >= 2:
                velocity, roll_rate = velocity + self.frame.rate * self.frame.lever(wheel.p), w[0] + self.frame.rate
            total += 0.5 * m * velocity @ velocity + m * p["gravity"] * (self.r + R @ wheel.p)[2]
            total += 0.5 * self._of("unsprung_roll_inertia", i) * roll_rate**2
            total += 0.5 * self._of("unsprung_yaw_inertia", i) * w[2] ** 2
            total += 0.5 * (self._of("wheel_inertia", i) + self._of("shaft_inertia", i)) * self.spin[i] ** 2
            curves = self._curves[i]
            total += self._of("spring_factor", i) * _integral(curves["spring"], float(self.z[i]))
            for shares, force in self._stops(i):
                travel = float(shares @ self.z[i // 2 * 2 : i // 2 * 2 + 2])
                total += self._of("stop_factor", i) * _integral(force, travel)
            if self.spec.axles[i // 2].steered:
                total += curves["by_rack"](self.rack) * self.z[i]
            standing = curves["spring"](self._of("standing_travel", i))
            total -= ((self._of("spring_factor", i) - 1.0) * standing + m * p["gravity"]) * self.z[i]
        for axle, (roll, bar) in enumerate(self._rolls):
            (up, _), (down, _) = self._felt(axle)
            more = self._of("antiroll_factor", 2 * axle) - 1.0
            total += 2.0 * (_integral(roll, 0.5 * (up - down)) + more * _integral(bar, 0.5 * (up - down)))
        for tyre in self.tyres:
            wheel = self.wheels[tyre.wheel]
            height = self.r[2] + (R @ wheel.p)[2] - self.spec.road_height
            radius = height / np.hypot(*(R @ wheel.axis)[:2])
            rho = float(formula.free_radius(tyre.c, self.spin[tyre.wheel]) - radius)
            total += _integral(lambda x, t=tyre: t.load(x, 0.0, 0.0, 0.0), max(rho, 0.0))  # type: ignore[misc]
        return float(total)

    # ---- one step

    def step(self, angle: float, throttle: float, brake: float, gear: float, heights: Array) -> None:
        """Semi-implicit Euler: accelerations of the present state give new velocities, these the new positions."""
        h, p = self.h, self.p
        angle_rate, road_speed = (angle - self.angle) / h, (heights - self.heights) / h
        self.angle, self.heights = angle, heights
        ratio = p["steering_ratio"]
        self.rack, rack_rate = ratio * angle, ratio * angle_rate
        if self.spec.steering is not None:
            self.steering_torque = self.steering.step(angle_rate, 0.0, ratio, abs(self.v[0]), h)
            self.rack, rack_rate = self.steering.angles[2], self.steering.rates[2]
        self.wheels = [self._kinematics(i, self.rack, rack_rate) for i in range(4)]
        R = _matrix(self.q)
        # spins count against the carriers; the wheels keep their momentum
        carried = np.array([wheel.axis @ (wheel.turning + self.w) for wheel in self.wheels])
        self.spin, self.carrier_spin = self.spin + self.carrier_spin - carried, carried
        for tyre, height, speed in zip(self.tyres, heights, road_speed, strict=True):
            self._contact(tyre, R, height, speed)
        sag = R.T @ (-p["gravity"] * _UP) - np.cross(self.w, self.v) + p["gravity"] * _UP
        self._spins(throttle, brake, int(gear), *self._carriers(sag))
        self._bodies(R)
        if not self.axles:
            self._give()
        self.J_before = [wheel.J for wheel in self.wheels]
        self._load_rack()
        self.time += h

    def _kinematics(self, i: int, rack: float, rack_rate: float) -> _Wheel:
        """Pose of a wheel, eq. 1 and 2: [t; r] = Kin + ΣCom, with its derivatives by the two travels of the axle."""
        axle = i // 2
        left, right = self.z[2 * axle], self.z[2 * axle + 1]
        rates = self.zd[2 * axle : 2 * axle + 2]
        steered = self.spec.axles[axle].steered
        x, y = (self.z[i], rack) if steered else ((left + right) / 2, (left - right) / 2)
        value, by_x, by_y = self._maps[i].sample(x, y)
        if steered:
            by_travel = np.zeros((len(CHANNELS), 2))
            by_travel[:, i % 2] = by_x
            in_roll = self._in_roll[i]
            if in_roll is not None:
                more, by_roll = in_roll.sample((left - right) / 2)
                value = value + more
                by_travel += np.outer(by_roll, [0.5, -0.5])
        else:
            by_travel = np.column_stack(((by_x + by_y) / 2, (by_x - by_y) / 2))
        com, com_rate = self._given(i, rack if steered else 0.0, float(value[CHANNELS.index("rz")]))
        pose = {name: v + com.get(name, 0.0) for name, v in zip(CHANNELS, value, strict=True)}
        moved = np.array([pose["tx"], pose["ty"], pose["tz"]])
        by_rack = by_y.copy() if steered else np.zeros(len(CHANNELS))
        J = by_travel[:3]
        # inclination, pitch and steer angle turn about axes that steer and inclination move
        c, s = np.cos(pose["rz"]), np.sin(pose["rz"])
        cx, sx = np.cos(pose["rx"]), np.sin(pose["rx"])
        about = np.array([[c, -s * cx, 0.0], [s, c * cx, 0.0], [0.0, sx, 1.0]])
        G, by_rack[3:6] = about @ by_travel[3:6], about @ by_rack[3:6]
        shorter = self.axles[axle].shorter(i % 2) if self.axles else (0.0, 0.0)
        along_damper = by_travel[CHANNELS.index("damper_length")] @ rates
        if steered:
            along_damper += by_y[CHANNELS.index("damper_length")] * rack_rate
        found = _Wheel(
            p=np.array(self.spec.wheels[i].centre) + moved - self.origin,
            J=J,
            G=G,
            damper=by_travel[CHANNELS.index("damper_length")],
            spring=by_travel[CHANNELS.index("spring_length")],
            damper_length=float(pose["damper_length"]) - shorter[0],
            damper_rate=float(along_damper) - shorter[1],
            rate=J @ rates + by_rack[:3] * rack_rate + com_rate[:3],
            turning=G @ rates + by_rack[3:6] * rack_rate + about @ com_rate[3:],
            by_rack=by_rack,
            steer=float(pose["rz"]) + float(self.given["steer_offset"][i]),
            inclination=float(pose["rx"]),
        )
        return found if self.frame is None or axle == 0 else self._carried(found, self.frame)

    @staticmethod
    def _carried(wheel: _Wheel, frame: TwinFrame) -> _Wheel:
        """A rear wheel that turns with the rear half of the frame."""
        R, p = frame.R, frame.place(wheel.p)
        return replace(
            wheel,
            p=p,
            J=R @ wheel.J,
            G=R @ wheel.G,
            rate=R @ wheel.rate + frame.rate * frame.lever(p),
            turning=R @ wheel.turning + frame.rate * X,
            by_rack=np.concatenate((R @ wheel.by_rack[:3], R @ wheel.by_rack[3:6], wheel.by_rack[6:])),
            carried=R,
        )

    def _given(self, i: int, rack: float, steer: float) -> tuple[dict[str, float], Array]:
        """What the pose of a steered wheel gives, and the rates of that: displacement [m/s], angles [rad/s]."""
        if not self.axles:
            return dict(zip(COMPLIANCE_CHANNELS, self.compliance[i], strict=True)), np.zeros(6)
        left, right = self.z[i // 2 * 2 : i // 2 * 2 + 2]
        pose, rate = (
            part[i % 2] * self._of("compliance_factor", i) for part in self.axles[i // 2].poses(left, right, rack)
        )
        rx, ry = GIVEN_POSE.index("rx"), GIVEN_POSE.index("ry")
        for part in (pose, rate):  # about the axes of the body: a wheel that is steered leans by its pitch too
            part[rx] = part[rx] * np.cos(steer) + part[ry] * np.sin(steer)
        return dict(zip(GIVEN_POSE, pose, strict=True)), np.array([rate[0], rate[1], 0.0, *rate[2:]])

    def _contact(self, tyre: TwinTyre, R: Array, height: float, road_speed: float) -> None:
        """Contact of a tyre with the level road under it, and its wrench on the wheel."""
        wheel, i = self.wheels[tyre.wheel], tyre.wheel
        omega = self.spin[i]
        arm = wheel.axis * (tyre.offset if self.spec.wheels[i].corner.side is Side.LEFT else -tyre.offset)
        place = wheel.p + arm
        axis = R @ wheel.axis
        forward = np.cross(axis, _UP)
        cosine = np.linalg.norm(forward)
        forward = forward / cosine
        lateral = np.cross(_UP, forward)
        down = np.cross(axis, forward)  # in the wheel plane, square to the direction of travel
        radius = (self.r[2] + (R @ place)[2] - height) / cosine
        rho = float(formula.free_radius(tyre.c, omega)) - radius
        tyre.row = np.zeros(10)
        tyre.row[9] = rho
        velocity = R @ (self.v + np.cross(self.w, place) + wheel.rate)
        turning = R @ (self.w + wheel.turning)
        gamma = float(np.arcsin(axis[2]))
        rate = -(velocity[2] - road_speed) / cosine
        Fz = tyre.load(rho, rate, omega, gamma) if rho > 0 else 0.0
        if not Fz > 0:
            tyre.sx = tyre.sy = 0.0
            return
        at_road = velocity + np.cross(turning, down * radius)
        Vx, Vsy = float(at_road @ forward), float(at_road @ lateral)
        Vsx = Vx - omega * float(formula.effective_radius(tyre.c, Fz, omega, tyre.pressure))
        sx, sy = tyre.slip(Vx, Vsx, Vsy, Fz, self.h)
        kappa, alpha = (-sx if Vx < 0 else sx), float(np.arctan(sy))
        out = tyre.evaluate(Fz, kappa, alpha, gamma, Vx)
        tyre.row[:9] = [out["Fx"], out["Fy"], Fz, out["Mx"], out["My"], out["Mz"], kappa, alpha, gamma]
        F = forward * out["Fx"] + lateral * out["Fy"] + _UP * Fz
        to_contact = R @ arm + down * radius
        M = np.cross(to_contact, F) + forward * out["Mx"] + axis * out["My"] + _UP * out["Mz"]
        about = float(axis @ M)
        wheel.force += R.T @ F
        wheel.moment += R.T @ (M - axis * about)
        wheel.spin_moment += about
        wheel.Fx += out["Fx"]
        wheel.Fy += out["Fy"]
        wheel.Mz += out["Mz"]
        wheel.radius = -float(to_contact[2])

    def _carriers(self, sag: Array) -> tuple[Array, Array]:
        """How carriers turn about the spin axes by the end of the step if the torques that they hold stay.

        The change of their rates [rad/s], and what each unit by which a torque grows takes from it [rad/s / (N·m)].
        """
        turned, taken, h = np.zeros(4), np.zeros(4), self.h
        self.known = [self._known(axle, sag) for axle in range(len(self.axles))]
        for axle, gives in enumerate(self.axles):
            here = slice(2 * axle, 2 * axle + 2)
            softest = 0.0
            for mode, known in zip(gives.modes, self.known[axle], strict=True):
                A = mode.M + h * mode.D + h * h * mode.C
                change = h * (mode.pitch @ np.linalg.solve(A, known)) - mode.taken
                turned[here] += change * np.array([1.0, mode.sign])
                torque = (mode.C[:, FX] - mode.C[:, BRAKE]) / gives.axle.radius
                softest = max(softest, float(h * mode.pitch @ np.linalg.solve(A, torque)))
            taken[here] = softest
        return turned, taken

    def _spins(self, throttle: float, brake: float, gear: int, turned: Array, taken: Array) -> None:
        """Spins, implicit in held brakes and in the clutch.

        For each wheel I (ω⁺ − ω)/h = M + T_lock + T_brake + g T, less what its carrier turns. A brake that holds is a
        spring and damper about the angle at which it closed; one that would need more torque than it has slips. The
        driveline feels the half-shafts, which turn in the body: spins and what the carriers turn against it.
        """
        h, d = self.h, self.driveline
        on_body = np.array([float(not self.spec.axles[i // 2].drive_on_carrier) for i in range(4)])
        carried = on_body * [wheel.axis @ wheel.turning for wheel in self.wheels]
        shafts = self.spin + carried
        d.begin_step(shafts, throttle, gear, self.p["engine_factor"], h)
        constant, gain, mobility, held = np.zeros(4), np.zeros(4), np.zeros(4), np.zeros(4, dtype=bool)
        share = np.ones(4)  # of the spin in the speed of the shaft
        most = np.array([self._of("brake", i) * brake for i in range(4)]) + self.given["brake_torque"]
        locks = [d.lock_torque(i, shafts) + self.given["drive_torque"][i] for i in range(4)]  # in the half-shafts
        for i, wheel in enumerate(self.wheels):
            inertia = self._of("wheel_inertia", i) + self._of("shaft_inertia", i)
            by_brake = h / inertia + taken[i]
            by_drive = h / inertia + (taken[i] if self.spec.axles[i // 2].drive_on_carrier else 0.0)
            known = self.spin[i] - turned[i] - taken[i] * self.carrier_torque[i]
            known += h / inertia * wheel.spin_moment + by_drive * locks[i]
            holding = 1.0 + by_brake * (_BRAKE_STIFFNESS * h + _BRAKE_DAMPING)
            wound = by_brake * _BRAKE_STIFFNESS * self.brake_angle[i]
            driving = d.torque * d.torque_gain(i) + d.centre_torque * d.centre[i]
            sticking = (known - wound + by_drive * driving) / holding
            torque = -_BRAKE_STIFFNESS * (self.brake_angle[i] + sticking * h) - _BRAKE_DAMPING * sticking
            held[i] = most[i] > 0 and abs(torque) <= most[i]
            if held[i]:
                mobility[i] = by_drive / holding
                constant[i], gain[i] = (known - wound) / holding, d.torque_gain(i) * by_drive / holding
            else:
                wheel.brake = most[i] if torque > 0 else -most[i]
                mobility[i] = by_drive
                constant[i], gain[i] = known + by_brake * wheel.brake, d.torque_gain(i) * by_drive
            still = -_BRAKE_STIFFNESS * self.brake_angle[i] if held[i] else wheel.brake
            carried[i] += on_body[i] * (turned[i] - taken[i] * (still - self.carrier_torque[i]))
            if held[i]:
                share[i] += on_body[i] * taken[i] * (_BRAKE_STIFFNESS * h + _BRAKE_DAMPING)
        constant, gain, mobility = share * constant + carried, share * gain, share * mobility
        centre = mobility * d.centre
        more = [d.lock(axle, shafts, mobility, constant, gain, centre) for axle in (0, 1)]
        d.close(constant, gain, centre, h)
        coupled = np.array([1.0, d.torque, d.centre_torque])
        for i in range(4):
            locks[i] += more[i // 2] @ coupled * (-1.0 if i % 2 == 0 else 1.0) + d.centre_torque * d.centre[i]
        self.spin = (np.column_stack((constant, gain, centre)) @ coupled - carried) / share
        for i, wheel in enumerate(self.wheels):
            wheel.drive = locks[i] + d.torque * d.torque_gain(i)
            if held[i]:
                wheel.brake = (
                    -_BRAKE_STIFFNESS * (self.brake_angle[i] + self.spin[i] * h) - _BRAKE_DAMPING * self.spin[i]
                )
            self.carrier_spin[i] += turned[i] - taken[i] * (self._held(i) - self.carrier_torque[i])
        limit = most / _BRAKE_STIFFNESS
        self.brake_angle = np.clip(self.brake_angle + self.spin * h, -limit, limit)

    def _bodies(self, R: Array) -> None:
        """The ten equations of motion of the module's docstring, and the step."""
        p, v, w, h = self.p, self.v, self.w, self.h
        g = R.T @ (-p["gravity"] * _UP)
        inertia = _tensor(p)
        air, air_moment = self._air()
        size = 10 if self.frame is None else 11
        M, Q = np.zeros((size, size)), np.zeros(size)
        M[:3, :3] = p["sprung_mass"] * np.eye(3)
        M[3:6, 3:6] = inertia
        Q[:3] = air + p["sprung_mass"] * (g - np.cross(w, v))
        Q[3:6] = air_moment - np.cross(w, inertia @ w)
        for i, wheel in enumerate(self.wheels):
            travels = slice(6 + i // 2 * 2, 8 + i // 2 * 2)
            rates = self.zd[i // 2 * 2 : i // 2 * 2 + 2]
            A, B = np.zeros((3, size)), np.zeros((3, size))
            A[:, :3], A[:, 3:6], A[:, travels] = np.eye(3), -_skew(wheel.p), wheel.J
            B[:, 3:6], B[:, travels] = np.eye(3), wheel.G
            m = self._of("unsprung_mass", i)
            bending = (wheel.J - self.J_before[i]) / h @ rates  # J̇ ż
            a0 = np.cross(w, v) + np.cross(w, np.cross(w, wheel.p)) + 2 * np.cross(w, wheel.rate) + bending
            roll = np.eye(size)[3]
            if self.frame is not None and i >= 2:
                A[:, 10], B[:, 10], roll[10] = self.frame.lever(wheel.p), X, 1.0
                a0 += self.frame.rate * np.cross(X, wheel.rate)
            M += m * A.T @ A + self._of("unsprung_roll_inertia", i) * np.outer(roll, roll)
            M[5, 5] += self._of("unsprung_yaw_inertia", i)
            Q += A.T @ (wheel.force + m * (g - a0))
            Q += B.T @ self._carrier_moment(i)
            if not self.spec.axles[i // 2].drive_on_carrier:
                B[:, travels] = 0.0  # the body takes it
                Q -= B.T @ wheel.axis * wheel.drive
        if self.frame is not None:
            self.frame.join(M, Q, w, g - np.cross(w, v), h)
        sag = g - np.cross(w, v) + p["gravity"] * _UP
        self.suspension = self._suspension(self._dampers())
        Q[6:10] += self.suspension
        for axle, gives in enumerate(self.axles):
            Q[6 + 2 * axle : 8 + 2 * axle] += self._of("compliance_factor", 2 * axle) * gives.lift
        change = self._solve(M, Q, sag) if self.axles else np.linalg.solve(M, Q)
        self.felt, self.turning = change[:3] + np.cross(w, v) - g, np.asarray(change[3:6])
        self.v, self.w, self.zd = v + h * change[:3], w + h * change[3:6], self.zd + h * change[6:10]
        if self.frame is not None:
            self.frame.move(float(change[10]), h)
        self.r = self.r + h * R @ self.v
        self.q = _product(self.q, _turn(self.w * h))
        self.q /= np.linalg.norm(self.q)
        self.z = self.z + h * self.zd
        total = air + sum(wheel.force for wheel in self.wheels)
        self.acceleration = R @ total / self.spec.mass - p["gravity"] * _UP

    def _carrier_moment(self, i: int) -> Array:
        """Of tyres, brake, driveline where it stands on the carrier, and the turning wheel about its centre [N·m]."""
        wheel = self.wheels[i]
        return np.asarray(wheel.moment - wheel.axis * self._held(i) - self._gyroscopic(i))

    def _held(self, i: int) -> float:
        """Torque of brake and driveline about the spin axis that the carrier of a wheel holds [N·m]."""
        wheel = self.wheels[i]
        return wheel.brake + (wheel.drive if self.spec.axles[i // 2].drive_on_carrier else 0.0)

    def _gyroscopic(self, i: int) -> Array:
        wheel = self.wheels[i]
        return np.cross(self.w + wheel.turning, wheel.axis * self.spin[i] * self._of("wheel_inertia", i))

    def _axle_loads(self, axle: int, forces: list[Array], moments: list[Array]) -> tuple[Array, Array]:
        """Symmetric and antisymmetric loads, as `AXLE_LOADS`, by what acts at the wheel centres and on the carriers."""
        sides, radius = [], self.axles[axle].axle.radius
        if self.frame is not None and axle == 1:  # the axle knows axes of the half that carries it
            back = self.frame.R.T
            forces, moments = [back @ force for force in forces], [back @ moment for moment in moments]
        for force, moment in zip(forces, moments, strict=True):
            brake = -moment[1] / radius
            loads = {
                "fx": force[0] - brake,
                "brake": brake,
                "fy": force[1],
                "mx": moment[0] - radius * force[1],
                "mz": moment[2],
                "damper": 0.0,
            }
            sides.append(np.array([loads[name] for name in AXLE_LOADS]))
        return split(*sides)

    def _known(self, axle: int, sag: Array) -> list[Array]:
        """Right-hand sides of each mode of an axle but for accelerations and dampers; torques of the last step."""
        gives, h = self.axles[axle], self.h
        pull = self._pull(axle, sag)
        rates = self.zd[2 * axle : 2 * axle + 2]
        found, wheels = [], range(2 * axle, 2 * axle + 2)
        forces = [self.wheels[i].force for i in wheels]
        held = [self.wheels[i].axis * self.carrier_torque[i] for i in wheels]
        moments = [self.wheels[i].moment - self._gyroscopic(i) - held[i % 2] for i in wheels]
        for mode, q in zip(gives.modes, self._axle_loads(axle, forces, moments), strict=True):
            known = mode.C @ (q - mode.x) - (mode.D + h * mode.C) @ mode.rate
            travel = 0.5 * (rates[0] + mode.sign * rates[1])
            found.append(known - mode.N[:, :3] @ pull - mode.t_D * travel)
        return found

    def _pull(self, axle: int, sag: Array) -> Array:
        """What an axle feels beyond the accelerations of what carries it and the gravity of the rig [m/s²]."""
        arm = self.axles[axle].axle.reference - self.origin
        if self.frame is None or axle == 0:
            return np.asarray(np.cross(self.w, np.cross(self.w, arm)) - sag)
        gravity = self.p["gravity"] * _UP
        return np.asarray(self.frame.R.T @ (self.frame.drift(self.w, self.frame.place(arm)) - sag + gravity) - gravity)

    def _dampers(self) -> Array:
        """Tensions of the dampers [N]: between stiff ends, or F(r) with r less what the axle gives to F, by Newton."""
        rates = np.array([wheel.damper @ self.zd[i // 2 * 2 : i // 2 * 2 + 2] for i, wheel in enumerate(self.wheels)])
        curves = [of["damper"] for of in self._curves]
        factors = np.array([self._of("damper_factor", i) for i in range(4)])
        if not self.axles:
            self.damper_rate = rates
            pulled = [curve(float(rate)) for curve, rate in zip(curves, rates, strict=True)]
            return np.array(factors * pulled - self.given["damper_force"])
        pull, h = np.zeros(4), self.h
        for axle, gives in enumerate(self.axles):
            here = slice(2 * axle, 2 * axle + 2)
            own, other, wanted = 0.0, 0.0, rates[here].copy()
            torques = [self.wheels[i].axis * (self.carrier_torque[i] - self._held(i)) for i in (2 * axle, 2 * axle + 1)]
            q = self._axle_loads(axle, [np.zeros(3)] * 2, torques)
            known = [right + mode.C @ x for mode, right, x in zip(gives.modes, self.known[axle], q, strict=True)]
            for mode, right in zip(gives.modes, known, strict=True):
                A = mode.M + h * mode.D + h * h * mode.C
                soft = h * mode.C[DAMPER] @ np.linalg.solve(A, mode.C[DAMPER])
                own, other = own + 0.5 * soft, other + 0.5 * soft * mode.sign
                shorter = mode.C[DAMPER] @ (mode.rate + h * np.linalg.solve(A, right))
                wanted -= shorter * np.array([1.0, mode.sign])
            yields = np.array([[own, other], [other, own]])
            wanted += yields @ self.given["damper_force"][here]  # ends that are pushed apart
            r = self.damper_rate[here].copy()
            for _ in range(2):
                samples = [curve.sample(float(x)) for curve, x in zip(curves[here], r, strict=True)]
                force, slope = (factors[here] * part for part in zip(*samples, strict=True))
                change = np.linalg.solve(np.eye(2) + yields * slope, wanted - r - yields @ force)
                r, pull[here] = r + change, force + slope * change
            self.damper_rate[here] = r
            pull[here] -= self.given["damper_force"][here]
            tensions = [0.5 * (pull[2 * axle] + mode.sign * pull[2 * axle + 1]) for mode in gives.modes]
            self.known[axle] = [
                right + mode.C[:, DAMPER] * tension
                for mode, right, tension in zip(gives.modes, known, tensions, strict=True)
            ]
        self.carrier_torque = np.array([self._held(i) for i in range(4)])
        return pull

    def _solve(self, M: Array, Q: Array, sag: Array) -> Array:
        """Accelerations of body and travels together with those of the loads of the axles, which take their step."""
        h, size = self.h, len(AXLE_SHAPES)
        modes = [(axle, gives, mode) for axle, gives in enumerate(self.axles) for mode in gives.modes]
        known = [right for axle in self.known for right in axle]
        first = len(Q)
        whole, right = np.zeros((first + size * len(modes),) * 2), np.zeros(first + size * len(modes))
        whole[:first, :first], right[:first] = M, Q
        for axle, gives in enumerate(self.axles):
            data, travels = gives.axle, slice(6 + 2 * axle, 8 + 2 * axle)
            arm = data.reference - self.origin
            momentum = data.travel_momentum.copy()
            momentum[:, 3:] += np.cross(arm, momentum[:, :3])
            whole[travels, travels] += 0.5 * (data.travel_mass + data.travel_mass.T)
            whole[travels, :6] += momentum
            whole[:6, travels] += momentum.T
            if self.frame is not None and axle == 1:
                whole[travels, 10] += momentum @ self.frame.motion
                whole[10, travels] += momentum @ self.frame.motion
            pull = self._pull(axle, sag)
            damping = 0.5 * (data.travel_damping + data.travel_damping.T)
            right[travels] -= data.travel_momentum[:, :3] @ pull + damping @ self.zd[2 * axle : 2 * axle + 2]
        for k, (axle, gives, mode) in enumerate(modes):
            here = slice(first + size * k, first + size * (k + 1))
            arm = gives.axle.reference - self.origin
            N = mode.N.copy()
            N[:, 3:] += np.cross(arm, N[:, :3])
            t = 0.5 * np.outer(mode.t, [1.0, mode.sign])
            travels = slice(6 + 2 * axle, 8 + 2 * axle)
            whole[here, here] = mode.M + h * mode.D + h * h * mode.C
            whole[here, :6], whole[here, travels] = N, t
            whole[:6, here], whole[travels, here] = 2.0 * N.T, 2.0 * t.T
            if self.frame is not None and axle == 1:
                whole[here, 10] = N @ self.frame.motion
                whole[10, here] = 2.0 * whole[here, 10]
            right[here] = known[k]
            # damping between loads and travels takes the rates that the loads have before body and travels answer
            rates = mode.rate + h * np.linalg.solve(whole[here, here], known[k])
            right[travels] -= np.array([1.0, mode.sign]) * (mode.t_D @ rates)
        found = np.linalg.solve(whole, right)
        for k, (_, _, mode) in enumerate(modes):
            gained = found[first + size * k : first + size * (k + 1)]
            alone = np.linalg.solve(mode.M + h * mode.D + h * h * mode.C, known[k])
            mode.taken = float(h * mode.pitch @ (alone - gained))
            mode.rate = mode.rate + h * gained
            mode.x = mode.x + h * mode.load_rate
        return np.asarray(found[:first])

    def _suspension(self, pull: Array) -> Array:
        """Forces on the travels [N]: springs, stops (eq. 3), dampers (eq. 4), anti-roll bars, friction, rack."""
        Q = np.zeros(4)
        for axle, (roll, bar) in enumerate(self._rolls):
            left, right = 2 * axle, 2 * axle + 1
            (up, lever_up), (down, lever_down) = self._felt(axle)
            twist = 0.5 * (up - down)
            rolling = roll(twist) + (self._of("antiroll_factor", left) - 1.0) * bar(twist)
            Q[left] -= rolling * lever_up
            Q[right] += rolling * lever_down
            base = self._of("friction_base", left)
            seats = 0.5 * np.array([[1.0 + base, 1.0 - base], [1.0 - base, 1.0 + base]])  # travel where friction acts
            sliding = seats @ self.zd[left : right + 1]
            rubbing = self._of("friction", left) * sliding / np.hypot(_FRICTION_SPEED, sliding)
            Q[left : right + 1] -= seats.T @ rubbing
            for i in (left, right):
                z = self.z[i]
                weight = self._of("unsprung_mass", i) * self.p["gravity"]
                curves = self._curves[i]
                force, standing = curves["spring"](z), curves["spring"](self._of("standing_travel", i))
                Q[i] -= force - weight + (self._of("spring_factor", i) - 1.0) * (force - standing)
                if self.spec.axles[axle].steered:
                    Q[i] -= curves["by_rack"](self.rack)
                for shares, pressed in self._stops(i):
                    stop = self._of("stop_factor", i) * pressed(float(shares @ self.z[left : right + 1]))
                    Q[left : right + 1] -= shares * stop
                ratio = self.wheels[i].damper
                Q[left : right + 1] -= pull[i] * ratio
                Q[left : right + 1] += self.given["spring_force"][i] * self.wheels[i].spring
        return Q

    def _felt(self, axle: int) -> list[tuple[float, float]]:
        """Travels of left and right wheel as an anti-roll bar feels them [m], and their slopes."""
        lever, travels = self._levers[axle], self.z[2 * axle : 2 * axle + 2]
        return [lever.sample(float(z)) if lever.x.size else (float(z), 1.0) for z in travels]

    def _stops(self, i: int) -> tuple[tuple[Array, Callable[[float], float]], ...]:
        """Bump and rebound stops of a wheel: shares of the left and the right travel in theirs, force over that."""
        wheel, curve, side = self.spec.wheels[i], self._curves[i]["stops"], 1.0 if i % 2 == 0 else -1.0

        def bump(x: float) -> float:
            return max(float(curve(x)), 0.0)

        def rebound(x: float) -> float:
            return min(float(curve(x)), 0.0)

        bump_shares, rebound_shares = (
            0.5 * np.array([1.0 + side * base, 1.0 - side * base]) for base in (wheel.bump_base, wheel.rebound_base)
        )
        return (bump_shares, bump), (rebound_shares, rebound)

    def _ride_heights(self) -> list[float]:
        """Of the body above the level road at the axles [m]."""
        centres = np.array([wheel.centre for wheel in self.spec.wheels]).reshape(2, 2, 3).mean(axis=1)
        return [float(self.r[2] + (_matrix(self.q) @ (c - self.origin))[2] - self.spec.road_height) for c in centres]

    def _air(self) -> tuple[Array, Array]:
        """Force and moment of the air at the sprung centre of gravity, in V."""
        p, V = self.p, self.v[0]
        drag = np.array([-p["drag"] * V * abs(V), 0.0, 0.0])
        lifts = [np.array([0.0, 0.0, p[f"lift_{axle}"] * V * V]) for axle in ("front", "rear")]
        places = [
            np.array([0.0, 0.0, p["drag_height"] - p["cg_height"]]),
            np.array([p["cg_to_front"], 0.0, 0.0]),
            np.array([self.spec.wheels[2].centre[0] - self.origin[0], 0.0, 0.0]),
        ]
        forces = [drag, *lifts]
        return sum(forces, np.zeros(3)), sum((np.cross(x, f) for x, f in zip(places, forces, strict=True)), np.zeros(3))

    def _give(self) -> None:
        """Compliance, eq. 2, follows the loads of this step with a lag: implicit Euler of τ ċ + c = Com."""
        share = self.h / (self.h + self.spec.compliance_lag)
        for i, spec in enumerate(self.spec.wheels):
            wanted = np.zeros(len(COMPLIANCE_CHANNELS))
            for k, item in enumerate(spec.compliance):
                own, other = self._load(i, k), self._load(i ^ 1, k)
                wanted += straight(item.own_load, item.own, own)
                wanted += straight(item.opposite_load, item.opposite, other)
            self.compliance[i] += share * (self._of("compliance_factor", i) * wanted - self.compliance[i])

    def _load_rack(self) -> None:
        """Force of the wheels on the rack by virtual power; the torque of the driver on a rigid steering."""
        force = 0.0
        for i, wheel in enumerate(self.wheels):
            if not self.spec.axles[i // 2].steered:
                continue
            felt = self.felt + np.cross(self.turning, wheel.p)
            own = wheel.force - self._of("unsprung_mass", i) * felt
            moment = self._carrier_moment(i)
            moment[2] -= self._of("unsprung_yaw_inertia", i) * self.turning[2]
            force += float(wheel.by_rack[:3] @ own + wheel.by_rack[3:6] @ moment)
            force += float(self.suspension[i] * wheel.by_rack[CHANNELS.index("damper_length")] / wheel.damper[i % 2])
        if self.spec.steering is None:
            self.steering_torque = -force * self.p["steering_ratio"]
        else:
            self.steering.force, self.steering.mass = force, self._rack_mass()

    def _rack_mass(self) -> float:
        """Of the rack with the wheels that it turns [kg]."""
        elastic = self.spec.steering
        total = 0.0 if elastic is None else elastic.rack_mass
        for i, wheel in enumerate(self.wheels):
            total += self._of("unsprung_mass", i) * float(wheel.by_rack[:3] @ wheel.by_rack[:3])
            total += self._of("unsprung_yaw_inertia", i) * float(wheel.by_rack[5]) ** 2
        return total

    def _load(self, i: int, kind: int) -> float:
        wheel = self.wheels[i]
        # of the longitudinal force the brake holds its part, the driveline the rest
        braked = min(max(wheel.brake / wheel.radius, min(wheel.Fx, 0.0)), max(wheel.Fx, 0.0))
        loads = {
            "brake_force": braked,
            "drive_force": wheel.Fx - braked,
            "side_force": wheel.Fy,
            "aligning_moment": wheel.Mz,
        }
        return loads[COMPLIANCE_LOADS[kind]]


def _wheel_inputs(row: Array) -> dict[str, Array]:
    return {name: row[where] for name, where in WHEEL_COLUMNS.slices.items()}


def _integral(force: Callable[[float], float], end: float) -> float:
    """Of a force from zero to an end [J], in pieces short enough for the kinks of curves."""
    edges = np.linspace(0.0, end, 9)
    nodes, weights = np.polynomial.legendre.leggauss(4)
    half = 0.5 * (edges[1] - edges[0])
    points = (edges[:-1, None] + half * (nodes + 1)).ravel()
    return float(half * np.tile(weights, 8) @ np.array([force(float(x)) for x in points]))


def _tensor(p: Mapping[str, float]) -> Array:
    """Inertia of the sprung body about its centre of gravity."""
    return np.array([[p["Ixx"], p["Ixy"], p["Ixz"]], [p["Ixy"], p["Iyy"], p["Iyz"]], [p["Ixz"], p["Iyz"], p["Izz"]]])


def _skew(a: Array) -> Array:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def _matrix(q: Array) -> Array:
    w, axis = q[0], q[1:]
    return np.asarray((w * w - axis @ axis) * np.eye(3) + 2 * np.outer(axis, axis) + 2 * w * _skew(axis))


def _product(a: Array, b: Array) -> Array:
    return np.concatenate(([a[0] * b[0] - a[1:] @ b[1:]], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])))


def _turn(a: Array) -> Array:
    """Quaternion of a rotation vector [rad]."""
    angle = float(np.linalg.norm(a))
    return np.concatenate(([np.cos(angle / 2)], a * (0.5 * np.sinc(angle / (2 * np.pi)))))
