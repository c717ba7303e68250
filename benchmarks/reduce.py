"""Quarter cars: every vehicle, coverage of the intervals, starts, minima against λ, four posts.

usage: python -m benchmarks.reduce [PART ...] [--write] [--seeds 300] [--starts 100]

Parts are vehicles, findings, posts, warp, fast, starts, simplex, minima and coverage; all of them if none is named.
What a part says lies in build/reduce then; with ``--write`` all that lies there goes into docs/reduce.md.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from time import process_time

import numpy as np
from scipy.stats import binomtest

from trackrod.adams.source import open_vehicle
from trackrod.core.corners import Axle
from trackrod.core.errors import ConvergenceError, TrackrodError
from trackrod.core.files import write_atomically
from trackrod.manoeuvres.standing import PostMode
from trackrod.reduce.curves import CURVES, Curve, LinkCurves, Shape
from trackrod.reduce.experiment import Sweep
from trackrod.reduce.findings import findings
from trackrod.reduce.identify import (
    GAIN,
    LEVEL,
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
from trackrod.vehicle.variants import with_bushings
from trackrod.workflow.stages.convert import convert_directly

ROOT = Path(__file__).resolve().parents[1]
PAGE, FOLDER = ROOT / "docs" / "reduce.md", ROOT / "build" / "reduce"
#: Below this probability a coverage is rejected.
REJECTED = 0.001


@cache
def reduced(name: str, axle: Axle) -> AxleReduction:
    return reduce_axle(open_vehicle(name).vehicle, axle)


def three(values: Mapping[str, float]) -> str:
    return " / ".join(f"{values[name]:.2f}" for name in SIGNALS)


def vehicles() -> Iterator[str]:
    """Position / velocity / acceleration [%] with a mount, without one, and of the first guess."""
    heads = (
        "vehicle",
        "axle",
        "links unsprung",
        "mount [%]",
        "no mount [%]",
        "first guess [%]",
        "CPU of the search [s]",
    )
    yield f"| {' | '.join(heads)} | wrong starts |"
    yield "|---|---|---|---|---|---|---|---|"
    for name in BUNDLED:
        for axle in Axle:
            try:
                found = reduced(name, axle)
            except TrackrodError as error:
                yield f"| {name} | {axle} | {error} | | | | | |"
                continue
            which = f"{axle}, solid" if found.dependent else str(axle)
            share, i = found.car.parameters["unsprung_share"], found.identified
            starts = try_starts(i, 8)
            cells = (
                f"{100 * share:.0f} % of {found.car.known['link_mass']:.1f} kg",
                *(three(errors) for errors in (i.rms_pct, found.rigid.rms_pct, i.first_rms_pct)),
                f"{i.seconds:.1f}",
                f"{starts.homotopy} and {starts.plain} of {starts.tried}",
            )
            yield f"| {name} | {which} | {' | '.join(cells)} |"


def paper() -> Iterator[str]:
    """The five findings of the paper for `suv`."""
    for finding in findings(open_vehicle("suv").vehicle, *(reduced("suv", axle) for axle in Axle)):
        yield f"- {finding}"


@dataclass(frozen=True, slots=True)
class Planted:
    """One seed of the coverage: what is true, and the intervals that were told."""

    seed: int
    truth: list[float]
    lower: list[float]
    upper: list[float]


def blend(first: Curve, second: Curve, share: float) -> Curve:
    """Between two curves, or beyond: the first at 0, the second at 1."""
    z = np.unique((*first.knots, *second.knots))
    return Curve.fitted(z, first(z) + share * (second(z) - first(z)))


def planted(found: AxleReduction, seed: int, *, wrong: bool) -> Planted:
    """Parameters drawn about those of an axle, its motion with noise of 1 %, and what the identification says of them.

    `wrong`: the seals rub otherwise than is known, and the link, a parabola to the model, bends otherwise. The size of
    each error has the standard normal distribution in units of the swap that the intervals presume.
    """
    random, e, first = np.random.default_rng(seed), found.identified.experiment, found.identified.first
    truth = found.car.vector * random.uniform(0.8, 1.25, len(NAMES))
    car, swaps = found.car.with_parameters(truth), []
    if wrong:
        parabola, table = (found.curves[shape] for shape in (Shape.SECOND_ORDER, Shape.TABLE))
        rubs, bends = max(1.0 + random.normal(), 0.0), random.normal()  # nothing rubs less than not at all
        link = LinkCurves(**{name: blend(getattr(parabola, name), getattr(table, name), bends) for name in CURVES})
        car = replace(car, known={**car.known, "friction": rubs * car.known["friction"]}, link=link)
        first = first.with_link(parabola)
        swaps = [without_friction, lambda car: car.with_link(table)]
    motion = car.drive(e.load, e.sweep.sample).motion
    motion = motion + 0.01 * np.std(motion, axis=0) * random.normal(size=motion.shape)
    motion[0, 1:] = 0.0
    told = identify(first, replace(e, motion=motion), swaps=swaps).intervals.values()
    return Planted(seed, truth.tolist(), [i.lower for i in told], [i.upper for i in told])


def coverage(seeds: int) -> Iterator[str]:
    """How often intervals of 95 % hold planted parameters (`suv`, rear), by a two-sided binomial test at 0.1 %.

    Seeds that are done lie in build/reduce_coverage_KIND.jsonl: a run that was stopped goes on.
    """
    found = reduced("suv", Axle.REAR)
    for kind in ("noise", "model"):
        path = ROOT / "build" / f"reduce_coverage_{kind}.jsonl"
        path.parent.mkdir(exist_ok=True)
        lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
        done = {one.seed: one for one in (Planted(**json.loads(line)) for line in lines)}
        with path.open("a", encoding="utf-8") as file:
            for seed in range(seeds):
                if seed not in done:
                    done[seed] = planted(found, seed, wrong=kind == "model")
                    file.write(json.dumps(asdict(done[seed])) + "\n")
                    file.flush()
        yield from coverage_table(kind, [one for seed, one in done.items() if seed < seeds])


def coverage_table(kind: str, found: Sequence[Planted]) -> Iterator[str]:
    """By parameter: too many that hold are rejected as too few are, 300 of 300 among them."""
    truth, lower, upper = (np.array([getattr(one, name) for one in found]) for name in ("truth", "lower", "upper"))
    held = ((lower <= truth) & (truth <= upper)).sum(axis=0)
    widths = np.median((upper - lower) / np.abs(truth), axis=0)
    title = {"noise": "noise alone", "model": "noise and errors of the model, known as swaps"}[kind]
    yield f"| {title} | held of {len(found)} | share [%] | p | width over value [%] |"
    yield "|---|---|---|---|---|"
    for name, count, width in zip(NAMES, held.tolist(), widths.tolist(), strict=True):
        p = float(binomtest(count, len(found), LEVEL).pvalue)
        rejected = " rejected" if p < REJECTED else ""
        yield f"| {name} | {count} | {100 * count / len(found):.1f} | {p:.4f}{rejected} | {100 * width:.1f} |"
    yield f"| all | {held.sum()} of {len(found) * len(NAMES)} | {100 * held.mean() / len(found):.1f} | | |"
    yield ""


def starts(count: int) -> Iterator[str]:
    """Success from random starts between the bounds."""
    yield "| axle | search | reach the minimum | break down | CPU of one [s] |"
    yield "|---|---|---|---|---|"
    for axle in Axle:
        found = reduced("suv", axle).identified
        problem = CornerProblem(found.first, found.experiment, bounds_of(found.first))
        best = float(np.mean(list(found.rms_pct.values())))
        zs = np.random.default_rng(0).uniform(-1.0, 1.0, (count, len(NAMES)))
        for guided, name in ((True, "homotopy"), (False, "plain")):
            begun, reached, lost = process_time(), 0, 0
            for z in zs:
                try:
                    reached += search(problem, z, guided=guided)[1] < best + REACHED_PCT
                except ConvergenceError:
                    lost += 1
            seconds = (process_time() - begun) / count
            yield f"| {axle} | {name} | {reached} of {count} | {lost} | {seconds:.1f} |"
        begun = process_time()
        value = multi_start(problem, 10, seed=1)[1]
        reached = int(value < best + REACHED_PCT)
        yield f"| {axle} | best of 10 plain | {reached} of 1 | | {process_time() - begun:.1f} |"


def simplex() -> Iterator[str]:
    """The simplex of the paper beside Gauss-Newton, from the paper's start values and from one 50 % wrong."""
    yield "| axle | start | Nelder–Mead, homotopy | Nelder–Mead, plain | Gauss–Newton, homotopy | Gauss–Newton, plain |"
    yield "|---|---|---|---|---|---|"
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
            yield f"| {axle} | {name} | {' | '.join(cells)} |"


