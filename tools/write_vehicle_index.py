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
    """To 1e-6 of the unit: a product of inertia that is nearly zero has digits that depend on the order of a sum."""
    if isinstance(value, list):
        return [rounded(item) for item in value]
    return round(value, 6) + 0.0 if isinstance(value, float) else value  # + 0.0: no minus before a zero


def main() -> int:
    found = {name: {k: rounded(v) for k, v in figures(open_vehicle(name).vehicle).items()} for name in BUNDLED}
    text = pretty_json(found)  # type: ignore[arg-type]
    if "--check" in sys.argv:
        return int(not INDEX.is_file() or INDEX.read_text(encoding="utf-8") != text)
    INDEX.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
