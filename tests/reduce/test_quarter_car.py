"""The quarter car: its twin, its derivatives, its energy, its laws."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from trackrod.core.artefact import Artefact, load, save
from trackrod.core.errors import ConvergenceError, RangeError
from trackrod.reduce.model import NAMES, QUARTER_CAR, QuarterCar, driven
from trackrod.reduce.reduction import AxleReduction
from trackrod.reduce.twin import TwinQuarterCar

STEP = 5e-4


@pytest.fixture(scope="module")
def car(rear: AxleReduction) -> QuarterCar:
    """With every term of the spring and a soft mount."""
    return rear.car.with_parameters({"spring_second": 3000.0, "spring_third": 5000.0, "mount_compliance": 2e-6})


def sine(car: QuarterCar, duration: float, frequency: float = 5.0) -> np.ndarray:
    time = STEP * np.arange(round(duration / STEP) + 1)
    return car.known["corner_weight"] + 1000.0 * np.sin(2 * np.pi * frequency * time)


def test_twin(car: QuarterCar) -> None:
    """A second implementation from first principles does the same."""
    forces = sine(car, 0.04)
    twin = TwinQuarterCar(car)
    assert twin.preload == pytest.approx(car.preload, rel=1e-6)
    ours, other = car.drive(forces, STEP).motion, twin.drive(forces, STEP)
    np.testing.assert_allclose((ours - other) / np.abs(other).max(axis=0), 0.0, atol=2e-3)


def test_damper_of_the_twin(car: QuarterCar) -> None:
    twin, speed = TwinQuarterCar(car), np.linspace(-1.0, 1.0, 81)
    np.testing.assert_allclose(car.damper_force(speed), [twin.damper(v) for v in speed], atol=1e-9)


def test_acceleration_of_the_twin_where_the_wheel_is_fast(car: QuarterCar) -> None:
    """The slope of the effective mass counts: the twin takes it from differences of energies."""
    rigid = car.with_parameters({"mount_compliance": 0.0})
    forces, twin = sine(rigid, 0.5), TwinQuarterCar(rigid)
    motion = rigid.drive(forces, STEP).motion
    for i in range(100, 1000, 90):
        z, v, a = motion[i]
        assert a == pytest.approx(twin.rates(z, v, 0.0, forces[i])[0], abs=2e-3)


def test_exact_derivatives(car: QuarterCar) -> None:
    forces = sine(car, 0.5)
    slopes = car.drive(forces, STEP, derivatives=True).slopes
    assert slopes is not None
    for k, name in enumerate(NAMES):
        step = 1e-5 * max(abs(car.parameters[name]), 1e-6 if name == "mount_compliance" else 0.1)
        ahead, behind = (
            car.with_parameters({name: car.parameters[name] + s * step}).drive(forces, STEP).motion for s in (1, -1)
        )
        difference = (ahead - behind) / (2 * step)
        np.testing.assert_allclose((slopes[:, :, k] - difference) / np.abs(difference).max(axis=0), 0.0, atol=2e-5)


@pytest.fixture(scope="module")
def rubbing(car: QuarterCar) -> QuarterCar:
    """On leaves that slide on each other."""
    return replace(car, known={**car.known, "leaf_friction": 400.0})


def test_leaves_that_rub(rubbing: QuarterCar) -> None:
    """A second implementation does the same, and derivatives stay exact while friction turns about."""
    forces = sine(rubbing, 0.12)
    ours, other = rubbing.drive(forces, STEP).motion, TwinQuarterCar(rubbing).drive(forces, STEP)
    off = np.abs(ours - other).max(axis=0) / np.abs(other).max(axis=0)
    assert (off < [2e-3, 5e-3, 2e-2]).all()  # the acceleration jumps nearly where friction turns about
    forces = sine(rubbing, 0.5)
    slopes = rubbing.drive(forces, STEP, derivatives=True).slopes
    assert slopes is not None
    for name in ("unsprung_share", "spring_rate", "bump_low"):
        step = 1e-5 * rubbing.parameters[name]
        ahead, behind = (
            rubbing.with_parameters({name: rubbing.parameters[name] + s * step}).drive(forces, STEP).motion
            for s in (1, -1)
        )
        difference = (ahead - behind) / (2 * step)
        off = (slopes[:, :, NAMES.index(name)] - difference) / np.abs(difference).max(axis=0)
        np.testing.assert_allclose(off, 0.0, atol=2e-4)


def test_hysteresis_is_the_friction(rubbing: QuarterCar) -> None:
    """Loads up and down at the same place differ by twice the friction, as on a rig."""
    slow = dict.fromkeys(("bump_low", "bump_high", "rebound_low", "rebound_high"), 1.0)
    car = replace(rubbing, known={**rubbing.known, "friction": 0.0}).with_parameters(slow)
    time = np.arange(0.0, 8.0, 2e-3)
    loads = car.known["corner_weight"] + np.interp(time, [0.0, 2.0, 6.0, 8.0], [0.0, 1500.0, -1500.0, 0.0])
    z = car.drive(loads, 2e-3).motion[:, 0]
    up, down = (time > 1.0) & (time < 1.9), (time > 3.0) & (time < 5.5)
    at = np.linspace(np.quantile(z[up], 0.3), np.quantile(z[up], 0.7), 5)
    rising, falling = np.interp(at, z[up], loads[up]), np.interp(at, z[down][::-1], loads[down][::-1])
    np.testing.assert_allclose(rising - falling, 800.0, rtol=0.05)  # 97 % of it at these speeds


def test_energy_is_kept(car: QuarterCar) -> None:
    """Without damper and seals, with a constant load: kinetic energy, spring, weight and the load's work stay."""
    names = ["bump_low", "bump_high", "rebound_low", "rebound_high"]
    smooth = replace(car, known={**car.known, "friction": 0.0})
    free = smooth.with_parameters({**dict.fromkeys(names, 1e-9), "mount_compliance": 0.0})
    weight = free.known["corner_weight"]
    for step, most in ((2e-3, 2e-2), (5e-4, 2e-3)):
        loads = np.full(round(2.0 / step), weight + 800.0)
        loads[0] = weight
        motion = driven(free, free.vector, loads, step).motion[1:]
        contact = free.core.geometry(motion[:, 0].copy())[:, 2, 0]
        energy = [free.core.energy(free.vector, z, v) for z, v in motion[:, :2]]
        total = np.array(energy) - (weight + 800.0) * contact
        moved = np.ptp([0.5 * 50.0 * v**2 for v in motion[:, 1]])
        assert np.ptp(total) < most * moved


