"""The report of a conversion study: one page that opens without a network, and the same as a PDF."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from trackrod import __version__
from trackrod.report.page import write_page
from trackrod.report.pdf import write_pdf
from trackrod.report.study_sections import SectionMaker, study_sections
from trackrod.tune.study import StudyResult

__all__ = ["write_study_report"]


def write_study_report(
    result: StudyResult, html: Path, pdf: Path | None, *, sections: Iterable[SectionMaker] | None = None
) -> list[Path]:
    """Write the report; existing files are replaced whole or not at all.

    Parameters
    ----------
    result
        Of the study.
    html
        The page.
    pdf
        The document with the same sections; None for no document.
    sections
        What it is made of; all sections if not given.

    Returns
    -------
    list
        The files that were written.

    Raises
    ------
    MissingExtraError
        Plotly is not installed, or Typst is not and a PDF is asked for; the page is then there nevertheless.
    InputError
        A file cannot be written.
    """
    chosen = study_sections(result, sections)
    title = f"Conversion of {result.name}"
    lead = (
        "A real-time model made from a detailed reference and compared with it. Axes of ISO 8855: x forward, y left, "
        "z up; a left turn, right side down and nose down are positive."
    )
    footer = ", ".join(part for part in (f"Trackrod {__version__}", result.name, result.made_on) if part)
    write_page(title, lead, chosen, html, footer=footer, contents=True)
    if pdf is None:
        return [html]
    write_pdf(title, lead, chosen, pdf, footer=footer)
    return [html, pdf]
