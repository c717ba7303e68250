"""An Adams/Car database: folders under short names, and the files that references name in them.

A file of a database names others as ``<db>/springs.tbl/x.spr`` or ``mdids://db/springs.tbl/x.spr``, which is the
same. ``db`` is an alias that Adams keeps in its configuration; here it is the stem of the enclosing ``*.cdb`` folder,
or what the user gives, or the stem of a folder that the user gives. Databases come from Windows, so names are
compared without regard to case.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from trackrod.core import teimorbit
from trackrod.core.errors import FileFormatError, InputError, MissingFileError, Place, Problem, Severity, close_matches
from trackrod.core.teimorbit.messages import shown

__all__ = ["LARGEST_FILE", "Database", "FileReference", "Found", "read_document"]

#: Largest subsystem or assembly that is read [byte]; real ones have some ten kilobytes, a megabyte takes 1 to 5 s.
LARGEST_FILE = 8 * 2**20

_LONGEST_REFERENCE = 1024
_ALIASED = re.compile(
    r"<(?P<bracketed>[^<>]*)>[/\\]*(?P<a>.*)|mdids://(?P<plain>[^/\\]*)[/\\]*(?P<b>.*)", re.IGNORECASE
)
_ABSOLUTE = re.compile(r"[/\\]|[A-Za-z]:")


@dataclass(frozen=True, slots=True)
class FileReference:
    """The name of a file as another file writes it.

    Attributes
    ----------
    text
        As written: ``<db>/table/file``, ``mdids://db/table/file`` or a path.
    place
        Where it is written.
    """

    text: str
    place: Place = field(default=Place())

    @property
    def alias(self) -> str | None:
        """Short name of the database; None for a path."""
        match = _ALIASED.fullmatch(self.text.strip())
        return None if match is None else (match["bracketed"] if match["plain"] is None else match["plain"])

    @property
    def parts(self) -> tuple[str, ...]:
        """Folders and file below the database, or below the folder of the referring file."""
        match = _ALIASED.fullmatch(self.text.strip())
        path = self.text.strip() if match is None else (match["b"] if match["a"] is None else match["a"])
        return tuple(part for part in re.split(r"[/\\]+", path) if part not in ("", "."))

    @property
    def file_name(self) -> str:
        """Last part, such as ``x.spr``; empty if there is none."""
        return self.parts[-1] if self.parts else ""


class Found(NamedTuple):
    """What a reference leads to: a file or None, and what is to be said about it."""

    path: Path | None
    problem: Problem | None = None


class _SeveralMatchError(Exception):
    """Names that differ from the wanted one, and from each other, only in case."""


@dataclass(frozen=True, slots=True)
class Database:
    """Aliases and their folders.

    Attributes
    ----------
    home
        Folder of the assembly's own database.
    folders
        Folder by alias; aliases are compared without regard to case.
    allow_outside
        Whether a reference may lead out of these folders, by ``..``, an absolute path or a link.

    Holds: without `allow_outside` every file found lies in `home` or in one of `folders`, links followed.

    Limits: the configuration file of Adams (acar.cfg), where aliases are declared, is not read.
    """

    home: Path
    folders: Mapping[str, Path] = field(default_factory=dict)
    allow_outside: bool = False

    def __post_init__(self) -> None:
        folders = {alias.strip().casefold(): Path(folder) for alias, folder in self.folders.items()}
        missing = [
            Problem(f"the folder of the database '{alias}' does not exist", Place(folder))
            for alias, folder in self.folders.items()
            if not Path(folder).is_dir()
        ]
        if missing:
            raise MissingFileError(missing)
        object.__setattr__(self, "folders", MappingProxyType(folders))

    @classmethod
    def around(
        cls, path: Path | str, aliases: Mapping[str, Path | str] | None = None, *, allow_outside: bool = False
    ) -> Database:
        """The database that a file belongs to.

        Parameters
        ----------
        path
            An assembly, or any other file of the database. The enclosing ``*.cdb`` folder is its database; without
            one, the folder above its ``*.tbl`` folder, or else its own folder.
        aliases
            Further folders by alias, such as ``{"acar_shared": "…/shared_car_database.cdb"}``. Each is known by the
            stem of its own name too, ``shared_car_database``; an alias goes before the name of a folder.
        allow_outside
            As the attribute.
        """
        file = Path(path).absolute()
        own = next((folder for folder in file.parents if folder.suffix.casefold() == ".cdb"), None)
        given = {alias: Path(folder) for alias, folder in (aliases or {}).items()}
        named = {alias.strip().casefold() for alias in given}
        for folder in [folder for folder in (own, *given.values()) if folder is not None and folder.is_dir()]:
            stem = folder.absolute().stem
            if stem.casefold() not in named:
                named.add(stem.casefold())
                given[stem] = folder
        if own is not None:
            return cls(own, given, allow_outside)
        table = file.parent
        return cls(table.parent if table.suffix.casefold() == ".tbl" else table, given, allow_outside)

    def resolve(self, reference: FileReference) -> Found:
        """The file that a reference means; a dangling or refused reference is a warning, nothing is raised.

        An alias that is not known falls back on `home` if the file is there, and a note says so.
        """
        written, parts = shown(reference.text, 160), reference.parts
        if len(reference.text) > _LONGEST_REFERENCE or not parts or not reference.text.isprintable():
            return _lost(f"'{written}' does not name a file", reference, "<database>/table/file is needed")
        alias = reference.alias
        try:
            if alias is None:
                return self._resolve_path(reference, written)
            folder = self.folders.get(alias.strip().casefold())
            found = _descend(self.home if folder is None else folder, parts)
        except _SeveralMatchError as several:
            return _lost(f"'{written}' may mean {several}", reference, "they differ in case only: rename one")
        if found is None and folder is None:
            hint = f"give the folder of the database '{shown(alias)}'"
            return _lost(f"'{written}' is not found: the database '{shown(alias)}' is not known", reference, hint)
        if found is None:
            return _lost(f"'{written}' is not found in {folder}", reference, self._near(folder or self.home, parts))
        if folder is None:
            text = f"the database '{shown(alias)}' is not known; '{'/'.join(parts)}' is taken from {self.home}"
            note = Problem(text, reference.place, Severity.NOTE)
            return self._inside(found, reference, written, note)
        return self._inside(found, reference, written)

    def _resolve_path(self, reference: FileReference, written: str) -> Found:
        """A reference without an alias: a path, from the folder of the referring file if it is relative."""
        text = reference.text.strip()
        if _ABSOLUTE.match(text):
            if not self.allow_outside:
                return _refused(reference, written)
            found = Path(text) if _is_file(Path(text)) else None
        else:
            start = self.home if reference.place.file is None else reference.place.file.absolute().parent
            found = _descend(start, reference.parts)
        if found is None:
            return _lost(f"'{written}' is not found", reference, "<database>/table/file is usual")
        return self._inside(found, reference, written)

    def _inside(self, found: Path, reference: FileReference, written: str, note: Problem | None = None) -> Found:
        real = found.resolve()
        roots = (self.home, *self.folders.values())
        if self.allow_outside or any(real.is_relative_to(root.resolve()) for root in roots):
            return Found(found, note)
        return _refused(reference, written)

    @staticmethod
    def _near(folder: Path, parts: Sequence[str]) -> str:
        table = _descend(folder, parts[:-1], folder_wanted=True)
        if table is None:
            return f"there is no folder '{shown('/'.join(parts[:-1]), 80)}'"
        wanted = Path(parts[-1])
        same_type = [name for name in map(Path, _names(table)) if name.suffix.casefold() == wanted.suffix.casefold()]
        matches = close_matches(wanted.stem, [name.stem for name in same_type])
        return "did you mean " + " or ".join(f"'{match}{wanted.suffix}'" for match in matches) + "?" if matches else ""


def _lost(text: str, reference: FileReference, hint: str = "") -> Found:
    return Found(None, Problem(text, reference.place, Severity.WARNING, hint))


def _refused(reference: FileReference, written: str) -> Found:
    return _lost(f"'{written}' leads out of the database and is not followed", reference, "allow_outside permits it")


def _names(folder: Path) -> list[str]:
    try:
        return sorted(entry.name for entry in folder.iterdir())
    except OSError:
        return []


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that is too long for the file system
        return False


def _descend(folder: Path, parts: Sequence[str], *, folder_wanted: bool = False) -> Path | None:
    """The file or folder below `folder`, names compared without regard to case; None if there is none."""
    for part in parts:
        if part == "..":
            folder = folder.parent
            continue
        names = _names(folder)
        matches = [part] if part in names else [name for name in names if name.casefold() == part.casefold()]
        if len(matches) > 1:
            raise _SeveralMatchError(" or ".join(f"'{name}'" for name in matches))
        if not matches:
            return None
        folder /= matches[0]
    return folder if (folder.is_dir() if folder_wanted else _is_file(folder)) else None


def read_document(path: Path, file_type: str) -> teimorbit.Document:
    """Read a TeimOrbit file of one type.

    Parameters
    ----------
    path
        The file; more than `LARGEST_FILE` bytes are refused unread.
    file_type
        What FILE_TYPE in [MDI_HEADER] must say if it is there: ``sub`` or ``asy``.

    Raises
    ------
    MissingFileError, InputError
        There is no such file, or it cannot be read.
    FileFormatError
        It is too large, not TeimOrbit, or of another type.
    """
    try:
        status = path.stat()
    except OSError as error:
        kind = MissingFileError if isinstance(error, FileNotFoundError | NotADirectoryError) else InputError
        raise kind(Problem(f"the file cannot be read: {error.strerror}", Place(path))) from None
    if not path.is_file():
        raise InputError(Problem("this is not a file", Place(path)))
    if status.st_size > LARGEST_FILE:
        text = f"the file has {status.st_size} bytes, no more than {LARGEST_FILE} are read"
        raise FileFormatError(Problem(text, Place(path), hint=f"is this a file of type '{file_type}'?"))
    document = teimorbit.read(path)
    entry = document.get("MDI_HEADER", "FILE_TYPE")
    if entry is not None and entry.string().casefold() != file_type:
        text = f"FILE_TYPE = '{shown(entry.string())}', where '{file_type}' is needed"
        raise FileFormatError(Problem(text, entry.place))
    return document
