"""Quarter cars: every vehicle, coverage of the intervals, starts, minima against λ, four posts.

usage: python -m benchmarks.reduce [vehicles|coverage|starts|minima|posts|fast|simplex ...] [--seeds 300] [--starts 100]
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from functools import cache
from time import process_time

import numpy as np
from scipy.stats import binomtest

from trackrod.adams.source import open_vehicle
from trackrod.core.corners import Axle
from trackrod.core.errors import ConvergenceError, TrackrodError
from trackrod.manoeuvres.standing import PostMode
from trackrod.reduce.curves import Shape
from trackrod.reduce.experiment import Experiment
from trackrod.reduce.identify import (
    SIGNALS,
    CornerProblem,
    bounds_of,
    identify,
    multi_start,
    nelder_mead,
    search,
    without_friction,
)
from trackrod.reduce.model import NAMES
from trackrod.reduce.posts import estimate_body, post_errors, post_test, posts_of
from trackrod.reduce.reduction import REACHED_PCT, AxleReduction, reduce_axle, try_starts
from trackrod.reduce.vehicle import reduced_vehicle
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.simulate.drive import simulate
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.workflow.stages.convert import convert_directly


@cache
def reduced(name: str, axle: Axle) -> AxleReduction:
    return reduce_axle(open_vehicle(name).vehicle, axle)


def three(values: dict[str, float]) -> str:
    return " / ".join(f"{values[name]:.2f}" for name in SIGNALS)


def vehicles() -> None:
    """Position / velocity / acceleration [%] with a mount, without one, and of the first guess."""
    print("| vehicle | axle | links unsprung | mount [%] | no mount [%] | first guess [%] | CPU [s] | wrong starts |")
    print("|---|---|---|---|---|---|---|---|")
    for name in BUNDLED:
        for axle in Axle:
            try:
                found = reduced(name, axle)
            except TrackrodError as error:
                print(f"| {name} | {axle} | {error} | | | | | |")
                continue
            which = f"{axle}, solid" if found.dependent else str(axle)
            share, i = found.car.parameters["unsprung_share"], found.identified
            starts = try_starts(i, 8)
            print(
                f"| {name} | {which} | {100 * share:.0f} % of {found.car.known['link_mass']:.1f} kg "
                f"| {three(i.rms_pct)} "
                f"| {three(found.rigid.rms_pct)} | {three(i.first_rms_pct)} | {i.seconds:.2f} "
                f"| {starts.homotopy} and {starts.plain} of {starts.tried} |",
                flush=True,
            )


def planted(found: AxleReduction, random: np.random.Generator, *, wrong: bool) -> tuple[Experiment, np.ndarray]:
    """An experiment of a quarter car with drawn parameters, with noise of 1 %; `wrong`: it has what others lack.

    Its seals rub by half more, and its link is the table where the fitted one is a parabola.
    """
    e = found.identified.experiment
    truth = found.car.vector * random.uniform(0.8, 1.25, len(NAMES))
    car = found.car.with_parameters(truth)
    if wrong:
        car = replace(car, known={**car.known, "friction": 1.5 * car.known["friction"]})
    motion = car.drive(e.load, e.sweep.sample).motion
    motion = motion + 0.01 * np.std(motion, axis=0) * random.normal(size=motion.shape)
    return replace(e, motion=np.vstack((motion[:1] * [1, 0, 0], motion[1:]))), truth


def coverage(seeds: int) -> None:
    """How often intervals hold planted parameters."""
    found = reduced("suv", Axle.REAR)
    for wrong in (True, False):
        first = found.identified.first
        if wrong:
            first = first.with_link(found.curves[Shape.SECOND_ORDER])
        table = found.curves[Shape.TABLE]
        swaps = (without_friction, lambda car, link=table: car.with_link(link)) if wrong else ()
        held, widths, made = np.zeros(len(NAMES)), [], 0
        begun = process_time()
        for seed in range(seeds):
            experiment, truth = planted(found, np.random.default_rng(seed), wrong=wrong)
            got = identify(first, experiment, swaps=swaps)
            held += [i.lower <= x <= i.upper for i, x in zip(got.intervals.values(), truth, strict=True)]
            widths.append([i.upper - i.lower for i in got.intervals.values()] / np.abs(truth))
            made += 1
        print(
            f"\n{'noise and model error' if wrong else 'noise alone'}: {made} seeds, {process_time() - begun:.0f} s CPU"
        )
        for name, count, width in zip(NAMES, held, np.median(widths, axis=0), strict=True):
            p = binomtest(int(count), made, 0.95, alternative="less").pvalue
            print(f"  {name:18} {100 * count / made:5.1f} %  width {100 * width:6.1f} % of the value  p = {p:.3f}")
        every = int(held.sum())
        p = binomtest(every, made * len(NAMES), 0.95, alternative="less").pvalue
        print(f"  all {100 * every / made / len(NAMES):.1f} %, p(at least 95 %) = {p:.3f}", flush=True)


def starts(count: int) -> None:
    """Success from random starts between the bounds."""
    for axle in Axle:
        found = reduced("suv", axle).identified
        problem = CornerProblem(found.first, found.experiment, bounds_of(found.first))
        best = float(np.mean(list(found.rms_pct.values())))
        random, reached, lost, spent = np.random.default_rng(0), {}, {}, {}
        zs = random.uniform(-1.0, 1.0, (count, len(NAMES)))
        for guided in (True, False):
            begun = process_time()
            reached[guided] = lost[guided] = 0
            for z in zs:
                try:
                    reached[guided] += search(problem, z, guided=guided)[1] < best + REACHED_PCT
                except ConvergenceError:
                    lost[guided] += 1
            spent[guided] = (process_time() - begun) / count
        for guided, name in ((True, "homotopy"), (False, "plain")):
            print(f"{axle}: {name} {reached[guided]} of {count}, {lost[guided]} broke down, {spent[guided]:.2f} s each")
        begun = process_time()
        value = multi_start(problem, 10, seed=1)[1]
        print(
            f"{axle}: best of 10 plain starts {value:.3f} % (best {best:.3f} %), {process_time() - begun:.1f} s CPU",
            flush=True,
        )


def simplex() -> None:
    """The simplex of the paper beside Gauss-Newton, from the paper's start values and from one 50 % wrong."""
    print(
        "| axle | start | Nelder-Mead, homotopy | Nelder-Mead, plain | Gauss-Newton, homotopy | Gauss-Newton, plain |"
    )
    print("|---|---|---|---|---|---|")
    for axle in Axle:
        found = reduced("suv", axle).identified
        problem = CornerProblem(found.first, found.experiment, bounds_of(found.first))
        wrong = found.car.vector * np.random.default_rng(0).choice([0.5, 1.5], len(NAMES))
        begins = {"paper's": problem.scaled(), "50 % wrong": problem.scaled(dict(zip(NAMES, wrong, strict=True)))}
        for name, z in begins.items():
            cells = []
            for method in (nelder_mead, search):
                for guided in (True, False):
                    begun = process_time()
                    try:
                        _, value, used = method(problem, z, guided=guided)
                        cells.append(f"{value:.2f} % ({used}, {process_time() - begun:.1f} s)")
                    except ConvergenceError:
                        cells.append("breaks down")
            print(f"| {axle} | {name} | {' | '.join(cells)} |", flush=True)


