"""A vehicle file of CarMaker as keys of a reference: masses, wheels, tyres, springs, dampers, steering, brakes, air.

Points of the file count from ``RefPointInputSystem``, x forward, y left, z up; SI units, brake pressures in bar. Every
key of ``reference.toml`` goes before the vehicle file, so that what is not read here can be given there.

Limits: the body is rigid; the powertrain, forces of controllers and external forces are not read, and of the air drag
and lift at zero wind angle alone.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.errors import FileFormatError, InputError, Place, Problem, Severity
from trackrod.core.teimorbit.messages import readable, shown
from trackrod.reference.document import Document
from trackrod.reference.infofile import InfoFile, read_infofile
from trackrod.vehicle.elements import Body
from trackrod.vehicle.mass import as_matrix, as_vector, mass_properties

__all__ = ["complete_from_carmaker"]

Array = NDArray[np.float64]
Found = dict[tuple[str, ...], tuple[Any, Place]]

#: Density of the air that drag and lift are counted with [kg/m³].
_AIR = 1.205
_BAR = 1e5
_PREFIX = {Axle.FRONT: "SuspF", Axle.REAR: "SuspR"}


def complete_from_carmaker(document: Document) -> None:
    """Add what the vehicle file that a document names knows; the key is ``vehicle``. Problems are noted."""
    if "vehicle" not in document.root:
        return
    path = document.root.file("vehicle", "vehicle file of CarMaker")
    if path is None:
        return
    try:
        reader = _Reader(read_infofile(path), document)
        reader.read()
    except InputError as error:
        document.take(error)
        return
    document.complete(reader.found)
    document.problems.extend(reader.problems)


class _Reader:
    def __init__(self, info: InfoFile, document: Document) -> None:
        self.info = info
        self.document = document
        self.found: Found = {}
        self.problems: list[Problem] = []

    def _put(self, path: str, value: Any, key: str) -> None:
        self.found[tuple(path.split("."))] = (value, self.info.place(key))

    def _warn(self, key: str, text: str, hint: str = "") -> None:
        self.problems.append(readable(Problem(text, self.info.place(key), Severity.WARNING, hint)))

    def read(self) -> None:
        info = self.info
        if info.number("nAxle", "number of axles", 2.0) != 2.0:
            raise info.fail("nAxle", "the vehicle has more axles than two, which are not read")
        if info.word("VehicleModel.Kind") not in ("", "RigidBody"):
            self._warn("VehicleModel.Kind", f"'{shown(info.text('VehicleModel.Kind'))}': the body is taken as rigid")
        self.origin = np.zeros(3)
        if "RefPointInputSystem" in info:
            self.origin = info.numbers("RefPointInputSystem", 3, "origin of all points")
        self._put("name", info.path.name, "FileIdent")
        self._masses()
        for axle in Axle:
            self._wheels(axle)
            self._damper(axle)
            self._suspension(axle)
        self._tyres()
        self._steering()
        self._brakes()
        self._air()

    # ---- masses and wheels

    def _point(self, key: str) -> Array:
        return self.info.numbers(key, 3, "x, y, z [m]") - self.origin

    def _tensor(self, key: str) -> Array:
        """Ixx, Iyy, Izz and, if they are there, Ixy, Ixz, Iyz as elements of the tensor."""
        words = self.info.text(key).split()
        values = self.info.numbers(key, 6 if len(words) >= 6 else 3, "moments of inertia [kg·m²]")
        xx, yy, zz, xy, xz, yz = np.append(values, np.zeros(6 - values.size)).tolist()
        if xy or xz or yz:
            self._warn(key, f"'{key}': products of inertia are taken as elements of the tensor", "check their signs")
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    def _bodies(self) -> Iterator[Body]:
        """The body, loads and parts of the powertrain: all that is carried by the springs."""
        for key in self.info.keys():  # noqa: SIM118 - it is no mapping
            name, _, last = key.rpartition(".")
            if last == "mass" and not name.startswith(("Wheel.", "WheelCarrier.")):
                mass = self.info.number(key, "mass [kg]")
                if mass > 0.0:
                    yield Body(name, mass, as_vector(self._point(f"{name}.pos")), as_matrix(self._tensor(f"{name}.I")))

    def _masses(self) -> None:
        self.info.number("Body.mass", "mass of the body [kg]")
        try:
            total = mass_properties(self._bodies())
        except FileFormatError:
            raise
        except InputError as error:
            raise self.info.fail("Body.mass", error.problems[0].text) from error
        self._put("masses.of", "sprung", "Body.mass")
        self._put("masses.mass", total.mass, "Body.mass")
        self._put("masses.centre", total.centre.tolist(), "Body.pos")
        for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)):
            self._put(f"masses.inertia.I{'xyz'[i]}{'xyz'[j]}", float(total.inertia[i, j]), "Body.I")

    def _wheels(self, axle: Axle) -> None:
        info = self.info
        sums: dict[str, list[float]] = {"mass": [], "roll_inertia": [], "yaw_inertia": [], "spin_inertia": []}
        for side in Side:
            corner = Corner.of(axle, side)
            wheel, carrier = f"Wheel.{corner}", f"WheelCarrier.{corner}"
            inertia = self._tensor(f"{wheel}.I")
            held = self._tensor(f"{carrier}.I") if f"{carrier}.I" in info else np.zeros((3, 3))
            mass = info.number(f"{wheel}.mass", "mass of the wheel [kg]")
            sums["mass"].append(mass + info.number(f"{carrier}.mass", "mass of the carrier [kg]", 0.0))
            sums["roll_inertia"].append(float(inertia[0, 0] + held[0, 0]))
            sums["yaw_inertia"].append(float(inertia[2, 2] + held[2, 2]))
            sums["spin_inertia"].append(float(inertia[1, 1]))
            where = "centre" if side is Side.LEFT else "centre_right"
            self._put(f"wheels.{axle}.{where}", self._point(f"{wheel}.pos").tolist(), f"{wheel}.pos")
        for name, values in sums.items():
            self._put(f"masses.unsprung.{axle}.{name}", values, f"Wheel.{Corner.of(axle, Side.LEFT)}.mass")

    def _tyres(self) -> None:
        if "tyres" in self.document.root:  # tyres of the document take the place of all
            return
        for axle, first in zip(Axle, (0, 2), strict=True):
            keys = [f"Tire.{first + k}" for k in range(2)]
            names = [self.info.text(key) for key in keys]
            if not names[0]:
                raise self.info.fail(keys[0], f"'{keys[0]}' is missing: the tyre of the {axle} axle")
            if names[0] != names[1]:
                self._warn(keys[1], f"left and right tyre of the {axle} axle differ; taken is '{shown(names[0])}'")
            path = self._file("Tire", names[0], keys[0], "[tyres] and [wheels.…] tyres")
            name = Path(names[0]).name.replace(".", "_")
            if path is not None:
                self._put(f"tyres.{name}.file", str(path), keys[0])
                self._put(f"wheels.{axle}.tyres", name, keys[0])

    def _file(self, folder: str, name: str, key: str, instead: str) -> Path | None:
        """A file that a vehicle file names: in a folder beside one of those above it, or beside the vehicle file."""
        here = self.info.path.resolve()
        for place in (here.parent, *(parent / folder for parent in list(here.parents)[:6])):
            with contextlib.suppress(OSError, ValueError):  # names that no file can have
                if name and (place / name).is_file():
                    return place / name
        text = f"'{key}' names '{shown(name)}', which is in no folder '{folder}' above the vehicle file"
        hint = f"put it beside the vehicle file, or give {instead} in reference.toml"
        self.problems.append(readable(Problem(text, self.info.place(key), hint=hint)))
        return None

    # ---- force elements

    def _amplified(self, key: str, meaning: str) -> float | Array:
        """A number, or the table below a key, times its factor."""
        factor = self.info.number(f"{key}.Amplify", "factor", 1.0)
        if self.info.is_table(key):
            table = self.info.table(key, 2, meaning)
            if (np.diff(table[:, 0]) <= 0.0).any():
                raise self.info.fail(key, f"the first column of '{key}' must increase")
            return np.asarray(table * np.array([1.0, factor]))
        return factor * self.info.number(key, meaning)

    def _kind(self, key: str, known: str) -> None:
        kind = self.info.word(key)
        if kind not in ("", known):
            raise self.info.fail(key, f"'{key}' is '{shown(kind)}'", f"read is {known}")

    def _damper(self, axle: Axle) -> None:
        prefix = _PREFIX[axle]
        self._kind(f"{prefix}.Damper.Kind", "Newtonian")
        curves = []
        for way in ("Push", "Pull"):
            given = self._amplified(f"{prefix}.Damp_{way}", "speed and force of the damper [m/s], [N]")
            table = given if isinstance(given, np.ndarray) else np.array([[0.0, 0.0], [1.0, given]])
            if (table < 0.0).any():
                raise self.info.fail(f"{prefix}.Damp_{way}", f"'{prefix}.Damp_{way}' has values below 0")
            curves.append(table[table[:, 0] > 0.0])
        push, pull = curves
        both = np.concatenate((-push[::-1], np.zeros((1, 2)), pull))
        self._put(f"dampers.{axle}.velocity", both[:, 0].tolist(), f"{prefix}.Damp_Push")
        self._put(f"dampers.{axle}.force", both[:, 1].tolist(), f"{prefix}.Damp_Push")
        if self.info.word(f"{prefix}.Damper.TopMnt.Kind") or self.info.number(f"{prefix}.Damper.TopMnt.On", "", 0.0):
            self._warn(f"{prefix}.Damper.TopMnt.On", "the top mount of the damper is not read")

    def _suspension(self, axle: Axle) -> None:
        info, prefix, kc = self.info, _PREFIX[axle], f"kc.{axle}"
        for element in ("Spring", "Buffer", "Stabi"):
            self._kind(f"{prefix}.{element}.Kind", "Hookean")
        stiffness = self._amplified(f"{prefix}.Spring", "stiffness of the spring [N/m]")
        if isinstance(stiffness, np.ndarray):
            raise info.fail(f"{prefix}.Spring", "a spring as a table is not read", "give its stiffness as a number")
        self._put(f"{kc}.spring.stiffness", stiffness, f"{prefix}.Spring")
        if info.text(f"{prefix}.Spring.l0"):
            self._put(f"{kc}.spring.free_length", info.number(f"{prefix}.Spring.l0", ""), f"{prefix}.Spring.l0")
        if f"{prefix}.SecSpring" in info:
            self._warn(f"{prefix}.SecSpring", "the second spring is not read")
        for way, name in (("Push", "bump_stop"), ("Pull", "rebound_stop")):
            key = f"{prefix}.Buf_{way}"
            if key not in info:
                continue
            self._put(
                f"{kc}.{name}.travel", info.number(f"{key}.tz0", "travel where the stop begins [m]"), f"{key}.tz0"
            )
            given = self._amplified(key, "compression and force of the stop [m], [N]")
            if isinstance(given, np.ndarray):
                self._put(f"{kc}.{name}.compression", given[:, 0].tolist(), key)
                self._put(f"{kc}.{name}.force", given[:, 1].tolist(), key)
            else:
                self._put(f"{kc}.{name}.stiffness", given, key)
        if f"{prefix}.Stabi" in info:
            unit = info.text(f"{prefix}.Stabi.Unit") or "N/m"
            bar = self._amplified(f"{prefix}.Stabi", "stiffness of the anti-roll bar [N/m]")
            if unit != "N/m" or isinstance(bar, np.ndarray):
                raise info.fail(
                    f"{prefix}.Stabi", "an anti-roll bar is read as a number [N/m]", f"it is in {shown(unit)}"
                )
            self._put(f"{kc}.anti_roll_bar", bar, f"{prefix}.Stabi")
        given = self.document.given(("kc", str(axle)))
        if isinstance(given, str):  # a file in place of a table
            self.document.given(("kc",))[str(axle)] = {"skc": given}
        elif not isinstance(given, dict) or "skc" not in given:
            key = f"{prefix}.Kin.0.FName"
            inside = f"{prefix}.Kin.0.Kind" in info
            path = info.path if inside else self._file("Chassis", info.text(key), key, f'[kc] {axle} = "….skc"')
            if path is not None:
                self._put(f"{kc}.skc", str(path.resolve()), key)

    # ---- the rest

    def _steering(self) -> None:
        key = "Steering.Rack2StWhl"
        if "steering" in self.document.root:
            return
        if self.info.is_table(key):
            hint = (
                "give [steering] ratio in reference.toml: rack travel over steering-wheel angle, positive to the left"
            )
            raise self.info.fail(key, f"'{key}' is a table, whose signs differ between files: it is not read", hint)
        ratio = self.info.number(key, "steering-wheel angle over rack travel [rad/m]")
        if ratio == 0.0:
            raise self.info.fail(key, f"'{key}' is 0: the wheels would not be steered")
        self._put("steering.ratio", 1.0 / ratio, key)

    def _brakes(self) -> None:
        info, system = self.info, "Brake.System"
        if info.word(f"{system}.Kind") != "PresDistrib":
            self._warn(
                f"{system}.Kind", "brakes are read of the kind PresDistrib: this vehicle has none", "give [brakes]"
            )
            return
        pressure = info.number(f"{system}.PedalAct2pMC", "", 0.0)
        if info.text(f"{system}.pMC_based_on") != "PedalAct":
            force = info.number(f"{system}.Pedal2PedalFrc", "force at full pedal [N]")
            pressure = force * info.number(f"{system}.PedalForce2pMC", "pressure over pedal force [bar/N]")
        torques = info.numbers(f"{system}.pWB2Trq", 4, "torque over pressure [N·m/bar]") * pressure
        if "Brake.Torque.Amplify" in info:
            torques = torques * info.numbers("Brake.Torque.Amplify", 4, "factors")
        for axle, first in zip(Axle, (0, 2), strict=True):
            self._put(f"brakes.{axle}", float(torques[first]), f"{system}.pWB2Trq")
        self._put("brakes.pressure", pressure * _BAR, f"{system}.pWB2Trq")

    def _air(self) -> None:
        info = self.info
        if info.word("Aero.Kind") != "Coeff6x1" or not info.is_table("Aero.Coeff"):
            return
        table = info.table("Aero.Coeff", 7, "wind angle [deg], three forces, three moments [-]")
        straight = table[int(np.abs(table[:, 0]).argmin())]
        area = 0.5 * _AIR * info.number("Aero.Ax", "area [m²]")
        point = self._point("Aero.pos")
        front, rear = (self._point(f"Wheel.{corner}.pos")[0] for corner in (Corner.FL, Corner.RL))
        if front == rear:
            raise info.fail("Wheel.rl.pos", "front and rear wheels are at the same x")
        share = (point[0] - rear) / (front - rear)
        self._put("air.drag", float(area * straight[1]), "Aero.Coeff")
        self._put("air.lift_front", float(area * straight[3] * share), "Aero.Coeff")
        self._put("air.lift_rear", float(area * straight[3] * (1.0 - share)), "Aero.Coeff")
        self._put("air.drag_height", float(point[2]), "Aero.pos")
        if straight[5]:
            self._warn("Aero.Coeff", "the pitch moment of the air is not read", "give [air] lift_front and lift_rear")
