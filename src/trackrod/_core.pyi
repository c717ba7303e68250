"""
The C++ core: rotations, tables and tyre models over arrays. All numbers in SI units and radians.
"""

from collections.abc import Sequence
import enum
from typing import Annotated

import numpy
import numpy.typing
from numpy.typing import NDArray


class SpeedHolder:
    """The driver who holds a speed with both pedals (driver/hold_speed.hpp)."""

    def __init__(self) -> None: ...

    def begin(self, wanted: float, speed: float, throttle: float) -> None: ...

    def decide(self, wanted: float, speed: float, interval: float, brakes: bool) -> tuple[float, float]:
        """Positions of throttle and brake until the next decision."""

def quat_exp(phi: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
    """
    Unit quaternions (w, x, y, z), shape (n, 4), of rotation vectors [rad], shape (n, 3).
    """

def quat_log(q: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
    """Rotation vectors [rad] of quaternions, with angles from 0 to pi."""

def quat_conjugate(q: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
    """The inverse rotations: q_BA of q_AB."""

def quat_normalised(q: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
    """Quaternions scaled to unit length."""

def quat_product(q_AB: numpy.typing.ArrayLike, q_BC: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
    """Composition q_AC = q_AB q_BC, row by row."""

def rotate(q_AB: numpy.typing.ArrayLike, p_B: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
    """Components in A of vectors known in B: p_A = R_AB p_B."""

def quat_to_matrix(q_AB: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
    """Rotation matrices R_AB, shape (n, 3, 3)."""

def matrix_to_quat(R_AB: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
    """Quaternions q_AB with w >= 0 of rotation matrices, shape (n, 3, 3)."""

def left_jacobian(phi: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
    """Matrices J with w_AB_A = J d(phi)/dt for R_AB = exp(phi)."""

def right_jacobian(phi: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
    """Matrices J with w_AB_B = J d(phi)/dt for R_AB = exp(phi)."""

def left_jacobian_inverse(phi: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
    """Inverses of left_jacobian, for angles below 2 pi."""

def right_jacobian_inverse(phi: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
    """Inverses of right_jacobian, for angles below 2 pi."""

def matrix_inverse(a: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
    """Inverses of 3x3 matrices, shape (n, 3, 3)."""

def dual_unary(name: str, x: float) -> tuple[float, float, float]:
    """
    Value, first and second derivative at x of a function in dual_unary_names(), as Dual computes them.
    """

def dual_binary(name: str, x: float, y: float) -> tuple[float, float, float]:
    """
    Value and both derivatives at (x, y) of a function in dual_binary_names(), as Dual computes them.
    """

def dual_unary_names() -> list[str]:
    """Functions of one argument that Dual knows."""

def dual_binary_names() -> list[str]:
    """Functions of two arguments that Dual knows."""

class Multibody:
    """
    A multibody model: bodies, elements between them, wheels. Positions are given in the fixed frame at the design position, where all body axes are parallel to it; body -1 is the ground. A curve is a pair (abscissae, ordinates); ([0], [k]) is the rate k.
    """

    def __init__(self) -> None: ...

    def set_driveline(self, speeds: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], throttles: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], torques: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], shares: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], ratios: Sequence[float], upshift: Sequence[float], downshift: Sequence[float], final_drive: float, efficiency: float, shift_time: float, engine_inertia: float, driveline_inertia: float, idle: float, limit: float, clutch_capacity: float, centre: Sequence[float]) -> None: ...

    def add_body(self, mass: float, inertia: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], centre: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int: ...

    def add_pair(self, a: int, b: int, position: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], frame: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], force: Sequence[tuple[Sequence[float], Sequence[float]]], damping: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], preload: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], offset: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rotation: int, torque: Sequence[tuple[Sequence[float], Sequence[float]]], turning_damping: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], torque_preload: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], turn_offset: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], stiffness: float, stiffness_damping: float) -> int: ...

    def set_pair_frames(self, index: int, frame_a: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], frame_b: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None: ...

    def add_line(self, a: int, b: int, end_a: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], end_b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], spring: tuple[Sequence[float], Sequence[float]], compression: float, damper: tuple[Sequence[float], Sequence[float]], bump: tuple[Sequence[float], Sequence[float]], bump_clearance: float, rebound: tuple[Sequence[float], Sequence[float]], rebound_clearance: float) -> int: ...

    def add_torsion(self, a: int, b: int, axis: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], torque: tuple[Sequence[float], Sequence[float]], preload: float, damping: float) -> int: ...

    def add_travel_force(self, a: int, b: int, position: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], direction: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], travel: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], force: tuple[Sequence[float], Sequence[float]]) -> int: ...

    def add_beam(self, a: int, b: int, end_2: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], end_1: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], frame: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], axial: float, bending: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], force: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], moment: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], damping: float) -> int: ...

    def add_drive(self, a: int, b: int, position: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], axis: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], turns: bool, stiffness: float, damping: float) -> int: ...

    def add_joint_motion(self, a: int, b: int, position: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], axis: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], turns: bool) -> int:
        """A joint that gears and assistance may name by the index returned."""

    def add_gear(self, first: int, second: int, ratio: float, stiffness: float, damping: float) -> None:
        """Motion of the first joint = ratio times that of the second."""

    def add_assist(self, first: int, second: int, load: tuple[Sequence[float], Sequence[float]]) -> None:
        """
        A load along the motion of the first joint over the motion of the second.
        """

    def add_actuator(self, a: int, b: int, end_a: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], end_b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int: ...

    def set_sprung(self, body: int) -> None:
        """
        The body whose z axis wheels are steered about, and whose angular acceleration is told.
        """

    def add_wheel(self, body: int, brake_body: int, drive_body: int, axis: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], centre: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], inertia: float) -> int: ...

    def add_tyre(self, model: int, mirrored: bool, coefficients: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], deflection_load: tuple[Sequence[float], Sequence[float]], bottoming: tuple[Sequence[float], Sequence[float]], centre: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], pressure: float) -> int: ...

    def add_air(self, body: int, drag: float, front_lift: float, rear_lift: float, centre: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], front: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rear: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def add_differential(self, left: int, right: int, torque: tuple[Sequence[float], Sequence[float]]) -> None: ...

    def add_profile(self, heights: tuple[Sequence[float], Sequence[float]], tyres: Sequence[int]) -> None: ...

    def set_brakes(self, torques: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Torque of each wheel at full pedal."""

    def set_engine(self, speed: float, gear: int) -> None: ...

    def finish(self) -> None:
        """To be called once, when everything has been added."""

    def set_gravity(self, gravity: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def set_drive(self, drive: int, target: float, rate: float) -> None: ...

    def set_load(self, body: int, force: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], moment: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def set_surface(self, on: RoadFollower | None) -> None:
        """The road from now on; None: a level one again."""

    def set_road(self, tyre: int, point: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], normal: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], speed: float, mu: float) -> None: ...

    def set_friction(self, mu: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def set_wheel(self, wheel: int, drive_torque: float, brake_torque: float) -> None: ...

    def poses(self) -> Annotated[NDArray[numpy.float64], dict(order='C')]:
        """Rows x, y, z, and the quaternion w, x, y, z of each body."""

    def twists(self) -> Annotated[NDArray[numpy.float64], dict(order='C')]:
        """Rows of velocity and angular velocity in body axes of each body."""

    def spins(self) -> Annotated[NDArray[numpy.float64], dict(order='C')]: ...

    def set_poses(self, poses: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None: ...

    def set_twists(self, twists: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None: ...

    def set_spins(self, spins: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def state(self) -> Annotated[NDArray[numpy.float64], dict(order='C')]:
        """
        All numbers of the state and of lasting inputs, in the order of trackrod.multibody.layout.
        """

    def set_state(self, numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Go on from a state that state() gave."""

    def reset(self) -> None:
        """Back to the design position, at rest."""

    def set_down(self, chassis: int, road: float) -> None:
        """
        Lower and pitch a vehicle until its tyres carry the axle loads; its wheels are fl, fr, rl, rr.
        """

    def solve_statics(self, most_iterations: int, tolerance: float, longest_step: float, held: int = -1) -> tuple[bool, int, float, float]:
        """
        Newton's method; returns (converged, iterations, residual, change). `held` is a body that keeps its x, y and yaw because nothing else holds the model in the plane.
        """

    def linearise(self) -> tuple[Annotated[NDArray[numpy.float64], dict(order='C')], Annotated[NDArray[numpy.float64], dict(order='C')]]:
        """
        Stiffness and damping by displacements (in E) and rotations (in body axes) of all bodies, at rest.
        """

    def sweep(self, targets: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], most_iterations: int, tolerance: float, longest_step: float) -> tuple[Annotated[NDArray[numpy.float64], dict(order='C')], Annotated[NDArray[numpy.float64], dict(order='C')], Annotated[NDArray[numpy.float64], dict(order='C')], Annotated[NDArray[numpy.float64], dict(order='C')], list[bool]]:
        """
        Statics over rows of drive targets: (poses, drive forces, line lengths, tyre loads, converged).
        """

    def step(self, h: float, iterations: int, count: int) -> float:
        """
        Implicit Euler steps; the largest change of a velocity in the last Newton iteration of any.
        """

    def run(self, h: float, iterations: int, every: int, targets: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], pedals: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], heights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], at_wheels: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(order='C')], Annotated[NDArray[numpy.float64], dict(order='C')], Annotated[NDArray[numpy.float64], dict(order='C')], Annotated[NDArray[numpy.float64], dict(order='C')], Annotated[NDArray[numpy.float64], dict(order='C')], Annotated[NDArray[numpy.float64], dict(order='C')], Annotated[NDArray[numpy.float64], dict(order='C')], Annotated[NDArray[numpy.float64], dict(order='C')], int, float]:
        """
        Steps under inputs: (time, poses, twists, spins, tyre forces, drive forces, [length, rate] of actuators, [position, velocity and acceleration of the centre of gravity, engine speed, gear, clutch torque, angular acceleration of the sprung body], states kept, seconds).
        """

    def line_lengths(self) -> Annotated[NDArray[numpy.float64], dict(order='C')]: ...

    def tyre_forces(self) -> Annotated[NDArray[numpy.float64], dict(order='C')]:
        """
        Rows Fx, Fy, Fz, Mx, My, Mz, kappa, alpha, gamma, deflection of each tyre.
        """

    def drive_forces(self) -> Annotated[NDArray[numpy.float64], dict(order='C')]: ...

    def data(self) -> bytes:
        """What it was built from, for `MultibodyData`."""

    @property
    def body_count(self) -> int: ...

    @property
    def block_count(self) -> int: ...

