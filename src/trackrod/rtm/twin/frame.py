"""A frame that twists, in readable form: all that its rear half carries turns about x by one more freedom, the twist.

A point of the rear half at p from the sprung centre of gravity moves with v + ω × p + τ̇ x × (p − a), a on the axis of
torsion, and the half turns with ω + τ̇ x. These are one more column of the matrices A and B of
`trackrod.rtm.twin.model`, behind those of body and travels.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from trackrod.rtm.spec import FrameSpec

__all__ = ["TwinFrame", "X"]

Array = NDArray[np.float64]

X = np.array([1.0, 0.0, 0.0])


class TwinFrame:
    """One frame that twists.

    Parameters
    ----------
    frame
        Its rear half.
    parameters
        Of the model: stiffness and damping of the frame are taken.
    origin
        Sprung centre of gravity in V [m].
    """

    def __init__(self, frame: FrameSpec, parameters: Mapping[str, float], origin: Array) -> None:
        self.stiffness, self.damping = parameters["frame_stiffness"], parameters["frame_damping"]
        self.arm = np.array(frame.axis) - origin
        self._centre, self._mass = np.array(frame.centre) - origin, frame.mass
        self._inertia = np.array(frame.inertia)
        self.reset()

    def reset(self) -> None:
        """Without twist."""
        self.twist = self.rate = 0.0

    @property
    def R(self) -> Array:
        """Axes of the rear half in those of the front half."""
        c, s = np.cos(self.twist), np.sin(self.twist)
        return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])

    def place(self, p: Array) -> Array:
        """Where a point of the rear half is that lay at p at the design position [m]."""
        return np.asarray(self.arm + self.R @ (p - self.arm))

    def lever(self, p: Array) -> Array:
        """Velocity of a point of the rear half for each unit of the rate of the twist [m]."""
        return np.cross(X, p - self.arm)

    def drift(self, w: Array, p: Array) -> Array:
        """Acceleration of a point of the rear half without those of body and twist [m/s²]."""
        own = self.rate * self.lever(p)
        return np.cross(w, np.cross(w, p)) + 2 * np.cross(w, own) + self.rate * np.cross(X, own)

    @property
    def motion(self) -> Array:
        """Velocity at the sprung centre of gravity and angular velocity of the rear half by the rate of the twist."""
        return np.concatenate((self.lever(np.zeros(3)), X))

    def join(self, M: Array, Q: Array, w: Array, g: Array, h: float) -> None:
        """Add the rear half where it is and the torsion of the frame, take away the half as a part of the rigid body.

        `g` is the acceleration of a free body in the turning axes [m/s²]. Stiffness and damping are implicit.
        """
        for sign, twists in ((1.0, True), (-1.0, False)):
            R = self.R if twists else np.eye(3)
            c, inertia = self.place(self._centre) if twists else self._centre, R @ self._inertia @ R.T
            A, B = np.zeros((3, len(Q))), np.zeros((3, len(Q)))
            A[:, :3], A[:, 3:6], B[:, 3:6] = np.eye(3), np.cross(np.eye(3), c).T, np.eye(3)
            turning, a0, gained = w, np.cross(w, np.cross(w, c)), np.zeros(3)
            if twists:
                A[:, -1], B[:, -1] = self.lever(c), X
                turning, a0, gained = w + self.rate * X, self.drift(w, c), np.cross(w, self.rate * X)
            M += sign * (self._mass * A.T @ A + B.T @ inertia @ B)
            moment = np.cross(turning, inertia @ turning) + inertia @ gained
            Q += sign * (self._mass * A.T @ (g - a0) - B.T @ moment)
        resists = self.stiffness * h + self.damping
        M[-1, -1] += resists * h
        Q[-1] -= self.stiffness * self.twist + resists * self.rate

    def energy(self, v: Array, w: Array, up: Array, gravity: float) -> float:
        """What the twist adds to the energy of the sprung body [J]; `up` is the vertical in V."""
        inertia, c = self.R @ self._inertia @ self.R.T, self.place(self._centre)
        velocity, turning = v + np.cross(w, c) + self.rate * self.lever(c), w + self.rate * X
        before = v + np.cross(w, self._centre)
        moving = self._mass * (velocity @ velocity - before @ before)
        moving += turning @ inertia @ turning - w @ self._inertia @ w
        raised = self._mass * gravity * up @ (c - self._centre)
        return float(0.5 * moving + raised + 0.5 * self.stiffness * self.twist**2)

    def move(self, acceleration: float, h: float) -> None:
        """A step with an acceleration of the twist [rad/s²]."""
        self.rate += h * acceleration
        self.twist += h * self.rate
