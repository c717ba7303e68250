"""What the report of a conversion study says, section by section, whatever it is written to.

The first section (`study_summary`) is for who decides, these are for who works with the model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

import numpy as np

from trackrod.core.corners import Axle, Corner
from trackrod.metrics.indices import Index
from trackrod.metrics.trace import Scale
from trackrod.report.comparison import BAND
from trackrod.report.page import Captioned, Item, Section, Table, problem_table
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
from trackrod.report.study_summary import percent, summary_section, tests_of, verdict
from trackrod.rtm.coefficients import PARAMETERS
from trackrod.tune.study import StudyResult, TestResult, TunedParameter

__all__ = [
    "SECTIONS",
    "SectionMaker",
    "candidate_section",
    "error_budget_section",
    "hold_out_section",
    "identifiability_section",
    "index_section",
    "kc_section",
    "limit_section",
    "manoeuvre_sections",
    "parameter_section",
    "search_section",
    "sensitivity_section",
    "standing_section",
    "study_sections",
    "time_section",
    "vehicle_section",
]

#: How many parameters the caption of the sensitivity names, and how many indices a line of the error budget.
_FEW = 3
#: Information from which a candidate is worth driving [bit].
_TELLING = 0.1


#: Makes sections about a part of a study; those without items are left out.
SectionMaker: TypeAlias = Callable[[StudyResult], tuple[Section, ...]]


def study_sections(result: StudyResult, makers: Iterable[SectionMaker] | None = None) -> tuple[Section, ...]:
    """Sections in the order in which they are read; those without content are left out.

    Parameters
    ----------
    result
        Of the study.
    makers
        Which of them, in any order; what this module does not know comes last. All that it knows if not given.
    """
    known = {maker: place for place, maker in enumerate(SECTIONS)}
    chosen = sorted(SECTIONS if makers is None else makers, key=lambda maker: known.get(maker, len(known)))
    return tuple(section for maker in chosen for section in maker(result) if section.items)


# ---- vehicle and K&C


def vehicle_section(result: StudyResult) -> tuple[Section, ...]:
    """What was converted, and where the numbers came from."""
    items: list[Item] = []
    if result.description:
        items.append(Table(("about", ""), tuple(result.description.items())))
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
    return (Section("Vehicle and provenance", tuple(items)),)


def kc_section(result: StudyResult) -> tuple[Section, ...]:
    """The model on the rig."""
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
    return (Section("Kinematics and compliance", tuple(items)),)


# ---- manoeuvres


def _overlays(test: TestResult) -> tuple[Captioned, ...]:
    """The curves of a test, if it has some."""
    curves = [k for k, index in enumerate(test.tuned_indices) if index.is_curve]
    if not curves:
        return ()
    worst = max(curves, key=lambda k: test.tuned_indices[k].value_pct)
    before, after = test.nominal_indices[worst], test.tuned_indices[worst]
    caption = (
        f"{test.title} ({test.label}): after tuning the curve farthest from the reference is {after.name}, "
        f"{before.value_pct:.2f} % before and {after.value_pct:.2f} % now; dashed is the reference ± {100 * BAND:g} % "
        f"of {_measured_in(after)}."
    )
    return (Captioned(manoeuvre_figure(test), caption),)


def _measured_in(index: Index) -> str:
    """What the difference of two curves is divided by."""
    if index.divisor is not None:
        return index.divisor_text
    return "1 rad" if index.reference.scale is Scale.ONE else f"its {index.reference.scale}"


def standing_section(result: StudyResult) -> tuple[Section, ...]:
    """What the wheels carry before anything is driven."""
    items: list[Item] = []
    for loads in result.standing_loads:
        seen = "tuning never saw them" if loads.hold_out else "they count in the objective as one index"
        text = f"{loads.label}: {loads.nominal_pct:.2f} % before and {loads.tuned_pct:.2f} % after; {seen}."
        rows = tuple(
            (str(corner), *(f"{load:.0f}" for load in found), percent(100.0 * (found[2] / found[0] - 1.0), sign=True))
            for corner, *found in zip(Corner, loads.reference, loads.nominal, loads.tuned, strict=True)
        )
        heads = ("wheel", "reference [N]", "nominal [N]", "tuned [N]", "tuned to reference")
        items += [text, Table(heads, rows)]
    return (Section("Standing wheel loads", tuple(items)),)


def manoeuvre_sections(result: StudyResult) -> tuple[Section, ...]:
    """Each manoeuvre that was tuned with."""
    return tuple(
        Section(f"Manoeuvre: {test.label}", (*_overlays(test), _index_table((test,))))
        for test in tests_of(result, hold_out=False)
    )


def _index_table(tests: tuple[TestResult, ...]) -> Table:
    """Every index before and after; columns that say nothing here are left out."""
    pairs = [(t, a, b) for t in tests for a, b in zip(t.nominal_indices, t.tuned_indices, strict=True)]
    columns: list[tuple[str, list[str | float]]] = []
    if len(tests) > 1:
        columns.append(("manoeuvre", [test.label for test, _, _ in pairs]))
    columns.append(("index", [after.name for _, _, after in pairs]))
    columns.append(("before [%]", [f"{before.value_pct:.2f}" for _, before, _ in pairs]))
    columns.append(("after [%]", [f"{after.value_pct:.2f}" for _, _, after in pairs]))
    if any(after.divisor is not None for _, _, after in pairs):
        columns.append(("divided by", [after.divisor_text for _, _, after in pairs]))
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


def index_section(result: StudyResult) -> tuple[Section, ...]:
    """Every index of what was tuned with."""
    tests = tests_of(result, hold_out=False)
    if not tests:
        return ()
    chart = index_bars(tests, result.tolerance_pct)
    improved = sum(bar.values[-1] < bar.values[0] for bar in chart.bars)
    told = f"{improved} of {len(chart.bars)} are smaller after tuning" if len(chart.series) > 1 else "nothing was tuned"
    caption = (
        f"Indices of the tuning manoeuvres: {told}; the dashed line is the "
        f"tolerance of {result.tolerance_pct:g} %, and numbers above it are red."
    )
    return (Section("Indices before and after", (Captioned(chart, caption),)),)


def hold_out_section(result: StudyResult) -> tuple[Section, ...]:
    """What tuning never saw."""
    tests = tests_of(result, hold_out=True)
    if not tests:
        text = "No manoeuvre was held out: how the model does elsewhere is not known."
        return (Section("Hold-out manoeuvres", (text,)),)
    caption = "Indices of manoeuvres that tuning never saw: what of the improvement carries over to them."
    items: list[Item] = [
        "Tuning never saw these manoeuvres. If the tuned model is good here too, it was not fitted to its tests only.",
        verdict(result, tests, "held out"),
        Captioned(index_bars(tests, result.tolerance_pct), caption),
        *(overlay for test in tests for overlay in _overlays(test)),
        _index_table(tests),
    ]
    return (Section("Hold-out manoeuvres", tuple(items)),)


# ---- parameters


def parameter_section(result: StudyResult) -> tuple[Section, ...]:
    """What was tuned."""
    rows = tuple(
        (
            item.tunable.name,
            item.tunable.title,
            item.tunable.nominal,
            item.value,
            item.tunable.unit or "-",
            percent(item.tunable.change_pct(item.z), sign=True),
            "{:.4g} to {:.4g}".format(*item.interval_values),
            f"{item.tunable.lower:.4g} to {item.tunable.upper:.4g}",
            "; ".join(_parameter_alarms(item)),
        )
        for item in result.parameters
    )
    if (height := result.standing_height) is not None:
        change, interval = percent(height.change_pct, sign=True), "{:.4g} to {:.4g}".format(*height.interval)
        what = "the same above the road on which the vehicle stands"
        rows += (("cg_height, standing", what, height.nominal, height.tuned, "m", change, interval, "", ""),)
    heads = ("parameter", "what", "nominal", "tuned", "unit", "change", "95 % interval", "bounds", "alarm")
    bound = [item.tunable.name for item in result.parameters if item.on_bound]
    caption = (
        f"Changes of the tuned parameters: {', '.join(bound) if bound else 'none'} on a bound (red); grey is the range "
        "that was allowed, thin bars are the 95 % intervals, pale rows were held."
    )
    meaning = (
        "An interval holds the value with a probability of 95 % as far as all curves together can tell, each of them "
        "with a difference between model and reference of its own size, also if kinematics or compliance are wrong by "
        "as much as making them simpler, or better, would change. Another difference that looks like the effect of a "
        "parameter in every curve is not in it. Values out of their intervals make up for another part of the model."
    )
    items = (Captioned(parameter_bars(result), caption), Table(heads, rows), meaning)
    return (Section("Parameters", items),) if rows else ()


def _parameter_alarms(item: TunedParameter) -> list[str]:
    alarms = {"on a bound": item.on_bound, "out of its interval": item.makes_up, item.held: bool(item.held)}
    return [text for text, holds in alarms.items() if holds]


def sensitivity_section(result: StudyResult) -> tuple[Section, ...]:
    """What each parameter does."""
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
    return (Section("Sensitivity", (*items, *_global_sensitivity(result))),)


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


def identifiability_section(result: StudyResult) -> tuple[Section, ...]:
    """What these manoeuvres can tell."""
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
    return (Section("Identifiability", tuple(items)),)


def _collinearity(value: float) -> str:
    return f"{value:.3g}" if value < 1e6 else "beyond measure"


def candidate_section(result: StudyResult) -> tuple[Section, ...]:
    """What one more manoeuvre would tell."""
    if not result.candidates:
        return ()
    best = result.candidates[0]
    most = f"{best.manoeuvre} tells most" if best.information_bit >= _TELLING else "none of these tells much"
    caption = f"What one more manoeuvre would tell about the parameters in question: {most}."
    rows = tuple(
        (c.manoeuvre, f"{c.information_bit:.2f}", ", ".join(c.resolves) or "–", c.text) for c in result.candidates
    )
    heads = ("manoeuvre", "information [bit]", "makes identifiable", "in words")
    return (Section("Candidate manoeuvres", (Captioned(candidate_bars(result), caption), Table(heads, rows))),)


# ---- search, budget, time


def search_section(result: StudyResult) -> tuple[Section, ...]:
    """How the objective fell."""
    outcome = result.outcome
    caption = (
        f"The objective falls from {result.objective_nominal:.2f} % to {outcome.value:.2f} % in {len(outcome.history)} "
        f"iterations of {outcome.method}; it ended because {outcome.reason}. {outcome.confirmation}"
    ).rstrip()
    return (Section("Search", (Captioned(history_figure(result), caption),) if outcome.history else ()),)


def error_budget_section(result: StudyResult) -> tuple[Section, ...]:
    """Which part of the model the indices rest on."""
    if not result.error_budget:
        return ()
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
    return (Section("Error budget", tuple(items)),)


def time_section(result: StudyResult) -> tuple[Section, ...]:
    """Seconds by stage."""
    stages = {stage: value for stage, value in result.seconds.items() if stage != "total"}
    if not stages:
        return ()
    total = result.seconds.get("total", sum(stages.values()))
    longest = max(stages, key=lambda stage: stages[stage])
    share = 100 * stages[longest] / total if total else 0.0
    caption = f"Of {total:.1f} s in all, the stage '{longest}' took {share:.0f} %."
    return (Section("Where the time goes", (Captioned(time_bars(result), caption),)),)


def limit_section(result: StudyResult) -> tuple[Section, ...]:
    """What the model is not valid for."""
    rows = tuple((text,) for text in result.limits)
    table = Table(("the model is not valid, or not tried, beyond this",), rows)
    return (Section("Limits of validity", (table,)),) if rows else ()


#: All sections, in the order in which they are read.
SECTIONS: tuple[SectionMaker, ...] = (
    summary_section,
    vehicle_section,
    kc_section,
    standing_section,
    manoeuvre_sections,
    index_section,
    parameter_section,
    sensitivity_section,
    identifiability_section,
    candidate_section,
    search_section,
    hold_out_section,
    error_budget_section,
    time_section,
    limit_section,
)
