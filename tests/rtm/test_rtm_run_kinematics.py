"""What a run of the real-time model says about places, velocities and wheels, against its own derivatives and maps."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from converted_vehicles import spec_of
from scipy.interpolate import RectBivariateSpline

from trackrod.convert.conversion import Compliance
from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.series import Run
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.motion import TotalCentre
from trackrod.rtm.spec import CHANNELS, RtmSpec

CAR = "double_wishbone_car"


@cache
def spec() -> RtmSpec:
    """A car with heavy wheels, behind more than in front, and its load on the left."""
    masses = {"unsprung_mass_front": 60.0, "unsprung_mass_rear": 180.0}
    return spec_of(CAR, compliance=Compliance.NONE).with_parameters(cg_y=0.08, **masses)


@cache
def driven() -> Run:
    """Steered both ways with a brake in between: it yaws, rolls and pitches at once."""
    vehicle = RealTimeVehicle(spec())
    vehicle.settle()
    vehicle.start(22.0)
    t = np.arange(1500) * 1e-3
    return vehicle.advance(0.9 * np.sin(5.0 * t), 0.2, np.where((t > 0.5) & (t < 0.9), 0.3, 0.0), 0)


def slope(run: Run, values: np.ndarray) -> np.ndarray:
    return np.asarray(np.gradient(values, run.time[1] - run.time[0]))


def in_heading(run: Run, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    c, s = np.cos(run[signals.YAW]), np.sin(run[signals.YAW])
    return c * x + s * y, c * y - s * x


def test_velocity_is_the_slope_of_the_place() -> None:
    """Both are those of the total centre of gravity; to one step of the strongest acceleration, 10 m/s²."""
    run = driven()
    vx, vy = in_heading(run, slope(run, run[signals.X]), slope(run, run[signals.Y]))
    inner = slice(5, -5)
    np.testing.assert_allclose(run[signals.VX][inner], vx[inner], atol=1e-2)
    np.testing.assert_allclose(run[signals.VY][inner], vy[inner], atol=1e-2)
    offset = TotalCentre.of(spec()).at((0.0, 0.0, 0.0, 0.0))
    assert np.abs(offset[0] * run[signals.YAW_RATE]).max() > 0.02  # what the sprung centre would be off by
    np.testing.assert_allclose(run[signals.SIDESLIP], np.arctan2(run[signals.VY], run[signals.VX]), atol=1e-12)


def test_rates_are_those_of_the_angles() -> None:
    """Angles of ISO 8855 about z, y, x turn with the rates about the axes of the body."""
    run = driven()
    roll, pitch = run[signals.ROLL], run[signals.PITCH]
    p, q, r = (run[rate] for rate in (signals.ROLL_RATE, signals.PITCH_RATE, signals.YAW_RATE))
    across = q * np.sin(roll) + r * np.cos(roll)
    inner = slice(5, -5)
    for angle, rate in (
        (roll, p + across * np.tan(pitch)),
        (pitch, q * np.cos(roll) - r * np.sin(roll)),
        (run[signals.YAW], across / np.cos(pitch)),
    ):
        assert np.abs(rate).max() > 0.05
        np.testing.assert_allclose(slope(run, angle)[inner], rate[inner], atol=4e-3)


@pytest.mark.parametrize("corner", [Corner.FL, Corner.FR])
def test_wheels_stand_as_their_maps_say(corner: Corner) -> None:
    """Steer and camber of a steered wheel follow from its travel and the rack; the top outward is positive camber."""
    run, wheel = driven(), spec().wheels[list(Corner).index(corner)]
    travel, rack = run[signals.WHEEL_TRAVEL[corner]], run[signals.RACK_TRAVEL]
    of_map = {
        name: RectBivariateSpline(wheel.first, wheel.second, wheel.kinematics[..., CHANNELS.index(name)], kx=1, ky=1)
        for name in ("rx", "rz")
    }
    inclination, steer = (of_map[name].ev(travel, rack) for name in ("rx", "rz"))
    assert np.ptp(inclination) > 0.01
    outward = -1.0 if corner is Corner.FL else 1.0
    np.testing.assert_allclose(run[signals.CAMBER[corner]], outward * inclination, atol=2e-3)
    np.testing.assert_allclose(run[signals.STEER[corner]], steer, atol=2e-3)


def test_total_centre_is_the_mean_of_all_masses() -> None:
    wheels = [(1.3, 0.75, 0.31), (1.3, -0.71, 0.29), (-1.5, 0.78, 0.33), (-1.4, -0.74, 0.3)]
    masses = {"sprung_mass": 1210.0, "unsprung_mass_front": 40.0, "unsprung_mass_rear": 55.0}
    model = SimpleNamespace(
        parameters={**masses, "cg_to_front": 1.2, "cg_y": 0.04, "cg_height": 0.6},
        wheels=[SimpleNamespace(centre=centre) for centre in wheels],
        road_height=-0.02,
        frame=None,
    )
    sprung = np.array([1.3 - 1.2, 0.04, 0.6 - 0.02])
    travels = (0.01, -0.02, 0.03, 0.05)
    expected = sum(
        mass * (np.add(centre, [0.0, 0.0, travel]) - sprung)
        for mass, centre, travel in zip((40.0, 40.0, 55.0, 55.0), wheels, travels, strict=True)
    )
    found = TotalCentre.of(model).at(travels)  # type: ignore[arg-type]
    np.testing.assert_allclose(found, expected / 1400.0, atol=1e-14)
