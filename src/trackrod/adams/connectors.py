"""Places of a mechanism filled with what the subsystem's elements and their property files say.

A place and an element meet by name. Where a subsystem calls its only spring, damper or stop differently, that one is
taken. What has no counterpart is reported: a place without element is left out, an element without place is not used.

Limits: how Adams signs preloads and offsets of the right bushing of a pair is not documented; here the right bushing is
the mirror image of the left one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from trackrod.adams import elements as records
from trackrod.adams.characteristics import Characteristics
from trackrod.adams.elements import Element, Symmetry
from trackrod.adams.mechanism import Mechanism, sided_names, switches_of
from trackrod.core.axes import half_turn_vectors
from trackrod.core.corners import Side
from trackrod.core.errors import InputError, Place, Problem, Severity
from trackrod.vehicle.characteristics import (
    BushingCharacteristic,
    Characteristic,
    DamperCharacteristic,
    SpringCharacteristic,
    StopCharacteristic,
)
from trackrod.vehicle.connectors import Beam, Bushing, Damper, Six, Spring, Stop, TravelForce
from trackrod.vehicle.elements import Body, Matrix
from trackrod.vehicle.instantiate import BushingPlace, LeafPlace, Line, TravelForcePlace
from trackrod.vehicle.leaf import LeafSpring
from trackrod.vehicle.leaf_beams import leaf_beams
from trackrod.vehicle.template import LineType

__all__ = ["Filled", "fill_places"]

Array = NDArray[np.float64]
_Record = TypeVar("_Record", bound=Element)
_Kind = TypeVar("_Kind")
_Made = TypeVar("_Made")
_Place = TypeVar("_Place", Line, BushingPlace, LeafPlace, TravelForcePlace)
_WithFile = TypeVar("_WithFile", records.Spring, records.Damper, records.Stop, records.Bushing, records.Leaf)
_Chain: TypeAlias = tuple[tuple[Body, ...], tuple[Beam, ...]]

# Under a reflection at the plane y = 0 a frame keeps its x and z axes mirrored and gets y = z × x: displacements change
# sign along y, rotations about x and z.
_MIRRORED = (1.0, -1.0, 1.0, -1.0, 1.0, -1.0)


@dataclass(slots=True)
class Filled:
    """Connectors of one mechanism, names without the subsystem's; and what was noticed."""

    bushings: list[Bushing] = field(default_factory=list)
    springs: list[Spring] = field(default_factory=list)
    dampers: list[Damper] = field(default_factory=list)
    stops: list[Stop] = field(default_factory=list)
    travel_forces: list[TravelForce] = field(default_factory=list)
    beams: list[Beam] = field(default_factory=list)
    leaf_bodies: list[Body] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def fill_places(mechanism: Mechanism, characteristics: Characteristics, known: Iterable[str]) -> Filled:
    """Connectors at the places of a mechanism; `known` names the bodies that parts of the subsystem make up."""
    return _Filling(mechanism, characteristics).fill(frozenset(known))


