"""OpenCRG files written by hand, apart from the writer of the product."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

import numpy as np

WIDTHS = {"LRFI": 10, "LDFI": 20}
HEADER: Mapping[str, float] = {
    "REFERENCE_LINE_START_U": 0.0,
    "REFERENCE_LINE_END_U": 3.0,
    "REFERENCE_LINE_INCREMENT": 1.0,
    "LONG_SECTION_V_RIGHT": -1.5,
    "LONG_SECTION_V_LEFT": 1.5,
    "LONG_SECTION_V_INCREMENT": 0.5,
}


def numbered(count: int) -> list[str]:
    return [f"long section {k + 1},m" for k in range(count)]


def crg_text(
    rows: Sequence[Sequence[float]],
    channels: Sequence[str] | None = None,
    *,
    kind: str = "LRFI",
    header: Mapping[str, float | str] = HEADER,
    more: Sequence[str] = (),
) -> bytes:
    """A file of a format; a number that is none is missing."""
    names = numbered(len(rows[0])) if channels is None else channels
    lines = ["$CT", "made by hand", "$", "$ROAD_CRG             ! of the road"]
    lines += [f"{name} = {value}" for name, value in header.items()]
    lines += ["$!*****", *more, "$KD_Definition", f"#:{kind}    ! format", "U:reference line u,m,0,1.0"]
    lines += [f"D:{name}" for name in names]
    lines += ["* a comment", "$", "$" * 72]
    head = ("\n".join(lines) + "\n").encode()
    if kind in WIDTHS:
        width = WIDTHS[kind]
        records = []
        for row in rows:
            texts = ["*missing*".ljust(width, "*") if np.isnan(x) else f"{x:{width}.7f}" for x in row]
            per = 80 // width
            records += ["".join(texts[k : k + per]) for k in range(0, len(texts), per)]
        return head + ("\n".join(records) + "\n").encode()
    size, letter = (4, "f") if kind == "KRBI" else (8, "d")
    values = [x for row in rows for x in row]
    values += [float("nan")] * (-len(values) % (80 // size))
    return head + struct.pack(f">{len(values)}{letter}", *values)


def line_of(data: bytes, row: int, records: int = 1) -> int:
    """Line of the file in which a row of its data begins."""
    return data[: data.index(b"$" * 72)].count(b"\n") + 2 + row * records
