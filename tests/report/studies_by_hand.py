"""A conversion study made by hand: runs in closed form, planted changes, a coarse K&C of a bundled vehicle."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from metrics.synthetic_runs import braking, ramp_steer, step_steer
from rtm.converted_vehicles import converted, maps
from trackrod.core.errors import Place, Problem, Severity
from trackrod.core.series import Run
from trackrod.fit.blocks import Block
from trackrod.fit.candidates import rank_candidates
from trackrod.fit.identifiability import identify
from trackrod.fit.local_sensitivity import LocalSensitivity
from trackrod.fit.objective import Objective
from trackrod.fit.outcome import Outcome, Reason, SearchProgress
from trackrod.fit.ranges import ranges_by_tolerance
from trackrod.manoeuvres.registry import MANOEUVRES
from trackrod.metrics.indices import indices
from trackrod.tune.space import tuning_space
from trackrod.tune.study import ErrorBudgetEntry, StudyResult, TestResult, TunedParameter
from trackrod.tune.test import Test

VEHICLE = "lcv_3t5"
NAMES = ("sprung_mass", "Izz", "cg_height", "antiroll_factor_rear", "engine_factor")
Z = np.array([0.25, -0.5, 1.0, 0.1, 0.0])
#: Share by which the roll angle of the nominal and of the tuned model is too large: above and below the tolerance.
ROLL = (0.2, 0.01)


def scaled(run: Run, share: float) -> Run:
    columns = {name: values * (1.0 + share if name == "roll_rad" else 1.0) for name, values in run.items()}
    return Run(columns, run.metadata)


def manoeuvre(name: str, reference: Run, *, hold_out: bool = False, roll: tuple[float, float] = ROLL) -> TestResult:
    nominal, tuned = (scaled(reference, share) for share in roll)
    found = [indices(name, reference, run) for run in (nominal, tuned)]
    test = Test(name, name.replace("_", " "), name, reference, MANOEUVRES[name](), hold_out)
    return TestResult(test, nominal, tuned, found[0], found[1])


def _blocks() -> tuple[Block, ...]:
    """Roll angle sees masses and stiffness, yaw rate the yaw inertia; nothing sees the engine."""
    grid = np.linspace(0.0, 1.0, 20)
    roll, yaw = grid, np.sin(6 * grid)
    none = np.zeros(20)
    first = np.column_stack((roll, none, 1.2 * roll, -roll, none))
    second = np.column_stack((none, yaw, none, none, none))
    return (
        Block("ramp_steer", "roll angle", 3.0 * roll, first, grid),
        Block("step_steer", "yaw rate", 0.5 * yaw, second, grid),
    )


def _history() -> tuple[SearchProgress, ...]:
    return tuple(SearchProgress(k, k, k + 1, 6.0 / (k + 1), 0.5**k, 2.0 * k + 1.0, None) for k in range(5))


@cache
def study() -> StudyResult:
    conversion = converted(VEHICLE)
    space = tuning_space(conversion.spec, names=NAMES)
    blocks = _blocks()
    found = identify(NAMES, blocks)
    parameters = tuple(
        TunedParameter(
            item,
            float(z),
            (float(z) - 0.2, float(z) + 0.2),
            bool(abs(z) == 1),
            found[item.name].verdict == "identifiable",
            found[item.name].verdict == "identifiable",
            found[item.name].text,
        )
        for item, z in zip(space.tunables, Z, strict=True)
    )
    other = Block("pulse", "lateral acceleration", blocks[0].residual, blocks[0].jacobian + 0.1, blocks[0].abscissa)
    return StudyResult(
        name=VEHICLE,
        description={"mass": "3000 kg", "files": "a <folder> & more"},
        problems=(
            Problem("a damper has 2 points", Place(Path("front.dpr"), 7), Severity.WARNING, "add some"),
            Problem("two hardpoints are one", Place(Path("front.sub"), 9), Severity.NOTE),
        ),
        maps=maps(VEHICLE),
        round_trip={"front wheel load": "0.1 % of its span"},
        nominal=conversion.spec,
        tuned=space.spec(Z),
        sources=conversion.sources,
        tests=(
            manoeuvre("ramp_steer", ramp_steer()),
            manoeuvre("step_steer", step_steer()),
            manoeuvre("braking", braking(), hold_out=True),
        ),
        objective=Objective(),
        objective_nominal=6.5,
        outcome=Outcome(Z, 1.2, blocks, _history(), 4, 5, 9.0, Reason.STATIONARY, "gauss-newton"),
        parameters=parameters,
        sensitivity=LocalSensitivity(NAMES, blocks),
        identifiability=found,
        candidates=rank_candidates(NAMES, blocks, (other,)),
        ranges=ranges_by_tolerance(NAMES, blocks),
        error_budget=(ErrorBudgetEntry("compliance left out", {"ramp_steer: roll angle": 7.5}),),
        seconds={"read": 1.0, "kc": 4.0, "optimise": 9.0, "total": 15.0},
        limits=("Nothing was driven above 100 km/h.",),
    )


def with_tests(*tests: TestResult) -> StudyResult:
    return replace(study(), tests=tests)
