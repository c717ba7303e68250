"""Both models on uneven roads: closed forms, each other, turned gravity, and what is left behind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rtm.converted_vehicles import spec_of, vehicle
from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.errors import InputError
from trackrod.core.quantities import STANDARD_GRAVITY
from trackrod.core.series import Run
from trackrod.manoeuvres.longitudinal import Braking
from trackrod.manoeuvres.obstacles import Bump
from trackrod.manoeuvres.on_road import FollowRoad, OnRoad, Surroundings, approached
from trackrod.manoeuvres.steering import StepSteer
from trackrod.metrics.obstacle import peaks
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.multibody.integrators import Extrapolated
from trackrod.road.crg import write_crg
from trackrod.road.surface import RoadSurface
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.simulate.drive import simulate

CAR = "double_wishbone_car"
SPEED = 15.0  # m/s
Model = MultibodyVehicle | RealTimeVehicle


def multibody(step: float = 1e-3) -> MultibodyVehicle:
    return MultibodyVehicle(vehicle(CAR), step=step)


def real_time(step: float = 1e-3) -> RealTimeVehicle:
    return RealTimeVehicle(spec_of(CAR), step=step)


both = pytest.mark.parametrize("make", [multibody, real_time])
Make = Callable[[], Model]


def rolling(model: Model, road: RoadSurface | None, seconds: float, environment: np.ndarray | None = None) -> Run:
    """In neutral from `SPEED` on."""
    model.settle()
    model.start(SPEED)
    if road is not None:
        model.lay_road(road, (0.0, 0.0, 0.0))
    steps = round(seconds / model.step)
    return model.advance(np.zeros(steps), 0.0, 0.0, -1, every=10, environment=environment)


def carried(run: Run) -> np.ndarray:
    """Sum of all wheel loads [N]."""
    return np.asarray(sum(run[signals.FZ[corner]] for corner in Corner))


@both
def test_a_level_road_as_an_object_changes_nothing(make: Make) -> None:
    plain, laid = rolling(make(), None, 0.3), rolling(make(), RoadSurface.level(), 0.3)
    for column in plain.columns:
        scale = max(float(np.abs(plain[column]).max()), 1.0)
        np.testing.assert_allclose(laid[column], plain[column], rtol=0, atol=1e-6 * scale, err_msg=column)


@both
def test_a_settled_vehicle_stands_on_level_ground_again(make: Make) -> None:
    model = make()
    rolling(model, RoadSurface.profile("ramp", 0.5, 0.1 * np.arange(40.0)), 0.3)
    again, new = rolling(model, None, 0.2), rolling(make(), None, 0.2)
    for column in (signals.FZ[Corner.FL].column, signals.FX[Corner.RR].column, signals.PITCH.column):
        np.testing.assert_allclose(again[column], new[column], rtol=0, atol=1e-4, err_msg=column)


@both
def test_a_road_that_rises_is_gravity_that_is_turned(make: Make) -> None:
    """Loads m g cos α, and slowed as much as on a level road whose gravity is turned by the same angle."""
    slope = 0.06
    angle = np.arctan(slope)
    line = np.concatenate((np.zeros(20), slope * np.arange(180.0)))
    road = RoadSurface("rise", 0.0, 1.0, np.zeros(199), line, np.zeros(200), np.array([-5.0, 5.0]), np.zeros((200, 2)))
    up = rolling(make(), road, 5.0)
    late = (up.time > 3.0) & (up.time < 4.8)
    weight = vehicle(CAR).mass_properties.mass * STANDARD_GRAVITY * np.cos(angle)
    assert carried(up)[late].mean() == pytest.approx(weight, rel=2e-3)
    turned = rolling(make(), None, 5.0, np.array([angle, 0.0, 1.0, 0.0]))
    slowed = [
        float(np.polyfit(run.time[late], run[signals.VX][late] / along, 1)[0])
        for run, along in ((up, np.cos(angle)), (turned, 1.0))
    ]
    assert slowed[0] == pytest.approx(slowed[1], rel=0.02)
    assert float(up[signals.PITCH][late].mean() - turned[signals.PITCH][late].mean()) == pytest.approx(-angle, rel=0.02)


RADIUS, BANKING = 80.0, 0.12


def banked_curve(folder: Path, name: str = "curve.crg") -> Path:
    """To the left, the outside higher: straight, a transition of curvature and banking, an arc; as a file."""
    u = np.arange(241.0)
    share = np.clip((u - 10.0) / 60.0, 0.0, 1.0)
    turned = np.concatenate(([0.0], np.cumsum(0.5 * (share[1:] + share[:-1]) / RADIUS)))
    headings = 0.5 * (turned[1:] + turned[:-1])
    sections = np.array([-5.0, 0.0, 5.0])
    road = RoadSurface("curve", 0.0, 1.0, headings, np.zeros(241), -BANKING * share, sections, np.zeros((241, 3)))
    write_crg(road, folder / name, binary=True)
    return folder / name


@both
def test_a_banked_curve_from_a_file_is_that_of_the_closed_form(make: Make, tmp_path: Path) -> None:
    """a_y = v²/R; loads m (g cos θ + v²/R sin θ) along the road's normal, side forces m (v²/R cos θ − g sin θ)."""
    file = banked_curve(tmp_path)
    run = simulate(make(), FollowRoad(file=str(file), speed_kmh=54.0))
    assert run.metadata["completed"], run.metadata["events"]
    assert "the end of the road" in run.metadata["phases"][-1]["ended"]
    late = run.time > run.time[-1] - 3.0
    outward = float((run[signals.VX][late] ** 2).mean()) / RADIUS
    assert float(run[signals.AY][late].mean()) == pytest.approx(outward, rel=0.01)
    mass, theta = vehicle(CAR).mass_properties.mass, np.arctan(BANKING)
    pressed = mass * (STANDARD_GRAVITY * np.cos(theta) + outward * np.sin(theta))
    assert carried(run)[late].mean() == pytest.approx(pressed, rel=0.005)
    held = mass * (outward * np.cos(theta) - STANDARD_GRAVITY * np.sin(theta))
    sideways = sum(run[signals.FY[corner]] * np.cos(run[signals.STEER[corner]]) for corner in Corner)
    assert float(np.asarray(sideways)[late].mean()) == pytest.approx(held, rel=0.03)


