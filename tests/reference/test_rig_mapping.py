"""A rig's tables with a mapping file: the example folder is read and driven, faults of the mapping are named."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from trackrod.core import signals
from trackrod.core.corners import Axle, Side
from trackrod.core.errors import InputError, Severity
from trackrod.kc.points import Load
from trackrod.reference import Replay, read_reference
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.simulate.drive import simulate

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "rig_folder"


def columns(name: str) -> dict[str, np.ndarray]:
    lines = (EXAMPLE / name).read_text().splitlines()
    rows = np.array([[float(cell) for cell in line.split(";")] for line in lines[1:]])
    return dict(zip(lines[0].split(";"), rows.T, strict=True))


def test_columns_units_signs_and_sides() -> None:
    maps = read_reference(EXAMPLE).maps[Axle.FRONT]
    bump, steer, lateral = (columns(f"kc/front_{test}.csv") for test in ("bump", "steer", "lateral"))
    for side, hand in ((Side.LEFT, "LH"), (Side.RIGHT, "RH")):
        kinematics = maps.wheel(side).kinematics
        row = 9
        pose = kinematics.value(1e-3 * bump[f"Wheel travel {hand}"][row], 0.0)
        assert pose[kinematics.output_index("rz")] == pytest.approx(-side.sign * np.deg2rad(bump[f"Toe {hand}"][row]))
        outward = bump[f"Half track change {hand}"][row]
        assert pose[kinematics.output_index("ty")] == pytest.approx(1e-3 * side.sign * outward)
        turned = kinematics.value(0.0, -1e-3 * steer["Rack to the right"][row])
        expected = -side.sign * np.deg2rad(steer[f"Toe {hand}"][row])
        assert turned[kinematics.output_index("rz")] == pytest.approx(expected, abs=1e-6)
        load = maps.ride.value(1e-3 * bump[f"Wheel travel {hand}"][row])[maps.ride.output_index(f"Fz_{side}")]
        assert load == pytest.approx(1e3 * bump[f"Wheel load {hand}"][row])
    give = maps.left.own[Load.FY]
    change = give.value(-lateral["Lateral force to the right"][-1])[give.output_index("rz")]
    assert change == pytest.approx(-np.deg2rad(lateral["Toe LH"][-1] - lateral["Toe LH"][2]), rel=1e-4)


def test_the_example_is_driven_as_it_was_recorded() -> None:
    reference = read_reference(EXAMPLE)
    recorded = reference.runs["step"]
    driven = simulate(RealTimeVehicle(reference.conversion.spec), Replay(source=recorded))
    yaw_rate = np.interp(
        recorded.run.time, driven.time - driven.time[-1] + recorded.run.time[-1], driven[signals.YAW_RATE]
    )
    expected = recorded.run[signals.YAW_RATE]
    apart = float(np.sqrt(np.mean((yaw_rate - expected) ** 2))) / float(np.abs(expected).max())
    assert apart < 0.05  # no give but that under lateral forces was measured
    assert all(problem.severity is not Severity.ERROR for problem in reference.problems)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('quantity = "toe"', 'quantity = "tow"', "'tow' is not a quantity that is read here"),
        ('side = "left"', 'side = "middle"', "unknown word for 'side' 'middle'"),
        ('side = "left"\n', "", "belongs to a wheel: 'side' is missing"),
        (
            'quantity = "rack_travel"',
            'quantity = "rack_travel"\nside = "left"',
            "is of the whole axle and has no 'side'",
        ),
        ("sign = -1", "sign = -57", "1 or −1 is needed"),
        ('unit = "deg"', 'unit = "degrees of toe"', "is not a unit"),
        ('unit = "deg"', 'unti = "deg"', "unknown key 'unti'"),
        ('quantity = "camber"', 'quantity = "toe"', "'toe_left' is already the column 'Toe LH'"),
        ('["Wheel load LH"]', '["Load LH"]', "has no 'Fz' of both wheels"),
        ('["Toe LH"]', '["Toe LH"', "the file is not TOML"),
    ],
)
def test_faults_of_the_mapping(tmp_path: Path, old: str, new: str, says: str) -> None:
    folder = tmp_path / "folder"
    shutil.copytree(EXAMPLE, folder)
    text = (folder / "rig.toml").read_text()
    assert old in text
    (folder / "rig.toml").write_text(text.replace(old, new))
    with pytest.raises(InputError) as caught:
        read_reference(folder)
    found = [problem for problem in caught.value.problems if says in problem.text]
    assert found, str(caught.value)
    assert found[0].place.file is not None
