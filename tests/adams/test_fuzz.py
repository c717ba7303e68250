"""Damaged, huge and malicious files: every reader gives Trackrod's own errors, in bounded time and memory."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from counted_work import work_of
from trackrod.adams import property_files as pf
from trackrod.adams.assembly import read_assembly
from trackrod.core import files
from trackrod.core.errors import FileFormatError, InputError, MissingExtraError, Place, Problem, Severity

ROOT = Path(__file__).resolve().parents[2]


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fuzz", ROOT / "tools" / "fuzz.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["fuzz"] = module
    spec.loader.exec_module(module)
    return module


fuzz = _load()
READERS = fuzz.readers(real_files=False)
CORPUS = tuple(seed for reader in READERS for seed in reader.seeds)


def named(reader: object) -> str:
    return str(getattr(reader, "name", reader))


# ------------------------------------------------------------------------------------------- damaged files


@pytest.mark.parametrize("reader", READERS, ids=named)
def test_damaged_files(reader: fuzz.Reader, tmp_path: Path) -> None:
    with fuzz.limited_memory(4 * fuzz.MEMORY_LIMIT):
        result = fuzz.fuzz(reader, CORPUS, tmp_path, count=150)
    findings = [f"{f.number}: {f.kind}: {f.details}" for f in result.findings]
    assert not findings, "\n".join(findings)
    assert result.inputs == 150
    assert result.refused > 30


@pytest.mark.parametrize("reader", READERS, ids=named)
def test_sound_files_are_accepted(reader: fuzz.Reader, tmp_path: Path) -> None:
    """Otherwise the inputs above would all be refused for the same dull reason."""
    path = tmp_path / reader.file
    for name, data in ((reader.file, b""), *reader.others.items()):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    accepted = 0
    for data in reader.seeds:
        path.write_bytes(data)
        try:
            reader.read(path)
        except InputError:
            continue
        accepted += 1
    assert accepted


@pytest.mark.parametrize(
    ("name", "old", "new", "says"),
    [
        ("bushing_xml", 'rate="1000.0"', 'rate="1e400"', "is not a possible stiffness"),
        ("leaf", "79000.0 = Material", "1e400 = Material", "1e400 = material properties: gmod is not a possible"),
        ("template", "(._arm.phs_kinematic_flag", "(._arm.phs_nothing", "there is no variable or field 'phs_nothing'"),
        ("engine_map", "0.0\n0.5\n1.0\n", "-1e308\n1e308\n1.0\n", "(Z_DATA): the first column must increase"),
        ("torque_converter", "'tcf'", "'\x07tcf'", "FILE_TYPE = '·tcf' is another type of file"),
        ("damper", "'dpr'", f"'{'x' * 60_000}'", "xxx…"),
        ("spring", "'newton'", f"'{'n' * 60_000}'", "nnn…"),
        ("tyre", "=  61 ", f"=  {'6' * 60_000} ", "666…"),
        ("spring_xml", "ISO-8859-1", "x" * 5000, "the encoding of the XML cannot be read: unknown encoding: xxx"),
        ("topology", "title = ", "x = " + "[\n" * 20_000, "nested too deep"),
        ("topology", "title = ", f"x = {'1' * 5000}\ntitle = ", "the line has 5004 bytes, up to 1000 are read"),
        ("topology", "title = ", f"{'a.' * 15_000}a = 1\ntitle = ", "up to 1000 are read"),
        ("topology", "title = ", f"{'x' * 900} = 1\ntitle = ", "the file has the unknown key 'xxx"),
        ("topology", "title = ", "title ", "input.toml:"),
        ("topology", "pairs = [", "pairs = [1, ", "needs a name or a list of names"),
        ("topology", "[mounts]", "[mounts]\nx = 3", "'mounts.x' needs a text"),
        ("artefact_map1d", "2000.0", "1e999", "1e999 is not a number that can be stored"),
        ("artefact_map1d", "2000.0", "1" * 5000, "111… is not a number that can be stored"),
        ("artefact_map1d", "2000.0", "[" * 50_000, "nested too deep"),
        ("artefact_map1d", '"length"', f'"{"x" * 60_000}"', "xxx…"),
        ("artefact_map2d", "[-0.1, 0.1],", "", "the content does not fit 'trackrod.map2d' version 1: IndexError"),
        ("artefact_map2d", "[-2.0],", "", "the content does not fit 'trackrod.map2d' version 1"),
        ("artefact_map1d", "trackrod.map1d", "x" * 3000, "the file holds 'xxx"),
        ("artefact_vehicle", '"chassis": "', '"chassis": "x', "is not among the bodies"),
        ("artefact_vehicle", '"mass": ', '"mass": -', "mass"),
    ],
)
def test_what_was_found_and_repaired(name: str, old: str, new: str, says: str, tmp_path: Path) -> None:
    (reader,) = (reader for reader in READERS if reader.name == name)
    path = tmp_path / reader.file
    (text,) = (seed.decode() for seed in reader.seeds[:1])
    assert old in text
    path.write_bytes(
        reader.seal(text.replace(old, new, 1 if name in ("topology", "artefact_vehicle") else -1).encode())
    )
    with pytest.raises(InputError) as raised:
        reader.read(path)
    message = str(raised.value)
    assert says in message
    assert len(message) < 5000
    assert message.replace("\n", "").isprintable()
    assert all(problem.place.file == path for problem in raised.value.problems)


def test_inputs_follow_from_the_seed() -> None:
    reader = READERS[0]
    first = [fuzz.make_input(reader, CORPUS, 3, number) for number in range(20)]
    assert first == [fuzz.make_input(reader, CORPUS, 3, number) for number in range(20)]
    assert first != [fuzz.make_input(reader, CORPUS, 4, number) for number in range(20)]
    assert len(set(first)) > 15


# ------------------------------------------------------------------------------- the engine sees what it should


def refuse(place: Place, text: str = "wrong", severity: Severity = Severity.ERROR) -> Callable[[Path], object]:
    def read(_path: Path) -> object:
        raise FileFormatError(Problem(text, place, severity))

    return read


def crash(path: Path) -> object:
    return path.parts[1000]


def hang(_path: Path) -> object:
    while True:
        try:
            time.sleep(0.01)
        except Exception:  # as a careless reader would
            continue


def warn_through_python(_path: Path) -> object:
    return np.array([1.0]) / 0.0


def need_an_extra(_path: Path) -> object:
    raise MissingExtraError("p", "e", "this")


@pytest.mark.parametrize(
    ("read", "kind"),
    [
        (crash, "IndexError"),
        (hang, "_OutOfTimeError"),
        (warn_through_python, "RuntimeWarning"),
        (need_an_extra, "MissingExtraError is no InputError"),
        (lambda _: bytearray(3 * 2**30), "MemoryError"),
        (lambda _: bytearray(b"x" * (300 * 2**20)), "memory"),
        (refuse(Place()), "a problem without file"),
        (refuse(Place(Path("f")), "x" * 5000), "a message of"),
        (refuse(Place(Path("f")), "\x1b[31m"), "control characters in a message"),
        (lambda _: (None, (Problem("a note", Place(), Severity.NOTE),)), "a problem without file"),
        (refuse(Place(Path("f"), 3)), None),
        (lambda _: None, None),
    ],
)
def test_findings(
    read: Callable[[Path], object], kind: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if kind in ("memory", "MemoryError") and not Path("/proc/self/statm").exists():
        pytest.skip("memory is bounded on Linux only")
    if kind == "memory" and fuzz.peak_memory() > 200 * 2**20:
        monkeypatch.setattr(fuzz, "peak_memory", iter((0, 300 * 2**20, 300 * 2**20)).__next__)
    monkeypatch.setattr(fuzz, "TIME_LIMIT", 0.3 if read is hang else 20.0)
    with fuzz.limited_memory(2**30):
        result = fuzz.fuzz(fuzz.Reader("r", "a.txt", read, (b"seed",)), CORPUS, tmp_path, count=1)
    assert len(result.findings) == (kind is not None)
    assert all(finding.kind.startswith(kind or "") for finding in result.findings)
    assert (result.accepted, result.refused) in ((1, 0), (0, 1)) or result.findings


def test_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    broken = fuzz.Reader("broken", "a.txt", crash, (b"seed",))
    monkeypatch.setattr(fuzz, "readers", lambda: (*READERS[:1], broken))
    assert fuzz.main(["--count", "5", "--reader", "teimorbit", "--json", "--folder", str(tmp_path / "found")]) == 0
    (entry,) = json.loads(capsys.readouterr().out)["readers"]
    assert (entry["reader"], entry["inputs"]) == ("teimorbit", 5)
    assert not (tmp_path / "found").exists()
    assert fuzz.main(["--count", "5", "--folder", str(tmp_path / "found")]) == 1
    assert "broken: IndexError" in capsys.readouterr().out.replace("\n", " ")
    assert sorted(path.name for path in (tmp_path / "found").iterdir()) == ["broken-0-0.input", "broken-0-0.txt"]
    assert "IndexError: tuple index" in (tmp_path / "found/broken-0-0.txt").read_text()
    with pytest.raises(SystemExit):
        fuzz.main(["--reader", "nobody"])


# ----------------------------------------------------------------------------------------------- huge files


@pytest.mark.parametrize("reader", READERS, ids=named)
def test_a_file_of_100_megabytes(reader: fuzz.Reader, tmp_path: Path) -> None:
    path = tmp_path / Path(reader.file).name
    with path.open("wb") as stream:
        stream.write(reader.seeds[0])
        stream.truncate(100_000_000)
    tracemalloc.start()
    try:
        if reader.name == "template_header":
            assert reader.read(path) is not None  # only the start is looked at
        else:
            with pytest.raises(FileFormatError) as raised:
                reader.read(path)
            assert str(path) in str(raised.value)
            assert "the file has" in str(raised.value)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        path.unlink()
    assert peak < 2e6  # refused unread


def test_read_limit(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(bytes(2 * 2**20))
    assert len(files.read_bytes(path)) == len(files.read_bytes(path, 2 * 2**20)) == 2 * 2**20
    with pytest.raises(FileFormatError, match=r"a\.bin: error: the file has 2\.0 MiB, up to 1 MiB are read"):
        files.read_bytes(path, 2**20)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes among the files of this system")
@pytest.mark.parametrize("reader", READERS, ids=named)
def test_a_pipe_is_not_waited_for(reader: fuzz.Reader, tmp_path: Path) -> None:
    path = tmp_path / Path(reader.file).name
    os.mkfifo(path)
    with pytest.raises(InputError, match=r"a device or a pipe|not a file"):
        reader.read(path)


# ---------------------------------------------------------------------------------------------- references

UNITS = "[UNITS]\n LENGTH = 'mm'\n FORCE = 'newton'\n ANGLE = 'deg'\n MASS = 'kg'\n TIME = 'sec'\n"


def assembly(cdb: Path, *subsystems: str) -> Path:
    path = cdb / "assemblies.tbl" / "car.asy"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(f"[SUBSYSTEM]\n USAGE = '{name}'\n" for name in subsystems)
    path.write_text(f"[MDI_HEADER]\n FILE_TYPE = 'asy'\n{UNITS}{text}")
    return path


def subsystem(cdb: Path, name: str, property_file: str) -> None:
    path = cdb / "subsystems.tbl" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    damper = f"[DAMPER_ASSEMBLY]\n USAGE = 'd'\n SYMMETRY = 'single'\n PROPERTY_FILE = '{property_file}'\n"
    header = "[SUBSYSTEM_HEADER]\n MAJOR_ROLE = 'suspension'\n MINOR_ROLE = 'front'\n"
    path.write_text(f"[MDI_HEADER]\n FILE_TYPE = 'sub'\n{header}{UNITS}{damper}")


def test_an_assembly_that_names_itself(tmp_path: Path) -> None:
    path = assembly(tmp_path / "demo.cdb", "<demo>/assemblies.tbl/car.asy", "<demo>/assemblies.tbl/CAR.asy")
    with pytest.raises(InputError) as raised:
        read_assembly(path)
    assert "car.asy:2:14: error: FILE_TYPE = 'asy', where 'sub' is needed" in str(raised.value)
    assert len(raised.value.problems) == 1  # read once, however often it is named


def test_a_subsystem_that_names_the_assembly_and_itself(tmp_path: Path) -> None:
    cdb = tmp_path / "demo.cdb"
    path = assembly(cdb, "<demo>/subsystems.tbl/a.sub", "<demo>/subsystems.tbl/b.sub")
    subsystem(cdb, "a.sub", "<demo>/assemblies.tbl/car.asy")
    subsystem(cdb, "b.sub", "<demo>/subsystems.tbl/b.sub")
    found = read_assembly(path)
    assert len(found.files_read) == 3
    for one in found.subsystems:
        reference = one.dampers[0].property_file
        assert reference is not None
        with pytest.raises(FileFormatError, match="another type of file"):
            pf.read_damper(found.path(reference))


def test_a_folder_that_contains_itself(tmp_path: Path) -> None:
    cdb = tmp_path / "demo.cdb"
    path = assembly(cdb, "<demo>/subsystems.tbl/a.sub")
    subsystem(cdb, "a.sub", "<demo>/" + "loop/" * 100 + "dampers.tbl/d.dpr")
    (cdb / "loop").symlink_to(cdb, target_is_directory=True)
    (cdb / "dampers.tbl").mkdir()
    (cdb / "dampers.tbl/d.dpr").write_text("")
    (one,) = read_assembly(path).subsystems
    assert one.dampers[0].property_file is not None
    (cdb / "dampers.tbl/e.dpr").symlink_to(cdb / "dampers.tbl/e.dpr")
    subsystem(cdb, "a.sub", "<demo>/dampers.tbl/e.dpr")
    (problem,) = [p for p in read_assembly(path).problems if "e.dpr" in p.text]
    assert "is not found" in problem.text


@pytest.mark.parametrize("way", ["up", "up_from_file", "backslash", "absolute", "link"])
def test_property_files_outside_the_database(way: str, tmp_path: Path) -> None:
    cdb = tmp_path / "demo.cdb"
    secret = tmp_path / "secret.dpr"
    secret.write_text("")
    (cdb / "dampers.tbl").mkdir(parents=True)
    (cdb / "dampers.tbl/link.dpr").symlink_to(secret)
    text = {
        "up": "<demo>/../secret.dpr",
        "up_from_file": "../../secret.dpr",
        "backslash": "mdids://demo\\..\\secret.dpr",
        "absolute": str(secret),
        "link": "<demo>/dampers.tbl/link.dpr",
    }[way]
    path = assembly(cdb, "<demo>/subsystems.tbl/a.sub")
    subsystem(cdb, "a.sub", text)
    found = read_assembly(path)
    reference = found.subsystems[0].dampers[0].property_file
    assert reference is not None
    assert reference not in found.paths
    (problem,) = [p for p in found.problems if "leads out of the database" in p.text]
    assert problem.place.line is not None
    allowed = read_assembly(path, allow_outside=True)
    assert allowed.paths[reference].resolve() == secret.resolve()


# ----------------------------------------------------------------------------------------------------- XML


@pytest.mark.parametrize("declaration", fuzz.DOCTYPES)
def test_xml_entities_are_refused(declaration: bytes, tmp_path: Path) -> None:
    (spring,) = (reader for reader in READERS if reader.name == "spring_xml")
    head, _, body = spring.seeds[0].partition(b"?>")
    path = tmp_path / "a_spr.xml"

    def refused() -> None:
        with pytest.raises(FileFormatError, match="a document type or an entity is refused") as raised:
            pf.read_spring(path)
        assert raised.value.problems[0].place.line == 1

    path.write_bytes(spring.seeds[0])
    plain = work_of(lambda: pf.read_spring(path))
    path.write_bytes(head + b"?>" + declaration + body.replace(b'"300"', b'"&x;&l9;"'))
    assert work_of(refused) < 2 * plain  # nothing is expanded


@pytest.mark.parametrize("entity", ["&x;", "&#x110000;", "&lt"])
def test_xml_entities_without_declaration(entity: str, tmp_path: Path) -> None:
    (spring,) = (reader for reader in READERS if reader.name == "spring_xml")
    path = tmp_path / "a_spr.xml"
    path.write_bytes(spring.seeds[0].replace(b'"300"', f'"{entity}"'.encode()))
    with pytest.raises(FileFormatError, match=r"a_spr\.xml:\d+:\d+: error: not well-formed XML"):
        pf.read_spring(path)
