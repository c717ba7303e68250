"""Events of a run that nobody watched: found in its samples, each once."""

from __future__ import annotations

import numpy as np

from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.series import Run
from trackrod.simulate.events import events_in


def run(**changes: np.ndarray) -> Run:
    time = np.arange(0.0, 2.0, 0.01)
    none = np.zeros(time.size)
    columns = {signals.TIME: time, signals.VX: none + 20.0, signals.VY: none, signals.BRAKE: none}
    columns |= {signals.ROLL: changes.get("roll", none), signals.SIDESLIP: changes.get("sideslip", none)}
    for corner in Corner:
        columns[signals.FZ[corner]] = none + changes.get(f"Fz_{corner}", 4000.0)
        columns[signals.SLIP_RATIO[corner]] = none
    return Run({signal.column: values for signal, values in columns.items()})


def test_spin_and_roll_over() -> None:
    growing = np.linspace(0.0, 1.5, 200)
    assert events_in(run()) == ()
    assert events_in(run(sideslip=-growing)) == ("the vehicle spins: sideslip angle -60°, from 1.39 s on",)
    assert events_in(run(roll=growing)) == ("the vehicle rolls over: roll angle 45°, from 1.05 s on",)
    lifted = {f"Fz_{corner}": np.where(growing > 1.0, 0.0, 4000.0) for corner in (Corner.FL, Corner.RL)}
    assert events_in(run(**lifted)) == ("both wheels on the left side are off the road, from 1.33 s on",)


def test_what_the_run_tells_goes_first() -> None:
    told = [
        {"event": "spin", "time_s": 1.0, "text": "it spins"},
        {"event": "beyond_maps", "time_s": 0.1, "text": "far"},
    ]
    assert events_in(Run(dict(run()), {"events": told})) == ("it spins",)
    assert events_in(run().slice(0.0, 1.0)) == ()
