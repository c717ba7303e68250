"""The core against its NumPy twin under the inputs of every manoeuvre: the part of each in which most happens."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from short_manoeuvres import short_manoeuvre

from rtm.converted_vehicles import spec_of
from trackrod.manoeuvres.registry import MANOEUVRES
from trackrod.rtm.compile import compile_model, rolling_start
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.twin.model import Twin
from trackrod.simulate.drive import simulate

#: The twin needs milliseconds for a step.
WINDOW = 80
#: Relative to the largest value of each column, and to this at least: straight ahead some are nothing but rounding.
TOLERANCE, SMALLEST = 1e-8, 1e-3


class Recorded(RealTimeVehicle):
    """Keeps the inputs of every step and the speed at its beginning."""

    def settle(self):  # type: ignore[no-untyped-def]
        self.inputs: list[tuple[np.ndarray, np.ndarray, float]] = []
        return super().settle()

    def advance_rows(self, controls: np.ndarray, every: int, road_heights: np.ndarray | None = None) -> np.ndarray:
        level = np.full((len(controls), len(self._corners)), self.spec.road_height)
        rows = super().advance_rows(controls, every, road_heights)
        if hasattr(self, "inputs"):
            heights = level if road_heights is None else road_heights.copy()
            self.inputs.append((controls.copy(), heights, self.reading(rows[-1])("vx_mps")))
        return rows


@pytest.mark.slow
@pytest.mark.parametrize("name", list(MANOEUVRES))
def test_twin_and_core_agree_in_every_manoeuvre(name: str, tmp_path: Path) -> None:
    spec = spec_of("double_wishbone_car")
    vehicle = Recorded(spec)
    simulate(vehicle, short_manoeuvre(name, spec, tmp_path))
    controls = np.concatenate([c for c, _, _ in vehicle.inputs])
    heights = np.concatenate([h for _, h, _ in vehicle.inputs])
    speeds = np.repeat([v for _, _, v in vehicle.inputs], [len(c) for c, _, _ in vehicle.inputs])
    # most happens where the inputs change most, each measured by its own range
    given = np.column_stack((controls[:, :3], heights))
    moved = np.abs(np.diff(given, axis=0)) / np.maximum(np.ptp(given, axis=0), 1e-9)
    happening = np.convolve(moved.sum(axis=1), np.ones(WINDOW), mode="valid")
    first = int(happening.argmax())
    part = slice(first, first + WINDOW)
    core, twin = compile_model(spec), Twin(spec)
    start = rolling_start(spec, float(speeds[first]))
    for model in (core, twin):
        model.reset()
        model.start(float(speeds[first]), *start)
    fast, _ = core.run(1e-3, 1, np.ascontiguousarray(controls[part]), np.ascontiguousarray(heights[part]))
    slow = twin.run(controls[part], heights[part])
    error = np.abs(fast - slow).max(axis=0) / np.maximum(np.abs(fast).max(axis=0), SMALLEST)
    assert error.max() <= TOLERANCE, f"column {error.argmax()} differs by {error.max():g}"
