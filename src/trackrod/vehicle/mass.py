"""Mass properties: sums over bodies, moved to a common point (Steiner), and whether they are possible."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trackrod.core.errors import InputError
from trackrod.vehicle.elements import Body, Matrix, Vector

__all__ = ["MassProperties", "as_matrix", "as_vector", "is_possible_inertia", "mass_properties"]


@dataclass(frozen=True, slots=True, eq=False)
class MassProperties:
    """Mass [kg], centre of mass in V [m], inertia tensor about it along the axes of V [kg·m²]."""

    mass: float
    centre: NDArray[np.float64]
    inertia: NDArray[np.float64]

    def inertia_about(self, point: NDArray[np.float64]) -> NDArray[np.float64]:
        """Inertia tensor about another point of V [kg·m²]."""
        return self.inertia + self.mass * _steiner(self.centre - point)


def _steiner(offset: NDArray[np.float64]) -> NDArray[np.float64]:
    """Inertia tensor of a unit mass at `offset`."""
    return np.asarray(offset @ offset * np.eye(3) - np.outer(offset, offset))


def mass_properties(bodies: Iterable[Body]) -> MassProperties:
    """Mass properties of bodies taken together.

    Holds: the result does not depend on order or grouping; a body divided into parts has the sum of their properties.
    """
    parts = list(bodies)
    mass = sum(body.mass for body in parts)
    if mass <= 0:
        raise InputError(f"{len(parts)} bodies have a mass of {mass:g} kg together; something must have mass")
    centres = np.array([body.centre for body in parts])
    centre = np.array([body.mass for body in parts]) @ centres / mass
    inertia = np.zeros((3, 3))
    for body, position in zip(parts, centres, strict=True):
        inertia += np.array(body.inertia) + body.mass * _steiner(position - centre)
    return MassProperties(mass, centre, inertia)


def as_vector(values: NDArray[np.float64]) -> Vector:
    """A centre of mass as a body holds it."""
    x, y, z = values.tolist()
    return x, y, z


def as_matrix(values: NDArray[np.float64]) -> Matrix:
    """An inertia tensor as a body holds it, freed of what rounding makes unsymmetric."""
    first, second, third = (as_vector(row) for row in 0.5 * (values + values.T))
    return first, second, third


def is_possible_inertia(inertia: NDArray[np.float64]) -> bool:
    """Whether some distribution of mass has this tensor: no principal moment exceeds the sum of the other two."""
    moments = np.linalg.eigvalsh(inertia)
    tolerance = 1e-9 * max(float(np.abs(moments).max()), 1e-12)
    return bool(moments[0] >= -tolerance and moments[0] + moments[1] - moments[2] >= -tolerance)
