"""Where work is done side by side: in threads of this process, or by the workers of a Dask cluster.

Every search, batch, study and campaign asks here, and uses what it gets for as long as its `with` lasts. Executors are
not kept and handed out again: a job that waits for jobs of its own in the same pool may wait for ever.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from enum import StrEnum
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

from trackrod.core.errors import InputError, MissingExtraError, Problem, TrackrodError

__all__ = ["ExecutorKind", "Workers", "executor", "stop_requested", "worker_count", "workers_of"]

T = TypeVar("T")

#: Set where the work of a thread is no longer wanted.
_STOP: ContextVar[threading.Event | None] = ContextVar("trackrod_stop", default=None)
#: Seconds to wait for a scheduler.
_PATIENCE = 10.0
#: How often a task is given again whose worker was lost with it; the scheduler itself tries three times.
_RETRIES = 20


class ExecutorKind(StrEnum):
    """Who does the work."""

    THREADS = "threads"
    DASK = "dask"


def worker_count(workers: int | None = None) -> int:
    """How many jobs run at a time: as many as are asked for, or as there are processors."""
    return workers or os.cpu_count() or 1


def executor(workers: int | None = None) -> Executor:
    """An executor that runs so many jobs at a time, to be used in a `with`.

    The models release the interpreter while they integrate, so threads are enough to use every processor.
    """
    return _Threads(worker_count(workers))


def stop_requested() -> bool:
    """Whether what is being done here is no longer wanted; long jobs ask now and then.

    Limits: only threads of this process can be told. A worker elsewhere ends the job that it has begun.
    """
    stop = _STOP.get()
    return stop is not None and stop.is_set()


class Workers(Protocol):
    """Some workers, anywhere, to be used in a `with`; at its end nothing of theirs is left running."""

    @property
    def count(self) -> int:
        """How many jobs run at a time, now: workers may come and go."""
        ...

    def share(self, thing: T) -> T:
        """Something that many jobs need, sent to each worker once; to be given to `submit` as an argument."""
        ...

    def submit(self, function: Callable[..., T], *arguments: Any) -> Future[T]:
        """Have a function called. A job whose worker is lost is done by another one."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


def workers_of(kind: ExecutorKind, *, count: int | None = None, address: str | None = None) -> Workers:
    """Workers of a kind.

    Parameters
    ----------
    kind
        Threads of this process, or a Dask cluster.
    count
        How many threads; as many as there are processors if not given.
    address
        Of the scheduler of a cluster: ``tcp://host:8786``, or the file that it writes.

    Raises
    ------
    InputError
        An address is missing, meaningless, or nobody answers there.
    MissingExtraError
        Dask is not installed.
    """
    if kind is ExecutorKind.THREADS:
        if address is not None:
            raise InputError(Problem("an address is for the executor dask", hint="add --executor dask"))
        return _ThreadWorkers(worker_count(count))
    if address is None:
        hint = "start one with `dask scheduler`, workers with `dask worker ADDRESS`, and give --address"
        raise InputError(Problem("the executor dask needs the address of a scheduler", hint=hint))
    return _DaskWorkers(address)


class _Threads(ThreadPoolExecutor):
    """Threads in which the same holds as where the work was asked for: whether results are kept."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """As of any executor."""
        return super().submit(copy_context().run, fn, *args, **kwargs)


class _ThreadWorkers:
    """Threads of this process, whose jobs are told when they are no longer wanted."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._pool = _Threads(count)
        self._stop = threading.Event()

    def share(self, thing: T) -> T:
        return thing

    def submit(self, function: Callable[..., T], *arguments: Any) -> Future[T]:
        return self._pool.submit(self._call, function, *arguments)

    def _call(self, function: Callable[..., T], *arguments: Any) -> T:
        _STOP.set(self._stop)
        return function(*arguments)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._stop.set()
        self._pool.shutdown(wait=True, cancel_futures=True)


class _DaskWorkers:
    """The workers of a Dask cluster that is there already."""

    def __init__(self, address: str) -> None:
        try:
            from distributed import Client  # noqa: PLC0415 - optional package
        except ImportError:
            raise MissingExtraError("distributed", "dask", "work on a cluster") from None
        where = {"address": address} if "://" in address or ":" in address else {"scheduler_file": address}
        try:
            make: Any = Client
            self._client: Any = make(**where, timeout=_PATIENCE, set_as_default=False)
        except (OSError, ValueError) as error:
            hint = "is `dask scheduler` running there?"
            raise InputError(Problem(f"no scheduler answers at {address}: {error}", hint=hint)) from None

    @property
    def count(self) -> int:
        return sum(self._client.nthreads().values())

    def share(self, thing: T) -> T:
        # Data that is scattered is lost with the workers that hold it; a job's result is made again by the scheduler.
        shared: T = self._client.submit(_itself, thing, pure=False)
        return shared

    def submit(self, function: Callable[..., T], *arguments: Any) -> Future[T]:
        made: Future[T] = Future()
        made.set_running_or_notify_cancel()
        self._try(made, _RETRIES, function, arguments)
        return made

    def _try(self, made: Future[Any], left: int, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        from distributed import KilledWorker  # noqa: PLC0415

        def finished(job: Any) -> None:
            if job.status == "cancelled":
                made.set_exception(TrackrodError("the connection to the scheduler was lost"))
                return
            error = job.exception()
            if error is None:
                made.set_result(job.result())
            elif isinstance(error, KilledWorker) and left > 0:  # it may have been at the wrong place several times
                self._try(made, left - 1, function, arguments)
            else:
                made.set_exception(error)

        self._client.submit(function, *arguments, pure=False).add_done_callback(finished)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._client.close()


def _itself(thing: T) -> T:
    return thing
