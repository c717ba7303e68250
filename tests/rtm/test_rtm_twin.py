"""The core against its NumPy twin, which writes the ten equations down and solves them as they stand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rtm.converted_vehicles import maps, spec_of, vehicle
from trackrod.convert.conversion import Compliance, convert
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.spec import Curve, RtmSpec, WheelSpec
from trackrod.rtm.twin.model import Twin

STEPS = 200
#: Rounding of 200 steps, relative to the largest value of each column; 1e-13 is usual.
TOLERANCE = 1e-9
#: Wheels that do not turn alike, so that differentials and slips have work [rad/s].
SPINS = np.array([60.0, 61.0, 59.0, 60.5])


def controls() -> np.ndarray:
    """Steering both ways, throttle, then the brake, part of the time both."""
    k = np.arange(STEPS)
    throttle, brake = np.where(k < 120, 0.5, 0.0), np.where(k > 110, 0.6, 0.0)
    return np.column_stack((0.8 * np.sin(k / 25), throttle, brake, np.zeros(STEPS)))


def assisted() -> np.ndarray:
    """The same, with inputs at every wheel that no two have alike."""
    k = np.arange(STEPS)[:, None]
    largest = np.repeat([400.0, 200.0, 0.02, 900.0, 700.0], 4) * np.linspace(0.5, 1.5, 20)
    waves = largest * np.sin(k / 30 + np.arange(20))
    waves[:, :4] = np.abs(waves[:, :4])  # brakes
    return np.column_stack((controls(), waves))


def rows_of_both(spec: RtmSpec, given: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    given = controls() if given is None else given
    spec = spec.with_parameters(
        friction_front=80.0, friction_rear=50.0, friction_base_rear=0.6, lift_front=0.05, lift_rear=-0.02, cg_y=0.02,
        shaft_inertia_front=0.2, shaft_inertia_rear=1.5,
    )  # fmt: skip
    core, twin = RealTimeVehicle(spec)._core, Twin(spec)
    tyres = len(twin.tyres)
    waves = 0.01 * np.sin(np.arange(STEPS)[:, None] / 15 + np.arange(tyres))  # each tyre on a road of its own
    for model in (core, twin):
        model.reset()
        model.start(20.0, SPINS, 250.0, 3)
    fast, _ = core.run(1e-3, 1, given, waves)
    return fast, twin.run(given, waves)


@pytest.mark.parametrize("compliance", Compliance)
@pytest.mark.parametrize("name", ["double_wishbone_car", "lcv_7t"])
def test_twin_and_core_agree(name: str, compliance: Compliance) -> None:
    compare(*rows_of_both(spec_of(name, compliance=compliance)))


def test_twin_and_core_agree_where_axles_soften() -> None:
    spec = spec_of("double_wishbone_car")
    softer = [replace(axle, elasticity=replace(axle.elasticity, softens=True)) for axle in spec.axles]
    fast, slow = rows_of_both(replace(spec, axles=tuple(softer)))
    compare(fast, slow)
    plain, _ = rows_of_both(spec)
    assert np.abs(fast - plain)[:, 5:26].max() > 1e-3, "masses do not follow"


@pytest.mark.parametrize("name", ["double_wishbone_car", "lcv_7t"])
def test_twin_and_core_agree_under_inputs_of_the_wheels(name: str) -> None:
    spec = spec_of(name)
    fast, slow = rows_of_both(spec, given=assisted())
    compare(fast, slow)
    plain, _ = rows_of_both(spec)
    assert np.abs(fast - plain)[:, 5:26].max(axis=0).min() > 1e-5, "the inputs do nothing"


@pytest.mark.parametrize("compliance", [Compliance.MOVING, Compliance.QUASI_STATIC])
def test_twin_and_core_agree_where_no_two_wheels_are_alike(compliance: Compliance) -> None:
    """Spring, stops where they stand, and damper of its own at each wheel, and a wheel without damper."""

    def own(wheel: WheelSpec, i: int) -> WheelSpec:
        spring, stops, damper = (
            Curve(curve.x, share * curve.y)
            for curve, share in ((wheel.spring, 1 + 0.05 * i), (wheel.stops, 1 + i), (wheel.damper, 0.5 + 0.3 * i))
        )
        stops = Curve(0.02 * stops.x, 0.02 * stops.y)  # so near that they are pressed
        bases = {"bump_base": 0.7 - 0.1 * i, "rebound_base": 0.5 + 0.2 * i}
        return replace(wheel, spring=spring, stops=stops, damper=Curve() if i == 3 else damper, **bases)

    spec = spec_of("double_wishbone_car", compliance=compliance)
    apart = replace(spec, wheels=tuple(own(wheel, i) for i, wheel in enumerate(spec.wheels)))
    fast, slow = rows_of_both(
        apart.with_parameters(spring_factor_front=1.1, stop_factor_rear=0.8, antiroll_factor_front=1.3)
    )
    compare(fast, slow)


def test_twin_and_core_agree_with_an_elastic_steering() -> None:
    name = "double_wishbone_car"
    steering = convert(vehicle(name), maps(name), elastic_steering=True).spec.steering
    assert steering is not None
    spec = replace(spec_of(name), steering=replace(steering, rack_friction=120.0))
    fast, slow = rows_of_both(spec)
    assert np.ptp(fast[:, 37]) > 1e-3, "the rack does not move"
    compare(fast, slow)


def test_twin_and_core_agree_with_a_locked_centre_differential() -> None:
    spec = spec_of("double_wishbone_car")
    assert spec.powertrain is not None
    both = replace(spec.powertrain, front_share=0.35, front_differential=spec.powertrain.rear_differential)
    opened, locked = (rows_of_both(replace(spec, powertrain=replace(both, centre_locked=x))) for x in (False, True))
    assert np.abs(locked[0] - opened[0]).max() > 1.0, "the lock does nothing"
    compare(*locked)


def compare(fast: np.ndarray, slow: np.ndarray) -> None:
    moved = np.ptp(fast, axis=0)
    assert (moved[1:14] > 1e-6).all(), "a body that rests somewhere would hide a wrong sign"
    assert (moved[14:26] > 1e-4).all()
    error = np.abs(fast - slow).max(axis=0) / np.maximum(np.abs(fast).max(axis=0), 1e-6)
    assert error.max() < TOLERANCE, f"column {error.argmax()} differs by {error.max():g}"


def test_a_wrong_twin_is_noticed() -> None:
    """The comparison is not blind: one per cent of a damper is seen after a few steps."""
    spec = spec_of("double_wishbone_car")
    right, wrong = Twin(spec), Twin(spec.with_parameters(damper_factor_rear=1.01))
    for twin in (right, wrong):
        twin.start(20.0, SPINS, 250.0, 3)
    difference = np.abs(right.run(controls()[:20]) - wrong.run(controls()[:20])).max()
    assert difference > 1e3 * TOLERANCE
