"""What the core is told about a real-time model, by the core's own names; and how a vehicle begins to roll."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from asymmetric_vehicles import CAR, converted, maps, vehicle
from trackrod import _core
from trackrod.convert.conversion import Compliance, convert
from trackrod.core.corners import Axle, Corner, Side
from trackrod.rtm import compile as module
from trackrod.rtm.compile import compile_model, rolling_start
from trackrod.rtm.layout import STEERING
from trackrod.rtm.spec import RtmSpec, WheelSpec
from trackrod.tyre.model import Tyre
from trackrod.tyre.properties import Curve
from trackrod.vehicle.systems import TyrePlace

RADII = dict(zip(Corner, (0.30, 0.31, 0.33, 0.36), strict=True))


@cache
def spec() -> RtmSpec:
    """A tyre of its own on every wheel, no two loads, curves or numbers alike."""
    found = convert(
        vehicle(CAR), maps(CAR), compliance=Compliance.QUASI_STATIC, elastic_steering=True, road_height=0.013
    ).spec
    assert found.powertrain is not None
    assert found.steering is not None
    tyres = {
        f"tyre_{corner}": replace(
            found.tyres[wheel.tyres[0].tyre].with_values(UNLOADED_RADIUS=RADII[corner]),
            deflection_load=Curve(np.array([0.0, 0.05, 0.1]), np.array([0.0, 9e3, 2e4])),
            bottoming=Curve(np.array([0.0, 0.01]), np.array([0.0, 4e4])),
        )
        for corner, wheel in zip(Corner, found.wheels, strict=True)
    }
    differential = found.powertrain.front_differential
    assert differential is not None
    stiffer = replace(differential, curve=replace(differential.curve, y=1.5 * differential.curve.y))
    return replace(
        found,
        tyres=tyres,
        wheels=tuple(_wheel(wheel, i) for i, wheel in enumerate(found.wheels)),
        axles=tuple(replace(axle, drive_on_carrier=i == 1) for i, axle in enumerate(found.axles)),
        powertrain=replace(found.powertrain, front_differential=stiffer),
        steering=replace(found.steering, rack_mass=2.5, rack_damping=600.0, rack_friction=40.0, column_friction=0.3),
        compliance_lag=0.007,
    )


def _wheel(wheel: WheelSpec, i: int) -> WheelSpec:
    compliance = tuple(
        replace(c, opposite_load=(0.8 - 0.1 * load) * c.opposite_load, own=(1.1 + load) * c.own)
        for load, c in enumerate(wheel.compliance)
    )
    places = (TyrePlace(f"tyre_{wheel.corner}", 0.01 * (i + 1)),)
    curves = {name: getattr(wheel, name) for name in ("spring", "stops", "damper", "by_rack")}
    curves = {name: replace(curve, y=(1.0 + 0.1 * i) * curve.y) for name, curve in curves.items()}
    bases = {"bump_base": 0.9 - 0.1 * i, "rebound_base": 0.5 - 0.1 * i}
    return replace(wheel, compliance=compliance, tyres=places, **curves, **bases)


class Listener:
    """In place of the core: each call by the name of the method, its arguments by the names that the core has."""

    def __init__(self, parameters: np.ndarray) -> None:
        self.told: list[tuple[str, dict[str, Any]]] = [("Rtm", {"parameters": parameters})]

    def __getattr__(self, method: str) -> Callable[..., None]:
        [(signature, *_)] = getattr(_core.Rtm, method).__nb_signature__
        names = re.findall(r"(\w+): ", signature)

        def call(*given: Any) -> None:
            self.told.append((method, dict(zip(names, given, strict=True))))

        return call


@cache
def told() -> list[tuple[str, dict[str, Any]]]:
    return told_of(spec())


def told_of(model: RtmSpec) -> list[tuple[str, dict[str, Any]]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_core", SimpleNamespace(Rtm=Listener))
        return compile_model(model).told  # type: ignore[attr-defined, no-any-return]


def calls(method: str) -> list[dict[str, Any]]:
    return [arguments for name, arguments in told() if name == method]


def check(found: dict[str, Any], **expected: Any) -> None:
    assert list(found) == list(expected)
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name], value, err_msg=name)


def test_wheels_and_their_tyres() -> None:
    for i, (wheel, told_wheel, told_tyre) in enumerate(
        zip(spec().wheels, calls("set_wheel"), calls("add_tyre"), strict=True)
    ):
        check(
            told_wheel,
            wheel=i,
            centre=wheel.centre,
            first=wheel.first,
            second=wheel.second,
            values=wheel.kinematics,
            spring=wheel.spring.points(),
            stops=wheel.stops.points(),
            damper=wheel.damper.points(),
            by_rack=wheel.by_rack.points(),
            bump_base=wheel.bump_base,
            rebound_base=wheel.rebound_base,
        )
        properties = spec().tyres[f"tyre_{wheel.corner}"]
        assert told_tyre["wheel"] == i
        assert told_tyre["mirrored"] == Tyre(properties, mounted=wheel.corner.side).mirrored
        assert told_tyre["deflection_load"] == ([0.0, 0.05, 0.1], [0.0, 9e3, 2e4])
        assert told_tyre["bottoming"] == ([0.0, 0.01], [0.0, 4e4])
        assert told_tyre["offset"] == 0.01 * (i + 1)
        assert told_tyre["pressure"] == properties.coefficients["INFLPRES"]
        assert RADII[wheel.corner] in told_tyre["coefficients"]
    assert calls("add_tyre")[0]["mirrored"] != calls("add_tyre")[1]["mirrored"]


def test_compliance_of_every_wheel_and_load() -> None:
    expected = [(i, load, item) for i, wheel in enumerate(spec().wheels) for load, item in enumerate(wheel.compliance)]
    assert len(expected) == 16
    for (i, load, item), found in zip(expected, calls("set_compliance"), strict=True):
        check(
            found,
            wheel=i,
            load=load,
            knots=item.own_load,
            own=item.own,
            opposite_knots=item.opposite_load,
            opposite=item.opposite,
        )


def test_the_elasticity_of_every_axle() -> None:
    """Numbers in the order of `ElasticAxleData`, `ElasticModeData` and `StiffBushingData`."""
    moving = converted(CAR).spec
    found, bushings = (
        [given for name, given in told_of(moving) if name == wanted]
        for wanted in ("set_elasticity", "add_stiff_bushing")
    )
    assert calls("set_elasticity") == calls("add_stiff_bushing") == []
    for i, (axle, given) in enumerate(zip(moving.axles, found, strict=True)):
        assert axle.elasticity is not None
        of = axle.elasticity
        assert given["axle"] == i
        numbers = list(given["numbers"])
        heads = (
            of.reference,
            [of.radius, of.softens],
            of.travel_mass,
            of.travel_momentum,
            of.travel_damping,
            of.lifts(),
        )
        for part in heads:
            size = np.size(part)
            np.testing.assert_array_equal(numbers[:size], np.ravel(part))
            del numbers[:size]
        for k, mode in enumerate((of.symmetric, of.antisymmetric)):
            for part in (mode.mass, mode.damping, mode.compliance):  # made symmetric, and with a little of their own
                np.testing.assert_allclose(
                    numbers[: part.size], part.ravel(), rtol=0.01, atol=0.01 * np.abs(part).max()
                )
                del numbers[: part.size]
            for part in (mode.body_mass, mode.travel_mass, mode.travel_damping, of.linear(k)):
                np.testing.assert_array_equal(numbers[: part.size], part.ravel())
                del numbers[: part.size]
        assert not numbers
        told = [each for each in bushings if each["axle"] == i]
        for bushing, each in zip(of.bushings, told, strict=True):
            for name in ("loads", "standing", "pose", "strain"):
                np.testing.assert_array_equal(each[name], getattr(bushing, name).ravel())
            assert each["forces"] == (bushing.force[0], bushing.force[-1])
    assert bushings


def test_axles_and_differentials() -> None:
    for i, (axle, found) in enumerate(zip(spec().axles, calls("set_axle"), strict=True)):
        check(
            found,
            axle=i,
            steered=i == 0,
            drive_on_carrier=i == 1,
            roll=(axle.roll.x, axle.roll.y),
            antiroll=(axle.antiroll.x, axle.antiroll.y),
            lever=(axle.lever.x, axle.lever.y),
        )
    powertrain = spec().powertrain
    assert powertrain is not None
    given = (powertrain.front_differential, powertrain.rear_differential)
    for i, (differential, found) in enumerate(zip(given, calls("set_differential"), strict=True)):
        assert differential is not None
        check(found, axle=i, torque=(differential.curve.x, differential.curve.y))


def test_driveline_steering_road_and_lag() -> None:
    powertrain, steering = spec().powertrain, spec().steering
    assert powertrain is not None
    assert steering is not None
    [driveline] = calls("set_driveline")
    np.testing.assert_allclose(driveline["shares"], [0.175, 0.175, 0.325, 0.325])
    assert driveline["engine_inertia"] == powertrain.engine_inertia
    assert driveline["clutch_capacity"] == powertrain.clutch_capacity
    [found] = calls("set_steering")
    check(
        found,
        numbers=steering.numbers(),
        torsion_bar=steering.torsion_bar.points(),
        column=steering.column.points(),
        torques=steering.assist.torque,
        speeds=[0.0, 1.0],
        forces=np.repeat(steering.assist.force, 2, axis=1),
    )
    numbers = dict(zip([item.name for item in STEERING.fields], found["numbers"], strict=True))
    assert (numbers["rack_mass"], numbers["rack_damping"], numbers["rack_friction"]) == (2.5, 600.0, 40.0)
    assert (numbers["column_friction"], numbers["column_friction_stiffness"]) == (0.3, 500.0)
    assert calls("set_road") == [{"height": 0.013}]
    assert calls("set_lag") == [{"seconds": 0.007}]
    np.testing.assert_array_equal(calls("Rtm")[0]["parameters"], spec().values())
    assert told()[-1] == ("reset", {})


# ---- a vehicle begins to roll


def test_every_wheel_rolls_with_its_own_tyre() -> None:
    spins, _, _ = rolling_start(spec(), 20.0)
    radii = [
        float(Tyre(tyre, mounted=Side.LEFT).effective_radius(tyre.coefficients["FNOMIN"], spin))
        for tyre, spin in zip(spec().tyres.values(), spins, strict=True)
    ]
    np.testing.assert_allclose(spins * radii, 20.0, rtol=1e-6)
    assert (np.diff(spins) < 0).all()


@pytest.mark.parametrize("gear", [2, 4])
def test_the_engine_turns_with_the_mean_of_each_axle(gear: int) -> None:
    powertrain = spec().powertrain
    assert powertrain is not None
    spins, engine, found = rolling_start(spec(), 20.0, gear)
    box = powertrain.gearbox
    fl, fr, rl, rr = spins
    output = box.final_drive * (0.35 * (fl + fr) / 2 + 0.65 * (rl + rr) / 2)
    assert engine == pytest.approx(box.ratios[gear - 1] * output)
    assert found == gear


def test_at_rest_and_without_an_engine() -> None:
    powertrain = spec().powertrain
    assert powertrain is not None
    spins, engine, gear = rolling_start(spec(), 0.0)
    assert (spins.tolist(), engine, gear) == ([0.0] * 4, powertrain.idle_speed, 1)
    spins, engine, gear = rolling_start(replace(spec(), powertrain=None), 20.0)
    assert (engine, gear) == (0.0, 1)
    assert spins.min() > 50.0


def test_a_rear_axle_alone_drives() -> None:
    """Which mean belongs to which axle shows where one of them does not count."""
    powertrain = spec().powertrain
    assert powertrain is not None
    for axle, wheels in ((Axle.FRONT, slice(0, 2)), (Axle.REAR, slice(2, 4))):
        alone = replace(powertrain, front_share=float(axle is Axle.FRONT))
        spins, engine, _ = rolling_start(replace(spec(), powertrain=alone), 20.0, 3)
        ratio = powertrain.gearbox.ratios[2] * powertrain.gearbox.final_drive
        assert engine == pytest.approx(ratio * spins[wheels].mean())
