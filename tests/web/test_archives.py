"""Archives that were made to harm: refused with a sentence, nothing left behind."""

from __future__ import annotations

import io
import stat
import struct
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


def claiming(data: bytes, size: int) -> bytes:
    """An archive of one member whose directory says another size, in a field of zip64 where 32 bits do not hold it."""
    found = bytearray(data)
    central, end = found.rindex(b"PK\x01\x02"), found.rindex(b"PK\x05\x06")
    zip64 = struct.pack("<HHQ", 1, 8, size) if size >= 2**32 - 1 else b""
    struct.pack_into("<L", found, central + 24, 2**32 - 1 if zip64 else size)
    (name,) = struct.unpack_from("<H", found, central + 28)
    struct.pack_into("<H", found, central + 30, len(zip64))
    struct.pack_into("<L", found, end + 12, end - central + len(zip64))
    found[central + 46 + name : central + 46 + name] = zip64
    return bytes(found)


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


@pytest.mark.parametrize("claimed", [2**32 - 2, 10 * 10**9])
def test_a_bomb_of_10_GB_is_refused_before_it_is_unpacked(tmp_path: Path, claimed: int) -> None:
    """A member that claims as much as a plain zip can say, and one of ten gigabytes, which only zip64 can."""
    packed = archive(tmp_path / "a.zip", {"zeros": b"\0" * 2**20})
    packed.write_bytes(claiming(packed.read_bytes(), claimed))
    with zipfile.ZipFile(packed) as said:
        assert said.getinfo("zeros").file_size == claimed
    with pytest.raises(InputError, match=rf"unpacked it has {claimed / 2**20:.0f} MiB.*\n?.*times as large"):
        unpack(packed, tmp_path / "in")
    assert everything(tmp_path) == {"a.zip"}


def test_many_small_bombs_are_refused(tmp_path: Path) -> None:
    packed = tmp_path / "a.zip"
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
