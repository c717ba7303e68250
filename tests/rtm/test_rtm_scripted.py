"""A script and the vehicle that drives it: what its key hashes, where its run begins, what tangents are."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from asymmetric_vehicles import CAR, converted
from trackrod.core import signals
from trackrod.core.errors import ConvergenceError, InputError
from trackrod.core.series import Run
from trackrod.rtm.coefficients import PARAMETERS
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.script import Script, ScriptedVehicle
from trackrod.rtm.spec import RtmSpec

STEPS, LEAD, EVERY = 900, 300, 5


def spec() -> RtmSpec:
    return converted(CAR).spec


def controls() -> np.ndarray:
    """A turn that has begun before the run does, in third gear."""
    t = 1e-3 * np.arange(STEPS)
    throttle, gear, no_speed = (np.full(STEPS, value) for value in (0.2, 3.0, np.nan))
    return np.column_stack((1.2 * np.sin(4.0 * t), throttle, np.where(t > 0.7, 0.2, 0.0), gear, no_speed))


def script(**changes: object) -> Script:
    given = {"speed": 20.0, "gear": 3, "throttle": 0.2, "controls": controls(), "lead": LEAD, "every": EVERY}
    return Script(**{**given, "metadata": {"manoeuvre": "a turn"}, **changes})  # type: ignore[arg-type]


@cache
def vehicle() -> ScriptedVehicle:
    found = ScriptedVehicle(spec())
    found.settle()
    return found


@cache
def driven() -> Run:
    return vehicle().run(script())


# ---- the script


def test_the_key_follows_all_that_is_driven() -> None:
    other, guide = controls(), np.ones((STEPS, 3))
    other[-1, 0] += 1e-9
    changes = (
        {},
        {"speed": 20.1},
        {"gear": 2},
        {"throttle": 0.3},
        {"controls": other},
        {"lead": 310},
        {"every": 10},
        {"guide": guide},
        {"guide": 2 * guide},
    )
    keys = {script(**change).key for change in changes}
    assert len(keys) == len(changes)
    assert script(metadata={}).key == script().key
    assert script(controls=np.asfortranarray(controls())).key == script().key


def test_a_script_that_cannot_be_driven_is_refused() -> None:
    for wrong in (controls()[:, :4], controls()[0]):
        with pytest.raises(InputError, match="five columns are needed"):
            script(controls=wrong)
    with pytest.raises(InputError, match="a script of 304 steps is too short for a lead of 300 steps"):
        script(controls=controls()[:304])
    assert len(vehicle().run(script(controls=controls()[:305])).time) == 2


# ---- the run


def test_the_run_begins_at_the_end_of_the_lead() -> None:
    """In its own place and heading then; what it says of its inputs are those of the step that ends at a sample."""
    run = driven()
    np.testing.assert_allclose(run.time, 1e-3 * EVERY * np.arange((STEPS - LEAD) // EVERY + 1), atol=1e-9)
    assert [run[signal][0] for signal in (signals.X, signals.Y, signals.YAW)] == [0.0, 0.0, 0.0]
    np.testing.assert_array_equal(run[signals.STEERING_WHEEL_ANGLE], controls()[LEAD - 1 :: EVERY, 0])
    assert abs(run[signals.YAW_RATE][0]) > 0.05
    told = {"manoeuvre": "a turn", "vehicle": CAR, "model": "rtm", "step_s": 1e-3}
    assert {name: value for name, value in run.metadata.items() if name != "beyond_maps"} == told
    # the small maps end where the rear axle of a soft car still rolls by some millimetres
    assert [entry["variable"] for entry in run.metadata["beyond_maps"]] == ["opposite travel of rear"]


def test_place_and_heading_are_those_of_the_same_steps_one_by_one() -> None:
    """Driven from the same rest with the same inputs; turned back to the heading at the end of the lead."""
    one_by_one = RealTimeVehicle(spec())
    one_by_one.settle()
    one_by_one.start(20.0, 3)
    whole = one_by_one.advance(*controls()[:, :4].T)
    first = slice(LEAD - 1, None, EVERY)
    x, y, yaw = (whole[signal][first] for signal in (signals.X, signals.Y, signals.YAW))
    place = (x - x[0] + 1j * (y - y[0])) * np.exp(-1j * yaw[0])
    assert abs(yaw[0]) > 0.02
    assert np.ptp(place.imag) > 0.5
    run = driven()
    np.testing.assert_allclose(run[signals.X], place.real, atol=1e-3)
    np.testing.assert_allclose(run[signals.Y], place.imag, atol=1e-3)
    np.testing.assert_allclose(run[signals.YAW], yaw - yaw[0], atol=1e-4)
    for signal in (signals.VX, signals.YAW_RATE, signals.FZ["fl"], signals.AY):
        scale = np.abs(whole[signal]).max()
        np.testing.assert_allclose(run[signal], whole[signal][first], atol=1e-3 * scale)


def test_a_motion_that_breaks_down_late_is_told() -> None:
    broken = controls()
    broken[-20:, 0] = np.nan
    with pytest.raises(ConvergenceError, match=f"'{CAR}': the motion breaks down"):
        vehicle().run(script(controls=broken))


def test_a_guide_pulls_with_its_strength() -> None:
    slower = np.column_stack((np.full(STEPS, 19.0), np.zeros((STEPS, 2))))
    ends = [vehicle().run(script(guide=slower), strength)[signals.VX][-1] for strength in (0.0, 0.2, 1.0)]
    assert ends[0] == driven()[signals.VX][-1]
    assert ends[0] > ends[1] + 0.05 > ends[2] + 0.1


def test_another_step_and_other_parameters() -> None:
    undamped = {"damper_factor_front": 1e-6, "damper_factor_rear": 1e-6}  # and dropped far from where it stands
    swinging = spec().with_parameters(sprung_mass=3.0 * spec().parameters["sprung_mass"], **undamped)
    with pytest.raises(ConvergenceError, match=r"does not come to rest: it still moves with"):
        ScriptedVehicle(spec()).settle(swinging)
    heavy = ScriptedVehicle(spec())
    heavy.settle(spec().with_parameters(sprung_mass=1.2 * spec().parameters["sprung_mass"]))
    assert heavy.run(script())[signals.FZ["fl"]][0] > 1.05 * driven()[signals.FZ["fl"]][0]


# ---- tangents


def test_a_tangent_goes_along_its_directions() -> None:
    """Exact to first order, the parameters of the centre of gravity included: halving the way quarters the error."""
    names = [item.name for item in PARAMETERS]
    directions = np.zeros((2, len(names)))
    directions[0, names.index("sprung_mass")] = 100.0
    directions[1, names.index("unsprung_mass_rear")] = 20.0
    moved = ScriptedVehicle(spec())
    moved.settle(directions=directions)
    tangent = moved.tangent(script())
    for signal in (signals.VX, signals.X):
        np.testing.assert_allclose(tangent.run[signal], driven()[signal], atol=1e-9)
        assert np.array_equal(tangent.along(1, 0.0)[signal], tangent.run[signal])
    for direction, name in enumerate(("sprung_mass", "unsprung_mass_rear")):
        errors = []
        for amount in (0.2, 0.1):
            value = spec().parameters[name] + amount * directions[direction].max()
            exact = ScriptedVehicle(spec().with_parameters(**{name: value}))
            exact.settle()
            run, along = exact.run(script()), tangent.along(direction, amount)
            assert along.metadata == tangent.run.metadata
            errors.append(
                [np.abs(run[s] - along[s]).max() for s in (signals.VX, signals.YAW_RATE, signals.FZ["rl"])]
                + [np.abs(run[s] - driven()[s]).max() for s in (signals.VX, signals.YAW_RATE, signals.FZ["rl"])]
            )
        far, near = np.array(errors)
        assert (near[:3] < 0.1 * near[3:]).all(), (name, near)
        assert (near[:3] < 0.35 * far[:3]).all(), (name, near, far)
