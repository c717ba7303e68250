"""The elastic steering of the real-time model: closed forms, the mechanism of the multibody model, stability."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from rtm.converted_vehicles import maps, spec_of, vehicle
from trackrod.convert.conversion import Compliance, convert
from trackrod.convert.steering import column_angle
from trackrod.core.constants import constant
from trackrod.core.corners import Axle
from trackrod.core.errors import InputError
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.multibody.steering import SteeringModel
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.layout import STATE
from trackrod.rtm.spec import AssistMap, Curve, RtmSpec, SteeringSpec
from trackrod.vehicle.catalogue import BUNDLED

NAMES = list(BUNDLED)
CAR = "double_wishbone_car"
#: A bar of 120 N·m/rad.
BAR = Curve(np.array([-1.0, 1.0]), np.array([-120.0, 120.0]))
#: Rack force over T |T|, 150 N/(N·m)² standing and 50 at 40 m/s.
TORQUES = np.linspace(-6.0, 6.0, 241)
ASSIST = AssistMap(TORQUES, np.array([0.0, 40.0]), (TORQUES * np.abs(TORQUES))[:, None] * [150.0, 50.0])


@cache
def elastic(name: str) -> RtmSpec:
    return convert(vehicle(name), maps(name), elastic_steering=True).spec


def steering(name: str) -> SteeringSpec:
    found = elastic(name).steering
    assert found is not None
    return found


def floating(changed: SteeringSpec) -> RealTimeVehicle:
    """A vehicle without weight, far above the road: nothing but its own parts acts on the steering."""
    off = {f"{part}_factor_{axle}": 0.0 for part in ("stop", "damper") for axle in Axle}
    spec = convert(vehicle(CAR), maps(CAR), compliance=Compliance.NONE).spec
    wheels = tuple(replace(wheel, spring=Curve()) for wheel in spec.wheels)
    axles = tuple(replace(axle, roll=Curve(), antiroll=Curve()) for axle in spec.axles)
    bare = replace(spec, wheels=wheels, axles=axles, steering=changed)
    return RealTimeVehicle(bare.with_parameters(gravity=0.0, **off), step=1e-5)


def swinging(model: RealTimeVehicle, steps: int, *, torque: bool, **start: float) -> np.ndarray:
    """Rack [m] of each step from a start off balance, the steering wheel held or free."""
    core = model._core
    core.reset()
    names = list(model.state().names)
    state = core.state()
    state[names.index("position.z")] += 5.0  # no tyre touches the road
    for name, value in start.items():
        state[names.index(name)] = value
    core.set_state(state)
    zero = np.zeros(steps)
    run = model.advance(zero, 0.0, 0.0, 0, steering_wheel_torque=zero if torque else None)
    return np.asarray(run["rack_travel_m"])


def frequency(signal: np.ndarray, step: float) -> float:
    """By the zero crossings [Hz]."""
    mean = signal - signal.mean()
    at = np.flatnonzero(np.diff(np.sign(mean)) != 0)
    crossings = at + mean[at] / (mean[at] - mean[at + 1])
    return float(0.5 * (crossings.size - 1) / ((crossings[-1] - crossings[0]) * step))


def test_free_steering_swings_with_its_eigenfrequencies() -> None:
    """Three masses on bar and mesh: steering wheel against rack with the pinion, by the eigenvalues of M⁻¹K."""
    plain = SteeringSpec(BAR, torsion_bar_damping=0.0, rack_damping=0.0, rack_mass=20.0)
    model = floating(plain)
    ratio, mesh = model.spec.parameters["steering_ratio"], constant("mesh_stiffness")
    rack = swinging(model, 20_000, torque=True, pinion=0.02, rack=0.02 * ratio)
    mass = model.state()["rack_mass"]
    bar, tooth = np.array([1.0, -1.0, 0.0]), np.array([0.0, ratio, -1.0])
    K = 120.0 * np.outer(bar, bar) + mesh * np.outer(tooth, tooth)
    M = np.diag([plain.wheel_inertia, plain.pinion_inertia, mass])
    modes = np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real)[1:]) / (2.0 * np.pi)
    assert mass > 50.0  # the wheels count
    assert frequency(rack, 1e-5) == pytest.approx(modes[0], rel=2e-3)


def test_held_steering_wheel_with_assistance_is_stiffer() -> None:
    """Assistance of slope a over the torque makes the bar (1 + a i) times as stiff to the rack."""
    gain = 1500.0  # N of rack force for each N·m
    linear = AssistMap(np.array([-10.0, 10.0]), np.zeros(1), np.array([[-10.0], [10.0]]) * gain)
    model = floating(SteeringSpec(BAR, linear, torsion_bar_damping=0.0, rack_damping=0.0))
    ratio = model.spec.parameters["steering_ratio"]
    rack = swinging(model, 6_000, torque=False, pinion=0.02, rack=0.02 * ratio)
    mass = model.state()["rack_mass"] + 5e-4 / ratio**2
    stiffness = 120.0 / ratio**2 + gain * 120.0 / abs(ratio)
    assert frequency(rack, 1e-5) == pytest.approx(np.sqrt(stiffness / mass) / (2.0 * np.pi), rel=5e-3)


def test_energy_is_lost_in_proportion_to_the_step() -> None:
    """Bar, mesh and masses keep their energy but for the error of implicit Euler, which halves with the step."""
    losses = []
    for step in (2e-5, 1e-5, 5e-6):
        model = floating(SteeringSpec(BAR, torsion_bar_damping=0.0, rack_damping=0.0))
        model.step = step
        ratio = model.spec.parameters["steering_ratio"]
        swinging(model, round(0.03 / step), torque=True, pinion=0.02, rack=0.02 * ratio)
        s = model.state()
        kinetic = 0.04 * s["steering_wheel_rate"] ** 2 + 5e-4 * s["pinion_rate"] ** 2
        kinetic += s["rack_mass"] * s["rack_rate"] ** 2
        strain = 120.0 * (s["steering_wheel"] - s["pinion"]) ** 2
        strain += constant("mesh_stiffness") * (s["pinion"] * ratio - s["rack"]) ** 2
        losses.append(120.0 * 0.02**2 - kinetic - strain)
    assert 0.0 < losses[2] < losses[1] < losses[0]
    # what stays is the damping of the teeth
    assert (losses[1] - losses[2]) / (losses[0] - losses[1]) == pytest.approx(0.5, abs=0.05)
    assert losses[2] < 0.1 * 120.0 * 0.02**2


@pytest.mark.parametrize("speed", [0.0, 20.0, 40.0, 60.0])
def test_static_balance_of_the_rack(speed: float) -> None:
    """T/i + assistance(T, speed) carries the force of the wheels; beyond the last speed nothing changes."""
    found = replace(steering(CAR), assist=ASSIST, column=Curve(), torsion_bar=BAR)
    model = RealTimeVehicle(replace(elastic(CAR), steering=found))
    model.settle()
    model.start(speed)
    angle = np.radians(60.0 if speed < 30.0 else 25.0) * np.minimum(np.arange(6000) / 2000, 1.0)
    run = model.advance(angle, 0.1 if speed else 0.0, 0.0 if speed else 1.0, 0)
    torque, ratio = run["steering_wheel_torque_Nm"][-1], model.spec.parameters["steering_ratio"]
    share = np.interp(run["vx_mps"][-1], [0.0, 40.0], [150.0, 50.0])
    assert torque > 0.4
    force = -model.state()["rack_force"]
    assert torque / ratio + share * torque * abs(torque) == pytest.approx(force, rel=0.01)


def test_friction_gives_way_and_then_holds_its_limit() -> None:
    """A steering wheel on a bar without stiffness to speak of, turned to and fro: the loop of Dahl's law."""
    soft = Curve(np.array([-1.0, 1.0]), np.array([-1e-3, 1e-3]))
    found = SteeringSpec(soft, torsion_bar_damping=0.0, column_friction=0.4)
    model = RealTimeVehicle(replace(elastic(CAR), steering=found))
    model.settle()
    run = model.advance(0.6 * np.sin(2.0 * np.pi * np.arange(2000) * 1e-3), 0.0, 0.0, 0)
    torque, angle = run["steering_wheel_torque_Nm"], run["steering_wheel_angle_rad"]
    rate = np.gradient(angle, 1e-3)
    inertia = 0.04 * np.gradient(rate, 1e-3)
    rub = torque - inertia
    assert np.abs(rub[500:]).max() == pytest.approx(0.4, rel=0.05)
    middle = (np.abs(angle) < 0.1) & (np.arange(2000) > 500)
    assert rub[middle] == pytest.approx(0.4 * np.sign(rate[middle]), abs=0.02)
    loop = float(np.sum(0.5 * (rub[1000:] + rub[999:-1]) * np.diff(angle[999:])))
    assert loop == pytest.approx(4.0 * 0.6 * 0.4, rel=0.05)  # what a turn to and fro costs


