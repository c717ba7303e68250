"""Whether intervals of estimates hold the truth in 95 of 100 cases, and how far the values are from it.

usage: python -m benchmarks.estimate_coverage [--seeds N] [--part PART] [--keep FILE] [--json FILE] [NAME …]

`cla_class` is driven once as multibody model through the tests of a published case study; the errors of its sensors
(paper 001, table 2) are then drawn anew for every seed, and every parameter is estimated from what they show. The truth
is the vehicle's own. A coverage is rejected if a binomial test says at 0.1 % that it is not 95 %; so is 300 of 300.
The part ``handling`` has further tests, with sensors at the wheels (`benchmarks.handling_campaign`). The runs are kept
under build/estimate_coverage; ``--keep`` keeps what each seed gave in a file, from which a count that was broken off
goes on. Both are to be removed when models or estimators have changed.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from scipy.stats import binomtest

from benchmarks import handling_campaign as handling
from trackrod.adams.vehicle import read_vehicle
from trackrod.convert.masses import split_masses
from trackrod.core import signals
from trackrod.core.corners import Axle, Corner
from trackrod.core.files import write_atomically
from trackrod.core.plain import pretty_json
from trackrod.core.run_files import read_run, write_run
from trackrod.core.series import Run
from trackrod.estimate.brakes import BrakeDistribution, BrakeFactor, LargestBrakeTorque, PedalPressure
from trackrod.estimate.campaign import estimate_all
from trackrod.estimate.estimator import Estimator, of_axle
from trackrod.estimate.height import HeightByBraking
from trackrod.estimate.known import Known, known_of
from trackrod.estimate.masses import AxleMass, CgX, CgY, FrontShare, TotalMass, WheelMass
from trackrod.estimate.powertrain import ENGINE_TORQUE, EngineTorque, GearEfficiency, GearRatio
from trackrod.estimate.resistance import Drag, RollingRadius, RollingResistance
from trackrod.estimate.result import Estimate
from trackrod.estimate.yaw_inertia import YawInertia
from trackrod.manoeuvres.registry import MANOEUVRES
from trackrod.measured.sensors import SensorSet, case_study
from trackrod.measured.virtual import Campaign
from trackrod.measured.wheel_forces import hub_torque
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.simulate.drive import simulate
from trackrod.tyre.model import Tyre
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["PARTS", "Coverage", "Part", "campaign_runs", "coverages", "estimators", "seen", "truths"]

ROOT = Path(__file__).resolve().parents[1]
FOLDER, PAGE = ROOT / "build" / "estimate_coverage", ROOT / "docs" / "estimate.md"
VEHICLE = "cla_class"
#: Error probability of the test, and what is tested.
ALPHA, CONFIDENCE = 0.001, 0.95
_RPM = math.pi / 30.0
#: Of both axles of the vehicle on the rig, under braking force [m/N].
RECESSION = 2.9e-6
#: Of the tyres of the vehicle: QSY4 (v / v₀)⁴ at 100 km/h.
ROLLING_GROWTH = 7e-5 * (100.0 / 60.0) ** 4

#: Runs by name: manoeuvre, settings, sample time [s].
TESTS: Mapping[str, tuple[str, Mapping[str, float | str], float]] = {
    "braking": ("braking", {"speed_kmh": 100, "deceleration_g": 0.65}, 0.01),
    "slow": ("braking", {"speed_kmh": 40, "deceleration_g": 0.1, "after_s": 3.0}, 0.02),
    "coast": ("coast_down", {"first_speed_kmh": 130, "last_speed_kmh": 20}, 0.1),
    "full": ("acceleration", {"first_speed_kmh": 20, "last_speed_kmh": 160}, 0.02),
    **{
        f"step_{i}": (
            "step_steer",
            {"speed_kmh": speed, "target_ay_g": 0.75, "direction": side, "hold_s": 1.5},
            0.005,
        )
        for i, (speed, side) in enumerate((v, s) for v in (80, 100) for s in ("left", "right"))
    },
}


@dataclass(frozen=True, slots=True)
class Coverage:
    """Of one parameter.

    Attributes
    ----------
    name, truth
        Of the parameter [SI].
    seeds, held
        How many intervals there are, and how many of them hold the truth.
    worst, mean
        Largest and mean error, relative to the truth [-].
    sample_deviation
        Of one sample, relative to the truth [-].
    half_width
        Mean half interval, relative to the truth [-].
    """

    name: str
    truth: float
    seeds: int
    held: int
    worst: float
    mean: float
    sample_deviation: float
    half_width: float

    @property
    def counted(self) -> bool:
        """Whether its error is drawn anew with every seed; else the count says nothing."""
        return not self.name.startswith(handling.UNCOUNTED)

    @property
    def accepted(self) -> bool:
        """Whether the test lets 95 % stand."""
        return bool(binomtest(self.held, self.seeds, CONFIDENCE).pvalue > ALPHA) and self.held < self.seeds


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Runs of one vehicle, and what is counted of them.

    Attributes
    ----------
    runs
        True in every column that is measured.
    sensors
        What measures them.
    estimators, told
        What is counted, and what tells small terms of it beside.
    truth
        By parameter [SI].
    known
        What is known of the vehicle, as each seed guesses it.
    """

    runs: Mapping[str, Run]
    sensors: SensorSet
    estimators: tuple[Estimator, ...]
    told: tuple[Estimator, ...]
    truth: Mapping[str, float]
    known: Callable[[int], Known]


