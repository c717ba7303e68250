"""A tyre of the readable twin: transient slip, vertical force, formula."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

from trackrod.core.constants import constant
from trackrod.core.errors import InputError
from trackrod.tyre import twin as formula
from trackrod.tyre.coefficients import Version
from trackrod.tyre.model import Tyre
from trackrod.tyre.properties import Tyreside

__all__ = ["TwinTyre"]

#: Transient slip: shortest relaxation length [m], largest slip.
_SHORTEST_RELAXATION, _LARGEST_SLIP = constant("shortest_relaxation"), constant("largest_transient_slip")
#: Near rest: largest slip stored while sliding, over mu Fz / K; part of it over which the limit sets in; speed at
#: which it has grown by 1 [m/s]; damping of the carcass over the critical one.
_SHARE, _ROUNDING = constant("standing_share"), constant("standing_rounding")
_SPEED, _DAMPING = constant("standing_speed"), constant("standing_damping")


class TwinTyre:
    """One tyre: transient slip, vertical force, formula."""

    def __init__(self, tyre: Tyre, wheel: int, offset: float) -> None:
        properties = tyre.properties
        if properties.version is Version.PAC89 or properties.deflection_load or properties.bottoming:
            raise InputError(f"the twin knows Magic Formula tyres without curves only, not '{properties.name}'")
        if properties.tyreside is Tyreside.SYMMETRIC:
            properties = properties.symmetric()
        self.version = properties.version
        names = (item.name for item in properties.declarations)
        self.c = dict(zip(names, properties.values().tolist(), strict=True))
        self.mirrored, self.pressure = tyre.mirrored, tyre.pressure
        self.wheel, self.offset = wheel, offset
        self.reset()

    def reset(self) -> None:
        """Unloaded, without slip."""
        self.sx = self.sy = 0.0
        self.speeds = (0.0, 0.0, 0.0)  # Vx, Vsx, Vsy of the step
        self.last = {"sigma_x": 0.3, "sigma_y": 0.3, "Kxk": 0.0, "Kya": 0.0, "Fx": 0.0, "Fy": 0.0}
        self.row = np.zeros(10)  # Fx, Fy, Fz, Mx, My, Mz, kappa, alpha, gamma, deflection

    def load(self, rho: float, rate: float, omega: float, gamma: float) -> float:
        """Vertical force [N] at a deflection [m] and its rate [m/s]."""
        c = self.c
        last = self.last
        force = formula.vertical_force(self.version, c, rho, omega, last["Fx"], last["Fy"], gamma, self.pressure)
        depth = c["RIM_RADIUS"] + c["BOTTOM_OFFST"] - (float(formula.free_radius(c, omega)) - rho)
        rim = c["BOTTOM_STIFF"] * depth if c["RIM_RADIUS"] > 0 and depth > 0 else 0.0
        return float(max(force + rim + c["VERTICAL_DAMPING"] * rate, 0.0))

    def radius(self, omega: float) -> float:
        """From the centre to the road [m] if it turns with another spin [rad/s] under the load that it carries."""
        free, (Fz, gamma) = float(formula.free_radius(self.c, omega)), self.row[[2, 8]]
        if not Fz > 0:
            return free
        return free - brentq(lambda rho: self.load(rho, 0.0, omega, gamma) - Fz, -0.1 * free, free, xtol=1e-15)

    def slip(self, Vx: float, Vsx: float, Vsy: float, Fz: float, h: float) -> tuple[float, float]:
        """Lagged slips after a step of σ ds/dt + |Vx| s = −V_s (Pacejka 2012, 7.2.1), damped at standstill (8.128)."""
        last = self.last
        self.speeds = (Vx, Vsx, Vsy)
        self.sx = _relaxed(self.sx, Vsx, Vx, last["sigma_x"], h)
        self.sy = _relaxed(self.sy, -Vsy, Vx, last["sigma_y"], h)
        low = self.c["VXLOW"]
        return (
            _damped(self.sx, Vsx, Vx, Fz, last["Kxk"], last["sigma_x"], low),
            _damped(self.sy, -Vsy, Vx, Fz, last["Kya"], last["sigma_y"], low),
        )

    def evaluate(self, Fz: float, kappa: float, alpha: float, gamma: float, Vx: float) -> dict[str, float]:
        """Forces, moments and stiffnesses of the formula, and what the next step needs of them."""
        out = formula.evaluate(
            self.version,
            self.c,
            Fz,
            kappa,
            alpha,
            gamma,
            Vx,
            self.pressure,
            limits=True,
            mirrored=self.mirrored,
        )
        found = {name: float(value) for name, value in out.items()}
        self.last = {name: found[name] for name in self.last}
        # a tyre that slides stores the deflection of its force, not that of its slip
        friction = (found["mux"] * Fz, found["muy"] * Fz)
        self._lose_slip(found["Kxk"] / friction[0], found["Kya"] / friction[1])
        self.last["sigma_x"] *= _deflection_share(friction[0], found["Kxk"], self.sx)
        self.last["sigma_y"] *= _deflection_share(friction[1], found["Kya"], self.sy)
        return found

    def _lose_slip(self, x: float, y: float) -> None:
        """Slip beyond the deflection of the friction force is lost near standstill; x, y: K over mu Fz."""
        Vx, Vsx, Vsy = self.speeds
        size = float(np.hypot(x * self.sx, y * self.sy))
        # what slides on bends the tread further, what rolls brings in tread that is not bent
        sliding = abs(y * self.sy) * Vsy * np.sign(self.sy) - abs(x * self.sx) * Vsx * np.sign(self.sx)
        free = (Vx - Vsx) ** 2 + (max(float(sliding), 0.0) / size if size > 0 else 0.0) ** 2
        length = size / (_SHARE + free / _SPEED**2)
        if np.linalg.norm(self.speeds) >= self.c["VXLOW"] or length <= 1.0 - _ROUNDING:
            return
        kept = length - (length - 1.0 + _ROUNDING) ** 2 / (4.0 * _ROUNDING) if length < 1.0 + _ROUNDING else 1.0
        self.sx, self.sy = self.sx * kept / length, self.sy * kept / length


def _deflection_share(peak: float, K: float, s: float) -> float:
    """Share of the relaxation length that is left at a large slip (secant stiffness, Pacejka 2012, section 7.2.3)."""
    linear, limit = abs(K * s), abs(peak)
    return limit / linear if linear > limit else 1.0


def _relaxed(s: float, V: float, Vx: float, sigma: float, h: float) -> float:
    length = max(sigma, _SHORTEST_RELAXATION)
    return float(np.clip((s - V * h / length) / (1 + abs(Vx) * h / length), -_LARGEST_SLIP, _LARGEST_SLIP))


def _damped(s: float, V: float, Vx: float, Fz: float, K: float, sigma: float, low: float) -> float:
    if abs(Vx) >= low or K == 0:
        return s
    carcass = abs(K) / max(sigma, _SHORTEST_RELAXATION)
    fade = 0.5 + 0.5 * np.cos(np.pi * abs(Vx) / low)
    return float(s - 2.0 * _DAMPING * np.sqrt(carcass * Fz / 9.81) * fade * V / abs(K))
