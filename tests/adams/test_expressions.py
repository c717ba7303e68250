"""Expressions of Adams/View: what the parser refuses. What a tree means is tested with the evaluation."""

from __future__ import annotations

import pytest

from trackrod.adams.expressions import parse_expression
from trackrod.core.errors import FileFormatError, Place


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "ends too early"),
        ("1 +", "ends too early"),
        ("(1", r"'\)' is expected"),
        ("1)", "not expected"),
        ("1 2", "not expected"),
        ("@", "cannot be read"),
        ('"open', "cannot be read"),
        ("1e999", "beyond the range"),
        ("(" * 100 + "1" + ")" * 100, "nested deeper"),
        ("2**" * 100 + "2", "nested deeper"),
        ("-" * 100 + "2", "too many signs"),
        ("1" * 30_000, "characters"),
        ("7801(kg/)", "unit is expected"),
        ("1(m**9)", "exponent"),
        ("{1,2}[1,2]", "index"),
    ],
)
def test_what_is_no_expression(text: str, message: str) -> None:
    with pytest.raises(FileFormatError, match=message) as caught:
        parse_expression(text, Place(line=7))
    assert caught.value.problems[0].place.line == 7
