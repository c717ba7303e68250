"""Data sheet of `lcv_7t`: a light commercial vehicle of 7 t, laden."""

from __future__ import annotations

from tools.bundle.axles import anti_roll_bar, solid_axle_mounts, solid_axle_parts, wishbone_mounts, wishbone_parts
from tools.bundle.sheet import (
    Body,
    Brakes,
    Leaf,
    Part,
    Powertrain,
    Ride,
    Steering,
    Suspension,
    Tube,
    Tyre,
    Vehicle,
    Wheels,
)

__all__ = ["VEHICLE"]

FRONT = Suspension(
    axle="front",
    template="double_wishbone_torsion_bar",
    hardpoints={
        "lca_front": (-210.0, -400.0, 208.9),
        "lca_rear": (240.0, -400.0, 246.8),
        "lca_outer": (-5.0, -800.0, 212.0),
        "uca_front": (-120.0, -450.0, 517.5),
        "uca_rear": (170.0, -450.0, 556.3),
        "uca_outer": (22.0, -760.0, 552.0),
        "tierod_inner": (-132.0, -488.7, 432.2),
        "tierod_outer": (-185.0, -815.0, 430.0),
        "lwr_strut_mount": (20.0, -680.0, 232.0),
        "top_mount": (50.0, -590.0, 680.0),
        "wheel_center": (0.0, -870.0, 345.9),
        "subframe_front": (-270.0, -420.0, 280.0),
        "subframe_rear": (300.0, -410.0, 290.0),
    },
    parts=wishbone_parts(0.0, 2.3, 3.4),
    mounts=wishbone_mounts("front", (1880.0, 330.0), (1540.0, 270.0), (14000.0, 373.0), damper=2.6),
    ride=Ride(frequency=1.45, damping=(0.14, 0.27), bump=60.0, rebound=75.0, friction=60.0),
    toe=0.05,
    camber=0.0,
    switches={"subframe_active": 0},
)

REAR = Suspension(
    axle="rear",
    template="solid_axle_leaf",
    hardpoints={
        "leaf_front_eye": (3380.0, -520.0, 480.0),
        "leaf_seat": (4100.0, -520.0, 450.0),
        "leaf_rear_eye": (4850.0, -520.0, 470.0),
        "shackle_to_frame": (4855.0, -520.0, 583.0),
        "lwr_strut_mount": (4180.0, -430.0, 290.0),
        "top_mount": (4215.0, -380.0, 740.0),
        "bumpstop_axle": (4100.0, -520.0, 510.0),
        "bumpstop_frame": (4100.0, -520.0, 640.0),
        "wheel_center": (4100.0, -830.0, 348.5),
        "propshaft_front": (1900.0, 0.0, 520.0),
        "propshaft_rear": (3950.0, 0.0, 365.0),
        "tube_inner": (4100.0, -140.0, 348.5),
        "tube_seat": (4100.0, -520.0, 348.5),
    },
    parts=solid_axle_parts((4100.0, 0.0, 355.0), 125.0, 85.0, 14.0, 38.0, 1.9),
    mounts=solid_axle_mounts((1050.0, 27000.0, 3800.0), 3.0),
    ride=Ride(frequency=1.81, damping=(0.135, 0.27), bump=70.0, rebound=85.0, friction=60.0),
    switches={"driveline_in_axle": 1, "flexible_tube": 1},
    tube=Tube(140.0, 12.0),
    # Graduated leaves of spring steel.
    leaf=Leaf(
        element="leaf",
        leaves=(
            (740.0, 770.0, 14.0),
            (740.0, 770.0, 14.0),
            (600.0, 620.0, 14.0),
            (450.0, 465.0, 14.0),
            (300.0, 310.0, 14.0),
        ),
        width=80.0,
        inactive=75.0,
        modulus=206000.0,
        shear_modulus=79000.0,
        density=7.85e-6,
        points=("leaf_front_eye", "shackle_to_frame"),
        shackle=114.0,
    ),
)

