"""TeimOrbit: byte-equal round trips, the grammar, the traps seen in real files, bad input, random input."""

from __future__ import annotations

import math
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from trackrod.core import teimorbit
from trackrod.core.errors import (
    FileFormatError,
    InputError,
    MissingFileError,
    Place,
    Severity,
    UnitError,
    UnknownNameError,
)
from trackrod.core.quantities import kind
from trackrod.core.teimorbit import Attribute, Block, Comment, Row, SubBlock, Table

DATA = Path(__file__).resolve().parents[2] / ".." / "shared" / "data"
SUFFIXES = {
    ".tir",
    ".sub",
    ".asy",
    ".spr",
    ".dpr",
    ".bum",
    ".bus",
    ".pwr",
    ".dif",
    ".ste",
    ".tcf",
    ".lcf",
    ".dcf",
}
MATLAB_STYLE = "jcmadsen_PacTire_Matlab/235_60_R16.tir"  # the only one of them that is not TeimOrbit


def shared_files() -> list[Path]:
    if not DATA.is_dir():
        return []
    return sorted(path for path in DATA.rglob("*") if path.suffix.lower() in SUFFIXES)


def shared(pattern: str) -> Path:
    found = sorted(DATA.rglob(pattern)) if DATA.is_dir() else []
    if not found:
        pytest.skip(f"the shared data folder has no {pattern}")
    return found[0]


EXAMPLE = """\
$---------------------------------------------------------------------MDI_HEADER
[MDI_HEADER]
 FILE_TYPE     =  'tir'
 FILE_VERSION=  4.0
(COMMENTS)
{comment_string}
'Tyre   - invented   '
'says $ and ! = [ inside quotes'
$--------------------------------------------------------------------------UNITS
[units]
 LENGTH = 'mm'
 FORCE  = 'Newton'
 ANGLE  = 'deg'
 MASS   = 'kg'
 TIME   = 'sec'
[MODEL]   $ with a comment
 FITTYP   =   61\t\t$Magic Formula version
 LIST     =  60.0,90.0
 area <length2> = 490.87 ! mm2
 NAME     = R20 16 x 7.5
 EMPTY    = ''
[SHAPE]
 1.0  0.0   $ crown
 0.9  1.0
[PART_ASSEMBLY]
 USAGE = 'arm   '
 MASS  = 1.5
$ Part location is dependent.
!   X,Y,Z location = 267.0, -533.3, 165.0
 IXX   = 1.00E+06
[PART_ASSEMBLY]
 USAGE = 'rod'
[ENGINE]
(Z_DATA)
{throttle}
 0.0
 1.0
$ between
(XY_DATA)
{engine_speed <rpm>  torque@throttle<torque>}
 0     0    0
 500  -14  80
"""


def problems_of(text: str) -> list[tuple[int | None, int | None, str]]:
    """Line, column and text of every error that the text gives."""
    with pytest.raises(FileFormatError) as caught:
        teimorbit.parse(text)
    return [(p.place.line, p.place.column, p.text) for p in caught.value.problems]


def warnings_of(text: str) -> list[tuple[int | None, int | None, str]]:
    found = teimorbit.parse(text).problems
    assert {p.severity for p in found} <= {Severity.WARNING}
    return [(p.place.line, p.place.column, p.text) for p in found]


def value_of(literal: str) -> teimorbit.Value:
    attribute = teimorbit.parse(f"[A]\nk = {literal}\n").get("A", "k")
    assert attribute is not None
    return attribute.value


