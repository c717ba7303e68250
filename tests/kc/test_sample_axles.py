"""The sample axles, one for each template that no bundled vehicle has: degrees of freedom, mirror, smoothness, books.

Gillespie: T. D. Gillespie, Fundamentals of Vehicle Dynamics, SAE 1992, chapter 7: equivalent trailing arms and what
they support, pages 248 to 255; roll centres, pages 257 to 266. Reimpell: J. Reimpell, H. Stoll, J. W. Betzler, The
Automotive Chassis, 2nd edition, chapter 1 (compound crank axles) and section 3.4 (roll centres). Milliken: W. F. and
D. L. Milliken, Race Car Vehicle Dynamics, SAE 1995, chapter 17.
"""

from __future__ import annotations

import copy
import importlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from trackrod.adams.source import open_vehicle
from trackrod.adams.vehicle import VehicleReading, read_vehicle
from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.errors import Severity
from trackrod.kc import programme
from trackrod.kc.points import Load
from trackrod.kc.result import KcTest
from trackrod.kc.rig import Rig
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.vehicle.audit import audit
from trackrod.vehicle.catalogue import SAMPLES
from trackrod.vehicle.connectors import BeamSection
from trackrod.vehicle.elements import Mode
from trackrod.vehicle.vehicle import Vehicle

Array = NDArray[np.float64]
ROOT = Path(__file__).parents[2]
TRAVEL = np.linspace(-0.05, 0.05, 11)
MIDDLE = 5
#: What the solver leaves of mirror symmetry [m], [rad].
SYMMETRY = 1e-8
CASES = [(name, mode) for name in SAMPLES for mode in (Mode.KINEMATIC, Mode.COMPLIANT)]


@pytest.fixture(scope="module")
def generator() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT))
        yield importlib.import_module("tools.bundle.samples")


@cache
def reading(name: str) -> VehicleReading:
    return read_vehicle(SAMPLES[name].assembly, SAMPLES[name].aliases)


def axle_of(name: str) -> Axle:
    """The axle that is not that of the car."""
    return next(axle.position for axle in reading(name).vehicle.axles if axle.subsystem == name)


@cache
def bench(name: str, mode: Mode) -> Rig:
    return Rig(reading(name).vehicle.with_mode(mode), axle_of(name))


def run(rig: Rig, test: str) -> KcTest:
    way = TRAVEL if test == "parallel" else 0.8 * TRAVEL
    return {"parallel": programme.parallel, "opposite": programme.opposite, "steer": programme.steer}[test](rig, way)


@cache
def travelled(name: str, mode: Mode, test: str) -> KcTest:
    return run(bench(name, mode), test)


def points(name: str) -> dict[str, Array]:
    """Hardpoints of the axle in V [m], the origin moved to the middle of its wheel centres on the ground."""
    vehicle = reading(name).vehicle
    wheel = vehicle.wheel(Corner.of(axle_of(name), Side.LEFT)).centre
    ground = np.array([wheel[0], 0.0, 0.0])
    own = {full.partition(".")[2]: full for full in vehicle.hardpoints if full.startswith(f"{name}.")}
    return {short: np.array(vehicle.hardpoints[full]) - ground for short, full in own.items()}


def contact(name: str) -> Array:
    """Contact point of the left wheel from the same origin; the rig has it below the wheel centre by the radius."""
    rig, centre = bench(name, Mode.KINEMATIC), points(name)["wheel_center_left"]
    return np.array([0.0, centre[1], centre[2] - rig.radii[0]])


def test_the_files_are_what_the_generator_writes(generator: ModuleType) -> None:
    folder = next(iter(SAMPLES.values())).assembly.parents[1]
    texts = generator.sample_texts()
    assert {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()} == set(texts)
    assert {path: (folder / path).read_text(encoding="utf-8") for path in texts} == texts
    assert {sheet for sheet, data in generator.SHEETS.items() if data["template"] != "steering_box"} == set(SAMPLES)


@pytest.mark.parametrize("name", SAMPLES)
def test_nothing_is_warned_of(name: str) -> None:
    """The audit counts the degrees of freedom, among others, against those of the template."""
    found = (*reading(name).problems, *audit(reading(name).vehicle))
    assert [str(problem) for problem in found if problem.severity is not Severity.NOTE] == []


