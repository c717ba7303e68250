"""What a specification of a real-time model refuses; made by hand, because nothing here depends on a vehicle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from rtm import elastic_axles
from trackrod.core.corners import Corner
from trackrod.core.errors import InputError, UnknownNameError
from trackrod.rtm.layout import CHANNELS, COMPLIANCE_CHANNELS, STIFF_BUSHINGS
from trackrod.rtm.spec import RTM, AxleSpec, ComplianceSpec, Curve, RtmSpec, WheelSpec

LOADS, OPPOSITE_LOADS = np.array([-3000.0, 0.0, 3000.0]), np.array([-2000.0, 2000.0])
PARAMETERS = {
    "sprung_mass": 1300.0,
    "unsprung_mass_front": 40.0,
    "unsprung_mass_rear": 35.0,
    "wheel_inertia_front": 1.1,
    "wheel_inertia_rear": 1.2,
    "Ixx": 500.0,
    "Iyy": 1900.0,
    "Izz": 2100.0,
}


def compliance() -> ComplianceSpec:
    columns = len(COMPLIANCE_CHANNELS)
    return ComplianceSpec(LOADS, np.zeros((3, columns)), OPPOSITE_LOADS, np.zeros((2, columns)))


def wheel(corner: Corner = Corner.FL) -> WheelSpec:
    first, second = np.linspace(-0.08, 0.08, 4), np.linspace(-0.05, 0.05, 3)
    kinematics = np.zeros((4, 3, len(CHANNELS)))
    kinematics[:, :, CHANNELS.index("tz")] = first[:, None]
    curves = line(1.0), line(2.0), line(4.0)
    return WheelSpec(corner, (0.0, 0.7, 0.3), first, second, kinematics, (compliance(),) * 4, (), *curves)


def line(slope: float) -> Curve:
    return Curve(np.array([-1.0, 1.0]), slope * np.array([-1.0, 1.0]))


def axle() -> AxleSpec:
    return AxleSpec(True, False, line(3.0), line(2.0))


@cache
def spec() -> RtmSpec:
    return RtmSpec("by hand", PARAMETERS, tuple(map(wheel, Corner)), (axle(), axle()), {})


def refused(change: object) -> str:
    assert callable(change)
    with pytest.raises(InputError) as caught:
        change()
    return str(caught.value)


BACKWARD = Curve(np.array([0.0, 1.0, 0.5]), np.zeros(3))


@pytest.mark.parametrize(
    ("name", "of", "owner"),
    [
        *((name, axle, "an axle") for name in ("roll", "antiroll", "lever")),
        *((name, wheel, "'fl'") for name in ("spring", "stops", "damper", "by_rack")),
    ],
)
def test_the_wrong_curve_is_named(name: str, of: Callable[[], AxleSpec | WheelSpec], owner: str) -> None:
    assert f"'{name}' of {owner} must grow" in refused(lambda: replace(of(), **{name: BACKWARD}))
    endless = Curve(np.array([0.0, 1.0]), np.array([0.0, np.inf]))
    assert f"'{name}' of {owner} holds values that are not finite" in refused(lambda: replace(of(), **{name: endless}))


def test_a_curve_needs_as_many_ordinates_as_abscissae() -> None:
    short = Curve(np.arange(3.0), np.zeros(2))
    assert "has 3 abscissae and 2 ordinates" in refused(lambda: replace(wheel(), stops=short))
    assert list(Curve().faults("nothing")) == []
    assert list(Curve(np.ones(1), np.ones(1)).faults("a point")) == ["a point needs two knots or more"]


@pytest.mark.parametrize("name", ["bump_base", "rebound_base"])
@pytest.mark.parametrize("value", [-0.1, np.nan])
def test_stops_that_stand_nowhere_are_named(name: str, value: float) -> None:
    assert f"'{name}' of 'fl' is {value:g}, it must not be below zero" in refused(
        lambda: replace(wheel(), **{name: value})
    )


@pytest.mark.parametrize("of", ["own", "opposite"])
def test_the_wrong_table_of_a_compliance_is_named(of: str) -> None:
    good = compliance()
    assert list(good.faults("it")) == []
    loads = replace(good, **{f"{of}_load": getattr(good, f"{of}_load")[::-1]})
    [text] = loads.faults("it")
    assert text.startswith(f"it over the load on the {of} wheel must grow from knot to knot, but ")
    for rows in (getattr(good, of)[:, :3], getattr(good, of)[1:], np.full_like(getattr(good, of), np.nan)):
        assert list(replace(good, **{of: rows}).faults("it")) == [
            f"it over the load on the {of} wheel needs 4 finite values a row"
        ]


def test_the_compliance_of_a_wheel_is_whole_or_none() -> None:
    assert replace(wheel(), compliance=()).compliance == ()
    assert "'fl' needs a compliance for each of brake_force, drive_force" in refused(
        lambda: replace(wheel(), compliance=wheel().compliance[:3])
    )
    wrong = replace(compliance(), own_load=LOADS[::-1])
    text = refused(lambda: replace(wheel(), compliance=(*wheel().compliance[:2], wrong, compliance())))
    assert "the compliance of 'fl' (side_force)" in text


def test_where_knots_go_back_is_told() -> None:
    knots = np.array([-0.08, -0.02, 0.04, 0.03])
    assert "must grow from knot to knot, but 0.03 comes after 0.04" in refused(lambda: replace(wheel(), first=knots))
    unknown = np.array([-0.05, np.nan, 0.05])
    assert "second variable of the kinematics of 'fl' has knots that are not finite" in refused(
        lambda: replace(wheel(), second=unknown)
    )


def test_the_kinematics_fit_their_knots_and_rise() -> None:
    kinematics = wheel().kinematics
    assert "have the shape (4, 2, 8), not (4, 3, 8)" in refused(lambda: replace(wheel(), kinematics=kinematics[:, 1:]))
    holed, folded = kinematics.copy(), kinematics.copy()
    holed[1, 1, 1] = np.nan
    assert "hold values that are not finite" in refused(lambda: replace(wheel(), kinematics=holed))
    folded[3, 1, CHANNELS.index("tz")] = -0.02
    assert "between a travel of 0.0266667 and 0.08 m where the second variable is 0 m" in refused(
        lambda: replace(wheel(), kinematics=folded)
    )


@pytest.mark.parametrize("axle_name", ["front", "rear"])
def test_what_must_be_positive_and_what_must_not_be_negative(axle_name: str) -> None:
    for name in (f"unsprung_mass_{axle_name}", f"wheel_inertia_{axle_name}", "sprung_mass"):
        text = refused(lambda name=name: spec().with_parameters(**{name: 0.0}))
        assert f"'{name}' is 0, it must be greater than zero" in text
    for name in ("unsprung_roll_inertia", "unsprung_yaw_inertia", "friction"):
        whole = f"{name}_{axle_name}"
        assert spec().with_parameters(**{whole: 0.0}).parameters[whole] == 0.0
        assert f"'{whole}' is -1, it must not be below zero" in refused(
            lambda whole=whole: spec().with_parameters(**{whole: -1.0})
        )


def test_an_unknown_parameter_and_a_missing_wheel() -> None:
    with pytest.raises(UnknownNameError, match="sprung_weight"):
        spec().with_parameters(sprung_weight=1.0)
    assert "needs the wheels fl, fr, rl, rr and two axles" in refused(
        lambda: replace(spec(), wheels=spec().wheels[::-1])
    )
    assert "needs the wheels fl, fr, rl, rr and two axles" in refused(lambda: replace(spec(), axles=(axle(),)))


def test_mass_and_what_stands_where_nothing_is_given() -> None:
    assert spec().mass == 1300.0 + 2 * 40.0 + 2 * 35.0
    assert spec().compliance_lag == 0.005  # s, of the rubber in bushings
    assert (spec().road_height, spec().steering, spec().powertrain) == (0.0, None, None)


# ---- axles that give


@pytest.mark.parametrize("which", ["symmetric", "antisymmetric"])
@pytest.mark.parametrize(
    "part",
    [
        "mass",
        "damping",
        "compliance",
        "body_mass",
        "travel_mass",
        "travel_damping",
        "pose",
    ],
)
def test_the_wrong_matrix_of_an_elastic_axle_is_named(which: str, part: str) -> None:
    value = getattr(elastic_axles.mode(), part)
    holed = value.copy()
    holed.flat[1] = np.nan
    for wrong in (value[1:], holed):
        text = refused(lambda wrong=wrong: elastic_axles.axle(**{which: elastic_axles.mode(**{part: wrong})}))
        assert f"under {which} loads: {part.replace('_', ' ')} needs finite values of the shape {value.shape}" in text


@pytest.mark.parametrize("part", ["reference", "travel_mass", "travel_momentum", "travel_damping"])
def test_the_wrong_travel_of_an_elastic_axle_is_named(part: str) -> None:
    value = getattr(elastic_axles.axle(), part)
    for wrong in (value[1:], np.full_like(value, np.inf)):
        text = refused(lambda wrong=wrong: elastic_axles.axle(**{part: wrong}))
        assert f"{part.replace('_', ' ')} of an axle needs finite values of the shape {value.shape}" in text


@pytest.mark.parametrize("radius", [0.0, -0.3, float("nan")])
def test_the_radius_of_an_elastic_axle_is_positive(radius: float) -> None:
    assert "radius of an axle" in refused(lambda: elastic_axles.axle(radius=radius))


def test_an_axle_must_not_push_against_its_loads_and_must_be_damped() -> None:
    size = elastic_axles.SHAPES
    pushing = 1e-7 * np.eye(size)
    pushing[0, 1] = pushing[1, 0] = 2e-7
    text = refused(lambda: elastic_axles.axle(symmetric=elastic_axles.mode(compliance=pushing)))
    assert "under symmetric loads: the compliance is not positive definite" in text
    undamped = elastic_axles.mode(damping=np.zeros((size, size)))
    text = refused(lambda: elastic_axles.axle(antisymmetric=undamped))
    assert "under antisymmetric loads: nothing damps what gives; give the bushings a damping" in text
    rigid = elastic_axles.mode(compliance=np.zeros((size, size)), damping=np.zeros((size, size)))
    assert elastic_axles.axle(symmetric=rigid).symmetric is rigid


@pytest.mark.parametrize("where", [(0, elastic_axles.LOADS), (elastic_axles.LOADS, 0)])
def test_loads_give_nothing_to_inner_shapes(where: tuple[int, int]) -> None:
    compliance = elastic_axles.mode().compliance.copy()
    compliance[where] = 1e-12
    text = refused(lambda: elastic_axles.axle(symmetric=elastic_axles.mode(compliance=compliance)))
    assert "under symmetric loads: loads must give nothing to inner shapes" in text


@pytest.mark.parametrize("part", ["loads", "standing", "strain", "pose"])
def test_the_wrong_number_of_a_bushing_is_named(part: str) -> None:
    value = getattr(elastic_axles.bushing(), part)
    for wrong in (value[1:], np.full_like(value, np.nan)):
        bushing = elastic_axles.bushing(**{part: wrong})
        text = refused(lambda bushing=bushing: elastic_axles.axle(bushings=(bushing,)))
        assert f"{part} of a bushing that stiffens needs finite values of the shape {value.shape}" in text


@pytest.mark.parametrize("force", [[1e3, 0.0, -1e3], [-1e3, np.nan, 1e3], [-1e3, 1e3], [-1e3, 100.0, 1e3]])
def test_forces_of_a_bushing_grow_in_even_steps(force: list[float]) -> None:
    bushing = elastic_axles.bushing(force=np.array(force))
    text = refused(lambda: elastic_axles.axle(bushings=(bushing,)))
    assert "a bushing that stiffens needs three forces or more that grow in even steps" in text


def test_an_axle_has_so_many_bushings_that_stiffen() -> None:
    text = refused(lambda: elastic_axles.axle(bushings=(elastic_axles.bushing(),) * (STIFF_BUSHINGS + 1)))
    assert f"{STIFF_BUSHINGS + 1} bushings that stiffen, {STIFF_BUSHINGS} are allowed" in text


def test_compliance_moves_in_both_axles_or_in_none() -> None:
    moving = replace(axle(), elasticity=elastic_axles.axle())
    assert replace(spec(), axles=(moving, moving)).axles[1].elasticity is not None
    for axles in ((moving, axle()), (axle(), moving)):
        assert "compliance moves in one axle only" in refused(lambda axles=axles: replace(spec(), axles=axles))


def test_what_an_older_model_does_in_roll_is_the_bar() -> None:
    """Version 3 had one curve, all of it scaled."""
    older = dict(RTM.to_plain(spec()))
    older["axles"] = [{name: part for name, part in axle.items() if name != "roll"} for axle in older["axles"]]
    for found in RTM.from_plain(RTM.upgrades[3](older)).axles:
        assert np.array_equal(found.roll.y, [-2.0, 2.0])
        assert np.array_equal(found.antiroll.y, found.roll.y)
