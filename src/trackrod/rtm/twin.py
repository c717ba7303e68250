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
from trackrod.core.errors import InputError
from trackrod.core.maps import Extrapolation, Interpolation, Map1D, Variable
from trackrod.core.quantities import KINDS
from trackrod.rtm.layout import CHANNELS, COMPLIANCE_CHANNELS, COMPLIANCE_LOADS, row_layout
from trackrod.rtm.spec import RtmSpec, SteeringSpec
from trackrod.tyre import twin as formula
from trackrod.tyre.coefficients import Version
from trackrod.tyre.model import Tyre
from trackrod.tyre.properties import Tyreside

__all__ = ["Twin"]

Array = NDArray[np.float64]

#: A brake that holds: stiffness [N·m/rad], damping [N·m·s/rad].
_BRAKE_STIFFNESS, _BRAKE_DAMPING = constant("brake_stiffness"), constant("brake_damping")
#: Speed at which dry friction has 70 % of its force [m/s].
_FRICTION_SPEED = constant("friction_speed")
#: Clutch: slip for each unit of torque [rad/s / N·m], time to close after a shift [s], governor [N·m·s/rad].
_CLUTCH_SLIP, _CLOSING_TIME, _GOVERNOR = map(constant, ("clutch_slip", "clutch_closing_time", "governor"))
#: Elastic steering: mesh [N/m], pinion [kg·m²], [N·m·s/rad], torsion bar [N·m·s/rad].
_MESH_STIFFNESS, _PINION_INERTIA = constant("mesh_stiffness"), constant("pinion_inertia")
_PINION_DAMPING, _BAR_DAMPING = constant("pinion_damping"), constant("torsion_bar_damping")
#: Transient slip: shortest relaxation length [m], largest slip.
_SHORTEST_RELAXATION, _LARGEST_SLIP = constant("shortest_relaxation"), constant("largest_transient_slip")
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
    by_rack: Array  # (6,) p and rotation by the rack travel; zero where there is no rack
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


