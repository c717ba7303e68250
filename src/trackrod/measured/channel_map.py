"""Channel maps: which channel of a recording is which of our columns, and how the sensors are installed.

::

    time = "column_1"                                       only where the file does not tell
    step = "5 ms"                                           of the run that is made of it

    [channels]
    vx_mps = { channel = "Speed", unit = "km/h" }           a unit the file does not state
    ay_mps2 = { channel = "AccY", sign = -1 }               counted the other way
    roll_rad = { channel = "Roll", offset = "0.3 deg" }     added to every value
    "Fz_{corner}_N" = { channel = "Fz {CORNER}", delay = "find" }

    [imu]
    position = ["120 mm", 0, "-80 mm"]                      from the centre of gravity, in V
    turned = [0, "1.5 deg", 0]                              about x, y, z of V
    felt = true                                             with gravity, along its own axes

    [wheel_force_transducers]
    outer_mass = "20 kg"

    [vehicle]
    wheelbase = 2.7
    cg_to_front = 1.11
    track_front = 1.55
    track_rear = 1.55

A delay is the time by which a channel is late: a number, or ``"find"`` to find it from the data.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from trackrod.core.corners import CORNER_WORDS, Axle, Corner
from trackrod.core.errors import InputError, Place, Problem, raise_if_errors
from trackrod.core.files import write_atomically
from trackrod.core.quantities import kind
from trackrod.core.signals import TIME, parse_column
from trackrod.core.toml_document import Document, Section
from trackrod.core.toml_files import to_toml
from trackrod.measured.imu import LEVEL_AT_CENTRE, Mounting
from trackrod.measured.recording import Recording

__all__ = ["FIND", "ChannelMap", "Entry", "Geometry", "read_imu"]

#: Word for a delay that is found from the data.
FIND = "find"
_EVERY_CORNER = "{corner}"
_NOWHERE = Place()


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a column comes from: value = sign · unit · channel + offset, `delay` earlier.

    Attributes
    ----------
    column
        Of the run.
    channel
        Of the recording.
    unit
        Of the channel; empty for the one that the recording states.
    sign
        1, or −1 where the channel counts the other way.
    offset
        What is added [SI unit of the column].
    delay
        By which the channel is late [s]; None where it is to be found.
    low_pass
        Frequency of its low-pass filter [Hz]; None for none.
    place
        Where the entry stands.
    """

    column: str
    channel: str
    unit: str = ""
    sign: float = 1.0
    offset: float = 0.0
    delay: float | None = 0.0
    low_pass: float | None = None
    place: Place = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Geometry:
    """Where the wheels are [m]; not a number where it is not known.

    Attributes
    ----------
    wheelbase, cg_to_front
        Distance of the axles, and of the centre of gravity behind the front axle.
    track_front, track_rear
        Distance of the wheels of an axle.
    """

    wheelbase: float = math.nan
    cg_to_front: float = math.nan
    track_front: float = math.nan
    track_rear: float = math.nan

    @property
    def is_known(self) -> bool:
        """Whether all of it is known."""
        return all(map(math.isfinite, (self.wheelbase, self.cg_to_front, self.track_front, self.track_rear)))

    def wheel(self, corner: Corner) -> tuple[float, float]:
        """Centre of a wheel from the centre of gravity, forward and to the left [m]."""
        front = corner.axle is Axle.FRONT
        x = self.cg_to_front if front else self.cg_to_front - self.wheelbase
        return x, 0.5 * corner.side.sign * (self.track_front if front else self.track_rear)


@dataclass(frozen=True, slots=True)
class ChannelMap:
    """What makes a run of recordings.

    Attributes
    ----------
    entries
        By column.
    time
        Name of the channel of time; None where the recording tells.
    step
        From sample to sample of the run [s]; None for that of the fastest channel.
    imu
        How the accelerations were measured.
    outer_mass
        Outside of each wheel-force transducer [kg]; 0 for forces of the road.
    vehicle
        Where its wheels are.
    """

    entries: Mapping[str, Entry]
    time: str | None = None
    step: float | None = None
    imu: Mounting = LEVEL_AT_CENTRE
    outer_mass: float = 0.0
    vehicle: Geometry = Geometry()

    @classmethod
    def of_columns(cls, recording: Recording) -> ChannelMap:
        """The map of a recording whose channels are called like our columns: each is what its name says.

        Raises
        ------
        InputError
            No channel has such a name.
        """
        entries = {}
        for name in recording.channels:
            try:
                entries[parse_column(name).column] = Entry(name, name)
            except InputError:
                continue
        if not entries:
            hint = "trackrod channels FILE --write MAP makes a map to be edited, --map MAP uses it"
            place = Place(recording.path)
            raise InputError(
                Problem("no channel has the name of one of our columns: a map is needed", place, hint=hint)
            )
        return cls(entries)

    @classmethod
    def read(cls, path: Path | str) -> ChannelMap:
        """Read a map from a TOML file; numbers are in SI units, or texts with their unit.

        Raises
        ------
        MissingFileError, FileFormatError, InputError
            No such file; not TOML; with everything that is wrong, by line.
        """
        document = Document(Path(path))
        root = document.root
        channels = root.section("channels", "which channel is which column", needed=True)
        found = [entry for name in channels.names() for entry in _read_entries(channels, name)]
        imu = root.section("imu")
        seconds = kind("time")
        read = cls(
            {entry.column: entry for entry in found},
            time=root.text("time", "channel of time") if "time" in root else None,
            step=root.number("step", seconds, "of the run", low=1e-5) if "step" in root else None,
            imu=read_imu(imu),
            outer_mass=root.section("wheel_force_transducers").number(
                "outer_mass", kind("mass"), "outside of a transducer", default=0.0
            ),
            vehicle=_read_geometry(root.section("vehicle")),
        )
        document.close()
        raise_if_errors(document.problems)
        return read

    def write(self, path: Path | str) -> None:
        """Write the map as a TOML file in SI units.

        Holds: ``ChannelMap.read(path)`` is the same map.
        """
        write_atomically(path, "\n".join(to_toml(self._content())).lstrip() + "\n")

    def _content(self) -> dict[str, object]:
        content: dict[str, object] = {}
        if self.time is not None:
            content["time"] = self.time
        if self.step is not None:
            content["step"] = self.step
        content["channels"] = {column: entry_fields(entry) for column, entry in self.entries.items()}
        if self.imu != LEVEL_AT_CENTRE:
            content["imu"] = {
                "position": list(self.imu.position),
                "turned": list(self.imu.turned),
                "felt": self.imu.felt,
            }
        if self.outer_mass:
            content["wheel_force_transducers"] = {"outer_mass": self.outer_mass}
        known = {name: getattr(self.vehicle, name) for name in Geometry.__dataclass_fields__}
        if given := {name: value for name, value in known.items() if math.isfinite(value)}:
            content["vehicle"] = given
        return content


