"""``python -m benchmarks.carmaker``: a van written for CarMaker, read and driven, against the model it was made of."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from trackrod.adams.source import open_vehicle
from trackrod.convert.conversion import Compliance
from trackrod.core import signals
from trackrod.core.errors import InputError
from trackrod.export.carmaker import export_carmaker
from trackrod.manoeuvres.registry import manoeuvre_class
from trackrod.multibody.steering import SteeringModel
from trackrod.reference.carmaker_model import read_carmaker
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.simulate.drive import simulate
from trackrod.workflow.stages.convert import convert_directly

MANOEUVRES = ("ramp_steer", "sine_sweep", "step_steer", "acceleration", "braking")
SIGNALS = (signals.VX, signals.AX, signals.AY, signals.YAW_RATE, signals.ROLL, signals.PITCH)


#: Sample vehicles of CarMaker beside the project.
REAL = Path(__file__).resolve().parents[2] / "shared" / "data" / "carmaker"


def drive_samples() -> None:
    """Print, for each sample vehicle, that it drives a step steer, or why it is not read."""
    tyre = next(REAL.rglob("CONTINENTAL_FORMULASTUDENT_205_510_R13_80kPa.tir"), None)
    for path in sorted(path for path in REAL.rglob("Vehicle/**/*") if path.is_file()):
        try:
            spec = read_carmaker(path, tyre).spec
        except InputError as error:
            print(f"{path.name:22s} refused: {error.problems[0].text}")
            continue
        run = simulate(RealTimeVehicle(spec), manoeuvre_class("step_steer").from_text({}))
        angle = np.degrees(run[signals.STEERING_WHEEL_ANGLE][-1])
        print(f"{path.name:22s} {run[signals.AY][-1] / 9.80665:.3f} g at {angle:.2f} degrees of the steering wheel")


def main() -> None:
    """Print, for each manoeuvre, the root mean square of the difference over the largest value in percent."""
    drive_samples()
    vehicle = open_vehicle("lcv_7t").vehicle
    spec = convert_directly(vehicle, compliance=Compliance.QUASI_STATIC, steering=SteeringModel.RATIO).spec
    with TemporaryDirectory() as folder:
        made, _ = export_carmaker(spec, folder, 10)
        again = read_carmaker(Path(folder) / made.vehicle).spec
    for name in MANOEUVRES:
        manoeuvre = manoeuvre_class(name).from_text({})
        one, other = (simulate(RealTimeVehicle(model), manoeuvre) for model in (spec, again))
        n = min(one.time.size, other.time.size)
        shares = []
        for signal in SIGNALS:
            largest = float(np.abs(one[signal]).max())
            if largest > 1e-6:
                off = np.sqrt(np.mean((one[signal][:n] - other[signal][:n]) ** 2)) / largest
                shares.append(f"{signal.name} {100.0 * off:.5f} %")
        print(f"{name:14s} {', '.join(shares)}")


if __name__ == "__main__":
    main()
