"""The rig: equilibrium of one axle under imposed wheel heights, rack travel and loads on its wheels.

The body stands still. Pads hold the height of the wheel centres, or stand under the tyres, or push with the wheel
load of the design position (`Hold`); they leave the wheels free in every other direction. The
drives of the model have a stiffness; the rig adds what they yield to their targets, so that travel is what was asked.
Loads follow their points: the contact patch moves with the wheel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trackrod.core.corners import Axle, Corner
from trackrod.core.errors import InputError, Problem
from trackrod.kc.orientation import design_frame
from trackrod.kc.points import COLUMNS, LOADS, RACK, SIDES, TRAVEL, WIDTH, Hold, Inputs, Load, Rates, Solution
from trackrod.multibody.compile import DRIVE_STIFFNESS, compile_axle
from trackrod.multibody.mechanism import find_wrong_mechanism, listed, wrong_mechanism
from trackrod.tyre.model import Tyre
from trackrod.vehicle.connectors import Beam, Spring, TorsionSpring
from trackrod.vehicle.systems import Wheel
from trackrod.vehicle.vehicle import Vehicle, subsystem_of

__all__ = ["DIFFERENCE", "FARTHEST", "Rig", "downward"]

Array = NDArray[np.float64]

#: Newton's method: iterations, last change [m], [rad], and longest step of one iteration [m], [rad]. Its convergence is
#: quadratic: what is left after the last change is far smaller.
MOST_ITERATIONS = 30
TOLERANCE = 1e-7
LONGEST_STEP = 0.05
#: How exactly pads and rack stand where they should [m], or in parts of what they yield where a mechanism at its end
#: makes them yield much; how exactly moments follow their points [N·m].
PLACE_TOLERANCE = 1e-9
PART_OF_YIELDING = 1e-4
MUCH_YIELDING = 1e-4
#: What pads and rack may yield [m]: forces beyond tear ideal joints, which are springs, apart.
MOST_YIELDING = 4e-3
MOMENT_TOLERANCE = 1e-5
MOST_PASSES = 30
#: How often the way to a point is halved before it counts as out of reach.
MOST_HALVINGS = 8
#: Half the width of the differences that velocities are taken from, and how exactly these points stand [m].
DIFFERENCE = 1e-4
DIFFERENCE_TOLERANCE = 1e-11
#: Rate above which a wheel counts as held by its mechanism [N/m]: a thousand times that of a heavy axle.
LOCKED_RATE = 1e8
#: Farthest travel; beyond it no spring is looked for that would carry a load [m].
FARTHEST = 0.3


@dataclass(frozen=True, slots=True, eq=False)
class _State:
    """A solved point and what is needed to go on from it."""

    point: Array
    poses: Array
    yielding: Array


class Rig:
    """One axle on the rig. Its state changes while it solves: one rig for each thread.

    Parameters
    ----------
    vehicle, axle
        Which axle of which vehicle, in the modes that the vehicle has now.
    check
        Whether the freedoms of the mechanism are counted first; not needed for a second rig of the same axle.

    Raises
    ------
    InputError
        The mechanism has too many or too few constraints to stand on the rig.

    Limits: quasi-static. The pads act at the wheel centres, so that the moment of the wheel load about the wheel
    centre, load times radius times camber, is left out, except under tyres. Forces act at the loaded radius of the
    design load in all points.
    """

    def __init__(self, vehicle: Vehicle, axle: Axle, *, check: bool = True) -> None:
        self.vehicle = vehicle
        self.axle = axle
        if check and (wrong := find_wrong_mechanism(vehicle, axle)) is not None:
            raise InputError(wrong)
        self.model = compile_axle(vehicle, axle)
        self.wheels: tuple[Wheel, Wheel] = tuple(vehicle.wheel(Corner.of(axle, side)) for side in SIDES)  # type: ignore[assignment]
        index = self.model.index
        self.carriers = tuple(index[wheel.body] for wheel in self.wheels)
        self.brake_bodies = tuple(index.get(wheel.brake_reaction, -1) for wheel in self.wheels)
        self.drive_bodies = tuple(index.get(wheel.drive_reaction, -1) for wheel in self.wheels)
        self.arms = np.array(
            [
                np.array(wheel.centre) - self.model.centres[i]
                for wheel, i in zip(self.wheels, self.carriers, strict=True)
            ]
        )
        self.frames = np.array([design_frame(np.array(wheel.axis)) for wheel in self.wheels])
        self.pads = tuple(self.model.drives[f"pad_{wheel.corner}"] for wheel in self.wheels)
        self._core = self.model.core
        self._point = np.zeros(WIDTH)
        self._loaded: tuple[int, ...] = ()
        self._yielding = np.zeros(len(self.model.drives))
        self._at_patch = False  # whether the wheel loads act at the contact patch
        self.radii = np.zeros(2)
        self.tyres = tuple(Tyre(vehicle.tyres[w.tyres[0].tyre], mounted=w.corner.side) for w in self.wheels)
        self._rest, self.design_loads = self._design()
        self.radii = np.array(
            [
                float(tyre.loaded_radius(max(load, 0.0) / len(wheel.tyres)))
                for tyre, wheel, load in zip(self.tyres, self.wheels, self.design_loads, strict=True)
            ]
        )

    @property
    def steered(self) -> bool:
        """Whether the axle has a rack."""
        return "rack" in self.model.drives

    @property
    def knows_wheelbase(self) -> bool:
        """Whether the vehicle is a whole one, or half a one that is told its wheelbase."""
        around = self.vehicle.surroundings
        return not self.vehicle.is_half or (around is not None and around.wheelbase is not None)

    def settle(self, travel: tuple[float, float] = (0.0, 0.0), rack: float = 0.0) -> bool:
        """To the equilibrium without loads at travels of left, right and rack [m]; false if there is none."""
        point = self._rest.point.copy()
        point[TRAVEL], point[RACK] = travel, rack
        self._restore(self._rest)
        return self._go(point, [self._rest]) and self._solve(point)

    # ---- many points

    def sweep(self, inputs: Inputs, *, rates: bool = False) -> Solution:
        """Equilibria along a line of points, from the one nearest to rest to either end.

        Parameters
        ----------
        inputs
            Points, each near the one before.
        rates
            Whether neighbouring equilibria are wanted, for velocities and stiffnesses.
        """
        middle = int(np.abs(inputs.table / _SCALE).max(axis=1).argmin())
        self._restore(self._rest)
        return self._spread(inputs, middle, rates=rates)

    def grid(self, lines: Sequence[Inputs]) -> tuple[Solution, ...]:
        """Equilibria on lines of equally many points; all are entered at the column that is nearest to rest."""
        away = np.array([np.abs(line.table / _SCALE).max(axis=1) for line in lines])
        middle, column = (int(i) for i in np.unravel_index(away.argmin(), away.shape))
        found: dict[int, Solution] = {}
        start = self._rest
        for rows in (range(middle, len(lines)), range(middle - 1, -1, -1)):
            self._restore(start)
            for row in rows:
                found[row] = self._spread(lines[row], column)
                if row == middle and found[row].solved[column]:
                    start = self._present()
        return tuple(found[row] for row in range(len(lines)))

    def roll(self, opposite: ArrayLike, *, rates: bool = False) -> Solution:
        """Roll at constant axle load: opposite travels [m], and the parallel travel that keeps the sum of the loads."""
        wanted = np.asarray(opposite, dtype=np.float64)
        total = float(self.design_loads.sum())

        def error(_travel: Array, loads: Array) -> Array:
            return np.array([loads.sum() - total])

        travel, problems = [], []
        self._restore(self._rest)
        for value in wanted:
            start = Inputs.of([[value, -value]]).table[0]
            found = self._balance(start, np.array([[1.0, 1.0]]), error)
            travel.append((value, -value) if found is None else tuple(found[TRAVEL]))
            if found is None:
                problems.append(self._unreachable(f"axle load {total:.0f} N in roll of {1e3 * value:+.1f} mm"))
        solution = self.sweep(Inputs.of(np.array(travel)), rates=rates)
        return replace(solution, problems=(*problems, *solution.problems))

    def under_load(self, wheel_loads: Array, inputs: Inputs, *, rates: bool = False) -> Solution:
        """Equilibria at wheel loads [N], shape (n, 2), instead of travels; rack travel and loads are of `inputs`."""

        def wanted(row: int, _travel: Array) -> Array:
            return np.asarray(wheel_loads[row])

        return self._carried(
            inputs, wanted, lambda row: "wheel loads {:.0f} N and {:.0f} N".format(*wheel_loads[row]), rates
        )

    def held(self, hold: Hold, inputs: Inputs, *, rates: bool = False) -> Solution:
        """Equilibria with wheel centres, tyres or loads held; on tyres the travel of `inputs` is that of the ground.

        The travel of the solution is that of the wheel centres.
        """
        if hold is Hold.HEIGHT:
            return self.sweep(inputs, rates=rates)
        if hold is Hold.LOAD:
            return self.under_load(np.tile(self.design_loads, (len(inputs), 1)), inputs, rates=rates)
        self._at_patch = True
        try:
            ground = inputs.travel
            return self._carried(
                inputs,
                lambda row, travel: self.tyre_loads(travel - ground[row]),
                lambda row: "ground at {:+.1f} and {:+.1f} mm".format(*(1e3 * ground[row])),
                rates,
            )
        finally:
            self._at_patch = False
            self._set_loads(np.zeros(WIDTH))

    def tyre_loads(self, lift: Array) -> Array:
        """What the tyres carry [N] where the wheel centres are lifted [m] over the ground against the design position.

        The wheels lean as they do now.
        """
        poses = self._core.poses()
        found = []
        for k, (tyre, wheel) in enumerate(zip(self.tyres, self.wheels, strict=True)):
            lean = (_matrix(poses[self.carriers[k], 3:]) @ self.frames[k][:, 1])[2]
            height = self.radii[k] * np.sqrt(1.0 - self.frames[k][2, 1] ** 2) + lift[k]
            deflection = float(tyre.free_radius()) - height / np.sqrt(1.0 - lean**2)
            found.append(len(wheel.tyres) * float(tyre.vertical_force(deflection)))
        return np.array(found)

    def _carried(
        self, inputs: Inputs, wanted: Callable[[int, Array], Array], what: Callable[[int], str], rates: bool
    ) -> Solution:
        """Equilibria with wheel loads as wanted in a row at a travel of the wheel centres, from rest to the ends."""
        table = inputs.table.copy()
        problems: list[Problem] = []
        reached = np.ones(len(inputs), dtype=bool)
        middle = int(np.abs(table / _SCALE).max(axis=1).argmin())
        for rows in (range(middle, len(inputs)), range(middle - 1, -1, -1)):
            self._restore(self._rest)
            moved = np.zeros(2)  # from what was asked to what was found in the row before
            for row in rows:
                start = table[row].copy()
                start[TRAVEL] += moved
                found = self._balance(start, np.eye(2), lambda travel, now, row=row: now - wanted(row, travel))  # type: ignore[misc]
                if found is None:
                    reached[row] = False
                    problems.append(self._unreachable(what(row), row))
                    continue
                moved = found[TRAVEL] - table[row, TRAVEL]
                table[row] = found
        solution = self.sweep(Inputs(table), rates=rates)
        _forget(solution, ~reached)
        return replace(solution, problems=(*problems, *solution.problems))

    def _spread(self, inputs: Inputs, middle: int, *, rates: bool = False) -> Solution:
        """From the present state to the middle point, from there to both ends; the state of the middle is left."""
        out = Solution.unsolved(inputs, self.model)
        near = [Solution.unsolved(inputs, self.model) for _ in range(6 if self.steered else 4)] if rates else []
        problems: list[Problem] = []
        start: _State | None = None
        for rows in (range(middle, len(inputs)), range(middle - 1, -1, -1)):
            history = [start or self._present()]
            self._restore(history[0])
            for row in rows:
                reached = self._go(inputs.table[row], history)
                if not reached:
                    problems.append(self._failure(inputs.table[row], history[-1], row))
                    continue
                self._record(out, row)
                self._look_around(near, row, history[-1])
                if row == middle:
                    start = history[-1]
        if start is not None:
            self._restore(start)
        pairs = [(near[k], near[k + 1]) for k in range(0, len(near), 2)]
        found = Rates(pairs[0], pairs[1], pairs[2] if self.steered else None) if pairs else None
        return replace(out, problems=tuple(problems), rates=found)

    def _look_around(self, near: list[Solution], row: int, state: _State) -> None:
        for out, (direction, sign) in zip(near, ((d, s) for d in _DIRECTIONS for s in (1, -1)), strict=False):
            self._restore(state)
            if self._solve(state.point + sign * DIFFERENCE * direction, DIFFERENCE_TOLERANCE):
                self._record(out, row)
        self._restore(state)

    def _record(self, out: Solution, row: int) -> None:
        out.poses[row] = self._core.poses()
        out.forces[row] = self._core.drive_forces()
        out.lengths[row] = self._core.line_lengths()
        out.solved[row] = True

    # ---- one point

    def _design(self) -> tuple[_State, Array]:
        """The state of rest, and the wheel loads in it [N]."""
        drawn = self._core.poses()
        if not self._solve(np.zeros(WIDTH)):
            what = f"has no equilibrium at the design position, from which {self._strayed(drawn)} strays farthest"
            raise InputError(wrong_mechanism(self.vehicle, self.axle, what + self.model.loose))
        rest, before = self._present(), self._core.drive_forces()[list(self.pads)]
        point = rest.point.copy()
        point[TRAVEL] = DIFFERENCE
        if not self._solve(point):
            what = f"cannot be moved from the design position: {self._strayed(drawn)} strays farthest"
            raise InputError(wrong_mechanism(self.vehicle, self.axle, what))
        rate = np.abs(self._core.drive_forces()[list(self.pads)] - before).max() / DIFFERENCE
        if rate > LOCKED_RATE:
            raise InputError(
                wrong_mechanism(
                    self.vehicle, self.axle, f"is locked: its wheels resist travel with {rate / 1e3:.3g} N/mm"
                )
            )
        self._restore(rest)
        return rest, before

    def _solve(self, point: Array, tolerance: float | None = None) -> bool:
        """Equilibrium at a point from the present poses; the state is of no use if there is none.

        `tolerance` is how exactly the pads stand, `PLACE_TOLERANCE` without it [m].
        """
        tolerance = PLACE_TOLERANCE if tolerance is None else tolerance
        targets = np.zeros(len(self.model.drives))
        targets[list(self.pads)] = point[TRAVEL]
        if self.steered:
            targets[self.model.drives["rack"]] = point[RACK]
        loaded = bool(point[LOADS:].any()) or self._at_patch
        moments = self._set_loads(point) if loaded or self._loaded else np.zeros(0)
        for _ in range(MOST_PASSES):
            for drive, target in enumerate(targets + self._yielding):
                self._core.set_drive(drive, float(target), 0.0)
            if not self._core.solve_statics(MOST_ITERATIONS, TOLERANCE, LONGEST_STEP)[0]:
                return False
            yielding = self._core.drive_forces() / DRIVE_STIFFNESS
            if np.abs(yielding).max() > MOST_YIELDING:
                return False
            error = float(np.abs(yielding - self._yielding).max())
            self._yielding = yielding
            before, moments = moments, self._set_loads(point) if loaded else moments
            follows = not loaded or bool(np.abs(moments - before).max() < MOMENT_TOLERANCE)
            if (
                error < tolerance + PART_OF_YIELDING * max(float(np.abs(yielding).max()) - MUCH_YIELDING, 0.0)
                and follows
            ):
                self._point = point
                return True
        return False

    def _go(self, point: Array, history: list[_State], halvings: int = MOST_HALVINGS) -> bool:
        """To a point from the last state of the history, which grows by it; the last good state is kept otherwise."""
        last = history[-1]
        self._predict(point, history)
        if not self._solve(point):
            self._restore(last)
            if not self._solve(point):
                self._restore(last)
                between = 0.5 * (last.point + point)
                if not halvings or not self._go(between, history, halvings - 1):
                    return False
                return self._go(point, history, halvings - 1)
        history.append(self._present())
        return True

    def _predict(self, point: Array, history: list[_State]) -> None:
        """Poses and yielding on a line or parabola through the last states, if the steps were alike."""
        steps = np.diff([*(state.point for state in history[-3:]), point], axis=0)
        order = 0
        while order < len(steps) - 1 and np.abs(steps[-1] - steps[-2 - order]).max() < 1e-9:
            order += 1
        if order == 0:
            return
        weights = ((2.0, -1.0), (3.0, -3.0, 1.0))[order - 1]
        states = history[: -len(weights) - 1 : -1]
        self._core.set_poses(np.tensordot(weights, [state.poses for state in states], 1))
        self._yielding = np.tensordot(weights, [state.yielding for state in states], 1)

    def _present(self) -> _State:
        return _State(self._point, self._core.poses(), self._yielding)

    def _restore(self, state: _State) -> None:
        self._core.set_poses(state.poses)
        self._yielding = state.yielding
        self._point = state.point

    def _balance(self, point: Array, directions: Array, error: Callable[[Array, Array], Array]) -> Array | None:
        """The point, moved along directions of travel until an error of travel and wheel loads vanishes, or None.

        Newton's method with differences; leaves the state at the point that it finds.
        """
        point = point.copy()
        history = [self._present()]
        for _ in range(MOST_ITERATIONS):
            if np.abs(point[TRAVEL]).max() > FARTHEST or not self._go(point.copy(), history):
                return None
            state = history[-1]
            now = error(point[TRAVEL], self._core.drive_forces()[list(self.pads)])
            if np.abs(now).max() < 1e-6 * float(self.design_loads.sum()):
                return point
            slopes = []
            for direction in directions:
                beside = point.copy()
                beside[TRAVEL] += DIFFERENCE * direction
                self._restore(state)
                if not self._solve(beside):
                    return None
                slopes.append((error(beside[TRAVEL], self._core.drive_forces()[list(self.pads)]) - now) / DIFFERENCE)
            self._restore(state)
            jacobian = np.array(slopes).T
            if not np.isfinite(jacobian).all() or abs(np.linalg.det(jacobian)) < 1.0:
                return None
            step = np.clip(-np.linalg.solve(jacobian, now), -0.02, 0.02)
            point[TRAVEL] += step @ directions
        return None

    # ---- loads

    def _set_loads(self, point: Array) -> Array:
        """Put the loads of a point on the bodies as these stand now; the moments that were set, flat."""
        poses = self._core.poses()
        wrenches: dict[int, Array] = {}

        def add(body: int, force: Array, moment: Array) -> None:
            if body >= 0:
                wrenches[body] = wrenches.get(body, np.zeros(6)) + np.concatenate((force, moment))

        pushed = self._core.drive_forces()[list(self.pads)]
        for k, values in enumerate(point[LOADS:].reshape(-1, 2).T):
            if not values.any() and not self._at_patch:
                continue
            rotation = _matrix(poses[self.carriers[k], 3:])
            arm = rotation @ self.arms[k]
            axis = rotation @ self.frames[k][:, 1]
            to_contact = self.radii[k] * downward(axis)
            if self._at_patch:
                add(self.carriers[k], np.zeros(3), _cross(to_contact, np.array([0.0, 0.0, pushed[k]])))
            for load, value in zip(Load, values, strict=True):
                if value == 0.0:
                    continue
                along = np.zeros(3)
                along[load.direction] = value
                if load.is_moment:
                    add(self.carriers[k], np.zeros(3), along)
                    continue
                moment = np.zeros(3) if load in (Load.FX_CENTRE, Load.FY_CENTRE) else _cross(to_contact, along)
                if load in (Load.FX, Load.FX_DRIVE):  # what turns the wheel is taken by the brake or the driveline
                    spin = axis * (moment @ axis)
                    add((self.brake_bodies if load is Load.FX else self.drive_bodies)[k], np.zeros(3), spin)
                    moment = moment - spin
                add(self.carriers[k], along, moment + _cross(arm, along))
        for body in set(self._loaded) - set(wrenches):
            self._core.set_load(body, np.zeros(3), np.zeros(3))
        for body, wrench in wrenches.items():
            self._core.set_load(body, wrench[:3].copy(), wrench[3:].copy())
        self._loaded = tuple(wrenches)
        return np.array([wrenches[body][3:] for body in sorted(wrenches)]).ravel()

    # ---- what went wrong

    def _strayed(self, since: Array) -> str:
        """The bodies that have moved most [m] from poses, which tells where a solution got lost."""
        moved = np.abs(self._core.poses()[:, :3] - since[:, :3]).max(axis=1)
        order = np.argsort(-np.nan_to_num(moved, nan=np.inf))[:2]
        return listed([self.model.groups[i].names[0] for i in order])

    def _failure(self, point: Array, last: _State, row: int) -> Problem:
        """Why a point was not reached, in a sentence; the state becomes the last good one."""
        self._restore(last)
        self._solve(point)
        strayed = self._strayed(last.poses)
        self._restore(last)
        says = f"point {row + 1}, {_described(point)}: no equilibrium; the last good one is {_described(last.point)}"
        says += f"; farthest from there came {strayed}"
        beyond = self._beyond_their_curves()
        if beyond:
            says += f"; beyond the end of their curves: {listed(beyond)}"
        return Problem(f"{self.axle} axle: {says}", hint="ask for less travel or load; the points before are kept")

    def _unreachable(self, what: str, row: int | None = None) -> Problem:
        subsystem = self.vehicle.axle(self.axle).subsystem
        springs: tuple[Spring | TorsionSpring | Beam, ...] = (
            *self.vehicle.springs,
            *self.vehicle.torsion_springs,
            *self.vehicle.beams,
        )
        carriers = [spring.name for spring in springs if subsystem_of(spring.name) == subsystem]
        where = "" if row is None else f"point {row + 1}, "
        beyond = self._beyond_their_curves()
        says = f"{self.axle} axle: {where}{what}: {listed(carriers) or 'nothing'} cannot carry it"
        says += f"; beyond the end of their curves: {listed(beyond)}" if beyond else ""
        self._restore(self._rest)
        return Problem(
            says, hint=f"at the design position the wheels carry {listed([f'{f:.0f} N' for f in self.design_loads])}"
        )

    def _beyond_their_curves(self) -> list[str]:
        lengths = self._core.line_lengths()
        names = []
        for stop in self.vehicle.acting(self.vehicle.stops):
            if stop.name in self.model.lines:
                longer = float(lengths[self.model.lines[stop.name]]) - stop.design_length
                pressed = (longer if stop.rebound else -longer) - stop.clearance
                if pressed > float(stop.characteristic.curve.x[-1]):
                    names.append(stop.name)
        return names


#: What counts as one step away from rest: travel and rack [m], loads [N], [N·m].
_SCALE = np.array([0.1] * 3 + [5e3] * (WIDTH - LOADS))
_DIRECTIONS = np.zeros((3, WIDTH))
_DIRECTIONS[0, TRAVEL] = 1.0
_DIRECTIONS[1, TRAVEL] = 1.0, -1.0
_DIRECTIONS[2, RACK] = 1.0


def _forget(solution: Solution, rows: NDArray[np.bool_]) -> None:
    """Mark rows as not reached."""
    for array in (solution.poses, solution.forces, solution.lengths):
        array[rows] = np.nan
    solution.solved[rows] = False


def _cross(a: Array, b: Array) -> Array:
    """Of two vectors; many times as fast as NumPy's for arrays."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def _matrix(q: Array) -> Array:
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def downward(axis: Array) -> Array:
    """Unit vector from the wheel centre to the contact point: downward in the wheel plane."""
    return np.asarray((axis * axis[2] - np.array([0.0, 0.0, 1.0])) / np.sqrt(1.0 - axis[2] ** 2))


def _described(point: Array) -> str:
    parts = [f"travel {1e3 * point[0]:+.1f}/{1e3 * point[1]:+.1f} mm", f"rack {1e3 * point[RACK]:+.1f} mm"]
    parts += [f"{name} {value:+.0f}" for name, value in zip(COLUMNS[LOADS:], point[LOADS:], strict=True) if value]
    return ", ".join(parts)
