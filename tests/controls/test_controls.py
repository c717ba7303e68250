"""The real-time model against the multibody model, control by control; each control is seen to notice a defect."""

from __future__ import annotations

from pathlib import Path

import closed_forms
import control_drives as drives
import numpy as np
import pytest
from control_cases import CASES, Case, vehicle_of
from control_list import (
    CONTROLS,
    Control,
    deceleration,
    front_share,
    gradient,
    last,
    loads,
    peak_frequency,
)
from known_failures import KNOWN_FAILURES
from measurements import difference, model_run, reasons, reference_run, table
from planted_defects import DEFECTS, Defect

from trackrod.core import signals
from trackrod.core.corners import Axle

PAGE = Path(__file__).resolve().parents[2] / "docs" / "controls.md"
BY_NAME = {control.name: control for control in CONTROLS}
#: Digits that a stated number has, and what another compiler may change where an oscillation is compared.
STATED = 0.05


def controlled() -> list[pytest.ParameterSet]:
    """Every control on every vehicle, known failures marked."""
    found = []
    for case in CASES:
        for control in CONTROLS:
            known = KNOWN_FAILURES.get(control.name)
            marks = []
            if known is not None and str(case) in known.measured:
                value = f"{known.measured[str(case)]:g} {control.tolerance.unit}"
                reason = f"measured {value}, mended by {known.mended_by}"
                marks = [pytest.mark.xfail(strict=True, raises=AssertionError, reason=reason)]
            found.append(pytest.param(control, case, marks=marks, id=f"{control.name}-{case}"))
    return found


@pytest.mark.parametrize(("control", "case"), controlled())
def test_model_keeps_to_the_reference(control: Control, case: Case) -> None:
    assert difference(control, case) <= control.tolerance.value


def test_known_failures_are_as_stated() -> None:
    cases = {str(case): case for case in CASES}
    for name, known in KNOWN_FAILURES.items():
        for case, stated in known.measured.items():
            assert difference(BY_NAME[name], cases[case]) == pytest.approx(stated, rel=STATED), (name, case)


@pytest.mark.parametrize(
    ("defect", "name"), [pytest.param(d, name, id=f"{d.name}-{name}") for d in DEFECTS for name in d.noticed_by]
)
def test_control_notices_a_planted_defect(defect: Defect, name: str) -> None:
    """The sound model stands for the reference, so that nothing but the defect is there to be noticed."""
    control = BY_NAME[name]
    sound = model_run(defect.case, control.drive)
    planted = model_run(defect.case, control.drive, defect.change)
    assert control.difference(sound, planted) > control.tolerance.value
    assert control.difference(sound, planted) > control.difference(sound, sound)


def test_every_control_has_its_defect() -> None:
    assert {name for defect in DEFECTS for name in defect.noticed_by} == set(BY_NAME)


def rows(text: str) -> list[list[str]]:
    return [[cell.strip(" *") for cell in line.strip("|\n").split("|")] for line in text.splitlines() if "|" in line]


def test_page_shows_what_is_measured() -> None:
    page = PAGE.read_text()
    assert reasons() in page, "run `python tools/write_controls.py`"
    written = {row[0]: row[1:] for row in rows(page)}
    for name, tolerance, *values in rows(table())[2:]:
        assert written[name][0] == tolerance
        for shown, measured in zip(written[name][1:], values, strict=True):
            least = 0.01 * BY_NAME[name].tolerance.value
            assert float(shown) == pytest.approx(float(measured), rel=STATED, abs=least), (name, shown, measured)


@pytest.fixture(params=[reference_run, model_run], ids=["multibody", "rtm"])
def run(request: pytest.FixtureRequest):
    """Drives a case with either model: the laws below hold for both."""
    return request.param


@pytest.mark.parametrize("case", CASES, ids=str)
class TestClosedForms:
    """Laws that need neither model; bands hold what the law leaves out."""

    def test_standing_loads(self, run, case: Case) -> None:
        """Weight to 0.1 %; lever rule to 0.2 %, because the body of the law stands at the design position."""
        found = loads(run(case, drives.standing), last)
        assert found.sum() == pytest.approx(closed_forms.weight(case), rel=1e-3)
        assert closed_forms.axle_loads(found) == pytest.approx(closed_forms.lever_rule(case), rel=2e-3)

    def test_load_transfer_in_a_turn(self, run, case: Case) -> None:
        """Between no shift of the weight and all of it; 3 % for what tyres do under side force."""
        found, without_shift, with_shift = closed_forms.roll_moments(case, run(case, drives.steady_turn))
        assert without_shift < found < 1.03 * with_shift

    def test_roll_gradient(self, run, case: Case) -> None:
        """12 %: the law has no jacking, no lateral deflection of tyres and bushings."""
        found = gradient(run(case, drives.slow_ramp), signals.ROLL)
        assert found == pytest.approx(closed_forms.roll_gradient(case), rel=0.12)

    def test_braking(self, run, case: Case) -> None:
        """Rolling resistance and drag add up to 6 % of the torque, and to 1.5 % of the share of an axle."""
        braking = run(case, drives.braking)
        assert 1.0 < deceleration(braking) / closed_forms.wanted_deceleration(case) < 1.06
        assert front_share(braking) == pytest.approx(closed_forms.torque_share(case), abs=0.015)

    def test_load_transfer_in_braking(self, run, case: Case) -> None:
        """5 %: drag acts at another height than the mass."""
        found, moved = closed_forms.braking_transfer(case, run(case, drives.braking))
        assert found == pytest.approx(moved, rel=0.05)

    def test_sliding_friction(self, run, case: Case) -> None:
        """μ·g to 4 %: wheels of the laden van lock late."""
        stop = run(case, drives.locked_stop)
        assert deceleration(stop) == pytest.approx(closed_forms.sliding_deceleration(case, stop), rel=0.04)

    @pytest.mark.parametrize("axle", Axle)
    def test_hop_frequency(self, run, case: Case, axle: Axle) -> None:
        """13 %: half of the links' mass is a guess, and mounts take part of the damping away."""
        found = peak_frequency(run(case, drives.posts_weak_dampers), axle, opposed=False)
        assert found == pytest.approx(closed_forms.hop_frequency(case, axle), rel=0.13)


@pytest.mark.parametrize("case", [c for c in CASES if vehicle_of(c).axle(Axle.REAR).dependent], ids=str)
@pytest.mark.parametrize(
    "run",
    [
        pytest.param(reference_run, id="multibody"),
        pytest.param(model_run, id="rtm"),
    ],
)
def test_tramp_frequency_of_a_solid_axle(run, case: Case) -> None:
    """6 %: the law has no damping and no mass of the springs."""
    found = peak_frequency(run(case, drives.posts_weak_dampers), Axle.REAR, opposed=True)
    assert found == pytest.approx(closed_forms.tramp_frequency(case, Axle.REAR), rel=0.06)


def test_softer_bushings_are_softer() -> None:
    stiff, soft = (vehicle_of(Case("cla_class", factor)).bushings for factor in (1.0, 0.6))
    for first, second in zip(stiff, soft, strict=True):
        if first.name == "steering.torsion_bar":
            continue  # no bushing
        assert second.characteristic.stiffness == pytest.approx(np.multiply(0.6, first.characteristic.stiffness))
        assert second.characteristic.damping == pytest.approx(np.multiply(0.6, first.characteristic.damping))
