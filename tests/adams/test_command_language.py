"""Adams/View command language: lexer and parser."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counted_work import work_of
from trackrod.adams.command_language import Command, Expression, Number, Text, Word, parse_commands
from trackrod.core.errors import FileFormatError, Place

EXAMPLE = """\
! a comment
marker create  &
   marker_name = .model.part.cm  &   ! behind the continuation
   comments = "a \\"quoted\\" text, with ! and & and = in it"  &
! between continued lines
   location = 1900.0, -200.0mm,  &
              3.0E+02  &
   orientation = 180.0d, .5, (ORI(.a, "x", {1, 2}))
undo begin_block suppress = yes

view erase
"""


def only(text: str) -> Command:
    (command,) = parse_commands(text)
    return command


def test_example() -> None:
    marker, undo, view = parse_commands(EXAMPLE, Path("some.tpl"), first_line=20)
    assert marker.name == "marker create"
    assert marker.place == Place(Path("some.tpl"), 21)
    assert [argument.name for argument in marker.arguments] == ["marker_name", "comments", "location", "orientation"]
    values = {argument.name: argument.values for argument in marker.arguments}
    assert values["marker_name"] == (Word(".model.part.cm"),)
    assert values["comments"] == (Text('a "quoted" text, with ! and & and = in it'),)
    assert values["location"] == (Number(1900.0), Number(-200.0, "mm"), Number(300.0))
    assert values["orientation"] == (Number(180.0, "d"), Number(0.5), Expression('(ORI(.a, "x", {1, 2}))'))
    assert marker.arguments[2].place.line == 25
    assert (undo.keywords, undo.arguments[0].word()) == (("undo", "begin_block"), "yes")
    assert (view.keywords, view.arguments) == (("view", "erase"), ())


def test_exclamation_mark_and_equals_inside_brackets() -> None:
    command = only('group modify  expr_active = ( ! .m.flag || .m.class == "template" ? 1 : 0)')
    assert command.arguments[0].values == (Expression('( ! .m.flag || .m.class == "template" ? 1 : 0)'),)


def test_brackets_over_several_lines() -> None:
    command = only("a b  c = (1 + &\n  2)  &\n d = 3\n")
    assert command.get("c").values == (Expression("(1 +   2)"),)  # type: ignore[union-attr]
    assert command.get("d").values == (Number(3.0),)  # type: ignore[union-attr]


def test_names_are_compared_without_regard_to_case_and_the_last_argument_wins() -> None:
    command = only("MARKER Create  Name = .A.B  name = .C")
    assert command.name == "marker create"
    assert command.get("name").word() == ".C"  # type: ignore[union-attr]
    assert command.get("other") is None


def test_argument_without_value() -> None:
    command = only("part create  comments =  &\n name = .a")
    assert [(a.name, a.values) for a in command.arguments] == [("comments", ()), ("name", (Word(".a"),))]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(end: str) -> None:
    assert len(parse_commands(EXAMPLE.replace("\n", end))) == 3
    assert parse_commands(EXAMPLE.replace("\n", end))[1].place.line == 9


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('a b = "open', 1, "quote"),
        ("\na b = (1, 2", 2, "'(' is not closed"),
        ("a b = 1)", 1, "closes nothing"),
        ("a b = (1}", 1, "closes nothing"),
        ("= 3", 1, "keywords"),
        ("b = 3", 1, "keywords"),
        ("12 3", 1, "'12' is not a keyword"),
        ("a b = 1, , 2", 1, "comma"),
        ("a b = 1 2 c = 3", 1, "neither a value"),
        ("a b = 1,", 1, "comma"),
    ],
)
def test_mistakes_are_named_with_their_line(text: str, line: int, message: str) -> None:
    with pytest.raises(FileFormatError) as caught:
        parse_commands(text, Path("bad.cmd"))
    (problem,) = caught.value.problems
    assert message in problem.text
    assert problem.place == Place(Path("bad.cmd"), line)


def test_all_mistakes_are_collected_up_to_fifty() -> None:
    with pytest.raises(FileFormatError) as caught:
        parse_commands("1\nmodel create\n2\n")
    assert [problem.place.line for problem in caught.value.problems] == [1, 3]
    with pytest.raises(FileFormatError) as caught:
        parse_commands("1\n" * 1000)
    assert len(caught.value.problems) == 50


def test_word_is_refused_where_a_list_stands() -> None:
    with pytest.raises(FileFormatError, match="must be one name"):
        only("a b = .c, .d").arguments[0].word()


@pytest.mark.parametrize("unit", ["a b = 1  &\n", "(", "& ", '"x"', "!", "=,"])
def test_work_grows_with_the_length_only(unit: str) -> None:
    def work(count: int) -> int:
        def read() -> None:
            with contextlib.suppress(FileFormatError):
                parse_commands(text)

        text = "a b = (1)\nc d = " + unit * count
        return work_of(read)

    # Ten times the text is ten times the work; of a quadratic reader it would be a hundred times.
    assert work(4_000) < 15 * work(400)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=st.sampled_from("ab.=,&!\"'(){}[]\\ \n\r\t019-+éd\x00"), max_size=80))
def test_any_text_gives_commands_or_a_trackrod_error(text: str) -> None:
    try:
        commands = parse_commands(text)
    except FileFormatError:
        return
    assert all(command.keywords and command.place.line for command in commands)


WORDS = st.from_regex(r"[a-z_]{1,8}", fullmatch=True)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(WORDS, min_size=1, max_size=3),
    st.dictionaries(WORDS, st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=4)),
)
def test_what_is_written_is_read(keywords: list[str], arguments: dict[str, list[float]]) -> None:
    text = " ".join(keywords) + "".join(f"  &\n  {n} = " + ", ".join(map(repr, v)) for n, v in arguments.items())
    command = only(text)
    assert command.keywords == tuple(keywords)
    assert {a.name: [v.value for v in a.values if isinstance(v, Number)] for a in command.arguments} == arguments
