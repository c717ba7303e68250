"""Warp stiffness of a standing vehicle on four posts, for any model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trackrod.core import signals
from trackrod.core.corners import Axle, Corner
from trackrod.core.series import Run
from trackrod.core.signals import Signal
from trackrod.manoeuvres.standing import PostMode
from trackrod.simulate.model import VehicleModel
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["FRICTION", "Warp", "measure_warp"]

#: How far each post is raised or lowered [m].
HEIGHT = 5e-3
#: Friction factor under the tyres: pads of a rig let wheels slide.
FRICTION = 1e-3
#: Time to raise the posts, and until the vehicle stands still again [s].
RAISING, STANDING = 1.0, 3.0
#: Samples at the end that are averaged, and steps from sample to sample.
_LAST, _EVERY = 20, 10


@dataclass(frozen=True, slots=True)
class Warp:
    """What the posts do for each radian that they warp the front axle against the rear axle.

    Attributes
    ----------
    front, rear
        Moments of the wheel loads of the axles, in the sense of the warp [N·m/rad].
    twist
        Of the frame [-]; 0 where it is rigid.
    """

    front: float
    rear: float
    twist: float

    @property
    def stiffness(self) -> float:
        """Mean of both axles [N·m/rad]; gravity, which tips the halves of a soft frame, makes them differ."""
        return 0.5 * (self.front + self.rear)


def measure_warp(model: VehicleModel, vehicle: Vehicle) -> Warp:
    """Let a model stand on slippery posts and warp them slowly.

    Parameters
    ----------
    model
        Of the vehicle, with dampers; its friction is changed.
    vehicle
        Gives the tracks.
    """
    corners = [wheel.corner for wheel in vehicle.wheels for _ in wheel.tyres]
    model.set_friction(FRICTION)
    model.settle()
    steps = round((RAISING + STANDING) / model.step)
    part = np.clip(np.arange(steps) * model.step / RAISING, 0.0, 1.0)
    heights = np.outer(part**2 * (3 - 2 * part), [HEIGHT * PostMode.WARP.sign(corner) for corner in corners])
    neutral = np.tile([0.0, 0.0, 0.0, -1.0], (steps, 1))
    run = model.run(model.advance_rows(neutral, _EVERY, heights))
    angle = sum(2 * HEIGHT / vehicle.track(axle) for axle in Axle)
    front, rear = (vehicle.track(axle) * _transfer(run, axle) / angle for axle in Axle)
    twist = _change(run, signals.FRAME_TWIST) if signals.FRAME_TWIST.column in run else 0.0
    return Warp(front, -rear, -twist / angle)


def _transfer(run: Run, axle: Axle) -> float:
    """Load that the left wheel gains and the right one loses [N]."""
    left, right = (_change(run, signals.FZ[corner]) for corner in Corner if corner.axle is axle)
    return 0.5 * (left - right)


def _change(run: Run, signal: Signal) -> float:
    return float(run[signal][-_LAST:].mean() - run[signal][0])
