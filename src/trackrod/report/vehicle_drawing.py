"""Drawing a scene of a vehicle: four views with Matplotlib, an interactive plot with Plotly."""

from __future__ import annotations

import html
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

from trackrod.core.errors import MissingPackageError
from trackrod.core.files import atomic_path
from trackrod.report.vehicle_scene import Layer, Mark, Path, Scene, TyreShape, Weight
from trackrod.vehicle.elements import JointType, Vector

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "OBLIQUE",
    "WIDTHS",
    "outer_face",
    "path_color",
    "scene_html",
    "tyre_faces",
    "tyre_hull",
    "write_scene_png",
]

Array: TypeAlias = NDArray[np.float64]

#: Bodies by tint; none is a colour that connectors have.
_TINTS = ("#0072B2", "#009E73", "#CC79A7", "#56B4E9", "#8C6D31", "#6A3D9A", "#3B7A57", "#B04A7A")
_COLORS = {
    Layer.BODIES: "#57606a",
    Layer.CHASSIS: "#b8c0c8",
    Layer.WHEELS: "#8a939c",
    Layer.SPRINGS: "#D55E00",
    Layer.DAMPERS: "#24292f",
    Layer.STOPS: "#E0B400",
    Layer.TORSION_SPRINGS: "#9C2C77",
    Layer.BEAMS: "#7A4B1E",
    Layer.JOINTS: "#1b1f24",
    Layer.BUSHINGS: "#C0392B",
    Layer.HARDPOINTS: "#6e7781",
    Layer.MASSES: "#1b1f24",
}


@dataclass(frozen=True, slots=True)
class _Symbol:
    """How a mark is drawn: by Matplotlib, by Plotly, filled or not, its size in a picture [pt] and on a page [px]."""

    matplotlib: str
    plotly: str
    size: float
    filled: bool = True


_SYMBOLS = {
    **{str(joint): _Symbol("o", "circle-open", 3.5, filled=False) for joint in JointType},
    JointType.SPHERICAL: _Symbol("o", "circle", 3.5),
    JointType.REVOLUTE: _Symbol("D", "diamond", 3.0),
    JointType.CYLINDRICAL: _Symbol("D", "diamond-open", 3.5, filled=False),
    JointType.TRANSLATIONAL: _Symbol("s", "square", 3.5),
    JointType.HOOKE: _Symbol("x", "x", 3.5),
    JointType.CONVEL: _Symbol("+", "cross", 4.5),
    JointType.FIXED: _Symbol("s", "square-open", 3.5, filled=False),
    "bushing": _Symbol("o", "circle-open", 5.0, filled=False),
    "torsion spring": _Symbol("*", "diamond", 6.0),
    "hardpoint": _Symbol(".", "circle", 1.5),
    "body": _Symbol(".", "circle", 2.5),
    "vehicle": _Symbol(r"$\oplus$", "circle", 12.0),
}


@dataclass(frozen=True, slots=True)
class _View:
    """A parallel projection.

    Attributes
    ----------
    right, up
        Directions of V that point to the right and up on the paper.
    distance
        Of the camera from the middle, in the units of Plotly; it decides how large the vehicle is there.
    labels
        Of the horizontal and the vertical axis, where these are axes of V.
    """

    title: str
    right: Vector
    up: Vector
    distance: float
    labels: tuple[str, str] | None = None

    @property
    def matrix(self) -> Array:
        """Rows: right, up, towards the eye."""
        right, up = np.array(self.right), np.array(self.up)
        right, up = right / np.linalg.norm(right), up / np.linalg.norm(up)
        return np.array([right, up, np.cross(right, up)])

    def project(self, points: Sequence[Vector]) -> Array:
        """Points on the paper and their height above it [m]: right, up, towards the eye."""
        return np.asarray(np.array(points) @ self.matrix.T)


_X, _Y, _Z = "x forward [m]", "y left [m]", "z up [m]"
_TOP = _View("from above", (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), 1.1, (_X, _Y))
_SIDE = _View("from the left", (-1.0, 0.0, 0.0), (0.0, 0.0, 1.0), 1.1, (_X, _Z))
_FRONT = _View("from the front", (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), 0.75, (_Y, _Z))
OBLIQUE = _View("oblique, from the front left", (-0.5, 0.866, 0.0), (-0.433, -0.25, 0.866), 1.25)


# The picture

