"""Settings of a manoeuvre that depend on the vehicle: amplitudes, pedals, the gain of the driver.

There is one answer for a vehicle and a manoeuvre whoever asks: that of the multibody model. It does not change with the
model that is judged by it.
"""

from __future__ import annotations

from trackrod.core.series import Run
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.multibody.steering import SteeringModel
from trackrod.simulate.drive import Progress
from trackrod.vehicle.vehicle import Vehicle
from trackrod.workflow.reference_runs import reference_run

__all__ = ["find_settings"]

#: Step of the search [s]: what is looked for is steady, and the angles of the vehicles differ by 0.02 % from those
#: at 1 ms, the pedals by 0.1 %.
SEARCH_STEP = 5e-3


def find_settings(
    vehicle: Vehicle,
    manoeuvre: Manoeuvre,
    *,
    steering: SteeringModel | None = None,
    progress: Progress | None = None,
) -> Manoeuvre:
    """The manoeuvre with every setting known; those that depend on the vehicle are found with its multibody model.

    Every run of the search is kept, and serves all manoeuvres that need it.

    Parameters
    ----------
    vehicle, manoeuvre
        What is driven, and how.
    steering
        Of the multibody model; the usual one of the vehicle if not given.
    progress
        Told how far it is.

    Raises
    ------
    ConvergenceError
        What is asked for cannot be reached with this vehicle.
    """

    def drive(trial: Manoeuvre) -> Run:
        return reference_run(vehicle, trial, steering=steering, steps=(SEARCH_STEP,), progress=progress)

    return manoeuvre.prepare(drive)
