"""What a model is given before a manoeuvre begins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from simulate.test_drive import Point
from trackrod.core import signals
from trackrod.manoeuvres.controls import HoldThrottle, straight_ahead
from trackrod.manoeuvres.ends import After
from trackrod.manoeuvres.manoeuvre import KEEP_GEAR, NEUTRAL, Manoeuvre, Phase, Start
from trackrod.simulate.drive import simulate


class Noting(Point):
    """Keeps everything that it was told; the gear of a run is that of its last controls, 0 in neutral."""

    def __init__(self) -> None:
        self.told: list[np.ndarray] = []
        self.started: list[tuple[float, int | None]] = []
        super().__init__()

    def start(self, speed: float, gear: int | None = None) -> None:
        self.started.append((speed, gear))
        super().start(speed, gear)

    def advance_rows(self, controls: Any, every: int, road_heights: Any = None) -> np.ndarray:
        self.told.append(np.array(controls))
        self.gear = max(int(controls[-1, 3]), 0)
        return super().advance_rows(controls, every, road_heights)


@dataclass(frozen=True, kw_only=True)
class Resting(Manoeuvre):
    name: ClassVar[str] = "resting"
    title: ClassVar[str] = "for tests"
    begin: Start
    gear: int = KEEP_GEAR

    def start(self) -> Start:
        return self.begin

    def phases(self) -> tuple[Phase, ...]:
        return (Phase("rest", straight_ahead, HoldThrottle(), (After(0.5),), gear=self.gear),)

    @classmethod
    def settings(cls) -> tuple[()]:
        return ()

    def __post_init__(self) -> None:
        pass


@pytest.mark.parametrize(("free", "brake"), [(False, 1.0), (True, 0.0)])
def test_a_vehicle_that_stands_is_in_neutral_on_its_brake(free: bool, brake: float) -> None:
    model = Noting()
    run = simulate(model, Resting(begin=Start(0.0, free=free)))
    assert model.started == [(0.0, None)]
    released, first, *others = model.told
    for blind in (released, first):  # controls are released, the first block is taken blind
        assert not blind[:, :3].any()
        assert (blind[:, 3] == NEUTRAL).all()
    settling = others[: -round(0.5 / 0.01)]
    assert len(settling) >= 50  # half a second at least
    assert all((block[:, 2] == brake).all() and (block[:, 3] == NEUTRAL).all() for block in settling)
    assert (run[signals.GEAR] == 0).all()
    assert all((block[:, 3] == NEUTRAL).all() for block in others)  # a gear that is kept is neutral too


def test_a_vehicle_that_rolls_is_in_its_gear() -> None:
    model = Noting()
    simulate(model, Resting(begin=Start(20.0, gear=3)))
    assert model.started == [(20.0, 3)]
    released, *others = model.told
    assert released.shape == (2, 4)
    assert (released[:, 3] == NEUTRAL).all()
    assert all((block[:, 3] == 3).all() for block in others)
    other = Noting()
    simulate(other, Resting(begin=Start(20.0, gear=3), gear=2))
    assert (other.told[-1][:, 3] == 2).all()
    automatic = Noting()
    simulate(automatic, Resting(begin=Start(20.0)))
    assert automatic.started == [(20.0, None)]
