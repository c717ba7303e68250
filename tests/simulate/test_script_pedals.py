"""What a script keeps of the pedal laws, row by row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from trackrod.core.series import Run
from trackrod.manoeuvres.controls import HoldSpeed, HoldThrottle, Pedals, PressBrake, SteerBy, SteerTo
from trackrod.manoeuvres.ends import After
from trackrod.manoeuvres.manoeuvre import KEEP_GEAR, NEUTRAL, Manoeuvre, Phase, Start
from trackrod.simulate.script import LEAD, scripted

STEP = 1e-3


@dataclass(frozen=True, kw_only=True)
class EveryLaw(Manoeuvre):
    name: ClassVar[str] = "every_law"
    title: ClassVar[str] = "for tests: every law that a script may hold, one after the other"

    def start(self) -> Start:
        return Start(20.0)

    def phases(self) -> tuple[Phase, ...]:
        sine = SteerBy(lambda t: 0.2 * np.sin(3.0 * t))
        ramp = Pedals(throttle=lambda t: 0.1 * t, brake=lambda t: 0.3 - 0.1 * t)
        one = (After(1.0),)
        return (
            Phase("faster", sine, HoldSpeed(20.0, rate=1.5), one),
            Phase("slower", sine, HoldSpeed(21.5, rate=-0.5), one),
            Phase("on", SteerTo(0.4, 2.0), HoldThrottle(), one),
            Phase("pedals", sine, ramp, one, gear=2),
            Phase("brake", sine, PressBrake(0.6, 0.5), one, gear=NEUTRAL),
        )


def reference() -> Run:
    """A record of five phases of a second each; the driver's last inputs are what a phase begins with."""
    t = np.arange(501) * 0.01
    columns = {"time_s": t, "gear": np.full(t.size, 4.0), "throttle": 0.3 + 0.0 * t, "brake": 0.1 + 0.0 * t}
    columns |= {"steering_wheel_angle_rad": 0.1 + 0.0 * t, "vx_mps": 20.0 + 0.0 * t}
    phases = [{"name": p.name, "start_s": float(i), "end_s": i + 1.0} for i, p in enumerate(EveryLaw().phases())]
    return Run(columns, {"manoeuvre": "every_law", "settings": {}, "phases": phases})


def test_every_law_is_written_down() -> None:
    assert EveryLaw().phases()[0].gear == KEEP_GEAR
    script = scripted(EveryLaw(), reference(), step=STEP)
    lead, t = round(LEAD / STEP), STEP * np.arange(1.0, 1001)
    assert script.lead == lead
    before, rows = script.controls[:lead], script.controls[lead:].reshape(5, 1000, 5)
    steering, throttle, brake, gear, speed = np.moveaxis(rows, -1, 0)
    held = np.array([20.0 + 1.5 * t, 21.5 - 0.5 * t])
    assert speed[:2] == pytest.approx(held)
    assert np.isnan(speed[2:]).all()
    assert np.isnan(throttle[:3]).all(), "found by the controller, or left where it is"
    assert throttle[3:] == pytest.approx(np.array([0.1 * t, 0.0 * t]))
    pressed = 0.1 + 0.5 * np.minimum(t / 0.5, 1.0)
    assert brake == pytest.approx(np.array([0.0 * t, 0.0 * t, 0.0 * t, 0.3 - 0.1 * t, pressed]))
    assert gear[:, 0] == pytest.approx([4, 4, 4, 2, NEUTRAL])
    assert steering[[0, 1, 3, 4]] == pytest.approx(np.tile(0.2 * np.sin(3.0 * t), (4, 1)))
    assert steering[2] == pytest.approx(0.1 + np.minimum(2.0 * t, 0.3))
    assert before == pytest.approx(np.tile([0.0, 0.0, 0.0, 4.0, 20.0], (lead, 1)))
