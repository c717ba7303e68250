"""Mistakes and bad luck: one message, exit code 2, nothing left behind, and all of it before any work begins.

Places that cannot take results (a full disk, a file where a folder is needed, a folder where a file is needed, devices)
for every command that writes; wrong values, names and files for every command that reads.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from trackrod.cli.app import main
from trackrod.core.run_files import write_run
from trackrod.core.series import Run
from trackrod.kc.rig import Rig
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.tyre import tir

CAR = "double_wishbone_car"
TYRE = str(Path(tir.__file__).parent / "samples" / "car_mf61.tir")
#: Room on the full disk [byte]: enough for an empty file, not for results.
ROOM = 16384


@pytest.fixture(scope="module")
def full_disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A small disk of its own, where that is allowed."""
    place = tmp_path_factory.mktemp("disk")
    mount = ["mount", "-t", "tmpfs", "-o", f"size={ROOM}", "tmpfs", str(place)]
    try:
        done = subprocess.run(mount, capture_output=True, check=False)
    except OSError:
        pytest.skip("there is no mount here")
    if done.returncode:
        pytest.skip("mounting is not allowed here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a file, a folder, a run and plugins; nobody may begin to work."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRACKROD_CACHE", str(tmp_path.parent / "cache"))
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "file").write_text("a file")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "inside.txt").write_text("of somebody")
    write_run(Run({"time_s": np.arange(3.0), "vx_mps": np.ones(3)}, {"vehicle": "suv"}), tmp_path / "run.csv")
    for name, text in PLUGINS.items():
        (tmp_path / name).write_text(text)
    for name, text in STUDIES.items():
        (tmp_path / name).write_text(text)

    def work(*_arguments: object, **_settings: object) -> None:
        raise AssertionError("work has begun")

    for kind in (Rig, MultibodyVehicle, RealTimeVehicle):
        monkeypatch.setattr(kind, "__init__", work)
    return tmp_path


