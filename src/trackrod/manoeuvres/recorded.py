"""Inputs of a driver from a file of a run."""

# ruff: noqa: RUF009 - `setting` declares a field

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from trackrod.core import signals
from trackrod.core.environment import Environment
from trackrod.core.errors import InputError, Place, Problem
from trackrod.core.run_files import read_run
from trackrod.core.series import Run
from trackrod.core.signals import Signal
from trackrod.core.wheel_inputs import WHEEL_SIGNALS, WheelInputs
from trackrod.manoeuvres.controls import AssistBy, HoldSpeed, Pedals, SteerBy
from trackrod.manoeuvres.ends import After
from trackrod.manoeuvres.manoeuvre import AUTOMATIC, KEEP_GEAR, Manoeuvre, PedalLaw, Phase, Start
from trackrod.manoeuvres.settings import setting

__all__ = ["Recorded", "RecordedPedals"]

Array = NDArray[np.float64]


class RecordedPedals(StrEnum):
    """Where the pedals come from: the file, or a controller that holds the first speed of the file."""

    FILE = "file"
    SPEED = "speed"


@dataclass(frozen=True, kw_only=True)
class Recorded(Manoeuvre):
    """Steering and pedals of a recorded run, driven again, with what assistance systems did at the wheels.

    The file needs ``time_s``, ``steering_wheel_angle_rad`` and ``vx_mps`` (its first value is the speed at the
    beginning), and ``throttle`` and ``brake`` unless the speed is to be held. Inputs of the wheels are those that the
    file has (``added_brake_torque_fl_Nm`` …), the others are zero; so are slope, bank, friction and wind of the road
    (``road_slope_rad``, ``road_bank_rad``, ``road_friction``, ``head_wind_mps``). Missing samples are refused.
    """

    name: ClassVar[str] = "recorded"
    title: ClassVar[str] = "Recorded inputs of a driver"
    serves: ClassVar[tuple[str, ...]] = ("comparison with a measured run",)

    file: str = setting("", "run with the inputs (.csv, .parquet, .mat, .mf4)")
    pedals: RecordedPedals = setting(RecordedPedals.FILE, "where the pedals come from")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.file:
            raise InputError(Problem("'file' is needed: the run whose inputs are to be driven", hint="--set file=PATH"))
        needed = [signals.STEERING_WHEEL_ANGLE, signals.VX]
        needed += [signals.THROTTLE, signals.BRAKE] if self.pedals is RecordedPedals.FILE else []
        problems = []
        for signal in needed:
            if signal.column not in self._run:
                problems.append(Problem(f"the column '{signal.column}' is missing", Place(Path(self.file))))
            elif not np.isfinite(self._run[signal]).all():
                problems.append(Problem(f"the column '{signal.column}' has missing samples", Place(Path(self.file))))
        if problems:
            raise InputError(problems)
        try:
            self._wheel_inputs(self._run.time - self._run.time[0]).rows(self._run.time.size)
            self.environment()
        except InputError as error:
            raise InputError([replace(problem, place=Place(Path(self.file))) for problem in error.problems]) from None

    @cached_property
    def _run(self) -> Run:
        return read_run(self.file)

    def _wheel_inputs(self, times: Array) -> WheelInputs:
        """What assistance systems did, at times since the beginning [s]."""
        run = self._run
        given = {
            name: np.column_stack(
                [
                    np.interp(times, run.time - run.time[0], run[signal]) if signal.column in run else 0.0 * times
                    for signal in family.signals
                ]
            )
            for name, family in WHEEL_SIGNALS.items()
        }
        return WheelInputs(**given)

    def assistance(self) -> AssistBy | None:
        """Of the whole file; None where it has none."""
        known = [signal.column for family in WHEEL_SIGNALS.values() for signal in family.signals]
        return AssistBy(self._wheel_inputs) if any(column in self._run for column in known) else None

    def environment(self) -> Environment | None:
        """Those that the file has columns of."""
        return Environment.of(self._run)

    def start(self) -> Start:
        """Straight ahead at the first speed of the file; on its road with its first steering-wheel angle."""
        steering = 0.0 if self.environment() is None else float(self._run[signals.STEERING_WHEEL_ANGLE][0])
        return Start(max(float(self._run[signals.VX][0]), 0.0), steering=steering)

    def phases(self) -> tuple[Phase, ...]:
        """The whole file."""
        run = self._run
        time = run.time - run.time[0]

        def of(signal: Signal) -> Array:
            return run[signal]

        steering, throttle, brake = signals.STEERING_WHEEL_ANGLE, signals.THROTTLE, signals.BRAKE
        from_file = self.pedals is RecordedPedals.FILE
        pedals: PedalLaw = HoldSpeed(float(of(signals.VX)[0]))
        if from_file:
            pedals = Pedals(
                lambda t: np.clip(np.interp(t, time, of(throttle)), 0.0, 1.0),
                lambda t: np.clip(np.interp(t, time, of(brake)), 0.0, 1.0),
            )
        law = SteerBy(lambda t: np.interp(t, time, of(steering)))
        gear = AUTOMATIC if from_file else KEEP_GEAR
        return (Phase("recorded", law, pedals, (After(float(time[-1])),), float(time[-1]) + 1.0, gear),)
