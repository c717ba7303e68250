"""Which test runs which lines of the watched modules, and what it costs.

A test file is run once, in a process of its own, with a trace function that looks at the watched files only. What a
fixture or a cached function of a test ran is counted for every test that uses the kept result, not only for the first:
otherwise a fault in it would be shown to one test alone.
"""

from __future__ import annotations

import functools
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

__all__ = ["PYTEST", "TestCoverage", "collect"]

#: Options of every run of pytest; that some plugins are imported already is wanted.
PYTEST = ("-q", "-q", "-n", "0", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning")


@dataclass(frozen=True)
class TestCoverage:
    """What one test runs: CPU time with tracing [s], and lines by watched file."""

    __test__ = False

    name: str
    cost: float
    lines: dict[str, list[int]]


@dataclass
class _Seen:
    """Lines that were run, and the CPU time for them [s]."""

    lines: set[tuple[str, int]] = field(default_factory=set)
    cost: float = 0.0

    def add(self, other: _Seen) -> None:
        self.lines |= other.lines
        self.cost += other.cost


class Collector:
    """A pytest plugin that notes the lines of each test that passes.

    Parameters
    ----------
    files
        Watched files: path to the name that is noted.
    longest
        CPU time after which the rest of a test file is left [s].
    """

    def __init__(self, files: dict[str, str], longest: float) -> None:
        self.files = files
        self.longest = longest
        self.tests: list[TestCoverage] = []
        self._seen = _Seen()
        self._fixtures: dict[int, _Seen] = {}
        self._passed: set[str] = set()
        self._made: set[int] = set()  # fixtures that were set up for this test
        self._local: dict[CodeType, Callable[..., Any] | None] = {}

    def trace(self, frame: FrameType, event: str, argument: object) -> Callable[..., Any] | None:
        code = frame.f_code
        if code not in self._local:
            name = self.files.get(code.co_filename)
            self._local[code] = None if name is None else functools.partial(self._line, name)
        return self._local[code]

    def _line(self, name: str, frame: FrameType, event: str, argument: object) -> Callable[..., Any] | None:
        if event == "line":
            self._seen.lines.add((name, frame.f_lineno))
        return self._local[frame.f_code]

    def apart(self, make: Callable[[], Any]) -> tuple[Any, _Seen]:
        """A result, with what was run to make it."""
        outer, self._seen = self._seen, _Seen()
        began = time.process_time()
        try:
            return make(), self._seen
        finally:
            outer.lines |= self._seen.lines
            outer.cost += self._seen.cost  # what it used from caches
            self._seen.cost += time.process_time() - began
            self._seen = outer

    def cache(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """As `functools.cache`; what a call ran the first time counts for every later call."""
        kept: dict[object, _Seen] = {}
        real = _CACHE(function)

        @functools.wraps(function)
        def call(*args: Any, **named: Any) -> Any:
            key = (args, tuple(named.items()))
            if key not in kept:
                result, kept[key] = self.apart(lambda: real(*args, **named))
                return result
            self._seen.add(kept[key])
            return real(*args, **named)

        call.cache_clear, call.cache_info = real.cache_clear, real.cache_info  # type: ignore[attr-defined]
        return call

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            self._passed.add(report.nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Generator[None, Any, Any]:
        outer, self._seen = self._seen, _Seen()
        began = time.process_time()
        try:
            return (yield)
        finally:
            self._seen.cost += time.process_time() - began
            self._fixtures[id(fixturedef)] = self._seen
            self._made.add(id(fixturedef))
            self._seen = outer

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Generator[None, Any, Any]:
        self._seen, self._made = _Seen(), set()
        began = time.process_time()
        sys.settrace(self.trace)
        threading.settrace(self.trace)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            threading.settrace(None)
            self._seen.cost += time.process_time() - began
            for definitions in item._fixtureinfo.name2fixturedefs.values():
                for key in map(id, definitions):
                    if key in self._fixtures:
                        kept = self._fixtures[key]
                        self._seen.add(_Seen(kept.lines, 0.0 if key in self._made else kept.cost))
            lines: dict[str, list[int]] = {}
            for name, line in sorted(self._seen.lines):
                lines.setdefault(name, []).append(line)
            if item.nodeid in self._passed:
                self.tests.append(TestCoverage(item.nodeid, round(self._seen.cost, 4), lines))
            if time.process_time() > self.longest:
                item.session.shouldstop = f"more than {self.longest:g} s"


_CACHE = functools.cache


def collect(test_file: Path, files: Iterable[Path], source: Path, longest: float) -> list[TestCoverage]:
    """The tests of a file, each with the lines that it runs. For a process that ends afterwards.

    Parameters
    ----------
    test_file
        What to run.
    files, source
        The watched files, and the folder that their names are relative to.
    longest
        CPU time after which the rest of the file is left [s].
    """
    collector = Collector({str(file): file.relative_to(source).as_posix() for file in files}, longest)
    functools.cache = collector.cache  # type: ignore[assignment]
    pytest.main([*PYTEST, str(test_file)], plugins=[collector])
    return collector.tests
