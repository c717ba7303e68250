"""``trackrod gui``: the workbench, a web face of the same commands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["gui"]


def gui(
    workspace: Annotated[Path, typer.Option(help="Folder of studies and uploads; made if it is not there.")] = Path(
        "trackrod_workspace"
    ),
    port: Annotated[int, typer.Option(help="Port to listen on.", min=1, max=65535)] = 8123,
    host: Annotated[
        str, typer.Option(help="Address to listen on; any but this machine's own needs a token.")
    ] = "127.0.0.1",
    token: Annotated[str | None, typer.Option(help="What a browser must know; made up where it is needed.")] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open a browser.")] = False,
) -> None:
    """Open the workbench in a browser: vehicles, K&C, conversion, manoeuvres, tuning, validation, reports."""
    from trackrod.web.app import serve  # noqa: PLC0415 - optional package

    serve(workspace, host=host, port=port, browser=not no_browser, token=token)
