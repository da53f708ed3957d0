"""The application behind the guard: addresses and their handlers, the login, the style."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from sdtext.errors import SdtextError
from sdtext.reports.html import report_page
from sdtext.web.answers import bug, http_error, page, refusal, refused, too_large
from sdtext.web.guard import LOGIN, Guard, TooLargeError
from sdtext.web.jobs import Dispatcher, Jobs
from sdtext.web.library import Library
from sdtext.web.pages import Pages, Settings

_MOST_FILES = 1000  # in one form


def application(settings: Settings) -> tuple[Guard, Dispatcher]:
    """The guarded application, and the dispatcher of its jobs, which the caller closes."""
    jobs = Jobs(settings.folder)
    dispatcher = Dispatcher(jobs, settings.most_jobs, settings.kept_seconds)
    library = Library(settings.collections, settings.folder / "collections")
    pages = Pages(settings, library, dispatcher)
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
            (f"/{kind}/{{id}}", pages.job, "GET DELETE"),
            (f"/{kind}/{{id}}/{{order}}", pages.order, "POST"),
            (f"/{kind}/{{id}}/{{file}}", pages.file, "GET"),
        ]
    routes = [
        Route(prefix + address, _with_form(handler), methods=methods.split())
        for prefix in ("", "/api")
        for address, handler, methods in addresses
    ]
    routes += [
        Route("/checks/{id}/evidence.xml", _with_body(pages.saved), methods=["PUT"]),
        Route("/", _with_form(pages.start)),
        Route("/api", _with_form(pages.api)),
        Route("/static/web.css", _style),
    ]
    inner = Starlette(
        routes=routes,
        exception_handlers={
            SdtextError: refused,
            TooLargeError: partial(too_large, settings.max_upload),
            HTTPException: http_error,
            Exception: bug,
        },
    )
    guard = Guard(inner, refusal, settings.hosts, settings.max_upload, settings.password)
    inner.router.routes.append(Route(LOGIN, _login(guard), methods=["GET", "POST"]))
    return guard, dispatcher


def _with_form(
    handler: Callable[[Request, FormData], Response],
) -> Callable[[Request], Awaitable[Response]]:
    """The handler, in a thread of its own, with the form that was sent."""

    async def handle(request: Request) -> Response:
        async with request.form(max_files=_MOST_FILES) as form:
            return await run_in_threadpool(handler, request, form)

    return handle


def _with_body(
    handler: Callable[[Request, bytes], Response],
) -> Callable[[Request], Awaitable[Response]]:
    """The handler, in a thread of its own, with the body that was sent."""

    async def handle(request: Request) -> Response:
        return await run_in_threadpool(handler, request, await request.body())

    return handle


def _login(guard: Guard) -> Callable[[Request], Awaitable[Response]]:
    """The page where people give the password, if there is one."""

    async def handle(request: Request) -> Response:
        if not guard.password:
            raise HTTPException(404)
        is_wrong = request.method == "POST"
        if is_wrong and await guard.is_password(str((await request.form()).get("password", ""))):
            return RedirectResponse("/", 303, {"set-cookie": guard.cookie(request.scope)})
        answer = page(request, "login.html", "sdtext", {"wrong": is_wrong})
        answer.status_code = 401 if is_wrong else 200
        return answer

    return handle


async def _style(_request: Request) -> Response:
    """The style of reports, and what the application adds to it."""
    folders = Path(report_page.__file__).parent, Path(__file__).parent
    names = "base.css", "web.css"
    texts = [(f / "templates" / n).read_text("utf-8") for f, n in zip(folders, names, strict=True)]
    headers = {"cache-control": "max-age=60"}
    return Response("\n".join(texts), media_type="text/css", headers=headers)
