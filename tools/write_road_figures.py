"""Write the picture of docs/roads.md, by driving; ``--check`` does nothing."""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from trackrod.adams.source import open_vehicle
from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.files import atomic_path
from trackrod.core.series import Run
from trackrod.core.signals import Signal
from trackrod.manoeuvres.obstacles import Kerb, Pothole
from trackrod.workflow.comparison import compare_models

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "images" / "road_obstacles.png"
VEHICLE = "double_wishbone_car"
#: What is shown of each obstacle [s], and the rows of the picture: signal, factor, label.
SHOWN = {"kerb": (0.9, 1.7), "pothole": (0.7, 1.45)}
ROWS: tuple[tuple[Signal, float, str], ...] = (
    (signals.FZ[Corner.FL], 1e-3, "wheel load fl\n[kN]"),
    (signals.FZ[Corner.RL], 1e-3, "wheel load rl\n[kN]"),
    (signals.FX[Corner.FL], 1e-3, "longitudinal force fl\n[kN]"),
    (signals.FX[Corner.RL], 1e-3, "longitudinal force rl\n[kN]"),
    (signals.AZ, 1.0, "vertical acceleration\n[m/s²]"),
)


def drawn(runs: dict[str, tuple[Run, Run]]) -> Figure:
    """Both models over each obstacle: runs of the multibody and of the real-time model by name."""
    figure = Figure(figsize=(9.0, 9.5), layout="constrained")
    axes = figure.subplots(len(ROWS), len(runs), sharex="col", sharey="row", squeeze=False)
    for column, (name, pair) in enumerate(runs.items()):
        begin, end = SHOWN[name]
        axes[0, column].set_title(f"{name}, 60 mm")
        axes[-1, column].set_xlabel("time [s]")
        for row, (signal, factor, label) in enumerate(ROWS):
            plot = axes[row, column]
            for run, kind in zip(pair, ("multibody", "real time"), strict=True):
                part = (run.time >= begin) & (run.time <= end)
                plot.plot(run.time[part], factor * run[signal][part], label=kind, linewidth=1.2)
            plot.grid(visible=True, alpha=0.3)
            if column == 0:
                plot.set_ylabel(label)
    axes[0, 0].legend()
    return figure


def main() -> None:
    if "--check" in sys.argv:
        return
    mpl.use("Agg")
    vehicle = open_vehicle(VEHICLE).vehicle
    runs = {}
    for manoeuvre in (Kerb(), Pothole()):
        found = compare_models(vehicle, manoeuvre)
        runs[manoeuvre.name] = (found.reference, found.model)
    with atomic_path(PICTURE) as temporary:
        drawn(runs).savefig(temporary, dpi=110, format="png")


if __name__ == "__main__":
    main()
