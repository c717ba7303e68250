"""The package as a whole: exported names, imports, layers."""

import ast
import importlib
import inspect
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import trackrod.core

SOURCE = Path(trackrod.core.__file__).parent
MODULES = sorted(module.name for module in pkgutil.iter_modules([str(SOURCE)]))
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


@pytest.mark.parametrize("name", MODULES)
def test_core_imports_nothing_above_it(name: str) -> None:
    tree = ast.parse((SOURCE / f"{name}.py").read_text())
    imported = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    imported |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    own = {module for module in imported if module.split(".")[0] == "trackrod"}
    assert all(module == "trackrod" or module.startswith("trackrod.core") for module in own)
