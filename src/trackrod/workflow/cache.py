"""Results kept between calls, under names made of everything that they depend on.

The name of a file is a hash of the function that made the result, of all that it was given, and of the code that it
reaches: a result is never out of date, it is only no longer asked for. The folder may be deleted at any time.
"""

from __future__ import annotations

import dataclasses
import io
import json
import math
import os
import warnings
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numpy as np

from trackrod.core.artefact import Artefact, Provenance, Schema, load, save, saved_hash
from trackrod.core.errors import CacheWarning, InputError
from trackrod.core.files import hash_bytes, write_atomically
from trackrod.core.plain import Plain, canonical_json
from trackrod.core.registry import origin_hash
from trackrod.core.series import Run
from trackrod.rtm.spec import RTM, RtmSpec
from trackrod.vehicle.vehicle import VEHICLE, Vehicle
from trackrod.workflow.code import code_hash

__all__ = ["CACHE_VARIABLE", "cache_folder", "caching", "fingerprint", "kept", "kept_run"]

T = TypeVar("T")
P = ParamSpec("P")

#: Environment variable that names another folder.
CACHE_VARIABLE = "TRACKROD_CACHE"
#: Whether results are kept and looked for.
_KEEPING: ContextVar[bool] = ContextVar("trackrod.cache", default=True)
#: Name of the part of a kept run that holds its metadata.
_METADATA = "metadata"
#: Of the form in which runs are kept.
_RUN_VERSION = 2
#: What is described by its saved form.
_SCHEMAS: Mapping[type, Schema[Any]] = {Vehicle: VEHICLE, RtmSpec: RTM}


@contextmanager
def caching(wanted: bool) -> Iterator[None]:
    """Inside, results are kept and looked for, or neither."""
    before = _KEEPING.set(wanted)
    try:
        yield
    finally:
        _KEEPING.reset(before)


def cache_folder() -> Path:
    """Where results are kept: ``$TRACKROD_CACHE``, or ``trackrod`` in the user's folder for caches."""
    if chosen := os.environ.get(CACHE_VARIABLE):
        return Path(chosen)
    if os.name == "nt":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "trackrod" / "cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "trackrod"


def kept(schema: Schema[T], make: Callable[P, T], *made_from: P.args, **besides: P.kwargs) -> T:
    """A result from the cache, or made now and kept.

    Parameters
    ----------
    schema
        How it is saved.
    make
        Makes it: a function of a module, whose code and imports count.
    made_from
        Its positional arguments determine the result; all that they hold counts.
    besides
        Its keyword arguments do not: who is told how far it is.

    Holds: a file of the cache that is damaged is made again; where nothing can be kept, a `CacheWarning` says so once.
    """
    if not _KEEPING.get():
        return make(*made_from, **besides)
    key = _key(make, made_from)
    path = _path(schema.name, {"version": schema.version, **key}, "json")
    try:
        if path.is_file():
            return load(path, schema).content
    except (InputError, OSError):
        pass  # cut off or changed by somebody, or not readable: it is only a cache
    result = make(*made_from, **besides)
    _keep(path, lambda: save(Artefact(schema, result, Provenance(settings=key)), path))
    return result


def kept_run(make: Callable[P, Run], *made_from: P.args, **besides: P.kwargs) -> Run:
    """As `kept`, for a run: its columns are kept as they are in memory.

    Holds: a run from the cache is the run that was made, bit for bit.
    """
    if not _KEEPING.get():
        return make(*made_from, **besides)
    path = _path("trackrod.run", {"version": _RUN_VERSION, **_key(make, made_from)}, "npz")
    try:
        # from memory: a reader that fails would leave the file open
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as file:
            metadata = json.loads(file[_METADATA].tobytes())
            return Run({column: file[column] for column in metadata.pop("columns")}, metadata)
    except (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile, InputError):
        pass  # not there, cut off or changed by somebody: it is only a cache
    run = make(*made_from, **besides)
    # as it is: a run writes its metadata in the order that they have
    head = json.dumps({**run.metadata, "columns": list(run)}, allow_nan=False, default=dict).encode()
    stream = io.BytesIO()
    np.savez(stream, allow_pickle=False, **{_METADATA: np.frombuffer(head, dtype=np.uint8)}, **run)
    _keep(path, lambda: write_atomically(path, stream.getvalue()))
    return run


def fingerprint(value: object) -> Plain:
    """Plain data that differs wherever two values differ: each field of a dataclass, each number of an array.

    Raises
    ------
    TypeError
        Of something that it cannot be told of: nothing is left out in silence.
    """
    if type(value) in _SCHEMAS:
        return saved_hash(_SCHEMAS[type(value)], value)
    if isinstance(value, np.ndarray):
        return [str(value.dtype), list(value.shape), hash_bytes(np.ascontiguousarray(value).tobytes())]
    if isinstance(value, Run):
        return [fingerprint(dict(value)), fingerprint(value.metadata)]
    if dataclasses.is_dataclass(value):
        fields = {field.name: fingerprint(getattr(value, field.name)) for field in dataclasses.fields(value)}
        foreign = origin_hash(type(value))  # a manoeuvre of the user: what it does is in his file
        return [type(value).__qualname__, fields, *([foreign] if foreign else [])]
    if isinstance(value, Mapping):
        # equal mappings may hold their items in another order
        return sorted(([fingerprint(key), fingerprint(item)] for key, item in value.items()), key=canonical_json)
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, Sequence):
        return [fingerprint(item) for item in value]
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value) if math.isfinite(value) else repr(float(value))
    raise TypeError(f"it is not known what a {type(value).__name__} is made of")


def _key(make: Callable[..., object], made_from: tuple[object, ...]) -> dict[str, Plain]:
    name = f"{make.__module__}.{make.__qualname__}"
    return {"made_by": name, "made_from": fingerprint(made_from), "code": code_hash(make)}


def _path(kind: str, made_from: Mapping[str, Plain], suffix: str) -> Path:
    name = hash_bytes(canonical_json({"kind": kind, **made_from}).encode())
    return cache_folder() / kind / f"{name}.{suffix}"


def _keep(path: Path, write: Callable[[], None]) -> None:
    """Write a file of the cache; what stands in the way is said once."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write()
    except (OSError, InputError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        text = f"results are not kept for the next time, {cache_folder()} cannot be written: {reason}"
        warnings.warn(CacheWarning(f"{text} (set {CACHE_VARIABLE} to a folder that can be)"), stacklevel=1)
