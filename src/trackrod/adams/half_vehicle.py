"""Half a vehicle: a suspension assembly, or a suspension subsystem alone, and what its test rig says about the rest.

Adams/Car puts such an assembly on a test rig that knows the vehicle by a few parameters: wheel radius, tyre stiffness,
wheelbase, height of the centre of mass, shares of the front axle in braking and driving.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from trackrod.adams.assembly import Assembly
from trackrod.adams.elements import Parameter
from trackrod.core.corners import Axle
from trackrod.core.errors import InputError, Place, Problem, Severity
from trackrod.core.quantities import KINDS
from trackrod.tyre.coefficients import Version, coefficients_of
from trackrod.tyre.properties import TyreProperties, Tyreside
from trackrod.vehicle.systems import Surroundings

__all__ = ["NO_TYRE", "RIG_TYRE", "carrying_tyre", "half_assembly", "is_half", "rig_tyre", "surroundings_of"]

#: Name of the tyre that the rig brings where no wheel subsystem names one.
RIG_TYRE = "rig_tyre"
#: Its free radius [m] and stiffness [N/m] where the assembly does not tell: those of a new rig in Adams/Car.
USUAL_RADIUS = 0.3
USUAL_STIFFNESS = 2e5
#: How the warning begins that says so.
NO_TYRE = "no tyre is given"
_RIGID = "rigid_wheel"


def is_half(assembly: Assembly) -> bool:
    """Whether an assembly is meant to be one axle: its class says so."""
    return assembly.assembly_class == "suspension"


def half_assembly(assembly: Assembly) -> Assembly:
    """The assembly as one axle: its subsystems of any axle are those of its suspension's, the front one's if any.

    Raises
    ------
    InputError
        There is not exactly one suspension.
    """
    suspensions = assembly.with_role("suspension")
    if len(suspensions) != 1:
        names = ", ".join(f"'{subsystem.name}' ({subsystem.major_role})" for subsystem in assembly.subsystems)
        text = f"half a vehicle has one suspension, '{assembly.name}' has {len(suspensions)}"
        hint = f"subsystems: {names}; an assembly of the class full_vehicle has two suspensions and a body"
        raise InputError(Problem(text, Place(assembly.file), hint=hint))
    role = suspensions[0].minor_role
    axle = Axle(role) if role in tuple(Axle) else Axle.FRONT
    problems = list(assembly.problems)
    if role != axle:
        text = f"the suspension '{suspensions[0].name}' has the minor role '{role}'; it is taken as the {axle} axle"
        problems.append(Problem(text, Place(suspensions[0].file), Severity.NOTE))
    own = tuple(
        subsystem if subsystem.minor_role in tuple(Axle) else replace(subsystem, minor_role=str(axle))
        for subsystem in assembly.subsystems
    )
    return replace(assembly, subsystems=own, axles=(axle,), problems=tuple(problems))


def surroundings_of(assembly: Assembly) -> Surroundings:
    """What the parameters of the test rig say about the vehicle; what they do not say is None.

    Raises
    ------
    InputError
        A number is not possible.
    """
    try:
        return Surroundings(
            wheelbase=_length(assembly, "wheelbase"),
            cg_height=_length(assembly, "cg_height"),
            front_brake_share=_number(assembly, "brake_ratio"),
            front_drive_share=_number(assembly, "drive_ratio"),
        )
    except InputError as error:
        raise InputError(
            [p if p.place.file else replace(p, place=Place(assembly.file)) for p in error.problems]
        ) from None


def rig_tyre(assembly: Assembly, note: Callable[[str, Place, Severity, str], None]) -> TyreProperties:
    """A tyre that only carries: free radius and vertical stiffness of the test rig, or usual ones, which is said."""
    radius, stiffness = _length(assembly, "testrig_wheel_radius"), _value(assembly, "tire_stiffness", "stiffness")
    place = Place(assembly.file)
    found = _parameter(assembly, "testrig_tire_property_file")
    if found is not None and str(found.values[0]).strip().casefold() != _RIGID:
        text = f"the tyre '{str(found.values[0]).strip()}' of the test rig is not read; its radius and stiffness are"
        note(text, found.place, Severity.WARNING, "add the subsystem of the wheels to the assembly")
    if radius is None or stiffness is None:
        radius, stiffness = radius or USUAL_RADIUS, stiffness or USUAL_STIFFNESS
        text = f"{NO_TYRE}: a free radius of {1e3 * radius:g} mm and a stiffness of {1e-3 * stiffness:g} N/mm "
        hint = "trackrod kc takes --wheel-radius-mm and --tyre-stiffness"
        note(f"{text}are taken; all that happens at the contact point depends on them", place, Severity.WARNING, hint)
    for name, value in (("testrig_wheel_radius", radius), ("tire_stiffness", stiffness)):
        if not value > 0.0:
            at = _parameter(assembly, name)
            raise InputError(Problem(f"'{name}' must be greater than 0", at.place if at is not None else place))
    return carrying_tyre(radius, stiffness)


def carrying_tyre(radius: float, stiffness: float) -> TyreProperties:
    """A tyre of a free radius [m] and a vertical stiffness [N/m] without any force along the ground."""
    given = {"UNLOADED_RADIUS": radius, "VERTICAL_STIFFNESS": stiffness}
    usual = {c.name: c.default if isinstance(c.default, float) else 0.0 for c in coefficients_of(Version.PAC89)}
    return TyreProperties(
        Version.PAC89, {**usual, **given}, frozenset(given), tyreside=Tyreside.SYMMETRIC, name=RIG_TYRE
    )


def _parameter(assembly: Assembly, name: str) -> Parameter | None:
    return next((p for p in assembly.testrig_parameters if p.name.casefold() == name), None)


def _length(assembly: Assembly, name: str) -> float | None:
    return _value(assembly, name, "length")


def _number(assembly: Assembly, name: str) -> float | None:
    return _value(assembly, name, "number")


def _value(assembly: Assembly, name: str, kind: str) -> float | None:
    """A number of the test rig [SI]."""
    parameter = _parameter(assembly, name)
    if parameter is None:
        return None
    values = parameter.si(KINDS[kind])
    if len(values) != 1:
        raise InputError(Problem(f"'{name}' of the test rig must be one number", parameter.place))
    return values[0]
