"""Parameters of a quarter car from an experiment: homotopy, its rivals, and intervals that hold.

The model is pulled to the recording by a force λ (K_P e + K_D ė + K_A ë) with e the difference to what was recorded.
At λ = 1 it follows the recording nearly whatever its parameters; λ falls to zero, each minimum being the start of the
next search (`trackrod.fit.homotopy`). The gains are normalised: a difference as large as the recorded signal makes
`GAIN` times the force that moved the wheel.

Reference: the identification of single-link equivalent quarter cars by homotopy; Vyasarayani, Uchida, Carvalho and
McPhee, Multibody System Dynamics 26 (2011).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import process_time
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.stats import t as student

from trackrod.core.errors import ConvergenceError, InputError, Problem, UnknownNameError, raise_if_errors
from trackrod.fit.blocks import Block
from trackrod.fit.gauss_newton import GaussNewton
from trackrod.fit.homotopy import Homotopy
from trackrod.fit.methods import minimise
from trackrod.fit.objective import Objective
from trackrod.fit.outcome import StopRules
from trackrod.fit.problem import Blocks
from trackrod.reduce.curves import CURVES, TRAVEL, Curve, LinkCurves, Shape
from trackrod.reduce.experiment import Experiment
from trackrod.reduce.model import NAMES, QuarterCar, driven

__all__ = [
    "GAIN",
    "SIGNALS",
    "Bounds",
    "CornerProblem",
    "Identified",
    "Interval",
    "bounds_of",
    "identify",
    "intervals",
    "multi_start",
    "nelder_mead",
    "rms_percent",
    "search",
    "usual_swaps",
    "with_parabolas",
    "without_friction",
]

Array: TypeAlias = NDArray[np.float64]

#: What is compared.
SIGNALS = ("position", "velocity", "acceleration")
#: Gains at λ = 1 on position, velocity and acceleration: force for a difference as large as the signal [-].
GAIN = (50.0, 50.0, 2.0)
#: Pieces of the experiment that count as independent, and probability with which an interval holds the value.
PIECES, LEVEL = 10, 0.95
#: Parameters that exist with a mount only.
MOUNT = ("mount_compliance", "mount_damping")
#: Steps at most after a search, to more digits.
_POLISHING = 5
_PLAIN = Objective(penalty=0.0)
_RULES = StopRules(improvement_pct=1e-3, step=1e-4)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Between what a parameter is looked for.

    Attributes
    ----------
    lower, upper
        [SI]
    logarithmic
        Whether ratios count, as for rates, and not differences.
    """

    lower: float
    upper: float
    logarithmic: bool = False

    def value(self, z: Array | float) -> Array:
        """The parameter at z in [−1, 1]."""
        s = 0.5 * (np.asarray(z) + 1.0)
        if self.logarithmic:
            return np.asarray(self.lower * (self.upper / self.lower) ** s)
        return np.asarray(self.lower + s * (self.upper - self.lower))

    def slope(self, z: float) -> float:
        """Its derivative by z."""
        if self.logarithmic:
            return float(0.5 * np.log(self.upper / self.lower) * self.value(z))
        return 0.5 * (self.upper - self.lower)

    def scaled(self, value: float) -> float:
        """Z of a value, cut at the bounds."""
        if self.logarithmic:
            share = np.log(max(value, self.lower) / self.lower) / np.log(self.upper / self.lower)
        else:
            share = (value - self.lower) / (self.upper - self.lower)
        return float(np.clip(2.0 * share - 1.0, -1.0, 1.0))


def bounds_of(car: QuarterCar, *, mount: bool = True, given: Mapping[str, Bounds] | None = None) -> dict[str, Bounds]:
    """Where the parameters are looked for, about those of a car: its first guess.

    The unsprung share lies between 0 and 1; rates within a factor of five, the higher terms of the spring within the
    rate; transition speeds between 0.02 and 0.6 m/s.

    Parameters
    ----------
    car
        With a first guess as parameters.
    mount
        Whether the damper has one.
    given
        Bounds that replace these.

    Raises
    ------
    InputError
        A bound is not finite, lower and upper are one, a logarithmic one is not above zero, or the first guess lies
        on or outside of a bound that was given.
    """
    p = car.parameters
    rate = p["spring_rate"]
    found = {"unsprung_share": Bounds(0.0, 1.0), "spring_rate": Bounds(rate / 5.0, 5.0 * rate, True)}
    found |= {name: Bounds(-rate, rate) for name in ("spring_second", "spring_third")}
    for name in NAMES[4:10]:
        found[name] = Bounds(0.02, 0.6, True) if name.endswith("speed") else Bounds(p[name] / 5.0, 5.0 * p[name], True)
    if mount:
        found |= {"mount_compliance": Bounds(1e-8, 3e-5, True), "mount_damping": Bounds(1.0, 2e4, True)}
    raise_if_errors(_wrong_bounds(car, given or {}))
    found |= given or {}
    return {name: found[name] for name in NAMES if name in found}


