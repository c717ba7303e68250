"""Magic Formula 6.1 fitted to bench data, stage by stage, with intervals.

Each stage adds coefficients and fits all of its output so far by least squares on the steady-state points, with exact
derivatives of the tyre model. Then the coefficients that the points do not tell return to their neutral values, and the
rest is fitted once more.

What is left over is no white noise: the points of a sweep share its temperature, its wear and what the formula cannot
follow. So a sweep counts as one observation, and the covariance is that of clusters, with the leverage of each sweep
taken out (Bell and McCaffrey, Survey Methodology 28, 2002) and intervals by Student's t with the degrees of freedom
that each coefficient has by itself. What an earlier stage left uncertain counts in the later ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares
from scipy.stats import t as student

from trackrod.core.errors import InputError
from trackrod.estimate.tyre_data import BenchData
from trackrod.estimate.tyre_stages import FITTED, STAGES, Need, Stage, neutral_values
from trackrod.estimate.tyre_sweeps import OUTPUTS, RELAXED, Points, Sweeps, find_sweeps
from trackrod.tyre.coefficients import Version
from trackrod.tyre.model import Tyre
from trackrod.tyre.properties import TyreProperties, Tyreside

__all__ = ["LEVEL", "FittedCoefficient", "Misfit", "TyreFit", "fit_tyre", "left_out"]

Array = NDArray[np.float64]

#: Probability of an interval.
LEVEL = 0.95
#: A coefficient is told if its standard deviation is below this share of the range that its bounds leave.
_TOLD = 0.25
#: Distance from a bound, as a share of the range, at which a coefficient lies on it.
_ON_BOUND = 1e-6
#: Sweeps below which intervals are not to be trusted.
_FEW_SWEEPS = 10
#: Weight of a curvature factor above 1, in units of the spread of the output.
_PENALTY = 10.0


@dataclass(frozen=True, slots=True)
class FittedCoefficient:
    """A coefficient with its interval.

    Attributes
    ----------
    name, value
        Of the property file [-].
    standard_deviation
        [-]
    interval
        Ends of the range that holds it with the probability `LEVEL` [-].
    freedom
        Degrees of freedom that the standard deviation rests on.
    on_bound
        Whether it lies on a bound, where it has no interval: it is held there.
    """

    name: str
    value: float
    standard_deviation: float
    interval: tuple[float, float]
    freedom: float
    on_bound: bool = False


@dataclass(frozen=True, slots=True)
class Misfit:
    """Root mean square of what the tyre misses of one output, over the samples of a condition.

    Attributes
    ----------
    output
        Force [N] or moment [N·m].
    load, camber
        Of the condition [N, rad]; None for all.
    samples
        How many there are.
    rms
        [N or N·m]
    largest
        Largest absolute value that was measured [N or N·m].
    """

    output: str
    load: float | None
    camber: float | None
    samples: int
    rms: float
    largest: float


@dataclass(frozen=True, slots=True, eq=False)
class TyreFit:
    """A tyre with what is known about it.

    Attributes
    ----------
    properties
        The tyre.
    coefficients
        What was fitted, by name.
    not_told
        Coefficients at neutral values, by name, with the reason.
    misfits
        For each output over all samples, then by load and camber.
    sweeps
        What it was fitted to.
    notes
        What was found out, assumed and left out.
    """

    properties: TyreProperties
    coefficients: Mapping[str, FittedCoefficient]
    not_told: Mapping[str, str]
    misfits: tuple[Misfit, ...]
    sweeps: Sweeps
    notes: tuple[str, ...]

    def misfit(self, output: str) -> Misfit:
        """Over all samples."""
        return next(item for item in self.misfits if item.output == output and item.load is None)


@dataclass(slots=True)
class _Work:
    """A tyre on its way: values so far, what was fitted, what was not told."""

    properties: TyreProperties
    fitted: dict[str, FittedCoefficient] = field(default_factory=dict)
    not_told: dict[str, str] = field(default_factory=dict)
    #: What each sweep adds to the error of a coefficient, by name.
    shares: dict[str, Array] = field(default_factory=dict)


def fit_tyre(
    data: BenchData | Sweeps,
    *,
    nominal_load: float | None = None,
    name: str = "tyre",
    radius: float | None = None,
    outputs: Sequence[str] = OUTPUTS,
) -> TyreFit:
    """Fit Magic Formula 6.1.

    Parameters
    ----------
    data
        Samples of a bench, or the sweeps that were found in them.
    nominal_load
        FNOMIN [N]; the load of the data that is nearest to their mean, if not given.
    name
        Of the tyre.
    radius
        UNLOADED_RADIUS [m]; from the measured loaded radius if not given.
    outputs
        Forces and moments to fit.

    Raises
    ------
    InputError
        No slip is swept, no force was measured, or the radius is not known.
    """
    sweeps = data if isinstance(data, Sweeps) else find_sweeps(data)
    notes = [*(data.notes if isinstance(data, BenchData) else ()), *sweeps.notes]
    points = sweeps.points
    if not any(output in points for output in ("Fx", "Fy")):
        raise InputError("neither Fx nor Fy was measured")
    work = _Work(_start(sweeps, nominal_load, name, radius, notes))
    offers = _offers(points)
    for output, slip in dict.fromkeys((stage.output, stage.slip) for stage in STAGES):
        chain = [stage for stage in STAGES if (stage.output, stage.slip) == (output, slip)]
        usable = _of_slip(points, slip) if output in points and output in outputs else None
        if usable is None:
            where = {"combined": " at combined slip", "": ""}.get(slip, f" over {slip}")
            reason = f"{output} was not measured{where}"
            work.not_told.update({item.name: reason for stage in chain for item in stage.coefficients})
            continue
        _fit_chain(work, chain, usable, offers)
    properties = _with_relaxation(work.properties, sweeps, notes)
    used = np.unique(points.sweep).size
    if used < _FEW_SWEEPS:
        notes.append(f"intervals rest on {used} sweeps, too few to show what changes from one to the next: too narrow")
    return TyreFit(properties, work.fitted, work.not_told, tuple(_misfits(properties, sweeps)), sweeps, tuple(notes))


def left_out(fit: TyreFit, load: float) -> float:
    """Root mean square [N] of Fy at a load of ``fit.sweeps.levels('load')``, by a fit that has not seen it."""
    c = fit.properties.coefficients
    seen = fit.sweeps.without_load(load)
    blind = fit_tyre(seen, nominal_load=c["FNOMIN"], radius=c["UNLOADED_RADIUS"], outputs=("Fy",))
    unseen = fit.sweeps.at_load(load)
    tyre = Tyre(blind.properties.with_values(**_WIDE))
    return float(np.sqrt(np.mean((tyre.evaluate(*unseen.inputs(), threads=1).Fy - unseen["Fy"]) ** 2)))


# What is known before the fit ----------------------------------------------------------------------------------

#: Ranges that nothing is clipped to.
_WIDE = {"FZMIN": 10.0, "FZMAX": 1e5, "KPUMIN": -1.5, "KPUMAX": 1.5, "ALPMIN": -1.5, "ALPMAX": 1.5}
_WIDE |= {"CAMMIN": -0.5, "CAMMAX": 0.5, "PRESMIN": 1e4, "PRESMAX": 1e6}


def _start(
    sweeps: Sweeps, nominal_load: float | None, name: str, radius: float | None, notes: list[str]
) -> TyreProperties:
    points = sweeps.points
    loads, pressures = sweeps.levels("load"), sweeps.levels("pressure")
    load = float(loads[np.abs(loads - loads.mean()).argmin()]) if nominal_load is None else nominal_load
    pressure = float(pressures[np.abs(pressures - pressures.mean()).argmin()])
    values = {**neutral_values(), "FNOMIN": load, "LONGVL": float(np.mean(points["Vx"]))}
    values |= {"INFLPRES": pressure, "NOMPRES": pressure}
    free, stiffness, growth = _vertical(points, pressure)
    if radius is None and free is None:
        hint = "the loaded radius was not measured at two loads"
        raise InputError(f"the free radius of the tyre must be given: {hint}")
    values["UNLOADED_RADIUS"] = radius if radius is not None else float(free or 0.0)
    if stiffness is None:
        stiffness = load / (0.06 * values["UNLOADED_RADIUS"])
        notes.append(
            f"the vertical stiffness was not measured: {stiffness:.0f} N/m stands for a deflection of 6 % of the radius"
        )
    values |= {"VERTICAL_STIFFNESS": stiffness, "PFZ1": growth}
    values |= _ranges(sweeps)
    return TyreProperties(Version.MF61, values, frozenset(values), Tyreside.LEFT, name=name)


def _vertical(points: Points, pressure: float) -> tuple[float | None, float | None, float]:
    """Free radius [m], vertical stiffness [N/m], its growth with pressure [-]: the radius is linear in load."""
    if "radius" not in points or np.ptp(points["Fz"]) < 0.2 * np.mean(points["Fz"]):
        return None, None, 0.0
    rise = points["p"] / pressure - 1.0
    terms = np.column_stack([np.ones(len(points)), -points["Fz"], points["Fz"] * rise])
    (free, compliance, softer), *_ = np.linalg.lstsq(terms, points["radius"], rcond=None)
    return float(free), float(1.0 / compliance), float(softer / compliance)


def _ranges(sweeps: Sweeps) -> dict[str, float]:
    """What was measured, and no more: beyond it a tyre model says that it extrapolates."""
    points = sweeps.points
    camber = float(np.abs(points["gamma"]).max())
    ranges = {
        "FZMIN": points["Fz"].min(),
        "FZMAX": points["Fz"].max(),
        "ALPMIN": points["alpha"].min(),
        "ALPMAX": points["alpha"].max(),
        "CAMMIN": min(-camber, -0.01),
        "CAMMAX": max(camber, 0.01),
        "PRESMIN": points["p"].min(),
        "PRESMAX": points["p"].max(),
    }
    if np.ptp(points["kappa"]) > 0.02:
        ranges |= {"KPUMIN": points["kappa"].min(), "KPUMAX": points["kappa"].max()}
    return {key: float(value) for key, value in ranges.items()}


def _offers(points: Points) -> dict[Need, bool]:
    """What the data vary in."""
    load, camber, pressure = (
        _distinct(points["Fz"], 0.15 * float(points["Fz"].mean())),
        _distinct(np.abs(points["gamma"]), math.radians(0.5)),
        _distinct(points["p"], 0.05 * float(points["p"].mean())),
    )
    speed = _distinct(points["Vx"], 0.2 * float(points["Vx"].mean()))
    return {
        Need.LOAD: load >= 2,
        Need.LOADS: load >= 3,
        Need.CAMBER: camber >= 2,
        Need.CAMBERS: camber >= 3,
        Need.LEANS: bool(points["gamma"].min() < -math.radians(0.5) and points["gamma"].max() > math.radians(0.5)),
        Need.PRESSURE: pressure >= 2,
        Need.PRESSURES: pressure >= 3,
        Need.SPEED: speed >= 2,
    }


def _distinct(values: Array, step: float) -> int:
    """How many values there are that lie a step apart."""
    count, last = 0, -math.inf
    for value in np.sort(values):
        if value - last >= step:
            count, last = count + 1, float(value)
    return count


def _of_slip(points: Points, slip: str) -> Points | None:
    """Points of pure or of combined slip; None where there are too few."""
    side, along = np.abs(points["alpha"]) > math.radians(0.5), np.abs(points["kappa"]) > 0.005
    swept = {number for number in np.unique(points.sweep) if np.ptp(points["kappa"][points.sweep == number]) > 0.02}
    in_kappa = np.isin(points.sweep, sorted(swept))
    chosen = {"alpha": ~in_kappa & ~along, "kappa": in_kappa & ~side, "combined": in_kappa & side, "": ~along}[slip]
    return points.at(chosen) if np.count_nonzero(chosen) >= 20 else None


# The fit ---------------------------------------------------------------------------------------------------------


def _fit_chain(work: _Work, chain: Sequence[Stage], points: Points, offers: Mapping[Need, bool]) -> None:
    """Stage after stage of one output, then all of them; what is not told returns to neutral."""
    names: list[str] = []
    for stage in chain:
        for item in stage.coefficients:
            missing = [need for need in item.needs if not offers[need]]
            if missing:
                work.not_told[item.name] = f"the data do not have {missing[0]}"
            else:
                names.append(item.name)
        joined = [item.name for item in stage.coefficients if item.name in names]
        if joined:
            subset = points.at(_nominal(points, work.properties)) if stage is chain[0] else points.at(_some(points))
            work.properties = _solve(work.properties, names, subset if len(subset) >= 20 else points, stage.output)
    output = chain[0].output
    work.properties = _solve(work.properties, names, points, output)
    while True:
        found, shares = _intervals(work, names, points, output)
        vague = [
            item
            for item in found
            if not item.on_bound
            and not item.standard_deviation < _TOLD * (FITTED[item.name].high - FITTED[item.name].low)
        ]
        if not vague:
            break
        worst = max(vague, key=lambda item: item.standard_deviation / (FITTED[item.name].high - FITTED[item.name].low))
        names.remove(worst.name)
        work.not_told[worst.name] = f"the data leave it uncertain by ±{worst.standard_deviation:.2g}"
        work.properties = work.properties.with_values(**{worst.name: FITTED[worst.name].neutral})
        work.properties = _solve(work.properties, names, points, output)
    work.fitted.update({item.name: item for item in found})
    work.shares.update(shares)


def _some(points: Points) -> NDArray[np.intp]:
    """A part of many points, which is enough to begin with."""
    return np.arange(0, len(points), max(len(points) // 1000, 1))


def _nominal(points: Points, properties: TyreProperties) -> NDArray[np.bool_]:
    """Points at the nominal load and pressure without camber."""
    c = properties.coefficients
    return np.asarray(
        (np.abs(points["Fz"] / c["FNOMIN"] - 1.0) < 0.15)
        & (np.abs(points["gamma"]) < math.radians(0.5))
        & (np.abs(points["p"] / c["NOMPRES"] - 1.0) < 0.05)
    )


def _solve(properties: TyreProperties, names: Sequence[str], points: Points, output: str) -> TyreProperties:
    """Least squares over some coefficients from where they are."""
    items = [FITTED[name] for name in names]
    low, high = (np.array([getattr(item, end) for item in items]) for end in ("low", "high"))
    width = high - low
    start = (np.array([properties.coefficients[name] for name in names]) - low) / width
    spread = float(np.std(points[output])) or 1.0
    free = properties.with_values(**_WIDE)
    inputs = points.inputs()

    def residual(x: Array) -> Array:
        trial = free.with_values(**dict(zip(names, low + width * x, strict=True)))
        values = np.asarray(getattr(Tyre(trial).evaluate(*inputs, threads=1), output))
        return np.concatenate([(values - points[output]) / spread, _excess(trial, points, output)])

    def jacobian(x: Array) -> Array:
        trial = free.with_values(**dict(zip(names, low + width * x, strict=True)))
        slopes = _slopes(trial, names, points, output) * width / spread
        here = _excess(trial, points, output)
        rows = np.empty((here.size, len(names)))
        for k, name in enumerate(names):  # few points, so differences do
            moved = trial.with_values(**{name: trial.coefficients[name] + 1e-7 * width[k]})
            rows[:, k] = (_excess(moved, points, output) - here) / 1e-7
        return np.vstack([slopes, rows])

    found = least_squares(
        residual, np.clip(start, 1e-9, 1 - 1e-9), jacobian, bounds=(0.0, 1.0), xtol=1e-7, ftol=1e-7, max_nfev=100
    )
    return properties.with_values(**dict(zip(names, (low + width * found.x).tolist(), strict=True)))


def _slopes(properties: TyreProperties, names: Sequence[str], points: Points, output: str) -> Array:
    derivatives = Tyre(properties).derivatives(tuple(names), *points.inputs(), threads=1)
    return np.column_stack([derivatives.of(output, name) for name in names])


def _excess(properties: TyreProperties, points: Points, output: str) -> Array:
    """By how much curvature factors exceed 1 at the corners of the data: (4.E14), (4.E24), (4.E44)."""
    c = properties.coefficients
    dfz = np.linspace(points["Fz"].min(), points["Fz"].max(), 4) / c["FNOMIN"] - 1.0
    gamma = np.array([points["gamma"].min(), 0.0, points["gamma"].max()])
    f, g, s = (grid.ravel() for grid in np.meshgrid(dfz, gamma, [-1.0, 1.0]))
    if output == "Fy":
        sides = 1 + c["PEY5"] * np.sin(g) ** 2 - (c["PEY3"] + c["PEY4"] * np.sin(g)) * s
        E = (c["PEY1"] + c["PEY2"] * f) * sides
    elif output == "Fx":
        E = (c["PEX1"] + c["PEX2"] * f + c["PEX3"] * f**2) * (1 - c["PEX4"] * s)
    elif output == "Mz":
        E = (c["QEZ1"] + c["QEZ2"] * f + c["QEZ3"] * f**2) * (1 + (c["QEZ4"] + c["QEZ5"] * np.sin(g)) * s)
    else:
        E = np.zeros(1)
    return np.asarray(_PENALTY * np.maximum(E - 1.0, 0.0))


# Intervals -------------------------------------------------------------------------------------------------------


def _intervals(
    work: _Work, names: Sequence[str], points: Points, output: str
) -> tuple[list[FittedCoefficient], dict[str, Array]]:
    """Value, deviation and interval of each, and what each sweep adds to its error; those on a bound count as known."""
    properties = work.properties
    free = properties.with_values(**_WIDE)
    scale = np.array([FITTED[name].high - FITTED[name].low for name in names])
    values = np.array([properties.coefficients[name] for name in names])
    lows = np.array([FITTED[name].low for name in names])
    inside = (values - lows > _ON_BOUND * scale) & (lows + scale - values > _ON_BOUND * scale)
    residual = points[output] - getattr(Tyre(free).evaluate(*points.inputs(), threads=1), output)
    J = _slopes(free, names, points, output)[:, inside] * scale[inside]
    shares, freedom = clustered(J, residual, points.sweep)
    before = [name for name in work.shares if work.shares[name].size == shares.shape[1] and name not in names]
    if before:  # what was fitted before is not exact either
        moved = np.linalg.lstsq(J, _slopes(free, before, points, output), rcond=None)[0]
        shares = shares - moved @ np.array([work.shares[name] for name in before])
    shares = shares * scale[inside][:, None]
    told = iter(zip(np.sqrt((shares**2).sum(axis=1)), freedom, strict=True))
    found = []
    for name, value, fine in zip(names, values, inside, strict=True):
        if not fine:
            found.append(FittedCoefficient(name, float(value), 0.0, (float(value), float(value)), 0.0, on_bound=True))
            continue
        std, free_degrees = next(told)
        interval = interval_of(float(value), float(std), float(free_degrees))
        found.append(FittedCoefficient(name, float(value), float(std), interval, float(free_degrees)))
    kept = [name for name, fine in zip(names, inside, strict=True) if fine]
    return found, dict(zip(kept, shares, strict=True))


def interval_of(value: float, deviation: float, freedom: float) -> tuple[float, float]:
    """Ends of the interval that holds a value with the probability `LEVEL`, by Student's t."""
    reach = float(student.ppf(0.5 + 0.5 * LEVEL, freedom)) * deviation
    return value - reach, value + reach


