"""Recordings of loggers: channels by name, each with its unit and its own time, read when they are asked for.

``.mf4``
    MDF 4: every channel of numbers, on the time of its group. Only what is asked for is read, some channels at a time.
``.csv``, ``.txt``, ``.tab``, packed too (``.csv.gz``)
    A line of names, and the units in a line below, behind the names (``Speed [km/h]``) or at their end as in our own
    files (``vx_mps``). A channel that is slower than the others has empty cells between its samples. So writes i2 Pro
    of MoTeC its export, too. Without a line of names the channels are ``column_1``, ``column_2`` and on.
``.mat``
    MATLAB up to version 7: vectors, also in structs inside structs; a struct may have a time of its own, and a signal
    may be a struct of time, values and unit.
``.parquet``
    Columns of numbers; the unit from the metadata of the field ``unit``, or from the name as in text.

A recording is never written to.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trackrod.core.errors import FileFormatError, InputError, Place, Problem, UnitError, UnknownNameError
from trackrod.core.files import require_file
from trackrod.core.mdf4 import open_mf4
from trackrod.core.quantities import kind
from trackrod.core.run_files import load_matlab
from trackrod.core.signals import parse_column
from trackrod.core.tables import TABLE_SUFFIXES, read_table
from trackrod.core.written_units import factor_of

__all__ = ["RECORDING_SUFFIXES", "Channel", "Recording", "Samples", "open_recording"]

Array = NDArray[np.float64]

#: Of the files that are read.
RECORDING_SUFFIXES = (".mf4", ".mdf", *TABLE_SUFFIXES)
#: Most bytes of samples that are read from an MDF file at a time.
_BATCH = 96 * 2**20
#: Names that a channel of time has, and those of the parts of a signal in a struct.
_TIME_NAMES = re.compile(r"(?i)(ins_?)?(time|times|t|et|timestamps?|zeit)([_ ]?(sec|s|ms))?\Z")
_VALUE_NAMES, _UNIT_NAMES = ("values", "value", "data", "signal", "y"), ("unit", "units")
_UNIT_BEHIND = re.compile(r"(.*?\S)[\s_]*[\[(]([^\[\]()]*)[\])]\s*\Z")


class Samples(NamedTuple):
    """Values over time, as recorded: time [s], values [unit of the channel]."""

    time: Array
    values: Array


@dataclass(frozen=True, slots=True)
class Channel:
    """What is known of a channel before it is read.

    Attributes
    ----------
    name
        As in the file; with the path to it where the name alone stands for several.
    unit
        As in the file; empty if it says none.
    samples
        How many there are.
    start, end
        Time of the first and of the last sample [s].
    """

    name: str
    unit: str
    samples: int
    start: float
    end: float

    @property
    def rate(self) -> float:
        """Samples per second in the mean [Hz]; 0 where there is one sample."""
        length = self.end - self.start
        return (self.samples - 1) / length if length > 0.0 else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Recording:
    """A file of measured channels.

    Attributes
    ----------
    path
        Where it lies.
    channels
        By name, in the order of the file.
    notes
        What was left out, and why.
    load
        Reads channels by their names, in any order, with little more memory than they need themselves.
    """

    path: Path
    channels: Mapping[str, Channel]
    load: Callable[[Sequence[str]], Iterator[tuple[str, Samples]]] = field(repr=False)
    notes: tuple[str, ...] = ()

    def read(self, names: Iterable[str]) -> Iterator[tuple[str, Samples]]:
        """Channels by name, one after the other, in the order in which they lie in the file.

        Raises
        ------
        UnknownNameError
            The recording has no such channel.
        FileFormatError
            The file is damaged.
        """
        wanted = list(dict.fromkeys(names))
        for name in wanted:
            self.require(name)
        return self.load(wanted)

    def require(self, name: str) -> Channel:
        """The channel of a name; UnknownNameError with close matches if there is none."""
        if name not in self.channels:
            raise UnknownNameError(f"channel of '{self.path.name}'", name, self.channels)
        return self.channels[name]

    def __getitem__(self, name: str) -> Samples:
        """One channel."""
        ((_, samples),) = self.read([name])
        return samples


def open_recording(path: Path | str, *, time: str | None = None) -> Recording:
    """Open a recording in the format of its suffix.

    Parameters
    ----------
    path
        The file.
    time
        The channel of time, in files of which one column is time; found by its name if not given.

    Raises
    ------
    MissingFileError, InputError, MissingExtraError
        No such file; a suffix that is not supported; a package that is not installed.
    FileFormatError
        The file is damaged, or has no time.
    """
    path = require_file(Path(path))
    suffix = path.suffix.lower()
    if suffix in (".mf4", ".mdf"):
        return _open_mf4(path)
    if suffix == ".mat":
        return _open_mat(path, time)
    if suffix == ".ld":
        hint = "export it from i2 Pro as CSV"
        raise InputError(Problem("MoTeC's own format is not read", Place(path), hint=hint))
    if path.name.lower().endswith(TABLE_SUFFIXES):
        return _open_table(path, time)
    supported = ", ".join(RECORDING_SUFFIXES)
    raise InputError(Problem(f"'{suffix}' is not the suffix of a recording", Place(path), hint=f"known: {supported}"))


def recording_of(path: Path, channels: Mapping[str, tuple[str, Samples]], notes: Sequence[str] = ()) -> Recording:
    """A recording whose channels, each a unit and samples by name, are in memory."""
    known = {
        name: Channel(name, unit, samples.time.size, float(samples.time[0]), float(samples.time[-1]))
        for name, (unit, samples) in channels.items()
    }

    def load(names: Sequence[str]) -> Iterator[tuple[str, Samples]]:
        return ((name, channels[name][1]) for name in channels if name in set(names))

    return Recording(path, MappingProxyType(known), load, tuple(notes))


# Text, Parquet ----------------------------------------------------------------------------------------------


def _open_table(path: Path, time: str | None) -> Recording:
    table = read_table(path, nameless=True)
    named = {_name_and_unit(column, table.units.get(column, "")): values for column, values in table.columns.items()}
    by_name = {name: (unit, values) for (name, unit), values in named.items()}
    if len(by_name) < len(named):
        raise FileFormatError(Problem("two columns have one name and differ in the unit alone", Place(path)))
    clock = _require_time(path, list(by_name), time)
    base = _seconds(*by_name.pop(clock), path)
    channels, notes = {}, []
    for name, (unit, values) in by_name.items():
        there = np.isfinite(values)
        if not there.any():
            notes.append(f"'{name}' left out: it holds no numbers")
            continue
        whole = there.all()  # a slower channel has its samples in some of the lines
        channels[name] = unit, Samples(base, values) if whole else Samples(base[there], values[there])
    return recording_of(path, channels, notes)


def _name_and_unit(column: str, unit: str) -> tuple[str, str]:
    """Name and unit of a column whose unit stands in a line of its own, behind the name, or at its end."""
    if unit:
        return column, unit
    if found := _UNIT_BEHIND.match(column):
        return found[1], found[2].strip() or "-"
    try:
        return column, parse_column(column).kind.unit
    except InputError:
        return column, ""


def _require_time(path: Path, names: Sequence[str], given: str | None) -> str:
    if given is not None:
        if given not in names:
            raise UnknownNameError("channel of time", given, names, Place(path))
        return given
    found = [name for name in names if _TIME_NAMES.match(name)]
    if len(found) != 1:
        text = "no column is known as time" if not found else f"several columns may be time: {', '.join(found)}"
        hint = f'name it in the channel map: time = "…"; there are {", ".join(names[:12])}'
        raise FileFormatError(Problem(text, Place(path), hint=hint))
    return found[0]


def _seconds(unit: str, values: Array, path: Path) -> Array:
    return values * factor_of(unit, kind("time"), Place(path))


# MATLAB -----------------------------------------------------------------------------------------------------


def _open_mat(path: Path, time: str | None) -> Recording:
    content = {name: value for name, value in load_matlab(path).items() if not name.startswith("_")}
    found = _Structs(time)
    found.collect((), content, None)
    leaves = [place[-1] for place in found.channels]
    channels = {
        place[-1] if leaves.count(place[-1]) == 1 else ".".join(place): (unit, samples)
        for place, (unit, samples) in found.channels.items()
    }
    if not channels:
        text = "the file has no channel with a time" + (f" '{time}'" if time else "")
        raise FileFormatError(Problem(text, Place(path), hint='name it in the channel map: time = "…"'))
    return recording_of(path, channels, found.notes)


class _Structs:
    """Walks through structs inside structs and collects what are channels, by their path."""

    def __init__(self, time: str | None) -> None:
        self.time = time
        self.channels: dict[tuple[str, ...], tuple[str, Samples]] = {}
        self.notes: list[str] = []

    def collect(self, path: tuple[str, ...], fields: Mapping[str, Any], outer: Array | None) -> None:
        """Take the channels of a struct; `outer` is the time of a struct around it."""
        vectors = {name: _vector(value) for name, value in fields.items()}
        units = _units_of(fields)
        clock = next((n for n, v in vectors.items() if v is not None and self._is_time(n, units.get(n, ""))), None)
        base = outer
        if clock is not None and (values := vectors.pop(clock)) is not None:
            base = _seconds(units.get(clock, ""), values, Path(clock))
        own = next((name for name in _VALUE_NAMES if vectors.get(name) is not None), None)
        if path and clock is not None and own is not None:  # one signal: time, values, unit
            unit = next((fields[name] for name in _UNIT_NAMES if isinstance(fields.get(name), str)), "")
            self._add(path, unit, base, vectors.pop(own))
        for name, values in vectors.items():
            inner = fields[name]
            if values is not None:
                self._add((*path, name), units.get(name) or _name_and_unit(name, "")[1], base, values)
            elif hasattr(inner, "_fieldnames") and name not in _UNIT_NAMES:
                self.collect((*path, name), {key: getattr(inner, key) for key in inner._fieldnames}, base)

    def _is_time(self, name: str, unit: str) -> bool:
        if self.time is not None:
            return name == self.time
        try:
            factor_of(unit, kind("time"))
        except UnitError:
            return False
        return bool(_TIME_NAMES.match(name))

    def _add(self, path: tuple[str, ...], unit: str, base: Array | None, values: Array | None) -> None:
        if values is None or values.size < 2:
            return
        if base is None or base.size != values.size:
            self.notes.append(f"'{'.'.join(path)}' left out: it has {values.size} samples and no time of as many")
            return
        self.channels[path] = unit, Samples(base, values)


def _vector(value: Any) -> Array | None:
    if isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "biuf":
        return value.astype(np.float64)
    return None


def _units_of(fields: Mapping[str, Any]) -> dict[str, str]:
    """Units by name, from a struct ``units`` with the same fields, or a struct with lists of names and units."""
    found: dict[str, str] = {}
    for value in fields.values():
        inside = {name: getattr(value, name) for name in getattr(value, "_fieldnames", ())}
        names, units = inside.get("name"), inside.get("units")
        if isinstance(names, np.ndarray) and isinstance(units, np.ndarray) and names.shape == units.shape:
            found |= {str(name): str(unit) for name, unit in zip(names.flat, units.flat, strict=True)}
    own = fields.get("units")
    return found | {
        name: unit for name in getattr(own, "_fieldnames", ()) if isinstance(unit := getattr(own, name), str)
    }


# MDF --------------------------------------------------------------------------------------------------------


def _open_mf4(path: Path) -> Recording:
    places: dict[str, tuple[int, int]] = {}
    channels: dict[str, Channel] = {}
    notes: list[str] = []
    with open_mf4(path) as file:
        names = [channel.name for group in file.groups for channel in group.channels]
        for g, group in enumerate(file.groups):
            samples = int(group.channel_group.cycles_nr)
            master = file.masters_db.get(g)
            start = end = 0.0
            if samples and master is not None:
                start, end = (float(file.get_master(g, record_offset=k, record_count=1)[0]) for k in (0, samples - 1))
            for index, channel in enumerate(group.channels):
                if index == master:
                    continue
                why = _left_out(channel, samples, master)
                if why:
                    notes.append(f"'{channel.name}' left out: {why}")
                    continue
                name = channel.name if names.count(channel.name) == 1 else f"{g}.{index}.{channel.name}"
                unit = (channel.conversion.unit if channel.conversion else "") or channel.unit or ""
                places[name] = (g, index)
                channels[name] = Channel(name, unit or _name_and_unit(name, "")[1], samples, start, end)

    def load(wanted: Sequence[str]) -> Iterator[tuple[str, Samples]]:
        with open_mf4(path) as file:
            for batch in _batches(sorted(wanted, key=places.__getitem__), channels):
                asked = [(None, *places[name]) for name in batch]
                with redirect_stdout(StringIO()):  # asammdf prints how fast it is where that is slow
                    read = file.select(asked, ignore_value2text_conversions=True, copy_master=False)
                read.reverse()
                for name in batch:  # one channel after the other is given away
                    signal = read.pop()
                    yield name, Samples(*(np.asarray(a, dtype=np.float64) for a in (signal.timestamps, signal.samples)))

    return Recording(path, MappingProxyType(channels), load, tuple(notes))


def _left_out(channel: Any, samples: int, master: int | None) -> str:
    if channel.data_type > 5 or channel.channel_type not in (0, 3, 4):  # integers and floats, of fixed length
        return "it holds no single numbers"
    if not samples:
        return "it has no samples"
    return "its group has no time" if master is None else ""


def _batches(names: Sequence[str], channels: Mapping[str, Channel]) -> Iterator[list[str]]:
    """Names that are read together, in few passes over the file and with little memory."""
    batch: list[str] = []
    size = 0
    for name in names:
        bytes_of_it = 8 * channels[name].samples
        if batch and size + bytes_of_it > _BATCH:
            yield batch
            batch, size = [], 0
        batch.append(name)
        size += bytes_of_it
    if batch:
        yield batch
