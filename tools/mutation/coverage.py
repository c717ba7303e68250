"""Which test runs which lines of the watched modules, and what it costs.

A test file is run once, in a process of its own, with a trace function that looks at the watched files only. What a
fixture or a cached function of a test ran is counted for every test that uses the kept result, not only for the first:
otherwise a fault in it would be shown to one test alone.
"""

from __future__ import annotations

import functools
import itertools
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
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
    """What one test runs.

    Attributes
    ----------
    name
        As pytest calls it.
    cost
        CPU time with tracing, without what is kept from one test to the next [s].
    kept
        CPU time of each fixture and each cached call that it uses, paid once by all tests that do [s].
    lines
        Lines that are run, by watched file.
    """

    __test__ = False

    name: str
    cost: float
    kept: dict[str, float]
    lines: dict[str, list[int]]


@dataclass
class _Seen:
    """Lines that were run, the CPU time for what was not kept, and that of each thing that was [s]."""

    lines: set[tuple[str, int]] = field(default_factory=set)
    cost: float = 0.0
    kept: dict[str, float] = field(default_factory=dict)

    def use(self, name: str, other: _Seen) -> None:
        """Something that was made once and kept."""
        self.lines |= other.lines
        self.kept |= {**other.kept, name: other.cost}


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

    @contextmanager
    def apart(self) -> Iterator[_Seen]:
        """What is run in this context, told apart from what is run around it."""
        outer, inner = self._seen, _Seen()
        self._seen = inner
        began = time.process_time()
        try:
            yield inner
        finally:
            spent = time.process_time() - began
            inner.cost += spent
            outer.cost -= spent  # it is inside the time of what is around it
            self._seen = outer

    def cache(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """As `functools.cache`; what a call ran the first time counts for every later call."""
        kept: dict[object, _Seen] = {}
        real = _CACHE(function)

        @functools.wraps(function)
        def call(*args: Any, **named: Any) -> Any:
            key = (args, tuple(named.items()))
            if key not in kept:
                with self.apart() as kept[key]:
                    real(*args, **named)
            self._seen.use(f"{function.__qualname__}{hash(key)}", kept[key])
            return real(*args, **named)

        call.cache_clear, call.cache_info = real.cache_clear, real.cache_info  # type: ignore[attr-defined]
        return call

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            self._passed.add(report.nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Generator[None, Any, Any]:
        with self.apart() as self._fixtures[id(fixturedef)]:
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Generator[None, Any, Any]:
        sys.settrace(self.trace)
        threading.settrace(self.trace)
        try:
            with self.apart() as seen:
                return (yield)
        finally:
            sys.settrace(None)
            threading.settrace(None)
            for definition in itertools.chain(*item._fixtureinfo.name2fixturedefs.values()):
                if id(definition) in self._fixtures:
                    seen.use(f"fixture {definition.argname}", self._fixtures[id(definition)])
            if item.nodeid in self._passed:
                lines: dict[str, list[int]] = {}
                for name, line in sorted(seen.lines):
                    lines.setdefault(name, []).append(line)
                self.tests.append(TestCoverage(item.nodeid, round(seen.cost, 4), seen.kept, lines))
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
