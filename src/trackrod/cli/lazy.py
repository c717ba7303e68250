"""Commands that are imported when they are called: ``trackrod --help`` needs none of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import typer
from rich.markup import escape
from typer.core import TyperCommand, TyperGroup

__all__ = ["LazyGroup"]


class LazyGroup(TyperGroup):
    """A group whose commands are functions, or groups of commands, of modules beside this one.

    Attributes
    ----------
    places
        Module and name in it, by the name of the command: a function, or an application.
    """

    places: ClassVar[Mapping[str, tuple[str, str]]] = {}

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = dict.fromkeys(self.places)  # type: ignore[assignment]
        self._listing = False

    def list_commands(self, ctx: Any) -> list[str]:
        """Their names, in the order of the table."""
        del ctx
        return list(self.places)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command, imported now; None where there is no such command."""
        if cmd_name not in self.places:
            return None
        if self._listing:
            return TyperCommand(name=cmd_name, help=_summary(*self.places[cmd_name]))
        if self.commands[cmd_name] is None:
            self.commands[cmd_name] = _load(cmd_name, *self.places[cmd_name])
        return self.commands[cmd_name]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The page of the group, from the sources of its commands."""
        self._listing = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._listing = False


def _load(name: str, module: str, inside: str) -> Any:
    found = getattr(import_module(f"{__package__}.{module}"), inside)
    if not isinstance(found, typer.Typer):
        alone = typer.Typer(add_completion=False)
        alone.command(name)(found)
        found = alone
    command = typer.main.get_command(found)
    command.name = name
    _keep_brackets(command)
    return command


def _keep_brackets(command: Any) -> None:
    """Help is printed as it is written: units in brackets are no markup."""
    for told in (command, *command.params):
        told.help = escape(told.help) if getattr(told, "help", None) else None
    for inner in getattr(command, "commands", {}).values():
        _keep_brackets(inner)


def _summary(module: str, inside: str) -> str:
    """The first paragraph of the text of a function, or the text of an application, read off the source."""
    tree = ast.parse(Path(__file__).with_name(f"{module}.py").read_text(encoding="utf-8"))
    text = next(text for name, text in _texts(tree) if name == inside)
    return text.split("\n\n")[0]


def _texts(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, ast.get_docstring(node) or ""
        elif (
            isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and isinstance(node.targets[0], ast.Name)
        ):
            helps = [keyword.value for keyword in node.value.keywords if keyword.arg == "help"]
            yield node.targets[0].id, "".join(str(each.value) for each in helps if isinstance(each, ast.Constant))
