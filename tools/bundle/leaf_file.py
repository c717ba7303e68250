"""Leaf spring files (.ltf): ruled sections of lines ``value = label``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tools.bundle.sheet import Leaf, Point

__all__ = ["leaf_text"]

_RULE = "=" * 80
_LINE = "-" * 80
_CONTACT = (
    (0.1, "Frictional Coefficient"),
    (1.1, "Impact Exponent"),
    (1.0, "Impact Distance"),
    (100000.0, "Impact Stiffness"),
    (20.0, "Impact Damping Coefficient"),
    (0.1, "Impact Boundary Penetration"),
)
_BUSHINGS = {
    "Front Leaf Eye Bushing   1-2": (9000.0, 9000.0, 2500.0, 2.5e6, 2.5e6, 1.0e5),
    "Leaf Spring to Shackle   7-8": (8000.0, 8000.0, 2000.0, 2.0e6, 2.0e6, 8.0e4),
    "Shackle to Frame       20-21": (8000.0, 8000.0, 2000.0, 2.0e6, 2.0e6, 8.0e4),
    "Leaf-to-Leaf Bushing     1-1": (5000.0, 5000.0, 5000.0, 1.0e6, 1.0e6, 1.0e6),
}
_DAMPING_TIME = 1e-3  # damping over rate of the bushings [s]
_ELEMENTS = 6


def leaf_text(leaf: Leaf, points: Mapping[str, Point], title: str) -> str:
    """The file of a leaf spring, in mm, N, kg, s and degrees."""
    lines = [
        _RULE,
        "LEAF_SPRING_TEMPLATE",
        *_section("UNITS"),
        *(f"{name:<8} =  {word}" for name, word in _UNITS),
        *_section("TITLE"),
        "",
        title,
        *_section("GENERAL INFORMATION"),
        *_entries(((len(leaf.leaves), "No. of Leaves"), *_CONTACT, ("LINEAR", "Beam Formulation"))),
        *_section("SUSPENSION BRACKET ATTACHMENT POINT"),
        *_brackets(leaf, points),
        *_section("AXLE INFORMATION"),
        *_entries(_axle(leaf)),
        *_section("SHACKLE INFORMATION"),
        *_entries(_shackle(leaf)),
        *_section("LEAF EYEHOOK INFORMATION"),
        *_entries(_EYES),
        *_section("CLIP INFORMATION"),
        *_entries(((0, "No. of clips"),)),
        *_section("BUSHING INFORMATION"),
        *_bushings("RATES", 1.0),
        "",
        *_bushings("DAMPING", _DAMPING_TIME),
    ]
    for number, one in enumerate(leaf.leaves, 1):
        lines += [*_section(f"LEAF # {number}"), *_entries(_leaf(leaf, number, one)), "", *_profile(one), ""]
    return "\n".join(lines)


_UNITS = (("LENGTH", "mm"), ("MASS", "kilogram"), ("FORCE", "newton"), ("TIME", "second"), ("ANGLE", "degree"))
_EYES = (
    (40.0, "Front Eyehook Inner Diameter (mm)"),
    (40.0, "Rear Eyehook Inner Diameter (mm)"),
    ("UPTURNED", "Front Eyehook Shape"),
    ("UPTURNED", "Rear Eyehook Shape"),
)


def _section(name: str) -> list[str]:
    return ["", _RULE, name, _LINE]


def _entries(entries: Iterable[tuple[object, str]]) -> list[str]:
    return [f"{value!s:<12}= {label}" for value, label in entries]


def _brackets(leaf: Leaf, points: Mapping[str, Point]) -> list[str]:
    header = "GEOMETRY HARDPOINT             X         Y         Z         X         Y         Z"
    rows = [header, "-" * 26 + "   " + "-" * 28 + "  " + "-" * 28]
    for name, point in zip(("Front Leaf Eye Bushing   1-2", "Shackle to Frame       20-21"), leaf.points, strict=True):
        x, y, z = points[point]
        rows.append(f"{name} {x:>9.1f} {y:>9.1f} {z:>9.1f} {x:>9.1f} {-y:>9.1f} {z:>9.1f}")
    return [*rows, ""]


def _axle(leaf: Leaf) -> tuple[tuple[object, str], ...]:
    return (
        (0.0, "Extra Mass on the Dummy Axle"),
        (0.0, "Reference Marker to Leafpack"),
        (leaf.inactive, "Front Inactive Length (mm)"),
        (leaf.inactive, "Rear Inactive Length (mm)"),
        (0.0, "Reference Marker Height at Design Load"),
        ("OVERSLUNG", "Axle Mount Type"),
        (0.0, "Rise to Curb (mm)"),
    )


def _shackle(leaf: Leaf) -> tuple[tuple[object, str], ...]:
    return (
        (leaf.shackle, "Shackle Length"),
        (1.2, "Shackle Mass (kg)"),
        (500.0, "Shackle Inertia: Ixx (kg*mm**2)"),
        (1500.0, "Shackle Inertia: Iyy (kg*mm**2)"),
        (1500.0, "Shackle Inertia: Izz (kg*mm**2)"),
        ("REAR", "Shackle Location (FRONT or REAR)"),
        ("COMPRESSION", "Shackle Position (COMPRESSION or TENSION)"),
    )


def _bushings(kind: str, factor: float) -> list[str]:
    header = f"{f'BUSHINGS ({kind})':<30} (X)      (Y)      (Z)        (X)         (Y)         (Z)"
    rows = [header, "-" * 28 + "  " + "-" * 26 + "  " + "-" * 34]
    for name, rates in _BUSHINGS.items():
        moved, turned = rates[:3], rates[3:]
        cells = [f"{rate * factor:>8.1f}" for rate in moved] + [f"{rate * factor:>11.1f}" for rate in turned]
        rows.append(f"{name} {' '.join(cells)}")
    return [*rows, ""]


def _leaf(leaf: Leaf, number: int, one: Point) -> list[tuple[object, str]]:
    front, rear, thickness = one
    further: list[tuple[object, str]] = [
        (0, "Auxiliary Leaf Flag"),
        (2, "No. of Front Contact Points"),
        (2, "No. of Rear Contact Points"),
        (0.0, "Center Gap Distance (mm)"),
        (0.0, "Front Gap Distance (mm)"),
        (0.0, "Rear Gap Distance (mm)"),
    ]
    return [
        *(further if number > 1 else []),
        (front, "Front Leaf Length (mm)"),
        (rear, "Rear Leaf Length (mm)"),
        (_ELEMENTS, "No. of Elements per Front Leaf"),
        (_ELEMENTS, "No. of Elements per Rear Leaf"),
        (thickness, "Seat (Leaf Center) Thickness (mm)"),
        (leaf.width, "Seat (Leaf Center) Width (mm)"),
        (leaf.modulus, "Material Properties: Emod"),
        (leaf.shear_modulus, "Material Properties: Gmod"),
        (leaf.density, "Material Properties: Density (kg/mm**3)"),
        (0.1, "Material Properties: Damping"),
        (1.2, "ASY"),
        (1.2, "ASZ"),
        (0, "Leaf Profile to Copy (0 if data is included below)"),
        *([(1, "1, if every point is to be used for fitting")] if number == 1 else []),
        (round(-(number - 1) * thickness, 3), "Z-offset leaf"),
    ]


def _profile(one: Point) -> list[str]:
    """A flat leaf of constant thickness: laden, it lies straight."""
    front, rear, thickness = one
    rows = ["          X             Z         Thickness", "     -----------   -----------   -----------"]
    rows += [f"{x:>16.1f}{0.0:>14.1f}{thickness:>14.1f}" for x in (-front, -front / 2, 0.0, rear / 2, rear)]
    return rows
