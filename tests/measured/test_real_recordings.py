"""Other people's recordings: they are read, what each channel is is found, and what is wrong with one is named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from trackrod.core.corners import Corner
from trackrod.measured.channel_map import ChannelMap, Entry
from trackrod.measured.faults import Fault
from trackrod.measured.prepare import prepare
from trackrod.measured.recording import open_recording
from trackrod.measured.suggestions import suggest


@pytest.fixture
def folder(shared_data: Path) -> Path:
    if not (shared_data / "measured").is_dir():
        pytest.skip("the recordings are not there: this check needs them")
    return shared_data / "measured"


def test_a_lateral_acceleration_that_counts_to_the_right_is_found(folder: Path) -> None:
    recording = open_recording(folder / "obd_sideslip" / "OBD_Sample.csv")
    named = {
        "ay_mps2": ("LatAcc_obd", "m/s^2"),
        "vx_mps": ("speedo_obd", "km/h"),
        "yaw_rate_radps": ("yaw_rate", "deg/s"),
        "steering_wheel_angle_rad": ("SW_pos_obd", "deg"),
        **{f"wheel_velocity_{corner}_mps": (f"Vel{corner.upper()}_obd", "km/h") for corner in Corner},
    }
    entries = {column: Entry(column, *where) for column, where in named.items()}
    (finding,) = prepare(recording, ChannelMap(entries), refuse=False).findings
    assert (finding.fault, finding.channels) == (Fault.SIGN, ("LatAcc_obd",))
    turned = {**entries, "ay_mps2": Entry("ay_mps2", "LatAcc_obd", "m/s^2", -1.0)}
    done = prepare(recording, ChannelMap(turned))
    assert not done.findings
    assert done.run.time[[0, -1]] == pytest.approx(
        [0.0, 19.94], abs=0.03
    )  # the clock's seconds since 1970 are taken off


def test_a_car_with_two_measuring_wheels_is_read_without_a_fault(folder: Path) -> None:
    recording = open_recording(folder / "p1_car" / "RAMP_STEER_L.mat")
    assert {s.column: s.channels for s in suggest(recording)}["Fz_fr_N"] == ("Fz_FR",)
    named = {
        "vx_mps": ("long_vel", "m/s"),
        "ay_mps2": ("ayG", "m/s^2"),
        "yaw_rate_radps": ("yaw_rate", "rad/s"),
        "roll_rad": ("roll", "rad"),
        "steering_wheel_angle_rad": ("delta_HW", "rad"),
        **{f"wheel_speed_{corner}_radps": (f"omega_{corner.upper()}", "rad/s") for corner in Corner},
        **{f"F{axis}_{corner}_N": (f"F{axis}_{corner.upper()}", "N") for axis in "xyz" for corner in ("fl", "fr")},
    }
    done = prepare(recording, ChannelMap({column: Entry(column, *where) for column, where in named.items()}))
    assert not done.findings
    assert np.nanpercentile(done.run["ay_mps2"], 99.0) == pytest.approx(8.77, abs=0.05)


def test_files_without_names_and_with_units_in_a_struct_are_read(folder: Path) -> None:
    rolling = open_recording(folder / "coast_down" / "rolling1.csv", time="column_1")
    assert rolling["column_2"].values[0] == pytest.approx(27.275, abs=1e-3)
    bench = open_recording(folder / "tyre_bench" / "cornering.mat")
    assert (bench.channels["FZ"].unit, bench.channels["V"].unit) == ("N", "kph")
