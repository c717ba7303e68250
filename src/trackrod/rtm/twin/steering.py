"""The elastic steering of the readable twin."""

from __future__ import annotations

import numpy as np

from trackrod.core.constants import constant
from trackrod.core.maps import Extrapolation, Interpolation, Map2D, Variable
from trackrod.core.quantities import KINDS
from trackrod.rtm.spec import AssistMap, SteeringSpec
from trackrod.rtm.twin.maps import Line

__all__ = ["TwinSteering"]

#: Mesh of pinion and rack [N/m], [N·s/m].
_MESH_STIFFNESS, _MESH_DAMPING = constant("mesh_stiffness"), constant("mesh_damping")


class _Friction:
    """Dahl's law dF/dx = k (1 − F/F₀ sgn v); implicit, with the rate of before in the sign."""

    def __init__(self, limit: float, stiffness: float) -> None:
        self.limit, self.stiffness, self.strain = limit, stiffness, 0.0

    def law(self, rate: float, h: float) -> tuple[float, float]:
        """Force that is there, and more of it for each unit of new rate."""
        if self.limit == 0.0:
            return 0.0, 0.0
        self.share = 1.0 / (1.0 + abs(rate) * self.stiffness * h / self.limit)
        return self.stiffness * self.share * self.strain, self.stiffness * self.share * h

    def move(self, way: float) -> None:
        """Give way by the way of the step."""
        if self.limit > 0.0:
            self.strain = (self.strain + way) * self.share


class TwinSteering:
    """Pfeffer's steering: steering wheel, pinion and rack, with M (u⁺ − u)/h = F(x + h u⁺, u⁺) linear in u⁺."""

    def __init__(self, spec: SteeringSpec, rack_mass: float) -> None:
        self.spec = spec
        self.bar, self.column = (Line(curve.x, curve.y) for curve in (spec.torsion_bar, spec.column))
        self.assist = None if spec.assist is None else _surface(spec.assist)
        self.angles, self.rates = np.zeros(3), np.zeros(3)
        self.column_friction = _Friction(spec.column_friction, spec.column_friction_stiffness)
        self.rack_friction = _Friction(spec.rack_friction, spec.rack_friction_stiffness)
        self.force, self.mass, self.twist = 0.0, rack_mass, 0.0

    def step(self, wheel_rate: float | None, torque: float, ratio: float, speed: float, h: float) -> float:
        """New steering wheel, pinion and rack; the torque of the driver [N·m].

        Parameters
        ----------
        wheel_rate
            Of the steering wheel, where its angle is given [rad/s]; None where the torque is.
        torque
            Of the driver [N·m].
        ratio
            Rack travel over pinion angle [m/rad].
        speed
            Of the vehicle [m/s].
        """
        spec, (wheel, pinion, _) = self.spec, self.angles
        shaft, gain = self.column.sample(wheel) if self.column.x.size else (wheel, 1.0)
        bar, bar_slope = self.bar.sample(shaft - pinion)
        push, push_slope = self._assistance(bar, speed)
        sense = -1.0 if ratio < 0 else 1.0
        held, drag = self.column_friction.law(self.rates[0], h)
        rub, rub_drag = self.rack_friction.law(self.rates[2], h)
        twist, mesh = np.array([gain, -1.0, 0.0]), np.array([0.0, ratio, -1.0])  # by the three angles
        to_rack = np.array([0.0, 0.0, 1.0])
        M = np.diag([spec.wheel_inertia, spec.pinion_inertia, self.mass])
        forces = np.array([torque - held, 0.0, self.force - rub + sense * push])
        forces -= twist * bar + mesh * (_MESH_STIFFNESS * float(mesh @ self.angles))
        K = -bar_slope * np.outer(twist, twist) - _MESH_STIFFNESS * np.outer(mesh, mesh)
        K += sense * push_slope * bar_slope * np.outer(to_rack, twist)
        D = -spec.torsion_bar_damping * np.outer(twist, twist) - _MESH_DAMPING * np.outer(mesh, mesh)
        D -= np.diag([drag, 0.0, spec.rack_damping + rub_drag])
        S, right = M / h - D - h * K, M @ self.rates / h + forces
        if wheel_rate is None:
            rates = np.linalg.solve(S, right)
        else:
            rest = np.linalg.solve(S[1:, 1:], right[1:] - S[1:, 0] * wheel_rate)
            rates = np.array([wheel_rate, *rest])
        driver = torque + float(S[0] @ rates - right[0])
        self.rates, self.angles = rates, self.angles + h * rates
        self.twist = shaft + gain * h * rates[0] - self.angles[1]
        self.column_friction.move(h * rates[0])
        self.rack_friction.move(h * rates[2])
        return driver

    def _assistance(self, torque: float, speed: float) -> tuple[float, float]:
        if self.assist is None:
            return 0.0, 0.0
        within = float(np.clip(speed, *self.assist.knots[1][[0, -1]]))
        by_torque, _ = self.assist.slopes(torque, within)
        return float(self.assist.value(torque, within)[0]), float(by_torque[0])


def _surface(assist: AssistMap) -> Map2D:
    torque, speed, force = assist.grid()
    axes = Variable("torque", KINDS["torque"]), Variable("speed", KINDS["velocity"])
    rules = {"interpolation": Interpolation.PCHIP, "extrapolation": Extrapolation.LINEAR}
    return Map2D(axes, (torque, speed), (Variable("force", KINDS["force"]),), force, **rules)
