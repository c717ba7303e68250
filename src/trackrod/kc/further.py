"""Tests beside those that the maps are made of: one wheel alone, other holds, load cases of both wheels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from trackrod.core.errors import InputError, Problem, raise_if_errors
from trackrod.kc import programme
from trackrod.kc.points import Hold, Inputs, Load
from trackrod.kc.result import Column, KcTest
from trackrod.kc.rig import Rig
from trackrod.kc.study import OPPOSITE_SHARE, AxleStudy, KcSettings
from trackrod.vehicle.experiments import LoadCase

__all__ = ["CASE_STEPS", "TwoWheelCase", "further_tests", "require_possible"]

#: Steps of a load case from nothing to the whole.
CASE_STEPS = 10
SINGLE = "single"


@dataclass(frozen=True, slots=True, eq=False)
class TwoWheelCase:
    """A load case of both wheels, each loaded for itself.

    Attributes
    ----------
    name
        What its test is called.
    travel
        Of the left and the right wheel, or of the ground under them [m].
    rack
        Rack travel, positive to the left [m].
    loads
        On the left and the right wheel [N], [N·m].
    """

    name: str
    travel: tuple[float, float] = (0.0, 0.0)
    rack: float = 0.0
    loads: tuple[tuple[Load, tuple[float, float]], ...] = ()

    @property
    def inputs(self) -> Inputs:
        """From nothing to the whole case."""
        share = np.arange(CASE_STEPS + 1) / CASE_STEPS
        loads = {load: np.outer(share, both) for load, both in self.loads}
        return Inputs.of(np.outer(share, self.travel), self.rack * share, loads)


def require_possible(cases: Iterable[TwoWheelCase], holds: Iterable[Hold]) -> None:
    """Refuse cases that give travel where wheel loads are held; InputError names all of them."""
    wrong = [case.name for case in cases if any(case.travel)] if Hold.LOAD in holds else []
    text = "load case '{}' gives travel, and wheel loads are to be held: one of the two"
    raise_if_errors([Problem(text.format(name)) for name in wrong])


def further_tests(
    study: AxleStudy,
    settings: KcSettings,
    holds: Sequence[Hold] = (),
    cases: Iterable[TwoWheelCase] = (),
    files: Iterable[tuple[str, LoadCase]] = (),
    *,
    at_centre: bool = False,
) -> AxleStudy:
    """The study with further tests of its axle; maps and tests that it has stay as they are.

    Parameters
    ----------
    study, settings
        What was found out, and what was asked for.
    holds
        For which travel, steering and loads are done again, beside the height that is held.
    cases
        Load cases of both wheels, done with every hold.
    files
        Load case files by name.
    at_centre
        Whether forces of load case files act at the wheel centres.

    Raises
    ------
    InputError
        A case has the name of a test, or asks for what its axle or its hold cannot do.
    """
    cases, files = list(cases), list(files)
    require_possible(cases, holds)
    names = [*study.tests, SINGLE, *(case.name for case in cases), *(name for name, _ in files)]
    taken = dict.fromkeys(name for i, name in enumerate(names) if name in names[:i])
    raise_if_errors([Problem(f"a load case cannot be called '{n}': the rig has a test of this name") for n in taken])
    rig = Rig(study.vehicle, study.axle, check=False)
    found = [programme.single(rig, settings.travel)]
    others = [hold for hold in dict.fromkeys(holds) if hold is not Hold.HEIGHT]
    for hold in others:
        found += _held_tests(rig, settings, hold)
    for case in cases:
        found += [_case(rig, case, hold) for hold in (Hold.HEIGHT, *others)]
    found += [programme.run_load_case(rig, case, name, at_centre=at_centre) for name, case in files]
    problems = (*study.problems, *(problem for test in found for problem in test.problems))
    return replace(study, tests={**study.tests, **{test.name: test for test in found}}, problems=problems)


def _held_tests(rig: Rig, settings: KcSettings, hold: Hold) -> list[KcTest]:
    tests = []
    if hold is Hold.TYRE:
        opposite = OPPOSITE_SHARE * settings.travel if settings.opposite is None else settings.opposite
        tests += [programme.parallel(rig, settings.travel, hold), programme.opposite(rig, opposite, hold)]
    if rig.steered:
        tests.append(programme.steer(rig, settings.rack, hold))
    ranges = settings.load_ranges(float(rig.design_loads.mean()), float(rig.radii.mean()))
    return [*tests, *(programme.loads(rig, load, values, hold) for load, values in ranges.items())]


def _case(rig: Rig, case: TwoWheelCase, hold: Hold) -> KcTest:
    if case.rack and not rig.steered:
        text = f"load case '{case.name}': the {rig.axle} axle of '{rig.vehicle.name}' has no rack to steer with"
        raise InputError(Problem(text, hint="choose the other axle with --axle"))
    inputs = case.inputs
    test = programme.held(rig, case.name, inputs, hold)
    share = Column.of("share", "number", np.linspace(0.0, 1.0, len(inputs)))
    return replace(test, columns=(test.columns[0], share, *test.columns[1:]))