def _wrong_bounds(car: QuarterCar, given: Mapping[str, Bounds]) -> list[Problem]:
    problems = []
    for name, b in given.items():
        if name not in NAMES:
            raise UnknownNameError("parameter of a quarter car", name, NAMES)
        start = car.parameters[name]
        if not (np.isfinite(b.lower) and np.isfinite(b.upper) and b.lower < b.upper):
            problems.append(
                Problem(f"{name}: the bounds are {b.lower:g} and {b.upper:g}", hint="lower < upper is needed")
            )
        elif b.logarithmic and b.lower <= 0:
            problems.append(Problem(f"{name}: the lower bound is {b.lower:g}", hint="above zero is needed"))
        elif not b.lower < start < b.upper:
            text = f"{name}: the start {start:g} is not between its bounds {b.lower:g} and {b.upper:g}"
            problems.append(Problem(text, hint="start inside: on a bound a search cannot tell where to go"))
    return problems


@dataclass(frozen=True)
class CornerProblem:
    """What an optimiser sees: the three signals over scaled parameters.

    Attributes
    ----------
    car
        The corner; parameters without bounds stay as they are in it.
    experiment
        What it should do.
    bounds
        Of what is identified.
    strength
        λ.

    Holds: the index of a signal is the RMS of the difference over the RMS of the signal about its mean [%].
    """

    car: QuarterCar
    experiment: Experiment
    bounds: Mapping[str, Bounds]
    strength: float = 0.0
    chosen: NDArray[np.bool_] | None = field(default=None, compare=False)

    @property
    def names(self) -> tuple[str, ...]:
        """Of what is identified."""
        return tuple(self.bounds)

    @cached_property
    def key(self) -> str:
        """What the results depend on."""
        return f"quarter car {self.car!r} {self.experiment.motion.tobytes()[:64]!r} {self.bounds!r} {self.strength!r}"

    @cached_property
    def _samples(self) -> NDArray[np.bool_]:
        return self.experiment.compared if self.chosen is None else self.chosen

    @cached_property
    def _scale(self) -> Array:
        """RMS of each signal about its mean, times the root of the number of samples [SI]."""
        seen = self.experiment.motion[self._samples]
        return np.asarray(np.std(seen, axis=0) * np.sqrt(len(seen)) / 100.0)

    @cached_property
    def gains(self) -> Array:
        """Of the guide at λ = 1 [N/m], [N·s/m], [kg]."""
        moved = np.std(self.experiment.motion[self.experiment.compared], axis=0)
        return np.asarray(np.array(GAIN) * np.std(self.experiment.load[self.experiment.compared]) / moved)

    @cached_property
    def _places(self) -> list[int]:
        return [NAMES.index(name) for name in self.names]

    def parameters(self, z: Array) -> Array:
        """All parameters at z [SI]."""
        values = self.car.vector
        values[self._places] = [float(b.value(x)) for b, x in zip(self.bounds.values(), z, strict=True)]
        return values

    def scaled(self, values: Mapping[str, float] | None = None) -> Array:
        """Z of parameters, those of the car where nothing is given, cut at the bounds."""
        all_of = {**self.car.parameters, **(values or {})}
        return np.array([b.scaled(all_of[name]) for name, b in self.bounds.items()])

    def _blocks(self, z: Array, derivatives: bool) -> Blocks:
        e = self.experiment
        guide = {"recorded": e.motion, "strength": self.strength, "gains": self.gains} if self.strength else {}
        wheel = driven(self.car, self.parameters(z), e.load, e.sweep.sample, derivatives=derivatives, **guide)  # type: ignore[arg-type]
        rows = self._samples
        residual = (wheel.motion - e.motion)[rows] / self._scale
        time = e.time[rows]
        jacobian: Array | None = None
        if wheel.slopes is not None:
            to_z = np.array([b.slope(x) for b, x in zip(self.bounds.values(), z.tolist(), strict=True)])
            jacobian = wheel.slopes[rows][:, :, self._places] * to_z / self._scale[:, None]
        return tuple(
            Block("sweep", name, residual[:, k].copy(), None if jacobian is None else jacobian[:, k].copy(), time)
            for k, name in enumerate(SIGNALS)
        )

    def evaluate(self, z: Array) -> Blocks:
        """The three indices at z; errors as `FitProblem`."""
        return self._blocks(z, derivatives=False)

    def evaluate_many(self, zs: Sequence[Array]) -> list[Blocks | None]:
        """At many points, one after the other."""
        found: list[Blocks | None] = []
        for z in zs:
            try:
                found.append(self.evaluate(z))
            except ConvergenceError:
                found.append(None)
        return found

    def linearise(self, z: Array) -> Blocks:
        """With exact derivatives."""
        return self._blocks(z, derivatives=True)

    def guided(self, strength: float) -> CornerProblem:
        """The model pulled to the recording."""
        return replace(self, strength=strength)


