"""Page Manoeuvres: drive one with both models; curves laid over each other, both vehicles in motion."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from trackrod.core.corners import Corner
from trackrod.manoeuvres.registry import MANOEUVRES, needs_file
from trackrod.manoeuvres.settings import settings_of
from trackrod.metrics.indices import INDEX_SETS
from trackrod.report.names import manoeuvre_name
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
from trackrod.web.plots import Curve, curves, unit_for
from trackrod.web.tables import read_columns

__all__ = ["page", "signal_names", "signal_title"]

#: What is drawn first.
_FIRST = ("ay", "yaw_rate", "roll", "vx")
#: What symbols stand for.
_SYMBOLS = {
    **{f"v{axis}": f"{way} velocity" for axis, way in zip("xy", ("longitudinal", "lateral"), strict=True)},
    **{
        f"a{axis}": f"{way} acceleration"
        for axis, way in zip("xyz", ("longitudinal", "lateral", "vertical"), strict=True)
    },
    **{axis: f"position {axis}" for axis in "xyz"},
    **{angle: f"{angle} angle" for angle in ("roll", "pitch", "yaw", "sideslip")},
    **{f"F{axis}": f"{way} force" for axis, way in zip("xyz", ("longitudinal", "lateral", "normal"), strict=True)},
    "My": "rolling moment",
    "Mz": "aligning moment",
}
_KINDS = {"multibody": "multibody model", "rtm": "real-time model"}


def page(bench: Bench, *, dark: bool) -> None:
    """Draw it."""
    names = {name: manoeuvre_name(name) for name in MANOEUVRES if name in INDEX_SETS and not needs_file(name)}
    chosen: dict[str, Any] = {"manoeuvre": "step_steer", "settings": {}}
    errors: list[Any] = []
    with head(
        "Manoeuvres", "Drive a manoeuvre with the multibody and the real-time model, and see how far they differ."
    ):
        ui.select(names, value="step_steer", label="manoeuvre", on_change=lambda e: choose(str(e.value))).props(
            "dense options-dense"
        ).style("width: 13rem")
        command_button(lambda: _command(bench, chosen))
        push("Drive both models", icon="play_arrow", on_click=lambda: _run(bench, chosen, errors[0])).props(
            "no-caps unelevated"
        ).classes("main")
    errors.append(ui.column().classes("problems"))
    form = ui.column().classes("live")

    def choose(name: str) -> None:
        chosen.update(manoeuvre=name, settings={})
        form.clear()
        if bench.preferences.expert:
            with form, ui.expansion("Settings of the manoeuvre", icon="tune").classes("job-log card"):
                _settings(chosen)

    choose("step_steer")
    live(lambda: bench.outline_of_vehicle("compare"), lambda: _result(bench, dark=dark))


def _settings(chosen: dict[str, Any]) -> None:
    with ui.element("div").classes("fields"):
        for declared in settings_of(MANOEUVRES[chosen["manoeuvre"]]):
            if declared.is_text:
                continue
            with ui.column().classes("field"):
                put = lambda e, name=declared.name: chosen["settings"].update({name: str(e.value or "").strip()})  # noqa: E731
                if declared.choices:
                    options = {"": f"{declared.default} by default", **{word: word for word in declared.choices}}
                    ui.select(options, value="", label=declared.title, on_change=put).props("dense options-dense")
                else:
                    usual = "found by driving" if declared.default is None else f"{declared.default:g}"
                    ui.input(declared.title, placeholder=usual, on_change=put).props("dense stack-label")
                ui.label(declared.meaning).classes("about")


def _command(bench: Bench, chosen: dict[str, Any]) -> commands.Command:
    source, name, _ = bench.source()
    return commands.compare(source, name, chosen["manoeuvre"], chosen["settings"])


def _run(bench: Bench, chosen: dict[str, Any], errors: Any) -> None:
    attempt(lambda: bench.run(_command(bench, chosen), bench.preferences.vehicle), errors)


def _result(bench: Bench, *, dark: bool) -> None:
    jobs = [job for job in bench.queue.jobs("compare") if job.vehicle == bench.preferences.vehicle]
    if not jobs:
        text = "Nothing has been driven yet: choose a manoeuvre and press Drive both models."
        empty(text if bench.vehicle else "Choose a vehicle first.", "" if bench.vehicle else "Choose a vehicle", "/")
        return
    for job in [job for job in jobs if job.state is not State.DONE][:3]:
        job_card(bench, job)
    done = [job for job in jobs if job.state is State.DONE]
    if not done:
        return
    holder = ui.column().classes("live")

    def show(number: int) -> None:
        holder.clear()
        with holder:
            _driven(bench, bench.queue.job(number), dark=dark)

    if len(done) > 1:
        options = {job.number: f"{job.number}. {job.title}" for job in done[:50]}
        with holder:
            pass
        ui.select(options, value=done[0].number, label="shown", on_change=lambda e: show(int(e.value))).props(
            "dense options-dense"
        ).style("width: 20rem").move(target_index=0)
    show(done[0].number)


def signal_names(units: dict[str, str]) -> list[str]:
    """Columns that can be drawn over time."""
    return [name for name in units if name != "time"]


def signal_title(name: str) -> str:
    """A signal in words: ``Fz_fl`` is the "normal force, fl"."""
    family, _, corner = name.rpartition("_")
    if corner in tuple(Corner):
        return f"{_SYMBOLS.get(family, family.replace('_', ' '))}, {corner}"
    return _SYMBOLS.get(name, name.replace("_", " "))


def _driven(bench: Bench, job: Job, *, dark: bool) -> None:
    out = bench.queue.out(job)
    runs = {kind: next(iter(sorted(out.glob(f"*_{kind}.csv"))), None) for kind in _KINDS}
    tables = {kind: read_columns(path) for kind, path in runs.items() if path is not None}
    found = {kind: table for kind, table in tables.items() if table is not None}
    if not found:
        ui.label("The job left no runs.").classes("about")
        return
    names = signal_names(next(iter(found.values())).units)
    drawn = ui.element("div").style("width: 100%")

    def draw(chosen: list[str]) -> None:
        drawn.clear()
        with drawn:
            plots(_curve(bench, found, name, dark=dark) for name in chosen)

    first = [name for name in _FIRST if name in names] or names[:4]
    _animation(bench, job, dark=dark)
    ui.label(job.title).props("role=heading aria-level=2").classes("subtitle")
    titles = {name: signal_title(name) for name in names}
    ui.select(titles, value=first, multiple=True, label="signals", on_change=lambda e: draw(list(e.value)[:12])).props(
        "dense options-dense use-chips use-input"
    ).style("width: 100%")
    drawn.move(target_index=-1)
    draw(first)
    page_name = next((path.name for path in sorted(out.glob("*.html"))), "")
    if page_name:
        with ui.expansion("Indices: differences in percent").classes("job-log card"):
            frame(job, page_name, "comparison")


def _curve(bench: Bench, found: dict[str, Any], name: str, *, dark: bool) -> Any:
    lines, unit = [], ""
    for kind, table in found.items():
        if name in table.values:
            factor, unit = unit_for(table.units[name], engineering=bench.preferences.engineering)
            lines.append(Curve(table.values["time"], factor * table.values[name], _KINDS[kind]))
    label = signal_title(name)
    return curves(label, "time [s]", f"{label} [{unit}]" if unit else label, lines, dark=dark)


def _animation(bench: Bench, job: Job, *, dark: bool) -> None:
    view = bench.queue.read(job, "view.json")
    if not isinstance(view, dict) or not view.get("runs"):
        return
    viewers = []
    with ui.element("div").classes("half"):
        for kind, words in _KINDS.items():
            if kind in view["runs"]:
                with ui.column():
                    ui.label(words.capitalize()).props("role=heading aria-level=2").classes("subtitle")
                    viewers.append(Viewer(job, f"{words} in motion", dark=dark, run=kind))
                    viewers[-1].hide(["hardpoints", "centres of mass", "joints", "bushings"])
    times = next(iter(view["runs"].values()))["time"]
    last = max(run["time"][-1] for run in view["runs"].values())
    state = {"playing": False}

    def show(time: float) -> None:
        for viewer in viewers:
            viewer.run_method("set_time", time)
        told.set_text(f"{time:.2f} s")

    def play() -> None:
        state["playing"] = not state["playing"]
        button.set_text("Pause" if state["playing"] else "Play")
        if state["playing"] and slider.value >= last:
            slider.set_value(times[0])

    def tick() -> None:
        if state["playing"]:
            slider.set_value(min(slider.value + 0.05, last))
            if slider.value >= last:
                play()

    with ui.row().classes("row-of-fields"):
        button = push("Play", on_click=play).props("outline no-caps").style("width: 5.5rem")
        slider = (
            Slider(min=times[0], max=last, step=0.01, value=times[0], on_change=lambda e: show(float(e.value)))
            .props('aria-label="time"')
            .style("flex: 1")
        )
        told = ui.label(f"{times[0]:.2f} s").style("width: 5rem")
    ui.timer(0.05, tick)
