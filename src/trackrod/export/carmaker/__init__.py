"""Data sets of CarMaker."""

from trackrod.export.carmaker.data_set import CarMakerDataSet, carmaker_data_set, export_carmaker
from trackrod.export.carmaker.vehicle_file import VERSIONS

__all__ = ["VERSIONS", "CarMakerDataSet", "carmaker_data_set", "export_carmaker"]
