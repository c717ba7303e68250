"""An asymmetric car measured virtually: what is put in comes out again, and every planted fault is found and named."""

# One run serves all of them: the truth is the model's own, in a turn to both sides with braking.

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from asymmetric_vehicles import CAR, converted
from trackrod.core import signals
from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.errors import InputError, Severity
from trackrod.core.run_files import read_run
from trackrod.core.series import Run
from trackrod.manoeuvres.excitation import Excitation, SteeringShape
from trackrod.measured.channel_map import ChannelMap, Entry, Geometry
from trackrod.measured.faults import Fault
from trackrod.measured.imu import Mounting
from trackrod.measured.logger_files import logger_channel, write_recording
from trackrod.measured.measurement_plan import CASES, Group, find_plan
from trackrod.measured.prepare import Prepared, prepare
from trackrod.measured.processing import find_delay, low_pass, resample
from trackrod.measured.recording import Recording, Samples, open_recording, recording_of
from trackrod.measured.relations import find_relation_faults
from trackrod.measured.repeats import aligned, mean_and_scatter, mirrored
from trackrod.measured.sensors import Sensor, SensorSet, case_study
from trackrod.measured.virtual import Campaign, Installation, exposed, motion_of
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.simulate.drive import simulate
from trackrod.workflow.measurement import geometry_of, measure, with_wheel_torques

FORCES = tuple(f"{name}_{corner}_N" for name in ("Fx", "Fy", "Fz") for corner in Corner)
IMU = Mounting((0.35, -0.2, 0.15), (0.02, -0.03, 0.04), felt=True)


@cache
def truth() -> Run:
    manoeuvre = Excitation(
        speed_kmh=70.0,
        shape=SteeringShape.SINE,
        steering_wheel_angle_deg=40.0,
        frequency_Hz=0.4,
        brake=0.12,
        pedals_after_s=5.0,
        duration_s=9.0,
    )
    spec = converted(CAR).spec
    return with_wheel_torques(simulate(RealTimeVehicle(spec), manoeuvre, sample=0.005), spec)


def recorded(error: float = 0.0, installation: Installation | None = None, seed: int = 3) -> Recording:
    run = truth() if installation is None else exposed(truth(), installation)
    return Campaign(case_study().scaled(error=error), seed).record(run)


def channels(recording: Recording) -> dict[str, tuple[str, Samples]]:
    return {name: (recording.channels[name].unit, samples) for name, samples in recording.read(recording.channels)}


def finding_delays(recording: Recording, **changes: object) -> ChannelMap:
    given = ChannelMap.of_columns(recording)
    entries = {c: replace(e, delay=None if c in FORCES else 0.0) for c, e in given.entries.items()}
    return replace(given, entries=entries, **changes)


def rms(values: np.ndarray) -> float:
    return float(np.sqrt(np.nanmean(np.square(values))))


# What is put in comes out ----------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [0.0, 1.0, 2.0])
def test_the_delay_of_the_transducers_is_found_to_a_millisecond(error: float) -> None:
    geometry = geometry_of(converted(CAR).spec)
    wheels = {corner: geometry.wheel(corner) for corner in Corner}
    recording = recorded(error, Installation(IMU, 20.0, wheels))
    done = prepare(recording, finding_delays(recording, imu=IMU, outer_mass=20.0, vehicle=geometry))
    (step,) = [step for step in done.record if step.what == "delay"]
    value, bound = (float(word) for word in (step.text.split()[2], step.text.split()[4]))
    assert value == pytest.approx(63.0, abs=1.0)
    assert bound < 1.5
    assert set(step.columns) == set(FORCES)


def test_a_delay_that_the_run_does_not_tell_is_refused_by_name() -> None:
    recording = recorded(1.0)
    part = {
        name: (unit, Samples(s.time[s.time < 0.25], s.values[s.time < 0.25]))
        for name, (unit, s) in channels(recording).items()
    }
    short = recording_of(Path("short.mf4"), part)
    with pytest.raises(InputError, match=r"delay of the wheel-force transducers cannot be told.*without a gap"):
        prepare(short, finding_delays(short))


