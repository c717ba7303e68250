"""Plans of measurements: which manoeuvres, how often, with which sensors.

::

    name = "brakes"
    sensors = "sensors.toml"            a file beside the plan, or "case_study"
    seed = 1
    format = "mf4"                      or "csv"

    [[tests]]
    name = "braking"
    manoeuvre = "braking"
    repeats = 3
    warm_up = 1                         runs before them that do not count
    initialisation = false              whether zeros and alignment of the sensors are taken from it
    group = "deceleration"              which kind of driving it stands for
    case = 2                            which of the cases of `CASES`; none without it
    settings = { speed_kmh = 100, deceleration_g = 0.5 }

``[imu]`` and ``[wheel_force_transducers]`` say how the sensors are installed, as in a channel map.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from trackrod.core.errors import InputError, UnknownNameError, raise_if_errors
from trackrod.core.files import write_atomically
from trackrod.core.quantities import kind
from trackrod.core.toml_document import Document, Section
from trackrod.core.toml_files import to_toml
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.manoeuvres.registry import manoeuvre
from trackrod.measured.channel_map import read_imu
from trackrod.measured.imu import LEVEL_AT_CENTRE, Mounting
from trackrod.measured.sensors import SensorSet, case_study

__all__ = ["CASES", "Group", "MeasurementPlan", "RecordingFormat", "Test", "find_plan"]

_READY_MADE = Path(__file__).parent / "ready_made"
_CASE_STUDY = "case_study"

#: The six test cases of paper 001, section IV.F.
CASES: Mapping[int, str] = {
    1: "standstill, steering turned to both sides",
    2: "straight run",
    3: "steady-state cornering",
    4: "transient steering",
    5: "combined: braking and accelerating in a turn",
    6: "inputs of a driver",
}


class Group(StrEnum):
    """What a test stands for: the five groups of primary manoeuvres (paper 001, section II.B), or another one."""

    STEADY_LATERAL = "steady-state lateral"
    TRANSIENT_LATERAL = "transient lateral"
    ACCELERATION = "acceleration"
    DECELERATION = "deceleration"
    ROAD = "road disturbance"
    OTHER = "other"


class RecordingFormat(StrEnum):
    """Of the files that are written."""

    MF4 = "mf4"
    CSV = "csv"


@dataclass(frozen=True, slots=True)
class Test:
    """A manoeuvre that is driven several times.

    Attributes
    ----------
    name
        Of its files.
    manoeuvre
        What is driven.
    repeats, warm_up
        How often, and how often before that without counting.
    initialisation
        Whether zeros and alignment of the sensors are taken from it.
    group, case
        What it stands for; its number in `CASES`, 0 for none.
    """

    name: str
    manoeuvre: Manoeuvre
    repeats: int = 1
    warm_up: int = 0
    initialisation: bool = False
    group: Group = Group.OTHER
    case: int = 0

    __test__ = False  # not a test of pytest


@dataclass(frozen=True, slots=True)
class MeasurementPlan:
    """What is measured.

    Attributes
    ----------
    name
        Of the plan.
    tests
        In the order in which they are driven.
    sensors
        What measures.
    seed
        Of all errors of the sensors.
    imu, outer_mass
        How the IMU is mounted; mass outside of a wheel-force transducer [kg].
    format
        Of the files.
    """

    name: str
    tests: tuple[Test, ...]
    sensors: SensorSet
    seed: int
    imu: Mounting
    outer_mass: float
    format: RecordingFormat

    def write(self, path: Path | str, sensors: Path | str) -> None:
        """Write the plan, and its sensors into a file in the same folder.

        Holds: ``find_plan(path)`` is the same plan.
        """
        path, sensors = Path(path), Path(sensors)
        self.sensors.write(sensors)
        content: dict[str, object] = {
            "name": self.name,
            "sensors": sensors.name,
            "seed": self.seed,
            "format": str(self.format),
        }
        if self.imu != LEVEL_AT_CENTRE:
            content["imu"] = {
                "position": list(self.imu.position),
                "turned": list(self.imu.turned),
                "felt": self.imu.felt,
            }
        if self.outer_mass > 0.0:
            content["wheel_force_transducers"] = {"outer_mass": self.outer_mass}
        content["tests"] = [_plain_test(test) for test in self.tests]
        write_atomically(path, "\n".join(to_toml(content)) + "\n")


def _plain_test(test: Test) -> dict[str, object]:
    driven = test.manoeuvre
    set_otherwise = {
        item.name: value
        for item in driven.settings()
        if (value := getattr(driven, item.name)) is not None and value != item.default
    }
    return {
        "name": test.name,
        "manoeuvre": driven.name,
        "repeats": test.repeats,
        "warm_up": test.warm_up,
        "initialisation": test.initialisation,
        "group": str(test.group),
        **({"case": test.case} if test.case else {}),
        **({"settings": set_otherwise} if set_otherwise else {}),
    }


def find_plan(source: Path | str) -> MeasurementPlan:
    """Read the plan of a file, or the ready-made one, ``case_study``.

    Raises
    ------
    UnknownNameError
        There is neither such a file nor such a name.
    MissingFileError, FileFormatError, InputError
        No such file; not TOML; with everything that is wrong, by line.
    """
    path = Path(source)
    if not path.suffix and not path.is_file():
        if str(source) != _CASE_STUDY:
            raise UnknownNameError("plan", str(source), [_CASE_STUDY])
        path = _READY_MADE / "case_study_plan.toml"
    document = Document(path)
    root = document.root
    tests = tuple(test for section in root.sections("tests") for test in _read_test(section))
    names = [test.name for test in tests]
    for name in sorted({name for name in names if names.count(name) > 1}):
        root.report("tests", f"the test '{name}' is there more than once")
    if not tests:
        root.report("", "there is no test", hint="[[tests]] with 'name' and 'manoeuvre'")
    plan = MeasurementPlan(
        name=root.text("name", "of the plan", path.stem),
        tests=tests,
        sensors=_read_sensors(root),
        seed=_whole(root, "seed", 1),
        imu=read_imu(root.section("imu")),
        outer_mass=root.section("wheel_force_transducers").number(
            "outer_mass", kind("mass"), "outside of a transducer", default=0.0
        ),
        format=root.word("format", RecordingFormat, RecordingFormat.MF4),
    )
    document.close()
    raise_if_errors(document.problems)
    return plan


def _read_test(section: Section) -> Iterator[Test]:
    name = section.text("name", "of the test")
    if name and not name.replace("_", "").isalnum():
        section.report("name", f"'{name}' cannot name files", hint="use letters, digits and underscores")
    wanted = section.text("manoeuvre", "what is driven; `trackrod manoeuvres` lists them")
    settings = section.section("settings")
    given = {key: _text(settings.raw(key)) for key in settings.names()}
    repeats, warm_up = _whole(section, "repeats", 1, least=1), _whole(section, "warm_up", 0)
    initialisation, group = section.flag("initialisation", default=False), section.word("group", Group, Group.OTHER)
    case = _whole(section, "case", 0)
    if case and case not in CASES:
        section.report("case", f"'case' is {case}, one of {', '.join(map(str, CASES))} is needed")
    try:
        driven = manoeuvre(wanted, given)
    except InputError as error:
        for problem in error.problems:
            section.report("manoeuvre", problem.text, hint=problem.hint)
        return
    yield Test(name, driven, repeats, warm_up, initialisation, group, case)


def _read_sensors(root: Section) -> SensorSet:
    name = root.text("sensors", "file of the sensors", _CASE_STUDY)
    if name == _CASE_STUDY:
        return case_study()
    try:
        return SensorSet.read(root.document.path.parent / name)
    except InputError as error:
        root.document.take(error)
        return SensorSet([])


def _whole(section: Section, key: str, default: int, least: int = 0) -> int:
    number = section.number(key, kind("count"), "a whole number", default=float(default))
    if not number.is_integer() or number < least:
        section.report(key, f"'{key}' is {number:g}, a whole number of {least} or more is needed")
        return default
    return int(number)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
