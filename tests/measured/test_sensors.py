"""Sensor sets: what is read is what was written, and what is wrong is named by line."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from trackrod.core.errors import InputError, UnknownNameError
from trackrod.measured.sensors import Sensor, SensorSet, case_study


def test_a_set_is_read_as_written(tmp_path: Path) -> None:
    case_study().write(tmp_path / "sensors.toml")
    assert dict(SensorSet.read(tmp_path / "sensors.toml")) == dict(case_study())


def test_the_case_study_has_the_numbers_of_its_table() -> None:
    sensors = case_study()
    load, pressure, steering = (sensors[c] for c in ("Fz_rr_N", "brake_pressure_fl_Pa", "steering_wheel_angle_rad"))
    assert (load.rate, load.delay, load.range, load.scale_error) == (1000.0, 0.063, (-20e3, 20e3), 0.01)
    assert (pressure.rate, pressure.accuracy, pressure.range[1]) == pytest.approx((100.0, 1e4, 170e5))
    assert (steering.rate, math.degrees(steering.accuracy)) == pytest.approx((50.0, 0.1))


def test_the_deviation_of_a_bound_is_that_of_equally_likely_errors() -> None:
    sensor = Sensor("Fz_fl_N", accuracy=30.0, scale_error=0.01)
    assert sensor.systematic(4000.0) == pytest.approx(50.0 / math.sqrt(3.0))


def test_errors_and_rates_are_scaled() -> None:
    sensor = case_study().scaled(error=0.5, rate=2.0)["ay_mps2"]
    assert (sensor.accuracy, sensor.noise, sensor.rate) == (0.005, 0.025, 400.0)


def test_every_fault_of_a_file_is_named_by_line(tmp_path: Path) -> None:
    path = tmp_path / "sensors.toml"
    path.write_text('[ay_mps2]\nrate = 100\nnoise = "1 N"\n[speed]\nrate = 1\n["Fz_{corner}_N"]\nrate = -1\nnois = 2\n')
    with pytest.raises(InputError) as error:
        SensorSet.read(path)
    text = str(error.value)
    for said in (":3: error: [ay_mps2]: 'noise'", "unknown signal 'speed'", "'rate' is -1", "unknown key 'nois'"):
        assert said in text


def test_a_sensor_that_is_not_there_is_named() -> None:
    with pytest.raises(UnknownNameError, match="yaw_rate_radps"):
        case_study()["yaw_rate_rad"]
