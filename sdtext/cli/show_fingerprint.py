"""ShowFingerprint: show everything in a fingerprint."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from sdtext.cli.options import common, reading
from sdtext.cli.print_results import JSON_FORMATS, print_rows, report
from sdtext.cli.verb import verb
from sdtext.errors import FormatError

if TYPE_CHECKING:
    from sdtext.cli.batch_run import Batch
    from sdtext.model import Problem


@verb(
    "sdtext ShowFingerprint memo.fp.xml -d letters.xml",
    "sdtext ShowFingerprint memo.docx -d english",
)
@common.file_option(
    *("-f", "--fingerprint"),
    to="path",
    metavar="FINGERPRINT",
    words="The file, or with a dictionary a document.",
)
@common.shared(
    "dictionaries", "The dictionary, if the file does not contain it, or is a document. Repeatable."
)
@common.rows_format
@reading.single_files
def command(path: str, dictionaries: tuple[str, ...], form: str | None, batch: Batch) -> int:
    """Show everything in FINGERPRINT; for a container, everything in each of its fingerprints.

    If the dictionary is available, the terms of each vector are shown, and for a digest all terms
    of the document in order. Of a document, the vectors over the dictionaries named with -d are
    shown, and their terms.
    """
    from sdtext.fingerprinting.fingerprint_documents import fingerprints
    from sdtext.fingerprinting.load_and_save import load_dictionary
    from sdtext.formats.hardened_xml import kind_of_own_file
    from sdtext.reading.parallel_run import nothing_left
    from sdtext.reading.read_document import Source
    from sdtext.reading.walk import is_collection
    from sdtext.reports.fingerprint_record import record_of, records_in
    from sdtext.reports.row_formats import flat

    if is_collection(path):
        what = "is a collection; Fingerprint writes its fingerprints, ShowCollection shows it"
        raise FormatError(what, file=path)
    loaded = (load_dictionary(name, batch.reading.max_bytes) for name in dictionaries)
    named = {dictionary.digest: dictionary for dictionary in loaded}
    source = Source(path, batch.reading)
    problems: list[Problem] | None = None
    if kind_of_own_file(source.content.head) or not named:
        records = records_in(path, named, batch.reading.max_bytes)
    else:
        with batch.running([path]) as run:
            made = [item for _, item in fingerprints([source], [*named.values()], run)]
            if not made:
                raise nothing_left(run, "there is nothing to show")
        records, problems = iter([{"fingerprint": path, **record_of(made[0], named)}]), run.problems
    first = [*islice(records, 1)]  # raises errors before anything is printed
    rows: Iterator[dict[str, Any]] = chain(first, records)
    columns = ("fingerprint", "field", "value")
    if form not in JSON_FORMATS:
        rows = (
            dict(zip(columns, (record["fingerprint"], *item), strict=True))
            for record in rows
            for item in flat(record)
            if item[0] != "fingerprint"
        )
    print_rows(form, columns, rows, "sdtext/fingerprint/1")
    return report(problems)
