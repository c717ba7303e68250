"""What the report of a conversion study says, section by section, whatever it is written to.

The first section (`study_summary`) is for those who decide, these are for those who work with the model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

import numpy as np

from trackrod.core.corners import Axle, Corner
from trackrod.core.figure import Figure
from trackrod.core.numbers import change, interval, minus, percent, shown
from trackrod.metrics.indices import Index
from trackrod.metrics.trace import Scale
from trackrod.report.comparison import BAND
from trackrod.report.flat_panels import flat_sentence, without_flat
from trackrod.report.names import in_words, manoeuvre_name, parameter_title
from trackrod.report.page import Captioned, Item, Section, Table, notes_table, problem_table
from trackrod.report.study_drawings import (
    candidate_bars,
    error_budget_map,
    history_figure,
    index_bars,
    kc_figure,
    manoeuvre_figure,
    parameter_bars,
    sensitivity_map,
)
from trackrod.report.study_summary import summary_section, tests_of, verdict
from trackrod.report.study_values import characteristic_values
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
    "note_section",
    "parameter_section",
    "search_section",
    "sensitivity_section",
    "standing_section",
    "study_sections",
    "value_section",
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


# ---- vehicle, characteristic values, K&C


def value_section(result: StudyResult) -> tuple[Section, ...]:
    """Numbers that engineers know a vehicle by."""
    values = characteristic_values(result)
    if not values:
        return ()
    text = (
        "Values of the reference and of the model, read from their runs. The gradients hold from 0.1 g to 0.3 g; "
        "the understeer gradient uses the steering ratio without load. The ride frequency is that of the sprung mass "
        "of an axle on its wheel rate and its tyres in series, without damping."
    )
    heads = ("value", "from", "reference", "model", "unit", "difference")
    return (Section("Characteristic values", (text, Table(heads, tuple(value.row for value in values)))),)


def vehicle_section(result: StudyResult) -> tuple[Section, ...]:
    """What was converted, and what the audit of its files warns of."""
    items: list[Item] = []
    if result.description:
        items.append(Table(("", ""), tuple(result.description.items())))
    items += ["Audit of the source and checks of the models:", problem_table(result.problems)]
    return (Section("Vehicle and provenance", tuple(items)),)


def note_section(result: StudyResult) -> tuple[Section, ...]:
    """Appendices: where the numbers of the nominal model came from, and the notes of the audit."""
    known = {item.name: item for item in PARAMETERS}
    rows = tuple(
        (
            parameter_title(name, result),
            known[name].meaning,
            result.nominal.parameters[name],
            known[name].kind.unit or "-",
            source.text,
            "read" if source.certain else "derived",
        )
        for name, source in result.sources.items()
        if name in known
    )
    heads = ("parameter", "what it is", "value", "unit", "where it comes from", "how")
    sources = (Table(heads, rows),) if rows else ()
    notes = notes_table(result.problems)
    told = "What the audit found worth knowing; nothing has to be done about it."
    return (
        Section("Appendix: where the numbers come from", sources),
        Section("Appendix: notes of the audit", (told, *notes) if notes else ()),
    )


def kc_section(result: StudyResult) -> tuple[Section, ...]:
    """The model on the rig."""
    items: list[Item] = []
    tuned = result.nominal.parameters != result.tuned.parameters
    for axle in (axle for axle in Axle if axle in result.maps):
        figure = kc_figure(result, axle)
        drawn, flat = without_flat(figure.panels)
        changed = " Tuned springs, stops and anti-roll bars change the wheel load." if tuned else ""
        caption = (
            f"{str(axle).capitalize()} axle, left wheel on the K&C rig: the model on the points of the reference, and "
            f"their difference below.{changed} The steer angle is positive to the left, the inclination with the top "
            f"to the right.{flat_sentence(flat)}"
        )
        items.append(Captioned(Figure(figure.title, drawn, figure.columns), caption))
    if result.round_trip:
        items.append("Largest difference between the model on the rig and the maps that it was made of:")
        items.append(Table(("quantity", "largest difference"), tuple(result.round_trip.items())))
    return (Section("Kinematics and compliance", tuple(items)),)


# ---- manoeuvres


def _overlays(test: TestResult) -> tuple[Item, ...]:
    """The curves of a test, if it has some."""
    curves = [k for k, index in enumerate(test.tuned_indices) if index.is_curve]
    if not curves:
        return ()
    worst = max(curves, key=lambda k: test.tuned_indices[k].value_pct)
    before, after = test.nominal_indices[worst], test.tuned_indices[worst]
    figure = manoeuvre_figure(test)
    drawn, flat = without_flat(figure.panels)
    caption = (
        f"{test.title[:1].upper()}{test.title[1:]}. Farthest from the reference is {after.name}: "
        f"{change(before.value_pct, after.value_pct, 2)} % of {_measured_in(after)}. Pale: the reference ± "
        f"{100 * BAND:g} %; the strip below each panel is model minus reference.{flat_sentence(flat)}"
    )
    return (Captioned(Figure(figure.title, drawn, figure.columns), caption),) if drawn else (caption,)


def _measured_in(index: Index) -> str:
    """What the difference of two curves is divided by."""
    if index.divisor is not None:
        return index.divisor_text
    return "1 rad" if index.reference.scale is Scale.ONE else f"its {index.reference.scale}"


def standing_section(result: StudyResult) -> tuple[Section, ...]:
    """What the wheels carry before anything is driven."""
    items: list[Item] = []
    moved = result.nominal.parameters != result.tuned.parameters
    for loads in result.standing_loads:
        seen = "tuning did not use them" if loads.hold_out else "tuning uses them as one index"
        label = loads.label[:1].upper() + loads.label[1:]
        items.append(f"{label}: the difference is {change(loads.nominal_pct, loads.tuned_pct, 2)} %; {seen}.")
        rows = []
        for corner, *found in zip(Corner, loads.reference, loads.nominal, loads.tuned, strict=True):
            cells = found if moved else (found[0], found[2])
            apart = percent(100.0 * (found[2] / found[0] - 1.0), sign=True)
            rows.append((_CORNERS[corner], *(f"{load:.0f}" for load in cells), apart))
        models = ("nominal [N]", "tuned [N]") if moved else ("model [N]",)
        items.append(Table(("wheel", "reference [N]", *models, "difference"), tuple(rows)))
    return (Section("Standing wheel loads", tuple(items)),)


_CORNERS = {Corner.FL: "front left", Corner.FR: "front right", Corner.RL: "rear left", Corner.RR: "rear right"}


def manoeuvre_sections(result: StudyResult) -> tuple[Section, ...]:
    """Each manoeuvre that was tuned with."""
    return tuple(
        Section(f"Manoeuvre: {manoeuvre_name(test.label)}", (*_overlays(test), _index_table(test)))
        for test in tests_of(result, hold_out=False)
    )


def _index_table(test: TestResult) -> Table:
    """Every index before and after; columns that say nothing here are left out."""
    pairs = tuple(zip(test.nominal_indices, test.tuned_indices, strict=True))
    moved = any(before.value_pct != after.value_pct for before, after in pairs)
    columns: list[tuple[str, list[str | float]]] = []
    columns.append(("index", [after.name for _, after in pairs]))
    if moved:
        columns.append(("before [%]", [f"{before.value_pct:.2f}" for before, _ in pairs]))
    columns.append(("after [%]" if moved else "difference [%]", [f"{after.value_pct:.2f}" for _, after in pairs]))
    if any(after.divisor is not None for _, after in pairs):
        columns.append(("divided by", [after.divisor_text for _, after in pairs]))
    scalars = [(before.scalar, after.scalar) for before, after in pairs]
    if any(pair is not None for _, pair in scalars):
        columns.append(("reference", ["" if b is None else minus(shown(b.reference, 4)) for _, b in scalars]))
        if moved:
            columns.append(("nominal", ["" if a is None else minus(shown(a.model, 4)) for a, _ in scalars]))
        name = "tuned" if moved else "model"
        columns.append((name, ["" if b is None else minus(shown(b.model, 4)) for _, b in scalars]))
        columns.append(("unit", ["" if b is None else b.unit for _, b in scalars]))
    if any(round(100 * after.coverage) < 100 for _, after in pairs):
        columns.append(("compared", [f"{100 * after.coverage:.0f} %" for _, after in pairs]))
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
        f"Indices of the tuning manoeuvres: {told}. The dashed line is the tolerance of {result.tolerance_pct:g} %; "
        "numbers above it are red."
    )
    return (Section("Indices of the tuning manoeuvres", (Captioned(chart, caption),)),)


def hold_out_section(result: StudyResult) -> tuple[Section, ...]:
    """What tuning never saw: the verdict, then each manoeuvre."""
    tests = tests_of(result, hold_out=True)
    if not tests:
        text = "No manoeuvre was held out: how good the model is elsewhere is not known."
        return (Section("Hold-out manoeuvres", (text,)),)
    tuned_with = [test.reference for test in tests_of(result, hold_out=False)]
    again = [test.label for test in tests if any(test.reference is run for run in tuned_with)]
    unseen = "Tuning did not use these manoeuvres. A model that is good here too was not merely fitted to its tests."
    if again:
        unseen += (
            f" Of {', '.join(map(manoeuvre_name, again))}, tuning used the run of the reference, with the model in the "
            "reference's gears; here the model changes gear by itself."
        )
    items: list[Item] = [
        unseen,
        verdict(result, tests, "held out"),
        Captioned(index_bars(tests, result.tolerance_pct), "Indices of the manoeuvres that tuning did not use."),
    ]
    each = (Section(f"Held out: {manoeuvre_name(t.label)}", (*_overlays(t), _index_table(t))) for t in tests)
    return (Section("Hold-out manoeuvres", tuple(items)), *each)


# ---- parameters


def parameter_section(result: StudyResult) -> tuple[Section, ...]:
    """What was tuned."""
    rows = tuple(
        (
            item.tunable.title,
            item.tunable.nominal,
            item.value,
            item.tunable.unit or "-",
            percent(item.tunable.change_pct(item.z), sign=True),
            interval(*item.interval_values),
            interval(item.tunable.lower, item.tunable.upper),
            "; ".join(_parameter_alarms(item)),
        )
        for item in result.parameters
    )
    if (height := result.standing_height) is not None:
        moved = percent(height.change_pct, sign=True)
        what = "height of the sprung centre of gravity, vehicle standing"
        rows += ((what, height.nominal, height.tuned, "m", moved, interval(*height.interval), "", ""),)
    heads = ("parameter", "nominal", "tuned", "unit", "change", "95 % interval", "bounds", "remark")
    bound = [item.tunable.title for item in result.parameters if item.on_bound]
    caption = (
        f"Changes of the parameters. {'On a bound (red): ' + ', '.join(bound) if bound else 'None is on a bound'}. "
        "Grey is the range that was allowed, thin bars are the 95 % intervals, pale rows were not tuned."
    )
    meaning = (
        "The 95 % interval is what all curves together say about a value. It counts the error of the model itself: "
        "each curve may be off by as much as it is, and the kinematics and compliance by as much as a simpler or a "
        "better form of them would change. It does not count an error that looks like the effect of the parameter in "
        "every curve. A value outside its interval makes up for an error elsewhere in the model."
    )
    items = (Captioned(parameter_bars(result), caption), Table(heads, rows), meaning)
    return (Section("Parameters", items),) if rows else ()


def _parameter_alarms(item: TunedParameter) -> list[str]:
    alarms = {"on a bound": item.on_bound, "outside its interval": item.makes_up, item.held: bool(item.held)}
    return [text for text, holds in alarms.items() if holds]


def sensitivity_section(result: StudyResult) -> tuple[Section, ...]:
    """What each parameter does."""
    ranked = [parameter_title(name, result) for name in result.sensitivity.ranked()]
    caption = (
        f"Sensitivity of the nominal model: {', '.join(ranked[:_FEW])} move the indices most, {ranked[-1]} least. "
        "Darker is more."
    )
    items: list[Item] = [Captioned(sensitivity_map(result), caption)]
    if result.ranges:
        rows = tuple(
            (
                parameter_title(r.parameter, result),
                minus(f"{r.lower:.2f}"),
                in_words(r.lower_limit, result),
                minus(f"{r.upper:.2f}"),
                in_words(r.upper_limit, result),
            )
            for r in result.ranges
        )
        items.append("How far each parameter may go before the indices suffer, as shares of its full range:")
        items.append(Table(("parameter", "down to [-]", "limited by", "up to [-]", "limited by"), rows))
    return (Section("Sensitivity", (*items, *_global_sensitivity(result))),)


def _global_sensitivity(result: StudyResult) -> list[Item]:
    """What the parameters do to the objective over their whole ranges, the strongest first."""
    items: list[Item] = []
    if (found := result.screening) is not None:
        order = np.argsort(-found.mu_star[0])
        rows = tuple(
            (
                parameter_title(found.parameters[k], result),
                f"{found.mu_star[0, k]:.3f} ± {found.mu_star_confidence[0, k]:.3f}",
                f"{found.sigma[0, k]:.3f}",
            )
            for k in order
        )
        items.append(
            f"Morris screening over the whole ranges, {found.trajectories} trajectories: the mean effect on the "
            "objective for one unit of the scaled parameter, and how much it varies (interaction and curvature)."
        )
        items.append(Table(("parameter", "mean effect [%]", "deviation [%]"), rows))
    if (shares := result.variance) is not None:
        order = np.argsort(-shares.total[0])
        rows = tuple(
            (
                parameter_title(shares.parameters[k], result),
                f"{shares.first[0, k]:.3f} ± {shares.first_confidence[0, k]:.3f}",
                f"{shares.total[0, k]:.3f} ± {shares.total_confidence[0, k]:.3f}",
            )
            for k in order
        )
        items.append(
            f"Sobol shares of the variance of the objective, {shares.base_points} base points: of the parameter alone, "
            "and with its interactions."
        )
        items.append(Table(("parameter", "alone [-]", "with interactions [-]"), rows))
    return items


def identifiability_section(result: StudyResult) -> tuple[Section, ...]:
    """What these manoeuvres can tell."""
    found = result.identifiability
    names = {item.tunable.name for item in result.parameters}
    rows = tuple(
        (
            parameter_title(f.parameter, result),
            str(f.verdict),
            f"{f.influence_pct:.2f}",
            f"{f.unique_pct:.2f}",
            in_words(f.text, result),
        )
        for f in found.findings
        if f.parameter in names or not names
    )
    items: list[Item] = [
        "A parameter is identifiable if it moves the indices by more than "
        f"{percent(found.criteria.noise_pct, decimals=1)} within its range, and if its effect differs from that of "
        f"the others: a collinearity of at most {found.criteria.collinearity:g}. The condition number of all "
        f"parameters together is {_large(found.condition)}.",
        Table(("parameter", "verdict", "influence [%]", "its own [%]", "in words"), rows),
    ]
    if found.groups:
        groups = tuple((_titles(g.parameters, result), _large(g.collinearity)) for g in found.groups)
        items += ["Groups of parameters whose effects can cancel:", Table(("parameters", "collinearity [-]"), groups)]
    else:
        items.append("No effects of parameters can cancel.")
    items.append(f"These can be determined together: {_titles(found.subset, result) or 'none'}.")
    return (Section("Identifiability", tuple(items)),)


def _titles(names: Iterable[str], result: StudyResult) -> str:
    return ", ".join(parameter_title(name, result) for name in names)


def _large(value: float) -> str:
    return shown(value, 3) if value < 1e6 else "more than a million"


def candidate_section(result: StudyResult) -> tuple[Section, ...]:
    """What one more manoeuvre would tell."""
    if not result.candidates:
        return ()
    best = result.candidates[0]
    told = best.information_bit >= _TELLING
    most = f"{manoeuvre_name(best.manoeuvre)} would tell most" if told else "none would tell much"
    caption = f"What one more manoeuvre would tell about the parameters that are not identifiable: {most}."
    rows = tuple(
        (
            manoeuvre_name(c.manoeuvre),
            f"{c.information_bit:.2f}",
            _titles(c.resolves, result) or "–",
            in_words(c.text, result),
        )
        for c in result.candidates
    )
    heads = ("manoeuvre", "information [bit]", "makes identifiable", "in words")
    return (Section("Candidate manoeuvres", (Captioned(candidate_bars(result), caption), Table(heads, rows))),)


# ---- search, budget, limits


def search_section(result: StudyResult) -> tuple[Section, ...]:
    """How the objective fell."""
    outcome = result.outcome
    caption = (
        f"The objective goes from {percent(result.objective_nominal)} to {percent(outcome.value)} in "
        f"{len(outcome.history)} iterations ({outcome.method}). The search ended because {outcome.reason}. "
        f"{in_words(outcome.confirmation, result)}"
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
        text = "; ".join(f"{label} {change(tuned[label], entry.indices[label], 2)} %" for label in most)
        rows.append((entry.what, f"{mean[0]:.2f}", f"{mean[1]:.2f}", in_words(text, result)))
        costs[entry.what] = mean[1] - mean[0]
    heads = ("replaced", "mean index, tuned [%]", "mean index, replaced [%]", "what changes most")
    items: list[Item] = [
        "One sub-model of the tuned model is replaced at a time: how much the indices depend on it.",
        Table(heads, tuple(rows)),
    ]
    chart = error_budget_map(result)
    if chart.rows:
        largest = max(costs, key=lambda what: costs[what])
        items.append(
            Captioned(chart, f"Red: the index becomes larger, blue: smaller. On average '{largest}' costs most.")
        )
    return (Section("Error budget", tuple(items)),)


def limit_section(result: StudyResult) -> tuple[Section, ...]:
    """What the model is not valid for."""
    return (
        (Section("Limits of validity", ("Beyond these the model is not valid, or was not tried.", *result.limits)),)
        if result.limits
        else ()
    )


#: All sections, in the order in which they are read.
SECTIONS: tuple[SectionMaker, ...] = (
    summary_section,
    value_section,
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
    limit_section,
    note_section,
)