Tests: TypeAlias = Mapping[str, tuple[str, Mapping[str, float | str], float]]


def campaign_runs(vehicle: Vehicle, tests: Tests = TESTS) -> dict[str, Run]:
    """The runs of the campaign, true in every column; driven where they are not kept yet."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    tyres = {c: [Tyre(vehicle.tyres[place.tyre]) for place in vehicle.wheel(c).tyres] for c in Corner}
    spin = split_masses(vehicle).spin_inertia
    found = {}
    for name, (manoeuvre, settings, sample) in tests.items():
        path = FOLDER / f"{name}.mat"
        if not path.is_file():
            step = 5e-4 if sample < 0.01 else 1e-3
            model = MultibodyVehicle(vehicle, step=step)
            write_run(simulate(model, MANOEUVRES[manoeuvre](**settings), sample=sample), path)
        run = read_run(path)
        columns = {**run, **hub_torque(run, tyres, spin), **_engine_torque(vehicle, run)}
        assert vehicle.brakes is not None
        for corner in Corner:  # that of the line, where the sensor is
            column = signals.BRAKE_PRESSURE[corner].column
            columns[column] = run[column] * vehicle.brakes.line(corner.axle)
        found[name] = Run(columns, run.metadata)
    return found


def _there_and_back(coast: Run) -> dict[str, Run]:
    """Coasting once more in the same direction, and twice in the other one; each has noise of its own."""
    turned = Run({**coast, signals.YAW.column: coast[signals.YAW] + math.pi}, coast.metadata)
    return {"coast_again": coast, "coast_back": turned, "coast_back_again": turned}


def _engine_torque(vehicle: Vehicle, run: Run) -> dict[str, np.ndarray]:
    """What the engine's control says that it gives."""
    assert vehicle.powertrain is not None
    engine = vehicle.powertrain.engine
    rows = [np.interp(run[signals.ENGINE_SPEED], engine.speed, column) for column in engine.torque.T]
    throttle = run[signals.THROTTLE]
    torque = [np.interp(t, engine.throttle, row) for t, row in zip(throttle, np.array(rows).T, strict=True)]
    return {ENGINE_TORQUE.column: np.array(torque)}


