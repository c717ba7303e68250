"""Plant faults in the physics-facing modules and count those that the tests notice.

usage: python -m tools.mutation [--only TEXT ...] [--each N] [--tests PATTERN ...] [--jobs N] [--list] [--score]

The modules, the number of mutants of each and the folders of tests stand in `modules.toml`; mutants written by hand in
`named.toml`; reasons for survivors in `survivors.toml`. Results are kept in `out/mutation`, one line for each mutant as
soon as it is known: a run that was stopped goes on where it was, and a mutant is not run again while its module and
the test that noticed it, or all tests that did not, are as they were. The score is written to `docs/mutation.md`.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import json
import multiprocessing
import os
import signal
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

from tools.mutation.coverage import TestCoverage
from tools.mutation.mutants import Mutant, generate, known_attributes, named_mutants, sample
from tools.mutation.runner import ROOT, SOURCE, Result, coverage_of, end_with_child, is_known, run_module, tests_for
from tools.mutation.score import score_page

HERE = Path(__file__).resolve().parent
KEPT = ROOT / "out" / "mutation"
SCORE = ROOT / "docs" / "mutation.md"
#: Imported once, before the processes are forked.
_HEAVY = ("numpy", "scipy.interpolate", "scipy.optimize", "scipy.signal", "scipy.stats", "hypothesis.extra.numpy")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.mutation", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--only", nargs="*", default=[], metavar="TEXT", help="mutants whose name contains one of these"
    )
    parser.add_argument("--each", type=int, help="mutants drawn from a module, instead of the number in modules.toml")
    parser.add_argument("--tests", nargs="*", metavar="PATTERN", help="test files, instead of those in modules.toml")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--list", action="store_true", help="show the mutants, run nothing")
    parser.add_argument("--score", action="store_true", help="write the score of results that still hold, run nothing")
    chosen = parser.parse_args(arguments)

    settings = tomllib.loads((HERE / "modules.toml").read_text())
    mutants = all_mutants(settings["modules"], chosen.each or settings["each"], settings["seed"])
    watched = sorted({mutant.module for mutant in mutants})
    if chosen.only:
        mutants = [m for m in mutants if any(text in m.name for text in chosen.only)]
    if chosen.list:
        for mutant in mutants:
            print(f"{mutant.name}\t{mutant.change}")
        return 0
    if chosen.score:
        known = _known(KEPT / "results.jsonl")
        given = {mutant.name: (mutant, known[mutant.name]) for mutant in mutants if mutant.name in known}
        # One that was noticed before its module or that test changed is not known; one that was not counts until it is.
        results = {name: r for name, (m, r) in given.items() if r.outcome != "noticed" or is_known(r, m, [])}
    else:
        results = _measured(mutants, watched, chosen.tests or settings["tests"], set(settings["without"]), chosen.jobs)
    if not chosen.only and not chosen.tests:
        SCORE.write_text(score_page(mutants, results, tomllib.loads((HERE / "survivors.toml").read_text())))
    unnoticed = [result for result in results.values() if result.outcome != "noticed"]
    print(f"{len(results) - len(unnoticed)} of {len(results)} noticed")
    return 0


def _measured(
    mutants: Sequence[Mutant], watched: list[str], patterns: Sequence[str], without: set[str], jobs: int
) -> dict[str, Result]:
    """Results of all mutants: what is known and still holds, and the rest run now."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before NumPy is imported
    for name in _HEAVY:
        importlib.import_module(name)
    folder = ROOT / "tests"
    found = [file for pattern in patterns for file in sorted(folder.glob(pattern))]
    test_files = [file for file in found if file.relative_to(folder).as_posix() not in without]
    with multiprocessing.get_context("fork").Pool(jobs, _ready_to_stop, maxtasksperchild=1) as pool:
        results = run(pool, mutants, _coverage(pool, test_files, watched))
        pool.close()
        pool.join()
    return results


def _ready_to_stop() -> None:
    """A worker leaves Ctrl-C to the main process, which ends it; it then takes its child along."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, end_with_child)


def all_mutants(modules: Sequence[str], each: int, seed: int) -> list[Mutant]:
    """The mutants written by hand, and those drawn from each module."""
    known = known_attributes(SOURCE)
    drawn = [sample(generate(module, (SOURCE / module).read_text(), known), each, seed) for module in modules]
    return [*named_mutants(HERE / "named.toml", SOURCE), *(mutant for group in drawn for mutant in group)]


def run(pool: object, mutants: Sequence[Mutant], tests: list[TestCoverage]) -> dict[str, Result]:
    """Results by the names of the mutants; those that are not known yet are run, module by module."""
    file = KEPT / "results.jsonl"
    known = _known(file)
    chosen = {mutant.name: tests_for(mutant, tests) for mutant in mutants}
    waiting: dict[str, list[tuple[Mutant, list[list[TestCoverage]]]]] = {}
    for mutant in mutants:
        if not is_known(known.get(mutant.name), mutant, chosen[mutant.name]):
            waiting.setdefault(mutant.module, []).append((mutant, chosen[mutant.name]))
    if waiting:
        KEPT.mkdir(parents=True, exist_ok=True)
        work = sorted(waiting.values(), key=len, reverse=True)
        for _ in pool.imap_unordered(functools.partial(run_module, results=file), work):  # type: ignore[attr-defined]
            pass
        known = _known(file)
    return {m.name: known[m.name] for m in mutants if is_known(known.get(m.name), m, chosen[m.name])}


def _known(file: Path) -> dict[str, Result]:
    """The last result of each mutant."""
    lines = file.read_text().splitlines() if file.is_file() else []
    return {result.name: result for result in (Result(**json.loads(line)) for line in lines)}


def _coverage(pool: object, files: list[Path], watched: list[str]) -> list[TestCoverage]:
    one = functools.partial(coverage_of, modules=watched, folder=KEPT / "coverage")
    found = pool.imap(one, files)  # type: ignore[attr-defined]
    return [test for tests in found for test in tests]


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("stopped; what is known is kept")
