"""The file of a vehicle that the runtime reads: its variables, and the numbers of its compiled model.

The format stands at the top of ``cpp/fmu/data_file.hpp``.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping, Sequence
from enum import IntEnum

import numpy as np

from trackrod.export.layout import declaration_key
from trackrod.export.variables import Variable

__all__ = ["ModelNumber", "data_file", "model_number", "numbers", "section"]

_VERSION, _BYTE_ORDER, _ALIGNMENT = 1, 0x01020304, 64
_HEAD = struct.Struct("<8sIIQQIIQ16x")
_ENTRY = struct.Struct("<8sQQ")
_VARIABLE = struct.Struct("<IIIIddd")


class ModelNumber(IntEnum):
    """Which model a file holds."""

    RTM = 1
    MULTIBODY = 2
    QUARTER_CAR = 3
    REDUCED_VEHICLE = 4


def data_file(model: ModelNumber, token: str, variables: Sequence[Variable], sections: Mapping[str, bytes]) -> bytes:
    """The bytes of a file.

    Parameters
    ----------
    model
        Which model its sections are of.
    token
        By which the runtime knows that model description and file belong together.
    variables
        Of the vehicle.
    sections
        What the model needs, by names of at most eight letters.
    """
    names = bytearray()
    records = bytearray()
    for variable in variables:
        word = variable.name.encode()
        where = variable.reference, int(variable.type), len(names), len(word)
        records += _VARIABLE.pack(*where, variable.start, variable.low, variable.high)
        names += word
    found = {"token": token.encode(), "vars": bytes(records), "names": bytes(names), **sections}
    begin = _aligned(_HEAD.size + len(found) * _ENTRY.size)
    table, body = bytearray(), bytearray(begin - _HEAD.size - len(found) * _ENTRY.size)
    for name, content in found.items():
        table += _ENTRY.pack(name.encode(), begin, len(content))
        padding = _aligned(len(content)) - len(content)
        body += content + bytes(padding)
        begin += len(content) + padding
    behind = bytes(table + body)
    size, check = _HEAD.size + len(behind), zlib.crc32(behind)
    head = _VERSION, _BYTE_ORDER, size, check, int(model), len(found), declaration_key()
    return _HEAD.pack(b"TRACKROD", *head) + behind


def model_number(content: bytes) -> ModelNumber:
    """Which model a file holds."""
    return ModelNumber(_HEAD.unpack_from(content)[5])


def section(content: bytes, name: str) -> bytes:
    """A section of a file.

    Raises
    ------
    KeyError
        There is none of this name.
    """
    for i in range(_HEAD.unpack_from(content)[6]):
        word, begin, size = _ENTRY.unpack_from(content, _HEAD.size + i * _ENTRY.size)
        if word.rstrip(b"\0") == name.encode():
            return content[begin : begin + size]
    raise KeyError(name)


def numbers(values: Sequence[float] | np.ndarray) -> bytes:
    """Numbers as a section holds them."""
    return np.asarray(values, dtype="<f8").tobytes()


def _aligned(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT
