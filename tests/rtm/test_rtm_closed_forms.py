"""The real-time model against formulas of one line: steady turn, load transfer, braking, top speed, ride, coasting."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from rtm.converted_vehicles import spec_of
from trackrod.convert.conversion import Compliance
from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.quantities import STANDARD_GRAVITY
from trackrod.core.series import Run
from trackrod.manoeuvres.steering import StepSteer
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.spec import RtmSpec
from trackrod.simulate.drive import simulate
from trackrod.tyre.model import Tyre

CAR, VAN = "double_wishbone_car", "lcv_7t"


def tyre_of(spec: RtmSpec, axle: Axle) -> Tyre:
    wheel = spec.wheels[0 if axle is Axle.FRONT else 2]
    return Tyre(spec.tyres[wheel.tyres[0].tyre], mounted=Side.LEFT)


@cache
def plain_car() -> RtmSpec:
    """What the formulas know: no compliance, open differentials, no lift, no overturning moment of the tyres."""
    spec = spec_of(CAR, compliance=Compliance.NONE)
    assert spec.powertrain is not None
    tyres = {
        name: tyre.with_values(**{c: 0.0 for c in tyre.coefficients if c.startswith("QSX")})
        for name, tyre in spec.tyres.items()
    }
    powertrain = replace(spec.powertrain, front_differential=None, rear_differential=None)
    return replace(spec, tyres=tyres, powertrain=powertrain).with_parameters(lift_front=0.0, lift_rear=0.0)


def axle_load(loads: dict[Corner, float], axle: Axle) -> float:
    return sum(load for corner, load in loads.items() if corner.axle is axle)


def geometry(spec: RtmSpec) -> tuple[float, dict[Axle, float]]:
    """Wheelbase and tracks [m]."""
    fl, fr, rl, rr = (wheel.centre for wheel in spec.wheels)
    return fl[0] - rl[0], {Axle.FRONT: fl[1] - fr[1], Axle.REAR: rl[1] - rr[1]}


# ---- steady turns


@cache
def gentle_turn(speed: float, antiroll: float) -> tuple[RtmSpec, dict[Corner, float], Run]:
    spec = plain_car().with_parameters(antiroll_factor_front=antiroll, antiroll_factor_rear=antiroll)
    vehicle = RealTimeVehicle(spec)
    loads = vehicle.settle()
    angle = 10.0 if speed < 10.0 else 4.0
    run = simulate(vehicle, StepSteer(speed_kmh=3.6 * speed, steering_wheel_angle_deg=angle, hold_s=4.0))
    assert run.metadata["events"] == ()
    assert abs(run["ay_mps2"][-1]) < 1.0
    return spec, loads, run


def last(run: Run, column: str) -> float:
    return float(run[column][-50:].mean())


@pytest.mark.parametrize(("speed", "tolerance"), [(8.0, 0.01), (15.0, 0.01), (25.0, 0.03)])
def test_a_gentle_turn_follows_the_single_track_formula(speed: float, tolerance: float) -> None:
    """r = v δ/(l + K v²), K = m/l (l_r'/C_f − l_f'/C_r); lateral forces act by the pneumatic trail behind the wheels.

    Anti-roll bars thirty times as stiff keep the body upright: the formula has no roll.
    """
    spec, loads, run = gentle_turn(speed, 30.0)
    wheelbase, _ = geometry(spec)
    stiffness, trail = {}, {}
    for axle in Axle:
        load, small = axle_load(loads, axle) / 2, 1e-4
        forces = tyre_of(spec, axle).evaluate(load, 0.0, np.array([-small, small]), 0.0, speed)
        stiffness[axle] = -2.0 * float(np.diff(forces.Fy)[0]) / (2 * small)
        trail[axle] = -float(np.diff(forces.Mz)[0] / np.diff(forces.Fy)[0])
    behind = wheelbase * axle_load(loads, Axle.FRONT) / sum(loads.values())
    rear, front = behind + trail[Axle.REAR], wheelbase - behind - trail[Axle.FRONT]
    gradient = spec.mass / wheelbase * (rear / stiffness[Axle.FRONT] - front / stiffness[Axle.REAR])
    steer = 0.5 * (last(run, "steer_fl_rad") + last(run, "steer_fr_rad"))
    assert last(run, "yaw_rate_radps") == pytest.approx(
        speed * steer / (wheelbase + gradient * speed**2), rel=tolerance
    )


@pytest.mark.parametrize("antiroll", [1.0, 30.0])
def test_the_load_moves_by_mass_acceleration_and_height_over_the_track(antiroll: float) -> None:
    """Σ ΔF_z b = m h (a_y + g φ): the second part is the body's own weight, which rolls over the outer wheels."""
    spec, _, run = gentle_turn(25.0, antiroll)
    _, tracks = geometry(spec)
    moment = sum(
        0.5 * (last(run, f"Fz_{axle.value[0]}r_N") - last(run, f"Fz_{axle.value[0]}l_N")) * track
        for axle, track in tracks.items()
    )
    height = last(run, "z_m") - spec.road_height
    ay, roll = last(run, "ay_mps2"), last(run, "roll_rad")
    assert moment == pytest.approx(spec.mass * height * (ay + STANDARD_GRAVITY * roll), rel=0.015)
    assert roll > 0


