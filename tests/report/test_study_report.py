"""The report of a conversion study: what it says, and that page and document are whole."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from metrics.synthetic_runs import braking, ramp_steer, step_steer
from report.studies_by_hand import VEHICLE, manoeuvre, study, with_tests
from trackrod.adams.vehicle import read_vehicle
from trackrod.core import signals
from trackrod.core.corners import Axle, Corner
from trackrod.core.errors import MissingFileError, Place, Problem, Severity
from trackrod.core.figure import Figure, Line, Panel
from trackrod.core.plain import canonical_json
from trackrod.core.series import Run
from trackrod.fit.outcome import Reason
from trackrod.metrics.steady_turn import ramp_steer_values
from trackrod.report.charts import Bars, HeatMap
from trackrod.report.flat_panels import flat_sentence, without_flat
from trackrod.report.page import Beside, Captioned, Fragment, Notice, Section, Table, is_number
from trackrod.report.pdf import write_pdf
from trackrod.report.study import write_study_report
from trackrod.report.study_sections import SECTIONS, kc_section, limit_section, study_sections
from trackrod.report.study_summary import summary_section
from trackrod.report.vehicle_picture import mechanism_picture
from trackrod.rtm.coefficients import PARAMETERS
from trackrod.tune.space import SPLIT_FACTORS
from trackrod.tune.standing import StandingHeight
from trackrod.tune.study import StepTime, StudyResult
from trackrod.vehicle.catalogue import BUNDLED

ORDER = (
    "Summary",
    "Characteristic values",
    "Vehicle and provenance",
    "Kinematics and compliance",
    "Standing wheel loads",
    "Manoeuvre: ramp steer",
    "Manoeuvre: step steer",
    "Indices of the tuning manoeuvres",
    "Parameters",
    "Sensitivity",
    "Identifiability",
    "Candidate manoeuvres",
    "Search",
    "Hold-out manoeuvres",
    "Held out: braking",
    "Error budget",
    "Limits of validity",
    "Appendix: where the numbers come from",
    "Appendix: notes of the audit",
)


@pytest.fixture(scope="module")
def sections() -> dict[str, Section]:
    return {section.title: section for section in study_sections(study())}


def notices(section: Section) -> list[Notice]:
    return [item for item in section.items if isinstance(item, Notice)]


def page_one(result: StudyResult) -> Section:
    return summary_section(result)[0]


def tables(section: Section) -> list[Table]:
    return [item for item in section.items if isinstance(item, Table)]


def pages(path: Path) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", path.read_bytes()))


# ---- what it says


def test_everything_is_there_in_order(sections: dict[str, Section]) -> None:
    assert tuple(sections) == ORDER


def test_page_one_says_what_the_model_is_good_for(sections: dict[str, Section]) -> None:
    (good,) = notices(sections["Summary"])
    assert good.good
    text = f"The model is good for ramp steer, step steer and braking: every index is within 5 %. {study().limits[0]}"
    assert good.text == text
    held = notices(sections["Hold-out manoeuvres"])[0]
    count = sum(len(test.tuned_indices) for test in study().tests if test.hold_out)
    assert held.good
    assert f"all {count} indices are within the tolerance of 5 %" in held.text


def test_page_one_says_what_the_model_is_not_good_for() -> None:
    good, bad = manoeuvre("ramp_steer", ramp_steer()), manoeuvre("step_steer", step_steer())
    wrong = tuple(replace(index, value_pct=10.0 + k) for k, index in enumerate(bad.tuned_indices))
    first, second, third = notices(page_one(with_tests(good, replace(bad, tuned_indices=wrong))))
    assert first.good
    assert first.text.startswith("The model is good for ramp steer: every index is within 5 %.")
    worst = ", ".join(f"{index.name} {index.value_pct:.1f} %" for index in wrong[:-4:-1])
    assert not second.good
    assert second.text == (
        f"The model is not good for step steer ({worst} and {len(wrong) - 3} more): these indices exceed 5 %."
    )
    assert not third.good
    assert third.text.startswith("No manoeuvre was held out")


def test_page_one_shows_the_vehicle_and_what_the_model_was_made_of_and_when() -> None:
    told = replace(
        study(), made_on="18 November 2026", step_time=StepTime(3.5e-6, 1e-3), description={"source": "my.asy"}
    )
    section = page_one(told)
    picture, table = next(item for item in section.items if isinstance(item, Beside)).parts
    assert isinstance(picture, Captioned)
    assert isinstance(table, Table)
    facts = dict(table.rows)
    for key in ("mass", "front axle load", "rear axle load", "wheelbase", "payload", "source", "date", "made with"):
        assert facts.get(key) or key == "payload", key
    assert facts["computing time"] == "3.5 µs for a step of 1 ms on one core: 290 times real time"
    vehicle = read_vehicle(BUNDLED[VEHICLE].assembly).vehicle
    mass = float(str(facts["mass"]).removesuffix(" kg"))
    assert mass == pytest.approx(vehicle.mass_properties.mass, rel=1e-3)  # another author: the sum of the bodies
    front = float(str(facts["front axle load"]).split(" kg")[0])
    assert front == pytest.approx(vehicle.axle_load(Axle.FRONT), rel=1e-2)
    assert float(str(facts["wheelbase"]).removesuffix(" m")) == pytest.approx(vehicle.wheelbase, abs=1e-3)
    assert "<svg" in str(getattr(mechanism_picture(vehicle), "svg", ""))


def test_characteristic_values_stand_beside_those_of_the_reference(sections: dict[str, Section]) -> None:
    (table,) = tables(sections["Characteristic values"])
    rows = {(row[0], row[1]): row for row in table.rows}
    found = {name: row for (name, _), row in rows.items()}
    assert {"front ride frequency", "understeer gradient", "yaw rate, response time"} <= set(found)
    ramp = study().tests[0]
    roll = ramp_steer_values(ramp.reference).roll_gradient
    assert float(found["roll gradient"][2]) == pytest.approx(np.degrees(roll), rel=0.01)
    assert found["roll gradient"][-1] == "+1.0 %"  # as planted
    wheel = 2.0 * np.pi * float(found["front ride frequency"][2])
    assert 0.5 < wheel / (2.0 * np.pi) < 3.0  # of a vehicle on springs
    assert found["yaw rate, overshoot"][-1].endswith("points")


def test_a_floor_stands_beside_the_number() -> None:
    """The overshoot of the lateral acceleration is below its floor."""
    step = manoeuvre("step_steer", step_steer())
    every = (table for section in study_sections(with_tests(step)) for table in tables(section))
    table = next(table for table in every if table.heads[0] == "index" and "divided by" in table.heads)
    rows = {row[0]: row[table.heads.index("divided by")] for row in table.rows}
    assert rows["lateral acceleration: overshoot"] == "0.1"
    assert rows["lateral acceleration"] == ""


def test_standing_wheel_loads_are_shown(sections: dict[str, Section]) -> None:
    """They count in the objective: reference, before, after, and the difference."""
    (table,) = tables(sections["Standing wheel loads"])
    test = study().tests[0]
    loads = [float(run[signals.FZ[Corner.FR]][0]) for run in (test.reference, test.nominal, test.tuned)]
    assert table.rows[1] == ("front right", *(f"{load:.0f}" for load in loads), "0.00 %")
    assert "one index" in str(sections["Standing wheel loads"].items[0])
    assert [loads.label for loads in study().standing_loads] == ["standing"]
    assert '"standing_loads":[{' in canonical_json(study().summary())


def test_the_height_is_told_above_the_road_that_the_vehicle_stands_on() -> None:
    height = StandingHeight(0.6, 0.63, (0.61, 0.64))
    told = replace(study(), standing_height=height)
    section = next(s for s in study_sections(told) if s.title == "Parameters")
    row = next(row for row in tables(section)[0].rows if str(row[0]).endswith("vehicle standing"))
    assert row[1:6] == (0.6, 0.63, "m", "+5.00 %", "0.6100 to 0.6400")
    assert told.summary()["standing_cg_height"] == {
        "unit": "m",
        "nominal": 0.6,
        "optimised": 0.63,
        "change_pct": pytest.approx(5.0),
        "interval": [0.61, 0.64],
    }
    assert "standing_cg_height" not in study().summary()


def test_an_index_right_on_the_tolerance_is_within_it() -> None:
    found = manoeuvre("ramp_steer", ramp_steer())
    edge = replace(found, tuned_indices=tuple(replace(i, value_pct=5.0 + 1e-6) for i in found.tuned_indices))
    assert notices(page_one(with_tests(edge)))[0].good
    beyond = replace(found, tuned_indices=tuple(replace(i, value_pct=5.01) for i in found.tuned_indices))
    assert not notices(page_one(with_tests(beyond)))[0].good


def test_alarms_name_bounds_and_parameters_that_cannot_be_told(sections: dict[str, Section]) -> None:
    alarms = [row[0] for row in tables(sections["Summary"])[0].rows]
    assert "on a bound: height of the sprung centre of gravity" in alarms
    assert any(text.startswith("not identifiable: ") and "engine map" in text for text in alarms)
    assert not any("worse after tuning" in text or "ended early" in text for text in alarms)


def test_an_alarm_names_the_maps_that_were_left() -> None:
    test = manoeuvre("braking", braking(), hold_out=True)
    left = {"variable": "opposite travel of rear", "samples": 3, "first": 7, "farthest_m": 0.0123}
    test = replace(test, tuned=Run({**test.tuned}, {**test.tuned.metadata, "beyond_maps": [left]}))
    alarms = [row[0] for row in tables(page_one(with_tests(test)))[0].rows]
    assert "beyond the K&C maps: opposite travel of rear by 12.3 mm in braking" in alarms
    inside = replace(test, tuned=Run({**test.tuned}, {**test.tuned.metadata, "beyond_maps": []}))
    assert not any("beyond" in str(row[0]) for row in tables(page_one(with_tests(inside)))[0].rows)


def test_page_one_tells_events_and_the_range_that_was_compared() -> None:
    spun = replace(manoeuvre("braking", braking(), hold_out=True), events=("the vehicle spins: sideslip angle 60°",))
    items = page_one(with_tests(spun)).items
    said = [item.text for item in items if isinstance(item, Notice)]
    assert "Events of the tuned model. braking: the vehicle spins: sideslip angle 60°." in said
    assert any(study().limits[0] in text for text in said)
    assert spun.incidents == spun.events


def test_alarms_name_what_became_worse_and_a_search_that_was_cut_off() -> None:
    worse = manoeuvre("braking", braking(), hold_out=True)
    worse = replace(worse, tuned_indices=tuple(replace(i, value_pct=9.0, coverage=0.5) for i in worse.nominal_indices))
    result = replace(with_tests(worse), outcome=replace(study().outcome, reason=Reason.SECONDS))
    alarms = " | ".join(str(row[0]) for row in tables(page_one(result))[0].rows)
    assert "worse after tuning: " in alarms
    assert "pitch angle in braking (0.0 to 9.0 %)" in alarms
    assert "pitch angle in braking (50 %)" in alarms
    assert "the search ended early: the time was used up" in alarms


def test_what_was_tuned_most_is_said_of_parameters_that_can_be_told(sections: dict[str, Section]) -> None:
    text = " ".join(item for item in sections["Summary"].items if isinstance(item, str))
    tunable = study().parameters[1].tunable
    assert f"yaw inertia −{50 * (1 - tunable.lower / tunable.nominal):.2f} %" in text
    assert "engine map" not in text


def test_every_drawing_has_a_sentence_and_every_axis_a_unit(sections: dict[str, Section]) -> None:
    drawings = [item for section in sections.values() for item in section.items if isinstance(item, Captioned)]
    assert len(drawings) > 10
    for item in drawings:
        assert item.caption.endswith("."), item.caption
        if isinstance(item.drawing, Figure):
            labels = [label for panel in item.drawing.panels for label in (panel.x_label, panel.y_label)]
        else:
            assert isinstance(item.drawing, Bars | HeatMap)
            labels = [item.drawing.x_label if isinstance(item.drawing, Bars) else item.drawing.label]
        assert all(re.search(r"\[.+\]", label) for label in labels), labels


def test_numbers_of_the_error_budget(sections: dict[str, Section]) -> None:
    (row,) = tables(sections["Error budget"])[0].rows
    tuned = next(i.value_pct for i in study().tests[0].tuned_indices if i.name == "roll angle")
    assert row[:3] == ("compliance left out", f"{tuned:.2f}", "7.50")


def test_what_reads_like_a_number_aligns_like_one() -> None:
    assert all(is_number(cell) for cell in (1.0, "2.30", "−9.81 %", "+1.00 %"))
    assert not any(is_number(cell) for cell in ("", "3 of 4", "–", "0.1 to 0.2", "suv 2.30"))


def test_a_study_without_extras_of_its_own_is_reported_too() -> None:
    bare = replace(study(), description={}, problems=(), maps={}, round_trip={}, sources={}, candidates=(), ranges=())
    bare = replace(bare, error_budget=(), seconds={}, limits=(), tests=study().tests[:1])
    titles = [section.title for section in study_sections(bare)]
    assert "Candidate manoeuvres" not in titles
    assert "Kinematics and compliance" not in titles
    assert not any(title.startswith("Appendix") for title in titles)
    assert titles[-1] == "Hold-out manoeuvres"


def test_sections_come_in_the_order_of_the_reader_whoever_names_them() -> None:
    def news(_result: object) -> tuple[Section, ...]:
        return (Section("News", ("something",)),)

    titles = [section.title for section in study_sections(study())]
    assert [section.title for section in study_sections(study(), (news, *reversed(SECTIONS)))] == [*titles, "News"]
    only = study_sections(study(), (limit_section, kc_section))
    assert [section.title for section in only] == ["Kinematics and compliance", "Limits of validity"]


# ---- the files


def test_the_page_needs_no_network_and_no_script(tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    assert write_study_report(study(), target, None) == [target]
    text = target.read_text()
    assert not re.search(r"<(script|link|img)[^>]*(src|href)=", text)
    assert "plotly" not in text.lower()
    assert target.stat().st_size < 3e6
    plain = re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)
    places = [plain.index(f">{title}</h2>") for title in ORDER]
    assert places == sorted(places)
    for words in ("a &lt;folder&gt; &amp; more", "rear anti-roll stiffness", "0.1 % of its span", "tolerance 5 %"):
        assert words in plain, words


def words_of(path: Path) -> str:
    """What a reader of the page sees, and nothing else: no markup, no styles, no tool tips."""
    text = re.sub(r"<(script|style|title)\b.*?</\1>", " ", path.read_text(), flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]+>", " | ", text))


def check_words(text: str) -> None:
    """What made reports hard to read, and must not come back."""
    assert not re.search(r"\d[eE][+-]\d", text), re.findall(r".{20}\d[eE][+-]\d.{9}", text)  # 6.9e-18 m, 1e+02 %
    assert not re.search(r"(?<![\d.])(-?[\d.]+) to \1(?![\d.])", text)  # 5.0 to 5.0 %
    assert not re.search(r"\b(nan|inf|None)\b", text)
    assert not re.search(r"(?<![\w<])/(home|work|tmp|usr|root|var|opt|Users)/|[A-Z]:\\\\", text), (
        "a path of the machine"
    )
    names = [item.name for item in PARAMETERS if "_" in item.name] + [*SPLIT_FACTORS, "Ixx", "Izz", "Ixz"]
    assert not [name for name in names if re.search(rf"(?<!\w){name}(?!\w)", text)], "a raw name of a parameter"


def test_nothing_that_made_reports_hard_to_read_comes_back(tmp_path: Path) -> None:
    places = (
        Path("/home/somebody/cars/van.cdb/subsystems.tbl/front.sub"),
        Path("/home/somebody/folder/reference.toml"),
    )
    found = tuple(
        Problem(f"'x.tpl' is not found in {place.parent}", Place(place, 7), severity)
        for place in places
        for severity in (Severity.WARNING, Severity.NOTE)
    )
    write_study_report(replace(study(), problems=found), tmp_path / "report.html", None)
    text = words_of(tmp_path / "report.html")
    check_words(text)
    assert "subsystems.tbl/front.sub:7" in text
    assert "folder/reference.toml:7" in text


@pytest.mark.parametrize(
    "bad", ["6.9e-18 m", "1e+02 %", "5.0 to 5.0 %", "/home/me/car.cdb", "the value of cg_height", "nan %"]
)
def test_the_check_of_words_sees_what_it_is_for(bad: str) -> None:
    with pytest.raises(AssertionError):
        check_words(f"before {bad} after")


def test_notes_are_an_appendix_and_warnings_a_short_table() -> None:
    notes = tuple(Problem(f"note {k}", Place(Path("a.sub"), k), Severity.NOTE) for k in range(25))
    warned = replace(study(), problems=(*notes, *study().problems))
    found = {section.title: section for section in study_sections(warned)}
    (table,) = (t for t in tables(found["Vehicle and provenance"]) if t.heads[0] == "severity")
    assert [row[0] for row in table.rows] == ["warning"]
    assert len(tables(found["Appendix: notes of the audit"])[0].rows) == 26
    assert "No errors and no warnings. 25 notes only." in study_sections(replace(warned, problems=notes))[2].items


def test_curves_that_are_zero_are_named_and_not_drawn() -> None:
    zero, one = np.zeros(5), np.ones(5)
    panels = [
        Panel(title, "x [mm]", "angle [°]", (Line(np.arange(5.0), y),), differences=(Line(np.arange(5.0), 1e-6 * y),))
        for title, y in (("Steer", 1e-4 * one), ("Camber", one), ("Toe", zero))
    ]
    drawn, flat = without_flat(panels)
    assert [panel.title for panel in drawn] == ["Camber"]
    assert drawn[0].differences == ()  # nor a strip that shows nothing
    assert flat_sentence(flat) == " Not drawn, because all values are below 0.005°: steer, toe."


def test_the_document_has_page_one_by_itself_and_is_the_same_every_time(tmp_path: Path) -> None:
    target = tmp_path / "report.pdf"
    whole = study_sections(study())
    for path in (target, tmp_path / "again.pdf"):
        write_pdf("Conversion", "lead", whole, path, footer="trackrod")
    assert target.read_bytes().startswith(b"%PDF")
    assert target.read_bytes() == (tmp_path / "again.pdf").read_bytes()
    assert 8 <= pages(target) <= 40
    assert target.stat().st_size < 15e6
    write_pdf("Conversion", "lead", whole[:1], tmp_path / "one.pdf")
    assert pages(tmp_path / "one.pdf") == 2  # the second is that of the contents


def test_text_of_users_is_no_markup(tmp_path: Path) -> None:
    nasty = '#panic("x") $a_b$ *b* <label> @ref \\ "quoted" [x] // gone'
    section = Section(nasty, (nasty, Notice(nasty, good=True), Table((nasty,), ((nasty,),)), Fragment(nasty)))
    write_pdf(nasty, nasty, [section], tmp_path / "x.pdf", footer=nasty)
    assert pages(tmp_path / "x.pdf") == 2


def test_a_folder_that_does_not_exist_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="folder"):
        write_study_report(with_tests(*study().tests[:1]), tmp_path / "nowhere" / "report.html", None)