@pytest.fixture
def refused(desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """What a command says; it has written nothing."""

    def run(*arguments: str) -> str:
        before = {path: path.read_bytes() if path.is_file() else None for path in desk.rglob("*")}
        monkeypatch.setattr(sys, "argv", ["trackrod", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        assert ended.value.code == 2, said
        assert "Traceback" not in said.out + said.err
        assert {path: path.read_bytes() if path.is_file() else None for path in desk.rglob("*")} == before
        if "--json" in arguments:
            assert json.loads(said.out)["problems"]
        else:
            assert said.out == ""
        assert said.err.strip()
        return said.err

    return run


#: Commands with an option that names a folder for results, without its value.
FOLDERS: dict[str, tuple[str, ...]] = {
    "compare": ("compare", CAR, "--manoeuvre=step_steer", "--out"),
    "convert": ("convert", CAR, "--out"),
    "convert --no-tune": ("convert", CAR, "--no-tune", "--out"),
    "envelope": ("envelope", CAR, "--out"),
    "kc": ("kc", CAR, "--out"),
    "kc-compare": ("kc-compare", "folder", "folder", "--out"),
    "measure": ("measure", CAR, "--plan=case_study", "--out"),
    "plan": ("plan", "tolerance_5_percent", f"--vehicle={CAR}", "--out"),
    "reduce": ("reduce", CAR, "--out"),
    "tyre show": ("tyre", "show", TYRE, "--out"),
    "validate": ("validate", "folder", "folder", "--criteria=tolerance_5_percent", "--out"),
    "vehicle tune-leaf": ("vehicle", "tune-leaf", "integral_link", "--out"),
    "export c": ("export", CAR, "--format=c", "--out"),
    "export carmaker": ("export", CAR, "--format=carmaker", "--out"),
}
#: The same for a file, with its suffix.
FILES: dict[str, tuple[tuple[str, ...], str]] = {
    "animate": (("animate", "run.csv", "--vehicle=suv", "--out"), ".html"),
    "estimate": (("estimate", "run.csv", "--report"), ".html"),
    "inspect page": (("inspect", CAR, "--html"), ".html"),
    "inspect picture": (("inspect", CAR, "--picture"), ".png"),
    "inspect save": (("inspect", CAR, "--save"), ".json"),
    "realtime": (("realtime", CAR, "--plot"), ".png"),
    "simulate": (("simulate", CAR, "--manoeuvre=step_steer", "--out"), ".csv"),
    "simulate rtm": (("simulate", CAR, "--model=rtm", "--manoeuvre=step_steer", "--out"), ".mat"),
    "simulate plot": (("simulate", CAR, "--manoeuvre=step_steer", "--plot"), ".png"),
    "single-track": (("single-track", "run.csv", "--wheelbase=2.7", "--out"), ".json"),
    "tyre evaluate": (("tyre", "evaluate", TYRE, "--points=run.csv", "--out"), ".csv"),
    "tyre fit": (("tyre", "fit", "run.csv", "--out"), ".tir"),
    "tyre fit report": (("tyre", "fit", "run.csv", "--out=new.tir", "--report"), ".html"),
    "export fmu": (("export", CAR, "--format=fmu3", "--out"), ".fmu"),
}


@pytest.mark.parametrize("command", FOLDERS)
@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("file", "file"),
        ("file/below", "cannot be made"),
        ("/dev/full", "file"),
        ("/dev/null/folder", "cannot be made"),
        ("x" * 300, "name too long"),
    ],
    ids=["a file", "below a file", "device", "below a device", "name too long"],
)
def test_a_folder_that_cannot_be(refused: Callable[..., str], command: str, place: str, words: str) -> None:
    said = refused(*FOLDERS[command][:-1], f"{FOLDERS[command][-1]}={place}")
    assert words in said.casefold()
    assert len(said.strip().splitlines()) == 1


@pytest.mark.parametrize("command", FOLDERS)
def test_a_folder_on_a_full_disk(refused: Callable[..., str], full_disk: Path, command: str) -> None:
    said = refused(*FOLDERS[command][:-1], f"{FOLDERS[command][-1]}={full_disk / 'results'}")
    assert "No space left on device" in said
    assert len(said.strip().splitlines()) == 1
    assert list(full_disk.iterdir()) == []


@pytest.mark.parametrize("command", FILES)
@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("folder", "this is a folder"),
        ("nowhere/name", "does not exist"),
        ("file/name", "this is a file"),
        ("/dev/full", "device"),
        ("x" * 300, "name too long"),
    ],
    ids=["a folder", "nowhere", "below a file", "device", "name too long"],
)
def test_a_file_that_cannot_be(refused: Callable[..., str], command: str, place: str, words: str) -> None:
    arguments, suffix = FILES[command]
    target = place if place in ("folder", "/dev/full") else place + suffix
    said = refused(*arguments[:-1], f"{arguments[-1]}={target}")
    assert words in said.casefold() or "suffix" in said or "must end in .fmu" in said
    assert len(said.strip().splitlines()) == 1


@pytest.mark.parametrize("command", FILES)
def test_a_file_on_a_full_disk(refused: Callable[..., str], full_disk: Path, command: str) -> None:
    arguments, suffix = FILES[command]
    said = refused(*arguments[:-1], f"{arguments[-1]}={full_disk / f'result{suffix}'}")
    assert "No space left on device" in said
    assert list(full_disk.iterdir()) == []


