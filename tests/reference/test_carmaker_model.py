"""Vehicles of CarMaker as real-time models: in closed form by hand, and every sample read or refused with a reason."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import carmaker_by_hand as hand
import numpy as np
import pytest
from scipy.interpolate import PchipInterpolator

from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.errors import InputError
from trackrod.export.carmaker import export_carmaker
from trackrod.export.carmaker.elements import kinematics_map
from trackrod.manoeuvres.registry import manoeuvre_class
from trackrod.reference.carmaker_model import CarMakerModel, is_carmaker_vehicle, read_carmaker
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.layout import CHANNELS, COMPLIANCE_CHANNELS
from trackrod.rtm.spec import RtmSpec
from trackrod.simulate.drive import simulate

REAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "carmaker"
needs_samples = pytest.mark.skipif(not REAL.is_dir(), reason="no sample files of CarMaker beside the project")
#: Those that are driven here; `benchmarks.carmaker` drives all.
DRIVEN = {"FSE04_vehicle", "FS_RaceCar_5.0", "FS_Autonomous"}
#: Sample vehicles whose suspension files were not published.
INCOMPLETE = {"Demo_IPG_CompanyCar", "FSE07_vehicle_prot_P1", "FSE07_vehicle_prot_P2", "FSE08"}


@cache
def by_hand() -> RtmSpec:
    folder = Path(mkdtemp(prefix="trackrod_carmaker_"))
    hand.write(folder)
    return read_carmaker(folder / "project" / "Data" / "Vehicle" / "Own" / "Hatchback").spec


@pytest.mark.parametrize("corner", list(Corner))
def test_poses_and_forces_by_hand(corner: Corner) -> None:
    """Over compression: what the files say of travel is multiplied by the rise of a wheel over it."""
    wheel = by_hand().wheels[list(Corner).index(corner)]
    map_, tz = kinematics_map(wheel), CHANNELS.index("tz")
    values, rise = map_.value(0.01, 0.0), float(map_.slopes(0.01, 0.0)[0][tz])
    z = float(values[tz])
    for name in ("tx", "ty", "rx", "rz"):
        at_rest, gain = hand.CHANNELS[name]
        sign = corner.side.sign if name in hand.MIRRORED else 1
        assert values[CHANNELS.index(name)] == pytest.approx(sign * (at_rest + gain * z), abs=1e-5), name
    weight = hand.GRAVITY * (hand.WHEEL + hand.CARRIER)
    spring = 0.7 * hand.STIFFNESS * (hand.FREE_LENGTH - 0.3 + 0.7 * z) * rise
    load = float(PchipInterpolator(wheel.spring.x, wheel.spring.y)(0.01))
    assert load - weight == pytest.approx(spring, rel=5e-3)


def test_roll_and_compliance_by_hand() -> None:
    spec = by_hand()
    o = 0.01
    # the bar turns by 0.6 times both travels; a rear wheel rises by 0.8 of its own and 0.1 of the other compression
    bars = [0.36 * hand.BAR * 0.016 * 0.8, 0.36 * hand.BAR * 1.4 * o * 0.7]
    # springs there have 0.7² in opposite travel and 0.9² in parallel travel of their stiffness 0.7² k
    springs = [0.0, 0.49 * (0.49 - 0.81) * hand.STIFFNESS * o]
    for axle, bar, spring in zip(spec.axles, bars, springs, strict=True):
        # slopes of the lever's curve at a knot are means of those beside it
        assert float(PchipInterpolator(axle.antiroll.x, axle.antiroll.y)(o)) == pytest.approx(bar, rel=1e-3)
        assert float(PchipInterpolator(axle.roll.x, axle.roll.y)(o)) == pytest.approx(bar + spring, abs=1e-3 * bar)
    # the end of the front bar rises by 0.6 (0.8 z + 2 z²); the rear one by shares that do not change
    z = np.linspace(-0.04, 0.04, 5)
    assert spec.axles[0].lever.followed(z)[0] == pytest.approx(z + 2.5 * z**2, abs=2e-5)
    assert not spec.axles[1].lever.x.size
    wheel = spec.wheels[1]
    mirror = np.diag([1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
    radius = wheel.centre[2]
    side = wheel.compliance[2]
    give = mirror @ hand.COMPLIANCE @ mirror @ np.array([0, 1, 0, radius, 0, 0])
    rows = [("tx", "ty", "tz", "rx", "ry", "rz").index(name) for name in COMPLIANCE_CHANNELS]
    assert side.own[-1] == pytest.approx(give[rows] * side.own_load[-1], rel=1e-9)


def test_what_is_no_vehicle_is_told_apart(tmp_path: Path) -> None:
    hand.write(tmp_path)
    data = tmp_path / "project" / "Data"
    assert is_carmaker_vehicle(data / "Vehicle" / "Own" / "Hatchback")
    assert not is_carmaker_vehicle(data / "Chassis" / "Front.skc")
    assert not is_carmaker_vehicle(data)
    with pytest.raises(InputError, match="that of a vehicle is CarMaker-Car"):
        read_carmaker(data / "Tire" / "Summer")


# ------------------------------------------------------------------------------------------------ real samples


def tyre() -> Path:
    return next(REAL.rglob("CONTINENTAL_FORMULASTUDENT_205_510_R13_80kPa.tir"))


def vehicles() -> list[Path]:
    return sorted(path for path in REAL.rglob("Vehicle/**/*") if path.is_file()) if REAL.is_dir() else []


@cache
def read(path: Path) -> CarMakerModel:
    return read_carmaker(path, tyre())


@needs_samples
@pytest.mark.parametrize("path", vehicles(), ids=lambda path: path.name)
def test_every_sample_is_read_or_refused(path: Path) -> None:
    """Those that are complete stand near their design position and turn left in a step to the left."""
    if path.name in INCOMPLETE:
        with pytest.raises(InputError, match=r"names '.*', which is in no folder 'Chassis'"):
            read(path)
        return
    with pytest.raises(InputError, match=r"has no Magic Formula|names"):
        read_carmaker(path)  # its own tyres are tables
    spec = read(path).spec
    assert all(abs(spec.parameters[f"standing_travel_{axle}"]) < 0.02 for axle in ("front", "rear"))
    if path.name not in DRIVEN:
        return
    settings = {"speed_kmh": "60", "steering_wheel_angle_deg": "10", "hold_s": "1.5"}
    step = manoeuvre_class("step_steer").from_text(settings)
    run = simulate(RealTimeVehicle(spec), step)
    assert run.metadata["completed"]
    # the wheels are steered as far as kinematics and ratio say, the car turns no more than they do
    steer = kinematics_map(spec.wheels[0]).value(0.0, np.radians(10.0) * spec.parameters["steering_ratio"])
    toe = kinematics_map(spec.wheels[0]).value(0.0, 0.0)
    angle = float(steer[CHANNELS.index("rz")] - toe[CHANNELS.index("rz")])
    wheelbase = spec.wheels[0].centre[0] - spec.wheels[2].centre[0]
    geometric = 60.0 / 3.6 * angle / wheelbase
    assert 0.3 * geometric < run[signals.YAW_RATE][-1] < 1.3 * geometric
    assert run[signals.ROLL][-1] > run[signals.ROLL][0]  # the right side goes down


@needs_samples
def test_a_complete_sample_written_and_read_is_unchanged(tmp_path: Path) -> None:
    """The one with an engine; of the others all but the electric powertrain, which is not written."""
    engine = read(next(path for path in vehicles() if path.name == "FS_RaceCar_5.0")).spec.powertrain
    for path in vehicles():
        if path.name in INCOMPLETE:
            continue
        spec = read(path).spec
        spec = replace(spec, powertrain=engine)
        made, _ = export_carmaker(spec, tmp_path / path.name, 9)
        same = read_carmaker(tmp_path / path.name / made.vehicle).spec
        for name, value in spec.parameters.items():
            if name != "cg_to_front":
                assert same.parameters[name] == pytest.approx(value, rel=1e-6, abs=2e-5), (path.name, name)
        for one, other in zip(spec.wheels, same.wheels, strict=True):
            first, second = (item.ravel() for item in np.meshgrid(one.first, one.second, indexing="ij"))
            beside = 0.0 if spec.axles[list(Corner).index(one.corner) // 2].steered else np.abs(second)
            reach = 0.7 * min(-one.first[0], one.first[-1])  # farther out one sample folds
            inside = np.abs(first) + beside <= reach
            first, second = first[inside], second[inside]
            values = [kinematics_map(wheel).value(first, second) for wheel in (one, other)]
            # the bar of this car gives more over the rack in bump than in droop: a part of that becomes the spring's
            springs = 5e-4 if path.name == "FS_RaceCar_5.0" else 2e-6
            close = np.where(np.array(CHANNELS) == "spring_length", springs, 2e-6)
            assert (np.abs(values[1] - values[0]) <= close).all(), (path.name, one.corner)
            changes = other.by_rack.followed(one.by_rack.x)[0]
            assert changes == pytest.approx(one.by_rack.y, abs=1.5), (path.name, one.corner)
            near = np.abs(one.spring.x) <= reach
            load = PchipInterpolator(other.spring.x, other.spring.y)(one.spring.x[near])
            # files hold forces over lengths and lengths over travel: loads between knots are put together again
            assert load == pytest.approx(one.spring.y[near], abs=2e-3 * np.abs(one.spring.y).max()), path.name
            for mine, again in zip(one.compliance, other.compliance, strict=True):
                assert again.own == pytest.approx(mine.own, rel=1e-6, abs=1e-12)
        for one, other in zip(spec.axles, same.axles, strict=True):
            # maps of 11 by 11 points with flat corners are not those of parallel and opposite travel between knots
            close = 0.03 if path.name == "FS_RaceCar_5.0" else 0.01
            near = np.abs(one.roll.x) <= 0.7 * np.abs(one.roll.x).max()
            rolled = PchipInterpolator(other.roll.x, other.roll.y)(one.roll.x[near])
            assert rolled == pytest.approx(one.roll.y[near], abs=close * np.abs(one.roll.y).max() + 0.5), path.name
