"""How well tuned models follow a step of the steering wheel, and whether tuning comes back from a wrong start.

usage: python -m benchmarks.step_steer [--json FILE] [--write] [NAME …]

Each case is a conversion of its own with the usual tests and hold-outs, in a folder under build/step_steer; one that is
there already is not done again. The cases are the bundled vehicles, the van of another multibody program where its
results lie beside the project, and vehicles whose study begins with quasi-static compliance and every parameter 20 %
wrong, up and down by turns, and goes on with moving compliance where that is not enough. That van, too, is done once
more with masses that are wrong. With ``--write`` the tables go into docs/convert.md and docs/reference_folder.md.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.chrono_van import RIGHT, WRONG, write_folder
from benchmarks.variants import CURVES, ROOT, write_table
from trackrod.core.files import write_atomically
from trackrod.tune.space import PAPER_SET
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.workflow.request import StudyRequest
from trackrod.workflow.study import run_study

__all__ = ["CASES", "Case", "came_back", "converted", "found_masses", "step_steers", "wrong_start"]

FOLDER, PAGE_OF_MASSES = ROOT / "build" / "step_steer", ROOT / "docs" / "reference_folder.md"
SHARED = ROOT.parent / "shared" / "data"
#: The van of another program, right and with masses that are wrong.
VAN, WRONG_VAN = "chrono_van", "chrono_van, wrong start"
#: How wrong a wrong start is [-], and how far tuning may go from there: back from 0.8 is 25 % up.
WRONG_BY, RANGE_PCT = 0.2, 30
#: Factors of a wrong start, up and down by turns: roll inertia up and yaw inertia down, for no body has them
#: the other way round where its pitch inertia is right.
START = {name: 1 - WRONG_BY * (-1) ** k for k, name in enumerate(PAPER_SET)}
#: Masses that the study of that van has to find. The parameter `cg_height` counts from where the vehicle of the folder
#: stands, which is another place with other masses: heights are compared above the road on which each model stands.
MASSES = {"sprung_mass": "`sprung_mass` [kg]", "Izz": "`Izz` [kg·m²]"}


@dataclass(frozen=True, slots=True)
class Case:
    """A conversion: of a bundled vehicle, or of results of another program where `vehicle` is empty."""

    vehicle: str = ""
    wrong: bool = False

    def request(self, folder: Path) -> StudyRequest:
        """Of a study in this folder, with the files that it needs beside it."""
        config, reference = None, None
        folder.mkdir(parents=True, exist_ok=True)
        if not self.vehicle:
            reference = write_folder(folder, SHARED, WRONG if self.wrong else RIGHT)
        elif self.wrong:
            config = folder / "study.toml"
            config.write_text(wrong_start())
        return StudyRequest(vehicle=self.vehicle or None, reference=reference, config=config, out=folder / "study")


CASES = {
    **{name: Case(name) for name in BUNDLED},
    VAN: Case(),
    WRONG_VAN: Case(wrong=True),
    **{f"{name}, wrong start": Case(name, wrong=True) for name in ("lcv_7t", "suv")},
}


def wrong_start() -> str:
    """A study file: quasi-static compliance first, every parameter 20 % wrong."""
    factors = "\n".join(f"{name} = {factor:g}" for name, factor in START.items())
    return f'[study]\ncompliance = ["quasi-static", "moving"]\nrange_pct = {RANGE_PCT}\n\n[start]\n{factors}\n'


def converted(name: str) -> Mapping[str, Any]:
    """Summary of the study of a case, made if it is not there."""
    folder = FOLDER / name.replace(", ", "_").replace(" ", "_")
    if not (folder / "study" / "summary.json").is_file():
        run_study(CASES[name].request(folder))
    found: Mapping[str, Any] = json.loads((folder / "study" / "summary.json").read_text())
    return found


def step_steers(summaries: Mapping[str, Mapping[str, Any]]) -> str:
    """Differences in the step steer and the largest of all, as a table of the page."""
    rows = [
        "| vehicle | a_y [%] | yaw rate [%] | largest tuned with [%] | largest held out, smooth road [%] |",
        "|---|---|---|---|---|",
    ]
    for name, summary in summaries.items():
        steps = {i["index"]: i for i in summary["indices"] if i["manoeuvre"] in ("step_steer", "step")}
        cells = [name, *(_change(steps[curve]) for curve in CURVES)]
        cells += [_largest(summary, hold_out=hold_out) for hold_out in (False, True)]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def came_back(summary: Mapping[str, Any]) -> str:
    """Where a study began and ended, parameter by parameter, as a table of the page; 1 is what was converted."""
    rows = ["| parameter | start | tuned | interval |", "|---|---|---|---|"]
    for item in summary["parameters"]:
        if not (start := START.get(item["name"])):
            continue
        right = item["nominal"] / start
        low, high = sorted(end / right for end in item["interval"])
        rows.append(f"| `{item['name']}` | {start:g} | {item['optimised'] / right:.3f} | {low:.3f} to {high:.3f} |")
    return "\n".join(rows)


def found_masses(right: Mapping[str, Any], wrong: Mapping[str, Any]) -> str:
    """What the study of the van found, beside what the right folder says, as a table of the page."""
    true, found = ({item["name"]: item for item in summary["parameters"]} for summary in (right, wrong))
    lines = {title: (found[name], true[name]["nominal"]) for name, title in MASSES.items()}
    standing = "standing_cg_height"
    lines["height of the centre of gravity above the road [m]"] = (wrong[standing], right[standing]["nominal"])
    rows = ["| | folder | tuned | interval | true value | held |", "|---|---:|---:|---:|---:|---|"]
    for title, (item, truth) in lines.items():
        low, high = item["interval"]
        held = "yes" if low <= truth <= high else "no"
        numbers = [f"{value:.4g}" for value in (item["nominal"], item["optimised"], low, high, truth)]
        rows.append(f"| {title} | {numbers[0]} | {numbers[1]} | {numbers[2]} to {numbers[3]} | {numbers[4]} | {held} |")
    return "\n".join(rows)


def _change(index: Mapping[str, Any]) -> str:
    return f"{index['nominal_pct']:.2f} → {index['optimised_pct']:.2f}"


def _largest(summary: Mapping[str, Any], *, hold_out: bool) -> str:
    found = [i for i in summary["indices"] if i["hold_out"] == hold_out and i["manoeuvre"] != "random_road"]
    worst = max(found, key=lambda index: float(index["optimised_pct"]), default=None)
    return "–" if worst is None else f"{_change(worst)} ({worst['manoeuvre']}, {worst['index']})"


def _page(summaries: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    yield step_steers(summaries)
    for name, summary in summaries.items():
        if CASES[name].wrong and CASES[name].vehicle:
            yield f"Where the study `{name}` began and ended, as factors on what was converted:"
            yield came_back(summary)


def _there(names: Iterable[str]) -> list[str]:
    """Those whose data is there."""
    return [name for name in names if CASES[name].vehicle or (SHARED / "reference" / "chrono_van").is_dir()]


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[[], *CASES], default=[])
    parser.add_argument("--json", type=Path, help="file for the summaries")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    os.environ.setdefault("MPLBACKEND", "agg")
    summaries = {name: converted(name) for name in _there(given.names or CASES)}
    if given.json:
        write_atomically(given.json, json.dumps(summaries, indent=1, ensure_ascii=False) + "\n")
    text = "\n\n".join(_page(summaries))
    print(text)
    if given.write:
        write_table(text, "step steer")
    if {VAN, WRONG_VAN} <= set(summaries):
        text = found_masses(summaries[VAN], summaries[WRONG_VAN])
        print(f"\n{text}")
        if given.write:
            write_table(text, "found masses", PAGE_OF_MASSES)


if __name__ == "__main__":
    main()
