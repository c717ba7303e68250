"""Where work is done side by side: in threads of this process. The only place that would change for a cluster.

Every search, batch and study asks here, and uses what it gets for as long as its `with` lasts. Executors are not kept
and handed out again: a job that waits for jobs of its own in the same pool may wait for ever.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

__all__ = ["executor", "worker_count"]


def worker_count(workers: int | None = None) -> int:
    """How many jobs run at a time: as many as are asked for, or as there are processors."""
    return workers or os.cpu_count() or 1


def executor(workers: int | None = None) -> Executor:
    """An executor that runs so many jobs at a time, to be used in a `with`.

    The models release the interpreter while they integrate, so threads are enough to use every processor.
    """
    return _Threads(worker_count(workers))


class _Threads(ThreadPoolExecutor):
    """Threads in which the same holds as where the work was asked for: whether results are kept."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """As of any executor."""
        return super().submit(copy_context().run, fn, *args, **kwargs)
