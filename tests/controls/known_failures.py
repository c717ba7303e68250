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
_STOP = "vehicles that give less: what tyres, bushings and springs store under the friction is √(μ g u) of speed"
_STANDING = "compliance that turns with the wheels and tyres that turn on the spot"
_TUBE = "compliance of solid axles over their roll"

KNOWN_FAILURES = {
    "turn: sideslip angle": KnownFailure(
        _TWO_LOADS,
        {
            "lcv_7t": 0.035,
        },
    ),
    "braking: pitch angle": KnownFailure(
        _TWO_LOADS,
        {
            "lcv_7t": 2.01,
            "cla_class, bushings × 0.6": 2.28,
            "lcv_7t, kerb": 2.8,
        },
    ),
    "locked stop: thrown back": KnownFailure(
        _STOP,
        {
            "double_wishbone_car": 0.523,
            "cla_class": 0.422,
            "suv": 0.357,
            "integral_link": 0.398,
            "lcv_3t5": 0.444,
            "lcv_7t": 0.477,
            "cla_class, bushings × 0.6": 0.457,
            "lcv_7t, kerb": 0.352,
        },
    ),
    "locked stop: at rest after": KnownFailure(
        _STOP,
        {
            "double_wishbone_car": 2.08,
            "lcv_3t5": 2.02,
            "lcv_7t": 3.01,
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
            "cla_class": 10.3,
            "suv": 12.1,
            "integral_link": 23,
            "lcv_3t5": 29.7,
            "lcv_7t": 26.5,
            "cla_class, bushings × 0.6": 13.2,
            "lcv_7t, kerb": 23.5,
        },
    ),
    "posts: wheel loads, opposed, 4 to 16 Hz": KnownFailure(
        _TUBE,
        {
            "lcv_7t": 5.38,
            "lcv_7t, kerb": 7.39,
        },
    ),
}
