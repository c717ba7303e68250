"""Tyre property files of the bundled vehicles: samples of `trackrod.tyre` in other sizes and pressures."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from tools.bundle.sheet import Tyre

from trackrod.core import teimorbit
from trackrod.tyre.model import Tyre as TyreModel
from trackrod.tyre.samples import SAMPLES
from trackrod.tyre.tir import parse_tir

__all__ = ["G", "loaded_radius", "tyre_text", "vertical_stiffness"]

#: Acceleration of gravity [m/s²].
G = 9.80665


def tyre_text(tyre: Tyre) -> str:
    """The property file: the sample with the numbers of the data sheet."""
    document = teimorbit.read(SAMPLES[tyre.sample])
    for (block, name), value in tyre.values.items():
        document = document.with_value(block, name, value)
    # Changed values are of other lengths: compose once more, with aligned columns, and say what it is.
    title = f"{tyre.size}, engineering estimates for the class"
    header, *others = document.blocks
    comments = teimorbit.SubBlock(
        "COMMENTS", tables=(teimorbit.Table(("comment_string",), (teimorbit.Row((title,)),)),)
    )
    header = teimorbit.Block(header.name, header.attributes, subblocks=(comments,))
    return teimorbit.compose([header, *others])


@cache
def _model(text: str) -> TyreModel:
    return TyreModel(parse_tir(teimorbit.parse(text, Path("tyre.tir"))))


def loaded_radius(tyre: Tyre, load: float) -> float:
    """Distance of the wheel centre from the road at rest under a load [N], in mm."""
    return 1000.0 * float(_model(tyre_text(tyre)).loaded_radius(load))


def vertical_stiffness(tyre: Tyre, load: float) -> float:
    """Vertical stiffness at rest about a load [N], in N/mm."""
    model = _model(tyre_text(tyre))
    return 20.0 / (1000.0 * float(model.deflection(load + 10.0) - model.deflection(load - 10.0)))
