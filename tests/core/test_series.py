"""Time series and runs."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.interpolate import interp1d

from trackrod.core import signals
from trackrod.core.errors import InputError, RangeError, UnknownNameError
from trackrod.core.quantities import kind
from trackrod.core.series import Run, TimeSeries, uniform_time
from trackrod.core.signals import Signal

VALUE = st.floats(-1e6, 1e6)


@st.composite
def time_series(draw: st.DrawFn, signal: Signal = signals.AY) -> TimeSeries:
    steps = draw(st.lists(st.floats(1e-4, 1.0), max_size=15))
    time = np.concatenate(([draw(st.floats(-10.0, 10.0))], steps)).cumsum()
    return TimeSeries(signal, time, draw(st.lists(VALUE, min_size=time.size, max_size=time.size)))


def small_run() -> Run:
    time = np.array([0.0, 0.1, 0.3, 0.35])
    columns = {
        "time_s": time,
        signals.VX: 20.0 + time,
        "gear": [2, 2, 3, 3],
        "oil_temperature_K": [300.0] * 4,
    }
    return Run(columns, {"name": "small", "vehicle": {"mass": 1500}})


@given(series=time_series())
def test_value_at_a_sample_is_the_sample(series: TimeSeries) -> None:
    assert_array_equal(series.at(series.time), series.values)


@given(series=time_series(), places=st.lists(st.floats(0.0, 1.0), max_size=10))
def test_interpolation_agrees_with_scipy(series: TimeSeries, places: list[float]) -> None:
    times = np.minimum(series.time[0] + np.array(places) * np.ptp(series.time), series.time[-1])
    if len(series) > 1:
        truth = interp1d(series.time, series.values)(times)
        assert_allclose(series.at(times), truth, rtol=1e-9, atol=1e-6)


@pytest.mark.parametrize("time", [-0.001, 1.001, math.nan])
def test_nothing_is_extrapolated(time: float) -> None:
    series = TimeSeries(signals.AY, [0.0, 1.0], [1.0, 2.0])
    with pytest.raises(RangeError, match=r"outside 'ay_mps2', which runs from 0.0 to 1.0 s"):
        series.at([0.5, time])


def test_held_signal_keeps_its_value() -> None:
    gear = TimeSeries(signals.GEAR, [0.0, 1.0, 2.0], [1.0, 2.0, 3.0])
    assert_array_equal(gear.at([0.0, 0.99, 1.0, 1.5, 2.0]), [1.0, 1.0, 2.0, 2.0, 3.0])


@given(series=time_series(), step=st.floats(1e-3, 2.0))
def test_uniform_time_base(series: TimeSeries, step: float) -> None:
    resampled = series.resample(step)
    assert resampled.time[0] == series.time[0]
    assert series.time[-1] - step * (1 + 1e-9) < resampled.time[-1] <= series.time[-1]
    assert_allclose(np.diff(resampled.time), step, rtol=1e-6)
    assert resampled.values.min() >= series.values.min() - 1e-6
    assert resampled.values.max() <= series.values.max() + 1e-6


def test_whole_number_of_steps_keeps_the_last_sample() -> None:
    # 0.3 / 0.1 is 2.9999999999999996 in binary.
    assert_allclose(uniform_time(np.array([0.0, 0.3]), 0.1), [0.0, 0.1, 0.2, 0.3])
    for count in range(1, 500):
        assert uniform_time(np.array([0.0, count * 0.001]), 0.001).size == count + 1
    for step in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(RangeError, match="time step"):
            uniform_time(np.array([0.0, 1.0]), step)


def test_slice_includes_both_ends() -> None:
    series = TimeSeries(signals.AY, [0.0, 1.0, 2.0, 3.0], [5.0, 6.0, 7.0, 8.0])
    assert_array_equal(series.slice(1.0, 2.0).values, [6.0, 7.0])
    with pytest.raises(RangeError, match=r"no sample lies from 1.2 to 1.8 s"):
        series.slice(1.2, 1.8)


def test_derivative_is_exact_for_a_parabola_on_uneven_steps() -> None:
    time = np.array([0.0, 0.1, 0.15, 0.4, 1.0])
    rate = TimeSeries(signals.YAW, time, 3.0 * time**2 - 2.0 * time + 1.0).derivative()
    assert rate.signal is signals.YAW_RATE
    assert_allclose(rate.values, 6.0 * time - 2.0, atol=1e-13)
    assert TimeSeries(signals.YAW, [0.0, 0.5], [1.0, 2.0]).derivative().values.tolist() == [2.0, 2.0]
    assert TimeSeries(signals.VX, time, time).derivative().signal == Signal("vx_rate", kind("acceleration"))


def test_no_derivative() -> None:
    for signal in (signals.GEAR, signals.FX["fl"]):
        with pytest.raises(InputError, match="has no rate"):
            TimeSeries(signal, [0.0, 1.0], [1.0, 2.0]).derivative()
    with pytest.raises(InputError, match="one sample"):
        TimeSeries(signals.YAW, [0.0], [1.0]).derivative()


@pytest.mark.parametrize(
    ("time", "values", "message"),
    [
        ([0.0, 0.0], [1.0, 2.0], "sample 1: time must increase, but 0.0 s comes after 0.0 s"),
        ([0.0, 1.0, 0.5], [1.0, 2.0, 3.0], "sample 2: time must increase, but 0.5 s comes after 1.0 s"),
        ([0.0, math.nan], [1.0, 2.0], "sample 1: time is nan"),
        ([0.0, math.inf], [1.0, 2.0], "sample 1: time is inf"),
        ([], [], "no samples"),
        ([0.0, 1.0], [1.0], "'ay_mps2' has 1 samples, time_s has 2"),
        ([[0.0, 1.0]], [1.0, 2.0], "one row of numbers"),
        ([0.0, 1.0], ["a", "b"], "real numbers"),
        ([0.0, 1.0], [1j, 2.0], "real numbers"),
        ([0.0, 1.0], [None, 2.0], "real numbers"),
    ],
)
def test_faults_of_arrays(time: list, values: list, message: str) -> None:
    with pytest.raises(InputError, match=message):
        TimeSeries(signals.AY, time, values)
    with pytest.raises(InputError, match=message):
        Run({"time_s": time, "ay_mps2": values})


def test_run_is_a_mapping_of_columns() -> None:
    run = small_run()
    assert run.columns == tuple(run) == ("time_s", "vx_mps", "gear", "oil_temperature_K")
    assert run[signals.VX] is run["vx_mps"]
    assert run[signals.TIME] is run.time
    assert signals.GEAR in run
    assert "gear" in run
    assert signals.X not in run
    assert len(run) == 4
    assert run.signals[2] is signals.GEAR
    assert run.signals[3].kind is kind("temperature")
    assert run["gear"].dtype == np.float64
    with pytest.raises(UnknownNameError, match=r"unknown column of the run 'vx_mp'.*'vx_mps'"):
        run["vx_mp"]
    with pytest.raises(UnknownNameError):
        run[signals.X]


def test_time_comes_first_wherever_it_was_given() -> None:
    assert Run({"vx_mps": [1.0], "time_s": [0.0]}).columns == ("time_s", "vx_mps")


def test_run_cannot_be_changed() -> None:
    values = np.array([1.0, 2.0])
    notes = ["first"]
    run = Run({"time_s": [0.0, 1.0], "vx_mps": values}, {"notes": notes})
    values[0] = 9.0
    notes.append("second")
    assert run["vx_mps"][0] == 1.0
    assert run.metadata["notes"] == ("first",)
    with pytest.raises(ValueError, match="read-only"):
        run["vx_mps"][0] = 3.0
    with pytest.raises(TypeError):
        run.metadata["name"] = "x"  # type: ignore[index]
    with pytest.raises(AttributeError):
        run.time = np.zeros(2)  # type: ignore[misc]


def test_a_column_is_added_by_making_a_new_run() -> None:
    run = small_run()
    more = Run({**run, signals.SIDESLIP: np.zeros(4)}, run.metadata)
    assert more.columns == (*run.columns, "sideslip_rad")
    assert more.metadata == run.metadata
    assert run.columns == small_run().columns


def test_faults_of_a_run_are_collected() -> None:
    with pytest.raises(InputError) as caught:
        Run({"time_s": [0.0, 1.0], "vx_mps": [1.0], "speed_kmh": [1.0, 2.0]}, {"a b": 1, "c": math.nan})
    text = str(caught.value)
    for part in ("'vx_mps' has 1 samples", "unknown signal 'speed_kmh'", "metadata.c is nan"):
        assert part in text
    with pytest.raises(InputError, match="metadata key 'a b' is not a name"):
        Run({"time_s": [0.0]}, {"a b": 1})
    with pytest.raises(InputError, match="column 'time_s' is missing"):
        Run({"vx_mps": [1.0]})
    with pytest.raises(InputError, match="unknown signal 'abs_active'"):  # a file could not say what it is
        Run({"time_s": [0.0], Signal("abs_active", kind("number")): [1.0]})


def test_resample_and_slice_of_a_run() -> None:
    run = small_run().resample(0.05)
    assert_allclose(run.time, np.arange(8) * 0.05, atol=1e-15)
    assert_allclose(run["vx_mps"], 20.0 + run.time)
    assert set(run["gear"]) == {2.0, 3.0}
    assert run.metadata == small_run().metadata
    assert small_run().slice(0.1, 0.3).time.tolist() == [0.1, 0.3]


def test_series_of_a_run() -> None:
    series = small_run().series(signals.VX)
    assert series.signal is signals.VX
    assert_array_equal(series.values, small_run()["vx_mps"])
    with pytest.raises(UnknownNameError):
        small_run().series("vy_mps")


def test_comparison() -> None:
    run = small_run()
    assert run == small_run()
    assert run != 3
    near = Run({**run, "vx_mps": run["vx_mps"] * (1 + 1e-9)}, run.metadata)
    assert run != near
    (sentence,) = run.differences(near)
    assert "vx_mps: 4 samples differ, the first at 0.0 s" in sentence
    assert run.differences(near, relative=1e-8) == []
    assert run.differences(near, absolute=1e-6) == []
    assert "metadata" in run.differences(Run({**run}, {}))[0]
    assert "columns" in run.differences(Run({"time_s": run.time}, run.metadata))[0]
    assert "4 samples against 2" in run.differences(run.slice(0.0, 0.1))[-1]
    gap = Run({"time_s": [0.0], "vx_mps": [math.nan]})
    assert gap == Run({"time_s": [0.0], "vx_mps": [math.nan]})
    assert gap != Run({"time_s": [0.0], "vx_mps": [1.0]})


def test_texts_for_people() -> None:
    assert repr(small_run()) == "Run('small', 4 columns, 4 samples to 0.35 s)"
    assert "vx_mps, 4 samples" in repr(small_run().series(signals.VX))
