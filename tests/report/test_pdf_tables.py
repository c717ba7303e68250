"""Tables of the PDF: a long path leaves room for the other columns."""

from __future__ import annotations

from trackrod.report.page import Table
from trackrod.report.pdf import _table

PATH = "vehicles/van.cdb/subsystems.tbl/rear_suspension.sub"


def test_long_paths_may_be_broken() -> None:
    problem = "a property file is not found where the subsystem says that it is, so that the spring has no curve"
    made = _table(Table(("problem", "where"), ((problem, PATH),)), 17.4)
    assert all(width > 0 for width in made["widths"])
    where = made["cells"][1]["text"]
    assert where.replace("\u200b", "") == PATH
    assert where.count("\u200b") == sum(PATH.count(sign) for sign in "/_.")


def test_a_column_of_long_texts_leaves_room_for_names() -> None:
    name = "front axle to the sprung centre of gravity"
    rows = tuple((name, "identifiable", "1.00", "a sentence of some length " * 6) for _ in range(5))
    first, second, third, last = _table(Table(("parameter", "verdict", "own", "in words"), rows), 17.4)["widths"]
    assert (second, third) == (0, 0)  # as wide as they are
    assert first / (first + last) > 0.25


def test_short_texts_stay_whole() -> None:
    made = _table(Table(("unit", "value"), (("km/h", 3.0),)), 17.4)
    assert made["cells"][0]["text"] == "km/h"
    assert made["widths"] == [0, 0]
