"""Leaf springs as chains of beams: sections from the leaves, preload from statics, masses from the material.

A chain leads through bodies; between two of them lies one straight beam of constant section. Its bending stiffness is
the one that stores the same energy as the leaf does under the load that the chain is made for, so that the rate of the
spring is right however few beams there are and however the leaves taper.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import astuple, dataclass, replace
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from trackrod.core.errors import InputError, Problem
from trackrod.vehicle.connectors import Beam, BeamSection
from trackrod.vehicle.elements import Body, Matrix, Vector
from trackrod.vehicle.instantiate import LeafPlace
from trackrod.vehicle.leaf import Leaf, LeafSpring
from trackrod.vehicle.mass import mass_properties

__all__ = ["DAMPING_TIME", "chain_wrenches", "leaf_beams"]

Array: TypeAlias = NDArray[np.float64]

#: Structural damping of the beams, damping force over elastic rate of force [s]: 0.6 % of critical at 2 Hz, 4 % at
#: wheel hop, so that it calms the leaf's own vibrations and leaves the ride to the dampers.
DAMPING_TIME = 1e-3

# A chain of chords may be this much longer than the leaf, because eyes lie beyond its ends; more is a mistake.
_LONGEST = 1.1

# Bending of the length that is clamped at the seat, against that of the same leaves unclamped.
_CLAMPED = 1e-3

_UP: Vector = (0.0, 0.0, 1.0)
_GAUSS = np.polynomial.legendre.leggauss(5)


def leaf_beams(
    place: LeafPlace, leaf: LeafSpring, preload: float, known: Collection[str]
) -> tuple[tuple[Body, ...], tuple[Beam, ...]]:
    """Bodies and beams of a leaf spring.

    Parameters
    ----------
    place
        The chain.
    leaf
        Leaves and seat. The centre bolt is at the loaded body, or in the middle of the chain if several are loaded;
        the front of the leaf is at the end of the chain that lies in front, or at its first end if it lies across.
    preload
        Force on each loaded body at the design position, positive upward [N].
    known
        Bodies of the chain that have a part of their own, such as the axle; the leaf near them belongs to the nearest
        other body of the chain.

    Raises
    ------
    InputError
        The chain is longer than the leaf, no leaf bears, every body is known, or the supports cannot bear the load.

    Holds: the mass of the bodies is that of the leaves along the chain, for uniform leaves centre and inertia too; half
    of it counts as sprung.

    Limits: auxiliary leaves have mass but bear nothing. Contact, clips and shear deformation are left out; friction is
    an element of its own (`trackrod.vehicle.connectors.Friction`). The beams are straight between the bodies. The extra
    mass of the seat (U-bolts) belongs to the axle and is not here. Weight and camber of the leaf do not enter the
    preload.
    """
    layout = _Layout.of(place, leaf)
    nodes = list(zip(place.bodies, place.points, strict=True))
    sections = _sections(place, leaf, layout)
    beams = []
    for number, ((first, start), (second, end)) in enumerate(pairwise(nodes)):
        name = f"{place.name}_{number + 1}"
        ends, section = (start, end), sections[number]
        beams.append(
            Beam(name, (first, second), ends, section, _UP, damping=DAMPING_TIME, mode=place.mode, side=place.side)
        )
    wrenches = chain_wrenches(place, preload)
    loaded = tuple(_preloaded(beam, wrench) for beam, wrench in zip(beams, wrenches, strict=True))
    return _bodies(place, leaf, layout, beams, known), loaded


def chain_wrenches(place: LeafPlace, preload: float) -> Array:
    """What each beam of a chain carries at the design position.

    A force `preload` pushes every loaded body up (+z of V). The second support holds with a force along
    `LeafPlace.support_direction`, the first with a force of any direction; a moment out of the vertical plane through
    the two is taken by the first support.

    Returns
    -------
    Array
        One row for each beam: force [N] and moment [N·m] of its second body on its second end, in V.

    Holds: forces and moments on every body of the chain balance.
    """
    points = np.array(place.points)
    first, second = place.supports
    forces, moments = np.zeros_like(points), np.zeros_like(points)
    for index in place.loaded:
        forces[index] += (0.0, 0.0, preload)

    way, direction = points[second] - points[first], np.array(place.support_direction)
    normal = np.cross(way, _UP)
    lever = float(np.cross(way, direction) @ normal)
    if not abs(lever) > 1e-3 * float(normal @ normal):
        text = f"leaf '{place.name}': the force at the second support points at the first and cannot hold the leaf"
        raise InputError(Problem(text, hint="shackle and supports must not lie in one line"))
    turning = np.cross(points - points[first], forces).sum(axis=0)
    forces[second] -= direction * float(turning @ normal) / lever
    forces[first] -= forces.sum(axis=0)
    moments[first] -= np.cross(points - points[first], forces).sum(axis=0)

    wrenches = []
    for index in range(1, len(points)):
        behind = slice(index, None)
        moment = np.cross(points[behind] - points[index], forces[behind]).sum(axis=0) + moments[behind].sum(axis=0)
        wrenches.append(np.concatenate((forces[behind].sum(axis=0), moment)))
    return np.array(wrenches)


def _preloaded(beam: Beam, wrench: Array) -> Beam:
    force, moment = wrench.reshape(2, 3) @ np.array(beam.axes)
    return replace(beam, preload=(*force.tolist(), *moment.tolist()))


@dataclass(frozen=True, slots=True, eq=False)
class _Layout:
    """Where the chain lies along the leaf.

    Attributes
    ----------
    stations
        Way along the chain from the centre bolt to each body, positive to the front [m].
    front, rear
        Length on the leaf over length on the chain, 1 unless the chain is the longer one.
    """

    stations: Array
    front: float
    rear: float

    @classmethod
    def of(cls, place: LeafPlace, leaf: LeafSpring) -> _Layout:
        points = np.array(place.points)
        way = np.concatenate(([0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))))
        bolt = way[place.loaded[0]] if len(place.loaded) == 1 else way[-1] / 2
        chord = points[-1] - points[0]
        forward = chord[0] > 0.5 * np.linalg.norm(chord)
        stations = way - bolt if forward else bolt - way
        bearing = _bearing(place, leaf)
        factors, problems = [], []
        for name, length in (("front", float(stations.max())), ("rear", float(-stations.min()))):
            reach = max(getattr(one, f"{name}_length") for one in bearing)
            factors.append(min(1.0, reach / length) if length > 0 else 1.0)
            if length > _LONGEST * reach:
                text = f"leaf '{place.name}' is {reach:.4g} m long to the {name} of the centre bolt"
                problems.append(Problem(f"{text}, its hardpoints need {length:.4g} m"))
        if problems:
            raise InputError(problems)
        return cls(stations, *factors)

    def on_leaf(self, station: float) -> float:
        """Place on the leaf, from the centre bolt, positive to the front [m]."""
        return station * (self.front if station > 0 else self.rear)

    def samples(self, leaf: LeafSpring, start: float, end: float) -> tuple[Array, Array]:
        """Stations and lengths for integrals between two stations; none lies on a step of the section."""
        steps = {0.0, leaf.seat.front_inactive_length, -leaf.seat.rear_inactive_length}
        for one in leaf.leaves:
            steps.update((one.front_length, -one.rear_length))
            steps.update([] if one.thickness is None else one.thickness.x.tolist())
        low, high = min(start, end), max(start, end)
        on_chain = (x / (self.front if x > 0 else self.rear) for x in steps)
        edges = np.array([low, *sorted(x for x in on_chain if low < x < high), high])
        half = np.diff(edges) / 2
        stations = edges[:-1, None] + half[:, None] * (1 + _GAUSS[0])
        return stations.ravel(), (half[:, None] * _GAUSS[1]).ravel()


def _bearing(place: LeafPlace, leaf: LeafSpring) -> tuple[Leaf, ...]:
    found = tuple(one for one in leaf.leaves if not one.auxiliary)
    if not found:
        raise InputError(f"leaf '{place.name}' has auxiliary leaves only; one that always bears is needed")
    return found


def _reaches(leaf: Leaf, x: float) -> bool:
    return -leaf.rear_length <= x <= leaf.front_length


def _thickness(leaf: Leaf, x: float) -> float:
    if leaf.thickness is None:
        return leaf.seat_thickness
    return float(np.interp(x, leaf.thickness.x, leaf.thickness.y))


def _sections(place: LeafPlace, leaf: LeafSpring, layout: _Layout) -> list[BeamSection]:
    """One section for each beam, by mean flexibilities.

    Bending is weighted with the square of the moment that a load on the loaded bodies makes, as in the deflection by
    Castigliano's theorem; force along and torque about a leaf are the same everywhere, so these weigh alike.
    """
    bearing = _bearing(place, leaf)
    straight = tuple((float(x), 0.0, 0.0) for x in layout.stations)
    unit = chain_wrenches(replace(place, points=straight, support_direction=_UP), 1.0)
    sections = []
    for (start, end), wrench in zip(pairwise(layout.stations), unit, strict=True):
        stations, lengths = layout.samples(leaf, start, end)
        moment = wrench[4] - (end - stations) * wrench[2]
        weight = lengths * moment**2
        if not weight.sum() > 1e-12 * lengths.sum() * np.ptp(layout.stations) ** 2:
            weight = lengths  # nothing bends here under this load
        flexibility = np.array([_flexibility(bearing, leaf, layout.on_leaf(float(x))) for x in stations])
        alike, bent = lengths / lengths.sum(), weight / weight.sum()
        axial, torsional = 1 / (alike @ flexibility[:, :2])
        bending_y, bending_z = 1 / (bent @ flexibility[:, 2:])
        sections.append(BeamSection(float(axial), float(torsional), float(bending_y), float(bending_z)))
    return sections


def _flexibility(bearing: tuple[Leaf, ...], leaf: LeafSpring, x: float) -> Array:
    """Flexibilities in the order of `BeamSection` at a place of the leaf pack."""
    stiffness = np.zeros(4)
    for one in bearing:
        if _reaches(one, x):
            section = BeamSection.rectangle(one.seat_width, _thickness(one, x), one.elastic_modulus, one.shear_modulus)
            stiffness += astuple(section)
    clamped = -leaf.seat.rear_inactive_length < x < leaf.seat.front_inactive_length
    return (_CLAMPED if clamped else 1.0) / stiffness


def _bodies(
    place: LeafPlace, leaf: LeafSpring, layout: _Layout, beams: list[Beam], known: Collection[str]
) -> tuple[Body, ...]:
    """Each body is the leaf from the middle of one beam to that of the next, and what lies around known bodies."""
    free = [index for index, body in enumerate(place.bodies) if body not in known]
    if not free:
        raise InputError(f"leaf '{place.name}': every body of the chain has a part of its own, none is left for it")
    pieces: dict[int, list[Body]] = {index: [] for index in free}
    for number, beam in enumerate(beams):
        for at_end in (False, True):
            # Of two bodies alike near, the one on the far side of the beam.
            other = number + (not at_end)
            own = number + at_end
            owner = min(free, key=lambda index: (abs(index - own), abs(index - other)))
            ends = layout.stations[number : number + 2]
            pieces[owner].append(_half(place.bodies[owner], leaf, layout, beam, ends, at_end=at_end))
    found = []
    for index, parts in pieces.items():
        whole = mass_properties(parts)
        inertia = (whole.inertia + whole.inertia.T) / 2
        found.append(
            Body(place.bodies[index], float(whole.mass), _vector(whole.centre), _matrix(inertia), sprung_fraction=0.5)
        )
    return tuple(found)


def _half(name: str, leaf: LeafSpring, layout: _Layout, beam: Beam, ends: Array, *, at_end: bool) -> Body:
    """One half of the leaf along a beam, as a bar."""
    start, end = (ends.mean(), ends[1]) if at_end else (ends[0], ends.mean())
    stations, lengths = layout.samples(leaf, start, end)
    mass = 0.0
    for station, length in zip(stations, lengths, strict=True):
        x = layout.on_leaf(float(station))
        area = ((one, one.seat_width * _thickness(one, x)) for one in leaf.leaves if _reaches(one, x))
        mass += float(length) * sum(one.density * value for one, value in area)
    middle = layout.on_leaf(float(start + end) / 2)
    there = [one for one in leaf.leaves if _reaches(one, middle)]
    width = max(one.seat_width for one in there)
    height = sum(_thickness(one, middle) for one in there)
    long = beam.length / 2
    moments = mass / 12 * np.array([width**2 + height**2, long**2 + height**2, long**2 + width**2])
    axes = np.array(beam.axes)
    share = 0.75 if at_end else 0.25
    centre = (1 - share) * np.array(beam.ends[0]) + share * np.array(beam.ends[1])
    inertia = axes @ np.diag(moments) @ axes.T
    return Body(name, mass, _vector(centre), _matrix((inertia + inertia.T) / 2))


def _vector(array: Array) -> Vector:
    x, y, z = array.tolist()
    return (x, y, z)


def _matrix(array: Array) -> Matrix:
    x, y, z = (_vector(row) for row in array)
    return (x, y, z)
