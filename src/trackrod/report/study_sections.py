"""What the report of a conversion study says, section by section, whatever it is written to.

The first section is for who decides, the others are for who works with the model.
"""

from __future__ import annotations

import math

import numpy as np

from trackrod.core.corners import Axle
from trackrod.fit.outcome import Reason
from trackrod.metrics.indices import Index
from trackrod.report.comparison import BAND
from trackrod.report.page import Captioned, Fragment, Item, Notice, Section, Table, problem_table
from trackrod.report.study_drawings import (
    candidate_bars,
    error_budget_map,
    history_figure,
    index_bars,
    kc_figure,
    manoeuvre_figure,
    parameter_bars,
    sensitivity_map,
    time_bars,
)
from trackrod.rtm.coefficients import PARAMETERS
from trackrod.tune.study import StudyResult, TestResult, TunedParameter

__all__ = ["study_sections"]

#: How many parameters "tuned most" names, and how many indices a line of the error budget names.
_FEW = 3
#: Information from which a candidate is worth driving [bit].
_TELLING = 0.1
#: Reasons to end a search that is not done.
_EARLY = (Reason.INTERRUPTED, Reason.EVALUATIONS, Reason.SECONDS)
#: Share of the reference from which an index counts as compared in full [-].
_COVERED = 0.95


def study_sections(result: StudyResult, vehicle_section: Fragment | None = None) -> tuple[Section, ...]:
    """All sections in order; those without content are left out.

    Parameters
    ----------
    result
        Of the study.
    vehicle_section
        HTML about the vehicle, for its section.
    """
    tuning, held = (tuple(t for t in result.tests if t.hold_out is hold_out) for hold_out in (False, True))
    sections = (
        _summary(result, tuning, held),
        _vehicle(result, vehicle_section),
        _kc(result),
        *(_manoeuvre(test) for test in tuning),
        _indices(result, tuning),
        _parameters(result),
        _sensitivity(result),
        _identifiability(result),
        _candidates(result),
        _search(result),
        _hold_out(result, held),
        _error_budget(result),
        _time(result),
        Section("Limits of validity", (_listed(result.limits),) if result.limits else ()),
    )
    return tuple(section for section in sections if section.items)


# ---- page one


def _summary(result: StudyResult, tuning: tuple[TestResult, ...], held: tuple[TestResult, ...]) -> Section:
    items: list[Item] = [_verdict(result, tuning, "used for tuning"), _verdict(result, held, "held out")]
    items.append(_manoeuvres(result, (*tuning, *held)))
    items.append(
        f"Objective: {result.objective_nominal:.2f} % with nominal parameters, {result.outcome.value:.2f} % tuned. "
        f"{_tuned_most(result)}"
    )
    alarms = _alarms(result)
    items.append(Table(("alarm", "what it means"), alarms) if alarms else "No alarms.")
    items.append(_effort(result))
    return Section("Summary", tuple(items))


def _verdict(result: StudyResult, tests: tuple[TestResult, ...], which: str) -> Notice:
    found = [(test.label, index) for test in tests for index in test.tuned_indices]
    if not found:
        return Notice(f"No manoeuvre was {which}.", good=False)
    limit = f"the tolerance (TP) of {result.tolerance_pct:g} %"
    above = [item for item in found if not _within(item[1], result.tolerance_pct)]
    label, worst = max(found, key=lambda item: item[1].value_pct)
    close = f"the largest is {worst.name} of {label}, {worst.value_pct:.2f} %."
    if above:
        text = f"Manoeuvres {which}: {len(above)} of {len(found)} indices of the tuned model are above {limit}; {close}"
    else:
        text = f"Manoeuvres {which}: all {len(found)} indices of the tuned model are within {limit}; {close}"
    return Notice(text, good=not above)


def _within(index: Index, tolerance_pct: float) -> bool:
    """Whether an index, as precisely as it is written, is not above the tolerance: tuning often ends right on it."""
    return round(index.value_pct, 2) <= tolerance_pct


def _worst(indices: tuple[Index, ...]) -> Index:
    return max(indices, key=lambda index: index.value_pct)


