"""Sensors: how far a measured value may lie from the true one, and how often and how late it comes.

A set of sensors is a TOML file with a table for each column, four of them where the name says ``{corner}``::

    ["Fz_{corner}_N"]
    scale_error = "1 %"
    accuracy = "20 N"
    noise = "20 N"
    rate = 1000
    delay = "63 ms"
    range = ["-20 kN", "20 kN"]
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from trackrod.core.corners import Corner
from trackrod.core.errors import InputError, Problem, UnknownNameError, raise_if_errors
from trackrod.core.files import write_atomically
from trackrod.core.quantities import Kind, kind
from trackrod.core.signals import parse_column
from trackrod.core.toml_document import Document, Section
from trackrod.core.toml_files import to_toml

__all__ = ["Sensor", "SensorSet", "case_study"]

_EVERY_CORNER = "{corner}"
_NO_RANGE = (-math.inf, math.inf)


@dataclass(frozen=True, slots=True)
class Sensor:
    """What a sensor makes of a quantity: (1 + gain error) · value + zero error + noise, `delay` later.

    Attributes
    ----------
    column
        What it measures, a column of a run.
    accuracy
        Bound of the zero error, which stays the same over a whole campaign [SI unit of the column].
    noise
        Standard deviation of one sample [SI unit].
    rate
        Samples per second [Hz].
    delay
        By which its samples come late [s].
    range
        Smallest and largest value that it shows [SI unit].
    scale_error
        Bound of the gain error, which stays the same over a whole campaign [-].
    resolution
        Step between two values that it can show, 0 for none [SI unit].

    Holds: errors inside a bound are equally likely (type B, rectangular), so their standard deviation is the bound
    over √3.
    """

    column: str
    accuracy: float = 0.0
    noise: float = 0.0
    rate: float = 100.0
    delay: float = 0.0
    range: tuple[float, float] = _NO_RANGE
    scale_error: float = 0.0
    resolution: float = 0.0

    def __post_init__(self) -> None:
        parse_column(self.column)
        faults = [
            f"'{name}' is {value:g}, zero or more is needed"
            for name, value in (
                ("accuracy", self.accuracy),
                ("noise", self.noise),
                ("scale_error", self.scale_error),
                ("resolution", self.resolution),
            )
            if not 0.0 <= value < math.inf
        ]
        if not 0.0 < self.rate < math.inf:
            faults.append(f"'rate' is {self.rate:g} Hz, more than zero is needed")
        if not math.isfinite(self.delay):
            faults.append(f"'delay' is {self.delay:g} s, a finite number is needed")
        if not self.range[0] < self.range[1]:
            faults.append(f"'range' goes from {self.range[0]:g} to {self.range[1]:g}, the second must be the larger")
        raise_if_errors(Problem(f"sensor of '{self.column}': {fault}") for fault in faults)

    @property
    def kind(self) -> Kind:
        """Physical quantity; gives the unit."""
        return parse_column(self.column).kind

    def systematic(self, value: float = 0.0) -> float:
        """Standard deviation of what stays the same over a campaign, at a value [both in the SI unit]."""
        return math.hypot(self.accuracy, self.scale_error * value) / math.sqrt(3.0)


class SensorSet(Mapping[str, Sensor]):
    """Sensors by the column that they measure."""

    __slots__ = ("_sensors",)

    def __init__(self, sensors: Iterable[Sensor]) -> None:
        self._sensors = {sensor.column: sensor for sensor in sensors}

    def __getitem__(self, column: str) -> Sensor:
        try:
            return self._sensors[column]
        except KeyError:
            raise UnknownNameError("sensor", column, self._sensors) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._sensors)

    def __len__(self) -> int:
        return len(self._sensors)

    def __repr__(self) -> str:
        return f"SensorSet({', '.join(self._sensors)})"

    def scaled(self, *, error: float = 1.0, rate: float = 1.0) -> SensorSet:
        """Every sensor with its errors (zero, gain, noise, resolution) and its rate multiplied by a factor."""
        return SensorSet(
            replace(
                sensor,
                accuracy=error * sensor.accuracy,
                scale_error=error * sensor.scale_error,
                noise=error * sensor.noise,
                resolution=error * sensor.resolution,
                rate=rate * sensor.rate,
            )
            for sensor in self.values()
        )

    @classmethod
    def read(cls, path: Path | str) -> SensorSet:
        """Read a set from a TOML file; numbers are in SI units, or texts with their unit.

        Raises
        ------
        MissingFileError, FileFormatError, InputError
            No such file; not TOML; with everything that is wrong, by line.
        """
        document = Document(Path(path))
        sensors = [sensor for name in document.root.names() for sensor in _read_sensors(document.root, name)]
        document.close()
        raise_if_errors(document.problems)
        return cls(sensors)

    def write(self, path: Path | str) -> None:
        """Write the set as a TOML file in SI units.

        Holds: ``SensorSet.read(path)`` is the same set.
        """
        lines = to_toml({column: _fields(sensor) for column, sensor in self.items()})
        write_atomically(path, "\n".join(lines).lstrip() + "\n")


def _read_sensors(root: Section, name: str) -> Iterator[Sensor]:
    section = root.section(name, "the sensor of a column")
    columns = [name.replace(_EVERY_CORNER, corner) for corner in Corner] if _EVERY_CORNER in name else [name]
    try:
        unit = parse_column(columns[0]).kind
    except InputError as error:
        list(section.names())  # what stands in it cannot be judged
        root.report(name, error.problems[0].text, hint=error.problems[0].hint)
        return
    number = kind("number")
    values = {
        "accuracy": section.number("accuracy", unit, "bound of the zero error", default=0.0),
        "noise": section.number("noise", unit, "standard deviation of one sample", default=0.0),
        "rate": section.number("rate", kind("frequency"), "samples per second"),
        "delay": section.number("delay", kind("time"), "by which samples come late", default=0.0),
        "scale_error": section.number("scale_error", number, "bound of the gain error", default=0.0),
        "resolution": section.number("resolution", unit, "step between two values", default=0.0),
    }
    limits = _NO_RANGE
    if "range" in section:
        low, high = section.numbers("range", unit, "smallest and largest value", 2)
        limits = float(low), float(high)
    for column in columns:
        try:
            yield Sensor(column, range=limits, **values)
        except InputError as error:
            for problem in error.problems:
                root.report(name, problem.text, hint=problem.hint)


def _fields(sensor: Sensor) -> dict[str, object]:
    known: dict[str, object] = {
        "accuracy": sensor.accuracy,
        "noise": sensor.noise,
        "rate": sensor.rate,
        "delay": sensor.delay,
        "scale_error": sensor.scale_error,
        "resolution": sensor.resolution,
    }
    return known | ({"range": list(sensor.range)} if sensor.range != _NO_RANGE else {})


@cache
def case_study() -> SensorSet:
    """The measurement system of a published case study: wheel-force transducers, INS, brake pressures, OBD.

    Reference: paper 001, table 2; what the table does not tell is said in the file.
    """
    return SensorSet.read(Path(__file__).parent / "ready_made" / "case_study.toml")
