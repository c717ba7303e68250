"""Page Convert: the study runs; certain and uncertain parameters, split factors, what it found."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from trackrod.report.names import manoeuvre_name, parameter_title
from trackrod.tune.space import SPLIT_FACTORS
from trackrod.web import study_form
from trackrod.web.bench import Bench
from trackrod.web.components import (
    attempt,
    command_button,
    empty,
    head,
    job_card,
    live,
    plots,
    push,
    read_json,
    table,
)
from trackrod.web.jobs import Job, State
from trackrod.web.plots import bars, unit_for

__all__ = ["page"]


def page(bench: Bench, *, dark: bool) -> None:
    """Draw it."""
    about = "Rig, conversion, reference manoeuvres, tuning, proof, report. It goes on when the page is closed."
    options: dict[str, str] = {}
    with head("Convert", about):
        command_button(lambda: bench.conversion(options))
        push("Convert", icon="play_arrow", on_click=lambda: _start(bench, options)).props("no-caps unelevated").classes(
            "main"
        )
    if bench.preferences.expert:
        with ui.expansion("Study file: all settings of the study", icon="tune").classes("job-log card"):
            study_form.draw(bench)
        with ui.row().classes("row-of-fields"):
            ui.select(
                {"": "as it is read", "kerb": "kerb", "half": "half", "laden": "laden"},
                value="",
                label="payload",
                on_change=lambda event: options.update(payload=event.value),
            ).props("dense options-dense").style("min-width: 11rem")
    live(lambda: bench.outline_of_vehicle("convert"), lambda: _study(bench, dark=dark))


def _start(bench: Bench, options: dict[str, str]) -> None:
    attempt(lambda: bench.start_conversion({k: v for k, v in options.items() if v}))


def _study(bench: Bench, *, dark: bool) -> None:
    job = bench.latest("convert")
    if job is None:
        text = "There is no study of this vehicle yet: press Convert." if bench.vehicle else "Choose a vehicle first."
        empty(text, "" if bench.vehicle else "Choose a vehicle", "/")
        return
    job_card(bench, job)
    done = job if job.state is State.DONE else bench.latest("convert", done=True)
    if done is None:
        return
    if done.number != job.number:
        ui.label(f"Results of study {done.number}, the last that was finished:").classes("about")
    _result(bench, done, dark=dark)


def _result(bench: Bench, job: Job, *, dark: bool) -> None:
    summary = read_json(bench.queue.out(job) / "summary.json")
    if not isinstance(summary, dict):
        return
    worst = {
        held: max((i["optimised_pct"] or 0.0 for i in summary["indices"] if i["hold_out"] is held), default=0.0)
        for held in (False, True)
    }
    limit = summary["tolerance_pct"]
    with ui.row().classes("row-of-fields"):
        with ui.column().classes("page-title"):
            within = max(worst.values()) <= limit
            ui.label(
                f"Largest index: {worst[False]:.2f} % in manoeuvres used for tuning, {worst[True]:.2f} % in hold-out "
                f"manoeuvres; tolerance {limit:g} %."
            ).classes("subtitle " + ("good" if within else "bad"))
            ui.label(f"{summary.get('compared', '')} Search: {summary['reason']}.").classes("about")
        push("Report", icon="description", on_click=lambda: ui.navigate.to(f"/report/{job.number}")).props(
            "no-caps unelevated"
        ).classes("main")
    _parameters(bench, job, summary)
    tests: dict[str, float] = {}
    nominal: dict[str, float] = {}
    for index in summary["indices"]:
        label = manoeuvre_name(index["manoeuvre"]) + (", held out" if index["hold_out"] else "")
        tests[label] = max(tests.get(label, 0.0), index["optimised_pct"] or 0.0)
        nominal[label] = max(nominal.get(label, 0.0), index["nominal_pct"] or 0.0)
    series = {"converted": list(nominal.values()), "tuned": list(tests.values())}
    plots([bars("Largest index of each manoeuvre", "difference [%]", list(tests), series, dark=dark)])
    if bench.preferences.expert:
        ui.label("Every index").props("role=heading aria-level=2").classes("subtitle")
        use = {True: "held out", False: "used for tuning"}
        rows = [
            (manoeuvre_name(i["manoeuvre"]), i["index"], use[i["hold_out"]], i["nominal_pct"], i["optimised_pct"])
            for i in summary["indices"]
        ]
        table(("manoeuvre", "index", "use", "converted [%]", "tuned [%]"), rows, most=15)


def _parameters(bench: Bench, job: Job, summary: dict[str, Any]) -> None:
    engineering = bench.preferences.engineering
    rows: list[tuple[Any, ...]] = []
    splits: list[tuple[Any, ...]] = []
    for item in summary["parameters"]:
        factor, unit = unit_for(item["unit"], engineering=engineering)
        numbers = [None if value is None else factor * value for value in (item["nominal"], item["optimised"])]
        numbers += [factor * value for value in item["interval"]]
        remark = "on its bound" if item["on_bound"] else "out of its interval" if item["makes_up"] else ""
        row = (parameter_title(item["name"]), *numbers, "" if unit == "-" else unit, remark)
        (splits if item["name"] in SPLIT_FACTORS else rows).append(row)
    heads = ("parameter", "converted", "tuned", "95 % from", "to", "unit", "remark")
    view = bench.queue.read(job, "view.json")
    sources = view.get("sources", []) if isinstance(view, dict) else []
    with ui.element("div").classes("two"):
        with ui.column():
            ui.label("Uncertain: what may be tuned").props("role=heading aria-level=2").classes("subtitle")
            table(heads, rows)
            if splits:
                ui.label("Split factors").props("role=heading aria-level=2").classes("subtitle")
                table(heads, splits)
        with ui.column():
            ui.label("Where numbers come from").props("role=heading aria-level=2").classes("subtitle")
            if sources:
                told = [
                    (parameter_title(s["name"]), "certain" if s["certain"] else "uncertain", s["text"])
                    for s in sorted(sources, key=lambda s: not s["certain"])
                ]
                table(("quantity", "certain?", "source"), told, most=15)
            _round_trip(summary)


def _round_trip(summary: dict[str, Any]) -> None:
    """How far the converted model on the rig is from the maps that it was made of; older studies do not say."""
    ui.label("Round trip: the converted model back on the rig").props("role=heading aria-level=2").classes("subtitle")
    if found := summary.get("round_trip"):
        table(("quantity", "largest difference from the maps"), list(found.items()))
    else:
        ui.label("It stands in the report of this study, section Kinematics and compliance.").classes("about")
