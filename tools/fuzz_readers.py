"""Every reader of Trackrod that takes a user's file or text, with sound files to damage."""

from __future__ import annotations

import contextlib
import gzip
import importlib.util
import io
import json
import math
import re
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from trackrod.adams.assembly import read_assembly
from trackrod.adams.source import open_vehicle
from trackrod.adams.subsystem import read_subsystem
from trackrod.adams.template_file import read_template
from trackrod.adams.vehicle import read_vehicle
from trackrod.campaign.file import read_campaign
from trackrod.campaign.folder import CampaignFolder
from trackrod.campaign.plan import make_plan
from trackrod.cli.inputs import parse_settings
from trackrod.cli.kc import parse_cases
from trackrod.core import teimorbit
from trackrod.core.artefact import Artefact, Schema, load
from trackrod.core.corners import Axle
from trackrod.core.errors import FileFormatError, InputError, raise_if_errors
from trackrod.core.files import hash_bytes
from trackrod.core.infofile import read_infofile
from trackrod.core.maps import MAP1D_SCHEMA, MAP2D_SCHEMA, Map1D, Map2D, Variable
from trackrod.core.plain import canonical_json, pretty_json
from trackrod.core.quantities import KINDS
from trackrod.core.run_files import read_run
from trackrod.core.tables import read_table
from trackrod.core.toml_document import Document
from trackrod.estimate.tyre_data import read_bench
from trackrod.estimate.workshop import read_workshop
from trackrod.kc.maps import KC_MAPS
from trackrod.kc.result import read_test
from trackrod.manoeuvres.registry import MANOEUVRE, manoeuvre
from trackrod.measured.channel_map import ChannelMap, Entry
from trackrod.measured.measurement_plan import find_plan
from trackrod.measured.prepare import prepare
from trackrod.measured.recording import open_recording
from trackrod.measured.sensors import SensorSet
from trackrod.measured.suggestions import suggest
from trackrod.reference import Reference, read_reference
from trackrod.reference.carmaker_vehicle import complete_from_carmaker
from trackrod.reference.skc import read_suspension
from trackrod.reference.sweeps import AxleTables
from trackrod.reference.tyre_files import read_tyre
from trackrod.road.crg import read_crg
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.spec import RTM
from trackrod.tyre.points import POINT_COLUMNS, read_points
from trackrod.tyre.samples import SAMPLES
from trackrod.tyre.tir import read_tir
from trackrod.tyre.tydex import read_tydex
from trackrod.validate.criteria import read_criteria
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.template_reader import BUILT_IN, load_template
from trackrod.vehicle.vehicle import VEHICLE
from trackrod.web.archives import unpack
from trackrod.workflow.study_settings import read_study_file

