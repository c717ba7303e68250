"""How far a study is, in a file: for whoever watches from another process, as the workbench does."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from trackrod.core.files import write_atomically
from trackrod.fit.outcome import SearchProgress
from trackrod.workflow.stage import Stage, Watcher

__all__ = ["PROGRESS_VARIABLE", "ProgressFile", "with_progress_file"]

#: Environment variable that names the file.
PROGRESS_VARIABLE = "TRACKROD_PROGRESS"
#: A file is written so often at most [s]; stages that begin are always told.
_PERIOD = 0.25
#: Points of the search that are kept.
_MOST_POINTS = 2000


class ProgressFile:
    """A watcher that keeps a JSON file up to date, and tells another watcher too.

    Parameters
    ----------
    path
        The file: ``stage``, ``title``, ``number`` of the stage and ``stages``, ``what``, ``share``, ``search``: rows
        of seconds, evaluations and the objective [%], and ``best``: variables of the best point by name, in [−1, 1].
    stages
        Names of all stages, in order.
    also
        Told as well.
    """

    def __init__(self, path: Path, stages: Sequence[str], also: Watcher | None) -> None:
        self._path, self._stages, self._also = path, tuple(stages), also
        self._now: dict[str, Any] = {"stages": len(self._stages)}
        self._search: list[tuple[float, int, float]] = []
        self._written = 0.0

    def announce(self, stage: Stage[Any], what: str, share: float) -> None:
        """A stage is being done, this much of it is."""
        begins = self._now.get("stage") != stage.name
        number = self._stages.index(stage.name) if stage.name in self._stages else 0
        self._now |= {"stage": stage.name, "title": stage.title, "number": number, "what": what, "share": share}
        self._write(at_once=begins or share >= 1)
        if self._also is not None:
            self._also.announce(stage, what, share)

    def search(self, now: SearchProgress) -> None:
        """The search goes on."""
        points = now.evaluations + now.linearisations
        self._search.append((round(now.seconds, 3), points, now.value))
        if len(self._search) > _MOST_POINTS:
            self._search = self._search[::2]
        left = now.seconds_left
        share = 0.0 if left is None else now.seconds / max(now.seconds + left, 1e-9)
        self._now |= {"share": min(share, 0.99), "what": f"objective {now.value:.3f} %, {points} evaluations"}
        self._now |= {"seconds_left": left, "best": dict(now.best)}
        self._write(at_once=False)
        if self._also is not None:
            self._also.search(now)

    def _write(self, *, at_once: bool) -> None:
        if not at_once and time.monotonic() - self._written < _PERIOD:
            return
        self._written = time.monotonic()
        write_atomically(self._path, json.dumps({**self._now, "search": self._search}))


def with_progress_file(stages: Sequence[Stage[Any]], watcher: Watcher | None) -> Watcher | None:
    """The watcher, and the file that the environment names; the watcher alone where it names none."""
    if not (named := os.environ.get(PROGRESS_VARIABLE)):
        return watcher
    return ProgressFile(Path(named), [stage.name for stage in stages], watcher)
