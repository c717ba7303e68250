"""States, inputs and rows: names, order and sizes are those of the declaration; a state can be kept and set again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rtm.converted_vehicles import spec_of
from trackrod import _core
from trackrod.core.artefact import Artefact, load, save
from trackrod.core.errors import InputError
from trackrod.core.model_state import MODEL_STATE
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.layout import INPUTS, OUTPUTS, ROW, STATE, TYRE_ROW, row_layout

NAMES = ["double_wishbone_car", "lcv_7t"]


def driving(name: str) -> RealTimeVehicle:
    vehicle = RealTimeVehicle(spec_of(name))
    vehicle.settle()
    vehicle.start(20.0)
    return vehicle


def drive(vehicle: RealTimeVehicle, first: int, last: int) -> np.ndarray:
    """A manoeuvre with steering, a shift, a brake that locks and an uneven road, in pieces."""
    t = 1e-3 * np.arange(first, last)
    brake = np.where(t > 1.2, 1.0, 0.0)
    controls = np.column_stack((0.8 * np.sin(7.0 * t), np.where(t < 1.0, 1.0, 0.0), brake, np.zeros(t.size)))
    corners = [wheel.corner for wheel in vehicle.spec.wheels for _ in wheel.tyres]
    heights = vehicle.spec.road_height + 0.01 * np.sin(20.0 * t)[:, None] * np.linspace(0.5, 1.0, len(corners))
    return vehicle.advance_rows(np.ascontiguousarray(controls), 1, np.ascontiguousarray(heights))


def test_sizes_are_those_of_the_declaration() -> None:
    declared = (STATE.size, INPUTS.size, OUTPUTS.size, row_layout(inputs=False).size, TYRE_ROW.size)
    assert _core.rtm_sizes() == declared
    names = [name for structure in (STATE, INPUTS, OUTPUTS) for name, _ in structure.elements()]
    assert len(set(STATE.elements())) == STATE.size
    assert "tyre.6.slip_x" in names
    assert "driveline.since_shift" in names
    assert "compliance.rl.rz" in names


def test_a_state_names_what_is_in_a_row() -> None:
    """Where both a row and a state hold a number, it is the same number: the two orders agree."""
    vehicle = driving(NAMES[1])
    row = drive(vehicle, 0, 700)[-1]
    state, layout = vehicle.state(), row_layout(inputs=True)
    for owner, path in ROW:
        if owner == "state":
            elements = [each for each in state.names if each == path or each.startswith(f"{path}.")]
            assert [state[each] for each in elements] == row[layout[path.split(".")[-1]]].tolist(), path
    # without zeros, so that exchanged numbers would show
    assert all(state[f"travel.{corner}"] != 0.0 for corner in ("fl", "fr", "rl", "rr"))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("at", [300, 1100, 1250], ids=["steering", "shifting", "locked"])
def test_a_state_goes_on_bit_for_bit(name: str, at: int, tmp_path: Path) -> None:
    whole = driving(name)
    rows = drive(whole, 0, 1500)
    halved = driving(name)
    drive(halved, 0, at)
    save(Artefact(MODEL_STATE, halved.state()), tmp_path / "state.json")
    other = RealTimeVehicle(spec_of(name))  # that has never moved
    other.set_state(load(tmp_path / "state.json", MODEL_STATE).content)
    assert np.array_equal(drive(other, at, 1500), rows[at:])


def test_a_state_of_another_vehicle_is_refused() -> None:
    car, van = driving(NAMES[0]), driving(NAMES[1])
    with pytest.raises(InputError, match=r"'double_wishbone_car' \(rtm\) cannot be set in 'lcv_7t'"):
        van.set_state(car.state())


def test_a_block_is_the_same_wherever_it_lies() -> None:
    """Nothing in it is an address: two models of one vehicle have equal blocks, whatever they have driven."""
    first, second = driving(NAMES[0]), RealTimeVehicle(spec_of(NAMES[0]))
    drive(first, 0, 100)
    assert np.array_equal(first.block(), second.block())
    assert first.block()[1] == first.block().size


def test_a_state_on_a_slope_settles_on_its_brakes() -> None:
    """What a slope asks for comes with the state: a model that never saw the slope settles there as well."""
    first, second = RealTimeVehicle(spec_of(NAMES[0])), RealTimeVehicle(spec_of(NAMES[0]))
    first.tilt(0.1)
    loads = first.settle()
    second.set_state(first.state())
    assert second.settle() == loads
