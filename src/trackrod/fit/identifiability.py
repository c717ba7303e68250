"""Identifiability: which parameters these manoeuvres see, and which they cannot tell apart.

Near a point the indices know the parameters through one matrix: the Jacobians of all blocks, weighted and stacked.
A column that is hardly there belongs to a parameter that is *not seen*. Columns that nearly depend on each other belong
to parameters that are *confounded*: a change of one can be undone by the others. How nearly is told by the collinearity
index of Brun, Reichert and Künsch (Water Resources Research 37, 2001): γ = 1 / smallest singular value of the
columns scaled to length one. γ is 1 for orthogonal columns; at γ = 10 a unit change in one parameter is undone by the
others up to a tenth. Brun and others take 10 to 15 as the limit for practice; the default here is the strict end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import scipy.linalg

from trackrod.core.errors import InputError, Problem, RangeError, UnknownNameError, raise_if_errors
from trackrod.core.numbers import percent
from trackrod.fit.blocks import Array, Block, jacobians

__all__ = [
    "CollinearGroup",
    "Criteria",
    "Finding",
    "Identifiability",
    "Verdict",
    "collinearity_index",
    "identify",
    "stack",
]

#: Singular values below this share of the largest are rounding; collinearity and condition number end at its inverse.
_ROUNDING = float(np.finfo(float).eps)


@dataclass(frozen=True, slots=True)
class Criteria:
    """When a parameter counts as seen and as told apart.

    Attributes
    ----------
    noise_pct
        Length of a change of the stacked residual that cannot be told from noise [%], > 0.
    collinearity
        Largest collinearity index of parameters that are told apart [-], > 1.
    """

    noise_pct: float = 0.1
    collinearity: float = 10.0

    def __post_init__(self) -> None:
        problems = []
        if not 0.0 < self.noise_pct < np.inf:
            problems.append(Problem(f"noise_pct is {self.noise_pct}; it must be a number above 0"))
        if not 1.0 < self.collinearity < np.inf:
            problems.append(
                Problem(f"the collinearity limit is {self.collinearity}; it must lie above 1", hint="10 to 15 is usual")
            )
        raise_if_errors(problems, RangeError)


class Verdict(StrEnum):
    """What the indices can say about a parameter."""

    IDENTIFIABLE = "identifiable"
    NOT_SEEN = "not seen"
    CONFOUNDED = "confounded"


@dataclass(frozen=True, slots=True)
class CollinearGroup:
    """Parameters that can undo each other's changes, and how well: their collinearity index [-]."""

    parameters: tuple[str, ...]
    collinearity: float


@dataclass(frozen=True, slots=True)
class Finding:
    """What is known about one parameter.

    Attributes
    ----------
    parameter
        Its name.
    verdict
        Identifiable, not seen, or confounded.
    influence_pct
        Length of its column: how far the stacked residual moves [% per unit of z].
    unique_pct
        The part of this that no other parameter that is seen can imitate [% per unit of z].
    confounded_with
        The other members of its collinear groups.
    text
        The verdict in a sentence.

    Holds: 0 ≤ unique_pct ≤ influence_pct.
    """

    parameter: str
    verdict: Verdict
    influence_pct: float
    unique_pct: float
    confounded_with: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Identifiability:
    """What a set of indices can tell about a set of parameters.

    Attributes
    ----------
    findings
        One for each parameter, in order.
    groups
        Collinear groups; no member of one can be left out without the rest being told apart, except that parameters
        with parallel columns stand in one group.
    subset
        Parameters that can be determined together while the others are held, as many as a greedy choice in the order
        of a pivoted QR decomposition finds: the strongest column first, then always the one with most that is new.
    singular_values
        Of the stacked Jacobian, falling [% per unit of z].
    directions
        Row i: the combination of parameters (of length one) that belongs to singular value i.
    criteria
        What the verdicts rest on.

    Holds: the collinearity index of the subset is not above the limit, and no further parameter can be added to it.
    """

    findings: tuple[Finding, ...]
    groups: tuple[CollinearGroup, ...]
    subset: tuple[str, ...]
    singular_values: Array
    directions: Array
    criteria: Criteria

    @property
    def parameters(self) -> tuple[str, ...]:
        """All parameters, in order."""
        return tuple(finding.parameter for finding in self.findings)

    @property
    def condition(self) -> float:
        """Largest over smallest singular value [-]; 4.5e15, the inverse of rounding, where they are dependent."""
        largest, smallest = float(self.singular_values[0]), float(self.singular_values[-1])
        return largest / smallest if smallest > _ROUNDING * largest else 1.0 / _ROUNDING

    def __getitem__(self, parameter: str) -> Finding:
        """What is known about a parameter."""
        for finding in self.findings:
            if finding.parameter == parameter:
                return finding
        raise UnknownNameError("parameter", parameter, self.parameters)

    def of(self, verdict: Verdict) -> tuple[str, ...]:
        """The parameters with a verdict."""
        return tuple(finding.parameter for finding in self.findings if finding.verdict is verdict)

    def to_plain(self) -> Mapping[str, Any]:
        """All of it as plain data."""
        return {
            "parameters": [
                {
                    "name": finding.parameter,
                    "verdict": str(finding.verdict),
                    "influence_pct": finding.influence_pct,
                    "unique_pct": finding.unique_pct,
                    "confounded_with": list(finding.confounded_with),
                    "text": finding.text,
                }
                for finding in self.findings
            ],
            "groups": [{"parameters": list(g.parameters), "collinearity": g.collinearity} for g in self.groups],
            "subset": list(self.subset),
            "singular_values_pct": self.singular_values.tolist(),
            "directions": self.directions.tolist(),
            "condition": self.condition,
            "noise_pct": self.criteria.noise_pct,
            "collinearity_limit": self.criteria.collinearity,
        }


