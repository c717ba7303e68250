"""Kept results: by everything they depend on, and by nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
import pytest

from rtm.converted_vehicles import spec_of, vehicle
from trackrod.core import artefact
from trackrod.core.artefact import Schema
from trackrod.core.errors import CacheWarning, InputError
from trackrod.core.plain import canonical_json
from trackrod.core.run_files import write_run
from trackrod.core.series import Run
from trackrod.kc.study import KcSettings
from trackrod.manoeuvres.steering import StepSteer
from trackrod.workflow import cache
from trackrod.workflow.cache import CACHE_VARIABLE, cache_folder, fingerprint, kept, kept_run

SCHEMA: Schema[dict[str, int]] = Schema("trackrod.test", 1, dict, dict)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "kept"))
    return tmp_path / "kept"


#: What the makers below were asked for, in order.
CALLS: list[int] = []


@pytest.fixture(autouse=True)
def calls() -> list[int]:
    CALLS.clear()
    return CALLS


def double(number: int, *, told: Callable[[], None] | None = None) -> dict[str, int]:
    assert told is None or callable(told)
    CALLS.append(number)
    return {"answer": 2 * number}


def ask(number: int, schema: Schema[dict[str, int]] = SCHEMA) -> dict[str, int]:
    return kept(schema, double, number)


def test_made_once(folder: Path, calls: list[int]) -> None:
    assert ask(1) == {"answer": 2}
    assert ask(1) == {"answer": 2}
    assert ask(2) == {"answer": 4}
    assert calls == [1, 2]
    assert len(list(folder.rglob("*.json"))) == 2


@pytest.mark.usefixtures("folder")
def test_who_is_told_plays_no_part(calls: list[int]) -> None:
    ask(1)
    assert kept(SCHEMA, double, 1, told=lambda: None) == {"answer": 2}
    assert calls == [1]


@pytest.mark.usefixtures("folder")
def test_another_maker_has_results_of_its_own() -> None:
    ask(1)
    assert kept(SCHEMA, triple, 1) == {"answer": 3}


def triple(number: int) -> dict[str, int]:
    return {"answer": 3 * number}


def test_another_version_of_the_form_is_made_anew(folder: Path, calls: list[int]) -> None:
    ask(1)
    ask(1, Schema("trackrod.test", 2, dict, dict))
    assert calls == [1, 1]
    assert folder.is_dir()


@pytest.mark.usefixtures("folder")
def test_other_code_makes_it_anew(monkeypatch: pytest.MonkeyPatch, calls: list[int]) -> None:
    ask(1)
    monkeypatch.setattr(cache, "code_hash", lambda _maker: "other")
    ask(1)
    assert calls == [1, 1]


def test_a_damaged_file_is_made_anew(folder: Path, calls: list[int]) -> None:
    ask(1)
    (path,) = folder.rglob("*.json")
    whole = path.read_text()
    for damaged in (whole[:-20], whole.replace('"answer": 2', '"answer": 3'), ""):
        path.write_text(damaged)
        assert ask(1) == {"answer": 2}
        assert path.read_text() == whole
    assert calls == [1, 1, 1, 1]


def fail(_number: int) -> dict[str, int]:
    raise InputError("no")


def test_a_failure_leaves_nothing(folder: Path) -> None:
    with pytest.raises(InputError, match="no"):
        kept(SCHEMA, fail, 1)
    assert not folder.exists()


def test_a_folder_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "file"))
    with pytest.warns(CacheWarning, match=CACHE_VARIABLE):
        assert ask(1) == ask(1)


def test_the_folder_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(CACHE_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "trackrod"


# --- runs ---

#: Numbers and metadata that a text would round or lose: the last bit, no number, a signed zero, nested data.
YAW_RATE = np.array([1 / 3, np.nan, -0.0, 1e-310])
METADATA = {"manoeuvre": "step_steer", "settings": {"speed_kmh": 80.00000000000001, "gear": None}, "events": [{"t": 1}]}


def drive(number: int) -> Run:
    CALLS.append(number)
    return Run({"time_s": 0.01 * np.arange(4.0), "yaw_rate_radps": YAW_RATE * (number + 1)}, METADATA)


def ask_run(number: int) -> Run:
    return kept_run(drive, number)


def same(one: Run, other: Run) -> bool:
    equal = all(one[column].tobytes() == other[column].tobytes() for column in one)
    return equal and list(one) == list(other) and one.metadata == other.metadata


def test_a_run_comes_back_bit_for_bit(folder: Path, calls: list[int]) -> None:
    made, again = ask_run(0), ask_run(0)
    assert same(made, again)
    assert np.signbit(again["yaw_rate_radps"][2])
    assert not same(again, ask_run(1))
    assert calls == [0, 1]
    assert len(list(folder.rglob("*.npz"))) == 2


@pytest.mark.usefixtures("folder")
def test_a_run_from_the_cache_is_written_like_a_fresh_one(tmp_path: Path, calls: list[int]) -> None:
    """Byte for byte: lines of the header in the same order, too."""
    for name in ("fresh.csv", "kept.csv"):
        write_run(ask_run(0), tmp_path / name)
    assert calls == [0]
    assert (tmp_path / "kept.csv").read_bytes() == (tmp_path / "fresh.csv").read_bytes()


@pytest.mark.usefixtures("folder")
def test_other_code_makes_a_run_anew(monkeypatch: pytest.MonkeyPatch, calls: list[int]) -> None:
    ask_run(0)
    monkeypatch.setattr(cache, "code_hash", lambda _maker: "other")
    ask_run(0)
    assert calls == [0, 0]


def test_a_damaged_run_is_made_anew(folder: Path, calls: list[int]) -> None:
    made = ask_run(0)
    (path,) = folder.rglob("*.npz")
    whole = path.read_bytes()
    middle = len(whole) // 2
    damages = (b"", b"no archive", whole[:middle], whole[:-30], whole[:middle] + b"\0\1\2\3" + whole[middle + 4 :])
    for damaged in damages:
        path.write_bytes(damaged)
        assert same(made, ask_run(0))
        assert path.read_bytes() == whole
    assert calls == [0] * (1 + len(damages))


def fail_to_drive(_number: int) -> Run:
    raise InputError("no")


def test_a_failed_run_leaves_nothing(folder: Path) -> None:
    with pytest.raises(InputError, match="no"):
        kept_run(fail_to_drive, 1)
    assert not folder.exists()


def test_a_folder_for_runs_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "file"))
    with pytest.warns(CacheWarning, match=CACHE_VARIABLE):
        assert ask_run(0) == ask_run(0)


# --- what a result is made of ---

KC = KcSettings()
#: Every field of the settings of the rig with another value that is allowed.
CHANGED = {
    "travel": np.append(KC.travel[:-1], KC.travel[-1] + 1e-9),
    "rack": KC.rack[1:],
    "map_points": KC.map_points + 2,
    "friction": KC.friction + 1e-12,
    "load_steps": KC.load_steps + 1,
    "opposite": 0.5 * KC.travel,
}


@pytest.mark.parametrize("field", [field.name for field in fields(KcSettings)])
def test_every_setting_of_the_rig_counts(field: str) -> None:
    assert fingerprint(KcSettings()) == fingerprint(KC)
    assert fingerprint(replace(KC, **{field: CHANGED[field]})) != fingerprint(KC)


@dataclass(frozen=True)
class Part:
    size: float
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Other(Part):
    """The same fields under another name."""


def test_whatever_differs_counts() -> None:
    run = Run({"time_s": [0.0, 0.1]}, {"a": 1})
    values: list[object] = [
        None,
        False,
        0,
        "0",
        "",
        [],
        [0],
        [[0]],
        float("nan"),
        float("inf"),
        np.zeros(2),
        np.zeros((2, 1)),
        np.array([0.0, -0.0]),
        np.zeros(2, dtype=np.int64),
        {"a": 1},
        {"a": {"b": 1}},
        {1: "a"},
        Part(1.0),
        Part(1.0, ("a",)),
        Other(1.0),
        run,
        Run(run, {"a": 2}),
        Run({"time_s": [0.0, 0.2]}, {"a": 1}),
        StepSteer(),
        StepSteer(speed_kmh=80.5),
    ]
    texts = [canonical_json(fingerprint(value)) for value in values]
    assert len(set(texts)) == len(values)


def test_equal_things_are_equal() -> None:
    assert fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})
    assert fingerprint(np.float64(0.1)) == fingerprint(0.1)
    assert fingerprint(np.asfortranarray(np.eye(2)[:, ::-1])) == fingerprint(np.eye(2)[:, ::-1])


def test_vehicles_and_models_count_whole() -> None:
    car, model = vehicle("double_wishbone_car"), spec_of("double_wishbone_car")
    assert fingerprint(car) == fingerprint(replace(car))
    assert fingerprint(car) != fingerprint(replace(car, name="other"))
    changed = model.with_parameters(Izz=model.parameters["Izz"] * (1 + 1e-15))
    assert fingerprint(model) != fingerprint(changed)


def test_what_nobody_can_change_is_hashed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_arguments: object) -> None:
        raise AssertionError("it was hashed")

    van = replace(vehicle("lcv_7t"))
    known = fingerprint(van)
    monkeypatch.setattr(artefact, "Artefact", refuse)
    assert fingerprint(van) == known
    with pytest.raises(AssertionError, match="it was hashed"):
        fingerprint(replace(van))  # equal, but nobody has looked at it


def test_what_is_not_understood_is_not_left_out() -> None:
    with pytest.raises(TypeError, match="function"):
        fingerprint([lambda: None])
