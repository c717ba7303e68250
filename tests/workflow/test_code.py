"""The code that a result depends on: every module that is imported with its maker, and nothing else."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import trackrod
from trackrod.kc.study import axle_maps
from trackrod.tune.problem import TuningProblem
from trackrod.workflow import code
from trackrod.workflow.code import code_hash, reached_modules
from trackrod.workflow.runs import find_settings, model_run, multibody_run, scripted_run
from trackrod.workflow.study import STAGES

#: Everything whose results are kept.
MAKERS = (axle_maps, find_settings, model_run, multibody_run, scripted_run, TuningProblem)
SOURCE = Path(__file__).resolve().parents[2] / "src" / "trackrod"


def loaded_with(module: str) -> set[str]:
    """Modules of Trackrod that Python has loaded after an import, in a process of its own."""
    text = f"import sys, json, {module}; print(json.dumps([m for m in sys.modules if m.split('.')[0] == 'trackrod']))"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout)) - {"trackrod._core"}


@pytest.mark.parametrize("module", sorted({maker.__module__ for maker in MAKERS} | {"trackrod.workflow.study"}))
def test_nothing_that_python_loads_is_missing(module: str) -> None:
    assert loaded_with(module) <= reached_modules(module)


def test_every_stage_reaches_what_it_calls() -> None:
    """Python knows where a function stands; what it imports itself and what that imports is there."""
    for stage in STAGES:
        reached = reached_modules(stage.run.__module__)
        needed = {kind.__module__ for kind in (*stage.needs, stage.makes)}
        needed |= {found.__module__ for found in vars(sys.modules[stage.run.__module__]).values() if callable(found)}
        assert {name for name in needed if name.startswith("trackrod.")} <= reached, stage.name


def test_what_has_no_part_in_it_is_not_reached() -> None:
    for maker in MAKERS:
        packages = {name.split(".")[1] for name in reached_modules(maker.__module__) if "." in name}
        assert "kc" in packages or "simulate" in packages or "metrics" in packages
        assert not packages & {"adams", "cli", "report"}, maker


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The sources in another folder, to be changed."""
    place = tmp_path / "trackrod"
    shutil.copytree(SOURCE, place, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(trackrod, "__path__", [str(place)])
    _forget()
    yield place
    monkeypatch.undo()
    _forget()


def _forget() -> None:
    for cached in (code._module_hash, code._imports, code._source):
        cached.cache_clear()


@pytest.mark.parametrize("file", ["vehicle/vehicle.py", "vehicle/__init__.py", "core/series.py"])
def test_a_change_of_the_vehicle_changes_the_keys(copy: Path, file: str) -> None:
    before = [code_hash(maker) for maker in MAKERS]
    code._module_hash.cache_clear()
    assert [code_hash(maker) for maker in MAKERS] == before
    change(copy / file)
    for maker, old in zip(MAKERS, before, strict=True):
        assert code_hash(maker) != old, maker


def change(path: Path) -> str:
    """Add a comment, which changes no import; the text as it was."""
    text = path.read_text()
    path.write_text(text + "\n# changed\n")
    code._module_hash.cache_clear()
    return text


def test_every_reached_file_counts_and_no_other(copy: Path) -> None:
    before, reached = code_hash(axle_maps), reached_modules(axle_maps.__module__)
    for path in sorted(copy.rglob("*.py")):
        parts = path.relative_to(copy).with_suffix("").parts
        name = ".".join(("trackrod", *(parts[:-1] if parts[-1] == "__init__" else parts)))
        text = change(path)
        assert (code_hash(axle_maps) != before) == (name in reached), name
        path.write_text(text)


def test_imports_wherever_they_stand(copy: Path) -> None:
    (copy / "one.py").write_text(
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from trackrod.tyre import model\n"
        "def late():\n    import trackrod.rtm.spec\n    from . import two\n"
    )
    (copy / "two.py").write_text("import numpy\n")
    found = reached_modules("trackrod.one")
    assert {"trackrod", "trackrod.two", "trackrod.tyre.model", "trackrod.rtm", "trackrod.rtm.spec"} <= found
    assert all(name.split(".")[0] == "trackrod" for name in found)


def test_the_compiled_core_counts(copy: Path) -> None:
    before = code_hash(axle_maps)
    (copy / "_core.so").write_bytes(b"another")
    code._module_hash.cache_clear()
    assert code_hash(axle_maps) != before
