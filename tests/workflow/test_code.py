"""The code that a result depends on: every module that is imported with its maker, and nothing else."""

from __future__ import annotations

import ast
import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

import trackrod
from trackrod import _core
from trackrod.kc.study import axle_maps
from trackrod.tune.problem import TuningProblem
from trackrod.workflow import code
from trackrod.workflow.code import code_hash, reached_modules
from trackrod.workflow.multibody_runs import multibody_run
from trackrod.workflow.runs import model_run, scripted_run
from trackrod.workflow.study import STAGES

#: Everything whose results are kept.
MAKERS = (axle_maps, model_run, multibody_run, scripted_run, TuningProblem)
ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "trackrod"


def tool(name: str) -> ModuleType:
    """A module of the folder `tools` of the project, which the folder of the same name here hides."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


hash_sources = tool("hash_sources")


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
    for cached in (code._module_hash, code._imports, code._core_names, code._source):
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


#: What the compiled core has for each maker.
COMPILED = {
    axle_maps: {"Multibody", "Tyre"},
    multibody_run: {"Multibody", "Tyre", "SpeedHolder"},
    model_run: {"Rtm", "Multibody", "Tyre", "SpeedHolder"},
}


@pytest.mark.parametrize("maker", COMPILED)
def test_the_sources_behind_the_names_that_are_used_count_and_no_other(
    maker: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the multibody model has driven stays when the real-time model changes."""
    _forget()
    sources, before = _core.sources(), code_hash(maker)
    for name in ("Multibody", "Rtm", "SpeedHolder", "Tyre"):
        monkeypatch.setattr(_core, "sources", lambda changed=name: {**sources, changed: "changed"})
        code._module_hash.cache_clear()
        assert (code_hash(maker) != before) == (name in COMPILED[maker]), name
    monkeypatch.undo()
    _forget()


def test_the_core_is_used_by_its_names_alone() -> None:
    """Any other import would hide which part of it a module needs."""
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                assert not (node.module or "").endswith("_core"), path
                assert all(alias.asname is None for alias in node.names if alias.name == "_core"), path
            elif isinstance(node, ast.Import):
                assert not any(alias.name.endswith("_core") for alias in node.names), path


def test_the_multibody_part_includes_nothing_of_the_real_time_model() -> None:
    found: dict[Path, bytes] = {}
    cpp = SOURCE.parents[1] / "cpp"
    hash_sources.reached(cpp / "python" / "multibody.cpp", (cpp,), found)
    names = {str(path.relative_to(cpp)) for path in found}
    assert {"trackrod/multibody/model.hpp", "trackrod/tyre/transient.hpp", "trackrod/vector.hpp"} <= names
    assert not any(name.startswith("trackrod/rtm/") for name in names)


def test_every_header_and_the_compiler_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "python").mkdir()
    monkeypatch.setattr(hash_sources, "CPP", tmp_path)
    (tmp_path / "python" / "part.cpp").write_text('#include "one.hpp"\n#include <vector>\n')
    (tmp_path / "python" / "part_more.cpp").write_text("")
    (tmp_path / "one.hpp").write_text('#include "two.hpp"\n')
    (tmp_path / "two.hpp").write_text("")
    (tmp_path / "other.hpp").write_text("")

    def hashed(compiler: str = "c++ 1") -> str:
        return hash_sources.part_hash("part", (tmp_path,), compiler)

    before = hashed()
    assert hashed("c++ 2") != before
    for name in ("python/part.cpp", "python/part_more.cpp", "one.hpp", "two.hpp", "other.hpp"):
        text = (tmp_path / name).read_text()
        (tmp_path / name).write_text(text + "// changed\n")
        assert (hashed() != before) == (name != "other.hpp"), name
        (tmp_path / name).write_text(text)
