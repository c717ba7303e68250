"""Friction of leaf springs: an element of the vehicle, a parameter of the real-time model, the same loop in both."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from rtm.converted_vehicles import converted, vehicle
from trackrod.convert.vehicle_data import vehicle_data
from trackrod.core.constants import constant
from trackrod.core.corners import Axle, Side
from trackrod.core.errors import InputError
from trackrod.manoeuvres.standing import FourPost, PostMode
from trackrod.multibody.compile import _rubbing
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.simulate.drive import simulate
from trackrod.simulate.model import VehicleModel

VAN = "lcv_3t5"
#: Slow motions of the posts that bend the rear springs far beyond their friction: mode, frequency [Hz], speed [mm/s].
POSTS = ((PostMode.HEAVE, 1.0, 300.0), (PostMode.WARP, 0.25, 100.0))


@cache
def loops(of: str, mode: PostMode, frequency: float, speed: float) -> tuple[float, float]:
    """Work of wheel load on wheel travel in one period at the rear wheels [J]."""
    models: dict[str, VehicleModel] = {
        "multibody": MultibodyVehicle(vehicle(VAN)),
        "multibody without": MultibodyVehicle(replace(vehicle(VAN), frictions=())),
        "real-time": RealTimeVehicle(converted(VAN).spec),
    }
    posts = FourPost(
        mode=mode,
        velocity_mmps=speed,
        first_frequency_Hz=frequency,
        last_frequency_Hz=frequency,
        duration_s=2.0 / frequency + 2.5,
    )
    run = simulate(models[of], posts)
    period = (run.time > 1.0 + 1.0 / frequency) & (run.time <= 1.0 + 2.0 / frequency)
    left, right = (
        float(np.trapezoid(run[f"Fz_{wheel}_N"][period], run[f"wheel_travel_{wheel}_m"][period]))
        for wheel in ("rl", "rr")
    )
    return left, right


@pytest.mark.parametrize("posts", POSTS, ids=lambda posts: str(posts[0]))
def test_both_models_have_the_same_hysteresis(posts: tuple[PostMode, float, float]) -> None:
    ours, exact, bare = (loops(of, *posts) for of in ("real-time", "multibody", "multibody without"))
    np.testing.assert_allclose(ours, exact, rtol=0.03)
    assert sum(exact) > 1.3 * sum(bare)


def test_friction_at_the_wheels_follows_from_the_place_of_the_leaves() -> None:
    """A solid axle: all of it in parallel travel, and less by the base of the leaves over the track in roll."""
    van = vehicle(VAN)
    found = vehicle_data(van).friction
    assert set(found) == {Axle.REAR}
    left = next(f for f in van.frictions if f.side is Side.LEFT)
    lean = abs(left.ends[1][2] - left.ends[0][2]) / np.linalg.norm(np.subtract(*left.ends))
    assert found[Axle.REAR].force == pytest.approx(left.force * lean, rel=0.01)
    assert found[Axle.REAR].base == pytest.approx(0.56 / 0.845, rel=0.01)
    parameters = converted(VAN).spec.parameters
    assert parameters["friction_rear"] == pytest.approx(found[Axle.REAR].force)
    assert parameters["friction_base_rear"] == pytest.approx(found[Axle.REAR].base)
    assert (parameters["friction_front"], parameters["friction_base_front"]) == (0.0, 1.0)
    assert "friction_rear" in converted(VAN).sources


def test_a_vehicle_without_such_elements_has_none() -> None:
    assert vehicle_data(replace(vehicle(VAN), frictions=())).friction == {}


def test_curve_of_the_multibody_model_is_the_law_of_the_real_time_model() -> None:
    speed, force = (np.array(values) for values in _rubbing(100.0))
    np.testing.assert_allclose(force, 100.0 * speed / np.sqrt(speed**2 + constant("friction_speed") ** 2))
    assert speed[-1] > 2.0
    between = 0.5 * (speed[1:] + speed[:-1])
    law = 100.0 * between / np.hypot(between, constant("friction_speed"))
    np.testing.assert_allclose(np.interp(between, speed, force), law, atol=1.0)


@pytest.mark.parametrize("force", [-1.0, np.nan])
def test_friction_that_cannot_be_is_refused(force: float) -> None:
    with pytest.raises(InputError, match="must not be below zero"):
        replace(vehicle(VAN).frictions[0], force=force)
