"""The stages of fitting MF 6.1: which coefficients, from which data, within which bounds.

The order is that of the literature (Pacejka, Tyre and Vehicle Dynamics, 3rd edition, 2012, section 4.3.2): pure slip at
the nominal load, then what load, camber and pressure change; the aligning moment by its trail on the side force that
was fitted; combined slip as weights on pure slip; overturning couple and rolling resistance last.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from trackrod.tyre.coefficients import COEFFICIENTS, Version

__all__ = ["FITTED", "STAGES", "Fitted", "Need", "Stage", "neutral_values"]


class Need(StrEnum):
    """What data must vary in to tell a coefficient."""

    LOAD = "two loads"
    LOADS = "three loads"
    CAMBER = "two cambers"
    CAMBERS = "three cambers"
    LEANS = "cambers of both signs"
    PRESSURE = "two pressures"
    PRESSURES = "three pressures"
    SPEED = "two speeds"


@dataclass(frozen=True, slots=True)
class Fitted:
    """A coefficient that can be fitted.

    Attributes
    ----------
    name
        Of the property file.
    neutral
        Value [-] that leaves its influence out, or the usual one where it cannot be left out.
    low, high
        Bounds [-] within which curves are those of a tyre.
    needs
        What the data must vary in.
    """

    name: str
    neutral: float
    low: float
    high: float
    needs: tuple[Need, ...] = ()


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of the fit: the coefficients that join those fitted before, on one output.

    Attributes
    ----------
    name
        What it is called.
    output
        Force or moment that is fitted.
    slip
        ``alpha`` or ``kappa`` for sweeps of pure slip, ``combined`` for both.
    coefficients
        What joins.
    """

    name: str
    output: str
    slip: str
    coefficients: tuple[Fitted, ...]


_NEEDS = {
    "": (),
    "l": (Need.LOAD,),
    "L": (Need.LOADS,),
    "c": (Need.CAMBER,),
    "C": (Need.CAMBERS,),
    "b": (Need.LEANS,),
    "p": (Need.PRESSURE,),
    "P": (Need.PRESSURES,),
    "v": (Need.SPEED,),
}


def _rows(text: str) -> Iterator[Fitted]:
    """``name neutral low high needs`` each line, a letter for each need (a capital for three levels)."""
    for line in text.strip().splitlines():
        name, neutral, low, high, *letters = line.split()
        needs = tuple(need for letter in "".join(letters) for need in _NEEDS[letter])
        yield Fitted(name, float(neutral), float(low), float(high), needs)


def _stage(name: str, output: str, slip: str, text: str) -> Stage:
    return Stage(name, output, slip, tuple(_rows(text)))


