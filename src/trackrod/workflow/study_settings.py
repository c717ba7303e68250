"""What a study does: manoeuvres to tune with and to hold out, parameters and bounds, objective, optimiser, budget.

All have defaults; a TOML file changes some of them. Everything that can be wrong in it is said before any work begins.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from trackrod.convert.conversion import Compliance, Detail
from trackrod.core.errors import InputError, Place, Problem, close_matches, raise_if_errors
from trackrod.core.registry import load_plugin
from trackrod.core.toml_files import read_toml
from trackrod.fit.methods import METHODS, require_installed
from trackrod.fit.objective import Objective
from trackrod.fit.outcome import Budget
from trackrod.fit.screening import require_salib
from trackrod.kc.study import KcSettings
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.manoeuvres.registry import MANOEUVRES, manoeuvre
from trackrod.metrics.indices import has_indices, with_indices
from trackrod.multibody.steering import SteeringModel
from trackrod.rtm.coefficients import PARAMETERS
from trackrod.simulate.script import can_be_scripted
from trackrod.tune.space import PAPER_SET, RANGE, SPLIT_FACTORS, Bounds
from trackrod.vehicle.systems import PayloadLevel

__all__ = ["NOT_TUNED", "STUDY_KEYS", "Mode", "PlannedTest", "StudyKey", "StudySettings", "read_study_file"]

T = TypeVar("T")

#: The word for no optimiser: the direct conversion alone, compared and reported.
NOT_TUNED = "none"


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
    return (
        *map(_planned, ("ramp_steer", "sine_sweep", "step_steer")),
        _planned("acceleration", slowest_mps2="0.2"),  # the last 20 km/h to top speed take more than half of the time
        _planned("braking"),
    )


def _held_out() -> tuple[PlannedTest, ...]:
    return (
        _planned("double_lane_change", limit_share="0.9"),  # as fast as this vehicle can drive it, nearly
        _planned("brake_in_turn"),
        _planned("constant_radius", target_ay_g="0.4"),
        _planned("step_steer", "step_steer, half payload", PayloadLevel.HALF, speed_kmh="80"),
        # one at the limit, one on a rough road: short, because a study shall not wait for them
        _planned("sine_with_dwell", amplitude_factor="3", after_s="2"),
        _planned("random_road", road_class="C", duration_s="4"),
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
    start
        Factors on converted parameters by name, before anything is tuned: the model begins there, and bounds in percent
        are around that [-].
    detail
        How much of the kinematics the model keeps.
    compliance
        How its wheels give under load.
    further
        Compliance to go on with, one after the other, as long as an index of the tuned model is above the tolerance.
    left
        What the study has gone on from, and why: a sentence each.
    steering
        Of both models; None for torsion bar, gear and assistance where the vehicle has them.
    travel
        Wheel travel of the K&C maps to either side [m]; None for what driving at the limit needs.
    screening, variance
        Trajectories of Morris, base points of Sobol; 0 for none.
    plugins
        Files of the user that add manoeuvres, indices, templates or optimisers.
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
    start: Mapping[str, float] = field(default_factory=dict)
    detail: Detail = Detail.TWO_DIMENSIONAL
    compliance: Compliance = Compliance.MOVING
    further: tuple[Compliance, ...] = ()
    left: tuple[str, ...] = ()
    steering: SteeringModel | None = None
    travel: float | None = None
    screening: int = 0
    variance: int = 0
    plugins: tuple[Path, ...] = ()

    @classmethod
    def not_tuned(cls) -> StudySettings:
        """Where nothing is tuned, nothing has to be held out either, unless it is named."""
        return cls(optimiser=NOT_TUNED, hold_out=())

    def require_packages(self) -> None:
        """MissingExtraError where what is asked for needs a package that is not installed."""
        if self.optimiser != NOT_TUNED:
            require_installed(self.optimiser)
        if self.screening or self.variance:
            require_salib()

    def rig(self) -> KcSettings | None:
        """What the rig is asked for; None for what driving at the limit needs."""
        return None if self.travel is None else KcSettings.over(self.travel)


class StudyKey(NamedTuple):
    """A key of the table [study]: what it must be, what it is called on a form (with its unit), and what it means."""

    needed: str
    title: str
    meaning: str

    @property
    def choices(self) -> tuple[str, ...]:
        """The words allowed; none for a number or a list."""
        if not self.needed.startswith("one of "):
            return ()
        return tuple(self.needed.removeprefix("one of ").partition(", or ")[0].split(", "))


#: Keys of the table [study].
STUDY_KEYS = {
    "mode": StudyKey("one of standard, expert", "mode", "the paper's parameters, or any"),
    "optimiser": StudyKey("one of " + ", ".join((*METHODS.built_in, NOT_TUNED)), "optimiser", "how the search is done"),
    "seed": StudyKey("a whole number of 0 or more", "seed", "for optimisers that draw random numbers"),
    "tolerance_pct": StudyKey("a number above 0", "tolerance [%]", "an index up to here is a good fit"),
    "penalty": StudyKey(
        "a number of 0 or more", "penalty [-]", "what each percent above the tolerance costs in addition"
    ),
    "evaluations": StudyKey("a whole number above 0", "evaluations", "budget of the search"),
    "seconds": StudyKey("a number above 0", "time budget [s]", "of the search; none if empty"),
    "range_pct": StudyKey(
        "a number above 0 and below 100",
        "range of parameters, ± [%]",
        "bounds of every parameter around its nominal value",
    ),
    "detail": StudyKey("one of linear, 1d, 2d", "kinematics", "how much of them the model keeps"),
    "compliance": StudyKey(
        "one of moving, quasi-static, none, or a list of these in the order in which they are tried,",
        "compliance",
        "how wheels give under load",
    ),
    "steering": StudyKey("one of ratio, mechanism", "steering", "of both models; as the vehicle has it if empty"),
    "travel_mm": StudyKey("a number above 0 and below 300", "wheel travel, ± [mm]", "of the K&C maps"),
    "parameters": StudyKey("a list of names", "parameters", "what is tuned; the paper's set if empty"),
    "screening": StudyKey(
        "0, or a whole number of 2 or more", "screening: trajectories", "of Morris, over the whole ranges; 0 for none"
    ),
    "variance": StudyKey(
        "0, or a power of two of 8 or more", "variance: base points", "of Sobol, over the whole ranges; 0 for none"
    ),
    "plugins": StudyKey("a list of Python files", "plugins", "manoeuvres, indices, templates, optimisers of your own"),
}
_LARGEST_FILE = 2**20
_TABLES = ("study", "tune", "hold_out", "parameters", "start")
_TEST_KEYS = ("manoeuvre", "payload", "weight", "weights")
_PARAMETER_KEYS = ("lower", "upper", "range_pct")


def read_study_file(path: Path, mode: Mode | None = None, optimiser: str | None = None) -> StudySettings:
    """Read a study file.

    Parameters
    ----------
    path
        TOML with the tables ``[study]``, ``[tune.NAME]``, ``[hold_out.NAME]``, ``[parameters.NAME]`` and ``[start]``;
        each may be missing. With a table ``[tune…]`` only its manoeuvres are tuned with; the same holds for
        ``[hold_out…]``.
    mode, optimiser
        Prevail over those of the file.

    Raises
    ------
    InputError
        With everything that is wrong: unknown keys with close matches, values, bounds that cross, weights.
    """
    data, text = read_toml(path, _LARGEST_FILE)
    reader = _Reader(path, text)
    settings = reader.settings(data, mode, optimiser)
    raise_if_errors(sorted(reader.problems, key=lambda problem: problem.place.line or 0))
    return settings


#: A part of a key of TOML, in quotes or without.
_KEY = re.compile(r""""([^"]*)"|'([^']*)'|([\w-]+)""")


