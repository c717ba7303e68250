"""Many runs at once, over threads: the models release the interpreter while they integrate."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, wait
from dataclasses import dataclass

from trackrod.core.executors import executor
from trackrod.core.series import Run
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.simulate.drive import simulate
from trackrod.simulate.model import VehicleModel

__all__ = ["Job", "simulate_many"]


@dataclass(frozen=True, slots=True)
class Job:
    """A manoeuvre, and how to make the model that drives it: models keep state, so each job has its own."""

    make_model: Callable[[], VehicleModel]
    manoeuvre: Manoeuvre


class _Stopped(Exception):  # noqa: N818 - not an error: another job failed, or the user has had enough
    """The other jobs are no longer wanted."""


def simulate_many(
    jobs: Sequence[Job],
    *,
    sample: float = 0.01,
    threads: int | None = None,
    finished: Callable[[int], None] | None = None,
) -> list[Run]:
    """Drive jobs on several threads.

    Parameters
    ----------
    jobs
        What to drive.
    sample
        As for `simulate` [s].
    threads
        As many as there are processor cores if not given.
    finished
        Called in the calling thread with the number of jobs that are done, whenever it grows.

    Returns
    -------
    list of Run
        In the order of the jobs; the same as driven one after the other, bit for bit.

    Raises
    ------
    TrackrodError
        That of the first job that failed; the others are stopped. The same on Ctrl-C.
    """
    stop = threading.Event()

    def watch(_phase: str, _time: float) -> None:
        if stop.is_set():
            raise _Stopped

    def drive(job: Job) -> Run:
        watch("", 0.0)
        return simulate(job.make_model(), job.manoeuvre, sample=sample, progress=watch)

    with executor(threads) as pool:
        futures: list[Future[Run]] = [pool.submit(drive, job) for job in jobs]
        try:
            pending = set(futures)
            while pending:
                done, pending = wait(pending, timeout=0.1, return_when=FIRST_EXCEPTION)
                for future in done:
                    future.result()
                if finished is not None:
                    finished(len(futures) - len(pending))
            return [future.result() for future in futures]
        finally:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
