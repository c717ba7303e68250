"""Do the intervals of parameters hold the truth? Planted truths, with models that are wrong.

usage: python -m benchmarks.coverage [SEEDS]

Every seed draws a bundled vehicle, how soft its bushings are, what its parameters really are, and what is driven. The
reference has all of its kinematics and a compliance that moves; the model that learns from it has straight-line
kinematics and no compliance, and begins at the nominal values. The table says how many intervals hold the truth.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from scipy.stats import binomtest

from trackrod.adams.source import open_vehicle
from trackrod.convert.conversion import Compliance, Detail
from trackrod.core.errors import ConvergenceError, InputError
from trackrod.core.executors import executor
from trackrod.fit.estimate import LEVEL, Estimate, estimate
from trackrod.manoeuvres.registry import manoeuvre
from trackrod.multibody.steering import SteeringModel
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.script import ScriptedVehicle
from trackrod.rtm.spec import RtmSpec
from trackrod.simulate.drive import simulate
from trackrod.simulate.script import scripted
from trackrod.tune.problem import TuningProblem
from trackrod.tune.space import tuning_space
from trackrod.tune.test import Test
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.variants import with_bushings
from trackrod.workflow.map_range import kc_maps
from trackrod.workflow.stages.convert import convert_origin

NAMES = ("sprung_mass", "Ixx", "Izz", "cg_height", "cg_to_front", "antiroll_factor_front")
BUSHINGS = (0.6, 1.0, 2.0)
#: Truths lie within this share of the ranges.
WITHIN = 0.6
#: A binomial test rejects below this probability.
REJECTED = 0.001


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One seed: what is true, and what was told."""

    truth: NDArray[np.float64]
    told: Estimate

    @property
    def held(self) -> NDArray[np.bool_]:
        """Which intervals hold the truth."""
        return (self.told.lower <= self.truth) & (self.truth <= self.told.upper)


@cache
def models(name: str, bushings: float) -> tuple[RtmSpec, RtmSpec]:
    """The reference and what learns from it."""
    vehicle = with_bushings(open_vehicle(name).vehicle, bushings)
    maps, ratio = kc_maps(vehicle), SteeringModel.RATIO
    full = convert_origin(vehicle, maps, Detail.TWO_DIMENSIONAL, steering=ratio)
    poor = convert_origin(vehicle, maps, Detail.LINEAR, compliance=Compliance.NONE, steering=ratio)
    return full.spec, poor.spec


def case(seed: int) -> Case:
    """Drive and learn; ConvergenceError or InputError where this vehicle cannot drive it."""
    random = np.random.default_rng(seed)
    full, poor = models(str(random.choice(list(BUNDLED))), float(random.choice(BUSHINGS)))
    space = tuning_space(poor, names=NAMES)
    truth = random.uniform(-WITHIN, WITHIN, len(NAMES))
    values = space.parameters(truth)
    real = full.with_parameters(**{name: values[name] for name in NAMES})
    tests = [_test(real, name, settings) for name, settings in _driven(random)]
    return Case(truth, estimate(TuningProblem(space, tests, workers=1), np.zeros(len(NAMES))))


def _driven(random: np.random.Generator) -> Iterator[tuple[str, dict[str, str]]]:
    turn = {"speed_kmh": f"{random.uniform(70, 90):.0f}", "target_ay_g": f"{random.uniform(0.3, 0.45):.2f}"}
    yield "step_steer", {**turn, "hold_s": "2.5"}
    yield "single_sine", {**turn, "frequency_Hz": f"{random.uniform(0.5, 1.2):.2f}", "after_s": "1"}
    yield "braking", {"deceleration_g": f"{random.uniform(0.3, 0.5):.2f}"}


def _test(real: RtmSpec, name: str, settings: dict[str, str]) -> Test:
    found = manoeuvre(name, settings).prepare(lambda trial: simulate(RealTimeVehicle(real), trial))
    script = scripted(found, simulate(RealTimeVehicle(real), found))
    vehicle = ScriptedVehicle(real)
    vehicle.settle()
    return Test(name, found.title, name, vehicle.run(script), script)


def _tried(seed: int) -> Case | None:
    try:
        return case(seed)
    except (ConvergenceError, InputError):
        return None


def main() -> None:
    """Print the table."""
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    console = Console()
    with console.status("planted truths") as status, executor() as pool:
        found = []
        for seed, one in enumerate(pool.map(_tried, range(seeds))):
            status.update(f"planted truths: {seed + 1} of {seeds}")
            found += [one] if one is not None else []
    held = np.array([one.held for one in found])
    determined = np.array([one.told.determined for one in found])
    widths = np.array([one.told.upper - one.told.lower for one in found]) / 2.0
    errors = np.array([one.told.z - one.truth for one in found])
    table = Table(title=f"intervals of {100 * LEVEL:g} %, {len(found)} planted truths with model error")
    for head in ("parameter", "determined", "of these held", "share", "p", "width / range", "rms error / half range"):
        table.add_column(head, justify="left" if head == "parameter" else "right")
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
        rejected = " rejected" if p < REJECTED or (of >= seeds and count == of) else ""
        share = f"{count / of:.3f}" if of else "–"
        rms = np.sqrt(np.mean(off[told] ** 2)) if of else np.nan
        width = f"{np.median(wide[told]) if of else np.nan:.2f}"
        table.add_row(name, f"{of} of {told.size}", str(count), share, f"{p:.3f}{rejected}", width, f"{rms:.3f}")
    console.print(table)


if __name__ == "__main__":
    main()
