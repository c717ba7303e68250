"""Vehicles whose frame twists, and their warp stiffness on four posts, for both models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kc.simple_axles import ALONG_Y, CHASSIS, FREE, RATE, WHEEL, on_one_joint, vehicle_on
from trackrod.core import signals
from trackrod.core.corners import Axle, Corner
from trackrod.core.quantities import KINDS, STANDARD_GRAVITY
from trackrod.core.series import Run
from trackrod.manoeuvres.standing import PostMode
from trackrod.simulate.model import VehicleModel
from trackrod.vehicle.characteristics import Characteristic, DamperCharacteristic
from trackrod.vehicle.connectors import Damper
from trackrod.vehicle.elements import JointType
from trackrod.vehicle.vehicle import Vehicle

HEIGHT = 5e-3
#: Time to raise the posts, and until the vehicle stands still again [s].
RAISING, STANDING = 1.0, 3.0
#: Of the road: pads of a rig let the wheels slide.
SLIPPERY = 1e-3


def on_level_arms() -> Vehicle:
    """A vehicle on level trailing arms, whose springs carry it at the design position.

    Seen from the body its wheels move along z alone: they lean with it, and its roll centres lie on the road.
    """
    vehicle = vehicle_on(on_one_joint(JointType.REVOLUTE, (0.5, *WHEEL), ALONG_Y))
    sprung = vehicle.body(CHASSIS).mass / len(Corner) * STANDARD_GRAVITY
    springs = tuple(replace(spring, installed_length=FREE - sprung / RATE) for spring in vehicle.springs)
    curve = Characteristic.linear(3e3, 2.0, KINDS["velocity"], KINDS["force"])
    dampers = tuple(
        Damper(
            spring.name.replace("spring", "damper"),
            spring.bodies,
            spring.ends,
            DamperCharacteristic(curve),
            side=spring.side,
        )
        for spring in springs
    )
    return replace(vehicle, springs=springs, dampers=dampers)


@dataclass(frozen=True)
class Warped:
    """What a warp of the posts by one radian, front axle against rear axle, does.

    Attributes
    ----------
    front, rear
        Moments of the wheel loads [N·m].
    twist
        Of the frame [-].
    """

    front: float
    rear: float
    twist: float


def warped(model: VehicleModel, vehicle: Vehicle, height: float = HEIGHT) -> Warped:
    """A standing model on posts that warp slowly by ± a height [m]."""
    corners = [wheel.corner for wheel in vehicle.wheels for _ in wheel.tyres]
    model.set_friction(SLIPPERY)
    model.settle()
    steps = round((RAISING + STANDING) / model.step)
    part = np.clip(np.arange(steps) * model.step / RAISING, 0.0, 1.0)
    heights = np.outer(part**2 * (3 - 2 * part), [height * PostMode.WARP.sign(corner) for corner in corners])
    still = np.zeros(steps)
    run = model.advance(still, still, still, still - 1, every=10, road_heights=heights)
    angles = [2 * height / vehicle.track(axle) for axle in Axle]
    front, rear = (vehicle.track(axle) * _transfer(run, axle) / sum(angles) for axle in Axle)
    twist = _change(run, signals.FRAME_TWIST.column) if signals.FRAME_TWIST in run else 0.0
    return Warped(front, -rear, -twist / sum(angles))


def _transfer(run: Run, axle: Axle) -> float:
    left, right = (_change(run, signals.FZ[corner].column) for corner in Corner if corner.axle is axle)
    return 0.5 * (left - right)


def _change(run: Run, column: str) -> float:
    values: Sequence[float] = run[column]
    return float(np.mean(values[-20:]) - values[0])
