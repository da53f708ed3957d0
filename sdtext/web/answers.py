"""Answers of the web application: pages for people, JSON for programs, and refusals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jinja2 import PackageLoader
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from sdtext._version import __version__
from sdtext.reports.html.report_page import templates
from sdtext.wording import printable

Values = Mapping[str, Any]
TEMPLATES = templates().overlay(loader=PackageLoader("sdtext.web"))


def page(
    request: Request, name: str, title: str, values: Values, status: int = 200, refresh: str = ""
) -> Response:
    """A page, or for programs its values."""
    if is_api(request):
        return JSONResponse(dict(values), status)
    shown = {"title": printable(title), "version": __version__, "path": request.url.path}
    text = TEMPLATES.get_template(name).render({**shown, **values})
    return HTMLResponse(text, status, {"refresh": refresh} if refresh else None)


def is_api(request: Request) -> bool:
    """Whether a program asks."""
    return request.url.path.startswith("/api/")


def refusal(request: Request, status: int, sentence: str) -> Response:
    """The answer to what is not done, and why."""
    return page(request, "refused.html", "Not done", {"error": sentence}, status)
