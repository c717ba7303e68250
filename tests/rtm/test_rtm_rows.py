"""What stands in a row of the real-time model, against vectors and rotations written out."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from trackrod.core.corners import Corner
from trackrod.rtm.layout import row_layout
from trackrod.rtm.motion import RtmMotion, TotalCentre

LAYOUT = row_layout(inputs=True)
TURN = Rotation.from_euler("ZYX", [0.7, -0.1, 0.15])
VELOCITY, RATES, PLACE = np.array([20.0, -1.5, 0.4]), np.array([0.3, -0.2, 0.8]), np.array([12.0, 5.0, 0.6])
TRAVELS = np.array([0.01, -0.03, 0.02, 0.05])
CENTRE = TotalCentre((-30.0, 40.0, -50.0), 40.0, 60.0, 1000.0)
#: From the sprung to the total centre of gravity, wheels at these travels.
OFFSET = np.array([-30.0, 40.0, -50.0 + 40.0 * (0.01 - 0.03) + 60.0 * (0.02 + 0.05)]) / 1000.0


def motion() -> RtmMotion:
    row = np.zeros(LAYOUT.size)
    w_last = TURN.as_quat()
    for name, values in {
        "position": PLACE,
        "orientation": w_last[[3, 0, 1, 2]],
        "velocity": VELOCITY,
        "angular_velocity": RATES,
        "travel": TRAVELS,
        "spin": [61.0, 62.0, 63.0, 64.0],
        "steer": [0.1, 0.11, 0.01, 0.02],
        "camber": [0.03, 0.04, 0.05, 0.06],
    }.items():
        row[LAYOUT[name]] = values
    return RtmMotion(row, CENTRE, {})


def test_place_and_velocity_are_those_of_the_total_centre() -> None:
    np.testing.assert_allclose(motion().position, PLACE + TURN.apply(OFFSET), rtol=1e-12)
    np.testing.assert_allclose(motion().velocity, TURN.apply(VELOCITY + np.cross(RATES, OFFSET)), rtol=1e-12)
    np.testing.assert_array_equal(motion().rates, RATES)


def test_each_wheel_has_its_own_numbers() -> None:
    """Turned about x, forward, the top of a wheel goes to the right: inward on the left side, outward on the right."""
    for i, corner in enumerate(Corner):
        pose = motion().wheel(corner)
        outward = -1.0 if corner.value[1] == "l" else 1.0
        assert pose.travel == TRAVELS[i]
        assert pose.steer == (0.1, 0.11, 0.01, 0.02)[i]
        assert pose.camber == outward * (0.03, 0.04, 0.05, 0.06)[i]
        assert motion().wheel_speed(corner) == 61.0 + i