def identify(
    parameters: Sequence[str],
    blocks: Sequence[Block],
    weights: Sequence[float] | None = None,
    criteria: Criteria | None = None,
) -> Identifiability:
    """Tell which parameters a set of indices can determine.

    Parameters
    ----------
    parameters
        Names of the scaled parameters z.
    blocks
        The indices, with Jacobians.
    weights
        How much a per cent of each index counts, ≥ 0; only their ratios matter, all equal if not given.
    criteria
        Noise and limit of collinearity.

    Returns
    -------
    Identifiability
        Verdicts, groups, the largest subset found, and the singular values.

    Holds: verdicts do not change with the order of the blocks, with rotations of a block's rows, or if all weights are
    multiplied by one number.

    Limits: first order, at one point. The subset is maximal, but a larger one may exist that does not hold the
    strongest parameters.
    """
    chosen = criteria or Criteria()
    names = tuple(parameters)
    columns = stack(names, blocks, weights)
    _, singular, directions = np.linalg.svd(columns)

    influence = np.linalg.norm(columns, axis=0)
    seen = [k for k in range(len(names)) if influence[k] >= chosen.noise_pct]
    unique = _unique(columns, seen)
    subset = _subset(columns, seen, chosen)
    groups = _groups(columns, seen, subset, chosen)
    named = tuple(
        CollinearGroup(tuple(names[k] for k in group), collinearity_index(columns[:, group])) for group in groups
    )
    findings = []
    for k, name in enumerate(names):
        # A weak parameter may hide behind a strong one and still leave the strong one clear.
        clear = k in subset and unique[k] >= chosen.noise_pct
        hiding = [g for g in named if name in g.parameters and (g.collinearity > chosen.collinearity or not clear)]
        verdict = Verdict.CONFOUNDED if hiding else Verdict.IDENTIFIABLE if k in seen else Verdict.NOT_SEEN
        others = tuple(other for other in names if other != name and any(other in g.parameters for g in hiding))
        sizes = float(influence[k]), float(unique[k])
        findings.append(Finding(name, verdict, *sizes, others, _sentence(name, verdict, *sizes, hiding, chosen)))
    return Identifiability(
        tuple(findings), named, tuple(names[k] for k in sorted(subset)), singular, directions, chosen
    )


def stack(parameters: Sequence[str], blocks: Sequence[Block], weights: Sequence[float] | None = None) -> Array:
    """The Jacobians of all blocks, weighted, stacked and rotated into as many rows as parameters [% per unit of z].

    The largest weight counts as 1.

    Holds: lengths of the columns, angles between them and singular values are those of the whole stack.
    """
    found = jacobians(parameters, blocks)
    whole = np.vstack([w * j for w, j in zip(_normal_weights(blocks, weights), found, strict=True)])
    triangle = np.linalg.qr(whole, mode="r")
    return np.pad(triangle, ((0, len(parameters) - len(triangle)), (0, 0)))


def _normal_weights(blocks: Sequence[Block], weights: Sequence[float] | None) -> tuple[float, ...]:
    """One weight for each block, the largest 1; all 1 if none are given."""
    if weights is None:
        return (1.0,) * len(blocks)
    if len(weights) != len(blocks):
        raise InputError(f"{len(weights)} weights are given for {len(blocks)} indices")
    raise_if_errors(
        Problem(f"the weight of {block.label} is {weight}; it must be a number not below 0")
        for block, weight in zip(blocks, weights, strict=True)
        if not 0.0 <= weight < np.inf
    )
    largest = max(weights)
    if largest == 0.0:
        raise InputError("all weights are zero; at least one index must count")
    return tuple(weight / largest for weight in weights)


def collinearity_index(columns: Array) -> float:
    """γ of columns of length above zero [-]: 1 if orthogonal, 4.5e15 (the inverse of rounding) if dependent."""
    if columns.shape[1] > columns.shape[0]:
        return 1.0 / _ROUNDING
    singular = np.linalg.svd(columns / np.linalg.norm(columns, axis=0), compute_uv=False)
    return float(1.0 / max(singular[-1], _ROUNDING))


