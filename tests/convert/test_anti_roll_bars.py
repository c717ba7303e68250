"""The factor of an anti-roll bar does to the real-time model what a stiffer bar does to the axle on the rig."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rtm.converted_vehicles import maps, spec_of, vehicle
from trackrod.convert.conversion import convert
from trackrod.convert.round_trip import ModelRig
from trackrod.core.corners import Axle
from trackrod.core.maps import Map1D
from trackrod.kc.maps import KcMaps
from trackrod.kc.measure import measure
from trackrod.kc.points import Inputs
from trackrod.kc.rig import Rig
from trackrod.tune.space import tuning_space
from trackrod.vehicle.vehicle import subsystem_of

#: Half the opposite travel at which is looked [m]: about the design position, and far out.
OPPOSITE = np.array([-0.001, 0.001, 0.04])
#: A solid axle on leaf springs, and independent wheels.
NAMES = ["lcv_7t", "cla_class"]


def rolling(name: str, axle: Axle, factor: float) -> np.ndarray:
    """Half the difference of the wheel loads on the rig, the bar's stiffness scaled, without stops [N]."""
    of = vehicle(name)
    bars = [spring for spring in of.torsion_springs if subsystem_of(spring.name) == f"{axle}_anti_roll_bar"]
    assert len(bars) == 1
    scaled = [replace(bar, curve=replace(bar.curve, y=factor * bar.curve.y)) for bar in bars]
    others = [spring for spring in of.torsion_springs if spring not in bars]
    rig = Rig(replace(of, torsion_springs=(*others, *scaled), stops=()), axle)
    return measure(rig, rig.sweep(Inputs.of(np.column_stack((OPPOSITE, -OPPOSITE)))), ()).wheel_load @ [0.5, -0.5]


def model_rolling(name: str, axle: Axle, factor: float) -> np.ndarray:
    """The same of the real-time model [N]."""
    spec = spec_of(name).with_parameters(**{f"antiroll_factor_{axle}": factor})
    return np.array(ModelRig(spec, axle).load(OPPOSITE, -OPPOSITE, stops=False)).T @ [0.5, -0.5]


@pytest.mark.parametrize("axle", list(Axle))
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("factor", [0.8, 1.1])
def test_a_stiffer_bar_stiffens_the_axle_as_on_the_rig(name: str, axle: Axle, factor: float) -> None:
    expected = rolling(name, axle, factor) - rolling(name, axle, 1.0)
    found = model_rolling(name, axle, factor) - model_rolling(name, axle, 1.0)
    rate, model_rate = ((of[1] - of[0]) / np.ptp(OPPOSITE[:2]) for of in (expected, found))
    assert rate / (factor - 1.0) > 5e3  # [N/m]
    assert model_rate == pytest.approx(rate, rel=0.02)
    assert found[2] == pytest.approx(expected[2], rel=0.02)


def test_an_axle_without_a_bar_has_none() -> None:
    """A transverse leaf resists roll more than ride; nothing of that is a bar, and nothing is tuned as one."""
    front = spec_of("lcv_3t5").axles[0]
    assert np.abs(front.roll.y).max() > 1000.0
    assert not front.antiroll.y.any()
    names = tuning_space(spec_of("lcv_3t5")).names
    assert "antiroll_factor_front" not in names
    assert "antiroll_factor_rear" in names


def test_without_knowledge_of_the_bar_all_counts_as_the_bar() -> None:
    name = "lcv_7t"

    def unknown(of: KcMaps) -> KcMaps:
        known = [output for output in of.roll.outputs if not output.name.endswith("_of_bar")]
        values = of.roll.values[:, [of.roll.output_index(output.name) for output in known]]
        rules = {"interpolation": of.roll.interpolation, "extrapolation": of.roll.extrapolation}
        return replace(of, roll=Map1D(of.roll.axis, of.roll.knots, known, values, **rules))

    spec = convert(vehicle(name), {axle: unknown(of) for axle, of in maps(name).items()}).spec
    for axle, told in zip(spec.axles, spec_of(name).axles, strict=True):
        assert np.array_equal(axle.antiroll.y, axle.roll.y)
        np.testing.assert_allclose(axle.roll.y, told.roll.y, rtol=0.02)  # with another lever
        assert not np.allclose(told.antiroll.y, told.roll.y)