__all__ = ["Reader", "readers"]

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"
#: Folders with real files, used where they exist.
REAL_FILES = (
    ROOT / "src/trackrod/vehicle/bundled",
    *(ROOT.parent / "shared/data" / folder for folder in ("adams", "carmaker", "tyres")),
)
_LARGEST_SEED = 200_000
_HEADER_BYTES = 20_000  # of a binary template, which has megabytes behind its header


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
    is_file
        Whether problems must name the file; a text of the command line has none.
    share
        Of the inputs that others get: a whole vehicle takes its time.
    limited
        Whether a file of 100 MB is refused unread; tables of numbers may be large.
    """

    name: str
    file: str
    read: Callable[[Path], object]
    seeds: tuple[bytes, ...]
    seal: Callable[[bytes], bytes] = bytes
    others: Mapping[str, bytes] = field(default_factory=dict)
    is_file: bool = True
    share: float = 1.0
    limited: bool = True


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
        Reader("topology", "input.toml", load_template, _contents(BUILT_IN, "*.toml")),
        _vehicle_reader(),
        *_artefact_readers(),
        *_foreign_readers(real),
        *_reference_readers(),
        *_text_readers(),
        *_measured_readers(),
        *_campaign_readers(),
        Reader("road_crg", "input.crg", read_crg, _roads(), limited=False),
        Reader("upload", "input.zip", _read_upload, (_upload(),)),
    ]
    for kind, (name, text, read) in examples.items():
        suffix = "_bus.xml" if name.endswith("_bus.xml") else "_spr.xml" if name.endswith(".xml") else name[1:]
        found.append(Reader(kind, f"input{suffix}", read, (text.encode(), *real(suffix))))
    return tuple(found)


def _contents(folder: Path, pattern: str) -> tuple[bytes, ...]:
    return tuple(path.read_bytes() for path in sorted(folder.glob(pattern)))


def _files_below(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def _vehicle_reader() -> Reader:
    """A suspension inside a whole vehicle, which is built and audited."""
    assembly = BUNDLED["double_wishbone_car"].assembly
    database = assembly.parents[1]
    others = {f"{database.name}/{name}": data for name, data in _files_below(database).items()}
    name = f"{database.name}/subsystems.tbl/{_FRONT_SUSPENSION}"
    whole = f"{database.name}/assemblies.tbl/{assembly.name}"

    def read(path: Path) -> object:
        return open_vehicle(path.parents[2] / whole)

    return Reader("vehicle", name, read, (others.pop(name),), others=others, share=0.04, limited=False)


def _reference_readers() -> Iterator[Reader]:
    """A folder with results of another program: the file that describes it, a table of the rig, a run; tables alone."""
    if str(TESTS / "reference") not in sys.path:
        sys.path.append(str(TESTS / "reference"))
    with tempfile.TemporaryDirectory() as made:
        _sample_texts("reference/small_vehicle.py").write_small(Path(made))
        files = _files_below(Path(made))
    files["runs/sine.csv"] = b"".join(files["runs/sine.csv"].splitlines(keepends=True)[:400])  # read often: short
    rig = _files_below(ROOT / "examples/rig_folder")
    read_folder = {
        "reference": ("reference.toml", 0),
        "reference_rig": ("kc/front_parallel.csv", 1),
        "reference_run": ("runs/sine.csv", 1),
    }
    for name, (file, up) in read_folder.items():
        others = {key: data for key, data in files.items() if key != file}

        def read(path: Path, up: int = up) -> object:
            return read_reference(path.parents[up])

        yield Reader(name, file, read, (files[file],), others=others, share=0.3, limited=up == 0)
    tables = (files["kc/front_parallel.csv"], *(data for key, data in rig.items() if key.endswith(".csv")))
    tables = tuple(data[:_HEADER_BYTES] for data in tables)
    packed = tuple(gzip.compress(data, mtime=0) for data in tables)
    yield Reader("table", "input.csv", read_table, tables, limited=False)
    yield Reader("table_packed", "input.csv.gz", read_table, (*tables, *packed), _packed, limited=False)
    yield Reader("run", "input.csv", read_run, (files["runs/sine.csv"],), limited=False)
    yield Reader("rig_result", "input.csv", _read_rig_result, (_RIG_RESULT,), limited=False)


def _read_rig_result(path: Path) -> object:
    return read_test(path, "parallel", Axle.FRONT)


_FRONT_SUSPENSION = "front_suspension.sub"
_RIG_RESULT = b"travel_left_m,toe_left_rad,Fz_left_N,solved\n-0.01,0.001,4000,1\n0,0,,0\n0.01,-0.001,4400,1\n"
_POINTS = (",".join(POINT_COLUMNS) + "\n4000,0,0.05,0,20,0\n3000,-0.1,0,0.01,30,250000\n").encode()
_BENCH = b"ET,SA,IA,P,V,FX,FY,FZ,MX,MZ\ns,deg,deg,kPa,kph,N,N,N,Nm,Nm\n" + b"".join(
    b"%.2f,%.2f,0,80,40,1,%.1f,-800,3,%.2f\n" % (0.01 * k, 0.1 * k - 6.0, 900.0 - 15.0 * k, 0.2 * k) for k in range(120)
)
_CASES = b"corner:fy=3000/1500,fx=-500\nbump:travel_mm=40/-20,rack_mm=10,mz=20\nheld:fx_centre=100,fy_centre=-200/0\n"
_SETTINGS = b"step_steer speed_kmh=80 target_ay_g=0.4 direction=left\nrandom_road road_class=C duration_s=4 seed=3\n"


def _text_readers() -> Iterator[Reader]:
    """Study files, points of a tyre; texts of the command line, one in each line."""
    page = (ROOT / "docs/convert.md").read_text(encoding="utf-8")
    study = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    yield Reader("study", "input.toml", read_study_file, tuple(text.encode() for text in study))
    yield Reader("tyre_points", "input.csv", read_points, (_POINTS,), limited=False)
    yield Reader("case", "input.txt", lambda path: parse_cases(_lines(path)), (_CASES,), is_file=False, limited=False)
    yield Reader("settings", "input.txt", _read_settings, (_SETTINGS,), is_file=False, limited=False)


def _measured_readers() -> Iterator[Reader]:
    """Recordings with their channel maps, sensors, plans, entries of the workshop, criteria, data of a tyre bench."""
    measured = ROOT / "src/trackrod/measured/ready_made"
    yield Reader("sensors", "input.toml", SensorSet.read, ((measured / "case_study.toml").read_bytes(),))
    plan = (measured / "case_study_plan.toml").read_bytes()
    yield Reader("measurement_plan", "input.toml", find_plan, (plan,))
    for name, page, word, read in (
        ("channel_map", "measured", "[channels]", ChannelMap.read),
        ("workshop", "estimate", "[scales]", read_workshop),
        ("criteria", "validation", "[[criterion]]", read_criteria),
    ):
        blocks = re.findall(r"```toml\n(.*?)```", (ROOT / f"docs/{page}.md").read_text(encoding="utf-8"), re.DOTALL)
        yield Reader(name, "input.toml", read, tuple(text.encode() for text in blocks if word in text))
    yield Reader("recording", "input.csv", _read_recording, (_recording(),), share=0.3, limited=False)
    yield Reader("tyre_bench", "input.csv", lambda path: read_bench([path]), (_BENCH,), limited=False)
    yield Reader("tyre_bench_tydex", "input.tdx", lambda path: read_bench([path]), (_bench_tydex(),))


def _campaign_readers() -> Iterator[Reader]:
    """The file of a campaign, and what its folder keeps of it."""
    blocks = re.findall(r"```toml[^\n]*\n(.*?)```", (ROOT / "docs/campaign.md").read_text(encoding="utf-8"), re.DOTALL)
    files = [text for text in blocks if "[models." in text]
    yield Reader("campaign", "input.toml", read_campaign, tuple(text.encode() for text in files))
    with tempfile.TemporaryDirectory() as made:
        file, folder = Path(made) / "input.toml", CampaignFolder(Path(made) / "campaign")
        file.write_text(files[0])
        read = read_campaign(file)
        folder.write(make_plan(read, {model.label: _small().conversion.spec for model in read.description.models}, {}))
        others = _files_below(folder.path)
    plan = others.pop(folder.plan_file.name)
    yield Reader(
        "campaign_plan",
        folder.plan_file.name,
        lambda path: CampaignFolder(path.parent).plan(),
        (plan,),
        others=others,
        share=0.3,
    )


def _roads() -> tuple[bytes, ...]:
    """A road in each format."""
    by_hand = _sample_texts("road/roads_by_hand.py")
    rows = [[0.01 * row * column for column in range(7)] for row in range(4)]
    return tuple(by_hand.crg_text(rows, kind=kind) for kind in ("LRFI", "LDFI", "KRBI", "KDBI"))


def _upload() -> bytes:
    """A database as it is handed to the workbench."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("assemblies.tbl/car.asy", "subsystems.tbl/body.sub", "tyres.tbl/a.tir"):
            archive.writestr(zipfile.ZipInfo(f"car.cdb/{name}", (2000, 1, 1, 0, 0, 0)), f"$ {name}\n" * 40)
    return packed.getvalue()


