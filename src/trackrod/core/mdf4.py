"""Runs as MDF 4 files, and recordings of loggers in this format, whose channels have names and units of their own."""

from __future__ import annotations

import contextlib
import math
import re
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trackrod.core.errors import FileFormatError, InputError, MissingExtraError, Place, Problem
from trackrod.core.plain import Plain, canonical_json
from trackrod.core.quantities import KINDS, STANDARD_GRAVITY, Kind
from trackrod.core.run_checks import METADATA_KEY, MOST_PROBLEMS, checked_run, damaged_file, parse_metadata
from trackrod.core.series import Run, TimeSeries, find_time_fault, uniform_time
from trackrod.core.signals import TIME, Signal, parse_column

__all__ = ["import_asammdf", "open_mf4", "read_mf4", "write_mf4"]

_HEADER_SIZE = 64 + 104  # [byte] identification and header block
_FRAGMENT = 16 * 2**20  # [byte] read at a time: asammdf would take 256 MiB, twice


def write_mf4(run: Run, path: Path) -> None:
    """Write a run: a channel for each column, time as the master channel, the metadata in the header's comment."""
    mdf = import_asammdf()
    channels = [
        mdf.Signal(samples=run[signal.column], timestamps=run.time, name=signal.column, unit=signal.kind.unit)
        for signal in run.signals
        if signal is not TIME
    ]
    with mdf.MDF(version="4.10") as file:
        if not channels:  # a group needs a channel besides its master
            channels = [mdf.Signal(samples=run.time, timestamps=run.time, name=TIME.column, unit=TIME.kind.unit)]
        file.append(channels, comment="trackrod run", common_timebase=True)
        file.header.description = canonical_json({METADATA_KEY: run.metadata})
        file.save(path, overwrite=True)


def read_mf4(path: Path, step: float | None) -> Run:
    """Read a run or a recording; channels of several time bases are brought onto one, `step` [s] apart if given."""
    notes: list[str] = []
    with open_mf4(path) as file:
        channels = list(_channels(file, notes))
        metadata = _metadata(path, file.header.description)
    if not channels:
        left_out = "; ".join(notes[:MOST_PROBLEMS])
        raise FileFormatError(Problem(f"the file has no channel that can be read: {left_out}", Place(path)))
    for channel in channels:
        if fault := find_time_fault(channel.time):
            text = f"channel '{channel.name}', sample {fault[0]}: {fault[1]}"
            raise FileFormatError(Problem(text, Place(path)))
    columns = _on_one_time_base(path, channels, step, notes)
    if notes:
        metadata = {**metadata, "notes": notes}
    return checked_run(path, columns, metadata, None)


@contextlib.contextmanager
def open_mf4(path: Path) -> Iterator[Any]:
    """The file as asammdf sees it, while it is read.

    Raises
    ------
    MissingExtraError, FileFormatError
        asammdf is not installed; the file is damaged, or not MDF 4.
    """
    mdf = import_asammdf()
    _check_header(path)
    try:
        # As a stream, because asammdf maps a file that it opens itself into memory, all of it.
        with path.open("rb") as stream, mdf.MDF(stream) as file:
            file.configure(read_fragment_size=_FRAGMENT)
            yield file
    except InputError:
        raise
    except Exception as error:  # asammdf raises whatever its parser meets in a damaged file
        _abandon_half_read_file(error)
        raise damaged_file(path, "MDF 4", error) from error


def _check_header(path: Path) -> None:
    with path.open("rb") as stream:
        start = stream.read(_HEADER_SIZE)
    if len(start) < _HEADER_SIZE or start[:8] not in (b"MDF     ", b"UnFinMF ") or start[8:10] != b"4.":
        text = f"the file is not a complete MDF 4 file: it starts with {start[:12]!r}"
        raise FileFormatError(Problem(text, Place(path), hint="it was cut off, or is of another format"))


@dataclass(frozen=True, slots=True)
class _Channel:
    name: str
    signal: Signal
    time: NDArray[np.float64]
    values: NDArray[np.float64]


def _channels(file: Any, notes: list[str]) -> Iterator[_Channel]:
    """The channels that a run can hold, in SI units; says in `notes` what is left out or renamed."""
    taken: set[str] = set()
    places = [
        (None, group, index)
        for group, content in enumerate(file.groups)
        for index in range(len(content.channels))
        if index != file.masters_db.get(group)
    ]
    for channel in file.select(places):  # reads each group once
        name, samples = channel.name, channel.samples
        if samples.dtype.kind not in "biuf" or samples.ndim != 1:
            notes.append(f"'{name}' left out: it holds no single numbers")
            continue
        if samples.size == 0:
            notes.append(f"'{name}' left out: it has no samples")
            continue
        found = _foreign_signal(name, channel.unit or "", held=samples.dtype.kind in "biu")
        if isinstance(found, str):
            notes.append(f"'{name}' left out: {found}")
            continue
        signal, factor, offset = found
        if signal.column in taken:
            notes.append(f"'{name}' [{channel.unit}] left out: there is a column '{signal.column}' already")
            continue
        taken.add(signal.column)
        if signal.column != name:
            notes.append(f"'{name}' [{channel.unit}] is column '{signal.column}'")
        values = samples.astype(np.float64)
        if (factor, offset) != (1.0, 0.0):
            values = values * factor + offset
        yield _Channel(name, signal, channel.timestamps.astype(np.float64), values)


