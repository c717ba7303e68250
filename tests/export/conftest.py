"""FMUs are unzipped once for all tests of a session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import open_fmus
import pytest

from trackrod.export.model_description import FmiVersion


@pytest.fixture(scope="session")
def unzipped(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, FmiVersion], Path]:
    """Where the FMU of a vehicle lies."""
    made: dict[tuple[str, FmiVersion], Path] = {}

    def find(name: str, version: FmiVersion) -> Path:
        if (name, version) not in made:
            made[name, version] = open_fmus.unzipped(name, version, tmp_path_factory.mktemp("fmus"))
        return made[name, version]

    return find


@pytest.fixture(params=open_fmus.VERSIONS, ids=lambda version: version.name)
def car(request: pytest.FixtureRequest, unzipped: Callable[[str, FmiVersion], Path]) -> Iterator[open_fmus.Fmu]:
    """An instance of the car, FMI 2 and 3."""
    made = open_fmus.Fmu(unzipped(open_fmus.CAR, request.param))
    yield made
    made.close()
