"""The vehicles of the table, and both models of each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from trackrod.adams.source import open_vehicle
from trackrod.convert.conversion import Compliance, Detail
from trackrod.core.series import Run
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.multibody.steering import SteeringModel
from trackrod.rtm.spec import RtmSpec
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.variants import with_bushings
from trackrod.vehicle.vehicle import Vehicle
from trackrod.workflow.multibody_runs import SAMPLE, STEP
from trackrod.workflow.reference_runs import reference_run
from trackrod.workflow.runs import model_run
from trackrod.workflow.stages.convert import convert_directly

__all__ = ["WHOLE", "Case", "Variant"]


@dataclass(frozen=True, slots=True)
class Variant:
    """Which real-time model of a vehicle.

    Attributes
    ----------
    compliance, detail
        How its wheels give way, and how much of the kinematics it keeps.
    step
        Of its integration [s].
    """

    compliance: Compliance = Compliance.MOVING
    detail: Detail = Detail.TWO_DIMENSIONAL
    step: float = STEP


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

    def spec(self, variant: Variant | None = None) -> RtmSpec:
        """The real-time model: the direct conversion, nothing tuned."""
        chosen = variant or Variant()
        return _spec(self, chosen.compliance, chosen.detail)

    @property
    def steering(self) -> SteeringModel:
        """How the multibody model is steered: as the real-time model is."""
        return SteeringModel.RATIO if self.spec().steering is None else SteeringModel.MECHANISM

    def reference(self, manoeuvre: Manoeuvre, *, step: float = STEP, sample: float = SAMPLE) -> Run:
        """Driven with the multibody model, or kept from before."""
        return _reference(self, manoeuvre, step, sample)

    def model(self, manoeuvre: Manoeuvre, variant: Variant, *, sample: float = SAMPLE) -> Run:
        """Driven with the real-time model, which takes no longer than to look for it in the cache."""
        return model_run(self.spec(variant), manoeuvre, variant.step, sample)


#: The cases of the whole table: every bundled vehicle, with softer and stiffer bushings too, and the first compact
#: saloon on bushings so soft that a quasi-static compliance fails.
WHOLE = (*(Case(name, factor) for name in BUNDLED for factor in (1.0, 0.6, 2.0)), Case("first_cla_class", 0.2))


@cache
def _vehicle(case: Case) -> Vehicle:
    stored = Path(__file__).with_name(f"{case.name}.json")
    return with_bushings(open_vehicle(stored if stored.is_file() else case.name).vehicle, case.bushings)


@cache
def _spec(case: Case, compliance: Compliance, detail: Detail) -> RtmSpec:
    return convert_directly(case.vehicle, compliance=compliance, detail=detail).spec


@lru_cache(maxsize=2)  # for the variants, which are compared with it one after the other
def _reference(case: Case, manoeuvre: Manoeuvre, step: float, sample: float) -> Run:
    return reference_run(case.vehicle, manoeuvre, steering=case.steering, steps=(step,), sample=sample)
