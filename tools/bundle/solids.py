"""Parts of data sheets as bodies with mass, centre and inertia, in the axes and units of the files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tools.bundle.sheet import Link, Part, Point

__all__ = ["Solid", "Total", "across", "of_part", "remainder", "resolve", "total"]

Array = NDArray[np.float64]
_MIRROR = np.array([1.0, -1.0, 1.0])


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """A part: centre [mm], inertia about it [kg·mm²] in the frame whose columns are `axes`."""

    name: str
    mass: float
    centre: Array
    axes: Array
    inertia: Array
    sprung: float
    single: bool

    @property
    def tensor(self) -> Array:
        """Inertia along the axes of the file."""
        return np.asarray(self.axes @ self.inertia @ self.axes.T)


@dataclass(frozen=True, slots=True, eq=False)
class Total:
    """Mass [kg], centre [mm] and inertia about it [kg·mm²] of several solids."""

    mass: float
    centre: Array
    tensor: Array


def resolve(at: tuple[str, ...] | Point, points: Mapping[str, Point]) -> Array:
    """A point, or the middle of hardpoints."""
    named = [points[one] for one in at if isinstance(one, str)]
    return np.asarray(np.mean(named, axis=0) if named else at, dtype=np.float64)


def across(z: Array) -> Array:
    """Axes with this z direction, x as nearly along the file's x as can be, or along its z where z lies along x."""
    helper = np.array([1.0, 0.0, 0.0]) if abs(z[0]) < 0.9 else np.array([0.0, 0.0, 1.0])
    x = helper - (helper @ z) * z
    x /= np.linalg.norm(x)
    return np.column_stack((x, np.cross(z, x), z))


def of_part(part: Part | Link, points: Mapping[str, Point]) -> Solid:
    """The solid of a part; ValueError where no body can have such radii of gyration."""
    if isinstance(part, Link):
        start, end = (np.array(points[name]) for name in part.ends)
        way = end - start
        length = float(np.linalg.norm(way))
        bend = part.mass * (length**2 / 12 + part.radius**2 / 4)
        inertia = np.diag([bend, bend, part.mass * part.radius**2 / 2])
        axes = across(way / length)
        return Solid(part.name, part.mass, (start + end) / 2, axes, inertia, part.sprung, part.single)
    squares = np.square(part.radii)
    if squares.max() > squares.sum() / 2 + 1e-9:
        raise ValueError(f"part '{part.name}': no body has the radii of gyration {part.radii}")
    inertia = part.mass * np.diag(squares)
    return Solid(part.name, part.mass, resolve(part.at, points), np.eye(3), inertia, part.sprung, part.single)


def total(solids: Iterable[Solid]) -> Total:
    """Solids of both sides together."""
    pieces: list[tuple[float, Array, Array]] = []
    for solid in solids:
        pieces.append((solid.mass, solid.centre, solid.tensor))
        if not solid.single:
            pieces.append((solid.mass, solid.centre * _MIRROR, solid.tensor * np.outer(_MIRROR, _MIRROR)))
    mass = sum(piece[0] for piece in pieces)
    centre = sum(m * c for m, c, _ in pieces) / mass
    tensor = sum((t + m * _steiner(c - centre) for m, c, t in pieces), np.zeros((3, 3)))
    return Total(mass, np.asarray(centre), tensor)


def remainder(name: str, whole: Total, others: Total) -> Solid:
    """What is left of a whole when others are taken away; ValueError if no body is like that."""
    mass = whole.mass - others.mass
    centre = (whole.mass * whole.centre - others.mass * others.centre) / mass
    tensor = (
        whole.tensor
        - others.tensor
        - others.mass * _steiner(others.centre - whole.centre)
        - mass * _steiner(centre - whole.centre)
    )
    moments = np.linalg.eigvalsh(tensor)
    if not (mass > 0 and moments[0] > 0 and moments[2] < moments[0] + moments[1]):
        raise ValueError(f"'{name}' would have {mass:.1f} kg and the principal moments {moments / 1e6} kg·m²")
    return Solid(name, mass, centre, np.eye(3), tensor, 100.0, True)


def _steiner(offset: Array) -> Array:
    return np.asarray((offset @ offset) * np.eye(3) - np.outer(offset, offset))
