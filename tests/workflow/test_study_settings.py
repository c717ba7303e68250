"""Study files: what they say is done, and what is wrong in them is said with its line, all at once."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackrod.convert.conversion import Detail
from trackrod.core.errors import InputError, MissingFileError, Problem
from trackrod.manoeuvres.registry import manoeuvre
from trackrod.tune.space import Bounds
from trackrod.vehicle.systems import PayloadLevel
from trackrod.workflow.study_settings import (
    _PARAMETER_KEYS,
    _TEST_KEYS,
    STUDY_KEYS,
    Mode,
    StudySettings,
    read_study_file,
)

EVERYTHING = """
[study]
mode = "expert"
optimiser = "pattern-search"
seed = 3
tolerance_pct = 4
penalty = 0
evaluations = 100
seconds = 60
range_pct = 10
detail = "1d"
travel_mm = 110
parameters = ["Izz", "Iyy", "K_umF", "sprung_mass"]

[tune.step_steer]
speed_kmh = 90
weight = 2

[tune.gentle]
manoeuvre = "step_steer"
speed_kmh = 60
direction = "right"
weights = { "yaw rate" = 0.5 }

[hold_out."other load"]
manoeuvre = "step_steer"
payload = "kerb"

[parameters.Izz]
lower = 1000
upper = 3000.5

[parameters.sprung_mass]
range_pct = 5

