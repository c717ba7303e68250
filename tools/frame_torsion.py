"""Print the warp stiffness of the vans with frames of several stiffnesses, for both models.

usage: frame_torsion.py [NAME …]

The series of the rigid vehicle and the frame alone, 1/(1/K_rigid + 1/K_frame), stands beside them: gravity, which tips
the halves of a soft frame, is what the models have more.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from trackrod.adams.source import open_vehicle
from trackrod.convert.conversion import convert
from trackrod.kc.study import KcSettings
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.simulate.warp import measure_warp
from trackrod.vehicle.frame import FrameTorsion, with_frame
from trackrod.workflow.map_range import kc_maps

VANS = ("lcv_3t5", "lcv_7t")
#: Of the frames [N·m/rad]: stiff for a van, soft for one, much softer than any.
STIFFNESSES = (5e5, 2e5, 5e4)
#: Wheel travel of the K&C maps to either side [m].
TRAVEL = 0.08


def lines(name: str) -> Iterator[str]:
    """Rows of the table of one vehicle."""
    rigid = open_vehicle(name).vehicle
    maps = kc_maps(rigid, KcSettings.over(TRAVEL))
    alone = 0.0
    for stiffness in (None, *STIFFNESSES):
        vehicle = rigid if stiffness is None else with_frame(rigid, FrameTorsion(stiffness))
        multibody = measure_warp(MultibodyVehicle(vehicle), vehicle)
        converted = measure_warp(RealTimeVehicle(convert(vehicle, maps).spec), vehicle)
        alone = alone or multibody.stiffness
        series = alone if stiffness is None else 1.0 / (1.0 / alone + 1.0 / stiffness)
        frame = "rigid" if stiffness is None else f"{1e-3 * stiffness:.0f}"
        numbers = (f"{1e-3 * value:.2f}" for value in (series, multibody.stiffness, converted.stiffness))
        difference = 100 * (converted.stiffness / multibody.stiffness - 1)
        twists = "– | –" if stiffness is None else f"{multibody.twist:.4f} | {converted.twist:.4f}"
        yield f"| {name} | {frame} | {' | '.join(numbers)} | {difference:+.2f} % | {twists} |"


def main() -> None:
    """Print the table."""
    print("| vehicle | frame [kN·m/rad] | series | multibody | real-time | difference | twist over warp | |")
    print("|---|---|---|---|---|---|---|---|")
    for name in sys.argv[1:] or VANS:
        for line in lines(name):
            print(line, flush=True)


if __name__ == "__main__":
    main()
