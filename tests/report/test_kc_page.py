"""The page of the K&C rig: every axle, every test, signs said, and no rounding drawn as if it were a result."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from trackrod.adams.vehicle import read_vehicle
from trackrod.core.corners import Axle
from trackrod.kc.study import AxleStudy, KcSettings, characterise
from trackrod.report.kc import compliance_figure, kinematics_figure, steering_figure, write_kc_page
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.elements import Mode

SETTINGS = KcSettings(travel=np.linspace(-0.06, 0.06, 7), rack=np.linspace(-0.06, 0.06, 7), map_points=5, load_steps=1)


@pytest.fixture(scope="module")
def studies() -> list[AxleStudy]:
    vehicle = read_vehicle(BUNDLED["lcv_7t"].assembly).vehicle
    return [characterise(vehicle, axle, SETTINGS) for axle in Axle]


def test_page_holds_both_axles_and_their_signs(studies: list[AxleStudy], tmp_path: Path) -> None:
    write_kc_page(studies[0].vehicle, studies, tmp_path / "kc.html")
    text = (tmp_path / "kc.html").read_text()
    for words in ("Front axle: steering", "Rear axle: compliance", "roll centre height", "Toe is positive in"):
        assert words in text
    assert "Rear axle: steering" not in text


def test_every_panel_has_units_and_numbers(studies: list[AxleStudy]) -> None:
    figures = [f(s) for s in studies for f in (kinematics_figure, compliance_figure)] + [steering_figure(studies[0])]
    for figure in figures:
        for panel in figure.panels:
            assert "[" in panel.x_label, panel.title
            assert "[" in panel.y_label, panel.title
            assert all(np.isfinite(line.y).any() for line in panel.lines), panel.title


def test_rounding_of_the_solver_is_not_drawn(studies: list[AxleStudy]) -> None:
    rigid = characterise(studies[1].vehicle.with_mode(Mode.KINEMATIC), Axle.REAR, SETTINGS)  # the tube does not bend
    toe = kinematics_figure(rigid).panels[0]
    assert toe.title.startswith("Toe")
    assert all((line.y == 0.0).all() for line in toe.lines)  # a solid axle in parallel travel
