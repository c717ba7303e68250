"""Slip from velocities: relaxation, standstill, change of direction."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from trackrod.core.errors import InputError
from trackrod.tyre import Tyre, load_tyre, read_tir
from trackrod.tyre.samples import SAMPLES

STEP = 1e-4


def test_settles_to_the_steady_state(sample: Path) -> None:
    tyre = load_tyre(sample)
    Vx, slip, angle = 20.0, 0.03, 0.04
    n = 20000
    forces = tyre.transient(STEP, np.full(n, 4000.0), Vx, Vsx=-slip * Vx, Vsy=np.tan(angle) * Vx, gamma=0.02)
    steady = tyre.evaluate(4000.0, slip, angle, 0.02, Vx)
    for name in ("Fx", "Fy", "Mx", "My", "Mz"):
        assert getattr(forces, name)[-1] == pytest.approx(float(getattr(steady, name)), rel=1e-9), name


def test_relaxation_length_is_the_distance_to_63_percent(sample: Path) -> None:
    """Closed form: after one relaxation length of travel, 1 - 1/e of the steady slip is there."""
    tyre = Tyre(read_tir(sample).symmetric())
    Vx, angle, n = 10.0, 1e-4, 4000
    forces = tyre.transient(STEP, np.full(n, 4000.0), Vx, Vsy=angle * Vx)
    steady = float(tyre.evaluate(4000.0, alpha=angle, Vx=Vx).Fy)
    distance = Vx * STEP * (1 + np.argmax(forces.Fy / steady >= 1 - np.exp(-1)))
    assert distance == pytest.approx(float(forces.sigma_y[0]), rel=1e-2)  # one step is 1 mm


@pytest.mark.parametrize("Vx", [0.0, 0.3, 20.0])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_no_relaxation_length_is_the_shortest_one(sign: float, Vx: float) -> None:
    """LSGAL = 0, also where the friction gives the side force its sign (PDY1 < 0, as real files have it)."""
    properties = read_tir(SAMPLES["lcv_mf52"])
    c = properties.coefficients
    flipped = properties.with_values(**{name: sign * c[name] for name in ("PDY1", "PDY2")})
    none, short = (Tyre(flipped.with_values(LSGAL=scale)) for scale in (0.0, 1e-9))
    Vsy = 0.1 * np.sin(0.1 * np.arange(400))
    a, b = (tyre.transient(1e-3, np.full(400, 9000.0), Vx, Vsx=0.02, Vsy=Vsy) for tyre in (none, short))
    for name in ("Fx", "Fy", "Mx", "My", "Mz"):
        assert np.isfinite(getattr(a, name)).all()
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-9, atol=1e-9)


def test_sign_of_the_friction_leaves_the_relaxation_alone() -> None:
    """After one relaxation length of travel 1 - 1/e of the steady slip is there, also with a negative PDY1."""
    properties = read_tir(SAMPLES["lcv_mf52"]).symmetric()
    c = properties.coefficients
    tyre = Tyre(properties.with_values(**{name: -c[name] for name in ("PDY1", "PDY2")}))
    Vx, angle, n = 10.0, 1e-4, 4000
    forces = tyre.transient(STEP, np.full(n, 9000.0), Vx, Vsy=angle * Vx)
    steady = float(tyre.evaluate(9000.0, alpha=angle, Vx=Vx).Fy)
    distance = Vx * STEP * (1 + np.argmax(forces.Fy / steady >= 1 - np.exp(-1)))
    assert distance == pytest.approx(float(forces.sigma_y[0]), rel=1e-2)


def test_standing_tyre_is_a_spring(sample: Path) -> None:
    """Pushed sideways at standstill and held: the force stays, with the stiffness Kya over sigma."""
    tyre = Tyre(read_tir(sample).symmetric())
    push, n = 1e-4, 1000
    Vsy = np.zeros(n)
    Vsy[:100] = push / (100 * STEP)
    forces = tyre.transient(STEP, np.full(n, 4000.0), 0.0, Vsy=Vsy)
    stiffness = abs(float(forces.Kya[-1])) / float(forces.sigma_y[-1])
    assert forces.Fy[-1] == pytest.approx(-stiffness * push, rel=1e-3)
    np.testing.assert_allclose(forces.Fy[100:], forces.Fy[-1], rtol=1e-12)  # held, not leaking away


def test_sliding_tyre_stores_the_deflection_of_its_force() -> None:
    """Slid to one side and drawn back slowly: the force is gone after 0.75 mu Fz / C, however far it slid."""
    tyre = Tyre(read_tir(SAMPLES["car_mf61"]).symmetric())
    ways = []
    for slid in (0.1, 0.4):
        Vsy = np.concatenate((np.full(round(slid / 0.02 / 1e-3), 0.02), np.full(3000, -0.01)))
        forces = tyre.transient(1e-3, np.full(Vsy.size, 4000.0), 0.0, Vsy=Vsy)
        back = forces.Fy[-3000:]
        ways.append(0.01e-3 * np.argmax(back > 0.0))
    deflection = float(forces.muy[0]) * 4000.0 * float(forces.sigma_y[0] / abs(forces.Kya[0]))
    assert ways[0] == pytest.approx(ways[1], rel=1e-9)
    assert ways[0] == pytest.approx(0.75 * deflection, rel=0.15)  # the limit sets in over 10 %, damping takes some


@pytest.mark.parametrize("step", [1e-3, 2.5e-4])
def test_a_sliding_tyre_thrown_back_gives_no_more_than_the_deflection_of_its_force(step: float) -> None:
    """However fast it slid and is drawn back, within one step: its force is gone after mu Fz / C."""
    tyre = Tyre(read_tir(SAMPLES["car_mf61"]).symmetric())
    n = round(1.0 / step)
    Vsx = np.concatenate((np.full(n, 0.3), np.full(n, -0.1)))
    forces = tyre.transient(step, np.full(Vsx.size, 4000.0), Vsx, Vsx=Vsx)  # locked
    way = 0.1 * step * np.argmax(forces.Fx[n:] > 0.0)
    deflection = float(forces.mux[-1]) * 4000.0 * float(forces.sigma_x[-1] / forces.Kxk[-1])
    assert way < deflection


def test_a_standing_tyre_never_creates_energy() -> None:
    """Drawn to and fro in both directions, sliding and sticking: at no time has it given more than it got."""
    tyre = Tyre(read_tir(SAMPLES["car_mf61"]).symmetric())
    t = 1e-3 * np.arange(8000)
    x, y = 0.03 * np.sin(7.0 * t) * np.sin(1.3 * t), 0.04 * np.sin(4.0 * t + 1.0) - 0.04 * np.sin(1.0)
    Vsx, Vsy = np.gradient(x, t), np.gradient(y, t)
    forces = tyre.transient(1e-3, np.full(t.size, 4000.0), Vsx, Vsx=Vsx, Vsy=Vsy)  # locked: it moves as it slides
    got = 1e-3 * np.cumsum(-forces.Fx * Vsx - forces.Fy * Vsy)
    assert got.min() > -0.01
    assert got[-1] > 1000.0


def test_change_of_direction_has_no_jump() -> None:
    """Rolling forward, stopping and rolling back with side slip: the force is continuous."""
    tyre = load_tyre(SAMPLES["car_mf61"])
    t = np.arange(0.0, 4.0, 1e-3)
    Vx = 2.0 - t
    forces = tyre.transient(1e-3, 4000.0 + 0 * t, Vx, Vsx=0.02 * np.sin(5 * t), Vsy=0.05 * np.cos(3 * t))
    for name in ("Fx", "Fy", "Mz", "My"):
        values = getattr(forces, name)
        assert np.isfinite(values).all()
        assert np.abs(np.diff(values)).max() < 0.03 * np.ptp(values), name


def test_spinning_on_the_spot_does_not_wind_up() -> None:
    """A wheel that spins for a second and then stops lets go within a short time."""
    tyre = load_tyre(SAMPLES["car_mf61"])
    Vsx = np.where(np.arange(3000) < 1000, -20.0, 0.0)
    Vx = np.where(np.arange(3000) < 1000, 0.0, 5.0)
    forces = tyre.transient(1e-3, np.full(3000, 4000.0), Vx, Vsx=Vsx)
    assert forces.Fx[900] > 2500.0
    assert abs(forces.Fx[-1]) < 60.0


def test_mistakes() -> None:
    tyre = load_tyre(SAMPLES["car_mf61"])
    with pytest.raises(InputError, match="step"):
        tyre.transient(0.0, np.ones(3), 1.0)
    with pytest.raises(InputError, match="one value a sample"):
        tyre.transient(0.1, 4000.0, 1.0)
