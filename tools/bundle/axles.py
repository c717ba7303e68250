"""Parts and bushings that the axles of several vehicles share, from the size of the vehicle."""

from __future__ import annotations

from collections.abc import Mapping

from tools.bundle.rubbers import (
    ARM_FRONT,
    ARM_REAR,
    BALL,
    BAR_MOUNT,
    EYE,
    LINK,
    STRUT_EYE,
    SUBFRAME,
    TOP_MOUNT,
    UPPER_ARM,
    scaled,
)
from tools.bundle.sheet import AntiRollBar, Link, Mount, Part, Point, Rubber

__all__ = [
    "anti_roll_bar",
    "damper_mounts",
    "link_mounts",
    "macpherson_mounts",
    "macpherson_parts",
    "solid_axle_mounts",
    "solid_axle_parts",
    "strut_parts",
    "subframe_mounts",
    "wheel_end_parts",
    "wishbone_mounts",
    "wishbone_parts",
]

_STRUT = ("lwr_strut_mount", "top_mount")


def strut_parts(size: float) -> tuple[Part | Link, ...]:
    """Tube and rod of a strut or damper."""
    return (
        Link("lower_strut", round(3.0 * size, 2), _STRUT, 25.0),
        Link("upper_strut", round(4.0 * size, 2), _STRUT, 40.0, sprung=70.0),
    )


def wheel_end_parts(size: float, carrier: tuple[str, ...]) -> tuple[Part | Link, ...]:
    """Upright with brake calliper, and spindle with hub and disc."""
    return (
        Part("upright", round(7.5 * size, 2), carrier, (95.0, 90.0, 50.0)),
        Part("spindle", round(9.0 * size, 2), ("wheel_center",), (80.0, 105.0, 80.0)),
    )


def _subframe(x: float, size: float) -> Part:
    mass = round(20.0 * size, 1)
    return Part("subframe", mass, (x + 15.0, 0.0, 215.0), (240.0, 180.0, 290.0), sprung=100.0, single=True)


def wishbone_parts(x: float, size: float = 1.0) -> tuple[Part | Link, ...]:
    """Parts of a double wishbone suspension whose wheel centres are at x [mm]."""
    lower, upper = ("lca_front", "lca_rear", "lca_outer"), ("uca_front", "uca_rear", "uca_outer")
    return (
        _subframe(x, size),
        Part("lower_control_arm", round(5.5 * size, 2), lower, (110.0, 120.0, 160.0), sprung=50.0),
        Part("upper_control_arm", round(2.6 * size, 2), upper, (80.0, 75.0, 105.0), sprung=50.0),
        *wheel_end_parts(size, ("lca_outer", "uca_outer", "wheel_center")),
        Link("tierod_inner", round(0.6 * size, 2), ("tierod_inner", "tierod_outer")),
        Link("tierod_outer", round(0.5 * size, 2), ("tierod_inner", "tierod_outer")),
        *strut_parts(size),
    )


def wishbone_mounts(stiffness: float = 1.0) -> dict[str, Mount]:
    """Bushings of a double wishbone suspension."""
    return {
        "lca_front": Mount(scaled(ARM_FRONT, stiffness), ("lca_front", "lca_rear")),
        "lca_rear": Mount(scaled(ARM_REAR, stiffness), ("lca_front", "lca_rear")),
        "uca_front": Mount(scaled(UPPER_ARM, stiffness), ("uca_front", "uca_rear")),
        "uca_rear": Mount(scaled(UPPER_ARM, stiffness), ("uca_front", "uca_rear")),
        **damper_mounts(stiffness),
        **subframe_mounts(stiffness),
    }


def damper_mounts(stiffness: float = 1.0, top: Rubber = TOP_MOUNT) -> dict[str, Mount]:
    """Bushings of a strut or damper."""
    return {
        "lwr_strut": Mount(scaled(STRUT_EYE, stiffness), _STRUT),
        "top_mount": Mount(scaled(top, stiffness), _STRUT),
    }


