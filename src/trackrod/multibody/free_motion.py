"""Motions that nothing resists: struts on rod ends, or on bushings without torsional stiffness, turn about themselves.

With the sprung body held, stiffness and mass give the frequencies at which bodies swing about the design position. What
swings slower than `FREE_RATE` is free. A free rotation is harmless for everything else, but statics have no solution as
long as nothing says how far the body has turned: it is held by one weak spring about its axis. In equilibrium this
spring carries nothing, because nothing else acts about that axis, so that no other result depends on it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse.csgraph import connected_components

from trackrod.core.errors import Problem, Severity
from trackrod.multibody.rigid import RigidGroup

__all__ = ["HOLDING_DAMPING", "HOLDING_STIFFNESS", "FreeMotion", "find_free_motions"]

Array = NDArray[np.float64]

#: What holds a free rotation [N·m/rad], [N·m·s/rad]: as much as a soft bushing. While equilibrium is looked for, forces
#: are out of balance; with much less the body would turn far, and Newton's method would get lost.
HOLDING_STIFFNESS = 100.0
HOLDING_DAMPING = 0.2
#: Square of the frequency below which a motion is free [rad²/s²]: 0.5 Hz. Rounding beside ideal joints makes 0.1 of a
#: motion that is quite free; a strut on bushings has a thousand, a wheel on its spring more.
FREE_RATE = 10.0
#: Share of the kinetic energy of a free motion that must be rotation, so that it can be held.
TURNING = 0.5


@dataclass(frozen=True, slots=True)
class FreeMotion:
    """A motion that nothing resists.

    Attributes
    ----------
    body
        Name of the body that moves most in it.
    axis
        Unit vector in V: what the body turns about, or the direction in which its centre of mass moves.
    turns
        Whether it is a rotation; else the body is loose.
    """

    body: str
    axis: tuple[float, float, float]
    turns: bool

    def __str__(self) -> str:
        along = ", ".join(f"{0.0 if abs(x) < 5e-4 else x:.3f}" for x in self.axis)
        return f"'{self.body}' can {'turn about' if self.turns else 'move along'} ({along}), which nothing resists"

    def warning(self) -> Problem:
        """That the rotation is held."""
        return Problem(
            f"{self}; it is held with {HOLDING_STIFFNESS:g} N·m/rad",
            severity=Severity.WARNING,
            hint="usual for struts on rod ends; nothing else depends on it",
        )


def find_free_motions(
    stiffness: Array, groups: Sequence[RigidGroup], still: Collection[int] = ()
) -> tuple[FreeMotion, ...]:
    """All independent free motions at the design position.

    Parameters
    ----------
    stiffness
        By displacements and rotations of the bodies, shape (6 n, 6 n) [N/m], [N·m/rad].
    groups
        The n bodies.
    still
        Those that are held: the sprung ones.

    Holds: as many as there are independent motions slower than `FREE_RATE`; holding every one that turns about its
    axis leaves none that turns.
    """
    moving = [i for i in range(len(groups)) if i not in still]
    of_pairs = stiffness.reshape(len(groups), 6, len(groups), 6).swapaxes(1, 2)[np.ix_(moving, moving)]
    # Bodies that are linked by others than the sprung ones move together: small matrices instead of one large one.
    count, part = connected_components(np.asarray(of_pairs.any(axis=(2, 3))), directed=False)
    found: list[FreeMotion] = []
    for k in range(count):
        linked = np.flatnonzero(part == k)
        found += _free_among(of_pairs[np.ix_(linked, linked)], [groups[moving[i]] for i in linked])
    return tuple(found)


def _free_among(of_pairs: Array, groups: Sequence[RigidGroup]) -> list[FreeMotion]:
    """As `find_free_motions`; the stiffness in blocks for each pair of bodies, shape (n, n, 6, 6)."""
    to_unit_mass = _to_unit_mass(groups)
    rates = (to_unit_mass[:, None] @ of_pairs @ to_unit_mass).swapaxes(1, 2).reshape(6 * len(groups), -1)
    rates = 0.5 * (rates + rates.T)
    try:
        np.linalg.cholesky(rates - FREE_RATE * np.eye(len(rates)))
    except np.linalg.LinAlgError:
        values, vectors = eigh(rates)
        return _separated(vectors[:, np.abs(values) < FREE_RATE], to_unit_mass, groups)
    return []


def _to_unit_mass(groups: Sequence[RigidGroup]) -> Array:
    """From velocities whose squares are twice the kinetic energy to those of the bodies, shape (n, 6, 6)."""
    values, axes = np.linalg.eigh([group.inertia for group in groups])
    matrices = np.eye(6) / np.sqrt([group.mass for group in groups])[:, None, None]
    matrices[:, 3:, 3:] = axes / np.sqrt(values)[:, None] @ axes.swapaxes(1, 2)
    return np.asarray(matrices)


def _separated(free: Array, to_unit_mass: Array, groups: Sequence[RigidGroup]) -> list[FreeMotion]:
    """One body and axis for each of the free motions: columns of unit kinetic energy, which come in any mixture.

    First the rotation of one body that holds most of the energy, then what is left without this motion.
    """
    found = []
    while free.shape[1]:
        parts = free.reshape(len(groups), 2, 3, -1)  # body, shift or turn, component, motion
        sizes, mixtures = np.linalg.svd(parts[:, 1])[1:]
        body = int(sizes[:, 0].argmax())
        motion = mixtures[body, 0]
        velocities = parts @ motion
        energy = (velocities**2).sum(axis=-1)
        turns = bool(energy[:, 1].sum() > TURNING)
        if not turns:
            body = int(energy[:, 0].argmax())
        axis = (to_unit_mass[body] @ velocities[body].ravel())[3:] if turns else velocities[body, 0]
        axis /= axis[np.abs(axis).argmax()]
        x, y, z = (axis / np.linalg.norm(axis)).tolist()
        found.append((body, FreeMotion(groups[body].names[0], (x, y, z), turns)))
        free = free @ np.linalg.svd(motion[None])[2][1:].T  # what is normal to this motion
    return [motion for _, motion in sorted(found, key=lambda item: item[0])]