@dataclass(frozen=True, slots=True)
class Interval:
    """A parameter with what the experiment says about it [SI].

    Attributes
    ----------
    value, lower, upper
        Estimate and the ends of the interval that holds the value with the probability `LEVEL`, cut at the bounds.
    on_bound
        Whether the estimate is on a bound.
    """

    value: float
    lower: float
    upper: float
    on_bound: bool


@dataclass(frozen=True, eq=False)
class Identified:
    """A quarter car with its parameters identified.

    Attributes
    ----------
    car
        The result.
    first
        The car with the first guess.
    experiment
        What it was identified on.
    rms_pct
        RMS of the difference over RMS of the signal about its mean [%], by signal.
    first_rms_pct
        The same for the first guess.
    intervals
        By parameter.
    seconds
        CPU time of the search [s].
    linearisations
        How often derivatives were computed.
    """

    car: QuarterCar
    first: QuarterCar
    experiment: Experiment
    rms_pct: Mapping[str, float]
    first_rms_pct: Mapping[str, float]
    intervals: Mapping[str, Interval]
    seconds: float
    linearisations: int


def rms_percent(car: QuarterCar, experiment: Experiment) -> dict[str, float]:
    """RMS of the difference over RMS of the signal about its mean [%], where models are compared."""
    problem = CornerProblem(car, experiment, {})
    return {block.name: block.value_pct for block in problem.evaluate(np.zeros(0))}


def search(problem: CornerProblem, start: Array, *, guided: bool = True) -> tuple[Array, float, int]:
    """Search from a start; where it ended in z, the mean index [%] and how often derivatives were computed.

    Parameters
    ----------
    problem
        The corner.
    start
        In [−1, 1].
    guided
        By homotopy; plain Gauss–Newton otherwise.

    Raises
    ------
    ConvergenceError
        The model breaks down at the start.
    """
    inner = GaussNewton(prior_pct=1e-4)
    method = Homotopy(inner=inner) if guided else inner
    found = minimise(problem, _PLAIN, method=method, start=start, stop=_RULES)
    return found.z, found.value, found.linearisations


def identify(
    car: QuarterCar,
    experiment: Experiment,
    *,
    mount: bool = True,
    start: Mapping[str, float] | None = None,
    bounds: Mapping[str, Bounds] | None = None,
    guided: bool = True,
    swaps: Sequence[Callable[[QuarterCar], QuarterCar]] | None = None,
) -> Identified:
    """Find the parameters with which a quarter car does what the wheel did.

    Parameters
    ----------
    car
        The corner with a first guess, which also says where to look (`bounds_of`).
    experiment
        What it should do.
    mount
        Whether the damper has a mount.
    start
        Where to begin if not at the first guess.
    bounds
        Of parameters that are looked for elsewhere.
    guided
        By homotopy; plain Gauss–Newton otherwise.
    swaps
        What may be wrong with the model, for the intervals; `usual_swaps` if not given.

    Raises
    ------
    InputError
        As `bounds_of`.
    ConvergenceError
        The model breaks down at the start.
    """
    begun = process_time()
    if not mount:
        car = car.with_parameters(dict.fromkeys(MOUNT, 0.0))
    elif car.parameters["mount_compliance"] == 0.0:
        car = car.with_parameters({"mount_compliance": 1e-6, "mount_damping": 300.0})
    problem = CornerProblem(car, experiment, bounds_of(car, mount=mount, given=bounds))
    z, _, linearisations = search(problem, problem.scaled(start), guided=guided)
    z, more = _polished(problem, z)
    found = car.with_parameters(problem.parameters(z))
    return Identified(
        found,
        car,
        experiment,
        rms_percent(found, experiment),
        rms_percent(car.with_parameters(start or {}), experiment),
        intervals(problem, z, usual_swaps if swaps is None else swaps),
        process_time() - begun,
        linearisations + more,
    )