def _manoeuvres(result: StudyResult, tests: tuple[TestResult, ...]) -> Table:
    rows = []
    for test in tests:
        before, after = _worst(test.nominal_indices), _worst(test.tuned_indices)
        within = sum(_within(index, result.tolerance_pct) for index in test.tuned_indices)
        rows.append(
            (
                test.label,
                "hold-out" if test.hold_out else "tuning",
                f"{before.value_pct:.2f}",
                f"{after.value_pct:.2f}",
                after.name,
                f"{within} of {len(test.tuned_indices)}",
            )
        )
    heads = ("manoeuvre", "use", "worst before [%]", "worst after [%]", "index that is worst after", "within TP")
    return Table(heads, tuple(rows))


def _tuned_most(result: StudyResult) -> str:
    sure = [item for item in result.parameters if item.identifiable]
    most = sorted(sure, key=lambda item: -abs(item.z))[:_FEW]
    if not most:
        return "No parameter that these manoeuvres can tell was tuned."
    return f"Tuned most, of what these manoeuvres can tell: {', '.join(_changed(item) for item in most)}."


def _changed(item: TunedParameter) -> str:
    change = item.tunable.change_pct(item.z)
    amount = _percent(change, sign=True) if math.isfinite(change) else f"to {item.value:.4g} {item.tunable.unit}"
    return f"{item.tunable.title} {amount}"


def _alarms(result: StudyResult) -> tuple[tuple[str, str], ...]:
    alarms = []
    if bounds := [item.tunable.name for item in result.parameters if item.on_bound]:
        means = "the search was stopped by the range: the cause is probably another part of the model"
        alarms.append((f"on a bound: {', '.join(bounds)}", means))
    if blind := [item.tunable.name for item in result.parameters if not item.identifiable]:
        means = "these manoeuvres cannot tell their values: do not read a meaning into their changes"
        alarms.append((f"not identifiable: {', '.join(blind)}", means))
    pairs = [
        (test, before, after)
        for test in result.tests
        for before, after in zip(test.nominal_indices, test.tuned_indices, strict=True)
    ]
    worse = [
        f"{b.name} of {t.label} ({a.value_pct:.1f} to {b.value_pct:.1f} %)"
        for t, a, b in pairs
        if b.value_pct > a.value_pct and not _within(b, result.tolerance_pct)
    ]
    if worse:
        alarms.append((f"worse after tuning: {', '.join(worse)}", "tuning paid for other indices with these"))
    if short := [f"{b.name} of {t.label} ({100 * b.coverage:.0f} %)" for t, _, b in pairs if b.coverage < _COVERED]:
        alarms.append((f"compared in part: {', '.join(short)}", "the model does not reach all of the reference"))
    if result.outcome.reason in _EARLY:
        alarms.append((f"the search ended early: {result.outcome.reason}", "the best point so far is reported"))
    return tuple(alarms)


def _effort(result: StudyResult) -> str:
    stages = {stage: value for stage, value in result.seconds.items() if stage != "total"}
    total = result.seconds.get("total", sum(stages.values()))
    longest = max(stages, key=lambda stage: stages[stage], default="")
    most = f", most of it ({stages[longest]:.0f} s) in the stage '{longest}'" if longest else ""
    outcome = result.outcome
    points = outcome.evaluations + outcome.linearisations
    return (
        f"The study took {total:.0f} s{most}. The method {outcome.method} needed {points} evaluations, of which "
        f"{outcome.linearisations} with derivatives, and ended because {outcome.reason}."
    )


# ---- vehicle and K&C


def _vehicle(result: StudyResult, vehicle_section: Fragment | None) -> Section:
    items: list[Item] = []
    if result.description:
        items.append(Table(("about", ""), tuple(result.description.items())))
    if vehicle_section is not None:
        items.append(vehicle_section)
    if result.sources:
        known = {item.name: item for item in PARAMETERS}
        rows = tuple(
            (
                name,
                known[name].meaning,
                result.nominal.parameters[name],
                known[name].kind.unit,
                source.text,
                "yes" if source.certain else "no",
            )
            for name, source in result.sources.items()
            if name in known
        )
        items.append("Where the numbers of the nominal model came from:")
        items.append(Table(("parameter", "what", "value", "unit", "from", "certain"), rows))
    items += ["Audit of the source:", problem_table(result.problems)]
    return Section("Vehicle and provenance", tuple(items))


