"""The plan of a validation from its criteria: sensors and parameters with the accuracy that each needs.

Reference: paper 001, sections III.A and III.B. Everything is worked out with the real-time model of the vehicle: tests
are driven, sensors are wrong in them, parameters are wrong in them, and what that does is told in shares of the limits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.errors import ConvergenceError, Problem, UnknownNameError, raise_if_errors
from trackrod.core.executors import executor
from trackrod.core.series import Run
from trackrod.core.signals import parse_column
from trackrod.estimate.campaign import Estimates, estimate_all, estimators_of
from trackrod.estimate.known import known_of
from trackrod.fit.blocks import Block
from trackrod.fit.candidates import Candidate, rank_candidates
from trackrod.fit.identifiability import Criteria as Identified
from trackrod.fit.identifiability import stack
from trackrod.manoeuvres.excitation import Excitation
from trackrod.manoeuvres.longitudinal import Acceleration
from trackrod.manoeuvres.registry import MANOEUVRES, manoeuvre
from trackrod.measured.measurement_plan import Group, MeasurementPlan, Test
from trackrod.measured.sensors import Sensor, SensorSet
from trackrod.measured.virtual import Campaign
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.script import Script, ScriptedVehicle
from trackrod.rtm.spec import RtmSpec
from trackrod.simulate.drive import simulate
from trackrod.tune.space import Bounds, TuningSpace, tuning_space
from trackrod.validate.criteria import INDEX, Criteria, Criterion, Response
from trackrod.validate.loop import given_by
from trackrod.validate.requirements import Demand, Filled, Row, alone, fill, rounded_down
from trackrod.validate.validation_plan import (
    RIGS,
    WORKSHOP,
    Method,
    ParameterNeed,
    SensorNeed,
    TestWorth,
    ValidationPlan,
    choose,
)
from trackrod.vehicle.vehicle import Vehicle
from trackrod.workflow.measurement import with_wheel_torques
from trackrod.workflow.multibody_runs import STEP
from trackrod.workflow.planned_tests import (
    INPUTS,
    SAMPLE,
    Change,
    ErrorKind,
    PlannedTest,
    coarser,
    drive_test,
    sensor_errors,
    shifted,
)

__all__ = ["PARAMETER_SHARE", "SHARE", "plan_validation", "planned_tests_of", "require_shares", "require_signals"]

Array = NDArray[np.float64]
Tell = Callable[[str, float], None]

#: Share of a limit that measurement may fill, and that each parameter may.
SHARE, PARAMETER_SHARE = 1.0 / 3.0, 0.2
#: Of the share of measurement, what delays may fill together; zeros, gains and noise have what is left of the square.
_DELAYS = 1.0 / 3.0
#: Least repeats of a test that is judged: fewer give no interval worth the name.
_REPEATS = 3
#: Numbers of the model that are planned for besides those that are tuned in studies.
_FURTHER: Mapping[str, str] = {
    "Iyy": "pitch inertia",
    "cg_y": "sprung centre of gravity, to the left",
    "steering_ratio": "rack travel over steering-wheel angle",
    "brake_front": "front brake torque at full pedal",
    "brake_rear": "rear brake torque at full pedal",
    "drag": "drag",
    "lift_front": "front lift",
    "lift_rear": "rear lift",
    "unsprung_mass_front": "front unsprung mass, each side",
    "unsprung_mass_rear": "rear unsprung mass, each side",
    "compliance_factor_front": "front compliance",
    "compliance_factor_rear": "rear compliance",
    "wheel_inertia_front": "front wheel inertia",
    "wheel_inertia_rear": "rear wheel inertia",
}
#: Where a range in percent says nothing: how far the centre of gravity may lie from where it is said to be [m].
_ASIDE = 0.05
#: Steps of the derivatives over those of the runs: half the work; what they promise is driven again with short ones.
_COARSE = 2
#: Step along a tangent at which a run is read [z], and along which rows are [z].
_ALONG, _READ = 0.01, 0.05
#: A drive with a wrong parameter may differ from what the derivatives say by this factor.
_LINEAR = 1.25
#: In how many tests a wrong parameter is driven again at most.
_MOST_DRIVEN = 4
#: Rows that a parameter moves by less than this share of what it moves most do not rule it.
_RULES = 0.3
#: Delays that are tried for changes of gear [s], rates that are tried [Hz], a delay that others are scaled from [s].
_SHIFT_DELAYS, _RATES, _DELAY = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1), (20.0, 50.0), 0.01
#: From the bound of errors that are equally likely inside it to what holds 95 % of a sum of such (GUM, normal).
_EXPANDED = 1.96 / math.sqrt(3.0)
#: What sensors of inputs serve.
_DRIVES = "drives the model"
#: Between the name of a sensor and the kind of its error.
_OF = ", "
#: What a sensor that nobody knows yet has wrong, over the largest value, and its rate [Hz].
_USUAL, _USUAL_RATE = 0.005, 100.0
#: Of its deviation: a parameter that a test narrows so far is named.
_NARROWED = 0.8
#: Manoeuvres whose worth beyond the plan is looked at.
_CANDIDATES = ("single_sine", "pulse", "throttle_off", "brake_in_turn")
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
_OF_MOTION = ("sideslip", "slip_angle", "slip_ratio")
#: Tests that are shorter tell estimates nothing [s].
_LONG = 4.0
#: Slower than this a vehicle counts as standing [m/s]; no vehicle is faster than the other one.
_SLOW, _FAST = 2.0, 200.0
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


def plan_validation(
    criteria: Criteria,
    spec: RtmSpec,
    plan: MeasurementPlan,
    *,
    vehicle: Vehicle | None = None,
    share: float = SHARE,
    parameter_share: float = PARAMETER_SHARE,
    tell: Tell | None = None,
) -> ValidationPlan:
    """What must be driven, measured and known so that criteria can be judged.

    Parameters
    ----------
    criteria
        What is asked of a model.
    spec
        Real-time model of the vehicle, as good as it is known before.
    plan
        What is driven, and the sensors that are begun with: their errors keep their proportions.
    vehicle
        Its description, whose geometry lets estimates be tried; without it they are not.
    share, parameter_share
        Of each limit that the measurement may fill, and each parameter, 0 to 1.
    tell
        Told what is done, and how much of it, 0 to 1.

    Raises
    ------
    InputError
        A criterion names a signal that the model has not, or a manoeuvre that there is not; a share is none.
    ConvergenceError
        The model comes to no rest, or drives none of the tests.
    """
    tell = tell or (lambda what, done: None)
    require_shares(share, parameter_share)
    require_signals(criteria, spec)
    notes: list[str] = []
    tests = planned_tests_of(plan, criteria)
    criteria = while_moving(criteria, tests, notes)
    work = _Work(spec, criteria, share, parameter_share, plan.sensors, notes)
    driven = work.in_one_gear(work.drive(tests, tell))
    sensors = work.sensors(driven, tell)
    needs, slopes = work.parameters(driven, tell)
    tell("estimates with the planned sensors", 0.0)
    planned = SensorSet([*plan.sensors.values(), *(s for need in sensors for s in need.sensors)])
    reached, serving = _estimated(spec, vehicle, driven, planned, notes)
    tell("what the tests tell", 0.0)
    tuned, worth, further = work.information(driven, slopes, tell)
    parameters = tuple(_with_method(need, reached, tuned) for need in needs)
    wanted = {p.tunable.name for p in parameters if p.method is Method.ESTIMATE}
    sensors = (*sensors, *_for_estimates(serving, wanted, plan.sensors, sensors, driven))
    kept = SensorSet([s for need in sensors for s in need.sensors])
    untested = tuple(c.name for c in criteria.criteria if not any(c in d.rows for d in driven))
    return ValidationPlan(
        vehicle=spec.name,
        criteria=criteria,
        share=share,
        parameter_share=parameter_share,
        measurement=replace(
            plan, name=f"{criteria.name}: {spec.name}", tests=tuple(d.test for d in driven), sensors=kept
        ),
        worth=worth,
        untested=untested,
        sensors=sensors,
        parameters=parameters,
        together=_together(parameters, slopes),
        further=further,
        notes=tuple(notes),
    )


def require_shares(share: float, parameter_share: float) -> None:
    """Refuse shares that are none; InputError."""
    raise_if_errors(
        Problem(f"the share of {what} is {value:g}, a number above 0 and up to 1 is needed")
        for what, value in (("measurement", share), ("a parameter", parameter_share))
        if not 0.0 < value <= 1.0
    )


def require_signals(criteria: Criteria, spec: RtmSpec) -> None:
    """Refuse criteria that name what the model has not, before long work.

    Raises
    ------
    InputError
        With every signal and every manoeuvre that there is not.
    """
    short = Excitation(speed_kmh=40.0, steering_wheel_angle_deg=5.0, duration_s=1.0, pedals_after_s=0.5)
    columns = simulate(RealTimeVehicle(spec), short, sample=SAMPLE)
    problems = []
    for criterion in criteria.criteria:
        wanted = () if criterion.metric == INDEX else (criterion.signal, criterion.given)
        for column in (*wanted, *(column for column, _, _ in criterion.ranges)):
            if column and column not in columns:
                problems.append(Problem(f"'{criterion.name}' needs '{column}', which the model of {spec.name} has not"))
        for name in criterion.manoeuvres:
            if name not in MANOEUVRES:
                problems.extend(UnknownNameError(f"manoeuvre of '{criterion.name}'", name, MANOEUVRES).problems)
    raise_if_errors(problems)


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
        found.append(replace(c, ranges=(*c.ranges, (signals.VX.column, _SLOW, _FAST))))
        still = tuple(name for name in standing if c.applies_to(name))
        if still and c.signal.startswith(_AT_REST):
            found.append(replace(c, name=f"{c.name}, standing", manoeuvres=still))
    if len(found) != len(criteria.criteria) or tuple(found) != criteria.criteria:
        notes.append(
            f"Rows over time count from {_SLOW:g} m/s on, and apart from that where the vehicle stands all the time: "
            "the instant of coming to rest is a jump that would rule everything. Judge with the criteria that were "
            "written beside this plan, which say so."
        )
    return replace(criteria, criteria=tuple(found))


def _telling(name: str, of: str) -> str:
    return name if next((m for m in MANOEUVRES if name.startswith(m)), "") == of else f"{of}_{name}"


# ---- rows


@dataclass(frozen=True, slots=True, eq=False)
class _Slope:
    """What a parameter does in a test: change of every column for one unit of z."""

    test: PlannedTest
    name: str
    change: Change


@dataclass(frozen=True, slots=True, eq=False)
class _Work:
    """One plan in the making."""

    spec: RtmSpec
    criteria: Criteria
    share: float
    parameter_share: float
    first: SensorSet
    notes: list[str]

    def drive(self, tests: Sequence[Test], tell: Tell) -> list[PlannedTest]:
        """All tests; those that this vehicle cannot drive are left out, with a note."""
        model, vehicle = RealTimeVehicle(self.spec), ScriptedVehicle(self.spec, step=STEP)
        vehicle.settle()
        driven = []
        for done, test in enumerate(tests):
            tell("tests", done / len(tests))
            try:
                driven.append(drive_test(model, vehicle, test, self.criteria))
            except ConvergenceError as error:
                self.notes.append(f"'{test.name}' is left out, this vehicle cannot drive it: {error}")
        tell("tests", 1.0)
        if not driven:
            raise ConvergenceError(f"'{self.spec.name}' drives none of the {len(tests)} tests: {self.notes[0]}")
        if uneven := [d.test.name for d in driven if d.script is None]:
            self.notes.append(
                f"{', '.join(uneven)}: `trackrod validate` drives the inputs of a test on a level road. For these, "
                "drive the model on the road itself and give validate the folder of its runs. Sensors are planned with "
                "them, inputs, delays and parameters are not."
            )
        return driven

    def in_one_gear(self, driven: Sequence[PlannedTest]) -> list[PlannedTest]:
        """Accelerations through the gears are there for estimates; what is judged is driven in one gear.

        While the gear changes the driving force jumps. A record of the gear that is late by some milliseconds then
        counts as much as a wrong engine.
        """
        found: list[PlannedTest] = []
        instead: list[str] = []
        model, vehicle = RealTimeVehicle(self.spec), ScriptedVehicle(self.spec, step=STEP)
        vehicle.settle()
        for test in driven:
            if not isinstance(test.driven, Acceleration) or not test.shifts or not test.rows:
                found.append(test)
                continue
            pieces = [] if instead else list(self._pieces(test, model, vehicle))
            instead += [piece.test.name for piece in pieces]
            if not instead:
                found.append(test)
                continue
            self.notes.append(
                f"'{test.test.name}' changes gear at {', '.join(f'{t:.1f}' for t in test.shifts)} s: it is driven for "
                f"estimates and not judged; {', '.join(instead)} are judged instead."
            )
            found += [replace(test, criteria=replace(self.criteria, criteria=())), *pieces]
        return found

    def _pieces(self, test: PlannedTest, model: RealTimeVehicle, vehicle: ScriptedVehicle) -> Iterator[PlannedTest]:
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
                piece = drive_test(model, vehicle, replace(test.test, name=name, manoeuvre=one), self.criteria)
            except ConvergenceError:
                continue
            if not piece.shifts:
                yield piece

    # ---- sensors

    def sensors(self, driven: Sequence[PlannedTest], tell: Tell) -> tuple[SensorNeed, ...]:
        """What each sensor needs so that all of them together keep the share in every row."""
        vehicle = ScriptedVehicle(self.spec, step=STEP)
        vehicle.settle()
        peaks = _peaks(driven)
        demands: list[Demand] = []
        timing: dict[str, float] = {}
        rates: dict[str, float] = {}
        for done, test in enumerate(driven):
            tell("wrong sensors", done / len(driven))
            columns = self._columns(test)
            for column in columns:
                if column != signals.GEAR.column:  # a whole number has no accuracy
                    demands += self._demands(test, self._first(column, peaks), vehicle)
                name = family(column)
                within, rate = self._in_time(test, column, vehicle)
                timing[name] = min(timing.get(name, math.inf), within)
                rates[name] = max(rates.get(name, 0.0), rate)
        tell("wrong sensors", 1.0)
        known = {family(column) for column in self.first}
        # A sensor that nobody knows begins where it would fill a row alone.
        scale: dict[str, float] = {}
        for d in demands:
            if d.source.partition(_OF)[0] not in known and math.isfinite(d.alone):
                scale[d.source] = min(scale.get(d.source, math.inf), d.alone)
        needs: dict[str, dict[ErrorKind, Filled]] = {}
        for source, found in fill(replace(d, alone=d.alone / scale.get(d.source, 1.0)) for d in demands).items():
            name, _, kind = source.partition(_OF)
            needs.setdefault(name, {})[ErrorKind(kind)] = replace(found, factor=found.factor * scale.get(source, 1.0))
        gear = signals.GEAR.column
        whole = [self._gear(timing[gear], peaks[gear])] if gear in timing else []
        return *whole, *(
            SensorNeed(
                name=name,
                sensors=tuple(self._planned(c, filled, rates[name], peaks) for c in self._members(name, peaks)),
                factors={str(kind): found.factor for kind, found in filled.items()},
                rows={str(kind): found.row for kind, found in filled.items()},
                known=any(c in self.first for c in self._members(name, peaks)),
                timing=rounded_down(timing[name]),
                rate=rates[name],
                peak=max(peaks[c] for c in self._members(name, peaks)),
                serves=self._serves(name),
            )
            for name, filled in needs.items()
        )

    def _gear(self, timing: float, peak: float) -> SensorNeed:
        """A whole number has no accuracy; what counts is when it changes."""
        column = signals.GEAR.column
        first = self.first[column] if column in self.first else Sensor(column, rate=_USUAL_RATE, resolution=1.0)
        rate = max(1.0 / timing, _RATES[0]) if math.isfinite(timing) else _RATES[0]
        sensor = replace(first, rate=max(first.rate, rate))
        return SensorNeed(column, (sensor,), {}, {}, column in self.first, timing, rate, peak, (_DRIVES,))

    def _columns(self, test: PlannedTest) -> list[str]:
        """Whose sensors a test depends on."""
        found: dict[str, None] = {}
        for criterion in test.rows:
            found |= dict.fromkeys(test.judged_columns(criterion, self.first))
        if test.rows and test.script is not None:
            found |= dict.fromkeys((*INPUTS, signals.VX.column))
        return list(found)

    def _first(self, column: str, peaks: Mapping[str, float]) -> Sensor:
        """Errors to begin with: their proportions are kept among sensors, where rows do not say otherwise."""
        error = _USUAL * max(peaks[column], 1e-9)
        if column not in self.first:
            return Sensor(column, accuracy=error, noise=error, scale_error=_USUAL, rate=_USUAL_RATE)
        known = self.first[column]
        return replace(known, accuracy=known.accuracy or error, scale_error=known.scale_error or _USUAL)

    def _planned(
        self, column: str, filled: Mapping[ErrorKind, Filled], rate: float, peaks: Mapping[str, float]
    ) -> Sensor:
        first, peak = self._first(column, peaks), peaks[column]
        low, high = first.range
        factor = {kind: filled[kind].factor if kind in filled else 1.0 for kind in ErrorKind}
        return replace(
            first,
            accuracy=rounded_down(factor[ErrorKind.ZERO] * first.accuracy),
            noise=rounded_down(factor[ErrorKind.NOISE] * first.noise),
            scale_error=rounded_down(factor[ErrorKind.GAIN] * first.scale_error),
            resolution=rounded_down(factor[ErrorKind.NOISE] * first.resolution),
            rate=max(first.rate, rate),
            range=(min(low, -1.25 * peak) if low < 0.0 else low, max(high, 1.25 * peak)),
        )

    def _members(self, name: str, peaks: Mapping[str, float]) -> list[str]:
        return [column for column in peaks if family(column) == name]

    def _serves(self, name: str) -> tuple[str, ...]:
        judged = [c.name for c in self.criteria.criteria if name in (family(c.signal), family(c.given))]
        drives = [_DRIVES] if name in (*INPUTS, signals.VX.column) else []
        return (*judged, *drives) or ("indices of manoeuvres",)

    def _demands(self, test: PlannedTest, sensor: Sensor, vehicle: ScriptedVehicle) -> Iterator[Demand]:
        rest = self.share * math.sqrt(1.0 - _DELAYS**2)
        for kind, change in sensor_errors(sensor, test.run, test.test.repeats).items():
            # One recording drives the model: its noise is not that of a mean.
            alone_noise = math.sqrt(test.test.repeats) if kind is ErrorKind.NOISE else 1.0
            moved = _or_nothing(test, vehicle, test.wrong_input(sensor.column, alone_noise * change))
            if not change.any():
                continue
            widened = 1.0 if kind is ErrorKind.NOISE else _EXPANDED
            for criterion in test.rows:
                judged = sensor.column in test.judged_columns(criterion, self.first)
                if not judged and not moved:
                    continue

                def ratio(
                    factor: float,
                    criterion: Criterion = criterion,
                    shown: Change = {sensor.column: change} if judged else {},
                    moved: Change = moved,
                    widened: float = widened,
                ) -> float:
                    shows, drives = (test.changed(criterion, c, widened * factor) for c in (shown, moved))
                    return test.ratio(criterion, shows, drives)

                source = f"{family(sensor.column)}{_OF}{kind}"
                yield Demand(source, (criterion.name, test.test.name), alone(ratio, rest))

    def _in_time(self, test: PlannedTest, column: str, vehicle: ScriptedVehicle) -> tuple[float, float]:
        """Up to which a delay must be known [s], and the least rate [Hz]."""
        if test.script is None:  # where a vehicle is on an uneven road is another matter
            return math.inf, _USUAL_RATE
        moving = sum(bool(np.ptp(test.run[name]) > 0.0) for name in INPUTS)
        small = self.share * _DELAYS / math.sqrt(1 + moving)
        late = {column: shifted(test.run, column, _DELAY)}
        moved = _or_nothing(test, vehicle, test.late_input(column, _DELAY))
        within = math.inf
        if column == signals.GEAR.column:
            for delay in _SHIFT_DELAYS:
                found = _or_nothing(test, vehicle, test.late_input(column, delay))
                if found and max(test.ratio(c, None, test.changed(c, found, 1.0)) for c in test.rows) > small:
                    return delay / 2.0, _USUAL_RATE
            return math.inf, _RATES[0]
        for criterion in test.rows:
            judged = column in test.judged_columns(criterion, self.first)
            if not judged and not moved:
                continue
            shown = late if judged else {}

            def ratio(factor: float, criterion: Criterion = criterion, shown: Change = shown) -> float:
                return test.ratio(
                    criterion, test.changed(criterion, shown, factor), test.changed(criterion, moved, factor)
                )

            within = min(within, _DELAY * alone(ratio, small, largest=100.0))
        return within, self._rate(test, column, vehicle, small)

    def _rate(self, test: PlannedTest, column: str, vehicle: ScriptedVehicle, small: float) -> float:
        """Least samples per second [Hz] with which straight lines between samples tell what a test and a model do."""
        time, values = test.run.time, test.run[column]
        for rate in _RATES:
            every = round(1.0 / (rate * SAMPLE))
            change = np.interp(time, time[::every], values[::every]) - values
            moved = _or_nothing(test, vehicle, test.wrong_input(column, change))
            rows = [c for c in test.rows if moved or column in test.judged_columns(c, self.first)]
            off = (test.ratio(c, test.changed(c, {column: change}, 1.0), test.changed(c, moved, 1.0)) for c in rows)
            if max(off, default=0.0) <= small:
                return rate
        return 1.0 / SAMPLE

    # ---- parameters

    def parameters(self, driven: Sequence[PlannedTest], tell: Tell) -> tuple[list[ParameterNeed], list[_Slope]]:
        """How well each parameter must be known; and what it does in every test, by exact derivatives."""
        space = self._space()
        slopes = self._slopes(space, driven, tell)
        needs = []
        vehicle = ScriptedVehicle(self.spec, step=STEP)
        for k, item in enumerate(space.tunables):
            tell("wrong parameters, driven again", k / len(space.tunables))
            needs.append(self._need(space.only([item.name]), [s for s in slopes if s.name == item.name], vehicle))
        tell("wrong parameters, driven again", 1.0)
        return needs, slopes

    def _space(self) -> TuningSpace:
        p = self.spec.parameters
        usual = tuning_space(self.spec).names
        names = [*usual, *(name for name in _FURTHER if p[name] != 0.0 or name == "cg_y")]
        aside = Bounds(p["cg_y"] - _ASIDE, p["cg_y"] + _ASIDE)
        space = tuning_space(self.spec, names=names, bounds={"cg_y": aside})
        titled = tuple(replace(item, title=_FURTHER.get(item.name, item.title)) for item in space.tunables)
        return replace(space, tunables=titled)

    def _slopes(self, space: TuningSpace, driven: Sequence[PlannedTest], tell: Tell) -> list[_Slope]:
        vehicle = ScriptedVehicle(self.spec, step=_COARSE * STEP)
        vehicle.settle(self.spec, space.directions(np.zeros(len(space.names))))
        done = 0

        def of(test: PlannedTest) -> list[_Slope]:
            nonlocal done
            found = self._tangents(vehicle, space, test)
            done += 1
            tell("exact derivatives", done / len(judged))
            return found

        judged = sorted((t for t in driven if t.rows and t.script is not None), key=lambda t: -t.run.time.size)
        with executor() as pool:
            return [slope for found in pool.map(of, judged) for slope in found]

    def _tangents(self, vehicle: ScriptedVehicle, space: TuningSpace, test: PlannedTest) -> list[_Slope]:
        assert test.script is not None
        tangent = vehicle.tangent(coarser(test.script, _COARSE))
        found = []
        for k, name in enumerate(space.names):
            if not np.isfinite(tangent.slopes[:, :, k]).all():
                continue
            up, down = (test.difference(tangent.along(k, sign * _ALONG)) for sign in (1.0, -1.0))
            change = {c: (up[c] - down[c]) / (2.0 * _ALONG) for c in up}  # what the coarser steps do is in both
            found.append(_Slope(test, name, change))
        return found

    def _need(self, space: TuningSpace, slopes: Sequence[_Slope], vehicle: ScriptedVehicle) -> ParameterNeed:
        """By derivatives first; then the tests that rule are driven again with the parameter wrong."""
        item, share = space.tunables[0], self.parameter_share
        ends = [(_along(slope, c)(1.0), slope, c) for slope in slopes for c in slope.test.rows]
        most = max((end for end, _, _ in ends), default=0.0)
        linear: list[tuple[float, Row, PlannedTest]] = []
        for end, slope, criterion in ends:
            if end > _RULES * most:
                first = min(share / end, 1.0)
                reach = alone(_along(slope, criterion), share, start=first, largest=10.0)
                linear.append((reach, (criterion.name, slope.test.test.name), slope.test))
        linear.sort(key=lambda entry: entry[0])
        best, row, driven, note = math.inf, linear[0][1] if linear else ("", ""), math.nan, ""
        seen: set[str] = set()
        for reach, _, test in linear:
            if reach > min(best, _LINEAR) or len(seen) == _MOST_DRIVEN:
                break
            if test.test.name in seen:
                continue
            seen.add(test.test.name)
            found, at, by, told = self._driven_again(space, test, min(reach, 1.0), vehicle)
            if told:
                note = told
            if found < best:
                best, row, driven = found, at, by
        span = 0.5 * (item.upper - item.lower)
        accuracy = rounded_down(best * span) if best < 1.0 else math.inf
        by_derivatives = linear[0][0] * span if linear else math.inf
        empty: dict[Method, float] = {}
        return ParameterNeed(item, accuracy, row, by_derivatives, driven, empty, {}, Method.NONE, note)

    def _driven_again(
        self, space: TuningSpace, test: PlannedTest, reach: float, vehicle: ScriptedVehicle
    ) -> tuple[float, Row, float, str]:
        """How far a parameter may go in a test [z], by driving; the row that rules, the ratio at `reach`, a note."""

        def worst(z: float) -> tuple[float, str]:
            found = (0.0, "")
            for sign in (1.0, -1.0):
                try:
                    run = _run_at(space, test, sign * z, vehicle)
                except ConvergenceError:
                    return math.inf, "breaks down"
                model = test.difference(run)
                found = max(found, *((test.ratio(c, None, test.changed(c, model, 1.0)), c.name) for c in test.rows))
            return found

        share, name = self.parameter_share, test.test.name
        first, by = worst(reach)
        if first <= share * _LINEAR and (first >= share / _LINEAR or reach >= 1.0):
            return min(reach * share / first, 1.0) if first > 0.0 else 1.0, (by, name), first, ""
        found = alone(
            lambda z: worst(z)[0], share, start=min(reach * share / first, 1.0) if first > 0 else 1.0, largest=1.0
        )
        found = min(found, 1.0)
        _, by = worst(found)
        why = f", with changes of gear at {', '.join(f'{t:.2f}' for t in test.shifts)} s" if test.shifts else ""
        told = (
            f"in {name} derivatives promise {share:.2f} of the limit where driving again finds {first:.2f}{why}; "
            "the accuracy is that by driving"
        )
        return found, (by, name), first, told

    # ---- information

    def information(
        self, driven: Sequence[PlannedTest], slopes: Sequence[_Slope], tell: Tell
    ) -> tuple[dict[str, float], tuple[TestWorth, ...], tuple[TestWorth, ...]]:
        """What tuning by the tests would reach for each parameter [z, 95 %]; what each test, and others, are worth."""
        names = list(dict.fromkeys(slope.name for slope in slopes))
        noise = Identified(noise_pct=100.0 * self.share / 1.96)
        told = {d.test.name: _triangle(names, d, slopes) for d in driven if d.rows and d.script is not None}
        in_use = {name: block for name, block in told.items() if block is not None}
        worth = []
        for test in driven:
            name = test.test.name
            found = TestWorth(name, tuple(c.name for c in test.rows))
            others = [block for other, block in in_use.items() if other != name]
            if name in in_use and others:
                found = _worth(found, rank_candidates(names, others, [in_use[name]], criteria=noise)[0])
            worth.append(found)
        if not in_use:
            return {}, tuple(worth), ()
        further = self._further(names, list(in_use.values()), {d.driven.name for d in driven}, noise, tell)
        reached = dict(zip(names, 1.96 * _deviations(names, list(in_use.values()), noise), strict=True))
        return reached, tuple(worth), further

    def _further(
        self, names: list[str], in_use: list[Block], known: set[str], noise: Identified, tell: Tell
    ) -> tuple[TestWorth, ...]:
        """What manoeuvres that the plan does not have would tell, the best first."""
        tests = [Test(name, manoeuvre(name, {})) for name in _CANDIDATES if name not in known]
        quiet = replace(self, notes=[])
        try:
            driven = [d for d in quiet.drive(tests, lambda what, done: tell("further tests", done)) if d.rows]
        except ConvergenceError:
            return ()
        slopes = quiet._slopes(self._space().only(names), driven, lambda what, done: None)
        blocks = [block for d in driven if (block := _triangle(names, d, slopes)) is not None]
        if not blocks:
            return ()
        rows = {d.test.name: tuple(c.name for c in d.rows) for d in driven}
        ranked = rank_candidates(names, in_use, blocks, criteria=noise)
        found = [_worth(TestWorth(c.manoeuvre, rows[c.manoeuvre]), c) for c in ranked]
        return tuple(sorted(found, key=lambda worth: -worth.bits))


def _worth(of: TestWorth, told: Candidate) -> TestWorth:
    changed = zip(told.parameters, told.before, told.after, strict=True)
    narrowed = tuple(name for name, before, after in changed if after <= _NARROWED * before)
    return replace(of, bits=max(float(np.log2(told.before / told.after).sum()), 0.0), narrowed=narrowed)


def family(column: str) -> str:
    """A column, or what the columns of four wheels have in common."""
    for corner in Corner:
        if f"_{corner}_" in column:
            return column.replace(f"_{corner}_", "_{corner}_")
    return column


def _peaks(driven: Iterable[PlannedTest]) -> dict[str, float]:
    found: dict[str, float] = {}
    for test in driven:
        rolling = test.run[signals.VX] > _SLOW
        for column in test.run:
            # Angles of a motion that there is not are any.
            values = test.run[column][rolling] if column.startswith(_OF_MOTION) else test.run[column]
            if column != "time_s":
                found[column] = max(found.get(column, 0.0), float(np.abs(values).max(initial=0.0)))
    return found


def _or_nothing(test: PlannedTest, vehicle: ScriptedVehicle, script: Script | None) -> dict[str, Array]:
    """What other inputs change; nothing where they are the same, or where the model breaks down."""
    if script is None:
        return {}
    try:
        return test.difference(vehicle.run(script))
    except ConvergenceError:
        return {}


def _along(slope: _Slope, criterion: Criterion) -> Callable[[float], float]:
    return lambda z: slope.test.ratio(criterion, None, slope.test.changed(criterion, slope.change, z))


def _run_at(space: TuningSpace, test: PlannedTest, z: float, vehicle: ScriptedVehicle) -> Run:
    assert test.script is not None
    vehicle.settle(space.spec(np.array([z])))
    return vehicle.run(test.script)


def _triangle(names: Sequence[str], test: PlannedTest, slopes: Sequence[_Slope]) -> Block | None:
    """All that a test tells about the parameters, in as many rows as there are parameters."""
    mine = {slope.name: slope for slope in slopes if slope.test is test}
    blocks = []
    for criterion in test.rows:
        columns = []
        for name in names:
            change = mine[name].change if name in mine else {}
            model = test.changed(criterion, change, _READ)
            columns.append(100.0 / _READ * test.residual(criterion, model))
        jacobian = np.column_stack(columns)
        if np.isfinite(jacobian).all():
            blocks.append(Block(test.test.name, criterion.name, np.zeros(len(jacobian)), jacobian))
    if not blocks:
        return None
    triangle = stack(names, blocks)
    return Block(test.test.name, "all criteria", np.zeros(len(triangle)), triangle)


def _deviations(names: Sequence[str], blocks: Sequence[Block], noise: Identified) -> Array:
    """Of every parameter that is tuned with all others [z]."""
    nothing = Block("nothing", "nothing", np.zeros(1), np.zeros((1, len(names))))
    return rank_candidates(names, [nothing], _as_one(names, blocks), criteria=noise)[0].after


def _as_one(names: Sequence[str], blocks: Sequence[Block]) -> list[Block]:
    triangle = stack(names, blocks)
    return [Block("all tests", "all criteria", np.zeros(len(triangle)), triangle)]


def _together(parameters: Sequence[ParameterNeed], slopes: Sequence[_Slope]) -> tuple[float, Row]:
    """Every parameter wrong by its accuracy at once, as independent errors: the fullest row."""
    wrong = {
        p.tunable.name: min(p.accuracy / (0.5 * (p.tunable.upper - p.tunable.lower)), 1.0)
        for p in parameters
        if math.isfinite(p.accuracy)
    }
    rows: dict[Row, float] = {}
    for slope in slopes:
        if slope.name in wrong:
            for criterion in slope.test.rows:
                row = criterion.name, slope.test.test.name
                rows[row] = rows.get(row, 0.0) + _along(slope, criterion)(wrong[slope.name]) ** 2
    row = max(rows, key=lambda r: rows[r], default=("", ""))
    return math.sqrt(rows.get(row, 0.0)), row


# ---- methods


def _estimated(
    spec: RtmSpec, vehicle: Vehicle | None, driven: Sequence[PlannedTest], sensors: SensorSet, notes: list[str]
) -> tuple[dict[str, float], dict[str, tuple[str, ...]]]:
    """What estimates from a virtual measurement reach for parameters [SI, 95 %], and the columns that they need."""
    if vehicle is None:
        notes.append("estimates were not tried: they need the geometry of a vehicle, and a model alone was given")
        return {}, {}
    model, campaign = RealTimeVehicle(spec), Campaign(sensors)
    runs = []
    for number, test in enumerate(test for test in driven if test.run.time[-1] > _LONG):
        truth = with_wheel_torques(simulate(model, test.driven, sample=0.5 * SAMPLE), spec)
        columns = {"time_s": truth.time}
        for column, samples in campaign.measure(truth, number).items():
            columns[column] = np.interp(truth.time, samples.time - sensors[column].delay, samples.values)
            if parse_column(column).held:
                at = np.searchsorted(samples.time - sensors[column].delay, truth.time + 1e-9, side="right") - 1
                columns[column] = samples.values[np.clip(at, 0, samples.values.size - 1)]
        runs.append(Run(columns, truth.metadata))
    known = known_of(vehicle)
    if (ratio := _steering_ratio(driven)) is not None:
        known = known.knowing({"steering_ratio": ratio}, {"steering_ratio": WORKSHOP["steering_ratio"].reached(ratio)})
    found = estimate_all(runs, known, sensors)
    needed = {e.name: e.needs() for e in estimators_of(runs, known)}
    reached = {name: 0.5 * (at.upper - at.lower) for name, at in given_by(found.values, spec).items()}
    whole = spec.mass / spec.parameters["sprung_mass"]  # by what the sprung body must move for the whole to move by one
    told = {
        "sprung_mass": ("mass", reached.get("mass")),
        "Izz": ("yaw_inertia", reached.get("Izz")),
        **{name: (of, _scaled(reached.get(name), whole)) for name, of in _PLACES.items()},
        **{f"brake_{end}": (f"brake_factor_{end[0]}l", reached.get(f"brake_{end}")) for end in ("front", "rear")},
        **{name: (name, _half(found, name)) for name in ("drag", "lift_front", "lift_rear", "cg_y")},
        "engine_factor": (_engine(found), _relative(found, _engine(found))),
    }
    serving = {name: needed.get(of, ()) for name, (of, value) in told.items() if value is not None}
    return {name: value for name, (_, value) in told.items() if value is not None}, serving


_PLACES = {"cg_to_front": "cg_x", "cg_height": "cg_height_braking"}


def _scaled(value: float | None, factor: float) -> float | None:
    return None if value is None else factor * value


def _half(found: Estimates, name: str) -> float | None:
    e = found.values.get(name)
    return None if e is None else 0.5 * (e.interval[1] - e.interval[0])


def _relative(found: Estimates, name: str) -> float | None:
    half = _half(found, name)
    return None if half is None else half / abs(found.values[name].value)


def _engine(found: Estimates) -> str:
    """The point of the engine's map that is known best at full throttle."""
    points = [n for n in found.values if n.startswith("engine_torque_") and "_throttle_100_" in n]
    return min(points, key=lambda n: _relative(found, n) or math.inf, default="")


