"""Rendering: pictures and pages hold what was asked for, atomically."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from trackrod.core.errors import MissingFileError
from trackrod.core.figure import Figure, Legend, Line, Panel, Stroke
from trackrod.report.figures import figure_html, write_png
from trackrod.report.page import Fragment, Section, Table, shown, write_page

X = np.linspace(0.0, 1.0, 5)
FIGURE = Figure(
    "two panels",
    (
        Panel("left", "time [s]", "speed [m/s]", (Line(X, X**2, "first"), Line(X, X, "second", Stroke.DASHED))),
        Panel("right", "x [m]", "y [m]", (Line(X, -X, stroke=Stroke.POINTS),), Legend.CENTRE, equal_axes=True),
    ),
)


def test_png_has_pixels_of_every_line(tmp_path: Path) -> None:
    from matplotlib.image import imread

    path = tmp_path / "figure.png"
    write_png(FIGURE, path)
    pixels = imread(path)[..., :3]
    for color in ((0x00, 0x72, 0xB2), (0xD5, 0x5E, 0x00)):
        assert (np.abs(pixels - np.array(color) / 255).max(axis=-1) < 0.02).sum() > 100
    assert [p.name for p in tmp_path.iterdir()] == ["figure.png"]


def test_html_has_axes_with_units_and_legends() -> None:
    text = figure_html(FIGURE)
    for word in ("time [s]", "speed [m", "x [m]", "y [m]", "first", "second", '"legend"'):
        assert word in text.replace("\\u002f", "/"), word


def test_page_escapes_and_is_self_contained(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    table = Table(("name", "value"), (("<b>bold</b>", 1234.5678), ("tiny", 1e-9)))
    write_page("A < B", "lead & more", [Section("First", ("text", table, FIGURE))], path, footer="end")
    text = path.read_text()
    assert "A &lt; B" in text
    assert "&lt;b&gt;bold&lt;/b&gt;" in text
    assert "1234.6" in text
    assert "<script src" not in text
    assert "<link" not in text


def test_a_fragment_stands_as_it_is_and_a_paragraph_does_not(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    drawing = "<svg><text>a &amp; b</text></svg>"
    write_page("Page", "", [Section("Both", ("before", Fragment(drawing), drawing))], path)
    text = path.read_text()
    assert text.count(drawing) == 1
    assert f"<p>before</p>\n{drawing}\n<p>&lt;svg&gt;" in text


def test_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="does not exist"):
        write_png(FIGURE, tmp_path / "no" / "figure.png")


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (212000.0, "212000"), (-82421.7, "-82422"), (0.0312345, "0.031234"), (1e-9, "1e-09"), (2e12, "2e+12")],
)
def test_numbers_are_shown_readably(value: float, text: str) -> None:
    assert shown(value) == text
