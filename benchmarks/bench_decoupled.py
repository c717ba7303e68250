"""Decoupling by lagged forces against exact block elimination, on the same car.

Paper 004 cuts its model by decoupling elements into small systems. Here the same is done to `integral_link`: bushings
between the sprung body and the rest are taken out of the implicit step, and the force that each of them had at the end
of the step before acts on both bodies as a load. Everything else, springs and dampers included, stays in the
implicit step, which favours the cut model. Both have straight bushings and no engine: nothing but the cut differs.

What exact elimination costs is measured apart: the block matrix of the core with the pattern of the car.
"""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from benchmarks.row import Row
from trackrod.adams.source import open_vehicle
from trackrod.core.motion import rotation_matrices
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.vehicle.characteristics import BushingCharacteristic, Characteristic
from trackrod.vehicle.connectors import Bushing
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["CUTS", "Outcome", "contraction", "elimination_time", "outcomes"]

Array = NDArray[np.float64]

NAME = "integral_link"
SPEED = 80 / 3.6
DURATION = 0.8
#: Which bushings of the sprung body are cut, by a part of their names.
CUTS = {"subframes": "subframe", "every bushing of the body": ""}
STEPS = (1e-3, 5e-4, 2e-4, 1e-4)
#: Yaw rate beyond which a run has diverged [rad/s].
LOST = 3.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """A run of the cut model.

    Attributes
    ----------
    cut
        What was cut.
    step
        [s]
    error
        RMS of the yaw rate against the uncut model at the same step, over its peak [-]; not a number if it diverged.
    diverged_after
        When it was lost [s], or None.
    """

    cut: str
    step: float
    error: float
    diverged_after: float | None


def straight(vehicle: Vehicle) -> Vehicle:
    """The vehicle with straight bushings and without engine."""

    def line(curve: Characteristic) -> Characteristic:
        return Characteristic.linear(curve.slope(0.0), 1.0, curve.x_kind, curve.y_kind)

    bushings = tuple(
        replace(
            b, characteristic=BushingCharacteristic(tuple(map(line, b.characteristic.curves)), b.characteristic.damping)
        )
        for b in vehicle.bushings
    )
    return replace(vehicle, bushings=bushings, powertrain=None)


def cut_bushings(vehicle: Vehicle, part: str) -> tuple[Bushing, ...]:
    """Acting bushings between the sprung body and another whose name holds `part`."""
    model = MultibodyVehicle(vehicle).model
    chassis = model.index[vehicle.chassis]
    return tuple(
        bushing
        for bushing in vehicle.acting(vehicle.bushings)
        if part in bushing.name and [model.index.get(body, -1) for body in bushing.bodies].count(chassis) == 1
    )


class Lagged:
    """Forces of bushings from poses and velocities, as loads on the bodies of a model."""

    def __init__(self, model: MultibodyVehicle, bushings: tuple[Bushing, ...]) -> None:
        index, centres = model.model.index, model.model.centres
        self.core = model.model.core
        self.a, self.b = (np.array([index[bushing.bodies[k]] for bushing in bushings]) for k in (0, 1))
        places = np.array([bushing.position for bushing in bushings])
        self.arm_a, self.arm_b = places - centres[self.a], places - centres[self.b]
        self.axes = np.array([bushing.axes for bushing in bushings])
        self.stiffness = np.array([bushing.characteristic.stiffness for bushing in bushings])
        self.damping = np.array([bushing.characteristic.damping for bushing in bushings])
        self.preload = np.array([bushing.preload for bushing in bushings])
        self.offset = np.array([bushing.offset for bushing in bushings])

    def apply(self) -> None:
        """Set the loads by the present state."""
        poses, twists = self.core.poses(), self.core.twists()
        R = rotation_matrices(poses[:, 3:])
        spin = np.einsum("nij,nj->ni", R, twists[:, 3:])
        Ra, Rb = R[self.a], R[self.b]
        arm_a = np.einsum("nij,nj->ni", Ra, self.arm_a)
        place = poses[self.a, :3] + arm_a
        arm_b = place - poses[self.b, :3]
        frame = Rb @ self.axes  # axes of the bushing in E
        gap = place - poses[self.b, :3] - np.einsum("nij,nj->ni", Rb, self.arm_b)
        speed = twists[self.a, :3] + np.cross(spin[self.a], arm_a) - twists[self.b, :3] - np.cross(spin[self.b], arm_b)
        turn = Rotation.from_matrix(np.swapaxes(frame, 1, 2) @ Ra @ self.axes).as_rotvec()
        motion = np.hstack((np.einsum("nji,nj->ni", frame, gap), turn))
        rates = np.hstack([np.einsum("nji,nj->ni", frame, x) for x in (speed, spin[self.a] - spin[self.b])])
        wrench = -(self.stiffness * (motion + self.offset) + self.damping * rates + self.preload)
        force, torque = (np.einsum("nij,nj->ni", frame, w) for w in (wrench[:, :3], wrench[:, 3:]))
        loads = np.zeros((len(poses), 6))
        np.add.at(loads, self.a, np.hstack((force, torque + np.cross(arm_a, force))))
        np.add.at(loads, self.b, -np.hstack((force, torque + np.cross(arm_b, force))))
        for body in {*self.a.tolist(), *self.b.tolist()}:
            self.core.set_load(body, loads[body, :3].copy(), loads[body, 3:].copy())


