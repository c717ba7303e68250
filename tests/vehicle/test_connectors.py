"""Connectors: what they refuse, their design position, and the section of a beam against the theory of elasticity."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from trackrod.core.errors import RangeError
from trackrod.core.quantities import KINDS
from trackrod.vehicle.characteristics import (
    BushingCharacteristic,
    Characteristic,
    DamperCharacteristic,
    SpringCharacteristic,
    StopCharacteristic,
)
from trackrod.vehicle.connectors import Beam, BeamSection, Bushing, Damper, Gear, Spring, Stop, TorsionSpring
from trackrod.vehicle.elements import Mode

LENGTH, FORCE, ANGLE, TORQUE, SPEED = (KINDS[name] for name in ("length", "force", "angle", "torque", "velocity"))
STRAIGHT = Characteristic.linear(1e5, 0.1, LENGTH, FORCE)
TWIST = Characteristic.linear(100.0, 1.0, ANGLE, TORQUE)
COIL = SpringCharacteristic(STRAIGHT, 0.35)
VISCOUS = DamperCharacteristic(Characteristic.linear(1500.0, 1.0, SPEED, FORCE))
RUBBER = BushingCharacteristic((STRAIGHT,) * 3 + (TWIST,) * 3, (0.0,) * 6)
BUFFER = StopCharacteristic(Characteristic(np.array([0.0, 0.05]), np.array([0.0, 8e3]), LENGTH, FORCE))
SECTION = BeamSection(1e7, 1e3, 2e3, 3e3)
BODIES = ("a", "b")
ORIGIN, UP = (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)
ENDS = (ORIGIN, (0.0, 0.3, 0.4))
NAN, INF = math.nan, math.inf

CONNECTORS: dict[type, dict[str, Any]] = {
    Bushing: {"name": "c", "bodies": BODIES, "position": ORIGIN, "characteristic": RUBBER},
    Spring: {"name": "c", "bodies": BODIES, "ends": ENDS, "characteristic": COIL, "installed_length": 0.3},
    Damper: {"name": "c", "bodies": BODIES, "ends": ENDS, "characteristic": VISCOUS},
    Stop: {"name": "c", "bodies": BODIES, "ends": ENDS, "characteristic": BUFFER, "clearance": -0.01},
    TorsionSpring: {"name": "c", "bodies": BODIES, "position": ORIGIN, "axis": UP, "curve": TWIST},
    Beam: {"name": "c", "bodies": BODIES, "ends": ENDS, "section": SECTION, "up": UP},
    Gear: {"name": "c", "joints": BODIES, "ratio": -2.0},
}


# --------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("kind", "changes", "says"),
    [
        *(
            (kind, {"bodies": ("a", "a")}, "'c' joins 'a' with itself")
            for kind in (Bushing, Spring, Damper, Stop, TorsionSpring, Beam)
        ),
        *((kind, {"ends": (ORIGIN, (0.0, 0.0, 1e-7))}, "coincide") for kind in (Spring, Damper, Stop, Beam)),
        *((kind, {"ends": (ORIGIN, (0.0, INF, 1.0))}, "is not finite") for kind in (Spring, Damper, Stop, Beam)),
        *((kind, {"position": (0.0, NAN, 0.0)}, "is not finite") for kind in (Bushing, TorsionSpring)),
        (
            Bushing,
            {"axes": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, -1.0))},
            "are not orthogonal and right-handed",
        ),
        (Bushing, {"axes": ((1.0, 0.1, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))}, "are not orthogonal"),
        (Bushing, {"axes": ((1e308, 0.0, 0.0), (0.0, 1e308, 0.0), (0.0, 0.0, 1.0))}, "are not orthogonal"),
        (Bushing, {"axes": ((NAN, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))}, "are not orthogonal"),
        (Bushing, {"preload": (0.0, 0.0, 0.0, 0.0, 0.0, INF)}, "is not finite"),
        (Bushing, {"offset": (NAN, 0.0, 0.0, 0.0, 0.0, 0.0)}, "is not finite"),
        (Spring, {"installed_length": 0.0}, "installed_length = 0 must be finite and greater than zero"),
        (Spring, {"installed_length": NAN}, "installed_length = nan must be"),
        (Stop, {"clearance": INF}, "a number of stop 'c' is not finite"),
        (TorsionSpring, {"axis": (0.0, 0.0, 2.0)}, "the axis of torsion spring 'c' has length 2"),
        (TorsionSpring, {"curve": STRAIGHT}, "is a curve of torque over angle, not of force over length"),
        (TorsionSpring, {"preload": NAN}, "is not finite"),
        (TorsionSpring, {"damping": INF}, "is not finite"),
        (Beam, {"up": (0.0, 0.6, 0.8)}, "the z axis of beam 'c' lies along the beam"),
        (Beam, {"up": (0.0, 0.0, 0.5)}, "the z axis of beam 'c' has length 0.5"),
        (Beam, {"preload": (NAN, 0.0, 0.0, 0.0, 0.0, 0.0)}, "is not finite"),
        (Beam, {"damping": NAN}, "is not finite"),
        (Gear, {"ratio": 0.0}, "the ratio of gear 'c' is zero"),
        (Gear, {"ratio": INF}, "a number of gear 'c' is not finite"),
    ],
)
def test_what_cannot_be_is_refused(kind: type, changes: dict[str, Any], says: str) -> None:
    kind(**CONNECTORS[kind])
    with pytest.raises(RangeError) as raised:
        kind(**{**CONNECTORS[kind], **changes})
    assert says in str(raised.value)


def test_all_problems_are_named_at_once() -> None:
    with pytest.raises(RangeError) as raised:
        Spring("c", ("a", "a"), ((0.0, NAN, 0.0), ORIGIN), COIL, -1.0)
    assert len(raised.value.problems) == 3


# --------------------------------------------------------------------------------------------- design position


def test_lengths_at_the_design_position() -> None:
    """3, 4, 5; the force of a spring follows from its installed length, wherever its seats are drawn."""
    for kind in (Spring, Damper, Stop):
        assert kind(**CONNECTORS[kind]).design_length == pytest.approx(0.5, rel=1e-15)
    assert Beam(**CONNECTORS[Beam]).length == pytest.approx(0.5, rel=1e-15)
    moved = {**CONNECTORS[Spring], "ends": (ORIGIN, (0.0, 0.0, 2.0))}
    for spring in (Spring(**CONNECTORS[Spring]), Spring(**moved)):
        assert spring.design_compression == pytest.approx(0.05, rel=1e-12)


def test_when_they_act() -> None:
    """Bushings only where there are no ideal joints, the others always."""
    for kind, arguments in CONNECTORS.items():
        if kind is not Gear:
            assert kind(**arguments).mode is (Mode.COMPLIANT if kind is Bushing else Mode.ALWAYS)


# ------------------------------------------------------------------------------------------------------- beams


def torsion_constant(long: float, short: float) -> float:
    """St Venant's series for a rectangle (Timoshenko and Goodier, Theory of Elasticity, section 109) [m⁴]."""
    n = np.arange(1, 200, 2)
    series = np.sum(np.tanh(n * math.pi * long / (2 * short)) / n**5)
    return long * short**3 / 3 * (1 - 192 / math.pi**5 * short / long * float(series))


