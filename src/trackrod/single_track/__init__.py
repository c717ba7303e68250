"""The single-track model: a vehicle by its two axles, driven by recorded steering and speed.

``SingleTrack(…)`` describes it, `drive` answers a run with a run, with exact derivatives where they are asked for.
"""

from trackrod.single_track.description import SINGLE_TRACK, SingleTrack
from trackrod.single_track.drive import Driven, drive

__all__ = ["SINGLE_TRACK", "Driven", "SingleTrack", "drive"]
