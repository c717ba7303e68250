"""Runs and truths of the parameters that the case study's tests do not tell, for `benchmarks.estimate_coverage`.

Truths are those of the K&C rig, of steady states, of the tyre's own law, of a single-track model, or planted: none of
them knows an estimator.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from trackrod.core import signals
from trackrod.core.corners import Axle, Corner
from trackrod.core.series import Run
from trackrod.estimate.brakes import DISC_TEMPERATURE, BrakeFade
from trackrod.estimate.estimator import Estimator, of_axle
from trackrod.estimate.handling import RollGradient, SteeringRatio, UndersteerGradient
from trackrod.estimate.height import HeightByCornering
from trackrod.estimate.known import Known
from trackrod.estimate.resistance import AxleLift, LoadedRadius
from trackrod.estimate.suspension import BumpSlope, DamperRatio, RollSlope, StaticAngle, WheelAngle
from trackrod.estimate.tyres import RelaxationLength, SlipStiffness
from trackrod.kc import programme
from trackrod.kc.rig import Rig
from trackrod.manoeuvres.registry import MANOEUVRES
from trackrod.measured.columns import WHEEL_TORQUE
from trackrod.measured.sensors import Sensor, SensorSet, case_study
from trackrod.multibody.driving import Equilibrium, MultibodyVehicle
from trackrod.simulate.drive import simulate
from trackrod.single_track.description import SingleTrack
from trackrod.single_track.drive import drive
from trackrod.tyre.model import Tyre
from trackrod.vehicle.vehicle import Vehicle

__all__ = [
    "SINGLE_TRACK",
    "TESTS",
    "UNCOUNTED",
    "estimators",
    "faded",
    "handling_truths",
    "single_track_known",
    "single_track_run",
    "wheel_sensors",
]

Array = NDArray[np.float64]

#: Runs by name: manoeuvre, settings, sample time [s].
TESTS: Mapping[str, tuple[str, Mapping[str, float | str], float]] = {
    "gentle": ("braking", {"speed_kmh": 100, "deceleration_g": 0.12, "after_s": 0.0}, 0.02),
    **{
        f"ramp_{side}": ("ramp_steer", {"speed_kmh": 80, "rate_degps": 3, "target_ay_g": 0.65, "direction": side}, 0.02)
        for side in ("left", "right")
    },
    **{
        f"turn_{side}_{speed}": (
            "ramp_steer",
            {"speed_kmh": speed, "rate_degps": 10, "largest_angle_deg": 90, "direction": side},
            0.02,
        )
        for side in ("left", "right")
        for speed in (10, 20)
    },
    "rough": ("random_road", {"speed_kmh": 40, "road_class": "C", "duration_s": 20}, 0.01),
    "rougher": ("random_road", {"speed_kmh": 20, "road_class": "D", "duration_s": 20}, 0.01),
}
#: What the angles of the steering wheel reach in steady turns at 80 km/h, 0.5 to 4 m/s² [°].
_STEADY = (3.7, 7.3, 14.7, 22.1, 29.5)
#: Relative change of a brake's torque [1/K] that is planted.
FADE = -4e-4
#: Its relaxation lengths are what is looked for.
SINGLE_TRACK = SingleTrack(
    mass=1600.0,
    yaw_inertia=2800.0,
    wheelbase=2.7,
    front_share=0.58,
    cornering_stiffness_front=95e3,
    cornering_stiffness_rear=110e3,
    steering_ratio=15.0,
    relaxation_front=0.6,
    relaxation_rear=0.8,
)
#: Parameters whose error by the model does not change from seed to seed: their intervals cannot be counted.
UNCOUNTED = ("cg_height_cornering", "bump_", "roll_steer", "roll_camber")


def wheel_sensors() -> SensorSet:
    """Those of the case study, and at the wheels: optical heads, potentiometers at dampers, thermocouples."""
    deg = math.pi / 180.0
    found = list(case_study().values())
    for c in Corner:
        found += [
            *(
                Sensor(f[c].column, accuracy=0.05 * deg, noise=0.02 * deg, scale_error=0.005)
                for f in (signals.STEER, signals.CAMBER)
            ),
            Sensor(signals.WHEEL_TRAVEL[c].column, accuracy=5e-4, noise=2e-4, scale_error=0.005),
            Sensor(signals.DAMPER_LENGTH[c].column, accuracy=3e-4, noise=1e-4, scale_error=0.003),
            Sensor(DISC_TEMPERATURE[c].column, accuracy=5.0, noise=2.0, scale_error=0.01),
        ]
    return SensorSet(found)


def estimators() -> Iterator[Estimator]:
    """Those of driven runs."""
    yield SteeringRatio()
    for axle in Axle:
        yield LoadedRadius(axle=axle)
        yield AxleLift(axle=axle)
        yield SlipStiffness(axle=axle)
    yield UndersteerGradient()
    yield RollGradient()
    for corner in (Corner.FL, Corner.RR):
        for angle in WheelAngle:
            yield StaticAngle(corner=corner, angle=angle)
        yield DamperRatio(corner=corner)
    yield HeightByCornering()
    for angle in WheelAngle:
        for axle in Axle:
            yield BumpSlope(axle=axle, angle=angle)
        yield RollSlope(angle=angle)


def handling_truths(vehicle: Vehicle, runs: Mapping[str, Run]) -> dict[str, float]:
    """What rig, steady states and tyres say."""
    found = _by_the_rig(vehicle, runs)
    found |= _steady_gradients(vehicle, found["steering_ratio"])
    standing = _standing(vehicle)
    for corner in Corner:
        found[f"static_toe_{corner}"] = -corner.side.sign * float(standing[signals.STEER[corner]][-1])
        found[f"static_camber_{corner}"] = float(standing[signals.CAMBER[corner]][-1])
    at_rest = MultibodyVehicle(vehicle).settle()
    air = vehicle.aerodynamics
    assert air is not None
    lifts = {Axle.FRONT: air.front_lift, Axle.REAR: air.rear_lift}
    for axle in Axle:
        found[f"lift_{axle}"] = 0.5 * air.density * air.frontal_area * lifts[axle]
        found[f"loaded_radius_{axle}"] = _loaded_radius(vehicle, at_rest, runs, axle)
        found[f"slip_stiffness_{axle}"] = float(np.mean([_slip_stiffness(vehicle, at_rest, c) for c in of_axle(axle)]))
    found["cg_height_cornering"] = float(runs["slow"][signals.Z][-1])
    return found


def _tyre(vehicle: Vehicle, corner: Corner) -> Tyre:
    return Tyre(vehicle.tyres[vehicle.wheel(corner).tyres[0].tyre])


def _by_the_rig(vehicle: Vehicle, runs: Mapping[str, Run]) -> dict[str, float]:
    """Slopes of the kinematics, over the travel that the wheels had on the road."""
    rough = [runs["rough"], runs["rougher"]]
    found = {}
    for axle in Axle:
        rig, (left, right) = Rig(vehicle, axle), of_axle(axle)
        travel = {c: np.concatenate([run[signals.WHEEL_TRAVEL[c]] for run in rough]) for c in (left, right)}
        both, apart = (np.sort(0.5 * (travel[left] + sign * travel[right]))[::100] for sign in (1.0, -1.0))
        test = programme.parallel(rig, np.unique(both))
        z = test["travel_left"]
        found[f"bump_steer_{axle}"] = _slope(z, 0.5 * (test["toe_left"] + test["toe_right"]))
        found[f"bump_camber_{axle}"] = _slope(z, 0.5 * (test["camber_left"] + test["camber_right"]))
        for corner in (left, right):
            found[f"damper_ratio_{corner}"] = _slope(-test[f"damper_length_{corner.side}"], z)
        if rig.steered:
            turned = programme.steer(rig, np.linspace(-0.0094, 0.0094, 17))
            wheels = 0.5 * (turned["steer_left"] + turned["steer_right"])
            found["steering_ratio"] = _slope(wheels, turned["steering_wheel"])
        else:
            test = programme.opposite(rig, np.unique(apart))
            steer, camber = 0.5 * (test["steer_left"] + test["steer_right"]), test["camber_left"] - test["camber_right"]
            found[f"roll_steer_{axle}"] = _slope(test["roll_angle"], steer)
            found[f"roll_camber_{axle}"] = _slope(test["roll_angle"], 0.5 * camber)
    return found


def _slope(x: Array, y: Array) -> float:
    return float(np.polyfit(x, y, 1)[0])


def _steady_gradients(vehicle: Vehicle, ratio: float) -> dict[str, float]:
    """Understeer and roll gradient by steady turns to either side: the mean of both slopes from 0.5 to 4 m/s²."""
    slopes = []
    for side in ("left", "right"):
        points = []
        for angle in _STEADY:
            settings = {"speed_kmh": 80, "steering_wheel_angle_deg": angle, "direction": side, "rate_degps": 60}
            run = simulate(MultibodyVehicle(vehicle), MANOEUVRES["step_steer"](**settings, hold_s=5.0), sample=0.02)
            last = run.time > run.time[-1] - 0.5
            ay, wheel, yaw, speed, roll = (
                float(run[s][last].mean())
                for s in (signals.AY, signals.STEERING_WHEEL_ANGLE, signals.YAW_RATE, signals.VX, signals.ROLL)
            )
            points.append((ay, wheel / ratio - vehicle.wheelbase * yaw / speed, roll))
        ay, turned, roll = np.array(points).T
        slopes.append((_slope(ay, turned), _slope(ay, roll)))
    understeer, rolling = np.mean(slopes, axis=0)
    return {"understeer_gradient": float(understeer), "roll_gradient": float(rolling)}


def _standing(vehicle: Vehicle) -> Run:
    """At rest after rolling to it: tyres have no side forces left from being put down."""
    return simulate(
        MultibodyVehicle(vehicle), MANOEUVRES["braking"](speed_kmh=20, deceleration_g=0.1, after_s=3.0), sample=0.02
    )


def _loaded_radius(vehicle: Vehicle, at_rest: Equilibrium, runs: Mapping[str, Run], axle: Axle) -> float:
    """By the tyres' own law, at the loads of the standing vehicle and the speeds at which forces act."""
    radii, weights = [], []
    for run in (runs["braking"], runs["gentle"]):
        for corner in of_axle(axle):
            radii.append(
                _tyre(vehicle, corner).loaded_radius(at_rest.wheel_loads[corner], run[signals.WHEEL_SPEED[corner]])
            )
            weights.append(run[signals.FX[corner]] ** 2)
    return float(np.average(np.concatenate(radii), weights=np.concatenate(weights)))


