"""Spring property files (.spr) that Adams/Car and Trackrod read, in mm and N."""

from __future__ import annotations

from pathlib import Path

from trackrod.core.files import write_atomically
from trackrod.core.teimorbit import Attribute, Block, Row, SubBlock, Table, compose
from trackrod.vehicle.characteristics import SpringCharacteristic

__all__ = ["write_spring"]

_UNITS = {"LENGTH": "mm", "FORCE": "newton", "ANGLE": "deg", "MASS": "kg", "TIME": "sec"}


def write_spring(characteristic: SpringCharacteristic, path: Path, title: str) -> None:
    """Write a spring as a property file; folders are made."""
    remarks = SubBlock("COMMENTS", tables=(Table(("comment_string",), (Row((title,)),)),))
    header = (("FILE_TYPE", "spr"), ("FILE_VERSION", 4.0), ("FILE_FORMAT", "ASCII"))
    curve = characteristic.curve
    rows = tuple(Row((round(1e3 * x, 4), round(y, 2))) for x, y in zip(curve.x.tolist(), curve.y.tolist(), strict=True))
    free = Attribute("FREE_LENGTH", round(1e3 * characteristic.free_length, 4))
    blocks = [
        Block("MDI_HEADER", tuple(Attribute(*one) for one in header), subblocks=(remarks,)),
        Block("UNITS", tuple(Attribute(*one) for one in _UNITS.items())),
        Block("SPRING_DATA", (free,)),
        Block("CURVE", tables=(Table(("disp", "force"), rows),)),
    ]
    write_atomically(path, compose(blocks), make_parents=True)
