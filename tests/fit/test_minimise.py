"""What every method keeps: known minima, bounds, budgets, rules, seeds, interruption, clear messages."""

from __future__ import annotations

import importlib.util
import itertools
import math
import signal
import sys
from collections.abc import Iterator

import numpy as np
import pytest
from scipy.optimize import least_squares, lsq_linear

from fit.problems import Formula, geometric_median, linear, one_manoeuvre, rosenbrock, two_manoeuvres, weber
from trackrod.core.errors import ConvergenceError, InputError, MissingExtraError, UnknownNameError
from trackrod.fit import search
from trackrod.fit.blocks import Array
from trackrod.fit.gauss_newton import GaussNewton
from trackrod.fit.global_search import GlobalSearch, latin_hypercube
from trackrod.fit.homotopy import Homotopy
from trackrod.fit.methods import METHODS, minimise
from trackrod.fit.nomad import Nomad
from trackrod.fit.objective import Objective
from trackrod.fit.outcome import Budget, Reason, SearchProgress, StopRules
from trackrod.fit.pattern_search import PatternSearch

HAS_NOMAD = importlib.util.find_spec("PyNomad") is not None
NOMAD = pytest.param("nomad", marks=pytest.mark.skipif(not HAS_NOMAD, reason="PyNomadBBO is not installed"))
EVERY = [NOMAD if name == "nomad" else name for name in METHODS]
WITH_JACOBIAN = ["gauss-newton", "homotopy", "global"]

PLAIN = Objective(penalty=0.0)
#: As exact as it goes, and without the prior, whose bias the closed forms do not have.
EXACT = StopRules(step=1e-8, improvement_pct=1e-11)
GAUSS_NEWTON = GaussNewton(prior_pct=0.0)
POINTS = np.random.default_rng(0).uniform(-1, 1, (7, 2))


# --- known minima ---


def test_linear_least_squares_with_active_bounds() -> None:
    random = np.random.default_rng(5)
    jacobian, offset = random.normal(size=(30, 6)), 4.0 * random.normal(size=30)
    truth = lsq_linear(jacobian, -offset, (-1.0, 1.0), tol=1e-14).x
    assert np.sum(np.abs(truth) > 0.999) >= 1
    found = minimise(linear([jacobian], [offset]), PLAIN, method=GAUSS_NEWTON, stop=EXACT)
    np.testing.assert_allclose(found.z, truth, atol=2e-6)
    assert found.linearisations <= 3


def test_a_bound_that_is_active_is_reached_exactly() -> None:
    for method in (GAUSS_NEWTON, PatternSearch(), GlobalSearch(inner=GAUSS_NEWTON)):
        found = minimise(linear([np.eye(2)], [np.array([-3.0, 0.25])]), PLAIN, method=method)
        np.testing.assert_allclose(found.z, [1.0, -0.25], atol=1e-4)
        assert found.z[0] == 1.0


def test_nonlinear_least_squares_against_scipy() -> None:
    problem, _ = two_manoeuvres()
    first_only = Objective(penalty=0.0, weights={"sweep": 0.0})
    found = minimise(problem, first_only, method=GAUSS_NEWTON, start=[0.3, 0.3, 0.3, 0.3], stop=EXACT)

    def residual(z: Array) -> Array:
        return problem.residuals(z)[0][0]

    theirs = least_squares(residual, [0.3] * 4, lambda z: problem.residuals(z)[0][1], (-1, 1), xtol=1e-15, ftol=1e-15)
    assert 2.0 * found.value == pytest.approx(np.linalg.norm(residual(theirs.x)), rel=1e-9)


def test_rosenbrock_valley_from_far() -> None:
    found = minimise(rosenbrock(), PLAIN, method=GAUSS_NEWTON, start=[-0.9, 0.9], stop=EXACT)
    np.testing.assert_allclose(found.z, [0.4, 0.16], atol=1e-7)
    beyond = minimise(rosenbrock(1.3), PLAIN, method=GAUSS_NEWTON, start=[-0.9, 0.9], stop=EXACT)
    wanted = least_squares(lambda z: rosenbrock(1.3).residuals(z)[0][0], [0.5, 0.5], bounds=(-1, 1), xtol=1e-15).x
    np.testing.assert_allclose(beyond.z, wanted, atol=1e-5)


