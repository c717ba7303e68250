"""Files of CarMaker: kinematics, loads, compliance, masses in closed form; signs of real samples by what wheels do."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import carmaker_by_hand as hand
import numpy as np
import pytest

from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.errors import InputError
from trackrod.core.infofile import read_infofile
from trackrod.core.toml_document import Document
from trackrod.kc.points import Load
from trackrod.reference import Reference, read_reference
from trackrod.reference.carmaker_vehicle import complete_from_carmaker
from trackrod.reference.kc import AxleFigures, read_maps
from trackrod.reference.skc import read_suspension
from trackrod.reference.tyre_files import read_tyre
from trackrod.reference.vehicle import read_vehicle_data
from trackrod.tyre.model import Tyre
from trackrod.tyre.samples import SAMPLES
from trackrod.tyre.tir import read_tir

REAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "carmaker"
AIR = 0.5 * 1.205 * 2.0


@cache
def folder() -> Path:
    return hand.write(Path(mkdtemp(prefix="trackrod_carmaker_")))


@cache
def reference() -> Reference:
    return read_reference(folder())


def at(map_: object, *x: float, name: str) -> float:
    return float(map_.value(*x)[map_.output_index(name)])  # type: ignore[attr-defined]


@pytest.mark.parametrize("axle", list(Axle))
def test_poses_over_travel(axle: Axle) -> None:
    """Travel takes the place of compression, which is a coordinate of CarMaker's own."""
    maps = reference().maps[axle]
    assert maps.steered is (axle is Axle.FRONT)
    for side in Side:
        kinematics = maps.wheel(side).kinematics
        for z, q in ((0.0, 0.0), (0.013, 0.004), (-0.02, -0.007)):
            own = z if maps.steered else z + side.sign * q
            for name, (at_rest, gain) in hand.CHANNELS.items():
                known = {"lSpring": "spring_length", "lDamp": "damper_length"}.get(name, name)
                if known.startswith("l"):
                    continue
                expected = (side.sign if name in hand.MIRRORED else 1) * (at_rest + gain * own)
                expected += hand.RACK_GAIN * q if maps.steered and name == "rz" else 0.0
                assert at(kinematics, z, q, name=known) == pytest.approx(expected, abs=2e-6), (side, name)


@pytest.mark.parametrize("axle", list(Axle))
def test_loads_by_virtual_work(axle: Axle) -> None:
    maps = reference().maps[axle]
    weight = hand.GRAVITY * (hand.WHEEL + hand.CARRIER)

    def spring(z: float) -> float:
        return weight + 0.7 * hand.STIFFNESS * (hand.FREE_LENGTH - 0.3 + 0.7 * z)

    for z in (-0.02, 0.0, 0.01, 0.03):
        stop = hand.STOP * max(z - hand.BEGINS, 0.0)
        assert at(maps.ride, z, name="Fz_left") == pytest.approx(spring(z) + stop, rel=2e-3)
        assert at(maps.ride, z, name="Fz_right_without_stops") == pytest.approx(spring(z), rel=1e-4)
    bar = 1.2 * 0.6 * hand.BAR * 0.01
    assert at(maps.roll, 0.01, name="Fz_left_of_bar") == pytest.approx(bar, rel=1e-3)
    assert at(maps.roll, 0.01, name="Fz_left") == pytest.approx(spring(0.01) + bar, rel=1e-3)
    assert at(maps.roll, 0.01, name="Fz_right") == pytest.approx(spring(-0.01) - bar, rel=1e-3)


@pytest.mark.parametrize("side", list(Side))
def test_compliance_under_loads_at_the_contact_patch(side: Side) -> None:
    """Each load moved to the wheel centre by hand; the right wheel is the mirror image, which the file leaves out."""
    maps = reference().maps[Axle.FRONT]
    load = 0.5 * hand.GRAVITY * (hand.BODY * 1.4 / 2.6 + 2.0 * (hand.WHEEL + hand.CARRIER))
    radius = float(Tyre(reference().data.tyres["Summer"], mounted=Side.LEFT).loaded_radius(load))
    wrenches = {
        Load.FX: [1, 0, 0, 0, -radius, 0],
        Load.FX_DRIVE: [1, 0, 0, 0, 0, 0],
        Load.FY: [0, 1, 0, radius, 0, 0],
        Load.MZ: [0, 0, 0, 0, 0, 1],
    }
    mirror = np.diag([1.0, -1.0, 1.0, -1.0, 1.0, -1.0]) if side is Side.RIGHT else np.eye(6)
    matrix = mirror @ hand.COMPLIANCE @ mirror
    for name, wrench in wrenches.items():
        own = maps.wheel(side).own[name]
        give = own.slope(0.0)[[own.output_index(channel) for channel in ("tx", "ty", "tz", "rx", "ry", "rz")]]
        assert give == pytest.approx(matrix @ wrench, rel=1e-6, abs=1e-15)
        assert give @ np.array(wrench) > 0.0  # the load does work


