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

    [toe]                         # static, inward, repeats; camber and damper_sensors likewise
    accuracy = "0.02 deg"
    fl = ["0.10 deg", "0.12 deg"]

    [damper_sensors]              # travel of the wheel over that of its sensor
    fl = [1.52, 1.53]

    [positions]                   # of sensors: forward of the front axle, left of the middle, above the road
    accuracy = "5 mm"
    imu = [[-1.26, 0.10, 0.38], [-1.27, 0.10, 0.38]]

    [known]                       # numbers that replace those of the vehicle: `KNOWN` names them
    toe_fl = "0.1 deg"
    loaded_radius_front = 0.301

    [bounds]                      # of their errors
    loaded_radius_front = "2 mm"

Static toe is used where a law needs it. The place of the IMU from the centre of gravity follows from its position where
the vehicle was weighed with an axle lifted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
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

__all__ = ["Compared", "LiftedAxle", "Repeated", "Workshop", "compared", "read_workshop"]

Array = NDArray[np.float64]
#: Tables of what is measured at wheels: name of the dynamic estimate without its corner, and kind.
_AT_WHEELS = {
    "toe": ("static_toe", "angle"),
    "camber": ("static_camber", "angle"),
    "damper_sensors": ("damper_ratio", "number"),
}


@dataclass(frozen=True, slots=True, eq=False)
class LiftedAxle:
    """One axle lifted: which, by how much [m], and the masses on the wheels of the other one, repeats each [kg]."""

    axle: Axle
    height: float
    left: Array
    right: Array


@dataclass(frozen=True, slots=True, eq=False)
class Repeated:
    """Something measured several times: kind, repeats (a row of x, y, z each for places), bound of the error [SI]."""

    of: str
    values: Array
    accuracy: float

    def estimate(self, name: str) -> Estimate:
        """The mean."""
        return _estimated(name, self.of, self.values, [self.accuracy])


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
    wheels
        What was measured at wheels: by the name of the dynamic estimate.
    positions
        Of sensors in V, by name.
    """

    masses: Mapping[Corner, Array] = field(default_factory=dict)
    accuracy: float = 0.0
    lifted: LiftedAxle | None = None
    values: Mapping[str, float] = field(default_factory=dict)
    bounds: Mapping[str, float] = field(default_factory=dict)
    wheels: Mapping[str, Repeated] = field(default_factory=dict)
    positions: Mapping[str, Repeated] = field(default_factory=dict)

    def imu_from_centre(self, known: Known) -> tuple[float, float, float] | None:
        """Position of the IMU from the centre of gravity [m]; None where the workshop does not tell both."""
        if "imu" not in self.positions or "cg_height" not in (found := self.estimates(known)):
            return None
        centre = [found[name].value for name in ("cg_x", "cg_y", "cg_height")]
        x, y, z = self.positions["imu"].values.mean(axis=0) - centre
        return float(x), float(y), float(z)

    def estimates(self, known: Known) -> dict[str, Estimate]:
        """Everything that was measured, by the names of the dynamic estimates.

        Parameters
        ----------
        known
            Where the wheels are; the loaded radii, with which the lifted axle tells the height.
        """
        found = {name: of.estimate(name) for name, of in self.wheels.items()}
        for name, of in self.positions.items():
            for axis, each in zip("xyz", of.values.T, strict=True):
                found[f"position_{name}_{axis}"] = replace(of, values=each).estimate(f"position_{name}_{axis}")
        if not self.masses:
            return found
        repeats = min(values.size for values in self.masses.values())
        M = np.column_stack([self.masses[corner][:repeats] for corner in Corner])
        front = np.array([corner.axle is Axle.FRONT for corner in Corner])
        laws: dict[str, tuple[str, Callable[[Array], Array]]] = {
            "mass": ("mass", lambda m: m.sum(axis=1)),
            **{f"wheel_mass_{c}": ("mass", partial(_column, c.index)) for c in Corner},
            "axle_mass_front": ("mass", lambda m: m[:, front].sum(axis=1)),
            "axle_mass_rear": ("mass", lambda m: m[:, ~front].sum(axis=1)),
            "front_share": ("number", lambda m: m[:, front].sum(axis=1) / m.sum(axis=1)),
        }
        if all(f"wheel_{axis}_{corner}" in known for axis in "xy" for corner in Corner):
            x, y = (np.array([known[f"wheel_{axis}_{corner}"] for corner in Corner]) for axis in "xy")
            laws["cg_x"] = ("length", lambda m: m @ x / m.sum(axis=1))
            laws["cg_y"] = ("length", lambda m: m @ y / m.sum(axis=1))
        found |= {name: self._estimate(name, of, law, M) for name, (of, law) in laws.items()}
        if self.lifted is not None and "cg_x" in found:
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

        # A scale that is off is off before and after; one ruler measures both radii.
        ruler = max(known.bounds.get(f"loaded_radius_{axle}", 0.0) for axle in Axle)
        return self._estimate("cg_height", "length", law, table, (ruler,))

    def _cg_x(self, known: Known, M: Array) -> float:
        x = np.array([known[f"wheel_x_{corner}"] for corner in Corner])
        return float(np.mean(M @ x / M.sum(axis=1)))

    def _estimate(
        self, name: str, of: str, law: Callable[[Array], Array], M: Array, bounds: Sequence[float] = ()
    ) -> Estimate:
        each = law(M)
        off = [np.where(np.arange(M.shape[1]) == k, self.accuracy, 0.0) for k in range(M.shape[1])]
        return _estimated(name, of, each, [*(float((law(M + row) - each).mean()) for row in off), *bounds])


def _estimated(name: str, of: str, each: Array, bounds: Sequence[float]) -> Estimate:
    """Of repeats, and what bounds of errors change in their mean."""
    repeats, value = each.size, float(each.mean())
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
        note="" if repeats > 1 else "measured once: its scatter is not known",
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
    wheels = {name: of for table in _AT_WHEELS for name, of in _at_wheels(root.section(table), table)}
    positions = dict(_positions(root.section("positions")))
    values, bounds = (_numbers(root.section(name)) for name in ("known", "bounds"))
    document.close()
    raise_if_errors(document.problems)
    for corner in Corner:
        if (measured := wheels.get(f"static_toe_{corner}")) is not None and f"toe_{corner}" not in values:
            low, high = measured.estimate("").interval
            values[f"toe_{corner}"], bounds[f"toe_{corner}"] = (high + low) / 2.0, (high - low) / 2.0
    return Workshop(masses, accuracy, lifted, values, bounds, wheels, positions)


def _at_wheels(section: Section, table: str) -> Iterator[tuple[str, Repeated]]:
    name, of = _AT_WHEELS[table]
    accuracy = section.number("accuracy", kind(of), "bound of the error of one", default=0.0)
    for corner in Corner:
        if corner in section:
            repeats = section.numbers(corner, kind(of), "of this wheel, repeats")
            if not repeats.size:
                section.report(corner, f"'{corner}' is an empty list: at least one number is needed")
            yield f"{name}_{corner}", Repeated(of, repeats, accuracy)


def _positions(section: Section) -> Iterator[tuple[str, Repeated]]:
    length = kind("length")
    accuracy = section.number("accuracy", length, "bound of the error of one", default=0.0)
    for name in [name for name in section.names() if name != "accuracy"]:
        repeats = section.rows(name, length, "x, y, z of a sensor, repeats")
        if repeats.size and repeats.shape[1] != 3:
            section.report(name, f"'{name}' has rows of {repeats.shape[1]} numbers: x, y and z are needed")
        yield name, Repeated("length", repeats, accuracy)


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
