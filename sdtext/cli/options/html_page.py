"""`--html`: the result also as a page, in one HTML file."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from sdtext.cli.main import say
from sdtext.cli.options.common import Decorator
from sdtext.cli.options.values import HTML_PATH, STANDARD_OUTPUT
from sdtext.wording import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdtext.reading.overwrite_guard import Output
    from sdtext.reports.html.report_page import InputDigest, PageProvenance, ReportPage


class HtmlFile:
    """The file of `--html`; without the option all of this does nothing.

    The modules that make pages are imported only where there is one.
    """

    def __init__(self, path: str) -> None:
        self.path = path

    def __bool__(self) -> bool:
        return bool(self.path)

    def check(self, inputs: Iterable[str]) -> None:
        """Raise OutputError if the file cannot be written, before any work."""
        if self.path:
            self.output.check(inputs)

    def write(self, page: ReportPage) -> None:
        """Write a page, and say so."""
        from sdtext.reports.html.report_page import write_page

        is_there = os.path.isfile(self.path)  # noqa: PTH113 (any name)
        write_page(self.output, page)
        replaced = ", in place of an earlier file" if is_there else ""
        say(f"{shown(self.path)}: page written{replaced}")

    @property
    def output(self) -> Output:
        """The file, which replaces an earlier page alone."""
        from sdtext.reports.html.report_page import html_output

        return html_output(self.path)


def page_option(name: str) -> Decorator:
    """The option that names a page, passed as `html`, an HtmlFile."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def with_file(*args: Any, html_path: str, **options: Any) -> Any:
            if html_path == STANDARD_OUTPUT:
                what = "needs the name of a file; the standard output has the rows"
                raise click.UsageError(f"{name} {what}")
            return function(*args, html=HtmlFile(html_path), **options)

        return click.option(
            name,
            "html_path",
            type=HTML_PATH,
            default="",
            metavar="OUT.html",
            help="Also write the result as a page for people: one HTML file, which needs no "
            "network.",
        )(with_file)

    return decorate


html_option = page_option("--html")


def provenance(
    parameters: Sequence[tuple[str, str]], inputs: Sequence[InputDigest] = ()
) -> PageProvenance:
    """The provenance of a page: the command line, the time, these parameters and inputs."""
    from sdtext.reports.html.report_page import PageProvenance

    created = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return PageProvenance(shlex.join(["sdtext", *sys.argv[1:]]), created, parameters, inputs)