# ---- straight ahead


def test_a_solid_axle_takes_the_gyroscopic_moment_of_its_wheels() -> None:
    """Wheels of more inertia ΔI bring ΔI ψ̇ (Ω_l + Ω_r) of moment to the road, nearly all of it at their own axle.

    The rest goes over the body to the front, because the axle leans on its tyres.
    """
    inertia, runs = 30.0, []
    for more in (0.0, inertia):
        spec = spec_of(VAN, compliance=False)
        spec = spec.with_parameters(wheel_inertia_rear=spec.parameters["wheel_inertia_rear"] + more)
        steered = StepSteer(speed_kmh=60.0, steering_wheel_angle_deg=20.0, hold_s=5.0)
        runs.append(simulate(RealTimeVehicle(spec), steered))
    _, tracks = geometry(spec)

    def moved(axle: str) -> float:
        right, left = (last(runs[1], f"Fz_{axle}{s}_N") - last(runs[0], f"Fz_{axle}{s}_N") for s in "rl")
        return 0.5 * (right - left)

    spin = last(runs[1], "wheel_speed_rl_radps") + last(runs[1], "wheel_speed_rr_radps")
    expected = inertia * last(runs[1], "yaw_rate_radps") * spin
    front, rear = moved("f") * tracks[Axle.FRONT], moved("r") * tracks[Axle.REAR]
    assert front + rear == pytest.approx(expected, rel=0.03)
    assert rear > 0.85 * expected


def rolling_resistance(run: Run, spec: RtmSpec) -> float:
    """Mean deceleration by the tyres of a free-rolling vehicle [m/s²]."""
    return float(-sum(run[f"Fx_{corner}_N"] for corner in Corner).mean() / spec.mass)


def heavier(spec: RtmSpec) -> float:
    """Mass that a force has to accelerate, wheels included [kg]."""
    p = spec.parameters
    loads = spec.mass * STANDARD_GRAVITY / 4
    return spec.mass + sum(
        2 * p[f"wheel_inertia_{axle}"] / float(tyre_of(spec, axle).effective_radius(loads)) ** 2 for axle in Axle
    )


def test_braking_distance() -> None:
    """v²/(2a), with the brake torques over the loaded radius; rolling resistance measured without the pedal."""
    spec, pedal, speed = plain_car().with_parameters(drag=0.0), 0.3, 20.0
    vehicle = RealTimeVehicle(spec)
    vehicle.settle()
    vehicle.start(speed)
    free = vehicle.advance(np.zeros(1000), 0.0, 0.0, -1, every=10)
    vehicle.settle()
    vehicle.start(speed)
    steps = 8000
    run = vehicle.advance(np.zeros(steps), 0.0, pedal, -1, every=1)
    p = spec.parameters
    radius = {axle: float(tyre_of(spec, axle).loaded_radius(spec.mass * STANDARD_GRAVITY / 4)) for axle in Axle}
    force = sum(2 * pedal * p[f"brake_{axle}"] / radius[axle] for axle in Axle)
    deceleration = force / heavier(spec) + rolling_resistance(free, spec)
    stopped = int(np.argmax(run["vx_mps"] < 0.05))
    assert run["x_m"][stopped] - run["x_m"][0] == pytest.approx(speed**2 / (2 * deceleration), rel=0.02)


def test_top_speed_is_where_the_engine_has_no_more_power() -> None:
    spec = plain_car()
    powertrain = spec.powertrain
    assert powertrain is not None
    box, engine = powertrain.gearbox, powertrain.engine
    top, axle = len(box.ratios), Axle.FRONT if powertrain.front_share > 0.5 else Axle.REAR
    radius = float(tyre_of(spec, axle).effective_radius(spec.mass * STANDARD_GRAVITY / 4))
    ratio = box.ratios[-1] * box.final_drive
    vehicle = RealTimeVehicle(spec)

    def rolling(speed: float) -> float:
        vehicle.settle()
        vehicle.start(speed, top)
        vehicle.advance(np.zeros(500), 0.0, 0.0, -1)
        return rolling_resistance(vehicle.advance(np.zeros(200), 0.0, 0.0, -1), spec)

    speeds = np.linspace(20.0, 0.98 * powertrain.speed_limit / ratio * radius, 7001)
    torque = np.interp(speeds / radius * ratio, engine.speed, engine.torque[:, -1])
    force, drag = torque * ratio * box.efficiency / radius, spec.parameters["drag"] * speeds**2
    balance = 50.0
    for _ in range(3):  # the tyres roll harder at speed
        balance = float(speeds[np.argmax(force < drag + spec.mass * rolling(balance))])
    assert balance > 50.0
    vehicle.settle()
    vehicle.start(0.97 * balance, top)
    run = vehicle.advance(np.zeros(60_000), 1.0, 0.0, top, every=100)
    assert np.ptp(run["vx_mps"][-50:]) < 0.05, "not yet at top speed"
    assert run["vx_mps"][-1] == pytest.approx(balance, rel=0.015)


