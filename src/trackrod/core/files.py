"""Files: written whole or not at all, read with a clear message, told apart by their content.

A file is written beside its target under a temporary name, flushed to the disk and then moved over the
target in one step, so that a reader never meets half a file and a failure leaves the old one as it was.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from trackrod.core.errors import FileFormatError, InputError, MissingFileError, Place, Problem

__all__ = [
    "atomic_path",
    "content_hash",
    "copy_folder",
    "hash_bytes",
    "make_folder",
    "read_bytes",
    "require_file",
    "try_file",
    "try_folder",
    "write_atomically",
]


def require_file(path: Path | str) -> Path:
    """The path, once it is certain that it names a file that can be opened for reading.

    Raises
    ------
    MissingFileError
        Nothing exists there.
    InputError
        It is a folder or a device, or reading is not permitted.
    """
    path = Path(path)
    try:
        if path.is_dir():
            raise InputError(Problem("this is a folder, a file is needed", Place(path)))
        if path.exists() and not path.is_file():  # to open a pipe may wait for ever, to read a device may never end
            raise InputError(Problem("this is a device or a pipe, a file is needed", Place(path)))
        with path.open("rb"):
            return path
    except FileNotFoundError:
        raise MissingFileError(Problem("the file does not exist", Place(path))) from None
    except OSError as error:
        raise InputError(Problem(f"the file cannot be read: {error.strerror}", Place(path))) from error


def read_bytes(path: Path | str, most: int | None = None) -> bytes:
    """The whole content of a file; errors as `require_file`.

    Parameters
    ----------
    path
        The file.
    most
        Size [byte] beyond which the file is refused, unread, with a FileFormatError; None for no limit.
    """
    path = require_file(path)
    size = path.stat().st_size
    if most is not None and size > most:
        text = f"the file has {size / 2**20:.1f} MiB, up to {most / 2**20:g} MiB are read"
        raise FileFormatError(Problem(text, Place(path), hint="is this the file that was meant?"))
    return path.read_bytes()


def hash_bytes(data: bytes) -> str:
    """SHA-256 of `data` as 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def content_hash(path: Path | str) -> str:
    """SHA-256 of a file's content as 64 hexadecimal digits; the name and the date play no part."""
    with require_file(path).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def make_folder(path: Path) -> None:
    """A folder for results, before anything is computed; InputError if it cannot be made or holds nothing more."""
    try_folder(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"the folder {path} cannot be made: {error.strerror}") from error


def copy_folder(source: Path, target: Path) -> Path:
    """Copy a folder with all that is in it, whole or not at all, and give `target` back.

    Raises
    ------
    InputError
        There is something at `target` already, or it cannot be written.
    """
    if target.exists():
        raise InputError(Problem("this exists already, a new folder is made here", Place(target)))
    temporary = target.with_name(f".{target.name[:64]}.{secrets.token_hex(8)}.tmp")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(source, temporary)
        temporary.rename(target)
    except OSError as error:
        raise InputError(Problem(f"the folder cannot be written: {error}", Place(target))) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return target


def try_folder(path: Path) -> None:
    """Try whether results can be written into a folder that is there or can be made; nothing is left behind.

    Raises
    ------
    InputError
        It is a file, cannot be made or written into, or the disk is full.
    """
    nearest = path.absolute()
    while not nearest.exists() and nearest != nearest.parent:
        nearest = nearest.parent
    if not nearest.is_dir():
        if nearest == path.absolute():
            raise InputError(Problem("this is a file, a folder is needed for the results", Place(path)))
        raise InputError(f"the folder {path} cannot be made: {nearest} is no folder")
    _probe(nearest, path)


def try_file(path: Path) -> None:
    """Try whether a file can be written; nothing is left behind, and a file that is there stays as it is.

    Raises
    ------
    MissingFileError
        Its folder does not exist.
    InputError
        It is a folder or a device, its folder cannot be written into, or the disk is full.
    """
    _probe(_writable_target(Path(path), make_parents=False).parent, Path(path))


