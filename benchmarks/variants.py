"""Every variant of a car through ``convert``: subframes on bushings or rigid, ideal joints at either axle.

usage: python -m benchmarks.variants [--write] [NAME …]

Each variant is a conversion of its own with the usual tests and hold-outs, in a folder under build/variants; one that
is there already is not done again. With ``--write`` the table goes into docs/convert.md.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trackrod.adams.vehicle import read_vehicle
from trackrod.core.artefact import Artefact, save
from trackrod.core.files import write_atomically
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.variants import with_linear_bushings
from trackrod.vehicle.vehicle import VEHICLE, Vehicle

__all__ = ["CURVES", "FOLDER", "PAGE", "VARIANTS", "Variant", "table", "write_table"]

CAR = "double_wishbone_car"
ROOT = Path(__file__).resolve().parents[1]
PAGE, FOLDER = ROOT / "docs" / "convert.md", ROOT / "build" / "variants"
#: Of each of the four soft bushings of a subframe: 250 N/mm [N/m], 10 N·s/mm [N·s/m].
SOFT = (250e3, 10e3)
#: What is compared on a rough road, each with a limit of its own: parts of the names of its indices.
ROUGH = ("acceleration", "load", "force")
#: The curves of a step steer whose difference is shown.
CURVES = ("lateral acceleration", "yaw rate")


@dataclass(frozen=True, slots=True)
class Variant:
    """What is other than in the car as it is.

    Attributes
    ----------
    title
        In words.
    parameters
        Of the subsystems, as for `trackrod.adams.assembly.Assembly.with_parameters`.
    soft
        Bushings with the stiffness and damping of `SOFT`: a part of their names.
    """

    title: str
    parameters: Mapping[str, float] = field(default_factory=dict)
    soft: str = ""

    def vehicle(self) -> Vehicle:
        """The car with these changes."""
        found = read_vehicle(BUNDLED[CAR].assembly, parameters=self.parameters).vehicle
        return with_linear_bushings(found, self.soft, *SOFT) if self.soft else found


FRONT, REAR = ({f"{axle}_suspension.subframe_active": 1} for axle in ("front", "rear"))
FRONT_IDEAL, REAR_IDEAL = ({f"{axle}_suspension.kinematic_flag": 1} for axle in ("front", "rear"))
VARIANTS = {
    "rigid": Variant("both subframes rigid on the body, as it is"),
    "rear_subframe": Variant("rear subframe on its bushings", REAR),
    "front_subframe": Variant("front subframe on its bushings", FRONT),
    "soft_rear": Variant("rear subframe on soft bushings", REAR, "rear_suspension.subframe"),
    "soft_front": Variant("front subframe on soft bushings", FRONT, "front_suspension.subframe"),
    "soft_both": Variant("both subframes on soft bushings", FRONT | REAR, "suspension.subframe"),
    "kinematic_front": Variant("ideal joints in front", FRONT_IDEAL),
    "kinematic_rear": Variant("ideal joints at the rear", REAR_IDEAL),
    "kinematic": Variant("ideal joints at both axles", FRONT_IDEAL | REAR_IDEAL),
    "kinematic_front_soft_rear": Variant(
        "ideal joints in front, rear subframe on soft bushings", FRONT_IDEAL | REAR, "rear_suspension.subframe"
    ),
}


def convert(name: str) -> Mapping[str, Any]:
    """Summary of the conversion of a variant."""
    folder = FOLDER / name
    summary = folder / "summary.json"
    if not summary.is_file():
        saved = FOLDER / f"{name}.json"
        FOLDER.mkdir(parents=True, exist_ok=True)
        save(Artefact(VEHICLE, VARIANTS[name].vehicle()), saved)
        subprocess.run([sys.executable, "-m", "trackrod", "convert", str(saved), "--out", str(folder)], check=True)
    found: Mapping[str, Any] = json.loads(summary.read_text())
    return found


def table(summaries: Mapping[str, Mapping[str, Any]], what: str = "variant") -> str:
    """Largest differences of every vehicle, by its title, tuned, as a table of the page."""
    rows = [
        f"| {what} | tuned with [%] | step steer: a_y, yaw rate [%] | held out [%] "
        "| held out, rough road: a_z, F_z, F_x [%] | stable straight ahead |",
        "|---|---:|---|---|---|---|",
    ]
    for title, summary in summaries.items():
        found = summary["indices"]
        rough = [index for index in found if index["manoeuvre"] == "random_road"]
        seen = _largest([index for index in found if not index["hold_out"]])
        unseen = _largest([index for index in found if index["hold_out"] and index not in rough])
        parts = [[index for index in rough if part in index["index"]] for part in ROUGH]
        steps = {index["index"]: index for index in found if index["manoeuvre"] == "step_steer"}
        unstable = any("unstable straight ahead" in problem["text"] for problem in summary["problems"])
        cells = [
            title,
            f"{seen['optimised_pct']:.2f}",
            ", ".join(f"{steps[curve]['optimised_pct']:.2f}" for curve in CURVES),
            f"{unseen['optimised_pct']:.2f} ({unseen['manoeuvre']}, {unseen['index']})",
            ", ".join(f"{_largest(part)['optimised_pct']:.1f}" for part in parts),
            "no" if unstable else "yes",
        ]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def _largest(indices: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    return max(indices, key=lambda index: float(index["optimised_pct"]))


def write_table(text: str, name: str, page: Path = PAGE) -> None:
    """Put a table into a page, between the marks of a name."""
    begin, end = f"<!-- begin: {name} -->\n", f"<!-- end: {name} -->"
    before, rest = page.read_text().split(begin)
    write_atomically(page, f"{before}{begin}\n{text}\n\n{end}{rest.split(end)[1]}")


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[[], *VARIANTS], default=[])
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    text = table({VARIANTS[name].title: convert(name) for name in given.names or VARIANTS})
    print(text)
    if given.write:
        write_table(text, "variants")


if __name__ == "__main__":
    main()
