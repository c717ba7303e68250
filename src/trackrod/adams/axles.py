"""Axles of an assembly: which template answers each suspension, in which mode it is, and how it can move."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from trackrod.adams.assembly import Assembly
from trackrod.adams.bodies import AssembledBodies
from trackrod.adams.elements import Symmetry
from trackrod.adams.subsystem import Subsystem
from trackrod.adams.template import Template as Topology
from trackrod.adams.template_file import evaluate, is_binary, read_template
from trackrod.core.axes import half_turn_points
from trackrod.core.corners import Axle, Side
from trackrod.core.errors import InputError, Place, Problem, Severity
from trackrod.core.quantities import KINDS
from trackrod.vehicle.elements import GROUND, Mode, Vector
from trackrod.vehicle.instantiate import Instance, instantiate
from trackrod.vehicle.mobility import Mobility, mobility
from trackrod.vehicle.template import Template, find_template

__all__ = ["AxleDescription", "describe_axles", "hardpoints_in_vehicle_frame"]


@dataclass(frozen=True, slots=True)
class AxleDescription:
    """One suspension.

    Attributes
    ----------
    position
        Front or rear.
    subsystem
        Name of its subsystem.
    template
        The built-in or user's template that answers it; None if there is none.
    topology
        Parts, joints and force elements from an ASCII template of the database, at the hardpoints of the subsystem;
        None if the template is binary or absent.
    mode
        Kinematic or compliant, as the file's switch says.
    driven
        Whether the powertrain acts on it.
    instance
        Its elements in the vehicle frame; None without template or hardpoints.
    kinematic
        How it moves with ideal joints and everything else held still.
    """

    position: Axle
    subsystem: str
    template: Template | None
    topology: Topology | None
    mode: Mode
    driven: bool
    instance: Instance | None
    kinematic: Mobility | None


def describe_axles(
    assembly: Assembly, vehicle: AssembledBodies, templates: Mapping[str, Template]
) -> tuple[tuple[AxleDescription, ...], tuple[Problem, ...]]:
    """The suspensions of a full vehicle, front first, and what is wrong with them."""
    driven = {subsystem.minor_role for subsystem in assembly.with_role("powertrain")}
    axles: list[AxleDescription] = []
    problems: list[Problem] = []
    for axle in Axle:
        for subsystem in assembly.with_role("suspension", axle):
            topology = _topology_of(subsystem, assembly, problems)
            template = _template_of(subsystem, templates, topology, problems)
            mode = Mode.KINEMATIC if _switches(subsystem).get("kinematic_flag", 0) == 1 else Mode.COMPLIANT
            instance, kinematic = None, None
            if template is not None:
                points = hardpoints_in_vehicle_frame(subsystem, vehicle.x_front)
                try:
                    instance = instantiate(template, points, _switches(subsystem), mode)
                    held = instantiate(template, points, _switches(subsystem), Mode.KINEMATIC)
                    kinematic = _mobility(held, template)
                except InputError as error:
                    problems += [replace(problem, severity=Severity.WARNING) for problem in error.problems]
            is_driven = bool(driven & {axle, "any"})
            axles.append(
                AxleDescription(axle, subsystem.name, template, topology, mode, is_driven, instance, kinematic)
            )
    return tuple(axles), tuple(problems)


def _template_of(
    subsystem: Subsystem, templates: Mapping[str, Template], topology: Topology | None, problems: list[Problem]
) -> Template | None:
    name = subsystem.template.file_name if subsystem.template is not None else ""
    match = find_template(templates, name, subsystem.major_role, [point.name for point in subsystem.hardpoints])
    place = subsystem.template.place if subsystem.template is not None else Place(subsystem.file)
    if match is None:
        known = ", ".join(t.name for t in templates.values() if t.role == subsystem.major_role)
        text = f"no template answers '{name}' of subsystem '{subsystem.name}'"
        if topology is None:
            problems.append(Problem(text, place, Severity.WARNING, hint=f"known: {known}"))
        return None
    problems.append(Problem(f"subsystem '{subsystem.name}': {match}", place, Severity.NOTE))
    return match.template


def _topology_of(subsystem: Subsystem, assembly: Assembly, problems: list[Problem]) -> Topology | None:
    """What an ASCII template of the database says, moved to the hardpoints of the subsystem."""
    reference = subsystem.template
    path = assembly.path(reference) if reference is not None else None
    if reference is None or path is None:
        return None
    try:
        if is_binary(path):
            text = f"the template '{reference.file_name}' is binary; a built-in one answers it"
            problems.append(Problem(text, reference.place, Severity.NOTE))
            return None
        template = read_template(path)
        letter = {Symmetry.LEFT: "l", Symmetry.RIGHT: "r", Symmetry.SINGLE: "s"}
        points: dict[str, tuple[float, float, float]] = {}
        for hardpoint in subsystem.hardpoints:
            x, y, z = hardpoint.position
            if hardpoint.symmetry is Symmetry.BOTH:
                points |= {f"hpl_{hardpoint.name}": (x, y, z), f"hpr_{hardpoint.name}": (x, -y, z)}
            else:
                points[f"hp{letter[hardpoint.symmetry]}_{hardpoint.name}"] = (x, y, z)
        known = {point.id.casefold() for point in template.hardpoints}
        topology = evaluate(template, {name: p for name, p in points.items() if name.casefold() in known})
    except InputError as error:
        problems += [replace(problem, severity=Severity.WARNING) for problem in error.problems]
        return None
    parts = sum(not part.mount for part in topology.parts)
    text = f"ASCII template '{reference.file_name}': {parts} parts, {len(topology.joints)} joints"
    problems.append(Problem(text, reference.place, Severity.NOTE))
    return topology


def _switches(subsystem: Subsystem) -> dict[str, float]:
    """Numbers among the parameters: switches as they are, angles in radians; left/right ones for both sides."""
    values: dict[str, float] = {}
    for parameter in subsystem.parameters:
        if len(parameter.values) != 1 or isinstance(parameter.values[0], str):
            continue
        is_angle = parameter.name.casefold() in ("toe_angle", "camber_angle")
        value = parameter.si(KINDS["angle"])[0] if is_angle else float(parameter.values[0])
        for name in _sided(parameter.name.casefold(), parameter.symmetry):
            values[name] = value
    return values


def _sided(name: str, symmetry: Symmetry) -> tuple[str, ...]:
    if symmetry is Symmetry.BOTH:
        return tuple(f"{name}_{side}" for side in Side)
    return (name,) if symmetry is Symmetry.SINGLE else (f"{name}_{symmetry}",)


def hardpoints_in_vehicle_frame(subsystem: Subsystem, x_front: float) -> dict[str, Vector]:
    """Hardpoints of a subsystem in V [m], with ``_left`` and ``_right`` for those of pairs.

    `x_front` is the x of the front wheel centres in the file [m].
    """
    points: dict[str, Vector] = {}
    for hardpoint in subsystem.hardpoints:
        for name in _sided(hardpoint.name.casefold(), hardpoint.symmetry):
            mirror = np.array(
                [1.0, -1.0 if hardpoint.symmetry is Symmetry.BOTH and name.endswith("_right") else 1.0, 1.0]
            )
            x, y, z = half_turn_points(np.array(hardpoint.position) * mirror, x_front).tolist()
            points[name] = (x, y, z)
    return points


def _mobility(instance: Instance, template: Template) -> Mobility:
    held = set(template.mounts)
    joints = []
    for joint in instance.joints:
        first, second = (GROUND if body in held else body for body in joint.bodies)
        if first != second:
            joints.append(replace(joint, bodies=(first, second)))
    return mobility(instance.bodies, joints)
