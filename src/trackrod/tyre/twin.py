"""The tyre equations in readable form: a NumPy twin of the C++ core, used by tests and by readers.

One function a formula, in the order and with the symbols of the literature:

- (4.E1) … (4.E78): H. B. Pacejka, Tyre and Vehicle Dynamics, 3rd edition, 2012, section 4.3.2;
- (1) … (19), (A48) … (A60): I. J. M. Besselink, A. J. C. Schmeitz, H. B. Pacejka, An improved Magic Formula/Swift
  tyre model that can handle inflation pressure changes, Vehicle System Dynamics 48, 2010; (49) in its draft;
- MF 5.2: the MF-Tyre 5.2 equation manual; 1989: SAE 890087.

Where the sources differ, the variant that reproduces MFeval is taken; see the decision record on Magic Formula
variants. All arguments are arrays that broadcast against each other, SI units, contact frame W of ISO 8855: a
positive slip angle gives a negative Fy. Nothing here is fast; `trackrod.tyre.Tyre` is.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trackrod.tyre.coefficients import Version

__all__ = ["effective_radius", "evaluate", "free_radius", "rolling_speed", "vertical_force"]

Array = NDArray[np.float64]
EPSILON = 1e-6  # keeps divisors off zero, (4.E6a)


def evaluate(
    version: Version,
    coefficients: Mapping[str, float],
    Fz: ArrayLike,
    kappa: ArrayLike,
    alpha: ArrayLike,
    gamma: ArrayLike,
    Vx: ArrayLike,
    p: ArrayLike,
    mu: ArrayLike = 1.0,
    *,
    limits: bool = False,
    mirrored: bool = False,
) -> dict[str, Array]:
    """Forces and moments of the road on the tyre, friction, stiffness and relaxation lengths.

    Parameters
    ----------
    version, coefficients
        The formula and its numbers by name [SI].
    Fz, kappa, alpha, gamma, Vx, p, mu
        Load [N], longitudinal slip, slip angle [rad], inclination angle [rad], forward velocity [m/s], inflation
        pressure [Pa], friction factor of the road.
    limits
        Curvature factors at most 1; below VXLOW all that depends on the direction of travel fades out.
    mirrored
        Mounted on the other side than measured.
    """
    names = ("Fz", "kappa", "alpha", "gamma", "Vx", "p", "mu")
    arrays = np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in (Fz, kappa, alpha, gamma, Vx, p, mu)))
    x = SimpleNamespace(**dict(zip(names, arrays, strict=True)))
    c = SimpleNamespace(**coefficients)

    # A tyre rolling backward is one rolling forward, turned by half a turn about z; a mirrored one swaps y.
    direction = np.where(x.Vx < 0, -1.0, 1.0)
    side = -1.0 if mirrored else 1.0
    loaded = x.Fz > 0
    x.Fz = np.where(loaded, x.Fz, 1.0)  # any load: these rows are zeroed below
    x.alpha_star = np.tan(x.alpha) * direction * side  # (4.E3)
    x.gamma = x.gamma * direction * side
    x.Vx = np.abs(x.Vx)
    formula = _pac89 if version is Version.PAC89 else _magic_formula
    out = formula(version, c, x, limits)
    signs: dict[str, Array | float] = {
        "Fx": direction,
        "Fy": direction * side,
        "Mx": direction * side,
        "My": direction,
        "Mz": side,
    }
    return {name: np.where(loaded, value * signs.get(name, 1.0), 0.0) for name, value in out.items()}


# ---------------------------------------------------------------------------------------------------------------
# MF 5.2, 6.1, 6.2


def _magic_formula(version: Version, c: SimpleNamespace, x: SimpleNamespace, limits: bool) -> dict[str, Array]:
    old = version is Version.MF52
    x.Fz0 = c.LFZO * c.FNOMIN  # (4.E1)
    x.dfz = (x.Fz - x.Fz0) / x.Fz0  # (4.E2a)
    x.dpi = (x.p - c.NOMPRES) / c.NOMPRES  # (4.E2b)
    x.gamma_star = np.sin(c.LGAY * x.gamma)  # (4.E4)
    x.gamma_z = c.LGAZ * x.gamma
    x.gamma_z_star = np.sin(x.gamma_z)
    Vc = x.Vx * np.sqrt(1 + x.alpha_star**2)
    x.cos_alpha_prime = x.Vx / (Vc + EPSILON)  # (4.E6)
    Vs = x.Vx * np.hypot(x.kappa, x.alpha_star)
    x.LMUX_star = c.LMUX * x.mu / (1 + c.LMUV * Vs / c.LONGVL)  # (4.E7)
    x.LMUY_star = c.LMUY * x.mu / (1 + c.LMUV * Vs / c.LONGVL)
    x.fade = _low_speed_fade(x.Vx, c.VXLOW, limits)

    Fx0, mux, Kxk = _Fx0(c, x, limits)
    Fy0, muy, Kya, SHy, SVy, By, Cy = _Fy0(c, x, x.gamma_star, old, limits)
    Fy0_flat, *_ = _Fy0(c, x, np.zeros_like(x.gamma), old, limits)
    Fx = _Gxa(c, x, limits) * Fx0  # (4.E50)
    Gyk = _Gyk(c, x, limits)
    Fy = Gyk * Fy0 + _SVyk(c, x, muy)  # (4.E58)
    Fy_trail = Gyk * (Fy0 if old else Fy0_flat)  # (4.E74); MF 5.2: Fy less what kappa induces, Fy - SVyk
    Mx = _Mx(c, x, Fy)
    My = _My(c, x, Fx, old)
    Mz = _Mz(c, x, Fx, Fy, Fy_trail, Kxk, Kya, SHy, SVy, By * Cy, limits)
    sigma_x, sigma_y = _relaxation(c, x, Kxk, Kya, old)
    return {
        **{"Fx": Fx, "Fy": Fy, "Mx": Mx, "My": My, "Mz": Mz},
        **{"mux": mux, "muy": muy, "Kxk": Kxk, "Kya": Kya, "sigma_x": sigma_x, "sigma_y": sigma_y},
    }


def _Fx0(c: SimpleNamespace, x: SimpleNamespace, limits: bool) -> tuple[Array, Array, Array]:
    gamma_x = c.LGAX * x.gamma
    Cx = c.PCX1 * c.LCX  # (4.E11)
    mux = (
        (c.PDX1 + c.PDX2 * x.dfz) * (1 + c.PPX3 * x.dpi + c.PPX4 * x.dpi**2) * (1 - c.PDX3 * gamma_x**2) * x.LMUX_star
    )  # (4.E13)
    Dx = mux * x.Fz  # (4.E12)
    Kxk = (
        x.Fz * (c.PKX1 + c.PKX2 * x.dfz) * np.exp(c.PKX3 * x.dfz) * (1 + c.PPX1 * x.dpi + c.PPX2 * x.dpi**2) * c.LKX
    )  # (4.E15)
    Bx = Kxk / _off_zero(Cx * Dx)  # (4.E16)
    SHx = (c.PHX1 + c.PHX2 * x.dfz) * c.LHX * x.fade  # (4.E17)
    SVx = x.Fz * (c.PVX1 + c.PVX2 * x.dfz) * c.LVX * x.LMUX_star * x.fade  # (4.E18)
    kappa_x = x.kappa + SHx  # (4.E10)
    Ex = (c.PEX1 + c.PEX2 * x.dfz + c.PEX3 * x.dfz**2) * (1 - c.PEX4 * x.fade * _sign(kappa_x)) * c.LEX  # (4.E14)
    Fx0 = Dx * np.sin(_magic_angle(Bx, Cx, _curvature(Ex, limits), kappa_x)) + SVx  # (4.E9)
    return Fx0, mux, Kxk


def _Fy0(
    c: SimpleNamespace, x: SimpleNamespace, gamma_star: Array, old: bool, limits: bool
) -> tuple[Array, Array, Array, Array, Array, Array, Array]:
    Kya = (
        c.PKY1
        * x.Fz0
        * (1 + c.PPY1 * x.dpi)
        * (1 - c.PKY3 * np.abs(gamma_star))
        * np.sin(c.PKY4 * np.arctan(x.Fz / x.Fz0 / ((c.PKY2 + c.PKY5 * gamma_star**2) * (1 + c.PPY2 * x.dpi))))
        * c.LKY
    )  # (4.E25)
    SVyg = x.Fz * (c.PVY3 + c.PVY4 * x.dfz) * gamma_star * c.LKYC * x.LMUY_star  # (4.E28)
    Kyg0 = x.Fz * (c.PKY6 + c.PKY7 * x.dfz) * (1 + c.PPY5 * x.dpi) * c.LKYC  # (4.E30)
    camber = c.PHY3 * gamma_star if old else (Kyg0 * gamma_star - SVyg) / _off_zero(Kya)
    SHy = ((c.PHY1 + c.PHY2 * x.dfz) * c.LHY + camber) * x.fade  # (4.E27) or MF 5.2
    SVy = (x.Fz * (c.PVY1 + c.PVY2 * x.dfz) * c.LVY * x.LMUY_star + SVyg) * x.fade  # (4.E29)
    alpha_y = x.alpha_star + SHy  # (4.E20)
    Cy = c.PCY1 * c.LCY  # (4.E21)
    muy = (
        (c.PDY1 + c.PDY2 * x.dfz)
        * (1 + c.PPY3 * x.dpi + c.PPY4 * x.dpi**2)
        * (1 - c.PDY3 * gamma_star**2)
        * x.LMUY_star
    )  # (4.E23)
    Dy = muy * x.Fz  # (4.E22)
    Ey = (
        (c.PEY1 + c.PEY2 * x.dfz)
        * (1 + c.PEY5 * gamma_star**2 - (c.PEY3 * x.fade + c.PEY4 * gamma_star) * _sign(alpha_y))
        * c.LEY
    )  # (4.E24)
    By = Kya / _off_zero(Cy * Dy)  # (4.E26)
    Fy0 = Dy * np.sin(_magic_angle(By, Cy, _curvature(Ey, limits), alpha_y)) + SVy  # (4.E19)
    return Fy0, muy, Kya, SHy, SVy, By, Cy


def _Gxa(c: SimpleNamespace, x: SimpleNamespace, limits: bool) -> Array:
    Exa = _curvature(c.REX1 + c.REX2 * x.dfz, limits)  # (4.E56)
    Bxa = (c.RBX1 + c.RBX3 * x.gamma_star**2) * np.cos(np.arctan(c.RBX2 * x.kappa)) * c.LXAL  # (4.E54)
    SHxa = c.RHX1 * x.fade  # (4.E57)
    Gxa0 = np.cos(_magic_angle(Bxa, c.RCX1, Exa, SHxa))  # (4.E52)
    return np.asarray(np.cos(_magic_angle(Bxa, c.RCX1, Exa, x.alpha_star + SHxa)) / Gxa0)  # (4.E51)


def _Gyk(c: SimpleNamespace, x: SimpleNamespace, limits: bool) -> Array:
    SHyk = (c.RHY1 + c.RHY2 * x.dfz) * x.fade  # (4.E65)
    Eyk = _curvature(c.REY1 + c.REY2 * x.dfz, limits)  # (4.E64)
    Byk = (
        (c.RBY1 + c.RBY4 * x.gamma_star**2) * np.cos(np.arctan(c.RBY2 * (x.alpha_star - c.RBY3 * x.fade))) * c.LYKA
    )  # (4.E62)
    Gyk0 = np.cos(_magic_angle(Byk, c.RCY1, Eyk, SHyk))  # (4.E60)
    return np.asarray(np.cos(_magic_angle(Byk, c.RCY1, Eyk, x.kappa + SHyk)) / Gyk0)  # (4.E59)


def _SVyk(c: SimpleNamespace, x: SimpleNamespace, muy: Array) -> Array:
    DVyk = (
        muy * x.Fz * (c.RVY1 + c.RVY2 * x.dfz + c.RVY3 * x.gamma_star) * np.cos(np.arctan(c.RVY4 * x.alpha_star))
    )  # (4.E67)
    return np.asarray(DVyk * np.sin(c.RVY5 * np.arctan(c.RVY6 * x.kappa)) * c.LVYKA * x.fade)  # (4.E66)


def _Mx(c: SimpleNamespace, x: SimpleNamespace, Fy: Array) -> Array:
    R0, Fz0, gamma = c.UNLOADED_RADIUS, c.FNOMIN, x.gamma
    Fz = np.where(x.Fz < c.FZMIN, x.Fz * (x.Fz / max(c.FZMIN, EPSILON)) ** 2, x.Fz)
    return np.asarray(
        R0
        * Fz
        * c.LMX
        * (
            c.QSX1 * c.LVMX * x.fade
            - c.QSX2 * gamma * (1 + c.PPMX1 * x.dpi)
            - c.QSX12 * gamma * np.abs(gamma)
            + c.QSX3 * Fy / Fz0
            + c.QSX4
            * np.cos(c.QSX5 * np.arctan((c.QSX6 * Fz / Fz0) ** 2))
            * np.sin(c.QSX7 * gamma + c.QSX8 * np.arctan(c.QSX9 * Fy / Fz0))
            + c.QSX10 * np.arctan(c.QSX11 * Fz / Fz0) * gamma
        )
        + R0 * Fy * c.LMX * (c.QSX13 + c.QSX14 * np.abs(gamma))
    )  # (49)


def _My(c: SimpleNamespace, x: SimpleNamespace, Fx: Array, old: bool) -> Array:
    R0, Fz0, V0 = c.UNLOADED_RADIUS, c.FNOMIN, c.LONGVL
    Fz = np.where(x.Fz < c.FZMIN, x.Fz * x.Fz / max(c.FZMIN, EPSILON), x.Fz)
    rolling = c.QSY1 + c.QSY2 * Fx / Fz0 + c.QSY3 * np.abs(x.Vx / V0) + c.QSY4 * (x.Vx / V0) ** 4
    if old:
        My = R0 * Fz * c.LMY * rolling  # MF 5.2
    else:
        camber = (c.QSY5 + c.QSY6 * Fz / Fz0) * x.gamma**2
        My = R0 * Fz0 * c.LMY * (rolling + camber) * (Fz / Fz0) ** c.QSY7 * (x.p / c.NOMPRES) ** c.QSY8  # (A48)
    return np.asarray(-My * _turning(x.Vx * (1 + x.kappa) / c.VXLOW))


def _Mz(
    c: SimpleNamespace,
    x: SimpleNamespace,
    Fx: Array,
    Fy: Array,
    Fy_trail: Array,
    Kxk: Array,
    Kya: Array,
    SHy: Array,
    SVy: Array,
    BC: Array,
    limits: bool,
) -> Array:
    R0, dfz, dpi, gamma, gamma_star = c.UNLOADED_RADIUS, x.dfz, x.dpi, x.gamma_z, x.gamma_z_star
    SHt = c.QHZ1 + c.QHZ2 * dfz + (c.QHZ3 + c.QHZ4 * dfz) * gamma_star  # (4.E35)
    SHf = SHy + SVy / _off_zero(Kya)  # (4.E38), (4.E39)
    alpha_r = x.alpha_star + SHf  # (4.E37)
    alpha_t = x.alpha_star + SHt  # (4.E34)
    Dt = (
        (c.QDZ1 + c.QDZ2 * dfz)
        * (1 - c.PPZ1 * dpi)
        * (1 + c.QDZ3 * gamma + c.QDZ4 * gamma**2)
        * x.Fz
        * (R0 / x.Fz0)
        * c.LTR
    )  # (A60)
    Bt = (
        (c.QBZ1 + c.QBZ2 * dfz + c.QBZ3 * dfz**2) * (1 + c.QBZ4 * gamma + c.QBZ5 * np.abs(gamma)) * c.LKY / x.LMUY_star
    )  # (A58)
    Ct = c.QCZ1  # (4.E41)
    Et = (c.QEZ1 + c.QEZ2 * dfz + c.QEZ3 * dfz**2) * (
        1 + (c.QEZ4 + c.QEZ5 * gamma_star) * (2 / np.pi) * np.arctan(Bt * Ct * alpha_t)
    )  # (4.E44)
    Dr = (
        x.Fz
        * R0
        * (
            (c.QDZ6 + c.QDZ7 * dfz) * c.LRES
            + ((c.QDZ8 + c.QDZ9 * dfz) * (1 + c.PPZ2 * dpi) + (c.QDZ10 + c.QDZ11 * dfz) * np.abs(gamma_star))
            * gamma_star
            * c.LKZC
        )
        * x.LMUY_star
        * np.cos(x.alpha_star)
    )  # (4.E47)
    Br = c.QBZ9 * c.LKY / x.LMUY_star + c.QBZ10 * BC  # (4.E45)
    ratio = Kxk / _off_zero(Kya) * x.kappa
    alpha_r_eq = _equivalent_slip(alpha_r, ratio)  # (A54)
    alpha_t_eq = _equivalent_slip(alpha_t, ratio)  # (A55)
    Mzr = Dr * np.cos(np.arctan(Br * alpha_r_eq)) * x.fade  # (4.E75)
    t = (
        Dt * np.cos(_magic_angle(Bt, Ct, _curvature(Et, limits), alpha_t_eq)) * x.cos_alpha_prime * c.LFZO * x.fade
    )  # (4.E73)
    s = R0 * (c.SSZ1 * x.fade + c.SSZ2 * Fy / c.FNOMIN + (c.SSZ3 + c.SSZ4 * dfz) * gamma) * c.LS  # (A56)
    return np.asarray(-t * Fy_trail + Mzr + s * Fx)  # (4.E71)


def _equivalent_slip(a: Array, s: Array) -> Array:
    """(A54), (A55), continued by `a` itself beyond ±π/2, where the tangent would fold back."""
    inside = np.abs(a) < np.pi / 2
    folded = np.arctan(np.sqrt(np.tan(np.where(inside, a, 0.0)) ** 2 + s**2)) * _sign(a)
    return np.where(inside & (s != 0), folded, a)


def _relaxation(c: SimpleNamespace, x: SimpleNamespace, Kxk: Array, Kya: Array, old: bool) -> tuple[Array, Array]:
    R0, Fz0 = c.UNLOADED_RADIUS, c.FNOMIN
    Cx = c.LONGITUDINAL_STIFFNESS * (1 + c.PCFX1 * x.dfz + c.PCFX2 * x.dfz**2) * (1 + c.PCFX3 * x.dpi)  # (17)
    Cy = c.LATERAL_STIFFNESS * (1 + c.PCFY1 * x.dfz + c.PCFY2 * x.dfz**2) * (1 + c.PCFY3 * x.dpi)  # (18)
    sigma_x = np.abs(Kxk / Cx) * c.LSGKP  # (19)
    sigma_y = np.abs(Kya / Cy) * c.LSGAL  # (19)
    if old and c.PTX1 != 0:
        sigma_x = (c.PTX1 + c.PTX2 * x.dfz) * np.exp(-c.PTX3 * x.dfz) * c.LSGKP * R0 * x.Fz / Fz0
    if old and c.PTY1 != 0:
        shape = np.sin(2 * np.arctan(x.Fz / (c.PTY2 * x.Fz0)))
        sigma_y = c.PTY1 * shape * (1 - c.PKY3 * np.abs(x.gamma)) * R0 * c.LFZO * c.LSGAL
    return sigma_x, sigma_y


# ---------------------------------------------------------------------------------------------------------------
# 1989


def _pac89(_version: Version, c: SimpleNamespace, x: SimpleNamespace, limits: bool) -> dict[str, Array]:
    Fz = x.Fz / 1000  # kN
    kappa = x.kappa * 100  # percent
    alpha = np.degrees(np.arctan(x.alpha_star))
    gamma = np.degrees(x.gamma)
    fade = _low_speed_fade(x.Vx, 1.0, limits)

    # Pure slip in the axes of the publication: y right, z down.
    Dx = (c.b1 * Fz**2 + c.b2 * Fz) * x.mu
    BCDx = (c.b3 * Fz**2 + c.b4 * Fz) * np.exp(-c.b5 * Fz)
    Ex = _curvature(c.b6 * Fz**2 + c.b7 * Fz + c.b8, limits)
    kappa_x = kappa + (c.b9 * Fz + c.b10) * fade
    Fx0 = Dx * np.sin(_magic_angle(BCDx / _off_zero(c.b0 * Dx), c.b0, Ex, kappa_x))

    Dy = (c.a1 * Fz**2 + c.a2 * Fz) * x.mu
    BCDy = c.a3 * np.sin(2 * np.arctan(Fz / c.a4)) * (1 - c.a5 * np.abs(gamma))
    Ey = _curvature(c.a6 * Fz + c.a7, limits)
    alpha_y = alpha + (c.a8 * gamma + c.a9 * Fz + c.a10) * fade
    SVy = (c.a11 * Fz * gamma + c.a12 * Fz + c.a13) * x.mu * fade
    Fy0 = Dy * np.sin(_magic_angle(BCDy / _off_zero(c.a0 * Dy), c.a0, Ey, alpha_y))

    Dz = (c.c1 * Fz**2 + c.c2 * Fz) * x.mu
    BCDz = (c.c3 * Fz**2 + c.c4 * Fz) * (1 - c.c6 * np.abs(gamma)) * np.exp(-c.c5 * Fz)
    Ez = _curvature((c.c7 * Fz**2 + c.c8 * Fz + c.c9) * (1 - c.c10 * np.abs(gamma)), limits)
    alpha_z = alpha + (c.c11 * gamma + c.c12 * Fz + c.c13) * fade
    SVz = ((c.c14 * Fz**2 + c.c15 * Fz) * gamma + c.c16 * Fz + c.c17) * x.mu
    Mz0 = Dz * np.sin(_magic_angle(BCDz / _off_zero(c.c0 * Dz), c.c0, Ez, alpha_z)) + SVz

    # Friction ellipse: mu_x = 1/sqrt((1/mu_x_act)² + (tan(beta)/mu_y_max)²), mu_y alike, tan(beta) = s/k.
    k, s = kappa_x / 100, np.sin(np.radians(alpha_y))
    Kxk, Kya = BCDx * 100, -np.degrees(BCDy)
    rise_x = np.abs(np.divide(Fx0, k, out=np.array(Kxk), where=k != 0))
    rise_y = np.abs(np.divide(Fy0, s, out=np.array(-Kya), where=s != 0))
    Gx = 1 / np.sqrt(1 + (rise_x * s / Dy) ** 2)
    Gy = 1 / np.sqrt(1 + (rise_y * k / Dx) ** 2)
    Fx = Gx * Fx0
    Fy = -(Gy * Fy0 + SVy)
    Mz = -Gy * Mz0 * fade
    sigma_x = np.where(c.RELAX_LENGTH_X > 0, c.RELAX_LENGTH_X, np.abs(Kxk) / (2 * c.LATERAL_STIFFNESS))
    sigma_y = np.where(c.RELAX_LENGTH_Y > 0, c.RELAX_LENGTH_Y, np.abs(Kya) / c.LATERAL_STIFFNESS)
    return {
        **{"Fx": Fx, "Fy": Fy, "Mx": x.Fz * Fy / c.LATERAL_STIFFNESS, "Mz": Mz},
        "My": -c.ROLLING_RESISTANCE * x.Fz * c.UNLOADED_RADIUS * _turning(x.Vx * (1 + x.kappa)),
        **{
            "mux": Dx / x.Fz,
            "muy": Dy / x.Fz,
            "Kxk": Kxk,
            "Kya": Kya,
            "sigma_x": sigma_x,
            "sigma_y": sigma_y,
        },
    }


# ---------------------------------------------------------------------------------------------------------------
# Radii and vertical force


def free_radius(c: Mapping[str, float], omega: ArrayLike) -> Array:
    """Radius [m] of the unloaded tyre at spin speed `omega` [rad/s], (1)."""
    return np.asarray(
        c["UNLOADED_RADIUS"] * (c["Q_RE0"] + c["Q_V1"] * (np.asarray(omega) * c["UNLOADED_RADIUS"] / c["LONGVL"]) ** 2)
    )


def effective_radius(c: Mapping[str, float], Fz: ArrayLike, omega: ArrayLike, p: ArrayLike) -> Array:
    """Effective rolling radius [m], (5) and (7)."""
    Cz = c["VERTICAL_STIFFNESS"] * c["LCZ"] * (1 + c["PFZ1"] * (np.asarray(p) - c["NOMPRES"]) / c["NOMPRES"])
    load = np.asarray(Fz) / c["FNOMIN"]
    return np.asarray(
        free_radius(c, omega) - c["FNOMIN"] / Cz * (c["DREFF"] * np.arctan(c["BREFF"] * load) + c["FREFF"] * load)
    )


def rolling_speed(c: Mapping[str, float], Fz: ArrayLike, kappa: ArrayLike, Vx: ArrayLike, p: ArrayLike) -> Array:
    """Spin speed omega [rad/s] that gives slip `kappa` at forward velocity `Vx` [m/s]: Vx (1 + kappa) / Re."""
    travel = np.asarray(Vx) * (1 + np.asarray(kappa))
    omega = travel / c["UNLOADED_RADIUS"]
    for _ in range(50):
        omega = travel / effective_radius(c, Fz, omega, p)
    return np.asarray(omega)


def vertical_force(
    version: Version,
    c: Mapping[str, float],
    rho: ArrayLike,
    omega: ArrayLike,
    Fx: ArrayLike,
    Fy: ArrayLike,
    gamma: ArrayLike,
    p: ArrayLike,
) -> Array:
    """Static load [N] of the carcass at deflection `rho` [m] of MF 5.2, 6.1, 6.2, without rim contact and damping.

    (3) and (4) of the paper; the camber terms of 6.2 from its equation manual of 2013.
    """
    arrays = np.broadcast_arrays(*(np.asarray(x, float) for x in (rho, omega, Fx, Fy, gamma, p)))
    d, omega, Fx, Fy, gamma, p = arrays
    R0, Fz0 = c["UNLOADED_RADIUS"], c["FNOMIN"]
    R_omega = free_radius(c, omega)
    side_force = c["Q_FCY"] * Fy / Fz0
    if version is Version.MF62:
        Rl = R_omega - d
        Sfyg = (c["Q_FYS1"] + c["Q_FYS2"] * Rl / R_omega + c["Q_FYS3"] * (Rl / R_omega) ** 2) * gamma
        reference_width = (1.075 - 0.5 * c["ASPECT_RATIO"]) * c["WIDTH"]
        above = c["Q_CAM1"] * Rl + c["Q_CAM2"] * Rl**2
        below = c["Q_CAM1"] * R_omega + c["Q_CAM2"] * R_omega**2
        ratio = np.divide(above, below, out=np.zeros_like(above), where=below != 0)
        d = d + ratio**2 * reference_width / 8 * np.abs(np.tan(gamma)) - c["Q_CAM3"] * d * np.abs(gamma)
        exponent = (np.maximum(d, EPSILON) / R0) ** c["Q_FCY2"]
        side_force = exponent * c["Q_FCY"] * (Fy - Sfyg) / Fz0
    z = np.maximum(d, 0.0) / R0
    stiffness = c["VERTICAL_STIFFNESS"] * c["LCZ"] * R0 / Fz0
    Q_FZ1 = np.sqrt(stiffness**2 - 4 * c["Q_FZ2"])  # (4)
    effects = 1 + c["Q_V2"] * R0 / c["LONGVL"] * np.abs(omega) - (c["Q_FCX"] * Fx / Fz0) ** 2 - side_force**2
    pressure = 1 + c["PFZ1"] * (p - c["NOMPRES"]) / c["NOMPRES"]
    return np.asarray(effects * pressure * (Q_FZ1 * z + c["Q_FZ2"] * z**2) * Fz0)  # (3)


# ---------------------------------------------------------------------------------------------------------------
# Pieces


def _magic_angle(B: ArrayLike, C: ArrayLike, E: ArrayLike, x: ArrayLike) -> Array:
    Bx = np.asarray(B) * np.asarray(x)
    return np.asarray(C * np.arctan(Bx - E * (Bx - np.arctan(Bx))))


def _curvature(E: Array, limits: bool) -> Array:
    return np.minimum(E, 1.0) if limits else E


def _low_speed_fade(Vx: Array, VXLOW: float, limits: bool) -> Array:
    slow = limits & (Vx < VXLOW)
    return np.where(slow, 0.5 - 0.5 * np.cos(np.pi * Vx / VXLOW), 1.0)


def _turning(rolling: Array) -> Array:
    """Sign of the wheel's rotation, passing smoothly through zero while it is slow."""
    return np.sin(np.pi / 2 * np.clip(rolling, -1.0, 1.0))


def _sign(x: Array) -> Array:
    return np.where(x < 0, -1.0, 1.0)


def _off_zero(x: Array) -> Array:
    return x + EPSILON * _sign(x)
