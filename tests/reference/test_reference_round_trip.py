"""Written as a reference folder and read back, a vehicle is the same vehicle."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import small_vehicle
from hypothesis import given, settings
from hypothesis import strategies as st

from rtm import converted_vehicles
from trackrod.convert.conversion import Compliance, assemble, convert
from trackrod.convert.round_trip import round_trip
from trackrod.core.corners import Axle, Corner
from trackrod.core.errors import InputError
from trackrod.core.records import to_plain
from trackrod.core.series import Run
from trackrod.manoeuvres.steering import StepSteer
from trackrod.metrics.indices import indices
from trackrod.reference import Longitudinal, ReferenceRun, Replay, read_reference, write_reference
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.spec import Curve, RtmSpec
from trackrod.simulate.drive import simulate

#: Numbers are written so that they read back exactly.
SAME = 1e-12


def differences(one: object, other: object, where: str = "") -> list[str]:
    """Places at which two trees of plain data differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        found = [f"{where}: {sorted(set(one) ^ set(other))}"] if set(one) != set(other) else []
        return found + [d for key in one if key in other for d in differences(one[key], other[key], f"{where}.{key}")]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        if one and all(isinstance(item, int | float) for item in one):
            apart = float(np.abs(np.array(one) - np.array(other)).max())
            return [f"{where}: {apart}"] if apart > SAME * max(1.0, float(np.abs(one).max())) else []
        return [d for i, pair in enumerate(zip(one, other, strict=True)) for d in differences(*pair, f"{where}[{i}]")]
    return [] if one == other or _near(one, other) else [f"{where}: {one} against {other}"]


def _near(one: object, other: object) -> bool:
    both = isinstance(one, float) and isinstance(other, float)
    return both and abs(one - other) <= SAME * max(1.0, abs(one))  # type: ignore[operator]


def same(one: RtmSpec, other: RtmSpec) -> list[str]:
    plain = [to_plain(spec) for spec in (one, other)]
    for item in plain:
        for tyre in item["tyres"].values():  # type: ignore[union-attr]
            tyre.pop("given")  # type: ignore[union-attr]  # a written file gives every coefficient
            tyre.pop("name")  # type: ignore[union-attr]
    return differences(*plain)


def test_the_comparison_can_fail() -> None:
    spec = assemble(small_vehicle.data(), small_vehicle.maps()).spec
    assert same(spec, spec.with_parameters(Izz=spec.parameters["Izz"] * (1 + 1e-9)))


def test_a_described_vehicle_is_the_same_from_its_folder(tmp_path: Path) -> None:
    vehicle = converted_vehicles.vehicle("suv")
    # a folder holds tables of loads; nothing of what gives with inertia, nor of steered axles in roll or in turns
    maps = {
        axle: replace(of, left=replace(of.left, in_roll=None), right=replace(of.right, in_roll=None), by_rack=None)
        for axle, of in converted_vehicles.maps("suv").items()
    }
    direct = convert(vehicle, maps, compliance=Compliance.QUASI_STATIC)
    model = RealTimeVehicle(direct.spec)
    run = simulate(model, StepSteer(steering_wheel_angle_deg=40.0, hold_s=1.5))
    kept = ReferenceRun("step_steer", run, Longitudinal.PEDALS, settings={"steering_wheel_angle_deg": 40.0})
    write_reference(tmp_path, vehicle, maps, {"step": kept})
    reference = read_reference(tmp_path)
    assert same(direct.spec, reference.conversion.spec) == []
    assert all(
        deviation.at_knots <= 1e-6 * max(deviation.span, 1.0)
        for deviation in round_trip(reference.conversion.spec, {Axle.REAR: reference.maps[Axle.REAR]})
        if deviation.test != "opposite"
    )
    assert set(reference.conversion.sources) == set(direct.sources)
    again = reference.runs["step"]
    assert (again.manoeuvre, again.longitudinal, again.hold_out) == ("step_steer", Longitudinal.PEDALS, False)
    assert again.settings["steering_wheel_angle_deg"] == 40.0
    for column in again.run:
        assert np.array_equal(again.run[column], run[column]), column
    # the recorded inputs drive the same model to the same place
    driven = simulate(RealTimeVehicle(reference.conversion.spec), Replay(source=again))
    assert driven.time.size == run.time.size
    names = [[phase["name"] for phase in r.metadata["phases"]] for r in (run, driven)]
    assert names[0] == names[1]
    assert max(index.value_pct for index in indices("step_steer", run, driven)) < 0.5


