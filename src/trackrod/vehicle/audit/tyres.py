"""Do the tyres fit their rims, the load they carry and each other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.quantities import STANDARD_GRAVITY
from trackrod.tyre.properties import TyreProperties
from trackrod.vehicle.audit.finding import Finding, error, out_of_range, warning
from trackrod.vehicle.audit.masses import tyre_load
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["check_tyre_loads", "check_tyre_sides", "check_tyre_sizes", "check_tyre_stiffness"]

_VERTICAL_STIFFNESS = (5e4, 2e6)  # [N/m]
_PRESSURE = (1e5, 1e6)  # [Pa]
_LOAD_SHARE = (0.25, 1.5)  # static load over nominal load
_SIZE_DIFFERENCE = 0.04  # of the free radius; standards allow the diameter some 2 %
_INCH = 0.0254  # [m]
# 225/75 R16, 225_75R16, 205-55-ZR-16; a file name has other separators than a side wall
_SIZE = re.compile(r"(?<!\d)(\d{3})[/_\- ]?(\d{2})[_\- ]?Z?R[_\- ]?(\d{2}(?:\.5)?)(?!\d)", re.IGNORECASE)


def check_tyre_sizes(vehicle: Vehicle) -> Iterator[Finding]:
    """Free radius above that of the rim, and as width, aspect ratio and rim say."""
    for name, tyre in vehicle.tyres.items():
        radius, rim = tyre.coefficients["UNLOADED_RADIUS"], tyre.coefficients["RIM_RADIUS"]
        if rim >= radius:
            says = f"the rim radius {1e3 * rim:.1f} mm is not below the free radius {1e3 * radius:.1f} mm"
            yield error(says, name, what="tyre", hint="look at RIM_RADIUS and UNLOADED_RADIUS; is one a diameter?")
            continue
        for source, expected in _expected_radii(name, tyre):
            if abs(radius - expected) > _SIZE_DIFFERENCE * expected:
                says = f"the free radius is {1e3 * radius:.1f} mm, {source} give {1e3 * expected:.1f} mm; up to "
                says += f"{_SIZE_DIFFERENCE:.0%} of difference is usual"
                yield warning(says, name, what="tyre", hint="is this the tyre of the file, on this rim?")


def _expected_radii(name: str, tyre: TyreProperties) -> Iterator[tuple[str, float]]:
    """Free radii [m] that the tyre's other numbers and the size in its name give."""
    if {"WIDTH", "ASPECT_RATIO", "RIM_RADIUS"} <= tyre.given and tyre.coefficients["RIM_RADIUS"] > 0:
        width, aspect, rim = (tyre.coefficients[key] for key in ("WIDTH", "ASPECT_RATIO", "RIM_RADIUS"))
        aspect = aspect / 100.0 if aspect > 2 else aspect  # some files write 60 for 0.6
        text = f"width {1e3 * width:.0f} mm, aspect ratio {aspect:.2g} and rim radius {1e3 * rim:.1f} mm"
        yield text, rim + width * aspect
    match = next((m for text in (name, tyre.name) if (m := _SIZE.search(text)) is not None), None)
    if match is not None:
        yield (
            f"the size {match[1]}/{match[2]} R{match[3]} in its name would",
            (float(match[3]) * _INCH / 2 + float(match[1]) * 1e-3 * float(match[2]) / 100),
        )


def check_tyre_stiffness(vehicle: Vehicle) -> Iterator[Finding]:
    """Vertical stiffness and pressure in the range of road tyres."""
    for name, tyre in vehicle.tyres.items():
        hint = "look at the units of the tyre property file"
        stiffness = tyre.coefficients["VERTICAL_STIFFNESS"]
        yield from out_of_range(
            "the vertical stiffness", stiffness, _VERTICAL_STIFFNESS, "N/m", name, what="tyre", hint=hint
        )
        if "INFLPRES" in tyre.given:
            pressure = tyre.coefficients["INFLPRES"]
            yield from out_of_range("the inflation pressure", pressure, _PRESSURE, "Pa", name, what="tyre", hint=hint)


def check_tyre_loads(vehicle: Vehicle) -> Iterator[Finding]:
    """Static load near the nominal load that the tyre was measured at."""
    for axle in Axle:
        corner = Corner.of(axle, Side.LEFT)
        load = tyre_load(vehicle, corner)
        for name in dict.fromkeys(place.tyre for place in vehicle.wheel(corner).tyres):
            nominal = vehicle.tyres[name].coefficients.get("FNOMIN", 0.0)
            if load is None or "FNOMIN" not in vehicle.tyres[name].names:
                continue
            force = load * STANDARD_GRAVITY
            what = f"the static load on a {axle} tyre, {force:.0f} N, over its nominal load, {nominal:.0f} N,"
            hint = "the formula is used outside its measurements; is it a tyre for this vehicle?"
            yield from out_of_range(what, force / nominal, _LOAD_SHARE, "", name, what="tyre", hint=hint)


def check_tyre_sides(vehicle: Vehicle) -> Iterator[Finding]:
    """A tyre on every wheel, the same left and right; twin tyres beside each other."""
    for wheel in vehicle.wheels:
        if not wheel.tyres:
            yield error(f"the wheel '{wheel.corner}' has no tyre", hint="one is needed, or two as twin tyres")
    for axle in (layout.position for layout in vehicle.axles):
        left, right = (vehicle.wheel(Corner.of(axle, side)).tyres for side in Side)
        if sorted((p.tyre, p.offset) for p in left) != sorted((p.tyre, p.offset) for p in right):
            listed = [", ".join(f"{p.tyre} at {1e3 * p.offset:g} mm" for p in places) for places in (left, right)]
            yield warning(f"the {axle} wheels have {listed[0]} left and {listed[1]} right", hint="is that meant?")
        for place, other in pairwise(left):
            width = vehicle.tyres[place.tyre].coefficients["WIDTH"]
            apart = abs(place.offset - other.offset)
            if apart < width:
                says = f"the twin tyres of the {axle} axle are {1e3 * apart:.0f} mm apart and {1e3 * width:.0f} mm wide"
                yield warning(says, place.tyre, what="tyre", hint="look at the offsets of the wheels")
