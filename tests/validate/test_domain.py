"""A domain of validity: a planted one is found, its verdict holds for what it has not seen, and runs tell it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rtm.converted_vehicles import spec_of
from trackrod.core.artefact import Artefact, load, save
from trackrod.core.errors import ConvergenceError, InputError, UnknownNameError
from trackrod.core.run_files import read_run, write_run
from trackrod.core.series import Run
from trackrod.core.validity import MEMORY, QUANTITIES, Bound, Validity, operating_point
from trackrod.manoeuvres.excitation import Excitation, SteeringShape
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.spec import RTM
from trackrod.simulate.drive import simulate
from trackrod.validate.criteria import find_criteria, ready_made
from trackrod.validate.domain import find_domain, most_spread
from trackrod.validate.plan import EnvelopePlan, Handling, read_plan
from trackrod.workflow.models import find_model

NAMES = ("lateral", "frequency", "friction")
#: The planted domain.
LATERAL, FREQUENCY, FRICTION = 7.0, 2.5, 0.5


def planted(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Operating points, and errors over the limit that pass 1 at the planted bounds, with scatter."""
    rng = np.random.default_rng(seed)
    points = rng.uniform((0.0, 0.2, 0.3), (10.0, 5.0, 1.0), (count, 3))
    farthest = np.max([points[:, 0] / LATERAL, points[:, 1] / FREQUENCY, 1.0 + 3.0 * (FRICTION - points[:, 2])], axis=0)
    return points, farthest**3 * np.exp(0.1 * rng.normal(size=count))


def test_a_planted_domain_is_found_and_holds_for_what_it_has_not_seen() -> None:
    points, ratios = planted(600, 1)
    known = np.arange(60)
    domain = find_domain(points, NAMES, known, ratios[known])
    limits = {bound.quantity: bound.limit for bound in domain.bounds}
    assert 0.6 * LATERAL < limits["lateral"] < 1.1 * LATERAL
    assert 0.6 * FREQUENCY < limits["frequency"] < 1.1 * FREQUENCY
    assert FRICTION - 0.05 < limits["friction"] < 0.8
    fresh, truth = planted(1000, 2)
    inside = domain.holds(fresh, NAMES)
    assert np.mean(inside & (truth > 1.0)) <= 0.03
    assert np.mean(inside) > 0.5 * np.mean(truth <= 1.0)


def test_a_model_that_is_valid_nowhere_has_no_domain() -> None:
    points, _ = planted(100, 1)
    with pytest.raises(ConvergenceError, match="no manoeuvre of the plan meets"):
        find_domain(points, NAMES, np.arange(30), np.full(30, 2.0))


def test_compared_manoeuvres_fill_the_space() -> None:
    points, _ = planted(500, 3)
    scaled = points / points.std(axis=0)

    def farthest(chosen: np.ndarray) -> float:
        """The largest distance of any point from its nearest chosen one."""
        return float(np.linalg.norm(scaled[:, None] - scaled[None, chosen], axis=2).min(axis=1).max())

    assert farthest(most_spread(points, 30)) < 0.8 * farthest(np.arange(30))


@pytest.fixture(scope="module")
def valid() -> Validity:
    bounds = (Bound("lateral", 3.0), Bound("friction", 0.5))
    return Validity(bounds, "planted", "Up to 3 m/s² on friction of 0.5 or more.")


TURN = Excitation(
    speed_kmh=60.0, shape=SteeringShape.SINGLE_SINE, frequency_Hz=1.0, steering_wheel_angle_deg=90.0, duration_s=4.0
)


def test_runs_of_a_model_tell_where_it_is_valid(valid: Validity, tmp_path: Path) -> None:
    """The domain is saved with the model; its runs have the signal, from the model and from a file."""
    spec = replace(spec_of("double_wishbone_car"), validity=valid)
    save(Artefact(RTM, spec), tmp_path / "rtm.json")
    saved = load(tmp_path / "rtm.json", RTM).content
    assert saved.validity == valid
    run = simulate(RealTimeVehicle(saved), TURN)
    inside, beyond = run["inside_validity"], np.flatnonzero(np.abs(run["ay_mps2"]) > 3.0)
    first, last = run.time[beyond[0]], run.time[beyond[-1]]
    assert inside[run.time < first].all()
    assert not inside[(run.time >= first) & (run.time <= last + MEMORY)].any()
    assert inside[run.time > last + MEMORY + 1e-6].all()
    assert inside[-1] == 1.0
    assert run.metadata["validity"]["share_outside"] == pytest.approx(1.0 - inside.mean())
    write_run(run, tmp_path / "run.csv")
    assert (read_run(tmp_path / "run.csv")["inside_validity"] == inside).all()
    slippery = simulate(RealTimeVehicle(saved), TURN.changed(friction_factor=0.4, steering_wheel_angle_deg=5.0))
    assert slippery.metadata["validity"]["share_outside"] == 1.0
    found = find_model(tmp_path / "rtm.json")
    assert found is not None
    assert valid.sentence in found.notes["Domain of validity"]


