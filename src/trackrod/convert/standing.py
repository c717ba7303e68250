"""Where the axles of a real-time model stand: the travels at which springs and stops carry the vehicle."""

from __future__ import annotations

import numpy as np
from scipy.interpolate import PchipInterpolator

from trackrod.core.corners import Axle, Corner
from trackrod.rtm.spec import RtmSpec

__all__ = ["standing_travels"]


def standing_travels(spec: RtmSpec) -> dict[str, float]:
    """Parameters ``standing_travel_front`` and ``standing_travel_rear`` of a model [m].

    By the balance of moments of its masses, on level ground; the end of the curves where they do not carry the load.

    Limits: forces along the road that hold the wheels of a standing vehicle are left out: they change the travels of
    the bundled vehicles by less than 0.3 mm.
    """
    p = spec.parameters
    x = {axle: np.mean([w.centre[0] for w in spec.wheels if w.corner.axle is axle]) for axle in Axle}
    wheelbase = x[Axle.FRONT] - x[Axle.REAR]
    rear_share = p["cg_to_front"] / wheelbase
    found = {}
    for axle, curves, share in zip(Axle, spec.axles, (1.0 - rear_share, rear_share), strict=True):
        wheels = sum(1 for corner in Corner if corner.axle is axle)
        load = p["gravity"] * (p["sprung_mass"] * share / wheels + p[f"unsprung_mass_{axle}"])
        z = np.linspace(curves.spring.x[0], curves.spring.x[-1], 2001)
        force = PchipInterpolator(curves.spring.x, curves.spring.y)(z)
        if curves.stops.x.size:
            force = force + PchipInterpolator(curves.stops.x, curves.stops.y)(z)
        found[f"standing_travel_{axle}"] = float(np.interp(load, np.maximum.accumulate(force), z))
    return found
