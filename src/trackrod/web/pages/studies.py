"""Page Studies: the queue, and two studies side by side."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from trackrod.report.names import manoeuvre_name, parameter_title
from trackrod.web.bench import Bench
from trackrod.web.components import attempt, empty, head, job_card, live, plots, push, read_json, table
from trackrod.web.jobs import State
from trackrod.web.plots import Curve, bars, curves, unit_for
from trackrod.web.tables import read_columns

__all__ = ["page"]

#: Jobs that are listed at once.
_MOST = 40


def page(bench: Bench, *, dark: bool) -> None:
    """Draw it."""
    with head("Studies", "All jobs of this workspace, newest first. One job runs at a time; the others wait."):
        push("Delete what failed", icon="delete", on_click=lambda: _clear(bench)).props("outline no-caps")
    live(lambda: bench.outline("convert"), lambda: _comparison(bench, dark=dark))
    live(bench.outline, lambda: _jobs(bench))


def _clear(bench: Bench) -> None:
    for job in bench.queue.jobs():
        if job.state in (State.FAILED, State.STOPPED):
            attempt(lambda job=job: bench.queue.remove(job.number))  # type: ignore[misc]


def _jobs(bench: Bench) -> None:
    jobs = bench.queue.jobs()
    if not jobs:
        empty("Nothing was asked for yet.", "Choose a vehicle", "/")
        return
    for job in jobs[:_MOST]:
        job_card(bench, job, small=job.state is State.DONE and not bench.preferences.expert)
    if len(jobs) > _MOST:
        ui.label(f"{len(jobs) - _MOST} older ones are not listed.").classes("about")


def _comparison(bench: Bench, *, dark: bool) -> None:
    done = {job.number: f"{job.number}. {job.title}" for job in bench.queue.jobs("convert") if job.state is State.DONE}
    if len(done) < 2:
        ui.label("Two finished studies can be compared here.").classes("about")
        return
    chosen = dict(zip(("first", "second"), list(done)[:2], strict=True))
    ui.label("Two studies side by side").props("role=heading aria-level=2").classes("subtitle")
    with ui.row().classes("row-of-fields"):
        for name, number in chosen.items():
            ui.select(
                done,
                value=number,
                label=f"{name} study",
                on_change=lambda e, name=name: choose(name, int(e.value)),
            ).props("dense options-dense").style("width: 20rem")
    holder = ui.column().classes("live")

    def choose(name: str, number: int) -> None:
        chosen[name] = number
        draw()

    def draw() -> None:
        holder.clear()
        with holder:
            _side_by_side(bench, chosen["first"], chosen["second"], dark=dark)

    draw()


def _side_by_side(bench: Bench, first: int, second: int, *, dark: bool) -> None:
    pair = [read_json(bench.queue.out(number) / "summary.json") for number in (first, second)]
    if not all(isinstance(summary, dict) for summary in pair):
        return
    names = dict.fromkeys(item["name"] for summary in pair for item in summary["parameters"])
    tuned = [{item["name"]: item for item in summary["parameters"]} for summary in pair]
    rows: list[tuple[Any, ...]] = []
    for name in names:
        item = tuned[0].get(name) or tuned[1][name]
        factor, unit = unit_for(item["unit"], engineering=bench.preferences.engineering)
        values = [factor * found[name]["optimised"] if name in found else "" for found in tuned]
        rows.append((parameter_title(name), *values, "" if unit == "-" else unit))
    table(("parameter", f"study {first}", f"study {second}", "unit"), rows)
    keys = dict.fromkeys((i["manoeuvre"], i["index"]) for summary in pair for i in summary["indices"])
    indices = [{(i["manoeuvre"], i["index"]): i["optimised_pct"] for i in summary["indices"]} for summary in pair]
    worst: dict[str, list[float]] = {}
    for key in keys:
        two = worst.setdefault(manoeuvre_name(key[0]), [0.0, 0.0])
        for k, found in enumerate(indices):
            two[k] = max(two[k], found.get(key) or 0.0)
    series = {f"study {n}": [two[k] for two in worst.values()] for k, n in enumerate((first, second))}
    plots(
        [
            bars("Largest index of each manoeuvre", "difference [%]", list(worst), series, dark=dark),
            *_curves(bench, first, second, dark=dark),
        ]
    )


def _curves(bench: Bench, first: int, second: int, *, dark: bool) -> Any:
    """The yaw rate of every test that both have driven."""
    folders = [bench.queue.out(number) / "runs" for number in (first, second)]
    names = [{path.name for path in folder.glob("*_tuned.csv")} for folder in folders]
    for name in sorted(names[0] & names[1])[:4]:
        lines, unit = [], ""
        for number, folder in zip((first, second), folders, strict=True):
            for kind in ("reference", "tuned") if number == first else ("tuned",):
                columns = read_columns(folder / name.replace("_tuned", f"_{kind}"))
                if columns is not None and "yaw_rate" in columns.values:
                    factor, unit = unit_for(columns.units["yaw_rate"], engineering=bench.preferences.engineering)
                    label = "reference" if kind == "reference" else f"study {number}"
                    lines.append(Curve(columns.values["time"], factor * columns.values["yaw_rate"], label))
        if lines:
            title = name.removesuffix("_tuned.csv").replace("_", " ")
            yield curves(f"Yaw rate: {title}", "time [s]", f"yaw rate [{unit}]", lines, dark=dark)
