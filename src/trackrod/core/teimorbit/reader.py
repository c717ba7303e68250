"""From files to documents: the encoding, the header, and files of which only the header is TeimOrbit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from trackrod.core.errors import FileFormatError, Place, Problem
from trackrod.core.files import read_bytes, require_file
from trackrod.core.teimorbit.document import Document, parse

__all__ = ["LARGEST_FILE", "read", "read_header"]

#: Largest file that is read [byte]; real ones have up to some hundred kilobytes, a megabyte takes about a second.
LARGEST_FILE = 8 * 2**20

_HEADER_BYTES = 65536  # a template header has about twenty lines; megabytes of other data follow


def read(path: Path | str) -> Document:
    """Read a TeimOrbit file.

    Raises
    ------
    MissingFileError
        There is no such file.
    FileFormatError
        The file is larger than `LARGEST_FILE`, not TeimOrbit, or lines of it break the grammar; all of them are named.
    """
    path = Path(path)
    data = read_bytes(path, LARGEST_FILE)
    _refuse_template(data, path)
    return _document(data, path)


def read_header(path: Path | str) -> Document:
    """Read only the leading blocks that carry HEADER_SIZE, the number of lines of the block with its rule.

    That is all that can be read of an Adams/Car template: Adams/View commands or a binary dump follow.
    """
    path = Path(path)
    with require_file(path).open("rb") as stream:
        header = _header(stream.read(_HEADER_BYTES))
    if not header:
        raise FileFormatError(Problem("there is no TeimOrbit header with a HEADER_SIZE", Place(path)))
    return _document(header, path)


def _document(data: bytes, path: Path) -> Document:
    text, encoding = _decode(data)
    return replace(parse(text, path), encoding=encoding)


def _decode(data: bytes) -> tuple[str, str]:
    """Text and encoding; every one of the three encodings gives the same bytes back."""
    for encoding in ("utf-8", "cp1252"):
        try:
            return data.decode(encoding), encoding
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1"), "latin-1"


def _header(data: bytes) -> bytes:
    """The leading lines that the HEADER_SIZE entries claim, empty if there are none."""
    lines = data.splitlines(keepends=True)  # bytes split at line feeds and carriage returns only
    end = 0
    while True:
        size = _header_size(lines, end)
        if size is None:
            return b"".join(lines[:end])
        end += size


def _header_size(lines: list[bytes], start: int) -> int | None:
    """HEADER_SIZE of the block that starts at `start`; None if no block starts there or it has none."""
    in_block = False
    for index in range(start, len(lines)):
        line = lines[index].strip()
        if not line or line[:1] in b"$!":
            continue
        if line.startswith(b"["):
            if in_block:
                return None
            in_block = True
        elif not in_block:
            return None
        key, equals, value = line.partition(b"=")
        if equals and key.strip().upper() == b"HEADER_SIZE":
            digits = value.split()[0] if value.split() else b""
            if not digits.isdigit() or len(digits) > 6:
                return None
            size = int(digits)
            # A size that ends above its own line is wrong, and would make this search quadratic.
            return size if index < start + size <= len(lines) else None
    return None


def _refuse_template(data: bytes, path: Path) -> None:
    header = _header(data[:_HEADER_BYTES])
    if not header:
        return
    try:
        document = _document(header, path)
    except FileFormatError:
        return  # not a header after all; the reading of the whole text says what is wrong

    def entry(name: str) -> str:
        attribute = document.get("MDI_HEADER", name)
        return "" if attribute is None or attribute.value is None else attribute.string().casefold()

    if entry("FILE_FORMAT") == "binary":
        what = "binary Adams/Car template" if entry("FILE_TYPE") == "tpl" else "binary Adams file"
        text = f"this is a {what} (FILE_FORMAT = 'binary'), of which only the header is TeimOrbit text"
        raise FileFormatError(Problem(text, Place(path), hint="save it as ASCII in Adams/Car"))
    if entry("FILE_TYPE") == "tpl":
        text = "this is an Adams/Car template: only its header is TeimOrbit text, Adams/View commands follow"
        raise FileFormatError(Problem(text, Place(path)))