WIDTHS = {Weight.HAIR: 0.6, Weight.THIN: 0.9, Weight.NORMAL: 1.8, Weight.THICK: 3.6}
_NAMED_LINES = (Layer.SPRINGS, Layer.DAMPERS, Layer.STOPS, Layer.BEAMS)
_LABELS = {
    **{str(joint): f"{joint} joint" for joint in JointType},
    JointType.HOOKE: "universal joint",
    JointType.CONVEL: "constant-velocity joint",
    "vehicle": "centre of mass",
}
#: Marks that a picture leaves out, because they hide the mechanism at its scale.
_NOT_IN_PICTURES = (JointType.FIXED, "hardpoint", "body")


def write_scene_png(scene: Scene, path: FilePath | str, *, dots_per_inch: int = 110) -> None:
    """Draw a scene obliquely, from above, from the left and from the front into a PNG file, replaced whole."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 - optional package
        from matplotlib.figure import Figure  # noqa: PLC0415
    except ImportError:
        raise MissingPackageError("matplotlib", "drawing PNG pictures") from None
    canvas = Figure(figsize=(16.0, 9.2), layout="constrained")
    FigureCanvasAgg(canvas)
    canvas.suptitle(scene.name, fontsize=13)
    grid = canvas.add_gridspec(3, 2, width_ratios=(1.6, 1.0), height_ratios=(1.7, 1.0, 1.25))
    _draw(canvas.add_subplot(grid[:, 0]), scene, OBLIQUE)
    for row, view in enumerate((_TOP, _SIDE, _FRONT)):
        _draw(canvas.add_subplot(grid[row, 1]), scene, view)
    with atomic_path(path) as temporary:
        canvas.savefig(temporary, dpi=dots_per_inch, format="png")


def _draw(axes: Axes, scene: Scene, view: _View) -> None:
    from matplotlib.collections import LineCollection, PolyCollection  # noqa: PLC0415 - optional package

    ground = view.project(scene.ground())[:, :2]
    axes.add_collection(PolyCollection([ground], facecolor="#f6f8fa", edgecolor="#b8c0c8", linewidths=0.8, zorder=0))
    discs = [view.project(tyre.circle(tyre.radius, offset)) for tyre in scene.tyres for offset in tyre_faces(tyre)]
    hulls = [np.vstack(pair)[:, :2] for pair in zip(discs[::2], discs[1::2], strict=True)]
    axes.add_collection(PolyCollection([_hull(hull) for hull in hulls], facecolor="#d9dee3", alpha=0.45, zorder=1))
    rims = [view.project(tyre.circle(tyre.rim_radius, outer_face(tyre))) for tyre in scene.tyres]
    rings = [ring[:, :2] for ring in (*discs, *rims)]
    axes.add_collection(LineCollection(rings, colors=_COLORS[Layer.WHEELS], linewidths=0.7, zorder=2))
    # What is nearer to the eye is drawn later.
    paths = sorted(scene.all_paths(), key=lambda path: float(view.project(path.points)[:, 2].mean()))
    axes.add_collection(
        LineCollection(
            [view.project(path.points)[:, :2] for path in paths],
            colors=[path_color(path) for path in paths],
            linewidths=[WIDTHS[path.weight] for path in paths],
            capstyle="round",
            zorder=3,
        )
    )
    for (layer, kind), marks in _groups(mark for mark in scene.marks if mark.acting).items():
        if kind not in _NOT_IN_PICTURES:
            places = view.project([mark.position for mark in marks])
            _draw_marks(axes, places, _SYMBOLS[kind], _COLORS[layer], label=_LABELS.get(kind, kind))
    axes.set_title(view.title, fontsize=10)
    axes.set_aspect("equal", adjustable="datalim")
    axes.autoscale_view()
    if view.labels is None:
        axes.set_axis_off()
        for layer in _NAMED_LINES:
            widths = [WIDTHS[path.weight] for path in paths if path.layer is layer]
            if widths:
                axes.plot([], color=_COLORS[layer], linewidth=max(widths), label=layer.removesuffix("s"))
        axes.legend(loc="lower right", fontsize=8, frameon=False)
        return
    _label(axes, view)


def _label(axes: Axes, view: _View) -> None:
    """Grid and numbers along the axes of V, which may point to the left or down on the paper."""
    from matplotlib.ticker import FuncFormatter  # noqa: PLC0415 - optional package

    for axis, direction, label in zip((axes.xaxis, axes.yaxis), (view.right, view.up), view.labels or (), strict=True):
        sign = sum(direction)
        axis.set_major_formatter(FuncFormatter(lambda value, _, sign=sign: f"{sign * value + 0.0:g}"))
        axis.set_label_text(label, fontsize=9)
    axes.tick_params(labelsize=8)
    axes.grid(visible=True, alpha=0.25)


def _draw_marks(axes: Axes, points: Array, symbol: _Symbol, color: str, label: str) -> None:
    axes.plot(
        points[:, 0],
        points[:, 1],
        marker=symbol.matplotlib,
        linestyle="none",
        color=color,
        label=label,
        markersize=symbol.size,
        markerfacecolor=color if symbol.filled else "white",
        markeredgewidth=0.9,
        zorder=4,
    )


def _hull(points: Array) -> Array:
    return np.asarray(points[ConvexHull(points).vertices])


def tyre_hull(tyre: TyreShape, view: _View) -> Array:
    """Outline of a tyre on the paper [m]."""
    return _hull(np.vstack([view.project(tyre.circle(tyre.radius, face)) for face in tyre_faces(tyre)])[:, :2])


def tyre_faces(tyre: TyreShape) -> tuple[float, float]:
    """Where its side walls are [m along the axis]."""
    return (-tyre.width / 2, tyre.width / 2)


def outer_face(tyre: TyreShape) -> float:
    """Where the rim is drawn: on the face that points away from the vehicle [m along the axis]."""
    return tyre_faces(tyre)[1 if tyre.centre[1] > 0 else 0]


def path_color(path: Path) -> str:
    """Of its layer, or of its body."""
    return _COLORS[path.layer] if path.tint is None else _TINTS[path.tint % len(_TINTS)]


def _groups(marks: Iterable[Mark]) -> dict[tuple[Layer, str], list[Mark]]:
    found: dict[tuple[Layer, str], list[Mark]] = {}
    for mark in marks:
        found.setdefault((mark.layer, mark.kind), []).append(mark)
    return found


# The interactive plot

_NOT_ACTING = "not acting"
#: Places in the legend.
_RANKS = {str(layer): rank for rank, layer in enumerate(Layer)}
_PIXELS = {Weight.HAIR: 1.5, Weight.THIN: 3.0, Weight.NORMAL: 5.0, Weight.THICK: 11.0}


def scene_html(scene: Scene) -> str:
    """The scene as an HTML fragment for a page that holds the Plotly script."""
    try:
        from plotly.graph_objects import Figure  # noqa: PLC0415 - optional package
    except ImportError:
        raise MissingPackageError("plotly", "writing interactive pages") from None
    traces = [_ground(scene), *_tyre_traces(scene), *_path_traces(scene), *_mark_traces(scene)]
    in_legend: set[str] = set()
    for trace in traces:
        group = trace.get("legendgroup", "")
        trace["legendrank"] = _RANKS.get(group, len(Layer))
        trace["showlegend"] = bool(group) and group not in in_legend
        in_legend.add(group)
    layout = {
        "height": 760,
        "margin": {"l": 0, "r": 0, "t": 40, "b": 0},
        "font": {"size": 11},
        "legend": {"itemsizing": "constant", "x": 1.0, "xanchor": "right", "bgcolor": "rgba(255,255,255,0.8)"},
        "hoverlabel": {"align": "left"},
        "scene": {
            "aspectmode": "data",
            "camera": _camera(OBLIQUE),
            **{
                f"{axis}axis": {"title": {"text": label}, "backgroundcolor": "#ffffff", "gridcolor": "#e4e8ec"}
                for axis, label in zip("xyz", (_X, _Y, _Z), strict=True)
            },
        },
        "updatemenus": [
            {
                "type": "buttons",
                "direction": "right",
                "x": 0.0,
                "xanchor": "left",
                "y": 1.0,
                "yanchor": "bottom",
                "showactive": False,
                "buttons": [
                    {"label": view.title, "method": "relayout", "args": [{"scene.camera": _camera(view)}]}
                    for view in (OBLIQUE, _SIDE, _TOP, _FRONT)
                ],
            }
        ],
    }
    figure = Figure(data=traces, layout=layout)
    return str(figure.to_html(full_html=False, include_plotlyjs=False, config={"displaylogo": False}))


def _camera(view: _View) -> dict[str, Any]:
    _, up, eye = view.matrix
    upward = np.array([0.0, 0.0, 1.0]) if abs(eye[2]) < 0.99 else up
    return {
        "eye": _xyz(view.distance * eye),
        "up": _xyz(upward),
        "center": _xyz(np.zeros(3)),
        "projection": {"type": "orthographic"},
    }


def _xyz(values: Array) -> dict[str, float]:
    return dict(zip("xyz", values.tolist(), strict=True))


def _hover(name: str, details: Sequence[str]) -> str:
    return "<br>".join((f"<b>{html.escape(name)}</b>", *(html.escape(line) for line in details)))


def _ground(scene: Scene) -> dict[str, Any]:
    x, y, z = zip(*scene.ground(), strict=True)
    return {
        "type": "mesh3d",
        **{"x": x, "y": y, "z": z},
        "i": [0, 0],
        "j": [1, 2],
        "k": [2, 3],
        "color": "#c8ced4",
        "opacity": 0.25,
        "hoverinfo": "skip",
    }


def _tyre_traces(scene: Scene) -> Iterator[dict[str, Any]]:
    """The tread and side walls of each tyre, so transparent that the suspension shows, with their edges."""
    for tyre in scene.tyres:
        inner, outer = tyre_faces(tyre)
        rings = [
            np.array(tyre.circle(radius, offset)[:-1])
            for radius, offset in (
                (tyre.rim_radius, inner),
                (tyre.radius, inner),
                (tyre.radius, outer),
                (tyre.rim_radius, outer),
            )
        ]
        count = len(rings[0])
        here = np.arange(count)
        after = (here + 1) % count
        first, second, third = [], [], []
        for ring in range(len(rings) - 1):
            low, high = ring * count, (ring + 1) * count
            first += [*(low + here), *(low + after)]
            second += [*(low + after), *(high + after)]
            third += [*(high + here), *(high + here)]
        x, y, z = np.vstack(rings).T.tolist()
        yield {
            "type": "mesh3d",
            **{"x": x, "y": y, "z": z},
            **{
                key: [int(index) for index in values] for key, values in zip("ijk", (first, second, third), strict=True)
            },
            "color": "#6e7781",
            "opacity": 0.22,
            "flatshading": True,
            "name": str(Layer.WHEELS),
            "legendgroup": str(Layer.WHEELS),
            "hovertext": _hover(tyre.name, tyre.details),
            "hoverinfo": "text",
        }
        edges = [Path(Layer.WHEELS, tyre.name, (*map(tuple, ring.tolist()), tuple(ring[0].tolist()))) for ring in rings]
        yield _line_trace(edges, Weight.HAIR, _COLORS[Layer.WHEELS], hover=False)


def _path_traces(scene: Scene) -> list[dict[str, Any]]:
    """One trace for all lines of a layer that look alike."""
    alike: dict[tuple[Layer, Weight, str], list[Path]] = {}
    for path in scene.all_paths():
        alike.setdefault((path.layer, path.weight, path_color(path)), []).append(path)
    return [_line_trace(paths, weight, color) for (_, weight, color), paths in alike.items()]


def _line_trace(paths: Sequence[Path], weight: Weight, color: str, *, hover: bool = True) -> dict[str, Any]:
    points: list[list[float | None]] = []
    texts: list[str] = []
    for path in paths:
        fine = _refined(path)
        points += [*fine.tolist(), [None, None, None]]
        texts += [_hover(path.name, path.details)] * (len(fine) + 1)
    x, y, z = (list(values) for values in zip(*points, strict=True))
    layer = str(paths[0].layer)
    return {
        "type": "scatter3d",
        "mode": "lines",
        **{"x": x, "y": y, "z": z},
        "line": {"color": color, "width": _PIXELS[weight]},
        "name": layer,
        "legendgroup": layer,
        **({"hovertext": texts, "hoverinfo": "text"} if hover else {"hoverinfo": "skip"}),
    }


def _refined(path: Path) -> Array:
    """The points of a line, straight ones with more between: only points can be pointed at."""
    points = np.array(path.points)
    if len(points) > 8:
        return points
    share = np.linspace(0.0, 1.0, 6)[:-1, np.newaxis]
    pieces = [start + share * (end - start) for start, end in itertools.pairwise(points)]
    return np.vstack([*pieces, points[-1:]])


def _mark_traces(scene: Scene) -> Iterator[dict[str, Any]]:
    for (layer, kind), marks in _groups(scene.marks).items():
        for acting in (True, False):
            chosen = [mark for mark in marks if mark.acting is acting]
            if not chosen:
                continue
            symbol = _SYMBOLS[kind]
            x, y, z = zip(*(mark.position for mark in chosen), strict=True)
            group = str(layer) if acting else _NOT_ACTING
            yield {
                "type": "scatter3d",
                "mode": "markers",
                **{"x": x, "y": y, "z": z},
                "marker": {"symbol": symbol.plotly, "size": symbol.size, "color": _COLORS[layer]},
                "name": group,
                "legendgroup": group,
                "hovertext": [_hover(mark.name, mark.details) for mark in chosen],
                "hoverinfo": "text",
                "visible": True if acting else "legendonly",
            }
