"""A campaign with its models: what run n is, driven by anybody who has the plan and the number."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from threading import local

import numpy as np
from numpy.typing import NDArray

from trackrod import __version__
from trackrod.campaign.circumstances import VehicleInSurroundings, loaded
from trackrod.campaign.description import (
    AppliedAs,
    CampaignModel,
    CampaignTest,
    Description,
    Target,
    Variable,
)
from trackrod.campaign.distributions import standard_normal
from trackrod.campaign.file import CampaignFile
from trackrod.campaign.sampling import Method, Sampling
from trackrod.core.errors import InputError, Place, Problem, TrackrodError, UnknownNameError, raise_if_errors
from trackrod.core.executors import stop_requested
from trackrod.core.plain import Plain, canonical_json
from trackrod.core.records import from_plain, to_plain
from trackrod.core.series import Run
from trackrod.manoeuvres.registry import manoeuvre, manoeuvre_class
from trackrod.metrics.values import RunValue, run_values, values_of
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.spec import RTM, RtmSpec
from trackrod.simulate.drive import prepared, require_periods, require_settled, simulate
from trackrod.simulate.events import EventKind
from trackrod.tune.posterior import Posterior
from trackrod.tune.space import inertia_fault

__all__ = [
    "COMPLETED",
    "ENDED",
    "EVENTS",
    "FAILED",
    "Cell",
    "Circumstances",
    "Plan",
    "Shipped",
    "Stopped",
    "TaskResult",
    "make_plan",
    "unpacked",
]

Array = NDArray[np.float64]
Cell = float | int | str | None

#: Statuses of runs: driven to the end; ended by an event, which is a result too; not driven, with the reason.
COMPLETED, ENDED, FAILED = "completed", "ended", "failed"
#: Names of events in the table: the time of the first of its kind.
EVENTS = {f"event_{kind}_s": kind for kind in EventKind}


class Stopped(Exception):  # noqa: N818 - not an error: the user has had enough, or a task is not needed
    """The task is no longer wanted."""


@dataclass(frozen=True, slots=True)
class Shipped:
    """A plan as texts, which can go to another process.

    Attributes
    ----------
    plan
        JSON of all but the models.
    models
        Saved models by label.
    trackrod
        The version that made it: others may drive other numbers.
    """

    plan: str
    models: Mapping[str, str]
    trackrod: str = __version__


@dataclass(frozen=True, slots=True, eq=False)
class TaskResult:
    """Runs of a task.

    Attributes
    ----------
    rows
        A row of the table for each.
    signals
        Number, times and signals of those whose signals are kept.
    """

    rows: list[dict[str, Cell]]
    signals: list[tuple[int, Array, list[Array]]]


@dataclass(frozen=True, slots=True, eq=False)
class Circumstances:
    """What one run is driven with.

    Attributes
    ----------
    number, point
        Of the run and of its point.
    model, test
        What is driven.
    inputs
        Everything that was drawn, by column of the table.
    parameters
        Of the model, before the payload [SI].
    payload
        [kg]
    surroundings
        By the names of `ENVIRONMENT`.
    settings
        Of the manoeuvre, as texts.
    """

    number: int
    point: int
    model: CampaignModel
    test: CampaignTest
    inputs: Mapping[str, Cell]
    parameters: Mapping[str, float]
    payload: float
    surroundings: Mapping[str, float]
    settings: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Plan:
    """A campaign that can be driven.

    Attributes
    ----------
    description
        What it is.
    specs, posteriors
        Models and what their tunings left uncertain, by label.
    settings
        Of the manoeuvres, as texts: by label of the model and of the manoeuvre, with those that were found by driving
        the model as it is.

    Holds: run n is the same, bit for bit, whoever drives it, when, and with what other runs.
    """

    description: Description
    specs: Mapping[str, RtmSpec]
    posteriors: Mapping[str, Posterior]
    settings: Mapping[str, Mapping[str, Mapping[str, str]]]

    @cached_property
    def _vehicles(self) -> local:
        return local()

    # --- numbers ---

    @cached_property
    def sampling(self) -> Sampling:
        """The points of the unit cube."""
        size = len(self.description.variables) + len(self.uncertain)
        return Sampling(self.description.method, self.description.count, size, self.description.seed)

    @cached_property
    def uncertain(self) -> tuple[str, ...]:
        """Parameters of the posterior that has the most of them."""
        return max((each.names for each in self._posteriors), key=len, default=())

    @property
    def _posteriors(self) -> tuple[Posterior, ...]:
        """In the order of the models."""
        labels = (model.label for model in self.description.models)
        return tuple(self.posteriors[label] for label in labels if label in self.posteriors)

    @property
    def runs_per_point(self) -> int:
        """Models times manoeuvres."""
        return len(self.description.models) * len(self.description.tests)

    @cached_property
    def points(self) -> int:
        """How many."""
        return self.description.points(self.sampling.dimensions)

    @property
    def runs(self) -> int:
        """How many."""
        return self.points * self.runs_per_point

    @property
    def tasks(self) -> int:
        """How many."""
        return -(-self.runs // self.description.runs_per_task)

    def numbers(self, task: int) -> range:
        """Of the runs of a task."""
        size = self.description.runs_per_task
        return range(task * size, min((task + 1) * size, self.runs))

    # --- circumstances ---

    def circumstances(self, numbers: range) -> Iterator[Circumstances]:
        """Of some runs in a row."""
        if not numbers:
            return
        first, last = numbers[0] // self.runs_per_point, numbers[-1] // self.runs_per_point
        drawn = self._drawn(first, last - first + 1)
        tests = len(self.description.tests)
        for number in numbers:
            point, rest = divmod(number, self.runs_per_point)
            model, test = self.description.models[rest // tests], self.description.tests[rest % tests]
            yield self._circumstances(number, point, model, test, *(part[point - first] for part in drawn))

    def _drawn(self, first: int, count: int) -> tuple[Array, Array]:
        """Values of the variables, and normal numbers of the posteriors, of some points."""
        variables = self.description.variables
        if self.description.method is Method.GRID:
            levels = [variable.distribution.grid() for variable in variables]
            places = np.unravel_index(np.arange(first, first + count), self.description.grid_shape) if levels else ()
            columns = [values[place] for values, place in zip(levels, places, strict=True)]
            return np.array(columns).reshape(len(variables), count).T, np.zeros((count, 0))
        cube = self.sampling.points(first, count)
        columns = [variable.distribution.at(cube[:, k]) for k, variable in enumerate(variables)]
        return np.array(columns).reshape(len(variables), count).T, standard_normal(cube[:, len(variables) :])

    def _circumstances(
        self, number: int, point: int, model: CampaignModel, test: CampaignTest, values: Array, normals: Array
    ) -> Circumstances:
        spec = self.specs[model.label]
        parameters, inputs = dict(spec.parameters), dict[str, Cell]()
        if model.label in self.posteriors:
            posterior = self.posteriors[model.label]
            drawn = posterior.values(normals[None, : len(posterior.names)])[0]
            parameters = posterior.parameters(spec, drawn)
            inputs |= {f"in_{name}": float(value) for name, value in zip(posterior.names, drawn, strict=True)}
        settings = dict(self.settings[model.label][test.label])
        surroundings, payload = dict[str, float](), 0.0
        for variable, value in zip(self.description.variables, values.tolist(), strict=True):
            words = variable.distribution.words
            inputs[variable.column] = words[round(value)] if words else value
            if variable.target is Target.PARAMETER:
                parameters[variable.name] = _applied(variable, parameters[variable.name], value)
            elif variable.target is Target.PAYLOAD:
                payload = value
            elif variable.target is Target.ENVIRONMENT:
                surroundings[variable.name] = value
            else:
                label, _, setting = variable.name.partition(".")
                if label != test.label:
                    inputs[variable.column] = None
                    continue
                whole = any(item.name == setting and item.whole for item in manoeuvre_class(test.manoeuvre).settings())
                settings[setting] = words[round(value)] if words else str(round(value)) if whole else repr(value)
        return Circumstances(number, point, model, test, inputs, parameters, payload, surroundings, settings)

    # --- driving ---

    def run_task(self, task: int) -> TaskResult:
        """Drive the runs of a task."""
        rows, signals = [], []
        for each in self.circumstances(self.numbers(task)):
            row, run = self.drive(each)
            rows.append(row)
            if run is not None and self.description.signals:
                kept = slice(None, None, self.description.every)
                missing = np.full(run.time.size, np.nan)
                columns = [run.get(name, missing) for name in self.description.signals]
                signals.append((each.number, run.time[kept], [column[kept] for column in columns]))
        return TaskResult(rows, signals)

    def drive(self, each: Circumstances) -> tuple[dict[str, Cell], Run | None]:
        """One run: its row of the table, and what was driven; None where it never began."""
        row: dict[str, Cell] = {"run": each.number, "point": each.point}
        row |= {"model": each.model.label, "manoeuvre": each.test.label, **each.inputs}
        steps = 0
        try:
            vehicle = self.vehicle(each)
            try:
                run = simulate(
                    vehicle,
                    manoeuvre(each.test.manoeuvre, each.settings),
                    sample=self.description.sample,
                    progress=_watch,
                )
            finally:
                steps = vehicle.steps
            require_settled(run)
        except TrackrodError as error:
            return {**row, "status": FAILED, "text": str(error), "steps": steps}, None
        completed = bool(run.metadata["completed"])
        text = "" if completed else str(run.metadata["events"][-1]["text"])
        row |= {"status": COMPLETED if completed else ENDED, "text": text, "steps": steps}
        for event in reversed(run.metadata["events"]):
            row[f"event_{event['event']}_s"] = float(event["time_s"])
        found = run_values(each.test.manoeuvre, run)
        row |= {name: value for name, value in found.items() if math.isfinite(value) and name in self._kept}
        return row, run

    def vehicle(self, each: Circumstances) -> VehicleInSurroundings:
        """What drives; the same object as of the last run of this model in this thread, made new.

        Raises
        ------
        InputError
            No vehicle has such parameters.
        """
        if fault := inertia_fault(each.parameters):
            raise InputError(fault)
        spec = self.specs[each.model.label].with_parameters(**each.parameters)
        if self.description.payload_place is not None:
            spec = loaded(spec, each.payload, self.description.payload_place)
        if each.model.label not in (made := self._made()):
            made[each.model.label] = VehicleInSurroundings(spec, step=self.description.step, surroundings={})
        made[each.model.label].renew(spec, each.surroundings)
        return made[each.model.label]

    def _made(self) -> dict[str, VehicleInSurroundings]:
        """Vehicles of this thread by label of the model: to compile one takes as long as a third of a run."""
        if not hasattr(self._vehicles, "by_label"):
            self._vehicles.by_label = {}
        found: dict[str, VehicleInSurroundings] = self._vehicles.by_label
        return found

    # --- the table ---

    @cached_property
    def values(self) -> tuple[RunValue, ...]:
        """What is read from the runs, each once."""
        found = {value.name: value for test in self.description.tests for value in values_of(test.manoeuvre)}
        chosen = self.description.values or tuple(found)
        return tuple(found[name] for name in chosen)

    def values_of(self, test: CampaignTest) -> tuple[RunValue, ...]:
        """Those of a manoeuvre that are kept."""
        names = {value.name for value in values_of(test.manoeuvre)}
        return tuple(value for value in self.values if value.name in names)

    @cached_property
    def _kept(self) -> frozenset[str]:
        return frozenset(value.name for value in self.values)

    @cached_property
    def inputs(self) -> dict[str, str]:
        """Columns of what is drawn, with their units."""
        found: dict[str, str] = {}
        for posterior in self._posteriors:
            found |= {f"in_{name}": unit for name, unit in zip(posterior.names, posterior.units, strict=True)}
        return found | {variable.column: variable.unit for variable in self.description.variables}

    @property
    def words(self) -> frozenset[str]:
        """Columns of inputs that are words."""
        return frozenset(variable.column for variable in self.description.variables if variable.distribution.words)

    # --- to another process and back ---

    def shipped(self) -> Shipped:
        """As texts."""
        data: dict[str, Plain] = {
            "description": to_plain(self.description),
            "posteriors": {label: to_plain(each) for label, each in self.posteriors.items()},
            "settings": {model: {test: dict(s) for test, s in each.items()} for model, each in self.settings.items()},
        }
        models = {label: canonical_json(RTM.to_plain(spec)) for label, spec in self.specs.items()}
        return Shipped(canonical_json(data), models)


def unpacked(shipped: Shipped) -> Plan:
    """The plan of its texts; kept, because a worker drives many tasks of it.

    Raises
    ------
    InputError
        Another version of Trackrod made it.
    """
    if shipped.trackrod != __version__:
        text = f"the campaign was made by Trackrod {shipped.trackrod}, this is {__version__}"
        raise InputError(Problem(text, hint="install the same version on all machines"))
    return _unpacked(shipped.plan, tuple(sorted(shipped.models.items())))


@lru_cache(2)
def _unpacked(plan: str, models: tuple[tuple[str, str], ...]) -> Plan:
    data = json.loads(plan)
    posteriors = {label: from_plain(Posterior, each) for label, each in data["posteriors"].items()}
    specs = {label: RTM.from_plain(json.loads(text)) for label, text in models}
    return Plan(from_plain(Description, data["description"]), specs, posteriors, data["settings"])


def make_plan(file: CampaignFile, specs: Mapping[str, RtmSpec], posteriors: Mapping[str, Posterior]) -> Plan:
    """The plan of a file, with its models; everything that no run could be driven with is refused.

    Parameters
    ----------
    file
        What was read.
    specs, posteriors
        By label of the models.

    Raises
    ------
    InputError
        With everything that does not fit, by line.
    ConvergenceError
        A model cannot find a setting that a manoeuvre asks for.
    """
    description = file.description
    raise_if_errors(_faults(file, specs, posteriors))
    varied = {variable.name for variable in description.variables if variable.target is Target.SETTING}

    def settings(spec: RtmSpec, test: CampaignTest) -> dict[str, str]:
        found = manoeuvre(test.manoeuvre, test.settings)
        if not any(name.startswith(f"{test.label}.") for name in varied):
            found = prepared(RealTimeVehicle(spec, step=description.step), found)
        return {name: _setting_text(value) for name, value in found.values().items() if value is not None}

    found = {
        model.label: {test.label: settings(specs[model.label], test) for test in description.tests}
        for model in description.models
    }
    return Plan(description, specs, posteriors, found)


def _faults(file: CampaignFile, specs: Mapping[str, RtmSpec], posteriors: Mapping[str, Posterior]) -> Iterator[Problem]:
    description, places = file.description, file.places
    nowhere = Place(file.path)
    try:
        require_periods(description.step, description.sample)
    except InputError as error:
        yield from (replace(problem, place=nowhere) for problem in error.problems)
        return
    varied = {variable.name for variable in description.variables}
    for model in description.models:
        spec, place = specs[model.label], places.get(model.label, nowhere)
        if model.posterior and model.label not in posteriors:
            hint = "name the folder of a study that tuned its model, made by this version of `trackrod convert`"
            yield Problem(f"'{model.source}' does not say what its tuning left uncertain", place, hint=hint)
        if model.label in posteriors:
            for name in varied & set(posteriors[model.label].names):
                yield Problem(f"'{name}' is drawn twice: it varies, and it is in the posterior", place)
            if description.method in (Method.GRID, Method.SALTELLI):
                text = f"a posterior has correlations, which '{description.method}' cannot have"
                yield Problem(text, place, hint="take sobol, lhs or random")
        for variable in description.variables:
            if fault := _fault_of(variable, spec, description):
                hint = "cut it off with low and high, or take a narrower distribution"
                yield Problem(f"'{variable.name}': {fault}", places.get(variable.name, nowhere), hint=hint)
        if description.signals:
            columns = RealTimeVehicle(spec, step=description.step).advance(0.0, 0.0, 0.0, 0.0)
            for name in description.signals:
                if name not in columns:
                    yield from (
                        replace(problem, place=nowhere)
                        for problem in UnknownNameError("signal of a run", name, list(columns)).problems
                    )


def _fault_of(variable: Variable, spec: RtmSpec, description: Description) -> str:
    """Why a model cannot have an end of what varies; empty if it can."""
    for value in variable.distribution.ends:
        try:
            if variable.target is Target.PARAMETER:
                nominal = spec.parameters[variable.name]
                if variable.applied is AppliedAs.FACTOR and nominal == 0.0:
                    return f"a factor on {variable.name} changes nothing, it is zero in '{spec.name}'"
                changed = {**spec.parameters, variable.name: _applied(variable, nominal, value)}
                if fault := inertia_fault(changed):
                    return fault
                spec.with_parameters(**changed)
            elif variable.target is Target.PAYLOAD and description.payload_place is not None:
                loaded(spec, value, description.payload_place)
        except InputError as error:
            return error.problems[0].text
    return ""


def _applied(variable: Variable, nominal: float, value: float) -> float:
    if variable.applied is AppliedAs.FACTOR:
        return nominal * value
    return nominal + value if variable.applied is AppliedAs.CHANGE else value


def _setting_text(value: Plain) -> str:
    return repr(value) if isinstance(value, float) else str(value)


def _watch(_phase: str, _time: float) -> None:
    if stop_requested():
        raise Stopped
