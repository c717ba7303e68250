"""The elastic steering of the readable twin."""

from __future__ import annotations

import numpy as np

from trackrod.core.constants import constant
from trackrod.rtm.spec import SteeringSpec
from trackrod.rtm.twin.maps import Line

__all__ = ["TwinSteering"]

#: Mesh [N/m], pinion [kg·m²], [N·m·s/rad], torsion bar [N·m·s/rad].
_MESH_STIFFNESS, _PINION_INERTIA = constant("mesh_stiffness"), constant("pinion_inertia")
_PINION_DAMPING, _BAR_DAMPING = constant("pinion_damping"), constant("torsion_bar_damping")
_FRICTION_SPEED = constant("friction_speed")


class TwinSteering:
    """Pfeffer's steering: the driver holds the wheel, a torsion bar turns the pinion, the mesh pushes the rack."""

    def __init__(self, spec: SteeringSpec) -> None:
        self.spec = spec
        self.bar, self.assist = (Line(curve.x, curve.y) for curve in (spec.torsion_bar, spec.assist))
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