def test_stands_at_ride_height(car: QuarterCar) -> None:
    motion = car.drive(np.full(400, car.known["corner_weight"]), STEP).motion
    np.testing.assert_allclose(motion - [car.known["ride_height"], 0.0, 0.0], 0.0, atol=1e-9)


def test_spring_of_the_paper(car: QuarterCar) -> None:
    """k1 L + k2 L² + k3 L³ is the spring, with L since the free length."""
    u = np.linspace(-0.05, 0.05, 11)
    length = car.free_compression + u
    of_paper = sum(k * length ** (i + 1) for i, k in enumerate(car.spring))
    np.testing.assert_allclose(of_paper, car.spring_force(u), rtol=1e-9)


def test_static_answer_is_the_spring(car: QuarterCar) -> None:
    """A slow load moves the wheel as far as the force of the spring along its line says."""
    time = np.arange(0.0, 4.0, 2e-3)
    loads = car.known["corner_weight"] + 800.0 * np.clip(time / 3.0, 0.0, 1.0)
    z = car.drive(loads, 2e-3).motion[-1, 0]
    spring, _, contact, centre, _, _ = car.core.geometry(np.array([z]))[0]
    rest = car.core.geometry(np.array([car.known["ride_height"]]))[0, 0, 0]
    links = car.parameters["unsprung_share"] * car.known["link_mass"]
    weight = 9.80665 * (links + centre[1] * car.known["mass"])
    assert car.spring_force(rest - spring[0]) * -spring[1] == pytest.approx(loads[-1] * contact[1] - weight, rel=1e-3)


def test_saved(car: QuarterCar, tmp_path) -> None:
    save(Artefact(QUARTER_CAR, car), tmp_path / "quarter.json")
    again = load(tmp_path / "quarter.json", QUARTER_CAR).content
    assert again == car
    np.testing.assert_array_equal(again.drive(sine(car, 0.1), STEP).motion, car.drive(sine(car, 0.1), STEP).motion)


def test_numbers_that_cannot_be(car: QuarterCar) -> None:
    with pytest.raises(RangeError, match=r"unsprung_share is 1.2"):
        car.with_parameters({"unsprung_share": 1.2})
    with pytest.raises(RangeError, match="rebound_low is -1"):
        car.with_parameters({"rebound_low": -1.0})
    with pytest.raises(ConvergenceError, match="gets lost"):
        car.drive(np.full(4000, 1e5), STEP)
