"""Is a domain of validity right? Both models drive manoeuvres that its plan did not have.

    python -m benchmarks.envelope lcv_7t suv --unseen 100

Seven of ten are drawn at random from the ranges of the plan, the others are standard manoeuvres with random settings.
A manoeuvre counts as inside if every sample of its run says so.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np

from trackrod.adams.source import open_vehicle
from trackrod.core import signals
from trackrod.core.errors import TrackrodError
from trackrod.manoeuvres.longitudinal import Braking
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.manoeuvres.steering import Fishhook, JTurn, Pulse, SineWithDwell, SingleSine, StepSteer
from trackrod.validate.criteria import find_criteria
from trackrod.validate.plan import EnvelopePlan, Handling
from trackrod.workflow.envelope import Both, compare, drive_model, find_envelope, handling_of, models_of, run_point

#: Share of the unseen manoeuvres that come from the ranges of the plan.
FROM_PLAN = 0.7
SEED = 2026


def standard_manoeuvre(rng: np.random.Generator, vehicles: list[Handling], plan: EnvelopePlan) -> tuple[int, Manoeuvre]:
    """One of the standard manoeuvres, its settings at random; amplitudes as of the plan."""
    which = int(rng.integers(len(vehicles)))
    speed = rng.uniform(*plan.speed_kmh)
    wanted = rng.uniform(*plan.lateral_g) * float(np.interp(speed, vehicles[which].speed, vehicles[which].angle))
    angle = float(np.clip(wanted, 1.0, 400.0))
    rate, frequency = float(rng.uniform(100.0, 900.0)), float(rng.uniform(0.3, min(2.0, 900.0 / (2 * np.pi * angle))))
    friction = float(rng.choice([1.0, rng.uniform(*plan.friction)]))
    turning = {"speed_kmh": speed, "steering_wheel_angle_deg": angle}
    choices = (
        lambda: StepSteer(**turning, rate_degps=rate, friction_factor=friction),
        lambda: SingleSine(**turning, frequency_Hz=frequency),
        lambda: SineWithDwell(**turning, frequency_Hz=frequency, friction_factor=friction),
        lambda: JTurn(**turning, rate_degps=rate),
        lambda: Fishhook(**turning, rate_degps=rate),
        lambda: Pulse(**turning, width_s=float(max(rng.uniform(0.2, 1.0), angle / 400.0))),
        lambda: Braking(speed_kmh=speed, brake=float(min(rng.uniform(0.1, 1.0) * vehicles[which].brake, 1.0))),
    )
    return which, choices[rng.integers(len(choices))]()


def unseen(models: list[Both], plan: EnvelopePlan, count: int) -> list[tuple[int, Manoeuvre]]:
    """Manoeuvres that the plan does not have."""
    vehicles = [handling_of(both.spec) for both in models]
    rng = np.random.default_rng(SEED)
    from_plan = round(FROM_PLAN * count)
    return [
        *plan.random(vehicles, from_plan, SEED),
        *(standard_manoeuvre(rng, vehicles, plan) for _ in range(count - from_plan)),
    ]


def measure(name: str, plan: EnvelopePlan, count: int) -> dict[str, object]:
    """The domain of a vehicle, and what unseen manoeuvres say about it."""
    criteria = find_criteria("within_5_percent")
    models = models_of(open_vehicle(name).vehicle)
    started, used = time.perf_counter(), time.process_time()
    found = find_envelope(models, plan, criteria)
    seconds, used = time.perf_counter() - started, time.process_time() - used
    print(f"{name}: {seconds:.0f} s, {used:.0f} s of processor time\n{found.validity.sentence}", flush=True)
    tally = {"right inside": 0, "false inside": 0, "right outside": 0, "false outside": 0, "no reference": 0}
    agree, wrong = 0, []
    for which, manoeuvre in unseen(models, plan, count):
        both = models[which]
        known = Both(both.vehicle, found.model if which == 0 else both.spec)
        try:
            run = drive_model(known.spec, manoeuvre)
            ratios = compare(both, manoeuvre, criteria, run)
        except TrackrodError as error:
            tally["no reference"] += 1
            print(f"left out: {manoeuvre.name}: {str(error)[:150]}", flush=True)
            continue
        inside = found.validity.inside(run, friction=manoeuvre.friction(), mass=both.spec.mass)
        point = run_point(run, manoeuvre, both.spec)
        box = bool(found.domain.holds(np.array([[point[name] for name in found.quantities]]), found.quantities)[0])
        signal = signals.INSIDE_VALIDITY.column
        agree += box == bool(inside.all()) and (signal not in run or bool((run[signal] == inside).all()))
        met = max(ratios) <= 1.0
        tally[f"{'right' if met == bool(inside.all()) else 'false'} {'inside' if inside.all() else 'outside'}"] += 1
        if inside.all() and not met:
            worst = int(np.argmax(ratios))
            wrong.append(f"{manoeuvre.name} {manoeuvre.values()}: {criteria.criteria[worst].name} {ratios[worst]:.2f}")
            print(f"false inside: {wrong[-1]}", flush=True)
    print(f"{name}: {tally}, the signal agrees in {agree}", flush=True)
    return {
        "vehicle": name,
        "seconds": seconds,
        "processor_seconds": used,
        **found.as_dict(),
        "unseen": tally,
        "agree": agree,
        "false_inside": wrong,
    }


def main() -> None:
    """Measure, and print a row for each vehicle."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vehicles", nargs="+")
    parser.add_argument("--unseen", type=int, default=100)
    parser.add_argument("--runs", type=int, default=EnvelopePlan().runs)
    parser.add_argument("--references", type=int, default=EnvelopePlan().references)
    parser.add_argument("--json", type=Path, help="file for all numbers")
    given = parser.parse_args()
    plan = EnvelopePlan(runs=given.runs, references=given.references)
    rows = [measure(name, plan, given.unseen) for name in given.vehicles]
    if given.json is not None:
        given.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