def test_friction_calms_a_free_steering_wheel() -> None:
    """Let go at 100 km/h, a steering without friction and damping begins to swing at 3 to 4 Hz; friction holds it."""
    late = {}
    for friction in (0.0, 1.0):
        found = replace(steering("cla_class"), rack_friction=100.0 * friction, column_friction=0.2 * friction)
        model = RealTimeVehicle(replace(elastic("cla_class"), steering=found))
        model.settle()
        model.start(100.0 / 3.6)
        push = np.where(np.arange(6000) < 300, 1.0, 0.0)
        angle = model.advance(0.0, 0.1, 0.0, 0, steering_wheel_torque=push)["steering_wheel_angle_rad"]
        late[friction] = np.ptp(angle[-1000:])
    assert late[1.0] < 0.1 * late[0.0]
    assert late[1.0] < np.radians(0.2)


@pytest.mark.parametrize("name", NAMES)
def test_torque_for_angle_is_angle_for_torque(name: str) -> None:
    """The torque that turned the steering wheel by an angle turns it by the same angle when it is the input."""
    runs = []
    time = 1e-3 * np.arange(1, 2001)
    angle = np.radians(15.0) * np.sin(np.pi * time) ** 2
    model = RealTimeVehicle(elastic(name))
    model.settle()
    model.start(20.0)
    start = model.state()
    runs.append(model.advance(angle, 0.1, 0.0, 0))
    model.set_state(start)
    torque = runs[0]["steering_wheel_torque_Nm"]
    runs.append(model.advance(0.0, 0.1, 0.0, 0, steering_wheel_torque=torque))
    for column in ("steering_wheel_angle_rad", "rack_travel_m", "yaw_rate_radps", "steering_wheel_torque_Nm"):
        scale = np.abs(runs[0][column]).max()
        assert runs[1][column] == pytest.approx(runs[0][column], abs=1e-6 * scale), column


