"""A vehicle file of CarMaker as keys of a reference: masses, wheels, tyres, springs, dampers, steering, brakes, air.

Points of the file count from ``RefPointInputSystem``, x forward, y left, z up; SI units, brake pressures in bar. Every
key of ``reference.toml`` goes before the vehicle file, so that what is not read here can be given there.

Limits: the body is rigid; the powertrain, forces of controllers and external forces are not read, and of the air drag
and lift at zero wind angle alone.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.errors import InputError, Place
from trackrod.core.infofile import InfoFile, read_infofile
from trackrod.core.teimorbit.messages import shown
from trackrod.core.toml_document import Document
from trackrod.reference.carmaker_file import PREFIX, VehicleFile

__all__ = ["complete_from_carmaker"]

Found = dict[tuple[str, ...], tuple[Any, Place]]


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
        self.file = VehicleFile(info)
        self.document = document
        self.found: Found = {}
        self.problems = self.file.problems

    def _put(self, path: str, value: Any, key: str) -> None:
        self.found[tuple(path.split("."))] = (value, self.info.place(key))

    def read(self) -> None:
        self._put("name", self.info.path.name, "FileIdent")
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

    def _masses(self) -> None:
        total = self.file.sprung()
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
            inertia = self.file.tensor(f"{wheel}.I")
            held = self.file.tensor(f"{carrier}.I") if f"{carrier}.I" in info else np.zeros((3, 3))
            mass = info.number(f"{wheel}.mass", "mass of the wheel [kg]")
            sums["mass"].append(mass + info.number(f"{carrier}.mass", "mass of the carrier [kg]", 0.0))
            sums["roll_inertia"].append(float(inertia[0, 0] + held[0, 0]))
            sums["yaw_inertia"].append(float(inertia[2, 2] + held[2, 2]))
            sums["spin_inertia"].append(float(inertia[1, 1]))
            where = "centre" if side is Side.LEFT else "centre_right"
            self._put(f"wheels.{axle}.{where}", self.file.point(f"{wheel}.pos").tolist(), f"{wheel}.pos")
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
                self.file.warn(keys[1], f"left and right tyre of the {axle} axle differ; taken is '{shown(names[0])}'")
            path = self._file("Tire", names[0], keys[0], "[tyres] and [wheels.…] tyres")
            name = Path(names[0]).name.replace(".", "_")
            if path is not None:
                self._put(f"tyres.{name}.file", str(path), keys[0])
                self._put(f"wheels.{axle}.tyres", name, keys[0])

    def _file(self, folder: str, name: str, key: str, instead: str) -> Path | None:
        """A file that a vehicle file names; noted if it is not there."""
        path = self.file.find(folder, name)
        if path is None:
            hint = f"put it beside the vehicle file, or give {instead} in reference.toml"
            self.problems.append(self.file.missing(folder, name, key, hint))
        return path

    # ---- force elements

    def _damper(self, axle: Axle) -> None:
        curve = self.file.damper(axle)
        self._put(f"dampers.{axle}.velocity", curve[:, 0].tolist(), f"{PREFIX[axle]}.Damp_Push")
        self._put(f"dampers.{axle}.force", curve[:, 1].tolist(), f"{PREFIX[axle]}.Damp_Push")

    def _suspension(self, axle: Axle) -> None:
        info, prefix, kc = self.info, PREFIX[axle], f"kc.{axle}"
        for element in ("Spring", "Buffer", "Stabi"):
            self.file.require_kind(f"{prefix}.{element}.Kind", "Hookean")
        stiffness = self.file.amplified(f"{prefix}.Spring", "stiffness of the spring [N/m]")
        if isinstance(stiffness, np.ndarray):
            raise info.fail(f"{prefix}.Spring", "a spring as a table is not read", "give its stiffness as a number")
        self._put(f"{kc}.spring.stiffness", stiffness, f"{prefix}.Spring")
        if info.text(f"{prefix}.Spring.l0"):
            self._put(f"{kc}.spring.free_length", info.number(f"{prefix}.Spring.l0", ""), f"{prefix}.Spring.l0")
        if f"{prefix}.SecSpring" in info:
            self.file.warn(f"{prefix}.SecSpring", "the second spring is not read")
        for way, name in (("Push", "bump_stop"), ("Pull", "rebound_stop")):
            key = f"{prefix}.Buf_{way}"
            if key not in info:
                continue
            self._put(
                f"{kc}.{name}.travel", info.number(f"{key}.tz0", "travel where the stop begins [m]"), f"{key}.tz0"
            )
            given = self.file.amplified(key, "compression and force of the stop [m], [N]")
            if isinstance(given, np.ndarray):
                self._put(f"{kc}.{name}.compression", given[:, 0].tolist(), key)
                self._put(f"{kc}.{name}.force", given[:, 1].tolist(), key)
            else:
                self._put(f"{kc}.{name}.stiffness", given, key)
        self._put(f"{kc}.anti_roll_bar", self.file.anti_roll_bar(axle), f"{prefix}.Stabi")
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
        found = self.file.brakes()
        if found is None:
            return
        torques, pressure = found
        for axle, first in zip(Axle, (0, 2), strict=True):
            self._put(f"brakes.{axle}", float(torques[first]), "Brake.System.pWB2Trq")
        self._put("brakes.pressure", pressure, "Brake.System.pWB2Trq")

    def _air(self) -> None:
        found = self.file.air()
        for name, value in found.items() if found else ():
            self._put(f"air.{name}", value, "Aero.Coeff")
