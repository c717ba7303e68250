"""Write the case that ``cpp/cuda/step_on_device.cu`` drives on a GPU and on the CPU: many vehicles on one model.

usage: python -m benchmarks.device_case OUTPUT [VEHICLE [COUNT]]

Each vehicle has parameters and inputs of its own: a step of the steering wheel, then throttle, then the brake. What the
Python module reaches, four wheels abreast, stands at the end of the file.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.bench_rtm import converted
from trackrod.core.layout import Layout
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.layout import INPUTS, STATE

STEPS, STEP, SPEED = 1000, 1e-3, 22.0
_INPUT = Layout(INPUTS.fields)


def write_case(path: Path, vehicle: str, count: int) -> None:
    """Write the file."""
    nominal = converted(vehicle).spec
    rng = np.random.default_rng(1)
    blocks, starts, inputs, ends = [], [], np.zeros((STEPS, count, INPUTS.size)), []
    for i in range(count):
        factors = 1.0 + 0.1 * rng.uniform(-1.0, 1.0, 3)
        spec = nominal.with_parameters(
            sprung_mass=nominal.parameters["sprung_mass"] * factors[0],
            Izz=nominal.parameters["Izz"] * factors[1],
            damper_factor_rear=factors[2],
        )
        model = RealTimeVehicle(spec, step=STEP)
        model.settle()
        model.start(SPEED)
        state = model.state().values
        starts.append(np.concatenate((spec.values(), state[: STATE.size])))
        controls = _controls(np.radians(rng.uniform(20.0, 60.0)))
        inputs[:, i] = _inputs(controls, state[STATE.size :])
        model.advance_rows(controls, STEPS)
        ends.append(model.state().values[: STATE.size])
        blocks.append(model.block())
    head = np.array([count, STEPS, STEP, blocks[0].size], dtype=float)
    parts = (head, blocks[0], *starts, inputs.ravel(), *ends)
    path.write_bytes(np.concatenate(parts).tobytes())


def _controls(angle: float) -> NDArray[np.float64]:
    t = STEP * np.arange(STEPS)
    steer = np.clip((t - 0.1) / 0.1, 0.0, 1.0) * angle
    pedals = np.where(t > 0.7, 0.0, 0.4), np.where(t > 0.7, 0.5, 0.0)
    return np.ascontiguousarray(np.column_stack((steer, *pedals, np.zeros(STEPS))))


def _inputs(controls: NDArray[np.float64], lasting: NDArray[np.float64]) -> NDArray[np.float64]:
    """Inputs of every step, as the core makes them of the controls."""
    rows = np.tile(lasting, (len(controls), 1))
    before = np.concatenate(([lasting[_INPUT.column("steering_wheel_angle")]], controls[:-1, 0]))
    for name, column in (("steering_wheel_angle", 0), ("throttle", 1), ("brake", 2), ("gear", 3)):
        rows[:, _INPUT.column(name)] = controls[:, column]
    rows[:, _INPUT.column("steering_wheel_rate")] = (controls[:, 0] - before) / STEP
    return rows


if __name__ == "__main__":
    given = sys.argv[1:]
    write_case(Path(given[0]), given[1] if len(given) > 1 else "suv", int(given[2]) if len(given) > 2 else 256)