class _TwinTyre:
    """One tyre: transient slip, vertical force, formula."""

    def __init__(self, tyre: Tyre, wheel: int, offset: float) -> None:
        properties = tyre.properties
        if properties.version is Version.PAC89 or properties.deflection_load or properties.bottoming:
            raise InputError(f"the twin knows Magic Formula tyres without curves only, not '{properties.name}'")
        if properties.tyreside is Tyreside.SYMMETRIC:
            properties = properties.symmetric()
        self.version = properties.version
        names = (item.name for item in properties.declarations)
        self.c = dict(zip(names, properties.values().tolist(), strict=True))
        self.mirrored, self.pressure = tyre.mirrored, tyre.pressure
        self.wheel, self.offset = wheel, offset
        self.reset()

    def reset(self) -> None:
        self.sx = self.sy = 0.0
        self.last = {"sigma_x": 0.3, "sigma_y": 0.3, "Kxk": 0.0, "Kya": 0.0, "Fx": 0.0, "Fy": 0.0}
        self.row = np.zeros(10)  # Fx, Fy, Fz, Mx, My, Mz, kappa, alpha, gamma, deflection

    def load(self, rho: float, rate: float, omega: float, gamma: float) -> float:
        """Vertical force [N] at a deflection [m] and its rate [m/s]."""
        c = self.c
        last = self.last
        force = formula.vertical_force(self.version, c, rho, omega, last["Fx"], last["Fy"], gamma, self.pressure)
        depth = c["RIM_RADIUS"] + c["BOTTOM_OFFST"] - (float(formula.free_radius(c, omega)) - rho)
        rim = c["BOTTOM_STIFF"] * depth if c["RIM_RADIUS"] > 0 and depth > 0 else 0.0
        return float(max(force + rim + c["VERTICAL_DAMPING"] * rate, 0.0))

    def slip(self, Vx: float, Vsx: float, Vsy: float, Fz: float, h: float) -> tuple[float, float]:
        """Lagged slips after a step of σ ds/dt + |Vx| s = −V_s (Pacejka 2012, 7.2.1), damped at standstill (8.128)."""
        last = self.last
        self.sx = _relaxed(self.sx, Vsx, Vx, last["sigma_x"], h)
        self.sy = _relaxed(self.sy, -Vsy, Vx, last["sigma_y"], h)
        low = self.c["VXLOW"]
        return (
            _damped(self.sx, Vsx, Vx, Fz, last["Kxk"], last["sigma_x"], low),
            _damped(self.sy, -Vsy, Vx, Fz, last["Kya"], last["sigma_y"], low),
        )

    def evaluate(self, Fz: float, kappa: float, alpha: float, gamma: float, Vx: float) -> dict[str, float]:
        out = formula.evaluate(
            self.version,
            self.c,
            Fz,
            kappa,
            alpha,
            gamma,
            Vx,
            self.pressure,
            limits=True,
            mirrored=self.mirrored,
        )
        found = {name: float(value) for name, value in out.items()}
        self.last = {name: found[name] for name in self.last}
        # a tyre that slides stores the deflection of its force, not that of its slip
        self.last["sigma_x"] *= _deflection_share(found["mux"] * Fz, found["Kxk"], kappa)
        self.last["sigma_y"] *= _deflection_share(found["muy"] * Fz, found["Kya"], np.tan(alpha))
        return found


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
            _TwinTyre(Tyre(spec.tyres[place.tyre], mounted=wheel.corner.side), i, place.offset)
            for i, wheel in enumerate(spec.wheels)
            for place in wheel.tyres
        ]
        self._maps = [_Surface(wheel.first, wheel.second, wheel.kinematics) for wheel in spec.wheels]
        self._curves = [
            {name: _Line(curve.x, curve.y) for name, curve in curves.items()}
            for curves in (
                {"spring": axle.spring, "stops": axle.stops, "antiroll": axle.antiroll, "damper": axle.damper}
                for axle in spec.axles
            )
        ]
        front = spec.wheels[0].centre
        p = self.p
        self.origin = np.array([front[0] - p["cg_to_front"], p["cg_y"], p["cg_height"] + spec.road_height])
        self.driveline = _Driveline(spec)
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
        if self.spec.steering is not None:
            self.steering = _Steering(self.spec.steering)
        self.acceleration = np.zeros(3)
        for tyre in self.tyres:
            tyre.reset()
        self.wheels = [self._kinematics(i, 0.0, 0.0) for i in range(4)]
        self.J_before = [wheel.J for wheel in self.wheels]

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
        self.rack, rack_rate = p["steering_ratio"] * angle, p["steering_ratio"] * angle_rate
        if self.spec.steering is not None:
            self.rack, rack_rate = self.steering.rack, self.steering.rack_rate
        self.wheels = [self._kinematics(i, self.rack, rack_rate) for i in range(4)]
        R = _matrix(self.q)
        for tyre, height, speed in zip(self.tyres, heights, road_speed, strict=True):
            self._contact(tyre, R, height, speed)
        self._spins(throttle, brake, int(gear))
        self._bodies(R)
        self._give()
        self.J_before = [wheel.J for wheel in self.wheels]
        self._steer(angle_rate)
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
        by_rack = by_y[:6] if steered else np.zeros(6)
        J = by_travel[:3]
        return _Wheel(
            p=np.array(self.spec.wheels[i].centre) + moved - self.origin,
            J=J,
            G=by_travel[3:6],
            damper=by_travel[6],
            rate=J @ rates + by_rack[:3] * rack_rate,
            by_rack=by_rack,
            steer=float(pose["rz"]),
            inclination=float(pose["rx"]),
        )

    def _contact(self, tyre: _TwinTyre, R: Array, height: float, road_speed: float) -> None:
        """Contact of a tyre with the level road under it, and its wrench on the wheel."""
        wheel, i = self.wheels[tyre.wheel], tyre.wheel
        omega = self.spin[i]
        rates = self.zd[i // 2 * 2 : i // 2 * 2 + 2]
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
        turning = R @ (self.w + wheel.G @ rates)
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
        Q[6:] += self._suspension()
        change = np.linalg.solve(M, Q)
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
                wanted += _straight(item.own_load, item.own, own)
                wanted += _straight(item.opposite_load, item.opposite, other)
            self.compliance[i] += share * (self._of("compliance_factor", i) * wanted - self.compliance[i])

    def _steer(self, angle_rate: float) -> None:
        """Force of the wheels on the rack by virtual power, and the torque of the driver; an elastic steering moves."""
        ratio, elastic = self.p["steering_ratio"], self.spec.steering
        force, turning = 0.0, 0.0
        for i, wheel in enumerate(self.wheels):
            wrench = np.concatenate((wheel.force, wheel.moment - wheel.axis * wheel.brake))
            force += float(wheel.by_rack @ wrench)
            turning += self._of("unsprung_yaw_inertia", i) * float(wheel.by_rack[5]) ** 2
        if elastic is None:
            self.steering_torque = -force * ratio
        else:
            mass = elastic.rack_mass + turning
            self.steering_torque = self.steering.step(self.angle, angle_rate, force, mass, ratio, self.h)

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


class _Steering:
    """Pfeffer's steering: the driver holds the wheel, a torsion bar turns the pinion, the mesh pushes the rack."""

    def __init__(self, spec: SteeringSpec) -> None:
        self.spec = spec
        self.bar, self.assist = (_Line(curve.x, curve.y) for curve in (spec.torsion_bar, spec.assist))
        self.rack = self.rack_rate = self.pinion = self.pinion_rate = 0.0

    def step(self, angle: float, angle_rate: float, force: float, mass: float, ratio: float, h: float) -> float:
        """New rack and pinion under the force of the wheels [N]; the torque of the bar [N·m]."""
        twist = angle - self.pinion
        bar = self.bar(twist) + (angle_rate - self.pinion_rate) * _BAR_DAMPING
        mesh = (self.pinion * ratio - self.rack) * _MESH_STIFFNESS
        assist = self.assist(twist) * (-1.0 if ratio < 0 else 1.0)
        friction = self.spec.rack_friction * self.rack_rate / np.hypot(_FRICTION_SPEED, self.rack_rate)
        momentum = mass * self.rack_rate + h * (force + mesh + assist - friction)
        self.rack_rate = float(momentum / (mass + h * self.spec.rack_damping))
        self.rack += h * self.rack_rate
        momentum = _PINION_INERTIA * self.pinion_rate + h * (bar - mesh * ratio)
        self.pinion_rate = float(momentum / (_PINION_INERTIA + h * _PINION_DAMPING))
        self.pinion += h * self.pinion_rate
        return bar


class _Driveline:
    """Engine, clutch, gearbox and differentials; without a powertrain nothing turns."""

    def __init__(self, spec: RtmSpec) -> None:
        self.powertrain = spec.powertrain
        self.locks: list[_Line | None] = [None, None]
        self.start(0.0, 1)
        if spec.powertrain is None:
            return
        front = spec.powertrain.front_share
        self.shares = np.array([front, front, 1.0 - front, 1.0 - front]) / 2
        items = (spec.powertrain.front_differential, spec.powertrain.rear_differential)
        for i, (item, share) in enumerate(zip(items, (front, 1.0 - front), strict=True)):
            if item is not None and share > 0:
                self.locks[i] = _Line(item.curve.x, item.curve.y)

    def start(self, speed: float, gear: int) -> None:
        self.speed, self.gear, self.since_shift, self.torque = speed, gear, 1e9, 0.0
        self.next_gear, self.input_before = gear, 0.0

    @property
    def ratio(self) -> float:
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
        curve = self.locks[i // 2]
        if curve is None:
            return 0.0
        left = i // 2 * 2
        return curve(float(spins[left] - spins[left + 1])) * (-1.0 if i == left else 1.0)

    def lock(self, axle: int, spins: Array, mobility: Array, constant: Array, gain: Array) -> tuple[float, float]:
        """Torque of a locking differential beyond that of the old spins: first + second · torque of the clutch.

        Implicit: T = T0 + k (Δω⁺ − Δω). The new spins are changed in place.
        """
        curve = self.locks[axle]
        if curve is None:
            return 0.0, 0.0
        left, right = 2 * axle, 2 * axle + 1
        difference = float(spins[left] - spins[right])
        slope = max(0.0, (curve(difference + 1e-3) - curve(difference - 1e-3)) / 2e-3)
        share = slope / (1.0 + slope * (mobility[left] + mobility[right]))
        first = share * (constant[left] - constant[right] - difference)
        second = share * (gain[left] - gain[right])
        for values, torque in ((constant, first), (gain, second)):
            values[left] -= mobility[left] * torque
            values[right] += mobility[right] * torque
        return float(first), float(second)

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

    def close(self, constant: Array, gain: Array, h: float) -> None:
        """Torque of the clutch at the end of the step, where wheels turn with constant + gain · torque.

        Engine: ω⁺ = ω + h (T_e − T)/J; clutch: T = (ω⁺ − input speed)/slip, at most its capacity.
        """
        if self.powertrain is None:
            return
        through = self.ratio * self.shares
        wanted = 0.0
        if self.capacity > 0:
            free = self.speed + h / self.inertia * self.engine
            wanted = float((free - through @ constant) / (through @ gain + _CLUTCH_SLIP + h / self.inertia))
        self.torque = float(np.clip(wanted, -self.capacity, self.capacity))
        self.speed = max(0.0, self.speed + (self.engine - self.torque) * h / self.inertia)


# ---------------------------------------------------------------------------------------------------------------
# Pieces


def _deflection_share(limit: float, K: float, s: float) -> float:
    """Share of the relaxation length that is left at a large slip (secant stiffness, Pacejka 2012, section 7.2.3)."""
    linear = abs(K * s)
    return limit / linear if linear > limit else 1.0


def _relaxed(s: float, V: float, Vx: float, sigma: float, h: float) -> float:
    length = max(sigma, _SHORTEST_RELAXATION)
    return float(np.clip((s - V * h / length) / (1 + abs(Vx) * h / length), -_LARGEST_SLIP, _LARGEST_SLIP))


def _damped(s: float, V: float, Vx: float, Fz: float, K: float, sigma: float, low: float) -> float:
    if abs(Vx) >= low or K == 0:
        return s
    carcass = abs(K) / max(sigma, _SHORTEST_RELAXATION)
    fade = 0.5 + 0.5 * np.cos(np.pi * abs(Vx) / low)
    return float(s - 0.2 * np.sqrt(carcass * Fz / 9.81) * fade * V / abs(K))


def _straight(x: Array, rows: Array, at: float) -> Array:
    """Rows over x at a point, straight between and beyond the knots."""
    if x.size == 0:
        return np.zeros(len(COMPLIANCE_CHANNELS))
    i = int(np.clip(np.searchsorted(x, at, side="right") - 1, 0, x.size - 2))
    return np.asarray(rows[i] + (at - x[i]) / (x[i + 1] - x[i]) * (rows[i + 1] - rows[i]))


class _Surface:
    """Channels over two variables, bicubic with the slopes of parabolas at the nodes, straight beyond them."""

    def __init__(self, x: Array, y: Array, values: Array) -> None:
        self.x, self.y = x, y
        by_x, by_y = (np.gradient(values, knots, axis=k, edge_order=2) for k, knots in enumerate((x, y)))
        by_xy = np.gradient(by_x, y, axis=1, edge_order=2)
        self.nodes = np.array([[values, by_y], [by_x, by_xy]])  # [slope by x?][slope by y?][i][j][channel]

    def sample(self, x: float, y: float) -> tuple[Array, Array, Array]:
        """Values and their derivatives by x and by y."""
        i, wx = _hermite(x, self.x)
        j, wy = _hermite(y, self.y)
        around = self.nodes[:, :, i : i + 2, j : j + 2]
        orders = ((0, 0), (1, 0), (0, 1))
        value, by_x, by_y = (np.einsum("as,bt,abstk->k", wx[p], wy[q], around) for p, q in orders)
        return value, by_x, by_y


class _Line:
    """A curve, cubic between its points without overshoot, straight beyond them; zero where there are none."""

    def __init__(self, x: Array, y: Array) -> None:
        self.x = x
        if x.size:
            axes = (Variable("x", KINDS["number"]), Variable("y", KINDS["number"]))
            rules = (Interpolation.PCHIP, Extrapolation.LINEAR)
            curve = Map1D(axes[0], x, axes[1:], y, interpolation=rules[0], extrapolation=rules[1])
            self.nodes = np.array([y, curve.slope(x)[:, 0]])

    def __call__(self, x: float) -> float:
        if not self.x.size:
            return 0.0
        i, weights = _hermite(x, self.x)
        return float((weights[0] * self.nodes[:, i : i + 2]).sum())


def _hermite(x: float, knots: Array) -> tuple[int, tuple[Array, Array]]:
    """Cell of x, and the weights of values and slopes at its two ends, for the value and for the derivative."""
    inside = float(np.clip(x, knots[0], knots[-1]))
    i = int(np.clip(np.searchsorted(knots, inside, side="right") - 1, 0, knots.size - 2))
    d = float(knots[i + 1] - knots[i])
    t = (inside - float(knots[i])) / d
    value = np.array([[(1 + 2 * t) * (1 - t) ** 2, t * t * (3 - 2 * t)], [d * t * (1 - t) ** 2, d * t * t * (t - 1)]])
    slope = np.array([[6 * t * (t - 1) / d, 6 * t * (1 - t) / d], [(1 - t) * (1 - 3 * t), t * (3 * t - 2)]])
    return i, (value + (x - inside) * slope, slope)


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