def _kc(result: StudyResult) -> Section:
    items: list[Item] = []
    for axle in (axle for axle in Axle if axle in result.maps):
        items.append(
            Captioned(
                kc_figure(result, axle),
                f"{str(axle).capitalize()} axle, left wheel on the rig: the model lies on the points of the reference "
                "wherever nothing was tuned; tuned stops and anti-roll bars show in the wheel load. Steer angle left "
                "positive, inclination positive with the top to the right.",
            )
        )
    if result.round_trip:
        items.append("Round trip: largest difference between the model on the rig and the maps it was made of.")
        items.append(Table(("quantity", "largest difference"), tuple(result.round_trip.items())))
    return Section("Kinematics and compliance", tuple(items))


# ---- manoeuvres


def _overlay(test: TestResult) -> Captioned:
    curves = [k for k, index in enumerate(test.tuned_indices) if index.is_curve]
    worst = max(curves, key=lambda k: test.tuned_indices[k].value_pct)
    before, after = test.nominal_indices[worst], test.tuned_indices[worst]
    caption = (
        f"{test.title} ({test.label}): after tuning the curve farthest from the reference is {after.name}, "
        f"{before.value_pct:.2f} % before and {after.value_pct:.2f} % now; dashed is the reference ± {100 * BAND:g} % "
        "of its largest magnitude."
    )
    return Captioned(manoeuvre_figure(test), caption)


def _manoeuvre(test: TestResult) -> Section:
    if not any(index.is_curve for index in test.tuned_indices):
        return Section(f"Manoeuvre: {test.label}", (_index_table((test,)),))
    return Section(f"Manoeuvre: {test.label}", (_overlay(test), _index_table((test,))))


def _index_table(tests: tuple[TestResult, ...]) -> Table:
    """Every index before and after; columns that say nothing here are left out."""
    pairs = [(t, a, b) for t in tests for a, b in zip(t.nominal_indices, t.tuned_indices, strict=True)]
    columns: list[tuple[str, list[str | float]]] = []
    if len(tests) > 1:
        columns.append(("manoeuvre", [test.label for test, _, _ in pairs]))
    columns.append(("index", [after.name for _, _, after in pairs]))
    columns.append(("before [%]", [f"{before.value_pct:.2f}" for _, before, _ in pairs]))
    columns.append(("after [%]", [f"{after.value_pct:.2f}" for _, _, after in pairs]))
    scalars = [(before.scalar, after.scalar) for _, before, after in pairs]
    if any(pair is not None for _, pair in scalars):
        columns += [
            ("reference", ["" if b is None else f"{b.reference:.4g}" for _, b in scalars]),
            ("nominal", ["" if a is None else f"{a.model:.4g}" for a, _ in scalars]),
            ("tuned", ["" if b is None else f"{b.model:.4g}" for _, b in scalars]),
            ("unit", ["" if b is None else b.unit for _, b in scalars]),
        ]
    if any(after.coverage < 1.0 for _, _, after in pairs):
        columns.append(("compared", [f"{100 * after.coverage:.0f} %" for _, _, after in pairs]))
    return Table(tuple(head for head, _ in columns), tuple(zip(*(cells for _, cells in columns), strict=True)))


def _indices(result: StudyResult, tests: tuple[TestResult, ...]) -> Section:
    if not tests:
        return Section("Indices before and after", ())
    improved = sum(
        after.value_pct < before.value_pct
        for test in tests
        for before, after in zip(test.nominal_indices, test.tuned_indices, strict=True)
    )
    count = sum(len(test.tuned_indices) for test in tests)
    caption = (
        f"Indices of the tuning manoeuvres: {improved} of {count} are smaller after tuning; the dashed line is the "
        f"tolerance of {result.tolerance_pct:g} %, and numbers above it are red."
    )
    return Section("Indices before and after", (Captioned(index_bars(tests, result.tolerance_pct), caption),))


