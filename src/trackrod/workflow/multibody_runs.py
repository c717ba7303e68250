"""Runs of the multibody model, as a function of everything that determines them.

They are kept by this function, so this module imports nothing that has no part in them: what the multibody model has
driven stays when the real-time model changes.
"""

from __future__ import annotations

from trackrod.core.series import Run
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.multibody.integrators import Integrator, RealTime
from trackrod.simulate.drive import Progress, simulate
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["SAMPLE", "STEP", "multibody_run"]

#: Time from sample to sample, and step of the integration [s].
SAMPLE, STEP = 0.01, 1e-3


def multibody_run(
    vehicle: Vehicle,
    manoeuvre: Manoeuvre,
    integrator: Integrator | None = None,
    sample: float = SAMPLE,
    *,
    progress: Progress | None = None,
) -> Run:
    """The multibody model drives, with fixed steps of `STEP` if nothing else is asked for; errors as `simulate`."""
    chosen = integrator or RealTime(STEP)
    return chosen.drive(vehicle, lambda model: simulate(model, manoeuvre, sample=sample, progress=progress)).run
