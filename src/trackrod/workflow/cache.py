"""Results kept between calls, as artefacts under names made of everything that they depend on.

The name of a file is a hash of the inputs, the settings and the code that made it: a result is never out of date, it is
only no longer asked for. The folder may be deleted at any time.
"""

from __future__ import annotations

import functools
import io
import json
import os
import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

import numpy as np

import trackrod
from trackrod.core.artefact import Artefact, Provenance, Schema, load, save
from trackrod.core.errors import InputError, Place, Problem
from trackrod.core.files import content_hash, hash_bytes, write_atomically
from trackrod.core.plain import Plain, canonical_json, freeze
from trackrod.core.series import Run

__all__ = ["CACHE_VARIABLE", "cache_folder", "cached", "cached_run", "code_hash"]

T = TypeVar("T")

#: Environment variable that names another folder.
CACHE_VARIABLE = "TRACKROD_CACHE"


def cache_folder() -> Path:
    """Where results are kept: ``$TRACKROD_CACHE``, or ``trackrod`` in the user's folder for caches."""
    if chosen := os.environ.get(CACHE_VARIABLE):
        return Path(chosen)
    if os.name == "nt":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "trackrod" / "cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "trackrod"


def cached(
    schema: Schema[T], made_from: Mapping[str, Plain], packages: Iterable[str], make: Callable[[], T]
) -> tuple[T, bool]:
    """A result from the cache, or made now and kept.

    Parameters
    ----------
    schema
        How it is saved.
    made_from
        Plain data that determines the result: hashes of inputs, settings.
    packages
        Packages of Trackrod whose code determines it.
    make
        Makes it.

    Returns
    -------
    result, was_kept
        What was asked for, and whether it came from the cache.

    Raises
    ------
    InputError
        The folder of the cache cannot be written.

    Holds: a file of the cache that is damaged is made again.
    """
    key: Mapping[str, Plain] = freeze({**made_from, "code": code_hash(tuple(packages))}, "made_from")
    path = _path(schema.name, {"version": schema.version, "made_from": key}, "json")
    if path.is_file():
        try:
            return load(path, schema).content, True
        except InputError:
            pass  # cut off or changed by somebody: it is only a cache
    result = make()
    _make_folder(path.parent)
    save(Artefact(schema, result, Provenance(settings=key)), path)
    return result, False


def cached_run(made_from: Mapping[str, Plain], packages: Iterable[str], make: Callable[[], Run]) -> tuple[Run, bool]:
    """As `cached`, for a run: its columns are kept as they are in memory.

    Holds: a run from the cache is the run that was made, bit for bit.
    """
    path = _path("trackrod.run", {"made_from": freeze(made_from), "code": code_hash(tuple(packages))}, "npz")
    try:
        # from memory: a reader that fails would leave the file open
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as file:
            metadata = json.loads(file[_METADATA].tobytes())
            return Run({column: file[column] for column in metadata.pop("columns")}, metadata), True
    except (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile, InputError):
        pass  # not there, cut off or changed by somebody: it is only a cache
    run = make()
    _make_folder(path.parent)
    head = canonical_json({**run.metadata, "columns": list(run)}).encode()
    stream = io.BytesIO()
    np.savez(stream, allow_pickle=False, **{_METADATA: np.frombuffer(head, dtype=np.uint8)}, **run)
    write_atomically(path, stream.getvalue())
    return run, False


#: Name of the part of a kept run that holds its metadata.
_METADATA = "metadata"


def _path(kind: str, made_from: Mapping[str, Plain], suffix: str) -> Path:
    name = hash_bytes(canonical_json({"kind": kind, **made_from}).encode())
    return cache_folder() / kind / f"{name}.{suffix}"


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        hint = f"set {CACHE_VARIABLE} to a folder that can be written"
        text = f"the folder for kept results cannot be made: {error.strerror}"
        raise InputError(Problem(text, Place(folder), hint=hint)) from error


@functools.cache
def code_hash(packages: tuple[str, ...]) -> str:
    """Hash of the source of packages of Trackrod and of the compiled core."""
    files: set[Path] = set()
    for place in trackrod.__path__:
        folder = Path(place)
        files.update(folder.glob("_core*.so"), folder.glob("_core*.pyd"))
        for package in packages:
            files.update((folder / package).rglob("*.py"))
    # An editable installation has the package in two folders: the content counts, not where it lies.
    return hash_bytes("\n".join(sorted({f"{path.name} {content_hash(path)}" for path in files})).encode())
