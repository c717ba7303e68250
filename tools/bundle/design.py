"""From a data sheet to masses, preloads, rates and clearances that put the laden vehicle at its design position.

Springs carry the sprung weight there by virtual work over the rigid kinematics; their rates follow from the ride
frequency, dampers from the damping ratio, anti-roll bars from the roll gradient. Units of the files: mm, N, kg, s.

Limits: rates of bushings do not enter.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from tools.bundle.kinematics import Sweep, Wheel, in_vehicle_frame, mechanism
from tools.bundle.leaf_file import leaf_text
from tools.bundle.sheet import AntiRollBar, Leaf, Link, Part, Point, Suspension, Vehicle, Wheels
from tools.bundle.solids import Solid, Total, of_part, remainder, total
from tools.bundle.tyres import G, loaded_radius, vertical_stiffness

from trackrod.adams.property_files import read_leaf
from trackrod.core.corners import Side
from trackrod.vehicle.instantiate import Instance, Line
from trackrod.vehicle.leaf_beams import leaf_beams
from trackrod.vehicle.template import LineType, Template
from trackrod.vehicle.template_reader import load_templates

__all__ = ["AIR_DENSITY", "EFFICIENCY", "TEMPLATES", "AxleDesign", "BarDesign", "VehicleDesign", "wheel_names"]

TEMPLATES = load_templates()
AIR_DENSITY = 1.204  # [kg/m³]
EFFICIENCY = 0.94  # of the driveline
_REACH = 0.09  # wheel travel of the kinematic sweep [m]
_STEERING_SHARES = {  # of the mass of the steering
    "rack": 0.18,
    "rack_housing": 0.34,
    "pinion": 0.05,
    "steering_shaft": 0.05,
    "intermediate_shaft": 0.06,
    "steering_column": 0.14,
    "steering_wheel": 0.18,
}


@dataclass(frozen=True, slots=True)
class Springing:
    """Springs of an axle.

    Attributes
    ----------
    rate
        Of the coil spring or leaf [N/mm], or of the torsion bar [N·mm/deg].
    preload
        Force of spring or leaf at the design position [N], or torque of the torsion bar [N·mm].
    wheel_rate, opposite_rate
        Rate at the wheel when both move alike and against each other [N/mm].
    """

    rate: float
    preload: float
    wheel_rate: float
    opposite_rate: float


class AxleDesign:
    """One axle."""

    def __init__(self, sheet: Suspension, wheels: Wheels, load: float, track: float) -> None:
        self.sheet = sheet
        self.wheels = wheels
        self.track = track
        self.load = load * G / 2
        self.template: Template = TEMPLATES[sheet.template]
        self.solids = tuple(of_part(part, sheet.hardpoints) for part in sheet.parts)
        self.dependent = self.template.dependent

    @cached_property
    def instance(self) -> Instance:
        """Elements of the template; rates of torsion springs are not known yet."""
        return mechanism(self.template, self.sheet.hardpoints, {}, self.switches, self._values)

    @property
    def _values(self) -> dict[str, float]:
        """Those of the template that are known [SI], the others zero."""
        known = {}
        if (tube := self.sheet.tube) is not None:
            known = {"tube_diameter": 1e-3 * tube.diameter, "tube_wall": 1e-3 * tube.wall}
            known |= {"tube_elastic_modulus": 1e6 * tube.modulus, "tube_shear_modulus": 1e6 * tube.shear_modulus}
        return dict.fromkeys(self.template.values, 0.0) | known

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """Springs, dampers and stops of the template, also those of a variant that is switched off."""
        switched = {
            **self.switches,
            **{one.switch: one.value for entry in self.template.lines for one in entry.when},
        }
        other = mechanism(self.template, self.sheet.hardpoints, {}, switched, self._values)
        return tuple({line.name: line for line in (*self.instance.lines, *other.lines)}.values())

    def spring_law(self, name: str) -> tuple[float, float]:
        """Rate [N/mm] and force at the design position [N] of a spring of the template."""
        springing = self.springing
        if name == "leaf_roll":  # the sides move twice as far against each other as each of them
            return round(springing.rate * (springing.opposite_rate / springing.wheel_rate - 1) / 2, 2), 0.0
        return round(springing.rate, 2), springing.preload

    @property
    def switches(self) -> Mapping[str, float]:
        """Numbers of the template's conditions and static angles [rad]."""
        angles = {
            f"{name}_angle_{side}": math.radians(value)
            for name, value in (("toe", self.sheet.toe), ("camber", self.sheet.camber))
            for side in Side
        }
        return {**self.sheet.switches, **angles}

    @cached_property
    def wheel(self) -> Wheel:
        """Kinematics of the left side."""
        return Wheel(self.instance)

    @cached_property
    def sweep(self) -> Sweep:
        """Kinematics over the travel."""
        return self.wheel.sweep(_REACH)

    @cached_property
    def leaf_solids(self) -> tuple[Solid, ...]:
        """Masses that the reader takes from the leaf spring file."""
        found = []
        known = [f"{part.name}{suffix}" for part in self.sheet.parts for suffix in ("", "_left", "_right")]
        for place in self.instance.leaves:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "leaf.ltf"
                path.write_text(leaf_text(self._leaf, self.sheet.hardpoints, ""), encoding="ascii")
                leaf, _ = read_leaf(path)
            for body in leaf_beams(place, leaf, 0.0, known)[0]:
                x, y, z = body.centre
                flip = np.outer([-1, -1, 1], [-1, -1, 1])
                tensor = np.array(body.inertia) * flip * 1e6
                centre = np.array([-x, -y, z]) * 1e3
                found.append(Solid(body.name, body.mass, centre, np.eye(3), tensor, 50.0, True))
        return tuple(found)

    @property
    def unsprung(self) -> float:
        """Unsprung mass of a side [kg]."""
        parts = sum(s.mass * (1 - s.sprung / 100) / (2 if s.single else 1) for s in self.solids + self.leaf_solids)
        return parts + self.wheels.mass * len(self.wheels.offsets)

    @property
    def sprung(self) -> float:
        """Sprung mass of a side [kg]."""
        return self.load / G - self.unsprung

    @cached_property
    def tyre_rate(self) -> float:
        """Of the tyres of a side [N/mm]."""
        count = len(self.wheels.offsets)
        return count * vertical_stiffness(self.wheels.tyre, self.load / count)

    @property
    def wanted_rate(self) -> float:
        """Rate at the wheel that gives the ride frequency [N/mm]."""
        ride = self.sprung * (2 * math.pi * self.sheet.ride.frequency) ** 2 / 1000
        return 1 / (1 / ride - 1 / self.tyre_rate)

    @property
    def frequency(self) -> float:
        """Of the sprung mass on springs and tyres [Hz]."""
        ride = 1 / (1 / self.springing.wheel_rate + 1 / self.tyre_rate)
        return math.sqrt(1000 * ride / self.sprung) / (2 * math.pi)

    def check(self, name: str) -> None:
        """ValueError where the data sheet contradicts itself."""
        _, y, z = self.sheet.hardpoints["wheel_center"]
        count = len(self.wheels.offsets)
        radius = loaded_radius(self.wheels.tyre, self.load / count)
        where = f"{name}, {self.sheet.axle} axle"
        if abs(z - radius) > 0.06:
            raise ValueError(f"{where}: the wheel centre is at z = {z:g} mm, under its load it is at {radius:.1f} mm")
        if abs(2 * y + self.track) > 1e-9:
            raise ValueError(f"{where}: the wheel centre at y = {y:g} mm does not fit the track of {self.track:g} mm")
        if abs(self.frequency - self.sheet.ride.frequency) > 0.02:
            raise ValueError(
                f"{where}: the ride frequency is {self.frequency:.3f} Hz, not {self.sheet.ride.frequency:g}"
            )

    @cached_property
    def rates(self) -> Mapping[str, np.ndarray]:
        """Velocity of the origin and angular velocity of each body over the speed of the wheel centre, in V."""
        return self.wheel.rates({}, 1.0, 0.0)

    def speed(self, body: str, point: Point) -> np.ndarray:
        """Velocity of a point of a body over that of the wheel centre, in V."""
        rates = self.rates
        name = f"{body}_left" if f"{body}_left" in rates else body
        if name not in rates:
            return np.zeros(3)
        return np.asarray(rates[name][:3] + np.cross(rates[name][3:], in_vehicle_frame(point)))

    @cached_property
    def supported(self) -> float:
        """Force at the wheel centre that the springs have to bear [N]."""
        centre = self.sheet.hardpoints["wheel_center"]
        contact = (centre[0], centre[1], 0.0)
        force = self.load * self.speed(self.template.wheel.body, contact)[2]  # type: ignore[union-attr]
        force -= self.wheels.mass * len(self.wheels.offsets) * G
        owners = {part: body for body, parts in self.template.parts.items() for part in parts}
        for solid in self.solids:
            body = owners.get(solid.name, solid.name)
            x, y, z = solid.centre.tolist()
            force -= solid.mass * G * self.speed(body, (x, y, z))[2] / (2 if solid.single else 1)
        return float(force)

    @cached_property
    def springing(self) -> Springing:
        """Springs."""
        if self.dependent:
            return self._semi_elliptic()
        if self.instance.leaves:
            return self._transverse_leaf()
        if self.instance.torsion_springs:
            return self._torsion_bar()
        length = self.sweep.lengths[self._spring_name]
        lever = -self.sweep.slope(length)
        preload = self.supported / lever
        geometric = -preload * self.sweep.curvature(length) / 1000
        rate = 0.5 * round(2 * (self.wanted_rate - geometric) / lever**2)
        wheel_rate = rate * lever**2 + geometric
        return Springing(rate, preload, wheel_rate, wheel_rate)

    @property
    def _spring_name(self) -> str:
        return next(line.element for line in self.instance.lines if line.type is LineType.SPRING)

    def _torsion_bar(self) -> Springing:
        # Turn of the arm about its axis over wheel travel [rad/mm].
        spring = self.instance.torsion_springs[0]
        turn = float(self.rates[spring.bodies[0]][3:] @ np.array(spring.axis)) / 1000
        per_degree = self.wanted_rate / turn**2 * math.pi / 180
        rate = 1000.0 * round(per_degree / 1000)
        wheel_rate = rate * 180 / math.pi * turn**2
        return Springing(rate, self.supported / turn, wheel_rate, wheel_rate)

    def _transverse_leaf(self) -> Springing:
        leaf = self._leaf
        end, clamp = (self.sheet.hardpoints[name] for name in ("leaf_end", "leaf_clamp"))
        lever = float(self.speed(self._arm, end)[2])
        overhang, span = abs(end[1] - clamp[1]), 2 * abs(clamp[1])
        bending = leaf.modulus * leaf.width * sum(one[2] ** 3 for one in leaf.leaves) / 12
        alike = bending / (overhang**3 / 3 + overhang**2 * span / 2)
        opposite = bending / (overhang**3 / 3 + overhang**2 * span / 6)
        own = next((s.mass for s in self.leaf_solids if s.name == "leaf_end_left"), 0.0) * G
        return Springing(alike, self.supported / lever - own, alike * lever**2, opposite * lever**2)

    @property
    def _leaf(self) -> Leaf:
        if self.sheet.leaf is None:
            raise ValueError(f"the {self.sheet.axle} suspension needs a leaf")
        return self.sheet.leaf

    @property
    def _arm(self) -> str:
        return self.template.offers["arb_pickup"]

    def _semi_elliptic(self) -> Springing:
        eyes = [np.array(self.sheet.hardpoints[name]) for name in ("leaf_front_eye", "leaf_seat", "leaf_rear_eye")]
        front, rear = (float(np.linalg.norm(eyes[1] - eyes[end])) for end in (0, 2))
        compliance = (rear / (front + rear)) ** 2 * self._cantilever(front, 0)
        compliance += (front / (front + rear)) ** 2 * self._cantilever(rear, 1)
        rate = 1 / compliance
        base = 2 * abs(eyes[1][1])
        bearing = 2 * self.wheels.mass * len(self.wheels.offsets)
        bearing += sum(s.mass * (1 if s.single else 2) * (1 - s.sprung / 100) for s in self.solids + self.leaf_solids)
        return Springing(rate, self.load - bearing * G / 2, rate, rate * (base / self.track) ** 2)

    def _cantilever(self, length: float, side: int) -> float:
        """Deflection of one half of the leaf at its eye under a unit force [mm/N]."""
        leaf = self._leaf
        x = np.linspace(leaf.inactive, length, 2001)
        inertia = sum(np.where(x <= one[side], leaf.width * one[2] ** 3 / 12, 0.0) for one in leaf.leaves)
        return float(np.trapezoid((length - x) ** 2 / (leaf.modulus * np.maximum(inertia, 1e-9)), x))

    @cached_property
    def damper_lever(self) -> float:
        """Travel of the damper over that of the wheel."""
        if self.dependent:
            way = np.subtract(self.sheet.hardpoints["top_mount"], self.sheet.hardpoints["lwr_strut_mount"])
            return float(abs(way[2]) / np.linalg.norm(way))
        return -self.sweep.slope(self.sweep.lengths["ride_damper"])

    @property
    def damping(self) -> tuple[float, float]:
        """Of the damper in bump and in rebound [N·s/mm]."""
        critical = 2 * math.sqrt(self.springing.wheel_rate * 1000 * self.sprung) / 1000
        bump, rebound = (ratio * critical / self.damper_lever**2 for ratio in self.sheet.ride.damping)
        return round(bump, 2), round(rebound, 2)

    def clearance(self, stop: str) -> float:
        """Way of a stop until it touches [mm]."""
        line = next(line for line in self.instance.lines if line.element == stop)
        rebound = line.type is LineType.REBOUND_STOP
        travel = -self.sheet.ride.rebound if rebound else self.sheet.ride.bump
        if self.dependent:
            start, end = (np.array(point) for point in line.ends)
            return round(abs(travel) * float(abs(end[2] - start[2]) / np.linalg.norm(end - start)), 1)
        lengths = self.sweep.lengths[stop]
        change = self.sweep.at(lengths, travel / 1000) - self.sweep.at(lengths, 0.0)
        return round(1000 * abs(change), 1)

    def bushing_preloads(self) -> Mapping[str, float]:
        """Force along the axes of the mounts in which spring or transverse leaf rest [N]."""
        force = round(self.springing.preload, 1)
        if self.instance.leaves and not self.dependent:
            return {"leaf_clamp": force, "leaf_end": -force}
        spring = next((line for line in self.instance.lines if line.type is LineType.SPRING), None)
        if spring is None or "upper_strut_left" not in spring.bodies:
            return {}
        return {"top_mount": force, "lwr_strut": -force}

    @property
    def roll_centre(self) -> float:
        """Height [mm]."""
        if self.dependent:
            return float(np.mean([self.sheet.hardpoints[name][2] for name in ("leaf_front_eye", "leaf_rear_eye")]))
        return self.track / 2 * self.sweep.slope(self.sweep.contact[:, 1])

    @property
    def spring_roll_stiffness(self) -> float:
        """Of the springs about the roll axis [N·mm/rad]."""
        return self.springing.opposite_rate * self.track**2 / 2

    @property
    def tyre_roll_stiffness(self) -> float:
        """Of the tyres [N·mm/rad]."""
        return self.tyre_rate * self.track**2 / 2


