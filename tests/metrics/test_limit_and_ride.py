"""Indices at the limit, on the posts, on a road and at standstill, on runs in closed form."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from metrics.synthetic_runs import LOAD, run_from
from trackrod.core import signals
from trackrod.core.corners import Axle, Corner
from trackrod.core.errors import InputError
from trackrod.core.series import Run
from trackrod.manoeuvres.standing import FourPost, PostMode
from trackrod.manoeuvres.sweeps import Sweep
from trackrod.metrics.indices import FLOORS, Index, indices
from trackrod.metrics.limit import lift_times
from trackrod.metrics.ride import octaves
from trackrod.metrics.trace import Scale, Trace, rmse_percent

TIME = np.arange(0.0, 10.0, 0.002)
WAVE = np.sin(2 * np.pi * TIME)


def found(name: str, reference: Run, model: Run) -> dict[str, Index]:
    return {index.name: index for index in indices(name, reference, model)}


def curve(y: np.ndarray, scale: Scale, floor: float = 0.0) -> Trace:
    return Trace(TIME, y, "time", "s", "y", "m", scale, floor)


# --- measures ---


def test_nrms_of_a_known_pair() -> None:
    """A sine and its third harmonic of a tenth: 10 % of the root mean square, 7.07 % of the largest value."""
    reference, model = 3.0 * WAVE, 3.0 * WAVE + 0.3 * np.sin(6 * np.pi * TIME)
    assert rmse_percent(curve(reference, Scale.RMS), curve(model, Scale.RMS)) == pytest.approx(10.0, rel=2e-3)
    expected = 10.0 / np.sqrt(2.0)
    assert rmse_percent(curve(reference, Scale.LARGEST), curve(model, Scale.LARGEST)) == pytest.approx(
        expected, rel=2e-3
    )
    assert rmse_percent(curve(reference, Scale.ONE), curve(model, Scale.ONE)) == pytest.approx(3 * expected, rel=2e-3)


def test_the_root_mean_square_is_one_over_the_abscissa() -> None:
    """Points that lie close together where the curve is large do not count more."""
    x = np.concatenate((np.linspace(0.0, 1.0, 11)[:-1], np.linspace(1.0, 1.1, 1001)))
    assert Trace(x, x, "x", "-", "y", "-", Scale.RMS).measured_scale == pytest.approx(1.1 / np.sqrt(3), rel=3e-3)


def test_a_floor_is_divided_by_where_the_reference_is_smaller() -> None:
    small = curve(0.1 * WAVE, Scale.RMS, floor=1.0)
    model = curve(0.1 * WAVE + 0.2, Scale.RMS)
    assert rmse_percent(small, model) == pytest.approx(20.0)
    index = Index("m", "y", 20.0, small, model)
    assert (index.divisor, index.divisor_text) == (1.0, "1 m")
    large = dataclasses.replace(small, floor=0.05)
    assert Index("m", "y", 0.0, large, model).divisor is None
    assert Index("m", "y", 0.0, large, model).divisor_text == ""
    nothing = curve(0.0 * WAVE, Scale.RMS)
    with pytest.raises(InputError, match="zero everywhere"):
        rmse_percent(nothing, model)


def test_the_floor_of_a_scalar_is_said() -> None:
    angle = np.where(TIME < 1.0, 0.0, 0.5)
    answer = np.where(TIME < 1.0, 0.0, 1.0 + 0.04 * np.exp(-(((TIME - 2.0) / 0.1) ** 2)))
    run = run_from(TIME, steering_wheel_angle=angle, ay=answer, yaw_rate=0.1 * answer)
    values = found("step_steer", run, run)
    assert values["yaw rate: overshoot"].divisor == FLOORS["overshoot"]  # 4 % are below it
    assert values["yaw rate: steady-state gain"].divisor is None


# --- at the limit ---


def turning(time: np.ndarray, loads: dict[Corner, np.ndarray], **more: np.ndarray) -> Run:
    wave = np.sin(2 * np.pi * time)
    signs = {"ay": 8.0, "yaw_rate": 0.5, "roll": 0.1, "sideslip": -0.1}
    columns = {name: size * wave for name, size in signs.items()} | more
    return run_from(time, **columns, **{f"Fz_{corner}": load for corner, load in loads.items()})


@pytest.mark.parametrize("manoeuvre", ["sine_with_dwell", "fishhook", "j_turn"])
def test_motion_and_loads_at_the_limit(manoeuvre: str) -> None:
    """Changes of the loads count, not the loads: 5 % of a change of 1 kN are 5 %, whatever stands on the wheel."""
    loads = dict.fromkeys(Corner, LOAD + 1000.0 * WAVE)
    reference = turning(TIME, loads)
    off = {**loads, Corner.RR: LOAD + 1050.0 * WAVE}
    model = turning(TIME, off, sideslip=-0.103 * WAVE)
    values = {name: index.value_pct for name, index in found(manoeuvre, reference, model).items()}
    wheels = {f"wheel load {axle} {side}" for axle in ("front", "rear") for side in ("left", "right")}
    assert set(values) == {"lateral acceleration", "yaw rate", "roll angle", "sideslip angle"} | wheels
    assert values.pop("wheel load rear right") == pytest.approx(5.0, rel=2e-3)
    assert values.pop("sideslip angle") == pytest.approx(3.0, rel=2e-3)
    assert set(values.values()) == {0.0}


def test_wheels_lift_where_their_load_is_gone() -> None:
    """A load that falls by 1 kN a second is at a hundredth of 4 kN after 3.96 s; one that rises never is."""
    falling = np.maximum(LOAD - 1000.0 * TIME, 0.0)
    loads = {Corner.FL: falling, Corner.FR: LOAD + TIME, Corner.RL: LOAD - TIME, Corner.RR: LOAD + TIME}
    assert lift_times(turning(TIME, loads)) == {Corner.FL: pytest.approx(3.96, abs=1e-6)}


# --- posts ---


def test_octaves_of_a_band() -> None:
    assert octaves(0.5, 16.0) == [(0.5, 1.0), (1.0, 2.0), (2.0, 4.0), (4.0, 8.0), (8.0, 16.0)]
    assert octaves(0.7, 6.0) == [(0.7, 1.0), (1.0, 2.0), (2.0, 4.0), (4.0, 6.0)]
    assert octaves(2.2, 3.0) == [(2.2, 3.0)]


def posts(mode: PostMode, gain: float, lag: float, above: float = 0.0) -> Run:
    """A body and wheels that answer the velocity of the posts with a gain and a lag [s] above a frequency [Hz]."""
    rig = FourPost(mode=mode, first_frequency_Hz=0.5, last_frequency_Hz=16.0, duration_s=20.0, sweep=Sweep.LOGARITHMIC)
    time = np.arange(0.0, 21.0, 0.002)
    frequency = rig.frequency(np.clip(time, 0.0, 20.0))

    def answer(corner: Corner) -> np.ndarray:
        def height(t: np.ndarray) -> np.ndarray:
            return rig.heights(corner, t, t)

        late = np.where(frequency >= above, lag, 0.0)
        size = np.where(frequency >= above, gain, 1.0)
        return size * (height(time - late + 1e-4) - height(time - late - 1e-4)) / 2e-4

    body = answer(Corner.FL)
    loads = {f"Fz_{corner}": 4000.0 + 2e4 * answer(corner) for corner in Corner}
    moved = {"az": 10.0 * body, "pitch_rate": body, "roll_rate": body}
    return run_from(time, {"settings": rig.values()}, **moved, **loads)


@pytest.mark.parametrize(
    ("mode", "moved"),
    [
        (PostMode.HEAVE, {"vertical acceleration"}),
        (PostMode.PITCH, {"vertical acceleration", "pitch rate"}),
        (PostMode.ROLL, {"roll rate"}),
        (PostMode.WARP, {"roll rate"}),
    ],
)
def test_gain_and_lag_of_the_posts(mode: PostMode, moved: set[str]) -> None:
    """A gain of 1.1 is 10 % in every octave above 4 Hz; a lag of 1 ms is 2π f · 1 ms, rising with the frequency."""
    reference = posts(mode, 1.0, 0.0)
    louder = {
        name: index.value_pct for name, index in found("four_post", reference, posts(mode, 1.1, 0.0, 4.0)).items()
    }
    bands = [f"{low:g}–{high:g} Hz" for low, high in octaves(0.5, 16.0)]
    axles = {f"{axle} wheel load" for axle in Axle}
    assert set(louder) == {f"{what}, {band}" for what in moved | axles for band in bands}
    for name, value in louder.items():
        assert value == pytest.approx(10.0 if name.endswith(("4–8 Hz", "8–16 Hz")) else 0.0, rel=0.02, abs=0.02), name
    later = found("four_post", reference, posts(mode, 1.0, 1e-3))
    for (low, high), band in list(zip(octaves(0.5, 16.0), bands, strict=True))[2:4]:  # where the amplitude is constant
        middle = 100 * 2 * np.pi * 1e-3 * np.sqrt((low**2 + low * high + high**2) / 3)  # over frequency as the abscissa
        assert later[f"rear wheel load, {band}"].value_pct == pytest.approx(middle, rel=0.05)


def test_a_run_without_settings_of_the_rig() -> None:
    with pytest.raises(InputError, match="how the posts moved"):
        indices("four_post", run_from(TIME), run_from(TIME))


def test_a_logarithmic_sweep_of_the_posts_gives_every_octave_the_same_time() -> None:
    rig = FourPost(first_frequency_Hz=0.5, last_frequency_Hz=8.0, duration_s=8.0, sweep=Sweep.LOGARITHMIC)
    assert rig.frequency(np.array([0.0, 2.0, 4.0, 6.0, 8.0])) == pytest.approx([0.5, 1.0, 2.0, 4.0, 8.0])
    time = np.linspace(3.0, 5.0, 20001)
    height = rig.heights(Corner.FL, time, time)
    crossings = time[1:][np.diff(np.sign(height)) > 0]
    assert 1.0 / np.diff(crossings) == pytest.approx(rig.frequency(0.5 * (crossings[1:] + crossings[:-1])), rel=2e-3)


# --- roads ---


def road(speed: float, gain: float = 1.0) -> Run:
    """Everything is a wave of the place."""
    x = speed * TIME
    wave = np.sin(2 * np.pi * x / 5.0)
    forces = {
        f"F{axis}_{corner}": (LOAD if axis == "z" else 0.0) + gain * 300.0 * wave for corner in Corner for axis in "xz"
    }
    return run_from(TIME, x=x, az=wave, **forces)


def test_roads_are_compared_by_place() -> None:
    """A model that is 1 % slower meets the same bumps at other times, and is not wrong for that."""
    values = {name: index.value_pct for name, index in found("random_road", road(20.0), road(19.8, 1.2)).items()}
    assert set(values) == {"vertical acceleration"} | {
        f"wheel {what} {axle} {side}"
        for what in ("load", "longitudinal force")
        for axle in ("front", "rear")
        for side in ("left", "right")
    }
    assert values.pop("vertical acceleration") < 0.1
    assert list(values.values()) == pytest.approx([20.0] * 8, rel=0.01)


# --- standstill ---


def steered(ratio: float, load: float = LOAD, travel: float = 0.0, height: float = 0.6) -> Run:
    angle = 3.0 * WAVE
    steer = {f"steer_{corner}": angle / ratio if corner.axle is Axle.FRONT else 0.001 * angle for corner in Corner}
    camber = {f"camber_{corner}": 0.05 * angle**2 / 9.0 for corner in Corner}
    loads = {f"Fz_{corner}": np.full(TIME.size, load) for corner in Corner}
    travels = {f"wheel_travel_{corner}": np.full(TIME.size, travel) for corner in Corner}
    return run_from(TIME, steering_wheel_angle=angle, z=height, **steer, **camber, **loads, **travels)


def test_wheels_over_the_steering_wheel_angle() -> None:
    values = found("standstill_steering", steered(16.0), steered(15.0))
    curve = values["steer angle front left"].reference
    assert (curve.x_name, curve.x_unit) == ("steering-wheel angle", "rad")
    assert curve.x[0] == pytest.approx(-3.0, rel=1e-4)
    assert curve.x[-1] == pytest.approx(3.0, rel=1e-4)
    assert curve.y == pytest.approx(curve.x / 16.0)
    expected = 100 * (16.0 / 15.0 - 1.0) / np.sqrt(3.0)  # a straight line over its own range
    assert values["steer angle front right"].value_pct == pytest.approx(expected, rel=1e-3)
    assert values["camber angle front right"].value_pct == pytest.approx(0.0, abs=1e-9)
    assert values["steer angle rear left"].divisor == pytest.approx(np.radians(1.0))  # they hardly steer


def test_how_the_vehicle_stands() -> None:
    """Loads over loads; one millimetre of travel or height is 5 %."""
    values = found("standstill_steering", steered(16.0), steered(16.0, 1.02 * LOAD, 0.002, 0.597))
    assert values["standing wheel load rear left"].value_pct == pytest.approx(2.0)
    assert values["standing travel front right"].value_pct == pytest.approx(10.0)
    assert values["standing height of the centre of gravity"].value_pct == pytest.approx(15.0)
    assert values["standing travel front right"].divisor_text == "0.02 m"


def test_a_steering_wheel_that_goes_to_one_side_only() -> None:
    run = run_from(TIME, steering_wheel_angle=np.abs(WAVE))
    with pytest.raises(InputError, match="not turned to the left and then to the right"):
        indices("standstill_steering", run, run)


# --- torque ---


def test_the_torque_at_the_steering_wheel() -> None:
    reference = run_from(TIME, ay=WAVE, yaw_rate=WAVE, roll=WAVE, sideslip=WAVE, steering_wheel_torque=4.0 * WAVE)
    torque = signals.STEERING_TORQUE.column
    model = Run({**reference, torque: 4.2 * WAVE})
    assert found("single_sine", reference, model)["torque at the steering wheel"].value_pct == pytest.approx(
        5.0, rel=2e-3
    )
    without = Run({column: values for column, values in reference.items() if column != torque})
    assert "torque at the steering wheel" not in found("single_sine", without, model)
    with pytest.raises(InputError, match="has no torque at the steering wheel"):
        indices("single_sine", reference, without)
