"""The case study of paper 001 with a vehicle whose truth is known, from recordings to a model that meets its criteria.

usage: python -m benchmarks.case_study [--write] [--quick] [--softer] [--models] [--starts] [--causes]

The multibody model of `cla_class` drives the ready-made plan, sensors with the errors of the paper's table 2 record it
(MDF 4), the channel map and the sensors that lie beside the recordings lead back to runs, and the estimators tell the
parameters. A workshop with scales and a lifted axle measures the same vehicle. Then a real-time model, every parameter
15 % wrong, is filled in with the estimates and tuned until it meets its criteria.

Recordings are kept under build/case_study. ``--quick`` leaves the sensors as they are. ``--softer`` has bushings of
60 % of their stiffness, which the estimators do not know. ``--models`` closes the loop on the multibody model and on a
single-track model, with some of the tests. ``--starts`` begins the loop with other signs, and with recordings whose
errors were drawn anew. ``--causes`` tells what scatters samples of yaw inertia. ``--write`` puts all of it into
docs/case_study.md.
"""

from __future__ import annotations

import argparse
import math
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from trackrod.adams.vehicle import read_vehicle
from trackrod.core import signals
from trackrod.core.corners import Axle, Corner
from trackrod.core.figure import Figure, Line, Panel, Stroke
from trackrod.core.files import write_atomically
from trackrod.core.run_files import read_run
from trackrod.core.series import Run
from trackrod.estimate.brakes import BrakeFactor
from trackrod.estimate.campaign import Estimates, estimate_all
from trackrod.estimate.estimator import Channels, Estimator
from trackrod.estimate.height import HeightByBraking
from trackrod.estimate.known import Known, known_of
from trackrod.estimate.masses import CgX, CgY, TotalMass
from trackrod.estimate.powertrain import EngineTorque
from trackrod.estimate.resistance import RollingRadius
from trackrod.estimate.result import Estimate
from trackrod.estimate.single_track import usual_single_track
from trackrod.estimate.workshop import Workshop, compared, read_workshop
from trackrod.estimate.yaw_inertia import YawInertia, yaw_moment
from trackrod.manoeuvres.settings import Direction
from trackrod.manoeuvres.steering import StepSteer
from trackrod.measured.channel_map import ChannelMap
from trackrod.measured.measurement_plan import find_plan
from trackrod.measured.prepare import prepare
from trackrod.measured.recording import open_recording, recording_of
from trackrod.measured.sensors import SensorSet
from trackrod.measured.virtual import Campaign, Installation, exposed
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.multibody.steering import usual_steering
from trackrod.report.figures import write_png
from trackrod.rtm.spec import RtmSpec
from trackrod.simulate.drive import simulate
from trackrod.tune.model_space import multibody_space, with_numbers
from trackrod.tune.space import tuning_space
from trackrod.tyre.model import Tyre
from trackrod.validate.criteria import Criteria, Criterion
from trackrod.validate.loop import Loop, given_by
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.connectors import Bushing
from trackrod.vehicle.vehicle import Vehicle
from trackrod.workflow.measurement import measure, with_wheel_torques
from trackrod.workflow.recorded_runs import CHANNEL_MAP, SENSORS, Reader
from trackrod.workflow.stages.convert import convert_directly
from trackrod.workflow.validation_loop import close_loop

__all__ = ["CRITERIA", "Study", "limits", "loop_of", "study_of", "truths", "wrong_start"]

ROOT = Path(__file__).resolve().parents[1]
PAGE, PICTURE = ROOT / "docs" / "case_study.md", ROOT / "docs" / "images" / "case_study_shift.png"
FOLDER, VEHICLE = ROOT / "build" / "case_study", "cla_class"
#: How wrong every parameter of the model is that the loop begins with [-].
WRONG = 0.15
#: Bushings of the softer vehicle over those of the bundled one [-].
SOFTER = 0.6
#: What the paper reports: CoG height by two methods, corners on scales and transducers, one sample of yaw inertia [-].
PAPER = {"cg_height": 0.017, "corners": 0.007, "yaw_sample": 330.0 / 2960.0}
#: Delay that the paper found [s].
DELAY = 0.063
_RPM = math.pi / 30.0

#: Other starts of the loop: seed of the recordings, and of the signs; 0 for down and up by turns.
_STARTS = ((1, 1), (2, 0))
#: Share of the range of a parameter at its end that counts as its bound [-].
_AT_BOUND = 0.01