[start]
sprung_mass = 0.9
Iyy = 1.1
"""


def read(folder: Path, text: str, mode: Mode | None = None) -> StudySettings:
    path = folder / "study.toml"
    path.write_text(text, encoding="utf-8")
    return read_study_file(path, mode)


def wrong(folder: Path, text: str, mode: Mode | None = None) -> list[tuple[int | None, str]]:
    """Lines and messages of what is wrong."""
    with pytest.raises(InputError) as raised:
        read(folder, text, mode)
    assert {problem.place.file for problem in raised.value.problems} == {folder / "study.toml"}
    return [(problem.place.line, f"{problem.text} ({problem.hint})") for problem in raised.value.problems]


def test_every_key(tmp_path: Path) -> None:
    found = read(tmp_path, EVERYTHING)
    assert found.travel == 0.11
    assert (found.mode, found.optimiser, found.seed, found.detail) == (
        Mode.EXPERT,
        "pattern-search",
        3,
        Detail.ONE_DIMENSIONAL,
    )
    assert (found.objective.tolerance_pct, found.objective.penalty) == (4.0, 0.0)
    assert found.objective.weights == {"step_steer": 2.0, ("gentle", "yaw rate"): 0.5}
    assert (found.budget.evaluations, found.budget.seconds) == (100, 60.0)
    assert found.parameters == ("Izz", "Iyy", "K_umF", "sprung_mass")
    assert found.relative == pytest.approx(0.1)
    assert found.bounds == {"Izz": Bounds(1000.0, 3000.5)}
    assert found.ranges == {"sprung_mass": pytest.approx(0.05)}
    assert found.start == {"sprung_mass": 0.9, "Iyy": 1.1}
    fast, gentle = found.tests
    assert fast.manoeuvre == manoeuvre("step_steer", {"speed_kmh": "90"})
    assert (gentle.label, gentle.manoeuvre) == (
        "gentle",
        manoeuvre("step_steer", {"speed_kmh": "60", "direction": "right"}),
    )
    (held,) = found.hold_out
    assert (held.label, held.manoeuvre.name, held.payload) == ("other load", "step_steer", PayloadLevel.KERB)


def test_the_example_of_the_page(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "convert.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    found = read(tmp_path, example)
    assert [test.label for test in found.tests] == ["step_steer", "gentle_step"]
    assert [test.label for test in found.hold_out] == ["double_lane_change", "step, unladen"]
    keys = {line.partition("=")[0].strip() for line in example.splitlines() if "=" in line}
    missing = {*STUDY_KEYS, *_TEST_KEYS, *_PARAMETER_KEYS} - keys
    assert missing == {"plugins", "screening", "variance"}  # which the page names among its limits


def test_an_empty_file_changes_nothing(tmp_path: Path) -> None:
    assert read(tmp_path, "") == StudySettings()
    assert read(tmp_path, "", Mode.EXPERT) == StudySettings(mode=Mode.EXPERT)


def test_the_command_line_prevails_over_the_mode(tmp_path: Path) -> None:
    assert read(tmp_path, '[study]\nmode = "standard"\nparameters = ["Iyy"]', Mode.EXPERT).parameters == ("Iyy",)
    (only,) = wrong(tmp_path, '[study]\nmode = "expert"\nparameters = ["Iyy"]', Mode.STANDARD)
    assert only == (3, "'Iyy' is tuned in expert mode only (--mode expert, or mode = \"expert\" in [study])")


def test_default_hold_outs_that_are_tuned_with_are_not_held_out(tmp_path: Path) -> None:
    usual = {test.label for test in StudySettings().hold_out}
    found = read(tmp_path, '[tune.brake_in_turn]\nradius_m = 60\n[tune.mine]\nmanoeuvre = "step_steer"\n')
    assert {test.label for test in found.hold_out} == usual - {"brake_in_turn"}


def test_what_is_tuned_with_cannot_be_held_out(tmp_path: Path) -> None:
    same_label = "[tune.pulse]\n[hold_out.pulse]\nspeed_kmh = 60\n"
    same_test = '[tune.pulse]\n[hold_out.another]\nmanoeuvre = "pulse"\n'
    for text in (same_label, same_test):
        ((line, said),) = wrong(tmp_path, text)
        assert line == 2
        assert "is held out and used for tuning" in said
    laden = read(tmp_path, same_test + 'payload = "laden"\n')
    assert laden.hold_out[0].payload is PayloadLevel.LADEN


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("[studdy]", 1, "'studdy' is no table (did you mean 'study'?)"),
        ("[study]\n\noptimizer = 3", 3, "'optimizer' is no key of [study] (did you mean 'optimiser'?)"),
        ("study.tolerance = 3", 1, "tolerance_pct"),
        ("# seed = 1\n[study]\n# seed\nseed = -1", 4, "seed is -1 (a whole number of 0 or more is needed)"),
        ("[study]\nseed = true", 2, "seed is True"),
        ('[study]\noptimiser = "newton"', 2, "one of gauss-newton, pattern-search, nomad, homotopy, global"),
        ("[study]\noptimiser = [1]", 2, "optimiser is [1]"),
        ("[study]\ntolerance_pct = 0", 2, "a number above 0"),
        ("[study]\ntolerance_pct = inf", 2, "tolerance_pct is inf"),
        ("[study]\npenalty = -1", 2, "a number of 0 or more"),
        ("[study]\npenalty = nan", 2, "penalty is nan"),
        ("[study]\nevaluations = 0", 2, "a whole number above 0"),
        ('[study]\nseconds = "1"', 2, "a number above 0"),
        ("[study]\nrange_pct = 100", 2, "below 100"),
        ("[study]\ntravel_mm = 300", 2, "below 300"),
        ('[study]\ndetail = "3d"', 2, "one of linear, 1d, 2d"),
        ('[study]\ncompliance = "some"', 2, "one of moving, quasi-static, none"),
        ('[study]\ncompliance = ["none", "some"]', 2, "a list of these in the order in which they are tried"),
        ('[study]\ncompliance = ["none", "none"]', 2, "a list of these"),
        ("[study]\ncompliance = []", 2, "a list of these"),
        ("[study]\ncompliance = [[]]", 2, "a list of these"),
        ("[study]\ncompliance = 3", 2, "a list of these"),
        ('[study]\nmode = "export"', 2, "one of standard, expert"),
        ('[study]\nparameters = "Izz"', 2, "a list of names"),
        ("[study]\nparameters = []", 2, "a list of names"),
        ('[study]\nparameters = [\n  "Izz",\n  "Izzz",\n]', 2, "no parameter 'Izzz' (did you mean 'Izz'"),
        ('[study]\nparameters = ["Iyy"]', 2, "'Iyy' is tuned in expert mode only"),
        ("[parameters.cg_higth]", 1, "no parameter 'cg_higth' (did you mean 'cg_height'"),
        ("[parameters.Iyy]", 1, "'Iyy' is tuned in expert mode only"),
        ("[parameters.Izz]\nlower = 3\nupper = 2", 2, "the bounds cross, lower is 3 and upper 2"),
        ("[parameters.Izz]\nlower = 3\nupper = 3", 2, "the bounds cross"),
        ("[parameters.Izz]\nlower = 3", 1, "needs both lower and upper"),
        ("[parameters.Izz]\nlower = 3\nupper = 4\nrange_pct = 5", 4, "both range_pct and bounds"),
        ("[parameters.Izz]\nrange = 3", 2, "did you mean 'range_pct'?"),
        ("[parameters.Izz]\nrange_pct = 0", 2, "a number above 0 and below 100"),
        ("[parameters]\nIzz = 3", 2, "write a table [parameters.Izz]"),
        ('[study]\nparameters = ["Izz"]\n[parameters.Ixx]', 3, "'Ixx' is not tuned"),
        ("[start]\nIzzz = 1.1", 2, "no parameter 'Izzz' (did you mean 'Izz'"),
        ("[start]\nIyy = 1.1", 2, "'Iyy' is tuned in expert mode only"),
        ("[start]\nK_umF = 1.1", 2, "'K_umF' is a share"),
        ("[start]\nIzz = 0", 2, "Izz is 0 (a factor above 0 is needed)"),
        ("[tune]", 1, "there is no manoeuvre to tune with"),
        ("tune = 3", 1, "a table [tune] is needed"),
        ("[tune]\nstep_steer = 3", 2, "write a table [tune.step_steer]"),
        ("[tune.step_stear]", 1, "no manoeuvre 'step_stear' (did you mean 'step_steer'"),
        ("[tune.a]\nmanoeuvre = 3", 2, "no manoeuvre '3'"),
        ("[tune.parking]", 1, "'parking' has no indices to compare"),
        ("[tune.double_lane_change]", 1, "it is a closed-loop manoeuvre (hold it out"),
        ("[tune.constant_radius]", 1, "it is a closed-loop manoeuvre"),
        ("[tune.pulse]\n\nspeed = 80", 3, "did you mean 'speed_kmh'?"),
        ("[tune.pulse]\nspeed_kmh = 80\nafter_s = -1", 3, "after_s"),
        ('[tune.pulse]\npayload = "half"', 2, "has the payload of the study (choose it with --payload"),
        ("[tune.pulse]\nweight = -1", 2, "the weight is -1"),
        ("[tune.pulse]\nweight = nan", 2, "the weight is nan"),
        ("[tune.pulse]\nweight = 1" + "0" * 400, 2, "the weight is 1000"),
        ("[study]\nseconds = 1" + "0" * 400, 2, "seconds is 1000"),
        ('[tune.pulse.weights]\n"yaw rate" = "much"', 2, "the weight of 'yaw rate' is 'much'"),
        ("[tune.pulse]\nweights = 3", 2, "a table of index = weight"),
        ("[tune.pulse]\nweight = 0", 1, "the weights of all manoeuvres are zero"),
        ("[hold_out.pulse]\nweight = 2", 2, "held out has no weight"),
        ('[hold_out.pulse]\npayload = "quarter"', 2, "one of kerb, half, laden"),
    ],
)
def test_one_mistake(tmp_path: Path, text: str, line: int, words: str) -> None:
    ((at, said),) = wrong(tmp_path, text)
    assert words in said
    assert at == line


def test_a_weight_of_one_index_is_enough(tmp_path: Path) -> None:
    found = read(tmp_path, '[tune.pulse]\nweight = 0\nweights = { "yaw rate" = 1 }')
    assert found.objective.weights == {"pulse": 0.0, ("pulse", "yaw rate"): 1.0}


def test_all_mistakes_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    text = "[parameters.Izz]\nlower = 2\nupper = 1\n[study]\nseed = -1\npenalty = -1\n[tune.pulse]\nweight = -1\n"
    assert [line for line, _ in wrong(tmp_path, text)] == [2, 5, 6, 8]


def test_no_toml(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"study\.toml:2:\d+: error: the file is not TOML"):
        read(tmp_path, "[study]\nseed = = 1\n")
    (tmp_path / "study.toml").write_bytes(b"[study]\n# \xff\n")
    with pytest.raises(InputError, match="UTF-8"):
        read_study_file(tmp_path / "study.toml")
    with pytest.raises(MissingFileError, match="nothing"):
        read_study_file(tmp_path / "nothing.toml")
    with pytest.raises(InputError):
        read_study_file(tmp_path)


plain = st.recursive(
    st.booleans() | st.integers(-5, 5) | st.floats() | st.sampled_from(["step_steer", "half", "Izz", ""]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(["manoeuvre", "weight", "weights", "payload", "x y", "lower", "upper"]), inner
        )
    ),
    max_leaves=4,
)
NAMES = ("step_steer", "pulse", "Izz", "seed", "mode", "parameters", "weights", "payload", "lower", "upper", "a.b", "ü")


def toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f'"{key}" = {toml(part)}' for key, part in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return str(value).lower() if isinstance(value, bool | float) else repr(value)


@given(
    tables=st.dictionaries(
        st.sampled_from(("study", "tune", "hold_out", "parameters", "others")),
        st.dictionaries(st.sampled_from(NAMES), plain, max_size=4),
    )
)
def test_whatever_it_holds_there_is_an_answer(
    tmp_path_factory: pytest.TempPathFactory, tables: dict[str, dict[str, Any]]
) -> None:
    lines = []
    for name, content in tables.items():
        lines += [f"[{name}]", *(f'"{key}" = {toml(value)}' for key, value in content.items())]
    problems: tuple[Problem, ...] = ()
    try:
        read(tmp_path_factory.getbasetemp(), "\n".join(lines))
    except InputError as error:
        problems = error.problems
    for problem in problems:
        assert 1 <= (problem.place.line or 0) <= len(lines)
        assert "TOML" not in problem.text, "\n".join(lines)