class TestGrammar:
    def test_blocks_keep_their_order_and_repeat(self) -> None:
        document = teimorbit.parse(EXAMPLE)
        names = [block.name for block in document.blocks]
        assert names == [
            "MDI_HEADER",
            "units",
            "MODEL",
            "SHAPE",
            "PART_ASSEMBLY",
            "PART_ASSEMBLY",
            "ENGINE",
        ]
        parts = document.all_blocks("part_assembly")
        assert [part.get("usage").string() for part in parts] == ["arm", "rod"]  # type: ignore[union-attr]
        assert document.problems == ()

    def test_lookup_ignores_case_and_takes_the_first(self) -> None:
        document = teimorbit.parse(EXAMPLE)
        assert document.block("Part_Assembly") is document.blocks[4]
        assert document.get("model", "fittyp") is document.blocks[2].attributes[0]
        mass = document.get("PART_ASSEMBLY", "IXX")
        assert mass is not None
        assert mass.value == 1e6
        assert document.block("NONE") is None
        assert document.all_blocks("NONE") == ()
        assert document.get("MODEL", "NONE") is None
        assert document.get("NONE", "FITTYP") is None

    def test_get_looks_through_all_blocks_of_the_name(self) -> None:
        document = teimorbit.parse("[A]\nUSAGE='x'\n[A]\nUSAGE='y'\nk=2\n[A]\nUSAGE='z'\nk=3\n")
        found = document.get("A", "k")
        assert found is not None
        assert found.number() == 2.0

    def test_attribute_pieces_and_places(self) -> None:
        model = teimorbit.parse(EXAMPLE, Path("x.tir")).block("MODEL")
        assert model is not None
        assert model.place == Place(Path("x.tir"), 16, 1)
        version, values, area, name, empty = model.attributes
        assert version == Attribute("FITTYP", 61, None, "Magic Formula version")
        assert isinstance(version.value, int)
        assert (version.raw, version.place) == ("61", Place(Path("x.tir"), 17, 15))
        assert (values.value, values.raw, values.place.column) == ((60.0, 90.0), "60.0,90.0", 14)
        assert (area.name, area.unit, area.value, area.comment) == ("area", "length2", 490.87, "mm2")
        assert (area.place.line, area.place.column) == (19, 19)
        assert (name.value, name.raw) == ("R20 16 x 7.5", "R20 16 x 7.5")
        assert (empty.value, empty.raw) == ("", "''")

    def test_strings_are_stripped_and_protect_their_content(self) -> None:
        block = teimorbit.parse(EXAMPLE).block("MDI_HEADER")
        assert block is not None
        comments = block.subblock("comments")
        assert comments is not None
        table = comments.table()
        assert table is not None
        assert table.columns == ("comment_string",)
        assert [row.values for row in table.rows] == [
            ("Tyre   - invented",),
            ("says $ and ! = [ inside quotes",),
        ]

    def test_table_without_header(self) -> None:
        shape = teimorbit.parse(EXAMPLE).block("SHAPE")
        assert shape is not None
        table = shape.table()
        assert table is not None
        assert (table.columns, table.units) == ((), ())
        assert (table.place.line, table.place.column) == (23, 2)
        assert table.rows[0] == Row((1.0, 0.0), "crown")
        np.testing.assert_array_equal(table.array(), [[1.0, 0.0], [0.9, 1.0]])

    def test_table_units_and_rows_longer_than_the_header(self) -> None:
        engine = teimorbit.parse(EXAMPLE).block("ENGINE")
        assert engine is not None
        assert [s.name for s in engine.subblocks] == ["Z_DATA", "XY_DATA"]
        xy = engine.subblock("xy_data")
        assert xy is not None
        table = xy.table("Engine_Speed")
        assert table is not None
        assert table.columns == ("engine_speed", "torque@throttle")
        assert table.units == ("rpm", "torque")
        assert (table.place.line, table.place.column) == (40, 1)
        assert [(row.place.line, row.place.column) for row in table.rows] == [(41, 2), (42, 2)]
        np.testing.assert_array_equal(table.array(), [[0, 0, 0], [500, -14, 80]])
        assert table.array().dtype == np.float64
        assert xy.table("throttle") is None
        assert engine.table() is None

    def test_comments_know_what_they_follow(self) -> None:
        document = teimorbit.parse(EXAMPLE)
        part = document.blocks[4]
        mass = part.get("MASS")
        location = part.comments[1]
        assert [comment.text for comment in part.comments[:2]] == [
            "Part location is dependent.",
            "X,Y,Z location = 267.0, -533.3, 165.0",
        ]
        assert location.after is mass
        assert (location.place.line, location.place.column) == (29, 1)
        z_data = document.blocks[6].subblocks[0]
        assert z_data.comments == (Comment("between", Row((1.0,))),)
        assert z_data.comments[0].after is z_data.tables[0].rows[1]
        assert document.blocks[0].subblocks[0].comments[-1].is_rule
        assert not location.is_rule

    def test_preamble_is_kept(self) -> None:
        text = "! converter\n\n  $ date\n[A]\n"
        document = teimorbit.parse(text)
        assert [comment.text for comment in document.comments] == ["converter", "date"]
        assert document.text() == text
        assert document.problems == ()

    def test_sub_block_attributes_stay_in_the_sub_block(self) -> None:
        text = "[SINE]\n(STEERING)\n METHOD = 'OPEN'\n(GEAR)\n METHOD = 'X'\n CONTROL_VALUE = 3\n"
        document = teimorbit.parse(text)
        assert document.get("SINE", "METHOD") is None
        assert document.get("SINE", "METHOD", "gear").string() == "X"  # type: ignore[union-attr]
        assert document.get("SINE", "CONTROL_VALUE", "steering") is None

    def test_attribute_ends_a_table(self) -> None:
        block = teimorbit.parse("[A]\n{x y}\n1 2\nk = 3\n4 5\n{z}\n6\n").blocks[0]
        assert [(t.columns, [r.values for r in t.rows]) for t in block.tables] == [
            (("x", "y"), [(1, 2)]),
            ((), [(4, 5)]),
            (("z",), [(6,)]),
        ]
        assert block.table("Z") is block.tables[2]

    def test_equals_signs_in_rows_and_comments(self) -> None:
        block = teimorbit.parse("[A]\n{m t v}\n'TIME' '==' 6.0\n'a' 'b' 1 $ v = 1\n2 ! x = 1\n3 $ x = 1\n").blocks[0]
        assert block.attributes == ()
        assert [row.values for row in block.tables[0].rows] == [
            ("TIME", "==", 6.0),
            ("a", "b", 1),
            (2,),
            (3,),
        ]

    def test_list_in_a_row_gives_more_values(self) -> None:
        row = (
            teimorbit.parse("[P]\n{n s t v}\n 'thlds  '  'single'   'real'     60.0,90.0\n").blocks[0].tables[0].rows[0]
        )
        assert row.values == ("thlds", "single", "real", 60.0, 90.0)

    @pytest.mark.parametrize(
        ("literal", "value"),
        [
            ("267.0", 267.0),
            ("1.00E+06", 1e6),
            (".5", 0.5),
            ("5.", 5.0),
            ("-.5e1", -5.0),
            ("+2.550e-001", 0.255),
            ("1.D0", 1.0),
            ("1d-3", 1e-3),
            ("-2.5D+02", -250.0),
            ("123456789012345678901234567890", 1.2345678901234568e29),
        ],
    )
    def test_numbers(self, literal: str, value: float) -> None:
        found = value_of(literal)
        assert isinstance(found, float)
        assert found == value

    def test_whole_numbers_stay_whole(self) -> None:
        assert [value_of(word) for word in ("4", "-7", "+12", "007")] == [4, -7, 12, 7]
        assert isinstance(value_of("4"), int)

    @pytest.mark.parametrize(
        "word",
        ["NaN", "inf", "-Infinity", "1_000", "0x10", "1.0e", "e5", ".", "+", "1.2.3", "٣", "1,5x", "5!"],
    )
    def test_what_is_not_a_number_is_text(self, word: str) -> None:
        assert value_of(word) == word

    @pytest.mark.parametrize(
        ("literal", "value"),
        [
            ("'a' 'b'", ("a", "b")),
            ("'a', 'b'", ("a", "b")),
            ("'a','b  ' ,  '$ c'  'x, y'", ("a", "b", "$ c", "x, y")),
            ("'' ''", ("", "")),
            ("'1.0' '2.0'", ("1.0", "2.0")),
        ],
    )
    def test_several_quoted_values_are_a_list_of_texts(self, literal: str, value: tuple[str, ...]) -> None:
        text = f"[A]\nPROPERTY_FILE_LIST = {literal} $ c\n"
        attribute = teimorbit.parse(text).blocks[0].attributes[0]
        assert attribute == Attribute("PROPERTY_FILE_LIST", value, None, "c")
        assert attribute.raw == literal
        assert warnings_of(text) == []

    def test_comment_starts_at_dollar_everywhere_and_at_exclamation_mark_after_a_blank(self) -> None:
        lines = ["61$glued", "61 ! spaced", "'a'$x", "'a$b' $x", "wow! $x", "'a' !x", "1 $"]
        block = teimorbit.parse("[A]\n" + "".join(f"k{i} = {line}\n" for i, line in enumerate(lines))).blocks[0]
        assert [(item.value, item.comment) for item in block.attributes] == [
            (61, "glued"),
            (61, "spaced"),
            ("a", "x"),
            ("a$b", "x"),
            ("wow!", "x"),
            ("a", "x"),
            (1, ""),
        ]

    def test_byte_order_mark_and_odd_blanks(self) -> None:
        text = "\ufeff[A]\r\n\tk\t=\t5\u00a0\r\n \u00a0[B]\n\x0cq=1\n\ufeff[C]\n"
        document = teimorbit.parse(text)
        assert [block.name for block in document.blocks] == ["A", "B", "C"]
        assert [block.place.column for block in document.blocks] == [2, 3, 2]
        assert document.get("A", "k").value == 5  # type: ignore[union-attr]
        assert document.get("B", "q").place == Place(None, 4, 4)  # type: ignore[union-attr]
        assert document.text() == text


