"""Do the intervals of parameters hold the truth? Planted truths, with models that are wrong.

usage: python -m benchmarks.coverage [structure|data] [SEEDS]

Every seed draws a bundled vehicle, how stiff its bushings are, what its parameters really are, what is driven, and how
wrong the gain of every sensor is. The reference has all of its kinematics and a compliance that moves. What learns from
it begins at the nominal values of the vehicle in the catalogue, whose bushings are other ones, and

structure
    has straight-line kinematics and no compliance; the swaps are curved kinematics and the compliance of the catalogue;
data
    has all kinematics and the compliance of the catalogue, but tyres, dampers and roll centres that are wrong; the
    swaps are straight-line kinematics, no compliance and stiffer tyres on either axle. Relaxation, dampers and roll
    centres are like none of these.

The table says how many intervals hold the truth. Seeds that are done lie in build/coverage_KIND.jsonl: a run that was
stopped goes on, and a change of the statistics needs the file deleted.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.stats import binomtest

from trackrod.adams.source import open_vehicle
from trackrod.convert.conversion import Compliance, Detail
from trackrod.core.corners import Axle
from trackrod.core.errors import ConvergenceError, InputError
from trackrod.core.executors import executor
from trackrod.core.series import Run
from trackrod.core.signals import TIME
from trackrod.fit.estimate import DETERMINED, LEVEL, estimate
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.manoeuvres.registry import manoeuvre
from trackrod.multibody.steering import SteeringModel
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.layout import CHANNELS
from trackrod.rtm.script import ScriptedVehicle
from trackrod.rtm.spec import RtmSpec, WheelSpec
from trackrod.simulate.drive import simulate
from trackrod.simulate.script import scripted
from trackrod.tune.other_tyres import STIFFNESS, other_tyres
from trackrod.tune.problem import TuningProblem
from trackrod.tune.space import TuningSpace, tuning_space
from trackrod.tune.test import Test
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.variants import with_bushings
from trackrod.workflow.map_range import kc_maps
from trackrod.workflow.stages.convert import convert_origin

NAMES = ("sprung_mass", "Ixx", "Izz", "cg_height", "cg_to_front", "antiroll_factor_front")
BUSHINGS = (0.6, 1.0, 2.0)
#: Truths lie within this share of the ranges.
WITHIN = 0.6
#: Of the integration [s]; longer than usual, and the same for the reference and for what learns.
STEP = 2e-3
#: A binomial test rejects below this probability.
REJECTED = 0.001
#: Standard deviations: gain of a sensor, relaxation of tyres, dampers [-]; roll centre [m].
SENSOR, RELAXATION, DAMPER, ROLL_CENTRE = 0.005, 0.1, 0.05, 0.01
#: Kinematics and compliance of what learns, and of its swaps.
KINDS: Mapping[str, tuple[tuple[Detail, Compliance], ...]] = {
    "structure": (
        (Detail.LINEAR, Compliance.NONE),
        (Detail.TWO_DIMENSIONAL, Compliance.NONE),
        (Detail.LINEAR, Compliance.MOVING),
    ),
    "data": (
        (Detail.TWO_DIMENSIONAL, Compliance.MOVING),
        (Detail.LINEAR, Compliance.MOVING),
        (Detail.TWO_DIMENSIONAL, Compliance.NONE),
    ),
}


@dataclass(frozen=True, slots=True)
class Case:
    """One seed: what is true, and what was told; empty where this vehicle cannot drive it."""

    seed: int
    truth: list[float]
    z: list[float]
    lower: list[float]
    upper: list[float]


@cache
def model(name: str, bushings: float, detail: Detail, compliance: Compliance) -> RtmSpec:
    """A vehicle with softer or stiffer bushings, converted with so much detail."""
    vehicle = open_vehicle(name).vehicle
    if bushings != 1.0:
        vehicle = with_bushings(vehicle, bushings)
    maps, ratio = kc_maps(vehicle), SteeringModel.RATIO
    return convert_origin(vehicle, maps, detail, compliance=compliance, steering=ratio).spec


def case(kind: str, seed: int, *, swapped: bool = True) -> Case:
    """Drive and learn, with the swaps or without."""
    random = np.random.default_rng(seed)
    name, bushings = str(random.choice(list(BUNDLED))), float(random.choice(BUSHINGS))
    learns, *others = (model(name, 1.0, *parts) for parts in KINDS[kind])
    real = model(name, bushings, Detail.TWO_DIMENSIONAL, Compliance.MOVING)
    if kind == "data":
        real = _wrong_data(real, random)
    space = tuning_space(learns, names=NAMES)
    truth = random.uniform(-WITHIN, WITHIN, len(NAMES))
    values = space.parameters(truth)
    real = real.with_parameters(**{name: values[name] for name in NAMES})
    gains: dict[str, float] = {}
    try:
        tests = [_test(real, what, settings, gains, random) for what, settings in _driven(random)]
        spaces = [_of(space, each) for each in others] if swapped else []
        if swapped and kind == "data":
            spaces += [replace(space, nominal=other) for other in other_tyres(learns)]
        problem, *swaps = (TuningProblem(each, tests, step=STEP, workers=1) for each in (space, *spaces))
        told = estimate(problem, np.zeros(len(NAMES)), swaps=swaps)
    except (ConvergenceError, InputError):
        return Case(seed, [], [], [], [])
    return Case(seed, *(numbers.tolist() for numbers in (truth, told.z, told.lower, told.upper)))


def _of(space: TuningSpace, other: RtmSpec) -> TuningSpace:
    """The same parameters of another model."""
    return replace(space, nominal=other.with_parameters(**space.nominal.parameters))


def _wrong_data(real: RtmSpec, random: np.random.Generator) -> RtmSpec:
    """A vehicle whose tyres, dampers and roll centres are other ones."""
    tyres, wheels, factors = dict(real.tyres), list(real.wheels), {}
    for k, axle in enumerate(Axle):
        stiff, slow = 1.0 + STIFFNESS * random.normal(), 1.0 + RELAXATION * random.normal()
        factors[f"damper_factor_{axle}"] = 1.0 + DAMPER * random.normal()
        height = ROLL_CENTRE * random.normal()
        for i in (2 * k, 2 * k + 1):
            wheel = wheels[i]
            for place in wheel.tyres:
                own = real.tyres[place.tyre]
                scales = {"LKY": stiff, "LSGAL": slow}
                changed = {name: value * scales.get(name, 1.0) for name, value in own.coefficients.items()}
                tyres[f"{place.tyre} {axle}"] = replace(own, coefficients=changed)
            places = tuple(replace(place, tyre=f"{place.tyre} {axle}") for place in wheel.tyres)
            wheels[i] = replace(_with_roll_centre(wheel, real.axles[k].steered, height), tyres=places)
    return replace(real, tyres=tyres, wheels=tuple(wheels)).with_parameters(**factors)


def _with_roll_centre(wheel: WheelSpec, steered: bool, height: float) -> WheelSpec:
    """A wheel whose track changes with its travel as if the roll centre were this much higher [m]."""
    sign = wheel.corner.side.sign
    own = wheel.first[:, None] + (0.0 if steered else sign * wheel.second[None, :])
    kinematics = wheel.kinematics.copy()
    kinematics[:, :, CHANNELS.index("ty")] -= sign * height / abs(wheel.centre[1]) * own
    return replace(wheel, kinematics=kinematics)


def _driven(random: np.random.Generator) -> Iterator[tuple[str, dict[str, str]]]:
    turn = {"speed_kmh": f"{random.uniform(70, 90):.0f}", "target_ay_g": f"{random.uniform(0.3, 0.45):.2f}"}
    yield "step_steer", {**turn, "hold_s": "2.5"}
    yield "single_sine", {**turn, "frequency_Hz": f"{random.uniform(0.5, 1.2):.2f}", "after_s": "1"}
    yield "braking", {"deceleration_g": f"{random.uniform(0.3, 0.5):.2f}"}


def _test(
    real: RtmSpec, name: str, settings: dict[str, str], gains: dict[str, float], random: np.random.Generator
) -> Test:
    def drive(what: Manoeuvre) -> Run:
        return simulate(RealTimeVehicle(real, step=STEP), what)

    found = manoeuvre(name, settings).prepare(drive)
    script = scripted(found, drive(found), step=STEP)
    vehicle = ScriptedVehicle(real, step=STEP)
    vehicle.settle()
    run = vehicle.run(script)
    for column in run:
        gains.setdefault(column, 1.0 if column == TIME.column else 1.0 + SENSOR * random.normal())
    return Test(name, found.title, name, Run({c: gains[c] * run[c] for c in run}, run.metadata), script)


def _kept(path: Path) -> dict[int, Case]:
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return {one.seed: one for one in (Case(**json.loads(line)) for line in lines)}


def main() -> None:
    """Print the table."""
    kind = next((word for word in sys.argv[1:] if word in KINDS), "structure")
    seeds = next((int(word) for word in sys.argv[1:] if word.isdigit()), 300)
    path, console = Path("build") / f"coverage_{kind}.jsonl", Console()
    done = _kept(path)
    left = [seed for seed in range(seeds) if seed not in done]
    path.parent.mkdir(exist_ok=True)
    with console.status("planted truths") as status, executor() as pool, path.open("a", encoding="utf-8") as file:
        for count, one in enumerate(pool.map(lambda seed: case(kind, seed), left)):
            status.update(f"planted truths: {count + 1} of {len(left)}")
            done[one.seed] = one
            file.write(json.dumps({name: getattr(one, name) for name in Case.__slots__}) + "\n")
            file.flush()
    found = [one for seed, one in done.items() if seed < seeds and one.truth]
    console.print(table(kind, found))


def table(kind: str, found: list[Case]) -> Table:
    """How many intervals hold the truth."""
    truth, z, lower, upper = (np.array([getattr(one, name) for one in found]) for name in Case.__slots__[1:])
    held, widths, errors = (lower <= truth) & (truth <= upper), 0.5 * (upper - lower), z - truth
    determined = widths < DETERMINED
    shown = Table(title=f"intervals of {100 * LEVEL:g} %, {len(found)} planted truths, wrong {kind}")
    for head in ("parameter", "determined", "of these held", "share", "p", "width / range", "rms error / half range"):
        shown.add_column(head, justify="left" if head == "parameter" else "right")
    for name, told, true, wide, off in zip(
        (*NAMES, "all"),
        (*determined.T, determined.ravel()),
        (*held.T, held.ravel()),
        (*widths.T, widths.ravel()),
        (*errors.T, errors.ravel()),
        strict=True,
    ):
        count, of = int(true[told].sum()), int(told.sum())
        p = binomtest(count, of, LEVEL).pvalue if of else 1.0
        rejected = " rejected" if p < REJECTED else ""
        share = f"{count / of:.3f}" if of else "–"
        rms = np.sqrt(np.mean(off[told] ** 2)) if of else np.nan
        width = f"{np.median(wide[told]) if of else np.nan:.3f}"
        shown.add_row(name, f"{of} of {told.size}", str(count), share, f"{p:.3f}{rejected}", width, f"{rms:.3f}")
    return shown


if __name__ == "__main__":
    main()
