"""Data sheet of `suv`: a sports utility vehicle with four driven wheels."""

from __future__ import annotations

from dataclasses import replace

from tools.bundle.axles import (
    anti_roll_bar,
    damper_mounts,
    halfshaft,
    link_mounts,
    macpherson_mounts,
    macpherson_parts,
    strut_parts,
    subframe_mounts,
)
from tools.bundle.rubbers import BLADE, TOP_MOUNT, with_rates
from tools.bundle.sheet import (
    Body,
    Brakes,
    Link,
    Mount,
    Part,
    Powertrain,
    Ride,
    Steering,
    Suspension,
    Tyre,
    Vehicle,
    Wheels,
)

__all__ = ["VEHICLE"]

FRONT = Suspension(
    axle="front",
    template="macpherson",
    hardpoints={
        "lca_front": (-15.0, -360.0, 236.8),
        "lca_rear": (310.0, -365.0, 245.2),
        "lca_outer": (-5.0, -765.0, 212.0),
        "tierod_inner": (-106.0, -342.1, 286.2),
        "tierod_outer": (-148.0, -790.0, 262.0),
        "strut_lwr_mount": (18.0, -652.0, 430.0),
        "spring_lwr_seat": (30.4, -627.2, 620.0),
        "top_mount": (48.0, -592.0, 890.0),
        "wheel_center": (0.0, -810.0, 325.2),
        "drive_shaft_inr": (20.0, -210.0, 360.0),
        "subframe_front": (-60.0, -400.0, 270.0),
        "subframe_rear": (360.0, -340.0, 270.0),
    },
    parts=(*macpherson_parts(0.0, 1.15), halfshaft(8.5)),
    mounts=macpherson_mounts((4490.0, 215.0), (3500.0, 2030.0, 107.0), (21800.0, 19000.0), 1.15),
    ride=Ride(frequency=1.22, damping=(0.18, 0.35), bump=65.0, rebound=75.0, friction=55.0),
    toe=0.05,
    camber=-0.5,
    switches={"subframe_active": 1, "halfshaft_active": 1},
)

#: The damper stands inclined on a soft mount, for comfort.
_SOFT_TOP = replace(TOP_MOUNT, name="soft_top_mount", radial=(600.0, 600.0), axial=450.0, give=(6.0, 8.0))

REAR = Suspension(
    axle="rear",
    template="semi_trailing_multi_link",
    hardpoints={
        "trailing_arm_front": (2200.0, -650.0, 372.0),
        "upper_link_inner": (2680.0, -370.0, 471.5),
        "upper_link_outer": (2670.0, -715.0, 470.0),
        "lower_front_link_inner": (2593.0, -481.3, 265.5),
        "lower_front_link_outer": (2615.0, -738.0, 240.0),
        "lower_rear_link_inner": (2775.0, -285.0, 262.5),
        "lower_rear_link_outer": (2765.0, -740.0, 240.0),
        "spring_lwr_seat": (2770.0, -560.0, 246.0),
        "spring_upr_seat": (2770.0, -555.0, 460.0),
        "lwr_strut_mount": (2700.0, -720.0, 240.0),
        "top_mount": (2810.0, -640.0, 640.0),
        "wheel_center": (2660.0, -810.0, 330.1),
        "drive_shaft_inr": (2650.0, -200.0, 355.0),
        "subframe_front": (2480.0, -460.0, 330.0),
        "subframe_rear": (2840.0, -440.0, 340.0),
    },
    parts=(
        Part("subframe", 27.0, (2670.0, 0.0, 310.0), (260.0, 160.0, 290.0), sprung=100.0, single=True),
        Link("trailing_arm", 4.5, ("trailing_arm_front", "wheel_center"), 25.0, sprung=40.0),
        Link("upper_link", 1.4, ("upper_link_inner", "upper_link_outer")),
        Link("lower_front_link", 1.2, ("lower_front_link_inner", "lower_front_link_outer")),
        Link("lower_rear_link", 3.8, ("lower_rear_link_inner", "lower_rear_link_outer"), 30.0),
        Part("upright", 9.0, ("wheel_center", "lower_rear_link_outer", "upper_link_outer"), (95.0, 90.0, 50.0)),
        Part("spindle", 9.5, ("wheel_center",), (80.0, 105.0, 80.0)),
        *strut_parts(0.8),
        halfshaft(8.0),
    ),
    mounts={
        "trailing_arm_front": Mount(with_rates(BLADE, "rear_trailing_blade", 250.0, 2400.0), "y"),
        **link_mounts(
            {
                "upper_link": ("x", 1000.0, 150.0),
                "lower_front_link": ("x", 600.0, 150.0),
                "lower_rear_link": ("x", 1700.0, 150.0),
            }
        ),
        **damper_mounts(1.0, _SOFT_TOP),
        **subframe_mounts("rear", (2250.0, 3000.0)),
    },
    ride=Ride(frequency=1.38, damping=(0.18, 0.35), bump=65.0, rebound=75.0, friction=40.0),
    toe=0.1,
    camber=-1.0,
    switches={"subframe_active": 1, "halfshaft_active": 1},
)

