"""Runs of the multibody model that a conversion is judged by, kept, with steps as short as they must be."""

from __future__ import annotations

from collections.abc import Sequence

from trackrod.core.series import Run
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.multibody.integrators import RealTime
from trackrod.multibody.steering import SteeringModel, usual_steering
from trackrod.simulate.drive import Progress
from trackrod.simulate.events import broke_down
from trackrod.vehicle.vehicle import Vehicle
from trackrod.workflow.cache import kept_run
from trackrod.workflow.multibody_runs import RIDE_STEP, multibody_run, step_of

__all__ = ["reference_run"]


def reference_run(
    vehicle: Vehicle,
    manoeuvre: Manoeuvre,
    *,
    steering: SteeringModel | None = None,
    steps: Sequence[float] = (),
    sample: float | None = None,
    progress: Progress | None = None,
) -> Run:
    """Drive the multibody model, or take the run from the cache.

    Parameters
    ----------
    vehicle, manoeuvre
        What is driven, and how; every setting is known.
    steering
        The usual one of the vehicle if not given.
    steps
        To be tried first [s]; then follow that of the manoeuvre and that of uneven roads, until one does not break
        down: very soft bushings under a steering with assistance need short ones. What ends the vehicle itself, a
        roll-over say, is believed from the step of the manoeuvre on.
    sample
        Time from sample to sample [s]; that of the manoeuvre if not given.
    progress
        Told how far it is.
    """
    chosen = steering or usual_steering(vehicle)
    for step in dict.fromkeys((*steps, step_of(manoeuvre), RIDE_STEP)):
        integrator = RealTime(step, steering=chosen)
        run = kept_run(multibody_run, vehicle, manoeuvre, integrator, sample, progress=progress)
        if run.metadata["completed"] or (step <= step_of(manoeuvre) and not broke_down(run)):
            break
    return run
