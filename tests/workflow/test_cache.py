"""Kept results: by everything they depend on, and by nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from trackrod.core.artefact import Schema
from trackrod.core.errors import InputError
from trackrod.workflow import cache
from trackrod.workflow.cache import CACHE_VARIABLE, cache_folder, cached, code_hash

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
