"""A vehicle as one small drawing: its mechanism from a multibody model, or a sketch to scale of a real-time model."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trackrod.core.corners import Axle, Corner, Side
from trackrod.report.svg import NARROW, Picture
from trackrod.report.vehicle_drawing import OBLIQUE, WIDTHS, outer_face, path_color, tyre_faces, tyre_hull
from trackrod.report.vehicle_scene import vehicle_scene
from trackrod.rtm.spec import RtmSpec
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["mechanism_picture", "sketch_picture"]

_Array = NDArray[np.float64]
_INK, _FAINT = "#1b1f24", "#57606a"


def mechanism_picture(vehicle: Vehicle) -> Picture:
    """The vehicle obliquely from the front left: bodies, springs, dampers and tyres."""
    scene, view = vehicle_scene(vehicle), OBLIQUE
    outlines = [view.project(scene.ground())[:, :2]]
    hulls = [tyre_hull(tyre, view) for tyre in scene.tyres]
    rings = [view.project(tyre.circle(tyre.rim_radius, outer_face(tyre)))[:, :2] for tyre in scene.tyres]
    rings += [view.project(tyre.circle(tyre.radius, face))[:, :2] for tyre in scene.tyres for face in tyre_faces(tyre)]
    paths = sorted(scene.all_paths(), key=lambda path: float(view.project(path.points)[:, 2].mean()))
    lines = [view.project(path.points)[:, :2] for path in paths]
    frame = _Frame(np.vstack([*outlines, *hulls, *lines]))
    parts = [frame.area(outline, "#f6f8fa", "stroke='#b8c0c8' stroke-width='.6'") for outline in outlines]
    parts += [frame.area(hull, "#d9dee3", "fill-opacity='.45'") for hull in hulls]
    parts += [frame.line(ring, "#8a939c", 0.5) for ring in rings]
    parts += [
        frame.line(line, path_color(path), 0.6 * WIDTHS[path.weight]) for path, line in zip(paths, lines, strict=True)
    ]
    return frame.picture(parts)


def sketch_picture(spec: RtmSpec) -> Picture:
    """A real-time model from the left and from above: wheels, wheelbase, tracks and the centre of gravity."""
    wheels = {corner: spec.wheels[corner.index] for corner in Corner}
    radius = {
        corner: spec.tyres[w.tyres[0].tyre].coefficients.get("UNLOADED_RADIUS", 0.3) for corner, w in wheels.items()
    }
    width = {corner: spec.tyres[w.tyres[0].tyre].coefficients.get("WIDTH", 0.2) or 0.2 for corner, w in wheels.items()}
    left = [Corner.of(axle, Side.LEFT) for axle in Axle]
    front, rear = (float(wheels[corner].centre[0]) for corner in left)
    road, reach = spec.road_height, max(radius.values())
    centre = front - spec.parameters["cg_to_front"]
    height = road + spec.parameters["cg_height"]
    half = max(abs(float(w.centre[1])) for w in wheels.values()) + 0.5 * max(width.values())
    above = max(height, road + 2.0 * reach) + 0.5 + half  # the middle of the view from above
    outline = np.array([(-front - 1.3 * reach, road - 0.45), (-rear + 1.3 * reach, above + half + 0.05)])
    frame = _Frame(outline)
    turn = np.linspace(0.0, 2.0 * np.pi, 49)
    ring = np.column_stack((np.cos(turn), np.sin(turn)))
    parts = [frame.line(np.array([(outline[0, 0], road), (outline[1, 0], road)]), _FAINT, 1.0)]
    for corner in left:
        at = np.array([-float(wheels[corner].centre[0]), road + radius[corner]])
        parts += [
            frame.area(at + radius[corner] * ring, "#d9dee3", f"stroke='{_INK}'"),
            frame.line(at + 0.6 * radius[corner] * ring, _FAINT, 0.8),
        ]
    for corner, wheel in wheels.items():
        at = np.array([-float(wheel.centre[0]), above - float(wheel.centre[1])])
        size = np.array([radius[corner], 0.5 * width[corner]])
        box = at + size * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
        parts.append(frame.area(box, "#d9dee3", f"stroke='{_INK}'"))
    for axle in Axle:
        ends = [wheels[Corner.of(axle, side)] for side in Side]
        parts.append(frame.line(np.array([(-float(w.centre[0]), above - float(w.centre[1])) for w in ends]), _INK, 1.2))
    parts.append(frame.line(np.array([(-front, above), (-rear, above)]), _INK, 1.2))
    for place in ((-centre, height), (-centre, above)):
        parts += [
            frame.area(np.array(place) + 0.09 * ring, "#ffffff", f"stroke='{_INK}'"),
            frame.area(np.array(place) + 0.09 * _quarters(), _INK, ""),
        ]
    base = road - 0.2
    parts += [frame.line(np.array([(-front, base), (-rear, base)]), _FAINT, 0.8)]
    parts += [frame.line(np.array([(-x, base - 0.06), (-x, base + 0.06)]), _FAINT, 0.8) for x in (front, rear)]
    parts.append(frame.text((-(front + rear) / 2, base - 0.22), f"wheelbase {front - rear:.3f} m"))
    parts.append(frame.text((-centre, height + 0.16), "sprung centre of gravity"))
    return frame.picture(parts)


def _quarters() -> _Array:
    """Two opposite quarters of a circle, the sign of a centre of gravity."""
    first, second = (np.linspace(begin, begin + np.pi / 2, 13) for begin in (0.0, np.pi))
    arcs = [np.column_stack((np.cos(a), np.sin(a))) for a in (first, second)]
    return np.vstack([(0.0, 0.0), arcs[0], (0.0, 0.0), arcs[1], (0.0, 0.0)])


class _Frame:
    """From metres on paper, right and up, to a drawing that all points fit into."""

    def __init__(self, points: _Array, margin: float = 6.0) -> None:
        low, high = points.min(axis=0), points.max(axis=0)
        self._scale = (NARROW - 2 * margin) / float(high[0] - low[0])
        self._corner = np.array([low[0], high[1]])
        self._margin = margin
        self.height = self._scale * float(high[1] - low[1]) + 2 * margin

    def _places(self, points: _Array) -> list[tuple[float, float]]:
        places = (np.asarray(points) - self._corner) * np.array([1.0, -1.0]) * self._scale + self._margin
        return [(float(x), float(y)) for x, y in places]

    def _points(self, points: _Array) -> str:
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in self._places(points))

    def line(self, points: _Array, color: str, width: float) -> str:
        more = "stroke-linecap='round' stroke-linejoin='round'"
        return (
            f"<polyline points='{self._points(points)}' fill='none' stroke='{color}' stroke-width='{width:g}' {more}/>"
        )

    def area(self, points: _Array, color: str, more: str) -> str:
        return f"<polygon points='{self._points(points)}' fill='{color}' {more}/>"

    def text(self, place: tuple[float, float], text: str) -> str:
        ((x, y),) = self._places(np.array([place]))
        return f"<text x='{x:.1f}' y='{y:.1f}' font-size='10' text-anchor='middle' fill='{_FAINT}'>{text}</text>"

    def picture(self, parts: list[str]) -> Picture:
        head = f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {NARROW:g} {self.height:.0f}' "
        font = "font-family='Libertinus Serif, system-ui, sans-serif'>"
        return Picture("".join((head, font, *parts, "</svg>")), self.height / NARROW)
