"""The same experiments in both codes: an axle on the rig, a clamped car released, a car dropped and shaken."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from trackrod.adams.vehicle import read_vehicle
from trackrod.core.corners import Axle, Corner
from trackrod.multibody.compile import CompiledModel, compile_axle
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.characteristics import BushingCharacteristic, Characteristic
from trackrod.vehicle.connectors import Bushing
from trackrod.vehicle.elements import GROUND, Joint, JointType, Mode
from trackrod.vehicle.vehicle import Vehicle

from .exudyn_vehicle import Load, Mechanism

Array = NDArray[np.float64]

DURATION = 0.4
PERIOD = 0.01
#: Newton iterations of our steps, more than in use: here only the length of the step shall matter.
ITERATIONS = 4
#: Rows from the design position to the first point of a map.
APPROACH = 10
#: Travel of the wheels before a release [m].
TRAVEL = {Corner.FL: 0.04, Corner.FR: -0.02, Corner.RL: 0.03, Corner.RR: 0.0}


def bundled(name: str, mode: Mode) -> Vehicle:
    """A bundled vehicle with all subsystems in one mode."""
    return read_vehicle(BUNDLED[name].assembly).vehicle.with_mode(mode)


# maps


@dataclass(frozen=True, slots=True)
class WheelMap:
    """What the left and the right wheel do, arrays of shape (points, 2) and (points, 2, 3).

    Attributes
    ----------
    toe
        Positive in [rad].
    centre
        Wheel centres in E [m].
    force
        Of the pads on the wheels, up [N].
    """

    toe: Array
    centre: Array
    force: Array


def grid(count: int, travel: float, rack: float) -> dict[str, Array]:
    """Targets over wheel travel × rack travel, ± these [m], row by row to and fro."""
    z, r = np.meshgrid(np.linspace(-travel, travel, count), np.linspace(-rack, rack, count))
    z[1::2] = z[1::2, ::-1]
    return {"rack": r.ravel(), "pad_fl": z.ravel(), "pad_fr": z.ravel()}


def _approached(targets: Mapping[str, Array]) -> dict[str, Array]:
    ramp = np.linspace(0.0, 1.0, APPROACH, endpoint=False)
    return {name: np.concatenate((ramp * values[0], values)) for name, values in targets.items()}


def map_by_core(model: CompiledModel, targets: Mapping[str, Array]) -> WheelMap:
    """Statics of our model over rows of targets."""
    rows = np.zeros((len(next(iter(targets.values()))) + APPROACH, len(model.drives)))
    for name, values in _approached(targets).items():
        rows[:, model.drives[name]] = values
    model.core.reset()
    poses, forces, *_, converged = model.core.sweep(rows, 50, 1e-10, 0.05)
    assert all(converged)
    turns = Rotation.from_quat(poses[..., [4, 5, 6, 3]].reshape(-1, 4)).as_matrix().reshape(*poses.shape[:2], 3, 3)
    pads = {name: forces[APPROACH:, i] for name, i in model.drives.items()}
    return _wheel_map(model, poses[APPROACH:, :, :3], turns[APPROACH:], pads)


def map_by_exudyn(mechanism: Mechanism, targets: Mapping[str, Array]) -> WheelMap:
    """The same in exudyn."""
    motion = mechanism.sweep(_approached(targets))
    pads = {name: force[APPROACH:] for name, force in motion.forces.items()}
    return _wheel_map(mechanism.model, motion.centres[APPROACH:], motion.rotations[APPROACH:], pads)


def _wheel_map(model: CompiledModel, centres: Array, rotations: Array, forces: Mapping[str, Array]) -> WheelMap:
    toe, centre, force = [], [], []
    for corner in model.corners:
        wheel = model.vehicle.wheel(corner)
        body = model.index[wheel.body]
        axis = rotations[:, body] @ np.array(wheel.axis)
        arm = np.array(wheel.centre) - model.groups[body].centre
        toe.append(corner.side.sign * np.arctan2(axis[:, 0], axis[:, 1]))
        centre.append(centres[:, body] + rotations[:, body] @ arm)
        force.append(forces[f"pad_{corner}"])
    return WheelMap(np.stack(toe, axis=1), np.stack(centre, axis=1), np.stack(force, axis=1))


def heights(model: CompiledModel, wheels: WheelMap) -> dict[str, Array]:
    """Targets that bring the pads of exudyn, which are rigid, to where ours let the wheel centres be."""
    return {
        f"pad_{corner}": wheels.centre[:, i, 2] - model.vehicle.wheel(corner).centre[2]
        for i, corner in enumerate(model.corners)
    }


# motion


def clamped(vehicle: Vehicle) -> Vehicle:
    """The vehicle with its sprung body fixed to the ground."""
    clamp = Joint("rig.clamp", JointType.FIXED, (GROUND, vehicle.chassis), (0.0, 0.0, 0.0))
    wheels = tuple(replace(w, brake_reaction=w.body, drive_reaction=w.body) for w in vehicle.wheels)
    return replace(vehicle, joints=(*vehicle.joints, clamp), wheels=wheels, aerodynamics=None, powertrain=None)


def on_spring(vehicle: Vehicle) -> Vehicle:
    """The vehicle with its sprung body on a linear spring in all six directions, 2 Hz with 12 % damping at least."""
    mass = vehicle.mass_properties.mass
    stiffness = mass * (2 * np.pi * 2.0) ** 2 * np.ones(6)
    curves = tuple(
        Characteristic.linear(k, 1.0, curve.x_kind, curve.y_kind)
        for k, curve in zip(stiffness, vehicle.bushings[0].characteristic.curves, strict=True)
    )
    law = BushingCharacteristic(curves, tuple(0.02 * stiffness))
    spring = Bushing(
        "rig.spring", (vehicle.chassis, GROUND), vehicle.body(vehicle.chassis).centre, law, mode=Mode.ALWAYS
    )
    return replace(vehicle, bushings=(*vehicle.bushings, spring), aerodynamics=None, powertrain=None)


@dataclass(frozen=True, slots=True)
class Start:
    """Where a release begins.

    Attributes
    ----------
    poses
        Of the bodies of the clamped car, as the core has them.
    pads
        Heights of the wheel centres above the design position [m], by the names of the pads.
    loads
        Forces that hold the wheels at the design position [N], by body.
    """

    poses: Array
    pads: dict[str, float]
    loads: dict[int, float]


def start_of_release(model: CompiledModel) -> Start:
    """Statics of both axles on their rigs with the wheels at `TRAVEL`."""
    poses = model.core.poses()
    pads: dict[str, float] = {}
    loads: dict[int, float] = {}
    for axle in Axle:
        rig = compile_axle(model.vehicle, axle)
        corners = [corner for corner in Corner if corner.axle is axle]
        targets = {f"pad_{corner}": np.array([0.0, TRAVEL[corner]]) for corner in corners}
        wheels = map_by_core(rig, targets)
        for group, pose in zip(rig.groups, rig.core.poses(), strict=True):
            poses[model.index[group.names[0]]] = pose
        pads |= {name: float(values[-1]) for name, values in heights(rig, wheels).items()}
        for i, corner in enumerate(corners):
            loads[model.index[model.vehicle.wheel(corner).body]] = float(wheels.force[0, i])
    return Start(poses, pads, loads)


def constant(force: float) -> Load:
    """A force upward."""
    load = (np.array([0.0, 0.0, force]), np.zeros(3))
    return lambda _t: load


def shaking(t: float) -> tuple[Array, Array]:
    """Force [N] and moment [N·m] on the sprung body: 3 Hz along x and about x, 5 Hz along y and about z."""
    slow, fast = np.sin(2 * np.pi * 3 * t), np.sin(2 * np.pi * 5 * t)
    return np.array([2000 * slow, 3000 * fast, 0.0]), np.array([1500 * slow, 0.0, 1000 * fast])


def motion_by_core(model: CompiledModel, poses: Array, loads: Mapping[int, Load], step: float) -> Array:
    """Centres of mass every `PERIOD`, shape (times, bodies, 3) [m]; implicit Euler steps."""
    core = model.core
    core.set_poses(poses)
    core.set_twists(np.zeros((core.body_count, 6)))
    rows = [poses[:, :3]]
    done = 0
    for _ in range(round(DURATION / PERIOD)):
        for _ in range(round(PERIOD / step)):
            done += 1
            for body, load in loads.items():
                core.set_load(body, *load(done * step))
            assert core.step(step, ITERATIONS, 1) < 1e-6
        rows.append(core.poses()[:, :3])
    return np.array(rows)


def converged(run: Callable[[float], Array], steps: Sequence[float], order: int) -> tuple[Array, float]:
    """Richardson's limit of runs with three steps or more, each half of the one before, and how the runs approach it.

    Parameters
    ----------
    order
        Of the first error term in the step; each further term is one order higher.

    Returns
    -------
    limit
        Error terms up to `order` + number of steps − 2 are taken out.
    ratio
        Change from the run before the last but one to that, over the change to the last: 2**`order` in the limit.
    """
    row = [run(step) for step in steps]
    before, after = (float(np.abs(fine - coarse).max()) for coarse, fine in list(pairwise(row))[-2:])
    while len(row) > 1:
        row = [(2**order * fine - coarse) / (2**order - 1) for coarse, fine in pairwise(row)]
        order += 1
    return row[0], before / after
