"""Pictures and pages of vehicles: every element is there, where it is, and looks like the part."""

from __future__ import annotations

import math
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from trackrod.adams.vehicle import read_vehicle
from trackrod.core.corners import Corner
from trackrod.core.errors import MissingFileError, Place, Problem, Severity
from trackrod.report.vehicle import vehicle_scene, write_vehicle_page, write_vehicle_picture
from trackrod.report.vehicle_scene import Layer, Part, Scene
from trackrod.vehicle.elements import Mode
from trackrod.vehicle.systems import TyrePlace
from trackrod.vehicle.vehicle import Vehicle
from vehicle.vehicles_by_hand import CHASSIS, RATE, by_hand


@pytest.fixture(scope="module")
def car() -> Vehicle:
    return by_hand()


@pytest.fixture(scope="module")
def scene(car: Vehicle) -> Scene:
    return vehicle_scene(car)


def part(scene: Scene, body: str) -> Part:
    return next(part for part in scene.parts if part.body == body)


def edges(part: Part) -> set[frozenset[tuple[float, ...]]]:
    return {frozenset(pair) for path in part.paths for pair in zip(path.points, path.points[1:], strict=False)}


def names(scene: Scene, layer: Layer) -> set[str]:
    return {path.name for path in scene.all_paths() if path.layer is layer}


def test_every_element_is_drawn(car: Vehicle, scene: Scene) -> None:
    assert [part.body for part in scene.parts] == [body.name for body in car.bodies]
    for layer, connectors in (
        (Layer.SPRINGS, car.springs),
        (Layer.DAMPERS, car.dampers),
        (Layer.STOPS, car.stops),
        (Layer.TORSION_SPRINGS, car.torsion_springs),
    ):
        assert names(scene, layer) == {connector.name for connector in connectors} != set()
    marked = {(mark.layer, mark.name) for mark in scene.marks}
    assert {(Layer.JOINTS, joint.name) for joint in car.joints} <= marked
    assert {(Layer.BUSHINGS, bushing.name) for bushing in car.bushings} <= marked
    assert {(Layer.HARDPOINTS, name) for name in car.hardpoints} <= marked


def test_a_rod_is_one_line_between_its_joints(car: Vehicle, scene: Scene) -> None:
    points = car.hardpoints
    ends = {points[f"front_suspension.tierod_{end}_left"] for end in ("inner", "outer")}
    assert edges(part(scene, "front_suspension.tierod_left")) == {frozenset(ends)}


def test_a_wishbone_leads_from_its_outer_end_to_both_bearings(car: Vehicle, scene: Scene) -> None:
    """In kinematic mode too, where the second bearing is no element."""
    outer, front, rear = (car.hardpoints[f"front_suspension.uca_{end}_right"] for end in ("outer", "front", "rear"))
    expected = {frozenset((outer, front)), frozenset((outer, rear))}
    assert edges(part(scene, "front_suspension.upper_control_arm_right")) == expected


def test_an_upright_surrounds_its_wheel_centre(car: Vehicle, scene: Scene) -> None:
    centre = car.wheel(Corner.RL).centre
    found = part(scene, "rear_suspension.upright_left")
    assert len(found.paths) == 6  # five links and the damper
    assert all(path.points[0] == centre for path in found.paths)


def test_a_rigid_axle_joins_both_wheels(car: Vehicle) -> None:
    """Both rear wheels turn on one body: a beam from centre to centre, and a foot on it for every point."""
    spins = {car.wheel(corner).joint for corner in (Corner.RL, Corner.RR)}
    beam = "rear_suspension.upright_left"
    joints = tuple(replace(j, bodies=(j.bodies[0], beam)) if j.name in spins else j for j in car.joints)
    left, right = (car.wheel(corner).centre for corner in (Corner.RL, Corner.RR))
    found = part(vehicle_scene(replace(car, joints=joints)), beam)
    assert found.paths[0].points == (left, right)
    for path in found.paths[1:]:
        foot, point = (np.array(p) for p in path.points)
        assert abs(foot[0] - left[0]) + abs(foot[2] - left[2]) < 1e-12
        assert abs(foot[1]) <= abs(left[1])
        assert foot[1] == pytest.approx(np.clip(point[1], right[1], left[1]))


def test_an_anti_roll_bar_leads_outward_and_a_subframe_is_closed(scene: Scene) -> None:
    (bar,) = part(scene, "bar.half_left").paths
    assert [point[1] for point in bar.points] == [0.0, 0.36, 0.58]
    outline = part(scene, "rear_suspension.subframe").paths[0].points
    assert outline[0] == outline[-1]
    assert len(outline) >= 5


