"""Page one of the report of a conversion study, for those who decide: vehicle, what the model is good for, alarms."""

from __future__ import annotations

import math

from trackrod import __version__
from trackrod.core.numbers import change, percent, shown
from trackrod.fit.outcome import Reason
from trackrod.metrics.indices import Index
from trackrod.report.names import in_words, manoeuvre_name
from trackrod.report.page import Beside, Captioned, Item, Notice, Section, Table
from trackrod.report.study_drawings import worst_bars
from trackrod.report.study_values import key_figures
from trackrod.report.vehicle_picture import mechanism_picture, sketch_picture
from trackrod.tune.study import StudyResult, TestResult, TunedParameter

__all__ = ["summary_section", "tests_of", "verdict"]

#: How many parameters "tuned most" names, and how many indices an alarm or a manoeuvre.
_FEW = 3
#: Reasons to end a search that is not done.
_EARLY = (Reason.INTERRUPTED, Reason.EVALUATIONS, Reason.SECONDS)
#: Share of the reference from which an index counts as compared in full [-].
_COVERED = 0.95


def summary_section(result: StudyResult) -> tuple[Section, ...]:
    """Page one: what the model is good for, the vehicle, the worst index of each manoeuvre, alarms."""
    items: list[Item] = [*_good_for(result), Beside((_picture(result), Table(("", ""), _facts(result))))]
    if result.tests:
        items.append(Captioned(worst_bars(result), _chart_caption(result)))
    alarms = _alarms(result)
    items.append(Table(("alarm", "what it means"), alarms) if alarms else "No alarms.")
    items.append(_effort(result))
    return (Section("Summary", tuple(items)),)


# ---- the vehicle


def _picture(result: StudyResult) -> Captioned:
    if result.vehicle is not None and not result.vehicle.is_half:
        return Captioned(mechanism_picture(result.vehicle), "The multibody model.")
    return Captioned(sketch_picture(result.nominal), "The vehicle to scale, from the left and from above.")


def _facts(result: StudyResult) -> tuple[tuple[str, str], ...]:
    """Key figures, and where, when and with what the model was made."""
    rows = [("vehicle", result.name), *key_figures(result)]
    rows += [(key, result.description[key]) for key in ("payload", "source", "reference") if key in result.description]
    if (found := result.step_time) is not None:
        cost = f"{shown(1e6 * found.cpu, 2)} µs for a step of {shown(1e3 * found.step)} ms on one core"
        rows.append(("computing time", f"{cost}: {shown(found.real_time_factor, 2)} times real time"))
    if result.made_on:
        rows.append(("date", result.made_on))
    rows.append(("made with", f"Trackrod {__version__}"))
    return tuple(rows)


# ---- what it is good for


def _good_for(result: StudyResult) -> list[Item]:
    """What was compared with success and in which range, and what was not."""
    good, bad = [], []
    for test in (*tests_of(result, hold_out=False), *tests_of(result, hold_out=True)):
        above = sorted(
            (index for index in test.tuned_indices if not _within(index, result.tolerance_pct)),
            key=lambda index: -index.value_pct,
        )
        if not above:
            good.append(manoeuvre_name(test.label))
            continue
        named = ", ".join(f"{index.name} {percent(index.value_pct, decimals=1)}" for index in above[:_FEW])
        more = f" and {len(above) - _FEW} more" if len(above) > _FEW else ""
        bad.append(f"{manoeuvre_name(test.label)} ({named}{more})")
    limit = f"{result.tolerance_pct:g} %"
    compared = result.limits[0] if result.limits else ""
    items: list[Item] = []
    if good:
        text = f"The model is good for {_listed(good)}: every index is within {limit}. {compared}"
        items.append(Notice(text.strip(), good=True))
    if bad:
        text = f"The model is not good for {'; '.join(bad)}: these indices exceed {limit}."
        items.append(Notice(text if good else f"{text} {compared}".strip(), good=False))
    if not tests_of(result, hold_out=True):
        text = "No manoeuvre was held out: beyond the manoeuvres used for tuning, the model is not proven."
        items.append(Notice(text, good=False))
    if met := [f"{manoeuvre_name(test.label)}: {'; '.join(test.events)}" for test in result.tests if test.events]:
        items.append(Notice(f"Events of the tuned model. {'. '.join(met)}.", good=False))
    return items


