"""Scripts against the same manoeuvres driven block by block, and derivatives through the closed loop."""

from __future__ import annotations

import numpy as np
import pytest

from rtm.converted_vehicles import spec_of
from trackrod.core import signals
from trackrod.core.errors import InputError
from trackrod.core.series import Run
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.manoeuvres.registry import manoeuvre
from trackrod.rtm.coefficients import PARAMETERS
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.script import Script, ScriptedVehicle
from trackrod.rtm.spec import RtmSpec
from trackrod.simulate.drive import simulate
from trackrod.simulate.script import can_be_scripted, scripted

NAMES = [item.name for item in PARAMETERS]
#: Short, with all that a script may hold: a held speed, an open throttle through a change of gear, braking in neutral.
TESTS = {
    "step_steer": {"steering_wheel_angle_deg": "40", "hold_s": "2"},
    "acceleration": {"first_speed_kmh": "40", "last_speed_kmh": "75"},
    "braking": {"brake": "0.3", "speed_kmh": "50"},
    "single_sine": {"steering_wheel_angle_deg": "30", "after_s": "1"},
}


@pytest.fixture(scope="module")
def spec() -> RtmSpec:
    return spec_of("suv")


@pytest.fixture(scope="module")
def driven(spec: RtmSpec) -> dict[str, tuple[Manoeuvre, Run, Script]]:
    found = {}
    for name, settings in TESTS.items():
        wanted = manoeuvre(name, settings)
        run = simulate(RealTimeVehicle(spec), wanted)
        found[name] = (wanted, run, scripted(wanted, run, own_gears=True))
    return found


@pytest.mark.parametrize("name", TESTS)
def test_the_same_run(spec: RtmSpec, driven: dict[str, tuple[Manoeuvre, Run, Script]], name: str) -> None:
    _, block_by_block, script = driven[name]
    vehicle = ScriptedVehicle(spec)
    vehicle.settle()
    at_once = vehicle.run(script)
    assert np.array_equal(at_once.time, block_by_block.time)
    # Both start steadily, but not from the same instant of their settling.
    for signal in (signals.VX, signals.AY, signals.YAW_RATE, signals.ROLL, signals.FZ.signals[0], signals.PITCH):
        scale = np.abs(block_by_block[signal]).max() + 5e-3
        assert np.abs(at_once[signal] - block_by_block[signal]).max() / scale < 0.02, signal


def test_the_gears_of_the_reference(spec: RtmSpec, driven: dict[str, tuple[Manoeuvre, Run, Script]]) -> None:
    """The same run, and a weaker engine changes gear with the reference; by its own shift speeds it does so later."""
    wanted, reference, own = driven["acceleration"]
    given = scripted(wanted, reference)
    vehicle = ScriptedVehicle(spec)
    vehicle.settle()
    at_once = vehicle.run(given)
    for signal in (signals.VX, signals.PITCH, signals.FZ.signals[0]):
        scale = np.abs(reference[signal]).max() + 5e-3
        assert np.abs(at_once[signal] - reference[signal]).max() / scale < 0.02, signal
    vehicle.settle(spec.with_parameters(engine_factor=0.95))
    late, on_time = vehicle.run(own), vehicle.run(given)
    assert np.abs(_last_shift(on_time) - _last_shift(reference)) < 0.011
    assert _last_shift(late) > _last_shift(reference) + 0.05


def _last_shift(run: Run) -> float:
    return float(run.time[1:][np.diff(run[signals.GEAR]) != 0][-1])


def test_the_speed_is_held_alike_at_walking_pace(spec: RtmSpec) -> None:
    wanted = manoeuvre("braking", {"brake": "0.2", "speed_kmh": "15", "delay_s": "3"})
    block_by_block = simulate(RealTimeVehicle(spec), wanted)
    vehicle = ScriptedVehicle(spec)
    vehicle.settle()
    at_once = vehicle.run(scripted(wanted, block_by_block))
    rolling = block_by_block.time < 3.0
    # 0.0200 m/s in the first sample: they do not begin at the same instant of their settling
    assert np.abs(at_once[signals.VX] - block_by_block[signals.VX])[rolling].max() < 0.025
    assert np.abs(at_once[signals.THROTTLE] - block_by_block[signals.THROTTLE])[rolling].max() < 0.02


@pytest.mark.parametrize("name", TESTS)
def test_derivatives_hold_for_the_closed_loop(
    spec: RtmSpec, driven: dict[str, tuple[Manoeuvre, Run, Script]], name: str
) -> None:
    script = driven[name][2]
    chosen = ("sprung_mass", "Izz", "damper_factor_front", "engine_factor", "drag")
    directions = np.zeros((len(chosen), len(NAMES)))
    for k, parameter in enumerate(chosen):
        directions[k, NAMES.index(parameter)] = 0.1 * spec.parameters[parameter]
    vehicle = ScriptedVehicle(spec)
    vehicle.settle(spec, directions)
    tangent = vehicle.tangent(script)
    vehicle.settle(spec)
    assert np.allclose(tangent.run[signals.YAW_RATE], vehicle.run(script)[signals.YAW_RATE], atol=1e-12)
    # With a few times as much, tyres come to rest at another step of the integration: 1 % of what the speed changes by.
    step = 3e-6
    for k, parameter in enumerate(chosen):
        runs = []
        for sign in (1.0, -1.0):
            value = spec.parameters[parameter] * (1 + 0.1 * sign * step)
            vehicle.settle(spec.with_parameters(**{parameter: value}))
            runs.append(vehicle.run(script))
        up, down = tangent.along(k, step), tangent.along(k, -step)
        for signal in (signals.VX, signals.YAW_RATE, signals.THROTTLE, signals.FZ.signals[0]):
            by_difference = (runs[0][signal] - runs[1][signal]) / (2 * step)
            exact = (up[signal] - down[signal]) / (2 * step)
            error = np.quantile(np.abs(exact - by_difference), 0.98)  # corners lie within a step of one run only
            rounding = 1e-10 * (np.abs(runs[0][signal]).max() + 0.1) / step
            assert error < 2e-4 * np.abs(exact).max() + rounding, (parameter, signal)


def test_a_guide_pulls_the_vehicle_to_the_reference(
    spec: RtmSpec, driven: dict[str, tuple[Manoeuvre, Run, Script]]
) -> None:
    _, reference, script = driven["step_steer"]
    vehicle = ScriptedVehicle(spec.with_parameters(Izz=1.3 * spec.parameters["Izz"], cg_to_front=1.6))
    vehicle.settle()
    errors = [
        float(np.abs(vehicle.run(script, strength)[signals.YAW_RATE] - reference[signals.YAW_RATE]).max())
        for strength in (0.0, 0.3, 1.0)
    ]
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.6 * errors[0]


def test_who_steers_by_sight_has_no_script(spec: RtmSpec) -> None:
    wanted = manoeuvre("double_lane_change", {"angle_per_curvature_radm": "60"})
    assert not can_be_scripted(wanted)
    run = simulate(RealTimeVehicle(spec), manoeuvre("braking", TESTS["braking"]))
    with pytest.raises(InputError, match="cannot be written down"):
        scripted(wanted, run)
