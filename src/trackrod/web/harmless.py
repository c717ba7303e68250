"""Reports in a frame: only scripts that Trackrod's own pages consist of run, whatever names and comments say.

Pages of `trackrod.report` escape what they quote. This is the second wall: a page is served with a policy under which a
browser runs no script but those that carry this answer's secret number, and only a script that is recognised word for
word gets it: the script of every page, the Plotly library as it is installed, a call of it whose arguments are plain
data, the animation.
"""

from __future__ import annotations

import json
import re
import secrets
from functools import cache
from importlib.resources import files

from trackrod.report.animation_script import SCRIPT

__all__ = ["harmless_page", "policy"]

_SCRIPT = re.compile(r"<script(?: type=\"text/javascript\")?>(.*?)</script>", re.DOTALL)
_PLOT = re.compile(
    r"\s*window\.PLOTLYENV=window\.PLOTLYENV \|\| \{\};\s*if \(document\.getElementById\(\"([\w-]+)\"\)\) \{\s*"
    r"Plotly\.newPlot\(\s*\"\1\",(.*)\)\s*\};?\s*",
    re.DOTALL,
)
_RUN = re.compile(r"const run = (.*?);\n(.*)", re.DOTALL)


def policy(nonce: str) -> str:
    """What a browser may do with a page of a report: run scripts of this number, draw; ask nobody anything."""
    return (
        f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'unsafe-inline'; img-src data: blob:; "
        "font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; "
        "sandbox allow-scripts allow-downloads"
    )


def harmless_page(page: str) -> tuple[str, str]:
    """A page whose own scripts may run, and the policy that goes with it."""
    nonce = secrets.token_urlsafe(16)

    def marked(found: re.Match[str]) -> str:
        return f'<script nonce="{nonce}">{found[1]}</script>' if _is_known(found[1]) else found[0]

    return _SCRIPT.sub(marked, page), policy(nonce)


def _is_known(script: str) -> bool:
    if script == _library() or script.strip() == _own():
        return True
    if (plot := _PLOT.fullmatch(script)) is not None:
        return _is_data(f"[{plot[2]}]")
    if (run := _RUN.fullmatch(script)) is not None:
        return run[2] == SCRIPT and _is_data(run[1])
    return False


def _is_data(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return "<" not in text


@cache
def _own() -> str:
    """The script of every page."""
    return (files("trackrod.report") / "templates" / "script.js").read_text(encoding="utf-8").strip()


@cache
def _library() -> str:
    try:
        from plotly.offline import get_plotlyjs  # noqa: PLC0415 - optional package
    except ImportError:
        return "\0"
    return str(get_plotlyjs())