def test_a_time_without_end_is_refused() -> None:
    """A clock that jumps by years: the run would have more samples than any memory."""
    speed = Samples(np.array([0.0, 1.0, 1e15]), np.array([20.0, 20.0, 20.0]))
    recording = recording_of(Path("jumps.csv"), {"vx_mps": ("m/s", speed)})
    with pytest.raises(InputError, match="more than 50,000,000 samples"):
        prepare(recording, replace(ChannelMap.of_columns(recording), step=0.05))


def test_noise_without_a_cause_has_no_delay() -> None:
    time = np.arange(0.0, 10.0, 0.01)
    noise = np.random.default_rng(1).standard_normal((2, time.size))
    assert "correlation" in find_delay(time, noise[0], noise[1][:, None]).missing


def test_forces_of_the_road_come_out_of_those_of_the_transducers() -> None:
    geometry = geometry_of(converted(CAR).spec)
    installation = Installation(outer_mass=20.0, wheels={corner: geometry.wheel(corner) for corner in Corner})
    recording = recorded(0.0, installation)
    done = prepare(
        recording, replace(ChannelMap.of_columns(recording), outer_mass=20.0, vehicle=geometry), case_study()
    )
    without = prepare(recording, None, case_study())
    for column in ("Fx_fl_N", "Fy_rr_N", "Fz_rl_N"):
        true = truth().series(column).at(done.run.time)
        assert rms(done.run[column] - true) < 3.0
        assert rms(without.run[column] - true) > 20.0


def test_the_accelerations_of_another_point_are_those_of_its_own_path() -> None:
    """Against differences of the point's position in E, which know nothing of the law that moves accelerations."""
    run, mounting = truth(), Mounting(IMU.position)
    at_point = exposed(run, Installation(mounting))
    roll, pitch, yaw = (run[column] for column in ("roll_rad", "pitch_rad", "yaw_rad"))
    x, y, z = mounting.position
    c, s = np.cos, np.sin
    p = [  # R_EV · p, written out: yaw, then pitch, then roll
        c(yaw) * c(pitch) * x
        + (c(yaw) * s(pitch) * s(roll) - s(yaw) * c(roll)) * y
        + (c(yaw) * s(pitch) * c(roll) + s(yaw) * s(roll)) * z,
        s(yaw) * c(pitch) * x
        + (s(yaw) * s(pitch) * s(roll) + c(yaw) * c(roll)) * y
        + (s(yaw) * s(pitch) * c(roll) - c(yaw) * s(roll)) * z,
    ]
    path = [run["x_m"] + p[0], run["y_m"] + p[1]]
    ax, ay = (np.gradient(np.gradient(line, run.time), run.time) for line in path)
    inside = slice(20, -20)
    along, across = c(yaw) * ax + s(yaw) * ay, c(yaw) * ay - s(yaw) * ax
    assert rms((at_point["ax_mps2"] - along)[inside]) < 0.02
    assert rms((at_point["ay_mps2"] - across)[inside]) < 0.02
    assert rms((run["ay_mps2"] - across)[inside]) > 0.1  # the point does not move like the centre of gravity


def test_accelerations_that_are_felt_become_those_of_the_centre_of_gravity() -> None:
    recording = recorded(0.0, Installation(IMU))
    done = prepare(recording, replace(ChannelMap.of_columns(recording), imu=IMU), case_study())
    _, rates, changes, angles = motion_of(truth())
    assert np.abs(rates).max() > 0.1
    assert np.abs(changes).max() > 0.3
    assert np.abs(angles).max() > 0.02
    for column in ("ax_mps2", "ay_mps2", "az_mps2"):
        assert rms(done.run[column] - truth().series(column).at(done.run.time)) < 2e-3
    assert any("gravity taken out" in step.text for step in done.record)


def test_the_torque_of_the_hub_is_that_of_the_brake() -> None:
    run, spec = truth(), converted(CAR).spec
    applied = run.time[np.argmax(run["brake"] > 0.999 * run["brake"].max())]
    braking = (run.time > applied + 0.2) & (run["vx_mps"] > 5.0)
    for axle in Axle:  # the locks of the differentials move torque from side to side
        brake = 2.0 * spec.parameters[f"brake_{axle}"] * run["brake"][braking]
        both = sum(run[f"wheel_torque_{Corner.of(axle, side)}_Nm"][braking] for side in Side)
        assert both == pytest.approx(-brake, rel=0.01)


