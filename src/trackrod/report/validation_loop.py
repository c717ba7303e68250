"""A section of the page of a validation: how the model was brought to its criteria, round by round."""

from __future__ import annotations

import numpy as np

from trackrod.core.figure import Figure, Line, Panel, Stroke
from trackrod.report.page import Section, Table, shown
from trackrod.tune.space import Tunable
from trackrod.validate.loop import Loop, Round

__all__ = ["loop_section"]

#: A parameter this close to an end of its interval is on it, as a share of the interval.
_ON_END = 1e-3
_HEADS = ("as given", "filled in", "tuned")
_RULE = (
    "What was estimated may move within its uncertainty, everything else within the range of the study. The degree of "
    "validity is the mean of all ratios by weight; a ratio is the distance from perfect over that which is allowed."
)


def loop_section(loop: Loop) -> Section:
    """Rounds, parameters, criteria."""
    items = (loop.sentence, _RULE, _figure(loop), _rounds(loop), _parameters(loop), _rows(loop))
    return Section("How the model came to be", items)


def _parameters(loop: Loop) -> Table:
    chosen = _ends(loop)
    rows = []
    for item in loop.space.tunables:
        numbers = [shown(one.parameters[item.name]) for one in chosen]
        ends = f"{shown(item.lower)} to {shown(item.upper)}"
        rows.append((item.title, *numbers, ends, item.unit or "-", _remark(item, chosen[-1].parameters[item.name])))
    return Table(("parameter", *_HEADS[: len(chosen)], "may lie", "unit", "remark"), tuple(rows))


def _remark(item: Tunable, value: float) -> str:
    near = _ON_END * (item.upper - item.lower)
    return "at the end of its interval" if min(value - item.lower, item.upper - value) < near else ""


def _rows(loop: Loop) -> Table:
    chosen = _ends(loop)
    names = dict.fromkeys(name for one in chosen for name in one.ratios)
    rows = [(name, *(shown(one.ratios[name]) if name in one.ratios else "" for one in chosen)) for name in names]
    return Table(("criterion and test: of what is allowed", *(_HEADS[: len(chosen)])), tuple(rows))


def _rounds(loop: Loop) -> Table:
    rows = []
    for one in loop.rounds:
        worst = max(one.ratios, key=one.ratios.__getitem__)
        rows.append((one.title, shown(one.degree), shown(one.ratios[worst]), worst))
    return Table(("round", "degree of validity", "worst ratio", "which"), tuple(rows))


def _ends(loop: Loop) -> tuple[Round, ...]:
    """The model as given, filled in, and tuned."""
    return tuple(dict.fromkeys((*loop.rounds[:2], loop.rounds[-1])))


def _figure(loop: Loop) -> Figure:
    x = np.arange(len(loop.rounds), dtype=float)
    worst = np.array([max(one.ratios.values()) for one in loop.rounds])
    degree = np.array([one.degree for one in loop.rounds])
    limit = Line(x[[0, -1]], np.ones(2), "limit", Stroke.DASHED)
    lines = (Line(x, degree, "degree of validity"), Line(x, worst, "worst criterion"), limit)
    panel = Panel("criteria", "round: 0 as given, 1 filled in, then tuned [-]", "ratio to what is allowed [-]", lines)
    return Figure("Rounds", (panel,), columns=1)
