"""Tuning a model of any kind: what is read from its runs, with derivatives by differences, all runs side by side.

For models without exact derivatives and for few parameters: every one of them costs two runs of each test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

import numpy as np

from trackrod.core.errors import ConvergenceError, InputError
from trackrod.core.executors import executor, worker_count
from trackrod.core.files import hash_bytes
from trackrod.core.series import Run
from trackrod.fit.blocks import Array
from trackrod.fit.problem import Blocks
from trackrod.tune.derivatives import STEP, by_differences
from trackrod.tune.model_space import ModelSpace
from trackrod.tune.problem import Reading
from trackrod.tune.test import Test

__all__ = ["DrivenProblem"]

M = TypeVar("M")


class DrivenProblem(Generic[M]):
    """Rows of the runs of a model over its numbers.

    Parameters
    ----------
    space
        What is tuned.
    tests
        What is driven.
    drive
        A model drives a test; ConvergenceError where it cannot.
    reading
        What is read from a run.
    workers
        How many runs at a time; all processors if not given.
    """

    def __init__(
        self,
        space: ModelSpace[M],
        tests: Sequence[Test],
        drive: Callable[[M, Test], Run],
        reading: Reading,
        *,
        workers: int | None = None,
    ) -> None:
        self.space = space
        self.tests = tuple(tests)
        self._drive = drive
        self._reading = reading
        self._workers = worker_count(workers)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the variables."""
        return self.space.names

    @property
    def key(self) -> str:
        """Everything that determines the results, as one hash."""
        return hash_bytes("\n".join((repr(self.space.tunables), self._reading.key)).encode())

    def guided(self, strength: float) -> DrivenProblem[M]:
        """The problem itself; InputError with a strength, for a model of any kind is pulled nowhere."""
        if strength:
            raise InputError("this model cannot be pulled to the reference: choose a method without homotopy")
        return self

    def evaluate(self, z: Array) -> Blocks:
        """The rows at a point; ConvergenceError where the model breaks down."""
        model = self.space.model(z)
        with executor(self._workers) as pool:
            return self._joined(pool.map(lambda test: self._blocks(model, test), self.tests))

    def evaluate_many(self, zs: Sequence[Array]) -> list[Blocks | None]:
        """The rows at many points, all runs side by side; None where the model breaks down."""
        models = [self._model(z) for z in zs]
        jobs = [(model, test) for model in models if model is not None for test in self.tests]
        with executor(self._workers) as pool:
            found = iter(list(pool.map(lambda job: self._tried(*job), jobs)))
        many: list[Blocks | None] = []
        for model in models:
            parts = [next(found) for _ in self.tests] if model is not None else [None]
            many.append(None if None in parts else self._joined(part for part in parts if part is not None))
        return many

    def linearise(self, z: Array) -> Blocks:
        """The rows at a point with their Jacobians; errors as `evaluate`."""
        ways = [STEP * sign * unit for sign in (1.0, -1.0) for unit in np.eye(z.size)]
        here, *near = self.evaluate_many([z, *(z + way for way in ways)])
        if here is None:
            return self.evaluate(z)  # says why
        return by_differences(here, near[: z.size], near[z.size :])

    @staticmethod
    def _joined(parts: Iterable[Blocks]) -> Blocks:
        return tuple(block for part in parts for block in part)

    def _model(self, z: Array) -> M | None:
        try:
            return self.space.model(z)
        except ConvergenceError:
            return None

    def _tried(self, model: M, test: Test) -> Blocks | None:
        try:
            return self._blocks(model, test)
        except ConvergenceError:
            return None

    def _blocks(self, model: M, test: Test) -> Blocks:
        run = self._drive(model, test)
        try:
            return tuple(self._reading(test, run))
        except InputError as error:
            raise ConvergenceError(f"'{test.label}' cannot be compared: {error}") from error
