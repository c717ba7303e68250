"""Two asymmetric vehicles through the whole chain: at rest, converted, driven by both models, on uneven road.

The tolerances are those of the conversion itself, which takes the mean of masses that differ left and right.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar

import numpy as np
import pytest

from asymmetric_vehicles import CAR, NAMES, VAN, converted, maps, vehicle
from trackrod.convert.conversion import convert
from trackrod.core import signals
from trackrod.core.corners import Axle, Corner
from trackrod.core.motion import rotation_matrices
from trackrod.core.series import Run
from trackrod.manoeuvres.controls import HoldSpeed, SteerTo
from trackrod.manoeuvres.ends import After
from trackrod.manoeuvres.manoeuvre import Manoeuvre, Phase, Start
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.simulate.drive import simulate

GRAVITY = 9.80665


@cache
def models(name: str) -> tuple[MultibodyVehicle, RealTimeVehicle]:
    return MultibodyVehicle(vehicle(name)), RealTimeVehicle(converted(name).spec)


def driven(name: str, speed: float, seconds: float, *, steer: float = 0.0, throttle: float = 0.0, brake: float = 0.0,
           gear: int = 0) -> list[Run]:  # fmt: skip
    """The same inputs on both models: all of them come within a second and stay."""
    found = []
    for model in models(name):
        model.settle()
        model.start(speed)
        ramp = np.minimum(np.arange(round(seconds / model.step)) * model.step, 1.0)
        found.append(model.advance(steer * ramp, throttle * ramp, brake * ramp, gear, every=10))
    return found


# ---- rest


@pytest.mark.parametrize("name", NAMES)
def test_both_models_stand_alike(name: str) -> None:
    full, fast = models(name)
    rest, loads = full.settle(), fast.settle()
    weight = vehicle(name).mass_properties.mass * GRAVITY
    assert sum(rest.wheel_loads.values()) == pytest.approx(weight, rel=1e-6)
    assert sum(loads.values()) == pytest.approx(weight, rel=1e-4)
    assert rest.roll < -1e-3, "the load lies to the left"
    for corner in Corner:
        assert loads[corner] == pytest.approx(rest.wheel_loads[corner], rel=0.01)
    for axle in Axle:
        left, right = (rest.wheel_loads[c] for c in Corner if c.axle is axle)
        assert left > 1.02 * right


def test_a_load_far_off_the_middle_comes_to_rest() -> None:
    """150 mm, as badly stowed cargo is: both models stand alike, and no tyre holds the real-time model sideways."""
    name = "body.payload_cargo"
    van = vehicle(VAN)
    cargo = van.body(name)
    there = replace(cargo, centre=(cargo.centre[0], 0.15, cargo.centre[2]))
    moved = replace(van, bodies=tuple(there if body.name == name else body for body in van.bodies))
    rest = MultibodyVehicle(moved).settle()
    fast = RealTimeVehicle(convert(moved, maps(VAN)).spec)
    loads = fast.settle()
    run = fast.advance(np.zeros(10), 0.0, 0.0, -1)
    for corner in Corner:
        assert loads[corner] == pytest.approx(rest.wheel_loads[corner], rel=0.01)
        assert run[signals.WHEEL_TRAVEL[corner]][-1] == pytest.approx(rest.travels[corner], abs=1e-3)
        assert abs(run[signals.FY[corner]][-1]) < 0.01 * loads[corner]


# ---- turning


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("side", [1.0, -1.0], ids=["left", "right"])
def test_both_models_turn_alike(name: str, side: float) -> None:
    """A gentle turn to either side: every signal of the body, and each wheel's load and angles."""
    full, fast = driven(name, 20.0, 2.5, steer=0.5 * side, throttle=0.1)
    last = slice(-20, None)
    scales = {signals.YAW_RATE: 0.02, signals.AY: 0.02, signals.ROLL: 0.05, signals.VX: 0.002}
    for signal, tolerance in scales.items():
        assert fast[signal][last].mean() == pytest.approx(full[signal][last].mean(), rel=tolerance), signal
    for corner in Corner:
        for signal, tolerance in ((signals.FZ, 100.0), (signals.STEER, 5e-4), (signals.CAMBER, 7e-4)):
            one, two = (run[signal[corner]][last].mean() for run in (full, fast))
            assert two == pytest.approx(one, abs=tolerance if signal is not signals.FZ else 0.03 * one), (
                signal,
                corner,
            )


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", [0, 1], ids=["multibody", "real_time"])
def test_camber_is_positive_where_the_top_leans_outward(name: str, kind: int) -> None:
    """In a turn, against the place of the highest point of each wheel seen from the sprung body.

    For the real-time model the wheel's axis is that of the multibody model in the same turn.
    """
    full, fast = driven(name, 20.0, 2.5, steer=0.8, throttle=0.1)
    run = (full, fast)[kind]
    model = models(name)[0]
    poses = model._core.poses()
    of = vehicle(name)
    R_chassis = rotation_matrices(poses[model.model.index[of.chassis], 3:])
    seen = []
    for corner in Corner:
        wheel = of.wheel(corner)
        axis = R_chassis.T @ rotation_matrices(poses[model.model.index[wheel.body], 3:]) @ np.array(wheel.axis)
        top = np.array([0.0, 0.0, 1.0]) - axis[2] * axis  # from the wheel centre, in the plane of the wheel
        outward = corner.side.sign * (top @ (axis * [1.0, 1.0, 0.0]))
        lean = np.arctan2(outward / np.hypot(axis[0], axis[1]), top[2])
        seen.append(lean)
        assert run[signals.CAMBER[corner]][-1] == pytest.approx(lean, abs=1e-9 if kind == 0 else 1e-3), corner
        steer = np.arctan2(-axis[0], axis[1])
        assert run[signals.STEER[corner]][-1] == pytest.approx(steer, abs=1e-9 if kind == 0 else 1e-3), corner
    assert sum(abs(lean) > 3e-3 for lean in seen) >= 3, "enough to tell one sign from the other"


