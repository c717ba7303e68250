"""The random road: band of its spectrum, likeness of its two tracks, and where it begins."""

from __future__ import annotations

import numpy as np
import pytest

from trackrod.core.corners import Corner, Side
from trackrod.manoeuvres.roads import RoadClass, RoadProfile

SEEDS = range(60)


def waves(seed: int) -> tuple[np.ndarray, dict[Side, np.ndarray]]:
    """Waves of a profile of G(n0) = 1 m³: cycles per metre, and complex amplitudes of both tracks [m]."""
    numbers, tracks = RoadProfile(1.0, seed)._waves
    return numbers / (2 * np.pi), {side: size * np.exp(1j * phase) for side, (size, phase) in tracks.items()}


def test_waves_reach_from_a_hundred_metres_to_a_quarter() -> None:
    n, _ = waves(0)
    assert n.size == 400
    assert (n[0], n[-1]) == pytest.approx((0.01, 4.0), rel=0.01)
    assert np.diff(np.log(n)) == pytest.approx(np.log(400.0) / 400, rel=1e-6)  # by equal factors


def test_each_track_has_the_spectrum_and_both_are_alike_at_long_waves() -> None:
    """Half the square of the amplitudes over the width of a wave is 0.01/n²; the coherence is exp(−1.6 m · n)."""
    n, _ = waves(0)
    width = n * np.log(400.0) / 400
    made = [waves(seed)[1] for seed in SEEDS]
    for low, high in ((0.01, 0.1), (0.3, 0.6), (1.5, 4.0)):
        band = (n >= low) & (n < high)
        scale = np.sqrt(2.0 * 0.01 / n[band] ** 2 * width[band])
        left, right = (np.array([tracks[side][band] / scale for tracks in made]) for side in (Side.LEFT, Side.RIGHT))
        for track in (left, right):
            assert np.mean(np.abs(track) ** 2) == pytest.approx(1.0, abs=0.05)
            assert abs(np.mean(track)) < 0.05  # all phases are as likely
        assert np.mean((left * right.conj()).real) == pytest.approx(np.exp(-1.6 * n[band]).mean(), abs=0.05)


def test_heights_are_the_sum_of_the_waves() -> None:
    x = np.array([12.0, 31.0, 77.7])
    n, tracks = waves(5)
    for corner, side in ((Corner.RL, Side.LEFT), (Corner.FR, Side.RIGHT)):
        expected = [np.sum(tracks[side] * np.exp(2j * np.pi * n * place)).real for place in x]
        np.testing.assert_allclose(RoadProfile(1.0, 5).heights(corner, x, x), expected, rtol=1e-9)


def test_classes_grow_by_four() -> None:
    assert [road.roughness for road in RoadClass] == pytest.approx([16e-6, 64e-6, 256e-6, 1024e-6, 4096e-6])


def test_the_road_rises_smoothly_from_level() -> None:
    """With 3 r² − 2 r³ over the first 10 m, and not at all before."""
    whole, late = RoadProfile(64e-6, 3, rise=1e-9), RoadProfile(64e-6, 3)
    assert late.rise == 10.0
    x = np.array([-3.0, 0.0, 2.5, 5.0, 8.0, 10.0, 14.0])
    share = np.array([0.0, 0.0, 0.15625, 0.5, 0.896, 1.0, 1.0])
    np.testing.assert_allclose(late.heights(Corner.RR, x, x), share * whole.heights(Corner.RR, x, x), atol=1e-12)
