"""Answers of the web application: pages for people, JSON for programs, and refusals."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from sdtext._version import __version__
from sdtext.errors import OptionError
from sdtext.reports.readable_values import percent
from sdtext.web.guard import Scope
from sdtext.web.jobs import Job
from sdtext.wording import counted, printable


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("sdtext.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"percent": percent, "printable": printable, "counted": counted}
    return environment


def page(
    request: Request,
    template: str,
    title: str,
    values: Mapping[str, Any],
    headers: Mapping[str, str] | None = None,
) -> Response:
    """A page, or for programs its values."""
    if is_api(request) and template != "api.html":
        states = {k: [*map(state, v)] for k, v in values.items() if k in ("jobs", "checks")}
        return JSONResponse({**values, **states})
    shown = {"title": printable(title), "version": __version__, "path": request.url.path}
    text = _templates().get_template(template).render({**shown, **values})
    return Response(text, media_type="text/html", headers=dict(headers or {}))


def is_api(request: Request) -> bool:
    """Whether a program asks."""
    return str(request.scope["path"]).startswith("/api/")


def state(job: Job) -> dict[str, Any]:
    """A job for programs."""
    names = ("id", "kind", "state", "stage", "done", "total", "sentence", "created", "ended")
    return {name: getattr(job, name) for name in names}


def refusal(scope: Scope, status: int, sentence: str) -> Response:
    """The answer to what is not done, and why."""
    request = Request(scope)
    if is_api(request):
        return JSONResponse({"error": sentence}, status)
    answer = page(request, "refused.html", "Not done", {"sentence": sentence})
    answer.status_code = status
    return answer


async def refused(request: Request, error: Exception) -> Response:
    """The answer to a wrong question, or to a collection that cannot be used."""
    return refusal(request.scope, 400 if isinstance(error, OptionError) else 422, str(error))


async def too_large(most: int, request: Request, _error: Exception) -> Response:
    """The answer to an upload beyond the limit, in bytes."""
    sentence = f"The upload is larger than {most >> 20:,} MB, the most that is taken."
    return refusal(request.scope, 413, sentence)


async def http_error(request: Request, error: Exception) -> Response:
    """The answer to an address that there is not, or to a form that makes no sense."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    sentence = "There is nothing at this address." if status == 404 else "The request is not valid."
    return refusal(request.scope, status, sentence)


async def bug(request: Request, error: Exception) -> Response:
    """The answer where nobody foresaw the error; the log has it."""
    sentence = f"A bug of sdtext stopped it ({type(error).__name__}); the server's log has details."
    return refusal(request.scope, 500, sentence)
