"""From what a person chose to a command line: the one place where pages and commands meet.

Every function gives the words after ``trackrod`` and the texts of the files that they name. Paths are from the folder
of a job; results go to ``out`` in it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from trackrod.core.errors import InputError, Problem
from trackrod.core.files import write_atomically
from trackrod.core.toml_files import read_toml, to_toml
from trackrod.manoeuvres.registry import MANOEUVRES, manoeuvre_class
from trackrod.manoeuvres.settings import settings_of
from trackrod.validate.criteria import ready_made
from trackrod.web.workspace import Workspace
from trackrod.workflow.study_settings import StudySettings, read_study_file

__all__ = [
    "Command",
    "channels",
    "compare",
    "convert",
    "draft_of",
    "draft_problems",
    "draft_text",
    "envelope",
    "estimate",
    "export",
    "full_draft",
    "inspect",
    "kc",
    "measure",
    "plan",
    "reduce",
    "study_folder",
    "validate",
]

OUT = "out"
STUDY_FILE = "study.toml"
#: Size of a study file that is dropped in [byte].
_LARGEST = 2**20
#: What standard mode takes from a draft.
_STANDARD = ("tolerance_pct", "seconds")


@dataclass(frozen=True, slots=True)
class Command:
    """What is run: kind and title of the job, words after ``trackrod``, texts of files that they name."""

    kind: str
    title: str
    words: tuple[str, ...]
    files: Mapping[str, str] = field(default_factory=dict)


def inspect(source: str, name: str) -> Command:
    """Read and audit a vehicle."""
    words = ("inspect", source, "--notes", "--html", f"{OUT}/vehicle.html", "--save", f"{OUT}/vehicle.json")
    return Command("inspect", f"audit of {name}", words)


def kc(source: str, name: str, options: Mapping[str, str] | None = None) -> Command:
    """Both axles on the rig."""
    return Command("kc", f"K&C of {name}", ("kc", source, "--out", OUT, *_options(options)))


def compare(source: str, name: str, manoeuvre: str, settings: Mapping[str, str], payload: str = "") -> Command:
    """Both models in a manoeuvre; InputError with everything that is wrong in its settings."""
    given = {key: value for key, value in settings.items() if value != ""}
    _require_no_files(manoeuvre, given, manoeuvre)
    manoeuvre_class(manoeuvre).from_text(given)
    words = ("compare", source, "--manoeuvre", manoeuvre, "--out", OUT)
    chosen = tuple(part for key, value in given.items() for part in ("--set", f"{key}={value}"))
    return Command(
        "compare", f"{manoeuvre.replace('_', ' ')} of {name}", (*words, *chosen, *_options({"payload": payload}))
    )


def convert(
    source: str, name: str, draft: Mapping[str, Any], *, expert: bool, options: Mapping[str, str] | None = None
) -> Command:
    """A study; in standard mode of the whole draft only the tolerance and the budget of time count.

    Raises
    ------
    InputError
        With everything that is wrong in the draft.
    """
    used = dict(draft) if expert else _standard(draft)
    words: tuple[str, ...] = ("convert", source)
    files: dict[str, str] = {}
    if used:
        text = draft_text(used)
        if problems := draft_problems(text):
            raise InputError(problems)
        words, files = (*words, "--config", STUDY_FILE), {STUDY_FILE: text}
    return Command("convert", f"conversion of {name}", (*words, "--out", OUT, *_options(options)), files)


def _standard(draft: Mapping[str, Any]) -> dict[str, Any]:
    study = {key: value for key, value in draft.get("study", {}).items() if key in _STANDARD}
    return {"study": study} if study else {}


def _options(given: Mapping[str, str] | None) -> tuple[str, ...]:
    return tuple(part for key, value in (given or {}).items() if value for part in (f"--{key}", value))


def reduce(source: str, name: str, options: Mapping[str, str], flags: Iterable[str] = ()) -> Command:
    """Axles as quarter cars."""
    return Command("reduce", f"quarter cars of {name}", ("reduce", source, "--out", OUT, *flags, *_options(options)))


def study_folder(number: int) -> str:
    """Where a study lies, from the folder of another job."""
    return f"../{number:04d}/{OUT}"


def export(number: int, title: str, form: str) -> Command:
    """The model of a study for another program."""
    target = f"{OUT}/model.fmu" if form.startswith("fmu") else f"{OUT}/{form}"
    return Command("export", f"{form} of {title}", ("export", study_folder(number), "--format", form, "--out", target))


# ---- against recordings


def validate(workspace: Workspace, study: int | None, campaign: str, criteria: str) -> Command:
    """A study against recorded tests; InputError where something is not chosen."""
    if study is None:
        raise InputError(Problem("there is no finished study to validate", hint="convert a vehicle first"))
    words = (
        "validate",
        study_folder(study),
        _campaign(workspace, campaign),
        "--criteria",
        _criteria(workspace, criteria),
    )
    return Command("validate", f"validation of study {study} by {campaign}", (*words, "--out", OUT))


def plan(workspace: Workspace, source: str, name: str, criteria: str) -> Command:
    """What to drive and measure."""
    words = ("plan", _criteria(workspace, criteria), "--vehicle", source, "--out", OUT)
    return Command("plan", f"plan for {name}", words)


def channels(workspace: Workspace, campaign: str, time: str = "") -> Command:
    """Channels of the first recording, a map to be edited, and what is wrong by the map that there is."""
    _campaign(workspace, campaign)
    logs = [path for path in workspace.recordings(campaign) if path.suffix != ".toml"]
    if not logs:
        raise InputError(Problem(f"there is no recording in '{campaign}'", hint="upload one"))
    log = f"../../{logs[0].relative_to(workspace.root).as_posix()}"
    words = ("channels", log, "--write", f"{OUT}/channel_map.toml")
    given = workspace.channel_map(campaign)
    chosen = {"map": f"../../{given.relative_to(workspace.root).as_posix()}" if given.is_file() else "", "time": time}
    return Command("channels", f"channels of {logs[0].name}", (*words, *_options(chosen)))


def estimate(workspace: Workspace, source: str, name: str, campaign: str) -> Command:
    """Parameters from recorded tests."""
    words = ("estimate", _campaign(workspace, campaign), "--vehicle", source, "--report", f"{OUT}/estimate.html")
    return Command("estimate", f"estimates of {name} from {campaign}", words)


def envelope(workspace: Workspace, source: str, name: str, criteria: str) -> Command:
    """Where the real-time model may be believed."""
    words = ("envelope", source, "--criteria", _criteria(workspace, criteria), "--out", OUT)
    return Command("envelope", f"envelope of {name}", words)


def measure(source: str, name: str) -> Command:
    """A virtual measurement of the case study's plan."""
    return Command(
        "measure", f"virtual measurement of {name}", ("measure", source, "--plan", "case_study", "--out", OUT)
    )


