"""What may be tuned in a real-time model, between which bounds, and the model at any point between them.

The variables are z in [−1, 1]: 0 is the nominal value, ±1 are the bounds. Reference: paper 002, the tuned parameters
and their ±20 %, and the split factors of eq. 5 to 7.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from trackrod.convert.masses import SplitFactors
from trackrod.core.corners import Axle
from trackrod.core.errors import ConvergenceError, Problem, close_matches, raise_if_errors
from trackrod.rtm.coefficients import PARAMETERS
from trackrod.rtm.spec import Curve, RtmSpec

__all__ = [
    "PAPER_SET",
    "RANGE",
    "SPLIT_FACTORS",
    "Bounds",
    "SplitParameters",
    "Tunable",
    "TuningSpace",
    "inertia_fault",
    "split_title",
    "tuning_space",
]

Array = NDArray[np.float64]

#: How far a parameter may go from its nominal value, unless something else is asked for [-].
RANGE = 0.2

#: What the paper tunes, and what it is called here. Its secondary springs act on pitch from the standing height on,
#: as the vertical stiffness does; factors of stops, which act far from it, are for experts.
PAPER_SET: Mapping[str, str] = {
    "sprung_mass": "sprung mass",
    "Ixx": "roll inertia",
    "Izz": "yaw inertia",
    "Ixz": "product of inertia",
    "cg_height": "height of the sprung centre of gravity",
    "cg_to_front": "front axle to the sprung centre of gravity",
    "spring_factor_front": "front vertical stiffness",
    "spring_factor_rear": "rear vertical stiffness",
    "antiroll_factor_front": "front anti-roll stiffness",
    "antiroll_factor_rear": "rear anti-roll stiffness",
    "damper_factor_front": "front dampers",
    "damper_factor_rear": "rear dampers",
    "engine_factor": "engine map",
}
#: Shares of links and driveline that count as unsprung, by the fields of `SplitFactors`.
SPLIT_FACTORS: Mapping[str, str] = {"K_umF": "front", "K_umR": "rear", "K_driveline": "driveline"}

#: What each of them is a share of.
_SPLIT_MASSES = {"front": "front links", "rear": "rear links", "driveline": "driveline"}

#: Parameters of a model with other split factors.
SplitParameters = Callable[[SplitFactors], Mapping[str, float]]

#: Nominal products of inertia below this share of the smallest moment count as zero.
_NOTHING = 1e-3
#: Forces up to this are what rounding leaves of none [N].
_NO_FORCE = 1e-3


@dataclass(frozen=True, slots=True)
class Bounds:
    """Lowest and highest value of a parameter [SI]."""

    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class Tunable:
    """One parameter that may be tuned.

    Attributes
    ----------
    name
        Of the real-time model, or a split factor.
    title
        In words.
    unit
        SI.
    nominal, lower, upper
        [`unit`]
    """

    name: str
    title: str
    unit: str
    nominal: float
    lower: float
    upper: float

    def value(self, z: float) -> float:
        """The parameter at a scaled value [`unit`]."""
        return self.nominal + z * (self.upper - self.nominal if z >= 0 else self.nominal - self.lower)

    def scaled(self, value: float) -> float:
        """Scaled value of a value [`unit`]."""
        span = self.upper - self.nominal if value >= self.nominal else self.nominal - self.lower
        return (value - self.nominal) / span

    def change_pct(self, z: float) -> float:
        """Change from the nominal value [%]."""
        return 100.0 * (self.value(z) / self.nominal - 1.0) if self.nominal else math.nan


@dataclass(frozen=True, slots=True, eq=False)
class TuningSpace:
    """The parameters that are tuned, and the model over them.

    Attributes
    ----------
    nominal
        The model at z = 0.
    tunables
        In the order of z.
    split
        Parameters of the model for other split factors; None if these are not tuned.
    """

    nominal: RtmSpec
    tunables: tuple[Tunable, ...]
    split: SplitParameters | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """In the order of z."""
        return tuple(item.name for item in self.tunables)

    def only(self, names: Iterable[str]) -> TuningSpace:
        """The space of some of its parameters; the others are held at their nominal values."""
        kept = frozenset(names)
        return replace(self, tunables=tuple(item for item in self.tunables if item.name in kept))

    def parameters(self, z: Array) -> dict[str, float]:
        """All parameters of the model at a point [SI].

        A split factor moves mass, centre of gravity and inertia between wheels and body; a factor on one of these
        counts on top of that, so that its percentage means the same everywhere.
        """
        values = {item.name: item.value(float(x)) for item, x in zip(self.tunables, z, strict=True)}
        result = dict(self.nominal.parameters)
        factors = {field: values.pop(name) for name, field in SPLIT_FACTORS.items() if name in values}
        if factors and self.split is not None:
            result |= self.split(SplitFactors(**factors))
        for item in self.tunables:
            if item.name in values:
                nominal = self.nominal.parameters[item.name]
                if nominal:
                    result[item.name] *= values[item.name] / nominal
                else:
                    result[item.name] = values[item.name]
        return result

    def spec(self, z: Array) -> RtmSpec:
        """The model at a point.

        Raises
        ------
        ConvergenceError
            No body has such an inertia.
        """
        found = self.parameters(z)
        if fault := inertia_fault(found):
            raise ConvergenceError(fault)
        return self.nominal.with_parameters(**found)

    def directions(self, z: Array) -> Array:
        """Derivatives of all parameters by z, shape (variables, parameters) [SI]."""
        step = 1e-5
        rows = []
        for i in range(len(self.tunables)):
            up, down = np.array(z, dtype=float), np.array(z, dtype=float)
            up[i], down[i] = min(up[i] + step, 1.0), max(down[i] - step, -1.0)
            high, low = self.parameters(up), self.parameters(down)
            rows.append([(high[p.name] - low[p.name]) / (up[i] - down[i]) for p in PARAMETERS])
        return np.array(rows).reshape(-1, len(PARAMETERS))


def tuning_space(
    spec: RtmSpec,
    *,
    names: Iterable[str] | None = None,
    bounds: Mapping[str, Bounds] | None = None,
    split: SplitParameters | None = None,
    relative: float = RANGE,
    ranges: Mapping[str, float] | None = None,
    without: Collection[str] = (),
) -> TuningSpace:
    """What to tune in a model.

    Parameters
    ----------
    spec
        The nominal model.
    names
        Parameters of the real-time model or split factors; the paper's set, with the split factors if there is `split`,
        if not given. What has no effect in this model is then left out.
    bounds
        Where they are not ± `relative` of the nominal value.
    split
        Parameters of the model for other split factors.
    relative
        Range on both sides of the nominal value [-].
    ranges
        The same for single parameters.
    without
        Parameters of the paper's set that mean nothing in this model.

    Raises
    ------
    InputError
        A name is unknown, bounds cross or do not hold the nominal value, or a parameter without bounds is zero.

    Holds: with every other parameter at its nominal value the inertia is that of a body, anywhere between the bounds.
    """
    bounds, ranges = bounds or {}, ranges or {}
    chosen = tuple(names) if names is not None else tuple(n for n in _default(spec, split) if n not in without)
    known = [item.name for item in PARAMETERS] + (list(SPLIT_FACTORS) if split is not None else [])
    problems, tunables = [], []
    for name in dict.fromkeys((*chosen, *bounds, *ranges)):
        if name not in known:
            hint = "close: " + ", ".join(close_matches(name, known)) if close_matches(name, known) else ""
            problems.append(Problem(f"there is no parameter '{name}' to tune", hint=hint))
        elif name not in chosen:
            problems.append(Problem(f"bounds are given for '{name}', which is not tuned"))
        else:
            found = _tunable(spec, name, bounds.get(name), ranges.get(name, relative))
            if isinstance(found, Problem):
                problems.append(found)
            else:
                tunables.append(found)
    if not chosen:
        problems.append(Problem("there is no parameter to tune"))
    raise_if_errors(problems)
    return TuningSpace(spec, tuple(tunables), None if split is None else lru_cache(256)(split))


def _default(spec: RtmSpec, split: SplitParameters | None) -> tuple[str, ...]:
    p = spec.parameters
    small = _NOTHING * min(p["Ixx"], p["Izz"])
    without = {
        "Ixz": abs(p["Ixz"]) < small,
        "engine_factor": spec.powertrain is None,
        **{f"antiroll_factor_{end}": not _acts(of.antiroll) for end, of in zip(Axle, spec.axles, strict=True)},
        **{f"damper_factor_{end}": not any(map(_acts, _dampers(spec, end))) for end in Axle},
    }
    chosen = [name for name in PAPER_SET if not without.get(name, False)]
    if split is not None:
        nominal = split(SplitFactors())
        for name, field in SPLIT_FACTORS.items():
            changed = split(SplitFactors(**{field: 0.6}))
            if any(changed[key] != nominal[key] for key in nominal):
                chosen.append(name)
    return tuple(chosen)


def _dampers(spec: RtmSpec, axle: Axle) -> list[Curve]:
    return [wheel.damper for wheel in spec.wheels if wheel.corner.axle is axle]


def _acts(curve: Curve) -> bool:
    return bool(curve.y.size and np.abs(curve.y).max() > _NO_FORCE)


def _tunable(spec: RtmSpec, name: str, given: Bounds | None, relative: float) -> Tunable | Problem:
    if name in SPLIT_FACTORS:
        title, unit, nominal = split_title(name), "-", SplitFactors().front
    else:
        item = next(item for item in PARAMETERS if item.name == name)
        title, unit, nominal = PAPER_SET.get(name, item.meaning), item.kind.unit, spec.parameters[name]
    if given is None:
        if nominal == 0.0:
            return Problem(f"'{name}' is zero: a range in percent says nothing", hint="give it lower and upper bounds")
        down, up = (_inertia_reach(spec, name, sign * relative) for sign in (-1, 1))
        given = Bounds(*sorted((nominal * (1 + down), nominal * (1 + up))))
    if not (math.isfinite(given.lower) and math.isfinite(given.upper) and given.lower < given.upper):
        return Problem(f"the bounds of '{name}' cross: {given.lower:g} to {given.upper:g} {unit}")
    if not given.lower < nominal < given.upper:
        text = f"the nominal value {nominal:g} {unit} of '{name}' is not between its bounds"
        return Problem(f"{text} {given.lower:g} and {given.upper:g} {unit}")
    return Tunable(name, title, unit, nominal, given.lower, given.upper)


def _inertia_reach(spec: RtmSpec, name: str, relative: float) -> float:
    """How far an element of the inertia may go towards `relative`, on that side alone [-]."""
    if name not in ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"):
        return relative
    p = dict(spec.parameters)

    def valid(share: float) -> bool:
        return not inertia_fault({**p, name: p[name] * (1 + share)})

    if valid(relative) or not valid(0.0):
        return relative
    low, high = 0.0, relative
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if valid(middle) else (low, middle)
    return low


def split_title(name: str) -> str:
    """A split factor in words."""
    return f"unsprung share of the {_SPLIT_MASSES[SPLIT_FACTORS[name]]}"


def inertia_fault(p: Mapping[str, float]) -> str:
    """Why no body has this inertia; empty if one has. The largest principal moment is at most the sum of the others."""
    tensor = [[p["Ixx"], p["Ixy"], p["Ixz"]], [p["Ixy"], p["Iyy"], p["Iyz"]], [p["Ixz"], p["Iyz"], p["Izz"]]]
    a, b, c = np.linalg.eigvalsh(np.array(tensor))
    if a <= 0:
        return f"the sprung body has a principal moment of inertia of {a:g} kg·m²"
    if c > (a + b) * (1 + 1e-9):
        return f"no body has principal moments of inertia of {a:.4g}, {b:.4g} and {c:.4g} kg·m²: the last is too large"
    return ""
