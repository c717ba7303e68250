"""Messages: whatever they quote, people can read them."""

from __future__ import annotations

from pathlib import Path

from trackrod.core.errors import InputError, Place, Problem


def test_what_a_message_quotes_of_a_file_is_short_and_commands_nothing() -> None:
    text = "\x1b[31mred\nand \x85\u2028 more" + "x" * 60_000
    problem = Problem(text, Place(Path("a\x1bb"), 3), hint=text)
    message = str(InputError(problem))
    assert message.isprintable()
    assert "red; and" in message
    assert len(message) < 5000
    assert problem.as_dict()["text"] == problem.text == problem.hint


def test_short_messages_stay_as_they_are() -> None:
    assert str(Problem("K&C: 3 °, µ ≤ 1", Place(Path("f"), 2), hint="so")) == "f:2: error: K&C: 3 °, µ ≤ 1 (so)"