def test_sum_of_norms_is_the_geometric_median() -> None:
    found = minimise(weber(POINTS), PLAIN, method=GAUSS_NEWTON, stop=EXACT)
    np.testing.assert_allclose(found.z, geometric_median(POINTS), atol=1e-6)


@pytest.mark.parametrize("method", EVERY)
def test_every_method_finds_the_median(method: str) -> None:
    found = minimise(weber(POINTS), PLAIN, method=method)
    best = float(np.mean(np.linalg.norm(POINTS - geometric_median(POINTS), axis=1)))
    assert best - 1e-12 <= found.value < best + 1e-3
    assert found.method == method


@pytest.mark.parametrize("method", EVERY)
def test_every_method_finds_planted_parameters(method: str) -> None:
    problem, truth = two_manoeuvres(n=3)
    found = minimise(problem, method=method)
    np.testing.assert_allclose(found.z, truth, atol=0.06)


def test_prior_keeps_what_no_index_sees_at_nominal() -> None:
    seen = linear([np.array([[3.0, 0.0, 1.0], [1.0, 0.0, -1.0]])], [np.array([-1.0, 0.2])])
    found = minimise(seen, PLAIN, start=[0.0, 0.6, 0.0], stop=StopRules(improvement_pct=1e-7))
    assert abs(found.z[1]) < 0.01
    assert found.value < 1e-4
    without = minimise(seen, PLAIN, start=[0.0, 0.6, 0.0], method=GAUSS_NEWTON)
    assert without.value < 1e-4


# --- rules that hold for all ---


@pytest.mark.parametrize("method", EVERY)
def test_never_worse_than_the_start_and_inside_the_box(method: str) -> None:
    problem, _ = two_manoeuvres(seed=4)
    start = np.array([0.9, -0.9, 0.9, -0.9])
    begin = Objective().value(problem.evaluate(start))
    problem.asked.clear()
    for evaluations in (1, 2, 7, 20):
        found = minimise(problem, method=method, start=start, budget=Budget(evaluations=evaluations))
        assert found.evaluations + found.linearisations <= evaluations
        assert found.value <= begin or method == "global"  # which looks elsewhere first
        assert np.abs(found.z).max() <= 1.0
        assert found.value == Objective().value(problem.evaluate(found.z))
    assert all(np.abs(z).max() <= 1.0 for z in problem.asked)


@pytest.mark.parametrize("method", EVERY)
def test_budget_of_evaluations_is_kept_to_the_point(method: str) -> None:
    problem, _ = two_manoeuvres(seed=4)
    found = minimise(problem, method=method, budget=Budget(evaluations=5))
    assert found.evaluations + found.linearisations == 5
    assert found.reason is Reason.EVALUATIONS


