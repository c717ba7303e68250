"""The plan of a validation: what is judged, what is driven, what measures how well, what must be known how well.

Reference: paper 001, sections III.A (specification) and III.B (validation concept).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from trackrod.core.plain import Plain
from trackrod.measured.measurement_plan import MeasurementPlan
from trackrod.measured.sensors import Sensor
from trackrod.tune.space import Tunable
from trackrod.validate.criteria import Criteria, Criterion
from trackrod.validate.requirements import Row

__all__ = [
    "RIGS",
    "WORKSHOP",
    "Entry",
    "Method",
    "ParameterNeed",
    "SensorNeed",
    "TestWorth",
    "ValidationPlan",
    "choose",
]


class Method(StrEnum):
    """How a parameter becomes known."""

    AS_GIVEN = "as given"
    WORKSHOP = "workshop"
    ESTIMATE = "estimate"
    TUNE = "tune"
    RIG = "rig"
    NONE = "none suffices"


@dataclass(frozen=True, slots=True)
class Entry:
    """What a workshop or a rig reaches: 95 % of the errors, over the value or in SI units, and how it is done."""

    how: str
    relative: float = 0.0
    absolute: float = 0.0

    def reached(self, nominal: float) -> float:
        """Accuracy of a parameter with this value [its SI unit]."""
        return math.hypot(self.relative * nominal, self.absolute)


#: What is easy to measure while the vehicle stands. The numbers are usual ones; who knows those of his workshop takes
#: these.
WORKSHOP: Mapping[str, Entry] = {
    "sprung_mass": Entry("scales under four wheels", absolute=3.0),
    "cg_to_front": Entry("scales and wheelbase", absolute=0.004),
    "cg_y": Entry("scales and track", absolute=0.003),
    "cg_height": Entry("scales with a lifted axle", relative=0.02),
    "steering_ratio": Entry("turn plates", relative=0.01),
    "unsprung_mass_front": Entry("wheel and carrier on a balance, half of the links", relative=0.05),
    "unsprung_mass_rear": Entry("wheel and carrier on a balance, half of the links", relative=0.05),
    "wheel_inertia_front": Entry("wheel as a pendulum", relative=0.03),
    "wheel_inertia_rear": Entry("wheel as a pendulum", relative=0.03),
}
#: What needs a test rig: more accurate, and asked for where nothing else suffices.
RIGS: Mapping[str, Entry] = {
    **dict.fromkeys(("Ixx", "Iyy"), Entry("inertia rig", relative=0.03)),
    "Izz": Entry("inertia rig", relative=0.02),
    "Ixz": Entry("inertia rig", absolute=15.0),
    "cg_height": Entry("inertia rig", relative=0.005),
    "sprung_mass": Entry("calibrated scales", absolute=1.0),
    **dict.fromkeys(("spring_factor_front", "spring_factor_rear"), Entry("K&C rig", relative=0.02)),
    **dict.fromkeys(("antiroll_factor_front", "antiroll_factor_rear"), Entry("K&C rig", relative=0.03)),
    **dict.fromkeys(("damper_factor_front", "damper_factor_rear"), Entry("damper dynamometer", relative=0.03)),
    **dict.fromkeys(("compliance_factor_front", "compliance_factor_rear"), Entry("K&C rig", relative=0.05)),
    "steering_ratio": Entry("K&C rig", relative=0.003),
    "engine_factor": Entry("powertrain dynamometer", relative=0.01),
    **dict.fromkeys(("brake_front", "brake_rear"), Entry("brake dynamometer", relative=0.03)),
    **dict.fromkeys(("drag", "lift_front", "lift_rear"), Entry("wind tunnel", relative=0.01, absolute=0.005)),
}


@dataclass(frozen=True, slots=True)
class SensorNeed:
    """One sensor, or one on each wheel.

    Attributes
    ----------
    name
        Column, with ``{corner}`` where there is one on each wheel.
    sensors
        As they are planned, by column.
    factors, rows
        By kind of error (zero, gain, noise): over that of the set that was begun with; the criterion and the test that
        rule. Empty where no criterion asks for it.
    known
        Whether the set that was begun with has it; factors are over 0.5 % of the largest value otherwise.
    timing
        Up to which their delay must be known [s]; infinite where it does not matter.
    rate
        Least samples per second that keep the shape of the signal [Hz].
    peak
        Largest magnitude in the tests [SI unit].
    serves
        What it is for: criteria, inputs, parameters.
    """

    name: str
    sensors: tuple[Sensor, ...]
    factors: Mapping[str, float]
    rows: Mapping[str, Row]
    known: bool
    timing: float
    rate: float
    peak: float
    serves: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ParameterNeed:
    """How well a parameter must be known, and how that is reached.

    Attributes
    ----------
    tunable
        Name, unit and nominal value.
    accuracy
        To which it must be known to either side [SI unit]; infinite where its whole range would do.
    row
        The criterion and the test that rule.
    linear
        Accuracy by exact derivatives alone [SI unit].
    driven
        Largest ratio in that test with the parameter wrong by `linear`, driven again to both sides; the share if
        derivatives told all.
    reached
        What each method reaches, 95 % [SI unit].
    how
        Of methods in the workshop and on rigs.
    method
        The one that is chosen.
    note
        What is special about it.
    """

    tunable: Tunable
    accuracy: float
    row: Row
    linear: float
    driven: float
    reached: Mapping[Method, float]
    how: Mapping[Method, str]
    method: Method
    note: str = ""

    @property
    def relative(self) -> float:
        """Accuracy over the nominal value [-]."""
        return self.accuracy / abs(self.tunable.nominal) if self.tunable.nominal else math.nan


def choose(accuracy: float, reached: Mapping[Method, float]) -> Method:
    """The first method that is good enough: the cheapest comes first (paper 001, section III.C).

    What is easily measured is measured; the rest is estimated from tests that are driven anyway, or tuned by them; a
    rig is asked for where all that is not enough.
    """
    if math.isinf(accuracy):
        return Method.AS_GIVEN
    order = (Method.WORKSHOP, Method.ESTIMATE, Method.TUNE, Method.RIG)
    return next((method for method in order if reached.get(method, math.inf) <= accuracy), Method.NONE)


@dataclass(frozen=True, slots=True)
class TestWorth:
    """What a planned test is driven for.

    Attributes
    ----------
    test
        Its name.
    criteria
        Names of the criteria that have samples in it.
    bits
        By how much it narrows the parameters beyond what all other tests tell [bit]; not a number where that was not
        looked at.
    narrowed
        Parameters whose deviation it lowers by a fifth or more.
    """

    test: str
    criteria: tuple[str, ...]
    bits: float = math.nan
    narrowed: tuple[str, ...] = ()

    __test__ = False  # not a test of pytest


@dataclass(frozen=True, slots=True, eq=False)
class ValidationPlan:
    """The plan.

    Attributes
    ----------
    vehicle
        Name of the model that was planned with.
    criteria
        What is asked of a model.
    share, parameter_share
        Of each limit that measurement may fill, and each parameter.
    measurement
        What is driven, with the planned sensors: as `trackrod measure` takes it.
    worth
        What each test is for.
    untested
        Names of criteria that no test has samples for.
    sensors, parameters
        What they must reach.
    together
        Largest ratio of a row with every parameter wrong by its accuracy at once, as independent errors; and the row.
    further
        What other manoeuvres would tell, the best first.
    notes
        What a user of the plan must know.
    """

    vehicle: str
    criteria: Criteria
    share: float
    parameter_share: float
    measurement: MeasurementPlan
    worth: tuple[TestWorth, ...]
    untested: tuple[str, ...]
    sensors: tuple[SensorNeed, ...]
    parameters: tuple[ParameterNeed, ...]
    together: tuple[float, Row]
    further: tuple[TestWorth, ...]
    notes: tuple[str, ...]

    def as_dict(self) -> dict[str, Plain]:
        """As plain data; SI units, and None where a number does not matter or is not known."""
        return {
            "vehicle": self.vehicle,
            "criteria": self.criteria.name,
            "share": self.share,
            "parameter_share": self.parameter_share,
            "response_quantities": [_criterion(c) for c in self.criteria.criteria],
            "untested": list(self.untested),
            "tests": [
                {
                    "name": test.name,
                    "manoeuvre": test.manoeuvre.name,
                    "case": test.case,
                    "group": str(test.group),
                    "repeats": test.repeats,
                    "warm_up": test.warm_up,
                    "initialisation": test.initialisation,
                    "criteria": list(worth.criteria),
                    "information_bit": _known(worth.bits),
                    "narrows": list(worth.narrowed),
                    "judged": bool(worth.criteria),
                }
                for test, worth in zip(self.measurement.tests, self.worth, strict=True)
            ],
            "sensors": [_sensor(need) for need in self.sensors],
            "parameters": [_parameter(need) for need in self.parameters],
            "all_parameters_together": {"ratio": self.together[0], "row": list(self.together[1])},
            "further_tests": [
                {"manoeuvre": w.test, "information_bit": _known(w.bits), "narrows": list(w.narrowed)}
                for w in self.further
            ],
            "notes": list(self.notes),
        }


def _criterion(c: Criterion) -> dict[str, Plain]:
    return {
        "name": c.name,
        "signal": c.signal,
        "response": str(c.response),
        "metric": c.metric,
        "limit": c.limit,
        "weight": c.weight,
        "range": {column: [low, high] for column, low, high in c.ranges},
        "band_Hz": list(c.band) if c.band is not None else None,
        "manoeuvres": list(c.manoeuvres),
    }


def _sensor(need: SensorNeed) -> dict[str, Plain]:
    first = need.sensors[0]
    return {
        "name": need.name,
        "unit": first.kind.unit,
        "accuracy": first.accuracy,
        "scale_error": first.scale_error,
        "noise": first.noise,
        "resolution": first.resolution,
        "least_rate_Hz": need.rate,
        "delay_known_within_s": _known(need.timing),
        "peak": need.peak,
        "over_first_set": dict(need.factors) if need.known else None,
        "ruled_by": {kind: list(row) for kind, row in need.rows.items()},
        "serves": list(need.serves),
    }


def _parameter(need: ParameterNeed) -> dict[str, Plain]:
    item = need.tunable
    return {
        "name": item.name,
        "title": item.title,
        "unit": item.unit,
        "nominal": item.nominal,
        "accuracy": _known(need.accuracy),
        "relative": _known(need.relative),
        "by_derivatives": _known(need.linear),
        "driven_again": _known(need.driven),
        "ruled_by": list(need.row),
        "method": str(need.method),
        "how": need.how.get(need.method, ""),
        "reached": {str(method): value for method, value in need.reached.items()},
        "note": need.note,
    }


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None
