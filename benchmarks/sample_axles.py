"""The sample axles, with their bushings and with softer ones: on the rig, and in a step steer of both models.

usage: python -m benchmarks.sample_axles [NAME …]

Prints one row for each axle and stiffness of its bushings: points of the rig that were not reached, RMS difference of
both curves of the step steer, and the largest of all indices, or why there is none; nothing is tuned.
"""

from __future__ import annotations

import sys

from trackrod.adams.source import open_vehicle
from trackrod.core.errors import ConvergenceError
from trackrod.kc.study import KcSettings, characterise
from trackrod.manoeuvres.registry import manoeuvre
from trackrod.vehicle.catalogue import SAMPLES
from trackrod.vehicle.variants import with_bushings
from trackrod.workflow.comparison import compare_models

#: On the stiffness and damping of all bushings.
FACTORS = (1.0, 0.6)


def row(name: str, factor: float) -> str:
    """A row of the table."""
    vehicle = with_bushings(open_vehicle(name).vehicle, factor)
    studies = [characterise(vehicle, axle.position, KcSettings(map_points=9)) for axle in vehicle.axles]
    points = f"{sum(study.failures for study in studies)} of {sum(study.points for study in studies)}"
    try:
        found = {index.name: index for index in compare_models(vehicle, manoeuvre("step_steer", {})).indices}
    except ConvergenceError as error:
        return f"| `{name}` | {factor:g} | {points} | | | {error} |"
    worst = max(found.values(), key=lambda index: index.value_pct)
    curves = [f"{found[curve].value_pct:.2f}" for curve in ("lateral acceleration", "yaw rate")]
    return f"| `{name}` | {factor:g} | {points} | {' | '.join(curves)} | {worst.value_pct:.2f} ({worst.name}) |"


def main() -> None:
    """The command."""
    print("| axle | bushings | points not reached | a_y [%] | yaw rate [%] | largest index [%] |")
    print("|---|---:|---:|---:|---:|---|")
    for name in sys.argv[1:] or SAMPLES:
        for factor in FACTORS:
            print(row(name, factor), flush=True)


if __name__ == "__main__":
    main()
