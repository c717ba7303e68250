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
    "braking: pitch angle": KnownFailure(
        _TWO_LOADS,
        {
            "lcv_7t": 2.02,
            "lcv_7t, kerb": 2.56,
        },
    ),
    "braking: wheel loads": KnownFailure(
        _TWO_LOADS,
        {
            "cla_class, bushings × 0.6": 0.0544,
        },
    ),
    "locked stop: rebound speed": KnownFailure(
        _STOP,
        {
            "double_wishbone_car": 0.519,
            "cla_class": 0.43,
            "suv": 0.385,
            "integral_link": 0.407,
            "lcv_3t5": 0.449,
            "lcv_7t": 0.492,
            "cla_class, bushings × 0.6": 0.506,
            "lcv_7t, kerb": 0.356,
        },
    ),
    "locked stop: time to rest": KnownFailure(
        _STOP,
        {
            "double_wishbone_car": 2.07,
            "lcv_3t5": 2.03,
            "lcv_7t": 3.03,
        },
    ),
    "standstill steering: Fx": KnownFailure(
        _STANDING,
        {
            "cla_class": 11.7,
            "suv": 15.6,
            "cla_class, bushings × 0.6": 10.3,
        },
    ),
    "standstill steering: Fy": KnownFailure(
        _STANDING,
        {
            "double_wishbone_car": 13.7,
            "integral_link": 13.5,
            "lcv_3t5": 16.2,
            "lcv_7t": 15,
            "cla_class, bushings × 0.6": 10.8,
            "lcv_7t, kerb": 10.2,
        },
    ),
    "posts: wheel loads, out of phase, 4 to 16 Hz": KnownFailure(
        _TUBE,
        {
            "lcv_7t": 5.36,
            "lcv_7t, kerb": 7.38,
        },
    ),
}
