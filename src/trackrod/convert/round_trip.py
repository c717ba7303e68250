"""The virtual rig run on the real-time model, which must give back the maps that it was made of.

A converted axle on the rig is a static problem with a closed form. The wheels hold given travels, the rack is held; the
pose is Kin + ΣCom, and by virtual power the load of a pad is what springs, stops, anti-roll bar and the weight of the
wheel put on its travel. Poses and loads are compared with the maps, at their knots and half-way between them. At the
knots a conversion that keeps all detail is exact; between them the rules of interpolation differ (straight or without
overshoot in the model, parabolic in the maps), which is what the second number tells.

Limits: the compliance of the model is that of the design height and does not depend on travel or rack, as in the maps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.maps import Extrapolation, Interpolation, Map1D, Map2D, Variable
from trackrod.core.quantities import KINDS
from trackrod.kc.maps import KcMaps
from trackrod.kc.points import Load
from trackrod.rtm.spec import CHANNELS, COMPLIANCE_CHANNELS, Curve, RtmSpec, WheelSpec

__all__ = ["Deviation", "ModelRig", "round_trip"]

Array = NDArray[np.float64]

_LOADS = (Load.FX, Load.FX_DRIVE, Load.FY, Load.MZ)
_ANY = KINDS["number"]


@dataclass(frozen=True, slots=True)
class Deviation:
    """Largest difference between the model on the rig and a map.

    Attributes
    ----------
    axle, test, output
        What was compared.
    at_knots, between
        Largest difference at the knots of the map and half-way between them [SI unit of the output].
    span
        Largest value of the output less the smallest, over the map [the same].
    """

    axle: Axle
    test: str
    output: str
    at_knots: float
    between: float
    span: float


class ModelRig:
    """One axle of a real-time model on the rig.

    Parameters
    ----------
    spec
        The model.
    axle
        Which axle.
    """

    def __init__(self, spec: RtmSpec, axle: Axle) -> None:
        index = list(Axle).index(axle)
        self.axle = axle
        self.steered = spec.axles[index].steered
        corners = [Corner.of(axle, side) for side in Side]
        self._wheels = {side: spec.wheels[list(Corner).index(c)] for side, c in zip(Side, corners, strict=True)}
        self._kinematics = {side: _surface(wheel) for side, wheel in self._wheels.items()}
        p, data = spec.parameters, spec.axles[index]
        self._weight = p["gravity"] * p[f"unsprung_mass_{axle}"]
        self._forces = {
            "spring": (_curve(data.spring), p[f"spring_factor_{axle}"]),
            "stops": (_curve(data.stops), p[f"stop_factor_{axle}"]),
            "antiroll": (_curve(data.antiroll), p[f"antiroll_factor_{axle}"]),
        }
        self._compliance_factor = p[f"compliance_factor_{axle}"]

    def pose(self, side: Side, left: ArrayLike, right: ArrayLike, rack: ArrayLike = 0.0) -> Array:
        """Pose of an unloaded wheel and the length of its damper over travels and rack [m]: `CHANNELS` last."""
        z_left, z_right = np.asarray(left, dtype=float), np.asarray(right, dtype=float)
        if self.steered:
            return self._kinematics[side].value(z_left if side is Side.LEFT else z_right, rack)
        return self._kinematics[side].value(0.5 * (z_left + z_right), 0.5 * (z_left - z_right))

    def give(self, side: Side, load: Load, values: ArrayLike, *, opposite: bool = False) -> Array:
        """Change of pose over a load on the wheel itself or on the other one [N], [N·m]: `COMPLIANCE_CHANNELS` last."""
        x = np.asarray(values, dtype=float)
        wheel = self._wheels[side]
        if not wheel.compliance:
            return np.zeros((*x.shape, len(COMPLIANCE_CHANNELS)))
        item = wheel.compliance[_LOADS.index(load)]
        knots, rows = (item.opposite_load, item.opposite) if opposite else (item.own_load, item.own)
        outputs = [Variable(name, _ANY) for name in COMPLIANCE_CHANNELS]
        rules = (Interpolation.LINEAR, Extrapolation.LINEAR)
        curve = Map1D(Variable("load", _ANY), knots, outputs, rows, interpolation=rules[0], extrapolation=rules[1])
        return self._compliance_factor * curve.value(x)

    def load(self, left: ArrayLike, right: ArrayLike, *, stops: bool = True) -> tuple[Array, Array]:
        """Loads of the pads under left and right wheel [N] over travels [m], dampers at rest."""
        z = [np.asarray(item, dtype=float) for item in (left, right)]
        roll = self._force("antiroll", 0.5 * (z[0] - z[1]))
        pads = [
            self._spring(x) + (self._force("stops", x) if stops else 0.0) + sign * roll
            for x, sign in zip(z, (1.0, -1.0), strict=True)
        ]
        return pads[0], pads[1]

    def _spring(self, x: Array) -> Array:
        factor = self._forces["spring"][1]
        return self._force("spring", x) + (1.0 - factor) * self._weight

    def _force(self, name: str, x: Array) -> Array:
        curve, factor = self._forces[name]
        return np.zeros_like(x) if curve is None else factor * curve.value(x)[..., 0]

    def wheel_rate(self, travel: float = 0.0, *, stops: bool = True) -> float:
        """dFz/dz in parallel travel [N/m]."""
        return self._slope(travel, 1.0, stops)

    def roll_rate(self, travel: float = 0.0, *, stops: bool = True) -> float:
        """d(Fz_L − Fz_R)/2 by opposite travel [N/m]."""
        return self._slope(travel, -1.0, stops)

    def _slope(self, travel: float, right: float, stops: bool) -> float:
        step = 1e-6

        def mean(z: float) -> float:
            pads = self.load(z, right * z, stops=stops)
            return float(0.5 * (pads[0] + right * pads[1]))

        return (mean(travel + step) - mean(travel - step)) / (2.0 * step)


def round_trip(spec: RtmSpec, maps: Mapping[Axle, KcMaps]) -> tuple[Deviation, ...]:
    """Compare a model on the rig with the maps of the rig.

    Parameters
    ----------
    spec
        A converted model.
    maps
        What it was, or might have been, converted from.

    Holds: with all detail and compliance every `at_knots` is rounding, but for the stops in opposite travel, which
    the model takes from parallel travel.
    """
    found: list[Deviation] = []
    for axle, of in maps.items():
        rig = ModelRig(spec, axle)
        for side in Side:
            found += _kinematics(rig, of, side)
            found += _compliance(rig, of, side)
        found += _stiffness(rig, of)
    return tuple(found)


def _kinematics(rig: ModelRig, maps: KcMaps, side: Side) -> list[Deviation]:
    kinematics = maps.wheel(side).kinematics
    names = [name for name in CHANNELS if name in [output.name for output in kinematics.outputs]]
    columns = [kinematics.output_index(name) for name in names]

    def difference(x: Array, y: Array) -> Array:
        first, second = np.meshgrid(x, y, indexing="ij")
        left, right, rack = (first, first, second) if maps.steered else (first + second, first - second, 0.0)
        model = rig.pose(side, left, right, rack)[..., [CHANNELS.index(name) for name in names]]
        return np.asarray(np.abs(model - kinematics.value(first, second)[..., columns]).max(axis=(0, 1)))

    knots = kinematics.knots
    at, between = difference(*knots), difference(*(_halfway(x) for x in knots))
    span = np.ptp(kinematics.values[..., columns], axis=(0, 1))
    test = f"kinematics {side}"
    return [Deviation(rig.axle, test, *row) for row in zip(names, *_floats(at, between, span), strict=True)]


def _compliance(rig: ModelRig, maps: KcMaps, side: Side) -> list[Deviation]:
    found = []
    for load in (load for load in _LOADS if load in maps.wheel(side).own):
        for opposite, curves in ((False, maps.wheel(side).own), (True, maps.wheel(side).opposite)):
            curve = curves[load]
            columns = [curve.output_index(name) for name in COMPLIANCE_CHANNELS]
            at, between = (
                np.abs(rig.give(side, load, x, opposite=opposite) - curve.value(x)[:, columns]).max(axis=0)
                for x in (curve.knots, _halfway(curve.knots))
            )
            span = np.ptp(curve.values[:, columns], axis=0)
            test = f"{load} {'opposite' if opposite else 'own'} {side}"
            rows = zip(COMPLIANCE_CHANNELS, *_floats(at, between, span), strict=True)
            found += [Deviation(rig.axle, test, *row) for row in rows]
    return found


def _stiffness(rig: ModelRig, maps: KcMaps) -> list[Deviation]:
    """Mean load of both wheels in parallel travel, half their difference in opposite travel."""
    found = []
    for test, curve, sign in (("parallel", maps.ride, 1.0), ("opposite", maps.roll, -1.0)):
        for stops, suffix in ((True, ""), (False, "_without_stops")):
            columns = [curve.output_index(f"Fz_{side}{suffix}") for side in Side]

            def loads(x: Array, sign: float = sign, stops: bool = stops) -> Array:
                left, right = rig.load(x, sign * x, stops=stops)
                return np.asarray(0.5 * (left + sign * right))

            def mapped(x: Array, curve: Map1D = curve, columns: list[int] = columns, sign: float = sign) -> Array:
                values = curve.value(x)[:, columns]
                return np.asarray(0.5 * (values[:, 0] + sign * values[:, 1]))

            x = curve.knots
            at, between = (float(np.abs(loads(k) - mapped(k)).max()) for k in (x, _halfway(x)))
            found.append(Deviation(rig.axle, test, f"Fz{suffix}", at, between, float(np.ptp(mapped(x)))))
    return found


def _floats(*arrays: Array) -> list[list[float]]:
    return [array.tolist() for array in arrays]


def _halfway(knots: Array) -> Array:
    return np.asarray(0.5 * (knots[:-1] + knots[1:]))


def _surface(wheel: WheelSpec) -> Map2D:
    axes, outputs = (Variable("first", _ANY), Variable("second", _ANY)), [Variable(name, _ANY) for name in CHANNELS]
    rules = (Interpolation.PARABOLIC, Extrapolation.LINEAR)
    knots = (wheel.first, wheel.second)
    return Map2D(axes, knots, outputs, wheel.kinematics, interpolation=rules[0], extrapolation=rules[1])


def _curve(curve: Curve) -> Map1D | None:
    if not curve.x.size:
        return None
    rules = (Interpolation.PCHIP, Extrapolation.LINEAR)
    outputs = [Variable("force", KINDS["force"])]
    axis = Variable("travel", KINDS["length"])
    return Map1D(axis, curve.x, outputs, curve.y, interpolation=rules[0], extrapolation=rules[1])
