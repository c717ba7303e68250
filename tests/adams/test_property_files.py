"""Readers of Adams property files: real files by hand-checked numbers, written examples, bad input, garbled input."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trackrod.adams import property_files as pf
from trackrod.adams.property_files import source as pf_source
from trackrod.core.errors import FileFormatError, MissingFileError, Severity, TrackrodError, UnitError
from trackrod.core.units import UNIT_WORDS
from trackrod.vehicle.experiments import SteeringMode, VerticalMode
from trackrod.vehicle.leaf import AxleMount

DEGREE = math.pi / 180
CDB = Path("adams/BCAE_SLIIT_Three_Wheeler/SLIIT_Demo_ThreeWheeler.cdb")
Reader = Callable[[Path], tuple[object, tuple[object, ...]]]

# ---------------------------------------------------------------------------------------- examples of every kind


def teimorbit(file_type: str, body: str, units: str = "") -> str:
    units = units or " LENGTH='mm'\n FORCE='newton'\n ANGLE='deg'\n MASS='kg'\n TIME='sec'\n"
    header = f"[MDI_HEADER]\n FILE_TYPE = '{file_type}'\n FILE_VERSION = 4.0\n FILE_FORMAT = 'ASCII'\n"
    return f"{header}[UNITS]\n{units}{body}"


USER_UNITS = """(BASE)
{length force angle mass time}
 'mm' 'newton' 'degrees' 'kg' 'sec'
(USER)
{unit_type length force angle mass time conversion}
 'rpm'  0 0 1 0 -1 6.0
 'Nm'   1 1 0 0 0 1000.0
