"""Runs of both models of a vehicle, as functions of everything that determines them.

They are kept by these functions, so this module imports nothing that does not drive.
"""

from __future__ import annotations

from trackrod.core.series import Run
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.script import Script, ScriptedVehicle
from trackrod.rtm.spec import RtmSpec
from trackrod.simulate.drive import Progress, prepared, simulate
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["SAMPLE", "STEP", "find_settings", "model_run", "multibody_run", "scripted_run"]

#: Time from sample to sample, and step of the integration [s].
SAMPLE, STEP = 0.01, 1e-3


def find_settings(spec: RtmSpec, manoeuvre: Manoeuvre) -> Manoeuvre:
    """The manoeuvre with every setting known; those that depend on the vehicle are found with its real-time model.

    Raises
    ------
    ConvergenceError
        What is asked for cannot be reached with this vehicle.
    """
    return prepared(RealTimeVehicle(spec, step=STEP), manoeuvre)


def multibody_run(vehicle: Vehicle, manoeuvre: Manoeuvre, *, progress: Progress | None = None) -> Run:
    """The multibody model drives; errors as `simulate`."""
    return simulate(MultibodyVehicle(vehicle, step=STEP), manoeuvre, sample=SAMPLE, progress=progress)


def model_run(spec: RtmSpec, manoeuvre: Manoeuvre) -> Run:
    """The real-time model drives; errors as `simulate`."""
    return simulate(RealTimeVehicle(spec, step=STEP), manoeuvre, sample=SAMPLE)


def scripted_run(spec: RtmSpec, script: Script) -> Run:
    """The real-time model does what a script says.

    Raises
    ------
    ConvergenceError
        It does not come to rest, or the motion is no longer finite.
    """
    vehicle = ScriptedVehicle(spec, step=STEP)
    vehicle.settle()
    return vehicle.run(script)
