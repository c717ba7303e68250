"""What the benchmarks keep of the runs before: a loss is seen."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.__main__ import KEPT, change, kept_runs, results
from benchmarks.row import Row


def row(value: float, unit: str = "µs") -> Row:
    return Row("a step", value, unit, "target", 2.0)


def test_runs_are_kept_and_compared(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    assert kept_runs(file) == []
    for value in range(1, KEPT + 4):
        file.write_text(json.dumps(results([row(float(value))], kept_runs(file), f"day {value}")))
    history = kept_runs(file)
    assert [run["when"] for run in history] == [f"day {value}" for value in range(4, KEPT + 4)]
    assert json.loads(file.read_text())["rows"] == [row(float(KEPT + 3)).as_dict()]
    assert change(row(1.1 * (KEPT + 3)), history) == "+10 %"
    assert change(row(0.5 * (KEPT + 3)), history) == "-50 %"
    assert change(row(1.0, "ms"), history) == ""  # another unit is another row
    assert change(row(1.0), []) == ""


def test_a_file_of_before_counts_as_none(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    for text in ("[]", "{", "[1]", '{"rows": []}'):
        file.write_text(text)
        assert kept_runs(file) == []
