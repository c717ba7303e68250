"""The mechanisms of a vehicle built a second time, in exudyn, for comparison with `trackrod.multibody`.

Bodies and the elements between them come from the same `Vehicle`. Equations, joints and solvers are exudyn's: rigid
bodies with Euler parameters, ideal joints as constraints with Lagrange multipliers, generalised-α steps in time. Nothing
of the core is called. Where exudyn has no such element, the nearest stands in:

* A constant-velocity joint is a universal joint. A link between this and a ball joint then turns about its own axis by
  half the product of its two bend angles more; nothing else moves.
* A bushing exerts its reaction on the second body at that body's own point, not where the first body's point is. The
  moment that this leaves out is displacement × force.
* A beam is a chain of segments with rigid ends, or exudyn's geometrically exact beam.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import exudyn as exu
import exudyn.itemInterface as eii
import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator

from trackrod.multibody.compile import CompiledModel
from trackrod.vehicle.characteristics import BushingCharacteristic, Characteristic
from trackrod.vehicle.connectors import Beam, Bushing, Damper, Spring, Stop, TorsionSpring
from trackrod.vehicle.elements import GROUND, Joint, JointType
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["BeamModel", "Mechanism", "Motion", "build", "linearised"]

Array = NDArray[np.float64]
Law = Callable[[float], float]
Shake = Callable[[float], tuple[Sequence[float], Sequence[float]]]

VERB=0
GRAVITY = (0.0, 0.0, -9.80665)
#: Mass and inertia of what has none of its own [kg], [kg·m²]: ends of segments, nodes of beams.
SMALL_MASS = 1e-3
SMALL_INERTIA = 1e-6

#: Directions that a joint holds: x, y, z and turning about them, in a frame with z along the joint's axis.
_HELD = {
    JointType.REVOLUTE: (1, 1, 1, 1, 1, 0),
    JointType.TRANSLATIONAL: (1, 1, 0, 1, 1, 1),
    JointType.CYLINDRICAL: (1, 1, 0, 1, 1, 0),
    JointType.SPHERICAL: (1, 1, 1, 0, 0, 0),
    JointType.HOOKE: (1, 1, 1, 0, 0, 1),
    JointType.CONVEL: (1, 1, 1, 0, 0, 1),
    JointType.INPLANE: (0, 0, 1, 0, 0, 0),
    JointType.INLINE: (1, 1, 0, 0, 0, 0),
    JointType.ORIENTATION: (0, 0, 0, 1, 1, 1),
    JointType.PERPENDICULAR: (0, 0, 0, 0, 0, 1),
}


@dataclass(frozen=True, slots=True)
class BeamModel:
    """How a beam is made.

    Attributes
    ----------
    segments
        Number of pieces.
    exact
        Geometrically exact elements, for beams without preload, instead of springs between rigid ends.
    """

    segments: int = 1
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Motion:
    """Poses of the bodies: time or load step, centres of mass [m] and rotation matrices, in E."""

    time: Array
    centres: Array  # (times, bodies, 3)
    rotations: Array  # (times, bodies, 3, 3)
    forces: Mapping[str, Array]  # of the drives [N]

    def point(self, body: int, arm: Array) -> Array:
        """Places of a point of a body, given from its centre of mass in body axes [m]."""
        return self.centres[:, body] + self.rotations[:, body] @ arm


def linearised(vehicle: Vehicle, *, damping: float = 1.0) -> Vehicle:
    """The vehicle with straight characteristics, without stops; dampers times `damping`."""

    def straight(curve: Characteristic, at: float = 0.0, factor: float = 1.0) -> Characteristic:
        slope = curve.slope(at)
        value = float(np.interp(at, curve.x, curve.y))
        x = np.array([at - 1.0, at + 1.0])
        return replace(curve, x=x, y=factor * (value + slope * (x - at)))

    def bushing(b: Bushing) -> Bushing:
        curves = tuple(straight(c) for c in b.characteristic.curves)
        damped = tuple(damping * c for c in b.characteristic.damping)
        return replace(b, characteristic=BushingCharacteristic(curves, damped))

    def spring(s: Spring) -> Spring:
        curve = straight(s.characteristic.curve, s.design_compression)
        return replace(s, characteristic=replace(s.characteristic, curve=curve))

    def damper(d: Damper) -> Damper:
        return replace(d, characteristic=replace(d.characteristic, curve=straight(d.characteristic.curve, 0.0, damping)))

    def torsion(t: TorsionSpring) -> TorsionSpring:
        return replace(t, curve=straight(t.curve), damping=damping * t.damping)

    return replace(
        vehicle,
        bushings=tuple(map(bushing, vehicle.bushings)),
        springs=tuple(map(spring, vehicle.springs)),
        dampers=tuple(map(damper, vehicle.dampers)) if damping else (),
        torsion_springs=tuple(map(torsion, vehicle.torsion_springs)),
        beams=tuple(replace(beam, damping=damping * beam.damping) for beam in vehicle.beams),
        stops=(),
    )


def build(model: CompiledModel, *, beams: BeamModel | None = None, pads: bool | None = None) -> Mechanism:
    """The same bodies and elements as in `model`, in exudyn.

    Parameters
    ----------
    beams
        How beams are made: one segment each where nothing is said.
    pads
        Whether drives hold the heights of the wheel centres, as on the rig; as in `model` where nothing is said.
    """
    mechanism = Mechanism(model, beams or BeamModel())
    mechanism.add_elements()
    mechanism.add_drives(any(name.startswith("pad") for name in model.drives) if pads is None else pads)
    mechanism.assemble()
    return mechanism


@dataclass(slots=True)
class _Targets:
    """What drives hold: values, and courses over the time of the solver while it sweeps."""

    values: dict[str, float]
    course: dict[str, tuple[Array, Array]]

    def at(self, name: str, t: float) -> float:
        course = self.course.get(name)
        return self.values.get(name, 0.0) if course is None else float(np.interp(t, *course))


class Mechanism:
    """Bodies in the order of `model.groups`, the elements between them, and drives by name."""

    def __init__(self, model: CompiledModel, beams: BeamModel) -> None:
        self.model = model
        self.vehicle = model.vehicle
        self.beams = beams
        self.container = exu.SystemContainer()
        self.system = self.container.AddSystem()
        self.drives: dict[str, int] = {}
        self._targets = _Targets({}, {})
        self._numeric = True
        self.ground = self.system.AddObject(eii.ObjectGround())
        self.bodies = [self._body(g.mass, g.inertia, g.centre) for g in model.groups]
        self._sensors: list[tuple[int, int]] = []
        self._force_sensors: dict[str, int] = {}

    # bodies and markers

    def _body(self, mass: float, inertia: Array, centre: Array, axes: Array | None = None) -> int:
        q = [1.0, 0.0, 0.0, 0.0] if axes is None else _quaternion(axes)
        node = self.system.AddNode(eii.NodeRigidBodyEP(referenceCoordinates=[*centre, *q]))
        xx, yy, zz, yz, xz, xy = (inertia[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)))
        body = self.system.AddObject(
            eii.ObjectRigidBody(mass=mass, inertia=[xx, yy, zz, yz, xz, xy], nodeNumber=node)
        )
        marker = self.system.AddMarker(eii.MarkerBodyMass(bodyNumber=body))
        self.system.AddLoad(eii.LoadMassProportional(markerNumber=marker, loadVector=list(GRAVITY)))
        return int(body)

    def _index(self, body: str) -> int:
        return -1 if body == GROUND else self.model.index.get(body, -1)

    def _joins(self, bodies: tuple[str, str]) -> bool:
        first, second = map(self._index, bodies)
        return first != second

    def _marker(self, body: str, position: Sequence[float] | Array) -> int:
        """A marker of a vehicle's body at a place of the design position, its axes parallel to V there."""
        index = self._index(body)
        if index < 0:
            return int(self.system.AddMarker(eii.MarkerBodyRigid(bodyNumber=self.ground, localPosition=list(position))))
        arm = np.asarray(position) - self.model.groups[index].centre
        return int(self.system.AddMarker(eii.MarkerBodyRigid(bodyNumber=self.bodies[index], localPosition=list(arm))))

    # elements

    def add_elements(self) -> None:
        vehicle = self.vehicle
        spins = {wheel.joint for wheel in vehicle.wheels}
        for joint in vehicle.acting(vehicle.joints):
            if joint.name not in spins and joint.type is not JointType.FIXED and self._joins(joint.bodies):
                self._add_joint(joint)
        for bushing in vehicle.acting(vehicle.bushings):
            if self._joins(bushing.bodies):
                self._add_bushing(bushing)
        for line in (*vehicle.acting(vehicle.springs), *vehicle.acting(vehicle.dampers), *vehicle.acting(vehicle.stops)):
            if self._joins(line.bodies):
                self._add_line(line)
        for spring in vehicle.acting(vehicle.torsion_springs):
            if self._joins(spring.bodies):
                self._add_torsion(spring)
        for beam in vehicle.acting(vehicle.beams):
            if self._joins(beam.bodies):
                (self._add_exact_beam if self.beams.exact else self._add_segments)(beam)

    def _add_joint(self, joint: Joint) -> None:
        first, second = (self._marker(body, joint.position) for body in joint.bodies)
        if joint.type in (JointType.HOOKE, JointType.PERPENDICULAR):
            # held: the first body's x axis normal to the second's y axis
            markers, frames = [first, second], _cross_frames(joint.axis, joint.second_axis)
        elif joint.type is JointType.CONVEL:
            x, y, _ = _frame(joint.axis).T
            markers, frames = [first, second], _cross_frames(x, y)
        else:
            markers, frames = [second, first], (_frame(joint.axis),) * 2
        self._generic(markers, _HELD[joint.type], frames)

    def _generic(
        self, markers: list[int], held: Sequence[int], frames: tuple[Array, Array], offset: object = 0
    ) -> int:
        return int(
            self.system.AddObject(
                eii.ObjectJointGeneric(
                    markerNumbers=markers,
                    constrainedAxes=list(held),
                    rotationMarker0=frames[0],
                    rotationMarker1=frames[1],
                    offsetUserFunction=offset,
                )
            )
        )

    def _add_bushing(self, bushing: Bushing) -> None:
        first, second = (self._marker(body, bushing.position) for body in bushing.bodies)
        laws = [_law(curve) for curve in bushing.characteristic.curves]
        damping, preload, offset = bushing.characteristic.damping, bushing.preload, bushing.offset

        def force(_m: object, _t: float, _i: int, d: Array, turn: Array, v: Array, w: Array, *_rest: object) -> list[float]:
            x = (*d, *_rotation_vector(turn))
            return [
                law(x[i] + offset[i]) + damping[i] * (v[i] if i < 3 else w[i - 3]) + preload[i]
                for i, law in enumerate(laws)
            ]

        self.system.AddObject(
            eii.ObjectConnectorRigidBodySpringDamper(
                markerNumbers=[second, first],
                rotationMarker0=np.array(bushing.axes),
                rotationMarker1=np.array(bushing.axes),
                springForceTorqueUserFunction=force,
            )
        )

    def _add_line(self, line: Spring | Damper | Stop) -> None:
        first, second = (self._marker(body, end) for body, end in zip(line.bodies, line.ends, strict=True))
        curve = line.characteristic.curve
        rate = _rate(curve)
        common = {"markerNumbers": [second, first], "referenceLength": line.design_length}
        if rate is not None and isinstance(line, Spring):
            value = float(np.interp(line.design_compression, curve.x, curve.y))
            self.system.AddObject(eii.ObjectConnectorSpringDamper(**common, stiffness=rate, force=-value))
            return
        if rate is not None and isinstance(line, Damper) and curve.y[0] * curve.x[-1] == curve.y[-1] * curve.x[0]:
            self.system.AddObject(eii.ObjectConnectorSpringDamper(**common, damping=rate))
            return
        pull = _pull(line)
        self.system.AddObject(
            eii.ObjectConnectorSpringDamper(
                **common, springForceUserFunction=lambda _m, _t, _i, u, v, *_rest: pull(u, v)
            )
        )

    def _add_torsion(self, spring: TorsionSpring) -> None:
        first, second = (self._marker(body, spring.position) for body in spring.bodies)
        frame, law = _frame(spring.axis), _law(spring.curve)
        rate = _rate(spring.curve)
        torque = {}
        if rate is None:
            torque["springTorqueUserFunction"] = lambda _m, _t, _i, angle, speed, *_rest: (
                law(angle) + spring.preload + spring.damping * speed
            )
        else:
            torque |= {"stiffness": rate, "damping": spring.damping, "torque": spring.preload + law(0.0)}
        self.system.AddObject(
            eii.ObjectConnectorTorsionalSpringDamper(
                markerNumbers=[second, first], rotationMarker0=frame, rotationMarker1=frame, **torque
            )
        )

    def _add_segments(self, beam: Beam) -> None:
        """Rigid pieces, joined half-way along each segment by what a Bernoulli beam of its length resists there."""
        axes, section = np.array(beam.axes), beam.section
        start, way = np.array(beam.ends[0]), np.subtract(beam.ends[1], beam.ends[0])
        count = self.beams.segments
        h = beam.length / count
        stiffness = np.array(
            [
                section.axial / h,
                12 * section.bending_z / h**3,
                12 * section.bending_y / h**3,
                section.torsional / h,
                section.bending_y / h,
                section.bending_z / h,
            ]
        )
        force, moment = np.array(beam.preload[:3]), np.array(beam.preload[3:])
        pieces = [
            self._body(SMALL_MASS, SMALL_INERTIA * np.eye(3), start + way * k / count, axes) for k in range(1, count)
        ]
        for k in range(count):
            place = (k + 0.5) / count
            middle = start + way * place
            markers, frames = [], []
            for end, body in ((k, beam.bodies[0] if k == 0 else None), (k + 1, beam.bodies[1] if k == count - 1 else None)):
                if body is not None:
                    markers.append(self._marker(body, middle))
                    frames.append(axes)
                else:
                    arm = [h * (place * count - end), 0.0, 0.0]
                    marker = eii.MarkerBodyRigid(bodyNumber=pieces[end - 1], localPosition=arm)
                    markers.append(int(self.system.AddMarker(marker)))
                    frames.append(np.eye(3))
            lever = np.array([beam.length * (1.0 - place), 0.0, 0.0])
            preload = np.concatenate((force, moment + np.cross(lever, force)))
            self.system.AddObject(
                eii.ObjectConnectorRigidBodySpringDamper(
                    markerNumbers=markers,
                    stiffness=np.diag(stiffness),
                    damping=np.diag(beam.damping * stiffness),
                    offset=list(-preload / stiffness),
                    rotationMarker0=frames[0],
                    rotationMarker1=frames[1],
                )
            )

    def _add_exact_beam(self, beam: Beam) -> None:
        """Elements with constant strain; their shear stiffness is that of a piece of a Bernoulli beam, 12 EI/h²."""
        if any(beam.preload):
            raise ValueError(f"beam '{beam.name}' has a preload: exudyn's exact beam begins without stress")
        axes, section, count = np.array(beam.axes), beam.section, self.beams.segments
        start, way = np.array(beam.ends[0]), np.subtract(beam.ends[1], beam.ends[0])
        h = beam.length / count
        data = exu.BeamSection()
        shear = (12 * section.bending_z / h**2, 12 * section.bending_y / h**2)
        data.stiffnessMatrix = np.diag(
            [section.axial, *shear, section.torsional, section.bending_y, section.bending_z]
        )
        data.massPerLength = SMALL_MASS / h
        data.inertia = SMALL_INERTIA / h * np.eye(3)
        q = _quaternion(axes)
        nodes = [
            self.system.AddNode(eii.NodeRigidBodyEP(referenceCoordinates=[*(start + way * k / count), *q]))
            for k in range(count + 1)
        ]
        for first, second in zip(nodes, nodes[1:], strict=False):
            self.system.AddObject(
                eii.ObjectBeamGeometricallyExact(nodeNumbers=[first, second], length=h, sectionData=data)
            )
        for body, end, node in zip(beam.bodies, beam.ends, (nodes[0], nodes[-1]), strict=True):
            marker = int(self.system.AddMarker(eii.MarkerNodeRigid(nodeNumber=node)))
            self._generic([self._marker(body, end), marker], (1,) * 6, (axes, np.eye(3)))

    # drives and loads

    def add_drives(self, pads: bool) -> None:
        steering = self.vehicle.steering
        if steering is not None and "rack" in self.model.drives:
            rack = next(joint for joint in self.vehicle.joints if joint.name == steering.rack_joint)
            first, second = (self._marker(body, rack.position) for body in rack.bodies)
            self._add_drive("rack", [second, first], _frame(rack.axis))
        if pads:
            for wheel in self.vehicle.wheels:
                if wheel.corner in self.model.corners:
                    markers = [self._marker(GROUND, wheel.centre), self._marker(wheel.body, wheel.centre)]
                    self._add_drive(f"pad_{wheel.corner}", markers, np.eye(3))

    def _add_drive(self, name: str, markers: list[int], frame: Array) -> None:
        """Holds the displacement of the second marker against the first along z of the frame."""
        targets = self._targets  # exudyn keeps its functions for ever: none of them may hold the model

        def offset(_m: object, t: float, *_rest: object) -> list[float]:
            return [0.0, 0.0, targets.at(name, t), 0.0, 0.0, 0.0]

        self.drives[name] = self._generic(markers, (0, 0, 1, 0, 0, 0), (frame, frame), offset)

    def load(self, body: int, force: Sequence[float]) -> None:
        """A constant force at a centre of mass, in E [N]."""
        marker = self.system.AddMarker(eii.MarkerBodyRigid(bodyNumber=self.bodies[body]))
        self.system.AddLoad(eii.LoadForceVector(markerNumber=marker, loadVector=list(force)))
        self.system.Assemble()

    def shake(self, body: int, law: Shake) -> None:
        """Force and moment about the centre of mass over time, in E [N], [N·m]."""
        marker = self.system.AddMarker(eii.MarkerBodyRigid(bodyNumber=self.bodies[body]))
        self.system.AddLoad(
            eii.LoadForceVector(markerNumber=marker, loadVectorUserFunction=lambda _m, t, _l: list(law(t)[0]))
        )
        self.system.AddLoad(
            eii.LoadTorqueVector(markerNumber=marker, loadVectorUserFunction=lambda _m, t, _l: list(law(t)[1]))
        )
        self.system.Assemble()

    # solving

    def assemble(self) -> None:
        kinds = exu.OutputVariableType
        self._sensors = [
            tuple(
                self.system.AddSensor(
                    eii.SensorBody(bodyNumber=body, outputVariableType=kind, storeInternal=True, writeToFile=False)
                )
                for kind in (kinds.Position, kinds.RotationMatrix)
            )
            for body in self.bodies
        ]
        self._force_sensors = {
            name: self.system.AddSensor(
                eii.SensorObject(
                    objectNumber=number, outputVariableType=kinds.ForceLocal, storeInternal=True, writeToFile=False
                )
            )
            for name, number in self.drives.items()
        }
        self.system.Assemble()

    def _settings(self, period: float) -> exu.SimulationSettings:
        settings = exu.SimulationSettings()
        settings.linearSolver.solverType = exu.LinearSolverType.EigenSparse
        settings.solution.file.write = False
        settings.solution.solverInformationFileName = ""
        settings.solution.sensors.writePeriod = period
        settings.staticSolver.verboseMode = VERB
        settings.timeIntegration.verboseMode = 0
        return settings

    def sweep(self, targets: Mapping[str, Array]) -> Motion:
        """Statics over rows of drive targets, each from the one before; the last becomes the state."""
        count = len(next(iter(targets.values())))
        t = np.arange(count + 1) / count
        now = self._targets.values
        self._targets.course |= {k: (t, np.concatenate(([now.get(k, 0.0)], v))) for k, v in targets.items()}
        settings = self._settings(0.5 / count)
        static = settings.staticSolver
        static.numberOfLoadSteps = count
        static.useLoadFactor = False
        static.newton.relativeTolerance = 1e-9
        static.newton.numericalDifferentiation.forODE2Connectors = self._numeric
        self.system.SolveStatic(settings, updateInitialValues=True)
        now |= {k: float(v[-1]) for k, v in targets.items()}
        self._targets.course.clear()
        motion = self._read()
        rows = [int(np.abs(motion.time - time).argmin()) for time in t[1:]]
        forces = {k: v[rows] for k, v in motion.forces.items()}
        return Motion(motion.time[rows], motion.centres[rows], motion.rotations[rows], forces)

    def release(self, names: Sequence[str]) -> None:
        """Lets go of drives."""
        for name in names:
            self.system.SetObjectParameter(self.drives[name], "activeConnector", False)

    def run(self, duration: float, step: float, period: float, *, spectral_radius: float = 0.9) -> Motion:
        """Motion from the present state, which stays as it is; kept every `period` seconds."""
        settings = self._settings(period)
        time = settings.timeIntegration
        time.endTime = duration
        time.numberOfSteps = round(duration / step)
        time.adaptiveStep = False
        time.generalizedAlpha.spectralRadius = spectral_radius
        time.newton.useModifiedNewton = True
        time.newton.relativeTolerance = 1e-8
        self.system.SolveDynamic(settings)
        motion = self._read()
        rows = [int(np.abs(motion.time - k * period).argmin()) for k in range(round(duration / period) + 1)]
        forces = {k: v[rows] for k, v in motion.forces.items()}
        return Motion(motion.time[rows], motion.centres[rows], motion.rotations[rows], forces)

    def _read(self) -> Motion:
        data = [[self.system.GetSensorStoredData(s) for s in pair] for pair in self._sensors]
        centres = np.stack([d[0][:, 1:] for d in data], axis=1)
        rotations = np.stack([d[1][:, 1:].reshape(-1, 3, 3) for d in data], axis=1)
        forces = {k: self.system.GetSensorStoredData(s)[:, 3] for k, s in self._force_sensors.items()}
        return Motion(data[0][0][:, 0], centres, rotations, forces)


