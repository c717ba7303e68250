"""The folder of a workbench: no path leads out of it, uploads are kept, preferences survive."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from trackrod.core.errors import InputError
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.web.workspace import Lock, Preferences, Workspace

CAR = BUNDLED["double_wishbone_car"]


def zipped_car(path: Path) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for file in CAR.database.rglob("*"):
            packed.write(file, Path("my.cdb") / file.relative_to(CAR.database))
    return path


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "work")


@pytest.mark.parametrize(
    "key", ["../../secret.asy", "/etc/passwd", "a/../../../secret.asy", "\0", "nowhere.asy", "", "." * 5000, "link.asy"]
)
def test_keys_do_not_lead_out(workspace: Workspace, tmp_path: Path, key: str) -> None:
    (tmp_path / "secret.asy").write_text("x")
    (workspace.vehicles_folder / "link.asy").symlink_to(tmp_path / "secret.asy")
    with pytest.raises(InputError):
        workspace.source(key)
    assert all(choice.bundled for choice in workspace.vehicles())


def test_an_uploaded_database_is_a_vehicle(workspace: Workspace, tmp_path: Path) -> None:
    (key,) = workspace.add_vehicle("my car.zip", zipped_car(tmp_path / "a.zip"))
    assert key == "my_car/my.cdb/assemblies.tbl/double_wishbone_car.asy"
    assert workspace.source(key) == f"../../vehicles/{key}"
    assert key in [choice.key for choice in workspace.vehicles()]
    (second,) = workspace.add_vehicle("../my car.zip", tmp_path / "a.zip")
    assert second.startswith("my_car_2/")
    assert workspace.source("suv") == "suv"


def test_an_archive_without_a_vehicle(workspace: Workspace, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as packed:
        packed.writestr("readme.txt", "nothing here")
    with pytest.raises(InputError, match=r"no assembly \(\.asy\)"):
        workspace.add_vehicle("a.zip", tmp_path / "a.zip")
    assert list(workspace.vehicles_folder.iterdir()) == []


def test_recordings(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "log").write_text("time_s,vx_mps\n0,1\n")
    kept = workspace.add_recording("spring campaign", "../../step steer.csv", tmp_path / "log")
    assert kept == workspace.recordings_folder / "spring_campaign" / "step_steer.csv"
    assert workspace.campaigns() == ["spring_campaign"]
    assert workspace.recordings("spring_campaign") == [kept]
    with pytest.raises(InputError, match="no kind of recording"):
        workspace.add_recording("x", "run.exe", tmp_path / "log")
    with pytest.raises(InputError, match="not in the workspace"):
        workspace.recordings("../..")
    with pytest.raises(InputError, match="not in the workspace"):
        workspace.recordings("../vehicles")  # nor into another folder of the workspace


def test_preferences_survive_and_damage_is_forgiven(workspace: Workspace) -> None:
    assert workspace.preferences == Preferences()
    draft = {"study": {"seed": 3}}
    workspace.prefer(expert=True, dark=True, vehicle="suv", draft=draft)
    again = Workspace(workspace.root).preferences
    assert (again.expert, again.dark, again.vehicle, again.draft) == (True, True, "suv", draft)
    (workspace.root / "workbench.json").write_text("{")
    assert workspace.preferences == Preferences()
    (workspace.root / "workbench.json").write_text('{"expert": 3, "dark": "x", "draft": [], "vehicle": {}}')
    assert workspace.preferences == Preferences()


def test_a_lock_is_held_once(tmp_path: Path) -> None:
    one, other = Lock(tmp_path / "lock"), Lock(tmp_path / "lock")
    assert not one.is_held()
    assert one.take()
    assert other.is_held()
    assert not other.take()
    one.free()
    assert not other.is_held()
