"""Print how far the real-time model lies from the multibody model, and write it into docs/controls.md.

usage: write_controls.py

The text between the lines ``<!-- begin: NAME -->`` and ``<!-- end: NAME -->`` is replaced. It takes about two minutes.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from trackrod.core.files import write_atomically

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "controls.md"


def main() -> None:
    sys.path.insert(0, str(ROOT / "tests" / "controls"))
    from measurements import reasons, table  # noqa: PLC0415 - lies with the tests

    page = PAGE.read_text()
    for name, text in (("differences", table()), ("reasons", reasons())):
        print(text)
        pattern = rf"(<!-- begin: {name} -->\n).*?(<!-- end: {name} -->)"
        page = re.sub(pattern, lambda found, text=text: found[1] + text + found[2], page, flags=re.DOTALL)
    write_atomically(PAGE, page)


if __name__ == "__main__":
    main()
