"""Names as people say them, for reports: parameters by their titles, manoeuvres without underscores."""

from __future__ import annotations

import re
from functools import lru_cache

from trackrod.core.itself import Itself
from trackrod.manoeuvres.registry import MANOEUVRES
from trackrod.rtm.coefficients import PARAMETERS
from trackrod.tune.space import PAPER_SET, SPLIT_FACTORS, split_title
from trackrod.tune.study import StudyResult

__all__ = ["in_words", "manoeuvre_name", "parameter_title"]

#: What is no word of its own in a name.
_WORDS = {
    "Iyy": "pitch inertia",
    "Ixy": "product of inertia xy",
    "Iyz": "product of inertia yz",
    "cg_y": "centre of gravity, lateral",
    "drag": "air drag",
    "lift_front": "front lift",
    "lift_rear": "rear lift",
    "drag_height": "height of the drag",
    "brake_front": "front brake torque",
    "brake_rear": "rear brake torque",
}


def manoeuvre_name(label: str) -> str:
    """A test or manoeuvre as a report calls it: ``step_steer, half payload`` is the step steer (half payload)."""
    name, comma, rest = label.replace("_", " ").partition(", ")
    return f"{name} ({rest})" if comma else name


def parameter_title(name: str, result: StudyResult | None = None) -> str:
    """A parameter in words; those that were tuned are called as in the table of the parameters."""
    tuned = {item.tunable.name: item.tunable.title for item in result.parameters} if result is not None else {}
    if name in tuned:
        return tuned[name]
    if name in SPLIT_FACTORS:
        return split_title(name)
    return PAPER_SET.get(name) or _WORDS.get(name) or name.replace("_", " ")


def in_words(text: str, result: StudyResult | None = None) -> str:
    """A sentence of a study with parameters by their titles, and tests and manoeuvres without underscores."""
    pattern, words = _words(None if result is None else Itself(result))
    return pattern.sub(lambda found: words[found[0]], text)


@lru_cache(4)
def _words(of: Itself[StudyResult] | None) -> tuple[re.Pattern[str], dict[str, str]]:
    result = None if of is None else of.value
    names = [item.name for item in PARAMETERS if "_" in item.name or item.name[0] == "I"]
    words = {name: parameter_title(name, result) for name in (*names, *SPLIT_FACTORS)}
    labels = [*MANOEUVRES]
    if result is not None:
        labels += [*(test.label for test in result.tests), *(candidate.manoeuvre for candidate in result.candidates)]
    words |= {label: manoeuvre_name(label) for label in labels if "_" in label}
    longest = sorted(words, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?!\w)"), words
