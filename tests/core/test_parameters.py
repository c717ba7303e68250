"""Parameters: bounds, scaling, sets."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackrod.core.errors import InputError, RangeError, UnknownNameError
from trackrod.core.parameters import Parameter, ParameterSet
from trackrod.core.quantities import kind

MASS = Parameter("sprung_mass", kind("mass"), 1500.0, 1200.0, 1800.0, "sprung mass", "weighed")
IXZ = Parameter("Ixz", kind("inertia"), -50.0)
FACTOR = Parameter("spring_factor", kind("number"), 1.0, 0.5, 2.0)
SET = ParameterSet([MASS, IXZ, FACTOR])

NOMINAL = st.floats(1e-6, 1e6).flatmap(lambda size: st.sampled_from([size, -size]))
RELATIVE = st.floats(0.01, 1.0)


@pytest.mark.parametrize("value", [1199.9, 1800.1, math.nan, math.inf])
def test_value_outside_its_range_is_named(value: float) -> None:
    with pytest.raises(RangeError) as caught:
        MASS.with_value(value)
    text = str(caught.value)
    assert "'sprung_mass'" in text
    assert str(value) in text
    assert "1200.0 to 1800.0 kg" in text


def test_both_ends_of_the_range_belong_to_it() -> None:
    assert MASS.with_value(1200.0).value == 1200.0
    assert MASS.with_value(1800.0).value == 1800.0
    assert Parameter("fixed", kind("number"), 2, 2, 2).value == 2.0


@given(value=st.floats(), low=st.floats(), high=st.floats())
def test_a_parameter_that_exists_is_inside_its_bounds(value: float, low: float, high: float) -> None:
    try:
        parameter = Parameter("p", kind("number"), value, low, high)
    except RangeError:
        assert not (math.isfinite(value) and low <= value <= high)
    else:
        assert parameter.low <= parameter.value <= parameter.high


def test_parameters_are_frozen_floats() -> None:
    assert type(Parameter("p", kind("number"), 2).value) is float
    assert type(Parameter("p", kind("number"), np.float32(0.5)).value) is float
    with pytest.raises(AttributeError):
        MASS.value = 1.0  # type: ignore[misc]


def test_the_range_of_the_kind_counts_too() -> None:
    with pytest.raises(RangeError, match=r"is -1.0 kg, allowed is 0.0 to 1000000.0 kg"):
        Parameter("mass", kind("mass"), -1.0)


@pytest.mark.parametrize(("low", "high"), [(2.0, 1.0), (math.nan, 1.0), (0.0, math.nan)])
def test_empty_range(low: float, high: float) -> None:
    with pytest.raises(RangeError, match="is empty"):
        Parameter("a", kind("number"), 1.0, low, high)


def test_scaling_is_that_of_the_paper() -> None:
    # Equation of the objective: z = (p / p0 − 1) / 0.2
    assert MASS.scaled(1500.0) == 0.0
    assert MASS.scaled(1800.0) == pytest.approx(1.0, abs=1e-12)
    assert MASS.unscaled(-1.0) == pytest.approx(1200.0, rel=1e-14)
    assert IXZ.unscaled(1.0) == pytest.approx(-60.0, rel=1e-14)  # away from zero, as p / p0 says
    assert MASS.unscaled(1.0, relative=0.1) == pytest.approx(1650.0, rel=1e-14)


@given(nominal=NOMINAL, z=st.floats(-1.0, 1.0), relative=RELATIVE)
def test_scaling_and_back(nominal: float, z: float, relative: float) -> None:
    parameter = Parameter("p", kind("number"), nominal)
    # p/p0 − 1 loses what 1 + r z rounds away: a unit in the last place of 1, magnified by 1/r.
    assert parameter.scaled(parameter.unscaled(z, relative), relative) == pytest.approx(z, abs=1e-15 / relative)


def test_scaling_needs_a_nominal_value_and_a_positive_bound() -> None:
    with pytest.raises(InputError, match="'p' is 0 and cannot be scaled"):
        Parameter("p", kind("number"), 0.0).scaled(1.0)
    for relative in (0.0, -0.2, math.nan, math.inf):
        with pytest.raises(RangeError, match="relative bound"):
            MASS.unscaled(0.5, relative)


def test_set_is_ordered_and_found_by_name() -> None:
    assert SET.names == ("sprung_mass", "Ixz", "spring_factor") == tuple(SET)
    assert len(SET) == 3
    assert SET["Ixz"] is IXZ
    assert "Ixz" in SET
    assert "Iyz" not in SET
    assert SET.parameters == (MASS, IXZ, FACTOR)
    assert SET.values.tolist() == [1500.0, -50.0, 1.0]
    with pytest.raises(UnknownNameError, match="did you mean 'sprung_mass'"):
        SET["spung_mass"]
    with pytest.raises(InputError) as caught:
        ParameterSet([IXZ, MASS, IXZ])
    assert [problem.text for problem in caught.value.problems] == ["parameter 'Ixz' occurs more than once"]


def test_new_values_make_a_new_set() -> None:
    changed = SET.with_values({"Ixz": -40.0})
    assert changed.values.tolist() == [1500.0, -40.0, 1.0]
    assert changed["sprung_mass"] == MASS
    assert changed["Ixz"].kind is IXZ.kind
    assert SET.values.tolist() == [1500.0, -50.0, 1.0]
    assert SET.with_values(changed.values) == changed != SET
    assert hash(SET.with_values(SET.values)) == hash(SET)


def test_faults_of_new_values_are_collected() -> None:
    with pytest.raises(RangeError) as caught:
        SET.with_values([1e9, -50.0, 3.0])
    assert [problem.text.split("'")[1] for problem in caught.value.problems] == [
        "sprung_mass",
        "spring_factor",
    ]
    with pytest.raises(UnknownNameError, match="unknown parameter 'Izx'"):
        SET.with_values({"Izx": 1.0})
    with pytest.raises(InputError, match=r"3 values in order are needed, got an array of shape \(2,\)"):
        SET.with_values([1.0, 2.0])


def test_vectors_of_places() -> None:
    z = np.array([0.5, -1.0, 1.0])
    values = SET.unscaled(z)
    np.testing.assert_allclose(values, SET.values * (1.0 + 0.2 * z), rtol=1e-15)
    np.testing.assert_allclose(SET.scaled(values), z, atol=1e-14)
    with pytest.raises(InputError, match="3 values"):
        SET.scaled([1.0])


def test_the_array_of_values_is_a_copy() -> None:
    SET.values[0] = 0.0
    assert SET["sprung_mass"].value == 1500.0


def test_plain_data_and_back() -> None:
    data = json.loads(json.dumps(SET.to_dict(), allow_nan=False))
    assert ParameterSet.from_dict(data) == SET