def test_masses_and_characteristics() -> None:
    data = reference().data
    masses = data.masses
    assert masses.sprung_mass == hand.BODY
    assert masses.sprung_centre == pytest.approx([1.8, 0.025, 0.5])
    own = 1100.0 * 0.025**2 + 100.0 * 0.275**2
    assert np.diag(masses.sprung_inertia) == pytest.approx([405.0 + own, 1510.0, 1610.0 + own])
    assert data.centres[Corner.RR] == pytest.approx((0.4, -0.75, 0.3))
    assert masses.unsprung[Corner.FL] == 45.0
    assert masses.spin_inertia[Corner.RL] == 1.5
    assert masses.yaw_inertia[Corner.RL] == pytest.approx(1.1)
    assert data.steering_ratio == pytest.approx(1.0 / hand.STEERING)
    damper = data.dampers[Corner.FR]
    assert damper.x.tolist() == [-0.5, 0.0, 1.0]
    assert damper.y.tolist() == [-400.0, 0.0, 2000.0]
    assert data.brake_torques == {Axle.FRONT: pytest.approx(1500.0), Axle.REAR: pytest.approx(750.0)}
    assert data.brake_pressure == pytest.approx(150e5)
    assert data.air is not None
    assert data.air.drag == pytest.approx(0.3 * AIR)
    assert (data.air.lift_front, data.air.lift_rear) == pytest.approx((0.05 * AIR, 0.05 * AIR))
    tyre, same = data.tyres["Summer"], read_tir(SAMPLES["lcv_mf52"])
    names = [name for name in same.given if name in tyre.given]
    assert len(names) > 100
    assert {name: tyre.coefficients[name] for name in names} == {name: same.coefficients[name] for name in names}


def test_reference_goes_before_the_vehicle_file(tmp_path: Path) -> None:
    path = folder() / "other.toml"
    text = (folder() / "reference.toml").read_text()
    chassis = folder().parent / "project" / "Data" / "Chassis"
    text += f'name = "other"\n[steering]\nratio = 0.01\n[kc]\nfront = "{chassis}/Front.skc"\nrear.anti_roll_bar = 0\n'
    path.write_text(text)
    other = read_reference(path)
    assert (other.name, other.data.steering_ratio) == ("other", 0.01)
    assert at(other.maps[Axle.REAR].roll, 0.01, name="Fz_left_of_bar") == pytest.approx(0.0, abs=1e-6)
    assert np.array_equal(other.maps[Axle.FRONT].ride.values, reference().maps[Axle.FRONT].ride.values)


def test_spring_without_free_length_carries_the_axle(tmp_path: Path) -> None:
    there = hand.write(tmp_path)
    car = tmp_path / "project/Data/Vehicle/Own/Hatchback"
    car.write_text(car.read_text().replace("SuspR.Spring.l0", "SuspR.Spring.unknown"))
    ride = read_reference(there).maps[Axle.REAR].ride
    rear = hand.GRAVITY * (hand.BODY * 1.2 / 2.6 + 2.0 * (hand.WHEEL + hand.CARRIER))
    assert at(ride, 0.0, name="Fz_left") + at(ride, 0.0, name="Fz_right") == pytest.approx(rear, rel=1e-6)


