"""Runs of the multibody model, as a function of everything that determines them.

They are kept by this function, so this module imports nothing that has no part in them: what the multibody model has
driven stays when the real-time model changes.
"""

from __future__ import annotations

from trackrod.core.series import Run
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.manoeuvres.obstacles import OverObstacle
from trackrod.multibody.integrators import Integrator, RealTime
from trackrod.multibody.steering import usual_steering
from trackrod.simulate.drive import Progress, simulate
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["EDGE_STEP", "RIDE_SAMPLE", "RIDE_STEP", "SAMPLE", "STEP", "multibody_run", "sample_of", "step_of"]

#: Time from sample to sample, and step of the integration [s].
SAMPLE, STEP = 0.01, 1e-3
#: The same over an uneven road [s]: at 1 ms implicit Euler damps what wheels do between 8 and 16 Hz.
RIDE_SAMPLE, RIDE_STEP = 2e-3, 0.25e-3
#: Step over an edge [s]: a tyre's longitudinal force swings with 40 Hz there, and its peaks want to be right to 2 %.
EDGE_STEP = 0.0625e-3


def sample_of(manoeuvre: Manoeuvre) -> float:
    """Time from sample to sample that a manoeuvre needs [s]."""
    return SAMPLE if manoeuvre.road() is None else RIDE_SAMPLE


def step_of(manoeuvre: Manoeuvre) -> float:
    """Step of the multibody model that a manoeuvre needs [s]."""
    if isinstance(manoeuvre, OverObstacle):
        return EDGE_STEP
    return STEP if manoeuvre.road() is None else RIDE_STEP


def multibody_run(
    vehicle: Vehicle,
    manoeuvre: Manoeuvre,
    integrator: Integrator | None = None,
    sample: float | None = None,
    *,
    progress: Progress | None = None,
) -> Run:
    """The multibody model drives; errors as `simulate`.

    Without an integrator it takes the fixed steps of `step_of` and the usual steering of the vehicle, without a sample
    time that of `sample_of`.
    """
    chosen = integrator or RealTime(step_of(manoeuvre), steering=usual_steering(vehicle))
    period = sample or sample_of(manoeuvre)
    return chosen.drive(vehicle, lambda model: simulate(model, manoeuvre, sample=period, progress=progress)).run