#: Tests of the loop.
LATERAL = ("sine", "step_left", "step_right", "steady_turn_left")
STRAIGHT = ("braking", "light_braking")
CRITERIA = Criteria(
    name="case study",
    intended_use="handling and braking on a dry, level road",
    criteria=(
        Criterion(name="yaw rate", signal="yaw_rate_radps", metric="residual.l2", limit=0.03, manoeuvres=LATERAL),
        Criterion(name="lateral acceleration", signal="ay_mps2", metric="residual.l2", limit=0.04, manoeuvres=LATERAL),
        Criterion(
            name="roll angle", signal="roll_rad", metric="residual.l2", limit=0.03, weight=0.7, manoeuvres=LATERAL
        ),
        Criterion(name="pitch angle", signal="pitch_rad", metric="residual.l2", limit=0.05, manoeuvres=STRAIGHT),
        Criterion(name="deceleration", signal="ax_mps2", metric="residual.l2", limit=0.05, manoeuvres=STRAIGHT),
        Criterion(name="speed", signal="vx_mps", metric="residual.l2", limit=0.01),
    ),
)
LOOP_TESTS = (*LATERAL, *STRAIGHT, "acceleration", "braking_in_turn")


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """A campaign on one vehicle.

    Attributes
    ----------
    vehicle, spec
        As described, and as real-time model.
    folder
        Of the recordings.
    known
        What is known without the tests.
    """

    vehicle: Vehicle
    spec: RtmSpec
    folder: Path
    known: Known

    @property
    def sensors(self) -> SensorSet:
        """That lie beside the recordings."""
        return SensorSet.read(self.folder / SENSORS)

    def truth(self, test: str) -> Run:
        """The true run of a test."""
        return read_run(self.folder / "truth" / f"{test}.mf4")


def softer(of: Vehicle) -> Vehicle:
    """With bushings that are softer."""

    def changed(bushing: Bushing) -> Bushing:
        law = bushing.characteristic
        curves = tuple(replace(curve, y=SOFTER * curve.y) for curve in law.curves)
        damping = tuple(SOFTER * value for value in law.damping)
        return replace(bushing, characteristic=replace(law, curves=curves, damping=damping))

    return replace(of, bushings=tuple(map(changed, of.bushings)))


def study_of(*, soft: bool = False, seed: int = 1) -> Study:
    """Drive the plan, where that was not done yet, and measure the standing vehicle; a seed draws the errors."""
    vehicle = read_vehicle(BUNDLED[VEHICLE].assembly).vehicle
    vehicle = softer(vehicle) if soft else vehicle
    folder = FOLDER / (("softer" if soft else "recordings") + ("" if seed == 1 else f"_{seed}"))
    spec = convert_directly(vehicle).spec
    if not (folder / "workshop.toml").is_file():
        model = MultibodyVehicle(vehicle, steering=usual_steering(vehicle))
        measure(model, spec, replace(find_plan("case_study"), seed=seed), folder)
        write_atomically(folder / "workshop.toml", _workshop(vehicle, folder))
    entries = read_workshop(folder / "workshop.toml")
    return Study(vehicle, spec, folder, known_of(vehicle).knowing(entries.values, entries.bounds))


def _workshop(vehicle: Vehicle, folder: Path) -> str:
    """What scales, a lifted axle and turn plates show: three repeats, errors inside the bounds."""
    random = np.random.default_rng(3)
    loads = MultibodyVehicle(vehicle).settle().wheel_loads
    step = read_run(folder / "truth" / "step_left.mf4")
    angle = step[signals.STEERING_WHEEL_ANGLE]
    wheels = 0.5 * (step[signals.STEER[Corner.FL]] + step[signals.STEER[Corner.FR]])
    ratio = float((angle[-1] - angle[0]) / (wheels[-1] - wheels[0]))
    whole, centres = vehicle.mass_properties, {corner: vehicle.wheel(corner).centre for corner in Corner}
    wheelbase = float(centres[Corner.FL][0] - centres[Corner.RL][0])
    radii = {axle: _loaded_radius(vehicle, loads, axle) for axle in Axle}
    height = float(folder and read_run(folder / "truth" / "standstill.mf4")[signals.Z][0])
    gravity, lift = 9.80665, 0.6
    share = sum(load for corner, load in loads.items() if corner.axle is Axle.FRONT) / sum(loads.values())
    radius = share * radii[Axle.FRONT] + (1.0 - share) * radii[Axle.REAR]
    gained = whole.mass * (height - radius) * math.tan(math.asin(lift / wheelbase)) / wheelbase
    offsets = {corner: random.uniform(-1.0, 1.0) for corner in Corner}  # of each scale, within 1 kg

    def weighed(corner: Corner, more: float = 0.0) -> str:
        shown = loads[corner] / gravity + more + offsets[corner] + 0.2 * random.standard_normal(3)
        return str([round(float(mass), 2) for mass in shown])

    scales = "\n".join(f"{corner} = {weighed(corner)}" for corner in Corner)
    ruler = random.uniform(-0.001, 0.001)
    known = "\n".join(f"loaded_radius_{axle} = {radii[axle] + ruler:.4f}" for axle in Axle)
    bounds = "\n".join(f'loaded_radius_{axle} = "1 mm"' for axle in Axle)
    return (
        f'[scales]\naccuracy = "1 kg"\n{scales}\n\n[lifted_axle]\naxle = "front"\nheight = {lift}\n'
        f"left = {weighed(Corner.RL, gained / 2.0)}\nright = {weighed(Corner.RR, gained / 2.0)}\n\n"
        f"[known]\nsteering_ratio = {ratio * (1.0 + random.uniform(-0.01, 0.01)):.4f}\n{known}\n\n"
        f"[bounds]\nsteering_ratio = {0.01 * ratio:.4f}\n{bounds}\n"
    )


