"""Virtual measurement of a plan: a model drives it, sensors measure it, files are written as a logger would."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from trackrod.core.corners import Corner
from trackrod.core.files import make_folder, write_atomically
from trackrod.core.plain import pretty_json
from trackrod.core.records import to_plain
from trackrod.core.run_files import write_run
from trackrod.core.series import Run
from trackrod.measured.channel_map import ChannelMap, Entry, Geometry
from trackrod.measured.logger_files import logger_channel, write_recording
from trackrod.measured.measurement_plan import MeasurementPlan, Test
from trackrod.measured.virtual import Campaign, Installation, exposed
from trackrod.measured.wheel_forces import hub_torque
from trackrod.rtm.motion import TotalCentre
from trackrod.rtm.spec import RtmSpec
from trackrod.simulate.drive import simulate
from trackrod.simulate.model import VehicleModel
from trackrod.tyre.model import Tyre

__all__ = ["Measured", "measure"]

#: Time from sample to sample of what the sensors are exposed to [s]: that of the fastest of usual sensors.
_SAMPLE = 1e-3


@dataclass(frozen=True, slots=True)
class Measured:
    """What was written.

    Attributes
    ----------
    recordings
        By test: the runs that count.
    warm_up
        The others.
    truth
        The true run of each test.
    channel_map, sensors, errors
        Files beside them; the last tells what the sensors did wrong.
    """

    recordings: dict[str, list[Path]]
    warm_up: list[Path]
    truth: dict[str, Path]
    channel_map: Path
    sensors: Path
    errors: Path


def measure(
    model: VehicleModel,
    spec: RtmSpec,
    plan: MeasurementPlan,
    folder: Path,
    *,
    progress: Callable[[str, float], None] | None = None,
) -> Measured:
    """Drive a plan and write what sensors measure: recordings, their channel map, and the truth apart from them.

    Parameters
    ----------
    model
        What drives.
    spec
        The vehicle: where its wheels are, its tyres and what spins.
    plan
        What is driven.
    folder
        Where files are written; it is made if need be.
    progress
        Told the name of the test, and how much of the plan is done, 0 to 1.
    """
    make_folder(folder)
    geometry = geometry_of(spec)
    installation = Installation(plan.imu, plan.outer_mass, {corner: geometry.wheel(corner) for corner in Corner})
    campaign = Campaign(plan.sensors, plan.seed)
    found = Measured({}, [], {}, folder / "channels.toml", folder / "sensors.toml", folder / "truth" / "errors.json")
    number = 0
    columns: dict[str, None] = {}
    for done, test in enumerate(plan.tests):
        if progress is not None:
            progress(test.name, done / len(plan.tests))
        truth = with_wheel_torques(simulate(model, test.manoeuvre, sample=_SAMPLE), spec)
        found.truth[test.name] = folder / "truth" / f"{test.name}.{plan.format}"
        write_run(truth, found.truth[test.name], make_parents=True)
        felt = exposed(truth, installation)
        for path in _files(test, folder, plan, found):
            number += 1
            channels = campaign.measure(felt, number)
            columns |= dict.fromkeys(channels)
            make_folder(path.parent)
            write_recording(channels, path, comment=f"{plan.name}, {test.name}")
    _map_of(list(columns), plan, geometry).write(found.channel_map)
    plan.sensors.write(found.sensors)
    errors: dict[str, Any] = {column: to_plain(campaign.errors[column]) for column in columns}
    write_atomically(found.errors, pretty_json({"seed": plan.seed, "errors": errors}))
    return found


def geometry_of(spec: RtmSpec) -> Geometry:
    """Where the wheels are from the total centre of gravity."""
    centres = [wheel.centre for wheel in spec.wheels]
    parameters = spec.parameters
    behind = float(TotalCentre.of(spec).at([np.zeros(1)] * 4)[0])  # from the sprung centre of gravity, forward
    return Geometry(
        wheelbase=float(centres[0][0] - centres[2][0]),
        cg_to_front=float(parameters["cg_to_front"] - behind),
        track_front=float(centres[0][1] - centres[1][1]),
        track_rear=float(centres[2][1] - centres[3][1]),
    )


def with_wheel_torques(run: Run, spec: RtmSpec) -> Run:
    """The run with the torque of half-shaft and brake on each wheel, as transducers show it."""
    tyres, inertia = {}, {}
    for wheel in spec.wheels:
        tyres[wheel.corner] = [Tyre(spec.tyres[place.tyre]) for place in wheel.tyres]
        inertia[wheel.corner] = spec.parameters[f"wheel_inertia_{wheel.corner.axle}"]
    return Run({**run, **hub_torque(run, tyres, inertia)}, run.metadata)


def _files(test: Test, folder: Path, plan: MeasurementPlan, found: Measured) -> list[Path]:
    """Of the runs of a test, those that do not count first."""
    before = [folder / "warm_up" / f"{test.name}_{i}.{plan.format}" for i in range(1, test.warm_up + 1)]
    counted = [folder / f"{test.name}_{i}.{plan.format}" for i in range(1, test.repeats + 1)]
    found.warm_up.extend(before)
    found.recordings[test.name] = counted
    return before + counted


def _map_of(columns: list[str], plan: MeasurementPlan, geometry: Geometry) -> ChannelMap:
    entries = {}
    for column in columns:
        name, unit = logger_channel(column)
        delay = plan.sensors[column].delay
        entries[column] = Entry(column, name, unit, delay=delay)
    return ChannelMap(entries, imu=plan.imu, outer_mass=plan.outer_mass, vehicle=geometry)
