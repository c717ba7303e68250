"""Data sheet of `integral_link`: a large car with a transverse leaf behind."""

from __future__ import annotations

from tools.bundle.axles import (
    anti_roll_bar,
    damper_mounts,
    halfshaft,
    link_mounts,
    strut_parts,
    subframe_mounts,
    wheel_end_parts,
    wishbone_mounts,
    wishbone_parts,
)
from tools.bundle.rubbers import ARM_FRONT, ARM_REAR, BALL, LEAF_PAD, with_rates
from tools.bundle.sheet import (
    Body,
    Brakes,
    Leaf,
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
    template="double_wishbone",
    hardpoints={
        "lca_front": (-170.0, -400.0, 190.2),
        "lca_rear": (230.0, -400.0, 222.8),
        "lca_outer": (-8.0, -778.0, 193.0),
        "uca_front": (-70.0, -455.0, 547.9),
        "uca_rear": (150.0, -455.0, 575.1),
        "uca_outer": (30.0, -722.0, 585.0),
        "tierod_inner": (178.0, -425.2, 524.9),
        "tierod_outer": (150.0, -702.0, 545.0),
        "lwr_strut_mount": (12.0, -640.0, 200.0),
        "top_mount": (50.0, -560.0, 740.0),
        "wheel_center": (0.0, -835.0, 316.4),
        "drive_shaft_inr": (30.0, -220.0, 345.0),
        "subframe_front": (-220.0, -430.0, 245.0),
        "subframe_rear": (290.0, -400.0, 250.0),
    },
    parts=(*wishbone_parts(0.0, 1.2), halfshaft(8.5)),
    mounts=wishbone_mounts("front", (1930.0, 131.0), (1415.0, 105.0), (1950.0, 157.0), (8200.0, 9000.0), damper=1.2),
    ride=Ride(frequency=1.18, damping=(0.18, 0.34), bump=60.0, rebound=70.0, friction=35.0),
    toe=0.05,
    camber=-0.6,
    switches={"subframe_active": 1, "halfshaft_active": 1},
)

REAR = Suspension(
    axle="rear",
    template="integral_link_leaf",
    hardpoints={
        "arm_front_inner": (2750.0, -365.0, 246.0),
        "arm_rear_inner": (3130.0, -395.0, 194.0),
        "arm_outer": (3030.0, -775.0, 200.0),
        "integral_link_inner": (2890.0, -735.0, 215.0),
        "integral_link_outer": (2895.0, -750.0, 330.0),
        "upper_link_inner": (2985.0, -400.0, 465.0),
        "upper_link_outer": (2985.0, -735.0, 490.0),
        "toe_link_inner": (2776.0, -449.8, 308.5),
        "toe_link_outer": (2820.0, -770.0, 310.0),
        "leaf_end": (3075.0, -690.0, 190.0),
        "leaf_clamp": (3075.0, -280.0, 190.0),
        "leaf_upper": (3075.0, -690.0, 420.0),
        "lwr_strut_mount": (3040.0, -690.0, 205.0),
        "top_mount": (3055.0, -610.0, 660.0),
        "wheel_center": (2980.0, -835.0, 318.6),
        "drive_shaft_inr": (2970.0, -200.0, 340.0),
        "subframe_front": (2700.0, -470.0, 300.0),
        "subframe_rear": (3190.0, -430.0, 310.0),
    },
    parts=(
        Part("subframe", 30.0, (2960.0, 0.0, 290.0), (280.0, 200.0, 330.0), sprung=100.0, single=True),
        Part(
            "lower_arm",
            7.5,
            ("arm_front_inner", "arm_rear_inner", "arm_outer", "integral_link_inner"),
            (150.0, 150.0, 205.0),
            sprung=50.0,
        ),
        Link("integral_link", 0.5, ("integral_link_inner", "integral_link_outer"), 14.0, sprung=0.0),
        Link("upper_link", 1.5, ("upper_link_inner", "upper_link_outer")),
        Link("toe_link", 0.9, ("toe_link_inner", "toe_link_outer")),
        *wheel_end_parts(1.1, ("wheel_center", "arm_outer", "upper_link_outer")),
        *strut_parts(0.85),
        halfshaft(8.5),
    ),
    mounts={
        "arm_front_inner": Mount(
            with_rates(ARM_FRONT, "rear_arm_front", 3800.0, 110.0), ("arm_front_inner", "arm_rear_inner")
        ),
        "arm_rear_inner": Mount(
            with_rates(ARM_REAR, "rear_arm_rear", 2850.0, 110.0), ("arm_front_inner", "arm_rear_inner")
        ),
        "arm_outer": Mount(BALL, "x"),
        "integral_link_inner": Mount(BALL, "x"),
        "integral_link_outer": Mount(BALL, "x"),
        **link_mounts({"upper_link": ("x", 16500.0, 150.0), "toe_link": ("x", 2300.0, 150.0)}),
        "leaf_end": Mount(LEAF_PAD, "z"),
        "leaf_clamp": Mount(LEAF_PAD, "z"),
        **damper_mounts(),
        **subframe_mounts("rear", (4100.0, 4000.0)),
    },
    ride=Ride(frequency=1.34, damping=(0.18, 0.34), bump=60.0, rebound=70.0, friction=40.0),
    toe=0.1,
    camber=-1.2,
    switches={"subframe_active": 1, "leaf_simplified": 0, "halfshaft_active": 1},
    # Glass fibre in epoxy.
    leaf=Leaf(
        element="leaf",
        leaves=((710.0, 710.0, 26.0),),
        width=70.0,
        inactive=0.0,
        modulus=40000.0,
        shear_modulus=5500.0,
        density=2.0e-6,
        points=("leaf_clamp", "leaf_clamp"),
    ),
)

