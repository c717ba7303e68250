"""The vehicles that come with Trackrod, as complete Adams/Car databases; `src/trackrod/vehicle/bundled/`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["BUNDLED", "CAR_OF_SAMPLES", "INDEX", "SAMPLES", "SAMPLE_DATABASE", "BundledVehicle", "SampleAxle"]

_FOLDER = Path(__file__).parent / "bundled"

#: Key figures of the bundled vehicles by name; written by ``tools/write_vehicle_index.py``.
INDEX = _FOLDER / "index.json"

#: Database of the sample axles, and the bundled vehicle that they are on.
SAMPLE_DATABASE = "sample_axles"
CAR_OF_SAMPLES = "double_wishbone_car"


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


@dataclass(frozen=True, slots=True)
class SampleAxle:
    """An axle that shows a template, front or rear, on a bundled car."""

    name: str
    title: str

    @property
    def assembly(self) -> Path:
        """The assembly file."""
        return Path(__file__).parent / f"{SAMPLE_DATABASE}.cdb" / "assemblies.tbl" / f"{self.name}.asy"

    @property
    def aliases(self) -> dict[str, Path]:
        """The other database that it needs."""
        return {CAR_OF_SAMPLES: BUNDLED[CAR_OF_SAMPLES].database}


#: The sample axles by name.
SAMPLES = {
    axle.name: axle
    for axle in (
        SampleAxle("twist_beam", "twist beam behind"),
        SampleAxle("trailing_arm", "trailing arms behind"),
        SampleAxle("solid_axle_links", "solid axle on links with Panhard rod behind"),
        SampleAxle("five_link", "five links in front"),
        SampleAxle("solid_axle_trailing_arms", "solid axle on trailing arms with Panhard rod and air springs behind"),
        SampleAxle("double_wishbone_pushrod", "double wishbone with pushrod, rubber in tie rods and hubs, in front"),
        SampleAxle("solid_front_axle", "solid front axle with drag link and steering box"),
    )
}