class _Filling:
    def __init__(self, mechanism: Mechanism, characteristics: Characteristics) -> None:
        self.mechanism = mechanism
        self.subsystem = mechanism.subsystem
        self.characteristics = characteristics
        self.filled = Filled()

    def fill(self, known: frozenset[str]) -> Filled:
        instance, subsystem, filled = self.mechanism.instance, self.subsystem, self.filled

        def leaf(place: LeafPlace, element: records.Leaf, spring: LeafSpring) -> _Chain:
            return leaf_beams(place, spring, element.preload, known)

        lines = {kind: [line for line in instance.lines if line.type is kind] for kind in LineType}
        over_travel = {place.element.casefold() for place in instance.travel_forces}
        springs = [spring for spring in subsystem.springs if spring.name.casefold() not in over_travel]
        for line, spring in self._met("spring", lines[LineType.SPRING], springs):
            filled.springs += self._made(line, spring, SpringCharacteristic, _spring)
        forces = [spring for spring in subsystem.springs if spring.name.casefold() in over_travel]
        for force, spring in self._met("force over travel", instance.travel_forces, forces):
            filled.travel_forces += self._made(force, spring, SpringCharacteristic, _travel_force)
        for line, damper in self._met("damper", lines[LineType.DAMPER], subsystem.dampers):
            filled.dampers += self._made(line, damper, DamperCharacteristic, _damper)
        for kind, what in ((LineType.BUMP_STOP, "bump stop"), (LineType.REBOUND_STOP, "rebound stop")):
            stops = [stop for stop in subsystem.stops if stop.rebound is (kind is LineType.REBOUND_STOP)]
            for line, stop in self._met(what, lines[kind], stops):
                filled.stops += self._made(line, stop, StopCharacteristic, _stop)
        for place, bushing in self._met("bushing", instance.bushings, subsystem.bushings):
            filled.bushings += self._made(place, bushing, BushingCharacteristic, _bushing)
        for chain, element in self._met("leaf spring", instance.leaves, subsystem.leaves):
            for bodies, beams in self._made(chain, element, LeafSpring, leaf):
                filled.leaf_bodies += bodies
                filled.beams += beams
        return filled

    def _met(self, what: str, places: Sequence[_Place], found: Sequence[_Record]) -> list[tuple[_Place, _Record]]:
        """Places with the elements of the subsystem that fill them."""
        wanted = {place.element.casefold() for place in places}
        unused = {element.name.casefold() for element in found} - wanted - self.mechanism.instance.inactive
        empty = wanted - {element.name.casefold() for element in found}
        renamed: dict[str, str] = {}
        if len(empty) == len(unused) == 1 and what != "bushing":
            renamed = dict(zip(empty, unused, strict=True))
            text = f"{what} '{next(iter(unused))}' is taken for '{next(iter(empty))}' of the template"
            self._note(text, Severity.NOTE)
            empty, unused = set(), set()
        for name in sorted(empty):
            severity = Severity.NOTE if "stop" in what else Severity.WARNING
            self._note(f"there is no {what} '{name}'; it is left out of the mechanism", severity)
        switches = switches_of(self.subsystem)
        for name in sorted(unused):
            text = f"{what} '{name}' has no place in the template '{self.mechanism.template}' and is not used"
            is_off = switches.get(f"{name}_active") == 0
            record = next(element for element in found if element.name.casefold() == name)
            self._note(text, Severity.NOTE if is_off else Severity.WARNING, record.place)
        pairs = []
        for place in places:
            name = renamed.get(place.element.casefold(), place.element.casefold())
            side = "" if place.side is None else f"_{place.side}"
            element = next((e for e in found if f"{name}{side}" in sided_names(e)), None)
            if element is not None:
                pairs.append((place, element))
            elif place.element.casefold() not in empty:
                self._note(f"there is no {what} '{name}' on the {place.side or 'single'} side", Severity.WARNING)
        return pairs

    def _made(
        self, place: _Place, element: _WithFile, kind: type[_Kind], make: Callable[[_Place, _WithFile, _Kind], _Made]
    ) -> list[_Made]:
        """What `make` makes of a place, its element and its characteristic; a problem if that is missing."""
        characteristic = self.characteristics.of(element.property_file)
        if not isinstance(characteristic, kind):
            problem = Problem(
                f"'{element.name}' is left out of the mechanism: its property file was not read", element.place
            )
            if problem not in self.filled.problems:  # once for both sides
                self.filled.problems.append(problem)
            return []
        try:
            return [make(place, element, characteristic)]
        except InputError as error:
            self.filled.problems += [replace(problem, place=element.place) for problem in error.problems]
            return []

    def _note(self, text: str, severity: Severity = Severity.NOTE, place: Place | None = None) -> None:
        place = place or Place(self.subsystem.file)
        self.filled.problems.append(Problem(f"{self.subsystem.name}: {text}", place, severity))


