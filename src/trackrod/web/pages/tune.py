"""Page Tune: start a study, watch its objective, pause, stop and resume it."""

from __future__ import annotations

from functools import partial

import numpy as np
from nicegui import ui

from trackrod.report.names import in_words, parameter_title
from trackrod.web import study_form
from trackrod.web.bench import Bench
from trackrod.web.components import (
    attempt,
    command_button,
    empty,
    frame,
    head,
    job_card,
    live,
    plots,
    push,
    read_json,
    table,
)
from trackrod.web.jobs import Job, State
from trackrod.web.plots import Curve, bars, curves
from trackrod.workflow.study_settings import STUDY_KEYS

__all__ = ["page"]


def page(bench: Bench, *, dark: bool) -> None:
    """Draw it."""
    expert = bench.preferences.expert
    with head("Tune", "Uncertain parameters are moved within their bounds until both models drive alike."):
        command_button(bench.conversion)
        push("Start tuning", icon="play_arrow", on_click=lambda: attempt(bench.start_conversion)).props(
            "no-caps unelevated"
        ).classes("main")
    if expert:
        with ui.expansion("Study: parameters, bounds, weights, optimiser, budget", icon="tune").classes("job-log card"):
            study_form.draw(bench)
    else:
        _standard(bench)
    live(lambda: bench.outline_of_vehicle("convert"), lambda: _study(bench, dark=dark))


def _standard(bench: Bench) -> None:
    with ui.row().classes("row-of-fields"):
        for key in ("tolerance_pct", "seconds"):
            value = bench.preferences.draft.get("study", {}).get(key)

            def put(event: object, key: str = key) -> None:
                number = study_form.number_of(event.value, whole=False)  # type: ignore[attr-defined]
                bench.workspace.prefer(draft=study_form.changed(bench.preferences.draft, ("study", key), number))

            ui.input(
                STUDY_KEYS[key].title,
                value="" if value is None else str(value),
                placeholder=study_form.usual()[key],
                on_change=put,
                validation=partial(study_form.wrong, key),
            ).props("dense stack-label").style("width: 12rem").tooltip(STUDY_KEYS[key].meaning)


def _study(bench: Bench, *, dark: bool) -> None:
    job = bench.latest("convert")
    if job is None:
        text = "Nothing is tuned yet: press Start tuning." if bench.vehicle else "Choose a vehicle first."
        empty(text, "" if bench.vehicle else "Choose a vehicle", "/")
        return
    job_card(bench, job)
    _objective(bench, job, dark=dark)
    if job.state is State.DONE:
        _result(bench, job, dark=dark)


def _objective(bench: Bench, job: Job, *, dark: bool) -> None:
    holder = ui.column().classes("live")
    seen = {"points": -1}

    def draw() -> None:
        progress = bench.queue.progress(job)
        search = progress.search
        if len(search) == seen["points"]:
            return
        seen["points"] = len(search)
        holder.clear()
        with holder:
            if not search:
                if job.state is not State.DONE:
                    ui.label("The objective is drawn here while the search runs.").classes("about")
                return
            points = np.array(search)
            line = Curve(points[:, 1], points[:, 2], "best so far")
            found = [curves("Objective", "evaluations [-]", "objective [%]", [line], dark=dark)]
            if progress.best:
                label = "from the nominal value (0) to a bound (−1, 1) [-]"
                values = {"best so far": list(progress.best.values())}
                names = [parameter_title(name) for name in progress.best]
                found.append(bars("Parameters of the best point", label, names, values, dark=dark))
            plots(found)

    draw()
    if job.state is not State.DONE:
        ui.timer(0.5, draw)


def _result(bench: Bench, job: Job, *, dark: bool) -> None:
    summary = read_json(bench.queue.out(job) / "summary.json")
    if not isinstance(summary, dict):
        return
    found = summary["parameters"]
    ui.label(
        f"Objective {summary['objective']['nominal']:.3f} % to {summary['objective']['optimised']:.3f} % "
        f"({summary['optimiser']}, evaluations: {summary['evaluations']}); it ended because {summary['reason']}."
    ).classes("subtitle")
    moved = {"change": [p["change_pct"] or 0.0 for p in found]}
    if any(moved["change"]):
        names = [parameter_title(p["name"]) for p in found]
        plots([bars("Change of parameters", "change from the nominal value [%]", names, moved, dark=dark)])
    else:
        ui.label("No parameter was moved.").classes("about")
    ui.label("Identifiability").props("role=heading aria-level=2").classes("subtitle")
    rows = [(parameter_title(p["name"]), "yes" if p["identifiable"] else "no", in_words(p["verdict"])) for p in found]
    table(("parameter", "identifiable", "verdict"), rows)
    if bench.preferences.expert:
        with ui.expansion("Sensitivity, search and error budget: the report").classes("job-log card"):
            frame(job, "report.html", "report")
