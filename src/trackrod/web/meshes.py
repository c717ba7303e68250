"""Meshes of bodies that lie beside a database: STL, OBJ and glTF files named as the body."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["SUFFIXES", "meshes_beside"]

SUFFIXES = (".stl", ".obj", ".gltf", ".glb")
#: Size of a file [byte], files, and triangles that are drawn of each; more are thinned out.
_LARGEST = 32 * 2**20
_MOST_FILES = 40
_MOST_TRIANGLES = 4000


def meshes_beside(database: Path, bodies: set[str]) -> Iterator[dict[str, Any]]:
    """Meshes of bodies, found in a database by their names: ``upright_left.stl`` is that of the body `upright_left`.

    Coordinates are those of the vehicle at its design position; meshes larger than 50 units are taken to be in mm.
    Files that cannot be read, and kinds for which `trimesh` is missing, are left out, and said so on standard output.
    """
    files = (path for path in sorted(database.rglob("*")) if path.suffix.casefold() in SUFFIXES)
    chosen = [path for path in files if path.stem in bodies and path.is_file() and not path.is_symlink()]
    if not chosen:
        return
    try:
        import trimesh  # noqa: PLC0415 - optional package
    except ImportError:
        print("meshes are drawn where trimesh is installed: pip install 'trackrod[gui]'")
        return
    for path in chosen[:_MOST_FILES]:
        if path.stat().st_size > _LARGEST:
            print(f"{path.name} has more than {_LARGEST // 2**20} MiB and is not drawn")
            continue
        try:
            mesh: Any = trimesh.load(path, force="mesh")
            vertices, faces = np.asarray(mesh.vertices, dtype=np.float64), np.asarray(mesh.faces, dtype=np.int64)
        except Exception as error:
            print(f"{path.name} cannot be read as a mesh: {error}")
            continue
        if not len(faces) or not np.isfinite(vertices).all():
            print(f"{path.name} holds no triangles")
            continue
        scale = 1e-3 if np.ptp(vertices, axis=0).max() > 50 else 1.0
        triangles = vertices[faces[:: max(1, len(faces) // _MOST_TRIANGLES)]] * scale
        yield {"body": path.stem, "triangles": np.round(triangles, 4).tolist()}
