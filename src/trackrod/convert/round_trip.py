"""The virtual rig run on the real-time model, which must give back the maps that it was made of.

The compiled model itself is on the rig: travels, rack and loads are held, poses and the loads of the pads are read
through the functions that a step uses (``cpp/trackrod/rtm/rig.hpp``). They are compared with the maps, at their knots
and half-way between them. At the knots a conversion that keeps all detail is exact; between them the rules of
interpolation differ (straight or without overshoot in the model, parabolic in the maps), which is what the second
number tells.

A quasi-static compliance is compared with the maps of one wheel under a load of its own and of the other one. Where
compliance moves, the loads of both wheels are superposed of symmetric and antisymmetric ones: it is compared with the
elasticity of the axle under both, and half-way between knots with a straight line.

Limits: the compliance of the model is that of the design height and does not depend on travel or rack, as in the maps.
A load at the wheel centre cannot be put on an axle that holds the driveline's torque, and is not compared there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trackrod import _core
from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.maps import Map1D
from trackrod.kc.maps import KcMaps
from trackrod.kc.points import Load
from trackrod.rtm.compile import compile_model
from trackrod.rtm.elasticity import MIRROR, ElasticAxle
from trackrod.rtm.layout import AXLE_LOADS, CHANNELS, COMPLIANCE_CHANNELS, GIVEN_POSE
from trackrod.rtm.spec import RtmSpec

__all__ = ["Deviation", "ModelRig", "round_trip"]

Array = NDArray[np.float64]

_LOADS = (Load.FX, Load.FX_DRIVE, Load.FY, Load.MZ)
#: Loads on wheels that give [N], [N·m].
_FORCE = 3000.0
_MOMENT = 100.0


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
        self.moving = spec.axles[index].elasticity is not None
        self.drive_on_carrier = spec.axles[index].drive_on_carrier
        self._wheels = {side: Corner.of(axle, side).index for side in Side}
        self._core = compile_model(spec)
        without_stops = spec.with_parameters(**{f"stop_factor_{axle}": 0.0})
        self._without_stops = compile_model(without_stops)
        self._without_bar = compile_model(without_stops.with_parameters(**{f"antiroll_factor_{axle}": 0.0}))

    def pose(self, side: Side, left: ArrayLike, right: ArrayLike, rack: ArrayLike = 0.0) -> Array:
        """Pose of an unloaded wheel and the length of its damper over travels and rack [m]: `CHANNELS` last."""
        return self._hold(self._core, left, right, rack)[..., self._wheels[side], : len(CHANNELS)]

    def give(self, side: Side, load: Load, left: ArrayLike, right: ArrayLike = 0.0) -> Array:
        """Change of a wheel's pose over loads on left and right wheel [N], [N·m]: `COMPLIANCE_CHANNELS` last."""
        row = _LOADS.index(load) * len(Corner)
        columns = [CHANNELS.index(name) for name in COMPLIANCE_CHANNELS]
        forces = np.broadcast_arrays(np.asarray(left, dtype=float), np.asarray(right, dtype=float))
        loads = {row + self._wheels[each]: force for each, force in zip(Side, forces, strict=True)}
        held, free = (self._hold(self._core, 0.0 * forces[0], 0.0, 0.0, given) for given in (loads, None))
        return (held - free)[..., self._wheels[side], columns]

    def load(
        self, left: ArrayLike, right: ArrayLike, rack: ArrayLike = 0.0, *, stops: bool = True
    ) -> tuple[Array, Array]:
        """Loads of the pads under left and right wheel [N] over travels of wheels and rack [m], dampers at rest."""
        pads = self._hold(self._core if stops else self._without_stops, left, right, rack)[..., -1]
        return pads[..., self._wheels[Side.LEFT]], pads[..., self._wheels[Side.RIGHT]]

    def load_under(self, load: Load, forces: Array, travel: Array) -> Array:
        """Loads of the pads under left and right wheel [N] at travels [m], with a load on each of them [N], [N·m].

        Without what the load does by virtual work of the kinematics.
        """
        row = _LOADS.index(load) * len(Corner)
        given = {row + self._wheels[side]: force for side, force in zip(Side, forces, strict=True)}
        pads = self._hold(self._core, travel[0], travel[1], 0.0, given)[..., -1]
        return np.array([pads[self._wheels[side]] for side in Side])

    def of_bar(self, left: ArrayLike, right: ArrayLike) -> tuple[Array, Array]:
        """The part of the anti-roll bar in these loads [N]."""
        cores = (self._without_stops, self._without_bar)
        whole, rest = (self._hold(core, left, right, 0.0)[..., -1] for core in cores)
        pads = whole - rest
        return pads[..., self._wheels[Side.LEFT]], pads[..., self._wheels[Side.RIGHT]]

    def _hold(
        self,
        core: _core.Rtm,
        left: ArrayLike,
        right: ArrayLike,
        rack: ArrayLike,
        loads: Mapping[int, ArrayLike] | None = None,
    ) -> Array:
        """Channels of the pose and pad load of every wheel; loads by their column, which counts loads, then wheels."""
        loads = loads or {}
        given = np.broadcast_arrays(left, right, rack, *loads.values())
        targets = np.zeros((*given[0].shape, len(Corner) + 1 + len(_LOADS) * len(Corner)))
        for side, values in zip(Side, given, strict=False):
            targets[..., self._wheels[side]] = values
        targets[..., len(Corner)] = given[2]
        for column, values in zip(loads, given[3:], strict=True):
            targets[..., len(Corner) + 1 + column] = values
        read = core.rig(np.ascontiguousarray(targets.reshape(-1, targets.shape[-1])))
        return np.asarray(read).reshape(*given[0].shape, *read.shape[1:])

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

    Holds: with all detail and compliance every `at_knots` is rounding, but for the stops in opposite travel, whose
    force over their own travel the model takes from parallel travel.
    """
    found: list[Deviation] = []
    for axle, of in maps.items():
        rig = ModelRig(spec, axle)
        for side in Side:
            found += _kinematics(rig, of, side)
            found += _moving_compliance(rig, of.elasticity, side) if rig.moving else _compliance(rig, of, side)
        found += _stiffness(rig, of)
        found += [] if of.by_rack is None else _by_rack(rig, of.by_rack)
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
            left = (side is Side.LEFT) != opposite
            at, between = (
                np.abs(rig.give(side, load, x * left, x * (not left)) - curve.value(x)[:, columns]).max(axis=0)
                for x in (curve.knots, _halfway(curve.knots))
            )
            span = np.ptp(curve.values[:, columns], axis=0)
            test = f"{load} {'opposite' if opposite else 'own'} {side}"
            rows = zip(COMPLIANCE_CHANNELS, *_floats(at, between, span), strict=True)
            found += [Deviation(rig.axle, test, *row) for row in rows]
    return found


def _moving_compliance(rig: ModelRig, axle: ElasticAxle | None, side: Side) -> list[Deviation]:
    """Poses over symmetric and antisymmetric loads."""
    if axle is None:
        return []
    steer = rig.pose(side, 0.0, 0.0)[CHANNELS.index("rz")]

    def poses_under(left: Array, right: Array) -> Array:
        given = np.split(axle.poses(left, right), 2, axis=-1)[list(Side).index(side)]
        pose = dict(zip(GIVEN_POSE, given.T, strict=True))
        # a wheel that is steered leans by its pitch
        pose["rx"] = pose["rx"] * np.cos(steer) + pose["ry"] * np.sin(steer)
        return np.column_stack([pose[name] for name in COMPLIANCE_CHANNELS])

    known = {Load.FX: "brake", Load.FY: "fy", Load.MZ: "mz"}
    if not rig.drive_on_carrier:
        known[Load.FX_DRIVE] = "fx"
    found: list[Deviation] = []
    for (load, name), (which, sign) in product(known.items(), (("symmetric", 1.0), ("antisymmetric", -1.0))):
        row = AXLE_LOADS.index(name)
        right = sign * MIRROR[row]
        x = (_MOMENT if load.is_moment else _FORCE) * np.linspace(-1.0, 1.0, 9)
        loads = np.outer(x, np.eye(len(AXLE_LOADS))[row])
        poses = poses_under(loads, right * loads)
        at, between = (
            np.abs(rig.give(side, load, each, right * each) - of).max(axis=0)
            for each, of in ((x, poses), (_halfway(x), _halfway(poses)))
        )
        rows = zip(COMPLIANCE_CHANNELS, *_floats(at, between, np.ptp(poses, axis=0)), strict=True)
        found += [Deviation(rig.axle, f"{load} {which} {side}", *each) for each in rows]
    return found


def _stiffness(rig: ModelRig, maps: KcMaps) -> list[Deviation]:
    """Mean load of both wheels in parallel travel, half their difference in opposite travel."""
    found = []
    ways: dict[str, Callable[[Array, Array], tuple[Array, Array]]] = {
        "": rig.load,
        "_without_stops": partial(rig.load, stops=False),
        "_of_bar": rig.of_bar,
    }
    for test, curve, sign in (("parallel", maps.ride, 1.0), ("opposite", maps.roll, -1.0)):
        known = [output.name for output in curve.outputs]
        for suffix, load in ((suffix, load) for suffix, load in ways.items() if f"Fz_left{suffix}" in known):
            columns = [curve.output_index(f"Fz_{side}{suffix}") for side in Side]

            def loads(x: Array, sign: float = sign, load: Callable[..., tuple[Array, Array]] = load) -> Array:
                left, right = load(x, sign * x)
                return np.asarray(0.5 * (left + sign * right))

            def mapped(x: Array, curve: Map1D = curve, columns: list[int] = columns, sign: float = sign) -> Array:
                values = curve.value(x)[:, columns]
                return np.asarray(0.5 * (values[:, 0] + sign * values[:, 1]))

            x = curve.knots
            at, between = (float(np.abs(loads(k) - mapped(k)).max()) for k in (x, _halfway(x)))
            found.append(Deviation(rig.axle, test, f"Fz{suffix}", at, between, float(np.ptp(mapped(x)))))
    return found


def _by_rack(rig: ModelRig, changes: Map1D) -> list[Deviation]:
    """What the rack changes of the loads of both wheels."""
    found = []
    for k, side in enumerate(Side):
        column = changes.output_index(f"Fz_{side}")

        def loads(rack: Array, k: int = k) -> Array:
            return np.asarray(rig.load(0.0 * rack, 0.0, rack)[k] - rig.load(0.0, 0.0)[k])

        x, values = np.array(changes.knots), changes.values[:, column]
        at, between = (float(np.abs(loads(each) - changes.value(each)[:, column]).max()) for each in (x, _halfway(x)))
        found.append(Deviation(rig.axle, f"rack {side}", "Fz", at, between, float(np.ptp(values))))
    return found


def _floats(*arrays: Array) -> list[list[float]]:
    return [array.tolist() for array in arrays]


def _halfway(knots: Array) -> Array:
    return np.asarray(0.5 * (knots[:-1] + knots[1:]))