STEERING = Steering(
    pairs={"rack_house_mount": (178.0, -320.0, 524.9)},
    singles={
        "pinion_pivot": (178.0, -350.0, 524.9),
        "intermediate_shaft_forward": (330.0, -355.0, 580.0),
        "intermediate_shaft_rearward": (620.0, -370.0, 690.0),
        "steering_wheel_center": (1160.0, -380.0, 900.0),
    },
    ratio=15.2,
    lock=500.0,
    piston_area=950.0,
)


def _tyre(axle: str, stiffness: float) -> Tyre:
    """The tyre; pressures of the axles differ, and with them the cornering stiffness."""
    return Tyre(
        f"car_245_45_r18_{axle}",
        "245/45 R18",
        "car_mf61",
        {
            ("DIMENSION", "UNLOADED_RADIUS"): 0.339,
            ("DIMENSION", "WIDTH"): 0.245,
            ("DIMENSION", "ASPECT_RATIO"): 0.45,
            ("DIMENSION", "RIM_RADIUS"): 0.2286,
            ("OPERATING_CONDITIONS", "INFLPRES"): 240000.0,
            ("OPERATING_CONDITIONS", "NOMPRES"): 240000.0,
            ("VERTICAL", "FNOMIN"): 5400.0,
            ("VERTICAL", "VERTICAL_STIFFNESS"): 255000.0,
            ("VERTICAL_FORCE_RANGE", "FZMAX"): 13500.0,
            ("SCALING_COEFFICIENTS", "LKY"): stiffness,
        },
    )


VEHICLE = Vehicle(
    name="integral_link",
    title="Large car with integral link",
    about="A large car with four driven wheels, double wishbones in front, integral links and one leaf behind.",
    loads=(1080.0, 970.0),
    wheelbase=2980.0,
    tracks=(1670.0, 1670.0),
    body=Body(height=560.0, inertia=(780.0, 3750.0, 4050.0), area=2.4, drag=0.30, lift=(0.06, 0.05)),
    front=FRONT,
    rear=REAR,
    steering=STEERING,
    wheels=(
        Wheels(_tyre("front", 0.87), 24.0, (0.80, 1.40)),
        Wheels(_tyre("rear", 1.01), 24.0, (0.80, 1.40)),
    ),
    powertrain=Powertrain(
        title="2.0 l turbocharged petrol engine, eight gears, four-wheel drive",
        speeds=(700, 1000, 1250, 1500, 2000, 3000, 4000, 4500, 5000, 5500, 6000, 6500),
        torques=(140, 190, 260, 300, 300, 300, 300, 296, 280, 256, 228, 180),
        drag=65.0,
        idle=750.0,
        limit=6300.0,
        gears=(5.00, 3.20, 2.14, 1.72, 1.31, 1.00, 0.82, 0.64),
        final_drive=3.2,
        upshift=5600.0,
        downshift=1800.0,
        front_share=0.4,
        inertia=0.22,
        parts=(
            Part("engine", 160.0, (-80.0, 0.0, 480.0), (180.0, 240.0, 220.0), sprung=100.0, single=True),
            Part("gearbox", 90.0, (480.0, 0.0, 400.0), (130.0, 280.0, 280.0), sprung=100.0, single=True),
        ),
    ),
    brakes=Brakes(bias=0.63, areas=(4300.0, 3300.0), friction=(0.4, 0.4), radii=(138.0, 135.0), parking=1100.0),
    bars=(anti_roll_bar("front", (-210.0, -470.0, 265.0), (-15.0, -700.0, 275.0), (-10.0, -705.0, 200.0), share=1.0),),
    roll_gradient=4.0,
    rubber_time=0.012,
)