class MultibodyData:
    """A multibody vehicle as plain data, for programs without Python."""

    def __init__(self, data: bytes) -> None: ...

    def set_vehicle(self, name: str, body_names: Sequence[str], chassis: int, rear: int, rack_drive: int, steering_wheel_drive: int, ratio: float, brake_pressure: float, stand_ins: Sequence[float]) -> None: ...

    def add_column(self, a: int, b: int, position: tuple[float, float, float], axis: tuple[float, float, float], turns: bool) -> None: ...

    def set_hinge(self, a: int, b: int, position: tuple[float, float, float], axis: tuple[float, float, float]) -> None: ...

    def add_part(self, body: int, mass: float, centre: tuple[float, float, float], inertia: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], payload: bool, node: int) -> int: ...

    def set_rotors(self, parts: Sequence[Sequence[int]], smallest_mass: float, smallest_inertia: float) -> None: ...

    def add_point(self, name: str, position: tuple[float, float, float]) -> int: ...

    def add_node(self, kind: int, operands: Sequence[int], value: tuple[float, float, float]) -> int: ...

    def add_link(self, target: int, element: int, slot: int, node: int, second: int) -> int: ...

    def add_parameter(self, name: str, meaning: str, kind: int, element: int, slot: int, value: float, low: float, high: float) -> int: ...

    @property
    def parameters(self) -> list[tuple[str, str, float, float, float]]:
        """Name, meaning, value, low, high of each."""

    def properties(self) -> dict[str, str]:
        """Texts of the files by which force laws may be replaced."""

    def bytes(self) -> bytes:
        """The file."""

    def numbers(self, values: Sequence[float]) -> Annotated[NDArray[numpy.float64], dict(order='C')]:
        """All numbers of the mechanism with these values of the parameters."""

