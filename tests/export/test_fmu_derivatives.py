"""Directional derivatives of FMUs, against differences of the same FMU from a kept state."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from open_fmus import CAR, DETAILED_VAN, ELASTIC_CAR, VAN, VERSIONS, Fmu, RefusedError, reals_of

from trackrod.core.corners import Corner
from trackrod.export.model_description import FmiVersion

Unzipped = Callable[[str, FmiVersion], Path]
#: How much of each input counts as usual [SI], by the last parts of its name: derivatives are looked at along it.
USUAL = {
    "steering_wheel_angle": 1.0,
    "steering_wheel_torque": 10.0,
    "throttle": 1.0,
    "brake": 1.0,
    "added_brake_torque": 1e3,
    "added_drive_torque": 1e3,
    "steer_offset": 0.1,
    "added_damper_force": 1e3,
    "added_spring_force": 1e3,
    "road_height": 0.01,
    "road_normal": 0.05,
    "force": 1e3,
    "point": 1.0,
    "moment": 1e3,
    "wind": 10.0,
}
#: Step of the differences, over the usual size: within it no law has a kink.
STEP = 2e-5


@pytest.fixture
def opened(unzipped: Unzipped) -> Iterator[Callable[[str, FmiVersion], Fmu]]:
    made: list[Fmu] = []

    def find(name: str, version: FmiVersion) -> Fmu:
        made.append(Fmu(unzipped(name, version)))
        return made[-1]

    yield find
    for fmu in made:
        fmu.close()


def usual(name: str) -> float | None:
    return USUAL.get(name.removesuffix(".x").removesuffix(".y").removesuffix(".z").rpartition(".")[2])


def knowns_of(fmu: Fmu) -> list[str]:
    return [v.name for v in fmu.variables.values() if v.causality == "input" and usual(v.name) is not None]


def derivative(fmu: Fmu, vehicle: str, along: dict[str, float]) -> np.ndarray:
    """Of all real outputs."""
    unknowns = [fmu.variables[name].valueReference for name in reals_of(vehicle)]
    knowns = [fmu.variables[name].valueReference for name in along]
    return np.array(fmu.call("getDirectionalDerivative", unknowns, knowns, list(along.values())))


def into_a_turn(fmu: Fmu, settings: dict[str, float]) -> None:
    """A state that nothing is at rest in: on the throttle in a turn, a wheel braked, another one on a bump."""
    fmu.start({"initial.speed": 20.0, **settings})
    for i in range(250):
        fmu.set(driver__steering_wheel_angle=0.9 * np.sin(0.01 * i), driver__throttle=0.4, fl__road_height=2e-5 * i)
        fmu.step()
    pushed = {f"{corner}.added_brake_torque": 50.0 + 20.0 * i for i, corner in enumerate(Corner)}
    pushed |= {f"{corner}.road_normal.z": 0.9 for corner in Corner}
    pushed |= {"external.force.y": 400.0, "external.moment.z": 100.0, "wind.x": -5.0, "wind.z": 0.5}
    fmu.set_all({**pushed, "driver.brake": 0.05})
    fmu.step(count=10)


def differences(fmu: Fmu, name: str, horizon: float) -> np.ndarray:
    """Along the usual size of an input, of fourth order; outputs as long after it as the horizon says."""
    state, time = fmu.keep(), fmu.time
    (now,) = fmu.get(name)
    size = usual(name)
    assert size is not None

    def outputs(part: float) -> np.ndarray:
        fmu.restore(state)
        fmu.time = time
        fmu.set_all({name: now + part * STEP * size})
        if horizon > 0.0:
            fmu.step(horizon)
        return fmu.outputs()

    near, far = (outputs(k) - outputs(-k) for k in (1.0, 2.0))
    fmu.restore(state)
    fmu.time = time
    return np.asarray((8.0 * near - far) / (12.0 * STEP))


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: version.name)
def test_outputs_of_a_communication_point_depend_on_no_input_of_it(
    opened: Callable[[str, FmiVersion], Fmu], version: FmiVersion
) -> None:
    fmu = opened(CAR, version)
    into_a_turn(fmu, {})
    for name in knowns_of(fmu):
        assert not differences(fmu, name, 0.0).any(), name
        assert not derivative(fmu, CAR, {name: 1.0}).any(), name
    inputs = {v.name for v in fmu.variables.values() if v.causality == "input" and v.type in ("Real", "Float64")}
    assert not derivative(fmu, CAR, dict.fromkeys(inputs, 1.0)).any()
    assert all(unknown.dependencies == [] for unknown in fmu.description.outputs)


@pytest.mark.parametrize(
    ("vehicle", "version", "settings", "horizon"),
    [
        (CAR, FmiVersion.FMI2, {}, 1e-3),
        (CAR, FmiVersion.FMI3, {}, 0.02),
        (CAR, FmiVersion.FMI3, {"solver.ramp": 1.0}, 0.02),
        (CAR, FmiVersion.FMI2, {f"{corner}.road_normal.{axis}": 0.02 for corner in Corner for axis in "xy"}, 0.01),
        (ELASTIC_CAR, FmiVersion.FMI2, {}, 0.01),
        (VAN, FmiVersion.FMI3, {}, 0.01),
    ],
)
def test_derivatives_ahead_are_those_of_differences(
    opened: Callable[[str, FmiVersion], Fmu],
    vehicle: str,
    version: FmiVersion,
    settings: dict[str, float],
    horizon: float,
) -> None:
    fmu = opened(vehicle, version)
    into_a_turn(fmu, {**settings, "solver.derivative_horizon": horizon})
    before = fmu.outputs()
    scale = np.maximum(1.0, np.abs(before))
    moved, together, total = [], {}, np.zeros(before.size)
    for name in knowns_of(fmu):
        size = usual(name)
        assert size is not None
        exact, found = derivative(fmu, vehicle, {name: size}), differences(fmu, name, horizon)
        wrong = np.abs(exact - found) / np.maximum(scale, np.abs(found))
        assert wrong.max() <= 1e-6, (name, reals_of(vehicle)[int(wrong.argmax())], wrong.max())
        leans = "fl.road_normal.x" in settings  # the length of an upright normal says nothing
        if name != "driver.steering_wheel_torque" and (leans or not name.endswith("road_normal.z")):  # the angle steers
            moved.append(np.abs(exact / scale).max())
        together[name] = size
        total += exact
    assert np.array_equal(fmu.outputs(), before)  # asking changes nothing
    assert min(moved) > 0.0
    assert max(moved) > 0.01
    both = derivative(fmu, vehicle, together)
    assert np.abs(both - total).max() <= 1e-9 * np.abs(total).max()  # linear in the direction


def test_a_torque_that_steers(opened: Callable[[str, FmiVersion], Fmu]) -> None:
    fmu = opened(ELASTIC_CAR, FmiVersion.FMI3)
    fmu.start({"initial.speed": 20.0, "driver.steered_by_torque": 1, "solver.derivative_horizon": 5e-3})
    fmu.set(driver__steering_wheel_torque=1.5)
    fmu.step(count=200)
    name = "driver.steering_wheel_torque"
    exact, found = derivative(fmu, ELASTIC_CAR, {name: USUAL["steering_wheel_torque"]}), differences(fmu, name, 5e-3)
    assert np.abs(exact - found).max() <= 1e-6 * max(1.0, np.abs(found).max())
    assert exact[reals_of(ELASTIC_CAR).index("steering.steering_wheel_angle")] > 1e-5


def test_what_has_no_exact_derivative_is_refused(opened: Callable[[str, FmiVersion], Fmu]) -> None:
    fmu = opened(CAR, FmiVersion.FMI2)
    with pytest.raises(RefusedError, match=r"error: there are no directional derivatives before the initialisation"):
        derivative(fmu, CAR, {"driver.throttle": 1.0})
    with pytest.raises(RefusedError, match=r"derivative_horizon is no multiple of solver\.step"):
        fmu.start({"initial.speed": 20.0, "solver.derivative_horizon": 1.5e-3})
    fmu.call("reset")
    fmu.start({"initial.speed": 20.0, "solver.derivative_horizon": 1e-3})
    for name in ("fl.friction", "road.down.x"):
        with pytest.raises(RefusedError, match=r"no derivatives by the friction of the road and by road\.down"):
            derivative(fmu, CAR, {name: 1.0})
    for name in ("body.ay", "parameter.sprung_mass", "driver.gear"):
        with pytest.raises(RefusedError, match="is no real input"):
            derivative(fmu, CAR, {name: 1.0})
    with pytest.raises(RefusedError, match="not a finite number"):
        derivative(fmu, CAR, {"driver.throttle": np.nan})
    fmu.step()


def test_the_multibody_model_has_those_of_the_communication_point_alone(
    opened: Callable[[str, FmiVersion], Fmu],
) -> None:
    fmu = opened(DETAILED_VAN, FmiVersion.FMI3)
    assert "solver.derivative_horizon" not in fmu.variables
    fmu.start({"initial.speed": 15.0})
    fmu.step()
    assert not derivative(fmu, DETAILED_VAN, {"driver.steering_wheel_angle": 1.0, "driver.brake": 1.0}).any()
    assert not differences(fmu, "driver.steering_wheel_angle", 0.0).any()
