"""Adams/Car databases that others made, through ``convert``: each by the one command that is printed.

usage: python -m benchmarks.databases [--write] [NAME …]

They lie in ../shared/data/adams; without them nothing is done. Each is a conversion of its own with the usual tests and
hold-outs, in a folder under build/databases; one that is there already is not done again. What was held out is printed
index by index. With ``--write`` the table goes into docs/convert.md.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.variants import ROOT, table, write_table

__all__ = ["DATABASES", "Database"]

ADAMS, FOLDER = ROOT.parent / "shared" / "data" / "adams", ROOT / "build" / "databases"
SHARED = ADAMS / "BCAE_SLIIT_Three_Wheeler" / "SLIIT_Demo_ThreeWheeler.cdb"


@dataclass(frozen=True, slots=True)
class Database:
    """A vehicle of a database: its title, the assembly and the options of the command."""

    title: str
    assembly: Path
    options: tuple[str, ...]

    def command(self, out: Path) -> list[str]:
        """What converts it, without the program."""
        return ["convert", str(self.assembly), *self.options, "--out", str(out)]


DATABASES = {
    "demo_vehicle": Database(
        "demo vehicle, rear subframe on soft bushings",
        ADAMS / "zbingf_matlab_code" / "matlab_adams" / "Classs" / "MDI_Demo_Vehicle.asy",
        ("--alias", f"acar_shared={SHARED}"),
    ),
    "three_wheeler": Database(
        "three-wheeler, with stand-ins", SHARED / "assemblies.tbl" / "MDI_Demo_ThreeWheeler.asy", ("--stand-in",)
    ),
}


def convert(name: str) -> Mapping[str, Any]:
    """Summary of the conversion of a vehicle."""
    folder = FOLDER / name
    summary = folder / "summary.json"
    if not summary.is_file():
        FOLDER.mkdir(parents=True, exist_ok=True)
        command = DATABASES[name].command(folder)
        print("trackrod", shlex.join(command), flush=True)
        subprocess.run([sys.executable, "-m", "trackrod", *command], check=True)
    found: Mapping[str, Any] = json.loads(summary.read_text())
    return found


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[[], *DATABASES], default=[])
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    missing = [database.assembly for database in DATABASES.values() if not database.assembly.is_file()]
    if missing:
        print(f"skipped: there is no {missing[0]}")
        return
    summaries = {name: convert(name) for name in given.names or DATABASES}
    for name, summary in summaries.items():
        print(f"\n{DATABASES[name].title}: held out [%], as converted and tuned")
        for index in summary["indices"]:
            if index["hold_out"]:
                values = f"{index['nominal_pct']:6.2f} {index['optimised_pct']:6.2f}"
                print(f"  {index['manoeuvre']:20} {index['index']:40} {values}")
    text = table({DATABASES[name].title: summary for name, summary in summaries.items()}, "database")
    print(f"\n{text}")
    if given.write:
        write_table(text, "databases")


if __name__ == "__main__":
    main()