# laws


def _law(curve: Characteristic) -> Law:
    """Monotone cubic through the points (Fritsch and Carlson), straight on beyond them."""
    x, y = curve.x.tolist(), curve.y.tolist()
    slope = PchipInterpolator(curve.x, curve.y).derivative()(curve.x).tolist() if len(x) > 2 else [_secant(x, y)] * 2

    def value(at: float) -> float:
        if at <= x[0]:
            return y[0] + slope[0] * (at - x[0])
        if at >= x[-1]:
            return y[-1] + slope[-1] * (at - x[-1])
        k = bisect_right(x, at) - 1
        h = x[k + 1] - x[k]
        s = (at - x[k]) / h
        r = 1.0 - s
        return (
            r * r * ((1 + 2 * s) * y[k] + s * h * slope[k])
            + s * s * ((1 + 2 * r) * y[k + 1] - r * h * slope[k + 1])
        )

    return value


def _secant(x: list[float], y: list[float]) -> float:
    return (y[-1] - y[0]) / (x[-1] - x[0])


def _rate(curve: Characteristic) -> float | None:
    """Slope of a curve of two points."""
    return curve.mean_slope if curve.x.size == 2 else None


def _pull(line: Spring | Damper | Stop) -> Callable[[float, float], float]:
    """Force that pulls the ends together over lengthening and its rate."""
    law = _law(line.characteristic.curve)
    if isinstance(line, Spring):
        compression = line.design_compression
        return lambda u, _v: -law(compression - u)
    if isinstance(line, Damper):
        return lambda _u, v: law(v)
    sign, clearance = (1.0, line.clearance) if line.rebound else (-1.0, line.clearance)
    return lambda u, _v: sign * law(sign * u - clearance) if sign * u > clearance else 0.0


