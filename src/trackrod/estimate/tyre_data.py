"""Measurements of a tyre on a bench: MATLAB, CSV and TYDEX files as arrays in the contact frame W of ISO 8855.

Benches write in axes of their own. Three are known, and which one a file is in is found out from what every tyre does:
the road pushes it, and a side force acts against the side slip, aligns the wheel, and follows the lean of the wheel.

=========== ======================================= ====================================
axes        y, z                                    a positive slip angle makes
=========== ======================================= ====================================
iso         left, up                                a negative side force
sae         right, down (SAE J670)                  a negative side force
adapted_sae right, down (Pacejka's book, figure 1.1) a positive side force
=========== ======================================= ====================================

x points forward in all of them, so that an inclination angle has the same sign. A load is what pushes the tyre onto the
road, whatever sign it is written with. SAE and ISO are mirror images of each other: what tells them apart is the sign
of the load and of the side force due to camber. Where the two contradict each other, the axes must be given.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trackrod.core.errors import FileFormatError, InputError, Place, Problem, UnitError, raise_if_errors
from trackrod.core.files import read_bytes, require_file
from trackrod.core.quantities import KINDS, Kind
from trackrod.core.run_files import load_matlab
from trackrod.core.written_units import factor_of, number_of
from trackrod.tyre.tydex import read_tydex

__all__ = ["Axes", "BenchData", "read_bench"]

Array = NDArray[np.float64]


class Axes(StrEnum):
    """Axes that a bench writes its channels in."""

    ISO = "iso"
    SAE = "sae"
    ADAPTED_SAE = "adapted_sae"


#: Factor of each channel into ISO 8855 where it is not 1.
_SIGNS: Mapping[Axes, Mapping[str, float]] = {
    Axes.ISO: {},
    Axes.SAE: {"alpha": -1.0, "Fy": -1.0, "My": -1.0, "Mz": -1.0},
    Axes.ADAPTED_SAE: {"Fy": -1.0, "My": -1.0, "Mz": -1.0},
}


@dataclass(frozen=True, slots=True)
class _Channel:
    """What a channel is, and what files call it, without regard to case; a unit suffix may follow."""

    kind: Kind
    names: tuple[str, ...]


_CHANNELS: Mapping[str, _Channel] = {
    "time": _Channel(KINDS["time"], ("ET", "time", "t", "RUNTIME")),
    "alpha": _Channel(KINDS["angle"], ("SA", "alpha", "slip_angle", "SLIPANGL")),
    "gamma": _Channel(KINDS["angle"], ("IA", "gamma", "inclination", "inclination_angle", "INCLANGL")),
    "kappa": _Channel(KINDS["number"], ("SL", "kappa", "slip_ratio", "LONGSLIP")),
    "p": _Channel(KINDS["pressure"], ("P", "pressure", "inflation_pressure", "INFLPRES")),
    "Vx": _Channel(KINDS["velocity"], ("V", "Vx", "speed", "velocity", "TRAJVELH", "LONGVEL")),
    "Fx": _Channel(KINDS["force"], ("FX", "FXW")),
    "Fy": _Channel(KINDS["force"], ("FY", "FYW")),
    "Fz": _Channel(KINDS["force"], ("FZ", "FZW")),
    "Mx": _Channel(KINDS["torque"], ("MX", "MXW")),
    "My": _Channel(KINDS["torque"], ("MY", "MYW")),
    "Mz": _Channel(KINDS["torque"], ("MZ", "MZW")),
    "radius": _Channel(KINDS["length"], ("RL", "loaded_radius")),
}
_NEEDED = ("Fz", "alpha")
#: What benches write instead of a unit's name.
_WORDS = {"n-m": "N*m", "none": "-", "lb": "lbf", "lbs": "lbf", "ft-lb": "ft*lbf", "in-lb": "in*lbf", "kph": "km/h"}
#: "SA [deg]", "SA (deg)".
_BRACKETS = re.compile(r"(.*?)\s*[\[(](.*)[\])]\s*\Z")
#: Correlations beyond which a sign is told, and camber that tells it [rad].
_CLEAR, _LEAN = 0.3, np.radians(0.5)


@dataclass(frozen=True, slots=True, eq=False)
class BenchData:
    """Samples of a bench.

    Attributes
    ----------
    channels
        Arrays of one length by name [SI]: those of ``time, alpha, gamma, kappa, p, Vx, Fx, Fy, Fz, Mx, My, Mz, radius``
        that were measured; in the contact frame W of ISO 8855.
    axes
        What the files were written in.
    source
        What is known of the origin, in a sentence.
    notes
        What was found out or assumed.
    """

    channels: Mapping[str, Array]
    axes: Axes
    source: str
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "channels", MappingProxyType(dict(self.channels)))

    def __getitem__(self, name: str) -> Array:
        return self.channels[name]

    def __contains__(self, name: str) -> bool:
        return name in self.channels

    @property
    def samples(self) -> int:
        """How many there are."""
        return int(self.channels["Fz"].size)


#: Numbers that no bench measures, in any unit.
_ABSURD = 1e15


def read_bench(
    paths: Sequence[Path | str], *, axes: Axes | None = None, units: Mapping[str, str] | None = None
) -> BenchData:
    """Read files of one tyre, one after the other.

    Parameters
    ----------
    paths
        ``.mat`` (arrays, or a struct of them; units in a struct ``channel`` with fields ``name`` and ``units``),
        ``.csv`` (units in the header, ``SA [deg]`` or ``alpha_rad``, or in the line below it) or TYDEX (all others).
    axes
        What the files are written in; found out if not given.
    units
        Units by the file's channel names, where the files do not say them.

    Raises
    ------
    MissingFileError, FileFormatError
        No such file; a channel is missing, has no unit or one of another quantity.
    InputError
        The axes cannot be found out, or the data contradict those that were given.
    """
    if not paths:
        raise InputError("no file of measurements was named")
    files = [_read(require_file(Path(path)), {k.casefold(): v for k, v in (units or {}).items()}) for path in paths]
    common = set.intersection(*(set(columns) for columns, _ in files))
    times, later = [], 0.0
    for columns, _ in files:  # one clock for all files, with a gap between them
        if "time" in common:
            times.append(columns["time"] - columns["time"][0] + later)
            later = float(times[-1][-1]) + 60.0
    channels = {name: np.concatenate([columns[name] for columns, _ in files]) for name in _CHANNELS if name in common}
    if times:
        channels["time"] = np.concatenate(times)
    usable = np.logical_and.reduce([np.isfinite(values) for values in channels.values()])
    notes = []
    if not usable.all():
        notes.append(f"{np.count_nonzero(~usable)} samples with missing values were left out")
        channels = {name: values[usable] for name, values in channels.items()}
    only = sorted({name for columns, _ in files for name in columns} - common)
    if only:
        notes.append(f"not in every file, so not used: {', '.join(only)}")
    origin = "; ".join(dict.fromkeys(text for _, text in files))
    return _in_iso(channels, axes, origin, notes, Place(Path(paths[0])))


# Files ------------------------------------------------------------------------------------------------------


def _read(path: Path, units: Mapping[str, str]) -> tuple[dict[str, Array], str]:
    """Channels in SI by our names, and what the file says about its origin."""
    readers = {".mat": _read_mat, ".csv": _read_csv}
    raw, source = readers.get(path.suffix.casefold(), _read_tydex)(path)
    columns: dict[str, Array] = {}
    problems = []
    for name, channel in _CHANNELS.items():
        found = _find(raw, channel)
        if found is None:
            continue
        key, (values, unit) = found
        values = np.where(np.abs(values) < _ABSURD, values, np.nan)  # left out with those that are missing
        unit = units.get(key.casefold(), unit)
        if unit is None and channel.kind.unit:
            hint = f"name it: --unit {key}={channel.kind.unit}, for example"
            problems.append(Problem(f"the unit of '{key}' is not said", Place(path), hint=hint))
            continue
        try:
            columns[name] = values * factor_of(
                _WORDS.get((unit or "").casefold(), unit or ""), channel.kind, Place(path)
            )
        except UnitError as error:
            problems.extend(error.problems)
    for name in _NEEDED:
        if _find(raw, _CHANNELS[name]) is None:
            known = ", ".join(_CHANNELS[name].names)
            has = ", ".join(list(raw)[:20])
            problems.append(Problem(f"the file has no {name} ({known}); it has {has}", Place(path)))
    raise_if_errors(problems, FileFormatError)
    sizes = {values.size for values in columns.values()}
    if len(sizes) > 1:
        raise FileFormatError(Problem(f"the channels have different lengths: {sorted(sizes)}", Place(path)))
    return columns, f"{path.name}{': ' + source if source else ''}"


_Raw = dict[str, tuple[Array, str | None]]


def _find(raw: _Raw, channel: _Channel) -> tuple[str, tuple[Array, str | None]] | None:
    folded = {key.casefold(): key for key in raw}
    for name in channel.names:
        for candidate in (name, f"{name}_{channel.kind.suffix}"):
            key = folded.get(candidate.casefold())
            if key is not None:
                values, unit = raw[key]
                said = unit if candidate == name else channel.kind.unit
                return key, (values, said)
    return None


def _read_mat(path: Path) -> tuple[_Raw, str]:
    content = load_matlab(path)
    described: Any = content.get("channel")
    units = {}
    if hasattr(described, "name") and hasattr(described, "units"):
        units = dict(zip(np.atleast_1d(described.name), np.atleast_1d(described.units), strict=False))
    structs = [value for value in content.values() if hasattr(value, "_fieldnames") and value is not described]
    variables: dict[str, Any] = {name: value for name, value in content.items() if not name.startswith("_")}
    for struct in structs:
        variables.update({name: getattr(struct, name) for name in struct._fieldnames})
    raw: _Raw = {}
    for name, value in variables.items():
        if isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "iuf":
            unit = units.get(name)
            raw[name] = np.asarray(value, dtype=np.float64), str(unit) if unit is not None else None
    texts = [content[name] for name in ("tireid", "testid", "source") if isinstance(content.get(name), str)]
    return raw, ", ".join(texts)


def _read_csv(path: Path) -> tuple[_Raw, str]:
    try:
        lines = read_bytes(path).decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise FileFormatError(Problem("the file is not text in UTF-8", Place(path))) from None
    start = next((i for i, line in enumerate(lines) if line.strip() and not line.startswith("#")), len(lines))
    if start == len(lines):
        raise FileFormatError(Problem("the file has no line of column names", Place(path)))
    separator = next((mark for mark in ";\t" if mark in lines[start]), ",")
    heads = [head.strip() for head in next(csv.reader([lines[start]], delimiter=separator))]
    split = [found.groups() if (found := _BRACKETS.match(head)) else (head, None) for head in heads]
    rows = lines[start + 1 :]
    second = [cell.strip() for cell in next(csv.reader(rows[:1], delimiter=separator), [])]
    below = bool(second) and not any(_is_number(cell) for cell in second if cell)
    if below and len(second) != len(heads):
        text = f"the line of units has {len(second)} of them, the header names {len(heads)} columns"
        raise FileFormatError(Problem(text, Place(path, start + 2)))
    if not any(row.split("#")[0].strip() for row in rows[below:]):
        raise FileFormatError(Problem("there is no line of numbers", Place(path)))
    try:
        table = np.loadtxt(rows[below:], delimiter=separator, ndmin=2, comments="#")
    except ValueError as error:
        raise FileFormatError(Problem(f"the lines are no table of numbers: {error}", Place(path))) from None
    if table.shape[1] != len(heads):
        text = f"the lines have {table.shape[1]} values, the header names {len(heads)} columns"
        raise FileFormatError(Problem(text, Place(path, start + 1)))
    units = second if below else [unit for _, unit in split]
    return {name: (column, unit) for (name, _), unit, column in zip(split, units, table.T, strict=True)}, ""


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _read_tydex(path: Path) -> tuple[_Raw, str]:
    content = read_tydex(path)
    if len(content.tables) != 1:
        text = f"the file holds {len(content.tables)} tables, one is read"
        raise FileFormatError(Problem(text, Place(path), hint="write each into a file of its own"))
    table = content.tables[0]
    raw: _Raw = {
        item.name: (item.values, item.kind.unit if item.kind is not None else None) for item in table.channels.values()
    }
    for channel in _CHANNELS.values():  # what was constant stands above the table
        for name in channel.names:
            if name in content.constants and name not in raw:
                value = number_of(content.constants[name], channel.kind, Place(path))
                raw[name] = np.full(table.points, value), channel.kind.unit
    return raw, content.header.get("SUPPLIER", "")


# Axes -------------------------------------------------------------------------------------------------------


def _in_iso(channels: dict[str, Array], given: Axes | None, source: str, notes: list[str], place: Place) -> BenchData:
    load = channels["Fz"]
    if not load.size:
        raise InputError(Problem("no sample has all of its values", place))
    down = bool(np.median(load) < 0)
    if np.mean(np.sign(load) == (-1.0 if down else 1.0)) < 0.99:
        raise InputError(Problem("the load changes its sign: which samples are in contact with the road?", place))
    channels["Fz"] = np.abs(load)
    axes = given or _found_out(channels, down)
    for name, sign in _SIGNS[axes].items():
        if name in channels:
            channels[name] = sign * channels[name]
    wrong = _contradictions(channels)
    if wrong:
        hint = "name the axes of the bench (--axes), or look whether a channel is negated"
        raise InputError(Problem(f"in axes '{axes}' {'; '.join(wrong)}", place, hint=hint))
    how = "as given" if given else f"found out: the load is {'negative' if down else 'positive'}, the responses agree"
    notes.insert(0, f"axes {axes} ({how})")
    return BenchData(channels, axes, source, tuple(notes))


def _found_out(channels: Mapping[str, Array], down: bool) -> Axes:
    opposite = _response(channels, "Fy", "alpha") > _CLEAR
    if opposite:
        return Axes.ADAPTED_SAE
    return Axes.SAE if down else Axes.ISO


def _contradictions(channels: Mapping[str, Array]) -> list[str]:
    """What no tyre does, of channels in ISO 8855."""
    wrong = []
    if _response(channels, "Fy", "alpha") > _CLEAR:
        wrong.append("a positive slip angle makes a positive side force")
    if _response(channels, "Mz", "alpha") < -_CLEAR:
        wrong.append("the aligning moment turns the wheel further out")
    if _camber_thrust(channels) > 0:
        wrong.append("the side force due to camber points against the lean of the wheel")
    return wrong


def _response(channels: Mapping[str, Array], output: str, slip: str) -> float:
    """Correlation over small slip, 0 where there is none to see."""
    if output not in channels or slip not in channels:
        return 0.0
    small = np.abs(channels[slip]) < np.radians(3.0)
    x, y = channels[slip][small], channels[output][small]
    if x.size < 10 or np.std(x) < 1e-3 or np.std(y) == 0:
        return 0.0
    return float(np.corrcoef(x, y)[0, 1])


def _camber_thrust(channels: Mapping[str, Array]) -> float:
    """Slope of side force over load with inclination around zero slip, 0 where the data do not tell it clearly."""
    if "gamma" not in channels or "Fy" not in channels:
        return 0.0
    small = np.abs(channels["alpha"]) < np.radians(1.5)
    gamma = channels["gamma"][small]
    if gamma.size < 100 or np.ptp(gamma) < _LEAN:
        return 0.0
    terms = np.column_stack([np.ones_like(gamma), channels["alpha"][small], gamma])
    target = channels["Fy"][small] / channels["Fz"][small]
    solution, _, rank, _ = np.linalg.lstsq(terms, target, rcond=None)
    if rank < len(solution):
        return 0.0
    scatter = np.std(target - terms @ solution) * np.linalg.norm(np.linalg.pinv(terms)[2])
    return float(solution[2]) if abs(solution[2]) > 5.0 * scatter else 0.0
