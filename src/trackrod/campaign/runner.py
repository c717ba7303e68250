"""Driving a campaign: tasks go to workers, files come back, rules say when it is enough."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from trackrod.campaign.description import StopRules
from trackrod.campaign.folder import CampaignFolder, require_parquet
from trackrod.campaign.plan import FAILED, Plan, Shipped, TaskResult, unpacked
from trackrod.core.executors import Workers

__all__ = ["Ended", "Progress", "Summary", "drive_campaign"]

#: Tasks that are given to each worker ahead: it has the next one when it ends the last, and few are lost with it.
_AHEAD = 2
#: How long to wait before the clock is looked at again [s].
_TICK = 0.2
#: Half of the 95 % interval of a mean over its standard error.
_QUANTILE = 1.959963984540054


class Ended(StrEnum):
    """Why a campaign is no longer driven."""

    ALL = "all runs are driven"
    FAILED = "too many runs could not be driven"
    PRECISE = "the means are known as well as asked for"
    TIME = "the time is over"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a campaign is."""

    runs: int
    of: int
    workers: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Summary:
    """How a call of `drive_campaign` ended.

    Attributes
    ----------
    ended
        Why.
    runs
        That are kept, of all calls.
    driven
        By this call.
    seconds
        That it took.
    """

    ended: Ended
    runs: int
    driven: int
    seconds: float


def drive_campaign(
    folder: CampaignFolder, workers: Workers, *, progress: Callable[[Progress], None] | None = None
) -> Summary:
    """Drive what is left of the campaign in a folder.

    Parameters
    ----------
    folder
        With its plan.
    workers
        Who drives; they are in use when this is called.
    progress
        Told now and then how far it is.

    Raises
    ------
    InputError
        Another process drives it, or another version of Trackrod began it.

    Holds: the table is the same, bit for bit, whoever drives it, in whatever order, and however often this is
    interrupted, killed and called again. Memory does not grow with the number of runs.
    """
    require_parquet()
    shipped = folder.shipped()
    plan = unpacked(shipped)
    began = time.monotonic()
    with folder.locked():
        done = folder.done()
        rules = _Rules(plan, folder)
        ended = rules.look(done)
        left = deque[int]() if ended else deque(task for task in range(plan.tasks) if task not in done)
        driven, kept = 0, sum(len(plan.numbers(task)) for task in done)
        shared = workers.share(shipped) if left else shipped
        pending: dict[Future[TaskResult], int] = {}
        limit = plan.description.stop.seconds
        while (left or pending) and ended is None:
            while left and len(pending) < _AHEAD * max(workers.count, 1):
                task = left.popleft()
                pending[workers.submit(_run_task, shared, task)] = task
            finished, _ = wait(pending, timeout=_TICK, return_when=FIRST_COMPLETED)
            for future in finished:
                task = pending.pop(future)
                folder.write_task(plan, task, future.result())
                done.add(task)
                driven += len(plan.numbers(task))
                kept += len(plan.numbers(task))
            if finished:
                ended = rules.look(done)
            seconds = time.monotonic() - began
            if progress is not None:
                progress(Progress(kept, plan.runs, workers.count, seconds))
            if ended is None and limit is not None and seconds > limit and (left or pending):
                ended = Ended.TIME
        if ended in (Ended.FAILED, Ended.PRECISE):
            folder.drop_after(rules.last)
            kept = sum(len(plan.numbers(task)) for task in folder.done())
        return Summary(ended or Ended.ALL, kept, driven, time.monotonic() - began)


def _run_task(shipped: Shipped, task: int) -> TaskResult:
    """What a worker does."""
    return unpacked(shipped).run_task(task)


class _Rules:
    """Looks at the tasks in their order, each once, as far as they are done without a gap.

    What ends a campaign must not depend on who was faster: a rule is asked about the runs up to the end of each task,
    and what was driven beyond the task that it ends at is dropped.
    """

    def __init__(self, plan: Plan, folder: CampaignFolder) -> None:
        self._plan = plan
        self._folder = folder
        self._rules: StopRules = plan.description.stop
        self._means = {name: _Mean() for name in self._rules.half_width}
        self._failed = self._runs = 0
        self.last = -1

    def look(self, done: set[int]) -> Ended | None:
        """Whether a rule ends it, now that these tasks are done."""
        if self._rules.failed_share is None and not self._means:
            return None
        while self.last + 1 in done:
            self.last += 1
            self._add(self.last)
            if self._runs < self._rules.after:
                continue
            if self._rules.failed_share is not None and self._failed > self._rules.failed_share * self._runs:
                return Ended.FAILED
            widths = self._rules.half_width.items()
            if self._means and all(self._means[name].half_width <= width for name, width in widths):
                return Ended.PRECISE
        return None

    def _add(self, task: int) -> None:
        pq = require_parquet().parquet
        table = pq.read_table(self._folder.task_file(task), columns=["status", *self._means])
        self._runs += table.num_rows
        self._failed += sum(status == FAILED for status in table["status"].to_pylist())
        for name, mean in self._means.items():
            mean.add(table[name].drop_null().to_numpy())


class _Mean:
    """Mean and spread of numbers that come in parts, in the order of the parts (Chan, Golub and LeVeque 1983)."""

    def __init__(self) -> None:
        self.count, self.mean, self.squares = 0, 0.0, 0.0

    def add(self, values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> None:
        """Some more."""
        if values.size == 0:
            return
        total, apart = self.count + values.size, float(values.mean()) - self.mean
        self.squares += float(((values - values.mean()) ** 2).sum()) + apart**2 * self.count * values.size / total
        self.mean += apart * values.size / total
        self.count = total

    @property
    def half_width(self) -> float:
        """Of the 95 % interval of the mean; infinite below two numbers."""
        if self.count < 2:
            return math.inf
        return _QUANTILE * math.sqrt(self.squares / (self.count - 1) / self.count)
