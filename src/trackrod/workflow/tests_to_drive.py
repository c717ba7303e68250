"""Which tests a plan drives, and the vehicle in them: those of a measurement plan, and what criteria ask for besides.

What would rule everything without a meaning is left out of the rows: coming to rest, and changes of gear.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from trackrod.core import signals
from trackrod.core.errors import ConvergenceError
from trackrod.manoeuvres.longitudinal import Acceleration
from trackrod.manoeuvres.registry import MANOEUVRES, manoeuvre
from trackrod.measured.measurement_plan import Group, MeasurementPlan, Test
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.script import ScriptedVehicle
from trackrod.rtm.spec import RtmSpec
from trackrod.validate.criteria import INDEX, Criteria, Criterion, Response
from trackrod.workflow.multibody_runs import STEP
from trackrod.workflow.planned_tests import SLOW, PlannedTest, Tell, drive_test

__all__ = ["drive_tests", "in_one_gear", "planned_tests_of", "while_moving"]

#: Least repeats of a test that is judged: fewer give no interval worth the name.
_REPEATS = 3
#: Manoeuvres in which the vehicle stands; and what is told of one that does.
_STANDING = ("standstill_steering", "parking", "hill_hold", "four_post")
_AT_REST = (
    "Fz",
    "Mz",
    "roll_rad",
    "pitch_rad",
    "z_m",
    "ride",
    "wheel_travel",
    "steer",
    "camber",
    "rack",
    "damper_length",
)
#: No vehicle is faster [m/s].
_FAST = 200.0
#: Speed that is left between a test in one gear and the changes of gear [km/h], and the least that it must gain.
_MARGIN, _GAINED = 3.0, 8.0
_GROUPS: Mapping[str, Group] = {
    **dict.fromkeys(("ramp_steer", "constant_radius"), Group.STEADY_LATERAL),
    **dict.fromkeys(
        ("step_steer", "sine_sweep", "single_sine", "pulse", "sine_with_dwell", "j_turn", "fishhook"),
        Group.TRANSIENT_LATERAL,
    ),
    "acceleration": Group.ACCELERATION,
    **dict.fromkeys(("braking", "coast_down"), Group.DECELERATION),
    **dict.fromkeys(("random_road", "four_post"), Group.ROAD),
}


def planned_tests_of(plan: MeasurementPlan, criteria: Criteria) -> tuple[Test, ...]:
    """Tests of a plan, named so that `trackrod validate` knows what was driven, and what criteria ask for besides.

    A recording does not say which manoeuvre it is; its name does, where it begins with that of the manoeuvre.
    """
    tests = [replace(t, name=_telling(t.name, t.manoeuvre.name), repeats=max(t.repeats, _REPEATS)) for t in plan.tests]
    known = {test.manoeuvre.name for test in tests}
    asked = dict.fromkeys(
        name for criterion in criteria.criteria for name in criterion.manoeuvres if name in MANOEUVRES
    )
    for criterion in criteria.criteria:
        if criterion.manoeuvres and not known & set(criterion.manoeuvres):
            name = next(name for name in criterion.manoeuvres if name in asked)
            group = _GROUPS.get(name, Group.OTHER)
            tests.append(Test(name, manoeuvre(name, {}), _REPEATS, 1, group=group))
            known.add(name)
    return tuple(tests)


def _telling(name: str, of: str) -> str:
    return name if next((m for m in MANOEUVRES if name.startswith(m)), "") == of else f"{of}_{name}"


def while_moving(criteria: Criteria, tests: Iterable[Test], notes: list[str]) -> Criteria:
    """Criteria that look at a vehicle while it moves, and apart from that at one that stands all the time.

    The instant at which a vehicle comes to rest is a jump: where it is off by little, the acceleration is off by all of
    itself for that time, and a sideslip angle has no meaning any more. Such a row would ask for masses and brakes to
    some hundredths of a percent.
    """
    standing = tuple(dict.fromkeys(t.manoeuvre.name for t in tests if t.manoeuvre.name in _STANDING))
    found: list[Criterion] = []
    for c in criteria.criteria:
        bounded = any(column == signals.VX.column for column, _, _ in c.ranges)
        if c.metric == INDEX or c.response is not Response.TIME or bounded:
            found.append(c)
            continue
        found.append(replace(c, ranges=(*c.ranges, (signals.VX.column, SLOW, _FAST))))
        still = tuple(name for name in standing if c.applies_to(name))
        if still and c.signal.startswith(_AT_REST):
            found.append(replace(c, name=f"{c.name}, standing", manoeuvres=still))
    if len(found) != len(criteria.criteria) or tuple(found) != criteria.criteria:
        notes.append(
            f"Rows over time count from {SLOW:g} m/s on, and apart from that where the vehicle stands all the time: "
            "the instant of coming to rest is a jump that would rule everything. Judge with the criteria that were "
            "written beside this plan, which say so."
        )
    return replace(criteria, criteria=tuple(found))


def drive_tests(
    spec: RtmSpec, criteria: Criteria, tests: Sequence[Test], notes: list[str], tell: Tell
) -> list[PlannedTest]:
    """All tests; those that this vehicle cannot drive are left out, with a note."""
    model, vehicle = RealTimeVehicle(spec), ScriptedVehicle(spec, step=STEP)
    vehicle.settle()
    driven, left_out = [], []
    for done, test in enumerate(tests):
        tell("tests", done / len(tests))
        try:
            driven.append(drive_test(model, vehicle, test, criteria))
        except ConvergenceError as error:
            left_out.append(f"'{test.name}' is left out, this vehicle cannot drive it: {error}")
    tell("tests", 1.0)
    notes += left_out
    if left_out and not driven:
        raise ConvergenceError(f"'{spec.name}' drives none of the {len(tests)} tests: {left_out[0]}")
    if uneven := [d.test.name for d in driven if d.script is None]:
        notes.append(
            f"{', '.join(uneven)}: validate drives the inputs of a test on a smooth road. For these, "
            "drive the model on the road itself and give validate the folder of its runs. Sensors are planned with "
            "them, inputs, delays and parameters are not."
        )
    return driven


def in_one_gear(
    spec: RtmSpec, criteria: Criteria, driven: Sequence[PlannedTest], notes: list[str]
) -> list[PlannedTest]:
    """Accelerations through the gears are there for estimates; what is judged is driven in one gear.

    While the gear changes the driving force jumps. A record of the gear that is late by some milliseconds then
    counts as much as a wrong engine.
    """
    found: list[PlannedTest] = []
    instead: list[str] = []
    model, vehicle = RealTimeVehicle(spec), ScriptedVehicle(spec, step=STEP)
    vehicle.settle()
    for test in driven:
        if not isinstance(test.driven, Acceleration) or not test.shifts or not test.rows:
            found.append(test)
            continue
        pieces = [] if instead else list(_pieces(test, model, vehicle, criteria))
        instead += [piece.test.name for piece in pieces]
        if not instead:
            found.append(test)
            continue
        notes.append(
            f"'{test.test.name}' changes gear at {', '.join(f'{t:.1f}' for t in test.shifts)} s: it is driven for "
            f"estimates and not judged; {', '.join(instead)} are judged instead."
        )
        found += [replace(test, criteria=replace(criteria, criteria=())), *pieces]
    return found


def _pieces(
    test: PlannedTest, model: RealTimeVehicle, vehicle: ScriptedVehicle, criteria: Criteria
) -> Iterator[PlannedTest]:
    """An acceleration once more in each gear that gains enough speed."""
    if not isinstance(test.driven, Acceleration):
        return
    speed, gear = 3.6 * test.run[signals.VX], test.run[signals.GEAR]
    for engaged in sorted({round(g) for g in gear if g > 0}):
        mine = speed[gear == engaged]
        first, last = float(mine.min()) + _MARGIN, float(mine.max()) - _MARGIN
        if last - first < _GAINED:
            continue
        one = test.driven.changed(first_speed_kmh=round(first, 1), last_speed_kmh=round(last, 1))
        name = f"{test.test.name}_gear_{engaged}"
        try:
            piece = drive_test(model, vehicle, replace(test.test, name=name, manoeuvre=one), criteria)
        except ConvergenceError:
            continue
        if not piece.shifts:
            yield piece