def _foreign_signal(name: str, unit: str, *, held: bool) -> tuple[Signal, float, float] | str:
    """Signal of a channel with factor and offset into SI, or the reason why there is none."""
    conversion = _CONVERSIONS.get(unit.strip().casefold())
    with contextlib.suppress(InputError):
        signal = parse_column(name)
        if unit.strip() in ("", signal.kind.unit):
            return signal, 1.0, 0.0
        if conversion is None or conversion[0] is not signal.kind:
            return f"the column name asks for [{signal.kind.unit}], the channel has [{unit}]"
        return signal, *conversion[1:]
    if conversion is None:
        return f"the unit '{unit}' is not known" if unit.strip() else "it has no unit"
    kind, factor, offset = conversion
    identifier = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_")
    try:
        return Signal(identifier, kind, held=held), factor, offset
    except InputError:
        return "it cannot be a column name"


def _on_one_time_base(
    path: Path, channels: list[_Channel], step: float | None, notes: list[str]
) -> dict[str, NDArray[np.float64]]:
    base = channels[0].time
    shared = all(np.array_equal(channel.time, base) for channel in channels)
    if not shared:
        start = max(channel.time[0] for channel in channels)
        end = min(channel.time[-1] for channel in channels)
        base = np.unique(np.clip(base, start, end)) if start <= end else base[:0]
        if base.size == 0:
            raise FileFormatError(Problem("the channels have no time in common", Place(path)))
        onto = f"the time base of '{channels[0].name}'" if step is None else f"steps of {step} s"
        notes.append(f"time bases differ: all resampled onto {onto}, from {base[0]} to {base[-1]} s")
    if step is not None:
        base = uniform_time(base, step)
    return {TIME.column: base} | {
        channel.signal.column: channel.values
        if np.array_equal(channel.time, base)
        else TimeSeries(channel.signal, channel.time, channel.values).at(base)
        for channel in channels
        if channel.signal is not TIME
    }


def _metadata(path: Path, description: str) -> dict[str, Plain]:
    """Metadata of a run in the header's comment; none if another program wrote the comment."""
    prefix = f'{{"{METADATA_KEY}":'
    return parse_metadata(path, description[len(prefix) : -1]) if description.startswith(prefix) else {}


def import_asammdf() -> Any:
    """The package that reads and writes MDF files; MissingExtraError where it is not installed."""
    try:
        import asammdf  # noqa: PLC0415 - optional
    except ImportError:
        raise MissingExtraError("asammdf", "data", "reading and writing MDF files") from None
    return asammdf


def _abandon_half_read_file(error: Exception) -> None:
    # asammdf's destructor fails on a file whose reading failed, and Python would print that beside our own
    # message.
    for frame, _ in traceback.walk_tb(error.__traceback__):
        reader: Any = frame.f_locals.get("self")
        if hasattr(reader, "_tempfile") and hasattr(reader, "_closed"):
            reader._tempfile.close()
            reader._closed = True


def _conversions() -> dict[str, tuple[Kind, float, float]]:
    """Kind, factor and offset into SI of the units that loggers write, by the unit in lower case."""
    table: dict[str, tuple[Kind, float, float]] = {}
    for kind in KINDS.values():
        for dot in ("·", "*", ""):
            for square, cube in (("²", "³"), ("^2", "^3"), ("2", "3")):
                word = kind.unit.replace("·", dot).replace("²", square).replace("³", cube)
                table[word.casefold()] = (kind, 1.0, 0.0)
    degree = math.pi / 180.0
    for kind_name, factor, offset, *words in (
        ("velocity", 1.0 / 3.6, 0.0, "km/h", "kph", "kmh"),
        ("length", 1e-3, 0.0, "mm"),
        ("length", 1e-2, 0.0, "cm"),
        ("length", 1e3, 0.0, "km"),
        ("angle", degree, 0.0, "deg", "°"),
        ("angular_velocity", degree, 0.0, "deg/s", "°/s"),
        ("angular_velocity", math.pi / 30.0, 0.0, "rpm", "1/min", "u/min", "r/min"),
        ("acceleration", STANDARD_GRAVITY, 0.0, "g"),  # loggers record no masses in grams
        ("force", 1e3, 0.0, "kn"),
        ("pressure", 1e5, 0.0, "bar"),
        ("pressure", 1e3, 0.0, "kpa"),
        ("power", 1e3, 0.0, "kw"),
        ("temperature", 1.0, 273.15, "°c", "degc", "deg c"),
        ("time", 1e-3, 0.0, "ms"),
    ):
        for word in words:
            table[word] = (KINDS[kind_name], factor, offset)
    del table[""]  # pure numbers say nothing about what they are
    return table


_CONVERSIONS = _conversions()
