"""Where the axles of a real-time model stand: the travels at which springs and stops carry the vehicle."""

from __future__ import annotations

import numpy as np
from scipy.interpolate import PchipInterpolator

from trackrod.core.corners import Axle
from trackrod.rtm.spec import RtmSpec

__all__ = ["standing_travels"]


def standing_travels(spec: RtmSpec) -> dict[str, float]:
    """Parameters ``standing_travel_front`` and ``standing_travel_rear`` of a model [m].

    By the balance of moments of its masses, on level ground, both wheels of an axle together; the end of the curves
    where they do not carry the load.

    Limits: forces along the road that hold the wheels of a standing vehicle are left out: they change the travels of
    the bundled vehicles by less than 0.3 mm.
    """
    p = spec.parameters
    x = {axle: np.mean([w.centre[0] for w in spec.wheels if w.corner.axle is axle]) for axle in Axle}
    wheelbase = x[Axle.FRONT] - x[Axle.REAR]
    rear_share = p["cg_to_front"] / wheelbase
    found = {}
    for axle, share in zip(Axle, (1.0 - rear_share, rear_share), strict=True):
        wheels = [wheel for wheel in spec.wheels if wheel.corner.axle is axle]
        load = p["gravity"] * (p["sprung_mass"] * share + len(wheels) * p[f"unsprung_mass_{axle}"])
        z = np.linspace(max(w.spring.x[0] for w in wheels), min(w.spring.x[-1] for w in wheels), 2001)
        curves = [curve for wheel in wheels for curve in (wheel.spring, wheel.stops) if curve.x.size]
        force = np.sum([PchipInterpolator(curve.x, curve.y)(z) for curve in curves], axis=0)
        found[f"standing_travel_{axle}"] = float(np.interp(load, np.maximum.accumulate(force), z))
    return found
