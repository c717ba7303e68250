"""Runs of a vehicle that is a rigid block on four wheels, unlike left and right, by statics and dynamics.

Forces follow from the motion by solving for them: nothing here knows an estimator.
"""

from __future__ import annotations

import numpy as np

from trackrod.core import signals
from trackrod.core.corners import Axle, Corner
from trackrod.core.series import Run
from trackrod.estimate.known import USUAL, Known

MASS, CG, YAW_INERTIA, GRAVITY = 1500.0, np.array([-1.2, 0.05, 0.55]), 2600.0, 9.81
WHEELS = {
    Corner.FL: (0.02, 0.80),
    Corner.FR: (-0.02, -0.76),
    Corner.RL: (-2.70, 0.78),
    Corner.RR: (-2.66, -0.74),
}
DRAG, ROLLING = 0.4, 0.011
RATIO = 16.0
FACTORS = {Corner.FL: 2.8e-4, Corner.FR: 2.6e-4, Corner.RL: 0.9e-4, Corner.RR: 0.8e-4}

#: Nothing moves in a rigid block, and its wheels have no inertia.
RIGID = {name: 0.0 for name in USUAL if name.startswith(("lift", "recession", "lateral", "spin", "toe", "rolling_g"))}


def known(**others: float) -> Known:
    """All of it but what is estimated."""
    values = dict(RIGID)
    for corner, (x, y) in WHEELS.items():
        values |= {f"wheel_x_{corner}": x, f"wheel_y_{corner}": y}
    values |= {f"loaded_radius_{axle}": 0.3 for axle in Axle} | {f"rolling_radius_{axle}": 0.31 for axle in Axle}
    values |= {"gravity": GRAVITY, "drag": 0.0, "rolling_resistance": 0.0, "slope": 0.0, "head_wind": 0.0}
    return Known({**values, "steering_ratio": RATIO, **others})


def loads(ax: np.ndarray, ay: np.ndarray, roll_share: float = 0.6) -> dict[Corner, np.ndarray]:
    """Wheel loads [N]: moments about x and y, lateral transfer shared between the axles."""
    n = ax.size
    A = np.zeros((4, 4))
    for k, corner in enumerate(Corner):
        x, y = WHEELS[corner]
        front = corner.axle is Axle.FRONT
        # The twist of the axles against each other is what statics leave open: shared like this.
        A[:, k] = (1.0, x, y, (y if front else -y * roll_share / (1.0 - roll_share)))
    sides = np.zeros((4, n))
    sides[0] = MASS * GRAVITY
    sides[1] = MASS * (CG[0] * GRAVITY - CG[2] * ax)
    sides[2] = MASS * (CG[1] * GRAVITY - CG[2] * ay)
    found = np.linalg.solve(A, sides)
    return {corner: found[k] for k, corner in enumerate(Corner)}


def run(
    ax: np.ndarray, ay: np.ndarray, yaw_acceleration: np.ndarray, *, speed: float = 10.0, steer: float = 0.0
) -> Run:
    """Of given motion, at 100 Hz; the front wheels hold the yaw moment, turned by `steer` [rad]."""
    time = 0.01 * np.arange(ax.size)
    vx = speed + np.concatenate(([0.0], np.cumsum(0.5 * (ax[1:] + ax[:-1]) * np.diff(time))))
    vertical = loads(ax, ay)
    columns = {
        signals.TIME.column: time,
        signals.VX.column: vx,
        signals.AX.column: ax,
        signals.AY.column: ay,
        signals.YAW_ACCELERATION.column: yaw_acceleration,
        signals.YAW_RATE.column: np.cumsum(yaw_acceleration) * 0.01,
        signals.STEERING_WHEEL_ANGLE.column: np.full(ax.size, steer * RATIO),
    }
    for signal in (signals.PITCH, signals.ROLL, signals.PITCH_RATE, signals.THROTTLE):
        columns[signal.column] = np.zeros(ax.size)
    # Forces in chassis axes: longitudinal by load, unlike left and right; lateral so that force and moment fit.
    along = {corner: MASS * ax * vertical[corner] / (MASS * GRAVITY) for corner in Corner}
    along[Corner.FL] = along[Corner.FL] + 300.0
    along[Corner.FR] = along[Corner.FR] - 300.0
    turning = sum(-(WHEELS[c][1] - CG[1]) * along[c] for c in Corner)
    aligning = {corner: np.full(ax.size, 20.0 * (1 + corner.index)) for corner in Corner}
    left = YAW_INERTIA * yaw_acceleration - turning - sum(aligning.values())
    split = {Corner.FL: 0.55, Corner.FR: 0.45, Corner.RL: 0.6, Corner.RR: 0.4}
    arms = {axle: sum(split[c] * (WHEELS[c][0] - CG[0]) for c in Corner if c.axle is axle) for axle in Axle}
    # F_front + F_rear = m a_y, arm_front F_front + arm_rear F_rear = what is left of the moment.
    front = (left - arms[Axle.REAR] * MASS * ay) / (arms[Axle.FRONT] - arms[Axle.REAR])
    across = {c: split[c] * (front if c.axle is Axle.FRONT else MASS * ay - front) for c in Corner}
    for corner in Corner:
        angle = steer if corner.axle is Axle.FRONT else 0.0
        fx, fy = along[corner], across[corner]
        columns[signals.FX[corner].column] = fx * np.cos(angle) + fy * np.sin(angle)
        columns[signals.FY[corner].column] = fy * np.cos(angle) - fx * np.sin(angle)
        columns[signals.FZ[corner].column] = vertical[corner]
        columns[signals.MZ[corner].column] = aligning[corner]
    return Run(columns, {"name": "rigid"})