def drive(vehicle: Vehicle, step: float, cut: tuple[Bushing, ...] = ()) -> tuple[Array, float | None]:
    """Yaw rate [rad/s] every millisecond while the car steers in, and when it was lost [s]."""
    whole = MultibodyVehicle(vehicle, step=step)
    whole.settle()
    whole.start(SPEED)
    core = whole.model.core
    model = whole
    if cut:
        model = MultibodyVehicle(
            replace(vehicle, bushings=tuple(b for b in vehicle.bushings if b not in cut)), step=step
        )
        model.model.core.set_poses(core.poses())
        model.model.core.set_spins(core.spins())
        model.model.core.set_twists(core.twists())
        core = model.model.core
    lagged = Lagged(model, cut) if cut else None
    chassis, rack = model.model.index[vehicle.chassis], model.model.drives["rack"]
    ratio = vehicle.steering.ratio if vehicle.steering is not None else 0.0
    every = round(1e-3 / step)
    rates = []
    for k in range(1, round(DURATION / step) + 1):
        time = k * step
        core.set_drive(rack, ratio * np.radians(25.0) * min(max((time - 0.1) / 0.2, 0.0), 1.0), 0.0)
        if lagged is not None:
            lagged.apply()
        change = core.step(step, 1, 1)
        rate = core.twists()[chassis, 5]
        if not np.isfinite(change) or abs(rate) > LOST:
            return np.array(rates), time
        if k % every == 0:
            rates.append(rate)
    return np.array(rates), None


def contraction(vehicle: Vehicle, cut: tuple[Bushing, ...], step: float) -> float:
    """Largest (k h² + c h)/m over the cut bodies: above one, repeating a step with newer forces moves away."""
    model = MultibodyVehicle(vehicle).model
    largest = 0.0
    for group in model.groups:
        of = [b for b in cut if any(name in group.names for name in b.bodies) and vehicle.chassis not in group.names]
        k = sum(np.array(b.axes) @ np.diag(b.characteristic.stiffness[:3]) @ np.array(b.axes).T for b in of)
        c = sum(np.array(b.axes) @ np.diag(b.characteristic.damping[:3]) @ np.array(b.axes).T for b in of)
        if of:
            largest = max(largest, float(np.linalg.eigvalsh(k * step**2 + c * step)[-1]) / group.mass)
    return largest


def outcomes(steps: tuple[float, ...] = STEPS) -> list[Outcome]:
    """Both cuts at every step, each against the uncut model at the same step."""
    vehicle = straight(open_vehicle(NAME).vehicle)
    found = []
    exact = {step: drive(vehicle, step)[0] for step in steps}
    for label, part in CUTS.items():
        cut = cut_bushings(vehicle, part)
        for step in steps:
            rates, lost = drive(vehicle, step, cut)
            error = np.nan
            if lost is None:
                error = float(np.sqrt(np.mean((rates - exact[step]) ** 2)) / np.abs(exact[step]).max())
            found.append(Outcome(label, step, error, lost))
    return found


def elimination_time(vehicle: Vehicle) -> float | None:
    """Shortest time of one factorisation and solution with the pattern of a vehicle [µs]; None without a compiler."""
    compiler = next((found for name in ("g++", "clang++") if (found := shutil.which(name))), None)
    if compiler is None:
        return None
    model = MultibodyVehicle(vehicle).model
    pairs = [[model.index.get(name, -1) for name in c.bodies] for c in vehicle.acting(vehicle.connectors())]
    coupled = "\n".join(f"{a} {b}" for a, b in pairs if a != b)
    root = Path(__file__).resolve().parents[1]
    with TemporaryDirectory() as folder:
        program = Path(folder) / "elimination"
        source = root / "benchmarks" / "elimination.cpp"
        flags = ("-std=c++17", "-O3", "-ffp-contract=off", f"-I{root / 'cpp'}")
        subprocess.run([compiler, *flags, str(source), "-o", str(program)], check=True)
        given = f"{model.core.body_count}\n{coupled}\n"
        done = subprocess.run([str(program)], input=given, capture_output=True, text=True, check=True)
    return float(done.stdout.split()[1])


def elimination() -> list[Row]:
    """Exact elimination beside the whole step that it is a part of."""
    rows = []
    for name, step in (("integral_link", 100.0), ("lcv_7t", 150.0)):
        time = elimination_time(open_vehicle(name).vehicle)
        if time is not None:
            rows.append(Row(f"{name}: exact block elimination", time, "µs", "target of the step", step))
    return rows


def decoupled() -> list[Row]:
    """The longest step at which each cut model stays with the uncut one, within a hundredth, beside 1 ms."""
    rows = []
    found = outcomes()
    for label in CUTS:
        good = [o.step for o in found if o.cut == label and o.error < 0.01]
        rows.append(
            Row(f"{NAME}, {label} lagged: longest usable step", 1e6 * max(good, default=0.0), "µs", "exact", 1000.0)
        )
    return rows


BENCHMARKS = (elimination, decoupled)