def minima() -> Iterator[str]:
    """Local minima of the objective along lines through the bounds, against λ."""
    found = reduced("suv", Axle.FRONT).identified
    problem = CornerProblem(found.first, found.experiment, bounds_of(found.first))
    best, random = problem.scaled(found.car.parameters), np.random.default_rng(0)
    lines = [tuple(random.uniform(-1.0, 1.0, (2, best.size))) for _ in range(40)]
    along = [(best - (best + 1) * e, best + (1 - best) * e) for e in np.eye(best.size)]
    gains = " / ".join(f"{gain:g}" for gain in GAIN)
    yield f"| λ, gains {gains} | minima on {len(lines)} random lines | on {len(along)} lines along one parameter |"
    yield "|---|---|---|"
    for strength in (0.0, 0.01, 0.03, 0.1, 0.3, 1.0):
        at = problem.guided(strength)
        counts = [sum(local_minima(at, *line) for line in chosen) for chosen in (lines, along)]
        yield f"| {strength:g} | {counts[0]} | {counts[1]} |"


def local_minima(problem: CornerProblem, start: np.ndarray, end: np.ndarray) -> int:
    """How many the objective has between two points; a model that gets lost is no minimum."""
    blocks = problem.evaluate_many([start + s * (end - start) for s in np.linspace(0.0, 1.0, 60)])
    f = np.array([1e9 if each is None else sum(b.value_pct for b in each) for each in blocks])
    return int(((f[1:-1] < f[:-2]) & (f[1:-1] < f[2:])).sum())


