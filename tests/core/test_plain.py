"""Plain data: what is accepted, that it cannot change, that its JSON is exact."""

import json
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackrod.core.errors import InputError
from trackrod.core.plain import canonical_json, freeze, pretty_json

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
SCALAR = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT
PLAIN = st.recursive(
    SCALAR,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


@given(value=PLAIN)
def test_json_gives_the_same_frozen_value(value: Any) -> None:
    frozen = freeze(value)
    assert freeze(frozen) == frozen
    assert freeze(json.loads(canonical_json(frozen))) == frozen
    assert freeze(json.loads(pretty_json(frozen))) == frozen
    assert canonical_json(json.loads(pretty_json(value))) == canonical_json(value)


@given(value=st.dictionaries(TEXT, SCALAR, min_size=2))
def test_the_order_of_keys_does_not_matter(value: dict[str, Any]) -> None:
    assert canonical_json(dict(reversed(value.items()))) == canonical_json(value)


def test_frozen_data_cannot_be_changed() -> None:
    original: dict[str, Any] = {"a": [1, {"b": 2}]}
    frozen = freeze(original)
    original["a"].append(3)
    assert frozen["a"] == (1, {"b": 2})
    with pytest.raises(TypeError):
        frozen["a"] = 0
    with pytest.raises(TypeError):
        frozen["a"][1]["b"] = 0


def test_scalars_of_numpy_and_enums_become_python_ones() -> None:
    class Word(StrEnum):
        LEFT = "left"

    frozen = freeze([np.float32(0.5), np.int64(3), np.float64(0.1), Word.LEFT])
    assert frozen == (0.5, 3, 0.1, "left")
    assert [type(item) for item in frozen] == [float, int, float, str]


def test_every_fault_is_named_with_its_place() -> None:
    with pytest.raises(InputError) as caught:
        freeze({"a": [1.0, float("nan")], "b": {"c": Path("x")}, 3: 1, "d": b"x", "e": "\ud800"}, "settings")
    text = str(caught.value)
    for part in ("settings.a[1] is nan", "settings.b.c is a PosixPath", "the key 3", "settings.d is a bytes"):
        assert part in text
    assert "settings.e is not valid Unicode" in text
    assert len(caught.value.problems) == 5


@pytest.mark.parametrize("write", [canonical_json, pretty_json])
def test_json_holds_no_numbers_that_json_does_not_have(write: Callable[[Any], str]) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        write([float("nan")])


def test_canonical_json_is_ascii_and_pretty_json_is_readable() -> None:
    assert canonical_json({"ä": "ö"}) == '{"\\u00e4":"\\u00f6"}'
    assert pretty_json({"ä": "ö"}) == '{\n  "ä": "ö"\n}\n'


def test_pretty_json_keeps_a_row_on_a_line() -> None:
    assert pretty_json({"b": [[1.0, 2.5], [3.0, 4.0]], "a": {}, "ä": []}) == (
        '{\n  "a": {},\n  "b": [\n    [1.0, 2.5],\n    [3.0, 4.0]\n  ],\n  "ä": []\n}\n'
    )
