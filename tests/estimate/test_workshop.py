"""Workshop entries: masses on scales, an axle lifted, and the table against driving."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from tests.estimate import rigid_vehicle as rigid
from tests.estimate.test_estimators import QUIET

from trackrod.core.errors import InputError
from trackrod.core.series import Run
from trackrod.estimate.campaign import estimate_all
from trackrod.estimate.known import Known
from trackrod.estimate.workshop import compared, read_workshop

HEIGHT, LIFT, WHEELBASE, RADIUS = 0.55, 0.6, 2.68, 0.3


def entries(tmp_path: Path, extra: str = "") -> Path:
    """Of the rigid block: loads of the level vehicle, and what the rear axle gains with the front lifted."""
    m = 1500.0
    standing = rigid.loads(*(2 * [rigid.np.zeros(1)]))
    rows = [f"{corner} = [{load[0] / 9.81 - 0.2:.4f}, {load[0] / 9.81 + 0.2:.4f}]" for corner, load in standing.items()]
    gained = m * (HEIGHT - RADIUS) * math.tan(math.asin(LIFT / WHEELBASE)) / WHEELBASE
    rear = [float(standing[c][0] / 9.81 + gained / 2.0) for c in ("rl", "rr")]
    lifted = "\n".join(
        f"{side} = [{mass - 0.1:.5f}, {mass + 0.1:.5f}]" for side, mass in zip(("left", "right"), rear, strict=True)
    )
    path = tmp_path / "workshop.toml"
    scales = "\n".join(rows)
    lift = f'[lifted_axle]\naxle = "front"\nheight = "{LIFT * 1000:g} mm"\n{lifted}\n'
    path.write_text(f'[scales]\naccuracy = "1 kg"\n{scales}\n\n{lift}{extra}')
    return path


def test_masses_place_and_height(tmp_path: Path) -> None:
    workshop = read_workshop(entries(tmp_path))
    found = workshop.estimates(rigid.known())
    assert found["mass"].value == pytest.approx(1500.0, rel=1e-5)
    assert found["cg_x"].value == pytest.approx(rigid.CG[0], abs=1e-4)
    assert found["cg_y"].value == pytest.approx(rigid.CG[1], abs=1e-4)
    assert found["cg_height"].value == pytest.approx(HEIGHT, rel=2e-3)
    assert found["wheel_mass_fl"].bias == pytest.approx(1.0 / math.sqrt(3.0))
    assert found["wheel_mass_fl"].precision == pytest.approx(0.2, rel=1e-3)


def test_table_against_driving(tmp_path: Path) -> None:
    found = estimate_all([QUIET], rigid.known())
    rows = compared(read_workshop(entries(tmp_path)).estimates(rigid.known()), found.results)
    assert {"mass", "front_share", "wheel_mass_rr"} <= {row.name for row in rows}
    assert all(row.agree for row in rows if row.name != "cg_y")
    mass = next(row for row in rows if row.name == "mass")
    assert mass.difference == pytest.approx(0.0, abs=0.1)


AT_WHEELS = """
[toe]
accuracy = "0.02 deg"
fl = ["0.10 deg", "0.14 deg"]
[camber]
rl = ["-0.9 deg"]
[damper_sensors]
accuracy = 0.01
fl = [1.50, 1.54, 1.52]
[positions]
accuracy = "5 mm"
imu = [[-1.30, 0.10, 0.40], ["-1306 mm", 0.11, "402 mm"]]
"""


def test_angles_ratios_and_places(tmp_path: Path) -> None:
    workshop = read_workshop(entries(tmp_path, AT_WHEELS))
    found = workshop.estimates(rigid.known())
    toe = found["static_toe_fl"]
    assert toe.value == pytest.approx(math.radians(0.12))
    assert toe.precision == pytest.approx(math.radians(0.02))  # 0.04 between two, over √2 twice
    assert toe.bias == pytest.approx(math.radians(0.02) / math.sqrt(3.0))
    assert workshop.values["toe_fl"] == pytest.approx(toe.value)  # for laws that need it
    assert workshop.bounds["toe_fl"] == pytest.approx((toe.interval[1] - toe.interval[0]) / 2.0)
    assert "toe_fr" not in workshop.values
    assert "measured once" in found["static_camber_rl"].note
    assert found["damper_ratio_fl"].value == pytest.approx(1.52)
    assert found["position_imu_x"].value == pytest.approx(-1.303)
    assert found["position_imu_z"].value == pytest.approx(0.401)
    place = workshop.imu_from_centre(rigid.known())
    assert place == pytest.approx((-1.303 - rigid.CG[0], 0.105 - rigid.CG[1], 0.401 - HEIGHT), abs=2e-3)
    with pytest.raises(InputError, match="x, y and z are needed"):
        read_workshop(entries(tmp_path, "[positions]\nimu = [[1.0, 2.0]]\n"))
    with pytest.raises(InputError, match="empty list"):
        read_workshop(entries(tmp_path, "[toe]\nfl = []\n"))


def test_masses_need_no_geometry(tmp_path: Path) -> None:
    found = read_workshop(entries(tmp_path)).estimates(Known({}))
    assert found["mass"].value == pytest.approx(1500.0, rel=1e-5)
    assert "cg_x" not in found
    assert "cg_height" not in found


def test_driving_tells_angles_and_ratios_too(tmp_path: Path) -> None:
    """Sensors at the wheels, planted: the table has both."""
    rng = np.random.default_rng(5)
    size = QUIET.time.size
    travel = 0.01 * np.sin(3.0 * QUIET.time)
    columns = {
        "steer_fl_rad": -math.radians(0.12) + 1e-4 * rng.standard_normal(size),  # inward: to the right
        "steer_fr_rad": math.radians(0.30) + 1e-4 * rng.standard_normal(size),
        "wheel_travel_fl_m": travel + 1e-4 * rng.standard_normal(size),
        "damper_length_fl_m": 0.45 - travel / 1.52,
        "steering_wheel_angle_rad": np.zeros(size),
        "vx_mps": np.ones(size),  # rolling to a stand: faster, forces turn the wheels
    }
    found = estimate_all([Run({**QUIET, **columns})], rigid.known())
    assert found.values["static_toe_fl"].value == pytest.approx(math.radians(0.12), abs=1e-5)
    assert found.values["static_toe_fr"].value == pytest.approx(math.radians(0.30), abs=1e-5)
    rows = compared(read_workshop(entries(tmp_path, AT_WHEELS)).estimates(rigid.known()), found.results)
    by_name = {row.name: row for row in rows}
    assert by_name["static_toe_fl"].agree
    assert by_name["damper_ratio_fl"].agree
    assert by_name["damper_ratio_fl"].driven.value == pytest.approx(1.52, rel=1e-2)


def test_known_numbers_and_mistakes(tmp_path: Path) -> None:
    good = entries(tmp_path, '[known]\ntoe_fl = "0.1 deg"\n[bounds]\ntoe_fl = "0.05 deg"\n')
    assert read_workshop(good).values["toe_fl"] == pytest.approx(math.radians(0.1))
    assert read_workshop(good).bounds["toe_fl"] == pytest.approx(math.radians(0.05))
    bad = entries(tmp_path, '[known]\ntoe_front = "0.1 deg"\nmass = "3 m"\n')
    with pytest.raises(InputError) as error:
        read_workshop(bad)
    assert "toe_front" in str(error.value)
    assert "mass" in str(error.value)
