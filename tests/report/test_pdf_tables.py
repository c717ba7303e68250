"""Tables of the PDF: a long path leaves room for the other columns."""

from __future__ import annotations

from trackrod.report.page import Table
from trackrod.report.pdf import _table

PATH = "vehicles/van.cdb/subsystems.tbl/rear_suspension.sub"


def test_long_paths_may_be_broken() -> None:
    problem = "a property file is not found where the subsystem says that it is, so that the spring has no curve"
    made = _table(Table(("problem", "where"), ((problem, PATH),)))
    assert all(width > 0 for width in made["widths"])
    where = made["cells"][1]["text"]
    assert where.replace("\u200b", "") == PATH
    assert where.count("\u200b") == PATH.count("/")


def test_short_texts_stay_whole() -> None:
    made = _table(Table(("unit", "value"), (("km/h", 3.0),)))
    assert made["cells"][0]["text"] == "km/h"
    assert made["widths"] == [0, 0]