def clustered(J: Array, residual: Array, cluster: NDArray[np.intp]) -> tuple[Array, Array]:
    """What each cluster adds to the error of each parameter of a linear least-squares fit, and degrees of freedom.

    The square of a standard deviation is the sum of the squares over clusters: the estimator CR2 with Satterthwaite's
    degrees of freedom, which is unbiased where errors are independent, and nearly so where those of a cluster depend on
    each other. A direction that the data do not see has an infinite deviation.

    Reference: Bell and McCaffrey, Bias reduction in standard errors for linear regression with multi-stage samples,
    Survey Methodology 28 (2002).
    """
    U, s, Vt = np.linalg.svd(J, full_matrices=False)
    seen = s > 1e-9 * s[0]
    blind = (Vt[~seen] ** 2).sum(axis=0) > 1e-6
    weights = Vt[seen].T / s[seen]  # parameter = weights @ U' y
    Q = U[:, seen]
    numbers = np.unique(cluster)
    shares = np.zeros((J.shape[1], int(numbers[-1]) + 1))
    adjusted = []
    for number in numbers:
        rows = np.flatnonzero(cluster == number)
        own = Q[rows]
        # (I − H)^(−1/2) acts only on the columns of own: by its singular values.
        left, sigma, right = np.linalg.svd(own, full_matrices=False)
        factor = 1.0 / np.sqrt(np.maximum(1.0 - sigma**2, 1e-8))
        adjusted.append((own, (right.T * (sigma * factor)) @ left.T))
        shares[:, number] = weights @ (adjusted[-1][1] @ residual[rows])
    freedom = np.empty(J.shape[1])
    for k in range(J.shape[1]):
        # The variance is a quadratic form whose matrix has these entries for independent errors.
        vectors = [weights[k] @ part for _, part in adjusted]
        projections = np.array([vector @ own for vector, (own, _) in zip(vectors, adjusted, strict=True)])
        gram = np.diag([float(vector @ vector) for vector in vectors]) - projections @ projections.T
        freedom[k] = max(np.trace(gram) ** 2 / np.sum(gram**2), 1.0)
    shares[blind] = np.inf
    return shares, freedom


