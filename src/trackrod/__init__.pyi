"""What ``import trackrod as tr`` gives; the names are those of `_PLACES` in `__init__.py`, a test compares them."""

from trackrod.api import campaign as campaign
from trackrod.api import characterise as characterise
from trackrod.api import compare as compare
from trackrod.api import convert as convert
from trackrod.api import estimate as estimate
from trackrod.api import export as export
from trackrod.api import load as load
from trackrod.api import open_vehicle as open_vehicle
from trackrod.api import reduce as reduce
from trackrod.api import save as save
from trackrod.api import simulate as simulate
from trackrod.api import study as study
from trackrod.api import tune as tune
from trackrod.api import validate as validate
from trackrod.convert.conversion import Conversion as Conversion
from trackrod.core import signals as signals
from trackrod.core.errors import InputError as InputError
from trackrod.core.errors import TrackrodError as TrackrodError
from trackrod.core.registry import load_plugin as load_plugin
from trackrod.core.series import Run as Run
from trackrod.core.signals import Signal as Signal
from trackrod.fit.methods import register_optimiser as register_optimiser
from trackrod.manoeuvres.courses import DoubleLaneChange as DoubleLaneChange
from trackrod.manoeuvres.courses import ObstacleAvoidance as ObstacleAvoidance
from trackrod.manoeuvres.courses import Slalom as Slalom
from trackrod.manoeuvres.excitation import Excitation as Excitation
from trackrod.manoeuvres.longitudinal import Acceleration as Acceleration
from trackrod.manoeuvres.longitudinal import Braking as Braking
from trackrod.manoeuvres.longitudinal import CoastDown as CoastDown
from trackrod.manoeuvres.manoeuvre import Manoeuvre as Manoeuvre
from trackrod.manoeuvres.obstacles import Bump as Bump
from trackrod.manoeuvres.obstacles import Kerb as Kerb
from trackrod.manoeuvres.obstacles import Pothole as Pothole
from trackrod.manoeuvres.on_road import FollowRoad as FollowRoad
from trackrod.manoeuvres.recorded import Recorded as Recorded
from trackrod.manoeuvres.registry import register_manoeuvre as register_manoeuvre
from trackrod.manoeuvres.roads import RandomRoad as RandomRoad
from trackrod.manoeuvres.standing import FourPost as FourPost
from trackrod.manoeuvres.standing import HillHold as HillHold
from trackrod.manoeuvres.standing import Parking as Parking
from trackrod.manoeuvres.standing import StandstillSteering as StandstillSteering
from trackrod.manoeuvres.steady_turn import RampSteer as RampSteer
from trackrod.manoeuvres.steering import Fishhook as Fishhook
from trackrod.manoeuvres.steering import JTurn as JTurn
from trackrod.manoeuvres.steering import Pulse as Pulse
from trackrod.manoeuvres.steering import SineSweep as SineSweep
from trackrod.manoeuvres.steering import SineWithDwell as SineWithDwell
from trackrod.manoeuvres.steering import SingleSine as SingleSine
from trackrod.manoeuvres.steering import StepSteer as StepSteer
from trackrod.manoeuvres.turning import BrakeInTurn as BrakeInTurn
from trackrod.manoeuvres.turning import ConstantRadius as ConstantRadius
from trackrod.manoeuvres.turning import ThrottleOff as ThrottleOff
from trackrod.metrics.indices import Index as Index
from trackrod.metrics.indices import register_indices as register_indices
from trackrod.metrics.trace import Trace as Trace
from trackrod.multibody.driving import MultibodyVehicle as MultibodyVehicle
from trackrod.rtm.driving import RealTimeVehicle as RealTimeVehicle
from trackrod.rtm.spec import RtmSpec as RtmSpec
from trackrod.vehicle.template_reader import register_templates as register_templates
from trackrod.vehicle.vehicle import Vehicle as Vehicle

__version__: str

__all__ = [
    "Acceleration",
    "BrakeInTurn",
    "Braking",
    "Bump",
    "CoastDown",
    "ConstantRadius",
    "Conversion",
    "DoubleLaneChange",
    "Excitation",
    "Fishhook",
    "FollowRoad",
    "FourPost",
    "HillHold",
    "Index",
    "InputError",
    "JTurn",
    "Kerb",
    "Manoeuvre",
    "MultibodyVehicle",
    "ObstacleAvoidance",
    "Parking",
    "Pothole",
    "Pulse",
    "RampSteer",
    "RandomRoad",
    "RealTimeVehicle",
    "Recorded",
    "RtmSpec",
    "Run",
    "Signal",
    "SineSweep",
    "SineWithDwell",
    "SingleSine",
    "Slalom",
    "StandstillSteering",
    "StepSteer",
    "ThrottleOff",
    "Trace",
    "TrackrodError",
    "Vehicle",
    "__version__",
    "characterise",
    "compare",
    "convert",
    "estimate",
    "export",
    "load",
    "load_plugin",
    "open_vehicle",
    "reduce",
    "register_indices",
    "register_manoeuvre",
    "register_optimiser",
    "register_templates",
    "save",
    "signals",
    "simulate",
    "study",
    "tune",
    "validate",
]