STEERING = Steering(
    pairs={"rack_house_mount": (-132.0, -320.0, 432.2)},
    singles={
        "pinion_pivot": (-132.0, -350.0, 432.2),
        "intermediate_shaft_forward": (-40.0, -360.0, 560.0),
        "intermediate_shaft_rearward": (110.0, -380.0, 840.0),
        "steering_wheel_center": (460.0, -410.0, 1200.0),
    },
    ratio=20.5,
    lock=680.0,
    piston_area=1900.0,
    pressure=12.0,
    mass=26.0,
)


def _tyre(axle: str, stiffness: float) -> Tyre:
    """The tyre; pressures of the axles differ, and with them the cornering stiffness."""
    return Tyre(
        f"lcv_225_75_r16c_{axle}",
        "225/75 R16C",
        "lcv_mf52",
        {
            ("MODEL", "TYRESIDE"): "LEFT",
            ("DIMENSION", "UNLOADED_RADIUS"): 0.372,
            ("DIMENSION", "WIDTH"): 0.225,
            ("DIMENSION", "ASPECT_RATIO"): 0.75,
            ("OPERATING_CONDITIONS", "INFLPRES"): 475000.0,
            ("OPERATING_CONDITIONS", "NOMPRES"): 475000.0,
            ("VERTICAL", "FNOMIN"): 11500.0,
            ("VERTICAL", "VERTICAL_STIFFNESS"): 470000.0,
            ("VERTICAL_FORCE_RANGE", "FZMAX"): 25000.0,
            ("SCALING_COEFFICIENTS", "LKY"): stiffness,
        },
    )


VEHICLE = Vehicle(
    name="lcv_7t",
    title="Light commercial vehicle, 7 t",
    about=(
        "A light commercial vehicle, laden to 7 t. Longitudinal torsion bars carry the double wishbones in front,\n"
        "multi-leaf springs a solid axle with twin tyres behind."
    ),
    loads=(2500.0, 4500.0),
    wheelbase=4100.0,
    tracks=(1740.0, 1660.0),
    body=Body(
        height=1050.0,
        inertia=(5200.0, 29000.0, 30400.0),
        payload=(
            Part("payload_cargo", 3550.0, (3020.0, 0.0, 1330.0), (650.0, 1250.0, 1250.0), sprung=100.0, single=True),
            Part("payload_crew", 150.0, (850.0, 0.0, 1050.0), (400.0, 250.0, 420.0), sprung=100.0, single=True),
        ),
        area=6.2,
        drag=0.45,
        lift=(0.03, 0.03),
    ),
    front=FRONT,
    rear=REAR,
    steering=STEERING,
    wheels=(
        Wheels(_tyre("front", 1.13), 33.0, (1.20, 2.05)),
        Wheels(_tyre("rear", 0.96), 33.0, (1.20, 2.05), offsets=(127.5, -127.5)),
    ),
    powertrain=Powertrain(
        title="3.0 l diesel engine, six gears, rear drive",
        speeds=(650, 900, 1100, 1300, 1500, 2000, 2500, 2750, 3000, 3500, 4000),
        torques=(200, 290, 370, 425, 430, 430, 430, 420, 400, 345, 200),
        drag=90.0,
        idle=700.0,
        limit=3800.0,
        gears=(5.37, 3.15, 2.03, 1.37, 1.00, 0.79),
        final_drive=4.1,
        upshift=3000.0,
        downshift=1300.0,
        front_share=0.0,
        inertia=0.45,
        parts=(
            Part("engine", 300.0, (-40.0, 0.0, 700.0), (230.0, 310.0, 260.0), sprung=100.0, single=True),
            Part("gearbox", 105.0, (580.0, 0.0, 580.0), (140.0, 300.0, 300.0), sprung=100.0, single=True),
        ),
    ),
    brakes=Brakes(bias=0.57, areas=(8900.0, 8000.0), friction=(0.4, 0.4), radii=(130.0, 130.0), parking=3500.0),
    bars=(
        anti_roll_bar(
            "front", (-250.0, -470.0, 290.0), (-15.0, -715.0, 300.0), (-10.0, -720.0, 215.0), share=0.38, size=2.2
        ),
        anti_roll_bar(
            "rear", (4380.0, -400.0, 530.0), (4150.0, -480.0, 535.0), (4150.0, -480.0, 380.0), share=0.62, size=2.4
        ),
    ),
    roll_gradient=6.5,
    rubber_time=0.01,
)
