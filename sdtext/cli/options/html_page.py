"""`--html`: the result also as a page, in one HTML file."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from sdtext.cli.main import say
from sdtext.cli.options.common import option
from sdtext.cli.options.values import STANDARD_OUTPUT, Context, OutputPath, Parameter
from sdtext.wording import shown

if TYPE_CHECKING:
    from sdtext.reading.overwrite_guard import Output
    from sdtext.reports.html.report_page import ReportPage


@dataclass(frozen=True)
class HtmlFile:
    """The file of `--html`; its path is empty where there is none.

    The modules that make pages are imported only where there is one.
    """

    path: str

    @property
    def outputs(self) -> list[Output]:
        """The file, which replaces an earlier page alone, if there is one."""
        if not self.path:
            return []
        from sdtext.reading.overwrite_guard import Output
        from sdtext.reports.html.report_page import HTML_REPORT

        return [Output(self.path, HTML_REPORT)]

    def check(self, inputs: Iterable[str]) -> None:
        """Raise OutputError if the file cannot be written, before any work."""
        if self.path:
            self.outputs[0].check(inputs)

    def write_overview(self, page_of: Callable[[Any], ReportPage]) -> None:
        """Write the page that a function of the module `result_overviews` makes, if it is asked."""
        if self.path:
            from sdtext.reports.html import result_overviews

            self.write(page_of(result_overviews))

    def write(self, page: ReportPage, spelled: Callable[[str], str] = str) -> None:
        """Write a page with its origin, and say so."""
        from sdtext.reports.html.report_page import write_page

        write_page(self.outputs[0], with_origin(page, spelled))
        say(f"{shown(self.path)}: page written")


def with_origin(page: ReportPage, spelled: Callable[[str], str] = str) -> ReportPage:
    """The page with the command line, the time, and the options that are not in that line."""
    context = click.get_current_context()
    parameters = [*page.provenance.parameters]
    for each in context.command.get_params(context):
        name = str(each.name)
        source = context.get_parameter_source(name)
        if source in (ParameterSource.ENVIRONMENT, ParameterSource.DEFAULT_MAP):
            value = str(context.params.get(name))
            parameters.append((max(each.opts, key=len), spelled(value)))
    made = replace(
        page.provenance,
        command=spelled(shlex.join(["sdtext", *sys.argv[1:]])),
        created=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        parameters=parameters,
    )
    return replace(page, provenance=made)


class _HtmlPath(OutputPath):
    """The path of a page, as an HtmlFile; never the standard output, which has the rows."""

    def convert(self, value: Any, param: Parameter, ctx: Context) -> Any:
        """The file."""
        path = super().convert(value, param, ctx)
        if path == STANDARD_OUTPUT:
            self.fail("it is the standard output, which has the rows; name a file.", param, ctx)
        return HtmlFile(path)


HTML_PATH = _HtmlPath("HTML", (".html", ".htm", ".xhtml"))
page = partial(
    option,
    kind=HTML_PATH,
    metavar="OUT.html",
    callback=lambda _context, _option, file: file or HtmlFile(""),
    help="Also write the result as a page for people: one HTML file, which needs no network.",
)
"""The option of some names for a page, an HtmlFile."""

html = page("--html")
