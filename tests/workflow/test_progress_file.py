"""How far a study is, in a file: stages, shares, the search; and no file where none is asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trackrod.fit.outcome import SearchProgress
from trackrod.workflow.progress_file import PROGRESS_VARIABLE, ProgressFile, with_progress_file
from trackrod.workflow.study import STAGES


def test_a_file_tells_stage_and_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "progress.json"
    monkeypatch.setenv(PROGRESS_VARIABLE, str(path))
    watcher = with_progress_file(STAGES, None)
    assert isinstance(watcher, ProgressFile)
    optimise = next(stage for stage in STAGES if stage.name == "optimise")
    watcher.announce(optimise, "tuning", 0.0)
    found = json.loads(path.read_text())
    assert (found["stage"], found["number"], found["stages"]) == ("optimise", STAGES.index(optimise), len(STAGES))
    for k in range(5000):
        watcher.search(SearchProgress(k, k, 0, 5.0 - 1e-3 * k, 0.1, float(k), None, "", {"Izz": 0.5}))
    watcher.announce(optimise, "done", 1.0)
    found = json.loads(path.read_text())
    assert found["share"] == 1.0
    assert 500 < len(found["search"]) <= 2000
    assert found["best"] == {"Izz": 0.5}
    assert found["search"][-1][2] < found["search"][0][2]


def test_without_the_variable_the_watcher_is_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PROGRESS_VARIABLE, raising=False)
    assert with_progress_file(STAGES, None) is None
