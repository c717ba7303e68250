"""What a folder may leave out or say in its own way: dampers, powertrain, gears, a variable ratio, body rates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import small_vehicle

from trackrod.core import signals
from trackrod.core.corners import Axle, Corner
from trackrod.core.errors import InputError, Severity
from trackrod.core.series import Run
from trackrod.reference import Longitudinal, Reference, ReferenceRun, Replay, read_reference
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.simulate.drive import simulate
from trackrod.simulate.script import scripted


def folder_with(folder: Path, *changes: tuple[str, str], run: Run | None = None) -> Path:
    small_vehicle.write_small(folder, run)
    path = folder / "reference.toml"
    text = path.read_text()
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    path.write_text(text)
    return folder


def warnings(reference: Reference) -> str:
    return "\n".join(problem.text for problem in reference.problems if problem.severity is Severity.WARNING)


def section_of(text: str, head: str) -> str:
    """A table of the file with its header, to the next one."""
    begin = text.index(head)
    return text[begin : text.index("\n[", begin + 1)]


def test_a_steady_turn_has_a_pitch_rate_about_the_body(tmp_path: Path) -> None:
    """ψ̇ sin φ, which is no derivative of the pitch angle; in degrees it is still found out."""
    run = small_vehicle.turning_run()
    roll = 5.0 * run[signals.ROLL]
    of_yaw = run[signals.YAW_RATE] * np.sin(roll)
    rate = 0.006 * np.cos(11.0 * run.time) - 0.4 * of_yaw
    pitch = np.concatenate(([0.0], np.cumsum(0.5 * np.diff(run.time) * (rate[1:] + rate[:-1]))))
    about_body = np.gradient(pitch, run.time) * np.cos(roll) + of_yaw
    columns = {signals.ROLL.column: roll, signals.PITCH.column: pitch, signals.PITCH_RATE.column: about_body}
    read_reference(small_vehicle.write_small(tmp_path, Run({**run, **columns})))
    columns[signals.PITCH_RATE.column] = np.degrees(about_body)
    with pytest.raises(InputError, match=r"'pitch_rate' is 57.* degrees where radians are expected"):
        read_reference(small_vehicle.write_small(tmp_path, Run({**run, **columns})))


def test_wheel_loads_are_checked_within_two_percent(tmp_path: Path) -> None:
    run = small_vehicle.turning_run()
    heavier = Run({**run, **{signals.FZ[c].column: 1.03 * run[signals.FZ[c]] for c in Corner}})
    assert "the wheel loads add up to 15151 N on average" in warnings(
        read_reference(small_vehicle.write_small(tmp_path, heavier))
    )
    ahead = {signals.FZ[c].column: run[signals.FZ[c]] + (250.0 if c.axle is Axle.FRONT else -250.0) for c in Corner}
    moved = Run({**run, **ahead, signals.AX.column: np.zeros(run.time.size)})
    assert "the front axle carries" in warnings(read_reference(small_vehicle.write_small(tmp_path, moved)))


def test_dampers_by_a_ratio_and_from_runs(tmp_path: Path) -> None:
    text = (small_vehicle.write_small(tmp_path) / "reference.toml").read_text()
    given = section_of(text, "[dampers.front]")
    reference = read_reference(folder_with(tmp_path, (given, "")))
    assert "[dampers.front]: no curve and no runs that tell it" in warnings(reference)
    curve = reference.conversion.spec.wheels[0].damper
    mass = small_vehicle.axle_load(Axle.FRONT) / small_vehicle.GRAVITY - small_vehicle.UNSPRUNG
    expected = 2 * 0.3 * np.sqrt(25e3 * mass) / 0.8**2  # the damper moves by 0.8 of the wheel
    assert np.interp(0.5, curve.x, curve.y) == pytest.approx(0.5 * expected, rel=1e-3)
    none = read_reference(folder_with(tmp_path, (given, "[dampers.front]\ndamping_ratio = 0\n")))
    assert not none.conversion.spec.wheels[0].damper.x.size
    # a damper of 1.5 kN·s/m in compression and 2.5 in extension, in the files of the run
    run = small_vehicle.turning_run()
    rate = 0.4 * np.cos(2.0 * np.pi * run.time)
    lines = (tmp_path / "runs" / "sine.csv").read_text().splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("time_s"))
    length = 0.5 + 0.4 / (2.0 * np.pi) * np.sin(2.0 * np.pi * run.time)
    lines[head] += "".join(f",L_{c},F_{c}" for c in Corner)
    for k, (x, v) in enumerate(zip(length.tolist(), rate.tolist(), strict=True)):
        lines[head + 1 + k] += f",{x!r},{(2500.0 if v > 0 else 1500.0) * v!r}" * 4
    columns = '[dampers.columns]\nlength = "L_{corner}"\nforce = "F_{corner}"\n'
    folder = folder_with(tmp_path, (given, columns))
    (folder / "runs" / "sine.csv").write_text("\n".join(lines) + "\n")
    told = read_reference(folder)
    curve = told.conversion.spec.wheels[0].damper
    assert np.interp([-0.2, -0.05, 0.0, 0.1, 0.3], curve.x, curve.y) == pytest.approx(
        [-300.0, -75.0, 0.0, 250.0, 750.0], rel=0.05, abs=1.0
    )
    assert "dampers" not in warnings(told)


def test_recorded_gears_are_replayed() -> None:
    run = small_vehicle.turning_run()
    gears = np.where(run.time < 1.0, 2.0, np.where(run.time < 2.0, 3.0, 0.0))
    source = ReferenceRun("single_sine", Run({**run, signals.GEAR.column: gears}), Longitudinal.PEDALS)
    replay = Replay(source=source)
    (phase,) = replay.phases()
    assert phase.gears is not None
    assert phase.gears(np.array([0.5, 0.994, 0.996, 1.5, 2.0, 5.0])).tolist() == [2.0, 2.0, 3.0, 3.0, -1.0, -1.0]
    script = scripted(replay, source.run)
    at = script.lead + np.array([500, 1500, 2500])
    assert script.controls[at, 3].tolist() == [2.0, 3.0, -1.0]


def test_without_a_powertrain_the_recorded_speed_is_followed(tmp_path: Path) -> None:
    run = small_vehicle.turning_run()
    slower = Run({**run, signals.VX.column: 20.0 - 0.5 * run.time})
    text = (small_vehicle.write_small(tmp_path) / "reference.toml").read_text()
    train = text[text.index("[powertrain]") : text.index("\n[tyres")]
    folder = folder_with(tmp_path, (train, ""), ('"hold_speed"', '"speed"'), run=slower)
    reference = read_reference(folder)
    found = simulate(RealTimeVehicle(reference.conversion.spec), Replay(source=reference.runs["sine"]))
    assert np.abs(found[signals.VX] - np.interp(found.time, slower.time, slower[signals.VX])).max() < 0.2


def test_a_variable_ratio_is_in_the_way_the_wheels_turn(tmp_path: Path) -> None:
    """Rack travel −0.008 α − 0.0004 α³: at 1.5 rad the wheels stand where the table has them at that travel."""
    text = (small_vehicle.write_small(tmp_path) / "reference.toml").read_text()
    angles = np.linspace(-4.0, 4.0, 161)
    travels = -0.008 * angles - 0.0004 * angles**3
    given = f"[steering]\nvariable_ratio = {{ angle = {angles.tolist()}, travel = {travels.tolist()} }}\n"
    reference = read_reference(folder_with(tmp_path, (section_of(text, "[steering]"), given)))
    assert reference.conversion.spec.parameters["steering_ratio"] == pytest.approx(-0.008, rel=1e-2)
    kinematics = reference.maps[Axle.FRONT].left.kinematics
    even = reference.conversion.spec.parameters["steering_ratio"] * 1.5
    found = kinematics.value(0.0, even)[kinematics.output_index("rz")]
    assert found == pytest.approx(0.001 - 7.0 * (-0.008 * 1.5 - 0.0004 * 1.5**3), rel=1e-3)
