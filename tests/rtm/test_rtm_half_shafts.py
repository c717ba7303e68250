"""Half-shafts of the real-time model turn in the body: the engine feels the spins and what the carriers turn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rtm.converted_vehicles import spec_of
from trackrod.convert.conversion import Compliance
from trackrod.convert.round_trip import ModelRig
from trackrod.core.constants import constant
from trackrod.core.corners import Axle, Corner
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.layout import CHANNELS, row_layout

STEP, STEPS, GEAR = 1e-3, 400, 3


def test_the_engine_turns_with_the_shafts() -> None:
    """A closed clutch slips by its torque; carriers pitch on their springs, as differences of poses tell."""
    spec = spec_of("double_wishbone_car", compliance=Compliance.NONE)
    assert spec.powertrain is not None
    core, row = RealTimeVehicle(spec)._core, row_layout(inputs=False)
    ratio = spec.powertrain.gearbox.ratios[GEAR - 1] * spec.powertrain.gearbox.final_drive
    core.reset()
    core.start(20.0, np.full(4, 62.0), 62.0 * ratio, GEAR)
    given = np.tile([0.0, 0.3, 0.0, float(GEAR)], (STEPS, 1))
    waves = 0.01 * np.sin(np.arange(STEPS)[:, None] / 15 + np.array([0.0, 0.0, 1.0, 1.0]))
    rows, _ = core.run(STEP, 1, given, waves)
    travel, spin = rows[:, row["travel"]], rows[:, row["spin"]]
    engine, torque = (rows[:, row.column(name)] for name in ("engine_speed", "clutch_torque"))
    shares = [0.5 * spec.powertrain.share(corner.axle) for corner in Corner]
    pitch = np.column_stack(
        [
            ModelRig(spec, corner.axle).pose(corner.side, *travel[:, 2 * i : 2 * i + 2].T)[:, CHANNELS.index("ry")]
            for i, corner in ((list(Axle).index(corner.axle), corner) for corner in Corner)
        ]
    )
    carried = np.diff(pitch, axis=0) / STEP  # at the end of a step, and felt in the next one
    slip = engine - constant("clutch_slip") * torque - ratio * spin @ shares
    last = slice(STEPS // 4, None)
    felt = ratio * (carried[:-1] @ shares)
    assert np.abs(slip[2:] - felt)[last].max() < 0.02 * np.abs(felt[last]).max()


def test_a_locked_centre_differential_divides_the_torque_by_what_the_wheels_need() -> None:
    """In the air, with heavy wheels behind: all speed up alike, by the torque over the sum of their inertias."""
    found = spec_of("double_wishbone_car", compliance=Compliance.NONE)
    found = found.with_parameters(wheel_inertia_front=0.8, wheel_inertia_rear=1.2, shaft_inertia_rear=0.8)
    assert found.powertrain is not None
    row, gained, box = row_layout(inputs=False), {}, found.powertrain.gearbox
    ratio = box.ratios[GEAR - 1] * box.final_drive
    for locked in (True, False):
        train = replace(found.powertrain, front_share=0.45, centre_locked=locked)
        core = RealTimeVehicle(replace(found, powertrain=train))._core
        core.reset()
        core.start(20.0, np.full(4, 62.0), 62.0 * ratio, GEAR)
        given = np.tile([0.0, 0.5, 0.0, float(GEAR)], (STEPS, 1))
        rows, _ = core.run(STEP, 1, given, np.full((STEPS, 4), -50.0))
        fl, fr, rl, rr = (rows[-1] - rows[0])[row["spin"]]
        drive = ratio * box.efficiency * np.sum(rows[1:, row.column("clutch_torque")]) * STEP
        gained[locked] = [(fl + fr) / 2, (rl + rr) / 2, drive / (2 * 0.8 + 2 * 2.0)]
    front, rear, together = gained[True]
    assert [front, rear] == pytest.approx([together, together], rel=0.01)  # carriers turn as the wheels droop
    assert gained[False][0] > 1.5 * gained[False][1], "the control"


def test_shafts_have_inertia_and_no_gyroscopic_moment() -> None:
    """In a steady turn wheels that are heavier by I load the outer side by I Ω ψ̇ more than shafts that are."""
    spec, inertia, row = spec_of("double_wishbone_car", compliance=Compliance.NONE), 6.0, row_layout(inputs=False)
    found, spin, yawing = [], 0.0, 0.0
    for name in ("wheel_inertia_rear", "shaft_inertia_rear"):
        model = RealTimeVehicle(spec.with_parameters(**{name: spec.parameters[name] + inertia}))
        model.settle()
        model.start(20.0)
        steering = np.minimum(np.arange(4000) * STEP, 1.0)
        rows, _ = model._core.run(
            STEP,
            1,
            np.column_stack((0.3 * steering, np.full((4000, 1), 0.08), np.zeros((4000, 2)))),
            np.zeros((4000, 0)),
        )
        last = rows[-200:].mean(axis=0)
        loads = last[row.size :].reshape(4, -1)[:, 2]
        found.append(sum((loads[i + 1] - loads[i]) * spec.wheels[i].centre[1] for i in (0, 2)))
        spin, yawing = last[row["spin"]][2:].mean(), last[row["angular_velocity"]][2]
    assert found[0] - found[1] == pytest.approx(2 * inertia * spin * yawing, rel=0.15)
