"""The real-time model on the road: its equilibrium, and its motion under the driver's inputs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trackrod import _core
from trackrod.core import signals
from trackrod.core.corners import Axle, Corner
from trackrod.core.errors import ConvergenceError, InputError, UnknownNameError
from trackrod.core.quantities import KINDS
from trackrod.core.series import Run
from trackrod.core.signals import Signal
from trackrod.rtm.coefficients import PARAMETERS
from trackrod.rtm.spec import RtmSpec
from trackrod.tyre.model import Tyre

__all__ = ["RealTimeVehicle"]

Array = NDArray[np.float64]

#: Columns of a row of the core, before those of the tyres.
_TIME, _R, _Q, _V, _W = 0, slice(1, 4), slice(4, 8), slice(8, 11), slice(11, 14)
_Z, _SPIN, _STEER, _INCLINATION, _ACCELERATION = (
    slice(14, 18),
    slice(22, 26),
    slice(26, 30),
    slice(30, 34),
    slice(34, 37),
)
_RACK, _ENGINE, _GEAR, _TORQUE, _TYRES = 37, 38, 39, 41, 42
_TYRE_COLUMNS = 10
#: Time to come to rest [s], and the speed that counts as rest [m/s].
_SETTLING, _REST = 6.0, 1e-4

ENGINE_SPEED = Signal("engine_speed", KINDS["angular_velocity"], "speed of the crankshaft")
STEERING_TORQUE = Signal("steering_wheel_torque", KINDS["torque"], "that the driver exerts", "left turn")


class RealTimeVehicle:
    """A real-time model that can be driven.

    Parameters
    ----------
    spec
        What to drive.
    step
        Step of the integration [s].
    """

    def __init__(self, spec: RtmSpec, *, step: float = 1e-3) -> None:
        if not (np.isfinite(step) and 0 < step <= 0.005):
            raise InputError(f"the step is {step} s; more than zero and at most 0.005 s is allowed")
        self.spec = spec
        self.step = step
        self.seconds = 0.0
        self._tilted = False
        self._corners = [wheel.corner for wheel in spec.wheels for _ in wheel.tyres]
        self._core = _compile(spec)

    def settle(self) -> dict[Corner, float]:
        """Let the vehicle come to rest; the wheel loads [N].

        Raises
        ------
        ConvergenceError
            It does not come to rest.
        """
        self._core.reset()
        controls = np.zeros((round(_SETTLING / self.step), 4))
        controls[:, 2] = 1.0 if self._tilted else 0.0  # a slope needs the brake
        rows = self._rows(controls, round(0.1 / self.step))
        speed = float(np.abs(rows[-1, _V]).max())
        if not speed < _REST:
            raise ConvergenceError(f"'{self.spec.name}' does not come to rest: it still moves with {speed:g} m/s")
        loads = rows[-1, _TYRES:].reshape(-1, _TYRE_COLUMNS)[:, 2]
        return {c: float(sum(f for f, at in zip(loads, self._corners, strict=True) if at is c)) for c in Corner}

    def tilt(self, grade: float) -> None:
        """Let the road rise ahead by this much for each metre [-]; to be called before `settle`."""
        if not (np.isfinite(grade) and abs(grade) <= 1.0):
            raise InputError(f"the grade is {grade}, −1 to 1 is allowed")
        angle = np.arctan(grade)
        self._tilted = grade != 0.0
        self._core.set_down(np.array([-np.sin(angle), 0.0, -np.cos(angle)]))

    def start(self, speed: float, gear: int | None = None) -> None:
        """Let the settled vehicle roll straight ahead with a speed [m/s], in a gear that suits it if none is given."""
        spins = []
        for wheel in self.spec.wheels:
            tyre = Tyre(self.spec.tyres[wheel.tyres[0].tyre], mounted=wheel.corner.side)
            spins.append(float(tyre.rolling_speed(tyre.nominal_load, 0.0, speed)) if speed else 0.0)
        engine, gear = self._engine(np.array(spins), gear)
        self._core.start(speed, np.array(spins), engine, gear)

    def _engine(self, spins: Array, gear: int | None) -> tuple[float, int]:
        powertrain = self.spec.powertrain
        if powertrain is None:
            return 0.0, 1
        gearbox = powertrain.gearbox
        mean = powertrain.front_share * spins[:2].mean() + (1.0 - powertrain.front_share) * spins[2:].mean()
        output = float(gearbox.final_drive * mean)
        if gear is None:
            fitting = [g for g, up in enumerate(gearbox.upshift, 1) if output * gearbox.ratios[g - 1] < up]
            gear = fitting[0] if fitting else len(gearbox.ratios)
        return max(output * gearbox.ratios[gear - 1], powertrain.idle_speed), gear

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
        """Drive on under inputs given for each step; as `MultibodyVehicle.advance`.

        Raises
        ------
        ConvergenceError
            The motion is no longer finite.
        """
        controls = _controls(steering_wheel_angle, throttle, brake, gear)
        rows = self._rows(controls, every, road_heights)
        if not np.isfinite(rows[-1]).all():
            good = int(np.isfinite(rows).all(axis=1).sum())
            raise ConvergenceError(
                f"'{self.spec.name}': the motion breaks down after {rows[good - 1, _TIME] if good else 0.0:.4g} s; "
                f"is the step of {self.step:g} s too long?"
            )
        return self._run(rows, controls[every - 1 :: every][: len(rows)])

    def push(self, force: ArrayLike, point: ArrayLike) -> None:
        """Let a constant force [N], in E, act on the body at a point of V [m] from now on: wind, towing."""
        self._core.set_force(np.asarray(force, dtype=float), np.asarray(point, dtype=float))

    def set_friction(self, factors: ArrayLike) -> None:
        """Friction factor of the road under each tyre from now on, 1 on the road that the tyres were measured on."""
        given = np.broadcast_to(np.asarray(factors, dtype=float), len(self._corners))
        if not (np.isfinite(given).all() and (given > 0).all()):
            raise InputError(f"friction factors {given.tolist()} must be finite and greater than zero")
        self._core.set_friction(np.ascontiguousarray(given))

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
        run = self._run(values, controls[every - 1 :: every][: len(values)])
        found: dict[str, dict[str, Array]] = {column: {} for column in run}
        # Every column is a smooth function of a row and of the parameters: its derivative is that along both.
        for k, name in enumerate(names):
            along, value = slopes[:, :, k], self.spec.parameters[name]
            steepest = float(np.abs(along[:, _Q.start : _W.stop]).max(initial=0.0))
            scale = min(1e-5 / max(steepest, 1e-9), 1e-4 * max(abs(value), 1.0))
            up, down = (
                _columns(values + step * along, self.spec.with_parameters(**{name: value + step}), self._corners)
                for step in (scale, -scale)
            )
            for column in up:
                found[column][name] = (up[column] - down[column]) / (2.0 * scale)
        return run, found

    def _rows(self, controls: Array, every: int, heights: Array | None = None) -> Array:
        given = np.zeros((len(controls), 0)) if heights is None else np.ascontiguousarray(heights)
        rows, seconds = self._core.run(self.step, every, np.ascontiguousarray(controls), given)
        self.seconds += seconds
        return rows

    def _run(self, rows: Array, controls: Array) -> Run:
        inputs = {
            signals.STEERING_WHEEL_ANGLE.column: controls[:, 0],
            signals.THROTTLE.column: controls[:, 1],
            signals.BRAKE.column: controls[:, 2],
        }
        columns = {signals.TIME.column: rows[:, _TIME], **inputs, **_columns(rows, self.spec, self._corners)}
        ordered = {name: columns[name] for name in (*signals.SIGNALS, *columns) if name in columns}
        return Run(ordered, {"vehicle": self.spec.name, "model": "rtm"})


def _columns(rows: Array, spec: RtmSpec, corners: Sequence[Corner]) -> dict[str, Array]:
    """Columns of a run, by name, from rows of the core; `corners` are those of the tyres."""
    w, x, y, z = rows[:, _Q].T
    norm = w * w + x * x + y * y + z * z
    yaw = np.unwrap(np.arctan2(2 * (x * y + w * z), w * w + x * x - y * y - z * z))
    pitch = np.arcsin(np.clip(2 * (w * y - x * z) / norm, -1.0, 1.0))
    roll = np.arctan2(2 * (y * z + w * x), w * w - x * x - y * y + z * z)
    R = _matrices(rows[:, _Q])
    offset = _offset(rows, spec)
    place = rows[:, _R] + np.einsum("nij,nj->ni", R, offset)
    body_velocity = rows[:, _V] + np.cross(rows[:, _W], offset)
    velocity = _heading(np.einsum("nij,nj->ni", R, body_velocity), yaw)
    acceleration = _heading(rows[:, _ACCELERATION], yaw)
    found: dict[Signal, Array] = {
        signals.RACK_TRAVEL: rows[:, _RACK],
        signals.GEAR: rows[:, _GEAR],
        signals.X: place[:, 0],
        signals.Y: place[:, 1],
        signals.Z: place[:, 2],
        signals.ROLL: roll,
        signals.PITCH: pitch,
        signals.YAW: yaw,
        signals.VX: velocity[:, 0],
        signals.VY: velocity[:, 1],
        signals.AX: acceleration[:, 0],
        signals.AY: acceleration[:, 1],
        signals.AZ: acceleration[:, 2],
        signals.YAW_RATE: rows[:, _W][:, 2],
        signals.ROLL_RATE: rows[:, _W][:, 0],
        signals.PITCH_RATE: rows[:, _W][:, 1],
        signals.SIDESLIP: np.arctan2(velocity[:, 1], velocity[:, 0]),
        ENGINE_SPEED: rows[:, _ENGINE],
        STEERING_TORQUE: rows[:, _TORQUE],
    }
    tyres = rows[:, _TYRES:].reshape(len(rows), -1, _TYRE_COLUMNS)
    for k, corner in enumerate(Corner):
        at = [i for i, where in enumerate(corners) if where is corner]
        found |= {
            signals.FX[corner]: tyres[:, at, 0].sum(axis=1),
            signals.FY[corner]: tyres[:, at, 1].sum(axis=1),
            signals.FZ[corner]: tyres[:, at, 2].sum(axis=1),
            signals.MZ[corner]: tyres[:, at, 5].sum(axis=1),
            signals.SLIP_ANGLE[corner]: tyres[:, at, 7].mean(axis=1),
            signals.SLIP_RATIO[corner]: tyres[:, at, 6].mean(axis=1),
            signals.WHEEL_SPEED[corner]: rows[:, _SPIN][:, k],
            signals.WHEEL_TRAVEL[corner]: rows[:, _Z][:, k],
            signals.STEER[corner]: rows[:, _STEER][:, k],
            signals.CAMBER[corner]: -corner.side.sign * rows[:, _INCLINATION][:, k],
        }
    return {signal.column: values for signal, values in found.items()}


def _offset(rows: Array, spec: RtmSpec) -> Array:
    """From the sprung to the total centre of gravity in body axes, wheels at their travels [m]."""
    p = spec.parameters
    masses = np.array([p["unsprung_mass_front"]] * 2 + [p["unsprung_mass_rear"]] * 2)
    centres = np.array([wheel.centre for wheel in spec.wheels])
    origin = np.array([centres[0, 0] - p["cg_to_front"], p["cg_y"], p["cg_height"] + spec.road_height])
    moment = masses @ (centres - origin)
    result = np.tile(moment, (len(rows), 1))
    result[:, 2] += rows[:, _Z] @ masses
    return result / spec.mass


def _compile(spec: RtmSpec) -> _core.Rtm:
    core = _core.Rtm(spec.values())
    for i, wheel in enumerate(spec.wheels):
        core.set_wheel(i, np.array(wheel.centre), wheel.first, wheel.second, np.ascontiguousarray(wheel.kinematics))
        for load, item in enumerate(wheel.compliance):
            core.set_compliance(
                i,
                load,
                item.own_load,
                np.ascontiguousarray(item.own),
                item.opposite_load,
                np.ascontiguousarray(item.opposite),
            )
        for place in wheel.tyres:
            tyre = Tyre(spec.tyres[place.tyre], mounted=wheel.corner.side)
            formula, mirrored, coefficients, deflection_load, bottoming = tyre.core_arguments()
            core.add_tyre(i, formula, mirrored, coefficients, deflection_load, bottoming, place.offset, tyre.pressure)
    for i, axle in enumerate(spec.axles):
        curves = (curve.points() for curve in (axle.spring, axle.stops, axle.antiroll, axle.damper))
        core.set_axle(i, axle.steered, axle.drive_on_carrier, *curves)
    if spec.powertrain is not None:
        _set_powertrain(core, spec)
    if spec.steering is not None:
        steering = spec.steering
        core.set_steering(
            steering.torsion_bar.points(),
            steering.assist.points(),
            steering.rack_mass,
            steering.rack_damping,
            steering.rack_friction,
        )
    core.set_road(spec.road_height)
    core.set_lag(spec.compliance_lag)
    core.reset()
    return core


def _set_powertrain(core: _core.Rtm, spec: RtmSpec) -> None:
    powertrain = spec.powertrain
    if powertrain is None:
        return
    gearbox, engine = powertrain.gearbox, powertrain.engine
    front, rear = powertrain.front_share / 2, (1.0 - powertrain.front_share) / 2
    core.set_driveline(
        engine.speed.copy(),
        engine.throttle.copy(),
        engine.torque.copy(),
        np.array([front, front, rear, rear]),
        list(gearbox.ratios),
        list(gearbox.upshift),
        list(gearbox.downshift),
        gearbox.final_drive,
        gearbox.efficiency,
        gearbox.shift_time,
        powertrain.engine_inertia,
        powertrain.driveline_inertia,
        powertrain.idle_speed,
        powertrain.speed_limit,
        powertrain.clutch_capacity,
    )
    differentials = (powertrain.front_differential, powertrain.rear_differential)
    for i, (axle, differential) in enumerate(zip(Axle, differentials, strict=True)):
        if differential is not None and powertrain.drives(axle):
            core.set_differential(i, (differential.curve.x.tolist(), differential.curve.y.tolist()))


def _controls(*inputs: ArrayLike) -> Array:
    arrays = [np.atleast_1d(np.asarray(values, dtype=float)) for values in inputs]
    steps = max(array.size for array in arrays)
    return np.ascontiguousarray(np.column_stack([np.broadcast_to(array, steps) for array in arrays]))


def _matrices(quaternions: Array) -> Array:
    w, x, y, z = quaternions.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), -1, 0)


def _heading(vectors: Array, yaw: Array) -> Array:
    c, s = np.cos(yaw), np.sin(yaw)
    x, y, z = vectors.T
    return np.column_stack((c * x + s * y, c * y - s * x, z))