def _read_upload(path: Path) -> object:
    folder = path.parent / "unpacked"
    try:
        return unpack(path, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _bench_tydex() -> bytes:
    """The same sweep in TYDEX, its axes those of ISO 8855."""
    channels = {"RUNTIME": "s", "SLIPANGL": "deg", "INCLANGL": "deg", "FZW": "N", "FYW": "N"}
    head = ["**HEADER", "**CONSTANTS", f"{'INFLPRES':<10}{'':<30}{'bar':<10}2.1", "**MEASURCHANNELS"]
    head += [f"{name:<10}{'':<30}{unit:<10}1" for name, unit in channels.items()]
    rows = [f"{0.01 * k:.2f} {0.1 * k - 6.0:.2f} 0 800 {900.0 - 15.0 * k:.1f}" for k in range(120)]
    return "\n".join([*head, "**MEASURDATA", *rows]).encode()


def _recording() -> bytes:
    """Some seconds of a drive in curves, as a logger writes them."""
    lines = ["Time [s],Speed [km/h],YawRate [deg/s],LatAcc [g],SW_pos"]
    for k in range(200):
        rate = 0.3 * math.sin(0.06 * k)
        row = (0.05 * k, 72.0, math.degrees(rate), 20.0 * rate / 9.81, math.degrees(2.5 * rate))
        lines.append(",".join(f"{value:.4f}" for value in row))
    return "\n".join(lines).encode()


def _read_recording(path: Path) -> object:
    """Through all of the preparation, by a map that a damaged file need not have the channels of."""
    recording = open_recording(path)
    wanted = {"vx_mps": "Speed", "yaw_rate_radps": "YawRate", "ay_mps2": "LatAcc", "steering_wheel_angle_rad": "SW_pos"}
    entries = {c: Entry(c, name, "deg" if name == "SW_pos" else "") for c, name in wanted.items()}
    suggest(recording)
    return prepare(recording, ChannelMap(entries, step=0.05))


def _lines(path: Path) -> list[str]:
    """As a shell gives them: bytes that are no text come as surrogates, and none is zero."""
    return path.read_bytes().replace(b"\0", b"").decode(errors="surrogateescape").splitlines()


def _read_settings(path: Path) -> object:
    words = [line.split() for line in _lines(path)]
    return [manoeuvre(name, parse_settings(given)) for name, *given in filter(None, words)]


def _packed(data: bytes) -> bytes:
    return data if data.startswith(b"\x1f\x8b") else gzip.compress(data, mtime=0)


def _foreign_readers(real: Callable[..., tuple[bytes, ...]]) -> Iterator[Reader]:
    """Readers of other programs' files."""
    hand = _sample_texts("reference/carmaker_by_hand.py")
    tydex = _sample_texts("tyre/test_tydex.py").TEXT.encode()
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


@cache
def _small() -> Reference:
    """A small vehicle from a folder."""
    if str(TESTS / "reference") not in sys.path:
        sys.path.append(str(TESTS / "reference"))
    with tempfile.TemporaryDirectory() as made:
        return read_reference(_sample_texts("reference/small_vehicle.py").write_small(Path(made)))


def _artefact_readers() -> Iterator[Reader]:
    travel, force = Variable("travel", KINDS["length"]), Variable("force", KINDS["force"])
    speed = Variable("speed", KINDS["velocity"])
    rules = {"interpolation": "linear", "extrapolation": "constant"}
    spring = Map1D(travel, [-0.1, 0.0, 0.1], [force], [-1e3, 0.1, 2e3], **rules)
    rows = [[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0]]
    damper = Map2D((travel, speed), ([-0.1, 0.1], [-1.0, 0.0, 1.0]), [force], rows, **rules)
    small = _small()
    for name, schema, content in (
        ("map1d", MAP1D_SCHEMA, spring),
        ("map2d", MAP2D_SCHEMA, damper),
        ("vehicle", VEHICLE, read_vehicle(BUNDLED["double_wishbone_car"].assembly).vehicle),
        ("manoeuvre", MANOEUVRE, manoeuvre("step_steer", {})),
        ("kc_maps", KC_MAPS, small.maps[Axle.FRONT]),
    ):
        yield replace(_artefact_reader(name, schema, content), share=0.3 if name == "vehicle" else 1.0)
    rtm = _artefact_reader("rtm", RTM, small.conversion.spec)
    yield replace(rtm, read=lambda path: RealTimeVehicle(load(path, RTM).content), share=0.3)


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