def test_a_sensor_is_late_clipped_stepped_and_wrong_by_its_bounds() -> None:
    time = np.arange(0.0, 20.0, 0.001)
    run = Run({"time_s": time, "ay_mps2": 4.0 * np.sin(2.0 * time)})
    sensor = Sensor("ay_mps2", 0.5, 0.1, 200.0, 0.05, (-3.0, 3.0), 0.1)
    draws = [Campaign(SensorSet([sensor]), seed).errors["ay_mps2"] for seed in range(300)]
    assert max(abs(e.zero) for e in draws) <= 0.5
    assert max(abs(e.gain) for e in draws) <= 0.1
    assert np.std([e.zero for e in draws]) == pytest.approx(0.5 / math.sqrt(3.0), rel=0.1)
    still = replace(sensor, accuracy=0.0, scale_error=0.0, noise=0.0)
    shown = Campaign(SensorSet([still]), 1).measure(run)["ay_mps2"]
    late = np.clip(4.0 * np.sin(2.0 * np.maximum(shown.time - 0.05, 0.0)), -3.0, 3.0)
    assert shown.values == pytest.approx(late, abs=1e-5)
    stepped = Campaign(SensorSet([replace(still, resolution=0.25)]), 1).measure(run)["ay_mps2"]
    assert stepped.values * 4.0 == pytest.approx(np.round(stepped.values * 4.0))


def test_a_campaign_keeps_its_errors_and_changes_its_noise() -> None:
    campaign = Campaign(case_study(), 7)
    first, again, second = (campaign.measure(truth(), number)["ay_mps2"].values for number in (1, 1, 2))
    assert first.tolist() == again.tolist()
    assert np.std(first - second) == pytest.approx(case_study()["ay_mps2"].noise * math.sqrt(2.0), rel=0.1)


def test_thinning_out_leaves_no_image_of_what_is_too_fast() -> None:
    time = np.arange(0.0, 4.0, 0.001)
    slow = np.sin(2 * np.pi * 2.0 * time)
    values = resample(Samples(time, slow + np.sin(2 * np.pi * 98.0 * time)), np.arange(0.5, 3.5, 0.01))
    assert rms(values - np.sin(2 * np.pi * 2.0 * np.arange(0.5, 3.5, 0.01))) < 0.01


def test_the_filter_halves_the_power_at_its_frequency_and_shifts_nothing() -> None:
    time = np.arange(0.0, 20.0, 0.002)
    sine = np.sin(2 * np.pi * 5.0 * time)
    passed = low_pass(sine, 500.0, 5.0)[2000:-2000]
    assert rms(passed) / rms(sine[2000:-2000]) == pytest.approx(math.sqrt(0.5), rel=1e-3)
    assert abs(np.corrcoef(passed, sine[2000:-2000])[0, 1]) > 0.9999


def test_a_mirrored_run_turns_to_the_other_side_and_back() -> None:
    run = truth()
    other = mirrored(run)
    assert other["Fz_fl_N"].tolist() == run["Fz_fr_N"].tolist()
    assert other["ay_mps2"].tolist() == (-run["ay_mps2"]).tolist()
    back = mirrored(other)
    assert set(back) == set(run)
    for column in run:
        assert (back[column] == run[column]).all(), column
    assert other["camber_fl_rad"].tolist() == run["camber_fr_rad"].tolist()  # leaning outward at the top is no side
    assert other["yaw_rate_radps"].tolist() == (-run["yaw_rate_radps"]).tolist()


def test_repeats_are_brought_into_time_and_scatter_like_their_noise() -> None:
    run = truth()
    rate = case_study()["ay_mps2"].noise
    made = []
    for number, late in enumerate((0.0, 0.4, -0.3)):
        noise = rate * np.random.default_rng(number).standard_normal(run.time.size)
        moved = {c: np.interp(run.time - late, run.time, run[c]) for c in ("steering_wheel_angle_rad", "ay_mps2")}
        made.append(Run({"time_s": run.time, **moved, "ay_mps2": moved["ay_mps2"] + noise}))
    mean, scatter = mean_and_scatter(aligned(made, signals.STEERING_WHEEL_ANGLE))
    inside = (mean.time > 1.0) & (mean.time < 8.0)
    assert np.nanmean(scatter["ay_mps2"][inside]) == pytest.approx(rate, rel=0.25)


