"""Springs (.spr, _spr.xml), dampers (.dpr), stops (.bum, .reb) and bushings (.bus, _bus.xml)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from trackrod.adams.property_files.afc import AfcSource, Element, is_xml
from trackrod.adams.property_files.source import TeimOrbitSource, bounded_file, stand_in
from trackrod.core.errors import Place, Problem
from trackrod.core.quantities import KINDS, Kind
from trackrod.vehicle.characteristics import (
    BUSHING_DIRECTIONS,
    BushingCharacteristic,
    Characteristic,
    DamperCharacteristic,
    SpringCharacteristic,
    StopCharacteristic,
)

__all__ = ["read_bumpstop", "read_bushing", "read_damper", "read_reboundstop", "read_spring"]

_FORCE_OVER_LENGTH = (KINDS["length"], KINDS["force"])
_FORCE_OVER_VELOCITY = (KINDS["velocity"], KINDS["force"])
_TORQUE_OVER_ANGLE = (KINDS["angle"], KINDS["torque"])

#: Half range over which a bushing with one stiffness is drawn [m], [rad]; the line is the same beyond it.
_LINEAR_REACH = {"length": 0.01, "angle": 0.1}


def read_spring(path: Path | str) -> tuple[SpringCharacteristic, tuple[Problem, ...]]:
    """Read a spring, TeimOrbit or XML, whichever the file holds.

    Compression and pushing force are positive. An XML spring over its length is turned into one over its
    compression from the free length; one with a rate alone is drawn over its free length either way.
    """
    return _xml_spring(path) if is_xml(bounded_file(path)) else _teimorbit_spring(path)


def _teimorbit_spring(path: Path | str) -> tuple[SpringCharacteristic, tuple[Problem, ...]]:
    source = TeimOrbitSource(path, "spr")
    free_length = source.number(source.block("SPRING_DATA"), "FREE_LENGTH", KINDS["length"], above_zero=True)
    curve = source.points("CURVE", _FORCE_OVER_LENGTH, ("disp", "force"))
    source.rises(curve, "the force of the spring", source.place("CURVE"))
    source.note_unread(("SPRING_DATA", "CURVE"))
    problems = source.finish()
    return SpringCharacteristic(curve, free_length), problems


def _xml_spring(path: Path | str) -> tuple[SpringCharacteristic, tuple[Problem, ...]]:
    source = AfcSource(path)
    element = source.only("SpringProperties")
    free_length = source.number(element, "freeLength", KINDS["length"], above_zero=True)
    if source.choice(element, "method", ("linear", "non_linear")) == "linear":
        rate = source.number(element, "rate", KINDS["stiffness"])
        curve = Characteristic.linear(rate, max(free_length, 1e-9), *_FORCE_OVER_LENGTH)
    else:
        over_length = source.choice(element, "independentAxis", ("deflection", "length")) == "length"
        curve = source.spline(element, "Spline", _FORCE_OVER_LENGTH)
        compression = free_length - curve.x[::-1]
        if over_length and source.increasing(compression, [element.place] * compression.size, "the compression"):
            curve = Characteristic(compression, curve.y[::-1], *_FORCE_OVER_LENGTH)
    source.rises(curve, "the force of the spring", element.place)
    problems = source.finish()
    return SpringCharacteristic(curve, free_length), problems


def read_damper(path: Path | str) -> tuple[DamperCharacteristic, tuple[Problem, ...]]:
    """Read a damper (.dpr): force over velocity, both positive in extension."""
    source = TeimOrbitSource(path, "dpr")
    curve = source.points("CURVE", _FORCE_OVER_VELOCITY, ("vel", "force"))
    place = source.place("CURVE")
    source.rises(curve, "the force of the damper", place)
    if (np.sign(curve.x) * np.sign(curve.y) < 0).any():
        source.warn("the damper drives instead of resisting: velocity and force differ in sign", place)
    source.note_unread(("CURVE",))
    problems = source.finish()
    return DamperCharacteristic(curve), problems


def read_bumpstop(path: Path | str) -> tuple[StopCharacteristic, tuple[Problem, ...]]:
    """Read a bump stop (.bum): force over penetration."""
    return _stop(path)


def read_reboundstop(path: Path | str) -> tuple[StopCharacteristic, tuple[Problem, ...]]:
    """Read a rebound stop (.reb): force over penetration, as for a bump stop."""
    return _stop(path)


def _stop(path: Path | str) -> tuple[StopCharacteristic, tuple[Problem, ...]]:
    source = TeimOrbitSource(path, "bum", "reb")
    curve = source.points("CURVE", _FORCE_OVER_LENGTH, ("disp", "force"))
    place = source.place("CURVE")
    curve = _from_contact_on(source, curve, place)
    source.rises(curve, "the force of the stop", place)
    if (curve.y < 0).any():
        source.warn("the stop pulls: its force is negative somewhere", place)
    source.note_unread(("CURVE",))
    problems = source.finish()
    return StopCharacteristic(curve), problems


def _from_contact_on(source: TeimOrbitSource, curve: Characteristic, place: Place) -> Characteristic:
    """The part of a stop's curve from zero penetration on; before contact there is no force."""
    before = curve.x < 0
    if before.any():
        kept = ~before
        if (curve.y[before] != 0).any():
            source.error("the stop has a force before contact, at negative displacement", place)
        elif np.count_nonzero(kept) < 2 or curve.x[kept][0] != 0:
            hint = "two rows or more from a displacement of zero on are needed"
            source.error("the stop has no row at zero displacement", place, hint)
        else:
            source.note(f"{np.count_nonzero(before)} rows without force before contact are left out", place)
            return Characteristic(curve.x[kept], curve.y[kept], curve.x_kind, curve.y_kind)
        return stand_in(curve.x_kind, curve.y_kind)
    if curve.y[0] != 0 or curve.x[0] != 0:
        text = f"the stop starts with {curve.y[0]:g} N at a penetration of {curve.x[0]:g} m"
        source.warn(text, place, hint="a stop usually starts with no force at zero")
    return curve


