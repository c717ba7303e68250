"""Signs of derivatives that both models must have: paper 002, figure 15.

What a change does to the slow ramp of the 7 t van, with the multibody model by driving the changed vehicle, with the
real-time model by its exact derivatives, times the same change.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.comparison.cases import Case, Variant
from benchmarks.comparison.measures import Measure, Row
from trackrod.core import signals
from trackrod.core.quantities import STANDARD_GRAVITY
from trackrod.core.series import Run
from trackrod.manoeuvres.steady_turn import RampSteer
from trackrod.metrics.steady_turn import lateral_load_transfer
from trackrod.metrics.trace import rising_part
from trackrod.multibody.integrators import RealTime
from trackrod.rtm.coefficients import PARAMETERS
from trackrod.rtm.script import ScriptedVehicle
from trackrod.rtm.spec import RtmSpec
from trackrod.simulate.script import scripted
from trackrod.vehicle.vehicle import Vehicle, subsystem_of
from trackrod.workflow.cache import kept_run
from trackrod.workflow.multibody_runs import SAMPLE, multibody_run

__all__ = ["SIGNS"]

#: Lateral acceleration at which is looked, and at which the ramp ends [g].
LOOK, END = 0.4, 0.42
#: Change of a bar's stiffness [-], way of the chassis's centre of gravity [m].
STIFFER, WAY = 0.1, 0.05
#: Share of a change that a run is looked at on its tangent [-].
SHARE = 1e-3


@dataclass(frozen=True, slots=True)
class Change:
    """A change of the vehicle, and what it must do.

    Attributes
    ----------
    expected
        In words.
    sign
        Of what it must do to the quantity.
    quantity
        Read from the slow ramp [`unit`].
    vehicle
        The changed vehicle.
    parameter, amount
        The same change of the real-time model [SI].
    """

    expected: str
    sign: float
    quantity: Callable[[Run], float]
    unit: str
    vehicle: Callable[[Vehicle], Vehicle]
    parameter: str
    amount: Callable[[Vehicle, RtmSpec], float]


def _steering(run: Run) -> float:
    """Steering-wheel angle [°]: the more a vehicle understeers, the larger."""
    return math.degrees(_at_look(run, run[signals.STEERING_WHEEL_ANGLE]))


def _transfer(run: Run) -> float:
    """Load transfer of both axles [N]."""
    return _at_look(run, lateral_load_transfer(run))


def _at_look(run: Run, values: np.ndarray) -> float:
    return float(np.interp(LOOK * STANDARD_GRAVITY, *rising_part(run[signals.AY], values)))


def _stiffer_bar(subsystem: str) -> Callable[[Vehicle], Vehicle]:
    def changed(vehicle: Vehicle) -> Vehicle:
        springs = tuple(
            replace(spring, curve=replace(spring.curve, y=(1.0 + STIFFER) * spring.curve.y))
            if subsystem_of(spring.name) == subsystem
            else spring
            for spring in vehicle.torsion_springs
        )
        return replace(vehicle, torsion_springs=springs)

    return changed


def _moved(dx: float, dz: float) -> Callable[[Vehicle], Vehicle]:
    def changed(vehicle: Vehicle) -> Vehicle:
        chassis = vehicle.body(vehicle.chassis)
        x, y, z = chassis.centre
        there = replace(chassis, centre=(x + dx, y, z + dz))
        return replace(vehicle, bodies=tuple(there if body is chassis else body for body in vehicle.bodies))

    return changed


def _sprung_way(vehicle: Vehicle, spec: RtmSpec) -> float:
    """Way of the sprung centre of gravity back or down, with that of the chassis [m]."""
    return -WAY * vehicle.body(vehicle.chassis).mass / spec.parameters["sprung_mass"]


def _stiffer(_vehicle: Vehicle, _spec: RtmSpec) -> float:
    return STIFFER


CHANGES = (
    Change(
        f"more angle with the front bar {100.0 * STIFFER:+.0f} %",
        1.0,
        _steering,
        "°",
        _stiffer_bar("front_anti_roll_bar"),
        "antiroll_factor_front",
        _stiffer,
    ),
    Change(
        f"less angle with the rear bar {100.0 * STIFFER:+.0f} %",
        -1.0,
        _steering,
        "°",
        _stiffer_bar("rear_anti_roll_bar"),
        "antiroll_factor_rear",
        _stiffer,
    ),
    Change(
        f"more angle with the chassis {1e3 * WAY:g} mm forward",
        1.0,
        _steering,
        "°",
        _moved(WAY, 0.0),
        "cg_to_front",
        _sprung_way,
    ),
    Change(
        f"less load transfer with the chassis {1e3 * WAY:g} mm lower",
        -1.0,
        _transfer,
        "N",
        _moved(0.0, -WAY),
        "cg_height",
        _sprung_way,
    ),
)


def _measured(case: Case, variant: Variant) -> Iterator[Measure]:
    ramp = RampSteer(target_ay_g=END)
    vehicle, spec, reference = case.vehicle, case.spec(variant), case.reference(ramp)
    amounts = [change.amount(vehicle, spec) for change in CHANGES]
    names = [item.name for item in PARAMETERS]
    directions = np.zeros((len(CHANGES), len(names)))
    for row, change, amount in zip(directions, CHANGES, amounts, strict=True):
        row[names.index(change.parameter)] = amount
    model = ScriptedVehicle(spec, step=variant.step)
    model.settle(directions=directions)
    tangent = model.tangent(scripted(ramp, reference, step=variant.step))
    for k, change in enumerate(CHANGES):
        changed = kept_run(multibody_run, change.vehicle(vehicle), ramp, RealTime(steering=case.steering), SAMPLE)
        up, down = (change.quantity(tangent.along(k, sign * SHARE)) for sign in (1.0, -1.0))
        for which, found in (
            ("multibody", change.quantity(changed) - change.quantity(reference)),
            ("real-time", (up - down) / (2.0 * SHARE)),
        ):
            yield Measure(
                f"{change.expected}, {which} model", change.sign * found, 0.0, change.unit, which + change.expected
            )


SIGNS = Row(
    "signs",
    f"signs of derivatives, slow ramp at {LOOK:g} g (paper 002, figure 15)",
    "more than zero",
    _measured,
    lambda case: case == Case("lcv_7t"),
)
