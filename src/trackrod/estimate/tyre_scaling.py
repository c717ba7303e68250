"""Scaling factors of a tyre from a vehicle: the road of the test is not the belt of the bench.

Coefficients of a bench keep their shape on a road; what changes is how much of it there is. The factors LMUY, LKY,
LMUX, LKX … multiply friction and stiffness, and a few wheels with force sensors tell them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from trackrod.core.corners import Corner, Side
from trackrod.core.errors import InputError, UnknownNameError
from trackrod.core.series import Run
from trackrod.estimate.tyre_fit import FittedCoefficient, clustered, interval_of
from trackrod.tyre.model import Tyre
from trackrod.tyre.properties import TyreProperties

__all__ = ["SCALES", "ScaledTyre", "fit_scaling", "patch_slip_angle"]

Array = NDArray[np.float64]

#: Factors that can be fitted, with the force that tells them.
SCALES = {"LMUY": "Fy", "LKY": "Fy", "LCY": "Fy", "LEY": "Fy", "LKYC": "Fy", "LMUX": "Fx", "LKX": "Fx", "LCX": "Fx"}
#: Bounds of a factor [-], and the speed below which slip is not well defined [m/s].
_LOW, _HIGH, _SLOW = 0.2, 3.0, 3.0
#: Time over which samples share their errors [s].
_TOGETHER = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class ScaledTyre:
    """A tyre with factors of a road.

    Attributes
    ----------
    properties
        The tyre.
    factors
        With intervals.
    before, after
        Root mean square of what the tyre missed [N].
    samples
        How many were used.
    """

    properties: TyreProperties
    factors: tuple[FittedCoefficient, ...]
    before: float
    after: float
    samples: int


@dataclass(frozen=True, slots=True, eq=False)
class _Wheel:
    inputs: tuple[Array, ...]
    force: Array
    mounted: Side
    cluster: NDArray[np.intp]


def patch_slip_angle(run: Run, corner: Corner, properties: TyreProperties) -> Array:
    """Slip angle of the contact patch [rad]: that of the wheel, less what the carcass gives way.

    A side force bends the carcass by Fy/C, and while it changes the patch moves sideways against the wheel:
    α' = α + d(Fy/C)/dt / Vx. It is what the lag by the relaxation length is made of.
    """
    load = np.maximum(run[f"Fz_{corner}_N"], 1.0)
    c = properties.coefficients
    dfz = load / c["FNOMIN"] - 1.0
    stiffness = c["LATERAL_STIFFNESS"] * (1.0 + c.get("PCFY1", 0.0) * dfz + c.get("PCFY2", 0.0) * dfz**2)
    moved = np.gradient(run[f"Fy_{corner}_N"] / stiffness, run.time)
    speed = np.maximum(run["vx_mps"], _SLOW)
    return np.asarray(run[f"slip_angle_{corner}_rad"] + moved / speed)


def fit_scaling(
    properties: TyreProperties,
    runs: Sequence[Run],
    names: Sequence[str] = ("LMUY", "LKY"),
    corners: Sequence[Corner] = tuple(Corner),
) -> ScaledTyre:
    """Fit scaling factors to forces that were measured on wheels.

    Parameters
    ----------
    properties
        The tyre of the bench.
    runs
        With slip angle, load and side force of each wheel, and the speed; camber and slip ratio where there are any;
        longitudinal force where factors of it are asked for. Forces are those at the contact, in wheel axes.
    names
        From `SCALES`, all of one force.
    corners
        Wheels to use; those that a run has no forces of are passed over.

    Raises
    ------
    InputError
        No wheel has what is needed, factors of two forces are asked for, or the runs do not tell one of them.
    """
    for name in names:
        if name not in SCALES:
            raise UnknownNameError("scaling factor", name, SCALES)
    outputs = {SCALES[name] for name in names}
    if len(outputs) != 1:
        raise InputError("factors of one force at a time: those of Fx and of Fy rest on different tests")
    output = outputs.pop()
    wheels = [wheel for run in runs for corner in corners if (wheel := _wheel(run, corner, properties, output))]
    if not wheels:
        raise InputError(f"no run has slip angle, load and {output} of a wheel")
    numbers = np.cumsum([0, *(int(wheel.cluster.max()) + 1 for wheel in wheels[:-1])])
    cluster = np.concatenate([wheel.cluster + first for wheel, first in zip(wheels, numbers, strict=True)])

    def error(x: Array) -> Array:
        tyre = properties.with_values(**dict(zip(names, x.tolist(), strict=True)))
        return np.concatenate(
            [getattr(Tyre(tyre, w.mounted).evaluate(*w.inputs, threads=1), output) - w.force for w in wheels]
        )

    def slopes(x: Array) -> Array:
        tyre = properties.with_values(**dict(zip(names, x.tolist(), strict=True)))
        return np.concatenate(
            [
                np.column_stack([d.of(output, name) for name in names])
                for w in wheels
                for d in [Tyre(tyre, w.mounted).derivatives(tuple(names), *w.inputs, threads=1)]
            ]
        )

    start = np.array([properties.coefficients[name] for name in names])
    found = least_squares(error, np.clip(start, _LOW, _HIGH), slopes, bounds=(_LOW, _HIGH))
    shares, freedom = clustered(slopes(found.x), -found.fun, cluster)
    deviation = np.sqrt((shares**2).sum(axis=1))
    vague = [name for name, std in zip(names, deviation, strict=True) if not std < 0.5]
    if vague:
        raise InputError(f"the runs do not tell {', '.join(vague)}: its standard deviation is above 0.5")
    factors = tuple(
        FittedCoefficient(
            name, float(value), float(std), interval_of(float(value), float(std), float(free)), float(free)
        )
        for name, value, std, free in zip(names, found.x, deviation, freedom, strict=True)
    )
    scaled = properties.with_values(**dict(zip(names, found.x.tolist(), strict=True)))
    before, after = (float(np.sqrt(np.mean(error(x) ** 2))) for x in (start, found.x))
    return ScaledTyre(scaled, factors, before, after, int(cluster.size))


def _wheel(run: Run, corner: Corner, properties: TyreProperties, output: str) -> _Wheel | None:
    needed = [f"slip_angle_{corner}_rad", f"Fz_{corner}_N", f"Fy_{corner}_N", f"{output}_{corner}_N", "vx_mps"]
    if not all(column in run for column in needed):
        return None
    zero = np.zeros(run.time.size)
    # Camber is positive with the top outward, on either side; inclination with the top to the right.
    outward = -1.0 if corner.side is Side.LEFT else 1.0
    camber, slip = f"camber_{corner}_rad", f"slip_ratio_{corner}"
    load, force, speed = run[f"Fz_{corner}_N"], run[f"{output}_{corner}_N"], run["vx_mps"]
    gamma = outward * run[camber] if camber in run else zero
    inputs = (load, run.get(slip, zero), patch_slip_angle(run, corner, properties), gamma, speed)
    used = (speed > _SLOW) & (load > 0) & np.isfinite(force)
    used &= np.logical_and.reduce([np.isfinite(values) for values in inputs])
    if not used.any():
        return None
    cluster = ((run.time[used] - run.time[0]) // _TOGETHER).astype(np.intp)
    number = np.unique(cluster, return_inverse=True)[1]
    return _Wheel(tuple(values[used] for values in inputs), force[used], corner.side, number)