def test_a_sample_is_opened_by_its_name() -> None:
    assert open_vehicle("twist_beam").vehicle.axle(Axle.REAR).template == "twist_beam"


@pytest.mark.parametrize(("name", "mode"), CASES)
def test_wheel_load_is_that_of_the_standing_car(name: str, mode: Mode) -> None:
    load = travelled(name, mode, "parallel")["Fz_left"][MIDDLE]
    assert load == pytest.approx(770.0 * 9.80665 / 2, rel=0.04)


def changed(generator: ModuleType, name: str, folder: Path, change: Callable[[dict[str, Any]], None]) -> Vehicle:
    """The sample with data sheets, its own and that of its steering, that a function has changed."""
    root = folder / SAMPLES[name].assembly.parents[1].name
    for one in filter(None, (name, generator.SHEETS[name].get("steering"))):
        sheet = copy.deepcopy(generator.SHEETS[one])
        change(sheet)
        for path, text in generator.axle_texts(one, sheet).items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
    assembly = root / "assemblies.tbl" / SAMPLES[name].assembly.name
    return read_vehicle(assembly, SAMPLES[name].aliases).vehicle


def mirror(sheet: dict[str, Any]) -> None:
    """Everything that there is once, on the other side."""
    for point in sheet["single_hardpoints"].values():
        point[1] *= -1
    if "drag_link_right" in sheet["parameters"]:
        sheet["parameters"]["drag_link_right"] = 1


@pytest.mark.parametrize(("name", "mode"), CASES)
def test_no_point_fails_and_left_is_the_mirror_of_right(
    generator: ModuleType, tmp_path: Path, name: str, mode: Mode
) -> None:
    """Panhard rods and drag links have a side: such an axle is compared with the one that has them the other way."""
    tests = ["parallel", "opposite", *(["steer"] if bench(name, mode).steered else [])]
    other = None
    if any(y for _, y, _ in generator.SHEETS[name].get("single_hardpoints", {}).values()):
        other = Rig(changed(generator, name, tmp_path, mirror).with_mode(mode), axle_of(name))
    for one in tests:
        test = travelled(name, mode, one)
        image = test if other is None else run(other, one)
        assert test.failures == 0, test.problems
        # A pitman arm that moves forward steers the image the other way.
        same = one == "parallel" or (one == "steer" and other is not None)
        turned = slice(None, None, 1 if same else -1)
        for quantity in ("toe", "camber", "pitch", "tx", "tz", "Fz"):
            left, right = test[f"{quantity}_left"], image[f"{quantity}_right"][turned]
            scale = 1e5 if quantity == "Fz" else 1.0
            np.testing.assert_allclose(left, right, atol=scale * SYMMETRY, err_msg=f"{test.name} {quantity}")
        np.testing.assert_allclose(test["ty_left"], -image["ty_right"][turned], atol=SYMMETRY)


@pytest.mark.parametrize(("name", "mode"), CASES)
def test_curves_are_smooth(name: str, mode: Mode) -> None:
    """A polynomial of fourth order leaves less than a hundredth of the range of each curve."""
    for kind in ("parallel", "opposite"):
        test = travelled(name, mode, kind)
        way = np.linspace(-1.0, 1.0, TRAVEL.size)
        for quantity in ("toe_left", "camber_left", "tx_left", "ty_left", "Fz_left"):
            rest = test[quantity] - np.polyval(np.polyfit(way, test[quantity], 4), way)
            assert np.abs(rest).max() < 0.01 * np.ptp(test[quantity]) + 1e-6, (kind, quantity)


@pytest.mark.parametrize("name", SAMPLES)
def test_stands_on_the_road_near_its_design_position(name: str) -> None:
    standing = MultibodyVehicle(reading(name).vehicle).settle()
    assert max(abs(travel) for travel in standing.travels.values()) < 12e-3
    assert sum(standing.wheel_loads.values()) == pytest.approx(reading(name).vehicle.mass_properties.mass * 9.80665)


