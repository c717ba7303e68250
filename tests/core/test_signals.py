"""Signals: the public column names, lookup, and names in other programs."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.errors import InputError, UnknownNameError
from trackrod.core.quantities import KINDS, kind
from trackrod.core.signals import SIGNALS, Signal, from_column, parse_column

# The public format of runs, written out: a change here breaks the files of users.
BODY = [
    "time_s",
    "steering_wheel_angle_rad",
    "rack_travel_m",
    "throttle",
    "brake",
    "gear",
    "x_m",
    "y_m",
    "z_m",
    "roll_rad",
    "pitch_rad",
    "yaw_rad",
    "vx_mps",
    "vy_mps",
    "ax_mps2",
    "ay_mps2",
    "az_mps2",
    "yaw_rate_radps",
    "roll_rate_radps",
    "pitch_rate_radps",
    "yaw_acceleration_radps2",
    "roll_acceleration_radps2",
    "pitch_acceleration_radps2",
    "sideslip_rad",
    "ride_height_front_m",
    "ride_height_rear_m",
]
CORNER = [
    "Fx_{}_N",
    "Fy_{}_N",
    "Fz_{}_N",
    "My_{}_Nm",
    "Mz_{}_Nm",
    "slip_angle_{}_rad",
    "slip_ratio_{}",
    "wheel_speed_{}_radps",
    "wheel_travel_{}_m",
    "steer_{}_rad",
    "camber_{}_rad",
    "damper_length_{}_m",
    "damper_velocity_{}_mps",
    "brake_pressure_{}_Pa",
    "added_brake_torque_{}_Nm",
    "added_drive_torque_{}_Nm",
    "steer_offset_{}_rad",
    "added_damper_force_{}_N",
    "added_spring_force_{}_N",
]
NAME = st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,20}", fullmatch=True)
WITH_UNIT = st.sampled_from([kind for kind in KINDS.values() if kind.suffix])


def test_the_public_columns() -> None:
    corners = [pattern.format(corner) for pattern in CORNER for corner in ("fl", "fr", "rl", "rr")]
    last = ["engine_speed_radps", "steering_wheel_torque_Nm", "torsion_bar_twist_rad", "frame_twist_rad"]
    assert list(SIGNALS) == [*BODY, *corners, *last]


def test_constants_are_the_registered_objects() -> None:
    assert signals.YAW_RATE is SIGNALS["yaw_rate_radps"]
    assert signals.FX[Corner.RL] == signals.FX["rl"] == from_column("Fx_rl_N")
    assert [signal.column for signal in signals.MZ.signals] == [
        "Mz_fl_Nm",
        "Mz_fr_Nm",
        "Mz_rl_Nm",
        "Mz_rr_Nm",
    ]


def test_suffixes_are_unambiguous() -> None:
    suffixes = [kind.suffix for kind in KINDS.values() if kind.suffix]
    assert len(set(suffixes)) == len(suffixes)
    assert not any("_" in suffix for suffix in suffixes)


def test_every_signal_says_what_it_is() -> None:
    for signal in SIGNALS.values():
        assert signal.meaning
        assert signal.fmi
        assert signal.sign or signal.column in {"time_s", "x_m", "y_m"}
        assert re.fullmatch(r"(\d+\.\d+\.\d+)?", signal.iso_clause)


@pytest.mark.parametrize("program", ["adams", "carmaker", "fmi"])
def test_names_in_other_programs_are_unique(program: str) -> None:
    used = [getattr(signal, program) for signal in SIGNALS.values() if getattr(signal, program)]
    assert len(set(used)) == len(used)
    assert not any("{" in name for name in used)


def test_corner_names_in_other_programs() -> None:
    signal = signals.FY[Corner.RR]
    assert signal.adams == "tir_wheel_tire_forces.lateral_rear"
    assert signal.carmaker == "Car.FyRR"
    assert signal.fmi == "rr.Fy"
    assert signals.FY[Corner.FL].adams == "til_wheel_tire_forces.lateral_front"


@given(name=NAME, a_kind=WITH_UNIT)
def test_foreign_columns_come_back(name: str, a_kind) -> None:
    signal = Signal(name, a_kind)
    parsed = parse_column(signal.column)
    assert (parsed.name, parsed.kind) == (name, a_kind)
    assert parsed == SIGNALS.get(signal.column, signal)


def test_unknown_columns_get_close_matches() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown signal 'yaw_rate'.*'yaw_rate_radps'"):
        from_column("yaw_rate")
    with pytest.raises(UnknownNameError, match=r"did you mean 'Fx_fl_N'"):
        from_column("fx_FL_N")
    assert parse_column("oil_temperature_K").kind is kind("temperature")
    with pytest.raises(UnknownNameError):
        from_column("oil_temperature_K")
    for column in ("speed_kmh", "throttel", "N", "_N", ""):
        with pytest.raises(InputError):
            parse_column(column)
    with pytest.raises(UnknownNameError, match="unknown corner 'lf'"):
        signals.FX["lf"]


@pytest.mark.parametrize("name", ["", "1st", "a b", "a.b", "ä", "_a", "a\n", "x" * 63])
def test_names_must_suit_every_file_format(name: str) -> None:
    with pytest.raises(InputError, match="cannot name a signal"):
        Signal(name, kind("length"))


def test_longest_name_that_matlab_takes() -> None:
    assert len(Signal("x" * 61, kind("length")).column) == 63
    with pytest.raises(InputError, match="at most 63 characters"):
        Signal("x" * 62, kind("length"))


def test_pure_number_must_not_look_like_a_quantity() -> None:
    with pytest.raises(InputError, match="read as a force"):
        Signal("slip_N", kind("number"))
    assert Signal("N", kind("number")).column == "N"


def test_only_the_gear_is_held() -> None:
    assert [signal.name for signal in SIGNALS.values() if signal.held] == ["gear"]


def test_registry_and_signals_are_frozen() -> None:
    with pytest.raises(TypeError):
        SIGNALS["x_m"] = signals.Y  # type: ignore[index]
    with pytest.raises(AttributeError):
        signals.X.name = "y"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        signals.FX.name = "y"  # type: ignore[misc]
    assert replace(signals.X, name="q").column == "q_m"
    assert signals.AX.label == "ax [m/s²]"
    assert signals.GEAR.label == "gear [-]"
