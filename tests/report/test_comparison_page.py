"""Overlays, bars and the page of a comparison."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from metrics.synthetic_runs import ramp_steer, step_steer
from trackrod.core import signals
from trackrod.core.errors import Problem, Severity
from trackrod.core.figure import Stroke
from trackrod.core.series import Run
from trackrod.metrics.indices import Index, indices
from trackrod.report.comparison import (
    index_bars,
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
        reference, model = panel.lines
        assert reference.band == pytest.approx(0.05 * np.abs(reference.y).max())
        assert (reference.stroke, model.stroke) == (Stroke.WIDE, Stroke.SOLID)  # both are seen where they coincide
        assert f"{index.value_pct:.2f} %" in panel.title
        assert (reference.label, model.label) == ("reference ± 5 %", "model")


def test_the_difference_stands_below_the_overlay(found: tuple[Index, ...]) -> None:
    roll = next(p for p in overlay_figure(found, "title").panels if p.title.startswith("roll angle"))
    (apart,) = roll.differences
    reference, model = roll.lines
    assert apart.y == pytest.approx(np.interp(apart.x, model.x, model.y) - np.interp(apart.x, reference.x, reference.y))
    assert np.abs(apart.y).max() == pytest.approx(0.2 * np.abs(reference.y).max(), rel=1e-3)


def test_axes_have_units_that_engineers_plot(found: tuple[Index, ...]) -> None:
    panels = {index.name: panel for index, panel in zip(found, overlay_figure(found, "title").panels, strict=True)}
    assert panels["roll angle"].y_label == "[°]"
    assert panels["roll angle"].x_label == "lateral acceleration [m/s²]"
    assert panels["lateral load transfer"].y_label == "[kN]"
    reference = panels["roll angle"].lines[0]
    assert np.abs(reference.y).max() == pytest.approx(np.degrees(found[2].reference.largest))


def test_gear_shifts_are_marked_where_the_whole_run_is_drawn() -> None:
    run = step_steer()
    gear = 1.0 + np.floor(3.0 * np.arange(run.time.size) / run.time.size)
    gear[:5] = 0.0  # the clutch is open
    gear[-5:] = 0.0
    run = Run({**run, signals.GEAR.column: gear}, run.metadata)
    found = indices("step_steer", run, run)
    marks = overlay_figure(found, "title", run=run).panels[0].marks
    assert [text for _, text in marks] == ["gear 1", "2", "3"]
    assert marks[1][0] == pytest.approx(run.time[-1] / 3.0, rel=0.01)
    later = Run({name: values[100:] for name, values in run.items()}, run.metadata)  # its curves begin elsewhere
    assert overlay_figure(found, "title", run=later).panels[0].marks == ()


def test_bars_are_as_long_as_the_indices_and_those_above_the_tolerance_stand_out(found: tuple[Index, ...]) -> None:
    chart = index_bars(found, 5.0)
    assert [(bar.label, bar.values) for bar in chart.bars] == [(index.name, (index.value_pct,)) for index in found]
    assert [bar.alarm for bar in chart.bars] == [index.value_pct > 5.0 for index in found]
    assert any(bar.alarm for bar in chart.bars)
    assert chart.limit == (5.0, "tolerance 5 %")


def test_numbers_of_scalar_indices_are_in_the_table() -> None:
    step = step_steer()
    rows = {row[0]: row for row in index_table(indices("step_steer", step, step)).rows}
    assert rows["yaw rate: response time"][1] == "0.00"
    assert rows["yaw rate: response time"][4] == "s"
    assert rows["yaw rate"][2] == ""


def test_page(runs: tuple[Run, Run], found: tuple[Index, ...], tmp_path: Path) -> None:
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
    write_comparison_picture(*runs, found, tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
