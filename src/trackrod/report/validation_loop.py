"""A section of the page of a validation: how the model was brought to its criteria, round by round."""

from __future__ import annotations

import numpy as np

from trackrod.core.figure import Figure, Line, Panel, Stroke
from trackrod.report.page import Section, Table, shown
from trackrod.tune.space import Tunable
from trackrod.validate.loop import Loop

__all__ = ["loop_section"]

#: A parameter this close to an end of its interval is on it, as a share of the interval.
_ON_END = 1e-3
_RULE = (
    "What was estimated may move within its uncertainty, everything else within the range of the study. The degree of "
    "validity is the mean of all ratios by weight; a ratio is the distance from perfect over that which is allowed."
)


def loop_section(loop: Loop) -> Section:
    """Rounds, parameters, and a figure of both."""
    return Section("How the model came to be", (loop.sentence, _RULE, _figure(loop), _parameters(loop), _rounds(loop)))


def _parameters(loop: Loop) -> Table:
    first, filled, last = loop.rounds[0], loop.rounds[min(1, len(loop.rounds) - 1)], loop.rounds[-1]
    rows = []
    for item in loop.space.tunables:
        numbers = [shown(one.parameters[item.name]) for one in (first, filled, last)]
        ends = f"{shown(item.lower)} to {shown(item.upper)}"
        rows.append((item.title, *numbers, ends, item.unit or "-", _remark(item, last.parameters[item.name])))
    return Table(("parameter", "as given", "filled in", "tuned", "may lie", "unit", "remark"), tuple(rows))


def _remark(item: Tunable, value: float) -> str:
    near = _ON_END * (item.upper - item.lower)
    return "at the end of its interval" if min(value - item.lower, item.upper - value) < near else ""


def _rounds(loop: Loop) -> Table:
    names = list(dict.fromkeys(name for one in loop.rounds for name in one.ratios))
    heads = ("of what is allowed", *(one.title for one in loop.rounds))
    rows = [(name, *(shown(one.ratios[name]) if name in one.ratios else "" for one in loop.rounds)) for name in names]
    degrees = ("degree of validity", *(shown(one.degree) for one in loop.rounds))
    return Table(heads, (degrees, *rows))


def _figure(loop: Loop) -> Figure:
    x = np.arange(len(loop.rounds), dtype=float)
    worst = np.array([max(one.ratios.values(), default=np.nan) for one in loop.rounds])
    degree = np.array([one.degree for one in loop.rounds])
    limit = Line(x[[0, -1]], np.ones(2), "limit", Stroke.DASHED)
    rounds = Panel(
        "criteria",
        "round [-]",
        "ratio to what is allowed [-]",
        (Line(x, degree, "degree of validity"), Line(x, worst, "worst criterion"), limit),
    )
    lines = []
    for item in loop.space.tunables:
        values = np.array([item.scaled(one.parameters[item.name]) for one in loop.rounds[1:]])
        lines.append(Line(x[1:], values, item.name))
    ends = (Line(x[[0, -1]], sign * np.ones(2), "", Stroke.DASHED, 7) for sign in (-1.0, 1.0))
    moved = Panel("parameters", "round [-]", "place in the interval [-]", (*lines, *ends))
    return Figure("Rounds: 0 as given, 1 filled in, then tuned", (rounds, moved), columns=2)
