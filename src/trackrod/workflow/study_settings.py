"""What a study does: manoeuvres to tune with and to hold out, parameters and bounds, objective, optimiser, budget.

All have defaults; a TOML file changes some of them. Everything that can be wrong in it is said before any work begins.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from trackrod.convert.conversion import Detail
from trackrod.core.errors import InputError, Place, Problem, close_matches, raise_if_errors
from trackrod.core.files import read_bytes, require_file
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.manoeuvres.registry import MANOEUVRES, manoeuvre
from trackrod.metrics.indices import INDEX_SETS
from trackrod.optimise.methods import METHODS
from trackrod.optimise.objective import Objective
from trackrod.optimise.outcome import Budget
from trackrod.optimise.tuning_space import PAPER_SET, RANGE, SPLIT_FACTORS, Bounds
from trackrod.rtm.coefficients import PARAMETERS
from trackrod.vehicle.systems import PayloadLevel

__all__ = ["Mode", "PlannedTest", "StudySettings", "read_study_file"]

T = TypeVar("T")


class Mode(StrEnum):
    """Who asks: the paper's parameters and defaults, or any parameter and everything to choose."""

    STANDARD = "standard"
    EXPERT = "expert"


@dataclass(frozen=True, slots=True)
class PlannedTest:
    """A manoeuvre of a study.

    Attributes
    ----------
    label
        Unique in the study; the name of the manoeuvre if it is driven once.
    manoeuvre
        With its settings.
    payload
        Another payload than that of the study; None for the same.
    """

    label: str
    manoeuvre: Manoeuvre
    payload: PayloadLevel | None = None


def _planned(name: str, label: str = "", payload: PayloadLevel | None = None, **settings: str) -> PlannedTest:
    return PlannedTest(label or name, manoeuvre(name, settings), payload)


def _tuned_with() -> tuple[PlannedTest, ...]:
    return tuple(map(_planned, ("ramp_steer", "sine_sweep", "step_steer", "acceleration", "braking")))


def _held_out() -> tuple[PlannedTest, ...]:
    return (
        _planned("double_lane_change", speed_kmh="60"),
        _planned("brake_in_turn"),
        _planned("constant_radius", target_ay_g="0.4"),
        _planned("step_steer", "step_steer, half payload", PayloadLevel.HALF, speed_kmh="80"),
    )


@dataclass(frozen=True, slots=True)
class StudySettings:
    """Everything that a study may be told.

    Attributes
    ----------
    mode
        Standard or expert.
    tests, hold_out
        Manoeuvres to tune with; manoeuvres that tuning never sees.
    objective
        Tolerance TP, penalty factor PF and weights.
    optimiser, seed, budget
        How the search is done.
    parameters
        What is tuned, by name; None for the paper's set.
    bounds
        Bounds that are not ± `relative` [SI].
    relative
        Range of the parameters [-].
    detail
        How much of the kinematics the model keeps.
    screening, variance
        Trajectories of Morris, base points of Sobol; 0 for none.
    """

    mode: Mode = Mode.STANDARD
    tests: tuple[PlannedTest, ...] = field(default_factory=_tuned_with)
    hold_out: tuple[PlannedTest, ...] = field(default_factory=_held_out)
    objective: Objective = field(default_factory=Objective)
    optimiser: str = "gauss-newton"
    seed: int = 0
    budget: Budget = field(default_factory=Budget)
    parameters: tuple[str, ...] | None = None
    bounds: Mapping[str, Bounds] = field(default_factory=dict)
    ranges: Mapping[str, float] = field(default_factory=dict)
    relative: float = RANGE
    detail: Detail = Detail.TWO_DIMENSIONAL
    screening: int = 0
    variance: int = 0


#: Keys of the table [study], with what they must be.
_STUDY = {
    "mode": "one of standard, expert",
    "optimiser": "one of " + ", ".join(METHODS),
    "seed": "a whole number, 0 or more",
    "tolerance_pct": "a number above 0",
    "penalty": "a number, 0 or more",
    "evaluations": "a whole number above 0",
    "seconds": "a number above 0",
    "range_pct": "a number above 0 and below 100",
    "detail": "one of linear, 1d, 2d",
    "parameters": "a list of names",
    "screening": "a whole number, 0 or more",
    "variance": "a whole number, 0 or more",
}
_LARGEST_FILE = 2**20
_TABLES = ("study", "tune", "hold_out", "parameters")
_TEST_KEYS = ("manoeuvre", "payload", "weight", "weights")
_PARAMETER_KEYS = ("lower", "upper", "range_pct")


