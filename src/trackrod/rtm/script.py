"""The real-time model under a script: inputs that are known beforehand, driven at once, with exact derivatives.

A tuning drives the same few manoeuvres hundreds of times. What the driver does then stands in a script, step by step;
where he holds a speed, the controller runs in the core, so that the derivatives of a run are those of the closed loop.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from trackrod.core import signals
from trackrod.core.errors import ConvergenceError, InputError
from trackrod.core.files import hash_bytes
from trackrod.core.layout import ENVIRONMENT
from trackrod.core.plain import Plain
from trackrod.core.series import Run
from trackrod.core.wheel_inputs import WHEEL_COLUMNS
from trackrod.rtm.coefficients import PARAMETERS
from trackrod.rtm.compile import compile_model, rolling_start
from trackrod.rtm.motion import RtmMotion, TotalCentre, beyond_maps, brake_line, tyre_columns
from trackrod.rtm.spec import RtmSpec

__all__ = ["Script", "ScriptedVehicle", "Tangent"]

Array = NDArray[np.float64]

#: Time to come to rest [s], and the speed that counts as rest [m/s]: tyres that give way let one with conicity creep.
_SETTLING, _REST = 8.0, 4e-3


@dataclass(frozen=True, slots=True, eq=False)
class Script:
    """What the driver does.

    Attributes
    ----------
    speed
        At the beginning [m/s].
    gear
        At the beginning, from 1.
    throttle
        At the beginning, 0 to 1.
    controls
        A row for each step: steering-wheel angle [rad]; throttle and brake, 0 to 1; gear, 0 if the shift speeds decide
        and −1 for neutral; speed to hold [m/s]. Where the speed is a number, both pedals are the controller's; where
        speed and throttle are not, the throttle stays what it was. Beyond these five, where assistance systems act, a
        row of `WHEEL_COLUMNS`, and behind it, where road and air are given, one of `ENVIRONMENT`.
    lead
        Steps before the run begins at t = 0.
    every
        Steps from one sample of the run to the next.
    guide
        Speed [m/s], yaw rate [rad/s] and roll angle [rad] of each step that a guide pulls the vehicle to; None without.
    metadata
        Of the run.
    """

    speed: float
    gear: int
    throttle: float
    controls: Array
    lead: int
    every: int = 10
    guide: Array | None = None
    metadata: Mapping[str, Plain] = field(default_factory=dict)

    def __post_init__(self) -> None:
        columns = self.controls.shape[1] if self.controls.ndim == 2 else 0
        with_wheels = 5 + WHEEL_COLUMNS.size
        if columns not in (5, with_wheels, with_wheels + ENVIRONMENT.size):
            text = f"the controls of a script have the shape {self.controls.shape}, five columns are needed"
            text += f", {WHEEL_COLUMNS.size} more if assistance systems act at the wheels"
            raise InputError(f"{text}, and {ENVIRONMENT.size} behind these if road and air are given")
        if not self.lead + self.every <= len(self.controls):
            raise InputError(f"a script of {len(self.controls)} steps is too short for a lead of {self.lead} steps")

    @property
    def key(self) -> str:
        """A hash of all that decides what is driven."""
        start = repr((self.speed, self.gear, self.throttle, self.lead, self.every)).encode()
        guide = b"" if self.guide is None else np.ascontiguousarray(self.guide).tobytes()
        return hash_bytes(start + np.ascontiguousarray(self.controls).tobytes() + guide)


@dataclass(frozen=True, slots=True, eq=False)
class Tangent:
    """A run and how it moves with parameters: `along` gives runs near it, exact to first order.

    Attributes
    ----------
    run
        At the point itself.
    rows, slopes
        As the core gives them; the last axis of the slopes is the direction. Where a small change grows without end
        slopes may be of any size, or not be numbers at all.
    """

    run: Run
    rows: Array
    slopes: Array
    _spec: RtmSpec
    _directions: Array

    def along(self, direction: int, amount: float) -> Run:
        """The run on the tangent, so much along a direction."""
        names = [item.name for item in PARAMETERS]
        changed = self._spec.values() + amount * self._directions[direction]
        spec = self._spec.with_parameters(**dict(zip(names, changed.tolist(), strict=True)))
        rows = self.rows + amount * self.slopes[:, :, direction]
        return _run(rows, spec, self.run.metadata)


class ScriptedVehicle:
    """A real-time model that drives scripts.

    Parameters
    ----------
    spec
        What drives; its parameters may be changed by `settle`.
    step
        Of the integration [s].
    """

    def __init__(self, spec: RtmSpec, *, step: float = 1e-3) -> None:
        self.spec = spec
        self.step = step
        self._core = compile_model(spec)
        self._directions = np.zeros((0, len(PARAMETERS)))

    def settle(self, spec: RtmSpec | None = None, directions: Array | None = None) -> None:
        """Let the vehicle come to rest, where every script begins.

        Parameters
        ----------
        spec
            Other parameters of the same model; the maps are not looked at.
        directions
            Directions in the space of the parameters, in which derivatives are wanted, shape (directions, parameters).

        Raises
        ------
        ConvergenceError
            It does not come to rest.
        """
        self.spec = spec or self.spec
        self._directions = np.zeros((0, len(PARAMETERS))) if directions is None else np.ascontiguousarray(directions)
        self._core.set_parameters(self.spec.values())
        left = self._core.settle(self.step, round(_SETTLING / self.step), self._directions, False)
        if not left < _REST:
            raise ConvergenceError(f"'{self.spec.name}' does not come to rest: it still moves with {left:g} m/s")

    def run(self, script: Script, strength: float = 0.0) -> Run:
        """Drive a script from rest, with a guide of a strength from 0 to 1.

        Raises
        ------
        ConvergenceError
            The motion is no longer finite.
        """
        rows, _ = self._drive(script, strength, with_slopes=False)
        return _run(rows, self.spec, self._metadata(script, rows))

    def tangent(self, script: Script, strength: float = 0.0) -> Tangent:
        """As `run`, with the derivatives along the directions of `settle`."""
        rows, slopes = self._drive(script, strength, with_slopes=True)
        slopes = np.moveaxis(np.ascontiguousarray(np.moveaxis(slopes, -1, 0)), 0, -1)  # read direction by direction
        run = _run(rows, self.spec, self._metadata(script, rows))
        return Tangent(run, rows, slopes, self.spec, self._directions)

    def _drive(self, script: Script, strength: float, *, with_slopes: bool) -> tuple[Array, Array]:
        spins, engine, gear = rolling_start(self.spec, script.speed, script.gear or None)
        rows, slopes = self._core.drive(
            self.step,
            script.every,
            script.lead - script.every,  # the sample at t = 0 is the last of the lead
            script.speed,
            spins,
            engine,
            gear,
            script.throttle,
            np.ascontiguousarray(script.controls),
            np.zeros((0, 0)) if script.guide is None else np.ascontiguousarray(script.guide),
            strength,
            with_slopes,
        )
        if not np.isfinite(rows[-1]).all():  # slopes may grow without end where the motion does not
            text = f"'{self.spec.name}': the motion breaks down; is the step of {self.step:g} s too long?"
            raise ConvergenceError(text)
        return rows, slopes

    def _metadata(self, script: Script, rows: Array) -> dict[str, Plain]:
        beyond: list[Plain] = [*beyond_maps(rows, self.spec)]
        own: dict[str, Plain] = {"vehicle": self.spec.name, "model": "rtm", "step_s": self.step, "beyond_maps": beyond}
        return {**script.metadata, **own}


def _run(rows: Array, spec: RtmSpec, metadata: Mapping[str, Plain]) -> Run:
    elastic = spec.steering is not None
    motion = RtmMotion(rows, TotalCentre.of(spec), tyre_columns(spec), brake_line(spec), elastic=elastic)
    columns = motion.columns()
    time = columns[signals.TIME.column]
    columns[signals.TIME.column] = np.round(time - time[0], 9)
    x, y, yaw = (columns[s.column] for s in (signals.X, signals.Y, signals.YAW))
    c, s = np.cos(yaw[0]), np.sin(yaw[0])
    dx, dy = x - x[0], y - y[0]
    columns |= {
        signals.X.column: c * dx + s * dy,
        signals.Y.column: c * dy - s * dx,
        signals.YAW.column: yaw - yaw[0],
    }
    return Run(columns, metadata)
