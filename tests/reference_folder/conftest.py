"""The converted vehicles of the tests of the real-time model serve here too."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "rtm"))
