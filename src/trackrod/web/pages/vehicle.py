"""Page Vehicle: choose one, upload one, look at it, read its audit."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from nicegui import events, ui

from trackrod.core.errors import TrackrodError
from trackrod.web.bench import Bench
from trackrod.web.components import (
    Viewer,
    attempt,
    command_button,
    empty,
    head,
    job_card,
    live,
    problem_list,
    push,
    table,
    upload,
    what_is_wrong,
)
from trackrod.web.jobs import Job, State
from trackrod.web.plots import unit_for

__all__ = ["page"]


def page(bench: Bench, *, dark: bool) -> None:
    """Draw it."""
    with head("Vehicle", "Choose the vehicle that is converted: one that comes with Trackrod, or one of your own."):
        command_button(bench.conversion)
        push("Convert", icon="play_arrow", on_click=lambda: _convert(bench)).props("no-caps unelevated").classes("main")
    live(lambda: _offered(bench), lambda: _choices(bench))
    errors = ui.column().classes("problems")
    limit = bench.workspace.limits.packed
    upload(
        f"Your own database: drop a zipped .cdb here (up to {limit // 2**20} MiB)",
        ".zip",
        lambda event: _uploaded(bench, event, errors),
        max_file_size=limit,
        max_files=20,
        on_rejected=lambda: _too_large(errors, limit),
    )
    live(lambda: bench.outline_of_vehicle("inspect"), lambda: _audit(bench, dark=dark))


def _convert(bench: Bench) -> None:
    if attempt(bench.start_conversion) is not None:
        ui.navigate.to("/convert")


def _too_large(errors: ui.column, limit: int) -> None:
    errors.clear()
    with errors:
        problem_list([f"error: a .zip of up to {limit // 2**20} MiB is needed"])


async def _uploaded(bench: Bench, event: events.UploadEventArguments, errors: ui.column) -> None:
    errors.clear()
    with TemporaryDirectory(prefix="trackrod-") as folder:
        archive = Path(folder) / "upload.zip"
        await event.file.save(archive)
        try:
            keys = bench.workspace.add_vehicle(event.file.name, archive)
        except TrackrodError as error:
            with errors:
                problem_list(sentence.replace(f"{archive}: ", "") for sentence in what_is_wrong(error))
            return
    bench.choose(keys[0])


def _offered(bench: Bench) -> Hashable:
    return bench.preferences.vehicle, tuple(sorted(path.name for path in bench.workspace.vehicles_folder.iterdir()))


def _choices(bench: Bench) -> None:
    chosen = bench.preferences.vehicle
    with ui.element("div").classes("vehicles"):
        for choice in bench.workspace.vehicles():
            name = choice.key if choice.bundled else Path(choice.key).stem
            card = ui.element("button").classes("vehicle" + (" chosen-one" if choice.key == chosen else ""))
            card.props(f"type=button aria-pressed={'true' if choice.key == chosen else 'false'}")
            card.on("click", lambda _, key=choice.key: attempt(lambda: bench.choose(key)))
            with card:
                with ui.element("b"):
                    ui.label(name)
                with ui.element("span"):
                    ui.label(choice.title)


def _audit(bench: Bench, *, dark: bool) -> None:
    if bench.vehicle is None:
        empty("Choose a vehicle above. Then press Convert: the rest follows by itself.")
        return
    job = bench.latest("inspect")
    if job is None:
        return
    if job.state is not State.DONE and not (job.state is State.FAILED and _view(bench, job)):
        job_card(bench, job)
        return
    view = _view(bench, job) or {}
    with ui.element("div").classes("two"):
        with ui.column():
            ui.label("Mechanism").props("role=heading aria-level=2").classes("subtitle")
            _scene(job, view, dark=dark)
        with ui.column():
            ui.label("Key figures").props("role=heading aria-level=2").classes("subtitle")
            table(("quantity", "value", "unit"), list(_figures(bench, view)))
    _problems(view, notes=bench.preferences.expert)


def _view(bench: Bench, job: Job) -> dict[str, Any] | None:
    found = bench.queue.read(job, "view.json")
    return found if isinstance(found, dict) else None


def _figures(bench: Bench, view: dict[str, Any]) -> Any:
    for name, value, unit in view.get("figures", ()):
        if isinstance(value, str):
            yield name, value, unit
        else:
            factor, shown = unit_for(unit, engineering=bench.preferences.engineering)
            yield name, factor * (round(value, 6) + 0.0), shown  # what is left of zero by rounding is zero


def _scene(job: Job, view: dict[str, Any], *, dark: bool) -> None:
    def picked(what: dict[str, Any] | None) -> None:
        details.clear()
        with details:
            if what is None:
                ui.label("Drag to turn, scroll to zoom, click an element for its values.").classes("about")
                return
            ui.label(f"{what.get('name', '')} ({what.get('kind') or what.get('layer', '')})").classes("job-title")
            for line in list(what.get("details", ()))[:20]:
                ui.label(str(line)).classes("about")

    viewer = Viewer(job, "3-D scene of the mechanism", dark=dark, on_pick=picked)
    layers = view.get("scene", {}).get("layers", [])
    hidden = {"hardpoints", "centres of mass"} & set(layers)
    viewer.hide(sorted(hidden))
    with ui.row():
        for layer in layers:

            def switch(event: Any, layer: str = layer) -> None:
                (hidden.discard if event.value else hidden.add)(layer)
                viewer.hide(sorted(hidden))

            ui.checkbox(str(layer), value=layer not in hidden, on_change=switch).props("dense")
    details = ui.column()
    picked(None)


def _problems(view: dict[str, Any], *, notes: bool) -> None:
    ui.label("Audit").props("role=heading aria-level=2").classes("subtitle")
    order = {"error": 0, "warning": 1, "note": 2}
    found = sorted(view.get("problems", ()), key=lambda problem: order.get(problem.get("severity"), 3))
    if not found:
        ui.label("No problem was found.").classes("good")
        return
    counts = {kind: sum(problem["severity"] == kind for problem in found) for kind in order}
    ui.label(", ".join(f"{count} {kind}{'' if count == 1 else 's'}" for kind, count in counts.items())).classes("about")
    found = [problem for problem in found if notes or problem["severity"] != "note"]
    if not found:
        return
    rows = [
        (p["severity"], p["text"], p["hint"], Path(p["file"]).name if p["file"] else "", p["line"] or "") for p in found
    ]
    table(("severity", "problem", "what to do", "file", "line"), rows, most=10)