def subframe_mounts(stiffness: float = 1.0) -> dict[str, Mount]:
    """Bushings between subframe and body."""
    return {name: Mount(scaled(SUBFRAME, stiffness), "z") for name in ("subframe_front", "subframe_rear")}


def macpherson_parts(x: float, size: float = 1.0) -> tuple[Part | Link, ...]:
    """Parts of a MacPherson suspension; the tube of the strut belongs to the upright."""
    carrier = ("lca_outer", "wheel_center", "strut_lwr_mount")
    return (
        _subframe(x + 100.0, size),
        Part(
            "lower_control_arm",
            round(5.0 * size, 2),
            ("lca_front", "lca_rear", "lca_outer"),
            (105.0, 120.0, 155.0),
            sprung=50.0,
        ),
        Part("upright", round(12.0 * size, 2), carrier, (120.0, 115.0, 60.0)),
        Part("spindle", round(9.0 * size, 2), ("wheel_center",), (80.0, 105.0, 80.0)),
        Link("tierod_inner", round(0.6 * size, 2), ("tierod_inner", "tierod_outer")),
        Link("tierod_outer", round(0.5 * size, 2), ("tierod_inner", "tierod_outer")),
        Link("upper_strut", round(3.5 * size, 2), ("strut_lwr_mount", "top_mount"), 40.0, sprung=70.0),
    )


def macpherson_mounts(stiffness: float = 1.0) -> dict[str, Mount]:
    """Bushings of a MacPherson suspension."""
    return {
        "lca_front": Mount(scaled(ARM_FRONT, stiffness), ("lca_front", "lca_rear")),
        "lca_rear": Mount(scaled(ARM_REAR, stiffness), ("lca_front", "lca_rear")),
        "top_mount": Mount(scaled(TOP_MOUNT, stiffness), ("strut_lwr_mount", "top_mount")),
        **subframe_mounts(stiffness),
    }


def link_mounts(axes: Mapping[str, str], stiffness: float = 1.0) -> dict[str, Mount]:
    """Rubber at the inner and ball joints at the outer ends of links; by link, the direction of its inner bolt."""
    return {
        **{f"{link}_inner": Mount(scaled(LINK, stiffness), axis) for link, axis in axes.items()},
        **{f"{link}_outer": Mount(BALL, axis) for link, axis in axes.items()},
    }


def anti_roll_bar(
    axle: str, mount: Point, upper: Point, lower: Point, share: float, *, size: float = 1.0
) -> AntiRollBar:
    """An anti-roll bar: its mount on the body, where the droplink meets bar (`upper`) and suspension (`lower`)."""
    return AntiRollBar(
        axle=axle,
        hardpoints={"bar_mount": mount, "droplink_upper": upper, "droplink_lower": lower},
        parts=(
            Part("bar", round(2.1 * size, 2), ("bar_mount", "droplink_upper"), (150.0, 60.0, 160.0), sprung=90.0),
            Link("droplink", round(0.3 * size, 2), ("droplink_lower", "droplink_upper"), 8.0),
        ),
        mounts={"bar_mount": Mount(scaled(BAR_MOUNT, size), "y")},
        share=share,
    )


def solid_axle_parts(centre: Point, mass: float, size: float) -> tuple[Part | Link, ...]:
    """Parts of a driven solid axle on leaf springs, of this mass without hubs and discs [kg]."""
    return (
        Part("axle", mass, centre, (450.0, 120.0, 450.0), single=True),
        Part("spindle", round(13.0 * size, 1), ("wheel_center",), (90.0, 115.0, 90.0)),
        Link("shackle", round(1.2 * size, 1), ("leaf_rear_eye", "shackle_to_frame"), 20.0),
        *strut_parts(size),
    )


def solid_axle_mounts(stiffness: float) -> dict[str, Mount]:
    """Bushings of a solid axle on leaf springs."""
    return {
        **{
            name: Mount(scaled(EYE, stiffness), "y") for name in ("leaf_front_eye", "leaf_rear_eye", "shackle_to_frame")
        },
        **damper_mounts(stiffness),
    }
