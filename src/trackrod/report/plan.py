"""The document of a validation plan: criteria, tests, sensors, parameters, and what to know about them."""

from __future__ import annotations

import math
from pathlib import Path

from trackrod import __version__
from trackrod.core import signals
from trackrod.measured.measurement_plan import CASES, Group, Test
from trackrod.measured.sensors import Sensor
from trackrod.report.charts import Bar, Bars
from trackrod.report.page import Captioned, Item, Notice, Section, Table, shown, write_page
from trackrod.report.pdf import write_pdf
from trackrod.validate.criteria import Criterion, Response
from trackrod.validate.validation_plan import Method, ParameterNeed, SensorNeed, TestWorth, ValidationPlan

__all__ = ["plan_sentence", "with_unit", "write_plan_page"]

#: Units that people read more easily than those of SI: factor and name.
_READABLE = {
    "rad": (180.0 / math.pi, "°"),
    "rad/s²": (180.0 / math.pi, "°/s²"),
    "Pa": (1e-5, "bar"),
}
_NOTHING = "–"


def plan_sentence(plan: ValidationPlan) -> str:
    """What the plan comes to, in a sentence or two."""
    judged = sum(bool(w.criteria) for w in plan.worth)
    runs = sum(test.repeats + test.warm_up for test in plan.measurement.tests)
    parts = [
        f"{len(plan.measurement.tests)} tests in {runs} runs, {judged} of them judged by "
        f"{len(plan.criteria.criteria)} criteria; {len(plan.sensors)} kinds of sensors, "
        f"{len(plan.parameters)} parameters."
    ]
    if finer := [need.name for need in plan.sensors if _finer(need)]:
        parts.append(f"Finer than in the set of sensors that was begun with: {', '.join(finer)}.")
    if unknown := [need.name for need in plan.sensors if not need.known]:
        parts.append(f"Not in that set: {', '.join(unknown)}.")
    if lacking := [need.tunable.name for need in plan.parameters if need.method is Method.NONE]:
        parts.append(f"No method suffices for {', '.join(lacking)}.")
    if plan.untested:
        parts.append(f"No test has samples for {', '.join(plan.untested)}.")
    return " ".join(parts)


def write_plan_page(plan: ValidationPlan, path: Path | str, *, pdf: Path | str | None = None) -> None:
    """Write the page, and the same as a document.

    Parameters
    ----------
    plan
        What is shown.
    path
        HTML file.
    pdf
        PDF file; None for none.

    Raises
    ------
    MissingExtraError
        Plotly is not installed, or Typst is not and a PDF is asked for; the page is then there nevertheless.
    """
    fine = not plan.untested and not any(need.method is Method.NONE for need in plan.parameters)
    notes = tuple(plan.notes)
    sections = [
        Section("What is planned", (Notice(plan_sentence(plan), fine), *notes)),
        Section("Response quantities and criteria", (_CRITERIA, *_criteria(plan))),
        Section("Tests", (_TESTS, *_tests(plan), _SPREAD, _spread(plan), *_further(plan))),
        Section("Sensors", (_sensor_text(plan), *_sensor_chart(plan), *_sensors(plan), _RULES, _rules(plan))),
        Section("Parameters", (_parameter_text(plan), *_parameter_chart(plan), *_parameters(plan), *_odd(plan))),
        Section("Limits", _LIMITS),
    ]
    title, lead = f"Validation plan of {plan.vehicle}", plan.criteria.name
    footer = f"trackrod {__version__}"
    write_page(title, lead, sections, path, footer=footer)
    if pdf is not None:
        write_pdf(title, lead, sections, pdf, footer=footer)


# ---- criteria

_CRITERIA = (
    "What a model must do how well, and where. The ratio of a row is 0 for a perfect model and 1 at its limit; "
    "everything below is told in shares of that."
)


def _criteria(plan: ValidationPlan) -> tuple[Item, ...]:
    c = plan.criteria
    use = [(what, text) for what, text in (("intended use", c.intended_use), ("decision", c.decision)) if text]
    use += [(what, text) for what, text in (("risk", c.risk), ("assumptions", "; ".join(c.assumptions))) if text]
    heads = ("criterion", "signal", "operating range", "metric", "limit", "weight", "manoeuvres")
    table = Table(heads, tuple(_criterion(row) for row in c.criteria))
    return (Table(("", ""), tuple(use)), table) if use else (table,)


def _criterion(c: Criterion) -> tuple[str | float, ...]:
    parts = [f"{column} {low:g} to {high:g}" for column, low, high in c.ranges]
    parts += [f"{c.band[0]:g} to {c.band[1]:g} Hz"] if c.band is not None else []
    signal = c.signal if c.response is Response.TIME else f"{c.response} of {c.signal} to {c.given}"
    where = ", ".join(c.manoeuvres) or "all"
    return (c.name, signal, ", ".join(parts) or "all", c.metric, shown(c.limit), shown(c.weight), where)


