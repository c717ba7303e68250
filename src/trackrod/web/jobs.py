"""Jobs: commands that run in processes of their own, one folder each, in a queue that is kept on disk.

A job is a command line. Its folder holds ``job.json`` (what is asked, written by the server alone), ``log.txt``,
``progress.json``, ``result.json`` (the exit code, written by the worker alone when it ends) and ``out`` (what the
command wrote). A worker holds the lock of its folder from its birth to its death: a server that starts anew sees from
the folder alone what is done, what still runs and what was cut off, and begins the last again.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from trackrod.core.errors import InputError, Problem
from trackrod.core.files import write_atomically
from trackrod.core.plain import pretty_json
from trackrod.web.workspace import Lock, Workspace

__all__ = ["Job", "Progress", "Queue", "State"]

#: How often a job is begun again after it was cut off, and how much of a log is shown [byte].
_MOST_BEGINNINGS = 5
_TAIL = 20_000
#: Jobs that a workspace holds.
_MOST_JOBS = 2000
#: What a command may read of a result that is too large to be one [byte].
_LARGEST = 64 * 2**20


class State(StrEnum):
    """Where a job stands."""

    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"

    @property
    def is_over(self) -> bool:
        """Whether nothing more happens by itself."""
        return self in (State.DONE, State.FAILED, State.STOPPED)


@dataclass(frozen=True, slots=True)
class Job:
    """A command and what became of it.

    Attributes
    ----------
    number
        Counts up; the name of the folder.
    kind
        Which page it belongs to: convert, kc, …
    title
        For people.
    command
        What follows ``trackrod``; paths are from the folder of the job.
    vehicle
        Key of the vehicle that it is about.
    state
        Where it stands.
    code
        Exit code of the command; None before it ended.
    beginnings
        How often it was begun.
    """

    number: int
    kind: str
    title: str
    command: tuple[str, ...]
    vehicle: str = ""
    state: State = State.QUEUED
    code: int | None = None
    beginnings: int = 0

    @property
    def name(self) -> str:
        """Of its folder."""
        return f"{self.number:04d}"

    @property
    def shown_command(self) -> str:
        """As it is typed in the folder of the job."""
        return shlex.join(("trackrod", *self.command))

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Job:
        """From plain data; KeyError, TypeError or ValueError if it is none."""
        return cls(
            number=int(data["number"]),
            kind=str(data["kind"]),
            title=str(data["title"]),
            command=tuple(str(part) for part in data["command"]),
            vehicle=str(data.get("vehicle", "")),
            state=State(data["state"]),
            code=None if data.get("code") is None else int(data["code"]),
            beginnings=int(data.get("beginnings", 0)),
        )

    def to_plain(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "number": self.number,
            "kind": self.kind,
            "title": self.title,
            "command": list(self.command),
            "vehicle": self.vehicle,
            "state": str(self.state),
            "code": self.code,
            "beginnings": self.beginnings,
        }


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job is.

    Attributes
    ----------
    share
        Of the whole, 0 to 1; None where nothing is known.
    title, what
        The stage, and what it does now.
    search
        Rows of seconds, evaluations and the objective [%].
    best
        Parameters of the best point so far by name: −1 and 1 are their bounds, 0 is the nominal value.
    """

    share: float | None = None
    title: str = ""
    what: str = ""
    search: tuple[tuple[float, float, float], ...] = ()
    best: Mapping[str, float] = field(default_factory=dict)


class Queue:
    """The jobs of a workspace; the one place that starts processes.

    Parameters
    ----------
    workspace
        Where they lie.
    workers
        How many run at a time.

    Holds: what `jobs` tells is what lies on the disk. `step` is called again and again, by a timer of the server;
    nothing else starts or ends a job.
    """

    def __init__(self, workspace: Workspace, workers: int = 1) -> None:
        self.workspace = workspace
        self.workers = workers
        self._jobs: dict[int, Job] = {}
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self._asked: dict[int, State] = {}
        for folder in sorted(workspace.jobs_folder.iterdir()):
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError):  # somebody else's folder
                job = Job.of(json.loads((folder / "job.json").read_text(encoding="utf-8")))
                if folder.name == job.name:
                    self._jobs[job.number] = job

    # --- what there is

    def jobs(self, *kinds: str) -> list[Job]:
        """The newest first; of these kinds, of all without any."""
        return [job for _, job in sorted(self._jobs.items(), reverse=True) if not kinds or job.kind in kinds]

    def job(self, number: int) -> Job:
        """By its number; InputError if there is none."""
        if number not in self._jobs:
            raise InputError(Problem(f"there is no job {number}", hint="it may have been deleted"))
        return self._jobs[number]

    def folder(self, job: Job | int) -> Path:
        """Where a job lies."""
        number = job if isinstance(job, int) else job.number
        return self.workspace.jobs_folder / f"{number:04d}"

    def out(self, job: Job | int) -> Path:
        """What its command wrote."""
        return self.folder(job) / "out"

    def progress(self, job: Job) -> Progress:
        """How far it is."""
        data = self.read(job, "progress.json")
        if not isinstance(data, Mapping) or "stage" not in data:
            return Progress(share=1.0 if job.state is State.DONE else None)
        stages, number, share = (data.get(key, 0) for key in ("stages", "number", "share"))
        whole = 1.0 if job.state is State.DONE else min((number + min(share, 1.0)) / max(stages, 1), 0.99)
        search = tuple((float(a), float(b), float(c)) for a, b, c in data.get("search", ()))
        best = {str(name): float(value) for name, value in data.get("best", {}).items()}
        return Progress(whole, str(data.get("title", "")), str(data.get("what", "")), search, best)

    def read(self, job: Job | int, name: str) -> Any:
        """A JSON file of a job; None where it is not there, too large or none."""
        path = self.folder(job) / name
        try:
            if path.stat().st_size > _LARGEST:
                return None
            return json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None

    def log(self, job: Job) -> str:
        """The last of what it said."""
        try:
            with (self.folder(job) / "log.txt").open("rb") as stream:
                stream.seek(0, os.SEEK_END)
                stream.seek(max(stream.tell() - _TAIL, 0))
                return stream.read().decode("utf-8", "replace")
        except OSError:
            return ""

    def output_bytes(self, job: Job, name: str) -> bytes | None:
        """A file that the command wrote; None where it is not there."""
        try:
            return self.workspace.inside(self.out(job), name).read_bytes()
        except OSError:
            return None

    # --- what is asked

    def add(
        self,
        kind: str,
        title: str,
        command: Sequence[str],
        *,
        vehicle: str = "",
        files: Mapping[str, str] | None = None,
    ) -> Job:
        """One more job at the end of the queue.

        Parameters
        ----------
        kind, title, command, vehicle
            As of a job.
        files
            Texts that the command reads, by name; they are written into its folder.
        """
        taken = [int(path.name) for path in self.workspace.jobs_folder.iterdir() if path.name.isdecimal()]
        number = max(taken, default=0) + 1
        if len(self._jobs) >= _MOST_JOBS:
            raise InputError(f"the workspace holds {_MOST_JOBS} jobs already; delete some")
        job = Job(number, kind, title, tuple(command), vehicle)
        folder = self.folder(job)
        given = {self.workspace.inside(folder, name): text for name, text in (files or {}).items()}
        (folder / "out").mkdir(parents=True)
        for path, text in given.items():
            write_atomically(path, text)
        self._keep(job)
        return job

    def stop(self, number: int) -> None:
        """As Ctrl-C: a search ends with its best point and the study goes on; anything else ends."""
        self._end(number, State.STOPPED, signal.SIGINT)

    def pause(self, number: int) -> None:
        """End the process now; what it has computed is kept, and `resume` goes on from there."""
        self._end(number, State.PAUSED, signal.SIGTERM)

    def resume(self, number: int) -> None:
        """Queue a job again that is paused, stopped or failed."""
        job = self.job(number)
        if job.state in (State.PAUSED, State.STOPPED, State.FAILED):
            (self.folder(job) / "result.json").unlink(missing_ok=True)
            self._asked.pop(number, None)
            self._keep(replace(job, state=State.QUEUED, code=None, beginnings=0))

    def remove(self, number: int) -> None:
        """Delete a job that does not run, with all that it wrote."""
        job = self.job(number)
        if job.state is State.RUNNING:
            raise InputError(Problem("the job is running", hint="stop it first"))
        shutil.rmtree(self.folder(job), ignore_errors=True)
        self._jobs.pop(number, None)

    # --- what happens

    def step(self) -> bool:
        """See what has ended and begin what may begin; whether anything changed."""
        before = dict(self._jobs)
        for job in self.jobs():
            if job.state is State.RUNNING:
                self._look_after(job)
        running = sum(job.state is State.RUNNING for job in self._jobs.values())
        for job in reversed(self.jobs()):
            if job.state is State.QUEUED and running < self.workers:
                self._begin(job)
                running += 1
        return before != self._jobs

    def close(self) -> None:
        """End what runs, to be resumed by the next server."""
        for number, process in list(self._processes.items()):
            if process.poll() is None:
                process.terminate()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(5)
            self._look_after(self._jobs[number], closing=True)

    def _begin(self, job: Job) -> None:
        folder = self.folder(job)
        lock = Lock(folder / "lock")
        if not lock.take():  # a server that was killed in this moment has begun it
            self._keep(replace(job, state=State.RUNNING))
            return
        for name in ("result.json", "progress.json", "stop", "pid"):
            (folder / name).unlink(missing_ok=True)

        def begin(handles: tuple[int, ...]) -> None:
            command = [sys.executable, "-m", "trackrod.web.worker", str(folder), *map(str, handles)]
            with (folder / "log.txt").open("ab") as log:
                self._processes[job.number] = subprocess.Popen(
                    command,
                    cwd=folder,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    pass_fds=handles,
                    start_new_session=True,  # Ctrl-C in the terminal of the server is for the server
                )

        lock.hand_over(begin)
        self._keep(replace(job, state=State.RUNNING, code=None, beginnings=job.beginnings + 1))

    def _look_after(self, job: Job, *, closing: bool = False) -> None:
        process = self._processes.get(job.number)
        if process is not None and process.poll() is None:
            return
        if process is None and Lock(self.folder(job) / "lock").is_held():
            return  # of an earlier server, still at work
        self._processes.pop(job.number, None)
        result = self.read(job, "result.json")
        asked = self._asked.pop(job.number, None)
        if isinstance(result, Mapping) and isinstance(result.get("code"), int):
            code = int(result["code"])
            over = State.DONE if code == 0 else State.STOPPED if code == 130 else State.FAILED
            self._keep(replace(job, state=over, code=code))
        elif asked is not None:
            self._keep(replace(job, state=asked))
        elif closing or process is None:  # cut off together with its server: begin again
            again = job.beginnings < _MOST_BEGINNINGS
            self._keep(replace(job, state=State.QUEUED if again else State.FAILED))
        else:
            self._keep(replace(job, state=State.FAILED, code=process.returncode))

    def _end(self, number: int, state: State, how: signal.Signals) -> None:
        job = self.job(number)
        if job.state is State.QUEUED:
            self._keep(replace(job, state=state))
        elif job.state is State.RUNNING:
            self._asked[number] = state
            if state is State.STOPPED:  # a worker that cannot hear yet finds it when it begins
                write_atomically(self.folder(job) / "stop", "")
            if (pid := self._pid(job)) is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, how)

    def _pid(self, job: Job) -> int | None:
        """Of the worker, also of one that an earlier server began; None if it is gone."""
        if (process := self._processes.get(job.number)) is not None:
            return process.pid if process.poll() is None else None
        if not Lock(self.folder(job) / "lock").is_held():
            return None
        with contextlib.suppress(OSError, ValueError):
            return int((self.folder(job) / "pid").read_text())
        return None

    def wait(self, seconds: float) -> None:
        """Step until nothing is queued or running, or the time is over; for tests and scripts."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.step()
            if all(job.state not in (State.QUEUED, State.RUNNING) for job in self._jobs.values()):
                return
            time.sleep(0.05)

    def _keep(self, job: Job) -> None:
        write_atomically(self.folder(job) / "job.json", pretty_json(job.to_plain()))
        self._jobs[job.number] = job
