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
import importlib.util
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
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from trackrod.adams.assembly import read_assembly
from trackrod.adams.subsystem import read_subsystem
from trackrod.adams.template_file import read_template
from trackrod.adams.vehicle import read_vehicle
from trackrod.core import teimorbit
from trackrod.core.artefact import Artefact, Schema, load
from trackrod.core.corners import Axle
from trackrod.core.errors import FileFormatError, InputError, Problem, Severity, TrackrodError, raise_if_errors
from trackrod.core.files import hash_bytes, write_atomically
from trackrod.core.maps import MAP1D_SCHEMA, MAP2D_SCHEMA, Map1D, Map2D, Variable
from trackrod.core.plain import canonical_json, pretty_json
from trackrod.core.quantities import KINDS
from trackrod.reference.carmaker_vehicle import complete_from_carmaker
from trackrod.reference.document import Document
from trackrod.reference.infofile import read_infofile
from trackrod.reference.skc import read_suspension
from trackrod.reference.sweeps import AxleTables
from trackrod.reference.tydex import read_tydex
from trackrod.reference.tyre_files import read_tyre
from trackrod.tyre.samples import SAMPLES
from trackrod.tyre.tir import read_tir
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.template_reader import BUILT_IN, load_template
from trackrod.vehicle.vehicle import VEHICLE

try:
    import resource
except ImportError:  # Windows: memory is not bounded there
    resource = None  # type: ignore[assignment]

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"
#: Folders with real files, used where they exist.
REAL_FILES = (
    ROOT / "src/trackrod/vehicle/bundled",
    ROOT.parent / "shared/data/adams",
    ROOT.parent / "shared/data/carmaker",
)

#: Greatest time for one input [s]; sound files of this size take milliseconds, the machine may be busy.
TIME_LIMIT = 5.0
#: Greatest growth of the process by one input [bytes].
MEMORY_LIMIT = 256 * 2**20
#: Longest message of one problem, and of all problems of a file [characters].
LONGEST_PROBLEM = 4000
LONGEST_MESSAGE = 100_000

_LARGEST_SEED = 200_000
_LARGEST_INPUT = 2**20
_HEADER_BYTES = 20_000  # of a binary template, which has megabytes behind its header


# ------------------------------------------------------------------------------------------------- readers


@dataclass(frozen=True, slots=True)
class Reader:
    """One reader and sound files to damage.

    Attributes
    ----------
    name
        For tables and for the seed of its inputs.
    file
        Where an input is put, below the folder of the run; the suffix is one the reader expects.
    read
        The reader.
    seeds
        Sound files, as bytes.
    seal
        Puts a damaged input in order again where the reader would see the damage at once (checksums).
    others
        Further files that stand beside the input.
    """

    name: str
    file: str
    read: Callable[[Path], object]
    seeds: tuple[bytes, ...]
    seal: Callable[[bytes], bytes] = bytes
    others: Mapping[str, bytes] = field(default_factory=dict)


