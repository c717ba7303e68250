"""Manoeuvre time histories of a reference folder as runs in Trackrod's columns, signs and reference point.

What is done to a recording, in this order: columns are mapped and converted; short gaps are bridged; uneven samples are
put on even ones; velocities and accelerations are moved to the total centre of gravity; the sideslip angle is added if
only the velocities are there. Every step leaves a note.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from trackrod.convert.vehicle_data import VehicleData
from trackrod.core import signals
from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.errors import InputError, Place, Problem, Severity, UnknownNameError
from trackrod.core.plain import Plain
from trackrod.core.quantities import KINDS
from trackrod.core.run_files import RUN_SUFFIXES, read_run
from trackrod.core.series import Run, find_time_fault
from trackrod.core.signals import SIGNALS, Signal
from trackrod.core.tables import Table, read_table
from trackrod.core.toml_document import Section
from trackrod.manoeuvres.registry import MANOEUVRES
from trackrod.metrics.indices import INDEX_SETS
from trackrod.reference.checks import check_run
from trackrod.reference.columns import CORNERS, Rule, pick, read_rules
from trackrod.reference.vehicle import axle_loads, rack_travel, total_centre
from trackrod.tyre.model import Tyre
from trackrod.vehicle.systems import Powertrain

__all__ = ["NEEDED", "Longitudinal", "Recording", "ReferenceRun", "needs_drive", "read_runs"]

Array = NDArray[np.float64]

#: Signals of wheels without the corner, and all signals, as rules name them.
_FAMILIES = {signal.name.removesuffix("_fl") for signal in SIGNALS.values() if signal.name.endswith("_fl")}
_NAMES: tuple[str, ...] = (*(signal.name for signal in SIGNALS.values()), *sorted(_FAMILIES))

#: Missing samples in a row that are bridged, and the longest time that they may take [s].
_MOST_MISSING, _LONGEST_GAP = 3, 0.05
#: Deviation of a step from the usual one, over the latter: even below the first, refused above the second.
_EVEN, _TOO_UNEVEN = 1e-4, 0.5
#: Speed below which a run counts as beginning at rest [m/s].
AT_REST = 0.1
#: Longest step of a recording [s]: a vehicle does not change much in it.
_LONGEST_STEP = 0.05


class Longitudinal(StrEnum):
    """What drives along the road when a run is driven again.

    The first speed is held, the recorded speed is followed, the recorded pedals, nothing.
    """

    HOLD_SPEED = "hold_speed"
    SPEED = "speed"
    PEDALS = "pedals"
    FREE = "free"


@dataclass(frozen=True, slots=True, eq=False)
class ReferenceRun:
    """A recorded manoeuvre.

    Attributes
    ----------
    manoeuvre
        Name of the manoeuvre, one of those that have indices.
    run
        In SI units and ISO 8855 signs, at the total centre of gravity.
    longitudinal
        What drives along the road when it is driven again.
    hold_out
        Never used in tuning.
    settings
        Of the manoeuvre, as far as they were given.
    """

    manoeuvre: str
    run: Run
    longitudinal: Longitudinal = Longitudinal.PEDALS
    hold_out: bool = False
    settings: Mapping[str, Plain] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Recording:
    """A time history as its file has it, and its time [s]."""

    table: Table
    time: Array


_DRIVEN = (signals.STEERING_WHEEL_ANGLE, signals.VX)
_HANDLING = (*_DRIVEN, signals.AY, signals.YAW_RATE, signals.ROLL, signals.SIDESLIP)
_LOADS = signals.FZ.signals
#: What a run must hold, by manoeuvre: what its indices are made of, and what is needed to drive it again.
NEEDED: Mapping[str, tuple[Signal, ...]] = MappingProxyType(
    {
        "ramp_steer": (*_DRIVEN, signals.AY, signals.SIDESLIP, signals.ROLL, *_LOADS),
        "constant_radius": (*_DRIVEN, signals.AY, signals.SIDESLIP, signals.ROLL, *_LOADS),
        "sine_sweep": (*_DRIVEN, signals.ROLL, signals.AY, signals.YAW_RATE),
        "step_steer": (*_DRIVEN, signals.AY, signals.YAW_RATE),
        "acceleration": (signals.VX, signals.PITCH, signals.THROTTLE, *_LOADS),
        "braking": (signals.VX, signals.AX, signals.PITCH, signals.BRAKE, *_LOADS),
        "brake_in_turn": (*_HANDLING, signals.BRAKE),
        "throttle_off": _HANDLING,
        "coast_down": (signals.VX,),
        **dict.fromkeys(
            (
                "single_sine",
                "pulse",
                "sine_with_dwell",
                "j_turn",
                "fishhook",
                "double_lane_change",
                "obstacle_avoidance",
                "slalom",
            ),
            _HANDLING,
        ),
    }
)
_PEDALS = (signals.THROTTLE, signals.BRAKE)
#: Manoeuvres whose brake pedal is what they are about.
_BRAKING = ("braking", "brake_in_turn")


def needs_drive(root: Section) -> bool:
    """Whether a run needs something that drives."""
    return any(run.raw("longitudinal") != Longitudinal.FREE for run in root.sections("runs"))


def read_runs(root: Section, data: VehicleData | None) -> tuple[dict[str, ReferenceRun], list[Recording]]:
    """The runs by name, and their files as they are; problems are noted.

    Parameters
    ----------
    data
        The vehicle that was driven; None if it could not be read, then the runs are checked as far as possible.
    """
    recordings: list[Recording] = []
    shared = read_rules(root.section("columns"), _NAMES, CORNERS)
    found: dict[str, ReferenceRun] = {}
    for section in root.sections("runs"):
        name = section.text("name", "of the run, for reports and files", default=section.raw("manoeuvre", default=""))
        if name in found:
            section.report("name", f"there are two runs called '{name}'")
        read = _read_run(section, name, shared, data, recordings)
        if read is not None:
            found[name] = read
    return found, recordings


def _read_run(
    section: Section, name: str, shared: Mapping[str, Rule], data: VehicleData | None, recordings: list[Recording]
) -> ReferenceRun | None:
    document = section.document
    manoeuvre = section.text("manoeuvre", f"one of {', '.join(INDEX_SETS)}")
    if manoeuvre and manoeuvre not in NEEDED:
        for problem in UnknownNameError("manoeuvre with indices", manoeuvre, NEEDED).problems:
            section.report("manoeuvre", problem.text, hint=problem.hint)
        manoeuvre = ""
    longitudinal = _longitudinal(section, name, manoeuvre)
    hold_out = section.flag("hold_out", default=False)
    settings = _settings(section, manoeuvre)
    rules = {**shared, **read_rules(section.section("columns"), _NAMES, CORNERS)}
    point = None
    if "measured_at" in section:
        meaning = "point of V that velocities and accelerations are those of"
        point = section.numbers("measured_at", signals.X.kind, meaning, 3)
    whole = (-KINDS["time"].high, KINDS["time"].high)
    window = tuple(
        section.number(key, KINDS["time"], f"of the part that is taken, {key}", default=limit)
        for key, limit in zip(("start", "end"), whole, strict=True)
    )
    path = section.file("file", f"time history of the run '{name}'")
    if path is None or not manoeuvre:
        return None
    try:
        table = read_table(path)
    except InputError as error:
        document.take(error)
        return None
    needed = dict.fromkeys(NEEDED[manoeuvre], f"an index of '{manoeuvre}' or its start")
    if longitudinal is Longitudinal.PEDALS:
        needed |= {signal: 'longitudinal = "pedals"' for signal in _PEDALS if signal not in needed}
    columns, problems = _columns(table, rules)
    if signals.SIDESLIP not in columns and signals.VY in columns and signals.VX in columns:
        columns[signals.SIDESLIP] = np.arctan2(columns[signals.VY], columns[signals.VX])
    problems += [_missing(signal, what, table, path) for signal, what in needed.items() if signal not in columns]
    if signals.TIME not in columns:
        problems.append(_missing(signals.TIME, "every run", table, path))
    document.problems += problems
    if any(problem.severity is Severity.ERROR for problem in problems):
        return None
    run = _clean(table, columns, name, document.problems)
    if run is None:
        return None
    recordings.append(Recording(table, columns[signals.TIME]))
    try:
        run = run.slice(*window)
    except InputError as error:
        section.report("start", error.problems[0].text)
        return None
    if point is not None and data is not None:
        run = at_point(run, total_centre(data)[1] - point)
    if data is not None:
        run, wrong = _with_gear(run, name, path, data, document.root)
        document.problems += wrong
    told: dict[str, Plain] = {"name": name, "manoeuvre": manoeuvre, "settings": dict(settings)}
    ordered = {column: run[column] for column in SIGNALS if column in run}
    own = _own_metadata(table) if window == whole else {}  # its phases are those of the whole
    run = Run(ordered, {"model": "reference", **own, **told})
    before = len(document.problems)
    loads = {} if data is None else axle_loads(data.masses, data.centres)
    document.problems += check_run(run, path, loads, rack_travel(document.root))
    if not any(problem.severity is Severity.ERROR for problem in document.problems[before:]):
        _try_indices(section, manoeuvre, run, path)
    return ReferenceRun(manoeuvre, run, longitudinal, hold_out, MappingProxyType(settings))


def _longitudinal(section: Section, name: str, manoeuvre: str) -> Longitudinal:
    """What drives; without a powertrain pedals mean nothing, and the recorded speed is followed instead."""
    wanted = section.word("longitudinal", Longitudinal)
    if "powertrain" in section.document.root or wanted is Longitudinal.FREE:
        return wanted
    if manoeuvre == "acceleration":
        text = f"[powertrain] is missing: '{name}' accelerates, which needs something that drives"
        section.report("longitudinal", text, hint="engine, gears and final drive")
        return wanted
    text = "there is no [powertrain]: something that only keeps a speed stands in"
    if wanted is Longitudinal.PEDALS and manoeuvre not in _BRAKING:
        text += f"; '{name}' follows its recorded speed instead of its throttle"
        wanted = Longitudinal.SPEED
    section.report("longitudinal", text, severity=Severity.WARNING)
    return wanted


def _with_gear(run: Run, name: str, path: Path, data: VehicleData, root: Section) -> tuple[Run, list[Problem]]:
    """The run in gears that the vehicle has; a suitable one where none was recorded."""
    train, column = data.powertrain, signals.GEAR.column
    if train is None:
        return run, []
    if "powertrain" not in root:  # gears of a stand-in
        return Run({**run, column: np.ones(run.time.size)}), []
    if column in run:
        highest, most = int(run[signals.GEAR].max()), len(train.gearbox.ratios)
        if highest <= most:
            return run, []
        text = f"run '{name}': gear {highest} was recorded, the powertrain has {most} gears"
        return run, [Problem(text, Place(path), hint="ratios of [powertrain.gearbox]")]
    gear = _suitable_gear(data, train, float(run[signals.VX][0]))
    text = f"run '{name}' has no channel 'gear'; taken is {gear or 'the choice of the vehicle'}"
    note = Problem(text, Place(path), Severity.NOTE)
    return (Run({**run, column: np.full(run.time.size, float(gear))}) if gear else run), [note]


def _suitable_gear(data: VehicleData, powertrain: Powertrain, speed: float) -> int:
    """The lowest gear that is not above its shift speed [speed in m/s]; 0 at rest, where gears will change."""
    if speed < AT_REST:
        return 0
    spins = {}
    for axle in Axle:
        tyre = Tyre(data.tyres[data.places[Corner.of(axle, Side.LEFT)][0].tyre])
        spins[axle] = speed / float(tyre.effective_radius(tyre.nominal_load))
    return powertrain.engage(spins)[1]


def _own_metadata(table: Table) -> Mapping[str, Plain]:
    """What a file that Trackrod wrote says about its run, such as its phases; nothing for files of others."""
    own = table.path.suffix.lower() in RUN_SUFFIXES and signals.TIME.column in table.columns
    try:
        return read_run(table.path).metadata if own else {}
    except InputError:
        return {}


def _settings(section: Section, manoeuvre: str) -> dict[str, Plain]:
    inner = section.section("settings")
    given = {key: inner.raw(key) for key in inner.names()}
    if manoeuvre and given:
        try:
            MANOEUVRES[manoeuvre].from_text({key: str(value) for key, value in given.items()})
        except InputError as error:
            for problem in error.problems:
                inner.report("", problem.text, hint=problem.hint)
    return given


def _missing(signal: Signal, what: str, table: Table, path: Path) -> Problem:
    text = f"the channel '{signal.name}' {signal.kind.label} is missing ({signal.meaning}); it is needed for {what}"
    shown = ", ".join(list(table.columns)[:10])
    return Problem(text, Place(path), hint=f"name its column under [columns]; the file has {shown}, …")


def _columns(table: Table, rules: Mapping[str, Rule]) -> tuple[dict[Signal, Array], list[Problem]]:
    found: dict[Signal, Array] = {}
    problems: list[Problem] = []
    for signal in SIGNALS.values():
        values, wrong = pick(table, rules, signal.name, signal.kind)
        problems += wrong
        if values is not None:
            found[signal] = values
    return found, problems


def _clean(table: Table, columns: Mapping[Signal, Array], name: str, problems: list[Problem]) -> Run | None:
    """Short gaps bridged, samples even; None, with problems, if the recording is too bad for that."""
    time = columns[signals.TIME]
    if time.size < 10:
        problems.append(Problem(f"the run '{name}' has {time.size} samples, ten or more are needed", Place(table.path)))
        return None
    fault = find_time_fault(time)
    if fault is not None:
        problems.append(Problem(f"run '{name}': {fault[1]}", table.place(fault[0])))
        return None
    usual = float(np.median(np.diff(time)))
    uneven = np.abs(np.diff(time) / usual - 1.0)
    worst = int(uneven.argmax())
    if usual > _LONGEST_STEP:
        text = f"run '{name}': samples are {usual:g} s apart, at most {_LONGEST_STEP:g} s is useful"
        problems.append(Problem(text, Place(table.path), hint="is the time in seconds?"))
        return None
    if uneven[worst] > _TOO_UNEVEN:
        text = f"run '{name}': sampling is too uneven, {time[worst + 1] - time[worst]:g} s at t = {time[worst]:g} s "
        text += f"where {usual:g} s is usual"
        problems.append(Problem(text, table.place(worst + 1), hint="resample it where it was recorded"))
        return None
    filled: dict[str, Array] = {}
    for signal, values in columns.items():
        bridged = _bridged(signal, time, values, table, name, problems)
        if bridged is not None:
            filled[signal.column] = bridged
    if len(filled) < len(columns):
        return None
    run = Run(filled)
    if uneven[worst] > _EVEN:
        text = f"run '{name}': steps differ by up to {100 * uneven[worst]:.2g} %; resampled onto steps of {usual:g} s"
        problems.append(Problem(text, Place(table.path), Severity.NOTE))
        run = run.resample(round(usual, 9))
    return run


def _bridged(
    signal: Signal, time: Array, values: Array, table: Table, name: str, problems: list[Problem]
) -> Array | None:
    good = np.isfinite(values)
    if good.all():
        return values
    edges = np.flatnonzero(np.diff(np.concatenate(([True], good, [True])).astype(int)))
    starts, ends = edges[::2], edges[1::2]
    longest = int((ends - starts).argmax())
    count, start, end = int((ends - starts)[longest]), int(starts[longest]), int(ends[longest])
    at_edge = bool(not good[0] or not good[-1])
    seconds = float(time[min(end, time.size - 1)] - time[max(start - 1, 0)])
    if at_edge or count > _MOST_MISSING or seconds > _LONGEST_GAP:
        where = "at the beginning or end" if at_edge else f"from t = {time[start]:g} s on"
        text = f"run '{name}': '{signal.name}' lacks {int((~good).sum())} samples, {count} in a row {where}; "
        text += f"gaps up to {_MOST_MISSING} samples and {_LONGEST_GAP:g} s are bridged"
        problems.append(Problem(text, table.place(start)))
        return None
    text = (
        f"run '{name}': {int((~good).sum())} missing samples of '{signal.name}' were bridged, at most {count} in a row"
    )
    problems.append(Problem(text, table.place(start), Severity.WARNING))
    if signal.held:
        last = np.maximum.accumulate(np.where(good, np.arange(values.size), 0))
        return np.asarray(values[last])
    return np.asarray(np.interp(time, time[good], values[good]))


def at_point(run: Run, offset: Array) -> Run:
    """The run with velocities and accelerations of a point that lies `offset` [m], in V, from the one recorded.

    v' = v + ω × d and a' = a + dω/dt × d + ω × (ω × d), rates that were not recorded taken as zero.

    Limits: roll and pitch angles count as small.
    """
    time = run.time
    rates = [
        run[s] if s.column in run else np.zeros(time.size)
        for s in (signals.ROLL_RATE, signals.PITCH_RATE, signals.YAW_RATE)
    ]
    omega = np.column_stack(rates)
    d = np.broadcast_to(offset, omega.shape)
    velocity = np.cross(omega, d)
    acceleration = np.cross(np.gradient(omega, time, axis=0), d) + np.cross(omega, velocity)
    changed: dict[str, Array] = {}
    for group, change in (((signals.VX, signals.VY), velocity), ((signals.AX, signals.AY, signals.AZ), acceleration)):
        for k, signal in enumerate(group):
            if signal.column in run:
                changed[signal.column] = run[signal] + change[:, k]
    moved = {**run, **changed}
    if signals.VY.column in run:
        moved[signals.SIDESLIP.column] = np.arctan2(moved[signals.VY.column], moved[signals.VX.column])
    return Run(moved, run.metadata)


def _try_indices(section: Section, manoeuvre: str, run: Run, path: Path) -> None:
    """Whether the curves that will be compared can be made of this run."""
    try:
        INDEX_SETS[manoeuvre](run)
    except InputError as error:
        for problem in error.problems:
            section.document.problems.append(Problem(f"'{manoeuvre}': {problem.text}", Place(path), hint=problem.hint))
