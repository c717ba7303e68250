"""The command line leaves the processors to its runs: linear algebra has one thread unless the user says otherwise."""

from __future__ import annotations

import importlib
import os

import pytest

import trackrod.cli


@pytest.mark.parametrize(("given", "used"), [(None, "1"), ("4", "4")])
def test_threads_of_the_linear_algebra(monkeypatch: pytest.MonkeyPatch, given: str | None, used: str) -> None:
    name = "OPENBLAS_NUM_THREADS"
    monkeypatch.delenv(name, raising=False)
    if given is not None:
        monkeypatch.setenv(name, given)
    importlib.reload(trackrod.cli)
    assert os.environ[name] == used
