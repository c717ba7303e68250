"""Rubber of the usual kinds, with the rates [N/mm], [N·mm/deg] of a car; `scaled` makes it stiffer for heavier ones."""

from __future__ import annotations

from dataclasses import replace

from tools.bundle.sheet import Rubber

__all__ = [
    "ARM_FRONT",
    "ARM_REAR",
    "BALL",
    "BAR_MOUNT",
    "BLADE",
    "EYE",
    "LEAF_PAD",
    "LINK",
    "STRUT_EYE",
    "SUBFRAME",
    "TOP_MOUNT",
    "UPPER_ARM",
    "scaled",
    "with_rates",
]

#: Lower arm, the stiff bushing that guides the wheel sideways. Rates contain the give of arms and brackets.
ARM_FRONT = Rubber("lower_arm_front", (15000.0, 15000.0), 2500.0, (6000.0, 6000.0, 1500.0), (2.0, 7.0))
#: Lower arm, the softer bushing that gives longitudinal comfort.
ARM_REAR = Rubber("lower_arm_rear", (6000.0, 6000.0), 1500.0, (5000.0, 5000.0, 1200.0), (5.0, 7.0))
#: Upper arm.
UPPER_ARM = Rubber("upper_arm", (8000.0, 8000.0), 1500.0, (3000.0, 3000.0, 1000.0), (2.0, 6.0))
#: End of a link; its axis lies across the link.
LINK = Rubber("link", (12000.0, 12000.0), 1500.0, (2500.0, 2500.0, 900.0), (3.0, 5.0))
#: A ball joint in its socket.
BALL = Rubber("ball_joint", (60000.0, 60000.0), 60000.0, (100.0, 100.0, 100.0), (0.5, 0.5))
#: Lower eye of a strut or damper; z along the strut.
STRUT_EYE = Rubber("strut_eye", (6000.0, 6000.0), 9000.0, (1500.0, 1500.0, 800.0), (2.0, 1.5))
#: Upper mount of a strut or damper; z along the strut.
TOP_MOUNT = Rubber("top_mount", (1500.0, 1500.0), 1400.0, (1200.0, 1200.0, 150.0), (4.0, 6.0))
#: Front eye of a trailing blade: soft sideways, along its own axis.
BLADE = Rubber("trailing_blade", (4500.0, 4500.0), 500.0, (1500.0, 1500.0, 900.0), (3.0, 8.0))
#: Eye of a leaf spring or shackle; z along its pin.
EYE = Rubber("leaf_eye", (9000.0, 9000.0), 2500.0, (200000.0, 15000.0, 1500.0), (4.0, 5.0))
#: Pad of a transverse leaf; z upright. The leaf may slide along itself and tilt.
LEAF_PAD = Rubber("leaf_pad", (800.0, 800.0), 12000.0, (1000.0, 20000.0, 1000.0), (3.0, 2.0))
#: Subframe on the body; z upright.
SUBFRAME = Rubber("subframe", (9000.0, 9000.0), 8000.0, (30000.0, 30000.0, 30000.0), (2.0, 2.0))
#: Anti-roll bar on the body; z along the bar.
BAR_MOUNT = Rubber("bar_mount", (6000.0, 6000.0), 1500.0, (3000.0, 3000.0, 400.0), (2.0, 4.0))


def with_rates(rubber: Rubber, name: str, radial: float | tuple[float, float], axial: float) -> Rubber:
    """Rubber of the same kind with other rates [N/mm], radial ones along x and y."""
    return replace(rubber, name=name, radial=radial if isinstance(radial, tuple) else (radial, radial), axial=axial)


def scaled(rubber: Rubber, factor: float) -> Rubber:
    """Rubber with all rates times a factor, whose percentage its name then ends in."""
    if factor == 1:
        return rubber
    x, y = (round(factor * rate, 1) for rate in rubber.radial)
    a, b, c = (round(factor * rate, 1) for rate in rubber.turning)
    name = f"{rubber.name}_{100 * factor:.0f}"
    return replace(rubber, name=name, radial=(x, y), axial=round(factor * rubber.axial, 1), turning=(a, b, c))
