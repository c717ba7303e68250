"""Derivatives along random directions of the parameters against differences, for every manoeuvre with a script."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rtm.converted_vehicles import spec_of
from rtm.short_manoeuvres import short_manoeuvre
from trackrod.core import signals
from trackrod.manoeuvres.registry import MANOEUVRES
from trackrod.rtm.coefficients import PARAMETERS
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.script import ScriptedVehicle
from trackrod.simulate.drive import simulate
from trackrod.simulate.script import can_be_scripted, scripted

NAMES = [item.name for item in PARAMETERS]
#: What studies tune.
VARIED = (
    *("sprung_mass", "Ixx", "Iyy", "Izz", "cg_to_front", "cg_height", "drag"),
    *(f"{what}_factor_{axle}" for what in ("spring", "damper", "antiroll", "compliance") for axle in ("front", "rear")),
)
#: With a few times as much, tyres come to rest at another step of the integration.
STEP = 3e-6
#: Error over the largest derivative of a signal, apart from corners, which lie in a step of one run only.
TOLERANCE, SMOOTH = 3e-4, 0.98


@pytest.mark.parametrize("name", list(MANOEUVRES))
def test_along_a_random_direction(name: str, tmp_path: Path) -> None:
    spec = spec_of("suv")
    wanted = short_manoeuvre(name, spec, tmp_path)
    if not can_be_scripted(wanted):
        pytest.skip("who steers by sight has no script")
    script = scripted(wanted, simulate(RealTimeVehicle(spec), wanted))
    rng = np.random.default_rng(list(MANOEUVRES).index(name))
    direction = np.zeros(len(NAMES))
    for parameter in VARIED:
        direction[NAMES.index(parameter)] = 0.05 * rng.normal() * spec.parameters[parameter]
    vehicle = ScriptedVehicle(spec)
    vehicle.settle(spec, direction[None])
    tangent = vehicle.tangent(script)
    runs = []
    for sign in (1.0, -1.0):
        values = {parameter: spec.parameters[parameter] for parameter in VARIED}
        moved = {key: value + sign * STEP * direction[NAMES.index(key)] for key, value in values.items()}
        vehicle.settle(spec.with_parameters(**moved))
        runs.append(vehicle.run(script))
    up, down = tangent.along(0, STEP), tangent.along(0, -STEP)
    for signal in (signals.VX, signals.YAW_RATE, signals.ROLL, signals.FZ.signals[0]):
        by_difference = (runs[0][signal] - runs[1][signal]) / (2 * STEP)
        exact = (up[signal] - down[signal]) / (2 * STEP)
        error = np.quantile(np.abs(exact - by_difference), SMOOTH)
        rounding = 1e-10 * (np.abs(runs[0][signal]).max() + 0.1) / STEP
        assert error < TOLERANCE * np.abs(exact).max() + rounding, signal
