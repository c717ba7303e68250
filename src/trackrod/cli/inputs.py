"""What commands that drive a vehicle take: the vehicle with its payload, and settings of the manoeuvre."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from trackrod.adams.source import open_vehicle
from trackrod.cli.output import print_problems
from trackrod.cli.vehicle import parse_aliases
from trackrod.convert.conversion import Compliance
from trackrod.core.errors import InputError, Problem, Severity, raise_if_errors
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.manoeuvres.on_road import OnRoad, Surroundings
from trackrod.multibody.mechanism import free_rotations
from trackrod.multibody.steering import SteeringModel
from trackrod.road.crg import read_crg
from trackrod.road.surface import FRICTION_RANGE
from trackrod.vehicle.frame import FrameTorsion, with_frame
from trackrod.vehicle.systems import PayloadLevel
from trackrod.vehicle.vehicle import Vehicle

__all__ = [
    "FrameStiffness",
    "Giving",
    "Integration",
    "IntegratorKind",
    "ManoeuvreName",
    "MapTravel",
    "Payload",
    "Plugins",
    "RoadFile",
    "RoadFriction",
    "Settings",
    "SteeringKind",
    "open_loaded",
    "parse_settings",
    "surrounded",
]


class IntegratorKind(StrEnum):
    """How the multibody model is integrated."""

    REALTIME = "realtime"
    REFERENCE = "reference"


ManoeuvreName = Annotated[str, typer.Option("--manoeuvre", help="What to drive; `trackrod manoeuvres` lists them.")]
FrameStiffness = Annotated[
    float | None,
    typer.Option(
        help="Torsional stiffness of the frame between the axles [N·m/rad]; vans have 2e5 to 6e5. Rigid without it."
    ),
]
Payload = Annotated[PayloadLevel | None, typer.Option(help="How much is loaded.")]
Integration = Annotated[
    IntegratorKind, typer.Option(help="Of the multibody model: fixed steps, or extrapolation with an error bar.")
]
MapTravel = Annotated[
    float | None,
    typer.Option(
        "--travel-mm", help="Wheel travel of the K&C maps to either side [mm]; as wide as driving needs without it."
    ),
]
Giving = Annotated[
    Compliance | None,
    typer.Option(
        "--compliance", help="How wheels give way: with inertia and damping (moving, as without it), by tables, or not."
    ),
]
SteeringKind = Annotated[
    SteeringModel | None,
    typer.Option(
        "--steering",
        help="Rack by ratio, or by torsion bar, gear and assistance; without it the latter where the vehicle has them.",
    ),
]
Plugins = Annotated[
    list[Path] | None,
    typer.Option("--plugin", help="Python file that adds manoeuvres, indices, templates or optimisers; repeatable."),
]
RoadFile = Annotated[
    Path | None, typer.Option("--road", help="OpenCRG file (.crg) of the road to drive the manoeuvre on.")
]
RoadFriction = Annotated[
    str | None,
    typer.Option(
        "--friction", help="Friction factor of the road, 1 where the tyres were measured; LEFT:RIGHT for two sides."
    ),
]
Settings = Annotated[list[str] | None, typer.Option("--set", help="A setting: KEY=VALUE; repeatable.")]


def parse_settings(given: list[str] | None) -> dict[str, str]:
    """KEY=VALUE as a mapping; InputError with every one that is not, or that is given twice."""
    problems, found = [], {}
    for text in given or []:
        key, equals, value = text.partition("=")
        if not (key and equals and value):
            problems.append(Problem(f"--set {text} is not KEY=VALUE"))
        elif key in found:
            problems.append(Problem(f"--set {key} is given twice"))
        found[key] = value
    raise_if_errors(problems)
    return found


def surrounded(manoeuvre: Manoeuvre, road: Path | None, friction: str | None) -> Manoeuvre:
    """The manoeuvre on the road and with the friction of a command line; InputError where these are wrong."""
    if road is None and friction is None:
        return manoeuvre
    sides = None if friction is None else _friction(friction)
    return OnRoad(manoeuvre, Surroundings(None if road is None else read_crg(road), sides))


def _friction(text: str) -> tuple[float, float]:
    left, colon, right = text.partition(":")
    least, most = FRICTION_RANGE
    try:
        found = (float(left), float(right if colon else left))
        if all(least <= value <= most for value in found):
            return found
    except ValueError:
        pass
    hint = f"a number from {least:g} to {most:g}, or LEFT:RIGHT"
    raise InputError(Problem(f"--friction {text} is no friction factor", hint=hint))


def open_loaded(
    name: str,
    payload: PayloadLevel | None,
    alias: list[str] | None,
    templates: list[Path] | None,
    *,
    allow_outside: bool,
    stand_in: bool = False,
    frame_stiffness: float | None = None,
) -> tuple[Vehicle, tuple[Problem, ...]]:
    """A vehicle with its payload, and with a frame that twists, and its warnings, which are printed; errors raised."""
    reading = open_vehicle(
        name, parse_aliases(alias or []), templates=templates or [], allow_outside=allow_outside, stand_in=stand_in
    )
    raise_if_errors(reading.problems)
    vehicle = reading.vehicle if payload is None else reading.vehicle.with_payload(payload)
    warnings = (*(p for p in reading.problems if p.severity is Severity.WARNING), *free_rotations(vehicle))
    print_problems(warnings)
    return vehicle if frame_stiffness is None else with_frame(vehicle, FrameTorsion(frame_stiffness)), warnings