def _campaign(workspace: Workspace, campaign: str) -> str:
    if not campaign or campaign not in workspace.campaigns():
        raise InputError(Problem("no recorded tests are chosen", hint="upload recordings of a campaign"))
    return f"../../recordings/{campaign}"


def _criteria(workspace: Workspace, criteria: str) -> str:
    if criteria in ready_made():
        return criteria
    path = workspace.inside(workspace.recordings_folder, criteria)
    if path.suffix != ".toml" or not path.is_file():
        raise InputError(Problem(f"there are no criteria '{criteria[:100]}'", hint="choose one that is listed"))
    return f"../../{path.relative_to(workspace.root).as_posix()}"


# ---- study files


def draft_text(draft: Mapping[str, Any]) -> str:
    """A draft as a study file."""
    return "\n".join(to_toml(draft)).strip() + "\n"


def draft_of(text: str) -> dict[str, Any]:
    """A study file as a draft.

    Raises
    ------
    InputError
        With everything that is wrong in it, files outside the workspace included.
    """
    if len(text.encode("utf-8", "replace")) > _LARGEST:
        raise InputError("a study file has up to 1 MiB")
    if problems := draft_problems(text):
        raise InputError(problems)
    return tomllib.loads(text)


def draft_problems(text: str) -> list[Problem]:
    """Everything that is wrong in a study file, with its lines."""
    with TemporaryDirectory(prefix="trackrod-") as folder:
        path = Path(folder) / STUDY_FILE
        write_atomically(path, text)
        try:
            data, _ = read_toml(path, _LARGEST)
            _require_no_plugins(data)
            for table in ("tune", "hold_out"):
                for label, given in _tables(data, table):
                    _require_no_files(str(given.get("manoeuvre", label)), given, f"[{table}.{label}]")
            read_study_file(path)
        except InputError as error:
            return [_at_home(problem, path) for problem in error.problems]
    return []


def _at_home(problem: Problem, path: Path) -> Problem:
    place = problem.place
    return replace(problem, place=replace(place, file=Path(path.name))) if place.file == path else problem


def _tables(data: Mapping[str, Any], table: str) -> Iterable[tuple[str, Mapping[str, Any]]]:
    found = data.get(table, {})
    if isinstance(found, Mapping):
        yield from ((label, given) for label, given in found.items() if isinstance(given, Mapping))


def _require_no_files(name: str, given: Mapping[str, Any], where: str) -> None:
    """A manoeuvre that reads a file is for the command line: a page reads nothing of the machine."""
    if name not in MANOEUVRES:
        return
    texts = [item.name for item in settings_of(MANOEUVRES[name]) if item.is_text and given.get(item.name)]
    if texts:
        text = f"{where}: '{texts[0]}' names a file, and the workbench reads none outside its workspace"
        raise InputError(Problem(text, hint="use the command line for this manoeuvre"))


def _require_no_plugins(data: Mapping[str, Any]) -> None:
    """A plugin is a Python file of the machine that reading a study runs: for the command line as well."""
    study = data.get("study")
    if isinstance(study, Mapping) and "plugins" in study:
        text = "[study]: 'plugins' names files to be run, and the workbench runs none"
        raise InputError(Problem(text, hint="use the command line for this study"))


def full_draft() -> dict[str, Any]:
    """A draft that says everything that a study does by itself, to begin from."""
    usual = StudySettings()
    tables: dict[str, Any] = {"study": {"mode": "expert"}}
    for table, tests in (("tune", usual.tests), ("hold_out", usual.hold_out)):
        tables[table] = {}
        for test in tests:
            default = {item.name: item.default for item in settings_of(type(test.manoeuvre))}
            changed = {
                key: (str(value) if isinstance(value, str) else value)
                for key, value in test.manoeuvre.values().items()
                if value != default[key] and value is not None
            }
            payload = {} if test.payload is None else {"payload": str(test.payload)}
            tables[table][test.label] = {"manoeuvre": test.manoeuvre.name, **payload, **changed}
    return tables
