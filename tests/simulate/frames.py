"""A vehicle so simple that the warp stiffness of its frame and axles has a closed form."""

from __future__ import annotations

from dataclasses import replace

from kc.simple_axles import ALONG_Y, CHASSIS, FREE, RATE, WHEEL, on_one_joint, vehicle_on
from trackrod.core.corners import Corner
from trackrod.core.quantities import KINDS, STANDARD_GRAVITY
from trackrod.vehicle.characteristics import Characteristic, DamperCharacteristic
from trackrod.vehicle.connectors import Damper
from trackrod.vehicle.elements import JointType
from trackrod.vehicle.vehicle import Vehicle


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