def test_an_offset_of_the_hub_is_not_lost_in_silence(generator: ModuleType, tmp_path: Path) -> None:
    def offset(sheet: dict[str, Any]) -> None:
        sheet["parameters"]["hub_compliance_offset"] = 10.0

    name = "double_wishbone_pushrod"
    changed(generator, name, tmp_path, offset)
    assembly = tmp_path / SAMPLES[name].assembly.relative_to(SAMPLES[name].assembly.parents[2])
    problems = read_vehicle(assembly, SAMPLES[name].aliases).problems
    (found,) = [problem for problem in problems if "hub_compliance_offset" in problem.text]
    assert found.severity is Severity.WARNING


# ---------------------------------------------------------------------------------------------------- closed forms


def roll_centre_of(velocity: Array, at: Array) -> float:
    """Height at which the normal of the contact point's path in roll meets the middle (Gillespie 257, Milliken 17)."""
    return float(at[2] + at[1] * velocity[1] / velocity[2])


def measured_roll_centre(name: str, mode: Mode = Mode.KINEMATIC) -> float:
    return float(travelled(name, mode, "opposite")["roll_centre_height"][MIDDLE])


def measured_support(name: str, mode: Mode = Mode.KINEMATIC) -> float:
    return float(travelled(name, mode, "parallel")["brake_support_left"][MIDDLE])


def stiffer(vehicle: Vehicle, torsion: float = 1.0, bending: float = 1.0) -> Vehicle:
    """The vehicle with the rates of its beams times these factors."""
    beams = [
        replace(
            beam,
            section=BeamSection(
                bending * beam.section.axial,
                torsion * beam.section.torsional,
                bending * beam.section.bending_y,
                bending * beam.section.bending_z,
            ),
        )
        for beam in vehicle.beams
    ]
    return replace(vehicle, beams=tuple(beams))


def test_twist_beam_turns_about_pivot_and_shear_centre() -> None:
    """In roll each half turns about the line from its pivot to the shear centre in the middle (Reimpell, chapter 1)."""
    name, at = "twist_beam", points("twist_beam")
    rig = Rig(stiffer(reading(name).vehicle.with_mode(Mode.KINEMATIC), bending=1e3), Axle.REAR)
    opposite = programme.opposite(rig, [-1e-3, 0.0, 1e-3])
    axis = at["arm_front_left"] - at["beam_middle"]
    wheel, patch = (np.cross(axis, where - at["beam_middle"]) for where in (at["wheel_center_left"], contact(name)))
    assert opposite["roll_centre_height"][1] == pytest.approx(roll_centre_of(patch, contact(name)), abs=1e-3)
    spin = rig.vehicle.wheel(Corner.RL).axis
    turned = np.cross(axis, spin) / wheel[2]  # of the spin axis, for a metre of travel
    assert np.diff(opposite["steer_left"][::2])[0] / 2e-3 == pytest.approx(-turned[0], rel=0.02)
    assert np.diff(opposite["inclination_left"][::2])[0] / 2e-3 == pytest.approx(turned[2], rel=0.02)


def test_twist_beam_adds_the_torsion_of_its_section_to_the_rate_in_roll() -> None:
    """Both halves twist the beam against each other: twice the turn of one, over the whole length."""
    name, at = "twist_beam", points("twist_beam")
    vehicle = stiffer(reading(name).vehicle.with_mode(Mode.KINEMATIC), bending=1e3)
    soft, hard = (
        programme.opposite(Rig(stiffer(vehicle, torsion=factor), Axle.REAR), [0.0])["wheel_rate_left"][0]
        for factor in (1.0, 2.0)
    )
    axis = at["arm_front_left"] - at["beam_middle"]
    turn = axis[1] / np.cross(axis, at["wheel_center_left"] - at["beam_middle"])[2]
    length = 2 * np.linalg.norm(at["beam_end_left"] - at["beam_middle"])
    torsional = 7.9e10 * 16000e-12  # modulus of steel and torsion constant of the data sheet
    assert hard - soft == pytest.approx(2 * torsional / length * turn**2, rel=0.01)


@pytest.mark.parametrize(("name", "pivot"), [("twist_beam", "arm_front_left"), ("trailing_arm", "arm_inner_left")])
def test_trailing_arms_support_braking_by_the_slope_to_their_pivot(name: str, pivot: str) -> None:
    """The brake sits on the arm: the equivalent trailing arm leads from the patch to the pivot (Gillespie 249, 253)."""
    x, _, z = points(name)[pivot] - contact(name)
    assert abs(measured_support(name)) == pytest.approx(z / x, rel=0.01)


