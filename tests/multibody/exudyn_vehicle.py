"""The mechanisms of a vehicle built a second time, in exudyn, for comparison with `trackrod.multibody`.

Bodies and the elements between them come from the same `Vehicle`, and bodies are merged as in the compiled model.
Equations and solvers are exudyn's: rigid bodies with Euler parameters, ideal joints as constraints with Lagrange
multipliers, generalised-α steps in time. Nothing of the core is called. Where exudyn has no such element, the nearest
stands in:

* A constant-velocity joint is a universal joint. A link between this and a ball joint then turns about its own axis by
  half the product of its two bend angles more or less; nothing else moves.
* exudyn's bushing pushes the second body at that body's own point, which leaves a moment, displacement × force. A load
  on the second body adds it, so that action and reaction have one line as in our bushing.
* A beam is a spring at its middle with rigid ends, or exudyn's geometrically exact element.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import exudyn as exu
import numpy as np
from exudyn.itemInterface import (
    LoadForceVector,
    LoadMassProportional,
    LoadTorqueVector,
    MarkerBodyMass,
    MarkerBodyRigid,
    MarkerNodeRigid,
    NodeRigidBodyEP,
    ObjectBeamGeometricallyExact,
    ObjectConnectorRigidBodySpringDamper,
    ObjectConnectorSpringDamper,
    ObjectConnectorTorsionalSpringDamper,
    ObjectGround,
    ObjectJointGeneric,
    ObjectRigidBody,
    SensorBody,
    SensorObject,
)
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator
from scipy.spatial.transform import Rotation

from trackrod.multibody.compile import CompiledModel
from trackrod.vehicle.characteristics import BushingCharacteristic, Characteristic
from trackrod.vehicle.connectors import Beam, Bushing, Damper, Spring, Stop, TorsionSpring
from trackrod.vehicle.elements import GROUND, Body, Joint, JointType
from trackrod.vehicle.vehicle import Vehicle, subsystem_of

__all__ = ["Load", "Mechanism", "Motion", "build", "linearised", "refined"]

Array = NDArray[np.float64]
Placed = Joint | Bushing | TorsionSpring
Law = Callable[[float], float]
#: Force [N] and moment [N·m] over time [s].
Load = Callable[[float], tuple[Array, Array]]

GRAVITY = (0.0, 0.0, -9.80665)
#: Mass and inertia of what has none of its own [kg], [kg·m²]: pieces and nodes of beams.
SMALL_MASS = 1e-3
SMALL_INERTIA = 1e-6

_ALONG_V = np.eye(3)

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
class Motion:
    """Poses of the bodies: time or load step, centres of mass [m] and rotation matrices, in E."""

    time: Array
    centres: Array  # (times, bodies, 3)
    rotations: Array  # (times, bodies, 3, 3)
    forces: Mapping[str, Array]  # of the drives [N]

    def rows(self, times: Sequence[float]) -> Motion:
        """Those at these times."""
        rows = [int(np.abs(self.time - time).argmin()) for time in times]
        forces = {name: force[rows] for name, force in self.forces.items()}
        return Motion(self.time[rows], self.centres[rows], self.rotations[rows], forces)


def linearised(vehicle: Vehicle, *, damping: float = 1.0) -> Vehicle:
    """The vehicle with straight characteristics, without stops and friction; dampers times `damping`."""

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
        curve = straight(d.characteristic.curve, 0.0, damping)
        return replace(d, characteristic=replace(d.characteristic, curve=curve))

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
        frictions=(),
    )


def refined(vehicle: Vehicle, pieces: int) -> Vehicle:
    """The vehicle with each beam cut into pieces, joined by bodies with next to no mass."""
    bodies: list[Body] = []
    beams: list[Beam] = []
    small = tuple(tuple(row) for row in (SMALL_INERTIA * np.eye(3)).tolist())
    for beam in vehicle.acting(vehicle.beams):
        start, way = np.array(beam.ends[0]), np.subtract(beam.ends[1], beam.ends[0])
        ends = [tuple((start + way * k / pieces).tolist()) for k in range(pieces + 1)]
        names = [beam.bodies[0], *(f"{beam.name}_{k}" for k in range(1, pieces)), beam.bodies[1]]
        bodies += [Body(name, SMALL_MASS, end, small) for name, end in zip(names[1:-1], ends[1:-1], strict=True)]
        force, moment = np.array(beam.preload[:3]), np.array(beam.preload[3:])
        for k in range(pieces):
            lever = np.array([beam.length * (pieces - 1 - k) / pieces, 0.0, 0.0])
            beams.append(
                replace(
                    beam,
                    name=f"{beam.name}_{k}",
                    bodies=(names[k], names[k + 1]),
                    ends=(ends[k], ends[k + 1]),
                    preload=(*beam.preload[:3], *(moment + np.cross(lever, force)).tolist()),
                )
            )
    return replace(vehicle, bodies=vehicle.bodies + tuple(bodies), beams=tuple(beams))


def build(
    model: CompiledModel,
    *,
    exact_beams: bool = False,
    own_bushings: bool = False,
    pads: bool | None = None,
    loads: Mapping[int, Load] = MappingProxyType({}),
) -> Mechanism:
    """The same bodies and elements as in `model`, in exudyn.

    Parameters
    ----------
    exact_beams
        Beams as geometrically exact elements, which must be without preload, instead of springs at their middles.
    own_bushings
        Bushings, which must be linear, by exudyn's own law: quick, but over angles and without the moment above.
    pads
        Whether drives hold the heights of the wheel centres, as on the rig; as in `model` where nothing is said.
    loads
        On bodies, by their indices in `model`, while they move.
    """
    mechanism = Mechanism(model)
    mechanism.add_elements(exact_beams=exact_beams, own_bushings=own_bushings)
    mechanism.add_drives(any(name.startswith("pad") for name in model.drives) if pads is None else pads)
    for body, load in loads.items():
        mechanism.add_load(body, load)
    mechanism.assemble()
    return mechanism


@dataclass(slots=True)
class _Inputs:
    """What drives hold: values, and courses over the time of the solver while it sweeps; whether loads act."""

    values: dict[str, float]
    course: dict[str, tuple[Array, Array]]
    loaded: bool = False

    def at(self, name: str, t: float) -> float:
        course = self.course.get(name)
        return self.values.get(name, 0.0) if course is None else float(np.interp(t, *course))


class Mechanism:
    """Bodies in the order of `model.groups`, the elements between them, and drives by name."""

    def __init__(self, model: CompiledModel) -> None:
        self.model = model
        self.vehicle = model.vehicle
        self.container = exu.SystemContainer()
        self.system = self.container.AddSystem()
        self.drives: dict[str, int] = {}
        self._inputs = _Inputs({}, {})
        self._column = _column(model.vehicle)
        self.ground = self.system.AddObject(ObjectGround())
        self.bodies = [self._body(g.mass, g.inertia, g.centre) for g in model.groups]
        self._sensors: list[tuple[int, int]] = []
        self._force_sensors: dict[str, int] = {}

    # bodies and markers

    def _body(self, mass: float, inertia: Array, centre: Array) -> int:
        node = self.system.AddNode(NodeRigidBodyEP(referenceCoordinates=[*centre, 1.0, 0.0, 0.0, 0.0]))
        xx, yy, zz, yz, xz, xy = (inertia[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)))
        body = self.system.AddObject(ObjectRigidBody(mass=mass, inertia=[xx, yy, zz, yz, xz, xy], nodeNumber=node))
        marker = self.system.AddMarker(MarkerBodyMass(bodyNumber=body))
        self.system.AddLoad(LoadMassProportional(markerNumber=marker, loadVector=list(GRAVITY)))
        return int(body)

    def _index(self, body: str) -> int:
        return -1 if body == GROUND else self.model.index.get(body, -1)

    def _joins(self, bodies: tuple[str, str]) -> bool:
        """Whether an element is there: between two bodies that move apart, none of them of the steering column."""
        first, second = map(self._index, bodies)
        return first != second and not self._column.intersection(bodies)

    def _marker(self, body: str, position: Sequence[float] | Array, axes: Array = _ALONG_V) -> int:
        """A frame of a vehicle's body, given by its place and axes in V at the design position."""
        index = self._index(body)
        number, origin = self.ground, np.zeros(3)
        if index >= 0:
            number, origin = self.bodies[index], self.model.groups[index].centre
        place = exu.HT(rotation=axes, translation=np.asarray(position) - origin)
        return int(self.system.AddMarker(MarkerBodyRigid(bodyNumber=number, localHT=place)))

    def _markers(self, element: Placed, axes: Array) -> list[int]:
        """The same frame of the second body and of the first: forces are counted in the axes of the second."""
        return [self._marker(body, element.position, axes) for body in reversed(element.bodies)]

    # elements

    def add_elements(self, *, exact_beams: bool, own_bushings: bool) -> None:
        vehicle = self.vehicle
        spins = {wheel.joint for wheel in vehicle.wheels}
        for joint in vehicle.acting(vehicle.joints):
            if joint.name not in spins and joint.type is not JointType.FIXED and self._joins(joint.bodies):
                self._add_joint(joint)
        for bushing in vehicle.acting(vehicle.bushings):
            if self._joins(bushing.bodies):
                (self._add_own_bushing if own_bushings else self._add_bushing)(bushing)
        lines: list[Spring | Damper | Stop] = [*vehicle.springs, *vehicle.dampers, *vehicle.stops]
        for line in vehicle.acting(lines):
            if self._joins(line.bodies):
                self._add_line(line)
        for spring in vehicle.acting(vehicle.torsion_springs):
            if self._joins(spring.bodies):
                self._add_torsion(spring)
        for beam in vehicle.acting(vehicle.beams):
            if self._joins(beam.bodies):
                (self._add_exact_beam if exact_beams else self._add_beam)(beam)

    def _add_joint(self, joint: Joint) -> None:
        axes: tuple[Sequence[float], Sequence[float]] | None = None
        if joint.type in (JointType.HOOKE, JointType.PERPENDICULAR):
            axes = (joint.axis, joint.second_axis)
        elif joint.type is JointType.CONVEL:
            axes = (_frame(joint.axis)[:, 0], _frame(joint.axis)[:, 1])
        if axes is None:
            self._hold(self._markers(joint, _frame(joint.axis)), _HELD[joint.type])
            return
        # held: x of the first frame normal to y of the second
        frames = (_frame(axes[0])[:, [2, 0, 1]], _frame(axes[1])[:, [1, 2, 0]])
        markers = [self._marker(b, joint.position, frame) for b, frame in zip(joint.bodies, frames, strict=True)]
        self._hold(markers, _HELD[joint.type])

    def _hold(self, markers: list[int], held: Sequence[int], offset: object = 0) -> int:
        joint = ObjectJointGeneric(markerNumbers=markers, constrainedAxes=list(held), offsetUserFunction=offset)
        return int(self.system.AddObject(joint))

    def _add_own_bushing(self, bushing: Bushing) -> None:
        """A linear bushing by exudyn's own law, over three angles."""
        stiffness = np.array(bushing.characteristic.stiffness)
        self.system.AddObject(
            ObjectConnectorRigidBodySpringDamper(
                markerNumbers=self._markers(bushing, np.array(bushing.axes)),
                stiffness=np.diag(stiffness),
                damping=np.diag(bushing.characteristic.damping),
                offset=list(-np.array(bushing.offset) - np.array(bushing.preload) / stiffness),
            )
        )

    def _add_bushing(self, bushing: Bushing) -> None:
        laws = [_law(curve) for curve in bushing.characteristic.curves]
        damping, preload, offset = bushing.characteristic.damping, bushing.preload, bushing.offset
        axes, lever = bushing.axes, [0.0, 0.0, 0.0]

        def force(*arguments: Any) -> list[float]:
            d, turn, v, w = arguments[3:7]
            x, rate = (*d, *_rotation_vector(turn)), (*v, *w)
            f = [law(x[i] + offset[i]) + damping[i] * rate[i] + preload[i] for i, law in enumerate(laws)]
            c = (d[1] * f[2] - d[2] * f[1], d[2] * f[0] - d[0] * f[2], d[0] * f[1] - d[1] * f[0])
            lever[:] = [row[0] * c[0] + row[1] * c[1] + row[2] * c[2] for row in axes]
            return f

        self.system.AddObject(
            ObjectConnectorRigidBodySpringDamper(
                markerNumbers=self._markers(bushing, np.array(axes)), springForceTorqueUserFunction=force
            )
        )
        second = bushing.bodies[1]
        if self._index(second) >= 0:
            self.system.AddLoad(
                LoadTorqueVector(
                    markerNumber=self._marker(second, bushing.position),
                    bodyFixed=True,
                    loadVectorUserFunction=lambda _m, _t, _v: list(lever),
                )
            )

    def _add_line(self, line: Spring | Damper | Stop) -> None:
        first, second = (self._marker(body, end) for body, end in zip(line.bodies, line.ends, strict=True))
        curve = line.characteristic.curve
        rate = _rate(curve)
        common = {"markerNumbers": [second, first], "referenceLength": line.design_length}
        if rate is not None and isinstance(line, Spring):
            value = float(np.interp(line.design_compression, curve.x, curve.y))
            self.system.AddObject(ObjectConnectorSpringDamper(**common, stiffness=rate, force=-value))
            return
        if rate is not None and isinstance(line, Damper) and curve.y[0] * curve.x[-1] == curve.y[-1] * curve.x[0]:
            self.system.AddObject(ObjectConnectorSpringDamper(**common, damping=rate))
            return
        pull = _pull(line)
        self.system.AddObject(
            ObjectConnectorSpringDamper(**common, springForceUserFunction=lambda _m, _t, _i, u, v, *_rest: pull(u, v))
        )

    def _add_torsion(self, spring: TorsionSpring) -> None:
        law, rate = _law(spring.curve), _rate(spring.curve)
        preload, damping = spring.preload, spring.damping
        torque: dict[str, object] = {}
        if rate is None:
            torque["springTorqueUserFunction"] = lambda _m, _t, _i, angle, speed, *_rest: (
                law(angle) + preload + damping * speed
            )
        else:
            torque |= {"stiffness": rate, "damping": damping, "torque": preload + law(0.0)}
        markers = self._markers(spring, _frame(spring.axis))
        self.system.AddObject(ObjectConnectorTorsionalSpringDamper(markerNumbers=markers, **torque))

    def _add_beam(self, beam: Beam) -> None:
        """What a Bernoulli beam with rigid ends resists at its middle."""
        axes, section, length = np.array(beam.axes), beam.section, beam.length
        middle = 0.5 * np.add(*beam.ends)
        stiffness = np.array(
            [
                section.axial / length,
                12 * section.bending_z / length**3,
                12 * section.bending_y / length**3,
                section.torsional / length,
                section.bending_y / length,
                section.bending_z / length,
            ]
        )
        force, moment = np.array(beam.preload[:3]), np.array(beam.preload[3:])
        preload = np.concatenate((force, moment + np.cross([0.5 * length, 0.0, 0.0], force)))
        self.system.AddObject(
            ObjectConnectorRigidBodySpringDamper(
                markerNumbers=[self._marker(body, middle, axes) for body in beam.bodies],
                stiffness=np.diag(stiffness),
                damping=np.diag(beam.damping * stiffness),
                offset=list(-preload / stiffness),
            )
        )

    def _add_exact_beam(self, beam: Beam) -> None:
        """An element with constant strain; its shear stiffness is that of a Bernoulli beam of its length, 12 EI/L²."""
        if any(beam.preload):
            raise ValueError(f"beam '{beam.name}' has a preload: exudyn's exact beam begins without stress")
        axes, section, length = np.array(beam.axes), beam.section, beam.length
        data = exu.BeamSection()
        shear = (12 * section.bending_z / length**2, 12 * section.bending_y / length**2)
        data.stiffnessMatrix = np.diag([section.axial, *shear, section.torsional, section.bending_y, section.bending_z])
        data.massPerLength = SMALL_MASS / length
        data.inertia = SMALL_INERTIA / length * np.eye(3)
        nodes = []
        for body, end in zip(beam.bodies, beam.ends, strict=True):
            node = self.system.AddNode(NodeRigidBodyEP(referenceCoordinates=[*end, *_quaternion(axes)]))
            marker = int(self.system.AddMarker(MarkerNodeRigid(nodeNumber=node)))
            self._hold([self._marker(body, end, axes), marker], (1,) * 6)
            nodes.append(node)
        self.system.AddObject(ObjectBeamGeometricallyExact(nodeNumbers=nodes, length=length, sectionData=data))

    # drives and loads

    def add_drives(self, pads: bool) -> None:
        steering = self.vehicle.steering
        if steering is not None and "rack" in self.model.drives:
            rack = next(joint for joint in self.vehicle.joints if joint.name == steering.rack_joint)
            self._add_drive("rack", self._markers(rack, _frame(rack.axis)))
        if pads:
            for wheel in self.vehicle.wheels:
                if wheel.corner in self.model.corners:
                    markers = [self._marker(body, wheel.centre) for body in (GROUND, wheel.body)]
                    self._add_drive(f"pad_{wheel.corner}", markers)

    def _add_drive(self, name: str, markers: list[int]) -> None:
        """Holds the displacement of the second marker against the first along z."""
        inputs = self._inputs  # exudyn never lets go of a function: none may hold the model

        def offset(_m: object, t: float, *_rest: object) -> list[float]:
            return [0.0, 0.0, inputs.at(name, t), 0.0, 0.0, 0.0]

        self.drives[name] = self._hold(markers, (0, 0, 1, 0, 0, 0), offset)

    def add_load(self, body: int, law: Load) -> None:
        """Force and moment about a centre of mass over time, in E; statics is without them."""
        inputs = self._inputs

        def part(i: int) -> Callable[[Any, float, Any], list[float]]:
            return lambda _m, t, _v: law(t)[i].tolist() if inputs.loaded else [0.0, 0.0, 0.0]

        marker = self.system.AddMarker(MarkerBodyRigid(bodyNumber=self.bodies[body]))
        self.system.AddLoad(LoadForceVector(markerNumber=marker, loadVectorUserFunction=part(0)))
        self.system.AddLoad(LoadTorqueVector(markerNumber=marker, loadVectorUserFunction=part(1)))

    # solving

    def assemble(self) -> None:
        kinds = exu.OutputVariableType
        self._sensors = [
            tuple(
                self.system.AddSensor(
                    SensorBody(bodyNumber=body, outputVariableType=kind, storeInternal=True, writeToFile=False)
                )
                for kind in (kinds.Position, kinds.RotationMatrix)
            )
            for body in self.bodies
        ]
        self._force_sensors = {
            name: self.system.AddSensor(
                SensorObject(
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
        settings.staticSolver.verboseMode = 0
        settings.timeIntegration.verboseMode = 0
        return settings

    def sweep(self, targets: Mapping[str, Array]) -> Motion:
        """Statics over rows of drive targets, each from the one before; the last becomes the state."""
        count = len(next(iter(targets.values())))
        t = np.arange(count + 1) / count
        now = self._inputs.values
        self._inputs.course |= {k: (t, np.concatenate(([now.get(k, 0.0)], v))) for k, v in targets.items()}
        settings = self._settings(0.5 / count)
        static = settings.staticSolver
        static.numberOfLoadSteps = count
        static.useLoadFactor = False
        static.newton.relativeTolerance = 1e-8
        self.system.SolveStatic(settings, updateInitialValues=True)
        now |= {k: float(v[-1]) for k, v in targets.items()}
        self._inputs.course.clear()
        return self._read().rows(t[1:].tolist())

    def release(self, names: Sequence[str]) -> None:
        """Lets go of drives."""
        for name in names:
            self.system.SetObjectParameter(self.drives[name], "activeConnector", False)

    def run(self, duration: float, step: float, period: float) -> Motion:
        """Motion from the present state, which stays as it is; kept every `period` seconds."""
        settings = self._settings(period)
        time = settings.timeIntegration
        time.endTime = duration
        time.numberOfSteps = round(duration / step)
        time.adaptiveStep = False
        time.newton.useModifiedNewton = True
        time.newton.relativeTolerance = 1e-8
        self._inputs.loaded = True
        self.system.SolveDynamic(settings)
        self._inputs.loaded = False
        return self._read().rows([k * period for k in range(round(duration / period) + 1)])

    def _read(self) -> Motion:
        data = [[self._stored(sensor) for sensor in pair] for pair in self._sensors]
        centres = np.stack([d[0][:, 1:] for d in data], axis=1)
        rotations = np.stack([d[1][:, 1:].reshape(-1, 3, 3) for d in data], axis=1)
        forces = {name: self._stored(sensor)[:, 3] for name, sensor in self._force_sensors.items()}
        return Motion(data[0][0][:, 0], centres, rotations, forces)

    def _stored(self, sensor: int) -> Array:
        """Rows of time and values."""
        return np.asarray(self.system.GetSensorStoredData(sensor), dtype=float)


def _column(vehicle: Vehicle) -> frozenset[str]:
    """What turns with the steering wheel: the ratio of the steering stands for it, and the body carries its mass."""
    if vehicle.steering is None:
        return frozenset()
    rack = next(joint for joint in vehicle.joints if joint.name == vehicle.steering.rack_joint)
    subsystem = subsystem_of(rack.name)
    return frozenset(b.name for b in vehicle.bodies if subsystem_of(b.name) == subsystem) - set(rack.bodies)


# laws


def _law(curve: Characteristic) -> Law:
    """Monotone cubic through the points (Fritsch and Carlson), straight on beyond them."""
    x: list[float] = curve.x.tolist()
    y: list[float] = curve.y.tolist()
    slope: list[float] = [curve.mean_slope] * 2
    if len(x) > 2:
        slope = PchipInterpolator(curve.x, curve.y).derivative()(curve.x).tolist()

    def value(at: float) -> float:
        if at <= x[0]:
            return y[0] + slope[0] * (at - x[0])
        if at >= x[-1]:
            return y[-1] + slope[-1] * (at - x[-1])
        k = bisect_right(x, at) - 1
        h = x[k + 1] - x[k]
        s = (at - x[k]) / h
        r = 1.0 - s
        return r * r * ((1 + 2 * s) * y[k] + s * h * slope[k]) + s * s * ((1 + 2 * r) * y[k + 1] - r * h * slope[k + 1])

    return value


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
    x, y, z, w = Rotation.from_matrix(axes).as_quat().tolist()
    return [w, x, y, z]
