"""Requests that must not reach a page: other sites, other names of the host, no token or a wrong one."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import pytest

from trackrod.core.errors import InputError
from trackrod.web.guard import Guard, is_token

HOSTS = ("127.0.0.1:8123", "localhost:8123")


def ask(guard_of: dict[str, Any], headers: dict[str, str], *, kind: str = "http", **scope: Any) -> tuple[int, Any]:
    """Status and headers of the answer; 200 if the request reached the page, 1008 where a websocket is closed."""
    sent: list[MutableMapping[str, Any]] = []

    async def page(_scope: Any, _receive: Any, send: Any) -> None:
        begin = "websocket.accept" if kind == "websocket" else "http.response.start"
        await send({"type": begin, "status": 200, "headers": []})

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    asked = {"type": kind, "method": "GET", "path": "/", "query_string": b"", "headers": raw, **scope}
    asyncio.run(Guard(page, **guard_of)(asked, receive, send))
    first = sent[0]
    if first["type"] == "websocket.close":
        return first["code"], {}
    return first.get("status", 200), dict(first.get("headers", ()))


LOCAL = {"hosts": HOSTS}
OPEN = {"token": "secret-word"}


@pytest.mark.parametrize(
    ("headers", "kind", "method", "status"),
    [
        ({"Host": HOSTS[0]}, "http", "GET", 200),
        ({"Host": HOSTS[1], "Origin": "http://localhost:8123"}, "http", "POST", 200),
        ({"Host": "evil.example:8123"}, "http", "GET", 403),
        ({}, "http", "GET", 403),
        ({"Host": HOSTS[0], "Origin": "http://evil.example"}, "http", "POST", 403),
        ({"Host": HOSTS[0], "Origin": "null"}, "http", "POST", 403),
        ({"Host": HOSTS[0], "Origin": "http://127.0.0.1:9999"}, "http", "POST", 403),
        ({"Host": HOSTS[0], "Sec-Fetch-Site": "cross-site"}, "http", "POST", 403),
        ({"Host": HOSTS[0], "Sec-Fetch-Site": "cross-site"}, "http", "GET", 200),  # a link on another page
        ({"Host": HOSTS[0], "Origin": "http://127.0.0.1:8123"}, "websocket", "GET", 200),
        ({"Host": HOSTS[0], "Origin": "http://evil.example"}, "websocket", "GET", 1008),
        ({"Host": HOSTS[0], "Sec-Fetch-Site": "cross-site"}, "websocket", "GET", 1008),
        ({"Host": "evil.example"}, "websocket", "GET", 1008),
    ],
)
def test_other_sites_and_hosts(headers: dict[str, str], kind: str, method: str, status: int) -> None:
    assert ask(LOCAL, headers, kind=kind, method=method)[0] == status


@pytest.mark.parametrize(
    ("headers", "query", "kind", "status"),
    [
        ({}, b"", "http", 401),
        ({}, b"token=wrong", "http", 401),
        ({}, b"token=", "http", 401),
        ({}, "token=wörd".encode(), "http", 401),
        ({}, b"token=secret-word&token=x", "http", 303),
        ({}, b"token=x&token=secret-word", "http", 401),
        ({"Cookie": "trackrod_token=wrong"}, b"", "http", 401),
        ({"Cookie": "trackrod_token"}, b"", "http", 401),
        ({"Cookie": "trackrod_token=secret-word"}, b"", "http", 200),
        ({}, b"", "websocket", 1008),
        ({}, b"token=secret-word", "websocket", 1008),
        ({"Cookie": "trackrod_token=secret-word"}, b"", "websocket", 200),
    ],
)
def test_tokens(headers: dict[str, str], query: bytes, kind: str, status: int) -> None:
    assert ask(OPEN, {"Host": "any:1", **headers}, kind=kind, query_string=query)[0] == status


def test_a_token_in_the_address_becomes_a_cookie() -> None:
    status, headers = ask(OPEN, {"Host": "any:1"}, query_string=b"token=secret-word", path="//evil.example/x")
    assert status == 303
    assert headers[b"location"] == b"/evil.example/x"
    assert b"HttpOnly; SameSite=Strict" in headers[b"set-cookie"]


def test_a_server_for_everybody_needs_a_token() -> None:
    with pytest.raises(ValueError, match="token"):
        Guard(None, ())  # type: ignore[arg-type]
    for token in ("", "short", "with space", "a;b;c;d;e;f", "päßwörter"):
        assert not is_token(token)
        with pytest.raises(ValueError, match="no token"):
            Guard(None, (), token)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"token": ""}, "--token is no token"),
        ({"host": "x" * 300, "token": "secret-word"}, "nobody can listen at xxx"),
        ({"host": "192.0.2.1", "token": "secret-word"}, "nobody can listen at 192.0.2.1"),
        ({}, "Address already in use"),
    ],
)
def test_a_server_that_cannot_be(settings: dict[str, Any], words: str, tmp_path: Path) -> None:
    """Said before anything is begun or made."""
    serve = pytest.importorskip("trackrod.web.app").serve
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(InputError, match=words):
            serve(tmp_path / "space", port=taken.getsockname()[1], browser=False, **settings)
    assert list(tmp_path.iterdir()) == []


def test_every_answer_says_who_may_frame_it() -> None:
    headers = ask(LOCAL, {"Host": HOSTS[0]})[1]
    assert headers[b"x-frame-options"] == b"SAMEORIGIN"
    assert headers[b"x-content-type-options"] == b"nosniff"
