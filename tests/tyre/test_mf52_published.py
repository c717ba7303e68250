"""MF 5.2 at combined slip with camber against its published equations, written down here a second time.

Sources: H. B. Pacejka, Tyre and Vehicle Dynamics, section 4.3.2, in the form of the MF-Tyre 5.2 equation manual and of
MFeval: slip tan α, inclination sin γ, trail and residual torque at equivalent slips, the trail with F_y less S_Vyκ, and
S_Vyκ with the friction at its camber. Nothing of the package is used but the numbers of a tyre: forward rolling, no
limits.
"""

from __future__ import annotations

from itertools import product
from math import atan, copysign, cos, exp, pi, sin, sqrt, tan
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from trackrod.tyre import Tyre, TyreProperties, Version, read_tir
from trackrod.tyre.samples import SAMPLES

TOLERANCE = 1e-6  # of each output's peak
SPEED = 17.0  # m/s
REAL_TYRE = "tyres/matheusft_MFeval_julia/test/fixtures/MagicFormula52_Parameters.tir"

#: Four loads (of the nominal one), four slips, three slip angles [rad], three cambers [rad].
POINTS = tuple(product((0.4, 0.8, 1.2, 1.9), (-0.21, -0.03, 0.04, 0.16), (-0.11, 0.02, 0.07), (-0.12, 0.03, 0.09)))


def curve(x: float, B: float, C: float, E: float) -> float:
    """C arctan{Bx − E(Bx − arctan Bx)}, of which the formula takes the sine or the cosine."""
    return C * atan(B * x - E * (B * x - atan(B * x)))


def published(c: SimpleNamespace, Fz: float, kappa: float, alpha: float, gamma: float) -> list[float]:
    """F_x, F_y, M_x, M_y, M_z of MF 5.2 at one point."""
    R0, Fz0 = c.UNLOADED_RADIUS, c.LFZO * c.FNOMIN
    df = Fz / Fz0 - 1
    a, g, gx, gz = tan(alpha), sin(c.LGAY * gamma), c.LGAX * gamma, c.LGAZ * gamma
    sz = sin(gz)

    # Pure longitudinal slip.
    mux = (c.PDX1 + c.PDX2 * df) * (1 - c.PDX3 * gx * gx) * c.LMUX
    Kx = Fz * (c.PKX1 + c.PKX2 * df) * exp(c.PKX3 * df) * c.LKX
    Cx, Dx = c.PCX1 * c.LCX, mux * Fz
    kx = kappa + (c.PHX1 + c.PHX2 * df) * c.LHX
    Ex = (c.PEX1 + c.PEX2 * df + c.PEX3 * df * df) * (1 - c.PEX4 * copysign(1, kx)) * c.LEX
    Fx0 = Dx * sin(curve(kx, Kx / (Cx * Dx), Cx, Ex)) + Fz * (c.PVX1 + c.PVX2 * df) * c.LVX * c.LMUX

    # Pure side slip.
    muy = (c.PDY1 + c.PDY2 * df) * (1 - c.PDY3 * g * g) * c.LMUY
    Ky = c.PKY1 * Fz0 * sin(2 * atan(Fz / (c.PKY2 * Fz0))) * (1 - c.PKY3 * abs(g)) * c.LKY
    Cy, Dy = c.PCY1 * c.LCY, muy * Fz
    SHy = (c.PHY1 + c.PHY2 * df) * c.LHY + c.PHY3 * g
    SVy = Fz * ((c.PVY1 + c.PVY2 * df) * c.LVY + (c.PVY3 + c.PVY4 * df) * g) * c.LMUY
    ay = a + SHy
    Ey = (c.PEY1 + c.PEY2 * df) * (1 - (c.PEY3 + c.PEY4 * g) * copysign(1, ay)) * c.LEY
    By = Ky / (Cy * Dy)
    Fy0 = Dy * sin(curve(ay, By, Cy, Ey)) + SVy

    # Combined slip: weighting functions, and the side force that longitudinal slip induces.
    Bxa, Exa = c.RBX1 * cos(atan(c.RBX2 * kappa)) * c.LXAL, c.REX1 + c.REX2 * df
    Fx = Fx0 * cos(curve(a + c.RHX1, Bxa, c.RCX1, Exa)) / cos(curve(c.RHX1, Bxa, c.RCX1, Exa))
    Byk, Eyk = c.RBY1 * cos(atan(c.RBY2 * (a - c.RBY3))) * c.LYKA, c.REY1 + c.REY2 * df
    SHyk = c.RHY1 + c.RHY2 * df
    DVyk = muy * Fz * (c.RVY1 + c.RVY2 * df + c.RVY3 * g) * cos(atan(c.RVY4 * a))
    SVyk = DVyk * sin(c.RVY5 * atan(c.RVY6 * kappa)) * c.LVYKA
    Fy = Fy0 * cos(curve(kappa + SHyk, Byk, c.RCY1, Eyk)) / cos(curve(SHyk, Byk, c.RCY1, Eyk)) + SVyk

    # Aligning moment: trail, residual torque, arm of the longitudinal force.
    at, ar = a + c.QHZ1 + c.QHZ2 * df + (c.QHZ3 + c.QHZ4 * df) * sz, a + SHy + SVy / Ky
    Bt = (c.QBZ1 + c.QBZ2 * df + c.QBZ3 * df * df) * (1 + c.QBZ4 * gz + c.QBZ5 * abs(gz)) * c.LKY / c.LMUY
    Dt = Fz * (c.QDZ1 + c.QDZ2 * df) * (1 + c.QDZ3 * gz + c.QDZ4 * gz * gz) * R0 / Fz0 * c.LTR
    Et = (c.QEZ1 + c.QEZ2 * df + c.QEZ3 * df * df) * (1 + (c.QEZ4 + c.QEZ5 * sz) * 2 / pi * atan(Bt * c.QCZ1 * at))
    Br = c.QBZ9 * c.LKY / c.LMUY + c.QBZ10 * By * Cy
    Dr = Fz * R0 * ((c.QDZ6 + c.QDZ7 * df) * c.LRES + (c.QDZ8 + c.QDZ9 * df) * sz) * c.LMUY * cos(a)
    along = Kx / Ky * kappa
    at_eq = copysign(atan(sqrt(tan(at) ** 2 + along**2)), at)
    ar_eq = copysign(atan(sqrt(tan(ar) ** 2 + along**2)), ar)
    trail = Dt * cos(curve(at_eq, Bt, c.QCZ1, Et)) * cos(alpha) * c.LFZO
    arm = R0 * (c.SSZ1 + c.SSZ2 * Fy / c.FNOMIN + (c.SSZ3 + c.SSZ4 * df) * gz) * c.LS
    Mz = -trail * (Fy - SVyk) + Dr * cos(atan(Br * ar_eq)) + arm * Fx

    Mx = R0 * Fz * (c.QSX1 * c.LVMX - c.QSX2 * gamma + c.QSX3 * Fy / c.FNOMIN) * c.LMX
    v = SPEED / c.LONGVL
    My = -R0 * Fz * (c.QSY1 + c.QSY2 * Fx / c.FNOMIN + c.QSY3 * v + c.QSY4 * v**4) * c.LMY
    return [Fx, Fy, Mx, My, Mz]


