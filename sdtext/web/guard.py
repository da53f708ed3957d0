"""The guard of the web application: who may ask, from where, how much.

It stands before every page: a host that is its own, a token in a cookie or a header, a request
that changes something only from its own pages (OWASP, "Cross-Site Request Forgery Prevention"), a
body of a limited size. Answers carry the headers that keep them in their place.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from secrets import compare_digest, token_urlsafe
from typing import Any
from urllib.parse import parse_qs, urlencode

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]
Refuse = Callable[[Scope, int, str], Application]

COOKIE, TOKEN = "sdtext", "token"
LOGIN = "/login"
POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
_UNKNOWN = (
    "Open the address that the server printed when it started, which has the token; programs send "
    "it in the header Authorization: Bearer TOKEN."
)
_OPEN = ("/static/", LOGIN)
_SLOWED = 1.0  # seconds for an answer to a wrong token
_DRAINED = 8  # times the limit: so much of a body is read, so that a browser shows the answer


class TooLargeError(Exception):
    """The body of a request is longer than the limit."""


@dataclass(frozen=True)
class Guard:
    """An ASGI application before another one.

    `refuse` makes the answer for a status and a sentence. `hosts` are the names that the server
    answers to; with a `password` people log in, otherwise the first address has the token.
    """

    application: Application
    refuse: Refuse
    hosts: frozenset[str]
    max_upload: int
    password: str = ""
    token: str = field(default_factory=lambda: token_urlsafe(32))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.application(scope, receive, send)
            return
        headers = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
        }
        answer = await self._answer(scope, headers)
        await answer(scope, _Limited(receive, self.max_upload), _with_headers(send))

    async def _answer(self, scope: Scope, headers: dict[str, str]) -> Application:  # noqa: PLR0911 (one refusal each)
        """The application, or the refusal of what is not allowed."""
        host = headers.get("host", "")
        is_read = scope["method"] in ("GET", "HEAD")
        bearer = headers.get("authorization", "").removeprefix("Bearer ")
        if _name_of(host) not in self.hosts:
            return self.refuse(scope, 400, "This server does not have the name that was asked for.")
        if not (is_read or bearer or _is_own_page(headers, host)):
            return self.refuse(scope, 403, "The request does not come from a page of this server.")
        if scope["path"].startswith(_OPEN):
            return self.application
        query = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if is_read and TOKEN in query and not self.password:
            if await self._is_equal(query.pop(TOKEN)[-1], self.token):
                rest = urlencode(query, doseq=True)
                return see_other(_path(scope) + (f"?{rest}" if rest else ""), self.cookie(scope))
        elif await self._is_equal(bearer or _cookie(headers), self.token):
            return self.application
        if self.password and not scope["path"].startswith("/api/"):
            return see_other(LOGIN)
        return self.refuse(scope, 401, _UNKNOWN)

    def cookie(self, scope: Scope) -> str:
        """The header of the cookie that lets a browser in."""
        secure = "; Secure" if scope.get("scheme") == "https" else ""
        return f"{COOKIE}={self.token}; HttpOnly; SameSite=Strict; Path=/{secure}"

    async def is_password(self, given: str) -> bool:
        """Whether it is the password; a wrong one takes a second."""
        return await self._is_equal(given, self.password)

    async def _is_equal(self, given: str, right: str) -> bool:
        equal = bool(right) and compare_digest(given.encode(), right.encode())
        if given and not equal:
            await asyncio.sleep(_SLOWED)
        return equal


class _Limited:
    """What is received of a body, up to a limit; then TooLargeError is raised."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive, self._most = receive, most
        self._length = 0

    async def __call__(self) -> Message:
        message = await self._next()
        if self._length <= self._most:
            return message
        # A browser shows no answer before it has sent all: read the rest, within limits.
        while message.get("more_body") and self._length <= self._most * _DRAINED:
            message = await self._next()
        raise TooLargeError

    async def _next(self) -> Message:
        message = await self._receive()
        self._length += len(message.get("body", b""))
        return message


def see_other(address: str, cookie: str = "") -> Application:
    """An answer with the status 303, which leads to an address of this server."""

    async def answer(_scope: Scope, _receive: Receive, send: Send) -> None:
        headers = [(b"location", address.encode("latin-1", "replace")), (b"content-length", b"0")]
        if cookie:
            headers.append((b"set-cookie", cookie.encode("latin-1")))
        await send({"type": "http.response.start", "status": 303, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    return answer


def _with_headers(send: Send) -> Send:
    """The function that sends an answer with the headers which it lacks."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            has = {name.lower() for name, _ in message.get("headers", ())}
            more = [
                (name.encode(), value.encode())
                for name, value in _HEADERS.items()
                if name.encode() not in has
            ]
            message = {**message, "headers": [*message.get("headers", ()), *more]}
        await send(message)

    return sending


def _is_own_page(headers: dict[str, str], host: str) -> bool:
    """Whether a browser says that a page of this server asks."""
    if site := headers.get("sec-fetch-site"):
        return site == "same-origin"
    return headers.get("origin") in (f"http://{host}", f"https://{host}")


def _path(scope: Scope) -> str:
    """The path of a request, which names no other host."""
    return "/" + str(scope["path"]).lstrip("/\\")


def _name_of(host: str) -> str:
    """The name in a header Host, without the port."""
    name, bracket, _ = host.rpartition("]")
    return (name + bracket if bracket else host.partition(":")[0]).lower()


def _cookie(headers: dict[str, str]) -> str:
    try:
        cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return cookie.value if cookie else ""
