"""``trackrod reduce``: axles of a vehicle as quarter cars."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from trackrod.cli.inputs import Payload, open_loaded
from trackrod.cli.output import console, print_json
from trackrod.cli.targets import folder_option
from trackrod.cli.vehicle import Aliases, AllowOutside, Json, StandIn, TemplateFolders
from trackrod.core.artefact import Artefact, Provenance, save
from trackrod.core.corners import Axle, Side
from trackrod.core.errors import FileFormatError, InputError, Place, Problem, UnknownNameError
from trackrod.core.files import make_folder, read_bytes, write_atomically
from trackrod.core.plain import Plain, pretty_json
from trackrod.kc.orientation import mirrored
from trackrod.manoeuvres.standing import PostMode
from trackrod.reduce.curves import Curve, LinkCurves
from trackrod.reduce.findings import Finding, findings
from trackrod.reduce.identify import SIGNALS
from trackrod.reduce.model import QUARTER_CAR
from trackrod.reduce.posts import PostTest, post_test, posts_of
from trackrod.reduce.reduction import AxleReduction, reduce_axle
from trackrod.reduce.vehicle import REDUCED_VEHICLE, reduced_vehicle
from trackrod.report.reduce import write_reduction_page

__all__ = ["read_curve", "reduce"]

#: Largest file of a curve [bytes].
_LARGEST = 1_000_000
#: Curves as they are called on the command line, and in the link.
_CHANGES = {"camber": "inclination", "toe": "steer", "pitch": "pitch", "x": "x", "y": "y"}


class WhichAxle(StrEnum):
    """Which axles."""

    FRONT = "front"
    REAR = "rear"
    BOTH = "both"


def read_curve(path: Path) -> tuple[list[float], list[float]]:
    """Two columns of a file: wheel travel [m] and what changes with it [rad], [m].

    Raises
    ------
    FileFormatError
        A line is not two numbers.
    """
    z, values = [], []
    for number, row in enumerate(csv.reader(read_bytes(path, _LARGEST).decode("utf-8", "replace").splitlines()), 1):
        if not row or row[0].lstrip().startswith("#"):
            continue
        try:
            first, second = (float(cell) for cell in row)
        except ValueError:
            text = f"'{','.join(row)[:60]}' is not two numbers"
            raise FileFormatError(Problem(text, Place(path, number), hint="z in m, then rad or m")) from None
        z.append(first)
        values.append(second)
    return z, values


def _changes(given: list[str] | None) -> dict[str, Path]:
    found = {}
    for text in given or []:
        name, equals, file = text.partition("=")
        if not (name and equals and file):
            raise InputError(Problem(f"--change {text} is not CURVE=FILE", hint="for example camber=camber.csv"))
        if name not in _CHANGES:
            raise UnknownNameError("curve", name, _CHANGES)
        found[name] = Path(file)
    return found


def _changed(link: LinkCurves, changes: dict[str, tuple[list[float], list[float]]]) -> LinkCurves:
    """The link of the left wheel with curves of files; camber and toe are mirror-symmetric angles there."""
    for name, (z, values) in changes.items():
        sign = float(mirrored(1.0, Side.LEFT.sign)) if name in ("camber", "toe") else 1.0  # type: ignore[arg-type]
        curve = Curve.fitted(z, [sign * value for value in values], name=f"the curve of {name}")
        link = link.with_curve(_CHANGES[name], curve)
    return link


def reduce(
    vehicle: Annotated[str, typer.Argument(help="Bundled vehicle, .asy or .json.", show_default=False)],
    axle: Annotated[WhichAxle, typer.Option(help="Which axles.")] = WhichAxle.BOTH,
    out: Annotated[Path | None, folder_option(help="Folder for quarter cars, page and pictures.")] = None,
    posts: Annotated[
        bool, typer.Option("--posts", help="Compare on four posts too: heave, pitch, roll, warp.")
    ] = False,
    starts: Annotated[int, typer.Option(help="Searches from starts 50 % wrong, with and without homotopy.", min=0)] = 2,
    change: Annotated[
        list[str] | None,
        typer.Option("--change", help="What if a curve were another: camber=FILE, toe, pitch, x or y; repeatable."),
    ] = None,
    payload: Payload = None,
    alias: Aliases = None,
    templates: TemplateFolders = None,
    allow_outside: AllowOutside = False,
    stand_in: StandIn = False,
    json: Json = False,
) -> None:
    """Reduce axles to quarter cars with one equivalent link, and identify them by homotopy on a suspension rig."""
    changes = {name: read_curve(path) for name, path in _changes(change).items()}
    for name, (z, values) in changes.items():
        Curve.fitted(z, values, name=f"the curve of {name}")
    if posts and axle is not WhichAxle.BOTH:
        raise InputError(Problem(f"--posts needs both axles, --axle {axle} is given", hint="leave --axle out"))
    found, _ = open_loaded(vehicle, payload, alias, templates, allow_outside=allow_outside, stand_in=stand_in)
    chosen = list(Axle) if axle is WhichAxle.BOTH else [Axle(axle)]
    reductions = [
        reduce_axle(found, one, starts=starts, change=(lambda link: _changed(link, changes)) if changes else None)
        for one in chosen
    ]
    tests: list[PostTest] = []
    said: tuple[Finding, ...] = ()
    if len(chosen) == 2:
        said = findings(found, *reductions)
    joined = reduced_vehicle(found, *(one.car for one in reductions)) if posts else None
    if joined is not None:
        tests = [post_test(found, joined, posts_of(mode)) for mode in PostMode]
    files: list[Path] = []
    plain = [one.as_dict() | _of_vehicle(one.axle, tests, said) for one in reductions]
    if out is not None:
        make_folder(out)
        for one in reductions:
            files.append(out / f"quarter_car_{one.axle}.json")
            save(Artefact(QUARTER_CAR, one.car, Provenance(settings={"vehicle": vehicle})), files[-1])
        if joined is not None:
            files.append(out / "reduced_vehicle.json")
            save(Artefact(REDUCED_VEHICLE, joined, Provenance(settings={"vehicle": vehicle})), files[-1])
        files.append(out / "reduce.json")
        write_atomically(files[-1], pretty_json(plain))
        files += write_reduction_page(found, reductions, out / "reduce.html", tests=tests, found=said)
    if json:
        print_json(plain)
        return
    console.print(_table(found.name, reductions))
    for test in tests:
        errors = ", ".join(f"{name} {value:.2f} %" for name, value in test.errors_pct.items())
        errors += f", body over the motion of the posts {test.body_over_posts_pct:.2f} %"
        console.print(f"posts, {test.posts.mode}: {errors}", highlight=False, soft_wrap=True)
    for finding in said:
        console.print(str(finding), highlight=False, soft_wrap=True)
    for path in files:
        console.print(f"wrote {path}", highlight=False, soft_wrap=True)


def _of_vehicle(axle: Axle, tests: Sequence[PostTest], said: Sequence[Finding]) -> dict[str, Plain]:
    """What the four posts say of an axle [%], and the findings of the paper; nothing where they were not asked for."""
    return {
        "posts": {
            str(test.posts.mode): {
                "body": test.errors_pct["body"],
                "body_over_posts": test.body_over_posts_pct,
                "loads": test.errors_pct[f"{axle} loads"],
            }
            for test in tests
        },
        "findings": [{"finding": one.text, "holds": one.holds, "numbers": one.numbers} for one in said],
    }


def _table(name: str, reductions: list[AxleReduction]) -> Table:
    table = Table(title=f"Quarter cars of {name}: RMS of the difference over RMS of the signal")
    for head in ("axle", "unsprung [kg]", "of links", *(f"{s} [%]" for s in SIGNALS), "without mount [%]", "CPU [s]"):
        table.add_column(head, justify="left" if head == "axle" else "right")
    for one in reductions:
        car, found = one.car, one.identified
        without = " / ".join(f"{one.rigid.rms_pct[s]:.2f}" for s in SIGNALS)
        values = [f"{found.rms_pct[s]:.2f}" for s in SIGNALS]
        share = f"{100 * car.parameters['unsprung_share']:.0f} %"
        axle = f"{one.axle}{' (solid)' if one.dependent else ''}"
        table.add_row(axle, f"{car.unsprung_mass:.1f}", share, *values, without, f"{found.seconds:.2f}")
    return table
