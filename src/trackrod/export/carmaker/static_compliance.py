"""What an axle that gives with inertia and damping does in the end: tables over the loads of each wheel."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from trackrod.core.corners import Axle, Side
from trackrod.rtm.elasticity import ElasticAxle
from trackrod.rtm.layout import AXLE_LOADS, COMPLIANCE_CHANNELS, GIVEN_POSE
from trackrod.rtm.spec import ComplianceSpec, RtmSpec, WheelSpec

__all__ = ["quasi_static"]

Array = NDArray[np.float64]

#: Forces over the standing load of a wheel, and aligning moments over it [m], up to which tables go; their points.
_FORCE, _ARM, _POINTS = 1.6, 0.1, 41


def quasi_static(spec: RtmSpec) -> RtmSpec:
    """A model whose axles give by tables, without inertia and damping; as it is where they do already."""
    wheels = list(spec.wheels)
    for i, wheel in enumerate(wheels):
        axle = spec.axles[tuple(Axle).index(wheel.corner.axle)]
        if axle.elasticity is not None:
            # brake force, driving force, lateral force, aligning moment
            names = ("brake", "brake" if axle.drive_on_carrier else "fx", "fy", "mz")
            wheels[i] = replace(wheel, compliance=tuple(_table(axle.elasticity, wheel, name) for name in names))
    return replace(spec, wheels=tuple(wheels), axles=tuple(replace(axle, elasticity=None) for axle in spec.axles))


def _table(axle: ElasticAxle, wheel: WheelSpec, name: str) -> ComplianceSpec:
    """Poses of a wheel over a load of its own, and over the same on the wheel beside it."""
    standing = float(np.interp(0.0, wheel.spring.x, wheel.spring.y))
    loads = standing * (_ARM if name == "mz" else _FORCE) * np.linspace(-1.0, 1.0, _POINTS)
    on_one, on_none = np.zeros((_POINTS, len(AXLE_LOADS))), np.zeros((_POINTS, len(AXLE_LOADS)))
    on_one[:, AXLE_LOADS.index(name)] = loads
    of_left, of_right = axle.poses(on_one, on_none), axle.poses(on_none, on_one)
    first = 0 if wheel.corner.side is Side.LEFT else len(GIVEN_POSE)
    channels = [first + GIVEN_POSE.index(channel) for channel in COMPLIANCE_CHANNELS]
    own, other = (of_left, of_right) if wheel.corner.side is Side.LEFT else (of_right, of_left)
    return ComplianceSpec(loads, own[:, channels], loads, other[:, channels])
