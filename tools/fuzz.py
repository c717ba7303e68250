"""Feed damaged files to every reader and see that only Trackrod's own errors come out.

usage: fuzz.py [--seconds S] [--count N] [--seed K] [--reader NAME ...] [--folder F] [--json]

Sound files of every kind are damaged by the mutators below, one to four at a time, and read. A finding is an input on
which a reader raises anything but a Trackrod error, warns through Python, names a problem without its file, writes a
message that no terminal should show, or needs too much time or memory. Each input follows from the seed, the name of
the reader, its number and the sound files, so that a finding can be made again whatever else ran before it. The input
and the traceback of the first finding of each kind are kept in the folder. The exit status is 1 if there are findings.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import re
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from fuzz_mutators import MUTATORS
from fuzz_readers import Reader, readers
from trackrod.core.errors import InputError, Problem, Severity, TrackrodError
from trackrod.core.files import write_atomically

try:
    import resource
except ImportError:  # Windows: memory is not bounded there
    resource = None  # type: ignore[assignment]

ROOT = Path(__file__).resolve().parent.parent

#: Greatest time of the processor for one input [s]; sound files of this size take milliseconds.
TIME_LIMIT = 5.0
#: The machine may be busy: on the clock it may take so many times as long.
BUSY = 60.0
#: Greatest growth of the process by one input [bytes].
MEMORY_LIMIT = 256 * 2**20
#: Longest message of all problems of a file [characters].
LONGEST_MESSAGE = 100_000

_LARGEST_INPUT = 2**20


def make_input(reader: Reader, corpus: Iterable[bytes], seed: int, number: int) -> bytes:
    """Input `number` of a reader: a sound file, damaged."""
    rng = random.Random(f"{seed}/{reader.name}/{number}")
    data, other = rng.choice(reader.seeds), rng.choice(tuple(corpus))
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4))):
        data = rng.choice(MUTATORS)(rng, data, other)[:_LARGEST_INPUT]
    return reader.seal(data)


@dataclass(frozen=True, slots=True)
class Finding:
    """An input that a reader did not take as it should."""

    reader: str
    number: int
    kind: str
    details: str
    data: bytes = field(repr=False)


@dataclass(slots=True)
class Result:
    """What a reader did with its inputs.

    Attributes
    ----------
    inputs, accepted, refused
        Counts; the rest are findings.
    with_line
        How many of the refusals name a line.
    slowest
        Longest time of the processor for one input [s].
    """

    reader: str
    inputs: int = 0
    accepted: int = 0
    refused: int = 0
    with_line: int = 0
    slowest: float = 0.0
    findings: list[Finding] = field(default_factory=list)


class _OutOfTimeError(BaseException):
    """Not an Exception, so that no reader can take it for a fault of the file."""


@contextlib.contextmanager
def _limited_time(seconds: float) -> Iterator[None]:
    if not hasattr(signal, "setitimer"):  # Windows: the time is looked at afterwards only
        yield
        return

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise _OutOfTimeError

    timers = {signal.ITIMER_PROF: (signal.SIGPROF, seconds), signal.ITIMER_REAL: (signal.SIGALRM, BUSY * seconds)}
    before = {number: signal.signal(number, stop) for number, _ in timers.values()}
    for timer, (_, limit) in timers.items():
        signal.setitimer(timer, limit)
    try:
        yield
    finally:
        for timer in timers:
            signal.setitimer(timer, 0.0)
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def limited_memory(more: int) -> Iterator[None]:
    """Let the process grow by no more than `more` bytes of addresses; beyond it a MemoryError comes."""
    statm = Path("/proc/self/statm")
    if resource is None or not statm.exists():
        yield
        return
    size = int(statm.read_text().split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (size + more, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def peak_memory() -> int:
    return 0 if resource is None else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _wrong_problems(problems: Iterable[Problem]) -> str:
    """What is wrong with the problems that a reader of files names; empty if nothing is."""
    total = 0  # of errors; warnings are kept with what was read, however many there are
    for problem in problems:
        total += len(str(problem)) if problem.severity is Severity.ERROR else 0
        if problem.place.file is None:
            return f"a problem without file: {str(problem)[:200]!r}"
    return f"messages of {total} characters" if total > LONGEST_MESSAGE else ""


def _problems_of(result: object) -> tuple[Problem, ...]:
    """Warnings and notes that come with what was read."""
    named = result[1] if isinstance(result, tuple) and len(result) == 2 else getattr(result, "problems", ())
    return tuple(problem for problem in named if isinstance(problem, Problem))


def _signature(error: BaseException) -> str:
    """Kind of error and where in Trackrod it was raised."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "trackrod" in frame.filename]
    where = f" in {Path(frames[-1].filename).name}:{frames[-1].name}" if frames else ""
    return type(error).__name__ + where


def read_one(reader: Reader, path: Path, result: Result) -> tuple[str, str] | None:
    """Read one input and count it; kind and details of a finding."""
    before = peak_memory()
    start = time.process_time()
    problems: tuple[Problem, ...] = ()
    finding: tuple[str, str] | None = None
    try:
        with _limited_time(TIME_LIMIT), warnings.catch_warnings():
            warnings.simplefilter("error")
            problems = _problems_of(reader.read(path))
            result.accepted += 1
    except InputError as error:
        problems = error.problems
        result.refused += 1
        result.with_line += any(problem.place.line is not None for problem in problems)
    except TrackrodError as error:
        finding = f"{type(error).__name__} is no InputError", traceback.format_exc()
    except (Exception, _OutOfTimeError) as error:  # to find these is the purpose
        finding = _signature(error), traceback.format_exc(limit=-40)
    result.inputs += 1
    taken = time.process_time() - start
    result.slowest = max(result.slowest, taken)
    if finding is None and taken > TIME_LIMIT:
        finding = "slow", f"{taken:.1f} s"
    if finding is None and peak_memory() - before > MEMORY_LIMIT:
        finding = "memory", f"the process grew by {(peak_memory() - before) / 2**20:.0f} MiB"
    if finding is None and reader.is_file and (wrong := _wrong_problems(problems)):
        finding = re.split(r"[:\d]", wrong)[0].strip(), wrong
    return finding


