"""Files of campaigns: what they say, and everything that is wrong with its line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from trackrod.campaign.description import AppliedAs, Target
from trackrod.campaign.distributions import Shape
from trackrod.campaign.file import read_campaign
from trackrod.campaign.folder import CampaignFolder
from trackrod.campaign.sampling import Method
from trackrod.core.errors import InputError
from trackrod.rtm.spec import RtmSpec
from trackrod.workflow.campaign import plan_of, run_campaign

Write = Callable[..., Path]


def problems(path: Path) -> list[tuple[int | None, str]]:
    with pytest.raises(InputError) as caught:
        read_campaign(path)
    return [(problem.place.line, problem.text) for problem in caught.value.problems]


def test_a_file_is_read(campaign_file: Write) -> None:
    path = campaign_file('[outputs]\nvalues = ["yaw_rate_response_time_s"]\nsignals = ["ay_mps2"]\nevery = 5\n')
    found = read_campaign(path).description
    assert (found.name, found.seed, found.method, found.count) == ("small", 5, Method.LHS, 8)
    assert [(v.name, v.target, v.applied, v.distribution.shape) for v in found.variables] == [
        ("friction", Target.ENVIRONMENT, AppliedAs.VALUE, Shape.UNIFORM),
        ("sprung_mass", Target.PARAMETER, AppliedAs.FACTOR, Shape.NORMAL),
        ("step.speed_kmh", Target.SETTING, AppliedAs.VALUE, Shape.TRIANGULAR),
    ]
    assert (found.values, found.signals, found.every) == (("yaw_rate_response_time_s",), ("ay_mps2",), 5)
    assert found.models[0].source == str(path.parent / "car.json")


@pytest.mark.parametrize(
    ("more", "line", "says"),
    [
        ("[vary.sprung_mas]\ndistribution = 'uniform'\nlow = 1\nhigh = 2\n", 36, "sprung_mas"),
        ("[vary.payload]\ndistribution = 'uniform'\nlow = 0\nhigh = 2\n", 36, "not where it lies"),
        ("[vary.cg_y]\ndistribution = 'uniform'\nlow = 2\nhigh = 1\n", 38, "goes from 2 to 1"),
        ("[vary.cg_y]\ndistribution = 'even'\nlow = 2\nhigh = 3\n", 37, "even"),
        ("[vary.cg_y]\ndistribution = 'uniform'\nlow = 2\n", 36, "'high' is missing"),
        ("[vary.cg_y]\ndistribution = 'uniform'\nlow = '1 kg'\nhigh = 2\n", 38, "unit"),
        ("[vary.step.speed]\ndistribution = 'uniform'\nlow = 20\nhigh = 30\n", 36, "speed"),
        ("[vary.step.hold_s]\ndistribution = 'uniform'\nlow = -20\nhigh = 30\n", 36, "hold_s"),
        ("[vary.step.direction]\ndistribution = 'choice'\nvalues = ['left', 'up']\n", 36, "direction"),
        ("[outputs]\nvalues = ['braking_distance_m']\n", 37, "braking_distance_m"),
        ("[stop]\nfailed_share = 2\n", 37, "failed_share"),
        ("[stop.half_width]\nyaw = 2\n", 37, "yaw"),
        ("[manoeuvres.second]\nmanoeuvre = 'step'\n", 37, "step"),
        ("[manoeuvres.second]\nmanoeuvre = 'braking'\nbrake = 3\n", 38, "brake"),
        ("[models.other]\nsource = 'lcv_8t'\n", 37, "lcv_8t"),
        (f"[models.other]\nsource = '{'l' * 5000}'\n", 37, "llll"),
        ("[models.other]\nsource = 'lcv_7t'\npayload = 'much'\n", 38, "much"),
        ("[models.friction]\nsource = 'lcv_7t'\n", 36, "something that can vary"),
        ("[stops]\nafter = 2\n", 36, "stops"),
    ],
)
def test_faults_have_their_lines(campaign_file: Write, more: str, line: int, says: str) -> None:
    path = campaign_file(more)
    text = path.read_text().splitlines()
    first = next(k for k, row in enumerate(text, 1) if row == more.splitlines()[0])
    found = problems(path)
    assert [at for at, told in found if says in told] == [first + line - 36], found


def test_manoeuvres_that_are_a_number(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text("manoeuvres = 3.5\n[models.a]\nsource = 'lcv_7t'\n[vary.step]\nlow = 1\n")
    assert any(line == 1 for line, _ in problems(path))


def test_all_faults_are_told_at_once(campaign_file: Write) -> None:
    path = campaign_file("[vary.cg_y]\ndistribution = 'even'\n[stop]\nafter = 0\n")
    assert len(problems(path)) == 2


@pytest.mark.parametrize("method", ["sobol", "saltelli"])
def test_sobols_sequence_needs_a_power_of_two(campaign_file: Write, method: str) -> None:
    assert "power of two" in problems(campaign_file(sampling=method, points=12))[0][1]


def test_a_grid_needs_levels_and_no_points(campaign_file: Write) -> None:
    assert "levels" in problems(campaign_file(sampling="grid", points=None))[0][1]
    assert "as many points" in problems(campaign_file(sampling="grid", points=3, levels=2))[0][1]


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ("[vary.Izz]\ndistribution = 'normal'\nas = 'factor'\nmean = 1\ndeviation = 0.5\n", "'Izz'"),
        ("[vary.friction_front]\ndistribution = 'uniform'\nas = 'factor'\nlow = 0.9\nhigh = 1.1\n", "it is zero"),
        ("[outputs]\nsignals = ['yaw_rate']\n", "signal of a run 'yaw_rate'"),
        ("[models.tuned]\nsource = 'car.json'\nposterior = true\n", "tuning left uncertain"),
        ("[models.half]\nsource = 'car.json'\npayload = 'half'\n", "payload level is for vehicles"),
    ],
)
def test_what_no_model_can_be_is_refused_before_any_run(
    campaign_file: Write, car: RtmSpec, more: str, says: str
) -> None:
    path = campaign_file(more)
    with pytest.raises(InputError, match=says) as caught:
        run_campaign(path)
    assert caught.value.problems[0].place.file == path
    assert not CampaignFolder(path.with_name("small_campaign")).path.exists()


def test_runs_are_numbered_by_point_model_and_manoeuvre(campaign_file: Write) -> None:
    """All models and manoeuvres drive each point: they are compared under the same circumstances."""
    path = campaign_file("[models.other]\nsource = 'car.json'\n[manoeuvres.stop]\nmanoeuvre = 'braking'\n")
    plan = plan_of(read_campaign(path))
    found = list(plan.circumstances(range(plan.runs)))
    assert [each.number for each in found] == list(range(8 * 4))
    assert [(each.point, each.model.label, each.test.label) for each in found[4:8]] == [
        (1, "car", "step"),
        (1, "car", "stop"),
        (1, "other", "step"),
        (1, "other", "stop"),
    ]
    assert len({each.inputs["in_friction"] for each in found[4:8]}) == 1
    assert found[5].inputs["in_step_speed_kmh"] is None, "braking has no such setting"
    (alone,) = plan.circumstances(range(17, 18))
    assert alone.inputs == found[17].inputs
    assert alone.parameters["sprung_mass"] == pytest.approx(
        found[17].inputs["in_sprung_mass_factor"] * plan.specs["car"].parameters["sprung_mass"]
    )


def test_a_grid_has_all_combinations(campaign_file: Write) -> None:
    plan = plan_of(read_campaign(campaign_file(sampling="grid", points=None, levels=3)))
    rows = {tuple(each.inputs.values()) for each in plan.circumstances(range(plan.runs))}
    assert plan.runs == len(rows) == 27
    assert {row[0] for row in rows} == {0.6, 0.8, 1.0}
