"""A car that is quick to make and to drive, and files of campaigns with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.rtm.converted_vehicles import spec_of

from trackrod.convert.conversion import Compliance
from trackrod.core.artefact import Artefact, save
from trackrod.rtm.spec import RTM, RtmSpec

#: Everything that varies in the file below, and nothing that takes long.
TEXT = """
name = "small"
seed = 5
sampling = "{sampling}"
{points}
runs_per_task = {per_task}

[models.car]
source = "car.json"

[manoeuvres.step]
manoeuvre = "step_steer"
speed_kmh = 60
steering_wheel_angle_deg = 20
hold_s = 1.5

[vary.friction]
distribution = "uniform"
low = 0.6
high = 1.0
{levels}

[vary.sprung_mass]
distribution = "normal"
as = "factor"
mean = 1.0
deviation = 0.03
{levels}

[vary.step.speed_kmh]
distribution = "triangular"
low = 40
mode = 60
high = 70
{levels}
"""


@pytest.fixture(scope="session")
def car() -> RtmSpec:
    return spec_of("double_wishbone_car", compliance=Compliance.NONE)


@pytest.fixture
def campaign_file(car: RtmSpec, tmp_path: Path) -> Callable[..., Path]:
    """Writes the file of a campaign, with more text behind it, and the model beside it."""

    def write(
        more: str = "", *, sampling: str = "lhs", points: int | None = 8, per_task: int = 2, levels: int = 0
    ) -> Path:
        save(Artefact(RTM, car), tmp_path / "car.json")
        path = tmp_path / "small.toml"
        text = TEXT.format(
            sampling=sampling,
            points="" if points is None else f"points = {points}",
            per_task=per_task,
            levels=f"levels = {levels}" if levels else "",
        )
        path.write_text(text + more)
        return path

    return write
