"""The guard of the web application: who may ask, from where, how much.

A request that changes something comes from its own pages (OWASP, "Cross-Site Request Forgery
Prevention") or from a program. Answers carry the headers that keep them in their place.
"""

from __future__ import annotations

import asyncio
import re
from base64 import b64decode
from contextlib import suppress
from dataclasses import dataclass, field
from secrets import compare_digest, token_urlsafe

from starlette.middleware.base import RequestResponseEndpoint
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from sdtext.web.answers import refusal

COOKIE, TOKEN = "sdtext", "token"
POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
_UNKNOWN = (
    "Open the address that the server printed when it started, which has the token; programs send "
    "it, or the password, in the header Authorization: Bearer TOKEN."
)
_SLOWED = 1.0  # seconds for an answer to a wrong token
_DRAINED = 8  # times the limit: so much of a body is read, so that a browser shows the answer


@dataclass(frozen=True)
class Guard:
    """Lets those in who know the secret: the `password`, or else the `token` of the first address.

    `hosts` are the names that the server answers to, `max_upload` is the size of the largest body
    in bytes.
    """

    hosts: frozenset[str]
    max_upload: int
    password: str = ""
    token: str = field(default_factory=lambda: token_urlsafe(32))

    async def __call__(self, request: Request, call_next: RequestResponseEndpoint) -> Response:
        """The answer to a request, or its refusal."""
        answer = await self._answer(request) or await call_next(request)
        for name, value in HEADERS.items():
            answer.headers.setdefault(name, value)
        return answer

    async def _answer(self, request: Request) -> Response | None:
        """The refusal of what is not allowed, the cookie for the first address, else None."""
        host, is_read = request.headers.get("host", ""), request.method in ("GET", "HEAD")
        if re.sub(r":\d+\Z", "", host.lower()) not in self.hosts:
            return refusal(request, 400, "This server does not have the name that was asked for.")
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        given = given.encode("latin-1").decode("utf-8", "replace")
        site = request.headers.get("sec-fetch-site") or request.headers.get("origin")
        is_own_page = site in ("same-origin", f"http://{host}", f"https://{host}")
        if not (is_read or scheme == "Bearer" or is_own_page):
            return refusal(request, 403, "The request does not come from a page of this server.")
        if request.url.path.startswith("/static/"):
            return None
        if scheme == "Basic":
            with suppress(ValueError):  # RFC 7617: base64 of name:password
                given = b64decode(given).decode().partition(":")[2]
        first = "" if self.password or not is_read else request.query_params.get(TOKEN, "")
        given = first or given or request.cookies.get(COOKIE, "")
        if not compare_digest(given.encode(), (self.password or self.token).encode()):
            await asyncio.sleep(_SLOWED if given else 0)
            answer = refusal(request, 401, _UNKNOWN)
            if self.password:
                answer.headers["www-authenticate"] = 'Basic realm="sdtext", charset="UTF-8"'
            return answer
        if first:
            answer = RedirectResponse("/", 303)
            secure = request.url.scheme == "https"
            answer.set_cookie(COOKIE, given, httponly=True, samesite="strict", secure=secure)
            return answer
        return await self._too_large(request)

    async def _too_large(self, request: Request) -> Response | None:
        """The refusal of a body of more than the limit, or of a length that is not given."""
        if "transfer-encoding" in request.headers:
            return refusal(request, 411, "The request does not give the length of its content.")
        length = int(request.headers.get("content-length", 0))
        if length <= self.max_upload:
            return None
        if length <= _DRAINED * self.max_upload:  # a browser shows no answer before it has sent all
            async for _ in request.stream():
                pass
        most = f"{self.max_upload >> 20:,} MB, the most that is taken"
        return refusal(request, 413, f"The upload is larger than {most}.")
