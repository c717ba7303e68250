"""The files of a database from the design of a vehicle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray
from tools.bundle.design import (
    AIR_DENSITY,
    EFFICIENCY,
    TEMPLATES,
    AxleDesign,
    BarDesign,
    VehicleDesign,
    wheel_names,
)
from tools.bundle.leaf_file import leaf_text
from tools.bundle.sheet import Mount, Point, Rubber
from tools.bundle.solids import Solid, across
from tools.bundle.source import source_text
from tools.bundle.text import block, curve, derived_units, document, number, parameters, subblock
from tools.bundle.tyres import tyre_text

from trackrod.core.constants import constant
from trackrod.core.teimorbit import Block, Comment, Row, Table, Value
from trackrod.vehicle.template import LineType, Template

__all__ = ["LINES", "bushing_block", "bushing_text", "database", "direction", "hardpoints_block", "part_block"]

Array = NDArray[np.float64]
_BOTH, _SINGLE = "left/right", "single"
_RPM = (0, 0, 1, 0, -1, 6.0)  # 1 rpm = 6 deg/s
_TORQUE = (1, 1, 0, 0, 0, 1000.0)  # 1 N·m = 1000 N·mm
_STEEL_TIME = 1e-3  # damping over rate of torsion and anti-roll bars [s]
_SHARES = np.array([0.25, 0.5, 0.75, 1.0, 1.25, 1.5])  # of the give, where the curves of rubber have points
#: Shape of a damper's curve: force over the low-speed rate [mm/s] at speeds [mm/s].
_DAMPER = (
    (0, 0),
    (3, 3.3),
    (6, 6.7),
    (12, 13.5),
    (25, 28),
    (50, 57),
    (100, 115),
    (200, 188),
    (300, 236),
    (500, 325),
    (750, 425),
    (1000, 520),
    (1500, 710),
)
_TORSION_BAR = "torsion_bar"
_THROTTLE = (0.0, 0.25, 0.5, 0.75, 1.0)
_OPENING = (0.0, 0.42, 0.72, 0.9, 1.0)  # share of the full torque at these throttles
_SWITCHES = {
    "kinematic_flag": "1 ideal joints, 0 bushings",
    "subframe_active": "1 subframe on bushings, 0 rigid with the body",
    "leaf_simplified": "1 vertical and roll springs instead of the leaf, 0 leaf",
    "halfshaft_active": "1 half-shafts from the differential on the body to the wheels, 0 none",
    "flexible_tube": "1 axle tube that bends, 0 rigid axle",
    "driveline_in_axle": "1 differential and half-shafts in the axle and a propeller shaft, 0 none",
    "aero_drag_active": "1 forces of the air, 0 none",
    "steering_assist_active": "1 assistance, 0 none",
}
#: Block, definition, table and suffix of what acts along a line.
LINES = {
    LineType.SPRING: ("NSPRING_ASSEMBLY", "ac_spring", "springs", "spr"),
    LineType.DAMPER: ("DAMPER_ASSEMBLY", "ac_damper", "dampers", "dpr"),
    LineType.BUMP_STOP: ("BUMPSTOP_ASSEMBLY", "ac_bumpstop", "bumpstops", "bum"),
    LineType.REBOUND_STOP: ("REBOUNDSTOP_ASSEMBLY", "ac_reboundstop", "reboundstops", "reb"),
}


def database(design: VehicleDesign) -> dict[str, str]:
    """Texts of all files by their path in the database."""
    return dict(_Writer(design).files())


class _Writer:
    def __init__(self, design: VehicleDesign) -> None:
        self.design = design
        self.sheet = design.sheet
        self.rubbers: dict[str, Rubber] = {}

    def reference(self, table: str, file: str) -> str:
        return f"<{self.sheet.name}>/{table}.tbl/{file}"

    def files(self) -> Iterator[tuple[str, str]]:
        subsystems: list[tuple[str, str, str, str]] = []
        for role, minor, template, name, text in self._subsystems():
            subsystems.append((role, minor, template, name))
            yield f"subsystems.tbl/{name}.sub", text
        yield f"assemblies.tbl/{self.sheet.name}.asy", self._assembly(subsystems)
        for axle in self.design.axles:
            yield from self._line_files(axle)
            tyre = axle.wheels.tyre
            yield f"tires.tbl/{tyre.name}.tir", tyre_text(tyre)
        for rubber in self.rubbers.values():
            time = _STEEL_TIME if rubber.name == _TORSION_BAR else self.sheet.rubber_time
            yield f"bushings.tbl/{rubber.name}.bus", bushing_text(rubber, time)
        yield "powertrains.tbl/engine.pwr", self._engine()
        if self.sheet.powertrain.limited_slip:
            yield "differentials.tbl/limited_slip.dif", self._differential()
        yield "steering_assists.tbl/assist.ste", self._assist()
        yield "loadcases.tbl/parallel_travel.lcf", self._load_case()
        yield "driver_controls.tbl/step_steer.dcf", self._driver_control()
        yield "SOURCE.md", source_text(self.design)

    # Assembly and subsystems

    def _assembly(self, subsystems: Iterable[tuple[str, str, str, str]]) -> str:
        blocks = []
        for role, minor, template, name in subsystems:
            notes = (f"Major Role : {role}", f"Minor Role : {minor}", f"Template   : {template}")
            usage = block("SUBSYSTEM", {"USAGE": self.reference("subsystems", f"{name}.sub")})
            comments = tuple(Comment(note) for note in ("Subsystem information:", *notes))
            blocks.append(Block(usage.name, usage.attributes, comments=comments))
        blocks.append(block("TESTRIG", {"USAGE": "__MDI_SDI_TESTRIG"}))
        meta = [block("ASSEMBLY_HEADER", {"ASSEMBLY_CLASS": "full_vehicle"})]
        return document("asy", [f"{self.sheet.title}, full vehicle"], blocks, meta=meta)

    def _subsystem(
        self, role: str, minor: str, template: str, name: str, title: str, blocks: Iterable[Block]
    ) -> tuple[str, str, str, str, str]:
        adams = TEMPLATES[template].adams_names[0]
        header = {
            "TEMPLATE_NAME": self.reference("templates", f"{adams}.tpl"),
            "MAJOR_ROLE": role,
            "MINOR_ROLE": minor,
        }
        text = document("sub", [f"{self.sheet.title}: {title}"], blocks, meta=[block("SUBSYSTEM_HEADER", header)])
        return role, minor, adams, name, text

    def _subsystems(self) -> Iterator[tuple[str, str, str, str, str]]:
        for axle in self.design.axles:
            yield self._suspension(axle)
        yield self._steering()
        for bar in self.design.bars:
            yield self._bar(bar)
        for axle in self.design.axles:
            yield self._wheels(axle)
        yield self._body()
        yield self._powertrain()
        yield self._brakes()

    def _suspension(self, axle: AxleDesign) -> tuple[str, str, str, str, str]:
        sheet, template = axle.sheet, axle.template
        springing = axle.springing
        switches = {"kinematic_flag": 0, **sheet.switches}
        entries: list[tuple[str, str, float | int | str, str]] = [
            _switch(name, value) for name, value in switches.items()
        ]
        entries += [
            ("toe_angle", _BOTH, float(sheet.toe), "static toe of a wheel, toe-in positive [deg]"),
            ("camber_angle", _BOTH, float(sheet.camber), "static camber of a wheel, top outward positive [deg]"),
        ]
        if "torsion_bar_rate" in template.values:
            preload = number(springing.preload, 0)
            entries.append(("torsion_bar_rate", _BOTH, springing.rate, "torsion bar [N*mm/deg]"))
            entries.append(("torsion_bar_preload", _BOTH, preload, "torque at the design position [N*mm]"))
        if "leaf_friction" in template.values and sheet.leaf is not None:
            entries.append(("leaf_friction", _BOTH, sheet.leaf.friction, "of a leaf at its seat [N]"))
        if (tube := sheet.tube) is not None:
            entries += [
                ("tube_diameter", _SINGLE, tube.diameter, "of the axle tube, outside [mm]"),
                ("tube_wall", _SINGLE, tube.wall, "thickness of its wall [mm]"),
                ("tube_elastic_modulus", _SINGLE, tube.modulus, "[N/mm2]"),
                ("tube_shear_modulus", _SINGLE, tube.shear_modulus, "[N/mm2]"),
                ("tube_damping", _SINGLE, _STEEL_TIME, "damping over stiffness [s]"),
            ]
        blocks = [
            hardpoints_block(sheet.hardpoints, {}),
            *(part_block(solid) for solid in axle.solids),
            *self._bushings(sheet.mounts, sheet.hardpoints, template, axle.bushing_preloads()),
            *self._lines(axle),
            *self._leaf(axle),
            parameters(entries),
        ]
        title = f"{sheet.axle} suspension, {template.title}"
        return self._subsystem("suspension", sheet.axle, sheet.template, f"{sheet.axle}_suspension", title, blocks)

    def _bushings(
        self,
        mounts: Mapping[str, Mount],
        points: Mapping[str, Point],
        template: Template,
        preloads: Mapping[str, float],
        singles: Iterable[str] = (),
    ) -> Iterator[Block]:
        names = [bushing.name for bushing in template.bushings]
        if sorted(names) != sorted(mounts):
            raise ValueError(f"template '{template.name}' has the bushings {names}, the data sheet {list(mounts)}")
        for name in names:
            mount = mounts[name]
            if self.rubbers.setdefault(mount.rubber.name, mount.rubber) != mount.rubber:
                raise ValueError(f"two rubbers are called '{mount.rubber.name}'")
            file = self.reference("bushings", f"{mount.rubber.name}.bus")
            z = direction(mount.axis, points)
            yield bushing_block(name, file, z, preload=preloads.get(name, 0.0), single=name in singles)

    def _lines(self, axle: AxleDesign) -> Iterator[Block]:
        for line in axle.template.lines:
            name, definition, table, suffix = LINES[line.type]
            sided = any(one.element == line.name and one.side is not None for one in axle.lines)
            values: dict[str, Value] = {
                "DEFINITION": f".ACAR.forces.{definition}",
                "USAGE": line.name,
                "SYMMETRY": _BOTH if sided else _SINGLE,
                "PROPERTY_FILE": self.reference(table, f"{axle.sheet.axle}_{line.name}.{suffix}"),
            }
            if line.type is LineType.SPRING:
                values |= {"VALUE_TYPE": "installed_length", "USER_VALUE": _installed(axle, line.name)}
            elif line.type is not LineType.DAMPER:
                values |= {"DISTANCE_TYPE": "clearance", "USER_DISTANCE": axle.clearance(line.name)}
            yield block(name, values)

    def _leaf(self, axle: AxleDesign) -> Iterator[Block]:
        if axle.sheet.leaf is None:
            return
        values: dict[str, Value] = {
            "USAGE": axle.sheet.leaf.element,
            "SYMMETRY": _BOTH if axle.dependent else _SINGLE,
            "PROPERTY_FILE": self.reference("leaf_springs", f"{axle.sheet.axle}_leaf.ltf"),
            "VALUE_TYPE": "preload",
            "USER_VALUE": number(axle.springing.preload, 1),
        }
        yield block("LEAFSPRING_ASSEMBLY", values)

    def _steering(self) -> tuple[str, str, str, str, str]:
        design, steering = self.design, self.sheet.steering
        points = design.steering_points
        pairs = {name: points[name] for name in ("rack_house_mount", "tierod_inner")}
        bar = 1000.0 * steering.torsion_bar
        rubbers = {
            "rack_housing_bushing": Mount(steering.housing, "y"),
            _TORSION_BAR: Mount(
                Rubber(_TORSION_BAR, (50000.0, 50000.0), 50000.0, (5e5, 5e5, bar), (5.0, 5.0)),
                ("pinion_pivot", "intermediate_shaft_forward"),
            ),
        }
        assist = self.reference("steering_assists", "assist.ste")
        ahead = self.sheet.front.hardpoints["tierod_outer"][0] < 0
        gear = block(
            "GEAR_ASSEMBLY",
            {
                "USAGE": "pinion_to_rack",
                "SYMMETRY": _SINGLE,
                "REDUCTION_RATIO": design.pinion_ratio,
                "INVERT_INPUT": "no" if ahead else "yes",
            },
        )
        spline = _spline("steering_assist", "two_dimensional", assist, "steering_assist")
        area = {"USAGE": "rack_piston_area", "SYMMETRY": _SINGLE, "PROPERTY_FILE": assist}
        area |= {"DATA_BLOCK": "STEERING_ASSIST", "ATTRIBUTE_NAME": "piston_area"}
        entries: list[tuple[str, str, float | int | str, str]] = [
            _switch("kinematic_flag", 0),
            _switch("steering_assist_active", 1),
            ("max_steering_angle", _SINGLE, float(steering.lock), "steering-wheel angle at the stop [deg]"),
            (
                "max_rack_displacement",
                _SINGLE,
                number(np.radians(steering.lock) / design.pinion_ratio, 1),
                "rack travel at the stop [mm]",
            ),
        ]
        template = TEMPLATES["rack_pinion_steering"]
        blocks = [
            hardpoints_block(pairs, steering.singles),
            *(part_block(solid) for solid in design.steering_solids),
            *self._bushings(rubbers, points, template, {}, (_TORSION_BAR,)),
            gear,
            spline,
            block("GENERAL_PARAMETER", area),
            parameters(entries),
        ]
        return self._subsystem("steering", "front", template.name, "steering", "rack and pinion steering", blocks)

    def _bar(self, bar: BarDesign) -> tuple[str, str, str, str, str]:
        template = TEMPLATES["anti_roll_bar"]
        entries: list[tuple[str, str, float | int | str, str]] = [
            _switch("kinematic_flag", 0),
            ("bar_rate", _SINGLE, bar.rate, "torque over twist from end to end [N*mm/deg]"),
            ("bar_damping", _SINGLE, number(bar.rate * _STEEL_TIME, 2), "[N*mm*s/deg]"),
        ]
        blocks = [
            hardpoints_block(bar.sheet.hardpoints, {}),
            *(part_block(solid) for solid in bar.solids),
            *self._bushings(bar.sheet.mounts, bar.sheet.hardpoints, template, {}),
            parameters(entries),
        ]
        axle = bar.sheet.axle
        return self._subsystem(
            "antirollbar", axle, template.name, f"{axle}_anti_roll_bar", f"{axle} anti-roll bar", blocks
        )

    def _wheels(self, axle: AxleDesign) -> tuple[str, str, str, str, str]:
        across_, spin = (number(1e6 * value, 0) for value in axle.wheels.inertia)
        blocks = []
        for name, offset in zip(wheel_names(axle.wheels), axle.wheels.offsets, strict=True):
            values: dict[str, Value] = {
                "USAGE": name,
                "SYMMETRY": _BOTH,
                "MASS": axle.wheels.mass,
                "SPRUNG_PERCENTAGE": 0.0,
                "IXX": across_,
                "IYY": across_,
                "IZZ": spin,
                "CM_OFFSET": 0.0,
                "WHEEL_CENTER_OFFSET": float(offset),
                "DEFINITION": ".ACAR.forces.ac_tire",
                "PROPERTY_FILE": self.reference("tires", f"{axle.wheels.tyre.name}.tir"),
                "CONTACT_TYPE": "handling",
            }
            blocks.append(block("WHEEL_ASSEMBLY", values))
        where = axle.sheet.axle
        twin = ", twin tyres" if len(blocks) > 1 else ""
        title = f"{where} wheels, {axle.wheels.tyre.size}{twin}"
        return self._subsystem("wheel", where, "wheels", f"{where}_wheels", title, blocks)

    def _body(self) -> tuple[str, str, str, str, str]:
        body = self.sheet.body
        entries: list[tuple[str, str, float | int | str, str]] = [
            _switch("kinematic_flag", 0),
            _switch("aero_drag_active", 1),
            ("aero_frontal_area", _SINGLE, number(1e6 * body.area, 0), "[mm2]"),
            ("air_density", _SINGLE, number(1e-9 * AIR_DENSITY, 13), "[kg/mm3]"),
            ("drag_coefficient", _SINGLE, body.drag, "[-]"),
            ("front_lift_coefficient", _SINGLE, body.lift[0], "lift of the front axle [-]"),
            ("rear_lift_coefficient", _SINGLE, body.lift[1], "lift of the rear axle [-]"),
            ("aero_center_height", _SINGLE, number(body.height, 1), "above the ground [mm]"),
        ]
        x = self.sheet.wheelbase
        points = {"path_reference": (0.0, 0.0, 0.0), "rear_axle_reference": (x, 0.0, 0.0)}
        blocks = [
            hardpoints_block({}, points),
            part_block(self.design.chassis),
            *(part_block(solid) for solid in self.design.payload_solids),
            parameters(entries),
        ]
        return self._subsystem("body", "any", "rigid_chassis", "body", "sprung body", blocks)

    def _powertrain(self) -> tuple[str, str, str, str, str]:
        train = self.sheet.powertrain
        minor = {0.0: "rear", 1.0: "front"}.get(train.front_share, "any")
        entries: list[tuple[str, str, float | int | str, str]] = [
            _switch("kinematic_flag", 0),
            ("engine_inertia", _SINGLE, number(1e6 * train.inertia, 0), "[kg*mm2]"),
            ("engine_idle_speed", _SINGLE, float(train.idle), "[rpm]"),
            ("engine_rev_limit", _SINGLE, float(train.limit), "[rpm]"),
            ("clutch_capacity", _SINGLE, number(2000 * max(train.torques), 0), "[N*mm]"),
            ("final_drive", _SINGLE, float(train.final_drive), "[-]"),
            *((f"gear_ratio_{i}", _SINGLE, float(ratio), "[-]") for i, ratio in enumerate(train.gears, 1)),
            *((f"gear_upshift_{i}", _SINGLE, float(train.upshift), "[rpm]") for i in range(1, len(train.gears))),
            *(
                (f"gear_downshift_{i}", _SINGLE, float(train.downshift), "[rpm]")
                for i in range(2, len(train.gears) + 1)
            ),
            ("shift_time", _SINGLE, 0.4, "[s]"),
            ("driveline_efficiency", _SINGLE, EFFICIENCY, "[-]"),
            ("driveline_inertia", _SINGLE, 60000.0, "at the gearbox output [kg*mm2]"),
            ("drive_torque_bias_front", _SINGLE, float(train.front_share), "share of the front axle [-]"),
        ]
        blocks = [
            *(part_block(solid) for solid in self.design.powertrain_solids),
            _spline("engine_torque", "three_dimensional", self.reference("powertrains", "engine.pwr"), "engine"),
        ]
        if train.limited_slip:
            axle = "rear" if train.front_share < 1 else "front"
            file = self.reference("differentials", "limited_slip.dif")
            blocks.append(_spline(f"differential_{axle}", "two_dimensional", file, "differential"))
        blocks.append(parameters(entries))
        return self._subsystem("powertrain", minor, "powertrain", "powertrain", train.title, blocks)

    def _brakes(self) -> tuple[str, str, str, str, str]:
        brakes = self.sheet.brakes
        entries: list[tuple[str, str, float | int | str, str]] = [
            _switch("kinematic_flag", 0),
            ("front_brake_bias", _SINGLE, brakes.bias, "share of the front line in the pressure [-]"),
            ("max_brake_value", _SINGLE, float(brakes.pressure), "sum of both line pressures at full pedal [0.1 MPa]"),
        ]
        for name, area, friction, radius in zip(
            ("front", "rear"), brakes.areas, brakes.friction, brakes.radii, strict=True
        ):
            entries += [
                (f"{name}_piston_area", _SINGLE, area, "of one side of the disc [mm2]"),
                (f"{name}_brake_mu", _SINGLE, friction, "friction of the pads [-]"),
                (f"{name}_effective_piston_radius", _SINGLE, radius, "[mm]"),
            ]
        entries.append(("parking_brake_torque", _SINGLE, 1000.0 * brakes.parking, "at each rear wheel [N*mm]"))
        return self._subsystem(
            "brake_system", "any", "four_wheel_disk_brakes", "brakes", "four disc brakes", [parameters(entries)]
        )

    # Property files

    def _line_files(self, axle: AxleDesign) -> Iterator[tuple[str, str]]:
        where = axle.sheet.axle
        for line in axle.template.lines:
            _, _, table, suffix = LINES[line.type]
            path = f"{table}.tbl/{where}_{line.name}.{suffix}"
            if line.type is LineType.SPRING:
                yield path, self._spring(axle, line.name)
            elif line.type is LineType.DAMPER:
                yield path, self._damper(axle)
            else:
                yield path, self._stop(axle, rebound=line.type is LineType.REBOUND_STOP)
        if axle.sheet.leaf is not None:
            title = f"{self.sheet.title}, {where} leaf spring"
            yield f"leaf_springs.tbl/{where}_leaf.ltf", leaf_text(axle.sheet.leaf, axle.sheet.hardpoints, title)

    def _spring(self, axle: AxleDesign, name: str) -> str:
        rate, force = axle.spring_law(name)
        compression = force / rate
        # Straight up to 30 mm beyond the design position, then stiffer as coils close.
        last = 10.0 * np.ceil(compression / 10 + 11)
        x = np.arange(-50.0 if force else -last, last + 1, 10.0)
        knee = 10.0 * np.ceil(compression / 10 + 3)
        closing = 0.0025 if force else 0.0
        y = rate * (x + closing * np.maximum(x - knee, 0.0) ** 2)
        free = number(_installed(axle, name) + compression, 2)
        notes = [f"{self.sheet.title}, {axle.sheet.axle} spring, {rate:g} N/mm", "compression is positive"]
        blocks = [
            block("SPRING_DATA", {"FREE_LENGTH": free}),
            block("CURVE", {}, tables=[curve(("disp", "force"), x, y)]),
        ]
        return document("spr", notes, blocks)

    def _damper(self, axle: AxleDesign) -> str:
        bump, rebound = axle.damping
        speed, shape = np.array(_DAMPER, dtype=float).T
        x = np.concatenate((-speed[:0:-1], speed))
        y = np.concatenate((-bump * shape[:0:-1], rebound * shape))
        y += axle.sheet.ride.friction * x / np.hypot(x, 1e3 * constant("friction_speed"))
        friction = f"friction of {axle.sheet.ride.friction:g} N included"
        notes = [f"{self.sheet.title}, {axle.sheet.axle} damper", f"extension is positive, {friction}"]
        return document("dpr", notes, [block("CURVE", {}, tables=[curve(("vel", "force"), x, y)])])

    def _stop(self, axle: AxleDesign, *, rebound: bool) -> str:
        x = np.arange(0.0, 41.0 if rebound else 61.0, 5.0)
        linear, cubic = (0.3, 0.2) if rebound else (0.1, 0.06)
        y = axle.load * (linear * x / 10 + cubic * (x / 10) ** 3)
        what = "rebound stop" if rebound else "bump stop"
        notes = [f"{self.sheet.title}, {axle.sheet.axle} {what}, force over penetration"]
        blocks = [block("CURVE", {}, tables=[curve(("disp", "force"), x, y)])]
        return document("reb" if rebound else "bum", notes, blocks)

    def _engine(self) -> str:
        train = self.sheet.powertrain
        speeds = np.array(train.speeds)
        drag = -train.drag * (0.4 + 0.6 * speeds / train.limit)
        full = np.array(train.torques)
        columns = [drag + opening * (full - drag) for opening in _OPENING]
        rows = tuple(
            Row((number(speed, 0), *(number(column[i], 1) for column in columns))) for i, speed in enumerate(speeds)
        )
        throttle = Table(("throttle",), tuple(Row((value,)) for value in _THROTTLE))
        table = Table(("engine_speed", "torque@throttle"), rows, ("rpm", "torque"))
        engine = block(
            "ENGINE", {}, subs=[subblock("Z_DATA", {}, tables=[throttle]), subblock("XY_DATA", {}, tables=[table])]
        )
        notes = [f"{self.sheet.title}: {train.title}"]
        return document("pwr", notes, [engine], derived_units(rpm=_RPM, torque=_TORQUE))

    def _differential(self) -> str:
        slip = np.array([0.0, 5.0, 10.0, 20.0, 40.0, 70.0, 100.0])
        torque = self.sheet.powertrain.limited_slip * np.sqrt(slip / 100)
        x, y = np.concatenate((-slip[:0:-1], slip)), np.concatenate((-torque[:0:-1], torque))
        table = Table(
            ("slip_speed", "torque"),
            tuple(Row((number(a), number(b, 1))) for a, b in zip(x, y, strict=True)),
            ("rpm", "torque"),
        )
        data = block("DIFFERENTIAL", {}, subs=[subblock("XY_DATA", {}, tables=[table])])
        notes = [f"{self.sheet.title}: limited-slip differential, torque over speed difference of the wheels"]
        return document("dif", notes, [data], derived_units(rpm=_RPM, torque=_TORQUE))

    def _assist(self) -> str:
        steering = self.sheet.steering
        twist = np.array([0.0, 0.3, 0.8, 1.3, 1.8, 2.3, 2.8, 3.5, 5.0])
        share = np.array([0.0, 0.004, 0.03, 0.10, 0.24, 0.46, 0.72, 0.95, 1.0])
        x = np.concatenate((-twist[:0:-1], twist))
        pressure = steering.pressure * np.concatenate((-share[:0:-1], share))
        bar = steering.torsion_bar * x
        tables = []
        for column, y, unit in (("tbar_torque", bar, "Nm"), ("delta_pressure", pressure, "MPa")):
            rows = tuple(Row((number(a), number(b))) for a, b in zip(x, y, strict=True))
            tables.append(Table(("tbar_deflection", column), rows, ("angle", unit)))
        blocks = [
            block("TORSION_BAR", {}, subs=[subblock("XY_DATA", {}, tables=[tables[0]])]),
            block(
                "STEERING_ASSIST",
                {"piston_area": float(steering.piston_area)},
                subs=[subblock("XY_DATA", {}, tables=[tables[1]])],
            ),
        ]
        units = derived_units(Nm=_TORQUE, MPa=(-2, 1, 0, 0, 0, 1.0))
        return document("ste", [f"{self.sheet.title}: hydraulic assistance"], blocks, units)

    def _load_case(self) -> str:
        columns = [f"{name}_{side}" for name in ("whl_z", "lat", "align", "brake", "drive") for side in "lr"]
        travel = [float(z) for z in range(-60, 61, 10)]
        rows = tuple(Row((z, z, *(0.0,) * 9)) for z in travel)
        blocks = [
            block("MODE", {"STEERING_MODE": "angle", "VERTICAL_MODE": "length"}),
            block("DATA", {}, tables=[Table((*columns, "steer"), rows)]),
        ]
        return document("lcf", ["both wheels move alike, 60 mm down to 60 mm up"], blocks)

    def _driver_control(self) -> str:
        minis = Table(("mini_manuever", "abort_time", "step_size"), (Row(("STEP_STEER", 6.0, 0.01)),))
        experiment = block(
            "EXPERIMENT",
            {
                "EXPERIMENT_NAME": "Open-loop step steer",
                "STATIC_SETUP": "STRAIGHT",
                "INITIAL_SPEED": 27777.8,
                "INITIAL_GEAR": len(self.sheet.powertrain.gears) - 1,
            },
            subs=[subblock("MINI_MANEUVERS", {}, tables=[minis])],
        )
        steering: dict[str, Value] = {
            "ACTUATOR_TYPE": "ROTATION",
            "METHOD": "OPEN",
            "MODE": "RELATIVE",
            "CONTROL_TYPE": "STEP",
            "START_TIME": 1.0,
            "DURATION": 0.2,
            "INITIAL_VALUE": 0.0,
            "FINAL_VALUE": 45.0,
        }
        end = Table(
            ("measure", "test", "value", "allowed_error", "filter_time", "delay_time", "group"),
            (Row(("TIME", "==", 6.0, 0.0, 0.0, 0.0)),),
        )
        step = block(
            "STEP_STEER",
            {},
            subs=[
                subblock("STEERING", steering),
                subblock("THROTTLE", {"METHOD": "MACHINE"}),
                subblock("BRAKING", {"METHOD": "MACHINE"}),
                subblock("GEAR", {"METHOD": "MACHINE"}),
                subblock("CLUTCH", {"METHOD": "MACHINE"}),
                subblock("MACHINE_CONTROL", {"SPEED_CONTROL": "MAINTAIN"}),
                subblock("END_CONDITIONS", {}, tables=[end]),
            ],
        )
        return document("dcf", ["step of the steering wheel at 100 km/h"], [experiment, step])


def _switch(name: str, value: int) -> tuple[str, str, int, str]:
    return name, _SINGLE, value, _SWITCHES[name]


def direction(axis: tuple[str, str] | str, points: Mapping[str, Point]) -> Array:
    """Direction of an axis that is x, y or z or leads from one hardpoint to another."""
    if isinstance(axis, str):
        return np.asarray(np.eye(3)["xyz".index(axis)])
    way = np.subtract(points[axis[1]], points[axis[0]])
    return np.asarray(way / np.linalg.norm(way))


def bushing_block(name: str, file: str, z: Array, *, preload: float = 0.0, single: bool = False) -> Block:
    """[BUSHING_ASSEMBLY] with the axis z and a preload along it [N]."""
    axes = across(z)
    values: dict[str, Value] = {
        "DEFINITION": ".ACAR.attachments.ac_bushing",
        "USAGE": name,
        "SYMMETRY": _SINGLE if single else _BOTH,
        "PROPERTY_FILE": file,
    }
    for prefix, column in (("ZP", 2), ("XP", 0)):
        values |= {f"ORIENTATION_{prefix}{i + 1}": number(axes[i, column], 10) for i in range(3)}
    loads = (0.0, 0.0, preload, 0.0, 0.0, 0.0)
    keys = [f"{kind}_PRELOAD_{axis}" for kind in "TR" for axis in "XYZ"]
    values |= dict(zip(keys, loads, strict=True))
    values |= {f"{kind}_OFFSET_{axis}": 0.0 for kind in "TR" for axis in "XYZ"}
    values |= {f"{kind}{axis}_SCALING_FACTOR": 1.0 for kind in "FT" for axis in "XYZ"}
    values |= {f"{kind}{axis}_DAMPING_FORCE_SCALE": 1.0 for kind in "TR" for axis in "XYZ"}
    return block("BUSHING_ASSEMBLY", values)


def hardpoints_block(pairs: Mapping[str, Point], singles: Mapping[str, Point]) -> Block:
    """[HARDPOINT]: points of the left side that come in pairs, and points that are there once."""
    rows = [Row((name, _SINGLE, *map(float, point))) for name, point in singles.items()]
    rows += [Row((name, _BOTH, *map(float, point))) for name, point in pairs.items()]
    columns = ("hardpoint_name", "symmetry", "x_value", "y_value", "z_value")
    return Block("HARDPOINT", tables=(Table(columns, tuple(rows)),))


def part_block(solid: Solid) -> Block:
    """[PART_ASSEMBLY]."""
    values: dict[str, Value] = {
        "USAGE": solid.name,
        "SYMMETRY": _SINGLE if solid.single else _BOTH,
        "MODE": "rigid",
        "MASS": number(solid.mass),
        "SPRUNG_PERCENTAGE": float(solid.sprung),
    }
    values |= {f"PART_LOC_{axis}": number(solid.centre[i], 3) for i, axis in enumerate("XYZ")}
    for prefix, column in (("ZP", 2), ("XP", 0)):
        values |= {f"PART_ORI_{prefix}{i + 1}": number(solid.axes[i, column], 10) for i in range(3)}
    values |= {f"CM_LOCATION_FROM_PART_{axis}": 0.0 for axis in "XYZ"}
    cells = {"IXX": (0, 0), "IYY": (1, 1), "IZZ": (2, 2), "IXY": (0, 1), "IZX": (2, 0), "IYZ": (1, 2)}
    values |= {name: number(solid.inertia[cell], 1) for name, cell in cells.items()}
    return block("PART_ASSEMBLY", values)


def _spline(usage: str, kind: str, file: str, curve_name: str) -> Block:
    values: dict[str, Value] = {"USAGE": usage, "SYMMETRY": _SINGLE, "TYPE": kind}
    return block("GENERAL_SPLINE", values | {"PROPERTY_FILE": file, "CURVE_NAME": curve_name})


def _installed(axle: AxleDesign, name: str) -> float:
    line = next(line for line in axle.lines if line.element == name)
    return number(1000 * line.length, 2)


def bushing_text(rubber: Rubber, time: float) -> str:
    """The property file of a rubber; its damping over its stiffness is `time` [s]."""
    rates = dict(zip(("FX", "FY", "FZ"), (*rubber.radial, rubber.axial), strict=True))
    gives = dict(zip(("FX", "FY", "FZ"), (rubber.give[0], rubber.give[0], rubber.give[1]), strict=True))
    turning = dict(zip(("TX", "TY", "TZ"), rubber.turning, strict=True))
    # Stiffness of a curve at its centre is that of the secant through the points next to it.
    centre = time * (1 + _SHARES[0] ** 2)
    damping = {f"{name}_DAMPING": number(centre * rate, 3) for name, rate in (rates | turning).items()}
    blocks = [block("DAMPING", damping)]
    x = np.concatenate((-_SHARES[::-1], [0.0], _SHARES))
    for name, rate in (rates | turning).items():
        give = gives.get(name, 30.0)
        axis = name[1].lower() if name in rates else f"a{name[1].lower()}"
        table = curve((axis, name.lower()), give * x, rate * give * (x + x**3), 2)
        blocks.append(block(f"{name}_CURVE", {}, tables=[table]))
    radial = "/".join(dict.fromkeys(f"{rate:g}" for rate in rubber.radial))
    notes = [f"bushing {rubber.name}, {radial} N/mm radial, {rubber.axial:g} N/mm axial", "z is its own axis"]
    return document("bus", notes, blocks)
