"""The plan of a validation from its criteria: sensors and parameters with the accuracy that each needs.

Reference: paper 001, sections III.A and III.B. Everything is worked out with the real-time model of the vehicle: tests
are driven, sensors are wrong in them, parameters are wrong in them, and what that does is told in shares of the limits.

The steps, each in a module of its own: `tests_to_drive`, `sensor_needs`, `parameter_needs`, `worth_of_tests` and
`parameter_methods`; a test as all of them see it is in `planned_tests`.
"""

from __future__ import annotations

from dataclasses import replace

from trackrod.core.errors import Problem, UnknownNameError, raise_if_errors
from trackrod.manoeuvres.excitation import Excitation
from trackrod.manoeuvres.registry import MANOEUVRES
from trackrod.measured.measurement_plan import MeasurementPlan
from trackrod.measured.sensors import SensorSet
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.spec import RtmSpec
from trackrod.simulate.drive import simulate
from trackrod.validate.criteria import INDEX, Criteria
from trackrod.validate.validation_plan import Method, ValidationPlan
from trackrod.vehicle.vehicle import Vehicle
from trackrod.workflow.parameter_methods import estimated, with_method
from trackrod.workflow.parameter_needs import all_together, parameter_needs, parameter_space, slopes_of
from trackrod.workflow.planned_tests import SAMPLE, Tell
from trackrod.workflow.sensor_needs import sensor_needs, sensors_for_estimates
from trackrod.workflow.tests_to_drive import drive_tests, in_one_gear, planned_tests_of, while_moving
from trackrod.workflow.worth_of_tests import Information

__all__ = ["PARAMETER_SHARE", "SHARE", "plan_validation", "require_shares", "require_signals"]

#: Share of a limit that measurement may fill, and that each parameter may.
SHARE, PARAMETER_SHARE = 1.0 / 3.0, 0.2


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
    driven = in_one_gear(spec, criteria, drive_tests(spec, criteria, tests, notes, tell), notes)
    sensors = sensor_needs(spec, criteria, plan.sensors, driven, share, tell)
    space = parameter_space(spec)
    slopes = slopes_of(spec, space, driven, tell)
    needs = parameter_needs(spec, space, slopes, parameter_share, tell)
    tell("estimates with the planned sensors", 0.0)
    planned = SensorSet([*plan.sensors.values(), *(s for need in sensors for s in need.sensors)])
    reached, serving = estimated(spec, vehicle, driven, planned, notes)
    tell("what the tests tell", 0.0)
    information = Information.of(driven, slopes, share)
    further = information.further(spec, criteria, space, {d.driven.name for d in driven}, tell)
    tuned = information.tuned()
    parameters = tuple(with_method(need, reached, tuned) for need in needs)
    wanted = {p.tunable.name for p in parameters if p.method is Method.ESTIMATE}
    sensors = (*sensors, *sensors_for_estimates(serving, wanted, plan.sensors, sensors, driven))
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
        worth=information.worth(driven),
        untested=untested,
        sensors=sensors,
        parameters=parameters,
        together=all_together(parameters, slopes),
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
