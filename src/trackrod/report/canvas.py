"""Figures of matplotlib, for notebooks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from trackrod.core.errors import MissingPackageError
from trackrod.core.figure import Figure, Panel, Stroke
from trackrod.report.svg import COLORS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as MatplotlibFigure

__all__ = ["drawn"]

_PANEL_INCHES = (4.4, 3.3)
_STYLES = {Stroke.SOLID: "-", Stroke.DASHED: "--", Stroke.POINTS: ".", Stroke.WIDE: "-"}
_WIDTHS = {Stroke.WIDE: 5.0}


def drawn(figure: Figure) -> MatplotlibFigure:
    """A figure of matplotlib, legends beside the curves."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 - takes a while to load
        from matplotlib.figure import Figure as Canvas  # noqa: PLC0415
    except ImportError:
        raise MissingPackageError("matplotlib", "drawing figures of matplotlib") from None
    columns = min(figure.columns, len(figure.panels))
    rows = math.ceil(len(figure.panels) / columns)
    canvas = Canvas(figsize=(_PANEL_INCHES[0] * columns, _PANEL_INCHES[1] * rows), layout="constrained")
    FigureCanvasAgg(canvas)
    canvas.suptitle(figure.title, fontsize=13)
    for index, panel in enumerate(figure.panels):
        _draw(canvas.add_subplot(rows, columns, index + 1), panel)
    return canvas


def _draw(axes: Axes, panel: Panel) -> None:
    for index, line in enumerate(panel.lines):
        color = COLORS[(index if line.color is None else line.color) % len(COLORS)]
        axes.plot(
            line.x,
            line.y,
            _STYLES[line.stroke],
            color=color,
            label=line.label or None,
            linewidth=_WIDTHS.get(line.stroke),
            alpha=0.35 if line.stroke is Stroke.WIDE else None,
        )
        if line.band:
            axes.fill_between(line.x, line.y - line.band, line.y + line.band, color=color, alpha=0.12, linewidth=0)
    for place, _ in panel.marks:
        axes.axvline(place, color="0.6", linewidth=0.6, linestyle=":")
    axes.set_title(panel.title, fontsize=10)
    axes.set_xlabel(panel.x_label, fontsize=9)
    axes.set_ylabel(panel.y_label, fontsize=9)
    axes.tick_params(labelsize=8)
    axes.grid(visible=True, alpha=0.3)
    if panel.equal_axes:
        axes.set_aspect("equal", adjustable="datalim")
    if any(line.label for line in panel.lines):
        axes.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.0))
