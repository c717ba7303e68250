"""Settings of a manoeuvre that depend on the vehicle: amplitudes, pedals, the gain of the driver.

There is one answer for a vehicle and a manoeuvre whoever asks: that of the multibody model. It does not change with the
model that is judged by it.
"""

from __future__ import annotations

from trackrod.core.series import Run
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.multibody.integrators import RealTime
from trackrod.simulate.drive import Progress
from trackrod.vehicle.vehicle import Vehicle
from trackrod.workflow.cache import kept_run
from trackrod.workflow.multibody_runs import multibody_run

__all__ = ["find_settings"]

#: Step of the search [s]: what is looked for is steady, and the angles of the vehicles differ by 0.02 % from those
#: at 1 ms, the pedals by 0.1 %.
SEARCH_STEP = 5e-3


def find_settings(vehicle: Vehicle, manoeuvre: Manoeuvre, *, progress: Progress | None = None) -> Manoeuvre:
    """The manoeuvre with every setting known; those that depend on the vehicle are found with its multibody model.

    Every run of the search is kept, and serves all manoeuvres that need it.

    Raises
    ------
    ConvergenceError
        What is asked for cannot be reached with this vehicle.
    """

    def drive(trial: Manoeuvre) -> Run:
        run = kept_run(multibody_run, vehicle, trial, RealTime(SEARCH_STEP), progress=progress)
        if run.metadata["completed"]:
            return run
        return kept_run(multibody_run, vehicle, trial, progress=progress)  # the step may have been too long

    return manoeuvre.prepare(drive)
