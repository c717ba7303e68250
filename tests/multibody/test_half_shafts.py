"""A half-shaft turns in the body that takes its reaction: body, carrier, wheel and engine in space keep their energy.

Carrier and body swing against each other on a torsion spring, a wheel turns on the carrier, and an engine in the body
turns it through a closed clutch. Nothing acts from outside and no torque is made: energy is lost in the slip of the
clutch alone, and the bodies keep their angular momentum. Were the speed of the shaft counted against the carrier, the
engine would take another power from the shaft than the shaft gives wheel and body.

With a second carrier and wheel a locked centre differential couples both shafts: they turn alike, its torque takes no
power, and engine torque is divided by what the wheels need to turn alike, not by their shares.
"""

from __future__ import annotations

import numpy as np
import pytest

from trackrod import _core
from trackrod.core.constants import constant

STEP, STEPS = 2e-5, 10000
#: About the common axis: of body, carrier, wheel and engine [kg·m²]; torsion spring [N·m/rad]; ratio of the gear.
BODY, CARRIER, WHEEL, ENGINE, STIFFNESS, RATIO = 3.0, 0.8, 1.0, 0.3, 700.0, 3.0
#: Turning of the carrier, and of the wheel on it, at the beginning [rad/s]; the body is at rest.
SWING, SPIN = 2.0, 40.0


def driven() -> tuple[np.ndarray, np.ndarray]:
    """Energy with what the clutch has turned into heat [J], angular momentum [kg·m²/s], both over time."""
    core = _core.Multibody()
    y, centre = np.array([0.0, 1.0, 0.0]), np.zeros(3)
    for inertia in (BODY, CARRIER):
        core.add_body(50.0, inertia * np.eye(3), centre)
    core.add_torsion(1, 0, y, ([-1.0, 1.0], [-STIFFNESS, STIFFNESS]), 0.0, 0.0)
    core.add_wheel(1, 1, 0, y, centre, WHEEL)
    torques = np.zeros((2, 2))
    core.set_driveline(
        np.array([0.0, 1e3]), np.array([0.0, 1.0]), torques, np.ones(1), [RATIO], [], [], 1.0, 1.0, 0.2, ENGINE,
        0.0, 10.0, 1e4, 1e4, [],
    )  # fmt: skip
    core.set_sprung(0)
    core.finish()
    core.set_gravity(np.zeros(3))
    core.reset()
    twists = np.zeros((2, 6))
    twists[1, 4] = SWING
    core.set_twists(twists)
    core.set_spins(np.array([SPIN]))
    core.set_engine(RATIO * (SPIN + SWING), 1)
    none = np.zeros((STEPS, 0))
    pedals = np.column_stack((np.ones(STEPS), np.zeros(STEPS), np.ones(STEPS)))
    found = core.run(STEP, 2, 1, none, pedals, none, none)
    poses, twists, spins, whole = found[1], found[2], found[3], found[7]
    body, carrier = twists[:, 0, 4], twists[:, 1, 4]
    angles = 2.0 * np.arcsin(poses[:, :, 5])
    engine, clutch = whole[:, 9], whole[:, 11]
    energy = 0.5 * (BODY * body**2 + CARRIER * carrier**2 + WHEEL * (carrier + spins[:, 0]) ** 2 + ENGINE * engine**2)
    energy += 0.5 * STIFFNESS * (angles[:, 1] - angles[:, 0]) ** 2
    heat = constant("clutch_slip") * np.cumsum(clutch**2) * STEP
    return energy + heat, BODY * body + CARRIER * carrier + WHEEL * (carrier + spins[:, 0])


def test_energy_is_kept() -> None:
    energy, momentum = driven()
    swinging = 0.5 * CARRIER * SWING**2
    assert np.ptp(energy) < 0.05 * swinging
    assert np.ptp(momentum) == pytest.approx(0.0, abs=1e-6)


# ---- a locked centre differential

SECOND_CARRIER, SECOND_WHEEL, SHARES = 0.5, 1.7, (0.3, 0.7)


