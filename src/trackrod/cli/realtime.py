"""``trackrod realtime``: a model in step with the clock, driven by a script or by a client."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from trackrod.cli.inputs import Payload, SteeringKind, open_loaded, parse_settings
from trackrod.cli.output import console, print_json
from trackrod.cli.simulate import ModelKind
from trackrod.cli.targets import file_option
from trackrod.cli.vehicle import Aliases, AllowOutside, Json, StandIn, TemplateFolders, VehicleArgument
from trackrod.core import signals
from trackrod.core.errors import InputError
from trackrod.core.plain import Plain
from trackrod.manoeuvres.registry import manoeuvre_class
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.multibody.steering import usual_steering
from trackrod.report.figures import write_png
from trackrod.rtm.driving import RealTimeVehicle, require_step
from trackrod.simulate.drive import require_periods, simulate
from trackrod.simulate.model import VehicleModel
from trackrod.simulate.realtime import SILENCE, Timing, in_step, multibody_in_step, rtm_in_step, script_of
from trackrod.workflow.stages.convert import convert_directly

__all__ = ["realtime"]


#: Of UDP.
_LAST_PORT = 65535


def realtime(
    vehicle: VehicleArgument,
    model: Annotated[ModelKind, typer.Option(help="Multibody or real-time model.")] = ModelKind.RTM,
    step: Annotated[float, typer.Option(help="Step [s].")] = 0.001,
    duration: Annotated[float, typer.Option(help="How long to run [s].")] = 60.0,
    realtime_priority: Annotated[
        bool, typer.Option(help="Lock memory and run before all ordinary programs, where that is allowed.")
    ] = False,
    udp: Annotated[int | None, typer.Option(help="Port on this machine where a client drives; 0 chooses one.")] = None,
    speed_kmh: Annotated[
        float | None, typer.Option(help="Of the double lane change; with a client, at its start.")
    ] = None,
    plot: Annotated[Path | None, file_option(help="Histogram of the turnaround: .png.")] = None,
    payload: Payload = None,
    steering: SteeringKind = None,
    alias: Aliases = None,
    templates: TemplateFolders = None,
    allow_outside: AllowOutside = False,
    stand_in: StandIn = False,
    json: Json = False,
) -> None:
    """Run a model in step with the clock, in a double lane change or under a client; tell how long its steps took."""
    if model is ModelKind.RTM:
        require_step(step)
    require_periods(step, 0.01)
    if not (np.isfinite(duration) and duration >= step):
        raise InputError(f"the duration is {duration:g} s, at least one step of {step:g} s is run")
    if udp is not None and not 0 <= udp <= _LAST_PORT:
        raise InputError(f"--udp {udp} is no port: 0 to {_LAST_PORT} are")
    found, _ = open_loaded(vehicle, payload, alias, templates, allow_outside=allow_outside, stand_in=stand_in)
    steering = steering or usual_steering(found)
    rtm = (
        RealTimeVehicle(convert_directly(found, steering=steering).spec, step=step) if model is ModelKind.RTM else None
    )
    script, speed = np.zeros((0, 4)), (speed_kmh or 0.0) / 3.6
    if udp is None:
        given = [] if speed_kmh is None else [f"speed_kmh={speed_kmh}"]
        wanted = manoeuvre_class("double_lane_change").from_text(parse_settings(given))
        driven: VehicleModel = rtm or MultibodyVehicle(found, step=step, steering=steering)
        run = simulate(driven, wanted)
        script, speed = script_of(run, step), float(run[signals.VX][0])
    ready = multibody_in_step(found, speed, steering=steering) if rtm is None else rtm_in_step(rtm, speed)
    if udp is not None:
        port = ready.listen(udp, SILENCE)
        if not json:
            console.print(f"a client drives at 127.0.0.1, port {port}")
    timing = in_step(ready, step, duration, script, priority=realtime_priority)
    if plot is not None:
        write_png(timing.figure(f"{found.name}, {model} model, steps of {1e3 * step:g} ms"), plot)
    taken, malformed, late, silent = ready.heard()
    client: dict[str, Plain] = {"taken": taken, "malformed": malformed, "late": late, "silent_at_the_end": silent}
    if json:
        print_json(
            {"vehicle": found.name, "model": str(model), **timing.as_data(), "client": None if udp is None else client}
        )
        return
    _print(timing, realtime_priority)
    if udp is not None:
        console.print(
            f"client: {taken} datagrams taken, {malformed} malformed, {late} late; silent at the end: {silent}"
        )


def _print(timing: Timing, wanted: bool) -> None:
    shares = ", ".join(f"{share:g} % {1e3 * value:.3f}" for share, value in timing.percentiles.items())
    console.print(f"{timing.turnaround.size} steps of {1e3 * timing.step:g} ms; turnaround in ms: {shares}")
    console.print(
        f"worst {1e3 * timing.turnaround.max():.3f} ms; overruns after the first ten steps: {timing.overruns}"
    )
    if wanted:
        given = ["not locked", "locked"][timing.locked], ["not given", "given"][timing.prioritised]
        console.print(f"memory {given[0]}, fixed priority {given[1]}")
