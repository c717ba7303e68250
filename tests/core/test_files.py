"""Atomic writing leaves nothing half done; messages name the path."""

import hashlib
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackrod.core.errors import InputError, MissingFileError
from trackrod.core.files import (
    atomic_path,
    content_hash,
    hash_bytes,
    read_bytes,
    require_file,
    write_atomically,
)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@given(data=st.binary(max_size=2000))
def test_bytes_come_back_and_hash_as_hashlib_says(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "data.bin"
    write_atomically(path, data)
    assert read_bytes(path) == data
    assert content_hash(path) == hash_bytes(data) == hashlib.sha256(data).hexdigest()


def test_text_is_utf8_with_its_own_line_ends(tmp_path: Path) -> None:
    write_atomically(tmp_path / "a.txt", "Räder\r\nund\nReifen")
    assert (tmp_path / "a.txt").read_bytes() == "Räder\r\nund\nReifen".encode()


def test_empty_hash_is_the_published_one() -> None:
    assert hash_bytes(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_temporary_file_has_the_suffix_and_folder_of_the_target(tmp_path: Path) -> None:
    with atomic_path(tmp_path / "run.mf4") as temporary:
        assert temporary.suffix == ".mf4"
        assert temporary.parent == tmp_path.resolve()
        assert not temporary.exists()
        temporary.write_bytes(b"x")
        assert names(tmp_path) == [temporary.name]
    assert names(tmp_path) == ["run.mf4"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit, GeneratorExit])
def test_failure_keeps_the_old_file_and_leaves_nothing(tmp_path: Path, error: type[BaseException]) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")

    def write_half() -> None:
        with atomic_path(target) as temporary:
            temporary.write_text("half")
            raise error

    with pytest.raises(error):
        write_half()
    assert names(tmp_path) == ["a.txt"]
    assert target.read_text() == "old"


def test_block_that_writes_nothing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"), atomic_path(tmp_path / "a.txt"):
        pass
    assert names(tmp_path) == []


def test_full_disk_is_one_clear_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match=r"a\.txt.*No space left on device"):
        write_atomically(tmp_path / "a.txt", "text")
    assert names(tmp_path) == []


def test_data_is_flushed_before_the_move_and_the_folder_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = []
    fsync, replace = os.fsync, Path.replace
    monkeypatch.setattr(os, "fsync", lambda descriptor: (order.append("fsync"), fsync(descriptor))[1])
    monkeypatch.setattr(Path, "replace", lambda self, to: (order.append("replace"), replace(self, to))[1])
    write_atomically(tmp_path / "a.txt", "text")
    assert order == ["fsync", "replace", "fsync"]


def test_no_file_is_left_open(tmp_path: Path) -> None:
    open_files = Path("/proc/self/fd")
    if not open_files.exists():
        pytest.skip("this system does not list open files")
    before = len(list(open_files.iterdir()))
    for _ in range(10):
        write_atomically(tmp_path / "a.txt", "text")
        content_hash(tmp_path / "a.txt")
    assert len(list(open_files.iterdir())) == before


def test_mode_of_a_replaced_file_is_kept_and_a_new_one_obeys_the_mask(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    old = os.umask(0o027)
    try:
        write_atomically(target, "1")
        assert stat.S_IMODE(target.stat().st_mode) == 0o640
    finally:
        os.umask(old)
    target.chmod(0o604)
    write_atomically(target, "2")
    assert stat.S_IMODE(target.stat().st_mode) == 0o604


def test_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    write_atomically(tmp_path / "link.txt", "new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"


def test_missing_folder_is_made_only_on_request(tmp_path: Path) -> None:
    target = tmp_path / "a" / "b" / "c.txt"
    with pytest.raises(MissingFileError, match="folder to write into does not exist"):
        write_atomically(target, "text")
    assert names(tmp_path) == []
    write_atomically(target, "text", make_parents=True)
    write_atomically(target, "more", make_parents=True)  # the folders may exist
    assert target.read_text() == "more"
    with pytest.raises(MissingFileError), atomic_path(tmp_path / "other" / "a.txt"):
        pass


def test_messages_for_folders_missing_files_and_files_as_folders(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder"):
        read_bytes(tmp_path)
    with pytest.raises(InputError, match="is a folder"):
        write_atomically(tmp_path, "text")
    with pytest.raises(MissingFileError, match=r"nothing\.txt: error: the file does not exist"):
        require_file(tmp_path / "nothing.txt")
    with pytest.raises(FileNotFoundError):  # also under its built-in name
        content_hash(tmp_path / "nothing.txt")
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="needs a folder here"):
        write_atomically(tmp_path / "file" / "a.txt", "text")
    with pytest.raises(InputError, match="cannot be written"):
        write_atomically(tmp_path / "file" / "a.txt", "text", make_parents=True)


def test_no_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The tests may run as root, for whom no permission is ever missing.
    (tmp_path / "a.txt").write_text("x")

    def refuse(*_args: object, **_kwargs: object) -> None:
        raise PermissionError(13, "Permission denied")

    asked = []
    monkeypatch.setattr(os, "access", lambda *args: asked.append(args))
    with pytest.raises(InputError, match="not permitted"):
        write_atomically(tmp_path / "b.txt", "text")
    assert asked == [(tmp_path.resolve(), os.W_OK | os.X_OK)]
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(InputError, match=r"a\.txt.*Permission denied"):
        read_bytes(tmp_path / "a.txt")
