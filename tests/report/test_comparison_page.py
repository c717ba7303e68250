"""Overlays, bars and the page of a comparison."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from metrics.synthetic_runs import ramp_steer, step_steer
from trackrod.core.errors import Problem, Severity
from trackrod.core.series import Run
from trackrod.metrics.indices import Index, indices
from trackrod.report.comparison import (
    comparison_figure,
    index_figure,
    index_table,
    overlay_figure,
    write_comparison_page,
    write_comparison_picture,
)


def described(run: Run, model: str, **changes: float) -> Run:
    columns = {column: changes.get(column, 1.0) * values for column, values in run.items()}
    event = {"event": "wheel_lift", "time_s": 1.5, "text": "both wheels <on> the left side are off the road"}
    extra = {"settings": {"speed_kmh": 80.0, "gear": None}, "events": [event] if model == "rtm" else []}
    return Run(columns, {"vehicle": "car", "manoeuvre": "ramp_steer", "model": model, **extra})


@pytest.fixture(scope="module")
def runs() -> tuple[Run, Run]:
    return described(ramp_steer(), "multibody"), described(ramp_steer(), "rtm", roll_rad=1.2)


@pytest.fixture(scope="module")
def found(runs: tuple[Run, Run]) -> tuple[Index, ...]:
    return indices("ramp_steer", *runs)


def test_the_band_is_5_percent_of_the_largest_magnitude(found: tuple[Index, ...]) -> None:
    for panel, index in zip(overlay_figure(found, "title").panels, found, strict=True):
        above, below, reference, model = panel.lines
        width = 0.05 * np.abs(reference.y).max()
        assert above.y - reference.y == pytest.approx(np.full(reference.y.size, width))
        assert reference.y - below.y == pytest.approx(np.full(reference.y.size, width))
        assert f"{index.value_pct:.2f} %" in panel.title
        assert model.label == "model"


def test_axes_have_units_that_engineers_plot(found: tuple[Index, ...]) -> None:
    panels = {index.name: panel for index, panel in zip(found, overlay_figure(found, "title").panels, strict=True)}
    assert panels["roll angle"].y_label == "roll angle [°]"
    assert panels["roll angle"].x_label == "lateral acceleration [m/s²]"
    assert panels["lateral load transfer"].y_label.endswith("[kN]")
    reference = panels["roll angle"].lines[2]
    assert np.abs(reference.y).max() == pytest.approx(np.degrees(found[2].reference.largest))


def test_bars_are_as_long_as_the_indices_and_those_above_the_tolerance_stand_out(found: tuple[Index, ...]) -> None:
    *bars, limit, _ = index_figure(found, "title").panels[0].lines
    assert [bar.x.max() for bar in bars] == [index.value_pct for index in found]
    assert {bar.color for bar, index in zip(bars, found, strict=True) if index.value_pct > 5.0} == {1}
    assert {bar.color for bar, index in zip(bars, found, strict=True) if index.value_pct <= 5.0} == {2}
    assert (limit.x == 5.0).all()


def test_numbers_of_scalar_indices_are_in_the_table() -> None:
    step = step_steer()
    rows = {row[0]: row for row in index_table(indices("step_steer", step, step)).rows}
    assert rows["yaw rate: response time"][1] == 0.0
    assert rows["yaw rate: response time"][4] == "s"
    assert rows["yaw rate"][2] == ""


def test_page(runs: tuple[Run, Run], found: tuple[Index, ...], tmp_path: Path) -> None:
    pytest.importorskip("plotly")
    problem = Problem("a damper is <missing>", severity=Severity.WARNING)
    write_comparison_page(*runs, found, tmp_path / "page.html", problems=[problem])
    text = (tmp_path / "page.html").read_text()
    for words in (
        "car: ramp_steer",
        "a damper is &lt;missing&gt;",
        "above it: roll angle.",
        "rtm against multibody",
        "speed_kmh",
        "&lt;on&gt;",
    ):
        assert words in text, words


def test_picture(runs: tuple[Run, Run], found: tuple[Index, ...], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    write_comparison_picture(*runs, found, tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
    assert len(comparison_figure(found, "title").panels) == len(found) + 1
