"""FindReuse: which passages documents share, and how much of each is found elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from sdtext.cli.asking import exit_code_option
from sdtext.cli.asking_reuse import reuse_options
from sdtext.cli.main import say
from sdtext.cli.options import (
    default_format,
    jobs_option,
    origin,
    print_rows,
    records_options,
    report,
    running,
)
from sdtext.cli.reading import reading_options
from sdtext.errors import OptionError, counted
from sdtext.reports.rows import FORMATS

if TYPE_CHECKING:
    from sdtext.collections.filters import Condition
    from sdtext.collections.ingest.inputs import Inputs
    from sdtext.model import Evidence
    from sdtext.reading.options import Reading
    from sdtext.reading.records import Fields
    from sdtext.reuse import ReuseInput, ReuseQuestion

_NOTHING_FOUND = 1
_PAN, _XML = "pan", "xml"
_SHOWN = (
    *("left", "right", "score", "left_place", "right_place"),
    *("left_share", "right_share", "metadata", "excluded"),
)
"""The columns of a table: what a terminal has room for."""


@dataclass(frozen=True)
class _Sides:
    """What is compared with what: collections by their paths, and files."""

    collections: Sequence[str]
    files: Sequence[str]
    fields: Fields
    metadata: str | None

    @classmethod
    def named(
        cls, named: Sequence[str], bare: Sequence[str], fields: Fields, metadata: str | None
    ) -> _Sides:
        """What the command line names. Of bare arguments collections are known by their folders."""
        from sdtext.collections.collection import is_collection

        stored = [one for one in bare if one.endswith(".sdx") or is_collection(one)]
        files = [*named, *(one for one in bare if one not in stored)]
        return cls(stored, files, fields, metadata)

    def check(self, where: Condition | None) -> None:
        """UsageError where that is not what can be compared."""
        if where and not self.collections:
            raise click.UsageError("--where chooses among the documents of a collection; name one")
        if len(self.collections) > 2 or (len(self.collections) == 2 and self.files):
            raise click.UsageError("one collection or two, or one and files named with -i")
        if not self.collections and len(self.files) < 2:
            raise click.UsageError(
                "name two files with -i, or a collection NAME.sdx to look in, or both"
            )

    def check_pan(self) -> None:
        """UsageError where PAN's XML cannot tell the result."""
        if self.collections or len(self.files) != 2:
            raise click.UsageError("--format pan is for two files: -i A -i B")

    def sought(self) -> tuple[ReuseInput, ReuseInput | None]:
        """The left side and the right one, None for a collection alone."""
        from sdtext.collections.collection import Collection

        opened = [Collection.open(path) for path in self.collections]
        if not opened:
            return self._inputs(self.files[:1]), self._inputs(self.files[1:])
        if self.files:
            return self._inputs(self.files), opened[0]
        return opened[0], opened[1] if len(opened) > 1 else None

    def _inputs(self, files: Sequence[str]) -> Inputs:
        from sdtext.collections.ingest.inputs import Inputs

        return Inputs(files, self.fields, self.metadata)


@click.command(
    epilog="Examples: sdtext FindReuse -i report.docx -i source.pdf\n\n"
    "sdtext FindReuse archive.sdx -i application.docx --unit chapter --exclude form.docx\n\n"
    "sdtext FindReuse archive.sdx --where \"organisation = 'HUT'\" --format xml > evidence.xml"
)
@click.argument("bare", nargs=-1, metavar="[NAME.sdx] [OTHER.sdx]")
@click.option(
    "-i", "--input", "named", multiple=True, metavar="FILE", help="A document. Repeatable."
)
@click.option("--metadata", metavar="TABLE", help="Facts about the FILEs: CSV or JSON lines.")
@reuse_options
@exit_code_option
@click.option(
    "--format",
    "form",
    type=click.Choice([*FORMATS, _XML, _PAN]),
    help="How passages are printed; a table on a terminal, else TSV.",
)
@records_options
@reading_options
@jobs_option
def command(
    bare: tuple[str, ...],
    named: tuple[str, ...],
    metadata: str | None,
    question: ReuseQuestion,
    told: bool,
    form: str | None,
    fields: Fields,
    reading: Reading,
    jobs: int | None,
) -> int:
    """Find the passages that documents share, and the share of each that is found elsewhere.

    Two FILEs: of the first in the second (or in each of the others). NAME.sdx and FILEs: of each
    in the documents of the collection. NAME.sdx alone: of each of its documents in the others. Two
    collections: of those of the first in those of the second. FILE is a document, a folder, an
    archive or a file of records; - is the standard input.
    """
    from sdtext.reuse import find_reuse

    sides = _Sides.named(named, bare, fields, metadata)
    sides.check(question.where)
    if form == _PAN:
        sides.check_pan()
    left, right = sides.sought()
    with running(reading, jobs, sides.files) as run:
        evidence = find_reuse(left, right, question, run)
    evidence = replace(evidence, problems=(*(run.problems or ()), *evidence.problems))
    _print(evidence, form)
    code = report(evidence.problems)
    return code or (_NOTHING_FOUND if told and not _passages(evidence) else 0)


def _passages(evidence: Evidence) -> int:
    """How many passages were found that count."""
    return sum(not one.excluded for shared in evidence.shared for one in shared.passages)


def _shown(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row as a terminal has room for it: places as OFFSET:LENGTH."""
    places = {}
    for side in ("left", "right"):
        offset, length = row[f"{side}_offset"], row[f"{side}_length"]
        places[f"{side}_place"] = None if offset is None else f"{offset}:{length}"
    return {**row, **places}


def _pan(evidence: Evidence) -> str:
    """The passages of two documents in PAN's XML."""
    from sdtext.formats.pan import pan_of

    names = [one.name for one in evidence.documents]
    if len(names) != 2:
        raise OptionError("--format pan is for two documents; name one file behind each -i")
    this, source = names
    return pan_of(this, source, evidence.shared[0].passages if evidence.shared else ())


def _print(evidence: Evidence, form: str | None) -> None:
    """Print what was found, and say it in some lines beside."""
    from sdtext.reports.reuse_report import COLUMNS, SCHEMA, record_of, rows_of, summary_of

    if form == _XML:
        from sdtext.formats.evidence_xml import write_evidence

        write_evidence(sys.stdout.buffer, replace(evidence, origin=origin()))
    elif form == _PAN:
        sys.stdout.buffer.write(_pan(evidence).encode("utf-8"))
    elif (form or default_format()) == "table":
        print_rows("table", _SHOWN, map(_shown, rows_of(evidence)), SCHEMA)
    else:
        beside = record_of(evidence)
        print_rows(form, COLUMNS, rows_of(evidence), SCHEMA, evidence.problems, **beside)
    for line in (evidence.how, *summary_of(evidence)):
        say(line)
    say(f"{counted(_passages(evidence), 'passage')} found")
