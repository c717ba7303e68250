"""The whole vehicle on the road: its equilibrium, and its motion under the driver's inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trackrod import _core
from trackrod.core.corners import Axle, Corner
from trackrod.core.driver_inputs import checked_controls, with_environment
from trackrod.core.errors import ConvergenceError, InputError, raise_if_errors
from trackrod.core.model_state import ModelState
from trackrod.core.motion import Attitude
from trackrod.core.plain import Plain
from trackrod.core.quantities import STANDARD_GRAVITY
from trackrod.core.series import Run
from trackrod.core.wheel_inputs import WHEEL_COLUMNS, WheelInputs
from trackrod.multibody.compile import CompiledModel, compile_vehicle
from trackrod.multibody.layout import state_elements
from trackrod.multibody.mechanism import find_wrong_mechanism, listed
from trackrod.multibody.motion import MultibodyMotion, Rows, wheel_pose
from trackrod.multibody.steering import SteeringModel
from trackrod.road.surface import RoadSurface
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
        Newton iterations of each step; None for as many as a step of this length needs: one up to 1 ms, else two.
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
        iterations: int | None = None,
        road_height: float = 0.0,
        steering: SteeringModel = SteeringModel.RATIO,
    ) -> None:
        if not (np.isfinite(step) and step > 0):
            raise InputError(f"the step is {step} s, it must be greater than zero")
        self.vehicle = vehicle
        self.step = step
        self.iterations = _core.usual_iterations(step) if iterations is None else iterations
        self.model: CompiledModel = compile_vehicle(vehicle, steering=steering)
        self._core = self.model.core
        self._layout = Rows(self.model, road_height)
        self._total = vehicle.mass_properties
        self.seconds = 0.0
        self._steepness = 1.0
        self._on_road = False
        for tyre in range(len(self.model.tyres)):
            self._core.set_road(tyre, np.array([0.0, 0.0, road_height]), np.array([0.0, 0.0, 1.0]), 0.0, 1.0)

    def __repr__(self) -> str:
        return f"MultibodyVehicle({self.vehicle!r}, step {1e3 * self.step:g} ms)"

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
        if self._on_road:
            self._core.set_surface(None)
            self._on_road = False
        self._core.set_down(self._chassis, self._layout.road)
        try:
            iterations, residual = self._solve_statics()
        except ConvergenceError:
            self._core.reset()
            wrong = [find_wrong_mechanism(self.vehicle, layout.position) for layout in self.vehicle.axles]
            raise_if_errors(problem for problem in wrong if problem is not None)
            raise
        poses = self._core.poses()
        chassis = poses[self._chassis]
        loads = self._core.tyre_forces()[:, 2]
        attitude = Attitude(*chassis[3:])
        return Equilibrium(
            wheel_loads={
                c: float(sum(f for f, at in zip(loads, self.model.tyres, strict=True) if at is c)) for c in Corner
            },
            travels={
                corner: float(wheel_pose(self.model, corner, poses[body], poses[self._sprung(corner)]).travel)
                for corner, body in zip(self.model.corners, self._layout.bodies, strict=True)
            },
            body_rise=float(chassis[2] - self.model.centres[self._chassis, 2]),
            pitch=float(attitude.pitch),
            roll=float(attitude.roll),
            iterations=iterations,
            residual=residual,
        )

    def state(self) -> ModelState:
        """State and lasting inputs at this instant, to be kept, saved and set again."""
        return ModelState("multibody", self.vehicle.name, *self._names_and_units, self._core.state())

    def set_state(self, state: ModelState) -> None:
        """Go on from a state; step and iterations stay as they are.

        Raises
        ------
        InputError
            The state is that of another vehicle, model or steering.
        """
        state.check("multibody", self.vehicle.name, self._names_and_units[0])
        self._core.set_state(np.ascontiguousarray(state.values))
        self._steepness = -state["input.gravity.z"] / STANDARD_GRAVITY

    @cached_property
    def _names_and_units(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        elements = state_elements(self.model)
        return tuple(name for name, _ in elements), tuple(kind.unit for _, kind in elements)

    def tilt(self, grade: float) -> None:
        """Let the road rise ahead by this much for each metre [-]; to be called before `settle`."""
        angle = np.arctan(_checked_grade(grade))
        self._core.set_gravity(STANDARD_GRAVITY * np.array([-np.sin(angle), 0.0, -np.cos(angle)]))
        self._steepness = float(np.cos(angle))

    def lay_road(self, road: RoadSurface, place: tuple[float, float, float], friction: float = 1.0) -> None:
        """Put a road ahead of the vehicle, until it is settled again; as `RealTimeVehicle.lay_road`."""
        shapes = np.array([self.vehicle.tyres[t.tyre].road_shape for w in self.vehicle.wheels for t in w.tyres])
        self._core.set_surface(road.follower(shapes, place, self._layout.road, friction))
        self._on_road = True

    def set_friction(self, factors: ArrayLike) -> None:
        """Friction factor of the road under each tyre from now on, 1 on the road that the tyres were measured on."""
        given = np.broadcast_to(np.asarray(factors, dtype=float), len(self.model.tyres))
        if not (np.isfinite(given).all() and (given > 0).all()):
            raise InputError(f"friction factors {given.tolist()} must be finite and greater than zero")
        self._core.set_friction(np.ascontiguousarray(given))

    def _solve_statics(self) -> tuple[int, float]:
        converged, iterations, residual, change = self._core.solve_statics(
            _ITERATIONS, _TOLERANCE, _LONGEST, self._chassis
        )
        if not converged:
            raise ConvergenceError(
                f"'{self.vehicle.name}' finds no equilibrium: after {iterations} iterations it still moves by "
                f"{change:g} m, with {residual:g} N left over; {self._worst_body()}"
                f"{self.model.loose}; do the springs carry the load?"
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
        return self._layout.chassis

    def _sprung(self, corner: Corner) -> int:
        """The sprung body that carries a wheel."""
        return self.model.index[self.vehicle.sprung_body(corner.axle)]

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
        axles = [wheel.corner.axle for wheel in self.vehicle.wheels]
        means = {axle: float(spins[[where is axle for where in axles]].mean()) for axle in Axle}
        self._core.set_engine(*powertrain.engage(means, gear))

    def advance(
        self,
        steering_wheel_angle: ArrayLike,
        throttle: ArrayLike,
        brake: ArrayLike,
        gear: ArrayLike,
        *,
        every: int = 1,
        road_heights: Array | None = None,
        wheels: WheelInputs | None = None,
        environment: Array | None = None,
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
        wheels
            What assistance systems do beside the driver; nothing if not given.
        environment
            A row of `ENVIRONMENT` for each step or for all; the road and the still air that were set if not given.

        Raises
        ------
        InputError
            An input is not finite or has another number of steps; one of the wheels is not what `WheelInputs` allows.
        BrokenOffError
            A step has no solution; what was reached before is in the error.
        """
        controls = checked_controls(steering_wheel_angle, throttle, brake, gear, road_heights)
        controls = with_environment(controls, wheels, environment)
        return self.run(self.advance_rows(controls, every, road_heights))

    def advance_rows(self, controls: Array, every: int, road_heights: Array | None = None) -> Array:
        """As `advance`, with less to do: rows of inputs in, rows of samples out.

        Parameters
        ----------
        controls
            Steering-wheel angle [rad], throttle, brake and gear for each step, shape (steps, 4); beyond these, where
            assistance systems act, a row of `WHEEL_COLUMNS`, and behind it, where road and air are given, a row of
            `ENVIRONMENT`.
        every, road_heights
            As for `advance`.
        """
        steps = len(controls)
        targets = np.zeros((steps, len(self.model.drives)))
        if "rack" in self.model.drives:
            targets[:, self.model.drives["rack"]] = self._layout.ratio * controls[:, 0]
        elif "steering_wheel" in self.model.drives:
            targets[:, self.model.drives["steering_wheel"]] = controls[:, 0]
        pedals = np.ascontiguousarray(controls[:, 1:4])
        given, around = np.split(controls[:, 4:], [WHEEL_COLUMNS.size], axis=1)
        if not given.size:
            given = np.zeros((steps, WHEEL_COLUMNS.size))
        heights = np.zeros((steps, 0)) if road_heights is None else np.ascontiguousarray(road_heights)
        time, poses, twists, spins, tyres, drives, lines, other, kept, seconds = self._core.run(
            self.step,
            self.iterations,
            every,
            targets,
            pedals,
            heights,
            np.hstack((self._layout.of_wheels(given), around)),
        )
        self.seconds += seconds
        inputs, at_wheels = controls[every - 1 :: every, :3], given[every - 1 :: every]
        rows = self._layout.joined(inputs, at_wheels, time, poses, twists, spins, tyres, drives, lines, other)
        if kept == len(rows):
            return rows
        message = (
            f"'{self.vehicle.name}': the step after {time[kept - 1] if kept else 0.0:.4g} s has no solution; "
            f"{self._fastest_body()} moves fastest against the body; is the step of {self.step:g} s too long?"
        )
        partial = self.run(rows[:kept], {"completed": False, "broken_off": message}) if kept > 1 else None
        raise BrokenOffError(message, partial)

    def reading(self, row: Array) -> Callable[[str], float]:
        """What one row says: the value of any column [SI unit]."""
        return MultibodyMotion(row, self._layout).value

    def run(self, rows: Array, remarks: Mapping[str, Plain] | None = None) -> Run:
        """The run that rows make up; remarks go into its metadata."""
        metadata: dict[str, Plain] = {"vehicle": self.vehicle.name, "model": "multibody", **(remarks or {})}
        return MultibodyMotion(rows, self._layout).run(metadata)


def _checked_grade(grade: float) -> float:
    if not (np.isfinite(grade) and abs(grade) <= 1.0):
        raise InputError(f"the grade is {grade}, −1 to 1 is allowed")
    return grade
