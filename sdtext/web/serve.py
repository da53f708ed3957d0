"""The server: addresses and their handlers, one process that listens until it is interrupted.

A guard decides who may ask, from where, how much: a request that changes something comes from its
own pages (OWASP, "Cross-Site Request Forgery Prevention") or from a program.
"""

from __future__ import annotations

import asyncio
import re
from base64 import b64decode
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from secrets import compare_digest, token_urlsafe

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware, RequestResponseEndpoint
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from sdtext.collections.stored_collection import StoredCollection
from sdtext.errors import OptionError, OutputError, SdtextError
from sdtext.web.jobs import Dispatcher, Jobs
from sdtext.web.library import Library, lacks
from sdtext.web.pages import Pages, page, refusal
from sdtext.wording import reason

_Handler = Callable[[Request, FormData], Response]
_LOCAL = frozenset(("127.0.0.1", "localhost", "[::1]"))
_MOST_FILES = 1000  # in one form
_STYLES = [(module, "templates") for module in ("sdtext.reports.html", "sdtext.web")]


def serve(  # noqa: PLR0913 (options are spelled out)
    collections: Sequence[Path],
    folder: Path,
    *,
    host: str,
    port: int,
    password_file: str | None,
    max_upload: int,
    keep: int,
    jobs: int,
    say: Callable[[str], None],
    show: Callable[[str], None],
) -> None:
    """Listen until interrupted; `show` gets the address, `say` what collections cannot do.

    Uploads have at most `max_upload` megabytes and are kept for `keep` days; so many `jobs` run at
    once. Raises OptionError for another host without a password, UnreadableError or FormatError for
    a collection that cannot be opened, and OutputError where the port or the folder is taken.
    """
    password = _password(password_file)
    name = f"[{host}]" if ":" in host else host.lower()
    if name not in _LOCAL and not password:
        raise OptionError(f"host {host} is open to others: give a password (password-file)")
    for path in collections:
        with StoredCollection.open(path) as stored:
            if what := lacks(stored):
                say(what)
    table = Jobs(folder)
    library = Library([path.resolve() for path in collections], folder / "collections")
    guard = Guard(_LOCAL | {name}, max_upload << 20, password)
    served = _application(Pages(library, table, guard.max_upload, keep), guard)
    config = uvicorn.Config(served, host, port, log_level="warning", access_log=False)
    with closing(Dispatcher(table, jobs, keep)):
        try:
            socket = config.bind_socket()
        except (SystemExit, OSError) as error:
            why = reason(error) if isinstance(error, OSError) else "it is taken"
            raise OutputError(f"port {port} cannot be listened on: {why}") from error
        socket.listen()  # whoever reads the address may open it at once
        at = f"http://{name}:{socket.getsockname()[1]}/"
        show(at if password else f"{at}?token={guard.token}")
        uvicorn.Server(config).run([socket])


def _password(path: str | None) -> str:
    if path is None:
        return ""
    with Path(path).open(encoding="utf-8") as file:
        password = file.readline(1000).strip()
    if len(password) < 8:
        raise OptionError("the password has fewer than 8 characters", file=path)
    return password


def _application(pages: Pages, guard: Guard) -> Starlette:
    """The application; each page is also there for programs, below `/api`."""
    addresses = [
        ("/checks", pages.checks, "GET POST"),
        ("/collections", pages.collections, "GET POST"),
        ("/collections/{name}", pages.collection, "GET"),
        ("/collections/{name}/{change}", pages.change, "POST"),
        ("/experiments", pages.experiments, "GET POST"),
        ("/terms", pages.terms, "GET POST"),
    ]
    for kind in ("checks", "jobs"):
        addresses += [
            (f"/{kind}/{{id}}", pages.job, "GET"),
            (f"/{kind}/{{id}}", pages.order, "DELETE"),
            (f"/{kind}/{{id}}/{{order}}", pages.order, "POST"),
            (f"/{kind}/{{id}}/{{file}}", pages.file, "GET"),
        ]
    routes = [
        Route(prefix + address, _with_form(handler), methods=methods.split())
        for prefix in ("", "/api")
        for address, handler, methods in addresses
    ]
    return Starlette(
        routes=[
            *routes,
            Route("/checks/{id}/evidence.xml", pages.saved, methods=["PUT"]),
            Route("/", _with_form(pages.checks)),
            Route("/api", _with_form(lambda asked, _: page(asked, "api.html", "For programs", {}))),
            Mount("/static", StaticFiles(packages=[*_STYLES])),
        ],
        middleware=[Middleware(BaseHTTPMiddleware, dispatch=guard)],
        exception_handlers=dict.fromkeys((SdtextError, HTTPException, Exception), _failed),
    )


def _with_form(handler: _Handler) -> Callable[[Request], Awaitable[Response]]:
    """The handler, in a thread of its own, with the form that was sent."""

    async def handle(request: Request) -> Response:
        async with request.form(max_files=_MOST_FILES) as form:
            return await run_in_threadpool(handler, request, form)

    return handle


async def _failed(request: Request, error: Exception) -> Response:
    """The answer to a wrong question or address, to an unusable file, to a bug."""
    if isinstance(error, SdtextError):
        return refusal(request, 400 if isinstance(error, OptionError) else 422, str(error))
    if isinstance(error, HTTPException):
        return refusal(request, error.status_code, f"{error.detail}.")
    what = f"A bug of sdtext stopped it ({type(error).__name__}); the server's log has details."
    answer = refusal(request, 500, what)
    answer.headers.update(HEADERS)  # it is sent from outside of the guard
    return answer


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
