"""The command that plants faults: the same ones every time, and one that the tests notice is told as noticed."""

from __future__ import annotations

import importlib
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = '''\
"""A sample."""

HALF = 0.5


def load_transfer(run, *, left=1.0):
    """Half the difference."""
    if run.left > 1:
        raise ValueError("more than 1")
    return HALF * (run.right - run.left)
'''
COVERED = """\
from functools import cache

import pytest
from watched import kept, made

once = cache(kept)


@pytest.fixture(scope="module")
def two():
    return made()


def test_first(two):
    assert two == 2 * once()


def test_second(two):
    assert once() == two / 2


def test_third():
    pass
"""


@pytest.fixture(scope="module")
def tool() -> Iterator[Any]:
    """The modules of the command, from the folder of the project."""
    sys.path.insert(0, str(ROOT))
    try:
        yield {name: importlib.import_module(f"tools.mutation.{name}") for name in ("mutants", "coverage")}
    finally:
        sys.path.remove(str(ROOT))


def changes(tool: Any, source: str) -> dict[str, str]:
    found = tool["mutants"].generate("sample.py", source, frozenset({"left", "right"}))
    return {mutant.name: mutant.change for mutant in found}


def test_the_faults_of_a_small_module(tool: Any) -> None:
    assert changes(tool, SAMPLE) == {
        "sample:module:number:1": "0.5 → 0.55",
        "sample:load_transfer:number:1": "1.0 → 1.1",
        "sample:load_transfer:comparison:1": "run.left > 1 → run.left < 1",
        "sample:load_transfer:attribute:1": "run.left → run.right",
        "sample:load_transfer:whole_number:1": "1 → 0",
        "sample:load_transfer:operation:1": "HALF * (run.right - run.left) → HALF / (run.right - run.left)",
        "sample:load_transfer:first_only:1": "HALF * (run.right - run.left) → HALF",
        "sample:load_transfer:second_only:1": "HALF * (run.right - run.left) → run.right - run.left",
        "sample:load_transfer:operation:2": "run.right - run.left → run.right + run.left",
        "sample:load_transfer:first_only:2": "run.right - run.left → run.right",
        "sample:load_transfer:attribute:2": "run.right → run.left",
        "sample:load_transfer:attribute:3": "run.left → run.right",
    }


def test_names_do_not_depend_on_lines(tool: Any) -> None:
    assert changes(tool, SAMPLE.replace("HALF = 0.5", "# a comment with ²\n\nHALF = 0.5")) == changes(tool, SAMPLE)


def test_the_fault_is_put_where_it_belongs(tool: Any) -> None:
    source = "# ü comes before\n" + SAMPLE
    mutants = tool["mutants"].generate("sample.py", source, frozenset({"left", "right"}))
    chosen = next(mutant for mutant in mutants if mutant.name.endswith("load_transfer:operation:2"))
    assert chosen.applied(source) == source.replace("(run.right - run.left)", "((run.right + run.left))")


def test_a_sample_follows_from_its_seed(tool: Any) -> None:
    mutants = tool["mutants"].generate("sample.py", SAMPLE, frozenset({"left", "right"}))
    drawn = [[mutant.name for mutant in tool["mutants"].sample(mutants, 5, seed)] for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1]
    assert drawn[0] != drawn[2]
    assert all(len(names) == 5 for names in drawn)


def test_what_a_fixture_or_a_cache_ran_counts_for_every_test_that_uses_it(tmp_path: Path) -> None:
    """In an interpreter of its own: the collection changes `functools.cache`."""
    (tmp_path / "watched.py").write_text("def kept():\n    return 1\n\n\ndef made():\n    return 2\n")
    (tmp_path / "test_sample.py").write_text(COVERED)
    code = f"""
import sys
from pathlib import Path
from tools.mutation.coverage import collect
folder = Path({str(tmp_path)!r})
sys.path.insert(0, str(folder))
for test in collect(folder / "test_sample.py", [folder / "watched.py"], folder, 60.0):
    print(test.name.split("::")[1], *test.lines.get("watched.py", []), file=sys.stderr)
"""
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert result.stderr.splitlines() == ["test_first 2 6", "test_second 2 6", "test_third"]


def test_every_mutant_written_by_hand_still_applies(tool: Any) -> None:
    table, package = ROOT / "tools" / "mutation" / "named.toml", ROOT / "src" / "trackrod"
    found = tool["mutants"].named_mutants(table, package)
    assert len(found) >= 34
    for mutant in found:
        compile(mutant.applied((package / mutant.module).read_text()), mutant.module, "exec")


def test_every_module_of_the_table_exists() -> None:
    table = tomllib.loads((ROOT / "tools" / "mutation" / "modules.toml").read_text())
    assert not [module for module in table["modules"] if not (ROOT / "src" / "trackrod" / module).is_file()]
    assert table["each"] * len(table["modules"]) >= 600


RUN = """
from tools.mutation.coverage import TestCoverage
from tools.mutation.mutants import Mutant, generate
from tools.mutation.runner import SOURCE, run_mutant

module = "vehicle/mass.py"
mutants = generate(module, (SOURCE / module).read_text(), frozenset())
fault = next(mutant for mutant in mutants if mutant.name.endswith("_steiner:operation:1"))
nothing = Mutant("nothing", module, "", 0, 0, "", fault.places)
tests = [[TestCoverage("tests/vehicle/test_mass.py", 5.0, {}, {})]]
print(*(run_mutant(mutant, tests)[0] for mutant in (fault, nothing)))
"""


def test_the_tests_notice_a_fault_of_the_parallel_axis_theorem() -> None:
    """In an interpreter of its own, where the module is not imported yet."""
    result = subprocess.run([sys.executable, "-c", RUN], cwd=ROOT, capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["noticed", "survived"]
