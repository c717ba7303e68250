"""Files as loggers write them: channels with names and units of their own, each at its own rate."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trackrod.core.corners import Corner
from trackrod.core.files import atomic_path
from trackrod.core.mdf4 import import_asammdf
from trackrod.core.signals import parse_column
from trackrod.core.written_units import factor_of
from trackrod.measured.recording import Samples

__all__ = ["logger_channel", "write_recording"]

Array = NDArray[np.float64]

#: Units in which loggers show a kind; others in SI units.
_UNITS: Mapping[str, str] = {
    "velocity": "km/h",
    "angle": "deg",
    "angular_velocity": "deg/s",
    "angular_acceleration": "deg/s^2",
    "pressure": "bar",
    "torque": "Nm",
    "acceleration": "m/s^2",
}
_SPINNING = ("WheelSpeed", "EngineSpeed")


def logger_channel(column: str) -> tuple[str, str]:
    """Name and unit under which a logger would have a column: ``yaw_rate_radps`` is YawRate in deg/s."""
    signal = parse_column(column)
    *words, last = signal.name.split("_")
    corner = last.upper() if last in tuple(Corner) and words else ""
    words = words if corner else [*words, last]
    name = "".join(word[0].upper() + word[1:] for word in words)
    if name in _SPINNING:
        return f"{name} {corner}".strip(), "rpm"
    return f"{name} {corner}".strip(), _UNITS.get(signal.kind.name, signal.kind.unit)


def write_recording(channels: Mapping[str, Samples], path: Path, comment: str = "") -> None:
    """Write what sensors measured as a file of a logger, in its own names and units.

    Parameters
    ----------
    channels
        By column [SI units].
    path
        ``.mf4``: a group for each rate. ``.csv``: names, units, then a line for each time at which there is a sample.
    comment
        Of the file.

    Raises
    ------
    MissingExtraError
        asammdf is not installed and the file is MDF.
    """
    named: dict[str, tuple[str, Samples]] = {}
    for column, (time, values) in channels.items():
        name, unit = logger_channel(column)
        named[name] = unit, Samples(time, values / factor_of(unit, parse_column(column).kind))
    with atomic_path(path) as temporary:
        if path.suffix.lower() == ".csv":
            _write_csv(named, temporary)
        else:
            _write_mf4(named, temporary, comment)


def _write_mf4(named: Mapping[str, tuple[str, Samples]], path: Path, comment: str) -> None:
    asammdf = import_asammdf()
    groups: dict[tuple[int, float], list[str]] = {}
    for name, (_, samples) in named.items():
        groups.setdefault((samples.time.size, float(samples.time[-1])), []).append(name)
    with asammdf.MDF(version="4.10") as file:
        for names in groups.values():
            signals = [
                asammdf.Signal(samples=samples.values, timestamps=samples.time, name=name, unit=unit)
                for name in names
                for unit, samples in [named[name]]
            ]
            file.append(signals, comment=comment, common_timebase=True)
        file.save(path, overwrite=True)


def _write_csv(named: Mapping[str, tuple[str, Samples]], path: Path) -> None:
    # Times of all rates, rounded so that those which are the same but for rounding share a line.
    time = np.unique(np.concatenate([np.round(samples.time, 6) for _, samples in named.values()]))
    table = np.full((time.size, len(named)), np.nan)
    for k, (_, samples) in enumerate(named.values()):
        table[np.searchsorted(time, np.round(samples.time, 6)), k] = samples.values
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["Time", *named])
        writer.writerow(["s", *(unit or "-" for unit, _ in named.values())])
        for t, row in zip(time.tolist(), table.tolist(), strict=True):
            writer.writerow([f"{t:.6f}", *("" if math.isnan(value) else f"{value:.7g}" for value in row)])
