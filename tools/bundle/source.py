"""SOURCE.md of a database: where its numbers come from and what the design is."""

from __future__ import annotations

import math
from collections.abc import Callable

from tools.bundle.design import AxleDesign, VehicleDesign

from trackrod.vehicle.template import LineType

__all__ = ["source_text"]


def source_text(design: VehicleDesign) -> str:
    """The page."""
    sheet = design.sheet
    x = sheet.wheelbase * sheet.loads[1] / sheet.mass
    ixx, iyy, izz = sheet.body.inertia
    front, rear = design.axles
    brakes = sheet.brakes
    brake_factors = [2e-4 * a * mu * r for a, mu, r in zip(brakes.areas, brakes.friction, brakes.radii, strict=True)]
    lines_at_full_pedal = [brakes.pressure * share for share in (brakes.bias, 1 - brakes.bias)]
    rows = [
        ("mass", f"{sheet.mass:g} kg"),
        ("on the axles", f"{sheet.loads[0]:g} / {sheet.loads[1]:g} kg"),
        ("wheelbase", f"{sheet.wheelbase:g} mm"),
        ("tracks", f"{sheet.tracks[0]:g} / {sheet.tracks[1]:g} mm"),
        ("centre of gravity", f"{x:.0f} mm behind the front axle, {sheet.body.height:g} mm above the ground"),
        ("Ixx, Iyy, Izz", f"{ixx:g}, {iyy:g}, {izz:g} kg·m²"),
        ("tyres", " / ".join(dict.fromkeys(wheels.tyre.size for wheels in sheet.wheels))),
        ("steering ratio", f"{sheet.steering.ratio:g}"),
        ("top speed", f"{design.top_speed:.0f} km/h"),
        ("damping over rate of rubber", f"{1e3 * sheet.rubber_time:g} ms"),
        ("brake torque over line pressure", " / ".join(f"{factor:.3g}" for factor in brake_factors) + " N·m/bar"),
        ("line pressures at full pedal", " / ".join(f"{line:.0f}" for line in lines_at_full_pedal) + " bar"),
    ]
    per_axle: list[tuple[str, Callable[[AxleDesign], str]]] = [
        ("suspension", lambda axle: axle.template.title),
        ("wheel load [N]", lambda axle: f"{axle.load:.0f}"),
        ("sprung mass of a side [kg]", lambda axle: f"{axle.sprung:.1f}"),
        ("ride frequency [Hz]", lambda axle: f"{axle.frequency:.2f}"),
        ("rate at the wheel, both alike / against each other [N/mm]", _rates),
        ("damping ratio in bump / rebound", lambda axle: " / ".join(f"{z:g}" for z in axle.sheet.ride.damping)),
        ("friction of a damper, in its curve [N]", lambda axle: f"{axle.sheet.ride.friction:g}"),
        ("friction of a leaf spring [N]", lambda axle: f"{axle.sheet.leaf.friction:g}" if axle.sheet.leaf else "none"),
        ("axle tube, diameter × wall [mm]", _tube),
        ("stops touch at bump / rebound [mm]", _stops),
        ("roll centre [mm]", lambda axle: f"{axle.roll_centre:.0f}"),
        ("toe at 25 mm bump [deg]", lambda axle: _change(axle, "toe", 25)),
        ("camber at 50 mm bump [deg]", lambda axle: _change(axle, "camber", 50)),
    ]
    lines = [
        f"# {sheet.title}",
        "",
        sheet.about,
        "",
        "Every number is an engineering estimate for this class of vehicle, chosen for Trackrod; none comes from a",
        "manufacturer or from a measurement. Rates of bushings were chosen so that recession, lateral compliance and",
        "compliance steer are those of the class: they contain the give of arms and brackets. Damping of rubber,",
        "friction, masses of engine, gearbox and shafts, and brake distribution are estimates too;",
        "`python -m tools.bands` measures what comes of them. The files are written by `python -m tools.bundle` from",
        "the data sheet",
        f"`tools/bundle/{sheet.name}.py`; change that, not the files.",
        "",
        "## Design",
        "",
        "| | |",
        "|---|---|",
        *(f"| {name} | {value} |" for name, value in rows),
        "",
        "| | front | rear |",
        "|---|---|---|",
        *(f"| {name} | {value(front)} | {value(rear)} |" for name, value in per_axle),
        "",
        f"The body rolls {sheet.roll_gradient:g} deg/g by hand calculation. The design position is the equilibrium of",
        "the vehicle with all its parts at the wheel loads above; the ground is at z = 0.",
        "",
        "## Where things are",
        "",
        f"`assemblies.tbl/{sheet.name}.asy` names the subsystems in `subsystems.tbl`, these name the property files in",
        "the other folders. The templates are those of Trackrod (`trackrod.vehicle.templates`); the database has none.",
        "Suspensions and steering are in compliant mode; `kinematic_flag` 1 makes them ideal joints.",
    ]
    if sheet.body.payload:
        payload = sum(part.mass for part in sheet.body.payload)
        lines += [
            "",
            f"The payload of {payload:g} kg is the parts `payload_*` of the body; the kerb vehicle has none of it.",
        ]
    return "\n".join(lines) + "\n"


def _rates(axle: AxleDesign) -> str:
    return f"{axle.springing.wheel_rate:.1f} / {axle.springing.opposite_rate:.1f}"


def _tube(axle: AxleDesign) -> str:
    tube = axle.sheet.tube
    return "none" if tube is None else f"{tube.diameter:g} × {tube.wall:g}"


def _stops(axle: AxleDesign) -> str:
    rebound = any(line.type is LineType.REBOUND_STOP for line in axle.lines)
    return f"{axle.sheet.ride.bump:g} / {f'{axle.sheet.ride.rebound:g}' if rebound else 'none'}"


def _change(axle: AxleDesign, name: str, travel: float) -> str:
    if axle.dependent:
        return "0 (solid axle)"
    values = getattr(axle.sweep, name)
    return f"{math.degrees(axle.sweep.at(values, travel / 1000)):+.2f}"
