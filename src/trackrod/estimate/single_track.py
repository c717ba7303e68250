"""A single-track model from three signals: steering-wheel angle, speed, yaw rate, and lateral acceleration if recorded.

Not everything can be told from them. In slow turns the yaw rate says one number, wheelbase times steering ratio; how
that changes with speed says the understeer gradient; how fast yaw follows the steering wheel says the rest. Motions
depend on stiffness and inertia over mass alone. So every parameter begins with what is usual, with an honest width, and
the recordings narrow it: what they do not narrow is named, and its interval is the usual one.

The estimate makes the posterior probability largest, by Gauss–Newton with exact derivatives. Residuals are no white
noise: they count as many samples as their autocorrelation leaves independent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from trackrod.core.errors import ConvergenceError, InputError, UnknownNameError
from trackrod.core.quantities import STANDARD_GRAVITY
from trackrod.core.series import Run
from trackrod.core.signals import AY, SIDESLIP, STEERING_WHEEL_ANGLE, VX, YAW_RATE
from trackrod.single_track.description import SingleTrack
from trackrod.single_track.drive import drive

__all__ = ["USUAL", "IdentifiedSingleTrack", "ParameterEstimate", "identify_single_track", "usual_single_track"]

Array = NDArray[np.float64]

#: Standard deviation of what is usual: of the logarithm, or absolute for shares and angles.
USUAL: Mapping[str, float] = {
    "steering_ratio": 0.3,
    "front_share": 0.05,
    "cornering_stiffness_front": 0.4,
    "cornering_stiffness_rear": 0.4,
    "yaw_inertia": 0.2,
    "steering_offset": 0.1,
    "wheelbase": 0.0,
}
_ABSOLUTE = frozenset({"front_share", "steering_offset"})
#: As passenger cars have them: stiffness over static load of an axle [1/rad], squared radius of gyration over a b [-].
_STIFFNESS, _GYRATION = 11.0, 1.0
#: A parameter is told if the recordings leave less than this share of its usual width.
_TOLD = 0.5
#: Searches with weights of their own, steps of each, and a step that is none.
_ROUNDS, _ITERATIONS, _SMALL = 8, 40, 1e-4
_NORMAL = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, slots=True)
class ParameterEstimate:
    """A parameter with its interval of 95 %.

    Attributes
    ----------
    name, value
        Of `SingleTrack` [SI].
    standard_deviation, interval
        [SI]
    told
        Whether the recordings say more than what is usual.
    """

    name: str
    value: float
    standard_deviation: float
    interval: tuple[float, float]
    told: bool


@dataclass(frozen=True, slots=True, eq=False)
class IdentifiedSingleTrack:
    """A vehicle, and how well it is known.

    Attributes
    ----------
    model
        With the most probable values.
    estimates
        Of the parameters that were free, by name.
    understeer_gradient
        With its interval [rad/(m/s²)]; other combinations are known better than their parts.
    rms
        What the model misses of each signal [SI], by column.
    independent_samples
        How many the residuals are worth, by column.
    covariance
        Of the free parameters, logarithms but for shares and angles, in the order of `estimates`.
    sentences
        What can and what cannot be told.
    """

    model: SingleTrack
    estimates: Mapping[str, ParameterEstimate]
    understeer_gradient: ParameterEstimate
    rms: Mapping[str, float]
    independent_samples: Mapping[str, float]
    covariance: Array
    sentences: tuple[str, ...]

    def sideslip(self, test: Run, *, step: float = 0.01) -> tuple[Run, Array]:
        """The run of the model in a test, and the standard deviation of its sideslip by the parameters [rad]."""
        names = tuple(self.estimates)
        driven = drive(self.model, test, step=step, with_respect_to=names)
        slopes = driven.slopes[SIDESLIP.column] * _scales(self.model, names)
        return driven.run, np.sqrt(np.einsum("ki,ij,kj->k", slopes, self.covariance, slopes))


def usual_single_track(wheelbase: float, mass: float = 1500.0, *, front_share: float = 0.55) -> SingleTrack:
    """A passenger car as it usually is, to begin with [m, kg]."""
    weight = mass * STANDARD_GRAVITY
    inertia = _GYRATION * mass * front_share * (1.0 - front_share) * wheelbase**2
    front, rear = _STIFFNESS * front_share * weight, 1.2 * _STIFFNESS * (1.0 - front_share) * weight
    return SingleTrack(mass, inertia, wheelbase, front_share, front, rear, steering_ratio=16.0)


def identify_single_track(
    runs: Sequence[Run],
    start: SingleTrack,
    *,
    known: Mapping[str, float] | None = None,
    step: float = 0.02,
    noise: Mapping[str, float] | None = None,
) -> IdentifiedSingleTrack:
    """Identify a single-track model.

    Parameters
    ----------
    runs
        With steering-wheel angle, speed and yaw rate; lateral acceleration at the centre of gravity is used if all
        have it.
    start
        What is usual: `usual_single_track`, or a vehicle alike. Its mass and what is not in `USUAL` are taken as they
        are.
    known
        Standard deviations that replace those of `USUAL`, of the logarithm but for ``front_share`` and
        ``steering_offset``; 0 holds a parameter, as it holds the wheelbase if nothing else is said.
    step
        Of the comparison [s].
    noise
        Least standard deviation of a signal [SI] by column, such as a resolution over √12.

    Raises
    ------
    InputError
        A run lacks a signal, or nothing was steered.
    ConvergenceError
        No motion of the model is near the recordings.
    """
    for name in known or ():
        if name not in USUAL:
            raise UnknownNameError("parameter", name, USUAL)
    widths = {**USUAL, **(known or {})}
    names = tuple(name for name, width in widths.items() if width > 0)
    prior = np.array([widths[name] for name in names])
    for run in runs:
        missing = [s.column for s in (STEERING_WHEEL_ANGLE, VX, YAW_RATE) if s.column not in run]
        if missing:
            raise InputError(f"a run has no {', '.join(missing)}: steering-wheel angle, speed and yaw rate are needed")
    if not any(np.ptp(run[STEERING_WHEEL_ANGLE]) > 0.05 for run in runs):
        raise InputError("nothing was steered: the steering-wheel angle stays within 3 degrees")
    columns = [YAW_RATE.column] + ([AY.column] if all(AY.column in run for run in runs) else [])
    floors = {column: (noise or {}).get(column, 1e-4) for column in columns}
    spread = {c: max(floors[c], 0.1 * float(np.std(np.concatenate([run[c] for run in runs])))) for c in columns}
    worth = dict.fromkeys(columns, 1.0)
    search = _Search(start, runs, tuple(columns), names, prior, step)
    z = np.zeros(len(names))
    for _ in range(_ROUNDS):
        weights = {c: worth[c] / spread[c] ** 2 for c in columns}
        before, z = z, search.minimum(z, weights)
        errors, slopes = search.compared(z)
        for c in columns:  # what the model misses, and how many of its samples are independent
            spread[c] = max(floors[c], float(np.sqrt(np.mean(errors[c] ** 2))))
            worth[c] = _independent(errors[c]) / errors[c].size
        if float(np.abs(z - before).max()) < _SMALL:
            break
    information = np.diag(1.0 / prior**2)
    for c in columns:
        information += worth[c] / spread[c] ** 2 * slopes[c].T @ slopes[c]
    return _result(
        _moved(start, names, z), names, np.asarray(np.linalg.inv(information), dtype=np.float64), prior, errors, worth
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Search:
    """Levenberg and Marquardt's method for the most probable values with given weights."""

    start: SingleTrack
    runs: Sequence[Run]
    columns: tuple[str, ...]
    names: tuple[str, ...]
    prior: Array
    step: float

    def compared(self, z: Array) -> tuple[dict[str, Array], dict[str, Array]]:
        """Model less recordings, and derivatives by the free variables."""
        return _compared(_moved(self.start, self.names, z), self.runs, self.columns, self.names, self.step)

    def minimum(self, z: Array, weights: Mapping[str, float]) -> Array:
        """From z; ConvergenceError where the model has no motion there."""
        errors, slopes = self.compared(z)
        cost, damping = self._cost(z, errors, weights), 1e-3
        for _ in range(_ITERATIONS):
            A, g = np.diag(1.0 / self.prior**2), z / self.prior**2
            for c in self.columns:
                A = A + weights[c] * slopes[c].T @ slopes[c]
                g = g + weights[c] * slopes[c].T @ errors[c]
            move = -np.linalg.solve(A + damping * np.diag(np.diag(A)), g)
            if float(np.abs(move).max()) < _SMALL:
                break
            move *= min(1.0, 0.5 / float(np.abs(move).max()))
            try:
                there = self.compared(z + move)
                new = self._cost(z + move, there[0], weights)
            except ConvergenceError:
                new = np.inf
            if new < cost:
                z, cost, (errors, slopes), damping = z + move, new, there, max(0.1 * damping, 1e-9)
            else:
                damping *= 10.0
        return z

    def _cost(self, z: Array, errors: Mapping[str, Array], weights: Mapping[str, float]) -> float:
        missed = sum(weights[c] * float(errors[c] @ errors[c]) for c in self.columns)
        return missed + float(np.sum((z / self.prior) ** 2))


