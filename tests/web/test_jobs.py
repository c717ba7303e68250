"""The queue on disk: order, exit codes, stop and pause, and what a server finds that starts anew."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from trackrod.core.errors import InputError
from trackrod.web.jobs import Job, Queue, State
from trackrod.web.workspace import Workspace

SHORT = ("manoeuvres",)
#: A job that takes a while wherever it runs, and is quick to begin.
LONG = ("realtime", "double_wishbone_car", "--duration", "60")


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


def until(queue: Queue, what: Callable[[], bool], seconds: float = 600.0) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, [job.to_plain() for job in queue.jobs()]
        queue.step()
        time.sleep(0.05)


def test_jobs_run_one_after_the_other(workspace: Workspace) -> None:
    queue = Queue(workspace)
    first = queue.add("list", "manoeuvres", SHORT)
    second = queue.add("wrong", "no such vehicle", ("inspect", "no_such_vehicle"))
    queue.step()
    assert [queue.job(n).state for n in (1, 2)] == [State.RUNNING, State.QUEUED]
    queue.wait(600)
    assert (queue.job(1).state, queue.job(1).code) == (State.DONE, 0)
    assert (queue.job(2).state, queue.job(2).code) == (State.FAILED, 2)
    assert "random_road" in queue.log(first)
    assert "$ trackrod inspect no_such_vehicle" in queue.log(second)
    assert "no_such_vehicle" in queue.log(second).split("\n", 1)[1]
    again = Queue(workspace)
    assert [job.to_plain() for job in again.jobs()] == [job.to_plain() for job in queue.jobs()]
    queue.resume(2)
    queue.wait(600)
    assert queue.job(2).state is State.FAILED
    queue.remove(2)
    assert [job.number for job in Queue(workspace).jobs()] == [1]
    with pytest.raises(InputError, match="no job 2"):
        queue.job(2)


def test_stop_pause_and_resume(workspace: Workspace) -> None:
    queue = Queue(workspace)
    job = queue.add("realtime", "drive", LONG)
    waiting = queue.add("list", "manoeuvres", SHORT)
    queue.stop(waiting.number)
    assert queue.job(waiting.number).state is State.STOPPED
    until(queue, lambda: "$ trackrod" in queue.log(job))
    with pytest.raises(InputError, match="running"):
        queue.remove(job.number)
    queue.pause(job.number)
    until(queue, lambda: queue.job(job.number).state is State.PAUSED)
    queue.step()
    assert queue.job(job.number).state is State.PAUSED  # nothing begins it but a person
    queue.resume(job.number)
    until(queue, lambda: queue.log(job).count("$ trackrod") == 2)
    queue.stop(job.number)
    until(queue, lambda: queue.job(job.number).state.is_over)
    assert queue.job(job.number).state is State.STOPPED
    queue.resume(job.number)
    queue.step()
    queue.stop(job.number)  # before the worker can hear a signal
    until(queue, lambda: queue.job(job.number).state.is_over)
    assert queue.job(job.number).state is State.STOPPED


def test_what_was_cut_off_begins_again_and_what_still_runs_is_left_alone(workspace: Workspace) -> None:
    queue = Queue(workspace)
    job = queue.add("realtime", "drive", LONG)
    until(queue, (queue.folder(job) / "pid").exists)
    pid = int((queue.folder(job) / "pid").read_text())
    orphan = Queue(workspace)  # as after a server that was killed: the worker lives on
    orphan.step()
    assert orphan.job(job.number).state is State.RUNNING
    assert orphan.job(job.number).beginnings == 1
    os.kill(pid, signal.SIGKILL)
    queue._processes[job.number].wait()
    fresh = Queue(workspace)
    until(fresh, lambda: fresh.job(job.number).beginnings == 2)
    fresh.stop(job.number)
    until(fresh, lambda: fresh.job(job.number).state.is_over)
    # a job whose worker dies again and again is not begun for ever
    (fresh.folder(job) / "result.json").unlink(missing_ok=True)
    broken = {**fresh.job(job.number).to_plain(), "state": "running", "beginnings": 5}
    (fresh.folder(job) / "job.json").write_text(json.dumps(broken))
    last = Queue(workspace)
    last.step()
    assert last.job(job.number).state is State.FAILED


def test_a_job_that_was_just_begun_is_not_begun_again(workspace: Workspace) -> None:
    """The server is killed in the moment in which it begins a worker: before the worker can do anything, or even
    before it is written that it runs. The next server sees that somebody is at it."""
    queue = Queue(workspace)
    job = queue.add("realtime", "drive", LONG)
    queue.step()  # a process is born; it cannot have come far
    for state in (State.RUNNING, State.QUEUED):
        told = {**queue.job(job.number).to_plain(), "state": str(state)}
        (queue.folder(job) / "job.json").write_text(json.dumps(told))
        fresh = Queue(workspace)
        fresh.step()
        assert fresh.job(job.number).state is State.RUNNING
        assert fresh.job(job.number).beginnings == 1
        assert fresh._processes == {}
    queue.close()
    assert queue.log(job).count("$ trackrod") <= 1


def test_a_server_that_ends_leaves_its_jobs_to_the_next(workspace: Workspace) -> None:
    queue = Queue(workspace)
    job = queue.add("realtime", "drive", LONG)
    until(queue, lambda: "$ trackrod" in queue.log(job))
    queue.close()
    assert Queue(workspace).job(job.number).state is State.QUEUED


def test_a_worker_does_not_run_twice(workspace: Workspace) -> None:
    queue = Queue(workspace)
    job = queue.add("realtime", "drive", LONG)
    until(queue, (queue.folder(job) / "pid").exists)
    second = [sys.executable, "-m", "trackrod.web.worker", str(queue.folder(job))]
    assert subprocess.run(second, check=False, capture_output=True, timeout=600).returncode == 1
    queue.close()


def test_folders_of_others_are_left_alone(workspace: Workspace) -> None:
    for name, text in (("0007", "{"), ("notes", "{}"), ("0009", json.dumps(Job(8, "a", "b", ()).to_plain()))):
        (workspace.jobs_folder / name).mkdir()
        (workspace.jobs_folder / name / "job.json").write_text(text)
    assert Queue(workspace).jobs() == []


def test_files_of_a_job_stay_in_its_folder(workspace: Workspace) -> None:
    queue = Queue(workspace)
    with pytest.raises(InputError, match="not in the workspace"):
        queue.add("x", "x", SHORT, files={"../../../evil.toml": "x"})
    job = queue.add("x", "x", SHORT, files={"study.toml": "[study]\n"})
    assert (queue.folder(job) / "study.toml").read_text() == "[study]\n"
    with pytest.raises(InputError, match="not in the workspace"):
        queue.output_bytes(job, "../../../../etc/passwd")
