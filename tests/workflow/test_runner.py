"""The runner: order, clock, progress and Ctrl-C of stages, whatever they do."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from trackrod.core.errors import InputError
from trackrod.fit.outcome import SearchProgress
from trackrod.report.study_sections import SECTIONS
from trackrod.workflow.request import StudyRequest
from trackrod.workflow.runner import run_stages
from trackrod.workflow.stage import Stage, Work
from trackrod.workflow.study import DIRECT_STAGES, STAGES
from trackrod.workflow.study_settings import StudySettings


@dataclass(frozen=True)
class Number:
    value: int


@dataclass(frozen=True)
class Word:
    text: str


def add(work: Work) -> Word:
    work.tell("adding", 0.5)
    return Word(str(work[Number].value + 1))


ADD = Stage("add", "adding numbers", (Number,), Word, add)


def stage(name: str, run: Callable[[Work], Any], *needs: type) -> Stage[Any]:
    return Stage(name, f"the stage {name}", needs, Number, run)


class Watch:
    """Writes down what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str, float]] = []

    def announce(self, stage: Stage[Any], what: str, share: float) -> None:
        self.told.append((stage.title, what, share))

    def search(self, now: SearchProgress) -> None:
        self.told.append(("search", now.stage, now.value))


def test_results_are_known_by_their_type() -> None:
    watch = Watch()
    found = run_stages((ADD,), (Number(1),), watch)
    assert found[Word] == Word("2")
    assert found[Number] == Number(1)
    assert watch.told == [("adding numbers", "adding", 0.5)]


def test_a_stage_asks_for_what_it_says_it_needs() -> None:
    curious = stage("curious", lambda work: Number(len(work[Word].text)))
    with pytest.raises(LookupError, match="'curious' does not say that it needs Word"):
        run_stages((curious,), (Word("four"),))


def test_what_nothing_makes_is_said_before_anything_is_done() -> None:
    done: list[str] = []
    first = stage("first", lambda _work: done.append("first"))
    with pytest.raises(LookupError, match="'add' needs Number, which nothing before it makes"):
        run_stages((ADD, first), ())
    with pytest.raises(LookupError, match="'last' needs Word"):
        run_stages((first, stage("last", lambda _work: None, Word)), ())
    assert done == []


def test_the_stages_of_a_study_have_what_they_need() -> None:
    made: set[type] = {StudyRequest, StudySettings}
    for each in STAGES:
        assert set(each.needs) <= made, each.name
        made.add(each.makes)
    assert len({each.name for each in STAGES}) == len({each.title for each in STAGES}) == len(STAGES)


def test_every_section_of_the_report_belongs_to_one_stage() -> None:
    claimed = [section for each in STAGES for section in each.sections]
    assert len(claimed) == len(set(claimed))
    assert set(claimed) == set(SECTIONS)


def test_the_walk_through_the_files_is_that_of_the_code() -> None:
    root = Path(__file__).resolve().parents[2]
    rows = [
        line.split("|") for line in (root / "ARCHITECTURE.md").read_text().splitlines() if "`workflow/stages/" in line
    ]
    told = [(row[2].strip(" `"), row[4].strip(" `")) for row in rows]
    assert told == [(file_of(each), each.makes.__name__) for each in STAGES]
    assert all(stem == each.name for stem, each in zip((Path(file).stem for file, _ in told), STAGES, strict=True))
    files = {path.name for path in (root / "src/trackrod/workflow/stages").glob("[!_]*.py")}
    assert files == {"direct.py", *(Path(file).name for file, _ in told)}  # where nothing is tuned
    assert [each.makes for each in DIRECT_STAGES] == [each.makes for each in STAGES]


def file_of(each: Stage[Any]) -> str:
    return each.run.__module__.removeprefix("trackrod.").replace(".", "/") + ".py"


def test_the_clock_counts_each_stage() -> None:
    seen = []

    def wait(work: Work) -> Number:
        time.sleep(0.02)
        seen.append((dict(work.seconds), dict(work.seconds_so_far())))
        return Number(0)

    found = run_stages((stage("one", wait), stage("two", wait)), ())
    assert list(found.seconds) == ["one", "two"]
    assert min(found.seconds.values()) >= 0.02
    (none, first), (before, both) = seen
    assert none == {}
    assert list(first) == ["one"]
    assert before == {"one": found.seconds["one"]}
    assert list(both) == ["one", "two"]


def test_a_failure_passes_through() -> None:
    def fail(_work: Work) -> Number:
        raise InputError("no")

    with pytest.raises(InputError, match="no"):
        run_stages((stage("fails", fail), stage("after", lambda _work: pytest.fail("it went on"))), ())


class Stopped(BaseException):
    """What the handler of the caller does."""


@pytest.fixture
def own_handler() -> Any:
    def stop(*_arguments: object) -> None:
        raise Stopped

    before = signal.signal(signal.SIGINT, stop)
    yield stop
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_reaches_the_stage_and_then_who_called(own_handler: object) -> None:
    cleaned: list[str] = []

    def interrupted(_work: Work) -> Number:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            cleaned.append("cleaned up")
            raise
        return Number(0)

    after = stage("after", lambda _work: pytest.fail("it went on"))
    with pytest.raises(Stopped):
        run_stages((stage("long", interrupted), after), ())
    assert cleaned == ["cleaned up"]
    assert signal.getsignal(signal.SIGINT) is own_handler


def test_a_stage_that_takes_ctrl_c_goes_on(own_handler: object) -> None:
    def search(_work: Work) -> Number:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            return Number(1)
        return Number(0)

    assert run_stages((stage("search", search), ADD), ())[Word] == Word("2")
    assert signal.getsignal(signal.SIGINT) is own_handler


def test_another_thread_leaves_signals_alone() -> None:
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(run_stages((ADD,), (Number(1),))[Word]))
    thread.start()
    thread.join()
    assert found == [Word("2")]
