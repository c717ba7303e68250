"""The same run with every set of instructions that this machine has."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest

from rtm.converted_vehicles import spec_of
from trackrod import _core
from trackrod.convert.conversion import Compliance
from trackrod.core.errors import InputError
from trackrod.core.instructions import INSTRUCTIONS, SETTING, in_use, require_known
from trackrod.rtm.coefficients import PARAMETERS
from trackrod.rtm.driving import RealTimeVehicle

STEPS = 400
#: Largest difference of derivatives, over the largest derivative of a column.
TOLERANCE = 1e-11


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    before = in_use()
    yield
    assert _core.use_instructions(before)


def available() -> list[str]:
    return [name for name in INSTRUCTIONS if _core.use_instructions(name)]


def controls() -> np.ndarray:
    t = np.arange(STEPS) * 1e-3
    throttle, brake = np.where(t < 0.2, 0.5, 0.0), np.where(t > 0.25, 0.6, 0.0)
    return np.column_stack((1.2 * np.sin(9 * t), throttle, brake, np.zeros(STEPS)))


@pytest.mark.parametrize("compliance", list(Compliance))
@pytest.mark.parametrize("name", ["double_wishbone_car", "lcv_7t"])
def test_values_are_the_same_and_derivatives_nearly(name: str, compliance: Compliance) -> None:
    names = available()
    assert names[0] == "portable"
    vehicle = RealTimeVehicle(spec_of(name, compliance=compliance))
    seeds, heights = list(range(len(PARAMETERS))), np.zeros((STEPS, 0))
    runs, slopes = {}, {}
    for each in names:
        assert _core.use_instructions(each)
        assert in_use() == each
        vehicle.settle()
        vehicle.start(20.0)
        vehicle.keep_start()
        runs[each] = vehicle._core.run(1e-3, 10, controls(), heights)[0]
        values, slopes[each] = vehicle._core.derivatives(1e-3, 10, controls(), heights, seeds)
        assert np.allclose(values, runs[each], rtol=1e-9, atol=1e-9)
    largest = np.abs(slopes["portable"]).max(axis=(0, 2), keepdims=True) + 1e-300
    for each in names[1:]:
        assert np.array_equal(runs[each], runs["portable"], equal_nan=True), each
        assert np.nanmax(np.abs(slopes[each] - slopes["portable"]) / largest) < TOLERANCE, each


def test_the_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SETTING, "portable")
    require_known()
    assert in_use() == "portable"
    monkeypatch.setenv(SETTING, "sse9")
    with pytest.raises(InputError, match="TRACKROD_INSTRUCTIONS is 'sse9': it may be one of portable, avx2, avx512"):
        require_known()
    assert in_use() == "portable"


def test_the_setting_of_a_process() -> None:
    command = [sys.executable, "-c", "from trackrod.core.instructions import in_use; print(in_use())"]
    done = subprocess.run(command, env={**os.environ, SETTING: "portable"}, capture_output=True, text=True, check=True)
    assert done.stdout == "portable\n"