def _listed(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def verdict(result: StudyResult, tests: tuple[TestResult, ...], which: str) -> Notice:
    """Whether all indices of some tests are within the tolerance."""
    found = [(test.label, index) for test in tests for index in test.tuned_indices]
    if not found:
        return Notice(f"No manoeuvre was {which}.", good=False)
    above = sum(not _within(index, result.tolerance_pct) for _, index in found)
    label, worst = max(found, key=lambda item: item[1].value_pct)
    close = f"The largest is {worst.name} in {manoeuvre_name(label)}, {percent(worst.value_pct)}."
    limit = f"the tolerance of {result.tolerance_pct:g} %"
    how_many = f"{above} of {len(found)} indices exceed" if above else f"all {len(found)} indices are within"
    return Notice(f"Manoeuvres {which}: {how_many} {limit}. {close}", good=not above)


def _chart_caption(result: StudyResult) -> str:
    """How many indices are within the tolerance, and how many were before."""
    told = []
    for hold_out, which in ((False, "used for tuning"), (True, "held out")):
        pairs = [pair for test in tests_of(result, hold_out=hold_out) for pair in _pairs(test)]
        if not pairs:
            continue
        within = [sum(_within(pair[k], result.tolerance_pct) for pair in pairs) for k in range(2)]
        before = f" ({within[0]} before tuning)" if within[0] != within[1] else ""
        told.append(f"of {len(pairs)} indices of manoeuvres {which}, {within[1]} are within the tolerance{before}")
    sentence = "; ".join(told)
    return f"The largest index of each manoeuvre: {sentence}. An index is the difference between model and reference."


def _pairs(test: TestResult) -> list[tuple[Index, Index]]:
    return list(zip(test.nominal_indices, test.tuned_indices, strict=True))


def _within(index: Index, tolerance_pct: float) -> bool:
    """Whether an index, as precisely as it is written, is not above the tolerance: tuning often ends right on it."""
    return round(index.value_pct, 2) <= tolerance_pct


# ---- alarms and effort


def _alarms(result: StudyResult) -> tuple[tuple[str, str], ...]:
    means = "the motion is not what the driver asked for: do not use the model before the cause is found"
    alarms = [(in_words(text, result), means) for text in result.unstable]
    if left := [
        f"{entry['variable']} by {1e3 * entry['farthest_m']:.1f} mm in {manoeuvre_name(test.label)}"
        for test in result.tests
        for entry in test.tuned.metadata.get("beyond_maps", ())
    ]:
        means = "the maps are extrapolated there: the mechanism ends before, or the travel on the rig is too small"
        alarms.append((f"beyond the K&C maps: {', '.join(left)}", means))
    if bounds := [item.tunable.title for item in result.parameters if item.on_bound]:
        means = "the search was stopped by the range: the cause is probably another part of the model"
        alarms.append((f"on a bound: {', '.join(bounds)}", means))
    if beyond := [item.tunable.title for item in result.parameters if item.makes_up]:
        means = "these values make up for an error elsewhere in the model: they are not values of the vehicle"
        alarms.append((f"tuned out of their 95 % intervals: {', '.join(beyond)}", means))
    if blind := [item.tunable.title for item in result.parameters if not item.identifiable]:
        means = "these manoeuvres do not determine the values: they were left at their nominal values"
        alarms.append((f"not identifiable: {', '.join(blind)}", means))
    if result.outcome.other is not None and not result.outcome.confirmed:
        alarms.append((result.outcome.confirmation.rstrip("."), "other values fit as well as the tuned ones"))
    pairs = [(manoeuvre_name(test.label), *pair) for test in result.tests for pair in _pairs(test)]
    if worse := [
        f"{after.name} in {label} ({change(before.value_pct, after.value_pct)} %)"
        for label, before, after in pairs
        if after.value_pct > before.value_pct and not _within(after, result.tolerance_pct)
    ]:
        alarms.append((f"worse after tuning: {', '.join(worse)}", "tuning improved other indices at their expense"))
    if short := [
        f"{after.name} in {label} ({100 * after.coverage:.0f} %)"
        for label, _, after in pairs
        if after.coverage < _COVERED
    ]:
        alarms.append((f"compared in part: {', '.join(short)}", "the model does not reach all of the reference"))
    if result.outcome.reason in _EARLY:
        alarms.append((f"the search ended early: {result.outcome.reason}", "the best point so far is reported"))
    return tuple(alarms)


def _effort(result: StudyResult) -> str:
    """What tuning did, and what it cost."""
    if not result.was_tuned:
        return f"The direct conversion: nothing was tuned. Objective: {percent(result.outcome.value)}."
    moved = sorted((item for item in result.parameters if item.moved), key=lambda item: -abs(item.z))
    if not moved:
        if all(_within(index, result.tolerance_pct) for test in result.tests for index in test.tuned_indices):
            return "Nothing was tuned: no manoeuvre contradicts the nominal values."
        return (
            "Nothing was tuned: the differences do not point to a wrong parameter, they have another cause in the "
            "model or in the reference."
        )
    most = ", ".join(_changed(item) for item in moved[:_FEW])
    outcome = result.outcome
    return (
        f"Tuning changed {len(moved)} parameters, most of all {most}. The objective went from "
        f"{percent(result.objective_nominal)} to {percent(outcome.value)} in "
        f"{outcome.evaluations + outcome.linearisations} evaluations ({outcome.method}); it ended because "
        f"{outcome.reason}."
    )


def _changed(item: TunedParameter) -> str:
    moved = item.tunable.change_pct(item.z)
    amount = percent(moved, sign=True) if math.isfinite(moved) else f"to {shown(item.value, 4)} {item.tunable.unit}"
    return f"{item.tunable.title} {amount}"


def tests_of(result: StudyResult, *, hold_out: bool) -> tuple[TestResult, ...]:
    """Tests that were tuned with, or held out."""
    return tuple(test for test in result.tests if test.hold_out is hold_out)
