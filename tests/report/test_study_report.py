"""The report of a conversion study: what it says, and that page and document are whole."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from metrics.synthetic_runs import braking, ramp_steer, step_steer
from report.studies_by_hand import manoeuvre, study, with_tests
from trackrod.core.errors import MissingExtraError, MissingFileError
from trackrod.core.figure import Figure
from trackrod.core.series import Run
from trackrod.fit.outcome import Reason
from trackrod.report.charts import Bars, HeatMap
from trackrod.report.page import Captioned, Fragment, Notice, Section, Table, is_number
from trackrod.report.pdf import write_pdf
from trackrod.report.study import write_study_report
from trackrod.report.study_sections import SECTIONS, kc_section, limit_section, study_sections

ORDER = (
    "Summary",
    "Vehicle and provenance",
    "Kinematics and compliance",
    "Manoeuvre: ramp_steer",
    "Manoeuvre: step_steer",
    "Indices before and after",
    "Parameters",
    "Sensitivity",
    "Identifiability",
    "Candidate manoeuvres",
    "Search",
    "Hold-out manoeuvres",
    "Error budget",
    "Where the time goes",
    "Limits of validity",
)


@pytest.fixture(scope="module")
def sections() -> dict[str, Section]:
    return {section.title: section for section in study_sections(study())}


def notices(section: Section) -> list[Notice]:
    return [item for item in section.items if isinstance(item, Notice)]


def tables(section: Section) -> list[Table]:
    return [item for item in section.items if isinstance(item, Table)]


def pages(path: Path) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", path.read_bytes()))


# ---- what it says


def test_everything_is_there_in_order(sections: dict[str, Section]) -> None:
    assert tuple(sections) == ORDER


def test_the_verdict_is_good_if_all_indices_are_within_the_tolerance(sections: dict[str, Section]) -> None:
    tuning, held, where = notices(sections["Summary"])
    count = sum(len(test.tuned_indices) for test in study().tests if not test.hold_out)
    assert tuning.good
    assert f"all {count} indices" in tuning.text
    assert held.good
    assert notices(sections["Hold-out manoeuvres"]) == [held]
    assert where.good
    assert where.text == f"The model is good in {', '.join(test.label for test in study().tests)}."


def test_the_verdict_is_bad_if_one_index_is_above_it_and_names_it() -> None:
    bad = manoeuvre("ramp_steer", ramp_steer(), roll=(0.2, 0.12))
    tuning, held, where = notices(study_sections(with_tests(bad))[0])
    assert not tuning.good
    assert "1 of 4" in tuning.text
    assert "roll angle of ramp_steer" in tuning.text
    assert not held.good
    assert held.text == "No manoeuvre was held out."
    worst = next(index for index in bad.tuned_indices if index.name == "roll angle")
    assert not where.good
    assert where.text == f"It is not in ramp_steer (roll angle {worst.value_pct:.3g} %)."


def test_page_one_says_where_the_model_is_good_and_where_it_is_not() -> None:
    good, bad = manoeuvre("ramp_steer", ramp_steer()), manoeuvre("step_steer", step_steer())
    wrong = tuple(replace(index, value_pct=10.0 + k) for k, index in enumerate(bad.tuned_indices))
    _, _, first, second = notices(study_sections(with_tests(good, replace(bad, tuned_indices=wrong)))[0])
    assert (first.good, first.text) == (True, "The model is good in ramp_steer.")
    worst = ", ".join(f"{index.name} {index.value_pct:.3g} %" for index in wrong[:-4:-1])
    assert (second.good, second.text) == (False, f"It is not in step_steer ({worst} and {len(wrong) - 3} more).")


def test_a_floor_stands_beside_the_number() -> None:
    """The overshoot of the lateral acceleration is below its floor."""
    step = manoeuvre("step_steer", step_steer())
    every = (table for section in study_sections(with_tests(step)) for table in tables(section))
    table = next(table for table in every if table.heads[0] == "index" and "before [%]" in table.heads)
    rows = {row[0]: row[table.heads.index("divided by")] for row in table.rows}
    assert rows["lateral acceleration: overshoot"] == "0.1"
    assert rows["lateral acceleration"] == ""


def test_an_index_right_on_the_tolerance_is_within_it() -> None:
    found = manoeuvre("ramp_steer", ramp_steer())
    edge = replace(found, tuned_indices=tuple(replace(i, value_pct=5.0 + 1e-6) for i in found.tuned_indices))
    assert notices(study_sections(with_tests(edge))[0])[0].good
    beyond = replace(found, tuned_indices=tuple(replace(i, value_pct=5.01) for i in found.tuned_indices))
    assert not notices(study_sections(with_tests(beyond))[0])[0].good


def test_page_one_gives_the_worst_index_of_each_manoeuvre_before_and_after(sections: dict[str, Section]) -> None:
    rows = {row[0]: row for row in tables(sections["Summary"])[0].rows}
    for test in study().tests:
        worst = [max(i.value_pct for i in found) for found in (test.nominal_indices, test.tuned_indices)]
        assert rows[test.label][1] == ("hold-out" if test.hold_out else "tuning")
        assert rows[test.label][2:4] == (f"{worst[0]:.2f}", f"{worst[1]:.2f}")


def test_alarms_name_bounds_and_parameters_that_cannot_be_told(sections: dict[str, Section]) -> None:
    alarms = [row[0] for row in tables(sections["Summary"])[1].rows]
    assert "on a bound: cg_height" in alarms
    assert any(text.startswith("not identifiable: ") and "engine_factor" in text for text in alarms)
    assert not any("worse after tuning" in text or "ended early" in text for text in alarms)


def test_an_alarm_names_the_maps_that_were_left() -> None:
    test = manoeuvre("braking", braking(), hold_out=True)
    left = {"variable": "opposite travel of rear", "samples": 3, "first": 7, "farthest_m": 0.0123}
    test = replace(test, tuned=Run({**test.tuned}, {**test.tuned.metadata, "beyond_maps": [left]}))
    alarms = [row[0] for row in tables(study_sections(with_tests(test))[0])[1].rows]
    assert "beyond the K&C maps: opposite travel of rear by 12.3 mm in braking" in alarms
    inside = replace(test, tuned=Run({**test.tuned}, {**test.tuned.metadata, "beyond_maps": []}))
    assert not any("beyond" in str(row[0]) for row in tables(study_sections(with_tests(inside))[0])[1].rows)


def test_page_one_tells_events_and_the_range_that_was_compared() -> None:
    spun = replace(manoeuvre("braking", braking(), hold_out=True), events=("the vehicle spins: sideslip angle 60°",))
    items = study_sections(with_tests(spun))[0].items
    said = [item.text for item in items if isinstance(item, Notice)]
    assert "Events of the tuned model: braking: the vehicle spins: sideslip angle 60°." in said
    assert study().limits[0] in items
    assert tables(study_sections(with_tests(spun))[0])[0].rows[0][-1] == "100 %"
    assert spun.incidents == spun.events


def test_alarms_name_what_became_worse_and_a_search_that_was_cut_off() -> None:
    worse = manoeuvre("braking", braking(), hold_out=True)
    worse = replace(worse, tuned_indices=tuple(replace(i, value_pct=9.0, coverage=0.5) for i in worse.nominal_indices))
    result = replace(with_tests(worse), outcome=replace(study().outcome, reason=Reason.SECONDS))
    alarms = " | ".join(str(row[0]) for row in tables(study_sections(result)[0])[1].rows)
    assert "worse after tuning: " in alarms
    assert "pitch angle of braking (0.0 to 9.0 %)" in alarms
    assert "pitch angle of braking (50 %)" in alarms
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
    assert titles[-1] == "Hold-out manoeuvres"


def test_sections_come_in_the_order_of_the_reader_whoever_names_them() -> None:
    def news(_result: object) -> tuple[Section, ...]:
        return (Section("News", ("something",)),)

    titles = [section.title for section in study_sections(study())]
    assert [section.title for section in study_sections(study(), (news, *reversed(SECTIONS)))] == [*titles, "News"]
    only = study_sections(study(), (limit_section, kc_section))
    assert [section.title for section in only] == ["Kinematics and compliance", "Limits of validity"]


# ---- the files


def test_the_page_needs_no_network_and_its_tables_no_script(tmp_path: Path) -> None:
    pytest.importorskip("plotly")
    target = tmp_path / "report.html"
    assert write_study_report(study(), target, None) == [target]
    text = target.read_text()
    assert not re.search(r"<(script|link|img)[^>]*(src|href)=", text)
    assert text.count("plotly.js v") <= 2  # the library is there once (its head names itself)
    assert target.stat().st_size < 15e6
    plain = re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)
    places = [plain.index(f">{title}</h2>") for title in ORDER]
    assert places == sorted(places)
    for words in ("a &lt;folder&gt; &amp; more", "antiroll_factor_rear", "0.1 % of its span", "TP = 5 %"):
        assert words in plain, words


def test_the_document_has_page_one_by_itself_and_is_the_same_every_time(tmp_path: Path) -> None:
    pytest.importorskip("typst")
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
    pytest.importorskip("typst")
    nasty = '#panic("x") $a_b$ *b* <label> @ref \\ "quoted" [x] // gone'
    section = Section(nasty, (nasty, Notice(nasty, good=True), Table((nasty,), ((nasty,),)), Fragment(nasty)))
    write_pdf(nasty, nasty, [section], tmp_path / "x.pdf", footer=nasty)
    assert pages(tmp_path / "x.pdf") == 2


def test_without_typst_the_page_is_written_and_the_old_document_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("plotly")
    monkeypatch.setitem(sys.modules, "typst", None)
    html, pdf = tmp_path / "report.html", tmp_path / "report.pdf"
    pdf.write_text("old")
    with pytest.raises(MissingExtraError, match=r"trackrod\[report\]"):
        write_study_report(with_tests(*study().tests[:1]), html, pdf)
    assert html.exists()
    assert pdf.read_text() == "old"


def test_a_folder_that_does_not_exist_is_said_so(tmp_path: Path) -> None:
    pytest.importorskip("plotly")
    with pytest.raises(MissingFileError, match="folder"):
        write_study_report(with_tests(*study().tests[:1]), tmp_path / "nowhere" / "report.html", None)