class TestWarnings:
    def test_live_line_below_a_commented_out_block(self) -> None:
        text = "[ALIGNING]\n c17 = -3.3\n ![CONTACT]\n $ more\n CONTACT_MODEL = '3D'\n OTHER = 1\n"
        document = teimorbit.parse(text)
        assert warnings_of(text) == [
            (5, 2, "[CONTACT] is commented out on line 3, so this line belongs to [ALIGNING]"),
        ]
        assert document.get("ALIGNING", "CONTACT_MODEL").string() == "3D"  # type: ignore[union-attr]

    def test_block_commented_out_whole_is_no_matter(self) -> None:
        assert warnings_of("[A]\nk = 1\n$[BBB]\n$q = 1\n[CCC]\nr = 1\n") == []
        assert warnings_of("[A]\n$ [mm]\nk = 1\n") == []

    def test_duplicate_key_takes_the_first(self) -> None:
        text = "[A]\nk = 1\nK = 2\n(S)\nk = 3\n"
        assert warnings_of(text) == [(3, 5, "K occurs twice in [A]; the value of line 2 is used")]
        assert teimorbit.parse(text).get("A", "k").value == 1  # type: ignore[union-attr]

    def test_repeated_block(self) -> None:
        text = "[CURVE]\n{x}\n1\n[Curve]\n{x}\n2\n"
        assert warnings_of(text) == [(4, 1, "[Curve] occurs again; it stands on line 1 already")]
        assert warnings_of("[PART]\nUSAGE='a'\n[PART]\nUSAGE='b'\n") == []

    def test_attribute_without_value(self) -> None:
        assert warnings_of("[A]\nk =\nq = $ none\n") == [(2, 4, "k has no value"), (3, 4, "q has no value")]
        attribute = teimorbit.parse("[A]\nq = $ none\n").blocks[0].attributes[0]
        assert (attribute.value, attribute.raw, attribute.comment) == (None, "", "none")

    def test_unquoted_word_in_a_table_is_told_once(self) -> None:
        text = "[A]\n{x y}\n1 NaN\n2 NaN\n{z}\nword\n"
        assert warnings_of(text) == [
            (3, 1, "'NaN' in a table row is neither a number nor quoted"),
            (6, 1, "'word' in a table row is neither a number nor quoted"),
        ]
        assert warnings_of("[A]\n'x' x\n") == [(2, 1, "'x' in a table row is neither a number nor quoted")]

    @pytest.mark.parametrize("literal", ["'a' 1.5", "1.5,'a'", "'a' b", "'a' 'b' c"])
    def test_quoted_values_beside_others_are_kept_as_text(self, literal: str) -> None:
        text = f"k has more than one value; they are kept as the text {literal}"
        assert warnings_of(f"[A]\nk = {literal}  $ c\n") == [(2, 5, text)]
        assert value_of(literal) == literal

    def test_text_before_the_first_block(self) -> None:
        assert warnings_of("A tyre\nof mine\n[A]\n") == [(1, 1, "text before the first [BLOCK] is not read")]

    def test_key_with_blanks(self) -> None:
        text = "[A]\nLATERAL STIFFNESS = 3\n"
        assert warnings_of(text) == [(2, 1, "the name 'LATERAL STIFFNESS' holds blanks")]
        assert teimorbit.parse(text).get("A", "lateral stiffness").value == 3  # type: ignore[union-attr]


class TestErrors:
    @pytest.mark.parametrize(
        ("line", "column", "text"),
        [
            (" k = 'abc", 6, "the quote of 'abc is not closed on its line"),
            ("1 'abc", 3, "the quote of 'abc is not closed on its line"),
            (" [B", 2, "the bracket [ is not closed on its line"),
            ("(B", 1, "the bracket ( is not closed on its line"),
            ("{a b", 1, "the bracket { is not closed on its line"),
            ("[]", 1, "the name between [ and ] is missing"),
            ("[A(B]", 1, "the brackets of '[A(B]' do not match"),
            ("[B] c", 5, "'c' stands behind a closed bracket"),
            ("{a}} $ c", 4, "'} $ c' stands behind a closed bracket"),
            ("{a <b c}", 4, "the angle bracket < has no partner"),
            ("{<b> c}", 3, "the unit <b> belongs to no column"),
            ("{c <a> <b>}", 9, "the unit <b> belongs to no column"),
            ("k <b = 1", 3, "the angle brackets of 'k <b' do not match"),
            (" = 5", 2, "'' is not a name for an attribute"),
            ("1.0 = Label text", 1, "'1.0' is not a name for an attribute"),
            ("a,b = 1", 1, "'a,b' is not a name for an attribute"),
            (
                "defaults units  &",
                1,
                "'defaults units  &' is neither an attribute, a table row nor a comment",
            ),
            ("k = 1,,2", 7, "a value is missing before a comma"),
            ("k = ,2", 5, "a value is missing before a comma"),
            ("k = 60.0,", 9, "a value is missing behind a comma"),
            ("k = 'it''s'", 9, "a blank is missing behind a quoted string"),
        ],
    )
    def test_one_line(self, line: str, column: int, text: str) -> None:
        assert problems_of(f"[A]\n{line}\n") == [(2, column, text)]

    @pytest.mark.parametrize(
        ("line", "column", "text"),
        [
            (" k = 1", 2, "the attribute k stands before the first [BLOCK]"),
            ("(S)", 1, "the sub-block (S) stands before the first [BLOCK]"),
            ("{x}", 1, "a table header stands before the first [BLOCK]"),
        ],
    )
    def test_before_the_first_block(self, line: str, column: int, text: str) -> None:
        assert problems_of(f"$ c\n{line}\n[A]\n") == [(2, column, text)]

    def test_all_problems_are_collected_in_one_message(self) -> None:
        with pytest.raises(FileFormatError) as caught:
            teimorbit.parse("[A]\nk = 'a\n[B\n{x\n", Path("bad.sub"))
        assert str(caught.value).splitlines() == [
            "bad.sub:2:5: error: the quote of 'a is not closed on its line",
            "bad.sub:3:1: error: the bracket [ is not closed on its line",
            "bad.sub:4:1: error: the bracket { is not closed on its line",
        ]

    def test_very_many_problems_are_cut(self) -> None:
        problems = problems_of("[A]\n" + "= 5\n" * 1000)
        assert len(problems) == 51
        assert problems[-1][2] == "and 950 more errors"

    def test_messages_stay_short_and_printable(self) -> None:
        (_, _, text), *_ = problems_of("[A]\n\x01" + "x" * 1000 + "\n")
        assert len(text) < 120
        assert text.isprintable()

    @pytest.mark.parametrize(
        ("literal", "message"),
        [
            ("'abc'", "k = 'abc' is not a finite number"),
            ("'4.0'", "k = '4.0' is not a finite number (write the number without quotes)"),
            ("NaN", "k = NaN is not a finite number"),
            ("-inf", "k = -inf is not a finite number"),
            ("1e999", "k = 1e999 is not a finite number"),
            ("0,5", "k = 0,5 is not a finite number (is the comma a decimal comma?)"),
            ("", "k has no value (a finite number is needed)"),
        ],
    )
    def test_not_a_number(self, literal: str, message: str) -> None:
        attribute = teimorbit.parse(f"[A]\nk = {literal}\n", Path("x.tir")).blocks[0].attributes[0]
        column = 5 if literal else 4
        with pytest.raises(FileFormatError) as caught:
            attribute.number()
        assert str(caught.value) == f"x.tir:2:{column}: error: {message}"

    def test_number_numbers_and_string(self) -> None:
        a, b, c, d = teimorbit.parse("[A]\na = 4\nb = 1,2.5\nc = 'x'\nd = 1e999,0\n").blocks[0].attributes
        assert (a.number(), a.numbers(), a.string()) == (4.0, (4.0,), "4")
        assert isinstance(a.number(), float)
        assert (b.numbers(), b.string(), c.string()) == ((1.0, 2.5), "1,2.5", "x")
        with pytest.raises(FileFormatError, match="list of finite numbers"):
            d.numbers()
        with pytest.raises(FileFormatError, match="has no value"):
            Attribute("e", None).string()
        assert Attribute("made", 2.5).string() == "2.5"

    def test_strings(self) -> None:
        text = "[A]\na = 'x' 'y'\nb = 'x y'\nc = x y\nd = 4\ne = 1,2.5\n"
        a, b, c, d, e = teimorbit.parse(text, Path("x.asy")).blocks[0].attributes
        assert (a.strings(), a.string()) == (("x", "y"), "'x' 'y'")
        assert (b.strings(), c.strings(), d.strings()) == (("x y",), ("x y",), ("4",))
        assert Attribute("made", ("x", "y")).string() == "'x','y'"
        with pytest.raises(FileFormatError) as caught:
            e.strings()
        assert str(caught.value) == "x.asy:6:5: error: e = 1,2.5 is not a list of texts (put each text in quotes)"
        with pytest.raises(FileFormatError, match="has no value"):
            Attribute("f", None).strings()

    def test_texts_are_no_numbers(self) -> None:
        names, numbers = teimorbit.parse("[A]\na = 'x' 'y'\nb = '1.0' '2.0'\n").blocks[0].attributes
        for question in (names.number, names.numbers):
            with pytest.raises(FileFormatError, match=r"a = 'x' 'y' is not a (list of )?finite numbers?$"):
                question()
        with pytest.raises(FileFormatError, match=r"list of finite numbers \(write the number without quotes\)"):
            numbers.numbers()

    def test_table_rows_that_do_not_fit_a_matrix(self) -> None:
        table = teimorbit.parse("[A]\n{x y}\n1 2\n3\n4 'five'\n6 7\n8 1e999\n", Path("t.spr")).blocks[0].tables[0]
        with pytest.raises(FileFormatError) as caught:
            table.array()
        assert str(caught.value).splitlines() == [
            "t.spr:4:1: error: table row has 1 values, the first row of the table has 2",
            "t.spr:5:1: error: table row holds five, where finite numbers are needed",
            "t.spr:7:1: error: table row holds inf, where finite numbers are needed",
        ]

    def test_table_without_rows(self) -> None:
        assert teimorbit.parse("[DATA]\n{a b c}\n").blocks[0].tables[0].array().shape == (0, 3)


