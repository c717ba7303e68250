"""Axles that give, made by hand: every number is known."""

from __future__ import annotations

from typing import Any

import numpy as np

from trackrod.rtm.elasticity import ElasticAxle, ElasticMode, StiffBushing
from trackrod.rtm.layout import AXLE_LOADS, AXLE_SHAPES, AXLE_WAYS, GIVEN_POSE

LOADS, SHAPES, POSES, WAYS = len(AXLE_LOADS), len(AXLE_SHAPES), 2 * len(GIVEN_POSE), len(AXLE_WAYS)


def mode(**changed: Any) -> ElasticMode:
    """One that hardly gives, each load by itself: 1e-9 m/N, without mass, with a time constant of 2 ms."""
    parts: dict[str, Any] = {
        "mass": np.zeros((SHAPES, SHAPES)),
        "damping": 2e-12 * np.eye(SHAPES),
        "compliance": 1e-9 * np.eye(SHAPES),
        "body_mass": np.zeros((SHAPES, 3)),
        "travel_mass": np.zeros(SHAPES),
        "travel_damping": np.zeros(SHAPES),
        "pose": np.zeros((WAYS, LOADS, POSES)),
    }
    return ElasticMode(**(parts | changed))


def axle(**changed: Any) -> ElasticAxle:
    parts: dict[str, Any] = {
        "reference": np.array([0.0, 0.0, 0.3]),
        "radius": 0.3,
        "symmetric": mode(),
        "antisymmetric": mode(),
        "travel_mass": np.zeros((2, 2)),
        "travel_momentum": np.zeros((2, 6)),
        "travel_damping": np.zeros((2, 2)),
    }
    return ElasticAxle(**(parts | changed))


def bushing(**changed: Any) -> StiffBushing:
    """One that takes a symmetric lateral force and gives a tenth of a millimetre less at 1 kN."""
    loads = np.zeros((WAYS, 2, LOADS))
    loads[0, 0, AXLE_LOADS.index("fy")] = 1.0
    parts: dict[str, Any] = {
        "loads": loads,
        "standing": np.zeros(WAYS - 1),
        "force": np.array([-1e3, 0.0, 1e3]),
        "strain": np.array([1e-4, 0.0, -1e-4]),
        "pose": np.ones((WAYS, POSES)),
    }
    return StiffBushing(**(parts | changed))
