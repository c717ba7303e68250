"""What the reference drives: what it cannot is said, what it did is kept, mistakes come before long work."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rtm.converted_vehicles import maps, spec_of, vehicle
from trackrod.convert.conversion import Detail, convert
from trackrod.core.errors import ConvergenceError, InputError, Severity
from trackrod.core.series import Run
from trackrod.manoeuvres.courses import DoubleLaneChange
from trackrod.manoeuvres.manoeuvre import AUTOMATIC, Manoeuvre
from trackrod.manoeuvres.registry import manoeuvre
from trackrod.multibody import integrators
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.script import Script
from trackrod.tune.space import Bounds
from trackrod.vehicle.systems import PayloadLevel
from trackrod.vehicle.vehicle import Vehicle
from trackrod.workflow import multibody_runs
from trackrod.workflow.cache import CACHE_VARIABLE
from trackrod.workflow.comparison import compare_models
from trackrod.workflow.runner import run_stages
from trackrod.workflow.stages import kc
from trackrod.workflow.stages.convert import CONVERT, Converted
from trackrod.workflow.stages.kc import KC
from trackrod.workflow.stages.read import Subject
from trackrod.workflow.stages.reference import REFERENCE, Driven
from trackrod.workflow.study_folder import StudyFolder
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

    plain = multibody_runs.simulate
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(multibody_runs, "simulate", simulate)
    monkeypatch.setattr(kc, "kc_maps", lambda _vehicle, _settings: maps(CAR))
    monkeypatch.setattr(integrators, "MultibodyVehicle", lambda _, **__: RealTimeVehicle(spec_of(CAR)))
    return names


def subject(name: str) -> Subject:
    return Subject(vehicle(name), "a test", (), StudyFolder(Path("nowhere")))


def drive(settings: StudySettings, name: str = CAR) -> Driven:
    """On the rig, converted, driven."""
    return run_stages((KC, CONVERT, REFERENCE), (subject(name), settings))[Driven]


def test_what_is_tuned_with_gears_of_the_reference_is_proven_with_its_own(driven: list[str]) -> None:
    """One run of the reference, two tests of the model; where it is only held out, or in one gear, there is one."""
    faster = PlannedTest("faster", manoeuvre("acceleration", {"first_speed_kmh": "40", "last_speed_kmh": "75"}))
    found = drive(replace(SETTINGS, tests=(faster, PULSE)))
    assert [test.label for test in found.tests] == ["faster", "pulse", "faster, its own gears", "sine"]
    assert sorted(driven) == ["acceleration", "pulse", "single_sine"]
    given, own = found.tests[0], found.tests[2]
    assert own.hold_out
    assert own.reference is given.reference
    assert np.unique(given.script.controls[given.script.lead :, 3]).size > 1
    assert (own.script.controls[-1000:, 3] == AUTOMATIC).all()
    held = drive(replace(SETTINGS, hold_out=(faster,))).held_out
    assert [test.script.key for test in held] == [own.script.key]


def test_what_was_driven_is_kept(driven: list[str]) -> None:
    first = drive(SETTINGS)
    assert sorted(driven) == ["pulse", "single_sine"]
    again = drive(SETTINGS)
    assert len(driven) == 2
    for one, other in zip(first.tests, again.tests, strict=True):
        assert one.label == other.label
        assert all((one.reference[column] == other.reference[column]).all() for column in one.reference)
        assert isinstance(one.driver, Script)
        assert one.driver.key == other.script.key
    slower = replace(SETTINGS, hold_out=(PlannedTest("sine", manoeuvre("single_sine", {"speed_kmh": "50"})),))
    drive(slower)
    assert driven[2:] == ["ramp_steer", "single_sine"]  # its amplitude is searched


def test_a_payload_that_there_is_not(driven: list[str]) -> None:
    laden = replace(SINE, label="sine, laden", payload=PayloadLevel.LADEN)
    assert vehicle(CAR).payload is None
    found = drive(replace(SETTINGS, hold_out=(SINE, laden)))
    assert [test.label for test in found.held_out] == ["sine"]
    (problem,) = (p for p in found.problems if "laden" in p.text)
    assert problem.severity is Severity.NOTE
    assert problem.text == f"'sine, laden' is left out: '{CAR}' has no payload"
    assert sorted(driven) == ["pulse", "single_sine"]


def test_what_is_held_out_may_fail_and_what_is_tuned_with_may_not(monkeypatch: pytest.MonkeyPatch) -> None:
    def simulate(model: Any, wanted: Manoeuvre, **options: Any) -> Run:
        if wanted.name == "pulse":
            raise ConvergenceError("it rolls over")
        return plain(model, wanted, **options)

    plain = multibody_runs.simulate
    monkeypatch.setattr(multibody_runs, "simulate", simulate)
    found = drive(replace(SETTINGS, tests=(SINE,), hold_out=(PULSE,)))
    assert found.held_out == ()
    assert [str(p) for p in found.problems] == ["warning: 'pulse' is not held out: it rolls over"]
    with pytest.raises(ConvergenceError, match="it rolls over"):
        drive(SETTINGS)


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

    monkeypatch.setattr(multibody_runs, "simulate", simulate)
    many = tuple(replace(SINE, label=str(k)) for k in range(100))
    with pytest.raises(ConvergenceError, match="it rolls over"):
        drive(replace(SETTINGS, hold_out=many))
    assert len(ended) < 50


def test_a_study_begins_where_it_is_told_to() -> None:
    """Whatever the shares of unsprung masses."""
    start = {"sprung_mass": 0.9, "cg_height": 1.1}
    plain, other = (
        run_stages((KC, CONVERT), (subject(CAR), replace(SETTINGS, parameters=None, start=factors)))[Converted].space
        for factors in ({}, start)
    )
    z = np.linspace(-0.5, 0.5, len(plain.names))
    before, after = plain.parameters(z), other.parameters(z)
    assert {key: after[key] / before[key] for key in before if after[key] != before[key]} == pytest.approx(start)
    with pytest.raises(InputError, match="no body has principal moments"):
        run_stages((KC, CONVERT), (subject(CAR), replace(SETTINGS, start={"Izz": 3.0})))


def test_parameters_that_do_not_fit_are_said_before_anything_is_driven(driven: list[str]) -> None:
    with pytest.raises(InputError, match="'Izz' is not between its bounds 1 and 2"):
        drive(replace(SETTINGS, bounds={"Izz": Bounds(1.0, 2.0)}))
    with pytest.raises(InputError, match="which is not tuned"):
        drive(replace(SETTINGS, ranges={"Ixx": 0.1}))
    assert driven == []


COURSE = PlannedTest("course", manoeuvre("double_lane_change", {"speed_kmh": "40"}))


def test_settings_that_were_found_stay_what_they_are(driven: list[str]) -> None:
    """From the cache too; nothing is read back from the texts of a run."""
    settings = replace(SETTINGS, hold_out=(COURSE,))
    first, again = drive(settings).held_out[0], drive(settings).held_out[0]
    assert sorted(driven) == ["double_lane_change", "pulse", "ramp_steer"]  # the ramp gives the gain of the driver
    assert isinstance(first.driver, DoubleLaneChange)
    assert first.driver == again.driver
    assert first.driver.angle_per_curvature_radm is not None
    assert first.driver.values() == first.reference.metadata["settings"]


def test_settings_do_not_depend_on_the_model_that_is_judged(driven: list[str]) -> None:
    """A model with less of its kinematics is driven with the same gain, and nothing is driven anew."""
    settings = replace(SETTINGS, hold_out=(COURSE,))
    whole, less = drive(settings), drive(replace(settings, detail=Detail.LINEAR))
    assert len(driven) == 3
    assert whole.held_out[0].driver == less.held_out[0].driver


def test_one_amplitude_whoever_asks() -> None:
    """`convert` and `compare` drive the same manoeuvre, down to the last digit."""
    sweep = manoeuvre("single_sine", {"speed_kmh": "60", "target_ay_g": "0.2", "after_s": "0.5"})
    converted = drive(replace(SETTINGS, hold_out=(PlannedTest("sine", sweep),))).held_out[0]
    compared = compare_models(vehicle(CAR), sweep, convert(vehicle(CAR), maps(CAR)))
    assert compared.manoeuvre.values() == converted.reference.metadata["settings"]
    assert compared.manoeuvre.steering_wheel_angle_deg is not None


def test_another_payload_has_its_own_vehicle_and_its_own_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings are found with the vehicle that then drives."""
    van, driving = "lcv_3t5", []

    def multibody(loaded: Vehicle, **_: object) -> RealTimeVehicle:
        assert loaded.payload is not None
        driving.append(loaded.payload.level)
        return RealTimeVehicle(spec_of(van))

    monkeypatch.setattr(kc, "kc_maps", lambda _vehicle, _settings: maps(van))
    monkeypatch.setattr(integrators, "MultibodyVehicle", multibody)
    payload = vehicle(van).payload
    assert payload is not None
    assert payload.level is not PayloadLevel.HALF
    searched = manoeuvre("single_sine", {"speed_kmh": "60", "target_ay_g": "0.2", "after_s": "0.5"})
    half = PlannedTest("sine, half", searched, PayloadLevel.HALF)
    done = drive(replace(SETTINGS, hold_out=(half,), start={"sprung_mass": 0.9}), van)
    assert [(test.label, test.payload) for test in done.tests] == [("pulse", None), ("sine, half", PayloadLevel.HALF)]
    assert sorted(driving) == sorted((payload.level, PayloadLevel.HALF, PayloadLevel.HALF))  # ramp and sine
    masses = {level: model.parameters["sprung_mass"] for level, model in done.models.items()}
    for level, of in ((None, vehicle(van)), (PayloadLevel.HALF, vehicle(van).with_payload(PayloadLevel.HALF))):
        assert masses[level] == pytest.approx(0.9 * convert(of, maps(van)).spec.parameters["sprung_mass"])
    assert masses[None] != masses[PayloadLevel.HALF]