class TestForeignFiles:
    @pytest.mark.parametrize(
        ("data", "reason"),
        [
            (b"", "it is empty"),
            (b" \r\n\n", "it is empty"),
            (b"\xef\xbb\xbf", "it is empty"),
            (b"% tyre\nR_0 = 0.3 % m\n", "it has no [BLOCK] line and looks like Matlab text"),
            (b"k = 1\n", "it has no [BLOCK] line"),
            (b"<?xml version='1.0'?>\n<a/>\n", "it looks like XML"),
            (b"[A]\nk = \0\n", "it holds binary data"),
            ("[A]\nk = 1\n".encode("utf-16"), "it is UTF-16 text; save it as UTF-8"),
        ],
    )
    def test_one_sentence(self, tmp_path: Path, data: bytes, reason: str) -> None:
        path = tmp_path / "x.tir"
        path.write_bytes(data)
        with pytest.raises(FileFormatError) as caught:
            teimorbit.read(path)
        assert str(caught.value) == f"{path}: error: this is not a TeimOrbit file: {reason}"

    def test_missing_file(self, tmp_path: Path) -> None:
        with pytest.raises(MissingFileError, match=r"nothing\.tir.*does not exist"):
            teimorbit.read(tmp_path / "nothing.tir")

    def test_folder(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="folder"):
            teimorbit.read(tmp_path)


HEADER = (
    "$---MDI_HEADER\r\n[MDI_HEADER]\r\n FILE_TYPE = 'tpl'\r\n FILE_FORMAT = '{}'\r\n HEADER_SIZE = 8\r\n"
    "(COMMENTS)\r\n{{comment_string}}\r\n'a brake'\r\n"
    "$---TEMPLATE_HEADER\r\n[TEMPLATE_HEADER]\r\n MAJOR_ROLE = 'brake_system'\r\n HEADER_SIZE = 4\r\n"
)


class TestTemplates:
    def test_binary_template(self, tmp_path: Path) -> None:
        path = tmp_path / "_brake.tpl"
        path.write_bytes(HEADER.format("binary").encode() + b"MSC: Adams\0\x81\xff\n[A]\nHEADER_SIZE = 3\n")
        with pytest.raises(FileFormatError) as caught:
            teimorbit.read(path)
        assert str(caught.value) == (
            f"{path}: error: this is a binary Adams/Car template (FILE_FORMAT = 'binary'), of which only the "
            "header is TeimOrbit text (save it as ASCII in Adams/Car)"
        )
        header = teimorbit.read_header(path)
        assert header.text() == HEADER.format("binary")
        assert [block.name for block in header.blocks] == ["MDI_HEADER", "TEMPLATE_HEADER"]
        assert header.get("TEMPLATE_HEADER", "MAJOR_ROLE").string() == "brake_system"  # type: ignore[union-attr]

    def test_ascii_template(self, tmp_path: Path) -> None:
        path = tmp_path / "_arm.tpl"
        path.write_text(HEADER.format("ASCII") + "!\r\ndefaults units  &\r\n   length = mm\r\n", newline="")
        with pytest.raises(FileFormatError, match="Adams/View commands follow"):
            teimorbit.read(path)
        assert teimorbit.read_header(path).text() == HEADER.format("ASCII")

    @pytest.mark.parametrize("size", ["0", "2", "999999", "9" * 5000, "'a'", "", "-3"])
    def test_header_size_that_cannot_be(self, tmp_path: Path, size: str) -> None:
        path = tmp_path / "x.asy"
        path.write_text(f"[MDI_HEADER]\n FILE_TYPE = 'asy'\n HEADER_SIZE = {size}\n[B]\nk = 1\n")
        with pytest.raises(FileFormatError, match="no TeimOrbit header with a HEADER_SIZE"):
            teimorbit.read_header(path)
        assert [block.name for block in teimorbit.read(path).blocks] == ["MDI_HEADER", "B"]

    def test_errors_in_a_header_do_not_hide_the_others(self, tmp_path: Path) -> None:
        path = tmp_path / "x.asy"
        path.write_text("[MDI_HEADER]\n FILE_TYPE = 'asy\n HEADER_SIZE = 3\n[B\n")
        with pytest.raises(FileFormatError) as caught:
            teimorbit.read(path)
        assert [problem.place.line for problem in caught.value.problems] == [2, 4]


