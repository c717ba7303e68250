"""An exported model tells in each step whether it is inside its domain of validity, as the run of Python does.

The law of the runtime (C++, one step after the other) and that of runs (NumPy, all samples at once) were written apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import fmpy
import numpy as np
import pytest
from open_fmus import CAR, VERSIONS, Fmu, spec

from trackrod.core import signals
from trackrod.core.series import Run
from trackrod.core.validity import MEMORY, QUANTITIES, Bound, Validity, operating_point
from trackrod.export.check import CheckDrive, check_fmu, drive_rtm
from trackrod.export.fmu import fmu_bytes
from trackrod.export.model_description import FmiVersion
from trackrod.export.runtimes import host_platform
from trackrod.export.variables import rtm_variables
from trackrod.export.vehicle import exported_rtm
from trackrod.rtm.driving import RealTimeVehicle

SPEED = 20.0
Opened = Callable[[Validity, FmiVersion], Fmu]


def sine(seconds: float, amplitude: float = 1.2) -> np.ndarray:
    """One period at the steering wheel, then straight ahead."""
    t = 1e-3 * np.arange(round(seconds / 1e-3))
    return np.where(t < 1.0, amplitude * np.sin(2 * np.pi * t), 0.0)


def pedals(seconds: float) -> tuple[np.ndarray, np.ndarray]:
    """The throttle, then the brake."""
    early = np.arange(round(seconds / 1e-3)) <= 300
    return np.where(early, 0.8, 0.0), np.where(early, 0.0, 0.1)


@cache
def driven(seconds: float) -> Run:
    """The manoeuvre in Python, by a model without a domain."""
    throttle, brake = pedals(seconds)
    inputs = {"driver.steering_wheel_angle": sine(seconds), "driver.throttle": throttle, "driver.brake": brake}
    return drive_rtm(spec(CAR), CheckDrive({"initial.speed": SPEED}, inputs))


def domain(*bounds: Bound) -> Validity:
    return Validity(bounds, "planted", "Within planted bounds.")


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    """FMUs of the car with a domain."""
    host = host_platform()
    assert host is not None
    made: list[Fmu] = []

    def find(validity: Validity, version: FmiVersion) -> Fmu:
        file = tmp_path / f"{len(made)}.fmu"
        file.write_bytes(
            fmu_bytes(exported_rtm(replace(spec(CAR), validity=validity)), version, [host], Path("no kept runtimes"))
        )
        fmpy.extract(str(file), str(file.with_suffix("")))
        made.append(Fmu(file.with_suffix("")))
        return made[-1]

    yield find
    for fmu in made:
        fmu.close()


ANGLE = sine(5.0)


def give(fmu: Fmu, i: int) -> None:
    throttle, brake = (0.8, 0.0) if i <= 300 else (0.0, 0.1)
    fmu.set(driver__steering_wheel_angle=ANGLE[i], driver__throttle=throttle, driver__brake=brake)


def told(fmu: Fmu, first: int, last: int) -> np.ndarray:
    """The signal after each step of a part of the manoeuvre."""
    found = []
    for i in range(first, last):
        give(fmu, i)
        fmu.step()
        found += fmu.get("inside_validity")
    return np.array(found, dtype=float)


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: version.name)
def test_outside_and_back_as_python_says_also_over_a_kept_state(opened: Opened, version: FmiVersion) -> None:
    valid = domain(Bound("lateral", 3.0), Bound("frequency", 2.0), Bound("mass", spec(CAR).mass))
    model = RealTimeVehicle(replace(spec(CAR), validity=valid))
    model.settle()
    model.start(SPEED)
    run = model.advance(sine(3.6), *pedals(3.6), 0.0)
    expected = run[signals.INSIDE_VALIDITY]
    assert [expected[0], expected[500], expected[-1]] == [1.0, 0.0, 1.0]
    fmu, other = opened(valid, version), opened(valid, version)
    fmu.start({"initial.speed": SPEED})
    assert fmu.get("inside_validity") == [True]
    first = told(fmu, 0, 1500)  # outside, and on its way back
    state, time = fmu.keep(), fmu.time
    written = fmu.written(state)
    rest = told(fmu, 1500, 3600)
    assert np.array_equal(np.concatenate((first, rest)), expected)
    back = int(np.flatnonzero(rest)[0])
    assert 0 < back < rest.size
    fmu.restore(state)
    other.restore(other.read(written))
    for one in (fmu, other):
        one.time = time
        assert np.array_equal(told(one, 1500, 1500 + back + 10), rest[: back + 10])


@pytest.mark.parametrize("name", [name for name in QUANTITIES if name not in ("mass", "lightest", "friction")])
def test_each_bound_is_that_of_python(opened: Opened, name: str) -> None:
    """A bound that the manoeuvre passes: both laws notice it at the same sample."""
    run = driven(1.2)
    values = operating_point(run)[name]
    critical = np.minimum.accumulate(values) if QUANTITIES[name].from_below else np.maximum.accumulate(values)
    valid = domain(Bound(name, float(0.5 * (critical[20] + critical[-1]))))
    expected = valid.inside(run)
    assert expected[20]
    assert not expected[-1]
    fmu = opened(valid, FmiVersion.FMI2)
    fmu.start({"initial.speed": SPEED})
    last = int(np.flatnonzero(~expected)[0]) + 5
    assert np.array_equal(told(fmu, 0, last), expected[:last])


def test_friction_under_one_wheel_and_payload_count(opened: Opened) -> None:
    whole = spec(CAR).mass
    fmu = opened(
        domain(Bound("friction", 0.5), Bound("mass", whole + 100.0), Bound("lightest", whole)), FmiVersion.FMI3
    )
    settings = {"initial.speed": SPEED, "payload.mass": 100.0, "payload.x": -1.5, "payload.z": 0.4}
    fmu.start(settings)
    after = round(MEMORY / 1e-3) + 1

    def inside(steps: int, friction: float) -> Sequence[float]:
        fmu.set(rr__friction=friction)
        return [fmu.step() or fmu.get("inside_validity")[0] for _ in range(steps)]

    assert inside(10, 0.51) == [True] * 10
    assert inside(10, 0.4) == [False] * 10
    assert inside(after, 1.0) == [False] * (after - 1) + [True]
    for mass in (101.0, 0.0):
        fmu.call("reset")
        fmu.start({**settings, "payload.mass": mass})
        assert fmu.get("inside_validity") == [mass < 100.0]


def test_long_steps_tell_what_happened_between_communication_points(opened: Opened) -> None:
    """Each internal step counts, whether somebody looks or not."""
    lateral = np.abs(driven(1.2)[signals.AY][:1000])
    valid = domain(Bound("lateral", 0.9995 * float(lateral.max())))
    assert valid.bounds[0].keeps(lateral[49::50]).all()  # who looks now and then sees nothing of it
    fmu = opened(valid, FmiVersion.FMI3)
    fmu.start({"initial.speed": SPEED})
    expected = valid.inside(driven(1.2))
    assert not expected[999]
    found = []
    for i in range(0, 1000, 50):
        for k in range(i, i + 49):  # nobody reads outputs here
            give(fmu, k)
            fmu.step()
        found += list(told(fmu, i + 49, i + 50))
    assert np.array_equal(found, expected[49:1000:50])


def test_a_model_without_a_domain_does_not_tell_and_one_with_it_passes_its_self_test(tmp_path: Path) -> None:
    assert not any(v.name == "inside_validity" for v in rtm_variables(spec(CAR)))
    host = host_platform()
    assert host is not None
    vehicle = exported_rtm(replace(spec(CAR), validity=domain(Bound("lateral", 1.0))))
    for version in VERSIONS:
        path = tmp_path / f"{version.name}.fmu"
        path.write_bytes(fmu_bytes(vehicle, version, [host], Path("no kept runtimes")))
        result = check_fmu(path, seconds=0.5)
        assert result.passed, result