class RoadVehicle:
    """A multibody vehicle on the road, from its data file alone."""

    def __init__(self, data: bytes, values: Sequence[float]) -> None: ...

    def settle(self, road: float) -> str:
        """Its equilibrium; what is wrong in words, or nothing."""

    def start(self, speed: float, gear: int) -> str: ...

    def run(self, h: float, controls: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(order='C')]:
        """Signals after every step."""

    def state(self) -> Annotated[NDArray[numpy.float64], dict(order='C')]: ...

    def set_state(self, numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

def usual_iterations(h: float) -> int:
    """Newton iterations that a step of this length [s] needs."""

class QuarterCar:
    """A quarter car with one equivalent link; see trackrod.reduce."""

    def __init__(self, corner: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], curves: Sequence[tuple[Sequence[float], Sequence[float]]]) -> None: ...

    def drive(self, parameters: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], h: float, loads: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], recorded: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], strength: float, gains: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], derivatives: bool) -> tuple[Annotated[NDArray[numpy.float64], dict(order='C')], int, Annotated[NDArray[numpy.float64], dict(order='C')]]:
        """
        Position, velocity and acceleration of the wheel (n, 3), steps done, derivatives by the parameters.
        """

    def geometry(self, z: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(order='C')]:
        """Functions of the position with two derivatives (n, 6, 3)."""

    def preload(self, parameters: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
        """Force of the spring at ride height [N]."""

    def energy(self, parameters: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], z: float, v: float) -> float:
        """Kinetic, spring's and weight's [J]."""

    @staticmethod
    def damper(parameters: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], speeds: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(order='C')]:
        """Force [N] over speed of compression."""

