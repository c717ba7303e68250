"""Which step a run of the reference is driven with: shorter ones where the numbers break down, and only there."""

from __future__ import annotations

import numpy as np
import pytest

from rtm.converted_vehicles import vehicle
from trackrod.core import signals
from trackrod.core.series import Run
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.manoeuvres.registry import manoeuvre
from trackrod.workflow import reference_runs
from trackrod.workflow.reference_runs import reference_run

PULSE, ROAD = manoeuvre("pulse", {}), manoeuvre("random_road", {})


def steps_driven(
    monkeypatch: pytest.MonkeyPatch, wanted: Manoeuvre, ends: dict[float, list[str]], steps: tuple[float, ...] = ()
) -> list[float]:
    """Steps of the runs [s] where each ends with the events of its step, in the order in which they were driven."""
    driven: list[float] = []

    def kept_run(
        _make: object, _vehicle: object, _manoeuvre: object, integrator: object, *_: object, **__: object
    ) -> Run:
        step = integrator.step  # type: ignore[attr-defined]
        driven.append(step)
        events = [{"event": kind} for kind in ends.get(step, [])]
        return Run({signals.TIME.column: np.arange(2.0)}, {"events": events, "completed": not events})

    monkeypatch.setattr(reference_runs, "kept_run", kept_run)
    reference_run(vehicle("double_wishbone_car"), wanted, steps=steps)
    return driven


@pytest.mark.parametrize("end", ["spin", "off_road", "broken_off", "wheel_lift roll_over"])
def test_what_ends_the_vehicle_is_not_driven_again(monkeypatch: pytest.MonkeyPatch, end: str) -> None:
    events = dict.fromkeys((5e-3, 1e-3), end.split())
    assert steps_driven(monkeypatch, PULSE, events) == [1e-3]
    # the step of a search is too long for what is fast: it is not believed
    assert steps_driven(monkeypatch, PULSE, events, (5e-3,)) == [5e-3, 1e-3]


@pytest.mark.parametrize("end", ["no_solution", "not_settled", "roll_over", "wheel_lift no_solution"])
def test_numbers_that_break_down_take_a_shorter_step(monkeypatch: pytest.MonkeyPatch, end: str) -> None:
    """A vehicle that lies on its side without having lifted a wheel is such a case."""
    assert steps_driven(monkeypatch, PULSE, {1e-3: end.split()}) == [1e-3, 0.25e-3]
    assert steps_driven(monkeypatch, ROAD, {0.25e-3: end.split()}) == [0.25e-3]


def test_the_first_step_that_completes_a_run_is_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    assert steps_driven(monkeypatch, PULSE, {}, (5e-3,)) == [5e-3]
    assert steps_driven(monkeypatch, PULSE, {}) == [1e-3]
