"""The vehicle file of CarMaker: masses, positions, force elements, steering, brakes, air, powertrain.

Points count from the road below a point one metre behind the rear wheels: x forward, y left, z up.

Keys and their order are those of sample vehicles: versions 9, 10 and 13 were seen, 11 and 12 are written as 10, and 14
and 15 follow notes about them (`VERSIONS`).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from trackrod.core.corners import Axle, Corner
from trackrod.export.carmaker.elements import AxleElements, Stop
from trackrod.export.carmaker.powertrain import put_powertrain, put_shifting
from trackrod.export.carmaker.suspension_file import PREFIX
from trackrod.export.carmaker.text import SourcedText
from trackrod.rtm.spec import RtmSpec

__all__ = ["VERSIONS", "vehicle_text"]

Array = NDArray[np.float64]

#: Versions that can be written, and what they were checked by.
VERSIONS: Mapping[int, str] = {
    9: "sample vehicles",
    10: "a sample vehicle",
    11: "as version 10, no sample",
    12: "as version 10, no sample",
    13: "a sample vehicle, its powertrain electric",
    14: "notes on the format, no sample",
    15: "notes on the format, no sample",
}
#: Density of the air that CarMaker counts with [kg/m³], and the area that coefficients are written for [m²].
_AIR_DENSITY, _AREA = 1.205, 1.0
_BAR = 1e5
#: Pressure at full pedal where the model does not know it [bar].
_PRESSURE = 100.0
_BEHIND = 1.0
#: Of a wheel and of a carrier, in place of one that the model does not have [kg·m²].
_LEAST_INERTIA = 1e-3
_SUPPLIES = ("BattLV.Bdy.0", "BattLV.Bdy.1", "BattHV.Bdy.0", "BattHV.Bdy.1")
_SHOWN = (
    "Picture.PicFName",
    "Movie.Skin.FName",
    "Vehicle.OuterSkin",
    "nAxle",
    "Steering.Kind",
    "Steering.FName",
    "Brake.Kind",
    "Brake.FName",
    "PowerTrain.Kind",
    "PowerTrain.FName",
    "CM4SL.ActivateFcn",
    "CM4SL.StartFcn",
    "CM4SL.StopFcn",
)


def vehicle_text(
    spec: RtmSpec,
    elements: Mapping[Axle, AxleElements],
    suspensions: Mapping[Axle, str],
    tyres: Mapping[str, str],
    version: int,
    creator: str,
) -> SourcedText:
    """The vehicle file of a model.

    Parameters
    ----------
    spec
        The model.
    elements
        Force elements of its axles.
    suspensions, tyres
        Names of the files of its axles, and of its tyres by their names in the model.
    version
        One of `VERSIONS`.
    creator
        What is written about who made it.
    """
    first = (
        "#INFOFILE1.1 (UTF-8) - Do not remove this line!"
        if version >= 13
        else "#INFOFILE1.1 - Do not remove this line!"
    )
    return _Writer(spec, SourcedText(first, source="fixed"), version).text(elements, suspensions, tyres, creator)


class _Writer:
    def __init__(self, spec: RtmSpec, text: SourcedText, version: int) -> None:
        self.spec, self.out, self.version = spec, text, version
        rear = min(wheel.centre[0] for wheel in spec.wheels)
        self.origin = np.array([rear - _BEHIND, 0.0, spec.road_height])
        p = spec.parameters
        front = spec.wheels[0].centre[0]
        self.centre = np.array([front - p["cg_to_front"], p["cg_y"], p["cg_height"] + spec.road_height]) - self.origin
        self.wheels = {wheel.corner: np.array(wheel.centre) - self.origin for wheel in spec.wheels}

    def text(
        self,
        elements: Mapping[Axle, AxleElements],
        suspensions: Mapping[Axle, str],
        tyres: Mapping[str, str],
        creator: str,
    ) -> SourcedText:
        self.out.put("FileIdent", f"CarMaker-Car {self.version}")
        self.out.put("FileCreator", creator)
        self._assembly()
        self._body()
        self.out.section("Suspensions")
        for axle in Axle:
            self._suspension(elements[axle], suspensions[axle])
        self._systems()
        self._steering()
        self._tyres(tyres)
        self._brakes()
        put_powertrain(self.out, self.spec, self.version)
        self._rest()
        return self.out

    def _put(self, key: str, *values: float | str, of: str = "fixed") -> None:
        self.out.source = of
        self.out.put(key, *values)
        self.out.source = "fixed"

    def _comment(self, key: str) -> None:
        self.out.put_lines(f"{key}.Comment")

    # ---- masses and positions

    def _assembly(self) -> None:
        out, spec = self.out, self.spec
        out.section("Assembly")
        out.blank()
        self._put("RefPointInputSystem", 0.0, 0.0, 0.0)
        out.put_lines("Description", [f"Real-time model of {spec.name}"])
        out.blank()
        self._put("Eng.Kind", "Rigid")
        self._put("Eng.Joint.pos", 0.0, 0.0, 0.0)
        self._put("Eng.Orientation", 0.0, 0.0, 0.0)
        out.blank()
        self._put("Hitch.System", "")
        self._put("Hitch.pos", 0.0, 0.0, 0.4)
        for corner, place in self.wheels.items():
            inward = 0.5 if corner.axle is Axle.REAR else -0.5
            self._put(f"Jack.{corner}.pos", float(place[0] + inward), *place[1:], of="wheel centre")
        self._put("Virtual.PoA", *self.centre, of="sprung centre of gravity")
        out.blank()
        for part in ("WheelCarrier", "Wheel"):
            for corner, place in self.wheels.items():
                self._unsprung(part, corner, place)
        out.blank()
        self._empty_bodies()
        out.blank()
        self._comment("Assembly")

    def _unsprung(self, part: str, corner: Corner, place: Array) -> None:
        """Half of the mass turns; a wheel has half of its spin inertia about the other axes, if there is as much."""
        p, axle = self.spec.parameters, corner.axle
        roll, yaw, spin = (
            p[f"{name}_{axle}"] for name in ("unsprung_roll_inertia", "unsprung_yaw_inertia", "wheel_inertia")
        )
        with_shafts = spin + p[f"shaft_inertia_{axle}"]
        turning = [max(min(0.5 * spin, 0.9 * whole), _LEAST_INERTIA) for whole in (roll, yaw)]
        self._put(f"{part}.{corner}.mass", 0.5 * p[f"unsprung_mass_{axle}"], of=f"half of unsprung_mass_{axle}")
        if part == "Wheel":
            self._put(
                f"Wheel.{corner}.I",
                turning[0],
                with_shafts,
                turning[1],
                of=f"wheel_inertia_{axle}, half of it about x, z; shaft_inertia_{axle}",
            )
        else:
            held = [max(whole - wheel, _LEAST_INERTIA) for whole, wheel in zip((roll, yaw), turning, strict=True)]
            values = (held[0], 0.5 * sum(held), held[1], 0.0, 0.0, 0.0)
            self._put(
                f"WheelCarrier.{corner}.I",
                *values,
                of=f"unsprung_roll_inertia, unsprung_yaw_inertia of {axle}, less the wheel",
            )
        self._put(f"{part}.{corner}.pos", *place, of="wheel centre at the design position")

    def _empty_bodies(self) -> None:
        """Bodies of the powertrain: their mass is in the body's."""
        boxes = (
            [f"Gearbox.{k}" for k in range(5)]
            if self.version >= 13
            else ["GearBox", *(f"GearBoxM{k}" for k in ("", 1, 2, 3))]
        )
        names = [f"{name}.Bdy" for name in ("Engine", "Engine.Tank", *boxes, *(f"Motor{k}" for k in ("", 1, 2, 3)))]
        for name in [*names, *(f"PowerSupply.{supply}" for supply in _SUPPLIES)]:
            key = f"PowerTrain.{name}"
            self._put(f"{key}.pos", 0.0, 0.0, 0.0)
            self._put(f"{key}.Ori", 0.0, 0.0, 0.0)
            self._put(f"{key}.Mounting", "FrEng" if name in ("Engine.Bdy", "GearBox.Bdy", "Gearbox.0.Bdy") else "Fr1A")
            self._put(f"{key}.RefFr", "FrD")

    def _body(self) -> None:
        out, p = self.out, self.spec.parameters
        out.section("Body")
        out.blank()
        self._put("VehicleModel", "Vhcl_2Axle")
        self._put("nAxle", 2)
        self._put("VehicleModel.Kind", "RigidBody")
        self._put("VehicleModel.Mode", "BodyA")
        self._put("Body.mass", p["sprung_mass"], of="sprung_mass")
        tensor = [p[name] for name in ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")]
        self._put("Body.I", *tensor, of="Ixx, Iyy, Izz, Ixy, Ixz, Iyz as elements of the tensor")
        self._put("Body.pos", *self.centre, of="cg_to_front, cg_y, cg_height")
        joint = "Flex.JointFr1Fr1B"
        self._put(f"{joint}.pos", *self.centre)
        self._put(f"{joint}.Kind", "Coeff")
        for what, value in (("k", 1e6), ("d", 1e4)):
            for axis in "xy":
                self._put(f"{joint}.{what}.{axis}", value)
            for axis in "xy":
                self._put(f"{joint}.{what}.{axis}.Amplify", 1.0)
        out.blank()
        self._put("Movie.Skin.FName", "")
        self._put("Picture.PicFName", "")
        x, y, z = (np.array([place[i] for place in self.wheels.values()]) for i in range(3))
        skin = (x.min() - 0.9, y.max() + 0.1, 0.5 * z.min(), x.max() + 0.9, y.min() - 0.1, 2.0 * self.centre[2])
        self._put("Vehicle.OuterSkin", *map(float, skin), of="wheel centres")
        out.blank()
        self._air()
        out.blank()
        self._comment("Vhclbody")

    def _air(self) -> None:
        p, out = self.spec.parameters, self.out
        front, rear = (float(self.wheels[corner][0]) for corner in (Corner.FL, Corner.RL))
        pressure, wheelbase = 0.5 * _AIR_DENSITY * _AREA, front - rear
        place = (0.5 * (front + rear), 0.0, p["drag_height"])
        nose_up = 0.5 * (p["lift_front"] - p["lift_rear"])  # times the wheelbase
        row = [0.0, p["drag"], 0.0, p["lift_front"] + p["lift_rear"], 0.0, nose_up, 0.0]
        self._put("Aero.Kind", "Coeff6x1 1")
        self._put("Aero.Marker.pos", *place)
        self._put("Aero.pos", *place, of="drag_height, middle of the wheelbase")
        self._put("Aero.Ax", _AREA)
        self._put("Aero.lReference", wheelbase, of="wheelbase")
        self._put("Aero.Crosswind.Kind", "Step")
        out.source = f"drag, lift_front, lift_rear, with air of {_AIR_DENSITY} kg/m³"
        out.put_table("Aero.Coeff", *([value if k == 0 else value / pressure] for k, value in enumerate(row)))
        out.source = "fixed"

    # ---- suspensions

    def _kind(self, key: str, kind: str) -> None:
        if self.version >= 10:
            self._put(f"{key}.Kind", kind)

    def _suspension(self, elements: AxleElements, file: str) -> None:
        out, prefix, axle = self.out, PREFIX[elements.axle], elements.axle
        free, compressed, force = elements.spring_table()
        of = f"spring of both wheels less unsprung weight, spring_factor_{axle}"
        if elements.roll_gain < 0.0:
            of += f"; with lSpring it holds the roll gain of {elements.roll_gain:.0f} N/m beyond the springs"
        self._kind(f"{prefix}.Spring", "Hookean 1")
        self._put(f"{prefix}.Spring.Amplify", 1.0)
        self._put(f"{prefix}.Spring.l0", free, of=of)
        out.source = of
        out.put_table(f"{prefix}.Spring", compressed, force)
        out.source = "fixed"
        if self.version < 10:
            self._put(f"{prefix}.SecSpring.Amplify", 1.0)
        else:
            self._put(f"{prefix}.Parasitic.Stiffness.Kind", "")
            self._put(f"{prefix}.Parasitic.Friction.Kind", "")
        self._kind(f"{prefix}.Damper", "Newtonian 1")
        for way, rows in zip(("Push", "Pull"), elements.damper, strict=True):
            self._put(f"{prefix}.Damp_{way}.Amplify", 1.0)
            out.source = f"damper of both wheels, damper_factor_{axle}"
            out.put_table(f"{prefix}.Damp_{way}", *rows.T)
            out.source = "fixed"
        if self.version < 10:
            self._put(f"{prefix}.Damper.TopMnt.On", 0)
        elif self.version >= 13:
            self._put(f"{prefix}.Damper.TopMnt.Kind", "")
        self._kind(f"{prefix}.Buffer", "Hookean 1")
        far = 2.0 * elements.travel[[-1, 0]]
        for way, stop, beyond in (("Push", elements.bump, far[0]), ("Pull", elements.rebound, far[1])):
            self._stop(f"{prefix}.Buf_{way}", stop, float(beyond), f"stops of the left wheel, stop_factor_{axle}")
        self._kind(f"{prefix}.Stabi", "Hookean 1")
        self._put(f"{prefix}.Stabi.Amplify", 1.0)
        if self.version < 10:
            self._put(f"{prefix}.Stabi.Unit", "N/m")
        self._put(
            f"{prefix}.Stabi", elements.bar, of=f"roll with antiroll_factor_{axle}; lStabi makes it follow the curve"
        )
        self._put(f"{prefix}.Kin.N", 1)
        self._put(f"{prefix}.Com.N", 0)
        self._put(f"{prefix}.Kin.0.FName", file)
        self._put(f"{prefix}.WhlBearing.On", 0)

    def _stop(self, key: str, stop: Stop | None, beyond: float, of: str) -> None:
        self._put(f"{key}.tz0", beyond if stop is None else stop.begins, of=of)
        self._put(f"{key}.Amplify", 1.0)
        self.out.source = of
        if stop is None:
            self.out.put(key, 0.0)
        else:
            self.out.put_table(key, stop.pressed, stop.force)
        self.out.source = "fixed"

    def _systems(self) -> None:
        self._put("SuspExtFrcs.Kind", "")
        if self.version >= 14:
            self._put("SuspControl.0.Kind", "")
        elif self.version >= 10:
            self._put("SuspControl.Kind", "")
        if self.version >= 13:
            for name in ("Frc", "Spring", "Damper", "Buffer", "Stabi"):
                self._put(f"Susp.{name}System.Kind", "")
        self._comment("Susp")

    # ---- the rest

    def _steering(self) -> None:
        self.out.section("Steering")
        self._put("Steering.Kind", "GenAngle 1")
        self._comment("Steering")
        ratio = self.spec.parameters["steering_ratio"]
        self._put(
            "Steering.Rack2StWhl", 1.0 / abs(ratio) if ratio else 100.0, of="1 / steering_ratio, positive to the left"
        )

    def _tyres(self, files: Mapping[str, str]) -> None:
        self.out.section("Tires")
        for k, wheel in enumerate(self.spec.wheels):
            self._put(f"Tire.{k}", files[wheel.tyres[0].tyre], of="tyre of the wheel")
        twin = len(self.spec.wheels[2].tyres) > 1
        self._put("AxleR.TwinTiresOn", int(twin), of="tyres of a rear wheel")
        self._comment("Tires")

    def _brakes(self) -> None:
        p, system = self.spec.parameters, "Brake.System"
        pressure = (self.spec.brake_pressure or _PRESSURE * _BAR) / _BAR
        self.out.section("Brake")
        self._put("Brake.Kind", "Hyd 1")
        self._put("Brake.Torque.Amplify", 1.0, 1.0, 1.0, 1.0)
        self._put("Brake.Control.Kind", "HydBasic 1")
        self._put("Brake.Control.Mode", "NoRegeneration" if self.version >= 13 else "NoController")
        self._put(f"{system}.Kind", "PresDistrib 1")
        if self.version >= 13:
            self._put(f"{system}.pMC_based_on", "PedalAct")
            self._put(f"{system}.PedalAct2pMC", pressure, of="brake_pressure")
        else:
            self._put(f"{system}.pMC_based_on", "PedalForce")
            self._put(f"{system}.Pedal2PedalFrc", 500.0)
            self._put(f"{system}.PedalForce2pMC", pressure / 500.0, of="brake_pressure")
        self._put(f"{system}.tResp", 0.0)
        self._put(f"{system}.tBuildUp", 0.001)
        torques = [p[f"brake_{corner.axle}"] / pressure for corner in Corner]
        self._put(f"{system}.pWB2Trq", *torques, of="brake_front, brake_rear over brake_pressure")
        self._put(f"{system}.Park.Torque_max", 0.0, 0.0, *torques[2:])
        self._comment("Brake")

    def _rest(self) -> None:
        out = self.out
        out.section("Sensors" if self.version < 10 else "Sensor Parametrizations")
        self._comment("Sensor")
        out.section("Vehicle Control")
        for k in range(10):
            self._put(f"VehicleControl.{k}.Kind", "")
            out.blank()
        self._comment("VehicleControl")
        out.section("Show")
        out.put_lines("Crypto.Show", _SHOWN)
        out.put_lines("Crypto.AllowAccess", ["GenericPlugin"])
        out.section("Additional")
        places = self.spec.wheels[2].tyres
        if len(places) > 1:
            distance = abs(places[0].offset - places[1].offset)
            self._put(
                "Trackrod.TwinTires.Distance", distance, of="offsets of the rear tyres; CarMaker does not read it"
            )
        put_shifting(out, self.spec)
        out.blank()
        out.source = "fixed"
        self._comment("Additional")