# ---- tests

_TESTS = (
    "In the order in which they are driven. Runs of initialisation give zeros and alignment of the sensors; "
    "warm-up runs are not judged. Three repeats are the least that give an interval. The last columns say what a "
    "test is worth beyond all others: by how many bits it narrows the parameters, and which of them by a fifth or "
    "more."
)
_SPREAD = "The six cases of paper 001, section IV.F, and the five groups of primary manoeuvres of its section II.B:"


def _tests(plan: ValidationPlan) -> tuple[Table, Table]:
    pairs = list(zip(plan.measurement.tests, plan.worth, strict=True))
    what = Table(("test", "manoeuvre", "settings"), tuple((t.name, t.manoeuvre.name, _settings(t)) for t, _ in pairs))
    heads = ("test", "repeats", "warm-up", "initialisation", "judged", "bits", "narrows")
    return what, Table(heads, tuple(_test(test, worth) for test, worth in pairs))


def _settings(test: Test) -> str:
    driven = test.manoeuvre
    values = {item.name: getattr(driven, item.name) for item in driven.settings()}
    otherwise = {item.name: values[item.name] for item in driven.settings() if values[item.name] != item.default}
    texts = (
        f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}" for name, value in otherwise.items()
    )
    return ", ".join(texts) or "as they are"


def _test(test: Test, worth: TestWorth) -> tuple[str | float, ...]:
    judged = f"{len(worth.criteria)} criteria" if worth.criteria else "no, for estimates"
    bits = f"{worth.bits:.1f}" if math.isfinite(worth.bits) else _NOTHING
    first = "yes" if test.initialisation else ""
    return (test.name, test.repeats, test.warm_up, first, judged, bits, ", ".join(worth.narrowed))


def _spread(plan: ValidationPlan) -> Table:
    tests = plan.measurement.tests
    rows = [
        (f"case {n}: {text}", ", ".join(t.name for t in tests if t.case == n) or "none") for n, text in CASES.items()
    ]
    rows += [
        (f"group: {group}", ", ".join(t.name for t in tests if t.group is group) or "none")
        for group in Group
        if group is not Group.OTHER
    ]
    return Table(("", "tests"), tuple(rows))


def _further(plan: ValidationPlan) -> tuple[Item, ...]:
    if not plan.further:
        return ()
    rows = tuple((w.test, f"{w.bits:.1f}", ", ".join(w.narrowed) or _NOTHING) for w in plan.further)
    return (
        "What other manoeuvres would tell beyond the plan:",
        Table(("manoeuvre", "bits", "narrows by a fifth or more"), rows),
    )


# ---- sensors

_RULES = "What rules each of these numbers: the criterion and the test in which it fills its part."


def _sensor_text(plan: ValidationPlan) -> str:
    return (
        f"With these sensors measurement fills at most {plan.share:.0%} of each limit, with a probability of 95 %. "
        "Accuracy is the bound of the zero error, gain that of the relative error; both stay the same over a "
        "campaign. Noise is the standard deviation of one sample. Delays must be known (they are taken off) to "
        "within the time that is given. Sensors of inputs count too: a model that is given a wrong steering-wheel "
        "angle drives something else."
    )


def with_unit(value: float, unit: str) -> str:
    """A number for people, with three digits and a unit that is easily read."""
    if not math.isfinite(value):
        return _NOTHING
    factor, name = _READABLE.get(unit, (1.0, unit))
    return f"{shown(float(f'{factor * value:.3g}'))} {name}".strip()


def _sensors(plan: ValidationPlan) -> tuple[Table, Table]:
    heads = ("sensor", "accuracy", "gain", "noise", "rate", "delay within", "over first set")
    serves = tuple(
        (need.name, with_unit(need.peak, need.sensors[0].kind.unit) if need.peak else _NOTHING, ", ".join(need.serves))
        for need in plan.sensors
    )
    return (
        Table(heads, tuple(_sensor(need, need.sensors[0]) for need in plan.sensors)),
        Table(("sensor", "largest value", "serves"), serves),
    )


def _sensor(need: SensorNeed, sensor: Sensor) -> tuple[str | float, ...]:
    unit = sensor.kind.unit
    over = f"{need.factors['zero']:.2f}" if need.known and "zero" in need.factors else _NOTHING
    within = f"{1e3 * need.timing:.3g} ms" if math.isfinite(need.timing) else _NOTHING
    noise = math.hypot(sensor.noise, sensor.resolution / math.sqrt(12.0))
    if need.name == signals.GEAR.column:
        return (need.name, "exact", _NOTHING, _NOTHING, f"{need.rate:g} Hz", within, over)
    gain = f"{100.0 * sensor.scale_error:.2g} %" if sensor.scale_error else _NOTHING
    zero = with_unit(sensor.accuracy, unit) if sensor.accuracy else _NOTHING
    return (need.name, zero, gain, with_unit(noise, unit), f"{need.rate:g} Hz", within, over)


