"""Load cases and driver controls: what they refuse, and that they cannot be changed."""

from __future__ import annotations

import numpy as np
import pytest

from trackrod.core.errors import RangeError
from trackrod.vehicle.experiments import Control, LoadCase, SteeringMode, VerticalMode


def test_load_case_names_all_columns_of_the_wrong_shape() -> None:
    two = np.zeros((3, 2))
    case = LoadCase(SteeringMode.ANGLE, VerticalMode.LENGTH, two, two, two, two, two, np.zeros(3))
    assert not case.vertical.flags.writeable
    with pytest.raises(RangeError) as raised:
        LoadCase(SteeringMode.ANGLE, VerticalMode.LENGTH, two[:2], two, two, two[:, :1], two, np.zeros(3))
    assert [problem.text.split()[0] for problem in raised.value.problems] == ["vertical", "brake_force"]
    with pytest.raises(RangeError, match="at least one step"):
        LoadCase(SteeringMode.ANGLE, VerticalMode.LENGTH, *(np.zeros((0, 2)),) * 5, np.zeros(0))  # type: ignore[arg-type]


def test_a_control_cannot_be_changed() -> None:
    given_attributes = {"METHOD": "OPEN"}
    control = Control("STEERING", given_attributes)
    given_attributes["METHOD"] = "MACHINE"
    assert control.attributes["METHOD"] == "OPEN"
    with pytest.raises(TypeError):
        control.attributes["METHOD"] = "MACHINE"  # type: ignore[index]
    assert isinstance(hash(control), int)
