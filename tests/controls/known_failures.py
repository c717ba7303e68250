"""What the real-time model does not pass today: by control what would mend it, and by case the measured difference.

An entry is deleted when the model has been mended; until then the test of the control must fail, and the numbers hold.
"""

from __future__ import annotations

from typing import NamedTuple


class KnownFailure(NamedTuple):
    """What would mend it, and the differences by case in the unit of the control's tolerance."""

    mended_by: str
    measured: dict[str, float]


_TWO_LOADS = "compliance under several large loads at once, which is added up of that under each"
_LOCKING = "compliance steer under the brake over travel, straight in the load today: side slip takes friction away"
_STOP = "vehicles that give less: what tyres, bushings and springs store under the friction is √(μ g u) of speed"
_STANDING = "compliance that turns with the wheels and tyres that turn on the spot"
_STEERING = "a steering of three freedoms that does not swing by itself"
_TUBE = "compliance of solid axles over their roll"

KNOWN_FAILURES = {
    "turn: sideslip angle": KnownFailure(
        _TWO_LOADS,
        {
            "lcv_7t": 0.0349,
        },
    ),
    "braking: deceleration": KnownFailure(
        _TWO_LOADS,
        {
            "lcv_7t": 0.116,
        },
    ),
    "braking: pitch angle": KnownFailure(
        _TWO_LOADS,
        {
            "lcv_7t": 2.64,
            "cla_class, bushings × 0.6": 2.67,
        },
    ),
    "braking: wheel loads": KnownFailure(
        _TWO_LOADS,
        {
            "cla_class, bushings × 0.6": 0.0797,
        },
    ),
    "rising brake: which wheels lock when": KnownFailure(
        _LOCKING,
        {
            "double_wishbone_car": 1.14,
            "integral_link": 1.61,
            "lcv_3t5": 1.92,
            "lcv_7t": 1.88,
        },
    ),
    "locked stop: thrown back": KnownFailure(
        _STOP,
        {
            "double_wishbone_car": 0.522,
            "cla_class": 0.419,
            "suv": 0.355,
            "integral_link": 0.397,
            "lcv_3t5": 0.44,
            "lcv_7t": 0.471,
            "cla_class, bushings × 0.6": 0.45,
            "lcv_7t, kerb": 0.349,
        },
    ),
    "locked stop: at rest after": KnownFailure(
        _STOP,
        {
            "double_wishbone_car": 2.07,
            "lcv_3t5": 2.31,
            "lcv_7t": 3.0,
        },
    ),
    "standstill steering: Fx": KnownFailure(
        _STANDING,
        {
            "cla_class": 11.9,
            "suv": 16.2,
        },
    ),
    "standstill steering: Fy": KnownFailure(
        _STANDING,
        {
            "double_wishbone_car": 24.3,
            "cla_class": 10.4,
            "suv": 12.1,
            "integral_link": 23,
            "lcv_3t5": 29.6,
            "lcv_7t": 26.4,
            "cla_class, bushings × 0.6": 13.2,
            "lcv_7t, kerb": 23.3,
        },
    ),
    "weaving: torque at the steering wheel": KnownFailure(
        _STEERING,
        {
            "double_wishbone_car": 10.3,
            "cla_class": 909,
            "suv": 1040,
            "integral_link": 1040,
            "lcv_3t5": 2490,
            "lcv_7t": 9080,
            "cla_class, bushings × 0.6": 59.3,
            "lcv_7t, kerb": 13200,
        },
    ),
    "posts: wheel loads, opposed, 4 to 16 Hz": KnownFailure(
        _TUBE,
        {
            "lcv_7t": 5.46,
            "lcv_7t, kerb": 7.39,
        },
    ),
}
