"""What a study starts from: what cannot be driven is said, what was driven is kept, mistakes come before long work."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from trackrod.workflow.study_input import input_from_vehicle

from rtm.converted_vehicles import maps, spec_of, vehicle
from trackrod.core.errors import ConvergenceError, InputError, Severity
from trackrod.core.series import Run
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.manoeuvres.registry import manoeuvre
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.tune.space import Bounds
from trackrod.vehicle.systems import PayloadLevel
from trackrod.workflow import study_input
from trackrod.workflow.cache import CACHE_VARIABLE
from trackrod.workflow.study_settings import PlannedTest, StudySettings

CAR = "double_wishbone_car"
PULSE = PlannedTest(
    "pulse", manoeuvre("pulse", {"speed_kmh": "60", "steering_wheel_angle_deg": "20", "after_s": "0.5"})
)
SINE = PlannedTest(
    "sine", manoeuvre("single_sine", {"speed_kmh": "60", "steering_wheel_angle_deg": "20", "after_s": "0.5"})
)
SETTINGS = StudySettings(tests=(PULSE,), hold_out=(SINE,), parameters=("Izz",))


@pytest.fixture(autouse=True)
def driven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of what the reference drives; a real-time model stands in for the multibody model, which takes longer."""
    names: list[str] = []

    def simulate(model: Any, wanted: Manoeuvre, **options: Any) -> Run:
        names.append(wanted.name)
        return plain(model, wanted, **options)

    plain = study_input.simulate
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(study_input, "simulate", simulate)
    monkeypatch.setattr(study_input, "characterised", lambda _vehicle: maps(CAR))
    monkeypatch.setattr(
        study_input, "MultibodyVehicle", lambda _vehicle, step: RealTimeVehicle(spec_of(CAR), step=step)
    )
    return names


def test_what_was_driven_is_kept(driven: list[str]) -> None:
    first = input_from_vehicle(vehicle(CAR), SETTINGS)
    assert sorted(driven) == ["pulse", "single_sine"]
    again = input_from_vehicle(vehicle(CAR), SETTINGS)
    assert len(driven) == 2
    for one, other in zip((*first.tests, *first.hold_out), (*again.tests, *again.hold_out), strict=True):
        assert one.label == other.label
        assert all((one.reference[column] == other.reference[column]).all() for column in one.reference)
    slower = replace(SETTINGS, hold_out=(PlannedTest("sine", manoeuvre("single_sine", {"speed_kmh": "50"})),))
    input_from_vehicle(vehicle(CAR), slower)
    assert driven[2:] == ["single_sine"]


def test_a_payload_that_there_is_not(driven: list[str]) -> None:
    laden = replace(SINE, label="sine, laden", payload=PayloadLevel.LADEN)
    assert vehicle(CAR).payload is None
    found = input_from_vehicle(vehicle(CAR), replace(SETTINGS, hold_out=(SINE, laden)))
    assert [test.label for test in found.hold_out] == ["sine"]
    (problem,) = (p for p in found.problems if "laden" in p.text)
    assert problem.severity is Severity.NOTE
    assert problem.text == f"'sine, laden' is left out: '{CAR}' has no payload"
    assert sorted(driven) == ["pulse", "single_sine"]


def test_what_is_held_out_may_fail_and_what_is_tuned_with_may_not(monkeypatch: pytest.MonkeyPatch) -> None:
    def simulate(model: Any, wanted: Manoeuvre, **options: Any) -> Run:
        if wanted.name == "pulse":
            raise ConvergenceError("it rolls over")
        return plain(model, wanted, **options)

    plain = study_input.simulate
    monkeypatch.setattr(study_input, "simulate", simulate)
    found = input_from_vehicle(vehicle(CAR), replace(SETTINGS, tests=(SINE,), hold_out=(PULSE,)))
    assert found.hold_out == ()
    assert [str(p) for p in found.problems] == ["warning: 'pulse' is not held out: it rolls over"]
    with pytest.raises(ConvergenceError, match="it rolls over"):
        input_from_vehicle(vehicle(CAR), SETTINGS)


def test_after_a_failure_the_others_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also what Ctrl-C does: nobody waits for manoeuvres that are no longer wanted."""
    ended: list[str] = []

    def simulate(_model: object, wanted: Manoeuvre, *, progress: Callable[[str, float], None], **_: object) -> Run:
        if wanted.name == "pulse":
            raise ConvergenceError("it rolls over")
        try:
            for _ in range(6000):
                time.sleep(0.01)
                progress("phase", 0.0)
        finally:
            ended.append(wanted.name)
        pytest.fail("it was driven to its end")

    monkeypatch.setattr(study_input, "simulate", simulate)
    many = tuple(replace(SINE, label=str(k)) for k in range(100))
    with pytest.raises(ConvergenceError, match="it rolls over"):
        input_from_vehicle(vehicle(CAR), replace(SETTINGS, hold_out=many))
    assert len(ended) < 50


def test_parameters_that_do_not_fit_are_said_before_anything_is_driven(driven: list[str]) -> None:
    with pytest.raises(InputError, match="'Izz' is not between its bounds 1 and 2"):
        input_from_vehicle(vehicle(CAR), replace(SETTINGS, bounds={"Izz": Bounds(1.0, 2.0)}))
    with pytest.raises(InputError, match="which is not tuned"):
        input_from_vehicle(vehicle(CAR), replace(SETTINGS, ranges={"Ixx": 0.1}))
    assert driven == []