PLUGINS = {
    "empty.py": "x = 1\n",
    "broken.py": "def (\n",
    "fails.py": "import os\n\nos.environ['NOT_THERE']\n",
    "imports.py": "import not_there_at_all\n",
    "text.txt": "import trackrod\n",
    "no_class.py": "import trackrod as tr\ntr.register_manoeuvre(3)\n",
    "no_name.py": "import trackrod as tr\n\n\n@tr.register_manoeuvre\nclass X(tr.Manoeuvre):\n    pass\n",
    "built_in.py": "import trackrod as tr\n\ntr.register_manoeuvre(tr.StepSteer)\n",
    "no_templates.py": "import trackrod as tr\n\ntr.register_templates('nowhere')\n",
    "no_optimiser.py": "import trackrod as tr\n\ntr.register_optimiser(print)\n",
}
STUDIES = {
    "key.toml": '[study]\noptimizer = "nomad"\n',
    "optimiser.toml": '[study]\noptimiser = "magic"\n',
    "table.toml": "[studdy]\nseed = 1\n",
    "broken.toml": "[study\n",
    "seed.toml": "[study]\nseed = -1\n",
    "seconds.toml": "[study]\nseconds = 0\n",
    "variance.toml": "[study]\nvariance = 7\n",
    "screening.toml": "[study]\nscreening = 1\n",
    "manoeuvre.toml": "[tune.step_ster]\n",
    "indices.toml": "[tune.parking]\n",
    "setting.toml": "[tune.step_steer]\nspeed_kmh = 5000\n",
    "parameter.toml": "[parameters.Izzz]\nrange_pct = 5\n",
    "plugin.toml": '[study]\nplugins = ["empty.py"]\n',
    "no_plugin.toml": '[study]\nplugins = "empty.py"\n',
    "nomad.toml": '[study]\noptimiser = "nomad"\n',
    "latin.toml": "[study]\nmode = 'exp\u00e9rt'\n",
}
DRIVE = ("simulate", CAR, "--manoeuvre=step_steer")
BOTH = ("compare", CAR, "--manoeuvre=step_steer")
#: Arguments, and words of the message.
MISTAKES: tuple[tuple[tuple[str, ...], str], ...] = (
    # names and files that are not there, or are something else
    (("inspect", "suvv"), "did you mean 'suv'?"),
    (("inspect", "folder"), "folder"),
    (("inspect", "file"), "is not a vehicle"),
    (("inspect", "/dev/full"), "/dev/full"),
    (("inspect", "run.csv"), "is not a vehicle"),
    (("inspect", "nowhere.asy"), "nowhere.asy"),
    (("inspect", "suv", "--mode=stiff"), "--mode stiff is unknown"),
    (("inspect", "suv", "--payload=heavy"), "--payload"),
    (("inspect", "suv", "--alias=x"), "--alias x is not NAME=FOLDER"),
    (("inspect", "suv", "--parameter=x"), "--parameter x is not"),
    (("inspect", "suv", "--templates=nowhere"), "nowhere"),
    (("vehicle", "diff", "suv", "nothing"), "nothing"),
    (("vehicle", "diff", "nothing", "suv", "--json"), "nothing"),
    (("vehicle", "diff", "suv"), "Missing argument 'second'"),
    (("equilibrium", "nothing"), "nothing"),
    (("equilibrium", CAR, "--payload=half"), "payload"),
    (("score", "run.csv", "nothing.csv", "--signal=vx"), "nothing.csv"),
    (("score", "folder", "run.csv", "--signal=vx"), "folder"),
    (("score", "run.csv", "run.csv", "--signal=vxx"), "vxx"),
    (("channels", "nothing.mf4"), "nothing.mf4"),
    (("estimate", "nothing.csv"), "nothing.csv"),
    (("estimate", "run.csv", "--vehicle=nothing"), "nothing"),
    (("estimate", "run.csv", "--workshop=nothing.toml"), "nothing.toml"),
    (("estimate", "run.csv", "--sensors=nothing.toml"), "nothing.toml"),
    (("estimate", "run.csv", "--map=nothing.toml"), "nothing.toml"),
    (("validate", "nothing", "folder", "--criteria=tolerance_5_percent"), "folder"),
    (("validate", "folder", "nothing", "--criteria=tolerance_5_percent"), "nothing"),
    (("validate", "folder", "folder", "--criteria=nothing"), "nothing"),
    (("plan", "nothing", f"--vehicle={CAR}"), "nothing"),
    (("plan", "tolerance_5_percent", "--vehicle=nothing"), "nothing"),
    (("plan", "tolerance_5_percent", f"--vehicle={CAR}", "--share=2"), "share"),
    (("measure", CAR, "--plan=nothing", "--out=new"), "nothing"),
    (("measure", "nothing", "--plan=case_study", "--out=new"), "nothing"),
    (("envelope", "nothing", "--out=new"), "nothing"),
    (("envelope", CAR, "--out=new", "--plan=nothing.toml"), "nothing.toml"),
    (("envelope", CAR, "--out=new", "--criteria=nothing"), "nothing"),
    (("kc-compare", "nothing", "folder"), "nothing"),
    (("tyre", "show", "nothing.tir"), "nothing.tir"),
    (("tyre", "show", "folder"), "folder"),
    (("tyre", "show", "/dev/full"), "device"),
    (("tyre", "fit", "nothing.mat", "--out=new.tir"), "nothing.mat"),
    (("tyre", "evaluate", TYRE, "--points=nothing.csv", "--out=new.csv"), "nothing.csv"),
    (("single-track", "nothing.csv", "--wheelbase=2.7", "--out=new.json"), "nothing.csv"),
    (("single-track", "run.csv", "--wheelbase=much", "--out=new.json"), "--wheelbase"),
    (("reduce", "nothing"), "nothing"),
    (("reduce", CAR, "--change=camber"), "--change camber is not CURVE=FILE"),
    (("reduce", CAR, "--change=cambre=file"), "did you mean 'camber'?"),
    (("reduce", CAR, "--posts", "--axle=front"), "--posts needs both axles"),
    # driving
    ((*DRIVE, "--step=0"), "step"),
    ((*DRIVE, "--step=-0.001"), "step"),
    ((*DRIVE, "--step=nan"), "step"),
    ((*DRIVE, "--step=1"), "does not fit"),
    ((*DRIVE, "--step=0.0007"), "does not fit"),
    ((*DRIVE, "--model=rtm", "--step=0.01"), "at most 0.005 s"),
    ((*DRIVE, "--sample=0"), "sample"),
    ((*DRIVE, "--sample=nan"), "sample"),
    ((*DRIVE, "--sample=0.003"), "does not fit"),
    ((*DRIVE, "--model=rtmm"), "--model"),
    ((*DRIVE, "--model=rtm", "--integrator=reference"), "--integrator reference is for --model multibody"),
    ((*DRIVE, "--tolerance=0.1"), "--tolerance is for --integrator reference"),
    ((*DRIVE, "--integrator=reference", "--tolerance=2"), "between 0 and 1"),
    ((*DRIVE, "--set=speed_kmh"), "is not KEY=VALUE"),
    ((*DRIVE, "--set=speed=80"), "did you mean 'speed_kmh'"),
    ((*DRIVE, "--set=speed_kmh=fast"), "speed_kmh"),
    ((*DRIVE, "--set=speed_kmh=1e9"), "speed_kmh"),
    ((*DRIVE, "--set=speed_kmh=80", "--set=speed_kmh=90"), "given twice"),
    ((*DRIVE, "--out=run.txt"), "suffix"),
    ((*DRIVE, "--plot=run.svg"), "suffix"),
    ((*DRIVE, "--steering=magic"), "--steering"),
    ((*DRIVE, "--nothing"), "No such option"),
    (("simulate", CAR), "--manoeuvre"),
    (("simulate", CAR, "--manoeuvre=step_ster"), "did you mean 'step_steer'"),
    (("simulate", "folder", "--manoeuvre=step_steer"), "no model 'rtm.json'"),
    (("simulate", "nothing", "--manoeuvre=step_steer", "--json"), "nothing"),
    ((*BOTH, "--step=0"), "step"),
    ((*BOTH, "--step=0.02"), "at most 0.005 s"),
    ((*BOTH, "--sample=-1"), "sample"),
    ((*BOTH, "--travel-mm=-5"), "travel"),
    ((*BOTH, "--travel-mm=1e4"), "travel"),
    ((*BOTH, "--detail=3d"), "--detail"),
    (("compare", CAR, "--manoeuvre=parking"), "unknown manoeuvre with indices 'parking'"),
    (("compare", CAR, "--manoeuvre=nothing"), "unknown manoeuvre 'nothing'"),
    (("realtime", CAR, "--step=0"), "step"),
    (("realtime", CAR, "--step=0.02"), "0.005"),
    (("realtime", CAR, "--duration=0"), "duration"),
    (("realtime", CAR, "--duration=nan"), "duration"),
    (("realtime", CAR, "--udp=99999"), "--udp 99999 is no port"),
    (("animate", "run.csv", f"--vehicle={CAR}"), "'suv' drove this run, not 'double_wishbone_car'"),
    (("animate", "nothing.csv", "--vehicle=suv"), "nothing.csv"),
    (("animate", "run.csv", "--vehicle=suv", "--out=run.gif"), "use .html"),
    # on the rig
    (("kc", CAR, "--map-points=1000000"), "3 to 401 points"),
    (("kc", CAR, "--map-points=2"), "3 to 401 points"),
    (("kc", CAR, "--mode=stiff"), "--mode stiff is unknown"),
    (("kc", CAR, "--travel-mm=80"), "is not FROM:TO:STEP"),
    (("kc", CAR, "--travel-mm=80:-80:2"), "FROM must be less than TO"),
    (("kc", CAR, "--travel-mm=-80:80:0.0001"), "up to 2001 are taken"),
    (("kc", CAR, "--rack-mm=-900:900:10"), "is possible"),
    (("kc", CAR, "--case=corner"), "is not NAME:KEY=LEFT/RIGHT"),
    (("kc", CAR, "--case=corner:fz=3"), "fz"),
    (("kc", CAR, "--loadcase=nothing.lcf"), "nothing.lcf"),
    (("kc", CAR, "--axle=middle"), "--axle"),
    # studies
    (("convert",), "give a vehicle"),
    (("convert", "suvv"), "did you mean 'suv'?"),
    (("convert", CAR, "--optimiser=magic"), "unknown method of optimisation 'magic'"),
    (("convert", CAR, "--no-tune", "--optimiser=nomad"), "--no-tune and --optimiser nomad"),
    (("convert", CAR, "--mode=export"), "--mode"),
    (("convert", CAR, "--seed=-1"), "--seed"),
    (("convert", CAR, "--travel-mm=0"), "travel"),
    (("convert", CAR, "--config=folder"), "this is a folder"),
    (("convert", CAR, "--config=nothing.toml"), "does not exist"),
    (("convert", "--reference=nothing"), "nothing"),
    (("convert", CAR, "--reference=folder"), "not both"),
    (("convert", CAR, "--config=key.toml"), "did you mean 'optimiser'?"),
    (("convert", CAR, "--config=optimiser.toml"), "one of gauss-newton"),
    (("convert", CAR, "--config=table.toml"), "did you mean 'study'?"),
    (("convert", CAR, "--config=broken.toml"), "broken.toml"),
    (("convert", CAR, "--config=seed.toml"), "seed.toml:2"),
    (("convert", CAR, "--config=seconds.toml"), "above 0"),
    (("convert", CAR, "--config=variance.toml"), "power of two"),
    (("convert", CAR, "--config=screening.toml"), "2 or more"),
    (("convert", CAR, "--config=manoeuvre.toml"), "did you mean 'step_steer'"),
    (("convert", CAR, "--config=indices.toml"), "no indices to compare"),
    (("convert", CAR, "--config=setting.toml"), "speed_kmh"),
    (("convert", CAR, "--config=parameter.toml"), "did you mean 'Izz'"),
    (("convert", CAR, "--config=plugin.toml"), "empty.py: error: the plugin adds nothing"),
    (("convert", CAR, "--config=no_plugin.toml"), "a list of Python files"),
    (("convert", CAR, "--config=latin.toml", "--json"), "mode"),
    # plugins
    *(((*DRIVE, "--plugin=nothing.py"), "nothing.py: error: the file does not exist"),),
    *(((*DRIVE, "--plugin=folder"), "this is a folder"),),
    *(((*DRIVE, "--plugin=text.txt"), "a plugin is a Python file"),),
    *(((*DRIVE, "--plugin=empty.py"), "the plugin adds nothing"),),
    *(((*DRIVE, "--plugin=broken.py"), "broken.py:1: error: the plugin cannot be run: SyntaxError"),),
    *(((*DRIVE, "--plugin=fails.py"), "fails.py:3: error: the plugin cannot be run: KeyError"),),
    *(((*BOTH, "--plugin=imports.py"), "imports.py:1: error: the plugin cannot be run: ModuleNotFoundError"),),
    *(((*BOTH, "--plugin=no_class.py"), "3 is no class of manoeuvres"),),
    *(((*BOTH, "--plugin=no_name.py"), "its class has no name"),),
    *((("convert", CAR, "--plugin=built_in.py"), "there is a built-in manoeuvre 'step_steer'"),),
    *((("convert", CAR, "--plugin=no_templates.py"), "is no folder of templates"),),
    *((("manoeuvres", "--plugin=no_optimiser.py"), "is no method"),),
    # export
    (("export",), "nothing to export"),
    (("export", CAR), "--format is missing"),
    (("export", CAR, "--format=fmu3", "--out=new.zip"), "must end in .fmu"),
    (("export", CAR, "--format=c", "--out=new", "--check"), "--check and --platforms are for FMUs"),
    (("export", "nothing", "--format=c", "--out=new"), "nothing"),
    (("export", "folder", "--format=c", "--out=new"), "no model 'rtm.json'"),
    (("export", "nothing.fmu", "--check"), "nothing.fmu"),
    (("export", "--build-runtimes=amiga"), "amiga"),
    # the command itself
    (("comvert", CAR), "Did you mean 'convert'"),
    (("vehicles", "all"), "unexpected extra argument"),
)


