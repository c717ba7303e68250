"""Which code a result depends on: the modules that the module of its maker imports, and those that these import.

Imports are read from the sources, those inside functions and for type checkers too: nobody keeps a list that can lag
behind, and nothing is run to find out. Of the compiled core those parts count whose names these modules use; it says
itself which sources are behind a name.
"""

from __future__ import annotations

import ast
import functools
import threading
from collections.abc import Callable, Iterable, Iterator
from importlib.util import resolve_name
from pathlib import Path

import trackrod
from trackrod import _core
from trackrod.core.files import content_hash, hash_bytes

__all__ = ["code_hash", "reached_modules"]

_ROOT = trackrod.__name__
#: Two threads of Python 3.11 that parse at the same time disturb each other's count of recursions (SystemError).
_PARSING = threading.Lock()


def code_hash(maker: Callable[..., object]) -> str:
    """Hash of the sources that the module of a function or class reaches, those of the compiled core included.

    Holds: it changes with every one of these files, and with no other: what the multibody model has driven stays when
    the real-time model changes.
    """
    return _module_hash(maker.__module__)


@functools.cache
def _module_hash(module: str) -> str:
    modules = reached_modules(module)
    files = [path for name in modules if (path := _source(name)) is not None]
    # An editable installation has the package in two folders: the content counts, not where it lies.
    lines = sorted(f"{path.name} {content_hash(path)}" for path in files)
    sources = _core.sources()
    compiled = sorted({sources[name] for used in modules for name in _core_names(used) if name in sources})
    return hash_bytes("\n".join((*lines, *compiled)).encode())


def reached_modules(module: str) -> frozenset[str]:
    """A module of Trackrod and every other that is imported with it."""
    found: set[str] = set()
    left = [module]
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += _imports(name)
    return frozenset(found)


@functools.cache
def _imports(module: str) -> tuple[str, ...]:
    """Modules of Trackrod that a module imports itself; the packages that it lies in come with it."""
    path = _source(module)
    if path is None:  # compiled
        return ()
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    found = {package} if package else set()
    for node in _statements(_parsed(path).body):
        found.update(_named(node, package))
    return tuple(name for name in found if name.partition(".")[0] == _ROOT and _source(name) is not None)


@functools.cache
def _core_names(module: str) -> frozenset[str]:
    """Names of the compiled core that a module uses as ``_core.NAME``."""
    path = _source(module)
    if path is None or b"_core" not in path.read_bytes():
        return frozenset()
    nodes = (node for node in ast.walk(_parsed(path)) if isinstance(node, ast.Attribute))
    return frozenset(node.attr for node in nodes if ast.unparse(node.value) == "_core")


def _parsed(path: Path) -> ast.Module:
    with _PARSING:
        return ast.parse(path.read_bytes())


def _statements(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """All statements, those inside others too; expressions, of which there are many more, hold no import."""
    for node in body:
        yield node
        for inner in ("body", "orelse", "finalbody", "handlers", "cases"):
            yield from _statements(getattr(node, inner, ()))


def _named(node: ast.AST, package: str) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        origin = resolve_name("." * node.level + (node.module or ""), package)
        yield origin
        yield from (f"{origin}.{alias.name}" for alias in node.names)  # a module, or a name in one


@functools.cache
def _source(module: str) -> Path | None:
    inside = module.split(".")[1:]
    for place in trackrod.__path__:
        stem = Path(place, *inside)
        for path in (stem / "__init__.py", stem.with_name(f"{stem.name}.py")):
            if path.is_file():
                return path
    return None
