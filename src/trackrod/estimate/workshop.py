"""Workshop entries: what was measured while the vehicle stood, and how it compares with what driving told.

A TOML file, numbers in SI units or texts with their unit::

    [scales]                      # mass on each wheel, repeats in a list
    accuracy = "1 kg"             # bound of the error of one scale
    fl = [497.5, 498.2, 498.0]
    fr = [469.0, 469.5, 469.1]
    rl = [348.2, 348.6, 348.4]
    rr = [327.3, 327.6, 327.6]

    [lifted_axle]                 # the same scales with one axle lifted, the suspension locked
    axle = "front"
    height = 0.60                 # by which it is lifted
    left = [370.1, 370.4, 369.9]  # mass on the wheels of the other axle
    right = [349.0, 349.2, 349.3]

    [known]                       # numbers that replace those of the vehicle: `KNOWN` names them
    toe_fl = "0.1 deg"
    loaded_radius_front = 0.301

    [bounds]                      # of their errors
    loaded_radius_front = "2 mm"

Limits: static camber, the places of sensors and the ratios of damper sensors are kept for other uses; no estimator here
needs them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trackrod.core.corners import Axle, Corner
from trackrod.core.errors import raise_if_errors
from trackrod.core.plain import Plain
from trackrod.core.quantities import kind
from trackrod.core.toml_document import Document, Section
from trackrod.estimate.estimator import of_axle
from trackrod.estimate.known import KNOWN, Known
from trackrod.estimate.result import Estimate, Result
from trackrod.estimate.statistics import half_width

__all__ = ["Compared", "LiftedAxle", "Workshop", "compared", "read_workshop"]

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class LiftedAxle:
    """One axle lifted: which, by how much [m], and the masses on the wheels of the other one, repeats each [kg]."""

    axle: Axle
    height: float
    left: Array
    right: Array


@dataclass(frozen=True, slots=True, eq=False)
class Workshop:
    """What was measured while the vehicle stood.

    Attributes
    ----------
    masses
        On each wheel, repeats [kg]; empty if it was not weighed.
    accuracy
        Bound of the error of one scale [kg].
    lifted
        None if no axle was lifted.
    values, bounds
        Numbers of the vehicle by the names of `KNOWN`, and of their errors.
    """

    masses: Mapping[Corner, Array] = field(default_factory=dict)
    accuracy: float = 0.0
    lifted: LiftedAxle | None = None
    values: Mapping[str, float] = field(default_factory=dict)
    bounds: Mapping[str, float] = field(default_factory=dict)

    def estimates(self, known: Known) -> dict[str, Estimate]:
        """Masses, distribution and place of the centre of gravity, by the names of the dynamic estimates.

        Parameters
        ----------
        known
            Where the wheels are; the loaded radii, with which the lifted axle tells the height.
        """
        if not self.masses:
            return {}
        repeats = min(values.size for values in self.masses.values())
        M = np.column_stack([self.masses[corner][:repeats] for corner in Corner])
        x, y = (np.array([known[f"wheel_{axis}_{corner}"] for corner in Corner]) for axis in "xy")
        front = np.array([corner.axle is Axle.FRONT for corner in Corner])
        laws: dict[str, tuple[str, Callable[[Array], Array]]] = {
            "mass": ("mass", lambda m: m.sum(axis=1)),
            **{f"wheel_mass_{c}": ("mass", partial(_column, c.index)) for c in Corner},
            "axle_mass_front": ("mass", lambda m: m[:, front].sum(axis=1)),
            "axle_mass_rear": ("mass", lambda m: m[:, ~front].sum(axis=1)),
            "front_share": ("number", lambda m: m[:, front].sum(axis=1) / m.sum(axis=1)),
            "cg_x": ("length", lambda m: m @ x / m.sum(axis=1)),
            "cg_y": ("length", lambda m: m @ y / m.sum(axis=1)),
        }
        found = {name: self._estimate(name, of, law, M) for name, (of, law) in laws.items()}
        if self.lifted is not None:
            found["cg_height"] = self._height(known, M, self.lifted)
        return found

    def _height(self, known: Known, M: Array, lifted: LiftedAxle) -> Estimate:
        """Above the wheel centres: wheelbase × what the other axle gains, over mass × tangent of the slope."""
        wheelbase = known.wheelbase
        slope = math.tan(math.asin(lifted.height / wheelbase))
        other = of_axle(Axle.REAR if lifted.axle is Axle.FRONT else Axle.FRONT)
        columns = [corner.index for corner in other]
        share = abs(sum(known[f"wheel_x_{c}"] for c in of_axle(lifted.axle)) / 2.0 - self._cg_x(known, M)) / wheelbase
        radii = [known[f"loaded_radius_{axle}"] for axle in Axle]
        radius = radii[0] + (radii[1] - radii[0]) * (share if lifted.axle is Axle.FRONT else 1.0 - share)
        repeats = min(len(M), lifted.left.size, lifted.right.size)
        table = np.column_stack((M[:repeats], lifted.left[:repeats], lifted.right[:repeats]))

        def law(m: Array) -> Array:
            gained = m[:, 4] + m[:, 5] - m[:, columns].sum(axis=1)
            return np.asarray(radius + wheelbase * gained / (m[:, :4].sum(axis=1) * slope))

        # A scale that is off is off before and after: what is left is half of what both would be.
        return self._estimate("cg_height", "length", law, table)

    def _cg_x(self, known: Known, M: Array) -> float:
        x = np.array([known[f"wheel_x_{corner}"] for corner in Corner])
        return float(np.mean(M @ x / M.sum(axis=1)))

    def _estimate(self, name: str, of: str, law: Callable[[Array], Array], M: Array) -> Estimate:
        each = law(M)
        value = float(each.mean())
        off = [np.where(np.arange(M.shape[1]) == k, self.accuracy, 0.0) for k in range(M.shape[1])]
        bounds = [float(law(M + row).mean() - value) for row in off]
        repeats = each.size
        precision = float(each.std(ddof=1) / math.sqrt(repeats)) if repeats > 1 else 0.0
        half = half_width(bounds, precision, max(repeats - 1, 1))
        bias = math.sqrt(sum(bound**2 for bound in bounds) / 3.0)
        return Estimate(
            name=name,
            kind=kind(of),
            value=value,
            standard_deviation=math.hypot(bias, precision),
            interval=(value - half, value + half),
            bias=bias,
            precision=precision,
            samples=repeats,
            independent_samples=float(repeats),
            per_sample=each,
            mask=(),
            note="" if repeats > 1 else "weighed once: its scatter is not known",
        )


def _column(which: int, table: Array) -> Array:
    return np.asarray(table[:, which])


def read_workshop(path: Path | str) -> Workshop:
    """Read the entries of a TOML file.

    Raises
    ------
    MissingFileError, FileFormatError, InputError
        No such file; not TOML; with everything that is wrong, by line.
    """
    document = Document(Path(path))
    root, mass = document.root, kind("mass")
    scales, accuracy, masses = root.section("scales"), 0.0, {}
    if not scales.is_empty:
        accuracy = scales.number("accuracy", mass, "bound of the error of one scale", default=0.0)
        masses = {corner: scales.numbers(corner, mass, "on this wheel, repeats") for corner in Corner}
    lift, lifted = root.section("lifted_axle"), None
    if not lift.is_empty:
        height = lift.number("height", kind("length"), "by which the axle is lifted", low=0.01)
        sides = [lift.numbers(side, mass, "on this wheel of the other axle, repeats") for side in ("left", "right")]
        lifted = LiftedAxle(lift.word("axle", Axle), height, *sides)
        if not masses:
            root.report("lifted_axle", "the masses of the level vehicle are missing: [scales]")
    values, bounds = (_numbers(root.section(name)) for name in ("known", "bounds"))
    document.close()
    raise_if_errors(document.problems)
    return Workshop(masses, accuracy, lifted, values, bounds)


def _numbers(section: Section) -> dict[str, float]:
    return {name: section.number(name, KNOWN[name][0], KNOWN[name][1]) for name in KNOWN if name in section}


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """One parameter, standing and driving.

    Attributes
    ----------
    name
        Of the dynamic estimate.
    workshop, driven
        Both values.
    """

    name: str
    workshop: Estimate
    driven: Estimate

    @property
    def difference(self) -> float:
        """Driven less workshop."""
        return self.driven.value - self.workshop.value

    @property
    def agree(self) -> bool:
        """Whether the difference is inside both intervals together."""
        halves = [0.5 * (e.interval[1] - e.interval[0]) for e in (self.workshop, self.driven)]
        return abs(self.difference) <= math.hypot(*halves)

    def to_plain(self) -> dict[str, Plain]:
        """As plain data."""
        return {
            "name": self.name,
            "unit": self.driven.kind.unit,
            "workshop": self.workshop.value,
            "driven": self.driven.value,
            "difference": self.difference,
            "agree": self.agree,
        }


def compared(workshop: Mapping[str, Estimate], driven: Mapping[str, Result]) -> list[Compared]:
    """What both tell: the table of the paper.

    Reference: paper 001, table 3.
    """
    rows = []
    for name, found in driven.items():
        twin = workshop.get("cg_height" if name.startswith("cg_height") else name)
        if twin is not None and isinstance(found, Estimate):
            rows.append(Compared(name, twin, found))
    return rows
