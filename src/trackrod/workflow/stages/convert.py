"""Stage ``convert``: the direct conversion, and what is tuned in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from trackrod.convert.conversion import Compliance, Conversion, Detail, assemble, convert
from trackrod.convert.masses import SplitFactors
from trackrod.convert.round_trip import round_trip
from trackrod.core.corners import Axle
from trackrod.core.errors import Problem
from trackrod.kc.maps import KcMaps
from trackrod.kc.study import KcSettings
from trackrod.multibody.steering import SteeringModel, usual_steering
from trackrod.reference import Reference
from trackrod.rtm.stability import stability_problems
from trackrod.tune.space import TuningSpace, tuning_space
from trackrod.vehicle.vehicle import Vehicle
from trackrod.workflow.map_range import kc_maps
from trackrod.workflow.stage import Stage, Work
from trackrod.workflow.stages.kc import Measured
from trackrod.workflow.stages.read import Subject
from trackrod.workflow.study_settings import StudySettings

__all__ = ["CONVERT", "Converted", "convert_directly", "convert_origin"]


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
) -> Conversion:
    """The real-time model of whatever a study starts from; a reference says itself what steering it has."""
    if isinstance(origin, Reference):
        return assemble(origin.data, maps, detail=detail, compliance=compliance)
    elastic = (steering or usual_steering(origin)) is SteeringModel.MECHANISM
    return convert(origin, maps, detail=detail, compliance=compliance, elastic_steering=elastic)


def _convert(work: Work) -> Converted:
    origin, maps, settings = work[Subject].origin, work[Measured].maps, work[StudySettings]
    conversion = convert_origin(
        origin, maps, settings.detail, compliance=settings.compliance, steering=settings.steering
    )
    space = tuning_space(
        conversion.spec,
        names=settings.parameters,
        bounds=settings.bounds,
        # a reference does not tell what the links weigh
        split=partial(_split_parameters, origin, maps) if isinstance(origin, Vehicle) else None,
        relative=settings.relative,
        ranges=settings.ranges,
        without=origin.without_meaning if isinstance(origin, Reference) else (),
    )
    unstable = stability_problems(conversion.spec, "the nominal model")
    return Converted(conversion, space, _in_words(conversion, maps), unstable)


def _split_parameters(vehicle: Vehicle, maps: Mapping[Axle, KcMaps], factors: SplitFactors) -> Mapping[str, float]:
    return convert(vehicle, maps, factors=factors).spec.parameters


def _in_words(conversion: Conversion, maps: Mapping[Axle, KcMaps]) -> dict[str, str]:
    """Largest deviation at the knots of the maps, of lengths, angles and forces."""
    lengths = ("tx", "ty", "tz", "damper_length", "spring_length")
    kinds = {"m": lengths, "rad": ("rx", "ry", "rz"), "N": ("Fz", "Fz_without_stops")}
    found: dict[str, float] = {}
    for item in round_trip(conversion.spec, maps):
        unit = next((unit for unit, names in kinds.items() if item.output in names), "N")
        found[unit] = max(found.get(unit, 0.0), item.at_knots)
    names = {"m": "place of the wheel", "rad": "angles of the wheel", "N": "wheel load"}
    return {names[unit]: f"{value:.2g} {unit}" for unit, value in found.items()}


CONVERT = Stage(
    name="convert", title="converting", needs=(Subject, Measured, StudySettings), makes=Converted, run=_convert
)
