"""Frames of an animation against the positions that they are made from, and the page as it is written."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trackrod.adams.vehicle import read_vehicle
from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.errors import InputError
from trackrod.core.motion import rotation_matrices
from trackrod.core.series import Run
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.report.animation import FRAME_RATE, animation_frames, write_animation
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.vehicle import Vehicle


@cache
def car() -> Vehicle:
    return read_vehicle(BUNDLED["double_wishbone_car"].assembly).vehicle


@cache
def left_turn() -> tuple[MultibodyVehicle, Run]:
    model = MultibodyVehicle(car())
    model.settle()
    model.start(20.0)
    angle = np.radians(30.0) * np.clip(np.arange(1500) / 400, 0.0, 1.0)
    return model, model.advance(angle, 0.1, 0.0, 0, every=10)


def test_wheels_and_body_are_where_the_model_has_them() -> None:
    model, run = left_turn()
    frames = animation_frames(run, car())
    poses = model.model.core.poses()
    chassis = model.model.index[car().chassis]
    np.testing.assert_allclose(frames.rotation[-1], rotation_matrices(poses[chassis, 3:]), atol=1e-9)
    for wheel in car().wheels:
        body = model.model.index[wheel.body]
        R = rotation_matrices(poses[body, 3:])
        centre = poses[body, :3] + R @ (np.array(wheel.centre) - model.model.centres[body])
        found = frames.wheels[wheel.corner]
        np.testing.assert_allclose(found.centre[-1], centre, atol=0.02)  # along z of the body alone
        np.testing.assert_allclose(found.axis[-1], R @ np.array(wheel.axis), atol=1e-6)


def test_a_left_turn_looks_like_one() -> None:
    _, run = left_turn()
    frames = animation_frames(run, car())
    fl, fr = frames.wheels[Corner.FL], frames.wheels[Corner.FR]
    assert frames.place[-1, 1] > 0
    assert fl.centre[0, 1] > 0 > fr.centre[0, 1]
    assert fr.force[-1, 2] > fl.force[-1, 2] > 0
    heading = frames.rotation[-1][:, 0]
    to_the_left = np.cross((0.0, 0.0, 1.0), heading)
    assert fr.force[-1] @ to_the_left > 0
    assert np.all(np.diff(fl.angle) > 0)
    rolled = fl.angle[-1] * 0.3
    assert rolled == pytest.approx(float(np.linalg.norm(frames.place[-1] - frames.place[0])), rel=0.1)
    assert np.abs(fl.contact[:, 2]).max() < 0.02


@given(yaw=st.floats(-3.0, 3.0), pitch=st.floats(-0.5, 0.5), roll=st.floats(-0.5, 0.5), seconds=st.floats(0.1, 200.0))
@settings(max_examples=20, deadline=None)
def test_frames_are_even_and_rotations_orthogonal(yaw: float, pitch: float, roll: float, seconds: float) -> None:
    time = np.linspace(0.0, seconds, 5)
    values = {signals.YAW: yaw, signals.PITCH: pitch, signals.ROLL: roll, signals.X: 1.0, signals.Y: 2.0}
    run = Run({signals.TIME: time, **{signal: np.full(5, value) for signal, value in values.items()}})
    frames = animation_frames(run, car())
    R = frames.rotation[0]
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(R) == pytest.approx(1.0)
    np.testing.assert_allclose(R @ car().mass_properties.centre + frames.origin[0], frames.place[0], atol=1e-12)
    assert np.ptp(np.diff(frames.time)) < 1e-9
    assert np.diff(frames.time)[0] >= (1 / FRAME_RATE) * 0.9
    for wheel in frames.wheels.values():
        np.testing.assert_allclose(np.linalg.norm(wheel.axis, axis=1), 1.0, atol=1e-12)


def test_the_page_stands_alone_and_holds_the_frames(tmp_path: Path) -> None:
    _, run = left_turn()
    path = tmp_path / "turn.html"
    frames = write_animation(run, car(), path)
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"(src|href)\s*=|https?://|@import|fetch\(", text)
    data = json.loads(re.search(r"const run = (\{.*?\});\n", text)[1])  # type: ignore[index]
    assert len(data["time"]) == len(data["origin"]) == len(data["wheels"][3]["force"]) == len(frames.time)
    assert [reading["label"] for reading in data["readings"]][:2] == ["speed", "lateral acceleration"]
    assert len(text) < 2_000_000


def test_a_name_cannot_break_the_page(tmp_path: Path) -> None:
    _, run = left_turn()
    named = Run(dict(run), {"name": "</title><script>alert(1)</script>"})
    write_animation(named, car(), tmp_path / "a.html")
    assert "<script>alert" not in (tmp_path / "a.html").read_text(encoding="utf-8")


def test_runs_that_cannot_be_drawn_are_refused() -> None:
    time = np.arange(3.0)
    with pytest.raises(InputError, match="the run has no x_m, yaw_rad"):
        animation_frames(Run({signals.TIME: time, signals.Y: time}), car())
    columns = {signals.TIME: time, signals.X: time, signals.Y: time, signals.YAW: np.array([0.0, np.nan, 0.0])}
    with pytest.raises(InputError, match="yaw_rad"):
        animation_frames(Run(columns), car())
