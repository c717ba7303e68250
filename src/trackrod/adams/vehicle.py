"""A whole Adams/Car assembly as a neutral vehicle.

The mechanism of each subsystem comes from its ASCII template if the database has one, else from a template file of
Trackrod. Subsystems are joined by what they offer and what they mount on: a suspension mounts on ``body``, its wheels
on its ``spindle``, an anti-roll bar on its ``arb_pickup``. Parts that no template knows move with the sprung body, so
that no mass is lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from trackrod.adams.ascii_mechanism import build_ascii_mechanism
from trackrod.adams.assembly import Assembly, missing_files, read_assembly, read_subsystem_alone
from trackrod.adams.bodies import AssembledBodies, assemble_bodies
from trackrod.adams.characteristics import Characteristics, read_characteristics
from trackrod.adams.connectors import fill_places
from trackrod.adams.half_vehicle import RIG_TYRE, half_assembly, is_half, rig_tyre, surroundings_of
from trackrod.adams.mechanism import (
    Mechanism,
    build_mechanism,
    hardpoints_in_vehicle_frame,
    sided_names,
    sides_of,
    switches_of,
    unmodelled_switches,
)
from trackrod.adams.subsystem import Subsystem
from trackrod.adams.systems import aerodynamics_of, brakes_of, frame_of, powertrain_of, steering_of
from trackrod.adams.template_file import is_binary, read_template
from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.errors import InputError, MissingFileError, Place, Problem, Severity
from trackrod.tyre.properties import TyreProperties
from trackrod.vehicle.connectors import (
    Beam,
    Bushing,
    Connector,
    Damper,
    Friction,
    Gear,
    Spring,
    Stop,
    TorsionSpring,
    TravelForce,
)
from trackrod.vehicle.elements import Body, Joint, JointType, Role, Vector
from trackrod.vehicle.frame import with_frame
from trackrod.vehicle.instantiate import WheelPlace
from trackrod.vehicle.mass import mass_properties
from trackrod.vehicle.systems import (
    Aerodynamics,
    AxleLayout,
    Brakes,
    Payload,
    Powertrain,
    Steering,
    TyrePlace,
    Wheel,
)
from trackrod.vehicle.template import Template, find_template
from trackrod.vehicle.template_reader import load_templates
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["VehicleReading", "read_vehicle"]

_Connector = TypeVar("_Connector", Joint, Bushing, Spring, Damper, Friction, Stop, TorsionSpring, TravelForce, Beam)

#: Roles of subsystems that a vehicle is made of, in the order in which they are built.
_ROLES = ("body", "suspension", "steering", "antirollbar", "wheel", "powertrain", "brake_system")
#: Roles whose subsystems have a mechanism with ideal joints or bushings.
_WITH_MODE = ("suspension", "steering", "antirollbar")


#: What half a vehicle is mounted on.
_RIG_BODY = "body"


@dataclass(frozen=True, slots=True)
class VehicleReading:
    """A vehicle, the files that it was read from, and every problem met on the way."""

    vehicle: Vehicle
    files_read: tuple[Path, ...]
    problems: tuple[Problem, ...]


def read_vehicle(
    path: Path | str,
    aliases: Mapping[str, Path | str] | None = None,
    *,
    templates: Iterable[Path | str] = (),
    allow_outside: bool = False,
    stand_in: bool = False,
    parameters: Mapping[str, float] | None = None,
) -> VehicleReading:
    """Read an assembly (.asy) and everything it refers to as one vehicle.

    A suspension assembly, and a suspension subsystem (.sub) alone, are half a vehicle: one axle on a body without
    mass, on tyres of the test rig where the assembly has none.

    Parameters
    ----------
    path
        The assembly, or the subsystem of a suspension.
    aliases, allow_outside
        As for `trackrod.adams.database.Database.around`.
    templates
        Folders with templates besides the built-in ones.
    stand_in
        Whether neutral property files stand in for those that are not found. A warning names each, and the name of the
        vehicle, by which every result knows it, ends with ``_with_stand_ins``.
    parameters
        Values that take the place of those in the subsystems, as for `Assembly.with_parameters`.

    Raises
    ------
    MissingFileError
        Files are not found; one message names all of them and what each is used for.
    InputError
        A file cannot be read, or the subsystems do not make up a vehicle; all problems are named.
    """
    read = read_subsystem_alone if Path(path).suffix.casefold() == ".sub" else read_assembly
    assembly = read(path, aliases, allow_outside=allow_outside, stand_in=stand_in)
    if assembly.missing:
        raise MissingFileError(missing_files(assembly.file, assembly.missing))
    assembly = assembly.with_parameters(parameters or {})
    assembly = half_assembly(assembly) if is_half(assembly) else assembly
    characteristics = read_characteristics(assembly)
    bodies = assemble_bodies(assembly)
    build = _Build(assembly, characteristics, bodies, load_templates(templates))
    vehicle = build.vehicle()
    problems = (*assembly.problems, *characteristics.problems, *bodies.problems, *build.problems)
    return VehicleReading(vehicle, (*assembly.files_read, *characteristics.files_read, *build.files), problems)


@dataclass
class _Build:
    """One vehicle while it is put together."""

    assembly: Assembly
    characteristics: Characteristics
    assembled: AssembledBodies
    templates: Mapping[str, Template]
    problems: list[Problem] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)
    bodies: dict[str, Body] = field(default_factory=dict)
    connectors: list[Connector] = field(default_factory=list)
    gears: list[Gear] = field(default_factory=list)
    wheels: dict[Corner, tuple[str, WheelPlace]] = field(default_factory=dict)
    binary: set[str] = field(default_factory=set)  # subsystems whose template is

    def vehicle(self) -> Vehicle:
        self._report_unused()
        mechanisms = [m for role in _ROLES for s in self.assembly.with_role(role) if (m := self._mechanism(s))]
        self.mechanisms = mechanisms
        self.parts = {body.name: body for body in self.assembled.bodies}
        self.chassis = self._chassis()
        for mechanism in mechanisms:
            self._add(mechanism)
        self._fix_other_parts()
        steering, powertrain, brakes, aerodynamics = self._systems()
        wheels, tyres = self._tyred_wheels()
        payload = [b for b in self.bodies.values() if b.role is Role.PAYLOAD]
        vehicle = Vehicle(
            name=f"{self.assembly.name}_with_stand_ins" if self.assembly.stand_ins else self.assembly.name,
            chassis=self.chassis,
            bodies=tuple(self.bodies.values()),
            hardpoints=self._hardpoints(),
            joints=self._of_type(Joint),
            bushings=self._of_type(Bushing),
            springs=self._of_type(Spring),
            dampers=self._of_type(Damper),
            frictions=self._of_type(Friction),
            stops=self._of_type(Stop),
            torsion_springs=self._of_type(TorsionSpring),
            travel_forces=self._of_type(TravelForce),
            beams=self._of_type(Beam),
            gears=tuple(self.gears),
            wheels=wheels,
            tyres=tyres,
            axles=self._axles(wheels, powertrain),
            steering=steering,
            powertrain=powertrain,
            brakes=brakes,
            aerodynamics=aerodynamics,
            payload=Payload(tuple(payload)) if payload else None,
            modes={m.subsystem.name: m.mode for m in mechanisms if m.subsystem.major_role in _WITH_MODE},
            surroundings=surroundings_of(self.assembly) if is_half(self.assembly) else None,
        )
        torsion = next((frame_of(m) for m in mechanisms if m.subsystem.major_role == "body"), None)
        return vehicle if torsion is None else with_frame(vehicle, torsion)

    def _note(self, text: str, place: Place, severity: Severity = Severity.NOTE, hint: str = "") -> None:
        self.problems.append(Problem(text, place, severity, hint))

    def _report_unused(self) -> None:
        for subsystem in self.assembly.subsystems:
            if subsystem.major_role not in _ROLES:
                text = f"subsystem '{subsystem.name}' has the role '{subsystem.major_role}', which is not modelled"
                self._note(f"{text}; its parts move with the body", Place(subsystem.file), Severity.WARNING)

    # Mechanisms

    def _mechanism(self, subsystem: Subsystem) -> Mechanism | None:
        """The mechanism of a subsystem; None, and problems, if no template answers it."""
        mechanism = self._from_ascii(subsystem)
        if mechanism is not None:
            return mechanism
        place = subsystem.template.place if subsystem.template is not None else Place(subsystem.file)
        name = subsystem.template.file_name if subsystem.template is not None else ""
        match = find_template(
            self.templates, name, subsystem.major_role, [point.name for point in subsystem.hardpoints]
        )
        if match is None:
            known = ", ".join(t.name for t in self.templates.values() if t.role == subsystem.major_role)
            binary = ", which is binary and can be read by Adams only," if subsystem.name in self.binary else ""
            text = f"no template answers '{name}'{binary} of subsystem '{subsystem.name}'"
            self._note(text, place, Severity.ERROR, f"known: {known}; a template of your own can be added as a file")
            return None
        self._note(f"subsystem '{subsystem.name}': {match}", place)
        for switch in unmodelled_switches(subsystem, match.template):
            text = (
                f"subsystem '{subsystem.name}': the switch '{switch.name}' = {switch.values[0]} is left out of account"
            )
            hint = f"the template '{match.template.name}' has nothing that it switches"
            self._note(text, switch.place, Severity.WARNING, hint)
        self._report_parameters(subsystem, match.template)
        try:
            return build_mechanism(subsystem, match.template, self.assembled.x_front)
        except InputError as error:
            self.problems += error.problems
            return None

    def _report_parameters(self, subsystem: Subsystem, template: Template) -> None:
        """Warn of parameters that have a value and are not used."""
        switches = switches_of(subsystem)
        for unused in template.unused_parameters:
            if switches.get(unused.parameter) and all(one.holds(switches, ()) for one in unused.when):
                text = f"'{unused.parameter}' = {switches[unused.parameter]:g} is not used: {unused.says}"
                self._note(text, Place(subsystem.file), Severity.WARNING)

    def _from_ascii(self, subsystem: Subsystem) -> Mechanism | None:
        reference = subsystem.template
        path = self.assembly.path(reference) if reference is not None else None
        if reference is None or path is None:
            return None
        try:
            if is_binary(path):
                self.binary.add(subsystem.name)
                text = f"the template '{reference.file_name}' is binary and can be read by Adams only"
                hint = "a template of Trackrod answers it; or save it in the format ASCII in Adams/Car"
                self._note(text, reference.place, Severity.WARNING, hint)
                return None
            if subsystem.major_role != "suspension":  # the others are described by their values alone
                return None
            template = read_template(path)
            mechanism = build_ascii_mechanism(subsystem, template, self.assembled.x_front)
        except InputError as error:
            self.problems += [replace(problem, severity=Severity.WARNING) for problem in error.problems]
            return None
        self.files.append(path)
        self.problems += template.problems
        found = mechanism.instance
        text = (
            f"subsystem '{subsystem.name}': ASCII template '{reference.file_name}' gives {len(found.bodies)} bodies, "
        )
        self._note(f"{text}{len(found.joints)} joints", reference.place)
        return mechanism

    def _chassis(self) -> str:
        for mechanism in self.mechanisms:
            if mechanism.subsystem.major_role == "body" and "body" in mechanism.offers:
                return f"{mechanism.subsystem.name}.{mechanism.offers['body']}"
        if is_half(self.assembly):  # what the axle is mounted on stands still on a rig
            self.bodies[_RIG_BODY] = Body(_RIG_BODY, 0.0, (0.0, 0.0, 0.0), ((0.0,) * 3,) * 3, role=Role.BODY)
            return _RIG_BODY
        raise InputError([*self._errors(), Problem("there is no subsystem of the body", Place(self.assembly.file))])

    def _errors(self) -> list[Problem]:
        """Of all files, so that what is wrong in one is said where the vehicle cannot be put together without it."""
        problems = (*self.characteristics.problems, *self.assembled.problems, *self.problems)
        return [problem for problem in problems if problem.severity is Severity.ERROR]

    def _add(self, mechanism: Mechanism) -> None:
        """Bodies and connectors of a mechanism, by their full names."""
        known = self._add_bodies(mechanism)
        filled = fill_places(mechanism, self.characteristics, known)
        self.problems += filled.problems
        for body in filled.leaf_bodies:
            full = f"{mechanism.subsystem.name}.{body.name}"
            member = mechanism.instance.bodies[body.name]
            self.bodies[full] = replace(body, name=full, side=member.side, role=member.role)
        instance = mechanism.instance
        self.connectors += self._attached(mechanism, instance.joints)
        self.connectors += self._attached(mechanism, filled.bushings)
        self.connectors += self._attached(mechanism, (*filled.springs, *instance.springs))
        self.connectors += self._attached(mechanism, filled.dampers)
        self.connectors += self._attached(mechanism, instance.frictions)
        self.connectors += self._attached(mechanism, filled.stops)
        self.connectors += self._attached(mechanism, instance.torsion_springs)
        self.connectors += self._attached(mechanism, filled.travel_forces)
        self.connectors += self._attached(mechanism, (*filled.beams, *instance.beams))
        self._add_missing_bodies(mechanism)
        for side, place in instance.wheels.items():
            if mechanism.subsystem.minor_role in tuple(Axle):
                corner = Corner.of(Axle(mechanism.subsystem.minor_role), side)
                self.wheels[corner] = (mechanism.subsystem.name, self._attached_wheel(mechanism, place, side))

    def _add_bodies(self, mechanism: Mechanism) -> list[str]:
        """Bodies that parts of the subsystem make up; their names without the subsystem's."""
        known = []
        for body, member in mechanism.instance.bodies.items():
            names = {member.base, *mechanism.parts.get(member.base, ())}
            suffix = "" if member.side is None else f"_{member.side}"
            parts = [
                part
                for name in sorted(names)
                if (part := self.parts.pop(f"{mechanism.subsystem.name}.{name}{suffix}", None)) is not None
            ]
            if parts:
                full = f"{mechanism.subsystem.name}.{body}"
                self.bodies[full] = replace(_merged(parts), name=full, side=member.side, role=member.role)
                known.append(body)
        return known

    def _add_missing_bodies(self, mechanism: Mechanism) -> None:
        """Bodies of the template for which the subsystem has no part: without mass, where they are attached."""
        for body, member in mechanism.instance.bodies.items():
            full = f"{mechanism.subsystem.name}.{body}"
            if full in self.bodies:
                continue
            points = [point for c in self.connectors if full in c.bodies for point in _points(c)]
            if not points:
                continue
            x, y, z = np.mean(points, axis=0).tolist()
            nothing = ((0.0,) * 3,) * 3
            self.bodies[full] = Body(full, 0.0, (x, y, z), nothing, side=member.side, role=member.role)
            if any(joint.type is JointType.FIXED and body in joint.bodies for joint in mechanism.instance.joints):
                continue  # a piece of another body, which has the mass
            text = f"subsystem '{mechanism.subsystem.name}' has no part '{body}'; it is taken without mass"
            self._note(text, Place(mechanism.subsystem.file), Severity.WARNING)

    def _attached(self, mechanism: Mechanism, connectors: Iterable[_Connector]) -> list[_Connector]:
        """Connectors with full names; those that would join a body with itself, as a mount on the body does, go."""
        attached = []
        for connector in connectors:
            first, second = (self._full(mechanism, body, connector.side) for body in connector.bodies)
            if first != second:
                name = f"{mechanism.subsystem.name}.{connector.name}"
                attached.append(replace(connector, name=name, bodies=(first, second)))
        return attached

    def _attached_wheel(self, mechanism: Mechanism, place: WheelPlace, side: Side) -> WheelPlace:
        body, brake, drive = (
            self._full(mechanism, name, side) for name in (place.body, place.brake_reaction, place.drive_reaction)
        )
        joint = f"{mechanism.subsystem.name}.{place.joint}"
        return replace(place, body=body, joint=joint, brake_reaction=brake, drive_reaction=drive)

    def _full(self, mechanism: Mechanism, body: str, side: Side | None) -> str:
        """Full name of a body or mount of a mechanism."""
        if body in mechanism.instance.bodies or any(body in leaf.bodies for leaf in mechanism.instance.leaves):
            return f"{mechanism.subsystem.name}.{body}"
        return self._offered(body, mechanism.subsystem.minor_role, side) or self.chassis

    def _offered(self, mount: str, role: str, side: Side | None) -> str | None:
        """The body that another subsystem of the same axle, or the body, offers for a mount."""
        for other in self.mechanisms:
            offer = other.offers.get(mount)
            whole = other.subsystem.minor_role == role or other.subsystem.major_role == "body"
            if offer is None or not (whole or (other.subsystem.minor_role, role) == ("any", "front")):
                continue
            for name in (offer, f"{offer}_{side}"):
                if name in other.instance.bodies:
                    return f"{other.subsystem.name}.{name}"
        return None

    def _fix_other_parts(self) -> None:
        """Wheels turn with their spindles; parts that no template knows move with the sprung body."""
        wheels = {
            f"{subsystem.name}.{name}": subsystem
            for subsystem in self.assembly.with_role("wheel")
            for wheel in subsystem.wheels
            for name in sided_names(wheel)
        }
        for name, part in self.parts.items():
            self.bodies[name] = part
            carrier = self.chassis
            if name in wheels:
                found = self._offered("spindle", wheels[name].minor_role, part.side)
                if found is None:
                    text = f"no suspension carries the wheel '{name}'"
                    self._note(text, Place(wheels[name].file), Severity.ERROR)
                carrier = found or carrier
            elif part.role is not Role.PAYLOAD:
                subsystem = self._subsystem_of(name)
                if subsystem.major_role not in ("body", "powertrain"):
                    text = f"part '{name}' is not known to the template; it moves with the body"
                    self._note(text, Place(subsystem.file))
            joint = Joint(f"{name}_fixed", JointType.FIXED, (name, carrier), part.centre, side=part.side)
            self.connectors.append(joint)

    def _subsystem_of(self, name: str) -> Subsystem:
        return next(s for s in self.assembly.subsystems if s.name == name.partition(".")[0])

    # Systems

    def _systems(self) -> tuple[Steering | None, Powertrain | None, Brakes | None, Aerodynamics | None]:
        by_role = {mechanism.subsystem.major_role: mechanism for mechanism in self.mechanisms}
        steering = powertrain = brakes = aerodynamics = None
        try:
            if "steering" in by_role:
                steering = steering_of(by_role["steering"], self.characteristics, rack_ahead=self._rack_is_ahead())
                self._add_gears(by_role["steering"], 1.0 / steering.ratio)
        except InputError as error:
            self.problems += error.problems
        try:
            if "powertrain" in by_role:
                powertrain = powertrain_of(by_role["powertrain"], self.characteristics)
        except InputError as error:
            self.problems += error.problems
        if "brake_system" in by_role:
            brakes = brakes_of(by_role["brake_system"])
        if "body" in by_role:
            aerodynamics = aerodynamics_of(by_role["body"])
        return steering, powertrain, brakes, aerodynamics

    def _add_gears(self, mechanism: Mechanism, ratio: float) -> None:
        for gear in mechanism.instance.gears:
            first, second = (f"{mechanism.subsystem.name}.{joint}" for joint in gear.joints)
            self.gears.append(Gear(f"{mechanism.subsystem.name}.{gear.name}", (first, second), ratio))

    def _rack_is_ahead(self) -> bool:
        """Whether the tie rods of the front axle, or of the only one, act ahead of the wheel centres.

        Without tie rods on a rack the end of a pitman arm moves towards the point that it reaches in a left turn.
        """
        axle = self.assembly.axles[0]
        centre = self.assembled.wheel_centres[Corner.of(axle, Side.LEFT)]
        for subsystem in self.assembly.with_role("suspension", axle):
            points = hardpoints_in_vehicle_frame(subsystem, self.assembled.x_front)
            if {"tierod_inner_left", "tierod_outer_left"} <= points.keys():
                return points["tierod_outer_left"][0] > centre[0]
        return True

    def _tyred_wheels(self) -> tuple[tuple[Wheel, ...], dict[str, TyreProperties]]:
        tyres: dict[str, TyreProperties] = {}
        wheels = []
        for corner in (corner for corner in Corner if corner.axle in self.assembly.axles):
            if corner not in self.wheels:
                text = f"the {corner.axle} axle has no suspension that carries a wheel"
                raise InputError([*self._errors(), Problem(text, Place(self.assembly.file))])
            _, place = self.wheels[corner]
            found = list(self._tyres_at(corner, tyres))
            if not found and is_half(self.assembly) and not self.assembly.with_role("wheel"):
                tyres[RIG_TYRE] = tyres.get(RIG_TYRE) or rig_tyre(self.assembly, self._note)
                found = [TyrePlace(RIG_TYRE)]
            if not found:
                raise InputError([*self._errors(), self._without_tyre(corner)])
            wheels.append(
                Wheel(
                    corner=corner,
                    body=place.body,
                    joint=place.joint,
                    centre=place.centre,
                    axis=place.axis,
                    tyres=tuple(found),
                    brake_reaction=place.brake_reaction,
                    drive_reaction=place.drive_reaction,
                )
            )
        return tuple(wheels), tyres

    def _without_tyre(self, corner: Corner) -> Problem:
        """That a corner has no tyre, at the record that names its file, if there is one."""
        for subsystem in self.assembly.with_role("wheel", corner.axle):
            for wheel in subsystem.wheels:
                if corner.side in sides_of(wheel) and wheel.property_file is not None:
                    text = f"the wheel '{corner}' has no tyre: '{wheel.property_file.file_name}' could not be read"
                    return Problem(text, wheel.property_file.place)
        return Problem(f"the wheel '{corner}' has no tyre: no subsystem names one", Place(self.assembly.file))

    def _tyres_at(self, corner: Corner, tyres: dict[str, TyreProperties]) -> Iterable[TyrePlace]:
        """Tyres of a corner, entered in `tyres` by the stem of their file."""
        for subsystem in self.assembly.with_role("wheel", corner.axle):
            for wheel in subsystem.wheels:
                if corner.side not in sides_of(wheel):
                    continue
                tyre = self.characteristics.of(wheel.property_file)
                if isinstance(tyre, TyreProperties) and wheel.property_file is not None:
                    name = Path(wheel.property_file.file_name).stem
                    tyres[name] = tyre
                    yield TyrePlace(name, wheel.centre_offset)

    def _axles(self, wheels: tuple[Wheel, ...], powertrain: Powertrain | None) -> tuple[AxleLayout, ...]:
        found = []
        for axle in self.assembly.axles:
            subsystem, _ = self.wheels[Corner.of(axle, Side.LEFT)]
            mechanism = next(m for m in self.mechanisms if m.subsystem.name == subsystem)
            found.append(
                AxleLayout(
                    position=axle,
                    subsystem=subsystem,
                    template=mechanism.template,
                    dependent=mechanism.dependent,
                    driven=powertrain is not None and powertrain.drives(axle),
                    dual_tyres=any(len(w.tyres) > 1 for w in wheels if w.corner.axle is axle),
                    mode=mechanism.mode,
                    freedoms=mechanism.freedoms,
                )
            )
        return tuple(found)

    def _hardpoints(self) -> dict[str, Vector]:
        return {
            f"{subsystem.name}.{name}": point
            for subsystem in self.assembly.subsystems
            for name, point in hardpoints_in_vehicle_frame(subsystem, self.assembled.x_front).items()
        }

    def _of_type(self, kind: type[_Connector]) -> tuple[_Connector, ...]:
        return tuple(connector for connector in self.connectors if isinstance(connector, kind))


def _merged(parts: Sequence[Body]) -> Body:
    """Several parts as one body, by the name of the first."""
    if len(parts) == 1 or sum(part.mass for part in parts) == 0:
        return parts[0]
    total = mass_properties(parts)
    sprung = sum(part.mass * part.sprung_fraction for part in parts) / total.mass
    x, y, z = total.centre.tolist()
    rows = (0.5 * (total.inertia + total.inertia.T)).tolist()
    inertia = (tuple(rows[0]), tuple(rows[1]), tuple(rows[2]))
    return replace(parts[0], mass=float(total.mass), centre=(x, y, z), inertia=inertia, sprung_fraction=sprung)


def _points(connector: Connector) -> tuple[Vector, ...]:
    """Where a connector is attached."""
    if isinstance(connector, Joint | Bushing | TorsionSpring | TravelForce):
        return (connector.position,)
    return connector.ends
