"""Data sheet of `cla_class`: a compact front-driven saloon."""

from __future__ import annotations

from tools.bundle.axles import (
    anti_roll_bar,
    damper_mounts,
    halfshaft,
    link_mounts,
    macpherson_mounts,
    macpherson_parts,
    strut_parts,
    subframe_mounts,
    wheel_end_parts,
)
from tools.bundle.sheet import (
    Body,
    Brakes,
    Link,
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
        "lca_front": (-15.0, -350.0, 216.0),
        "lca_rear": (290.0, -355.0, 220.4),
        "lca_outer": (-5.0, -732.0, 195.0),
        "tierod_inner": (-100.0, -335.9, 259.8),
        "tierod_outer": (-140.0, -755.0, 240.0),
        "strut_lwr_mount": (18.0, -625.0, 380.0),
        "spring_lwr_seat": (28.8, -601.0, 560.0),
        "top_mount": (45.0, -565.0, 830.0),
        "wheel_center": (0.0, -775.0, 295.0),
        "drive_shaft_inr": (20.0, -200.0, 325.0),
        "subframe_front": (-60.0, -390.0, 250.0),
        "subframe_rear": (340.0, -330.0, 250.0),
    },
    parts=(*macpherson_parts(0.0), halfshaft(7.5)),
    mounts=macpherson_mounts((4440.0, 254.0), (3000.0, 1970.0, 127.0), (21300.0, 19000.0)),
    ride=Ride(frequency=1.25, damping=(0.17, 0.34), bump=55.0, rebound=65.0, friction=50.0),
    toe=0.05,
    camber=-0.6,
    switches={"subframe_active": 1, "halfshaft_active": 1},
)

REAR = Suspension(
    axle="rear",
    template="multi_link",
    hardpoints={
        "upper_front_link_inner": (2485.0, -430.0, 488.0),
        "upper_front_link_outer": (2670.0, -690.0, 455.0),
        "upper_rear_link_inner": (2745.0, -370.0, 448.2),
        "upper_rear_link_outer": (2715.0, -680.0, 455.0),
        "lower_front_link_inner": (2470.0, -420.0, 270.2),
        "lower_front_link_outer": (2675.0, -705.0, 198.0),
        "lower_rear_link_inner": (2765.0, -300.0, 211.5),
        "lower_rear_link_outer": (2735.0, -712.0, 190.0),
        "toe_link_inner": (2865.0, -322.3, 322.0),
        "toe_link_outer": (2855.0, -700.0, 310.0),
        "spring_lwr_seat": (2750.0, -545.0, 203.0),
        "spring_upr_seat": (2750.0, -540.0, 430.0),
        "lwr_strut_mount": (2775.0, -690.0, 180.0),
        "top_mount": (2795.0, -610.0, 640.0),
        "wheel_center": (2700.0, -775.0, 301.2),
        "subframe_front": (2420.0, -480.0, 300.0),
        "subframe_rear": (2900.0, -440.0, 320.0),
    },
    parts=(
        Part("subframe", 24.0, (2690.0, 0.0, 300.0), (260.0, 170.0, 300.0), sprung=100.0, single=True),
        Link("upper_front_link", 1.1, ("upper_front_link_inner", "upper_front_link_outer")),
        Link("upper_rear_link", 1.1, ("upper_rear_link_inner", "upper_rear_link_outer")),
        Link("lower_front_link", 1.4, ("lower_front_link_inner", "lower_front_link_outer")),
        Link("lower_rear_link", 3.4, ("lower_rear_link_inner", "lower_rear_link_outer"), 30.0),
        Link("toe_link", 1.0, ("toe_link_inner", "toe_link_outer")),
        *wheel_end_parts(0.95, ("wheel_center", "lower_rear_link_outer", "upper_rear_link_outer")),
        *strut_parts(0.7),
    ),
    mounts={
        **link_mounts(
            {
                "upper_front_link": ("z", 1980.0, 300.0),
                "upper_rear_link": ("x", 13400.0, 200.0),
                "lower_front_link": ("z", 250.0, 300.0),
                "lower_rear_link": ("x", 20000.0, 200.0),
                "toe_link": ("x", 12000.0, 200.0),
            }
        ),
        **damper_mounts(),
        **subframe_mounts("rear", (1940.0, 2500.0)),
    },
    ride=Ride(frequency=1.42, damping=(0.17, 0.34), bump=55.0, rebound=65.0, friction=35.0),
    toe=0.1,
    camber=-1.2,
    switches={"subframe_active": 1},
)

