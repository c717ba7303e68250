"""The file of a campaign (TOML), read at once: everything that is wrong is named with its line before any run."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from trackrod.campaign.description import (
    PAYLOAD,
    SURROUNDINGS,
    AppliedAs,
    CampaignModel,
    CampaignTest,
    Description,
    PayloadPlace,
    StopRules,
    Target,
    Variable,
)
from trackrod.campaign.distributions import Distribution, Shape
from trackrod.campaign.sampling import Method
from trackrod.core.errors import InputError, Place, UnknownNameError, raise_if_errors
from trackrod.core.layout import ENVIRONMENT
from trackrod.core.quantities import KINDS, Kind
from trackrod.core.toml_document import Document, Section
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.manoeuvres.registry import MANOEUVRES, manoeuvre
from trackrod.metrics.values import values_of
from trackrod.rtm.coefficients import PARAMETERS
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.systems import PayloadLevel

__all__ = ["CampaignFile", "read_campaign"]

_NUMBER, _TIME, _LENGTH = KINDS["number"], KINDS["time"], KINDS["length"]
_PARAMETER_KINDS = {item.name: item.kind for item in PARAMETERS}
_SURROUNDING_KINDS = dict(ENVIRONMENT.elements())
#: Most points; files are numbered with six digits.
_MOST_POINTS, _MOST_RUNS_PER_TASK = 10**9, 100_000
#: Where nothing else is asked for: runs of a task, and runs before a rule is looked at.
_RUNS_PER_TASK, _AFTER = 32, 100
#: Keys that tables of manoeuvres have besides settings.
_TEST_KEY = "manoeuvre"
_LABEL = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")


@dataclass(frozen=True, slots=True)
class CampaignFile:
    """A file that was read.

    Attributes
    ----------
    path, description
        The file, and what it says.
    places
        Where models and variables stand, by label and name.
    """

    path: Path
    description: Description
    places: Mapping[str, Place] = field(default_factory=dict)


def read_campaign(path: Path | str) -> CampaignFile:
    """Read the file of a campaign.

    Raises
    ------
    MissingFileError, FileFormatError, InputError
        No such file; not TOML; with everything that is wrong, by line.
    """
    document = Document(Path(path))
    reader = _Reader(document)
    found = reader.description()
    document.close()
    raise_if_errors(document.problems)
    return CampaignFile(document.path, found, reader.places)


class _Reader:
    """Reads the tables, and remembers what they name."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.root = document.root
        self.places: dict[str, Place] = {}
        self.manoeuvres: dict[str, Manoeuvre] = {}

    def description(self) -> Description:
        root = self.root
        method = root.word("sampling", Method, Method.LHS)
        grid = method is Method.GRID
        if grid and "points" in root:
            root.report("points", "a grid has as many points as its levels give", hint="leave 'points' out")
        count = 0 if grid else self.whole(root, "points", "how many points are drawn", 1, _MOST_POINTS)
        if method in (Method.SALTELLI, Method.SOBOL) and count & (count - 1):
            root.report(
                "points",
                f"'points' is {count}: Sobol's sequence is balanced only after a power of two",
                hint=f"take {1 << max(count.bit_length() - 1, 0)} or {1 << count.bit_length()}",
            )
        models = self.models()
        tests = self.tests()
        variables = self.variables(method)
        if method is Method.SALTELLI and not variables:
            root.report("sampling", "shares of variance need something that varies", hint="add a table [vary.NAME]")
        values, signals, every = self.outputs(tests)
        return Description(
            name=root.text("name", "what the report calls it", self.document.path.stem),
            seed=self.whole(root, "seed", "of all random numbers", 0, 2**63 - 1, default=0),
            method=method,
            count=count,
            models=models,
            tests=tests,
            variables=variables,
            runs_per_task=self.whole(
                root, "runs_per_task", "driven together", 1, _MOST_RUNS_PER_TASK, default=_RUNS_PER_TASK
            ),
            step=self.seconds(root, "step", 1e-3, 0.005),
            sample=self.seconds(root, "sample", 0.01, 10.0),
            payload_place=self.payload_place(variables),
            values=values,
            signals=signals,
            every=every,
            stop=self.stop(tests, values),
        )

    # --- what is driven ---

    def models(self) -> tuple[CampaignModel, ...]:
        table = self.root.section("models", "what is driven: [models.LABEL] with a source", needed=True)
        found = []
        for label in table.names():
            section = table.section(label, "a model with its source")
            self.check_label(table, label)
            self.places[label] = table.place(label)
            source = section.text("source", "a bundled vehicle, an assembly, an rtm.json, the folder of a study")
            payload = section.word("payload", PayloadLevel) if "payload" in section else None
            posterior = section.flag("posterior", default=False)
            here = self.document.path.parent / source
            if source and os.path.exists(here):  # noqa: PTH110 - a name that is too long is the name of nothing
                source = str(here.resolve())
            elif source and source not in BUNDLED:
                problem = UnknownNameError("vehicle, file or folder", source, BUNDLED).problems[0]
                section.report("source", problem.text, hint=problem.hint)
            found.append(CampaignModel(label, source, payload, posterior))
        if not found and "models" in self.root:
            self.root.report("models", "there is no model", hint="add a table [models.LABEL]")
        return tuple(found)

    def tests(self) -> tuple[CampaignTest, ...]:
        table = self.root.section("manoeuvres", "what is driven: [manoeuvres.LABEL]", needed=True)
        found = []
        for label in table.names():
            section = table.section(label, "a manoeuvre with its settings")
            self.check_label(table, label)
            name = section.text(_TEST_KEY, "what is driven", label)
            if name not in MANOEUVRES:
                problem = UnknownNameError("manoeuvre", name, MANOEUVRES).problems[0]
                section.report(_TEST_KEY if _TEST_KEY in section else "", problem.text, hint=problem.hint)
                list(section.names())
                continue
            settings = {key: _text(section.raw(key)) for key in section.names() if key != _TEST_KEY}
            if settings.get("file"):
                settings["file"] = str((self.document.path.parent / settings["file"]).resolve())
            try:
                self.manoeuvres[label] = manoeuvre(name, settings)
            except InputError as error:
                for problem in error.problems:
                    key = next((key for key in settings if re.search(rf"\b{re.escape(key)}\b", problem.text)), "")
                    section.report(key, problem.text, hint=problem.hint)
                continue
            found.append(CampaignTest(label, name, settings))
        if not found and "manoeuvres" in self.root and not self.document.problems:
            self.root.report("manoeuvres", "there is no manoeuvre", hint="add a table [manoeuvres.LABEL]")
        return tuple(found)

    def check_label(self, table: Section, label: str) -> None:
        if not _LABEL.match(label):
            table.report(label, f"'{label}' is no label", hint="letters, digits and _ are allowed, a letter first")
        elif label in (PAYLOAD, *SURROUNDINGS, *_PARAMETER_KINDS):
            table.report(label, f"'{label}' is the name of something that can vary", hint="choose another label")

    # --- what varies ---

    def variables(self, method: Method) -> tuple[Variable, ...]:
        table = self.root.section("vary", "what varies: [vary.NAME] with a distribution")
        found: list[Variable] = []
        for name in table.names():
            section = table.section(name, "a distribution")
            if name in self.manoeuvres:
                for setting in section.names():
                    inside = section.section(setting, "a distribution")
                    found += self.setting(inside, name, setting, method)
                continue
            if name not in (PAYLOAD, *SURROUNDINGS, *_PARAMETER_KINDS):
                given = self.root.raw("manoeuvres")
                if isinstance(given, dict) and name in given:
                    list(section.names())  # of a manoeuvre whose own faults are told
                    continue
                known = (PAYLOAD, *SURROUNDINGS, *_PARAMETER_KINDS, *self.manoeuvres)
                problem = UnknownNameError("parameter or manoeuvre", name, known).problems[0]
                table.report(name, problem.text, hint=problem.hint)
                list(section.names())
                continue
            found += self.variable(section, name, method)
        taken: dict[str, str] = {}
        for variable in found:
            if variable.column in taken:
                text = f"'{variable.name}' and '{taken[variable.column]}' would have the same column {variable.column}"
                self.root.report("vary", text, hint="choose another label of the manoeuvre")
            taken[variable.column] = variable.name
        return tuple(found)

    def variable(self, section: Section, name: str, method: Method) -> Iterator[Variable]:
        is_parameter = name in _PARAMETER_KINDS
        applied = section.word("as", AppliedAs, AppliedAs.VALUE)
        kind = _PARAMETER_KINDS.get(name) or _SURROUNDING_KINDS.get(name) or KINDS["mass"]
        if not is_parameter and applied is not AppliedAs.VALUE:
            section.report("as", f"'{name}' is drawn as its value", hint="leave 'as' out")
        if applied is AppliedAs.FACTOR:
            kind = _NUMBER
        distribution = self.distribution(section, kind, method)
        if distribution is None:
            return
        low, high = distribution.ends
        if name == PAYLOAD and low < 0.0:
            section.report("", f"the payload goes down to {low:g} kg, it must not be below zero")
        if name == "friction" and not (low > 0.0 and high <= 3.0):
            section.report("", f"the friction goes from {low:g} to {high:g}; more than 0 and at most 3 can be driven")
        self.places[name] = self.document.place(section.path)
        yield Variable(name, distribution, applied)

    def setting(self, section: Section, label: str, setting: str, method: Method) -> Iterator[Variable]:
        found = self.manoeuvres[label]
        declared = {item.name: item for item in found.settings()}
        if setting not in declared:
            problem = UnknownNameError(f"setting of '{found.name}'", setting, declared).problems[0]
            self.document.report(problem.text, section.path, hint=problem.hint)
            list(section.names())
            return
        item = declared[setting]
        distribution = self.distribution(section, _NUMBER, method, words=item.choices or item.is_text)
        if distribution is None:
            return
        for value in distribution.words or distribution.ends:
            given = round(value) if item.whole and isinstance(value, float) else value
            try:
                found.changed(**{setting: given})
            except InputError as error:
                section.report("", error.problems[0].text, hint=error.problems[0].hint)
                break
        name = f"{label}.{setting}"
        self.places[name] = self.document.place(section.path)
        yield Variable(name, distribution)

    def distribution(self, section: Section, kind: Kind, method: Method, *, words: object = ()) -> Distribution | None:
        before = len(self.document.problems)
        shape = section.word("distribution", Shape)
        if len(self.document.problems) > before:
            list(section.names())
            return None
        needed = {
            Shape.UNIFORM: ("low", "high"),
            Shape.TRIANGULAR: ("low", "mode", "high"),
            Shape.NORMAL: ("mean", "deviation"),
            Shape.CHOICE: (),
        }[shape]
        given: dict[str, float] = {}
        for key in ("low", "high", "mode", "mean", "deviation"):
            if key in needed or (shape is Shape.NORMAL and key in ("low", "high") and key in section):
                given[key] = section.number(key, kind, f"of a {shape} distribution")
        values: tuple[float, ...] = ()
        texts: tuple[str, ...] = ()
        if shape is Shape.CHOICE:
            listed = section.raw("values", "what is chosen from", needed=True)
            if words and isinstance(listed, list) and all(isinstance(item, str) for item in listed):
                texts, values = tuple(listed), tuple(float(k) for k in range(len(listed)))
            elif words:
                section.report("values", f"'values' is {listed!r}, a list of words is needed")
            else:
                values = tuple(section.numbers("values", kind, "what is chosen from").tolist())
        elif words:
            section.report("distribution", "words are drawn by a choice", hint='distribution = "choice"')
        probabilities: tuple[float, ...] = ()
        if shape is Shape.CHOICE and "probabilities" in section:
            probabilities = tuple(section.numbers("probabilities", _NUMBER, "of the values").tolist())
        levels = 0
        if method is Method.GRID and shape is not Shape.CHOICE:
            levels = self.whole(section, "levels", "how many values the grid takes", 1, 10**6)
        if len(self.document.problems) > before:
            return None
        found = Distribution(shape, **given, values=values, probabilities=probabilities, words=texts, levels=levels)
        for key, text in found.faults():
            section.report(key if key in section else "", text)
        return found if len(self.document.problems) == before else None

    def payload_place(self, variables: tuple[Variable, ...]) -> PayloadPlace | None:
        drawn = any(variable.target is Target.PAYLOAD for variable in variables)
        if "payload_place" not in self.root:
            if drawn:
                hint = "add a table [payload_place] with behind_front_axle and height"
                self.document.report("a payload is drawn, but not where it lies", ("vary", PAYLOAD), hint=hint)
            return None
        section = self.root.section("payload_place")
        if not drawn:
            self.root.report("payload_place", "no payload is drawn", hint="add a table [vary.payload]")
        return PayloadPlace(
            section.number("behind_front_axle", _LENGTH, "from the front axle to the rear"),
            section.number("height", _LENGTH, "above the road", low=0.0),
            section.number("to_the_left", _LENGTH, "from the middle", default=0.0),
        )

    # --- what is kept ---

    def outputs(self, tests: tuple[CampaignTest, ...]) -> tuple[tuple[str, ...], tuple[str, ...], int]:
        section = self.root.section("outputs", "what is kept")
        known = dict.fromkeys(value.name for test in tests for value in values_of(test.manoeuvre))
        values = self.texts(section, "values")
        for name in values:
            if tests and name not in known:
                problem = UnknownNameError("value", name, known).problems[0]
                section.report("values", problem.text, hint=problem.hint)
        signals = self.texts(section, "signals")
        every = self.whole(section, "every", "of how many samples one is kept", 1, 10**6, default=1)
        if "every" in section and not signals:
            section.report("every", "no signals are kept", hint='add signals = ["yaw_rate_radps"]')
        return values, signals, every

    def stop(self, tests: tuple[CampaignTest, ...], values: tuple[str, ...]) -> StopRules:
        section = self.root.section("stop", "what ends the campaign early")
        share = None
        if "failed_share" in section:
            share = section.number("failed_share", _NUMBER, "of runs that could not be driven", low=0.0)
            if share > 1.0:
                section.report("failed_share", f"'failed_share' is {share:g}, from 0 to 1 is possible")
        seconds = section.number("seconds", _TIME, "after which it pauses", low=0.0) if "seconds" in section else None
        widths = section.section("half_width", "of the interval of the mean of a value")
        known = values or dict.fromkeys(value.name for test in tests for value in values_of(test.manoeuvre))
        wanted = {}
        for name in widths.names():
            if name not in known:
                problem = UnknownNameError("value that is kept", name, known).problems[0]
                widths.report(name, problem.text, hint=problem.hint)
                continue
            wanted[name] = widths.number(name, _NUMBER, "half of the 95 % interval of the mean", low=0.0)
        after = self.whole(section, "after", "runs before a rule is looked at", 2, 10**9, default=_AFTER)
        return StopRules(after, share, wanted, seconds)

    # --- values ---

    def whole(
        self, section: Section, key: str, meaning: str, least: int, most: int, *, default: int | None = None
    ) -> int:
        value = section.raw(key, meaning, default=default, needed=default is None)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            if value is not None:
                text = f"'{key}' is {value!r}, a whole number from {least} to {most} is needed: {meaning}"
                section.report(key, text)
            return least if default is None else default
        return value

    def seconds(self, section: Section, key: str, default: float, most: float) -> float:
        value = section.number(key, _TIME, "time", default=default)
        if not 0.0 < value <= most and np.isfinite(value):
            section.report(key, f"'{key}' is {value:g} s; more than zero and at most {most:g} s is possible")
        return value

    def texts(self, section: Section, key: str) -> tuple[str, ...]:
        value = section.raw(key, default=[])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            section.report(key, f"'{key}' is {value!r}, a list of texts is needed")
            return ()
        return tuple(dict.fromkeys(value))


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
