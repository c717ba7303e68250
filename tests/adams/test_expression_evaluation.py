"""Expressions of Adams/View: values, operators, units and functions."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from trackrod.adams.expression_evaluation import evaluate_expression
from trackrod.adams.expression_functions import FUNCTIONS
from trackrod.adams.expression_values import Value, in_units
from trackrod.adams.expressions import parse_expression
from trackrod.adams.orientations import UndefinedDirectionError, along_axis, in_plane
from trackrod.core.errors import FileFormatError, InputError, Place, UnitError
from trackrod.core.units import UnitSystem

Array = NDArray[np.float64]
MM_DEG = UnitSystem(length=1e-3, angle=math.pi / 180)


@dataclass
class Objects:
    """A scope of two frames in general position, two points and a few variables."""

    units: UnitSystem = MM_DEG
    frames: dict[str, tuple[list[float], list[float]]] = field(
        default_factory=lambda: {
            ".m.a": ([100.0, -20.0, 30.0], [20.0, 50.0, -35.0]),
            ".m.b": ([-7.0, 210.0, 55.0], [0.0, 0.0, 0.0]),
            ".m.c": ([10.0, 20.0, -300.0], [0.0, 0.0, 0.0]),
        }
    )
    variables: dict[str, Value] = field(
        default_factory=lambda: {
            ".m.flag": 0.0,
            ".m.class": "template",
            ".m.toe": 2.5,
            ".m.v": np.array([1.0, 2.0, 3.0]),
        }
    )

    def location(self, name: str) -> Array:
        return np.array(self.frames[name][0])

    def rotation(self, name: str) -> Array:
        return Rotation.from_euler("ZXZ", self.frames[name][1], degrees=True).as_matrix()

    def value(self, name: str) -> Value:
        return self.variables[name]


SCOPE = Objects()
A, B, C = (SCOPE.location(name) for name in (".m.a", ".m.b", ".m.c"))
RA = SCOPE.rotation(".m.a")


def value(text: str) -> Value:
    return evaluate_expression(parse_expression(text), SCOPE)


def matrix(text: str) -> Array:
    """The orientation that an expression gives, turned into a matrix by scipy."""
    return Rotation.from_euler("ZXZ", np.asarray(value(text), dtype=float), degrees=True).as_matrix()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2 * 3", 7.0),
        ("(1 + 2) * 3", 9.0),
        ("7 - 2 - 1", 4.0),
        ("8 / 4 / 2", 1.0),
        ("2 ** 3 ** 2", 512.0),
        ("-2 ** 2", -4.0),
        ("2 ** -1", 0.5),
        ("2 ^ 3", 8.0),
        ("- - 3", 3.0),
        (".5e1 + 1.", 6.0),
        ("ABS(-3) + SQRT(16) + MIN(1, 2) + MAX(1, 2)", 10.0),
        ("EVAL(2 * 3)", 6.0),
        ("1 < 2", 1.0),
        ("2 <= 1", 0.0),
        ("2 > 1 && 1 >= 1", 1.0),
        ("1 != 1 || 0", 0.0),
        ("!0", 1.0),
        ("1 ? 2 : 3", 2.0),
        ("0 ? 2 : 0 ? 3 : 4", 4.0),
        ('"a" // "b" == "ab"', 1.0),
        ('.m.flag || .m.class == "template" ? 1 : 0', 1.0),
        ('.m.flag || .m.class == "subsystem" ? 1 : 0', 0.0),
        ('! .m.flag || .m.class == "subsystem" ? 1 : 0', 1.0),
        ("10mm", 10.0),
        ("1meter + 1inch", 1025.4),
        ("180d - .m.toe", 177.5),
        ("3.141592653589793rad", 180.0),
        ("7801.0(kg/meter**3)", 7.801e-6),
        ("2.07E+011(Newton/meter**2)", 2.07e5),
        (".m.v[2]", 2.0),
        ("{5, 6}[1]", 5.0),
    ],
)
def test_scalars(text: str, expected: float) -> None:
    assert value(text) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{1, 2, 3}", [1, 2, 3]),
        ("{1, 2, 3}meter", [1000, 2000, 3000]),
        ("{90d - .m.toe, 0, 1}", [87.5, 0, 1]),
        ("{.m.v, 4}", [1, 2, 3, 4]),
        ("{[1, 2], [3, 4]}", [1, 2, 3, 4]),
        ("2 * .m.v + {1, 1, 1}", [3, 5, 7]),
    ],
)
def test_lists(text: str, expected: list[float]) -> None:
    np.testing.assert_allclose(value(text), expected, rtol=1e-12)


# ---------------------------------------------------------------------------------- locations, closed forms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("DM(.m.a, .m.b)", math.dist(A, B)),
        ("LOC_RELATIVE_TO({1, 2, 3}, .m.a)", A + RA @ [1, 2, 3]),
        ("LOC_RELATIVE_TO({1, 2, 3}meter, .m.b)", B + np.array([1000, 2000, 3000])),
        ("loc_global({1, 2, 3}, .m.a)", A + RA @ [1, 2, 3]),
        ("LOC_LOCAL({1, 2, 3}, .m.a)", np.linalg.solve(RA, np.array([1, 2, 3]) - A)),
        ("LOC_ALONG_LINE(.m.a, .m.b, 50)", A + 50 * (B - A) / math.dist(A, B)),
        ("LOC_ALONG_LINE(.m.a, .m.b, 0.25 * DM(.m.a, .m.b))", A + (B - A) / 4),
        ('LOC_ON_AXIS(.m.a, -98mm, "X")', A - 98 * RA[:, 0]),
        ('LOC_ON_AXIS(.m.a, 98, "y")', A + 98 * RA[:, 1]),
        ('LOC_ON_AXIS(.m.a, 98, "Z")', A + 98 * RA[:, 2]),
        ("LOC_CENTERED({{100, -20, 30}, {-7, 210, 55}}, 2)", (A + B) / 2),
        ("LOC_CENTERED({{1, 2, 3}, {4, 5, 6}, {10, 2, 0}}, 3)", [5, 3, 3]),
        ('LOC_MIRROR({1, 2, 3}, .m.b, "xz")', [1, 2 * 210 - 2, 3]),
    ],
)
def test_locations(text: str, expected: object) -> None:
    np.testing.assert_allclose(value(text), expected, rtol=1e-12, atol=1e-10)


def test_mirror_in_an_inclined_plane() -> None:
    mirrored = np.asarray(value('LOC_MIRROR({5, 6, 7}, .m.a, "yz")'))
    point = np.array([5.0, 6.0, 7.0])
    np.testing.assert_allclose((mirrored + point - 2 * A) @ RA[:, 0], 0, atol=1e-10)  # the middle lies in the plane
    np.testing.assert_allclose(np.cross(mirrored - point, RA[:, 0]), 0, atol=1e-10)  # across it


# ------------------------------------------------------------------------------------------- orientations


def test_orientation_functions() -> None:
    turn = Rotation.from_euler("ZXZ", (10, 20, 30), degrees=True).as_matrix()
    np.testing.assert_allclose(matrix("ORI_RELATIVE_TO({10, 20, 30}degrees, .m.a)"), RA @ turn, atol=1e-12)
    np.testing.assert_allclose(matrix("ORI_GLOBAL({10, 20, 30}, .m.a)"), RA @ turn, atol=1e-12)
    np.testing.assert_allclose(matrix("ORI_LOCAL({10, 20, 30}, .m.a)"), RA.T @ turn, atol=1e-12)
    np.testing.assert_allclose(matrix('ORI_ALONG_AXIS(.m.a, .m.b, "Y")'), along_axis(A, B, "y"), atol=1e-12)
    np.testing.assert_allclose(
        matrix('ORI_IN_PLANE(.m.a, .m.b, .m.c, "Z_ZX")'), in_plane(A, B, C, "z", "x"), atol=1e-12
    )


@pytest.mark.parametrize(
    "text",
    [
        'ORI_ALONG_AXIS(.m.a, .m.a, "Z")',
        "LOC_ALONG_LINE(.m.a, .m.a, 1)",
        'ORI_IN_PLANE(.m.a, .m.b, .m.a, "Z_ZX")',
    ],
)
def test_coinciding_points_define_no_direction(text: str) -> None:
    with pytest.raises(UndefinedDirectionError, match="coincide"):
        value(text)


def test_every_function_is_tested() -> None:
    tested = {"EVAL", "ABS", "SQRT", "MIN", "MAX", "DM", "LOC_RELATIVE_TO", "LOC_GLOBAL", "LOC_LOCAL", "LOC_ALONG_LINE"}
    tested |= {"LOC_ON_AXIS", "LOC_CENTERED", "LOC_MIRROR", "ORI_RELATIVE_TO", "ORI_GLOBAL", "ORI_LOCAL"}
    assert set(FUNCTIONS) == tested | {"ORI_ALONG_AXIS", "ORI_IN_PLANE"}


# ------------------------------------------------------------------------------------------------ mistakes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 / 0", "division by zero"),
        ("{1, 2} + {1, 2, 3}", "between 2 and 3"),
        ("(-1) ** 0.5", "finite real"),
        ("10 ** 400", "finite real"),
        ("1e308 * 10", "finite"),
        ('"a" + 1', "text"),
        ('-"a"', "sign"),
        ('"a" // 1', "joins two texts"),
        ("{1, 2}[3]", "from 1 to 2"),
        ("{1, 2}[1.5]", "from 1 to 2"),
        ("SYSTEM(1)", "SYSTEM is not known"),
        ("LOC_RELATIVE_TO_({1,2,3}, .m.a)", "LOC_RELATIVE_TO is"),
        ("DM(.m.a)", "takes 2 arguments, not 1"),
        ("DM(1, .m.a)", "argument 1 must be the name"),
        ("LOC_RELATIVE_TO({1, 2}, .m.a)", "three numbers"),
        ('LOC_ON_AXIS(.m.a, 1, "w")', "one of x, y, z"),
        ("LOC_CENTERED({1, 2, 3}, 2)", "3 coordinates for 2 points"),
        ("{1, 2} ? 1 : 2", "one number"),
    ],
)
def test_what_cannot_be_evaluated(text: str, message: str) -> None:
    with pytest.raises(FileFormatError, match=message) as caught:
        evaluate_expression(parse_expression(text), SCOPE, Place(line=3))
    assert caught.value.problems[0].place.line == 3


def test_unknown_unit_comes_with_a_suggestion() -> None:
    with pytest.raises(UnitError, match=r"'degree' or|or 'degree'|'degrees'"):
        value("3degre")
    assert in_units("bar", MM_DEG) == pytest.approx(0.1)  # N/mm²


def test_a_long_sum_is_not_a_deep_tree() -> None:
    assert value("+".join(["1"] * 9000)) == 9000


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [*"+-*/(){}[],!<>?:", "**", "||", "==", "//", "1", "2.5e3", "90d", ".m.a", ".m.v", ".m.class", '"Z"', "mm"]
            + [f"{name}(" for name in FUNCTIONS]
        ),
        max_size=14,
    )
)
def test_anything_gives_a_value_or_a_trackrod_error(pieces: list[str]) -> None:
    class Lenient(Objects):
        def location(self, name: str) -> Array:
            return A

        def rotation(self, name: str) -> Array:
            return RA

        def value(self, name: str) -> Value:
            return self.variables.get(name, 1.0)

    try:
        result = evaluate_expression(parse_expression(" ".join(pieces)), Lenient())
    except InputError:
        return
    assert isinstance(result, str) or np.all(np.isfinite(result))
