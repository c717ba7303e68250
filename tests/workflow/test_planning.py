"""A plan keeps what it promises: its sensors measured virtually, its parameters driven wrong, its files used."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.plan_check import kept, measured_ratios

from rtm.converted_vehicles import spec_of
from trackrod.adams.source import open_vehicle
from trackrod.core.artefact import Artefact, save
from trackrod.core.errors import InputError
from trackrod.manoeuvres.longitudinal import Acceleration, Braking
from trackrod.manoeuvres.registry import MANOEUVRES
from trackrod.manoeuvres.standing import StandstillSteering
from trackrod.manoeuvres.steering import StepSteer
from trackrod.measured.imu import LEVEL_AT_CENTRE
from trackrod.measured.measurement_plan import MeasurementPlan, RecordingFormat, Test, find_plan
from trackrod.measured.sensors import case_study
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.spec import RTM, RtmSpec
from trackrod.simulate.drive import simulate
from trackrod.validate.criteria import Criteria, Criterion, write_criteria
from trackrod.validate.validation_plan import Method, ValidationPlan
from trackrod.validate.verdict import Comparison, Outcome, judge
from trackrod.workflow.measurement import measure
from trackrod.workflow.planning import plan_validation, require_signals
from trackrod.workflow.tests_to_drive import planned_tests_of
from trackrod.workflow.validation import drive_again, manoeuvre_of, validate_model

CRITERIA = Criteria(
    name="small",
    criteria=(
        Criterion(name="yaw rate", signal="yaw_rate_radps", metric="residual.of_largest", limit=0.05, floor=0.05),
        Criterion(name="braking", signal="ax_mps2", metric="residual.l2", limit=0.05, manoeuvres=("braking",)),
        Criterion(name="wheel load", signal="Fz_fl_N", metric="residual.of_largest", limit=0.05),
    ),
)
TESTS = (
    Test("step", StepSteer(steering_wheel_angle_deg=40.0, delay_s=0.2, hold_s=2.0), warm_up=1),
    Test("braking", Braking(speed_kmh=60.0, brake=0.3)),
    Test("standing", StandstillSteering(steering_wheel_angle_deg=90.0), initialisation=True),
    Test("acceleration", Acceleration(first_speed_kmh=20.0, last_speed_kmh=80.0)),
)
SMALL = MeasurementPlan("small", TESTS, case_study(), 1, LEVEL_AT_CENTRE, 0.0, RecordingFormat.CSV)


@pytest.fixture(scope="module")
def spec() -> RtmSpec:
    return spec_of("cla_class")


@pytest.fixture(scope="module")
def made(spec: RtmSpec) -> ValidationPlan:
    return plan_validation(CRITERIA, spec, SMALL, vehicle=open_vehicle("cla_class").vehicle)


@pytest.mark.parametrize(("sensor", "kind"), [("yaw_rate_radps", "zero"), ("steering_wheel_angle_rad", "gain")])
def test_planned_sensors_keep_the_share_and_doubled_ones_do_not(
    spec: RtmSpec, made: ValidationPlan, sensor: str, kind: str
) -> None:
    """Measured, driven again and judged by functions that planning does not use."""
    need = next(need for need in made.sensors if need.name == sensor)
    criterion, name = need.rows[kind]
    test = next(test for test in made.measurement.tests if test.name == name)
    sensors = made.measurement.sensors
    once = measured_ratios(spec, made.criteria, test, sensors, range(1, 26))[criterion]
    assert kept(once, made.share)
    twice = measured_ratios(spec, made.criteria, test, sensors.scaled(error=2.0), range(1, 26))[criterion]
    assert not kept(twice, made.share)


@pytest.mark.parametrize("name", ["sprung_mass", "Izz", "brake_front", "steering_ratio", "cg_to_front"])
def test_a_parameter_that_is_wrong_by_its_accuracy_fills_its_share(
    spec: RtmSpec, made: ValidationPlan, name: str
) -> None:
    """By a drive of the whole test with the wrong parameter: no tangent, no script."""
    need = next(need for need in made.parameters if need.tunable.name == name)
    test = next(test for test in made.measurement.tests if test.name == need.row[1])
    truth = simulate(RealTimeVehicle(spec), test.manoeuvre, sample=0.01)
    found = []
    for sign in (1.0, -1.0):
        wrong = spec.with_parameters(**{name: need.tunable.nominal + sign * need.accuracy})
        model = drive_again(wrong, test.name, test.manoeuvre.name, truth)
        rows = judge(made.criteria, [Comparison(test.name, test.manoeuvre.name, (truth,), model)]).rows
        found.append(next(row.ratio for row in rows if row.criterion.name == need.row[0]))
    assert 0.7 * made.parameter_share < max(found) < 1.15 * made.parameter_share
    assert 0.5 * made.parameter_share < min(found)


def test_derivatives_and_driving_agree(made: ValidationPlan) -> None:
    bounded = [need for need in made.parameters if math.isfinite(need.accuracy)]
    assert len(bounded) > 8
    assert sum(bool(need.note) for need in bounded) <= 2  # where they do not, a note says so
    for need in bounded:
        assert need.note or 0.8 < need.driven / made.parameter_share < 1.25, need.tunable.name


def test_changes_of_gear_and_coming_to_rest_do_not_rule(made: ValidationPlan) -> None:
    names = {worth.test: worth.criteria for worth in made.worth}
    assert names["acceleration"] == ()  # driven for estimates
    pieces = [name for name in names if name.startswith("acceleration_gear_")]
    assert pieces
    assert all(names[name] for name in pieces)
    assert "wheel load, standing" in names["standstill_steering_standing"]
    mass = next(need for need in made.parameters if need.tunable.name == "sprung_mass")
    assert mass.relative > 0.003  # with the instant of rest it would be hundredths of a percent


def test_measure_and_validate_take_what_was_written(spec: RtmSpec, made: ValidationPlan, tmp_path: Path) -> None:
    made.measurement.write(tmp_path / "plan.toml", tmp_path / "sensors.toml")
    write_criteria(made.criteria, tmp_path / "criteria.toml")
    again = find_plan(tmp_path / "plan.toml")
    assert again.tests == made.measurement.tests
    some = replace(again, tests=tuple(t for t in again.tests if t.name.startswith(("step", "braking"))))
    written = measure(RealTimeVehicle(spec), spec, some, tmp_path / "out")
    assert len(written.recordings["step_steer_step"]) == 3
    assert len(written.warm_up) == 1
    truth = tmp_path / "tests"
    truth.mkdir()
    for name, path in written.truth.items():
        path.rename(truth / f"{name}.csv")
    save(Artefact(RTM, spec), tmp_path / "rtm.json")
    found = validate_model(tmp_path / "rtm.json", truth, made.criteria)
    assert found.verdict.outcome is not Outcome.NOT_VALID
    judged = {(row.criterion.name, row.test) for row in found.verdict.rows}
    assert {("braking", "braking"), ("yaw rate", "step_steer_step"), ("wheel load", "braking")} <= judged


def test_names_of_tests_tell_what_was_driven() -> None:
    tests = planned_tests_of(find_plan("case_study"), CRITERIA)
    assert [manoeuvre_of(test.name, simulated) for test in tests for simulated in [_Nothing()]] == [  # type: ignore[arg-type]
        test.manoeuvre.name for test in tests
    ]
    assert all(test.repeats >= 3 for test in tests)


class _Nothing:
    metadata: dict[str, object] = {}  # noqa: RUF012 - a recording tells nothing


def test_no_manoeuvre_begins_like_another() -> None:
    assert not [(a, b) for a in MANOEUVRES for b in MANOEUVRES if a != b and b.startswith(a)]


def test_a_manoeuvre_that_a_criterion_asks_for_is_added() -> None:
    asked = replace(CRITERIA, criteria=(replace(CRITERIA.criteria[0], manoeuvres=("sine_sweep", "pulse")),))
    assert [test.name for test in planned_tests_of(SMALL, asked)][-1] == "sine_sweep"


def test_estimates_are_chosen_where_they_suffice(made: ValidationPlan) -> None:
    for need in made.parameters:
        if need.method not in (Method.AS_GIVEN, Method.NONE):
            assert need.reached[need.method] <= need.accuracy


def test_what_the_model_has_not_is_refused_at_once(spec: RtmSpec) -> None:
    wrong = (
        replace(CRITERIA.criteria[0], name="air", signal="air_speed_mps"),
        replace(CRITERIA.criteria[0], name="flight", manoeuvres=("loop",)),
    )
    with pytest.raises(InputError, match=r"'air' needs 'air_speed_mps'.*\n?.*manoeuvre of 'flight'"):
        require_signals(replace(CRITERIA, criteria=wrong), spec)