@dataclass(frozen=True)
class BarDesign:
    """An anti-roll bar: its data sheet, rate [N·mm/deg], stiffness about the roll axis [N·mm/rad], and solids."""

    sheet: AntiRollBar
    rate: float
    roll_stiffness: float
    solids: tuple[Solid, ...] = field(repr=False)


class VehicleDesign:
    """A whole vehicle."""

    def __init__(self, sheet: Vehicle) -> None:
        self.sheet = sheet
        self.front = AxleDesign(sheet.front, sheet.wheels[0], sheet.loads[0], sheet.tracks[0])
        self.rear = AxleDesign(sheet.rear, sheet.wheels[1], sheet.loads[1], sheet.tracks[1])
        for axle in self.axles:
            axle.check(sheet.name)

    @property
    def axles(self) -> tuple[AxleDesign, AxleDesign]:
        """Front, rear."""
        return self.front, self.rear

    @cached_property
    def steering_points(self) -> dict[str, Point]:
        """Hardpoints of the steering, those of pairs for the left side."""
        steering = self.sheet.steering
        return {**steering.pairs, "tierod_inner": self.sheet.front.hardpoints["tierod_inner"], **steering.singles}

    @cached_property
    def steering_solids(self) -> tuple[Solid, ...]:
        """Parts of the steering."""
        points = dict(self.steering_points)
        for name in ("tierod_inner", "rack_house_mount"):
            x, y, z = points[name]
            points[f"{name}_right"] = (x, -y, z)
        mass = {name: round(share * self.sheet.steering.mass, 2) for name, share in _STEERING_SHARES.items()}
        ends = {
            "rack": ("tierod_inner", "tierod_inner_right"),
            "rack_housing": ("rack_house_mount", "rack_house_mount_right"),
            "steering_shaft": ("pinion_pivot", "intermediate_shaft_forward"),
            "intermediate_shaft": ("intermediate_shaft_forward", "intermediate_shaft_rearward"),
            "steering_column": ("intermediate_shaft_rearward", "steering_wheel_center"),
        }
        parts: list[Part | Link] = [
            Link(name, mass[name], pair, 25.0 if name == "rack_housing" else 12.0, sprung=100.0, single=True)
            for name, pair in ends.items()
        ]
        lumps = (("pinion", "pinion_pivot", 25.0), ("steering_wheel", "steering_wheel_center", 125.0))
        parts += [Part(name, mass[name], (at,), (r, r, r), sprung=100.0, single=True) for name, at, r in lumps]
        return tuple(of_part(part, points) for part in parts)

    @property
    def pinion_ratio(self) -> float:
        """Pinion angle over rack travel [rad/mm]."""
        return round(self.sheet.steering.ratio * abs(self.front.wheel.steering()) / 1000, 5)

    def wheel_solids(self, axle: AxleDesign) -> tuple[Solid, ...]:
        """Wheels of an axle, left side."""
        x, y, z = axle.sheet.hardpoints["wheel_center"]
        across, spin = (1e6 * value for value in axle.wheels.inertia)
        inertia = np.diag([across, spin, across])
        return tuple(
            Solid(name, axle.wheels.mass, np.array([x, y - offset, z]), np.eye(3), inertia, 0.0, False)
            for name, offset in zip(wheel_names(axle.wheels), axle.wheels.offsets, strict=True)
        )

    @cached_property
    def powertrain_solids(self) -> tuple[Solid, ...]:
        """Engine and gearbox."""
        return tuple(of_part(part, {}) for part in self.sheet.powertrain.parts)

    @cached_property
    def payload_solids(self) -> tuple[Solid, ...]:
        """Payload."""
        return tuple(of_part(part, {}) for part in self.sheet.body.payload)

    @cached_property
    def bar_solids(self) -> tuple[tuple[Solid, ...], ...]:
        """Parts of each anti-roll bar."""
        return tuple(tuple(of_part(part, bar.hardpoints) for part in bar.parts) for bar in self.sheet.bars)

    @cached_property
    def whole(self) -> Total:
        """The vehicle as the data sheet wants it."""
        x = self.sheet.wheelbase * self.sheet.loads[1] / self.sheet.mass
        body = self.sheet.body
        return Total(self.sheet.mass, np.array([x, -body.left, body.height]), np.diag(body.inertia) * 1e6)

    @cached_property
    def chassis(self) -> Solid:
        """What the other parts leave."""
        others = [solid for axle in self.axles for solid in axle.solids + axle.leaf_solids + self.wheel_solids(axle)]
        others += [
            *self.steering_solids,
            *self.powertrain_solids,
            *self.payload_solids,
            *(solid for bar in self.bar_solids for solid in bar),
        ]
        return remainder("chassis", self.whole, total(others))

    @property
    def sprung_mass(self) -> float:
        """Of both axles [kg]."""
        return 2 * sum(axle.sprung for axle in self.axles)

    @cached_property
    def roll_arm(self) -> float:
        """Height of the sprung mass above the roll axis [mm]."""
        low = sum(2 * axle.unsprung * axle.sheet.hardpoints["wheel_center"][2] for axle in self.axles)
        height = (self.sheet.mass * self.sheet.body.height - low) / self.sprung_mass
        share = self.rear.sprung / (self.front.sprung + self.rear.sprung)
        return height - (1 - share) * self.front.roll_centre - share * self.rear.roll_centre

    def roll_gradient(self, bars: float) -> float:
        """Roll angle over lateral acceleration [deg/g] with anti-roll bars of this stiffness together [N·mm/rad]."""
        stiffness = 0.0
        for axle in self.axles:
            own = axle.spring_roll_stiffness
            own += bars * sum(bar.share for bar in self.sheet.bars if bar.axle == axle.sheet.axle)
            stiffness += 1 / (1 / own + 1 / axle.tyre_roll_stiffness)
        moment = self.sprung_mass * G * self.roll_arm
        return math.degrees(moment / (stiffness - moment))

    @property
    def top_speed(self) -> float:
        """Highest speed on level ground by air drag and 1.2 % rolling resistance [km/h]."""
        train, body = self.sheet.powertrain, self.sheet.body
        radius = self.sheet.rear.hardpoints["wheel_center"][2] / 1000
        speed = np.arange(5.0, 100.0, 0.05)
        resistance = 0.5 * AIR_DENSITY * body.area * body.drag * speed**2 + 0.012 * self.sheet.mass * G
        fastest = 0.0
        for gear in train.gears:
            ratio = gear * train.final_drive
            engine = speed / radius * ratio * 30 / math.pi
            thrust = np.interp(engine, train.speeds, train.torques) * ratio * EFFICIENCY / radius
            reached = speed[(engine < train.limit) & (thrust >= resistance)]
            fastest = max(fastest, float(reached.max(initial=0.0)))
        return 3.6 * fastest

    @cached_property
    def bars(self) -> tuple[BarDesign, ...]:
        """Anti-roll bars that give the roll gradient; ValueError if the springs alone are stiffer than that."""
        low, high = 0.0, 1e10
        if self.sheet.bars and self.roll_gradient(low) < self.sheet.roll_gradient:
            raise ValueError(f"{self.sheet.name}: without bars it rolls {self.roll_gradient(low):.2f} deg/g only")
        for _ in range(80):
            middle = (low + high) / 2
            low, high = (middle, high) if self.roll_gradient(middle) > self.sheet.roll_gradient else (low, middle)
        found = []
        for bar, solids in zip(self.sheet.bars, self.bar_solids, strict=True):
            axle = self.front if bar.axle == "front" else self.rear
            turn = self._bar_turn(bar, axle)
            per_degree = low * bar.share / (turn * axle.track) ** 2 * math.pi / 180
            rate = 1000.0 * round(per_degree / 1000) if per_degree > 1e5 else 100.0 * round(per_degree / 100)
            found.append(BarDesign(bar, rate, low * bar.share, solids))
        return tuple(found)

    @staticmethod
    def _bar_turn(bar: AntiRollBar, axle: AxleDesign) -> float:
        """Turn of one half of a bar over wheel travel [rad/mm]."""
        mount, upper, lower = (bar.hardpoints[name] for name in ("bar_mount", "droplink_upper", "droplink_lower"))
        link = in_vehicle_frame(upper) - in_vehicle_frame(lower)
        arm = in_vehicle_frame(upper) - in_vehicle_frame(mount)
        if axle.dependent:
            # The axle rolls about its middle: less travel further in.
            speed = np.array([0.0, 0.0, abs(lower[1]) / (axle.track / 2)])
        else:
            speed = axle.speed(axle.template.offers["arb_pickup"], lower)
        swing = np.cross([0.0, 1.0, 0.0], arm)
        return float(abs(speed @ link / (swing @ link))) / 1000


def wheel_names(wheels: Wheels) -> tuple[str, ...]:
    """Names of the wheels of a side."""
    return ("wheel",) if len(wheels.offsets) == 1 else ("outer_wheel", "inner_wheel")
