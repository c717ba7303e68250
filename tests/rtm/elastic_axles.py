"""Axles that give, made by hand: every number is known."""

from __future__ import annotations

from typing import Any

import numpy as np

from trackrod.rtm.elasticity import ElasticAxle, ElasticMode, PoseCurve, PoseMap
from trackrod.rtm.layout import AXLE_LOADS, AXLE_SHAPES, GIVEN_POSE

LOADS, SHAPES, POSES = len(AXLE_LOADS), len(AXLE_SHAPES), 2 * len(GIVEN_POSE)
KNOTS = np.array([-1e4, 0.0, 1e4])


def mode(**changed: Any) -> ElasticMode:
    """One that hardly gives, each load by itself: 1e-9 m/N, without mass, with a time constant of 2 ms."""
    curve = PoseCurve(KNOTS, np.zeros((3, POSES)))
    parts: dict[str, Any] = {
        "mass": np.zeros((SHAPES, SHAPES)),
        "damping": 2e-12 * np.eye(SHAPES),
        "compliance": 1e-9 * np.eye(SHAPES),
        "body_mass": np.zeros((SHAPES, 3)),
        "travel_mass": np.zeros(SHAPES),
        "travel_damping": np.zeros(SHAPES),
        "pose": np.zeros((LOADS, POSES)),
        "pose_by_parallel": np.zeros((LOADS, POSES)),
        "pose_by_opposite": np.zeros((LOADS, POSES)),
        "fx": curve,
        "brake": curve,
    }
    return ElasticMode(**(parts | changed))


def axle(**changed: Any) -> ElasticAxle:
    parts: dict[str, Any] = {
        "reference": np.array([0.0, 0.0, 0.3]),
        "radius": 0.3,
        "symmetric": mode(),
        "antisymmetric": mode(),
        "fy": PoseMap(KNOTS, KNOTS, np.zeros((3, 3, POSES))),
        "travel_mass": np.zeros((2, 2)),
        "travel_momentum": np.zeros((2, 6)),
        "travel_damping": np.zeros((2, 2)),
    }
    return ElasticAxle(**(parts | changed))