# rotations


def _frame(axis: Sequence[float]) -> Array:
    """Axes as columns, z along `axis`."""
    z = np.array(axis)
    x = np.cross(np.eye(3)[int(np.abs(z).argmin())], z)
    x /= np.linalg.norm(x)
    return np.column_stack((x, np.cross(z, x), z))


def _cross_frames(first: Sequence[float], second: Sequence[float]) -> tuple[Array, Array]:
    """Frames with x along `first` and with y along `second`."""
    a, b = _frame(first), _frame(second)
    return a[:, [2, 0, 1]], b[:, [1, 2, 0]]


def _rotation_vector(angles: Sequence[float]) -> tuple[float, float, float]:
    """Of the rotation about x, then the new y, then the new z."""
    (cx, cy, cz), (sx, sy, sz) = ([f(0.5 * a) for a in angles] for f in (math.cos, math.sin))
    w = cx * cy * cz - sx * sy * sz
    x = sx * cy * cz + cx * sy * sz
    y = cx * sy * cz - sx * cy * sz
    z = cx * cy * sz + sx * sy * cz
    sine = math.sqrt(x * x + y * y + z * z)
    scale = 2.0 if sine < 1e-12 else 2.0 * math.atan2(sine, w) / sine
    return scale * x, scale * y, scale * z


def _quaternion(axes: Array) -> list[float]:
    """Euler parameters of a rotation matrix."""
    return list(exu.rigidBodyUtilities.RotationMatrix2EulerParameters(axes))
