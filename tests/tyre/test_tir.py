"""Reader and writer of tyre property files."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trackrod.core import teimorbit
from trackrod.core.errors import FileFormatError, MissingFileError, Severity, TrackrodError, UnitError
from trackrod.tyre import Tyre, Tyreside, Version, compose_tir, load_tyre, parse_tir, read_tir, write_tir
from trackrod.tyre.coefficients import COEFFICIENTS, PAC89_COEFFICIENTS, UNUSED_KEYS
from trackrod.tyre.properties import ASYMMETRIC
from trackrod.tyre.samples import SAMPLES

CAR = SAMPLES["car_mf61"].read_text()
LCV = SAMPLES["lcv_mf52"].read_text()


def parse(text: str) -> object:
    return parse_tir(teimorbit.parse(text, Path("some.tir")))


def changed(text: str, key: str, value: str) -> str:
    """The text with the value of one key replaced."""
    lines = text.splitlines()
    index = next(i for i, line in enumerate(lines) if line.split("=")[0].strip() == key)
    lines[index] = f" {key} = {value}"
    return "\n".join(lines) + "\n"


def without(text: str, key: str) -> str:
    return "\n".join(line for line in text.splitlines() if line.split("=")[0].strip() != key) + "\n"


def line_of(text: str, key: str) -> int:
    return next(i for i, line in enumerate(text.splitlines(), 1) if line.split("=")[0].strip() == key)


# ------------------------------------------------------------------------------------------- declarations


def test_declarations_are_consistent() -> None:
    for items in (COEFFICIENTS, PAC89_COEFFICIENTS):
        names = [key for item in items for key in (item.name, *item.aliases)]
        assert len(names) == len(set(names))
        assert not set(names) & UNUSED_KEYS
        seen: set[str] = set()
        for item in items:
            assert not isinstance(item.default, str) or item.default in seen  # refers to an earlier one
            if isinstance(item.default, float):
                assert item.kind.admits(item.default)
                assert not item.positive or item.default > 0
            seen.add(item.name)
    assert {name for item in (*COEFFICIENTS, *PAC89_COEFFICIENTS) for name in [item.name]} >= ASYMMETRIC


# ------------------------------------------------------------------------------------------- real files


def test_every_real_file_is_read_or_refused_rightly(shared_data: Path) -> None:
    files = sorted(shared_data.rglob("*.tir"))
    assert len(files) >= 27
    refused = {}
    for file in files:
        try:
            properties = read_tir(file)
        except TrackrodError as error:
            refused[file.name] = str(error)
            continue
        assert np.isfinite(properties.values()).all()
        forces = load_tyre(file).evaluate(2000.0, 0.03, 0.05, limits=False)
        assert forces.Fx > 0 > forces.Fy
        again = parse_tir(teimorbit.parse(compose_tir(properties)))
        assert again.coefficients == properties.coefficients
    # Matlab assignments under the name of a property file: not TeimOrbit, and the message says so.
    assert list(refused) == ["235_60_R16.tir"]
    assert "not a TeimOrbit file" in refused["235_60_R16.tir"]


def test_versions_and_sides_of_real_files(shared_data: Path) -> None:
    tyres = shared_data / "tyres"
    fixtures = tyres / "matheusft_MFeval_julia/test/fixtures"
    for number, version in (("52", Version.MF52), ("61", Version.MF61), ("62", Version.MF62)):
        assert read_tir(fixtures / f"MagicFormula{number}_Parameters.tir").version is version
    assert read_tir(fixtures / "MagicFormula61_Parameters.tir").tyreside is Tyreside.RIGHT
    feda = read_tir(tyres / "projectchrono_chrono/data/vehicle/feda/tires/335_65R22_5_G275MSA_60psi.tir")
    assert feda.version is Version.MF52  # by FITTYP 5, which goes before PAC2002
    assert feda.tyreside is Tyreside.UNKNOWN
    assert feda.deflection_load is not None
    assert feda.deflection_load.force[1] == pytest.approx(2004.057)  # the first of two curves of that name
    assert any("occurs again" in str(problem) for problem in feda.problems)
    assert any("GOODYEAR" in str(problem) for problem in feda.problems)


def test_pac89_in_millimetres(shared_data: Path) -> None:
    folder = shared_data / "adams/BCAE_SLIIT_Three_Wheeler/SLIIT_Demo_ThreeWheeler.cdb/tires.tbl"
    properties = read_tir(folder / "TR_front_pac89.tir")
    assert properties.version is Version.PAC89
    assert properties.coefficients["UNLOADED_RADIUS"] == pytest.approx(0.326)
    assert properties.coefficients["VERTICAL_STIFFNESS"] == pytest.approx(310e3)
    assert properties.coefficients["VERTICAL_DAMPING"] == pytest.approx(3100.0)
    assert properties.coefficients["a2"] == 1250.0  # the formula's own units stay


# ------------------------------------------------------------------------------------------- units, defaults, sides


def test_units_of_the_file_apply() -> None:
    """The same tyre written in millimetres and kilonewtons is the same tyre."""
    text = CAR.replace("'meter'", "'mm'").replace("'newton'", "'knewton'").replace("'radians'", "'degrees'")
    text = text.replace("'second'", "'ms'")
    si = parse(CAR)
    scale = {
        "length": 1e3,
        "force": 1e-3,
        "angle": math.degrees(1.0),
        "velocity": 1.0,
        "pressure": 1e-3 / 1e6,
        "stiffness": 1e-6,
        "damping": 1e-3,
    }
    for item in si.declarations:
        if item.kind.name in scale and Version.MF61 in item.versions:
            text = changed(text, item.name, repr(si.coefficients[item.name] * scale[item.kind.name]))
    other = parse(text)
    for name, value in si.coefficients.items():
        assert other.coefficients[name] == pytest.approx(value, rel=1e-12), name


def test_pressure_unit_word() -> None:
    text = CAR.replace(" TIME    =  'second'", " TIME    =  'second'\n PRESSURE = 'bar'")
    assert "'bar'" in text
    for key in ("INFLPRES", "NOMPRES", "PRESMIN", "PRESMAX"):
        text = changed(text, key, str({"INFLPRES": 2.3, "NOMPRES": 2.3, "PRESMIN": 1.5, "PRESMAX": 3.5}[key]))
    assert parse(text).coefficients["INFLPRES"] == pytest.approx(230e3)


def test_case_blanks_and_comments_do_not_matter() -> None:
    text = CAR.replace("[LATERAL_COEFFICIENTS]", "[Lateral_Coefficients]").replace(" PCY1 ", " pcy1 ")
    text = changed(text, "PKY1", "  -2.14e+1   $ stiffness")
    text = text.replace("\n", "\r\n")
    assert parse(text).coefficients == {**parse(CAR).coefficients, "PKY1": -21.4}


def test_defaults_are_filled_in_and_named() -> None:
    text = CAR
    for key in ("RBX1", "QSY7", "NOMPRES", "LKY", "QDZ1"):
        text = without(text, key)
    properties = parse(text)
    assert properties.coefficients["RBX1"] == 20.0
    assert properties.coefficients["NOMPRES"] == properties.coefficients["INFLPRES"]
    assert properties.coefficients["LKY"] == 1.0
    assert not {"RBX1", "LKY"} & properties.given
    note = next(str(p) for p in properties.problems if "default taken" in str(p))
    assert "RBX1 = 20" in note
    assert "QSY7 = 0.85" in note


def test_coefficients_of_other_versions_do_not_act() -> None:
    """PKY4 belongs to MF 6: an MF 5.2 file that has it keeps the value 2 of its formula."""
    text = LCV.replace("[LATERAL_COEFFICIENTS]", "[LATERAL_COEFFICIENTS]\n PKY4 = 1.5")
    properties = parse(text)
    assert properties.coefficients["PKY4"] == 2.0
    assert any("keys without meaning for MF 5.2: PKY4" in str(p) for p in properties.problems)


def test_pac2002_names_of_pressure_terms() -> None:
    text = changed(LCV, "FITTYP", "6")
    for name, alias in (("INFLPRES", "IP"), ("NOMPRES", "IP_NOM"), ("PPZ1", "QPZ1"), ("PPMX1", "QPX1")):
        text = text.replace(f" {name} ", f" {alias} ")
    properties = parse(text)
    assert properties.coefficients["NOMPRES"] == 450e3
    assert {"INFLPRES", "NOMPRES", "PPZ1"} <= properties.given


@pytest.mark.parametrize(
    ("model", "version"),
    [
        ("FITTYP = 5", Version.MF52),
        ("FITTYP = 6\n PROPERTY_FILE_FORMAT = 'USER'", Version.MF52),
        ("PROPERTY_FILE_FORMAT = 'PAC2002'", Version.MF52),
        ("PROPERTY_FILE_FORMAT = 'MF_05'", Version.MF52),
        ("FITTYP = 61\n PROPERTY_FILE_FORMAT = 'PAC2002'", Version.MF61),
        ("FITTYP = 62", Version.MF62),
        ("FITTYP = 5.2.1", Version.MF52),
        ("FITTYP = '5.2.1'", Version.MF52),
        ("PROPERTY_FILE_FORMAT = '5.2.1'", Version.MF52),
        ("FITTYP =\n PROPERTY_FILE_FORMAT = 'PAC2002'", Version.MF52),
    ],
)
def test_fittyp_goes_before_the_format(model: str, version: Version) -> None:
    text = without(without(CAR, "FITTYP"), "PROPERTY_FILE_FORMAT").replace("[MODEL]", f"[MODEL]\n {model}")
    assert parse(text).version is version


def test_one_pressure_is_a_range() -> None:
    properties = parse(changed(changed(CAR, "PRESMIN", "230000"), "PRESMAX", "230000"))
    assert properties.coefficients["PRESMIN"] == properties.coefficients["PRESMAX"] == 230e3
    forces = Tyre(properties).evaluate(4000.0, alpha=0.05, p=[150e3, 230e3])
    assert forces.Fy[0] == forces.Fy[1]
    assert forces.outside[0].below == 1


def test_key_without_value_takes_its_default() -> None:
    properties = parse(changed(changed(CAR, "QSY7", ""), "TYRESIDE", ""))
    assert properties.coefficients["QSY7"] == 0.85
    assert "QSY7" not in properties.given
    warning = next(p for p in properties.problems if "QSY7" in p.text)
    assert str(warning).startswith(f"some.tir:{line_of(CAR, 'QSY7')}:")
    assert warning.severity is Severity.WARNING
    assert "QSY7 has no value; its default 0.85 is taken" in warning.text
    assert properties.tyreside is Tyreside.UNKNOWN


def test_comment_that_was_wrapped() -> None:
    line = next(line for line in CAR.splitlines() if line.split("=")[0].strip() == "PKY1")
    properties = parse(CAR.replace(line, f"{line}  $ largest value of the\n cornering stiffness"))
    assert properties.coefficients == parse(CAR).coefficients
    assert any("rest of the comment" in p.text and p.severity is Severity.WARNING for p in properties.problems)


@pytest.mark.parametrize(
    ("mode", "asked"),
    [
        ("4.0", "no relaxation"),
        ("12", "lateral forces only"),
        ("3", "longitudinal and lateral forces that do not reduce each other and no relaxation"),
        ("-14", "the mirrored tyre"),
        ("35", "turn slip and a rigid ring"),
    ],
)
@pytest.mark.parametrize("name", ["car_pac89", "lcv_mf52"])
def test_use_mode_that_is_not_modelled_is_a_warning(name: str, mode: str, asked: str) -> None:
    text = without(SAMPLES[name].read_text(), "USE_MODE").replace("[MODEL]", f"[MODEL]\n USE_MODE = {mode}")
    found = [p for p in parse(text).problems if "USE_MODE" in p.text]
    assert [p.severity for p in found] == [Severity.WARNING]
    assert f"USE_MODE = {mode} asks for {asked}; combined slip with relaxation is modelled" in found[0].text
    assert found[0].place.line == line_of(text, "USE_MODE")


@pytest.mark.parametrize("mode", ["14", "24", "114", "124"])
def test_use_mode_that_is_modelled_is_silent(mode: str) -> None:
    text = without(LCV, "USE_MODE").replace("[MODEL]", f"[MODEL]\n USE_MODE = {mode}")
    assert not any("USE_MODE" in p.text for p in parse(text).problems)


@pytest.mark.parametrize("word", ["LEFT", "Right", "symmetric", "UNKNOWN"])
def test_tyreside(word: str) -> None:
    assert parse(changed(CAR, "TYRESIDE", f"'{word}'")).tyreside == word.upper()


def test_empty_and_foreign_blocks() -> None:
    text = CAR + "[SHAPE]\n{radial width}\n[GOODYEAR]\n CONSTRUCTION = 'radial'\n[BOTTOMING_CURVE]\n"
    properties = parse(text)
    assert properties.bottoming is None
    assert any("GOODYEAR" in str(p) for p in properties.problems)


def test_shape_without_header() -> None:
    assert parse(CAR + "[SHAPE]\n 1.0 0.0\n 1.0 0.4\n 0.9 1.0\n").version is Version.MF61


def test_vertical_stiffness_from_the_curve() -> None:
    curve = "[DEFLECTION_LOAD_CURVE]\n{pen fz}\n 0 0\n 0.01 2000\n 0.02 4500\n 0.03 7500\n"
    properties = parse(without(CAR, "VERTICAL_STIFFNESS") + curve)
    assert properties.coefficients["VERTICAL_STIFFNESS"] == pytest.approx(2.5e5)


# ------------------------------------------------------------------------------------------- writer


def test_written_file_reads_back(sample: Path, tmp_path: Path) -> None:
    properties = read_tir(sample).with_values(UNLOADED_RADIUS=0.1 + 0.2)
    write_tir(properties, tmp_path / "copy.tir")
    again = read_tir(tmp_path / "copy.tir")
    assert again.coefficients == properties.coefficients
    assert again.version is properties.version
    assert again.tyreside is properties.tyreside


def test_written_curves_read_back(tmp_path: Path) -> None:
    curves = (
        "[DEFLECTION_LOAD_CURVE]\n{pen fz}\n 0 0\n 0.011 2000\n 0.02 4500\n"
        "[BOTTOMING_CURVE]\n{pen fz}\n 0 0\n 0.05 0\n 0.1 9e4\n"
    )
    properties = parse(CAR + curves)
    write_tir(properties, tmp_path / "copy.tir")
    again = read_tir(tmp_path / "copy.tir")
    np.testing.assert_array_equal(again.deflection_load.force, [0, 2000, 4500])
    np.testing.assert_array_equal(again.bottoming.deflection, [0, 0.05, 0.1])


def test_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError):
        write_tir(read_tir(SAMPLES["car_mf61"]), tmp_path / "no" / "such" / "folder.tir")
    assert list(tmp_path.iterdir()) == []


# ------------------------------------------------------------------------------------------- bad input


def problem_of(text: str, kind: type[Exception] = FileFormatError) -> str:
    with pytest.raises(kind) as caught:
        parse(text)
    return str(caught.value)


@pytest.mark.parametrize("key", ["PKY1", "PCX1", "FNOMIN", "UNLOADED_RADIUS", "VERTICAL_STIFFNESS", "PDY1"])
def test_missing_mandatory_key(key: str) -> None:
    message = problem_of(without(CAR, key))
    assert f"{key} is missing from [" in message
    assert message.count("\n") == 0
    block = message.split("missing from [")[1].split("]")[0]
    assert f"some.tir:{1 + without(CAR, key).splitlines().index(f'[{block}]')}" in message
    assert "cannot do without it" in message


def test_all_problems_at_once() -> None:
    message = problem_of(changed(without(without(CAR, "PKY1"), "PDX1"), "PCY1", "abc"))
    assert message.count("\n") == 2
    assert all(key in message for key in ("PKY1", "PDX1", "PCY1 = abc"))


def test_wrong_unit_word() -> None:
    message = problem_of(CAR.replace("'meter'", "'metre_stick'"), FileFormatError)
    assert f"some.tir:{line_of(CAR, 'LENGTH')}" in message
    assert "metre_stick" in message
    assert "'metre'" in message


def test_text_in_a_number() -> None:
    message = problem_of(changed(CAR, "PKY1", "-21,4x"))
    assert f"some.tir:{line_of(CAR, 'PKY1')}" in message
    assert "PKY1 = -21,4x is not a finite number" in message


@pytest.mark.parametrize("value", ["nan", "inf", "1e999", "'12'", ""])
def test_no_number(value: str) -> None:
    message = problem_of(changed(CAR, "PDX1", value))
    assert "PDX1" in message
    assert str(line_of(CAR, "PDX1")) in message


def test_truncated_table() -> None:
    text = CAR + "[DEFLECTION_LOAD_CURVE]\n{pen fz}\n 0.0 0.0\n 0.01 2000.0\n 0.02\n"
    message = problem_of(text)
    assert f"some.tir:{len(text.splitlines())}" in message
    assert "[DEFLECTION_LOAD_CURVE]: table row has 1 values" in message


@pytest.mark.parametrize("rows", [" 0.0 0.0\n", " 0 0 1\n 1 1 2\n"])
def test_curve_of_the_wrong_size(rows: str) -> None:
    assert "two rows or more" in problem_of(CAR + "[BOTTOMING_CURVE]\n{pen fz}\n" + rows)


def test_curve_that_folds_back() -> None:
    message = problem_of(CAR + "[DEFLECTION_LOAD_CURVE]\n{pen fz}\n 0 0\n 0.02 2000\n 0.01 4000\n")
    assert "folds back at the row '0.01  4000'" in message


def test_truncated_shape() -> None:
    assert "[SHAPE]" in problem_of(CAR + "[SHAPE]\n{radial width}\n 1.0\n 0.9\n")


@pytest.mark.parametrize("value", ["7", "60", "6.1", "-61", "0"])
def test_unknown_fittyp(value: str) -> None:
    message = problem_of(changed(CAR, "FITTYP", value))
    assert f"FITTYP = {value}" in message
    assert "61, 62" in message
    assert f"some.tir:{line_of(CAR, 'FITTYP')}" in message


def test_unknown_format() -> None:
    text = changed(without(CAR, "FITTYP"), "PROPERTY_FILE_FORMAT", "'FTIRE'")
    message = problem_of(text)
    assert "'FTIRE'" in message
    assert "'PAC2002'" in message
    assert "neither FITTYP nor" in problem_of(without(text, "PROPERTY_FILE_FORMAT"))


def test_negative_load_range() -> None:
    message = problem_of(changed(CAR, "FZMIN", "-100"))
    assert "FZMIN = -100 must not be negative" in message
    assert f"some.tir:{line_of(CAR, 'FZMIN')}" in message


@pytest.mark.parametrize(("key", "value"), [("FZMAX", "100"), ("ALPMAX", "-2"), ("PRESMAX", "1e5"), ("CAMMAX", "-0.4")])
def test_reversed_range(key: str, value: str) -> None:
    message = problem_of(changed(CAR, key, value))
    assert f"{key} = " in message
    assert "must be greater than" in message
    assert f"some.tir:{line_of(CAR, key)}" in message


@pytest.mark.parametrize(("key", "value"), [("UNLOADED_RADIUS", "-0.3"), ("FNOMIN", "0"), ("LFZO", "0")])
def test_not_positive(key: str, value: str) -> None:
    assert f"{key} = {value} must be greater than zero" in problem_of(changed(CAR, key, value))


def test_absurd_value() -> None:
    assert "UNLOADED_RADIUS = 3e7 is not a possible length" in problem_of(changed(CAR, "UNLOADED_RADIUS", "3e7"))


def test_absurd_coefficient() -> None:
    assert "PKY1 = -1e40 is not a possible coefficient" in problem_of(changed(CAR, "PKY1", "-1e40"))


def test_contradictory_stiffness() -> None:
    message = problem_of(changed(CAR, "Q_FZ2", "1e4"))
    assert "Q_FZ2 = 10000 contradicts VERTICAL_STIFFNESS" in message


def test_unknown_side() -> None:
    assert "allowed: 'LEFT'" in problem_of(changed(CAR, "TYRESIDE", "'middle'"))


def test_truncated_file() -> None:
    text = CAR[: CAR.index("[LATERAL_COEFFICIENTS]")]
    assert "PCY1 is missing" in problem_of(text)


def test_missing_units() -> None:
    lines = [line for line in CAR.splitlines() if line.split("=")[0].strip() != "FORCE"]
    assert "FORCE" in problem_of("\n".join(lines))


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"nothing\.tir"):
        read_tir(tmp_path / "nothing.tir")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("! made by a rig\n**HEADER\nRELEASE   Release of TYDEX-Format   1.3\n**MEASURDATA\n 1 2\n", "TYDEX"),
        ('{\n "Name": "van", "Type": "Tire", "Template": "TMeasyTire"\n}\n', "Project Chrono"),
    ],
)
def test_tables_of_other_programs_are_called_so(tmp_path: Path, text: str, what: str) -> None:
    file = tmp_path / "tyre.dat"
    file.write_text(text)
    with pytest.raises(FileFormatError, match=f"{what}.*not a tyre property file"):
        read_tir(file)


def test_unit_error_is_an_input_error() -> None:
    assert issubclass(UnitError, ValueError)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_damaged_files_give_clear_errors(data: st.DataObject) -> None:
    """Cut, doubled, swapped and garbled lines: a tyre of finite numbers comes out, or an error of ours."""
    lines = SAMPLES[data.draw(st.sampled_from(sorted(SAMPLES)))].read_text().splitlines()
    for _ in range(data.draw(st.integers(1, 4))):
        index = data.draw(st.integers(0, len(lines) - 1))
        change = data.draw(st.sampled_from(["cut", "delete", "double", "garble", "number", "end"]))
        line = lines[index]
        if change == "cut":
            lines[index] = line[: data.draw(st.integers(0, len(line)))]
        elif change == "delete" and len(lines) > 1:
            del lines[index]
        elif change == "double":
            lines.insert(index, line)
        elif change == "garble":
            lines[index] = line + data.draw(st.text(max_size=8))
        elif change == "number":
            value = data.draw(st.sampled_from(["1e308", "-1e308", "1e-308", "0", "nan", "1e999", "--1", "0x10"]))
            lines[index] = line.split("=")[0] + "= " + value
        elif index:
            lines = lines[:index]
    try:
        properties = parse("\n".join(lines))
    except TrackrodError:
        return
    assert np.isfinite(properties.values()).all()
    Tyre(properties).evaluate([0.0, 4000.0], 0.02, 0.05)  # computes, whatever the numbers
