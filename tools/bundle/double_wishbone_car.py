"""Data sheet of `double_wishbone_car`: a simple rear-driven car for tutorials and tests."""

from __future__ import annotations

from tools.bundle.axles import anti_roll_bar, halfshaft, wishbone_mounts, wishbone_parts
from tools.bundle.sheet import Body, Brakes, Part, Powertrain, Ride, Steering, Suspension, Tyre, Vehicle, Wheels

__all__ = ["VEHICLE"]

FRONT = Suspension(
    axle="front",
    template="double_wishbone",
    hardpoints={
        "lca_front": (-160.0, -380.0, 189.7),
        "lca_rear": (190.0, -380.0, 210.9),
        "lca_outer": (-8.0, -715.0, 190.0),
        "uca_front": (-90.0, -430.0, 484.1),
        "uca_rear": (130.0, -430.0, 496.3),
        "uca_outer": (20.0, -660.0, 505.0),
        "tierod_inner": (-122.0, -429.0, 291.2),
        "tierod_outer": (-155.0, -730.0, 288.0),
        "lwr_strut_mount": (10.0, -590.0, 195.0),
        "top_mount": (30.0, -500.0, 640.0),
        "wheel_center": (0.0, -760.0, 296.2),
        "subframe_front": (-210.0, -400.0, 230.0),
        "subframe_rear": (240.0, -380.0, 240.0),
    },
    parts=wishbone_parts(0.0),
    mounts=wishbone_mounts("front", (2700.0, 142.0), (1880.0, 112.0), (10900.0, 168.0)),
    ride=Ride(frequency=1.25, damping=(0.17, 0.34), bump=55.0, rebound=65.0, friction=30.0),
    toe=0.05,
    camber=-0.5,
    switches={"subframe_active": 0},
)

REAR = Suspension(
    axle="rear",
    template="double_wishbone",
    hardpoints={
        "lca_front": (2410.0, -390.0, 225.0),
        "lca_rear": (2730.0, -370.0, 190.0),
        "lca_outer": (2565.0, -745.0, 190.0),
        "uca_front": (2480.0, -450.0, 494.0),
        "uca_rear": (2680.0, -440.0, 486.0),
        "uca_outer": (2570.0, -700.0, 500.0),
        "tierod_inner": (2710.0, -418.6, 394.0),
        "tierod_outer": (2715.0, -722.0, 395.0),
        "lwr_strut_mount": (2585.0, -610.0, 200.0),
        "top_mount": (2600.0, -540.0, 640.0),
        "wheel_center": (2560.0, -795.0, 296.2),
        "drive_shaft_inr": (2555.0, -190.0, 315.0),
        "subframe_front": (2360.0, -400.0, 250.0),
        "subframe_rear": (2780.0, -380.0, 250.0),
    },
    parts=(*wishbone_parts(2560.0), halfshaft(7.0)),
    mounts=wishbone_mounts("rear", (2060.0, 136.0), (1800.0, 136.0), (2100.0, 173.0)),
    ride=Ride(frequency=1.42, damping=(0.17, 0.34), bump=60.0, rebound=65.0, friction=30.0),
    toe=0.1,
    camber=-0.8,
    switches={"subframe_active": 0, "halfshaft_active": 1},
)

STEERING = Steering(
    pairs={"rack_house_mount": (-122.0, -300.0, 291.2)},
    singles={
        "pinion_pivot": (-122.0, -330.0, 291.2),
        "intermediate_shaft_forward": (60.0, -335.0, 330.0),
        "intermediate_shaft_rearward": (480.0, -350.0, 610.0),
        "steering_wheel_center": (1050.0, -360.0, 850.0),
    },
    ratio=15.0,
    lock=500.0,
)


def _tyre(axle: str, stiffness: float) -> Tyre:
    """The tyre; pressures of the axles differ, and with them the cornering stiffness."""
    return Tyre(f"car_205_55_r16_{axle}", "205/55 R16", "car_mf61", {("SCALING_COEFFICIENTS", "LKY"): stiffness})


VEHICLE = Vehicle(
    name="double_wishbone_car",
    title="Double wishbone car",
    about="A simple rear-driven car with double wishbones at both axles, for tutorials and tests.",
    loads=(770.0, 770.0),
    wheelbase=2560.0,
    tracks=(1520.0, 1590.0),
    body=Body(height=500.0, inertia=(540.0, 2250.0, 2450.0), area=2.05, drag=0.31, lift=(0.06, 0.05)),
    front=FRONT,
    rear=REAR,
    steering=STEERING,
    wheels=(
        Wheels(_tyre("front", 0.84), 18.0, (0.50, 0.90)),
        Wheels(_tyre("rear", 1.0), 18.0, (0.50, 0.90)),
    ),
    powertrain=Powertrain(
        title="2.0 l petrol engine, six gears, rear drive",
        speeds=(700, 1000, 1500, 2000, 2500, 3000, 3500, 4000, 4500, 5000, 5500, 6000, 6500, 7000),
        torques=(110, 145, 172, 188, 198, 206, 212, 216, 216, 212, 204, 192, 172, 130),
        drag=55.0,
        idle=800.0,
        limit=6800.0,
        gears=(3.55, 2.10, 1.46, 1.12, 0.91, 0.76),
        final_drive=3.9,
        upshift=6000.0,
        downshift=2200.0,
        front_share=0.0,
        limited_slip=150.0,
        parts=(
            Part("engine", 135.0, (80.0, 0.0, 430.0), (170.0, 230.0, 210.0), sprung=100.0, single=True),
            Part("gearbox", 45.0, (520.0, 0.0, 330.0), (110.0, 220.0, 220.0), sprung=100.0, single=True),
        ),
    ),
    brakes=Brakes(bias=0.62, areas=(3600.0, 2600.0), friction=(0.4, 0.4), radii=(118.0, 120.0), parking=700.0),
    bars=(
        anti_roll_bar("front", (-190.0, -430.0, 260.0), (-10.0, -630.0, 270.0), (-5.0, -635.0, 195.0), share=0.7),
        anti_roll_bar("rear", (2370.0, -465.0, 260.0), (2550.0, -665.0, 270.0), (2555.0, -670.0, 195.0), share=0.3),
    ),
    roll_gradient=4.3,
    rubber_time=0.006,
)
