"""The journal: a killed search goes on and ends as if nothing had happened."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from fit.problems import Formula, two_manoeuvres
from trackrod.core.errors import ConvergenceError, InputError
from trackrod.fit.blocks import Array, Block
from trackrod.fit.journal import JournalledProblem
from trackrod.fit.methods import METHODS, minimise
from trackrod.fit.outcome import Budget

TESTS = Path(__file__).resolve().parent.parent
BUDGET = Budget(evaluations=40)

#: A search whose process dies by SIGKILL while its k-th point is computed.
DYING = """
import os, signal, sys
from pathlib import Path
from fit.problems import two_manoeuvres
from trackrod.fit.methods import minimise
from trackrod.fit.outcome import Budget

problem, _ = two_manoeuvres(n=3)
problem.breaks = lambda z: len(problem.asked) >= int(sys.argv[3]) and os.kill(os.getpid(), signal.SIGKILL)
minimise(problem, method=sys.argv[1], journal=Path(sys.argv[2]), seed=5, budget=Budget(evaluations=40))
"""


@pytest.mark.parametrize("method", METHODS)
def test_killed_and_started_again(method: str, tmp_path: Path) -> None:
    if method == "nomad" and importlib.util.find_spec("PyNomad") is None:
        pytest.skip("PyNomadBBO is not installed")
    whole = minimise(two_manoeuvres(n=3)[0], method=method, seed=5, budget=BUDGET, journal=tmp_path / "whole")

    journal = tmp_path / "killed"
    last = {"gauss-newton": 2, "homotopy": 4}.get(method, 21)
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(TESTS)!r})\n{DYING}"]
    killed = subprocess.run([*command, method, str(journal), str(last)], capture_output=True, check=False)
    assert killed.returncode == -9, killed.stderr.decode()
    kept = len(list(journal.glob("*.npz")))
    assert 0 < kept < len(list((tmp_path / "whole").iterdir()))
    assert not list(journal.glob(".*"))

    problem, _ = two_manoeuvres(n=3)
    resumed = minimise(problem, method=method, seed=5, budget=BUDGET, journal=journal)
    assert resumed.z.tobytes() == whole.z.tobytes()
    assert resumed.value == whole.value
    assert (resumed.evaluations, resumed.linearisations) == (whole.evaluations, whole.linearisations)
    assert [e.value for e in resumed.history] == [e.value for e in whole.history]
    assert 0 < len(problem.asked) < whole.evaluations

    again, _ = two_manoeuvres(n=3)
    minimise(again, method=method, seed=5, budget=BUDGET, journal=journal)
    assert not again.asked


def blocks(z: Array) -> tuple[Block, ...]:
    return (
        Block("m", "curve", np.sin(z[0] * np.arange(4.0)), np.asfortranarray(np.ones((4, 2))), np.arange(4.0)),
        Block("m", "Überschwingen", z[:1] + 0.1),
    )


class Recorded(Formula):
    def __init__(self, key: str = "a") -> None:
        super().__init__(2, lambda _: [], [], key)

    def evaluate(self, z: Array) -> tuple[Block, ...]:
        self.asked.append(z)
        if z[0] < 0:
            raise ConvergenceError("the wheel lifts")
        return blocks(z)

    def evaluate_many(self, zs):
        return [self.evaluate(z) if z[0] >= 0 else None for z in zs]

    def guided(self, strength: float) -> Recorded:
        return Recorded(f"{self.key} {strength!r}")


def same(one: tuple[Block, ...], other: tuple[Block, ...]) -> bool:
    def content(block: Block) -> tuple[object, ...]:
        arrays = (block.residual, block.jacobian, block.abscissa)
        return (block.label, *(None if a is None else (a.shape, a.tobytes()) for a in arrays))

    return [content(b) for b in one] == [content(b) for b in other]


def test_what_is_read_is_what_was_computed(tmp_path: Path) -> None:
    inner = Recorded()
    problem = JournalledProblem(inner, tmp_path)
    z = np.array([0.1, 1 / 3])
    first = problem.evaluate(z)
    assert same(first, blocks(z))
    assert same(problem.evaluate(z), first)
    assert len(inner.asked) == 1
    assert same(JournalledProblem(Recorded(), tmp_path).evaluate(z), first)


def test_a_breakdown_is_kept_too(tmp_path: Path) -> None:
    inner = Recorded()
    problem = JournalledProblem(inner, tmp_path)
    for _ in range(2):
        with pytest.raises(ConvergenceError, match="the wheel lifts"):
            problem.evaluate(np.array([-1.0, 0.0]))
    assert len(inner.asked) == 1
    assert problem.evaluate_many([np.array([-1.0, 0.0])]) == [None]


def test_many_points_are_computed_once(tmp_path: Path) -> None:
    inner = Recorded()
    problem = JournalledProblem(inner, tmp_path)
    zs = [np.array([k / 30, 0.0]) for k in range(-2, 20)]
    problem.evaluate(zs[5])
    many = problem.evaluate_many([*zs, zs[5]])
    assert [m is None for m in many] == [True, True] + [False] * 21
    assert all(m is None or same(m, blocks(z)) for m, z in zip(many, [*zs, zs[5]], strict=True))
    assert len(inner.asked) == 20
    problem.evaluate_many(zs)
    assert len(inner.asked) == 20


def test_other_problems_and_kinds_do_not_mix(tmp_path: Path) -> None:
    first, second = Recorded("a"), Recorded("b")
    z = np.array([0.1, 0.0])
    JournalledProblem(first, tmp_path).evaluate(z)
    JournalledProblem(second, tmp_path).evaluate(z)
    JournalledProblem(first, tmp_path).guided(0.5).evaluate(z)
    assert len(first.asked) == len(second.asked) == 1
    assert len(list(tmp_path.iterdir())) == 3


def test_a_damaged_file_is_computed_again(tmp_path: Path) -> None:
    inner = Recorded()
    problem = JournalledProblem(inner, tmp_path)
    z = np.array([0.1, 0.0])
    problem.evaluate(z)
    (file,) = tmp_path.iterdir()
    for damage in (b"", b"PK\x03\x04 nonsense", file.read_bytes()[:100]):
        file.write_bytes(damage)
        assert same(problem.evaluate(z), blocks(z))
    assert len(inner.asked) == 4


def test_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="journal cannot be made"):
        JournalledProblem(Recorded(), tmp_path / "file" / "journal")
