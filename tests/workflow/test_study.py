"""A study of a small vehicle against runs of a model whose parameters are known: what it finds, keeps and leaves."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reference import small_vehicle
from trackrod.convert.conversion import Compliance, assemble
from trackrod.core import signals
from trackrod.core.errors import ConvergenceError, InputError
from trackrod.core.series import Run
from trackrod.fit.objective import Objective
from trackrod.fit.outcome import Budget, Reason, SearchProgress
from trackrod.manoeuvres.registry import manoeuvre
from trackrod.reference import Longitudinal, Reference, ReferenceRun
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.spec import RtmSpec
from trackrod.simulate.drive import simulate
from trackrod.tune.other_tyres import other_tyres
from trackrod.tune.problem import TuningProblem
from trackrod.tune.space import Bounds
from trackrod.tune.study import StudyResult
from trackrod.tune.test import Test
from trackrod.workflow import study, study_folder
from trackrod.workflow.cache import CACHE_VARIABLE
from trackrod.workflow.request import StudyRequest
from trackrod.workflow.runner import run_stages
from trackrod.workflow.stage import Stage, Work
from trackrod.workflow.stages import hold_out, optimise, report, sensitivity
from trackrod.workflow.stages.read import READ, Subject
from trackrod.workflow.stages.report import REPORT, FinishedStudy, study_result
from trackrod.workflow.study import STAGES
from trackrod.workflow.study_folder import StudyFolder
from trackrod.workflow.study_settings import Mode, StudySettings

#: What the vehicle that was recorded has, as a share of the nominal values.
TRUTH = {"Izz": 1.06, "cg_to_front": 0.97}
STEP = {"steering_wheel_angle_deg": "40", "hold_s": "1.5", "delay_s": "0.1", "speed_kmh": "80"}
SINE = {"steering_wheel_angle_deg": "30", "frequency_Hz": "1", "after_s": "0.5", "speed_kmh": "70"}
SETTINGS = StudySettings(parameters=tuple(TRUTH))


@cache
def reference() -> Reference:
    """A step to tune with and a sine that is held out, driven by the vehicle that was recorded."""
    data, maps = small_vehicle.data(), small_vehicle.maps()
    conversion = assemble(data, maps)
    nominal = conversion.spec
    true = nominal.with_parameters(**{name: share * nominal.parameters[name] for name, share in TRUTH.items()})
    runs = {}
    for label, name, settings in (("step", "step_steer", STEP), ("sine", "single_sine", SINE)):
        run = simulate(RealTimeVehicle(true), manoeuvre(name, settings))
        runs[label] = ReferenceRun(name, run, Longitudinal.HOLD_SPEED, hold_out=label == "sine")
    return Reference("small", data, maps, conversion, runs, ())


class Watch:
    """Does something whenever the search tells how far it is."""

    def __init__(self, searching: Callable[[], None]) -> None:
        self.searching = searching

    def announce(self, stage: Stage[Any], what: str, share: float) -> None:
        pass

    def search(self, _now: SearchProgress) -> None:
        self.searching()


def run(
    folder: Path, settings: StudySettings = SETTINGS, of: Reference | None = None, watch: Watch | None = None
) -> StudyResult:
    """Every stage but the first, which reads files, and the last, which writes them."""
    stages = tuple(stage for stage in STAGES if stage not in (READ, REPORT))
    return study_result(run_stages(stages, (subject(folder, of), settings), watch))


def subject(folder: Path, of: Reference | None = None) -> Subject:
    return Subject(of or reference(), "a test", (), StudyFolder(folder))


def finish(folder: Path, settings: StudySettings = SETTINGS, of: Reference | None = None) -> FinishedStudy:
    """Every stage but the first."""
    return run_stages(STAGES[1:], (subject(folder, of), settings))[FinishedStudy]


@pytest.fixture(autouse=True)
def _quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Results are kept apart from those of the user; other manoeuvres are not looked at unless a test asks for it."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(sensitivity, "_CANDIDATES", ())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of the study below: what it computed is there."""
    return tmp_path_factory.mktemp("study")


