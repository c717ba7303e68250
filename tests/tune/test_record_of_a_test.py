"""The record of a test: what can be tuned with, and what cannot."""

from __future__ import annotations

import numpy as np
import pytest

from trackrod.core.errors import InputError
from trackrod.core.series import Run
from trackrod.manoeuvres.courses import DoubleLaneChange
from trackrod.rtm.script import Script
from trackrod.tune.test import Test


def test_a_driver_who_closes_a_loop_has_no_script() -> None:
    reference = Run({"time_s": [0.0, 0.1]})
    script = Script(20.0, 3, 0.1, np.zeros((100, 5)), lead=10)
    assert Test("step", "a step", "step_steer", reference, script).script is script
    course = Test("course", "a course", "double_lane_change", reference, DoubleLaneChange(), hold_out=True)
    with pytest.raises(InputError, match=r"'course' cannot be used for tuning.*\[hold_out\]"):
        _ = course.script