# What comes out --------------------------------------------------------------------------------------------------


def _with_relaxation(properties: TyreProperties, sweeps: Sweeps, notes: list[str]) -> TyreProperties:
    """The lateral carcass stiffness that gives the relaxation lengths of the sweeps, where they tell it."""
    told = [sweep for sweep in sweeps.sweeps if math.isfinite(sweep.relaxation) and not sweep.warm_up]
    if not told:
        notes.append("the relaxation length was not measured: LATERAL_STIFFNESS keeps its default")
        return properties
    lengths = np.array([sweep.relaxation for sweep in told])
    if np.mean(lengths > 0) < RELAXED:
        ahead = 1e3 * abs(float(np.median(lengths) / np.mean(sweeps.points["Vx"])))
        notes.append(
            f"the relaxation length cannot be told: the side force is {ahead:.0f} ms ahead "
            "of the slip angle, by heat or by a delay of a channel; LATERAL_STIFFNESS keeps its default"
        )
        return properties
    loads = np.array([sweep.load for sweep in told])
    pressures = np.array([sweep.pressure for sweep in told])
    stiffness = -Tyre(properties).evaluate(loads, p=pressures, threads=1).Kya / lengths
    return properties.with_values(LATERAL_STIFFNESS=float(np.median(stiffness)))


def _misfits(properties: TyreProperties, sweeps: Sweeps) -> Iterator[Misfit]:
    samples = sweeps.samples
    tyre = Tyre(properties.with_values(**_WIDE))
    forces = tyre.evaluate(*samples.inputs(), threads=1)
    condition = np.array([(sweep.load, sweep.camber) for sweep in sweeps.sweeps])[samples.sweep]
    for output in OUTPUTS:
        if output not in samples:
            continue
        error = getattr(forces, output) - samples[output]
        yield _misfit(output, error, samples[output], None, None)
        for load, camber in np.unique(condition, axis=0):
            chosen = (condition[:, 0] == load) & (condition[:, 1] == camber)
            yield _misfit(output, error[chosen], samples[output][chosen], float(load), float(camber))


def _misfit(output: str, error: Array, measured: Array, load: float | None, camber: float | None) -> Misfit:
    rms, largest = float(np.sqrt(np.mean(error**2))), float(np.abs(measured).max())
    return Misfit(output, load, camber, int(error.size), rms, largest)