@pytest.mark.parametrize("method", EVERY)
def test_budget_of_time(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that only work moves: a point takes one second, so five seconds are spent when five are done."""
    rosen = rosenbrock()
    problem = Counting(2, rosen.residuals, rosen.labels)
    monkeypatch.setattr(search, "perf_counter", lambda: float(len(problem.asked)))
    found = minimise(problem, method=method, budget=Budget(seconds=5.0), start=[-0.9, 0.9])
    assert found.reason is Reason.SECONDS
    assert found.seconds == found.evaluations + found.linearisations == len(problem.asked)
    # A poll that was begun is finished.
    poll = {"pattern-search": 4, "nomad": 4, "global": GlobalSearch().samples}.get(method, 1)
    assert 5 <= found.seconds < 5 + poll


@pytest.mark.parametrize("method", EVERY)
def test_target_ends_the_search(method: str) -> None:
    problem, _ = two_manoeuvres(n=2)
    found = minimise(problem, method=method, stop=StopRules(target_pct=1.0))
    assert found.reason is Reason.TARGET
    assert found.value <= 1.0


@pytest.mark.parametrize("method", EVERY)
def test_same_seed_same_result(method: str) -> None:
    def run(seed: int) -> tuple[bytes, list[bytes]]:
        problem, _ = two_manoeuvres(n=3)
        found = minimise(problem, method=method, seed=seed, budget=Budget(evaluations=36))
        return found.z.tobytes(), [z.tobytes() for z in problem.asked]

    first = run(3)
    assert run(3) == first
    if method in {"nomad", "global"}:
        assert run(4)[1] != first[1]


@pytest.mark.parametrize("method", EVERY)
def test_progress_is_told(method: str) -> None:
    told: list[SearchProgress] = []
    found = minimise(two_manoeuvres(n=3)[0], method=method, progress=told.append, budget=Budget(evaluations=60))
    assert tuple(told) == found.history
    assert [entry.iteration for entry in told] == list(range(1, len(told) + 1))
    assert all(a.evaluations <= b.evaluations and a.seconds <= b.seconds for a, b in itertools.pairwise(told))
    assert all(entry.step >= 0 for entry in told)
    assert all(entry.seconds_left is None or 0 <= entry.seconds_left < math.inf for entry in told)
    if method in {"gauss-newton", "pattern-search", "nomad"}:
        assert all(a.value >= b.value for a, b in itertools.pairwise(told))


class Counting(Formula):
    """Notes the points that are linearised too."""

    def linearise(self, z: Array):
        self.asked.append(z)
        return super().linearise(z)


class Interrupting(Counting):
    """Ctrl-C while the k-th point is computed."""

    at = 6

    def interrupt(self) -> None:
        if len(self.asked) == self.at:
            raise KeyboardInterrupt

    def evaluate(self, z: Array):
        blocks = super().evaluate(z)
        self.interrupt()
        return blocks

    def linearise(self, z: Array):
        blocks = super().linearise(z)
        self.interrupt()
        return blocks


@pytest.fixture
def _ctrl_c_interrupts() -> Iterator[None]:
    """As in a terminal: a process that was started in the background ignores Ctrl-C, and Python leaves it so."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class Signalled(Interrupting):
    """The same by a true signal, which reaches this thread before the call returns, however busy the machine is."""

    def interrupt(self) -> None:
        if len(self.asked) == self.at:
            signal.raise_signal(signal.SIGINT)


@pytest.mark.usefixtures("_ctrl_c_interrupts")
@pytest.mark.parametrize("kind", [Interrupting, Signalled])
@pytest.mark.parametrize("method", EVERY)
def test_interruption_keeps_the_best(method: str, kind: type[Interrupting]) -> None:
    rosen = rosenbrock()
    problem = kind(2, rosen.residuals, rosen.labels)
    if method == "global":
        problem.at = 40
    handler = signal.getsignal(signal.SIGINT)
    found = minimise(problem, method=method, start=[-0.9, 0.9])
    assert signal.getsignal(signal.SIGINT) is handler
    assert found.interrupted
    assert found.reason is Reason.INTERRUPTED
    assert len(problem.asked) == problem.at
    assert found.value == PLAIN.value(rosen.evaluate(found.z))
    assert found.value <= Objective().value(rosen.evaluate(np.array([-0.9, 0.9])))


@pytest.mark.usefixtures("_ctrl_c_interrupts")
def test_ctrl_c_works_after_nomad() -> None:
    pytest.importorskip("PyNomad")
    minimise(rosenbrock(), method="nomad", budget=Budget(evaluations=10))
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_interruption_before_the_first_point_is_passed_on() -> None:
    problem = Interrupting(2, rosenbrock().residuals, one_manoeuvre(1))
    problem.at = 1
    with pytest.raises(KeyboardInterrupt):
        minimise(problem)


# --- a model that breaks down ---


@pytest.fixture
def broken_right() -> Iterator[Formula]:
    """The minimum lies at 0.4, the model breaks down beyond 0.2."""
    problem = rosenbrock()
    problem.breaks = lambda z: bool(z[0] > 0.2)
    return problem


@pytest.mark.parametrize("method", EVERY)
def test_breakdown_counts_as_infinite(method: str, broken_right: Formula) -> None:
    found = minimise(broken_right, PLAIN, method=method, start=[-0.5, 0.0])
    assert found.z[0] <= 0.2
    assert found.value < 0.4


@pytest.mark.parametrize("method", [name for name in EVERY if name != "global"])
def test_breakdown_at_the_start_is_told(method: str, broken_right: Formula) -> None:
    with pytest.raises(ConvergenceError, match="breaks down where the search begins"):
        minimise(broken_right, method=method, start=[0.5, 0.0], budget=Budget(evaluations=60))


def test_global_search_goes_on_elsewhere(broken_right: Formula) -> None:
    assert minimise(broken_right, PLAIN, method="global", start=[0.5, 0.0]).value < 0.4
    broken_right.breaks = lambda _: True
    with pytest.raises(ConvergenceError, match="breaks down"):
        minimise(broken_right, method="global")


def test_other_errors_pass_through_every_method() -> None:
    for method in METHODS:
        if method == "nomad" and not HAS_NOMAD:
            continue
        problem = rosenbrock()
        problem.breaks = lambda _: 1 / 0  # type: ignore[assignment,return-value]
        with pytest.raises(ZeroDivisionError):
            minimise(problem, method=method)


# --- particulars of methods ---


def test_pattern_search_polls_the_axes_and_halves_the_mesh() -> None:
    problem = linear([np.eye(2)], [np.array([-0.3, 0.0])], key="bowl")
    minimise(problem, PLAIN, method=PatternSearch(mesh=0.5), budget=Budget(evaluations=9))
    asked = [tuple(float(v) for v in z) for z in problem.asked]
    # From 0 the poll finds (0.5, 0); the mesh grows to 1, nothing is better; it halves. What is known is left out.
    assert asked[:5] == [(0, 0), (0.5, 0), (0, 0.5), (-0.5, 0), (0, -0.5)]
    assert asked[5:] == [(1, 0), (0.5, 1), (0.5, -1), (0.5, 0.5)]


def test_gauss_newton_is_quick() -> None:
    """The reason for exact derivatives: a handful of linearisations."""
    problem, _ = two_manoeuvres(n=6, seed=2)
    found = minimise(problem)
    assert found.linearisations <= 8
    polled = minimise(problem, method="pattern-search")
    assert found.value <= polled.value + 1e-3
    assert found.evaluations + found.linearisations < 0.1 * polled.evaluations


def test_latin_hypercube_has_one_point_in_every_interval() -> None:
    points = np.array(latin_hypercube(16, 3, seed=1))
    assert np.all(np.sort(np.floor((points + 1) * 8), axis=0) == np.arange(16)[:, None])


def test_nomad_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PyNomad", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'trackrod\[fit\]'"):
        minimise(rosenbrock(), method="nomad")


