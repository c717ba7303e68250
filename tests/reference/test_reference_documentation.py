"""The page of the folder format names every key that the reader knows; its TOML example is read."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import small_vehicle

from trackrod.core.corners import Axle, Corner
from trackrod.core.errors import Severity
from trackrod.core.tables import TABLE_SUFFIXES
from trackrod.core.toml_document import Document
from trackrod.reference.kc import AxleFigures, read_maps
from trackrod.reference.runs import NEEDED, read_runs
from trackrod.reference.stand_in import complete_dampers
from trackrod.reference.sweeps import LOADS, QUANTITIES
from trackrod.reference.vehicle import read_vehicle_data

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reference_folder.md").read_text()
#: Words between backquotes, outside the examples.
NAMED = set(
    re.findall(r"[A-Za-z_]\w*", " ".join(re.findall(r"`([^`]+)`", re.sub(r"```.*?```", "", PAGE, flags=re.DOTALL))))
)


def test_every_key_is_documented(tmp_path: Path) -> None:
    document = Document(small_vehicle.write_small(tmp_path) / "reference.toml")
    data = read_vehicle_data(document.root)
    assert data is not None
    figures = AxleFigures("", 1e4, 1.5, 2.7, (1.0, 1.0), lambda _side, _load: 0.3)
    maps = {axle: read_maps(document, axle, figures) for axle in Axle}
    _, recordings = read_runs(document.root, data)
    complete_dampers(
        document.root.section("dampers"), data, {axle: found for axle, found in maps.items() if found}, recordings
    )
    chosen = {"small", "car", "sine", "0"}
    keys = {key for section in document._sections.values() for key in section._known} - chosen
    assert len(keys) > 60
    assert sorted(key for key in keys if key not in NAMED) == []


def test_every_quantity_and_suffix_is_documented() -> None:
    loads = {str(load) for load in LOADS}
    names = {name for name in QUANTITIES if not name.endswith(("_left", "_right"))} - loads
    assert sorted(name for name in names if name not in NAMED) == []
    assert [suffix for suffix in TABLE_SUFFIXES if f"`{suffix}`" not in PAGE] == []
    needed = {signal.name.removesuffix(f"_{c}") for signals in NEEDED.values() for signal in signals for c in Corner}
    names = {name for name in needed if not name.endswith(tuple(f"_{c}" for c in Corner))}
    assert sorted(name for name in names if name not in NAMED) == []


def test_the_toml_example_is_read_as_far_as_its_files_go(tmp_path: Path) -> None:
    text = re.search(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert text is not None
    tomllib.loads(text[1])
    (tmp_path / "reference.toml").write_text(text[1])
    document = Document(tmp_path / "reference.toml")
    read_vehicle_data(document.root)
    for axle in Axle:
        read_maps(document, axle, AxleFigures("", 1e4, 1.5, 2.7, (1.0, 1.0), lambda _side, _load: 0.3))
    read_runs(document.root, None)
    document.close()
    errors = [problem.text for problem in document.problems if problem.severity is Severity.ERROR]
    assert [text for text in errors if "the file does not exist" not in text] == []
    assert len(errors) > 6
