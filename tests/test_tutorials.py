"""The tutorials are followed to the letter: every file, every command, every line of Python."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.documentation_pages import ROOT, blocks, follow

TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))


@pytest.fixture(scope="module", autouse=True)
def kept(tmp_path_factory: pytest.TempPathFactory) -> object:
    """One folder of kept results for all of them, as a reader has."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRACKROD_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def test_there_are_six_in_their_order() -> None:
    assert [page.name[:2] for page in TUTORIALS] == [f"{number}_" for number in range(1, 7)]


@pytest.mark.slow
@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial_works_as_it_is_written(page: Path, tmp_path: Path) -> None:
    assert any(block.kind in ("sh", "python") for block in blocks(page)), "nothing to do on this page"
    printed = follow(page, tmp_path)
    assert "Traceback" not in printed
