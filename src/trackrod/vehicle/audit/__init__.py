"""Audit of a vehicle: what cannot be, what is out of the ordinary, what is worth knowing.

Each check is a pure function of the vehicle; `CHECKS` lists them all. Ranges are those of road vehicles from a small
three-wheeler to a heavy truck: what lies outside is a warning, not an error. Errors are kept for what cannot be
simulated or is physically impossible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from trackrod.core.corners import Side
from trackrod.core.errors import InputError, Problem, Severity
from trackrod.vehicle.audit.finding import Finding
from trackrod.vehicle.audit.forces import (
    check_bushings,
    check_connector_asymmetry,
    check_dampers,
    check_springs,
    check_stops,
    check_torsion_springs,
)
from trackrod.vehicle.audit.geometry import (
    check_coincident_hardpoints,
    check_ground,
    check_hardpoint_asymmetry,
    check_shared_hardpoints,
    check_wheel_positions,
)
from trackrod.vehicle.audit.masses import (
    check_centre_of_mass,
    check_inertia,
    check_mass_asymmetry,
    check_radius_of_gyration,
    check_total_mass,
)
from trackrod.vehicle.audit.mechanism import check_axle_freedoms, check_massless_motion, check_vehicle_freedoms
from trackrod.vehicle.audit.ride import check_ride
from trackrod.vehicle.audit.systems import check_brakes, check_powertrain, check_steering
from trackrod.vehicle.audit.tyres import check_tyre_loads, check_tyre_sides, check_tyre_sizes, check_tyre_stiffness
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["CHECKS", "Check", "Finding", "audit", "findings"]

Check = Callable[[Vehicle], Iterator[Finding]]

#: Every check, in the order of the report.
CHECKS: tuple[Check, ...] = (
    check_total_mass,
    check_centre_of_mass,
    check_inertia,
    check_radius_of_gyration,
    check_mass_asymmetry,
    check_wheel_positions,
    check_ground,
    check_coincident_hardpoints,
    check_hardpoint_asymmetry,
    check_shared_hardpoints,
    check_axle_freedoms,
    check_vehicle_freedoms,
    check_massless_motion,
    check_bushings,
    check_springs,
    check_torsion_springs,
    check_dampers,
    check_stops,
    check_connector_asymmetry,
    check_ride,
    check_tyre_sizes,
    check_tyre_stiffness,
    check_tyre_loads,
    check_tyre_sides,
    check_steering,
    check_powertrain,
    check_brakes,
)

#: Checks of the whole vehicle: half a one has neither a body with mass nor a second axle.
_OF_THE_WHOLE = frozenset(
    {
        check_total_mass,
        check_centre_of_mass,
        check_wheel_positions,
        check_ground,
        check_vehicle_freedoms,
        check_massless_motion,
        check_ride,
        check_tyre_sizes,
        check_tyre_loads,
        check_powertrain,
        check_brakes,
    }
)

_ORDER = tuple(Severity)


def audit(vehicle: Vehicle) -> tuple[Problem, ...]:
    """Everything that the checks find, as problems without a place; see `findings`."""
    return tuple(finding.problem() for finding in findings(vehicle))


def findings(vehicle: Vehicle) -> tuple[Finding, ...]:
    """Everything that the checks find, errors first; what is the same left and right is said once.

    A check that cannot be made is an error that says why.

    Holds: the same vehicle gives the same findings in the same order.
    """
    found: list[Finding] = []
    for check in CHECKS:
        if vehicle.is_half and check in _OF_THE_WHOLE:
            continue
        try:
            found += check(vehicle)
        except InputError as reason:
            found += [
                Finding(problem.text, severity=problem.severity, hint=problem.hint) for problem in reason.problems
            ]
    return tuple(sorted(_without_sides(found), key=lambda finding: _ORDER.index(finding.severity)))


def _without_sides(found: Iterable[Finding]) -> list[Finding]:
    """Findings that say the same of left and right elements as one finding with the elements of both."""
    merged: dict[tuple[object, ...], Finding] = {}
    for finding in found:
        names = tuple(name.removesuffix(f"_{Side.LEFT}").removesuffix(f"_{Side.RIGHT}") for name in finding.elements)
        key = (finding.what, names, finding.says, finding.severity)
        earlier = merged.get(key)
        elements = finding.elements if earlier is None else earlier.elements + finding.elements
        merged[key] = replace(finding, elements=tuple(dict.fromkeys(elements)))
    return list(merged.values())
