"""Recordings of other people: what they tell, and an honest refusal where they do not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from trackrod.core.corners import Axle, Corner
from trackrod.core.run_files import load_matlab
from trackrod.core.series import Run
from trackrod.estimate.campaign import estimate_all
from trackrod.estimate.estimator import estimate
from trackrod.estimate.known import Known
from trackrod.estimate.resistance import RollingResistance
from trackrod.estimate.result import CannotTell, Estimate

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "measured"
P1, COAST = DATA / "p1_car", DATA / "coast_down" / "rolling1.csv"
_NAMES = {
    "time_s": "time",
    "yaw_rad": "yaw",
    "yaw_rate_radps": "yaw_rate",
    "roll_rad": "roll",
    "roll_rate_radps": "roll_rate",
    "vx_mps": "long_vel",
    "ax_mps2": "axG",
    "ay_mps2": "ayG",
    "steering_wheel_angle_rad": "delta_HW",
    "steer_fl_rad": "delta_L",
    "steer_fr_rad": "delta_R",
    "Fz_fl_N": "Fz_FL",
    "Fz_fr_N": "Fz_FR",
}


def p1(name: str) -> Run:
    """Every tenth sample, of 500 a second."""
    given = load_matlab(P1 / f"{name}.mat")[name]
    columns = {column: np.asarray(getattr(given, field), dtype=float)[::10] for column, field in _NAMES.items()}
    columns["yaw_rad"] = np.unwrap(columns["yaw_rad"])
    return Run(columns, {"name": name})


@pytest.mark.skipif(not P1.is_dir(), reason="recordings are not there")
def test_experimental_car_with_force_sensors_in_front() -> None:
    where = {f"wheel_x_{c}": 0.0 if c.axle is Axle.FRONT else -2.5 for c in Corner}
    where |= {f"wheel_y_{c}": 0.813 * c.side.sign for c in Corner}
    found = estimate_all([p1("RAMP_STEER_L"), p1("STRAIGHT_LINE_1")], Known(where)).results
    front = found["axle_mass_front"]
    assert isinstance(front, Estimate)
    assert front.value == pytest.approx(1724 * 1.15 / 2.5, rel=0.03)  # what its authors say
    ratio, under, roll = (found[name] for name in ("steering_ratio", "understeer_gradient", "roll_gradient"))
    assert isinstance(ratio, Estimate)
    assert ratio.interval[0] < 10.0 < ratio.interval[1] + 0.01  # steered by wire: a round number
    assert isinstance(under, Estimate)
    assert under.interval[0] > 0.0  # understeers, surely
    assert isinstance(roll, Estimate)
    assert 0.002 < roll.interval[0] < roll.interval[1] < 0.02
    for name in ("mass", "cg_x", "yaw_inertia", "cg_height_braking"):
        refused = found[name]
        assert isinstance(refused, CannotTell), name
        assert "Fz_rl_N" in refused.missing or "Fx_rl_N" in refused.missing


@pytest.mark.skipif(not COAST.is_file(), reason="recordings are not there")
def test_coasting_of_a_light_car() -> None:
    table = np.genfromtxt(COAST, delimiter=",")
    table = table[np.isfinite(table).all(axis=1)]
    time = np.arange(table[0, 0], table[-1, 0], 0.1)
    run = Run({"time_s": time, "vx_mps": np.interp(time, table[:, 0], table[:, 1] / 3.6)})
    light = {"mass": 76.0, "rolling_growth": 0.0}
    light |= {f"spin_inertia_{axle}": 0.05 for axle in Axle} | {f"rolling_radius_{axle}": 0.25 for axle in Axle}
    found = estimate(RollingResistance(linear=False), [run], Known(light, {"mass": 1.0}))
    assert isinstance(found, Estimate)
    assert 0.001 < found.value < 0.01  # tyres of such cars
    assert found.interval[1] - found.interval[0] > 0.002  # one direction, one run, a road that is not known
