"""Who may ask: requests of other sites, of other hosts and without the token are refused, before any page sees them."""

from __future__ import annotations

import hmac
import re
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlsplit

__all__ = ["HEADERS", "Guard", "is_loopback", "is_token"]

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

#: What every answer says: no other site may frame it, guess its kind or take its address along.
HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"x-frame-options", b"SAMEORIGIN"),
)
_SAFE = ("GET", "HEAD")


def is_loopback(host: str) -> bool:
    """Whether an address is this machine alone."""
    return host in ("127.0.0.1", "localhost", "::1")


def is_token(text: str) -> bool:
    """Whether a text can be a token: too long to be tried out, of signs that an address and a cookie carry."""
    return re.fullmatch(r"[A-Za-z0-9_-]{8,200}", text) is not None


def _same(given: str, token: str) -> bool:
    """Compared in a time that does not tell how much of it is right."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), token.encode())


class Guard:
    """Stands before an application.

    Parameters
    ----------
    app
        What is guarded.
    hosts
        Names, with port, under which it may be asked; empty for any, which needs a token.
    token
        What a browser must know; None for nothing. It comes once in the address (``?token=``), then as a cookie.
    largest
        Size of what is sent to it at once [byte].
    """

    def __init__(self, app: App, hosts: Iterable[str] = (), token: str | None = None, largest: int = 2**26) -> None:
        self._app = app
        self._hosts = frozenset(hosts)
        self._token = token
        self._largest = largest
        if not self._hosts and token is None:
            raise ValueError("a server for every host needs a token")
        if token is not None and not is_token(token):
            raise ValueError("this is no token")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        if reason := self._refusal(scope, headers):
            await _refuse(scope, receive, send, 403, reason)
            return
        if self._token is not None and not self._knows(headers):
            given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])[0]
            if scope["type"] == "http" and scope["method"] == "GET" and _same(given, self._token):
                await self._welcome(scope, send)
            else:
                await _refuse(scope, receive, send, 401, "the address lacks the token that the server printed")
            return

        async def told(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                said = {name for name, _ in message.get("headers", ())}
                extra = [pair for pair in HEADERS if pair[0] not in said]
                message["headers"] = [*message.get("headers", ()), *extra]
            await send(message)

        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > self._largest:
            await _refuse(scope, receive, send, 413, "that is too large")
            return
        came = 0

        async def counted() -> MutableMapping[str, Any]:
            nonlocal came
            message = await receive()
            if message["type"] == "http.request":
                came += len(message.get("body", b""))
                if came > self._largest:  # it did not say how much would come
                    return {"type": "http.disconnect"}
            return message

        await self._app(scope, counted, told)

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> str:
        """Why a request is refused; nothing if it is not."""
        host = headers.get("host", "")
        if self._hosts and host.casefold() not in self._hosts:
            return "this server is not asked under that name"
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc.casefold() != host.casefold():
            return "requests of other sites are refused"
        foreign = headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none")
        if foreign and (scope["type"] == "websocket" or scope["method"] not in _SAFE):
            return "requests of other sites are refused"
        return ""

    @property
    def _cookie(self) -> str:
        return "trackrod_token"

    def _knows(self, headers: dict[str, str]) -> bool:
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self._cookie)
        except CookieError:
            return False
        return found is not None and _same(found.value, self._token or "")

    async def _welcome(self, scope: Scope, send: Send) -> None:
        cookie = f"{self._cookie}={self._token}; HttpOnly; SameSite=Strict; Path=/"
        path = "/" + scope["path"].lstrip("/\\")
        head = [(b"location", path.encode()), (b"set-cookie", cookie.encode()), *HEADERS]
        await send({"type": "http.response.start", "status": 303, "headers": head})
        await send({"type": "http.response.body", "body": b""})


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, reason: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": reason})
        return
    body = f"refused: {reason}\n".encode()
    head = [(b"content-type", b"text/plain; charset=utf-8"), *HEADERS]
    await send({"type": "http.response.start", "status": status, "headers": head})
    await send({"type": "http.response.body", "body": body})
