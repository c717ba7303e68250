"""``trackrod``: the commands, their errors and their exit codes.

Exit codes: 0 all well; 1 a computation failed, or what was asked has the answer no: the audit of a vehicle has errors
(`inspect`, `kc`), two vehicles differ (`vehicle diff`), a model is not valid (`validate`), an FMU does not pass
(`export --check`), a run is another one than before (`campaign replay`); 2 something that was given is wrong, a file
cannot be written, or a package is missing; 130 interrupted.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import warnings
from types import FrameType
from typing import Annotated, Any, ClassVar

import typer

from trackrod import __version__
from trackrod.cli.lazy import LazyGroup
from trackrod.cli.output import errors, print_json, print_problems
from trackrod.core.errors import CacheWarning, InputError, MissingExtraError, Problem, Severity, TrackrodError

__all__ = ["COMMANDS", "app", "main"]


#: Every command in the order of the work: its module beside this one, and the function or application in it.
COMMANDS = {
    "tyre": ("tyre", "app"),
    "vehicle": ("vehicle", "app"),
    "vehicles": ("vehicles", "vehicles"),
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
    "campaign": ("campaign", "app"),
    "animate": ("animate", "animate"),
    "gui": ("gui", "gui"),
}


class _Commands(LazyGroup):
    places: ClassVar = COMMANDS


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
    if os.environ.get("TRACKROD_INSTRUCTIONS"):  # seldom: the core is loaded for it
        from trackrod.core.instructions import require_known  # noqa: PLC0415

        require_known()


class _Interrupted(BaseException):
    """Ctrl-C, under a name of its own: the library below would turn a KeyboardInterrupt into an exit of its own."""


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise _Interrupted


def main() -> None:
    """Run the command line; mistakes of the user become one message and exit code 2, never a traceback."""
    before = signal.signal(signal.SIGINT, _interrupt)
    _show_warnings()
    try:
        try:
            app()
        finally:
            signal.signal(signal.SIGINT, before)
            sys.stdout.flush()
    except _Interrupted:
        errors.print("interrupted; no file was left half-written")
        sys.exit(130)
    except TrackrodError as error:
        _report(error)
        sys.exit(2 if isinstance(error, InputError | MissingExtraError) else 1)
    except BrokenPipeError:  # whoever read has seen enough
        _leave_output()
        sys.exit(1)
    except OSError as error:
        _leave_output()
        where = f"{error.filename}: " if error.filename else "what was found cannot be printed: "
        with contextlib.suppress(OSError):
            _report(InputError(f"{where}{error.strerror or error}"))
        sys.exit(2)


def _leave_output() -> None:
    """Nothing more is written to standard output, which takes nothing: Python would try once more when it ends."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show_warnings() -> None:
    """A cache that cannot be used is said in a line, as are problems of files."""
    usual = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *where: Any) -> None:
        if issubclass(category, CacheWarning):
            print_problems([Problem(str(message), severity=Severity.WARNING)])
        else:
            usual(message, category, *where)

    warnings.showwarning = show  # type: ignore[assignment]


def _report(error: TrackrodError) -> None:
    if "--json" in sys.argv:
        problems = (
            [problem.as_dict() for problem in error.problems]
            if isinstance(error, InputError)
            else [{"severity": "error", "text": str(error)}]
        )
        print_json({"error": type(error).__name__, "problems": problems})
    errors.print(str(error), style="bold red", markup=False, highlight=False, soft_wrap=True)
