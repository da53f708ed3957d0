"""`--html`: the result also as a page, in one HTML file."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from sdtext.cli.options.common import force_option
from sdtext.cli.options.values import HTML_PATH, STANDARD_OUTPUT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdtext.reading.overwrite_guard import Output
    from sdtext.reports.html.report_page import InputDigest, PageProvenance, ReportPage


class HtmlFile:
    """The file of `--html`; without the option all of this does nothing.

    The modules that make pages are imported only where there is one.
    """

    def __init__(self, path: str, *, force: bool) -> None:
        self.path = path
        self.force = force

    def __bool__(self) -> bool:
        return bool(self.path)

    def check(self, inputs: Iterable[str]) -> None:
        """Raise OutputError if the file cannot be written, before any work."""
        if self.path:
            self.output.check(inputs)

    def write(self, page: ReportPage) -> None:
        """Write a page."""
        from sdtext.reports.html.report_page import write_page

        write_page(self.output, page)

    @property
    def output(self) -> Output:
        """The file, and what it may replace."""
        from sdtext.reports.html.report_page import html_output

        return html_output(self.path, replaces=self.force)


def html_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--html` and `--force`, passed as `html`, an HtmlFile."""

    @wraps(function)
    def with_file(*args: Any, html_path: str, force: bool, **options: Any) -> Any:
        return function(*args, html=HtmlFile(html_path, force=force), **options)

    return html_option(force_option(with_file))


def _check_named(_context: click.Context, _option: click.Parameter, path: str) -> str:
    """The path. UsageError for the standard output, which the rows have."""
    if path == STANDARD_OUTPUT:
        raise click.UsageError("--html needs the name of a file; the standard output has the rows")
    return path


html_option = click.option(
    "--html",
    "html_path",
    type=HTML_PATH,
    default="",
    metavar="OUT.html",
    callback=_check_named,
    help="Also write the result as a page for people: one HTML file, which needs no network.",
)


def provenance(
    parameters: Sequence[tuple[str, str]], inputs: Sequence[InputDigest] = ()
) -> PageProvenance:
    """The provenance of a page: the command line, the time, these parameters and inputs."""
    from sdtext.reports.html.report_page import PageProvenance

    created = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return PageProvenance(shlex.join(["sdtext", *sys.argv[1:]]), created, parameters, inputs)
