"""From choices to command lines: the words are those of the commands, and no field names a file of the machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from trackrod.core.errors import InputError
from trackrod.web import commands
from trackrod.web.study_form import changed, number_of, parameter_names, usual
from trackrod.web.workspace import Workspace
from trackrod.workflow.study_settings import STUDY_KEYS, StudySettings, read_study_file


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


def test_the_whole_draft_is_the_standard_study(tmp_path: Path) -> None:
    draft = commands.full_draft()
    (tmp_path / "study.toml").write_text(commands.draft_text(draft))
    said, usual = read_study_file(tmp_path / "study.toml"), StudySettings()
    assert [(t.label, t.manoeuvre, t.payload) for t in said.tests] == [
        (t.label, t.manoeuvre, t.payload) for t in usual.tests
    ]
    assert [(t.label, t.manoeuvre, t.payload) for t in said.hold_out] == [
        (t.label, t.manoeuvre, t.payload) for t in usual.hold_out
    ]
    assert commands.draft_of(commands.draft_text(draft)) == draft


def test_standard_mode_takes_tolerance_and_time_alone() -> None:
    draft = {**commands.full_draft(), "study": {"seed": 4, "tolerance_pct": 3.0, "seconds": 60}}
    standard = commands.convert("suv", "suv", draft, expert=False)
    assert standard.files == {"study.toml": "[study]\ntolerance_pct = 3.0\nseconds = 60\n"}
    expert = commands.convert("suv", "suv", draft, expert=True, options={"payload": "half"})
    assert expert.words == ("convert", "suv", "--config", "study.toml", "--out", "out", "--payload", "half")
    assert "[tune.ramp_steer]" in expert.files["study.toml"]
    assert commands.convert("suv", "suv", {}, expert=True).words == ("convert", "suv", "--out", "out")


@pytest.mark.parametrize(
    "text",
    [
        '[tune.x]\nmanoeuvre = "recorded"\nfile = "/etc/passwd"\n',
        '[hold_out.recorded]\nfile = "../../secret.csv"\n',
    ],
)
def test_no_study_file_reads_files_of_the_machine(text: str) -> None:
    with pytest.raises(InputError, match="reads none outside its workspace"):
        commands.draft_of(text)
    with pytest.raises(InputError, match="reads none outside"):
        commands.compare("suv", "suv", "recorded", {"file": "/etc/passwd"})


def test_no_study_file_runs_files_of_the_machine(tmp_path: Path) -> None:
    """A plugin is run as soon as its study is read: the workbench does not read such a study."""
    ran = tmp_path / "ran"
    (tmp_path / "evil.py").write_text(f"open({str(ran)!r}, 'w').close()\n")
    text = f"[study]\nplugins = [{str(tmp_path / 'evil.py')!r}]\n"
    with pytest.raises(InputError, match="the workbench runs none"):
        commands.draft_of(text)
    with pytest.raises(InputError, match="the workbench runs none"):
        commands.convert("suv", "suv", {"study": {"plugins": [str(tmp_path / "evil.py")]}}, expert=True)
    assert not ran.exists()


def test_what_is_wrong_is_said_as_on_the_command_line() -> None:
    with pytest.raises(InputError) as caught:
        commands.draft_of("[study]\noptimizer = 'x'\nseed = -1\n")
    sentences = [str(problem) for problem in caught.value.problems]
    assert sentences[0] == "study.toml:2: error: 'optimizer' is no key of [study] (did you mean 'optimiser'?)"
    assert "study.toml:3" in sentences[1]
    with pytest.raises(InputError, match="speed_kmh"):
        commands.compare("suv", "suv", "step_steer", {"speed_kmh": "fast"})
    with pytest.raises(InputError, match="1 MiB"):
        commands.draft_of("#" * (2**20 + 1))


@pytest.mark.parametrize("name", ["../..", "/etc", "nowhere", ""])
def test_campaigns_and_criteria_are_those_of_the_workspace(workspace: Workspace, name: str) -> None:
    for make in (
        lambda: commands.validate(workspace, 1, name, "tolerance_5_percent"),
        lambda: commands.estimate(workspace, "suv", "suv", name),
        lambda: commands.channels(workspace, name),
        lambda: commands.plan(workspace, "suv", "suv", name or "../x.toml"),
        lambda: commands.envelope(workspace, "suv", "suv", name or "../x.toml"),
    ):
        with pytest.raises(InputError):
            make()


def test_a_draft_is_changed_at_one_place() -> None:
    draft: dict[str, Any] = {"study": {"seed": 1}, "tune": {"a": {"weight": 2}}}
    assert changed(draft, ("study", "seed"), 2)["study"] == {"seed": 2}
    assert changed(draft, ("study", "seed"), None) == {"tune": {"a": {"weight": 2}}}
    assert changed(draft, ("start", "Izz"), 1.1)["start"] == {"Izz": 1.1}
    assert changed(draft, ("tune", "a"), None)["tune"] == {}
    assert draft == {"study": {"seed": 1}, "tune": {"a": {"weight": 2}}}


def test_fields_hold_what_the_reader_can_judge() -> None:
    assert number_of("3", whole=True) == 3
    assert isinstance(number_of("3", whole=True), int)
    assert number_of("3.5", whole=True) == 3.5
    assert number_of("x", whole=True) == "x"
    assert number_of("", whole=True) is None
    assert {"sprung_mass", "K_umF", "Iyy"} <= set(parameter_names())


def test_every_field_has_a_name_with_its_unit_and_says_what_is_usual() -> None:
    units = {"pct": "[%]", "mm": "[mm]", "seconds": "[s]"}
    for key, declared in STUDY_KEYS.items():
        assert "_" not in declared.title
        assert declared.title.endswith(units.get(key.rpartition("_")[2], ""))
    assert set(usual()) == set(STUDY_KEYS) - {"parameters", "plugins"}
    names = parameter_names()
    assert names["Izz"] == "yaw inertia (Izz)"
    assert names["gravity"] == "gravity"


def test_every_choice_of_the_form_is_one_of_the_reader(tmp_path: Path) -> None:
    """Words that the form offers are words that the file may hold."""
    for key, declared in STUDY_KEYS.items():
        for word in declared.choices:
            (tmp_path / "s.toml").write_text(f'[study]\n{key} = "{word}"\n')
            read_study_file(tmp_path / "s.toml")
