"""Rendering of figures: PNG files with Matplotlib, interactive pages with Plotly."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from trackrod.core.errors import MissingExtraError
from trackrod.core.figure import Figure, Legend, Line, Panel, Stroke
from trackrod.core.files import atomic_path

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["figure_html", "write_png"]

#: Colour-blind safe palette (Okabe and Ito), darkest first.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
PANEL_INCHES = (4.4, 3.3)
LOCATIONS: dict[Legend, Literal["upper right", "upper left", "center"]] = {
    Legend.RIGHT: "upper right",
    Legend.LEFT: "upper left",
    Legend.CENTRE: "center",
}


def write_png(figure: Figure, path: Path | str, *, dots_per_inch: int = 110) -> None:
    """Draw a figure into a PNG file; an existing file is replaced whole or not at all."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 - optional package
        from matplotlib.figure import Figure as Canvas  # noqa: PLC0415
    except ImportError:
        raise MissingExtraError("matplotlib", "plot", "drawing PNG figures") from None
    columns = min(figure.columns, len(figure.panels))
    rows = math.ceil(len(figure.panels) / columns)
    canvas = Canvas(figsize=(PANEL_INCHES[0] * columns, PANEL_INCHES[1] * rows), layout="constrained")
    FigureCanvasAgg(canvas)
    canvas.suptitle(figure.title, fontsize=13)
    for index, panel in enumerate(figure.panels):
        _draw(canvas.add_subplot(rows, columns, index + 1), panel)
    with atomic_path(path) as temporary:
        canvas.savefig(temporary, dpi=dots_per_inch, format="png")


def _draw(axes: Axes, panel: Panel) -> None:
    styles = {Stroke.SOLID: "-", Stroke.DASHED: "--", Stroke.POINTS: "."}
    for index, line in enumerate(panel.lines):
        axes.plot(line.x, line.y, styles[line.stroke], color=_color(line, index), label=line.label or None)
    axes.set_title(panel.title, fontsize=10)
    axes.set_xlabel(panel.x_label, fontsize=9)
    axes.set_ylabel(panel.y_label, fontsize=9)
    axes.tick_params(labelsize=8)
    axes.grid(visible=True, alpha=0.3)
    if panel.equal_axes:
        axes.set_aspect("equal", adjustable="datalim")
    if any(line.label for line in panel.lines):
        axes.legend(fontsize=7, framealpha=0.7, loc=LOCATIONS[panel.legend])


def figure_html(figure: Figure) -> str:
    """A figure as an HTML fragment for a page that holds the Plotly script (see `trackrod.report.page`)."""
    try:
        from plotly.graph_objects import Scatter  # noqa: PLC0415 - optional package
        from plotly.subplots import make_subplots  # noqa: PLC0415
    except ImportError:
        raise MissingExtraError("plotly", "plot", "writing interactive pages") from None
    columns = min(figure.columns, len(figure.panels))
    rows = math.ceil(len(figure.panels) / columns)
    plot = make_subplots(
        rows=rows,
        cols=columns,
        subplot_titles=[panel.title for panel in figure.panels],
        vertical_spacing=0.28 / rows,
        horizontal_spacing=0.18 / columns,
    )
    for index, panel in enumerate(figure.panels):
        row, column = index // columns + 1, index % columns + 1
        legend = f"legend{index + 1}" if index else "legend"
        for number, line in enumerate(panel.lines):
            plot.add_trace(
                Scatter(
                    x=line.x,
                    y=line.y,
                    name=line.label,
                    mode="markers" if line.stroke is Stroke.POINTS else "lines",
                    line={
                        "color": _color(line, number),
                        "dash": "dash" if line.stroke is Stroke.DASHED else "solid",
                    },
                    marker={"size": 4},
                    legend=legend,
                    showlegend=bool(line.label),
                    hovertemplate=f"{panel.x_label} = %{{x:.4g}}<br>{panel.y_label} = %{{y:.4g}}",
                ),
                row=row,
                col=column,
            )
        plot.update_xaxes(title_text=panel.x_label, row=row, col=column)
        plot.update_yaxes(title_text=panel.y_label, row=row, col=column)
        axes = plot.get_subplot(row, column)
        place = _legend_place(panel.legend, axes.xaxis.domain, axes.yaxis.domain)
        style = {"font": {"size": 9}, "bgcolor": "rgba(255,255,255,0.7)", "tracegroupgap": 0, "itemwidth": 30}
        plot.update_layout({legend: {**place, **style}})
    plot.update_layout(
        height=330 * rows,
        margin={"l": 60, "r": 20, "t": 40, "b": 50},
        template="plotly_white",
        font={"size": 11},
    )
    return str(plot.to_html(full_html=False, include_plotlyjs=False, config={"displaylogo": False}))


def _legend_place(legend: Legend, x: tuple[float, float], y: tuple[float, float]) -> dict[str, float | str]:
    if legend is Legend.CENTRE:
        return {"x": sum(x) / 2, "y": sum(y) / 2, "xanchor": "center", "yanchor": "middle"}
    side = 0 if legend is Legend.LEFT else 1
    return {"x": x[side], "y": y[1], "xanchor": ("left", "right")[side], "yanchor": "top"}


def _color(line: Line, index: int) -> str:
    return COLORS[(index if line.color is None else line.color) % len(COLORS)]