def test_the_series_has_the_known_value_of_a_square() -> None:
    assert torsion_constant(1.0, 1.0) == pytest.approx(0.140577, abs=1e-6)


@given(width=st.floats(1e-3, 0.3), thickness=st.floats(1e-3, 0.3))
def test_torsion_of_a_rectangle(width: float, thickness: float) -> None:
    section = BeamSection.rectangle(width, thickness, 2.1e11, 8e10)
    exact = torsion_constant(max(width, thickness), min(width, thickness))
    flat = min(width, thickness) <= 0.5 * max(width, thickness)
    assert section.torsional == pytest.approx(8e10 * exact, rel=1e-3 if flat else 5e-3)


@given(width=st.floats(1e-3, 0.3), thickness=st.floats(1e-3, 0.3))
def test_bending_and_tension_of_a_rectangle(width: float, thickness: float) -> None:
    """Second moments as integrals of z² and y² over the section, by Gauss's rule, which is exact for them."""
    section = BeamSection.rectangle(width, thickness, 2.1e11, 8e10)
    points, weights = np.polynomial.legendre.leggauss(2)
    second_moment_z = width * float(weights @ (points * thickness / 2) ** 2) * thickness / 2
    second_moment_y = thickness * float(weights @ (points * width / 2) ** 2) * width / 2
    assert section.bending_y == pytest.approx(2.1e11 * second_moment_z, rel=1e-12)  # about y: z² counts
    assert section.bending_z == pytest.approx(2.1e11 * second_moment_y, rel=1e-12)
    assert section.axial == pytest.approx(2.1e11 * width * thickness, rel=1e-12)
    turned = BeamSection.rectangle(thickness, width, 2.1e11, 8e10)
    assert (turned.bending_y, turned.bending_z) == pytest.approx((section.bending_z, section.bending_y), rel=1e-12)
    assert turned.torsional == section.torsional


@pytest.mark.parametrize("name", ["axial", "torsional", "bending_y", "bending_z"])
@pytest.mark.parametrize("value", [0.0, -1.0, NAN, INF])
def test_a_section_without_stiffness_is_refused(name: str, value: float) -> None:
    good = {"axial": 1e7, "torsional": 1e3, "bending_y": 2e3, "bending_z": 3e3}
    with pytest.raises(RangeError, match=f"{name} = .* must be finite and greater than zero"):
        BeamSection(**{**good, name: value})


coordinates = st.tuples(*(st.floats(-2.0, 2.0) for _ in range(3)))


@given(first=coordinates, second=coordinates, up=coordinates)
def test_axes_of_a_beam(first: Any, second: Any, up: Any) -> None:
    """A right-handed frame: x along the beam, z in the plane of x and `up`, on the side of `up`."""
    length, height = math.dist(first, second), math.hypot(*up)
    assume(length > 1e-2 and height > 1e-2)
    up = tuple(value / height for value in up)
    assume(np.linalg.norm(np.cross(np.subtract(second, first), up)) > 1e-2 * length)
    axes = np.array(Beam("c", BODIES, (first, second), SECTION, up).axes)
    x, y, z = axes.T
    assert axes @ axes.T == pytest.approx(np.eye(3), abs=1e-9)
    assert np.linalg.det(axes) == pytest.approx(1.0)
    assert x * length == pytest.approx(np.subtract(second, first), abs=1e-12)
    assert z @ up > 0
    assert y @ np.array(up) == pytest.approx(0.0, abs=1e-9)


def test_axes_of_a_beam_along_the_vehicle_are_those_of_the_vehicle() -> None:
    assert Beam("c", BODIES, (ORIGIN, (1.0, 0.0, 0.0)), SECTION).axes == ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    assert Beam("c", BODIES, (ORIGIN, (0.0, 1.0, 0.0)), SECTION).axes == ((0, -1, 0), (1, 0, 0), (0, 0, 1))
