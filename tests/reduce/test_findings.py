"""The five findings of the paper: what they print for the SUV, by numbers computed here; and the other answer."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from trackrod.core.corners import Axle
from trackrod.reduce.findings import Finding, findings
from trackrod.reduce.reduction import AxleReduction
from trackrod.vehicle.vehicle import Vehicle


@pytest.fixture(scope="module")
def said(suv: Vehicle, front: AxleReduction, rear: AxleReduction) -> tuple[Finding, ...]:
    return findings(suv, front, rear)


def numbers(text: str) -> list[float]:
    """What stands before a percent sign."""
    return [float(found) for found in re.findall(r"([-+]?[\d.]+) (?=%|and)", text)]


def with_parameters(found: AxleReduction, values: dict[str, float]) -> AxleReduction:
    identified = replace(found.identified, car=found.car.with_parameters(values))
    return replace(found, identified=identified)


def test_answers(said: tuple[Finding, ...]) -> None:
    assert [(one.text, one.holds) for one in said] == [
        ("links mostly sprung", True),
        ("springs slightly stiffer than the coil", True),
        ("dampers stiffer at high speed (0.6 m/s)", True),
        ("bump branch nearly linear", False),
        ("rear diverges with frequency without the mount", False),
    ]
    assert str(said[3]).startswith("bump branch nearly linear: no (front off a straight line by ")


def test_links_and_springs(said: tuple[Finding, ...], suv: Vehicle, front: AxleReduction, rear: AxleReduction) -> None:
    shares = [100.0 * found.car.unsprung_mass for found in (front, rear)]
    links = [
        (s - 100.0 * f.car.known["mass"]) / f.car.known["link_mass"] for s, f in zip(shares, (front, rear), strict=True)
    ]
    assert numbers(said[0].numbers) == pytest.approx(links, abs=0.5)
    coils = [next(s for s in suv.springs if s.name == f"{axle}_suspension.ride_spring_left") for axle in Axle]
    stiffer = []
    for found, coil in zip((front, rear), coils, strict=True):
        law, at = coil.characteristic.curve, coil.design_compression
        rate = (np.interp(at + 0.002, law.x, law.y) - np.interp(at - 0.002, law.x, law.y)) / 0.004
        own = (found.car.spring_force(1e-3) - found.car.spring_force(-1e-3)) / 2e-3
        stiffer.append(100.0 * (float(own) / rate - 1.0))
    assert numbers(said[1].numbers) == pytest.approx(stiffer, abs=0.2)


def test_dampers(said: tuple[Finding, ...], suv: Vehicle, front: AxleReduction, rear: AxleReduction) -> None:
    faster, bent = [], []
    for found in (front, rear):
        law = next(d for d in suv.dampers if d.name == f"{found.axle}_suspension.ride_damper_left").characteristic.curve
        for speed in (0.6, -0.6):  # of compression; the curve is over that of extension
            component = -np.interp(-speed, law.x, law.y)
            faster.append(100.0 * (found.car.damper_force(speed)[0] / component - 1.0))
        v = np.linspace(0.0, 0.6, 61)
        for force in (found.car.damper_force(v), -np.interp(-v, law.x, law.y)):
            slope = np.linalg.lstsq(v[:, None], force, rcond=None)[0][0]
            bent.append(100.0 * np.abs(force - slope * v).max() / force.max())
    assert numbers(said[2].numbers) == pytest.approx(faster, abs=0.1)
    assert numbers(said[3].numbers) == pytest.approx(bent, abs=0.6)


def test_frequencies(said: tuple[Finding, ...], rear: AxleReduction) -> None:
    """Without the mount at 0.5 to 2 and 4 to 6 Hz, with it at 4 to 6 Hz; position, then velocity."""
    e = rear.identified.experiment
    frequency = 6.0 * e.time / e.time[-1]
    expected = []
    for k in range(2):
        for car, low, high in ((rear.rigid.car, 0.5, 2.0), (rear.rigid.car, 4.0, 6.0), (rear.car, 4.0, 6.0)):
            inside = (frequency >= low) & (frequency <= high)
            off = car.drive(e.load, e.sweep.sample).motion[inside, k] - e.motion[inside, k]
            expected.append(100.0 * off.std() / e.motion[inside, k].std())
    told = said[4].numbers.split(": ", 1)[1]
    assert numbers(told) == pytest.approx(expected, abs=0.006)


def test_the_other_answer(suv: Vehicle, front: AxleReduction, rear: AxleReduction) -> None:
    """Each finding that holds fails where its number says so."""
    heavy = findings(suv, with_parameters(front, {"unsprung_share": 0.6}), rear)
    assert str(heavy[0]).startswith("links mostly sprung: no (front 60 % unsprung")
    soft = findings(suv, front, with_parameters(rear, {"spring_rate": 0.8 * rear.car.parameters["spring_rate"]}))
    assert not soft[1].holds
    slow = findings(suv, front, with_parameters(rear, {"rebound_high": 0.5 * rear.car.parameters["rebound_high"]}))
    assert not slow[2].holds
    straight = {"bump_high": 3000.0, "bump_low": 3000.0}
    linear = findings(suv, with_parameters(front, straight), with_parameters(rear, straight))
    assert linear[3].holds
