"""What pages are made of: heads with their main action, jobs, plots, commands, scenes, problems."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from nicegui import ui
from nicegui.element import Element

from trackrod.core.errors import InputError, TrackrodError
from trackrod.web.bench import Bench
from trackrod.web.commands import Command
from trackrod.web.jobs import Job, State
from trackrod.web.plots import Plot, csv_of

__all__ = [
    "Slider",
    "Viewer",
    "attempt",
    "command_button",
    "empty",
    "frame",
    "head",
    "job_card",
    "live",
    "plot",
    "plots",
    "problem_list",
    "push",
    "quoted",
    "table",
    "upload",
    "what_is_wrong",
]

#: A button without colours of its own: those of the style sheet hold, in light and in dark.
push = partial(ui.button, color=None)

#: Letters of a cell from which its words may be broken.
_LONG = 24
_STATE_ICONS = {
    State.QUEUED: "schedule",
    State.RUNNING: "play_circle",
    State.PAUSED: "pause_circle",
    State.DONE: "check_circle",
    State.FAILED: "error",
    State.STOPPED: "stop_circle",
}


class Slider(ui.slider):
    """A slider whose value is not sent back: quick keys are not overtaken by their own echo."""

    LOOPBACK = False


class Viewer(Element, component="static/viewer.js"):
    """A 3-D scene of a job.

    Parameters
    ----------
    job
        Whose view is drawn.
    label
        What it shows, for people who cannot see it.
    dark
        Colours.
    run
        Which run of a comparison is in motion.
    on_pick
        Told what was clicked: its name, layer and details; None for nothing.
    """

    def __init__(
        self,
        job: Job,
        label: str,
        *,
        dark: bool,
        run: str = "",
        on_pick: Callable[[dict[str, Any] | None], None] | None = None,
    ) -> None:
        super().__init__()
        self._props.update(src=f"/views/{job.number}", label=label, dark=dark, run=run, hidden=[])
        if on_pick is not None:
            self.on("pick", lambda event: on_pick(event.args if isinstance(event.args, dict) else None))

    def hide(self, layers: Sequence[str]) -> None:
        """Layers that are not drawn."""
        self._props["hidden"] = list(layers)
        self.update()


def head(title: str, about: str) -> ui.row:
    """The head of a page; what is put into the row that comes back stands at its right: the main action."""
    with ui.row().classes("page-head"):
        with ui.column().classes("page-title"):
            ui.label(title).props("role=heading aria-level=1").classes("title")
            ui.label(about).classes("about")
        return ui.row().classes("actions")


def empty(text: str, action: str = "", target: str = "") -> None:
    """What to do where there is nothing yet."""
    with ui.column().classes("empty"):
        ui.icon("inbox", size="32px").props("aria-hidden=true")
        ui.label(text)
        if action:
            push(action, on_click=lambda: ui.navigate.to(target)).props("outline no-caps")


def upload(label: str, accept: str, on_upload: Callable[..., Any], **settings: Any) -> None:
    """A place to drop files, and a button that opens the dialog for them."""
    with ui.row().classes("row-of-fields"):
        place = ui.upload(label=label, auto_upload=True, on_upload=on_upload, **settings)
        place.props(f'accept="{accept}" flat bordered').style("flex: 1; min-width: 18rem")
        push("Choose a file", icon="upload_file", on_click=lambda: place.run_method("pickFiles")).props(
            f'outline no-caps aria-label="choose a file: {quoted(label)}"'
        )


def what_is_wrong(error: BaseException) -> list[str]:
    """Sentences of an error, as the command line says them."""
    if isinstance(error, InputError):
        return [str(problem) for problem in error.problems]
    return [str(error)]


def attempt(action: Callable[[], Any], errors: Element | None = None) -> Any:
    """Do it; what is wrong is said beside the field that it was asked with, or at the bottom of the page."""
    if errors is not None:
        errors.clear()
    try:
        return action()
    except TrackrodError as error:
        if errors is None:
            ui.notify("\n".join(what_is_wrong(error)), type="negative", multi_line=True, timeout=8000)
        else:
            with errors:
                problem_list(what_is_wrong(error))
        return None


def problem_list(sentences: Iterable[str]) -> None:
    """Problems, one line each."""
    with ui.column().classes("problems").props("role=alert"):
        for sentence in sentences:
            with ui.row().classes("problem"):
                ui.icon("error", size="18px").props("aria-hidden=true")
                ui.label(sentence)


def table(heads: Sequence[str], rows: Sequence[Sequence[Any]], *, most: int = 0) -> ui.table:
    """A table; numbers stand at the right. Cells are text, never markup."""
    columns = [
        {
            "name": str(k),
            "label": name,
            "field": str(k),
            "align": "right" if any(isinstance(row[k], int | float) for row in rows) else "left",
            "sortable": most > 0,
            "classes": "long" if any(isinstance(row[k], str) and len(row[k]) > _LONG for row in rows) else "",
        }
        for k, name in enumerate(heads)
    ]
    shown = [{"id": n} | {str(k): _cell(value) for k, value in enumerate(row)} for n, row in enumerate(rows)]
    found = ui.table(columns=columns, rows=shown, row_key="id", pagination=most or None)
    found.props("dense flat" + ("" if most else " hide-pagination :rows-per-page-options=[0]")).classes("data")
    return found


def _cell(value: Any) -> Any:
    return float(f"{value:.5g}") if isinstance(value, float) else value


def plot(found: Plot) -> None:
    """A figure with what it can be saved as."""
    with ui.column().classes("figure"):
        drawn = ui.plotly(found.figure).classes("plot").props(f'role=img aria-label="{quoted(found.title)}"')
        name = "".join(sign if sign.isalnum() else "_" for sign in found.title)[:60]
        with ui.row().classes("save"):
            for kind in ("png", "svg"):
                wanted = {"format": kind, "filename": name, "width": 1100, "height": 600}
                push(
                    kind.upper(), on_click=lambda _, wanted=wanted: drawn.run_plot_method("downloadImage", wanted)
                ).props(f'flat dense no-caps size=sm aria-label="save {quoted(found.title)} as {kind.upper()}"')
            push("CSV", on_click=lambda: ui.download.content(csv_of(found), f"{name}.csv")).props(
                f'flat dense no-caps size=sm aria-label="save {quoted(found.title)} as CSV"'
            )


def plots(found: Iterable[Plot]) -> None:
    """Figures side by side."""
    with ui.element("div").classes("plots"):
        for each in found:
            plot(each)


def frame(job: Job, name: str, title: str) -> None:
    """A page that a command wrote, without the right to anything but to be seen."""
    source = f"/files/{job.number}/{name}"
    ui.element("iframe").props(
        f'src="{source}" sandbox="allow-scripts allow-downloads" title="{quoted(title)}"'
    ).classes("report")


def command_button(make: Callable[[], Command], folder: str = "") -> None:
    """Shows what a button would run, as a command line and as a study file."""

    def show() -> None:
        command = attempt(make)
        if command is not None:
            _show_command(command.words, command.files, folder)

    push("Show as command", icon="terminal", on_click=show).props("flat no-caps")


def _show_command(words: Sequence[str], files: Any, folder: str = "") -> None:
    with ui.dialog() as dialog, ui.card().classes("wide"):
        ui.label("As a command").props("role=heading aria-level=2").classes("subtitle")
        if folder:
            ui.label(f"in the folder {folder}").classes("about")
        ui.code(shlex.join(("trackrod", *words)), language="bash").classes("code").props("tabindex=0")
        for name, text in files.items():
            ui.label(f"{name}, as TOML").props("role=heading aria-level=2").classes("subtitle")
            ui.code(text, language="toml").classes("code").props("tabindex=0")
        push("Close", on_click=dialog.close).props("flat no-caps")
    dialog.open()


def job_card(bench: Bench, job: Job, *, small: bool = False) -> None:
    """Where a job stands, what it says, and what can be done about it; keeps itself up to date."""
    with ui.card().classes("job").props("flat bordered"):
        with ui.row().classes("job-head"):
            icon = ui.icon(_STATE_ICONS[job.state], size="20px").props("aria-hidden=true")
            with ui.column().classes("job-words"):
                ui.label(f"{job.number}. {job.title}").classes("job-title")
                said = ui.label("").classes("about")
            with ui.row().classes("job-buttons"):
                buttons = [] if job.state is State.DONE else _job_buttons(bench, job)
        bar = ui.linear_progress(value=0, show_value=False, size="6px")
        bar.props(f'aria-label="progress of job {job.number}"')
        log = None
        if not small:
            with ui.expansion("Log and command").classes("job-log") as opened:
                ui.label(f"{bench.queue.folder(job)}").classes("about")
                log = ui.code("", language="text").classes("code").props("tabindex=0")
                push(
                    "Show as command",
                    icon="terminal",
                    on_click=lambda: _show_command(job.command, _files(bench, job), str(bench.queue.folder(job))),
                ).props("flat no-caps")
    seen: list[Any] = []

    def refresh() -> None:
        try:
            now = bench.queue.job(job.number)
        except InputError:
            return
        if seen and seen[0] is now.state and now.state is not State.RUNNING:
            return
        progress = bench.queue.progress(now)
        text = "" if log is None and now.state is not State.FAILED else bench.queue.log(now)
        if seen == [now.state, progress, text]:
            return
        seen[:] = [now.state, progress, text]
        icon.set_name(_STATE_ICONS[now.state])
        share = progress.share
        words = f"{now.state}"
        if now.state is State.RUNNING:
            words += f": {progress.title}, {progress.what}" if progress.title else ": at work"
        elif now.state is State.FAILED:
            words += f": {_last_line(text)}"
        said.set_text(words)
        bar.set_value(share or 0.0)
        unknown = now.state is State.RUNNING and share is None
        bar.props(add="indeterminate" if unknown else "", remove="" if unknown else "indeterminate")
        bar.set_visibility(now.state in (State.RUNNING, State.PAUSED, State.QUEUED))
        if log is not None:
            log.set_content(text or "nothing yet")
            if now.state is State.FAILED:
                opened.open()
        for button, states in buttons:
            button.set_visibility(now.state in states)

    refresh()
    if job.state is not State.DONE:
        ui.timer(0.4, refresh)


def _files(bench: Bench, job: Job) -> dict[str, str]:
    try:
        return {"study.toml": (bench.queue.folder(job) / "study.toml").read_text(encoding="utf-8")}
    except OSError:
        return {}


def _last_line(log: str) -> str:
    lines = [line for line in log.splitlines() if line.strip() and line.strip() not in "{}[]"]
    return lines[-1][:300] if lines else "it said nothing"


def _job_buttons(bench: Bench, job: Job) -> list[tuple[ui.button, tuple[State, ...]]]:
    """What can be done about a job, and in which states; a button that is not drawn anew does not miss a click."""
    queue = bench.queue

    def button(text: str, icon: str, action: Callable[[int], None], *states: State) -> tuple[ui.button, Any]:
        def act() -> None:
            attempt(lambda: action(job.number))
            bench.step()

        made = push(text, icon=icon, on_click=act)
        return made.props(f'flat dense no-caps aria-label="{text} job {job.number}"'), states

    return [
        button("Pause", "pause", queue.pause, State.RUNNING),
        button("Stop", "stop", queue.stop, State.RUNNING, State.QUEUED),
        button("Resume", "play_arrow", queue.resume, State.PAUSED),
        button("Run again", "play_arrow", queue.resume, State.STOPPED, State.FAILED),
    ]


def live(outline: Callable[[], Hashable], draw: Callable[[], None]) -> None:
    """A part of a page that is drawn anew when its outline changes, and only then: what is drawn anew loses clicks."""
    holder = ui.column().classes("live")
    seen: list[Hashable] = []

    def look() -> None:
        if seen == [now := outline()]:
            return
        seen[:] = [now]
        holder.clear()
        with holder:
            draw()

    look()
    ui.timer(0.5, look)


def quoted(text: str) -> str:
    """A text as a property in quotes may hold it."""
    return "".join(sign for sign in text if sign not in "\"'<>\\\n")


def read_json(path: Path) -> Any:
    """A JSON file that a command wrote; None where there is none."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
