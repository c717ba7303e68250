"""Model descriptions, and the variables that they list."""

from __future__ import annotations

import io
import math
import struct
import zipfile
from importlib.resources import files
from xml.etree.ElementTree import fromstring

import pytest
from lxml import etree
from open_fmus import CAR, ELASTIC_CAR, VERSIONS, content, spec

from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.quantities import KINDS
from trackrod.export.layout import GIVEN, GROUPS, Group, declaration_key, elements
from trackrod.export.model_description import FmiVersion, unit_name
from trackrod.export.picture import SIZE
from trackrod.export.variables import rtm_variables
from trackrod.rtm.coefficients import PARAMETERS


def part(name: str, version: FmiVersion, path: str) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content(name, version))) as archive:
        return archive.read(path)


def test_every_signal_is_an_output_or_an_input() -> None:
    listed = {variable.name: variable for variable in rtm_variables(spec(ELASTIC_CAR))}
    absent = {"time", signals.FRAME_TWIST.fmi}
    for signal in signals.SIGNALS.values():
        if signal.fmi not in absent:
            assert listed[signal.fmi].kind is signal.kind, signal


def test_references_say_group_and_place() -> None:
    """They are the same for all vehicles: what one does not have leaves a gap."""
    first, second = ({v.name: v.reference for v in rtm_variables(spec(name))} for name in (CAR, ELASTIC_CAR))
    assert {name: second[name] for name in first if name in second} == {
        name: first[name] for name in first if name in second
    }
    assert set(second) - set(first) >= {"driver.steering_wheel_torque", "steering.torsion_bar_twist"}
    places = [item.name for item in elements(GIVEN)]
    assert first["driver.brake"] == GROUPS[Group.INPUTS] + places.index("driver.brake")
    mass = [item.name for item in PARAMETERS].index("sprung_mass")
    assert first["parameter.sprung_mass"] == GROUPS[Group.PARAMETERS] + mass
    assert len(set(first.values())) == len(first)


def test_ranges_start_values_and_units() -> None:
    listed = {variable.name: variable for variable in rtm_variables(spec(CAR))}
    assert listed["parameter.sprung_mass"].start == spec(CAR).parameters["sprung_mass"]
    assert listed["parameter.sprung_mass"].low > 0
    assert listed["fl.added_brake_torque"].low == 0.0
    assert all(v.low <= v.start <= v.high for v in listed.values() if v.group is not Group.OUTPUTS)
    assert unit_name(KINDS["inertia"]) == "kg.m2"
    root = fromstring(part(CAR, FmiVersion.FMI2, "modelDescription.xml"))
    units = {unit.get("name"): unit for unit in root.iter("Unit")}
    newton_metres = units["N.m"].find("BaseUnit")
    assert newton_metres is not None
    assert newton_metres.attrib == {"kg": "1", "m": "2", "s": "-2"}
    shown = units["rad"].find("DisplayUnit")
    assert shown is not None
    assert float(shown.get("factor", "")) == pytest.approx(180 / math.pi)


@pytest.mark.parametrize(
    ("path", "schema"),
    [
        ("terminalsAndIcons/terminalsAndIcons.xml", "fmi3TerminalsAndIcons.xsd"),
        ("sources/buildDescription.xml", "fmi3BuildDescription.xsd"),
        ("modelDescription.xml", "fmi3ModelDescription.xsd"),
    ],
)
def test_files_of_fmi_3_keep_to_their_schemas(path: str, schema: str) -> None:
    found = etree.XMLSchema(etree.parse(str(files("fmpy") / "schema" / "fmi3" / schema)))
    found.assertValid(etree.fromstring(part(CAR, FmiVersion.FMI3, path)))


def test_terminals_hold_wheels_and_driver() -> None:
    root = fromstring(part(CAR, FmiVersion.FMI3, "terminalsAndIcons/terminalsAndIcons.xml"))
    names = [terminal.get("name") for terminal in root.iter("Terminal")]
    assert names == ["driver", *Corner]
    left = next(terminal for terminal in root.iter("Terminal") if terminal.get("name") == "fl")
    members = {member.get("memberName"): member.get("variableName") for member in left}
    assert members["added_brake_torque"] == "fl.added_brake_torque"


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: version.name)
def test_equal_vehicles_give_equal_files_with_all_that_belongs_to_them(version: FmiVersion) -> None:
    first = content(CAR, version)
    content.cache_clear()
    assert content(CAR, version) == first
    assert len(first) < 15e6
    with zipfile.ZipFile(io.BytesIO(first)) as archive:
        names = archive.namelist()
        page = archive.read("documentation/index.html").decode()
    shell = "fmi2" if version is FmiVersion.FMI2 else "fmi3"
    assert {"resources/vehicle.bin", "sources/instance.cpp", f"sources/{shell}.cpp", f"sources/{shell}Functions.h"} <= {
        *names
    }
    assert "parameter.sprung_mass" in page
    assert "Maps of the suspension were measured" in page


def test_other_declarations_have_another_key(monkeypatch: pytest.MonkeyPatch) -> None:
    before = declaration_key()
    monkeypatch.setattr("trackrod.export.layout.GIVEN", GIVEN[:-1])
    assert declaration_key() != before


def test_a_picture_travels_with_the_vehicle() -> None:
    for version, path in ((FmiVersion.FMI2, "model.png"), (FmiVersion.FMI3, "terminalsAndIcons/icon.png")):
        shown = part(CAR, version, path)
        assert shown[:8] == b"\x89PNG\r\n\x1a\n"
        assert struct.unpack(">II", shown[16:24]) == SIZE
