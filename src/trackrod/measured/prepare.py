"""From recordings to a run: our columns in SI units on one time base, and a record of all that was done.

The order: channels read and converted; time checked; known delays taken out; all resampled; stretches that are stuck
or clipped made missing samples; accelerations moved to the centre of gravity; delays that are not known found; filters;
forces of transducers made those of the road; and what does not go together found.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.errors import InputError, Place, Problem, Severity, UnitError, close_matches, raise_if_errors
from trackrod.core.plain import Plain
from trackrod.core.records import to_plain
from trackrod.core.series import Run
from trackrod.core.signals import TIME, parse_column
from trackrod.core.written_units import scale_of
from trackrod.measured.channel_map import ChannelMap, Entry
from trackrod.measured.delays import delay_of, device_of
from trackrod.measured.faults import Fault, Finding, clipped_stretches, find_channel_faults, stuck_stretches
from trackrod.measured.imu import LEVEL_AT_CENTRE, to_centre
from trackrod.measured.processing import differentiate, low_pass_nan, resample, shift
from trackrod.measured.recording import Recording, Samples
from trackrod.measured.relations import find_relation_faults
from trackrod.measured.road import against_road
from trackrod.measured.sensors import SensorSet
from trackrod.measured.wheel_forces import outer_part

__all__ = ["Prepared", "Step", "prepare"]

Array = NDArray[np.float64]

#: Numbers that no sensor shows, in SI units.
_ABSURD = 1e15
#: Finest step that is chosen where none is asked for [s]: estimators need no more.
_FINEST = 5e-3
#: Samples of a run that are too many for any drive.
_MOST = 50_000_000
#: Below which angular rates are differentiated to move accelerations [Hz].
_TURNING = 10.0
#: Times beyond this are those of a clock [s]; by how much its rate may be wrong.
_CLOCK, _CLOCK_ERROR = 1e6, 1e-3
#: How much slow signals must move while another one is stuck, to say that it is [SI units].
_MOVING = {
    signals.AY.column: 0.5,
    signals.AX.column: 0.5,
    signals.YAW_RATE.column: 0.03,
    signals.VX.column: 1.0,
    **{signal.column: 3.0 for signal in signals.WHEEL_SPEED.signals},
}
#: Which of them tell it of which column; any of them of other columns.
_TOLD_BY: Mapping[str, tuple[str, ...]] = {
    signals.STEERING_WHEEL_ANGLE.column: (signals.YAW_RATE.column,),
    signals.YAW_RATE.column: (signals.AY.column,),
    signals.AY.column: (signals.YAW_RATE.column,),
    signals.ROLL.column: (signals.AY.column,),
    signals.PITCH.column: (signals.AX.column,),
    signals.AX.column: (signals.VX.column,),
    signals.VX.column: tuple(signal.column for signal in signals.WHEEL_SPEED.signals),
    **{signal.column: (signals.VX.column,) for signal in signals.WHEEL_SPEED.signals},
    **{signal.column: () for signal in signals.BRAKE_PRESSURE.signals},  # a brake may rest
}


@dataclass(frozen=True, slots=True)
class Step:
    """Something that was done: in a word, to which columns, in a sentence."""

    what: str
    columns: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """A measured run.

    Attributes
    ----------
    run
        Our columns in SI units; missing samples are not a number.
    record
        All that was done, in order.
    findings
        What is wrong or worth knowing.
    """

    run: Run
    record: tuple[Step, ...]
    findings: tuple[Finding, ...]

    def to_plain(self) -> dict[str, Plain]:
        """Record and findings as plain data."""
        return {
            "record": [to_plain(step) for step in self.record],
            "findings": [to_plain(finding) for finding in self.findings],
        }


def prepare(
    recordings: Recording | Sequence[Recording],
    channel_map: ChannelMap | None = None,
    sensors: SensorSet | None = None,
    *,
    refuse: bool = True,
) -> Prepared:
    """Make a run of one recording, or of several that were made at the same time by one clock.

    Parameters
    ----------
    recordings
        Whose channels the map names.
    channel_map
        Which channel is which column; without it channels are called like our columns.
    sensors
        Their delays, where the map does not say any, and their ranges.
    refuse
        Whether errors (time that does not increase, units, signs and wheels that do not go together) are raised;
        otherwise they are among the findings.

    Raises
    ------
    InputError
        A channel is missing or has no unit; the channels have no time in common; and with `refuse` every error found.
    """
    several = [recordings] if isinstance(recordings, Recording) else list(recordings)
    try:
        return _prepare(several, channel_map or ChannelMap.of_columns(several[0]), sensors or SensorSet([]), refuse)
    except InputError as error:
        here = Place(several[0].path)
        if all(problem.place.file for problem in error.problems):
            raise
        problems = [problem if problem.place.file else replace(problem, place=here) for problem in error.problems]
        raise InputError(problems) from error


def _prepare(several: Sequence[Recording], given: ChannelMap, sensors: SensorSet, refuse: bool) -> Prepared:
    work = _Preparation(given, sensors)
    work.read(several)
    if refuse:
        raise_if_errors(finding.problem(Place(several[0].path)) for finding in work.findings)
    work.mask()
    work.move_accelerations()  # before delays: forces follow the acceleration of the centre of gravity
    work.find_delays()
    work.filter()
    work.add_outer_mass()
    work.turn_angles()
    work.count_time_from_start()
    described: dict[str, Plain] = {
        "name": several[0].path.stem,
        "recordings": [recording.path.name for recording in several],
        "processing": [step.text for step in work.record],
    }
    run = Run(work.columns, described)
    work.columns.clear()  # a run has copies of its own, and the columns of a large recording need memory
    channels = {column: entry.channel for column, entry in given.entries.items()}
    work.findings += find_relation_faults(run, channels)
    if refuse:
        raise_if_errors(finding.problem(Place(several[0].path)) for finding in work.findings)
    return Prepared(run, tuple(work.record), tuple(work.findings))


class _Preparation:
    """The columns while they are made, what was done and what was found."""

    def __init__(self, channel_map: ChannelMap, sensors: SensorSet) -> None:
        self.map = channel_map
        self.sensors = sensors
        self.columns: dict[str, Array] = {}
        self.record: list[Step] = []
        self.findings: list[Finding] = []
        self.stuck: list[tuple[Entry, float, float, float]] = []
        self.clipped: list[tuple[Entry, float, float, float]] = []

    def did(self, what: str, columns: Iterable[str], text: str) -> None:
        self.record.append(Step(what, tuple(columns), text))

    # Reading ------------------------------------------------------------------------------------------------

    def read(self, recordings: Sequence[Recording]) -> None:
        """Channels as columns on one time base, one after the other, so that few are in memory at once."""
        sources = self._sources(recordings)
        time = self._time_base(sources)
        self.columns[TIME.column] = time
        for recording in recordings:
            wanted: dict[str, list[tuple[Entry, float, float, float]]] = {}
            for entry, (source, factor, offset, delay) in sources.items():
                if source is recording:
                    wanted.setdefault(entry.channel, []).append((entry, factor, offset, delay))
            for channel, samples in recording.read(wanted):
                for entry, factor, offset, delay in wanted[channel]:
                    self._take(entry, _converted(samples, factor, offset), delay, time)
        order = (TIME.column, *self.map.entries)
        self.columns = {column: self.columns[column] for column in order if column in self.columns}

    def _sources(self, recordings: Sequence[Recording]) -> dict[Entry, tuple[Recording, float, float, float]]:
        """Recording, factor, offset and known delay of each entry; all that is missing is raised at once."""
        problems: list[Problem] = []
        found = {}
        for entry in self.map.entries.values():
            having = [recording for recording in recordings if entry.channel in recording.channels]
            if len(having) != 1:
                problems.append(_not_one(entry, recordings, having))
                continue
            unit = entry.unit or having[0].channels[entry.channel].unit
            kind = parse_column(entry.column).kind
            if not unit and kind.unit:
                hint = f'state it in the map: unit = "…"; {kind.meaning} is in {kind.unit} here'
                text = f"channel '{entry.channel}' ({entry.column}) has no unit"
                problems.append(Problem(text, entry.place, hint=hint))
                continue
            try:
                factor, offset = scale_of(unit, kind, entry.place)
            except UnitError as error:
                text = f"channel '{entry.channel}' ({entry.column}): {error.problems[0].text}"
                problems.append(replace(error.problems[0], text=text))
                continue
            delay = self._known_delay(entry)
            found[entry] = having[0], entry.sign * factor, entry.sign * offset + entry.offset, delay
            turned = ", the sign turned" if entry.sign < 0.0 else ""
            added = f", {entry.offset:g} {kind.unit} added" if entry.offset else ""
            text = f"'{entry.channel}' [{unit or '-'}] is {entry.column}{turned}{added}"
            self.did("read", [entry.column], text)
        raise_if_errors(problems)
        return found

    def _known_delay(self, entry: Entry) -> float:
        if entry.delay is None:
            return 0.0
        delay, why = entry.delay, "as the map says"
        if delay == 0.0 and entry.column in self.sensors:
            delay, why = self.sensors[entry.column].delay, "as the sensor says"
        if delay:
            self.did("delay", [entry.column], f"{entry.column}: {1e3 * delay:g} ms taken out, {why}")
        return delay

    def _time_base(self, sources: Mapping[Entry, tuple[Recording, float, float, float]]) -> Array:
        """Times of the run: what all channels have in common."""
        known = {entry: source.channels[entry.channel] for entry, (source, *_) in sources.items()}
        start = max(channel.start - sources[entry][3] for entry, channel in known.items())
        end = min(channel.end - sources[entry][3] for entry, channel in known.items())
        if not start < end:
            late = max(known, key=lambda entry: known[entry].start)
            early = min(known, key=lambda entry: known[entry].end)
            text = f"the channels have no time in common: '{late.channel}' begins at {start:.10g} s, "
            raise InputError(f"{text}'{early.channel}' ends at {end:.10g} s")
        fastest = max(channel.rate for channel in known.values())
        whole = round(fastest)  # clocks are not exact, rates are meant to be
        rate = whole if whole and abs(fastest / whole - 1.0) < _CLOCK_ERROR else fastest
        step = self.map.step or max(_FINEST, 1.0 / rate if rate else math.inf)
        if not step < end - start:
            raise InputError(f"a step of {step:g} s is too long for {end - start:g} s")
        if (end - start) / step > _MOST:
            raise InputError(
                f"{end - start:g} s in steps of {step:g} s are more than {_MOST:,} samples: the times of a channel are "
                "wrong, or the step of the map is too short"
            )
        first = math.ceil(start / step - 1e-6)
        time = step * np.arange(first, math.floor(end / step + 1e-6) + 1, dtype=np.float64)
        text = f"onto {time.size} samples {1e3 * step:g} ms apart, {start:.10g} to {end:.10g} s"
        self.did("resample", list(self.map.entries), text)
        return time

    def _take(self, entry: Entry, samples: Samples, delay: float, time: Array) -> None:
        found = list(find_channel_faults(entry.column, entry.channel, samples))
        self.findings += found
        if any(finding.severity is Severity.ERROR for finding in found):
            return
        absurd = np.abs(samples.values) >= _ABSURD
        if absurd.any():
            text = f"channel '{entry.channel}' ({entry.column}) has {absurd.sum()} samples that no sensor shows"
            where = (entry.column,), (entry.channel,)
            hint = "these samples are left out"
            self.findings.append(Finding(Fault.MISSING, *where, Severity.WARNING, text, hint))
        known = np.isfinite(samples.values) & ~absurd
        samples = Samples(samples.time[known] - delay, samples.values[known])
        if samples.time.size < 2:
            return
        if entry.column == signals.YAW.column and np.abs(np.diff(samples.values)).max() > np.pi:
            samples = Samples(samples.time, np.unwrap(samples.values))
            self.did("turns", [entry.column], f"{entry.column}: goes on over full turns")
        sensor = self.sensors.get(entry.column)
        self.stuck += [(entry, *stretch) for stretch in stuck_stretches(entry.column, samples)]
        self.clipped += [(entry, *stretch) for stretch in clipped_stretches(entry.column, samples, sensor)]
        self.columns[entry.column] = resample(samples, time, held=parse_column(entry.column).held)

    # Delays and filters -------------------------------------------------------------------------------------

    def count_time_from_start(self) -> None:
        """Times of the clock become times since the first sample: a run has no room for seconds since 1970."""
        start = float(self.columns[TIME.column][0])
        if abs(start) > _CLOCK:
            self.columns[TIME.column] = self.columns[TIME.column] - start
            self.did("time", [TIME.column], f"time counts from the first sample, {start:.3f} s taken off")

    def find_delays(self) -> None:
        """Of all devices that have a channel whose delay is to be found."""
        late = [c for c, entry in self.map.entries.items() if entry.delay is None and c in self.columns]
        for device in dict.fromkeys(device_of(column) for column in late):
            columns = [column for column in late if device_of(column) == device]
            delay, how = delay_of(device, self.columns, columns, self._with_outer_mass)
            if delay.missing:
                text = f"the delay of the {device} cannot be told{f' by {how}' if how else ''}: {delay.missing}"
                hint = "state it in the map: delay = 0 if there is none"
                named = tuple(self.map.entries[column].channel for column in columns)
                self.findings.append(Finding(Fault.DELAY, tuple(columns), named, Severity.ERROR, text, hint))
                continue
            for column in columns:
                self.columns[column] = shift(self.columns[TIME.column], self.columns[column], delay.value)
            value, deviation = 1e3 * delay.value, 1e3 * delay.standard_deviation
            text = f"{device}: {value:.2f} ± {2 * deviation:.2f} ms taken out, found by {how}"
            self.did("delay", columns, text)

    def filter(self) -> None:
        """The low-pass filters that the map asks for."""
        for column, entry in self.map.entries.items():
            if entry.low_pass is not None and column in self.columns:
                values = low_pass_nan(self.columns[TIME.column], self.columns[column], entry.low_pass)
                self.columns[column] = values
                text = f"{column}: low-pass filter of {entry.low_pass:g} Hz, without shift in time"
                self.did("filter", [column], text)

    def mask(self) -> None:
        """Stretches that are stuck or clipped become missing samples."""
        time = self.columns[TIME.column]
        for entry, start, end, value in self.stuck:
            if self._moves_meanwhile(entry.column, start, end):
                self._mask(Fault.STUCK, entry, time, start, end, f"is stuck at {value:g}")
        for entry, start, end, value in self.clipped:
            text = (
                f"channel '{entry.channel}' ({entry.column}) is clipped at {value:g} from {start:.10g} to {end:.10g} s"
            )
            self._mask(Fault.CLIPPED, entry, time, start, end, text)

    def _moves_meanwhile(self, column: str, start: float, end: float) -> bool:
        time = self.columns[TIME.column]
        inside = (time >= start) & (time <= end)
        for other in _TOLD_BY.get(column, tuple(_MOVING)):
            if other in self.columns and other != column and inside.sum() > 8:
                slow = low_pass_nan(time, self.columns[other], min(1.0, 0.2 / (time[1] - time[0])))[inside]
                slow = slow[np.isfinite(slow)]
                if slow.size and np.ptp(slow) > _MOVING[other]:
                    return True
        return False

    def _mask(self, fault: Fault, entry: Entry, time: Array, start: float, end: float, what: str) -> None:
        text = f"channel '{entry.channel}' ({entry.column}) {what} from {start:.10g} to {end:.10g} s"
        values = self.columns[entry.column].copy()
        values[(time >= start) & (time <= end)] = np.nan
        self.columns[entry.column] = values
        hint = "these samples are left out"
        where = (entry.column,), (entry.channel,)
        self.findings.append(Finding(fault, *where, Severity.WARNING, text, hint, start, end))

    # Sensors as installed -----------------------------------------------------------------------------------

    def move_accelerations(self) -> None:
        """From where the IMU is to the centre of gravity."""
        if self.map.imu == LEVEL_AT_CENTRE:
            return
        time = self.columns[TIME.column]
        accelerations = (signals.AX, signals.AY, signals.AZ)
        measured = [signal.column for signal in accelerations if signal.column in self.columns]
        if self.map.imu.felt and len(measured) < 3:
            raise InputError("accelerations that are felt are turned into level ones: ax, ay and az are needed")
        assumed = []

        def column(signal: signals.Signal) -> Array:
            if signal.column in self.columns:
                return self.columns[signal.column]
            assumed.append(signal.name)
            return np.zeros(time.size)

        rates = [column(signal) for signal in (signals.ROLL_RATE, signals.PITCH_RATE, signals.YAW_RATE)]
        changes = [
            self.columns[change.column] if change.column in self.columns else differentiate(time, rate, _TURNING)
            for change, rate in zip(
                (signals.ROLL_ACCELERATION, signals.PITCH_ACCELERATION, signals.YAW_ACCELERATION), rates, strict=True
            )
        ]
        angles = [column(signal) for signal in (signals.ROLL, signals.PITCH)]
        shown = [self.columns.get(signal.column, np.zeros(time.size)) for signal in accelerations]
        stacked = [np.column_stack(part) for part in (shown, rates, changes, angles)]
        moved = to_centre(stacked[0], stacked[1], stacked[2], stacked[3], self.map.imu)
        for i, signal in enumerate(accelerations):
            if signal.column in self.columns:
                self.columns[signal.column] = moved[:, i]
        place = ", ".join(f"{1e3 * value:.0f}" for value in self.map.imu.position)
        gravity = ", gravity taken out" if self.map.imu.felt else ""
        self.did("move", measured, f"accelerations moved from ({place}) mm to the centre of gravity{gravity}")
        if assumed:
            text = f"{', '.join(assumed)} not measured: zero for moving accelerations to the centre of gravity"
            hint = "gravity shows in ay by 0.17 m/s² for each degree of roll" if self.map.imu.felt else ""
            self.findings.append(Finding(Fault.ASSUMED, tuple(measured), (), Severity.WARNING, text, hint))

    def turn_angles(self) -> None:
        """Roll and pitch against the road from those against the horizon."""
        turned = against_road(self.columns)
        self.columns |= turned
        if turned:
            self.did("road", turned, "bank and slope of the road taken off roll and pitch")

    def add_outer_mass(self) -> None:
        """Forces of the road from those of the transducers."""
        if not self.map.outer_mass:
            return
        if not self._knows_inertia(self.columns):
            text = f"{self.map.outer_mass:g} kg outside of each transducer count by their weight alone"
            hint = "their inertia needs ax, ay and the table [vehicle] in the map"
            self.findings.append(Finding(Fault.ASSUMED, (), (), Severity.WARNING, text, hint))
        added = self._with_outer_mass(self.columns)
        changed = [column for column in added if added[column] is not self.columns[column]]
        self.columns = dict(added)
        text = f"{self.map.outer_mass:g} kg outside of each transducer added; the road taken as smooth"
        self.did("outer mass", changed, text)

    def _knows_inertia(self, columns: Mapping[str, Array]) -> bool:
        return signals.AX.column in columns and signals.AY.column in columns and self.map.vehicle.is_known

    def _with_outer_mass(self, columns: Mapping[str, Array]) -> Mapping[str, Array]:
        if not self.map.outer_mass:
            return columns
        run, moving = Run(columns), self._knows_inertia(columns)
        if not moving:
            zero = np.zeros(run.time.size)
            run = Run({TIME.column: run.time, signals.AX.column: zero, signals.AY.column: zero})
        added: dict[str, Array] = {}
        for corner in Corner:
            wheel = self.map.vehicle.wheel(corner) if moving else (0.0, 0.0)
            missed = outer_part(run, corner, self.map.outer_mass, wheel)
            added |= {column: columns[column] + values for column, values in missed.items() if column in columns}
        return {**columns, **added}


def _converted(samples: Samples, factor: float, offset: float) -> Samples:
    if (factor, offset) == (1.0, 0.0):
        return samples
    with np.errstate(over="ignore"):  # numbers without sense become infinite, and are left out
        return Samples(samples.time, factor * samples.values + offset)


def _not_one(entry: Entry, recordings: Sequence[Recording], having: Sequence[Recording]) -> Problem:
    if having:
        files = " and ".join(f"'{recording.path.name}'" for recording in having)
        return Problem(f"channel '{entry.channel}' ({entry.column}) is in {files}", entry.place)
    known = [name for recording in recordings for name in recording.channels]
    near = " or ".join(f"'{match}'" for match in close_matches(entry.channel, known))
    hint = f"did you mean {near}?" if near else f"there are {', '.join(known[:12])}"
    files = ", ".join(recording.path.name for recording in recordings)
    return Problem(f"channel '{entry.channel}' ({entry.column}) is missing in {files}", entry.place, hint=hint)
