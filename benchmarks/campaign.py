"""Campaigns on this machine: how fast, what limits it, and whether the table is the same after everything.

    python -m benchmarks.campaign speed
    python -m benchmarks.campaign kills [--kills 20]
    python -m benchmarks.campaign dask
    python -m benchmarks.campaign posterior STUDY [--runs 256]

``speed`` drives the same step steers with one thread and with one for each processor, and tells how much of a run the
core takes. ``kills`` kills the process of a campaign again and again and compares the table with an undisturbed one.
``dask`` drives it with one and with two workers, each a process of its own, and again with a worker that is killed.
``posterior`` compares the spread of response times that follows from the covariance of a study with one by brute force:
other random numbers, the whole conversion for each draw in place of its linearisation, a loop in place of the campaign.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trackrod.adams.source import open_vehicle
from trackrod.campaign.circumstances import VehicleInSurroundings
from trackrod.campaign.folder import CampaignFolder
from trackrod.campaign.runner import Progress, drive_campaign
from trackrod.campaign.table import CampaignTable
from trackrod.convert.conversion import convert
from trackrod.core.artefact import load
from trackrod.core.executors import ExecutorKind, workers_of
from trackrod.manoeuvres.steering import StepSteer
from trackrod.metrics.step import step_steer_values
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.spec import RTM
from trackrod.simulate.drive import simulate
from trackrod.tune.space import SPLIT_FACTORS, SplitFactors, TuningSpace, tuning_space
from trackrod.workflow.campaign import prepare_campaign, run_campaign
from trackrod.workflow.map_range import kc_maps
from trackrod.workflow.study_folder import StudyFolder

Array = NDArray[np.float64]

#: Steps of the integration in which a vehicle comes to rest before each run.
SETTLING = 8000
VAN = """
seed = 1
sampling = "sobol"
points = {points}
runs_per_task = {per_task}

[models.van]
source = "{source}"
{model}

[manoeuvres.step]
manoeuvre = "step_steer"
speed_kmh = 80
steering_wheel_angle_deg = 45
{more}
"""
VARY = """
[vary.friction]
distribution = "uniform"
low = 0.5
high = 1.0