@pytest.mark.parametrize(
    ("name", "old", "new", "says"),
    [
        ("Vehicle/Own/Hatchback", "Body.mass = 1100.0", "Body.mass = heavy", "'heavy' at 'Body.mass' is not a number"),
        ("Vehicle/Own/Hatchback", "Kin.0.FName = Rear.skc", "Kin.0.FName = Far.skc", "names 'Far.skc'"),
        ("Vehicle/Own/Hatchback", "nAxle = 2", "nAxle = 3", "more axles than two"),
        ("Vehicle/Own/Hatchback", "Wheel.rl.pos = -2.6 0.75 0", "Wheel.rl.pos = -2.6", "has 1 values, 3 are needed"),
        (
            "Vehicle/Own/Hatchback",
            "Steering.Rack2StWhl = 90.0",
            "Steering.Rack2StWhl:\n\t-90 0.1\n\t90 -0.1",
            "a table",
        ),
        ("Vehicle/Own/Hatchback", "nAxle = 2", "nAxle = 2\nnAxle = 2", "'nAxle' stands already in line"),
        ("Vehicle/Own/Hatchback", "SuspR.Spring.Kind = Hookean 1", "SuspR.Spring.Kind = Air 1", "is 'Air'"),
        ("Chassis/Rear.skc", "Kin.0.Kind = MapNL", "Kin.0.Kind = Cubic", "is 'Cubic'"),
        ("Chassis/Rear.skc", "Kin.0.L.Arg = comp comp", "Kin.0.L.Arg = comp", "'SuspR.Kin.0.L.Arg' is 'comp'"),
        ("Chassis/Rear.skc", "\t0 3 ", "\t0 4 ", "each of 11 × 11 points once"),
        ("Chassis/Rear.skc", "\t0 3 ", "\t0 3 7 ", "the line of 'SuspR.Kin.0.L.Data' has 13 values, 12 are needed"),
        ("Chassis/Rear.skc", "SuspR", "SuspF", "kinematics of the rear axle"),
        (
            "Tire/Summer",
            "Tire-MF52 2",
            "Tire-RTTire 3",
            "fitting a Magic Formula to its forces comes with a later release",
        ),
    ],
)
def test_problems_name_file_line_and_value(tmp_path: Path, name: str, old: str, new: str, says: str) -> None:
    there = hand.write(tmp_path)
    path = tmp_path / "project" / "Data" / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(InputError) as caught:
        read_reference(there)
    problems = [problem for problem in caught.value.problems if says in problem.text]
    assert problems, str(caught.value)
    assert problems[0].place.file is not None
    assert problems[0].place.file.resolve() == path.resolve()


def test_keys_of_suspension_data_are_documented(tmp_path: Path) -> None:
    """Those that only a folder with a vehicle file of CarMaker, or a mapping file, asks for."""
    document = Document(hand.write(tmp_path) / "reference.toml")
    complete_from_carmaker(document)
    data = read_vehicle_data(document.root)
    assert data is not None
    figures = AxleFigures("", 1e4, 1.5, 2.6, (45.0, 45.0), lambda _side, _load: 0.3)
    for axle in Axle:
        assert read_maps(document, axle, figures) is not None
    keys = {key for section in document._sections.values() for key in section._known} - {"Summer"}
    assert {"vehicle", "skc", "free_length", "rebound_stop", "mapping"} <= keys
    page = (Path(__file__).resolve().parents[2] / "docs" / "reference_folder.md").read_text()
    named = set(re.findall(r"[A-Za-z_]\w*", " ".join(re.findall(r"`([^`]+)`", re.sub(r"(?s)```.*?```", "", page)))))
    assert sorted(keys - named) == []


# ------------------------------------------------------------------------------------------------ real samples

SAMPLE_FILES = [
    ("FS_RaceCar_4.0_front.skc", Axle.FRONT),
    ("FS_RaceCar_4.0_rear.skc", Axle.REAR),
    ("FSE06_susp_front.skc", Axle.FRONT),
    ("FSE06_susp_rear.skc", Axle.REAR),
    ("FS_Autonomous_front.skc", Axle.FRONT),
    ("FS_Autonomous_rear.skc", Axle.REAR),
]
needs_samples = pytest.mark.skipif(not REAL.is_dir(), reason="no sample files of CarMaker beside the project")


def turned(rx: float, rz: float, vector: tuple[float, float, float]) -> np.ndarray:
    """A vector of the wheel after its rotation about x, then about z."""
    c, s, d, t = np.cos(rx), np.sin(rx), np.cos(rz), np.sin(rz)
    about_x = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    return np.array([[d, -t, 0], [t, d, 0], [0, 0, 1]]) @ about_x @ np.array(vector, dtype=float)


