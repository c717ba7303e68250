"""Work side by side: as many jobs at a time as asked for, answers in order, errors passed on."""

from __future__ import annotations

import os
import threading

import pytest

from trackrod.core.executors import executor, worker_count


def test_as_many_as_asked_for_or_as_there_are_processors() -> None:
    assert worker_count(3) == 3
    assert worker_count() == worker_count(None) == (os.cpu_count() or 1)


def test_so_many_jobs_run_at_a_time() -> None:
    """Three jobs that wait for each other come to an end, because there are three workers; two would wait for ever."""
    meeting = threading.Barrier(3)
    with executor(3) as pool:
        arrivals = list(pool.map(lambda _: meeting.wait(timeout=10), range(3)))
    assert sorted(arrivals) == [0, 1, 2]


def test_no_more_than_asked_for() -> None:
    """One worker does everything in one thread."""
    with executor(1) as pool:
        names = set(pool.map(lambda _: threading.current_thread().name, range(20)))
    assert len(names) == 1


def test_answers_come_in_order_and_errors_are_passed_on() -> None:
    with executor(2) as pool:
        assert list(pool.map(lambda k: 10 // k, (1, 2, 5))) == [10, 5, 2]
        with pytest.raises(ZeroDivisionError):
            list(pool.map(lambda k: 10 // k, (1, 0)))
