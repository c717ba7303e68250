"""Stages, one after the other: their order, their clock, and Ctrl-C."""

from __future__ import annotations

import signal
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from trackrod.workflow.stage import Results, Stage, Watcher, Work

__all__ = ["run_stages"]


def run_stages(
    stages: Sequence[Stage[Any]], given: Iterable[object] | Results, watcher: Watcher | None = None
) -> Results:
    """Run stages in order.

    Parameters
    ----------
    stages
        What is done.
    given
        What they start from, each known by its type; or results of some of these stages, which are not run again.
    watcher
        Told how far it is.

    Returns
    -------
    Results
        What was given and made, and the seconds of each stage.

    Raises
    ------
    LookupError
        A stage needs what nobody gives or makes before it; said before anything is done.
    TrackrodError
        Of a stage.

    Holds: what a stage keeps in the folder of the study or in the cache is there for the next time, however this time
    ends; a study that was killed goes on there.
    """
    results = given if isinstance(given, Results) else Results(given)
    _check_order(stages, results)
    sections = tuple(section for stage in stages for section in stage.sections)
    with _interruptible():
        for stage in stages:
            if stage.name in results.seconds:
                continue
            work = Work(stage, results, sections, watcher)
            results.add(stage.run(work))
            results.seconds = work.seconds_so_far()
            results.phases = {**results.phases, stage.name: stage.phase}
    return results


def _check_order(stages: Sequence[Stage[Any]], results: Results) -> None:
    made: set[type] = set()
    for stage in stages:
        for kind in stage.needs:
            if kind not in made and kind not in results:
                raise LookupError(f"the stage '{stage.name}' needs {kind.__name__}, which nothing before it makes")
        made.add(stage.makes)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Ctrl-C ends what is being done: the search keeps its best point and the study goes on, any other stage ends it.

    It reaches the stages as a KeyboardInterrupt, so that they can clean up, and who called as whatever he had set.
    """
    try:
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
    except ValueError:  # not in the main thread: whoever called takes care of it
        yield
        return
    try:
        yield
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, before)
        signal.raise_signal(signal.SIGINT)
        raise
    finally:
        signal.signal(signal.SIGINT, before)
