"""The domain of validity of a real-time model: both models over a plan, and where they agree.

The real-time model drives the whole plan. Some of its manoeuvres are driven by the multibody model too: first those
that fill the space of operating points, then those at the boundary.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, replace
from threading import Event
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from trackrod.core import signals
from trackrod.core.errors import ConvergenceError, TrackrodError
from trackrod.core.executors import executor
from trackrod.core.quantities import STANDARD_GRAVITY
from trackrod.core.series import Run
from trackrod.core.validity import QUANTITIES, Bound, Validity, operating_point
from trackrod.manoeuvres.excitation import Excitation, SteeringShape
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.multibody.steering import SteeringModel
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.spec import RtmSpec
from trackrod.simulate.drive import require_settled, simulate
from trackrod.simulate.events import broke_down
from trackrod.validate.criteria import Criteria
from trackrod.validate.domain import find_bounds, find_domain, most_spread, most_uncertain
from trackrod.validate.envelope import Compared, Envelope, domain_sentence
from trackrod.validate.plan import EnvelopePlan, Handling
from trackrod.validate.verdict import Comparison, judge
from trackrod.vehicle.systems import PayloadLevel
from trackrod.vehicle.vehicle import Vehicle
from trackrod.workflow.multibody_runs import SAMPLE, STEP
from trackrod.workflow.reference_runs import reference_run
from trackrod.workflow.stages.convert import convert_directly

__all__ = ["Both", "compare", "drive_model", "find_envelope", "handling_of", "models_of", "run_point"]

Array = NDArray[np.float64]
T = TypeVar("T")
S = TypeVar("S")
Tell = Callable[[str, float], None]

#: Speeds at which the steering is tried [km/h], and the lateral acceleration that it aims at [g].
_SPEEDS, _GENTLE = np.array([15.0, 30.0, 50.0, 80.0, 110.0, 150.0]), 0.15
#: Share of the comparisons that fill the space; the others lie at the boundary.
_SPREAD = 0.5
#: Runs end alike if their durations differ by no more than this share [-].
_ALIKE = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class Both:
    """Both models of a vehicle with one payload."""

    vehicle: Vehicle
    spec: RtmSpec

    @property
    def steering(self) -> SteeringModel:
        """Of the multibody model, as the real-time model has it."""
        return SteeringModel.RATIO if self.spec.steering is None else SteeringModel.MECHANISM


def find_envelope(
    models: Sequence[Both], plan: EnvelopePlan, criteria: Criteria, *, tell: Tell | None = None
) -> Envelope:
    """Drive a plan and find where the criteria are met.

    Parameters
    ----------
    models
        Both models, for each payload; the first is the one that gets the domain.
    plan, criteria
        What to drive, and what is asked.
    tell
        Told what is done and the share of it, 0 to 1.

    Raises
    ------
    ConvergenceError
        The criteria are met nowhere, or hardly anything can be driven.
    """
    tell = tell or (lambda _what, _share: None)
    jobs = plan.manoeuvres(_each(lambda both: handling_of(both.spec), models, "trying the steering", tell))
    left_out: list[str] = []

    def point(job: tuple[int, Excitation]) -> dict[str, float] | None:
        try:
            return run_point(drive_model(models[job[0]].spec, job[1]), job[1], models[job[0]].spec)
        except ConvergenceError as error:
            left_out.append(f"real-time model: {error}")
            return None

    found = _each(point, jobs, "real-time model", tell)
    kept = [row for row, each in enumerate(found) if each is not None]
    if len(kept) < plan.references:
        raise ConvergenceError(f"the real-time model drives {len(kept)} of {len(jobs)} manoeuvres: {left_out[0]}")
    jobs = [jobs[row] for row in kept]
    quantities = tuple(QUANTITIES)
    points = np.array([[found[row][name] for name in quantities] for row in kept])  # type: ignore[index]

    def compare_row(row: int) -> Compared | None:
        which, manoeuvre = jobs[row]
        try:
            return Compared(row, manoeuvre, compare(models[which], manoeuvre, criteria))
        except TrackrodError as error:
            left_out.append(f"multibody model: {error}")
            return None

    def compare_rows(rows: NDArray[np.intp], what: str) -> list[Compared]:
        return [each for each in _each(compare_row, rows.tolist(), what, tell) if each is not None]

    first = most_spread(points, round(_SPREAD * plan.references))
    compared = compare_rows(first, "multibody model, everywhere")
    rows, worst = _known(compared)
    second = most_uncertain(points, rows, worst, plan.references - first.size)
    compared += compare_rows(second, "multibody model, at the boundary")
    tell("finding the boundary", 0.0)
    rows, worst = _known(compared)
    domain = find_domain(points, quantities, rows, worst)
    each = {c.name: _bounds_of(points, rows, compared, k, domain.expected) for k, c in enumerate(criteria.criteria)}
    validity = Validity(
        bounds=domain.bounds,
        criteria=criteria.name,
        sentence=domain_sentence(domain, criteria),
        references=len(compared),
        samples=len(points),
        wrongly_inside=domain.wrongly_inside,
    )
    model = replace(models[0].spec, validity=validity)
    return Envelope(criteria, plan, quantities, points, tuple(compared), domain, each, model, tuple(left_out))


def _known(compared: Sequence[Compared]) -> tuple[NDArray[np.intp], Array]:
    return np.array([each.row for each in compared], dtype=np.intp), np.array([each.worst for each in compared])


def _bounds_of(
    points: Array, rows: NDArray[np.intp], compared: Sequence[Compared], criterion: int, expected: float
) -> tuple[Bound, ...] | None:
    ratios = np.array([each.ratios[criterion] for each in compared])
    try:
        return find_bounds(points, tuple(QUANTITIES), rows, ratios, expected)
    except ConvergenceError:
        return None


def models_of(vehicle: Vehicle) -> list[Both]:
    """Both models for the payload that it has, and for the other ones."""
    loaded = [vehicle]
    if vehicle.payload is not None:
        loaded += [vehicle.with_payload(level) for level in PayloadLevel if level is not vehicle.payload.level]
    return [Both(each, convert_directly(each).spec) for each in loaded]


# ---- one run


def handling_of(spec: RtmSpec) -> Handling:
    """Steering and brake of a model, tried gently."""
    angles, guess = [], 60.0
    for speed in _SPEEDS:
        trial = Excitation(
            speed_kmh=float(speed),
            shape=SteeringShape.STEP,
            frequency_Hz=0.2,
            steering_wheel_angle_deg=guess,
            duration_s=3.0,
        )
        run = simulate(RealTimeVehicle(spec, step=STEP), trial, sample=SAMPLE)
        reached = abs(float(run[signals.AY][-50:].mean())) / STANDARD_GRAVITY
        if not (run.metadata["completed"] and reached > 0.0):
            break  # faster than it can drive
        angles.append(guess / reached)
        guess = min(_GENTLE * angles[-1], guess)
    p, radius = spec.parameters, float(spec.wheels[0].centre[2]) - spec.road_height
    full = 2 * (p["brake_front"] + p["brake_rear"]) / (radius * spec.mass * STANDARD_GRAVITY)
    if not angles:
        raise ConvergenceError(f"'{spec.name}' does not drive at {_SPEEDS[0]:g} km/h")
    return Handling(_SPEEDS[: len(angles)], np.array(angles), 1.0 / full if full > 0.0 else 1.0)


def drive_model(spec: RtmSpec, manoeuvre: Manoeuvre) -> Run:
    """The real-time model drives; ConvergenceError where the manoeuvre never began."""
    run = simulate(RealTimeVehicle(spec, step=STEP), manoeuvre, sample=SAMPLE)
    require_settled(run)
    return run


def run_point(run: Run, manoeuvre: Manoeuvre, spec: RtmSpec) -> dict[str, float]:
    """The farthest that a run goes in each quantity [SI]."""
    at = operating_point(run, friction=manoeuvre.friction(), mass=spec.mass)
    return {name: float(values.min() if QUANTITIES[name].from_below else values.max()) for name, values in at.items()}


def compare(both: Both, manoeuvre: Manoeuvre, criteria: Criteria, model: Run | None = None) -> tuple[float, ...]:
    """Error over what is allowed for each criterion; infinite where both models do not end alike.

    Parameters
    ----------
    both
        The models.
    manoeuvre
        With every setting known.
    model
        The run of the real-time model, if it is there already.

    Raises
    ------
    ConvergenceError
        The multibody model has no solution, so that nothing can be said.
    """
    reference = reference_run(both.vehicle, manoeuvre, steering=both.steering, sample=SAMPLE)
    require_settled(reference)
    if broke_down(reference):
        raise ConvergenceError(f"{manoeuvre.values()}: {reference.metadata['events'][-1]['text']}")
    run = model if model is not None else drive_model(both.spec, manoeuvre)
    longest, shortest = (pick(float(each.time[-1]) for each in (reference, run)) for pick in (max, min))
    if longest - shortest > _ALIKE * longest:
        return tuple(math.inf for _ in criteria.criteria)
    verdict = judge(criteria, [Comparison("", manoeuvre.name, (reference,), run)])
    ratios = {row.criterion.name: row.ratio for row in verdict.rows}
    return tuple(ratios.get(criterion.name, 0.0) for criterion in criteria.criteria)


def _each(function: Callable[[S], T], items: Iterable[S], what: str, tell: Tell) -> list[T]:
    """A function of each item, side by side; after a failure or Ctrl-C nothing more is begun."""
    stopped, given = Event(), list(items)

    def one(item: S) -> T:
        if stopped.is_set():
            raise CancelledError
        return function(item)

    tell(what, 0.0)
    found = []
    with executor() as pool:
        futures = [pool.submit(one, item) for item in given]
        try:
            for future in futures:
                found.append(future.result())
                tell(what, len(found) / len(given))
        finally:
            stopped.set()
            pool.shutdown(wait=True, cancel_futures=True)
    return found
