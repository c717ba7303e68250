"""``trackrod kc-compare``: two results of the K&C rig against each other."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from trackrod.cli.output import console, print_json, print_problems
from trackrod.cli.targets import folder_option
from trackrod.cli.vehicle import Json
from trackrod.core.corners import Axle
from trackrod.core.errors import MissingExtraError, Problem, Severity
from trackrod.core.files import make_folder
from trackrod.kc.comparison import SHOWN_CURVES, CurveDifference, compare_results, read_results
from trackrod.report.kc_comparison import write_kc_comparison_page, write_kc_comparison_pictures
from trackrod.report.page import shown

__all__ = ["kc_compare"]

_Folder = Annotated[Path, typer.Argument(help="Folder that `trackrod kc --out` has written.", show_default=False)]


def kc_compare(
    first: _Folder,
    second: _Folder,
    out: Annotated[Path | None, folder_option(help="Folder for a page and pictures.")] = None,
    json: Json = False,
) -> None:
    """Say how far two results of the rig lie apart, of whole or half vehicles, quantity by quantity."""
    found = compare_results(read_results(first), read_results(second))
    problems: list[Problem] = []
    names = (first.name, second.name) if first.name != second.name else (str(first), str(second))
    if out is not None:
        make_folder(out)
        try:
            write_kc_comparison_pictures(found, names, out)
            write_kc_comparison_page(found, names, out / "kc_comparison.html")
        except MissingExtraError as error:
            problems.append(Problem(str(error), severity=Severity.WARNING))
    if json:
        rows = [_row(difference) for difference in found]
        given = {"first": str(first), "second": str(second)}
        print_json({**given, "differences": rows, "problems": [problem.as_dict() for problem in problems]})
        return
    console.print(_table(found))
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
        "share_of_largest": difference.share if isfinite(difference.share) else None,
    }


def _table(found: Sequence[CurveDifference]) -> Table:
    """The curves that engineers read first; the page and ``--json`` have all."""
    table = Table(title=f"second less first; {len(found)} curves in all")
    for head in ("axle", "curve, left wheel", "largest", "rms", "unit", "at", "rms [%]"):
        table.add_column(head, justify="left" if head in ("axle", "curve, left wheel", "unit") else "right")
    by_key = {(d.axle, d.test, d.quantity): d for d in found}
    for axle in Axle:
        for test, quantity, title in SHOWN_CURVES:
            d = by_key.get((axle, test, quantity))
            if d is not None:
                numbers = shown(d.largest), shown(d.rms), d.kind.unit or "-", f"{shown(d.at)} {d.over_kind.unit}"
                table.add_row(str(axle), title, *numbers, f"{100.0 * d.share:.2f}")
    return table
