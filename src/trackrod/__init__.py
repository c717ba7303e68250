"""Trackrod: from a detailed multibody vehicle to a validated real-time model.

adams -> multibody -> kc -> convert -> rtm -> (manoeuvres) simulate -> metrics -> fit / tune
-> validate -> report, export

Every arrow is one verb, every node one frozen object that can be saved, shown and compared; the sub-packages
carry these names. ``import trackrod as tr`` gives the verbs, the objects and the manoeuvres by the names below; each is
imported when it is first used. These names are the stable interface; editors and type checkers find them in the stub
beside this file.
"""

import os
import sys

# Work is done side by side in threads of our own (core/executors.py). Those that the linear algebra of NumPy and SciPy
# would make besides spin while they wait: a search over sixteen parameters then takes twenty times as much of the
# processor. It is asked when it is loaded, which is why this stands here; whoever has chosen a number keeps it.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

#: Where each name comes from.
_PLACES = {
    "trackrod.api": (
        "open_vehicle",
        "campaign",
        "characterise",
        "convert",
        "study",
        "simulate",
        "compare",
        "tune",
        "validate",
        "estimate",
        "reduce",
        "export",
        "load",
        "save",
    ),
    "trackrod.vehicle.vehicle": ("Vehicle",),
    "trackrod.convert.conversion": ("Conversion",),
    "trackrod.rtm.spec": ("RtmSpec",),
    "trackrod.rtm.driving": ("RealTimeVehicle",),
    "trackrod.multibody.driving": ("MultibodyVehicle",),
    "trackrod.core.series": ("Run",),
    "trackrod.core.signals": ("Signal",),
    "trackrod.core": ("signals",),
    "trackrod.core.errors": ("InputError", "TrackrodError"),
    "trackrod.metrics.indices": ("Index", "register_indices"),
    "trackrod.metrics.trace": ("Trace",),
    "trackrod.manoeuvres.manoeuvre": ("Manoeuvre",),
    "trackrod.manoeuvres.registry": ("register_manoeuvre",),
    "trackrod.fit.methods": ("register_optimiser",),
    "trackrod.vehicle.template_reader": ("register_templates",),
    "trackrod.core.registry": ("load_plugin",),
    "trackrod.manoeuvres.courses": ("DoubleLaneChange", "ObstacleAvoidance", "Slalom"),
    "trackrod.manoeuvres.excitation": ("Excitation",),
    "trackrod.manoeuvres.longitudinal": ("Acceleration", "Braking", "CoastDown"),
    "trackrod.manoeuvres.recorded": ("Recorded",),
    "trackrod.manoeuvres.obstacles": ("Bump", "Kerb", "Pothole"),
    "trackrod.manoeuvres.on_road": ("FollowRoad",),
    "trackrod.manoeuvres.roads": ("RandomRoad",),
    "trackrod.manoeuvres.standing": ("FourPost", "HillHold", "Parking", "StandstillSteering"),
    "trackrod.manoeuvres.steady_turn": ("RampSteer",),
    "trackrod.manoeuvres.steering": (
        "Fishhook",
        "JTurn",
        "Pulse",
        "SineSweep",
        "SineWithDwell",
        "SingleSine",
        "StepSteer",
    ),
    "trackrod.manoeuvres.turning": ("BrakeInTurn", "ConstantRadius", "ThrottleOff"),
}
__version__: str
_MODULES = {name: module for module, names in _PLACES.items() for name in names}

#: Verbs that a sub-package is named after: the package itself is called.
_VERBS = {"campaign", "convert", "estimate", "export", "reduce", "simulate", "tune", "validate"}

__all__ = ["__version__", *_MODULES]  # noqa: PLE0604 - names


def __getattr__(name: str) -> object:
    if name == "__version__":
        found: object = _version()
    elif name in _VERBS:
        __import__(f"{__name__}.{name}")
        found = sys.modules[f"{__name__}.{name}"]
    elif name in _MODULES:
        __import__(_MODULES[name])
        found = getattr(sys.modules[_MODULES[name]], name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - takes longer than all of the rest

    try:
        return version("trackrod")
    except PackageNotFoundError:  # running from a source tree that was never installed
        return "0+unknown"


class _Verb(type(sys)):  # type: ignore[misc]
    """A sub-package that is also the verb it is named after: ``tr.convert(vehicle)``, ``trackrod.convert.masses``.

    Python puts a sub-package into its package under its name when it is imported, wherever that is; a function of the
    same name would be there or not, depending on what was imported before.
    """

    def __call__(self, *args, **kwargs):  # type: ignore[no-untyped-def]
        return self._function(*args, **kwargs)

    @property
    def _function(self):  # type: ignore[no-untyped-def]
        __import__(f"{__name__}.api")
        return getattr(sys.modules[f"{__name__}.api"], self.__name__.rpartition(".")[2])

    @property
    def run(self):  # type: ignore[no-untyped-def]
        """The verb by its usual word: ``tr.campaign.run(file)``."""
        return self._function

    @property
    def __signature__(self):  # type: ignore[no-untyped-def]
        from inspect import signature  # noqa: PLC0415

        return signature(self._function)


class _Package(type(sys)):  # type: ignore[misc]
    """The package itself: what Python puts into it under the name of a verb can be called."""

    def __setattr__(self, name: str, value: object) -> None:
        if name in _VERBS and type(value) is type(os):
            value.__class__ = _Verb
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
