"""Runs of files: those in our columns as they are, recordings of a logger by their channel map.

A channel map called ``channels.toml`` that lies beside recordings is theirs, and sensors called ``sensors.toml`` too:
`trackrod measure` writes both.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from trackrod.core.errors import InputError, MissingFileError, Place, Problem, raise_if_errors
from trackrod.core.plain import Plain
from trackrod.core.run_files import RUN_SUFFIXES, read_run
from trackrod.core.series import Run
from trackrod.measured.channel_map import ChannelMap
from trackrod.measured.prepare import Prepared, prepare
from trackrod.measured.recording import RECORDING_SUFFIXES, open_recording
from trackrod.measured.road import with_head_wind
from trackrod.measured.sensors import SensorSet

__all__ = ["CHANNEL_MAP", "SENSORS", "Reader", "Recorded", "sensors_beside"]

#: What files are called that belong to all recordings of a folder; folders of it that hold no tests.
CHANNEL_MAP, SENSORS = "channels.toml", "sensors.toml"
_NO_TESTS = ("truth", "warm_up")
_REPEAT = re.compile(r"(.+)_\d+")


@dataclass(frozen=True, slots=True, eq=False)
class Recorded:
    """A run with the file that it comes from.

    Attributes
    ----------
    path
        The file.
    run
        Our columns in SI units.
    prepared
        How it was made; None for a file in our columns.
    """

    path: Path
    run: Run
    prepared: Prepared | None = None

    @property
    def problems(self) -> list[Problem]:
        """What is worth knowing of it."""
        findings = () if self.prepared is None else self.prepared.findings
        return [finding.problem(Place(self.path)) for finding in findings]

    def to_plain(self) -> dict[str, Plain]:
        """What was done and found, as plain data."""
        made: dict[str, Plain] = {} if self.prepared is None else self.prepared.to_plain()
        return {"file": self.path.name, **made}


class Reader:
    """Reads files one after the other and keeps what was done with them.

    Parameters
    ----------
    channel_map
        File of the map of all recordings; None takes the one beside them, and where there is none they have to be in
        our columns.
    sensors
        Their delays, where the map states none, and their ranges.
    imu
        Position of the IMU from the centre of gravity [m], where the workshop knows it better than the map.
    """

    def __init__(
        self,
        channel_map: Path | None = None,
        sensors: SensorSet | None = None,
        *,
        imu: tuple[float, float, float] | None = None,
    ) -> None:
        self.recorded: list[Recorded] = []
        self._imu = imu
        self._given = None if channel_map is None else ChannelMap.read(channel_map)
        self._sensors = sensors
        self._maps: dict[Path, ChannelMap] = {}

    def map_of(self, folder: Path) -> ChannelMap | None:
        """The map of the recordings of a folder; None where they are runs in our columns."""
        if self._given is not None:
            return self._given
        path = folder / CHANNEL_MAP
        if path not in self._maps and path.is_file():
            self._maps[path] = ChannelMap.read(path)
        return self._maps.get(path)

    def files(self, folder: Path, mapped_by: Path | None = None) -> list[Path]:
        """Those of a folder that are runs or recordings, in the order of their names; its map may lie elsewhere."""
        suffixes = RUN_SUFFIXES if self.map_of(mapped_by or folder) is None else RECORDING_SUFFIXES
        return [path for path in sorted(folder.iterdir()) if path.is_file() and path.name.lower().endswith(suffixes)]

    def read(self, path: Path, folder: Path | None = None) -> Run:
        """A run of one file.

        Parameters
        ----------
        path
            Of the file.
        folder
            Where its map is looked for; beside it if not given.

        Raises
        ------
        MissingFileError, FileFormatError, InputError
            There is no such file, or it is damaged; what is wrong in it, all of it at once.
        """
        given = self.map_of(path.parent if folder is None else folder)
        if given is None:
            self.recorded.append(Recorded(path, with_head_wind(read_run(path))))
        else:
            if self._imu is not None:
                given = replace(given, imu=replace(given.imu, position=self._imu))
            made = prepare(open_recording(path, time=given.time), given, self._sensors)
            self.recorded.append(Recorded(path, with_head_wind(made.run), made))
        return self.recorded[-1].run

    def tests(self, folder: Path) -> dict[str, tuple[Run, ...]]:
        """Tests of a folder by name: a file is a test, a folder of files are repeats of one.

        With a channel map, recordings whose names end with a number are repeats of one test as well, and the folders
        that `trackrod measure` writes beside them are left out.

        Raises
        ------
        MissingFileError, FileFormatError, InputError
            As `read`, with what is wrong in all files; or there is no run.
        """
        if not folder.is_dir():
            raise MissingFileError(Problem(f"there is no folder {folder}"))
        mapped = self.map_of(folder) is not None
        found: dict[str, list[Path]] = {}
        for path in self.files(folder):
            stem = path.name.split(".")[0] if mapped else path.stem
            repeat = _REPEAT.fullmatch(stem) if mapped else None
            found.setdefault(repeat.group(1) if repeat else stem, []).append(path)
        for path in sorted(folder.iterdir()):
            if path.is_dir() and not (mapped and path.name in _NO_TESTS) and (files := self.files(path, folder)):
                found.setdefault(path.name, []).extend(files)
        _require(folder, found)
        runs = iter(self.all((file for name in sorted(found) for file in found[name]), folder))
        return {name: tuple(next(runs) for _ in found[name]) for name in sorted(found)}

    def logs(self, paths: Iterable[Path]) -> list[Run]:
        """Runs of files, and of all files in folders; errors as `tests`."""
        files = []
        for path in paths:
            found = self.files(path) if path.is_dir() else [path]
            _require(path, found)
            files += found
        return self.all(files)

    def all(self, paths: Iterable[Path], folder: Path | None = None) -> list[Run]:
        """Runs of files, as `read`; what is wrong in several of them is raised at once."""
        problems: list[Problem] = []
        runs = []
        for path in paths:
            try:
                runs.append(self.read(path, folder))
            except InputError as error:
                problems += error.problems
        raise_if_errors(problems)
        return runs

    def warnings(self) -> list[Problem]:
        """What is worth knowing of all that was read; the same sentence about several files stands once."""
        several: dict[str, list[Problem]] = {}
        for recorded in self.recorded:
            for problem in recorded.problems:
                several.setdefault(problem.text, []).append(problem)
        return [problems[0] for problems in several.values()]


def sensors_beside(logs: Sequence[Path]) -> Path | None:
    """The file of the sensors that lies beside logs, if all of them have the same one."""
    found = {(log if log.is_dir() else log.parent) / SENSORS for log in logs}
    return found.pop() if len(found) == 1 and next(iter(found)).is_file() else None


def _require(folder: Path, found: Collection[object]) -> None:
    if not found:
        raise InputError(f"{folder} holds no run: {', '.join(RUN_SUFFIXES)} are read")
