"""Print the folder of the C headers of FMI, which fmpy brings; nothing if it is not installed."""

from __future__ import annotations

import importlib.util
from pathlib import Path

found = importlib.util.find_spec("fmpy")
if found is not None and found.origin is not None:
    folder = Path(found.origin).parent / "c-code"
    if (folder / "fmi3Functions.h").is_file():
        print(folder.as_posix())
