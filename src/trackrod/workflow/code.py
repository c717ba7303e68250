"""Which code a result depends on: the modules that the module of its maker imports, and those that these import.

Imports are read from the sources, those inside functions and for type checkers too: nobody keeps a list that can lag
behind, and nothing is run to find out.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterator
from importlib.util import resolve_name
from pathlib import Path

import trackrod
from trackrod.core.files import content_hash, hash_bytes

__all__ = ["code_hash", "reached_modules"]

_ROOT = trackrod.__name__


def code_hash(maker: Callable[..., object]) -> str:
    """Hash of the sources that the module of a function or class reaches, and of the compiled core.

    Holds: it changes with every one of these files, and with no other.
    """
    return _module_hash(maker.__module__)


@functools.cache
def _module_hash(module: str) -> str:
    files = [path for name in reached_modules(module) if (path := _source(name)) is not None]
    for place in trackrod.__path__:
        files += [*Path(place).glob("_core*.so"), *Path(place).glob("_core*.pyd")]
    # An editable installation has the package in two folders: the content counts, not where it lies.
    return hash_bytes("\n".join(sorted(f"{path.name} {content_hash(path)}" for path in files)).encode())


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
    for node in ast.walk(ast.parse(path.read_bytes())):
        found.update(_named(node, package))
    return tuple(name for name in found if name.partition(".")[0] == _ROOT and _source(name) is not None)


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
