"""The layers hold: imports point downward only, siblings do not know each other, extras stay optional."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import trackrod

SOURCE = Path(__file__).resolve().parent.parent / "src" / "trackrod"

#: From the bottom up; packages of one layer do not import each other. A package may import any layer below its own.
LAYERS = (
    ("core",),
    ("tyre", "road"),
    ("vehicle", "manoeuvres"),
    ("adams", "multibody", "rtm", "single_track"),
    ("kc", "simulate"),
    ("metrics", "measured"),
    ("fit",),
    ("convert", "export"),
    ("reference", "reduce", "estimate", "tune"),
    ("validate", "campaign"),
    ("report",),
    ("workflow",),
    ("web",),
    ("cli",),
    ("api",),
)
LEVEL = {package: level for level, packages in enumerate(LAYERS) for package in packages}
#: Compiled or top-level modules that every layer may use.
ANYWHERE = {"_core", "__version__"}
EXTRAS = (
    *("pyarrow", "asammdf", "matplotlib", "plotly", "ziglang", "SALib", "PyNomad", "fmpy", "nicegui", "trimesh"),
    *("distributed", "duckdb"),
)


def packages() -> list[str]:
    return sorted(p.parent.name for p in SOURCE.glob("*/__init__.py"))


def test_nothing_imports_the_interface_back() -> None:
    """The names of ``import trackrod as tr`` are for users; modules say where they have things from."""
    for file in SOURCE.rglob("*.py"):
        if file.parent != SOURCE:
            assert not imported_packages(file) & {"api", *trackrod._MODULES} - set(packages()), file


def imported_packages(file: Path) -> set[str]:
    """First-level packages of trackrod that a file imports, wherever the import stands."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "trackrod":
            names = [f"trackrod.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [node.module or ""]
        else:
            continue
        found |= {name.split(".")[1] for name in names if name.startswith("trackrod.")}
    return found


def violations(package: str, files: dict[str, set[str]]) -> list[str]:
    return [
        f"{file} imports {other}"
        for file, others in files.items()
        for other in sorted(others - ANYWHERE - {package})
        if other not in LEVEL or LEVEL[other] >= LEVEL[package]
    ]


@pytest.mark.parametrize("package", packages())
def test_imports_point_downward(package: str) -> None:
    assert package in LEVEL, f"{package} has no place in the layers"
    files = {str(f.relative_to(SOURCE)): imported_packages(f) for f in (SOURCE / package).rglob("*.py")}
    assert not violations(package, files)


def test_the_check_can_fail() -> None:
    assert violations("core", {"core/x.py": {"tyre"}}) == ["core/x.py imports tyre"]
    assert violations("tyre", {"tyre/x.py": {"vehicle"}}) == ["tyre/x.py imports vehicle"]
    assert violations("tyre", {"tyre/x.py": {"core", "_core"}}) == []


def test_fitting_knows_no_vehicle() -> None:
    """All of `fit` loads where whatever has to do with vehicles is missing: models, rigs, runs, conversion."""
    absent = set(packages()) - {"core", "metrics", "fit"}
    # Characteristic values are defined for manoeuvres, these are driven on roads; `fit` itself imports neither.
    block = "; ".join(f"sys.modules['trackrod.{name}'] = None" for name in sorted(absent - {"manoeuvres", "road"}))
    modules = ", ".join(f"trackrod.fit.{file.stem}" for file in sorted((SOURCE / "fit").glob("[!_]*.py")))
    code = f"import sys; {block}; import {modules}"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert not absent & {name for file in (SOURCE / "fit").glob("*.py") for name in imported_packages(file)}


def test_executors_come_from_one_place() -> None:
    """So that searches, batches and studies can all move to a cluster together."""
    makers = re.compile(r"(Thread|Process)Pool|threading\.Thread\(|multiprocessing")
    found = {str(f.relative_to(SOURCE)) for f in SOURCE.rglob("*.py") if makers.search(f.read_text())}
    assert found == {"core/executors.py"}


@pytest.mark.parametrize("module", ["trackrod.core", "trackrod.tyre", "trackrod.report", "trackrod.cli.app"])
def test_imports_without_extras(module: str) -> None:
    """Every optional package made unimportable: the module still loads, and nothing pulls one in."""
    block = "; ".join(f"sys.modules[{name!r}] = None" for name in EXTRAS)
    code = f"import sys; {block}; import {module}"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


def test_missing_extra_says_what_to_install(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['plotly'] = None; sys.argv = ['trackrod', 'inspect', 'lcv_7t', '--html', "
        "sys.argv[1]]; "
        "from trackrod.cli.app import main; main()"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "van.html")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "pip install plotly" in result.stderr
    assert "Traceback" not in result.stderr


def test_every_extra_that_is_asked_for_holds_the_package() -> None:
    extras = tomllib.loads((SOURCE.parents[1] / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    asked = {
        tuple(argument.value for argument in node.args[:2])
        for file in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "MissingExtraError"
    }
    assert len(asked) >= 8
    wrong = [pair for pair in asked if not any(held.startswith(pair[0]) for held in extras.get(pair[1], ()))]
    assert not wrong, "pip install 'trackrod[extra]' would not bring the package"


def test_tests_mirror_the_packages() -> None:
    folders = {path.name for path in Path(__file__).parent.iterdir() if any(path.glob("test_*.py"))}
    assert folders - set(packages()) <= {"benchmarks", "controls", "cpp", "journey", "tools"}
