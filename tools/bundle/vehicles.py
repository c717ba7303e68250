"""The bundled vehicles by name, and the files that each consists of."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from tools.bundle import cla_class, double_wishbone_car, integral_link, lcv_3t5, lcv_7t, suv
from tools.bundle.database import database
from tools.bundle.design import VehicleDesign
from tools.bundle.sheet import Vehicle

__all__ = ["BUNDLED", "VEHICLES", "design", "texts"]

#: Where the databases lie.
BUNDLED = Path(__file__).resolve().parents[2] / "src" / "trackrod" / "vehicle" / "bundled"

#: Data sheets by name.
VEHICLES: dict[str, Vehicle] = {
    module.VEHICLE.name: module.VEHICLE
    for module in (double_wishbone_car, cla_class, suv, integral_link, lcv_3t5, lcv_7t)
}


@cache
def design(name: str) -> VehicleDesign:
    """Design of a vehicle."""
    return VehicleDesign(VEHICLES[name])


def texts(name: str) -> dict[str, str]:
    """Texts of all files of a database by their path in it."""
    return database(design(name))
