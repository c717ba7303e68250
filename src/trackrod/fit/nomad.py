"""NOMAD: mesh adaptive direct search with quadratic models, from the package PyNomadBBO.

Reference: Audet, Le Digabel, Rochon Montplaisir and Tribes, Algorithm 1027: NOMAD version 4, ACM Transactions on
Mathematical Software 48 (2022).
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any, ClassVar

import numpy as np

from trackrod.core.errors import InputError, MissingExtraError, Problem
from trackrod.fit.outcome import Reason
from trackrod.fit.search import Search

__all__ = ["Nomad"]

#: Number of seeds of NOMAD.
_SEEDS = 2**32


@dataclass(frozen=True, slots=True)
class Nomad:
    """The program NOMAD as a method.

    Attributes
    ----------
    frame
        First size of the frame in z [-].

    Limits: one search at a time in a process, because NOMAD keeps its state in global variables. Ctrl-C is noticed
    between evaluations that release the interpreter, as everywhere.
    """

    name: ClassVar[str] = "nomad"

    frame: float = 0.5

    def __post_init__(self) -> None:
        if not 0 < self.frame <= 2:
            raise InputError(Problem(f"the frame is {self.frame:g}", hint="a number above 0 and up to 2 is needed"))

    @staticmethod
    def require() -> None:
        """MissingExtraError where PyNomadBBO is not installed."""
        try:
            import PyNomad  # noqa: F401, PLC0415 - optional
        except ImportError:
            raise MissingExtraError("PyNomadBBO", "fit", "the method 'nomad'") from None

    def __call__(self, search: Search) -> Reason:
        """Search from ``search.start``; errors as `Method`.

        Raises
        ------
        MissingExtraError
            PyNomadBBO is not installed.
        """
        self.require()
        import PyNomad  # noqa: PLC0415 - optional

        n = search.dimension
        box = _BlackBox(search, self.frame)
        seed = search.seed % _SEEDS
        # NOMAD starts its random numbers anew only when the seed differs from that of the last search in this process.
        PyNomad.setSeed((seed + 1) % _SEEDS)
        with box.interruptible():
            PyNomad.optimize(
                box,
                search.start.tolist(),
                [-1.0] * n,
                [1.0] * n,
                [
                    f"DIMENSION {n}",
                    "BB_OUTPUT_TYPE OBJ",
                    f"BB_MAX_BLOCK_SIZE {2 * n}",
                    f"SEED {seed}",
                    f"INITIAL_FRAME_SIZE ( {' '.join([repr(self.frame)] * n)} )",
                    f"MIN_FRAME_SIZE ( {' '.join([repr(search.rules.step)] * n)} )",
                    "DISPLAY_DEGREE 0",
                ],
            )
        reason = box.result()
        search.require(search.best)
        return reason


class _BlackBox:
    """What NOMAD calls with each block of points.

    No exception may leave it: NOMAD would end the process. It is kept instead, every further point is called failed,
    NOMAD's frame shrinks to nothing in a moment, and the exception goes on its way after NOMAD has returned.
    """

    def __init__(self, search: Search, frame: float) -> None:
        self._search = search
        self._step = frame
        self._reported = search.evaluations
        self._reason: Reason | None = None
        self._error: BaseException | None = None
        self._catches = False  # whether an exception would be kept
        self._interrupted = False
        self._set_handler: Callable[[], None] = lambda: None

    @contextlib.contextmanager
    def interruptible(self) -> Iterator[None]:
        """Python's answer to Ctrl-C while NOMAD runs: NOMAD sets its own, which prints, and never takes it back."""
        if threading.current_thread() is not threading.main_thread():
            yield  # a handler can only be set in the main thread, which is also the only one that is interrupted
            return
        before = signal.getsignal(signal.SIGINT)

        def interrupt(number: int, frame: FrameType | None) -> None:
            if not self._catches:
                self._interrupted = True
            elif callable(before):
                before(number, frame)
            elif before is not signal.SIG_IGN:
                raise KeyboardInterrupt

        self._set_handler = lambda: _handle(interrupt)
        try:
            yield
        finally:
            _handle(before if before is not None else signal.SIG_DFL)

    def __call__(self, block: Any) -> list[int]:
        count: int = block.size()
        if self._error is not None or self._reason is not None:
            return [0] * count
        self._set_handler()
        try:
            self._catches = True
            if self._interrupted:
                raise KeyboardInterrupt  # noqa: TRY301 - it came while NOMAD itself was at work
            done = self._evaluate([block.get_x(k) for k in range(count)])
            self._catches = False
        except BaseException as error:  # all of them, see above
            self._catches = False
            self._error = error
            return [0] * count
        return done

    def _evaluate(self, evals: list[Any]) -> list[int]:
        search = self._search
        zs = [np.array([x.get_coord(i) for i in range(search.dimension)]) for x in evals]
        before = search.best
        points = search.evaluate_many(zs)
        for x, point in zip(evals, points, strict=True):
            if point is not None:
                x.setBBO(repr(point.value).encode())
        if before is not None and search.best is not None and search.best is not before:
            self._step = float(np.abs(search.best.z - before.z).max())
        if search.evaluations - self._reported >= 2 * search.dimension:  # as many as a poll of the pattern search
            self._reported = search.evaluations
            self._reason = search.end_iteration(max(self._step, search.rules.step))
        return [int(point is not None) for point in points]

    def result(self) -> Reason:
        """Why the search ended; raises what was kept."""
        if self._error is not None:
            raise self._error
        if self._interrupted:
            raise KeyboardInterrupt
        return self._reason or Reason.STEP


def _handle(handler: Any) -> None:
    signal.signal(signal.SIGINT, handler)