@needs_samples
@pytest.mark.parametrize(("name", "axle"), SAMPLE_FILES)
def test_signs_of_real_suspensions(name: str, axle: Axle) -> None:
    """A racing car's double wishbones: in bump the top of a wheel leans inward, a left turn turns both wheels left."""
    suspension = read_suspension(read_infofile(next(REAL.rglob(name))), axle)
    left, right = (suspension.wheels[side] for side in Side)
    bump = float(left.knots[0][-1])
    for side, wheel in zip(Side, (left, right), strict=True):
        tops = [turned(at(wheel, c, 0.0, name="rx"), 0.0, (0, 0, 1))[1] * side.sign for c in (0.0, bump)]
        assert tops[1] < tops[0]  # more negative camber
        assert at(wheel, bump, 0.0, name="tz") > 0.01
        assert at(wheel, bump, 0.0, name="lSpring") < at(wheel, 0.0, 0.0, name="lSpring")
        if suspension.steered:
            assert turned(0.0, at(wheel, 0.0, 0.02, name="rz"), (1, 0, 0))[1] > 0.1
    for channel, sign in (("tx", 1), ("ty", -1), ("tz", 1), ("rx", -1), ("rz", -1), ("lSpring", 1)):
        for own, other in ((bump, 0.0), (-0.01, 0.01)):
            mirrored = -other if suspension.steered else other
            assert at(right, own, mirrored, name=channel) == pytest.approx(
                sign * at(left, own, other, name=channel), abs=1e-5
            )
    give = suspension.compliance[Side.LEFT]
    pose = ("tx", "ty", "tz", "rx", "ry", "rz")
    for force, moment in (("Frc.x", "Trq.y"), ("Frc.y", "Trq.x"), ("Frc.y", "Trq.z")):  # Maxwell's theorem
        one = give[force][pose.index(f"r{moment[-1]}")]
        other = give[moment][pose.index(f"t{force[-1]}")]
        assert one == pytest.approx(other, rel=0.1)


@needs_samples
def test_a_real_spring_carries_its_body() -> None:
    """Free length less length, times stiffness: the rear spring of a passenger car holds its body."""
    info = read_infofile(next(REAL.rglob("Demo_IPG_CompanyCar")))
    suspension = read_suspension(info, Axle.REAR)
    length = at(suspension.wheels[Side.LEFT], 0.0, 0.0, name="lSpring")
    force = info.number("SuspR.Spring", "") * (info.number("SuspR.Spring.l0", "") - length)
    front, rear, body = (info.numbers(f"{key}.pos", 3, "")[0] for key in ("Wheel.fl", "Wheel.rl", "Body"))
    share = (front - body) / (front - rear)
    assert force == pytest.approx(0.5 * hand.GRAVITY * info.number("Body.mass", "") * share, rel=0.01)


@needs_samples
def test_a_real_vehicle_stands_near_its_design_position(tmp_path: Path) -> None:
    tir = next(REAL.rglob("CONTINENTAL_FORMULASTUDENT_205_510_R13_80kPa.tir"))
    text = f'vehicle = "{next(REAL.rglob("FS_RaceCar_5.0"))}"\n[tyres.conti]\nfile = "{tir}"\n'
    text += "".join(f'[wheels.{axle}]\ntyres = "conti"\n' for axle in Axle)
    (tmp_path / "reference.toml").write_text(text)
    found = read_reference(tmp_path)
    for axle in Axle:
        ride = found.maps[axle].ride
        carried = ride.values[:, [ride.output_index(f"Fz_{side}") for side in Side]].sum(axis=1)
        masses = found.data.masses
        load = hand.GRAVITY * (masses.sprung_mass + sum(masses.unsprung.values()))
        x = float(masses.sprung_centre[0])
        share = (x - 0.5) / 1.6 if axle is Axle.FRONT else (2.1 - x) / 1.6
        expected = hand.GRAVITY * masses.sprung_mass * share
        expected += hand.GRAVITY * sum(mass for corner, mass in masses.unsprung.items() if corner.axle is axle)
        assert 0.4 * load < expected < 0.6 * load
        assert abs(float(np.interp(expected, carried, ride.knots))) < 5e-3


@needs_samples
@pytest.mark.parametrize("pressure", [80, 100])
def test_a_real_magic_formula_is_that_of_its_property_file(pressure: int) -> None:
    """Both forms of the same tyre; the authors changed the relaxation in one of them."""
    one = read_tyre(next(REAL.rglob(f"CONTINENTAL_FS_205_510_R13_{pressure}kPa")))
    other = read_tir(next(REAL.rglob(f"CONTINENTAL_FORMULASTUDENT_205_510_R13_{pressure}kPa.tir")))
    differ = {name for name in other.coefficients if one.coefficients[name] != pytest.approx(other.coefficients[name])}
    assert differ <= {"LONGVL", "PTX1", "PTX2", "PTX3", "PTY1", "PTY2"}
