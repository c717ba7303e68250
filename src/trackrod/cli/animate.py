"""``trackrod animate``: a run as a page in which the vehicle drives."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trackrod.cli.inputs import Payload, open_loaded
from trackrod.cli.output import console, print_json
from trackrod.cli.targets import file_option
from trackrod.cli.vehicle import Aliases, AllowOutside, Json, StandIn, TemplateFolders
from trackrod.core.errors import InputError, Place, Problem
from trackrod.core.files import try_file
from trackrod.core.run_files import read_run
from trackrod.report.animation import write_animation

__all__ = ["animate"]


def animate(
    run: Annotated[Path, typer.Argument(help="File of the run: .csv, .parquet, .mat or .mf4.")],
    vehicle: Annotated[str, typer.Option(help="Which vehicle drove: a bundled name or a database.")],
    out: Annotated[Path | None, file_option(help="The page; beside the run without it.")] = None,
    payload: Payload = None,
    alias: Aliases = None,
    templates: TemplateFolders = None,
    allow_outside: AllowOutside = False,
    stand_in: StandIn = False,
    json: Json = False,
) -> None:
    """Write a page with a 3-D animation of a run: body, wheels, path and tyre forces."""
    target = run.with_suffix(".html") if out is None else out
    if target.suffix.casefold() != ".html":
        raise InputError(
            Problem(f"the suffix '{target.suffix}' is no kind of animation", Place(target), hint="use .html")
        )
    recorded = read_run(run)
    try_file(target)
    found, _ = open_loaded(vehicle, payload, alias, templates, allow_outside=allow_outside, stand_in=stand_in)
    drove = recorded.metadata.get("vehicle", found.name)
    if drove != found.name:
        raise InputError(
            Problem(f"'{drove}' drove this run, not '{found.name}'", Place(run), hint=f"--vehicle {drove}")
        )
    frames = write_animation(recorded, found, target)
    if json:
        print_json(
            {"file": str(target), "frames": len(frames.time), "duration_s": float(frames.time[-1] - frames.time[0])}
        )
        return
    console.print(f"wrote {target}: {len(frames.time)} frames", highlight=False, soft_wrap=True)
