"""Recordings on a road that is not level: angles against the horizon and the road, wind from the speed of the air."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from trackrod.core.run_files import write_run
from trackrod.core.series import Run
from trackrod.core.signals import HEAD_WIND
from trackrod.measured.channel_map import ChannelMap
from trackrod.measured.prepare import prepare
from trackrod.measured.recording import Samples, recording_of
from trackrod.measured.road import against_horizon, against_road
from trackrod.measured.sensors import case_study
from trackrod.measured.suggestions import suggest
from trackrod.measured.virtual import Campaign, Installation, exposed
from trackrod.workflow.recorded_runs import Reader

TIME = np.arange(0.0, 20.0, 0.01)
ROAD = {"road_slope_rad": 0.05 + 0.02 * np.sin(0.3 * TIME), "road_bank_rad": -0.04 * np.cos(0.2 * TIME)}
BODY = {"roll_rad": 0.03 * np.sin(TIME), "pitch_rad": 0.01 * np.cos(1.3 * TIME)}


def test_a_car_that_stands_on_a_slope_shows_it_in_its_pitch_angle() -> None:
    """A road that rises ahead lifts the nose; one whose left side is higher is a roll to the right."""
    shown = against_horizon({**ROAD, **dict.fromkeys(BODY, 0.0 * TIME)})
    np.testing.assert_allclose(shown["pitch_rad"], -ROAD["road_slope_rad"])
    np.testing.assert_allclose(shown["roll_rad"], ROAD["road_bank_rad"])


def test_the_road_is_taken_off_a_recording_and_put_into_a_virtual_one() -> None:
    truth = Run({"time_s": TIME, "vx_mps": 20.0 + 0.0 * TIME, **BODY, **ROAD})
    shown = exposed(truth, Installation())
    assert np.abs(shown["pitch_rad"] - truth["pitch_rad"]).max() > 0.03
    channels = {name: ("rad", Samples(TIME, shown[name])) for name in (*BODY, *ROAD)}
    recording = recording_of(Path("run"), {**channels, "vx_mps": ("m/s", Samples(TIME, shown["vx_mps"]))})
    done = prepare(recording, ChannelMap.of_columns(recording))
    for name in BODY:
        np.testing.assert_allclose(done.run[name], truth[name], atol=1e-4)
    assert any("taken off roll and pitch" in step.text for step in done.record)
    assert against_road({"pitch_rad": BODY["pitch_rad"]}) == {}  # nothing is known of the road: nothing is changed


def test_sensors_of_the_case_study_do_not_measure_the_road() -> None:
    run = Run({"time_s": TIME, "vx_mps": 20.0 + 0.0 * TIME, **BODY, **ROAD})
    assert not set(ROAD) & set(Campaign(case_study()).measure(run))


def test_the_speed_of_the_air_tells_the_wind(tmp_path: Path) -> None:
    speed = 20.0 + TIME / 10.0
    write_run(Run({"time_s": TIME, "vx_mps": speed, "air_speed_mps": speed + 3.0}), tmp_path / "windy.csv")
    (run,) = Reader().logs([tmp_path / "windy.csv"])
    np.testing.assert_allclose(run[HEAD_WIND], 3.0, atol=1e-9)


def test_channels_of_the_road_are_suggested() -> None:
    names = {"Road Slope": "deg", "Banking": "deg", "Head Wind": "m/s", "Pitot": "km/h"}
    values = {name: (unit, Samples(TIME, 1.0 + np.sin(TIME))) for name, unit in names.items()}
    found = {s.column: s.channels[0] for s in suggest(recording_of(Path("log"), values))}
    assert found["road_slope_rad"] == "Road Slope"
    assert found["road_bank_rad"] == "Banking"
    assert found["head_wind_mps"] == "Head Wind"
    assert found["air_speed_mps"] == "Pitot"