def test_trailing_arms_across_the_car_roll_about_the_ground() -> None:
    """The patch goes straight up and down (Gillespie 263, Reimpell 3.4), but for half a degree of camber."""
    assert measured_roll_centre("trailing_arm") == pytest.approx(contact("trailing_arm")[2], abs=2e-3)


def held_by_rods(at: dict[str, Array], rods: Iterable[tuple[str, str]]) -> tuple[Array, Array]:
    """Velocity of the origin and turn of a carrier that five rods leave one motion: d·(v + ω × r) = 0 for each."""
    ends = [(at[inner], at[outer]) for inner, outer in rods]
    rows = [[*(outer - inner), *np.cross(outer, outer - inner)] for inner, outer in ends]
    motion = np.linalg.svd(np.array(rows))[2][5]
    return motion[:3], motion[3:]


def test_five_links_move_the_wheel_as_five_rods_must() -> None:
    """Each rod keeps its length: five equations leave one motion, found here without any joint."""
    name, at = "five_link", points("five_link")
    rods = ["upper_front_link", "upper_rear_link", "lower_front_link", "lower_rear_link", "tierod"]
    velocity, turn = held_by_rods(at, [(f"{rod}_inner_left", f"{rod}_outer_left") for rod in rods])
    centre, patch = (velocity + np.cross(turn, where) for where in (at["wheel_center_left"], contact(name)))
    parallel = travelled(name, Mode.KINEMATIC, "parallel")
    assert measured_roll_centre(name) == pytest.approx(roll_centre_of(patch, contact(name)), abs=2e-3)
    assert measured_support(name) == pytest.approx(patch[0] / centre[2], abs=2e-3)
    for quantity, expected in (("camber_left", -turn[0]), ("toe_left", -turn[2])):
        slope = np.gradient(parallel[quantity], TRAVEL)[MIDDLE]
        assert slope == pytest.approx(expected / centre[2], abs=2e-2), quantity


def test_panhard_rod_and_arms_make_the_roll_axis() -> None:
    """Through the rod in the middle, along parallel arms (Gillespie 261)."""
    name, at = "solid_axle_trailing_arms", points("solid_axle_trailing_arms")
    rod = 0.5 * (at["panhard_axle"] + at["panhard_body"])
    arm = at["arm_front_left"] - at["arm_rear_left"]
    assert measured_roll_centre(name) == pytest.approx(rod[2] - rod[0] * arm[2] / arm[0], abs=2e-3)


def test_clamped_arms_support_braking_and_resist_roll() -> None:
    """The eye is the pivot in the side view (Gillespie 249); in roll each arm is a cantilever with its eye held."""
    name, at = "solid_axle_trailing_arms", points("solid_axle_trailing_arms")
    eye, patch = at["arm_front_left"], contact(name)
    assert abs(measured_support(name)) == pytest.approx((eye - patch)[2] / (eye - patch)[0], rel=0.02)
    vehicle = reading(name).vehicle.with_mode(Mode.KINEMATIC)
    soft, hard = (
        programme.opposite(Rig(stiffer(vehicle, bending=factor), Axle.REAR), [0.0])["wheel_rate_left"][0]
        for factor in (1.0, 2.0)
    )
    bending = 2.06e11 * 11500e-12  # modulus of steel and second moment of the data sheet
    length = np.linalg.norm(at["arm_rear_left"] - eye)
    lever = eye[1] / at["wheel_center_left"][1]
    assert hard - soft == pytest.approx(3 * bending / length**3 * lever**2, rel=0.03)


def test_air_spring_has_the_force_and_rate_of_its_gas() -> None:
    """F = p·A and k = n·(p + pₐ)·A²/V at the design height (Reimpell, section 5.3; differentiate p·Vⁿ = const)."""
    spring = next(s for s in reading("solid_axle_trailing_arms").vehicle.springs if "air_spring" in s.name)
    curve = spring.characteristic.curve
    pressure, area, volume, exponent = 0.39e6, 8400e-6, 1.9e-3, 1.3
    assert np.interp(0.0, curve.x, curve.y) == pytest.approx(pressure * area)
    assert curve.slope(0.0) == pytest.approx(exponent * (pressure + 101325.0) * area**2 / volume, rel=2e-3)
    assert spring.design_compression == 0.0