#: In order. C from 1 to 2 and E of at most 1 give a curve with one peak, PKY1 below and PKX1 above zero a stiffness of
#: one sign.
STAGES: tuple[Stage, ...] = (
    _stage(
        "Fy at the nominal load",
        "Fy",
        "alpha",
        """
        PCY1 1.3 1.0 2.0
        PDY1 1.0 0.1 5.0
        PEY1 0 -10 1
        PEY3 0 -2 2
        PKY1 -20 -150 -1
        PHY1 0 -0.05 0.05
        PVY1 0 -0.3 0.3
    """,
    ),
    _stage(
        "Fy over load",
        "Fy",
        "alpha",
        """
        PDY2 0 -2 1 l
        PEY2 0 -10 10 l
        PKY2 2 0.2 20 l
        PHY2 0 -0.05 0.05 l
        PVY2 0 -0.3 0.3 l
    """,
    ),
    _stage(
        "Fy over camber",
        "Fy",
        "alpha",
        """
        PDY3 0 -30 60 c
        PKY3 0 -5 8 c
        PKY6 0 -10 5 c
        PKY7 0 -5 5 cl
        PVY3 0 -3 3 c
        PVY4 0 -3 3 cl
        PEY4 0 -30 30 c
        PEY5 0 -500 500 C
        PKY5 0 -100 100 Cl
    """,
    ),
    _stage(
        "Fy over pressure",
        "Fy",
        "alpha",
        """
        PPY1 0 -3 3 p
        PPY2 0 -3 3 pl
        PPY3 0 -2 2 p
        PPY4 0 -5 5 P
        PPY5 0 -3 3 pc
    """,
    ),
    _stage(
        "Mz at the nominal load",
        "Mz",
        "alpha",
        """
        QBZ1 10 1 60
        QCZ1 1.1 0.5 1.9
        QDZ1 0.1 0 1
        QEZ1 0 -10 1
        QEZ4 0 -2 2
        QHZ1 0 -0.05 0.05
        QDZ6 0 -0.1 0.1
        QBZ10 0 0 5
    """,
    ),
    _stage(
        "Mz over load",
        "Mz",
        "alpha",
        """
        QBZ2 0 -30 30 l
        QBZ3 0 -30 30 L
        QDZ2 0 -0.5 0.5 l
        QEZ2 0 -10 10 l
        QEZ3 0 -10 10 L
        QHZ2 0 -0.05 0.05 l
        QDZ7 0 -0.1 0.1 l
    """,
    ),
    _stage(
        "Mz over camber",
        "Mz",
        "alpha",
        """
        QBZ4 0 -20 20 b
        QBZ5 0 -20 20 c
        QDZ3 0 -10 10 b
        QDZ4 0 -100 100 C
        QDZ8 0 -3 3 c
        QDZ9 0 -3 3 cl
        QDZ10 0 -10 10 C
        QDZ11 0 -10 10 Cl
        QEZ5 0 -20 20 c
        QHZ3 0 -2 2 c
        QHZ4 0 -2 2 cl
    """,
    ),
    _stage(
        "Mz over pressure",
        "Mz",
        "alpha",
        """
        PPZ1 0 -3 3 p
        PPZ2 0 -5 5 pc
    """,
    ),
    _stage(
        "Fx at the nominal load",
        "Fx",
        "kappa",
        """
        PCX1 1.6 1.0 2.0
        PDX1 1.0 0.1 5
        PEX1 0 -10 1
        PEX4 0 -0.9 0.9
        PKX1 20 1 150
        PHX1 0 -0.05 0.05
        PVX1 0 -0.3 0.3
    """,
    ),
    _stage(
        "Fx over load",
        "Fx",
        "kappa",
        """
        PDX2 0 -2 1 l
        PEX2 0 -5 5 l
        PEX3 0 -5 5 L
        PKX2 0 -30 30 l
        PKX3 0 -2 2 L
        PHX2 0 -0.05 0.05 l
        PVX2 0 -0.3 0.3 l
    """,
    ),
    _stage(
        "Fx over camber",
        "Fx",
        "kappa",
        """
        PDX3 0 -30 60 c
    """,
    ),
    _stage(
        "Fx over pressure",
        "Fx",
        "kappa",
        """
        PPX1 0 -3 3 p
        PPX2 0 -5 5 P
        PPX3 0 -2 2 p
        PPX4 0 -5 5 P
    """,
    ),
    _stage(
        "Fx at combined slip",
        "Fx",
        "combined",
        """
        RBX1 20 1 60
        RBX2 15 -60 60
        RBX3 0 -500 500 c
        RCX1 1 0.5 1.5
        REX1 0 -5 1
        REX2 0 -3 3 l
        RHX1 0 -0.1 0.1
    """,
    ),
    _stage(
        "Fy at combined slip",
        "Fy",
        "combined",
        """
        RBY1 10 1 60
        RBY2 10 -60 60
        RBY3 0 -0.2 0.2
        RBY4 0 -500 500 c
        RCY1 1 0.5 1.5
        REY1 0 -5 1
        REY2 0 -3 3 l
        RHY1 0 -0.1 0.1
        RHY2 0 -0.1 0.1 l
        RVY1 0 -0.5 0.5
        RVY2 0 -0.5 0.5 l
        RVY3 0 -3 3 c
    """,
    ),
    _stage(
        "Mz at combined slip",
        "Mz",
        "combined",
        """
        SSZ1 0 -0.5 0.5
        SSZ2 0 -0.5 0.5
        SSZ3 0 -5 5 c
        SSZ4 0 -5 5 cl
    """,
    ),
    _stage(
        "Mx",
        "Mx",
        "alpha",
        """
        QSX1 0 -0.1 0.1
        QSX2 0 -3 3 c
        QSX3 0 -0.5 0.5
    """,
    ),
    _stage(
        "Mx over pressure",
        "Mx",
        "alpha",
        """
        PPMX1 0 -3 3 cp
    """,
    ),
    _stage(
        "My",
        "My",
        "",
        """
        QSY1 0.01 -0.05 0.1
        QSY3 0 -0.1 0.1 v
        QSY7 0.85 0 2 l
        QSY8 -0.4 -2 2 p
    """,
    ),
)
FITTED: Mapping[str, Fitted] = {item.name: item for stage in STAGES for item in stage.coefficients}


def neutral_values() -> dict[str, float]:
    """Every coefficient of MF 6.1 before a fit: neutral where it can be fitted, its default else."""
    values: dict[str, float] = {}
    for item in COEFFICIENTS:
        default = item.default if isinstance(item.default, float) else 0.0
        values[item.name] = (
            FITTED[item.name].neutral if item.name in FITTED and Version.MF61 in item.versions else default
        )
    return values
