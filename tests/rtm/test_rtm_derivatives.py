"""Exact derivatives of runs by the parameters, against central differences of runs."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from rtm.converted_vehicles import spec_of
from trackrod.core.errors import UnknownNameError
from trackrod.rtm.coefficients import PARAMETERS
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.spec import Curve, RtmSpec

NAMES = [item.name for item in PARAMETERS]
STEPS, EVERY = 300, 10
SPINS = np.array([60.0, 61.0, 59.0, 60.5])
#: Error of central differences, relative to the largest derivative of a column; rounding of small derivatives apart.
TOLERANCE = 1e-4


def spec(name: str, growth: float = 0.0, nearer: float = 1.0, *, locked: bool = False) -> RtmSpec:
    """A model with friction and lift, its tyres growing with their spin or not, its stops nearer or not, its centre
    differential locked or not.
    """
    found = spec_of(name).with_parameters(
        friction_front=50.0, friction_rear=30.0, friction_base_rear=0.6, lift_front=0.05, lift_rear=0.03
    )
    if locked:
        assert found.powertrain is not None
        found = replace(found, powertrain=replace(found.powertrain, front_share=0.4, centre_locked=True))
    wheels = tuple(replace(w, stops=Curve(nearer * w.stops.x, nearer * w.stops.y)) for w in found.wheels)
    return replace(
        found, wheels=wheels, tyres={key: tyre.with_values(Q_V1=growth) for key, tyre in found.tyres.items()}
    )


def controls() -> np.ndarray:
    t = np.arange(STEPS) * 1e-3
    throttle, brake = np.where(t < 0.2, 0.4, 0.0), np.where(t > 0.22, 0.3, 0.0)
    return np.column_stack((0.8 * np.sin(5 * t), throttle, brake, np.full(STEPS, 3.0)))


def rows_of(vehicle: RealTimeVehicle, values: np.ndarray) -> np.ndarray:
    core = vehicle._core
    core.set_parameters(values)
    core.reset()
    core.start(20.0, SPINS, 250.0, 3)
    return core.run(1e-3, EVERY, controls(), np.zeros((STEPS, 0)))[0]


@cache
def exact(
    name: str, growth: float = 0.0, nearer: float = 1.0, *, locked: bool = False
) -> tuple[RealTimeVehicle, np.ndarray, np.ndarray]:
    vehicle = RealTimeVehicle(spec(name, growth, nearer, locked=locked))
    rows_of(vehicle, vehicle.spec.values())
    vehicle._core.reset()
    vehicle._core.start(20.0, SPINS, 250.0, 3)
    vehicle.keep_start()
    no_heights = np.zeros((STEPS, 0))
    values, slopes = vehicle._core.derivatives(1e-3, EVERY, controls(), no_heights, list(range(len(NAMES))))
    return vehicle, values, slopes


def step_of(name: str, value: float) -> float:
    """Where rounding and curvature are both small; products of inertia are zero and belong to tensors of hundreds."""
    if name.startswith(("I", "unsprung_roll", "unsprung_yaw")):
        return 3e-5 * max(value, 30.0)  # three times as far the `lcv_7t` meets a kink of its curves
    return 3e-6 * max(abs(value), 1.0 if name.startswith("friction") else 0.05)


@pytest.mark.parametrize("parameter", NAMES)
@pytest.mark.parametrize("name", ["double_wishbone_car", "lcv_7t"])
def test_derivatives_of_every_column(name: str, parameter: str) -> None:
    check(parameter, *exact(name))


def test_derivatives_with_a_tyre_that_grows() -> None:
    check("brake_front", *exact("double_wishbone_car", 7e-4))


@pytest.mark.parametrize("parameter", ["engine_factor", "wheel_inertia_front", "brake_rear", "cg_height"])
def test_derivatives_with_a_locked_centre_differential(parameter: str) -> None:
    check(parameter, *exact("double_wishbone_car", locked=True))


@pytest.mark.parametrize("parameter", ["stop_factor_rear", "sprung_mass", "cg_height"])
def test_derivatives_with_pressed_stops_of_a_solid_axle(parameter: str) -> None:
    vehicle, values, slopes = exact("lcv_7t", nearer=0.002)
    assert (np.abs(slopes[..., NAMES.index("stop_factor_rear")]).max(axis=0) > 0.0).any(), "no stop is pressed"
    check(parameter, vehicle, values, slopes)


def check(parameter: str, vehicle: RealTimeVehicle, values: np.ndarray, slopes: np.ndarray) -> None:
    k = NAMES.index(parameter)
    base = vehicle.spec.values()
    step = step_of(parameter, float(base[k]))
    up, down = (rows_of(vehicle, base + sign * step * np.eye(len(NAMES))[k]) for sign in (1.0, -1.0))
    difference = (up - down) / (2 * step)
    error = np.abs(difference - slopes[:, :, k]).max(axis=0)
    rounding = 1e-12 * np.abs(values).max(axis=0) / step
    excess = error - TOLERANCE * np.abs(difference).max(axis=0) - rounding
    assert (excess <= 0).all(), f"column {excess.argmax()}: off by {error[excess.argmax()]:g}"


def test_the_run_with_derivatives_is_the_run() -> None:
    vehicle, values, _ = exact("lcv_7t")
    rows = rows_of(vehicle, vehicle.spec.values())
    assert np.abs(values - rows).max(axis=0) == pytest.approx(0.0, abs=1e-9)


def test_columns_of_a_run_have_derivatives_too() -> None:
    """The centre of gravity of the whole vehicle depends on parameters by itself, beside the state."""
    vehicle = RealTimeVehicle(spec("lcv_7t"))
    vehicle._core.start(20.0, SPINS, 250.0, 3)
    vehicle.keep_start()
    names = ["sprung_mass", "cg_to_front", "cg_height", "unsprung_mass_rear", "spring_factor_front", "Izz"]
    _, found = vehicle.derivatives(controls(), names, every=EVERY)

    def columns(values: dict[str, float]) -> dict[str, np.ndarray]:
        changed = RealTimeVehicle(vehicle.spec.with_parameters(**values))
        changed._core.start(20.0, SPINS, 250.0, 3)
        return dict(changed.advance(*controls().T, every=EVERY).items())

    for name in names:
        value = vehicle.spec.parameters[name]
        step = step_of(name, value)
        up, down = columns({name: value + step}), columns({name: value - step})
        for column in found:
            if name in found[column]:
                difference = (up[column] - down[column]) / (2 * step)
                rounding = 1e-12 * np.abs(up[column]).max() / step
                allowed = TOLERANCE * np.abs(difference).max() + rounding
                assert np.abs(found[column][name] - difference).max() <= allowed, (name, column)


def test_an_unknown_parameter_is_named() -> None:
    vehicle = exact("lcv_7t")[0]
    with pytest.raises(UnknownNameError, match="sprung_mas"):
        vehicle.derivatives(controls(), ["sprung_mas"])