def fuzz(
    reader: Reader,
    corpus: Iterable[bytes],
    folder: Path,
    *,
    count: int | None,
    seconds: float | None = None,
    seed: int = 0,
    after_each: Callable[[], object] = lambda: None,
) -> Result:
    """Damage files and read them.

    Parameters
    ----------
    reader, corpus
        The reader, and the sound files of all readers: pieces of them are mixed in.
    folder
        Where inputs are written, each in the place of the one before.
    count, seconds
        Number of inputs, times the reader's share, and time [s] after which it ends, whichever comes first; None for no
        such limit.
    seed
        Other seeds give other inputs.
    after_each
        Called after each input.
    """
    result = Result(reader.name)
    path = folder / reader.name / reader.file
    for name, data in ((reader.file, b""), *reader.others.items()):
        target = folder / reader.name / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    corpus = tuple(corpus)
    count = None if count is None else max(1, round(reader.share * count))
    end = None if seconds is None else time.monotonic() + seconds
    number = 0
    while (count is None or number < count) and (end is None or time.monotonic() < end):
        data = make_input(reader, corpus, seed, number)
        path.write_bytes(data)
        found = read_one(reader, path, result)
        if found is not None:
            result.findings.append(Finding(reader.name, number, *found, data))
        number += 1
        after_each()
    return result


# --------------------------------------------------------------------------------------------- command line


def report(results: list[Result]) -> Table:
    table = Table("reader", title="Damaged files")
    for column in ("inputs", "accepted", "refused", "with line", "findings", "slowest [ms]"):
        table.add_column(column, justify="right")

    def row(name: str, results: list[Result]) -> None:
        counts = [sum(getattr(r, key) for r in results) for key in ("inputs", "accepted", "refused", "with_line")]
        findings = sum(len(result.findings) for result in results)
        slowest = max(result.slowest for result in results)
        style = "red" if findings else None
        table.add_row(name, *map(str, counts), str(findings), f"{1e3 * slowest:.0f}", style=style)

    for result in results:
        row(result.reader, [result])
    table.add_section()
    row("all", results)
    return table


def first_of_each_kind(results: Iterable[Result]) -> tuple[dict[tuple[str, str], Finding], Counter[tuple[str, str]]]:
    """The first finding of each reader and kind, and how many there are."""
    first: dict[tuple[str, str], Finding] = {}
    counts: Counter[tuple[str, str]] = Counter()
    for result in results:
        for finding in result.findings:
            first.setdefault((finding.reader, finding.kind), finding)
            counts[finding.reader, finding.kind] += 1
    return first, counts


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, help="time of the whole run [s], shared by the readers")
    parser.add_argument("--count", type=int, help="inputs for each reader (500 if no time is given)")
    parser.add_argument("--seed", type=int, default=0, help="other seeds give other inputs")
    parser.add_argument("--reader", action="append", default=[], help="only this reader; may be repeated")
    parser.add_argument("--folder", type=Path, default=ROOT / "out" / "fuzz", help="where findings are kept")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    options = parser.parse_args(arguments)
    known = readers()
    chosen = [reader for reader in known if not options.reader or reader.name in options.reader]
    if unknown := set(options.reader) - {reader.name for reader in known}:
        parser.error(f"no reader {', '.join(sorted(unknown))}; known: {', '.join(reader.name for reader in known)}")
    corpus = tuple(seed for reader in known for seed in reader.seeds)
    count = options.count if options.count is not None or options.seconds is not None else 500
    share = None if options.seconds is None else options.seconds / len(chosen)

    results = []
    console = Console(stderr=True)
    columns = (TextColumn("{task.description:16}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with (
        tempfile.TemporaryDirectory() as folder,
        Progress(*columns, console=console, disable=not console.is_terminal) as progress,
        limited_memory(4 * MEMORY_LIMIT),
    ):
        for reader in chosen:
            task = progress.add_task(reader.name, total=count)

            def step(task: object = task) -> None:
                progress.advance(task)  # type: ignore[arg-type]

            results.append(
                fuzz(reader, corpus, Path(folder), count=count, seconds=share, seed=options.seed, after_each=step)
            )
    first, counts = first_of_each_kind(results)
    saved = {}
    for (name, kind), finding in first.items():
        stem = f"{name}-{options.seed}-{finding.number}"
        saved[name, kind] = stem
        write_atomically(options.folder / f"{stem}.input", finding.data, make_parents=True)
        write_atomically(options.folder / f"{stem}.txt", f"{kind}\n\n{finding.details}\n")
    if options.json:
        keys = ("reader", "inputs", "accepted", "refused", "with_line", "slowest")
        findings = [
            {"reader": name, "kind": kind, "count": counts[name, kind], "number": f.number, "saved": saved[name, kind]}
            for (name, kind), f in first.items()
        ]
        print(
            json.dumps(
                {
                    "seed": options.seed,
                    "readers": [{k: getattr(r, k) for k in keys} for r in results],
                    "findings": findings,
                },
                indent=1,
            )
        )
    else:
        output = Console()
        output.print(report(results))
        for (name, kind), _ in first.items():
            output.print(
                f"{name}: {kind} ({counts[name, kind]} times), see {options.folder / saved[name, kind]}.txt",
                markup=False,
            )
    return 1 if first else 0


if __name__ == "__main__":
    sys.exit(main())
