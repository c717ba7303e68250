"""What a stage is, and what it works with.

A result is known by its type: a stage names the types that it needs and the one that it makes, and asks for nothing
else. It does not measure its time, catch Ctrl-C or decide where things are kept; the runner and the folder do.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, Protocol, TypeVar, cast

from trackrod.fit.outcome import SearchProgress
from trackrod.report.study_sections import SectionMaker

__all__ = ["Phase", "Results", "Stage", "Watcher", "Work"]

T = TypeVar("T")


class Phase(StrEnum):
    """What a stage belongs to: paper 002 times the first two apart."""

    CONVERSION = "conversion"
    OPTIMISATION = "optimisation"
    PROOF = "proof"


@dataclass(frozen=True, slots=True)
class Stage(Generic[T]):
    """One stage of a study.

    Attributes
    ----------
    name
        In files: the seconds of the summary.
    title
        What is being done, for people who wait.
    needs
        Types of the results that it asks for.
    makes
        Type of its result.
    run
        Does it.
    sections
        What the report says about it.
    phase
        What it belongs to.
    """

    name: str
    title: str
    needs: tuple[type, ...]
    makes: type[T]
    run: Callable[[Work], T]
    sections: tuple[SectionMaker, ...] = ()
    phase: Phase = Phase.CONVERSION


class Watcher(Protocol):
    """A face that shows how far a study is."""

    def announce(self, stage: Stage[Any], what: str, share: float) -> None:
        """A stage does this now; a share of it, 0 to 1, is done."""
        ...

    def search(self, now: SearchProgress) -> None:
        """The search goes on."""
        ...


class Results:
    """What was given and made so far, each by its type, and the time of each stage [s] and its phase by its name."""

    def __init__(self, given: Iterable[object]) -> None:
        self._made: dict[type, object] = {type(item): item for item in given}
        self.seconds: Mapping[str, float] = {}
        self.phases: Mapping[str, Phase] = {}

    def __getitem__(self, kind: type[T]) -> T:
        return cast("T", self._made[kind])

    def __contains__(self, kind: type) -> bool:
        return kind in self._made

    def add(self, made: object) -> None:
        """One more result, known by its type."""
        self._made[type(made)] = made


class Work:
    """What a stage works with while it runs.

    Parameters
    ----------
    stage
        Which one.
    results
        What there is.
    sections
        What the report says about all stages of the study.
    watcher
        Told how far it is; None if nobody watches.
    """

    def __init__(
        self, stage: Stage[Any], results: Results, sections: tuple[SectionMaker, ...], watcher: Watcher | None
    ) -> None:
        self.sections = sections
        self._stage = stage
        self._results = results
        self._watcher = watcher
        self._began = time.perf_counter()

    def __getitem__(self, kind: type[T]) -> T:
        """A result; LookupError if the stage does not say that it needs it."""
        if kind not in self._stage.needs:
            raise LookupError(f"the stage '{self._stage.name}' does not say that it needs {kind.__name__}")
        return self._results[kind]

    @property
    def seconds(self) -> Mapping[str, float]:
        """Time of each stage that is done [s]."""
        return self._results.seconds

    def seconds_so_far(self) -> Mapping[str, float]:
        """Time of each stage [s], this one's up to now."""
        return {**self.seconds, self._stage.name: time.perf_counter() - self._began}

    def phase_seconds_so_far(self) -> Mapping[str, float]:
        """Time of each phase [s], this stage's up to now included."""
        phases = {**self._results.phases, self._stage.name: self._stage.phase}
        seconds = self.seconds_so_far()
        return {phase.value: sum(seconds[name] for name in seconds if phases.get(name) is phase) for phase in Phase}

    def tell(self, what: str, share: float) -> None:
        """Say what is being done, and how much of the stage is done, 0 to 1."""
        if self._watcher is not None:
            self._watcher.announce(self._stage, what, share)

    def tell_search(self, now: SearchProgress) -> None:
        """Say how far the search is."""
        if self._watcher is not None:
            self._watcher.search(now)
