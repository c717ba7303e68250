"""``trackrod tyre``: look at a tyre property file, evaluate it at points."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.table import Table

from trackrod.cli.output import console, errors, print_json, print_problems
from trackrod.core.corners import Side
from trackrod.report.page import shown
from trackrod.report.tyre import write_tyre_report
from trackrod.tyre.characteristics import Characteristic, characteristics
from trackrod.tyre.model import Tyre, load_tyre
from trackrod.tyre.points import read_points, write_points

__all__ = ["app"]

app = typer.Typer(help="Tyre property files (.tir).", no_args_is_help=True)

File = Annotated[Path, typer.Argument(help="Tyre property file (.tir).", show_default=False)]
Mounted = Annotated[Side | None, typer.Option(help="Side of the vehicle it is mounted on; as measured if not given.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


@app.command()
def show(
    file: File,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the plots: NAME.png and NAME.html.", file_okay=False)
    ] = None,
    mounted: Mounted = None,
    json: Json = False,
) -> None:
    """Show what a tyre does: figures of merit, and plots as PNG and HTML."""
    tyre = load_tyre(file, mounted)
    rows = characteristics(tyre)
    written = write_tyre_report(tyre, out) if out is not None else []
    if json:
        print_json(_as_dict(tyre, rows, written))
        return
    table = Table(title=f"{tyre.properties.name}: {tyre.properties.version}, {tyre.properties.tyreside}")
    for head, justify in (("quantity", "left"), ("value", "right"), ("unit", "left"), ("meaning", "left")):
        table.add_column(head, justify=justify)  # type: ignore[arg-type]
    for row in rows:
        table.add_row(row.name, shown(row.value), row.kind.unit or "-", row.meaning)
    console.print(table)
    print_problems(tyre.properties.problems)
    for path in written:
        console.print(f"wrote {path}", highlight=False, soft_wrap=True)
    if out is None:
        console.print("for plots (PNG and interactive HTML) add --out FOLDER", style="dim")


def _as_dict(tyre: Tyre, rows: tuple[Characteristic, ...], written: list[Path]) -> dict[str, object]:
    properties = tyre.properties
    return {
        "name": properties.name,
        "version": str(properties.version),
        "tyreside": str(properties.tyreside),
        "mirrored": tyre.mirrored,
        "characteristics": {
            f"{row.name}_{row.kind.suffix}" if row.kind.suffix else row.name: row.value for row in rows
        },
        "coefficients": dict(properties.coefficients),
        "given": sorted(properties.given),
        "problems": [problem.as_dict() for problem in properties.problems],
        "files": [str(path) for path in written],
    }


@app.command()
def evaluate(
    file: File,
    points: Annotated[Path, typer.Option(help="CSV file with columns Fz_N,kappa,alpha_rad,gamma_rad,Vx_mps,p_Pa.")],
    out: Annotated[Path, typer.Option(help="CSV file to write: the points, then Fx_N,Fy_N,Mx_Nm,My_Nm,Mz_Nm.")],
    no_limits: Annotated[
        bool, typer.Option("--no-limits", help="Leave the validity ranges of the file out of account.")
    ] = False,
    mounted: Mounted = None,
    json: Json = False,
) -> None:
    """Evaluate forces and moments at points (ISO 8855: a positive slip angle gives a negative Fy)."""
    tyre = load_tyre(file, mounted)
    inputs = read_points(points)
    Fz, kappa, alpha, gamma, Vx, p = inputs
    unset = p == 0
    start = time.perf_counter()
    forces = tyre.evaluate(Fz, kappa, alpha, gamma, Vx, np.where(unset, tyre.pressure, p), limits=not no_limits)
    seconds = time.perf_counter() - start
    write_points(out, inputs, forces)
    if json:
        print_json(
            {
                "points": len(inputs[0]),
                "seconds": seconds,
                "limits": not no_limits,
                "pressure_from_file": int(np.count_nonzero(unset)),
                "outside": [
                    {
                        "input": o.input,
                        "low": o.low,
                        "high": o.high,
                        "below": o.below,
                        "above": o.above,
                        "action": o.action,
                    }
                    for o in forces.outside
                ],
                "problems": [problem.as_dict() for problem in tyre.properties.problems],
                "file": str(out),
            }
        )
        return
    if unset.any():
        count = np.count_nonzero(unset)
        errors.print(f"{count} points with p_Pa = 0 take the file's pressure, {tyre.pressure:g} Pa", style="yellow")
    for outside in forces.outside:
        errors.print(str(outside), style="yellow", markup=False, highlight=False)
    print_problems(tyre.properties.problems)
    console.print(f"wrote {len(inputs[0])} points to {out}", highlight=False, soft_wrap=True)
