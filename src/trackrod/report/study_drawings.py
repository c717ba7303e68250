"""Drawings of a conversion study: overlays of three runs, indices, parameters, sensitivities, search, K&C."""

from __future__ import annotations

import math
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from trackrod.convert.round_trip import ModelRig
from trackrod.core.corners import Axle, Side
from trackrod.core.figure import Figure, Line, Panel, Stroke
from trackrod.core.numbers import change, percent
from trackrod.kc.maps import KcMaps
from trackrod.kc.points import Load
from trackrod.report.charts import Bar, Bars, HeatMap
from trackrod.report.comparison import overlay_panel
from trackrod.report.names import in_words, manoeuvre_name, parameter_title
from trackrod.rtm.layout import CHANNELS, COMPLIANCE_CHANNELS
from trackrod.tune.study import StudyResult, TestResult

__all__ = [
    "candidate_bars",
    "error_budget_map",
    "history_figure",
    "index_bars",
    "kc_figure",
    "manoeuvre_figure",
    "parameter_bars",
    "sensitivity_map",
    "worst_bars",
]

Array = NDArray[np.float64]

_REFERENCE, _TUNED, _NOMINAL = 0, 2, 5  # colours
_MM, _DEGREES, _KN = 1e3, 180.0 / np.pi, 1e-3
#: How the legend calls the model where nothing was tuned.
AS_CONVERTED = "model, as converted"


def manoeuvre_figure(test: TestResult) -> Figure:
    """Reference, nominal and tuned model over each other, with the band of ±5 % of the reference's largest magnitude.

    Panels are those of the indices that compare curves; their titles give the index before and after, once if nothing
    was tuned.
    """
    panels = []
    for before, after in zip(test.nominal_indices, test.tuned_indices, strict=True):
        if not before.is_curve:
            continue
        moved = not np.array_equal(before.model.y, after.model.y)
        models = [("nominal", before.model, _NOMINAL)] if moved else []
        models.append(("tuned" if moved else AS_CONVERTED, after.model, _TUNED))
        value = f"{change(before.value_pct, after.value_pct, 2)} %" if moved else percent(after.value_pct)
        title = f"{after.name}: {value}"
        panels.append(overlay_panel(title, ("reference", after.reference), models, test.reference))
    return Figure(test.title, tuple(panels), columns=2)


def worst_bars(result: StudyResult) -> Bars:
    """The largest index of each manoeuvre, tuned with and held out, before and after; once if nothing was tuned."""
    moved = result.nominal.parameters != result.tuned.parameters
    bars = []
    for hold_out, group in ((False, "used for tuning"), (True, "held out")):
        for test in (test for test in result.tests if test.hold_out is hold_out):
            before, after = (
                max(found, key=lambda index: index.value_pct) for found in (test.nominal_indices, test.tuned_indices)
            )
            values = (before.value_pct, after.value_pct) if moved else (after.value_pct,)
            above = round(after.value_pct, 2) > result.tolerance_pct
            bars.append(Bar(f"{manoeuvre_name(test.label)} ({after.name})", values, group, alarm=above))
    longest = max((bar.values[-1] for bar in bars), default=0.0)
    limit = (result.tolerance_pct, f"tolerance {result.tolerance_pct:g} %")
    series = ("nominal", "tuned") if moved else ("as converted",)
    return Bars("largest index [%]", series, tuple(bars), limit, end=max(2 * result.tolerance_pct, 1.05 * longest))


def index_bars(tests: tuple[TestResult, ...], tolerance_pct: float) -> Bars:
    """Every index before and after tuning, with the line of the tolerance; one bar each where nothing was tuned."""
    pairs = [
        (manoeuvre_name(test.label), before, after)
        for test in tests
        for before, after in zip(test.nominal_indices, test.tuned_indices, strict=True)
    ]
    moved = any(before.value_pct != after.value_pct for _, before, after in pairs)
    bars = tuple(
        Bar(after.name, (before.value_pct, after.value_pct) if moved else (after.value_pct,), label)
        for label, before, after in pairs
    )
    after = max((bar.values[-1] for bar in bars), default=0.0)
    limit = (tolerance_pct, f"tolerance {tolerance_pct:g} %")
    series = ("nominal", "tuned") if moved else ("as converted",)
    return Bars("index [%]", series, bars, limit, end=max(4.0 * tolerance_pct, 1.1 * after))


