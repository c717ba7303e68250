"""The folder of a campaign: its plan, its models, and a Parquet file for each task that is done.

A file is there or it is not, whatever happens to the process that writes it: what is there is done and is never done
again. ::

    campaign.json          the plan: what run n is
    models/LABEL.json      the models, as `trackrod simulate` takes them
    runs/000000.parquet    rows of the table, a file for each task
    signals/000000.parquet signals of the same runs, where some are kept
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trackrod.campaign.description import Description
from trackrod.campaign.plan import EVENTS, Plan, Shipped, TaskResult, unpacked
from trackrod.core.artefact import Artefact, Schema, load, save
from trackrod.core.errors import InputError, MissingExtraError, MissingFileError, Place, Problem
from trackrod.core.files import atomic_path, make_folder
from trackrod.core.plain import canonical_json
from trackrod.core.records import to_plain
from trackrod.core.signals import TIME
from trackrod.rtm.spec import RTM

__all__ = ["CampaignFolder", "require_parquet"]

if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


#: The plan as the texts that workers get.
_PLAN: Schema[Mapping[str, Any]] = Schema("trackrod.campaign", 1, dict, dict)
#: Metadata of a column of the files: its unit.
_UNIT = b"unit"


def require_parquet() -> Any:
    """The modules that read and write the table.

    Raises
    ------
    MissingExtraError
        They are not installed.
    """
    try:
        import pyarrow  # noqa: PLC0415 - optional package
        import pyarrow.parquet  # noqa: PLC0415
    except ImportError:
        raise MissingExtraError("pyarrow", "data", "a campaign") from None
    return pyarrow


@dataclass(frozen=True, slots=True)
class CampaignFolder:
    """A folder that holds a campaign, or will."""

    path: Path

    @property
    def plan_file(self) -> Path:
        """What the campaign is; without it there is none."""
        return self.path / "campaign.json"

    @property
    def runs(self) -> Path:
        """Folder of the table."""
        return self.path / "runs"

    @property
    def signals(self) -> Path:
        """Folder of signals."""
        return self.path / "signals"

    @property
    def report(self) -> Path:
        """The page."""
        return self.path / "report.html"

    def model_file(self, label: str) -> Path:
        """A model."""
        return self.path / "models" / f"{label}.json"

    def task_file(self, task: int) -> Path:
        """Rows of the runs of a task."""
        return self.runs / f"{task:06d}.parquet"

    # --- the plan ---

    @property
    def is_there(self) -> bool:
        """Whether it holds a campaign."""
        return self.plan_file.is_file()

    def write(self, plan: Plan) -> None:
        """Begin a campaign here; InputError if the folder cannot be made."""
        make_folder(self.path / "models")
        make_folder(self.runs)
        for label, spec in plan.specs.items():
            save(Artefact(RTM, spec), self.model_file(label))
        save(Artefact(_PLAN, json.loads(plan.shipped().plan)), self.plan_file)

    def shipped(self) -> Shipped:
        """The plan, to be sent to workers.

        Raises
        ------
        MissingFileError
            There is no campaign here.
        FileFormatError
            A file is damaged.
        """
        if not self.plan_file.exists():
            hint = "begin one with `trackrod campaign run FILE`"
            raise MissingFileError(Problem("there is no campaign in this folder", Place(self.path), hint=hint))
        saved = load(self.plan_file, _PLAN)
        labels = [str(model["label"]) for model in saved.content["description"]["models"]]
        models = {label: canonical_json(RTM.to_plain(load(self.model_file(label), RTM).content)) for label in labels}
        return Shipped(canonical_json(saved.content), models, saved.provenance.trackrod)

    def plan(self) -> Plan:
        """The plan; errors as of `shipped`."""
        return unpacked(self.shipped())

    def differences(self, description: Description) -> list[str]:
        """What another description says otherwise than the one here, a sentence each."""
        here, there = (
            load(self.plan_file, _PLAN).content["description"],
            json.loads(canonical_json(to_plain(description))),
        )
        return [
            f"'{key}' was {_short(here.get(key))}, the file says {_short(there.get(key))}"
            for key in sorted({*here, *there})
            if here.get(key) != there.get(key)
        ]

    # --- the table ---

    @contextmanager
    def locked(self) -> Iterator[None]:
        """The folder for this process alone, as long as the block lasts; the lock of a process that dies goes with it.

        Raises
        ------
        InputError
            Another process drives the campaign.
        """
        with (self.path / ".lock").open("ab") as stream:
            try:
                _lock(stream.fileno())
            except OSError:
                hint = "wait for it, or follow it with `trackrod campaign status`"
                text = "another process drives this campaign"
                raise InputError(Problem(text, Place(self.path), hint=hint)) from None
            for folder in (self.runs, self.signals):  # of a process that was killed while it wrote
                for half in (*folder.glob(".*.tmp"), *folder.glob(".*.tmp.parquet")):
                    half.unlink(missing_ok=True)
            yield

    def done(self) -> set[int]:
        """Tasks whose rows are here."""
        return {int(path.stem) for path in self.runs.glob("*.parquet") if path.stem.isdigit()}

    def write_task(self, plan: Plan, task: int, result: TaskResult) -> None:
        """Keep the runs of a task: the signals first, because the rows say that it is done."""
        pa = require_parquet()
        if plan.description.signals:
            make_folder(self.signals)
            _write(pa, _signal_table(pa, plan, result), self.signals / f"{task:06d}.parquet")
        _write(pa, pa.Table.from_pylist(result.rows, schema=table_schema(plan)), self.task_file(task))

    def drop_after(self, task: int) -> None:
        """Leave out tasks that a rule has made superfluous."""
        for folder in (self.runs, self.signals):
            for path in folder.glob("*.parquet"):
                if path.stem.isdigit() and int(path.stem) > task:
                    path.unlink()


def table_schema(plan: Plan) -> Any:
    """Columns of the table, with their units."""
    pa = require_parquet()
    columns: list[tuple[str, Any, str]] = [
        ("run", pa.int64(), ""),
        ("point", pa.int64(), ""),
        ("model", pa.string(), ""),
        ("manoeuvre", pa.string(), ""),
    ]
    columns += [(name, pa.string() if name in plan.words else pa.float64(), u) for name, u in plan.inputs.items()]
    columns += [("status", pa.string(), ""), ("text", pa.string(), ""), ("steps", pa.int64(), "")]
    columns += [(name, pa.float64(), "s") for name in EVENTS]
    columns += [(value.name, pa.float64(), value.unit) for value in plan.values]
    return pa.schema([pa.field(name, kind, metadata={_UNIT: unit.encode()}) for name, kind, unit in columns])


def _signal_table(pa: Any, plan: Plan, result: TaskResult) -> Any:
    names = (TIME.column, *plan.description.signals)
    columns: dict[str, Sequence[Any]] = {"run": [number for number, _, _ in result.signals]}
    columns |= {
        name: [times if k == 0 else kept[k - 1] for _, times, kept in result.signals] for k, name in enumerate(names)
    }
    schema = pa.schema([pa.field("run", pa.int64()), *(pa.field(name, pa.list_(pa.float64())) for name in names)])
    return pa.table(columns, schema=schema)


def _write(pa: Any, table: Any, path: Path) -> None:
    with atomic_path(path) as temporary:
        pa.parquet.write_table(table, temporary, compression="zstd")


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}…"
