"""Runs of the real-time model of a vehicle, as functions of everything that determines them.

They are kept by these functions, so this module imports nothing that does not drive.
"""

from __future__ import annotations

from trackrod.core.series import Run
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.script import Script, ScriptedVehicle
from trackrod.rtm.spec import RtmSpec
from trackrod.simulate.drive import Progress, simulate
from trackrod.workflow.multibody_runs import STEP, sample_of

__all__ = ["model_run", "scripted_run"]


def model_run(
    spec: RtmSpec,
    manoeuvre: Manoeuvre,
    step: float = STEP,
    sample: float | None = None,
    *,
    progress: Progress | None = None,
) -> Run:
    """The real-time model drives, sampled as `sample_of` says if nothing else is asked for; errors as `simulate`."""
    period = sample or sample_of(manoeuvre)
    return simulate(RealTimeVehicle(spec, step=step), manoeuvre, sample=period, progress=progress)


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