def _loaded_radius(vehicle: Vehicle, loads: Mapping[Corner, float], axle: Axle) -> float:
    at = [corner for corner in Corner if corner.axle is axle]
    found = [Tyre(vehicle.tyres[vehicle.wheel(c).tyres[0].tyre]).loaded_radius(loads[c]) for c in at]
    return float(np.mean(found))


def truths(study: Study) -> dict[str, float]:
    """What the parameters are, by the vehicle's own numbers; pressures are those of the pedal's circuit."""
    vehicle, whole = study.vehicle, study.vehicle.mass_properties
    brakes, powertrain, air = vehicle.brakes, vehicle.powertrain, vehicle.aerodynamics
    assert brakes is not None
    assert powertrain is not None
    assert air is not None
    loads = MultibodyVehicle(vehicle).settle().wheel_loads
    weight = sum(loads.values())
    height = float(study.truth("standstill")[signals.Z][0])
    torque = {Axle.FRONT: brakes.front_torque, Axle.REAR: brakes.rear_torque}
    return {
        "mass": whole.mass,
        **{f"wheel_mass_{corner}": whole.mass * load / weight for corner, load in loads.items()},
        "cg_x": float(whole.centre[0]),
        "cg_height_braking": height,
        "cg_height_cornering": height,
        "yaw_inertia": float(whole.inertia[2, 2]),
        "drag": 0.5 * air.density * air.frontal_area * air.drag,
        **{f"brake_factor_{corner}": torque[corner.axle] for corner in Corner},
        "brake_distribution": brakes.front_torque / (brakes.front_torque + brakes.rear_torque),
    }


def engine_truth(study: Study, name: str) -> float:
    """Torque that reaches the wheels at a point of the map, by the engine's own table."""
    powertrain = study.vehicle.powertrain
    assert powertrain is not None
    match = re.fullmatch(r"engine_torque_gear_\d+_throttle_(\d+)_at_(\d+)", name)
    assert match is not None
    throttle, speed = float(match.group(1)) / 100.0, float(match.group(2)) * _RPM
    engine = powertrain.engine
    row = [float(np.interp(speed, engine.speed, column)) for column in engine.torque.T]
    return powertrain.gearbox.efficiency * float(np.interp(throttle, engine.throttle, row))


#: Parameters of the contract and how far their estimates may be from the truth [-].
def limits() -> dict[str, float]:
    """By name."""
    return {
        "mass": 0.006,
        "cg_height_braking": 0.02,
        "yaw_inertia": 0.05,
        **{f"brake_factor_{corner}": 0.02 for corner in Corner},
        "brake_distribution": 0.02,
    }


def estimates_of(study: Study) -> tuple[Estimates, dict[str, tuple[Run, ...]]]:
    """From the recordings, by their map and their sensors."""
    reader = Reader(sensors=study.sensors)
    tests = reader.tests(study.folder)
    return estimate_all([run for repeats in tests.values() for run in repeats], study.known, study.sensors), tests


# Tables -----------------------------------------------------------------------------------------------------


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _table(heads: Sequence[str], rows: Iterable[Iterable[str]]) -> str:
    return "\n".join([_row(heads), "|" + "---|" * len(heads), *(_row(row) for row in rows)])


def _percent(share: float, places: int = 2) -> str:
    return f"{100.0 * share:.{places}f} %"


def _half(e: Estimate) -> float:
    return 0.5 * (e.interval[1] - e.interval[0])


