"""Where columns begin to be collinear: on both sides of the limit, in closed form."""

from __future__ import annotations

import numpy as np
import pytest
from linear_blocks import linear_block

from trackrod.fit.identifiability import Criteria, Verdict, identify


@pytest.mark.parametrize(("gamma", "together"), [(2.0, False), (4.5, False), (9.9, False), (10.1, True), (40.0, True)])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_two_columns_are_parallel_from_the_limit_on(gamma: float, together: bool, sign: float) -> None:
    """Two columns of length one with the cosine c have γ² = 1/(1 − |c|), whatever its sign."""
    cosine = 1.0 - gamma**-2
    jacobian = 100.0 * np.array([[1.0, sign * cosine], [0.0, np.sqrt(1.0 - cosine**2)]])
    found = identify(("a", "b"), [linear_block(jacobian)], criteria=Criteria(collinearity=10.0))
    assert [group.parameters for group in found.groups] == ([("a", "b")] if together else [])
    verdict = Verdict.CONFOUNDED if together else Verdict.IDENTIFIABLE
    assert found.of(verdict) == ("a", "b")
    if together:
        assert found.groups[0].collinearity == pytest.approx(gamma)


def test_weights_scale_the_blocks_the_largest_counts_as_one() -> None:
    blocks = [linear_block(np.diag([3.0, 0.0]), name="i"), linear_block(np.diag([0.0, 2.0]), name="j")]
    found = identify(("a", "b"), blocks, weights=[5.0, 20.0])
    assert [finding.influence_pct for finding in found.findings] == pytest.approx([0.75, 2.0])
    assert found.condition == pytest.approx(2.0 / 0.75)


def test_what_is_unique_is_the_distance_from_the_others() -> None:
    """Three columns: two at 60°, the third at right angles to both; a fourth below the noise does not count."""
    jacobian = np.zeros((4, 4))
    jacobian[:, 0] = [2.0, 0.0, 0.0, 0.0]
    jacobian[:, 1] = [1.5, 1.5 * np.sqrt(3.0), 0.0, 0.0]
    jacobian[:, 2] = [0.0, 0.0, 0.7, 0.0]
    jacobian[:, 3] = [0.03, 0.0, 0.0, 0.04]
    found = identify(("a", "b", "c", "d"), [linear_block(jacobian)], criteria=Criteria(noise_pct=0.1))
    half = np.sin(np.pi / 3)
    assert [finding.unique_pct for finding in found.findings] == pytest.approx([2.0 * half, 3.0 * half, 0.7, 0.04])
    assert [finding.influence_pct for finding in found.findings] == pytest.approx([2.0, 3.0, 0.7, 0.05])
    assert found["d"].verdict is Verdict.NOT_SEEN
