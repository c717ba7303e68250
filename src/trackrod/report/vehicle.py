"""Report on one vehicle: a picture of four views, and a page with key figures and an interactive 3-D scene."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from trackrod import __version__
from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.errors import Problem, Severity
from trackrod.report.page import Fragment, Section, Table, write_page
from trackrod.report.vehicle_drawing import scene_html, write_scene_png
from trackrod.report.vehicle_scene import Scene, vehicle_scene
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["vehicle_scene", "write_vehicle_page", "write_vehicle_picture"]

_HOW_TO_USE = (
    "Drag to turn, scroll to zoom, point at an element for its data, click in the legend to hide or show. Joints and "
    "bushings are those that act in the mode of their subsystem; the others are under 'not acting'."
)
_SEVERITIES = (Severity.ERROR, Severity.WARNING, Severity.NOTE)


def write_vehicle_picture(vehicle: Vehicle, path: Path | str) -> None:
    """Draw a vehicle obliquely, from above, from the left and from the front into a PNG file."""
    write_scene_png(vehicle_scene(vehicle), path)


def write_vehicle_page(
    vehicle: Vehicle, problems: Iterable[Problem], path: Path | str, *, title: str = "", source: str = ""
) -> None:
    """Write one page that opens without a network: key figures, 3-D scene, axles, bodies, problems.

    Parameters
    ----------
    vehicle, problems
        What was read, and what the reader has to say about it.
    path
        HTML file; an existing one is replaced whole or not at all.
    title
        Heading; "Vehicle" and its name if empty.
    source
        Where the vehicle was read from, for the lead.
    """
    scene = vehicle_scene(vehicle)
    sections = [
        Section("Key figures", (_key_figures(vehicle, scene),)),
        Section("Mechanism", (_HOW_TO_USE, Fragment(scene_html(scene)))),
        Section("Axles", (_axles(vehicle),)),
        Section("Bodies", (_bodies(vehicle),)),
        Section("Problems", (_problems(problems),)),
    ]
    lead = (
        f"{f'Read from {source}. ' if source else ''}Design position. Axes of ISO 8855: x forward, y left, z up; the "
        f"origin lies midway between the {'' if vehicle.is_half else 'front '}wheel centres in x and y, at the height "
        "that is zero in the source."
    )
    write_page(
        title or f"{'Half vehicle' if vehicle.is_half else 'Vehicle'} {vehicle.name}",
        lead,
        sections,
        path,
        footer=f"trackrod {__version__}",
    )


def _key_figures(vehicle: Vehicle, scene: Scene) -> Table:
    total = vehicle.mass_properties
    height = float(total.centre[2]) - scene.ground_height(float(total.centre[0]))
    numbers = (
        ("mass", float(total.mass), "kg"),
        ("sprung mass", vehicle.sprung_mass, "kg"),
        *((f"mass on the {axle} axle", vehicle.axle_load(axle), "kg") for axle in Axle if not vehicle.is_half),
        *([] if vehicle.is_half else [("wheelbase", vehicle.wheelbase * 1e3, "mm")]),
        *((f"{a.position} track", vehicle.track(a.position) * 1e3, "mm") for a in vehicle.axles),
        *(
            (f"centre of mass, {axis}", float(value) * 1e3, "mm")
            for axis, value in zip("xyz", total.centre, strict=True)
        ),
        ("centre of mass above the ground of unloaded tyres", height * 1e3, "mm"),
        *((f"inertia I{axis * 2}", float(total.inertia[i, i]), "kg·m²") for i, axis in enumerate("xyz")),
        ("inertia Ixz", float(total.inertia[0, 2]), "kg·m²"),
        *(
            (what, float(len(connectors)), "-")
            for what, connectors in (
                ("bodies", vehicle.bodies),
                ("joints acting", vehicle.acting(vehicle.joints)),
                ("bushings acting", vehicle.acting(vehicle.bushings)),
                ("springs", vehicle.acting(vehicle.springs)),
                ("dampers", vehicle.acting(vehicle.dampers)),
                ("stops", vehicle.acting(vehicle.stops)),
            )
        ),
    )
    half = -(-len(numbers) // 2)
    blank = ("", "", "")
    rows = itertools.zip_longest(numbers[:half], numbers[half:], fillvalue=blank)
    return Table(("quantity", "value", "unit") * 2, tuple((*left, *right) for left, right in rows))


def _axles(vehicle: Vehicle) -> Table:
    heads = ("axle", "subsystem", "template", "kind", "driven", "mode", "track [mm]", "mass [kg]", "tyres")
    rows = []
    for axle in vehicle.axles:
        wheels = [vehicle.wheel(Corner.of(axle.position, side)) for side in Side]
        tyres = sorted({place.tyre for wheel in wheels for place in wheel.tyres})
        row: tuple[str | float, ...] = (
            str(axle.position),
            axle.subsystem,
            axle.template,
            "dependent" if axle.dependent else "independent",
            "yes" if axle.driven else "no",
            str(axle.mode),
            vehicle.track(axle.position) * 1e3,
            "" if vehicle.is_half else vehicle.axle_load(axle.position),
            ("twin " if axle.dual_tyres else "") + ", ".join(tyres),
        )
        rows.append(row)
    return Table(heads, tuple(rows))


def _bodies(vehicle: Vehicle) -> Table:
    heads = ("body", "mass [kg]", "sprung [-]", "x [mm]", "y [mm]", "z [mm]", "I1 [kg·m²]", "I2 [kg·m²]", "I3 [kg·m²]")
    rows: list[tuple[str | float, ...]] = []
    for body in vehicle.bodies:
        centre = (1e3 * value for value in body.centre)
        principal = np.linalg.eigvalsh(np.array(body.inertia)).tolist()
        rows.append((body.name, body.mass, body.sprung_fraction, *centre, *principal))
    return Table(heads, tuple(rows))


def _problems(problems: Iterable[Problem]) -> Table | str:
    ordered = sorted(problems, key=lambda problem: _SEVERITIES.index(problem.severity))
    if not ordered:
        return "None."
    rows = tuple((str(p.severity), p.text, p.hint, *_place(p)) for p in ordered)
    return Table(("severity", "problem", "what to do", "file", "line"), rows)


def _place(problem: Problem) -> tuple[str, str]:
    file, line = problem.place.file, problem.place.line
    return (str(file) if file is not None else "", str(line) if line is not None else "")