[vary.sprung_mass]
distribution = "normal"
as = "factor"
mean = 1.0
deviation = 0.05
"""


def begin(folder: Path, name: str, *, points: int, per_task: int, source: str = "lcv_7t", study: bool = False) -> Path:
    """The file of a campaign."""
    path = folder / f"{name}.toml"
    model, more = ("posterior = true", "") if study else ("", VARY)
    path.write_text(VAN.format(points=points, per_task=per_task, source=source, model=model, more=more))
    return path


def digest(folder: CampaignFolder) -> str:
    """Hash of all files of the table."""
    total = hashlib.sha256()
    for task in sorted(folder.done()):
        total.update(folder.task_file(task).read_bytes())
    return total.hexdigest()[:16]


def copy_of(folder: CampaignFolder, path: Path) -> CampaignFolder:
    """The same campaign, not driven yet."""
    made = CampaignFolder(path)
    made.write(folder.plan())
    return made


class Timed(VehicleInSurroundings):
    """Knows the processor time of its steps [s]."""

    used = 0.0

    def advance_rows(self, controls: Array, every: int, road_heights: Array | None = None) -> Array:
        """As of any vehicle."""
        began = time.thread_time()
        try:
            return super().advance_rows(controls, every, road_heights)
        finally:
            self.used += time.thread_time() - began


def speed(folder: Path) -> None:
    first = prepare_campaign(begin(folder, "speed", points=64, per_task=4))
    plan = first.plan()
    (each,) = plan.circumstances(range(1))
    plan.drive(each)
    vehicle, processor = plan.vehicle(each), time.process_time()
    vehicle.settle()
    settling = time.process_time() - processor
    processor = time.process_time()
    plan.drive(each)
    whole = time.process_time() - processor
    timed = Timed(plan.specs["van"], step=plan.description.step, surroundings={})
    simulate(timed, StepSteer(speed_kmh=80.0, steering_wheel_angle_deg=45.0))
    print(f"processor time of a run: {1e3 * whole:.0f} ms: settling {1e3 * settling:.0f} ms and the other steps")
    print(f"{1e3 * timed.used:.0f} ms in the core, the rest (driver, events, values) in Python")
    rates = {}
    for threads in sorted({1, os.cpu_count() or 1}):
        target = copy_of(first, folder / f"threads_{threads}")
        processor = time.process_time()
        with workers_of(ExecutorKind.THREADS, count=threads) as workers:
            summary = drive_campaign(target, workers)
        used = time.process_time() - processor
        steps = float(CampaignTable(target).column("steps").sum()) + SETTLING * summary.runs
        rates[threads] = summary.runs / summary.seconds
        print(f"{threads} threads: {rates[threads]:.2f} runs/s, {steps / summary.seconds:.3g} steps/s by the clock")
        print(f"  by second of a processor: {summary.runs / used:.2f} runs, {steps / used:.3g} vehicle-steps")
        print(f"  table {digest(target)}")


def kills(folder: Path, count: int) -> None:
    path = begin(folder, "kills", points=64, per_task=1)
    whole = copy_of(prepare_campaign(path), folder / "whole")
    with workers_of(ExecutorKind.THREADS) as workers:
        drive_campaign(whole, workers)
    target, chance, killed = prepare_campaign(path), random.Random(0), 0
    command = [sys.executable, "-m", "trackrod", "campaign", "run", str(path), "--json"]
    while killed < count:
        goal = min(len(target.done()) + chance.randint(1, 3), 63)
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        while len(target.done()) < goal and process.poll() is None:
            time.sleep(0.001)
        time.sleep(0.05 * chance.random())
        process.send_signal(signal.SIGKILL)
        process.wait()
        killed += 1
    left = sorted(path.name for path in target.runs.glob(".*"))
    before = len(target.done())
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    print(f"killed {killed} times with {before} of 64 tasks done, {len(left)} half-written files; then finished")
    same = digest(target) == digest(whole)
    print(f"table of the undisturbed campaign {digest(whole)}, of the killed one {digest(target)}: same {same}")
    assert same


@contextmanager
def cluster(workers: int, folder: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A scheduler and workers of one thread each, every one a process."""
    file = folder / f"scheduler_{workers}_{time.monotonic_ns()}.json"
    module, quiet = [sys.executable, "-m"], {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    scheduler = ["distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
    worker = ["distributed.cli.dask_worker", "--nthreads", "1", "--no-nanny", "--no-dashboard"]
    where = ["--scheduler-file", str(file)]
    processes = [subprocess.Popen([*module, *scheduler, *where], **quiet)]  # type: ignore[call-overload]
    try:
        local = ["--local-directory", str(folder)]
        processes += [
            subprocess.Popen([*module, *worker, *where, *local], **quiet)  # type: ignore[call-overload]
            for _ in range(workers)
        ]
        while not file.exists():
            time.sleep(0.05)
        yield str(file), processes[1:]
    finally:
        for process in processes:
            process.kill()
            process.wait()


def on_cluster(
    first: CampaignFolder, path: Path, workers: int, told: Callable[[Progress, list[subprocess.Popen[bytes]]], None]
) -> tuple[CampaignFolder, float, float]:
    """Drive a campaign on a cluster: its folder, seconds from when all workers are warm, processor seconds of these."""
    target = copy_of(first, path)
    with cluster(workers, path.parent) as (address, processes), workers_of(ExecutorKind.DASK, address=address) as hands:
        while hands.count < workers:
            time.sleep(0.05)
        warm = copy_of(first, path.with_name(f"{path.name}_warm"))
        drive_campaign(warm, hands)  # imports, and models compiled
        used = [busy(process.pid) for process in processes]
        summary = drive_campaign(target, hands, progress=lambda now: told(now, processes))
        spent = sum(busy(p.pid) - u for p, u in zip(processes, used, strict=True) if p.poll() is None)
    return target, summary.seconds, spent


def busy(process: int) -> float:
    """Processor time of a process [s]."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def dask(folder: Path) -> None:
    first = prepare_campaign(begin(folder, "dask", points=128, per_task=8))
    with workers_of(ExecutorKind.THREADS) as workers:
        drive_campaign(first, workers)
    seconds = {}
    for workers in (1, 2):
        found, seconds[workers], spent = on_cluster(first, folder / f"dask_{workers}", workers, lambda _now, _all: None)
        print(f"{workers} workers: {seconds[workers]:.1f} s for 16 tasks, {seconds[workers] * workers / 16:.2f} s each")
        share = 100.0 * spent / (workers * seconds[workers])
        print(f"  workers had a processor for {spent:.1f} s, {share:.0f} % of the time; table {digest(found)}")
    print(f"efficiency with 2 workers: {100 * seconds[1] / (2 * seconds[2]):.0f} % of one twice as fast")
    lost: list[int] = []

    def lose(now: Progress, processes: list[subprocess.Popen[bytes]]) -> None:
        if now.runs >= 32 and not lost:
            lost.append(now.runs)
            processes[0].kill()

    found, _, _ = on_cluster(first, folder / "dask_lost", 2, lose)
    same = digest(found) == digest(first)
    print(f"a worker killed after {lost[0]} of 128 runs: {digest(found)}, threads {digest(first)}: same {same}")
    assert same


def posterior(folder: Path, study: Path, runs: int) -> None:
    path = begin(folder, "posterior", points=runs, per_task=16, source=str(study.resolve()), study=True)
    found, _ = run_campaign(path)
    table, plan = CampaignTable(found), found.plan()
    told = plan.posteriors["van"]
    vehicle = open_vehicle("lcv_7t").vehicle
    maps = kc_maps(vehicle, None)

    def split(factors: SplitFactors) -> dict[str, float]:
        return dict(convert(vehicle, maps, factors=factors).spec.parameters)

    tuned = load(StudyFolder(study).model, RTM).content
    chosen = tuning_space(tuned, names=told.names, split=split)
    space = TuningSpace(tuned, chosen.tunables, split)
    assert set(told.names) & set(SPLIT_FACTORS)
    rng, step = np.random.default_rng(99), StepSteer(speed_kmh=80.0, steering_wheel_angle_deg=45.0)
    times = []
    for drawn in rng.multivariate_normal(told.mean, told.covariance, size=runs):
        z = np.array([item.scaled(value) for item, value in zip(space.tunables, drawn.tolist(), strict=True)])
        values = step_steer_values(simulate(RealTimeVehicle(tuned.with_parameters(**space.parameters(z))), step))
        times.append((values.yaw_rate.response_time, values.lateral_acceleration.response_time))
    nominal = step_steer_values(simulate(RealTimeVehicle(tuned), step))
    ours = np.column_stack([table.column(f"{name}_response_time_s") for name in ("yaw_rate", "lateral_acceleration")])
    theirs = np.array(times)
    chance = 100.0 / np.sqrt(2 * runs)
    print(f"{runs} draws of {len(told.names)} parameters, each way; chance alone: {chance:.1f} % of a spread")
    tuned_times = (nominal.yaw_rate.response_time, nominal.lateral_acceleration.response_time)
    for k, name in enumerate(("yaw rate", "lateral acceleration")):
        print(f"response time of the {name}: tuned {1e3 * tuned_times[k]:.1f} ms")
        for way, found_times in (("campaign", ours[:, k]), ("brute force", theirs[:, k])):
            mean, deviation = 1e3 * found_times.mean(), 1e3 * found_times.std(ddof=1)
            print(f"  {way:12s} {mean:.1f} ± {deviation:.2f} ms, 5 % to 95 %: {_range(found_times)} ms")


def _range(values: Array) -> str:
    low, high = 1e3 * np.percentile(values, (5.0, 95.0))
    return f"{low:.1f} to {high:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Campaigns on this machine.")
    parser.add_argument("what", choices=("speed", "kills", "dask", "posterior"))
    parser.add_argument("study", type=Path, nargs="?", help="folder of a study of lcv_7t, for posterior")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--runs", type=int, default=256)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if given.what == "speed":
            speed(folder)
        elif given.what == "kills":
            kills(folder, given.kills)
        elif given.what == "dask":
            dask(folder)
        elif given.study is None:
            parser.error("posterior needs the folder of a study of lcv_7t, as `trackrod convert lcv_7t` makes it")
        else:
            posterior(folder, given.study, given.runs)


if __name__ == "__main__":
    main()
