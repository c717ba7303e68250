"""What a template says: the records of a topology.

All numbers are in SI units, in the axes of Adams/Car (x rearward, y to the right, z up). Names of objects in a file
carry a prefix for their kind and side: ``hpl_lca_front`` is the left hardpoint ``lca_front``. Records hold the name
without prefix, the side (None for single objects) and the full name below the model as `id`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trackrod.adams.command_language import Command
from trackrod.adams.template_source import Setting, Source
from trackrod.core.corners import Side
from trackrod.core.errors import Place, Problem, UnknownNameError
from trackrod.core.units import UnitSystem

__all__ = [
    "Communicator",
    "ConstructionFrame",
    "Direction",
    "ForceElement",
    "Frame",
    "Group",
    "Hardpoint",
    "Joint",
    "Marker",
    "Parameter",
    "Part",
    "Template",
]

Array = NDArray[np.float64]


class Direction(StrEnum):
    """Whether a communicator asks for something of another subsystem or offers it."""

    INPUT = "input"
    OUTPUT = "output"


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Location and axes of an object.

    Attributes
    ----------
    location
        Origin in Adams axes, shape (3,) [m].
    rotation
        Turns components in the frame's axes into Adams axes, shape (3, 3); the columns are the frame's x, y, z.
    """

    location: Array
    rotation: Array

    @property
    def z(self) -> Array:
        """The z axis, along which joints turn and slide, in Adams axes, shape (3,)."""
        return self.rotation[:, 2]


@dataclass(frozen=True, slots=True, eq=False)
class Hardpoint:
    """A point whose position the subsystem gives; `position` [m] is what the template was saved with."""

    name: str
    side: Side | None
    id: str
    position: Array
    place: Place


@dataclass(frozen=True, slots=True, eq=False)
class ConstructionFrame:
    """An auxiliary frame, tied to hardpoints, to which other objects refer."""

    name: str
    side: Side | None
    id: str
    frame: Frame
    place: Place


@dataclass(frozen=True, slots=True, eq=False)
class Marker:
    """A frame fixed to a part."""

    id: str
    part: str
    frame: Frame
    place: Place


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A rigid body, or a mount: the stand-in for a part of another subsystem.

    Attributes
    ----------
    frame
        The part's own frame.
    mass
        Mass [kg]; 0 for a mount.
    cm
        Centre of mass in Adams axes, shape (3,) [m]; None for a mount.
    inertia_frame
        Frame in whose axes the inertia is given; the part's own if the file names none.
    moments, products
        Ixx, Iyy, Izz and Ixy, Izx, Iyz about the centre of mass as the file has them [kg·m²].
    sprung_percentage
        Share of the mass that counts as sprung [%]; None if the file does not tell.
    communicator
        For a mount the id of the input communicator that finds the real part; else None.
    """

    name: str
    side: Side | None
    id: str
    frame: Frame
    mass: float
    cm: Array | None
    inertia_frame: Frame
    moments: tuple[float, float, float]
    products: tuple[float, float, float]
    sprung_percentage: float | None
    mount: bool
    communicator: str | None
    place: Place


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """A joint or a primitive joint between two parts.

    Attributes
    ----------
    kind
        revolute, hooke, fixed, cylindrical, translational, convel, spherical, …; primitives such as inplane too.
    i_part, j_part
        Ids of the parts, ``ground`` included.
    kinematic_only
        Whether the name (``jk…``) says that the joint acts only in kinematic mode.
    mount
        Whether it merely holds a mount part to the ground of the template.
    active
        Whether all groups that the joint belongs to are active.
    """

    name: str
    side: Side | None
    id: str
    kind: str
    primitive: bool
    i_part: str
    j_part: str
    i_frame: Frame
    j_frame: Frame
    kinematic_only: bool
    mount: bool
    active: bool
    place: Place

    @property
    def location(self) -> Array:
        """Where the joint is, the origin of its I marker, shape (3,) [m]."""
        return self.i_frame.location

    @property
    def axis(self) -> Array:
        """Axis of turning or sliding, z of the J marker, in Adams axes, shape (3,)."""
        return self.j_frame.z


@dataclass(frozen=True, slots=True, eq=False)
class ForceElement:
    """A spring, damper, bumpstop, reboundstop or bushing between two parts, or an element of another definition.

    `kind` is the definition's name where it is none of the five. `settings` holds what the file says besides the
    markers and the property file, lengths and forces in SI units. `compliant_only` tells whether the name (``bk…``)
    says that a bushing gives way to joints in kinematic mode.
    """

    name: str
    side: Side | None
    id: str
    kind: str
    i_part: str
    j_part: str
    i_frame: Frame
    j_frame: Frame
    property_file: str
    settings: Mapping[str, Setting]
    compliant_only: bool
    active: bool
    place: Place


@dataclass(frozen=True, slots=True)
class Parameter:
    """A number or text that the subsystem gives (``pv…``), or a switch hidden from it (``ph…``)."""

    name: str
    side: Side | None
    id: str
    value: Setting
    unit_kind: str
    hidden: bool
    place: Place


@dataclass(frozen=True, slots=True)
class Communicator:
    """What a subsystem asks of another (input) or offers to it (output); the two meet by matching name and role.

    `objects` are the ids that it stands for, `value` what it hands over if it is a number or a location [m].
    """

    name: str
    side: Side | None
    id: str
    direction: Direction
    matching_names: tuple[str, ...]
    entity: str
    minor_role: str
    objects: tuple[str, ...]
    value: Setting | None
    place: Place


@dataclass(frozen=True, slots=True)
class Group:
    """Objects that are switched together, by an expression such as ``phs_kinematic_flag || …``."""

    name: str
    objects: tuple[str, ...]
    expression: str
    active: bool
    place: Place


@dataclass(frozen=True, slots=True, eq=False)
class Template:
    """The topology of one template, evaluated with its hardpoints.

    Holds: every part of a joint or force element is in `parts` or is ``ground``; `evaluate` with the template's own
    hardpoints gives the same locations again.
    """

    name: str
    version: float | None
    major_role: str
    minor_role: str
    units: UnitSystem
    parts: tuple[Part, ...]
    hardpoints: tuple[Hardpoint, ...]
    frames: tuple[ConstructionFrame, ...]
    markers: tuple[Marker, ...]
    joints: tuple[Joint, ...]
    elements: tuple[ForceElement, ...]
    parameters: tuple[Parameter, ...]
    communicators: tuple[Communicator, ...]
    groups: tuple[Group, ...]
    uninterpreted: tuple[Command, ...]
    file: Path | None
    problems: tuple[Problem, ...]
    source: Source = field(repr=False)

    def part(self, id: str) -> Part:
        """The part with this id, compared without regard to case."""
        for part in self.parts:
            if part.id.casefold() == id.casefold():
                return part
        raise UnknownNameError("part", id, [part.id for part in self.parts])
