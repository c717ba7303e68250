"""Page one of the report of a conversion study, for who decides: verdicts, manoeuvres, alarms, effort."""

from __future__ import annotations

import math

from trackrod.fit.outcome import Reason
from trackrod.metrics.indices import Index
from trackrod.report.page import Item, Notice, Section, Table
from trackrod.tune.study import StudyResult, TestResult, TunedParameter

__all__ = ["percent", "summary_section", "tests_of", "verdict"]

#: How many parameters "tuned most" names.
_FEW = 3
#: Reasons to end a search that is not done.
_EARLY = (Reason.INTERRUPTED, Reason.EVALUATIONS, Reason.SECONDS)
#: Share of the reference from which an index counts as compared in full [-].
_COVERED = 0.95


def summary_section(result: StudyResult) -> tuple[Section, ...]:
    """Page one: verdicts, manoeuvres, alarms."""
    tuning, held = tests_of(result, hold_out=False), tests_of(result, hold_out=True)
    items: list[Item] = [verdict(result, tuning, "used for tuning"), verdict(result, held, "held out")]
    items += _where(result, (*tuning, *held))
    items.append(_manoeuvres(result, (*tuning, *held)))
    items += _range(result)
    items.append(
        f"Objective: {result.objective_nominal:.2f} % with nominal parameters, {result.outcome.value:.2f} % tuned. "
        f"{_tuned_most(result)}"
    )
    alarms = _alarms(result)
    items.append(Table(("alarm", "what it means"), alarms) if alarms else "No alarms.")
    items.append(_effort(result))
    return (Section("Summary", tuple(items)),)


def verdict(result: StudyResult, tests: tuple[TestResult, ...], which: str) -> Notice:
    """Whether all indices of some tests are within the tolerance."""
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


def _where(result: StudyResult, tests: tuple[TestResult, ...]) -> list[Item]:
    """Where the tuned model is good, and where it is not: by manoeuvre, with what is wrong there."""
    good, bad = [], []
    for test in tests:
        above = sorted(
            (index for index in test.tuned_indices if not _within(index, result.tolerance_pct)),
            key=lambda index: -index.value_pct,
        )
        if not above:
            good.append(test.label)
            continue
        named = ", ".join(f"{index.name} {index.value_pct:.3g} %" for index in above[:_FEW])
        more = f" and {len(above) - _FEW} more" if len(above) > _FEW else ""
        bad.append(f"{test.label} ({named}{more})")
    items: list[Item] = []
    if good:
        items.append(Notice(f"The model is good in {', '.join(good)}.", good=True))
    if bad:
        items.append(Notice(f"It is not in {'; '.join(bad)}.", good=False))
    return items


def _range(result: StudyResult) -> list[Item]:
    """What was really compared, and what the tuned model met on the way."""
    items: list[Item] = [result.limits[0]] if result.limits else []
    met = [f"{test.label}: {'; '.join(test.events)}" for test in result.tests if test.events]
    if met:
        items.append(Notice(f"Events of the tuned model: {'. '.join(met)}.", good=False))
    return items


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
                f"{100 * test.coverage:.0f} %",
            )
        )
    heads = (
        "manoeuvre",
        "use",
        "worst before [%]",
        "worst after [%]",
        "index that is worst after",
        "within TP",
        "compared",
    )
    return Table(heads, tuple(rows))


def _tuned_most(result: StudyResult) -> str:
    moved = [item for item in result.parameters if item.moved]
    most = sorted(moved, key=lambda item: -abs(item.z))[:_FEW]
    if not most:
        return "Nothing was tuned: these manoeuvres do not speak against any nominal value."
    return f"Tuned most, of {len(moved)} that were tuned: {', '.join(_changed(item) for item in most)}."


def _changed(item: TunedParameter) -> str:
    change = item.tunable.change_pct(item.z)
    amount = percent(change, sign=True) if math.isfinite(change) else f"to {item.value:.4g} {item.tunable.unit}"
    return f"{item.tunable.title} {amount}"


def _alarms(result: StudyResult) -> tuple[tuple[str, str], ...]:
    means = "what it drives is no answer to its driver: do not use it before the cause is mended"
    alarms = [(text, means) for text in result.unstable]
    if bounds := [item.tunable.name for item in result.parameters if item.on_bound]:
        means = "the search was stopped by the range: the cause is probably another part of the model"
        alarms.append((f"on a bound: {', '.join(bounds)}", means))
    if blind := [item.tunable.name for item in result.parameters if not item.identifiable]:
        means = "these manoeuvres cannot tell their values, alone or apart from those of others: they were held"
        alarms.append((f"not identifiable: {', '.join(blind)}", means))
    if beyond := [item.tunable.name for item in result.parameters if item.makes_up]:
        means = "they make the indices small by making up for another part of the model: no values of the vehicle"
        alarms.append((f"tuned out of their 95 % intervals: {', '.join(beyond)}", means))
    if result.outcome.other is not None and not result.outcome.confirmed:
        alarms.append((result.outcome.confirmation.rstrip("."), "the tuned values are one answer of several"))
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
    if left := [
        f"{entry['variable']} by {1e3 * entry['farthest_m']:.1f} mm in {test.label}"
        for test in result.tests
        for entry in test.tuned.metadata.get("beyond_maps", ())
    ]:
        means = "the maps go on straight there: the mechanism ends before, or --travel-mm is too small"
        alarms.append((f"beyond the K&C maps: {', '.join(left)}", means))
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


def tests_of(result: StudyResult, *, hold_out: bool) -> tuple[TestResult, ...]:
    """Tests that were tuned with, or held out."""
    return tuple(test for test in result.tests if test.hold_out is hold_out)


def percent(value: float, *, sign: bool = False) -> str:
    """A share as people write it; a dash where there is none."""
    if not math.isfinite(value):
        return "–"
    return (f"{value:+.2f} %" if sign else f"{value:.2f} %").replace("-", "−")
