"""Data sheet of `lcv_3t5`: a light commercial vehicle of 3.5 t, laden."""

from __future__ import annotations

from tools.bundle.axles import anti_roll_bar, solid_axle_mounts, solid_axle_parts, wishbone_mounts, wishbone_parts
from tools.bundle.rubbers import LEAF_PAD, with_rates
from tools.bundle.sheet import (
    Body,
    Brakes,
    Leaf,
    Mount,
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

#: The leaf slides easily along itself.
_PAD = with_rates(LEAF_PAD, "front_leaf_pad", (1440.0, 110.0), 21600.0)

FRONT = Suspension(
    axle="front",
    template="double_wishbone_transverse_leaf",
    hardpoints={
        "lca_front": (-190.0, -390.0, 202.0),
        "lca_rear": (210.0, -390.0, 237.1),
        "lca_outer": (-5.0, -790.0, 205.0),
        "uca_front": (-110.0, -440.0, 500.5),
        "uca_rear": (150.0, -440.0, 538.5),
        "uca_outer": (22.0, -745.0, 535.0),
        "tierod_inner": (-118.0, -471.8, 352.5),
        "tierod_outer": (-170.0, -812.0, 345.0),
        "leaf_end": (60.0, -690.0, 185.0),
        "leaf_clamp": (60.0, -270.0, 185.0),
        "lwr_strut_mount": (-30.0, -680.0, 225.0),
        "top_mount": (-15.0, -600.0, 640.0),
        "wheel_center": (0.0, -850.0, 335.9),
        "subframe_front": (-240.0, -420.0, 270.0),
        "subframe_rear": (270.0, -400.0, 280.0),
    },
    parts=wishbone_parts(0.0, 1.7, 2.4),
    mounts={
        **wishbone_mounts("front", (1750.0, 152.0), (1400.0, 126.0), (4200.0, 185.0), damper=1.8),
        "leaf_end": Mount(_PAD, "z"),
        "leaf_clamp": Mount(_PAD, "z"),
    },
    ride=Ride(frequency=1.51, damping=(0.14, 0.28), bump=60.0, rebound=75.0, friction=45.0),
    toe=0.05,
    camber=-0.2,
    switches={"subframe_active": 0},
    # Glass fibre in epoxy.
    leaf=Leaf(
        element="leaf",
        leaves=((710.0, 710.0, 34.0),),
        width=80.0,
        inactive=0.0,
        modulus=40000.0,
        shear_modulus=5500.0,
        density=2.0e-6,
        points=("leaf_clamp", "leaf_clamp"),
    ),
)

REAR = Suspension(
    axle="rear",
    template="solid_axle_leaf",
    hardpoints={
        "leaf_front_eye": (2840.0, -560.0, 395.0),
        "leaf_seat": (3520.0, -560.0, 405.0),
        "leaf_rear_eye": (4230.0, -560.0, 425.0),
        "shackle_to_frame": (4235.0, -560.0, 528.0),
        "lwr_strut_mount": (3590.0, -480.0, 270.0),
        "top_mount": (3620.0, -430.0, 700.0),
        "bumpstop_axle": (3520.0, -560.0, 440.0),
        "bumpstop_frame": (3520.0, -560.0, 570.0),
        "wheel_center": (3520.0, -845.0, 332.1),
        "propshaft_front": (1500.0, 0.0, 460.0),
        "propshaft_rear": (3400.0, 0.0, 345.0),
        "tube_inner": (3520.0, -140.0, 332.1),
        "tube_seat": (3520.0, -560.0, 332.1),
    },
    parts=solid_axle_parts((3520.0, 0.0, 335.0), 72.0, 48.0, 7.5, 22.0, 1.1),
    mounts=solid_axle_mounts((950.0, 13500.0, 1400.0), 1.5),
    ride=Ride(frequency=1.86, damping=(0.135, 0.27), bump=70.0, rebound=85.0, friction=45.0),
    switches={"driveline_in_axle": 1, "flexible_tube": 1},
    tube=Tube(135.0, 12.0),
    # One leaf of spring steel.
    leaf=Leaf(
        element="leaf",
        leaves=((700.0, 730.0, 17.0),),
        width=80.0,
        inactive=60.0,
        modulus=206000.0,
        shear_modulus=79000.0,
        density=7.85e-6,
        points=("leaf_front_eye", "shackle_to_frame"),
        shackle=103.0,
        friction=430.0,
    ),
)

STEERING = Steering(
    pairs={"rack_house_mount": (-118.0, -310.0, 352.5)},
    singles={
        "pinion_pivot": (-118.0, -340.0, 352.5),
        "intermediate_shaft_forward": (-40.0, -350.0, 420.0),
        "intermediate_shaft_rearward": (120.0, -370.0, 800.0),
        "steering_wheel_center": (480.0, -400.0, 1150.0),
    },
    ratio=18.5,
    lock=620.0,
    piston_area=1250.0,
    pressure=10.0,
    mass=20.0,
)


def _tyre(axle: str, stiffness: float) -> Tyre:
    """The tyre; pressures of the axles differ, and with them the cornering stiffness."""
    return Tyre(
        f"lcv_235_65_r16c_{axle}",
        "235/65 R16C",
        "lcv_mf52",
        {
            ("MODEL", "TYRESIDE"): "LEFT",
            ("DIMENSION", "UNLOADED_RADIUS"): 0.356,
            ("VERTICAL", "VERTICAL_STIFFNESS"): 390000.0,
            ("SCALING_COEFFICIENTS", "LKY"): stiffness,
        },
    )


VEHICLE = Vehicle(
    name="lcv_3t5",
    title="Light commercial vehicle, 3.5 t",
    about=(
        "A light commercial vehicle, laden to 3.5 t. In front a transverse leaf is spring and anti-roll bar of double\n"
        "wishbones; behind, one leaf on each side carries a solid axle."
    ),
    loads=(1600.0, 1900.0),
    wheelbase=3520.0,
    tracks=(1700.0, 1690.0),
    body=Body(
        height=850.0,
        inertia=(2100.0, 10300.0, 10800.0),
        payload=(
            Part("payload_cargo", 1150.0, (2600.0, 0.0, 1060.0), (520.0, 950.0, 950.0), sprung=100.0, single=True),
            Part("payload_crew", 150.0, (900.0, 0.0, 1000.0), (400.0, 250.0, 420.0), sprung=100.0, single=True),
        ),
        area=4.4,
        drag=0.36,
        lift=(0.05, 0.05),
    ),
    front=FRONT,
    rear=REAR,
    steering=STEERING,
    wheels=(
        Wheels(_tyre("front", 0.95), 28.0, (0.95, 1.65)),
        Wheels(_tyre("rear", 1.05), 28.0, (0.95, 1.65)),
    ),
    powertrain=Powertrain(
        title="2.3 l diesel engine, six gears, rear drive",
        speeds=(700, 1000, 1250, 1500, 1750, 2000, 2500, 3000, 3500, 4000, 4500),
        torques=(150, 220, 300, 350, 350, 350, 350, 325, 295, 245, 140),
        drag=70.0,
        idle=800.0,
        limit=4300.0,
        gears=(4.99, 2.60, 1.52, 1.00, 0.78, 0.67),
        final_drive=3.9,
        upshift=3400.0,
        downshift=1400.0,
        front_share=0.0,
        inertia=0.30,
        parts=(
            Part("engine", 215.0, (-60.0, 0.0, 620.0), (200.0, 270.0, 230.0), sprung=100.0, single=True),
            Part("gearbox", 70.0, (480.0, 0.0, 520.0), (120.0, 260.0, 260.0), sprung=100.0, single=True),
        ),
    ),
    brakes=Brakes(bias=0.66, areas=(6000.0, 4600.0), friction=(0.4, 0.4), radii=(128.0, 130.0), parking=1800.0),
    bars=(
        anti_roll_bar(
            "rear", (3770.0, -400.0, 500.0), (3560.0, -520.0, 505.0), (3560.0, -520.0, 360.0), share=1.0, size=1.6
        ),
    ),
    roll_gradient=5.0,
    rubber_time=0.008,
)