def posts() -> Iterator[str]:
    """Four posts: quarter cars and 14-DoF model against the multibody model, body / front loads / rear loads [%]."""
    yield (
        "| vehicle | posts | quarter cars | body over posts | momentum of the links left out | 14-DoF model "
        "| CPU multibody / 14-DoF / quarter cars [s] |"
    )
    yield "|---|---|---|---|---|---|---|"
    told = []
    for name in ("suv", "double_wishbone_car", "cla_class"):
        vehicle = open_vehicle(name).vehicle
        joined = reduced_vehicle(vehicle, *(reduced(name, axle).car for axle in Axle))
        spec = convert_directly(vehicle).spec
        points = replace(joined, momentum=4 * ((0.0,) * 6,), coupling=(0.0, 0.0))
        tests = {}
        for mode in PostMode:
            test = tests[mode] = post_test(vehicle, joined, posts_of(mode))
            begun = process_time()
            other = simulate(RealTimeVehicle(spec, step=1e-3), test.posts, sample=0.01)
            seconds = process_time() - begun
            runs = points.drive(test.posts), other
            rows = (test.errors_pct, *(post_errors(test.reference, run, test.posts) for run in runs))
            cells = [" / ".join(f"{value:.2f}" for value in row.values()) for row in rows]
            cells.insert(1, f"{test.body_over_posts_pct:.2f}")
            times = f"{test.reference_seconds:.2f} / {seconds:.2f} / {test.seconds:.2f}"
            yield f"| {name} | {mode} | {' | '.join(cells)} | {times} |"
        found = estimate_body(joined, {mode: (t.posts, t.reference) for mode, t in tests.items()}, track=True)
        told.append(
            f"| {name} | {joined.inertia[0]:.0f} | {found.roll_inertia:.0f} | {joined.inertia[1]:.0f} "
            f"| {found.pitch_inertia:.0f} | {found.track_factor:.4f} |"
        )
    yield "\nWhat the posts tell of the body, roll and pitch inertia [kg·m²] and track:\n"
    yield "| vehicle | roll, vehicle | posts | pitch, vehicle | posts | track, posts over vehicle |"
    yield "|---|---|---|---|---|---|"
    yield from told


