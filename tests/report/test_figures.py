"""Rendering: pictures and pages hold what was asked for, atomically."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackrod.core.errors import MissingFileError
from trackrod.core.figure import Figure, Line, Panel, Stroke
from trackrod.core.numbers import change, interval, less_than, percent, shown, signed
from trackrod.report.figures import write_png
from trackrod.report.page import Fragment, Section, Table, write_page
from trackrod.report.svg import draw, draw_panels

SVG = "{http://www.w3.org/2000/svg}"
X = np.linspace(0.0, 1.0, 5)
FIGURE = Figure(
    "two panels",
    (
        Panel("left", "time [s]", "speed [m/s]", (Line(X, X**2, "first"), Line(X, X, "second", Stroke.DASHED))),
        Panel("right", "x [m]", "y [m]", (Line(X, -X, stroke=Stroke.POINTS),), equal_axes=True),
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


def test_panels_of_a_page_have_axes_with_units_and_a_legend_of_their_own() -> None:
    legend, (left, right) = draw_panels(FIGURE)
    assert legend == ()
    for word in ("time [s]", "speed [m/s]", ">first<", ">second<"):
        assert word in left, word
    assert "x [m]" in right
    shared, _ = draw_panels(Figure("same", (FIGURE.panels[0], FIGURE.panels[0])))
    assert [text for _, text in shared] == ["first", "second"]


def test_legends_stand_outside_the_axes() -> None:
    """Above the frame of the panel, or above all panels."""
    for figure in (FIGURE, Figure("same", (FIGURE.panels[0],) * 4, columns=2)):
        root = ElementTree.fromstring(draw(figure).svg)
        frames = [box for box in root.iter(SVG + "rect") if box.attrib["fill"] == "none"]
        named = [text for text in root.iter(SVG + "text") if text.text in {"first", "second"}]
        assert len(named) == 2
        for text in named:
            x, y = float(text.attrib["x"]), float(text.attrib["y"])
            for box in frames:
                left, top, width, height = (float(box.attrib[name]) for name in ("x", "y", "width", "height"))
                assert not (left < x < left + width and top < y < top + height)


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
    [
        (0.0, "0"),
        (212000.0, "212000"),
        (-82421.7, "-82422"),
        (0.0312345, "0.031234"),
        (1e-9, "1·10⁻⁹"),
        (2e12, "2·10¹²"),
        (-4.44e-16, "-4.44·10⁻¹⁶"),
        (float("nan"), "–"),
    ],
)
def test_numbers_are_shown_readably(value: float, text: str) -> None:
    assert shown(value) == text


def test_numbers_have_one_formatter_without_absurdities() -> None:
    assert (percent(100.2), percent(2.345, sign=True), percent(-0.001, sign=True)) == ("100 %", "+2.35 %", "0.00 %")
    assert (interval(26574.0, 27839.0), interval(5.0, 5.0, 2)) == ("26574 to 27839", "5.0")
    assert (change(4.96, 5.02), change(5.0, 5.0), change(5.001, 5.004)) == ("4.96 to 5.02", "5.0", "5.001 to 5.004")
    assert (less_than(6.9e-15, 1e-3, "mm"), less_than(0.5, 1e-3, "°")) == ("less than 0.001 mm", "0.5°")
    assert (signed(0.0), signed(2.5), signed(-2.5)) == ("0", "+2.5", "−2.5")


@given(st.floats(-1e12, 1e12), st.floats(-1e12, 1e12))
def test_no_number_has_an_exponent_of_programmers(first: float, second: float) -> None:
    low, high = sorted((first, second))
    for text in (shown(first), percent(first), signed(first), interval(low, high), change(first, second)):
        assert "e+" not in text
        assert "e-" not in text
        one, to, other = text.partition(" to ")
        assert not to or one != other