class PostVehicle:
    """A vehicle of four quarter cars on posts; see trackrod.reduce.vehicle."""

    def __init__(self, body: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], momentum: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None: ...

    def add_corner(self, car: QuarterCar, parameters: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], tyre: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], loads: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def drive(self, h: float, posts: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], speed: float) -> tuple[Annotated[NDArray[numpy.float64], dict(order='C')], int]:
        """Signals of Vehicle::write at every step; steps done."""

class RealTimeRun:
    """A model in step with the clock."""

    @staticmethod
    def of_multibody(data: bytes, road: float, speed: float) -> RealTimeRun: ...

    @staticmethod
    def of_rtm(block: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], parameters: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], state: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], pressure: float) -> RealTimeRun: ...

    def listen(self, port: int, silence: float) -> int:
        """The port, chosen if 0 is given."""

    def step(self, h: float) -> bool:
        """One step without a clock."""

    def run(self, h: float, steps: int, script: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], priority: bool) -> tuple[Annotated[NDArray[numpy.float64], dict(order='C')], Annotated[NDArray[numpy.float64], dict(order='C')], bool, bool]:
        """
        Steps in step with the clock: (turnaround of each, lateness of each, memory locked, priority given).
        """

    def signals(self) -> Annotated[NDArray[numpy.float64], dict(order='C')]: ...

    def heard(self) -> tuple[int, int, int, bool]:
        """
        Datagrams that were taken, malformed, late; whether the client is silent.
        """

