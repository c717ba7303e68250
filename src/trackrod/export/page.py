"""The page about a vehicle that travels with its FMU."""

from __future__ import annotations

import math
from html import escape

from trackrod import __version__
from trackrod.export.layout import Group
from trackrod.export.model_description import unit_name
from trackrod.export.variables import Variable
from trackrod.export.vehicle import ExportedVehicle

__all__ = ["documentation"]

_STYLE = (
    "body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
    "table{border-collapse:collapse;font-size:14px}"
    "td,th{border-bottom:1px solid #ccc;padding:.2em .6em;text-align:left}"
)
_HEADINGS = {
    Group.INPUTS: "Inputs",
    Group.OUTPUTS: "Outputs",
    Group.SETTINGS: "How a run begins",
    Group.PARAMETERS: "Parameters",
}
_USE = (
    "Co-Simulation. Parameters and settings are set before the initialisation, which lets the vehicle come to rest "
    "with them and then roll at <code>initial.speed</code>. A communication step is a multiple of "
    "<code>solver.step</code>; inputs hold during it, unless <code>solver.ramp</code> is set. Axes and signs are those "
    "of ISO 8855: x forward, y left, z up; all values are in SI units. There is no Model Exchange: the steps of this "
    "model are semi-implicit, and its clutch, held brakes and tyres at rest are solved within a step, so that it has "
    "no derivatives that another solver could integrate with the same result."
)


def documentation(vehicle: ExportedVehicle) -> str:
    """``documentation/index.html``."""
    parts = [f"<h1>{escape(vehicle.name)}</h1>", f"<p>{_USE}</p>"]
    parts += [f"<h2>{escape(head)}</h2><p>{escape(text)}</p>" for head, text in vehicle.notes.items()]
    for group, heading in _HEADINGS.items():
        rows = "".join(_row(variable) for variable in vehicle.variables if variable.group is group)
        head = "<tr><th>name</th><th>unit</th><th>start</th><th>allowed</th><th>meaning</th></tr>"
        parts.append(f"<h2>{heading}</h2><table>{head}{rows}</table>")
    title = f"{escape(vehicle.name)} – Trackrod {__version__}"
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{_STYLE}</style></head><body>{''.join(parts)}</body></html>\n"
    )


def _row(variable: Variable) -> str:
    told = variable.group is Group.OUTPUTS
    start = "" if told else f"{variable.start:g}"
    allowed = "" if told else _range(variable)
    cells = (variable.name, unit_name(variable.kind) or "–", start, allowed, variable.meaning)
    return "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"


def _range(variable: Variable) -> str:
    low = f"{variable.low:g}" if math.isfinite(variable.low) else "…"
    high = f"{variable.high:g}" if math.isfinite(variable.high) else "…"
    return f"{low} to {high}"