def estimators() -> Iterator[Estimator]:
    """Those whose truth is a number of the vehicle."""
    for axle in Axle:
        yield RollingRadius(axle=axle)
    yield TotalMass()
    for corner in Corner:
        yield WheelMass(corner=corner)
    for axle in Axle:
        yield AxleMass(axle=axle)
    yield FrontShare()
    yield CgX()
    yield CgY()
    yield RollingResistance(there_and_back=True)
    yield Drag(there_and_back=True)
    yield HeightByBraking()
    yield YawInertia()
    for corner in Corner:
        yield BrakeFactor(corner=corner)
    yield BrakeDistribution()
    for axle in Axle:
        yield LargestBrakeTorque(axle=axle)
        yield PedalPressure(axle=axle)
    for gear in (3, 4):
        yield GearRatio(gear=gear)
        yield GearEfficiency(gear=gear)
        yield EngineTorque(gear=gear, throttle=1.0, speed=5000 * _RPM)


def truths(vehicle: Vehicle, runs: Mapping[str, Run]) -> dict[str, float]:
    """What the parameters are, by the vehicle's own numbers."""
    total, brakes, powertrain, air = (
        vehicle.mass_properties,
        vehicle.brakes,
        vehicle.powertrain,
        vehicle.aerodynamics,
    )
    assert brakes is not None
    assert powertrain is not None
    assert air is not None
    loads = MultibodyVehicle(vehicle).settle().wheel_loads
    weight = sum(loads.values())
    front = sum(load for corner, load in loads.items() if corner.axle is Axle.FRONT) / weight
    box, engine = powertrain.gearbox, powertrain.engine
    at = float(np.interp(5000 * _RPM, engine.speed, engine.torque[:, -1]))
    pedal = runs["braking"][signals.BRAKE].max()
    found = {
        "mass": total.mass,
        "cg_x": float(total.centre[0]),
        "cg_y": float(total.centre[1]),
        "front_share": front,
        "cg_height_braking": float(runs["slow"][signals.Z][-1]),  # as it stands, not as it was drawn
        "yaw_inertia": float(total.inertia[2, 2]),
        "drag": 0.5 * air.density * air.frontal_area * air.drag,
        "rolling_resistance": _rolling_resistance(runs["coast"]),
        "brake_distribution": brakes.front_torque / (brakes.front_torque + brakes.rear_torque),
    }
    for corner, load in loads.items():
        found[f"wheel_mass_{corner}"] = total.mass * load / weight
        found[f"brake_factor_{corner}"] = brakes.factor(corner.axle)
    for axle, share, torque in (
        (Axle.FRONT, front, brakes.front_torque),
        (Axle.REAR, 1 - front, brakes.rear_torque),
    ):
        found[f"axle_mass_{axle}"] = total.mass * share
        found[f"pedal_pressure_{axle}"] = brakes.largest_pressure * brakes.line(axle)
        found[f"largest_brake_torque_{axle}"] = 2.0 * pedal * brakes.largest_pressure * torque
        found[f"rolling_radius_{axle}"] = _rolling_radius(vehicle, runs["coast"], axle)
    for gear in (3, 4):
        found[f"total_ratio_gear_{gear}"] = box.ratios[gear - 1] * box.final_drive
        found[f"efficiency_gear_{gear}"] = box.efficiency
        found[f"engine_torque_gear_{gear}_throttle_100_at_5000"] = box.efficiency * at
    return found


def _rolling_resistance(run: Run) -> float:
    """Of the tyres at low speed, by their forces where the run ends."""
    slow = run[signals.VX] < 8.0
    resisted = -sum(run[signals.MY[corner]][slow] for corner in Corner)
    carried = sum(run[signals.FZ[corner]][slow] for corner in Corner)
    radius = np.mean([run[signals.VX][slow] / run[signals.WHEEL_SPEED[corner]][slow] for corner in Corner])
    return float(np.mean(resisted / carried) / radius)


def _rolling_radius(vehicle: Vehicle, coast: Run, axle: Axle) -> float:
    """By the tyres' own law, with their loads and speeds where the radius is told for."""
    at = int(np.argmin(np.abs(coast[signals.VX] - RollingRadius(axle=axle).at)))
    radii = [
        float(
            Tyre(vehicle.tyres[vehicle.wheel(corner).tyres[0].tyre]).effective_radius(
                coast[signals.FZ[corner]][at], coast[signals.WHEEL_SPEED[corner]][at]
            )
        )
        for corner in of_axle(axle)
    ]
    return float(np.mean(radii))