def _weighted(blocks: Blocks) -> tuple[list[Array], list[Array]]:
    """Jacobians and residuals with which the sum of squares has the minimum of the mean of norms."""
    rows, left = [], []
    for block in blocks:
        if block.jacobian is None:
            raise InputError(f"block {block.label} has no Jacobian")
        weight = 1.0 / np.sqrt(max(block.value_pct, 1e-9))
        rows.append(weight * block.jacobian)
        left.append(weight * block.residual)
    return rows, left


def _polished(problem: CornerProblem, z: Array) -> tuple[Array, int]:
    """The minimum to more digits than a search needs, for intervals may be short; how often it was linearised."""
    value = _PLAIN.value(problem.evaluate(z))
    for count in range(1, _POLISHING + 1):
        rows, left = _weighted(problem.linearise(z))
        inside = np.abs(z) < 1.0 - 1e-6
        step = np.zeros_like(z)
        J, r = np.concatenate(rows)[:, inside], np.concatenate(left)
        step[inside] = -np.linalg.lstsq(J.T @ J, J.T @ r, rcond=1e-12)[0]
        there = np.clip(z + np.clip(step, -0.1, 0.1), -1.0, 1.0)
        blocks = problem.evaluate_many([there])[0]
        found = np.inf if blocks is None else _PLAIN.value(blocks)
        if found >= value:
            return z, count
        z, gained, value = there, value - found, found
        if gained < 1e-9:
            return z, count
    return z, _POLISHING


def without_friction(car: QuarterCar) -> QuarterCar:
    """The seals of its damper do not rub."""
    return replace(car, known={**car.known, "friction": 0.0})


def with_parabolas(car: QuarterCar) -> QuarterCar:
    """Its link is of second order."""
    z = car.known["ride_height"] + np.linspace(-TRAVEL, TRAVEL, 61)
    made = {name: Curve.fitted(z, getattr(car.link, name)(z), Shape.SECOND_ORDER) for name in CURVES}
    return car.with_link(LinkCurves(**made, shape=Shape.SECOND_ORDER))


#: What is known to be uncertain in every quarter car: friction that a component's curve tells, and its curves.
usual_swaps: tuple[Callable[[QuarterCar], QuarterCar], ...] = (without_friction, with_parabolas)


