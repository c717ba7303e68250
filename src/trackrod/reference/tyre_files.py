"""Tyres of a reference: property files, those of CarMaker with a Magic Formula; tables are recognised and refused."""

from __future__ import annotations

from pathlib import Path

from trackrod.core import teimorbit
from trackrod.core.errors import FileFormatError, Place, Problem
from trackrod.core.files import require_file
from trackrod.core.infofile import InfoFile, read_infofile
from trackrod.core.teimorbit.literals import number_or_word
from trackrod.core.teimorbit.messages import shown
from trackrod.tyre.properties import TyreProperties
from trackrod.tyre.tir import parse_tir, read_tir
from trackrod.tyre.tydex import read_tydex

__all__ = ["read_tyre"]

#: Blocks of a property file by the first word of a key of CarMaker.
_BLOCKS = {
    "MDI_Header": "MDI_HEADER",
    "Units": "UNITS",
    "Model": "MODEL",
    "Dim": "DIMENSION",
    "Operating": "OPERATING_CONDITIONS",
    "Vertical": "VERTICAL",
    "Structural": "STRUCTURAL",
    "Range": "VERTICAL_FORCE_RANGE",
    "Scale": "SCALING_COEFFICIENTS",
    "Long": "LONGITUDINAL_COEFFICIENTS",
    "OverTurn": "OVERTURNING_COEFFICIENTS",
    "Lat": "LATERAL_COEFFICIENTS",
    "Roll": "ROLLING_COEFFICIENTS",
    "Align": "ALIGNING_COEFFICIENTS",
}


def read_tyre(path: Path) -> TyreProperties:
    """A tyre from a file of any kind that is known.

    Raises
    ------
    MissingFileError, FileFormatError, UnitError
        There is no such file, it is of a kind without a Magic Formula, or something in it is wrong.
    """
    with require_file(path).open("rb") as stream:
        start = stream.read(4096)
    if b"**HEADER" in start:
        tables = read_tydex(path).tables
        text = "this is tyre measurements as tables (TYDEX), not a tyre property file"
        what = " and ".join(f"{', '.join(table.channels)}" for table in tables)
        points = sum(table.points for table in tables)
        hint = f"`trackrod tyre fit` makes a property file of them; the file has {points} points of {shown(what)}"
        raise FileFormatError(Problem(text, Place(path), hint=hint))
    if b"FileIdent" in start and b"CarMaker" in start:
        return _magic_formula(read_infofile(path))
    return read_tir(path)


def _magic_formula(info: InfoFile) -> TyreProperties:
    """The same coefficients under the keys of CarMaker."""
    ident = info.text("FileIdent")
    if "Tire-MF" not in ident:
        text = f"this tyre is '{shown(ident)}', which has no Magic Formula"
        text += "; fitting a Magic Formula to its forces comes with a later release"
        hint = "until then a .tir file is needed"
        raise FileFormatError(Problem(text, info.place("FileIdent"), hint=hint))
    blocks: dict[str, list[teimorbit.Attribute]] = {}
    for key in info.keys():  # noqa: SIM118 - it is no mapping
        first, _, name = key.partition(".")
        if first in _BLOCKS and name and info.text(key):
            raw = info.text(key)
            attribute = teimorbit.Attribute(name, number_or_word(raw), raw=raw, place=info.place(key))
            blocks.setdefault(_BLOCKS[first], []).append(attribute)
    side = info.text("Side")
    if side:
        attribute = teimorbit.Attribute("TYRESIDE", side.upper(), raw=side, place=info.place("Side"))
        blocks.setdefault("MODEL", []).append(attribute)
    made = tuple(
        teimorbit.Block(name, tuple(attributes), place=Place(info.path)) for name, attributes in blocks.items()
    )
    return parse_tir(teimorbit.Document((), made, file=info.path))