def _scales(model: SingleTrack, names: Sequence[str]) -> Array:
    """Factor from a free variable to the parameter."""
    return np.array([1.0 if name in _ABSOLUTE else getattr(model, name) for name in names])


def _moved(start: SingleTrack, names: Sequence[str], z: Array) -> SingleTrack:
    values = {
        name: getattr(start, name) + move if name in _ABSOLUTE else getattr(start, name) * float(np.exp(move))
        for name, move in zip(names, z.tolist(), strict=True)
    }
    if "front_share" in values:
        values["front_share"] = min(max(values["front_share"], 0.05), 0.95)
    return replace(start, **values)


def _compared(
    model: SingleTrack, runs: Sequence[Run], columns: Sequence[str], names: tuple[str, ...], step: float
) -> tuple[dict[str, Array], dict[str, Array]]:
    """Model less recording, and derivatives by the free variables, of all runs."""
    driven = [drive(model, run, step=step, with_respect_to=names) for run in runs]
    errors = {
        c: np.concatenate([d.run[c] - run.series(c).at(d.run.time) for d, run in zip(driven, runs, strict=True)])
        for c in columns
    }
    scales = _scales(model, names)
    return errors, {c: np.concatenate([d.slopes[c] for d in driven]) * scales for c in columns}


def _independent(error: Array) -> float:
    """How many independent samples a series is worth: n over the sum of its autocorrelation, up to its first zero."""
    x = error - error.mean()
    n = x.size
    power = np.abs(np.fft.rfft(x, 2 * n)) ** 2
    correlation = np.fft.irfft(power)[:n]
    if not correlation[0] > 0:
        return float(n)
    correlation /= correlation[0]
    end = int(np.argmax(correlation <= 0)) or n
    return float(max(n / (1.0 + 2.0 * correlation[1:end].sum()), 2.0))