def parameter_bars(result: StudyResult) -> Bars:
    """Change of every tuned parameter with its bounds and 95 % interval; those with the nominal value 0 have none."""
    bars = []
    for item in result.parameters:
        moved = item.tunable.change_pct(item.z)
        if not math.isfinite(moved):
            continue
        ends = sorted(item.tunable.change_pct(z) for z in (-1.0, 1.0))
        lower, upper = sorted(item.tunable.change_pct(z) for z in item.interval)
        bars.append(
            Bar(
                item.tunable.title,
                (moved,),
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
    rows = tuple(in_words(block.label, result) for block in found.blocks)
    columns = tuple(parameter_title(name, result) for name in found.parameters)
    label = "how far the index moves between nominal value and bound [%], first order"
    return HeatMap(rows, columns, found.influence_pct, label)


def error_budget_map(result: StudyResult) -> HeatMap:
    """What each swapped sub-model does to each index of the tuned model."""
    tuned = {f"{test.label}: {index.name}": index.value_pct for test in result.tests for index in test.tuned_indices}
    rows = tuple(label for label in tuned if any(label in entry.indices for entry in result.error_budget))
    values = [[entry.indices.get(label, math.nan) - tuned[label] for entry in result.error_budget] for label in rows]
    columns = tuple(entry.what for entry in result.error_budget)
    label = "index with the swap less index of the tuned model [%]"
    grid = np.array(values).reshape(len(rows), len(columns))
    return HeatMap(tuple(in_words(row, result) for row in rows), columns, grid, label, signed=True)


def candidate_bars(result: StudyResult) -> Bars:
    """What each candidate would tell."""
    bars = tuple(Bar(manoeuvre_name(item.manoeuvre), (item.information_bit,)) for item in result.candidates)
    return Bars("information about the parameters in question [bit]", ("information",), bars)


def history_figure(result: StudyResult) -> Figure:
    """The objective over evaluations; a line for each stage of the method."""
    lines = [Line(np.zeros(1), np.array([result.objective_nominal]), "nominal", Stroke.POINTS, _NOMINAL)]
    for number, (stage, part) in enumerate(groupby(result.outcome.history, key=lambda p: p.stage)):
        entries = list(part)
        x = np.array([float(entry.evaluations + entry.linearisations) for entry in entries])
        y = np.array([entry.value for entry in entries])
        if not number:
            x, y = np.insert(x, 0, 0.0), np.insert(y, 0, result.objective_nominal)
        lines += [
            Line(x, y, stage or "best so far", color=number),
            Line(x[-len(entries) :], y[-len(entries) :], "", Stroke.POINTS, number),
        ]
    panel = Panel("Objective", "evaluations and linearisations [-]", "objective [%]", tuple(lines))
    return Figure("Search", (panel,), columns=1)


# ---- K&C


def kc_figure(result: StudyResult, axle: Axle) -> Figure:
    """The left wheel of an axle on the rig: maps of the reference, model before and after tuning."""
    maps = result.maps[axle]
    tuned = ModelRig(result.tuned, axle)
    rigs: _Rigs = ((AS_CONVERTED, _TUNED, tuned),)
    if result.nominal.parameters != result.tuned.parameters:
        rigs = (("nominal", _NOMINAL, ModelRig(result.nominal, axle)), ("tuned", _TUNED, tuned))
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
    apart = tuple(Line(x, found[label] - mapped, label, color=color) for label, color, _ in rigs)
    return Panel(title[:1].upper() + title[1:], x_label, y_label, tuple(lines), differences=apart)
