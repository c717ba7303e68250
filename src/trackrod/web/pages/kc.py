"""Page K&C: both axles on the rig; curves, maps as surfaces, and the suspension in motion."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from nicegui import ui

from trackrod.web import commands
from trackrod.web.bench import Bench
from trackrod.web.components import (
    Slider,
    Viewer,
    attempt,
    command_button,
    empty,
    frame,
    head,
    job_card,
    live,
    plots,
    push,
)
from trackrod.web.jobs import Job, State
from trackrod.web.plots import Curve, Plot, curves, surface, unit_for
from trackrod.web.tables import Columns, read_columns

__all__ = ["page"]

#: What is drawn over parallel travel, and over rack travel: column, title.
_CURVES = (
    ("toe", "Toe"),
    ("camber", "Camber"),
    ("ty", "Lateral displacement of the wheel centre"),
    ("tx", "Longitudinal displacement of the wheel centre"),
    ("Fz", "Wheel load"),
    ("caster", "Caster"),
)
_MAPS = (("steer_left", "Steer angle, left wheel"), ("camber_left", "Camber, left wheel"))


def page(bench: Bench, *, dark: bool) -> None:
    """Draw it."""
    options: dict[str, str] = {}
    with head("K&C", "Kinematics and compliance: both axles on a virtual rig, body fixed."):
        command_button(lambda: _command(bench, options))
        push("Run the rig", icon="play_arrow", on_click=lambda: _run(bench, options)).props(
            "no-caps unelevated"
        ).classes("main")
    if bench.preferences.expert:
        with ui.row().classes("row-of-fields"):
            for key, value, label in (
                ("travel-mm", "-80:80:2", "wheel travel FROM:TO:STEP [mm]"),
                ("rack-mm", "-70:70:2", "rack travel FROM:TO:STEP [mm]"),
                ("map-points", "41", "points of the map along each axis"),
            ):
                ui.input(label, placeholder=value, on_change=lambda e, key=key: options.update({key: e.value})).props(
                    "dense stack-label"
                ).style("width: 16rem")
            ui.select(
                {"": "as the files say", "kinematic": "kinematic", "compliant": "compliant"},
                value="",
                label="mode",
                on_change=lambda e: options.update(mode=e.value),
            ).props("dense").style("width: 11rem")
    live(lambda: bench.outline_of_vehicle("kc"), lambda: _result(bench, dark=dark))


def _command(bench: Bench, options: dict[str, str]) -> commands.Command:
    source, name, _ = bench.source()
    return commands.kc(source, name, {key: value.strip() for key, value in options.items()})


def _run(bench: Bench, options: dict[str, str]) -> None:
    attempt(lambda: bench.run(_command(bench, options), bench.preferences.vehicle))


def _result(bench: Bench, *, dark: bool) -> None:
    job = bench.latest("kc")
    if job is None:
        text = "The rig has not run yet: press Run the rig." if bench.vehicle else "Choose a vehicle first."
        empty(text, "" if bench.vehicle else "Choose a vehicle", "/")
        return
    if job.state is not State.DONE:
        job_card(bench, job)
        return
    axles = [axle for axle in ("front", "rear") if (bench.queue.out(job) / f"{axle}_parallel.csv").is_file()]
    with ui.element("div").classes("two"):
        with ui.column():
            ui.label("On the rig").props("role=heading aria-level=2").classes("subtitle")
            _rig(bench, job, axles, dark=dark)
        with ui.column():
            ui.label("Map").props("role=heading aria-level=2").classes("subtitle")
            plots(_maps(bench, job, axles[:1], dark=dark))
    ui.label("Curves").props("role=heading aria-level=2").classes("subtitle")
    plots(_curves(bench, job, axles, dark=dark))
    if bench.preferences.expert:
        plots(_maps(bench, job, axles, dark=dark, more=True))
        with ui.expansion("Page of the rig: every quantity with its meaning").classes("job-log card"):
            frame(job, "kc.html", "K&C page")
        job_card(bench, job)


def _rig(bench: Bench, job: Job, axles: list[str], *, dark: bool) -> None:
    if bench.queue.read(job, "view.json") is None:
        ui.label("The mechanism cannot be drawn; the log of the job says why.").classes("about")
        job_card(bench, job)
        return
    viewer = Viewer(job, "the suspension on the rig", dark=dark)
    viewer.hide(["hardpoints", "centres of mass", "chassis"])
    engineering = bench.preferences.engineering
    factor, unit = unit_for("m", engineering=engineering)
    chosen: dict[str, Any] = {"axle": axles[0] if axles else "front", "travel": 0.0, "rack": 0.0}
    told: dict[str, ui.label] = {}
    with ui.row().classes("row-of-fields"):
        ui.toggle(axles, value=chosen["axle"], on_change=lambda e: move("axle", e.value)).props(
            f"no-caps dense toggle-text-color={'black' if dark else 'white'}"
        )
    for name, label, most in (
        ("travel", "wheel travel, both wheels", 0.08),
        ("rack", "rack travel, to the left", 0.06),
    ):
        with ui.row().classes("row-of-fields"):
            ui.label(label).style("width: 13rem")
            value = ui.label("").style("width: 5rem; text-align: right")
            Slider(
                min=-most, max=most, step=most / 80, value=0.0, on_change=lambda e, name=name: move(name, e.value)
            ).props(f'aria-label="{label}"').style("flex: 1; min-width: 8rem").mark(name)
        told[name] = value

    def move(name: str, value: object) -> None:
        chosen[name] = value
        viewer.run_method("set_pose", chosen["axle"], chosen["travel"], chosen["rack"])
        tell()

    def tell() -> None:
        for name in ("travel", "rack"):
            told[name].set_text(f"{factor * float(chosen[name]):.3g} {unit}")

    tell()


def _curves(bench: Bench, job: Job, axles: list[str], *, dark: bool) -> Iterator[Plot]:
    engineering = bench.preferences.engineering
    for test, abscissa, over in (("parallel", "travel_left", "travel"), ("steer", "rack_travel", "rack travel")):
        tables = {axle: read_columns(bench.queue.out(job) / f"{axle}_{test}.csv") for axle in axles}
        for name, title in _CURVES if test == "parallel" else (("steer", "Steer angle"), ("camber", "Camber")):
            lines, units = [], ("", "")
            for axle, table in tables.items():
                for side in ("left", "right"):
                    if table is None or f"{name}_{side}" not in table.values or abscissa not in table.values:
                        continue
                    (fx, ux), (fy, uy) = (
                        unit_for(table.units[key], engineering=engineering) for key in (abscissa, f"{name}_{side}")
                    )
                    units = (ux, uy)
                    x, y = fx * table.values[abscissa], fy * table.values[f"{name}_{side}"]
                    lines.append(Curve(x, y, f"{axle}, {side}"))
            if lines:
                labels = f"{over} [{units[0]}]", f"{title.split(' of')[0]} [{units[1]}]"
                yield curves(f"{title} over {over}", *labels, lines, dark=dark)


def _maps(bench: Bench, job: Job, axles: list[str], *, dark: bool, more: bool = False) -> Iterator[Plot]:
    for axle in axles:
        table = read_columns(bench.queue.out(job) / f"{axle}_map.csv")
        if table is None:
            continue
        for name, title in _MAPS if more else _MAPS[:1]:
            if (found := _grid(table, name)) is None:
                continue
            x, y, z, second = found
            engineering = bench.preferences.engineering
            f, u = unit_for("m", engineering=engineering)
            fz, uz = unit_for(table.units[name], engineering=engineering)
            labels = (f"travel [{u}]", f"{second} [{u}]", f"[{uz}]")
            yield surface(f"{title}, {axle} axle", labels, f * x, f * y, fz * z, dark=dark)


def _grid(table: Columns, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, str] | None:
    values = table.values
    if not {"travel_left", "travel_right", name} <= set(values):
        return None
    parallel = np.round(0.5 * (values["travel_left"] + values["travel_right"]), 7)
    rack = np.round(values.get("rack_travel", np.zeros(len(parallel))), 7)
    opposite = np.round(0.5 * (values["travel_left"] - values["travel_right"]), 7)
    steered = np.ptp(rack) > 0
    second = rack if steered else opposite
    x, y = np.unique(parallel), np.unique(second)
    z = np.full((len(y), len(x)), np.nan)
    z[np.searchsorted(y, second), np.searchsorted(x, parallel)] = values[name]
    return x, y, z, "rack travel" if steered else "opposite travel"
