"""Kinematics, compliance and behaviour of the bundled vehicles lie in the bands of their class (`tools/bands.py`)."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from trackrod.adams.vehicle import read_vehicle
from trackrod.convert.masses import SplitFactors, split_bodies, split_masses
from trackrod.core.corners import Axle, Corner
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.elements import Role
from trackrod.vehicle.vehicle import Vehicle

ROOT = Path(__file__).parents[2]
NAMES = tuple(BUNDLED)
#: Axles whose wheels are driven by half-shafts from a differential on the body.
HALF_SHAFTS = {
    "double_wishbone_car": (Axle.REAR,),
    "cla_class": (Axle.FRONT,),
    "suv": (Axle.FRONT, Axle.REAR),
    "integral_link": (Axle.FRONT, Axle.REAR),
}


@pytest.fixture(scope="module")
def bands() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT))
        yield importlib.import_module("tools.bands")


@cache
def vehicle_of(name: str) -> Vehicle:
    return read_vehicle(BUNDLED[name].assembly).vehicle


@pytest.mark.parametrize("name", NAMES)
def test_on_the_rig_and_at_rest(bands: ModuleType, name: str) -> None:
    found = list(bands.rows(vehicle_of(name)))
    print(name, *found, sep="\n")
    assert [str(row) for row in found if not row.inside] == []


@pytest.mark.parametrize("name", NAMES)
def test_in_step_steer_and_slow_ramp(bands: ModuleType, name: str) -> None:
    found = list(bands.driven_rows(vehicle_of(name)))
    print(name, *found, sep="\n")
    assert [str(row) for row in found if not row.inside] == []


def test_a_vehicle_outside_its_bands_is_found(bands: ModuleType) -> None:
    stiff = read_vehicle(ROOT / "tests/data/first_set/cla_class.cdb/assemblies.tbl/cla_class.asy").vehicle
    outside = {row.quantity for row in bands.rows(stiff) if not row.inside}
    assert {"recession [mm/kN]", "lateral displacement [mm/kN]", "Ackermann at 20° [%]"} <= outside
    assert "damping time of rubber, shortest [ms]" in outside


def test_suspensions_differ_as_their_kinds_do(bands: ModuleType) -> None:
    """A strut gains little camber and has its steering axis at the contact point or outside of it."""
    front = {name: {row.quantity: row.value for row in bands.rows(vehicle_of(name)) if row.axle is Axle.FRONT}
             for name in NAMES}  # fmt: skip
    for strut in ("cla_class", "suv"):
        assert -0.7 < front[strut]["camber at 50 mm bump [°]"] < -0.3
        assert front[strut]["scrub radius [mm]"] < 5.0
    for wishbones in ("double_wishbone_car", "integral_link"):
        assert front[wishbones]["camber at 50 mm bump [°]"] < -0.9
        assert front[wishbones]["scrub radius [mm]"] > 5.0


def test_rubber_of_the_suv_damps_a_hundredth_of_its_stiffness_in_a_second(bands: ModuleType) -> None:
    assert np.allclose(list(bands.bushing_times(vehicle_of("suv")).values()), 0.010, rtol=1e-3)


def test_corner_weights_and_brakes_of_the_compact_saloon() -> None:
    vehicle = vehicle_of("cla_class")
    loads = MultibodyVehicle(vehicle).settle().wheel_loads
    found = [loads[corner] / 9.80665 for corner in Corner]
    assert found == pytest.approx([497.9, 469.2, 348.4, 327.5], rel=0.005)
    brakes = vehicle.brakes
    assert brakes is not None
    assert 1e5 * brakes.factor(Axle.FRONT) == pytest.approx(28.0, rel=1e-6)
    assert 1e5 * brakes.factor(Axle.REAR) == pytest.approx(8.5, rel=1e-6)
    assert brakes.line(Axle.REAR) / brakes.line(Axle.FRONT) == pytest.approx(0.65, abs=0.005)
    assert brakes.front_torque / (brakes.front_torque + brakes.rear_torque) == pytest.approx(0.835, abs=5e-4)


@pytest.mark.parametrize("factor", ["front", "rear", "driveline"])
def test_every_split_factor_acts_on_the_seven_tonner(factor: str) -> None:
    vehicle = vehicle_of("lcv_7t")
    less, more = (split_masses(vehicle, SplitFactors(**{factor: value})).sprung_mass for value in (0.4, 0.6))
    assert less - more > 2.0
    acting = split_bodies(vehicle)[factor]
    assert less - more == pytest.approx(0.2 * sum(vehicle.body(body).mass for body in acting))


@pytest.mark.parametrize("name", NAMES)
def test_drivelines_are_bodies(name: str) -> None:
    vehicle = vehicle_of(name)
    masses = {body.name.partition(".")[2]: body.mass for body in vehicle.bodies}
    assert masses["engine"] > 100.0
    assert masses["gearbox"] > 40.0
    for axle in HALF_SHAFTS.get(name, ()):
        for side in ("left", "right"):
            assert vehicle.body(f"{axle}_suspension.halfshaft_{side}").role is Role.DRIVELINE
    if name.startswith("lcv"):
        assert {"axle", "differential", "halfshaft_left", "halfshaft_right", "propshaft"} <= set(masses)
        assert vehicle.body("rear_suspension.propshaft").role is Role.DRIVELINE