def _spring(line: Line, spring: records.Spring, characteristic: SpringCharacteristic) -> Spring:
    length = line.length
    if spring.value_type == "installed_length" and spring.value is not None:
        length = spring.value
    elif spring.value_type == "preload" and spring.value is not None:
        length = characteristic.free_length - _compression(characteristic.curve, spring.value)
    return Spring(line.name, line.bodies, line.ends, characteristic, length, line.mode, line.side)


def _travel_force(place: TravelForcePlace, _spring: records.Spring, law: SpringCharacteristic) -> TravelForce:
    ways = (place.direction, place.travel)
    return TravelForce(place.name, place.bodies, place.position, *ways, law.curve, place.mode, place.side)


def _damper(line: Line, damper: records.Damper, characteristic: DamperCharacteristic) -> Damper:
    return Damper(line.name, line.bodies, line.ends, characteristic, line.mode, line.side)


def _compression(curve: Characteristic, preload: float) -> float:
    """Compression of a spring under a force, by linear interpolation of its points [m]."""
    if not (np.diff(curve.y) > 0).all():
        raise InputError("a preload needs a spring whose force grows with its compression everywhere")
    if not curve.y[0] <= preload <= curve.y[-1]:
        raise InputError(f"the preload {preload:g} N lies outside the curve, {curve.y[0]:g} to {curve.y[-1]:g} N")
    return float(np.interp(preload, curve.y, curve.x))


def _stop(line: Line, stop: records.Stop, characteristic: StopCharacteristic) -> Stop:
    clearance = stop.distance
    if stop.distance_type == "impact_length":
        clearance = stop.distance - line.length if stop.rebound else line.length - stop.distance
    return Stop(line.name, line.bodies, line.ends, characteristic, clearance, stop.rebound, line.mode, line.side)


def _bushing(place: BushingPlace, bushing: records.Bushing, characteristic: BushingCharacteristic) -> Bushing:
    mirrored = bushing.symmetry is Symmetry.BOTH and place.side is Side.RIGHT
    signs = _MIRRORED if mirrored else (1.0,) * 6
    scales = (*bushing.force_scale, *bushing.torque_scale)
    damping_scales = (*bushing.force_damping_scale, *bushing.torque_damping_scale)
    curves = tuple(
        _scaled(curve, scale, sign) for curve, scale, sign in zip(characteristic.curves, scales, signs, strict=True)
    )
    damping = tuple(value * scale for value, scale in zip(characteristic.damping, damping_scales, strict=True))
    return Bushing(
        name=place.name,
        bodies=place.bodies,
        position=place.position,
        characteristic=BushingCharacteristic(curves, damping),
        axes=_axes(bushing.axes, mirrored),
        preload=_signed((*bushing.force_preload, *bushing.torque_preload), signs),
        offset=_signed((*bushing.displacement_offset, *bushing.rotation_offset), signs),
        mode=place.mode,
        side=place.side,
    )


def _scaled(curve: Characteristic, scale: float, sign: float) -> Characteristic:
    """The curve with its ordinate scaled, and as seen from the other direction if the sign is negative."""
    if sign > 0:
        return curve if scale == 1.0 else replace(curve, y=curve.y * scale)
    return replace(curve, x=-curve.x[::-1], y=-curve.y[::-1] * scale)


def _signed(values: tuple[float, ...], signs: tuple[float, ...]) -> Six:
    a, b, c, d, e, f = (value * sign + 0.0 for value, sign in zip(values, signs, strict=True))
    return (a, b, c, d, e, f)


def _axes(axes: records.Axes | None, mirrored: bool) -> Matrix:
    """Axes of a bushing in V as columns."""
    if axes is None:
        return ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    mirror = np.array([1.0, -1.0, 1.0]) if mirrored else np.ones(3)
    x, z = (half_turn_vectors(axes.matrix[:, column] * mirror) for column in (0, 2))
    rows = np.column_stack((x, np.cross(z, x), z)).tolist()
    return (tuple(rows[0]), tuple(rows[1]), tuple(rows[2]))
