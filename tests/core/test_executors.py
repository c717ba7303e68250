"""Work side by side: as many jobs at a time as asked for, answers in order, errors passed on."""

from __future__ import annotations

import os
import subprocess
import sys
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


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted in /proc")
@pytest.mark.parametrize(("chosen", "threads"), [({}, 1), ({"OPENBLAS_NUM_THREADS": "2"}, 2)])
def test_linear_algebra_makes_no_threads_besides_unless_the_user_wants_them(
    chosen: dict[str, str], threads: int
) -> None:
    if (os.cpu_count() or 1) < threads:
        pytest.skip("one processor")
    code = "import os, trackrod.fit.estimate; print(len(os.listdir('/proc/self/task')))"
    others = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    told = subprocess.run([sys.executable, "-c", code], env=others | chosen, capture_output=True, text=True, check=True)
    assert (int(told.stdout) > 1) == (threads > 1)
