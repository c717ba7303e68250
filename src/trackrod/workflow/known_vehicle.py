"""What is known before parameters are estimated: from the workshop, the vehicle, the data sheets of its sensors."""

from __future__ import annotations

from pathlib import Path

from trackrod.adams.source import open_vehicle
from trackrod.core.errors import raise_if_errors
from trackrod.estimate.known import Known, known_of
from trackrod.estimate.workshop import Workshop, read_workshop
from trackrod.measured.sensors import SensorSet, case_study
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["CASE_STUDY", "what_is_known"]

#: The word for the sensors of the case study.
CASE_STUDY = "case_study"


def what_is_known(
    vehicle: str | Vehicle | None, workshop: Path | None, sensors: Path | str | None
) -> tuple[Workshop, Known, SensorSet | None]:
    """What files say about the workshop, the vehicle and its sensors; each may be missing."""
    entries = read_workshop(workshop) if workshop is not None else Workshop()
    errors = None
    if sensors is not None:
        errors = case_study() if sensors == CASE_STUDY else SensorSet.read(sensors)
    return entries, _known(vehicle).knowing(entries.values, entries.bounds), errors


def _known(vehicle: str | Vehicle | None) -> Known:
    if vehicle is None:
        return Known({})
    if isinstance(vehicle, Vehicle):
        return known_of(vehicle)
    reading = open_vehicle(vehicle)
    raise_if_errors(reading.problems)
    return known_of(reading.vehicle)
