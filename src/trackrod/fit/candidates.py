"""Which further manoeuvre would help: candidates ranked by what they would tell about parameters not identified so far.

Before any test a parameter is only known to lie within its range: z, in [-1, 1], has a variance of 1/3. Tests with
the stacked Jacobian J and the noise s add the information JᵀJ/s², so the parameters are then known with the covariance
C = (3 + JᵀJ/s²)⁻¹. A candidate is worth the bits by which it narrows each parameter in question, added up. The
determinant of C (D-optimality) would also reward a test that repeats, more precisely, a combination that is known
already, and leaves its members confounded as they were. What remains of the least known direction is told too
(E-optimality).

Reference: Chaloner and Verdinelli, Bayesian experimental design: a review, Statistical Science 10 (1995).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from trackrod.core.errors import InputError
from trackrod.core.numbers import shown
from trackrod.fit.blocks import BOX_VARIANCE, Array, Block
from trackrod.fit.identifiability import Criteria, Verdict, identify, stack

__all__ = ["Candidate", "rank_candidates"]

_NARROWED = 0.8  # of its standard deviation: what a sentence is made about


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """What one more manoeuvre would tell.

    Attributes
    ----------
    manoeuvre
        Which one.
    wanted
        The parameters in question: those that are not identifiable so far, or all where all are.
    information_bit
        By how much it narrows each of them, added up [bit], ≥ 0; one bit halves a standard deviation.
    resolves
        Those of them that it makes identifiable.
    parameters
        All parameters, in the order of the two rows below.
    before, after
        Standard deviation of each parameter without and with it [unit of z], at most 1/√3.
    weakest_before, weakest_after
        Standard deviation of the least known combination of parameters without and with it [unit of z].

    Holds: after ≤ before, and weakest_after ≤ weakest_before.
    """

    manoeuvre: str
    wanted: tuple[str, ...]
    information_bit: float
    resolves: tuple[str, ...]
    parameters: tuple[str, ...]
    before: Array
    after: Array
    weakest_before: float
    weakest_after: float

    @property
    def text(self) -> str:
        """What it would do, in a sentence."""
        deviations = zip(self.parameters, self.before, self.after, strict=True)
        finer = {
            name: f"{name} (±{shown(old, 2)} to ±{shown(new, 2)})"
            for name, old, new in deviations
            if new <= _NARROWED * old
        }
        parts = [f"makes {', '.join(self.resolves)} identifiable"] if self.resolves else []
        narrowed = [finer[name] for name in self.wanted if name in finer and name not in self.resolves]
        parts += [f"narrows {', '.join(narrowed)}"] if narrowed else []
        what = " and ".join(parts) or "tells little new about the parameters in question"
        return f"{self.manoeuvre} {what} ({self.information_bit:.1f} bit)"

    def to_plain(self) -> Mapping[str, Any]:
        """The candidate as plain data."""
        return {
            "manoeuvre": self.manoeuvre,
            "wanted": list(self.wanted),
            "information_bit": self.information_bit,
            "resolves": list(self.resolves),
            "parameters": list(self.parameters),
            "before": self.before.tolist(),
            "after": self.after.tolist(),
            "weakest_before": self.weakest_before,
            "weakest_after": self.weakest_after,
            "text": self.text,
        }


def rank_candidates(
    parameters: Sequence[str],
    blocks: Sequence[Block],
    candidates: Sequence[Block],
    weights: Sequence[float] | None = None,
    criteria: Criteria | None = None,
) -> tuple[Candidate, ...]:
    """Rank further manoeuvres by what they would tell, the best first.

    Parameters
    ----------
    parameters
        Names of the scaled parameters z.
    blocks
        The indices in use, with Jacobians.
    candidates
        Indices of manoeuvres that might be added, with Jacobians to the same parameters; those of one manoeuvre come
        or stay together. Each counts as much as the index in use with the largest weight.
    weights
        Weights of the indices in use, as for `identify`.
    criteria
        Noise and limit of collinearity.

    Limits: first order. Candidates are judged one at a time; two may help only together, or tell the same thing twice.
    """
    if not candidates:
        raise InputError("no candidate manoeuvre is given")
    chosen = criteria or Criteria()
    triangle = stack(parameters, blocks, weights)
    in_use = Block("in use", "all indices", np.zeros(len(triangle)), triangle)  # tells the same in fewer rows
    now = identify(parameters, [in_use], criteria=chosen)
    poor = [k for k, finding in enumerate(now.findings) if finding.verdict is not Verdict.IDENTIFIABLE]
    wanted = poor or list(range(len(parameters)))
    c_before = _covariance(triangle, chosen.noise_pct)
    before = np.sqrt(np.diag(c_before))

    found = []
    for manoeuvre in dict.fromkeys(block.manoeuvre for block in candidates):
        added = [block for block in candidates if block.manoeuvre == manoeuvre]
        c_after = _covariance(stack(parameters, [in_use, *added]), chosen.noise_pct)
        then = identify(parameters, [in_use, *added], criteria=chosen)
        after = np.sqrt(np.diag(c_after))
        found.append(
            Candidate(
                manoeuvre,
                tuple(parameters[k] for k in wanted),
                max(float(np.log2(before[wanted] / after[wanted]).sum()), 0.0),  # a hair below zero by rounding
                tuple(parameters[k] for k in poor if then.findings[k].verdict is Verdict.IDENTIFIABLE),
                tuple(parameters),
                before,
                after,
                _weakest(c_before),
                _weakest(c_after),
            )
        )
    return tuple(sorted(found, key=lambda item: -item.information_bit))


def _covariance(jacobian: Array, noise_pct: float) -> Array:
    _, singular, directions = np.linalg.svd(jacobian)
    return np.asarray((directions.T / (1.0 / BOX_VARIANCE + (singular / noise_pct) ** 2)) @ directions)


def _weakest(covariance: Array) -> float:
    return float(np.sqrt(np.linalg.eigvalsh(covariance)[-1]))
