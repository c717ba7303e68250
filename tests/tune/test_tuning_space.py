"""What may be tuned: names, bounds, physical limits, and the model at a point."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rtm.converted_vehicles import maps, spec_of, vehicle
from trackrod.convert.conversion import convert
from trackrod.convert.masses import SplitFactors
from trackrod.core.errors import ConvergenceError, InputError
from trackrod.rtm.coefficients import PARAMETERS
from trackrod.tune.space import Bounds, inertia_fault, tuning_space


def split(factors: SplitFactors) -> dict[str, float]:
    return dict(convert(vehicle("suv"), maps("suv"), factors=factors).spec.parameters)


def test_the_papers_set() -> None:
    space = tuning_space(spec_of("suv"), split=split)
    assert space.names[:3] == ("sprung_mass", "Ixx", "Izz")
    assert {"damper_factor_rear", "engine_factor", "K_umF", "K_umR"} <= set(space.names)
    for item in space.tunables:
        assert item.value(0.0) == item.nominal
        assert item.value(1.0) == pytest.approx(item.upper)
        assert item.value(-1.0) == pytest.approx(item.lower)
        assert item.scaled(item.value(0.37)) == pytest.approx(0.37)
        assert abs(item.change_pct(1.0)) <= 20.0 + 1e-9


def test_the_nominal_model_is_in_the_middle() -> None:
    space = tuning_space(spec_of("suv"), split=split)
    found = space.spec(np.zeros(len(space.names)))
    for name, value in space.nominal.parameters.items():
        assert found.parameters[name] == pytest.approx(value, rel=1e-12, abs=1e-12), name


@settings(max_examples=20)
@given(st.lists(st.floats(-1.0, 1.0), min_size=3, max_size=3))
def test_split_factors_conserve_the_vehicle(z: list[float]) -> None:
    space = tuning_space(spec_of("suv"), names=("K_umF", "K_umR", "K_driveline"), split=split)
    found, nominal = space.spec(np.array(z)), space.nominal
    assert found.mass == pytest.approx(nominal.mass, rel=1e-12)

    def moment(spec: object) -> float:
        p = spec.parameters
        front = spec.wheels[0].centre[0]
        rear = spec.wheels[2].centre[0]
        return (
            p["sprung_mass"] * (front - p["cg_to_front"])
            + 2 * p["unsprung_mass_front"] * front
            + 2 * p["unsprung_mass_rear"] * rear
        )

    assert moment(found) == pytest.approx(moment(nominal), rel=1e-9)


def test_directions_are_the_derivatives_of_all_parameters() -> None:
    space = tuning_space(spec_of("suv"), split=split)
    z = np.linspace(-0.5, 0.6, len(space.names))
    directions = space.directions(z)
    names = [item.name for item in PARAMETERS]
    step = 1e-3
    for k in range(len(z)):
        up, down = z.copy(), z.copy()
        up[k] += step
        down[k] -= step
        high, low = space.parameters(up), space.parameters(down)
        for j, name in enumerate(names):
            expected = (high[name] - low[name]) / (2 * step)
            rounding = 1e-6 * abs(high[name]) + 1e-8  # standing travels are found to some nanometres
            assert directions[k, j] == pytest.approx(expected, rel=1e-4, abs=rounding)


def test_the_inertia_stays_that_of_a_body() -> None:
    p = spec_of("suv").parameters
    flat = spec_of("suv").with_parameters(Izz=0.98 * (p["Ixx"] + p["Iyy"]))
    space = tuning_space(flat, names=("Izz", "Ixx"))
    assert space.tunables[0].upper < 1.05 * flat.parameters["Izz"]
    assert not inertia_fault(space.parameters(np.array([1.0, 0.0])))
    with pytest.raises(ConvergenceError, match="no body has principal moments"):
        space.spec(np.array([1.0, -1.0]))


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"names": ("sprung_mas",)}, "no parameter 'sprung_mas'.*sprung_mass"),
        ({"names": ("K_umF",)}, "no parameter 'K_umF'"),
        ({"names": ("friction_front",)}, "'friction_front' is zero"),
        ({"names": ()}, "no parameter to tune"),
        ({"names": ("Ixx",), "bounds": {"Izz": Bounds(1.0, 2.0)}}, "'Izz', which is not tuned"),
        ({"names": ("Ixx",), "bounds": {"Ixx": Bounds(2.0, 1.0)}}, "the bounds of 'Ixx' cross"),
        ({"names": ("Ixx",), "bounds": {"Ixx": Bounds(1.0, 2.0)}}, "is not between its bounds"),
    ],
)
def test_what_cannot_be_tuned(arguments: dict[str, object], text: str) -> None:
    with pytest.raises(InputError, match=text):
        tuning_space(spec_of("suv"), **arguments)
