from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fit.linear_blocks import linear_block
from trackrod.core.errors import InputError
from trackrod.fit.candidates import rank_candidates
from trackrod.fit.identifiability import Criteria


def test_information_of_one_parameter_in_closed_form() -> None:
    """A test with slope s and noise n narrows z from 1/√3 to 1/√(3 + s²/n²)."""
    (found,) = rank_candidates(
        ("a", "b"),
        [linear_block([[2.0, 0.0]])],
        [linear_block([[0.0, 0.3]], manoeuvre="brake")],
        criteria=Criteria(noise_pct=0.1),
    )
    assert found.information_bit == pytest.approx(0.5 * np.log2((3 + 9) / 3))
    assert found.after == pytest.approx([1 / np.sqrt(3 + 400), 1 / np.sqrt(12)])
    assert (found.weakest_before, found.weakest_after) == pytest.approx((1 / np.sqrt(3), 1 / np.sqrt(12)))
    assert found.resolves == ("b",)
    assert found.text.startswith("brake makes b identifiable")


def test_what_helps_the_unknown_comes_before_what_repeats_the_known() -> None:
    in_use = [linear_block([[5.0, 5.0, 0.0], [0.0, 0.0, 4.0]])]  # a and b only as a sum
    candidates = [
        linear_block([[0.0, 0.0, 500.0]], manoeuvre="much more of c"),
        linear_block([[300.0, 300.0, 0.0]], manoeuvre="the same sum"),
        linear_block([[1.0, -1.0, 0.0]], manoeuvre="the difference", name="one"),
        linear_block([[0.0, 0.2, 0.0]], manoeuvre="a little of b", name="one"),
    ]
    ranked = rank_candidates(("a", "b", "c"), in_use, candidates)
    assert [item.manoeuvre for item in ranked[:2]] == ["the difference", "a little of b"]
    assert ranked[0].resolves == ("a", "b")
    assert ranked[1].resolves == ()
    assert ranked[1].text == "a little of b narrows a (±0.41 to ±0.32), b (±0.41 to ±0.32) (0.7 bit)"
    assert all(item.wanted == ("a", "b") and item.information_bit < 0.01 for item in ranked[2:])
    assert "tells little new about the parameters in question" in ranked[-1].text


def test_indices_of_one_manoeuvre_come_together() -> None:
    candidates = [linear_block([[1.0, 0.0]], manoeuvre="new", name=n) for n in ("one", "two")]
    assert len(rank_candidates(("a", "b"), [linear_block([[0.0, 1.0]])], candidates)) == 1


@given(st.integers(0, 10_000), st.integers(1, 5))
def test_more_tests_never_know_less(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    names = tuple("abcde"[:n])
    (found,) = rank_candidates(
        names, [linear_block(rng.normal(size=(3, n)))], [linear_block(rng.normal(size=(2, n)), manoeuvre="new")]
    )
    assert found.information_bit >= 0.0
    assert (found.after <= found.before * (1 + 1e-9)).all()
    assert found.weakest_after <= found.weakest_before * (1 + 1e-9)


def test_a_candidate_that_tells_nothing_says_so() -> None:
    (found,) = rank_candidates(("a", "b"), [linear_block([[1.0, 0.0]])], [linear_block([[0.01, 0.0]], manoeuvre="new")])
    assert "tells little new" in found.text
    json.dumps(found.to_plain(), allow_nan=False)


def test_no_candidate_is_refused() -> None:
    with pytest.raises(InputError, match="no candidate"):
        rank_candidates(("a",), [linear_block([[1.0]])], [])