def _hold_out(result: StudyResult, tests: tuple[TestResult, ...]) -> Section:
    if not tests:
        return Section(
            "Hold-out manoeuvres", ("No manoeuvre was held out: how the model does elsewhere is not known.",)
        )
    caption = "Indices of manoeuvres that tuning never saw: what of the improvement carries over to them."
    items: list[Item] = [
        "Tuning never saw these manoeuvres. If the tuned model is good here too, it was not fitted to its tests only.",
        _verdict(result, tests, "held out"),
        Captioned(index_bars(tests, result.tolerance_pct), caption),
        *(_overlay(test) for test in tests if any(index.is_curve for index in test.tuned_indices)),
        _index_table(tests),
    ]
    return Section("Hold-out manoeuvres", tuple(items))


# ---- parameters


def _parameters(result: StudyResult) -> Section:
    rows = tuple(
        (
            item.tunable.name,
            item.tunable.title,
            item.tunable.nominal,
            item.value,
            item.tunable.unit or "-",
            _percent(item.tunable.change_pct(item.z), sign=True),
            _percent(item.std_pct),
            f"{item.tunable.lower:.4g} to {item.tunable.upper:.4g}",
            "; ".join((["on a bound"] if item.on_bound else []) + ([] if item.identifiable else ["not identifiable"])),
        )
        for item in result.parameters
    )
    heads = ("parameter", "what", "nominal", "tuned", "unit", "change", "std. dev.", "bounds", "alarm")
    bound = [item.tunable.name for item in result.parameters if item.on_bound]
    caption = (
        f"Changes of the tuned parameters: {', '.join(bound) if bound else 'none'} on a bound (red); grey is the range "
        "that was allowed, thin bars are the 95 % intervals, pale rows cannot be identified."
    )
    return Section("Parameters", (Captioned(parameter_bars(result), caption), Table(heads, rows)) if rows else ())


def _percent(value: float, *, sign: bool = False) -> str:
    if not math.isfinite(value):
        return "–"
    return (f"{value:+.2f} %" if sign else f"{value:.2f} %").replace("-", "−")


def _sensitivity(result: StudyResult) -> Section:
    ranked = result.sensitivity.ranked()
    caption = (
        f"Sensitivity of the nominal model: {', '.join(ranked[:_FEW])} move the indices most, {ranked[-1]} least; "
        "darker is more."
    )
    items: list[Item] = [Captioned(sensitivity_map(result), caption)]
    if result.ranges:
        rows = tuple(
            (r.parameter, f"{r.lower:.2f}", r.lower_limit, f"{r.upper:.2f}", r.upper_limit) for r in result.ranges
        )
        items.append("Proposed ranges, as shares of the full range: how far each may go before something is lost.")
        items.append(Table(("parameter", "down to [-]", "stopped by", "up to [-]", "stopped by"), rows))
    return Section("Sensitivity", (*items, *_global_sensitivity(result)))


def _global_sensitivity(result: StudyResult) -> list[Item]:
    """What the parameters do to the objective over their whole ranges, the strongest first."""
    items: list[Item] = []
    if (found := result.screening) is not None:
        order = np.argsort(-found.mu_star[0])
        rows = tuple(
            (
                found.parameters[k],
                f"{found.mu_star[0, k]:.3f} ± {found.mu_star_confidence[0, k]:.3f}",
                f"{found.sigma[0, k]:.3f}",
            )
            for k in order
        )
        items.append(
            f"Screening by Morris over the whole ranges, {found.trajectories} trajectories: mean effect on the "
            "objective for one unit of the scaled parameter, and how much it varies (interaction and curvature)."
        )
        items.append(Table(("parameter", "mean effect [%]", "deviation [%]"), rows))
    if (shares := result.variance) is not None:
        order = np.argsort(-shares.total[0])
        rows = tuple(
            (
                shares.parameters[k],
                f"{shares.first[0, k]:.3f} ± {shares.first_confidence[0, k]:.3f}",
                f"{shares.total[0, k]:.3f} ± {shares.total_confidence[0, k]:.3f}",
            )
            for k in order
        )
        items.append(
            f"Shares of the variance of the objective by Sobol, {shares.base_points} base points: of the parameter "
            "alone, and with its interactions."
        )
        items.append(Table(("parameter", "alone [-]", "in all [-]"), rows))
    return items


