"""Drawings of a conversion study: overlays of three runs, indices, parameters, sensitivities, search, K&C."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import groupby, pairwise

import numpy as np
from numpy.typing import NDArray

from trackrod.convert.round_trip import ModelRig
from trackrod.core.corners import Axle, Side
from trackrod.core.figure import Figure, Legend, Line, Panel, Stroke
from trackrod.fit.outcome import SearchProgress
from trackrod.kc.maps import KcMaps
from trackrod.kc.points import Load
from trackrod.report.charts import Bar, Bars, HeatMap
from trackrod.report.comparison import overlay_figure
from trackrod.rtm.layout import CHANNELS, COMPLIANCE_CHANNELS
from trackrod.tune.study import StudyResult, TestResult

__all__ = [
    "MOST_POINTS",
    "candidate_bars",
    "error_budget_map",
    "history_figure",
    "index_bars",
    "kc_figure",
    "manoeuvre_figure",
    "parameter_bars",
    "sensitivity_map",
    "time_bars",
]

Array = NDArray[np.float64]
#: A number of an entry of the history.
_Of = Callable[[SearchProgress], float]

#: Points of a curve at most; what is between them cannot be seen.
MOST_POINTS = 600
_REFERENCE, _TUNED, _NOMINAL = 0, 2, 5  # colours
_MM, _DEGREES, _KN = 1e3, 180.0 / np.pi, 1e-3


def thinned(line: Line) -> Line:
    """A line with `MOST_POINTS` points or fewer: the lowest and the highest of each stretch, so that peaks stay."""
    count = line.y.size
    if count <= MOST_POINTS:
        return line
    y = np.where(np.isfinite(line.y), line.y, 0.0)
    edges = np.linspace(0, count, MOST_POINTS // 2, dtype=int)  # one stretch less than half: the ends come in addition
    kept = {0, count - 1}
    for begin, end in pairwise(edges.tolist()):
        part = y[begin:end]
        kept |= {begin + int(part.argmin()), begin + int(part.argmax())}
    chosen = np.array(sorted(kept))
    return replace(line, x=line.x[chosen], y=line.y[chosen])


def manoeuvre_figure(test: TestResult) -> Figure:
    """Reference, nominal and tuned model over each other, with the band of ±5 % of the reference's largest magnitude.

    Panels are those of the indices that compare curves; their titles give the index before and after.
    """
    pairs = [(a, b) for a, b in zip(test.nominal_indices, test.tuned_indices, strict=True) if a.is_curve]
    before = overlay_figure([a for a, _ in pairs], test.title, ("reference", "nominal")).panels
    after = overlay_figure([b for _, b in pairs], test.title, ("reference", "tuned")).panels
    panels = []
    for (a, b), old, new in zip(pairs, before, after, strict=True):
        *common, tuned = new.lines  # band and reference come first, the model last
        nominal = replace(old.lines[-1], color=_NOMINAL)
        lines = (*common[:-1], replace(common[-1], color=_REFERENCE), nominal, replace(tuned, color=_TUNED))
        title = f"{a.name}: {a.value_pct:.2f} % → {b.value_pct:.2f} %"
        lines = tuple(thinned(line) for line in lines)
        panels.append(replace(new, title=title, lines=lines, legend=_free_place(lines)))
    return Figure(test.title, tuple(panels), columns=2)


def _free_place(lines: tuple[Line, ...]) -> Legend:
    """Where a legend covers the fewest points of the lines."""
    x, y = (np.concatenate([getattr(line, axis) for line in lines]) for axis in "xy")
    x, y = ((v - np.nanmin(v)) / (float(np.nanmax(v) - np.nanmin(v)) or 1.0) for v in (x, y))
    covered = {
        Legend.RIGHT: (x > 0.7) & (y > 0.68),
        Legend.LEFT: (x < 0.3) & (y > 0.68),
        Legend.CENTRE: (np.abs(x - 0.5) < 0.15) & (np.abs(y - 0.5) < 0.17),
    }
    return min(covered, key=lambda place: int(covered[place].sum()))


def index_bars(tests: tuple[TestResult, ...], tolerance_pct: float) -> Bars:
    """Every index before and after tuning, with the line of the tolerance; one bar each where nothing was tuned."""
    pairs = [
        (test.label, before, after)
        for test in tests
        for before, after in zip(test.nominal_indices, test.tuned_indices, strict=True)
    ]
    moved = any(before.value_pct != after.value_pct for _, before, after in pairs)
    bars = tuple(
        Bar(after.name, (before.value_pct, after.value_pct) if moved else (after.value_pct,), label)
        for label, before, after in pairs
    )
    after = max((bar.values[-1] for bar in bars), default=0.0)
    limit = (tolerance_pct, f"TP = {tolerance_pct:g} %")
    series = ("nominal", "tuned") if moved else ("as converted",)
    return Bars("index [%]", series, bars, limit, end=max(4.0 * tolerance_pct, 1.1 * after))


def parameter_bars(result: StudyResult) -> Bars:
    """Change of every tuned parameter with its bounds and 95 % interval; those with the nominal value 0 have none."""
    bars = []
    for item in result.parameters:
        change = item.tunable.change_pct(item.z)
        if not math.isfinite(change):
            continue
        ends = sorted(item.tunable.change_pct(z) for z in (-1.0, 1.0))
        lower, upper = sorted(item.tunable.change_pct(z) for z in item.interval)
        bars.append(
            Bar(
                item.tunable.name,
                (change,),
                interval=(lower, upper),
                bounds=(ends[0], ends[1]),
                alarm=item.on_bound,
                faint=not item.moved,
            )
        )
    return Bars("change from the nominal value [%]", ("change",), tuple(bars))


def sensitivity_map(result: StudyResult) -> HeatMap:
    """Influence of every parameter on every index of the nominal model."""
    found = result.sensitivity
    rows = tuple(block.label for block in found.blocks)
    label = "how far the index moves between nominal value and bound [%], first order"
    return HeatMap(rows, found.parameters, found.influence_pct, label)


def error_budget_map(result: StudyResult) -> HeatMap:
    """What each swapped sub-model does to each index of the tuned model."""
    tuned = {f"{test.label}: {index.name}": index.value_pct for test in result.tests for index in test.tuned_indices}
    rows = tuple(label for label in tuned if any(label in entry.indices for entry in result.error_budget))
    values = [[entry.indices.get(label, math.nan) - tuned[label] for entry in result.error_budget] for label in rows]
    columns = tuple(entry.what for entry in result.error_budget)
    label = "index with the swap less index of the tuned model [%]"
    return HeatMap(rows, columns, np.array(values).reshape(len(rows), len(columns)), label, signed=True)


def candidate_bars(result: StudyResult) -> Bars:
    """What each candidate would tell."""
    bars = tuple(Bar(item.manoeuvre, (item.information_bit,)) for item in result.candidates)
    return Bars("information about the parameters in question [bit]", ("information",), bars)


def time_bars(result: StudyResult) -> Bars:
    """Time by stage."""
    bars = tuple(Bar(stage, (value,)) for stage, value in result.seconds.items() if stage != "total")
    return Bars("time [s]", ("time",), bars)


def history_figure(result: StudyResult) -> Figure:
    """The objective over evaluations and over time; a line for each stage of the method."""
    panels = []
    for title, x_label, of in (
        ("over evaluations", "evaluations and linearisations [-]", lambda p: float(p.evaluations + p.linearisations)),
        ("over time", "time [s]", lambda p: p.seconds),
    ):
        lines = [Line(np.zeros(1), np.array([result.objective_nominal]), "nominal", Stroke.POINTS, _NOMINAL)]
        for number, (stage, part) in enumerate(groupby(result.outcome.history, key=lambda p: p.stage)):
            entries = list(part)
            x, y = np.array([of(entry) for entry in entries]), np.array([entry.value for entry in entries])
            if not number:
                x, y = np.insert(x, 0, 0.0), np.insert(y, 0, result.objective_nominal)
            lines += [
                Line(x, y, stage or "best so far", color=number),
                Line(x[-len(entries) :], y[-len(entries) :], "", Stroke.POINTS, number),
            ]
        panels.append(Panel(f"Objective {title}", x_label, "objective [%]", tuple(lines), Legend.RIGHT))
    return Figure("Search", tuple(panels), columns=2)


# ---- K&C


def kc_figure(result: StudyResult, axle: Axle) -> Figure:
    """The left wheel of an axle on the rig: maps of the reference, model before and after tuning."""
    maps = result.maps[axle]
    rigs = (("nominal", _NOMINAL, ModelRig(result.nominal, axle)), ("tuned", _TUNED, ModelRig(result.tuned, axle)))
    panels = [
        *_kinematics_panels(maps, rigs),
        *_load_panels(maps, rigs),
        *_compliance_panels(maps, rigs),
    ]
    return Figure(f"{result.name}, {axle} axle", tuple(panels), columns=3)


_Rigs = tuple[tuple[str, int, ModelRig], ...]
_POSES = (
    ("rz", "steer angle", _DEGREES, "°"),
    ("rx", "inclination", _DEGREES, "°"),
    ("ty", "lateral displacement", _MM, "mm"),
)


def _kinematics_panels(maps: KcMaps, rigs: _Rigs) -> list[Panel]:
    kinematics = maps.wheel(Side.LEFT).kinematics
    first, second = (np.linspace(knots[0], knots[-1], 61) for knots in kinematics.knots)
    zero = np.zeros(61)
    other = "rack travel, to the left" if maps.steered else "opposite travel, left up"
    panels = []
    for parallel, where in ((True, "parallel travel"), (False, other)):
        x, y = (first, zero) if parallel else (zero, second)
        left, right, rack = (x, x, y) if maps.steered else (x + y, x - y, zero)
        for name, title, factor, unit in _POSES if parallel else _POSES[:2]:
            mapped = kinematics.value(x, y)[..., kinematics.output_index(name)]
            found = {label: rig.pose(Side.LEFT, left, right, rack)[..., CHANNELS.index(name)] for label, _, rig in rigs}
            axis = first if parallel else second
            panels.append(
                _panel(
                    f"{title}, {where.split(',')[0]}",
                    f"{where} [mm]",
                    f"{title} [{unit}]",
                    _MM * axis,
                    factor,
                    mapped,
                    found,
                    rigs,
                )
            )
    return panels


def _load_panels(maps: KcMaps, rigs: _Rigs) -> list[Panel]:
    panels = []
    for where, curve, sign in (("parallel travel", maps.ride, 1.0), ("opposite travel, left up", maps.roll, -1.0)):
        x = curve.knots
        mapped = curve.value(x)[:, curve.output_index("Fz_left")]
        found = {label: rig.load(x, sign * x)[0] for label, _, rig in rigs}
        title = f"Wheel load, {where.split(',')[0]}"
        panels.append(_panel(title, f"{where} [mm]", "Fz, left wheel [kN]", _MM * x, _KN, mapped, found, rigs))
    return panels


def _compliance_panels(maps: KcMaps, rigs: _Rigs) -> list[Panel]:
    """The left wheel under a load of its own."""
    panels = []
    for load, name, title, factor, unit in (
        (Load.FY, "rz", "steer angle over Fy", _DEGREES, "°"),
        (Load.FX, "tx", "longitudinal displacement over Fx", _MM, "mm"),
    ):
        if load not in maps.left.own:
            continue
        curve = maps.left.own[load]
        x, mapped = curve.knots, curve.value(curve.knots)[:, curve.output_index(name)]
        column = COMPLIANCE_CHANNELS.index(name)
        found = {label: rig.give(Side.LEFT, load, x, 0.0)[:, column] for label, _, rig in rigs}
        axis = f"{str(load).capitalize()} on the left wheel [kN]"
        panels.append(_panel(title, axis, f"change [{unit}]", _KN * x, factor, mapped, found, rigs))
    return panels


def _panel(
    title: str, x_label: str, y_label: str, x: Array, factor: float, mapped: Array, found: dict[str, Array], rigs: _Rigs
) -> Panel:
    # rounding that is left of what is zero by symmetry is not worth an axis
    mapped, found = np.round(factor * mapped, 9), {label: np.round(factor * y, 9) for label, y in found.items()}
    lines = [Line(x, found[label], label, color=color) for label, color, _ in rigs]
    some = slice(None, None, max(1, len(x) // 15))  # on top of the lines, and yet these can be seen
    lines.append(Line(x[some], mapped[some], "reference", Stroke.POINTS, _REFERENCE))
    rising = float(mapped[-1]) >= float(mapped[0])
    return Panel(title[:1].upper() + title[1:], x_label, y_label, tuple(lines), Legend.LEFT if rising else Legend.RIGHT)