def parameters_table(study: Study, found: Estimates) -> str:
    """Estimates against the truth."""
    truth, asked, rows = truths(study), limits(), []
    for name, true in truth.items():
        e = found.values.get(name)
        if e is None:
            rows.append((f"`{name}`", f"{true:.5g}", "cannot be told", "", "", "", ""))
            continue
        error = e.value / true - 1.0
        limit = asked.get(name)
        held = "yes" if e.interval[0] <= true <= e.interval[1] else "no"
        met = "" if limit is None else f"{_percent(limit, 1)}: {'met' if abs(error) <= limit else 'MISSED'}"
        rows.append(
            (f"`{name}`", f"{true:.5g}", f"{e.value:.5g}", _percent(error), _percent(_half(e) / abs(true)), held, met)
        )
    points = {name: e for name, e in found.values.items() if name.startswith("engine_torque")}
    errors = {name: e.value / engine_truth(study, name) - 1.0 for name, e in points.items()}
    worst = max(errors, key=lambda name: abs(errors[name]))
    held = sum(e.interval[0] <= engine_truth(study, n) <= e.interval[1] for n, e in points.items())
    full = {n: error for n, error in errors.items() if "throttle_100" in n}
    for title, some in (("full throttle", full), ("all throttles", errors)):
        worst = max(some, key=lambda name: abs(some[name]))
        half = float(np.mean([_half(points[n]) / points[n].value for n in some]))
        inside = sum(points[n].interval[0] <= engine_truth(study, n) <= points[n].interval[1] for n in some)
        met = f"3 %: {'met' if abs(some[worst]) <= 0.03 else 'MISSED'}"
        rows.append(
            (
                f"engine torque, {len(some)} points, {title}",
                f"{engine_truth(study, worst):.5g}",
                f"{points[worst].value:.5g}",
                f"{_percent(some[worst])} (largest)",
                _percent(half),
                f"{inside} of {len(some)}",
                met,
            )
        )
    heads = ("parameter", "truth", "estimate", "error", "half interval", "interval holds the truth", "asked")
    return _table(heads, rows)


def spread_table(study: Study, found: Estimates, workshop: Workshop) -> str:
    """The paper's own spread beside ours."""
    told = workshop.estimates(study.known)
    corners = [abs(found.values[f"wheel_mass_{c}"].value / told[f"wheel_mass_{c}"].value - 1.0) for c in Corner]
    braking, lifted = found.values["cg_height_braking"], told["cg_height"]
    yaw = found.values["yaw_inertia"]
    rows = (
        (
            "wheel loads, transducers against scales, largest difference",
            _percent(PAPER["corners"], 1),
            _percent(max(corners), 1),
        ),
        (
            "mass, transducers against scales",
            "0.6 %",
            _percent(abs(found.values["mass"].value / told["mass"].value - 1.0), 1),
        ),
        (
            "height of the centre of gravity, braking against lifted axle",
            _percent(PAPER["cg_height"], 1),
            _percent(abs(braking.value / lifted.value - 1.0), 1),
        ),
        (
            "yaw inertia, standard deviation of one sample",
            _percent(PAPER["yaw_sample"], 0),
            _percent(yaw.sample_deviation / yaw.value, 0),
        ),
    )
    return _table(("spread", "paper", "here"), rows)


#: Steps as hands drive them: speed [km/h], angle [°], rate [°/s].
_BY_HAND = ((78.0, 52.0, 180.0), (83.0, 70.0, 320.0), (80.0, 44.0, 250.0), (85.0, 64.0, 420.0))


def causes_table(study: Study) -> str:
    """What scatters samples of yaw inertia: noise of the yaw acceleration, delays, steps that are not alike."""
    plan, given = find_plan("case_study"), ChannelMap.read(study.folder / CHANNEL_MAP)
    wheels = {corner: given.vehicle.wheel(corner) for corner in Corner}
    installation = Installation(plan.imu, plan.outer_mass, wheels)
    by_columns = ChannelMap(
        {c: replace(e, channel=c, unit="") for c, e in given.entries.items()},
        imu=given.imu,
        outer_mass=given.outer_mass,
        vehicle=given.vehicle,
    )
    driven = {name: study.truth(name) for name in ("constant_speed", "step_left", "step_right")}
    model = MultibodyVehicle(study.vehicle, steering=usual_steering(study.vehicle))
    by_hand = {"constant_speed": driven["constant_speed"]}
    for k, (speed, angle, rate) in enumerate(_BY_HAND):
        side = ("left", "right")[k % 2]
        step = StepSteer(
            speed_kmh=speed, steering_wheel_angle_deg=angle, rate_degps=rate, direction=Direction(side), hold_s=2.0
        )
        by_hand[f"step_{k}"] = with_wheel_torques(simulate(model, step, sample=1e-3), study.spec)
    acceleration = signals.YAW_ACCELERATION.column

    def told(runs: Mapping[str, Run], noise: float = 1.0, late: float = 0.0) -> tuple[str, ...]:
        sensors = SensorSet(
            replace(sensor, noise=noise * sensor.noise) if column == acceleration else sensor
            for column, sensor in study.sensors.items()
        )
        assumed = SensorSet(replace(s, delay=s.delay - late) if s.delay else s for s in sensors.values())
        entries = {n: replace(e, delay=e.delay - late) if e.delay else e for n, e in by_columns.entries.items()}
        made = []
        for number, (name, run) in enumerate(runs.items()):
            samples = Campaign(sensors, plan.seed).measure(exposed(run, installation), number)
            recording = recording_of(Path(name), {c: (sensors[c].kind.unit, s) for c, s in samples.items()})
            made.append(prepare(recording, replace(by_columns, entries=entries), assumed, refuse=False).run)
        found = estimate_all(made, study.known, sensors, estimators=[CgX(), CgY(), YawInertia()]).results["yaw_inertia"]
        if not isinstance(found, Estimate):
            return (found.missing, "", "")
        true = truths(study)["yaw_inertia"]
        return (
            _percent(found.sample_deviation / found.value, 1),
            _percent(found.value / true - 1.0, 1),
            _percent(_half(found) / true, 1),
        )

    rows = [
        ("steps of a robot, 6 °/s² of noise of the yaw acceleration", *told(driven)),
        ("no noise of the yaw acceleration", *told(driven, noise=0.0)),
        ("12 °/s²", *told(driven, noise=2.0)),
        ("18 °/s²", *told(driven, noise=3.0)),
        ("5 ms of the delay left in", *told(driven, late=0.005)),
        ("15 ms of the delay left in", *told(driven, late=0.015)),
        ("steps by hand: four angles, rates and speeds", *told(by_hand)),
        ("steps by hand, 12 °/s²", *told(by_hand, noise=2.0)),
        ("steps by hand, 12 °/s², 15 ms left in", *told(by_hand, noise=2.0, late=0.015)),
    ]
    return _table(("campaign", "standard deviation of one sample", "error", "half interval"), rows)


