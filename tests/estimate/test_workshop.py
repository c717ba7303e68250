"""Workshop entries: masses on scales, an axle lifted, and the table against driving."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from tests.estimate import rigid_vehicle as rigid
from tests.estimate.test_estimators import QUIET

from trackrod.core.errors import InputError
from trackrod.estimate.campaign import estimate_all
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


def test_known_numbers_and_mistakes(tmp_path: Path) -> None:
    good = entries(tmp_path, '[known]\ntoe_fl = "0.1 deg"\n[bounds]\ntoe_fl = "0.05 deg"\n')
    assert read_workshop(good).values["toe_fl"] == pytest.approx(math.radians(0.1))
    assert read_workshop(good).bounds["toe_fl"] == pytest.approx(math.radians(0.05))
    bad = entries(tmp_path, '[known]\ntoe_front = "0.1 deg"\nmass = "3 m"\n')
    with pytest.raises(InputError) as error:
        read_workshop(bad)
    assert "toe_front" in str(error.value)
    assert "mass" in str(error.value)
