"""Tyres: property files (.tir) of MF 5.2/PAC2002, MF 6.1, MF 6.2 and PAC89, and their evaluation.

``load_tyre(path)`` reads and compiles; ``tyre.evaluate(Fz, kappa, alpha, …)`` takes arrays of any shape.
"""

from trackrod.tyre.coefficients import COEFFICIENTS, PAC89_COEFFICIENTS, Coefficient, Version
from trackrod.tyre.model import INPUTS, OUTPUTS, Outside, Tyre, TyreDerivatives, TyreForces, load_tyre
from trackrod.tyre.properties import Curve, TyreProperties, Tyreside
from trackrod.tyre.tir import compose_tir, parse_tir, read_tir, write_tir

__all__ = [
    "COEFFICIENTS",
    "INPUTS",
    "OUTPUTS",
    "PAC89_COEFFICIENTS",
    "Coefficient",
    "Curve",
    "Outside",
    "Tyre",
    "TyreDerivatives",
    "TyreForces",
    "TyreProperties",
    "Tyreside",
    "Version",
    "compose_tir",
    "load_tyre",
    "parse_tir",
    "read_tir",
    "write_tir",
]
