"""Slope, bank, friction and wind: both models against closed forms, and against each other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rtm.converted_vehicles import spec_of, vehicle
from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.environment import ENVIRONMENT_SIGNALS, LEVEL, Environment
from trackrod.core.errors import InputError
from trackrod.core.quantities import STANDARD_GRAVITY
from trackrod.core.run_files import write_run
from trackrod.core.series import Run
from trackrod.core.signals import HEAD_WIND, ROAD_BANK, ROAD_FRICTION, ROAD_SLOPE
from trackrod.manoeuvres.recorded import Recorded
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.multibody.integrators import Extrapolated
from trackrod.reference.replay import Replay
from trackrod.reference.runs import Longitudinal, ReferenceRun
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.script import ScriptedVehicle
from trackrod.simulate.drive import simulate
from trackrod.simulate.script import scripted
from trackrod.tyre.model import Tyre

CAR = "double_wishbone_car"
SPEED = 20.0  # m/s
Model = MultibodyVehicle | RealTimeVehicle


def multibody() -> MultibodyVehicle:
    return MultibodyVehicle(vehicle(CAR))


def real_time() -> RealTimeVehicle:
    return RealTimeVehicle(spec_of(CAR))


both = pytest.mark.parametrize("make", [multibody, real_time])


def coasting(model: Model, environment: tuple[float, ...] | None, seconds: float = 2.0) -> Run:
    """In neutral from `SPEED` on."""
    model.settle()
    model.start(SPEED)
    given = None if environment is None else np.array(environment)
    steps = round(seconds / model.step)
    return model.advance(np.zeros(steps), 0.0, 0.0, -1, every=10, environment=given)


def acceleration(run: Run) -> float:
    """Over the second half, where nothing pitches any more [m/s²]."""
    late = run.time > run.time[-1] / 2.0
    return float(np.polyfit(run.time[late], run[signals.VX][late], 1)[0])


def rolling_share() -> float:
    """Mass over mass with what the turning wheels add: m/(m + Σ J/r²)."""
    car = vehicle(CAR)
    mass = car.mass_properties.mass
    turning = 0.0
    spec = spec_of(CAR)
    for wheel in car.wheels:
        tyre = Tyre(car.tyres[wheel.tyres[0].tyre])
        radius = float(tyre.effective_radius(tyre.nominal_load))
        turning += spec.parameters[f"wheel_inertia_{wheel.corner.axle}"] / radius**2
    return float(mass / (mass + turning))


@both
def test_a_level_road_in_still_air_changes_nothing(make: type[Model]) -> None:
    plain, told = coasting(make(), None, 0.5), coasting(make(), LEVEL, 0.5)
    for column in plain.columns:
        np.testing.assert_allclose(told[column], plain[column], rtol=0, atol=1e-12, err_msg=column)


@both
@pytest.mark.parametrize("slope", [0.05, -0.08])
def test_a_car_that_rolls_is_slowed_by_the_slope(make: type[Model], slope: float) -> None:
    """Free rolling: a = −g sin α, less what the wheels take to turn, beside drag and rolling resistance."""
    level, inclined = coasting(make(), LEVEL), coasting(make(), (slope, 0.0, 1.0, 0.0))
    air = vehicle(CAR).aerodynamics
    assert air is not None
    drag = 0.5 * air.density * air.frontal_area * air.drag / vehicle(CAR).mass_properties.mass
    late = level.time > 1.0  # the drag is that of another speed by then
    slower = (inclined[signals.VX][late] ** 2).mean() - (level[signals.VX][late] ** 2).mean()
    expected = (-STANDARD_GRAVITY * np.sin(slope) - drag * slower) * rolling_share()
    assert acceleration(inclined) - acceleration(level) == pytest.approx(expected, rel=0.003)
    load = sum(inclined[signals.FZ[corner]][-1] for corner in Corner)
    weight = vehicle(CAR).mass_properties.mass * STANDARD_GRAVITY
    assert load == pytest.approx(weight * np.cos(slope), rel=0.005)
    # accelerations are those of the motion, not what a sensor feels
    assert inclined[signals.AX][-1] == pytest.approx(acceleration(inclined), abs=0.03)


@both
def test_a_slope_is_the_grade_of_a_tilted_model(make: type[Model]) -> None:
    slope = 0.06
    tilted = make()
    tilted.tilt(float(np.tan(slope)))
    difference = acceleration(coasting(tilted, None)) - acceleration(coasting(make(), (slope, 0.0, 1.0, 0.0)))
    assert abs(difference) < 1e-3


@both
def test_a_head_wind_is_drag_against_the_air(make: type[Model]) -> None:
    wind = 10.0
    air = vehicle(CAR).aerodynamics
    assert air is not None
    still, windy = coasting(make(), LEVEL), coasting(make(), (0.0, 0.0, 1.0, wind))
    half = 0.5 * air.density * air.frontal_area * air.drag / vehicle(CAR).mass_properties.mass * rolling_share()
    expected = -half * ((SPEED + wind) ** 2 - SPEED**2)
    assert acceleration(windy) - acceleration(still) == pytest.approx(expected, rel=0.05)


@both
def test_an_oval_is_driven_without_side_forces_at_the_speed_of_its_bank(make: type[Model]) -> None:
    """A turn to the low side with v r = g sin φ: gravity alone bends the path, and the wheels need no slip angle."""
    bank = 0.12  # the left side is higher: a turn to the right
    model = make()
    model.settle()
    model.start(SPEED)
    spec = spec_of(CAR)
    wheelbase = vehicle(CAR).wheelbase
    rate = -STANDARD_GRAVITY * np.sin(bank) / SPEED
    steer = wheelbase * rate / SPEED
    given = np.array((0.0, bank, 1.0, 0.0))
    # the speed is held by a little throttle; the ratio is that of small angles
    angle = steer / _steer_gain(spec_of(CAR))
    run = model.advance(np.full(4000, angle), 0.1, 0.0, 3, every=10, environment=given)
    late = run.time > 3.0
    side = sum(run[signals.FY[corner]][late].mean() for corner in Corner)
    weight = spec.mass * STANDARD_GRAVITY
    assert abs(side) < 0.06 * weight * np.sin(bank)
    assert run[signals.YAW_RATE][late].mean() == pytest.approx(rate, rel=0.06)
    assert run[signals.AY][late].mean() == pytest.approx(-STANDARD_GRAVITY * np.sin(bank), rel=0.06)
    assert abs(run[signals.SIDESLIP][late].mean()) < 0.03


def _steer_gain(spec: object) -> float:
    """Mean steer angle of the front wheels over the steering-wheel angle."""
    model = RealTimeVehicle(spec)  # type: ignore[arg-type]
    model.settle()
    run = model.advance(np.linspace(0.0, 0.2, 200), 0.0, 1.0, 0, every=10)
    turned = run[signals.STEER["fl"]] + run[signals.STEER["fr"]]
    return float(0.5 * (turned[-1] - turned[0]) / 0.2)


@both
def test_forces_and_gravity_make_the_lateral_acceleration_on_a_bank(make: type[Model]) -> None:
    """m a_y = Σ F_y − m g sin φ, all of it in the road; tyres are turned with their wheels."""
    bank = -0.1
    model = make()
    model.settle()
    model.start(SPEED)
    run = model.advance(np.zeros(1500), 0.1, 0.0, 3, every=10, environment=np.array((0.0, bank, 1.0, 0.0)))
    c = [np.cos(run[signals.STEER[corner]]) for corner in Corner]
    s = [np.sin(run[signals.STEER[corner]]) for corner in Corner]
    side = sum(run[signals.FY[corner]] * c[k] + run[signals.FX[corner]] * s[k] for k, corner in enumerate(Corner))
    mass = vehicle(CAR).mass_properties.mass
    expected = side / mass - STANDARD_GRAVITY * np.sin(bank)
    late = run.time > 0.5
    np.testing.assert_allclose(run[signals.AY][late], expected[late], atol=0.03)


def recorded(environment: dict[str, np.ndarray]) -> Run:
    """Six seconds of a driver: a swerve at a speed that is held."""
    time = np.arange(0.0, 6.0, 0.01)
    swerve = np.where((time > 1.0) & (time < 4.0), 0.5 * np.sin(2.0 * np.pi * (time - 1.0) / 1.5), 0.0)
    columns = {"time_s": time, "vx_mps": np.full(time.size, SPEED), "steering_wheel_angle_rad": swerve}
    return Run({**columns, **environment})


def replay(run: Run) -> Replay:
    return Replay(source=ReferenceRun("single_sine", run, Longitudinal.SPEED))


def changing(time: np.ndarray) -> dict[str, np.ndarray]:
    """A road that rises and leans more and more, half as slippery in the end, with a wind that gets up."""
    share = np.clip(time / 6.0, 0.0, 1.0)
    return {
        ROAD_SLOPE.column: 0.04 * share,
        ROAD_BANK.column: 0.08 * np.sin(np.pi * share),
        ROAD_FRICTION.column: 1.0 - 0.5 * share,
        HEAD_WIND.column: 8.0 * share,
    }


@pytest.fixture(scope="module")
def on_a_road() -> tuple[Run, Run, Run]:
    """Both models on a road that changes, and the real-time one without it."""
    time = np.arange(0.0, 6.0, 0.01)
    run = recorded(changing(time))
    return (
        simulate(multibody(), replay(run)),
        simulate(real_time(), replay(run)),
        simulate(real_time(), replay(recorded({}))),
    )


@pytest.mark.parametrize("signal", [signals.YAW_RATE, signals.AY, signals.ROLL, signals.VX])
def test_both_models_feel_the_same_road(on_a_road: tuple[Run, Run, Run], signal: signals.Signal) -> None:
    """The models differ by a few percent of what the road does, which is much."""
    detailed, quick, level = (run[signal] for run in on_a_road)
    count = min(detailed.size, quick.size, level.size)
    of_road = np.std(quick[:count] - level[:count])
    assert np.std(detailed[:count] - quick[:count]) < 0.12 * of_road + 0.01 * np.ptp(level)


def test_a_run_holds_its_road_and_can_be_driven_again(on_a_road: tuple[Run, Run, Run], tmp_path: Path) -> None:
    quick = on_a_road[1]
    for name, signal in ENVIRONMENT_SIGNALS.items():
        np.testing.assert_allclose(quick[signal], changing(quick.time)[signal.column], atol=1e-9, err_msg=name)
    assert not any(signal.column in on_a_road[2] for signal in ENVIRONMENT_SIGNALS.values())
    file = write_run(quick, tmp_path / "road.csv") or tmp_path / "road.csv"
    again = simulate(real_time(), Recorded(file=str(file)))
    late = min(again.time.size, quick.time.size)
    assert np.abs(again[signals.YAW_RATE][:late] - quick[signals.YAW_RATE][:late]).max() < 0.01


def test_scripts_know_the_road_and_their_derivatives_are_exact(on_a_road: tuple[Run, Run, Run]) -> None:
    run = recorded(changing(np.arange(0.0, 6.0, 0.01)))
    script = scripted(replay(run), run)
    spec = spec_of(CAR)
    names = ("sprung_mass", "Izz", "cg_height", "drag")
    directions = np.zeros((len(names), spec.values().size))
    keys = list(spec.parameters)
    for k, name in enumerate(names):
        directions[k, keys.index(name)] = spec.parameters[name]
    model = ScriptedVehicle(spec)
    model.settle(spec, directions)
    tangent = model.tangent(script)
    yaw = tangent.run[signals.YAW_RATE]
    driven = on_a_road[1][signals.YAW_RATE]
    count = min(yaw.size, driven.size)
    assert np.abs(yaw[:count] - driven[:count]).max() < 2e-3
    step = 1e-5
    for k, name in enumerate(names):
        sides = []
        for sign in (1.0, -1.0):
            other = spec.with_parameters(**{name: spec.parameters[name] * (1.0 + sign * step)})
            moved = ScriptedVehicle(other)
            moved.settle(other)
            sides.append(moved.run(script))
        for signal in (signals.YAW_RATE, signals.VX, signals.AY):
            difference = (sides[0][signal] - sides[1][signal]) / (2.0 * step)
            exact = (tangent.along(k, step)[signal] - tangent.along(k, -step)[signal]) / (2.0 * step)
            np.testing.assert_allclose(exact, difference, atol=2e-3 * np.abs(difference).max() + 1e-7)


def test_the_reference_integrator_knows_the_road() -> None:
    """The same road by smaller and smaller steps; without it the run would not be slowed by 0.04 g."""
    run = recorded({ROAD_SLOPE.column: np.full(600, 0.04)}).slice(0.0, 1.0)
    pedals = Run({**run, "throttle": np.zeros(run.time.size), "brake": np.zeros(run.time.size), "gear": 0.0 * run.time})
    again = Replay(source=ReferenceRun("coast_down", pedals, Longitudinal.PEDALS))
    fine = Extrapolated(tolerance=1e-3).drive(vehicle(CAR), lambda model: simulate(model, again)).run
    coarse = simulate(multibody(), again)
    assert fine[signals.VX][-1] == pytest.approx(coarse[signals.VX][-1], abs=2e-3)
    assert fine[signals.VX][-1] < SPEED - 0.3


@pytest.mark.parametrize(
    ("column", "values", "said"),
    [
        (ROAD_SLOPE.column, [0.0, 3.0, 0.0], "degrees or percent"),
        (ROAD_FRICTION.column, [1.0, 0.0, 1.0], "0.02 to 3"),
        (HEAD_WIND.column, [0.0, np.nan, 0.0], "lacks 1 of 3"),
    ],
)
def test_roads_that_nobody_drives_on_are_refused(column: str, values: list[float], said: str) -> None:
    with pytest.raises(InputError) as refused:
        Environment.of(Run({"time_s": [0.0, 1.0, 2.0], column: values}))
    assert column in str(refused.value)
    assert said in " ".join(f"{p.text} {p.hint}" for p in refused.value.problems)
