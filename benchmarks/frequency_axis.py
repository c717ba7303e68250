"""The frequency up to which the real-time model answers the steering wheel as the multibody model does.

    python -m benchmarks.frequency_axis suv lcv_7t

A small sine of growing frequency at 100 km/h, both models; for each response the highest frequency up to which gain and
phase stay within bands.
"""

from __future__ import annotations

import argparse

import numpy as np

from trackrod.adams.source import open_vehicle
from trackrod.core import signals
from trackrod.manoeuvres.steering import SineSweep
from trackrod.metrics.frequency import frequency_response
from trackrod.multibody.integrators import RealTime
from trackrod.workflow.envelope import Both, drive_model
from trackrod.workflow.multibody_runs import SAMPLE, multibody_run
from trackrod.workflow.stages.convert import convert_directly

BAND = (0.3, 9.0)  # [Hz]
#: Step of the multibody model [s]: at 1 ms implicit Euler damps what happens above 4 Hz.
STEP = 0.25e-3
#: What counts as alike: of the gain [-], of the phase [rad].
BANDS = ((0.05, np.radians(5.0)), (0.10, np.radians(10.0)))


def main() -> None:
    """Print a row for each vehicle and response."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vehicles", nargs="+")
    sweep = SineSweep(
        speed_kmh=100.0, steering_wheel_angle_deg=8.0, first_frequency_Hz=0.2, last_frequency_Hz=10.0, duration_s=40.0
    )
    print("| vehicle | response | within 5 % and 5° up to | within 10 % and 10° up to | at 5 Hz |")
    print("|---|---|---|---|---|")
    for name in parser.parse_args().vehicles:
        vehicle = open_vehicle(name).vehicle
        both = Both(vehicle, convert_directly(vehicle).spec)
        reference = multibody_run(vehicle, sweep, RealTime(STEP, steering=both.steering), SAMPLE)
        model = drive_model(both.spec, sweep)
        for signal in (signals.YAW_RATE, signals.AY, signals.ROLL):
            ours, theirs = (
                frequency_response(run.time, run[signals.STEERING_WHEEL_ANGLE], run[signal], BAND)
                for run in (model, reference)
            )
            gain = np.interp(theirs.frequency, ours.frequency, ours.gain) / theirs.gain - 1.0
            phase = np.interp(theirs.frequency, ours.frequency, np.unwrap(ours.phase)) - np.unwrap(theirs.phase)
            phase -= 2 * np.pi * np.round(phase / (2 * np.pi))
            ends = []
            for allowed, angle in BANDS:
                beyond = np.flatnonzero((np.abs(gain) > allowed) | (np.abs(phase) > angle))
                ends.append(theirs.frequency[beyond[0]] if beyond.size else BAND[1])
            at = np.searchsorted(theirs.frequency, 5.0)
            told = f"{gain[at]:+.1%}, {np.degrees(phase[at]):+.1f}°"
            print(f"| `{name}` | {signal.name} | {ends[0]:.1f} Hz | {ends[1]:.1f} Hz | {told} |", flush=True)


if __name__ == "__main__":
    main()
