"""Write all bundled vehicles: ``python -m tools.bundle [name ...]``."""

from __future__ import annotations

import sys

from tools.bundle.vehicles import BUNDLED, VEHICLES, stale_files, texts

from trackrod.core.files import write_atomically


def main() -> None:
    for name in sys.argv[1:] or VEHICLES:
        folder = BUNDLED / f"{name}.cdb"
        for path, text in texts(name).items():
            write_atomically(folder / path, text, make_parents=True)
        for stale in stale_files(name):
            stale.unlink()
        print(f"{folder.relative_to(BUNDLED.parent)} written")


main()