def _sample_texts(path: str) -> ModuleType:
    """A module of the tests, for the sample files in it."""
    name = f"_fuzz_{Path(path).stem}"
    spec = importlib.util.spec_from_file_location(name, TESTS / path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(TESTS / path)
    if str(TESTS) not in sys.path:  # modules that tests share
        sys.path.append(str(TESTS))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up there
    spec.loader.exec_module(module)
    return module


def _real_files(*suffixes: str) -> tuple[bytes, ...]:
    found = []
    for folder in REAL_FILES:
        for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
            if path.name.casefold().endswith(suffixes):
                data = path.read_bytes()
                found.append(data if len(data) <= _LARGEST_SEED else data[:_HEADER_BYTES])
    return tuple(found)


def readers(*, real_files: bool = True) -> tuple[Reader, ...]:
    """Every reader with its sound files; real ones among them if they are wanted and there."""

    def real(*suffixes: str) -> tuple[bytes, ...]:
        return _real_files(*suffixes) if real_files else ()

    subsystem = _sample_texts("adams/test_subsystem.py").WHOLE.encode()
    template = "".join(_sample_texts("adams/test_template_file.py").LINES).encode()
    binary = template.replace(b"'ASCII'", b"'binary'")[:2000] + bytes(range(256)) * 8
    assembly = _sample_texts("adams/test_assembly.py")
    tyres = tuple(path.read_bytes() for _, path in sorted(SAMPLES.items()))
    examples = _sample_texts("adams/test_property_files.py").EXAMPLES
    found = [
        Reader(
            "teimorbit", "input.txt", _read_teimorbit, (*tyres[:1], subsystem, examples["steering_assist"][1].encode())
        ),
        Reader("subsystem", "input.sub", read_subsystem, (subsystem, *real(".sub"))),
        Reader(
            "assembly",
            "demo.cdb/assemblies.tbl/input.asy",
            read_assembly,
            (
                assembly.asy("<demo>/subsystems.tbl/a.sub", "mdids://demo/subsystems.tbl/b.sub").encode(),
                assembly.asy("<demo>/assemblies.tbl/input.asy", "../subsystems.tbl/a.sub").encode(),
                *real(".asy"),
            ),
            others={
                "demo.cdb/subsystems.tbl/a.sub": assembly.sub("body", rest=assembly.body(1.0)).encode(),
                "demo.cdb/subsystems.tbl/b.sub": subsystem,
            },
        ),
        Reader("template", "input.tpl", read_template, (template, binary, *real(".tpl"))),
        Reader("template_header", "input.tpl", teimorbit.read_header, (template, binary)),
        Reader("tyre", "input.tir", read_tir, (*tyres, *real(".tir"))),
        Reader(
            "topology",
            "input.toml",
            load_template,
            tuple(path.read_bytes() for path in sorted(BUILT_IN.glob("*.toml"))),
        ),
        *_artefact_readers(),
        *_foreign_readers(real),
    ]
    for kind, (name, text, read) in examples.items():
        suffix = "_bus.xml" if name.endswith("_bus.xml") else "_spr.xml" if name.endswith(".xml") else name[1:]
        found.append(Reader(kind, f"input{suffix}", read, (text.encode(), *real(suffix))))
    return tuple(found)


def _foreign_readers(real: Callable[..., tuple[bytes, ...]]) -> Iterator[Reader]:
    """Readers of other programs' files."""
    hand = _sample_texts("reference/carmaker_by_hand.py")
    tydex = _sample_texts("reference/test_tydex.py").TEXT.encode()
    suspension = hand.skc("SuspF", hand.front_travel, steered=True).encode()
    tyre = hand.tyre().encode()
    yield Reader("carmaker_skc", "input.skc", _read_skc, (suspension, *real(".skc")))
    yield Reader("foreign_tyre", "input", read_tyre, (tyre,))
    yield Reader("tydex", "input.tdx", read_tydex, (tydex, *real(".tdx")))
    yield Reader(
        "carmaker_vehicle",
        "Data/Vehicle/input",
        _read_carmaker_vehicle,
        (hand.vehicle().encode(),),
        others={
            "Data/Chassis/Front.skc": suspension,
            "Data/Chassis/Rear.skc": suspension,
            "Data/Tire/Summer": tyre,
        },
    )
    rig = ROOT / "examples/rig_folder"
    yield Reader("rig_mapping", "input.toml", _read_mapping, ((rig / "rig.toml").read_bytes(),))


def _read_skc(path: Path) -> object:
    return read_suspension(read_infofile(path), Axle.FRONT)


def _read_carmaker_vehicle(path: Path) -> object:
    """The keys that a vehicle file gives to the reference that names it."""
    document = _reference(path, f'vehicle = "{path.name}"\n')
    complete_from_carmaker(document)
    raise_if_errors(document.problems, FileFormatError)
    return document


def _reference(path: Path, text: str) -> Document:
    """A reference beside an input, which it names."""
    beside = path.parent / "reference.toml"
    beside.write_text(text)
    return Document(beside)


def _read_mapping(path: Path) -> object:
    document = _reference(path, f'[kc]\nmapping = "{path.name}"\nfront = {{}}\n')
    tables = AxleTables(document.root.section("kc"), Axle.FRONT)
    raise_if_errors(document.problems, FileFormatError)
    return tables


def _read_teimorbit(path: Path) -> object:
    """A document, and everything that is worked out of it on demand."""
    document = teimorbit.read(path)
    with contextlib.suppress(InputError):
        document.units()
        document.user_units()
    for block in document.blocks:
        for table in block.tables:
            with contextlib.suppress(InputError):
                table.array()
        for attribute in block.attributes:
            with contextlib.suppress(InputError):
                attribute.number()
    return document


def _artefact_readers() -> Iterator[Reader]:
    travel, force = Variable("travel", KINDS["length"]), Variable("force", KINDS["force"])
    speed = Variable("speed", KINDS["velocity"])
    rules = {"interpolation": "linear", "extrapolation": "constant"}
    spring = Map1D(travel, [-0.1, 0.0, 0.1], [force], [-1e3, 0.1, 2e3], **rules)
    rows = [[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0]]
    damper = Map2D((travel, speed), ([-0.1, 0.1], [-1.0, 0.0, 1.0]), [force], rows, **rules)
    for name, schema, content in (
        ("map1d", MAP1D_SCHEMA, spring),
        ("map2d", MAP2D_SCHEMA, damper),
        ("vehicle", VEHICLE, read_vehicle(BUNDLED["double_wishbone_car"].assembly).vehicle),
    ):
        yield _artefact_reader(name, schema, content)


def _artefact_reader(name: str, schema: Schema[Any], content: object) -> Reader:
    artefact = Artefact(schema, content)
    seed = pretty_json({**artefact._to_plain(), "sha256": artefact.sha256}).encode()
    return Reader(f"artefact_{name}", "input.json", lambda path: load(path, schema), (seed,), _with_right_hash)


def _with_right_hash(data: bytes) -> bytes:
    """The artefact with the hash of its content, so that damage reaches what lies behind the check of the hash."""
    try:
        plain = json.loads(data)
        body = {key: value for key, value in plain.items() if key != "sha256"}
        return json.dumps({**body, "sha256": hash_bytes(canonical_json(body).encode("ascii"))}, indent=1).encode()
    except (ValueError, TypeError, AttributeError, RecursionError):
        return data


# ------------------------------------------------------------------------------------------------ mutators

Mutator = Callable[[random.Random, bytes, bytes], bytes]

_NUMBER = re.compile(rb"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_WORD = re.compile(rb"[A-Za-z_][\w.]*")
_NUMBERS = (
    *(b"nan", b"NaN", b"inf", b"-inf", b"Infinity", b"1e308", b"-1e308", b"1e-308", b"4.9e-324", b"1e999", b"-0.0"),
    *(b"0", b"-1", b"0x1F", b"1_000", b"1.D0", b"1d+400", b"1,5", b"--1", b"1e", b".", b"+", b"'1'", b"true"),
    *(b"9" * 30, b"9" * 400, b"1" * 5000, b"0." + b"0" * 5000 + b"1", b"1e" + b"9" * 50, "१२".encode(), "²".encode()),
    *(b"1000000", b"2147483648", b"18446744073709551616"),
)
_BRACKETS = ((b"(", b")"), (b"[", b"]"), (b"{", b"}"), (b"<a>", b"</a>"), (b"[1,", b"]"), (b'{"a":', b"}"))
_FRAGMENTS = (
    *(b"'", b'"', b"'''", b'"""', b"\\", b"&", b"$", b"!", b"=", b"==", b",", b",,", b"<", b">", b"]]>", b"<![CDATA["),
    *(
        b"#",
        b"\t",
        b"\x0b",
        b"\x0c",
        b"\x1b[31m",
        b"\x85",
        b"\xe2\x80\xa8",
        b"\xc2\xa0",
        b"\x7f",
        b"\xff",
        b"\xed\xa0\x80",
    ),
    *(b"[UNITS]\n", b"[", b"]\n", b"{}\n", b"()\n", b"[]\n", b"''", b"HEADER_SIZE = 999999\n", b"../../../etc/passwd"),
    *(b"<demo>/../../x", b"C:\\x", b"/dev/zero", b"CON", b"%s%s%n", b"{0}", b"&a;", b"&#0;", b"&#xFFFF;", b"\n" * 300),
)
DOCTYPES = (
    b'<!DOCTYPE a [<!ENTITY x "y">]>',
    b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
    b'<!DOCTYPE a [<!ENTITY % p SYSTEM "http://localhost/x.dtd"> %p;]>',
    b'<!DOCTYPE a SYSTEM "x.dtd">',
    b'<!DOCTYPE a [<!ENTITY l0 "lol">'
    + b"".join(b'<!ENTITY l%d "%s">' % (i, b"&l%d;" % (i - 1) * 10) for i in range(1, 10))
    + b"]>",
)


def _at(rng: random.Random, data: bytes) -> int:
    return rng.randrange(len(data) + 1)


def truncate(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    return data[: _at(rng, data)]


def cut_out(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    first, last = sorted((_at(rng, data), _at(rng, data)))
    return data[:first] + data[last:]


def change_bytes(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.randint(1, 8) if changed else 0):
        at = rng.randrange(len(changed))
        changed[at] = rng.choice((rng.randrange(256), changed[at] ^ (1 << rng.randrange(8))))
    return bytes(changed)


def swap_bytes(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.randint(1, 8) if changed else 0):
        a, b = rng.randrange(len(changed)), rng.randrange(len(changed))
        changed[a], changed[b] = changed[b], changed[a]
    return bytes(changed)


def _lines(change: Callable[[random.Random, list[bytes]], None]) -> Mutator:
    def mutate(rng: random.Random, data: bytes, _other: bytes) -> bytes:
        lines = data.splitlines(keepends=True)
        if lines:
            change(rng, lines)
        return b"".join(lines)

    return mutate


def _delete_lines(rng: random.Random, lines: list[bytes]) -> None:
    for _ in range(rng.randint(1, 4)):
        if lines:
            del lines[rng.randrange(len(lines))]


def _repeat_lines(rng: random.Random, lines: list[bytes]) -> None:
    first = rng.randrange(len(lines))
    lines[first:first] = lines[first : first + rng.randint(1, 12)] * rng.choice((1, 2, 50, 300))


def _shuffle_lines(rng: random.Random, lines: list[bytes]) -> None:
    first = rng.randrange(len(lines))
    last = first + rng.choice((2, 5, len(lines)))
    some = lines[first:last]
    rng.shuffle(some)
    lines[first:last] = some


def splice(rng: random.Random, data: bytes, other: bytes) -> bytes:
    return data[: _at(rng, data)] + other[_at(rng, other) :]


def change_number(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    places = list(_NUMBER.finditer(data))
    for _ in range(rng.choice((1, 1, 2, 5)) if places else 0):
        match = rng.choice(places)
        if data[match.start() : match.end()] == match[0]:  # not displaced by an earlier change
            data = data[: match.start()] + rng.choice(_NUMBERS) + data[match.end() :]
    return data


def change_all_numbers(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    new = rng.choice(_NUMBERS[:23])
    return _NUMBER.sub(lambda _: new, data)


def exchange_words(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """Names stand where others stood: unknown keys, references to oneself, loops."""
    places = list(_WORD.finditer(data))
    words = [match[0] for match in (*places, *_WORD.finditer(other))]
    for _ in range(rng.randint(1, 4) if places else 0):
        match = rng.choice(places)
        data = data[: match.start()] + rng.choice(words) + data[match.end() :]
    return data


def nest(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    opening, closing = rng.choice(_BRACKETS)
    depth = rng.choice((2, 50, 1000, 20_000))
    inside = opening * depth + b"1" + (closing * depth if rng.random() < 0.5 else b"")
    places = list(_NUMBER.finditer(data))
    if places and rng.random() < 0.7:
        match = rng.choice(places)
        return data[: match.start()] + inside + data[match.end() :]
    at = _at(rng, data)
    return data[:at] + inside + data[at:]


def insert_fragment(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    for _ in range(rng.randint(1, 3)):
        at = _at(rng, data)
        data = data[:at] + rng.choice(_FRAGMENTS) + data[at:]
    return data


def insert_nul(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    at = _at(rng, data)
    return data[:at] + bytes(rng.choice((1, 3, 4096))) + data[at:]


def other_encoding(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    text = data.decode("latin-1")
    encoding = rng.choice(
        ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-7", "cp037", "bom", "umlauts", "declared")
    )
    if encoding == "bom":
        return b"\xef\xbb\xbf" + data
    if encoding == "umlauts":
        return re.sub(rb"[aeo]", lambda _: rng.choice((b"\xe4", b"a", b"\xc3\xa4")), data)
    if encoding == "declared":
        name = rng.choice((b"utf-16", b"shift_jis", b"idna", b"rot13", b"zip", b"x" * 500))
        return re.sub(rb'encoding="[^"]*"', b'encoding="' + name + b'"', data)
    return text.encode(encoding, errors="replace")


def other_line_ends(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    ends = rng.choice(((b"\r\n",), (b"\r",), (b"\r\n", b"\n", b"\r"), (b"\n\r",), (b"",), (b"\x0b", b"\n")))
    return re.sub(rb"\r?\n", lambda _: rng.choice(ends), data)


def long_line(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    piece = rng.choice((b"x", b" ", b"1 ", b"1,", b"'a' ", b"<", b"a=", b"$", b"-", b"(1+", b"a.", b"=", b"!"))
    at = _at(rng, data)
    return data[:at] + piece * (rng.choice((2000, 60_000)) // len(piece)) + data[at:]


def document_type(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    declaration = re.match(rb"\s*<\?xml.*?\?>", data, re.DOTALL)
    at = declaration.end() if declaration else 0
    data = data[:at] + rng.choice(DOCTYPES) + data[at:]
    return re.sub(rb'="[^"]*"', rng.choice((b'="&x;"', b'="&l9;"')), data, count=rng.randint(0, 2))


MUTATORS: tuple[Mutator, ...] = (
    truncate,
    cut_out,
    change_bytes,
    swap_bytes,
    _lines(_delete_lines),
    _lines(_repeat_lines),
    _lines(_shuffle_lines),
    splice,
    change_number,
    change_number,  # the most likely mistake of a user, and the one that gets furthest
    change_all_numbers,
    exchange_words,
    exchange_words,
    nest,
    insert_fragment,
    insert_nul,
    other_encoding,
    other_line_ends,
    long_line,
    document_type,
)


def make_input(reader: Reader, corpus: Iterable[bytes], seed: int, number: int) -> bytes:
    """Input `number` of a reader: a sound file, damaged."""
    rng = random.Random(f"{seed}/{reader.name}/{number}")
    data, other = rng.choice(reader.seeds), rng.choice(tuple(corpus))
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4))):
        data = rng.choice(MUTATORS)(rng, data, other)[:_LARGEST_INPUT]
    return reader.seal(data)


# -------------------------------------------------------------------------------------------------- engine


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
        Longest time for one input [s].
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

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


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
    """What is wrong with the problems that a reader names; empty if nothing is."""
    total = 0  # of errors; warnings are kept with what was read, however many there are
    for problem in problems:
        text = str(problem)
        total += len(text) if problem.severity is Severity.ERROR else 0
        if problem.place.file is None:
            return f"a problem without file: {text[:200]!r}"
        if len(text) > LONGEST_PROBLEM:
            return f"a message of {len(text)} characters: {text[:200]!r}"
        if any(character < " " or "\x7f" <= character < "\xa0" for character in text):
            return f"control characters in a message: {text[:200]!r}"
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
    start = time.perf_counter()
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
    taken = time.perf_counter() - start
    result.slowest = max(result.slowest, taken)
    if finding is None and taken > TIME_LIMIT:
        finding = "slow", f"{taken:.1f} s"
    if finding is None and peak_memory() - before > MEMORY_LIMIT:
        finding = "memory", f"the process grew by {(peak_memory() - before) / 2**20:.0f} MiB"
    if finding is None and (wrong := _wrong_problems(problems)):
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
        Number of inputs and time [s] after which it ends, whichever comes first; None for no such limit.
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