def workshop_table(found: Estimates, workshop: Workshop) -> str:
    """Workshop against driving: the paper's table 3."""
    rows = [
        (
            f"`{row.name}` [{row.driven.kind.unit or '-'}]",
            f"{row.workshop.value:.5g} ± {_half(row.workshop):.2g}",
            f"{row.driven.value:.5g} ± {_half(row.driven):.2g}",
            f"{row.difference:.2g} ({_percent(row.difference / row.workshop.value, 1)})",
            "yes" if row.agree else "no",
        )
        for row in compared(workshop.estimates(found.known), found.results)
    ]
    return _table(("parameter", "workshop", "driving", "difference", "inside both intervals"), rows)


def shift_table(study: Study, tests: Mapping[str, tuple[Run, ...]]) -> tuple[str, Figure]:
    """Yaw inertia with the delay of the transducers stated, found and left in; and the curves behind it."""
    given, sensors = ChannelMap.read(study.folder / CHANNEL_MAP), study.sensors
    prompt = SensorSet([replace(sensor, delay=0.0) for sensor in sensors.values()])
    late = {name for name, entry in given.entries.items() if entry.delay}
    steps = ("step_left", "step_right", "constant_speed")
    rows, curves = [], {}
    for title, delay in (("stated, 63 ms", DELAY), ("found by correlation", None), ("left in", 0.0)):
        entries = {n: replace(e, delay=delay) if n in late else e for n, e in given.entries.items()}
        runs, done = [], ""
        for file in sorted(study.folder.glob("*_?.mf4")):
            if not file.name.startswith(steps):
                continue
            own = entries
            if delay is None and file.name.startswith("constant"):
                own = given.entries  # straight ahead nothing tells it
            made = prepare(open_recording(file), replace(given, entries=own), prompt, refuse=False)
            runs.append(made.run)
            texts = [step.text for step in made.record if "found by" in step.text]
            done = texts[0] if texts and not done else done
        found = estimate_all(runs, study.known, sensors, estimators=[CgX(), CgY(), YawInertia()])
        value = found.results["yaw_inertia"]
        true = truths(study)["yaw_inertia"]
        if isinstance(value, Estimate):
            cells = (
                f"{value.value:.0f}",
                _percent(value.value / true - 1.0, 1),
                _percent(_half(value) / true, 1),
                _percent(value.sample_deviation / value.value, 0),
            )
        else:
            cells = (f"cannot be told: {value.missing}", "", "", "")
        rows.append((title + (f" ({re.search(r'[0-9.]+ ± [0-9.]+ ms', done).group(0)})" if done else ""), *cells))
        curves[title] = next(run for run in runs if str(run.metadata["name"]).startswith("step_left")), found.known
    del tests
    table = _table(
        ("delay of the transducers", "I_zz [kg·m²]", "error", "half interval", "standard deviation of one sample"), rows
    )
    panels = []
    for title, caption in (("left in", "delay of the transducers left in"), ("stated, 63 ms", "63 ms taken out")):
        run, known = curves[title]
        channels = Channels(dict(run))
        moment = channels.smoothed_values(yaw_moment(channels, known), 0.03)
        turning = truths(study)["yaw_inertia"] * channels.smoothed(signals.YAW_ACCELERATION, 0.03)
        shown = (run.time > run.time[0]) & (run.time < run.time[0] + 1.5)
        panels.append(
            Panel(
                caption,
                "time [s]",
                "yaw moment [N·m]",
                (
                    Line(run.time[shown], moment[shown], "of the wheel forces"),
                    Line(run.time[shown], turning[shown], "true I_zz · yaw acceleration", Stroke.DASHED),
                ),
            )
        )
    return table, Figure("Step steer: yaw moment of the wheel forces, and what it must be", tuple(panels), columns=2)


