"""Samples beyond the knots of kinematics and springs are told by wheel and axle: how many, from when, how far."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from trackrod.rtm.motion import _RACK, _TRAVEL, beyond_maps


def curve(x: float) -> SimpleNamespace:
    return SimpleNamespace(x=np.array([-x, x]))


def axle(*, steered: bool, opposite: float) -> SimpleNamespace:
    return SimpleNamespace(steered=steered, roll=curve(opposite))


def wheel(first: float, second: float, travel: float) -> SimpleNamespace:
    knots = {"first": np.array([-first, 0.0, 2 * first]), "second": np.array([-second, 0.0, second])}
    return SimpleNamespace(spring=curve(travel), opposite=np.zeros(0), **knots)


FRONT, REAR = wheel(0.05, 0.07, travel=1.0), wheel(0.04, 0.03, travel=0.12)
STEERED, RIGID = axle(steered=True, opposite=0.11), axle(steered=False, opposite=1.0)
SPEC = SimpleNamespace(axles=(STEERED, RIGID), wheels=(FRONT, FRONT, REAR, REAR))


def told(travels: list[tuple[float, float, float, float]], rack: list[float]) -> list[dict[str, object]]:
    rows = np.zeros((len(travels), 100))
    rows[:, _TRAVEL : _TRAVEL + 4] = travels
    rows[:, _RACK] = rack
    found = beyond_maps(rows, SPEC)  # type: ignore[arg-type]
    return [{**entry, "farthest_m": round(entry["farthest_m"], 9)} for entry in found]  # type: ignore[arg-type]


def entry(variable: str, samples: int, first: int, farthest: float) -> dict[str, object]:
    return {"variable": variable, "samples": samples, "first": first, "farthest_m": farthest}


def test_nothing_to_tell_inside() -> None:
    assert told([(0.1, -0.05, 0.08, 0.08), (-0.05, 0.1, 0.01, -0.04)], [0.07, -0.07]) == []


def test_each_wheel_of_a_steered_axle_and_the_rack() -> None:
    travels = [(0.0, 0.0, 0.0, 0.0), (0.11, 0.0, 0.0, 0.0), (0.13, -0.06, 0.0, 0.0), (0.0, -0.09, 0.0, 0.0)]
    assert told(travels, [0.0, 0.0, -0.08, 0.075]) == [
        entry("travel of front left", 2, 1, 0.03),
        entry("travel of front right", 2, 2, 0.04),
        entry("rack travel", 2, 2, 0.01),
    ]


def test_parallel_and_opposite_travel_of_the_other_axle() -> None:
    travels = [(0.0, 0.0, 0.10, 0.08), (0.0, 0.0, 0.06, -0.02), (0.0, 0.0, -0.08, -0.04), (0.0, 0.0, 0.0, 0.09)]
    assert told(travels, [0.0] * 4) == [
        entry("parallel travel of rear", 2, 0, 0.02),
        entry("opposite travel of rear", 2, 1, 0.015),
    ]


def test_springs_of_a_wheel_and_the_anti_roll_bar() -> None:
    travels = [(0.1, -0.05, 0.0, 0.0), (0.1, -0.13, 0.0, 0.0), (0.0, 0.0, 0.03, 0.13)]
    assert told(travels, [0.0] * 3) == [
        entry("travel of front right", 1, 1, 0.08),
        entry("opposite travel of front", 1, 1, 0.005),
        entry("travel of rear right", 1, 2, 0.01),
        entry("opposite travel of rear", 1, 2, 0.02),
    ]
