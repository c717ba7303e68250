"""Model descriptions of FMI 2.0 and 3.0, and the terminals of 3.0, as XML."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from trackrod import __version__
from trackrod.core.corners import Corner
from trackrod.core.quantities import KINDS, Kind
from trackrod.export.layout import Group, Type
from trackrod.export.variables import Variable

__all__ = ["Description", "FmiVersion", "build_description", "model_description", "terminals", "unit_name"]


class FmiVersion(StrEnum):
    """Of the standard."""

    FMI2 = "2.0"
    FMI3 = "3.0"


@dataclass(frozen=True, slots=True)
class Description:
    """What a model description says beside its variables.

    Attributes
    ----------
    name
        Of the vehicle.
    identifier
        Name of the library: a word of C.
    token
        By which model description and data know that they belong together.
    about
        In a sentence.
    step
        Internal step [s].
    stop
        End of the default experiment [s].
    sources
        Files under ``sources/`` to be compiled.
    derivatives
        Whether it tells directional derivatives.
    """

    name: str
    identifier: str
    token: str
    about: str
    step: float = 1e-3
    stop: float = 10.0
    sources: tuple[str, ...] = ()
    derivatives: bool = False


#: Units that people use: factor on the SI unit, by kind.
_DISPLAY = {
    "angle": ("deg", 180.0 / math.pi),
    "angular_velocity": ("deg/s", 180.0 / math.pi),
    "velocity": ("km/h", 3.6),
    "pressure": ("bar", 1e-5),
}
_LOG_CATEGORIES = ("logStatusWarning", "logStatusDiscard", "logStatusError", "logStatusFatal")
_CAUSALITY = {
    Group.SETTINGS: "parameter",
    Group.PARAMETERS: "parameter",
    Group.INPUTS: "input",
    Group.OUTPUTS: "output",
}
_TYPES = {
    FmiVersion.FMI2: {Type.REAL: "Real", Type.INTEGER: "Integer", Type.BOOLEAN: "Boolean"},
    FmiVersion.FMI3: {Type.REAL: "Float64", Type.INTEGER: "Int32", Type.BOOLEAN: "Boolean"},
}


def unit_name(kind: Kind) -> str:
    """The unit in letters that every program knows; empty for pure numbers."""
    return kind.unit.translate(str.maketrans("·²³⁴", ".234"))


def model_description(version: FmiVersion, about: Description, variables: Sequence[Variable]) -> bytes:
    """``modelDescription.xml``."""
    token = "guid" if version is FmiVersion.FMI2 else "instantiationToken"
    root = Element(
        "fmiModelDescription",
        {
            "fmiVersion": str(version),
            "modelName": about.name,
            token: about.token,
            "description": about.about,
            "generationTool": f"Trackrod {__version__}",
            "variableNamingConvention": "structured",
        },
    )
    _co_simulation(root, version, about)
    _units(root, variables)
    categories = SubElement(root, "LogCategories")
    for name in _LOG_CATEGORIES:
        SubElement(categories, "Category", name=name)
    experiment = {"startTime": "0", "stopTime": f"{about.stop:g}", "stepSize": f"{about.step:g}"}
    SubElement(root, "DefaultExperiment", experiment)
    listed = SubElement(root, "ModelVariables")
    if version is FmiVersion.FMI3:
        time = {"name": "time", "valueReference": "0", "causality": "independent", "variability": "continuous"}
        SubElement(listed, "Float64", {**time, "unit": "s", "description": "of the simulation"})
    for variable in variables:
        _variable(listed, version, variable)
    _structure(root, version, variables)
    return _text(root)


def build_description(about: Description) -> bytes:
    """``sources/buildDescription.xml`` of FMI 3.0."""
    root = Element("fmiBuildDescription", fmiVersion=str(FmiVersion.FMI3))
    configuration = SubElement(root, "BuildConfiguration", modelIdentifier=about.identifier)
    files = SubElement(configuration, "SourceFileSet", language="C++17", compilerOptions="-ffp-contract=off")
    for name in about.sources:
        SubElement(files, "SourceFile", name=name)
    SubElement(files, "IncludeDirectory", name=".")
    return _text(root)


def terminals(variables: Sequence[Variable]) -> bytes:
    """``terminalsAndIcons/terminalsAndIcons.xml`` of FMI 3.0: what a driver, and what each wheel, is connected by."""
    root = Element("fmiTerminalsAndIcons", fmiVersion=str(FmiVersion.FMI3))
    corners = {"x1": "-120", "y1": "-80", "x2": "120", "y2": "80"}
    shown = SubElement(root, "GraphicalRepresentation")
    SubElement(shown, "CoordinateSystem", {**corners, "suggestedScalingFactorTo_mm": "0.1"})
    SubElement(shown, "Icon", corners)
    found = SubElement(root, "Terminals")
    for name in ("driver", *map(str, Corner)):
        terminal = SubElement(found, "Terminal", name=name, matchingRule="bus", terminalKind=f"trackrod.{name}")
        for variable in variables:
            if variable.name.startswith(f"{name}.") and variable.group in (Group.INPUTS, Group.OUTPUTS):
                member = variable.name.partition(".")[2]
                kind = "signal"
                given = {"variableName": variable.name, "memberName": member, "variableKind": kind}
                SubElement(terminal, "TerminalMemberVariable", given)
    return _text(root)


def _co_simulation(root: Element, version: FmiVersion, about: Description) -> None:
    given = {"modelIdentifier": about.identifier, "canHandleVariableCommunicationStepSize": "true"}
    if version is FmiVersion.FMI2:
        given |= {"canGetAndSetFMUstate": "true", "canSerializeFMUstate": "true"}
    else:
        given |= {
            "canGetAndSetFMUState": "true",
            "canSerializeFMUState": "true",
            "fixedInternalStepSize": f"{about.step:g}",
            "providesIntermediateUpdate": "true",
            "mightReturnEarlyFromDoStep": "true",
            "canReturnEarlyAfterIntermediateUpdate": "true",
        }
    if about.derivatives:
        given["providesDirectionalDerivative" + ("" if version is FmiVersion.FMI2 else "s")] = "true"
    element = SubElement(root, "CoSimulation", given)
    if version is FmiVersion.FMI2 and about.sources:
        files = SubElement(element, "SourceFiles")
        for name in about.sources:
            SubElement(files, "File", name=name)


def _units(root: Element, variables: Iterable[Variable]) -> None:
    definitions = SubElement(root, "UnitDefinitions")
    kinds = {unit_name(variable.kind): variable.kind for variable in variables if variable.kind.unit}
    kinds.setdefault("s", KINDS["time"])
    for name, kind in sorted(kinds.items()):
        unit = SubElement(definitions, "Unit", name=name)
        d = kind.dimension
        exponents = {"kg": d.mass + d.force, "m": d.length + d.force, "s": d.time - 2 * d.force, "rad": d.angle}
        SubElement(unit, "BaseUnit", {base: f"{power:g}" for base, power in exponents.items() if power})
        if kind.name in _DISPLAY:
            shown, factor = _DISPLAY[kind.name]
            SubElement(unit, "DisplayUnit", name=shown, factor=repr(factor))


def _variable(root: Element, version: FmiVersion, variable: Variable) -> None:
    real = variable.type is Type.REAL
    given = {
        "name": variable.name,
        "valueReference": str(variable.reference),
        "description": variable.meaning,
        "causality": _CAUSALITY[variable.group],
    }
    fixed = variable.group in (Group.SETTINGS, Group.PARAMETERS)
    given["variability"] = "fixed" if fixed else "continuous" if real else "discrete"
    if variable.group is Group.OUTPUTS:
        given["initial"] = "calculated"
    elif fixed:
        given["initial"] = "exact"
    value = {}
    if variable.kind.unit and real:
        value["unit"] = unit_name(variable.kind)
        if variable.kind.name in _DISPLAY:
            value["displayUnit"] = _DISPLAY[variable.kind.name][0]
    if variable.group is not Group.OUTPUTS:
        if variable.type is not Type.BOOLEAN:
            bounds = {"min": variable.low, "max": variable.high}
            value |= {name: _number(bound, variable.type) for name, bound in bounds.items() if math.isfinite(bound)}
        value["start"] = _number(variable.start, variable.type)
    if version is FmiVersion.FMI2:
        SubElement(SubElement(root, "ScalarVariable", given), _TYPES[version][variable.type], value)
        return
    if not fixed:
        given["intermediateUpdate"] = "true"
    if variable.group is Group.INPUTS:
        given.pop("initial", None)
    SubElement(root, _TYPES[version][variable.type], {**given, **value})


def _number(value: float, kind: Type) -> str:
    if kind is Type.BOOLEAN:
        return "true" if value else "false"
    return str(int(value)) if kind is Type.INTEGER else repr(float(value))


def _structure(root: Element, version: FmiVersion, variables: Sequence[Variable]) -> None:
    """Outputs follow from what was given for steps that are over, never at once from an input of now."""
    structure = SubElement(root, "ModelStructure")
    told = [(i, v) for i, v in enumerate(variables, 1) if v.group is Group.OUTPUTS]
    if version is FmiVersion.FMI3:
        for _, variable in told:
            SubElement(structure, "Output", valueReference=str(variable.reference), dependencies="")
        for _, variable in told:
            SubElement(structure, "InitialUnknown", valueReference=str(variable.reference))
        return
    outputs = SubElement(structure, "Outputs")
    for index, _ in told:
        SubElement(outputs, "Unknown", index=str(index), dependencies="")
    unknowns = SubElement(structure, "InitialUnknowns")
    for index, _ in told:
        SubElement(unknowns, "Unknown", index=str(index))


def _text(root: Element) -> bytes:
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'.encode()
