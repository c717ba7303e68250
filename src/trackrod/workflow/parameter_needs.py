"""What parameters need: how well each must be known so that criteria can be judged.

Exact derivatives say it first; then the tests that rule are driven again with the parameter wrong.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from trackrod.core.errors import ConvergenceError
from trackrod.core.executors import executor
from trackrod.rtm.script import ScriptedVehicle
from trackrod.rtm.spec import RtmSpec
from trackrod.tune.space import Bounds, TuningSpace, tuning_space
from trackrod.validate.criteria import Criterion
from trackrod.validate.requirements import Row, alone, rounded_down
from trackrod.validate.validation_plan import Method, ParameterNeed
from trackrod.workflow.multibody_runs import STEP
from trackrod.workflow.planned_tests import Change, PlannedTest, Tell, coarser

__all__ = ["Slope", "all_together", "parameter_needs", "parameter_space", "slopes_of"]

#: Numbers of the model that are planned for besides those that are tuned in studies.
_FURTHER: Mapping[str, str] = {
    "Iyy": "pitch inertia",
    "cg_y": "sprung centre of gravity, to the left",
    "steering_ratio": "rack travel over steering-wheel angle",
    "brake_front": "front brake torque at full pedal",
    "brake_rear": "rear brake torque at full pedal",
    "drag": "drag",
    "lift_front": "front lift",
    "lift_rear": "rear lift",
    "unsprung_mass_front": "front unsprung mass, each side",
    "unsprung_mass_rear": "rear unsprung mass, each side",
    "compliance_factor_front": "front compliance",
    "compliance_factor_rear": "rear compliance",
    "wheel_inertia_front": "front wheel inertia",
    "wheel_inertia_rear": "rear wheel inertia",
}
#: Where a range in percent says nothing: how far the centre of gravity may lie from where it is said to be [m].
_ASIDE = 0.05
#: Steps of the derivatives over those of the runs: half the work; what they promise is driven again with short ones.
_COARSE = 2
#: Step along a tangent at which a run is read [z].
_ALONG = 0.01
#: A drive with a wrong parameter may differ from what the derivatives say by this factor.
_LINEAR = 1.25
#: In how many tests a wrong parameter is driven again at most.
_MOST_DRIVEN = 4
#: Rows that a parameter moves by less than this share of what it moves most do not rule it.
_RULES = 0.3


@dataclass(frozen=True, slots=True, eq=False)
class Slope:
    """What a parameter does in a test: change of every column for one unit of z."""

    test: PlannedTest
    name: str
    change: Change

    def ratio(self, criterion: Criterion, z: float) -> float:
        """Of a row, with the parameter wrong by so much [z]."""
        return self.test.ratio(criterion, None, self.test.changed(criterion, self.change, z))


@dataclass(frozen=True, slots=True)
class _Again:
    """A test driven again with a wrong parameter.

    Attributes
    ----------
    reach
        How far the parameter may go [z].
    row
        That rules.
    ratio
        Of the worst row where derivatives promise the share.
    note
        Where derivatives do not tell what driving finds.
    """

    reach: float
    row: Row
    ratio: float
    note: str = ""


def parameter_space(spec: RtmSpec) -> TuningSpace:
    """The parameters that are planned for: those that are tuned in studies, and further ones that the model has."""
    p = spec.parameters
    usual = tuning_space(spec).names
    names = [*usual, *(name for name in _FURTHER if p[name] != 0.0 or name == "cg_y")]
    aside = Bounds(p["cg_y"] - _ASIDE, p["cg_y"] + _ASIDE)
    space = tuning_space(spec, names=names, bounds={"cg_y": aside})
    titled = tuple(replace(item, title=_FURTHER.get(item.name, item.title)) for item in space.tunables)
    return replace(space, tunables=titled)


# ---- by derivatives


def slopes_of(spec: RtmSpec, space: TuningSpace, driven: Sequence[PlannedTest], tell: Tell) -> list[Slope]:
    """What every parameter does in every test that is judged and can be driven again, by exact derivatives."""
    vehicle = ScriptedVehicle(spec, step=_COARSE * STEP)
    vehicle.settle(spec, space.directions(np.zeros(len(space.names))))
    done = 0

    def of(test: PlannedTest) -> list[Slope]:
        nonlocal done
        found = _tangents(vehicle, space, test)
        done += 1
        tell("exact derivatives", done / len(judged))
        return found

    judged = sorted((t for t in driven if t.rows and t.script is not None), key=lambda t: -t.run.time.size)
    with executor() as pool:
        return [slope for found in pool.map(of, judged) for slope in found]


def _tangents(vehicle: ScriptedVehicle, space: TuningSpace, test: PlannedTest) -> list[Slope]:
    assert test.script is not None
    tangent = vehicle.tangent(coarser(test.script, _COARSE))
    found = []
    for k, name in enumerate(space.names):
        if not np.isfinite(tangent.slopes[:, :, k]).all():
            continue
        up, down = (test.difference(tangent.along(k, sign * _ALONG)) for sign in (1.0, -1.0))
        change = {c: (up[c] - down[c]) / (2.0 * _ALONG) for c in up}  # what the coarser steps do is in both
        found.append(Slope(test, name, change))
    return found


# ---- by driving again


def parameter_needs(
    spec: RtmSpec, space: TuningSpace, slopes: Sequence[Slope], share: float, tell: Tell
) -> list[ParameterNeed]:
    """How well each parameter must be known so that it fills no more than a share of any limit.

    Parameters
    ----------
    space
        The parameters, with the range of each.
    slopes
        What they do in the tests.
    share
        Of each limit, 0 to 1.
    """
    needs = []
    vehicle = ScriptedVehicle(spec, step=STEP)
    for k, item in enumerate(space.tunables):
        tell("wrong parameters, driven again", k / len(space.tunables))
        needs.append(_need(space.only([item.name]), [s for s in slopes if s.name == item.name], share, vehicle))
    tell("wrong parameters, driven again", 1.0)
    return needs


def _need(space: TuningSpace, slopes: Sequence[Slope], share: float, vehicle: ScriptedVehicle) -> ParameterNeed:
    """By derivatives first; then the tests that rule are driven again with the parameter wrong."""
    item = space.tunables[0]
    linear = _by_derivatives(slopes, share)
    best, row, driven, note = math.inf, linear[0][1] if linear else ("", ""), math.nan, ""
    seen: set[str] = set()
    for reach, _, test in linear:
        if reach > min(best, _LINEAR) or len(seen) == _MOST_DRIVEN:
            break
        if test.test.name in seen:
            continue
        seen.add(test.test.name)
        found = _driven_again(space, test, min(reach, 1.0), share, vehicle)
        note = found.note or note
        if found.reach < best:
            best, row, driven = found.reach, found.row, found.ratio
    span = 0.5 * (item.upper - item.lower)
    accuracy = rounded_down(best * span) if best < 1.0 else math.inf
    by_derivatives = linear[0][0] * span if linear else math.inf
    empty: dict[Method, float] = {}
    return ParameterNeed(item, accuracy, row, by_derivatives, driven, empty, {}, Method.NONE, note)


def _by_derivatives(slopes: Sequence[Slope], share: float) -> list[tuple[float, Row, PlannedTest]]:
    """How far a parameter may go [z] in every row that may rule it, the narrowest first."""
    ends = [(slope.ratio(c, 1.0), slope, c) for slope in slopes for c in slope.test.rows]
    most = max((end for end, _, _ in ends), default=0.0)
    linear: list[tuple[float, Row, PlannedTest]] = []
    for end, slope, criterion in ends:
        if end > _RULES * most:
            first = min(share / end, 1.0)
            reach = alone(partial(slope.ratio, criterion), share, start=first, largest=10.0)
            linear.append((reach, (criterion.name, slope.test.test.name), slope.test))
    linear.sort(key=lambda entry: entry[0])
    return linear


def _driven_again(
    space: TuningSpace, test: PlannedTest, reach: float, share: float, vehicle: ScriptedVehicle
) -> _Again:
    """How far a parameter may go in a test by driving, where derivatives say `reach` [z]."""
    name = test.test.name
    first, by = _worst(space, test, reach, vehicle)
    if first <= share * _LINEAR and (first >= share / _LINEAR or reach >= 1.0):
        return _Again(min(reach * share / first, 1.0) if first > 0.0 else 1.0, (by, name), first)
    start = min(reach * share / first, 1.0) if first > 0 else 1.0
    found = alone(lambda z: _worst(space, test, z, vehicle)[0], share, start=start, largest=1.0)
    found = min(found, 1.0)
    _, by = _worst(space, test, found, vehicle)
    why = f", with changes of gear at {', '.join(f'{t:.2f}' for t in test.shifts)} s" if test.shifts else ""
    told = (
        f"in {name} derivatives promise {share:.2f} of the limit where driving again finds {first:.2f}{why}; "
        "the accuracy is that by driving"
    )
    return _Again(found, (by, name), first, told)


def _worst(space: TuningSpace, test: PlannedTest, z: float, vehicle: ScriptedVehicle) -> tuple[float, str]:
    """The largest ratio of a test with a parameter wrong to either side [z], and its criterion."""
    assert test.script is not None
    found = (0.0, "")
    for sign in (1.0, -1.0):
        try:
            vehicle.settle(space.spec(np.array([sign * z])))
            run = vehicle.run(test.script)
        except ConvergenceError:
            return math.inf, "breaks down"
        model = test.difference(run)
        found = max(found, *((test.ratio(c, None, test.changed(c, model, 1.0)), c.name) for c in test.rows))
    return found


# ---- all of them


def all_together(parameters: Sequence[ParameterNeed], slopes: Sequence[Slope]) -> tuple[float, Row]:
    """Every parameter wrong by its accuracy at once, as independent errors: the fullest row."""
    wrong = {
        p.tunable.name: min(p.accuracy / (0.5 * (p.tunable.upper - p.tunable.lower)), 1.0)
        for p in parameters
        if math.isfinite(p.accuracy)
    }
    rows: dict[Row, float] = {}
    for slope in slopes:
        if slope.name in wrong:
            for criterion in slope.test.rows:
                row = criterion.name, slope.test.test.name
                rows[row] = rows.get(row, 0.0) + slope.ratio(criterion, wrong[slope.name]) ** 2
    row = max(rows, key=lambda r: rows[r], default=("", ""))
    return math.sqrt(rows.get(row, 0.0)), row
