"""What the driveline remembers, declared once for both models (`trackrod.core.layout`)."""

from __future__ import annotations

from trackrod.core.layout import Structure, field

__all__ = ["DRIVELINE_STATE"]

DRIVELINE_STATE = Structure(
    "DrivelineState",
    "What a driveline remembers from step to step.",
    (
        field("engine_speed", "angular_velocity", "of the engine"),
        field("gear", "number", "that is engaged, 0 in neutral", default=1.0),
        field("next_gear", "number", "that is engaged when the clutch is open", default=1.0),
        field("since_shift", "time", "from the opening of the clutch to the beginning of the step", default=1e9),
        field("input_before", "angular_velocity", "gearbox input speed of the step before"),
        field("clutch_torque", "torque", "of the clutch"),
        field("centre_torque", "torque", "that a locked centre differential moves from the front axle to the rear"),
    ),
)
