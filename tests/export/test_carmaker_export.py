"""Data sets of CarMaker: written and read they are the model; keys are those of samples; rules notice mistakes."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pytest
from scipy.interpolate import PchipInterpolator

import asymmetric_vehicles as asymmetric
from trackrod.adams.source import open_vehicle
from trackrod.convert.conversion import Compliance, convert
from trackrod.core import signals
from trackrod.core.corners import Axle
from trackrod.core.errors import InputError, Severity
from trackrod.core.infofile import parse_infofile, read_infofile
from trackrod.export.carmaker import VERSIONS, carmaker_data_set, export_carmaker
from trackrod.export.carmaker.elements import AxleElements, kinematics_map
from trackrod.export.carmaker.rules import check_suspension, check_tyre, check_vehicle
from trackrod.export.carmaker.static_compliance import quasi_static
from trackrod.manoeuvres.registry import manoeuvre_class
from trackrod.multibody.steering import SteeringModel
from trackrod.reference import read_reference
from trackrod.reference.carmaker_model import read_carmaker
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.layout import CHANNELS
from trackrod.rtm.levers import felt, over_opposite_travel
from trackrod.rtm.spec import Curve, RtmSpec
from trackrod.simulate.drive import simulate
from trackrod.workflow.stages.convert import convert_directly

REAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "carmaker"
needs_samples = pytest.mark.skipif(not REAL.is_dir(), reason="no sample files of CarMaker beside the project")
#: Sample vehicles by the versions of CarMaker that they are of.
SAMPLES = {9: "FS_RaceCar_5.0", 10: "Demo_IPG_CompanyCar", 13: "FS_Autonomous"}
#: What parameters of a tuned model are multiplied by.
TUNED = {
    "sprung_mass": 0.95,
    "cg_height": 1.1,
    "spring_factor_front": 1.1,
    "spring_factor_rear": 0.9,
    "antiroll_factor_front": 1.3,
    "antiroll_factor_rear": 0.8,
    "damper_factor_front": 0.8,
    "damper_factor_rear": 1.2,
    "stop_factor_front": 1.1,
    "compliance_factor_front": 1.2,
    "compliance_factor_rear": 0.7,
    "engine_factor": 0.9,
}


@cache
def asymmetric_model() -> RtmSpec:
    """A van whose sides differ, from a small K&C, with a quasi-static compliance."""
    van = asymmetric.vehicle(asymmetric.VAN)
    return convert(van, asymmetric.maps(asymmetric.VAN), compliance=Compliance.QUASI_STATIC).spec


@cache
def model() -> RtmSpec:
    """The same with force elements that are alike on both sides, which CarMaker can hold."""
    spec = asymmetric_model()
    wheels = list(spec.wheels)
    for left in (0, 2):
        alike = {
            name: getattr(wheels[left], name) for name in ("spring", "stops", "damper", "bump_base", "rebound_base")
        }
        wheels[left + 1] = replace(wheels[left + 1], **alike)
    return replace(spec, name="van", wheels=tuple(wheels))


def again(spec: RtmSpec, version: int = 10) -> RtmSpec:
    """Written and read."""
    folder = Path(mkdtemp(prefix="trackrod_carmaker_"))
    made, _ = export_carmaker(spec, folder, version)
    return read_carmaker(folder / made.vehicle).spec


@cache
def van_again() -> RtmSpec:
    return again(model())


@cache
def texts(version: int = 10) -> dict[Path, str]:
    return carmaker_data_set(model(), version).files


def followed(curve: Curve, at: np.ndarray) -> np.ndarray:
    return np.asarray(PchipInterpolator(curve.x, curve.y)(at))


@pytest.mark.parametrize("i", range(4))
def test_kinematics_are_those_of_the_model(i: int) -> None:
    """Each side its own: the vehicle is asymmetric. Places count from where a wheel is at the design position."""
    one, other = model().wheels[i], van_again().wheels[i]
    first, second = (item.ravel() for item in np.meshgrid(one.first[1:4], one.second[1:4], indexing="ij"))
    at_design = [kinematics_map(wheel).value(0.0, 0.0) for wheel in (one, other)]
    values = [kinematics_map(wheel).value(first, second) for wheel in (one, other)]
    for k, name in enumerate(CHANNELS):
        if name == "spring_length":
            continue
        moved = at_design[0][k] if name in ("tx", "ty", "tz") else 0.0
        # own and opposite compressions at knots of five by five points are no knots at a rear axle
        close = 1e-12 if one.corner.axle is Axle.FRONT else 0.05 * np.ptp(values[0][:, k]) + 1e-6
        assert values[1][:, k] == pytest.approx(values[0][:, k] - moved, abs=close), name
    place = np.array(other.centre) - np.array(one.centre) - at_design[0][:3]
    assert place == pytest.approx([place[0], 0.0, 0.0], abs=1e-12)
    for mine, read in zip(one.compliance, other.compliance, strict=True):
        assert read.own == pytest.approx(mine.own, abs=1e-15)
        assert read.opposite == pytest.approx(mine.opposite, abs=1e-15)
        assert read.own_load == pytest.approx(mine.own_load)
    if one.opposite.size:
        read_at = PchipInterpolator(other.opposite, other.in_roll)(one.opposite)
        known = [CHANNELS.index(name) for name in ("tx", "ty", "rx", "ry", "rz")]
        assert read_at[:, known] == pytest.approx(one.in_roll[:, known], abs=1e-12)


@pytest.mark.parametrize("i", range(2))
def test_forces_are_those_of_the_model(i: int) -> None:
    spec, read = model(), van_again()
    left, same = spec.wheels[2 * i], read.wheels[2 * i]
    z = np.linspace(-0.07, 0.07, 15)
    assert followed(same.spring, z) == pytest.approx(followed(left.spring, z), abs=1.0)
    assert followed(same.damper, z) == pytest.approx(followed(left.damper, z), rel=1e-9, abs=1e-9)
    assert (same.bump_base, same.rebound_base) == pytest.approx((left.bump_base, left.rebound_base), abs=5e-3)
    ends = np.array([left.stops.x[0], left.stops.x[-1]])
    assert followed(same.stops, ends) == pytest.approx(followed(left.stops, ends), rel=1e-6)
    knots = read.axles[i].roll.x
    inside = knots[np.abs(knots) <= spec.axles[i].roll.x[-1]]
    rolled, again_rolled = (over_opposite_travel(s.axles[i].lever, s.axles[i].roll, inside) for s in (spec, read))
    assert again_rolled == pytest.approx(rolled, abs=0.01 * np.abs(rolled).max())


@pytest.mark.parametrize("i", range(2))
def test_lengths_make_the_forces_of_the_model(i: int) -> None:
    """Virtual work by differences of lengths, at any travels and rack: springs, bar, its levers, what the rack does."""
    spec, axle = model(), list(Axle)[i]
    p, both = spec.parameters, np.random.default_rng(1).uniform(-0.06, 0.06, (60, 2))
    rack = np.resize(np.linspace(-0.03, 0.03, 7), len(both))
    elements = AxleElements(spec, axle)

    def lengths(of: str, both: np.ndarray) -> np.ndarray:
        second = (rack, rack) if i == 0 else (both[:, 1], both[:, 0])
        return np.column_stack([getattr(elements, of)(both[:, k], second[k], k) for k in range(2)])

    free, pressed, force = elements.spring_table()
    push = Curve(pressed, force).followed(free - lengths("spring_lengths", both))[0]
    ends = lengths("bar_lengths", both)
    twist = elements.bar * (ends[:, 0] - ends[:, 1])
    found, wanted = np.zeros_like(both), np.zeros_like(both)
    for k, sign in enumerate((1.0, -1.0)):
        step = 1e-5 * np.eye(2)[k]
        springs, bars = (
            (lengths(of, both + step) - lengths(of, both - step)) / 2e-5 for of in ("spring_lengths", "bar_lengths")
        )
        found[:, k] = -(push * springs).sum(axis=1) + twist * (bars[:, 0] - bars[:, 1])
        wheel, (travel, lever) = spec.wheels[2 * i + k], felt(spec.axles[i].lever, both)
        in_roll = spec.axles[i].roll.followed(0.5 * (travel[:, 0] - travel[:, 1]))[0]
        wanted[:, k] = wheel.spring.followed(both[:, k])[0] - p["gravity"] * p[f"unsprung_mass_{axle}"]
        wanted[:, k] += sign * in_roll * lever[:, k] + wheel.by_rack.followed(rack)[0]
    # on an axle with a rack each end of the bar knows its own wheel: what is not linear is exact in opposite travel;
    # the rear axle of this van does not roll alike to both sides, its springs do
    assert found == pytest.approx(wanted, abs=15.0 if i == 0 else 20.0)
    if i == 0:
        assert max(np.abs(wheel.by_rack.followed(rack)[0]).max() for wheel in spec.wheels[:2]) > 100.0
        assert np.abs(felt(spec.axles[0].lever, both)[1] - 1.0).max() > 0.02


def test_levers_and_what_the_rack_does_are_read_again() -> None:
    spec, read = model(), van_again()
    for one, other in zip(spec.wheels[:2], read.wheels[:2], strict=True):
        racks = one.by_rack.x * (np.sign(spec.parameters["steering_ratio"]) or 1.0)
        changes = other.by_rack.followed(racks)[0]
        assert changes == pytest.approx(one.by_rack.y, abs=0.02 * np.abs(one.by_rack.y).max())
    z = np.linspace(-0.06, 0.06, 7)
    assert felt(read.axles[0].lever, z)[0] == pytest.approx(felt(spec.axles[0].lever, z)[0], abs=7e-4)  # 5 knots
    lost = " ".join(carmaker_data_set(spec).lost)
    assert "rack" not in lost.replace("tracks", "")
    assert "levers" not in lost


def test_numbers_are_those_of_the_model() -> None:
    spec, read = model(), van_again()
    for name, value in spec.parameters.items():
        if name.startswith("standing_travel"):
            continue  # found again
        off = value - read.parameters[name]
        if name == "cg_to_front":  # the front wheels are where they are at the design position
            off += kinematics_map(spec.wheels[0]).value(0.0, 0.0)[0]
        assert off == pytest.approx(0.0, abs=1e-9 * max(1.0, abs(value))), name
    assert [len(wheel.tyres) for wheel in read.wheels] == [1, 1, 2, 2]
    assert {place.offset for place in read.wheels[3].tyres} == {0.1275, -0.1275}
    assert spec.powertrain is not None
    assert read.powertrain is not None
    assert read.powertrain.engine.torque == pytest.approx(spec.powertrain.engine.torque, rel=1e-12)
    assert read.powertrain.gearbox.upshift == pytest.approx(spec.powertrain.gearbox.upshift)
    assert [axle.drive_on_carrier for axle in read.axles] == [False, True]
    for name, tyre in spec.tyres.items():
        assert read.tyres[name].values() == pytest.approx(tyre.values(), abs=0.0)


@cache
def small_car() -> RtmSpec:
    """The car of the small reference folder: its maps have knots enough for runs that agree."""
    return read_reference(Path(__file__).resolve().parents[2] / "examples" / "rig_folder").conversion.spec


def driven(spec: RtmSpec) -> dict[str, np.ndarray]:
    step = manoeuvre_class("step_steer").from_text({"steering_wheel_angle_deg": "20", "hold_s": "1.5"})
    run = simulate(RealTimeVehicle(spec), step)
    return {s.name: run[s] for s in (signals.VX, signals.AY, signals.YAW_RATE, signals.ROLL, signals.PITCH)}


def test_a_tuned_model_drives_the_same() -> None:
    """Factors are applied to what is written; in the read model all of them are one."""
    car = small_car()
    tuned = car.with_parameters(**{name: factor * car.parameters[name] for name, factor in TUNED.items()})
    read = again(tuned, 13)
    assert {value for name, value in read.parameters.items() if "_factor_" in name} == {1.0}
    one, other, untuned = driven(tuned), driven(read), driven(car)
    one.pop("pitch")  # of a car with seven knots over its travel
    for name, curve in one.items():
        largest = np.abs(curve).max()
        assert np.abs(other[name] - curve).max() < 1e-3 * largest, name
        assert np.abs(untuned[name] - curve).max() > 5e-3 * largest or name == "vx"


def test_a_van_written_and_read_drives_the_same() -> None:
    """Solid axle, leaf springs, wheel loads that levers and rack change: within 0.1 % in everything that it does."""
    van = open_vehicle("lcv_7t").vehicle
    spec = convert_directly(van, compliance=Compliance.QUASI_STATIC, steering=SteeringModel.RATIO).spec
    one, other = driven(spec), driven(again(spec))
    for name, curve in one.items():
        assert np.sqrt(np.mean((other[name] - curve) ** 2)) < 1e-3 * np.abs(curve).max(), name


def test_negative_roll_stiffness_in_closed_form() -> None:
    """A spring of stiffness k that feels the share b of the opposite travel has b² k in roll: b² = 1 + gain / k."""
    spec = model()
    k, gain, x = 1e5, -3e4, np.linspace(-0.08, 0.08, 9)
    wheels = [replace(wheel, spring=Curve(x, 2e4 + k * x)) for wheel in spec.wheels]
    rear = replace(spec.axles[1], roll=Curve(x, gain * x), antiroll=Curve(x, 0.0 * x))
    elements = AxleElements(replace(spec, wheels=tuple(wheels), axles=(spec.axles[0], rear)), Axle.REAR)
    assert (elements.bar, elements.roll_gain) == (0.0, pytest.approx(gain))
    parallel = elements.spring_lengths(x, x, 0)
    opposite = elements.spring_lengths(x, -x, 0)
    assert np.diff(parallel) == pytest.approx(-np.diff(x), abs=1e-12)
    assert np.diff(opposite) == pytest.approx(-np.sqrt(1.0 + gain / k) * np.diff(x), abs=1e-9)
    front = replace(spec.axles[0], roll=Curve(x, gain * x), antiroll=Curve(x, 0.0 * x))
    with pytest.raises(InputError, match="negative roll stiffness"):
        AxleElements(replace(spec, axles=(front, rear)), Axle.FRONT)


def test_moving_compliance_where_it_comes_to_rest() -> None:
    """Against tables of the rig: what a load does to its own wheel; wheels of a solid axle are not by themselves.

    Axles that move are linear but for bushings that stiffen in corners: a single load along x, as large as the wheel
    load, is not what they were matched to.
    """
    tables, moving = asymmetric_model(), quasi_static(asymmetric.converted(asymmetric.VAN).spec)
    for one, other in zip(tables.wheels, moving.wheels, strict=True):
        for k, close in ((0, 0.35), (1, 0.35), (2, 0.1), (3, 0.1)):
            mine, read = one.compliance[k], other.compliance[k]
            own = np.column_stack([np.interp(mine.own_load, read.own_load, column) for column in read.own.T])
            assert np.abs(own - mine.own).max() < close * np.abs(mine.own).max(), (one.corner, k)
    assert all(axle.elasticity is None for axle in moving.axles)


# ------------------------------------------------------------------------------------------------ keys and rules


def as_pattern(key: str) -> str:
    """Numbers of compliances, maps and bodies do not matter."""
    return re.sub(r"\.\d+(?=\.|$)", ".#", key)


@needs_samples
@pytest.mark.parametrize("version", SAMPLES)
def test_keys_and_their_order_are_those_of_a_sample(version: int) -> None:
    sample = list(read_infofile(next(REAL.rglob(SAMPLES[version]))).keys())
    path, text = next((path, text) for path, text in texts(version).items() if path.parent.name == "Vehicle")
    written = [key for key in parse_infofile(text, path).keys() if not key.startswith("Trackrod.")]  # noqa: SIM118
    if version == 13:  # the sample is electric
        written = [key for key in written if not key.startswith("PowerTrain.") or ".Bdy." in key]
        written = [key for key in written if not re.search(r"(Engine|Gearbox.*|Tank)\.Bdy\.(mass|I)$", key)]
    known = set(sample) | {"SuspF.Spring.l0", "SuspR.Spring.l0", "SuspR.Kin.0.FName"}
    known |= {"Sensor.Comment", "Brake.System.Kind", *(f"Brake.System.{name}" for name in BRAKES)}
    assert [key for key in written if key not in known] == []
    places = {key: k for k, key in enumerate(sample)}
    there = [key for key in written if key in places]
    assert [(one, other) for one, other in pairwise(there) if places[one] > places[other]] == []


#: Brakes of the other sample vehicles of version 9: the one here has them in another file.
BRAKES = "pMC_based_on Pedal2PedalFrc PedalForce2pMC tResp tBuildUp pWB2Trq Park.Torque_max".split()  # noqa: SIM905


@needs_samples
@pytest.mark.parametrize("axle", list(Axle))
def test_tables_have_the_shape_of_a_sample(axle: Axle) -> None:
    sample = read_infofile(next(REAL.rglob(f"FS_Autonomous_{axle}.skc")))
    path, text = next((path, text) for path, text in texts().items() if path.name == f"van_{axle}.skc")
    written, prefix = parse_infofile(text, path), f"Susp{str(axle)[0].upper()}"
    for key in (f"{prefix}.Kin.0.L", f"{prefix}.Kin.0.R"):
        assert written.text(f"{key}.Data.Name").split() == sample.text(f"{key}.Data.Name").split()
        assert written.text(f"{key}.Arg").split() == sample.text(f"{key}.Arg").split()
        empty = [row for row in written.lines(f"{key}.Data") if row == '""']
        assert len(empty) == written.row(f"{key}.Arg0", "").size
        assert [row for row in sample.lines(f"{key}.Data") if row == '""']
    keys = [key for key in sample.keys() if ".Kin." in key]  # noqa: SIM118
    assert [key for key in written.keys() if ".Kin." in key and ".Kin.1" not in key] == keys  # noqa: SIM118


@needs_samples
def test_samples_keep_the_rules() -> None:
    """So that no rule is one of this program alone."""
    vehicles = [path for path in REAL.rglob("Vehicle/**/*") if path.is_file()]
    checks = [(check_vehicle, vehicles), (check_suspension, list(REAL.rglob("*.skc")))]
    checks.append((check_tyre, list(REAL.rglob("CONTINENTAL_FS*"))))
    for check, paths in checks:
        assert len(paths) >= 2
        for path in paths:
            assert list(check(path.read_text(errors="replace"), read_infofile(path))) == []


@needs_samples
def test_samples_written_and_read_are_unchanged() -> None:
    """All keys in their order, all values, all lines."""
    paths = [path for path in REAL.rglob("*") if path.is_file() and path.read_bytes().startswith(b"#INFOFILE")]
    assert len(paths) > 25
    for path in paths:
        info = read_infofile(path)
        same = parse_infofile(info.composed(), path)
        assert list(same.keys()) == list(info.keys())
        for key in info.keys():  # noqa: SIM118
            assert (same.text(key), same.lines(key)) == (info.text(key), info.lines(key))


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_keeps_the_rules(version: int) -> None:
    assert f"CarMaker-Car {version}" in texts(version)[Path("Data/Vehicle/van")]


@pytest.mark.parametrize(
    ("name", "old", "new", "says"),
    [
        ("van", r"^#INFOFILE1", "#INFO", "first line"),
        ("van", r"^Body\.mass = .*$", "", "'Body.mass' is missing"),
        ("van", r"^Body\.mass = ", "Body.mass = -", "'Body.mass' must be greater than zero"),
        ("van", r"^(nAxle = 2)\n(VehicleModel\.Kind.*)$", r"\2\n\1", "must stand after"),
        ("van", r"^(Wheel\.fl\.pos = \S+) ", r"\1 -", "left wheels have y > 0"),
        ("van", r"^(Body\.I = .*) \S+$", r"\1", "needs 6 numbers"),
        ("van", r"^SuspR\.Damper\.Kind = .*$", "SuspR.Damper.Kind = Air 1", "samples have Newtonian 1"),
        ("van", r"^SuspR\.Damp_Push:\n\t0\.0 0\.0", "SuspR.Damp_Push:\n\t0.0 5.0", "must begin with 0 0"),
        ("van", r"^SuspF\.Buf_Pull\.tz0 = -", "SuspF.Buf_Pull.tz0 = ", "not above zero"),
        ("van", r"^(PowerTrain\.GearBox\.EtaForwardGears = .*) \S+$", r"\1", "each gear has an efficiency"),
        ("van", r"^(PowerTrain\.Engine\.DragPower:\n)", "\\1\t9000 -5\n", "must increase"),
        ("van_rear.skc", r"^\t2 3 .*\n", "", "must have 5 × 5 points"),
        ("van_rear.skc", r"^\t2 3 ", "\t2 4 ", "must have 5 × 5 points"),
        ("van_front.skc", r"^(SuspF\.Kin\.0\.L\.Arg1 = \S+) ", r"\1 9 ", "must increase"),
        ("van_front.skc", r"lDamp lBuf", "lBuf lDamp", "in their order"),
        ("van_front.skc", r"^(\t4 2 .*) \S+$", r"\1 -1.0", "'lStabi' of 'SuspF.Kin.0.L.Data' is not increasing"),
        ("van_front.skc", r"^(\t2 2) \S+", r"\1 0.01", "must be 0 at the design position"),
        ("van_front.skc", r"L\.Arg = FrcOpp\.x", "L.Arg = Frc.w", "must be a load"),
        ("lcv_225_75_r16c_rear", r"Units\.LENGTH = meter", "Units.LENGTH = mm", "must be meter"),
        ("lcv_225_75_r16c_rear", r"^Lat\.PCY1 = .*$", "", "'Lat.PCY1' is missing"),
    ],
)
def test_mistakes_are_noticed(name: str, old: str, new: str, says: str) -> None:
    path, text = next((path, text) for path, text in texts().items() if path.name == name)
    checks = {"Vehicle": check_vehicle, "Chassis": check_suspension, "Tire": check_tyre}
    check = checks[path.parent.name]
    assert list(check(text, parse_infofile(text, path))) == []
    changed = re.sub(old, new, text, count=1, flags=re.MULTILINE)
    assert changed != text
    found = [problem.text for problem in check(changed, parse_infofile(changed, path))]
    assert [text for text in found if says in text], found


def test_what_breaks_a_rule_is_not_written(tmp_path: Path) -> None:
    folded = model().wheels[2].kinematics.copy()
    folded[..., CHANNELS.index("damper_length")] *= -1.0
    wheels = list(model().wheels)
    wheels[2] = replace(wheels[2], kinematics=folded)
    with pytest.raises(InputError, match=r"'lDamp' .* turns back") as caught:
        export_carmaker(replace(model(), wheels=tuple(wheels)), tmp_path)
    assert caught.value.problems[0].severity is Severity.ERROR
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_held_is_refused_or_named() -> None:
    spec = model()
    assert spec.powertrain is not None
    with pytest.raises(InputError, match="version 8 of CarMaker is not written"):
        carmaker_data_set(spec, 8)
    with pytest.raises(InputError, match="drives both axles"):
        carmaker_data_set(replace(spec, powertrain=replace(spec.powertrain, front_share=0.4)))
    with pytest.raises(InputError, match="has no powertrain"):
        carmaker_data_set(replace(spec, powertrain=None))
    moving = asymmetric.converted(asymmetric.VAN, elastic_steering=True).spec
    lost = " ".join(carmaker_data_set(moving.with_parameters(friction_front=50.0)).lost)
    for what in (
        "moving compliance",
        "elastic steering",
        "dry friction of the front",
        "dampers of the rear",
        "springs",
    ):
        assert what in lost


def test_the_page_names_every_key() -> None:
    files = texts()
    page = files[Path("van_keys.md")]
    named = set(re.findall(r"\| `([^`]+)` \|", page))
    for path, text in files.items():
        if path.suffix == ".md":
            continue
        for key in parse_infofile(text, path).keys():  # noqa: SIM118
            assert re.sub(r"(?<=\.)(?:fl|fr|rl|rr|\d+|L|R)(?=\.|$)", "*", key) in named
    assert "distance of twin tyres" in page
