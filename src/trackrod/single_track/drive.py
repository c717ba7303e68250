"""A single-track model drives what was recorded: steering-wheel angle and speed in, side slip and yaw out.

The equations are discretised by the trapezoidal rule over all samples at once, so that a run is one system of equations
with a band as its Jacobian: Newton's method solves it in a few steps, and its derivatives by any parameter are one more
solution with the same band. Partial derivatives are by complex steps, which are exact to the last digit.

With u the recorded speed, v the lateral velocity, r the yaw rate and δ the steer angle::

    m (dv/dt + u r) = F_f cos δ + F_r            α_f = atan((v + a r)/u) − δ,  α_r = atan((v − b r)/u)
    I dr/dt = a F_f cos δ − b F_r                σ ds/dt + u s = u α            F = −D sin(C atan(K s/(C D)))

A bank of the road adds the part of gravity across it to the first, its friction is a factor of D.

Limits: no roll, no lateral load transfer, no longitudinal forces; below 1 m/s the slip angles are those at 1 m/s.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_banded

from trackrod.core.environment import LEVEL, Environment
from trackrod.core.errors import ConvergenceError, InputError, UnknownNameError
from trackrod.core.quantities import STANDARD_GRAVITY
from trackrod.core.series import Run, uniform_time
from trackrod.core.signals import AY, ROAD_BANK, ROAD_FRICTION, SIDESLIP, STEERING_WHEEL_ANGLE, TIME, VX, VY, YAW_RATE
from trackrod.single_track.description import SingleTrack

__all__ = ["OUTPUTS", "Driven", "drive"]

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

#: What a run has beside its inputs.
OUTPUTS = (YAW_RATE.column, AY.column, SIDESLIP.column, VY.column)
#: Slip angles are not defined at standstill [m/s]; shape factor of the axle's curve; step of a complex derivative.
_SLOWEST, _SHAPE, _STEP = 1.0, 1.3, 1e-30
_ITERATIONS, _CLOSE = 30, 1e-10
_STATES = 4


@dataclass(frozen=True, slots=True, eq=False)
class Driven:
    """A run, and how it depends on parameters.

    Attributes
    ----------
    run
        Inputs and `OUTPUTS`.
    slopes
        Derivative of each of `OUTPUTS` by each parameter [SI], shape (samples, parameters), by column.
    parameters
        What the derivatives are by.
    """

    run: Run
    slopes: Mapping[str, Array]
    parameters: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Given:
    """Inputs at each sample: speed [m/s], steering-wheel angle [rad].

    And the acceleration of gravity to the left [m/s²], and the friction of the road over that of the one that the axles
    are known on [-].
    """

    speed: Array
    wheel: Array
    fall: Array
    grip: Array


def drive(model: SingleTrack, test: Run, *, step: float = 0.01, with_respect_to: Sequence[str] = ()) -> Driven:
    """Drive the recorded steering-wheel angle and speed.

    Parameters
    ----------
    model
        The vehicle.
    test
        With ``steering_wheel_angle_rad`` and ``vx_mps``; on the bank and the friction of its road where it has them.
    step
        Time from one sample of the result to the next [s].
    with_respect_to
        Names of attributes of `SingleTrack`.

    Raises
    ------
    InputError, UnknownNameError
        The test has no such column or holes in it; a parameter that there is not.
    ConvergenceError
        The motion has no solution: a vehicle that is not stable.

    Holds: it begins as the steady turn of its first sample, and a resting steering wheel keeps that turn.
    """
    known = tuple(item.name for item in fields(SingleTrack) if item.name != "name")
    for name in with_respect_to:
        if name not in known:
            raise UnknownNameError("parameter of the single-track model", name, known)
    for signal in (STEERING_WHEEL_ANGLE, VX):
        if not np.isfinite(test[signal]).all():
            raise InputError(f"{signal.column} has missing samples")
    time = uniform_time(test.time, step)
    wheel, speed = (test.series(signal).at(time) for signal in (STEERING_WHEEL_ANGLE, VX))
    u = np.maximum(speed, _SLOWEST)
    around = Environment.of(test)
    slope, bank, friction, _ = np.tile(LEVEL, (time.size, 1)).T if around is None else around.at(time - time[0]).T
    given = _Given(u, wheel, -STANDARD_GRAVITY * np.cos(slope) * np.sin(bank), friction)
    numbers: dict[str, complex] = {name: getattr(model, name) for name in known}
    x = _solve(numbers, time, given)
    slopes = _slopes(numbers, time, given, x, with_respect_to)
    outputs = _outputs(numbers, given, x.astype(complex))
    columns = {TIME.column: time, STEERING_WHEEL_ANGLE.column: wheel, VX.column: speed}
    if around is not None:  # slope and wind change nothing where the speed is given
        felt = (ROAD_BANK.column, ROAD_FRICTION.column)
        columns |= {name: values for name, values in around.columns(time - time[0]).items() if name in felt}
    run = Run(
        {**columns, **{name: value.real for name, value in outputs.items()}},
        {"vehicle": model.name, "model": "single-track"},
    )
    return Driven(run, slopes, tuple(with_respect_to))


def _rates(p: Mapping[str, complex], g: _Given, x: Complex) -> tuple[Complex, Complex]:
    """Right-hand sides of the states v, r, s_f, s_r, shape (samples, 4), and the factors of their rates on the left."""
    u = g.speed
    v, r, s_f, s_r = x.T
    F_f, F_r, delta = _forces(p, g, s_f, s_r)
    a, b = _distances(p)
    right = np.empty_like(x)
    right[:, 0] = (F_f * np.cos(delta) + F_r) / p["mass"] + g.fall - u * r
    right[:, 1] = (a * F_f * np.cos(delta) - b * F_r) / p["yaw_inertia"]
    right[:, 2] = u * (np.arctan((v + a * r) / u) - delta - s_f)
    right[:, 3] = u * (np.arctan((v - b * r) / u) - s_r)
    return right, np.array([1.0, 1.0, p["relaxation_front"], p["relaxation_rear"]], dtype=complex)


def _distances(p: Mapping[str, complex]) -> tuple[complex, complex]:
    return (1.0 - p["front_share"]) * p["wheelbase"], p["front_share"] * p["wheelbase"]


def _forces(p: Mapping[str, complex], g: _Given, s_f: Complex, s_r: Complex) -> tuple[Complex, Complex, Complex]:
    """Side forces of the axles [N] and the steer angle [rad]."""
    forces: list[Complex] = []
    for slip, axle, share in ((s_f, "front", p["front_share"]), (s_r, "rear", 1.0 - p["front_share"])):
        K = p[f"cornering_stiffness_{axle}"]
        K = K / (1.0 + K * p[f"steer_compliance_{axle}"])
        D = p[f"friction_{axle}"] * share * p["mass"] * STANDARD_GRAVITY * g.grip
        linear = p[f"friction_{axle}"] == 0
        force = -K * slip if linear else -D * np.sin(_SHAPE * np.arctan(K * slip / (_SHAPE * D)))
        forces.append(np.asarray(force, dtype=complex))
    delta = np.asarray((g.wheel - p["steering_offset"]) / p["steering_ratio"], dtype=complex)
    return forces[0], forces[1], delta


def _outputs(p: Mapping[str, complex], g: _Given, x: Complex) -> dict[str, Complex]:
    u = g.speed
    v, r, s_f, s_r = x.T
    F_f, F_r, delta = _forces(p, g, s_f, s_r)
    values = (r, (F_f * np.cos(delta) + F_r) / p["mass"] + g.fall, np.arctan(v / u), v)
    return dict(zip(OUTPUTS, values, strict=True))


def _residual(p: Mapping[str, complex], time: Array, g: _Given, x: Complex) -> Complex:
    """Zero for a motion: the steady turn at the first sample, the trapezoidal rule from each to the next."""
    right, left = _rates(p, g, x)
    half = 0.5 * np.diff(time)[:, None]
    out = right.copy()
    moving = left != 0  # a slip angle without relaxation is what it is, at every sample
    later = left * (x[1:] - x[:-1]) - half * (right[1:] + right[:-1])
    out[1:, moving] = later[:, moving]
    return out


def _band(p: Mapping[str, complex], time: Array, g: _Given, x: Array) -> Array:
    """Jacobian of the residual as a band: 3 diagonals above, 7 below."""
    slopes = np.empty((x.shape[0], _STATES, _STATES))  # of right-hand sides: row, column
    for k in range(_STATES):
        moved = x.astype(complex)
        moved[:, k] += 1j * _STEP
        slopes[:, :, k] = _rates(p, g, moved)[0].imag / _STEP
    left = _rates(p, g, x.astype(complex))[1].real
    half = 0.5 * np.diff(time)
    band = np.zeros((3 * _STATES - 1, x.size))
    for i in range(_STATES):
        for k in range(_STATES):
            here, before = slopes[:, i, k].copy(), np.zeros(half.size)
            if left[i] != 0:
                here[1:] = left[i] * (i == k) - half * slopes[1:, i, k]
                before = -left[i] * (i == k) - half * slopes[:-1, i, k]
            band[_STATES - 1 + i - k, k::_STATES] = here
            band[2 * _STATES - 1 + i - k, k:-_STATES:_STATES] = before
    return band


def _solve(p: Mapping[str, complex], time: Array, g: _Given) -> Array:
    x = np.zeros((time.size, _STATES))
    for _ in range(_ITERATIONS):
        residual = _residual(p, time, g, x.astype(complex)).real
        with np.errstate(over="ignore", invalid="ignore"):
            move = _unband(_band(p, time, g, x), residual)
        if not np.isfinite(move).all():
            break
        x = x - move
        if np.abs(move).max() <= _CLOSE * (1.0 + np.abs(x).max()):
            return x
    raise ConvergenceError(
        "the single-track model has no motion here: it leaves the range of its tyres, or is not stable"
    )


def _unband(band: Array, right: Array) -> Array:
    return np.asarray(solve_banded((2 * _STATES - 1, _STATES - 1), band, right.reshape(band.shape[1], -1))).reshape(
        right.shape
    )


def _slopes(p: Mapping[str, complex], time: Array, g: _Given, x: Array, names: Sequence[str]) -> dict[str, Array]:
    found = {column: np.empty((time.size, len(names))) for column in OUTPUTS}
    if not names:
        return found
    state = x.astype(complex)
    trials = [{**p, name: p[name] + 1j * _STEP} for name in names]
    partial = np.stack([_residual(trial, time, g, state).imag / _STEP for trial in trials], axis=-1)
    moved = -_unband(_band(p, time, g, x), partial)
    for k, trial in enumerate(trials):
        for column, values in _outputs(trial, g, state + 1j * _STEP * moved[:, :, k]).items():
            found[column][:, k] = values.imag / _STEP
    return found
