"""Drawings of a study: what they show, and the SVG that they become."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from report.studies_by_hand import NAMES, study
from trackrod.core.corners import Axle
from trackrod.core.figure import Figure, Line, Panel, Stroke
from trackrod.report.charts import Bar, Bars, HeatMap
from trackrod.report.study_drawings import (
    error_budget_map,
    history_figure,
    index_bars,
    kc_figure,
    manoeuvre_figure,
    parameter_bars,
    sensitivity_map,
    worst_bars,
)
from trackrod.report.svg import MOST_POINTS, WIDTH, Drawing, draw, thinned

SVG = "{http://www.w3.org/2000/svg}"


def elements(drawing: Drawing, tag: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(draw(drawing).svg).iter(SVG + tag))


def bars_of(chart: Bars) -> list[float]:
    """Widths of the bars; these are the boxes that tell their values."""
    return [float(box.attrib["width"]) for box in elements(chart, "rect") if box.find(f"{SVG}title") is not None]


def texts(drawing: Drawing) -> list[str]:
    return [element.text or "" for element in elements(drawing, "text")]


# ---- what is drawn


def test_overlays_show_the_band_and_three_runs() -> None:
    test = study().tests[0]
    curves = [(a, b) for a, b in zip(test.nominal_indices, test.tuned_indices, strict=True) if a.is_curve]
    panels = {panel.title.partition(":")[0]: panel for panel in manoeuvre_figure(test).panels}
    assert list(panels) == [after.name for _, after in curves]
    roll = panels["roll angle"]
    before, after = next((a, b) for a, b in curves if b.name == "roll angle")
    assert [line.label for line in roll.lines] == ["reference ± 5 %", "nominal", "tuned"]
    assert [line.label for line in roll.differences] == ["nominal", "tuned"]
    assert f"{before.value_pct:.2f} to {after.value_pct:.2f} %" in roll.title
    reference, nominal, tuned = (np.abs(line.y).max() for line in roll.lines)
    assert nominal / reference == pytest.approx(1.2)  # as planted
    assert tuned / reference == pytest.approx(1.01)
    other = panels["sideslip angle"]  # which nothing changed
    assert [line.label for line in other.lines] == ["reference ± 5 %", "model, as converted"]
    assert " to " not in other.title


@given(st.integers(1, 5000), st.integers(0, 2**32 - 1))
def test_thinned_lines_keep_their_ends_and_peaks(count: int, seed: int) -> None:
    y = np.random.default_rng(seed).normal(size=count)
    line = thinned(Line(np.arange(count, dtype=float), y))
    assert line.x.size <= min(MOST_POINTS, count)
    assert (line.x[0], line.x[-1]) == (0.0, count - 1.0)
    assert (line.y.min(), line.y.max()) == (y.min(), y.max())
    assert (np.diff(line.x) > 0).all()


def test_bars_of_indices_are_those_of_the_runs() -> None:
    tests = study().tests[:2]
    chart = index_bars(tests, 5.0)
    expected = [
        (a.value_pct, b.value_pct) for t in tests for a, b in zip(t.nominal_indices, t.tuned_indices, strict=True)
    ]
    assert [bar.values for bar in chart.bars] == expected
    assert chart.limit == (5.0, "tolerance 5 %")


def test_where_nothing_was_tuned_an_index_has_one_bar() -> None:
    tests = tuple(replace(t, tuned_indices=t.nominal_indices) for t in study().tests[:2])
    chart = index_bars(tests, 5.0)
    assert chart.series == ("as converted",)
    assert [bar.values for bar in chart.bars] == [(a.value_pct,) for t in tests for a in t.nominal_indices]


def test_bars_of_parameters_have_their_bounds_and_confidence() -> None:
    chart = parameter_bars(study())
    assert [bar.label for bar in chart.bars] == [item.tunable.title for item in study().parameters]
    bars = dict(zip(NAMES, chart.bars, strict=True))
    assert bars["Izz"].bounds is not None
    assert bars["Izz"].values[0] == pytest.approx(0.5 * bars["Izz"].bounds[0])  # z = −0.5, half-way to the lower bound
    assert bars["sprung_mass"].bounds == pytest.approx((-20.0, 20.0))
    assert bars["sprung_mass"].interval == pytest.approx((5 - 4, 5 + 4))  # 0.2 of the range of 20 % on both sides
    assert bars["cg_height"].alarm
    assert bars["engine_factor"].faint


def test_the_nominal_model_lies_on_the_maps_and_the_tuned_one_rolls_differently() -> None:
    for axle in Axle:
        figure = kc_figure(study(), axle)
        for panel in figure.panels:
            nominal, tuned, reference = panel.lines
            assert [line.label for line in panel.differences] == ["nominal", "tuned"]
            span = max(float(np.ptp(reference.y)), 1e-9)
            at = np.interp(reference.x, nominal.x, nominal.y)
            assert np.abs(at - reference.y).max() < 0.05 * span, (
                panel.title
            )  # in opposite travel the stops of an independent axle are those of parallel travel
            moved = np.abs(tuned.y - nominal.y).max() / span
            stiffer = axle is Axle.REAR and panel.title == "Wheel load, opposite travel"
            assert (moved > 1e-4) == stiffer, panel.title


def test_the_map_of_sensitivities_is_that_of_the_blocks() -> None:
    chart = sensitivity_map(study())
    assert chart.columns == tuple(item.tunable.title for item in study().parameters)
    assert chart.rows == ("ramp steer: roll angle", "step steer: yaw rate")
    roll = np.linalg.norm(np.linspace(0, 1, 20))
    assert chart.values[0] == pytest.approx(roll * np.array([1.0, 0.0, 1.2, 1.0, 0.0]))


def test_history_begins_at_the_nominal_model() -> None:
    for panel in history_figure(study()).panels:
        point, line, marks = panel.lines
        assert (point.x[0], point.y[0]) == (0.0, 6.5)
        assert (line.x[0], line.y[0]) == (0.0, 6.5)
        assert marks.y.tolist() == [entry.value for entry in study().outcome.history]


def test_the_worst_index_of_each_manoeuvre_stands_on_page_one() -> None:
    chart = worst_bars(study())
    for bar, test in zip(chart.bars, study().tests, strict=True):
        worst = (max(index.value_pct for index in found) for found in (test.nominal_indices, test.tuned_indices))
        assert bar.values == tuple(worst)
        assert bar.group.startswith("held out") == test.hold_out


# ---- SVG


def test_bars_are_as_long_as_their_values() -> None:
    chart = Bars("x [s]", ("one",), (Bar("a", (1.0,)), Bar("b", (2.0,)), Bar("c", (-2.0,))))
    found = bars_of(chart)
    assert found[1] == pytest.approx(2 * found[0], abs=0.1)
    assert found[2] == pytest.approx(found[1], abs=0.1)
    assert {"1.00", "2.00", "−2.00"} <= set(texts(chart))


def test_a_cut_bar_keeps_its_number() -> None:
    chart = Bars("x [%]", ("one",), (Bar("a", (50.0,)), Bar("b", (10.0,))), end=10.0)
    first, second = bars_of(chart)
    assert first == second
    assert "50.00" in texts(chart)


def test_curves_with_gaps_are_broken() -> None:
    y = np.array([0.0, 1.0, np.nan, 2.0, 3.0])
    figure = Figure("", (Panel("p", "x [s]", "y [m]", (Line(np.arange(5.0), y, "a & <b>"),)),))
    curve = next(path for path in elements(figure, "path") if path.attrib.get("data-label"))
    assert curve.attrib["d"].count("M") == 2  # two parts
    assert "a & <b>" in texts(figure)


numbers = st.floats(-1e9, 1e9) | st.just(float("nan"))


@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=20), st.sampled_from(Stroke), st.booleans())
def test_any_curve_is_drawn_inside_its_picture(points: list[tuple[float, float]], stroke: Stroke, equal: bool) -> None:
    x, y = (np.array(values) for values in zip(*points, strict=True))
    figure = Figure("", (Panel("p", "x [s]", "y [m]", (Line(x, y, "l", stroke),), equal_axes=equal),))
    picture = draw(figure)
    for path in elements(figure, "path"):
        for across, down in places(path.attrib["d"]):
            assert -0.1 <= across <= WIDTH + 0.1
            assert -0.1 <= down <= picture.aspect * WIDTH + 0.1


def places(path: str) -> list[tuple[float, float]]:
    """Points of a path of relative steps."""
    found = []
    for part in path.rstrip("z").split("M")[1:]:
        first, _, steps = part.partition("l")
        x, y = (float(value) for value in first.split())
        found.append((x, y))
        numbers = [float(value) for value in re.findall(r"-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?", steps)]
        for dx, dy in zip(numbers[::2], numbers[1::2], strict=True):
            x, y = x + dx, y + dy
            found.append((x, y))
    return found


@given(st.lists(st.lists(st.floats(-1e6, 1e6) | st.just(0.0), min_size=3, max_size=3), min_size=1, max_size=4))
def test_any_map_is_drawn(rows: list[list[float]]) -> None:
    chart = HeatMap(tuple(f"r{k}" for k in range(len(rows))), ("a", "b", "c"), np.array(rows), "what [%]")
    assert len(elements(chart, "rect")) == 3 * len(rows)


def test_signed_maps_tell_more_from_less() -> None:
    values = np.array([[4.0, -4.0]])
    signed, plain = (HeatMap(("r",), ("a", "b"), values, "what [%]", signed=sign) for sign in (True, False))
    more, less = (box.attrib["fill"] for box in elements(signed, "rect"))
    assert more != less
    assert {box.attrib["fill"] for box in elements(plain, "rect")} == {less}


def test_the_map_of_the_budget_shows_changes() -> None:
    chart = error_budget_map(study())
    tuned = next(i.value_pct for i in study().tests[0].tuned_indices if i.name == "roll angle")
    assert chart.rows == ("ramp steer: roll angle",)
    assert chart.values[0, 0] == pytest.approx(7.5 - tuned)
