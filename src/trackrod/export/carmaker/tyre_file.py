"""Tyre files of CarMaker with a Magic Formula 5.2; other formulas stay tyre property files."""

from __future__ import annotations

from trackrod.export.carmaker.text import SourcedText
from trackrod.tyre.coefficients import Version
from trackrod.tyre.model import Tyre
from trackrod.tyre.properties import TyreProperties, Tyreside

__all__ = ["tyre_lost", "tyre_text"]

#: Coefficients that sample files have, in their order, by the first word of the key and the heading above it.
_KEYS = {
    ("Dim", "DIMENSION"): "UNLOADED_RADIUS WIDTH RIM_RADIUS ASPECT_RATIO",
    ("Vertical", "VERTICAL"): "VERTICAL_STIFFNESS VERTICAL_DAMPING BREFF DREFF FREFF FNOMIN",
    ("Range", "RANGE"): "KPUMIN KPUMAX ALPMIN ALPMAX CAMMIN CAMMAX FZMIN FZMAX",
    ("Scale", "SCALING"): "LFZO LCX LMUX LEX LKX LHX LVX LGAX LCY LMUY LEY LKY LHY LVY LGAY LTR LRES LGAZ LXAL LYKA "
    "LVYKA LS LSGKP LSGAL LMX LVMX LMY",
    ("Long", "LONGITUDINAL"): "PCX1 PDX1 PDX2 PDX3 PEX1 PEX2 PEX3 PEX4 PKX1 PKX2 PKX3 PHX1 PHX2 PVX1 PVX2 RBX1 RBX2 "
    "RCX1 REX1 REX2 RHX1 PTX1 PTX2 PTX3",
    ("OverTurn", "OVERTURNING"): "QSX1 QSX2 QSX3",
    ("Lat", "LATERAL"): "PCY1 PDY1 PDY2 PDY3 PEY1 PEY2 PEY3 PEY4 PKY1 PKY2 PKY3 PHY1 PHY2 PHY3 PVY1 PVY2 PVY3 PVY4 "
    "RBY1 RBY2 RBY3 RCY1 REY1 REY2 RHY1 RHY2 RVY1 RVY2 RVY3 RVY4 RVY5 RVY6 PTY1 PTY2",
    ("Roll", "ROLLING"): "QSY1 QSY2 QSY3 QSY4",
    ("Align", "ALIGNING"): "QBZ1 QBZ2 QBZ3 QBZ4 QBZ5 QBZ9 QBZ10 QCZ1 QDZ1 QDZ2 QDZ3 QDZ4 QDZ6 QDZ7 QDZ8 QDZ9 QEZ1 QEZ2 "
    "QEZ3 QEZ4 QEZ5 QHZ1 QHZ2 QHZ3 QHZ4 SSZ1 SSZ2 SSZ3 SSZ4",
}
#: First words of keys that no sample has, by the block of a property file.
_FURTHER = {
    "MODEL": "Model",
    "DIMENSION": "Dim",
    "VERTICAL": "Vertical",
    "STRUCTURAL": "Structural",
    "OPERATING_CONDITIONS": "Operating",
    "INFLATION_PRESSURE_RANGE": "Range",
    "SCALING_COEFFICIENTS": "Scale",
    "LONGITUDINAL_COEFFICIENTS": "Long",
    "OVERTURNING_COEFFICIENTS": "OverTurn",
    "LATERAL_COEFFICIENTS": "Lat",
    "ALIGNING_COEFFICIENTS": "Align",
}
#: What a standing tyre and the picture of a tyre need, which the formula does not have.
_STANDING = {"StandStill.cLong": 0.01, "StandStill.cSide": 0.2, "StandStill.vMax": 0.25}


def tyre_lost(tyre: TyreProperties) -> list[str]:
    """What a tyre file of CarMaker does not hold, in sentences."""
    curves = {"load over deflection as a curve": tyre.deflection_load, "load of the rim": tyre.bottoming}
    found = [f"{what} of the tyre '{tyre.name}'" for what, curve in curves.items() if curve is not None]
    if tyre.version is not Version.MF52:
        text = f"formula {tyre.version} of the tyre '{tyre.name}': samples have MF 5.2, so a property file is written"
        return [f"{text} in its place (CarMaker needs a tyre model that takes it)"]
    further = [key.partition(".")[2] for key in _further(tyre)]
    if further:
        found.append(f"{', '.join(further)} of the tyre '{tyre.name}': no sample has them, they stand under Additional")
    return found


def _further(tyre: TyreProperties) -> dict[str, float]:
    """Coefficients that no sample has and that are not as they are by default, by their keys."""
    known = {name for names in _KEYS.values() for name in names.split()}
    return {
        f"{_FURTHER[item.block]}.{item.name}": tyre.coefficients[item.name]
        for item in tyre.declarations
        if item.name in tyre.names
        and item.name not in known
        and item.name in tyre.given
        and tyre.coefficients[item.name] != item.default
    }


def tyre_text(tyre: TyreProperties, creator: str) -> SourcedText:
    """The file of a tyre with MF 5.2."""
    text = SourcedText(source="fixed")
    value = tyre.coefficients
    text.put("FileIdent", "CarMaker-Tire-MF52 2")
    text.put("FileCreator", creator)
    text.put_lines("Description")
    text.section("General")
    text.source = "tyreside"
    text.put("Side", "right" if tyre.tyreside is Tyreside.RIGHT else "left")
    text.source = "fixed"
    for key, number in _STANDING.items():
        text.put(key, number)
    text.section("Visualization")
    text.source = "tyre"
    text.put("FLoadMax", 2.0 * Tyre(tyre).nominal_load)
    text.put("NomWidth", value["WIDTH"])
    text.put("AspectRatio", value["ASPECT_RATIO"])
    text.put("RimRadius", value["RIM_RADIUS"])
    text.section("MF-Tire")
    text.source = "fixed"
    text.put("muRoad", 1.0)
    _group(text, "MDI_HEADER", {"FILE_TYPE": "CAR", "FILE_VERSION": "3.0", "FILE_FORMAT": "ASCII"}, "MDI_Header")
    units = {"LENGTH": "meter", "FORCE": "newton", "ANGLE": "radians", "MASS": "kg", "TIME": "second"}
    _group(text, "UNITS", units, "Units")
    _group(text, "MODEL", {"PROPERTY_FILE_FORMAT": "MF_05", "USE_MODE": "14", "FITTYP": "5"}, "Model")
    text.source = "tyre"
    for (word, heading), names in _KEYS.items():
        _group(text, heading, {name: value[name] for name in names.split()}, word)
    text.section("Additional Parameters")
    for key, number in _further(tyre).items():
        text.put(key, number)
    return text


def _group(text: SourcedText, heading: str, values: dict[str, str] | dict[str, float], word: str) -> None:
    text.blank()
    text.comment(f"[{heading}]")
    for name, value in values.items():
        text.put(f"{word}.{name}", value)
