"""Wheel-force transducers: they sit between hub and rim, so that they miss what carries and moves the part outside.

The part outside (tyre, rim, outer half of the transducer) of mass m is held by the road and by the transducer alone,
F_road = F_transducer + m (a + g), and it spins by the torque of the hub, T = I ω̇ + R F_x − M_y.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.quantities import STANDARD_GRAVITY, kind
from trackrod.core.series import Run
from trackrod.core.signals import CornerSignal
from trackrod.tyre.model import Tyre

__all__ = ["WHEEL_TORQUE", "hub_torque", "outer_part"]

Array = NDArray[np.float64]

#: Of half-shaft and brake on the wheel, as a transducer shows it.
WHEEL_TORQUE = CornerSignal("wheel_torque", kind("torque"), "of half-shaft and brake on the wheel", "driving")


def outer_part(run: Run, corner: Corner, mass: float, wheel: tuple[float, float]) -> dict[str, Array]:
    """What the road gives more than a transducer shows: weight and inertia of the part outside, by column [N].

    Parameters
    ----------
    run
        With ``ax_mps2`` and ``ay_mps2``; better with ``yaw_rate_radps``, ``yaw_acceleration_radps2`` and the wheel's
        ``steer`` too, which count as zero where they are missing.
    mass
        Of the part outside [kg].
    wheel
        Its centre from the centre of gravity, forward and to the left [m].

    Limits: the road is smooth; the wheel does not accelerate vertically.
    """
    x, y = wheel
    r, dr = _column(run, signals.YAW_RATE.column), _column(run, signals.YAW_ACCELERATION.column)
    steer = _column(run, signals.STEER[corner].column)
    ax = run[signals.AX] - dr * y - r * r * x
    ay = run[signals.AY] + dr * x - r * r * y
    c, s = np.cos(steer), np.sin(steer)
    return {
        signals.FX[corner].column: mass * (c * ax + s * ay),
        signals.FY[corner].column: mass * (c * ay - s * ax),
        signals.FZ[corner].column: np.full(run.time.size, mass * STANDARD_GRAVITY),
    }


def hub_torque(run: Run, tyres: Mapping[Corner, Tyre], spin_inertia: Mapping[Corner, float]) -> dict[str, Array]:
    """Torque of half-shaft and brake on each wheel, by column [N·m], from what a model says of road and wheel.

    Parameters
    ----------
    tyres
        For the loaded radius, by wheel.
    spin_inertia
        Of what spins outside of the hub, by wheel [kg·m²].
    """
    found = {}
    for corner in Corner:
        speed, load = run[signals.WHEEL_SPEED[corner]], np.maximum(run[signals.FZ[corner]], 0.0)
        force, moment = run[signals.FX[corner]], run[signals.MY[corner]]
        radius = tyres[corner].loaded_radius(load, speed)
        change = np.gradient(speed, run.time)
        found[WHEEL_TORQUE[corner].column] = spin_inertia[corner] * change + radius * force - moment
    return found


def _column(run: Run, column: str) -> Array:
    return run[column] if column in run else np.zeros(run.time.size)