def test_left_and_right_look_alike(scene: Scene) -> None:
    for found in scene.parts:
        if found.body.endswith("_left"):
            other = part(scene, found.body.removesuffix("_left") + "_right")
            mirrored = {frozenset((x, -y, z) for x, y, z in edge) for edge in edges(found)}
            rounded = [{frozenset(tuple(np.round(p, 9) + 0.0) for p in e) for e in s} for s in (mirrored, edges(other))]
            assert rounded[0] == rounded[1], found.body
            assert [path.tint for path in found.paths] == [path.tint for path in other.paths]


def test_a_spring_has_its_installed_length_and_hangs_from_its_upper_seat(car: Vehicle, scene: Scene) -> None:
    for spring in car.springs:
        (helix,) = (path for path in scene.paths if path.name == spring.name and path.layer is Layer.SPRINGS)
        upper = max(spring.ends, key=lambda end: end[2])
        axis = np.subtract(*sorted(spring.ends, key=lambda end: -end[2]))
        along = (np.array(helix.points) - upper) @ axis / np.linalg.norm(axis)
        assert along.max() == pytest.approx(0.0, abs=1e-12)
        assert -along.min() == pytest.approx(spring.installed_length)
        assert f"{RATE / 1e3:g} N/mm and {RATE * 0.13:.0f} N" in helix.details[0]


def test_tyres_have_the_size_of_their_files_and_stand_on_the_ground(car: Vehicle, scene: Scene) -> None:
    size = car.tyres["road"].coefficients
    for tyre, wheel in zip(scene.tyres, car.wheels, strict=True):
        assert (tyre.radius, tyre.width) == (size["UNLOADED_RADIUS"], size["WIDTH"])
        assert tyre.centre == wheel.centre
        ring = np.array(tyre.circle(tyre.radius, 0.0))
        assert np.linalg.norm(ring - tyre.centre, axis=1) == pytest.approx(tyre.radius)
        assert (ring - tyre.centre) @ np.array(tyre.axis) == pytest.approx(0.0, abs=1e-12)
        assert scene.ground_height(tyre.centre[0]) == pytest.approx(tyre.centre[2] - tyre.radius)


def test_ground_leans_with_a_vehicle_that_stands_tail_down(car: Vehicle) -> None:
    x, y, z = car.wheel(Corner.RL).centre
    low = {Corner.RL: (x, y, z - 0.1), Corner.RR: (x, -y, z - 0.1)}
    wheels = tuple(replace(w, centre=low.get(w.corner, w.centre)) for w in car.wheels)
    scene = vehicle_scene(replace(car, wheels=wheels))
    for tyre in scene.tyres:
        assert scene.ground_height(tyre.centre[0]) == pytest.approx(tyre.centre[2] - tyre.radius)
    rear, front = scene.ground()[0], scene.ground()[1]
    assert (front[2] - rear[2]) / (front[0] - rear[0]) == pytest.approx(0.1 / 2.8)


def test_twin_tyres_are_two_one_of_them_further_out(car: Vehicle) -> None:
    twins = (TyrePlace("road", -0.15), TyrePlace("road", 0.15))
    wheels = tuple(replace(w, tyres=twins) if w.corner in (Corner.RL, Corner.RR) else w for w in car.wheels)
    tyres = vehicle_scene(replace(car, wheels=wheels)).tyres
    assert len(tyres) == 6
    for inner, outer in (tyres[2:4], tyres[4:6]):
        assert math.dist(inner.centre, outer.centre) == pytest.approx(0.3)
        assert abs(outer.centre[1]) > abs(inner.centre[1])


def test_toe_and_camber_of_a_wheel_are_told_with_their_signs(car: Vehicle) -> None:
    """Toe in: the front of a left wheel turns to the right. Camber: its top leans outward, to the left."""
    toe, camber = np.radians(2.0), np.radians(3.0)
    axis = (np.sin(toe) * np.cos(camber), np.cos(toe) * np.cos(camber), -np.sin(camber))
    wheels = (replace(car.wheels[0], axis=axis), *car.wheels[1:])
    details = vehicle_scene(replace(car, wheels=wheels)).tyres[0].details
    forward = np.cross(axis, (0.0, 0.0, 1.0))  # spin axis × up
    assert forward[1] < 0
    assert "toe in 2.00°, camber 3.00°" in details


def test_modes_decide_what_acts(car: Vehicle) -> None:
    def acting(vehicle: Vehicle) -> set[str]:
        return {mark.name for mark in vehicle_scene(vehicle).marks if mark.acting and mark.layer is Layer.BUSHINGS}

    assert acting(car) == {"steering.torsion_bar"}
    assert acting(car.with_mode(Mode.COMPLIANT)) == {bushing.name for bushing in car.bushings}