def seen(run: Run, campaign: Campaign, number: int) -> Run:
    """What sensors show of a run on its own time base, their delay taken out; faster ones are averaged down to it."""
    random = np.random.default_rng([campaign.seed, number])
    base = 1.0 / float(np.median(np.diff(run.time)))
    columns = dict(run)
    for column, sensor in campaign.sensors.items():
        if column in run:
            error = campaign.errors[column]
            noise = sensor.noise * min(1.0, math.sqrt(base / sensor.rate))
            columns[column] = (1.0 + error.gain) * run[column] + error.zero
            if not signals.parse_column(column).held:
                columns[column] = columns[column] + noise * random.standard_normal(run.time.size)
    return Run(columns, run.metadata)


def _part_of_case_study(vehicle: Vehicle) -> Part:
    """The tests of the publication."""
    runs = campaign_runs(vehicle)
    truth, ratio = truths(vehicle, runs), _steering_ratio(runs["step_0"])
    known = known_of(vehicle).knowing({"steering_ratio": ratio}, {"steering_ratio": 0.01 * ratio})
    wheels = {signals.STEER[corner].column for corner in Corner}  # nobody measures them in the case study
    shown = {n: Run({c: x for c, x in run.items() if c not in wheels}, run.metadata) for n, run in runs.items()}
    shown |= _there_and_back(shown["coast"])
    return Part(shown, case_study(), tuple(estimators()), (), truth, lambda seed: _guessed(known, vehicle, truth, seed))


def _part_of_handling(vehicle: Vehicle) -> Part:
    """Further tests, with sensors at the wheels."""
    before = campaign_runs(vehicle)
    runs = {**campaign_runs(vehicle, handling.TESTS), **{n: before[n] for n in ("braking", "slow", "coast", "full")}}
    truth, ratio = truths(vehicle, before), _steering_ratio(before["step_0"])
    known = known_of(vehicle).knowing({"steering_ratio": ratio}, {"steering_ratio": 0.05 * ratio})
    told = (
        *(RollingRadius(axle=axle) for axle in Axle),
        TotalMass(),
        CgX(),
        RollingResistance(there_and_back=True),
        Drag(there_and_back=True),
    )
    return Part(
        {**runs, **_there_and_back(runs["coast"])},
        handling.wheel_sensors(),
        tuple(handling.estimators()),
        told,
        handling.handling_truths(vehicle, runs),
        lambda seed: _guessed(known, vehicle, truth, seed),
    )


def _part_of_fade(vehicle: Vehicle) -> Part:
    """Stops with hot discs."""
    runs = campaign_runs(vehicle)
    truth = {e.name: handling.FADE for e in handling.fade_estimators()}
    known, of_vehicle = known_of(vehicle), truths(vehicle, runs)
    radii = {f"rolling_radius_{axle}": of_vehicle[f"rolling_radius_{axle}"] for axle in Axle}
    return Part(
        handling.faded(runs["braking"]),
        handling.wheel_sensors(),
        tuple(handling.fade_estimators()),
        (),
        truth,
        lambda _: known.knowing(radii),
    )


def _part_of_single_track(vehicle: Vehicle) -> Part:
    """A model whose relaxation lengths are planted."""
    del vehicle
    model, known = handling.SINGLE_TRACK, handling.single_track_known()
    truth = {"relaxation_length_front": model.relaxation_front, "relaxation_length_rear": model.relaxation_rear}
    estimators = tuple(handling.relaxation_estimators())
    given = {name: known[name] for name in known.bounds if name in ("cg_x", "steering_ratio")}
    return Part(
        {"sweep": handling.single_track_run()},
        case_study(),
        estimators,
        (),
        truth,
        lambda seed: known.knowing(_drawn(given, known, seed), {name: known.bounds[name] for name in given}),
    )


