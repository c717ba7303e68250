"""A run in motion: an HTML page with a 3-D animation that needs no network and no package.

Python works out where everything is in every frame; the script in the page only projects and draws.
"""

from __future__ import annotations

import html
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trackrod import __version__
from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.errors import InputError, Problem
from trackrod.core.files import write_atomically
from trackrod.core.quantities import STANDARD_GRAVITY
from trackrod.core.series import Run
from trackrod.core.signals import Signal
from trackrod.report.animation_script import SCRIPT, STYLE
from trackrod.report.vehicle_scene import TyreShape, vehicle_scene
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["FRAME_RATE", "Frames", "WheelFrames", "animation_frames", "write_animation"]

Array = NDArray[np.float64]

#: Frames of a second, and the most of them; a longer run gets fewer of a second.
FRAME_RATE = 50.0
MOST_FRAMES = 3000

_NEEDED = (signals.X, signals.Y, signals.YAW)
#: What is written beside the picture: signal, factor, unit.
_READINGS = {
    "speed": (signals.VX, 3.6, "km/h"),
    "lateral acceleration": (signals.AY, 1.0, "m/s²"),
    "yaw rate": (signals.YAW_RATE, 180 / np.pi, "°/s"),
    "roll": (signals.ROLL, 180 / np.pi, "°"),
    "steering wheel": (signals.STEERING_WHEEL_ANGLE, 180 / np.pi, "°"),
}


@dataclass(frozen=True, slots=True, eq=False)
class WheelFrames:
    """One wheel over time; vectors in E, shape (n, 3).

    Attributes
    ----------
    centre, axis
        Wheel centre [m] and spin axis, towards the left.
    angle
        How far it has turned, positive when rolling forward [rad].
    contact
        Where its tyre touches the road [m].
    force
        Of the road on the tyre [N]; zero where the run does not have it.
    """

    centre: Array
    axis: Array
    angle: Array
    contact: Array
    force: Array


@dataclass(frozen=True, slots=True, eq=False)
class Frames:
    """Where a vehicle is over time.

    Attributes
    ----------
    time
        [s]
    place
        Centre of gravity in E, shape (n, 3) [m].
    origin, rotation
        Of V in E: shapes (n, 3) [m] and (n, 3, 3).
    wheels
        By corner.
    """

    time: Array
    place: Array
    origin: Array
    rotation: Array
    wheels: dict[Corner, WheelFrames]


def animation_frames(run: Run, vehicle: Vehicle) -> Frames:
    """Positions of the body and the wheels in every frame.

    Parameters
    ----------
    run
        With x, y and yaw; z, roll, pitch, wheel travel, steer, camber, wheel speeds and tyre forces where it has them,
        or else those of the design position.
    vehicle
        Whose wheels and centre of gravity they are.

    Raises
    ------
    InputError
        The run lacks x, y or yaw, or a value is not finite.

    Limits: wheel centres move along z of V alone; the road is the plane z = 0.
    """
    missing = [signal.column for signal in _NEEDED if signal.column not in run]
    if missing:
        hint = f"an animation needs {', '.join(signal.column for signal in _NEEDED)}"
        raise InputError(Problem(f"the run has no {', '.join(missing)}", hint=hint))
    duration = float(run.time[-1] - run.time[0])
    count = int(np.clip(round(FRAME_RATE * duration) + 1, 2, MOST_FRAMES))
    time = np.linspace(float(run.time[0]), float(run.time[-1]), count)

    def at(signal: Signal, default: float = 0.0) -> Array:
        if signal.column not in run:
            return np.full(count, default)
        values = run[signal]
        if not np.isfinite(values).all():
            row = int(np.argmin(np.isfinite(values)))
            raise InputError(f"{signal.column} is {values[row]} at {run.time[row]:g} s: this cannot be drawn")
        return np.interp(time, run.time, values)

    centre = vehicle.mass_properties.centre
    rotation = _rotation(at(signals.YAW), at(signals.PITCH), at(signals.ROLL))
    place = np.column_stack((at(signals.X), at(signals.Y), at(signals.Z, float(centre[2]))))
    origin = place - rotation @ centre
    wheels = {}
    for tyre, wheel in zip(_outer_tyres(vehicle), vehicle.wheels, strict=True):
        corner = wheel.corner
        lift = np.outer(at(signals.WHEEL_TRAVEL[corner]), (0.0, 0.0, 1.0))
        steer = at(signals.STEER[corner], float(np.arctan2(-wheel.axis[0], wheel.axis[1])))
        up = at(signals.CAMBER[corner], -corner.side.sign * float(np.arcsin(wheel.axis[2]))) * -corner.side.sign
        axis_V = np.column_stack((-np.cos(up) * np.sin(steer), np.cos(up) * np.cos(steer), np.sin(up)))
        axis = np.einsum("nij,nj->ni", rotation, axis_V)
        centre_E = origin + np.einsum("nij,nj->ni", rotation, np.array(wheel.centre) + lift)
        speed = at(signals.WHEEL_SPEED[corner])
        angle = np.concatenate(([0.0], np.cumsum(0.5 * (speed[1:] + speed[:-1]) * np.diff(time))))
        down = axis * axis[:, 2:] - (0.0, 0.0, 1.0)
        down /= np.linalg.norm(down, axis=1, keepdims=True)
        reach = np.clip(centre_E[:, 2] / -down[:, 2], 0.5 * tyre.radius, tyre.radius)
        forward = np.cross(axis, (0.0, 0.0, 1.0))
        forward /= np.linalg.norm(forward, axis=1, keepdims=True)
        left = np.cross((0.0, 0.0, 1.0), forward)
        force = forward * at(signals.FX[corner])[:, None] + left * at(signals.FY[corner])[:, None]
        force[:, 2] += at(signals.FZ[corner])
        wheels[corner] = WheelFrames(centre_E, axis, angle, centre_E + down * reach[:, None], force)
    return Frames(time, place, origin, rotation, wheels)