def read_bushing(path: Path | str) -> tuple[BushingCharacteristic, tuple[Problem, ...]]:
    """Read a bushing, TeimOrbit or XML, whichever the file holds."""
    return _xml_bushing(path) if is_xml(bounded_file(path)) else _teimorbit_bushing(path)


def _directions() -> list[tuple[str, tuple[Kind, Kind], Kind]]:
    """Name, kinds of the curve and kind of the damping of each direction."""
    return [
        (name, _FORCE_OVER_LENGTH, KINDS["damping"])
        if name.startswith("F")
        else (name, _TORQUE_OVER_ANGLE, KINDS["rotational_damping"])
        for name in BUSHING_DIRECTIONS
    ]


def _teimorbit_bushing(path: Path | str) -> tuple[BushingCharacteristic, tuple[Problem, ...]]:
    source = TeimOrbitSource(path, "bus")
    damping_block = source.block("DAMPING")
    curves, damping, blocks = [], [], ["DAMPING"]
    for name, kinds, damping_kind in _directions():
        block = f"{name.upper()}_CURVE"
        axis = name[1] if name.startswith("F") else f"a{name[1]}"
        blocks.append(block)
        curves.append(source.points(block, kinds, (axis, name.casefold())))
        source.rises(curves[-1], f"{name} of the bushing", source.place(block))
        damping.append(source.number(damping_block, f"{name.upper()}_DAMPING", damping_kind))
    _warn_of_negative(source, damping, source.place("DAMPING"))
    source.note_unread(blocks)
    problems = source.finish()
    return BushingCharacteristic(tuple(curves), tuple(damping)), problems


def _xml_bushing(path: Path | str) -> tuple[BushingCharacteristic, tuple[Problem, ...]]:
    source = AfcSource(path)
    bushing = source.only("ConnectorBushingProperties")
    curves, damping = [], []
    for name, kinds, damping_kind in _directions():
        axis = name[1] if name.startswith("F") else f"r{name[1]}"
        component = source.named(bushing, "ConnectorDirectionComponent", axis)
        stiffness = source.only("ConnectorStiffness", component)
        curves.append(_connector(source, stiffness, kinds))
        source.rises(curves[-1], f"{name} of the bushing", stiffness.place)
        damping.append(_connector_damping(source, source.only("ConnectorDamping", component), kinds, damping_kind))
    _warn_of_negative(source, damping, bushing.place)
    problems = source.finish()
    return BushingCharacteristic(tuple(curves), tuple(damping)), problems


def _connector(source: AfcSource, element: Element, kinds: tuple[Kind, Kind]) -> Characteristic:
    if source.choice(element, "type", ("linear", "spline")) == "spline":
        return source.spline(element, "ConnectorSplineData", kinds)
    kind = KINDS["stiffness" if kinds == _FORCE_OVER_LENGTH else "rotational_stiffness"]
    rate = source.number(source.only("ConnectorLinearData", element), "rate", kind)
    return Characteristic.linear(rate, _LINEAR_REACH[kinds[0].name], *kinds)


def _connector_damping(source: AfcSource, element: Element, kinds: tuple[Kind, Kind], kind: Kind) -> float:
    if source.choice(element, "type", ("linear", "spline")) == "linear":
        return source.number(source.only("ConnectorLinearData", element), "rate", kind)
    rate_kinds = (KINDS["velocity" if kinds == _FORCE_OVER_LENGTH else "angular_velocity"], kinds[1])
    curve = source.spline(element, "ConnectorSplineData", rate_kinds)
    text = "the damping is a curve, of which the slope at zero is taken"
    source.warn(text, element.place)
    return curve.slope(0.0)


def _warn_of_negative(source: AfcSource | TeimOrbitSource, damping: list[float], place: Place) -> None:
    if any(value < 0 for value in damping):
        source.warn("a damping is negative: the bushing would drive instead of resisting", place)
