"""The compiled tyre: forces, moments, radii and vertical force for whole arrays of contacts, in C++."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trackrod import _core
from trackrod.core.corners import Side
from trackrod.core.errors import InputError, UnknownNameError
from trackrod.tyre.coefficients import Version
from trackrod.tyre.properties import Curve, TyreProperties, Tyreside
from trackrod.tyre.tir import read_tir

__all__ = ["INPUTS", "OUTPUTS", "Outside", "Tyre", "TyreDerivatives", "TyreForces", "load_tyre"]

Array = NDArray[np.float64]

#: Inputs of an evaluation, in the order of the C++ model: load [N], longitudinal slip, slip angle [rad], inclination
#: angle [rad], forward velocity [m/s], inflation pressure [Pa], friction factor of the road.
INPUTS = ("Fz", "kappa", "alpha", "gamma", "Vx", "p", "mu")
#: Outputs: forces [N], moments [N·m], peak friction, slip and cornering stiffness [N, N/rad], relaxation lengths [m].
OUTPUTS = ("Fx", "Fy", "Mx", "My", "Mz", "mux", "muy", "Kxk", "Kya", "sigma_x", "sigma_y")

_Points = tuple[list[float], list[float]]
_MODELS = {Version.MF52: 0, Version.MF61: 1, Version.MF62: 2, Version.PAC89: 3}
_RANGES = {
    "Fz": ("FZMIN", "FZMAX"),
    "kappa": ("KPUMIN", "KPUMAX"),
    "alpha": ("ALPMIN", "ALPMAX"),
    "gamma": ("CAMMIN", "CAMMAX"),
    "p": ("PRESMIN", "PRESMAX"),
}


@dataclass(frozen=True, slots=True)
class Outside:
    """How many points lie outside one of the file's validity ranges, and what was done about it."""

    input: str
    low: float
    high: float
    below: int
    above: int
    action: str

    def __str__(self) -> str:
        return (
            f"{self.below + self.above} points outside {self.low:g} ≤ {self.input} ≤ {self.high:g} "
            f"({self.below} below, {self.above} above): {self.action}"
        )


@dataclass(frozen=True, slots=True, eq=False)
class TyreForces:
    """Result of an evaluation: arrays of the shape of the inputs, in the contact frame W of ISO 8855.

    Forces [N] and moments [N·m] are those of the road on the tyre; a positive slip angle gives a negative Fy.
    """

    Fx: Array
    Fy: Array
    Mx: Array
    My: Array
    Mz: Array
    mux: Array
    muy: Array
    Kxk: Array
    Kya: Array
    sigma_x: Array
    sigma_y: Array
    outside: tuple[Outside, ...] = ()

    @classmethod
    def from_columns(cls, table: Array, shape: tuple[int, ...], outside: tuple[Outside, ...] = ()) -> TyreForces:
        """The result from a matrix with one column for each of `OUTPUTS`."""
        columns = {name: table[:, i].reshape(shape) for i, name in enumerate(OUTPUTS)}
        return cls(**columns, outside=outside)

    def __iter__(self) -> Iterator[Array]:
        return (getattr(self, name) for name in OUTPUTS)


@dataclass(frozen=True, slots=True, eq=False)
class TyreDerivatives:
    """Outputs and their exact derivatives: ``slopes[..., i, j]`` is d OUTPUTS[i] / d with_respect_to[j]."""

    forces: TyreForces
    slopes: Array
    with_respect_to: tuple[str, ...]

    def of(self, output: str, variable: str) -> Array:
        """Derivative of one output with respect to one input or coefficient."""
        return np.asarray(self.slopes[..., OUTPUTS.index(output), self.with_respect_to.index(variable)])


