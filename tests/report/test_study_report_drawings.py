"""Drawings of a study: what they show, and the SVG that they become."""

from __future__ import annotations

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
    MOST_POINTS,
    error_budget_map,
    history_figure,
    index_bars,
    kc_figure,
    manoeuvre_figure,
    parameter_bars,
    sensitivity_map,
    thinned,
    time_bars,
)
from trackrod.report.svg import WIDTH, Drawing, draw

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
    for panel, (before, after) in zip(manoeuvre_figure(test).panels, curves, strict=True):
        assert [line.label for line in panel.lines] == ["reference ± 5 %", "", "reference", "nominal", "tuned"]
        assert f"{before.value_pct:.2f} % → {after.value_pct:.2f} %" in panel.title
    roll = next(p for p in manoeuvre_figure(test).panels if p.title.startswith("roll angle"))
    reference, nominal, tuned = (np.abs(line.y).max() for line in roll.lines[2:])
    assert nominal / reference == pytest.approx(1.2)  # as planted
    assert tuned / reference == pytest.approx(1.01)


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
    assert chart.limit == (5.0, "TP = 5 %")


def test_where_nothing_was_tuned_an_index_has_one_bar() -> None:
    tests = tuple(replace(t, tuned_indices=t.nominal_indices) for t in study().tests[:2])
    chart = index_bars(tests, 5.0)
    assert chart.series == ("as converted",)
    assert [bar.values for bar in chart.bars] == [(a.value_pct,) for t in tests for a in t.nominal_indices]


def test_bars_of_parameters_have_their_bounds_and_confidence() -> None:
    bars = {bar.label: bar for bar in parameter_bars(study()).bars}
    assert tuple(bars) == NAMES
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
    assert chart.columns == NAMES
    roll = np.linalg.norm(np.linspace(0, 1, 20))
    assert chart.values[0] == pytest.approx(roll * np.array([1.0, 0.0, 1.2, 1.0, 0.0]))


def test_history_begins_at_the_nominal_model() -> None:
    for panel in history_figure(study()).panels:
        point, line, marks = panel.lines
        assert (point.x[0], point.y[0]) == (0.0, 6.5)
        assert (line.x[0], line.y[0]) == (0.0, 6.5)
        assert marks.y.tolist() == [entry.value for entry in study().outcome.history]


def test_the_total_is_no_stage() -> None:
    assert [bar.label for bar in time_bars(study()).bars] == ["read", "kc", "optimise"]


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
    assert len(elements(figure, "polyline")) == 3  # two parts and the key of the legend
    assert "a & <b>" in texts(figure)


numbers = st.floats(-1e9, 1e9) | st.just(float("nan"))


@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=20), st.sampled_from(Stroke), st.booleans())
def test_any_curve_is_drawn_inside_its_picture(points: list[tuple[float, float]], stroke: Stroke, equal: bool) -> None:
    x, y = (np.array(values) for values in zip(*points, strict=True))
    figure = Figure("", (Panel("p", "x [s]", "y [m]", (Line(x, y, "l", stroke),), equal_axes=equal),))
    picture = draw(figure)
    for line in elements(figure, "polyline"):
        for pair in line.attrib["points"].split():
            across, down = (float(value) for value in pair.split(","))
            assert 0 <= across <= WIDTH
            assert 0 <= down <= picture.aspect * WIDTH


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
    assert chart.rows == ("ramp_steer: roll angle",)
    assert chart.values[0, 0] == pytest.approx(7.5 - tuned)