@pytest.mark.parametrize(("front", "rear"), [("macpherson", "trailing_arm"), ("double_wishbone", "integral_link")])
def test_picture_shows_springs_dampers_and_parts(front: str, rear: str, tmp_path: Path) -> None:
    from matplotlib.image import imread

    path = tmp_path / "car.png"
    write_vehicle_picture(by_hand(front, rear), path)
    pixels = imread(path)[..., :3]
    for color in ((0xD5, 0x5E, 0x00), (0x24, 0x29, 0x2F), (0x00, 0x72, 0xB2), (0xE0, 0xB4, 0x00)):
        assert (np.abs(pixels - np.array(color) / 255).max(axis=-1) < 0.02).sum() > 50, color
    assert [p.name for p in tmp_path.iterdir()] == ["car.png"]


class Cells(HTMLParser):
    """Rows of all tables."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.inside = False

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag == "tr":
            self.rows.append([])
        self.inside = tag in ("td", "th")
        if self.inside:
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        self.inside = False

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.rows[-1][-1] += data


def test_page_holds_figures_scene_bodies_and_problems(car: Vehicle, tmp_path: Path) -> None:
    problems = [
        Problem("a mere note", Place(Path("front.sub"), 3), Severity.NOTE),
        Problem("mass < 0", Place(Path("body.sub"), 71), Severity.ERROR, "give a positive one"),
        Problem("odd", severity=Severity.WARNING),
    ]
    path = tmp_path / "car.html"
    write_vehicle_page(car, problems, path, title="A <car>")
    text = path.read_text(encoding="utf-8")
    assert "A &lt;car&gt;" in text
    how_to_use, axles = text.index("<p>Drag to turn"), text.index("<h2>Axles</h2>")
    assert how_to_use < text.index('"legendgroup"', how_to_use) < axles  # the scene stands in its section
    assert "<script src" not in text
    assert "<link" not in text
    for word in (
        "x forward [m]",
        "y left [m]",
        "z up [m]",
        "from above",
        "orthographic",
        "front_suspension.tierod_left",
    ):
        assert word in text, word
    for layer in (*Layer, "not acting"):
        assert f'"legendgroup":"{layer}"' in text or layer is Layer.BEAMS, layer
    cells = Cells()
    cells.feed(text[text.index("<body>") :])
    figures = {row[i]: row[i + 1] for row in cells.rows if len(row) == 6 for i in (0, 3)}
    assert figures["wheelbase"] == "2800"
    assert float(figures["mass"]) == pytest.approx(sum(body.mass for body in car.bodies), rel=1e-4)
    bodies = {row[0]: row for row in cells.rows if len(row) == 9}
    assert bodies[CHASSIS][1:6] == ["1300", "1", "−1300", "0", "600"]
    # Ixz = 20 turns the principal axes by half of atan(2·20/1600) about y.
    half = math.hypot(800.0, 20.0)
    assert [float(value) for value in bodies[CHASSIS][6:]] == pytest.approx([1200 - half, 1800, 1200 + half], rel=1e-4)
    assert [row for row in cells.rows if row[0] in tuple(Severity)] == [
        ["error", "mass < 0", "give a positive one", "body.sub", "71"],
        ["warning", "odd", "", "", ""],
        ["note", "a mere note", "", "front.sub", "3"],
    ]


def test_names_cannot_break_the_page(car: Vehicle, tmp_path: Path) -> None:
    path = tmp_path / "car.html"
    name = "</script><script>alert(1)</script>"
    write_vehicle_page(replace(car, name=name, hardpoints={name: (0.0, 0.0, 0.0)}), [], path)
    assert "<script>alert" not in path.read_text(encoding="utf-8")


def test_missing_folder_is_named_and_nothing_is_left(car: Vehicle, tmp_path: Path) -> None:
    for write in (lambda p: write_vehicle_picture(car, p), lambda p: write_vehicle_page(car, [], p)):
        with pytest.raises(MissingFileError, match="does not exist"):
            write(tmp_path / "no" / "car.file")
    assert not list(tmp_path.iterdir())


def test_a_vehicle_from_a_database(shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "adams" / "BCAE_SLIIT_Three_Wheeler" / "SLIIT_Demo_ThreeWheeler.cdb"
    reading = read_vehicle(folder / "assemblies.tbl" / "MDI_Demo_ThreeWheeler.asy", allow_outside=True, stand_in=True)
    scene = vehicle_scene(reading.vehicle)
    drawn = {found.body for found in scene.parts if found.paths}
    assert {name for name in drawn if name.endswith("control_arm_left")}
    write_vehicle_page(reading.vehicle, reading.problems, tmp_path / "car.html")
    write_vehicle_picture(reading.vehicle, tmp_path / "car.png")
