"""FindReuse: find the passages that documents share, and the share of each document."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from sdtext.cli.batch_run import running
from sdtext.cli.main import say
from sdtext.cli.options.common import (
    exit_code_option,
    gathered,
    jobs_option,
    records_options,
)
from sdtext.cli.options.html_page import HtmlFile, html_options
from sdtext.cli.options.provenance import origin
from sdtext.cli.options.reading import folder_options, reading_options
from sdtext.cli.options.reuse import reuse_options
from sdtext.cli.options.search import checks_options
from sdtext.cli.options.values import InputPath
from sdtext.cli.print_evidence import (
    PAN,
    Listing,
    counting_passages,
    listing_options,
    page_of_evidence,
    print_evidence,
)
from sdtext.cli.print_results import NOTHING_FOUND, report
from sdtext.cli.verb import Verb
from sdtext.errors import OptionError, shown

if TYPE_CHECKING:
    from sdtext.collections.collection import Checks
    from sdtext.collections.conditions import Condition
    from sdtext.reading.inputs import Inputs
    from sdtext.reading.options import Reading
    from sdtext.reading.records import Fields
    from sdtext.reuse import ReuseInput, ReuseQuestion


@dataclass(frozen=True)
class _Sides:
    """The two sides of the comparison: paths of collections, and files."""

    collections: Sequence[str]
    files: Sequence[str]
    fields: Fields
    metadata: str | None
    has_repeated: bool

    @classmethod
    def named(
        cls, named: Sequence[str], bare: Sequence[str], fields: Fields, metadata: str | None
    ) -> _Sides:
        """The sides that the command line names; bare arguments may be collections or files."""
        from sdtext.reading.walk import is_collection

        collections = [path for path in bare if path.endswith(".sdx") or is_collection(path)]
        paths = [*named, *(path for path in bare if path not in collections)]
        files: dict[str, str] = {}
        for path in paths:
            files.setdefault(os.path.realpath(path), path)
        return cls(collections, [*files.values()], fields, metadata, len(files) < len(paths))

    def check(self, where: Condition | None) -> None:
        """Raise UsageError for sides that cannot be compared."""
        if where and not self.collections:
            raise click.UsageError(
                "--where filters the documents of a collection; name a collection"
            )
        if len(self.collections) > 2 or (len(self.collections) == 2 and self.files):
            raise click.UsageError(
                "give one collection, two collections, or one collection and files with -i"
            )
        if not self.collections and not self.files:
            raise click.UsageError(
                "name two files, a folder or a collection NAME.sdx, or files and one of these"
            )

    def check_pan(self) -> None:
        """Raise UsageError unless PAN's XML can represent the result."""
        if self.collections or len(self.files) != 2:
            raise click.UsageError("--format pan is for two files: -i A -i B")

    def explain(self, left_documents: int) -> None:
        """Say that several files or folders alone are not all compared with each other."""
        if self.has_repeated and len(self.files) > 1 and not self.collections:
            say("a file or folder that is named twice counts where it is named first")
        if not self.collections and len(self.files) == 2 and left_documents > 1:
            left, right = map(shown, self.files)
            say(
                f"the documents of {left} are compared with those of {right}, not with each other; "
                "to compare all with each other, name one folder that holds both, or add both to a "
                "collection"
            )
        if self.collections or len(self.files) < 3:
            return
        folders = {os.path.dirname(path) for path in self.files}  # noqa: PTH120 (of "-", too)
        folder = f", {shown(only)}" if len(folders) == 1 and (only := folders.pop()) else ""
        say(
            f"only {shown(self.files[0])} is compared with the {len(self.files) - 1:,} others; to "
            f"compare all with each other, name their folder{folder}"
        )

    def sought(self, checks: Checks) -> tuple[ReuseInput, ReuseInput | None]:
        """The left side and the right one, None for a collection alone."""
        from sdtext.collections.collection import Collection

        opened = [Collection.open(path, checks) for path in self.collections]
        if not opened:
            if len(self.files) == 1:
                return self._inputs(self.files), None
            return self._inputs(self.files[:1]), self._inputs(self.files[1:])
        if self.files:
            return self._inputs(self.files), opened[0]
        return opened[0], opened[1] if len(opened) > 1 else None

    def _inputs(self, files: Sequence[str]) -> Inputs:
        from sdtext.reading.inputs import Inputs

        return Inputs(files, self.fields, self.metadata)


@dataclass(frozen=True)
class _EvidencePrinting:
    """Which rows are printed, in which format, the page, and the exit code without any."""

    listing: Listing
    form: str | None
    html: HtmlFile
    fail_if_empty: bool


@click.command(
    cls=Verb,
    epilog="Examples: sdtext FindReuse essays/ --by pair\n\n"
    "sdtext FindReuse report.docx source.pdf --show\n\n"
    "sdtext FindReuse archive.sdx application.docx --unit chapter --exclude form.docx\n\n"
    "sdtext FindReuse archive.sdx --where \"organisation = 'HUT'\" --format xml > evidence.xml",
)
@click.argument("bare", nargs=-1, type=InputPath(), metavar="[FILE|FOLDER|NAME.sdx]...")
@click.option(
    "-i",
    "--input",
    "named",
    multiple=True,
    type=InputPath(),
    metavar="FILE",
    help="A document. Repeatable, also as bare arguments.",
)
@click.option(
    "--metadata",
    type=InputPath(),
    metavar="TABLE",
    help="Metadata of the FILEs, as CSV or JSON lines.",
)
@listing_options
@html_options
@reuse_options
@checks_options
@exit_code_option
@records_options
@reading_options
@folder_options("bare", excluded=False)
@jobs_option
@gathered("printing", _EvidencePrinting)
def command(
    bare: Sequence[str],
    named: tuple[str, ...],
    metadata: str | None,
    question: ReuseQuestion,
    checks: Checks,
    printing: _EvidencePrinting,
    fields: Fields,
    reading: Reading,
    jobs: int | None,
) -> int:
    """Find the passages that documents share, and the share of each that is found elsewhere.

    Two or more FILEs: the first is compared with each of the others; of two folders, the documents
    of the first with those of the second. A folder alone: its files with each other. NAME.sdx and
    FILEs: each FILE with the documents of the collection. NAME.sdx alone: its documents with each
    other. Two collections: the documents of the first with those of the second. FILE is a document,
    a folder, an archive or a file of records; - is standard input.

    Rows are in the order of weight: first the pairs that share most, of a pair first its longest
    passage.
    """
    from sdtext.reuse import find_reuse

    if printing.listing.by == "chapter":
        question = replace(question, unit="chapter")
    sides = _Sides.named(named, bare, fields, metadata)
    sides.check(question.condition)
    if printing.form == PAN:
        sides.check_pan()
    printing.html.check([*sides.files, *sides.collections])
    left, right = sides.sought(checks)
    with running(reading, jobs, sides.files) as run:
        try:
            evidence = find_reuse(left, right, question, run)
        except OptionError as error:
            if sides.has_repeated:
                error.replace("only one document is given", "only one document is given, and twice")
            raise
    evidence = replace(evidence, problems=(*(run.problems or ()), *evidence.problems))
    evidence = replace(evidence, origin=origin())
    if printing.html:
        printing.html.write(page_of_evidence(evidence))
    print_evidence(evidence, printing.form, printing.listing)
    sides.explain(len(evidence.coverage))
    code = report(evidence.problems)
    return code or (
        NOTHING_FOUND if printing.fail_if_empty and not counting_passages(evidence) else 0
    )
