"""Kept results: by everything they depend on, and by nothing else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from trackrod.core.artefact import Schema
from trackrod.core.errors import InputError
from trackrod.core.series import Run
from trackrod.workflow import cache
from trackrod.workflow.cache import CACHE_VARIABLE, cache_folder, cached, cached_run, code_hash

SCHEMA: Schema[dict[str, int]] = Schema("trackrod.test", 1, dict, dict)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "kept"))
    return tmp_path / "kept"


def ask(made_from: int, calls: list[int], schema: Schema[dict[str, int]] = SCHEMA) -> tuple[dict[str, int], bool]:
    def make() -> dict[str, int]:
        calls.append(made_from)
        return {"answer": 2 * made_from}

    return cached(schema, {"input": made_from}, ("core",), make)


def test_made_once(folder: Path) -> None:
    calls: list[int] = []
    assert ask(1, calls) == ({"answer": 2}, False)
    assert ask(1, calls) == ({"answer": 2}, True)
    assert ask(2, calls) == ({"answer": 4}, False)
    assert calls == [1, 2]
    assert len(list(folder.rglob("*.json"))) == 2


def test_another_version_of_the_form_is_made_anew(folder: Path) -> None:
    calls: list[int] = []
    ask(1, calls)
    ask(1, calls, Schema("trackrod.test", 2, dict, dict))
    assert calls == [1, 1]
    assert folder.is_dir()


@pytest.mark.usefixtures("folder")
def test_other_code_makes_it_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    ask(1, calls)
    monkeypatch.setattr(cache, "code_hash", lambda _packages: "other")
    ask(1, calls)
    assert calls == [1, 1]


def test_a_damaged_file_is_made_anew(folder: Path) -> None:
    calls: list[int] = []
    ask(1, calls)
    (path,) = folder.rglob("*.json")
    whole = path.read_text()
    for damaged in (whole[:-20], whole.replace('"answer": 2', '"answer": 3'), ""):
        path.write_text(damaged)
        assert ask(1, calls)[0] == {"answer": 2}
        assert path.read_text() == whole
    assert calls == [1, 1, 1, 1]


def test_a_failure_leaves_nothing(folder: Path) -> None:
    def fail() -> dict[str, int]:
        raise InputError("no")

    with pytest.raises(InputError, match="no"):
        cached(SCHEMA, {"input": 1}, ("core",), fail)
    assert not folder.exists()


def test_a_folder_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "file"))
    with pytest.raises(InputError, match=CACHE_VARIABLE):
        ask(1, [])


def test_code_of_other_packages_plays_no_part() -> None:
    assert code_hash(("core",)) == code_hash(("core",))
    assert code_hash(("core",)) != code_hash(("core", "kc"))


def test_the_folder_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(CACHE_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "trackrod"


# --- runs ---

#: Numbers and metadata that a text would round or lose: the last bit, no number, a signed zero, nested data.
YAW_RATE = np.array([1 / 3, np.nan, -0.0, 1e-310])
METADATA = {"manoeuvre": "step_steer", "settings": {"speed_kmh": 80.00000000000001, "gear": None}, "events": [{"t": 1}]}


def ask_run(made_from: int, calls: list[int]) -> tuple[Run, bool]:
    def make() -> Run:
        calls.append(made_from)
        return Run({"time_s": 0.01 * np.arange(4.0), "yaw_rate_radps": YAW_RATE * (made_from + 1)}, METADATA)

    return cached_run({"input": made_from}, ("core",), make)


def same(one: Run, other: Run) -> bool:
    equal = all(one[column].tobytes() == other[column].tobytes() for column in one)
    return equal and list(one) == list(other) and one.metadata == other.metadata


def test_a_run_comes_back_bit_for_bit(folder: Path) -> None:
    calls: list[int] = []
    made, was_kept = ask_run(0, calls)
    assert not was_kept
    again, was_kept = ask_run(0, calls)
    assert was_kept
    assert same(made, again)
    assert np.signbit(again["yaw_rate_radps"][2])
    assert not same(again, ask_run(1, calls)[0])
    assert calls == [0, 1]
    assert len(list(folder.rglob("*.npz"))) == 2


@pytest.mark.usefixtures("folder")
def test_other_code_makes_a_run_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    ask_run(0, calls)
    monkeypatch.setattr(cache, "code_hash", lambda _packages: "other")
    ask_run(0, calls)
    assert calls == [0, 0]


def test_a_damaged_run_is_made_anew(folder: Path) -> None:
    calls: list[int] = []
    made, _ = ask_run(0, calls)
    (path,) = folder.rglob("*.npz")
    whole = path.read_bytes()
    middle = len(whole) // 2
    damages = (b"", b"no archive", whole[:middle], whole[:-30], whole[:middle] + b"\0\1\2\3" + whole[middle + 4 :])
    for damaged in damages:
        path.write_bytes(damaged)
        again, was_kept = ask_run(0, calls)
        assert not was_kept
        assert same(made, again)
        assert path.read_bytes() == whole
    assert calls == [0] * (1 + len(damages))


def test_a_failed_run_leaves_nothing(folder: Path) -> None:
    def fail() -> Run:
        raise InputError("no")

    with pytest.raises(InputError, match="no"):
        cached_run({"input": 1}, ("core",), fail)
    assert not folder.exists()


def test_a_folder_for_runs_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "file"))
    with pytest.raises(InputError, match=CACHE_VARIABLE):
        ask_run(0, [])
