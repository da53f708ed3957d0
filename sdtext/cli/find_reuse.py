"""FindReuse: find the passages that documents share, and the share of each document."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import click

from sdtext.cli.batch_run import running
from sdtext.cli.main import say
from sdtext.cli.options.bare_arguments import is_folder
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
from sdtext.errors import SdtextError, UnreadableError, counted, shown

if TYPE_CHECKING:
    from sdtext.collections.stored_collection import Checks
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

    def check(self, where: str | None) -> None:
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

    def complete(self, error: SdtextError, patterns: Mapping[str, Sequence[str]]) -> None:
        """Add to an error what the command line has to do with it."""
        if self.has_repeated:
            error.replace("only one document is given", "only one document is given, and twice")
        if isinstance(error, UnreadableError) and (note := self.files_of_left_folder(patterns)):
            error.append(f"; {note}")

    @property
    def left(self) -> Sequence[str]:
        """The files on the left of others: the first, or several that lie in the last, a folder."""
        *files, last = self.files
        are_of_folder = len(files) > 1 and all(_lies_in(path, last) for path in files)
        return files if are_of_folder else self.files[:1]

    def explain(self, left_documents: int, patterns: Mapping[str, Sequence[str]]) -> None:
        """Say that several files or folders alone are not all compared with each other.

        `patterns` are the values of options that may have been patterns before the shell read them.
        """
        if self.has_repeated and len(self.files) > 1 and not self.collections:
            say("a file or folder that is named twice counts where it is named first")
        if self.collections or len(self.files) < 2:
            return
        first, *others = self.files
        if note := self.files_of_left_folder(patterns):
            say(note)
        elif len(others) == 1 and left_documents > 1:
            say(
                f"the documents of {shown(first)} are compared with those of {shown(others[0])}, "
                "not with each other; to compare all with each other, name one folder that holds "
                "both, or add both to a collection"
            )
        elif len(others) > 1 and len(self.left) == 1:
            say(_only_first(first, others))

    def files_of_left_folder(self, patterns: Mapping[str, Sequence[str]]) -> str:
        """That files lie in the folder on the left, mostly by a pattern that the shell expanded."""
        folder, *others = self.files or [""]
        files = [path for path in others if _lies_in(path, folder)]
        if not files:
            return ""
        more = f" and {counted(len(files) - 1, 'other file')} lie" if len(files) > 1 else " lies"
        what = f"{shown(files[0])}{more} in {shown(folder)}, which is also named"
        for option, values in patterns.items():
            if expanded := [value for value in values if _lies_in(value, folder)]:
                pattern = _common_pattern([Path(path).name for path in (*expanded, *files)])
                such = f", as in {option} {shown(quote(pattern))}" if pattern else ""
                return f"{what}; quote patterns{such}, so that the shell does not expand them"
        them = "each of them" if len(files) > 1 else "it"
        return f"{what}; to compare {them} with the documents of the folder, name the folder last"

    def sought(self, checks: Checks) -> tuple[ReuseInput, ReuseInput | None]:
        """The left side and the right one, None for a collection alone."""
        from sdtext.collections.stored_collection import StoredCollection

        opened = [StoredCollection.open(path, checks) for path in self.collections]
        if not opened:
            if len(self.files) == 1:
                return self._inputs(self.files), None
            left = self.left
            return self._inputs(left), self._inputs(self.files[len(left) :])
        if self.files:
            return self._inputs(self.files), opened[0]
        return opened[0], opened[1] if len(opened) > 1 else None

    def _inputs(self, files: Sequence[str]) -> Inputs:
        from sdtext.reading.inputs import Inputs

        return Inputs(files, self.fields, self.metadata)


def _lies_in(path: str, folder: str) -> bool:
    """Whether `path` is a file in a folder or below it."""
    if not (os.path.isfile(path) and is_folder(folder)):  # noqa: PTH113 (Path.is_file may raise)
        return False
    place = Path(os.path.realpath(Path(path).parent))
    return Path(os.path.realpath(folder)) in (place, *place.parents)


def _only_first(first: str, others: Sequence[str]) -> str:
    """That only the first of several files and folders is compared, with what, and the remedy."""
    folders = [path for path in others if is_folder(path)]
    files = [path for path in others if path not in folders]
    begins_with_folder = is_folder(first)
    whose = f"the documents of {shown(first)} are" if begins_with_folder else f"{shown(first)} is"
    rest = [
        _the_others(paths, noun, are_other=are_other)
        for paths, noun, are_other in (
            (files, "file", not begins_with_folder),
            (folders, "folder", begins_with_folder),
        )
        if paths
    ]
    return f"only {whose} compared with {' and '.join(rest)}; {_remedy(first, files, folders)}"


def _the_others(paths: Sequence[str], noun: str, *, are_other: bool) -> str:
    """The paths of files or of folders in words.

    >>> _the_others(["a.txt", "b.txt"], "file", are_other=True)
    'the 2 other files'
    """
    other = "other " if are_other else ""
    if len(paths) > 1:
        return f"the {len(paths):,} {other}{noun}s"
    return f"the {other}{noun} {shown(paths[0])}"


def _remedy(first: str, files: Sequence[str], folders: Sequence[str]) -> str:
    """How to compare the first and several other files with each other, or with folders."""
    if is_folder(first):
        return "to compare all with each other, name one folder that holds all"
    if not folders:
        parents = {os.path.dirname(path) for path in (first, *files)}  # noqa: PTH120 (of "-", too)
        parent = f", {shown(only)}" if len(parents) == 1 and (only := parents.pop()) else ""
        return f"to compare all with each other, name their folder{parent}"
    if len(folders) == 1 and all(_lies_in(path, folders[0]) for path in (first, *files)):
        return "to compare each file with the documents of the folder, name the folder last"
    return (
        "to compare several files with a folder, put them in a folder of their own and name both "
        "folders"
    )


def _common_pattern(names: Sequence[str]) -> str:
    """The pattern with one * that applies to the fewest other names; "" for different names.

    >>> _common_pattern(["hugo-adler.txt", "hugo-braun.docx"]), _common_pattern(["a.pdf", "b.pdf"])
    ('hugo-*', '*.pdf')
    """
    from sdtext.reading.options import literal_pattern

    beginning = _common_beginning(names)
    rest = [name.removeprefix(beginning)[::-1] for name in names]
    ending = _common_beginning(rest)[::-1]
    return f"{literal_pattern(beginning)}*{literal_pattern(ending)}" if beginning + ending else ""


def _common_beginning(texts: Sequence[str]) -> str:
    same = takewhile(lambda pair: pair[0] == pair[1], zip(min(texts), max(texts), strict=False))
    return "".join(character for character, _ in same)


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
    of the first with those of the second. Files of a folder, and then this folder: each of these
    files with the documents of the folder. A folder alone: its files with each other. NAME.sdx and
    FILEs: each FILE with the documents of the collection. NAME.sdx alone: its documents with each
    other. Two collections: the documents of the first with those of the second. FILE is a document,
    a folder, an archive or a file of records; - is standard input.

    Rows are in the order of weight: first the pairs that share most, of a pair first its longest
    passage.
    """
    from sdtext.reading.walk import path_list
    from sdtext.reuse import find_reuse

    if printing.listing.by == "chapter":
        question = replace(question, unit="chapter")
    sides = _Sides.named(named, bare, fields, metadata)
    sides.check(question.where)
    if printing.form == PAN:
        sides.check_pan()
    printing.html.check([*sides.files, *sides.collections])
    left, right = sides.sought(checks)
    files = [str(path) for path in path_list(question.exclude)]
    patterns = {"--exclude": files, "--include": reading.selection.include}
    with running(reading, jobs, sides.files) as run:
        try:
            evidence = find_reuse(left, right, question, run)
        except SdtextError as error:
            sides.complete(error, patterns)
            raise
    problems = dict.fromkeys(run.problems or ())  # a file may be on both sides
    evidence = replace(evidence, problems=(*problems, *evidence.problems))
    evidence = replace(evidence, origin=origin())
    if printing.html:
        printing.html.write(page_of_evidence(evidence))
    print_evidence(evidence, printing.form, printing.listing)
    sides.explain(len(evidence.coverage), patterns)
    code = report(evidence.problems)
    return code or (
        NOTHING_FOUND if printing.fail_if_empty and not counting_passages(evidence) else 0
    )
