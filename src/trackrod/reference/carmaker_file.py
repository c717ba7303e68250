"""A vehicle file of CarMaker as numbers in SI units: what a reference and a real-time model both take from it.

Points of the file count from ``RefPointInputSystem``, x forward, y left, z up; SI units, brake pressures in bar.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trackrod.core.corners import Axle, Corner
from trackrod.core.errors import FileFormatError, InputError, Problem, Severity
from trackrod.core.infofile import InfoFile
from trackrod.core.teimorbit.messages import shown
from trackrod.vehicle.elements import Body
from trackrod.vehicle.mass import MassProperties, as_matrix, as_vector, mass_properties

__all__ = ["AIR_DENSITY", "BAR", "PREFIX", "VehicleFile"]

Array = NDArray[np.float64]

#: Density of the air that drag and lift are counted with [kg/m³].
AIR_DENSITY = 1.205
BAR = 1e5
PREFIX = {Axle.FRONT: "SuspF", Axle.REAR: "SuspR"}


class VehicleFile:
    """A vehicle file; warnings are noted, FileFormatErrors raised.

    Parameters
    ----------
    info
        The file.

    Attributes
    ----------
    problems
        Warnings and notes.
    """

    def __init__(self, info: InfoFile) -> None:
        self.info = info
        self.problems: list[Problem] = []
        if info.number("nAxle", "number of axles", 2.0) != 2.0:
            raise info.fail("nAxle", "the vehicle has more axles than two, which are not read")
        if info.word("VehicleModel.Kind") not in ("", "RigidBody"):
            self.warn("VehicleModel.Kind", f"'{shown(info.text('VehicleModel.Kind'))}': the body is taken as rigid")
        self.origin = np.zeros(3)
        if "RefPointInputSystem" in info:
            self.origin = info.numbers("RefPointInputSystem", 3, "origin of all points")

    def warn(self, key: str, text: str, hint: str = "", severity: Severity = Severity.WARNING) -> None:
        """Note a warning at a key."""
        self.problems.append(Problem(text, self.info.place(key), severity, hint))

    def point(self, key: str) -> Array:
        """A point, from the origin of all points [m]."""
        return self.info.numbers(key, 3, "x, y, z [m]") - self.origin

    def tensor(self, key: str) -> Array:
        """Ixx, Iyy, Izz and, if they are there, Ixy, Ixz, Iyz as elements of the tensor."""
        words = self.info.text(key).split()
        values = self.info.numbers(key, 6 if len(words) >= 6 else 3, "moments of inertia [kg·m²]")
        xx, yy, zz, xy, xz, yz = np.append(values, np.zeros(6 - values.size)).tolist()
        if xy or xz or yz:
            self.warn(key, f"'{key}': products of inertia are taken as elements of the tensor", "check their signs")
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    def sprung(self) -> MassProperties:
        """Of the body, loads and parts of the powertrain together."""
        self.info.number("Body.mass", "mass of the body [kg]")
        try:
            return mass_properties(self._bodies())
        except FileFormatError:
            raise
        except InputError as error:
            raise self.info.fail("Body.mass", error.problems[0].text) from error

    def _bodies(self) -> Iterator[Body]:
        for key in self.info.keys():  # noqa: SIM118 - it is no mapping
            name, _, last = key.rpartition(".")
            if last == "mass" and not name.startswith(("Wheel.", "WheelCarrier.")):
                mass = self.info.number(key, "mass [kg]")
                if mass > 0.0:
                    yield Body(name, mass, as_vector(self.point(f"{name}.pos")), as_matrix(self.tensor(f"{name}.I")))

    def find(self, folder: str, name: str) -> Path | None:
        """A file that it names: in a folder beside one of those above it, or beside the vehicle file."""
        here = self.info.path.resolve()
        for place in (here.parent, *(parent / folder for parent in list(here.parents)[:6])):
            with contextlib.suppress(OSError, ValueError):  # names that no file can have
                if name and (place / name).is_file():
                    return place / name
        return None

    def missing(self, folder: str, name: str, key: str, hint: str) -> Problem:
        """What to say about a file that is not there."""
        text = f"'{key}' names '{shown(name)}', which is in no folder '{folder}' above the vehicle file"
        return Problem(text, self.info.place(key), hint=hint)

    # ---- force elements

    def amplified(self, key: str, meaning: str) -> float | Array:
        """A number, or the table below a key, times its factor."""
        factor = self.info.number(f"{key}.Amplify", "factor", 1.0)
        if self.info.is_table(key):
            table = self.info.table(key, 2, meaning)
            if (np.diff(table[:, 0]) <= 0.0).any():
                raise self.info.fail(key, f"the first column of '{key}' must increase")
            return np.asarray(table * np.array([1.0, factor]))
        return factor * self.info.number(key, meaning)

    def require_kind(self, key: str, known: str) -> None:
        """Refuse an element of another kind than the one that is read."""
        kind = self.info.word(key)
        if kind not in ("", known):
            raise self.info.fail(key, f"'{key}' is '{shown(kind)}'", f"read is {known}")

    def damper(self, axle: Axle) -> Array:
        """Rate of the length [m/s] and tension [N] of a damper, rows that go from compression to extension."""
        prefix = PREFIX[axle]
        self.require_kind(f"{prefix}.Damper.Kind", "Newtonian")
        curves = []
        for way in ("Push", "Pull"):
            given = self.amplified(f"{prefix}.Damp_{way}", "speed and force of the damper [m/s], [N]")
            table = given if isinstance(given, np.ndarray) else np.array([[0.0, 0.0], [1.0, given]])
            if (table < 0.0).any():
                raise self.info.fail(f"{prefix}.Damp_{way}", f"'{prefix}.Damp_{way}' has values below 0")
            curves.append(table[table[:, 0] > 0.0])
        if self.info.word(f"{prefix}.Damper.TopMnt.Kind") or self.info.number(f"{prefix}.Damper.TopMnt.On", "", 0.0):
            self.warn(f"{prefix}.Damper.TopMnt.On", "the top mount of the damper is not read")
        push, pull = curves
        return np.concatenate((-push[::-1], np.zeros((1, 2)), pull))

    def anti_roll_bar(self, axle: Axle) -> float:
        """Force of the anti-roll bar for each metre of difference of its ends [N/m]; 0 without one."""
        key = f"{PREFIX[axle]}.Stabi"
        if key not in self.info:
            return 0.0
        unit = self.info.text(f"{key}.Unit") or "N/m"
        bar = self.amplified(key, "stiffness of the anti-roll bar [N/m]")
        if unit != "N/m" or isinstance(bar, np.ndarray):
            raise self.info.fail(key, "an anti-roll bar is read as a number [N/m]", f"it is in {shown(unit)}")
        return bar

    def brakes(self) -> tuple[Array, float] | None:
        """Torques of the wheels fl, fr, rl, rr at full pedal [N·m], and the pressure there [Pa]; None if not known."""
        info, system = self.info, "Brake.System"
        if info.word(f"{system}.Kind") != "PresDistrib":
            text = "brakes are read of the kind PresDistrib: this vehicle has none"
            self.warn(f"{system}.Kind", text, "give [brakes]")
            return None
        pressure = info.number(f"{system}.PedalAct2pMC", "", 0.0)
        if info.text(f"{system}.pMC_based_on") != "PedalAct":
            force = info.number(f"{system}.Pedal2PedalFrc", "force at full pedal [N]")
            pressure = force * info.number(f"{system}.PedalForce2pMC", "pressure over pedal force [bar/N]")
        torques = info.numbers(f"{system}.pWB2Trq", 4, "torque over pressure [N·m/bar]") * pressure
        if "Brake.Torque.Amplify" in info:
            torques = torques * info.numbers("Brake.Torque.Amplify", 4, "factors")
        return torques, pressure * BAR

    def air(self) -> dict[str, float] | None:
        """Drag and lift of the axles at zero wind angle as ½ρAc [N·s²/m²], and the height of the drag [m].

        Coefficients count along and about axes to the rear, to the right and upward: drag and lift are positive, and so
        is a moment that lifts the nose.
        """
        info = self.info
        if info.word("Aero.Kind") != "Coeff6x1" or not info.is_table("Aero.Coeff"):
            return None
        table = info.table("Aero.Coeff", 7, "wind angle [deg], three forces, three moments [-]")
        straight = table[int(np.abs(table[:, 0]).argmin())]
        pressure = 0.5 * AIR_DENSITY * info.number("Aero.Ax", "area [m²]")
        point = self.point("Aero.pos")
        front, rear = (self.point(f"Wheel.{corner}.pos")[0] for corner in (Corner.FL, Corner.RL))
        if front == rear:
            raise info.fail("Wheel.rl.pos", "front and rear wheels are at the same x")
        lift = pressure * straight[3]
        nose_up = pressure * straight[5] * (info.number("Aero.lReference", "length [m]") if straight[5] else 0.0)
        at_front = (lift * (point[0] - rear) + nose_up) / (front - rear)
        return {
            "drag": float(pressure * straight[1]),
            "lift_front": float(at_front),
            "lift_rear": float(lift - at_front),
            "drag_height": float(point[2]),
        }
