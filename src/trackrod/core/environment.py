"""What road and air are like where a vehicle drives: slope, banking, friction and wind over time, for any model.

The frame E of a run lies in the road, so that a slope and a bank turn gravity: this is exact on a road whose slope does
not change. Crests, dips and the twist of a road are heights (`trackrod.manoeuvres.manoeuvre.Road`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from trackrod.core.errors import Problem, raise_if_errors
from trackrod.core.layout import ENVIRONMENT
from trackrod.core.series import Run
from trackrod.core.signals import HEAD_WIND, ROAD_BANK, ROAD_FRICTION, ROAD_SLOPE, Signal

__all__ = ["ENVIRONMENT_SIGNALS", "LEVEL", "Environment"]

Array = NDArray[np.float64]

#: The signal that each of them is in a run or in a file.
ENVIRONMENT_SIGNALS: Mapping[str, Signal] = MappingProxyType(
    {"slope": ROAD_SLOPE, "bank": ROAD_BANK, "friction": ROAD_FRICTION, "head_wind": HEAD_WIND}
)
#: A road that is level and dry, in air that stands still.
LEVEL = tuple(ENVIRONMENT.defaults())
#: Between these a vehicle can be driven [SI].
_ALLOWED = {"slope": (-0.6, 0.6), "bank": (-0.8, 0.8), "friction": (0.02, 3.0), "head_wind": (-60.0, 60.0)}


@dataclass(frozen=True, slots=True, eq=False)
class Environment:
    """Slope, bank, friction and head wind over time.

    Attributes
    ----------
    time
        Since the beginning of the run [s].
    rows
        A row of `ENVIRONMENT` for each.
    names
        Those that are known; the others are as `LEVEL`.
    """

    time: Array
    rows: Array
    names: tuple[str, ...]

    @classmethod
    def of(cls, run: Run) -> Environment | None:
        """Those that a run has columns of, the others as `LEVEL`; None where it has none.

        Raises
        ------
        InputError
            A column has missing samples, or values that no vehicle drives on; all are named.
        """
        given = {name: signal for name, signal in ENVIRONMENT_SIGNALS.items() if signal.column in run}
        if not given:
            return None
        raise_if_errors(problem for name, signal in given.items() for problem in _problems(name, signal, run))
        rows = np.tile(LEVEL, (run.time.size, 1))
        for k, name in enumerate(ENVIRONMENT_SIGNALS):
            if name in given:
                rows[:, k] = run[given[name]]
        return cls(run.time - run.time[0], rows, tuple(given))

    def columns(self, times: Array) -> dict[str, Array]:
        """What a run holds of those that are known, at its times since the beginning [s]."""
        found = dict(zip(ENVIRONMENT_SIGNALS, self.at(times).T, strict=True))
        return {ENVIRONMENT_SIGNALS[name].column: found[name] for name in self.names}

    def at(self, times: Array) -> Array:
        """Rows at times since the beginning [s]; held beyond both ends."""
        return np.column_stack([np.interp(times, self.time, column) for column in self.rows.T])


def _problems(name: str, signal: Signal, run: Run) -> Iterator[Problem]:
    values, (low, high) = run[signal], _ALLOWED[name]
    hint = "leave the column out, and the run is driven without it"
    missing = int((~np.isfinite(values)).sum())
    if missing:
        yield Problem(f"the column '{signal.column}' lacks {missing} of {values.size} samples", hint=hint)
        return
    outside = np.flatnonzero((values < low) | (values > high))
    if outside.size:
        at, unit = int(outside[0]), signal.kind.unit and f" {signal.kind.unit}"
        text = (
            f"'{signal.column}' is {values[at]:g}{unit} at {run.time[at]:g} s; {low:g} to {high:g}{unit} can be driven"
        )
        yield Problem(text, hint="are these degrees or percent?" if signal.kind.unit == "rad" else hint)
