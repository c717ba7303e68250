"""The picture of a vehicle that travels with its FMU: from above, to scale, as PNG."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from trackrod.vehicle.elements import Vector

__all__ = ["SIZE", "picture"]

#: Width and height [pixel].
SIZE = (240, 160)
_PAPER, _BODY, _AXLE, _TYRE = (255, 255, 255), (205, 220, 235), (90, 110, 130), (35, 40, 45)
#: Of the wheelbase: what the body reaches beyond the axles and beside the wheels, and half of a tyre, along and across.
_OVERHANG, _SIDE, _TYRE_LENGTH, _TYRE_WIDTH = 0.28, 0.04, 0.11, 0.035


def picture(centres: Sequence[Vector]) -> bytes:
    """A PNG of body, axles and wheels, the front to the right.

    Parameters
    ----------
    centres
        Of the wheels fl, fr, rl, rr in V [m].
    """
    places = np.array([centre[:2] for centre in centres])
    front, rear = places[:2].mean(axis=0), places[2:].mean(axis=0)
    base = float(front[0] - rear[0])
    scale = SIZE[0] / (base * (1 + 2 * _OVERHANG + 0.12))
    middle = (front + rear) / 2
    x = (np.arange(SIZE[0]) + 0.5 - SIZE[0] / 2) / scale + middle[0]
    y = (SIZE[1] / 2 - np.arange(SIZE[1]) - 0.5) / scale + middle[1]
    image = np.empty((SIZE[1], SIZE[0], 3), dtype=np.uint8)
    image[:] = _PAPER

    def fill(low: Sequence[float], high: Sequence[float], colour: tuple[int, int, int]) -> None:
        inside = ((y >= low[1]) & (y <= high[1]))[:, None] & ((x >= low[0]) & (x <= high[0]))[None, :]
        image[inside] = colour

    half = float(np.ptp(places[:, 1])) / 2 + base * _SIDE
    fill((rear[0] - base * _OVERHANG, middle[1] - half), (front[0] + base * _OVERHANG, middle[1] + half), _BODY)
    thin = 1.5 / scale
    fill((rear[0], middle[1] - thin), (front[0], middle[1] + thin), _AXLE)
    for pair in (places[:2], places[2:]):
        fill((pair[:, 0].mean() - thin, pair[:, 1].min()), (pair[:, 0].mean() + thin, pair[:, 1].max()), _AXLE)
    for place in places:
        reach = base * np.array([_TYRE_LENGTH, _TYRE_WIDTH])
        fill(place - reach, place + reach, _TYRE)
    return _png(image)


def _png(image: NDArray[np.uint8]) -> bytes:
    """Rows of pixels (height, width, 3) as a file."""
    height, width, _ = image.shape
    rows = b"".join(b"\0" + row.tobytes() for row in image)  # no filter

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits of red, green and blue
    parts = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts
