"""The folder of a study: where each thing lies in it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from trackrod.core.corners import Axle
from trackrod.core.errors import InputError
from trackrod.core.files import make_folder
from trackrod.fit.journal import JournalledProblem
from trackrod.fit.problem import FitProblem
from trackrod.workflow.code import code_hash

__all__ = ["StudyFolder", "file_names"]


@dataclass(frozen=True, slots=True)
class StudyFolder:
    """A folder that holds a study, or will.

    Attributes
    ----------
    path
        The folder itself.
    """

    path: Path

    @classmethod
    def make(cls, path: Path) -> StudyFolder:
        """The folder, made if it is not there; InputError if it cannot be."""
        make_folder(path)
        return cls(path)

    @contextmanager
    def renewed(self) -> Iterator[StudyFolder]:
        """A folder to write into, whose files take the places of those here when the block ends well.

        Everything is written before anything is replaced: where the disk is full, what was here is here, with its
        summary. The summary of an earlier study then goes first and that of the new one comes last: a folder with a
        summary is complete and of one piece, also after a study that was killed.

        Raises
        ------
        InputError
            A file cannot be written or moved.
        """
        new = StudyFolder(self.path / ".new")
        shutil.rmtree(new.path, ignore_errors=True)  # of a study that was killed
        make_folder(new.path)
        try:
            yield new
            written = [path for path in new.path.rglob("*") if path.is_file() and path != new.summary]
            written.sort(key=lambda path: (path == new.written_runs, path))  # hashes after what they are of
            try:
                self.summary.unlink(missing_ok=True)
                for stale in (self.page, self.document):
                    stale.unlink(missing_ok=True)
                for path in written:
                    target = self.path / path.relative_to(new.path)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    path.replace(target)
                new.summary.replace(self.summary)
            except OSError as error:
                raise InputError(f"{error.filename} cannot be replaced: {error.strerror}") from error
        finally:
            shutil.rmtree(new.path, ignore_errors=True)

    def place(self, written: Path) -> Path:
        """Where a file of the folder of `renewed` will be."""
        return self.path / written.relative_to(self.path / ".new")

    @property
    def summary(self) -> Path:
        """The result in numbers; where it is, everything is, and of one piece."""
        return self.path / "summary.json"

    @property
    def model(self) -> Path:
        """The tuned model."""
        return self.path / "rtm.json"

    @property
    def page(self) -> Path:
        """The report."""
        return self.path / "report.html"

    @property
    def document(self) -> Path:
        """The report on paper."""
        return self.path / "report.pdf"

    def maps(self, axle: Axle) -> Path:
        """K&C maps of an axle."""
        return self.path / "kc" / f"{axle}.json"

    @property
    def runs(self) -> Path:
        """Folder of the runs."""
        return self.path / "runs"

    @property
    def evaluations(self) -> Path:
        """Folder of what the search has computed; may be deleted."""
        return self.path / "evaluations"

    @property
    def written_runs(self) -> Path:
        """Hashes of the runs that are there."""
        return self.evaluations / "written_runs.json"

    def journal(self, problem: FitProblem) -> JournalledProblem:
        """A problem whose evaluations are kept here, apart from those of other code: a study that was killed goes on.

        Raises
        ------
        InputError
            The folder cannot be made.
        """
        return JournalledProblem(problem, self.evaluations / code_hash(type(problem))[:16])


def file_names(labels: Iterable[str]) -> Iterator[str]:
    """A file name for each label, all different."""
    taken: set[str] = set()
    for label in labels:
        plain = name = re.sub(r"\W+", "_", label).strip("_") or "run"
        count = 1
        while name.casefold() in taken:
            count += 1
            name = f"{plain}_{count}"
        taken.add(name.casefold())
        yield name
