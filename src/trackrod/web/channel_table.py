"""Which channel of a recording is which signal, as a table: what the channel map of a campaign says, and suggestions.

The worker that ran ``trackrod channels`` leaves channels and suggestions; the map is the file that all commands read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from trackrod.core.errors import Place, Problem, UnitError, raise_if_errors
from trackrod.core.signals import TIME, parse_column
from trackrod.core.written_units import scale_of
from trackrod.measured.channel_map import ChannelMap, Entry

__all__ = ["Row", "read_map", "rows_of", "write_map"]


@dataclass(slots=True)
class Row:
    """A channel and what it is taken for.

    Attributes
    ----------
    channel
        Its name.
    stated
        Its unit as the recording states it; empty where it states none.
    column
        Ours; empty where it is not used.
    unit
        Of the channel, where the recording states none or a wrong one; empty for the stated one.
    sign
        1, or −1 where it counts the other way.
    hint
        What it may be, and why.
    """

    channel: str
    stated: str = ""
    column: str = ""
    unit: str = ""
    sign: int = 1
    hint: str = ""


def read_map(path: Path) -> ChannelMap | None:
    """The map of a campaign; None where there is none.

    Raises
    ------
    InputError
        With everything that is wrong in it.
    """
    return ChannelMap.read(path) if path.is_file() else None


def rows_of(view: Mapping[str, Any], given: ChannelMap | None) -> list[Row]:
    """A row for each channel of a recording, those that are used first.

    Holds: without a map only what is certain is filled in; a map prevails over every suggestion.
    """
    rows = {channel["name"]: Row(channel["name"], channel["unit"]) for channel in view["channels"]}
    for said in view["suggestions"]:
        for name in said["channels"]:
            rows[name].hint, rows[name].unit = f"{said['column']}: {said['reason']}", said["unit"]
            if said["certain"] and given is None:
                rows[name].column = said["column"]
    for column, entry in ({} if given is None else given.entries).items():
        row = rows.setdefault(entry.channel, Row(entry.channel, hint="this recording has no such channel"))
        row.column, row.unit, row.sign = column, entry.unit, int(entry.sign)
    return sorted(rows.values(), key=lambda row: (not row.column, not row.hint))


def write_map(path: Path, rows: Iterable[Row], given: ChannelMap | None, time: str | None = None) -> None:
    """Write the map of a campaign.

    Parameters
    ----------
    path
        Of the file.
    rows
        The table.
    given
        The map that it was made from: offsets, delays, filters and mounting are kept.
    time
        Channel of time, where the recordings do not tell.

    Raises
    ------
    InputError
        With everything that is wrong: two channels for one signal, units that do not belong to it.
    """
    used = [row for row in rows if row.column]
    raise_if_errors(_faults(used))
    old = ChannelMap({}) if given is None else given
    entries = {row.column: _entry(row, old) for row in used}
    replace(old, entries=entries, time=time or old.time).write(path)


def _entry(row: Row, old: ChannelMap) -> Entry:
    kept = old.entries.get(row.column)
    if kept is None or kept.channel != row.channel:
        kept = Entry(row.column, row.channel)
    return replace(kept, unit=row.unit, sign=float(row.sign))


def _faults(rows: list[Row]) -> Iterator[Problem]:
    if not rows:
        yield Problem("no channel has a signal", hint="choose the signals of those that are used")
    first: dict[str, str] = {}
    for row in rows:
        other = first.setdefault(row.column, row.channel)
        if other != row.channel:
            yield Problem(f"{row.column} is '{other}' and '{row.channel}'", hint="choose one of them")
        if row.column == TIME.column:
            yield Problem(f"'{row.channel}': time is no signal of the table", hint="name its channel above")
        elif row.unit:
            try:
                scale_of(row.unit, parse_column(row.column).kind)
            except UnitError as error:
                yield from (replace(problem, text=f"'{row.channel}': {problem.text}") for problem in error.problems)
        elif not row.stated and parse_column(row.column).kind.unit:
            yield Problem(f"the recording states no unit of '{row.channel}'", Place(), hint="write it into the table")
