"""Points of the rig: what it is asked for, and the equilibria that it answers with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trackrod.core.corners import Side
from trackrod.core.errors import InputError, Problem
from trackrod.multibody.compile import CompiledModel

__all__ = ["COLUMNS", "LOADS", "RACK", "SIDES", "TRAVEL", "WIDTH", "Hold", "Inputs", "Load", "Rates", "Solution"]

Array = NDArray[np.float64]

SIDES = (Side.LEFT, Side.RIGHT)


class Load(StrEnum):
    """What a wheel is loaded with; forces and moments are those of the road on the wheel, along the axes of V.

    Longitudinal and lateral forces act at the contact patch or at the wheel centre. The torque of a longitudinal
    force about the spin axis is taken by the brake (`FX`) or by the driveline (`FX_DRIVE`), on the bodies that the
    wheel names for their reactions; it takes no part in `FX_CENTRE`.
    """

    FX = "fx"
    FX_DRIVE = "fx_drive"
    FX_CENTRE = "fx_centre"
    FY = "fy"
    FY_CENTRE = "fy_centre"
    MX = "mx"
    MY = "my"
    MZ = "mz"

    @property
    def is_moment(self) -> bool:
        """Whether it is a moment [N·m]; otherwise a force [N]."""
        return self in (Load.MX, Load.MY, Load.MZ)

    @property
    def direction(self) -> int:
        """0 for x, 1 for y, 2 for z."""
        return "xyz".index(self[1])


class Hold(StrEnum):
    """What the pads keep while wheels are loaded or steered.

    `HEIGHT`: the wheel centres stand where the travel says. `TYRE`: each wheel stands on its tyre, and the travel is
    that of the ground under it; the wheel centre is free, and the wheel load acts at the contact patch. `LOAD`: the
    wheel loads of the design position, at the wheel centres, which are free.
    """

    HEIGHT = "height"
    TYRE = "tyre"
    LOAD = "load"

    @property
    def suffix(self) -> str:
        """What the names of its tests end with."""
        return {Hold.HEIGHT: "", Hold.TYRE: "_on_tyre", Hold.LOAD: "_at_load"}[self]


#: Columns of a point: travel of both wheels, rack, the first load.
TRAVEL, RACK, LOADS = slice(0, 2), 2, 3
WIDTH = LOADS + 2 * len(Load)


@dataclass(frozen=True, slots=True, eq=False)
class Inputs:
    """What the rig is asked for, a row for each point.

    Attributes
    ----------
    table
        Travel left and right [m], rack travel [m], then left and right of each load [N], [N·m].
    """

    table: Array

    @classmethod
    def of(
        cls, travel: ArrayLike = 0.0, rack: ArrayLike = 0.0, loads: Mapping[Load, ArrayLike] | None = None
    ) -> Inputs:
        """Inputs from travel (n, 2), rack travel (n,) and loads (n, 2) each; what is absent is zero.

        Raises
        ------
        InputError
            A value is not finite.
        """
        given = {Load(key): np.asarray(value, dtype=np.float64) for key, value in (loads or {}).items()}
        travel, rack = np.asarray(travel, dtype=np.float64), np.asarray(rack, dtype=np.float64)
        count = max([1, *(len(a) for a in (travel, rack, *given.values()) if a.ndim)])
        table = np.zeros((count, WIDTH))
        table[:, TRAVEL] = travel
        table[:, RACK] = rack
        for load, values in given.items():
            start = LOADS + 2 * list(Load).index(load)
            table[:, start : start + 2] = values
        if not np.isfinite(table).all():
            row, column = np.argwhere(~np.isfinite(table))[0]
            raise InputError(f"point {row + 1} of the rig: {COLUMNS[column]} is {table[row, column]}, not a number")
        table.setflags(write=False)
        return cls(table)

    @property
    def travel(self) -> Array:
        """Travel of the left and the right wheel, shape (n, 2) [m]."""
        return self.table[:, TRAVEL]

    @property
    def rack(self) -> Array:
        """Rack travel, positive to the left [m]."""
        return self.table[:, RACK]

    def load(self, load: Load) -> Array:
        """A load on the left and the right wheel, shape (n, 2) [N], [N·m]."""
        start = LOADS + 2 * list(Load).index(load)
        return self.table[:, start : start + 2]

    def __len__(self) -> int:
        return len(self.table)


COLUMNS = ("travel_left", "travel_right", "rack_travel", *(f"{load}_{side}" for load in Load for side in SIDES))


@dataclass(frozen=True, slots=True, eq=False)
class Rates:
    """Neighbouring equilibria, `DIFFERENCE` to either side of every point, in three directions.

    Attributes
    ----------
    parallel, opposite, rack
        Solutions (ahead, behind) with both wheels higher, the left higher and the right lower, the rack farther left;
        `rack` is None on an axle without one.
    """

    parallel: tuple[Solution, Solution]
    opposite: tuple[Solution, Solution]
    rack: tuple[Solution, Solution] | None


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """Equilibria of the rig, a row for each point; rows that were not reached are not a number.

    Attributes
    ----------
    inputs
        What was asked for.
    poses
        Of all bodies, shape (n, bodies, 7): centre of mass in V [m], quaternion w, x, y, z.
    forces
        Of all drives, shape (n, drives) [N].
    lengths
        Of all lines, shape (n, lines) [m].
    solved
        Whether a point was reached.
    problems
        Why points were not reached.
    rates
        Neighbouring equilibria, if they were asked for.
    """

    inputs: Inputs
    poses: Array
    forces: Array
    lengths: Array
    solved: NDArray[np.bool_]
    problems: tuple[Problem, ...] = ()
    rates: Rates | None = None

    @classmethod
    def unsolved(cls, inputs: Inputs, model: CompiledModel) -> Solution:
        """A solution to be filled in."""
        n = len(inputs)
        poses = np.full((n, model.core.body_count, 7), np.nan)
        lengths = np.full((n, len(model.core.line_lengths())), np.nan)
        return cls(inputs, poses, np.full((n, len(model.drives)), np.nan), lengths, np.zeros(n, dtype=bool))
