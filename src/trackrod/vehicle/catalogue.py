"""The vehicles that come with Trackrod, as complete Adams/Car databases; `src/trackrod/vehicle/bundled/`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["BUNDLED", "BundledVehicle"]

_FOLDER = Path(__file__).parent / "bundled"


@dataclass(frozen=True, slots=True)
class BundledVehicle:
    """A vehicle of the package: its name and what it is."""

    name: str
    title: str

    @property
    def database(self) -> Path:
        """Folder of the database."""
        return _FOLDER / f"{self.name}.cdb"

    @property
    def assembly(self) -> Path:
        """The assembly file."""
        return self.database / "assemblies.tbl" / f"{self.name}.asy"


#: The bundled vehicles by name.
BUNDLED = {
    vehicle.name: vehicle
    for vehicle in (
        BundledVehicle("double_wishbone_car", "simple car for tutorials: double wishbones front and rear, rear drive"),
        BundledVehicle("cla_class", "compact saloon: MacPherson front, multi-link rear, front drive"),
        BundledVehicle("suv", "SUV: MacPherson front, semi-trailing-arm multi-link rear, all-wheel drive"),
        BundledVehicle("integral_link", "large car: double wishbone front, integral link with transverse leaf rear"),
        BundledVehicle("lcv_3t5", "3.5 t van: double wishbone with transverse leaf, rear solid axle on single leaves"),
        BundledVehicle(
            "lcv_7t", "7 t van: double wishbone with torsion bars, solid axle on leaf packs with twin tyres"
        ),
    )
}
