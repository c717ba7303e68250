"""The page of reduced axles: the figures of the paper for our vehicles."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trackrod import __version__
from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.figure import Figure, Line, Panel, Stroke
from trackrod.core.series import Run
from trackrod.manoeuvres.standing import PostMode
from trackrod.reduce.coefficients import PARAMETERS
from trackrod.reduce.curves import Shape
from trackrod.reduce.findings import Finding, component_curves
from trackrod.reduce.identify import SIGNALS
from trackrod.reduce.posts import BODY_SIGNALS, PostTest, banded
from trackrod.reduce.reduction import AxleReduction
from trackrod.report.figures import write_png
from trackrod.report.page import Captioned, Notice, Section, Table, write_page
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["reduction_figures", "write_reduction_page"]

Array = NDArray[np.float64]

_UNITS = {"position": (1e3, "mm"), "velocity": (1.0, "m/s"), "acceleration": (1.0, "m/s²")}
_SHAPES = {Shape.SECOND_ORDER: "second order", Shape.THIRD_ORDER: "third order", Shape.TABLE: "table"}
#: Part of the sweep from which it is drawn at large.
_FAST = 0.93


def kinematics_figure(found: AxleReduction) -> Figure:
    """The link against the rig: figure 2 of the paper."""
    z = found.readings.z
    panels = []
    for k, (name, title, unit, scale) in enumerate(
        (
            ("inclination", "Inclination", "deg", 180 / np.pi),
            ("steer", "Steer", "deg", 180 / np.pi),
            ("pitch", "Pitch of the carrier", "deg", 180 / np.pi),
            ("x", "Displacement along x", "mm", 1e3),
            ("y", "Displacement along y", "mm", 1e3),
        )
    ):
        own = found.readings.angles[:, {"inclination": 0, "pitch": 1, "steer": 2}[name]] if k < 3 else None
        rig = own if own is not None else found.readings.moved[:, k - 3]
        lines = [Line(1e3 * z[::3], scale * rig[::3], "rig", Stroke.POINTS, 0)]
        for color, (shape, text) in enumerate(_SHAPES.items(), 1):
            stroke = Stroke.SOLID if shape is Shape.TABLE else Stroke.DASHED
            lines.append(Line(1e3 * z, scale * getattr(found.curves[shape], name)(z), text, stroke, color))
        panels.append(Panel(title, "wheel travel [mm]", f"{title.lower()} [{unit}]", tuple(lines)))
    off = [
        Line(
            1e3 * z, 1e5 * np.abs(link.rotation(z) - found.readings.rotation).max(axis=(1, 2)), _SHAPES[shape], color=c
        )
        for c, (shape, link) in enumerate(found.curves.items(), 1)
    ]
    panels.append(Panel("Largest error of nine direction cosines", "wheel travel [mm]", "error [1e-5]", tuple(off)))
    return Figure(f"Link of the {found.axle} axle", tuple(panels))


def response_figure(found: AxleReduction) -> Figure:
    """First guess and identified model against the recording: figures 5 and 6 of the paper."""
    e = found.identified.experiment
    first = found.identified.first.drive(e.load, e.sweep.sample).motion
    models = ((found.rigid.car, "identified without mount"), (found.car, "identified"))
    runs = [(first, "first guess"), *((car.drive(e.load, e.sweep.sample).motion, text) for car, text in models)]
    panels = []
    inside = e.time >= _FAST * e.sweep.duration
    for k, name in enumerate(SIGNALS):
        scale, unit = _UNITS[name]
        lines = [Line(e.time[inside], scale * e.motion[inside, k], "multibody model", color=0)]
        for color in (1, 3):  # the identified one without mount stands in the differences
            run, text = runs[color - 1]
            lines.append(Line(e.time[inside], scale * run[inside, k], text, Stroke.DASHED, color))
        panels.append(Panel(f"{name.capitalize()}, end of the sweep", "time [s]", f"{name} [{unit}]", tuple(lines)))
    frequency = e.sweep.frequency(e.time)
    for k, name in enumerate(SIGNALS):
        scale, unit = _UNITS[name]
        lines = [
            Line(frequency[::2], scale * (run - e.motion)[::2, k], text, color=color)
            for color, (run, text) in enumerate(runs, 1)
        ]
        title = f"{name.capitalize()}: model less multibody model"
        panels.append(Panel(title, "frequency [Hz]", f"difference [{unit}]", tuple(lines)))
    return Figure(f"Wheel of the {found.axle} axle under the swept force", tuple(panels))


def change_figure(found: AxleReduction) -> Figure:
    """What other curves of the link do, in time and over frequency."""
    assert found.changed is not None
    e = found.identified.experiment
    runs = [
        (car.drive(e.load, e.sweep.sample).motion, text)
        for car, text in ((found.car, "as it is"), (found.changed, "changed"))
    ]
    inside = e.time >= 0.85 * e.sweep.duration
    panels = []
    for k, name in enumerate(SIGNALS[:2]):
        scale, unit = _UNITS[name]
        lines = tuple(
            Line(e.time[inside], scale * run[inside, k], text, Stroke.DASHED if c else Stroke.SOLID, c)
            for c, (run, text) in enumerate(runs)
        )
        panels.append(Panel(f"{name.capitalize()}, high frequency", "time [s]", f"{name} [{unit}]", lines))
    frequency = np.fft.rfftfreq(e.time.size, e.sweep.sample)
    band = (frequency >= e.sweep.compared_from) & (frequency <= 0.95 * e.sweep.last_frequency)
    pushed = np.fft.rfft(e.load - e.load.mean())[band]
    lines = tuple(
        Line(
            np.asarray(frequency[band], dtype=np.float64),
            1e6 * np.abs(np.fft.rfft(run[:, 0] - run[:, 0].mean())[band] / pushed),
            text,
            Stroke.DASHED if c else Stroke.SOLID,
            c,
        )
        for c, (run, text) in enumerate(runs)
    )
    panels.append(Panel("Travel over force", "frequency [Hz]", "travel over force [mm/kN]", lines))
    z = found.readings.z
    for name in ("inclination", "steer"):
        lines = tuple(
            Line(1e3 * z, np.degrees(getattr(car.link, name)(z)), text, Stroke.DASHED if c else Stroke.SOLID, c)
            for c, (car, text) in enumerate(((found.car, "as it is"), (found.changed, "changed")))
        )
        panels.append(Panel(name.capitalize(), "wheel travel [mm]", f"{name} [deg]", lines))
    return Figure(f"Other curves of the {found.axle} link", tuple(panels))


def force_figure(vehicle: Vehicle, reductions: Sequence[AxleReduction]) -> Figure:
    """Spring and damper beside the components: figures 7 and 8 of the paper."""
    panels = []
    for found in reductions:
        rate, damper = component_curves(vehicle, found.axle)
        car, first = found.car, found.identified.first
        lengths = car.core.geometry(np.ascontiguousarray(found.identified.experiment.motion[:, 0]))[:, 0, 0]
        rest = car.core.geometry(np.array([car.known["ride_height"]]))[0, 0, 0]
        u = np.linspace(float(rest - lengths.max()), float(rest - lengths.min()), 61)
        lines = [Line(1e3 * u, 1e-3 * car.spring_force(u), "identified", color=1)]
        lines.append(Line(1e3 * u, 1e-3 * first.spring_force(u), "ride rate", Stroke.DASHED, 2))
        if rate is not None:
            lines.insert(0, Line(1e3 * u, 1e-3 * (car.preload + rate * u), "coil", color=0))
        title = f"Spring, {found.axle}"
        panels.append(Panel(title, "compression since ride height [mm]", "force [kN]", tuple(lines)))
        v = np.linspace(-1.0, 1.0, 401)
        lines = [Line(v, 1e-3 * car.damper_force(v), "identified", color=1)]
        if damper is not None:
            lines.insert(0, Line(v, 1e-3 * np.interp(v, *damper), "component", color=0))
        panels.append(Panel(f"Damper, {found.axle}", "speed of compression [m/s]", "force [kN]", tuple(lines)))
    return Figure("Springs and dampers", tuple(panels), columns=2)


def front_loads(run: Run, mode: PostMode) -> Array:
    """Loads of the front wheels in the pattern of the posts [N]."""
    return np.asarray(sum(mode.sign(corner) * run[signals.FZ[corner]] for corner in (Corner.FL, Corner.FR)))


def posts_figure(tests: Sequence[PostTest]) -> Figure:
    """Body on four posts: figure 9 of the paper, with roll and warp."""
    panels = []
    for test in tests:
        signal = BODY_SIGNALS[test.posts.mode]
        scale, unit = (1e3, "mm") if signal.kind.unit == "m" else (180 / np.pi, "deg")
        time = test.reference.time
        own = np.interp(time, test.run.time, test.run[signal])
        lines: tuple[Line, ...] = (
            Line(time, scale * banded(test.reference, test.reference[signal], test.posts), "multibody model", color=0),
            Line(time, scale * banded(test.reference, own, test.posts), "quarter cars", Stroke.DASHED, 1),
        )
        what = {"m": "height of the centre of gravity"}.get(signal.kind.unit, f"{signal.name} angle")
        panels.append(Panel(f"{str(test.posts.mode).capitalize()}", "time [s]", f"{what} [{unit}]", lines))
        loads = [front_loads(run, test.posts.mode) for run in (test.reference, test.run)]
        drawn = (loads[0], np.interp(time, test.run.time, loads[1]))
        lines = tuple(
            Line(time, 1e-3 * banded(test.reference, values, test.posts), text, stroke, color)
            for color, (values, text, stroke) in enumerate(
                zip(drawn, ("multibody model", "quarter cars"), (Stroke.SOLID, Stroke.DASHED), strict=True)
            )
        )
        title = f"{str(test.posts.mode).capitalize()}, front wheels"
        panels.append(Panel(title, "time [s]", "loads in the pattern of the posts [kN]", lines))
    return Figure("Four posts, 30 mm/s, 0.5 to 6 Hz", tuple(panels), columns=2)


def reduction_figures(
    vehicle: Vehicle, reductions: Sequence[AxleReduction], tests: Sequence[PostTest] = ()
) -> dict[str, Figure]:
    """All figures by the names of their files."""
    found = {}
    for one in reductions:
        found[f"link_{one.axle}"] = kinematics_figure(one)
        found[f"response_{one.axle}"] = response_figure(one)
        if one.changed is not None:
            found[f"change_{one.axle}"] = change_figure(one)
    found["springs_and_dampers"] = force_figure(vehicle, reductions)
    if tests:
        found["four_posts"] = posts_figure(tests)
    return found


def _axle_table(reductions: Sequence[AxleReduction]) -> Table:
    heads: tuple[str, ...] = ("axle", "unsprung mass [kg]", "share of links")
    heads += (*(f"{name} [%]" for name in SIGNALS), "without mount [%]", "first guess [%]", "CPU [s]")
    rows = []
    for one in reductions:
        car, found = one.car, one.identified
        three = (f"{found.rms_pct[name]:.2f}" for name in SIGNALS)
        others = (" / ".join(f"{r[name]:.2f}" for name in SIGNALS) for r in (one.rigid.rms_pct, found.first_rms_pct))
        share = f"{car.parameters['unsprung_share']:.2f}"
        rows.append((str(one.axle), f"{car.unsprung_mass:.1f}", share, *three, *others, f"{found.seconds:.2f}"))
    return Table(heads, tuple(rows))


def _parameter_table(one: AxleReduction) -> Table:
    units = {item.name: item.kind.unit for item in PARAMETERS}
    rows = tuple(
        (name, units[name], f"{i.value:.4g}", f"{i.lower:.4g}", f"{i.upper:.4g}", "on its bound" if i.on_bound else "")
        for name, i in one.identified.intervals.items()
    )
    return Table(("parameter", "unit", "value", "from", "to", ""), rows)


def write_reduction_page(
    vehicle: Vehicle,
    reductions: Sequence[AxleReduction],
    path: Path,
    *,
    tests: Sequence[PostTest] = (),
    found: Sequence[Finding] = (),
    pictures: bool = True,
) -> list[Path]:
    """Write the page, and its figures as pictures beside it; the files that were written.

    Raises
    ------
    MissingExtraError
        Plotly or Matplotlib is not installed.
    """
    figures = reduction_figures(vehicle, reductions, tests)
    sections = [Section("Result", (_axle_table(reductions), *(_DEPENDENT for one in reductions if one.dependent)))]
    for one in reductions:
        errors = "; ".join(f"{_SHAPES[s]} {c:.1e} and {1e3 * d:.3f} mm" for s, (c, d) in one.curve_errors.items())
        said = f"Largest error of a direction cosine and of a displacement: {errors}."
        sections += [
            Section(f"Link, {one.axle}", (Captioned(figures[f"link_{one.axle}"], said),)),
            Section(
                f"Swept force, {one.axle}",
                (Captioned(figures[f"response_{one.axle}"], _RESPONSE), _INTERVALS, _parameter_table(one)),
            ),
        ]
        if one.changed is not None:
            sections.append(Section(f"What if, {one.axle}", (figures[f"change_{one.axle}"],)))
    sections.append(Section("Springs and dampers", (Captioned(figures["springs_and_dampers"], _FORCES),)))
    if tests:
        heads: tuple[str, ...] = ("posts", "body [%]", "front loads [%]", "rear loads [%]", "body over posts [%]")
        heads += ("multibody CPU [s]", "quarter cars CPU [s]")
        rows = tuple(
            (
                str(t.posts.mode),
                *(f"{e:.2f}" for e in t.errors_pct.values()),
                f"{t.body_over_posts_pct:.2f}",
                f"{t.reference_seconds:.2f}",
                f"{t.seconds:.2f}",
            )
            for t in tests
        )
        sections.append(Section("Four posts", (Captioned(figures["four_posts"], _POSTS), Table(heads, rows))))
    if found:
        sections.append(Section("Findings of the paper", tuple(Notice(str(one), one.holds) for one in found)))
    lead = "Quarter cars with one equivalent link, identified on the multibody model."
    write_page(
        f"Quarter cars of {vehicle.name}", lead, sections, path, footer=f"trackrod {__version__}, {vehicle.name}"
    )
    files = [path]
    for name, figure in figures.items() if pictures else ():
        files.append(path.with_name(f"{name}.png"))
        write_png(figure, files[-1])
    return files


_DEPENDENT = (
    "A solid axle carries both wheels. Its quarter car stands for both wheels moving alike, with half of the axle for "
    "each; it says nothing of the axle's roll."
)
_RESPONSE = "Position, velocity and acceleration of the wheel; the sprung body is anchored."
_INTERVALS = (
    "Intervals hold the value with 95 %, from pieces of the sweep left out one by one and from what friction and "
    "curves of the link shift; another error of the model that looks like a parameter in every piece is not in them."
)
_FORCES = "What was identified beside the components: bushings stiffen the one and damp the other."
_POSTS = (
    "In the band of the sweep; the slow creep of the tyres on the posts is taken out of both models. Errors are RMS of "
    "the difference over RMS of the multibody model's signal. In warp the body hardly moves, by what two axles "
    "leave of each other, and where dampers push wheels aside through soft bushings it is known worst; its difference "
    "over the motion of the posts stands beside it."
)