def minima() -> None:
    """Local minima of the objective along lines through the bounds, against λ."""
    found = reduced("suv", Axle.FRONT).identified
    problem = CornerProblem(found.first, found.experiment, bounds_of(found.first))
    best = problem.scaled(found.car.parameters)
    random = np.random.default_rng(0)
    lines = []
    for _ in range(40):
        start = random.uniform(-1.0, 1.0, best.size)
        end = random.uniform(-1.0, 1.0, best.size)
        lines.append((start, end))
    print("| λ | local minima on 40 lines | on lines along one parameter |\n|---|---|---|")
    for strength in (0.0, 0.01, 0.03, 0.1, 0.3, 1.0):
        at = problem.guided(strength)
        counts = [0, 0]
        for which, chosen in enumerate(
            (lines, [(best - (best + 1) * e, best + (1 - best) * e) for e in np.eye(best.size)])
        ):
            for start, end in chosen:
                values = []
                for s in np.linspace(0.0, 1.0, 60):
                    blocks = at.evaluate_many([start + s * (end - start)])[0]
                    values.append(1e9 if blocks is None else sum(b.value_pct for b in blocks))
                f = np.array(values)
                counts[which] += int(((f[1:-1] < f[:-2]) & (f[1:-1] < f[2:])).sum())
        print(f"| {strength:g} | {counts[0]} | {counts[1]} |", flush=True)


