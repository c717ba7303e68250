"""Evaluations kept in a folder, so that a search that was killed can go on.

A search is repeatable: started again it asks for the same points in the same order. Those that were done are read, the
rest is computed, and no method needs to know.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from trackrod.core.errors import ConvergenceError, InputError, Place, Problem
from trackrod.core.files import hash_bytes, write_atomically
from trackrod.fit.blocks import Array, Block
from trackrod.fit.problem import Blocks, FitProblem

__all__ = ["JournalledProblem"]

#: Points that are computed at once and kept together: what a killed search loses at most.
_BATCH = 8
#: Version of the files; part of their names.
_VERSION = 2
#: The arrays of a block.
_PARTS = ("residual", "jacobian", "abscissa")

#: What an evaluation gave.
Entry = Blocks | ConvergenceError


class JournalledProblem:
    """A problem that keeps what it computes in a folder.

    A file holds one evaluation under a name made of the key of the problem, the kind of evaluation and the bytes of z.
    One folder may serve several problems. A file that is damaged is computed again.

    Parameters
    ----------
    problem
        What is computed.
    folder
        Where it is kept; made if it does not exist.

    Raises
    ------
    InputError
        If the folder cannot be made.

    Holds: it gives the blocks of the problem itself, bit for bit.
    """

    def __init__(self, problem: FitProblem, folder: Path) -> None:
        self._problem = problem
        self._key = problem.key
        self._folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            text = f"the folder of the journal cannot be made: {error.strerror}"
            raise InputError(Problem(text, Place(folder))) from error

    @property
    def names(self) -> tuple[str, ...]:
        """As of the problem."""
        return self._problem.names

    @property
    def key(self) -> str:
        """As of the problem."""
        return self._key

    def evaluate(self, z: Array) -> Blocks:
        """As of the problem."""
        return self._kept_or_made("evaluate", self._problem.evaluate, z)

    def linearise(self, z: Array) -> Blocks:
        """As of the problem."""
        return self._kept_or_made("linearise", self._problem.linearise, z)

    def evaluate_many(self, zs: Sequence[Array]) -> list[Blocks | None]:
        """As of the problem, a few at a time."""
        paths = [self._path("evaluate", z) for z in zs]
        entries = {path: entry for path in paths if (entry := _read(path)) is not None}
        missing = [(path, z) for path, z in zip(paths, zs, strict=True) if path not in entries]
        for first in range(0, len(missing), _BATCH):
            batch = missing[first : first + _BATCH]
            many = self._problem.evaluate_many([z for _, z in batch])
            for (path, _), blocks in zip(batch, many, strict=True):
                entries[path] = _write(path, ConvergenceError("the model broke down") if blocks is None else blocks)
        return [entry if isinstance(entry := entries[path], tuple) else None for path in paths]

    def guided(self, strength: float) -> JournalledProblem:
        """The guided problem, kept in the same folder."""
        return JournalledProblem(self._problem.guided(strength), self._folder)

    def _kept_or_made(self, kind: str, make: Callable[[Array], Blocks], z: Array) -> Blocks:
        path = self._path(kind, z)
        entry = _read(path)
        if entry is None:
            try:
                made: Entry = make(z)
            except ConvergenceError as error:
                made = error
            entry = _write(path, made)
        if isinstance(entry, ConvergenceError):
            raise entry
        return entry

    def _path(self, kind: str, z: Array) -> Path:
        head = json.dumps([_VERSION, self._key, kind]).encode()
        return self._folder / f"{hash_bytes(head + np.ascontiguousarray(z, dtype='<f8').tobytes())}.npz"


def _read(path: Path) -> Entry | None:
    try:
        return _unpack(path.read_bytes())
    except (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile):
        return None  # not there, cut off or changed by somebody: as if it had not been done


def _write(path: Path, entry: Entry) -> Entry:
    data = _pack(entry)
    write_atomically(path, data)
    # As it will be read: the order of numbers in memory decides on the last bit of a sum.
    return _unpack(data)


def _pack(entry: Entry) -> bytes:
    head: dict[str, object]
    arrays: dict[str, Array] = {}
    if isinstance(entry, ConvergenceError):
        head = {"breakdown": str(entry)}
    else:
        head = {"blocks": [[block.manoeuvre, block.name, block.note] for block in entry]}
        parts = ((f"{part}_{k}", getattr(block, part)) for k, block in enumerate(entry) for part in _PARTS)
        arrays = {name: np.ascontiguousarray(values) for name, values in parts if values is not None}
    stream = io.BytesIO()
    np.savez(stream, allow_pickle=False, head=np.frombuffer(json.dumps(head).encode(), dtype=np.uint8), **arrays)
    return stream.getvalue()


def _unpack(data: bytes) -> Entry:
    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        head = json.loads(file["head"].tobytes())
        if "breakdown" in head:
            return ConvergenceError(head["breakdown"])
        return tuple(
            Block(manoeuvre, name, note=note, **{part: file[f"{part}_{k}"] for part in _PARTS if f"{part}_{k}" in file})
            for k, (manoeuvre, name, note) in enumerate(head["blocks"])
        )
