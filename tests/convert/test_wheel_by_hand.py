"""The kinematics of a wheel from a map made by hand, whose knots are as many along both variables but not alike."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from trackrod.convert.conversion import Detail, _wheel
from trackrod.core.corners import Corner
from trackrod.rtm.layout import CHANNELS

FIRST, SECOND = np.array([-0.08, -0.04, 0.0, 0.04, 0.08]), np.array([-0.02, 0.0, 0.01, 0.03, 0.06])
#: Derivatives of each channel by travel and by the second variable; tz rises with the wheel.
BY_FIRST, BY_SECOND = (np.linspace(*ends, len(CHANNELS)) for ends in ((0.5, 1.5), (-2.0, 3.0)))


def test_straight_kinematics_stay_what_they_are() -> None:
    straight = FIRST[:, None, None] * BY_FIRST + SECOND[None, :, None] * BY_SECOND
    kinematics = SimpleNamespace(
        knots=(FIRST, SECOND),
        outputs=[SimpleNamespace(name=name) for name in CHANNELS],
        values=straight,
        output_index=CHANNELS.index,
    )
    of_wheel = SimpleNamespace(kinematics=kinematics, own={}, opposite={})
    maps, data = SimpleNamespace(wheel=lambda _: of_wheel), SimpleNamespace(centres={}, places={})
    data.centres[Corner.FR], data.places[Corner.FR] = (1.2, -0.7, 0.3), ()
    for detail in Detail:
        found = _wheel(data, maps, Corner.FR, detail, True)  # type: ignore[arg-type]
        np.testing.assert_allclose(found.kinematics, straight, atol=1e-15)
        assert (found.first.tolist(), found.second.tolist()) == (FIRST.tolist(), SECOND.tolist())
        assert (found.corner, found.centre, found.compliance) == (Corner.FR, (1.2, -0.7, 0.3), ())
