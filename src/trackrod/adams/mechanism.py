"""The mechanism of a subsystem, from a template file of Trackrod: places, values and what it offers to others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from trackrod.adams.elements import Element, Parameter, Symmetry
from trackrod.adams.subsystem import Subsystem
from trackrod.core.axes import half_turn_points
from trackrod.core.corners import Side
from trackrod.core.errors import InputError, Place, Problem
from trackrod.core.quantities import KINDS
from trackrod.vehicle.elements import Mode, Vector
from trackrod.vehicle.instantiate import Instance, instantiate
from trackrod.vehicle.template import Template, ValueEntry

__all__ = [
    "Mechanism",
    "build_mechanism",
    "hardpoints_in_vehicle_frame",
    "mode_of",
    "sided_names",
    "sides_of",
    "switches_of",
    "unmodelled_switches",
    "values_of",
]


@dataclass(frozen=True, slots=True)
class Mechanism:
    """What a subsystem adds to the vehicle.

    Attributes
    ----------
    subsystem
        Where the numbers are.
    template
        Name of the template.
    instance
        Bodies and places of connectors; names without the subsystem's.
    offers
        Bodies for others by the name of the mount, without side where they come in pairs.
    parts
        Parts of the subsystem that make up a body, for those that differ from the body's own name.
    values
        Numbers of the template [SI].
    mode
        Kinematic or compliant, as the subsystem's switch says.
    dependent, freedoms
        As in the template.
    """

    subsystem: Subsystem
    template: str
    instance: Instance
    offers: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    values: Mapping[str, float] = field(default_factory=dict)
    mode: Mode = Mode.COMPLIANT
    dependent: bool = False
    freedoms: int = 4


def build_mechanism(subsystem: Subsystem, template: Template, x_front: float) -> Mechanism:
    """The mechanism of a subsystem by a template.

    Raises
    ------
    InputError
        Hardpoints or parameters are missing or wrong; all are named.
    """
    switches = switches_of(subsystem)
    values = values_of(subsystem, template)
    points = hardpoints_in_vehicle_frame(subsystem, x_front)
    try:
        instance = instantiate(template, points, switches, values, [bushing.name for bushing in subsystem.bushings])
    except InputError as error:
        raise InputError([_placed(problem, subsystem) for problem in error.problems]) from error
    return Mechanism(
        subsystem=subsystem,
        template=template.name,
        instance=instance,
        offers=template.offers,
        parts=template.parts,
        values=values,
        mode=mode_of(subsystem),
        dependent=template.dependent,
        freedoms=template.freedoms_with(switches, [bushing.name.casefold() for bushing in subsystem.bushings]),
    )


def _placed(problem: Problem, subsystem: Subsystem) -> Problem:
    """The problem at the subsystem, which can be mended, instead of at the template."""
    return Problem(problem.text, Place(subsystem.file), problem.severity, problem.hint)


def mode_of(subsystem: Subsystem) -> Mode:
    """Kinematic if the switch kinematic_flag is on, else compliant."""
    return Mode.KINEMATIC if switches_of(subsystem).get("kinematic_flag", 0.0) else Mode.COMPLIANT


def switches_of(subsystem: Subsystem) -> dict[str, float]:
    """Numbers among the parameters: switches as they are, angles in radians; left/right ones for both sides."""
    values: dict[str, float] = {}
    for parameter in subsystem.parameters:
        if len(parameter.values) != 1 or isinstance(parameter.values[0], str):
            continue
        is_angle = parameter.name.casefold() in ("toe_angle", "camber_angle")
        value = parameter.si(KINDS["angle"])[0] if is_angle else float(parameter.values[0])
        for name in sided_names(parameter):
            values[name] = value
    return values


#: Switches that systems of the vehicle read, besides those in conditions of templates.
_SWITCHES_OF_SYSTEMS = ("aero_drag_active", "steering_assist_active")


def unmodelled_switches(subsystem: Subsystem, template: Template) -> Iterator[Parameter]:
    """Parameters that switch something on (``…_active`` = 1) of which the template knows nothing."""
    known = {condition.switch.casefold() for entry in template.entries for condition in entry.when}
    known |= {unused.parameter.casefold() for unused in template.unused_parameters}
    known |= {entry.parameter.casefold() for entry in template.values.values()} | {*_SWITCHES_OF_SYSTEMS}
    for parameter in subsystem.parameters:
        name, is_on = parameter.name.casefold(), any(parameter.values)
        if name.endswith("_active") and name not in known and is_on:
            yield parameter


def values_of(subsystem: Subsystem, template: Template) -> dict[str, float]:
    """Values of a template from the parameters of a subsystem [SI]; defaults filled in.

    Raises
    ------
    InputError
        A parameter that must be there is missing, is text, or is beyond what such a quantity can be.
    """
    problems: list[Problem] = []
    found: dict[str, float] = {}
    for entry in template.values.values():
        some = False
        for parameter, number in _parameters(subsystem, entry):
            some = True
            value = _value(parameter, entry, problems)
            if value is not None:
                for name in sided_names(parameter):
                    found[entry.name + number + name.removeprefix(parameter.name.casefold())] = value
        if not some and entry.default is not None:
            found[entry.name] = entry.default
        elif not some:
            text = f"the parameter '{entry.parameter}' is missing; template '{template.name}' needs it"
            problems.append(Problem(text, Place(subsystem.file), hint=f"{entry.kind.meaning} {entry.kind.label}"))
    if problems:
        raise InputError(problems)
    return found


def _parameters(subsystem: Subsystem, entry: ValueEntry) -> Iterator[tuple[Parameter, str]]:
    """Parameters that an entry names, with ``_1``, ``_2`` … for counted ones."""
    pattern = re.compile(re.escape(entry.parameter.casefold()).replace(r"\#", r"(\d+)"))
    for parameter in subsystem.parameters:
        match = pattern.fullmatch(parameter.name.casefold())
        if match is not None:
            yield parameter, f"_{match[1]}" if match.groups() else ""


def _value(parameter: Parameter, entry: ValueEntry, problems: list[Problem]) -> float | None:
    if len(parameter.values) != 1 or isinstance(parameter.values[0], str):
        text = f"the parameter '{parameter.name}' must be one number, a {entry.kind.meaning}"
        problems.append(Problem(text, parameter.place))
        return None
    raw = float(parameter.values[0])
    value = parameter.si(entry.kind)[0] if entry.factor is None else raw * entry.factor
    if not entry.kind.admits(value):
        text = f"'{parameter.name}' = {raw:g} is {value:g} {entry.kind.unit}, "
        text += f"{entry.kind.low:g} to {entry.kind.high:g} is possible"
        problems.append(Problem(text, parameter.place, hint="is it in the units of the file?"))
        return None
    return value


def sided_names(element: Element) -> tuple[str, ...]:
    """Names of the objects that a record stands for, in small letters, with their sides."""
    name = element.name.casefold()
    return tuple(name if side is None else f"{name}_{side}" for side in sides_of(element))


def sides_of(element: Element) -> tuple[Side | None, ...]:
    """Sides of the objects that a record stands for."""
    if element.symmetry is Symmetry.BOTH:
        return tuple(Side)
    return (None,) if element.symmetry is Symmetry.SINGLE else (Side(element.symmetry),)


def hardpoints_in_vehicle_frame(subsystem: Subsystem, x_front: float) -> dict[str, Vector]:
    """Hardpoints of a subsystem in V [m], with ``_left`` and ``_right`` for those of pairs.

    `x_front` is the x of the front wheel centres in the file [m].
    """
    points: dict[str, Vector] = {}
    for hardpoint in subsystem.hardpoints:
        for side, name in zip(sides_of(hardpoint), sided_names(hardpoint), strict=True):
            mirrored = hardpoint.symmetry is Symmetry.BOTH and side is Side.RIGHT
            mirror = np.array([1.0, -1.0 if mirrored else 1.0, 1.0])
            x, y, z = half_turn_points(np.array(hardpoint.position) * mirror, x_front).tolist()
            points[name] = (x, y, z)
    return points
