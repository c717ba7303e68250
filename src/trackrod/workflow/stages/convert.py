"""Stage ``convert``: the direct conversion, and what is tuned in it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from trackrod.convert.conversion import Compliance, Conversion, Detail, assemble, convert
from trackrod.convert.masses import SplitFactors
from trackrod.convert.round_trip import round_trip
from trackrod.core.corners import Axle
from trackrod.core.errors import InputError, Problem
from trackrod.core.numbers import less_than
from trackrod.kc.maps import KcMaps
from trackrod.kc.study import KcSettings
from trackrod.multibody.steering import SteeringModel, usual_steering
from trackrod.reference import Reference
from trackrod.rtm.stability import stability_problems
from trackrod.tune.space import TuningSpace, inertia_fault, tuning_space
from trackrod.vehicle.vehicle import Vehicle
from trackrod.workflow.map_range import kc_maps
from trackrod.workflow.stage import Stage, Work
from trackrod.workflow.stages.kc import Measured
from trackrod.workflow.stages.read import Subject
from trackrod.workflow.study_settings import StudySettings

__all__ = ["CONVERT", "Converted", "convert_directly", "convert_origin"]

#: Quantities of the round trip: title, factor from SI, unit, and what is too small to tell [the unit].
_ROUND_TRIP = {
    "length": ("position of the wheel", 1e3, "mm", 1e-3),
    "angle": ("angles of the wheel", 180.0 / math.pi, "°", 1e-3),
    "load": ("wheel load", 1.0, "N", 0.1),
}


@dataclass(frozen=True, slots=True, eq=False)
class Converted:
    """The nominal model.

    Attributes
    ----------
    conversion
        The direct conversion.
    space
        What is tuned in it.
    round_trip
        Largest difference between the K&C of the model and the maps, in words by quantity.
    unstable
        Whether it does not go straight ahead by itself, and why.
    """

    conversion: Conversion
    space: TuningSpace
    round_trip: Mapping[str, str]
    unstable: tuple[Problem, ...]


def convert_directly(
    vehicle: Vehicle,
    *,
    detail: Detail = Detail.TWO_DIMENSIONAL,
    compliance: Compliance = Compliance.MOVING,
    steering: SteeringModel | None = None,
    settings: KcSettings | None = None,
) -> Conversion:
    """The real-time model of a vehicle, put on the rig first if need be; nothing tuned.

    Parameters
    ----------
    vehicle
        With its present modes and payload.
    detail, compliance
        As of `convert`.
    steering
        The usual one of the vehicle if not given.
    settings
        As of `kc_maps`, errors too.
    """
    return convert_origin(vehicle, kc_maps(vehicle, settings), detail, compliance=compliance, steering=steering)


def convert_origin(
    origin: Vehicle | Reference,
    maps: Mapping[Axle, KcMaps],
    detail: Detail,
    *,
    compliance: Compliance = Compliance.MOVING,
    steering: SteeringModel | None = None,
    start: Mapping[str, float] | None = None,
) -> Conversion:
    """The real-time model of whatever a study starts from; a reference says itself what steering it has.

    `start` are factors on parameters by name [-].
    """
    if isinstance(origin, Reference):
        found = assemble(origin.data, maps, detail=detail, compliance=compliance)
    else:
        elastic = (steering or usual_steering(origin)) is SteeringModel.MECHANISM
        found = convert(origin, maps, detail=detail, compliance=compliance, elastic_steering=elastic)
    return replace(found, spec=found.spec.with_parameters(**_changed(found.spec.parameters, start or {})))


def _changed(parameters: Mapping[str, float], start: Mapping[str, float]) -> dict[str, float]:
    return {name: value * start.get(name, 1.0) for name, value in parameters.items()}


def _convert(work: Work) -> Converted:
    origin, maps, settings = work[Subject].origin, work[Measured].maps, work[StudySettings]
    conversion = convert_origin(
        origin,
        maps,
        settings.detail,
        compliance=settings.compliance,
        steering=settings.steering,
        start=settings.start,
    )
    if settings.start and (fault := inertia_fault(conversion.spec.parameters)):
        raise InputError(f"[start] of the study file: {fault}")
    space = tuning_space(
        conversion.spec,
        names=settings.parameters,
        bounds=settings.bounds,
        # a reference does not tell what the links weigh
        split=partial(_split_parameters, origin, maps, settings.start) if isinstance(origin, Vehicle) else None,
        relative=settings.relative,
        ranges=settings.ranges,
        without=origin.without_meaning if isinstance(origin, Reference) else (),
    )
    unstable = stability_problems(conversion.spec, "the nominal model")
    return Converted(conversion, space, _in_words(conversion, maps), unstable)


def _split_parameters(
    vehicle: Vehicle, maps: Mapping[Axle, KcMaps], start: Mapping[str, float], factors: SplitFactors
) -> Mapping[str, float]:
    return _changed(convert(vehicle, maps, factors=factors).spec.parameters, start)


def _in_words(conversion: Conversion, maps: Mapping[Axle, KcMaps]) -> dict[str, str]:
    """Largest deviation at the knots of the maps, of lengths, angles and forces."""
    lengths = ("tx", "ty", "tz", "damper_length", "spring_length")
    kinds = {"length": lengths, "angle": ("rx", "ry", "rz"), "load": ("Fz", "Fz_without_stops")}
    found: dict[str, float] = {}
    for item in round_trip(conversion.spec, maps):
        kind = next((kind for kind, names in kinds.items() if item.output in names), "load")
        found[kind] = max(found.get(kind, 0.0), item.at_knots)
    return {
        title: less_than(factor * found[kind], resolution, unit)
        for kind, (title, factor, unit, resolution) in _ROUND_TRIP.items()
        if kind in found
    }


CONVERT = Stage(
    name="convert", title="converting", needs=(Subject, Measured, StudySettings), makes=Converted, run=_convert
)