#: Groups of sensors that are one device or one of its signals: a title, and how their columns begin.
GROUPS = {
    "transducers, Fx": ("Fx_",),
    "transducers, Fy": ("Fy_",),
    "transducers, Fz": ("Fz_",),
    "transducers, torques": ("wheel_torque_", "Mz_"),
    "INS, accelerations": ("ax_", "ay_", "az_"),
    "INS, yaw acceleration": ("yaw_acceleration",),
    "INS, rates": ("yaw_rate", "roll_rate", "pitch_rate"),
    "INS, angles": ("roll_rad", "pitch_rad"),
    "INS, speeds": ("vx_", "vy_"),
    "steering wheel": ("steering_wheel_angle",),
    "brake pressures": ("brake_pressure",),
    "wheel speeds": ("wheel_speed",),
    "bus: engine, pedals, gear": ("engine_speed", "throttle", "brake", "gear"),
}
#: What is looked at there: parameters by the heads of the table.
WATCHED = {
    "mass": "mass",
    "cg_height_braking": "height",
    "yaw_inertia": "I_zz",
    "brake_factor_fl": "brake front",
    "brake_factor_rl": "brake rear",
    "engine_torque_gear_3_throttle_100_at_5000": "engine torque",
}


def sensor_table(study: Study) -> str:
    """Half intervals with rate and error of each sensor halved and doubled."""
    sensors, plan = study.sensors, find_plan("case_study")
    given = ChannelMap.read(study.folder / CHANNEL_MAP)
    wheels = {corner: given.vehicle.wheel(corner) for corner in Corner}
    names = ("constant_speed", "braking", "light_braking", "step_left", "step_right", "acceleration")
    shown = {n: exposed(study.truth(n), Installation(plan.imu, plan.outer_mass, wheels)) for n in names}
    estimators: list[Estimator] = [
        *(RollingRadius(axle=axle) for axle in Axle),
        TotalMass(),
        CgX(),
        CgY(),
        HeightByBraking(),
        YawInertia(),
        BrakeFactor(corner=Corner.FL),
        BrakeFactor(corner=Corner.RL),
        EngineTorque(gear=3, throttle=1.0, speed=5000 * _RPM),
    ]
    by_columns = ChannelMap(
        {c: replace(e, channel=c, unit="") for c, e in given.entries.items()},
        imu=given.imu,
        outer_mass=given.outer_mass,
        vehicle=given.vehicle,
    )

    def halves(of: SensorSet) -> list[str]:
        campaign = Campaign(of, plan.seed)
        runs = []
        for number, (name, run) in enumerate(shown.items()):
            samples = campaign.measure(run, number)
            recording = recording_of(Path(name), {c: (of[c].kind.unit, s) for c, s in samples.items()})
            runs.append(prepare(recording, by_columns, of, refuse=False).run)
        found = estimate_all(runs, study.known, of, estimators=estimators).values
        return [_percent(_half(found[n]) / abs(found[n].value)) if n in found else "-" for n in WATCHED]

    def scaled(prefixes: tuple[str, ...], **factors: float) -> SensorSet:
        changed = sensors.scaled(**factors)
        return SensorSet([(changed if column.startswith(prefixes) else sensors)[column] for column in sensors])

    rows = [["as they are", *halves(sensors)]]
    every = tuple({column[:2] for column in sensors})
    for title, prefixes in {**GROUPS, "all sensors": every}.items():
        for what in ("error", "rate"):
            for factor, word in ((0.5, "½"), (2.0, "2")):
                rows.append([f"{title}: {what} × {word}", *halves(scaled(prefixes, **{what: factor}))])
                print(rows[-1], flush=True)
    return _table(("sensors", *WATCHED.values()), rows)


# The loop ---------------------------------------------------------------------------------------------------


def wrong_start(spec: RtmSpec, draw: int = 0) -> tuple[RtmSpec, dict[str, float]]:
    """A model with every parameter 15 % wrong and the factors: down and up by turns, or with signs that are drawn."""
    names = [*tuning_space(spec).names, "drag", "brake_front", "brake_rear"]
    signs = np.array([(-1) ** (k + 1) for k in range(len(names))])
    if draw:
        signs = np.random.default_rng(draw).choice((-1, 1), len(names))
    # Yaw inertia down and roll inertia up: no body has them the other way round where its pitch inertia is right.
    signs[names.index("Izz")], signs[names.index("Ixx")] = -1, 1
    factors = {name: 1.0 + WRONG * float(sign) for name, sign in zip(names, signs, strict=True)}
    return spec.with_parameters(**{n: factor * spec.parameters[n] for n, factor in factors.items()}), factors