def crossing(first: tuple[Array, Array], second: tuple[Array, Array], plane: tuple[int, int]) -> Array:
    """Where two lines through points meet in a plane of two coordinates."""
    a, b = (np.array([line[0][i] for i in plane]) for line in (first, second))
    u, v = (np.array([line[1][i] - line[0][i] for i in plane]) for line in (first, second))
    return np.asarray(a + np.linalg.solve(np.column_stack((u, -v)), b - a)[0] * u)


#: Solid axles on links and a Panhard rod, and how the ends of their links are called.
LINKED = [("solid_front_axle", "axle", "body"), ("solid_axle_links", "rear", "front")]


@pytest.mark.parametrize(("name", "near", "far"), LINKED)
def test_linked_axle_rolls_about_panhard_rod_and_converging_links(name: str, near: str, far: str) -> None:
    """Through the rod in the middle and the point where the lower links meet (Gillespie 260)."""
    at = points(name)
    left, right = ((at[f"lower_link_{near}_{side}"], at[f"lower_link_{far}_{side}"]) for side in Side)
    x, _ = crossing(left, right, (0, 1))
    height = left[0][2] + (x - left[0][0]) * (left[1] - left[0])[2] / (left[1] - left[0])[0]
    rod = 0.5 * (at["panhard_axle"] + at["panhard_body"])
    expected = rod[2] - rod[0] * (height - rod[2]) / (x - rod[0])
    assert measured_roll_centre(name) == pytest.approx(expected, abs=3e-3)


@pytest.mark.parametrize(("name", "near", "far"), LINKED)
def test_linked_axle_supports_braking_from_the_point_where_its_links_meet(name: str, near: str, far: str) -> None:
    """Anti-dive and anti-lift of links in the side view (Gillespie 250, 253; Milliken 17).

    The drag link turns both uprights in travel, which carries one patch forward and the other back: their mean counts.
    """
    at = points(name)
    lower = (at[f"lower_link_{near}_left"], at[f"lower_link_{far}_left"])
    x, z = crossing(lower, (at[f"upper_link_{near}"], at[f"upper_link_{far}"]), (0, 2))
    test = travelled(name, Mode.KINEMATIC, "parallel")
    support = 0.5 * sum(test[f"brake_support_{side}"][MIDDLE] for side in Side)
    assert abs(support) == pytest.approx(abs((z - contact(name)[2]) / x), rel=0.03)


def test_drag_link_steers_by_the_lever_of_its_ball_about_the_kingpin() -> None:
    name, at = "solid_front_axle", points("solid_front_axle")
    vehicle = reading(name).vehicle
    kingpin = at["kingpin_upper_left"] - at["kingpin_lower_left"]
    kingpin /= np.linalg.norm(kingpin)
    link = at["drag_link_upright"] - at["drag_link_pitman"]
    [rack] = [joint for joint in vehicle.joints if vehicle.steering and joint.name == vehicle.steering.rack_joint]
    turn = link @ rack.axis / (link @ np.cross(kingpin, at["drag_link_upright"] - at["kingpin_lower_left"])) * kingpin
    steer = programme.steer(bench(name, Mode.KINEMATIC), [-1e-3, 0.0, 1e-3])["steer_left"]
    expected = -np.cross(turn, vehicle.wheel(Corner.FL).axis)[0]
    assert (steer[2] - steer[0]) / 2e-3 == pytest.approx(expected, rel=0.01)
    assert expected > 0  # to the left
    assert vehicle.steering is not None
    assert vehicle.steering.ratio > 0


