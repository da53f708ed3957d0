"""`--html`: the result also as a page, in one HTML file."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sdtext.cli.main import say
from sdtext.cli.options.common import force_option
from sdtext.cli.options.values import HTML_PATH, STANDARD_OUTPUT
from sdtext.errors import OutputError
from sdtext.wording import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdtext.reading.overwrite_guard import Output
    from sdtext.reports.html.report_page import InputDigest, PageProvenance, ReportPage


class HtmlFile:
    """The file of `--html`; without the option all of this does nothing.

    The modules that make pages are imported only where there is one.
    """

    def __init__(self, path: str, *, force: bool = False) -> None:
        self.path = path
        self.force = force

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
        """The file, and what it may replace."""
        from sdtext.reports.html.report_page import html_output

        return html_output(self.path, replaces=self.force)


def html_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--html` and `--force`, passed as `html`, an HtmlFile."""

    @wraps(function)
    def with_file(*args: Any, html_path: str, force: bool, **options: Any) -> Any:
        return function(*args, html=HtmlFile(html_path, force=force), **options)

    return _html_option(force_option(with_file))


def html_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--html`, passed as `html`, an HtmlFile."""

    @wraps(function)
    def with_file(*args: Any, html_path: str, **options: Any) -> Any:
        return function(*args, html=HtmlFile(html_path), **options)

    return _html_option(with_file)


def page_name(_context: click.Context, option: click.Parameter, path: str) -> str:
    """The path of a page. UsageError for the standard output, which the rows have.

    Raises OutputError for an existing file of another kind, whether or not files are replaced:
    where the name of the page is forgotten, a document follows the option.
    """
    if path == STANDARD_OUTPUT:
        name = option.opts[0]
        raise click.UsageError(f"{name} needs the name of a file; the standard output has the rows")
    if Path(path).suffix.lower() not in HTML_PATH.endings and _is_other_kind(path):
        raise OutputError(
            f"{option.opts[0]} takes the name of the page to write, such as report.html; "
            f"{shown(path)} is another kind of file"
        )
    return path


def _is_other_kind(path: str) -> bool:
    """Whether there is a file that is neither empty nor a page of sdtext."""
    if not (os.path.isfile(path) and os.path.getsize(path)):  # noqa: PTH113, PTH202 (any name)
        return False
    from sdtext.reports.html.report_page import HTML_REPORT

    return not HTML_REPORT.includes(Path(path))


_html_option = click.option(
    "--html",
    "html_path",
    type=HTML_PATH,
    default="",
    metavar="OUT.html",
    callback=page_name,
    help="Also write the result as a page for people: one HTML file, which needs no network.",
)


def provenance(
    parameters: Sequence[tuple[str, str]], inputs: Sequence[InputDigest] = ()
) -> PageProvenance:
    """The provenance of a page: the command line, the time, these parameters and inputs."""
    from sdtext.reports.html.report_page import PageProvenance

    created = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return PageProvenance(shlex.join(["sdtext", *sys.argv[1:]]), created, parameters, inputs)
