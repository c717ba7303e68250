"""The table of a campaign is one, whoever drives it, in whatever order, however often it is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trackrod.campaign.folder import CampaignFolder
from trackrod.campaign.plan import unpacked
from trackrod.campaign.runner import Ended, _Rules, drive_campaign
from trackrod.campaign.statistics import counts, spread, variance_shares
from trackrod.campaign.table import CampaignTable
from trackrod.core.errors import InputError, MissingExtraError
from trackrod.core.executors import ExecutorKind, stop_requested, workers_of
from trackrod.manoeuvres.registry import manoeuvre
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.spec import RtmSpec
from trackrod.simulate.drive import simulate
from trackrod.workflow.campaign import open_campaign, replay_run, run_campaign

Write = Callable[..., Path]

SIGNALS = "[outputs]\nsignals = ['yaw_rate_radps', 'ay_mps2']\nevery = 10\n"


def content(folder: CampaignFolder) -> dict[str, bytes]:
    files = [*folder.runs.iterdir(), *(folder.signals.iterdir() if folder.signals.is_dir() else ())]
    return {str(path.relative_to(folder.path)): path.read_bytes() for path in files}


class Backwards:
    """A worker that always does the last job that it was given first."""

    count = 4

    def __init__(self) -> None:
        self._jobs: list[tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]] = []

    def share(self, thing: Any) -> Any:
        return thing

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        made: Future[Any] = Future()
        self._jobs.append((made, function, arguments))
        if len(self._jobs) == self.count:
            for future, call, given in reversed(self._jobs):
                future.set_result(call(*given))
            self._jobs = []
        return made


def test_the_table_is_the_same_whoever_drives_it(campaign_file: Write) -> None:
    path = campaign_file(SIGNALS)
    one, summary = run_campaign(path, workers=1)
    assert (summary.ended, summary.runs, summary.driven) == (Ended.ALL, 8, 8)
    two, _ = run_campaign(path, out=path.parent / "two", workers=2)
    other = CampaignFolder(path.parent / "other")
    other.write(one.plan())
    drive_campaign(other, Backwards())
    assert content(one) == content(two) == content(other)
    assert len(content(one)) == 8
    assert run_campaign(path)[1].driven == 0, "what is done is not done again"


def test_a_row_is_what_the_vehicle_drives(campaign_file: Write, car: RtmSpec) -> None:
    """A run made by hand from what the table says was drawn, without anything of the campaign."""
    path = campaign_file("[outputs]\nsignals = ['yaw_rate_radps']\n", points=4)
    table = CampaignTable(run_campaign(path)[0])
    row = table.row(2)
    assert row is not None
    vehicle = RealTimeVehicle(
        car.with_parameters(sprung_mass=car.parameters["sprung_mass"] * row["in_sprung_mass_factor"])
    )
    settings = {"steering_wheel_angle_deg": "20", "hold_s": "1.5", "speed_kmh": repr(row["in_step_speed_kmh"])}

    def on_the_road(factors: object) -> None:
        RealTimeVehicle.set_friction(vehicle, row["in_friction"])

    vehicle.set_friction = on_the_road  # type: ignore[method-assign]
    run = simulate(vehicle, manoeuvre("step_steer", settings))
    assert row["status"] == "completed"
    assert row["largest_ay_mps2"] == np.abs(run["ay_mps2"]).max()
    kept = {item["run"]: item for item in table.signals.to_table().to_pylist()}[2]
    assert kept["yaw_rate_radps"] == run["yaw_rate_radps"].tolist()


def test_a_run_can_be_driven_again_by_its_number(campaign_file: Write) -> None:
    path = campaign_file()
    folder, _ = run_campaign(path)
    found = replay_run(open_campaign(path), 5)
    assert found.kept is not None
    assert found.differences == ()
    assert found.run is not None
    assert found.run.metadata["inputs"]["in_friction"] == found.kept["in_friction"]
    for number in (-1, 8):
        with pytest.raises(InputError, match="0 to 7"):
            replay_run(folder, number)


@contextmanager
def driven(path: Path, *more: str) -> Iterator[subprocess.Popen[bytes]]:
    """The command, in a process of its own."""
    command = [sys.executable, "-m", "trackrod", "campaign", "run", str(path), "--json", "--workers", "1", *more]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def wait_for_tasks(folder: CampaignFolder, number: int, process: subprocess.Popen[bytes]) -> None:
    while len(folder.done()) < number and process.poll() is None:
        time.sleep(0.002)


def test_a_killed_campaign_goes_on_where_it_was(campaign_file: Write) -> None:
    """Killed as soon as another task is there, and while it is being written as often as not; in the end one table."""
    path = campaign_file(SIGNALS, points=6, per_task=1)
    whole, _ = run_campaign(path, out=path.parent / "whole")
    folder = CampaignFolder(path.with_name("small_campaign"))
    folder.write(whole.plan())
    written: dict[str, float] = {}
    for number in (1, 3):
        with driven(path) as process:
            wait_for_tasks(folder, number, process)
            process.send_signal(signal.SIGKILL)
            process.wait()
        now = {file.name: file.stat().st_mtime_ns for file in folder.runs.glob("[0-9]*.parquet")}
        assert {name: now[name] for name in written} == written, "what is done is not written again"
        written = now
    (folder.runs / ".000005.0123.tmp.parquet").write_bytes(b"half a file")
    _, summary = run_campaign(path)
    assert summary.driven == 6 - len(written) < 6
    assert content(folder) == content(whole)


def test_ctrl_c_leaves_a_folder_that_goes_on(campaign_file: Write) -> None:
    path = campaign_file(points=64, per_task=1)
    folder = CampaignFolder(path.with_name("small_campaign"))
    with driven(path) as process:
        wait_for_tasks(folder, 2, process)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert 2 <= len(folder.done()) < 64
    assert not list(folder.runs.glob(".*.tmp*"))


def test_two_processes_do_not_drive_one_campaign(campaign_file: Write) -> None:
    path = campaign_file()
    folder, _ = run_campaign(path)
    with folder.locked(), pytest.raises(InputError, match="another process"):
        run_campaign(path)


def test_a_folder_holds_one_campaign(campaign_file: Write) -> None:
    path = campaign_file()
    run_campaign(path)
    path.write_text(path.read_text().replace("seed = 5", "seed = 6"))
    with pytest.raises(InputError, match="'seed' was 5, the file says 6"):
        run_campaign(path)


def test_a_rule_ends_it_at_the_same_run_for_everybody(campaign_file: Write) -> None:
    """What was driven beyond the task that a rule ends at is dropped: workers ahead of the others change nothing."""
    rule = "[stop]\nafter = 4\n[stop.half_width]\nlargest_ay_mps2 = 1.0\n"
    path = campaign_file(rule, points=16)
    one, summary = run_campaign(path, workers=1)
    assert (summary.ended, summary.runs) == (Ended.PRECISE, 4)
    other = CampaignFolder(path.parent / "other")
    other.write(one.plan())
    assert drive_campaign(other, Backwards()).ended is Ended.PRECISE
    assert content(one) == content(other)
    assert run_campaign(path)[1].driven == 0
    found = spread(CampaignTable(one), "largest_ay_mps2", "car", "step")
    assert found.half_width == pytest.approx(1.959963984540054 * found.values.std(ddof=1) / 2.0)


def test_rules_look_at_tasks_in_their_order(campaign_file: Write) -> None:
    """As long as the first task is missing nothing is decided, whatever else is there."""
    rule = "[stop]\nafter = 4\n[stop.half_width]\nlargest_ay_mps2 = 1.0\n"
    path = campaign_file(rule.replace("1.0", "0.0"), points=8)
    folder, _ = run_campaign(path)
    plan = folder.plan()
    wide = replace(plan.description.stop, half_width={"largest_ay_mps2": 1.0})
    rules = _Rules(replace(plan, description=replace(plan.description, stop=wide)), folder)
    assert rules.look({1, 2, 3}) is None
    assert rules.last == -1
    assert rules.look({0, 1, 2, 3}) is Ended.PRECISE
    assert rules.last == 1


def test_too_many_failures_end_it(campaign_file: Write) -> None:
    rule = "[stop]\nafter = 2\nfailed_share = 0.4\n[vary.brake_front]\ndistribution = 'choice'\nvalues = [1000.0]\n"
    path = campaign_file(rule, points=8)
    text = path.read_text().replace('manoeuvre = "step_steer"\n', 'manoeuvre = "step_steer"\n# 400 km/h is too fast\n')
    path.write_text(
        text.replace("speed_kmh = 60\n", "speed_kmh = 299\n").replace(
            "low = 40\nmode = 60\nhigh = 70", "low = 290\nmode = 295\nhigh = 299"
        )
    )
    folder, summary = run_campaign(path)
    assert (summary.ended, summary.runs) == (Ended.FAILED, 2)
    told = counts(CampaignTable(folder))
    assert told.statuses == {"failed": 2}
    assert "did not settle" in next(iter(told.reasons))


def test_time_that_is_over_leaves_the_rest_for_the_next_call(campaign_file: Write) -> None:
    path = campaign_file("[stop]\nseconds = 0\n", points=40, per_task=1)
    _, summary = run_campaign(path, workers=1)
    assert summary.ended is Ended.TIME
    assert 0 < summary.runs < 40


def test_only_a_few_tasks_are_given_out_at_a_time(campaign_file: Write) -> None:
    """Memory does not grow with the number of runs: neither jobs nor results pile up."""
    path = campaign_file(points=12, per_task=1)
    folder, _ = run_campaign(path)
    plan, kept = folder.plan(), CampaignFolder(path.parent / "kept")
    kept.write(plan)
    given = most = 0

    class Counting(Backwards):
        count = 1

        def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
            nonlocal given, most
            given += 1
            most = max(most, given - len(kept.done()))
            future: Future[Any] = Future()
            future.set_result(function(*arguments))
            return future

    drive_campaign(kept, Counting())
    assert given == 12
    assert most == 2


def test_the_table_is_read_as_it_is_asked(campaign_file: Write) -> None:
    duckdb = pytest.importorskip("duckdb")
    del duckdb
    table = CampaignTable(run_campaign(campaign_file())[0])
    friction = table.column("in_friction")
    assert friction.size == len(table) == 8
    assert table.query("select min(in_friction), count(*) from runs").fetchall() == [(friction.min(), 8)]
    assert table.dataset.count_rows() == 8
    assert table.column("run", {"manoeuvre": "step"}).tolist() == list(range(8))
    assert table.column("run", {"manoeuvre": "stop"}).size == 0
    assert table.columns["largest_ay_mps2"] == "m/s²"


def test_shares_of_variance_follow_from_saltellis_scheme(campaign_file: Write) -> None:
    """Lateral acceleration at a given angle of the steering wheel: the speed does most of it, the friction nothing."""
    path = campaign_file("[outputs]\nvalues = ['largest_ay_mps2']\n", sampling="saltelli", points=8, per_task=8)
    table = CampaignTable(run_campaign(path)[0])
    assert table.plan.runs == 8 * 5
    found = variance_shares(table, ("largest_ay_mps2",), "car", "step")
    assert found is not None
    assert (found.parameters, found.base_points) == (("friction", "sprung_mass", "step.speed_kmh"), 8)
    assert found.total[0, 2] > 0.8 > 0.1 > found.total[0, 0]


def test_a_worker_of_another_version_is_refused(campaign_file: Write) -> None:
    folder, _ = run_campaign(campaign_file(points=1))
    with pytest.raises(InputError, match=r"0\.0\.1"):
        unpacked(replace(folder.shipped(), trackrod="0.0.1"))


def test_jobs_are_told_when_they_are_no_longer_wanted() -> None:
    begun = threading.Event()

    def job() -> bool:
        begun.set()
        while not stop_requested():
            time.sleep(0.001)
        return True

    with workers_of(ExecutorKind.THREADS, count=1) as workers:
        future = workers.submit(job)
        assert begun.wait(10)
        assert not future.done()
    assert future.result() is True
    assert not stop_requested()


@pytest.mark.parametrize(
    ("kind", "address", "says"),
    [
        ("threads", "tcp://here:1", "for the executor dask"),
        ("dask", None, "needs the address"),
        ("gpu", None, "no executor 'gpu'"),
    ],
)
def test_wrong_executors_are_refused(campaign_file: Write, kind: str, address: str | None, says: str) -> None:
    with pytest.raises(InputError, match=says):
        run_campaign(campaign_file(), executor=kind, address=address)


def test_without_parquet_it_says_what_to_install(campaign_file: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"trackrod\[data\]"):
        run_campaign(campaign_file())


# ---- a cluster


@contextmanager
def cluster(workers: int, folder: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A Dask scheduler and workers, each a process of its own, on this machine."""
    pytest.importorskip("distributed")
    file = folder / "scheduler.json"
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    environment = {**os.environ, "DASK_DISTRIBUTED__WORKER__MEMORY__TERMINATE": "false"}
    dask = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0"]
    processes = [subprocess.Popen([*dask, "--no-dashboard", "--scheduler-file", str(file)], env=environment, **quiet)]
    try:
        one = [sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", str(file)]
        one += ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(folder)]
        processes += [subprocess.Popen(one, env=environment, **quiet) for _ in range(workers)]
        while not file.exists():
            assert processes[0].poll() is None
            time.sleep(0.05)
        yield str(file), processes[1:]
    finally:
        for process in processes:
            process.kill()
            process.wait()


@pytest.mark.slow
def test_a_cluster_that_loses_a_worker_makes_the_table_of_threads(campaign_file: Write) -> None:
    path = campaign_file(SIGNALS, points=24, per_task=1)
    threads, _ = run_campaign(path)
    with cluster(2, path.parent) as (address, workers):
        lost: list[int] = []

        def lose(now: Any) -> None:
            if now.runs >= 4 and not lost:
                lost.append(now.runs)
                os.kill(workers[0].pid, signal.SIGKILL)

        folder, summary = run_campaign(path, out=path.parent / "dask", executor="dask", address=address, progress=lose)
        assert lost
        assert lost[0] < 24
        assert workers[0].wait() == -signal.SIGKILL
        assert workers[1].poll() is None
    assert summary.driven == 24
    assert content(folder) == content(threads)


def test_nobody_at_the_address_is_said_at_once(campaign_file: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("trackrod.core.executors._PATIENCE", 0.5)
    path = campaign_file()
    with pytest.raises(InputError, match="no scheduler answers"):
        run_campaign(path, executor="dask", address="tcp://127.0.0.1:1")
    assert not path.with_name("small_campaign").exists()
