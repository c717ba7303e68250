"""The range of the K&C maps that a vehicle needs: from its springs and stops, then widened by driving at the limit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from trackrod.convert.conversion import convert
from trackrod.core.artefact import Schema
from trackrod.core.corners import Axle
from trackrod.core.errors import ConvergenceError, InputError
from trackrod.core.executors import executor
from trackrod.core.plain import Plain
from trackrod.core.series import Run
from trackrod.kc.maps import KC_MAPS, KcMaps
from trackrod.kc.reach import SPARE, Reach, find_reach
from trackrod.kc.study import KcSettings, axle_maps
from trackrod.manoeuvres.registry import manoeuvre
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.simulate.drive import prepared
from trackrod.vehicle.vehicle import Vehicle
from trackrod.workflow.cache import kept
from trackrod.workflow.multibody_runs import STEP
from trackrod.workflow.runs import model_run

__all__ = ["kc_maps", "needed_ranges"]

#: What is driven to see whether the maps are left, with settings.
LIMIT_RUNS: Mapping[str, Mapping[str, str]] = {
    "sine_with_dwell": {"amplitude_factor": "5"},
    "fishhook": {},
    "j_turn": {},
}
#: How often the maps are widened.
MOST_ROUNDS = 3

Reaches = Mapping[Axle, Reach]


def kc_maps(vehicle: Vehicle, settings: KcSettings | None = None) -> Mapping[Axle, KcMaps]:
    """K&C maps of both axles, as wide as driving at the limit needs; from the cache if they were made before.

    Parameters
    ----------
    vehicle
        With its present modes and payload.
    settings
        What the rig is asked for, for both axles, instead.

    Raises
    ------
    InputError
        An axle cannot be put on the rig, or a part of its maps was not reached.
    """
    if settings is not None:
        return _measured(vehicle, dict.fromkeys(Axle, settings))
    ranges = kept(_REACHES, needed_ranges, vehicle)
    return _measured(vehicle, {axle: reach.settings() for axle, reach in ranges.items()})


def needed_ranges(vehicle: Vehicle) -> Reaches:
    """The range of the maps of both axles, widened until driving at the limit stays inside or a mechanism ends.

    Errors as `kc_maps`.
    """
    ranges = {axle: find_reach(vehicle, axle) for axle in Axle}
    for _ in range(MOST_ROUNDS):
        maps = _measured(vehicle, {axle: reach.settings() for axle, reach in ranges.items()})
        excess = _driven_beyond(vehicle, maps)
        narrow = [axle for axle in excess if not ranges[axle].ends]
        if not narrow:
            break
        for axle in narrow:
            ranges[axle] = find_reach(vehicle, axle, _widened(ranges[axle], excess[axle]))
    return MappingProxyType(ranges)


def _measured(vehicle: Vehicle, settings: Mapping[Axle, KcSettings]) -> Mapping[Axle, KcMaps]:
    with executor() as pool:
        found = pool.map(lambda axle: kept(KC_MAPS, axle_maps, vehicle, axle, settings[axle]), Axle)
        return MappingProxyType(dict(zip(Axle, found, strict=True)))


def _widened(reach: Reach, excess: Reach) -> Reach:
    return replace(
        reach,
        parallel=reach.parallel + SPARE * excess.parallel,
        opposite=reach.opposite + SPARE * excess.opposite,
    )


def _driven_beyond(vehicle: Vehicle, maps: Mapping[Axle, KcMaps]) -> dict[Axle, Reach]:
    """How far driving at the limit goes beyond the maps, by axle; a vehicle that cannot be driven stays inside."""
    spec = convert(vehicle, maps).spec
    found: dict[Axle, Reach] = {}
    for name, given in LIMIT_RUNS.items():
        try:
            run = model_run(spec, prepared(RealTimeVehicle(spec, step=STEP), manoeuvre(name, given)))
        except (ConvergenceError, InputError):
            continue
        for axle, excess in _excesses(run):
            before = found.get(axle, Reach(0.0, 0.0))
            found[axle] = Reach(max(before.parallel, excess.parallel), max(before.opposite, excess.opposite))
    return found


def _excesses(run: Run) -> list[tuple[Axle, Reach]]:
    """What `beyond_maps` of a run tells, by axle; the rack is not a travel."""
    found = []
    for entry in run.metadata["beyond_maps"]:
        name, far = str(entry["variable"]), float(entry["farthest_m"])
        for axle in (axle for axle in Axle if str(axle) in name):
            found.append((axle, Reach(0.0, far) if name.startswith("opposite") else Reach(far, 0.0)))
    return found


def _to_plain(reaches: Reaches) -> dict[str, Plain]:
    return {str(axle): [reach.parallel, reach.opposite, reach.ends] for axle, reach in reaches.items()}


def _from_plain(data: Mapping[str, Any]) -> Reaches:
    return MappingProxyType({Axle(axle): Reach(*values) for axle, values in data.items()})


#: Ranges of both axles saved as one file.
_REACHES: Schema[Reaches] = Schema("trackrod.kc_reach", 1, _to_plain, _from_plain)