class TestRoundTrip:
    @pytest.mark.parametrize("path", shared_files(), ids=lambda path: path.name)
    def test_shared_file(self, path: Path, tmp_path: Path) -> None:
        data = path.read_bytes()
        if path.as_posix().endswith(MATLAB_STYLE):
            with pytest.raises(FileFormatError, match=r"not a TeimOrbit file.*Matlab"):
                teimorbit.read(path)
            return
        document = teimorbit.read(path)
        document.write(tmp_path / path.name)
        assert (tmp_path / path.name).read_bytes() == data
        assert document.line_end == ("\r\n" if b"\r\n" in data else "\n")
        assert document.units().force > 0.0
        # Every line that is no comment and not blank was understood as something.
        counts = sum(
            1 + len(section.attributes) + sum(len(table.rows) + bool(table.columns) for table in section.tables)
            for block in document.blocks
            for section in (block, *block.subblocks)
        )
        live = [line for line in data.decode().splitlines() if line.strip() and line.strip()[0] not in "$!"]
        assert counts == len(live)

    def test_shared_data_is_all_there(self) -> None:
        files = shared_files()
        if not files:
            pytest.skip("the shared data folder is absent")
        assert len(files) >= 60

    @pytest.mark.parametrize(
        "text",
        [
            EXAMPLE,
            EXAMPLE.replace("\n", "\r\n"),
            EXAMPLE.replace("\n", "\r"),
            EXAMPLE[:-1],
            EXAMPLE.replace("\n", "  \n").replace("[SHAPE]  \n", "[SHAPE]\r\n"),
            "[A]",
            "\ufeff[A]\n",
            "[A]\n\n\n",
            "[A]\n$ a\x0cb\x85c\u2028d\n k = 'ü' $ \x1a\n",
        ],
    )
    def test_inline(self, text: str) -> None:
        assert teimorbit.parse(text).text() == text

    @pytest.mark.parametrize(
        ("data", "encoding", "value"),
        [
            ("[A]\nk = 'Prüfstand'\n".encode(), "utf-8", "Prüfstand"),
            ("[A]\r\nk = 'Prüf €'\r\n".encode("cp1252"), "cp1252", "Prüf €"),
            (b"[A]\nk = '\x81\xfc'\n", "latin-1", "\x81ü"),
        ],
    )
    def test_encodings(self, tmp_path: Path, data: bytes, encoding: str, value: str) -> None:
        path = tmp_path / "x.tir"
        path.write_bytes(data)
        document = teimorbit.read(path)
        assert (document.encoding, document.file) == (encoding, path)
        assert document.get("A", "k").value == value  # type: ignore[union-attr]
        document.write(path)
        assert path.read_bytes() == data

    def test_line_end(self) -> None:
        assert teimorbit.parse("[A]\r\nk=1\r\nq=2\n").line_end == "\r\n"
        assert teimorbit.parse("[A]\nk=1").line_end == "\n"
        assert teimorbit.parse("[A]").line_end == "\n"

    def test_character_outside_the_encoding(self, tmp_path: Path) -> None:
        path = tmp_path / "x.tir"
        path.write_bytes(b"[A]\nk = '\xfc'\n")
        changed = teimorbit.read(path).with_value("A", "k", "日")
        with pytest.raises(InputError, match="is not in cp1252"):
            changed.write(path)
        assert path.read_bytes() == b"[A]\nk = '\xfc'\n"
        assert list(tmp_path.iterdir()) == [path]


class TestWithValue:
    def test_only_the_value_changes(self) -> None:
        document = teimorbit.parse(EXAMPLE.replace("\n", "\r\n"), Path("x.tir"))
        changed = document.with_value("model", "fittyp", 62.5)
        assert changed.get("MODEL", "FITTYP").value == 62.5  # type: ignore[union-attr]
        assert changed.text() == document.text().replace(" 61\t", " 62.5\t")
        assert changed.file == document.file
        assert document.get("MODEL", "FITTYP").value == 61  # type: ignore[union-attr]

    @pytest.mark.parametrize(
        ("value", "literal"),
        [
            (61, "61"),
            (-0.1, "-0.1"),
            (1e-7, "1e-07"),
            (np.float64(0.3), "0.3"),
            (np.int64(4), "4"),
            (-(10**17) + 1, "-99999999999999999"),
            ("left/right", "'left/right'"),
            ("", "''"),
            ((1, 2.5), "1,2.5"),
            (("a", "b c"), "'a','b c'"),
            (("", "1.0", "$"), "'','1.0','$'"),
        ],
    )
    def test_literals(self, value: teimorbit.Value, literal: str) -> None:
        document = teimorbit.parse("[A]\nk = 'old' $c\n").with_value("A", "k", value)
        assert document.text() == f"[A]\nk = {literal} $c\n"
        assert document.get("A", "k").value == value  # type: ignore[union-attr]

    @pytest.mark.parametrize(
        ("line", "expected"),
        [
            ("k =", "k = 5"),
            ("k =   ", "k = 5   "),
            ("k =$c", "k = 5$c"),
            ("k =!c", "k = 5 !c"),
            ("k='a'!c", "k=5 !c"),
            ("k=a b  c", "k=5"),
            ("\tk <u>=  1,2 , 3\t$ 'c'", "\tk <u>=  5\t$ 'c'"),
        ],
    )
    def test_awkward_lines(self, line: str, expected: str) -> None:
        document = teimorbit.parse(f"[A]\n{line}\n").with_value("A", "k", 5)
        assert document.text() == f"[A]\n{expected}\n"
        assert document.get("A", "k").value == 5  # type: ignore[union-attr]

    def test_in_a_sub_block(self) -> None:
        document = teimorbit.parse("[A]\nk=1\n(B)\nk=2\n").with_value("A", "K", 3, subblock="b")
        assert document.text() == "[A]\nk=1\n(B)\nk=3\n"

    def test_unknown_attribute_names_close_ones(self) -> None:
        with pytest.raises(UnknownNameError) as caught:
            teimorbit.parse(EXAMPLE).with_value("MODEL", "FITTYPE", 5)
        assert str(caught.value) == "error: unknown attribute of [MODEL] 'FITTYPE' (did you mean 'FITTYP'?)"

    @pytest.mark.parametrize(
        "value",
        [
            *(math.nan, math.inf, 10**17, True),
            *("it's", "a\nb", " a", "a\0"),
            *((1.0,), ("a",), ("a", 1.0), (1.0, math.nan), ("a", "it's")),
        ],
    )
    def test_values_that_cannot_be_written(self, value: teimorbit.Value) -> None:
        with pytest.raises(InputError):
            teimorbit.parse(EXAMPLE).with_value("MODEL", "FITTYP", value)

    def test_atomic_write(self, tmp_path: Path) -> None:
        path = tmp_path / "new.tir"
        teimorbit.parse(EXAMPLE).with_value("MODEL", "LIST", (1.0, 2.0)).write(path)
        assert teimorbit.read(path).get("MODEL", "LIST").numbers() == (1.0, 2.0)  # type: ignore[union-attr]
        assert list(tmp_path.iterdir()) == [path]


