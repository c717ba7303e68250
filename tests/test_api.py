"""The interface ``import trackrod as tr``: its names, its page, what its objects look like, plugins."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import trackrod as tr
from report import studies_by_hand
from trackrod.core.corners import Axle
from trackrod.core.errors import InputError, MissingExtraError, UnknownNameError
from trackrod.kc.study import KcSettings
from trackrod.manoeuvres.registry import MANOEUVRES
from trackrod.workflow.cache import CACHE_VARIABLE
from trackrod.workflow.stages.report import FinishedStudy
from trackrod.workflow.study_folder import StudyFolder

ROOT = Path(__file__).resolve().parent.parent
STUB = ROOT / "src" / "trackrod" / "__init__.pyi"
PAGE = ROOT / "docs" / "reference" / "api.md"
#: As it is called on the command line: every manoeuvre has its place in the interface.
LONGEST_LINE = 300


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kept")


@pytest.fixture(autouse=True)
def cache(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(kept))


@pytest.fixture(scope="module")
def car() -> tr.Vehicle:
    return tr.open_vehicle("double_wishbone_car")


@pytest.fixture(scope="module")
def model(car: tr.Vehicle, kept: Path) -> tr.Conversion:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(CACHE_VARIABLE, str(kept))
        return tr.convert(car, travel=0.08)


STEP = tr.StepSteer(speed_kmh=60.0, steering_wheel_angle_deg=30.0, hold_s=2.0)


# ---- names


def test_importing_it_imports_nothing() -> None:
    code = "import sys; import trackrod; print([m for m in sys.modules if m.startswith(('trackrod.', 'numpy'))])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_every_name_is_there() -> None:
    assert set(tr.__all__) <= set(dir(tr))
    for name in tr.__all__:
        assert getattr(tr, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'conver'"):
        tr.conver  # type: ignore[attr-defined]  # noqa: B018


def test_editors_see_the_same_names() -> None:
    tree = ast.parse(STUB.read_text())
    places = {
        alias.asname: node.module for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert places == tr._MODULES


def test_every_manoeuvre_has_its_name() -> None:
    assert {cls.__name__ for cls in MANOEUVRES.built_in.values()} <= set(tr.__all__)


def test_every_name_is_documented() -> None:
    command = [sys.executable, str(ROOT / "tools" / "write_api.py"), "--check"]
    assert subprocess.run(command, check=False).returncode == 0, "run `make docs`"
    text = PAGE.read_text()
    assert not [name for name in tr.__all__ if f"`{name}" not in text]


def test_a_verb_is_a_package_too() -> None:
    code = (
        "import trackrod.convert.masses, trackrod as tr, trackrod.simulate as s; import inspect;"
        "assert tr.convert.masses.split_masses and callable(tr.convert) and callable(s);"
        "assert 'compliance' in inspect.signature(tr.convert).parameters;"
        "from trackrod.convert.conversion import convert; assert convert is not tr.convert"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)
    assert {name for name in tr.__all__ if inspect.ismodule(getattr(tr, name))} == {*tr._VERBS, "signals"}


# ---- verbs


def test_the_way_from_vehicle_to_model(car: tr.Vehicle, model: tr.Conversion, tmp_path: Path) -> None:
    assert any("twin" not in problem.text for problem in car.problems)
    run = tr.simulate(model, STEP)
    assert run == tr.simulate(tr.RealTimeVehicle(model), STEP)
    detailed = tr.simulate(car, STEP)
    assert detailed.metadata["model"] == "multibody"
    found = tr.compare(car, STEP, model)
    assert {index.name for index in found.indices} >= {"yaw rate", "lateral acceleration"}
    tuned = tr.tune(model, [found], parameters=["Izz", "cg_height"])
    assert tuned.after < tuned.before
    assert tr.compare(car, STEP, tuned).indices[1].value_pct < found.indices[1].value_pct
    for thing, name in ((car, "car.json"), (model, "rtm.json"), (run, "run.csv"), (STEP, "step.json")):
        tr.save(thing, tmp_path / name)
    assert tr.load(tmp_path / "run.csv") == run
    assert tr.load(tmp_path / "step.json") == STEP
    assert tr.load(tmp_path / "rtm.json").parameters == model.spec.parameters
    assert repr(tr.load(tmp_path / "car.json")) == repr(car)


def test_without_a_cache_nothing_is_kept(
    car: tr.Vehicle, model: tr.Conversion, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    fresh = tr.simulate(model, STEP, cache=False)
    tr.compare(car, STEP, model, cache=False)
    assert list(tmp_path.iterdir()) == []
    assert tr.simulate(model, STEP) == fresh
    assert list(tmp_path.iterdir()) != []
    for name, run in (("fresh", fresh), ("kept", tr.simulate(model, STEP))):
        tr.save(run, tmp_path / f"{name}.csv")
    assert (tmp_path / "kept.csv").read_bytes() == (tmp_path / "fresh.csv").read_bytes()


def test_what_cannot_be(model: tr.Conversion, car: tr.Vehicle, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="real-time model"):
        tr.export(car, tmp_path / "x", form="carmaker")
    with pytest.raises(UnknownNameError, match="unknown format 'fmu'"):
        tr.export(model, tmp_path / "x.fmu", form="fmu")
    with pytest.raises(InputError, match="step is that of the model"):
        tr.simulate(tr.RealTimeVehicle(model), STEP, step=0.001)
    with pytest.raises(InputError, match="no comparison"):
        tr.tune(model, [])
    with pytest.raises(InputError, match="how a int is saved"):
        tr.save(3, tmp_path / "x.json")  # type: ignore[arg-type]
    (tmp_path / "x.json").write_text('{"schema": "of somebody else"}')
    with pytest.raises(InputError, match="nothing that can be loaded"):
        tr.load(tmp_path / "x.json")


# ---- how objects look


def test_objects_show_themselves(car: tr.Vehicle, model: tr.Conversion) -> None:
    kc = tr.characterise(tr.open_vehicle("twist_beam"))
    run, found = tr.simulate(model, STEP), tr.compare(car, STEP, model)
    assert list(kc) == list(Axle)
    for thing in (car, model, model.spec, kc, kc[Axle.REAR], run, found, *found.indices, tr.RealTimeVehicle(model)):
        line = repr(thing)
        assert len(line) <= LONGEST_LINE, line
        assert "\n" not in line
    for thing in (car, model, model.spec, kc, run, found):
        shown = thing._repr_html_()
        assert shown.startswith("<div>")
        assert shown.count("<table") == shown.count("</table>") >= 1
    assert "data:image/png;base64," in car._repr_html_()
    for thing in (run, found, kc):
        assert "<svg" in thing._repr_html_()


def test_runs_as_tables(model: tr.Conversion) -> None:
    run = tr.simulate(model, STEP)
    pytest.importorskip("pandas")
    table = run.to_pandas()
    assert table.index.name == "time_s"
    np.testing.assert_array_equal(table["yaw_rate_radps"].to_numpy(), run[tr.signals.YAW_RATE])
    assert table.attrs["manoeuvre"] == "step_steer"
    pytest.importorskip("xarray")
    dataset = run.to_xarray()
    assert dataset["yaw_rate_radps"].attrs["units"] == "rad/s"
    np.testing.assert_array_equal(dataset["time_s"], run.time)


def test_runs_as_pictures(model: tr.Conversion) -> None:
    pytest.importorskip("matplotlib")
    run = tr.simulate(model, STEP)
    assert [axes.get_ylabel() for axes in run.plot(tr.signals.YAW_RATE, "ay_mps2").axes] == [
        "yaw_rate [rad/s]",
        "ay [m/s²]",
    ]
    assert len(run.plot().axes) == 9
    with pytest.raises(UnknownNameError, match="'yaw_rate_radps'"):
        run.plot("yaw_rate")


def test_results_as_tables_and_pictures(car: tr.Vehicle, model: tr.Conversion, tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    kc = tr.characterise(car, settings=KcSettings.over(0.04))
    front, found = kc[Axle.FRONT], tr.compare(car, STEP, model)
    table = model.to_pandas()
    assert table.loc["sprung_mass", "value"] == model.spec.parameters["sprung_mass"]
    assert (table.loc["sprung_mass", "unit"], table.index.name) == ("kg", "parameter")
    assert kc.to_pandas().loc["front"].reset_index(drop=True).equals(front.to_pandas().reset_index())
    points = front.tests["parallel"].to_pandas()
    np.testing.assert_array_equal(points["toe_left_rad"], front.tests["parallel"]["toe_left"])
    differences = found.to_pandas()
    assert dict(differences["value_pct"]) == {index.name: index.value_pct for index in found.indices}
    gains = differences[differences["unit"] != ""]
    assert gains[["reference", "model"]].notna().all(axis=None)
    titles = {axes.get_title() for axes in kc.plot().axes}
    assert {f"front: {axes.get_title()}" for axes in front.plot().axes} < titles
    assert [axes.get_ylabel() for axes in model.plot().axes] == ["[°]", "[°]", "[mm]", "[kN]"]
    curves = [index for index in found.indices if index.is_curve]
    assert len(found.plot().axes) == len(curves) > 0
    for number, thing in enumerate((kc, front, model, found)):
        thing.plot().savefig(tmp_path / f"{number}.png")


def test_a_study_as_a_table_and_pictures(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    result = studies_by_hand.study()
    finished = FinishedStudy(result, StudyFolder(tmp_path), (), {})
    table = finished.to_pandas()
    assert list(table["optimised_pct"]) == [index.value_pct for test in result.tests for index in test.tuned_indices]
    assert set(table.index) == {test.label for test in result.tests}
    worst = table["optimised_pct"].idxmax()
    assert finished.plot().get_suptitle() == finished.plot(worst).get_suptitle() == worst.replace("_", " ")
    with pytest.raises(UnknownNameError, match="manoeuvre of the study 'moose'"):
        finished.plot("moose")


@pytest.mark.parametrize(("package", "method"), [("pandas", "to_pandas"), ("xarray", "to_xarray")])
def test_what_is_not_installed(
    package: str, method: str, model: tr.Conversion, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tr.simulate(model, STEP)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=f"pip install {package}"):
        getattr(run, method)()
