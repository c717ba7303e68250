"""The real-time model on the road: its equilibrium, and its motion under the driver's inputs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.driver_inputs import checked_controls, with_environment
from trackrod.core.errors import ConvergenceError, InputError, UnknownNameError
from trackrod.core.layout import ENVIRONMENT, Layout
from trackrod.core.model_state import ModelState
from trackrod.core.plain import Plain
from trackrod.core.series import Run
from trackrod.core.wheel_inputs import WHEEL_COLUMNS, WheelInputs
from trackrod.road.surface import RoadSurface
from trackrod.rtm.coefficients import PARAMETERS
from trackrod.rtm.compile import compile_model, rolling_start
from trackrod.rtm.layout import INPUTS as INPUT_FIELDS
from trackrod.rtm.layout import STATE, TYRES
from trackrod.rtm.motion import (
    BODY,
    INPUTS,
    STEERING_WHEEL,
    TIME,
    RtmMotion,
    TotalCentre,
    beyond_maps,
    brake_line,
    tyre_columns,
)
from trackrod.rtm.spec import HasModel

__all__ = ["RealTimeVehicle", "require_step"]

Array = NDArray[np.float64]

#: Numbers of a state, in the order of the core.
_ELEMENTS = tuple(
    itertools.chain(STATE.elements(), ((f"input.{name}", kind) for name, kind in INPUT_FIELDS.elements()))
)
_NAMES_AND_UNITS = (tuple(name for name, _ in _ELEMENTS), tuple(kind.unit for _, kind in _ELEMENTS))

#: Where the friction of the road lies in a row of controls with environment.
_FRICTION = 4 + WHEEL_COLUMNS.size + Layout(ENVIRONMENT.fields).column("friction")
#: Time to come to rest [s], and the speed that counts as rest [m/s]: tyres that give way let one with conicity creep.
_SETTLING, _REST = 8.0, 4e-3


def require_step(step: float) -> None:
    """InputError where a step [s] is none that the real-time model takes."""
    if not (np.isfinite(step) and 0 < step <= 0.005):
        raise InputError(f"the step is {step:g} s; more than zero and at most 0.005 s is allowed")


class RealTimeVehicle:
    """A real-time model that can be driven.

    Parameters
    ----------
    model
        What to drive: a real-time model, or what holds one, a conversion or a study.
    step
        Step of the integration [s].
    """

    def __init__(self, model: HasModel, *, step: float = 1e-3) -> None:
        require_step(step)
        spec = model.spec
        self.spec = spec
        self.step = step
        self.seconds = 0.0
        self._tilted = False
        self._friction = 1.0
        self._on_road = False
        self._corners = [wheel.corner for wheel in spec.wheels for _ in wheel.tyres]
        self._centre, self._tyres, self._brakes = TotalCentre.of(spec), tyre_columns(spec), brake_line(spec)
        self._elastic = spec.steering is not None
        self._core = compile_model(spec)

    def __repr__(self) -> str:
        return f"RealTimeVehicle({self.spec!r}, step {1e3 * self.step:g} ms)"

    def settle(self) -> dict[Corner, float]:
        """Let the vehicle come to rest; the wheel loads [N].

        Raises
        ------
        ConvergenceError
            It does not come to rest.
        """
        # Brakes would hold the wheels where the suspension moves them along the road, and so carry part of the weight:
        # they are for slopes. On level ground the vehicle may roll along slowly.
        along = np.zeros((0, len(PARAMETERS)))
        if self._on_road:
            self._core.set_surface(None)
            self._on_road = False
        speed = self._core.settle(self.step, round(_SETTLING / self.step), along, self._tilted)
        if not speed < _REST:
            raise ConvergenceError(f"'{self.spec.name}' does not come to rest: it still moves with {speed:g} m/s")
        read = self.reading(self._advance(np.array([[0.0, 0.0, float(self._tilted), 0.0]]), 1, None)[-1])
        return {corner: read(signals.FZ[corner].column) for corner in Corner}

    def state(self) -> ModelState:
        """State and lasting inputs at this instant, to be kept, saved and set again."""
        return ModelState("rtm", self.spec.name, *_NAMES_AND_UNITS, self._core.state())

    def block(self) -> Array:
        """The compiled model, parameters apart, as one flat block of numbers that a core on any machine can read."""
        return self._core.block()

    def set_state(self, state: ModelState) -> None:
        """Go on from a state; the parameters of the model stay as they are.

        Raises
        ------
        InputError
            The state is that of another vehicle or model.
        """
        state.check("rtm", self.spec.name, _NAMES_AND_UNITS[0])
        self._core.set_state(np.ascontiguousarray(state.values))
        self._tilted = state["input.down.x"] != 0.0
        self._friction = min(state[f"input.friction.{tyre}"] for tyre in TYRES[: len(self._corners)])

    def tilt(self, grade: float) -> None:
        """Let the road rise ahead by this much for each metre [-]; to be called before `settle`."""
        if not (np.isfinite(grade) and abs(grade) <= 1.0):
            raise InputError(f"the grade is {grade}, −1 to 1 is allowed")
        angle = np.arctan(grade)
        self._tilted = grade != 0.0
        self._core.set_down(np.array([-np.sin(angle), 0.0, -np.cos(angle)]))

    def lay_road(self, road: RoadSurface, place: tuple[float, float, float], friction: float = 1.0) -> None:
        """Put a road ahead of the vehicle, until it is settled again.

        Parameters
        ----------
        road
            What it drives on from now on.
        place
            x, y and yaw of its centre of gravity in E [m], [rad].
        friction
            Factor of the whole road.
        """
        shapes = np.array([self.spec.tyres[tyre.tyre].road_shape for wheel in self.spec.wheels for tyre in wheel.tyres])
        self._core.set_surface(road.follower(shapes, place, self.spec.road_height, friction))
        self._on_road = True
        self._friction = min(self._friction, friction * min(road.friction))

    def start(self, speed: float, gear: int | None = None) -> None:
        """Let the settled vehicle roll straight ahead with a speed [m/s], in a gear that suits it if none is given."""
        self._core.start(speed, *rolling_start(self.spec, speed, gear))

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
        steering_wheel_torque: ArrayLike | None = None,
    ) -> Run:
        """Drive on under inputs given for each step; as `MultibodyVehicle.advance`.

        Parameters
        ----------
        steering_wheel_torque
            Of the driver [N·m], to the left positive: where it is given, the steering wheel turns as it likes, and its
            angle in the inputs counts for nothing.

        Raises
        ------
        InputError
            An input is not finite, has another number of steps, or is not what `WheelInputs` allows at a wheel; a
            torque is given, and the steering is rigid.
        ConvergenceError
            The motion is no longer finite.
        """
        by_torque = steering_wheel_torque is not None
        if by_torque and self.spec.steering is None:
            raise InputError(
                f"'{self.spec.name}' has a rigid steering, which a torque at the steering wheel cannot turn"
            )
        hands = steering_wheel_torque if steering_wheel_torque is not None else steering_wheel_angle
        controls = checked_controls(hands, throttle, brake, gear, road_heights)
        controls = with_environment(controls, wheels, environment)
        self._core.steer_by_torque(by_torque)
        try:
            rows = self.advance_rows(controls, every, road_heights)
        finally:
            self._core.steer_by_torque(False)
        if by_torque:
            rows[:, 0] = rows[:, STEERING_WHEEL]
        return self.run(rows)

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
        rows = self._advance(controls, every, road_heights)
        if controls.shape[1] > _FRICTION:
            self._friction = min(self._friction, float(controls[:, _FRICTION].min()))
        if not math.isfinite(rows[-1].sum()):
            good = int(np.isfinite(rows).all(axis=1).sum())
            raise ConvergenceError(
                f"'{self.spec.name}': the motion breaks down after {rows[good - 1, TIME] if good else 0.0:.4g} s; "
                f"is the step of {self.step:g} s too long?"
            )
        return rows

    def reading(self, row: Array) -> Callable[[str], float]:
        """What one row says: the value of any column [SI unit]."""
        return RtmMotion(row, self._centre, self._tyres, self._brakes, elastic=self._elastic).value

    def run(self, rows: Array) -> Run:
        """The run that rows make up; `beyond_maps` of its metadata says where the kinematics were left."""
        beyond: list[Plain] = [*beyond_maps(rows, self.spec)]
        metadata: dict[str, Plain] = {"vehicle": self.spec.name, "model": "rtm", "beyond_maps": beyond}
        run = RtmMotion(rows, self._centre, self._tyres, self._brakes, elastic=self._elastic).run(metadata)
        validity = self.spec.validity
        return run if validity is None else validity.marked(run, friction=self._friction, mass=self.spec.mass)

    def push(self, force: ArrayLike, point: ArrayLike) -> None:
        """Let a constant force [N], in E, act on the body at a point of V [m] from now on: wind, towing."""
        self._core.set_force(np.asarray(force, dtype=float), np.asarray(point, dtype=float))

    def set_friction(self, factors: ArrayLike) -> None:
        """Friction factor of the road under each tyre from now on, 1 on the road that the tyres were measured on."""
        given = np.broadcast_to(np.asarray(factors, dtype=float), len(self._corners))
        if not (np.isfinite(given).all() and (given > 0).all()):
            raise InputError(f"friction factors {given.tolist()} must be finite and greater than zero")
        self._core.set_friction(np.ascontiguousarray(given))
        self._friction = float(given.min())

    def keep_start(self) -> None:
        """Remember the present state as the start of `derivatives`."""
        self._core.keep_start()

    def derivatives(
        self, controls: Array, names: Sequence[str], *, every: int = 1
    ) -> tuple[Run, dict[str, dict[str, Array]]]:
        """The run from the kept start, and the exact derivative of every column by each parameter named.

        Parameters
        ----------
        controls
            Rows of steering-wheel angle [rad], throttle, brake and gear, one for each step.
        names
            Parameters by name.

        Returns
        -------
        run, derivatives
            The run, and arrays by column and parameter [unit of the column over unit of the parameter].
        """
        known = [item.name for item in PARAMETERS]
        for name in names:
            if name not in known:
                raise UnknownNameError("parameter of the real-time model", name, known)
        seeds = [known.index(name) for name in names]
        heights = np.zeros((len(controls), 0))
        values, slopes = self._core.derivatives(self.step, every, np.ascontiguousarray(controls), heights, seeds)
        given = controls[every - 1 :: every][: len(values), :INPUTS]
        rows = np.column_stack((given, values))
        run = self.run(rows)
        found: dict[str, dict[str, Array]] = {column: {} for column in run}
        # Every column is a smooth function of a row and of the parameters: its derivative is that along both.
        for k, name in enumerate(names):
            along, value = np.column_stack((np.zeros_like(given), slopes[:, :, k])), self.spec.parameters[name]
            steepest = float(np.abs(along[:, BODY]).max(initial=0.0))
            scale = min(1e-5 / max(steepest, 1e-9), 1e-4 * max(abs(value), 1.0))
            up, down = (
                RtmMotion(
                    rows + step * along,
                    TotalCentre.of(self.spec, **{name: value + step}),
                    self._tyres,
                    brake_line(self.spec, **{name: value + step}),
                    elastic=self._elastic,
                ).columns()
                for step in (scale, -scale)
            )
            for column in up:
                found[column][name] = (up[column] - down[column]) / (2.0 * scale)
        return run, found

    def _advance(self, controls: Array, every: int, heights: Array | None) -> Array:
        given = np.zeros((len(controls), 0)) if heights is None else np.ascontiguousarray(heights)
        rows, seconds = self._core.run(self.step, every, controls, given)
        self.seconds += seconds
        return np.concatenate((controls[every - 1 :: every][: len(rows), :INPUTS], rows), axis=1)
