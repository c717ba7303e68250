"""``trackrod``: the commands, their errors and their exit codes.

Exit codes: 0 all well, 1 a computation failed or the audit of a vehicle has errors, 2 something the user gave is wrong,
130 interrupted.
"""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import Annotated, ClassVar

import typer

from trackrod import __version__
from trackrod.cli.lazy import LazyGroup
from trackrod.cli.output import errors, print_json
from trackrod.core.errors import InputError, MissingExtraError, TrackrodError

__all__ = ["app", "main"]


class _Commands(LazyGroup):
    """All of them, in the order of the work."""

    places: ClassVar = {
        "tyre": ("tyre", "app"),
        "vehicle": ("vehicle", "app"),
        "vehicles": ("vehicle", "vehicles"),
        "inspect": ("vehicle", "inspect"),
        "kc": ("kc", "kc"),
        "kc-compare": ("kc_compare", "kc_compare"),
        "simulate": ("simulate", "simulate"),
        "manoeuvres": ("simulate", "manoeuvres"),
        "equilibrium": ("simulate", "equilibrium"),
        "realtime": ("realtime", "realtime"),
        "compare": ("compare", "compare"),
        "score": ("score", "score"),
        "validate": ("validate", "validate"),
        "plan": ("plan", "plan"),
        "channels": ("measure", "channels"),
        "measure": ("measure", "measure"),
        "envelope": ("envelope", "envelope"),
        "estimate": ("estimate", "estimate"),
        "single-track": ("single_track", "single_track"),
        "convert": ("convert", "convert"),
        "reduce": ("reduce", "reduce"),
        "export": ("export", "export"),
        "animate": ("animate", "animate"),
    }


app = typer.Typer(
    name="trackrod",
    cls=_Commands,
    help="From a detailed multibody vehicle to a validated real-time model.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"trackrod {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Options that every command shares."""


class _Interrupted(BaseException):
    """Ctrl-C, under a name of its own: the library below would turn a KeyboardInterrupt into an exit of its own."""


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise _Interrupted


def main() -> None:
    """Run the command line; mistakes of the user become one message and exit code 2, never a traceback."""
    signal.signal(signal.SIGINT, _interrupt)
    try:
        app()
    except _Interrupted:
        errors.print("interrupted; no file was left half-written")
        sys.exit(130)
    except TrackrodError as error:
        _report(error)
        sys.exit(2 if isinstance(error, InputError | MissingExtraError) else 1)


def _report(error: TrackrodError) -> None:
    if "--json" in sys.argv:
        problems = (
            [problem.as_dict() for problem in error.problems]
            if isinstance(error, InputError)
            else [{"severity": "error", "text": str(error)}]
        )
        print_json({"error": type(error).__name__, "problems": problems})
    errors.print(str(error), style="bold red", markup=False, highlight=False, soft_wrap=True)