# ---- pedals


@pytest.mark.parametrize("name", NAMES)
def test_brakes_are_divided_as_those_of_the_vehicle(name: str) -> None:
    """Rolling in neutral with a little of the pedal: the forces of the tyres are what brakes and rotors make of them.

    Rolling resistance and drag are the same without the pedal, and are taken off.
    """
    brakes = vehicle(name).brakes
    assert brakes is not None
    pedal, spec = 0.05, converted(name).spec
    full = [pedal * brakes.largest_pressure * torque for torque in (brakes.front_torque, brakes.rear_torque)]
    without = driven(name, 20.0, 2.0, gear=-1)
    for free, run in zip(without, driven(name, 20.0, 2.0, brake=pedal, gear=-1), strict=True):
        torques = []
        for axle, torque in zip(Axle, full, strict=True):
            corners = [corner for corner in Corner if corner.axle is axle]
            slowing = [np.diff(r[signals.WHEEL_SPEED[corners[0]]])[-50:].mean() / 0.01 for r in (run, free)]
            rotor = spec.parameters[f"wheel_inertia_{axle}"] * (slowing[0] - slowing[1])
            torques.append(torque + rotor)
        front, rear = (
            sum(run[signals.FX[c]][-50:].mean() - free[signals.FX[c]][-50:].mean() for c in Corner if c.axle is axle)
            for axle in Axle
        )
        assert front < 0 > rear
        # left out: the inertia of shafts, other radii and more rolling resistance in front under the load transfer
        assert front / rear == pytest.approx(torques[0] / torques[1], rel=0.03)


@pytest.mark.parametrize(("name", "speed", "gear"), [(VAN, 2.0, 1), ("lcv_3t5", 4.0, 2)])
def test_a_solid_axle_takes_the_reaction_of_its_driving_torque(name: str, speed: float, gear: int) -> None:
    """Travel of the rear wheels from rolling to pulling; with the reaction on the body it would be 10 % more."""
    spec = converted(name).spec
    on_body = (spec.axles[0], replace(spec.axles[1], drive_on_carrier=False))
    found = []
    for model in (*models(name), RealTimeVehicle(replace(spec, axles=on_body))):
        model.settle()
        model.start(speed, gear)
        pull = np.minimum(np.arange(1500) * 1e-3, 1.0)
        run = model.advance(0.0 * pull, 0.8 * pull, 0.0, gear, every=10)
        travel = sum(run[signals.WHEEL_TRAVEL[corner]] for corner in (Corner.RL, Corner.RR))
        found.append(travel[-30:].mean() - travel[:5].mean())
    full, fast, wrong = found
    assert fast == pytest.approx(full, rel=0.04)
    assert wrong > 1.07 * full, "the control"


