"""A frame that twists in the real-time model: against its twin, its own derivatives, energy and bad numbers."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from rtm.converted_vehicles import maps, spec_of, vehicle
from rtm.test_rtm_twin import compare, rows_of_both
from trackrod.convert.conversion import Compliance, convert
from trackrod.convert.masses import split_masses
from trackrod.core import signals
from trackrod.core.corners import Axle, Corner
from trackrod.core.errors import InputError
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.spec import Curve, RtmSpec
from trackrod.rtm.twin.model import Twin
from trackrod.vehicle.frame import FrameTorsion, frame_hinge, with_frame

NAME = "lcv_3t5"
SOFT = 5e4


@cache
def soft(compliance: Compliance = Compliance.MOVING) -> RtmSpec:
    """A van whose frame is five times as soft as they come; on the rig its axles are those of a rigid frame."""
    return convert(with_frame(vehicle(NAME), FrameTorsion(SOFT)), maps(NAME), compliance=compliance).spec


@pytest.mark.parametrize("compliance", Compliance)
def test_twin_and_core_agree(compliance: Compliance) -> None:
    fast, slow = rows_of_both(soft(compliance))
    compare(fast, slow)


def test_the_halves_are_the_whole() -> None:
    """Mass, centre and inertia of the sprung body are those of the rigid frame, and both axles have their halves."""
    rigid, spec = spec_of(NAME), soft()
    assert spec.frame is not None
    for name, value in rigid.parameters.items():
        if not name.startswith("frame"):
            assert spec.parameters[name] == pytest.approx(value, rel=1e-9, abs=1e-6)
    assert spec.parameters["frame_stiffness"] == pytest.approx(SOFT)
    divided = with_frame(vehicle(NAME), FrameTorsion(SOFT))
    assert spec.frame.axis == frame_hinge(divided).position
    # what stands on the rear axle: rear half, wheels and what hangs between them
    rear = sum(split_masses(divided).unsprung[corner] for corner in Corner if corner.axle is Axle.REAR)
    names = [body.mass for body in divided.bodies if body.name.startswith(("rear_", "body.chassis_rear"))]
    assert spec.frame.mass + rear == pytest.approx(sum(names) + divided.body("body.payload_cargo").mass)


def test_a_rigid_frame_is_what_it_was() -> None:
    """Numbers of a frame change nothing where there is none."""
    given = np.column_stack((0.5 * np.sin(np.arange(200) / 20), np.zeros((200, 3))))
    rows = []
    for spec in (spec_of(NAME), spec_of(NAME).with_parameters(frame_stiffness=1e4, frame_damping=10.0)):
        model = RealTimeVehicle(spec)
        model.start(20.0)
        rows.append(model.advance_rows(given, 1))
    np.testing.assert_array_equal(rows[0], rows[1])


@pytest.mark.parametrize("name", ["frame_stiffness", "frame_damping", "cg_height", "unsprung_mass_rear"])
def test_derivatives_are_exact(name: str) -> None:
    spec = soft().with_parameters(frame_damping=2e3)
    given = np.column_stack((0.6 * np.sin(np.arange(300) / 40), np.zeros((300, 2)), np.full(300, -1.0)))

    def run(model: RealTimeVehicle) -> np.ndarray:
        model.start(20.0)
        found = model.advance(*given.T, every=10)
        return np.column_stack([found[column] for column in columns])

    columns = [signal.column for signal in (signals.FRAME_TWIST, signals.ROLL, signals.VY, signals.FZ[Corner.RL])]
    model = RealTimeVehicle(spec)
    model.start(20.0)
    model.keep_start()
    _, found = model.derivatives(given, [name], every=10)
    exact = np.column_stack([found[column][name] for column in columns])
    change = 1e-4 * spec.parameters[name]
    up, down = (
        run(RealTimeVehicle(spec.with_parameters(**{name: spec.parameters[name] + way * change}))) for way in (1, -1)
    )
    differences = (up - down) / (2 * change)
    assert (np.abs(differences).max(axis=0) > 0).all()
    error = np.abs(exact - differences).max(axis=0) / np.abs(differences).max(axis=0)
    assert error.max() < 1e-4, dict(zip(columns, error, strict=True))


def test_energy_is_kept() -> None:
    """In the air, tumbling and twisting, without springs and dampers, a van keeps its energy.

    The integrator takes a share that is proportional to the step.
    """
    spec = soft(Compliance.NONE)
    p = spec.parameters
    wheels = []
    for wheel in spec.wheels:
        weight = p["gravity"] * p[f"unsprung_mass_{wheel.corner.axle}"]
        carried = Curve(np.array([-1.0, 1.0]), np.array([weight, weight]))
        wheels.append(replace(wheel, spring=carried, stops=Curve(), damper=Curve()))
    axles = tuple(replace(axle, roll=Curve()) for axle in spec.axles)
    spec = replace(spec, wheels=tuple(wheels), axles=axles)
    spec = spec.with_parameters(
        frame_damping=0.0, friction_front=0.0, friction_rear=0.0, drag=0.0, lift_front=0.0, lift_rear=0.0
    )
    lost = []
    for step in (2e-4, 1e-4):
        twin = Twin(spec, step)
        twin.r[2] += 5.0
        twin.w, twin.v = np.array([0.4, 0.3, 0.5]), np.array([1.0, 0.5, 0.0])
        assert twin.frame is not None
        twin.frame.twist, twin.frame.rate = 0.05, 1.0
        still = np.tile([0.0, 0.0, 0.0, -1.0], (round(0.2 / step), 1))
        twin.run(still[:1])
        before = twin.energy()
        twin.run(still)
        lost.append(twin.energy() - before)
    stored = 0.5 * SOFT * 0.05**2
    assert abs(2 * lost[1] - lost[0]) < 0.01 * stored  # with ever smaller steps


def test_stable_at_a_millisecond_with_any_stiffness() -> None:
    for stiffness in (1e3, 1e6, 1e9):
        model = RealTimeVehicle(soft().with_parameters(frame_stiffness=stiffness, frame_damping=0.0))
        model.settle()
        run = model.advance(np.zeros(500), 0.0, 0.0, -1)
        assert np.abs(run[signals.FRAME_TWIST]).max() < 0.02
        assert np.ptp(run[signals.FZ[Corner.RL]]) < 200.0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"frame_stiffness": 0.0}, "'frame_stiffness' is 0, it must be greater than zero"),
        ({"frame_stiffness": -3.0}, "'frame_stiffness' is -3, it must be greater than zero"),
        ({"frame_damping": -1.0}, "'frame_damping' is -1, it must not be below zero"),
        ({"sprung_mass": 900.0}, "rear half of the frame has .* kg, the whole sprung body 900 kg"),
    ],
)
def test_numbers_that_cannot_be(changes: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        soft().with_parameters(**changes)


def test_a_half_that_cannot_be() -> None:
    frame = soft().frame
    assert frame is not None
    with pytest.raises(InputError, match="a mass greater than zero"):
        replace(soft(), frame=replace(frame, mass=0.0))
    with pytest.raises(InputError, match="must be positive definite"):
        replace(soft(), frame=replace(frame, inertia=((-1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))))
