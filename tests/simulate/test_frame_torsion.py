"""A frame that twists, in both models: warp stiffness against a closed form, and both against each other."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from kc.simple_axles import RATE
from simulate.frames import on_level_arms
from trackrod.convert.conversion import convert
from trackrod.core import signals
from trackrod.core.corners import Axle, Corner
from trackrod.core.quantities import STANDARD_GRAVITY
from trackrod.kc.maps import KcMaps
from trackrod.kc.study import KcSettings, characterise
from trackrod.manoeuvres.standing import PostMode
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.simulate.warp import FRICTION, Warp, measure_warp
from trackrod.tyre.model import Tyre
from trackrod.vehicle.frame import FrameTorsion, with_frame
from trackrod.vehicle.vehicle import Vehicle

COARSE = KcSettings(travel=np.linspace(-0.06, 0.06, 9), rack=np.linspace(-0.01, 0.01, 3), map_points=7, load_steps=2)


@cache
def maps_of_simple() -> dict[Axle, KcMaps]:
    studies = {axle: characterise(on_level_arms(), axle, COARSE) for axle in Axle}
    return {axle: study.maps for axle, study in studies.items() if study.maps is not None}


def of_both(vehicle: Vehicle, maps: dict[Axle, KcMaps]) -> tuple[Warp, Warp]:
    spec = convert(vehicle, maps).spec
    return measure_warp(MultibodyVehicle(vehicle), vehicle), measure_warp(RealTimeVehicle(spec), vehicle)


def closed_form(vehicle: Vehicle, stiffness: float) -> Warp:
    """Two halves alike, each on an axle of roll stiffness C (springs and tyres in series), and gravity that tips them.

    With posts at ±α and halves at ±φ, C(α − φ) + G φ = 2Kφ, G the weight of a half times its height above the road,
    less the overturning moments of its tyres, which lean with it.
    """
    total, tyre = vehicle.mass_properties, Tyre(vehicle.tyres["road"])
    load = total.mass * STANDARD_GRAVITY / 4
    deflections = tyre.deflection(load + np.array([-10.0, 10.0]))
    rate = 1.0 / (1.0 / RATE + float(np.diff(deflections)[0]) / 20.0)
    height = total.centre[2] - vehicle.wheels[0].centre[2] + float(tyre.loaded_radius(load))
    roll = rate * vehicle.track(Axle.FRONT) ** 2 / 2
    overturning = np.diff(tyre.evaluate(load, gamma=np.array([-1e-3, 1e-3]), Vx=1.0, mu=FRICTION).Mx)[0] / 2e-3
    tips = total.mass * STANDARD_GRAVITY * height / 2 + 2 * float(overturning)
    angle = 0.5 * roll / (roll + 2 * stiffness - tips)  # φ for each unit of 2α
    moment = roll * (0.5 - angle)
    return Warp(moment, moment, 2 * angle)


@pytest.mark.parametrize("stiffness", [8e3, 3e4, 2e5])
def test_warp_stiffness_of_both_models_is_that_of_the_closed_form(stiffness: float) -> None:
    """From much softer to much stiffer than the axles, which have 29 kN·m/rad each."""
    vehicle = with_frame(on_level_arms(), FrameTorsion(stiffness))
    expected = closed_form(vehicle, stiffness)
    for found in of_both(vehicle, maps_of_simple()):
        assert found.front == pytest.approx(expected.front, rel=0.01)
        assert found.rear == pytest.approx(expected.rear, rel=0.01)
        assert found.twist == pytest.approx(expected.twist, rel=0.01)


def test_a_stiff_frame_is_a_rigid_one() -> None:
    rigid = on_level_arms()
    stiff = with_frame(rigid, FrameTorsion(1e9))
    for one, other in zip(of_both(rigid, maps_of_simple()), of_both(stiff, maps_of_simple()), strict=True):
        assert (other.front, other.rear) == pytest.approx((one.front, one.rear), rel=1e-4)


@pytest.mark.parametrize("mode", [PostMode.WARP, PostMode.ROLL])
def test_both_models_swing_alike_on_posts(mode: PostMode) -> None:
    """A wave of 3 Hz under a vehicle whose rear half is heavier, so that its frame twists in roll, too."""
    simple = on_level_arms()
    bodies = tuple(replace(b, centre=(-1.4, 0.02, 0.65)) if b.name == simple.chassis else b for b in simple.bodies)
    vehicle = with_frame(replace(simple, bodies=bodies), FrameTorsion(3e4))
    step, steps = 2.5e-4, 4000
    times = step * np.arange(steps)
    wave = 0.004 * np.sin(6 * np.pi * times) * np.minimum(5 * times, 1.0)
    heights = np.outer(wave, [mode.sign(wheel.corner) for wheel in vehicle.wheels])
    neutral = np.tile([0.0, 0.0, 0.0, -1.0], (steps, 1))
    runs = []
    for model in (
        MultibodyVehicle(vehicle, step=step),
        RealTimeVehicle(convert(vehicle, maps_of_simple()).spec, step=step),
    ):
        model.set_friction(FRICTION)
        model.settle()
        runs.append(model.run(model.advance_rows(neutral, 20, heights)))
    multibody, real_time = runs
    of_wheels = [family[corner] for family in (signals.FZ, signals.WHEEL_TRAVEL) for corner in Corner]
    for signal in (signals.FRAME_TWIST, signals.ROLL, *of_wheels):
        expected, found = (run[signal] - run[signal].mean() for run in (multibody, real_time))
        share = 0.04 if signal.name.startswith("wheel_travel") else 0.02
        assert np.sqrt(np.mean((found - expected) ** 2)) < share * np.sqrt(np.mean(expected**2)), signal.name


def test_the_rig_holds_both_halves() -> None:
    divided = with_frame(on_level_arms(), FrameTorsion(1e4))
    for axle, rigid in maps_of_simple().items():
        found = characterise(divided, axle, COARSE).maps
        assert found is not None
        np.testing.assert_array_equal(found.ride.values, rigid.ride.values)
        np.testing.assert_array_equal(found.roll.values, rigid.roll.values)