STEERING = Steering(
    pairs={"rack_house_mount": (-100.0, -260.0, 259.8)},
    singles={
        "pinion_pivot": (-100.0, -290.0, 259.8),
        "intermediate_shaft_forward": (40.0, -315.0, 350.0),
        "intermediate_shaft_rearward": (560.0, -345.0, 590.0),
        "steering_wheel_center": (1140.0, -360.0, 830.0),
    },
    ratio=14.8,
    lock=490.0,
)


def _tyre(axle: str, stiffness: float) -> Tyre:
    """The tyre; pressures of the axles differ, and with them the cornering stiffness."""
    return Tyre(
        f"car_225_45_r17_{axle}",
        "225/45 R17",
        "car_mf61",
        {
            ("DIMENSION", "UNLOADED_RADIUS"): 0.317,
            ("DIMENSION", "WIDTH"): 0.225,
            ("DIMENSION", "ASPECT_RATIO"): 0.45,
            ("DIMENSION", "RIM_RADIUS"): 0.2159,
            ("OPERATING_CONDITIONS", "INFLPRES"): 240000.0,
            ("OPERATING_CONDITIONS", "NOMPRES"): 240000.0,
            ("VERTICAL", "FNOMIN"): 4800.0,
            ("VERTICAL", "VERTICAL_STIFFNESS"): 235000.0,
            ("VERTICAL_FORCE_RANGE", "FZMAX"): 12000.0,
            ("SCALING_COEFFICIENTS", "LKY"): stiffness,
        },
    )


VEHICLE = Vehicle(
    name="cla_class",
    title="Compact saloon",
    about="A compact front-driven saloon with MacPherson struts in front and a five-link rear axle.",
    loads=(967.0, 676.0),
    wheelbase=2700.0,
    tracks=(1550.0, 1550.0),
    body=Body(height=502.0, left=23.4, inertia=(560.0, 2620.0, 2850.0), area=2.2, drag=0.24, lift=(0.05, 0.04)),
    front=FRONT,
    rear=REAR,
    steering=STEERING,
    wheels=(
        Wheels(_tyre("front", 0.91), 20.0, (0.60, 1.05)),
        Wheels(_tyre("rear", 0.94), 20.0, (0.60, 1.05)),
    ),
    powertrain=Powertrain(
        title="2.0 l turbocharged petrol engine, seven gears, front drive",
        speeds=(700, 1000, 1250, 1500, 2000, 3000, 4000, 4500, 5000, 5500, 6000, 6500),
        torques=(120, 165, 220, 250, 250, 250, 250, 245, 232, 214, 190, 150),
        drag=60.0,
        idle=750.0,
        limit=6300.0,
        gears=(3.86, 2.43, 1.67, 1.20, 0.98, 0.81, 0.66),
        final_drive=4.0,
        upshift=5600.0,
        downshift=2000.0,
        front_share=1.0,
        inertia=0.20,
        parts=(
            Part("engine", 140.0, (-120.0, 130.0, 440.0), (220.0, 170.0, 210.0), sprung=100.0, single=True),
            Part("gearbox", 65.0, (-80.0, -260.0, 380.0), (170.0, 130.0, 170.0), sprung=100.0, single=True),
        ),
    ),
    # 28 N·m/bar in front and 8.5 N·m/bar behind: 2 · area · friction · radius. The rear line has 0.651 of the pressure
    # of the front one, which has 120 bar at full pedal: 83.5 % of the torque is in front.
    brakes=Brakes(
        bias=0.605694,
        areas=(2800.0, 850.0),
        friction=(0.4, 0.4),
        radii=(125.0, 125.0),
        parking=800.0,
        pressure=198.12,
    ),
    bars=(
        anti_roll_bar("front", (230.0, -420.0, 410.0), (45.0, -650.0, 420.0), (45.0, -655.0, 290.0), share=0.68),
        anti_roll_bar("rear", (2920.0, -430.0, 330.0), (2775.0, -680.0, 335.0), (2775.0, -685.0, 220.0), share=0.32),
    ),
    roll_gradient=3.9,
    rubber_time=0.008,
)
