"""A test: a manoeuvre that the reference has driven and the model is compared in."""

from __future__ import annotations

from dataclasses import dataclass

from trackrod.core.errors import InputError, Problem
from trackrod.core.series import Run
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.rtm.script import Script
from trackrod.vehicle.systems import PayloadLevel

__all__ = ["Test"]


@dataclass(frozen=True, slots=True, eq=False)
class Test:
    """A manoeuvre that the reference has driven.

    Attributes
    ----------
    label
        Unique in a study; the name of the manoeuvre, with what is special about it: ``step_steer, laden``.
    title
        What it is in words.
    name
        Of the manoeuvre; decides which indices there are.
    reference
        The run.
    driver
        What the driver did: a script; or, where he closes a loop that a script cannot hold, the manoeuvre with all
        settings known, which the model must drive itself.
    hold_out
        Whether tuning never sees it.
    payload
        Another one than that of the study; None for the same.
    """

    label: str
    title: str
    name: str
    reference: Run
    driver: Script | Manoeuvre
    hold_out: bool = False
    payload: PayloadLevel | None = None

    __test__ = False  # not a test of pytest

    @property
    def script(self) -> Script:
        """What the driver did; InputError if a script cannot hold it."""
        if not isinstance(self.driver, Script):
            text = f"'{self.label}' cannot be used for tuning: it is a closed-loop manoeuvre"
            raise InputError(Problem(text, hint="move it to [hold_out]"))
        return self.driver
