"""The stages: a vehicle is characterised, converted, driven beside its real-time model, and compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from trackrod.convert.conversion import Conversion, Detail, convert
from trackrod.core.artefact import Artefact
from trackrod.core.corners import Axle
from trackrod.core.errors import InputError
from trackrod.core.plain import Plain
from trackrod.core.series import Run
from trackrod.kc.maps import KC_MAPS, KcMaps
from trackrod.kc.study import KcSettings, characterise
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.metrics.indices import Index, indices
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.simulate.drive import Progress, simulate
from trackrod.vehicle.vehicle import VEHICLE, Vehicle
from trackrod.workflow.cache import cached

__all__ = ["Comparison", "characterised", "compared", "converted", "with_found_settings"]

#: Packages whose code the K&C maps depend on.
_KC_CODE = ("core", "tyre", "vehicle", "multibody", "kc")


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """One manoeuvre driven with both models of a vehicle.

    Attributes
    ----------
    manoeuvre
        With every setting known; those that depend on the vehicle were found with the multibody model.
    reference, model
        Runs of the multibody and of the real-time model.
    indices
        How far they lie apart.
    """

    manoeuvre: Manoeuvre
    reference: Run
    model: Run
    indices: tuple[Index, ...]


def characterised(vehicle: Vehicle, settings: KcSettings | None = None) -> Mapping[Axle, KcMaps]:
    """K&C maps of both axles; from the cache if the same vehicle was on the rig before.

    Raises
    ------
    InputError
        An axle cannot be put on the rig, or a part of its maps was not reached.
    """
    settings = settings or KcSettings()
    vehicle_hash = Artefact(VEHICLE, vehicle).sha256
    return MappingProxyType({axle: _axle_maps(vehicle, vehicle_hash, axle, settings) for axle in Axle})


def _axle_maps(vehicle: Vehicle, vehicle_hash: str, axle: Axle, settings: KcSettings) -> KcMaps:
    def make() -> KcMaps:
        study = characterise(vehicle, axle, settings)
        if study.maps is None:
            raise InputError(study.problems)
        return study.maps

    made_from: dict[str, Plain] = {
        "vehicle": vehicle_hash,
        "axle": str(axle),
        "travel": settings.travel.tolist(),
        "rack": settings.rack.tolist(),
        "map_points": settings.map_points,
        "friction": settings.friction,
        "load_steps": settings.load_steps,
    }
    return cached(KC_MAPS, made_from, _KC_CODE, make)[0]


def converted(
    vehicle: Vehicle,
    *,
    detail: Detail = Detail.TWO_DIMENSIONAL,
    settings: KcSettings | None = None,
) -> Conversion:
    """The real-time model of a vehicle by the direct conversion, nothing tuned; errors as `characterised`."""
    return convert(vehicle, characterised(vehicle, settings), detail=detail)


def with_found_settings(manoeuvre: Manoeuvre, run: Run) -> Manoeuvre:
    """The manoeuvre with every setting that was found by driving it, as the metadata of its run hold them.

    Another model then gets exactly the same inputs: the amplitude, the pedal, the gain of the driver.
    """
    known = run.metadata["settings"]
    return type(manoeuvre).from_text({name: str(value) for name, value in known.items() if value is not None})


def compared(
    vehicle: Vehicle,
    manoeuvre: Manoeuvre,
    conversion: Conversion | None = None,
    *,
    sample: float = 0.01,
    step: float = 1e-3,
    progress: Progress | None = None,
) -> Comparison:
    """Drive both models of a vehicle and compare them.

    Parameters
    ----------
    vehicle
        With its present modes and payload.
    manoeuvre
        What to drive. Settings that depend on the vehicle are found with the multibody model, and both get the same.
    conversion
        The real-time model; the direct conversion if not given.
    sample, step
        Of the runs and of the integration [s].
    progress
        Told how far it is.

    Raises
    ------
    InputError
        The vehicle cannot be converted, or the runs hold nothing that can be compared.
    ConvergenceError
        The multibody model does not find the settings of the manoeuvre.
    """
    conversion = conversion or converted(vehicle)
    reference = simulate(MultibodyVehicle(vehicle, step=step), manoeuvre, sample=sample, progress=progress)
    known = with_found_settings(manoeuvre, reference)
    model = simulate(RealTimeVehicle(conversion.spec, step=step), known, sample=sample, progress=progress)
    return Comparison(known, reference, model, indices(manoeuvre.name, reference, model))
