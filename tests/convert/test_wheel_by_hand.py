"""The kinematics of a wheel from a map made by hand, whose knots are as many along both variables but not alike."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from trackrod.convert.conversion import Compliance, Detail, _wheel
from trackrod.convert.vehicle_data import StopBases
from trackrod.core.corners import Corner
from trackrod.rtm.layout import CHANNELS
from trackrod.rtm.spec import Curve

FIRST, SECOND = np.array([-0.08, -0.04, 0.0, 0.04, 0.08]), np.array([-0.02, 0.0, 0.01, 0.03, 0.06])
#: Derivatives of each channel by travel and by the second variable; tz rises with the wheel.
BY_FIRST, BY_SECOND = (np.linspace(*ends, len(CHANNELS)) for ends in ((0.5, 1.5), (-2.0, 3.0)))
#: Half the opposite travel, and what each channel but the length of the spring changes over it.
OPPOSITE = np.array([-0.05, 0.0, 0.02])
IN_ROLL = np.outer(OPPOSITE, np.linspace(0.1, 0.7, len(CHANNELS) - 1))
#: Loads of the pads under the left and the right wheel, with the stops and without.
LOADS = {
    "Fz_left": [1000.0, 2000.0, 4000.0],
    "Fz_left_without_stops": [1100.0, 2000.0, 3000.0],
    "Fz_right": [1500.0, 2500.0, 4400.0],
    "Fz_right_without_stops": [1700.0, 2500.0, 3100.0],
}


def test_straight_kinematics_stay_what_they_are() -> None:
    straight = FIRST[:, None, None] * BY_FIRST + SECOND[None, :, None] * BY_SECOND
    kinematics = SimpleNamespace(
        knots=(FIRST, SECOND),
        outputs=[SimpleNamespace(name=name) for name in CHANNELS],
        values=straight,
        output_index=CHANNELS.index,
    )
    in_roll = SimpleNamespace(
        knots=OPPOSITE,
        outputs=[SimpleNamespace(name=name) for name in reversed(CHANNELS[:-1])],
        values=IN_ROLL[:, ::-1],
    )
    of_wheel = SimpleNamespace(kinematics=kinematics, own={}, opposite={}, in_roll=in_roll)
    ride = SimpleNamespace(
        knots=np.array([-0.1, 0.0, 0.1]), values=np.array(list(LOADS.values())).T, output_index=list(LOADS).index
    )
    damper = Curve(np.array([-1.0, 1.0]), np.array([-1700.0, 2100.0]))
    maps = SimpleNamespace(wheel=lambda _: of_wheel, ride=ride, by_rack=None)
    data = SimpleNamespace(
        centres={Corner.FR: (1.2, -0.7, 0.3)}, places={Corner.FR: ()}, dampers={Corner.FR: damper}, stop_bases={}
    )
    for detail in Detail:
        found = _wheel(data, maps, Corner.FR, detail, Compliance.MOVING)  # type: ignore[arg-type]
        np.testing.assert_allclose(found.kinematics, straight, atol=1e-15)
        assert (found.first.tolist(), found.second.tolist()) == (FIRST.tolist(), SECOND.tolist())
        assert (found.corner, found.centre, found.compliance) == (Corner.FR, (1.2, -0.7, 0.3), ())
        assert found.damper is damper
        assert found.spring.x.tolist() == found.stops.x.tolist() == [-0.1, 0.0, 0.1]
        assert found.spring.y.tolist() == [1700.0, 2500.0, 3100.0]
        assert found.stops.y.tolist() == [-200.0, 0.0, 1300.0]
        if detail is Detail.TWO_DIMENSIONAL:
            assert found.opposite.tolist() == OPPOSITE.tolist()
            assert np.array_equal(found.in_roll, np.column_stack((IN_ROLL, np.zeros(3))))
        else:
            assert (found.opposite.size, found.in_roll.size) == (0, 0)
    of_wheel.in_roll = None
    data.stop_bases = {Corner.FL: StopBases(0.6, 0.8), Corner.FR: StopBases(0.5, 0.8)}
    between = _wheel(data, maps, Corner.FR, Detail.TWO_DIMENSIONAL, Compliance.MOVING)  # type: ignore[arg-type]
    assert (between.bump_base, between.rebound_base) == (0.5, 0.8)
    # both pads: 300 and 2300 N; by their difference over the bases: right + left, 0.5 right - 0.6 left = 300 N
    np.testing.assert_allclose(between.stops.y, [-0.5 * (300 + 100 / 0.8), 0.0, (300 + 0.6 * 2300) / 1.1])
    assert _wheel(data, maps, Corner.FR, Detail.TWO_DIMENSIONAL, Compliance.MOVING).opposite.size == 0  # type: ignore[arg-type]