def _slip_stiffness(vehicle: Vehicle, at_rest: Equilibrium, corner: Corner) -> float:
    """By the tyre's own law."""
    tyre, load, slip = _tyre(vehicle, corner), at_rest.wheel_loads[corner], 1e-4
    forward, backward = (float(tyre.evaluate(load, kappa, 0.0, 0.0, 20.0).Fx) for kappa in (slip, -slip))
    return (forward - backward) / (2.0 * slip * load)


def faded(run: Run) -> dict[str, Run]:
    """Three stops with discs that get hotter, and brakes that give less."""
    found = {}
    for k, (cold, hot) in enumerate(((320.0, 430.0), (420.0, 560.0), (540.0, 700.0))):
        temperature = np.linspace(cold, hot, run.time.size)
        factor = 1.0 + FADE * (temperature - 373.15)
        columns = dict(run)
        for corner in Corner:
            column = WHEEL_TORQUE[corner].column
            columns[column] = run[column] * factor
            columns[DISC_TEMPERATURE[corner].column] = temperature
        found[f"stop_{k}"] = Run(columns, run.metadata)
    return found


def fade_estimators() -> Iterator[Estimator]:
    """One of either axle."""
    yield BrakeFade(corner=Corner.FL)
    yield BrakeFade(corner=Corner.RL)


