"""The axis that a wheel turns about, from its static toe and camber."""

from __future__ import annotations

from collections.abc import Mapping
from math import cos, sin

from trackrod.core.corners import Side
from trackrod.vehicle.elements import Vector

__all__ = ["spin_axis"]


def spin_axis(parameters: Mapping[str, float], side: Side | None) -> Vector:
    """Axis of the wheel in V, towards +y.

    Parameters
    ----------
    parameters
        ``toe_angle_left``, ``camber_angle_left`` … [rad], toe in and top outward positive; missing ones are zero.
    side
        Toe turns the axis about z, camber about x, with opposite signs left and right.
    """
    sign = side.sign if side is not None else 0
    toe, camber = (parameters.get(f"{name}_{side}", 0.0) for name in ("toe_angle", "camber_angle"))
    steer, inclination = -sign * toe, -sign * camber
    return (-sin(steer) * cos(inclination), cos(steer) * cos(inclination), sin(inclination))
