"""Two results of the rig against each other: tables of one test, curve by curve, over what both have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator

from trackrod.core.corners import Axle
from trackrod.core.errors import InputError, MissingFileError, Place, Problem
from trackrod.core.quantities import Kind
from trackrod.kc.result import KcTest, read_test

__all__ = ["SHOWN_CURVES", "Curve", "CurveDifference", "compare_results", "read_results"]

Array = NDArray[np.float64]

#: What a test is drawn over; loads are drawn over themselves. The grid of the map has no curve.
_ABSCISSAS = {"parallel": "travel_left", "opposite": "travel_left", "roll": "travel_left", "steer": "rack_travel"}
_SKIPPED = ("map", "single")
#: What says how a point was asked for, not what came of it.
_ASKED = ("solved", "travel", "rack_travel", "steering_wheel", "ground", "share")


#: What is printed and drawn of all curves: test, quantity, title.
SHOWN_CURVES = (
    ("parallel", "toe_left", "Toe, parallel travel"),
    ("parallel", "camber_left", "Camber, parallel travel"),
    ("parallel", "caster_left", "Caster, parallel travel"),
    ("parallel", "Fz_left", "Wheel load, parallel travel"),
    ("parallel", "track_contact", "Track at the contact points"),
    ("parallel", "roll_centre_height", "Roll centre height"),
    ("opposite", "Fz_left", "Wheel load, opposite travel"),
    ("steer", "steer_left", "Steer angle over rack travel"),
    ("steer", "ackermann_percent", "Ackermann percentage"),
    ("fx", "toe_left", "Toe over Fx"),
    ("fx", "tx_left", "Longitudinal displacement over Fx"),
    ("fy", "toe_left", "Toe over Fy"),
    ("fy", "camber_left", "Camber over Fy"),
    ("fy", "ty_left", "Lateral displacement over Fy"),
    ("mz", "toe_left", "Toe over Mz"),
)


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """One quantity over the abscissa of its test, both results; x is increasing [SI units of the kinds]."""

    x: Array
    first: Array
    second: Array


@dataclass(frozen=True, slots=True, eq=False)
class CurveDifference:
    """How far a quantity of two results lies apart.

    Attributes
    ----------
    axle, test, quantity, kind
        Of what.
    over, over_kind
        Name of the abscissa, and what it is.
    curve
        Both curves on the abscissa that they have in common.
    largest, at
        Largest difference, second less first, and the abscissa there.
    rms
        Root mean square of the difference.
    share
        The same over the largest magnitude of the first curve [-]; not a number where that is nothing.
    """

    axle: Axle
    test: str
    quantity: str
    kind: Kind
    over: str
    over_kind: Kind
    curve: Curve
    largest: float
    at: float
    rms: float
    share: float


def read_results(folder: Path | str) -> dict[tuple[Axle, str], KcTest]:
    """The tables that ``trackrod kc --out`` has written to a folder, by axle and test.

    Raises
    ------
    InputError
        There is no such folder, no table in it, or a table that cannot be read.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise MissingFileError(Problem("there is no such folder", Place(folder), hint="trackrod kc … --out FOLDER"))
    found = {}
    for axle in Axle:
        for path in sorted(folder.glob(f"{axle}_*.csv")):
            name = path.stem.removeprefix(f"{axle}_")
            if name not in _SKIPPED:
                found[axle, name] = read_test(path, name, axle)
    if not found:
        text = "the folder holds no table of the rig, such as front_parallel.csv"
        raise InputError(Problem(text, Place(folder), hint="trackrod kc … --out FOLDER writes them"))
    return found


def compare_results(
    first: Mapping[tuple[Axle, str], KcTest], second: Mapping[tuple[Axle, str], KcTest]
) -> tuple[CurveDifference, ...]:
    """Every curve that two results have in common.

    Raises
    ------
    InputError
        They have no test of one axle in common.
    """
    common = [key for key in first if key in second]
    if not common:
        had = (", ".join(f"{axle} {test}" for axle, test in tests) for tests in (first, second))
        raise InputError("the results have no test in common: " + "; ".join(had))
    return tuple(row for key in common for row in _differences(first[key], second[key]))


def _differences(first: KcTest, second: KcTest) -> Iterator[CurveDifference]:
    over = _abscissa(first)
    if over is None or over not in second:
        return
    kinds = {column.name: column.kind for column in first.columns}
    for name, kind in kinds.items():
        if name == over or name.startswith(_ASKED) or name not in second:
            continue
        curve = _common(_curve(first, over, name), _curve(second, over, name))
        if curve is None:
            continue
        apart = curve.second - curve.first
        worst = int(np.abs(apart).argmax())
        size = float(np.abs(curve.first).max())
        rms = float(np.sqrt(np.mean(apart**2)))
        share = rms / size if size > 1e-12 else float("nan")
        values = (float(apart[worst]), float(curve.x[worst]), rms, share)
        yield CurveDifference(first.axle, first.name, name, kind, over, kinds[over], curve, *values)


def _abscissa(test: KcTest) -> str | None:
    """Name of the column that a test is drawn over: travel, rack, share of a case, or the load of the left wheel."""
    if "share" in test:
        return "share"
    base = next((name for name in _ABSCISSAS if test.name.split("_")[0] == name), None)
    if base is not None:
        return "ground_left" if "ground_left" in test and base != "steer" else _ABSCISSAS[base]
    moving = [c.name for c in test.columns if c.name[:1] in "FM" and c.name.endswith("_left") and c.name != "Fz_left"]
    return moving[0] if len(moving) == 1 else None


def _curve(test: KcTest, over: str, name: str) -> tuple[Array, Array]:
    """A curve where it is known, by increasing abscissa; of a load test the part with the left wheel alone."""
    rows = slice(0, len(test) // 4 if over[:1] in "FM" else len(test))
    x, y = test[over][rows], test[name][rows]
    good = np.isfinite(x) & np.isfinite(y)
    x, index = np.unique(x[good], return_index=True)
    return x, y[good][index]


def _common(first: tuple[Array, Array], second: tuple[Array, Array]) -> Curve | None:
    """Both curves on the points of either, where they overlap; None if they do not."""
    if min(len(first[0]), len(second[0])) < 2:
        return None
    low, high = max(first[0][0], second[0][0]), min(first[0][-1], second[0][-1])
    x = np.union1d(first[0], second[0])
    x = x[(x >= low) & (x <= high)]
    if len(x) < 2:
        return None
    return Curve(x, *(PchipInterpolator(*curve)(x) for curve in (first, second)))