@pytest.fixture(scope="module")
def result(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> StudyResult:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(CACHE_VARIABLE, str(tmp_path_factory.mktemp("cache")))
        patch.setattr(sensitivity, "_CANDIDATES", ("pulse",))
        return run(folder)


def test_what_was_recorded_is_found(result: StudyResult) -> None:
    nominal = reference().conversion.spec.parameters
    for name, share in TRUTH.items():
        assert result.tuned.parameters[name] == pytest.approx(share * nominal[name], rel=0.005), name
    assert result.outcome.value < 0.1 * result.objective_nominal
    assert all(item.identifiable and not item.on_bound for item in result.parameters)


def test_intervals_of_a_record_know_that_its_tyres_may_be_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[RtmSpec] = []

    def asking(spec: RtmSpec) -> Iterator[RtmSpec]:
        asked.append(spec)
        return other_tyres(spec)

    monkeypatch.setattr(optimise, "other_tyres", asking)
    run(tmp_path)
    assert [spec.parameters for spec in asked] == [reference().conversion.spec.parameters]


def test_what_was_held_out_is_better_too(result: StudyResult) -> None:
    step, sine = result.tests
    assert (step.label, step.hold_out) == ("step", False)
    assert (sine.label, sine.hold_out) == ("sine", True)
    for before, after in zip(sine.nominal_indices, sine.tuned_indices, strict=True):
        assert after.value_pct < 0.3 * before.value_pct + 0.1, after.name
    assert not any(block.manoeuvre == "sine" for block in result.outcome.blocks)


def test_other_manoeuvres_are_looked_at(result: StudyResult) -> None:
    assert [candidate.manoeuvre for candidate in result.candidates] == ["pulse"]


def test_the_error_budget_begins_with_the_tuned_model(result: StudyResult) -> None:
    first, *others = result.error_budget
    assert first.what == "the tuned model"
    tuned = {f"step: {index.name}": index.value_pct for index in result.tests[0].tuned_indices}
    assert first.indices == pytest.approx(tuned, abs=1e-6)
    assert {entry.what for entry in others} == {"without compliance", "1-D kinematics", "linear kinematics"}
    # The wheels give under side forces: a model without compliance turns in differently.
    without = next(entry for entry in others if entry.what == "without compliance")
    assert max(without.indices.values()) > 1.0 > max(first.indices.values())


@pytest.mark.parametrize(
    ("compliance", "tolerance", "ends_with", "said"),
    [
        ('["none", "quasi-static"]', 0.3, Compliance.QUASI_STATIC, "the study went on with quasi-static compliance"),
        ('["none", "quasi-static"]', 60.0, Compliance.NONE, ""),
        ('"none"', 0.3, Compliance.NONE, "the compliance of the model is 'none'"),
    ],
)
def test_a_study_goes_on_until_a_model_is_good_enough(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    compliance: str,
    tolerance: float,
    ends_with: Compliance,
    said: str,
) -> None:
    """Wheels give under side forces; whoever says that they may be taken as rigid learns that this is not enough."""
    stages = (replace(READ, run=lambda _work: subject(tmp_path)), *STAGES[1:-1], replace(REPORT, run=unwritten))
    monkeypatch.setattr(study, "STAGES", stages)
    monkeypatch.setattr(study, "_TUNING", stages[: [stage.name for stage in stages].index("optimise") + 1])
    config = tmp_path / "study.toml"
    config.write_text(
        f'[study]\nparameters = ["Izz", "cg_to_front"]\ncompliance = {compliance}\ntolerance_pct = {tolerance}\n'
    )
    found = study.run_study(StudyRequest(reference=tmp_path, config=config)).result
    assert Compliance.of(found.tuned) is ends_with
    texts = [problem.text for problem in found.problems if "compliance" in problem.text]
    assert [said in text for text in texts] == ([True] if said else [])


def unwritten(work: Work) -> FinishedStudy:
    """The last stage without its files."""
    return FinishedStudy(study_result(work), work[Subject].folder, (), {})


def test_limits_tell_where_it_was_compared(result: StudyResult) -> None:
    reached = [[float(np.abs(run[signals.AY]).max()) for run in (t.reference, t.tuned)] for t in result.tests]
    assert f"{max(min(both) for both in reached):.1f} m/s² lateral acceleration" in result.limits[0]
    assert result.summary()["compared"] == result.limits[0]


def test_records_without_every_signal(tmp_path: Path) -> None:
    """A step needs no longitudinal acceleration, and then nothing is said about it."""
    bare = {}
    for label, record in reference().runs.items():
        columns = {name: values for name, values in record.run.items() if name != signals.AX.column}
        bare[label] = replace(record, run=Run(columns, record.run.metadata))
    found = run(tmp_path, of=replace(reference(), runs=bare))
    assert "deceleration" not in found.limits[0]


def test_the_same_study_again_computes_nothing(
    result: StudyResult, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: object) -> None:
        pytest.fail("it was computed again")

    monkeypatch.setattr(TuningProblem, "linearise", refuse)
    again = run(folder)
    assert np.array_equal(again.outcome.z, result.outcome.z)
    assert again.outcome.value == result.outcome.value


def test_other_code_computes_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = replace(SETTINGS, budget=Budget(1))
    run(tmp_path, settings)
    before = set(StudyFolder(tmp_path).evaluations.glob("*/*.npz"))
    monkeypatch.setattr(study_folder, "code_hash", lambda _maker: "another")
    run(tmp_path, settings)
    after = set(StudyFolder(tmp_path).evaluations.glob("*/*.npz"))
    assert len(after) == 2 * len(before)


def test_ctrl_c_during_the_search_keeps_the_best(tmp_path: Path) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    found = run(tmp_path, replace(SETTINGS, optimiser="pattern-search"), watch=Watch(interrupt))
    assert found.outcome.reason is Reason.INTERRUPTED
    assert found.outcome.value <= found.objective_nominal * (1 + 1e-9)
    assert [test.label for test in found.tests] == ["step", "sine"]
    assert np.isfinite([item.interval for item in found.parameters]).all()


@pytest.mark.usefixtures("result")
def test_ctrl_c_elsewhere_is_passed_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(hold_out, "_run", interrupt)
    with pytest.raises(KeyboardInterrupt):
        run(folder)


@pytest.mark.usefixtures("result")
def test_a_breakdown_of_what_is_held_out_is_said(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    driven = hold_out._run

    def break_down(test: Test, model: RtmSpec) -> Run:
        if test.label == "sine":
            raise ConvergenceError("it rolls over")
        return driven(test, model)

    monkeypatch.setattr(hold_out, "_run", break_down)
    found = run(folder)
    assert [test.label for test in found.tests] == ["step"]
    assert [str(problem) for problem in found.problems] == ["warning: 'sine' is not held out: it rolls over"]


def test_weights_for_what_is_not_compared(tmp_path: Path) -> None:
    settings = replace(SETTINGS, objective=Objective(weights={("step", "yaw rat"): 2.0}))
    with pytest.raises(InputError, match="'yaw rate'"):
        run(tmp_path, settings)


def test_what_does_not_fit_the_model_is_said_before_it_drives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TuningProblem, "linearise", lambda *_arguments: pytest.fail("it drove"))
    with pytest.raises(InputError, match="is not between its bounds"):
        run(tmp_path, replace(SETTINGS, bounds={"Izz": Bounds(1.0, 2.0)}))
    with pytest.raises(InputError, match="'K_umF'"):  # a reference does not tell what the links weigh
        run(tmp_path, replace(SETTINGS, parameters=("K_umF",)))


def test_a_reference_of_hold_outs_only(tmp_path: Path) -> None:
    runs = {label: replace(record, hold_out=True) for label, record in reference().runs.items()}
    with pytest.raises(InputError, match="all are held out"):
        run(tmp_path, of=replace(reference(), runs=runs))


def test_manoeuvres_of_the_study_file_are_not_driven_by_a_record(tmp_path: Path) -> None:
    settings = replace(SETTINGS, hold_out=(), budget=Budget(1))
    (problem,) = run(tmp_path, settings).problems
    assert "only the weights count" in problem.text


# --- the folder ---


@pytest.mark.usefixtures("result")
def test_the_summary_comes_last(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "write_study_report", lambda *_arguments, **_options: [])
    written = finish(folder)
    summary = written.folder.summary
    assert written.files[-1] == summary
    data = json.loads(summary.read_text())
    assert data == json.loads(json.dumps(written.summary))
    assert list(written.summary["seconds"]) == [*(stage.name for stage in STAGES[1:]), "total"]
    assert "report" not in written.result.seconds  # it is not known while the report is written

    def fail(*_arguments: object, **_options: object) -> None:
        raise InputError("the disk is full")

    monkeypatch.setattr(report, "write_study_report", fail)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with pytest.raises(InputError, match="full"):
        finish(folder)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before  # all of one study


def test_labels_never_lead_out_of_the_folder(result: StudyResult, tmp_path: Path) -> None:
    labels = ("../../step", "step", "STEP", "step!", "…")
    step = result.tests[0]
    tests = tuple(replace(step, test=replace(step.test, label=label)) for label in labels)
    folder = tmp_path / "deep" / "deeper" / "out"
    with StudyFolder(folder).renewed() as new:
        runs = report._write_runs(replace(result, tests=tests), StudyFolder(folder), new)
        new.summary.write_text("{}")
    assert len({path.name.casefold() for path in runs}) == len(runs) == 3 * len(labels)
    assert {path.parent for path in runs} == {folder / "runs"}
    assert set(tmp_path.rglob("*.csv")) == set(runs)


def test_what_has_no_percentage_is_null(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A parameter whose nominal value is zero has a change, but none in percent."""
    monkeypatch.setattr(report, "write_study_report", lambda *_arguments, **_options: [])
    data = small_vehicle.data()
    assert data.air is not None
    calm = replace(reference(), data=replace(data, air=replace(data.air, drag=0.0)))
    settings = StudySettings(Mode.EXPERT, parameters=("Izz", "drag"), bounds={"drag": Bounds(-0.5, 0.5)})
    _, drag = json.loads(finish(tmp_path, settings, calm).folder.summary.read_text())["parameters"]
    assert (drag["name"], drag["nominal"], drag["change_pct"]) == ("drag", 0.0, None)
    assert abs(drag["optimised"]) <= 0.5
