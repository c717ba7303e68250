"""Results kept between calls, as artefacts under names made of everything that they depend on.

The name of a file is a hash of the inputs, the settings and the code that made it: a result is never out of date, it is
only no longer asked for. The folder may be deleted at any time.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

import trackrod
from trackrod.core.artefact import Artefact, Provenance, Schema, load, save
from trackrod.core.errors import InputError, Place, Problem
from trackrod.core.files import content_hash, hash_bytes
from trackrod.core.plain import Plain, canonical_json, freeze

__all__ = ["CACHE_VARIABLE", "cache_folder", "cached", "code_hash"]

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
    name = hash_bytes(canonical_json({"schema": schema.name, "version": schema.version, "made_from": key}).encode())
    path = cache_folder() / schema.name / f"{name}.json"
    if path.is_file():
        try:
            return load(path, schema).content, True
        except InputError:
            pass  # cut off or changed by somebody: it is only a cache
    result = make()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        hint = f"set {CACHE_VARIABLE} to a folder that can be written"
        text = f"the folder for kept results cannot be made: {error.strerror}"
        raise InputError(Problem(text, Place(path.parent), hint=hint)) from error
    save(Artefact(schema, result, Provenance(settings=key)), path)
    return result, False


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
