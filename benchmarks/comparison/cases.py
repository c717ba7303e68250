"""The vehicles of the table, and both models of each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from trackrod.adams.source import open_vehicle
from trackrod.core.series import Run
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.multibody.integrators import RealTime
from trackrod.multibody.steering import SteeringModel
from trackrod.rtm.spec import RtmSpec
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.variants import with_bushings
from trackrod.vehicle.vehicle import Vehicle
from trackrod.workflow.cache import kept_run
from trackrod.workflow.multibody_runs import SAMPLE, STEP, multibody_run
from trackrod.workflow.runs import model_run
from trackrod.workflow.stages.convert import convert_directly

__all__ = ["FINE", "WHOLE", "Case"]

#: Step of a reference in which something vibrates [s].
FINE = 0.25e-3


@dataclass(frozen=True, slots=True)
class Case:
    """A vehicle with its bushings scaled.

    Attributes
    ----------
    name
        Bundled name, file, or ``first_cla_class``: the compact saloon as it first was, stored beside this module.
    bushings
        Factor on all of them [-].
    """

    name: str
    bushings: float = 1.0

    def __str__(self) -> str:
        return self.name if self.bushings == 1.0 else f"{self.name}, bushings × {self.bushings:g}"

    @property
    def vehicle(self) -> Vehicle:
        """The multibody model's description."""
        return _vehicle(self)

    def spec(self, *, elastic_steering: bool = False) -> RtmSpec:
        """The real-time model: the direct conversion, nothing tuned."""
        return _spec(self, elastic_steering)

    def reference(
        self, manoeuvre: Manoeuvre, *, step: float = STEP, sample: float = SAMPLE, elastic_steering: bool = False
    ) -> Run:
        """Driven with the multibody model, or kept from before."""
        steering = SteeringModel.MECHANISM if elastic_steering else SteeringModel.RATIO
        return kept_run(multibody_run, self.vehicle, manoeuvre, RealTime(step, steering=steering), sample)

    def model(self, manoeuvre: Manoeuvre, *, sample: float = SAMPLE, elastic_steering: bool = False) -> Run:
        """Driven with the real-time model."""
        return kept_run(model_run, self.spec(elastic_steering=elastic_steering), manoeuvre, STEP, sample)


#: The cases of the whole table: every bundled vehicle, with softer and stiffer bushings too, and the first compact
#: saloon on bushings so soft that a quasi-static compliance fails.
WHOLE = (*(Case(name, factor) for name in BUNDLED for factor in (1.0, 0.6, 2.0)), Case("first_cla_class", 0.2))


@cache
def _vehicle(case: Case) -> Vehicle:
    stored = Path(__file__).with_name(f"{case.name}.json")
    return with_bushings(open_vehicle(stored if stored.is_file() else case.name).vehicle, case.bushings)


@cache
def _spec(case: Case, elastic_steering: bool) -> RtmSpec:
    return convert_directly(case.vehicle, elastic_steering=elastic_steering).spec
