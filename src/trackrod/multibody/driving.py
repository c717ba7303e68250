"""The whole vehicle on the road: its equilibrium, and its motion under the driver's inputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trackrod.core import signals
from trackrod.core.corners import Axle, Corner
from trackrod.core.errors import ConvergenceError, InputError, Problem, raise_if_errors
from trackrod.core.plain import Plain
from trackrod.core.quantities import KINDS
from trackrod.core.series import Run
from trackrod.core.signals import Signal
from trackrod.multibody.compile import CompiledModel, compile_vehicle
from trackrod.multibody.mechanism import find_wrong_mechanism, listed
from trackrod.multibody.motion import BodyAngles, joint_angles, joint_travel, rotation_matrices, wheel_positions
from trackrod.multibody.steering import SteeringModel
from trackrod.tyre.model import Tyre
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["BrokenOffError", "Equilibrium", "MultibodyVehicle"]

Array = NDArray[np.float64]

#: Largest number of iterations of the static solution, and the displacement at which it is reached [m], [rad].
_ITERATIONS, _TOLERANCE = 200, 1e-9
#: Longest displacement in one iteration [m], [rad].
_LONGEST = 0.02
#: Farthest that an equilibrium may lie from the design position [m].
_FARTHEST = 0.4
STANDARD_GRAVITY = 9.80665

ENGINE_SPEED = Signal("engine_speed", KINDS["angular_velocity"], "speed of the crankshaft")
STEERING_TORQUE = Signal("steering_wheel_torque", KINDS["torque"], "that the driver exerts", "left turn")
TWIST = Signal("torsion_bar_twist", KINDS["angle"], "of the torsion bar, steering shaft against pinion", "left turn")


class BrokenOffError(ConvergenceError):
    """A step has no solution. The vehicle keeps its last good state.

    Attributes
    ----------
    partial
        The samples before, None if there are none; ``completed`` of its metadata is false, ``broken_off`` the message.
    """

    def __init__(self, message: str, partial: Run | None) -> None:
        super().__init__(message)
        self.partial = partial


@dataclass(frozen=True, slots=True)
class Equilibrium:
    """A vehicle standing on level ground.

    Attributes
    ----------
    wheel_loads
        [N] by corner.
    travels
        Wheel travel from the design position [m] by corner.
    body_rise, pitch, roll
        How far the sprung body stands above its design position [m], and its angles [rad].
    iterations, residual
        Newton's method: how many, and the largest force left over [N].
    """

    wheel_loads: Mapping[Corner, float]
    travels: Mapping[Corner, float]
    body_rise: float
    pitch: float
    roll: float
    iterations: int
    residual: float


class MultibodyVehicle:
    """A vehicle as multibody model, on a level road unless heights are given.

    Parameters
    ----------
    vehicle
        What to drive, in its present modes and with its present payload.
    step
        Step of the integration [s].
    iterations
        Newton iterations of each step.
    road_height
        Height of the road in V [m]; the lowest point of the unloaded front tyres is about right for bundled vehicles.
    steering
        Whether the rack follows the steering wheel by its ratio, or the steering is a mechanism with a torsion bar.

    Raises
    ------
    InputError
        The step is not a length of time.

    Limits: whether ideal joints lock an axle is not looked for here, because that takes longer than to settle;
    `trackrod inspect` and the K&C rig do.
    """

    def __init__(
        self,
        vehicle: Vehicle,
        *,
        step: float = 1e-3,
        iterations: int = 1,
        road_height: float = 0.0,
        steering: SteeringModel = SteeringModel.RATIO,
    ) -> None:
        if not (np.isfinite(step) and step > 0):
            raise InputError(f"the step is {step} s, it must be greater than zero")
        self.vehicle = vehicle
        self.step = step
        self.iterations = iterations
        self.model: CompiledModel = compile_vehicle(vehicle, steering=steering)
        self._core = self.model.core
        self._total = vehicle.mass_properties
        self.seconds = 0.0
        self._steepness = 1.0
        for tyre in range(len(self.model.tyres)):
            self._core.set_road(tyre, np.array([0.0, 0.0, road_height]), np.array([0.0, 0.0, 1.0]), 0.0, 1.0)

    def settle(self) -> Equilibrium:
        """Put the vehicle into its static equilibrium.

        Raises
        ------
        InputError
            There is none, and an axle of ideal joints has too many or too few constraints.
        ConvergenceError
            There is none near the design position. The vehicle is back at its design position.
        """
        self._core.reset()
        try:
            iterations, residual = self._solve_statics()
        except ConvergenceError:
            self._core.reset()
            wrong = [find_wrong_mechanism(self.vehicle, layout.position) for layout in self.vehicle.axles]
            raise_if_errors(problem for problem in wrong if problem is not None)
            raise
        poses = self._core.poses()[None]
        loads = self._core.tyre_forces()[:, 2]
        angles = BodyAngles(rotation_matrices(poses[:, self._chassis, 3:]))
        return Equilibrium(
            wheel_loads={
                c: float(sum(f for f, at in zip(loads, self.model.tyres, strict=True) if at is c)) for c in Corner
            },
            travels={c: float(wheel_positions(self.model, poses, c)[0][0]) for c in Corner},
            body_rise=float(poses[0, self._chassis, 2] - self.model.centres[self._chassis, 2]),
            pitch=float(angles.pitch[0]),
            roll=float(angles.roll[0]),
            iterations=iterations,
            residual=residual,
        )

    def tilt(self, grade: float) -> None:
        """Let the road rise ahead by this much for each metre [-]; to be called before `settle`."""
        angle = np.arctan(_checked_grade(grade))
        self._core.set_gravity(STANDARD_GRAVITY * np.array([-np.sin(angle), 0.0, -np.cos(angle)]))
        self._steepness = float(np.cos(angle))

    def _solve_statics(self) -> tuple[int, float]:
        converged, iterations, residual, change = self._core.solve_statics(
            _ITERATIONS, _TOLERANCE, _LONGEST, self._chassis
        )
        if not converged:
            raise ConvergenceError(
                f"'{self.vehicle.name}' finds no equilibrium: after {iterations} iterations it still moves by "
                f"{change:g} m, with {residual:g} N left over; {self._worst_body()}; do the springs carry the load?"
            )
        rise = float(self._core.poses()[self._chassis, 2] - self.model.centres[self._chassis, 2])
        carried = float(self._core.tyre_forces()[:, 2].sum())
        weight = self._total.mass * STANDARD_GRAVITY * self._steepness
        if abs(rise) > _FARTHEST or abs(carried - weight) > 0.01 * weight:
            raise ConvergenceError(
                f"'{self.vehicle.name}' finds no equilibrium near its design position: the body would stand "
                f"{rise:+.3f} m from it, the tyres carry {carried:.0f} of {weight:.0f} N; "
                "do the springs carry the load?"
            )
        return iterations, residual

    @property
    def _chassis(self) -> int:
        return self.model.index[self.vehicle.chassis]

    def _worst_body(self) -> str:
        moved = np.linalg.norm(self._core.poses()[:, :3] - self.model.centres, axis=1)
        return f"{self._with_connectors(int(moved.argmax()))} has moved most"

    def _fastest_body(self) -> str:
        """The body whose velocity differs most from that of the sprung body, where a step got lost."""
        velocities = self._core.twists()[:, :3]
        return self._with_connectors(int(np.linalg.norm(velocities - velocities[self._chassis], axis=1).argmax()))

    def _with_connectors(self, body: int) -> str:
        group = self.model.groups[body]
        connectors = [
            c.name for c in self.vehicle.acting(self.vehicle.connectors()) if set(c.bodies) & set(group.names)
        ]
        return f"'{group.names[0]}' (held by {listed(connectors) or 'nothing'})"

    def start(self, speed: float, gear: int | None = None) -> None:
        """Let the settled vehicle roll straight ahead.

        Parameters
        ----------
        speed
            [m/s]
        gear
            From 1; the one that suits the speed if not given.
        """
        if not np.isfinite(speed):
            raise InputError(f"the speed is {speed} m/s, it must be finite")
        loads = self._core.tyre_forces()[:, 2]
        spins = []
        for wheel in self.vehicle.wheels:
            tyre = Tyre(self.vehicle.tyres[wheel.tyres[0].tyre], mounted=wheel.corner.side)
            load = max(float(loads[self.model.tyres.index(wheel.corner)]), 1.0)
            spins.append(float(tyre.rolling_speed(load, 0.0, speed)) if speed else 0.0)
        self._core.set_spins(np.array(spins))
        self._solve_statics()  # rolling tyres are stiffer
        twists = np.zeros_like(self._core.twists())
        twists[:, 0] = speed
        self._core.set_twists(twists)
        self._start_engine(np.array(spins), gear)

    def _start_engine(self, spins: Array, gear: int | None) -> None:
        powertrain = self.vehicle.powertrain
        if powertrain is None:
            return
        gearbox = powertrain.gearbox
        front, rear = (
            float(np.mean([s for s, w in zip(spins, self.vehicle.wheels, strict=True) if w.corner.axle is a]))
            for a in Axle
        )
        output = gearbox.final_drive * (powertrain.front_share * front + (1 - powertrain.front_share) * rear)
        if gear is None:
            fitting = [g for g, up in enumerate(gearbox.upshift, 1) if output * gearbox.ratios[g - 1] < up]
            gear = fitting[0] if fitting else len(gearbox.ratios)
        self._core.set_engine(max(output * gearbox.ratios[gear - 1], powertrain.idle_speed), gear)

    def advance(
        self,
        steering_wheel_angle: ArrayLike,
        throttle: ArrayLike,
        brake: ArrayLike,
        gear: ArrayLike,
        *,
        every: int = 1,
        road_heights: Array | None = None,
    ) -> Run:
        """Drive on under inputs given for each step.

        Parameters
        ----------
        steering_wheel_angle
            [rad], positive to the left, for each step.
        throttle, brake
            Pedals, 0 to 1, for each step.
        gear
            From 1; 0 lets the shift speeds decide, −1 is neutral.
        every
            Steps from one sample of the result to the next.
        road_heights
            Height of the road under each tyre for each step [m].

        Raises
        ------
        InputError
            An input is not finite or has another number of steps.
        BrokenOffError
            A step has no solution; what was reached before is in the error.
        """
        given = {"steering_wheel_angle": steering_wheel_angle, "throttle": throttle, "brake": brake, "gear": gear}
        angle, gas, pedal, gears = checked = [np.atleast_1d(np.asarray(x, dtype=float)) for x in given.values()]
        steps = angle.size
        raise_if_errors(
            problem
            for name, values in (*zip(given, checked, strict=True), ("road_heights", road_heights))
            if values is not None and (problem := _wrong_input(name, values, steps)) is not None
        )
        rack = self.vehicle.steering.ratio * angle if self.vehicle.steering is not None else np.zeros(steps)
        targets = np.zeros((steps, len(self.model.drives)))
        if "rack" in self.model.drives:
            targets[:, self.model.drives["rack"]] = rack
        elif "steering_wheel" in self.model.drives:
            targets[:, self.model.drives["steering_wheel"]] = angle
        pedals = np.column_stack([np.broadcast_to(x, steps) for x in (gas, pedal, gears)])
        heights = np.zeros((steps, 0)) if road_heights is None else np.ascontiguousarray(road_heights)
        time, poses, twists, spins, tyres, drives, other, kept, seconds = self._core.run(
            self.step, self.iterations, every, targets, np.ascontiguousarray(pedals), heights
        )
        self.seconds += seconds
        last = np.arange(every - 1, steps, every)[:kept]
        inputs: dict[Signal | str, Array] = {
            signals.STEERING_WHEEL_ANGLE: angle[last],
            signals.RACK_TRAVEL: rack[last],
            signals.THROTTLE: pedals[last, 0],
            signals.BRAKE: pedals[last, 1],
        }
        inputs |= self._columns(*(array[:kept] for array in (poses, twists, spins, tyres, other)))
        inputs |= self._steering_columns(poses[:kept], drives[:kept])
        metadata: dict[str, Plain] = {"vehicle": self.vehicle.name, "model": "multibody"}
        columns = {signals.TIME: time[:kept], **inputs}
        if kept == steps // every:
            return Run(columns, metadata)
        message = (
            f"'{self.vehicle.name}': the step after {time[kept - 1] if kept else 0.0:.4g} s has no solution; "
            f"{self._fastest_body()} moves fastest against the body; is the step of {self.step:g} s too long?"
        )
        partial = Run(columns, {**metadata, "completed": False, "broken_off": message}) if kept > 1 else None
        raise BrokenOffError(message, partial)

    def _steering_columns(self, poses: Array, drives: Array) -> dict[Signal | str, Array]:
        """What a steering that is a mechanism does: rack travel, torque of the driver, twist of the torsion bar."""
        column = self.model.column
        if column is None:
            return {}
        found: dict[Signal | str, Array] = {
            signals.RACK_TRAVEL: joint_travel(self.model, poses, column.rack),
            STEERING_TORQUE: drives[:, self.model.drives["steering_wheel"]],
        }
        if column.twist is not None:
            found[TWIST] = joint_angles(self.model, poses, column.twist)
        return found

    def _columns(
        self, poses: Array, twists: Array, spins: Array, tyres: Array, other: Array
    ) -> dict[Signal | str, Array]:
        angles = BodyAngles(rotation_matrices(poses[:, self._chassis, 3:]))
        velocity, acceleration = angles.heading(other[:, 3:6]), angles.heading(other[:, 6:9])
        rates = twists[:, self._chassis, 3:]
        found: dict[Signal | str, Array] = {
            signals.GEAR: other[:, 10],
            signals.X: other[:, 0],
            signals.Y: other[:, 1],
            signals.Z: other[:, 2],
            signals.ROLL: angles.roll,
            signals.PITCH: angles.pitch,
            signals.YAW: angles.yaw,
            signals.VX: velocity[:, 0],
            signals.VY: velocity[:, 1],
            signals.AX: acceleration[:, 0],
            signals.AY: acceleration[:, 1],
            signals.AZ: acceleration[:, 2],
            signals.YAW_RATE: rates[:, 2],
            signals.ROLL_RATE: rates[:, 0],
            signals.PITCH_RATE: rates[:, 1],
            signals.SIDESLIP: np.arctan2(velocity[:, 1], velocity[:, 0]),
            ENGINE_SPEED: other[:, 9],
        }
        for k, corner in enumerate(self.model.corners):
            at = [i for i, where in enumerate(self.model.tyres) if where is corner]
            travel, steer, camber = wheel_positions(self.model, poses, corner)
            found |= {
                signals.FX[corner]: tyres[:, at, 0].sum(axis=1),
                signals.FY[corner]: tyres[:, at, 1].sum(axis=1),
                signals.FZ[corner]: tyres[:, at, 2].sum(axis=1),
                signals.MZ[corner]: tyres[:, at, 5].sum(axis=1),
                signals.SLIP_ANGLE[corner]: tyres[:, at, 7].mean(axis=1),
                signals.SLIP_RATIO[corner]: tyres[:, at, 6].mean(axis=1),
                signals.WHEEL_SPEED[corner]: spins[:, k],
                signals.WHEEL_TRAVEL[corner]: travel,
                signals.STEER[corner]: steer,
                signals.CAMBER[corner]: camber,
            }
        return found


def _checked_grade(grade: float) -> float:
    if not (np.isfinite(grade) and abs(grade) <= 1.0):
        raise InputError(f"the grade is {grade}, −1 to 1 is allowed")
    return grade


def _wrong_input(name: str, values: Array, steps: int) -> Problem | None:
    if len(values) not in (1, steps):
        return Problem(f"{name} is given for {len(values)} steps, steering_wheel_angle for {steps}")
    if not np.isfinite(values).all():
        row = int(np.argwhere(~np.isfinite(values))[0][0])
        return Problem(f"{name} of step {row + 1} is {np.ravel(values[row])}, not a finite number")
    return None
