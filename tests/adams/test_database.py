"""Databases: aliases, both spellings of a reference, case, dangling references, the way out that is barred."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from trackrod.adams import database as module
from trackrod.adams.database import Database, FileReference, read_document
from trackrod.core.errors import FileFormatError, InputError, MissingFileError, Place, Severity

ASY = "assemblies.tbl/car.asy"


def write(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("[A]\n")


@pytest.fixture
def cdb(tmp_path: Path) -> Path:
    """A database with a few files, and one file beside it."""
    folder = tmp_path / "Demo.cdb"
    write(folder, ASY, "springs.tbl/Soft.spr", "springs.tbl/hard.spr", "dampers.tbl/a.dpr")
    write(tmp_path, "secret/key.spr")
    return folder


def at(text: str, line: int = 7) -> FileReference:
    return FileReference(text, Place(Path("x.sub"), line))


@pytest.mark.parametrize(
    "text",
    [
        "<Demo>/springs.tbl/Soft.spr",
        "mdids://Demo/springs.tbl/Soft.spr",
        "MDIDS://demo/Springs.TBL/SOFT.SPR",
        "<DEMO>\\springs.tbl\\soft.spr",
        "  <demo>//springs.tbl/./soft.spr ",
    ],
)
def test_both_spellings_in_any_case(cdb: Path, text: str) -> None:
    found = Database.around(cdb / ASY).resolve(at(text))
    assert found == (cdb / "springs.tbl" / "Soft.spr", None)


def test_the_parts_of_a_reference() -> None:
    for text in ("<db>/springs.tbl/x.spr", "mdids://db/springs.tbl/x.spr"):
        reference = at(text)
        assert (reference.alias, reference.parts) == ("db", ("springs.tbl", "x.spr"))
        assert reference.file_name == "x.spr"
    assert at("x.spr").alias is None
    assert at("<db>").file_name == ""


def test_the_database_is_the_enclosing_cdb_folder(cdb: Path, tmp_path: Path) -> None:
    assert Database.around(cdb / ASY).home == cdb
    assert dict(Database.around(cdb / ASY).folders) == {"demo": cdb}
    write(tmp_path, "loose/assemblies.tbl/a.asy", "single/b.asy")
    assert Database.around(tmp_path / "loose/assemblies.tbl/a.asy").home == tmp_path / "loose"
    assert Database.around(tmp_path / "single/b.asy").home == tmp_path / "single"


def test_a_relative_path_of_the_assembly(cdb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(cdb / "assemblies.tbl")
    assert Database.around("car.asy").resolve(at("<demo>/dampers.tbl/a.dpr")).path == cdb / "dampers.tbl" / "a.dpr"


def test_aliases_of_the_user(cdb: Path, tmp_path: Path) -> None:
    shared = tmp_path / "shared_car_database.cdb"
    write(shared, "springs.tbl/x.spr")
    database = Database.around(cdb / ASY, {"ACAR_shared": shared})
    assert database.resolve(at("mdids://acar_SHARED/springs.tbl/x.spr")).path == shared / "springs.tbl" / "x.spr"
    # The user's word goes before the name of the folder.
    database = Database.around(cdb / ASY, {"demo": str(shared)})
    assert database.resolve(at("<Demo>/springs.tbl/x.spr")).path == shared / "springs.tbl" / "x.spr"
    assert database.resolve(at("<Demo>/springs.tbl/Soft.spr")).path is None
    with pytest.raises(MissingFileError, match="'nowhere' does not exist"):
        Database.around(cdb / ASY, {"nowhere": tmp_path / "no"})


def test_a_folder_given_under_an_alias_is_known_by_its_own_name(cdb: Path, tmp_path: Path) -> None:
    shared = tmp_path / "Shared_Car.cdb"
    write(shared, "springs.tbl/x.spr")
    database = Database.around(cdb / ASY, {"acar": shared})
    for alias in ("acar", "shared_car"):
        assert database.resolve(at(f"<{alias}>/springs.tbl/x.spr")) == (shared / "springs.tbl" / "x.spr", None)
    # An alias goes before the name of a folder, and the assembly's own database before another of its name.
    other = Database.around(cdb / ASY, {"shared_car": cdb, "acar": shared})
    assert other.resolve(at("<Shared_Car>/dampers.tbl/a.dpr")).path == cdb / "dampers.tbl" / "a.dpr"
    write(tmp_path / "elsewhere", "Demo.cdb/springs.tbl/x.spr")
    own = Database.around(cdb / ASY, {"acar": tmp_path / "elsewhere" / "Demo.cdb"})
    assert own.resolve(at("<demo>/springs.tbl/Soft.spr")).path == cdb / "springs.tbl" / "Soft.spr"


def test_an_unknown_alias_falls_back_with_a_note(cdb: Path) -> None:
    path, note = Database.around(cdb / ASY).resolve(at("<other>/springs.tbl/hard.spr"))
    assert path == cdb / "springs.tbl" / "hard.spr"
    assert note is not None
    assert note.severity is Severity.NOTE
    assert note.place == Place(Path("x.sub"), 7)
    assert "'other' is not known" in note.text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("<other>/springs.tbl/none.spr", "give the folder of the database 'other'"),
        ("<Demo>/springs.tbl/softt.spr", "did you mean 'Soft.spr'"),
        ("<Demo>/bushings.tbl/a.bus", "there is no folder 'bushings.tbl'"),
        ("<Demo>/springs.tbl", "is not found"),
        ("<Demo>", "does not name a file"),
        ("", "does not name a file"),
        ("<Demo>/springs.tbl/a\0b.spr", "does not name a file"),
        ("<Demo>/" + "x" * 5000, "does not name a file"),
        ("<Demo>/springs.tbl/" + "x" * 400 + ".spr", "is not found"),
        ("<Demo>/springs.tbl/Soft.spr/more", "is not found"),
    ],
)
def test_dangling_references_are_warnings(cdb: Path, text: str, says: str) -> None:
    path, problem = Database.around(cdb / ASY).resolve(at(text))
    assert path is None
    assert problem is not None
    assert (problem.severity, problem.place) == (Severity.WARNING, Place(Path("x.sub"), 7))
    assert says in str(problem)
    assert len(str(problem)) < 700


def test_no_way_out_of_the_database(cdb: Path, tmp_path: Path) -> None:
    key = tmp_path / "secret" / "key.spr"
    (cdb / "springs.tbl" / "linked.spr").symlink_to(key)
    (cdb / "linked.tbl").symlink_to(tmp_path / "secret")
    ways_out = [
        "<Demo>/../secret/key.spr",
        "<Demo>/springs.tbl/../../secret/KEY.spr",
        "<Demo>/springs.tbl/linked.spr",
        "<Demo>/linked.tbl/key.spr",
        "<other>/../secret/key.spr",
        str(key),
    ]
    for text in ways_out:
        path, problem = Database.around(cdb / ASY).resolve(at(text))
        assert path is None, text
        assert "leads out of the database" in str(problem)
        path, _ = Database.around(cdb / ASY, allow_outside=True).resolve(at(text))
        assert path is not None, text
        assert path.resolve() == key.resolve()
    windows = Database.around(cdb / ASY).resolve(at("C:\\secret\\key.spr"))
    assert "leads out" in str(windows.problem)
    assert Database.around(cdb / ASY, allow_outside=True).resolve(at("C:\\secret\\key.spr")).path is None


def test_dots_that_stay_inside_are_allowed(cdb: Path) -> None:
    found = Database.around(cdb / ASY).resolve(at("<Demo>/dampers.tbl/../springs.tbl/Soft.spr"))
    assert found.problem is None
    assert found.path is not None
    assert found.path.samefile(cdb / "springs.tbl" / "Soft.spr")


def test_a_plain_path_starts_beside_the_file_that_names_it(cdb: Path) -> None:
    place = Place(cdb / "dampers.tbl" / "a.dpr", 3)
    assert Database.around(cdb / ASY).resolve(FileReference("../springs.tbl/soft.spr", place)).path is not None
    assert Database.around(cdb / ASY).resolve(FileReference("soft.spr", place)).path is None


def test_a_link_to_itself_leads_nowhere(cdb: Path) -> None:
    loop = cdb / "springs.tbl" / "loop.spr"
    loop.symlink_to(loop)
    assert Database.around(cdb / ASY).resolve(at("<Demo>/springs.tbl/loop.spr")).path is None


def test_names_that_differ_in_case_only(cdb: Path) -> None:
    write(cdb, "springs.tbl/SOFT.spr")
    if len(list((cdb / "springs.tbl").glob("*"))) < 3:
        pytest.skip("this file system does not tell upper from lower case")
    database = Database.around(cdb / ASY)
    assert database.resolve(at("<Demo>/springs.tbl/SOFT.spr")).path == cdb / "springs.tbl" / "SOFT.spr"
    path, problem = database.resolve(at("<Demo>/springs.tbl/soft.spr"))
    assert path is None
    assert "may mean 'SOFT.spr' or 'Soft.spr'" in str(problem)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60), st.booleans())
@example("<a/../../..", True)
@example("mdids://", False)
def test_any_text_resolves_or_warns(text: str, allow_outside: bool) -> None:
    here = Path(__file__).parent
    path, problem = Database(here, {"x": here}, allow_outside).resolve(at(text))
    assert (path is None) == (problem is not None and problem.severity is Severity.WARNING)
    if path is not None and not allow_outside:
        assert path.resolve().is_relative_to(here.resolve())


def test_reading_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGEST_FILE", 1000)
    path = tmp_path / "big.sub"
    path.write_text("[A]\n" + " K = 1\n" * 140)
    assert read_document(path, "sub").block("A") is not None
    path.write_text("[A]\n" + " K = 1\n" * 200)
    with pytest.raises(FileFormatError, match="1404 bytes, no more than 1000"):
        read_document(path, "sub")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError):
        read_document(tmp_path / "none.sub", "sub")
    with pytest.raises(InputError, match="not a file"):
        read_document(tmp_path, "sub")
    os.mkfifo(tmp_path / "pipe.sub")  # opening it would wait for ever
    with pytest.raises(InputError, match="not a file"):
        read_document(tmp_path / "pipe.sub", "sub")
    path = tmp_path / "car.asy"
    path.write_text("[MDI_HEADER]\n FILE_TYPE = 'asy'\n")
    with pytest.raises(FileFormatError, match=r"car\.asy:2:14: error: FILE_TYPE = 'asy', where 'sub' is needed"):
        read_document(path, "sub")
