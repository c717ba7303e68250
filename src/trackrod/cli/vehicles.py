"""``trackrod vehicles``: what comes with Trackrod, from an index; no vehicle is opened for a list."""

from __future__ import annotations

import json as json_text
from typing import Annotated, Any

import typer
from rich.table import Table

from trackrod.cli.output import console, print_json
from trackrod.vehicle.catalogue import BUNDLED, INDEX

__all__ = ["vehicles"]


def vehicles(json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False) -> None:
    """List the vehicles that come with Trackrod."""
    figures: dict[str, dict[str, Any]] = json_text.loads(INDEX.read_text(encoding="utf-8"))
    rows = [{**figures[name], "name": name, "title": vehicle.title} for name, vehicle in BUNDLED.items()]
    if json:
        print_json(rows)
        return
    table = Table(title="Bundled vehicles")
    for column in ("name", "mass [kg]", "wheelbase [m]", "tracks [m]", "what it is"):
        table.add_column(
            column, justify="right" if "[" in column else "left", no_wrap="[" in column or column == "name"
        )
    for row in rows:
        tracks = f"{row['track_front_m']:.2f} / {row['track_rear_m']:.2f}"
        table.add_row(row["name"], f"{row['mass_kg']:.0f}", f"{row['wheelbase_m']:.2f}", tracks, row["title"])
    console.print(table)