FORM_B = """\
[UNITS]
(BASE)
{time  length  force          angle  mass}
'sec'  'foot'  'pound_force'  'deg'  'pound_mass'
(USER)
{unit_type    length  force  angle  mass  time  conversion}
'rpm'          0       0      1      0     -1     6.0
'capfac'      -0.5    -0.5    1      0     -1     1.0
'MPa'         -2       1      0      0      0     145.0
"""


class TestUnits:
    def test_attributes(self) -> None:
        units = teimorbit.parse(EXAMPLE).units()
        assert (units.length, units.force, units.angle) == (1e-3, 1.0, math.pi / 180)
        assert (units.mass, units.time, units.pressure) == (1.0, 1.0, None)
        assert units.to_si(2.0, kind("stiffness")) == pytest.approx(2000.0, rel=1e-15)

    def test_pressure_and_unquoted_words_in_any_case(self) -> None:
        text = EXAMPLE.replace(" TIME   = 'sec'", " TIME = SECOND\n PRESSURE = 'kPa'")
        assert teimorbit.parse(text).units().pressure == 1e3

    def test_table(self) -> None:
        units = teimorbit.parse(FORM_B).units()
        assert (units.length, units.force, units.mass) == (0.3048, 4.4482216152605, 0.45359237)
        assert (units.angle, units.time) == (math.pi / 180, 1.0)

    def test_attributes_go_before_the_table(self) -> None:
        assert teimorbit.parse(FORM_B.replace("(BASE)", "LENGTH = 'mm'\n(BASE)")).units().length == 1e-3

    def test_user_units(self) -> None:
        factors = teimorbit.parse(FORM_B).user_units()
        assert factors["rpm"] == pytest.approx(2 * math.pi / 60, rel=1e-15)  # one revolution per minute in rad/s
        assert factors["CAPFAC"] == pytest.approx(math.radians(1) / math.sqrt(0.3048 * 4.4482216152605), rel=1e-15)
        assert factors["torque"] == pytest.approx(0.3048 * 4.4482216152605, rel=1e-15)  # built in
        assert factors["area"] == pytest.approx(0.3048**2, rel=1e-15)
        assert factors["angle"] == math.radians(1)
        assert "MPa" in list(factors)
        assert factors["mpa"] == pytest.approx(145.0 * 4.4482216152605 / 0.3048**2, rel=1e-15)
        assert "temperature" not in factors
        assert len(factors) == len(list(factors))
        with pytest.raises(UnknownNameError, match=r"unknown unit 'rmp'.*'rpm'"):
            factors["rmp"]

    def test_user_unit_replaces_a_built_in_one(self) -> None:
        text = FORM_B.replace("'MPa'         -2       1 ", "'Torque'       1       1 ")
        factors = teimorbit.parse(text).user_units()
        assert factors["torque"] == pytest.approx(145.0 * 0.3048 * 4.4482216152605, rel=1e-15)
        assert "Torque" in list(factors)
        assert "torque" not in list(factors)

    def test_unknown_word_names_file_line_word_and_what_is_allowed(self) -> None:
        text = EXAMPLE.replace("'mm'", "'mmm'").replace("'deg'", "'grd'")
        with pytest.raises(UnitError) as caught:
            teimorbit.parse(text, Path("x.tir")).units()
        first, second = str(caught.value).splitlines()
        assert first.startswith("x.tir:11:11: error: LENGTH = 'mmm' is not a unit of length (allowed are for example")
        assert "'mm'" in first
        assert second.startswith("x.tir:13:11: error: ANGLE = 'grd' is not a unit of angle")

    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            (" MASS   = 'kg'\n", "", "x:10:1: error: [UNITS] says nothing about MASS"),
            ("'kg'", "", "x:14:10: error: MASS has no value (a unit is needed)"),
            ("[units]", "[other]", "x: error: there is no [UNITS] block"),
            ("'kg'", "5", "x:14:11: error: MASS = '5' is not a unit of mass"),
        ],
    )
    def test_incomplete_attributes(self, old: str, new: str, message: str) -> None:
        with pytest.raises(UnitError) as caught:
            teimorbit.parse(EXAMPLE.replace(old, new), Path("x")).units()
        assert str(caught.value).startswith(message)

    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            ("'sec'  'foot'", "'foot'", "x:4: error: [UNITS] (BASE) names 5 units and gives 4 values"),
            (
                "(USER)",
                "1 2\n(USER)",
                "x:3:1: error: the table in [UNITS] (BASE) must have one row, it has 2",
            ),
            ("-1     6.0", "-1", "x:7: error: a row of [UNITS] (USER) has 6 values for 7 columns"),
            (
                "-1     6.0",
                "-1   'six'",
                "x:7: error: the unit 'rpm' has 'six' in column conversion, where a",
            ),
            ("-1     6.0", "-1     0.0", "x:7: error: the unit 'rpm' has the factor 0 into SI; it must be"),
            ("-0.5    -0.5", "-1e9    -0.5", "x:8: error: the unit 'capfac' has the factor inf into SI"),
            ("{unit_type ", "{unit_name ", "x:7: error: [UNITS] (USER) needs a column unit_type with names"),
            ("'MPa'", "'RPM'", "x:9:1: error: the unit 'RPM' is defined on line 7 already"),
        ],
    )
    def test_wrong_tables(self, old: str, new: str, message: str) -> None:
        document = teimorbit.parse(FORM_B.replace(old, new), Path("x"))
        with pytest.raises(UnitError) as caught:
            document.user_units()
        assert str(caught.value).startswith(message)

    def test_shared_differential_uses_the_built_in_torque(self) -> None:
        document = teimorbit.read(shared("MDI_viscous.dif"))
        table = document.block("DIFFERENTIAL").subblock("XY_DATA").table()  # type: ignore[union-attr]
        assert table is not None
        assert table.units == ("rpm", "torque")
        factors = document.user_units()
        assert factors["torque"] == 1.0  # metre and newton
        assert factors["rpm"] == pytest.approx(math.pi / 30, rel=1e-15)


