"""Frames and signs of ISO 8855, and the half turn between them and the axes of Adams/Car files.

Every frame is right-handed: x forward, y left, z up. Vectors carry their frames in the name: ``p_VW_V`` is
the position of W from V expressed in V, ``R_EV`` turns components in V into components in E.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trackrod.core.errors import InputError

__all__ = [
    "FRAMES",
    "SIGNS",
    "Frame",
    "SignRule",
    "half_turn_points",
    "half_turn_tensors",
    "half_turn_vectors",
]


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame: its letter, its name, where its origin lies and where its axes point."""

    letter: str
    name: str
    origin: str
    x: str
    y: str
    z: str


#: The four frames, by letter.
FRAMES: dict[str, Frame] = {
    frame.letter: frame
    for frame in (
        Frame("E", "earth", "a fixed point of the ground", "fixed, horizontal", "fixed, horizontal", "up"),
        Frame(
            "V",
            "vehicle, the sprung body",
            "the reference point that the vehicle's description states",
            "forward, in the plane of symmetry",
            "left",
            "up, normal to the floor of the body",
        ),
        Frame(
            "W",
            "wheel",
            "the wheel centre",
            "forward, in the wheel plane and parallel to the road",
            "left, along the spin axis",
            "up, in the wheel plane",
        ),
        Frame(
            "T",
            "tyre contact",
            "the centre of the contact patch",
            "forward, where wheel plane and road plane meet",
            "left, in the road plane",
            "up, normal to the road",
        ),
    )
}


@dataclass(frozen=True, slots=True)
class SignRule:
    """What the positive sign of a quantity means.

    Attributes
    ----------
    quantity
        What is signed.
    positive
        When it is positive.
    mirrors
        Whether the same number on the left and on the right describes a symmetric vehicle (toe, camber), in
        contrast to a quantity signed by an axis (steer, inclination). The two kinds never share a variable.
    """

    quantity: str
    positive: str
    mirrors: bool = False


#: The signs of the project, in the order in which the documentation shows them.
SIGNS: tuple[SignRule, ...] = (
    SignRule("steering-wheel angle", "left turn"),
    SignRule("rack travel", "left turn"),
    SignRule("steer angle of a wheel", "left turn (about z)"),
    SignRule("yaw angle, yaw rate", "left turn (about z)"),
    SignRule("lateral acceleration", "left turn (along y)"),
    SignRule("roll angle, roll rate", "right side down (about x)"),
    SignRule("pitch angle, pitch rate", "nose down (about y)"),
    SignRule("sideslip angle", "the vehicle moves to its left: vy > 0 when driving forward"),
    SignRule("slip angle of a tyre", "the contact point moves to +y of the wheel, which gives Fy < 0"),
    SignRule("longitudinal slip", "driving"),
    SignRule("wheel speed", "rolling forward (about y)"),
    SignRule("tyre forces and moments", "of the road on the tyre, along and about x, y, z of T: Fz up"),
    SignRule("wheel travel", "bump: the wheel moves up towards the body", mirrors=True),
    SignRule("toe", "in: the front of the wheel towards the middle of the vehicle", mirrors=True),
    SignRule("camber", "the top of the wheel outward", mirrors=True),
    SignRule("track change", "wider", mirrors=True),
    SignRule("caster", "the top of the steering axis rearward", mirrors=True),
    SignRule("kingpin inclination", "the top of the steering axis inward", mirrors=True),
    SignRule(
        "scrub radius, kingpin offset", "the steering axis inboard of the contact, of the wheel centre", mirrors=True
    ),
    SignRule(
        "mechanical trail, caster offset", "the steering axis ahead of the contact, of the wheel centre", mirrors=True
    ),
    SignRule("inclination", "about x of T: the top of the wheel to the right"),
)


def half_turn_points(points: ArrayLike, x_ref: float) -> NDArray[np.float64]:
    """Points of an Adams/Car file in ISO 8855 axes, or back: x' = x_ref − x, y' = −y, z' = z.

    Parameters
    ----------
    points
        Coordinates, shape (..., 3) [m]: x rearward, y right, z up on one side of the conversion, x forward,
        y left, z up on the other.
    x_ref
        The x that becomes 0 [m]; the same number for the way there and back.

    Holds: twice is the identity; distances and handedness are kept.

    Limits: which axle of a file lies in front is for the reader to check; this function assumes nothing
    about it.
    """
    turned = half_turn_vectors(points)
    turned[..., 0] += x_ref
    return turned


def half_turn_vectors(vectors: ArrayLike) -> NDArray[np.float64]:
    """Free vectors (forces, velocities, directions), shape (..., 3), after the half turn about z.

    Holds: twice is the identity; lengths, scalar products and cross products are kept.
    """
    turned: NDArray[np.float64] = _shaped(vectors, (3,)) * np.array([-1.0, -1.0, 1.0])
    return turned


def half_turn_tensors(tensors: ArrayLike) -> NDArray[np.float64]:
    """Tensors of second order (inertia), shape (..., 3, 3), after the half turn about z.

    Ixx, Iyy, Izz and Ixy stay, Ixz and Iyz change their sign, whichever sign the products of inertia are
    defined with.

    Holds: twice is the identity; eigenvalues are kept.
    """
    signs = np.array([[1.0, 1.0, -1.0], [1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]])
    turned: NDArray[np.float64] = _shaped(tensors, (3, 3)) * signs
    return turned


def _shaped(values: ArrayLike, tail: tuple[int, ...]) -> NDArray[np.float64]:
    array: NDArray[Any] = np.asarray(values, dtype=np.float64)
    if array.shape[-len(tail) :] != tail:
        wanted = ", ".join(str(size) for size in tail)
        raise InputError(f"an array of shape (..., {wanted}) is needed, got {array.shape}")
    return array
