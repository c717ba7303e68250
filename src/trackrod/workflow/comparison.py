"""One manoeuvre driven with both models of a vehicle, and how far they lie apart."""

from __future__ import annotations

from dataclasses import dataclass

from trackrod.convert.conversion import Conversion
from trackrod.core.series import Run
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.metrics.indices import Index, indices
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.multibody.steering import SteeringModel
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.simulate.drive import Progress, drive, simulate
from trackrod.vehicle.vehicle import Vehicle
from trackrod.workflow.stages.convert import convert_directly

__all__ = ["Comparison", "compare_models"]


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


def compare_models(
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
        The real-time model; the direct conversion if not given. Where its steering is elastic, that of the multibody
        model is a mechanism.
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
    conversion = conversion or convert_directly(vehicle)
    steering = SteeringModel.RATIO if conversion.spec.steering is None else SteeringModel.MECHANISM
    multibody = MultibodyVehicle(vehicle, step=step, steering=steering)
    known, reference = drive(multibody, manoeuvre, sample=sample, progress=progress)
    model = simulate(RealTimeVehicle(conversion.spec, step=step), known, sample=sample, progress=progress)
    return Comparison(known, reference, model, indices(manoeuvre.name, reference, model))
