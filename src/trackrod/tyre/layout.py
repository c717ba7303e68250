"""What a tyre remembers and what it does, declared once for both models (`trackrod.core.layout`)."""

from __future__ import annotations

from trackrod.core.layout import Structure, field

__all__ = ["TYRE_OUTPUT", "TYRE_STATE"]

TYRE_STATE = Structure(
    "TyreState",
    "What a tyre remembers from step to step: its slips, and of its last evaluation what the next one needs.",
    (
        field("slip_x", "number", "longitudinal slip, lagged"),
        field("slip_y", "number", "lateral slip, lagged"),
        field("sigma_x", "length", "longitudinal relaxation length", default=0.3),
        field("sigma_y", "length", "lateral relaxation length", default=0.3),
        field("Kxk", "force", "slip stiffness"),
        field("Kya", "force_per_angle", "cornering stiffness"),
        field("Fx", "force", "longitudinal force"),
        field("Fy", "force", "lateral force"),
    ),
)

TYRE_OUTPUT = Structure(
    "TyreOutput",
    "What a tyre does, in its contact frame.",
    (
        field("Fx", "force", "longitudinal force"),
        field("Fy", "force", "lateral force"),
        field("Fz", "force", "load"),
        field("Mx", "torque", "overturning moment"),
        field("My", "torque", "rolling resistance"),
        field("Mz", "torque", "aligning moment"),
        field("kappa", "number", "longitudinal slip"),
        field("alpha", "angle", "slip angle"),
        field("gamma", "angle", "inclination"),
        field("deflection", "length", "from the free radius"),
    ),
)
