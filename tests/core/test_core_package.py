"""The package as a whole: exported names, frozen classes, imports."""

import ast
import dataclasses
import graphlib
import importlib
import inspect
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import trackrod.core

SOURCE = Path(trackrod.core.__file__).parent
PREFIX = "trackrod.core."
#: Modules and sub-packages, however deep, without the prefix: "units", "teimorbit", "teimorbit.parser".
MODULES = sorted(module.name.removeprefix(PREFIX) for module in pkgutil.walk_packages([str(SOURCE)], prefix=PREFIX))
OPTIONAL = ("pyarrow", "asammdf", "pandas", "matplotlib", "plotly")


@pytest.mark.parametrize("name", MODULES)
def test_every_public_class_and_function_is_exported(name: str) -> None:
    module = importlib.import_module(f"trackrod.core.{name}")
    defined = {
        key
        for key, value in vars(module).items()
        if (inspect.isclass(value) or inspect.isfunction(value))
        and value.__module__ == module.__name__
        and value.__name__ == key
        and not key.startswith("_")
    }
    assert defined <= set(module.__all__)
    assert set(module.__all__) <= set(vars(module))
    assert len(set(module.__all__)) == len(module.__all__)


@pytest.mark.parametrize("name", MODULES)
def test_public_dataclasses_are_frozen(name: str) -> None:
    module = importlib.import_module(f"trackrod.core.{name}")
    thawed = [
        key
        for key, value in vars(module).items()
        if dataclasses.is_dataclass(value) and not key.startswith("_") and not value.__dataclass_params__.frozen  # type: ignore[union-attr]
    ]
    assert thawed == []


def test_main_names_are_those_of_their_modules() -> None:
    for name in trackrod.core.__all__:
        value = getattr(trackrod.core, name)
        assert value is getattr(importlib.import_module(value.__module__), name)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        trackrod.core.nothing  # noqa: B018


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse((SOURCE / "__init__.py").read_text())
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    listed = [alias.name for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert sorted(listed) == sorted(trackrod.core.__all__)


def run_without(blocked: tuple[str, ...], code: str) -> subprocess.CompletedProcess[str]:
    block = f"import sys; sys.modules.update(dict.fromkeys({blocked!r}))\n"
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", block + code], capture_output=True, text=True, check=False
    )


def test_core_imports_without_optional_packages() -> None:
    code = "import importlib\n" + "\n".join(f"importlib.import_module('trackrod.core.{name}')" for name in MODULES)
    result = run_without(OPTIONAL, code)
    assert result.returncode == 0, result.stderr


def test_light_modules_do_not_load_scipy() -> None:
    light = ("numpy", "scipy")
    code = "import trackrod.core.errors, trackrod.core.quantities, trackrod.core.units, trackrod.core.signals"
    result = run_without(light, code)
    assert result.returncode == 0, result.stderr
    assert run_without(light, "import trackrod.core.maps").returncode != 0  # the block itself works


def imported_by(name: str) -> set[str]:
    """Modules of core that a module of core imports, wherever the import stands."""
    path = SOURCE.joinpath(*name.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {node.module or ""} | {f"{node.module}.{alias.name}" for alias in node.names}
    return {module.removeprefix(PREFIX) for module in found} & set(MODULES)


def test_imports_have_no_cycles() -> None:
    """Every module can be read on its own: what it needs never needs it back."""
    needs = {name: imported_by(name) for name in MODULES}
    assert needs["teimorbit.parser"] >= {"errors", "teimorbit.blocks"}  # the search itself works
    graphlib.TopologicalSorter(needs).prepare()
