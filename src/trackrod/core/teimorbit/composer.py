"""From blocks to new text with aligned columns."""

from __future__ import annotations

import re
from collections.abc import Iterable

from trackrod.core.errors import InputError
from trackrod.core.teimorbit.blocks import Attribute, Block, Comment, Row, Section, Table
from trackrod.core.teimorbit.literals import NAME, cell_literal, checked, is_number, value_literal
from trackrod.core.teimorbit.messages import shown

__all__ = ["compose"]

# What can be written so that it is read back the same.
_BLOCK_NAME = re.compile(r"[^\s\[\](){}](?:[^\[\](){}\r\n]*[^\s\[\](){}])?")
_COLUMN_NAME = re.compile(r"[^\s,<>{}]+")
_UNIT_NAME = re.compile(r"[^\s<>{}='$!](?:[^<>{}='$!\r\n]*[^\s<>{}='$!])?")
_COMMENT_TEXT = re.compile(r"(?:\S(?:[^\r\n]*\S)?)?")


def compose(blocks: Iterable[Block], line_end: str = "\n") -> str:
    """New TeimOrbit text with aligned columns; `parse` reads it back to the same names, values and comments.

    Parameters
    ----------
    blocks
        What to write. Within a block come its attributes, then its tables, then its sub-blocks. Rules
        (`Comment.is_rule`) are drawn anew, so those that came from another file are left out.
    line_end
        Line feed, or carriage return and line feed.

    Raises
    ------
    InputError
        Something cannot be written in this format: a quote inside a text, a number that is not finite.
    """
    if line_end not in ("\n", "\r\n"):
        raise InputError(f"the line end must be '\\n' or '\\r\\n', not {line_end!r}")
    lines: list[str] = []
    for block in blocks:
        name = checked(block.name, "the block name", _BLOCK_NAME)
        lines += [f"${name:->79}", f"[{name}]", *_section_lines(block)]
        for subblock in block.subblocks:
            name = checked(subblock.name, "the sub-block name", _BLOCK_NAME)
            lines += [f"({name})", *_section_lines(subblock)]
    return "".join(line + line_end for line in lines)


def _section_lines(section: Section) -> list[str]:
    comments: dict[int, list[Comment]] = {}
    for comment in section.comments:
        if not comment.is_rule:
            comments.setdefault(id(comment.after), []).append(comment)

    def following(item: Attribute | Row | None) -> list[str]:
        return [f"$ {checked(c.text, 'the comment', _COMMENT_TEXT)}" for c in comments.pop(id(item), ())]

    lines = following(None)
    for attribute, line in zip(section.attributes, _attribute_lines(section.attributes), strict=True):
        lines += [line, *following(attribute)]
    for index, table in enumerate(section.tables):
        header, *rows = _table_lines(table)
        if table.columns:
            lines.append(header)
        elif index > 0 or not rows:
            text = "a table without a header must have rows and be the first table"
            raise InputError(f"{text} of '{shown(section.name)}'")
        for row, line in zip(table.rows, rows, strict=True):
            lines += [line, *following(row)]
    if comments:
        lost = next(iter(comments.values()))[0]
        raise InputError(f"the comment '{shown(lost.text)}' follows nothing that stands in '{section.name}'")
    return lines


def _attribute_lines(attributes: tuple[Attribute, ...]) -> list[str]:
    keys = []
    for attribute in attributes:
        key = checked(attribute.name, "the attribute name", NAME)
        if is_number(key):
            raise InputError(f"the attribute name '{key}' is a number")
        keys.append(key + _unit_suffix(attribute.unit))
    literals = [value_literal(attribute.value, attribute.name) for attribute in attributes]
    key_width = max(map(len, keys), default=0)
    literal_width = max(map(len, literals), default=0)
    lines = []
    for attribute, key, literal in zip(attributes, keys, literals, strict=True):
        line = f" {key:<{key_width}}  =  {literal}"
        if attribute.comment is not None:
            comment = checked(attribute.comment, "the comment", _COMMENT_TEXT)
            line = f" {key:<{key_width}}  =  {literal:<{literal_width}}  ${comment}"
        lines.append(line.rstrip())
    return lines


def _table_lines(table: Table) -> list[str]:
    """Header line (also for a table without one) and the lines of the rows, with aligned columns."""
    names = []
    for column, unit in zip(table.columns, table.units, strict=True):
        names.append(checked(column, "the column name", _COLUMN_NAME) + _unit_suffix(unit))
    cells = [[cell_literal(value, "a table row") for value in row.values] for row in table.rows]
    widths: list[int] = []
    for line in (names, *cells):
        widths += [0] * (len(line) - len(widths))
        widths[: len(line)] = [max(pair) for pair in zip(widths, map(len, line), strict=False)]

    def joined(line: list[str]) -> str:
        return "  ".join(
            f"{cell:<{width}}" if cell.startswith("'") or line is names else f"{cell:>{width}}"
            for cell, width in zip(line, widths, strict=False)
        ).rstrip()

    lines = ["{" + joined(names) + "}"]
    for row, line in zip(table.rows, cells, strict=True):
        if not line:
            raise InputError("a table row without values cannot be written")
        comment = "" if row.comment is None else f"  ${checked(row.comment, 'the comment', _COMMENT_TEXT)}"
        lines.append(" " + joined(line) + comment)
    return lines


def _unit_suffix(unit: str | None) -> str:
    return "" if unit is None else f" <{checked(unit, 'the unit name', _UNIT_NAME)}>"
