"""``trackrod tyre``: look at a tyre property file, evaluate it at points, fit one to bench data, scale it to a road."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.table import Table

from trackrod import __version__
from trackrod.cli.estimate import MAP
from trackrod.cli.output import console, errors, print_json, print_problems
from trackrod.cli.targets import file_option, folder_option
from trackrod.core.corners import Corner, Side
from trackrod.core.errors import InputError
from trackrod.estimate.tyre_data import Axes, read_bench
from trackrod.estimate.tyre_fit import TyreFit, fit_tyre, left_out
from trackrod.estimate.tyre_scaling import SCALES, fit_scaling
from trackrod.estimate.tyre_sweeps import find_sweeps
from trackrod.report.page import shown
from trackrod.report.tyre import write_tyre_report
from trackrod.report.tyre_fit import write_fit_page
from trackrod.tyre.characteristics import Characteristic, characteristics
from trackrod.tyre.model import Tyre, load_tyre
from trackrod.tyre.points import read_points, write_points
from trackrod.tyre.tir import write_tir
from trackrod.workflow.recorded_runs import Reader

__all__ = ["app"]

app = typer.Typer(help="Tyre property files (.tir).", no_args_is_help=True)

File = Annotated[Path, typer.Argument(help="Tyre property file (.tir).", show_default=False)]
Mounted = Annotated[Side | None, typer.Option(help="Side of the vehicle it is mounted on; as measured if not given.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


@app.command()
def show(
    file: File,
    out: Annotated[Path | None, folder_option(help="Folder for the plots: NAME.png and NAME.html.")] = None,
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
    out: Annotated[Path, file_option(help="CSV file to write: the points, then Fx_N,Fy_N,Mx_Nm,My_Nm,Mz_Nm.")],
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


@app.command()
def fit(
    data: Annotated[list[Path], typer.Argument(help="Bench data: .mat, .csv or TYDEX.", show_default=False)],
    out: Annotated[Path, file_option(help="Tyre property file to write (.tir).")],
    axes: Annotated[Axes | None, typer.Option(help="Axes of the data; found out if not given.")] = None,
    unit: Annotated[
        list[str] | None, typer.Option(help="CHANNEL=UNIT where a file does not say it; may be repeated.")
    ] = None,
    nominal_load: Annotated[float | None, typer.Option(help="FNOMIN in N; the middle load if not given.")] = None,
    radius: Annotated[
        float | None, typer.Option(help="UNLOADED_RADIUS in m; from the loaded radius if not given.")
    ] = None,
    keep_warm_up: Annotated[
        bool, typer.Option("--keep-warm-up", help="Use sweeps too that were driven again with another result.")
    ] = False,
    cross_validate: Annotated[
        bool, typer.Option("--cross-validate", help="Leave each load out once and say what the fit misses there.")
    ] = False,
    report: Annotated[Path | None, file_option(help="Page with curves, intervals and what is missed (.html).")] = None,
    json: Json = False,
) -> None:
    """Fit Magic Formula 6.1 to bench data, stage by stage; every coefficient with an interval, or named as not told."""
    units = dict(_pair(text) for text in unit or ())
    start = time.perf_counter()
    bench = read_bench(data, axes=axes, units=units)
    sweeps = find_sweeps(bench, keep_warm_up=keep_warm_up)
    found = fit_tyre(sweeps, nominal_load=nominal_load, radius=radius, name=out.stem)
    unseen = {load: left_out(found, load) for load in sweeps.levels("load")} if cross_validate else {}
    seconds = time.perf_counter() - start
    notes = (*bench.notes, *found.notes)
    source = (f"fitted by trackrod {__version__} to {bench.source}", *notes, *_not_told(found))
    write_tir(found.properties, out, source)
    if report is not None:
        write_fit_page(found, bench.source, notes, unseen, report)
    if json:
        print_json(
            {
                "file": str(out),
                "source": bench.source,
                "axes": str(bench.axes),
                "samples": len(sweeps.samples),
                "points": len(sweeps.points),
                "seconds": seconds,
                "coefficients": {
                    item.name: {
                        "value": item.value,
                        "standard_deviation": item.standard_deviation,
                        "interval": item.interval,
                        "on_bound": item.on_bound,
                    }
                    for item in found.coefficients.values()
                },
                "not_told": dict(found.not_told),
                "rms": [
                    {"output": m.output, "load_N": m.load, "camber_rad": m.camber, "samples": m.samples, "rms": m.rms}
                    for m in found.misfits
                ],
                "left_out": [{"load_N": load, "rms_Fy_N": rms} for load, rms in unseen.items()],
                "notes": list(notes),
            }
        )
        return
    table = Table(title=f"{out.stem}: {len(sweeps.samples)} samples in {len(sweeps.sweeps)} sweeps, {seconds:.1f} s")
    for head in ("output", "RMS", "largest measured", "worst load and camber"):
        table.add_column(head, justify="left" if head == "output" else "right")
    for item in (item for item in found.misfits if item.load is None):
        cells = [other for other in found.misfits if other.output == item.output and other.load is not None]
        worst = max(cells, key=lambda other: other.rms)
        where = f"{worst.rms:.1f} at {worst.load:.0f} N, {np.degrees(worst.camber or 0.0):.1f}°"
        table.add_row(item.output, f"{item.rms:.1f}", f"{item.largest:.0f}", where)
    console.print(table)
    for load, rms in unseen.items():
        console.print(f"Fy at {load:.0f} N, left out of the fit: RMS {rms:.1f} N", highlight=False)
    for line in (*notes, *_not_told(found)):
        console.print(line, style="dim", markup=False, highlight=False)
    console.print(f"wrote {out}", highlight=False, soft_wrap=True)


@app.command()
def scale(
    file: File,
    logs: Annotated[
        list[Path],
        typer.Argument(help="Recordings of a vehicle, or runs in our columns: files, or folders.", show_default=False),
    ],
    out: Annotated[Path, file_option(help="Tyre property file to write (.tir).")],
    factor: Annotated[
        list[str] | None, typer.Option(help=f"Of {', '.join(SCALES)}, all of one force; LMUY and LKY if none is given.")
    ] = None,
    corner: Annotated[
        list[Corner] | None, typer.Option(help="Wheel that has this tyre; all four if none is given.")
    ] = None,
    channel_map: Annotated[Path | None, MAP] = None,
    json: Json = False,
) -> None:
    """Scale a tyre of a bench to a road, by forces on the wheels of a vehicle; every factor with an interval."""
    reader = Reader(channel_map)
    runs = reader.logs(logs)
    found = fit_scaling(load_tyre(file).properties, runs, factor or ("LMUY", "LKY"), corner or tuple(Corner))
    recorded = ", ".join(str(run.metadata.get("name", "run")) for run in runs)
    source = (f"{file.name}, scaled by trackrod {__version__} to {recorded}",)
    write_tir(found.properties, out, source)
    if json:
        print_json(
            {
                "file": str(out),
                "samples": found.samples,
                "rms_before_N": found.before,
                "rms_after_N": found.after,
                "factors": {
                    item.name: {
                        "value": item.value,
                        "standard_deviation": item.standard_deviation,
                        "interval": item.interval,
                    }
                    for item in found.factors
                },
            }
        )
        return
    print_problems(reader.warnings())
    table = Table(title=f"{found.samples} samples, RMS {found.before:.0f} → {found.after:.0f} N")
    for head in ("factor", "value", "95 % from", "to"):
        table.add_column(head, justify="left" if head == "factor" else "right")
    for item in found.factors:
        table.add_row(item.name, *(f"{number:.4g}" for number in (item.value, *item.interval)))
    console.print(table)
    console.print(f"wrote {out}", highlight=False, soft_wrap=True)


def _pair(text: str) -> tuple[str, str]:
    channel, mark, unit = text.partition("=")
    if not (channel and mark and unit):
        raise InputError(f"--unit {text}: CHANNEL=UNIT is needed, for example SA=deg")
    return channel, unit


def _not_told(found: TyreFit) -> list[str]:
    """Coefficients at neutral values, a line for each reason."""
    reasons: dict[str, list[str]] = {}
    for name, reason in found.not_told.items():
        reasons.setdefault(reason, []).append(name)
    return [f"neutral, {reason}: {', '.join(names)}" for reason, names in reasons.items()]
