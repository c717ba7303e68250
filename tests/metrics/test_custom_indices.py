"""Indices that other packages add."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import EntryPoint

import pytest

from metrics.synthetic_runs import step_steer
from trackrod.core import signals
from trackrod.core.errors import InputError
from trackrod.core.series import Run
from trackrod.metrics import indices as module
from trackrod.metrics.trace import Trace


def roll_rate(run: Run) -> dict[str, Trace]:
    """What such a package would declare."""
    return {"roll rate": Trace(run.time, run[signals.ROLL_RATE], "time", "s", "roll rate", "rad/s")}


@pytest.fixture
def declared(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[None]:
    def declared(group: str) -> list[EntryPoint]:
        return [EntryPoint("step_steer", request.param, group)]

    module._declared_sets.cache_clear()
    monkeypatch.setattr(module, "declared", declared)
    yield
    module._declared_sets.cache_clear()


@pytest.mark.parametrize("declared", ["metrics.test_custom_indices:roll_rate"], indirect=True)
@pytest.mark.usefixtures("declared")
def test_an_index_of_another_package() -> None:
    run = step_steer()
    run = Run({**run, signals.ROLL_RATE.column: run[signals.YAW_RATE]}, run.metadata)
    changed = Run({**run, signals.ROLL_RATE.column: 1.1 * run[signals.YAW_RATE]}, run.metadata)
    found = {index.name: index.value_pct for index in module.indices("step_steer", run, changed)}
    assert found["yaw rate"] == 0.0
    assert 0.0 < found["roll rate"] < 10.0


@pytest.mark.parametrize("declared", ["no_such_package:curves"], indirect=True)
@pytest.mark.usefixtures("declared")
def test_one_that_is_not_there() -> None:
    with pytest.raises(InputError, match=r"no_such_package:curves.*cannot be loaded"):
        module.indices("step_steer", step_steer(), step_steer())
