"""Physical quantities, each declared once: its SI unit, its dimension and its admissible range.

Everything that carries a number (file readers, parameters, signals, documentation, plots, exported models) names
a `Kind` from here; the unit is never written a second time. Standard library only: the build imports this module
to generate the C++ parameter structures.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["KINDS", "STANDARD_GRAVITY", "Dimension", "Kind", "kind"]

#: What 1 g is [m/s²], by definition.
STANDARD_GRAVITY = 9.80665


@dataclass(frozen=True, slots=True)
class Dimension:
    """Exponents over the five base units that Adams property files declare.

    Force is a base unit of its own there (a file may mix mm, newton and kg), so it is one here, although it is
    mass × length / time² in SI.
    """

    length: float = 0.0
    force: float = 0.0
    angle: float = 0.0
    mass: float = 0.0
    time: float = 0.0


@dataclass(frozen=True, slots=True)
class Kind:
    """One physical quantity.

    Attributes
    ----------
    name
        Identifier, as used in declarations and file columns' documentation.
    unit
        SI unit symbol; angles in rad, empty for pure numbers.
    suffix
        Unit as it is written at the end of column names (``Fz_N``, ``ax_mps2``); empty for pure numbers.
    dimension
        Exponents for the conversion from a file's own units.
    meaning
        What it is, in a few words.
    low, high
        Admissible range in SI units, beyond which a value is an input mistake for any road vehicle.
    """

    name: str
    unit: str
    suffix: str
    dimension: Dimension
    meaning: str
    low: float = -math.inf
    high: float = math.inf

    def admits(self, value: float) -> bool:
        """Whether a value in SI units is finite and inside the admissible range."""
        return math.isfinite(value) and self.low <= value <= self.high

    @property
    def label(self) -> str:
        """Unit in brackets for axes and tables, empty for pure numbers."""
        return f"[{self.unit}]" if self.unit else "[-]"


def _kinds(*kinds: Kind) -> dict[str, Kind]:
    return {kind.name: kind for kind in kinds}


D = Dimension
# The ranges catch wrong units and typing mistakes; 1e30 is how some files write a rigid connection.
KINDS: dict[str, Kind] = _kinds(
    Kind("number", "", "", D(), "pure number"),
    Kind("count", "", "", D(), "whole number", 0.0, 1e9),
    Kind("time", "s", "s", D(time=1), "time", -1e6, 1e6),
    Kind("frequency", "Hz", "Hz", D(time=-1), "frequency", 0.0, 1e6),
    Kind("length", "m", "m", D(length=1), "length, position or displacement", -1e6, 1e6),
    Kind("area", "m²", "m2", D(length=2), "area", 0.0, 1e4),
    Kind("volume", "m³", "m3", D(length=3), "volume", 0.0, 1e4),
    Kind("second_moment_of_area", "m⁴", "m4", D(length=4), "second moment of area, torsion constant", 0.0, 1.0),
    Kind("angle", "rad", "rad", D(angle=1), "angle", -1e4, 1e4),
    Kind("curvature", "1/m", "1pm", D(length=-1), "curvature, turn slip", -1e3, 1e3),
    Kind("velocity", "m/s", "mps", D(length=1, time=-1), "velocity", -1e3, 1e3),
    Kind("acceleration", "m/s²", "mps2", D(length=1, time=-2), "acceleration", -1e5, 1e5),
    Kind("angular_velocity", "rad/s", "radps", D(angle=1, time=-1), "angular velocity", -1e5, 1e5),
    Kind("angular_acceleration", "rad/s²", "radps2", D(angle=1, time=-2), "angular acceleration", -1e8, 1e8),
    Kind("mass", "kg", "kg", D(mass=1), "mass", 0.0, 1e6),
    Kind("inertia", "kg·m²", "kgm2", D(mass=1, length=2), "moment of inertia", -1e8, 1e8),
    Kind("force", "N", "N", D(force=1), "force", -1e9, 1e9),
    Kind("torque", "N·m", "Nm", D(force=1, length=1), "torque or moment", -1e9, 1e9),
    Kind("power", "W", "W", D(force=1, length=1, time=-1), "power", -1e9, 1e9),
    Kind("energy", "J", "J", D(force=1, length=1), "energy or work", -1e12, 1e12),
    Kind("pressure", "Pa", "Pa", D(force=1, length=-2), "pressure", 0.0, 1e9),
    # Stiffness of a material: its range reaches beyond that of a pressure.
    Kind("elastic_modulus", "N/m²", "Npm2", D(force=1, length=-2), "modulus of elasticity or shear", 0.0, 1e13),
    Kind("stiffness", "N/m", "Npm", D(force=1, length=-1), "stiffness", -1e30, 1e30),
    Kind("damping", "N·s/m", "Nspm", D(force=1, length=-1, time=1), "damping", -1e9, 1e9),
    Kind("rotational_stiffness", "N·m/rad", "Nmprad", D(force=1, length=1, angle=-1), "torque per angle"),
    Kind(
        "rotational_damping",
        "N·m·s/rad",
        "Nmsprad",
        D(force=1, length=1, angle=-1, time=1),
        "torque per angular velocity",
    ),
    Kind("force_per_angle", "N/rad", "Nprad", D(force=1, angle=-1), "cornering stiffness"),
    Kind("compliance", "m/N", "mpN", D(force=-1, length=1), "displacement per force"),
    Kind("angular_compliance", "rad/N", "radpN", D(force=-1, angle=1), "angle per force"),
    Kind("density", "kg/m³", "kgpm3", D(mass=1, length=-3), "density", 0.0, 1e5),
    Kind("temperature", "K", "K", D(), "temperature", 0.0, 1e4),
)


def kind(name: str) -> Kind:
    """The kind called `name`; KeyError names what exists."""
    try:
        return KINDS[name]
    except KeyError:
        raise KeyError(f"unknown quantity '{name}'; known: {', '.join(KINDS)}") from None
