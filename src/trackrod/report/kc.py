"""Report on the axles of a vehicle on the K&C rig: pictures and a page in the units that engineers plot."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from trackrod import __version__
from trackrod.core.corners import Side
from trackrod.core.errors import Problem
from trackrod.core.figure import Figure, Line, Panel, Stroke
from trackrod.kc.points import Hold, Load
from trackrod.kc.result import KcTest
from trackrod.kc.study import AxleStudy, KeyFigure, key_figures
from trackrod.report.figures import write_png
from trackrod.report.flat_panels import drawn_figure, without_flat
from trackrod.report.page import Section, Table, notes_table, problem_table, write_page
from trackrod.vehicle.vehicle import Vehicle

__all__ = [
    "SHOWN_UNITS",
    "case_figure",
    "compliance_figure",
    "holds_figure",
    "kinematics_figure",
    "steering_figure",
    "write_further_pictures",
    "write_kc_page",
    "write_kc_picture",
]

#: Units of plots: factor from SI, and how it is written.
SHOWN_UNITS = {
    "length": (1e3, "mm"),
    "angle": (180.0 / np.pi, "°"),
    "force": (1e-3, "kN"),
    "stiffness": (1e-3, "N/mm"),
    "rotational_stiffness": (np.pi / 180.0, "N·m/°"),
    "number": (1.0, "-"),
    "torque": (1.0, "N·m"),
    "curvature": (0.180 / np.pi, "°/mm"),
    "compliance": (1e6, "mm/kN"),
    "angular_compliance": (1e3 * 180.0 / np.pi, "°/kN"),
}
_SIDES = tuple(Side)
#: Digits after the point in the units of plots; what is smaller is rounding of the solver.
_DECIMALS = 5


def write_kc_picture(study: AxleStudy, path: Path | str) -> None:
    """Draw the kinematics of an axle into a PNG file."""
    _write_png(kinematics_figure(study), path)


def _write_png(figure: Figure, path: Path | str) -> None:
    """Without panels that show nothing."""
    panels, _ = without_flat(figure.panels)
    write_png(replace(figure, panels=panels or figure.panels), path)


def write_further_pictures(study: AxleStudy, folder: Path) -> None:
    """Draw compliance by hold and load cases, where they were done, into PNG files of a folder."""
    if any(f"fy{hold.suffix}" in study.tests for hold in Hold if hold.suffix):
        _write_png(holds_figure(study), folder / f"{study.axle}_holds.png")
    for test in study.tests.values():
        if "share" in test:
            _write_png(case_figure(study, test), folder / f"{study.axle}_{test.name}.png")


def write_kc_page(
    vehicle: Vehicle, studies: Sequence[AxleStudy], path: Path | str, audit: Iterable[Problem] = ()
) -> None:
    """Write one page that opens without a network: key figures and curves of every axle, and what was not reached.

    `audit` is what the files of the vehicle are warned of.
    """
    found = tuple(audit)
    sections: list[Section] = []
    for study in studies:
        name = str(study.axle).capitalize()
        layout = vehicle.axle(study.axle)
        kind = layout.template.replace("_", " ")
        about = f"{kind}, {layout.mode}; {study.points} points, {study.failures} not reached."
        sections += [
            Section(f"{name} axle: key figures", (about, _figures_of(key_figures(study)))),
            Section(f"{name} axle: kinematics", (drawn_figure(kinematics_figure(study)),)),
        ]
        if "steer" in study.tests:
            sections.append(Section(f"{name} axle: steering", (drawn_figure(steering_figure(study)),)))
        sections += [
            Section(f"{name} axle: compliance", (_HOW_LOADED, drawn_figure(compliance_figure(study)))),
            Section(f"{name} axle: map", (_HOW_MAPPED, drawn_figure(map_figure(study)))),
        ]
        if any(f"fy{hold.suffix}" in study.tests for hold in Hold if hold.suffix):
            sections.append(Section(f"{name} axle: compliance by hold", (_HOW_HELD, drawn_figure(holds_figure(study)))))
        sections += [
            Section(f"{name} axle: load case {test.name}", (_HOW_RAMPED, drawn_figure(case_figure(study, test))))
            for test in study.tests.values()
            if "share" in test
        ]
    sections.append(Section("Points that were not reached", (_problems(p for s in studies for p in s.problems),)))
    sections.append(Section("Audit of the source", (problem_table(found), *notes_table(found))))
    lead = (
        "Axle on a rig, body fixed. Travel is the height of the wheel centre above the design position, positive in "
        "bump; rack travel is positive to the left. Toe is positive in, camber positive with the top outward. Forces "
        "are those of the road on the wheel, x forward, y left, z up."
    )
    write_page(f"K&C of {vehicle.name}", lead, sections, path, footer=f"trackrod {__version__}")


_HOW_LOADED = (
    "One wheel or both loaded, wheel centres held at the design height; solid: the wheel that is loaded alone, dashed: "
    "the other wheel."
)
_HOW_HELD = (
    "Left wheel loaded alone, the changes of its own readings: wheel centres held at the design height, wheels on "
    "their tyres with the ground held, or at the wheel loads of the design position."
)
_HOW_RAMPED = "Both wheels loaded from nothing to the whole case; changes since nothing, wheel loads as they are."
_HOW_MAPPED = "Left wheel; a line for each fifth parallel travel of the map."


def kinematics_figure(study: AxleStudy) -> Figure:
    """Curves over parallel, opposite and roll travel."""
    travel, opposite = study.tests["parallel"], study.tests["opposite"]
    panels = [
        _against_travel(travel, "toe", "Toe, parallel travel"),
        _against_travel(travel, "camber", "Camber, parallel travel"),
        _against_travel(travel, "caster", "Caster, springs locked"),
        _against_travel(travel, "ty", "Lateral displacement of the wheel centre"),
        _against_travel(travel, "tx", "Longitudinal displacement of the wheel centre"),
        Panel(
            "Track change",
            "travel [mm]",
            "change [mm]",
            tuple(
                _line(travel, "travel_left", name, label, change=True)
                for name, label in (("track_centre", "wheel centre"), ("track_contact", "contact point"))
            ),
        ),
        Panel(
            "Wheel load",
            "travel [mm]",
            "Fz [kN]",
            (
                _line(travel, "travel_left", "Fz_left", "parallel"),
                _line(opposite, "travel_left", "Fz_left", "opposite"),
            ),
        ),
        Panel(
            "Wheel rate",
            "travel [mm]",
            "rate [N/mm]",
            (
                _line(travel, "travel_left", "wheel_rate_left", "parallel"),
                _line(opposite, "travel_left", "wheel_rate_left", "opposite"),
            ),
        ),
        Panel(
            "Roll centre height, parallel travel",
            "travel [mm]",
            "height [mm]",
            (
                _line(travel, "travel_left", "roll_centre_height", "path of contact"),
                _line(travel, "travel_left", "roll_centre_carrier_height", "point of the carrier", Stroke.DASHED),
                _line(travel, "travel_left", "roll_centre_projected_height", "projected", Stroke.DASHED),
            ),
        ),
        _against_travel(opposite, "steer", "Steer angle, opposite travel"),
        _against_travel(opposite, "camber", "Camber, opposite travel"),
        Panel(
            "Support by longitudinal forces",
            "travel [mm]",
            "dx/dz [-]",
            (
                _line(travel, "travel_left", "brake_support_left", "braking"),
                _line(travel, "travel_left", "drive_support_left", "driving", Stroke.DASHED),
            ),
        ),
    ]
    ratios = [name for name in ("spring_left_ratio", "damper_left_ratio") if name in travel]
    if ratios:
        lines = tuple(_line(travel, "travel_left", name, name.split("_")[0]) for name in ratios)
        panels.append(Panel("Motion ratio", "travel [mm]", "shortening per travel [-]", lines))
    roll = study.tests["roll"]
    panels.append(
        Panel(
            "Roll at constant load",
            "roll angle, right side down [°]",
            "Fz [kN]",
            tuple(_line(roll, "roll_angle", f"Fz_{side}", str(side)) for side in _SIDES),
        )
    )
    return Figure(f"{study.vehicle.name}, {study.axle} axle", tuple(panels))


def steering_figure(study: AxleStudy) -> Figure:
    """Curves over rack travel."""
    test = study.tests["steer"]

    def over_rack(title: str, name: str, label: str) -> Panel:
        lines = tuple(_line(test, "rack_travel", f"{name}_{side}", str(side)) for side in _SIDES)
        return Panel(title, "rack travel, to the left [mm]", label, lines)

    def axle(title: str, name: str, label: str) -> Panel:
        return Panel(title, "rack travel, to the left [mm]", label, (_line(test, "rack_travel", name),))

    panels = (
        over_rack("Steer angle, left positive", "steer", "angle [°]"),
        over_rack("Camber", "camber", "angle [°]"),
        over_rack("Caster, springs locked", "caster", "angle [°]"),
        over_rack("Kingpin inclination", "kingpin", "angle [°]"),
        over_rack("Scrub radius", "scrub_radius", "length [mm]"),
        over_rack("Mechanical trail", "mechanical_trail", "length [mm]"),
        axle("Ackermann error", "ackermann_error", "angle [°]"),
        axle("Steering ratio", "steering_ratio", "ratio [-]"),
        over_rack("Wheel load", "Fz", "Fz [kN]"),
    )
    return Figure(f"{study.vehicle.name}, {study.axle} axle, steering", panels)


def compliance_figure(study: AxleStudy) -> Figure:
    """Toe, camber and displacement over loads on the left wheel."""
    panels = []
    wanted = (
        (Load.FX, "toe", "Toe over Fx, contact patch, brake held"),
        (Load.FX, "tx", "Longitudinal displacement over Fx"),
        (Load.FX_DRIVE, "toe", "Toe over Fx, driving"),
        (Load.FY, "toe", "Toe over Fy, contact patch"),
        (Load.FY, "camber", "Camber over Fy"),
        (Load.FY, "ty", "Lateral displacement over Fy"),
        (Load.MZ, "toe", "Toe over Mz"),
        (Load.MX, "camber", "Camber over Mx"),
        (Load.MY, "pitch", "Pitch over My"),
    )
    for load, reading, title in wanted:
        test = study.tests[str(load)]
        rows = slice(0, len(test) // 4)  # the left wheel alone comes first
        name = next(c.name for c in test.columns if c.name.lower() == f"{load}_left")
        x = _shown(test, name)[rows]
        lines = []
        for side, stroke in zip(_SIDES, (Stroke.SOLID, Stroke.DASHED), strict=True):
            y = _shown(test, f"{reading}_{side}")[rows]
            lines.append(Line(x, y - y[len(y) // 2], str(side), stroke, color=0))
        unit_x, unit_y = (_unit(test, n) for n in (name, f"{reading}_left"))
        panels.append(
            Panel(title, f"{str(load).split('_')[0].capitalize()} [{unit_x}]", f"change [{unit_y}]", tuple(lines))
        )
    return Figure(f"{study.vehicle.name}, {study.axle} axle, compliance", tuple(panels))


def holds_figure(study: AxleStudy) -> Figure:
    """Readings of the left wheel, loaded alone, for everything that the pads can hold."""
    panels = []
    for load, reading, title in (
        (Load.FX, "toe", "Toe over Fx, contact patch"),
        (Load.FX, "tx", "Longitudinal displacement over Fx"),
        (Load.FX, "tz", "Lift over Fx"),
        (Load.FY, "toe", "Toe over Fy, contact patch"),
        (Load.FY, "camber", "Camber over Fy"),
        (Load.FY, "ty", "Lateral displacement over Fy"),
        (Load.FY, "tz", "Lift over Fy"),
        (Load.FY, "Fz", "Wheel load over Fy"),
        (Load.MZ, "toe", "Toe over Mz"),
    ):
        lines: list[Line] = []
        for hold in (hold for hold in Hold if f"{load}{hold.suffix}" in study.tests):
            test = study.tests[f"{load}{hold.suffix}"]
            name = next(c.name for c in test.columns if c.name.lower() == f"{load}_left")
            x, y = (_shown(test, n)[: len(test) // 4] for n in (name, f"{reading}_left"))
            label = "on its tyre" if hold is Hold.TYRE else f"{hold} held"
            lines.append(Line(x, y - y[len(y) // 2], label, Stroke.DASHED if lines else Stroke.SOLID))
        units = _unit(test, name), _unit(test, f"{reading}_left")
        labels = f"{str(load).capitalize()} [{units[0]}]", f"change [{units[1]}]"
        panels.append(Panel(title, *labels, tuple(lines)))
    return Figure(f"{study.vehicle.name}, {study.axle} axle, compliance by hold", tuple(panels))


def case_figure(study: AxleStudy, test: KcTest) -> Figure:
    """What both wheels do in a load case."""
    panels = []
    for reading, title in (
        ("toe", "Toe"),
        ("camber", "Camber"),
        ("Fz", "Wheel load"),
        ("tx", "Longitudinal displacement"),
        ("ty", "Lateral displacement"),
        ("tz", "Vertical displacement"),
    ):
        as_it_is = reading == "Fz"
        lines = []
        for side in _SIDES:
            y = _shown(test, f"{reading}_{side}")
            lines.append(Line(test["share"], y if as_it_is else y - y[0], str(side)))
        label = f"{'force' if as_it_is else 'change'} [{_unit(test, f'{reading}_left')}]"
        panels.append(Panel(title, "share of the load case [-]", label, tuple(lines)))
    return Figure(f"{study.vehicle.name}, {study.axle} axle, load case {test.name}", tuple(panels))


def map_figure(study: AxleStudy) -> Figure:
    """The map of the left wheel as families of curves."""
    test = study.tests["map"]
    steered = "steer" in study.tests
    first = 0.5 * (test["travel_left"] + test["travel_right"])
    second = test["rack_travel"] if steered else 0.5 * (test["travel_left"] - test["travel_right"])
    levels = np.unique(np.round(first, 9))
    panels = []
    for name, title in (("steer_left", "Steer angle"), ("camber_left", "Camber"), ("Fz_left", "Wheel load")):
        y = _shown(test, name)
        lines = []
        for level in levels[:: max(1, len(levels) // 8)]:
            rows = np.abs(first - level) < 1e-6
            lines.append(Line(1e3 * second[rows], y[rows], f"{1e3 * level:+.0f} mm"))
        label = "rack travel, to the left [mm]" if steered else "opposite travel, left up [mm]"
        panels.append(Panel(title, label, f"[{_unit(test, name)}]", tuple(lines)))
    return Figure(f"{study.vehicle.name}, {study.axle} axle, map", tuple(panels))


def _against_travel(test: KcTest, name: str, title: str) -> Panel:
    lines = tuple(
        _line(test, "travel_left", f"{name}_{side}", str(side), stroke)
        for side, stroke in zip(_SIDES, (Stroke.SOLID, Stroke.DASHED), strict=True)
    )
    where = "travel of the left wheel [mm]" if test.name == "opposite" else "travel [mm]"
    return Panel(title, where, f"[{_unit(test, f'{name}_left')}]", lines)


def _line(
    test: KcTest, x: str, y: str, label: str = "", stroke: Stroke = Stroke.SOLID, *, change: bool = False
) -> Line:
    values = _shown(test, y)
    if change:
        values = values - values[int(np.nanargmin(np.abs(test[x])))]
    return Line(_shown(test, x), values, label, stroke)


def _kind(test: KcTest, name: str) -> str:
    return next(column.kind.name for column in test.columns if column.name == name)


def _shown(test: KcTest, name: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.round(test[name] * SHOWN_UNITS[_kind(test, name)][0], _DECIMALS) + 0.0


def _unit(test: KcTest, name: str) -> str:
    return SHOWN_UNITS[_kind(test, name)][1]


def _figures_of(figures: Iterable[KeyFigure]) -> Table:
    rows = []
    for figure in figures:
        factor, unit = SHOWN_UNITS.get(figure.kind.name, (1.0, figure.kind.unit or "-"))
        rows.append(
            (figure.name.replace("_", " "), round(figure.value * factor, _DECIMALS) + 0.0, unit, figure.meaning)
        )
    return Table(("quantity", "value", "unit", "meaning"), tuple(rows))


def _problems(problems: Iterable[Problem]) -> Table | str:
    rows = tuple((str(p.severity), p.text, p.hint) for p in problems)
    return Table(("severity", "what", "what to do"), rows) if rows else "None."