def read_study_file(path: Path, mode: Mode | None = None) -> StudySettings:
    """Read a study file.

    Parameters
    ----------
    path
        TOML with the tables ``[study]``, ``[tune.NAME]``, ``[hold_out.NAME]`` and ``[parameters.NAME]``; each may be
        missing. With a table ``[tune…]`` only its manoeuvres are tuned with; the same holds for ``[hold_out…]``.
    mode
        Prevails over that of the file.

    Raises
    ------
    InputError
        With everything that is wrong: unknown keys with close matches, values, bounds that cross, weights.
    """
    try:
        text = read_bytes(require_file(path), _LARGEST_FILE).decode("utf-8")
        data = tomllib.loads(text)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(Problem(f"this is no TOML: {error}", Place(path))) from error
    reader = _Reader(path, text)
    settings = reader.settings(data, mode)
    raise_if_errors(reader.problems)
    return settings


class _Reader:
    """Collects what is wrong while a file is read."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.lines = text.splitlines()
        self.problems: list[Problem] = []
        self.weights: dict[str | tuple[str, str], float] = {}

    def settings(self, data: Mapping[str, Any], mode: Mode | None) -> StudySettings:
        self.known(data, _TABLES, "table")
        study = self.table(data, "study")
        self.known(study, _STUDY, "key of [study]")
        default = StudySettings()
        chosen = mode or self.choice(study, "mode", Mode, default.mode)
        tests = self.tests(data, "tune") if "tune" in data else default.tests
        hold_out = self.tests(data, "hold_out") if "hold_out" in data else default.hold_out
        if not tests:
            self.complain("there is no manoeuvre to tune with", "leave [tune] out for the default ones")
        bounds, ranges = self.bounds(self.table(data, "parameters"), chosen)
        names = study.get("parameters")
        if names is not None and not (isinstance(names, list) and all(isinstance(n, str) for n in names)):
            self.wrong("parameters", names)
            names = None
        self.allowed(names or (), chosen)
        tolerance = self.number(study, "tolerance_pct", default.objective.tolerance_pct, above=0)
        penalty = self.number(study, "penalty", default.objective.penalty)
        seconds = self.number(study, "seconds", math.inf, above=0)
        evaluations = self.whole(study, "evaluations", default.budget.evaluations, 1)
        weights = {key: value for key, value in self.weights.items() if value >= 0}
        return StudySettings(
            mode=chosen,
            tests=tests,
            hold_out=hold_out,
            objective=Objective(tolerance, penalty, weights),
            optimiser=self.choice(study, "optimiser", lambda name: METHODS[name].name, default.optimiser),
            seed=self.whole(study, "seed", default.seed, 0),
            budget=Budget(evaluations, seconds),
            parameters=None if names is None else tuple(names),
            bounds=bounds,
            ranges=ranges,
            relative=0.01 * self.number(study, "range_pct", 100 * RANGE, above=0, below=100),
            detail=self.choice(study, "detail", Detail, default.detail),
            screening=self.whole(study, "screening", 0, 0),
            variance=self.whole(study, "variance", 0, 0),
        )

    # --- manoeuvres ---

    def tests(self, data: Mapping[str, Any], table: str) -> tuple[PlannedTest, ...]:
        found = []
        for label, given in self.table(data, table).items():
            if not isinstance(given, Mapping):
                self.complain(f"[{table}] has '{label} = {given!r}'", f"write a table [{table}.{label}]")
                continue
            test = self.test(f"{table}.{label}", label, given, weighted=table == "tune")
            if test is not None:
                found.append(test)
        return tuple(found)

    def test(self, where: str, label: str, given: Mapping[str, Any], *, weighted: bool) -> PlannedTest | None:
        name = given.get("manoeuvre", label)
        if name not in MANOEUVRES:
            self.complain(f"[{where}]: there is no manoeuvre '{name}'", _close(str(name), MANOEUVRES))
            return None
        if name not in INDEX_SETS:
            self.complain(f"[{where}]: '{name}' has no indices to compare", "there are " + ", ".join(INDEX_SETS))
            return None
        self.weigh(where, label, given, weighted=weighted)
        payload = None
        if "payload" in given:
            payload = self.choice(given, "payload", PayloadLevel, PayloadLevel.HALF, where)
        settings = {key: _text(value) for key, value in given.items() if key not in _TEST_KEYS}
        try:
            return PlannedTest(label, manoeuvre(name, settings), payload)
        except InputError as error:
            self.problems += [
                Problem(f"[{where}]: {p.text}", self.place(f"[{where}]"), hint=p.hint, severity=p.severity)
                for p in error.problems
            ]
            return None

    def weigh(self, where: str, label: str, given: Mapping[str, Any], *, weighted: bool) -> None:
        weights: dict[str | tuple[str, str], Any] = {}
        if "weight" in given:
            weights[label] = given["weight"]
        if isinstance(given.get("weights", {}), Mapping):
            weights |= {(label, index): value for index, value in given.get("weights", {}).items()}
        else:
            self.complain(f"[{where}]: 'weights' is {given['weights']!r}", "a table of index = weight is needed")
        if weights and not weighted:
            self.complain(f"[{where}]: a manoeuvre that is held out has no weight")
        for key, value in weights.items():
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
                self.complain(f"[{where}]: the weight {value!r} of {key}", "a number, 0 or more, is needed")
            else:
                self.weights[key] = float(value)

    # --- parameters ---

    def bounds(self, table: Mapping[str, Any], mode: Mode) -> tuple[dict[str, Bounds], dict[str, float]]:
        bounds, ranges = {}, {}
        self.allowed(table, mode)
        for name, given in table.items():
            where = f"parameters.{name}"
            if not isinstance(given, Mapping):
                self.complain(f"'{name} = {given!r}' stands in [parameters]", f"write a table [{where}]")
                continue
            self.known(given, _PARAMETER_KEYS, f"key of [{where}]")
            if "range_pct" in given:
                ranges[name] = 0.01 * self.number(given, "range_pct", 100 * RANGE, where, above=0, below=100)
            if "lower" in given or "upper" in given:
                lower, upper = (self.number(given, key, math.nan, where) for key in ("lower", "upper"))
                if math.isnan(lower) or math.isnan(upper):
                    self.complain(f"[{where}] needs both lower and upper")
                elif not lower < upper:
                    self.complain(f"[{where}]: the bounds cross, lower is {lower:g} and upper {upper:g}")
                else:
                    bounds[name] = Bounds(lower, upper)
        return bounds, ranges

    def allowed(self, names: Iterable[str], mode: Mode) -> None:
        standard = (*PAPER_SET, *SPLIT_FACTORS)
        known = (*(item.name for item in PARAMETERS), *SPLIT_FACTORS)
        for name in names:
            if name not in known:
                self.complain(f"there is no parameter '{name}'", _close(name, known))
            elif mode is Mode.STANDARD and name not in standard:
                self.complain(f"'{name}' is tuned in expert mode only", '--mode expert, or mode = "expert" in [study]')

    # --- values ---

    def table(self, data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
        found = data.get(key, {})
        if isinstance(found, Mapping):
            return found
        self.complain(f"'{key}' is {found!r}", f"a table [{key}] is needed")
        return {}

    def known(self, given: Mapping[str, Any], allowed: Iterable[str], what: str) -> None:
        for key in given:
            if key not in allowed:
                self.complain(f"'{key}' is no {what}", _close(key, allowed))

    def choice(
        self, table: Mapping[str, Any], key: str, convert: Callable[[str], T], default: T, where: str = "study"
    ) -> T:
        if key not in table:
            return default
        try:
            return convert(table[key])
        except (KeyError, ValueError, TypeError):
            self.wrong(key, table[key], where)
            return default

    def number(
        self,
        table: Mapping[str, Any],
        key: str,
        default: float,
        where: str = "study",
        *,
        above: float = -math.inf,
        below: float = math.inf,
    ) -> float:
        value = table.get(key, default)
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or (key in table and not above < value < below)
        ):
            self.wrong(key, value, where)
            return default
        return float(value)

    def whole(self, table: Mapping[str, Any], key: str, default: int, least: int) -> int:
        value = table.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            self.wrong(key, value)
            return default
        return value

    def wrong(self, key: str, value: object, where: str = "study") -> None:
        needed = _STUDY.get(key, "a number is needed")
        if key == "payload":
            needed = "one of " + ", ".join(PayloadLevel)
        self.complain(f"[{where}]: {key} is {value!r}", needed)

    def complain(self, text: str, hint: str = "") -> None:
        self.problems.append(Problem(text, self.place(text), hint=hint))

    def place(self, text: str) -> Place:
        """The first line that has the words in quotes or brackets of a message, as far as they are found in turn."""
        line = 0
        for word in re.findall(r"\[([\w.]+)\]|'([^']+?)(?: =.*)?'|: (\w+) is", text):
            pattern = re.compile(rf"(?<![\w.]){re.escape(next(filter(None, word)))}(?![\w.])")
            line = next((k for k in range(line, len(self.lines)) if pattern.search(self.lines[k])), line)
        return Place(self.path, line + 1)


def _close(name: str, known: Iterable[str]) -> str:
    options = list(known)
    return "there are " + ", ".join(close_matches(name, options) or options)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