class _Reader:
    """Collects what is wrong while a file is read."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.keys = tuple(_key_lines(text))
        self.problems: list[Problem] = []
        self.weights: dict[str | tuple[str, str], float] = {}

    def settings(self, data: Mapping[str, Any], mode: Mode | None, optimiser: str | None) -> StudySettings:
        self.known(data, _TABLES, "table")
        study = self.table(data, "study")
        self.known(study, STUDY_KEYS, "key of [study]", "study")
        default = StudySettings()
        plugins = self.plugins(study)  # first: what follows may name what they add
        chosen = mode or self.choice(study, "mode", Mode, default.mode)
        optimiser = optimiser or self.choice(study, "optimiser", _optimiser, default.optimiser)
        tests, hold_out = self.all_tests(data, default if optimiser != NOT_TUNED else StudySettings.not_tuned())
        names = self.names(study, chosen)
        bounds, ranges = self.bounds(self.table(data, "parameters"), chosen, names)
        tolerance = self.number(study, "tolerance_pct", default.objective.tolerance_pct, above=0)
        penalty = self.number(study, "penalty", default.objective.penalty, least=0)
        seconds = self.number(study, "seconds", math.inf, above=0)
        travel = self.number(study, "travel_mm", math.nan, above=0, below=300)
        evaluations = self.whole(study, "evaluations", default.budget.evaluations, 1)
        in_order = self.choice(study, "compliance", _in_order, (default.compliance, *default.further))
        return StudySettings(
            mode=chosen,
            tests=tests,
            hold_out=hold_out,
            objective=Objective(tolerance, penalty, self.weights),
            optimiser=optimiser,
            seed=self.whole(study, "seed", default.seed, 0),
            budget=Budget(evaluations, seconds),
            parameters=names,
            bounds=bounds,
            ranges=ranges,
            relative=0.01 * self.number(study, "range_pct", 100 * RANGE, above=0, below=100),
            start=self.start(self.table(data, "start"), chosen),
            detail=self.choice(study, "detail", Detail, default.detail),
            compliance=in_order[0],
            further=in_order[1:],
            steering=self.choice(study, "steering", SteeringModel, default.steering),
            travel=None if math.isnan(travel) else 1e-3 * travel,
            screening=self.whole(study, "screening", 0, 0, lambda count: count != 1),
            variance=self.whole(
                study, "variance", 0, 0, lambda count: not count or (count >= 8 and count.bit_count() == 1)
            ),
            plugins=plugins,
        )

    def plugins(self, study: Mapping[str, Any]) -> tuple[Path, ...]:
        """Files named beside the study file, run; what is wrong in them is kept."""
        given = study.get("plugins", [])
        if not isinstance(given, list) or not all(isinstance(name, str) for name in given):
            self.wrong(given, "study", "plugins")
            return ()
        found = []
        for name in given:
            try:
                found.append(load_plugin(self.path.parent / name))
            except InputError as error:
                self.problems += error.problems
        return tuple(found)

    # --- manoeuvres ---

    def all_tests(
        self, data: Mapping[str, Any], default: StudySettings
    ) -> tuple[tuple[PlannedTest, ...], tuple[PlannedTest, ...]]:
        tests = self.tests(data, "tune") if "tune" in data else default.tests
        if "hold_out" in data:
            hold_out = self.tests(data, "hold_out")
            for held in hold_out:
                if any(_same(held, test) for test in tests):
                    text = f"'{held.label}' is held out and used for tuning"
                    self.complain(text, "hold_out", held.label, hint="give it another label and other settings")
        else:
            hold_out = tuple(held for held in default.hold_out if not any(_same(held, test) for test in tests))
        if "tune" in data and not data["tune"]:
            self.complain("there is no manoeuvre to tune with", "tune", hint="leave [tune] out for the default ones")
        kept = {test.label: self.weights.get(test.label, 1.0) for test in tests}
        kept |= {key[0]: 1.0 for key, weight in self.weights.items() if isinstance(key, tuple) and weight}
        if kept and not any(kept.values()):
            self.complain("the weights of all manoeuvres are zero", "tune", hint="give at least one a positive weight")
        return tests, hold_out

    def tests(self, data: Mapping[str, Any], table: str) -> tuple[PlannedTest, ...]:
        found = []
        for label, given in self.table(data, table).items():
            if not isinstance(given, Mapping):
                text = f"[{table}] has '{label} = {given!r}'"
                self.complain(text, table, label, hint=f"write a table [{table}.{label}]")
                continue
            test = self.test(table, label, given)
            if test is not None:
                found.append(test)
        return tuple(found)

    def test(self, table: str, label: str, given: Mapping[str, Any]) -> PlannedTest | None:
        name, where = given.get("manoeuvre", label), (table, label)
        said = f"[{table}.{label}]"
        if not isinstance(name, str) or name not in MANOEUVRES:
            hint = _close(str(name), MANOEUVRES)
            self.complain(f"{said}: there is no manoeuvre '{name}'", *where, "manoeuvre", hint=hint)
            return None
        if not has_indices(name):
            hint = "there are " + ", ".join(with_indices())
            self.complain(f"{said}: '{name}' has no indices to compare", *where, "manoeuvre", hint=hint)
            return None
        weighted = table == "tune"
        self.weigh(table, label, given, weighted=weighted)
        payload = None
        if "payload" in given:
            payload = self.choice(given, "payload", PayloadLevel, PayloadLevel.HALF, *where)
            if weighted:
                text = f"{said}: a manoeuvre to tune with has the payload of the study"
                self.complain(text, *where, "payload", hint="choose it with --payload; [hold_out] may have another")
        settings = {key: _text(value) for key, value in given.items() if key not in _TEST_KEYS}
        try:
            found = manoeuvre(name, settings)
        except InputError as error:
            for problem in error.problems:
                key = next((key for key in settings if re.search(rf"\b{re.escape(key)}\b", problem.text)), "")
                self.complain(f"{said}: {problem.text}", *where, key, hint=problem.hint)
            return None
        if weighted and not can_be_scripted(found):
            text = f"{said}: '{name}' cannot be used for tuning, it is a closed-loop manoeuvre"
            self.complain(text, *where, hint=f"hold it out: [hold_out.{label}]")
        return PlannedTest(label, found, payload)

    def weigh(self, table: str, label: str, given: Mapping[str, Any], *, weighted: bool) -> None:
        where, said = (table, label), f"[{table}.{label}]"
        weights: dict[str | tuple[str, str], Any] = {}
        if "weight" in given:
            weights[label] = given["weight"]
        if isinstance(given.get("weights", {}), Mapping):
            weights |= {(label, index): value for index, value in given.get("weights", {}).items()}
        else:
            text = f"{said}: weights is {given['weights']!r}"
            self.complain(text, *where, "weights", hint="a table of index = weight is needed")
        if weights and not weighted:
            self.complain(f"{said}: a manoeuvre that is held out has no weight", *where, "weight")
        for key, value in weights.items():
            what, rest = ("weight", ("weight",)) if key == label else (f"weight of '{key[1]}'", ("weights", key[1]))
            if not 0 <= (weight := _as_float(value)) < math.inf:
                text = f"{said}: the {what} is {value!r}"
                self.complain(text, *where, *rest, hint="a number of 0 or more is needed")
            else:
                self.weights[key] = weight

    # --- parameters ---

    def names(self, study: Mapping[str, Any], mode: Mode) -> tuple[str, ...] | None:
        given = study.get("parameters")
        if given is None:
            return None
        if not (isinstance(given, list) and given and all(isinstance(name, str) for name in given)):
            self.wrong(given, "study", "parameters")
            return None
        for name in given:
            self.allow(name, mode, "study", "parameters")
        return tuple(dict.fromkeys(given))

    def bounds(
        self, table: Mapping[str, Any], mode: Mode, names: tuple[str, ...] | None
    ) -> tuple[dict[str, Bounds], dict[str, float]]:
        bounds, ranges = {}, {}
        tuned = (*PAPER_SET, *SPLIT_FACTORS) if names is None else names
        for name, given in table.items():
            where, said = ("parameters", name), f"[parameters.{name}]"
            if not self.allow(name, mode, *where):
                continue
            if not isinstance(given, Mapping):
                text = f"'{name} = {given!r}' stands in [parameters]"
                self.complain(text, *where, hint=f"write a table {said}")
                continue
            if name not in tuned:
                self.complain(f"{said}: '{name}' is not tuned", *where, hint="add it to parameters in [study]")
            self.known(given, _PARAMETER_KEYS, f"key of {said}", *where)
            if "range_pct" in given:
                ranges[name] = 0.01 * self.number(given, "range_pct", 100 * RANGE, *where, above=0, below=100)
            if "lower" in given or "upper" in given:
                lower, upper = (self.number(given, key, math.nan, *where) for key in ("lower", "upper"))
                if "range_pct" in given:
                    self.complain(f"{said} has both range_pct and bounds", *where, "range_pct")
                elif "lower" not in given or "upper" not in given:
                    self.complain(f"{said} needs both lower and upper", *where)
                elif lower >= upper:
                    text = f"{said}: the bounds cross, lower is {lower:g} and upper {upper:g}"
                    self.complain(text, *where, "lower")
                else:
                    bounds[name] = Bounds(lower, upper)
        return bounds, ranges

    def start(self, table: Mapping[str, Any], mode: Mode) -> dict[str, float]:
        for name in table:
            if name in SPLIT_FACTORS:
                self.complain(f"[start]: '{name}' is a share, not a value of the model", "start", name)
            else:
                self.allow(name, mode, "start", name)
        return {name: self.number(table, name, 1.0, "start", above=0) for name in table}

    def allow(self, name: str, mode: Mode, *where: str) -> bool:
        known = (*(item.name for item in PARAMETERS), *SPLIT_FACTORS)
        if name not in known:
            self.complain(f"there is no parameter '{name}'", *where, hint=_close(name, known))
        elif mode is Mode.STANDARD and name not in (*PAPER_SET, *SPLIT_FACTORS):
            hint = '--mode expert, or mode = "expert" in [study]'
            self.complain(f"'{name}' is tuned in expert mode only", *where, hint=hint)
        else:
            return True
        return False

    # --- values ---

    def table(self, data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
        found = data.get(key, {})
        if isinstance(found, Mapping):
            return found
        self.complain(f"'{key}' is {found!r}", key, hint=f"a table [{key}] is needed")
        return {}

    def known(self, given: Mapping[str, Any], allowed: Iterable[str], what: str, *where: str) -> None:
        for key in given:
            if key not in allowed:
                self.complain(f"'{key}' is no {what}", *where, key, hint=_close(key, allowed))

    def choice(self, table: Mapping[str, Any], key: str, convert: Callable[[str], T], default: T, *where: str) -> T:
        if key not in table:
            return default
        try:
            return convert(table[key])
        except (KeyError, ValueError, TypeError):
            self.wrong(table[key], *(where or ("study",)), key)
            return default

    def number(
        self,
        table: Mapping[str, Any],
        key: str,
        default: float,
        *where: str,
        above: float = -math.inf,
        least: float = -math.inf,
        below: float = math.inf,
    ) -> float:
        if key not in table:
            return default
        value = _as_float(table[key])
        if not above < value < below or value < least:
            self.wrong(table[key], *(where or ("study",)), key)
            return default
        return value

    def whole(
        self,
        table: Mapping[str, Any],
        key: str,
        default: int,
        least: int,
        fits: Callable[[int], bool] = lambda value: True,
    ) -> int:
        value = table.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or value < least or not fits(value):
            self.wrong(value, "study", key)
            return default
        return value

    def wrong(self, value: object, *where: str) -> None:
        key = where[-1]
        known = STUDY_KEYS[key].needed if key in STUDY_KEYS else "a number"
        needed = "one of " + ", ".join(PayloadLevel) if key == "payload" else known
        needed = "a factor above 0" if where[0] == "start" else needed
        self.complain(f"[{'.'.join(where[:-1])}]: {key} is {value!r}", *where, hint=f"{needed} is needed")

    def complain(self, text: str, *where: str, hint: str = "") -> None:
        """Keep a problem at the line of a table or key, or at that of what holds it."""
        best, line = 0, 1
        for number, keys in self.keys:
            same = next(
                (k for k, (a, b) in enumerate(zip(keys, where, strict=False)) if a != b), min(len(keys), len(where))
            )
            if same > best:
                best, line = same, number
        self.problems.append(Problem(text, Place(self.path, line), hint=hint))


def _key_lines(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Lines of a TOML file with the keys that lead to what begins there."""
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("#"):
            continue
        if line.lstrip().startswith("["):
            table = _key(line.partition("]")[0])
            yield number, table
        elif "=" in line:
            yield number, (*table, *_key(line.partition("=")[0]))


def _key(text: str) -> tuple[str, ...]:
    return tuple(next(filter(None, parts), "") for parts in _KEY.findall(text))


def _optimiser(name: str) -> str:
    return name if name == NOT_TUNED else METHODS[name].name


def _in_order(given: str | Sequence[str]) -> tuple[Compliance, ...]:
    """One kind of compliance, or several; ValueError if one of them is none, comes twice, or there are none."""
    found = tuple(Compliance(each) for each in ([given] if isinstance(given, str) else given))
    if not found or len(set(found)) < len(found):
        raise ValueError
    return found


def _same(one: PlannedTest, other: PlannedTest) -> bool:
    return one.label == other.label or (one.manoeuvre, one.payload) == (other.manoeuvre, other.payload)


def _close(name: str, known: Iterable[str]) -> str:
    options = list(known)
    near = close_matches(name, options)
    if near:
        return "did you mean " + " or ".join(f"'{option}'" for option in near) + "?"
    return "there are " + ", ".join(options)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _as_float(value: object) -> float:
    """A number as the reader takes it: not a number for what is none, infinite for what is too large."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf
