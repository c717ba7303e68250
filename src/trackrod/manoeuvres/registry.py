"""All manoeuvres by name; a new one is a class and a line here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from trackrod.core.artefact import Schema
from trackrod.core.errors import UnknownNameError
from trackrod.core.plain import Plain
from trackrod.manoeuvres.courses import DoubleLaneChange, ObstacleAvoidance, Slalom
from trackrod.manoeuvres.excitation import Excitation
from trackrod.manoeuvres.longitudinal import Acceleration, Braking, CoastDown
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.manoeuvres.recorded import Recorded
from trackrod.manoeuvres.roads import RandomRoad
from trackrod.manoeuvres.standing import FourPost, HillHold, Parking, StandstillSteering
from trackrod.manoeuvres.steady_turn import RampSteer
from trackrod.manoeuvres.steering import Fishhook, JTurn, Pulse, SineSweep, SineWithDwell, SingleSine, StepSteer
from trackrod.manoeuvres.turning import BrakeInTurn, ConstantRadius, ThrottleOff

__all__ = ["MANOEUVRE", "MANOEUVRES", "manoeuvre", "manoeuvre_class"]

#: Classes of manoeuvres by name.
MANOEUVRES: Mapping[str, type[Manoeuvre]] = MappingProxyType(
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
            Excitation,
            Recorded,
        )
    }
)


def manoeuvre_class(name: str) -> type[Manoeuvre]:
    """The class of a name; UnknownNameError with close matches."""
    if name not in MANOEUVRES:
        raise UnknownNameError("manoeuvre", name, MANOEUVRES)
    return MANOEUVRES[name]


def manoeuvre(name: str, settings: Mapping[str, str]) -> Manoeuvre:
    """A manoeuvre by name, with settings as texts; InputError with every one that is wrong."""
    return manoeuvre_class(name).from_text(settings)


def _to_plain(found: Manoeuvre) -> dict[str, Plain]:
    return {"name": found.name, "settings": found.values()}


def _from_plain(data: Mapping[str, Any]) -> Manoeuvre:
    return manoeuvre_class(data["name"])(**data["settings"])


#: How a manoeuvre is saved: its name and all its settings.
MANOEUVRE: Schema[Manoeuvre] = Schema("trackrod.manoeuvre", 1, _to_plain, _from_plain)
