"""K&C maps from sweeps are those of the grid where the kinematics can be added up; branches, mirrors, signs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import small_vehicle
from small_vehicle import pose

from trackrod.core.corners import Axle, Side
from trackrod.core.errors import InputError
from trackrod.kc.points import Load
from trackrod.reference import Reference, read_reference

Array = np.ndarray
#: The closed form is a parabola at most, which the rule between samples keeps.
EXACT = 1e-12
#: Sweeps without a grid, in units and names of their own.
COLUMNS = """
[kc.columns]
travel = { column = "z_{S}", unit = "mm" }
tx = { column = "x_{S}", unit = "mm" }
ty = { column = "y_{S}", unit = "mm" }
tz = { column = "zz_{S}", unit = "mm" }
toe = { column = "toe_{S}", unit = "deg" }
camber = { column = "camber_{S}", unit = "deg" }
ry = { column = "spin_{S}", unit = "deg" }
damper_length = { column = "l_{S}", unit = "mm" }
Fz = { column = "F_{S}", unit = "kN" }
rack_travel = { column = "rack", unit = "mm" }
"""


def sweep(test: str, axle: Axle, x: Array) -> dict[str, Array]:
    """A table of another program: millimetres, degrees, kilonewtons, mirror-symmetric angles."""
    load = small_vehicle.axle_load(axle)
    found: dict[str, Array] = {"rack": 1e3 * (x if test == "steer" else 0 * x)}
    for side, letter in zip(Side, "LR", strict=True):
        own = {"parallel": x, "opposite": side.sign * x, "steer": 0 * x}[test]
        values = pose(side, own, x if test == "steer" else 0 * x)
        rate = {"parallel": 25e3, "opposite": 40e3, "steer": 0.0}[test]
        found |= {
            f"z_{letter}": 1e3 * own,
            f"x_{letter}": 1e3 * values["tx"],
            f"y_{letter}": 1e3 * values["ty"],
            f"zz_{letter}": 1e3 * values["tz"],
            f"toe_{letter}": np.degrees(-side.sign * values["rz"]),
            f"camber_{letter}": np.degrees(-side.sign * values["rx"]),
            f"spin_{letter}": np.degrees(values["ry"]),
            f"l_{letter}": 1e3 * values["damper_length"],
            f"F_{letter}": 1e-3 * (load + rate * own),
        }
    return found


def write_table(path: Path, columns: dict[str, Array]) -> None:
    rows = np.column_stack(list(columns.values()))
    path.write_text("\n".join([",".join(columns), *(",".join(map(repr, row.tolist())) for row in rows)]) + "\n")


def sweeps_folder(
    folder: Path, x: Array, change: Callable[[str, dict[str, Array]], None] = lambda test, table: None, extra: str = ""
) -> Path:
    """The small vehicle with sweeps in place of its grids."""
    path = small_vehicle.write_small(folder) / "reference.toml"
    head, _, _ = path.read_text().partition("\n[kc.front.grid]")
    runs = path.read_text()[path.read_text().index("\n[[runs]]") :]
    tables = ""
    for axle, tests in ((Axle.FRONT, ("parallel", "opposite", "steer")), (Axle.REAR, ("parallel", "opposite"))):
        for test in tests:
            table = sweep(test, axle, x)
            change(f"{axle}.{test}", table)
            write_table(folder / "kc" / f"mine_{axle}_{test}.csv", table)
            tables += f'\n[kc.{axle}.{test}]\nfile = "kc/mine_{axle}_{test}.csv"\n{extra}'
    path.write_text(head + COLUMNS + tables + runs)
    return folder


def spread(reference: Reference) -> float:
    """Largest deviation of the maps from the closed form [m], [rad], on their own knots."""
    worst = 0.0
    for axle, maps in reference.maps.items():
        for side in Side:
            kinematics = maps.wheel(side).kinematics
            z, y = np.meshgrid(*kinematics.knots, indexing="ij")
            steered = axle is Axle.FRONT
            expected = pose(side, z if steered else z + side.sign * y, y if steered else 0 * y)
            for name, values in expected.items():
                found = kinematics.values[..., kinematics.output_index(name)]
                worst = max(worst, float(np.abs(found - values).max()))
    return worst


def test_sweeps_add_up_to_the_grid(tmp_path: Path) -> None:
    reference = read_reference(sweeps_folder(tmp_path, np.linspace(-0.08, 0.08, 33)))
    assert spread(reference) < EXACT
    front = reference.maps[Axle.FRONT]
    assert front.steered
    assert not reference.maps[Axle.REAR].steered
    assert float(front.wheel_rate()) == pytest.approx(25e3, rel=1e-9)
    assert float(front.roll_rate() - front.wheel_rate()) == pytest.approx(15e3, rel=1e-9)
    assert not front.left.own
    assert reference.conversion.spec.wheels[0].compliance == ()


def test_a_cycle_with_friction(tmp_path: Path) -> None:
    """Friction of 150 N against the movement, as dampers give it, falls out of the mean of both ways."""
    quarter = np.linspace(0.0, 0.08, 81)
    cycle = np.concatenate((quarter, quarter[-2::-1], -quarter[1:], -quarter[-2::-1]))

    def rub(test: str, table: dict[str, Array]) -> None:
        for letter in "LR":
            table[f"F_{letter}"] = table[f"F_{letter}"] + 0.15 * np.sign(np.gradient(table[f"z_{letter}"]))

    reference = read_reference(sweeps_folder(tmp_path, cycle, rub, 'branches = "mean"\n'))
    ride = reference.maps[Axle.FRONT].ride
    loads = ride.values[:, ride.output_index("Fz_left")]
    assert np.abs(loads - small_vehicle.axle_load(Axle.FRONT) - 25e3 * ride.knots).max() < 1e-6
    assert spread(reference) < 1e-4  # straight between samples
    with pytest.raises(InputError, match=r"does not go one way.*branches = \"mean\""):
        read_reference(sweeps_folder(tmp_path, cycle, rub))


def test_a_falling_sweep_is_turned_round(tmp_path: Path) -> None:
    assert spread(read_reference(sweeps_folder(tmp_path, np.linspace(0.08, -0.08, 33)))) < EXACT


def test_loads_on_the_left_wheel_alone_are_mirrored(tmp_path: Path) -> None:
    path = small_vehicle.write_small(tmp_path) / "reference.toml"
    whole = read_reference(tmp_path).maps
    lines = path.read_text().split("\n\n")
    path.write_text("\n\n".join(part for part in lines if not ("[kc." in part and "_right]" in part)))
    half = read_reference(tmp_path).maps
    for axle in Axle:
        for load in (Load.FX, Load.FX_DRIVE, Load.FY, Load.MZ):
            for one, other in (
                (whole[axle].right.own, half[axle].right.own),
                (whole[axle].left.opposite, half[axle].left.opposite),
            ):
                assert np.allclose(one[load].values, other[load].values, atol=1e-15), (axle, load)


def test_the_left_wheel_alone_in_parallel_travel(tmp_path: Path) -> None:
    def half(test: str, table: dict[str, Array]) -> None:
        if test == "rear.parallel":
            for key in [key for key in table if key.endswith("_R")]:
                del table[key]

    folder = sweeps_folder(tmp_path, np.linspace(-0.08, 0.08, 33), half)
    path = folder / "reference.toml"
    names = {
        "travel": "z",
        "tx": "x",
        "ty": "y",
        "tz": "zz",
        "toe": "toe",
        "camber": "camber",
        "ry": "spin",
        "damper_length": "l",
        "Fz": "F",
    }
    text = path.read_text()
    for name, column in names.items():
        text = text.replace(f'\n{name} = {{ column = "{column}_{{S}}"', f'\n{name}_left = {{ column = "{column}_L"')
        unit = {"toe": "deg", "camber": "deg", "ry": "deg", "Fz": "kN"}.get(name, "mm")
        for test in ("front.parallel", "front.opposite", "front.steer", "rear.opposite"):
            axle, which = test.split(".")
            file = f'file = "kc/mine_{axle}_{which}.csv"\n'
            text = text.replace(file, f'{file}columns.{name}_right = {{ column = "{column}_R", unit = "{unit}" }}\n')
    text = text.replace(
        "[kc.rear.parallel]\n", '[kc.rear.parallel]\ncolumns.parallel_travel = { column = "z_L", unit = "mm" }\n'
    )
    path.write_text(text)
    reference = read_reference(folder)
    assert spread(reference) < EXACT
    assert any("mirror image" in problem.text for problem in reference.problems)


def test_dependent_wheels_are_noticed(tmp_path: Path) -> None:
    def couple(test: str, table: dict[str, Array]) -> None:
        if test == "rear.opposite":
            table["toe_L"] = table["toe_L"] + 20.0 * table["z_L"] / 1e3

    reference = read_reference(sweeps_folder(tmp_path, np.linspace(-0.08, 0.08, 33), couple))
    assert any("the wheels are not independent" in problem.text for problem in reference.problems)


def test_a_gradient_stands_for_a_column(tmp_path: Path) -> None:
    path = sweeps_folder(tmp_path, np.linspace(-0.08, 0.08, 33)) / "reference.toml"
    path.write_text(path.read_text().replace('ry = { column = "spin_{S}", unit = "deg" }', "ry = { gradient = 0.5 }"))
    assert spread(read_reference(tmp_path)) < EXACT


@pytest.mark.parametrize(
    ("table", "column", "change", "said"),
    [
        ("front.parallel", "toe_L", lambda x: -x, "'rz' of left and right wheel move alike in parallel travel"),
        ("front.parallel", "F_L", lambda x: -x, "where its travel increases"),
        ("rear.parallel", "z_L", lambda x: 1e3 * x, "is the unit 'mm'?"),
        ("rear.parallel", "camber_L", lambda x: 57.3 * x, "is the unit 'deg'?"),
        ("rear.", "F_", lambda x: 1e3 * x, "the rear axle weighs 6636 N"),
        ("front.steer", "rack", lambda x: np.abs(x) + 1.0, "does not go one way"),
        ("rear.opposite", "F_R", lambda x: np.where(np.arange(x.size) == 4, np.nan, x), "values are missing"),
    ],
)
def test_bad_tables(tmp_path: Path, table: str, column: str, change: Callable[[Array], Array], said: str) -> None:
    def spoil(test: str, columns: dict[str, Array]) -> None:
        if test.startswith(table):
            columns.update({key: change(values) for key, values in columns.items() if key.startswith(column)})

    with pytest.raises(InputError) as error:
        read_reference(sweeps_folder(tmp_path, np.linspace(-0.08, 0.08, 33), spoil))
    assert said in str(error.value)


def test_a_grid_with_a_hole(tmp_path: Path) -> None:
    small_vehicle.write_small(tmp_path)
    path = tmp_path / "kc" / "rear_grid.csv"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:20], *lines[21:]]) + "\n")
    with pytest.raises(InputError, match=r"17 × 9 knots and 152 rows; the point parallel_travel -0.06.* is missing"):
        read_reference(tmp_path)


#: Opposite travel of springs that stiffen, without an anti-roll bar, made somewhere else than at the design position.
OFF_CENTRE = 0.03


def progressive(own: Array) -> Array:
    """Load of one wheel at the front [kN]."""
    return 1e-3 * (small_vehicle.axle_load(Axle.FRONT) + 25e3 * own + 2e5 * own**2)


def off_centre(bar: float, *, tell: bool, at: float = OFF_CENTRE) -> Callable[[str, dict[str, Array]], None]:
    """Front sweeps with a bar [N/m]; travels of the wheels are told, or that of the left one alone."""

    def change(test: str, table: dict[str, Array]) -> None:
        if test not in ("front.parallel", "front.opposite"):
            return
        x = 1e-3 * table["z_L"]
        for side, letter in zip(Side, "LR", strict=True):
            own = x if test == "front.parallel" else at + side.sign * x
            for name, values in pose(side, own, 0 * x).items():
                column = {"tx": "x", "ty": "y", "tz": "zz", "rz": "toe", "rx": "camber", "ry": "spin"}.get(name, "l")
                angle = column in ("toe", "camber", "spin")
                turned = -side.sign if column in ("toe", "camber") else 1.0
                table[f"{column}_{letter}"] = turned * (np.degrees(values) if angle else 1e3 * values)
            table[f"F_{letter}"] = progressive(own) + 1e-3 * bar * (own - x if test == "front.parallel" else own - at)
            table[f"z_{letter}"] = 1e3 * own
        if test == "front.opposite":
            table["o"] = 1e3 * (x + 0.004)  # counted from anywhere
            if not tell:
                del table["z_L"], table["z_R"]

    return change


@pytest.mark.parametrize("tell", [True, False])
@pytest.mark.parametrize("bar", [0.0, 15e3])
def test_opposite_travel_off_centre_is_no_anti_roll_bar(tmp_path: Path, bar: float, *, tell: bool) -> None:
    folder = sweeps_folder(tmp_path, np.linspace(-0.08, 0.08, 33), off_centre(bar, tell=tell))
    if not tell:
        path = folder / "reference.toml"
        file = 'file = "kc/mine_front_opposite.csv"\n'
        rules = 'columns.opposite_travel = { column = "o", unit = "mm" }\n'
        text = path.read_text().replace(file, file + rules)
        text = text.replace('\ntravel = { column = "z_{S}", unit = "mm" }', "")
        for test in ("front.parallel", "rear.parallel", "rear.opposite", "front.steer"):
            axle, which = test.split(".")
            own = f'file = "kc/mine_{axle}_{which}.csv"\n'
            text = text.replace(own, own + 'columns.travel = { column = "z_{S}", unit = "mm" }\n')
        path.write_text(text)
    reference = read_reference(folder)
    roll = reference.conversion.spec.axles[0].roll
    assert np.abs(roll.y - bar * roll.x).max() < 2.0, "loads of up to 5 kN"
    assert any("brought to the centre" in problem.text for problem in reference.problems)
    assert spread(reference) < EXACT


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda table: table.update(z_L=table["z_L"] - 10.0, z_R=table["z_R"] - 10.0), "contradict each other"),
        (lambda table: table.update(F_R=table["F_R"][::-1].copy()), "differ by"),
    ],
)
def test_opposite_travel_that_contradicts_parallel_travel(
    tmp_path: Path, change: Callable[[dict[str, Array]], None], said: str
) -> None:
    def spoil(test: str, table: dict[str, Array]) -> None:
        off_centre(15e3, tell=True)(test, table)
        if test == "front.opposite":
            change(table)

    with pytest.raises(InputError, match=said):
        read_reference(sweeps_folder(tmp_path, np.linspace(-0.08, 0.08, 33), spoil))


def test_an_independent_axle_needs_no_opposite_travel(tmp_path: Path) -> None:
    path = sweeps_folder(tmp_path, np.linspace(-0.08, 0.08, 33)) / "reference.toml"
    text = path.read_text().replace('\n[kc.rear.opposite]\nfile = "kc/mine_rear_opposite.csv"\n', "")
    path.write_text(text)
    reference = read_reference(tmp_path)
    assert np.abs(reference.conversion.spec.axles[1].roll.y).max() < 1e-9
    assert any("has no anti-roll bar" in problem.text for problem in reference.problems)
    assert spread(reference) < EXACT
    path.write_text(text.replace("\n[kc.rear.parallel]", '\n[kc.rear]\nwheels = "dependent"\n[kc.rear.parallel]'))
    with pytest.raises(InputError, match=r"\[kc.rear.opposite\] is missing"):
        read_reference(tmp_path)