class Tyre:
    """A tyre mounted on one side of a vehicle, ready for evaluation.

    Parameters
    ----------
    properties
        What the property file says.
    mounted
        Side of the vehicle. A tyre measured for the other side is mirrored; one whose file says SYMMETRIC loses
        its asymmetry. None evaluates the file as measured.

    Holds: all outputs are finite for finite inputs, and zero without load; two tyres of one file mounted left and
    right are mirror images.
    """

    def __init__(self, properties: TyreProperties, mounted: Side | None = None) -> None:
        self.properties = properties
        self.mounted = mounted
        if properties.tyreside is Tyreside.SYMMETRIC:
            properties = properties.symmetric()
        measured = Side.RIGHT if properties.tyreside is Tyreside.RIGHT else Side.LEFT
        self.mirrored = mounted is not None and mounted is not measured
        self._values = properties.values()
        self._names = tuple(item.name for item in properties.declarations)
        self._core = _core.Tyre(
            _MODELS[properties.version],
            self.mirrored,
            self._values,
            *_columns(properties.deflection_load),
            *_columns(properties.bottoming),
        )

    def core_arguments(self) -> tuple[int, bool, NDArray[np.float64], _Points, _Points]:
        """What a model of the core takes to hold this tyre: formula, mirroring, coefficients, curves."""
        carcass, bottoming = (
            ([], []) if curve is None else (curve.deflection.tolist(), curve.force.tolist())
            for curve in (self.properties.deflection_load, self.properties.bottoming)
        )
        return _MODELS[self.properties.version], self.mirrored, self._values, carcass, bottoming

    def __repr__(self) -> str:
        return f"Tyre({self.properties.name!r}, {self.properties.version}, mounted={self.mounted})"

    @property
    def nominal_load(self) -> float:
        """Load [N] the formula is centred on; PAC89 has none, there a load that deflects the tyre by 20 mm."""
        return self.properties.nominal_load

    @property
    def pressure(self) -> float:
        """Inflation pressure [Pa] of the file; PAC89 does not depend on it."""
        return self.properties.coefficients.get("INFLPRES", 220e3)

    @property
    def reference_speed(self) -> float:
        """Speed [m/s] of the measurement."""
        return self.properties.coefficients.get("LONGVL", 16.7)

    def evaluate(
        self,
        Fz: ArrayLike,
        kappa: ArrayLike = 0.0,
        alpha: ArrayLike = 0.0,
        gamma: ArrayLike = 0.0,
        Vx: ArrayLike | None = None,
        p: ArrayLike | None = None,
        mu: ArrayLike = 1.0,
        *,
        limits: bool = True,
        threads: int = 0,
    ) -> TyreForces:
        """Steady-state forces and moments at combined slip.

        Parameters
        ----------
        Fz
            Vertical load [N].
        kappa
            Longitudinal slip, positive when driving, −1 for a locked wheel.
        alpha
            Slip angle [rad], positive when the contact point moves to +y.
        gamma
            Inclination angle [rad], positive when the top leans to −y.
        Vx
            Forward velocity [m/s], negative in reverse; the reference speed if not given.
        p
            Inflation pressure [Pa]; that of the file if not given.
        mu
            Friction factor of the road.
        limits
            Keep to the file's validity ranges: inputs are clipped to them (`TyreForces.outside` counts how many),
            curvature factors are at most 1, shifts and trail fade out below VXLOW.
        threads
            Number of threads, 0 for all cores.
        """
        points, shape = self._points(Fz, kappa, alpha, gamma, Vx, p, mu)
        outside = self._check_ranges(points, clip=limits)
        result = self._core.evaluate(points, limits, threads)
        return TyreForces.from_columns(result, shape, outside)

    def derivatives(
        self,
        with_respect_to: Sequence[str],
        Fz: ArrayLike,
        kappa: ArrayLike = 0.0,
        alpha: ArrayLike = 0.0,
        gamma: ArrayLike = 0.0,
        Vx: ArrayLike | None = None,
        p: ArrayLike | None = None,
        mu: ArrayLike = 1.0,
        *,
        limits: bool = True,
        threads: int = 0,
    ) -> TyreDerivatives:
        """Outputs and their exact derivatives with respect to inputs and coefficients, by forward differentiation.

        Parameters
        ----------
        with_respect_to
            Names from `INPUTS` and of coefficients, e.g. ``("alpha", "kappa", "PKY1")``.

        The other parameters are those of `evaluate`. Where an input is clipped to its range, the derivative is
        that at the limit.
        """
        for name in with_respect_to:
            if name not in INPUTS + self.properties.names:
                raise UnknownNameError("input or coefficient", name, INPUTS + self.properties.names)
        names = INPUTS + self._names
        points, shape = self._points(Fz, kappa, alpha, gamma, Vx, p, mu)
        outside = self._check_ranges(points, clip=limits)
        values, slopes = self._core.derivatives(points, [names.index(n) for n in with_respect_to], limits, threads)
        return TyreDerivatives(
            TyreForces.from_columns(values, shape, outside),
            slopes.reshape(*shape, *slopes.shape[1:]),
            tuple(with_respect_to),
        )

    def transient(
        self,
        step: float,
        Fz: ArrayLike,
        Vx: ArrayLike,
        Vsx: ArrayLike = 0.0,
        Vsy: ArrayLike = 0.0,
        gamma: ArrayLike = 0.0,
        p: ArrayLike | None = None,
        mu: ArrayLike = 1.0,
    ) -> TyreForces:
        """Forces and moments over time for a given motion of the contact, with relaxation, from zero slip.

        Valid at any speed: at standstill the tyre is a damped spring. This is the tyre of the vehicle models, with
        its motion prescribed.

        Parameters
        ----------
        step
            Time between two samples [s].
        Fz, Vx, Vsx, Vsy, gamma, p, mu
            Load [N], forward velocity of the contact centre, longitudinal slip velocity Vx − omega Re (negative
            when driving forward) and lateral slip velocity [m/s], inclination angle [rad], inflation pressure [Pa],
            friction factor of the road: one value a sample, or one for all.
        """
        points, shape = _stack(Fz, Vx, Vsx, Vsy, gamma, self.pressure if p is None else p, mu)
        if len(shape) != 1:
            raise InputError("a motion needs arrays with one value a sample")
        if not step > 0:
            raise InputError(f"step = {step:g} s must be greater than zero")
        low_speed = self.properties.coefficients.get("VXLOW", 1.0)
        result = self._core.transient(points, step, low_speed)
        return TyreForces.from_columns(result, shape)

    def effective_radius(self, Fz: ArrayLike, omega: ArrayLike = 0.0, p: ArrayLike | None = None) -> Array:
        """Effective rolling radius Re [m] at load [N], spin speed [rad/s] and pressure [Pa]."""
        points, shape = _stack(Fz, omega, self.pressure if p is None else p)
        return self._core.radii(points)[:, 1].reshape(shape)

    def free_radius(self, omega: ArrayLike = 0.0) -> Array:
        """Radius [m] of the unloaded tyre, grown by the spin speed [rad/s]."""
        points, shape = _stack(0.0, omega, self.pressure)
        return self._core.radii(points)[:, 0].reshape(shape)

    def rolling_speed(self, Fz: ArrayLike, kappa: ArrayLike, Vx: ArrayLike, p: ArrayLike | None = None) -> Array:
        """Spin speed omega [rad/s] of the wheel that has slip `kappa` at forward velocity `Vx` [m/s]."""
        points, shape = _stack(Fz, kappa, Vx, self.pressure if p is None else p)
        return self._core.rolling_speed(points).reshape(shape)

    def vertical_force(
        self,
        rho: ArrayLike,
        rho_dot: ArrayLike = 0.0,
        omega: ArrayLike = 0.0,
        Fx: ArrayLike = 0.0,
        Fy: ArrayLike = 0.0,
        gamma: ArrayLike = 0.0,
        p: ArrayLike | None = None,
    ) -> Array:
        """Load [N] at deflection `rho` [m] from the free radius and its rate [m/s].

        Carcass, damping and rim contact; never negative, zero without contact.
        """
        points, shape = _stack(rho, rho_dot, omega, Fx, Fy, gamma, self.pressure if p is None else p)
        return self._core.vertical_force(points).reshape(shape)

    def deflection(
        self,
        Fz: ArrayLike,
        omega: ArrayLike = 0.0,
        Fx: ArrayLike = 0.0,
        Fy: ArrayLike = 0.0,
        gamma: ArrayLike = 0.0,
        p: ArrayLike | None = None,
    ) -> Array:
        """Static deflection [m] under a load [N]: the inverse of `vertical_force` at rest."""
        points, shape = _stack(Fz, omega, Fx, Fy, gamma, self.pressure if p is None else p)
        return self._core.deflection(points).reshape(shape)

    def loaded_radius(
        self,
        Fz: ArrayLike,
        omega: ArrayLike = 0.0,
        Fx: ArrayLike = 0.0,
        Fy: ArrayLike = 0.0,
        gamma: ArrayLike = 0.0,
        p: ArrayLike | None = None,
    ) -> Array:
        """Distance [m] from the wheel centre to the contact point under a load [N]."""
        return np.asarray(self.free_radius(omega) - self.deflection(Fz, omega, Fx, Fy, gamma, p))

    def _points(self, *inputs: ArrayLike | None) -> tuple[Array, tuple[int, ...]]:
        defaults = {"Vx": self.reference_speed, "p": self.pressure}
        given = (defaults[name] if value is None else value for name, value in zip(INPUTS, inputs, strict=True))
        points, shape = _stack(*given)
        bad = np.flatnonzero(~np.isfinite(points).all(axis=0))
        if bad.size:
            raise InputError(f"{INPUTS[bad[0]]} holds values that are not finite numbers")
        for name in ("p", "mu"):
            smallest = points[:, INPUTS.index(name)].min(initial=1.0)
            if smallest <= 0:
                raise InputError(f"{name} = {smallest:g} must be greater than zero")
        return points, shape

    def _check_ranges(self, points: Array, *, clip: bool) -> tuple[Outside, ...]:
        """Count points outside the validity ranges and move them to the limit if `clip`."""
        c = self.properties.coefficients
        found = []
        for name, (low_key, high_key) in _RANGES.items():
            if low_key not in c:
                continue
            column = points[:, INPUTS.index(name)]
            low, high = c[low_key], c[high_key]
            below, above = int(np.count_nonzero(column < low)), int(np.count_nonzero(column > high))
            if not (below or above):
                continue
            action = "evaluated as they are"
            if clip and name == "Fz":  # the formulas themselves fade out towards zero load
                np.minimum(column, high, out=column)
                action = "above evaluated at the limit, below as they are"
            elif clip:
                np.clip(column, low, high, out=column)
                action = "evaluated at the limit"
            found.append(Outside(name, low, high, below, above, action))
        slow = int(np.count_nonzero(np.abs(points[:, INPUTS.index("Vx")]) < c.get("VXLOW", 0.0)))
        if slow and clip:
            action = "shifts and trail fade out towards standstill"
            found.append(Outside("|Vx|", c["VXLOW"], np.inf, slow, 0, action))
        return tuple(found)


def load_tyre(path: Path | str, mounted: Side | None = None) -> Tyre:
    """Read a tyre property file and make it ready for evaluation; see `read_tir` and `Tyre`."""
    return Tyre(read_tir(path), mounted)


def _columns(curve: Curve | None) -> tuple[Array, Array]:
    return (np.empty(0), np.empty(0)) if curve is None else (curve.deflection, curve.force)


def _stack(*inputs: ArrayLike) -> tuple[Array, tuple[int, ...]]:
    """Inputs broadcast against each other as the columns of a matrix, and their common shape."""
    arrays = np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in inputs))
    points = np.empty((arrays[0].size, len(arrays)))
    for i, array in enumerate(arrays):
        points[:, i] = array.ravel()
    return points, arrays[0].shape