def _rules(plan: ValidationPlan) -> Table:
    rows = tuple(
        (need.name, *(_row(need.rows.get(kind)) for kind in ("zero", "gain", "noise")))
        for need in plan.sensors
        if need.rows
    )
    return Table(("sensor", "accuracy", "gain", "noise"), rows)


def _row(row: tuple[str, str] | None) -> str:
    return f"{row[0]} in {row[1]}" if row is not None and row[0] else _NOTHING


def _finer(need: SensorNeed) -> bool:
    return need.known and any(factor < 1.0 for factor in need.factors.values())


def _sensor_chart(plan: ValidationPlan) -> tuple[Item, ...]:
    bars = tuple(
        Bar(need.name, (need.factors["zero"],), alarm=need.factors["zero"] < 1.0)
        for need in plan.sensors
        if need.known and "zero" in need.factors
    )
    if not bars:
        return ()
    chart = Bars("accuracy that is enough, over that of the first set [-]", ("accuracy",), bars, (1.0, "as it is"), 3.0)
    return (Captioned(chart, "Sensors whose bar ends before the line must be more accurate than those of the set."),)


# ---- parameters


def _parameter_text(plan: ValidationPlan) -> str:
    ratio, (criterion, test) = plan.together
    return (
        f"A parameter that is wrong by its accuracy moves no criterion by more than {plan.parameter_share:.0%} of "
        "its limit. Exact derivatives say how far that is, and the model is then driven again with the parameter "
        "wrong to both sides; the column 'driven again' is what that finds where derivatives promise the share. "
        "'As given' stands for parameters whose whole range of ±20 % would do. Methods are tried in this order: "
        "workshop, estimate (with the planned sensors, in a virtual measurement of these tests), tune (by all "
        "tests, together with all other parameters), rig. All parameters wrong at once, as independent errors, "
        f"fill {ratio:.0%} of a limit at most ({criterion} in {test})."
    )


_METHODS = (Method.WORKSHOP, Method.ESTIMATE, Method.TUNE, Method.RIG)


def _parameters(plan: ValidationPlan) -> tuple[Item, ...]:
    heads = ("parameter", "value", "needed ±", "in %", "driven again", "ruled by")
    methods = ("parameter", "needed ±", *map(str, _METHODS), "method", "how")
    return (
        Table(heads, tuple(_needed(need) for need in plan.parameters)),
        "What each method reaches, 95 %, in the same unit:",
        Table(methods, tuple(_methods(need) for need in plan.parameters if math.isfinite(need.accuracy))),
    )


def _short(value: float) -> str:
    return shown(float(f"{value:.2g}"))


def _needed(need: ParameterNeed) -> tuple[str | float, ...]:
    item = need.tunable
    unit = "" if item.unit == "-" else item.unit
    value = f"{shown(float(f'{item.nominal:.4g}'))} {unit}".strip()
    if not math.isfinite(need.accuracy):
        return (item.title, value, "any", _NOTHING, _NOTHING, _NOTHING)
    numbers = (_short(need.accuracy), f"{_short(100.0 * need.relative)} %", f"{need.driven:.3f}")
    return (item.title, value, *numbers, _row(need.row))


def _methods(need: ParameterNeed) -> tuple[str | float, ...]:
    reached = (_short(need.reached[m]) if m in need.reached else _NOTHING for m in _METHODS)
    how = need.how.get(need.method, "")
    return (need.tunable.title, _short(need.accuracy), *reached, str(need.method), how)


def _parameter_chart(plan: ValidationPlan) -> tuple[Item, ...]:
    bars = []
    for need in plan.parameters:
        if math.isfinite(need.accuracy) and need.reached:
            best = need.reached.get(need.method, min(need.reached.values()))
            bars.append(Bar(need.tunable.title, (best / need.accuracy,), alarm=need.method is Method.NONE))
    if not bars:
        return ()
    chart = Bars(
        "what the chosen method reaches, over what is needed [-]", ("reached",), tuple(bars), (1.0, "needed"), 3.0
    )
    return (Captioned(chart, "Beyond the line no method suffices; shown is then the best of them."),)


def _odd(plan: ValidationPlan) -> tuple[Item, ...]:
    rows = tuple((need.tunable.title, need.note) for need in plan.parameters if need.note)
    return ("Where derivatives do not tell all:", Table(("parameter", "note"), rows)) if rows else ()


_LIMITS = (
    "The plan is as good as the model that it was worked out with: its runs stand for those of the vehicle. A "
    "vehicle that answers otherwise asks for other accuracies; plan again when the model is better known.",
    "Errors of different sensors and parameters are taken as independent, and as small enough for their effects to "
    "add up. Tyres are not among the parameters: bench data and `trackrod tyre fit` tell how well they are known.",
    "Scatter of the driver and of the road is not planned for: three repeats show it, and `trackrod validate` "
    "counts it.",
    "What workshops and rigs reach are usual numbers, not those of a certain one.",
)
