"""Write the index of the bundled vehicles, which ``trackrod vehicles`` lists: key figures of each, by name.

With ``--check`` nothing is written; the exit code is 1 if the index is not current.
"""

from __future__ import annotations

import sys

from trackrod.adams.source import open_vehicle
from trackrod.cli.vehicle import figures
from trackrod.core.plain import pretty_json
from trackrod.vehicle.catalogue import BUNDLED, INDEX


def rounded(value: object) -> object:
    """To ten digits: what another order of a sum does to the last ones is no news."""
    if isinstance(value, list):
        return [rounded(item) for item in value]
    return float(f"{value:.10g}") if isinstance(value, float) else value


def main() -> int:
    found = {name: {k: rounded(v) for k, v in figures(open_vehicle(name).vehicle).items()} for name in BUNDLED}
    text = pretty_json(found)  # type: ignore[arg-type]
    if "--check" in sys.argv:
        return int(not INDEX.is_file() or INDEX.read_text(encoding="utf-8") != text)
    INDEX.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
