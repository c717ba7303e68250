"""Radii, vertical force and deflection."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from trackrod.tyre import Curve, Tyre, Version, load_tyre, read_tir, twin
from trackrod.tyre.samples import SAMPLES


def test_vertical_force_twin(sample: Path) -> None:
    properties = read_tir(sample)
    tyre = Tyre(properties)
    rng = np.random.default_rng(5)
    n = 500
    limit = 0.25 * properties.coefficients["UNLOADED_RADIUS"]
    rho, omega = rng.uniform(0.001, limit, n), rng.uniform(-120, 120, n)
    Fx, Fy = rng.uniform(-4e3, 4e3, (2, n))
    gamma, p = rng.uniform(-0.2, 0.2, n), rng.uniform(0.8, 1.2, n) * tyre.pressure
    force = tyre.vertical_force(rho, 0.0, omega, Fx, Fy, gamma, p)
    if properties.version is Version.PAC89:
        expected = properties.coefficients["VERTICAL_STIFFNESS"] * rho
    else:
        expected = twin.vertical_force(properties.version, properties.coefficients, rho, omega, Fx, Fy, gamma, p)
        np.testing.assert_allclose(
            tyre.effective_radius(3000.0, omega, p),
            twin.effective_radius(properties.coefficients, 3000.0, omega, p),
            rtol=1e-13,
        )
        np.testing.assert_allclose(
            tyre.rolling_speed(3000.0, 0.1, 20.0, p),
            twin.rolling_speed(properties.coefficients, 3000.0, 0.1, 20.0, p),
            rtol=1e-12,
        )
    np.testing.assert_allclose(force, np.maximum(expected, 0.0), rtol=1e-12, atol=1e-9)


def test_stiffness_at_nominal_load_is_that_of_the_file(sample: Path) -> None:
    """(4) makes Cz0 the slope at the nominal load whatever the quadratic term, at rest and nominal pressure."""
    tyre = load_tyre(sample)
    rho = tyre.deflection(tyre.nominal_load)
    slope = (tyre.vertical_force(rho + 1e-5) - tyre.vertical_force(rho - 1e-5)) / 2e-5
    assert slope == pytest.approx(tyre.properties.coefficients["VERTICAL_STIFFNESS"], rel=1e-6)


def test_deflection_inverts_the_force(sample: Path) -> None:
    tyre = load_tyre(sample)
    loads = np.linspace(1.0, 8.0 * tyre.nominal_load, 300)  # far into the rim
    rho = tyre.deflection(loads, omega=50.0, Fx=500.0, Fy=-800.0, gamma=0.05)
    assert (np.diff(rho) > 0).all()
    np.testing.assert_allclose(tyre.vertical_force(rho, 0.0, 50.0, 500.0, -800.0, 0.05), loads, rtol=1e-10, atol=1e-7)
    assert tyre.deflection(0.0) == 0
    assert tyre.deflection(-5.0) == 0


def test_damping_and_lift_off(sample: Path) -> None:
    tyre = load_tyre(sample)
    damping = tyre.properties.coefficients["VERTICAL_DAMPING"]
    force = tyre.vertical_force(0.01, np.array([-0.5, 0.0, 0.5]))
    np.testing.assert_allclose(np.diff(force), 0.5 * damping, rtol=1e-9)
    assert (tyre.vertical_force(-0.001, np.array([-10.0, 10.0])) == 0).all()
    assert tyre.vertical_force(0.001, -1e6) == 0  # a tyre does not pull


def test_bottoming() -> None:
    tyre = load_tyre(SAMPLES["car_mf61"])
    c = tyre.properties.coefficients
    contact = tyre.free_radius() - c["RIM_RADIUS"] - c["BOTTOM_OFFST"]
    assert tyre.vertical_force(contact + 0.01) - tyre.vertical_force(contact) > c["BOTTOM_STIFF"] * 0.01


def test_measured_curves_replace_the_formula() -> None:
    properties = read_tir(SAMPLES["lcv_mf52"])
    deflection = np.array([0.0, 0.01, 0.02, 0.04, 0.08])
    carcass = Curve(deflection, 3e5 * deflection + 2e6 * deflection**2)
    bottoming = Curve(np.array([0.0, 0.05, 0.10]), np.array([0.0, 0.0, 1e5]))
    tyre = Tyre(replace(properties, deflection_load=carcass, bottoming=bottoming))
    np.testing.assert_allclose(tyre.vertical_force(deflection[:4]), carcass.force[:4], rtol=1e-12)
    plain = Tyre(replace(properties, deflection_load=carcass, bottoming=Curve(deflection, 0 * deflection)))
    assert tyre.vertical_force(0.10) - plain.vertical_force(0.10) == pytest.approx(1e5)
    assert tyre.vertical_force(0.05) == pytest.approx(float(plain.vertical_force(0.05)))


def test_bottoming_radius_shifts_the_curve() -> None:
    properties = read_tir(SAMPLES["lcv_mf52"]).with_values(BOTTOMING_RADIUS=0.25)
    curve = Curve(np.array([0.0, 0.05]), np.array([0.0, 5e4]))
    tyre = Tyre(replace(properties, bottoming=curve))
    none = Tyre(replace(properties, bottoming=Curve(curve.deflection, 0 * curve.force)))
    depth = 0.02
    rho = tyre.free_radius() - (0.25 - depth)
    assert tyre.vertical_force(rho) - none.vertical_force(rho) == pytest.approx(1e6 * depth)


def test_radii() -> None:
    tyre = load_tyre(SAMPLES["car_mf61"])
    Fz = tyre.nominal_load
    omega = tyre.rolling_speed(Fz, 0.0, 30.0)
    assert omega * tyre.effective_radius(Fz, omega) == pytest.approx(30.0, rel=1e-13)
    assert tyre.loaded_radius(Fz) < tyre.effective_radius(Fz) < tyre.free_radius()
    assert tyre.free_radius(200.0) > tyre.free_radius(0.0)  # grows with speed
    assert tyre.loaded_radius(Fz, p=1.2 * tyre.pressure) > tyre.loaded_radius(Fz)
