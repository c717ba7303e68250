"""Models in step with the clock: the loop drives as without it, and a client is listened to, dropped, missed."""

from __future__ import annotations

import importlib.util
import socket
import struct
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from asymmetric_vehicles import converted
from asymmetric_vehicles import vehicle as vehicle_by_name
from trackrod import _core
from trackrod.core.errors import ConvergenceError, InputError
from trackrod.core.signals import SIGNALS
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.multibody.steering import SteeringModel
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.simulate.realtime import Timing, in_step, multibody_in_step, rtm_in_step

CAR, STEP = "double_wishbone_car", 1e-3
NOTHING = np.zeros((0, 4))
EXAMPLE = Path(__file__).parents[2] / "examples" / "drive_by_udp.py"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the runner needs the clock of Linux")


def client() -> ModuleType:
    """The example."""
    spec = importlib.util.spec_from_file_location("drive_by_udp", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def multibody(speed: float) -> _core.RealTimeRun:
    return multibody_in_step(vehicle_by_name(CAR), speed, steering=SteeringModel.RATIO)


def script(steps: int) -> np.ndarray:
    k = np.arange(steps)
    return np.ascontiguousarray(np.column_stack((0.3 * np.sin(0.02 * k), 0.2 + 0.0 * k, 0.0 * k, 0.0 * k)))


def test_both_models_run_in_step_as_without_a_clock() -> None:
    """No time is looked at: a busy machine may be late."""
    rows = script(50)
    model = MultibodyVehicle(vehicle_by_name(CAR), step=STEP)
    model.settle()
    model.start(15.0)
    rtm = RealTimeVehicle(converted("lcv_7t").spec, step=STEP)
    for ready, driven in ((multibody(15.0), model), (rtm_in_step(rtm, 15.0), rtm)):
        timing = in_step(ready, STEP, 0.05, rows)
        assert timing.turnaround.size == timing.lateness.size == 50
        expected = driven.advance(*rows.T)
        told = dict(zip(SIGNALS, ready.signals(), strict=True))
        for column in ("x_m", "vx_mps", "yaw_rate_radps", "ay_mps2", "Fz_rl_N", "steer_fl_rad", "engine_speed_radps"):
            assert told[column] == pytest.approx(expected[column][-1], rel=1e-12, abs=1e-12), column


def test_long_steps_have_the_iterations_of_the_model() -> None:
    model = MultibodyVehicle(vehicle_by_name(CAR), step=2e-3)
    model.settle()
    model.start(15.0)
    rows, ready = script(20), multibody(15.0)
    in_step(ready, 2e-3, 0.04, rows)
    told = dict(zip(SIGNALS, ready.signals(), strict=True))
    assert told["yaw_rate_radps"] == pytest.approx(model.advance(*rows.T)["yaw_rate_radps"][-1], rel=1e-12)


def test_a_run_that_cannot_go_on_is_no_result() -> None:
    """Steps of 50 ms while the wheel is thrown over have no solution."""
    thrown = np.tile((5.0, 0.0, 0.0, 0.0), (20, 1))
    with pytest.raises(ConvergenceError, match=r"the step after .* s of 1 s has no solution"):
        in_step(multibody(30.0), 0.05, 1.0, thrown)


def test_a_script_begins_again_from_the_start() -> None:
    once, twice = multibody(15.0), multibody(15.0)
    in_step(once, STEP, 0.02, script(20))
    in_step(twice, STEP, 0.04, script(20))
    assert np.array_equal(once.signals(), twice.signals())


def test_a_client_drives() -> None:
    """The example, step by step: a datagram, a step, the answer."""
    talks = client()
    ready = multibody(10.0)
    port = ready.listen(0, 0.5)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        line.settimeout(10.0)
        line.connect(("127.0.0.1", port))
        for number in range(1, 101):
            line.send(talks.REQUEST.pack(b"TRKI", 1, 0, number, 0, 0.5, 0.3, 0.0, 0.0))
            assert ready.step(STEP)
            head = talks.HEAD.unpack_from(answer := line.recv(65536))
            assert head[:5] == (b"TRKO", 1, len(SIGNALS), number, number)
        told = struct.unpack_from(f"<{len(SIGNALS)}d", answer, talks.HEAD.size)
        assert told[talks.YAW_RATE] > 0.0  # to the left
        assert ready.heard() == (100, 0, 0, False)


def test_what_is_malformed_or_late_is_dropped_and_counted() -> None:
    request = client().REQUEST
    ready = multibody(10.0)
    port = ready.listen(0, 0.5)
    good = [b"TRKI", 1, 0, 7, 0, 0.1, 0.0, 0.0, 0.0]

    def changed(place: int, value: object) -> bytes:
        return bytes(request.pack(*good[:place], value, *good[place + 1 :]))

    bad = [b"", b"hello", changed(0, b"NOPE"), changed(1, 9), changed(5, float("nan")), changed(6, 2.0)]
    bad += [changed(7, -0.1), changed(8, 1.5), bytes(request.pack(*good)) + b"x", b"x" * 5000]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        line.connect(("127.0.0.1", port))
        for datagram in (*bad, request.pack(*good), request.pack(*good), changed(3, 6)):
            line.send(datagram)
        ready.step(STEP)
    assert ready.heard() == (1, len(bad), 2, False)


def test_a_silent_client_is_noticed_and_the_vehicle_stops() -> None:
    request = client().REQUEST
    rtm = RealTimeVehicle(converted("lcv_7t").spec, step=STEP)
    ready = rtm_in_step(rtm, 5.0)
    port = ready.listen(0, 0.1)
    assert ready.heard()[3]  # nobody has spoken yet
    speed = list(SIGNALS).index("vx_mps")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        line.connect(("127.0.0.1", port))
        line.send(request.pack(b"TRKI", 1, 0, 1, 0, 0.2, 0.5, 0.0, 0.0))
        for _ in range(99):
            ready.step(STEP)
        assert not ready.heard()[3]
        for _ in range(10):
            ready.step(STEP)
        assert ready.heard()[3]
        for _ in range(6000):
            ready.step(STEP)
        assert abs(ready.signals()[speed]) < 0.05
        line.send(request.pack(b"TRKI", 1, 0, 2, 0, 0.0, 0.0, 0.0, 0.0))  # it may come back
        ready.step(STEP)
        assert not ready.heard()[3]


def test_timing_tells_what_was_measured() -> None:
    turnaround = np.full(1000, 2e-4)
    turnaround[[3, 500, 600]] = 1.5e-3, 0.9e-3, 1.2e-3
    lateness = np.zeros(1000)
    lateness[500] = 2e-4
    timing = Timing(1e-3, turnaround, lateness, False, False)
    assert timing.overruns == 2  # the fourth step does not count, the 501st began late
    assert timing.percentiles[50.0] == pytest.approx(2e-4)
    data = timing.as_data()
    assert data["worst_s"] == pytest.approx(1.5e-3)
    assert sum(count for _, count in data["histogram"]) == 1000  # type: ignore[union-attr, misc]
    assert len(timing.figure("title").panels) == 2


def test_what_cannot_be_is_refused() -> None:
    ready = multibody(10.0)
    with pytest.raises(InputError, match="at least one is run"):
        in_step(ready, 0.0, 1.0, NOTHING)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        with pytest.raises(ValueError, match="cannot be opened"):
            ready.listen(taken.getsockname()[1], 0.5)
