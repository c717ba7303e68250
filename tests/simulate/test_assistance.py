"""What assistance systems do at the wheels: both models agree, and closed forms hold; no wheel is taken for another."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from rtm.converted_vehicles import spec_of, vehicle
from trackrod.core import signals
from trackrod.core.corners import Axle, Corner
from trackrod.core.errors import InputError
from trackrod.core.run_files import write_run
from trackrod.core.series import Run
from trackrod.core.signals import Signal
from trackrod.core.wheel_inputs import WHEEL_COLUMNS, WHEEL_SIGNALS, WheelInputs
from trackrod.manoeuvres.controls import AssistBy
from trackrod.manoeuvres.manoeuvre import AssistanceControl, Sample
from trackrod.manoeuvres.recorded import Recorded, RecordedPedals
from trackrod.manoeuvres.steering import StepSteer
from trackrod.multibody.compile import compile_vehicle
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.multibody.integrators import Extrapolated
from trackrod.multibody.reference import DriverInputs
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.script import ScriptedVehicle
from trackrod.simulate.drive import simulate
from trackrod.simulate.script import can_be_scripted, scripted

CAR, VAN = "double_wishbone_car", "lcv_7t"  # springs beside the dampers; torsion bars and leaf springs, twin tyres
MODELS = ("multibody", "real_time")
STEP, SPEED = 1e-3, 20.0
TIME = STEP * np.arange(1, 1501)
RAMP = np.clip(TIME / 0.2, 0.0, 1.0)[:, None]

#: Of each wheel another amount, so that an exchange of wheels shows; how many times more of it the van takes.
INPUTS = {
    "one-sided braking": ("brake_torque", (150.0, 0.0, 400.0, 30.0), 2.0),
    "torque vectoring": ("drive_torque", (0.0, 40.0, -150.0, 250.0), 2.0),
    "rear steer": ("steer_offset", (0.0, 0.001, 0.005, 0.012), 1.0),
    "front steer": ("steer_offset", (0.01, 0.004, 0.0, -0.001), 1.0),
    "active dampers": ("damper_force", (800.0, -300.0, -500.0, -700.0), 2.0),
    "active springs": ("spring_force", (500.0, -400.0, 900.0, 100.0), 2.0),
}
#: Sign of yaw rate and of roll angle that follow; 0 where the effect is of second order.
SENSE = {
    "one-sided braking": (1, 1),
    "torque vectoring": (1, 1),
    "rear steer": (-1, -1),
    "front steer": (1, 1),
    "active dampers": (0, 1),
    "active springs": (0, 1),
}


def made(name: str, kind: str) -> MultibodyVehicle | RealTimeVehicle:
    return MultibodyVehicle(vehicle(name)) if kind == "multibody" else RealTimeVehicle(spec_of(name))


def without_engine(name: str, kind: str) -> MultibodyVehicle | RealTimeVehicle:
    """Nor has it a differential, which would share torques between two wheels."""
    if kind == "multibody":
        return MultibodyVehicle(replace(vehicle(name), powertrain=None))
    return RealTimeVehicle(replace(spec_of(name), powertrain=None))


@cache
def driven(name: str, kind: str, case: str) -> Run:
    """Straight ahead in neutral, steering held, under inputs that come within 0.2 s."""
    model = made(name, kind)
    model.settle()
    model.start(SPEED)
    model.advance(np.zeros(500), 0.0, 0.0, -1)
    wheels = None
    if case:
        what, amounts, more = INPUTS[case]
        wheels = WheelInputs(**{what: (more if name == VAN else 1.0) * RAMP * np.array(amounts)})
    return model.advance(np.zeros(TIME.size), 0.0, 0.0, -1, wheels=wheels)


def change(name: str, kind: str, case: str, signal: Signal) -> np.ndarray:
    """What the inputs alone do."""
    return np.asarray(driven(name, kind, case)[signal] - driven(name, kind, "")[signal])


def off(name: str, case: str, signal: Signal) -> float:
    """RMS of the difference of the two changes over that of the multibody model."""
    truth, found = (change(name, kind, case, signal) for kind in MODELS)
    return float(np.sqrt(np.mean((found - truth) ** 2) / np.mean(truth**2)))


names = pytest.mark.parametrize("name", [CAR, VAN])
kinds = pytest.mark.parametrize("kind", MODELS)


@names
@kinds
def test_inputs_of_zero_change_no_bit(name: str, kind: str) -> None:
    model = made(name, kind)
    model.settle()
    model.start(SPEED)
    before = model.state()
    steering, throttle, brake = 0.5 * np.sin(9.0 * TIME[:400]), 0.2, np.where(TIME[:400] > 0.3, 0.5, 0.0)
    plain = model.advance(steering, throttle, brake, 0)
    model.set_state(before)
    assisted = model.advance(steering, throttle, brake, 0, wheels=WheelInputs())
    assert list(plain) == list(assisted)
    assert all(np.array_equal(plain[column], assisted[column]) for column in plain)


@names
@kinds
def test_inputs_hold_for_their_steps_alone(name: str, kind: str) -> None:
    """What was given before is not remembered, neither by later steps nor by a vehicle that is settled again."""
    model = made(name, kind)
    loads = model.settle()
    everything = WheelInputs(200.0, 100.0, 0.01, 300.0, 400.0)
    model.advance(np.zeros(20), 0.0, 0.0, -1, wheels=everything)
    before = model.state()
    after = model.advance(np.zeros(20), 0.0, 0.0, -1)
    model.set_state(before)
    again = model.advance(np.zeros(20), 0.0, 0.0, -1, wheels=WheelInputs())
    assert np.array_equal(after[signals.Z], again[signals.Z])
    settled = model.settle()
    if kind == "multibody":
        assert settled.wheel_loads == loads.wheel_loads  # type: ignore[union-attr]
    else:
        assert settled == loads


@names
@pytest.mark.parametrize("case", [case for case, sense in SENSE.items() if sense[0] != 0])
def test_both_models_turn_alike(name: str, case: str) -> None:
    yaw, roll = SENSE[case]
    assert yaw * change(name, "multibody", case, signals.YAW_RATE)[-1] > 0.002
    assert roll * change(name, "multibody", case, signals.ROLL)[-1] > 5e-4
    # Torques of single brakes toe the wheels through soft bushings: 10 N of the car's 470 N, 2.3 % of its yaw rate.
    braked = case == "one-sided braking"
    assert off(name, case, signals.YAW_RATE) < (0.03 if braked else 0.01)
    assert off(name, case, signals.AY) < (0.03 if braked else 0.01)
    assert off(name, case, signals.ROLL) < (0.04 if braked else 0.02)
    assert off(name, case, signals.YAW_ACCELERATION) < (0.05 if braked else 0.02)
    for corner in Corner:
        assert off(name, case, signals.FY[corner]) < (0.11 if braked else 0.03), corner


@names
@pytest.mark.parametrize("case", ["one-sided braking", "torque vectoring"])
def test_both_models_brake_and_drive_alike(name: str, case: str) -> None:
    for signal in (signals.AX, signals.PITCH):
        assert off(name, case, signal) < 0.02
    largest = max(np.abs(change(name, "multibody", case, signals.FX[corner])[-1]) for corner in Corner)
    for corner in Corner:
        truth, found = (change(name, kind, case, signals.FX[corner])[-1] for kind in MODELS)
        assert abs(found - truth) < 0.01 * largest, corner
        pressures = [driven(name, kind, case)[signals.BRAKE_PRESSURE[corner]] for kind in MODELS]
        assert pressures[0] == pytest.approx(pressures[1])


@names
@pytest.mark.parametrize("case", ["active dampers", "active springs"])
def test_both_models_lift_and_lean_alike(name: str, case: str) -> None:
    """What the forces do to the toe by way of the bushings is of second order, and not looked at."""
    assert change(name, "multibody", case, signals.ROLL)[-1] > 4e-4
    for signal in (signals.ROLL, signals.PITCH, signals.RIDE_HEIGHT_FRONT, signals.RIDE_HEIGHT_REAR):
        assert off(name, case, signal) < 0.06, signal.name
    largest = max(np.abs(change(name, "multibody", case, signals.WHEEL_TRAVEL[corner])[-1]) for corner in Corner)
    for corner in Corner:
        truth, found = (change(name, kind, case, signals.WHEEL_TRAVEL[corner])[-1] for kind in MODELS)
        assert abs(found - truth) < 0.03 * largest, corner


@names
@kinds
@pytest.mark.parametrize("case", ["rear steer", "front steer"])
def test_a_steer_offset_turns_its_wheel_and_leans_it_not(name: str, kind: str, case: str) -> None:
    """In the step in which it jumps, nothing else has moved yet."""
    model = made(name, kind)
    model.settle()
    model.start(SPEED)
    run = model.advance(np.zeros(2), 0.0, 0.0, -1, wheels=WheelInputs(steer_offset=[[0.0] * 4, INPUTS[case][1]]))
    for corner, offset in zip(Corner, INPUTS[case][1], strict=True):
        assert np.diff(run[signals.STEER[corner]])[0] == pytest.approx(offset, abs=5e-5)
        assert np.diff(run[signals.CAMBER[corner]])[0] == pytest.approx(0.0, abs=5e-5)


# ---- closed forms


def spin_inertias(name: str) -> dict[Corner, float]:
    p = spec_of(name).parameters
    return {corner: p[f"wheel_inertia_{corner.axle}"] for corner in Corner}


@kinds
@pytest.mark.parametrize("case", ["one-sided braking", "torque vectoring"])
def test_torque_is_force_times_height_of_the_wheel(kind: str, case: str) -> None:
    """I dω/dt = −h Fx + My − T_brake + T_drive, with the height h of the wheel centre from ride height and travel."""
    what, amounts, _ = INPUTS[case]
    model = without_engine(CAR, kind)
    model.settle()
    model.start(SPEED)
    run = model.advance(np.zeros(TIME.size), 0.0, 0.0, -1, wheels=WheelInputs(**{what: RAMP * np.array(amounts)}))
    for corner, amount in zip(Corner, amounts, strict=True):
        ride = run[signals.RIDE_HEIGHT_FRONT if corner.axle is Axle.FRONT else signals.RIDE_HEIGHT_REAR]
        beside = vehicle(CAR).wheel(corner).centre[1] * run[signals.ROLL]
        height = ride + beside + run[signals.WHEEL_TRAVEL[corner]]
        turning = spin_inertias(CAR)[corner] * np.gradient(run[signals.WHEEL_SPEED[corner]], STEP)
        torque = turning + height * run[signals.FX[corner]] - run[signals.MY[corner]]
        sign = -1.0 if what == "brake_torque" else 1.0
        assert np.abs(torque - sign * amount * RAMP[:, 0])[300:].max() < 1.5, corner  # of up to 400 N·m


@kinds
def test_pressure_is_torque_over_what_a_unit_of_it_gives(kind: str) -> None:
    brakes = vehicle(CAR).brakes
    assert brakes is not None
    model = made(CAR, kind)
    model.settle()
    run = model.advance(np.zeros(20), 0.0, 0.25, -1, wheels=WheelInputs(brake_torque=[100.0, 0.0, 50.0, 200.0]))
    for corner, added in zip(Corner, (100.0, 0.0, 50.0, 200.0), strict=True):
        each = brakes.front_torque if corner.axle is Axle.FRONT else brakes.rear_torque
        expected = 0.25 * brakes.largest_pressure + added / each
        assert run[signals.BRAKE_PRESSURE[corner]][-1] == pytest.approx(expected)


@kinds
def test_steered_rear_wheels_turn_as_steered_front_wheels_do_the_other_way(kind: str) -> None:
    """Single-track model: in steady state the yaw rate is proportional to δ_front − δ_rear (Riekert and Schunck)."""

    def turned(front: float, rear: float) -> float:
        model = made(CAR, kind)
        model.settle()
        model.start(SPEED)
        offsets = np.clip(STEP * np.arange(2000) / 0.2, 0.0, 1.0)[:, None] * [front, front, rear, rear]
        run = model.advance(np.zeros(2000), 0.0, 0.0, -1, wheels=WheelInputs(steer_offset=offsets))
        return float(run[signals.YAW_RATE][-1])

    front, rear = turned(0.005, 0.0), turned(0.0, 0.005)
    assert front > 0.02
    assert rear == pytest.approx(-front, rel=0.03)
    assert abs(turned(0.005, 0.005)) < 0.02 * front


@kinds
@pytest.mark.parametrize("what", ["damper_force", "spring_force"])
def test_forces_in_the_suspension_carry_no_weight(kind: str, what: str) -> None:
    """They act between body and wheels: at rest the loads sum to the weight, and a diagonal pair warps the vehicle."""
    model = made(CAR, kind)
    model.settle()
    weight = spec_of(CAR).mass * 9.80665
    forces = {what: [600.0, 0.0, 0.0, 600.0]}
    run = model.advance(np.zeros(4000), 0.0, 0.0, -1, every=100, wheels=WheelInputs(**forces))
    loads = np.array([run[signals.FZ[corner]][-1] for corner in Corner])
    assert loads.sum() == pytest.approx(weight, rel=2e-3)
    assert loads[0] + loads[3] > loads[1] + loads[2] + 400.0


def test_forces_in_the_suspension_change_no_momentum_in_space() -> None:
    """Multibody: no weight, no road. Linear and angular momentum stay zero whatever the actuators do."""
    for name in (CAR, VAN):
        model = compile_vehicle(replace(vehicle(name), aerodynamics=None), with_tyres=False)
        core = model.core
        core.set_gravity(np.zeros(3))
        none = np.zeros((200, 0))
        at_wheels = np.zeros((200, WHEEL_COLUMNS.size))
        at_wheels[:, WHEEL_COLUMNS["damper_force"]] = [900.0, -500.0, 300.0, 700.0]
        at_wheels[:, WHEEL_COLUMNS["spring_force"]] = [-200.0, 600.0, 1500.0, 400.0]
        targets = np.zeros((200, len(model.drives)))
        _, poses, twists, *_ = core.run(5e-4, 3, 20, targets, np.zeros((200, 3)), none, at_wheels)
        masses = np.array([group.mass for group in model.groups])[:, None]
        momentum = masses * twists[:, :, :3]
        exchanged = np.abs(momentum).sum(axis=1).max()
        assert exchanged > 10.0
        assert np.abs(momentum.sum(axis=1)).max() < 1e-10 * exchanged
        moment = np.cross(poses[:, :, :3], momentum).sum(axis=1)
        for i, group in enumerate(model.groups):
            w, x, y, z = poses[:, i, 3:].T
            spin = twists[:, i, 3:] @ np.array(group.inertia)
            turn = np.stack(
                [
                    np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], -1),
                    np.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], -1),
                    np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], -1),
                ],
                -2,
            )
            moment = moment + np.einsum("nij,nj->ni", turn, spin)
        assert np.abs(moment).max() < 1e-3 * exchanged  # of the integrator: it turns bodies by first-order steps


# ---- the ways in


def test_signals_and_columns_have_the_same_names() -> None:
    assert list(WHEEL_SIGNALS) == list(WHEEL_COLUMNS.slices)
    given = WheelInputs(1.0, [1.0, 2.0, 3.0, 4.0], np.arange(8.0).reshape(2, 4), spring_force=-5.0).rows(2)
    assert given[:, WHEEL_COLUMNS["brake_torque"]].tolist() == [[1.0] * 4] * 2
    assert given[:, WHEEL_COLUMNS["drive_torque"]].tolist() == [[1.0, 2.0, 3.0, 4.0]] * 2
    assert given[1, WHEEL_COLUMNS["steer_offset"]].tolist() == [4.0, 5.0, 6.0, 7.0]
    assert not given[:, WHEEL_COLUMNS["damper_force"]].any()
    assert np.array_equal(WheelInputs.of_rows(given).rows(2), given)


@kinds
@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"brake_torque": [0.0, 0.0, -5.0, 0.0]}, "brake_torque of rl is -5 N·m: a brake resists: zero or more"),
        ({"drive_torque": [0.0, float("nan"), 0.0, 0.0]}, "drive_torque of fr is nan N·m: not a finite number"),
        ({"steer_offset": np.full((10, 4), np.inf)}, "steer_offset of fl of step 1 is inf rad"),
        ({"damper_force": np.zeros(3)}, r"damper_force has the shape \(3,\); one number, four"),
        ({"spring_force": np.zeros((9, 4))}, r"spring_force has the shape \(9, 4\).*shape \(10, 4\)"),
    ],
)
def test_bad_inputs_get_one_clear_message(kind: str, inputs: dict[str, object], words: str) -> None:
    model = made(CAR, kind)
    with pytest.raises(InputError, match=words):
        model.advance(np.zeros(10), 0.0, 0.0, -1, wheels=WheelInputs(**inputs))  # type: ignore[arg-type]


def test_all_bad_inputs_are_named_at_once() -> None:
    with pytest.raises(InputError) as caught:
        WheelInputs(-1.0, np.nan, [1.0, 2.0]).rows(5)
    assert len(caught.value.problems) == 3


class YawControl:
    """Brakes the outer front wheel by 4 kN·m for each rad/s that the yaw rate is above a limit."""

    def __init__(self, limit: float) -> None:
        self.limit = limit

    def begin(self, now: Sample) -> AssistanceControl:
        assert now.time == 0.0

        def control(times: np.ndarray, now: Sample) -> WheelInputs:
            beyond = max(now[signals.YAW_RATE] - self.limit, 0.0)  # to the left: the outer wheels are on the right
            return WheelInputs(brake_torque=np.tile([0.0, 4e3 * beyond, 0.0, 0.0], (times.size, 1)))

        return control


@pytest.fixture(scope="module")
def controlled() -> tuple[Run, Run]:
    """A step steer with and without the control."""
    manoeuvre = StepSteer(speed_kmh=90.0, steering_wheel_angle_deg=40.0, hold_s=2.0)
    return simulate(made(CAR, "real_time"), manoeuvre), simulate(
        made(CAR, "real_time"), manoeuvre, assistance=YawControl(0.15)
    )


def test_a_system_closes_its_loop(controlled: tuple[Run, Run]) -> None:
    free, assisted = controlled
    assert free[signals.YAW_RATE].max() > 0.2
    assert assisted[signals.YAW_RATE].max() < 0.9 * free[signals.YAW_RATE].max()
    torque = assisted[signals.ADDED_BRAKE_TORQUE[Corner.FR]]
    assert torque.max() > 100.0
    assert not assisted[signals.ADDED_BRAKE_TORQUE[Corner.FL]].any()
    assert signals.ADDED_BRAKE_TORQUE[Corner.FR].column not in free
    assert torque[0] == 0.0  # nothing acts while the vehicle is settled


def test_a_recorded_run_is_driven_again(controlled: tuple[Run, Run], tmp_path: Path) -> None:
    """The loop is open then: the same torques, and nearly the same motion."""
    path = tmp_path / "assisted.csv"
    write_run(controlled[1], path)
    manoeuvre = Recorded(file=str(path), pedals=RecordedPedals.SPEED)
    assert isinstance(manoeuvre.assistance(), AssistBy)
    again = simulate(made(CAR, "real_time"), manoeuvre)
    signal = signals.ADDED_BRAKE_TORQUE[Corner.FR]
    count = min(again.time.size, controlled[1].time.size)
    assert again[signal][:count] == pytest.approx(controlled[1][signal][:count], abs=30.0)  # a sample apart
    difference = again[signals.YAW_RATE][:count] - controlled[1][signals.YAW_RATE][:count]
    assert np.abs(difference).max() < 0.05 * controlled[1][signals.YAW_RATE].max()

    assert can_be_scripted(manoeuvre)
    script = scripted(manoeuvre, again)
    assert script.controls.shape[1] == 5 + WHEEL_COLUMNS.size
    assert not script.controls[: script.lead, 5:].any()
    model = ScriptedVehicle(spec_of(CAR))
    model.settle()
    run = model.run(script)
    count = min(run.time.size, again.time.size)
    assert run[signal][:count] == pytest.approx(again[signal][:count], abs=1.0)
    assert run[signals.YAW_RATE][:count] == pytest.approx(again[signals.YAW_RATE][:count], abs=0.01)
    bare = ScriptedVehicle(spec_of(CAR))
    bare.settle()
    plain = bare.run(scripted(StepSteer(speed_kmh=90.0, steering_wheel_angle_deg=40.0, hold_s=2.0), controlled[0]))
    assert np.abs(plain[signals.YAW_RATE]).max() > 1.1 * np.abs(run[signals.YAW_RATE]).max()


def test_a_record_with_a_negative_brake_torque_is_refused(controlled: tuple[Run, Run], tmp_path: Path) -> None:
    run = controlled[1]
    column = signals.ADDED_BRAKE_TORQUE[Corner.RL].column
    path = tmp_path / "wrong.csv"
    write_run(Run({**run, column: np.full(run.time.size, -1.0)}, run.metadata), path)
    with pytest.raises(InputError, match=r"wrong\.csv.*brake_torque of rl of step 1 is -1 N·m"):
        Recorded(file=str(path), pedals=RecordedPedals.SPEED)


def test_the_reference_integrator_has_the_same_inputs() -> None:
    what, amounts, _ = INPUTS["one-sided braking"]

    def task(model: MultibodyVehicle) -> Run:
        model.settle()
        model.start(SPEED)
        model.advance(np.zeros(100), 0.0, 0.0, -1)  # nothing acts here
        wheels = WheelInputs(**{what: RAMP[:500] * np.array(amounts)})
        run = model.advance(np.zeros(500), 0.0, 0.0, -1, every=10, wheels=wheels)
        return Run({**run, signals.TIME.column: run.time - run.time[0]}, run.metadata)

    plain = task(MultibodyVehicle(vehicle(CAR)))
    found = Extrapolated(first_step=1e-3, tolerance=1e-2).drive(vehicle(CAR), task).run
    assert found[signals.YAW_RATE][-1] == pytest.approx(plain[signals.YAW_RATE][-1], rel=0.05)
    assert found[signals.YAW_RATE][-1] > 0.01
    inputs = DriverInputs.of(plain)
    wheels = inputs.beside_driver(plain.time)["wheels"]
    assert wheels is not None
    rows = wheels.rows(plain.time.size)
    assert rows[:, WHEEL_COLUMNS[what]][-1].tolist() == list(amounts)
