"""Plausible suspensions for tests of templates and mechanisms."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from trackrod.core.corners import Side
from trackrod.vehicle.elements import GROUND, Joint, Vector

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

#: Plausible hardpoints of the left side [m] for each suspension.
GEOMETRIES: dict[str, dict[str, Vector]] = {
    "double_wishbone": {
        **{"lca_front": (0.2, 0.40, 0.18), "lca_rear": (-0.2, 0.45, 0.185), "lca_outer": (0.0, 0.75, 0.13)},
        **{"uca_front": (-0.1, 0.45, 0.555), "uca_rear": (-0.25, 0.49, 0.56), "uca_outer": (-0.04, 0.675, 0.555)},
        **{"tierod_inner": (-0.2, 0.40, 0.33), "tierod_outer": (-0.15, 0.75, 0.33)},
        **{"lwr_strut_mount": (0.0, 0.60, 0.18), "top_mount": (-0.04, 0.50, 0.68), "wheel_center": (0.0, 0.76, 0.33)},
        **{"subframe_front": (0.4, 0.45, 0.18), "subframe_rear": (-0.4, 0.45, 0.18)},
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
    "integral_link": {
        **{
            "arm_front_inner": (0.20, 0.36, 0.22),
            "arm_rear_inner": (-0.15, 0.30, 0.23),
            "arm_outer": (-0.08, 0.73, 0.20),
        },
        **{"integral_link_inner": (0.08, 0.66, 0.21), "integral_link_outer": (0.07, 0.68, 0.33)},
        **{"upper_link_inner": (-0.02, 0.42, 0.50), "upper_link_outer": (-0.03, 0.70, 0.47)},
        **{"toe_link_inner": (-0.22, 0.33, 0.30), "toe_link_outer": (-0.17, 0.71, 0.29)},
        **STRUT,
        **WHEEL,
    },
    "semi_trailing_multi_link": {"trailing_arm_front": (0.48, 0.62, 0.34), **LATERAL, **STRUT, **SPRING, **WHEEL},
    "trailing_arm": {
        **{"arm_inner": (0.42, 0.35, 0.32), "arm_outer": (0.42, 0.66, 0.34)},
        **STRUT,
        **SPRING,
        **WHEEL,
    },
}


def both_sides(left: dict[str, Vector]) -> dict[str, Vector]:
    return {f"{name}_{side}": (x, side.sign * y, z) for name, (x, y, z) in left.items() for side in Side}


def on_ground(joints: Iterable[Joint], mounts: Iterable[str]) -> list[Joint]:
    """Joints with the bodies of other subsystems held still."""
    held = set(mounts)
    return [replace(j, bodies=tuple(GROUND if b in held else b for b in j.bodies)) for j in joints]
