"""``trackrod kc-compare``: two results of the K&C rig against each other."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from trackrod.cli.output import console, print_json, print_problems
from trackrod.cli.vehicle import Json
from trackrod.core.errors import MissingExtraError, Problem, Severity
from trackrod.core.files import make_folder
from trackrod.kc.comparison import CurveDifference, compare_results, read_results
from trackrod.report.kc_comparison import write_kc_comparison_page, write_kc_comparison_pictures
from trackrod.report.page import shown

__all__ = ["kc_compare"]

_Folder = Annotated[Path, typer.Argument(help="Folder that `trackrod kc --out` has written.", show_default=False)]


def kc_compare(
    first: _Folder,
    second: _Folder,
    out: Annotated[Path | None, typer.Option(help="Folder for a page and pictures.")] = None,
    most: Annotated[int, typer.Option(min=1, help="Rows that are printed for each test.")] = 5,
    json: Json = False,
) -> None:
    """Say how far two results of the rig lie apart, of whole or half vehicles, quantity by quantity."""
    found = compare_results(read_results(first), read_results(second))
    problems: list[Problem] = []
    if out is not None:
        make_folder(out)
        try:
            write_kc_comparison_pictures(found, (str(first), str(second)), out)
            write_kc_comparison_page(found, (str(first), str(second)), out / "kc_comparison.html")
        except MissingExtraError as error:
            problems.append(Problem(str(error), severity=Severity.WARNING))
    if json:
        rows = [_row(difference) for difference in found]
        given = {"first": str(first), "second": str(second)}
        print_json({**given, "differences": rows, "problems": [problem.as_dict() for problem in problems]})
        return
    console.print(_table(found, most))
    if out is not None:
        console.print(f"page and pictures: {out}", highlight=False)
    print_problems(problems)


def _row(difference: CurveDifference) -> dict[str, object]:
    return {
        "axle": str(difference.axle),
        "test": difference.test,
        "quantity": difference.quantity,
        "unit": difference.kind.unit,
        "over": difference.over,
        "over_unit": difference.over_kind.unit,
        "largest": difference.largest,
        "at": difference.at,
        "rms": difference.rms,
        "share_of_change": difference.share if isfinite(difference.share) else None,
    }


def _table(found: Sequence[CurveDifference], most: int) -> Table:
    table = Table(title=f"{len(found)} curves compared: second less first")
    for head in ("axle", "test", "quantity", "largest", "rms", "unit", "at", "rms of change [%]"):
        table.add_column(head, justify="left" if head in ("axle", "test", "quantity", "unit") else "right")
    printed: dict[tuple[str, str], int] = {}
    for difference in found:
        key = (str(difference.axle), difference.test)
        printed[key] = printed.get(key, 0) + 1
        if printed[key] <= most:
            at = f"{shown(difference.at)} {difference.over_kind.unit}"
            numbers = shown(difference.largest), shown(difference.rms), difference.kind.unit or "-", at
            table.add_row(*key, difference.quantity, *numbers, f"{100.0 * difference.share:.2f}")
    return table
