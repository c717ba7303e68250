"""Adams/Car templates in ASCII: the topology of a subsystem.

A template says which parts there are, where they are joined and where springs, dampers and bushings act; the
subsystem file gives hardpoints, parameters and property files. The file is a TeimOrbit header followed by Adams/View
commands: first every object with plain numbers, then expressions that tie locations and orientations to the
hardpoints. The expressions win; where one cannot be evaluated the plain number stands, and a warning says so.

The records are described in ``trackrod.adams.template``.

Limits: binary templates are recognised, not read. Flexible bodies, macros and requests are not interpreted; what was
not interpreted is kept in `Template.uninterpreted` and counted in a note. Read and compared with a real file:
``suspension`` with joints, springs, dampers and bumpstops; bushings and rebound stops have no real file yet.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trackrod.adams import command_language as cl
from trackrod.adams.template import Template
from trackrod.adams.template_builder import MOST_PROBLEMS, build_template, scaled
from trackrod.adams.template_source import Setting, Source
from trackrod.core import teimorbit
from trackrod.core.errors import (
    FileFormatError,
    Place,
    Problem,
    UnknownNameError,
    raise_if_errors,
)
from trackrod.core.files import read_bytes
from trackrod.core.teimorbit.messages import raise_shortened

__all__ = ["evaluate", "is_binary", "parse_template", "read_template"]

Array = NDArray[np.float64]

_START_BYTES = 4096  # a text has no zero among them
_MOST_BYTES = 16 * 2**20  # the largest known has two megabytes; a megabyte takes about a second


def is_binary(path: Path | str) -> bool:
    """Whether a template is the binary dump of an Adams database, of which at most the header can be read."""
    try:
        return _header_is_binary(teimorbit.read_header(path))
    except FileFormatError:
        with Path(path).open("rb") as stream:
            if b"\0" in stream.read(_START_BYTES):
                return True
        raise


def read_template(path: Path | str) -> Template:
    """Read an ASCII template.

    Raises
    ------
    MissingFileError
        The file does not exist.
    FileFormatError
        It is binary or no template, or something in it is wrong; all problems are named.
    """
    path = Path(path)
    if is_binary(path):
        hint = "open it in Adams/Car in template-builder mode and save it in the format ASCII"
        raise FileFormatError(Problem("the template is binary and can be read by Adams only", Place(path), hint=hint))
    header = teimorbit.read_header(path)
    data = read_bytes(path, _MOST_BYTES)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    skipped = len(_lines(header.text().rstrip("\r\n")))
    return parse_template("\n".join(_lines(text)[skipped:]), header, first_line=skipped + 1)


def parse_template(commands: str, header: teimorbit.Document, first_line: int = 1) -> Template:
    """The template that a header and a text of Adams/View commands describe."""
    source = Source(header)
    for command in cl.parse_commands(commands, header.file, first_line):
        source.read(command)
        if len(source.problems) >= MOST_PROBLEMS:
            break
    raise_shortened(source.problems)
    return build_template(source, {}, {})


def evaluate(
    template: Template,
    hardpoints: Mapping[str, ArrayLike],
    parameters: Mapping[str, Setting] | None = None,
    *,
    as_subsystem: bool = True,
) -> Template:
    """The template with the hardpoints and parameters of a subsystem; everything that depends on them moves.

    Parameters
    ----------
    template
        What was read.
    hardpoints
        Positions in Adams axes, shape (3,) [m], by id (``hpl_lca_front``) without regard to case. Hardpoints that
        are not given keep the positions of the template.
    parameters
        Values in SI units by id (``pvl_toe_angle``, ``phs_kinematic_flag``).
    as_subsystem
        Groups are switched as in a subsystem; in the template itself Adams keeps all of them active.

    Raises
    ------
    InputError
        A name that the template does not have, a position that is not three finite numbers.
    """
    source = template.source
    locations: dict[str, Array] = {}
    values: dict[str, Setting] = {}
    problems: list[Problem] = []
    known = {key.rpartition(".")[2]: key for key in source.points}
    for name, position in hardpoints.items():
        vector = np.asarray(position, dtype=float)
        if name.casefold() not in known:
            problems += UnknownNameError("hardpoint", name, known).problems
        elif vector.shape != (3,) or not np.all(np.isfinite(vector)):
            problems.append(Problem(f"the hardpoint '{name}' must be three finite numbers"))
        else:
            locations[known[name.casefold()]] = vector / source.units.length
    declared = {parameter.id.casefold(): parameter for parameter in template.parameters}
    for name, value in (parameters or {}).items():
        parameter = declared.get(name.casefold())
        if parameter is None:
            problems += UnknownNameError("parameter", name, declared).problems
        else:
            values[name.casefold()] = scaled(value, 1 / source.factor(parameter.unit_kind))
    raise_if_errors(problems)
    if as_subsystem:
        values["model_class"] = "subsystem"
    return build_template(source, locations, values)


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _header_is_binary(header: teimorbit.Document) -> bool:
    form = header.get("MDI_HEADER", "FILE_FORMAT")
    return form is not None and form.string().strip().casefold() == "binary"
