"""Pages of reports: their own scripts carry the number of the answer, no other script does."""

from __future__ import annotations

import re

import numpy as np
import pytest
from plotly import graph_objects

from trackrod.core.figure import Figure, Line, Panel
from trackrod.report.animation_script import SCRIPT
from trackrod.report.page import Section, write_page
from trackrod.web.harmless import harmless_page

EVIL = "<script>fetch('/files/1/rtm.json')</script>"


def scripts(page: str) -> list[tuple[bool, str]]:
    """Whether each script may run, and how it begins."""
    nonce = re.search(r"'nonce-([\w-]+)'", harmless_page(page)[1])
    assert nonce is not None
    shown, policy = harmless_page(page)
    number = re.search(r"'nonce-([\w-]+)'", policy)[1]  # type: ignore[index]
    return [
        (f'nonce="{number}"' in m[1], m[2].strip()[:40])
        for m in re.finditer(r"<script([^>]*)>(.*?)</script>", shown, re.S)
    ]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    x = np.linspace(0, 1, 5)
    figure = Figure(EVIL, (Panel(EVIL, EVIL, EVIL, (Line(x, x, EVIL),)),))
    path = tmp_path_factory.mktemp("report") / "page.html"
    write_page(EVIL, EVIL, [Section(EVIL, (EVIL, figure))], path, footer=EVIL)
    return path.read_text()


def test_a_report_with_evil_names_runs_its_own_scripts_alone(report: str) -> None:
    found = scripts(report)
    assert [runs for runs, _ in found] == [True]
    assert "fetch(" not in "".join(text for _, text in found)


def test_scripts_of_others_do_not_get_the_number(report: str) -> None:
    drawn = graph_objects.Figure(graph_objects.Scatter(x=[0, 1], y=[0, 1], name=EVIL))
    page = drawn.to_html(full_html=False, include_plotlyjs=False)
    plot = re.findall(r"<script[^>]*>\s*window\.PLOTLYENV.*?</script>", page, re.S)[0]
    own = re.findall(r"<script>.*?</script>", report, re.S)[-1]
    forged = plot.replace("Plotly.newPlot(", "evil(); Plotly.newPlot(", 1)
    hidden = plot.replace('"responsive": true}', '"responsive": (evil(), true)}')
    after = plot.replace("</script>", "; evil()</script>")
    animation = f'<script>const run = {{"a": 1}};\n{SCRIPT}</script>'
    for page, allowed in (
        (EVIL, False),
        (forged, False),
        (hidden, False),
        (after, False),
        (plot, True),
        (own, True),
        (own.replace("</script>", "evil()</script>"), False),
        (animation, True),
        (animation.replace('{"a": 1}', "evil()"), False),
        (animation.replace("</script>", "evil()</script>"), False),
        ('<script src="http://evil.example/x.js"></script>', False),
    ):
        assert [runs for runs, _ in scripts(page)] == [allowed], page[:200]


def test_the_policy_lets_a_page_do_nothing_else(report: str) -> None:
    policy = harmless_page(report)[1]
    assert "default-src 'none'" in policy
    assert "sandbox allow-scripts allow-downloads" in policy
    for never in ("unsafe-eval", "allow-same-origin", "allow-top-navigation", "connect-src", "allow-forms"):
        assert never not in policy
    assert "'unsafe-inline'" not in policy.split("script-src")[1].split(";")[0]
    assert harmless_page(report)[1] != policy  # a number serves once
