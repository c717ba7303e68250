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
    with_rates,
)
from tools.bundle.sheet import AntiRollBar, Link, Mount, Part, Point, Rubber

__all__ = [
    "anti_roll_bar",
    "damper_mounts",
    "halfshaft",
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


def halfshaft(mass: float) -> Link:
    """A half-shaft with its joints, of this mass [kg]."""
    return Link("halfshaft", mass, ("drive_shaft_inr", "wheel_center"), 14.0)


def wishbone_parts(x: float, size: float = 1.0, wheel_end: float | None = None) -> tuple[Part | Link, ...]:
    """Parts of a double wishbone suspension whose wheel centres are at x [mm]; wheel ends may be of another size."""
    lower, upper = ("lca_front", "lca_rear", "lca_outer"), ("uca_front", "uca_rear", "uca_outer")
    return (
        _subframe(x, size),
        Part("lower_control_arm", round(5.5 * size, 2), lower, (110.0, 120.0, 160.0), sprung=50.0),
        Part("upper_control_arm", round(2.6 * size, 2), upper, (80.0, 75.0, 105.0), sprung=50.0),
        *wheel_end_parts(wheel_end or size, ("lca_outer", "uca_outer", "wheel_center")),
        Link("tierod_inner", round(0.6 * size, 2), ("tierod_inner", "tierod_outer")),
        Link("tierod_outer", round(0.5 * size, 2), ("tierod_inner", "tierod_outer")),
        *strut_parts(size),
    )


def wishbone_mounts(
    axle: str,
    front: tuple[float, float],
    rear: tuple[float, float],
    upper: tuple[float, float],
    subframe: tuple[float, float] = (9000.0, 8000.0),
    *,
    damper: float = 1.0,
) -> dict[str, Mount]:
    """Bushings of a double wishbone suspension.

    Radial and axial rates [N/mm] of the front and the rear bushing of the lower arm, of both of the upper arm and of
    all of the subframe; the factor on those of the damper.
    """
    upper_arm = with_rates(UPPER_ARM, f"{axle}_upper_arm", *upper)
    return {
        "lca_front": Mount(with_rates(ARM_FRONT, f"{axle}_lower_arm_front", *front), ("lca_front", "lca_rear")),
        "lca_rear": Mount(with_rates(ARM_REAR, f"{axle}_lower_arm_rear", *rear), ("lca_front", "lca_rear")),
        "uca_front": Mount(upper_arm, ("uca_front", "uca_rear")),
        "uca_rear": Mount(upper_arm, ("uca_front", "uca_rear")),
        **damper_mounts(damper),
        **subframe_mounts(axle, subframe),
    }


def damper_mounts(stiffness: float = 1.0, top: Rubber = TOP_MOUNT) -> dict[str, Mount]:
    """Bushings of a strut or damper."""
    return {
        "lwr_strut": Mount(scaled(STRUT_EYE, stiffness), _STRUT),
        "top_mount": Mount(scaled(top, stiffness), _STRUT),
    }


def subframe_mounts(axle: str, rates: tuple[float, float]) -> dict[str, Mount]:
    """Bushings between subframe and body, of these radial and axial rates [N/mm]."""
    rubber = with_rates(SUBFRAME, f"{axle}_subframe", *rates)
    return {name: Mount(rubber, "z") for name in ("subframe_front", "subframe_rear")}


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


def macpherson_mounts(
    front: tuple[float, float], rear: tuple[float, float, float], subframe: tuple[float, float], top: float = 1.0
) -> dict[str, Mount]:
    """Bushings of a MacPherson suspension.

    Rates [N/mm] of the front bushing of the lower arm, radial and axial, and of its rear one, upright, across and
    axial, and of those of the subframe, radial and axial; the factor on the top mount.
    """
    upright, across, axial = rear
    lower_rear = with_rates(ARM_REAR, "front_lower_arm_rear", (upright, across), axial)
    return {
        "lca_front": Mount(with_rates(ARM_FRONT, "front_lower_arm_front", *front), ("lca_front", "lca_rear")),
        "lca_rear": Mount(lower_rear, ("lca_front", "lca_rear")),
        "top_mount": Mount(scaled(TOP_MOUNT, top), ("strut_lwr_mount", "top_mount")),
        **subframe_mounts("front", subframe),
    }


def link_mounts(links: Mapping[str, tuple[str, float, float]]) -> dict[str, Mount]:
    """Rubber at the inner and ball joints at the outer ends of links.

    By link, the direction of its inner bolt, and the radial and axial rates there [N/mm].
    """
    found = {}
    for link, (axis, radial, axial) in links.items():
        found[f"{link}_inner"] = Mount(with_rates(LINK, f"rear_{link}", radial, axial), axis)
        found[f"{link}_outer"] = Mount(BALL, axis)
    return found


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


def solid_axle_parts(
    centre: Point, tube: float, differential: float, halfshaft: float, propshaft: float, size: float
) -> tuple[Part | Link, ...]:
    """Parts of a driven solid axle on leaf springs.

    Masses of the tube, of the differential with its housing, of a half-shaft and of the propeller shaft [kg]. The tube
    is its middle, the parts with the seats of the leaves, and the ends with the brake carriers.
    """
    x, _, z = centre
    return (
        Part("axle", round(0.54 * tube, 1), centre, (250.0, 70.0, 250.0), single=True),
        Part("axle_seat", round(0.13 * tube, 2), ("tube_seat",), (110.0, 70.0, 110.0)),
        Part("axle_end", round(0.10 * tube, 2), ("tube_seat", "wheel_center", "wheel_center"), (90.0, 70.0, 90.0)),
        Part("differential", differential, (x - 60.0, 0.0, z), (130.0, 130.0, 130.0), single=True),
        Link("halfshaft", halfshaft, ("propshaft_rear", "wheel_center"), 17.0, sprung=0.0),
        Link("propshaft", propshaft, ("propshaft_front", "propshaft_rear"), 35.0, single=True),
        Part("spindle", round(13.0 * size, 1), ("wheel_center",), (90.0, 115.0, 90.0)),
        Link("shackle", round(1.2 * size, 1), ("leaf_rear_eye", "shackle_to_frame"), 20.0),
        *strut_parts(size),
    )


def solid_axle_mounts(front_eye: tuple[float, float, float], stiffness: float) -> dict[str, Mount]:
    """Bushings of a solid axle on leaf springs.

    Rates [N/mm] of the front eye along the vehicle, upright and axial; the factor on the others.
    """
    along, upright, axial = front_eye
    return {
        "leaf_front_eye": Mount(with_rates(EYE, "leaf_front_eye", (along, upright), axial), "y"),
        **{name: Mount(scaled(EYE, stiffness), "y") for name in ("leaf_rear_eye", "shackle_to_frame")},
        **damper_mounts(stiffness),
    }
