"""From an axle of the multibody model to its quarter car: rig, experiment, identification, and what they say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from time import process_time

import numpy as np

from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.errors import ConvergenceError
from trackrod.core.plain import Plain
from trackrod.kc.rig import Rig
from trackrod.reduce.curves import LinkCurves, LinkReadings, Shape, link_curves, read_link
from trackrod.reduce.experiment import Experiment, Sweep, push_wheels
from trackrod.reduce.identify import MOUNT, SIGNALS, CornerProblem, Identified, bounds_of, identify, search
from trackrod.reduce.model import NAMES, QuarterCar, component_damper, is_dependent, known_corner
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["AxleReduction", "Starts", "first_guess", "reduce_axle", "try_starts"]

#: A wheel without a damper of its own is given one that damps its motion on its spring so much [-].
_DAMPING_RATIO = 0.3
#: A search has reached the minimum if its mean index is not above the best by more than this [%].
REACHED_PCT = 0.05
#: Half the way over which the rate of the wheel is taken [m].
_NEAR = 0.005


@dataclass(frozen=True, slots=True)
class Starts:
    """Searches from starts that are 50 % wrong in every parameter: how many were made, how many reached the minimum."""

    tried: int = 0
    homotopy: int = 0
    plain: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class AxleReduction:
    """One axle, reduced.

    Attributes
    ----------
    axle
        Which one.
    dependent
        Whether both wheels share one body, as on a solid axle: the quarter car then stands for both wheels moving
        alike, and roll of the axle is not in it.
    readings
        What the rig said.
    curves
        The link in each shape.
    curve_errors
        Largest differences to the rig [-], [m] by shape.
    identified, rigid
        The quarter car with a mount of the damper, and without one.
    starts
        How the search fares from bad starts.
    seconds
        CPU time of all of it [s].
    changed
        The quarter car with other curves of its link: what if; None where nothing was changed.
    """

    axle: Axle
    dependent: bool
    readings: LinkReadings
    curves: Mapping[Shape, LinkCurves]
    curve_errors: Mapping[Shape, tuple[float, float]]
    identified: Identified
    rigid: Identified
    starts: Starts
    seconds: float
    changed: QuarterCar | None = None

    @property
    def car(self) -> QuarterCar:
        """With the mount."""
        return self.identified.car

    def effect(self) -> dict[str, Plain] | None:
        """RMS of what a change of the curves does over RMS of the signal under the same force [%], by signal."""
        if self.changed is None:
            return None
        e = self.identified.experiment
        before, after = (car.drive(e.load, e.sweep.sample).motion[e.compared] for car in (self.car, self.changed))
        share = 100.0 * np.std(after - before, axis=0) / np.std(before, axis=0)
        return dict(zip(SIGNALS, share.tolist(), strict=True))

    def as_dict(self) -> dict[str, Plain]:
        """For machines."""
        car, found = self.car, self.identified
        mount = car.mount
        return {
            "axle": str(self.axle),
            "dependent": self.dependent,
            "unsprung_mass_kg": car.unsprung_mass,
            "unsprung_share": car.parameters["unsprung_share"],
            "link_mass_kg": car.known["link_mass"],
            "spring": [_told(value) for value in car.spring],
            "spring_free_compression_m": _told(car.free_compression),
            "damper": list(car.damper),
            "damper_friction_N": car.known["friction"],
            "mount": {"stiffness_Npm": mount["stiffness"], "damping_Nspm": mount["damping"]},
            "rms_pct": dict(found.rms_pct),
            "rms_pct_without_mount": dict(self.rigid.rms_pct),
            "rms_pct_first_guess": dict(found.first_rms_pct),
            "intervals": {
                name: {"value": i.value, "lower": i.lower, "upper": i.upper, "on_bound": i.on_bound}
                for name, i in found.intervals.items()
            },
            "starts": asdict(self.starts),
            "change": self.effect(),
            "seconds": found.seconds,
            "seconds_in_all": self.seconds,
        }


def _told(value: float) -> float | None:
    """None for what there is not: a cubic that never vanishes has no free length."""
    return value if np.isfinite(value) else None


def first_guess(
    rig: Rig, corner: Corner, readings: LinkReadings, experiment: Experiment, link: LinkCurves, *, friction: bool = True
) -> QuarterCar:
    """The start values of the paper: half of the links unsprung, a spring of the ride rate, the component's damper.

    With `friction` the seals of the damper rub as the component's curve says, beside the six coefficients.

    Raises
    ------
    InputError
        The damper lacks a branch.
    """
    height = experiment.ride_height
    known = known_corner(rig, corner, readings, height, experiment.corner_weight)
    damper = component_damper(rig, corner)
    loads = np.interp([height - _NEAR, height + _NEAR], readings.z, readings.wheel_load)
    rate = float(loads[1] - loads[0]) / (2.0 * _NEAR)
    numbers = dict.fromkeys(NAMES, 1.0) | {"unsprung_share": 0.5, "spring_second": 0.0, "spring_third": 0.0}
    numbers |= dict.fromkeys(MOUNT, 0.0)
    if damper is not None and friction:
        known |= damper[1]
    car = QuarterCar(rig.vehicle.name, corner, known, link, numbers)
    spring, dashpot, _, _, own, links = car.core.geometry(np.array([height]))[0]
    numbers["spring_rate"] = rate / float(spring[1]) ** 2
    if damper is not None:
        laws = damper[0]
    else:
        mass = own[0] + 0.5 * known["link_mass"] * links[0]
        mean = 2.0 * _DAMPING_RATIO * float(np.sqrt(rate * mass)) / float(dashpot[1]) ** 2
        laws = {f"{way}_{part}": mean for way in ("bump", "rebound") for part in ("low", "high")}
        laws |= {"bump_speed": 0.15, "rebound_speed": 0.15}
    return car.with_parameters({**numbers, **laws})


def try_starts(found: Identified, count: int, seed: int = 0, *, mount: bool = True) -> Starts:
    """Search from starts in which every parameter is half as large or half as large again as it should be."""
    problem = CornerProblem(found.first, found.experiment, bounds_of(found.first, mount=mount))
    best = float(np.mean(list(found.rms_pct.values())))
    random = np.random.default_rng(seed)
    reached = {True: 0, False: 0}
    for _ in range(count):
        wrong = found.car.vector * random.choice([0.5, 1.5], len(NAMES))
        start = problem.scaled(dict(zip(NAMES, wrong.tolist(), strict=True)))
        for guided in reached:
            try:
                reached[guided] += search(problem, start, guided=guided)[1] < best + REACHED_PCT
            except ConvergenceError:
                continue
    return Starts(count, reached[True], reached[False])


def reduce_axle(
    vehicle: Vehicle,
    axle: Axle,
    *,
    side: Side = Side.LEFT,
    sweep: Sweep | None = None,
    shape: Shape = Shape.TABLE,
    friction: bool = True,
    change: Callable[[LinkCurves], LinkCurves] | None = None,
    starts: int = 0,
) -> AxleReduction:
    """Reduce an axle to the quarter car of one of its wheels.

    Parameters
    ----------
    vehicle, axle
        Which axle, in its present modes and with its present payload.
    side
        Which wheel: the right one is its mirror image unless the axle differs from left to right.
    sweep
        What pushes the wheels.
    shape
        Of the curves of the link that the quarter car is identified with.
    friction
        Whether the seals of the damper rub as its component's curve says; six coefficients alone otherwise.
    change
        What-if: applied to the curves after the identification.
    starts
        Searches from starts 50 % wrong, with and without homotopy.

    Raises
    ------
    InputError
        The axle cannot stand on the rig or does not reach the force; a damper lacks a branch; a curve folds.
    ConvergenceError
        A step of the multibody model has no solution.
    """
    begun = process_time()
    rig, corner = Rig(vehicle, axle), Corner.of(axle, side)
    component_damper(rig, corner)  # before anything takes long
    experiment = push_wheels(rig, corner, sweep)
    readings = read_link(rig, corner, around=experiment.ride_height)
    curves = {each: link_curves(readings, each) for each in Shape}
    car = first_guess(rig, corner, readings, experiment, curves[shape], friction=friction)
    rigid, found = (identify(car, experiment, mount=mount) for mount in (False, True))
    return AxleReduction(
        axle,
        is_dependent(rig, corner),
        readings,
        curves,
        {each: link.errors(readings) for each, link in curves.items()},
        found,
        rigid,
        try_starts(found, starts),
        process_time() - begun,
        None if change is None else found.car.with_link(change(found.car.link)),
    )