class TestSharedFiles:
    def test_commented_out_block_of_the_pac89_tyre(self) -> None:
        document = teimorbit.read(shared("TR_front_pac89.tir"))
        assert [(p.place.line, p.place.column) for p in document.problems] == [(107, 2)]
        assert document.get("ALIGNING_COEFFICIENTS", "CONTACT_MODEL").string() == "3D_ENVELOPING"  # type: ignore[union-attr]

    def test_header_less_shape_and_repeated_curve(self) -> None:
        document = teimorbit.read(shared("335_65R22_5_G275MSA_60psi.tir"))
        table = document.block("SHAPE").table()  # type: ignore[union-attr]
        assert table is not None
        assert (table.columns, table.array().shape) == ((), (10, 2))
        assert len(document.all_blocks("DEFLECTION_LOAD_CURVE")) == 2
        assert any("DEFLECTION_LOAD_CURVE" in problem.text for problem in document.problems)

    def test_part_frame_hidden_in_comments(self) -> None:
        document = teimorbit.read(shared("TR_Steering.sub"))
        rack = document.all_blocks("PART_ASSEMBLY")[2]
        assert rack.get("USAGE").string() == "rack"  # type: ignore[union-attr]
        location = next(c for c in rack.comments if c.text.startswith("X,Y,Z location"))
        assert location.text == "X,Y,Z location = 467.0, 0.0, 330.0"
        assert location.after is rack.get("SPRUNG_PERCENTAGE")

    def test_binary_template(self) -> None:
        path = shared("_brake_system_4Wdisk.tpl")
        with pytest.raises(FileFormatError, match="binary Adams/Car template"):
            teimorbit.read(path)
        header = teimorbit.read_header(path)
        assert len(header.lines) == 19
        assert [block.name for block in header.blocks] == ["MDI_HEADER", "TEMPLATE_HEADER", "PLUGINS"]

    @pytest.mark.parametrize("pattern", ["*.ltf", "*_spr.xml"])
    def test_other_formats_are_refused(self, pattern: str) -> None:
        with pytest.raises(FileFormatError, match="not a TeimOrbit file"):
            teimorbit.read(shared(pattern))


def without_rules(block: Block) -> Block:
    def keep(comments: tuple[Comment, ...]) -> tuple[Comment, ...]:
        return tuple(comment for comment in comments if not comment.is_rule)

    subblocks = tuple(SubBlock(s.name, s.attributes, s.tables, keep(s.comments)) for s in block.subblocks)
    return Block(block.name, block.attributes, block.tables, keep(block.comments), subblocks=subblocks)


class TestCompose:
    def test_tidy_text(self) -> None:
        load = Attribute("FNOMIN", 4850, comment="Nominal wheel load")
        blocks = [
            Block("MODEL", (Attribute("NAME", "x y"), Attribute("AREA", 490.87, unit="area"), load)),
            Block(
                "CURVE",
                tables=(Table(("x", "force"), (Row((-10.0, 5)), Row((0.5, 1e-9), "end")), ("length", None)),),
                comments=(Comment("first"),),
                subblocks=(SubBlock("NOTES", tables=(Table(("comment_string",), (Row(("hello",)),)),)),),
            ),
        ]
        assert teimorbit.compose(blocks).splitlines() == [
            "$" + "-" * 74 + "MODEL",
            "[MODEL]",
            " NAME         =  'x y'",
            " AREA <area>  =  490.87",
            " FNOMIN       =  4850    $Nominal wheel load",
            "$" + "-" * 74 + "CURVE",
            "[CURVE]",
            "$ first",
            "{x <length>  force}",
            "      -10.0      5",
            "        0.5  1e-09  $end",
            "(NOTES)",
            "{comment_string}",
            " 'hello'",
        ]
        assert teimorbit.compose(teimorbit.parse(teimorbit.compose(blocks)).blocks) == teimorbit.compose(blocks)
        assert teimorbit.compose(blocks, "\r\n") == teimorbit.compose(blocks).replace("\n", "\r\n")

    def test_comments_stay_where_they_are(self) -> None:
        document = teimorbit.parse(EXAMPLE)
        again = teimorbit.parse(teimorbit.compose(document.blocks))
        assert [without_rules(block) for block in again.blocks] == [without_rules(block) for block in document.blocks]
        part = again.blocks[4]
        assert part.comments[1].after is part.attributes[1]
        assert again.units() == document.units()

    @pytest.mark.parametrize("path", shared_files(), ids=lambda path: path.name)
    def test_shared_file(self, path: Path) -> None:
        if path.as_posix().endswith(MATLAB_STYLE):
            pytest.skip("not TeimOrbit")
        blocks = teimorbit.read(path).blocks
        again = teimorbit.parse(teimorbit.compose(blocks)).blocks
        assert [without_rules(block) for block in again] == [without_rules(block) for block in blocks]

    @pytest.mark.parametrize(
        "block",
        [
            Block("A]"),
            Block(""),
            Block(" A"),
            Block("A", subblocks=(SubBlock("B)"),)),
            Block("A", (Attribute("a b", 1),)),
            Block("A", (Attribute("k=", 1),)),
            Block("A", (Attribute("1.0", 1),)),
            Block("A", (Attribute("[k", 1),)),
            Block("A", (Attribute("k", 1, unit="a>"),)),
            Block("A", (Attribute("k", 1, comment="a\nb"),)),
            Block("A", (Attribute("k", math.nan),)),
            Block("A", (Attribute("k", "it's"),)),
            Block("A", (Attribute("k", "a\0"),)),
            Block("A", tables=(Table(("a b",)),)),
            Block("A", tables=(Table(("a",), (Row(()),)),)),
            Block("A", tables=(Table(("a",), (Row((math.inf,)),)),)),
            Block("A", tables=(Table(("a",)), Table((), (Row((1.0,)),)))),
            Block("A", tables=(Table(),)),
            Block("A", comments=(Comment("a\nb"),)),
            Block("A", (Attribute("k", 1),), comments=(Comment("lost", Row((1.0,))),)),
        ],
    )
    def test_what_cannot_be_written_is_refused(self, block: Block) -> None:
        with pytest.raises(InputError):
            teimorbit.compose([block])

    def test_wrong_arguments(self) -> None:
        with pytest.raises(InputError, match="line end"):
            teimorbit.compose([], line_end="\r")
        with pytest.raises(InputError, match="2 columns and 1 units"):
            Table(("a", "b"), units=("mm",))


# ----------------------------------------------------------------------------------------------- properties

EXAMPLES = settings().max_examples  # of the profile; --hypothesis-profile gives more where wanted
NAMES = st.text("abcXYZ_.@-019", min_size=1, max_size=8).map("n".__add__)
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="'\r\n\0"), max_size=12).map(str.strip)
COMMENTS = st.none() | TEXTS
NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**16), 10**16)
LISTS = st.lists(NUMBERS, min_size=2, max_size=4) | st.lists(TEXTS, min_size=2, max_size=4)
VALUES = NUMBERS | TEXTS | LISTS.map(tuple)
ATTRIBUTES = st.lists(
    st.builds(Attribute, NAMES, VALUES, st.none() | NAMES, COMMENTS),
    max_size=4,
    unique_by=lambda a: a.name.casefold(),
).map(tuple)
ROWS = st.lists(st.builds(Row, st.lists(NUMBERS | TEXTS, min_size=1, max_size=4).map(tuple), COMMENTS), max_size=4)


