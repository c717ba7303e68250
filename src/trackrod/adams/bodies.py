"""Parts and wheels of an assembly as bodies in the vehicle frame V: SI units, ISO 8855 axes.

Adams/Car files have x rearward and the left side at negative y. V has its origin below the front wheel centres, at
the height that is zero in the file: x' = x_front − x, y' = −y, z' = z. A part with symmetry left/right is given for
the left side; the right one is its mirror image.

Limits: products of inertia are taken as elements of the tensor. A part without a frame of its own in the file (neither
keys nor comment lines) is put where its axle or the origin is, with a warning.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trackrod.adams.assembly import Assembly
from trackrod.adams.elements import Inertia, Part, Symmetry, Wheel
from trackrod.adams.mechanism import sided_names, sides_of
from trackrod.adams.subsystem import Subsystem
from trackrod.core.axes import half_turn_points, half_turn_tensors
from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.errors import InputError, Place, Problem, Severity
from trackrod.vehicle.elements import Body, Matrix, Role, Vector
from trackrod.vehicle.template import role_in

__all__ = ["AssembledBodies", "assemble_bodies", "is_driveline"]

Array = NDArray[np.float64]
_MIRROR = np.array([1.0, -1.0, 1.0])
#: Names under which files give the centre of a wheel: in the suspension, else in the body.
_CENTRES = ("wheel_center", "{axle}_wheel_center")
#: How parts of the payload and of the driveline begin: the files tell what a part is by its name alone.
_PAYLOAD = "payload"
_DRIVELINE = ("driveshaft", "drive_shaft", "tripot", "halfshaft", "propshaft")


@dataclass(frozen=True, slots=True)
class AssembledBodies:
    """Bodies of a vehicle and where its wheels are.

    Attributes
    ----------
    bodies
        Every part and wheel, named ``subsystem.part_side``.
    sprung_mass
        Mass that the file counts as sprung [kg].
    wheel_centres
        In V [m].
    x_front
        The x of the front wheel centres, or of those of the only axle, in the axes of the file; it is zero in V [m].
    problems
        What was assumed.
    """

    bodies: tuple[Body, ...]
    sprung_mass: float
    wheel_centres: dict[Corner, Vector]
    x_front: float
    problems: tuple[Problem, ...]

    @property
    def wheelbase(self) -> float:
        """Distance of the axles along x [m], mean of both sides."""
        return float(self._x(Axle.FRONT) - self._x(Axle.REAR))

    def _x(self, axle: Axle) -> float:
        return float(np.mean([self.wheel_centres[Corner.of(axle, side)][0] for side in Side]))

    def track(self, axle: Axle) -> float:
        """Distance of the wheel centres of an axle along y [m]."""
        left, right = (self.wheel_centres[Corner.of(axle, side)][1] for side in Side)
        return left - right


def assemble_bodies(assembly: Assembly) -> AssembledBodies:
    """Bodies of a vehicle, or of half a one.

    Raises
    ------
    InputError
        Wheel centres are missing, or the front axle does not lie in front.
    """
    centres = _wheel_centres(assembly)
    x_front, x_rear = (float(centres[axle][0]) for axle in (assembly.axles[0], assembly.axles[-1]))
    if len(assembly.axles) > 1 and not x_front < x_rear:
        text = f"the front wheels are at x = {x_front:g} m and the rear ones at {x_rear:g} m; x must grow rearward"
        raise InputError(Problem(text, Place(assembly.file), hint="are the minor roles front and rear exchanged?"))
    problems: list[Problem] = []
    bodies: list[Body] = []
    sprung = 0.0
    for subsystem in assembly.subsystems:
        for element in subsystem.bodies:
            centre, inertia = (
                _of_wheel(element, centres[Axle(subsystem.minor_role)])
                if isinstance(element, Wheel)
                else _of_part(element, subsystem, centres, problems)
            )
            sprung += element.mass * element.sprung_fraction * element.symmetry.objects
            for side, name in zip(sides_of(element), sided_names(element), strict=True):
                is_image = element.symmetry is Symmetry.BOTH and side is Side.RIGHT
                mirror = _MIRROR if is_image else np.ones(3)
                bodies.append(
                    Body(
                        name=f"{subsystem.name}.{name}",
                        mass=element.mass,
                        centre=_vector(half_turn_points(centre * mirror, x_front)),
                        inertia=_matrix(half_turn_tensors(inertia * np.outer(mirror, mirror))),
                        sprung_fraction=element.sprung_fraction,
                        side=side,
                        role=_role(element, subsystem),
                    )
                )
    corners = {
        Corner.of(axle, side): _vector(half_turn_points(centre * (_MIRROR if side is Side.RIGHT else 1.0), x_front))
        for axle, centre in centres.items()
        for side in Side
    }
    return AssembledBodies(tuple(bodies), sprung, corners, x_front, tuple(problems))


def is_driveline(part: str) -> bool:
    """Whether a part of this name only carries the driving torque."""
    return part.casefold().startswith(_DRIVELINE)


def _role(element: Part | Wheel, subsystem: Subsystem) -> Role:
    if element.name.casefold().startswith(_PAYLOAD):
        return Role.PAYLOAD
    return Role.DRIVELINE if is_driveline(element.name) else role_in(subsystem.major_role)


def _wheel_centres(assembly: Assembly) -> dict[Axle, Array]:
    """Left wheel centre of each axle, in the axes of the file."""
    found: dict[Axle, Array] = {}
    problems = []
    for axle in assembly.axles:
        suspensions = assembly.with_role("suspension", axle)
        places = [*suspensions, *assembly.with_role("body")]
        names = {pattern.format(axle=axle) for pattern in _CENTRES}
        points = [p for s in places for p in s.hardpoints if p.name.casefold() in names and p.symmetry != "right"]
        if points:
            found[axle] = np.array(points[0].position)
        else:
            hint = f"a hardpoint {' or '.join(sorted(names))} is needed in the suspension or the body"
            problems.append(Problem(f"the {axle} axle has no wheel centre", Place(assembly.file), hint=hint))
    if problems:
        raise InputError(problems)
    return found


def _of_part(
    part: Part, subsystem: Subsystem, centres: dict[Axle, Array], problems: list[Problem]
) -> tuple[Array, Array]:
    """Centre of mass and inertia tensor of a part, in the axes of the file."""
    rotation = np.eye(3) if part.axes is None else part.axes.matrix
    if part.location is None:
        axle = Axle(subsystem.minor_role) if subsystem.minor_role in tuple(Axle) else None
        location = np.zeros(3) if axle is None else centres[axle]
        if part.mass > 0:
            text = f"the file says nothing about where '{part.name}' is; it is put at the {axle or 'origin'}"
            problems.append(Problem(text, part.place, Severity.WARNING))
    else:
        location = np.array(part.location)
    return location + rotation @ np.array(part.centre_of_mass), rotation @ _tensor(part.inertia) @ rotation.T


def _of_wheel(wheel: Wheel, centre: Array) -> tuple[Array, Array]:
    """Centre of mass and inertia tensor of a wheel, whose z is the spin axis in the file."""
    outward = np.array([0.0, -1.0, 0.0])  # of the left side
    spin_along_y = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
    return centre + outward * (wheel.centre_offset + wheel.cm_offset), spin_along_y @ _tensor(
        wheel.inertia
    ) @ spin_along_y.T


def _tensor(i: Inertia) -> Array:
    return np.array([[i.xx, i.xy, i.zx], [i.xy, i.yy, i.yz], [i.zx, i.yz, i.zz]])


def _vector(array: Array) -> Vector:
    x, y, z = array.tolist()
    return (x, y, z)


def _matrix(array: Array) -> Matrix:
    first, second, third = (0.5 * (array + array.T)).tolist()
    return (tuple(first), tuple(second), tuple(third))
