"""What tests are worth: by how much each narrows the parameters when a model is tuned by all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from trackrod.core.errors import ConvergenceError
from trackrod.fit.blocks import Block
from trackrod.fit.candidates import Candidate, rank_candidates
from trackrod.fit.identifiability import Criteria as Identified
from trackrod.fit.identifiability import stack
from trackrod.manoeuvres.registry import manoeuvre
from trackrod.measured.measurement_plan import Test
from trackrod.rtm.spec import RtmSpec
from trackrod.tune.space import TuningSpace
from trackrod.validate.criteria import Criteria
from trackrod.validate.validation_plan import TestWorth
from trackrod.workflow.parameter_needs import Slope, slopes_of
from trackrod.workflow.planned_tests import PlannedTest, Tell
from trackrod.workflow.tests_to_drive import drive_tests

__all__ = ["Information"]

#: Step along a tangent at which rows are read [z].
_READ = 0.05
#: Of its deviation: a parameter that a test narrows so far is named.
_NARROWED = 0.8
#: Manoeuvres whose worth beyond the plan is looked at.
_CANDIDATES = ("single_sine", "pulse", "throttle_off", "brake_in_turn")


@dataclass(frozen=True, slots=True, eq=False)
class Information:
    """What driven tests tell about parameters.

    Attributes
    ----------
    names
        Of the parameters.
    blocks
        All that a test tells, by its name; tests that tell nothing have none.
    noise
        Of the measurement, in shares of the limits.
    """

    names: Sequence[str]
    blocks: dict[str, Block]
    noise: Identified

    @classmethod
    def of(cls, driven: Sequence[PlannedTest], slopes: Sequence[Slope], share: float) -> Information:
        """From what parameters do in tests whose measurement fills a share of the limits."""
        names = list(dict.fromkeys(slope.name for slope in slopes))
        told = {d.test.name: _triangle(names, d, slopes) for d in driven if d.rows and d.script is not None}
        in_use = {name: block for name, block in told.items() if block is not None}
        return cls(names, in_use, Identified(noise_pct=100.0 * share / 1.96))

    def tuned(self) -> dict[str, float]:
        """What tuning by the tests would reach for each parameter, tuned with all others [z, 95 %]."""
        if not self.blocks:
            return {}
        nothing = Block("nothing", "nothing", np.zeros(1), np.zeros((1, len(self.names))))
        triangle = stack(self.names, list(self.blocks.values()))
        all_tests = Block("all tests", "all criteria", np.zeros(len(triangle)), triangle)
        deviations = self._ranked([nothing], [all_tests])[0].after
        return dict(zip(self.names, 1.96 * deviations, strict=True))

    def worth(self, driven: Sequence[PlannedTest]) -> tuple[TestWorth, ...]:
        """What each test tells beyond all others."""
        worth = []
        for test in driven:
            name = test.test.name
            found = TestWorth(name, tuple(c.name for c in test.rows))
            others = [block for other, block in self.blocks.items() if other != name]
            if name in self.blocks and others:
                found = _worth(found, self._ranked(others, [self.blocks[name]])[0])
            worth.append(found)
        return tuple(worth)

    def further(
        self, spec: RtmSpec, criteria: Criteria, space: TuningSpace, known: set[str], tell: Tell
    ) -> tuple[TestWorth, ...]:
        """What manoeuvres that the plan does not have would tell, the best first.

        Parameters
        ----------
        space
            Of all parameters.
        known
            Names of the manoeuvres that the plan has.
        """
        if not self.blocks:
            return ()
        tests = [Test(name, manoeuvre(name, {})) for name in _CANDIDATES if name not in known]
        try:
            tried = drive_tests(spec, criteria, tests, [], lambda what, done: tell("further tests", done))
        except ConvergenceError:
            return ()
        driven = [d for d in tried if d.rows]
        slopes = slopes_of(spec, space.only(self.names), driven, lambda what, done: None)
        blocks = [block for d in driven if (block := _triangle(self.names, d, slopes)) is not None]
        if not blocks:
            return ()
        rows = {d.test.name: tuple(c.name for c in d.rows) for d in driven}
        ranked = self._ranked(list(self.blocks.values()), blocks)
        found = [_worth(TestWorth(c.manoeuvre, rows[c.manoeuvre]), c) for c in ranked]
        return tuple(sorted(found, key=lambda worth: -worth.bits))

    def _ranked(self, known: Sequence[Block], candidates: Sequence[Block]) -> Sequence[Candidate]:
        return rank_candidates(self.names, known, candidates, criteria=self.noise)


def _worth(of: TestWorth, told: Candidate) -> TestWorth:
    changed = zip(told.parameters, told.before, told.after, strict=True)
    narrowed = tuple(name for name, before, after in changed if after <= _NARROWED * before)
    return replace(of, bits=max(float(np.log2(told.before / told.after).sum()), 0.0), narrowed=narrowed)


def _triangle(names: Sequence[str], test: PlannedTest, slopes: Sequence[Slope]) -> Block | None:
    """All that a test tells about the parameters, in as many rows as there are parameters."""
    mine = {slope.name: slope for slope in slopes if slope.test is test}
    blocks = []
    for criterion in test.rows:
        columns = []
        for name in names:
            change = mine[name].change if name in mine else {}
            model = test.changed(criterion, change, _READ)
            columns.append(100.0 / _READ * test.residual(criterion, model))
        jacobian = np.column_stack(columns)
        if np.isfinite(jacobian).all():
            blocks.append(Block(test.test.name, criterion.name, np.zeros(len(jacobian)), jacobian))
    if not blocks:
        return None
    triangle = stack(names, blocks)
    return Block(test.test.name, "all criteria", np.zeros(len(triangle)), triangle)
