"""The real-time model in readable form: a NumPy twin of the C++ core, used by tests and by readers.

The vehicle is a sprung body with velocity v and angular velocity ω in its own axes, four travels z and four spins. The
centre of wheel i lies at p_i(z, x_r) from the sprung centre of gravity and moves with

    v_i = v + ω × p_i + Σ_j J_ij ż_j + ∂p_i/∂x_r ẋ_r = A_i u + ∂p_i/∂x_r ẋ_r,      u = (v, ω, ż),

its carrier turns with ω + Σ_j G_ij ż_j = B_i u. Virtual power gives ten equations

    [Σ m_i A_iᵀA_i + sprung body] u̇ = Σ A_iᵀ (F_i + m_i (g − a_i⁰)) + Σ B_iᵀ N_i + suspension + sprung body,

with a_i⁰ the part of the acceleration that does not hold u̇. They are written down and solved here as they stand; the
core eliminates the travels instead.

Equation numbers: L. Zerbato and others, Light commercial vehicle ADAS-oriented modelling, SAE paper 2023-01-0908.
Tyres: `trackrod.tyre.twin`. Nothing here is fast; `trackrod.rtm.driving.RealTimeVehicle` is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trackrod.core.constants import constant
from trackrod.core.corners import Side
from trackrod.rtm.layout import CHANNELS, COMPLIANCE_CHANNELS, COMPLIANCE_LOADS, row_layout
from trackrod.rtm.spec import RtmSpec
from trackrod.rtm.twin.driveline import TwinDriveline
from trackrod.rtm.twin.maps import Line, Surface, straight
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
    rate: Array  # of p in the body [m/s]
    by_rack: Array  # (7,) p, rotation and length of the damper by the rack travel; zero where there is no rack
    turning: Array  # of the carrier in the body [rad/s]
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

    @property
    def axis(self) -> Array:
        """Spin axis in V: y turned by the inclination about x, then by the steer angle about z."""
        c = np.cos(self.inclination)
        return np.array([-np.sin(self.steer) * c, np.cos(self.steer) * c, np.sin(self.inclination)])


class Twin:
    """A real-time model in NumPy.

    Parameters
    ----------
    spec
        The model.
    step
        Of the integration [s].

    Limits: Magic Formula tyres without curves of their own; no external force, no grade; friction of the road one.
    """

    def __init__(self, spec: RtmSpec, step: float = 1e-3) -> None:
        self.spec, self.h, self.p = spec, step, spec.parameters
        self.tyres = [
            TwinTyre(Tyre(spec.tyres[place.tyre], mounted=wheel.corner.side), i, place.offset)
            for i, wheel in enumerate(spec.wheels)
            for place in wheel.tyres
        ]
        self._maps = [Surface(wheel.first, wheel.second, wheel.kinematics) for wheel in spec.wheels]
        self._curves = [
            {name: Line(curve.x, curve.y) for name, curve in curves.items()}
            for curves in (
                {"spring": axle.spring, "stops": axle.stops, "antiroll": axle.antiroll, "damper": axle.damper}
                for axle in spec.axles
            )
        ]
        front = spec.wheels[0].centre
        p = self.p
        self.origin = np.array([front[0] - p["cg_to_front"], p["cg_y"], p["cg_height"] + spec.road_height])
        self.driveline = TwinDriveline(spec)
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
        self.heights = np.full(len(self.tyres), self.spec.road_height)
        self.angle = self.rack = self.steering_torque = 0.0
        self.acceleration = np.zeros(3)
        for tyre in self.tyres:
            tyre.reset()
        self.wheels = [self._kinematics(i, 0.0, 0.0) for i in range(4)]
        self.J_before = [wheel.J for wheel in self.wheels]
        if self.spec.steering is not None:
            self.steering = TwinSteering(self.spec.steering, self._rack_mass())

    def start(self, speed: float, spins: ArrayLike, engine_speed: float, gear: int) -> None:
        """Let the vehicle roll straight ahead [m/s], [rad/s]."""
        self.v, self.w = np.array([speed, 0.0, 0.0]), np.zeros(3)
        self.spin = np.array(spins, dtype=float)
        self.driveline.start(engine_speed, gear)
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
        }
        row = np.zeros(_ROW.size)
        for name, where in _ROW.slices.items():
            row[where] = np.asarray(values[name])
        return np.concatenate((row, *(tyre.row for tyre in self.tyres)))

    def run(self, controls: Array, heights: Array | None = None) -> Array:
        """Rows of steering-wheel angle, throttle, brake and gear (and heights of the road) to rows of states."""
        rows = []
        for k, (angle, throttle, brake, gear) in enumerate(controls):
            self.step(angle, throttle, brake, gear, self.heights if heights is None else heights[k])
            rows.append(self.row())
        return np.array(rows)

    def take(self, row: Array) -> None:
        """Place, motion and heights of the wheels from a row of the core; rack in the middle, wheels without load."""
        names = ("position", "orientation", "velocity", "angular_velocity", "travel", "travel_rate", "spin")
        self.time = float(row[_ROW.column("time")])
        self.r, self.q, self.v, self.w, self.z, self.zd, self.spin = (row[_ROW[name]].copy() for name in names)
        self.wheels = [self._kinematics(i, 0.0, 0.0) for i in range(4)]

    def energy(self) -> float:
        """Kinetic energy of body and wheels, their height, springs, stops, anti-roll bars and upright tyres [J].

        Holds: constant but for the error of the integrator where nothing dissipates and no tyre slips.
        """
        p, v, w, R = self.p, self.v, self.w, _matrix(self.q)
        inertia = _tensor(p)
        total = 0.5 * p["sprung_mass"] * v @ v + 0.5 * w @ inertia @ w + p["sprung_mass"] * p["gravity"] * self.r[2]
        for i, wheel in enumerate(self.wheels):
            m, rates = self._of("unsprung_mass", i), self.zd[i // 2 * 2 : i // 2 * 2 + 2]
            velocity = v + np.cross(w, wheel.p) + wheel.J @ rates
            total += 0.5 * m * velocity @ velocity + m * p["gravity"] * (self.r + R @ wheel.p)[2]
            total += 0.5 * self._of("unsprung_roll_inertia", i) * w[0] ** 2
            total += 0.5 * self._of("unsprung_yaw_inertia", i) * w[2] ** 2
            total += 0.5 * self._of("wheel_inertia", i) * self.spin[i] ** 2
            curves = self._curves[i // 2]
            for name, factor in (("spring", "spring_factor"), ("stops", "stop_factor")):
                total += self._of(factor, i) * _integral(curves[name], float(self.z[i]))
            total -= self._of("spring_factor", i) * m * p["gravity"] * self.z[i]
        for axle, curves in enumerate(self._curves):
            opposite = 0.5 * float(self.z[2 * axle] - self.z[2 * axle + 1])
            total += 2.0 * self._of("antiroll_factor", 2 * axle) * _integral(curves["antiroll"], opposite)
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
        for tyre, height, speed in zip(self.tyres, heights, road_speed, strict=True):
            self._contact(tyre, R, height, speed)
        self._spins(throttle, brake, int(gear))
        self._bodies(R)
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
        else:
            by_travel = np.column_stack(((by_x + by_y) / 2, (by_x - by_y) / 2))
        com = dict(zip(COMPLIANCE_CHANNELS, self.compliance[i], strict=True))
        pose = {name: v + com.get(name, 0.0) for name, v in zip(CHANNELS, value, strict=True)}
        moved = np.array([pose["tx"], pose["ty"], pose["tz"]])
        by_rack = by_y.copy() if steered else np.zeros(len(CHANNELS))
        # inclination, pitch and steer angle turn about axes that steer and inclination move
        c, s = np.cos(pose["rz"]), np.sin(pose["rz"])
        cx, sx = np.cos(pose["rx"]), np.sin(pose["rx"])
        turn = np.array([[c, -s * cx, 0.0], [s, c * cx, 0.0], [0.0, sx, 1.0]])
        G, by_rack[3:6] = turn @ by_travel[3:6], turn @ by_rack[3:6]
        J = by_travel[:3]
        return _Wheel(
            p=np.array(self.spec.wheels[i].centre) + moved - self.origin,
            J=J,
            G=G,
            damper=by_travel[6],
            rate=J @ rates + by_rack[:3] * rack_rate,
            by_rack=by_rack,
            turning=G @ rates + by_rack[3:6] * rack_rate,
            steer=float(pose["rz"]),
            inclination=float(pose["rx"]),
        )

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

    def _spins(self, throttle: float, brake: float, gear: int) -> None:
        """Spins, implicit in held brakes and in the clutch.

        For each wheel I (ω⁺ − ω)/h = M + T_lock + T_brake + g T. A brake that holds is a spring and damper about the
        angle at which it closed; one that would need more torque than it has slips.
        """
        h, d = self.h, self.driveline
        d.begin_step(self.spin, throttle, gear, self.p["engine_factor"], h)
        constant, gain, mobility, held = np.zeros(4), np.zeros(4), np.zeros(4), np.zeros(4, dtype=bool)
        most = np.array([self._of("brake", i) * brake for i in range(4)])
        for i, wheel in enumerate(self.wheels):
            inertia = self._of("wheel_inertia", i)
            known = inertia / h * self.spin[i] + wheel.spin_moment + d.lock_torque(i, self.spin)
            holding = inertia / h + _BRAKE_STIFFNESS * h + _BRAKE_DAMPING
            wound = _BRAKE_STIFFNESS * self.brake_angle[i]
            sticking = (known - wound + d.torque * d.torque_gain(i)) / holding
            torque = -_BRAKE_STIFFNESS * (self.brake_angle[i] + sticking * h) - _BRAKE_DAMPING * sticking
            held[i] = most[i] > 0 and abs(torque) <= most[i]
            if held[i]:
                mobility[i] = 1.0 / holding
                constant[i], gain[i] = (known - wound) / holding, d.torque_gain(i) / holding
            else:
                wheel.brake = most[i] if torque > 0 else -most[i]
                mobility[i] = h / inertia
                constant[i], gain[i] = (known + wheel.brake) * h / inertia, d.torque_gain(i) * h / inertia
        locks = [d.lock_torque(i, self.spin) for i in range(4)]
        more = [d.lock(axle, self.spin, mobility, constant, gain) for axle in (0, 1)]
        d.close(constant, gain, h)
        for i in range(4):
            first, second = more[i // 2]
            locks[i] += (first + second * d.torque) * (-1.0 if i % 2 == 0 else 1.0)
        self.spin = constant + gain * d.torque
        for i, wheel in enumerate(self.wheels):
            wheel.drive = locks[i] + d.torque * d.torque_gain(i)
            if held[i]:
                wheel.brake = (
                    -_BRAKE_STIFFNESS * (self.brake_angle[i] + self.spin[i] * h) - _BRAKE_DAMPING * self.spin[i]
                )
        limit = most / _BRAKE_STIFFNESS
        self.brake_angle = np.clip(self.brake_angle + self.spin * h, -limit, limit)

    def _bodies(self, R: Array) -> None:
        """The ten equations of motion of the module's docstring, and the step."""
        p, v, w, h = self.p, self.v, self.w, self.h
        g = R.T @ (-p["gravity"] * _UP)
        inertia = _tensor(p)
        air, air_moment = self._air()
        M, Q = np.zeros((10, 10)), np.zeros(10)
        M[:3, :3] = p["sprung_mass"] * np.eye(3)
        M[3:6, 3:6] = inertia
        Q[:3] = air + p["sprung_mass"] * (g - np.cross(w, v))
        Q[3:6] = air_moment - np.cross(w, inertia @ w)
        for i, wheel in enumerate(self.wheels):
            travels = slice(6 + i // 2 * 2, 8 + i // 2 * 2)
            rates = self.zd[i // 2 * 2 : i // 2 * 2 + 2]
            A, B = np.zeros((3, 10)), np.zeros((3, 10))
            A[:, :3], A[:, 3:6], A[:, travels] = np.eye(3), -_skew(wheel.p), wheel.J
            B[:, 3:6], B[:, travels] = np.eye(3), wheel.G
            m = self._of("unsprung_mass", i)
            bending = (wheel.J - self.J_before[i]) / h @ rates  # J̇ ż
            a0 = np.cross(w, v) + np.cross(w, np.cross(w, wheel.p)) + 2 * np.cross(w, wheel.rate) + bending
            M += m * A.T @ A
            M[3, 3] += self._of("unsprung_roll_inertia", i)
            M[5, 5] += self._of("unsprung_yaw_inertia", i)
            Q += A.T @ (wheel.force + m * (g - a0))
            # the carrier takes tyre moments and brake, the body or the carrier the reaction of the driveline
            Q += B.T @ (wheel.moment - wheel.axis * wheel.brake)
            reaction = -wheel.axis * wheel.drive
            if self.spec.axles[i // 2].drive_on_carrier:
                Q += B.T @ reaction
            else:
                Q[3:6] += reaction
            Q[3:6] -= np.cross(w, wheel.axis * self.spin[i] * self._of("wheel_inertia", i))  # gyroscopic
        self.suspension = self._suspension()
        Q[6:] += self.suspension
        change = np.linalg.solve(M, Q)
        self.felt, self.turning = change[:3] + np.cross(w, v) - g, change[3:6]
        self.v, self.w, self.zd = v + h * change[:3], w + h * change[3:6], self.zd + h * change[6:]
        self.r = self.r + h * R @ self.v
        self.q = _product(self.q, _turn(self.w * h))
        self.q /= np.linalg.norm(self.q)
        self.z = self.z + h * self.zd
        total = air + sum(wheel.force for wheel in self.wheels)
        self.acceleration = R @ total / self.spec.mass - p["gravity"] * _UP

    def _suspension(self) -> Array:
        """Forces on the travels [N]: springs, stops (eq. 3), dampers (eq. 4), anti-roll bars, friction."""
        Q = np.zeros(4)
        for axle, curves in enumerate(self._curves):
            left, right = 2 * axle, 2 * axle + 1
            roll = curves["antiroll"](0.5 * (self.z[left] - self.z[right])) * self._of("antiroll_factor", left)
            Q[left] -= roll
            Q[right] += roll
            for i in (left, right):
                z, zd = self.z[i], self.zd[i]
                weight = self._of("unsprung_mass", i) * self.p["gravity"]
                Q[i] -= (curves["spring"](z) - weight) * self._of("spring_factor", i)
                Q[i] -= curves["stops"](z) * self._of("stop_factor", i)
                ratio = self.wheels[i].damper
                pull = curves["damper"](float(ratio @ self.zd[left : right + 1])) * self._of("damper_factor", i)
                Q[left : right + 1] -= pull * ratio
                Q[i] -= self._of("friction", i) * zd / np.hypot(_FRICTION_SPEED, zd)
        return Q

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
            gyro = np.cross(wheel.turning + self.w, wheel.axis * self.spin[i] * self._of("wheel_inertia", i))
            felt = self.felt + np.cross(self.turning, wheel.p)
            own = wheel.force - self._of("unsprung_mass", i) * felt
            moment = wheel.moment - wheel.axis * wheel.brake - gyro
            moment[2] -= self._of("unsprung_yaw_inertia", i) * self.turning[2]
            force += float(wheel.by_rack[:3] @ own + wheel.by_rack[3:6] @ moment)
            force += float(self.suspension[i] * wheel.by_rack[6] / wheel.damper[i % 2])
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