def single_track_run() -> Run:
    """A sweep of the steering wheel, and the side forces that its motion takes, by Newton."""
    step, model = 0.005, SINGLE_TRACK
    time = np.arange(0.0, 20.0, step)
    wheel = math.radians(20.0) * np.minimum(time, 1.0) * np.sin(2.0 * math.pi * (0.3 * time + 0.06 * time**2))
    speed = np.full(time.size, 80.0 / 3.6)
    given = {signals.TIME: time, signals.VX: speed, signals.STEERING_WHEEL_ANGLE: wheel}
    run = drive(model, Run({s.column: values for s, values in given.items()}), step=step).run
    across = model.mass * run[signals.AY]
    turning = model.yaw_inertia * np.gradient(run[signals.YAW_RATE], run.time)
    front = (model.to_rear * across + turning) / model.wheelbase / np.cos(run[signals.STEERING_WHEEL_ANGLE] / 15.0)
    forces = {Axle.FRONT: front, Axle.REAR: (model.to_front * across - turning) / model.wheelbase}
    columns = {signals.FY[corner].column: 0.5 * forces[corner.axle] for corner in Corner}
    return Run({**run, **columns}, run.metadata)


def single_track_known() -> Known:
    """Its geometry, some of it with bounds."""
    model = SINGLE_TRACK
    known = {f"wheel_x_{c}": 0.0 if c.axle is Axle.FRONT else -model.wheelbase for c in Corner}
    known |= {f"toe_{c}": 0.0 for c in Corner}
    known |= {"cg_x": -model.to_front, "steering_ratio": model.steering_ratio}
    return Known(known, {"cg_x": 0.01, "steering_ratio": 0.01 * model.steering_ratio})


def relaxation_estimators() -> Iterator[Estimator]:
    """Of both axles."""
    for axle in Axle:
        yield RelaxationLength(axle=axle)
