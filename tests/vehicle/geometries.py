"""Plausible suspensions for tests of templates and mechanisms."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

from trackrod.core.corners import Side
from trackrod.core.quantities import KINDS
from trackrod.vehicle.characteristics import Characteristic
from trackrod.vehicle.elements import GROUND, Joint, Vector
from trackrod.vehicle.leaf import AxleMount, Leaf, LeafAxleSeat, LeafContact, LeafEye, LeafSpring, Shackle

STRUT = {"lwr_strut_mount": (-0.02, 0.62, 0.25), "top_mount": (-0.05, 0.55, 0.72)}
SPRING = {"spring_lwr_seat": (-0.1, 0.52, 0.22), "spring_upr_seat": (-0.1, 0.50, 0.50)}
WHEEL = {"wheel_center": (0.0, 0.78, 0.33)}
LATERAL = {
    "upper_link_inner": (-0.02, 0.42, 0.50),
    "upper_link_outer": (-0.03, 0.70, 0.47),
    "lower_front_link_inner": (0.15, 0.38, 0.24),
    "lower_front_link_outer": (0.09, 0.71, 0.22),
    "lower_rear_link_inner": (-0.16, 0.25, 0.23),
    "lower_rear_link_outer": (-0.13, 0.72, 0.21),
}
DOUBLE_WISHBONE = {
    **{"lca_front": (0.2, 0.40, 0.18), "lca_rear": (-0.2, 0.45, 0.185), "lca_outer": (0.0, 0.75, 0.13)},
    **{"uca_front": (-0.1, 0.45, 0.555), "uca_rear": (-0.25, 0.49, 0.56), "uca_outer": (-0.04, 0.675, 0.555)},
    **{"tierod_inner": (-0.2, 0.40, 0.33), "tierod_outer": (-0.15, 0.75, 0.33)},
    "wheel_center": (0.0, 0.76, 0.33),
}
INTEGRAL_LINK = {
    **{"arm_front_inner": (0.20, 0.36, 0.22), "arm_rear_inner": (-0.15, 0.30, 0.23), "arm_outer": (-0.08, 0.73, 0.20)},
    **{"integral_link_inner": (0.08, 0.66, 0.21), "integral_link_outer": (0.07, 0.68, 0.33)},
    **{"upper_link_inner": (-0.02, 0.42, 0.50), "upper_link_outer": (-0.03, 0.70, 0.47)},
    **{"toe_link_inner": (-0.22, 0.33, 0.30), "toe_link_outer": (-0.17, 0.71, 0.29)},
}
TRANSVERSE_LEAF = {"leaf_end": (0.02, 0.62, 0.17), "leaf_clamp": (0.02, 0.25, 0.15)}

#: Plausible hardpoints of the left side [m] for each suspension.
GEOMETRIES: dict[str, dict[str, Vector]] = {
    "double_wishbone": {
        **DOUBLE_WISHBONE,
        **{"lwr_strut_mount": (0.0, 0.60, 0.18), "top_mount": (-0.04, 0.50, 0.68)},
        **{"subframe_front": (0.4, 0.45, 0.18), "subframe_rear": (-0.4, 0.45, 0.18)},
    },
    "double_wishbone_torsion_bar": {**DOUBLE_WISHBONE, **STRUT},
    "double_wishbone_transverse_leaf": {**DOUBLE_WISHBONE, **STRUT, **TRANSVERSE_LEAF},
    "double_wishbone_pushrod": {
        **DOUBLE_WISHBONE,
        **{"prod_outboard": (0.0, 0.68, 0.16), "prod_to_bellcrank": (-0.01, 0.42, 0.60)},
        **{"bellcrank_pivot": (-0.02, 0.36, 0.58), "bellcrank_pivot_orient": (0.08, 0.37, 0.58)},
        **{"shock_to_bellcrank": (0.0, 0.36, 0.66), "shock_to_chassis": (0.01, 0.08, 0.65)},
    },
    "macpherson": {
        **{"lca_front": (0.05, 0.38, 0.20), "lca_rear": (-0.28, 0.36, 0.21), "lca_outer": (0.01, 0.73, 0.17)},
        **{"tierod_inner": (-0.14, 0.36, 0.26), "tierod_outer": (-0.13, 0.70, 0.25)},
        **{"strut_lwr_mount": (-0.01, 0.61, 0.42), "spring_lwr_seat": (-0.015, 0.60, 0.55)},
        **{"top_mount": (-0.03, 0.56, 0.83), "wheel_center": (0.0, 0.78, 0.31)},
    },
    "multi_link": {
        **{"upper_front_link_inner": (0.12, 0.44, 0.49), "upper_front_link_outer": (0.02, 0.70, 0.48)},
        **{"upper_rear_link_inner": (-0.15, 0.42, 0.50), "upper_rear_link_outer": (-0.06, 0.69, 0.47)},
        **{"lower_front_link_inner": (0.20, 0.38, 0.24), "lower_front_link_outer": (0.03, 0.73, 0.20)},
        **{"lower_rear_link_inner": (-0.18, 0.28, 0.23), "lower_rear_link_outer": (-0.10, 0.72, 0.21)},
        **{"toe_link_inner": (-0.22, 0.33, 0.30), "toe_link_outer": (-0.17, 0.71, 0.29)},
        **STRUT,
        **SPRING,
        **WHEEL,
    },
    "integral_link": {**INTEGRAL_LINK, **STRUT, **WHEEL},
    "integral_link_leaf": {
        **INTEGRAL_LINK,
        **STRUT,
        **WHEEL,
        **TRANSVERSE_LEAF,
        "leaf_upper": (0.02, 0.62, 0.47),
    },
    "semi_trailing_multi_link": {"trailing_arm_front": (0.48, 0.62, 0.34), **LATERAL, **STRUT, **SPRING, **WHEEL},
    "trailing_arm": {
        **{"arm_inner": (0.42, 0.35, 0.32), "arm_outer": (0.42, 0.66, 0.34)},
        **STRUT,
        **SPRING,
        **WHEEL,
    },
    "solid_axle_leaf": {
        **{"leaf_front_eye": (0.66, 0.52, 0.42), "leaf_seat": (0.0, 0.52, 0.36), "leaf_rear_eye": (-0.68, 0.52, 0.43)},
        **{
            "shackle_to_frame": (-0.74, 0.52, 0.53),
            "bumpstop_axle": (0.0, 0.45, 0.42),
            "bumpstop_frame": (0, 0.45, 0.6),
        },
        **STRUT,
        **WHEEL,
    },
    "solid_axle_links": {
        **{"lower_link_front": (0.55, 0.45, 0.33), "lower_link_rear": (0.02, 0.50, 0.28)},
        **STRUT,
        **SPRING,
        **WHEEL,
    },
}

#: Points that are there once.
SINGLE_POINTS: dict[str, dict[str, Vector]] = {
    "solid_axle_links": {
        **{"upper_link_front": (0.40, 0.05, 0.50), "upper_link_rear": (0.0, 0.05, 0.48)},
        **{"panhard_axle": (-0.12, 0.45, 0.33), "panhard_body": (-0.13, -0.45, 0.36)},
    },
}

#: Values that templates need [SI].
VALUES = {"torsion_bar_rate": 4e4, "torsion_bar_preload": 2e3, "bar_rate": 3e3}
BENT = {"area": 1e-3, "torsion_constant": 2e-8, "second_moment_vertical": 6e-7, "second_moment_horizontal": 9e-7}
VALUES |= {f"{bar}_{name}": value for bar in ("beam", "arm") for name, value in BENT.items()}

#: Templates of the sample axles have the geometry of their data sheets [mm], x rearward.
for sheet in sorted((Path(__file__).parents[2] / "tools/bundle/sample_axles").glob("*.toml")):
    data = tomllib.loads(sheet.read_text(encoding="utf-8"))
    if sheet.stem == "steering_box":
        continue
    for places, key in ((GEOMETRIES, "hardpoints"), (SINGLE_POINTS, "single_hardpoints")):
        points = {name: (-1e-3 * x, -1e-3 * y, 1e-3 * z) for name, (x, y, z) in data.get(key, {}).items()}
        places.setdefault(data["template"], points)


def hardpoints_of(name: str) -> dict[str, Vector]:
    """All hardpoints of a suspension in V [m]."""
    return {**both_sides(GEOMETRIES[name]), **SINGLE_POINTS.get(name, {})}


def both_sides(left: dict[str, Vector]) -> dict[str, Vector]:
    return {f"{name}_{side}": (x, side.sign * y, z) for name, (x, y, z) in left.items() for side in Side}


def on_ground(joints: Iterable[Joint], mounts: Iterable[str]) -> list[Joint]:
    """Joints with the bodies of other subsystems held still."""
    held = set(mounts)
    return [replace(j, bodies=tuple(GROUND if b in held else b for b in j.bodies)) for j in joints]


def one_leaf(front: float, rear: float, thickness: float = 0.012, table: tuple[tuple[float, ...], ...] = ()) -> Leaf:
    """A leaf of steel, 70 mm wide; `table` holds x and thickness [m]."""
    length = KINDS["length"]
    flat = Characteristic(np.array([-rear, front]), np.zeros(2), length, length)
    taper = Characteristic(*map(np.array, table), length, length) if table else None
    return Leaf(front, rear, 5, 5, thickness, 0.07, 2.1e11, 8.1e10, 7850.0, 0.0, 1.2, 1.2, 0.0, flat, taper)


def leaf_spring(*leaves: Leaf, inactive: float = 0.0) -> LeafSpring:
    """A leaf spring, clamped over `inactive` [m] to either side of the centre bolt."""
    points = ((0.0, 0.5, 0.0), (0.0, -0.5, 0.0))
    return LeafSpring(
        "for tests",
        leaves,
        LeafContact(0.2, 1.0, 0.0, 1e6, 1e3, 1e-4),
        points,
        points,
        LeafAxleSeat(0.0, 0.0, inactive, inactive, 0.0, 0.0, AxleMount.OVERSLUNG),
        Shackle(0.1, 1.0, (1e-3, 1e-3, 1e-3), at_front=False, in_tension=False),
        LeafEye(0.04, "berlin"),
        LeafEye(0.04, "berlin"),
        (),
        (),
        "linear",
    )
