"""Artefacts: whole, reproducible, versioned."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trackrod import __version__
from trackrod.core.artefact import Artefact, InputFile, Provenance, Schema, load, save, saved_hash
from trackrod.core.errors import FileFormatError, InputError, MissingFileError
from trackrod.core.maps import MAP1D_SCHEMA, MAP2D_SCHEMA, Map1D, Map2D, Variable
from trackrod.core.quantities import kind

LENGTH, FORCE = kind("length"), kind("force")


def spring_map(values: list[float]) -> Map1D:
    axis, output = Variable("travel", LENGTH), Variable("force", FORCE)
    return Map1D(axis, [-0.1, 0.0, 0.1], [output], values, interpolation="akima", extrapolation="linear")


SPRING = spring_map([-1e3, 0.1, 2e3 / 3])
FINITE = st.floats(allow_nan=False, allow_infinity=False)


@dataclass(frozen=True)
class Spring:
    stiffness: float
    name: str = "spring"


def spring_schema(version: int, **more: Any) -> Schema[Spring]:
    return Schema(
        "test.spring",
        version,
        lambda spring: {"stiffness": spring.stiffness, "name": spring.name},
        lambda data: Spring(data["stiffness"], data["name"]),
        **more,
    )


SCHEMA = spring_schema(2)


@pytest.mark.parametrize(
    ("schema", "content"),
    [
        (MAP1D_SCHEMA, SPRING),
        (
            MAP2D_SCHEMA,
            Map2D(
                (Variable("z", LENGTH), Variable("x", LENGTH)),
                (np.linspace(-0.1, 0.1, 5), np.linspace(-0.05, 0.05, 4)),
                [Variable("toe", kind("angle")), Variable("camber", kind("angle"))],
                np.random.default_rng(1).normal(size=(5, 4, 2)),
                interpolation="parabolic",
                extrapolation="constant",
            ),
        ),
    ],
)
def test_maps_come_back(tmp_path: Path, schema: Schema[Any], content: Any) -> None:
    artefact = Artefact(schema, content, Provenance(settings={"rule": "x"}))
    save(artefact, tmp_path / "a.json")
    back = load(tmp_path / "a.json", schema)
    assert back.content == content
    assert back.provenance == artefact.provenance
    assert back.sha256 == artefact.sha256
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


@settings(max_examples=50)
@given(values=st.lists(FINITE, min_size=3, max_size=3))
def test_numbers_come_back_exactly(tmp_path_factory: pytest.TempPathFactory, values: list[float]) -> None:
    path = tmp_path_factory.getbasetemp() / "numbers.json"
    save(Artefact(MAP1D_SCHEMA, spring_map(values)), path)
    assert load(path, MAP1D_SCHEMA).content.values[:, 0].tolist() == values


def test_the_hash_can_be_computed_by_anybody(tmp_path: Path) -> None:
    save(Artefact(SCHEMA, Spring(0.1), Provenance()), tmp_path / "a.json")
    data = json.loads((tmp_path / "a.json").read_text())
    stored = data.pop("sha256")
    canonical = json.dumps(data, sort_keys=True, separators=(",", ":"))
    assert stored == hashlib.sha256(canonical.encode()).hexdigest()


def test_the_hash_of_what_cannot_change_is_worked_out_once() -> None:
    asked = []

    def to_plain(spring: Spring) -> dict[str, float]:
        asked.append(spring)
        return {"k": spring.stiffness}

    schema = Schema("test.spring", 2, to_plain, lambda data: Spring(data["k"]))
    spring, equal, other = Spring(1.0), Spring(1.0), Spring(2.0)
    assert saved_hash(schema, spring) == saved_hash(schema, spring) == Artefact(schema, equal).sha256
    assert saved_hash(schema, other) != saved_hash(schema, spring)
    assert [item is spring for item in asked] == [True, False, False]


def test_equal_inputs_give_equal_files_and_hashes(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.sub").write_text("a")
        (tmp_path / folder / "b.sub").write_text("b")
    one = Provenance.of([tmp_path / "one" / "a.sub", tmp_path / "one" / "b.sub"], {"x": 1, "y": [2, 3]})
    two = Provenance.of([tmp_path / "two" / "b.sub", tmp_path / "two" / "a.sub"], {"y": (2, 3), "x": 1})
    assert one == two
    first, second = Artefact(SCHEMA, Spring(1.0), one), Artefact(SCHEMA, Spring(1.0), two)
    save(first, tmp_path / "one.json")
    save(second, tmp_path / "two.json")
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
    text = (tmp_path / "one.json").read_text()
    assert str(tmp_path) not in text  # no folders of this machine
    others = (
        Artefact(SCHEMA, Spring(1.0000001), one),
        Artefact(spring_schema(3), Spring(1.0), one),
        Artefact(SCHEMA, Spring(1.0), Provenance.of([tmp_path / "one" / "a.sub"], {"x": 1, "y": [2, 3]})),
        Artefact(SCHEMA, Spring(1.0), Provenance(one.inputs, {"x": 2, "y": [2, 3]})),
    )
    hashes = {artefact.sha256 for artefact in (first, second, *others)}
    assert len(hashes) == 1 + len(others)


def test_provenance_names_files_versions_and_settings(tmp_path: Path) -> None:
    (tmp_path / "tyre.tir").write_bytes(b"[UNITS]")
    provenance = Provenance.of([tmp_path / "tyre.tir"], {"step": 0.001})
    assert provenance.inputs == (InputFile("tyre.tir", hashlib.sha256(b"[UNITS]").hexdigest()),)
    assert provenance.trackrod == __version__
    assert provenance.settings["step"] == 0.001
    with pytest.raises(TypeError):
        provenance.settings["step"] = 1.0  # type: ignore[index]
    with pytest.raises(InputError, match=r"settings\.path is a PosixPath"):
        Provenance(settings={"path": tmp_path})
    with pytest.raises(MissingFileError):
        Provenance.of([tmp_path / "nothing"])


def changed(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"stiffness": 2.5', '"stiffness": 2.6', "does not match the hash"),
        ('"name": "spring"', '"name": "sprung"', "does not match the hash"),
        ('"settings": {}', '"settings": {"a": 1}', "does not match the hash"),
        ('"stiffness": 2.5', '"stiffness": NaN', "NaN is not a number"),
        (
            '"schema": "test.spring"',
            '"schema": "test.damper"',
            "holds 'test.damper', a 'test.spring' is needed",
        ),
        (
            '"version": 2',
            '"version": 3',
            "version 3 of 'test.spring' is newer than version 2.*update Trackrod",
        ),
        ('"version": 2', '"version": true', "the version is True, a whole number from 1 is needed"),
        ('"version": 2', '"version": 0', "the version is 0"),
        ('"version": 2', '"version": 1', "does not match the hash"),
        ('"provenance"', '"provenence"', "not an artefact of Trackrod"),
    ],
)
def test_changed_files_are_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "a.json"
    save(Artefact(SCHEMA, Spring(2.5)), path)
    changed(path, old, new)
    with pytest.raises(FileFormatError, match=message) as caught:
        load(path, SCHEMA)
    assert str(path) in str(caught.value)


def test_truncated_files_are_refused_everywhere(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    save(Artefact(SCHEMA, Spring(2.5)), path)
    whole = path.read_bytes()
    for size in range(len(whole) - 1):  # the last byte is the line end
        path.write_bytes(whole[:size])
        with pytest.raises(FileFormatError, match=r"a\.json"):
            load(path, SCHEMA)
    path.write_bytes(whole[:40])
    with pytest.raises(FileFormatError, match=r"a\.json:\d+:\d+: error: the file is not complete JSON"):
        load(path, SCHEMA)


@pytest.mark.parametrize("data", [b"\xff\xfe", b"[]", b"3", b"{}"])
def test_other_files_are_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.json").write_bytes(data)
    with pytest.raises(FileFormatError, match=r"a\.json"):
        load(tmp_path / "a.json", SCHEMA)
    with pytest.raises(MissingFileError):
        load(tmp_path / "b.json", SCHEMA)


def test_older_versions_are_upgraded_step_by_step(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    oldest: Schema[Spring] = Schema("test.spring", 1, lambda s: {"rate_N_mm": s.stiffness / 1e3}, lambda d: Spring(0))
    save(Artefact(oldest, Spring(25000.0), Provenance(settings={"a": 1})), path)
    with pytest.raises(FileFormatError, match=r"version 1 of 'test.spring' can no longer be read"):
        load(path, SCHEMA)

    def to_second(data: Mapping[str, Any]) -> dict[str, Any]:
        return {"stiffness": data["rate_N_mm"] * 1e3}

    def to_third(data: Mapping[str, Any]) -> dict[str, Any]:
        return {**data, "name": "old"}

    newest = spring_schema(3, upgrades={1: to_second, 2: to_third})
    loaded = load(path, newest)
    assert loaded.content == Spring(25000.0, "old")
    assert loaded.schema.version == 3
    assert loaded.provenance.settings == {"a": 1}
    with pytest.raises(FileFormatError, match="version 2"):
        load(path, spring_schema(3, upgrades={1: to_second}))


def test_content_that_does_not_fit_is_a_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    short: Schema[Spring] = Schema("test.spring", 2, lambda s: {"name": s.name}, lambda d: Spring(0))
    save(Artefact(short, Spring(1.0)), path)
    with pytest.raises(FileFormatError, match=r"does not fit 'test.spring' version 2: KeyError\('stiffness'\)"):
        load(path, SCHEMA)
    folded: Schema[Map1D] = Schema(
        "trackrod.map1d", 1, lambda table: {**table.to_dict(), "knots": [0.0, 0.0, 1.0]}, Map1D.from_dict
    )
    save(Artefact(folded, SPRING), path)
    with pytest.raises(FileFormatError, match=r"a\.json: error: knots of axis 'travel' must increase"):
        load(path, MAP1D_SCHEMA)


def test_only_plain_data_is_saved(tmp_path: Path) -> None:
    wrong: Schema[Spring] = Schema("test.spring", 1, lambda s: {"folder": tmp_path}, lambda d: Spring(0))  # type: ignore[dict-item]
    with pytest.raises(InputError, match=r"content\.folder is a PosixPath"):
        save(Artefact(wrong, Spring(1.0)), tmp_path / "a.json")
    assert list(tmp_path.iterdir()) == []