def intervals(
    problem: CornerProblem,
    z: Array,
    swaps: Sequence[Callable[[QuarterCar], QuarterCar]] = (),
    pieces: int = PIECES,
) -> dict[str, Interval]:
    """Intervals of the parameters at an estimate.

    What is left between model and recording is model error for the most part: smooth, alike from sample to sample, and
    like what a parameter does. So samples do not count, pieces of the sweep do, each with its band of frequencies: the
    estimate is repeated with each piece left out (jackknife, linearised), and the sandwich of the pieces' gradients is
    laid beside it, and that of single samples, which is what noise alone makes; the largest variance counts, with
    Student's t of pieces − 1 degrees of freedom.

    What looks like a parameter in all pieces shifts its value, and pieces cannot tell. But part of what may be wrong is
    known: the same model with a sub-model swapped. By how much a swap shifts each parameter adds to its variance, as if
    the size of the error had a standard normal distribution in units of the swap.

    Limits: an error of the model that is like no swap and like a parameter in all pieces.
    """
    blocks = problem.linearise(z)
    n = len(z)
    rows, left = _weighted(blocks)
    parts = np.array_split(np.arange(len(rows[0])), pieces)
    ridge = 1e-9 * np.eye(n)
    matrices = np.array([sum(J[p].T @ J[p] for J in rows) for p in parts])
    gradients = np.array([sum(J[p].T @ r[p] for J, r in zip(rows, left, strict=True)) for p in parts])
    inside = np.abs(z) < 1.0 - 1e-6
    spread = np.zeros(n)
    if inside.any():
        take = np.ix_(inside, inside)
        total = matrices.sum(axis=0)[take] + ridge[take]
        g = gradients[:, inside]
        inverse = np.linalg.pinv(total, hermitian=True)
        centred = g - g.mean(axis=0)
        sandwich = inverse @ (centred.T @ centred) @ inverse * pieces / (pieces - 1)
        moved = np.array(
            [
                np.linalg.lstsq(total - m[take], -(g.sum(axis=0) - own), rcond=1e-12)[0]
                for m, own in zip(matrices, g, strict=True)
            ]
        )
        apart = moved - moved.mean(axis=0)
        jackknife = (pieces - 1) / pieces * apart.T @ apart
        each = np.sum([J[:, inside] * r[:, None] for J, r in zip(rows, left, strict=True)], axis=0)
        samples = inverse @ (each.T @ each) @ inverse
        variance = np.max([np.diag(v) for v in (sandwich, jackknife, samples)], axis=0)
        for swap in swaps:
            swapped = replace(problem, car=swap(problem.car)).evaluate_many([z])[0]
            if swapped is None:
                continue
            weights = [1.0 / np.sqrt(max(block.value_pct, 1e-9)) for block in blocks]
            off = [w * (s.residual - b.residual) for w, s, b in zip(weights, swapped, blocks, strict=True)]
            variance += (inverse @ sum(J[:, inside].T @ d for J, d in zip(rows, off, strict=True))) ** 2
        spread[inside] = np.sqrt(variance)
    reach = float(student.ppf(0.5 + 0.5 * LEVEL, pieces - 1)) * spread
    found = {}
    for k, (name, b) in enumerate(problem.bounds.items()):
        low, high = np.clip(z[k] - reach[k], -1.0, 1.0), np.clip(z[k] + reach[k], -1.0, 1.0)
        found[name] = Interval(float(b.value(z[k])), float(b.value(low)), float(b.value(high)), not bool(inside[k]))
    return found


def nelder_mead(
    problem: CornerProblem, start: Array, *, guided: bool = True, evaluations: int = 4000
) -> tuple[Array, float, int]:
    """The simplex of the paper, for comparison; results as `search`, with the number of evaluations.

    λ falls by halves, with a share of the evaluations for each.
    """
    strengths = [0.5**k for k in range(7)] if guided else []
    z, used = np.clip(start, -1.0, 1.0), 0

    def value_of(at: CornerProblem) -> Callable[[Array], float]:
        def value(x: Array) -> float:
            inside = np.clip(x, -1.0, 1.0)
            outside = float(np.abs(x - inside).max())
            blocks = at.evaluate_many([inside])[0]
            return 1e6 if blocks is None else _PLAIN.value(blocks) * (1.0 + outside)

        return value

    for strength in (*strengths, 0.0):
        share = evaluations // (len(strengths) + 1)
        options = {"maxfev": share, "xatol": 1e-4, "fatol": 1e-4, "adaptive": True}
        found = minimize(value_of(problem.guided(strength)), z, method="Nelder-Mead", options=options)  # type: ignore[call-overload]
        z, used = np.clip(found.x, -1.0, 1.0), used + int(found.nfev)
    return z, value_of(problem)(z), used


def multi_start(problem: CornerProblem, starts: int, seed: int = 0) -> tuple[Array, float, int]:
    """Plain Gauss–Newton from random starts; the best, as `search`."""
    if starts < 1:
        raise InputError(f"{starts} starts are asked for, one or more is needed")
    random = np.random.default_rng(seed)
    best: tuple[Array, float] | None = None
    used = 0
    for start in random.uniform(-1.0, 1.0, (starts, len(problem.names))):
        try:
            z, value, count = search(problem, start, guided=False)
        except ConvergenceError:
            continue
        used += count
        if best is None or value < best[1]:
            best = z, value
    if best is None:
        raise ConvergenceError(f"the quarter car of '{problem.car.name}' gets lost from each of {starts} starts")
    return *best, used
