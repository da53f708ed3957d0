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
from sdtext.cli.options.values import OutputPath

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdtext.reports.html.report_page import Provenance


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
        from sdtext.reports.html.report_page import html_output

        if self.path:
            html_output(self.path, replaces=self.force).check(inputs)

    def write(self, page: Any) -> None:
        """Write a ReportPage."""
        from sdtext.reports.html.report_page import html_output, write_page

        write_page(html_output(self.path, replaces=self.force), page)


def html_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--html` and `--force`, passed as `html`, an HtmlFile."""

    @wraps(function)
    def with_file(*args: Any, html_path: str, force: bool, **options: Any) -> Any:
        return function(*args, html=HtmlFile(html_path, force=force), **options)

    return html_option(force_option(with_file))


html_option = click.option(
    "--html",
    "html_path",
    type=OutputPath(),
    default="",
    metavar="OUT.html",
    help="Also write the result as a page for people: one HTML file, which needs no network.",
)


def provenance(parameters: Sequence[tuple[str, str]]) -> Provenance:
    """The provenance of a page: the command line, the time, and these parameters."""
    from sdtext.reports.html.report_page import Provenance

    created = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return Provenance(shlex.join(["sdtext", *sys.argv[1:]]), created, parameters)
