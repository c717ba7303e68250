"""Struts on rod ends turn about themselves: nothing resists it, nothing else may depend on how they are held."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from trackrod.adams.vehicle import read_vehicle
from trackrod.core import signals
from trackrod.core.corners import Axle
from trackrod.core.errors import ConvergenceError, InputError
from trackrod.kc.points import Inputs
from trackrod.kc.rig import Rig
from trackrod.multibody import compile as compiler
from trackrod.multibody.compile import compile_axle, compile_vehicle
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.multibody.mechanism import free_rotations
from trackrod.vehicle.audit.mechanism import check_axle_freedoms, check_vehicle_freedoms
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.characteristics import BushingCharacteristic, Characteristic
from trackrod.vehicle.connectors import Bushing
from trackrod.vehicle.elements import Joint, JointType, Mode
from trackrod.vehicle.vehicle import Vehicle

ENDS = ("lwr_strut", "top_mount")
STRUTS = [f"{part}_strut_{side}" for part in ("lower", "upper") for side in ("left", "right")]


@cache
def car() -> Vehicle:
    return read_vehicle(BUNDLED["double_wishbone_car"].assembly).vehicle


def is_end(connector: Bushing | Joint) -> bool:
    return connector.name.split(".")[1].startswith(ENDS)


@cache
def on_rod_ends() -> Vehicle:
    """Ball joints at both ends of every strut, in either mode; its two halves slide and turn in each other."""
    balls = [Joint(f"{b.name}_ball", JointType.SPHERICAL, b.bodies, b.position) for b in car().bushings if is_end(b)]
    joints = tuple(joint for joint in car().joints if not is_end(joint))
    bushings = tuple(bushing for bushing in car().bushings if not is_end(bushing))
    return replace(car(), joints=(*joints, *balls), bushings=bushings)


@cache
def without_torsion() -> Vehicle:
    """Bushings at the ends of the front struts that resist no rotation at all."""

    def soft(bushing: Bushing) -> Bushing:
        law = bushing.characteristic
        none = tuple(Characteristic(c.x, 0.0 * c.y, c.x_kind, c.y_kind) for c in law.curves[3:])
        return replace(bushing, characteristic=BushingCharacteristic((*law.curves[:3], *none), law.damping))

    chosen = (soft(b) if is_end(b) and b.name.startswith("front") else b for b in car().bushings)
    return replace(car(), bushings=tuple(chosen))


@pytest.mark.parametrize("vehicle", [on_rod_ends, without_torsion])
def test_struts_that_can_turn_are_found_with_their_axes(vehicle: cache[Vehicle]) -> None:  # type: ignore[type-arg]
    free = compile_axle(vehicle(), Axle.FRONT).free
    assert sorted(motion.body.split(".")[1] for motion in free) == STRUTS
    points = car().hardpoints
    for motion in free:
        side = motion.body.rpartition("_")[2]
        foot, head = (np.array(points[f"front_suspension.{end}_{side}"]) for end in ("lwr_strut_mount", "top_mount"))
        along = (head - foot) / np.linalg.norm(head - foot)
        assert motion.turns
        assert motion.axis == pytest.approx(along, abs=1e-6)


@pytest.mark.parametrize("mode", [Mode.KINEMATIC, Mode.COMPLIANT])
def test_vehicles_whose_struts_are_held_have_no_free_motion(mode: Mode) -> None:
    assert not compile_vehicle(car().with_mode(mode)).free


@pytest.mark.parametrize("mode", [Mode.KINEMATIC, Mode.COMPLIANT])
def test_no_equilibrium_depends_on_how_they_are_held(mode: Mode, monkeypatch: pytest.MonkeyPatch) -> None:
    vehicle = on_rod_ends().with_mode(mode)
    travel = Inputs.of(np.repeat(np.linspace(-0.06, 0.06, 7)[:, None], 2, axis=1))
    found = []
    for factor in (1.0, 10.0):
        monkeypatch.setattr(compiler, "HOLDING_STIFFNESS", factor * 100.0)
        standing = MultibodyVehicle(vehicle).settle()
        rig = Rig(vehicle, Axle.FRONT)
        swept = rig.sweep(travel)
        assert swept.solved.all()
        loads = np.array([*standing.wheel_loads.values()])
        found.append((loads / loads.sum(), swept.poses[:, rig.carriers], swept.forces / loads.sum()))
    for first, second in zip(*found, strict=True):
        assert np.abs(first - second).max() < 1e-9


def test_no_run_depends_on_how_they_are_held(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = []
    for factor in (1.0, 10.0):
        monkeypatch.setattr(compiler, "HOLDING_STIFFNESS", factor * 100.0)
        model = MultibodyVehicle(on_rod_ends())
        model.settle()
        model.start(20.0)
        runs.append(model.advance(np.linspace(0.0, 0.5, 300), 0.1, 0.0, 0))
    for signal in (signals.YAW_RATE, signals.AY, signals.ROLL):
        first, second = (run[signal] for run in runs)
        assert np.abs(first - second).max() < 1e-6 * np.abs(first).max()


def test_it_is_said() -> None:
    problems = free_rotations(on_rod_ends())
    assert len(problems) == 8
    assert str(problems[0]) == (
        "warning: 'front_suspension.lower_strut_left' can turn about (-0.044, -0.198, 0.979), which nothing resists; "
        "it is held with 100 N·m/rad (usual for struts on rod ends; nothing else depends on it)"
    )
    assert not free_rotations(car())


def test_the_audit_knows_them() -> None:
    """The halves of both struts add four freedoms to an axle; a body that hangs on one ball joint is another matter."""
    said = [*check_axle_freedoms(on_rod_ends()), *check_vehicle_freedoms(on_rod_ends())]
    assert {finding.severity.name for finding in said} == {"NOTE"}
    assert "has 8 freedoms, of which 4 are bodies that turn about themselves" in said[0].text
    assert "and 8 bodies that turn about themselves" in said[-1].text
    cut = tuple(joint for joint in on_rod_ends().joints if "top_mount" not in joint.name)
    wrong = list(check_axle_freedoms(replace(on_rod_ends(), joints=cut)))
    assert wrong[0].severity.name == "ERROR"


def test_a_body_that_is_loose_is_named_with_its_direction() -> None:
    """The upper half of a strut without spring and top mount slides off its lower half."""
    vehicle = on_rod_ends()
    gone = ("front_suspension.top_mount_left_ball", "front_suspension.ride_spring_left")
    apart = replace(
        vehicle,
        joints=tuple(joint for joint in vehicle.joints if joint.name not in gone),
        springs=tuple(spring for spring in vehicle.springs if spring.name not in gone),
        stops=(),
    )
    says = r"'front_suspension\.upper_strut_left' can move along \(-0\.044, -0\.198, 0\.979\), which nothing resists"
    with pytest.raises(InputError, match=says):
        Rig(apart, Axle.FRONT)
    with pytest.raises(ConvergenceError, match=says):
        MultibodyVehicle(apart).settle()
