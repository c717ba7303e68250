"""Every manoeuvre of the registry, with settings that make it short."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from trackrod.core.run_files import write_run
from trackrod.manoeuvres.manoeuvre import Manoeuvre
from trackrod.manoeuvres.registry import MANOEUVRES
from trackrod.road.crg import write_crg
from trackrod.road.surface import RoadSurface
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.spec import RtmSpec
from trackrod.simulate.drive import simulate

#: What saves time; the other manoeuvres are short enough as they are.
SHORT = {
    "ramp_steer": {"rate_degps": "20", "target_ay_g": "0.4"},
    "step_steer": {"steering_wheel_angle_deg": "20", "hold_s": "2"},
    "sine_sweep": {"steering_wheel_angle_deg": "10", "duration_s": "5"},
    "acceleration": {"last_speed_kmh": "60"},
    "braking": {"speed_kmh": "50", "brake": "0.25"},
    "constant_radius": {"radius_m": "50", "target_ay_g": "0.4", "rate_kmhps": "4"},
    "single_sine": {"steering_wheel_angle_deg": "30"},
    "sine_with_dwell": {"steering_wheel_angle_deg": "60"},
    "double_lane_change": {"speed_kmh": "60"},
    "slalom": {"cones": "3"},
    "j_turn": {"steering_wheel_angle_deg": "120"},
    "fishhook": {"steering_wheel_angle_deg": "100"},
    "brake_in_turn": {"steering_wheel_angle_deg": "40", "brake": "0.2"},
    "throttle_off": {"steering_wheel_angle_deg": "40"},
    "coast_down": {"last_speed_kmh": "90"},
    "standstill_steering": {"periods": "1", "frequency_Hz": "0.5"},
    "parking": {"hold_s": "1"},
    "hill_hold": {"duration_s": "2"},
    "four_post": {"duration_s": "5"},
    "random_road": {"duration_s": "3"},
    "bump": {"after_s": "1"},
    "pothole": {"depth_mm": "20", "after_s": "1"},
    "kerb": {"height_mm": "20"},
    "excitation": {"duration_s": "2", "brake": "0.2", "obstacle_mm": "10"},
}


def short_manoeuvre(name: str, spec: RtmSpec, folder: Path) -> Manoeuvre:
    given = dict(SHORT.get(name, {}))
    if name == "recorded":
        given["file"] = str(folder / "recorded.csv")
        write_run(
            simulate(RealTimeVehicle(spec), short_manoeuvre("single_sine", spec, folder)), folder / "recorded.csv"
        )
    if name == "follow_road":
        given["file"] = str(folder / "road.crg")
        share = np.clip(np.arange(61.0) / 30.0, 0.0, 1.0)
        bend, heights = np.cumsum(share[1:] / 100.0), 0.01 * np.sin(np.arange(61.0))[:, None] * np.ones(2)
        sections = np.array([-6.0, 6.0])
        road = RoadSurface("bend", 0.0, 1.0, bend, 0.02 * np.arange(61.0), -0.05 * share, sections, heights)
        write_crg(road, folder / "road.crg")
    return MANOEUVRES[name].from_text(given)
