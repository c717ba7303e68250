"""What every page works with: the workspace, its jobs, what is chosen, and what happens when a button is pressed."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trackrod.core.errors import InputError, Problem
from trackrod.web import commands
from trackrod.web.commands import Command
from trackrod.web.jobs import Job, Queue, State
from trackrod.web.workspace import Preferences, VehicleChoice, Workspace

__all__ = ["Bench"]


@dataclass(slots=True)
class Bench:
    """One workbench.

    Attributes
    ----------
    workspace, queue
        Its folder and its jobs.
    """

    workspace: Workspace
    queue: Queue

    @property
    def preferences(self) -> Preferences:
        """How things are shown, and what is chosen."""
        return self.workspace.preferences

    def prefer(self, **changes: Any) -> None:
        """Change preferences."""
        self.workspace.prefer(**changes)

    # --- the vehicle

    @property
    def vehicle(self) -> VehicleChoice | None:
        """The one that is chosen, if it is still there."""
        return self.workspace.vehicle(self.preferences.vehicle)

    def require_vehicle(self) -> VehicleChoice:
        """The one that is chosen; InputError if there is none."""
        if (found := self.vehicle) is None:
            raise InputError(Problem("no vehicle is chosen", hint="choose one on the page Vehicle"))
        return found

    def choose(self, key: str) -> None:
        """Choose a vehicle, and have it read and audited if it was not."""
        source = self.workspace.source(key)
        self.prefer(vehicle=key)
        if self.latest("inspect", key) is None:
            self.run(commands.inspect(source, Path(key).stem), key)

    def latest(self, kind: str, vehicle: str | None = None, *, done: bool = False) -> Job | None:
        """The newest job of a kind about a vehicle, the chosen one if none is named."""
        key = self.preferences.vehicle if vehicle is None else vehicle
        jobs = (job for job in self.queue.jobs(kind) if job.vehicle == key)
        return next((job for job in jobs if not done or job.state is State.DONE), None)

    # --- jobs

    def run(self, command: Command, vehicle: str = "") -> Job:
        """Queue a command."""
        job = self.queue.add(command.kind, command.title, command.words, vehicle=vehicle, files=command.files)
        self.step()
        return job

    def step(self) -> None:
        """What a timer does."""
        self.queue.step()

    def outline(self, *kinds: str) -> Hashable:
        """What a page about jobs must be drawn anew for: some came, went, or have results; cards tell the rest."""
        told = (State.DONE, State.FAILED)
        return tuple((job.number, job.state if job.state in told else None) for job in self.queue.jobs(*kinds))

    def outline_of_vehicle(self, kind: str) -> Hashable:
        """The same for a page about the vehicle that is chosen."""
        return self.preferences.vehicle, self.outline(kind)

    def conversion(self, options: dict[str, str] | None = None) -> Command:
        """The study as it is chosen now; InputError with everything that is wrong in it."""
        chosen, preferences = self.require_vehicle(), self.preferences
        source = self.workspace.source(chosen.key)
        name = Path(chosen.key).stem
        return commands.convert(source, name, preferences.draft, expert=preferences.expert, options=options)

    def start_conversion(self, options: dict[str, str] | None = None) -> Job:
        """Queue it."""
        return self.run(self.conversion(options), self.preferences.vehicle)

    def source(self) -> tuple[str, str, str]:
        """Source, name and key of the vehicle that is chosen; InputError if there is none."""
        chosen = self.require_vehicle()
        return self.workspace.source(chosen.key), Path(chosen.key).stem, chosen.key
