"""How often intervals of a tyre fit hold the truth: a known tyre on a bench with noise, hysteresis and drift.

    python -m benchmarks.tyre_fit_coverage [SEEDS] [small|full]

``small`` has three loads and fits Fy and Mz, ``full`` four loads, three cambers and three pressures and fits Fy. Each
coefficient is tested by itself: rejected if a binomial test at 0.1 % says that its interval does not hold in 95 %.
"""

from __future__ import annotations

import sys
import time

from scipy.stats import binomtest
from tests.estimate.planted_bench import LOAD, RADIUS, planted_bench, planted_tyre

from trackrod.estimate.tyre_fit import LEVEL, fit_tyre
from trackrod.estimate.tyre_sweeps import find_sweeps

PROGRAMMES = {
    "small": ({"repeats": 4}, ("Fy", "Mz")),
    "full": (
        {
            "loads": (1500.0, 3000.0, 4500.0, 6000.0),
            "cambers": (-0.06, 0.0, 0.06),
            "pressures": (180e3, 220e3, 260e3),
        },
        ("Fy",),
    ),
}
SIGNIFICANCE = 0.001


def main(seeds: int, programme: str) -> int:
    settings, outputs = PROGRAMMES[programme]
    truth = planted_tyre().coefficients
    hits: dict[str, list[bool]] = {}
    start = time.process_time()
    for seed in range(seeds):
        sweeps = find_sweeps(planted_bench(seed, **settings), keep_warm_up=True)  # type: ignore[arg-type]
        found = fit_tyre(sweeps, nominal_load=LOAD, radius=RADIUS, outputs=outputs)
        for item in found.coefficients.values():
            if not item.on_bound:  # one on its bound is held there and has no interval
                low, high = item.interval
                hits.setdefault(item.name, []).append(low <= truth[item.name] <= high)
    rejected = []
    for name, held in hits.items():
        probability = binomtest(sum(held), len(held), LEVEL).pvalue
        if probability < SIGNIFICANCE:
            rejected.append(name)
        verdict = "rejected" if probability < SIGNIFICANCE else ""
        print(f"{name:6s} {sum(held):4d} of {len(held):4d}   p = {probability:.3f} {verdict}")
    print(f"{len(hits)} coefficients, {len(rejected)} rejected; {time.process_time() - start:.0f} s")
    return len(rejected)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300, sys.argv[2] if len(sys.argv) > 2 else "small")
