"""Artefacts: results saved as one self-contained JSON file with schema, version, provenance and hash.

The file is for people too: sorted keys, one entry a line, numbers in the shortest form that reads back
exactly. It holds no dates, no paths and no names of users or machines, so that equal inputs give equal
files and equal hashes on every machine. What kind of thing is saved is a `Schema`; each module declares its
own beside the class.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, NoReturn, TypeVar

from trackrod import __version__
from trackrod.core.errors import FileFormatError, InputError, Place, Problem
from trackrod.core.files import content_hash, hash_bytes, read_bytes, write_atomically
from trackrod.core.itself import Itself
from trackrod.core.plain import Plain, canonical_json, freeze, pretty_json
from trackrod.core.teimorbit.messages import raise_shortened, shown

__all__ = ["Artefact", "InputFile", "Provenance", "Schema", "is_saved", "load", "save", "saved_hash"]

T = TypeVar("T")

#: What a class may raise when it is made of data of another form.
_MISFITS = (LookupError, TypeError, AttributeError, ValueError, ArithmeticError)
_LARGEST_FILE = 64 * 2**20  # [byte]
#: How far a file is read to see what it holds [byte]: names stand at its end, after numbers.
_TAIL = 4096
_KEYS = ("content", "provenance", "schema", "sha256", "version")


@dataclass(frozen=True, slots=True)
class Schema(Generic[T]):
    """How one class is saved: name, version, and the two conversions to and from plain data.

    Attributes
    ----------
    name
        What the file holds, for example ``trackrod.map1d``.
    version
        Version written, from 1; raised by one whenever the plain data changes its form.
    to_plain, from_plain
        Conversion of the object into plain data of this version and back.
    upgrades
        For each older version n still readable, the function from plain data of version n to that of n + 1.
    """

    name: str
    version: int
    to_plain: Callable[[T], Mapping[str, Plain]]
    from_plain: Callable[[Mapping[str, Any]], T]
    upgrades: Mapping[int, Callable[[Mapping[str, Any]], Mapping[str, Plain]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, order=True)
class InputFile:
    """A file that went into an artefact: its name without folders, and the SHA-256 of its content."""

    name: str
    sha256: str

    @classmethod
    def of(cls, path: Path | str) -> InputFile:
        """The file at `path`."""
        return cls(Path(path).name, content_hash(path))


@dataclass(frozen=True, slots=True)
class Provenance:
    """What an artefact was made from.

    Attributes
    ----------
    inputs
        The files that went in, sorted.
    settings
        The settings of the computation as plain data.
    trackrod
        Version of Trackrod that made it.

    Holds: equal inputs and settings give an equal provenance, whatever the order of the files and their
    folders.
    """

    inputs: tuple[InputFile, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    trackrod: str = __version__

    def __post_init__(self) -> None:
        object.__setattr__(self, "inputs", tuple(sorted(self.inputs)))
        object.__setattr__(self, "settings", freeze(self.settings, "settings"))

    @classmethod
    def of(cls, files: Iterable[Path | str] = (), settings: Mapping[str, Plain] | None = None) -> Provenance:
        """Provenance of a result computed now from these files with these settings."""
        return cls(tuple(InputFile.of(path) for path in files), settings or {})

    def to_dict(self) -> dict[str, Plain]:
        """The provenance as plain data."""
        inputs = [{"name": item.name, "sha256": item.sha256} for item in self.inputs]
        return {"inputs": inputs, "settings": self.settings, "trackrod": self.trackrod}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Provenance:
        """The inverse of `to_dict`."""
        inputs = tuple(InputFile(item["name"], item["sha256"]) for item in data["inputs"])
        return cls(inputs, data["settings"], data["trackrod"])


@dataclass(frozen=True, slots=True)
class Artefact(Generic[T]):
    """An object together with what it is and where it came from."""

    schema: Schema[T]
    content: T
    provenance: Provenance = field(default_factory=Provenance)

    @property
    def sha256(self) -> str:
        """Hash of schema, version, provenance and content; the same on every machine."""
        return _hash(self._to_plain())

    @property
    def text(self) -> str:
        """The file that `save` writes."""
        data = self._to_plain()
        return pretty_json({**data, "sha256": _hash(data)})

    def _to_plain(self) -> dict[str, Plain]:
        return {
            "schema": self.schema.name,
            "version": self.schema.version,
            "provenance": self.provenance.to_dict(),
            "content": freeze(self.schema.to_plain(self.content), "content"),
        }


def saved_hash(schema: Schema[T], content: T) -> str:
    """Hash of something that nobody can change, as of an artefact without provenance; worked out once.

    It is asked for with every run and every evaluation, and takes longer than many of them.
    """
    return _saved_hash(Itself(schema), Itself(content))


@functools.lru_cache(32)
def _saved_hash(schema: Itself[Schema[T]], content: Itself[T]) -> str:
    return Artefact(schema.value, content.value).sha256


def save(artefact: Artefact[Any], path: Path | str) -> None:
    """Write an artefact to one JSON file, atomically.

    Holds: ``load(path, artefact.schema)`` gives an artefact with the same content, provenance and hash.
    """
    write_atomically(path, artefact.text)


def is_saved(path: Path | str, schema: Schema[Any]) -> bool:
    """Whether a file looks like an artefact of a schema; `load` says whether it is one."""
    path = Path(path)
    if path.suffix.casefold() != ".json" or not path.is_file():
        return False
    with path.open("rb") as stream:
        stream.seek(max(0, path.stat().st_size - _TAIL))
        return f'"{schema.name}"'.encode() in stream.read()


def load(path: Path | str, schema: Schema[T]) -> Artefact[T]:
    """Read an artefact and check that it is whole.

    Parameters
    ----------
    path
        The file.
    schema
        What it must hold. Older versions are upgraded by the schema's functions.

    Raises
    ------
    FileFormatError
        The file is damaged, was changed by hand, holds something else, or is of a version that cannot be
        read.
    """
    path = Path(path)
    try:
        data = _read(path)
        _check(path, data, schema)
        return _artefact(path, data, schema)
    except RecursionError as error:
        _fail(path, "lists or tables are nested too deep", cause=error)


def _check(path: Path, data: Mapping[str, Any], schema: Schema[Any]) -> None:
    """Whether it is of this schema, of a version that can be read, and whole."""
    if data["schema"] != schema.name:
        _fail(path, f"the file holds '{shown(str(data['schema']))}', a '{schema.name}' is needed")
    version = data["version"]
    if version > schema.version:
        _fail(
            path,
            f"version {shown(str(version))} of '{schema.name}' is newer than version {schema.version}, "
            f"the newest that Trackrod {__version__} reads",
            "update Trackrod",
        )
    if data["sha256"] != _hash({key: data[key] for key in _KEYS if key != "sha256"}):
        _fail(
            path,
            "the content does not match the hash in the file",
            "it was changed or damaged: make it again",
        )


def _artefact(path: Path, data: Mapping[str, Any], schema: Schema[T]) -> Artefact[T]:
    content, version = data["content"], data["version"]
    try:
        for older in range(version, schema.version):
            if older not in schema.upgrades:
                _fail(path, f"version {older} of '{schema.name}' can no longer be read", "make the file again")
            content = schema.upgrades[older](content)
        return Artefact(schema, schema.from_plain(content), Provenance.from_dict(data["provenance"]))
    except InputError as error:
        raise_shortened(Problem(problem.text, Place(path), hint=problem.hint) for problem in error.problems)
        raise  # it had no errors
    except _MISFITS as error:
        reason = shown(repr(error), 200)
        _fail(path, f"the content does not fit '{schema.name}' version {version}: {reason}", cause=error)


def _read(path: Path) -> dict[str, Any]:
    content = read_bytes(path, _LARGEST_FILE)
    try:
        data = json.loads(content.decode("utf-8"), parse_constant=_refuse, parse_float=_finite, parse_int=_whole)
    except json.JSONDecodeError as error:
        place = Place(path, error.lineno, error.colno)
        text = f"the file is not complete JSON: {error.msg}"
        raise FileFormatError(Problem(text, place, hint="it was cut off or changed: make it again")) from error
    except ValueError as error:  # not UTF-8, or a number that is not plain data
        _fail(path, f"the file is not a JSON text of plain data: {error}", cause=error)
    if not isinstance(data, dict) or sorted(data) != list(_KEYS):
        _fail(path, "the file is not an artefact of Trackrod", f"it needs exactly the keys {', '.join(_KEYS)}")
    if not isinstance(data["version"], int) or isinstance(data["version"], bool) or data["version"] < 1:
        _fail(path, f"the version is {shown(repr(data['version']))}, a whole number from 1 is needed")
    return data


def _refuse(text: str) -> NoReturn:
    raise ValueError(f"{shown(text)} is not a number that can be stored")


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _refuse(text)


def _whole(text: str) -> int:
    if not math.isfinite(float(text)):  # every whole number may be wanted as a floating-point one
        _refuse(text)
    return int(text)


def _hash(data: Mapping[str, Plain]) -> str:
    return hash_bytes(canonical_json(data).encode("ascii"))


def _fail(path: Path, text: str, hint: str = "", cause: Exception | None = None) -> NoReturn:
    raise FileFormatError(Problem(text, Place(path), hint=hint)) from cause
