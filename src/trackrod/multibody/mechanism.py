"""Whether an axle can move as it should, and what to say when it cannot: the bodies and joints concerned."""

from __future__ import annotations

from collections.abc import Sequence

from trackrod.core.corners import Axle
from trackrod.core.errors import Problem
from trackrod.multibody.compile import compile_vehicle
from trackrod.multibody.rigid import rigid_groups
from trackrod.vehicle.audit.mechanism import axle_mechanism
from trackrod.vehicle.elements import Mode
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["find_wrong_mechanism", "free_rotations", "listed", "wrong_mechanism"]


def find_wrong_mechanism(vehicle: Vehicle, axle: Axle) -> Problem | None:
    """Why an axle of ideal joints cannot work: other freedoms than those of its layout, or wheels fixed to the body."""
    sprung = vehicle.sprung_body(axle)
    body = next(group.names for group in rigid_groups(vehicle)[0] if sprung in group.names)
    fixed = [wheel.body for wheel in vehicle.wheels if wheel.corner.axle is axle and wheel.body in body]
    if fixed:
        return wrong_mechanism(vehicle, axle, f"cannot move: {listed(fixed)} and the sprung body are fixed together")
    layout = vehicle.axle(axle)
    if layout.mode is Mode.COMPLIANT:  # bushings hold in every direction, more or less
        return None
    mechanism = axle_mechanism(vehicle, layout)
    found = mechanism.mobility()
    if layout.freedoms in (found.freedoms, found.freedoms - mechanism.idle(found)):
        return None
    many = "few" if found.freedoms > layout.freedoms else "many"
    return wrong_mechanism(vehicle, axle, f"has too {many} constraints")


def free_rotations(vehicle: Vehicle) -> tuple[Problem, ...]:
    """A warning for every rotation of a body that nothing of the vehicle resists; the model holds it."""
    return tuple(motion.warning() for motion in compile_vehicle(vehicle, with_tyres=False).free if motion.turns)


def wrong_mechanism(vehicle: Vehicle, axle: Axle, what: str) -> Problem:
    """What is wrong with an axle, with its freedoms and the bodies or joints that they come from."""
    layout = vehicle.axle(axle)
    mechanism = axle_mechanism(vehicle, layout)
    found = mechanism.mobility()
    says = f"the {axle} axle '{layout.subsystem}' {what}; with ideal joints it has {found.freedoms} freedoms, "
    says += f"{layout.freedoms} are needed"
    if found.freedoms > layout.freedoms:
        says += f"; bodies that can move: {listed(found.moving())}"
    elif found.freedoms < layout.freedoms:
        joints = listed([joint.name for joint in mechanism.joints])
        says += f"; {found.redundant} constraints are redundant among the joints {joints}"
    return Problem(says, hint=f"look at the joints and bushings of '{layout.subsystem}' with trackrod inspect")


def listed(names: Sequence[str], most: int = 4) -> str:
    """Names in a sentence, the first of them if they are many."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
