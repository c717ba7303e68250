"""What the real-time model does not pass today: by control what would mend it, and by case the measured difference.

An entry is deleted when the model has been mended; until then the test of the control must fail, and the numbers hold.
"""

from __future__ import annotations

from typing import NamedTuple


class KnownFailure(NamedTuple):
    """What would mend it, and the differences by case in the unit of the control's tolerance."""

    mended_by: str
    measured: dict[str, float]


_TYRES = "sliding tyres that store no more than the deflection of their friction force"
_STANDING = "compliance that moves: bushings give way under the force of a standing tyre"
_MASSES = "the mass matrix of each axle instead of a share of the links"
_RIDE = "the mass matrix of each axle and dampers in series with their mounts"

KNOWN_FAILURES = {
    "standing: wheel travels": KnownFailure(
        "a settling in which standing tyres give way: 1.2 kN of side force stay in the front ones",
        {
            "lcv_7t, kerb": 1.63,
        },
    ),
    "locked stop: thrown back": KnownFailure(
        _TYRES,
        {
            "double_wishbone_car": 0.89,
            "cla_class": 0.901,
            "suv": 0.89,
            "integral_link": 0.988,
            "lcv_3t5": 0.979,
            "lcv_7t": 0.809,
            "cla_class, bushings × 0.6": 0.917,
            "lcv_7t, kerb": 0.767,
        },
    ),
    "locked stop: at rest after": KnownFailure(
        _TYRES,
        {
            "double_wishbone_car": 2.49,
            "cla_class": 2.44,
            "suv": 2.63,
            "integral_link": 2.78,
            "lcv_3t5": 4,
            "lcv_7t": 4,
            "cla_class, bushings × 0.6": 2.76,
            "lcv_7t, kerb": 4,
        },
    ),
    "standstill steering: Fx": KnownFailure(
        _STANDING,
        {
            "double_wishbone_car": 25.7,
            "cla_class": 24.3,
            "suv": 18.5,
            "integral_link": 25.1,
            "lcv_3t5": 20.4,
            "lcv_7t": 16.4,
            "cla_class, bushings × 0.6": 41.1,
            "lcv_7t, kerb": 16.4,
        },
    ),
    "standstill steering: Fy": KnownFailure(
        _STANDING,
        {
            "double_wishbone_car": 23.4,
            "cla_class": 20.9,
            "suv": 19.7,
            "integral_link": 22.7,
            "lcv_3t5": 20.5,
            "lcv_7t": 16.3,
            "cla_class, bushings × 0.6": 34.2,
            "lcv_7t, kerb": 850,
        },
    ),
    "posts: hop frequency, front": KnownFailure(
        _MASSES,
        {
            "double_wishbone_car": 7.8,
            "cla_class": 5.38,
            "suv": 5.5,
            "integral_link": 7.73,
            "lcv_3t5": 9.64,
            "lcv_7t": 10.5,
            "cla_class, bushings × 0.6": 5.72,
            "lcv_7t, kerb": 10.6,
        },
    ),
    "posts: hop frequency, rear": KnownFailure(
        _MASSES,
        {
            "double_wishbone_car": 8.04,
            "cla_class": 2.9,
            "integral_link": 3.12,
            "lcv_3t5": 2.83,
            "cla_class, bushings × 0.6": 2.87,
        },
    ),
    "posts: tramp frequency, front": KnownFailure(
        _MASSES,
        {
            "double_wishbone_car": 7.91,
            "cla_class": 5.55,
            "suv": 5.62,
            "integral_link": 7.85,
            "lcv_3t5": 9.81,
            "lcv_7t": 10.9,
            "cla_class, bushings × 0.6": 5.91,
            "lcv_7t, kerb": 11.6,
        },
    ),
    "posts: tramp frequency, rear": KnownFailure(
        "the mass matrix of each axle, which holds the roll inertia of a solid one",
        {
            "double_wishbone_car": 8.18,
            "cla_class": 2.69,
            "integral_link": 2.7,
            "lcv_3t5": 23.4,
            "lcv_7t": 21.5,
            "cla_class, bushings × 0.6": 2.55,
            "lcv_7t, kerb": 22.1,
        },
    ),
    "posts: wheel loads, alike, 1 to 4 Hz": KnownFailure(
        _RIDE,
        {
            "double_wishbone_car": 8.7,
            "suv": 6.44,
            "integral_link": 9.27,
            "lcv_3t5": 5.41,
            "lcv_7t": 6.95,
            "cla_class, bushings × 0.6": 6.21,
            "lcv_7t, kerb": 10.3,
        },
    ),
    "posts: wheel loads, alike, 4 to 16 Hz": KnownFailure(
        _RIDE,
        {
            "double_wishbone_car": 36.8,
            "cla_class": 18.9,
            "suv": 20.8,
            "integral_link": 36.4,
            "lcv_3t5": 31.8,
            "lcv_7t": 31.1,
            "cla_class, bushings × 0.6": 25.1,
            "lcv_7t, kerb": 29.7,
        },
    ),
    "posts: wheel loads, opposed, 1 to 4 Hz": KnownFailure(
        _RIDE,
        {
            "double_wishbone_car": 6.76,
            "integral_link": 5.86,
            "lcv_3t5": 9.67,
            "lcv_7t": 6.54,
            "cla_class, bushings × 0.6": 5.55,
            "lcv_7t, kerb": 12.2,
        },
    ),
    "posts: wheel loads, opposed, 4 to 16 Hz": KnownFailure(
        _RIDE,
        {
            "double_wishbone_car": 37.4,
            "cla_class": 18.5,
            "suv": 20.7,
            "integral_link": 36.4,
            "lcv_3t5": 105,
            "lcv_7t": 128,
            "cla_class, bushings × 0.6": 24.9,
            "lcv_7t, kerb": 116,
        },
    ),
}