def loop_of(
    study: Study,
    found: Estimates,
    tests: Mapping[str, tuple[Run, ...]],
    criteria: Criteria = CRITERIA,
    draw: int = 0,
) -> Loop:
    """From the wrong start, with what the estimates tell."""
    start, _ = wrong_start(study.spec, draw)
    return close_loop(start, {name: tests[name] for name in LOOP_TESTS}, criteria, given_by(found.values, study.spec))


def at_bounds(loop: Loop) -> list[str]:
    """Parameters that end at a bound of what they may be."""
    last = loop.rounds[-1].parameters
    return [f"`{item.name}`" for item in loop.space.tunables if abs(item.scaled(last[item.name])) > 1.0 - _AT_BOUND]


def starts_table(found: Mapping[int, tuple[Study, Estimates, Mapping[str, tuple[Run, ...]]]]) -> Iterator[str]:
    """The loop from other starts and other recordings, and at which bounds parameters end."""
    heads = ("recordings, seed", "signs", "degree of validity", "rounds", "worst row", "rows missed", "at a bound")
    rows, ends = [], dict[str, list[str]]()
    for seed, draw in _STARTS:
        study, estimates, tests = found[seed]
        loop = loop_of(study, estimates, tests, draw=draw)
        first, last = loop.rounds[0], loop.rounds[-1]
        rows.append(
            (
                str(seed),
                f"drawn ({draw})" if draw else "by turns",
                f"{first.degree:.2f} → {last.degree:.3f}",
                str(len(loop.rounds)),
                f"{max(last.ratios.values()):.2f} of its limit",
                str(sum(ratio > 1.0 for ratio in last.ratios.values())),
                ", ".join(at_bounds(loop)) or "none",
            )
        )
        for name in wrong_start(study.spec, draw)[1]:
            if name in last.parameters:
                error = last.parameters[name] / study.spec.parameters[name] - 1.0
                ends.setdefault(name, []).append(_percent(error, 1))
        print(rows[-1], flush=True)
    yield _table(heads, rows)
    titles = [f"recordings {seed}, {'drawn' if draw else 'by turns'}" for seed, draw in _STARTS]
    yield _table(("parameter", *titles), [(f"`{name}`", *errors) for name, errors in ends.items()])


def loop_tables(study: Study, loop: Loop) -> Iterator[str]:
    """What became of the parameters, and of the criteria."""
    _, factors = wrong_start(study.spec)
    true, names = study.spec.parameters, [item.name for item in loop.space.tunables]
    filled, last = loop.rounds[1], loop.rounds[-1]
    rows = [
        (
            f"`{n}`",
            _percent(factors[n] - 1.0, 0),
            _percent(filled.parameters[n] / true[n] - 1.0, 1),
            _percent(last.parameters[n] / true[n] - 1.0, 1),
        )
        for n in names
        if n in factors
    ]
    yield _table(("parameter", "as given", "filled in", "tuned"), rows)
    rounds = [
        (
            one.title,
            f"{one.degree:.3f}",
            f"{max(one.ratios.values()):.2f}",
            str(sum(r > 1.0 for r in one.ratios.values())),
        )
        for one in loop.rounds
    ]
    yield _table(("round", "degree of validity", "worst row over its limit", "rows beyond their limits"), rounds)
    rows = [
        (
            row.criterion.name,
            row.test,
            _percent(row.criterion.limit, 0),
            _percent(row.value, 1),
            _percent(row.floor, 1) if math.isfinite(row.floor) else "one run",
            "met" if row.met else "NOT MET",
        )
        for row in loop.verdict.rows
    ]
    yield _table(("criterion", "test", "limit", "model", "noise floor", ""), rows)


#: What moves in the multibody model beside what was estimated, and what it is judged by.
MULTIBODY_NAMES, MULTIBODY_TESTS = ("spring_factor_front", "damper_factor_rear"), ("step_left", "braking")
SINGLE_TRACK_TESTS = ("sine", "step_left", "step_right")
SINGLE_TRACK_CRITERIA = Criteria(
    name="single-track",
    criteria=(
        Criterion(name="yaw rate", signal="yaw_rate_radps", metric="residual.l2", limit=0.05),
        Criterion(name="lateral acceleration", signal="ay_mps2", metric="residual.l2", limit=0.08),
    ),
)


