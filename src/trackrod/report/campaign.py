"""The page of a campaign: how runs ended, distributions, worst cases by their numbers, what they depend on."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from trackrod import __version__
from trackrod.campaign.description import CampaignModel, CampaignTest
from trackrod.campaign.sampling import Method
from trackrod.campaign.statistics import Counts, Spread, counts, spread, variance_shares
from trackrod.campaign.table import CampaignTable
from trackrod.core.errors import MissingExtraError
from trackrod.core.figure import Figure, Line, Panel
from trackrod.core.numbers import minus, percent, shown
from trackrod.metrics.values import RunValue
from trackrod.report.charts import HeatMap
from trackrod.report.names import manoeuvre_name
from trackrod.report.page import Captioned, Item, Notice, Section, Table, write_page
from trackrod.report.pdf import write_pdf

__all__ = ["campaign_sections", "write_campaign_page"]

#: Points of a distribution that are drawn.
_LEVELS = np.linspace(0.0, 1.0, 201)
_METHODS = {
    Method.GRID: "a grid",
    Method.LHS: "a Latin hypercube",
    Method.SOBOL: "Sobol's sequence, scrambled",
    Method.RANDOM: "independent points",
    Method.SALTELLI: "Saltelli's scheme of Sobol's sequence",
}
#: Rank correlations below this are not told.
_TOLD = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class _Read:
    """One value in one manoeuvre: its spread for each model."""

    test: CampaignTest
    value: RunValue
    spreads: tuple[tuple[CampaignModel, Spread], ...]


def write_campaign_page(table: CampaignTable, html: Path, pdf: Path | None = None) -> list[Path]:
    """Write page, and document where it is asked for; the files that were written."""
    plan = table.plan
    sections = tuple(campaign_sections(table))
    title, footer = f"Campaign {plan.description.name}", f"trackrod {__version__}, {plan.description.name}"
    labels = ", ".join(manoeuvre_name(test.label) for test in plan.description.tests)
    models = ", ".join(model.label for model in plan.description.models)
    lead = f"{models} in {labels}: {len(table)} of {plan.runs} runs, {_METHODS[plan.description.method]}."
    write_page(title, lead, sections, html, footer=footer, contents=True)
    if pdf is None:
        return [html]
    write_pdf(title, lead, sections, pdf, footer=footer)
    return [html, pdf]


def campaign_sections(table: CampaignTable) -> Iterator[Section]:
    """What the page says; a value at a time is read."""
    told = counts(table)
    yield Section("Runs", (_verdict(told, table), _ends(told), _varied(table)))
    reads = [read for read in _reads(table) if any(found.values.size for _, found in read.spreads)]
    if not reads:
        yield Section("Values", ("No run has a value yet.",))
        return
    for test in table.plan.description.tests:
        own = [read for read in reads if read.test is test]
        if not own:
            continue
        panels = tuple(_panel(read) for read in own if _varies(read))
        figure: tuple[Item, ...] = ()
        if panels:
            caption = "Share of the runs that have this value or a smaller one."
            figure = (Captioned(Figure("", panels, columns=3), caption),)
        yield Section(
            f"{manoeuvre_name(test.label).capitalize()}", (*figure, _numbers(own), *_causes(table, test, own))
        )
    yield Section("Worst cases", (_WORST, _worst(reads)))


_WORST = (
    "Runs with the largest and the smallest values. Each can be driven again by its number: "
    "trackrod campaign replay FILE NUMBER."
)


def _reads(table: CampaignTable) -> Iterator[_Read]:
    plan = table.plan
    for test in plan.description.tests:
        for value in plan.values_of(test):
            spreads = tuple(
                (model, spread(table, value.name, model.label, test.label)) for model in plan.description.models
            )
            yield _Read(test, value, spreads)


def _verdict(told: Counts, table: CampaignTable) -> Notice:
    of = table.plan.runs
    if told.runs < of:
        return Notice(f"{told.runs} of {of} runs are driven so far.", good=False)
    if told.not_completed:
        share = percent(100.0 * told.not_completed / told.runs)
        return Notice(f"{told.not_completed} of {told.runs} runs ({share}) did not come to their end.", good=False)
    return Notice(f"All {told.runs} runs came to their end.", good=True)


def _ends(told: Counts) -> Table:
    ends = {f"run {status}": number for status, number in sorted(told.statuses.items())}
    ends |= {kind.replace("_", " "): number for kind, number in told.events.items()}
    ends |= {f"reason: {text}": number for text, number in told.reasons.items()}
    rows = tuple((what, number, _share(number, told.runs)) for what, number in ends.items())
    return Table(("how it ended", "runs", "share"), rows)


def _share(number: int, of: int) -> str:
    return percent(100.0 * number / of) if of else "–"


def _varied(table: CampaignTable) -> Item:
    plan = table.plan
    rows = [
        (variable.name, str(variable.applied), str(variable.distribution), variable.unit or "-")
        for variable in plan.description.variables
    ]
    for label, posterior in plan.posteriors.items():
        spreads = zip(posterior.names, posterior.units, posterior.mean, posterior.deviations, strict=True)
        rows += [
            (f"{name} ({label})", "posterior", f"normal, {shown(mean)} ± {shown(deviation, 3)}, correlated", unit)
            for name, unit, mean, deviation in spreads
        ]
    if not rows:
        return "Nothing varies."
    return Table(("what varies", "as", "distribution", "unit"), tuple(rows))


def _varies(read: _Read) -> bool:
    return any(found.values.size > 1 and np.ptp(found.values) > 0.0 for _, found in read.spreads)


def _label(value: RunValue) -> str:
    return f"{value.meaning} [{value.unit or '-'}]"


def _panel(read: _Read) -> Panel:
    lines = tuple(
        Line(np.quantile(found.values, _LEVELS), _LEVELS, model.label if len(read.spreads) > 1 else "")
        for model, found in read.spreads
        if found.values.size
    )
    return Panel("", _label(read.value), "share of runs [-]", lines)


def _numbers(reads: list[_Read]) -> Table:
    rows: list[tuple[str | float, ...]] = []
    for read in reads:
        for model, found in read.spreads:
            if not found.values.size:
                continue
            told = found.percentiles
            cells = (found.mean, found.half_width, found.deviation, *(told[p] for p in (5.0, 50.0, 95.0)))
            texts = (minus(shown(cell, 4)) for cell in cells)
            rows.append((_label(read.value), model.label, found.values.size, *texts))
    heads = ("value", "model", "runs", "mean", "± 95 %", "deviation", "5 %", "median", "95 %")
    return Table(heads, tuple(rows))


# ---- what it depends on


def _causes(table: CampaignTable, test: CampaignTest, reads: list[_Read]) -> Iterator[Item]:
    varying = [read for read in reads if _varies(read)]
    if not varying:
        return
    if table.plan.description.method is Method.SALTELLI:
        yield from _shares(table, test, varying)
    else:
        yield from _correlations(table, test, varying)


def _shares(table: CampaignTable, test: CampaignTest, reads: list[_Read]) -> Iterator[Item]:
    for model in table.plan.description.models:
        try:
            found = variance_shares(table, tuple(read.value.name for read in reads), model.label, test.label)
        except MissingExtraError as error:
            yield Notice(str(error), good=False)
            return
        if found is None:
            yield f"{model.label}: too few base points are complete for shares of variance."
            continue
        rows = tuple(read.value.meaning for read in reads)
        caption = (
            f"{model.label}: total share of the variance that each variable causes, alone and with others, from "
            f"{found.base_points} base points; {found.dropped} were dropped, because a run has no value."
        )
        label = "total share of variance [-]"
        yield Captioned(HeatMap(rows, found.parameters, np.clip(found.total, 0.0, None), label), caption)
        widest = float(max(found.total_confidence.max(), found.first_confidence.max()))
        yield f"The 95 % intervals of these shares are at most ± {shown(widest, 2)} wide."


def _correlations(table: CampaignTable, test: CampaignTest, reads: list[_Read]) -> Iterator[Item]:
    inputs = [name for name in table.plan.inputs if name not in table.plan.words]
    for model in table.plan.description.models:
        where = {"model": model.label, "manoeuvre": test.label}
        given = {name: table.column(name, where) for name in inputs}
        given = {name: column for name, column in given.items() if np.isfinite(column).all() and np.ptp(column) > 0.0}
        if not given:
            continue
        values = np.full((len(reads), len(given)), math.nan)
        for i, read in enumerate(reads):
            column = table.column(read.value.name, where)
            there = np.isfinite(column)
            if there.sum() > 2 and np.ptp(column[there]) > 0.0:
                values[i] = [_rank_correlation(x[there], column[there]) for x in given.values()]
        kept = np.abs(np.nan_to_num(values)).max(axis=0) >= _TOLD
        if not kept.any():
            continue
        names = tuple(name.removeprefix("in_") for name, keep in zip(given, kept, strict=True) if keep)
        rows = tuple(read.value.meaning for read in reads)
        caption = (
            f"{model.label}: rank correlation of what varies with what follows; 0 is none, ±1 is one of the other."
        )
        chart = HeatMap(rows, names, np.nan_to_num(values[:, kept]), "rank correlation [-]", signed=True)
        yield Captioned(chart, caption)


def _rank_correlation(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    first, second = (rankdata(each) for each in (x, y))
    if np.ptp(first) == 0.0 or np.ptp(second) == 0.0:
        return 0.0
    return float(np.corrcoef(first, second)[0, 1])


def _worst(reads: list[_Read]) -> Table:
    rows = []
    for read in reads:
        for model, found in read.spreads:
            if found.values.size < 2 or not _varies(read):
                continue
            ends = (
                "; ".join(f"{run} ({minus(shown(value, 4))})" for run, value in cases[:3])
                for cases in (found.largest, found.smallest)
            )
            rows.append((manoeuvre_name(read.test.label), _label(read.value), model.label, *ends))
    return Table(("manoeuvre", "value", "model", "runs with the largest", "runs with the smallest"), tuple(rows))