def test_both_models_have_the_same_peaks_over_a_bump() -> None:
    bump = Bump(speed_kmh=40.0, after_s=0.8, length_m=0.4)
    reference, model = (simulate(made, bump, sample=0.002) for made in (multibody(0.0625e-3), real_time(0.25e-3)))
    for one, other in zip(peaks(reference), peaks(model), strict=True):
        assert other.value == pytest.approx(one.value, rel=0.12), one.name
    highest = max(float(reference[signals.FZ[corner]].max()) for corner in Corner)
    assert highest > 1.3 * float(reference[signals.FZ[Corner.FL]][0])  # there was a bump


def test_a_bump_under_the_left_wheels_rolls_the_vehicle_to_the_right() -> None:
    run = simulate(real_time(), Bump(under="left", after_s=0.6), sample=0.002)  # type: ignore[arg-type]
    assert float(run[signals.ROLL].max()) > 5e-4
    left, right = (float(np.ptp(run[signals.FZ[corner]])) for corner in (Corner.FL, Corner.FR))
    assert left > 3.0 * right


def test_friction_of_each_side_is_that_of_its_wheels() -> None:
    """Wheels that slide are held by the friction under them, whichever way they slide."""
    stop = OnRoad(Braking(speed_kmh=40.0, brake=1.0), Surroundings(friction=(0.2, 0.6)))
    run = simulate(real_time(), stop)
    assert run.metadata["settings"]["friction"] == "0.2 left, 0.6 right"
    braked = (run[signals.BRAKE] > 0.9) & (run[signals.SLIP_RATIO[Corner.FL]] < -0.95) & (run[signals.YAW] > -0.3)
    assert braked.sum() > 5
    left, right = (
        np.hypot(run[signals.FX[corner]], run[signals.FY[corner]])[braked] / run[signals.FZ[corner]][braked]
        for corner in (Corner.FL, Corner.FR)
    )
    assert float(left.mean() / right.mean()) == pytest.approx(1.0 / 3.0, rel=0.12)


def test_the_reference_integrator_drives_on_the_same_road() -> None:
    bump = Bump(speed_kmh=40.0, height_mm=10.0, length_m=1.0, delay_s=0.0, after_s=0.5)
    found = Extrapolated(tolerance=0.05).drive(vehicle(CAR), lambda model: simulate(model, bump, sample=0.002)).run
    plain = simulate(multibody(0.25e-3), bump, sample=0.002)
    load = signals.FZ[Corner.FL]
    assert float(found[load].max()) == pytest.approx(float(plain[load].max()), rel=0.03)
    assert float(found[load].max()) > 1.05 * float(found[load][0])


def test_a_road_too_short_is_refused_before_the_drive(tmp_path: Path) -> None:
    file = tmp_path / "short.crg"
    road = RoadSurface.level(60.0).changed(name="short", source=file)
    with pytest.raises(InputError) as caught:
        simulate(real_time(), OnRoad(StepSteer(steering_wheel_angle_deg=10.0), Surroundings(road)))
    assert "the road 'short' is 60 m long, 'step_steer' needs" in str(caught.value)
    assert caught.value.problems[0].place.file == file


def test_who_leaves_the_road_is_off_it() -> None:
    narrow = RoadSurface.level(400.0, 4.0).changed(name="narrow")
    run = simulate(real_time(), OnRoad(StepSteer(steering_wheel_angle_deg=30.0), Surroundings(narrow)))
    assert not run.metadata["completed"]
    event = run.metadata["events"][-1]
    assert event["event"] == "off_road"
    assert "has left the road 'narrow'" in event["text"]


def test_a_manoeuvre_with_a_road_of_its_own_takes_no_other() -> None:
    with pytest.raises(InputError, match="'bump' has a road of its own"):
        OnRoad(Bump(), Surroundings(RoadSurface.level()))


def test_a_run_begins_before_a_road_that_is_approached() -> None:
    assert approached(RoadSurface.level(), 10.0).run_up == 24.0
    assert approached(RoadSurface.level(), 50.0).run_up == 54.0