@pytest.mark.parametrize("body", ["lower arm", "upper arm", "upright"])
def test_pushrod_moves_the_spring_by_its_levers(generator: ModuleType, tmp_path: Path, body: str) -> None:
    """Velocities from the carrier over the rod and the crank to the spring; the rod may sit on any of three bodies."""
    name, at = "double_wishbone_pushrod", points("double_wishbone_pushrod")

    def move(sheet: dict[str, Any]) -> None:
        sheet["parameters"] |= {"pushrod_on_upper_arm": int(body == "upper arm")}
        sheet["parameters"] |= {"pushrod_on_upright": int(body == "upright")}

    vehicle = changed(generator, name, tmp_path, move).with_mode(Mode.KINEMATIC)
    found = programme.parallel(Rig(vehicle, Axle.FRONT), [0.0])["spring_left_ratio"][0]
    arms = [("lca_front_left", "lca_outer_left"), ("lca_rear_left", "lca_outer_left")]
    arms += [("uca_front_left", "uca_outer_left"), ("uca_rear_left", "uca_outer_left")]
    velocity, turn = held_by_rods(at, [*arms, ("tierod_inner_left", "tierod_outer_left")])
    rod_end = at["prod_outboard_left"]
    speed = velocity + np.cross(turn, rod_end)
    if body != "upright":
        arm = "lca" if body == "lower arm" else "uca"
        front, axis = at[f"{arm}_front_left"], at[f"{arm}_rear_left"] - at[f"{arm}_front_left"]
        ball = at[f"{arm}_outer_left"]
        across = np.cross(axis, ball - front)
        rate = (velocity + np.cross(turn, ball)) @ across / (across @ across)
        speed = rate * np.cross(axis, rod_end - front)
    pivot = at["bellcrank_pivot_left"]
    crank = at["bellcrank_pivot_orient_left"] - pivot
    rod = at["prod_to_bellcrank_left"] - rod_end
    turned = rod @ speed / (rod @ np.cross(crank, at["prod_to_bellcrank_left"] - pivot))
    spring = at["shock_to_bellcrank_left"] - at["shock_to_chassis_left"]
    longer = spring @ np.cross(turned * crank, at["shock_to_bellcrank_left"] - pivot) / np.linalg.norm(spring)
    rise = (velocity + np.cross(turn, at["wheel_center_left"]))[2]
    assert found == pytest.approx(-longer / rise, rel=2e-3)


def test_hub_gives_by_the_rate_of_its_bushing(generator: ModuleType, tmp_path: Path) -> None:
    """In series with everything else: a moment about z turns the wheel by M/k more; k is the secant at the centre."""
    name, moment = "double_wishbone_pushrod", 100.0

    def stiff(sheet: dict[str, Any]) -> None:
        sheet["parameters"]["hub_compliance_active"] = 0

    rigid = changed(generator, name, tmp_path, stiff).with_mode(Mode.COMPLIANT)
    steer = [
        np.diff(programme.loads(rig, Load.MZ, [0.0, moment])["steer_left"][:2])[0]
        for rig in (bench(name, Mode.COMPLIANT), Rig(rigid, Axle.FRONT))
    ]
    rate = 900.0 * np.degrees(1.0) * (1 + 0.25**2)
    assert steer[0] - steer[1] == pytest.approx(moment / rate, rel=0.02)


def test_tie_rods_give_by_the_rates_of_their_ends(generator: ModuleType, tmp_path: Path) -> None:
    """A force along the rod moves its ends by F/k each; over the steering arm this is a turn."""
    name, moment = "double_wishbone_pushrod", 100.0

    def balls(sheet: dict[str, Any]) -> None:
        sheet["bushings"] = {key: value for key, value in sheet["bushings"].items() if not key.startswith("tierod")}

    ideal = changed(generator, name, tmp_path, balls).with_mode(Mode.COMPLIANT)
    steer = [
        np.diff(programme.loads(rig, Load.MZ, [0.0, moment])["steer_left"][:2])[0]
        for rig in (bench(name, Mode.COMPLIANT), Rig(ideal, Axle.FRONT))
    ]
    at = points(name)
    kingpin = at["uca_outer_left"] - at["lca_outer_left"]
    kingpin /= np.linalg.norm(kingpin)
    rod = at["tierod_outer_left"] - at["tierod_inner_left"]
    arm = kingpin @ np.cross(at["tierod_outer_left"] - at["lca_outer_left"], rod / np.linalg.norm(rod))
    give = (1 / 15e6 + 1 / 40e6) / (1 + 0.25**2)
    assert steer[0] - steer[1] == pytest.approx(moment * kingpin[2] ** 2 / arm**2 * give, rel=0.05)