@st.composite
def tables(draw: st.DrawFn) -> tuple[Table, ...]:
    found = []
    for index in range(draw(st.integers(0, 3))):
        rows = draw(ROWS)
        least = 0 if index == 0 and rows else 1
        columns = draw(st.lists(NAMES, min_size=least, max_size=3))
        units = [draw(st.none() | NAMES) for _ in columns]
        found.append(Table(tuple(columns), tuple(rows), tuple(units)))
    return tuple(found)


SUBBLOCKS = st.lists(st.builds(SubBlock, NAMES, ATTRIBUTES, tables()), max_size=2).map(tuple)
BLOCKS = st.lists(st.builds(Block, NAMES, ATTRIBUTES, tables(), subblocks=SUBBLOCKS), min_size=1, max_size=3)


@settings(max_examples=EXAMPLES // 4, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(BLOCKS, st.sampled_from(["\n", "\r\n"]))
def test_composed_text_reads_back_the_same(blocks: list[Block], line_end: str) -> None:
    document = teimorbit.parse(teimorbit.compose(blocks, line_end))
    assert [without_rules(block) for block in document.blocks] == blocks
    assert document.line_end == line_end


def check_reading(text: str) -> None:
    """An InputError, or a document with the same text and exact places that answers or raises InputError."""
    try:
        document = teimorbit.parse(text)
    except InputError as error:
        assert error.problems  # noqa: PT017
        return
    assert document.text() == text
    lines = document.lines
    for block in document.blocks:
        for section in (block, *block.subblocks):
            assert lines[section.place.line - 1][section.place.column - 1] in "[("  # type: ignore[operator]
            for attribute in section.attributes:
                place = attribute.place
                assert lines[place.line - 1].startswith(attribute.raw, place.column - 1)  # type: ignore[operator]
            for table in section.tables:
                try:
                    table.array()
                except InputError:
                    continue
    for question in (document.units, document.user_units):
        try:
            question()
        except InputError:
            continue


PIECES = st.sampled_from(["$", "!", "'", "[", "]", "(", ")", "{", "}", "<", ">", "=", ",", " ", "\t", "\n", "\r", "\0"])
EDITS = st.lists(
    st.tuples(st.integers(0, len(EXAMPLE)), st.integers(0, 12), PIECES | st.text(max_size=3)),
    min_size=1,
    max_size=6,
)


@settings(deadline=None)
@given(EDITS, st.sampled_from([EXAMPLE, FORM_B]))
def test_mutations_of_a_valid_text(edits: list[tuple[int, int, str]], text: str) -> None:
    for start, length, piece in edits:
        text = text[:start] + piece + text[start + length :]
    check_reading(text)


@settings(deadline=None)
@given(st.text(st.sampled_from("[](){}<>=,'$! \t\r\n1.eD-aÜ\ufeff\x85"), max_size=80))
@example("[A]\n{a <")
@example("[A]\n'")
def test_text_made_of_the_signs_of_the_grammar(text: str) -> None:
    check_reading(text)
    check_reading("[A]\n" + text)


@settings(max_examples=EXAMPLES // 2, deadline=None)
@given(st.binary(max_size=60), st.booleans())
@example(b"\xff\xfe[\0A\0]\0", False)
def test_random_bytes(tmp_path_factory: pytest.TempPathFactory, data: bytes, with_block: bool) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzz.tir"
    data = b"[MDI_HEADER]\nHEADER_SIZE = 3\n" + data if with_block else data
    path.write_bytes(data)
    try:
        document = teimorbit.read(path)
    except InputError:
        return
    assert document.text().encode(document.encoding) == data


@settings(max_examples=EXAMPLES // 2, deadline=None)
@given(VALUES)
def test_with_value_changes_one_line(value: teimorbit.Value) -> None:
    document = teimorbit.parse(EXAMPLE)
    changed = document.with_value("MODEL", "FITTYP", value)
    assert changed.get("MODEL", "FITTYP").value == value  # type: ignore[union-attr]
    pairs = zip(document.lines, changed.lines, strict=True)
    assert {number for number, (old, new) in enumerate(pairs, 1) if old != new} <= {17}
    assert changed.lines[16].endswith("\t\t$Magic Formula version\n")


LONG = 60_000  # quadratic work on it would take minutes


@pytest.mark.parametrize(
    "text",
    [
        "[A]\nk = " + "1" * LONG + "x",
        "[A]\n{a" + " " * LONG + "}",
        "[A]\n{" + "<" * LONG + "}",
        "[A]\n" + "'a " * (LONG // 3),
        "[A]\nk" + " " * LONG + "= 1" + " " * LONG + "$",
        "[" + "n" * LONG + "]\n" + "a = 1\n" * (LONG // 6),
        ("$\n" * 1000 + "[MDI_HEADER]\nHEADER_SIZE = 1\n") * 20,
    ],
    ids=["digits", "blanks", "angles", "quotes", "padding", "names", "headers"],
)
def test_long_lines_take_linear_time(text: str, tmp_path: Path) -> None:
    path = tmp_path / "long.tir"
    path.write_text(text)
    start = time.process_time()
    try:
        document = teimorbit.read(path)
        assert document.text() == text
        assert all(len(problem.text) < 200 for problem in document.problems)
    except FileFormatError as error:
        assert len(str(error)) < 20_000  # noqa: PT017
    assert time.process_time() - start < 20.0  # a second is usual: this catches quadratic time, not slow machines


def test_speed() -> None:
    copies = 500_000 // len(EXAMPLE)
    start = time.process_time()
    document = teimorbit.parse(EXAMPLE * copies)
    assert time.process_time() - start < 15.0  # a quarter of a second is usual; room for slow machines
    assert len(document.blocks) == 7 * copies


# ------------------------------------------------------------------------------------------- wrapped comments


@pytest.mark.parametrize(
    "wrapped",
    ["Kfy/Fznom", "of the tyre's stiffness", "(Fz = Fznom) over load", "load Kfy/Fz(0) = Fznom", "per mille, 1"],
)
def test_wrapped_comment_is_a_warning(wrapped: str) -> None:
    document = teimorbit.parse(f"[A]\nX = 1 $ largest value\n {wrapped}\nand more\nY = 2\n")
    block = document.blocks[0]
    assert [(a.name, a.value) for a in block.attributes] == [("X", 1), ("Y", 2)]
    assert [comment.text for comment in block.comments] == [wrapped, "and more"]
    assert [p.severity for p in document.problems] == [Severity.WARNING] * 2
    assert f"'{wrapped}' is taken as the rest of the comment above" in str(document.problems[0])
    assert document.problems[0].place.line == 3


@pytest.mark.parametrize("text", ["X = 1\nKfy/Fznom", "X = 1 $ a\n\nKfy/Fznom", "X = 1 $ a\nPKY1 -21.4"])
def test_other_words_stay_an_error(text: str) -> None:
    """Not below a comment, or a key that has lost its equals sign."""
    with pytest.raises(FileFormatError, match="neither an attribute"):
        teimorbit.parse(f"[A]\n{text}\n")