def test_a_coasting_vehicle_loses_what_drag_and_tyres_take() -> None:
    """Kinetic energy of body and wheels against the work of the air and of the tyres, over ten seconds in neutral."""
    spec = plain_car()
    vehicle = RealTimeVehicle(spec)
    vehicle.settle()
    vehicle.start(30.0)
    vehicle.advance(np.zeros(2000), 0.0, 0.0, -1)  # until nothing swings any more
    steps = 10_000
    controls = np.tile([0.0, 0.0, 0.0, -1.0], (steps, 1))
    rows = vehicle.advance_rows(controls, 1)
    run = vehicle.run(rows)
    v, p = run["vx_mps"], spec.parameters
    spins = {corner: run[f"wheel_speed_{corner}_radps"] for corner in Corner}
    inertia = {corner: p[f"wheel_inertia_{corner.axle}"] for corner in Corner}
    energy = 0.5 * spec.mass * v**2 + sum(0.5 * inertia[c] * spins[c] ** 2 for c in Corner)
    # Each wheel passes on Fx at the speed of its centre and loses what its moments and its slip take: the wheel's own
    # equation I ω' = −Fx R + My turns both into I ω' ω. Wheels with toe pull against each other: Fy has a part along x.
    air = p["drag"] * v**3
    toe = {corner: run[f"steer_{corner}_rad"] for corner in Corner}
    along = sum(run[f"Fx_{c}_N"] * np.cos(toe[c]) - run[f"Fy_{c}_N"] * np.sin(toe[c]) for c in Corner)
    tyres = -along * v - sum(inertia[c] * np.gradient(spins[c], 1e-3) * spins[c] for c in Corner)
    lost = float(np.trapezoid(air + tyres, dx=1e-3))
    assert energy[0] - energy[-1] == pytest.approx(lost, rel=1e-4)
    assert energy[0] - energy[-1] > 0.05 * energy[0]
    assert np.diff(energy).max() < 1e-6 * energy[0], "a coasting vehicle gains energy"


# ---- ride


def test_ride_frequencies_are_those_of_body_on_springs_and_tyres() -> None:
    """Heave and pitch of the body on k_f and k_r, taken from the statics alone: a second load, another height."""
    spec = plain_car().with_parameters(damper_factor_front=0.01, damper_factor_rear=0.01)
    poses = []
    for gravity in (1.0, 1.03):
        vehicle = RealTimeVehicle(plain_car().with_parameters(gravity=gravity * STANDARD_GRAVITY))
        loads = vehicle.settle()
        run = vehicle.advance(np.zeros(2), 0.0, 0.0, -1)
        poses.append((loads, float(run["z_m"][-1]), float(run["pitch_rad"][-1])))
    (light, z0, pitch0), (heavy, z1, pitch1) = poses
    wheelbase, _ = geometry(spec)
    front = wheelbase * axle_load(light, Axle.REAR) / sum(light.values())
    arms = {Axle.FRONT: front, Axle.REAR: front - wheelbase}
    p = spec.parameters
    unsprung = {axle: 2 * p[f"unsprung_mass_{axle}"] for axle in Axle}
    rates = {
        # the weight of the wheels goes straight through the tyre and does not press the body down
        axle: (axle_load(heavy, axle) - axle_load(light, axle) - 0.03 * STANDARD_GRAVITY * unsprung[axle])
        / (z0 - arm * pitch0 - z1 + arm * pitch1)
        for axle, arm in arms.items()
    }
    stiffness = np.zeros((2, 2))
    for axle, arm in arms.items():
        lever = np.array([1.0, -arm])
        stiffness += rates[axle] * np.outer(lever, lever)
    mass = np.diag([p["sprung_mass"], p["Iyy"]])
    expected = np.sort(np.sqrt(np.linalg.eigvals(np.linalg.solve(mass, stiffness)).real)) / (2 * np.pi)
    steps = 20_000
    bump = np.where(np.arange(steps) < 150, 0.01, 0.0)
    found = []
    for axle, arm in arms.items():  # height of the body over each axle after a bump under it: mostly one mode in each
        vehicle = RealTimeVehicle(spec)
        vehicle.settle()
        vehicle.start(0.0)
        heights = spec.road_height + np.outer(bump, [wheel.corner.axle is axle for wheel in spec.wheels])
        run = vehicle.advance(np.zeros(steps), 0.0, 0.0, -1, every=10, road_heights=heights)
        late = run["time_s"] > run["time_s"][0] + 1.0
        height = (run["z_m"] - arm * run["pitch_rad"])[late]
        spectrum = np.abs(np.fft.rfft((height - height.mean()) * np.hanning(height.size), 16 * height.size))
        found.append(float(np.fft.rfftfreq(16 * height.size, 0.01)[spectrum.argmax()]))
    assert np.sort(found) == pytest.approx(expected, rel=0.03)
