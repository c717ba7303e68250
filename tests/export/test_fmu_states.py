"""States that are kept, written and set again; many instances side by side."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from open_fmus import CAR, VAN, Fmu, RefusedError

from trackrod.export.model_description import FmiVersion

Unzipped = Callable[[str, FmiVersion], Path]


def go_on(fmu: Fmu, count: int = 60) -> np.ndarray:
    """Steering and braking, from wherever it is."""
    rows = []
    for i in range(count):
        fmu.set(driver__steering_wheel_angle=0.4 * np.sin(0.1 * i), driver__brake=0.2 if i > 30 else 0.0)
        fmu.step(2e-3)
        rows.append(fmu.outputs())
    return np.array(rows)


def test_a_kept_state_goes_on_bit_for_bit(car: Fmu) -> None:
    car.start({"initial.speed": 20.0})
    go_on(car)
    state, time = car.keep(), car.time
    written = car.written(state)
    first = go_on(car)
    for again in (state, car.read(written)):
        car.restore(again)
        car.time = time
        assert np.array_equal(go_on(car), first)
    car.call("freeFMUState" if car.three else "freeFMUstate", state)


def test_a_written_state_goes_on_in_another_instance(unzipped: Unzipped) -> None:
    folder = unzipped(VAN, FmiVersion.FMI3)
    one, other = Fmu(folder), Fmu(folder)
    one.start({"initial.speed": 15.0, "payload.mass": 200.0})
    go_on(one)
    written, time = one.written(one.keep()), one.time
    first = go_on(one)
    other.restore(other.read(written))
    other.time = time
    assert np.array_equal(go_on(other), first)
    one.close()
    other.close()


def test_foreign_and_damaged_states_are_refused(car: Fmu, unzipped: Unzipped) -> None:
    van = Fmu(unzipped(VAN, FmiVersion.FMI3)).start()
    foreign = van.written(van.keep())
    car.start({"initial.speed": 20.0})
    own = bytearray(car.written(car.keep()))
    before = car.outputs()
    with pytest.raises(RefusedError, match=r"error: .* another vehicle"):
        car.read(foreign)
    with pytest.raises(RefusedError, match=r"error: .* too short"):
        car.read(bytes(own[:20]))
    own[-5] ^= 1
    with pytest.raises(RefusedError, match=r"error: .* damaged"):
        car.read(bytes(own))
    assert np.array_equal(car.outputs(), before)
    van.close()


def test_reset_begins_again(car: Fmu) -> None:
    first = go_on(car.start({"initial.speed": 20.0}))
    car.call("reset")
    assert np.array_equal(go_on(car.start({"initial.speed": 20.0})), first)


def test_many_instances_in_threads_drive_as_one(unzipped: Unzipped) -> None:
    folder = unzipped(CAR, FmiVersion.FMI2)

    def run(speed: float) -> np.ndarray:
        fmu = Fmu(folder)
        rows = go_on(fmu.start({"initial.speed": speed}), 40)
        fmu.close()
        return rows

    speeds = [10.0 + i % 4 for i in range(24)]
    alone = {speed: run(speed) for speed in set(speeds)}
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(run, speeds))
    assert all(np.array_equal(rows, alone[speed]) for rows, speed in zip(together, speeds, strict=True))


def test_an_intermediate_update_sets_inputs_and_returns_early(unzipped: Unzipped) -> None:
    """One long step in which inputs are set between internal steps is as many short ones; a caller may stop it."""
    folder = unzipped(CAR, FmiVersion.FMI3)
    times: list[float] = []

    def between(
        _environment: object, time: float, _set: bool, _get: bool, _done: bool, _may: bool, early: object, until: object
    ) -> None:
        times.append(time)
        fmu.set(driver__steering_wheel_angle=0.01 * (len(times) + 1))
        if len(times) == 15:
            early[0], until[0] = True, time  # type: ignore[index]

    fmu = Fmu(folder, between=between, early=True)
    fmu.start({"initial.speed": 20.0})
    fmu.set(driver__steering_wheel_angle=0.01)
    *_, early, reached = fmu.call("doStep", 0.0, 0.05)
    assert early
    assert reached == pytest.approx(0.015)
    plain = Fmu(folder).start({"initial.speed": 20.0})
    for i in range(15):
        plain.set(driver__steering_wheel_angle=0.01 * (i + 1))
        plain.step()
    assert np.array_equal(fmu.outputs(), plain.outputs())
    fmu.close()
    plain.close()
