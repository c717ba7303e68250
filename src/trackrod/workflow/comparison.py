"""One manoeuvre driven with both models of a vehicle, and how far they lie apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from trackrod.core.notebook import data_frame
from trackrod.core.series import Run
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.metrics.indices import Index, indices
from trackrod.multibody.integrators import Integrator
from trackrod.multibody.steering import SteeringModel
from trackrod.report.notebook import comparison_html, comparison_plot, index_columns
from trackrod.rtm.spec import HasModel
from trackrod.simulate.drive import Progress
from trackrod.vehicle.vehicle import Vehicle
from trackrod.workflow.found_settings import find_settings
from trackrod.workflow.multibody_runs import STEP, multibody_run
from trackrod.workflow.reference_runs import reference_run
from trackrod.workflow.runs import model_run
from trackrod.workflow.stages.convert import convert_directly

__all__ = ["Comparison", "compare_models"]

#: How legends call reference and model.
_NAMES = ("multibody", "rtm")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
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

    def __repr__(self) -> str:
        worst = max(self.indices, key=lambda index: index.value_pct)
        said = f"{len(self.indices)} indices, largest {worst.value_pct:.2f} % ({worst.name})"
        return f"Comparison({self.reference.metadata.get('vehicle')!r}, {self.manoeuvre.name}, {said})"

    def _repr_html_(self) -> str:
        return comparison_html(repr(self), self.indices, _NAMES)

    def to_pandas(self) -> Any:
        """The indices as a table of pandas; MissingPackageError where it is not installed."""
        return data_frame(index_columns(self.indices), "a comparison as a table of pandas")

    def plot(self) -> Any:
        """The curves that are compared, over each other: a figure of matplotlib."""
        return comparison_plot(f"{self.reference.metadata.get('vehicle')}: {self.manoeuvre.name}", self.indices, _NAMES)


def compare_models(
    vehicle: Vehicle,
    manoeuvre: Manoeuvre,
    conversion: HasModel | None = None,
    *,
    sample: float | None = None,
    step: float = STEP,
    integrator: Integrator | None = None,
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
    sample
        Of the runs [s]; as the manoeuvre needs it if not given.
    step
        Of the real-time model [s].
    integrator
        Of the multibody model; fixed steps that suit the manoeuvre, with the steering of the real-time model, if not
        given.
    progress
        Told how far it is.

    Raises
    ------
    InputError
        The vehicle cannot be converted, or the runs hold nothing that can be compared.
    ConvergenceError
        The multibody model does not find the settings of the manoeuvre.
    """
    spec = (conversion or convert_directly(vehicle)).spec
    steering = SteeringModel.RATIO if spec.steering is None else SteeringModel.MECHANISM
    known = find_settings(vehicle, manoeuvre, steering=steering, progress=progress)
    if integrator is None:
        reference = reference_run(vehicle, known, steering=steering, sample=sample, progress=progress)
    else:
        reference = multibody_run(vehicle, known, integrator, sample, progress=progress)
    model = model_run(spec, known, step, sample, progress=progress)
    return Comparison(known, reference, model, indices(manoeuvre.name, reference, model))
