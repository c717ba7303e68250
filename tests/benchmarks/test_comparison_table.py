"""The comparison table: how its numbers are made and written; a part of it is driven in `test_comparison_driven`."""

from __future__ import annotations

import json
import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from benchmarks.comparison import __main__ as command
from benchmarks.comparison import measurements, tables
from benchmarks.comparison import rows as rows_of
from benchmarks.comparison.cases import WHOLE, Case, Variant
from benchmarks.comparison.measurements import Result
from benchmarks.comparison.measures import Measure, Row
from benchmarks.comparison.rows import GROUPS, ROWS

from trackrod.convert.conversion import Compliance
from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.errors import ConvergenceError
from trackrod.core.series import Run
from trackrod.manoeuvres.steering import StepSteer
from trackrod.rtm.layout import AXLE_LOADS

CAR = Case("double_wishbone_car")
MOVING, QUASI_STATIC = Compliance.MOVING, Compliance.QUASI_STATIC


def result(*measures: Measure, case: Case = CAR, row: str = "step", compliance: Compliance = MOVING) -> Result:
    return Result(case, row, compliance, measures)


def test_every_row_is_in_one_group() -> None:
    named = [name for names in GROUPS.values() for name in names]
    assert sorted(named) == sorted(ROWS)


def test_rows_and_groups_are_chosen_by_name() -> None:
    assert command.chosen_rows("road,posts,heave")[:4] == ["road", "heave", "pitch", "roll"]
    assert command.chosen_rows("road,posts,heave").count("heave") == 1
    assert command.chosen_rows("") == list(ROWS)
    with pytest.raises(SystemExit, match="there is no row raod"):
        command.chosen_rows("raod")


def test_the_worst_number_of_each_kind_is_that_farthest_above_its_target() -> None:
    loads = Measure("b", 6.0, 5.0, kind="load"), Measure("c", 5.5, 5.0, kind="load")
    assert result(Measure("a", 20.0, 25.0), *loads).cell() == "20 a; **6 b**"
    assert result(Measure("a", 20.0, 25.0), *loads).worst_cell() == "**6 b**"
    assert result(Measure("a", 2.0, 5.0), Measure("b", 9.0, 25.0, kind="load")).worst_cell() == "2 a"
    lifted = Measure("wheel lifts in one model only", math.nan, 20.0, "ms", "lift")
    assert result(Measure("a", 1.0, 5.0), lifted).cell() == "1 a; **wheel lifts in one model only**"
    assert result(Measure("thrown back", 0.1, 0.3, "m/s")).cell() == "0.1 m/s thrown back"
    assert result(Measure("a", 1.0, 5.0), Measure("beyond its map", 7.0, math.inf, "mm", "maps")).cell() == "1 a"
    assert Result(CAR, "stop", MOVING, (), "no equilibrium").cell() == "**no equilibrium**"
    assert Result(CAR, "stop", MOVING, (), "no equilibrium").badness == math.inf


@pytest.mark.parametrize(("value", "good"), [(0.1, True), (0.0, False), (-0.1, False), (math.nan, False)])
def test_of_a_derivative_the_sign_counts(value: float, good: bool) -> None:
    assert (Measure("more angle", value, 0.0, "°").badness <= 1) is good


def test_a_number_that_there_is_not_is_null_in_the_file() -> None:
    found = result(Measure("lifts in one model only", math.nan, 20.0, "ms"), Measure("a", 1.5, math.inf))
    data = json.loads(json.dumps(found.as_data(), allow_nan=False))
    assert (data["vehicle"], data["bushings"], data["row"]) == ("double_wishbone_car", 1.0, "step")
    assert data["compliance"] == "moving"
    assert [(measure["value"], measure["target"]) for measure in data["measures"]] == [(None, 20.0), (1.5, None)]


def test_the_stored_saloon_is_softer_than_the_bundled_one_may_become() -> None:
    assert str(WHOLE[-1]) == "first_cla_class, bushings × 0.2"
    soft, plain = WHOLE[-1].vehicle, Case("first_cla_class").vehicle
    for one, other in zip(soft.bushings, plain.bushings, strict=True):
        if one.name == "steering.torsion_bar":
            assert one == other  # no bushing
            continue
        for curve, whole in zip(one.characteristic.curves, other.characteristic.curves, strict=True):
            np.testing.assert_allclose(curve.y, 0.2 * whole.y)
    assert len(WHOLE) == 19


def test_the_table_is_written_between_the_marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{command.BEGIN}old\n{command.END}\nafter\n")
    monkeypatch.setattr(command, "PAGE", page)
    good, bad = Measure("yaw rate", 1.0, 5.0), Measure("yaw rate", 9.0, 5.0)
    soft = Case(CAR.name, 0.6)
    results = [result(good, case=case) for case in (CAR, soft)]
    results += [result(good, compliance=QUASI_STATIC), result(bad, case=soft, compliance=QUASI_STATIC)]
    command.write_page(tables.page(results))
    command.write_page(tables.page(results))
    lines = page.read_text().splitlines()
    assert (lines[0], lines[-1]) == ("before", "after")
    assert "| double_wishbone_car, bushings × 0.6 | moving | 1 yaw rate |" in lines
    assert "| double_wishbone_car, bushings × 0.6 | quasi-static | **9 yaw rate** |" in lines
    (summary,) = (line for line in lines if line.startswith("| step 0.4 g"))
    assert "| 2 of 2 | 1 yaw rate (double_wishbone_car) | 1 of 2 | **9 yaw rate** (double_wishbone_car, bush" in summary
    assert "Every target is met." in lines
    assert "old" not in lines
    assert sum(line.startswith("| vehicle") for line in lines) == 1


