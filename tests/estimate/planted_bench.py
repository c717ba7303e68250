"""A bench whose tyre is known: sweeps of MF 6.1 with relaxation, a drifting temperature, ripple and noise."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from trackrod.estimate.tyre_data import Axes, BenchData
from trackrod.estimate.tyre_stages import neutral_values
from trackrod.tyre.coefficients import Version
from trackrod.tyre.model import Tyre
from trackrod.tyre.properties import TyreProperties, Tyreside

#: Side force and aligning moment of a car tyre.
TRUTH = {
    **{"PCY1": 1.35, "PDY1": 1.05, "PDY2": -0.12, "PEY1": -0.6, "PEY2": -0.3, "PEY3": 0.1, "PKY1": -22.0, "PKY2": 1.9},
    **{"PHY1": 0.002, "PHY2": 0.001, "PVY1": 0.02, "PVY2": -0.01, "PDY3": 3.0, "PKY3": 0.5, "PKY6": -0.9, "PKY7": -0.2},
    **{"PPY1": -0.4, "PPY2": 0.6, "PPY3": -0.1, "PPY4": 0.2, "PVY3": -0.2, "PVY4": -0.1, "PEY4": -1.0},
    **{"QBZ1": 10.0, "QCZ1": 1.2, "QDZ1": 0.11, "QDZ2": -0.01, "QEZ1": -1.0, "QBZ2": -1.5},
}
RADIUS, SPEED, LOAD, PRESSURE, CARCASS = 0.32, 16.7, 4000.0, 220e3, 110e3


def planted_tyre(**changes: float) -> TyreProperties:
    """The truth."""
    values = {**neutral_values(), **TRUTH, "FNOMIN": LOAD, "UNLOADED_RADIUS": RADIUS, "VERTICAL_STIFFNESS": 210e3}
    values |= {"INFLPRES": PRESSURE, "NOMPRES": PRESSURE, "LONGVL": SPEED, "LATERAL_STIFFNESS": CARCASS}
    return TyreProperties(Version.MF61, {**values, **changes}, tyreside=Tyreside.LEFT, name="planted")


def planted_bench(
    seed: int,
    *,
    tyre: TyreProperties | None = None,
    loads: Sequence[float] = (2000.0, 4000.0, 6000.0),
    cambers: Sequence[float] = (0.0,),
    pressures: Sequence[float] = (PRESSURE,),
    repeats: int = 1,
    samples: int = 400,
    drift: float = 0.01,
    noise: float = 20.0,
) -> BenchData:
    """Sweeps up and down, in an order drawn at random.

    Parameters
    ----------
    drift
        Standard deviation of the friction from sweep to sweep, as temperature makes it; half of it comes and goes
        within a sweep with the work of friction, which is a hysteresis.
    noise
        Of one sample of force [N]; of moments a hundredth of it [N·m].
    """
    rng = np.random.default_rng(seed)
    tyre = planted_tyre() if tyre is None else tyre
    model = Tyre(tyre)
    program = [(f, g, p) for f in loads for g in cambers for p in pressures] * repeats
    order = rng.permutation(len(program))
    period = samples * 0.02
    columns: dict[str, list[np.ndarray]] = {
        name: [] for name in ("time", "alpha", "gamma", "p", "Vx", "Fy", "Fz", "Mz", "radius")
    }
    for place, number in enumerate(order):
        load, camber, pressure = program[number]
        time = np.arange(samples) * 0.02
        phase = time / period
        alpha = math.radians(12.0) * np.interp(phase, [0.0, 0.25, 0.75, 1.0], [0.0, 1.0, -1.0, 0.0])
        Fz = load * (1.0 + 0.01 * np.sin(2.0 * math.pi * 8.0 * time)) + rng.normal(0.0, 10.0, samples)
        still = model.evaluate(Fz, alpha=alpha, gamma=camber, Vx=SPEED, p=pressure)
        lag = np.mean(still.sigma_y) / SPEED
        behind = _lagged(alpha, time, float(lag))
        warm = drift * (rng.normal() + 0.5 * np.sin(2.0 * math.pi * phase + rng.uniform(0.0, 2.0 * math.pi)))
        forces = model.evaluate(Fz, alpha=behind, gamma=camber, Vx=SPEED, p=pressure, mu=1.0 + warm)
        one = np.ones(samples)
        for name, values in {
            "time": time + place * (period + 20.0),
            "alpha": alpha,
            "gamma": camber * one,
            "p": pressure + rng.normal(0.0, 300.0, samples),
            "Vx": SPEED * one,
            "Fy": forces.Fy + rng.normal(0.0, noise, samples),
            "Fz": Fz,
            "Mz": forces.Mz + rng.normal(0.0, 0.01 * noise, samples),
            "radius": RADIUS - Fz / 210e3,
        }.items():
            columns[name].append(values)
    return BenchData({name: np.concatenate(parts) for name, parts in columns.items()}, Axes.ISO, "planted")


def _lagged(alpha: np.ndarray, time: np.ndarray, lag: float) -> np.ndarray:
    """First order, exactly for a slip angle that is linear between samples."""
    step = time[1] - time[0]
    keep = math.exp(-step / lag)
    out = np.empty_like(alpha)
    out[0] = alpha[0] - lag * (alpha[1] - alpha[0]) / step
    for k in range(1, alpha.size):
        rate = (alpha[k] - alpha[k - 1]) / step
        target = alpha[k] - lag * rate
        out[k] = target + keep * (out[k - 1] - (alpha[k - 1] - lag * rate))
    return out
