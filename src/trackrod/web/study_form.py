"""Everything that a study file can say, as fields: made from the declarations that the reader of the file uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from nicegui import events, ui

from trackrod.core.errors import TrackrodError
from trackrod.manoeuvres.registry import MANOEUVRES, needs_file
from trackrod.manoeuvres.settings import Setting, settings_of
from trackrod.metrics.indices import INDEX_SETS
from trackrod.report.names import parameter_title
from trackrod.rtm.coefficients import PARAMETERS
from trackrod.tune.space import PAPER_SET, SPLIT_FACTORS
from trackrod.vehicle.systems import PayloadLevel
from trackrod.web.bench import Bench
from trackrod.web.commands import draft_of, draft_problems, draft_text, full_draft
from trackrod.web.components import problem_list, push, upload, what_is_wrong
from trackrod.workflow.study_settings import STUDY_KEYS, StudyKey, StudySettings

__all__ = ["changed", "draw", "number_of", "parameter_names", "usual", "wrong"]

#: What names files of the machine.
FOR_THE_COMMAND_LINE = ("plugins",)
_UNITS = {item.name: f" [{item.kind.unit}]" for item in PARAMETERS if item.kind.unit}


def parameter_names() -> dict[str, str]:
    """Every parameter that can be tuned, the paper's first: in words, and as a study file calls it."""
    names = dict.fromkeys((*PAPER_SET, *SPLIT_FACTORS, *(item.name for item in PARAMETERS)))
    titles = {name: parameter_title(name) for name in names}
    return {name: title if title == name.replace("_", " ") else f"{title} ({name})" for name, title in titles.items()}


def changed(draft: Mapping[str, Any], path: tuple[str, ...], value: Any) -> dict[str, Any]:
    """A draft with another value at a place; empty values are taken out, and tables that become empty."""
    if len(path) == 1:
        rest = {key: old for key, old in draft.items() if key != path[0]}
        return rest if value in (None, "", []) else {**draft, path[0]: value}
    below = draft.get(path[0], {})
    inner = changed(below if isinstance(below, Mapping) else {}, path[1:], value)
    rest = {key: old for key, old in draft.items() if key != path[0]}
    return {**draft, path[0]: inner} if inner or path[0] in ("tune", "hold_out") else rest


def number_of(text: Any, *, whole: bool) -> Any:
    """What a field holds as TOML would: a number where it is one, else the text, so that the reader can complain."""
    if text is None or text == "":
        return None
    try:
        number = float(text)
    except (TypeError, ValueError):
        return str(text)
    return int(number) if whole and number == int(number) else number


def draw(bench: Bench) -> None:
    """The form, the file as text, and a place to drop one."""
    problems = ui.column().classes("problems")
    holder = ui.column().classes("live")

    def keep(draft: Mapping[str, Any]) -> None:
        bench.workspace.prefer(draft=dict(draft))
        check()

    def check() -> None:
        problems.clear()
        found = draft_problems(draft_text(bench.preferences.draft)) if bench.preferences.draft else []
        with problems:
            if found:
                problem_list(str(problem) for problem in found)

    def rebuild() -> None:
        holder.clear()
        with holder:
            _fields(bench, keep, rebuild)
        check()

    rebuild()


def _fields(bench: Bench, keep: Callable[[Mapping[str, Any]], None], rebuild: Callable[[], None]) -> None:
    def put(path: tuple[str, ...], value: Any) -> None:
        keep(changed(bench.preferences.draft, path, value))

    draft = bench.preferences.draft
    with ui.tabs().props("no-caps align=left dense") as tabs:
        for name in ("Study", "Tuned with", "Held out", "Parameters", "As TOML"):
            ui.tab(name)
    with ui.tab_panels(tabs, value="Study").classes("card").style("width: 100%"):
        with ui.tab_panel("Study"):
            study = draft.get("study", {})
            with ui.element("div").classes("fields"):
                for key, declared in STUDY_KEYS.items():
                    if key not in FOR_THE_COMMAND_LINE:
                        _study_field(key, declared, study.get(key), put)
        for name, table in (("Tuned with", "tune"), ("Held out", "hold_out")):
            with ui.tab_panel(name):
                _tests(bench, table, put, keep, rebuild)
        with ui.tab_panel("Parameters"):
            _bounds(bench, put, rebuild)
        with ui.tab_panel("As TOML"):
            _as_toml(bench, keep, rebuild)


