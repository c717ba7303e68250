"""The measurements are a package beside the tests, which `pytest` alone does not find."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
