"""Differences of the two models, each run driven once in a session."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from control_cases import CASES, Case, Multibody, RealTime, sound
from control_drives import Maker
from control_list import CONTROLS, Control

from trackrod.core.series import Run
from trackrod.rtm.spec import RtmSpec


@cache
def reference_run(case: Case, drive: Callable[[Maker], Run]) -> Run:
    """Driven with the multibody model."""
    return drive(Multibody(case))


@cache
def model_run(case: Case, drive: Callable[[Maker], Run], planted: Callable[[RtmSpec], RtmSpec] = sound) -> Run:
    """Driven with the real-time model."""
    return drive(RealTime(case, planted))


def difference(control: Control, case: Case) -> float:
    """Of the real-time model from the multibody model, in the unit of the control's tolerance."""
    return control.difference(reference_run(case, control.drive), model_run(case, control.drive))


def table() -> str:
    """Every difference, those beyond their tolerance in bold."""
    rows = [
        ("control", "tolerance", *map(str, CASES)),
        ("---", "---", *("---:" for _ in CASES)),
    ]
    for control in CONTROLS:
        tolerance = control.tolerance
        values = [difference(control, case) for case in CASES]
        shown = [f"{value:.3g}" if value <= tolerance.value else f"**{value:.3g}**" for value in values]
        rows.append((control.name, f"{tolerance.value:g} {tolerance.unit}", *shown))
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def reasons() -> str:
    """Every tolerance with its reason and the controls that it holds for."""
    rows = ["| tolerance | for | why |\n| --- | --- | --- |\n"]
    for tolerance in dict.fromkeys(control.tolerance for control in CONTROLS):
        names = "; ".join(control.name for control in CONTROLS if control.tolerance is tolerance)
        rows.append(f"| {tolerance.value:g} {tolerance.unit} | {names} | {tolerance.reason} |\n")
    return "".join(rows)
