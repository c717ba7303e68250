"""The page of a campaign's estimates: every parameter with its interval, what it rests on, what cannot be told."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trackrod import __version__
from trackrod.core.figure import Figure, Line, Panel, Stroke
from trackrod.estimate.campaign import Estimates
from trackrod.estimate.result import Estimate
from trackrod.estimate.workshop import Compared
from trackrod.measured.prepare import Prepared
from trackrod.report.page import Captioned, Item, Section, Table, shown, write_page

__all__ = ["estimate_figures", "write_estimate_page"]

#: No more points than these in a panel: pages stay small.
_MOST_POINTS = 400
_MAP = re.compile(r"engine_torque_gear_(\d+)_throttle_(\d+)_at_(\d+)")


def write_estimate_page(
    found: Estimates,
    compared: Sequence[Compared],
    subject: str,
    path: Path | str,
    *,
    workshop: Mapping[str, Estimate] | None = None,
    recordings: Mapping[str, Prepared] | None = None,
) -> None:
    """Write one page.

    Parameters
    ----------
    found
        Estimates of a campaign.
    compared
        Workshop against driving; empty for none.
    subject
        What was driven, in words.
    path
        HTML file.
    workshop
        All that was measured while it stood.
    recordings
        How runs were made of recordings, by file.

    Raises
    ------
    MissingExtraError
        Plotly is not installed.
    """
    values = found.values
    sections = [Section("Parameters", (_INTERVALS, _table(values), *_notes(values)))]
    if compared:
        sections.append(Section("Workshop and driving", (_compared(compared),)))
    alone = {name: e for name, e in (workshop or {}).items() if all(row.workshop is not e for row in compared)}
    if alone:
        heads = ("parameter", "value", "unit", "95 % from", "to", "repeats", "note")
        entries = tuple(
            (name, shown(e.value), e.kind.unit or "-", shown(e.interval[0]), shown(e.interval[1]), e.samples, e.note)
            for name, e in alone.items()
        )
        sections.append(Section("Measured in the workshop alone", (Table(heads, entries),)))
    if rows := tuple(found.missing.items()):
        sections.append(Section("What cannot be told", (Table(("parameter", "what is missing"), rows),)))
    drawn: tuple[Item, ...] = tuple(Captioned(figure, caption) for figure, caption in estimate_figures(values))
    sections.append(Section("Samples", drawn or ("No estimate has samples to show.",)))
    if recordings:
        sections.append(Section("Recordings", tuple(_recordings(recordings))))
    write_page(
        f"Estimates of {subject}", "Parameters from measured tests.", sections, path, footer=f"trackrod {__version__}"
    )


_INTERVALS = (
    "An interval holds the truth in 95 of 100 cases. Bias: what gains and zeros of sensors, and bounds of what was "
    "known before, leave open; repeating a test does not lower it. Precision: what the scatter of the samples leaves "
    "open, with their autocorrelation counted. Both are standard deviations."
)


def _table(values: Mapping[str, Estimate]) -> Table:
    heads = ("parameter", "value", "unit", "95 % from", "to", "bias", "precision", "samples", "independent")
    rows: tuple[tuple[str | float, ...], ...] = tuple(
        (
            name,
            shown(e.value),
            e.kind.unit or "-",
            shown(e.interval[0]),
            shown(e.interval[1]),
            shown(e.bias),
            shown(e.precision),
            e.samples,
            round(e.independent_samples),
        )
        for name, e in values.items()
    )
    return Table(heads, rows)


def _notes(values: Mapping[str, Estimate]) -> Iterator[Table]:
    """What users of the values must know; the same note of several stands once."""
    names: dict[str, list[str]] = {}
    for name, e in values.items():
        if e.note:
            names.setdefault(e.note, []).append(name)
    if names:
        yield Table(("of", "note"), tuple((", ".join(of), note) for note, of in names.items()))


def _compared(rows: Sequence[Compared]) -> Table:
    heads = ("parameter", "workshop", "driving", "difference", "relative", "inside both intervals")
    return Table(
        heads,
        tuple(
            (
                f"{row.name} {row.driven.kind.label}",
                shown(row.workshop.value),
                shown(row.driven.value),
                shown(row.difference),
                f"{100.0 * row.difference / row.workshop.value:.2f} %" if row.workshop.value else "-",
                "yes" if row.agree else "no",
            )
            for row in rows
        ),
    )


def _recordings(made: Mapping[str, Prepared]) -> Iterator[Item]:
    """What was found, and what was done; what was done in the same way to several files stands once."""
    findings = {(name, f.problem().text): f for name, each in made.items() for f in each.findings}
    if findings:
        rows = tuple((name, str(f.severity), text, f.hint) for (name, text), f in findings.items())
        yield Table(("file", "", "found", "what it means"), rows)
    else:
        yield "Nothing is wrong in them as far as can be told."
    files: dict[str, list[str]] = {}
    for name, each in made.items():
        for step in each.record:
            files.setdefault(step.text, []).append(name)
    of_all = f"all {len(made)}"
    steps = tuple((text, of_all if len(names) == len(made) else ", ".join(names)) for text, names in files.items())
    yield Table(("what was done", "files"), steps)


def estimate_figures(values: Mapping[str, Estimate]) -> list[tuple[Figure, str]]:
    """Samples of each estimate with its interval, and the map of the engine, each with a caption."""
    panels = [_samples(e) for name, e in values.items() if not _MAP.fullmatch(name)]
    figures = []
    if panels:
        caption = (
            "Each sample as its own equation gives it, where it lies in the runs one after the other; the estimate "
            "(line) and its interval (dashed). The bar below is the mask: the samples that were used, in each run."
        )
        figures.append((Figure("Samples of each estimate", tuple(panels)), caption))
    if torque := _engine_map(values):
        figures.append((Figure("Torque of the engine at the wheels", torque), "Estimates with their intervals."))
    return figures


def _samples(e: Estimate) -> Panel:
    told = np.flatnonzero(np.isfinite(e.per_sample))
    lines: tuple[Line, ...] = ()
    place = np.flatnonzero(np.concatenate(e.mask)).astype(float)
    ends = np.array([0.0, float(sum(mask.size for mask in e.mask))])
    if told.size:
        few = told[:: max(told.size // _MOST_POINTS, 1)]
        # Samples with a short lever scatter without end: what is drawn is where the estimate is.
        low, high = np.quantile(e.per_sample[told], (0.02, 0.98))
        inside = few[(e.per_sample[few] >= low) & (e.per_sample[few] <= high)]
        lines = (Line(place[inside], e.per_sample[inside], "samples", Stroke.POINTS, 4),)
    lines += (Line(ends, np.full(2, e.value), "estimate", Stroke.SOLID, 1),)
    lines += tuple(Line(ends, np.full(2, end), "", Stroke.DASHED, 1) for end in e.interval)
    seen = np.concatenate([line.y for line in lines])
    below = float(seen.min() - 0.1 * (np.ptp(seen) or 1.0))
    lines += tuple(
        Line(stretch, np.full(2, below), "used" if first else "", Stroke.SOLID, 2)
        for first, stretch in _stretches(e.mask)
    )
    return Panel(e.name, "sample of the runs, one after the other [-]", f"{e.name} {e.kind.label}", lines)


def _stretches(masks: Sequence[NDArray[np.bool_]]) -> Iterator[tuple[bool, NDArray[np.float64]]]:
    """Begin and end of each stretch of samples that were used, and whether it is the first; none crosses two runs.

    Gaps that are too narrow to be seen are closed.
    """
    begin, first, narrow = 0, True, sum(mask.size for mask in masks) / _MOST_POINTS
    for mask in masks:
        used = np.flatnonzero(mask)
        for part in np.split(used, np.flatnonzero(np.diff(used) > max(narrow, 1.0)) + 1):
            if part.size:
                yield first, begin + np.array([float(part[0]), float(part[-1] + 1)])
                first = False
        begin += mask.size


def _engine_map(values: Mapping[str, Estimate]) -> tuple[Panel, ...]:
    """A panel for each throttle, a line for each gear."""
    curves: dict[int, dict[int, list[tuple[float, Estimate]]]] = {}
    for name, e in values.items():
        if match := _MAP.fullmatch(name):
            gear, throttle, speed = (int(part) for part in match.groups())
            curves.setdefault(throttle, {}).setdefault(gear, []).append((float(speed), e))
    panels = []
    for throttle, gears in sorted(curves.items()):
        lines = []
        for color, (gear, points) in enumerate(sorted(gears.items())):
            x = np.array([speed for speed, _ in points])
            y = np.array([e.value for _, e in points])
            lines += [Line(x, y, f"gear {gear}", Stroke.SOLID, color), Line(x, y, "", Stroke.POINTS, color)]
            for k in range(2):
                ends = np.array([e.interval[k] for _, e in points])
                lines.append(Line(x, ends, "", Stroke.DASHED, color))
        panels.append(Panel(f"throttle {throttle} %", "engine speed [1/min]", "torque [N·m]", tuple(lines)))
    return tuple(panels)
