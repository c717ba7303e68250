"""Uploads: archives unpacked without leaving their folder, and files kept under plain names.

Nothing in an archive is trusted: neither names, nor sizes, nor kinds of its members.
"""

from __future__ import annotations

import re
import shutil
import stat
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import mkdtemp

from trackrod.core.errors import FileFormatError, InputError, Place, Problem, raise_if_errors
from trackrod.core.files import require_file

__all__ = ["LIMITS", "Limits", "plain_name", "unpack"]

_PIECE = 2**16
_NAME = re.compile(r"[^\w.-]+")
#: Names that some system gives a meaning of its own.
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Limits:
    """What an upload may be.

    Attributes
    ----------
    packed, unpacked
        Size of the archive, and of all that is in it [byte].
    members
        How many files and folders.
    ratio
        How much larger a member may be than it is packed [-].
    name, depth
        Characters of a path in the archive, and folders in it.
    """

    packed: int = 64 * 2**20
    unpacked: int = 512 * 2**20
    members: int = 5000
    ratio: float = 200.0
    name: int = 240
    depth: int = 16


LIMITS = Limits()


def plain_name(text: str, otherwise: str = "upload") -> str:
    """A name for a file or folder: letters, digits, dot, dash and underscore, never hidden, never a path."""
    last = PurePosixPath(text.replace("\\", "/")).name
    plain = _NAME.sub("_", last).strip("._-")[:60].rstrip("._-")
    return otherwise if not plain or _RESERVED.fullmatch(plain) else plain


def unpack(archive: Path, folder: Path, limits: Limits = LIMITS) -> list[Path]:
    """Unpack a zip archive into a new folder.

    Parameters
    ----------
    archive
        The file.
    folder
        It is made; it must not be there.
    limits
        What is allowed.

    Returns
    -------
    list
        The files, in the order of their paths.

    Raises
    ------
    InputError
        With everything that is wrong: no archive, too large, too many members, too good a ratio, a path that leads out,
        a link, a secret.

    Holds: nothing is written outside `folder`; after an error `folder` is not there.
    """
    _require_size(archive, limits)
    try:
        with zipfile.ZipFile(archive) as packed:
            members = packed.infolist()
            raise_if_errors([*_faults(members, limits, archive)])
            folder.parent.mkdir(parents=True, exist_ok=True)
            made = Path(mkdtemp(prefix=".unpacking-", dir=folder.parent))
            try:
                _write_all(packed, made, limits, archive)
                if folder.exists():
                    raise InputError(Problem("there is such a folder already", Place(folder)))
                made.rename(folder)
            finally:
                shutil.rmtree(made, ignore_errors=True)
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError, OSError) as error:
        text = f"the archive cannot be unpacked: {error}"
        raise FileFormatError(Problem(text, Place(archive), hint="a .zip of the folder is needed")) from error
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _require_size(archive: Path, limits: Limits) -> None:
    size = require_file(archive).stat().st_size
    if size > limits.packed:
        text = f"the file has {size / 2**20:.0f} MiB, up to {limits.packed / 2**20:.0f} MiB are taken"
        raise FileFormatError(Problem(text, Place(archive)))


def _faults(members: list[zipfile.ZipInfo], limits: Limits, archive: Path) -> Iterator[Problem]:
    place = Place(archive)
    if len(members) > limits.members:
        yield Problem(f"the archive has {len(members)} members, up to {limits.members} are taken", place)
        return
    total = sum(member.file_size for member in members)
    if total > limits.unpacked:
        yield Problem(f"unpacked it has {total / 2**20:.0f} MiB, up to {limits.unpacked / 2**20:.0f} are taken", place)
    seen: set[str] = set()
    for member in members:
        name = member.filename[:100]
        if fault := _fault(member, limits):
            yield Problem(f"'{name}' in the archive {fault}", place)
        key = member.filename.rstrip("/").casefold()
        if key in seen:
            yield Problem(f"'{name}' is in the archive twice", place)
        seen.add(key)


def _fault(member: zipfile.ZipInfo, limits: Limits) -> str:
    """What is wrong with a member, in words; nothing if it may be unpacked."""
    name, kind = member.filename, stat.S_IFMT(member.external_attr >> 16)
    parts = name.rstrip("/").split("/")
    if not name or name.startswith("/") or any(part in ("", ".", "..") for part in parts):
        return "leads out of the folder"
    if "\\" in name or ":" in name or any(ord(sign) < 32 for sign in name):
        return "has signs that a path must not have"
    if len(name) > limits.name or len(parts) > limits.depth:
        return "has too long a path"
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "is a link or a device, only files and folders are taken"
    if member.flag_bits & 1:
        return "is encrypted"
    if member.file_size > 2**20 and member.file_size > limits.ratio * max(member.compress_size, 1):
        return f"is more than {limits.ratio:.0f} times as large as it is packed"
    return ""


def _write_all(packed: zipfile.ZipFile, folder: Path, limits: Limits, archive: Path) -> None:
    """Every file, counted as it is written: what the archive says about sizes may be a lie."""
    left = limits.unpacked
    for member in packed.infolist():
        target = folder.joinpath(*member.filename.rstrip("/").split("/"))
        if member.is_dir():
            target.mkdir(parents=True, exist_ok=True)
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        with packed.open(member) as source, target.open("xb") as sink:
            while piece := source.read(_PIECE):
                left -= len(piece)
                if left < 0:
                    raise InputError(Problem("it holds more than it says", Place(archive)))
                sink.write(piece)