STEERING = Steering(
    pairs={"rack_house_mount": (-106.0, -270.0, 286.2)},
    singles={
        "pinion_pivot": (-106.0, -300.0, 286.2),
        "intermediate_shaft_forward": (50.0, -325.0, 390.0),
        "intermediate_shaft_rearward": (560.0, -350.0, 690.0),
        "steering_wheel_center": (1080.0, -370.0, 960.0),
    },
    ratio=15.8,
    lock=520.0,
    piston_area=900.0,
)


def _tyre(axle: str, stiffness: float) -> Tyre:
    """The tyre; pressures of the axles differ, and with them the cornering stiffness."""
    return Tyre(
        f"suv_225_60_r17_{axle}",
        "225/60 R17",
        "car_mf61",
        {
            ("DIMENSION", "UNLOADED_RADIUS"): 0.351,
            ("DIMENSION", "WIDTH"): 0.225,
            ("DIMENSION", "ASPECT_RATIO"): 0.6,
            ("DIMENSION", "RIM_RADIUS"): 0.2159,
            ("VERTICAL", "FNOMIN"): 5400.0,
            ("VERTICAL", "VERTICAL_STIFFNESS"): 222000.0,
            ("VERTICAL_FORCE_RANGE", "FZMAX"): 13000.0,
            ("LONGITUDINAL_COEFFICIENTS", "PDX1"): 1.11,
            ("LATERAL_COEFFICIENTS", "PDY1"): 0.97,
            ("LATERAL_COEFFICIENTS", "PKY1"): -19.0,
            ("SCALING_COEFFICIENTS", "LKY"): stiffness,
        },
    )


VEHICLE = Vehicle(
    name="suv",
    title="Sports utility vehicle",
    about="A sports utility vehicle with four driven wheels, MacPherson struts in front and trailing blades behind.",
    loads=(1060.0, 840.0),
    wheelbase=2660.0,
    tracks=(1620.0, 1620.0),
    body=Body(height=640.0, inertia=(760.0, 2950.0, 3150.0), area=2.6, drag=0.36, lift=(0.08, 0.08)),
    front=FRONT,
    rear=REAR,
    steering=STEERING,
    wheels=(
        Wheels(_tyre("front", 0.97), 23.0, (0.80, 1.40)),
        Wheels(_tyre("rear", 1.10), 23.0, (0.80, 1.40)),
    ),
    powertrain=Powertrain(
        title="2.0 l diesel engine, six gears, four-wheel drive",
        speeds=(700, 1000, 1250, 1500, 1750, 2000, 2500, 3000, 3500, 4000, 4500, 5000),
        torques=(130, 190, 270, 340, 380, 380, 380, 370, 345, 315, 250, 160),
        drag=65.0,
        idle=800.0,
        limit=4800.0,
        gears=(4.15, 2.35, 1.52, 1.15, 0.86, 0.69),
        final_drive=3.75,
        upshift=4000.0,
        downshift=1600.0,
        front_share=0.45,
        inertia=0.24,
        parts=(
            Part("engine", 175.0, (-140.0, 130.0, 520.0), (230.0, 180.0, 220.0), sprung=100.0, single=True),
            Part("gearbox", 70.0, (-90.0, -270.0, 450.0), (180.0, 140.0, 180.0), sprung=100.0, single=True),
        ),
    ),
    brakes=Brakes(bias=0.62, areas=(5700.0, 1900.0), friction=(0.4, 0.4), radii=(128.0, 128.0), parking=1000.0),
    bars=(
        anti_roll_bar("front", (250.0, -430.0, 440.0), (48.0, -675.0, 450.0), (48.0, -680.0, 320.0), share=0.62),
        anti_roll_bar("rear", (2900.0, -440.0, 380.0), (2735.0, -700.0, 385.0), (2735.0, -705.0, 260.0), share=0.38),
    ),
    roll_gradient=4.6,
    rubber_time=0.01,
)