def _separable(columns: Array, criteria: Criteria) -> bool:
    """Whether columns can be told apart: not collinear, and what is unique to each one lies above the noise.

    Holds: columns taken away from a separable set leave a separable set.
    """
    if collinearity_index(columns) > criteria.collinearity:
        return False
    inverse = np.linalg.inv(np.linalg.qr(columns, mode="r"))  # row k: 1/length is the distance to the others' span
    return bool((np.linalg.norm(inverse, axis=1) * criteria.noise_pct <= 1.0).all())


def _subset(columns: Array, seen: Sequence[int], criteria: Criteria) -> list[int]:
    """Columns that are separable together, chosen greedily in the order of a pivoted QR decomposition."""
    if not seen:
        return []
    _, pivots = scipy.linalg.qr(columns[:, seen], mode="r", pivoting=True)
    chosen: list[int] = []
    for k in (seen[i] for i in pivots):
        if _separable(columns[:, [*chosen, k]], criteria):
            chosen.append(k)
    return chosen


def _groups(columns: Array, seen: Sequence[int], subset: Sequence[int], criteria: Criteria) -> list[list[int]]:
    """Collinear groups: classes of parallel columns, then for each other left-out column the fewest that undo it."""
    lengths = np.linalg.norm(columns, axis=0)
    lengths[lengths == 0.0] = 1.0
    cosines = (columns / lengths).T @ (columns / lengths)
    # Two columns of length one with the cosine c have γ² = 1/(1 − |c|).
    parallel = 1.0 - np.abs(cosines) < criteria.collinearity**-2
    groups = []
    rest = list(seen)
    while rest:
        family = [rest.pop(0)]
        for member in family:  # grows while it is walked through
            near = [k for k in rest if parallel[member, k]]
            family += near
            rest = [k for k in rest if k not in near]
        if len(family) > 1:
            groups.append(sorted(family))
    for k in seen:
        if k not in subset and not any(parallel[k, i] for i in subset):
            group = _fewest(columns, k, subset, criteria)
            if group not in groups:
                groups.append(group)
    return groups


def _fewest(columns: Array, left_out: int, subset: Sequence[int], criteria: Criteria) -> list[int]:
    """The left-out column and those of the subset that together undo it, none of which can be spared."""
    chosen = list(subset)
    shares, *_ = np.linalg.lstsq(columns[:, chosen], columns[:, left_out])
    sizes = np.abs(shares) * np.linalg.norm(columns[:, chosen], axis=0)
    group = [left_out, *chosen]
    for k in (chosen[i] for i in np.argsort(sizes, kind="stable")):  # those that undo least are tried first
        without = [i for i in group if i != k]
        if not _separable(columns[:, without], criteria):
            group = without
    return sorted(group)


def _unique(columns: Array, seen: Sequence[int]) -> Array:
    """Distance of each column from the span of the others that are seen."""
    left, singular, right = np.linalg.svd(columns[:, seen], full_matrices=False)
    floor = len(columns) * _ROUNDING * singular.max(initial=0.0)
    basis = left[:, singular > floor]
    found = np.linalg.norm(columns - basis @ (basis.T @ columns), axis=0)
    # A seen column lies in that span itself; its distance is 1/length of its row in the inverse of the seen columns.
    found[seen] = np.linalg.norm(right.T / np.maximum(singular, floor), axis=1) ** -1.0
    return np.asarray(np.minimum(found, np.linalg.norm(columns, axis=0)))


def _sentence(
    name: str, verdict: Verdict, influence: float, unique: float, groups: Sequence[CollinearGroup], criteria: Criteria
) -> str:
    if verdict is Verdict.NOT_SEEN:
        return (
            f"{name} is not seen: up to the end of its range it moves these indices by {percent(influence)}, "
            f"less than the noise of {criteria.noise_pct:g} %; hold it or add a manoeuvre"
        )
    if verdict is Verdict.IDENTIFIABLE:
        moves, own = percent(influence, decimals=1), percent(unique, decimals=1)
        return f"{name} is identifiable: {moves} up to the end of its range, of which {own} is its own"
    reasons = []
    for group in groups:
        others = _listed([other for other in group.parameters if other != name])
        why = "" if group.collinearity <= criteria.collinearity else f"collinearity {_short(group.collinearity)}"
        reasons.append(f"{others} ({why or 'what is its own lies below the noise'})")
    return f"{name} is confounded with {'; and with '.join(reasons)}: hold one of them or add a manoeuvre"


def _short(collinearity: float) -> str:
    return f"{collinearity:.0f}" if collinearity < 1e6 else "beyond measure"


def _listed(names: Sequence[str]) -> str:
    if len(names) > 6:
        return f"{', '.join(names[:5])} and {len(names) - 5} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