def test_nomad_is_silent(capfd: pytest.CaptureFixture[str], tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("PyNomad")
    monkeypatch.chdir(tmp_path)
    minimise(rosenbrock(), method="nomad", budget=Budget(evaluations=30))
    assert capfd.readouterr() == ("", "")
    assert not list(tmp_path.iterdir())


# --- bad input ---


def test_unknown_method() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'gauss-newton'"):
        minimise(rosenbrock(), method="gaus-newton")


def test_start_and_seed_are_checked_together() -> None:
    with pytest.raises(InputError) as caught:
        minimise(rosenbrock(), start=[1.5, float("nan")], seed=-1)
    assert [p.text for p in caught.value.problems] == [
        "the start of 'p0' is z = 1.5",
        "the start of 'p1' is z = nan",
        "the seed is -1",
    ]
    with pytest.raises(InputError, match="2 numbers are needed"):
        minimise(rosenbrock(), start=[0.0])


def test_no_variable() -> None:
    with pytest.raises(InputError, match="no variable"):
        minimise(Formula(0, lambda _: [], []))


def test_weights_are_checked_at_the_first_point() -> None:
    problem = rosenbrock()
    with pytest.raises(InputError, match="'n', which is not compared"):
        minimise(problem, Objective(weights={"n": 1.0}), method="pattern-search")
    assert len(problem.asked) == 1


@pytest.mark.parametrize(
    "make",
    [
        lambda: Budget(evaluations=0),
        lambda: Budget(seconds=math.nan),
        lambda: StopRules(target_pct=-1),
        lambda: StopRules(step=0),
        lambda: StopRules(improvement_pct=math.inf),
        lambda: StopRules(patience=0),
        lambda: GaussNewton(prior_pct=-1),
        lambda: GaussNewton(radius=0),
        lambda: PatternSearch(mesh=3),
        lambda: Nomad(frame=math.nan),
        lambda: Homotopy(first=1.0),
        lambda: GlobalSearch(samples=2, starts=3),
    ],
)
def test_settings_are_checked(make) -> None:
    with pytest.raises(InputError, match="needed"):
        make()
