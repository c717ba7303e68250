"""Records: what a dataclass says of its fields is how they are written and read."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from trackrod.core.errors import InputError, Problem
from trackrod.core.plain import freeze
from trackrod.core.quantities import KINDS, Kind
from trackrod.core.records import from_plain, to_plain


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True)
class Inner:
    weight: float
    name: str = "inner"

    def __post_init__(self) -> None:
        if self.weight < 0:
            raise InputError(f"the weight {self.weight:g} is negative")


@dataclass(frozen=True)
class Everything:
    """One field of every type that is handled."""

    number: float
    count: int
    text: str
    flag: bool
    colour: Colour
    kind: Kind
    pair: tuple[str, float]
    many: tuple[int, ...]
    matrix: tuple[tuple[float, float], ...]
    inner: Inner
    inners: tuple[Inner, ...]
    by_name: Mapping[str, Inner]
    by_colour: Mapping[Colour, tuple[float, ...]]
    colours: frozenset[Colour]
    maybe: Inner | None = None
    maybe_number: float | None = None
    file: Path | None = None
    problems: tuple[Problem, ...] = ()
    note: str = field(default="", compare=False)
    derived: float = field(default=0.0, init=False)


@dataclass(frozen=True, eq=False)
class Curve:
    values: NDArray[np.float64]


WHOLE = Everything(
    number=0.1,
    count=3,
    text="α",
    flag=True,
    colour=Colour.BLUE,
    kind=KINDS["length"],
    pair=("a", 2.0),
    many=(1, 2, 3),
    matrix=((1.0, 2.0), (3.0, 4.0)),
    inner=Inner(1.0),
    inners=(Inner(1.0), Inner(2.0, "second")),
    by_name={"x": Inner(5.0)},
    by_colour={Colour.RED: (1.0,), Colour.BLUE: ()},
    colours=frozenset(Colour),
    maybe=Inner(7.0),
)


def with_(**changes: Any) -> dict[str, Any]:
    return {**to_plain(WHOLE), **changes}


def problems_of(data: Any, kind: type = Everything) -> list[str]:
    with pytest.raises(InputError) as raised:
        from_plain(kind, data)
    return [problem.text for problem in raised.value.problems]


# ---------------------------------------------------------------------------------------------- there and back


def test_every_type_comes_back() -> None:
    assert from_plain(Everything, to_plain(WHOLE)) == WHOLE


def test_what_is_written_is_plain_data() -> None:
    plain = to_plain(WHOLE)
    assert json.loads(json.dumps(plain)) == plain
    assert (plain["colour"], plain["kind"]) == ("blue", "length")
    assert plain["colours"] == ["blue", "red"]  # sorted: sets have no order that could be relied on
    assert plain["by_colour"] == {"red": [1.0], "blue": []}
    assert plain["maybe"] == {"weight": 7.0, "name": "inner"}
    assert plain["maybe_number"] is None


def test_frozen_plain_data_is_read_too() -> None:
    """Artefacts hand over read-only mappings and tuples."""
    assert from_plain(Everything, freeze(to_plain(WHOLE))) == WHOLE


def test_where_it_came_from_is_left_out() -> None:
    here = {"file": Path("a.sub"), "problems": (Problem("odd"),), "note": "read today"}
    found = replace(WHOLE, **here)
    assert to_plain(found) == to_plain(WHOLE)
    assert {"file", "problems", "note", "derived"}.isdisjoint(to_plain(found))


def test_defaults_stand_in_for_what_is_not_there() -> None:
    short = {name: value for name, value in to_plain(WHOLE).items() if name not in ("maybe", "maybe_number")}
    assert from_plain(Everything, short).maybe is None
    assert from_plain(Inner, {"weight": 1}).name == "inner"


def test_a_whole_number_may_stand_for_a_number() -> None:
    found = from_plain(Inner, {"weight": 3}).weight
    assert (found, type(found)) == (3.0, float)


@given(
    st.builds(
        Inner,
        weight=st.floats(min_value=0.0, allow_infinity=False),
        name=st.text(st.characters(exclude_categories=["Cs"])),
    )
)
def test_numbers_and_texts_come_back_exactly_through_json(inner: Inner) -> None:
    assert from_plain(Inner, json.loads(json.dumps(to_plain(inner)))) == inner


@given(st.lists(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=3, max_size=3), max_size=4))
def test_arrays_come_back_exactly(rows: list[list[float]]) -> None:
    array = np.array(rows).reshape(-1, 3)
    found = from_plain(Curve, to_plain(Curve(array))).values
    assert found.dtype == np.float64
    assert found.tolist() == array.tolist()


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
        max_leaves=8,
    ),
    st.sampled_from(sorted(to_plain(WHOLE))),
)
def test_no_foreign_error_comes_out(data: Any, name: str) -> None:
    with contextlib.suppress(InputError):
        from_plain(Everything, with_(**{name: data}))


# --------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("number", "0.1", "Everything.number must be a float, it is '0.1'"),
        ("number", True, "Everything.number must be a float, it is True"),
        ("number", None, "Everything.number must be a float, it is None"),
        ("number", 10**400, "Everything.number must be a float, it is 1000"),
        ("count", 1.0, "Everything.count must be a int, it is 1.0"),
        ("count", False, "Everything.count must be a int, it is False"),
        ("text", 1, "Everything.text must be a str, it is 1"),
        ("flag", 1, "Everything.flag must be a bool, it is 1"),
        ("colour", "green", "Everything.colour is 'green', allowed are red, blue"),
        ("colour", ["red"], "Everything.colour is ['red'], allowed are red, blue"),
        ("kind", "lenght", "Everything.kind is 'lenght', which is not a known quantity"),
        ("kind", ["length"], "Everything.kind is ['length'], which is not a known quantity"),
        ("pair", ["a"], "Everything.pair must have 2 entries, it has 1"),
        ("pair", "ab", "Everything.pair must be a list, it is 'ab'"),
        ("many", {"a": 1}, "Everything.many must be a list, it is {'a': 1}"),
        ("many", [1, "2"], "Everything.many[1] must be a int, it is '2'"),
        ("matrix", [[1.0, 2.0], [3.0, None]], "Everything.matrix[1][1] must be a float, it is None"),
        ("inner", [1.0], "Everything.inner must be a table of fields, it is [1.0]"),
        ("inner", {"weight": -2.0}, "the weight -2 is negative"),
        ("inners", [{"weight": "x"}], "Everything.inners[0].weight must be a float, it is 'x'"),
        ("by_name", [1], "Everything.by_name must be a table, it is [1]"),
        ("by_name", {"x": {}}, "Everything.by_name.x lacks the field 'weight'"),
        ("by_colour", {"green": []}, "a key of Everything.by_colour is 'green', allowed are red, blue"),
        ("colours", ["red", "green"], "Everything.colours is 'green', allowed are red, blue"),
        ("maybe", 1.0, "Everything.maybe must be a table of fields, it is 1.0"),
        ("text", ["x" * 1000], "Everything.text must be a str, it is ['xxx"),
    ],
)
def test_a_wrong_value_is_named_with_its_place(name: str, value: Any, says: str) -> None:
    (text,) = problems_of(with_(**{name: value}))
    assert text.startswith(says)
    assert len(text) < 150


@pytest.mark.parametrize(
    "values", [[1.0, None], ["1.5"], [[1.0], [1.0, 2.0]], [{"a": 1.0}], [10**400], "1.0", 1.0, None, [True]]
)
def test_an_array_is_made_of_numbers_alone(values: Any) -> None:
    """NumPy would take None as nan and the text as a number."""
    (text,) = problems_of({"values": values}, Curve)
    assert text.startswith("Curve.values must be")


def test_all_wrong_fields_are_named_at_once() -> None:
    data = with_(count="x", inners=[{"weight": "x"}, {"weight": 1.0}, {"weight": "y"}], colour=3)
    assert [text.split(" ")[0] for text in problems_of(data)] == [
        "Everything.count",
        "Everything.colour",
        "Everything.inners[0].weight",
        "Everything.inners[2].weight",
    ]


def test_all_unknown_and_missing_fields_are_named() -> None:
    data = with_(weight=1.0, height=2.0)
    del data["text"], data["count"]
    assert problems_of(data) == [
        "Everything has the unknown field 'weight'",
        "Everything has the unknown field 'height'",
        "Everything lacks the field 'count'",
        "Everything lacks the field 'text'",
    ]


@pytest.mark.parametrize("data", [None, [], 1.0, "x"])
def test_what_is_no_table_is_refused(data: Any) -> None:
    (text,) = problems_of(data, Inner)
    assert text.startswith("Inner must be a table of fields")
