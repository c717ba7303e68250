"""Figures: thinned out without losing a peak, with units, and names that are no markup."""

from __future__ import annotations

import csv
import io

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from trackrod.web.plots import Curve, bars, csv_of, curves, surface, thinned, unit_for


@given(st.integers(3000, 20000), st.integers(0, 2**31))
def test_thinning_keeps_ends_and_peaks(count: int, seed: int) -> None:
    x = np.arange(count, dtype=np.float64)
    y = np.random.default_rng(seed).normal(size=count)
    few_x, few_y = thinned(x, y)
    assert len(few_x) <= 2000
    assert (few_x[0], few_x[-1]) == (x[0], x[-1])
    assert (few_y.min(), few_y.max()) == (y.min(), y.max())
    assert (np.diff(few_x) > 0).all()


def test_ten_to_the_five_points_become_two_thousand_and_all_are_saved() -> None:
    x = np.linspace(0, 100, 100_001)
    plot = curves("speed", "time [s]", "speed [km/h]", [Curve(x, np.sin(x), "a")], dark=False)
    assert len(plot.figure["data"][0]["x"]) <= 2000
    rows = list(csv.reader(io.StringIO(csv_of(plot).decode())))
    assert rows[0] == ["time [s]", "a: speed [km/h]"]
    assert len(rows) == 100_002


def test_names_are_escaped_and_legends_stand_outside() -> None:
    evil = "<a href='javascript:evil()'>x</a>"
    line = Curve(np.arange(3.0), np.array([0.0, np.nan, 1.0]), evil)
    for plot in (
        curves(evil, evil, evil, [line], dark=True),
        bars(evil, evil, [evil], {evil: [1.0]}, dark=True),
    ):
        assert "<a" not in repr(plot.figure)
        assert plot.figure["layout"]["legend"]["y"] < 0
    assert curves("t", "x", "y", [line], dark=True).figure["data"][0]["y"] == [0.0, None, 1.0]
    found = surface("t", ("x", "y", "z"), np.arange(2.0), np.arange(3.0), np.ones((3, 2)), dark=False)
    assert len(csv_of(found).splitlines()) == 7


def test_units() -> None:
    assert unit_for("m", engineering=True) == (1e3, "mm")
    assert unit_for("m", engineering=False) == (1.0, "m")
    assert unit_for("kg", engineering=True) == (1.0, "kg")
