"""
The C++ core: rotations, tables and tyre models over arrays. All numbers in SI units and radians.
"""

from collections.abc import Sequence
import enum
from typing import Annotated

import numpy
import numpy.typing
from numpy.typing import NDArray


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