def write_animation(run: Run, vehicle: Vehicle, path: Path | str) -> Frames:
    """Write the page: play, pause, a slider for time, a choice of speed, drag to turn, wheel to zoom.

    Times after ``#`` in the address show that second first.
    """
    frames = animation_frames(run, vehicle)
    name = str(run.metadata.get("name", run.metadata.get("manoeuvre", "run")))
    title = f"{vehicle.name}: {name}"
    broken = run.metadata.get("completed") is False
    data = {
        "time": _rounded(frames.time, 4),
        "place": _rounded(frames.place, 4),
        "origin": _rounded(frames.origin, 4),
        "rotation": _rounded(frames.rotation.reshape(-1, 9), 5),
        "wheels": [
            {
                "centre": _rounded(wheel.centre, 4),
                "axis": _rounded(wheel.axis, 5),
                "angle": _rounded(wheel.angle, 3),
                "contact": _rounded(wheel.contact, 4),
                "force": _rounded(wheel.force, 0),
                "radius": tyre.radius,
                "rim": tyre.rim_radius,
                "width": tyre.width,
            }
            for wheel, tyre in zip(frames.wheels.values(), _outer_tyres(vehicle), strict=True)
        ],
        "body": _body(vehicle),
        "static_load": round(vehicle.mass_properties.mass * STANDARD_GRAVITY / len(frames.wheels)),
        "readings": [
            {
                "label": label,
                "unit": unit,
                "values": _rounded(factor * np.interp(frames.time, run.time, run[signal]), 2),
            }
            for label, (signal, factor, unit) in _READINGS.items()
            if signal.column in run
        ],
    }
    lead = (
        "Axes of ISO 8855: x forward, y left, z up. Arrows: forces of the road on the tyres; the mean static load of a "
        "wheel is as long as a wheel is high. The outline of the body is a guess. Drag to turn, scroll to zoom."
    )
    if broken:
        lead += " This run was broken off before its end."
    encoded = json.dumps(data, separators=(",", ":"), allow_nan=False)
    write_atomically(
        Path(path),
        f"<!doctype html>\n<html lang='en'><head><meta charset='utf-8'><title>{html.escape(title)}</title>"
        f"<meta name='viewport' content='width=device-width'><style>{STYLE}</style></head>\n<body>"
        f"<h1>{html.escape(title)}</h1><p class='lead'>{html.escape(lead)}</p>\n"
        "<div id='stage'><canvas id='view'></canvas><div id='readings'></div></div>\n"
        "<div id='controls'><button id='play' type='button'>play</button>"
        "<input id='slider' type='range' min='0' step='1' value='0' aria-label='time'>"
        "<label>speed <select id='speed'><option value='0.1'>0.1</option><option value='0.25'>0.25</option>"
        "<option value='0.5'>0.5</option><option value='1' selected>1</option><option value='2'>2</option>"
        "<option value='5'>5</option></select></label>"
        "<label><input id='forces' type='checkbox' checked> forces</label>"
        "<label><input id='follow' type='checkbox' checked> follow</label></div>\n"
        f"<footer>trackrod {html.escape(__version__)}</footer>\n<script>const run = {encoded};\n{SCRIPT}</script>"
        "</body></html>\n",
    )
    return frames


def _rotation(yaw: Array, pitch: Array, roll: Array) -> Array:
    """From V to E: about z, then y, then x, shape (n, 3, 3)."""
    cz, sz, cy, sy, cx, sx = (f(a) for a in (yaw, pitch, roll) for f in (np.cos, np.sin))
    rows = [
        [cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx],
        [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx],
        [-sy, cy * sx, cy * cx],
    ]
    return np.moveaxis(np.array(rows), -1, 0)


def _outer_tyres(vehicle: Vehicle) -> list[TyreShape]:
    """One tyre for each wheel, the outermost of twins."""
    shapes = iter(vehicle_scene(vehicle).tyres)
    return [max((next(shapes) for _ in wheel.tyres), key=lambda t: abs(t.centre[1])) for wheel in vehicle.wheels]


def _body(vehicle: Vehicle) -> dict[str, object]:
    """Outline of the body in V, a side view drawn on either side: guessed from wheels and centre of gravity."""
    tyres = _outer_tyres(vehicle)
    centres = np.array([tyre.centre for tyre in tyres])
    radius = max(tyre.radius for tyre in tyres)
    front, rear = float(centres[:, 0].max()) + 2.2 * radius, float(centres[:, 0].min()) - 2.0 * radius
    length = front - rear
    low, high = 0.6 * radius, max(2.4 * float(vehicle.mass_properties.centre[2]), 4.2 * radius)
    middle = low + 0.5 * (high - low)
    side = [
        (rear, low),
        (rear, 0.8 * high),
        (rear + 0.06 * length, high),
        (rear + 0.58 * length, high),
        (rear + 0.74 * length, middle + 0.1 * high),
        (front, middle),
        (front, low),
    ]
    return {"side": [[round(x, 3), round(z, 3)] for x, z in side], "half": round(float(np.abs(centres[:, 1]).max()), 3)}


def _rounded(values: Array, digits: int) -> object:
    return np.round(values, digits).tolist()
