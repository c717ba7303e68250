"""What may be tuned in a multibody vehicle and in a single-track model, and the model at any point between the bounds.

Numbers of a multibody vehicle are those of the whole, as tests and the workshop tell them: its chassis takes the
difference to all other bodies. Stiffness of springs counts from their design position on, so that ride heights stay.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from trackrod.core import signals
from trackrod.core.corners import Axle
from trackrod.core.errors import ConvergenceError, InputError, Problem, close_matches, raise_if_errors
from trackrod.core.quantities import KINDS
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.single_track.description import SingleTrack
from trackrod.tune.space import RANGE, Bounds, Tunable
from trackrod.vehicle.connectors import Damper, Spring
from trackrod.vehicle.mass import mass_properties
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["ModelSpace", "multibody_space", "single_track_space", "with_numbers"]

Array = NDArray[np.float64]
M = TypeVar("M")

#: Numbers of a whole vehicle with what they are and their kinds.
_WHOLE = {
    "mass": ("mass of the vehicle", "mass"),
    "cg_to_front": ("front axle to the centre of gravity", "length"),
    "cg_height": ("height of the centre of gravity at rest", "length"),
    "Izz": ("yaw inertia of the vehicle", "inertia"),
}
_OTHERS = {
    "drag": ("drag force over the square of the speed", "number"),
    "brake_front": ("torque of one front wheel at full pedal", "torque"),
    "brake_rear": ("torque of one rear wheel at full pedal", "torque"),
    "engine_factor": ("engine map", "number"),
    **{f"{what}_factor_{axle}": (f"{axle} {what}s", "number") for what in ("spring", "damper") for axle in Axle},
}
#: What a single-track model keeps unless it is named: motions depend on ratios to the mass alone, and one of wheelbase
#: and steering ratio must be known.
_KEPT = ("mass", "wheelbase")
_UNITS = {
    "mass": "kg",
    "yaw_inertia": "kg·m²",
    "wheelbase": "m",
    "cornering_stiffness": "N/rad",
    "steer_compliance": "rad/N",
    "relaxation": "m",
    "steering_offset": "rad",
}
#: What the height is found to [m], and in how many rounds at most.
_CLOSE, _ROUNDS = 1e-6, 20


@dataclass(frozen=True, slots=True, eq=False)
class ModelSpace(Generic[M]):
    """The numbers of a model that are tuned, and the model over them.

    Attributes
    ----------
    nominal
        The model at z = 0.
    tunables
        In the order of z.
    change
        A model with other numbers, by name [SI]; InputError where there is no such model.
    """

    nominal: M
    tunables: tuple[Tunable, ...]
    change: Callable[[M, Mapping[str, float]], M]

    @property
    def names(self) -> tuple[str, ...]:
        """In the order of z."""
        return tuple(item.name for item in self.tunables)

    def parameters(self, z: Array) -> dict[str, float]:
        """The numbers at a point [SI]."""
        return {item.name: item.value(float(x)) for item, x in zip(self.tunables, z, strict=True)}

    def model(self, z: Array) -> M:
        """The model at a point.

        Raises
        ------
        ConvergenceError
            There is no such model.
        """
        try:
            return self.change(self.nominal, self.parameters(z))
        except InputError as error:
            raise ConvergenceError(str(error)) from error


def multibody_space(
    vehicle: Vehicle, names: Iterable[str] | None = None, bounds: Mapping[str, Bounds] | None = None
) -> ModelSpace[Vehicle]:
    """What to tune in a multibody vehicle.

    Parameters
    ----------
    vehicle
        The nominal one.
    names
        Numbers of the whole vehicle (``mass``, ``cg_to_front``, ``cg_height``, ``Izz``), ``drag``, ``brake_front``,
        ``brake_rear``, ``engine_factor``, ``spring_factor_front`` and ``damper_factor_front`` and their rear ones; all
        that the vehicle has if not given.
    bounds
        Where they are not ±20 % of the nominal value.

    Raises
    ------
    InputError
        A name is unknown, or its nominal value is not between its bounds.
    """
    known = _numbers(vehicle)
    items = {name: (*(_WHOLE | _OTHERS)[name], value) for name, value in known.items()}
    tunables = _tunables({n: (t, KINDS[k].unit or "-", v) for n, (t, k, v) in items.items()}, names, bounds or {})
    return ModelSpace(vehicle, tunables, with_numbers)


def single_track_space(
    model: SingleTrack, names: Iterable[str] | None = None, bounds: Mapping[str, Bounds] | None = None
) -> ModelSpace[SingleTrack]:
    """What to tune in a single-track model: attributes of `SingleTrack`; parameters and errors as `multibody_space`."""
    numbers = {item.name: float(getattr(model, item.name)) for item in fields(model) if item.name != "name"}
    known = {name: (name.replace("_", " "), _unit(name), value) for name, value in numbers.items()}
    chosen = names if names is not None else [n for n, value in numbers.items() if value and n not in _KEPT]
    tunables = _tunables(known, (*chosen, *(bounds or {})), bounds or {})

    def changed(nominal: SingleTrack, values: Mapping[str, Any]) -> SingleTrack:
        return replace(nominal, **values)

    return ModelSpace(model, tunables, changed)


def _unit(name: str) -> str:
    return next((unit for start, unit in _UNITS.items() if name.startswith(start)), "-")


def _tunables(
    known: Mapping[str, tuple[str, str, float]], names: Iterable[str] | None, bounds: Mapping[str, Bounds]
) -> tuple[Tunable, ...]:
    problems, found = [], []
    for name in dict.fromkeys(known if names is None else names):
        if name not in known:
            near = close_matches(name, known)
            problems.append(
                Problem(f"there is no number '{name}' to tune", hint=f"there are {', '.join(near or known)}")
            )
            continue
        title, unit, value = known[name]
        usual = Bounds(*sorted((value * (1.0 - RANGE), value * (1.0 + RANGE))))
        at = bounds.get(name, usual)
        if not at.lower < value < at.upper:
            text = f"the nominal value {value:g} {unit} of '{name}' is not between its bounds"
            problems.append(Problem(f"{text} {at.lower:g} and {at.upper:g} {unit}"))
            continue
        found.append(Tunable(name, title, unit, value, at.lower, at.upper))
    raise_if_errors(problems)
    return tuple(found)


def _numbers(vehicle: Vehicle) -> dict[str, float]:
    """Numbers of a vehicle, those that it has; ConvergenceError if it finds no equilibrium."""
    whole = vehicle.mass_properties
    found = {
        "mass": whole.mass,
        "cg_to_front": -float(whole.centre[0]),
        "cg_height": _height(vehicle),
        "Izz": float(whole.inertia[2, 2]),
    }
    if (air := vehicle.aerodynamics) is not None and air.drag:
        found["drag"] = 0.5 * air.density * air.frontal_area * air.drag
    if (brakes := vehicle.brakes) is not None:
        found["brake_front"] = brakes.front_torque * brakes.largest_pressure
        found["brake_rear"] = brakes.rear_torque * brakes.largest_pressure
    if vehicle.powertrain is not None:
        found["engine_factor"] = 1.0
    for what, elements in (("spring", vehicle.springs), ("damper", vehicle.dampers)):
        for axle in Axle:
            if any(_axle_of(vehicle, element) is axle for element in elements):
                found[f"{what}_factor_{axle}"] = 1.0
    return found


def with_numbers(vehicle: Vehicle, values: Mapping[str, float]) -> Vehicle:
    """The vehicle with other numbers, by the names of `multibody_space` [SI]; factors are on what it has.

    Raises
    ------
    InputError
        It has no such number, or nothing is left for its chassis.
    ConvergenceError
        It finds no equilibrium.
    """
    made = vehicle
    if "drag" in values and made.aerodynamics is not None:
        air = made.aerodynamics
        made = replace(made, aerodynamics=replace(air, drag=values["drag"] / (0.5 * air.density * air.frontal_area)))
    if made.brakes is not None:
        torques = {
            f"{axle}_torque": values[f"brake_{axle}"] / made.brakes.largest_pressure
            for axle in Axle
            if f"brake_{axle}" in values
        }
        made = replace(made, brakes=replace(made.brakes, **torques))
    if "engine_factor" in values and made.powertrain is not None:
        engine = made.powertrain.engine
        stronger = replace(engine, torque=engine.torque * values["engine_factor"])
        made = replace(made, powertrain=replace(made.powertrain, engine=stronger))
    springs = tuple(_stiffer(s, values.get(f"spring_factor_{_axle_of(made, s)}", 1.0)) for s in made.springs)
    dampers = tuple(_harder(d, values.get(f"damper_factor_{_axle_of(made, d)}", 1.0)) for d in made.dampers)
    made = replace(made, springs=springs, dampers=dampers)
    whole = {name: value for name, value in values.items() if name in _WHOLE}
    return made if not whole else _with_whole(made, whole)


def _with_whole(vehicle: Vehicle, wanted: Mapping[str, float]) -> Vehicle:
    """The chassis takes what the other bodies do not have. A heavier vehicle stands lower: the height is iterated."""
    before = vehicle.mass_properties
    mass = wanted.get("mass", before.mass)
    centre = before.centre.copy()
    centre[0] = -wanted.get("cg_to_front", -float(centre[0]))
    inertia = wanted.get("Izz", float(before.inertia[2, 2]))
    height = wanted.get("cg_height")
    if height is None and "mass" in wanted:
        height = _height(vehicle)
    made = _with_centre(vehicle, mass, centre, inertia)
    for _ in range(_ROUNDS if height is not None else 0):
        off = height - _height(made) if height is not None else 0.0
        if abs(off) < _CLOSE:
            break
        centre[2] += off
        made = _with_centre(vehicle, mass, centre, inertia)
    return made


def _with_centre(vehicle: Vehicle, mass: float, centre: Array, yaw_inertia: float) -> Vehicle:
    rest = mass_properties(body for body in vehicle.bodies if body.name != vehicle.chassis)
    own = mass - rest.mass
    if own <= 0.0:
        raise InputError(f"a mass of {mass:g} kg leaves nothing for '{vehicle.chassis}': the rest has {rest.mass:g} kg")
    place = (mass * centre - rest.mass * rest.centre) / own
    body = vehicle.body(vehicle.chassis)
    # products of inertia and the other moments stay with the body
    tensor = np.array(body.inertia)
    tensor[2, 2] = (
        yaw_inertia
        - rest.inertia_about(centre)[2, 2]
        - own * float((place[0] - centre[0]) ** 2 + (place[1] - centre[1]) ** 2)
    )
    if tensor[2, 2] <= 0.0:
        raise InputError(f"a yaw inertia of {yaw_inertia:g} kg·m² leaves nothing for '{vehicle.chassis}'")
    x, y, z = place.tolist()
    first, second, third = ((float(a), float(b), float(c)) for a, b, c in tensor)
    changed = replace(body, mass=own, centre=(x, y, z), inertia=(first, second, third))
    return replace(vehicle, bodies=tuple(changed if b.name == body.name else b for b in vehicle.bodies))


def _height(vehicle: Vehicle) -> float:
    """Of the centre of gravity above the road, at rest [m]."""
    model = MultibodyVehicle(vehicle)
    model.settle()
    return model.reading(model.advance_rows(np.zeros((1, 4)), 1)[-1])(signals.Z.column)


def _axle_of(vehicle: Vehicle, element: Spring | Damper) -> Axle:
    """The axle whose wheels are nearer."""
    middle = 0.5 * (element.ends[0][0] + element.ends[1][0])
    return min(vehicle.wheels, key=lambda wheel: math.fabs(wheel.centre[0] - middle)).corner.axle


def _stiffer(spring: Spring, factor: float) -> Spring:
    if factor == 1.0:
        return spring
    law = spring.characteristic
    here = float(np.interp(spring.design_compression, law.curve.x, law.curve.y))
    return replace(
        spring, characteristic=replace(law, curve=replace(law.curve, y=here + factor * (law.curve.y - here)))
    )


def _harder(damper: Damper, factor: float) -> Damper:
    curve = damper.characteristic.curve
    return replace(damper, characteristic=replace(damper.characteristic, curve=replace(curve, y=factor * curve.y)))