class RoadSurface:
    """A road as a curved regular grid; see trackrod.road."""

    def __init__(self, start_u: float, increment: float, origin: tuple[float, float], headings: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], line_heights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], banking: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sections: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], heights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], friction: tuple[float, float], patches: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], approach: float) -> None: ...

    def height_at(self, x: float, y: float) -> float:
        """Height [m] of a place of the road's own axes."""

class RoadFollower:
    """A road that lies in E, under the tyres of a vehicle."""

    def __init__(self, surface: RoadSurface, shapes: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], x: float, y: float, height: float, yaw: float, friction: float) -> None: ...

    def under(self, tyre: int, place: tuple[float, float], ahead: tuple[float, float]) -> tuple[float, float, float, float]:
        """Height, slopes along x and y of E, and friction under a wheel centre."""

    def at(self, x: float, y: float) -> tuple[float, float]:
        """u and v of a place of E [m]."""

def rtm_sizes() -> tuple[int, int, int, int, int]:
    """
    Numbers of a state, of inputs, of outputs, of a row of a run without tyres, of a tyre in it.
    """

class Rtm:
    """
    The real-time model. Parameters are in the order of trackrod.rtm.coefficients; wheels fl, fr, rl, rr. States, inputs and rows of runs are laid out as trackrod.rtm.layout says.
    """

    def __init__(self, parameters: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def set_driveline(self, speeds: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], throttles: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], torques: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], shares: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], ratios: Sequence[float], upshift: Sequence[float], downshift: Sequence[float], final_drive: float, efficiency: float, shift_time: float, engine_inertia: float, driveline_inertia: float, idle: float, limit: float, clutch_capacity: float, centre: Sequence[float]) -> None: ...

    def set_parameters(self, parameters: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def set_wheel(self, wheel: int, centre: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], spring: tuple[Sequence[float], Sequence[float]], stops: tuple[Sequence[float], Sequence[float]], damper: tuple[Sequence[float], Sequence[float]], by_rack: tuple[Sequence[float], Sequence[float]], bump_base: float, rebound_base: float) -> None: ...

    def set_roll_kinematics(self, wheel: int, opposite: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None: ...

    def set_compliance(self, wheel: int, load: int, knots: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], own: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], opposite_knots: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], opposite: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None: ...

    def set_axle(self, axle: int, steered: bool, drive_on_carrier: bool, roll: tuple[Sequence[float], Sequence[float]], antiroll: tuple[Sequence[float], Sequence[float]], lever: tuple[Sequence[float], Sequence[float]]) -> None: ...

    def add_tyre(self, wheel: int, model: int, mirrored: bool, coefficients: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], deflection_load: tuple[Sequence[float], Sequence[float]], bottoming: tuple[Sequence[float], Sequence[float]], offset: float, pressure: float) -> None: ...

    def set_elasticity(self, axle: int, numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def add_stiff_bushing(self, axle: int, loads: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], standing: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], pose: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], forces: tuple[float, float], strain: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def set_differential(self, axle: int, torque: tuple[Sequence[float], Sequence[float]]) -> None: ...

    def set_steering(self, numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], torsion_bar: tuple[Sequence[float], Sequence[float]], column: tuple[Sequence[float], Sequence[float]], torques: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], speeds: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], forces: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """
        Elastic steering: steering wheel, pinion and rack on a torsion bar, with assistance over its torque and the speed.
        """

    def steer_by_torque(self, torque: bool) -> None:
        """
        Whether the first column of controls is the torque at the steering wheel instead of its angle.
        """

    def set_force(self, force: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], point: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Constant force on the body in E at a point of V."""

    def set_down(self, direction: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Direction of gravity in E, a unit vector."""

    def set_frame(self, axis: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], centre: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], mass: float, inertia: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """
        A frame that twists: a point of its axis, centre, mass and inertia of its rear half, in V.
        """

    def set_road(self, height: float) -> None: ...

    def set_surface(self, on: RoadFollower | None) -> None:
        """The road from now on; None: a level one again."""

    def set_friction(self, mu: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def set_lag(self, seconds: float) -> None: ...

    def block(self) -> Annotated[NDArray[numpy.float64], dict(order='C')]:
        """The compiled model as one flat block of numbers."""

    def state(self) -> Annotated[NDArray[numpy.float64], dict(order='C')]:
        """
        All numbers of the state and of the inputs, in the order of trackrod.rtm.layout.
        """

    def set_state(self, numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Go on from a state that state() gave."""

    def reset(self) -> None: ...

    def start(self, speed: float, spins: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], engine_speed: float, gear: int) -> None: ...

    def keep_start(self) -> None:
        """Remember the present state as that from which derivatives are taken."""

    def run(self, h: float, every: int, controls: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], heights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(order='C')], float]:
        """
        Rows of controls (steering-wheel angle, throttle, brake, gear, what assistance systems do at the wheels, the environment) to rows of states, and the seconds spent.
        """

    def derivatives(self, h: float, every: int, controls: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], heights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], seeds: Sequence[int]) -> tuple[Annotated[NDArray[numpy.float64], dict(order='C')], Annotated[NDArray[numpy.float64], dict(order='C')]]: ...

    def settle(self, h: float, steps: int, along: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], held: bool) -> float:
        """
        Come to rest, held by the brakes or free to roll, with derivatives along directions of the parameters, one in each row; the velocity left.
        """

    def drive(self, h: float, every: int, lead: int, speed: float, spins: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], engine_speed: float, gear: int, throttle: float, controls: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], guide: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], strength: float, with_slopes: bool) -> tuple[Annotated[NDArray[numpy.float64], dict(order='C')], Annotated[NDArray[numpy.float64], dict(order='C')]]:
        """
        Rows of the driver's three inputs and the states, and their derivatives along the directions of settle(), of a script driven from the settled state; a fifth column of the controls is a speed to hold. Safe to be called by several threads.
        """

    def rig(self, targets: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(order='C')]:
        """
        The model on the K&C rig: rows of travels (4), rack and loads (load x wheel) to the channels of the pose and the pad load of each wheel.
        """

    @property
    def column_count(self) -> int: ...

def constants() -> dict[str, float]:
    """
    The constants of trackrod.core.constants that this module was built with.
    """

class Interpolation(enum.Enum):
    """How a table runs between its knots."""

    linear = 0
    """Straight lines."""

    parabolic = 1
    """
    Cubic, with slopes of the parabola through three neighbours: exact for parabolas.
    """

    pchip = 2
    """Cubic without overshoot: monotone where the data are."""

    akima = 3
    """Cubic, follows curved data closely, little influenced by outliers."""

    makima = 4
    """Akima with modified weights: less overshoot beside flat stretches."""

class Extrapolation(enum.Enum):
    """How a table continues beyond its first and last knot."""

    linear = 0
    """With the slope it has there."""

    constant = 1
    """With the value it has there; the slope is 0 outside."""

class Table1D:
    """
    A function of one variable given at knots, with its derivatives.

    ValueError names every fault of knots (finite, strictly increasing, two or more) and values.
    """

    def __init__(self, knots: numpy.typing.ArrayLike, values: numpy.typing.ArrayLike, interpolation: Interpolation = Interpolation.pchip, extrapolation: Extrapolation = Extrapolation.linear) -> None: ...

    def evaluate(self, x: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
        """Values at x, of any shape; NaN where x is NaN."""

    def sample(self, x: numpy.typing.ArrayLike) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]:
        """Values, slopes and curvatures at x, of any shape."""

    @property
    def knots(self) -> numpy.typing.NDArray[numpy.float64]:
        """Knots; read-only."""

    @property
    def values(self) -> numpy.typing.NDArray[numpy.float64]:
        """Values at the knots; read-only."""

    @property
    def slopes(self) -> numpy.typing.NDArray[numpy.float64] | None:
        """Slopes at the knots, None for a linear table; read-only."""

    @property
    def interpolation(self) -> Interpolation:
        """Rule between the knots."""

    @property
    def extrapolation(self) -> Extrapolation:
        """Rule beyond the knots."""

class Table2D:
    """
    Functions of two variables given on a rectangular grid, with their derivatives.

    values has the shape (x knots, y knots), or (x knots, y knots, channels) for several at once.
    ValueError names every fault of knots (finite, strictly increasing, two or more) and values.
    """

    def __init__(self, x_knots: numpy.typing.ArrayLike, y_knots: numpy.typing.ArrayLike, values: numpy.typing.ArrayLike, interpolation: Interpolation = Interpolation.pchip, extrapolation: Extrapolation = Extrapolation.linear) -> None: ...

    def evaluate(self, x: numpy.typing.ArrayLike, y: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
        """
        Values at x, y of shapes that broadcast; channels are the last dimension of the result.
        """

    def sample(self, x: numpy.typing.ArrayLike, y: numpy.typing.ArrayLike) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]:
        """Values, derivatives by x and derivatives by y."""

    @property
    def x_knots(self) -> numpy.typing.NDArray[numpy.float64]:
        """Knots along x; read-only."""

    @property
    def y_knots(self) -> numpy.typing.NDArray[numpy.float64]:
        """Knots along y; read-only."""

    @property
    def values(self) -> numpy.typing.NDArray[numpy.float64]:
        """Values on the grid; read-only."""

    @property
    def slopes(self) -> numpy.typing.NDArray[numpy.float64] | None:
        """
        Slopes on the grid, shape (x knots, y knots, 3, channels): by x, by y, by both; None for a linear table.
        """

    @property
    def interpolation(self) -> Interpolation:
        """Rule between the knots."""

    @property
    def extrapolation(self) -> Extrapolation:
        """Rule beyond the knots."""

def comma_separated(table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> bytes:
    """
    Rows of numbers as text: commas between them, a line for each row, every number as repr() writes it.
    """

class Tyre:
    """A tyre model compiled from its coefficients; see trackrod.tyre.Tyre."""

    def __init__(self, model: int, mirrored: bool, coefficients: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], deflection: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], load: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], bottoming_deflection: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], bottoming_load: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def evaluate(self, points: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], limits: bool, threads: int) -> Annotated[NDArray[numpy.float64], dict(order='C')]: ...

    def derivatives(self, points: numpy.typing.NDArray[numpy.float64], seeds: Sequence[int], limits: bool, threads: int) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]: ...

    def radii(self, points: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(order='C')]: ...

    def rolling_speed(self, points: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(order='C')]: ...

    def vertical_force(self, points: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(order='C')]: ...

    def deflection(self, points: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(order='C')]: ...

    def transient(self, motion: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], h: float, low_speed: float) -> Annotated[NDArray[numpy.float64], dict(order='C')]: ...

    def time_evaluation(self, points: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], repeats: int) -> float: ...

    def time_single_evaluation(self, points: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], repeats: int) -> float: ...

    def time_derivatives(self, points: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], repeats: int) -> float: ...

def warp(first: object, second: object, band: int, slant: float = 0.0, slopes: object | None = None) -> tuple[Annotated[NDArray[numpy.int64], dict(order='C')], Annotated[NDArray[numpy.int64], dict(order='C')], float]:
    """
    Indices into both curves along the cheapest way, |i - j| < band, and its cost: the sum of squared differences,
    or with slopes the sum of (difference² + (slant (i - j))²) times the difference of the slopes.
    """

def instructions() -> str:
    """The instructions that steps of the real-time model use."""

def use_instructions(name: str) -> bool:
    """
    Use these instructions from now on; false where they are not known, or not on this machine.
    """

def sources() -> dict[str, str]:
    """By name: hash of the C++ sources behind it."""
