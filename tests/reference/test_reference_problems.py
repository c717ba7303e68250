"""What is wrong with a folder is said at once, all of it, with the place and both values."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import small_vehicle

from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.errors import InputError, MissingFileError, Severity
from trackrod.core.series import Run
from trackrod.core.signals import Signal
from trackrod.metrics.indices import INDEX_SETS
from trackrod.reference import Reference, read_reference
from trackrod.reference.runs import NEEDED, at_point

Array = np.ndarray


def complaints(folder: Path) -> str:
    with pytest.raises(InputError) as error:
        read_reference(folder)
    return str(error.value)


def with_run(folder: Path, run: Run) -> Path:
    return small_vehicle.write_small(folder, run)


def changed(signal: Signal, change: Callable[[Array], Array]) -> Run:
    run = small_vehicle.turning_run()
    return Run({**run, signal.column: change(run[signal])})


def without(*chosen: Signal) -> Run:
    run = small_vehicle.turning_run()
    return Run({column: values for column, values in run.items() if column not in {s.column for s in chosen}})


def edit(folder: Path, old: str, new: str) -> Path:
    small_vehicle.write_small(folder)
    path = folder / "reference.toml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    return folder


def test_a_sound_folder_has_no_warning(tmp_path: Path) -> None:
    reference = read_reference(small_vehicle.write_small(tmp_path))
    assert [str(p) for p in reference.problems if p.severity is not Severity.NOTE] == []


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"reference\.toml"):
        read_reference(tmp_path)
    with pytest.raises(MissingFileError):
        read_reference(tmp_path / "nowhere")


# ---- runs


@pytest.mark.parametrize(
    ("signal", "change", "said"),
    [
        (signals.YAW_RATE, np.degrees, "'yaw_rate' is 57.3 times what the derivative of 'yaw' gives: 11.4"),
        (signals.YAW_RATE, np.negative, "'yaw_rate' is -1 times what the derivative of 'yaw' gives"),
        (signals.SIDESLIP, np.degrees, "'sideslip' is 57.3 times what 'vy'/'vx' gives"),
        (signals.STEERING_WHEEL_ANGLE, lambda x: 100 * np.degrees(x), "is the unit 'deg'?"),
        (signals.STEERING_WHEEL_ANGLE, np.negative, "steered to one side, it turns to the other: "),
        (signals.ROLL, np.negative, "the body leans into the turn"),
        (signals.ROLL, np.degrees, "'roll' reaches 2.29"),
        (
            signals.THROTTLE,
            lambda x: 100 * x,
            "'throttle' reaches 20, more than 1.001 is not possible (is the unit '%'?)",
        ),
        (signals.VX, lambda x: 3.6 * 2 * x, "'vx' reaches 144 m/s"),
    ],
)
def test_units_and_signs(tmp_path: Path, signal: Signal, change: Callable[[Array], Array], said: str) -> None:
    assert said in complaints(with_run(tmp_path, changed(signal, change)))


def test_a_yaw_rate_in_degrees_is_seen_without_the_yaw_angle(tmp_path: Path) -> None:
    run = without(signals.YAW, signals.VY)
    run = Run({**run, signals.YAW_RATE.column: np.degrees(run[signals.YAW_RATE])})
    said = complaints(with_run(tmp_path, run))
    assert "'ay'/'vx'" in said
    assert "degrees where radians are expected" in said


def test_loads_in_kilonewtons_and_exchanged_sides(tmp_path: Path) -> None:
    run = small_vehicle.turning_run()
    small = Run({**run, **{signals.FZ[c].column: 1e-3 * run[signals.FZ[c]] for c in Corner}})
    assert "the wheel loads add up to 14.71 N on average, the masses weigh 14710 N" in complaints(
        with_run(tmp_path, small)
    )
    crossed = Run({**run, **{signals.FZ[c].column: run[signals.FZ[c.opposite]] for c in Corner}})
    assert "are left and right 'Fz' exchanged?" in complaints(with_run(tmp_path, crossed))


def test_missing_channels_are_named_with_what_they_are_for(tmp_path: Path) -> None:
    said = complaints(with_run(tmp_path, without(signals.ROLL, signals.AY)))
    for name in ("roll", "ay"):
        assert f"sine.csv: error: the channel '{name}'" in said
    assert "it is needed for an index of 'single_sine'" in said


def test_the_sideslip_angle_follows_from_velocities(tmp_path: Path) -> None:
    reference = read_reference(with_run(tmp_path, without(signals.SIDESLIP)))
    expected = small_vehicle.turning_run()[signals.SIDESLIP]
    assert np.allclose(reference.runs["sine"].run[signals.SIDESLIP], expected, atol=1e-15)


def test_pedals_need_pedals_and_something_that_drives(tmp_path: Path) -> None:
    with_run(tmp_path, without(signals.THROTTLE, signals.BRAKE))
    path = tmp_path / "reference.toml"
    path.write_text(path.read_text().replace('"hold_speed"', '"pedals"'))
    said = complaints(tmp_path)
    assert "'throttle'" in said
    assert 'longitudinal = "pedals"' in said
    start = path.read_text().index("[powertrain]")
    end = path.read_text().index("\n[tyres")
    path.write_text(path.read_text()[:start] + path.read_text()[end:])
    reference = read_reference(tmp_path)
    assert any("something that only keeps a speed stands in" in problem.text for problem in reference.problems)
    assert reference.without_meaning == ("engine_factor",)
    path.write_text(path.read_text().replace('"single_sine"', '"acceleration"'))
    assert "[powertrain] is missing: 'sine' accelerates" in complaints(tmp_path)


def uneven(share: float) -> Run:
    run = small_vehicle.turning_run()
    time = run.time + share * 0.01 * (np.arange(run.time.size) % 2)
    at = {column: np.interp(time, run.time, values) for column, values in run.items()}
    return Run({**at, signals.TIME.column: time})


def test_uneven_samples_are_resampled_or_refused(tmp_path: Path) -> None:
    reference = read_reference(with_run(tmp_path / "a", uneven(0.2)))
    assert any("resampled onto steps of" in problem.text for problem in reference.problems)
    run = reference.runs["sine"].run
    assert np.ptp(np.diff(run.time)) < 1e-9
    expected = 0.5 * np.sin(np.pi * run.time)
    assert np.abs(run[signals.STEERING_WHEEL_ANGLE] - expected)[:-1].max() < 1e-3
    whole = small_vehicle.turning_run()
    kept = np.flatnonzero((whole.time < 2.0) | (whole.time > 2.5))
    gap = Run({column: values[kept] for column, values in whole.items()})
    said = complaints(with_run(tmp_path / "b", gap))
    assert "sampling is too uneven, 0.52 s at t = 1.99 s where 0.01 s is usual" in said


def holes(count: int) -> Run:
    def punch(values: Array) -> Array:
        values = values.copy()
        values[100 : 100 + count] = np.nan
        return values

    return changed(signals.AY, punch)


def test_short_gaps_are_bridged_long_ones_refused(tmp_path: Path) -> None:
    reference = read_reference(with_run(tmp_path / "a", holes(3)))
    assert any("3 missing samples of 'ay' were bridged" in p.text for p in reference.problems)
    assert np.isfinite(reference.runs["sine"].run[signals.AY]).all()
    said = complaints(with_run(tmp_path / "b", holes(4)))
    assert "'ay' lacks 4 samples, 4 in a row from t = 1 s on; gaps up to 3 samples and 0.05 s are bridged" in said


def test_a_part_of_a_recording(tmp_path: Path) -> None:
    edit(tmp_path, 'manoeuvre = "single_sine"', 'manoeuvre = "single_sine"\nstart = 1.0\nend = "3500 ms"')
    run = read_reference(tmp_path).runs["sine"].run
    assert (run.time[0], run.time[-1]) == (1.0, 3.5)
    text = (tmp_path / "reference.toml").read_text()
    (tmp_path / "reference.toml").write_text(text.replace("start = 1.0", "start = 9.0"))
    assert "no sample lies from 9.0 to 3.5 s" in complaints(tmp_path)


def test_time_must_increase(tmp_path: Path) -> None:
    small_vehicle.write_small(tmp_path)
    path = tmp_path / "runs" / "sine.csv"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:50], lines[40], *lines[50:]]) + "\n")
    assert "sine.csv:51: error: run 'sine': time must increase" in complaints(tmp_path)


def test_another_point_of_the_body() -> None:
    """A turn about the vertical axis: v and a of a point are those of a rigid body."""
    time = np.linspace(0.0, 2.0, 401)
    rate = 0.3 * np.sin(2.0 * time)
    zero = np.zeros(time.size)
    run = Run(
        {
            "time_s": time,
            "vx_mps": zero + 20.0,
            "vy_mps": zero,
            "ax_mps2": zero,
            "ay_mps2": 20.0 * rate,
            "yaw_rate_radps": rate,
        }
    )
    moved = at_point(run, np.array([1.5, 0.4, 0.0]))
    acceleration = 0.6 * np.cos(2.0 * time)
    assert np.allclose(moved["vy_mps"], 1.5 * rate)
    assert np.allclose(moved["vx_mps"], 20.0 - 0.4 * rate)
    inner = slice(2, -2)
    assert np.allclose(moved["ay_mps2"][inner], (20.0 * rate + 1.5 * acceleration - 0.4 * rate**2)[inner], atol=1e-4)
    assert np.allclose(moved["ax_mps2"][inner], (-0.4 * acceleration - 1.5 * rate**2)[inner], atol=1e-4)
    assert np.allclose(moved["sideslip_rad"], np.arctan2(moved["vy_mps"], moved["vx_mps"]))


def test_every_manoeuvre_with_indices_has_its_needs() -> None:
    no_road = {"four_post", "random_road", "bump", "pothole", "kerb", "follow_road"}  # folders hold none
    without_a_road = set(INDEX_SETS) - {*no_road, "standstill_steering"}
    assert set(NEEDED) == without_a_road


# ---- the TOML file


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("road_height", "road_hight", "unknown key 'road_hight' (did you mean 'road_height'"),
        ('of = "sprung"', 'of = "spring"', "unknown word for 'of' 'spring' (did you mean 'sprung'?)"),
        ("Ixx = 500.0\n", "", "[masses.inertia]: 'Ixx' is missing: moment of inertia [kg·m²]"),
        ("Ixx = 500.0\n", "Ixx = 50000.0\n", "no body has the sprung inertia that is left"),
        ("ratio = -0.008", "ratio = 0.0", "the wheels would not be steered"),
        ("ratio = -0.008", "ratio = 0.008", "the steering wheel steers the front wheels to the right"),
        ("ratio = -0.008", 'ratio = "-8 mm"', "'mm' is not a unit of rack travel over angle; 'm/rad' is needed"),
        ('manoeuvre = "single_sine"', 'manoeuvre = "single_sin"', "did you mean 'single_sine'"),
        ("tyres/car.tir", "tyres/cart.tir", "'tyres/cart.tir': the file does not exist: tyre property file"),
        ('tyres = ["car"]', 'tyres = ["cat"]', "there is no [tyres.cat] (there are car)"),
        ("[brakes]\nfront = 3000.0", "[brakes]\nfront = -1.0", "'front' is -1 N·m; from 0 to 1e+09 is possible"),
        ("ratios = [3.5, 2.0, 1.2]", "ratios = [1.2, 2.0, 3.5]", "must fall from gear to gear"),
        ("velocity = [-1.0, 0.0, 1.0]", "velocity = [-1.0, 0.0, 0.0]", "'velocity' must increase"),
        ("[kc.front.parallel]", "[kc.front.parralel]", "[kc.front.parallel] is missing: it gives springs"),
        ("centre = [0.0, 0.75, 0.3]", "centre = [0.0, -0.75, 0.3]", "to the right of the right one"),
        (
            "mass = 1320.0",
            "mass = 1320.0\naxle_loads = { front = 7000.0, rear = 7000.0 }",
            "the front axle load is given as 7000 N, masses and centres give 8",
        ),
        ("[air]", "[air", "the file is not TOML"),
    ],
)
def test_the_toml_file(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert said in complaints(edit(tmp_path, old, new))


def test_all_problems_come_at_once(tmp_path: Path) -> None:
    run = changed(signals.YAW_RATE, np.degrees)
    with_run(tmp_path, run)
    path = tmp_path / "reference.toml"
    text = (
        path.read_text()
        .replace("road_height", "road_hight")
        .replace("Ixx = 500.0\n", "")
        .replace("front_fx_left", "gone")
    )
    path.write_text(text)
    said = complaints(tmp_path)
    for part in ("road_hight", "'Ixx' is missing", "gone.csv", "'yaw_rate' is 57.3 times"):
        assert part in said
    line = next(n for n, content in enumerate(text.splitlines(), 1) if content.startswith("road_hight"))
    assert f"reference.toml:{line}: error" in said


def test_adams_axes_turn_points_and_tensors(tmp_path: Path) -> None:
    before: Reference = read_reference(small_vehicle.write_small(tmp_path / "a"))
    folder = tmp_path / "b"
    small_vehicle.write_small(folder)
    path = folder / "reference.toml"
    text = path.read_text()
    for old, new in (
        ('name = "small"', 'name = "small"\naxes = "adams"'),
        ("centre = [0.0, 0.75, 0.3]", 'centre = ["0 mm", "-750 mm", "300 mm"]'),
        ("centre_right = [0.0, -0.75, 0.3]", "centre_right = [0.0, 0.75, 0.3]"),
        ("centre = [-2.7, 0.75, 0.3]", "centre = [2.7, -0.75, 0.3]"),
        ("centre_right = [-2.7, -0.75, 0.3]", "centre_right = [2.7, 0.75, 0.3]"),
        ("centre = [-1.2, 0.01, 0.55]", "centre = [1.2, -0.01, 0.55]"),
        ("Ixz = 30.0", "Ixz = -30.0"),
        ("Iyz = -2.0", "Iyz = 2.0"),
    ):
        assert old in text, old
        text = text.replace(old, new, 1)
    path.write_text(text)
    after = read_reference(folder)
    one, other = before.conversion.spec.parameters, after.conversion.spec.parameters
    assert {k: (v, other[k]) for k, v in one.items() if abs(v - other[k]) > 1e-12} == {}
    assert after.data.centres == before.data.centres


def test_a_channel_whose_squares_vanish(tmp_path: Path) -> None:
    """Of numbers as small as 1e-200 nothing can be said about units; the other checks go on."""
    read = read_reference(with_run(tmp_path, changed(signals.SIDESLIP, lambda values: 1e-200 * values)))
    assert not any("sideslip" in problem.text for problem in read.problems)
