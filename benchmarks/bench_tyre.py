"""Tyre: one evaluation, a million points, derivatives, reading a file."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from benchmarks.row import Row, best_of
from trackrod.tyre import Tyre, load_tyre, read_tir, twin
from trackrod.tyre.samples import SAMPLES

EVALUATION_TARGET_US = 0.6
MILLION_POINTS_TARGET_S = 1.2
DERIVATIVES_TARGET = 6.0


def varying_points(tyre: Tyre, n: int) -> NDArray[np.float64]:
    """Contacts at combined slip with camber, spread over what a tyre meets in driving."""
    rng = np.random.default_rng(1)
    Fz = tyre.nominal_load
    low = [0.2 * Fz, -0.2, -0.2, -0.1, 5.0, 0.8 * tyre.pressure, 0.5]
    high = [1.8 * Fz, 0.2, 0.2, 0.1, 40.0, 1.2 * tyre.pressure, 1.0]
    return rng.uniform(low, high, (n, 7))


def one_evaluation() -> list[Row]:
    """In a C++ loop over varying inputs on one core, four contacts in SIMD lanes, against target and NumPy twin."""
    rows = []
    for name in ("car_mf61", "lcv_mf52", "suv_mf62", "car_pac89"):
        tyre = load_tyre(SAMPLES[name])
        points = varying_points(tyre, 4000)
        ours = min(tyre._core.time_evaluation(points, 5) for _ in range(15)) * 1e6
        label = f"{tyre.properties.version} combined evaluation, one core"
        if name == "car_mf61":
            rows.append(Row(label, ours, "µs", "target", EVALUATION_TARGET_US))
            single = min(tyre._core.time_single_evaluation(points, 5) for _ in range(15)) * 1e6
            rows.append(Row(label, ours, "µs", "one contact after the other", single))
        properties = tyre.properties

        def peer(points: NDArray[np.float64] = points, properties: object = properties) -> object:
            return twin.evaluate(properties.version, properties.coefficients, *points.T)

        rows.append(Row(label, ours, "µs", "NumPy twin, vectorised", best_of(peer, 5) / len(points) * 1e6))
    return rows


def million_points() -> list[Row]:
    """Through the Python call with all cores."""
    tyre = load_tyre(SAMPLES["car_mf61"])
    columns = tuple(varying_points(tyre, 1_000_000).T)
    ours = best_of(lambda: tyre.evaluate(*columns, limits=False), 5, time.perf_counter)
    one_thread = best_of(lambda: tyre.evaluate(*columns, limits=False, threads=1), 3, time.perf_counter)
    label = "MF 6.1, a million points by the Python call"
    return [
        Row(label, ours, "s", "target", MILLION_POINTS_TARGET_S),
        Row(label, ours, "s", "one thread", one_thread),
    ]


def derivatives() -> list[Row]:
    """All outputs by twelve inputs and coefficients, in plain evaluations; differences would take thirteen."""
    tyre = load_tyre(SAMPLES["car_mf61"])
    points = varying_points(tyre, 2000)
    plain = min(tyre._core.time_single_evaluation(points, 5) for _ in range(15))
    dual = min(tyre._core.time_derivatives(points, 3) for _ in range(15))
    label = "MF 6.1, exact derivatives by 12 variables"
    return [
        Row(label, dual / plain, "evaluations", "target", DERIVATIVES_TARGET),
        Row(label, dual / plain, "evaluations", "one-sided differences", 13.0),
    ]


def reading() -> list[Row]:
    """A property file from disk to a compiled tyre, against reading its bytes and splitting them into lines."""
    path = SAMPLES["car_mf61"]
    ours = best_of(lambda: Tyre(read_tir(path)), 20)
    peer = best_of(lambda: path.read_text().splitlines(), 20)
    return [Row("read and compile a .tir file", ours * 1e3, "ms", "split into lines", peer * 1e3)]


BENCHMARKS = (one_evaluation, million_points, derivatives, reading)
