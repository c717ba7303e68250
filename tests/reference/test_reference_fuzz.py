"""Whatever stands in the TOML file, the answer is a reference or a message, never another exception."""

from __future__ import annotations

import contextlib
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import small_vehicle
from hypothesis import given, settings
from hypothesis import strategies as st

from trackrod.core.errors import InputError
from trackrod.core.toml_files import to_toml
from trackrod.reference import read_reference

JUNK = st.sampled_from(
    [
        None,
        True,
        0,
        -1,
        3.5,
        float("nan"),
        float("inf"),
        -1e300,
        "",
        "mm",
        "3 mm",
        [],
        [1.0],
        ["a"],
        [[1.0], [2.0]],
        {},
        {"file": 1},
        {"column": "z"},
    ]
)


def places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        yield from places(value, (*path, key))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_vehicle.write_small(tmp_path_factory.mktemp("fuzz"))


@pytest.fixture(scope="module")
def original(folder: Path) -> str:
    return (folder / "reference.toml").read_text()


@settings(max_examples=25)
@given(chosen=st.integers(0, 10**6), junk=JUNK)
def test_any_value_may_be_wrong(folder: Path, original: str, chosen: int, junk: Any) -> None:
    data = tomllib.loads(original)
    paths = list(places(data))
    path = paths[chosen % len(paths)]
    target: Any = data
    for key in path[:-1]:
        target = target[key]
    if junk is None:
        del target[path[-1]]
    else:
        target[path[-1]] = junk
    text = "\n".join(to_toml(data)) + "\n"
    with contextlib.suppress(tomllib.TOMLDecodeError):  # a list of tables and numbers cannot be written
        tomllib.loads(text)
    (folder / "reference.toml").write_text(text)
    with contextlib.suppress(InputError):
        read_reference(folder)
