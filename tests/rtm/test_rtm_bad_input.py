"""What a real-time model refuses, and what it reports."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rtm.converted_vehicles import spec_of
from trackrod.core import signals
from trackrod.core.errors import ConvergenceError, InputError
from trackrod.manoeuvres.standing import FourPost
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.layout import CHANNELS
from trackrod.rtm.spec import Curve, RtmSpec, WheelSpec
from trackrod.simulate.drive import simulate

CAR = "double_wishbone_car"


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("sprung_mass", 0.0, "'sprung_mass' is 0, it must be greater than zero"),
        ("unsprung_mass_front", -3.0, "'unsprung_mass_front' is -3"),
        ("wheel_inertia_rear", 0.0, "'wheel_inertia_rear' is 0"),
        ("unsprung_roll_inertia_rear", -1.0, "must not be below zero"),
        ("Izz", -2000.0, "positive definite"),
        ("Ixz", 1e5, "positive definite"),
        ("cg_height", float("nan"), "'cg_height' is nan"),
    ],
)
def test_impossible_parameters_are_refused(name: str, value: float, words: str) -> None:
    with pytest.raises(InputError, match=words):
        spec_of(CAR).with_parameters(**{name: value})


def test_all_wrong_parameters_are_named_at_once() -> None:
    with pytest.raises(InputError) as caught:
        spec_of(CAR).with_parameters(sprung_mass=-1.0, wheel_inertia_front=0.0, Ixx=float("inf"))
    assert len(caught.value.problems) == 3


def wheel() -> WheelSpec:
    return spec_of(CAR).wheels[0]


def test_a_folded_map_is_refused() -> None:
    folded = wheel().kinematics.copy()
    tz = CHANNELS.index("tz")
    folded[4, :, tz] = folded[3, :, tz] - 0.001
    with pytest.raises(InputError, match=r"'fl' are folded.*between a travel of -?0\.\d+"):
        replace(wheel(), kinematics=folded)


def test_knots_that_do_not_grow_are_refused() -> None:
    with pytest.raises(InputError, match="travel of the kinematics of 'fl' must grow"):
        replace(wheel(), first=wheel().first[::-1].copy())
    twice = wheel().second.copy()
    twice[2] = twice[1]
    with pytest.raises(InputError, match="second variable of the kinematics of 'fl' must grow"):
        replace(wheel(), second=twice)


def test_wrong_curves_and_compliances_are_refused() -> None:
    back = Curve(np.array([0.0, 1.0, 0.5]), np.zeros(3))
    with pytest.raises(InputError, match=r"'damper' of 'fl' must grow from knot to knot, but 0\.5 comes after 1"):
        replace(wheel(), damper=back)
    with pytest.raises(InputError, match="'spring' of 'fl' has 3 abscissae and 2 ordinates"):
        replace(wheel(), spring=Curve(np.arange(3.0), np.zeros(2)))
    first, *others = wheel().compliance
    with pytest.raises(InputError, match=r"'fl' \(brake_force\) over the load on the own wheel needs 4 finite values"):
        replace(wheel(), compliance=(replace(first, own=first.own[:, :3]), *others))


def with_short_maps(spec: RtmSpec, travel: float) -> RtmSpec:
    """Kinematics known within a short travel only."""

    def cut(wheel: WheelSpec) -> WheelSpec:
        kept = np.abs(wheel.first) <= travel
        return replace(wheel, first=wheel.first[kept], kinematics=wheel.kinematics[kept])

    return replace(spec, wheels=tuple(map(cut, spec.wheels)))


def test_travel_beyond_the_maps_is_counted_and_reported() -> None:
    """The same four-post sweep on long and on short maps; beyond the last knot the kinematics go on straight."""
    posts = FourPost(velocity_mmps=150.0, first_frequency_Hz=1.0, last_frequency_Hz=2.5, duration_s=4.0)
    long, short = (
        simulate(RealTimeVehicle(spec), posts) for spec in (spec_of(CAR), with_short_maps(spec_of(CAR), 0.021))
    )
    assert long.metadata["beyond_maps"] == ()
    assert long.metadata["events"] == ()
    entries = {entry["variable"]: entry for entry in short.metadata["beyond_maps"]}
    assert set(entries) >= {"travel of front left", "travel of front right"}
    limit = with_short_maps(spec_of(CAR), 0.021).wheels[0].first[-1]
    travel = short[signals.WHEEL_TRAVEL["fl"]]
    entry = entries["travel of front left"]
    assert entry["samples"] == np.count_nonzero(np.abs(travel) > limit) > 0
    assert entry["first"] == np.argmax(np.abs(travel) > limit)
    assert entry["farthest_m"] == pytest.approx(np.abs(travel).max() - limit)
    events = [event for event in short.metadata["events"] if event["event"] == "beyond_maps"]
    assert len(events) == len(entries)
    assert events[0]["time_s"] == short.time[entries["travel of front left"]["first"]]
    assert short.metadata["completed"]
    # straight on: the difference to the measured curve is small as long as the travel is
    assert travel == pytest.approx(long[signals.WHEEL_TRAVEL["fl"]], abs=2e-3)


def test_a_step_that_is_too_long_is_named() -> None:
    """Dampers thirty times as stiff need shorter steps than 5 ms."""
    spec = spec_of(CAR).with_parameters(damper_factor_front=30.0, damper_factor_rear=30.0)
    vehicle = RealTimeVehicle(spec, step=0.005)
    vehicle.start(20.0)
    with pytest.raises(ConvergenceError, match=r"step of 0\.005 s too long"):
        vehicle.advance(np.zeros(4000), 0.0, 0.0, 0)
    fine = RealTimeVehicle(spec, step=1e-4)
    fine.start(20.0)
    assert np.isfinite(fine.advance(np.zeros(2000), 0.0, 0.0, 0)[signals.AZ]).all()


@pytest.mark.parametrize("name", ["steering_wheel_angle", "throttle", "brake", "gear"])
def test_inputs_that_are_no_numbers_are_refused_before_anything_moves(name: str) -> None:
    model = RealTimeVehicle(spec_of(CAR))
    model.settle()
    before = model.state().values
    inputs = {key: np.zeros(5) for key in ("steering_wheel_angle", "throttle", "brake", "gear")}
    inputs[name][3] = np.nan
    with pytest.raises(InputError, match=f"{name} of step 4 is"):
        model.advance(**inputs)
    np.testing.assert_array_equal(model.state().values, before)


def test_inputs_of_different_lengths_are_refused() -> None:
    model = RealTimeVehicle(spec_of(CAR))
    with pytest.raises(InputError, match="brake is given for 4 steps, steering_wheel_angle for 5"):
        model.advance(np.zeros(5), 0.0, np.zeros(4), 0)
    with pytest.raises(InputError, match="road_heights of step 2 is"):
        model.advance(np.zeros(5), 0.0, 0.0, 0, road_heights=np.array([[0.0] * 4, [np.nan] * 4, *[[0.0] * 4] * 3]))
