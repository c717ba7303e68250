"""Whether the sensors of a plan are as good as they must be, and no better: measured virtually, many times.

    python -m benchmarks.plan_check PLAN_FOLDER VEHICLE [--tests NAME ...] [--seeds 60]

reads what `trackrod plan` wrote. Each test is driven by the manoeuvre itself and measured by a campaign of every seed:
three repeats with noise of their own, zero and gain errors of the campaign. The model drives the recorded inputs again
and is judged, as by `trackrod validate`. It is the very model that was measured, so that all that the criteria see is
measurement. A row is kept if no more than 5 % of the seeds lie above the share, as a binomial test at 0.1 % sees it;
with all errors doubled the rows that rule must not be kept.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from scipy.stats import binomtest

from trackrod.adams.source import open_vehicle
from trackrod.core import signals
from trackrod.core.errors import ConvergenceError
from trackrod.core.series import Run
from trackrod.measured.measurement_plan import Test, find_plan
from trackrod.measured.sensors import SensorSet
from trackrod.measured.virtual import Campaign
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.spec import RtmSpec
from trackrod.simulate.drive import simulate
from trackrod.validate.criteria import Criteria, find_criteria
from trackrod.validate.verdict import Comparison, judge
from trackrod.workflow.stages.convert import convert_directly
from trackrod.workflow.validation import drive_again

__all__ = ["kept", "measured_ratios"]

#: Of the test that says whether more than 5 % lie above the share.
ALPHA = 1e-3
_SAMPLE = 0.01


def measured(truth: Run, campaign: Campaign, number: int) -> Run:
    """What a campaign records of a run, on the time base of the run, delays taken off."""
    columns = {"time_s": truth.time}
    for column, samples in campaign.measure(truth, number).items():
        at = samples.time - campaign.sensors[column].delay
        if column == signals.GEAR.column:
            last = np.searchsorted(at, truth.time + 1e-9, side="right") - 1
            columns[column] = np.round(samples.values[np.clip(last, 0, at.size - 1)])
        else:
            columns[column] = np.interp(truth.time, at, samples.values)
    return Run(columns)


def measured_ratios(
    spec: RtmSpec, criteria: Criteria, test: Test, sensors: SensorSet, seeds: Iterable[int]
) -> dict[str, list[float]]:
    """Ratio of every row of a test, one for each seed: the model is the truth, the sensors are not."""
    truth = simulate(RealTimeVehicle(spec), test.manoeuvre, sample=_SAMPLE)
    name = test.manoeuvre.name
    found: dict[str, list[float]] = {}
    for seed in seeds:
        campaign = Campaign(sensors, seed)
        runs = tuple(measured(truth, campaign, number) for number in range(test.repeats))
        model = drive_again(spec, test.name, name, runs[0])
        for row in judge(criteria, [Comparison(test.name, name, runs, model)]).rows:
            found.setdefault(row.criterion.name, []).append(row.ratio)
    return found


def kept(ratios: Sequence[float], share: float) -> bool:
    """Whether what lies above the share may be 5 %."""
    above = sum(ratio > share for ratio in ratios)
    return bool(binomtest(above, len(ratios), 0.05, alternative="greater").pvalue > ALPHA)


def main() -> int:
    """Print a table; 1 if a row is not kept, or if a doubled one is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("vehicle")
    parser.add_argument("--tests", nargs="*", default=[])
    parser.add_argument("--seeds", type=int, default=60)
    given = parser.parse_args()
    told = json.loads((given.folder / "plan.json").read_text())
    plan, criteria = find_plan(given.folder / "measurement.toml"), find_criteria(given.folder / "criteria.toml")
    spec = convert_directly(open_vehicle(given.vehicle).vehicle).spec
    ruling = {tuple(row) for sensor in told["sensors"] for row in sensor["ruled_by"].values()}
    judged = {test["name"] for test in told["tests"] if test["judged"]}
    share, failed = told["share"], 0
    for test in plan.tests:
        if (
            test.name not in judged
            or test.manoeuvre.road() is not None
            or (given.tests and test.name not in given.tests)
        ):
            continue
        started = time.process_time()
        failed += _judged(spec, criteria, test, plan.sensors, given.seeds, share, ruling)
        print(f"{test.name}: {time.process_time() - started:.0f} s", flush=True)
    print(f"{failed} rows are not as planned")
    return 1 if failed else 0


def _judged(
    spec: RtmSpec,
    criteria: Criteria,
    test: Test,
    sensors: SensorSet,
    seeds: int,
    share: float,
    ruling: set[tuple[str, ...]],
) -> int:
    failed = 0
    try:
        once, twice = (
            measured_ratios(spec, criteria, test, sensors.scaled(error=factor), range(1, seeds + 1))
            for factor in (1.0, 2.0)
        )
    except ConvergenceError as error:
        print(f"{test.name}: {error}")
        return 1
    for name, ratios in once.items():
        rules = (name, test.name) in ruling
        good = kept(ratios, share) and not (rules and kept(twice[name], share))
        failed += not good
        if rules or not good:
            _print(test.name, name, ratios, twice, share, good=good)
    return failed


def _print(
    test: str, name: str, once: Sequence[float], twice: Mapping[str, Sequence[float]], share: float, *, good: bool
) -> None:
    numbers = " ".join(f"{np.quantile(r, 0.95):.3f} ({np.mean(np.array(r) > share):.0%})" for r in (once, twice[name]))
    print(f"  {test:34s} {name:28s} {numbers} {'' if good else 'NOT AS PLANNED'}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
