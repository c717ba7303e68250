"""The result of a conversion study: what was compared, tuned, and held out, as one object."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from trackrod.convert.vehicle_data import Source
from trackrod.core.corners import Axle, Corner
from trackrod.core.errors import Problem
from trackrod.core.plain import Plain
from trackrod.core.records import to_plain
from trackrod.core.series import Run
from trackrod.fit.candidates import Candidate
from trackrod.fit.identifiability import Identifiability
from trackrod.fit.local_sensitivity import LocalSensitivity
from trackrod.fit.objective import Objective
from trackrod.fit.outcome import Outcome, Reason
from trackrod.fit.ranges import Range
from trackrod.fit.screening import Screening
from trackrod.fit.variance_shares import VarianceShares
from trackrod.kc.maps import KcMaps
from trackrod.metrics.indices import Index
from trackrod.rtm.spec import RtmSpec
from trackrod.tune.posterior import Posterior
from trackrod.tune.space import Tunable
from trackrod.tune.standing import StandingHeight, StandingLoads, standing_label, wheel_loads
from trackrod.tune.test import Test
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["ErrorBudgetEntry", "StepTime", "StudyResult", "TestResult", "TunedParameter"]


@dataclass(frozen=True, slots=True)
class TunedParameter:
    """One parameter before and after.

    Attributes
    ----------
    tunable
        Name, unit, nominal value and bounds.
    z
        Tuned, scaled: ±1 are the bounds.
    interval
        Ends in z of what holds its value with a probability of 95 %, by all curves that were tuned with.
    on_bound
        Whether the search was stopped by a bound: an alarm, something else is wrong.
    moved
        Whether it was tuned. Held at its nominal value is what cannot be told, and what the curves do not contradict.
    identifiable
        Whether these manoeuvres can tell its value.
    verdict
        In words.
    """

    tunable: Tunable
    z: float
    interval: tuple[float, float]
    on_bound: bool
    moved: bool
    identifiable: bool
    verdict: str

    @property
    def value(self) -> float:
        """Tuned [SI]."""
        return self.tunable.value(self.z)

    @property
    def interval_values(self) -> tuple[float, float]:
        """Ends of its interval, the lower one first [SI]."""
        lower, upper = sorted(self.tunable.value(z) for z in self.interval)
        return lower, upper

    @property
    def held(self) -> str:
        """Why it was held at its nominal value; empty if it was tuned."""
        if self.moved:
            return ""
        return "held: not contradicted" if self.identifiable else "held: not identifiable"

    @property
    def makes_up(self) -> bool:
        """Whether tuning moved it out of its interval: it makes up for another part of the model."""
        return self.moved and not self.interval[0] <= self.z <= self.interval[1]


@dataclass(frozen=True, slots=True, eq=False)
class TestResult:
    """One manoeuvre: the reference and the model before and after tuning.

    Attributes
    ----------
    test
        What the reference drove.
    nominal, tuned
        Runs of the model.
    nominal_indices, tuned_indices
        Their differences from the reference.
    events
        What the tuned model met: a spin, a roll-over, wheels off the road, a sentence each.
    """

    test: Test
    nominal: Run
    tuned: Run
    nominal_indices: tuple[Index, ...]
    tuned_indices: tuple[Index, ...]
    events: tuple[str, ...] = ()

    __test__ = False  # not a test of pytest

    @property
    def label(self) -> str:
        """Of the test."""
        return self.test.label

    @property
    def title(self) -> str:
        """Of the test, in words."""
        return self.test.title

    @property
    def hold_out(self) -> bool:
        """Whether tuning never saw it."""
        return self.test.hold_out

    @property
    def reference(self) -> Run:
        """Run of the reference."""
        return self.test.reference

    @property
    def coverage(self) -> float:
        """Smallest share of the reference that an index of the tuned model really compares [-]."""
        return min((index.coverage for index in self.tuned_indices), default=0.0)

    @property
    def incidents(self) -> tuple[str, ...]:
        """Events of the tuned model, and the maps that it left, a sentence each."""
        beyond = (
            f"{entry['variable']} beyond its K&C map by up to {1e3 * entry['farthest_m']:.1f} mm"
            for entry in self.tuned.metadata.get("beyond_maps", ())
        )
        return (*self.events, *beyond)


@dataclass(frozen=True, slots=True)
class StepTime:
    """What a step of the model costs on the machine that made the study.

    Attributes
    ----------
    cpu
        Time of the processor for one step [s].
    step
        Of the integration [s].
    """

    cpu: float
    step: float

    @property
    def real_time_factor(self) -> float:
        """How many times as fast as the clock one core is [-]."""
        return self.step / self.cpu


@dataclass(frozen=True, slots=True, eq=False)
class ErrorBudgetEntry:
    """The tuned model with one sub-model swapped: how much its indices depend on it.

    Attributes
    ----------
    what
        Which sub-model, and for which one: "compliance left out".
    indices
        Values [%] by label of the index.
    """

    what: str
    indices: Mapping[str, float]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StudyResult:
    """A conversion from beginning to end.

    Attributes
    ----------
    name
        Of the vehicle.
    description
        Lines about the vehicle and the study for people, by heading: mass, wheelbase, payload, files, versions, …
    problems
        Of the audit of the vehicle or the check of the reference, of the models' stability, and of the manoeuvres.
    maps
        K&C maps of both axles.
    round_trip
        Largest difference between the K&C of the model and the maps, in words by quantity.
    nominal, tuned
        The model before and after.
    unstable
        Which of the two is unstable straight ahead: eigenvalue, axle and cause, a sentence each.
    sources
        Where the numbers of the model came from.
    tests
        Tuning and hold-out manoeuvres.
    objective
        What was made small; its tolerance is the TP line.
    outcome
        Of the search.
    parameters
        Tuned parameters.
    standing_height
        Of the sprung centre of gravity; None where that is not tuned, or where a model does not come to rest.
    posterior
        What the curves leave uncertain of the parameters; None where nothing was estimated.
    sensitivity, identifiability, candidates, ranges
        Of the nominal model.
    screening, variance
        Global sensitivity over the whole ranges, by Morris and by Sobol; None if it was not asked for.
    error_budget
        Sub-models swapped one at a time.
    seconds
        By stage: read, kc, convert, reference, sensitivity, optimise, report, total.
    limits
        What the model is not valid for, a sentence each.
    vehicle
        What was converted, with its geometry; None where only results of it are known.
    made_on
        Day of the report, for people.
    step_time
        What a step of the tuned model costs; None if no test can be driven from a script.
    """

    name: str
    description: Mapping[str, str]
    problems: tuple[Problem, ...]
    maps: Mapping[Axle, KcMaps]
    round_trip: Mapping[str, str]
    nominal: RtmSpec
    tuned: RtmSpec
    sources: Mapping[str, Source]
    tests: tuple[TestResult, ...]
    objective: Objective
    objective_nominal: float
    outcome: Outcome
    parameters: tuple[TunedParameter, ...]
    sensitivity: LocalSensitivity
    identifiability: Identifiability
    candidates: tuple[Candidate, ...] = ()
    ranges: tuple[Range, ...] = ()
    error_budget: tuple[ErrorBudgetEntry, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    limits: tuple[str, ...] = ()
    screening: Screening | None = None
    variance: VarianceShares | None = None
    unstable: tuple[str, ...] = ()
    standing_height: StandingHeight | None = None
    posterior: Posterior | None = None
    vehicle: Vehicle | None = None
    made_on: str = ""
    step_time: StepTime | None = None

    def __repr__(self) -> str:
        return f"StudyResult({self.name!r}, {len(self.tests)} tests, objective {self.outcome.value:.3f} %)"

    @property
    def was_tuned(self) -> bool:
        """Whether anything was searched for; the tuned model is the nominal one otherwise."""
        return self.outcome.reason is not Reason.NOT_ASKED

    @property
    def tolerance_pct(self) -> float:
        """TP [%]."""
        return self.objective.tolerance_pct

    @property
    def standing_loads(self) -> tuple[StandingLoads, ...]:
        """What the wheels carry before the first test of each payload, where the reference tells."""
        found: dict[str, StandingLoads] = {}
        for test in self.tests:
            loads = [wheel_loads(run) for run in (test.reference, test.nominal, test.tuned)]
            label, known = standing_label(test.test.payload), [each for each in loads if each is not None]
            if label not in found and len(known) == len(loads):
                found[label] = StandingLoads(label, test.hold_out, *known)
        return tuple(found.values())

    def worst(self, *, hold_out: bool) -> tuple[str, Index] | None:
        """The largest index after tuning of the tuning or of the hold-out manoeuvres, with the label of its test."""
        found = [
            (test.label, index) for test in self.tests if test.hold_out is hold_out for index in test.tuned_indices
        ]
        return max(found, key=lambda item: item[1].value_pct, default=None)

    def summary(self) -> dict[str, Plain]:
        """What `summary.json` holds."""
        found: dict[str, Plain] = {
            "vehicle": self.name,
            "seconds": {key: round(value, 3) for key, value in self.seconds.items()},
            "evaluations": self.outcome.evaluations + self.outcome.linearisations,
            "optimiser": self.outcome.method,
            "reason": str(self.outcome.reason),
            "objective": {"nominal": self.objective_nominal, "optimised": self.outcome.value},
            "tolerance_pct": self.tolerance_pct,
            "problems": [problem.as_dict() for problem in self.problems],
            "compared": self.limits[0] if self.limits else "",
            "round_trip": dict(self.round_trip),
            "events": {test.label: list(test.incidents) for test in self.tests if test.incidents},
            "indices": [
                {
                    "manoeuvre": test.label,
                    "index": after.name,
                    "nominal_pct": before.value_pct,
                    "optimised_pct": after.value_pct,
                    "coverage": after.coverage,
                    "hold_out": test.hold_out,
                }
                for test in self.tests
                for before, after in zip(test.nominal_indices, test.tuned_indices, strict=True)
            ],
            "standing_loads": [
                {
                    "label": loads.label,
                    "hold_out": loads.hold_out,
                    "nominal_pct": loads.nominal_pct,
                    "optimised_pct": loads.tuned_pct,
                    "corners": [str(corner) for corner in Corner],
                    "reference": loads.reference.tolist(),
                    "nominal": loads.nominal.tolist(),
                    "optimised": loads.tuned.tolist(),
                }
                for loads in self.standing_loads
            ],
            "parameters": [
                {
                    "name": item.tunable.name,
                    "unit": item.tunable.unit,
                    "nominal": item.tunable.nominal,
                    "optimised": item.value,
                    "lower": item.tunable.lower,
                    "upper": item.tunable.upper,
                    "change_pct": item.tunable.change_pct(item.z),
                    "interval": list(item.interval_values),
                    "makes_up": item.makes_up,
                    "on_bound": item.on_bound,
                    "moved": item.moved,
                    "identifiable": item.identifiable,
                    "verdict": item.verdict,
                }
                for item in self.parameters
            ],
        }
        if (height := self.standing_height) is not None:
            found["standing_cg_height"] = {
                "unit": "m",
                "nominal": height.nominal,
                "optimised": height.tuned,
                "change_pct": height.change_pct,
                "interval": list(height.interval),
            }
        if self.posterior is not None:
            found["posterior"] = to_plain(self.posterior)
        if self.screening is not None:
            found["screening"] = dict(self.screening.to_plain())
        if self.variance is not None:
            found["variance"] = dict(self.variance.to_plain())
        return found
