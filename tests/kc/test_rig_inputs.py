"""Points that the rig is asked for: a table that nobody changes behind the rig's back."""

from __future__ import annotations

import numpy as np
import pytest

from trackrod.kc.points import Inputs, Load


def test_the_table_cannot_be_changed() -> None:
    inputs = Inputs.of(np.zeros((2, 2)), [0.0, 0.02], {Load.FY: np.full((2, 2), 100.0)})
    for column in (inputs.table, inputs.travel, inputs.rack, inputs.load(Load.FY)):
        assert not column.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        inputs.rack[0] = 0.0


def test_travel_rack_and_loads_stand_in_their_own_columns() -> None:
    loads = {load: np.array([[10.0 * i + 1.0, 10.0 * i + 2.0]] * 3) for i, load in enumerate(Load)}
    inputs = Inputs.of([[0.01, 0.02]] * 3, [0.001, 0.002, 0.003], loads)
    assert len(inputs) == 3
    assert inputs.travel.tolist() == [[0.01, 0.02]] * 3
    assert inputs.rack.tolist() == [0.001, 0.002, 0.003]
    for i, load in enumerate(Load):
        assert inputs.load(load).tolist() == [[10.0 * i + 1.0, 10.0 * i + 2.0]] * 3
    assert inputs.table.size == 3 * (3 + 2 * len(Load))
