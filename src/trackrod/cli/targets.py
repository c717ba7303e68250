"""Where commands write: options whose place is tried before anything is read or computed.

A mistyped folder, a file where a folder is needed or a full disk is said at once, not after an hour of work; nothing is
left behind by the trial.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from trackrod.core.files import try_file, try_folder

__all__ = ["file_option", "folder_option", "tried_file", "tried_folder"]


def tried_file(path: Path | None) -> Path | None:
    """The name of a file to write, which can be; InputError otherwise."""
    if path is not None:
        try_file(path)
    return path


def tried_folder(path: Path | None) -> Path | None:
    """A folder for results, which can be written into or made; InputError otherwise."""
    if path is not None:
        try_folder(path)
    return path


def file_option(*names: str, **settings: Any) -> Any:
    """An option that names a file to write."""
    return typer.Option(*names, callback=tried_file, **settings)


def folder_option(*names: str, **settings: Any) -> Any:
    """An option that names a folder for results."""
    return typer.Option(*names, callback=tried_folder, **settings)
