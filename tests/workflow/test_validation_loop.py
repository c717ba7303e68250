"""The loop: a wrong model is brought to its criteria within what is known, and where that cannot be, it says so."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rtm.converted_vehicles import spec_of
from trackrod.core.errors import InputError
from trackrod.core.series import Run
from trackrod.manoeuvres.longitudinal import Braking
from trackrod.manoeuvres.steering import SingleSine, StepSteer
from trackrod.reference.replay import Replay
from trackrod.reference.runs import Longitudinal, ReferenceRun
from trackrod.report.validation import road_sentence
from trackrod.rtm.spec import RtmSpec
from trackrod.single_track import SingleTrack
from trackrod.tune.test import Test
from trackrod.tune.whole import Whole
from trackrod.validate.criteria import Criteria, Criterion
from trackrod.validate.loop import Given, fill_in
from trackrod.validate.tuning import Rows
from trackrod.validate.verdict import Comparison, Outcome, judge
from trackrod.workflow.runs import model_run
from trackrod.workflow.validation import drive_again
from trackrod.workflow.validation_loop import close_loop

CRITERIA = Criteria(
    name="handling",
    criteria=(
        Criterion(name="yaw rate", signal="yaw_rate_radps", metric="residual.l2", limit=0.02, weight=2.0),
        Criterion(name="lateral acceleration", signal="ay_mps2", metric="sprague-geers.C", limit=0.03),
        Criterion(name="roll angle", signal="roll_rad", metric="residual.l2", limit=0.02),
        Criterion(name="pitch angle", signal="pitch_rad", metric="residual.l2", limit=0.04, manoeuvres=("braking",)),
    ),
)
MANOEUVRES = (
    StepSteer(steering_wheel_angle_deg=30.0, delay_s=0.2, hold_s=2.0),
    SingleSine(steering_wheel_angle_deg=25.0),
    Braking(speed_kmh=80.0, brake=0.3),
)
#: What is wrong in the model that the loop begins with, as factors.
WRONG = {"sprung_mass": 1.15, "Izz": 0.85, "cg_height": 1.15, "antiroll_factor_front": 0.85, "spring_factor_rear": 1.1}


@pytest.fixture(scope="module")
def truth() -> RtmSpec:
    return spec_of("cla_class")


@pytest.fixture(scope="module")
def tests(truth: RtmSpec) -> dict[str, tuple[Run, ...]]:
    """Measured on the true vehicle, whose dampers and compliance the model will not have, with noise."""
    real = truth.with_parameters(damper_factor_front=1.05, compliance_factor_rear=1.1)
    rng = np.random.default_rng(7)
    found = {}
    for manoeuvre in MANOEUVRES:
        run = model_run(real, manoeuvre, 1e-3, 0.01)
        noisy = {
            column: run[column] + 0.003 * np.abs(run[column]).max() * rng.normal(size=run.time.size)
            for column in ("yaw_rate_radps", "ay_mps2", "roll_rad", "pitch_rad")
        }
        found[manoeuvre.name] = (Run({**run, **noisy}, {"manoeuvre": manoeuvre.name}),)
    return found


def wrong(spec: RtmSpec) -> RtmSpec:
    return spec.with_parameters(**{name: factor * spec.parameters[name] for name, factor in WRONG.items()})


def known(truth: RtmSpec) -> dict[str, Given]:
    """As estimators give it: a little off, with intervals that hold the truth."""
    whole = Whole.of(truth)
    return {
        name: Given(value * (1 + off), value * (1 + off - width), value * (1 + off + width))
        for name, value, off, width in (
            ("mass", whole.mass, 0.002, 0.006),
            ("cg_height", whole.cg_height, -0.01, 0.02),
            ("Izz", whole.Izz, 0.02, 0.05),
        )
    }


def test_every_criterion_is_met_from_a_wrong_start(truth: RtmSpec, tests: dict[str, tuple[Run, ...]]) -> None:
    loop = close_loop(
        wrong(truth), tests, CRITERIA, known(truth), names=("antiroll_factor_front", "spring_factor_rear")
    )
    assert loop.verdict.outcome is Outcome.VALID, loop.sentence
    first, filled, *_, last = loop.rounds
    assert first.degree > filled.degree > last.degree
    assert max(first.ratios.values()) > 3.0
    # nothing moved farther than what is known of it allows, and what was wrong came back
    for item in loop.space.tunables:
        assert item.lower <= loop.spec.parameters[item.name] <= item.upper
    assert Whole.of(loop.spec).mass == pytest.approx(Whole.of(truth).mass, rel=0.01)
    assert loop.spec.parameters["antiroll_factor_front"] == pytest.approx(1.0, abs=0.05)


def test_parameters_that_make_up_for_each_other_are_found_without_estimates(
    truth: RtmSpec, tests: dict[str, tuple[Run, ...]]
) -> None:
    """From a start at which the degree of validity alone leads into another valley, with mass and height wrong."""
    loop = close_loop(wrong(truth), tests, CRITERIA)
    assert loop.verdict.outcome is Outcome.VALID, loop.sentence
    for name in ("sprung_mass", "cg_height", "Izz"):
        assert loop.spec.parameters[name] == pytest.approx(truth.parameters[name], rel=0.02)


def test_a_single_track_model_is_brought_to_its_criteria(tests: dict[str, tuple[Run, ...]]) -> None:
    """From a start with every number 15 % wrong, by what a model with roll and compliance did."""
    lateral = {name: tests[name] for name in ("step_steer", "single_sine")}
    names = ("yaw_inertia", "cornering_stiffness_front", "cornering_stiffness_rear", "steering_ratio")
    start = SingleTrack(1643.0, 2850.0 * 1.15, 2.7, 0.588, 95e3 * 0.85, 130e3 * 1.15, steering_ratio=16.0)
    asked = replace(CRITERIA, criteria=tuple(replace(c, limit=0.08) for c in CRITERIA.criteria[:1]))
    loop = close_loop(start, lateral, asked, {"yaw_inertia": Given(2850.0, 2780.0, 2920.0)}, names=names[1:])
    assert loop.verdict.outcome is Outcome.VALID, loop.sentence
    assert loop.rounds[0].degree > 2.0 * loop.rounds[-1].degree
    assert isinstance(loop.spec, SingleTrack)
    assert 2780.0 <= loop.spec.yaw_inertia <= 2920.0


def test_a_test_is_driven_on_its_road(truth: RtmSpec) -> None:
    """The same model on the road of the test meets its criteria; on a level one it would be far from them."""
    time = np.arange(0.0, 6.0, 0.01)
    swerve = 0.6 * np.sin(2.0 * np.pi * time / 3.0) * (time < 3.0)
    road = {"road_slope_rad": 0.04 + 0.0 * time, "road_bank_rad": 0.06 * np.clip(time, 0.0, 1.0)}
    driven = Run({"time_s": time, "vx_mps": 20.0 + 0.0 * time, "steering_wheel_angle_rad": swerve, **road})
    source = ReferenceRun("single_sine", driven, Longitudinal.SPEED)
    run = model_run(truth, Replay(source=source), 1e-3, 0.01)
    recorded = {"single_sine": (Run(dict(run), {"manoeuvre": "single_sine"}),)}
    asked = replace(CRITERIA, criteria=CRITERIA.criteria[:3])
    loop = close_loop(
        truth.with_parameters(Izz=1.1 * truth.parameters["Izz"]), recorded, asked, names=("Izz", "cg_height")
    )
    assert loop.verdict.outcome is Outcome.VALID, loop.sentence
    assert loop.spec.parameters["Izz"] == pytest.approx(truth.parameters["Izz"], rel=0.01)
    assert "road slope" in road_sentence(loop.comparisons)
    assert "dry, still air assumed" in road_sentence(loop.comparisons)
    level = {
        name: tuple(Run({c: one[c] for c in one if c not in road}, one.metadata) for one in repeats)
        for name, repeats in recorded.items()
    }
    without = drive_again(truth, "single_sine", "single_sine", level["single_sine"][0])
    comparisons = (Comparison("single_sine", "single_sine", level["single_sine"], without),)
    verdict = judge(asked, comparisons)
    assert max(row.ratio for row in verdict.rows) > 5.0
    assert road_sentence(comparisons) == "level, dry, still air assumed"


def test_what_cannot_be_met_is_named(truth: RtmSpec, tests: dict[str, tuple[Run, ...]]) -> None:
    hopeless = replace(CRITERIA, criteria=(replace(CRITERIA.criteria[0], limit=1e-4), *CRITERIA.criteria[1:]))
    loop = close_loop(truth, {"step_steer": tests["step_steer"]}, hopeless, names=("Izz", "cg_to_front"))
    assert loop.verdict.outcome is Outcome.NOT_VALID
    assert "Not every criterion can be met" in loop.sentence
    assert "yaw rate in step_steer" in loop.sentence
    assert "pitch angle (no test)" in loop.sentence


def test_the_objective_is_the_degree_of_validity(truth: RtmSpec, tests: dict[str, tuple[Run, ...]]) -> None:
    name, (recorded,) = "braking", tests["braking"]
    driven = drive_again(wrong(truth), name, name, recorded)
    rows = Rows(CRITERIA, tests)
    blocks = rows(Test(name, name, name, recorded, Braking()), driven)
    verdict = judge(CRITERIA, [Comparison(name, name, (recorded,), driven)])
    assert rows.degree(blocks) == pytest.approx(verdict.degree, rel=1e-9)
    assert [block.value_pct for block in blocks] == pytest.approx([100.0 * row.ratio for row in verdict.rows])
    # what lies beyond a limit counts twice
    beyond = sum(row.criterion.weight * max(row.ratio - 1.0, 0.0) for row in verdict.rows)
    total = sum(row.criterion.weight for row in verdict.rows)
    assert rows.objective(blocks).value(blocks) == pytest.approx(100.0 * (verdict.degree + beyond / total))
    assert beyond > 0.0


def test_a_whole_vehicle_is_filled_in(truth: RtmSpec) -> None:
    given = known(truth)
    filled, bounds = fill_in(wrong(truth), given)
    found = Whole.of(filled)
    for name, at in given.items():
        assert getattr(found, name) == pytest.approx(at.value, rel=1e-5)
    # the ends of the interval of the height are those of the whole vehicle
    upper = Whole.of(filled.with_parameters(cg_height=bounds["cg_height"].upper))
    assert upper.cg_height == pytest.approx(given["cg_height"].upper, rel=1e-4)


def test_unknown_names_and_bare_tests_are_refused(truth: RtmSpec, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no parameter 'wheelbase'"):
        fill_in(truth, {"wheelbase": Given(2.7, 2.6, 2.8)})