def _identifiability(result: StudyResult) -> Section:
    found = result.identifiability
    titles = {item.tunable.name: item for item in result.parameters}
    rows = tuple(
        (f.parameter, str(f.verdict), f"{f.influence_pct:.2f}", f"{f.unique_pct:.2f}", f.text)
        for f in found.findings
        if f.parameter in titles or not titles
    )
    items: list[Item] = [
        f"A parameter is seen if it moves the indices by more than {found.criteria.noise_pct:g} % up to the end of its "
        f"range, and told apart from others if their collinearity is at most {found.criteria.collinearity:g}. "
        f"Condition number of all parameters together: {found.condition:.3g}.",
        Table(("parameter", "verdict", "influence [%]", "its own [%]", "in words"), rows),
    ]
    if found.groups:
        groups = tuple((", ".join(g.parameters), _collinearity(g.collinearity)) for g in found.groups)
        items += ["Groups that can undo each other's changes:", Table(("parameters", "collinearity [-]"), groups)]
    else:
        items.append("No parameters undo each other's changes.")
    items.append(f"Can be determined together: {', '.join(found.subset) or 'none'}.")
    return Section("Identifiability", tuple(items))


def _collinearity(value: float) -> str:
    return f"{value:.3g}" if value < 1e6 else "beyond measure"


def _candidates(result: StudyResult) -> Section:
    if not result.candidates:
        return Section("Candidate manoeuvres", ())
    best = result.candidates[0]
    most = f"{best.manoeuvre} tells most" if best.information_bit >= _TELLING else "none of these tells much"
    caption = f"What one more manoeuvre would tell about the parameters in question: {most}."
    rows = tuple(
        (c.manoeuvre, f"{c.information_bit:.2f}", ", ".join(c.resolves) or "–", c.text) for c in result.candidates
    )
    heads = ("manoeuvre", "information [bit]", "makes identifiable", "in words")
    return Section("Candidate manoeuvres", (Captioned(candidate_bars(result), caption), Table(heads, rows)))


# ---- search, budget, time


def _search(result: StudyResult) -> Section:
    outcome = result.outcome
    caption = (
        f"The objective falls from {result.objective_nominal:.2f} % to {outcome.value:.2f} % in {len(outcome.history)} "
        f"iterations of {outcome.method}; it ended because {outcome.reason}."
    )
    return Section("Search", (Captioned(history_figure(result), caption),) if outcome.history else ())


def _error_budget(result: StudyResult) -> Section:
    if not result.error_budget:
        return Section("Error budget", ())
    tuned = {f"{test.label}: {index.name}": index.value_pct for test in result.tests for index in test.tuned_indices}
    rows = []
    costs: dict[str, float] = {}
    for entry in result.error_budget:
        common = [label for label in entry.indices if label in tuned]
        mean = [sum(of[label] for label in common) / max(len(common), 1) for of in (tuned, entry.indices)]
        most = sorted(common, key=lambda label: -abs(entry.indices[label] - tuned[label]))[:_FEW]
        text = "; ".join(f"{label} {tuned[label]:.2f} → {entry.indices[label]:.2f} %" for label in most)
        rows.append((entry.what, f"{mean[0]:.2f}", f"{mean[1]:.2f}", text))
        costs[entry.what] = mean[1] - mean[0]
    heads = ("sub-model swapped", "mean index, tuned [%]", "mean index, swapped [%]", "what changes most")
    items: list[Item] = [
        "The tuned model with one sub-model swapped at a time: how much the indices rest on it.",
        Table(heads, tuple(rows)),
    ]
    chart = error_budget_map(result)
    if chart.rows:
        largest = max(costs, key=lambda what: costs[what])
        items.append(
            Captioned(chart, f"Red: the index becomes larger, blue: smaller; '{largest}' costs most on average.")
        )
    return Section("Error budget", tuple(items))


def _time(result: StudyResult) -> Section:
    stages = {stage: value for stage, value in result.seconds.items() if stage != "total"}
    if not stages:
        return Section("Where the time goes", ())
    total = result.seconds.get("total", sum(stages.values()))
    longest = max(stages, key=lambda stage: stages[stage])
    share = 100 * stages[longest] / total if total else 0.0
    caption = f"Of {total:.1f} s in all, the stage '{longest}' took {share:.0f} %."
    return Section("Where the time goes", (Captioned(time_bars(result), caption),))


def _listed(sentences: tuple[str, ...]) -> Table:
    return Table(("the model is not valid, or not tried, beyond this",), tuple((text,) for text in sentences))
