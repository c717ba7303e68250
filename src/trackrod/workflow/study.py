"""A study from beginning to end: sensitivity, tuning, hold-out manoeuvres, error budget.

Every evaluation of the model is kept in the folder, so that a study that was killed goes on where it was, and a study
that is done again with nothing changed takes seconds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from itertools import repeat
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trackrod.convert.conversion import Detail
from trackrod.convert.round_trip import round_trip
from trackrod.core import signals
from trackrod.core.artefact import Artefact
from trackrod.core.errors import ConvergenceError, InputError, Problem, Severity
from trackrod.core.executors import executor
from trackrod.core.plain import Plain
from trackrod.core.series import Run
from trackrod.core.signals import Signal
from trackrod.fit.candidates import Candidate, rank_candidates
from trackrod.fit.covariance import Confidence, confidence
from trackrod.fit.gauss_newton import GaussNewton
from trackrod.fit.identifiability import Identifiability, Verdict, identify
from trackrod.fit.journal import JournalledProblem
from trackrod.fit.local_sensitivity import LocalSensitivity
from trackrod.fit.methods import minimise
from trackrod.fit.outcome import Outcome, SearchProgress, StopRules
from trackrod.fit.problem import Blocks
from trackrod.fit.ranges import ranges_by_tolerance
from trackrod.fit.screening import Screening, screen
from trackrod.fit.variance_shares import VarianceShares, share_variance
from trackrod.manoeuvres.registry import manoeuvre
from trackrod.metrics.indices import Index, indices
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.script import Script, ScriptedVehicle
from trackrod.rtm.spec import RTM, RtmSpec
from trackrod.simulate.drive import simulate
from trackrod.simulate.script import scripted
from trackrod.tune.problem import ScriptedTest, TuningProblem
from trackrod.tune.space import TuningSpace
from trackrod.tune.study import ErrorBudgetEntry, StudyResult, TestResult, TunedParameter
from trackrod.workflow.cache import cached_run, code_hash
from trackrod.workflow.stages import with_found_settings
from trackrod.workflow.study_input import Announce, StudyInput, StudyTest
from trackrod.workflow.study_settings import StudySettings

__all__ = ["EVALUATIONS", "run_study"]

#: Folder of a study in which its evaluations are kept, in a folder for the code that made them.
EVALUATIONS = "evaluations"
#: Packages whose code an evaluation depends on.
_CODE = ("core", "tyre", "rtm", "manoeuvres", "simulate", "metrics", "fit", "tune")

#: A change to a bound must improve the objective by this much: what hardly matters stays as it was converted.
_METHODS = {GaussNewton.name: GaussNewton(prior_pct=0.02)}
_STOP = StopRules(improvement_pct=0.005)

#: Manoeuvres whose worth for the identification is looked at, with settings that need no reference.
_CANDIDATES = ("single_sine", "pulse", "throttle_off", "brake_in_turn")


def run_study(
    given: StudyInput,
    settings: StudySettings,
    folder: Path,
    *,
    announce: Announce | None = None,
    progress: Callable[[SearchProgress], None] | None = None,
) -> StudyResult:
    """Tune the model of a study and say how good it is.

    Parameters
    ----------
    given
        The direct conversion and the runs of the reference.
    settings
        What to tune and how.
    folder
        Where evaluations are kept.
    announce, progress
        Told what is being done, and how far the search is.

    Returns
    -------
    StudyResult
        Also after Ctrl-C during the search, with the best so far.

    Raises
    ------
    InputError
        Weights do not fit the indices that there are.
    ConvergenceError
        The nominal model breaks down.
    """
    study = _Study(given, settings, folder, announce or (lambda _stage, _what, _share: None))
    return study.run(progress)


class _Study:
    """One study while it is done."""

    def __init__(self, given: StudyInput, settings: StudySettings, folder: Path, announce: Announce) -> None:
        self.given = given
        self.settings = settings
        self.announce = announce
        self.seconds = dict(given.seconds)
        self.space = given.space
        self.tests = [_scripted_test(test) for test in given.tests]
        self.evaluations = folder / EVALUATIONS / code_hash(_CODE)[:16]
        self.problem = JournalledProblem(TuningProblem(self.space, self.tests), self.evaluations)
        self.zero = np.zeros(len(self.space.names))
        self.problems = list(given.problems)

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        began = time.perf_counter()
        yield
        self.seconds[stage] = self.seconds.get(stage, 0.0) + time.perf_counter() - began

    def run(self, progress: Callable[[SearchProgress], None] | None) -> StudyResult:
        settings, objective = self.settings, self.settings.objective
        with self.timed("sensitivity"):
            self.announce("sensitivity", "exact derivatives of every index", 0.0)
            nominal = self.problem.linearise(self.zero)
            objective.check(nominal)
            sensitivity = LocalSensitivity(self.space.names, nominal)
            found = identify(self.space.names, nominal)
            self.announce("sensitivity", "which manoeuvre would tell more", 0.5)
            candidates = self._candidates(nominal)
            ranges = ranges_by_tolerance(self.space.names, nominal, tolerance_pct=objective.tolerance_pct)
            screening, variance = self._global_sensitivity()
        with self.timed("optimise"):
            self.announce("optimise", settings.optimiser, 0.0)
            outcome = minimise(
                self.problem,
                objective,
                method=_METHODS.get(settings.optimiser, settings.optimiser),
                stop=_STOP,
                budget=settings.budget,
                seed=settings.seed,
                progress=progress,
            )
            self.announce("optimise", "confidence of the tuned values", 1.0)
            sure = confidence(self.space.names, outcome.z, self.problem.linearise(outcome.z), objective)
        with self.timed("hold_out"):
            tests = self._results(outcome)
        with self.timed("error_budget"):
            budget = self._error_budget(outcome)
        spec = self.space.nominal
        return StudyResult(
            name=self.given.name,
            description=self.given.description,
            problems=tuple(self.problems),
            maps=self.given.maps,
            round_trip=_round_trip(self.given),
            nominal=spec,
            tuned=self.space.spec(outcome.z),
            sources=self.given.conversion.sources,
            tests=tests,
            objective=objective,
            objective_nominal=objective.value(nominal),
            outcome=outcome,
            parameters=_parameters(self.space, outcome, sure, found),
            sensitivity=sensitivity,
            identifiability=found,
            candidates=candidates,
            ranges=tuple(ranges),
            error_budget=budget,
            seconds=self.seconds,
            limits=_limits(self.given),
            screening=screening,
            variance=variance,
        )

    def _global_sensitivity(self) -> tuple[Screening | None, VarianceShares | None]:
        """Over the whole ranges, where it is asked for."""
        settings = self.settings
        names, evaluate, objective = self.space.names, self.problem.evaluate_many, settings.objective.value

        def told(what: str) -> Callable[[int, int], None]:
            return lambda done, total: self.announce("sensitivity", f"{what}: {done} of {total} points", done / total)

        screening, variance = None, None
        if settings.screening:
            screening = screen(
                names,
                evaluate,
                objective,
                trajectories=settings.screening,
                seed=settings.seed,
                progress=told("Morris"),
            )
        if settings.variance:
            variance = share_variance(
                names, evaluate, objective, base_points=settings.variance, seed=settings.seed, progress=told("Sobol")
            )
        return screening, variance

    def _candidates(self, nominal: Blocks) -> tuple[Candidate, ...]:
        """What other manoeuvres would tell: the model itself is the reference, for only its derivatives count."""
        known = {test.name for test in self.given.tests}
        model = Artefact(RTM, self.space.nominal).sha256
        tests = []
        for name in _CANDIDATES:
            if name in known:
                continue
            wanted = manoeuvre(name, {})
            make = partial(simulate, RealTimeVehicle(self.space.nominal), wanted)
            try:
                run, _ = cached_run({"model": model, "manoeuvre": name}, _CODE, make)
                if run.metadata["completed"]:
                    tests.append(ScriptedTest(name, name, run, scripted(with_found_settings(wanted, run), run)))
            except (ConvergenceError, InputError):
                continue  # this vehicle cannot drive it: it is no candidate
        if not tests:
            return ()
        problem = JournalledProblem(TuningProblem(self.space, tests), self.evaluations)
        return tuple(rank_candidates(self.space.names, nominal, problem.linearise(self.zero)))

    def _results(self, outcome: Outcome) -> tuple[TestResult, ...]:
        nominal, tuned = self.space.nominal, self.space.spec(outcome.z)
        with executor() as pool:
            before = pool.map(_driven, self.given.tests, repeat(nominal))
            after = pool.map(_driven, self.given.tests, repeat(tuned))
            runs = zip(self.given.tests, before, after, strict=True)
            found = [_result(test, first, last, hold_out=False) for test, first, last in runs]
        for k, test in enumerate(self.given.hold_out):
            self.announce("hold_out", test.label, k / len(self.given.hold_out))
            try:
                changed = _carried_over(self.space.nominal, tuned, test.nominal)
                found.append(_result(test, _driven(test, test.nominal), _driven(test, changed), hold_out=True))
            except (ConvergenceError, InputError) as error:
                text = f"'{test.label}' is not held out: {error}"
                self.problems.append(Problem(text, severity=Severity.WARNING))
        return tuple(found)

    def _error_budget(self, outcome: Outcome) -> tuple[ErrorBudgetEntry, ...]:
        tuned = self.space.spec(outcome.z)
        entries = [ErrorBudgetEntry("the tuned model", self._values(tuned))]
        if self.given.variant is None:
            return tuple(entries)
        swaps = {
            "without compliance": (self.settings.detail, False),
            "1-D kinematics": (Detail.ONE_DIMENSIONAL, True),
            "linear kinematics": (Detail.LINEAR, True),
        }
        for k, (what, (detail, compliance)) in enumerate(swaps.items()):
            self.announce("error_budget", what, k / len(swaps))
            spec = self.given.variant(detail, compliance).with_parameters(**tuned.parameters)
            try:
                entries.append(ErrorBudgetEntry(what, self._values(spec)))
            except ConvergenceError:
                continue
        return tuple(entries)

    def _values(self, spec: RtmSpec) -> dict[str, float]:
        problem = JournalledProblem(TuningProblem(TuningSpace(spec, ()), self.tests), self.evaluations)
        return {block.label: block.value_pct for block in problem.evaluate(np.zeros(0))}


def _scripted_test(test: StudyTest) -> ScriptedTest:
    if test.script is None:
        text = f"'{test.label}' cannot be tuned with: its driver steers by what he sees"
        raise InputError(Problem(text, hint="move it to [hold_out]"))
    return ScriptedTest(test.label, test.name, test.reference, test.script)


def _driven(test: StudyTest, spec: RtmSpec) -> Run:
    """The run of a model, from the cache if it has been driven before."""
    script, wanted = test.script, test.manoeuvre
    key: dict[str, Plain] = {"model": _model_hash(spec)}
    if script is not None:
        return cached_run({**key, "script": script.key}, _CODE, partial(_by_script, script, spec))[0]
    if wanted is None:
        raise InputError(f"it is not known how '{test.label}' was driven")
    key |= {"manoeuvre": wanted.name, "settings": wanted.values()}
    return cached_run(key, _CODE, lambda: simulate(RealTimeVehicle(spec), wanted))[0]


@lru_cache(8)
def _model_hash(spec: RtmSpec) -> str:
    return Artefact(RTM, spec).sha256


def _by_script(script: Script, spec: RtmSpec) -> Run:
    vehicle = ScriptedVehicle(spec)
    vehicle.settle()
    return vehicle.run(script)


def _carried_over(nominal: RtmSpec, tuned: RtmSpec, other: RtmSpec) -> RtmSpec:
    """Another payload with the same changes: each parameter by the same factor."""
    if other is nominal or other.parameters == nominal.parameters:
        return tuned
    changes = {
        name: value * (tuned.parameters[name] / nominal.parameters[name])
        for name, value in other.parameters.items()
        if nominal.parameters[name] != 0.0
    }
    return other.with_parameters(**changes)


def _result(test: StudyTest, nominal: Run, tuned: Run, *, hold_out: bool) -> TestResult:
    def compared(run: Run) -> tuple[Index, ...]:
        return indices(test.name, test.reference, run)

    return TestResult(
        test.label, test.title, hold_out, test.reference, nominal, tuned, compared(nominal), compared(tuned)
    )


def _parameters(
    space: TuningSpace, outcome: Outcome, sure: Confidence, found: Identifiability
) -> tuple[TunedParameter, ...]:
    result = []
    for k, item in enumerate(space.tunables):
        finding = found[item.name]
        half = 0.5 * (item.upper - item.lower)
        std_pct = 100.0 * float(sure.std[k]) * half / abs(item.nominal) if item.nominal else float("nan")
        seen = finding.verdict is Verdict.IDENTIFIABLE
        result.append(TunedParameter(item, float(outcome.z[k]), std_pct, sure.on_bound[k], seen, finding.text))
    return tuple(result)


def _round_trip(given: StudyInput) -> dict[str, str]:
    """Largest deviation at the knots of the maps, of lengths, angles and forces."""
    kinds = {"m": ("tx", "ty", "tz", "damper_length"), "rad": ("rx", "ry", "rz"), "N": ("Fz", "Fz_without_stops")}
    found: dict[str, float] = {}
    for item in round_trip(given.conversion.spec, given.maps):
        unit = next((unit for unit, names in kinds.items() if item.output in names), "N")
        found[unit] = max(found.get(unit, 0.0), item.at_knots)
    names = {"m": "place of the wheel", "rad": "angles of the wheel", "N": "wheel load"}
    return {names[unit]: f"{value:.2g} {unit}" for unit, value in found.items()}


def _all_values(runs: Sequence[Run], signal: Signal) -> NDArray[np.float64]:
    """Of the runs that hold the signal: the record of another program need not hold every one."""
    return np.concatenate([np.zeros(0), *(run[signal] for run in runs if signal.column in run)])


def _limits(given: StudyInput) -> tuple[str, ...]:
    runs = [test.reference for test in (*given.tests, *given.hold_out)]
    ax, ay, vx = (_all_values(runs, signal) for signal in (signals.AX, signals.AY, signals.VX))
    lateral, braking = np.abs(ay).max(initial=0.0), (-ax).max(initial=0.0)
    slowest, fastest = 3.6 * vx.min(), 3.6 * vx.max()
    return (
        f"Compared up to {lateral:.1f} m/s² sideways and {braking:.1f} m/s² when braking, at {max(slowest, 0):.0f} to "
        f"{fastest:.0f} km/h.",
        "Smooth level road with the friction of the tyre files; beyond their travel the maps are extended straight.",
        "Bodies are rigid; the frame of a van does not twist. Frequencies above about 15 Hz are not represented.",
        "No anti-lock system, stability control or driver assistance is part of the model.",
    )
