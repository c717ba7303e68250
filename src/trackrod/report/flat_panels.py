"""Panels whose curves are zero within what anybody can see, such as the toe of a rigid axle: named, not drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from trackrod.core.figure import Figure, Line, Panel
from trackrod.core.numbers import shown
from trackrod.report.page import Captioned

__all__ = ["drawn_figure", "flat_sentence", "without_flat"]

#: Magnitudes below these look like zero in a plot, by the unit of the axis.
_RESOLUTION = {"°": 0.005, "mm": 0.01, "kN": 0.001, "m/s²": 0.001, "°/s": 0.01, "km/h": 0.01, "N·m": 0.001}


def without_flat(panels: Iterable[Panel]) -> tuple[tuple[Panel, ...], tuple[Panel, ...]]:
    """Panels worth drawing, without strips of differences that are zero, and panels that stay at zero."""
    drawn: list[Panel] = []
    flat: list[Panel] = []
    for panel in panels:
        told = panel if not _is_flat(panel, panel.differences) else replace(panel, differences=())
        (flat if _is_flat(panel, panel.lines) else drawn).append(told)
    return tuple(drawn), tuple(flat)


def drawn_figure(figure: Figure) -> Captioned | str:
    """A figure without its flat panels, and a sentence that names them; the sentence alone if there is nothing else."""
    drawn, flat = without_flat(figure.panels)
    sentence = flat_sentence(flat).strip()
    return Captioned(replace(figure, panels=drawn), sentence) if drawn else sentence


def _is_flat(panel: Panel, lines: Sequence[Line]) -> bool:
    limit = _RESOLUTION.get(_unit(panel))
    values = np.concatenate([line.y for line in lines]) if lines else np.zeros(0)
    values = values[np.isfinite(values)]
    return limit is not None and (values.size == 0 or float(np.abs(values).max()) < limit)


def _unit(panel: Panel) -> str:
    return panel.y_label.rpartition("[")[2].rstrip("]")


def flat_sentence(flat: Sequence[Panel]) -> str:
    """What is not drawn, and why, for a caption; "" if everything is."""
    if not flat:
        return ""
    limits = dict.fromkeys(f"{shown(_RESOLUTION[unit])}{'' if unit == '°' else ' '}{unit}" for unit in map(_unit, flat))
    names = ", ".join(panel.title[:1].lower() + panel.title[1:] for panel in flat)
    return f" Not drawn, because all values are below {' or '.join(limits)}: {names}."
