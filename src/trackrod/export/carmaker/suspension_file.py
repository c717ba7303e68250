"""Suspension files of CarMaker (``.skc``): kinematics, lengths of force elements, compliance.

Compression is the travel of the model. Kinematics of an axle with a rack go over its own compression and the rack,
positive to the left; what such an axle does in opposite travel is a second map that is added. Kinematics of the others
go over own and opposite compression.

Compliance is a curve for each load at the wheel centre. The model's loads act at the contact patch: what a moment about
the longitudinal axis does is in the curve of the lateral force (paper 002), and what the torque of a brake does more
than a driving force stands over the moment about the lateral axis.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trackrod.core.corners import Axle, Side
from trackrod.export.carmaker.elements import AxleElements, kinematics_map
from trackrod.export.carmaker.text import SourcedText
from trackrod.rtm.layout import CHANNELS, COMPLIANCE_CHANNELS, COMPLIANCE_LOADS
from trackrod.rtm.spec import ComplianceSpec, RtmSpec, WheelSpec

__all__ = ["PREFIX", "suspension_text"]

Array = NDArray[np.float64]

PREFIX = {Axle.FRONT: "SuspF", Axle.REAR: "SuspR"}
_SIDES = {Side.LEFT: "L", Side.RIGHT: "R"}
_POSE = ("tx", "ty", "tz", "rx", "ry", "rz")
_LENGTHS = ("lSpring", "lDamp", "lBuf", "lStabi")
#: What a map that is added may hold: nothing that must grow with the compression.
_ADDED = ("tx", "ty", "rx", "ry", "rz")
_LOADS = ("Frc.x", "Frc.y", "Trq.x", "Trq.y", "Trq.z")
#: Changes in opposite travel that are not worth a map [m], [rad].
_NOTHING = 1e-6
#: Knots of a map that is added, about.
_MOST_KNOTS = 40
_FIRST = "#INFOFILE1 - Do not remove this line!"


def suspension_text(spec: RtmSpec, elements: AxleElements, creator: str) -> SourcedText:
    """The suspension file of an axle.

    Parameters
    ----------
    spec
        The model.
    elements
        Force elements of the axle.
    creator
        What is written about who made it.
    """
    axle = elements.axle
    prefix = PREFIX[axle]
    text = SourcedText(_FIRST, source="fixed")
    text.put("FileIdent", "CarMaker-SuspKnC-* 1")
    text.put("FileCreator", creator)
    text.blank()
    text.put_lines("Description", [f"Suspension of the {axle} axle of {spec.name}"])
    text.blank()
    added = elements.steered and any(_is_worth(wheel) for wheel in elements.wheels)
    text.put(f"{prefix}.Kin.N", 2 if added else 1)
    maps = [_by_steering if elements.steered else _by_opposite, *([_in_roll] if added else [])]
    for number, rows in enumerate(maps):
        kin = f"{prefix}.Kin.{number}"
        _head(text, kin, "MapNL")
        for k, side in enumerate(Side):
            text.blank()
            arguments, knots, names, values = rows(spec, elements, k)
            text.source = "kinematics" if number == 0 else "kinematics in roll"
            _table(text, f"{kin}.{_SIDES[side]}", arguments, knots, names, values)
            text.source = "fixed"
    text.blank()
    loads = _compliance(spec, elements)
    text.put(f"{prefix}.Com.N", len(loads))
    for number, (load, curves) in enumerate(loads.items()):
        com = f"{prefix}.Com.{number}"
        _head(text, com, "DisplaceLinearFr1 1")
        text.source = f"compliance: {_SOURCES[load.replace('Opp', '')]}"
        for side in Side:
            at, values = curves[side]
            key = f"{com}.{_SIDES[side]}"
            text.put(f"{key}.Arg", load)
            text.put(f"{key}.Arg0", *at)
            text.put(f"{key}.Arg0.Fac2SI", 1.0)
            text.put(f"{key}.Data.Name", *_POSE)
            text.put(f"{key}.Data.Fac2SI", *[1.0] * len(_POSE))
            text.put_table(f"{key}.Data", *values.T)
        text.source = "fixed"
    return text


_SOURCES = {
    "Frc.x": "drive_force",
    "Frc.y": "side_force at the contact patch",
    "Trq.x": "none: it is in Frc.y",
    "Trq.y": "brake_force less drive_force, over the wheel radius",
    "Trq.z": "aligning_moment",
}


def _head(text: SourcedText, key: str, kind: str) -> None:
    text.put(f"{key}.Kind", kind)
    text.put(f"{key}.ValidSide", "left+right")
    text.put(f"{key}.InputSide", "left+right")


def _table(
    text: SourcedText, key: str, arguments: str, knots: tuple[Array, Array], names: tuple[str, ...], values: Array
) -> None:
    """A map: knots, names, and a line for each pair of knots; an empty one after each of the first."""
    text.put(f"{key}.Arg", arguments)
    text.blank()
    for i, at in enumerate(knots):
        text.put(f"{key}.Arg{i}", *at)
        text.put(f"{key}.Arg{i}.Fac2SI", 1.0)
        text.blank()
    text.put(f"{key}.Data.Name", "%i0", "%i1", *names)
    text.put(f"{key}.Data.Fac2SI", 1, 1, *[1.0] * len(names))
    text.blank()
    lines = []
    for i, block in enumerate(values):
        lines += [" ".join([str(i), str(j), *(repr(float(v) + 0.0) for v in row)]) for j, row in enumerate(block)]
        lines.append('""')
    text.put_lines(f"{key}.Data", lines)


Rows = tuple[str, tuple[Array, Array], tuple[str, ...], Array]


def _with_lengths(elements: AxleElements, k: int, poses: Array, own: Array, other: Array) -> Array:
    """Poses of a wheel and lengths of its elements; `other` is the rack or the opposite compression."""
    lengths = [
        elements.spring_lengths(own, other, k),
        poses[:, CHANNELS.index("damper_length")],
        elements.stop_lengths(own, other, k),
        elements.bar_lengths(own, other, k),
    ]
    return np.column_stack((poses[:, [CHANNELS.index(name) for name in _POSE]], *lengths))


def _by_steering(_spec: RtmSpec, elements: AxleElements, k: int) -> Rows:
    wheel = elements.wheels[k]
    order = slice(None) if elements.to_left > 0 else slice(None, None, -1)
    own, rack = (item.ravel() for item in np.meshgrid(wheel.first, wheel.second[order], indexing="ij"))
    poses = wheel.kinematics[:, order].reshape(own.size, -1)
    values = _with_lengths(elements, k, poses, own, rack).reshape(wheel.first.size, wheel.second.size, -1)
    return "comp steer", (wheel.first, elements.to_left * wheel.second[order]), (*_POSE, *_LENGTHS), values


def _by_opposite(_spec: RtmSpec, elements: AxleElements, k: int) -> Rows:
    wheel = elements.wheels[k]
    knots = wheel.first
    own, other = (item.ravel() for item in np.meshgrid(knots, knots, indexing="ij"))
    sign = 1.0 if k == 0 else -1.0
    poses = kinematics_map(wheel).value(0.5 * (own + other), sign * 0.5 * (own - other))
    values = _with_lengths(elements, k, poses, own, other).reshape(knots.size, knots.size, -1)
    return "comp comp", (knots, knots), (*_POSE, *_LENGTHS), values


def _is_worth(wheel: WheelSpec) -> bool:
    columns = [CHANNELS.index(name) for name in _ADDED]
    return bool(wheel.opposite.size and np.abs(wheel.in_roll[:, columns]).max() > _NOTHING)


def _in_roll(_spec: RtmSpec, elements: AxleElements, k: int) -> Rows:
    """What kinematics change over half the difference of the compressions."""
    wheel = elements.wheels[k]
    knots = wheel.opposite[:: max(1, wheel.opposite.size // _MOST_KNOTS)]
    own, other = (item.ravel() for item in np.meshgrid(knots, knots, indexing="ij"))
    half = 0.5 * (own - other) * (1.0 if k == 0 else -1.0)
    columns = [np.interp(half, wheel.opposite, wheel.in_roll[:, CHANNELS.index(name)]) for name in _ADDED]
    values = np.column_stack(columns).reshape(knots.size, knots.size, -1)
    return "comp comp", (knots, knots), _ADDED, values


# ---------------------------------------------------------------------------------------------------- compliance


def _compliance(spec: RtmSpec, elements: AxleElements) -> dict[str, dict[Side, tuple[Array, Array]]]:
    """Loads, and changes of the pose of each wheel, by the names of CarMaker."""
    if not all(wheel.compliance for wheel in elements.wheels):
        return {}
    factor = spec.parameters[f"compliance_factor_{elements.axle}"]
    found: dict[str, dict[Side, tuple[Array, Array]]] = {}
    for opposite in ("", "Opp"):
        for load in _LOADS:
            name = load.replace(".", f"{opposite}.")
            found[name] = {}
            for wheel, side in zip(elements.wheels, Side, strict=True):
                radius = wheel.centre[2] - spec.road_height
                at, values = _curve(wheel, load, radius, is_opposite=bool(opposite))
                pose = np.zeros((at.size, len(_POSE)))
                pose[:, [_POSE.index(channel) for channel in COMPLIANCE_CHANNELS]] = factor * values
                found[name][side] = (at, pose)
    return found


def _curve(wheel: WheelSpec, load: str, radius: float, *, is_opposite: bool) -> tuple[Array, Array]:
    def of(name: str) -> tuple[Array, Array]:
        item: ComplianceSpec = wheel.compliance[COMPLIANCE_LOADS.index(name)]
        return (item.opposite_load, item.opposite) if is_opposite else (item.own_load, item.own)

    if load == "Trq.z":
        return of("aligning_moment")
    if load == "Frc.y":
        return of("side_force")
    at, drive = of("drive_force")
    if load == "Frc.x":
        return at, drive
    if load == "Trq.x":
        return radius * at[[0, -1]], np.zeros((2, drive.shape[1]))
    braked = of("brake_force")
    values = np.column_stack([np.interp(at, braked[0], column) for column in braked[1].T]) - drive
    return -radius * at[::-1], values[::-1]