def posts() -> None:
    """Four posts: quarter cars and 14-DoF model against the multibody model."""
    for name in ("suv", "double_wishbone_car", "cla_class"):
        vehicle = open_vehicle(name).vehicle
        joined = reduced_vehicle(vehicle, *(reduced(name, axle).car for axle in Axle))
        tests = {mode: post_test(vehicle, joined, posts_of(mode)) for mode in PostMode}
        told = estimate_body(joined, {mode: (t.posts, t.reference) for mode, t in tests.items()}, track=True)
        spec = convert_directly(vehicle).spec
        print(f"\n{name}: body / front loads / rear loads [%]")
        heads = ("posts", "quarter cars", "body over posts", "points", "14-DoF model")
        print(f"| {' | '.join(heads)} | CPU multibody / 14-DoF / quarter cars [s] |")
        print("|---|---|---|---|---|---|")
        points = replace(joined, momentum=4 * ((0.0,) * 6,), coupling=(0.0, 0.0))
        for mode, test in tests.items():
            begun = process_time()
            other = simulate(RealTimeVehicle(spec, step=1e-3), test.posts, sample=0.01)
            seconds = process_time() - begun
            bare = post_errors(test.reference, points.drive(test.posts), test.posts)
            rows = (test.errors_pct, bare, post_errors(test.reference, other, test.posts))
            cells = [" / ".join(f"{value:.2f}" for value in row.values()) for row in rows]
            cells.insert(1, f"{test.body_over_posts_pct:.2f}")
            print(
                f"| {mode} | {' | '.join(cells)} | {test.reference_seconds:.2f} / {seconds:.2f} / {test.seconds:.2f} |",
                flush=True,
            )
        print("posts tell: roll inertia", f"{joined.inertia[0]:.0f} -> {told.roll_inertia:.0f} kg m2,", end=" ")
        print(f"pitch inertia {joined.inertia[1]:.0f} -> {told.pitch_inertia:.0f} kg m2,", end=" ")
        print(f"track x {told.track_factor:.4f}", flush=True)


def fast() -> None:
    """Four posts up to 25 Hz, by bands of the sweep: body / front loads / rear loads [%]."""
    vehicle = open_vehicle("suv").vehicle
    joined = reduced_vehicle(vehicle, *(reduced("suv", axle).car for axle in Axle))
    bands = ((0.5, 6.0), (6.0, 10.0), (10.0, 15.0), (15.0, 20.0), (20.0, 25.0))
    print(f"| posts | {' | '.join(f'{low:g} to {high:g} Hz' for low, high in bands)} |\n|---|---|---|---|---|---|")
    for mode in PostMode:
        test = post_test(vehicle, joined, posts_of(mode, 25.0))
        cells = [
            " / ".join(f"{e:.1f}" for e in post_errors(test.reference, test.run, test.posts, b).values()) for b in bands
        ]
        print(f"| {mode} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", default=["vehicles", "posts"])
    parser.add_argument("--seeds", type=int, default=300)
    parser.add_argument("--starts", type=int, default=100)
    asked = parser.parse_args()
    for what in asked.what:
        print(f"\n## {what}")
        {
            "vehicles": vehicles,
            "coverage": lambda: coverage(asked.seeds),
            "starts": lambda: starts(asked.starts),
            "minima": minima,
            "posts": posts,
            "fast": fast,
            "simplex": simplex,
        }[what]()


if __name__ == "__main__":
    main()
