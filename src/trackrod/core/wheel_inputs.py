"""What assistance systems do at the wheels beside the driver, for any model.

A brake control adds torque to brakes, torque vectoring to half-shafts; an active toe steers wheels against their
carriers; active and semi-active suspensions add forces along dampers and springs. All are zero unless given, hold for
the step that they are given for, and act at once: what an actuator needs to follow its command is the user's to model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.errors import Problem, raise_if_errors
from trackrod.core.layout import WHEEL_INPUTS, Layout
from trackrod.core.quantities import Kind
from trackrod.core.signals import CornerSignal

__all__ = ["WHEEL_COLUMNS", "WHEEL_SIGNALS", "WheelInputs"]

Array = NDArray[np.float64]

#: Where each input lies in a row of them, a column for each wheel.
WHEEL_COLUMNS = Layout(WHEEL_INPUTS)
#: The signal that each input is in a run or in a file.
WHEEL_SIGNALS: Mapping[str, CornerSignal] = MappingProxyType(
    {
        "brake_torque": signals.ADDED_BRAKE_TORQUE,
        "drive_torque": signals.ADDED_DRIVE_TORQUE,
        "steer_offset": signals.STEER_OFFSET,
        "damper_force": signals.ADDED_DAMPER_FORCE,
        "spring_force": signals.ADDED_SPRING_FORCE,
    }
)


@dataclass(frozen=True, slots=True, eq=False)
class WheelInputs:
    """Inputs of each wheel: one number for all, four in the order fl, fr, rl, rr, or four for each step.

    Attributes
    ----------
    brake_torque
        Beside the pedal's [N·m], zero or more. What a brake can hold at most: it resists whichever way the wheel turns,
        and its reaction is that of the brake.
    drive_torque
        Beside the driveline's [N·m], forward positive, through the half-shaft: its reaction is taken where that of the
        driveline is, by the body or by a driven rigid axle. A motor in the wheel would load the carrier instead.
    steer_offset
        Turn of the wheel against its carrier about z of V through the wheel centre [rad], left positive: `steer` grows
        by it, `camber` does not. The actuator has no mass, and the speed of the turn does not count.
    damper_force, spring_force
        Beside the damper's and the spring's own [N], along the line between their ends; positive pushes body and wheel
        apart. Where a wheel has no spring or no damper of its own (leaf springs, torsion bars), the force acts between
        wheel centre and body along z of V.

    Holds: inputs of zero change no bit of a run.
    """

    brake_torque: ArrayLike = 0.0
    drive_torque: ArrayLike = 0.0
    steer_offset: ArrayLike = 0.0
    damper_force: ArrayLike = 0.0
    spring_force: ArrayLike = 0.0

    @classmethod
    def of_rows(cls, rows: Array) -> WheelInputs:
        """Inputs that `rows` made, or whatever was laid out as these."""
        return cls(**{name: rows[:, where] for name, where in WHEEL_COLUMNS.slices.items()})

    def rows(self, steps: int) -> Array:
        """A row for each step, laid out as `WHEEL_COLUMNS`.

        Raises
        ------
        InputError
            An input has another number of wheels or steps, is not finite, or a brake torque is negative; all are named.
        """
        given = {item.name: (np.asarray(getattr(self, item.name), dtype=float), item.kind) for item in WHEEL_INPUTS}
        raise_if_errors(
            problem for name, (values, kind) in given.items() for problem in _problems(name, values, kind, steps)
        )
        rows = np.empty((steps, WHEEL_COLUMNS.size))
        for name, (values, _) in given.items():
            rows[:, WHEEL_COLUMNS[name]] = values
        return rows


def _problems(name: str, values: Array, kind: Kind, steps: int) -> Iterator[Problem]:
    if values.shape not in ((), (len(Corner),), (1, len(Corner)), (steps, len(Corner))):
        yield Problem(
            f"{name} has the shape {values.shape}; one number, four (fl, fr, rl, rr) or shape ({steps}, 4), four for "
            "each step, is needed"
        )
        return
    for wrong, what in (
        (~np.isfinite(values), "not a finite number"),
        ((values < 0) & (name == "brake_torque"), "a brake resists: zero or more is needed"),
    ):
        if wrong.any():
            at = tuple(np.argwhere(wrong)[0])
            step = f" of step {at[0] + 1}" if values.ndim == 2 else ""
            corner = f" of {tuple(Corner)[at[-1]]}" if at else ""
            yield Problem(f"{name}{corner}{step} is {values[at]:g} {kind.unit}: {what}")
            return
