"""What is fetched rather than drawn: files of jobs, scenes, reports under their policy."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

from fastapi import FastAPI, HTTPException
from fastapi.responses import Response

from trackrod.core.errors import InputError
from trackrod.web.bench import Bench
from trackrod.web.harmless import harmless_page

__all__ = ["add_routes"]

#: What is shown in the browser, by suffix; anything else is saved.
_SHOWN = {".png": "image/png", ".pdf": "application/pdf", ".csv": "text/csv", ".json": "application/json"}
_NEVER = "default-src 'none'; sandbox"


def add_routes(app: FastAPI, bench: Bench) -> None:
    """Add them to the server."""

    @app.get("/files/{number}/{name:path}")
    def file(number: int, name: str, save: bool = False) -> Response:
        path = _found(bench, number, name)
        data = path.read_bytes()
        headers = {"content-security-policy": _NEVER, "cache-control": "no-store"}
        kind = _SHOWN.get(path.suffix, "application/octet-stream")
        if path.suffix == ".html" and not save:
            page, headers["content-security-policy"] = harmless_page(data.decode("utf-8", "replace"))
            return Response(page, media_type="text/html", headers=headers)
        if save or path.suffix not in _SHOWN:
            headers["content-disposition"] = f'attachment; filename="{_ascii(path.name)}"'
        if path.suffix == ".pdf":
            del headers["content-security-policy"]  # the viewer of the browser is a page of its own
        return Response(data, media_type=kind, headers=headers)

    @app.get("/folders/{number}")
    def folder(number: int) -> Response:
        base = _out(bench, number)
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
            for path in sorted(base.rglob("*")):
                if path.is_file() and not path.is_symlink():
                    packed.write(path, path.relative_to(base).as_posix())
        headers = {"content-disposition": f'attachment; filename="job_{number:04d}.zip"'}
        return Response(stream.getvalue(), media_type="application/zip", headers=headers)

    @app.get("/views/{number}")
    def view(number: int) -> Response:
        try:
            data: Any = bench.queue.read(bench.queue.job(number), "view.json")
        except InputError as error:
            raise HTTPException(404, str(error)) from None
        if data is None:
            raise HTTPException(404, "there is nothing to draw")
        return Response(json.dumps(data), media_type="application/json", headers={"cache-control": "no-store"})


def _out(bench: Bench, number: int) -> Path:
    try:
        return bench.queue.out(bench.queue.job(number))
    except InputError as error:
        raise HTTPException(404, str(error)) from None


def _found(bench: Bench, number: int, name: str) -> Path:
    try:
        path = bench.workspace.inside(_out(bench, number), name)
    except InputError as error:
        raise HTTPException(404, str(error)) from None
    if not path.is_file():
        raise HTTPException(404, "there is no such file")
    return path


def _ascii(name: str) -> str:
    return "".join(sign if sign.isascii() and (sign.isalnum() or sign in "._-") else "_" for sign in name)