def test_where_the_clock_begins_decides_nothing(valid: Validity) -> None:
    """The sample that is exactly `MEMORY` behind the last one outside counts as outside by every clock."""
    run = simulate(RealTimeVehicle(spec_of("cla_class")), TURN, sample=0.01)
    count = run.time.size
    for last in range(10, 150, 7):
        ay = np.where(np.arange(count) <= last, 4.0, 0.0)
        for start in (0.0, 0.37, 12.3):
            time = start + 0.01 * np.arange(count)
            inside = valid.inside(Run({**run, "time_s": time, "ay_mps2": ay}))
            assert np.flatnonzero(inside)[0] == last + round(MEMORY / 0.01) + 1


def test_operating_point_by_hand() -> None:
    """A sine of 2 Hz, an axle that uses 0.4 of its load and shifts half of it, another with a lifted wheel."""
    time = np.arange(401) * 0.01
    still = np.zeros(time.size)
    columns = {
        "time_s": time,
        "vx_mps": still + 3.0,
        "vy_mps": still - 4.0,
        "ax_mps2": still - 2.0,
        "ay_mps2": still - 3.0,
        "yaw_rate_radps": 0.5 * np.sin(4 * np.pi * time),
        "yaw_acceleration_radps2": 2 * np.pi * np.cos(4 * np.pi * time),
    }
    forces = {"fl": (300.0, 400.0, 1500.0), "fr": (0.0, 0.0, 500.0), "rl": (0.0, 0.0, 0.0), "rr": (0.0, 10.0, 1000.0)}
    for corner, given in forces.items():
        columns |= {f"F{axis}_{corner}_N": still + value for axis, value in zip("xyz", given, strict=True)}
        columns[f"damper_velocity_{corner}_mps"] = still - (0.3 if corner == "rl" else 0.1)
    at = operating_point(Run(columns), friction=0.5, mass=1000.0)
    assert set(at) == set(QUANTITIES)
    expected = {
        "lateral": 3.0,
        "longitudinal": 2.0,
        "speed": 5.0,
        "slowest": 5.0,
        "friction_used": 0.5,
        "load_transfer": 1.0,
        "damper_speed": 0.3,
        "friction": 0.5,
        "mass": 1000.0,
        "lightest": 1000.0,
    }
    for name, value in expected.items():
        assert at[name] == pytest.approx(value), name
    # the running mean has not settled, and knows no yaw rate below 0.03 rad/s
    assert at["frequency"][-50:].mean() == pytest.approx(2.0, rel=0.03)


def test_a_plan_keeps_its_ranges_and_faults_are_named(tmp_path: Path) -> None:
    plan = EnvelopePlan(runs=64, references=20, friction=(0.5, 0.9))
    vehicle = Handling(np.array([20.0, 120.0]), np.array([400.0, 40.0]), 0.5)
    driven = [manoeuvre for _, manoeuvre in plan.manoeuvres([vehicle])]
    assert len(driven) == 64
    assert all(20.0 <= each.speed_kmh <= 120.0 and 0.2 <= each.frequency_Hz <= 5.0 for each in driven)
    assert {each.friction_factor == 1.0 or 0.5 <= each.friction_factor <= 0.9 for each in driven} == {True}
    assert {each.shape for each in driven} == set(SteeringShape)
    assert driven == [manoeuvre for _, manoeuvre in plan.manoeuvres([vehicle])]
    assert driven[:5] != [manoeuvre for _, manoeuvre in plan.random([vehicle], 5, 1)]
    path = tmp_path / "plan.toml"
    path.write_text("runs = 100\nspeed_kmh = [30, 80]\n")
    assert read_plan(path) == EnvelopePlan(runs=100, speed_kmh=(30.0, 80.0))
    for text, problem in (
        ("runs = 10", "20 or more"),
        ("frequency_Hz = [2, 1]", "the second the larger"),
        ("friktion = [0.3, 1]", "friktion"),
    ):
        path.write_text(text)
        with pytest.raises(InputError, match=problem):
            read_plan(path)


def test_ready_made_criteria_are_read_or_say_what_is_missing() -> None:
    """Tolerances of standards that are not public are not made up: the file names what it lacks."""
    for name in ready_made():
        if name.startswith("iso"):
            with pytest.raises(InputError, match="limit"):
                find_criteria(name)
        else:
            assert len(find_criteria(name).criteria) == 11
    with pytest.raises(UnknownNameError, match="within_5_percent"):
        find_criteria("within_5_per_cent")