def scaled(properties: TyreProperties) -> TyreProperties:
    """With a value of its own for every scale factor, which a factor of one would hide."""
    factors = [name for name in properties.names if name.startswith("L") and len(name) <= 5 and name != "LMUV"]
    return properties.with_values(**{name: 0.85 + 0.01 * i for i, name in enumerate(factors)})


def largest_error(properties: TyreProperties) -> dict[str, float]:
    """Largest difference of each output over its peak, at the nominal pressure."""
    c = SimpleNamespace(**properties.coefficients)
    points = np.array(POINTS)
    Fz = points[:, 0] * c.FNOMIN
    kappa, alpha, gamma = points[:, 1:].T
    forces = Tyre(properties).evaluate(Fz, kappa, alpha, gamma, SPEED, c.NOMPRES, limits=False)
    expected = np.array([published(c, *row) for row in zip(Fz, kappa, alpha, gamma, strict=True)])
    names = ("Fx", "Fy", "Mx", "My", "Mz")
    return {
        name: float(np.abs(getattr(forces, name) - expected[:, i]).max() / np.abs(expected[:, i]).max())
        for i, name in enumerate(names)
    }


def test_points_are_of_144_kinds_without_zeros() -> None:
    assert len(set(POINTS)) == 144
    assert all(all(point) for point in POINTS)


@pytest.mark.parametrize("change", ["as it is", "scaled"])
def test_bundled_tyre(change: str) -> None:
    properties = read_tir(SAMPLES["lcv_mf52"])
    assert properties.version is Version.MF52
    errors = largest_error(scaled(properties) if change == "scaled" else properties)
    assert max(errors.values()) <= TOLERANCE, errors


@pytest.mark.parametrize("change", ["as it is", "scaled"])
def test_real_tyre(shared_data: Path, change: str) -> None:
    properties = read_tir(shared_data / REAL_TYRE)
    assert properties.version is Version.MF52
    errors = largest_error(scaled(properties) if change == "scaled" else properties)
    assert max(errors.values()) <= TOLERANCE, errors
