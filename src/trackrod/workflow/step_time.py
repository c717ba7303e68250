"""What a step of a real-time model costs, measured once for each model and kept.

A measurement is never the same twice. It is kept like every other result of a study, so that a study that is done again
or goes on after it was killed writes the same report.
"""

from __future__ import annotations

import time
from collections.abc import Iterable

from trackrod.core.artefact import Schema
from trackrod.rtm.script import Script, ScriptedVehicle
from trackrod.rtm.spec import RtmSpec
from trackrod.tune.study import StepTime
from trackrod.tune.test import Test
from trackrod.workflow.cache import kept
from trackrod.workflow.multibody_runs import STEP

__all__ = ["STEP_TIME", "measured_step", "step_time"]

#: How a measured time is kept.
STEP_TIME = Schema(
    "trackrod.step_time",
    1,
    lambda found: {"cpu_s": found.cpu, "step_s": found.step},
    lambda data: StepTime(float(data["cpu_s"]), float(data["step_s"])),
)
#: How often a manoeuvre is driven; the quickest counts, the others were disturbed.
_REPEATS = 3


def step_time(model: RtmSpec, tests: Iterable[Test]) -> StepTime | None:
    """What a step costs in the first test that a script can drive; None if there is none."""
    script = next((test.driver for test in tests if isinstance(test.driver, Script)), None)
    return None if script is None else kept(STEP_TIME, measured_step, model, script)


def measured_step(model: RtmSpec, script: Script) -> StepTime:
    """Time of the processor for one step, measured now."""
    vehicle = ScriptedVehicle(model, step=STEP)
    vehicle.settle()
    spent = []
    for _ in range(_REPEATS):
        begin = time.thread_time()
        run = vehicle.run(script)
        spent.append((time.thread_time() - begin) / max(float(run.time[-1] - run.time[0]) / STEP, 1.0))
    return StepTime(max(min(spent), 1e-9), STEP)
