"""Kinds of quantities that only estimates have."""

from __future__ import annotations

from trackrod.core.quantities import Dimension, Kind

__all__ = [
    "ANGLE_GRADIENT",
    "ANGLE_PER_LENGTH",
    "BRAKE_FACTOR",
    "FORCE_PER_SPEED_SQUARED",
    "PER_KELVIN",
]

BRAKE_FACTOR = Kind("brake_factor", "N·m/Pa", "", Dimension(length=3), "torque of a brake over its pressure")
ANGLE_GRADIENT = Kind(
    "angle_gradient", "rad·s²/m", "", Dimension(angle=1, length=-1, time=2), "angle over lateral acceleration"
)
ANGLE_PER_LENGTH = Kind("angle_per_length", "rad/m", "", Dimension(angle=1, length=-1), "angle over wheel travel")
FORCE_PER_SPEED_SQUARED = Kind(
    "force_per_speed_squared", "N·s²/m²", "", Dimension(force=1, length=-2, time=2), "force of the air over v²"
)
PER_KELVIN = Kind("per_kelvin", "1/K", "", Dimension(), "relative change over temperature")
