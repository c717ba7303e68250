"""MF 5.2 against another program: the PAC2002 tyre of Project Chrono, tabulated for its van.

Chrono takes the slip angle where we take its tangent, keeps a plateau past the peak, and does not let the inclination
act; so rows without inclination are compared, closely at small slip and loosely at large slip. Its right tyre is the
file as measured.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from trackrod.tyre import Tyre, load_tyre

TYRE = "tyres/projectchrono_chrono/data/vehicle/VW_microbus/json/mf_185_80R14.tir"
TABLE = "reference/chrono_van/tire_van_pac.csv"


@pytest.fixture(scope="module")
def rows(shared_data: Path) -> dict[str, np.ndarray]:
    with (shared_data / TABLE).open(newline="") as stream:
        table = [row for row in csv.DictReader(stream) if row["side"] == "R" and float(row["camber_deg"]) == 0]
    return {name: np.array([float(row[name]) for row in table]) for name in table[0] if name != "side"}


@pytest.fixture(scope="module")
def tyre(shared_data: Path) -> Tyre:
    return load_tyre(shared_data / TYRE)


def errors(tyre: Tyre, rows: dict[str, np.ndarray], chosen: np.ndarray, output: str) -> np.ndarray:
    """Differences as fractions of the largest value in the table."""
    alpha = np.radians(rows["alpha_rep_deg"][chosen])
    forces = tyre.evaluate(rows["Fz"][chosen], rows["kappa_rep"][chosen], alpha, 0.0, rows["V"][chosen], limits=False)
    return np.abs(getattr(forces, output) - rows[output][chosen]) / np.abs(rows[output]).max()


@pytest.mark.parametrize(("output", "close", "loose"), [("Fy", 0.003, 0.01), ("Mz", 0.008, 0.02)])
def test_side_slip(tyre: Tyre, rows: dict[str, np.ndarray], output: str, close: float, loose: float) -> None:
    lateral = np.abs(rows["kappa_cmd"]) < 1e-9
    assert errors(tyre, rows, lateral & (np.abs(rows["alpha_rep_deg"]) <= 3), output).max() < close
    assert errors(tyre, rows, lateral, output).max() < loose


def test_longitudinal_slip(tyre: Tyre, rows: dict[str, np.ndarray]) -> None:
    straight = rows["alpha_deg"] == 0
    assert errors(tyre, rows, straight & (np.abs(rows["kappa_rep"]) <= 0.05), "Fx").max() < 0.005
    assert errors(tyre, rows, straight, "Fx").max() < 0.05  # the plateau past the peak


def test_force_at_zero_slip(tyre: Tyre, rows: dict[str, np.ndarray]) -> None:
    """Where tangent and plateau play no part, the two programs agree closely."""
    rest = (rows["alpha_deg"] == 0) & (np.abs(rows["kappa_cmd"]) < 1e-9)
    assert rest.any()
    assert errors(tyre, rows, rest, "Fy").max() < 1e-3