def entry_fields(entry: Entry) -> dict[str, object]:
    """An entry as it stands in a file; what is as usual is left out."""
    fields: dict[str, object] = {"channel": entry.channel}
    if entry.unit:
        fields["unit"] = entry.unit
    if entry.sign != 1.0:
        fields["sign"] = int(entry.sign)
    if entry.offset:
        fields["offset"] = entry.offset
    if entry.delay != 0.0:
        fields["delay"] = FIND if entry.delay is None else entry.delay
    if entry.low_pass is not None:
        fields["low_pass"] = entry.low_pass
    return fields


def _read_entries(section: Section, name: str) -> Iterator[Entry]:
    """One entry, or four where the name says ``{corner}``."""
    inner = section.section(name, "a channel and its unit")
    columns = (
        {name: {}}
        if _EVERY_CORNER not in name
        else {name.replace(_EVERY_CORNER, corner): CORNER_WORDS[corner] for corner in Corner}
    )
    try:
        unit = parse_column(next(iter(columns))).kind
    except InputError as error:
        list(inner.names())  # what stands in it cannot be judged
        section.report(name, error.problems[0].text, hint=error.problems[0].hint or "it must end in a unit, as _mps")
        return
    if name == TIME.column:
        section.report(name, "time is no entry", hint='name its channel above: time = "…"')
    sign = inner.number("sign", kind("number"), "1, or −1", default=1.0)
    if sign not in (1.0, -1.0):
        inner.report("sign", f"'sign' is {sign:g}, 1 or −1 is needed", hint="a unit belongs into 'unit'")
    delay: float | None = None
    if inner.raw("delay") != FIND:
        delay = inner.number("delay", kind("time"), f'by which it is late, or "{FIND}"', default=0.0)
    low_pass = inner.number("low_pass", kind("frequency"), "of the filter", low=1e-3) if "low_pass" in inner else None
    channel = inner.text("channel", "its name in the recording")
    written = inner.text("unit", "of the channel", "")
    offset = inner.number("offset", unit, "what is added", default=0.0)
    place = section.place(name)
    for column, words in columns.items():
        try:
            filled = channel.format(**words) if words else channel
        except (KeyError, IndexError, ValueError):
            braces = ", ".join(f"{{{word}}}" for word in words)
            inner.report("channel", f"'{channel}' is not a pattern; in braces may stand {braces}")
            return
        yield Entry(column, filled, written, sign, offset, delay, low_pass, place)


def read_imu(section: Section) -> Mounting:
    """How an IMU is mounted, from a table of a file; problems are noted."""
    if section.is_empty:
        return LEVEL_AT_CENTRE
    position = (
        section.numbers("position", kind("length"), "from the centre of gravity", 3)
        if "position" in section
        else (0.0,) * 3
    )
    turned = section.numbers("turned", kind("angle"), "about x, y, z", 3) if "turned" in section else (0.0,) * 3
    felt = section.flag("felt", default=False)
    if any(turned) and not felt:
        section.report(
            "turned", "accelerations that are level are not turned", hint="felt = true, if they are not level"
        )
    x, y, z = map(float, position)
    roll, pitch, yaw = map(float, turned)
    return Mounting((x, y, z), (roll, pitch, yaw), felt)


def _read_geometry(section: Section) -> Geometry:
    meanings = {
        "wheelbase": "distance of the axles",
        "cg_to_front": "from the centre of gravity to the front axle",
        "track_front": "distance of the front wheels",
        "track_rear": "distance of the rear wheels",
    }
    return Geometry(
        **{
            name: section.number(name, kind("length"), meaning, low=0.0)
            for name, meaning in meanings.items()
            if name in section
        }
    )
