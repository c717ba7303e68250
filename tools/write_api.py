"""Write ``docs/reference/api.md``: every name of ``import trackrod as tr``, from signatures and docstrings.

With ``--check`` nothing is written; the exit code is 1 if the page is not current.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from enum import Enum
from pathlib import Path

import trackrod as tr
from trackrod.manoeuvres.registry import MANOEUVRES

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "api.md"
VERBS = (
    *("open_vehicle", "characterise", "convert", "simulate", "compare", "tune", "study"),
    *("validate", "estimate", "reduce", "export", "campaign", "load", "save"),
)
ADDING = ("register_manoeuvre", "register_indices", "register_templates", "register_optimiser", "load_plugin")
INTRODUCTION = """# The Python interface

```python
import trackrod as tr

van = tr.open_vehicle("lcv_7t")
model = tr.convert(van)
step = tr.StepSteer(speed_kmh=80.0)
print(tr.compare(van, step, model))
run = tr.simulate(model, step)
print(run[tr.signals.YAW_RATE].max())  # rad/s
```

The names on this page are the stable interface. Each is imported when it is first used: `import trackrod` itself takes
a millisecond. Numbers are SI units and radians; settings of manoeuvres carry their unit in their name. What takes long
keeps its results for the next time, under everything that they depend on; `cache=False` neither looks for them nor
keeps them. A real-time model is wanted in many places: a conversion, a tuning or a study will do there. Mistakes raise
`InputError` with everything that is wrong; every error of Trackrod is a `TrackrodError`.

Objects show themselves: a line at a prompt, a table with a picture in a notebook. A `Run`, the K&C of a vehicle or of
an axle, a `Conversion`, a comparison and a study become a table of pandas (`to_pandas()`) or a figure of matplotlib
(`plot()`); a `Run` becomes a dataset of xarray as well (`to_xarray()`). pandas and xarray are used where they are
installed.
"""


def first_paragraph(thing: object) -> str:
    text = (inspect.getdoc(thing) or "").split("\n\n")[0].replace("\n", " ")
    return re.sub(r"``([^`]*)``", r"`\1`", text)


def signature(name: str, function: Callable[..., object]) -> str:
    """As it is written, whatever the version of Python would make of it."""
    parts, marked = [], False
    for item in inspect.signature(function).parameters.values():
        if item.kind is item.KEYWORD_ONLY and not marked:
            parts.append("*")
            marked = True
        default = item.default
        shown = f"{type(default).__name__}.{default.name}" if isinstance(default, Enum) else repr(default)
        parts.append(f"{item.name}: {item.annotation}" + ("" if default is item.empty else f" = {shown}"))
    return f"{name}({', '.join(parts)}) -> {inspect.signature(function).return_annotation}"


def verb(name: str) -> str:
    function = getattr(tr, name)
    function = getattr(function, "_function", function)
    documented = inspect.getdoc(function) or ""
    lines = [f"### `{name}`", "", "```text", signature(name, function), "```", "", first_paragraph(function), ""]
    described = re.search(r"Parameters\n-+\n(.*?)(?:\n\n[A-Z]\w+\n-+|\n\n[A-Z][a-z]+:|\Z)", documented, re.DOTALL)
    if described:
        for line in described.group(1).rstrip().splitlines():
            if line.startswith("    "):
                lines[-1] += f" {line.strip()}"
            elif line:
                lines.append(f"- `{line}`:")
        lines.append("")
    return "\n".join(re.sub(r"``([^`]*)``", r"`\1`", line) if "```" not in line else line for line in lines)


def row(name: str) -> str:
    thing = getattr(tr, name)
    return f"| `{name}` | {first_paragraph(thing)} |"


def page() -> str:
    manoeuvres = [cls.__name__ for cls in MANOEUVRES.built_in.values()]
    told = {*VERBS, *ADDING, *manoeuvres, "__version__"}
    parts = [INTRODUCTION, "## Verbs", ""]
    parts += [verb(name) for name in VERBS]
    parts += ["## Objects", "", "| name | what |", "|---|---|"]
    parts += [row(name) for name in sorted(set(tr.__all__) - told)]
    parts += ["| `__version__` | Of Trackrod. |", "", "## Manoeuvres", ""]
    parts += [
        "Every one is a frozen dataclass; a setting that is left out has its default, and one that depends on the",
        "vehicle is found by driving.",
        "",
    ]
    for cls in MANOEUVRES.built_in.values():
        parts += [f"### `{cls.__name__}`", "", f"{cls.title}.{f' {cls.standard}.' if cls.standard else ''}", ""]
        parts += ["| setting | default | unit | allowed | meaning |", "|---|---|---|---|---|"]
        for item in cls.settings():
            default = "–" if item.default is None else str(item.default)
            cells = (f"`{item.name}`", default, item.unit or "-", item.allowed, item.meaning)
            parts.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        parts.append("")
    parts += ["## Adding to it", ""]
    parts += [
        "A Python file of yours registers what it adds; `--plugin FILE` of `simulate`, `compare`, `convert` and",
        "`manoeuvres`, the key `plugins` of a study file, and `tr.load_plugin` run it. An installed package declares",
        "entry points instead: `trackrod.manoeuvres`, `trackrod.indices`, `trackrod.templates`, `trackrod.optimisers`.",
        "Results depend on the file: once it is changed, they are made again.",
        "",
    ]
    parts += [verb(name) for name in ADDING]
    return "\n".join(parts).rstrip() + "\n"


def main() -> int:
    text = page()
    if "--check" in sys.argv:
        return int(not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != text)
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