def multibody_loop(study: Study, found: Estimates, tests: Mapping[str, tuple[Run, ...]]) -> tuple[Loop, list[str]]:
    """From a vehicle whose masses, brakes, springs and dampers are 15 % wrong, with some estimates; and the truth."""
    given = {n: at for n, at in given_by(found.values, study.vehicle).items() if n in ("mass", "Izz", "cg_height")}
    names = (*given, *MULTIBODY_NAMES)
    true = {item.name: item.nominal for item in multibody_space(study.vehicle, names).tunables}
    wrong = {name: value * (1.0 + WRONG * (-1) ** k) for k, (name, value) in enumerate(true.items())}
    start = with_numbers(study.vehicle, wrong)
    chosen = {name: tests[name] for name in MULTIBODY_TESTS}
    loop = close_loop(start, chosen, CRITERIA, given, names=MULTIBODY_NAMES)
    # factors are on the vehicle that the loop begins with
    factor = {name: wrong[name] if name in MULTIBODY_NAMES else 1.0 for name in true}
    rows = [
        (
            f"`{n}`",
            *(
                _percent(one.parameters[n] * factor[n] / true[n] - 1.0, 1)
                for one in (loop.rounds[0], loop.rounds[1], loop.rounds[-1])
            ),
        )
        for n in true
    ]
    return loop, [_table(("number", "as given", "filled in", "tuned"), rows)]


def single_track_loop(study: Study, found: Estimates, tests: Mapping[str, tuple[Run, ...]]) -> Loop:
    """From a car as it usually is, with the wheelbase of the vehicle and what the estimates tell."""
    start = usual_single_track(study.vehicle.wheelbase)
    given = given_by(found.values, start)
    return close_loop(start, {name: tests[name] for name in SINGLE_TRACK_TESTS}, SINGLE_TRACK_CRITERIA, given)


def models_tables(study: Study, found: Estimates, tests: Mapping[str, tuple[Run, ...]]) -> Iterator[str]:
    """The loop on other kinds of models."""
    begun = time.process_time()
    single = single_track_loop(study, found, tests)
    yield _told("Single-track model", SINGLE_TRACK_TESTS, single, time.process_time() - begun)
    begun = time.process_time()
    loop, tables = multibody_loop(study, found, tests)
    yield _told("Multibody model", MULTIBODY_TESTS, loop, time.process_time() - begun)
    yield from tables


def _told(what: str, tests: Sequence[str], loop: Loop, seconds: float) -> str:
    row = max(loop.verdict.rows, key=lambda row: row.ratio)
    worst = f"{row.criterion.name} in {row.test}, {_percent(row.value, 1)} of {_percent(row.criterion.limit, 0)}"
    return f"**{what}** ({', '.join(tests)}): {loop.sentence} Worst row: {worst}. {seconds:.0f} s of CPU time."


def write_section(name: str, text: str) -> None:
    """Put text into the page, between the marks of a name."""
    begin, end = f"<!-- begin: {name} -->\n", f"<!-- end: {name} -->"
    before, rest = PAGE.read_text().split(begin)
    write_atomically(PAGE, f"{before}{begin}\n{text}\n\n{end}{rest.split(end)[1]}")


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--write", "--quick", "--softer", "--models", "--starts", "--causes"):
        parser.add_argument(option, action="store_true")
    given = parser.parse_args()

    def show(name: str, text: str) -> None:
        print(f"\n{name}\n{text}", flush=True)
        if given.write:
            write_section(name, text)

    study = study_of(soft=given.softer)
    if given.causes:
        show("causes", causes_table(study))
        return
    if given.starts:
        studies = {seed: study_of(seed=seed) for seed, _ in _STARTS}
        show("starts", "\n\n".join(starts_table({n: (each, *estimates_of(each)) for n, each in studies.items()})))
        return
    begun = time.process_time()
    found, tests = estimates_of(study)
    took = time.process_time() - begun
    if given.models:
        show("models", "\n\n".join(models_tables(study, found, tests)))
        return
    if given.softer:
        show("softer estimates", parameters_table(study, found))
        loop = loop_of(study, found, tests)
        show("softer loop", f"{loop.sentence}")
        return
    workshop = read_workshop(study.folder / "workshop.toml")
    show("parameters", f"{parameters_table(study, found)}\n\nReading and estimating took {took:.0f} s of CPU time.")
    show("spread", spread_table(study, found, workshop))
    show("workshop", workshop_table(found, workshop))
    table, figure = shift_table(study, tests)
    show("shift", table)
    write_png(figure, PICTURE if given.write else FOLDER / PICTURE.name)
    begun = time.process_time()
    loop = loop_of(study, found, tests)
    took = time.process_time() - begun
    parameters, rounds, rows = loop_tables(study, loop)
    show("loop", f"{parameters}\n\n{rounds}\n\n{loop.sentence} The loop took {took:.0f} s of CPU time.")
    show("criteria", rows)
    hopeless = replace(
        CRITERIA, criteria=tuple(replace(c, limit=0.002) if c.name == "yaw rate" else c for c in CRITERIA.criteria)
    )
    show("hopeless", f"> {loop_of(study, found, tests, hopeless).sentence}")
    if not given.quick:
        show("sensors", sensor_table(study))


if __name__ == "__main__":
    main()
