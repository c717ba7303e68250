"""One measurement beside its peer, and how to take one."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

__all__ = ["Row", "best_of"]


@dataclass(frozen=True, slots=True)
class Row:
    """What was measured, ours and the peer's in the same unit and the same run."""

    name: str
    value: float
    unit: str
    peer: str
    peer_value: float

    @property
    def ratio(self) -> float:
        """Ours over the peer's."""
        return self.value / self.peer_value

    def as_dict(self) -> dict[str, str | float]:
        """The row as it stands in results.json."""
        return {**asdict(self), "ratio": self.ratio}


def best_of(action: Callable[[], object], repeats: int = 7, clock: Callable[[], float] = time.process_time) -> float:
    """Shortest of several times [s]: the one least disturbed by whatever else the machine does.

    The time is that of the processor, which other programs do not lengthen. Where threads work side by side, and where
    a peer is another process, the clock on the wall is what counts: ``time.perf_counter``.
    """
    times = []
    for _ in range(repeats):
        start = clock()
        action()
        times.append(clock() - start)
    return min(times)