def _study_field(key: str, declared: StudyKey, value: Any, put: Callable[[tuple[str, ...], Any], None]) -> None:
    path = ("study", key)
    with ui.column().classes("field"):
        if declared.choices:
            options = {"": f"{usual()[key]} (default)", **{word: word for word in declared.choices}}
            ui.select(options, value=value or "", label=declared.title, on_change=lambda e: put(path, e.value)).props(
                "dense options-dense"
            )
        elif key == "parameters":
            names = parameter_names()
            chosen = [name for name in value or [] if name in names]
            ui.select(
                names, value=chosen, label=declared.title, multiple=True, on_change=lambda e: put(path, list(e.value))
            ).props("dense options-dense use-chips use-input")
        else:
            whole = "whole" in declared.needed
            ui.input(
                declared.title,
                value="" if value is None else str(value),
                on_change=lambda e: put(path, number_of(e.value, whole=whole)),
                placeholder=usual()[key],
                validation=lambda text: wrong(key, text),
            ).props("dense hide-bottom-space stack-label")
        ui.label(declared.meaning).classes("about")


@cache
def usual() -> dict[str, str]:
    """What a study does where nothing is said."""
    study = StudySettings()
    return {
        "mode": str(study.mode),
        "optimiser": study.optimiser,
        "seed": str(study.seed),
        "tolerance_pct": f"{study.objective.tolerance_pct:g}",
        "penalty": f"{study.objective.penalty:g}",
        "evaluations": str(study.budget.evaluations),
        "seconds": "none",
        "range_pct": f"{100.0 * study.relative:g}",
        "detail": str(study.detail),
        "compliance": str(study.compliance),
        "steering": "of the vehicle",
        "travel_mm": "what driving needs",
        "screening": str(study.screening),
        "variance": str(study.variance),
    }


def wrong(key: str, text: Any) -> str | None:
    """What the reader of study files says about one value, beside its field."""
    value = number_of(text, whole="whole" in STUDY_KEYS[key].needed)
    if value is None:
        return None
    found = draft_problems(draft_text({"study": {key: value}}))
    return found[0].hint or found[0].text if found else None


def _tests(
    bench: Bench,
    table: str,
    put: Callable[[tuple[str, ...], Any], None],
    keep: Callable[[Mapping[str, Any]], None],
    rebuild: Callable[[], None],
) -> None:
    found = bench.preferences.draft.get(table)
    if not isinstance(found, Mapping):
        ui.label("The manoeuvres of the standard study.").classes("about")

        def begin() -> None:
            draft = {**full_draft(), **bench.preferences.draft}
            keep({**bench.preferences.draft, table: draft[table]})
            rebuild()

        push("Change them", icon="edit", on_click=begin).props("outline no-caps")
        return
    for label, given in found.items():
        if isinstance(given, Mapping):
            _test(table, label, given, put, rebuild)
    with ui.row().classes("row-of-fields"):
        names = [name for name in MANOEUVRES if name in INDEX_SETS and not needs_file(name)]
        chosen = ui.select(names, value=names[0], label="another manoeuvre").props("dense options-dense")

        def add() -> None:
            label, count = str(chosen.value), 1
            while label in bench.preferences.draft.get(table, {}):
                count += 1
                label = f"{chosen.value} {count}"
            put((table, label), {"manoeuvre": chosen.value})
            rebuild()

        push("Add", icon="add", on_click=add).props("outline no-caps")


def _test(
    table: str,
    label: str,
    given: Mapping[str, Any],
    put: Callable[[tuple[str, ...], Any], None],
    rebuild: Callable[[], None],
) -> None:
    name = str(given.get("manoeuvre", label))
    with ui.expansion(label).classes("job-log"):
        with ui.element("div").classes("fields"):
            if table == "tune":
                _setting_field((table, label, "weight"), "weight [-]", "of all its indices, 1 by default", given, put)
            else:
                options = {"": "that of the study", **{str(level): str(level) for level in PayloadLevel}}
                ui.select(
                    options,
                    value=given.get("payload", ""),
                    label="payload",
                    on_change=lambda e: put((table, label, "payload"), e.value),
                ).props("dense options-dense")
            for declared in settings_of(MANOEUVRES[name]) if name in MANOEUVRES else ():
                if not declared.is_text:
                    _declared_field((table, label, declared.name), declared, given, put)

        def take_out() -> None:
            put((table, label), None)
            rebuild()

        push("Take out", icon="delete", on_click=take_out).props("flat no-caps")


