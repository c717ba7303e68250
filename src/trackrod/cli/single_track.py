"""``trackrod single-track``: a single-track model from steering-wheel angle, speed and yaw rate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.table import Table

from trackrod.cli.output import console, print_json
from trackrod.cli.targets import file_option
from trackrod.cli.vehicle import Json
from trackrod.core.artefact import Artefact, Provenance, save
from trackrod.core.run_files import read_run
from trackrod.estimate.single_track import identify_single_track, usual_single_track
from trackrod.report.page import shown
from trackrod.single_track.description import SINGLE_TRACK

__all__ = ["single_track"]


def single_track(
    logs: Annotated[list[Path], typer.Argument(help="Recorded runs.", show_default=False)],
    wheelbase: Annotated[float, typer.Option(help="Wheelbase in m.")],
    out: Annotated[Path, file_option(help="File of the model to write (.json).")],
    mass: Annotated[float, typer.Option(help="Mass in kg; motions tell stiffness and inertia over it alone.")] = 1500.0,
    front_share: Annotated[float, typer.Option(help="Share of the mass on the front axle.")] = 0.55,
    front_share_std: Annotated[float, typer.Option(help="How well it is known; 0 holds it.")] = 0.05,
    yaw_rate_resolution: Annotated[float, typer.Option(help="Of the recording in rad/s.")] = 0.0,
    json: Json = False,
) -> None:
    """Identify a single-track model: every parameter with an interval, and whether the recordings tell it.

    `trackrod validate` takes the file as a model.
    """
    runs = [read_run(path) for path in logs]
    found = identify_single_track(
        runs,
        usual_single_track(wheelbase, mass, front_share=front_share),
        known={"front_share": front_share_std},
        noise={"yaw_rate_radps": max(yaw_rate_resolution / np.sqrt(12.0), 1e-4)},
    )
    settings = {"wheelbase": wheelbase, "mass": mass, "front_share": front_share, "front_share_std": front_share_std}
    save(Artefact(SINGLE_TRACK, found.model, Provenance.of(logs, settings)), out)
    items = (*found.estimates.values(), found.understeer_gradient)
    if json:
        print_json(
            {
                "file": str(out),
                "parameters": {
                    item.name: {
                        "value": item.value,
                        "standard_deviation": item.standard_deviation,
                        "interval": item.interval,
                        "told": item.told,
                    }
                    for item in items
                },
                "rms": dict(found.rms),
                "independent_samples": dict(found.independent_samples),
                "sentences": list(found.sentences),
            }
        )
        return
    table = Table(title="single-track model")
    for head in ("parameter", "value", "95 % from", "to", "told"):
        table.add_column(head, justify="left" if head in ("parameter", "told") else "right")
    for item in items:
        numbers = (shown(value) for value in (item.value, *item.interval))
        table.add_row(item.name, *numbers, "yes" if item.told else "no, as usual")
    console.print(table)
    for sentence in found.sentences:
        console.print(sentence, markup=False, highlight=False)
    console.print(f"wrote {out}", highlight=False, soft_wrap=True)
