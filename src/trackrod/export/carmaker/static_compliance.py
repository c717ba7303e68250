"""What an axle that gives with inertia and damping does in the end: tables over the loads of each wheel."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from trackrod.core.corners import Axle, Side
from trackrod.core.maps import Extrapolation, Interpolation, Map2D, Variable
from trackrod.core.quantities import KINDS
from trackrod.kc.elasticity import MIRROR
from trackrod.rtm.elasticity import ElasticAxle, ElasticMode, PoseCurve
from trackrod.rtm.layout import AXLE_LOADS, COMPLIANCE_CHANNELS, GIVEN_POSE
from trackrod.rtm.spec import ComplianceSpec, RtmSpec

__all__ = ["quasi_static"]

Array = NDArray[np.float64]

#: Aligning moments over lateral forces up to which a linear compliance is written down [m].
_ARM = 0.0625


def quasi_static(spec: RtmSpec) -> RtmSpec:
    """A model whose axles give by tables, without inertia and damping; as it is where they do already."""
    wheels = list(spec.wheels)
    for i, wheel in enumerate(wheels):
        axle = spec.axles[tuple(Axle).index(wheel.corner.axle)]
        if axle.elasticity is not None:
            given = _Static(axle.elasticity, on_carrier=axle.drive_on_carrier)
            wheels[i] = replace(wheel, compliance=given.of(wheel.corner.side))
    return replace(spec, wheels=tuple(wheels), axles=tuple(replace(axle, elasticity=None) for axle in spec.axles))


class _Static:
    def __init__(self, axle: ElasticAxle, *, on_carrier: bool) -> None:
        self.axle, self.on_carrier = axle, on_carrier

    def of(self, side: Side) -> tuple[ComplianceSpec, ...]:
        """Brake force, driving force, lateral force, aligning moment."""
        drive = "brake" if self.on_carrier else "fx"
        other = Side.RIGHT if side is Side.LEFT else Side.LEFT
        tables = []
        for name in ("brake", drive, "fy", "mz"):
            loads = self._loads(name)
            tables.append(
                ComplianceSpec(loads, self._pose(name, loads, side, side), loads, self._pose(name, loads, other, side))
            )
        return tuple(tables)

    def _loads(self, name: str) -> Array:
        """Loads of one wheel; of a lateral force half goes to each mode."""
        if name in ("fy", "mz"):
            return np.asarray((2.0 if name == "fy" else _ARM) * self.axle.fy.symmetric)
        return np.asarray(getattr(self.axle.symmetric, name).load)

    def _pose(self, name: str, loads: Array, loaded: Side, side: Side) -> Array:
        """Changes of a wheel's pose under a load on one of both.

        Half of what the same load does on both wheels alike and opposed: exact where each gives by itself, whatever the
        curve. A map knows the lateral force on one wheel.
        """
        mirror = float(MIRROR[AXLE_LOADS.index(name)])
        symmetric, antisymmetric = (loads * (1.0 if loaded is Side.LEFT else way) for way in (mirror, -mirror))
        if name == "fy":
            poses = self._lateral(0.5 * symmetric, 0.5 * antisymmetric)
        else:
            alike, opposed = (
                _mode(self.axle.symmetric, name, symmetric),
                _mode(self.axle.antisymmetric, name, antisymmetric),
            )
            poses = 0.5 * (alike + opposed)
        first = 0 if side is Side.LEFT else len(GIVEN_POSE)
        return poses[:, [first + GIVEN_POSE.index(channel) for channel in COMPLIANCE_CHANNELS]]

    def _lateral(self, symmetric: Array, antisymmetric: Array) -> Array:
        found = self.axle.fy
        axes = (Variable("symmetric", KINDS["force"]), Variable("antisymmetric", KINDS["force"]))
        outputs = [Variable(f"pose_{k}", KINDS["number"]) for k in range(found.pose.shape[-1])]
        rules = {"interpolation": Interpolation.LINEAR, "extrapolation": Extrapolation.LINEAR}
        map_ = Map2D(axes, (found.symmetric, found.antisymmetric), outputs, found.pose, **rules)
        return np.asarray(map_.value(symmetric, antisymmetric))


def _mode(mode: ElasticMode, name: str, loads: Array) -> Array:
    if name == "mz":
        return np.outer(loads, mode.pose[AXLE_LOADS.index("mz")])
    curve: PoseCurve = getattr(mode, name)
    return np.column_stack([np.interp(loads, curve.load, column) for column in curve.pose.T])
