"""What the paper found of its SUV, asked of any vehicle: yes or no, with numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trackrod.core.corners import Axle, Corner, Side
from trackrod.kc.rig import Rig
from trackrod.reduce.curves import own_line
from trackrod.reduce.identify import SIGNALS, Identified
from trackrod.reduce.reduction import AxleReduction
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["Finding", "component_curves", "findings"]

#: "Slightly stiffer": up to this share; "nearly linear": off a straight line by no more than this share.
_SLIGHTLY, _NEARLY = 0.15, 0.1
#: A fast damper [m/s]; frequencies that are low and high [Hz].
_FAST, _LOW, _HIGH = 0.6, (0.5, 2.0), (4.0, 6.0)


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding of the paper, whether it holds here, and by what numbers."""

    text: str
    holds: bool
    numbers: str

    def __str__(self) -> str:
        return f"{self.text}: {'yes' if self.holds else 'no'} ({self.numbers})"


def component_curves(vehicle: Vehicle, axle: Axle) -> tuple[float | None, tuple[np.ndarray, np.ndarray] | None]:
    """Rate of the coil at the design position [N/m], and speed of compression [m/s] and force [N] of the damper.

    None where the wheel has none of its own.
    """
    rig, corner = Rig(vehicle, axle, check=False), Corner.of(axle, Side.LEFT)
    spring, damper = (own_line(rig, corner, what) for what in ("spring", "damper"))
    rate = curve = None
    if spring is not None:
        coil = next(one for one in vehicle.springs if one.name == spring)
        at, step = coil.design_compression, 1e-3
        law = coil.characteristic.curve
        rate = float(np.diff(np.interp([at - step, at + step], law.x, law.y))[0] / (2 * step))
    if damper is not None:
        law = next(one for one in vehicle.dampers if one.name == damper).characteristic.curve
        curve = -law.x[::-1], -law.y[::-1]
    return rate, curve


def _error_in(found: Identified, band: tuple[float, float], signal: int) -> float:
    """RMS of the difference of a signal over that of the signal in a band [%]."""
    e = found.experiment
    motion = found.car.drive(e.load, e.sweep.sample).motion
    f = e.sweep.frequency(e.time)
    inside = (f >= band[0]) & (f <= band[1])
    return float(100.0 * np.std((motion - e.motion)[inside, signal]) / np.std(e.motion[inside, signal]))


def _bend(speed: np.ndarray, force: np.ndarray) -> float:
    """Largest distance from the straight line through standstill that is nearest, over the largest force."""
    straight = speed * float(force @ speed) / float(speed @ speed)
    return float(np.abs(force - straight).max() / force.max())


def findings(vehicle: Vehicle, front: AxleReduction, rear: AxleReduction) -> tuple[Finding, ...]:
    """The five findings of the paper."""
    both = (front, rear)
    parts = {found.axle: component_curves(vehicle, found.axle) for found in both}
    shares = [found.car.parameters["unsprung_share"] for found in both]
    links = ", ".join(f"{f.axle} {100 * s:.0f} % unsprung" for f, s in zip(both, shares, strict=True))
    out = [Finding("links mostly sprung", max(shares) < 0.5, links)]
    stiffer, told = [], []
    for found in both:
        coil = parts[found.axle][0]
        if coil is not None:
            stiffer.append(found.car.parameters["spring_rate"] / coil - 1.0)
            told.append(f"{found.axle} {100 * stiffer[-1]:+.1f} %")
    holds = bool(stiffer) and all(0.0 < s < _SLIGHTLY for s in stiffer)
    out.append(Finding("springs slightly stiffer than the coil", holds, ", ".join(told) or "no coils"))
    faster, linear, told, told_linear = [], [], [], []
    for found in both:
        curve = parts[found.axle][1]
        if curve is not None:
            for sign, way in ((1.0, "bump"), (-1.0, "rebound")):
                own = float(found.car.damper_force(sign * _FAST)[0])
                faster.append(own / float(np.interp(sign * _FAST, *curve)) - 1.0)
                told.append(f"{found.axle} {way} {100 * faster[-1]:+.1f} %")
        speed = np.linspace(0.0, _FAST, 61)
        linear.append(_bend(speed, found.car.damper_force(speed)))
        said = f"{found.axle} off a straight line by {100 * linear[-1]:.0f} %"
        if curve is not None:
            said += f", its component by {100 * _bend(speed, np.interp(speed, *curve)):.0f} %"
        told_linear.append(said)
    holds = bool(faster) and all(f > 0.0 for f in faster)
    out.append(Finding(f"dampers stiffer at high speed ({_FAST:g} m/s)", holds, ", ".join(told) or "no dampers"))
    out.append(Finding("bump branch nearly linear", max(linear) < _NEARLY, "; ".join(told_linear)))
    told, grows = [], False
    for k, name in enumerate(SIGNALS[:2]):  # those that the paper shows
        low, high = (_error_in(rear.rigid, band, k) for band in (_LOW, _HIGH))
        kept = _error_in(rear.identified, _HIGH, k)
        grows = grows or (high > 1.5 * low and high > 1.5 * kept)
        told.append(f"{name} {low:.2f} and {high:.2f} %, with the mount {kept:.2f} %")
    text = f"at {_LOW[0]:g} to {_LOW[1]:g} and {_HIGH[0]:g} to {_HIGH[1]:g} Hz: {'; '.join(told)}"
    out.append(Finding("rear diverges with frequency without the mount", grows, text))
    return tuple(out)
