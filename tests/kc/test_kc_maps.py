"""Maps of an axle: what they hold, that they are true between their knots, that they survive being saved."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from trackrod.adams.property_files.experiments import read_load_case
from trackrod.adams.vehicle import read_vehicle
from trackrod.core.artefact import Artefact, Provenance, load, save
from trackrod.core.corners import Axle, Side
from trackrod.core.errors import InputError, RangeError, UnknownNameError
from trackrod.kc import programme
from trackrod.kc.maps import KC_MAPS, KcMaps, grid, kinematics_maps
from trackrod.kc.measure import measure
from trackrod.kc.points import Inputs, Load
from trackrod.kc.rig import Rig
from trackrod.kc.study import AxleStudy, KcSettings, characterise, key_figures
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.experiments import LoadCase, SteeringMode, VerticalMode
from trackrod.vehicle.vehicle import Vehicle

SETTINGS = KcSettings(
    travel=np.linspace(-0.08, 0.08, 17), rack=np.linspace(-0.06, 0.06, 13), map_points=21, load_steps=2
)


@cache
def bundled(name: str) -> Vehicle:
    return read_vehicle(BUNDLED[name].assembly).vehicle


@cache
def study(name: str, axle: Axle) -> AxleStudy:
    return characterise(bundled(name), axle, SETTINGS)


def maps(name: str, axle: Axle) -> KcMaps:
    found = study(name, axle).maps
    assert found is not None
    return found


def test_between_knots_the_map_is_the_rig() -> None:
    """Toe within 0.003°, as far as the best of comparisons with other programs goes."""
    found = maps("cla_class", Axle.FRONT)
    rig = Rig(bundled("cla_class"), Axle.FRONT)
    z, rack = np.array([-0.031, 0.013, 0.042]), np.array([0.017, -0.041, 0.005])
    for k, (travel, x) in enumerate(zip(z, rack, strict=True)):
        at = measure(rig, rig.sweep(Inputs.of([[travel, travel]], [x])), ())
        for wheel, side in enumerate(Side):
            kinematics = found.wheel(side).kinematics
            value = kinematics.value(travel, x)
            angles = value[[kinematics.output_index(name) for name in ("rx", "ry", "rz")]]
            np.testing.assert_allclose(angles, at.angles[0, wheel], atol=np.radians(0.003), err_msg=f"point {k}")
            moved = at.centre[0, wheel] - rig.wheels[wheel].centre
            np.testing.assert_allclose(value[:3], moved, atol=2e-5)


def test_axes_are_rack_in_front_and_opposite_travel_behind() -> None:
    assert [axis.name for axis in maps("cla_class", Axle.FRONT).left.kinematics.axes] == [
        "parallel_travel",
        "rack_travel",
    ]
    rear = maps("lcv_7t", Axle.REAR)
    assert [axis.name for axis in rear.left.kinematics.axes] == ["parallel_travel", "opposite_travel"]
    assert not rear.steered
    kinematics = rear.left.kinematics
    tz = kinematics.values[..., kinematics.output_index("tz")]
    first, second = kinematics.knots
    np.testing.assert_allclose(tz, first[:, None] + second[None, :], atol=2e-7)
    names = {output.name for output in kinematics.outputs}
    assert {"tx", "ty", "tz", "rx", "ry", "rz", "Fz", "damper_length", "bump_stop_length", "bar_twist"} <= names


def test_superposition_of_small_loads() -> None:
    """Two loads together do what the sum of their maps says."""
    found = maps("cla_class", Axle.REAR)
    rig = Rig(bundled("cla_class"), Axle.REAR)
    force, moment = 100.0, 20.0
    loads = {Load.FY: np.array([[0.0, 0.0], [force, 0.0]]), Load.MZ: np.array([[0.0, 0.0], [0.0, moment]])}
    solution = rig.sweep(Inputs.of(loads=loads))
    change = np.diff(measure(rig, solution, ()).angles[:, 0, 2])[0]
    lateral, aligning = found.left.own[Load.FY], found.left.opposite[Load.MZ]
    told = lateral.value(force)[lateral.output_index("rz")] + aligning.value(moment)[aligning.output_index("rz")]
    assert change == pytest.approx(told, rel=0.05)


def test_solid_axle_has_a_negative_anti_roll_rate() -> None:
    """Opposite less parallel stiffness is what a bar adds; the springs of a solid axle stand inboard of its wheels."""
    van, car = maps("lcv_7t", Axle.REAR), maps("cla_class", Axle.FRONT)
    assert van.roll_rate(stops=False) < van.wheel_rate(stops=False)
    assert car.roll_rate(stops=False) > car.wheel_rate(stops=False)


def test_stops_are_told_apart() -> None:
    found = maps("cla_class", Axle.FRONT)
    curve = found.ride
    with_stops, without = (curve.output_index(f"Fz_left{s}") for s in ("", "_without_stops"))
    middle = curve.value(0.0)
    assert middle[with_stops] == pytest.approx(middle[without], rel=1e-9)
    top = curve.value(0.08)
    assert top[with_stops] > 1.3 * top[without]
    assert found.wheel_rate(0.075) > 2 * found.wheel_rate(0.075, stops=False)
    rate = study("cla_class", Axle.FRONT).tests["parallel"]["wheel_rate_left"][8]
    assert found.wheel_rate() == pytest.approx(rate, rel=2e-3)


def test_the_map_moves_the_spring_as_the_test_does() -> None:
    found = maps("cla_class", Axle.FRONT)
    ratio = study("cla_class", Axle.FRONT).tests["parallel"]["spring_left_ratio"][8]
    kinematics = found.left.kinematics
    by_travel = kinematics.slopes(0.0, 0.0)[0]
    length, height = (by_travel[kinematics.output_index(name)] for name in ("spring_length", "tz"))
    assert -length / height == pytest.approx(ratio, rel=1e-3)
    assert sum(found.unsprung_mass) > 40.0


def test_maps_saved_and_loaded_are_the_same(tmp_path: Path) -> None:
    artefact = Artefact(KC_MAPS, maps("lcv_7t", Axle.REAR), Provenance())
    save(artefact, tmp_path / "maps.json")
    loaded = load(tmp_path / "maps.json", KC_MAPS)
    assert loaded.sha256 == artefact.sha256
    assert loaded.content.left.kinematics == artefact.content.left.kinematics
    assert loaded.content.right.opposite[Load.FY] == artefact.content.right.opposite[Load.FY]
    assert loaded.content.axle is Axle.REAR


def test_a_map_beyond_reach_is_cut_and_says_so() -> None:
    vehicle = bundled("double_wishbone_car")
    test = grid(vehicle, Axle.FRONT, np.linspace(-0.3, 0.3, 13), np.linspace(-0.04, 0.04, 3))
    (left, _), problems = kinematics_maps(test)
    reached = left.knots[0]
    assert reached[0] > -0.3 or reached[-1] < 0.3
    assert reached[0] < 0 < reached[-1]
    assert "not reached" in problems[0].text
    causes = [problem.text for line in test.lines for problem in line.problems]
    assert any("front_suspension." in text for text in causes)


def test_key_figures_of_a_car_are_plausible() -> None:
    figures = {figure.name: figure.value for figure in key_figures(study("cla_class", Axle.FRONT))}
    assert 0.0 < figures["roll_centre_height"] < 0.2
    assert np.radians(2) < figures["caster"] < np.radians(8)
    assert 0.0 < figures["anti_dive"] < 60.0
    assert figures["wheel_rate_opposite"] > figures["wheel_rate"]


def test_load_case_of_the_file_is_the_parallel_test() -> None:
    path = next((BUNDLED["cla_class"].assembly.parent.parent / "loadcases.tbl").glob("*.lcf"))
    case, _ = read_load_case(path)
    rig = Rig(bundled("cla_class"), Axle.FRONT)
    test = programme.run_load_case(rig, case, path.stem)
    same = programme.parallel(rig, case.vertical[:, 0])
    assert test.failures == 0
    np.testing.assert_allclose(test["toe_left"], same["toe_left"], atol=1e-9)


def case_of(**given: object) -> LoadCase:
    nothing = np.zeros((1, 2))
    modes = (SteeringMode.LENGTH, VerticalMode.LENGTH)
    base = LoadCase(*modes, nothing, nothing, nothing, nothing, nothing, np.zeros(1))
    return replace(base, **given)  # type: ignore[arg-type]


def test_signs_of_a_load_case() -> None:
    rig = Rig(bundled("cla_class"), Axle.FRONT)
    rest = programme.run_load_case(rig, case_of(), "rest")
    braked = programme.run_load_case(rig, case_of(brake_force=np.array([[1e3, 1e3]])), "brake")
    assert braked["tx_left"] < rest["tx_left"]
    driven = programme.run_load_case(rig, case_of(drive_force=np.array([[1e3, 1e3]])), "drive")
    assert driven["tx_left"] > rest["tx_left"]
    pushed = programme.run_load_case(rig, case_of(lateral_force=np.array([[1e3, 1e3]])), "lateral")
    assert pushed["ty_left"] < rest["ty_left"]


def test_wheel_loads_of_a_load_case_are_reached() -> None:
    rig = Rig(bundled("cla_class"), Axle.FRONT)
    wanted = np.array([[4000.0, 5500.0]])
    test = programme.run_load_case(rig, case_of(vertical_mode=VerticalMode.FORCE, vertical=wanted), "loads")
    assert [test["Fz_left"][0], test["Fz_right"][0]] == pytest.approx(wanted[0].tolist(), rel=1e-4)
    assert test["travel_left"][0] < 0 < test["travel_right"][0]


def test_settings_refuse_what_cannot_be() -> None:
    with pytest.raises(RangeError, match="travel must be two or more finite values that increase"):
        KcSettings(travel=np.array([0.0, np.nan]))
    with pytest.raises(RangeError, match="leaves out the design position"):
        KcSettings(rack=np.array([0.01, 0.02]))
    with pytest.raises(RangeError, match="up to 300 mm"):
        KcSettings(travel=np.array([-80.0, 80.0]))


def test_an_axle_without_rack_cannot_be_steered() -> None:
    with pytest.raises(InputError, match="rear axle of 'cla_class' has no rack"):
        programme.steer(Rig(bundled("cla_class"), Axle.REAR), [0.0, 0.01])


def test_unknown_columns_come_with_close_ones() -> None:
    with pytest.raises(UnknownNameError, match="toe_left"):
        study("cla_class", Axle.FRONT).tests["parallel"]["toe_lefft"]