def test_a_rigid_steering_takes_no_torque() -> None:
    model = RealTimeVehicle(replace(spec_of(CAR), steering=None))
    with pytest.raises(InputError, match="rigid steering"):
        model.advance(0.0, 0.0, 0.0, 0, steering_wheel_torque=1.0)


# ---- against the mechanism


@cache
def pair(name: str, speed: float, degrees: float, frequency_Hz: float) -> tuple[np.ndarray, ...]:
    """Angle [rad] and torques [N·m] of mechanism and real-time model, the last period of a sine."""
    steps = round((1.0 + 2.0 / frequency_Hz) * 1000)
    time = 1e-3 * np.arange(1, steps + 1)
    angle = np.radians(degrees) * np.sin(2.0 * np.pi * frequency_Hz * np.maximum(time - 1.0, 0.0))
    last = slice(-round(1000 / frequency_Hz), None)
    torques = []
    for model in (
        MultibodyVehicle(vehicle(name), steering=SteeringModel.MECHANISM),
        RealTimeVehicle(elastic(name)),
    ):
        model.settle()
        model.start(speed / 3.6)
        torques.append(model.advance(angle, 0.15, 0.0, 0)["steering_wheel_torque_Nm"][last])
    return angle[last], *torques


@pytest.mark.parametrize("name", NAMES)
def test_torque_of_a_weave(name: str) -> None:
    _, mechanism, model = pair(name, 80.0, 20.0, 0.5)
    assert np.linalg.norm(model - mechanism) < 0.03 * np.linalg.norm(mechanism)
    assert np.ptp(model) == pytest.approx(np.ptp(mechanism), rel=0.03)


