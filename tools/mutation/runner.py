"""Runs the tests that can notice a mutant, each mutant in a process of its own.

For each module one worker imports everything that does not depend on the module, and forks a child for each mutant. The
child finds the module's text changed, wherever it is imported from, and runs the tests that run the changed line, the
quickest file first, until one fails. Its cache of results is an empty folder: names of kept results follow from the
files, which are unchanged. A child that needs many times what the unchanged tests need has noticed too.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import pkgutil
import resource
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import CodeType

import pytest
from tools.mutation.coverage import PYTEST, TestCoverage, collect
from tools.mutation.mutants import ANYWHERE, Mutant

__all__ = ["ROOT", "SOURCE", "Result", "coverage_of", "end_with_child", "is_known", "run_module", "tests_for"]

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "trackrod"
TESTS = ROOT / "tests"

#: CPU time with tracing that the tests of one mutant may take, and that of a test file for the map [s].
WORK_LIMIT, COVERAGE_LIMIT = 12.0, 40.0
#: A mutant is ended after so many times the CPU time of the unchanged tests, and so much more [s].
PATIENCE, GRACE = 3.0, 20.0
_MEMORY = 6 << 30


@dataclass(frozen=True)
class Result:
    """What became of a mutant.

    Attributes
    ----------
    name, key
        The mutant, and a hash of what the outcome follows from.
    outcome
        ``noticed``, ``survived`` or ``unreached`` (no test within the limit runs the line).
    by
        The test that noticed, or why.
    seconds
        CPU time.
    """

    name: str
    key: str
    outcome: str
    by: str
    seconds: float


def coverage_of(test_file: Path, modules: Sequence[str], folder: Path) -> list[TestCoverage]:
    """Which lines the tests of a file run; what is known of an unchanged file is read from the folder."""
    watched = [SOURCE / module for module in modules]
    digest = hashlib.sha256(test_file.read_bytes())
    for file in watched:
        digest.update(file.read_bytes())
    kept = folder / f"{test_file.stem}-{digest.hexdigest()[:24]}.json"
    if not kept.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        _, seconds = _in_child(lambda: _write_coverage(test_file, watched, kept))
        print(f"{seconds:6.1f} s  {test_file.relative_to(ROOT)}", flush=True)
    return [TestCoverage(**entry) for entry in json.loads(kept.read_text())] if kept.is_file() else []


def _write_coverage(file: Path, watched: list[Path], kept: Path) -> None:
    found = collect(file, watched, SOURCE, COVERAGE_LIMIT)
    part = kept.with_suffix(".part")
    part.write_text(json.dumps([asdict(test) for test in found]))
    part.replace(kept)


def tests_for(mutant: Mutant, tests: Sequence[TestCoverage]) -> list[list[TestCoverage]]:
    """The tests that can notice, by file, the quickest file first, within the limit of work."""
    for first, last in mutant.places:
        runs = [t for t in tests if any(first <= line <= last for line in t.lines.get(mutant.module, ()))]
        if runs:
            break
    if (first, last) == ANYWHERE:  # a test may look at what was made when the module was imported, and run nothing
        files = {test.name.split("::")[0] for test in runs}
        runs = [test for test in tests if test.name.split("::")[0] in files]
    by_file: dict[str, list[TestCoverage]] = {}
    paid: set[tuple[str, str]] = set()
    work = 0.0
    for test in sorted(runs, key=lambda t: t.cost + sum(t.kept.values())):
        file = test.name.split("::")[0]
        more = test.cost + sum(cost for name, cost in test.kept.items() if (file, name) not in paid)
        if work + more <= WORK_LIMIT:
            work += more
            paid |= {(file, name) for name in test.kept}
            by_file.setdefault(file, []).append(test)
    return sorted(by_file.values(), key=work_of)


def work_of(group: Sequence[TestCoverage]) -> float:
    """CPU time of tests of one file [s]."""
    kept = dict(item for test in group for item in test.kept.items())
    return sum(test.cost for test in group) + sum(kept.values())


def result_key(mutant: Mutant, groups: Sequence[Sequence[TestCoverage]], by: str = "") -> str:
    """Hash of what a result follows from: the changed module, and the file of the test that noticed or all tests."""
    digest = hashlib.sha256(mutant.applied((SOURCE / mutant.module).read_text()).encode())
    noticing = ROOT / by.split("::", maxsplit=1)[0].split(" ", maxsplit=1)[0]
    if by and noticing.is_file():
        digest.update(noticing.read_bytes())
        return digest.hexdigest()[:24]
    for group in groups:
        digest.update((ROOT / group[0].name.split("::")[0]).read_bytes())
        digest.update("".join(sorted(test.name for test in group)).encode())
    return digest.hexdigest()[:24]


def is_known(result: Result | None, mutant: Mutant, groups: Sequence[Sequence[TestCoverage]]) -> bool:
    """Whether a result still holds: one that was noticed, while that test is as it was; another, while all are."""
    return result is not None and result.key == result_key(mutant, groups, result.by)


def run_module(mutants: Sequence[tuple[Mutant, list[list[TestCoverage]]]], results: Path) -> None:
    """Run the mutants of one module, and add a line for each to the file of results."""
    module = mutants[0][0].module
    _import_all_but("trackrod." + module.removesuffix(".py").replace("/", "."))
    trusted: set[str] = set()
    broken: set[str] = set()
    for mutant, groups in mutants:
        outcome, by, seconds = _run_with_sound_tests(mutant, groups, trusted, broken)
        key = result_key(mutant, groups, by)
        with results.open("a") as file:
            file.write(json.dumps(asdict(Result(mutant.name, key, outcome, by, round(seconds, 2)))) + "\n")
        print(f"{outcome:10s}{seconds:6.1f} s  {mutant.name}  {by}", flush=True)


def _run_with_sound_tests(
    mutant: Mutant, groups: Sequence[Sequence[TestCoverage]], trusted: set[str], broken: set[str]
) -> tuple[str, str, float]:
    """As `run_mutant`; a test that notices must pass here when nothing is changed, otherwise it does not count."""
    nothing = Mutant("nothing", mutant.module, "", 0, 0, "", ())
    while True:
        sound = [kept for group in groups if (kept := [test for test in group if test.name not in broken])]
        outcome, by, seconds = run_mutant(mutant, sound)
        asked = [test for group in sound for test in group if by.startswith(test.name.split("::")[0])]
        if trusted.issuperset(test.name for test in asked):
            return outcome, by, seconds
        unsound, failed, _ = run_mutant(nothing, [asked])
        if unsound != "noticed":
            trusted |= {test.name for test in asked}
            return outcome, by, seconds
        print(f"{failed} fails without a fault: left out", flush=True)
        broken |= {test.name for test in asked if test.name == failed} or {test.name for test in asked}


def run_mutant(mutant: Mutant, groups: Sequence[Sequence[TestCoverage]]) -> tuple[str, str, float]:
    """Outcome, what noticed it, and the CPU time [s]."""
    if not groups:
        return "unreached", "no test within the limit runs it", 0.0
    limit = int(PATIENCE * sum(map(work_of, groups)) + GRACE)
    source = mutant.applied((SOURCE / mutant.module).read_text())
    with tempfile.TemporaryDirectory() as scratch:
        said = Path(scratch) / "said"

        def child() -> None:
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
            resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
            os.environ["TRACKROD_CACHE"] = str(Path(scratch) / "cache")
            install(mutant.module, source)
            said.write_text(_run_tests(groups))

        status, seconds = _in_child(child)
        if status != 0:
            return "noticed", "the process ended" if seconds < limit - 1 else "out of time", seconds
        text = said.read_text()
        return ("noticed", text, seconds) if text else ("survived", "", seconds)


class _FirstFailure:
    """A pytest plugin that remembers the first test that failed."""

    name = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self.name:
            self.name = report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and not self.name:
            self.name = f"{report.nodeid} cannot be collected"


def _run_tests(groups: Sequence[Sequence[TestCoverage]]) -> str:
    """The first test that fails; empty if none does."""
    for group in groups:
        failure = _FirstFailure()
        code = pytest.main([*PYTEST, "-x", "--tb=no", *(test.name for test in group)], plugins=[failure])
        if code != pytest.ExitCode.OK:
            return failure.name or f"pytest ended with {code}"
    return ""


def install(module: str, source: str) -> None:
    """From now on this text is imported in place of the module's file."""
    name = "trackrod." + module.removesuffix(".py").replace("/", ".")
    sys.meta_path.insert(0, _Changed(name, str(SOURCE / module), source))