# Files ------------------------------------------------------------------------------------------------------


def test_a_plan_is_driven_and_its_files_give_the_truth_back(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(
        'format = "csv"\n[imu]\nposition = [0.1, 0, 0.2]\n[wheel_force_transducers]\nouter_mass = "20 kg"\n'
        '[[tests]]\nname = "step"\nmanoeuvre = "excitation"\nrepeats = 2\nwarm_up = 1\n'
        'settings = { shape = "step", steering_wheel_angle_deg = 30, speed_kmh = 60, duration_s = 2 }\n'
    )
    spec = converted(CAR).spec
    written = measure(RealTimeVehicle(spec), spec, find_plan(plan), tmp_path / "out")
    assert [path.name for path in written.recordings["step"]] == ["step_1.csv", "step_2.csv"]
    assert [path.parent.name for path in written.warm_up] == ["warm_up"]
    done = prepare(open_recording(written.recordings["step"][0]), ChannelMap.read(written.channel_map))
    true = read_run(written.truth["step"])
    for column, bound in (("ay_mps2", 0.1), ("yaw_rate_radps", 3e-3), ("vx_mps", 0.05), ("Fz_fl_N", 120.0)):
        assert rms(done.run[column] - true.series(column).at(np.clip(done.run.time, 0.0, true.time[-1]))) < bound
    assert done.run.metadata["recordings"] == ("step_1.csv",)


def test_every_fault_of_a_plan_is_named(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text('[[tests]]\nname = "a b"\nmanoeuvre = "brakin"\nrepeats = 0\n[[tests]]\nmanoeuvre = "braking"\n')
    with pytest.raises(InputError) as error:
        find_plan(plan)
    for said in ("'a b' cannot name files", "unknown manoeuvre 'brakin'", "'repeats' is 0", "'name' is missing"):
        assert said in str(error.value)


def test_the_ready_made_plan_has_the_six_cases() -> None:
    driven = {test.manoeuvre.name for test in find_plan("case_study").tests}
    assert {
        "standstill_steering",
        "coast_down",
        "braking",
        "ramp_steer",
        "step_steer",
        "single_sine",
        "slalom",
    } <= driven


def test_the_ready_made_plan_has_all_cases_and_groups_and_is_read_as_it_is_written(tmp_path: Path) -> None:
    plan = find_plan("case_study")
    assert {test.case for test in plan.tests} >= set(CASES)
    assert {test.group for test in plan.tests} == set(Group)
    assert any(test.initialisation for test in plan.tests)
    assert any(test.warm_up for test in plan.tests)
    plan.write(tmp_path / "plan.toml", tmp_path / "sensors.toml")
    again = find_plan(tmp_path / "plan.toml")
    assert (again.tests, again.imu, again.outer_mass) == (plan.tests, plan.imu, plan.outer_mass)
    assert (again.name, again.seed, again.format) == (plan.name, plan.seed, plan.format)
    assert dict(again.sensors) == dict(plan.sensors)


def test_a_case_that_there_is_not_is_refused(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text('[[tests]]\nname = "a"\nmanoeuvre = "braking"\ncase = 7\n')
    with pytest.raises(InputError, match="'case' is 7"):
        find_plan(plan)


def test_mdf_and_text_say_the_same(tmp_path: Path) -> None:
    pytest.importorskip("asammdf")
    samples = {
        c: s for c, s in Campaign(case_study(), 1).measure(truth()).items() if c in ("ay_mps2", "vx_mps", "throttle")
    }
    runs = []
    for suffix in ("mf4", "csv"):
        write_recording(samples, tmp_path / f"log.{suffix}")
        entries = {c: Entry(c, *logger_channel(c)) for c in samples}
        runs.append(prepare(open_recording(tmp_path / f"log.{suffix}"), ChannelMap(entries)).run)
    for column in samples:
        assert runs[0][column] == pytest.approx(runs[1][column], rel=1e-5, abs=1e-5)


# Faults -----------------------------------------------------------------------------------------------------

Change = Callable[[dict[str, tuple[str, Samples]]], None]


def scaled(factor: float, *columns: str) -> Change:
    def change(found: dict[str, tuple[str, Samples]]) -> None:
        for column in columns:
            unit, samples = found[column]
            found[column] = unit, Samples(samples.time, factor * samples.values)

    return change


def swapped(*pairs: tuple[str, str]) -> Change:
    def change(found: dict[str, tuple[str, Samples]]) -> None:
        for a, b in pairs:
            found[a], found[b] = found[b], found[a]

    return change


def drifting(column: str, rate: float) -> Change:
    def change(found: dict[str, tuple[str, Samples]]) -> None:
        unit, samples = found[column]
        found[column] = unit, Samples(samples.time, samples.values + rate * samples.time)

    return change


def between(column: str, start: float, end: float, value: float | None) -> Change:
    """Stuck at a value, or at the last one where there is none."""

    def change(found: dict[str, tuple[str, Samples]]) -> None:
        unit, (time, values) = found[column]
        inside = (time >= start) & (time <= end)
        held = values[np.argmax(inside)] if value is None else value
        found[column] = unit, Samples(time, np.where(inside, held, values))

    return change


def clipped(column: str, limit: float) -> Change:
    def change(found: dict[str, tuple[str, Samples]]) -> None:
        unit, samples = found[column]
        found[column] = unit, Samples(samples.time, np.minimum(samples.values, limit))

    return change


def cut(column: str, start: float, end: float) -> Change:
    def change(found: dict[str, tuple[str, Samples]]) -> None:
        unit, (time, values) = found[column]
        kept = (time < start) | (time > end)
        found[column] = unit, Samples(time[kept], values[kept])

    return change


def backward(column: str) -> Change:
    def change(found: dict[str, tuple[str, Samples]]) -> None:
        unit, (time, values) = found[column]
        mixed = time.copy()
        mixed[100:] -= 0.2
        found[column] = unit, Samples(mixed, values)

    return change


@cache
def sound() -> Recording:
    return recorded(1.0)


def planted(change: Change) -> Prepared:
    found = channels(sound())
    change(found)
    recording = recording_of(Path("planted.mf4"), found)
    return prepare(recording, ChannelMap.of_columns(recording), case_study(), refuse=False)


ERRORS = {
    "km/h as m/s": (scaled(3.6, "vx_mps"), Fault.UNIT, ("vx_mps",)),
    "degrees as radians": (scaled(57.2958, "yaw_rate_radps"), Fault.UNIT, ("yaw_rate_radps",)),
    "steering in degrees": (scaled(57.2958, "steering_wheel_angle_rad"), Fault.UNIT, ("steering_wheel_angle_rad",)),
    "g as m/s²": (scaled(1 / 9.80665, "ay_mps2"), Fault.UNIT, ("ay_mps2",)),
    "roll in degrees": (scaled(57.2958, "roll_rad"), Fault.UNIT, ("roll_rad",)),
    "one load in kN": (scaled(1e-3, "Fz_rl_N"), Fault.UNIT, ("Fz_rl_N",)),
    "wheels in rpm": (
        scaled(9.5493, *(f"wheel_speed_{corner}_radps" for corner in Corner)),
        Fault.UNIT,
        tuple(f"wheel_speed_{corner}_radps" for corner in Corner),
    ),
    "ay turned": (scaled(-1.0, "ay_mps2"), Fault.SIGN, ("ay_mps2",)),
    "yaw rate turned": (scaled(-1.0, "yaw_rate_radps"), Fault.SIGN, ("yaw_rate_radps",)),
    "steering turned": (scaled(-1.0, "steering_wheel_angle_rad"), Fault.SIGN, ("steering_wheel_angle_rad",)),
    "loads left and right": (
        swapped(("Fz_fl_N", "Fz_fr_N"), ("Fz_rl_N", "Fz_rr_N")),
        Fault.SWAPPED,
        ("Fz_fl_N", "Fz_fr_N", "Fz_rl_N", "Fz_rr_N"),
    ),
    "loads front and rear": (
        swapped(("Fz_fl_N", "Fz_rl_N"), ("Fz_fr_N", "Fz_rr_N")),
        Fault.SWAPPED,
        ("Fz_fl_N", "Fz_fr_N", "Fz_rl_N", "Fz_rr_N"),
    ),
    "wheel speeds left and right": (
        swapped(("wheel_speed_rl_radps", "wheel_speed_rr_radps")),
        Fault.SWAPPED,
        ("wheel_speed_rl_radps", "wheel_speed_rr_radps"),
    ),
}


def test_a_sound_recording_has_no_findings() -> None:
    assert planted(lambda found: None).findings == ()


@pytest.mark.parametrize("name", ERRORS)
def test_a_planted_fault_is_named_and_refused(name: str) -> None:
    change, fault, columns = ERRORS[name]
    done = planted(change)
    assert [finding.fault for finding in done.findings] == [fault]
    assert set(columns) <= set(done.findings[0].columns)
    if fault is not Fault.SWAPPED:
        assert set(done.findings[0].columns) == set(columns)
    assert done.findings[0].problem().severity == "error"


def test_errors_are_refused_with_channel_and_remedy() -> None:
    found = channels(sound())
    scaled(3.6, "vx_mps")(found)
    found["Speed"] = found.pop("vx_mps")
    recording = recording_of(Path("log.mf4"), found)
    given = ChannelMap.of_columns(recording)
    entries = {**given.entries, "vx_mps": Entry("vx_mps", "Speed", "m/s")}
    with pytest.raises(InputError, match=r"'Speed' \(vx_mps\): km/h taken for m/s .* \(state the unit in the map\)"):
        prepare(recording, replace(given, entries=entries), case_study())
    mended = {**entries, "vx_mps": Entry("vx_mps", "Speed", "km/h")}
    assert not prepare(recording, replace(given, entries=mended), case_study()).findings


@pytest.mark.parametrize(
    ("change", "column", "fault", "start", "end"),
    [
        (between("ay_mps2", 2.0, 4.5, None), "ay_mps2", Fault.STUCK, 2.0, 4.5),
        (between("wheel_speed_fl_radps", 5.5, 8.0, 0.0), "wheel_speed_fl_radps", Fault.STUCK, 5.5, 8.0),
        (clipped("ay_mps2", 2.0), "ay_mps2", Fault.CLIPPED, None, None),
        (clipped("Fz_fr_N", 4500.0), "Fz_fr_N", Fault.CLIPPED, None, None),
        (cut("yaw_rate_radps", 3.0, 3.4), "yaw_rate_radps", Fault.GAP, 3.0, 3.4),
        (drifting("ay_mps2", 0.12), "ay_mps2", Fault.DRIFT, None, None),
        (drifting("Fz_fl_N", 90.0), "Fz_fl_N", Fault.DRIFT, None, None),
    ],
    ids=["stuck", "dead", "clipped", "clipped load", "gap", "drift", "drift of a load"],
)
def test_a_planted_fault_is_flagged_where_it_is(
    change: Change, column: str, fault: Fault, start: float | None, end: float | None
) -> None:
    done = planted(change)
    assert {finding.fault for finding in done.findings} == {fault}
    assert all(column in finding.columns for finding in done.findings)
    if start is not None:
        assert (done.findings[0].start, done.findings[0].end) == pytest.approx((start, end), abs=0.03)
    if fault in (Fault.STUCK, Fault.CLIPPED, Fault.GAP):
        inside = (done.run.time > done.findings[0].start + 0.01) & (done.run.time < done.findings[0].end - 0.01)
        assert np.isnan(done.run[column][inside]).all()


def test_time_that_runs_back_is_refused() -> None:
    (finding,) = planted(backward("ay_mps2")).findings
    assert finding.fault is Fault.TIME
    assert "'ay_mps2' (ay_mps2), sample 100: time must increase" in finding.text


def test_a_missing_channel_and_a_missing_unit_are_named_together() -> None:
    found = channels(recorded(0.0))
    found["vx_mps"] = ("", found["vx_mps"][1])
    recording = recording_of(Path("log.csv"), found)
    given = ChannelMap.of_columns(recording)
    oil, wrong = Entry("oil_temperature_K", "T_oil"), Entry("az_mps2", "ay_mp")
    entries = {**given.entries, oil.column: oil, wrong.column: wrong}
    with pytest.raises(InputError) as error:
        prepare(recording, replace(given, entries=entries))
    for said in ("'T_oil' (oil_temperature_K) is missing", "did you mean 'ay_mps2'", "'vx_mps' (vx_mps) has no unit"):
        assert said in str(error.value)


def test_a_map_is_read_as_written_and_its_faults_are_named(tmp_path: Path) -> None:
    geometry = Geometry(2.7, 1.1, 1.5, 1.6)
    entries = {"ay_mps2": Entry("ay_mps2", "Acc Y", "g", -1.0, 0.1, None, 20.0), "gear": Entry("gear", "Gear")}
    given = ChannelMap(entries, "t", 0.01, IMU, 20.0, geometry)
    given.write(tmp_path / "map.toml")
    assert ChannelMap.read(tmp_path / "map.toml") == given
    (tmp_path / "wrong.toml").write_text(
        '[channels]\nspeed = { channel = "v" }\nvx_mps = { chanel = "v" }\nax_mps2 = { channel = "a", sign = 2 }\n'
        '"Fz_{corner}_N" = { channel = "F {wheel}" }\n'
    )
    with pytest.raises(InputError) as error:
        ChannelMap.read(tmp_path / "wrong.toml")
    for said in ("'speed'", "unknown key 'chanel'", "'sign' is 2", "'F {wheel}' is not a pattern"):
        assert said in str(error.value)


def test_a_pattern_of_corners_stands_for_four_channels(tmp_path: Path) -> None:
    (tmp_path / "map.toml").write_text('[channels]\n"Fz_{corner}_N" = { channel = "Fz {CORNER}", delay = "63 ms" }\n')
    entries = ChannelMap.read(tmp_path / "map.toml").entries
    assert [entry.channel for entry in entries.values()] == ["Fz FL", "Fz FR", "Fz RL", "Fz RR"]
    assert entries["Fz_rr_N"].delay == pytest.approx(0.063)


def test_noise_at_the_ends_of_a_straight_run_is_no_fault() -> None:
    """A filter shows the first and the last sample as they are; both sides of a law may be noise alone."""
    time = np.arange(0.0, 10.0, 0.005)
    for seed in range(20):
        random = np.random.default_rng(seed)
        columns = {
            "time_s": time,
            "vx_mps": np.full(time.size, 11.0),
            "yaw_rate_radps": 0.0009 * random.standard_normal(time.size),
            "yaw_acceleration_radps2": 0.1 * random.standard_normal(time.size),
        }
        columns["yaw_acceleration_radps2"][0] = 0.4
        assert not [f for f in find_relation_faults(Run(columns), {}) if f.severity is Severity.ERROR]


def test_a_heading_goes_on_over_full_turns() -> None:
    time = np.arange(0.0, 20.0, 0.05)
    yaw = 0.8 * time
    wrapped = (yaw + np.pi) % (2.0 * np.pi) - np.pi
    recording = recording_of(
        Path("turns"),
        {"yaw_rad": ("rad", Samples(time, wrapped)), "vx_mps": ("m/s", Samples(time, np.full(time.size, 5.0)))},
    )
    done = prepare(recording)
    assert done.run["yaw_rad"] == pytest.approx(0.8 * done.run.time, abs=1e-9)
    assert any("goes on over full turns" in step.text for step in done.record)


def test_numbers_that_no_sensor_shows_are_left_out_and_named() -> None:
    time = np.arange(0.0, 5.0, 0.05)
    speed = 20.0 + np.sin(time)
    speed[[30, 31]] = 1e300, np.inf
    done = prepare(recording_of(Path("wild"), {"vx_mps": ("m/s", Samples(time, speed))}))
    assert [f.text for f in done.findings if "has 2 samples that no sensor shows" in f.text]
    assert np.nanmax(done.run["vx_mps"]) < 21.01
