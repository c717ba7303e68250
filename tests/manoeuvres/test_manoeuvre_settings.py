"""Settings: declared once, with unit and range; a wrong one is named, all of them at once."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from trackrod.core import signals
from trackrod.core.artefact import Artefact, load, save
from trackrod.core.errors import InputError, RangeError, UnknownNameError
from trackrod.core.run_files import write_run
from trackrod.core.series import Run
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.manoeuvres.recorded import Recorded
from trackrod.manoeuvres.registry import MANOEUVRE, MANOEUVRES, manoeuvre, manoeuvre_class
from trackrod.manoeuvres.settings import Direction, settings_of
from trackrod.manoeuvres.steering import StepSteer

#: Last parts of names that are words and not units.
NO_UNITS = {
    "gear",
    "direction",
    "propulsion",
    "throttle",
    "brake",
    "clutch",
    "sweep",
    "factor",
    "share",
    "cones",
    "periods",
}
NO_UNITS |= {"mode", "class", "seed", "file", "pedals", "radm", "shape", "under"}

READY = sorted(name for name in MANOEUVRES if not any(item.is_text for item in MANOEUVRES[name].settings()))


@pytest.mark.parametrize("name", sorted(MANOEUVRES))
def test_every_setting_says_its_unit_and_meaning(name: str) -> None:
    found = MANOEUVRES[name]
    assert found.name == name
    assert found.title
    assert found.serves
    for item in settings_of(found):
        assert item.unit or item.name.rpartition("_")[2] in NO_UNITS, item.name
        assert item.meaning
        assert item.default is None or not list(item.faults(item.default)), item.name


@pytest.mark.parametrize("name", READY)
def test_defaults_make_a_manoeuvre_that_ends(name: str) -> None:
    made = MANOEUVRES[name]()
    phases = made.phases()
    assert phases
    assert made.start().speed >= 0
    for phase in phases:
        assert phase.ends
        assert all(end.reason for end in phase.ends)
        assert np.isfinite(phase.longest)


def test_text_becomes_settings() -> None:
    made = manoeuvre("step_steer", {"speed_kmh": "80", "direction": "right", "gear": "3"})
    assert isinstance(made, StepSteer)
    assert (made.speed_kmh, made.direction, made.gear) == (80.0, Direction.RIGHT, 3)
    assert made.values()["direction"] == "right"


def test_all_wrong_settings_are_named_at_once() -> None:
    with pytest.raises(InputError) as caught:
        manoeuvre("step_steer", {"sped_kmh": "80", "target_ay_g": "much"})
    text = str(caught.value)
    assert "speed_kmh" in text  # the close match
    assert "target_ay_g=much" in text
    assert len(caught.value.problems) == 2


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"speed_kmh": -1.0}, "speed_kmh is -1, allowed is 5 to 300 km/h"),
        ({"speed_kmh": float("nan")}, "speed_kmh is nan"),
        ({"speed_kmh": True}, "speed_kmh is True"),
        ({"direction": "up"}, "direction is 'up', allowed is left or right"),
        ({"gear": 2.5}, "whole number"),
        ({"target_ay_g": None}, "target_ay_g has no value"),
    ],
)
def test_out_of_range_is_refused(settings: dict[str, object], said: str) -> None:
    with pytest.raises(RangeError, match=said.replace("(", r"\(")):
        StepSteer(**settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "settings", "said"),
    [
        ("coast_down", {"first_speed_kmh": "50"}, "last_speed_kmh=60 must be below first_speed_kmh=50"),
        ("acceleration", {"last_speed_kmh": "20"}, "last_speed_kmh=20 must be above first_speed_kmh=25"),
        ("sine_sweep", {"last_frequency_Hz": "0.1"}, "last_frequency_Hz=0.1 is below first_frequency_Hz=0.2"),
        ("four_post", {"first_frequency_Hz": "7"}, "last_frequency_Hz=6 is below first_frequency_Hz=7"),
        ("constant_radius", {"radius_m": "10"}, "is 0.71 g already, target_ay_g=0.6 must be more"),
        (
            "step_steer",
            {"steering_wheel_angle_deg": "90", "rate_degps": "10"},
            "hold_s=4 is not longer than the 9 s that the step itself takes",
        ),
    ],
)
def test_settings_that_contradict_each_other_are_refused(name: str, settings: dict[str, str], said: str) -> None:
    with pytest.raises(InputError, match=re.escape(said)):
        manoeuvre(name, settings)


def test_a_whole_number_beyond_every_float_is_refused() -> None:
    with pytest.raises(InputError, match="a finite number is needed"):
        manoeuvre("random_road", {"seed": "9" * 400})


def test_unknown_manoeuvre_has_a_close_match() -> None:
    with pytest.raises(UnknownNameError, match="step_steer"):
        manoeuvre_class("stepsteer")


def test_manoeuvres_are_frozen() -> None:
    made: Manoeuvre = StepSteer()
    with pytest.raises(AttributeError):
        made.speed_kmh = 5.0  # type: ignore[attr-defined]


def test_recorded_inputs_need_their_columns(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'file' is needed"):
        Recorded()
    path = tmp_path / "inputs.csv"
    write_run(Run({signals.TIME: [0.0, 1.0], signals.VX: [20.0, 20.0]}), path)
    with pytest.raises(InputError) as caught:
        Recorded(file=str(path))
    assert [p.place.file for p in caught.value.problems] == [path] * 3
    assert "steering_wheel_angle_rad" in str(caught.value)
    write_run(Run({signals.TIME: [3.0, 4.0], signals.VX: [20.0, 20.0], signals.STEERING_WHEEL_ANGLE: [0.0, 1.0]}), path)
    made = Recorded.from_text({"file": str(path), "pedals": "speed"})
    assert made.start().speed == 20.0
    [phase] = made.phases()
    from trackrod.manoeuvres.manoeuvre import Sample

    angle = phase.steering.begin(Sample(0.0, {}))(np.array([0.25, 0.5]), Sample(0.0, {}))
    assert angle == pytest.approx([0.25, 0.5])


@pytest.mark.parametrize("name", READY)
def test_manoeuvres_are_saved_with_every_bit(name: str, tmp_path: Path) -> None:
    wanted = MANOEUVRES[name]()
    unknown = [item for item in wanted.settings() if item.default is None and item.least <= 1 / 3 <= item.most]
    made = wanted.changed(**{item.name: 1 / 3 for item in unknown})
    save(Artefact(MANOEUVRE, made), tmp_path / "made.json")
    again = load(tmp_path / "made.json", MANOEUVRE).content
    assert again == made
    assert all(type(again.values()[key]) is type(value) for key, value in made.values().items())


def test_page_lists_every_manoeuvre_and_setting() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "manoeuvres.md").read_text()
    for name, found in MANOEUVRES.items():
        [row] = [line for line in page.splitlines() if line.startswith(f"| `{name}` |")]
        assert found.title in row
        assert found.standard in row
        for item in found.settings():
            default = "–" if item.default in (None, "") else item.default
            shown = f"{default:g}" if isinstance(default, float) else str(default)
            assert f"`{item.name}`={shown}" in row


def test_titles_for_people_have_units() -> None:
    titles = {item.name: item.title for found in MANOEUVRES.values() for item in settings_of(found)}
    assert titles["speed_kmh"] == "speed [km/h]"
    assert titles["angle_per_curvature_radm"] == "angle per curvature [rad·m]"
    assert titles["cones"] == "cones"
    assert not [title for title in titles.values() if "_" in title]
