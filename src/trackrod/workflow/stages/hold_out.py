"""Stage ``hold_out``: the nominal and the tuned model drive every test, also those that tuning never saw."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

from trackrod.core.errors import ConvergenceError, InputError, Problem, Severity
from trackrod.core.executors import executor
from trackrod.core.series import Run
from trackrod.metrics.indices import indices
from trackrod.report.study_sections import hold_out_section
from trackrod.rtm.script import Script
from trackrod.rtm.spec import RtmSpec
from trackrod.simulate.events import events_in
from trackrod.tune.study import TestResult
from trackrod.tune.test import Test
from trackrod.workflow.cache import kept_run
from trackrod.workflow.runs import model_run, scripted_run
from trackrod.workflow.stage import Phase, Stage, Work
from trackrod.workflow.stages.convert import Converted
from trackrod.workflow.stages.optimise import Tuned
from trackrod.workflow.stages.reference import Driven

__all__ = ["HOLD_OUT", "Proven"]


@dataclass(frozen=True, slots=True, eq=False)
class Proven:
    """How good the model is before and after tuning.

    Attributes
    ----------
    tests
        Tuned with, then held out.
    problems
        What the model could not drive, and why.
    """

    tests: tuple[TestResult, ...]
    problems: tuple[Problem, ...]


def _prove(work: Work) -> Proven:
    driven, nominal, tuned = work[Driven], work[Converted].space.nominal, work[Tuned].model
    done = count()

    def prove(test: Test) -> TestResult | Problem:
        model = driven.models[test.payload] if test.hold_out else nominal
        try:
            changed = _carried_over(nominal, tuned, model)
            return _result(test, _run(test, model), _run(test, changed))
        except (ConvergenceError, InputError) as error:
            if not test.hold_out:
                raise
            return Problem(f"'{test.label}' is not held out: {error}", severity=Severity.WARNING)
        finally:
            work.tell(test.label, (next(done) + 1) / len(driven.tests))

    with executor() as pool:
        found = list(pool.map(prove, driven.tests))
    return Proven(
        tuple(each for each in found if isinstance(each, TestResult)),
        tuple(each for each in found if isinstance(each, Problem)),
    )


def _run(test: Test, model: RtmSpec) -> Run:
    """What a model does in a test, from the cache if it has driven it before."""
    if isinstance(test.driver, Script):
        return kept_run(scripted_run, model, test.driver)
    return kept_run(model_run, model, test.driver)


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


def _result(test: Test, nominal: Run, tuned: Run) -> TestResult:
    before, after = (indices(test.name, test.reference, run) for run in (nominal, tuned))
    return TestResult(test, nominal, tuned, before, after, events_in(tuned))


HOLD_OUT = Stage(
    name="hold_out",
    title="manoeuvres that were held out",
    needs=(Converted, Driven, Tuned),
    makes=Proven,
    run=_prove,
    sections=(hold_out_section,),
    phase=Phase.PROOF,
)
