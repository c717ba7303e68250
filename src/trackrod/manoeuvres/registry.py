"""All manoeuvres by name; a new one is a class and a line here, or an entry point, or a file of the user."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from trackrod.core.artefact import Schema
from trackrod.core.plain import Plain
from trackrod.core.registry import Registry
from trackrod.manoeuvres.courses import DoubleLaneChange, ObstacleAvoidance, Slalom
from trackrod.manoeuvres.excitation import Excitation
from trackrod.manoeuvres.longitudinal import Acceleration, Braking, CoastDown
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.manoeuvres.obstacles import Bump, Kerb, Pothole
from trackrod.manoeuvres.on_road import FollowRoad
from trackrod.manoeuvres.recorded import Recorded
from trackrod.manoeuvres.roads import RandomRoad
from trackrod.manoeuvres.standing import FourPost, HillHold, Parking, StandstillSteering
from trackrod.manoeuvres.steady_turn import RampSteer
from trackrod.manoeuvres.steering import Fishhook, JTurn, Pulse, SineSweep, SineWithDwell, SingleSine, StepSteer
from trackrod.manoeuvres.turning import BrakeInTurn, ConstantRadius, ThrottleOff

__all__ = ["MANOEUVRE", "MANOEUVRES", "manoeuvre", "manoeuvre_class", "needs_file", "register_manoeuvre"]

M = TypeVar("M", bound=type[Manoeuvre])


def _faults(found: Any) -> Iterator[str]:
    if not (isinstance(found, type) and issubclass(found, Manoeuvre)):
        yield f"{found!r} is no class of manoeuvres"
        return
    if not dataclasses.is_dataclass(found):
        yield "its class must be a frozen dataclass"
    for attribute in ("name", "title"):
        if not isinstance(getattr(found, attribute, None), str):
            yield f"its class has no {attribute}"


#: Classes of manoeuvres by name.
MANOEUVRES: Registry[type[Manoeuvre]] = Registry(
    "manoeuvre",
    "trackrod.manoeuvres",
    {
        found.name: found
        for found in (
            RampSteer,
            StepSteer,
            SineSweep,
            Acceleration,
            Braking,
            ConstantRadius,
            SingleSine,
            Pulse,
            SineWithDwell,
            DoubleLaneChange,
            ObstacleAvoidance,
            Slalom,
            JTurn,
            Fishhook,
            BrakeInTurn,
            ThrottleOff,
            CoastDown,
            StandstillSteering,
            Parking,
            HillHold,
            FourPost,
            RandomRoad,
            Bump,
            Pothole,
            Kerb,
            FollowRoad,
            Excitation,
            Recorded,
        )
    },
    _faults,
)


def register_manoeuvre(found: M) -> M:
    """Add a class of manoeuvres under its name; to be used as a decorator.

    Raises
    ------
    InputError
        It is no frozen dataclass derived from `Manoeuvre`, has no name or title, or the name of a built-in one.
    """
    MANOEUVRES.add(str(getattr(found, "name", found)), found)
    return found


def manoeuvre_class(name: str) -> type[Manoeuvre]:
    """The class of a name; UnknownNameError with close matches."""
    return MANOEUVRES.find(name)


def needs_file(name: str) -> bool:
    """Whether a manoeuvre cannot be driven without the name of a file among its settings."""
    return any(item.is_text for item in manoeuvre_class(name).settings())


def manoeuvre(name: str, settings: Mapping[str, str]) -> Manoeuvre:
    """A manoeuvre by name, with settings as texts; InputError with every one that is wrong."""
    return manoeuvre_class(name).from_text(settings)


def _to_plain(found: Manoeuvre) -> dict[str, Plain]:
    return {"name": found.name, "settings": found.values()}


def _from_plain(data: Mapping[str, Any]) -> Manoeuvre:
    return manoeuvre_class(data["name"])(**data["settings"])


#: How a manoeuvre is saved: its name and all its settings.
MANOEUVRE: Schema[Manoeuvre] = Schema("trackrod.manoeuvre", 1, _to_plain, _from_plain)