"""

SPR = teimorbit(
    "spr", "[SPRING_DATA]\n FREE_LENGTH = 280.0\n[CURVE]\n{disp force}\n-50.0 -1000.0\n0.0 0.0\n50.0 1500.0\n"
)
DPR = teimorbit("dpr", "[CURVE]\n{vel force}\n-1000.0 -500.0\n0.0 0.0\n1000.0 1200.0\n")
BUM = teimorbit("bum", "[CURVE]\n{disp force}\n0.0 0.0\n10.0 100.0\n30.0 4000.0\n")
REB = teimorbit("reb", "[CURVE]\n{disp force}\n0.0 0.0\n5.0 800.0\n12.0 6000.0\n")
BUS = teimorbit(
    "bus",
    "[DAMPING]\n"
    + "".join(f" {name}_DAMPING = {index + 1}.0\n" for index, name in enumerate(("FX", "FY", "FZ", "TX", "TY", "TZ")))
    + "".join(
        f"[{name}_CURVE]\n{{{'a' * (name[0] == 'T')}{name[1].lower()} {name.lower()}}}\n"
        f"-1.0 -{100 * k}.0\n1.0 {100 * k}.0\n"
        for k, name in enumerate(("FX", "FY", "FZ", "TX", "TY", "TZ"), 1)
    ),
)
PWR = teimorbit(
    "pwr",
    "[ENGINE]\n(Z_DATA)\n{throttle}\n0.0\n0.5\n1.0\n(XY_DATA)\n{engine_speed <rpm> torque@throttle <Nm>}\n"
    "0 -10 20 40\n3000 -30 90 200\n6000 -60 80 180\n",
    USER_UNITS,
)
DIF = teimorbit(
    "dif", "[DIFFERENTIAL]\n(XY_DATA)\n{slip_speed<rpm> torque <torque>}\n-60 -5000\n0 0\n60 5000\n", USER_UNITS
)
STE = teimorbit(
    "ste",
    "[TORSION_BAR]\n(XY_DATA)\n{tbar_deflection <angle> tbar_torque <Nm>}\n-5 -10\n0 0\n5 10\n"
    "[STEERING_ASSIST]\npiston_area <area> = 600.0\n(XY_DATA)\n{tbar_deflection <angle> delta_pressure <pressure>}\n"
    "-5 -8\n0 0\n5 8\n",
    USER_UNITS,
)
TCF = teimorbit(
    "tcf",
    "[TORQUE_CONVERTER_HEADER]\n MODEL = 'torque_ratio_capacity_factor'\n CLUTCH_ACTIVE = 'yes'\n"
    "[CLUTCH]\n MASS = 2.0\n IXX = 1000.0\n IYY = 1000.0\n IZZ = 2000.0\n"
    " CLUTCH_TORSIONAL_STIFFNESS = 18\n CLUTCH_TORSIONAL_DAMPING = 19\n"
    " CHANGE_OVER_POINT = 0.8\n CLUTCH_SLIP_GAIN = 0.6\n[TORQUE_RATIO]\n(XY_DATA)\n{speed_ratio torque_ratio}\n"
    "0.0 2.0\n0.9 1.0\n[CAPACITY_FACTOR]\n(XY_DATA)\n{speed_ratio capacity_factor}\n0.0 10.0\n0.9 20.0\n",
)
LCF = teimorbit(
    "lcf",
    "[MODE]\n STEERING_MODE = 'angle'\n VERTICAL_MODE = 'length'\n[DATA]\n"
    "{whl_z_l whl_z_r lat_l lat_r align_l align_r brake_l brake_r drive_l drive_r steer}\n"
    "1 2 3 4 5 6 7 8 9 10 90\n-1 -2 -3 -4 -5 -6 -7 -8 -9 -10 -90\n",
)
DCF = teimorbit(
    "dcf",
    "[EXPERIMENT]\n EXPERIMENT_NAME = 'step'\n INITIAL_SPEED = 20000.0\n INITIAL_GEAR = 4\n(MINI_MANEUVERS)\n"
    "{mini_maneuver abort_time step_size}\n'FIRST' 1.0 0.01\n'LAST' 5.0 0.002\n[FIRST]\n(STEERING)\n METHOD = 'OPEN'\n"
    "(END_CONDITIONS)\n{measure test value}\n'TIME' '==' 1.0\n[LAST]\n(STEERING)\n METHOD = 'MACHINE'\n",
)

AFC = """<?xml version="1.0" encoding="ISO-8859-1"?>
<afc xmlns="http://example.org/vfc" xmlns:afc="http://example.org/afc">
  <afc:Units>
    <afc:UnitSetting name="angle" current="degrees" />
    <afc:UnitSetting name="current" current="ampere" />
    <afc:UnitSetting name="force" current="newton" />
    <afc:UnitSetting name="length" current="mm" />
    <afc:UnitSetting name="mass" current="kg" />
    <afc:UnitSetting name="time" current="second" />
  </afc:Units>
{body}
</afc>
"""
SPRING_LINES = """  <SpringProperties rate="40" freeLength="300" method="{method}" independentAxis="{axis}">
    <Spline name="spline_data">
      <![CDATA[
        {points}
]]>
    </Spline>
  </SpringProperties>"""


def spring_xml(method: str = "non_linear", axis: str = "deflection", points: str = "-10 -400\n0 0\n10 500") -> str:
    return AFC.replace("{body}", SPRING_LINES.format(method=method, axis=axis, points=points))


def _connector(name: str, rate: float) -> str:
    return (
        f'    <ConnectorDirectionComponent name="{name}">\n'
        f'      <ConnectorStiffness name="k" type="linear"><ConnectorLinearData rate="{rate}" /></ConnectorStiffness>\n'
        '      <ConnectorDamping name="c" type="linear">'
        f'<ConnectorLinearData rate="{rate / 100}" /></ConnectorDamping>\n'
        "    </ConnectorDirectionComponent>\n"
    )


def bushing_xml() -> str:
    parts = "".join(_connector(name, 1000.0 * index) for index, name in enumerate(("x", "y", "z", "rx", "ry", "rz"), 1))
    # One direction as curves, the way the schema writes them.
    curves = (
        '    <ConnectorDirectionComponent name="z">\n      <ConnectorStiffness name="k" type="spline">\n'
        "        <ConnectorSplineData><![CDATA[\n-2 -5000\n0 0\n2 7000\n]]></ConnectorSplineData>\n"
        '      </ConnectorStiffness>\n      <ConnectorDamping name="c" type="spline">\n'
        "        <ConnectorSplineData><![CDATA[-10 -20 10 20]]></ConnectorSplineData>\n"
        "      </ConnectorDamping>\n    </ConnectorDirectionComponent>\n"
    )
    parts = parts.replace(_connector("z", 3000.0), curves)
    return AFC.replace("{body}", f"  <ConnectorBushingProperties>\n{parts}  </ConnectorBushingProperties>")


RULE, DASHES = "=" * 40, "-" * 40
SIX = "1.0E+03 2000.0 3000.0 4.0E+06 5.0E+06 6.0E+06"
TABLE_NAMES = (
    "Front Leaf Eye Bushing 1-2",
    "Leaf Spring to Shackle 7-8",
    "Shackle to Frame 20-21",
    "Leaf-to-Leaf Bushing 1-1",
)


def leaf_section(number: int, profile: str, *, copy: int = 0) -> str:
    first = (
        "1 = 1, if every point is to be used for fitting,\n      0, if First and Last points are the bushing points\n"
    )
    further = (
        "1 = Auxiliary Leaf Flag\n2 = No. of Front Contact Points\n3 = No. of Rear  Contact Points\n"
        "2.5 = Center    Gap Distance between leaves\n1.5 = Front     Gap Distance\n3.5 = Rear      Gap Distance\n"
    )
    return (
        f"{RULE}\nLEAF # {number}\n{DASHES}\n{further if number > 1 else ''}600.0 = Front Leaf Length (mm)\n"
        "700.0 = Rear  Leaf Length (mm)\n6 = No. of Elements per Front Leaf (<= 45)\n"
        "7 = No. of Elements per Rear  Leaf\n"
        "12.0 = Seat (Leaf Center) Thickness (mm)\n70.0 = Seat (Leaf Center) Width (mm)\n"
        "206000.0 = Material Properties: Emod\n79000.0 = Material Properties: Gmod\n"
        "7.85e-06 = Material Properties: Density (kg/mm**3)\n0.1 = Material Properties: Damping\n1.2 = ASY\n1.3 = ASZ\n"
        f"{copy} = Leaf Profile to Copy (0 if data is included below)\n{first if number == 1 else ''}"
        "-5.0 = Z-offset leaf\n\n   X   Z   Thickness\n   ---   ---   ---\n"
        f"{profile}\n(Note: x of the centre must be 0)\n\n"
    )


PROFILE = "  -600  40.0  8\n     0   0.0 12\n   350  15.0\n   700  55.0  9\n"
LTF = (
    f"{RULE}\nLEAF_SPRING_TEMPLATE_NEW   TEMPLATE\n{DASHES}\n\n{RULE}\nUNITS\n{DASHES}\nLENGTH = mm\nMASS = kilogram\n"
    f"FORCE = newton\nTIME = second\nANGLE = degree\n\n{RULE}\nTITLE\n{DASHES}\n\nSome spring\n\n{RULE}\n"
    f"GENERAL INFORMATION\n{DASHES}\n2 = No. of Leaves\n.1 = Frictional Coefficient\n1.1 = Impact Exponent\n"
    "1.0 = Impact Distance\n100000.0 = Impact Stiffness\n20.0 = Impact Damping Coefficient\n"
    "0.1 = Impact Boundary Penetration\n7 = Leaf Spring ID Number\nNONLINEAR = Beam Formulation (LINEAR, NONLINEAR)\n\n"
    f"SUSPENSION BRACKET ATTACHMENT POINT\n{DASHES}\n\nGEOMETRY HARDPOINT  X Y Z X Y Z\n------  ------  ------\n"
    "Front Leaf Eye Bushing 1-2 -6.0E+02 -400.0 80.0 -600.0 400.0 80.0\n"
    f"Shackle to Frame 20-21 720.0 -410.0 170.0 720.0 410.0 170.0\n\nAXLE INFORMATION\n{DASHES}\n"
    "0.5 = Extra Mass on the Dummy Axle\n80 = Reference Marker to Leafpack\n100 = Front Inactive Length (mm)\n"
    "45 = Rear  Inactive Length (mm)\n-90 = Reference Marker Height at Design Load\nUNDERSLUG = Axle  Mount Type\n"
    f"-100 = Rise to Curb (mm)\n\nSHACKLE INFORMATION\n{DASHES}\n93.8 = Shackle Length\n0.73 = Shackle Mass (kg)\n"
    "36.0 = Shackle Inertia: Ixx\n880.0 = Shackle Inertia: Iyy\n881.0 = Shackle Inertia: Izz\n"
    "REAR = Shackle Location\nTENSION = Shackle Position\n\n"
    f"LEAF EYEHOOK INFORMATION\n{DASHES}\n60 = Front Eyehook Inner Diameter\n50 = Rear  Eyehook Inner Diameter\n"
    "BERLIN = Front Eyehook Shape\nUPTURNED = Rear  Eyehook Shape\n\n"
    f"CLIP INFORMATION\n{DASHES}\n1 = No. of clips\n\nCLIP 1\n\n-200 = Distance from center bolt (+ve fore)\n"
    "2 = Leaf Number at bottom of clip\n1 = Leaf Number at top of clip\n25 = Vertical inside height of clip\n"
    "3 = Vertical clip cover height\n1000 = Vertical clip cover stiffness\n72 = Lateral inside width of clip\n"
    f"4 = Lateral clip cover thickness\n2000 = Lateral clip cover stiffness\n{DASHES}\n\nBUSHING INFORMATION\n"
    f"Subsystem File = other.xml\n{DASHES}\nBUSHINGS (RATES) PT (X) (Y) (Z)\n------  ------\n"
    + "".join(f"{name} {SIX}\n" for name in TABLE_NAMES)
    + "\nBUSHINGS (DAMPING) PT (X) (Y) (Z)\n------  ------\n"
    + "".join(f"{name} 60.0 60.0 6.0 1000.0 1000.0 100.0\n" for name in TABLE_NAMES)
    + "\n\n"
    + leaf_section(1, PROFILE)
    + leaf_section(2, PROFILE.replace("-600", "-550"))
)

EXAMPLES: dict[str, tuple[str, str, Reader]] = {
    "spring": ("a.spr", SPR, pf.read_spring),
    "spring_xml": ("a_spr.xml", spring_xml(), pf.read_spring),
    "damper": ("a.dpr", DPR, pf.read_damper),
    "bumpstop": ("a.bum", BUM, pf.read_bumpstop),
    "reboundstop": ("a.reb", REB, pf.read_reboundstop),
    "bushing": ("a.bus", BUS, pf.read_bushing),
    "bushing_xml": ("a_bus.xml", bushing_xml(), pf.read_bushing),
    "engine_map": ("a.pwr", PWR, pf.read_engine_map),
    "differential": ("a.dif", DIF, pf.read_differential),
    "steering_assist": ("a.ste", STE, pf.read_steering_assist),
    "torque_converter": ("a.tcf", TCF, pf.read_torque_converter),
    "leaf": ("a.ltf", LTF, pf.read_leaf),
    "load_case": ("a.lcf", LCF, pf.read_load_case),
    "driver_control": ("a.dcf", DCF, pf.read_driver_control),
}


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., tuple[object, tuple[object, ...]]]:
    """Read a text with the reader of an example."""

    def _read(kind: str, text: str | None = None) -> tuple[object, tuple[object, ...]]:
        name, example, reader = EXAMPLES[kind]
        path = tmp_path / name
        path.write_text(example if text is None else text, newline="")
        return reader(path)

    return _read


def line_of(text: str, part: str, occurrence: int = 1) -> int:
    lines = [number for number, line in enumerate(text.split("\n"), 1) if part in line]
    return lines[occurrence - 1]


# --------------------------------------------------------------------------------------------------- real files


def test_a_damper_of_the_largest_numbers(tmp_path: Path) -> None:
    """Where the unit is unknown as well, numbers are looked at as they stand: their product is no number."""
    path = tmp_path / "a.dpr"
    path.write_text(DPR.replace("1000.0 1200.0", "1000.0 1e308").replace("'newton'", "'a newton'"))
    with pytest.raises(UnitError, match="not a unit of force"):
        pf.read_damper(path)


def test_every_real_file_is_read(shared_data: Path) -> None:
    readers: dict[str, Reader] = {Path(name).suffix: reader for name, _, reader in EXAMPLES.values()}
    readers[".xml"] = pf.read_spring
    refused, count = [], 0
    for file in sorted((shared_data / "adams").rglob("*")):
        if file.suffix not in readers:
            continue
        count += 1
        try:
            _, problems = readers[file.suffix](file)
        except TrackrodError as error:
            refused.append((file.name, str(error)))
            continue
        assert all(problem.severity is Severity.NOTE for problem in problems), file
    assert count >= 24
    # A heading without a single step.
    assert [name for name, _ in refused] == ["loadcaseTitle.lcf"]
    assert "[DATA] has no rows" in refused[0][1]


def test_real_springs(shared_data: Path) -> None:
    plain, _ = pf.read_spring(shared_data / CDB / "springs.tbl/mdi_0001.spr")
    assert plain.free_length == pytest.approx(0.25)
    assert plain.curve.x[0] == pytest.approx(-0.11)
    assert plain.curve.y[[0, -1]].tolist() == [-10750.0, 10750.0]
    assert plain.curve.slope(0.0) == pytest.approx(333.3333 / 6.6667e-3)
    np.testing.assert_array_equal(plain.curve.y, -plain.curve.y[::-1])
    xml, problems = pf.read_spring(shared_data / CDB / "springs.tbl/MDI_125_300_spr.xml")
    assert (xml.free_length, xml.curve.x.size, problems) == (pytest.approx(0.3), 21, ())
    assert xml.curve.slope(0.044) == pytest.approx(125_000.0)  # 125 N/mm


def test_real_damper_and_bumpstop(shared_data: Path) -> None:
    damper, _ = pf.read_damper(shared_data / CDB / "dampers.tbl/MDI_default.dpr")
    assert damper.curve.x[-1] == pytest.approx(1.27)
    assert damper.curve.y[[0, 8, -1]].tolist() == [-1495.5, 0.0, 3218.1]  # more in extension
    stop, _ = pf.read_bumpstop(shared_data / CDB / "bumpstops.tbl/MDI_default.bum")
    assert (stop.curve.x[7], stop.curve.y[7]) == (pytest.approx(0.04635), 3780.0)


def test_real_bushing(shared_data: Path) -> None:
    bushing, _ = pf.read_bushing(shared_data / CDB / "bushings.tbl/MDI_damper_lwr_mount.bus")
    assert bushing.stiffness[:3] == pytest.approx((1e7, 1e7, 2e6))  # 10 and 2 kN/mm
    assert bushing.curves[3].x[-1] == pytest.approx(5.7 * DEGREE)
    assert bushing.curves[3].y[-1] == pytest.approx(96.0)
    assert bushing.stiffness[5] == pytest.approx(0.1 / DEGREE)  # 100 N·mm/deg
    assert bushing.damping == pytest.approx((1e5, 1e5, 1e4, 0.0, 0.2 / DEGREE, 0.0))


def test_real_driveline(shared_data: Path) -> None:
    engine, _ = pf.read_engine_map(shared_data / CDB / "powertrains.tbl/V12_engine_map.pwr")
    assert engine.throttle.tolist() == [0.0, 1.0]
    assert engine.torque.shape == (18, 2)
    peak = int(np.argmax(engine.torque[:, 1]))
    assert engine.torque[peak, 1] == pytest.approx(485.0)
    assert engine.speed[peak] == pytest.approx(5500 * 2 * math.pi / 60)
    assert engine.torque[1, 0] == pytest.approx(-14.0)
    differential, _ = pf.read_differential(shared_data / CDB / "differentials.tbl/MDI_viscous.dif")
    assert differential.curve.x[-1] == pytest.approx(90 * 2 * math.pi / 60)
    assert differential.curve.y[-1] == pytest.approx(4644.0)  # this file is in metres
    assist, _ = pf.read_steering_assist(shared_data / CDB / "steering_assists.tbl/mdi_steer_assist.ste")
    assert assist.piston_area == pytest.approx(490.87e-6)
    assert assist.pressure.x[-1] == pytest.approx(3 * DEGREE)
    assert assist.pressure.y[-1] == pytest.approx(4e6)
    assert assist.torsion_bar is not None
    assert assist.torsion_bar.y[-1] == pytest.approx(28.8)


def test_real_torque_converter(shared_data: Path) -> None:
    converter, _ = pf.read_torque_converter(shared_data / CDB / "torque_converters.tbl/mdi_0001.tcf")
    assert converter.torque_ratio.y[3] == 1.769
    foot, pound_force, pound = (UNIT_WORDS[b][w] for b, w in (("length", "foot"), ("force", "lbf"), ("mass", "lb")))
    # 956.4 deg/s/√(ft·lbf) is the 159.4 rpm/√(ft·lbf) of a stall torque curve.
    assert converter.capacity_factor.y[3] == pytest.approx(159.4 * 2 * math.pi / 60 / math.sqrt(foot * pound_force))
    assert converter.clutch is not None
    assert converter.clutch.mass == pytest.approx(2.2 * pound)
    assert converter.clutch.inertia[2] == pytest.approx(2 * pound * foot**2)
    assert converter.clutch.torsional_stiffness == pytest.approx(18 * foot * pound_force / DEGREE)


def test_real_leaf_spring(shared_data: Path) -> None:
    path = shared_data / "adams/zbingf_matlab_code/matlab_adams/leafspring/leafspring_example_single.ltf"
    spring, problems = pf.read_leaf(path)
    first, second = spring.leaves
    assert spring.title == "Example leaf spring file"
    assert (first.elastic_modulus, first.density) == (pytest.approx(200e9), pytest.approx(7860.0))
    assert (first.front_elements, first.rear_elements) == (6, 7)
    assert first.profile.x.size == 29
    assert first.profile.x[[0, -1]] == pytest.approx([-0.68, 0.65])  # forward is positive now
    assert first.profile.y[[0, -1]] == pytest.approx([0.0622, 0.053])
    assert first.thickness is not None
    assert first.thickness.y == pytest.approx([0.014, 0.014, 0.0225, 0.014])
    assert second.z_offset == pytest.approx(-0.0254)
    assert second.gap == pytest.approx((0.00254,) * 3)
    assert spring.eye_points[0] == pytest.approx((0.62378, 0.40005, 0.080413))
    assert spring.shackle_points[1] == pytest.approx((-0.71809, -0.40005, 0.17396))
    assert spring.seat.mount is AxleMount.OVERSLUNG
    shackle = spring.bushing("shackle to frame")
    assert shackle is not None
    assert shackle.stiffness == pytest.approx((7e6, 7e6, 1e6, 1e4, 1e4, 81.4))
    assert shackle.damping == pytest.approx((6e4, 6e4, 6e3, 10.0, 10.0, 0.1))
    assert any("per radian" in problem.text for problem in problems)


def test_real_programmes(shared_data: Path) -> None:
    case, _ = pf.read_load_case(shared_data / "adams/zbingf_pyadams/pyadams/web_adams/temp/loadcaseNew.lcf")
    assert (case.steering_mode, case.vertical_mode) == (SteeringMode.ANGLE, VerticalMode.LENGTH)
    assert case.vertical.shape == (34, 2)
    assert case.vertical[0] == pytest.approx([-0.05696064534, 0.06986020039])
    control, _ = pf.read_driver_control(shared_data / "adams/other/id61639927129_sine_steer.dcf")
    assert (control.name, control.initial_speed) == ("Open Loop Sine Steer", 16.667)
    (manoeuvre,) = control.manoeuvres
    assert (manoeuvre.name, manoeuvre.abort_time, manoeuvre.step_size) == ("SINE_STEER", 6.0, 0.01)
    steering = manoeuvre.control("steering")
    assert steering is not None
    assert steering.attributes["AMPLITUDE"] == 0.03
    assert [found.name for found in manoeuvre.controls][-1] == "END_CONDITIONS"


# ----------------------------------------------------------------------------------------------------- examples


@pytest.mark.parametrize("kind", EXAMPLES)
def test_examples_are_read_with_either_line_end(kind: str, read: Callable[..., tuple[object, ...]]) -> None:
    text = EXAMPLES[kind][1]
    first, again = read(kind), read(kind, text.replace("\n", "\r\n"))
    assert repr(first[0]) == repr(again[0])


def test_example_reboundstop(read: Callable[..., tuple[object, ...]]) -> None:
    stop, problems = read("reboundstop")
    assert stop.curve.x == pytest.approx([0.0, 0.005, 0.012])
    assert stop.curve.y.tolist() == [0.0, 800.0, 6000.0]
    assert problems == ()


def test_stop_rows_before_contact(read: Callable[..., tuple[object, ...]]) -> None:
    stop, problems = read("bumpstop", BUM.replace("0.0 0.0\n", "-5.0 0.0\n0.0 0.0\n"))
    assert stop.curve.x[0] == 0.0
    assert [problem.severity for problem in problems] == [Severity.NOTE]
    with pytest.raises(FileFormatError, match="force before contact"):
        read("bumpstop", BUM.replace("0.0 0.0\n", "-5.0 1.0\n0.0 2.0\n"))
    with pytest.raises(FileFormatError, match="no row at zero"):
        read("bumpstop", BUM.replace("0.0 0.0\n", "-5.0 0.0\n"))


def test_example_engine_map_and_steering(read: Callable[..., tuple[object, ...]]) -> None:
    engine, _ = read("engine_map")
    assert engine.throttle.tolist() == [0.0, 0.5, 1.0]
    assert engine.torque[1] == pytest.approx([-30.0, 90.0, 200.0])
    assert engine.speed[1] == pytest.approx(100 * math.pi)
    assist, _ = read("steering_assist")
    assert assist.pressure.y[-1] == pytest.approx(8e6)  # N/mm²
    without_bar = STE[: STE.index("[TORSION_BAR]")] + STE[STE.index("[STEERING_ASSIST]") :]
    assert read("steering_assist", without_bar)[0].torsion_bar is None


def test_example_spring_xml(read: Callable[..., tuple[object, ...]]) -> None:
    spring, problems = read("spring_xml")
    assert spring.curve.x == pytest.approx([-0.01, 0.0, 0.01])
    assert (spring.curve.y.tolist(), problems) == ([-400.0, 0.0, 500.0], ())
    linear, _ = read("spring_xml", spring_xml("linear"))
    assert linear.curve.slope(0.0) == pytest.approx(40_000.0)
    over_length, _ = read("spring_xml", spring_xml(axis="length", points="200 4500\n300 0\n350 -1800"))
    assert over_length.curve.x == pytest.approx([-0.05, 0.0, 0.1])
    assert over_length.curve.y.tolist() == [-1800.0, 0.0, 4500.0]


def test_xml_is_known_by_its_content(tmp_path: Path) -> None:
    path = tmp_path / "spring.spr"
    path.write_text("\ufeff" + spring_xml().replace("ISO-8859-1", "UTF-8"), encoding="utf-8")
    assert pf.read_spring(path)[0].free_length == pytest.approx(0.3)
    wide = tmp_path / "wide_spr.xml"
    wide.write_text(spring_xml().replace("ISO-8859-1", "UTF-16"), encoding="utf-16")
    assert pf.read_spring(wide)[0].free_length == pytest.approx(0.3)


def test_example_bushing_xml(read: Callable[..., tuple[object, ...]]) -> None:
    bushing, problems = read("bushing_xml")
    assert bushing.stiffness[:2] == pytest.approx((1e6, 2e6))
    assert bushing.curves[2].x == pytest.approx([-0.002, 0.0, 0.002])
    assert bushing.curves[2].y.tolist() == [-5000.0, 0.0, 7000.0]
    assert bushing.stiffness[3:] == pytest.approx(tuple(k * 1e-3 / DEGREE for k in (4000, 5000, 6000)))
    assert bushing.damping == pytest.approx((1e4, 2e4, 2e3, *(c * 1e-3 / DEGREE for c in (40, 50, 60))))
    assert [(problem.severity, "slope at zero" in problem.text) for problem in problems] == [(Severity.WARNING, True)]


def test_example_leaf(read: Callable[..., tuple[object, ...]]) -> None:
    spring, problems = read("leaf")
    first, second = spring.leaves
    assert (first.every_point_fitted, second.every_point_fitted, second.auxiliary) == (True, None, True)
    assert second.contact_points == (2, 3)
    assert second.gap == pytest.approx((0.0015, 0.0025, 0.0035))  # front, centre, rear
    assert (spring.formulation, spring.seat.mount) == ("nonlinear", AxleMount.UNDERSLUNG)
    assert (spring.shackle.at_front, spring.shackle.in_tension) == (False, True)
    assert (spring.front_eye.shape, spring.rear_eye.diameter) == ("berlin", pytest.approx(0.05))
    (clip,) = spring.clips
    assert (clip.position, clip.bottom_leaf, clip.lateral_stiffness) == (pytest.approx(-0.2), 2, pytest.approx(2e6))
    assert spring.bushings[0].stiffness == pytest.approx((1e6, 2e6, 3e6, 4e3, 5e3, 6e3))
    assert any("Leaf Spring ID Number" in problem.text for problem in problems)
    copied = LTF[: LTF.index("LEAF # 2") - len(RULE) - 1] + leaf_section(2, "", copy=1)
    spring, _ = read("leaf", copied)
    assert spring.leaves[1].profile == spring.leaves[0].profile
    with pytest.raises(FileFormatError, match="copies the profile of leaf 2, which has none"):
        read("leaf", copied.replace("1 = Leaf Profile to Copy", "2 = Leaf Profile to Copy"))


def test_example_load_case_finds_columns_by_name(read: Callable[..., tuple[object, ...]]) -> None:
    case, _ = read("load_case")
    assert case.vertical[0] == pytest.approx([1e-3, 2e-3])
    assert case.lateral_force[0].tolist() == [3.0, 4.0]
    assert case.aligning_torque[0] == pytest.approx([5e-3, 6e-3])
    assert (case.brake_force[1].tolist(), case.drive_force[1].tolist()) == ([-7.0, -8.0], [-9.0, -10.0])
    assert case.steer == pytest.approx([math.pi / 2, -math.pi / 2])
    force, _ = read("load_case", LCF.replace("VERTICAL_MODE = 'length'", "VERTICAL_MODE = 'force'"))
    assert force.vertical[0].tolist() == [1.0, 2.0]
    rack, _ = read("load_case", LCF.replace("'angle'", "'length'"))
    assert rack.steer == pytest.approx([0.09, -0.09])
    swapped, _ = read("load_case", LCF.replace("whl_z_l whl_z_r", "whl_z_r whl_z_l"))
    assert swapped.vertical[0] == pytest.approx([2e-3, 1e-3])


def test_example_driver_control(read: Callable[..., tuple[object, ...]]) -> None:
    control, _ = read("driver_control")
    assert control.initial_speed == pytest.approx(20.0)
    assert [manoeuvre.name for manoeuvre in control.manoeuvres] == ["FIRST", "LAST"]
    conditions = control.manoeuvres[0].control("END_CONDITIONS")
    assert conditions is not None
    assert conditions.tables[0].rows == (("TIME", "==", 1.0),)
    assert control.experiment.attributes["INITIAL_GEAR"] == 4


# ---------------------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("kind", "old", "new", "line_with", "says"),
    [
        ("spring", "0.0 0.0\n", "0.0 none\n", "0.0 none", "finite numbers are needed"),
        ("spring", "0.0 0.0\n", "NaN 0.0\n", "NaN", "finite numbers are needed"),
        ("spring", "50.0 1500.0", "-60.0 1500.0", "-60.0 1500.0", "must increase"),
        ("spring", "-50.0 -1000.0\n0.0 0.0\n", "", "50.0 1500.0", "1 rows, two or more are needed"),
        ("spring", "FREE_LENGTH = 280.0", "FREE_LENGTH = 0.0", "FREE_LENGTH", "greater than zero"),
        ("spring", "FREE_LENGTH = 280.0", "FREE_LENGTH = 'long'", "FREE_LENGTH", "not a finite number"),
        ("spring", "FREE_LENGTH = 280.0", "FREE_LENGHT = 280.0", "[SPRING_DATA]", "FREE_LENGTH is missing"),
        ("spring", "{disp force}", "{force disp}", "{force disp}", "wrong way round"),
        ("spring", "FILE_TYPE = 'spr'", "FILE_TYPE = 'dpr'", "FILE_TYPE", "another type of file"),
        ("spring", "50.0 1500.0", "50.0 1e30", "50.0 1e30", "not a possible force"),
        ("damper", "1000.0 1200.0", "1000.0 1200.0 3.0", "1000.0 1200.0 3.0", "has 3 values"),
        ("engine_map", "3000 -30 90 200", "3000 -30 90", "3000 -30 90", "has 3 values"),
        ("engine_map", "0.5\n", "", "{engine_speed", "2 throttle values"),
        ("engine_map", "0.5\n1.0\n", "0.5\n100.0\n", "100.0", "outside 0 to 1"),
        ("engine_map", "<Nm>", "<Nn>", "{engine_speed", "unknown unit 'Nn'"),
        ("steering_assist", "600.0", "-600.0", "piston_area", "must be greater than zero"),
        ("torque_converter", "'torque_ratio_capacity_factor'", "'other'", "MODEL", "is not known"),
        ("load_case", "'angle'", "'speed'", "STEERING_MODE", "is not known"),
        ("load_case", "steer}", "sheer}", "sheer}", "other columns"),
        ("driver_control", "[LAST]", "[LOST]", "'LAST' 5.0", "no block [LAST]"),
        ("driver_control", "'LAST' 5.0 0.002", "'LAST' 5.0 0.0", "'LAST' 5.0", "greater than zero"),
        ("spring_xml", 'freeLength="300"', 'freeLength="3oo"', "freeLength", "is not a number"),
        ("spring_xml", "10 500", "10 5oo", "10 5oo", "holds '5oo'"),
        ("spring_xml", "10 500", "-20 500", "-20 500", "must increase"),
        ("spring_xml", "10 500", "10", "10\n", "no pairs"),
        ("spring_xml", 'method="non_linear"', 'method="odd"', "method", 'method="odd"'),
        ("spring_xml", "</Spline>", "</Spine>", "</Spine>", "mismatched tag"),
        ("bushing_xml", 'name="ry"', 'name="rq"', "<ConnectorBushingProperties>", 'name="ry"'),
        ("leaf", "600.0 = Front Leaf", "6oo = Front Leaf", "6oo = Front", "is not a number"),
        ("leaf", "6 = No. of Elements", "6.5 = No. of Elements", "6.5 = No.", "not a whole number"),
        ("leaf", "NONLINEAR = Beam", "CUBIC = Beam", "CUBIC", "is not known"),
        ("leaf", "   350  15.0", "  -350  15.0", "-350  15.0", "must increase"),
        ("leaf", "2 = No. of Leaves", "1 = No. of Leaves", "LEAF # 2", "more than the 1 leaves"),
    ],
)
def test_bad_input_is_named_with_its_line(
    kind: str, old: str, new: str, line_with: str, says: str, read: Callable[..., object]
) -> None:
    text = EXAMPLES[kind][1]
    assert old in text
    bad = text.replace(old, new, 1)
    with pytest.raises(FileFormatError) as raised:
        read(kind, bad)
    found = [problem for problem in raised.value.problems if says in problem.text]
    assert found, str(raised.value)
    lines = [n for n, line in enumerate((bad + "\n").split("\n"), 1) if line_with.strip() in line]
    assert found[0].place.line in lines
    assert found[0].place.file is not None


@pytest.mark.parametrize("kind", ["spring", "damper", "bushing", "differential", "spring_xml"])
def test_a_falling_curve_is_a_warning(kind: str, read: Callable[..., tuple[object, ...]]) -> None:
    text = EXAMPLES[kind][1]
    changes = {
        "spring": ("-50.0 -1000.0\n0.0 0.0\n50.0 1500.0", "-50.0 1000.0\n0.0 0.0\n50.0 -1500.0"),
        "damper": ("-1000.0 -500.0\n0.0 0.0\n1000.0 1200.0", "-1000.0 500.0\n0.0 0.0\n1000.0 -1200.0"),
        "bushing": ("-1.0 -100.0\n1.0 100.0", "-1.0 100.0\n1.0 -100.0"),
        "differential": ("-60 -5000\n0 0\n60 5000", "-60 5000\n0 0\n60 -5000"),
        "spring_xml": ("-10 -400\n0 0\n10 500", "-10 400\n0 0\n10 -500"),
    }
    old, new = changes[kind]
    assert old in text
    _, problems = read(kind, text.replace(old, new))
    assert any(p.severity is Severity.WARNING and "falls from its first point" in p.text for p in problems)


@pytest.mark.parametrize("kind", EXAMPLES)
def test_units_are_needed(kind: str, read: Callable[..., object]) -> None:
    text = EXAMPLES[kind][1]
    for word in ("'mm'", '"mm"', "= mm"):
        text = text.replace(word, word.replace("mm", "furlong"), 1)
    with pytest.raises(UnitError, match="furlong"):
        read(kind, text)


def test_every_problem_is_named_at_once(read: Callable[..., object]) -> None:
    bad = BUS.replace("FX_DAMPING = 1.0", "FX_DAMPING = x").replace("[TZ_CURVE]", "[TQ_CURVE]")
    bad = bad.replace("'mm'", "'furlong'").replace("-1.0 -200.0", "2.0 -200.0")
    with pytest.raises(FileFormatError) as raised:
        read("bushing", bad)
    text = str(raised.value)
    assert len(raised.value.problems) == 4
    assert all(part in text for part in ("furlong", "FX_DAMPING = x", "no [TZ_CURVE]", "must increase"))


def test_rows_behind_an_attribute_are_not_lost(read: Callable[..., object]) -> None:
    with pytest.raises(FileFormatError, match="2 tables"):
        read("spring", SPR.replace("0.0 0.0\n50.0", "0.0 0.0\n NOTE = 1\n{disp force}\n50.0"))


def test_unread_blocks_are_listed(read: Callable[..., tuple[object, ...]]) -> None:
    _, problems = read("damper", DPR + "[HYSTERESIS]\n A = 1\n")
    assert any("HYSTERESIS" in problem.text for problem in problems)


@pytest.mark.parametrize("reader", [example[2] for example in EXAMPLES.values()])
def test_missing_files_and_folders(reader: Reader, tmp_path: Path) -> None:
    with pytest.raises(MissingFileError):
        reader(tmp_path / "none")
    with pytest.raises(TrackrodError, match="folder"):
        reader(tmp_path)


@pytest.mark.parametrize("kind", EXAMPLES)
def test_size_is_bounded(kind: str, read: Callable[..., object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pf_source, "MAX_BYTES", 100)
    with pytest.raises(FileFormatError, match="MiB"):
        read(kind)


@pytest.mark.parametrize(
    "prolog",
    [
        '<!DOCTYPE afc SYSTEM "file:///etc/hostname">',
        '<!DOCTYPE afc [<!ENTITY a "x">]>',
        '<!DOCTYPE afc [<!ENTITY a SYSTEM "other.xml">]>',
        '<!DOCTYPE afc [<!ENTITY % p SYSTEM "other.dtd"> %p;]>',
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_document_types_are_refused(prolog: str, encoding: str, tmp_path: Path) -> None:
    text = spring_xml().replace("ISO-8859-1", encoding).replace("<afc ", f"{prolog}\n<afc ", 1)
    path = tmp_path / "a_spr.xml"
    path.write_text(text, encoding=encoding)
    with pytest.raises(FileFormatError, match="refused"):
        pf.read_spring(path)


def test_xml_depth_and_encoding(tmp_path: Path) -> None:
    path = tmp_path / "a_spr.xml"
    path.write_text("<a>" * 100_000)
    with pytest.raises(FileFormatError, match="inside each other"):
        pf.read_spring(path)
    for encoding in ("no-such", "gb18030", "utf-7"):
        path.write_text(spring_xml().replace("ISO-8859-1", encoding))
        with pytest.raises(FileFormatError, match=r"encoding|well-formed"):
            pf.read_spring(path)


# ------------------------------------------------------------------------------------------------ garbled input

HUGE = ("1e308", "-1e309", "nan", "1e-320", "999999999999999999999", "0", "-1", "'", "<", "=", "\0", "é")


@st.composite
def garbled(draw: st.DrawFn, text: str) -> bytes:
    lines = text.split("\n")
    for _ in range(draw(st.integers(0, 3))):
        index = draw(st.integers(0, len(lines) - 1))
        change = draw(st.sampled_from(("delete", "double", "swap", "word")))
        if change == "delete" and len(lines) > 1:
            del lines[index]
        elif change == "double":
            lines.insert(index, lines[index])
        elif change == "swap":
            other = draw(st.integers(0, len(lines) - 1))
            lines[index], lines[other] = lines[other], lines[index]
        elif words := lines[index].split():
            words[draw(st.integers(0, len(words) - 1))] = draw(st.sampled_from(HUGE))
            lines[index] = " ".join(words)
    data = bytearray("\n".join(lines).encode())
    for _ in range(draw(st.integers(0, 2))):
        if data:
            data[draw(st.integers(0, len(data) - 1))] = draw(st.integers(0, 255))
    return bytes(data[: draw(st.integers(0, len(data)))] if draw(st.booleans()) else data)


@pytest.mark.parametrize("kind", EXAMPLES)
def test_garbled_files_give_our_errors_only(kind: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    name, text, reader = EXAMPLES[kind]
    path = tmp_path_factory.mktemp(kind) / name
    read_well = 0

    @settings(max_examples=60, deadline=None)
    @given(garbled(text))
    def check(data: bytes) -> None:
        nonlocal read_well
        path.write_bytes(data)
        try:
            result, problems = reader(path)
        except TrackrodError:
            return
        read_well += 1
        assert result is not None
        assert not any(problem.severity is Severity.ERROR for problem in problems)

    check()
    assert read_well  # an unchanged text is among the examples
