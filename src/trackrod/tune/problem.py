"""Tuning a real-time model: indices of scripted manoeuvres against a reference, as functions of scaled parameters.

Residuals are those of the runs; their Jacobian follows the tangent of each run, which the core computes exactly. What
is left to differences is the reading of an index from a run, along that tangent. Every Jacobian is compared with a
difference along a random direction: see `trackrod.tune.derivatives`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from queue import SimpleQueue
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from trackrod.core.artefact import saved_hash
from trackrod.core.errors import ConvergenceError, InputError
from trackrod.core.executors import executor, worker_count
from trackrod.core.files import hash_bytes
from trackrod.core.series import Run
from trackrod.fit.blocks import Block
from trackrod.fit.problem import Blocks
from trackrod.metrics.indices import added_hash, indices
from trackrod.rtm.script import ScriptedVehicle, Tangent
from trackrod.rtm.spec import RTM
from trackrod.tune.derivatives import STEP, by_differences, disagreement, random_direction
from trackrod.tune.space import TuningSpace
from trackrod.tune.standing import load_difference, standing_label, wheel_loads
from trackrod.tune.test import Test

__all__ = ["Indices", "Reading", "TuningProblem"]

T = TypeVar("T")
Array = NDArray[np.float64]

#: Step along a tangent with which an index is read [z].
_ALONG = 1e-4
#: Variables up to which differences cost less than exact derivatives.
_FEW = 3
#: Derivatives of this size and above belong to no run [SI].
_WITHOUT_MEASURE = 1e15


class Reading(Protocol):
    """How indices are read from a run."""

    @property
    def key(self) -> str:
        """A text that determines what is read."""

    def __call__(self, test: Test, run: Run) -> Sequence[Block]:
        """The indices of a run in a test; the same ones in the same order for every run.

        Raises
        ------
        InputError
            The run has nothing in common with the reference of the test.
        """


class Indices:
    """The indices of manoeuvres."""

    key = "indices"

    def __call__(self, test: Test, run: Run) -> Sequence[Block]:
        """As of `Reading`."""
        residuals = [(index.name, *index.residual()) for index in indices(test.name, test.reference, run)]
        return [Block(test.label, name, residual, abscissa=abscissa) for name, abscissa, residual in residuals]


class TuningProblem:
    """Indices of a real-time model over its tunable parameters.

    Parameters
    ----------
    space
        What is tuned.
    tests
        What is driven; each has a script.
    step
        Of the integration [s].
    workers
        How many runs at a time; all processors if not given.
    strength
        Of the guide that pulls the model to the reference, 0 to 1.
    reading
        What is read from a run: the indices of its manoeuvre, and wheel loads at rest beside them, if not given.
    """

    def __init__(
        self,
        space: TuningSpace,
        tests: Sequence[Test],
        *,
        step: float = 1e-3,
        workers: int | None = None,
        strength: float = 0.0,
        reading: Reading | None = None,
    ) -> None:
        if not tests:
            raise InputError("there is no manoeuvre to tune with")
        self.space = space
        self.tests = tuple(tests)
        # One test for each payload tells what the wheels carry before anything happens.
        first = {test.payload: test.label for test in reversed(self.tests) if wheel_loads(test.reference) is not None}
        self._standing = frozenset(first.values() if reading is None else ())
        self._reading = reading or Indices()
        self.strength = strength
        self.step = step
        self._workers = worker_count(workers)
        # Models are compiled once; each worker takes one out and puts it back.
        self._vehicles: SimpleQueue[ScriptedVehicle] = SimpleQueue()
        for _ in range(self._workers):
            self._vehicles.put(ScriptedVehicle(space.nominal, step=step))

    @property
    def names(self) -> tuple[str, ...]:
        """Of the variables."""
        return self.space.names

    @property
    def key(self) -> str:
        """Everything that determines the results, as one hash."""
        parts = [saved_hash(RTM, self.space.nominal), repr(self.space.tunables), repr((self.step, self.strength))]
        parts += [self._reading.key] if not isinstance(self._reading, Indices) else []
        for test in self.tests:
            parts += [test.label, test.name, test.script.key]
            parts += [added_hash(test.name)] if added_hash(test.name) else []
            parts += [hash_bytes(np.ascontiguousarray(test.reference[column]).tobytes()) for column in test.reference]
        return hash_bytes("\n".join(parts).encode())

    def guided(self, strength: float) -> TuningProblem:
        """The problem with the model pulled to the motion of the reference."""
        if strength == self.strength:
            return self
        reading = None if isinstance(self._reading, Indices) else self._reading
        return TuningProblem(
            self.space, self.tests, step=self.step, workers=self._workers, strength=strength, reading=reading
        )

    def runs(self, z: Array) -> dict[str, Run]:
        """Runs of the model at a point, by label; errors as `evaluate`."""
        spec = self.space.spec(z)
        vehicle = self._vehicles.get()
        try:
            vehicle.settle(spec)
            found = self._side_by_side(lambda test: vehicle.run(test.script, self.strength))
            return {test.label: run for test, run in zip(self.tests, found, strict=True)}
        finally:
            self._vehicles.put(vehicle)

    def evaluate(self, z: Array) -> Blocks:
        """The indices at a point.

        Raises
        ------
        ConvergenceError
            The model breaks down, or has nothing in common with the reference any more.
        """
        runs = self.runs(z)
        return tuple(block for test in self.tests for block in self._blocks(test, runs[test.label]))

    def evaluate_many(self, zs: Sequence[Array]) -> list[Blocks | None]:
        """The indices at many points, side by side; None where the model breaks down."""
        with executor(self._workers) as pool:
            return list(pool.map(self._evaluate_alone, zs))

    def _evaluate_alone(self, z: Array) -> Blocks | None:
        vehicle = self._vehicles.get()
        try:
            vehicle.settle(self.space.spec(z))
            return tuple(
                block for test in self.tests for block in self._blocks(test, vehicle.run(test.script, self.strength))
            )
        except ConvergenceError:
            return None
        finally:
            self._vehicles.put(vehicle)

    def linearise(self, z: Array) -> Blocks:
        """The indices at a point with the Jacobian of every residual; errors as `evaluate`."""
        if 0 < z.size <= _FEW and (near := self._by_differences(z)) is not None:
            return near
        directions = self.space.directions(z)
        vehicle = self._vehicles.get()
        try:
            vehicle.settle(self.space.spec(z), directions)
            found = self._side_by_side(lambda test: self._linearised(vehicle, test, len(directions)))
        finally:
            self._vehicles.put(vehicle)
        return tuple(block for blocks in self._checked(z, found) for block in blocks)

    def _by_differences(self, z: Array) -> Blocks | None:
        """Of a few variables: the core carries sixteen directions at a time, which takes longer than some runs more."""
        ways = [STEP * sign * unit for sign in (1.0, -1.0) for unit in np.eye(z.size)]
        here, *near = self.evaluate_many([z, *(z + way for way in ways)])
        if here is None or None in near:
            return None
        return by_differences(here, near[: z.size], near[z.size :])

    def _checked(self, z: Array, found: Sequence[Blocks]) -> list[Blocks]:
        """What was linearised, with differences where the exact derivatives do not hold."""
        if not z.size:
            return list(found)
        direction = random_direction(z)
        moved = self._each(z + STEP * direction, self.tests)
        wrong = {}
        for test, blocks, there in zip(self.tests, found, moved, strict=True):
            if reason := "the model breaks down nearby" if there is None else disagreement(blocks, there, direction):
                wrong[test] = reason
        if not wrong:
            return list(found)
        ways = [STEP * sign * unit for sign in (1.0, -1.0) for unit in np.eye(z.size)]
        with executor(self._workers) as pool:
            many = list(pool.map(lambda way: self._each(z + way, tuple(wrong)), ways))
        result = dict(zip(self.tests, found, strict=True))
        for k, (test, reason) in enumerate(wrong.items()):
            near = [at[k] for at in many]
            result[test] = by_differences(result[test], near[: z.size], near[z.size :], reason)
        return list(result.values())

    def _each(self, z: Array, tests: Sequence[Test]) -> list[Blocks | None]:
        """The indices of some tests at a point; None where the model breaks down."""
        vehicle = self._vehicles.get()
        try:
            vehicle.settle(self.space.spec(z))
            return self._side_by_side(lambda test: self._tried(test, vehicle), tests)
        except ConvergenceError:
            return [None for _ in tests]
        finally:
            self._vehicles.put(vehicle)

    def _side_by_side(self, job: Callable[[Test], T], tests: Sequence[Test] | None = None) -> list[T]:
        """What a job makes of each test, in their order; the longest is begun first, so that none is waited for."""
        tests = self.tests if tests is None else tests
        longest_first = sorted(tests, key=lambda test: -len(test.script.controls))
        with executor(self._workers) as pool:
            futures = {test.label: pool.submit(job, test) for test in longest_first}
            return [futures[test.label].result() for test in tests]

    def _linearised(self, vehicle: ScriptedVehicle, test: Test, count: int) -> Blocks:
        tangent = vehicle.tangent(test.script, self.strength)
        blocks = self._blocks(test, tangent.run)
        try:
            columns = [self._slopes(test, tangent, direction) for direction in range(count)]
        except ConvergenceError:  # derivatives without measure: what they promise is no run
            columns = [[np.full(block.residual.size, _WITHOUT_MEASURE) for block in blocks]] * count
        return tuple(
            replace(block, jacobian=np.column_stack([column[k] for column in columns]))
            for k, block in enumerate(blocks)
        )

    def _blocks(self, test: Test, run: Run) -> Blocks:
        try:
            found = self._reading(test, run)
        except InputError as error:
            raise ConvergenceError(f"'{test.label}' cannot be compared: {error}") from error
        return (*([_standing_loads(test, run)] if test.label in self._standing else ()), *found)

    def _tried(self, test: Test, vehicle: ScriptedVehicle) -> Blocks | None:
        try:
            return self._blocks(test, vehicle.run(test.script, self.strength))
        except ConvergenceError:
            return None

    def _slopes(self, test: Test, tangent: Tangent, direction: int) -> list[Array]:
        """Derivatives of the indices of a run along a direction; ConvergenceError where they have no measure."""
        if not np.abs(tangent.slopes[:, :, direction]).max(initial=0.0) < _WITHOUT_MEASURE:
            raise ConvergenceError(f"'{test.label}': the derivatives of the run grow without end")
        up, down = (self._blocks(test, tangent.along(direction, sign * _ALONG)) for sign in (1.0, -1.0))
        return [(a.residual - b.residual) / (2.0 * _ALONG) for a, b in zip(up, down, strict=True)]


def _standing_loads(test: Test, run: Run) -> Block:
    """Wheel loads before anything happens, over the mean load of a wheel: mass and its place are data, too."""
    expected, found = wheel_loads(test.reference), wheel_loads(run)
    assert expected is not None
    assert found is not None
    return Block(standing_label(test.payload), "wheel loads", load_difference(expected, found))
