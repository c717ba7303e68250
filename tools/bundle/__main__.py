"""Write all bundled vehicles and the sample axles: ``python -m tools.bundle [name ...]``."""

from __future__ import annotations

import sys

from tools.bundle.samples import sample_texts
from tools.bundle.vehicles import BUNDLED, VEHICLES, texts

from trackrod.core.files import write_atomically
from trackrod.vehicle.catalogue import SAMPLE_DATABASE


def main() -> None:
    for name in sys.argv[1:] or (*VEHICLES, SAMPLE_DATABASE):
        folder = BUNDLED / f"{name}.cdb" if name in VEHICLES else BUNDLED.parent / f"{SAMPLE_DATABASE}.cdb"
        files = texts(name) if name in VEHICLES else sample_texts()
        for path, text in files.items():
            write_atomically(folder / path, text, make_parents=True)
        for stale in {path for path in folder.rglob("*") if path.is_file()} - {folder / path for path in files}:
            stale.unlink()
        print(f"{folder.relative_to(BUNDLED.parent)} written")


main()