#: What small terms of other estimates are told by.
_TOLD = ("rolling_radius_front", "rolling_radius_rear", "mass", "cg_x", "cg_y", "rolling_resistance", "drag")
#: By name: what makes a part of a vehicle.
PARTS: Mapping[str, Callable[[Vehicle], Part]] = {
    "case_study": _part_of_case_study,
    "handling": _part_of_handling,
    "fade": _part_of_fade,
    "single_track": _part_of_single_track,
}


def coverages(
    seeds: Sequence[int], names: Sequence[str] = (), parts: Sequence[str] = tuple(PARTS), keep: Path | None = None
) -> list[Coverage]:
    """Of each parameter, over seeds; what a file keeps is not counted again."""
    vehicle = read_vehicle(BUNDLED[VEHICLE].assembly).vehicle
    kept = _kept(keep)
    rows = []
    for title in parts:
        part = PARTS[title](vehicle)
        chosen = [e for e in part.estimators if not names or e.name in names]
        told = [e for e in (part.told or part.estimators) if e not in chosen and e.name in _TOLD]
        values: dict[str, list[_Found]] = {estimator.name: [] for estimator in chosen}
        for done, seed in enumerate(seeds, 1):
            if (title, seed) not in kept:
                kept[title, seed] = _of_seed(part, [*told, *chosen], seed)
                if keep:
                    with keep.open("a") as file:
                        file.write(json.dumps([title, seed, kept[title, seed]]) + "\n")
            for name, found in values.items():
                found.append(kept[title, seed][name])
            if done % 25 == 0:
                so_far = [_coverage(name, part.truth[name], found) for name, found in values.items()]
                doubtful = [f"{row.name} {row.held}" for row in so_far if not row.accepted and row.held < row.seeds]
                print(f"{title}: {done} of {len(seeds)} seeds; {', '.join(doubtful) or 'none'} rejected", flush=True)
        rows += [_coverage(name, part.truth[name], found) for name, found in values.items()]
    return rows


#: Of one estimate: value, both ends of the interval, standard deviation of one sample.
_Found: TypeAlias = tuple[float, float, float, float]


def _kept(path: Path | None) -> dict[tuple[str, int], dict[str, _Found]]:
    if path is None or not path.is_file():
        return {}
    return {(title, seed): found for title, seed, found in map(json.loads, path.read_text().splitlines())}


def _of_seed(part: Part, chosen: Sequence[Estimator], seed: int) -> dict[str, _Found]:
    campaign = Campaign(part.sensors, seed)
    shown = [seen(run, campaign, number) for number, run in enumerate(part.runs.values())]
    results = estimate_all(shown, part.known(seed), part.sensors, estimators=chosen).results
    for name, found in results.items():
        if not isinstance(found, Estimate):
            raise SystemExit(f"{name}: {found.missing}")
    return {
        name: (found.value, *found.interval, found.sample_deviation)
        for name, found in results.items()
        if isinstance(found, Estimate)
    }


def _guessed(known: Known, vehicle: Vehicle, truth: Mapping[str, float], seed: int) -> Known:
    """What is only known with a bound, somewhere inside it: each seed guesses otherwise."""
    air = vehicle.aerodynamics
    assert air is not None
    scale = 0.5 * air.density * air.frontal_area
    true = {
        "steering_ratio": known["steering_ratio"],
        "head_wind": 0.0,
        "slope": 0.0,
        "rolling_growth": ROLLING_GROWTH,
        "rolling_resistance": truth["rolling_resistance"],
        "drag": truth["drag"],
        "drag_height": air.centre_height,
        "cg_height": truth["cg_height_braking"],
        "cg_y": truth["cg_y"],
        "pitch_arm": 0.5 * known.wheelbase + truth["cg_x"],  # front and rear springs give way by as much
        "recession_front": RECESSION,
        "recession_rear": RECESSION,
        "lift_front": scale * air.front_lift,
        "lift_rear": scale * air.rear_lift,
        "rolling_radius_front": truth["rolling_radius_front"],
        "rolling_radius_rear": truth["rolling_radius_rear"],
    }
    return known.knowing(_drawn(true, known, seed), {name: known.bounds[name] for name in true})