@pytest.mark.parametrize(
    ("arguments", "words"), MISTAKES, ids=lambda value: " ".join(value)[:60] if isinstance(value, tuple) else ""
)
def test_mistakes(refused: Callable[..., str], arguments: tuple[str, ...], words: str) -> None:
    said = refused(*arguments)
    assert words in " ".join(said.split()), said


def test_there_are_enough_of_them() -> None:
    assert 6 * (len(FOLDERS) + len(FILES)) + len(MISTAKES) >= 150


def test_a_method_that_is_not_installed(refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PyNomad", None)
    for arguments in (("--optimiser=nomad",), ("--config=nomad.toml",)):
        assert "pip install 'trackrod[fit]'" in refused("convert", CAR, *arguments)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no such device here")
@pytest.mark.parametrize("arguments", [("vehicles",), ("vehicles", "--json"), ("--help",), ("manoeuvres",)])
def test_output_that_takes_nothing(arguments: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "trackrod", *arguments]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "error: what was found cannot be printed: No space left on device\n"


def test_a_reader_who_has_seen_enough() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as pipe:
        command = [sys.executable, "-m", "trackrod", "manoeuvres"]
        done = subprocess.run(command, stdout=pipe, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == ""


def test_exit_codes_that_answer(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Two vehicles that are the same, and two that are not."""
    for other, code in (("suv", 0), ("cla_class", 1)):
        monkeypatch.setattr(sys, "argv", ["trackrod", "vehicle", "diff", "suv", other])
        with pytest.raises(SystemExit) as ended:
            main()
        assert (ended.value.code or 0) == code
    capsys.readouterr()
