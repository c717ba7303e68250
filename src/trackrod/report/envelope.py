"""The page of a domain of validity: the sentence, the map with its boundary, where each criterion is met."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trackrod import __version__
from trackrod.core.figure import Figure, Line, Panel, Stroke
from trackrod.core.validity import MEMORY, QUANTITIES, Bound
from trackrod.report.page import Notice, Section, Table, write_page
from trackrod.report.pdf import write_pdf
from trackrod.validate.envelope import Envelope

__all__ = ["envelope_figure", "write_envelope_page"]

Array = NDArray[np.float64]

#: Quantities that are drawn over each other.
_MAPS = (
    ("frequency", "lateral"),
    ("speed", "lateral"),
    ("longitudinal", "lateral"),
    ("friction", "friction_used"),
    ("load_transfer", "damper_speed"),
    ("mass", "lateral"),
)
#: Colours of what is met, violated, everything, and the boundary.
_MET, _VIOLATED, _ALL, _BOUNDARY = 2, 1, 4, 6


def write_envelope_page(envelope: Envelope, html: Path, pdf: Path | None) -> list[Path]:
    """Write page and document; the files that were written.

    Raises
    ------
    MissingExtraError
        Plotly is not installed, or Typst is not and a PDF is asked for; the page is then there nevertheless.
    """
    name = envelope.model.name
    sections = (
        Section("Domain", (Notice(envelope.validity.sentence, good=True), _numbers(envelope), _bounds(envelope))),
        Section("Map", (_MAP, envelope_figure(envelope))),
        Section("Each criterion", (_BY_CRITERION, _criteria(envelope))),
        Section("Compared manoeuvres", (_manoeuvres(envelope),)),
        Section("Left out", tuple(envelope.left_out) or ("Nothing: both models drove all that they were asked to.",)),
    )
    title, footer = f"Domain of validity of {name}", f"trackrod {__version__}, {name}"
    lead = f"Real-time model against multibody model, by '{envelope.criteria.name}'."
    write_page(title, lead, sections, html, footer=footer)
    if pdf is None:
        return [html]
    write_pdf(title, lead, sections, pdf, footer=footer)
    return [html, pdf]


_MAP = (
    "Each point is a manoeuvre at the farthest that the real-time model went in it. The box is the domain; a point in "
    "the box of one panel may lie outside that of another."
)
_BY_CRITERION = (
    "Where each criterion is met by itself. The largest ratio is that of the manoeuvres inside the domain of all; "
    "1 is the limit."
)


def _numbers(envelope: Envelope) -> str:
    domain = envelope.domain
    return (
        f"Found with {len(envelope.points)} runs of the real-time model and {len(envelope.compared)} of the multibody "
        f"model. Of compared manoeuvres that a domain had not seen, it took {domain.wrongly_inside:.1%} for inside "
        f"that violate a criterion, and {domain.wrongly_outside:.1%} for outside that meet all (cross-validation). "
        f"{domain.share:.0%} of the plan lie inside. A sample is inside if every bound was kept for {MEMORY:g} s."
    )


def _bound(bound: Bound) -> str:
    quantity = QUANTITIES[bound.quantity]
    return f"{'≥' if quantity.from_below else '≤'} {quantity.shown(bound.limit)}"


def _bounds(envelope: Envelope) -> Table:
    driven = dict(zip(envelope.quantities, envelope.points.T, strict=True))
    rows = []
    for bound in envelope.domain.bounds:
        quantity, values = QUANTITIES[bound.quantity], driven[bound.quantity]
        most = values.min() if quantity.from_below else values.max()
        rows.append((quantity.words, _bound(bound), quantity.shown(float(most))))
    return Table(("quantity", "domain", "farthest in the plan"), tuple(rows))


def _criteria(envelope: Envelope) -> Table:
    inside = envelope.domain.holds(envelope.points, envelope.quantities)
    rows = []
    for k, criterion in enumerate(envelope.criteria.criteria):
        ratios = [each.ratios[k] for each in envelope.compared]
        within = [each.ratios[k] for each in envelope.compared if inside[each.row]]
        found = envelope.by_criterion[criterion.name]
        bounds = {} if found is None else {bound.quantity: _bound(bound) for bound in found}
        told = (bounds.get(name, "nowhere") for name in ("lateral", "longitudinal", "frequency", "friction_used"))
        met = sum(ratio <= 1.0 for ratio in ratios)
        rows.append((criterion.name, f"{met} of {len(ratios)}", _ratio(max(within, default=0.0)), *told))
    heads = ("criterion", "met", "largest ratio inside", "lateral", "longitudinal", "frequency", "friction used")
    return Table(heads, tuple(rows))


def _ratio(value: float) -> str:
    return f"{value:.2f}" if math.isfinite(value) else "not alike"


def _manoeuvres(envelope: Envelope) -> Table:
    inside = envelope.domain.holds(envelope.points, envelope.quantities)
    rows = []
    for each in sorted(envelope.compared, key=lambda compared: -compared.worst):
        point = dict(zip(envelope.quantities, envelope.points[each.row].tolist(), strict=True))
        worst = envelope.criteria.criteria[int(np.argmax(each.ratios))].name if math.isfinite(each.worst) else "end"
        shown = (QUANTITIES[name].shown(point[name]) for name in ("lateral", "longitudinal", "frequency", "friction"))
        rows.append((_ratio(each.worst), worst, "inside" if inside[each.row] else "outside", *shown))
    heads = ("worst ratio", "in", "domain", "lateral", "longitudinal", "frequency", "friction")
    return Table(heads, tuple(rows))


def envelope_figure(envelope: Envelope) -> Figure:
    """The map: what was compared, what was driven, and the boundary."""
    return Figure("Domain of validity", tuple(_panel(envelope, across, up) for across, up in _MAPS), columns=2)


def _panel(envelope: Envelope, across: str, up: str) -> Panel:
    columns = [envelope.quantities.index(name) for name in (across, up)]
    x, y = (QUANTITIES[envelope.quantities[column]].factor * envelope.points[:, column] for column in columns)
    met = np.array([each.worst <= 1.0 for each in envelope.compared])
    rows = np.array([each.row for each in envelope.compared])
    limits = {bound.quantity: QUANTITIES[bound.quantity].factor * bound.limit for bound in envelope.domain.bounds}
    edges = [_edge(name, values, limits) for name, values in ((across, x), (up, y))]
    (left, right), (low, high) = edges
    lines = (
        Line(x, y, "driven", Stroke.POINTS, _ALL),
        Line(x[rows[met]], y[rows[met]], "criteria met", Stroke.POINTS, _MET),
        Line(x[rows[~met]], y[rows[~met]], "violated", Stroke.POINTS, _VIOLATED),
        Line(
            np.array([left, right, right, left, left]),
            np.array([low, low, high, high, low]),
            "boundary",
            Stroke.SOLID,
            _BOUNDARY,
        ),
    )
    return Panel("", QUANTITIES[across].label, QUANTITIES[up].label, lines)


#: Quantities with a bound on either side: the name of the other one.
_OTHER_SIDE = {"speed": "slowest", "mass": "lightest"}


def _edge(name: str, values: Array, limits: dict[str, float]) -> tuple[float, float]:
    if QUANTITIES[name].from_below:
        return limits[name], float(values.max())
    other = _OTHER_SIDE.get(name)
    return (float(values.min()) if other is None else limits[other]), limits[name]