def test_both_axles_drive_by_their_shares() -> None:
    powertrain = vehicle(CAR).powertrain
    assert powertrain is not None
    for run in driven(CAR, 10.0, 1.8, throttle=0.4, gear=2):
        front, rear = (
            sum(run[signals.FX[corner]][-20:].mean() for corner in Corner if corner.axle is axle) for axle in Axle
        )
        # what accelerates the wheels themselves and rolling resistance stay behind
        assert front / (front + rear) == pytest.approx(powertrain.front_share, abs=0.02)


def test_a_locked_centre_differential_winds_up_in_a_tight_turn() -> None:
    """Front wheels go a longer way: held to the speed of the rear ones they brake, and the rear wheels push."""
    powertrain = vehicle(CAR).powertrain
    assert powertrain is not None
    locked = replace(powertrain, centre_locked=True)
    found = []
    for model in (
        MultibodyVehicle(replace(vehicle(CAR), powertrain=locked)),
        RealTimeVehicle(replace(converted(CAR).spec, powertrain=locked)),
    ):
        model.settle()
        model.start(4.0)
        ramp = np.minimum(np.arange(round(2.5 / model.step)) * model.step, 1.0)
        run = model.advance(5.0 * ramp, 0.05 * ramp, 0.0, 1, every=10)
        speeds, forces = (
            [sum(run[signal[c]][-20:].mean() for c in Corner if c.axle is axle) for axle in Axle]
            for signal in (signals.WHEEL_SPEED, signals.FX)
        )
        assert speeds[0] == pytest.approx(speeds[1], rel=5e-4)  # carriers of cambered wheels turn with the body
        assert forces[0] < -200.0 < 200.0 < forces[1]
        found.append(forces)
    assert found[1] == pytest.approx(found[0], rel=0.05)


# ---- a road that is not flat


@dataclass(frozen=True)
class Slope:
    """Rises along x of E by this much for each metre [-], and everywhere by this much in a second [m/s]."""

    rise: float
    climb: float

    def heights(self, corner: Corner, times: np.ndarray, positions: np.ndarray) -> np.ndarray:
        del corner
        return self.rise * positions + self.climb * times


@dataclass(frozen=True, kw_only=True)
class TurnOnASlope(Manoeuvre):
    name: ClassVar[str] = "turn_on_a_slope"
    title: ClassVar[str] = "for tests"

    def start(self) -> Start:
        return Start(12.0)

    def phases(self) -> tuple[Phase, ...]:
        return (Phase("turn", SteerTo(2.0, 2.0), HoldSpeed(12.0), (After(4.0),)),)

    def road(self) -> Slope:
        return Slope(1e-3, 2e-3)


class Recording(RealTimeVehicle):
    """Keeps what it is told of the road, with the last sample before."""

    def __init__(self, spec: Any) -> None:
        super().__init__(spec)
        self.told: list[tuple[Callable[[str], float], np.ndarray]] = []
        self._row: np.ndarray | None = None

    def advance_rows(self, controls: np.ndarray, every: int, road_heights: np.ndarray | None = None) -> np.ndarray:
        if road_heights is not None and self._row is not None:
            self.told.append((self.reading(self._row), road_heights))
        rows = super().advance_rows(controls, every, road_heights)
        self._row = rows[-1]
        return rows


@pytest.mark.parametrize("name", NAMES)
def test_every_tyre_has_the_road_under_itself(name: str) -> None:
    """On a slope, the vehicle turned against it: heights under tyres differ as the places of their wheels do along x.

    Steps ahead of the driver's decision each tyre goes on along the course, and the clock goes on too.
    """
    model = Recording(converted(name).spec)
    run = simulate(model, TurnOnASlope())
    first = model.told[0][0](signals.YAW.column)  # the run's own frame begins along the heading
    read, heights = model.told[-1]
    yaw = read(signals.YAW.column) - first
    assert abs(yaw) > 0.4
    places = np.array([wheel.centre for wheel in model.spec.wheels for _ in wheel.tyres])
    along_x = places[:, 0] * np.cos(yaw) - places[:, 1] * np.sin(yaw)
    assert heights[0] - heights[0, 0] == pytest.approx(1e-3 * (along_x - along_x[0]), abs=1e-6)
    course = yaw + read(signals.SIDESLIP.column)
    speed = np.hypot(read(signals.VX.column), read(signals.VY.column))
    gone = (heights[-1] - heights[0]) / (len(heights) - 1) / model.step
    assert gone == pytest.approx(np.full(len(places), 1e-3 * speed * np.cos(course) + 2e-3), rel=1e-6)
    assert run.metadata["completed"]