def _steering_ratio(driven: Sequence[PlannedTest]) -> float | None:
    """As turn plates would tell it."""
    for test in driven:
        wheel = test.run[signals.STEERING_WHEEL_ANGLE]
        steer = 0.5 * (test.run[signals.STEER[Corner.FL]] + test.run[signals.STEER[Corner.FR]])
        turned = np.abs(wheel) > 0.3
        if turned.any():
            return float(np.median(wheel[turned] / steer[turned]))
    return None


def _with_method(need: ParameterNeed, estimated: Mapping[str, float], tuned: Mapping[str, float]) -> ParameterNeed:
    item = need.tunable
    reached: dict[Method, float] = {}
    how: dict[Method, str] = {}
    for method, table in ((Method.WORKSHOP, WORKSHOP), (Method.RIG, RIGS)):
        if item.name in table:
            reached[method], how[method] = table[item.name].reached(item.nominal), table[item.name].how
    if item.name in estimated:
        reached[Method.ESTIMATE] = estimated[item.name]
    if item.name in tuned:
        reached[Method.TUNE] = tuned[item.name] * 0.5 * (item.upper - item.lower)
    return replace(need, reached=reached, how=how, method=choose(need.accuracy, reached))


def _for_estimates(
    serving: Mapping[str, tuple[str, ...]],
    wanted: set[str],
    first: SensorSet,
    judged: Sequence[SensorNeed],
    driven: Sequence[PlannedTest],
) -> Iterator[SensorNeed]:
    """Sensors that no criterion asks for, but an estimate that was chosen."""
    peaks = _peaks(driven)
    known = {need.name for need in judged}
    uses: dict[str, dict[str, None]] = {}
    for parameter in sorted(wanted & serving.keys()):
        for column in serving[parameter]:
            if family(column) not in known and column in first:
                uses.setdefault(family(column), {})[parameter] = None
    for name, parameters in uses.items():
        columns = [column for column in first if family(column) == name]
        peak = max((peaks.get(column, 0.0) for column in columns), default=0.0)
        serves = tuple(f"estimate of {parameter}" for parameter in parameters)
        sensors = tuple(first[column] for column in columns)
        yield SensorNeed(name, sensors, {}, {}, True, math.inf, sensors[0].rate, peak, serves)