@pytest.mark.parametrize("name", [CAR, "lcv_7t"])
def test_hysteresis_on_centre(name: str) -> None:
    """Torque that is left at zero angle and angle at zero torque, after ISO 13674-1 (0.2 Hz, 100 km/h)."""
    angle, mechanism, model = pair(name, 100.0, 12.0, 0.2)

    def at_zero(of: np.ndarray, over: np.ndarray) -> np.ndarray:
        k = np.flatnonzero(np.diff(np.sign(over)) != 0)
        return np.asarray(of[k] - over[k] * (of[k + 1] - of[k]) / (over[k + 1] - over[k]))

    for of, over in ((0, 1), (1, 0)):
        expected, found = (np.abs(at_zero(*((angle, t)[i] for i in (of, over)))).max() for t in (mechanism, model))
        assert expected > 0.01
        assert found == pytest.approx(expected, rel=0.05)


def test_the_column_turns_as_the_universal_joints_do() -> None:
    """Even at half a turn, uneven between; the mechanism's own shaft is held to the same form elsewhere."""
    for name in NAMES:
        angles = np.linspace(-8.0, 8.0, 321)
        shaft = column_angle(vehicle(name), angles)
        uneven = shaft - angles
        assert shaft[160] == 0.0
        assert 1e-4 < np.ptp(uneven) < 0.3
        half = round(np.pi / 0.05)
        assert np.abs(uneven[half:] - uneven[:-half]).max() < 0.02  # the same again after half a turn


# ---- stability


def eigenvalues(model: RealTimeVehicle, angle: float, brake: float) -> np.ndarray:
    """Of one step, linearised where the vehicle is; place on the road, time and gearbox apart."""
    core = model._core
    names = [name for name, _ in STATE.elements()]
    kept = [i for i, n in enumerate(names) if not n.startswith(("time", "position.x", "position.y", "driveline"))]
    start, controls, level = core.state(), np.array([[angle, 0.1, brake, 0.0]]), np.zeros((1, 0))
    columns = []
    for i in kept:
        large = names[i].startswith(("rack_force", "rack_mass", "tyre")) and "slip" not in names[i]
        change = 1e-3 if large else 1e-7
        ends = []
        for sign in (1.0, -1.0):
            state = start.copy()
            state[i] += sign * change
            core.set_state(state)
            core.run(model.step, 1, controls, level)
            ends.append(core.state()[kept])
        columns.append((ends[0] - ends[1]) / (2.0 * change))
    core.set_state(start)
    return np.linalg.eigvals(np.array(columns).T)


@pytest.mark.parametrize("name", NAMES)
def test_no_mode_grows_from_standstill_to_200_km_h(name: str) -> None:
    """Straight ahead, and turned where the assistance is steep; what is neutral (yaw) has 1."""
    for speed, degrees in ((0.0, 0.0), (1.0, 0.0), (10.0, 0.0), (50.0, 0.0), (100.0, 0.0), (200.0, 0.0), (0.0, 300.0)):
        model = RealTimeVehicle(elastic(name))
        model.settle()
        model.start(speed / 3.6)
        angle, brake = np.radians(degrees) * np.minimum(np.arange(3000) / 1200, 1.0), 1.0 if degrees else 0.0
        model.advance(angle, 0.1, brake, 0)  # until it rests: beside an equilibrium a mode says little
        assert np.abs(eigenvalues(model, float(angle[-1]), brake)).max() < 1.0 + 2e-5, (speed, degrees)


@pytest.mark.parametrize("name", NAMES)
def test_no_limit_cycle(name: str) -> None:
    """After a turn of the steering wheel nothing swings: the torque rests, parked and at 80 km/h."""
    for speed in (0.0, 80.0):
        model = RealTimeVehicle(elastic(name))
        model.settle()
        model.start(speed / 3.6)
        angle = np.radians(40.0 if speed else 200.0) * np.minimum(np.arange(6000) / 500, 1.0)
        torque = model.advance(angle, 0.1, 0.0 if speed else 1.0, 0)["steering_wheel_torque_Nm"][-1000:]
        assert np.abs(np.diff(torque)).max() < 2e-3
        assert np.ptp(torque) < 0.1
        assert 0.5 < abs(torque[-1]) < 8.0


def test_more_assistance_is_stable_too() -> None:
    """Four times that of the strongest, into a jump of the steering wheel."""
    found = steering("lcv_7t")
    assert found.assist is not None
    strong = replace(found, assist=replace(found.assist, force=4.0 * found.assist.force))
    model = RealTimeVehicle(replace(elastic("lcv_7t"), steering=strong))
    model.settle()
    model.start(20.0)
    torque = model.advance(np.where(np.arange(3000) < 100, 0.0, 0.3), 0.1, 0.0, 0)["steering_wheel_torque_Nm"]
    assert np.abs(torque[-1000:]).max() < 3.0
    assert np.abs(np.diff(torque[-1000:])).max() < 1e-3


