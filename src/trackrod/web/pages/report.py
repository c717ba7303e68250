"""Page Report and export: read the report of a study; take it along, or the model for another program."""

from __future__ import annotations

from nicegui import ui

from trackrod.web import commands
from trackrod.web.bench import Bench
from trackrod.web.components import attempt, empty, frame, head, job_card, live, push
from trackrod.web.jobs import Job, State

__all__ = ["page"]

#: What a study can be exported as: format, words.
_FORMATS = {"fmu3": "FMU (FMI 3)", "fmu2": "FMU (FMI 2)", "carmaker": "CarMaker", "c": "C++ sources"}


def page(bench: Bench, number: int | None = None, *, dark: bool) -> None:
    """Draw it; of a study by its number, or of the newest."""
    del dark  # the report has colours of its own
    done = [job for job in bench.queue.jobs("convert") if job.state is State.DONE]
    chosen = next((job for job in done if job.number == number), None) or bench.latest("convert", done=True)
    chosen = chosen or (done[0] if done else None)
    with head("Report and export", "Read the report of a study; download it, or the model for another program."):
        if chosen is not None:
            options = {job.number: f"{job.number}. {job.title}" for job in done[:100]}
            ui.select(
                options,
                value=chosen.number,
                label="study",
                on_change=lambda e: ui.navigate.to(f"/report/{e.value}"),
            ).props("dense options-dense").style("width: 20rem")
            push("PDF", icon="picture_as_pdf", on_click=lambda: _save(chosen, "report.pdf")).props(
                "no-caps unelevated"
            ).classes("main")
    if chosen is None:
        empty("There is no finished study yet.", "Choose a vehicle", "/")
        return
    with ui.row().classes("row-of-fields"):
        push("Page", icon="html", on_click=lambda: _save(chosen, "report.html")).props("outline no-caps")
        push("Model (rtm.json)", icon="data_object", on_click=lambda: _save(chosen, "rtm.json")).props(
            "outline no-caps"
        )
        push(
            "Everything (.zip)", icon="folder_zip", on_click=lambda: ui.navigate.to(f"/folders/{chosen.number}")
        ).props("outline no-caps")
        for form, words in _FORMATS.items():
            if bench.preferences.expert or form in ("fmu3", "carmaker"):
                push(words, icon="output", on_click=lambda _, form=form: _export(bench, chosen, form)).props(
                    "outline no-caps"
                )
    live(lambda: bench.outline("export"), lambda: _exports(bench, chosen))
    frame(chosen, "report.html", f"report of study {chosen.number}")


def _save(job: Job, name: str) -> None:
    ui.download.from_url(f"/files/{job.number}/{name}?save=true", name)


def _export(bench: Bench, job: Job, form: str) -> None:
    attempt(lambda: bench.run(commands.export(job.number, job.title, form), job.vehicle))


def _exports(bench: Bench, job: Job) -> None:
    name = commands.study_folder(job.number)
    found = [other for other in bench.queue.jobs("export") if other.command[1] == name][:4]
    for other in found:
        job_card(bench, other, small=other.state is State.DONE)
        if other.state is State.DONE:
            push(
                f"Download {other.title}",
                icon="download",
                on_click=lambda _, other=other: ui.download.from_url(f"/folders/{other.number}", f"{other.kind}.zip"),
            ).props("outline no-caps")