def coupled(*, locked: bool = True, torque: float = 0.0, swing: float = SWING) -> dict[str, np.ndarray]:
    """Two carriers on a body, each with a wheel, driven by one engine with this torque [N·m]."""
    core = _core.Multibody()
    y, centre = np.array([0.0, 1.0, 0.0]), np.zeros(3)
    for inertia in (BODY, CARRIER, SECOND_CARRIER):
        core.add_body(50.0, inertia * np.eye(3), centre)
    stiffness = STIFFNESS, 0.6 * STIFFNESS
    for i in (1, 2):
        core.add_torsion(i, 0, y, ([-1.0, 1.0], [-stiffness[i - 1], stiffness[i - 1]]), 0.0, 0.0)
        core.add_wheel(i, i, 0, y, centre, (WHEEL, SECOND_WHEEL)[i - 1])
    core.set_driveline(
        np.array([0.0, 1e3]), np.array([0.0, 1.0]), np.full((2, 2), torque), np.array(SHARES), [RATIO], [], [], 1.0,
        1.0, 0.2, ENGINE, 0.0, 10.0, 1e4, 1e4, [-1.0, 1.0] if locked else [],
    )  # fmt: skip
    core.set_sprung(0)
    core.finish()
    core.set_gravity(np.zeros(3))
    core.reset()
    twists = np.zeros((3, 6))
    twists[1:, 4] = swing, -0.5 * swing
    core.set_twists(twists)
    core.set_spins(SPIN - twists[1:, 4])  # the shafts turn alike
    core.set_engine(RATIO * SPIN, 1)
    none = np.zeros((STEPS, 0))
    pedals = np.column_stack((np.ones(STEPS), np.zeros(STEPS), np.ones(STEPS)))
    found = core.run(STEP, 2, 1, none, pedals, none, none)
    poses, twists, spins, whole = found[1], found[2], found[3], found[7]
    body, carriers = twists[:, 0, 4], twists[:, 1:, 4]
    angles = 2.0 * np.arcsin(poses[:, :, 5])
    wheels, engine, clutch = carriers + spins, whole[:, 9], whole[:, 11]
    turning = np.array([BODY, CARRIER, SECOND_CARRIER, WHEEL, SECOND_WHEEL])
    speeds = np.column_stack((body, carriers, wheels))
    energy = 0.5 * (speeds**2 @ turning + ENGINE * engine**2)
    energy += 0.5 * (angles[:, 1:] - angles[:, :1]) ** 2 @ stiffness
    heat = constant("clutch_slip") * np.cumsum(clutch**2) * STEP
    return {"energy": energy + heat, "momentum": speeds @ turning, "shafts": wheels - body[:, None], "wheels": wheels,
            "clutch": clutch}  # fmt: skip


def test_a_locked_centre_differential_keeps_energy_and_turns_both_shafts_alike() -> None:
    found = coupled()
    assert np.ptp(found["energy"]) < 0.05 * 0.5 * CARRIER * SWING**2
    assert np.ptp(found["momentum"]) == pytest.approx(0.0, abs=1e-6)
    assert np.abs(np.diff(found["shafts"])).max() < 1e-9
    assert np.abs(np.diff(coupled(locked=False)["shafts"])).max() > 0.01, "the control"


def test_a_locked_centre_differential_divides_the_torque_by_what_the_wheels_need() -> None:
    """Carriers at rest at first: both wheels speed up by the torque over the sum of their inertias."""
    locked, opened = (coupled(torque=60.0, swing=0.0, locked=locked) for locked in (True, False))
    first = slice(0, 50)  # before the carriers have swung
    drive = RATIO * np.cumsum(locked["clutch"][first]) * STEP
    gained = locked["wheels"][first] - SPIN
    assert gained[-1] == pytest.approx(drive[-1] / (WHEEL + SECOND_WHEEL), rel=1e-3)
    drive = RATIO * np.cumsum(opened["clutch"][first]) * STEP
    gained = opened["wheels"][first] - SPIN
    assert gained[-1] == pytest.approx(drive[-1] * np.array(SHARES) / (WHEEL, SECOND_WHEEL), rel=1e-3)
