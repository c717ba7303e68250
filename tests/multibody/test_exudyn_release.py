"""Motion in time, ours beside exudyn: wheels of a clamped car let go, and a car without tyres dropped and shaken.

Ours are implicit Euler steps, of first order, exudyn's generalised-α steps, of second; both are seen to
converge like that, and extrapolated to steps of no length.

Our ideal joints are springs, exudyn's are rigid. That is what is left between the two: it grows tenfold where our
joints are ten times as soft.
"""

from __future__ import annotations

import numpy as np
import pytest

from multibody.correlation import (
    DURATION,
    PERIOD,
    Array,
    bundled,
    clamped,
    constant,
    converged,
    motion_by_core,
    on_spring,
    shaking,
    start_of_release,
)
from multibody.exudyn_vehicle import Load, Mechanism, build, linearised
from trackrod.multibody import compile as compilation
from trackrod.multibody.compile import CompiledModel, compile_vehicle
from trackrod.vehicle.elements import Mode
from trackrod.vehicle.vehicle import Vehicle

OUR_STEPS = (4e-4, 2e-4, 1e-4)
THEIR_STEPS = (1e-3, 5e-4, 2.5e-4)
LIMIT = 1e-5  # [m]


def difference(
    model: CompiledModel, mechanism: Mechanism, poses: Array, loads: dict[int, Load], spread: float = 0.1
) -> float:
    """Largest distance along an axis of a centre of mass in one code from that in the other over all times [m]."""
    ours, our_ratio = converged(lambda h: motion_by_core(model, poses, loads, h), OUR_STEPS, 1)
    theirs, their_ratio = converged(lambda h: mechanism.run(DURATION, h, PERIOD).centres, THEIR_STEPS, 2)
    assert our_ratio == pytest.approx(2, rel=0.1)
    assert their_ratio == pytest.approx(4, rel=spread)
    assert np.ptp(ours, axis=0).max() > 0.03
    return float(np.abs(ours - theirs).max())


def released(vehicle: Vehicle) -> float:
    """All four wheels let go from different heights, with the loads of the design position at their carriers."""
    model = compile_vehicle(clamped(vehicle), with_tyres=False)
    start = start_of_release(model)
    loads = {body: constant(force) for body, force in start.loads.items()}
    mechanism = build(model, pads=True, loads=loads)
    mechanism.sweep({name: np.linspace(0.1, 1.0, 10) * height for name, height in start.pads.items()})
    mechanism.release(list(start.pads))
    return difference(model, mechanism, start.poses, loads)


def dropped(vehicle: Vehicle) -> float:
    """From the design position: wheels fall against their rebound stops, the body into a spring, and it is shaken."""
    model = compile_vehicle(on_spring(vehicle), with_tyres=False)
    loads: dict[int, Load] = {model.index[vehicle.chassis]: shaking}
    # stops are met within a step, which the order of the steps does not hold for: 3.5 with these, 4.5 with longer ones
    return difference(model, build(model, loads=loads), model.core.poses(), loads, spread=0.15)


@pytest.mark.parametrize("damping", [0.0, 1.0], ids=["undamped", "damped"])
def test_release(damping: float) -> None:
    assert released(linearised(bundled("double_wishbone_car", Mode.KINEMATIC), damping=damping)) < LIMIT


@pytest.mark.slow
def test_release_with_bushings() -> None:
    assert released(linearised(bundled("double_wishbone_car", Mode.COMPLIANT))) < LIMIT


@pytest.mark.parametrize("mode", [Mode.KINEMATIC, pytest.param(Mode.COMPLIANT, marks=pytest.mark.slow)])
def test_car_dropped_and_shaken(mode: Mode) -> None:
    """With all curves and stops as they are: 11 µm with bushings, at the stops."""
    assert dropped(bundled("double_wishbone_car", mode)) < 1.5 * LIMIT


@pytest.mark.slow
def test_difference_is_that_of_the_joints(monkeypatch: pytest.MonkeyPatch) -> None:
    vehicle = linearised(bundled("double_wishbone_car", Mode.KINEMATIC), damping=0.0)
    stiff = released(vehicle)
    for name in ("JOINT_STIFFNESS", "JOINT_TURNING_STIFFNESS", "DRIVE_STIFFNESS"):
        monkeypatch.setattr(compilation, name, 0.1 * getattr(compilation, name))
    soft = released(vehicle)
    assert 5 < soft / stiff < 20
    assert soft < 5 * LIMIT