# ---- derivatives, bad input


def test_derivatives_are_exact() -> None:
    found = replace(steering(CAR), rack_friction=80.0, column_friction=0.2)
    model = RealTimeVehicle(replace(elastic(CAR), steering=found))
    time = 1e-3 * np.arange(300)
    controls = np.column_stack((0.5 * np.sin(6.0 * time), np.full(300, 0.2), np.zeros(300), np.full(300, 3.0)))

    def torque(spec: RtmSpec) -> tuple[RealTimeVehicle, np.ndarray]:
        model._core.set_parameters(spec.values())
        model._core.reset()
        model.start(20.0, 3)
        return model, model._core.run(1e-3, 10, controls, np.zeros((300, 0)))[0]

    for name in ("steering_ratio", "sprung_mass", "unsprung_yaw_inertia_front"):
        value = model.spec.parameters[name]
        change = 1e-5 * abs(value)
        up, down = (torque(model.spec.with_parameters(**{name: value + s * change}))[1] for s in (1.0, -1.0))
        difference = (up - down) / (2.0 * change)
        model._core.set_parameters(model.spec.values())
        model._core.reset()
        model.start(20.0, 3)
        seeds = [list(model.spec.parameters).index(name)]
        _, slopes = model._core.derivatives(1e-3, 10, controls, np.zeros((300, 0)), seeds)
        exact = slopes[:, :, 0]
        scale = np.abs(exact).max(axis=0)
        worst = np.abs(difference - exact).max(axis=0)
        assert (worst[scale > 0] < 1e-4 * scale[scale > 0] + 1e-6).all(), name


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"rack_friction": 50.0, "rack_friction_stiffness": 0.0}, "'rack_friction_stiffness' is 0: friction needs"),
        ({"column_friction": 0.5, "column_friction_stiffness": 0.0}, "'column_friction_stiffness' is 0: friction"),
        ({"rack_mass": 0.0}, "'rack_mass' of the steering is 0 kg, greater than zero"),
        ({"torsion_bar_damping": -0.1}, "'torsion_bar_damping' of the steering is -0.1"),
        ({"pinion_inertia": float("nan")}, "'pinion_inertia' of the steering is nan"),
        ({"torsion_bar": Curve(np.array([-1.0, 0.0, 1.0]), np.array([-5.0, 0.0, 0.0]))}, "'torsion_bar'.* positive"),
        ({"torsion_bar": Curve()}, "no 'torsion_bar'"),
        ({"column": Curve(np.array([-1.0, 1.0]), np.array([1.0, -1.0]))}, "'column'.* does not rise"),
    ],
)
def test_what_makes_no_steering_is_told(change: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        replace(steering(CAR), **change)


@pytest.mark.parametrize(
    ("torque", "speed", "force", "said"),
    [
        ([0.0, 1.0, 2.0], [0.0], [[0.0], [5.0], [3.0]], r"falls from 5 to 3 N while the torque rises to 2 N·m"),
        ([0.0, 0.0], [0.0], [[0.0], [5.0]], r"assist\.torque"),
        ([0.0, 1.0], [20.0, 10.0], [[0.0, 0.0], [5.0, 4.0]], r"assist\.speed"),
        ([0.0, 1.0], [0.0, 10.0], [[0.0], [5.0]], r"shape \(2, 2\)"),
    ],
)
def test_what_makes_no_assistance_is_told(torque: list, speed: list, force: list, said: str) -> None:
    with pytest.raises(InputError, match=said):
        AssistMap(np.array(torque), np.array(speed), np.array(force))


def test_a_bar_without_stiffness_is_named() -> None:
    car = vehicle(CAR)
    flat = tuple(
        replace(b, characteristic=replace(b.characteristic, curves=tuple(replace(c, y=0 * c.y) for c in curves)))
        if b.name.endswith("torsion_bar")
        else b
        for b in car.bushings
        for curves in (b.characteristic.curves,)
    )
    with pytest.raises(InputError, match=r"'double_wishbone_car', torsion bar 'steering\.torsion_bar': .*positive"):
        convert(replace(car, bushings=flat), maps(CAR), elastic_steering=True)