@settings(max_examples=8)
@given(mass=st.floats(900.0, 1800.0), height=st.floats(0.2, 1.5), ratio=st.floats(-0.02, -0.001), drag=st.floats(0, 3))
def test_numbers_survive(
    tmp_path_factory: pytest.TempPathFactory, mass: float, height: float, ratio: float, drag: float
) -> None:
    folder = tmp_path_factory.mktemp("folder")
    data = small_vehicle.data()
    assert data.air is not None
    masses = replace(data.masses, sprung_mass=mass, sprung_centre=np.array([-1.2, 0.0, height]))
    changed = replace(data, masses=masses, steering_ratio=ratio, air=replace(data.air, drag=drag), road_height=-0.3)
    maps = small_vehicle.maps()
    write_reference(folder, changed, maps)
    assert same(assemble(changed, maps).spec, read_reference(folder).conversion.spec) == []


def test_dampers_of_each_side_survive(tmp_path: Path) -> None:
    """Left and right unlike in front, a single one in the rear; alike they stand once for the axle."""
    data, maps = small_vehicle.data(), small_vehicle.maps()
    alike = data.dampers[Corner.FL]
    dampers = {**data.dampers, Corner.FR: Curve(alike.x, 1.3 * alike.y), Corner.RL: Curve()}
    folders = {}
    for name, of_wheels in (("alike", data.dampers), ("unlike", dampers)):
        changed = replace(data, dampers=of_wheels)
        folders[name] = write_reference(tmp_path / name, changed, maps).read_text()
        assert same(assemble(changed, maps).spec, read_reference(tmp_path / name).conversion.spec) == []
    tables = {name: re.findall(r"\[(dampers.*)\]", text) for name, text in folders.items()}
    assert tables["alike"] == ["dampers.front", "dampers.rear"]
    assert tables["unlike"] == ["dampers.front.left", "dampers.front.right", "dampers.rear.right"]


def test_a_locked_centre_differential_and_inertia_of_shafts_survive(tmp_path: Path) -> None:
    data, maps = small_vehicle.data(), small_vehicle.maps()
    assert data.powertrain is not None
    train = replace(data.powertrain, front_share=0.4, centre_locked=True)
    file = write_reference(tmp_path, replace(data, powertrain=train, shaft_inertia={Axle.REAR: 0.7}), maps)
    spec = read_reference(tmp_path).conversion.spec
    assert spec.powertrain is not None
    assert spec.powertrain.centre_locked
    assert [spec.parameters[f"shaft_inertia_{axle}"] for axle in Axle] == [0.0, 0.7]
    text = file.read_text()
    for old, new, says in (
        ("centre_locked = true", "centre_locked = 1", "centre_locked"),
        ("front_share = 0.4", "front_share = 0.0", "the centre differential is locked, but with a front share of 0"),
    ):
        assert old in text
        file.write_text(text.replace(old, new))
        with pytest.raises(InputError, match=says) as raised:
            read_reference(tmp_path)
        assert len(raised.value.problems) == 1


def test_a_damper_for_the_axle_and_for_a_side_is_refused(tmp_path: Path) -> None:
    file = small_vehicle.write_small(tmp_path) / "reference.toml"
    table = "\n[dampers.front.left]\nvelocity = [-1.0, 1.0]\nforce = [-900.0, 900.0]\n"
    file.write_text(file.read_text() + table)
    with pytest.raises(InputError, match="unknown key 'velocity'"):
        read_reference(tmp_path)


def test_writing_again_changes_nothing(tmp_path: Path) -> None:
    small_vehicle.write_small(tmp_path / "0")
    for i in (1, 2):
        reference = read_reference(tmp_path / f"{i - 1}")
        write_reference(tmp_path / f"{i}", reference.data, reference.maps, reference.runs)
    files = [path.relative_to(tmp_path / "1") for path in (tmp_path / "1").rglob("*.*")]
    assert len(files) > 20
    assert [f for f in files if (tmp_path / "1" / f).read_bytes() != (tmp_path / "2" / f).read_bytes()] == []


def test_maps_of_both_axles_are_needed(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="rear axle are missing"):
        write_reference(tmp_path, small_vehicle.data(), {Axle.FRONT: small_vehicle.maps()[Axle.FRONT]})


def test_a_free_run_rolls_out_of_gear(tmp_path: Path) -> None:
    run = small_vehicle.turning_run()
    replay = Replay(source=ReferenceRun("single_sine", Run(run), Longitudinal.FREE))
    assert replay.phases()[0].gear == -1
    assert replay.start().free
