"""Fixtures shared by all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from trackrod.tyre.samples import SAMPLES

# No time limit for an example: machines differ. The examples are the same in every run, so that a test that passed
# passes again; EXPLORE=1 in the environment draws new ones.
settings.register_profile("trackrod", deadline=None, derandomize="EXPLORE" not in os.environ)
settings.load_profile("trackrod")

ROOT = Path(__file__).resolve().parent.parent
SHARED_DATA = ROOT.parent / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of third-party files to try readers on; not part of the project, so the test skips without it."""
    if not SHARED_DATA.is_dir():
        pytest.skip(f"third-party data are not at {SHARED_DATA}: this check needs them")
    return SHARED_DATA


@pytest.fixture(params=sorted(SAMPLES), scope="session")
def sample(request: pytest.FixtureRequest) -> Path:
    """Every bundled tyre in turn: one of each formula."""
    return SAMPLES[request.param]
