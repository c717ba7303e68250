"""Figures of merit against plain evaluations of the same tyre."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from trackrod.tyre import Tyre, read_tir
from trackrod.tyre.characteristics import characteristics, figure


@pytest.fixture(scope="module")
def tyre(sample: Path) -> Tyre:
    return Tyre(read_tir(sample).symmetric())


def values_of(tyre: Tyre) -> dict[str, float]:
    return {item.name: item.value for item in characteristics(tyre)}


def test_stiffness_and_trail_by_small_slip(tyre: Tyre) -> None:
    """Differences over a thousandth of a radian, and the moment over the force."""
    values, Fz, step = values_of(tyre), tyre.nominal_load, 1e-4
    left, right = (tyre.evaluate(Fz, alpha=a) for a in (-step, step))
    assert values["cornering_stiffness"] == pytest.approx(float(right.Fy - left.Fy) / (2 * step), rel=1e-4)
    assert values["pneumatic_trail"] == pytest.approx(-float((right.Mz - left.Mz) / (right.Fy - left.Fy)), rel=1e-3)
    assert 0.01 < values["pneumatic_trail"] < 0.08
    pulled, pushed = (tyre.evaluate(Fz, kappa=k) for k in (-step, step))
    assert values["slip_stiffness"] == pytest.approx(float(pushed.Fx - pulled.Fx) / (2 * step), rel=1e-3)
    inward, outward = (tyre.evaluate(Fz, gamma=g) for g in (-step, step))
    assert values["camber_stiffness"] == pytest.approx(float(outward.Fy - inward.Fy) / (2 * step), rel=1e-3)


def test_friction_and_where_it_is(tyre: Tyre) -> None:
    values, Fz = values_of(tyre), tyre.nominal_load
    forces = tyre.evaluate(Fz)
    assert values["friction_lateral"] == pytest.approx(float(forces.muy), rel=1e-2)
    assert values["friction_longitudinal"] == pytest.approx(float(forces.mux), rel=2e-2)
    peak = tyre.evaluate(Fz, alpha=values["peak_slip_angle"])
    assert abs(float(peak.Fy)) / Fz == pytest.approx(values["friction_lateral"], rel=1e-3)
    driven, braked = (abs(float(tyre.evaluate(Fz, kappa=sign * values["peak_slip"]).Fx)) for sign in (1, -1))
    assert max(driven, braked) / Fz == pytest.approx(values["friction_longitudinal"], rel=1e-3)


def test_radii_and_rolling_resistance(tyre: Tyre) -> None:
    values, Fz = values_of(tyre), tyre.nominal_load
    assert values["loaded_radius"] < values["effective_radius"] < values["unloaded_radius"]
    assert 0.005 < values["rolling_resistance"] < 0.02
    assert values["vertical_stiffness"] == pytest.approx(tyre.properties.coefficients["VERTICAL_STIFFNESS"], rel=1e-3)
    assert values["nominal_load"] == Fz


def test_figure_shows_what_was_evaluated(tyre: Tyre) -> None:
    panels = {panel.title: panel for panel in figure(tyre).panels}
    lateral = panels["Lateral force, pure side slip"]
    loads = [0.5, 1.0, 1.5, 2.0]
    for line, factor in zip(lateral.lines, loads, strict=True):
        expected = tyre.evaluate(factor * tyre.nominal_load, alpha=np.radians(line.x)).Fy / 1000
        np.testing.assert_allclose(line.y, expected)
    assert all("[" in panel.x_label and "[" in panel.y_label for panel in panels.values())  # units on every axis


def test_a_stiffer_tyre_has_more_cornering_stiffness_and_nothing_else(sample: Path) -> None:
    here = read_tir(sample).symmetric()
    before, after = values_of(Tyre(here)), values_of(Tyre(here.stiffer(1.03)))
    assert after["cornering_stiffness"] == pytest.approx(1.03 * before["cornering_stiffness"], rel=2e-4)
    for name in ("slip_stiffness", "vertical_stiffness", "friction_lateral"):
        assert after[name] == pytest.approx(before[name], rel=1e-6), name