def _declared_field(
    path: tuple[str, ...], declared: Setting, given: Mapping[str, Any], put: Callable[[tuple[str, ...], Any], None]
) -> None:
    if declared.choices:
        options = {"": f"{declared.default} by default", **{word: word for word in declared.choices}}
        with ui.column().classes("field"):
            ui.select(
                options,
                value=given.get(declared.name, ""),
                label=declared.title,
                on_change=lambda e: put(path, e.value),
            ).props("dense options-dense")
            ui.label(declared.meaning).classes("about")
        return
    usual = "found by driving" if declared.default is None else f"{declared.default:g} {declared.unit}".strip()
    _setting_field(path, declared.title, f"{declared.meaning}; {usual} by default", given, put)


def _setting_field(
    path: tuple[str, ...],
    title: str,
    meaning: str,
    given: Mapping[str, Any],
    put: Callable[[tuple[str, ...], Any], None],
) -> None:
    with ui.column().classes("field"):
        value = given.get(path[-1])
        ui.input(
            title,
            value="" if value is None else str(value),
            on_change=lambda e: put(path, number_of(e.value, whole=False)),
        ).props("dense hide-bottom-space")
        ui.label(meaning).classes("about")


def _bounds(bench: Bench, put: Callable[[tuple[str, ...], Any], None], rebuild: Callable[[], None]) -> None:
    draft, names = bench.preferences.draft, parameter_names()
    ui.label("Bounds of single parameters in SI units, or their range; factors to begin with.").classes("about")
    start, tables = draft.get("start", {}), draft.get("parameters", {})
    for name in dict.fromkeys((*tables, *start)):
        given = tables.get(name, {})
        with ui.row().classes("row-of-fields"):
            ui.label(names.get(name, name)).style("width: 15rem")
            for key, title in (
                ("lower", f"lowest{_UNITS.get(name, '')}"),
                ("upper", f"highest{_UNITS.get(name, '')}"),
                ("range_pct", "range, ± [%]"),
            ):
                _bare(("parameters", name, key), title, given.get(key), put)
            _bare(("start", name), "start factor [-]", start.get(name), put)
    with ui.row().classes("row-of-fields"):
        chosen = ui.select(names, label="parameter").props("dense options-dense use-input").style("width: 24rem")

        def add() -> None:
            if chosen.value:
                put(("parameters", str(chosen.value), "range_pct"), 20)
                rebuild()

        push("Add", icon="add", on_click=add).props("outline no-caps")


def _bare(path: tuple[str, ...], title: str, value: Any, put: Callable[[tuple[str, ...], Any], None]) -> None:
    ui.input(
        title, value="" if value is None else str(value), on_change=lambda e: put(path, number_of(e.value, whole=False))
    ).props("dense hide-bottom-space").style("width: 9rem")


def _as_toml(bench: Bench, keep: Callable[[Mapping[str, Any]], None], rebuild: Callable[[], None]) -> None:
    errors = ui.column().classes("problems")
    shown = draft_text(bench.preferences.draft) if bench.preferences.draft else ""
    area = ui.textarea("Study file", value=shown).props("outlined autogrow").style("width: 100%")

    def take(text: str) -> None:
        errors.clear()
        try:
            keep(draft_of(text))
        except TrackrodError as error:
            with errors:
                problem_list(what_is_wrong(error))
            return
        rebuild()

    def forget() -> None:
        keep({})
        rebuild()

    async def dropped(event: events.UploadEventArguments) -> None:
        take((await event.file.read()).decode("utf-8", "replace"))

    with ui.row().classes("row-of-fields"):
        push("Use this text", icon="check", on_click=lambda: take(area.value or "")).props("outline no-caps")
        push("Standard study", on_click=lambda: take(draft_text(full_draft()))).props("flat no-caps")
        push("Forget all", on_click=forget).props("flat no-caps")
        push(
            "Save as study.toml",
            icon="download",
            on_click=lambda: ui.download.content(draft_text(bench.preferences.draft).encode(), "study.toml"),
        ).props("flat no-caps")
    upload("Drop a study file (.toml) here", ".toml", dropped, max_file_size=2**20)
