"""What a single-track model is made of, and what follows from it in closed form.

Reference: M. Mitschke, H. Wallentowitz, Dynamik der Kraftfahrzeuge, 4th edition, 2004, chapters 20 to 22;
H. B. Pacejka, Tyre and Vehicle Dynamics, 3rd edition, 2012, section 1.3.2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from trackrod.core.artefact import Schema
from trackrod.core.errors import Problem, RangeError, raise_if_errors
from trackrod.core.quantities import STANDARD_GRAVITY
from trackrod.core.records import from_plain, to_plain

__all__ = ["SINGLE_TRACK", "SingleTrack"]


@dataclass(frozen=True, slots=True)
class SingleTrack:
    """A vehicle on two wheels, one for each axle: side slip and yaw, without roll.

    Attributes
    ----------
    mass
        [kg] Motions depend on ratios to it alone; it turns them into newtons.
    yaw_inertia
        About the centre of gravity [kg·m²].
    wheelbase
        [m]
    front_share
        Share of the mass on the front axle [-]: b/L.
    cornering_stiffness_front, cornering_stiffness_rear
        Side force of an axle over its slip angle at zero, magnitude [N/rad]; tyres alone.
    steer_compliance_front, steer_compliance_rear
        By how much the wheels of an axle turn out of the turn under its side force [rad/N]: K&C.
    friction_front, friction_rear
        Largest side force of an axle over its load [-]; 0 for a linear axle.
    relaxation_front, relaxation_rear
        Relaxation lengths [m]; 0 for none.
    steering_ratio
        Steering-wheel angle over steer angle [-].
    steering_offset
        Steering-wheel angle straight ahead, as it is recorded [rad].
    name
        Of the vehicle.

    Raises
    ------
    RangeError
        With every number that no vehicle has.
    """

    mass: float
    yaw_inertia: float
    wheelbase: float
    front_share: float
    cornering_stiffness_front: float
    cornering_stiffness_rear: float
    steering_ratio: float
    steer_compliance_front: float = 0.0
    steer_compliance_rear: float = 0.0
    friction_front: float = 0.0
    friction_rear: float = 0.0
    relaxation_front: float = 0.0
    relaxation_rear: float = 0.0
    steering_offset: float = 0.0
    name: str = "vehicle"

    def __post_init__(self) -> None:
        numbers = {name: getattr(self, name) for name in self.__slots__ if name != "name"}
        positive = ["mass", "yaw_inertia", "wheelbase", "steering_ratio"]
        positive += ["cornering_stiffness_front", "cornering_stiffness_rear"]
        problems = [Problem(f"{name} is {value}") for name, value in numbers.items() if not math.isfinite(value)]
        problems += [
            Problem(f"{name} is {numbers[name]:g}, it must be above zero") for name in positive if numbers[name] <= 0
        ]
        problems += [
            Problem(f"{name} is {value:g}, it must not be negative")
            for name, value in numbers.items()
            if name.startswith(("steer_compliance", "friction", "relaxation")) and value < 0
        ]
        if not 0.0 < self.front_share < 1.0:
            problems.append(Problem(f"front_share is {self.front_share:g}, it must lie between 0 and 1"))
        raise_if_errors(problems, RangeError)

    @property
    def to_front(self) -> float:
        """Distance a from the centre of gravity to the front axle [m]."""
        return (1.0 - self.front_share) * self.wheelbase

    @property
    def to_rear(self) -> float:
        """Distance b from the centre of gravity to the rear axle [m]."""
        return self.front_share * self.wheelbase

    @property
    def stiffness(self) -> tuple[float, float]:
        """Cornering stiffness of the axles, front and rear [N/rad]: tyres in series with the steer compliance."""
        front, rear = self.cornering_stiffness_front, self.cornering_stiffness_rear
        return front / (1.0 + front * self.steer_compliance_front), rear / (1.0 + rear * self.steer_compliance_rear)

    @property
    def understeer_gradient(self) -> float:
        """dδ/da_y in a steady turn of one radius [rad/(m/s²)]: m (b C_r − a C_f)/(L C_f C_r)."""
        front, rear = self.stiffness
        return self.mass * (self.to_rear * rear - self.to_front * front) / (self.wheelbase * front * rear)

    @property
    def characteristic_speed(self) -> float:
        """Speed of the largest yaw gain [m/s]; infinite for neutral and oversteered vehicles."""
        gradient = self.understeer_gradient
        return math.sqrt(self.wheelbase / gradient) if gradient > 0 else math.inf

    def yaw_gain(self, speed: float) -> float:
        """Yaw rate over steering-wheel angle in a steady turn [1/s] at a speed [m/s]."""
        return speed / (self.wheelbase + self.understeer_gradient * speed**2) / self.steering_ratio

    def yaw_frequency(self, speed: float) -> tuple[float, float]:
        """Undamped natural frequency [rad/s] and damping ratio [-] of side slip and yaw at a speed [m/s].

        NaN for a vehicle that is not stable at this speed.
        """
        front, rear = self.stiffness
        m, inertia, a, b = self.mass, self.yaw_inertia, self.to_front, self.to_rear
        square = (
            front
            * rear
            * self.wheelbase**2
            / (m * inertia * speed**2)
            * (1.0 + self.understeer_gradient * speed**2 / self.wheelbase)
        )
        if square <= 0:
            return math.nan, math.nan
        twice_damping = (inertia * (front + rear) + m * (a**2 * front + b**2 * rear)) / (m * inertia * speed)
        return math.sqrt(square), 0.5 * twice_damping / math.sqrt(square)

    def axle_loads(self) -> tuple[float, float]:
        """Static loads of the axles, front and rear [N]."""
        weight = self.mass * STANDARD_GRAVITY
        return self.front_share * weight, (1.0 - self.front_share) * weight


#: A single-track model saved as one file.
SINGLE_TRACK = Schema("trackrod.single_track", 1, to_plain, lambda data: from_plain(SingleTrack, data))
