"""What is measured and no model of ours tells: signals beside those of `core.signals`."""

from __future__ import annotations

from trackrod.core.quantities import kind
from trackrod.core.signals import CornerSignal, Signal

__all__ = ["AIR_SPEED", "BRAKE_LINE_PRESSURE", "DISC_TEMPERATURE", "WHEEL_TORQUE", "WHEEL_VELOCITY"]

#: Of half-shaft and brake on the wheel, as a wheel-force transducer shows it.
WHEEL_TORQUE = CornerSignal("wheel_torque", kind("torque"), "of half-shaft and brake on the wheel", "driving")
#: Speed of a wheel's rim, where a recording has it instead of the angular velocity.
WHEEL_VELOCITY = CornerSignal(
    "wheel_velocity", kind("velocity"), "of the circumference of the wheel", "rolling forward"
)
DISC_TEMPERATURE = CornerSignal("disc_temperature", kind("temperature"), "of the brake disc")
BRAKE_LINE_PRESSURE = Signal("brake_pressure", kind("pressure"), "of the master cylinder", "applied")
AIR_SPEED = Signal("air_speed", kind("velocity"), "of the air against the vehicle", "from the front")
