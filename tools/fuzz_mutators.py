"""Ways to damage a file: bytes, lines, numbers, names, encodings; and the values of what is well-formed."""

from __future__ import annotations

import contextlib
import json
import random
import re
import tomllib
from collections.abc import Callable, Iterator
from typing import Any

from trackrod.core.toml_files import to_toml

__all__ = ["DOCTYPES", "MUTATORS", "Mutator"]

Mutator = Callable[[random.Random, bytes, bytes], bytes]

_NUMBER = re.compile(rb"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_WORD = re.compile(rb"[A-Za-z_][\w.]*")
_NUMBERS = (
    *(b"nan", b"NaN", b"inf", b"-inf", b"Infinity", b"1e308", b"-1e308", b"1e-308", b"4.9e-324", b"1e999", b"-0.0"),
    *(b"0", b"-1", b"0x1F", b"1_000", b"1.D0", b"1d+400", b"1,5", b"--1", b"1e", b".", b"+", b"'1'", b"true"),
    *(b"9" * 30, b"9" * 400, b"1" * 5000, b"0." + b"0" * 5000 + b"1", b"1e" + b"9" * 50, "१२".encode(), "²".encode()),
    *(b"1000000", b"2147483648", b"18446744073709551616"),
)
_BRACKETS = ((b"(", b")"), (b"[", b"]"), (b"{", b"}"), (b"<a>", b"</a>"), (b"[1,", b"]"), (b'{"a":', b"}"))
_FRAGMENTS = (
    *(b"'", b'"', b"'''", b'"""', b"\\", b"&", b"$", b"!", b"=", b"==", b",", b",,", b"<", b">", b"]]>", b"<![CDATA["),
    *(
        b"#",
        b"\t",
        b"\x0b",
        b"\x0c",
        b"\x1b[31m",
        b"\x85",
        b"\xe2\x80\xa8",
        b"\xc2\xa0",
        b"\x7f",
        b"\xff",
        b"\xed\xa0\x80",
    ),
    *(b"[UNITS]\n", b"[", b"]\n", b"{}\n", b"()\n", b"[]\n", b"''", b"HEADER_SIZE = 999999\n", b"../../../etc/passwd"),
    *(b"<demo>/../../x", b"C:\\x", b"/dev/zero", b"CON", b"%s%s%n", b"{0}", b"&a;", b"&#0;", b"&#xFFFF;", b"\n" * 300),
)
DOCTYPES = (
    b'<!DOCTYPE a [<!ENTITY x "y">]>',
    b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
    b'<!DOCTYPE a [<!ENTITY % p SYSTEM "http://localhost/x.dtd"> %p;]>',
    b'<!DOCTYPE a SYSTEM "x.dtd">',
    b'<!DOCTYPE a [<!ENTITY l0 "lol">'
    + b"".join(b'<!ENTITY l%d "%s">' % (i, b"&l%d;" % (i - 1) * 10) for i in range(1, 10))
    + b"]>",
)


def _at(rng: random.Random, data: bytes) -> int:
    return rng.randrange(len(data) + 1)


def truncate(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    return data[: _at(rng, data)]


def cut_out(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    first, last = sorted((_at(rng, data), _at(rng, data)))
    return data[:first] + data[last:]


def change_bytes(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.randint(1, 8) if changed else 0):
        at = rng.randrange(len(changed))
        changed[at] = rng.choice((rng.randrange(256), changed[at] ^ (1 << rng.randrange(8))))
    return bytes(changed)


def swap_bytes(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.randint(1, 8) if changed else 0):
        a, b = rng.randrange(len(changed)), rng.randrange(len(changed))
        changed[a], changed[b] = changed[b], changed[a]
    return bytes(changed)


def _lines(change: Callable[[random.Random, list[bytes]], None]) -> Mutator:
    def mutate(rng: random.Random, data: bytes, _other: bytes) -> bytes:
        lines = data.splitlines(keepends=True)
        if lines:
            change(rng, lines)
        return b"".join(lines)

    return mutate


def _delete_lines(rng: random.Random, lines: list[bytes]) -> None:
    for _ in range(rng.randint(1, 4)):
        if lines:
            del lines[rng.randrange(len(lines))]


def _repeat_lines(rng: random.Random, lines: list[bytes]) -> None:
    first = rng.randrange(len(lines))
    lines[first:first] = lines[first : first + rng.randint(1, 12)] * rng.choice((1, 2, 50, 300))


def _shuffle_lines(rng: random.Random, lines: list[bytes]) -> None:
    first = rng.randrange(len(lines))
    last = first + rng.choice((2, 5, len(lines)))
    some = lines[first:last]
    rng.shuffle(some)
    lines[first:last] = some


def splice(rng: random.Random, data: bytes, other: bytes) -> bytes:
    return data[: _at(rng, data)] + other[_at(rng, other) :]


def change_number(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    places = list(_NUMBER.finditer(data))
    for _ in range(rng.choice((1, 1, 2, 5)) if places else 0):
        match = rng.choice(places)
        if data[match.start() : match.end()] == match[0]:  # not displaced by an earlier change
            data = data[: match.start()] + rng.choice(_NUMBERS) + data[match.end() :]
    return data


def change_all_numbers(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    new = rng.choice(_NUMBERS[:23])
    return _NUMBER.sub(lambda _: new, data)


def exchange_words(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """Names stand where others stood: unknown keys, references to oneself, loops."""
    places = list(_WORD.finditer(data))
    words = [match[0] for match in (*places, *_WORD.finditer(other))]
    for _ in range(rng.randint(1, 4) if places else 0):
        match = rng.choice(places)
        data = data[: match.start()] + rng.choice(words) + data[match.end() :]
    return data


def nest(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    opening, closing = rng.choice(_BRACKETS)
    depth = rng.choice((2, 50, 1000, 20_000))
    inside = opening * depth + b"1" + (closing * depth if rng.random() < 0.5 else b"")
    places = list(_NUMBER.finditer(data))
    if places and rng.random() < 0.7:
        match = rng.choice(places)
        return data[: match.start()] + inside + data[match.end() :]
    at = _at(rng, data)
    return data[:at] + inside + data[at:]


def insert_fragment(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    for _ in range(rng.randint(1, 3)):
        at = _at(rng, data)
        data = data[:at] + rng.choice(_FRAGMENTS) + data[at:]
    return data


def insert_nul(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    at = _at(rng, data)
    return data[:at] + bytes(rng.choice((1, 3, 4096))) + data[at:]


def other_encoding(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    text = data.decode("latin-1")
    encoding = rng.choice(
        ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-7", "cp037", "bom", "umlauts", "declared")
    )
    if encoding == "bom":
        return b"\xef\xbb\xbf" + data
    if encoding == "umlauts":
        return re.sub(rb"[aeo]", lambda _: rng.choice((b"\xe4", b"a", b"\xc3\xa4")), data)
    if encoding == "declared":
        name = rng.choice((b"utf-16", b"shift_jis", b"idna", b"rot13", b"zip", b"x" * 500))
        return re.sub(rb'encoding="[^"]*"', b'encoding="' + name + b'"', data)
    return text.encode(encoding, errors="replace")


def other_line_ends(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    ends = rng.choice(((b"\r\n",), (b"\r",), (b"\r\n", b"\n", b"\r"), (b"\n\r",), (b"",), (b"\x0b", b"\n")))
    return re.sub(rb"\r?\n", lambda _: rng.choice(ends), data)


def long_line(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    piece = rng.choice((b"x", b" ", b"1 ", b"1,", b"'a' ", b"<", b"a=", b"$", b"-", b"(1+", b"a.", b"=", b"!"))
    at = _at(rng, data)
    return data[:at] + piece * (rng.choice((2000, 60_000)) // len(piece)) + data[at:]


def document_type(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    declaration = re.match(rb"\s*<\?xml.*?\?>", data, re.DOTALL)
    at = declaration.end() if declaration else 0
    data = data[:at] + rng.choice(DOCTYPES) + data[at:]
    return re.sub(rb'="[^"]*"', rng.choice((b'="&x;"', b'="&l9;"')), data, count=rng.randint(0, 2))


# What is well-formed stays so, and says something else.

_VALUES: tuple[Any, ...] = (
    *(
        None,
        True,
        0,
        -1,
        3.5,
        float("nan"),
        float("inf"),
        -1e300,
        1e-300,
        10**30,
        "",
        "mm",
        "3 mm",
        "-1e400",
        "x" * 3000,
    ),
    *([], [1.0], ["a"], [[1.0], [2.0]], [1e308, -1e308], {}, {"file": 1}, {"column": "z"}, {"": {}}),
)


#: Where ways to values end: files are nested for another reason farther down.
_DEEP = 100


def change_value(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    """Another value, or none, somewhere in JSON or TOML; or that of another place."""
    parsed, write = _parsed(data)
    if parsed is None:
        return data
    for _ in range(rng.choice((1, 1, 2, 4))):
        places = list(_places(parsed))
        if not places:
            break
        *above, key = rng.choice(places)
        holder = _at_place(parsed, above)
        act = rng.random()
        if act < 0.2:
            del holder[key]
        elif act < 0.4:
            with contextlib.suppress(RecursionError):  # of what is nested too deep there is no copy
                holder[key] = json.loads(json.dumps(_at_place(parsed, rng.choice(places)), default=str))
        elif act < 0.5 and isinstance(holder, list):
            holder.insert(rng.randrange(len(holder) + 1), rng.choice((holder[key], 1.0, "a")))
        else:
            holder[key] = rng.choice(_VALUES)
    try:
        return write(parsed).encode(errors="replace")
    except (TypeError, ValueError, RecursionError):  # a list of tables and numbers cannot be written
        return data


def _parsed(data: bytes) -> tuple[Any, Callable[[Any], str]]:
    for read, write in ((json.loads, json.dumps), (tomllib.loads, lambda value: "\n".join(to_toml(value)) + "\n")):
        try:
            found = read(data.decode())
        except (ValueError, RecursionError, MemoryError):  # of keys with very many parts
            continue
        if isinstance(found, dict | list):
            return found, write
    return None, json.dumps


def _places(data: Any) -> Iterator[tuple[Any, ...]]:
    """Ways to every value down to a depth of `_DEEP`, the long lists of numbers by their ends alone."""
    left: list[tuple[tuple[Any, ...], Any]] = [((), data)]
    while left:
        path, value = left.pop()
        if path:
            yield path
        if len(path) == _DEEP:
            items = []
        elif isinstance(value, dict):
            items = list(value.items())
        elif isinstance(value, list):
            items = [(i, value[i]) for i in sorted({0, 1, len(value) - 1} & set(range(len(value))))]
        else:
            items = []
        left += [((*path, key), below) for key, below in reversed(items)]


def _at_place(data: Any, path: Any) -> Any:
    for key in path:
        data = data[key]
    return data


_BLOCK = re.compile(rb"(?m)^(?=\[|\$-{8,}|<\w)")


def change_block(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """Blocks of a file lost, twice, exchanged, or those of another file."""
    blocks, foreign = _BLOCK.split(data), _BLOCK.split(other)
    for _ in range(rng.randint(1, 3)):
        at, to = rng.randrange(len(blocks)), rng.randrange(len(blocks))
        act = rng.randrange(4)
        if act == 0 and len(blocks) > 1:
            del blocks[at]
        elif act == 1:
            blocks.insert(to, blocks[at])
        elif act == 2:
            blocks[at], blocks[to] = blocks[to], blocks[at]
        else:
            blocks.insert(to, rng.choice(foreign)[:5000])
    return b"".join(blocks)


def change_column(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    """A column of a table lost, twice, exchanged, constant, not a number, backwards or of another size."""
    lines = [line.split(b",") for line in data.splitlines()]
    width = max(map(len, lines), default=0)
    if width < 2:
        return data
    rows = [cells for cells in lines if len(cells) == width]
    at, to, act = rng.randrange(width), rng.randrange(width), rng.randrange(7)
    constant, factor = rng.choice(_NUMBERS), rng.choice((1e-3, 1e3, -1.0, 1e300))
    backwards = [cells[at] for cells in rows[:0:-1]]
    for number, cells in enumerate(rows):
        if act == 0:
            del cells[at]
        elif act == 1:
            cells.insert(to, cells[at])
        elif act == 2:
            cells[at], cells[to] = cells[to], cells[at]
        elif number:  # not the head
            if act == 3:
                cells[at] = constant
            elif act == 4:
                cells[at] = b""
            elif act == 5:
                cells[at] = backwards[number - 1]
            elif _NUMBER.fullmatch(cells[at]):
                cells[at] = repr(factor * float(cells[at])).encode()
    return b"\n".join(b",".join(cells) for cells in lines) + b"\n"


MUTATORS: tuple[Mutator, ...] = (
    truncate,
    cut_out,
    change_bytes,
    swap_bytes,
    _lines(_delete_lines),
    _lines(_repeat_lines),
    _lines(_shuffle_lines),
    splice,
    change_number,
    change_number,  # the most likely mistake of a user, and the one that gets furthest
    change_all_numbers,
    exchange_words,
    exchange_words,
    nest,
    insert_fragment,
    insert_nul,
    other_encoding,
    other_line_ends,
    long_line,
    document_type,
    change_value,
    change_value,
    change_value,
    change_block,
    change_block,
    change_column,
    change_column,
)
