"""The worked example: comfort against road holding, on a short road."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from matplotlib import image

from trackrod.core.corners import Axle
from trackrod.reduce.reduction import AxleReduction

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "comfort_and_road_holding.py"


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch, front: AxleReduction, rear: AxleReduction) -> ModuleType:
    spec = importlib.util.spec_from_file_location("comfort_and_road_holding", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    # the axles of the tests, reduced already
    monkeypatch.setattr(module, "reduce_axle", lambda _, axle: front if axle is Axle.FRONT else rear)
    return module


def test_pareto_curve(example: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Printed vehicles give up comfort for road holding step by step; none is beaten by the one before or after."""
    picture = tmp_path / "pareto.png"
    example.main("suv", picture, duration=2.0)
    first, *best = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{len(example.SPRINGS) * len(example.DAMPERS)} vehicles on 2 s of road")
    rows = [re.fullmatch(r"springs x ([\d.]+), dampers x ([\d.]+): ([\d.]+) m/s2, ([\d.]+) %", line) for line in best]
    table = np.array([[float(number) for number in row.groups()] for row in rows if row])
    assert len(table) == len(best) >= 4
    assert (np.diff(table[:, 2]) >= 0).all()  # printed with three digits
    assert (np.diff(table[:, 3]) <= 0).all()
    assert table[-1, 3] < table[0, 3] - 0.5
    assert set(table[:, 0]) <= set(example.SPRINGS)
    assert set(table[:, 1]) <= set(example.DAMPERS)
    drawn = image.imread(picture)
    assert min(drawn.shape[:2]) > 300
    assert drawn[..., :3].std() > 0.05
