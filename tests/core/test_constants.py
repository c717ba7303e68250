"""Constants of laws: the compiled core has those of the declaration."""

from __future__ import annotations

import pytest

from trackrod import _core
from trackrod.core.constants import CONSTANTS, constant


def test_the_core_was_built_with_the_constants_declared() -> None:
    assert _core.constants() == {item.name: item.value for item in CONSTANTS}


def test_a_constant_has_one_declaration() -> None:
    names = [item.name for item in CONSTANTS]
    assert len(set(names)) == len(names)
    assert constant("governor") == next(item.value for item in CONSTANTS if item.name == "governor")
    with pytest.raises(KeyError):
        constant("no_such_constant")
