"""The process of one job: runs its command as the command line does, then makes what pages draw of it."""

from __future__ import annotations

import json
import os
import runpy
import signal
import sys
import traceback
from pathlib import Path

from trackrod.core.errors import TrackrodError
from trackrod.core.files import write_atomically
from trackrod.web.jobs import Job
from trackrod.web.workspace import Lock
from trackrod.workflow.progress_file import PROGRESS_VARIABLE

__all__ = ["main", "run_command"]


def run_command(command: tuple[str, ...]) -> int:
    """Run what follows ``trackrod`` in this process; its exit code."""
    sys.argv = ["trackrod", *command]
    try:
        runpy.run_module("trackrod", run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
    return 0


def main(folder: Path, handle: int | None = None) -> int:
    """Run the job of a folder; the exit code of its command, or 1 if the process is not to run.

    Parameters
    ----------
    folder
        Of the job.
    handle
        The lock of the folder, inherited; taken here if there is none.
    """
    lock = Lock(folder / "lock")
    if handle is not None:
        os.set_inheritable(handle, False)  # for this process alone, not for what it begins
    elif not lock.take():
        return 1  # another worker is at it
    signal.signal(signal.SIGINT, signal.default_int_handler)  # also where it was ignored by who began the server
    write_atomically(folder / "pid", str(os.getpid()))
    os.environ[PROGRESS_VARIABLE] = str(folder / "progress.json")
    os.environ.setdefault("COLUMNS", "110")
    if hasattr(os, "nice"):
        os.nice(5)  # pages come first
    job = Job.of(json.loads((folder / "job.json").read_text(encoding="utf-8")))
    print(f"$ {job.shown_command}", flush=True)
    try:
        code = 130 if (folder / "stop").exists() else run_command(job.command)
        if code == 0 or (code == 1 and job.kind == "inspect"):  # a vehicle with errors is shown with them
            signal.signal(signal.SIGINT, signal.default_int_handler)
            from trackrod.web.views import make_views  # noqa: PLC0415 - after the command, which may not need it

            make_views(job, folder)
    except KeyboardInterrupt:
        code = 130
    except TrackrodError as error:
        print(error, file=sys.stderr)
        code = 1
    except Exception:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    write_atomically(folder / "result.json", json.dumps({"code": code}))
    return code


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), *map(int, sys.argv[2:3])))
