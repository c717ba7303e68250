"""The four corners of the vehicle: fl, fr, rl, rr, always in this order."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

__all__ = ["CORNER_WORDS", "Axle", "Corner", "Side"]


class Axle(StrEnum):
    """Front or rear."""

    FRONT = "front"
    REAR = "rear"


class Side(StrEnum):
    """Left (positive y of V) or right."""

    LEFT = "left"
    RIGHT = "right"

    @property
    def sign(self) -> int:
        """Sign of y in V: +1 left, −1 right."""
        return 1 if self is Side.LEFT else -1


class Corner(StrEnum):
    """One wheel position. ``tuple(Corner)`` gives the four in order; arrays per corner use `index`.

    Holds: ``corner.opposite.opposite is corner``; the opposite corner has the same axle and the other side;
    ``Corner.of(corner.axle, corner.side) is corner``.
    """

    FL = "fl"
    FR = "fr"
    RL = "rl"
    RR = "rr"

    @classmethod
    def of(cls, axle: Axle, side: Side) -> Corner:
        """The corner on this axle and side."""
        return cls(axle[0] + side[0])

    @property
    def index(self) -> int:  # type: ignore[override]  # str.index searches text and has no use here
        """Place in the order fl, fr, rl, rr, from 0."""
        return list(Corner).index(self)

    @property
    def axle(self) -> Axle:
        """Front or rear."""
        return Axle.FRONT if self in (Corner.FL, Corner.FR) else Axle.REAR

    @property
    def side(self) -> Side:
        """Left or right."""
        return Side.LEFT if self in (Corner.FL, Corner.RL) else Side.RIGHT

    @property
    def opposite(self) -> Corner:
        """The corner on the other side of the same axle."""
        return Corner.of(self.axle, Side.RIGHT if self.side is Side.LEFT else Side.LEFT)


#: What may stand in braces in the name of a foreign column or channel, by corner: ``F_z_{CORNER}``.
CORNER_WORDS: Mapping[str, Mapping[str, str]] = {
    str(corner): {
        "corner": str(corner),
        "CORNER": corner.upper(),
        "axle": str(corner.axle),
        "side": str(corner.side),
        "s": corner.side[0],
        "S": corner.side[0].upper(),
    }
    for corner in Corner
}