def _result(
    model: SingleTrack,
    names: tuple[str, ...],
    covariance: Array,
    prior: Array,
    errors: Mapping[str, Array],
    worth: Mapping[str, float],
) -> IdentifiedSingleTrack:
    deviations = np.sqrt(np.diag(covariance))
    estimates = {}
    for name, deviation, usual in zip(names, deviations.tolist(), prior.tolist(), strict=True):
        value = getattr(model, name)
        if name in _ABSOLUTE:
            interval, std = (value - _NORMAL * deviation, value + _NORMAL * deviation), deviation
        else:
            interval = value * float(np.exp(-_NORMAL * deviation)), value * float(np.exp(_NORMAL * deviation))
            std = value * deviation
        estimates[name] = ParameterEstimate(name, value, std, interval, deviation < _TOLD * usual)
    step = 1e-6
    gradients = np.array(
        [
            (_moved(model, names, step * unit).understeer_gradient - model.understeer_gradient) / step
            for unit in np.eye(len(names))
        ]
    )
    std = float(np.sqrt(gradients @ covariance @ gradients))
    usual = float(np.sqrt(np.sum((gradients * prior) ** 2)))
    value = model.understeer_gradient
    gradient = ParameterEstimate(
        "understeer_gradient", value, std, (value - _NORMAL * std, value + _NORMAL * std), std < _TOLD * usual
    )
    told = [name for name, item in estimates.items() if item.told]
    vague = [name for name, item in estimates.items() if not item.told]
    sentences = [
        f"stiffness and inertia are told over mass alone and given for the mass that was entered, {model.mass:g} kg",
        f"the steering ratio is told times the wheelbase and given for a wheelbase of {model.wheelbase:.3g} m",
    ]
    if told:
        sentences.append(f"told by the recordings: {', '.join(told)}")
    if vague:
        sentences.append(f"not told, as wide as usual: {', '.join(vague)}")
    if not gradient.told:
        sentences.append("the understeer gradient is not told: the turns were too slow or of one speed")
    rms = {c: float(np.sqrt(np.mean(e**2))) for c, e in errors.items()}
    return IdentifiedSingleTrack(
        model, estimates, gradient, rms, {c: worth[c] * e.size for c, e in errors.items()}, covariance, tuple(sentences)
    )
