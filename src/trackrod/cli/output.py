"""What commands print: tables for people, JSON for machines, problems on standard error."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable

import typer
from rich.console import Console

from trackrod.core.errors import Problem, Severity

__all__ = ["console", "errors", "exit_with_errors", "print_json", "print_problems"]

#: Text stays as it is written: units in brackets are no markup, and times with colons no pictures.
console = Console(markup=False, emoji=False)
errors = Console(stderr=True, markup=False, emoji=False)

_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "yellow", Severity.NOTE: "dim"}


def print_json(data: object) -> None:
    """Print plain data as JSON on standard output; a number that is not finite becomes null."""
    sys.stdout.write(json.dumps(_finite(data), indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def _finite(data: object) -> object:
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value) for value in data]
    if isinstance(data, float) and not math.isfinite(data):
        return None
    return data


def print_problems(problems: Iterable[Problem]) -> None:
    """Print warnings and notes on standard error."""
    for problem in problems:
        errors.print(str(problem), style=_STYLES[problem.severity], highlight=False, soft_wrap=True)


def exit_with_errors(problems: Iterable[Problem]) -> None:
    """End with exit code 1 where there is an error among problems that have been shown."""
    if any(problem.severity is Severity.ERROR for problem in problems):
        raise typer.Exit(1)
