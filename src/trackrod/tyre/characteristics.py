"""What an engineer reads off a tyre: figures of merit and characteristic curves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trackrod.core.figure import Figure, Line, Panel, Stroke
from trackrod.core.quantities import KINDS, Kind
from trackrod.tyre.model import Tyre

__all__ = ["Characteristic", "characteristics", "figure"]

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Characteristic:
    """One figure of merit in SI units; the kind gives the unit."""

    name: str
    kind: Kind
    value: float
    meaning: str


def characteristics(tyre: Tyre) -> tuple[Characteristic, ...]:
    """Figures of merit at nominal load, pressure and reference speed, in the limits of the file."""
    Fz = tyre.nominal_load
    slope = tyre.derivatives(("kappa", "alpha", "gamma", "mu"), Fz)
    slip_angles = np.radians(np.linspace(-25.0, 25.0, 2001))
    slips = np.linspace(-0.5, 0.5, 2001)
    lateral = tyre.evaluate(Fz, alpha=slip_angles)
    longitudinal = tyre.evaluate(Fz, kappa=slips)
    forces = slope.forces
    rho = tyre.deflection(Fz)
    step = 1e-4
    stiffness = (tyre.vertical_force(rho + step) - tyre.vertical_force(rho - step)) / (2 * step)
    cornering = float(slope.of("Fy", "alpha"))
    rows = (
        ("nominal_load", "force", Fz, "nominal load"),
        ("unloaded_radius", "length", float(tyre.free_radius()), "free radius"),
        ("loaded_radius", "length", float(tyre.loaded_radius(Fz)), "radius under nominal load"),
        ("effective_radius", "length", float(tyre.effective_radius(Fz)), "effective rolling radius"),
        ("vertical_stiffness", "stiffness", float(stiffness), "vertical stiffness at nominal load"),
        ("friction_lateral", "number", _peak(lateral.Fy) / Fz, "largest lateral force over load"),
        (
            "friction_longitudinal",
            "number",
            _peak(longitudinal.Fx) / Fz,
            "largest longitudinal force over load",
        ),
        (
            "peak_slip_angle",
            "angle",
            _argument_of_peak(slip_angles, lateral.Fy),
            "slip angle of the largest force",
        ),
        ("peak_slip", "number", _argument_of_peak(slips, longitudinal.Fx), "slip of the largest force"),
        ("cornering_stiffness", "force_per_angle", cornering, "dFy/dα at zero slip"),
        ("slip_stiffness", "force", float(slope.of("Fx", "kappa")), "dFx/dκ at zero slip"),
        ("camber_stiffness", "force_per_angle", float(slope.of("Fy", "gamma")), "dFy/dγ at zero slip"),
        ("pneumatic_trail", "length", -float(slope.of("Mz", "alpha")) / cornering, "−dMz/dFy at zero slip"),
        ("relaxation_lateral", "length", float(forces.sigma_y), "lateral relaxation length"),
        ("relaxation_longitudinal", "length", float(forces.sigma_x), "longitudinal relaxation length"),
        (
            "rolling_resistance",
            "number",
            -float(forces.My) / (Fz * float(tyre.loaded_radius(Fz))),
            "rolling resistance moment over load and radius",
        ),
    )
    return tuple(Characteristic(name, KINDS[kind], value, meaning) for name, kind, value, meaning in rows)


def _peak(force: Array) -> float:
    return float(np.abs(force).max())


def _argument_of_peak(slip: Array, force: Array) -> float:
    return abs(float(slip[np.abs(force).argmax()]))


def figure(tyre: Tyre) -> Figure:
    """Characteristic curves: pure and combined slip, camber, load dependency, radii and vertical stiffness."""
    Fz = tyre.nominal_load
    loads = [factor * Fz for factor in (0.5, 1.0, 1.5, 2.0)]
    deg = np.linspace(-20.0, 20.0, 401)
    alpha = np.radians(deg)
    kappa = np.linspace(-0.4, 0.4, 401)
    sweep = np.linspace(0.02, 2.5, 200) * Fz

    def by_load(x: Array, curve: Callable[[float], Array]) -> tuple[Line, ...]:
        return tuple(Line(x, curve(load), f"{load / 1000:.1f} kN") for load in loads)

    slip_angle, slip, load = "slip angle α [deg]", "longitudinal slip κ [-]", "load Fz [kN]"
    panels = (
        Panel(
            "Lateral force, pure side slip",
            slip_angle,
            "Fy [kN]",
            by_load(deg, lambda load: tyre.evaluate(load, alpha=alpha).Fy / 1000),
        ),
        Panel(
            "Longitudinal force, pure slip",
            slip,
            "Fx [kN]",
            by_load(kappa, lambda load: tyre.evaluate(load, kappa=kappa).Fx / 1000),
        ),
        Panel(
            "Aligning moment, pure side slip",
            slip_angle,
            "Mz [N·m]",
            by_load(deg, lambda load: tyre.evaluate(load, alpha=alpha).Mz),
        ),
        _combined_slip(tyre, Fz),
        Panel(
            f"Inclination at {Fz / 1000:.1f} kN",
            slip_angle,
            "Fy [kN]",
            tuple(
                Line(deg, tyre.evaluate(Fz, alpha=alpha, gamma=np.radians(g)).Fy / 1000, f"γ = {g:+.0f}°")
                for g in (-6.0, 0.0, 6.0)
            ),
        ),
        Panel(
            "Overturning moment, pure side slip",
            slip_angle,
            "Mx [N·m]",
            by_load(deg, lambda load: tyre.evaluate(load, alpha=alpha).Mx),
        ),
        _load_dependency(tyre, sweep, load),
        Panel(
            "Relaxation lengths",
            load,
            "σ [m]",
            (
                Line(sweep / 1000, tyre.evaluate(sweep, limits=False).sigma_y, "lateral"),
                Line(sweep / 1000, tyre.evaluate(sweep, limits=False).sigma_x, "longitudinal", Stroke.DASHED),
            ),
        ),
        _radii(tyre, sweep, load),
    )
    return Figure(f"{tyre.properties.name} ({tyre.properties.version})", panels)


def _combined_slip(tyre: Tyre, Fz: float) -> Panel:
    kappa = np.linspace(-0.9, 0.9, 721)
    lines = []
    for degrees in (-8.0, -4.0, -2.0, 0.0, 2.0, 4.0, 8.0):
        forces = tyre.evaluate(Fz, kappa=kappa, alpha=np.radians(degrees))
        lines.append(Line(forces.Fx / 1000, forces.Fy / 1000, f"α = {degrees:+.0f}°"))
    return Panel(f"Combined slip at {Fz / 1000:.1f} kN", "Fx [kN]", "Fy [kN]", tuple(lines), equal_axes=True)


def _load_dependency(tyre: Tyre, sweep: Array, label: str) -> Panel:
    forces = tyre.evaluate(sweep, limits=False)
    return Panel(
        "Stiffness over load",
        label,
        "dF/dslip [kN]",
        (
            Line(sweep / 1000, -forces.Kya / 1000, "−dFy/dα, per rad"),
            Line(sweep / 1000, forces.Kxk / 1000, "dFx/dκ", Stroke.DASHED),
        ),
    )


def _radii(tyre: Tyre, sweep: Array, label: str) -> Panel:
    omega = tyre.rolling_speed(sweep, 0.0, tyre.reference_speed)
    return Panel(
        f"Radii at {tyre.reference_speed * 3.6:.0f} km/h",
        label,
        "radius [mm]",
        (
            Line(sweep / 1000, 1000 * tyre.effective_radius(sweep, omega), "effective"),
            Line(sweep / 1000, 1000 * tyre.loaded_radius(sweep, omega), "loaded", Stroke.DASHED),
        ),
    )