def _drawn(true: Mapping[str, float], known: Known, seed: int) -> dict[str, float]:
    random = np.random.default_rng([seed, 99])
    return {name: value + known.bounds[name] * random.uniform(-1.0, 1.0) for name, value in true.items()}


def _steering_ratio(run: Run) -> float:
    """As a workshop measures it: turn plates under the front wheels."""
    angle = run[signals.STEERING_WHEEL_ANGLE]
    wheels = 0.5 * (run[signals.STEER[Corner.FL]] + run[signals.STEER[Corner.FR]])
    return float((angle[-1] - angle[0]) / (wheels[-1] - wheels[0]))


def _coverage(name: str, truth: float, found: Sequence[_Found]) -> Coverage:
    value, low, high, scatter = np.array(found).T
    held = int(((low <= truth) & (truth <= high)).sum())
    errors = value / truth - 1.0
    worst = float(errors[np.argmax(np.abs(errors))])
    spread, half = (float(x.mean() / abs(truth)) for x in (scatter, 0.5 * (high - low)))
    return Coverage(name, truth, len(found), held, worst, float(errors.mean()), spread, half)


def _table(rows: Sequence[Coverage]) -> str:
    """For the page."""
    lines = [
        "| parameter | truth | intervals that hold it | mean error | largest error | half interval |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows:
        verdict = "" if row.accepted and row.counted else ", rejected" if row.counted else ", not counted"
        held = f"{row.held} of {row.seeds}{verdict}"
        shares = " | ".join(f"{100 * share:.2f} %" for share in (row.mean, row.worst, row.half_width))
        lines.append(f"| `{row.name}` | {row.truth:.5g} | {held} | {shares} |")
    return "\n".join(lines)


def main() -> None:
    """Print a table; exit code 1 if a coverage is rejected."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="parameters; all if none is given")
    parser.add_argument("--seeds", type=int, default=300)
    parser.add_argument("--part", action="append", choices=PARTS, help="all if none is given")
    parser.add_argument("--keep", type=Path, help="file that keeps what each seed gave")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--write", action="store_true", help="put the table into docs/estimate.md")
    parser.add_argument("--read", type=Path, action="append", help="take what --json wrote instead of counting again")
    given = parser.parse_args()
    if given.read:
        plain = [row for path in given.read for row in json.loads(path.read_text())]
        rows = [Coverage(**{name: row[name] for name in Coverage.__slots__}) for row in plain]
    else:
        parts = given.part or tuple(PARTS)
        rows = coverages(range(1, given.seeds + 1), given.names, parts, given.keep)
    head = ("parameter", "truth", "held", "verdict", "mean err", "worst err", "half interval", "one sample")
    print("{:45s}{:>12s}{:>11s}{:>10s}{:>10s}{:>10s}{:>15s}{:>12s}".format(*head))
    for row in rows:
        verdict = "-" if not row.counted else "stands" if row.accepted else "REJECTED"
        shares = "".join(f"{100 * x:9.2f}%" for x in (row.mean, row.worst))
        rest = f"{100 * row.half_width:14.2f}%{100 * row.sample_deviation:11.1f}%"
        print(f"{row.name:45s}{row.truth:12.5g}{row.held:7d}/{row.seeds}{verdict:>10s}{shares}{rest}")
    if given.json:
        plain = [{f: getattr(row, f) for f in Coverage.__slots__} | {"accepted": row.accepted} for row in rows]
        write_atomically(given.json, pretty_json(json.loads(json.dumps(plain))))
    if given.write:
        begin, end = "<!-- begin: coverage -->\n", "<!-- end: coverage -->"
        before, rest = PAGE.read_text().split(begin)
        write_atomically(PAGE, f"{before}{begin}\n{_table(rows)}\n\n{end}{rest.split(end)[1]}")
    raise SystemExit(0 if all(row.accepted for row in rows if row.counted) else 1)


if __name__ == "__main__":
    main()
