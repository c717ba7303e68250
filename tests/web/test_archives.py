"""Archives that were made to harm: refused with a sentence, nothing left behind."""

from __future__ import annotations

import io
import stat
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackrod.core.errors import InputError
from trackrod.web.archives import Limits, plain_name, unpack


def archive(path: Path, members: dict[str, bytes], **attributes: int) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = attributes.get("mode", 0o644) << 16
            packed.writestr(info, content)
    return path


def everything(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def test_a_plain_archive_is_unpacked(tmp_path: Path) -> None:
    packed = archive(tmp_path / "a.zip", {"car.cdb/assemblies.tbl/car.asy": b"x", "car.cdb/tyres.tbl/t.tir": b"y"})
    files = unpack(packed, tmp_path / "in")
    assert [str(f.relative_to(tmp_path / "in")) for f in files] == [
        "car.cdb/assemblies.tbl/car.asy",
        "car.cdb/tyres.tbl/t.tir",
    ]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("../out.txt", "leads out"),
        ("a/../../out.txt", "leads out"),
        ("/etc/out.txt", "leads out"),
        ("a//b.txt", "leads out"),
        ("..\\out.txt", "signs"),
        ("C:/out.txt", "signs"),
        ("a\x07b", "signs"),
        ("x" * 300, "too long"),
        ("/".join("abcdefghijklmnopqrst"), "too long"),
    ],
)
def test_paths_that_lead_out(tmp_path: Path, name: str, said: str) -> None:
    packed = archive(tmp_path / "a.zip", {"good.txt": b"1", name: b"2"})
    with pytest.raises(InputError, match=said):
        unpack(packed, tmp_path / "deep" / "in")
    assert everything(tmp_path) <= {"a.zip", "deep"}


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR])
def test_links_and_devices(tmp_path: Path, kind: int) -> None:
    packed = archive(tmp_path / "a.zip", {"link": b"/etc/passwd"}, mode=kind | 0o777)
    with pytest.raises(InputError, match="a link or a device"):
        unpack(packed, tmp_path / "in")
    assert everything(tmp_path) == {"a.zip"}


def test_a_bomb_of_10_GB_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    """Ten gigabytes of zeros as a zip says them; the archive itself is made by hand, a small one."""
    packed = archive(tmp_path / "a.zip", {"zeros": b"\0" * 2**20})
    data = bytearray(packed.read_bytes())
    central = data.rindex(b"PK\x01\x02")
    data[central + 24 : central + 28] = (2**32 - 2).to_bytes(4, "little")
    packed.write_bytes(data)
    with pytest.raises(InputError, match=r"4096 MiB|times as large"):
        unpack(packed, tmp_path / "in")
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as bomb:
        for k in range(40):
            bomb.writestr(f"{k}.bin", b"\0" * (2**24))  # 640 MiB packed into less than one
    packed.write_bytes(stream.getvalue())
    assert packed.stat().st_size < 2**20
    with pytest.raises(InputError, match="times as large"):
        unpack(packed, tmp_path / "in")
    assert everything(tmp_path) == {"a.zip"}


def test_an_archive_that_lies_about_its_sizes(tmp_path: Path) -> None:
    packed = archive(tmp_path / "a.zip", {"zeros": b"\0" * 2**21})
    data = bytearray(packed.read_bytes())
    for head, place in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        at = data.rindex(head)
        data[at + place : at + place + 4] = (100).to_bytes(4, "little")
    packed.write_bytes(data)
    with pytest.raises(InputError):
        unpack(packed, tmp_path / "in", Limits(unpacked=2**20))
    assert everything(tmp_path) == {"a.zip"}


def test_too_much_of_it(tmp_path: Path) -> None:
    packed = archive(tmp_path / "a.zip", {f"{k}": b"x" * 100 for k in range(20)})
    with pytest.raises(InputError, match="20 members"):
        unpack(packed, tmp_path / "in", Limits(members=19))
    with pytest.raises(InputError, match="up to 0 are taken"):
        unpack(packed, tmp_path / "in", Limits(unpacked=1999))
    with pytest.raises(InputError, match="the file has"):
        unpack(packed, tmp_path / "in", Limits(packed=100))
    assert len(unpack(packed, tmp_path / "in", Limits(members=20, unpacked=2000))) == 20
    with pytest.raises(InputError, match="already"):
        unpack(packed, tmp_path / "in")


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04" + bytes(40)])
def test_what_is_no_archive(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.zip").write_bytes(content)
    with pytest.raises(InputError, match=r"a \.zip of the folder is needed"):
        unpack(tmp_path / "a.zip", tmp_path / "in")


def test_one_name_twice(tmp_path: Path) -> None:
    packed = archive(tmp_path / "a.zip", {"a/B.txt": b"1", "a/b.TXT": b"2"})
    with pytest.raises(InputError, match="twice"):
        unpack(packed, tmp_path / "in")


@given(st.text())
def test_names_are_plain(text: str) -> None:
    name = plain_name(text)
    assert name
    assert not name.startswith((".", "-"))
    assert not set(name) & set("/\\:\0<>\"'& ")
    assert len(name) <= 60
