"""The table of channels: suggestions filled in where they are certain, the map written as all commands read it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from trackrod.core.errors import InputError
from trackrod.measured.channel_map import ChannelMap, Entry
from trackrod.web import commands
from trackrod.web.channel_table import Row, read_map, rows_of, write_map
from trackrod.web.views import channels_of
from trackrod.web.workspace import Workspace

LOG = """Time [s],Speed [km/h],AccY,Thermocouple 7 [degC]
0,36,0.5,20
0.01,36,-4.5,20
0.02,72,4.5,20
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    found = Workspace(tmp_path)
    (found.recordings_folder / "spring").mkdir()
    (found.recordings_folder / "spring" / "step.csv").write_text(LOG)
    return found


@pytest.fixture
def view(workspace: Workspace) -> dict[str, Any]:
    return channels_of(workspace.recordings_folder / "spring" / "step.csv", {})


def test_what_is_certain_is_filled_in_and_nothing_else(view: dict[str, Any]) -> None:
    speed, lateral, other = rows_of(view, None)
    assert (speed.channel, speed.stated, speed.column) == ("Speed", "km/h", "vx_mps")
    assert (lateral.channel, lateral.column) == ("AccY", "")
    assert lateral.hint.startswith("ay_mps2: 'AccY' by its name; the recording states no unit")
    assert (other.channel, other.column, other.hint) == ("Thermocouple 7", "", "")


def test_the_map_is_the_file_that_commands_read(workspace: Workspace, view: dict[str, Any]) -> None:
    path = workspace.channel_map("spring")
    assert read_map(path) is None
    rows = rows_of(view, None)
    rows[1].column, rows[1].unit, rows[1].sign = "ay_mps2", "m/s^2", -1
    write_map(path, rows, None, "Time")
    found = ChannelMap.read(workspace.recordings_folder / "spring" / "channels.toml")
    assert found.time == "Time"
    assert found.entries["ay_mps2"].sign == -1.0
    assert found.entries["ay_mps2"].unit == "m/s^2"
    assert set(found.entries) == {"vx_mps", "ay_mps2"}
    assert commands.channels(workspace, "spring", "Time").words[-4:] == (
        "--map",
        "../../recordings/spring/channels.toml",
        "--time",
        "Time",
    )
    assert channels_of(workspace.recordings_folder / "spring" / "step.csv", {"--map": str(path)}) == view


def test_what_the_table_does_not_show_is_kept(workspace: Workspace, view: dict[str, Any]) -> None:
    path = workspace.channel_map("spring")
    delayed = Entry("ay_mps2", "AccY", "g", offset=0.1, delay=0.02)
    given = replace(ChannelMap({"ay_mps2": delayed, "roll_rad": Entry("roll_rad", "Roll")}), step=0.005)
    rows = rows_of(view, given)
    assert [(row.channel, row.column) for row in rows[:2]] == [("AccY", "ay_mps2"), ("Roll", "roll_rad")]
    assert rows[1].hint == "this recording has no such channel"
    assert not next(row for row in rows if row.channel == "Speed").column  # the map prevails
    rows[0].sign, rows[1].column = -1, ""
    write_map(path, rows, given)
    found = read_map(path)
    assert found is not None
    assert found.step == 0.005
    assert {name: replace(entry, place=delayed.place) for name, entry in found.entries.items()} == {
        "ay_mps2": replace(delayed, sign=-1.0)
    }


def test_everything_that_is_wrong_is_said_and_nothing_written(workspace: Workspace) -> None:
    path = workspace.channel_map("spring")
    rows = [
        Row("A", "m/s", "vx_mps"),
        Row("B", "m/s", "vx_mps"),
        Row("C", "", "ay_mps2"),
        Row("D", "", "yaw_rate_radps", "kg"),
        Row("E", "s", "time_s"),
    ]
    with pytest.raises(InputError) as caught:
        write_map(path, rows, None)
    said = "\n".join(str(problem) for problem in caught.value.problems)
    for part in ("vx_mps is 'A' and 'B'", "no unit of 'C'", "'D': ", "'E': time is no signal"):
        assert part in said
    with pytest.raises(InputError, match="no channel has a signal"):
        write_map(path, [Row("A", "m/s")], None)
    assert not path.exists()


@pytest.mark.parametrize("campaign", ["..", "/etc", "../vehicles"])
def test_no_map_is_written_elsewhere(workspace: Workspace, campaign: str) -> None:
    with pytest.raises(InputError, match="not in the workspace"):
        workspace.channel_map(campaign)


def test_a_map_that_is_a_link_out_is_refused(workspace: Workspace, tmp_path: Path) -> None:
    (workspace.recordings_folder / "spring" / "channels.toml").symlink_to(tmp_path.parent / "elsewhere.toml")
    with pytest.raises(InputError, match="not in the workspace"):
        workspace.channel_map("spring")
