"""Print how far the real-time model lies from the multibody model, and write it into docs/controls.md."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "controls"))

from measurements import page_with, reasons, table  # noqa: E402 - lies with the tests

from trackrod.core.files import write_atomically  # noqa: E402

PAGE = ROOT / "docs" / "controls.md"

if __name__ == "__main__":
    differences = table()
    print(differences, end="")
    write_atomically(PAGE, page_with(PAGE.read_text(), {"differences": differences, "reasons": reasons()}).encode())
