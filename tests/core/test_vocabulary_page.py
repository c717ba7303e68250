"""docs/vocabulary.md: its tables are those of the code, its examples run."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from trackrod.core.errors import FileFormatError
from trackrod.core.run_files import RUN_SUFFIXES, read_run

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "vocabulary.md"


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("write_vocabulary", ROOT / "tools" / "write_vocabulary.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def test_tables_are_up_to_date(tool: ModuleType) -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert tool.with_tables(page) == page, "run: python tools/write_vocabulary.py"
    assert "`Fx_fl_N`" in page
    assert "`Fx_fr_N`" not in page


def test_a_missing_block_is_noticed(tool: ModuleType) -> None:
    with pytest.raises(SystemExit, match="exactly one block 'signs' is needed, found 0"):
        tool.with_tables(PAGE.read_text(encoding="utf-8").replace("<!-- begin: signs -->", ""))


def test_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks("python"):
        exec(compile(block, str(PAGE), "exec"), names)
    printed = capsys.readouterr().out
    assert "('time_s', 'vx_mps', 'vy_mps', 'gear', 'sideslip_rad')" in printed
    shown = blocks("text")[0].splitlines()
    written = (tmp_path / "sine.csv").read_text().splitlines()[: len(shown)]
    assert written[:4] == shown[:4]
    numbers = [[float(cell) for cell in line.split(",")] for line in (written[4], shown[4])]
    assert numbers[0] == pytest.approx(numbers[1], rel=1e-15)  # sin and atan2 differ between machines


def test_messages_shown_are_real(tmp_path: Path) -> None:
    shown = blocks("text")[1]
    path = tmp_path / "bad.csv"
    path.write_text("time_s,vx_kmh,ay_mps2\n" + "".join(f"{i},1,{'fast' if i == 5 else 2}\n" for i in range(8)))
    with pytest.raises(FileFormatError) as caught:
        read_run(path)
    assert str(caught.value).replace(str(path), "bad.csv") == shown.strip()


def test_every_format_is_described() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert all(f"| `{suffix}` |" in page for suffix in RUN_SUFFIXES)
