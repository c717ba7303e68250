"""From a vehicle to a model that can be solved: rigid groups, elements, wheels, drives.

Ideal joints become connectors of `JOINT_STIFFNESS` in the directions they hold. The steering is reduced to its ratio,
so that the rack is driven against its housing, or the steering wheel is driven and turns column, torsion bar and
pinion. All positions are those of the design position in V, which is also the fixed frame E at the start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from trackrod import _core
from trackrod.core.constants import constant
from trackrod.core.corners import Axle, Corner
from trackrod.core.errors import InputError
from trackrod.multibody.free_motion import HOLDING_DAMPING, HOLDING_STIFFNESS, FreeMotion, find_free_motions
from trackrod.multibody.rigid import RigidGroup, Spin, rigid_groups
from trackrod.multibody.steering import SteeringColumn, SteeringModel, column_bodies
from trackrod.tyre.model import Tyre
from trackrod.vehicle.characteristics import Characteristic
from trackrod.vehicle.connectors import (
    Beam,
    Bushing,
    Damper,
    Friction,
    Spring,
    Stop,
    TorsionSpring,
    TravelForce,
    side_of,
)
from trackrod.vehicle.elements import GROUND, Joint, JointType, Vector
from trackrod.vehicle.placed import unit
from trackrod.vehicle.vehicle import Vehicle, subsystem_of

__all__ = ["JOINT_STIFFNESS", "UPRIGHT", "CompiledModel", "compile_axle", "compile_vehicle"]

Array = NDArray[np.float64]
Points = tuple[list[float], list[float]]

#: Stiffness of an ideal joint [N/m], [N·m/rad], and the time that its damping takes [s].
JOINT_STIFFNESS = 3e10
JOINT_TURNING_STIFFNESS = 1e9
JOINT_DAMPING_TIME = 1e-5
#: Stiffness of a drive [N/m] and its damping [N·s/m]; of one that turns [N·m/rad], [N·m·s/rad].
DRIVE_STIFFNESS = 1e10
DRIVE_DAMPING = 1e5
DRIVE_TURNING_STIFFNESS = 1e7
DRIVE_TURNING_DAMPING = 1e2

#: Length of the line that stands for the damper or spring of a wheel that has none [m]: it stays along z of the body.
UPRIGHT = 1000.0

#: Points of the curve of dry friction, and how far it is drawn: to sinh(7) times the speed where it bends.
FRICTION_POINTS = 57
FRICTION_REACH = 7.0

_OnLine = Spring | Damper | Friction | Stop
_NO_CURVE: Points = ([], [])
_ZERO = np.zeros(3)
#: Codes of the core for what resists rotation.
_NONE, _VECTOR, _AXIS, _CROSS, _TWIST = range(5)


@dataclass(frozen=True, slots=True, eq=False)
class CompiledModel:
    """A model of the core together with the names of what is in it.

    Attributes
    ----------
    core
        The model; its state changes when it is solved or run.
    vehicle
        What it was made from.
    groups
        Bodies of the model in the order of their indices.
    index
        Index by the name of a vehicle's body; −1 for what stands still.
    drives
        Index by name: ``rack``, or ``steering_wheel`` where the steering is a mechanism; ``pad_fl`` … on a rig.
    lines
        Index of the line element of each spring, damper and stop.
    corners
        Wheels in the order of their indices.
    tyres
        Corner of each tyre.
    column
        The steering where it is a mechanism.
    undamped
        Wheels without a damper of their own: what stands for it is upright and `UPRIGHT` long.
    free
        Motions that nothing of the vehicle resists; those that are rotations are held.
    places
        Index in the core of each joint, bushing, torsion spring, travel force and beam, by its class and name.
    spins
        Wheels with what turns with them, in the order of their indices.
    pushed
        The damper of each wheel, then the spring of each, that forces beside their own act along; None without one.
    """

    core: _core.Multibody
    vehicle: Vehicle
    groups: tuple[RigidGroup, ...]
    index: Mapping[str, int]
    drives: Mapping[str, int] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)
    corners: tuple[Corner, ...] = ()
    tyres: tuple[Corner, ...] = ()
    column: SteeringColumn | None = None
    undamped: frozenset[Corner] = frozenset()
    free: tuple[FreeMotion, ...] = ()
    places: Mapping[tuple[type, str], int] = field(default_factory=dict)
    spins: tuple[Spin, ...] = ()
    pushed: tuple[Damper | Spring | None, ...] = ()

    @property
    def joints(self) -> tuple[Joint, ...]:
        """Joints of the vehicle as they are in the model."""
        return self.vehicle.acting(self.vehicle.joints) if self.column is None else self.column.joints

    @property
    def loose(self) -> str:
        """What can move away, in words to be added to a message; empty if nothing can."""
        return "".join(f"; {motion}" for motion in self.free if not motion.turns)

    @property
    def centres(self) -> Array:
        """Centres of mass of the groups at the design position, shape (n, 3) [m]."""
        return np.array([group.centre for group in self.groups])


def compile_vehicle(
    vehicle: Vehicle, *, with_tyres: bool = True, steering: SteeringModel = SteeringModel.RATIO
) -> CompiledModel:
    """The whole vehicle, free on its tyres, or without wheels' tyres.

    Raises
    ------
    InputError
        The steering is to be a mechanism, and the vehicle lacks a part of it.
    """
    return _with_free_rotations_held(partial(_Compiler, vehicle, None, with_tyres=with_tyres, steering=steering))


def compile_axle(vehicle: Vehicle, axle: Axle, *, pads: bool = True) -> CompiledModel:
    """One axle on a rig: the sprung body stands still, the wheels rest on pads that set the height of their centres.

    Without pads the wheels hang in their springs, free to be pushed by loads.
    """
    return _with_free_rotations_held(
        partial(_Compiler, vehicle, axle, with_tyres=False, steering=SteeringModel.RATIO, pads=pads)
    )


def _with_free_rotations_held(compiler: Callable[..., _Compiler]) -> CompiledModel:
    model = compiler().model()
    still = [model.index[name] for name in model.vehicle.sprung_bodies if name in model.index]
    free = find_free_motions(model.core.linearise()[0], model.groups, still)
    held = [motion for motion in free if motion.turns]
    return replace(compiler(held=held).model() if held else model, free=free)


class _Compiler:
    def __init__(
        self,
        vehicle: Vehicle,
        axle: Axle | None,
        *,
        with_tyres: bool,
        steering: SteeringModel,
        pads: bool = True,
        held: Sequence[FreeMotion] = (),
    ) -> None:
        self.vehicle = vehicle
        self.pads = pads
        self.held = held
        self.axle = axle
        self.with_tyres = with_tyres
        self.column = None
        if steering is SteeringModel.MECHANISM and vehicle.steering is not None:
            self.column = SteeringColumn.of(vehicle, vehicle.steering)
        self.carried = set() if self.column is not None else set(column_bodies(vehicle))
        groups, spins = rigid_groups(vehicle, sorted(self.carried))
        self.spins = [spin for spin in spins if axle in (None, spin.wheel.corner.axle)]
        kept = groups if axle is None else self._of_axle(groups)
        self.groups = tuple(kept)
        self.index = {name: i for i, group in enumerate(self.groups) for name in group.names}
        self.core = _core.Multibody()
        self.places: dict[tuple[type, str], int] = {}
        self.pushed: list[Damper | Spring | None] = []

    def _of_axle(self, groups: Iterable[RigidGroup]) -> list[RigidGroup]:
        """Groups that are linked to the wheels of the axle without the sprung body."""
        moving = [group for group in groups if not set(self.vehicle.sprung_bodies).intersection(group.names)]
        of_body = {name: i for i, group in enumerate(moving) for name in group.names}
        linked: dict[int, set[int]] = {i: set() for i in range(len(moving))}
        for connector in self.vehicle.acting(self.vehicle.connectors()):
            first, second = (of_body.get(body) for body in connector.bodies)
            if first is not None and second is not None:
                linked[first].add(second)
                linked[second].add(first)
        wanted = {of_body[spin.wheel.body] for spin in self.spins}
        todo = list(wanted)
        while todo:
            for other in linked[todo.pop()] - wanted:
                wanted.add(other)
                todo.append(other)
        return [group for i, group in enumerate(moving) if i in wanted]

    def model(self) -> CompiledModel:
        for group in self.groups:
            self.core.add_body(group.mass, group.inertia, group.centre)
        vehicle = self.vehicle
        spin_joints = {wheel.joint for wheel in vehicle.wheels}
        joints = vehicle.acting(vehicle.joints) if self.column is None else self.column.joints
        for joint in joints:
            # what is carried moves with the body: its bearings in the rack housing would pin that to the body
            if joint.name not in spin_joints and not self.carried.intersection(joint.bodies):
                self._add_joint(joint)
        for bushing in vehicle.acting(vehicle.bushings):
            self._add_bushing(bushing)
        lines = self._add_lines()
        for torsion_spring in vehicle.acting(vehicle.torsion_springs):
            self._add_torsion(torsion_spring)
        for travel_force in vehicle.acting(vehicle.travel_forces):
            self._add_travel_force(travel_force)
        for beam in vehicle.acting(vehicle.beams):
            self._add_beam(beam)
        for motion in self.held:
            pair = self.index[motion.body], self.index.get(vehicle.chassis, -1)
            stiffness = ([0.0], [HOLDING_STIFFNESS])
            self.core.add_torsion(*pair, np.array(motion.axis), stiffness, 0.0, HOLDING_DAMPING)
        drives = self._add_drives()
        if self.column is not None:
            self._add_gear(self.column)
        corners, tyres = self._add_wheels()
        if self.axle is None:
            self._add_air()
            self._add_powertrain()
            self._add_brakes()
        undamped = self._add_actuators() if self.axle is None else frozenset()
        self.core.finish()
        parts = (self.groups, self.index, drives, lines, corners, tyres, self.column, undamped)
        more = {"places": self.places, "spins": tuple(self.spins), "pushed": tuple(self.pushed)}
        return CompiledModel(self.core, vehicle, *parts, **more)  # type: ignore[arg-type]

    def _pair(self, bodies: tuple[str, str]) -> tuple[int, int] | None:
        """Indices of two bodies; None if they move as one or neither is in the model."""
        first, second = (-1 if body == GROUND else self.index.get(body, -1) for body in bodies)
        return None if first == second else (first, second)

    def _add_joint(self, joint: Joint) -> None:
        pair = self._pair(joint.bodies)
        if pair is None or joint.type is JointType.FIXED:
            return
        kind = joint.type
        frame_a = frame_b = _frame_along(joint.axis)
        if kind in (JointType.HOOKE, JointType.PERPENDICULAR):
            frame_a, frame_b = _cross_frames(joint.axis, joint.second_axis)
        elif kind is JointType.CONVEL:
            frame_a, frame_b = _shaft_frames(joint.axis, joint.second_axis)
        holds = _HELD[kind]
        rates: list[Points] = [([0.0], [JOINT_STIFFNESS * held]) for held in holds]
        rotation = _ROTATION[kind]
        turning = JOINT_TURNING_STIFFNESS if rotation == _VECTOR else 0.0
        index = self.core.add_pair(
            *pair,
            np.array(joint.position),
            frame_b,
            rates,
            np.array(holds, dtype=float) * JOINT_STIFFNESS * JOINT_DAMPING_TIME,
            _ZERO,
            _ZERO,
            rotation,
            [([0.0], [turning])] * 3,
            np.full(3, turning * JOINT_DAMPING_TIME),
            _ZERO,
            _ZERO,
            JOINT_TURNING_STIFFNESS,
            JOINT_TURNING_STIFFNESS * JOINT_DAMPING_TIME,
        )
        self.core.set_pair_frames(index, frame_a, frame_b)
        self.places[Joint, joint.name] = index

    def _add_bushing(self, bushing: Bushing) -> None:
        pair = self._pair(bushing.bodies)
        if pair is None:
            return
        curves = [_points(curve) for curve in bushing.characteristic.curves]
        damping = np.array(bushing.characteristic.damping)
        preload, offset = np.array(bushing.preload), np.array(bushing.offset)
        self.places[Bushing, bushing.name] = self.core.add_pair(
            *pair,
            np.array(bushing.position),
            np.array(bushing.axes),
            curves[:3],
            damping[:3].copy(),
            preload[:3].copy(),
            offset[:3].copy(),
            _VECTOR,
            curves[3:],
            damping[3:].copy(),
            preload[3:].copy(),
            offset[3:].copy(),
            0.0,
            0.0,
        )

    def _add_lines(self) -> dict[str, int]:
        """Springs, dampers, friction and stops; those between the same points of the same bodies become one element."""
        vehicle = self.vehicle
        found: dict[tuple[tuple[str, str], tuple[Vector, Vector]], _LineParts] = {}
        elements: list[_OnLine] = [
            *vehicle.acting(vehicle.springs),
            *vehicle.acting(vehicle.dampers),
            *vehicle.acting(vehicle.frictions),
            *vehicle.acting(vehicle.stops),
        ]
        names: dict[str, int] = {}
        single: list[_LineParts] = []
        for element in elements:
            if self._pair(element.bodies) is None:
                continue
            parts = found.setdefault((element.bodies, element.ends), _LineParts(element.bodies, element.ends))
            if parts.has(element):  # a second spring on the same line
                parts = _LineParts(element.bodies, element.ends)
                single.append(parts)
            parts.take(element)
        for parts in (*found.values(), *single):
            index = self._add_line(parts)
            names |= dict.fromkeys(parts.names, index)
        return names

    def _add_line(self, parts: _LineParts) -> int:
        pair = self._pair(parts.bodies)
        if pair is None:
            raise InputError(f"the ends of {parts.names} are on one body")
        spring, damper, bump, rebound = parts.spring, parts.damper, parts.bump, parts.rebound
        return self.core.add_line(
            *pair,
            np.array(parts.ends[0]),
            np.array(parts.ends[1]),
            _NO_CURVE if spring is None else _points(spring.characteristic.curve),
            0.0 if spring is None else spring.design_compression,
            _rubbing(damper.force) if isinstance(damper, Friction) else _damping(damper),
            _NO_CURVE if bump is None else _points(bump.characteristic.curve),
            0.0 if bump is None else bump.clearance,
            _NO_CURVE if rebound is None else _points(rebound.characteristic.curve),
            0.0 if rebound is None else rebound.clearance,
        )

    def _add_torsion(self, spring: TorsionSpring) -> None:
        pair = self._pair(spring.bodies)
        if pair is not None:
            axis, curve = np.array(spring.axis), _points(spring.curve)
            place = self.core.add_torsion(*pair, axis, curve, spring.preload, spring.damping)
            self.places[TorsionSpring, spring.name] = place

    def _add_travel_force(self, force: TravelForce) -> None:
        pair = self._pair(force.bodies)
        if pair is not None:
            position, way, travel = (np.array(one) for one in (force.position, force.direction, force.travel))
            place = self.core.add_travel_force(*pair, position, way, travel, _points(force.curve))
            self.places[TravelForce, force.name] = place

    def _add_beam(self, beam: Beam) -> None:
        pair = self._pair(beam.bodies)
        if pair is None:
            return
        first, second = pair
        section, preload = beam.section, np.array(beam.preload)
        self.places[Beam, beam.name] = self.core.add_beam(
            second,
            first,
            np.array(beam.ends[1]),
            np.array(beam.ends[0]),
            np.array(beam.axes),
            section.axial,
            np.array([section.torsional, section.bending_y, section.bending_z]),
            preload[:3].copy(),
            preload[3:].copy(),
            beam.damping,
        )

    def _add_drives(self) -> dict[str, int]:
        drives = {}
        steering = self.vehicle.steering
        if self.column is not None:
            drives["steering_wheel"] = self._add_drive(self.column.wheel)
        elif steering is not None:
            rack = next(joint for joint in self.vehicle.joints if joint.name == steering.rack_joint)
            if self._pair(rack.bodies) is not None:
                drives["rack"] = self._add_drive(rack)
        if self.axle is not None and self.pads:
            for spin in self.spins:
                wheel = spin.wheel
                centre, up = np.array(wheel.centre), np.array([0.0, 0.0, 1.0])
                body = self.index[wheel.body]
                drives[f"pad_{wheel.corner}"] = self.core.add_drive(
                    body, -1, centre, up, False, DRIVE_STIFFNESS, DRIVE_DAMPING
                )
        return drives

    def _motion(self, joint: Joint) -> tuple[int, int, Array, Array, bool]:
        """What the core must know of a joint to move it: bodies, place, axis, whether it turns."""
        first, second = (-1 if body == GROUND else self.index.get(body, -1) for body in joint.bodies)
        return first, second, np.array(joint.position), np.array(joint.axis), joint.type is JointType.REVOLUTE

    def _add_drive(self, joint: Joint) -> int:
        if joint.type is JointType.REVOLUTE:
            return self.core.add_drive(*self._motion(joint), DRIVE_TURNING_STIFFNESS, DRIVE_TURNING_DAMPING)
        return self.core.add_drive(*self._motion(joint), DRIVE_STIFFNESS, DRIVE_DAMPING)

    def _add_gear(self, column: SteeringColumn) -> None:
        """The gear, as stiff as the softer of its joints would be, and the assistance that the torsion bar controls."""
        gear, joints = column.gear, column.geared
        first, second = (
            JOINT_TURNING_STIFFNESS if joint.type is JointType.REVOLUTE else JOINT_STIFFNESS for joint in joints
        )
        stiffness = min(first, second / gear.ratio**2)
        driving, driven = (self.core.add_joint_motion(*self._motion(joint)) for joint in joints)
        self.core.add_gear(driving, driven, gear.ratio, stiffness, stiffness * JOINT_DAMPING_TIME)
        if column.assist is not None and column.twist is not None:
            rack, twist = (self.core.add_joint_motion(*self._motion(joint)) for joint in (column.rack, column.twist))
            self.core.add_assist(rack, twist, column.assist)

    def _add_wheels(self) -> tuple[tuple[Corner, ...], tuple[Corner, ...]]:
        if self.axle is not None:
            return tuple(spin.wheel.corner for spin in self.spins), ()
        tyres: list[Corner] = []
        for spin in self.spins:
            wheel = spin.wheel
            body, brake, drive = (self.index[n] for n in (wheel.body, wheel.brake_reaction, wheel.drive_reaction))
            self.core.add_wheel(body, brake, drive, np.array(wheel.axis), np.array(wheel.centre), spin.inertia)
            if self.with_tyres:
                tyres += self._add_tyres(spin)
        return tuple(spin.wheel.corner for spin in self.spins), tuple(tyres)

    def _add_tyres(self, spin: Spin) -> list[Corner]:
        wheel = spin.wheel
        outward = np.array(wheel.axis) * wheel.corner.side.sign
        for place in wheel.tyres:
            tyre = Tyre(self.vehicle.tyres[place.tyre], mounted=wheel.corner.side)
            centre = np.array(wheel.centre) + outward * place.offset
            formula, mirrored, coefficients, deflection_load, bottoming = tyre.core_arguments()
            self.core.add_tyre(formula, mirrored, coefficients, deflection_load, bottoming, centre, tyre.pressure)
        return [wheel.corner] * len(wheel.tyres)

    def _add_air(self) -> None:
        air = self.vehicle.aerodynamics
        if air is None:
            return
        scale = 0.5 * air.density * air.frontal_area
        front, rear = (
            np.mean([wheel.centre for wheel in self.vehicle.wheels if wheel.corner.axle is axle], axis=0)
            for axle in Axle
        )
        centre = 0.5 * (front + rear)
        centre[2] = air.centre_height
        self.core.add_air(
            self.index[self.vehicle.chassis],
            scale * air.drag,
            scale * air.front_lift,
            scale * air.rear_lift,
            centre,
            front,
            rear,
        )

    def _add_powertrain(self) -> None:
        powertrain = self.vehicle.powertrain
        if powertrain is None:
            return
        axles = [spin.wheel.corner.axle for spin in self.spins]
        self.core.set_driveline(*powertrain.core_arguments(axles))
        for axle, differential in powertrain.limited_slip.items():
            left, right = (i for i, where in enumerate(axles) if where is axle)
            self.core.add_differential(left, right, _points(differential.curve))

    def _add_brakes(self) -> None:
        brakes = self.vehicle.brakes
        if brakes is not None:
            torque = {Axle.FRONT: brakes.front_torque, Axle.REAR: brakes.rear_torque}
            full = [brakes.largest_pressure * torque[spin.wheel.corner.axle] for spin in self.spins]
            self.core.set_brakes(np.array(full))

    def _add_actuators(self) -> frozenset[Corner]:
        """Where forces beside those of dampers and springs act: of all wheels along the damper, then along the spring.

        Returns the wheels that have no damper of their own.
        """
        vehicle, chassis = self.vehicle, self.index.get(self.vehicle.chassis, -1)
        if chassis >= 0:
            self.core.set_sprung(chassis)
        undamped = []
        for elements in (vehicle.dampers, vehicle.springs):
            for spin in self.spins:
                wheel = spin.wheel
                element = self._own_element(elements, wheel.corner)
                pair = None if element is None else self._pair(element.bodies)
                self.pushed.append(None if pair is None else element)
                if element is not None and pair is not None:
                    self.core.add_actuator(*pair, *(np.array(end) for end in element.ends))
                    continue
                centre = np.array(wheel.centre)
                above = centre + np.array([0.0, 0.0, UPRIGHT])
                sprung = self.index.get(vehicle.sprung_body(wheel.corner.axle), -1)
                self.core.add_actuator(self.index[wheel.body], sprung, centre, above)
                undamped += [wheel.corner] if elements is vehicle.dampers else []
        return frozenset(undamped)

    def _own_element(self, elements: Iterable[Damper | Spring], corner: Corner) -> Damper | Spring | None:
        """The damper or spring of a wheel: the one on its side of its axle; None where there are none or several."""
        subsystem = self.vehicle.axle(corner.axle).subsystem
        found = [
            element
            for element in elements
            if element.mode.acts_in(self.vehicle.mode_of(element.name))
            and subsystem_of(element.name) == subsystem
            and side_of(element) is corner.side
        ]
        return found[0] if len(found) == 1 else None


@dataclass(slots=True)
class _LineParts:
    """What acts along one line."""

    bodies: tuple[str, str]
    ends: tuple[Vector, Vector]
    spring: Spring | None = None
    damper: Damper | Friction | None = None
    bump: Stop | None = None
    rebound: Stop | None = None
    names: list[str] = field(default_factory=list)

    @staticmethod
    def _slot(element: _OnLine) -> str:
        if isinstance(element, Spring):
            return "spring"
        if isinstance(element, Damper | Friction):
            return "damper"
        return "rebound" if element.rebound else "bump"

    def has(self, element: _OnLine) -> bool:
        return getattr(self, self._slot(element)) is not None

    def take(self, element: _OnLine) -> None:
        setattr(self, self._slot(element), element)
        self.names.append(element.name)


#: Which displacements a joint holds along the x, y and z axis of its frame, z being its axis.
_HELD = {
    JointType.FIXED: (1, 1, 1),
    JointType.REVOLUTE: (1, 1, 1),
    JointType.TRANSLATIONAL: (1, 1, 0),
    JointType.CYLINDRICAL: (1, 1, 0),
    JointType.SPHERICAL: (1, 1, 1),
    JointType.HOOKE: (1, 1, 1),
    JointType.CONVEL: (1, 1, 1),
    JointType.INPLANE: (0, 0, 1),
    JointType.INLINE: (1, 1, 0),
    JointType.ORIENTATION: (0, 0, 0),
    JointType.PERPENDICULAR: (0, 0, 0),
}
_ROTATION = {
    JointType.FIXED: _VECTOR,
    JointType.REVOLUTE: _AXIS,
    JointType.TRANSLATIONAL: _VECTOR,
    JointType.CYLINDRICAL: _AXIS,
    JointType.SPHERICAL: _NONE,
    JointType.HOOKE: _CROSS,
    JointType.CONVEL: _TWIST,
    JointType.INPLANE: _NONE,
    JointType.INLINE: _NONE,
    JointType.ORIENTATION: _VECTOR,
    JointType.PERPENDICULAR: _CROSS,
}


def _points(curve: Characteristic) -> Points:
    return curve.x.tolist(), curve.y.tolist()


def _damping(damper: Damper | None) -> Points:
    return _NO_CURVE if damper is None else _points(damper.characteristic.curve)


def _rubbing(force: float) -> Points:
    """Dry friction over the speed, as the real-time model has it; its points lie where the curve bends."""
    slow = constant("friction_speed")
    speed = slow * np.sinh(np.linspace(-FRICTION_REACH, FRICTION_REACH, FRICTION_POINTS))
    return speed.tolist(), (force * speed / np.hypot(slow, speed)).tolist()


def _frame_along(axis: Vector) -> Array:
    """A frame whose z axis is `axis`, axes as columns."""
    z = np.array(axis)
    x = np.array(unit(*np.cross(np.eye(3)[int(np.abs(z).argmin())], z).tolist()))
    return np.ascontiguousarray(np.column_stack((x, np.cross(z, x), z)))


def _cross_frames(first: Vector, second: Vector) -> tuple[Array, Array]:
    """Frames of a universal joint: x of the first along the axis on the first body, y of the second on the second."""
    x, y = np.array(first), np.array(second)
    z_first = _frame_along(first)[:, 0]
    frame_a = np.column_stack((x, np.cross(z_first, x), z_first))
    z_second = _frame_along(second)[:, 0]
    frame_b = np.column_stack((np.cross(y, z_second), y, z_second))
    return np.ascontiguousarray(frame_a), np.ascontiguousarray(frame_b)


def _shaft_frames(first: Vector, second: Vector) -> tuple[Array, Array]:
    """Frames of a constant-velocity joint: z along the shafts, the second turned out of the first without twist."""
    frame = _frame_along(first)
    a, b = np.array(first), np.array(second)
    along = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    axis = np.cross(a, b if along >= 0 else -b)
    skew = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    turn = np.eye(3) + skew + _product(skew, skew) * (1.0 / (1.0 + abs(along)))
    return frame, np.ascontiguousarray(_product(turn, frame))


def _product(first: Array, second: Array) -> Array:
    """Of two matrices, term by term as in the core: NumPy's own product rounds otherwise, and not alike everywhere."""
    terms = [first[:, k, None] * second[k] for k in range(3)]
    return np.asarray(terms[0] + terms[1] + terms[2])