#: Bushings that are stiffened: parts of their names.
STIFFENED: Mapping[str, tuple[str, ...]] = {
    "none": (),
    "front axle": ("front_suspension",),
    "subframes": ("subframe",),
    "mounts of the dampers": ("top_mount", "lwr_strut"),
    "rear axle": ("rear_suspension",),
    "arms and links of the rear axle": ("trailing_arm", "_link_"),
}


def warp() -> Iterator[str]:
    """Which bushings the body in warp goes wrong by (`suv`): each group ten times as stiff, axles reduced anew."""
    yield "| ten times as stiff | body / front loads / rear loads [%] | body over posts [%] |"
    yield "|---|---|---|"
    vehicle, posts = open_vehicle("suv").vehicle, posts_of(PostMode.WARP)
    pairs = list(zip(vehicle.bushings, with_bushings(vehicle, 10.0).bushings, strict=True))
    for title, words in STIFFENED.items():
        bushings = tuple(stiff if any(word in own.name for word in words) else own for own, stiff in pairs)
        other = replace(vehicle, bushings=bushings)
        cars = [reduce_axle(other, axle, sweep=Sweep(duration=10.0)).car for axle in Axle]
        test = post_test(other, reduced_vehicle(other, *cars), posts)
        errors = " / ".join(f"{value:.2f}" for value in test.errors_pct.values())
        yield f"| {title} | {errors} | {test.body_over_posts_pct:.2f} |"


def fast() -> Iterator[str]:
    """Four posts up to 25 Hz (`suv`), by bands of the sweep: body / front loads / rear loads [%]."""
    vehicle = open_vehicle("suv").vehicle
    joined = reduced_vehicle(vehicle, *(reduced("suv", axle).car for axle in Axle))
    bands = ((0.5, 6.0), (6.0, 10.0), (10.0, 15.0), (15.0, 20.0), (20.0, 25.0))
    yield f"| posts | {' | '.join(f'{low:g} to {high:g} Hz' for low, high in bands)} |\n|---|---|---|---|---|---|"
    for mode in PostMode:
        test = post_test(vehicle, joined, posts_of(mode, 25.0))
        cells = [
            " / ".join(f"{e:.1f}" for e in post_errors(test.reference, test.run, test.posts, b).values()) for b in bands
        ]
        yield f"| {mode} | {' | '.join(cells)} |"


def write_page() -> None:
    """Put what lies in the folder into the page, each between the marks of its name."""
    text = PAGE.read_text(encoding="utf-8")
    for path in sorted(FOLDER.glob("*.md")):
        begin, end = f"<!-- begin: {path.stem} -->\n", f"<!-- end: {path.stem} -->"
        before, rest = text.split(begin)
        text = f"{before}{begin}\n{path.read_text(encoding='utf-8').strip()}\n\n{end}{rest.split(end)[1]}"
    write_atomically(PAGE, text)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", metavar="PART")
    parser.add_argument("--seeds", type=int, default=300)
    parser.add_argument("--starts", type=int, default=100)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    parts: dict[str, Callable[[], Iterator[str]]] = {
        "vehicles": vehicles,
        "findings": paper,
        "posts": posts,
        "warp": warp,
        "fast": fast,
        "starts": lambda: starts(asked.starts),
        "simplex": simplex,
        "minima": minima,
        "coverage": lambda: coverage(asked.seeds),
    }
    FOLDER.mkdir(parents=True, exist_ok=True)
    for what in asked.what or ([] if asked.write else parts):
        print(f"\n## {what}")
        lines = []
        for line in parts[what]():
            print(line, flush=True)
            lines.append(line)
        write_atomically(FOLDER / f"{what}.md", "\n".join(lines) + "\n")
    if asked.write:
        write_page()


if __name__ == "__main__":
    main()