class _Changed(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Finds and loads one module from a text; with the text None it cannot be imported."""

    def __init__(self, name: str, file: str, source: str | None) -> None:
        self.name, self.file, self.source = name, file, source

    def find_spec(self, name: str, path: object, target: object = None) -> importlib.machinery.ModuleSpec | None:
        if name != self.name:
            return None
        if self.source is None:
            raise ImportError(name)
        return importlib.util.spec_from_file_location(name, self.file, loader=self)

    def get_source(self, name: str) -> str:
        return self.source or ""

    def get_code(self, name: str) -> CodeType:
        return compile(self.source or "", self.file, "exec", dont_inherit=True)


def _import_all_but(name: str) -> None:
    """Import the whole package, except a module and what depends on it."""
    block = _Changed(name, "", None)
    sys.meta_path.insert(0, block)
    for found in pkgutil.walk_packages([str(SOURCE)], "trackrod.", onerror=lambda _: None):
        if not found.name.endswith("__main__"):
            with contextlib.suppress(ImportError):
                importlib.import_module(found.name)
    sys.meta_path.remove(block)


def _in_child(work: Callable[[], None]) -> tuple[int, float]:
    """Do something in a forked process, silently; its exit status and CPU time [s]."""
    sys.stdout.flush()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    pid = os.fork()
    if pid == 0:
        status = 3
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        try:
            quiet = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1):
                os.dup2(quiet, stream)
            os.chdir(ROOT)
            work()
            status = 0
        except Exception:
            traceback.print_exc()
        finally:
            os._exit(status)
    _running.append(pid)
    _, code = os.waitpid(pid, 0)
    _running.clear()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return code, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


#: The child that a worker waits for.
_running: list[int] = []


def end_with_child(*_: object) -> None:
    """End this process and the child that it waits for, at once."""
    for pid in _running:
        os.kill(pid, signal.SIGKILL)
    os._exit(1)