#: What is written to see whether there is room [byte].
_PROBE = 2**20


def _probe(folder: Path, path: Path) -> None:
    trial = folder / f".{secrets.token_hex(8)}.tmp"
    try:
        try:
            with trial.open("wb") as stream:
                stream.write(bytes(_PROBE))
                stream.flush()
                os.fsync(stream.fileno())
        finally:
            trial.unlink(missing_ok=True)
    except OSError as error:
        hint = "make room, or choose another place" if error.errno in (errno.ENOSPC, errno.EDQUOT) else ""
        text = f"results cannot be written here: {error.strerror}"
        raise InputError(Problem(text, Place(path), hint=hint)) from error


@contextlib.contextmanager
def atomic_path(path: Path | str, *, make_parents: bool = False) -> Iterator[Path]:
    """Path to write to, which becomes `path` when the block ends well.

    The temporary file lies in the folder of the target and has its suffix in lower case, because some
    libraries choose the format by it. A link is followed: the file it points to is replaced.

    Parameters
    ----------
    path
        The target; it is replaced if it exists.
    make_parents
        Create missing folders above the target. Without it a missing folder is an error, which catches a
        mistyped path.

    Yields
    ------
    Path
        A name that does not exist yet; the block must create it.

    Raises
    ------
    MissingFileError
        The folder of the target does not exist.
    InputError
        The target is a folder, or writing is not permitted.

    Holds: after any exception in the block, KeyboardInterrupt included, the target is as it was before and no
    temporary file remains.
    """
    target = _writable_target(Path(path), make_parents=make_parents)
    temporary = target.with_name(f".{target.stem[:64]}.{secrets.token_hex(8)}.tmp{target.suffix.lower()}")
    try:
        with _as_input_error(target):
            yield temporary
            if target.exists():
                temporary.chmod(stat.S_IMODE(target.stat().st_mode))
            with temporary.open("rb+") as stream:
                os.fsync(stream.fileno())
            temporary.replace(target)
            _flush_folder(target.parent)
    finally:
        temporary.unlink(missing_ok=True)


def write_atomically(path: Path | str, data: bytes | str, *, make_parents: bool = False) -> None:
    """Write bytes, or text as UTF-8 with the line ends it has, as one step; see `atomic_path`."""
    content = data.encode("utf-8") if isinstance(data, str) else data
    with atomic_path(path, make_parents=make_parents) as temporary, _as_input_error(Path(path)):
        temporary.write_bytes(content)


@contextlib.contextmanager
def _as_input_error(path: Path) -> Iterator[None]:
    try:
        yield
    except InputError:
        raise
    except OSError as error:
        raise InputError(Problem(f"the file cannot be written: {error.strerror}", Place(path))) from error


def _writable_target(path: Path, *, make_parents: bool) -> Path:
    target = path.resolve()
    if target.is_dir():
        raise InputError(Problem("this is a folder, the name of a file to write is needed", Place(path)))
    if target.exists() and not target.is_file():  # it would be replaced, device or not
        raise InputError(Problem("this is a device or a pipe, the name of a file to write is needed", Place(path)))
    if make_parents:
        with _as_input_error(path):
            target.parent.mkdir(parents=True, exist_ok=True)
    if not target.parent.exists():
        raise MissingFileError(
            Problem("the folder to write into does not exist", Place(path.parent), hint="create it first")
        )
    if not target.parent.is_dir():
        raise InputError(Problem("this is a file, the file to write needs a folder here", Place(path.parent)))
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise InputError(Problem("writing into this folder is not permitted", Place(path.parent)))
    return target


def _flush_folder(folder: Path) -> None:
    # The move itself reaches the disk only with the folder; Windows has no such call and needs none.
    if hasattr(os, "O_DIRECTORY"):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
