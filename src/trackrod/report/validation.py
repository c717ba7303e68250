"""The page of a validation: the verdict, what stands behind each number, the record for a safety file."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np

from trackrod import __version__
from trackrod.core.environment import ENVIRONMENT_SIGNALS
from trackrod.core.figure import Figure, Line, Panel, Stroke
from trackrod.core.signals import parse_column
from trackrod.report.page import Item, Notice, Section, Table, shown, write_page
from trackrod.report.pdf import write_pdf
from trackrod.validate.criteria import INDEX, Response
from trackrod.validate.verdict import Comparison, Outcome, Row, Verdict

__all__ = ["road_sentence", "verdict_sentence", "write_validation_page"]

_UNKNOWN = "not known"
#: Columns that say what a test was driven on.
_OF_ROAD = re.compile(r"road_|wind_|friction_|slope_|banking_")
#: What is assumed where slope, bank, friction and wind were not recorded.
_ASSUMED, _ALL_ASSUMED = ("no slope", "no bank", "dry", "still air"), ("level", "dry", "still air")


def verdict_sentence(verdict: Verdict) -> str:
    """The verdict in one sentence."""
    rows = len(verdict.rows)
    degree = f"degree of validity {shown(verdict.degree)} (1 at the limits, smaller is better)"
    if verdict.outcome is Outcome.VALID:
        return f"Valid by '{verdict.criteria.name}': all {rows} numbers keep their limits, {degree}."
    if verdict.outcome is Outcome.NOT_VALID:
        worst = verdict.violated[0]
        return (
            f"Not valid by '{verdict.criteria.name}': {len(verdict.violated)} of {rows} numbers are beyond their "
            f"limits, farthest '{worst.criterion.name}' in {worst.test} with {shown(worst.ratio)} times what is "
            f"allowed, {degree}."
        )
    missing = [criterion.name for criterion in verdict.untested] or [row.criterion.name for row in verdict.violated]
    return f"Not shown by '{verdict.criteria.name}': no test tells about {', '.join(missing)}; {degree}."


def write_validation_page(
    verdict: Verdict,
    comparisons: tuple[Comparison, ...],
    subject: str,
    path: Path | str,
    *,
    pdf: Path | str | None = None,
    checks: tuple[str, ...] = (),
    domain: str = "",
    way: tuple[Section, ...] = (),
) -> None:
    """Write one page: verdict, rows, curves, record; and the same as a document.

    Parameters
    ----------
    verdict, comparisons
        What was judged, and the runs.
    subject
        What the model is, in words.
    path
        HTML file.
    pdf
        PDF file; None for none.
    checks
        Sentences about the verification of the model that came before, for the record.
    domain
        Where the model was found to be valid against a better one, in a sentence.
    way
        How the model came to be, behind the verdict.

    Raises
    ------
    MissingExtraError
        Plotly is not installed, or Typst is not and a PDF is asked for; the page is then there nevertheless.
    """
    sections = [
        Section("Verdict", (Notice(verdict_sentence(verdict), verdict.outcome is Outcome.VALID), _rows(verdict))),
        *way,
        Section("What is in each number", (_PARTS, _parts(verdict))),
        Section("Curves", tuple(_figure(verdict, comparison) for comparison in comparisons)),
        _record(verdict, comparisons, checks, domain),
    ]
    title, lead, footer = f"Validation of {subject}", verdict.criteria.intended_use, f"trackrod {__version__}"
    write_page(title, lead, sections, path, footer=footer)
    if pdf is not None:
        write_pdf(title, lead, sections, pdf, footer=footer)


def _rows(verdict: Verdict) -> Table:
    heads = (
        "criterion",
        "test",
        "operating range",
        "metric",
        "value",
        "limit",
        "of what is allowed",
        "weight",
        "verdict",
    )
    return Table(heads, tuple(_row(row) for row in verdict.rows))


def _row(row: Row) -> tuple[str | float, ...]:
    c = row.criterion
    said = "met" if row.met else (row.remark or "violated")
    doubt = "" if row.surely else ", within its uncertainty"
    numbers = (_number(row.value), shown(c.limit), _number(row.ratio), shown(c.weight))
    return (c.name, row.test, _range(row), c.metric, *numbers, said + doubt)


def _range(row: Row) -> str:
    c = row.criterion
    parts = [f"{column} {low:g} to {high:g}" for column, low, high in c.ranges]
    if c.band is not None:
        parts.append(f"{c.band[0]:g} to {c.band[1]:g} Hz")
    return f"{', '.join(parts)} ({row.share:.0%} of the samples)" if parts else "all"


_PARTS = (
    "A metric holds more than the error of the model. Bias: what the largest bias of the sensor changes. Precision: "
    "half the 95 % interval from repeats. Numerical: what half the step changes. Processing: what filters and offsets "
    "change. Noise floor: the same metric between repeats of the test; below it model and test cannot be told apart."
)


def _parts(verdict: Verdict) -> Table:
    heads = ("criterion", "test", "value", "bias", "precision", "repeats", "numerical", "processing", "noise floor")
    rows: list[tuple[str | float, ...]] = []
    for row in verdict.rows:
        parts = row.parts
        value, bias, precision = map(_number, (row.value, parts.bias, parts.precision))
        rest = map(_number, (parts.numerical, parts.processing, row.floor))
        rows.append((row.criterion.name, row.test, value, bias, precision, row.repeats, *rest))
    return Table(heads, tuple(rows))


def _number(value: float) -> str:
    return shown(value) if math.isfinite(value) else _UNKNOWN


def _figure(verdict: Verdict, comparison: Comparison) -> Figure:
    """Each signal that is judged, tests and model over each other."""
    columns = dict.fromkeys(
        c.signal
        for c in verdict.criteria.criteria
        if c.metric != INDEX and c.response is Response.TIME and c.applies_to(comparison.manoeuvre)
    )
    many = len(comparison.tests) > 1
    runs = [(f"test {i}" if many else "test", Stroke.SOLID, run) for i, run in enumerate(comparison.tests, 1)]
    runs.append(("model", Stroke.DASHED, comparison.model))
    panels = [
        Panel(
            column,
            "time [s]",
            f"{column.rpartition('_')[0]} [{parse_column(column).kind.unit or '-'}]",
            tuple(Line(run.time, run[column], label, stroke) for label, stroke, run in runs),
        )
        for column in columns
    ]
    return Figure(comparison.name, tuple(panels))


def road_sentence(comparisons: tuple[Comparison, ...]) -> str:
    """What the models were driven on: what of it was recorded, and what was assumed."""
    driven, assumed = [], []
    for signal, otherwise in zip(ENVIRONMENT_SIGNALS.values(), _ASSUMED, strict=True):
        of = [one for one in comparisons if signal.column in one.tests[0] and signal.column in one.model]
        if of:
            values = np.concatenate([one.model[signal] for one in of])
            where = "" if len(of) == len(comparisons) else f" in {', '.join(one.name for one in of)}"
            unit = signal.kind.unit and f" {signal.kind.unit}"
            name = signal.name.replace("_", " ")
            driven.append(f"{name} {shown(values.min())} to {shown(values.max())}{unit}{where}")
        if len(of) < len(comparisons):
            assumed.append(otherwise + (" elsewhere" if of else ""))
    known = {signal.column for signal in ENVIRONMENT_SIGNALS.values()}
    recorded = {c for one in comparisons for run in one.tests for c in run if _OF_ROAD.match(c)}
    parts = [f"as recorded: {', '.join(driven)}"] if driven else []
    parts += [f"{', '.join(assumed if driven else _ALL_ASSUMED)} assumed"] if assumed else []
    parts += [f"not used: {', '.join(sorted(recorded - known))}"] if recorded - known else []
    return "; ".join(parts)


def _record(verdict: Verdict, comparisons: tuple[Comparison, ...], checks: tuple[str, ...], domain: str) -> Section:
    """What a safety file asks for, on one page."""
    criteria = verdict.criteria
    chain = "; ".join(f"{name.replace('_', ' ')}: {value}" for name, value in criteria.processing.record().items())
    tests = "; ".join(
        f"{c.name} ({c.manoeuvre}, {len(c.tests)} of it, {c.tests[0].time.size} samples)" for c in comparisons
    )
    gaps = [criterion.name for criterion in verdict.untested]
    rows: tuple[tuple[str, str], ...] = (
        ("intended use", criteria.intended_use or "not stated"),
        ("decision", criteria.decision or "not stated"),
        ("risk", criteria.risk or "not stated"),
        ("assumptions", "; ".join(criteria.assumptions) or "none stated"),
        ("tests", tests),
        ("road", road_sentence(comparisons)),
        ("processing of both", chain),
        ("verification", "; ".join(checks) or "half the step: see the column 'numerical'"),
        ("not tested", ", ".join(gaps) or "nothing that the criteria ask for"),
        (
            "extrapolation",
            "the verdict holds for the operating ranges of the criteria that the tests reach, and for nothing else",
        ),
        ("domain of validity", domain or "not looked for; `trackrod envelope` finds it"),
    )
    items: tuple[Item, ...] = (Table(("", ""), rows),)
    return Section("Record", items)