def test_a_missed_target_names_the_swap_that_moves_it_most_first(monkeypatch: pytest.MonkeyPatch) -> None:
    values = {
        Variant(): 6.0,
        Variant(QUASI_STATIC): 12.0,
        measurements.SWAPS["1-D kinematics"]: 7.0,
        measurements.SWAPS["step of 0.25 ms"]: 5.8,
    }

    def measure(_case: Case, variant: Variant) -> list[Measure]:
        if variant not in values:
            raise ConvergenceError("it falls over")
        beyond = Measure("rack beyond its map", 4.0, math.inf, "mm", "maps")
        return [
            Measure("yaw rate", values[variant], 5.0),
            Measure("of the other model", 9.0, 5.0, kind="other"),
            beyond,
        ]

    monkeypatch.setitem(ROWS, "step", Row("step", "step 0.4 g", "≤ 5 %", measure))
    text = tables.page(measurements.measured(CAR, "step"))
    swaps = "12 with quasi-static compliance; 7 with 1-D kinematics; 5.8 with step of 0.25 ms"
    assert f"6 yaw rate, 1.2 times the target ({swaps}); 4 mm rack beyond its map\n" in text
    assert "9 of the other model, 1.8 times the target; 4 mm rack beyond its map\n" in text


def test_the_step_at_the_limit_follows_from_the_slow_ramp(monkeypatch: pytest.MonkeyPatch) -> None:
    """A car that reaches 8 m/s² at 100°, in proportion: 80 % are at 80°."""
    monkeypatch.setattr(rows_of, "_ramp", lambda _: (np.linspace(0.0, 8.0, 9), np.linspace(0.0, 100.0, 9)))
    step = rows_of._limit_step(CAR)
    assert isinstance(step, StepSteer)
    assert step.steering_wheel_angle_deg == pytest.approx(80.0)


def run(**columns: list[float]) -> Run:
    """Samples every second."""
    count = len(next(iter(columns.values())))
    return Run({signals.TIME.column: np.arange(float(count)), **{name: np.array(y) for name, y in columns.items()}})


@pytest.mark.parametrize(
    ("left", "sideslip", "near"),
    [(0.5, 0.05, ""), (0.15, 0.05, ", near roll-over"), (0.5, -0.2, ", near a spin")],
)
def test_near_the_edge_one_side_is_light_or_the_sideslip_large(left: float, sideslip: float, near: str) -> None:
    """One wheel of a side that lifts is not enough: front-driven cars do that in every bend."""
    loads = {Corner.FL: 2.0 * left, Corner.FR: 1.0, Corner.RL: 0.0, Corner.RR: 1.0}
    columns = {signals.FZ[corner].column: [1000.0, 1000.0 * share] for corner, share in loads.items()}
    assert rows_of._near(run(**columns, **{signals.SIDESLIP.column: [0.0, sideslip]})) == near


@pytest.mark.parametrize(
    ("speed", "found"),
    [
        ([5.0, 1.0, 0.0, -0.25, 0.1, 0.0, 0.0], {"thrown back": 0.25, "until": 3.0}),
        ([5.0, 1.0, 0.0, 0.0, 0.0], {"thrown back": 0.0, "until": 0.0}),
        ([5.0, 1.0, 0.0, -0.25, 0.1], {"thrown back": 0.25, "still moves after 2.0 s": math.nan}),
        ([5.0, 1.0, 0.5], {"does not stop": math.nan}),
    ],
)
def test_a_stop_is_judged_from_the_first_standstill_on(
    speed: list[float], found: dict[str, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    driven = run(**{signals.VX.column: speed})
    monkeypatch.setattr(rows_of, "_driven", lambda *_: (driven, driven))
    monkeypatch.setattr(rows_of, "_speed_stored", lambda *_: 0.0)
    measures = list(ROWS["stop"].measure(CAR, Variant()))
    assert len(measures) == 2 * len(found)
    for words, value in found.items():
        both = [measure for measure in measures if words in measure.what]
        assert [measure.value for measure in both] == pytest.approx([value, value], nan_ok=True)


def test_what_bushings_store_throws_a_vehicle_back() -> None:
    """A straight axle that gives c = 1e-6 m/N below the wheel: m v² = Σ c F²."""

    def poses(left: np.ndarray, _right: np.ndarray) -> np.ndarray:
        brake = left[:, AXLE_LOADS.index("brake")]
        found = np.zeros((brake.size, 10))
        found[:, 0], found[:, 3] = 0.4e-6 * brake, -2e-6 * brake  # recession, and wind-up below a wheel of 0.3 m
        return found

    axle = SimpleNamespace(poses=poses, radius=0.3)
    case = SimpleNamespace(spec=lambda: SimpleNamespace(axles=(SimpleNamespace(elasticity=axle),) * 2))
    speeds = np.linspace(5.0, 0.0, 21)
    forces = {signals.FX[corner].column: np.full(21, -4000.0) for corner in Corner}
    loads = {signals.FZ[corner].column: np.full(21, 9.80665 * 400.0) for corner in Corner}
    stop = run(**{signals.VX.column: speeds, **forces, **loads})
    assert rows_of._speed_stored(case, stop) == pytest.approx(math.sqrt(4 * 1e-6 * 4000.0**2 / 1600.0), rel=1e-3)
