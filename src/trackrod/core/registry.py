"""Things by name that others may add to: built in, declared by installed packages, or registered by a file of the user.

An installed package declares what it adds as entry points; a file of the user is run (`load_plugin`) and registers what
it adds. Either way it is then there under its name, like what is built in.
"""

from __future__ import annotations

import functools
import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from trackrod.core.errors import InputError, Place, Problem, UnknownNameError
from trackrod.core.files import hash_bytes, read_bytes

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["Registry", "declared", "load_entry", "load_plugin", "load_plugins", "origin_hash"]

T = TypeVar("T")

_PACKAGE = __name__.partition(".")[0]
_LARGEST_FILE = 2**20
#: How often something was registered: a file that adds nothing is a mistake.
_added = 0


class Registry(Mapping[str, T], Generic[T]):
    """What there is of one kind, by name.

    Parameters
    ----------
    what
        In messages: ``manoeuvre``.
    group
        Of the entry points with which installed packages add to it: ``trackrod.manoeuvres``.
    built_in
        What is there in any case.
    check
        Says what is wrong with something that is added, in sentences.

    Holds: what is built in comes first and cannot be replaced; nothing of an installed package is imported before it is
    asked for by its name.
    """

    def __init__(
        self, what: str, group: str, built_in: Mapping[str, T], check: Callable[[Any], Iterator[str]] | None = None
    ) -> None:
        self.what = what
        self.group = group
        self.built_in = built_in
        self._check = check
        self._registered: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        if name in self.built_in:
            return self.built_in[name]
        if name in self._registered:
            return self._registered[name]
        declared = self._declared()
        if name not in declared:
            raise KeyError(name)
        self.add(name, load_entry(declared[name], self.what))
        return self._registered[name]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self.built_in, *self._registered, *self._declared())))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, name: object) -> bool:
        return name in self.built_in or name in self._registered or name in self._declared()

    def add(self, name: str, thing: T) -> None:
        """One more; InputError if it is not what it should be, or a built-in one has its name."""
        problems = [f"the {self.what} '{name}': {fault}" for fault in (self._check(thing) if self._check else ())]
        if name in self.built_in:
            problems.append(f"there is a built-in {self.what} '{name}': choose another name")
        if problems:
            raise InputError([Problem(text) for text in problems])
        self._registered[name] = thing
        self.count()

    @staticmethod
    def count() -> None:
        """Something was registered."""
        global _added  # noqa: PLW0603 - over all registries
        _added += 1

    def find(self, name: str) -> T:
        """By its name; UnknownNameError with close matches."""
        try:
            return self[name]
        except KeyError:
            raise UnknownNameError(self.what, name, self) from None

    def _declared(self) -> dict[str, EntryPoint]:
        return {entry.name: entry for entry in declared(self.group)}


@functools.cache
def declared(group: str) -> tuple[EntryPoint, ...]:
    """What installed packages declare in a group."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - takes longer than all of the command line

    return tuple(entry_points(group=group))


def load_entry(entry: EntryPoint, what: str) -> Any:
    """What an entry point stands for; InputError if it cannot be imported."""
    try:
        return entry.load()
    except (ImportError, AttributeError) as error:
        text = f"the {what} '{entry.name}' ({entry.value}) cannot be loaded: {error}"
        raise InputError(Problem(text, hint="repair or uninstall the package that declares it")) from error


def load_plugins(paths: Iterable[Path | str]) -> tuple[Path, ...]:
    """Run files of the user, in order; errors as `load_plugin`."""
    return tuple(load_plugin(path) for path in paths)


def load_plugin(path: Path | str) -> Path:
    """Run a Python file of the user that registers manoeuvres, indices, templates or optimisers.

    Raises
    ------
    InputError
        It cannot be read or run, with its line; or it registers nothing.

    Limits: what the file imports from elsewhere is not watched: change the file itself, or install a package.
    """
    path = Path(path)
    content = read_bytes(path, _LARGEST_FILE)
    name = f"{_PACKAGE}_plugin_{path.stem}_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:8]}"
    if path.suffix != ".py":
        raise InputError(Problem("a plugin is a Python file (.py)", Place(path)))
    module = ModuleType(name)
    module.__file__ = str(path.resolve())
    before = _added
    sys.modules[name] = module  # classes look up their module while they are made
    try:
        exec(compile(content, str(path), "exec"), module.__dict__)  # what the user asked for
    except InputError as error:
        raise InputError([Problem(p.text, Place(path), hint=p.hint) for p in error.problems]) from error
    except Exception as error:
        text = f"the plugin cannot be run: {type(error).__name__}: {error}"
        raise InputError(Problem(text, Place(path, _line_in(error, path)))) from error
    if _added == before:
        hint = "it must call register_manoeuvre, register_indices, register_templates or register_optimiser"
        raise InputError(Problem("the plugin adds nothing", Place(path), hint=hint))
    return path


def _line_in(error: Exception, path: Path) -> int | None:
    """The last line of a file that an error came through."""
    if isinstance(error, SyntaxError):
        return error.lineno
    line, step = None, error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == str(path):
            line = step.tb_lineno
        step = step.tb_next
    return line


def origin_hash(thing: object) -> str:
    """Hash of the sources of a class or function that is not Trackrod's own; empty for our own.

    Of a file of the user it is that of the file, of a module of a package that of all Python files of the package.

    Holds: whatever is changed there, the hash changes; results that depend on it are made again.
    """
    name = str(getattr(thing, "__module__", ""))
    top = name.partition(".")[0]
    if top == _PACKAGE:
        return ""
    module = sys.modules.get(name)
    file = getattr(module, "__file__", None)
    if file is None or not Path(file).is_file():  # typed at a prompt: nothing to tell it by but its name
        return hash_bytes(name.encode())
    around = getattr(sys.modules.get(top), "__path__", None)
    sources = sorted(Path(next(iter(around))).rglob("*.py")) if around else [Path(file)]
    return hash_bytes(b"\0".join(path.read_bytes() for path in sources))
